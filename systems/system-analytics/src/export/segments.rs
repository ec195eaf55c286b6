//! The segments of a table: rows as Parquet files, a row group at a time, so that memory does not grow with the table.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use crc32fast::Hasher;
use parquet::basic::{Compression, ConvertedType, Encoding, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type as Schema, TypePtr};

use crate::bundle::Value;
use crate::manifest::{AT, Manifest, ROW, Segment, file_name};
use crate::stream::{Stream, Type};

/// What a segment is written into.
pub(crate) trait Sink: Write + Send {
    /// Waits until it is durable.
    fn sync(&mut self) -> io::Result<()>;
}

impl Sink for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// How segments are written, and how large they become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writing {
    /// Makes the file of a segment.
    pub(crate) file: fn(&Path) -> io::Result<Box<dyn Sink>>,
    /// Rows of a segment, and bytes in its file after which the next begins.
    pub(crate) segment_rows: u64,
    pub(crate) segment_bytes: u64,
    /// Rows of a row group, and bytes of its values in memory.
    pub(crate) group_rows: usize,
    pub(crate) group_bytes: usize,
}

fn new_file(path: &Path) -> io::Result<Box<dyn Sink>> {
    Ok(Box::new(File::create_new(path)?))
}

impl Writing {
    /// What engines like: row groups of about a hundred thousand rows, files that a scan need not open too often.
    pub(crate) const USUAL: Self = Self {
        file: new_file,
        segment_rows: 1_000_000,
        segment_bytes: 256 << 20,
        group_rows: 120_000,
        group_bytes: 32 << 20,
    };
}

/// Values of one column that wait for their row group.
enum Column {
    Int(Vec<i32>),
    Long(Vec<i64>),
    Real(Vec<f64>),
    Bool(Vec<bool>),
    Text(Vec<ByteArray>),
}

/// A file that knows what its bytes add up to.
struct Summed {
    file: BufWriter<Box<dyn Sink>>,
    bytes: u64,
    crc: Hasher,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.crc.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A segment that is being written.
struct Open {
    writer: SerializedFileWriter<Summed>,
    rows: u64,
}

/// Writes the rows of a table, one after the other.
pub(crate) struct Segments {
    folder: PathBuf,
    table: String,
    names: Vec<String>,
    schema: TypePtr,
    writing: Writing,
    columns: Vec<Column>,
    group_rows: usize,
    group_bytes: usize,
    open: Option<Open>,
    done: Vec<Segment>,
    rows: u64,
}

impl Segments {
    /// Begins in a folder that is empty.
    ///
    /// # Errors
    /// A stream whose attributes are called as another column is; engines do not tell capitals from small letters.
    pub(crate) fn begin(folder: &Path, stream: &Stream, writing: Writing) -> Result<Self> {
        let mut names = vec![ROW.to_owned(), AT.to_owned()];
        let mut fields = vec![field(ROW, Type::Long)?, field(AT, Type::Long)?];
        let mut columns = vec![Column::Long(Vec::new()), Column::Long(Vec::new())];
        for attribute in &stream.attributes {
            if names.iter().any(|name| name.to_lowercase() == attribute.name.to_lowercase()) {
                bail!("two columns of a segment would be called `{}`", attribute.name);
            }
            names.push(attribute.name.clone());
            fields.push(field(&attribute.name, attribute.kind)?);
            columns.push(match attribute.kind {
                Type::Int => Column::Int(Vec::new()),
                Type::Long => Column::Long(Vec::new()),
                Type::Float | Type::Double => Column::Real(Vec::new()),
                Type::Bool => Column::Bool(Vec::new()),
                Type::String => Column::Text(Vec::new()),
            });
        }
        let schema = Schema::group_type_builder(&stream.table).with_fields(fields).build()?;
        Ok(Self {
            folder: folder.to_owned(),
            table: stream.table.clone(),
            names,
            schema: Arc::new(schema),
            writing,
            columns,
            group_rows: 0,
            group_bytes: 0,
            open: None,
            done: Vec::new(),
            rows: 0,
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Values that are not those of the stream; a disk that does not take them.
    pub(crate) fn push(&mut self, at: i64, values: Vec<Value>) -> Result<()> {
        if values.len() + 2 != self.columns.len() {
            bail!("a row has {} values, and its stream {}", values.len(), self.columns.len() - 2);
        }
        let own = [Value::Whole(i64::try_from(self.rows)?), Value::Whole(at)];
        for (column, value) in self.columns.iter_mut().zip(own.into_iter().chain(values)) {
            self.group_bytes += match (column, value) {
                (Column::Int(ints), Value::Whole(whole)) => {
                    ints.push(i32::try_from(whole)?);
                    4
                }
                (Column::Long(longs), Value::Whole(whole)) => {
                    longs.push(whole);
                    8
                }
                (Column::Real(reals), Value::Real(real)) => {
                    reals.push(real);
                    8
                }
                (Column::Bool(bools), Value::Bool(is)) => {
                    bools.push(is);
                    1
                }
                (Column::Text(texts), Value::Text(text)) => {
                    let bytes = text.len() + 32;
                    texts.push(ByteArray::from(text.into_bytes()));
                    bytes
                }
                (_, value) => bail!("a row holds {value:?} where its stream has another type"),
            };
        }
        self.rows += 1;
        self.group_rows += 1;
        let is_last =
            self.open.as_ref().map_or(0, |open| open.rows) + self.group_rows as u64 >= self.writing.segment_rows;
        if is_last || self.group_rows >= self.writing.group_rows || self.group_bytes >= self.writing.group_bytes {
            self.end_group()?;
        }
        Ok(())
    }

    /// Rows so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    fn end_group(&mut self) -> Result<()> {
        if self.group_rows == 0 {
            return Ok(());
        }
        let open = match &mut self.open {
            Some(open) => open,
            None => self.open.insert(begin(&self.folder, self.done.len() + 1, &self.schema, self.writing)?),
        };
        let mut group = open.writer.next_row_group()?;
        for column in &mut self.columns {
            let mut writer = group.next_column()?.context("a column is missing")?;
            write(column, &mut writer)?;
            writer.close()?;
        }
        group.close()?;
        open.rows += self.group_rows as u64;
        (self.group_rows, self.group_bytes) = (0, 0);
        let bytes = open.writer.bytes_written() as u64;
        if open.rows >= self.writing.segment_rows || bytes >= self.writing.segment_bytes {
            self.end_segment()?;
        }
        Ok(())
    }

    fn end_segment(&mut self) -> Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let summed = open.writer.into_inner()?;
        let mut file = summed.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync()?;
        self.done.push(Segment {
            file: file_name(self.done.len() + 1),
            rows: open.rows,
            bytes: summed.bytes,
            crc32: summed.crc.finalize(),
        });
        Ok(())
    }

    /// Writes what is left, and the manifest.
    ///
    /// # Errors
    /// A disk that does not take it.
    pub(crate) fn finish(mut self, export: String) -> Result<Manifest> {
        self.end_group()?;
        self.end_segment()?;
        let manifest =
            Manifest { table: self.table, export, rows: self.rows, columns: self.names, segments: self.done };
        manifest.write(&self.folder)?;
        Ok(manifest)
    }
}

fn begin(folder: &Path, number: usize, schema: &TypePtr, writing: Writing) -> Result<Open> {
    let path = folder.join(file_name(number));
    let file = (writing.file)(&path).with_context(|| format!("cannot write `{}`", path.display()))?;
    let summed = Summed { file: BufWriter::with_capacity(1 << 20, file), bytes: 0, crc: Hasher::new() };
    let row = ColumnPath::from(ROW);
    let properties = WriterProperties::builder()
        .set_created_by("system-analytics".to_owned())
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(None)
        // Numbers that follow each other differ by one: a column of them takes next to nothing.
        .set_column_dictionary_enabled(row.clone(), false)
        .set_column_encoding(row, Encoding::DELTA_BINARY_PACKED)
        .build();
    Ok(Open { writer: SerializedFileWriter::new(summed, schema.clone(), Arc::new(properties))?, rows: 0 })
}

fn field(name: &str, kind: Type) -> Result<TypePtr> {
    let physical = match kind {
        Type::Int => Physical::INT32,
        Type::Long => Physical::INT64,
        Type::Float | Type::Double => Physical::DOUBLE,
        Type::Bool => Physical::BOOLEAN,
        Type::String => Physical::BYTE_ARRAY,
    };
    let leaf = Schema::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
    let leaf = match kind {
        Type::String => leaf.with_logical_type(Some(LogicalType::String)).with_converted_type(ConvertedType::UTF8),
        _ => leaf,
    };
    Ok(Arc::new(leaf.build()?))
}

fn write(column: &mut Column, writer: &mut SerializedColumnWriter<'_>) -> Result<()> {
    match column {
        Column::Int(ints) => {
            writer.typed::<Int32Type>().write_batch(ints, None, None)?;
            ints.clear();
        }
        Column::Long(longs) => {
            writer.typed::<Int64Type>().write_batch(longs, None, None)?;
            longs.clear();
        }
        Column::Real(reals) => {
            writer.typed::<DoubleType>().write_batch(reals, None, None)?;
            reals.clear();
        }
        Column::Bool(bools) => {
            writer.typed::<BoolType>().write_batch(bools, None, None)?;
            bools.clear();
        }
        Column::Text(texts) => {
            writer.typed::<ByteArrayType>().write_batch(texts, None, None)?;
            texts.clear();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    fn home() -> Stream {
        Stream::read(
            r#"{"name":"home","version":"1","payloadData":[{"name":"house","type":"INT"},{"name":"power","type":"DOUBLE"},
            {"name":"metro","type":"STRING"},{"name":"peak","type":"BOOL"}]}"#,
        )
        .unwrap()
    }

    fn row(number: i64) -> (i64, Vec<Value>) {
        let values = vec![
            Value::Whole(number * 7),
            Value::Real(number as f64 / 3.0),
            Value::Text(format!("metro {}", number % 5)),
            Value::Bool(number % 2 == 0),
        ];
        (1000 + number, values)
    }

    #[test]
    fn what_is_written_is_read_by_another_hand_and_adds_up() {
        let folder = tempfile::tempdir().unwrap();
        let writing = Writing {
            segment_rows: 25,
            segment_bytes: 1 << 20,
            group_rows: 10,
            group_bytes: 1 << 20,
            ..Writing::USUAL
        };
        let mut segments = Segments::begin(folder.path(), &home(), writing).unwrap();
        for number in 0..60 {
            let (at, values) = row(number);
            segments.push(at, values).unwrap();
        }
        assert_eq!(segments.rows(), 60);
        let manifest = segments.finish("1".into()).unwrap();
        assert_eq!(manifest.segments.iter().map(|it| it.rows).collect::<Vec<_>>(), [25, 25, 10]);
        assert_eq!(manifest.columns, ["event_row", "event_at", "house", "power", "metro", "peak"]);
        let mut number = 0;
        for segment in &manifest.segments {
            let bytes = std::fs::read(folder.path().join(&segment.file)).unwrap();
            assert_eq!((bytes.len() as u64, crc32fast::hash(&bytes)), (segment.bytes, segment.crc32));
            let reader = SerializedFileReader::new(File::open(folder.path().join(&segment.file)).unwrap()).unwrap();
            for read in reader.get_row_iter(None).unwrap() {
                let read = read.unwrap();
                let (at, values) = row(number);
                assert_eq!((read.get_long(0).unwrap(), read.get_long(1).unwrap()), (number, at));
                let house = Value::Whole(read.get_int(2).unwrap().into());
                let metro = Value::Text(read.get_string(4).unwrap().clone());
                let own = vec![
                    house,
                    Value::Real(read.get_double(3).unwrap()),
                    metro,
                    Value::Bool(read.get_bool(5).unwrap()),
                ];
                assert_eq!(own, values);
                number += 1;
            }
        }
        assert_eq!(number, 60);
    }

    #[test]
    fn a_segment_ends_by_its_bytes_and_a_table_may_be_empty() {
        let folder = tempfile::tempdir().unwrap();
        let writing =
            Writing { segment_rows: 1000, segment_bytes: 1, group_rows: 10, group_bytes: 1 << 20, ..Writing::USUAL };
        let mut segments = Segments::begin(folder.path(), &home(), writing).unwrap();
        (0..20).for_each(|number| {
            let (at, values) = row(number);
            segments.push(at, values).unwrap();
        });
        assert_eq!(segments.finish("1".into()).unwrap().segments.len(), 2);
        let folder = tempfile::tempdir().unwrap();
        let empty = Segments::begin(folder.path(), &home(), writing).unwrap().finish("1".into()).unwrap();
        assert_eq!((empty.rows, empty.segments.len()), (0, 0));
    }

    #[test]
    fn names_that_clash_and_values_of_another_stream_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let clash = Stream::read(
            r#"{"name":"home","version":"1","payloadData":[{"name":"house","type":"INT"},{"name":"House","type":"INT"}]}"#,
        );
        let error = Segments::begin(folder.path(), &clash.unwrap(), Writing::USUAL).err().unwrap().to_string();
        assert!(error.contains("`House`"), "{error}");
        let mut segments = Segments::begin(folder.path(), &home(), Writing::USUAL).unwrap();
        assert!(segments.push(0, vec![Value::Whole(1)]).is_err());
        assert!(segments.push(0, vec![Value::Bool(true); 4]).is_err());
    }
}
