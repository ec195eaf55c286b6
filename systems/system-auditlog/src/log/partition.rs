//! One partition: a file of records that only grows.
//!
//! Records are handed to the system and not forced to the disk: they outlive this process, however it ends, and not the
//! machine. That is what Kafka does unless told otherwise; there a second machine has a copy.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use super::record::{self, FRAME_MAX, HEAD, Record};

/// A place is remembered for every so many records: with 250 bytes a record that is 0.05 % of the file's size in memory.
const REMEMBERED: u64 = 64;

/// A partition that is open for writing.
pub(super) struct Partition {
    file: Arc<File>,
    bytes: u64,
    /// Offset of the next record.
    end: u64,
    /// Where every [`REMEMBERED`]th record begins.
    places: Vec<u64>,
    /// What could not be undone after a failed write; nothing more is taken then.
    broken: Option<String>,
}

/// What was found when a partition was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opened {
    /// Bytes behind the last whole record, which were cut off.
    pub(super) cut: u64,
}

/// Part of a file that begins with a record: what a reader needs without holding the partition up.
pub(super) struct Extent {
    file: Arc<File>,
    from: u64,
    until: u64,
    /// Records before the wanted one.
    skip: u64,
}

impl Partition {
    /// Opens a partition, or makes it; what stands behind its last whole record is cut off, as a write that broke off
    /// with the process leaves it.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub(super) fn open(path: &Path) -> io::Result<(Self, Opened)> {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
        let length = file.metadata()?.len();
        let mut partition = Self { file: Arc::new(file), bytes: 0, end: 0, places: Vec::new(), broken: None };
        partition.scan()?;
        let cut = length - partition.bytes;
        if cut > 0 {
            partition.file.set_len(partition.bytes)?;
        }
        Ok((partition, Opened { cut }))
    }

    fn scan(&mut self) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(1 << 16, File::try_clone(&self.file)?);
        let mut frame = vec![0; FRAME_MAX];
        loop {
            match reader.read_exact(&mut frame[..HEAD]) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
                read => read?,
            }
            let Ok(length) = record::frame_length([frame[0], frame[1], frame[2], frame[3]]) else { return Ok(()) };
            match reader.read_exact(&mut frame[HEAD..length]) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
                read => read?,
            }
            match record::read(&frame[..length]) {
                Ok(Some((record, _))) if record.offset == self.end => self.add(length),
                _ => return Ok(()),
            }
        }
    }

    /// Counts a frame that stands at the end.
    fn add(&mut self, length: usize) {
        if self.end.is_multiple_of(REMEMBERED) {
            self.places.push(self.bytes);
        }
        self.bytes += length as u64;
        self.end += 1;
    }

    /// Appends records in one write, with offsets from the end on; all of them are there then, or none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn append(&mut self, records: &[Record<'_>]) -> io::Result<()> {
        if let Some(why) = &self.broken {
            return Err(io::Error::other(why.clone()));
        }
        let mut bytes = Vec::with_capacity(records.iter().map(|record| record.value.len() + 64).sum());
        let mut lengths = Vec::with_capacity(records.len());
        for (offset, record) in (self.end..).zip(records) {
            let before = bytes.len();
            record::write(Record { offset, ..*record }, &mut bytes);
            lengths.push(bytes.len() - before);
        }
        if let Err(error) = self.file.write_all_at(&bytes, self.bytes) {
            // Half of a batch must not stay: the next one would stand behind it, and be cut off with it at the next start.
            if let Err(undo) = self.file.set_len(self.bytes) {
                self.broken = Some(format!("a write failed ({error}) and could not be undone ({undo})"));
            }
            return Err(error);
        }
        lengths.into_iter().for_each(|length| self.add(length));
        Ok(())
    }

    /// Offset of the next record.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Size of the file in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where records from `offset` on stand; `None` at the end or beyond.
    pub(super) fn extent(&self, offset: u64) -> Option<Extent> {
        let place = usize::try_from(offset / REMEMBERED).ok()?;
        let from = *self.places.get(place).filter(|_| offset < self.end)?;
        Some(Extent { file: Arc::clone(&self.file), from, until: self.bytes, skip: offset % REMEMBERED })
    }
}

impl Extent {
    /// Appends whole frames to `out`, at most `most` bytes of them, but at least one record.
    ///
    /// # Errors
    /// The file cannot be read, or does not hold what was written.
    pub(super) fn read(&self, most: usize, out: &mut Vec<u8>) -> io::Result<()> {
        let damaged = |_| io::Error::new(io::ErrorKind::InvalidData, "the file does not hold what was written");
        let length_at = |place: u64| {
            let mut head = [0; 4];
            self.file.read_exact_at(&mut head, place)?;
            record::frame_length(head).map_err(damaged)
        };
        let mut from = self.from;
        for _ in 0..self.skip {
            from += length_at(from)? as u64;
        }
        let wanted = most.max(length_at(from)?);
        let length = usize::try_from(self.until - from).unwrap_or(usize::MAX).min(wanted);
        let start = out.len();
        out.resize(start + length, 0);
        self.file.read_exact_at(&mut out[start..], from)?;
        let mut whole = start;
        while let Some(head) = out[whole..].first_chunk::<4>() {
            match record::frame_length(*head).map_err(damaged)? {
                length if whole + length <= out.len() => whole += length,
                _ => break,
            }
        }
        out.truncate(whole);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(partition: &Partition, offset: u64, most: usize) -> Vec<(u64, String)> {
        let mut bytes = Vec::new();
        if let Some(extent) = partition.extent(offset) {
            extent.read(most, &mut bytes).unwrap();
        }
        let (mut rest, mut found) = (&bytes[..], Vec::new());
        while let Some((record, behind)) = record::read(rest).unwrap() {
            found.push((record.offset, String::from_utf8(record.value.to_vec()).unwrap()));
            rest = behind;
        }
        found
    }

    fn put(partition: &mut Partition, values: &[&str]) {
        let records: Vec<_> =
            values.iter().map(|value| Record { offset: 99, key: b"k", value: value.as_bytes() }).collect();
        partition.append(&records).unwrap();
    }

    #[test]
    fn records_keep_their_numbers_and_are_found_from_any_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.log");
        let (mut partition, opened) = Partition::open(&path).unwrap();
        assert_eq!((opened.cut, partition.end()), (0, 0));
        assert!(values(&partition, 0, 1000).is_empty());
        for number in 0..300 {
            put(&mut partition, &[&format!("a{number}"), &format!("b{number}")]);
        }
        for offset in [0, 1, 63, 64, 65, 500, 599] {
            let found = values(&partition, offset, 100);
            assert_eq!(found[0].0, offset);
            let letter = if offset % 2 == 0 { "a" } else { "b" };
            assert_eq!(found[0].1, format!("{letter}{}", offset / 2));
            assert!(found.len() <= 100 / 20 && !found.is_empty(), "{found:?}");
        }
        assert_eq!(values(&partition, 599, 1).len(), 1, "at least one, however few bytes are asked for");
        assert!(values(&partition, 600, 1000).is_empty() && values(&partition, u64::MAX, 1000).is_empty());
        drop(partition);
        let (again, opened) = Partition::open(&path).unwrap();
        assert_eq!((opened.cut, again.end()), (0, 600));
        assert_eq!(values(&again, 130, 1 << 20).len(), 470);
    }

    #[test]
    fn what_was_torn_is_cut_off_wherever_it_was_torn() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.log");
        let (mut partition, _) = Partition::open(&path).unwrap();
        put(&mut partition, &["one", "two"]);
        let whole = std::fs::read(&path).unwrap();
        put(&mut partition, &["three"]);
        drop(partition);
        let all = std::fs::read(&path).unwrap();
        for length in whole.len()..all.len() {
            std::fs::write(&path, &all[..length]).unwrap();
            let (mut partition, opened) = Partition::open(&path).unwrap();
            assert_eq!((opened.cut, partition.end()), ((length - whole.len()) as u64, 2), "{length} bytes");
            put(&mut partition, &["other"]);
            assert_eq!(values(&partition, 1, 1000), [(1, "two".to_owned()), (2, "other".to_owned())]);
        }
        let mut damaged = all;
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        assert_eq!(Partition::open(&path).unwrap().0.end(), 2, "its checksum is wrong");
    }
}
