//! Writing a table, a row group at a time.

use super::groups::{Buffer, Groups, empty};
use super::{Column, Kind, schema};
use crate::RecordError;
use crate::hdr;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::ByteArray;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use terms::SparseHistogram;

/// A row group is written when it has this many rows …
const GROUP_ROWS: usize = 64 * 1024;
/// … or about this many bytes in memory.
const GROUP_BYTES: usize = 16 * 1024 * 1024;

/// Writes one table.
pub(crate) struct TableWriter {
    path: PathBuf,
    groups: Groups,
    columns: Arc<[Column]>,
    buffers: Vec<Buffer>,
    /// Column of the next cell.
    next: usize,
    group_rows: usize,
    group_bytes: usize,
    rows: u64,
}

impl TableWriter {
    /// Begins a table in a new file, whose path errors name; `name` is the table's, `about` stands in its metadata, by
    /// key.
    pub(crate) fn begin(
        file: File,
        path: &Path,
        name: &str,
        columns: Vec<Column>,
        about: &[(&str, &str)],
    ) -> Result<Self, RecordError> {
        let open = || SerializedFileWriter::new(file, schema(name, &columns)?, Arc::new(properties(&columns, about)));
        let writer = open().map_err(|error| failure(path, error))?;
        let columns: Arc<[Column]> = columns.into();
        let (buffers, groups) = (empty(columns.len()), Groups::new(writer, columns.clone()));
        Ok(Self { path: path.to_owned(), groups, columns, buffers, next: 0, group_rows: 0, group_bytes: 0, rows: 0 })
    }

    fn cell(&mut self, kinds: &[Kind], bytes: usize) -> &mut Buffer {
        debug_assert!(kinds.contains(&self.columns[self.next].kind), "column {} is of another kind", self.next);
        self.next += 1;
        self.group_bytes += bytes;
        &mut self.buffers[self.next - 1]
    }

    pub(crate) fn int(&mut self, value: i64) {
        self.cell(&[Kind::Int], 8).ints.push(value);
    }

    /// A count. Counts beyond 2⁶³ keep their bits, and read back as they were.
    pub(crate) fn count(&mut self, value: u64) {
        self.int(value as i64);
    }

    pub(crate) fn int_or_null(&mut self, value: Option<i64>) {
        let buffer = self.cell(&[Kind::IntOrNull], 10);
        buffer.definition.push(value.is_some().into());
        buffer.ints.extend(value);
    }

    pub(crate) fn float(&mut self, value: f64) {
        self.cell(&[Kind::Float], 8).floats.push(value);
    }

    pub(crate) fn float_or_null(&mut self, value: Option<f64>) {
        let buffer = self.cell(&[Kind::FloatOrNull], 10);
        buffer.definition.push(value.is_some().into());
        buffer.floats.extend(value);
    }

    pub(crate) fn flag(&mut self, value: bool) {
        self.cell(&[Kind::Flag], 1).flags.push(value);
    }

    pub(crate) fn text(&mut self, value: &str) {
        self.cell(&[Kind::Text], value.len() + 32).push_text(value);
    }

    pub(crate) fn text_or_null(&mut self, value: Option<&str>) {
        let buffer = self.cell(&[Kind::TextOrNull], value.map_or(2, |text| text.len() + 34));
        buffer.definition.push(value.is_some().into());
        if let Some(text) = value {
            buffer.push_text(text);
        }
    }

    pub(crate) fn counts(&mut self, values: impl Iterator<Item = u64>) {
        let buffer = self.cell(&[Kind::Ints], 0);
        let before = buffer.ints.len();
        buffer.ints.extend(values.map(|value| value as i64));
        let length = buffer.ints.len() - before;
        // An empty list is one place without a value; else the first value opens the list and the rest go on.
        buffer.definition.extend(std::iter::repeat_n(i16::from(length > 0), length.max(1)));
        buffer.repetition.extend((0..length.max(1)).map(|place| i16::from(place > 0)));
        self.group_bytes += length * 12;
    }

    /// The six columns of `histogram_columns`.
    pub(crate) fn histogram(&mut self, histogram: &SparseHistogram) {
        let is_filled = !histogram.buckets.is_empty();
        self.int_or_null(is_filled.then_some(histogram.min.0));
        self.int_or_null(is_filled.then_some(histogram.max.0));
        self.float_or_null(is_filled.then_some(histogram.sum_ns));
        self.counts(histogram.buckets.iter().map(|&(index, _)| index.into()));
        self.counts(histogram.buckets.iter().map(|&(_, count)| count));
        let encoded = hdr::encode(histogram);
        let buffer = self.cell(&[Kind::BytesOrNull], encoded.as_ref().map_or(2, |bytes| bytes.len() + 34));
        buffer.definition.push(encoded.is_some().into());
        buffer.bytes.extend(encoded.map(ByteArray::from));
    }

    /// Ends a row whose cells have all been pushed.
    pub(crate) fn end_row(&mut self) -> Result<(), RecordError> {
        debug_assert_eq!(self.next, self.columns.len(), "a row has a cell for each column");
        self.next = 0;
        self.group_rows += 1;
        self.rows += 1;
        if self.group_rows >= GROUP_ROWS || self.group_bytes >= GROUP_BYTES { self.end_group() } else { Ok(()) }
    }

    fn end_group(&mut self) -> Result<(), RecordError> {
        self.groups.write(&mut self.buffers).map_err(|error| failure(&self.path, error))?;
        (self.group_rows, self.group_bytes) = (0, 0);
        Ok(())
    }

    /// Writes what is left and the footer, and syncs. Returns the number of rows.
    pub(crate) fn finish(self) -> Result<u64, RecordError> {
        let last = (self.group_rows > 0).then_some(self.buffers);
        let file = self.groups.finish(last).map_err(|error| failure(&self.path, error))?;
        file.inner().sync_all().map_err(RecordError::io("sync", &self.path))?;
        Ok(self.rows)
    }
}

fn properties(columns: &[Column], about: &[(&str, &str)]) -> WriterProperties {
    let about = about.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), (*value).to_owned())).collect();
    let mut properties = WriterProperties::builder()
        .set_created_by("loadproof".to_owned())
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(about));
    for column in columns {
        let path = ColumnPath::from(column.leaf().split('.').map(str::to_owned).collect::<Vec<_>>());
        properties = match column.kind {
            // Ascending indexes differ little from one to the next, and counts are small.
            Kind::Ints => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            // Few sums are alike, and a dictionary might take 0 and -0 for one value.
            Kind::Float | Kind::FloatOrNull => properties.set_column_dictionary_enabled(path, false),
            // No two are alike, and their least and greatest mean nothing.
            Kind::BytesOrNull => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_statistics_enabled(path, EnabledStatistics::None),
            // Every group of rows has nearly all names, so their least and greatest help nobody to skip one.
            Kind::Text | Kind::TextOrNull => properties.set_column_statistics_enabled(path, EnabledStatistics::None),
            _ => properties,
        };
    }
    properties.build()
}

/// A full disk is told as such, not as a damaged table.
fn failure(path: &Path, error: parquet::errors::ParquetError) -> RecordError {
    use parquet::errors::ParquetError;
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(inner) => RecordError::io("write", path)(*inner),
            Err(inner) => RecordError::table(path, inner),
        },
        other => RecordError::table(path, other),
    }
}
