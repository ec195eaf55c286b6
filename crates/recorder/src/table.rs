//! A data set: one copy for all threads. A small one is held in memory, columns as one run of bytes each; of a large
//! one only its size is known here, and its rows are read when they are needed.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Rows of a data set. Columns that are held have their cells end to end, so a hundred thousand rows are a handful of
/// allocations.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Name of the data set.
    pub name: String,
    /// Names of the columns, in the file's order.
    pub columns: Vec<String>,
    cells: Vec<Column>,
    /// Where the rows are, when they are not held.
    elsewhere: Option<Arc<dyn Rows>>,
    rows: usize,
    /// Picks random rows when set, else row = iteration number modulo rows.
    pub pick: Pick,
}

/// How an iteration gets its row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pick {
    /// Row i serves iteration i modulo the number of rows.
    #[default]
    InTurn,
    /// A row by hash of this seed and the iteration number.
    Random {
        /// Seed of the draw.
        seed: u64,
    },
    /// Every row once, in an order by hash of this seed; then every row again, in another order.
    Shuffled {
        /// Seed of the orders.
        seed: u64,
    },
}

/// Rows that are read when they are needed.
pub trait Rows: fmt::Debug + Send + Sync {
    /// Reads a row into `into`; `false` when it cannot be read, or has other columns than before.
    fn read(&self, row: usize, into: &mut Row) -> bool;
}

/// One row as it was read, and the room that reading needs: kept by whoever reads, so that nothing is allocated for
/// each row.
#[derive(Debug, Default)]
pub struct Row {
    /// Cells end to end.
    pub cells: Vec<u8>,
    /// Where each cell ends.
    pub ends: Vec<usize>,
    /// A piece of the file.
    pub piece: Vec<u8>,
    /// Where that piece begins in the file.
    pub piece_at: Option<u64>,
    /// Which rows of which table `cells` are, by the table's address.
    held: Option<(usize, usize)>,
}

/// Cells of one column. A table that is held is far below 4 GiB.
#[derive(Clone, Debug, Default)]
struct Column {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(name: impl Into<String>, columns: Vec<String>) -> Self {
        let cells = vec![Column::default(); columns.len()];
        Self { name: name.into(), columns, cells, elsewhere: None, rows: 0, pick: Pick::InTurn }
    }

    /// Adds a row; it must have as many cells as there are columns.
    pub fn push<'a>(&mut self, row: impl ExactSizeIterator<Item = &'a [u8]>) {
        assert_eq!(row.len(), self.cells.len(), "the reader refuses rows of another length");
        for (column, cell) in self.cells.iter_mut().zip(row) {
            column.bytes.extend_from_slice(cell);
            column.ends.push(u32::try_from(column.bytes.len()).expect("a larger table is read by `Rows`"));
        }
        self.rows += 1;
    }

    /// The same columns with so many rows, which are read when they are needed.
    #[must_use]
    pub fn read_by(self, rows: usize, elsewhere: Arc<dyn Rows>) -> Self {
        Self { cells: Vec::new(), elsewhere: Some(elsewhere), rows, ..self }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Number of a column.
    pub fn column(&self, name: &str) -> Option<u16> {
        self.columns.iter().position(|column| column == name).map(|index| index as u16)
    }

    /// The row that serves an iteration.
    pub fn row_of(&self, iteration: u64) -> usize {
        let rows = self.rows.max(1) as u64;
        (match self.pick {
            Pick::InTurn => iteration % rows,
            Pick::Random { seed } => terms::seed::hash(seed, iteration) % rows,
            Pick::Shuffled { seed } => shuffled(iteration % rows, rows, terms::seed::hash(seed, iteration / rows)),
        }) as usize
    }

    /// A cell; empty when row or column are missing. For the hot path there is [`Table::append`].
    pub fn cell(&self, row: usize, column: u16) -> Cow<'_, [u8]> {
        if self.elsewhere.is_none() {
            return Cow::Borrowed(self.held(row, column));
        }
        let mut found = Vec::new();
        self.append(row, column, &mut Row::default(), &mut found);
        Cow::Owned(found)
    }

    /// Appends a cell to `into`; nothing when row or column are missing. `false` when the row cannot be read any more.
    pub fn append(&self, row: usize, column: u16, buffer: &mut Row, into: &mut Vec<u8>) -> bool {
        let Some(elsewhere) = &self.elsewhere else {
            into.extend_from_slice(self.held(row, column));
            return true;
        };
        if row >= self.rows {
            return true;
        }
        let this = (Arc::as_ptr(elsewhere).cast::<u8>() as usize, row);
        if buffer.held != Some(this) {
            if buffer.held.is_none_or(|(table, _)| table != this.0) {
                buffer.piece_at = None;
            }
            buffer.held = None;
            if !elsewhere.read(row, buffer) {
                return false;
            }
            buffer.held = Some(this);
        }
        let column = usize::from(column);
        let start = if column == 0 { 0 } else { buffer.ends.get(column - 1).copied().unwrap_or(usize::MAX) };
        let found = buffer.ends.get(column).and_then(|&end| buffer.cells.get(start..end));
        into.extend_from_slice(found.unwrap_or_default());
        true
    }

    fn held(&self, row: usize, column: u16) -> &[u8] {
        let Some(column) = self.cells.get(usize::from(column)) else { return &[] };
        let Some(&end) = column.ends.get(row) else { return &[] };
        let start = if row == 0 { 0 } else { column.ends[row - 1] };
        &column.bytes[start as usize..end as usize]
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        self.cells.iter().map(|column| column.bytes.len() + column.ends.len() * size_of::<u32>()).sum()
    }
}

/// Where `index` of `0..count` goes in an order of that seed: no two go to the same place, and nothing is held in memory.
///
/// A Feistel network of four rounds is a permutation of the numbers of twice `half` bits; one that lands outside of
/// `0..count` goes through it again until it lands within, which takes fewer than four steps on average.
/// Source: J. Black, P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002, section 4 (cycle walking).
fn shuffled(index: u64, count: u64, seed: u64) -> u64 {
    let half = (u64::BITS - (count - 1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1u64 << half) - 1;
    let mut at = index;
    loop {
        let (mut left, mut right) = (at >> half, at & mask);
        for round in 0..4 {
            (left, right) = (right, left ^ (terms::seed::hash(terms::seed::hash(seed, round), right) & mask));
        }
        at = left << half | right;
        if at < count {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_i_serves_iteration_i_modulo_the_rows() {
        let mut table = Table::new("ids", vec!["id".into(), "class".into()]);
        for row in [["a", "x"], ["bb", ""], ["ccc", "z"]] {
            table.push(row.iter().map(|cell| cell.as_bytes()));
        }
        assert_eq!(&*table.cell(table.row_of(4), 0), b"bb");
        assert_eq!(&*table.cell(table.row_of(4), 1), b"");
        assert_eq!(&*table.cell(2, 1), b"z");
        assert_eq!(&*table.cell(3, 1), b"");
        table.pick = Pick::Shuffled { seed: 9 };
        let mut pass: Vec<usize> = (6..9).map(|iteration| table.row_of(iteration)).collect();
        pass.sort_unstable();
        assert_eq!(pass, [0, 1, 2], "every row once");
        table.pick = Pick::Random { seed: 9 };
        assert_eq!(table.row_of(7), table.row_of(7));
    }

    #[test]
    fn a_shuffled_order_has_every_row_once_whatever_their_number() {
        for count in [1, 2, 3, 7, 64, 65, 1000] {
            let mut order: Vec<u64> = (0..count).map(|index| shuffled(index, count, 5)).collect();
            let is_another = order != (0..count).map(|index| shuffled(index, count, 6)).collect::<Vec<_>>();
            let is_mixed = order.iter().zip(0..).filter(|(place, index)| *place == index).count() * 10 < order.len();
            assert!(count < 64 || (is_another && is_mixed), "{count}");
            order.sort_unstable();
            assert_eq!(order, (0..count).collect::<Vec<_>>());
        }
        // Where the first of four rows goes, over many seeds: 2500 of each expected, standard deviation 43.
        let mut places = [0u32; 4];
        (0..10_000).for_each(|seed| places[shuffled(0, 4, terms::seed::hash(1, seed)) as usize] += 1);
        assert!(places.iter().all(|place| place.abs_diff(2500) < 220), "{places:?}");
        assert!(shuffled(u64::from(u32::MAX), 1 << 40, 3) < 1 << 40);
    }

    /// Row k is `k`, `k²`; those from 90 on cannot be read any more.
    #[derive(Debug)]
    struct Squares;

    impl Rows for Squares {
        fn read(&self, row: usize, into: &mut Row) -> bool {
            let (one, two) = (row.to_string(), (row * row).to_string());
            into.cells = [one.as_bytes(), two.as_bytes()].concat();
            into.ends = vec![one.len(), into.cells.len()];
            row < 90
        }
    }

    #[test]
    fn rows_that_are_elsewhere_are_read_when_they_are_needed() {
        let table = Table::new("squares", vec!["n".into(), "square".into()]).read_by(100, Arc::new(Squares));
        assert_eq!((table.len(), table.bytes()), (100, 0));
        let (mut row, mut text) = (Row::default(), Vec::new());
        assert!(table.append(7, 1, &mut row, &mut text) && table.append(7, 0, &mut row, &mut text));
        assert!(table.append(12, 1, &mut row, &mut text) && table.append(100, 0, &mut row, &mut text));
        assert_eq!(text, b"497144");
        assert!(!table.append(95, 0, &mut row, &mut text), "the file is another by now");
        assert_eq!(&*table.cell(5, 1), b"25");
        assert_eq!(&*table.cell(5, 2), b"");
    }
}
