//! Cells between a file and its rows: on a disk, so that memory does not grow with the length of a run.
//!
//! A row needs to know which label has which number, and which limits a study counts; all of that is known when the last
//! line has been read.

use crate::cells::{Cell, Key};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use terms::Outcome;

/// Cells of a batch: so few that one batch is made into rows while another is written.
pub(crate) const BATCH: usize = 1 << 12;

/// Takes cells, some thousand at a time.
pub(crate) struct Spool {
    file: File,
    /// Bytes of each batch.
    lengths: Vec<usize>,
    /// Only to keep its memory from batch to batch.
    bytes: Vec<u8>,
}

/// Some cells: as they are, or as they come back from the disk.
pub(crate) enum Batch {
    Cells(Vec<(Key, Cell)>),
    Packed(Vec<u8>),
}

impl Batch {
    /// # Errors
    /// When the disk did not give back what it took.
    pub(crate) fn cells(self) -> io::Result<Vec<(Key, Cell)>> {
        let bytes = match self {
            Self::Cells(cells) => return Ok(cells),
            Self::Packed(bytes) => bytes,
        };
        let mut left = &bytes[..];
        (0..number(&mut left)?).map(|_| cell(&mut left)).collect()
    }
}

impl Spool {
    /// Keeps cells in a file without a name in a folder: it is gone when the process is.
    ///
    /// # Errors
    /// When the folder takes none.
    pub(crate) fn within(folder: &Path) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(folder)?, lengths: Vec::new(), bytes: Vec::new() })
    }

    /// # Errors
    /// When the disk is full.
    pub(crate) fn add(&mut self, cells: &[(Key, Cell)]) -> io::Result<()> {
        cells.chunks(BATCH).try_for_each(|batch| self.add_batch(batch))
    }

    fn add_batch(&mut self, cells: &[(Key, Cell)]) -> io::Result<()> {
        self.bytes.clear();
        self.number(cells.len() as u64);
        for (key, cell) in cells {
            let Key { end_s, intended_s, is_warm_up, label, leg, population } = *key;
            self.number(end_s as u64);
            self.number(intended_s as u64);
            self.number(u64::from(label));
            self.bytes.extend_from_slice(&[leg, population, u8::from(is_warm_up), u8::from(cell.is_response)]);
            self.number(cell.count);
            self.number(cell.bytes);
            self.number(cell.outcomes.len() as u64);
            for (outcome, count) in &cell.outcomes {
                self.bytes.push(*outcome as u8);
                self.number(*count);
            }
            self.number(cell.times().len() as u64);
            for (took, count) in cell.times() {
                self.number(*took as u64);
                self.number(*count);
            }
        }
        self.file.write_all(&self.bytes)?;
        self.lengths.push(self.bytes.len());
        Ok(())
    }

    fn number(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// All of them again, in the same order.
    ///
    /// # Errors
    /// When the disk does not give back what it took.
    pub(crate) fn read(self) -> io::Result<impl Iterator<Item = io::Result<Batch>>> {
        let Self { mut file, lengths, .. } = self;
        file.seek(SeekFrom::Start(0))?;
        Ok(lengths.into_iter().map(move |length| {
            let mut bytes = vec![0; length];
            file.read_exact(&mut bytes)?;
            Ok(Batch::Packed(bytes))
        }))
    }
}

fn number(reader: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    reader.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn cell(reader: &mut impl Read) -> io::Result<(Key, Cell)> {
    let (end_s, intended_s) = (number(reader)? as i64, number(reader)? as i64);
    let label = number(reader)? as u32;
    let mut small = [0; 4];
    reader.read_exact(&mut small)?;
    let [leg, population, is_warm_up, is_response] = small;
    let counts = [number(reader)?, number(reader)?];
    let outcome = |reader: &mut _| {
        let mut number_of = [0];
        Read::read_exact(reader, &mut number_of)?;
        let known = Outcome::from_number(number_of[0]);
        Ok::<_, io::Error>((
            known.ok_or_else(|| io::Error::other("what was kept comes back changed"))?,
            number(reader)?,
        ))
    };
    let outcomes = (0..number(reader)?).map(|_| outcome(reader)).collect::<io::Result<_>>()?;
    let times = (0..number(reader)?).map(|_| Ok((number(reader)? as i64, number(reader)?)));
    let times = times.collect::<io::Result<_>>()?;
    let key = Key { end_s, intended_s, is_warm_up: is_warm_up != 0, label, leg, population };
    Ok((key, Cell::new(counts, outcomes, is_response != 0, times)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let key = Key { end_s: -1, intended_s: i64::MAX, is_warm_up: true, label: 300, leg: 3, population: 1 };
        let outcomes = vec![(Outcome::Ok, u64::MAX), (Outcome::Fault, 1)];
        let cells = [
            (key, Cell::new([7, u64::MAX], outcomes, true, vec![(0, 1), (i64::MAX, u64::MAX)])),
            (Key { is_warm_up: false, leg: 0, ..key }, Cell::new([0, 0], vec![], false, vec![])),
        ];
        let many: Vec<_> = std::iter::repeat_n(cells[1].clone(), BATCH + 1).collect();
        let mut spool = Spool::within(folder.path()).unwrap();
        [&cells[..], &[], &cells[..1], &many].iter().for_each(|cells| spool.add(cells).unwrap());
        let batches = [&cells[..], &cells[..1], &many[..BATCH], &many[BATCH..]];
        let read = spool.read().unwrap().map(|batch| batch.and_then(Batch::cells));
        assert_eq!(read.collect::<io::Result<Vec<_>>>().unwrap(), batches);
    }
}
