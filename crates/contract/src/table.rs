//! A data set in memory: one copy for all threads, columns as one run of bytes each.

/// Rows of a data set. Columns hold their cells end to end, so a million rows are a handful of allocations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Name of the data set.
    pub name: String,
    /// Names of the columns, in the file's order.
    pub columns: Vec<String>,
    cells: Vec<Column>,
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
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Column {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(name: impl Into<String>, columns: Vec<String>) -> Self {
        let cells = vec![Column::default(); columns.len()];
        Self { name: name.into(), columns, cells, rows: 0, pick: Pick::InTurn }
    }

    /// Adds a row; it must have as many cells as there are columns.
    pub fn push<'a>(&mut self, row: impl ExactSizeIterator<Item = &'a [u8]>) {
        assert_eq!(row.len(), self.cells.len(), "the reader refuses rows of another length");
        for (column, cell) in self.cells.iter_mut().zip(row) {
            column.bytes.extend_from_slice(cell);
            column.ends.push(column.bytes.len());
        }
        self.rows += 1;
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
        }) as usize
    }

    /// A cell; empty when row or column are not there.
    pub fn cell(&self, row: usize, column: u16) -> &[u8] {
        let Some(column) = self.cells.get(usize::from(column)) else { return &[] };
        let Some(&end) = column.ends.get(row) else { return &[] };
        let start = if row == 0 { 0 } else { column.ends[row - 1] };
        &column.bytes[start..end]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.cells.iter().map(|column| column.bytes.len() + column.ends.len() * size_of::<usize>()).sum()
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
        assert_eq!(table.cell(table.row_of(4), 0), b"bb");
        assert_eq!(table.cell(table.row_of(4), 1), b"");
        assert_eq!(table.cell(2, 1), b"z");
        assert_eq!(table.cell(3, 1), b"");
        table.pick = Pick::Random { seed: 9 };
        assert_eq!(table.row_of(7), table.row_of(7));
    }
}
