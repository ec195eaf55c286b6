//! Reading a table, some rows of every column at a time.

use super::guard::{BATCH_ROWS, BATCH_ROWS_OF_LISTS, BatchBudget, Guarded, Pages};
use super::{Budget, Column, Kind, RUN_KEY};
use crate::RecordError;
use crate::encoding::{TEXT_BYTES_MAX, checked};
use crate::files::open_regular;
use parquet::column::reader::{ColumnReaderImpl, get_column_reader, get_typed_column_reader};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use terms::{Buckets, Nanos, SparseHistogram};

/// A column's decoder and what it has decoded and not handed out.
struct Source<T: DataType> {
    reader: ColumnReaderImpl<T>,
    budget: BatchBudget,
    values: Vec<T::T>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
    value: usize,
    level: usize,
}

impl<T: DataType> Source<T> {
    fn open(group: &dyn RowGroupReader, number: usize) -> Result<Self> {
        let (pages, budget) = Pages::new(group.get_column_page_reader(number)?);
        let column = group.metadata().column(number).column_descr_ptr();
        let reader = get_typed_column_reader::<T>(get_column_reader(column, Box::new(pages)));
        Ok(Self {
            reader,
            budget,
            values: Vec::new(),
            definition: Vec::new(),
            repetition: Vec::new(),
            value: 0,
            level: 0,
        })
    }

    /// Decodes more rows, all of the old ones being used up. Returns their number.
    fn fill(&mut self, most: usize) -> Result<usize> {
        self.budget.renew();
        (self.value, self.level) = (0, 0);
        self.values.clear();
        self.definition.clear();
        self.repetition.clear();
        let mut rows = 0;
        // One call ends at a page's end; short only means that there is more to ask for.
        while rows < most {
            let (more, _, _) = self.reader.read_records(
                most - rows,
                Some(&mut self.definition),
                Some(&mut self.repetition),
                &mut self.values,
            )?;
            if more == 0 {
                break;
            }
            rows += more;
        }
        Ok(rows)
    }

    fn next(&mut self) -> Option<T::T> {
        self.value += 1;
        self.values.get_mut(self.value - 1).map(std::mem::take)
    }

    fn next_or_null(&mut self) -> Option<Option<T::T>> {
        self.level += 1;
        match self.definition.get(self.level - 1)? {
            0 => Some(None),
            _ => self.next().map(Some),
        }
    }

    /// The next list, where it was decoded to.
    fn next_list(&mut self) -> Option<&[T::T]> {
        let levels = self.definition.get(self.level..).filter(|levels| !levels.is_empty())?;
        // A place with repetition 0 begins the next one.
        let later = self.repetition.get(self.level + 1..).unwrap_or_default();
        let length = later.iter().position(|repetition| *repetition == 0).unwrap_or(later.len()) + 1;
        let count = levels.get(..length)?.iter().filter(|definition| **definition > 0).count();
        if count > Buckets::LEN {
            return None;
        }
        let from = self.value;
        self.level += length;
        self.value += count;
        self.values.get(from..self.value)
    }
}

enum Cell {
    Int(Source<Int64Type>),
    Float(Source<DoubleType>),
    Flag(Source<BoolType>),
    Bytes(Source<ByteArrayType>),
    /// A column that the file's writer did not know yet.
    Absent,
}

impl Cell {
    fn open(column: &Column, group: &dyn RowGroupReader, number: usize) -> Result<Self> {
        Ok(match column.kind {
            Kind::Int | Kind::IntOrNull | Kind::Ints => Self::Int(Source::open(group, number)?),
            Kind::Float | Kind::FloatOrNull => Self::Float(Source::open(group, number)?),
            Kind::Flag => Self::Flag(Source::open(group, number)?),
            Kind::Text | Kind::TextOrNull | Kind::BytesOrNull => Self::Bytes(Source::open(group, number)?),
        })
    }

    fn fill(&mut self, most: usize) -> Result<usize> {
        match self {
            Self::Int(source) => source.fill(most),
            Self::Float(source) => source.fill(most),
            Self::Flag(source) => source.fill(most),
            Self::Bytes(source) => source.fill(most),
            Self::Absent => Ok(0),
        }
    }

    /// Bytes that its values take beside the rows themselves: texts and lists, and for all others as much as whoever
    /// sorts rows by what they are about takes once more.
    fn bytes(&self) -> u64 {
        match self {
            Self::Int(source) => 8 * source.values.len() as u64,
            Self::Float(source) => 8 * source.values.len() as u64,
            Self::Flag(source) => source.values.len() as u64,
            Self::Bytes(source) => source.values.iter().map(|value| 24 + value.len() as u64).sum(),
            Self::Absent => 0,
        }
    }
}

/// The cells of one row, taken in the order of the columns. `None` where the file is not what it should be.
pub(crate) struct Cells {
    cells: Vec<Cell>,
    next: usize,
}

impl Cells {
    fn cell(&mut self) -> Option<&mut Cell> {
        self.next += 1;
        self.cells.get_mut(self.next - 1)
    }

    pub(crate) fn int(&mut self) -> Option<i64> {
        match self.cell()? {
            Cell::Int(source) => source.next(),
            _ => None,
        }
    }

    pub(crate) fn count(&mut self) -> Option<u64> {
        self.int().map(|value| value as u64)
    }

    /// A whole number that fits a smaller type.
    pub(crate) fn small<T: TryFrom<i64>>(&mut self) -> Option<T> {
        T::try_from(self.int()?).ok()
    }

    pub(crate) fn nanos(&mut self) -> Option<Nanos> {
        self.int().map(Nanos)
    }

    pub(crate) fn int_or_null(&mut self) -> Option<Option<i64>> {
        match self.cell()? {
            Cell::Absent => Some(None),
            Cell::Int(source) => source.next_or_null(),
            _ => None,
        }
    }

    pub(crate) fn float(&mut self) -> Option<f64> {
        match self.cell()? {
            Cell::Float(source) => source.next(),
            _ => None,
        }
    }

    pub(crate) fn float_or_null(&mut self) -> Option<Option<f64>> {
        match self.cell()? {
            Cell::Float(source) => source.next_or_null(),
            _ => None,
        }
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.cell()? {
            Cell::Flag(source) => source.next(),
            _ => None,
        }
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let bytes: ByteArray = match self.cell()? {
            Cell::Bytes(source) => source.next()?,
            _ => return None,
        };
        bytes.as_utf8().ok().filter(|text| text.len() <= TEXT_BYTES_MAX).map(str::to_owned)
    }

    pub(crate) fn text_or_null(&mut self) -> Option<Option<String>> {
        let bytes: Option<ByteArray> = match self.cell()? {
            Cell::Absent => None,
            Cell::Bytes(source) => source.next_or_null()?,
            _ => return None,
        };
        let Some(bytes) = bytes else { return Some(None) };
        bytes.as_utf8().ok().filter(|text| text.len() <= TEXT_BYTES_MAX).map(|text| Some(text.to_owned()))
    }

    pub(crate) fn counts(&mut self) -> Option<Vec<u64>> {
        let list = match self.cell()? {
            Cell::Int(source) => source.next_list()?,
            _ => return None,
        };
        Some(list.iter().map(|value| *value as u64).collect())
    }

    /// Two lists beside each other.
    fn lists(&mut self) -> Option<(&[i64], &[i64])> {
        let at = self.next;
        self.next += 2;
        match self.cells.get_mut(at..self.next)? {
            [Cell::Int(one), Cell::Int(other)] => Some((one.next_list()?, other.next_list()?)),
            _ => None,
        }
    }

    pub(crate) fn histogram(&mut self) -> Option<SparseHistogram> {
        let (min, max, sum_ns) = (self.int_or_null()?, self.int_or_null()?, self.float_or_null()?);
        let (indexes, counts) = self.lists()?;
        if indexes.len() != counts.len() {
            return None;
        }
        if indexes.is_empty() {
            return Some(SparseHistogram::default());
        }
        let pairs = indexes.iter().zip(counts);
        let pairs = pairs.map(|(index, count)| Some((u32::try_from(*index).ok()?, *count as u64)));
        let buckets = pairs.collect::<Option<Vec<_>>>()?;
        checked(SparseHistogram { buckets, min: Nanos(min?), max: Nanos(max?), sum_ns: sum_ns? })
    }
}

/// Reads one table row by row.
pub(crate) struct TableReader {
    path: PathBuf,
    file: SerializedFileReader<Guarded>,
    budget: Arc<Budget>,
    /// Bytes that its rows take so far.
    bytes: u64,
    batch: usize,
    columns: Vec<Column>,
    /// Groups of rows that are still to be read.
    groups: Range<usize>,
    cells: Cells,
    /// Rows that are decoded and not handed out.
    ready: usize,
    row: u64,
    is_over: bool,
}

impl TableReader {
    /// Opens a table; `columns` as they were written.
    pub(crate) fn open(path: &Path, mut columns: Vec<Column>, budget: Arc<Budget>) -> Result<Self, RecordError> {
        let file = open_regular(path).map_err(RecordError::io("read", path))?;
        let file = guarded(path, || SerializedFileReader::new(Guarded::new(file)))?;
        let groups = 0..file.num_row_groups();
        columns.retain(|column| !column.is_label);
        let cells = Cells { cells: Vec::new(), next: 0 };
        let has_lists = columns.iter().any(|column| column.kind == Kind::Ints);
        let batch = if has_lists { BATCH_ROWS_OF_LISTS } else { BATCH_ROWS };
        Ok(Self {
            path: path.to_owned(),
            file,
            budget,
            bytes: 0,
            batch,
            columns,
            groups,
            cells,
            ready: 0,
            row: 0,
            is_over: false,
        })
    }

    /// Divides what is still to be read: this reader keeps the first half of the groups, and the other one has the rest.
    ///
    /// # Errors
    /// When the file can no longer be opened.
    pub(crate) fn divide(&mut self) -> Result<Self, RecordError> {
        let mut rest = Self::open(&self.path, self.columns.clone(), Arc::clone(&self.budget))?;
        let middle = self.groups.start + self.groups.len().div_ceil(2);
        let rows_before = self.file.metadata().row_groups().iter().take(middle).map(|group| group.num_rows());
        // Whoever finds a row that makes no sense says which one it is of the table. A forged footer may count anything.
        let rows_before = rows_before.map(|rows| u64::try_from(rows).unwrap_or(0));
        rest.row = rows_before.fold(0, |all: u64, rows| all.saturating_add(rows).min(1 << 62));
        rest.groups = middle..self.groups.end;
        self.groups.end = middle;
        Ok(rest)
    }

    /// Groups of rows that are still to be read.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// Id of the run that wrote it; earlier versions did not say.
    pub(crate) fn run(&self) -> Option<&str> {
        let about = self.file.metadata().file_metadata().key_value_metadata()?;
        about.iter().find(|entry| entry.key == RUN_KEY).and_then(|entry| entry.value.as_deref())
    }

    /// The next row, made by `pull`. After an error there are no more rows.
    pub(crate) fn next<T>(&mut self, pull: fn(&mut Cells) -> Option<T>) -> Option<Result<T, RecordError>> {
        if self.is_over {
            return None;
        }
        let row = match self.make_ready(size_of::<T>() as u64) {
            Ok(true) => {
                self.cells.next = 0;
                self.ready -= 1;
                self.row += 1;
                let what = || RecordError::table(&self.path, format!("row {} makes no sense", self.row));
                pull(&mut self.cells).ok_or_else(what)
            }
            Ok(false) => {
                self.is_over = true;
                return None;
            }
            Err(error) => Err(error),
        };
        self.is_over = row.is_err();
        Some(row)
    }

    fn make_ready(&mut self, row_bytes: u64) -> Result<bool, RecordError> {
        while self.ready == 0 {
            let (cells, batch) = (&mut self.cells.cells, self.batch);
            self.ready = guarded(&self.path, || fill(cells, batch))?;
            let beside: u64 = self.cells.cells.iter().map(Cell::bytes).sum();
            self.bytes = self.bytes.saturating_add(beside).saturating_add(self.ready as u64 * row_bytes);
            self.budget.take(&self.path, self.bytes).map_err(|error| RecordError::table(&self.path, error))?;
            if self.ready > 0 {
                break;
            }
            let Some(group) = self.groups.next() else { return Ok(false) };
            let (file, columns) = (&self.file, &self.columns);
            self.cells.cells = guarded(&self.path, || open_group(file, columns, group))?;
        }
        Ok(true)
    }
}

fn open_group(file: &SerializedFileReader<Guarded>, columns: &[Column], number: usize) -> Result<Vec<Cell>> {
    let group = file.get_row_group(number)?;
    let schema = group.metadata().schema_descr();
    let open = |column: &Column| {
        let leaf = column.leaf();
        let place = schema.columns().iter().position(|found| found.path().string() == leaf);
        if place.is_none() && column.is_added {
            return Ok(Cell::Absent);
        }
        let place = place.ok_or_else(|| ParquetError::General(format!("it has no column `{leaf}`")))?;
        let found = schema.column(place);
        let levels = (column.definition(), i16::from(column.kind == Kind::Ints));
        if found.physical_type() != column.physical() || (found.max_def_level(), found.max_rep_level()) != levels {
            return Err(ParquetError::General(format!("its column `{leaf}` is of another type")));
        }
        Cell::open(column, group.as_ref(), place)
    };
    columns.iter().map(open).collect()
}

/// Fills every column with the same rows.
fn fill(cells: &mut [Cell], most: usize) -> Result<usize> {
    let Some((first, rest)) = cells.split_first_mut() else { return Ok(0) };
    let rows = first.fill(most)?;
    for cell in rest {
        let is_absent = matches!(cell, Cell::Absent);
        if cell.fill(most)? != rows && !is_absent {
            return Err(ParquetError::General("its columns are not equally long".to_owned()));
        }
    }
    Ok(rows)
}

/// Runs a piece of the decoder. It may panic on a file that was damaged or forged after it was sealed; a report must
/// then say which file it is, and go on with the others.
fn guarded<T>(path: &Path, decode: impl FnOnce() -> Result<T>) -> Result<T, RecordError> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(result) => result.map_err(|error| RecordError::table(path, error)),
        Err(_) => Err(RecordError::table(path, "its content cannot be decoded")),
    }
}
