//! Small tables that would become large ones.

use super::*;
use crate::names::Names;
use crate::table::{Budget, Column, Kind, TableReader, TableWriter, schema};
use crate::tables::Stored;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use std::sync::Arc;
use terms::Nanos;

/// Writes a table of one column, row group by row group, in the tightest packing there is.
fn pack(
    path: &Path,
    column: &Column,
    groups: usize,
    write: impl Fn(&mut parquet::file::writer::SerializedColumnWriter<'_>),
) {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_data_page_size_limit(1 << 30)
        .set_data_page_row_count_limit(1 << 30)
        .set_write_batch_size(1 << 20)
        .set_column_encoding(ColumnPath::from(Vec::<String>::new()), Encoding::PLAIN)
        .build();
    let schema = schema("bomb", std::slice::from_ref(column)).unwrap();
    let mut writer =
        SerializedFileWriter::new(std::fs::File::create(path).unwrap(), schema, Arc::new(properties)).unwrap();
    for _ in 0..groups {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        write(&mut column);
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.finish().unwrap();
}

/// Reads to the end or the first error, whose text it returns.
fn read<T>(path: &Path, column: Column, pull: fn(&mut crate::table::Cells) -> Option<T>) -> (usize, Option<String>) {
    let mut table =
        TableReader::open(path, vec![column], Arc::new(Budget::of(std::fs::metadata(path).unwrap().len()))).unwrap();
    let mut rows = 0;
    loop {
        match table.next(pull) {
            None => return (rows, None),
            Some(Ok(_)) => rows += 1,
            Some(Err(error)) => return (rows, Some(error.to_string())),
        }
    }
}

#[test]
fn a_list_longer_than_a_histogram_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.parquet");
    let column = Column::new("list", Kind::Ints);
    // One row of 16 million equal numbers: a few kilobytes on the disk.
    let length = 16_000_000;
    pack(&path, &column, 1, |writer| {
        let mut repetition = vec![1i16; length];
        repetition[0] = 0;
        writer.typed::<Int64Type>().write_batch(&vec![7; length], Some(&vec![1; length]), Some(&repetition)).unwrap();
    });
    assert!(std::fs::metadata(&path).unwrap().len() < 100_000);
    let (rows, error) = read(&path, column, |cells| cells.counts());
    assert_eq!(rows, 0);
    let error = error.unwrap();
    assert!(error.contains("damaged"), "{error}");
}

#[test]
fn a_text_that_many_rows_share_is_bounded_by_what_the_table_weighs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.parquet");
    let column = Column::new("text", Kind::Text);
    let text = ByteArray::from("x".repeat(60_000).as_str());
    pack(&path, &column, 1, |writer| {
        for _ in 0..20 {
            writer.typed::<ByteArrayType>().write_batch(&vec![text.clone(); 1000], None, None).unwrap();
        }
    });
    assert!(std::fs::metadata(&path).unwrap().len() < 200_000);
    let (rows, error) = read(&path, column, |cells| cells.text());
    assert!(rows < 9_000, "{rows} texts of 60 kB each came of it");
    assert!(error.unwrap().contains("which no tables of their length do"));
}

#[test]
fn a_page_that_promises_gigabytes_is_refused_before_they_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.parquet");
    let column = Column::new("text", Kind::Text);
    let write = |path: &Path| {
        pack(path, &column, 1, |writer| {
            let texts: Vec<ByteArray> =
                (0..3).map(|number| ByteArray::from(format!("text {number}").as_str())).collect();
            writer.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap();
        });
    };
    write(&path);
    assert_eq!(read(&path, column.clone(), |cells| cells.text()), (3, None));
    // The first page begins behind the mark of four bytes: kind, then its length unpacked, in one byte here.
    let mut bytes = std::fs::read(&path).unwrap();
    assert_eq!((&bytes[..4], bytes[4], bytes[6]), (&b"PAR1"[..], 0x15, 0x15));
    assert!(bytes[7] & 0x80 == 0);
    // The greatest length that five bytes hold takes the place of the next fields: damage, and never an allocation.
    bytes[7..12].copy_from_slice(&[0xfe, 0xff, 0xff, 0xff, 0x0f]);
    std::fs::write(&path, &bytes).unwrap();
    let (rows, error) = read(&path, column, |cells| cells.text());
    assert_eq!(rows, 0);
    assert!(error.unwrap().contains("would take more than"));
}

/// A sealed run of one row a kind, without its manifest.
fn unsealed() -> (TempDir, PathBuf) {
    let (folder, path) = scratch();
    killed_run(&path, &All { engine: vec![EngineRow::default()], ..All::default() });
    crate::seal_killed(&path).unwrap();
    std::fs::remove_file(path.join("evidence/manifest.json")).unwrap();
    (folder, path)
}

/// Writes a table of so many rows in the place of another, and says how long it is.
fn fill<T: Stored>(path: &Path, rows: usize, row: impl Fn(usize) -> T) -> u64 {
    let path = path.join("evidence").join(T::STREAM.folder()).join(T::FILE);
    let file = std::fs::File::create(&path).unwrap();
    let mut table = TableWriter::begin(file, &path, "bomb", T::columns(), &[]).unwrap();
    let head = head();
    for number in 0..rows {
        row(number).push(&Names(&head), &mut table);
        table.end_row().unwrap();
    }
    table.finish().unwrap();
    std::fs::metadata(&path).unwrap().len()
}

/// What all tables of a small folder may become, and a batch more.
const BYTES_MAX: usize = 520 << 20;

fn iteration(second: i64) -> IterationRow {
    let books = terms::Books { intended: 1, started: 1, completed: 1, ..terms::Books::default() };
    IterationRow { step: 0, stream: recorder::NO_STREAM, intended_s: second, end_s: second, books }
}

#[test]
fn rows_that_are_all_alike_do_not_fill_the_memory() {
    let (_folder, path) = unsealed();
    let length = fill(&path, 4_500_000, |number| iteration(number as i64 / 64));
    assert!(length < 2_000_000, "{length}");
    let run = Run::open(&path).unwrap();
    let (mut rows, mut error) = (0, None);
    for row in run.iterations().unwrap() {
        row.map_or_else(|it| error = Some(it.to_string()), |_| rows += 1);
    }
    // The judge keeps two copies of each.
    let (each, most) = (2 * size_of::<IterationRow>(), BYTES_MAX + 64 * length as usize);
    assert!(rows * each <= most, "{rows} rows are {} bytes", rows * each);
    assert!(error.unwrap().contains("which no tables of their length do"));
}

#[test]
fn tables_share_what_they_may_become() {
    let (_folder, path) = unsealed();
    let sample = |_| SampleRow { at: Nanos(7), monitor: 0, instance: "host".into(), metric: 0, value: Some(1.0) };
    let event = |_| EventRow { at: Nanos(7), kind: "gone".into(), subject: "shop".into(), text: "x".repeat(100) };
    let length = fill(&path, 3_000_000, sample) + fill(&path, 2_000_000, event);
    assert!(length < 2_000_000, "{length}");
    let run = Run::open(&path).unwrap();
    // Either would do; both together are too much, whichever comes last.
    assert_eq!(run.samples().unwrap().filter(Result::is_ok).count(), 3_000_000);
    assert!(run.events().unwrap_err().to_string().contains("which no tables of their length do"));
    assert!(run.samples().unwrap().all(|row| row.is_ok()), "what was kept once is kept again");
    let beside = 24 + "host".len() + 16;
    assert!(3_000_000 * (size_of::<SampleRow>() + beside) <= BYTES_MAX);
}

#[test]
fn rows_that_are_repeated_are_damage_and_no_sum() {
    let (_folder, path) = unsealed();
    let head = Head { workers: 2, ..head() };
    std::fs::write(path.join("evidence/run.json"), serde_json::to_string(&head).unwrap()).unwrap();
    // Two threads hand over a second's ends, each once more for a step: the head has one, and four are granted.
    for (copies, is_read) in [(2, true), (10, true), (11, false), (12_500, false)] {
        fill(&path, 3 * copies, |number| iteration((number % 3) as i64));
        let rows: Vec<_> = Run::open(&path).unwrap().iterations().unwrap().collect();
        assert_eq!(rows.iter().all(Result::is_ok), is_read, "{copies}");
        let last = rows.into_iter().last().unwrap().map_err(|error| error.to_string());
        assert!(is_read || last.unwrap_err().contains("of one second of one load"));
    }
    // What came due and has not ended may be booked again and again.
    let open = |_| IterationRow { books: terms::Books { started: 1, ..terms::Books::default() }, ..iteration(0) };
    fill(&path, 100, open);
    assert!(Run::open(&path).unwrap().iterations().unwrap().all(|row| row.is_ok()));
}
