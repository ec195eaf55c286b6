//! Calls between a file and its rows: on a disk, in a form that is read again as fast as it can be.
//!
//! A row needs to know when the run began, which label has which number, and which limits a study counts; all of that is
//! known when the last line has been read. Reading the text twice would take longer than writing this once.

use crate::call::Time;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use terms::{Nanos, Outcome};

/// Bytes of a call.
const LENGTH: usize = 48;
/// What stands for a time that the tool does not have.
const NONE: i64 = -1;

/// A call without texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) start: Nanos,
    pub(crate) took: Nanos,
    pub(crate) first_byte: Option<Nanos>,
    pub(crate) connect: Option<Nanos>,
    pub(crate) bytes: u64,
    pub(crate) label: u16,
    pub(crate) outcome: Outcome,
    pub(crate) time: Time,
    pub(crate) count: u32,
}

impl Kept {
    fn to_bytes(self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        let times = [Some(self.start), Some(self.took), self.first_byte, self.connect];
        for (place, time) in bytes.chunks_exact_mut(8).zip(times) {
            place.copy_from_slice(&time.map_or(NONE, |time| time.0).to_le_bytes());
        }
        bytes[32..40].copy_from_slice(&self.bytes.to_le_bytes());
        bytes[40..42].copy_from_slice(&self.label.to_le_bytes());
        bytes[42] = self.outcome as u8;
        bytes[43] = self.time as u8;
        bytes[44..48].copy_from_slice(&self.count.to_le_bytes());
        bytes
    }

    fn of(bytes: &[u8; LENGTH]) -> Option<Self> {
        let number = |from: usize| bytes[from..from + 8].try_into().map(i64::from_le_bytes).unwrap_or(NONE);
        let time = |from: usize| Some(number(from)).filter(|nanos| *nanos != NONE).map(Nanos);
        Some(Self {
            start: Nanos(number(0)),
            took: Nanos(number(8)),
            first_byte: time(16),
            connect: time(24),
            bytes: number(32) as u64,
            label: u16::from_le_bytes([bytes[40], bytes[41]]),
            outcome: Outcome::from_number(bytes[42])?,
            time: *[Time::Service, Time::Response, Time::Unknown].get(usize::from(bytes[43]))?,
            count: u32::from_le_bytes([bytes[44], bytes[45], bytes[46], bytes[47]]),
        })
    }
}

/// Takes calls.
pub(crate) struct Spool(BufWriter<File>);

impl Spool {
    /// Keeps calls in a file without a name in a folder: it is gone when the process is.
    ///
    /// # Errors
    /// When the folder takes none.
    pub(crate) fn within(folder: &Path) -> io::Result<Self> {
        Ok(Self(BufWriter::with_capacity(1 << 20, tempfile::tempfile_in(folder)?)))
    }

    /// # Errors
    /// When the disk is full.
    pub(crate) fn add(&mut self, call: Kept) -> io::Result<()> {
        self.0.write_all(&call.to_bytes())
    }

    /// All of them again, in the same order.
    ///
    /// # Errors
    /// When the disk is full, or does not give back what it took.
    pub(crate) fn read(self) -> io::Result<impl Iterator<Item = io::Result<Kept>>> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let mut bytes = [0; LENGTH];
        Ok(std::iter::from_fn(move || match reader.read_exact(&mut bytes) {
            Ok(()) => Some(Kept::of(&bytes).ok_or_else(|| io::Error::other("what was kept comes back changed"))),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
            Err(error) => Some(Err(error)),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let call = Kept {
            start: Nanos(1_795_690_680_123_000_000),
            took: Nanos(7),
            first_byte: Some(Nanos(0)),
            connect: None,
            bytes: u64::MAX,
            label: 65_535,
            outcome: Outcome::Fault,
            time: Time::Unknown,
            count: u32::MAX,
        };
        let mut spool = Spool::within(folder.path()).unwrap();
        let calls = [call, Kept { outcome: Outcome::Ok, connect: Some(Nanos(3)), ..call }];
        calls.into_iter().for_each(|call| spool.add(call).unwrap());
        assert_eq!(spool.read().unwrap().collect::<io::Result<Vec<_>>>().unwrap(), calls);
    }
}
