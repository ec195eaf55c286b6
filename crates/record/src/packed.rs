//! Rows by what they belong to, packed: what a judge of a long run keeps of it.
//!
//! A group's rows stand behind each other in the forms of a block. Once all groups together are longer than the room
//! that they may take, they go to a file without a name in the system's folder for such (`TMPDIR`), so that memory does
//! not grow with the length of a run, and reading a group reads nothing else.

use crate::RecordError;
use crate::encoding::Input;
use crate::row::Row;
use std::collections::BTreeMap;
use std::fs::File;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// What a group of rows belongs to, such as step, exchange and leg.
pub type Group = [u32; 3];

/// A chunk is as long as this, and a row.
const CHUNK: usize = 64 * 1024;

/// Kind of row and group.
type Key = (u8, Group);

#[derive(Debug)]
struct Chunk {
    bytes: Bytes,
    /// Least and greatest moment of its rows.
    from: i64,
    to: i64,
}

#[derive(Debug)]
enum Bytes {
    Held(Vec<u8>),
    /// Place in the file, and length.
    Stored(u64, usize),
}

impl Chunk {
    /// Bytes in memory.
    fn held(&self) -> usize {
        if let Bytes::Held(bytes) = &self.bytes { bytes.capacity() } else { 0 }
    }
}

/// Rows of all kinds by kind and group, each group in the order in which its rows were pushed.
#[derive(Debug)]
pub struct Packed {
    groups: BTreeMap<Key, Vec<Chunk>>,
    /// Bytes that are held, and how many may be.
    held: usize,
    room: usize,
    file: Option<File>,
    file_bytes: u64,
    /// Why the file could not be read, if it could not.
    failure: OnceLock<RecordError>,
}

impl Packed {
    /// Nothing yet; `room` is how many bytes may be held in memory.
    pub fn new(room: usize) -> Self {
        Self { groups: BTreeMap::new(), held: 0, room, file: None, file_bytes: 0, failure: OnceLock::new() }
    }

    /// Adds a row, and the moment by which [`Packed::rows_between`] finds it, in whatever unit its kind has.
    ///
    /// # Errors
    /// [`RecordError::Io`] where the file cannot be made or written: its disk is full.
    pub fn push<T: Row>(&mut self, group: Group, at: i64, row: &T) -> Result<(), RecordError> {
        let chunks = self.groups.entry((T::KIND, group)).or_default();
        if !matches!(chunks.last(), Some(Chunk { bytes: Bytes::Held(bytes), .. }) if bytes.len() < CHUNK) {
            chunks.push(Chunk { bytes: Bytes::Held(Vec::new()), from: at, to: at });
        }
        if let Some(Chunk { bytes: Bytes::Held(bytes), from, to }) = chunks.last_mut() {
            let before = bytes.capacity();
            row.put(bytes);
            self.held += bytes.capacity() - before;
            (*from, *to) = ((*from).min(at), (*to).max(at));
        }
        if self.held > self.room { self.store() } else { Ok(()) }
    }

    /// Takes all rows of a kind out again.
    pub fn clear<T: Row>(&mut self) {
        let groups = std::mem::take(&mut self.groups);
        let (gone, kept) = groups.into_iter().partition(|((kind, _), _)| *kind == T::KIND);
        self.groups = kept;
        let gone: BTreeMap<Key, Vec<Chunk>> = gone;
        self.held -= gone.values().flatten().map(Chunk::held).sum::<usize>();
    }

    /// Takes the rows of a group out again.
    pub fn clear_group<T: Row>(&mut self, group: Group) {
        let gone = self.groups.remove(&(T::KIND, group)).unwrap_or_default();
        self.held -= gone.iter().map(Chunk::held).sum::<usize>();
    }

    /// Groups of a kind that have rows, within these bounds, in order.
    pub fn groups<T: Row>(&self, first: Group, last: Group) -> impl Iterator<Item = Group> {
        self.groups.range((T::KIND, first)..=(T::KIND, last)).map(|((_, group), _)| *group)
    }

    /// The rows of a group; none where it has none.
    pub fn rows<T: Row>(&self, group: Group) -> PackedRows<'_, T> {
        self.rows_between(group, i64::MIN, i64::MAX)
    }

    /// As [`Packed::rows`], without most of the rows that lie outside two moments, both inclusive.
    pub fn rows_between<T: Row>(&self, group: Group, from: i64, to: i64) -> PackedRows<'_, T> {
        let chunks = self.groups.get(&(T::KIND, group)).map_or(&[][..], Vec::as_slice).iter();
        PackedRows { packed: self, chunks, within: (from, to), read: Vec::new(), left: &[], at: 0, of: PhantomData }
    }

    /// Why rows were missed: the file could not be read any more. To be asked when everything was read.
    pub fn failure(&self) -> Option<&RecordError> {
        self.failure.get()
    }

    #[cfg(test)]
    fn stored(&self) -> u64 {
        self.file_bytes
    }

    /// Writes what is held to the file.
    fn store(&mut self) -> Result<(), RecordError> {
        let folder = std::env::temp_dir();
        let refused = |doing| {
            let folder = folder.clone();
            move |error: std::io::Error| RecordError::io(doing, &folder)(error)
        };
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile_in(&folder).map_err(refused("keep rows in"))?);
        }
        let Some(file) = &self.file else { return Ok(()) };
        for chunk in self.groups.values_mut().flatten() {
            if let Bytes::Held(bytes) = &chunk.bytes {
                file.write_all_at(bytes, self.file_bytes).map_err(refused("keep rows in"))?;
                let (place, length) = (self.file_bytes, bytes.len());
                self.file_bytes += length as u64;
                chunk.bytes = Bytes::Stored(place, length);
            }
        }
        self.held = 0;
        Ok(())
    }

    /// Reads a chunk from the file into `into`; empty where that fails, which [`Packed::failure`] tells.
    fn read(&self, place: u64, length: usize, into: &mut Vec<u8>) {
        into.clear();
        into.resize(length, 0);
        let read = self.file.as_ref().map_or(Ok(()), |file| file.read_exact_at(into, place));
        if let Err(error) = read {
            into.clear();
            // The first is told; a second would say the same.
            let _ = self.failure.set(RecordError::io("read rows again from", &std::env::temp_dir())(error));
        }
    }
}

/// The rows of a group, unpacked one by one.
pub struct PackedRows<'a, T> {
    packed: &'a Packed,
    chunks: std::slice::Iter<'a, Chunk>,
    within: (i64, i64),
    /// The chunk at hand, if it was read from the file, and how far it is used.
    read: Vec<u8>,
    at: usize,
    /// What is left of the chunk at hand, if it is held.
    left: &'a [u8],
    of: PhantomData<T>,
}

impl<T: Row> Iterator for PackedRows<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        loop {
            if !self.left.is_empty() {
                let mut input = Input(self.left);
                let row = T::take(&mut input);
                self.left = if row.is_some() { input.0 } else { &[] };
                return row;
            }
            if self.at < self.read.len() {
                let mut input = Input(&self.read[self.at..]);
                let row = T::take(&mut input);
                self.at = if row.is_some() { self.read.len() - input.0.len() } else { self.read.len() };
                return row;
            }
            let chunk = self.chunks.next()?;
            if chunk.to < self.within.0 || chunk.from > self.within.1 {
                continue;
            }
            match &chunk.bytes {
                Bytes::Held(bytes) => self.left = bytes,
                Bytes::Stored(place, length) => {
                    self.packed.read(*place, *length, &mut self.read);
                    self.at = 0;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use recorder::{IterationRow, OutcomeRow};
    use terms::{Books, Outcome};

    fn row(step: u32, second: i64, completed: u64) -> IterationRow {
        let books = Books { intended: completed, started: completed, completed, ..Books::default() };
        IterationRow { step, stream: 3, intended_s: second, end_s: second + 1, books }
    }

    proptest! {
        /// Whatever is held and whatever is stored, a group has its own rows in their order.
        #[test]
        fn every_group_has_its_own_rows_in_order(
            steps in prop::collection::vec((0u32..5, -9i64..9, 0u64..1 << 40), 0..400),
            room in prop_oneof![Just(0usize), 0usize..9000, Just(usize::MAX)],
        ) {
            let mut packed = Packed::new(room);
            for (step, second, completed) in &steps {
                packed.push([*step, 0, 0], *second, &row(*step, *second, *completed)).unwrap();
                let other = OutcomeRow { step: *step, exchange: 1, leg: 0, stream: 0, outcome: Outcome::Wrong,
                    intended_s: *second, end_s: *second, count: *completed };
                packed.push([*step, 1, 0], *second, &other).unwrap();
            }
            for step in 0..5 {
                let expected: Vec<IterationRow> = steps.iter().filter(|(own, ..)| *own == step)
                    .map(|(step, second, completed)| row(*step, *second, *completed)).collect();
                let found: Vec<IterationRow> = packed.rows([step, 0, 0]).collect();
                prop_assert_eq!(&found, &expected);
                prop_assert_eq!(packed.rows::<OutcomeRow>([step, 1, 0]).count(), expected.len());
            }
            prop_assert!(packed.held <= room.max(1));
            packed.clear::<IterationRow>();
            prop_assert_eq!(packed.groups::<IterationRow>([0; 3], [u32::MAX; 3]).count(), 0);
            prop_assert_eq!(packed.groups::<OutcomeRow>([0; 3], [u32::MAX; 3]).count() > 0, !steps.is_empty());
            prop_assert_eq!(packed.failure(), None);
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_again_is_told() {
        let mut packed = Packed::new(0);
        (0..100).for_each(|second| packed.push([0; 3], second, &row(0, second, 5)).unwrap());
        packed.file.as_ref().unwrap().set_len(10).unwrap();
        assert!(packed.rows::<IterationRow>([0; 3]).count() < 100);
        assert!(packed.failure().unwrap().to_string().starts_with("cannot read rows again from"));
    }

    #[test]
    fn long_groups_are_cut_into_chunks_and_short_ones_take_little() {
        let mut packed = Packed::new(1 << 20);
        (0..200_000).for_each(|second| packed.push([0; 3], second, &row(0, second, 1000)).unwrap());
        assert!(packed.stored() > 1 << 20, "{}", packed.stored());
        assert!(packed.held <= 1 << 20);
        assert_eq!(packed.rows::<IterationRow>([0; 3]).count(), 200_000);
        let near: Vec<i64> =
            packed.rows_between::<IterationRow>([0; 3], 70_000, 70_010).map(|row| row.intended_s).collect();
        assert!((70_000..=70_010).all(|second| near.contains(&second)));
        assert!(near.len() < 20_000, "{} rows were read for eleven", near.len());
    }
}
