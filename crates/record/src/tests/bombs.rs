//! Small tables that would become large ones.

use super::*;
use crate::table::{Column, Kind, TableReader, schema};
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use std::sync::Arc;

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
    let mut table = TableReader::open(path, vec![column]).unwrap();
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
    assert!(rows < 4_000, "{rows} texts of 60 kB each came of it");
    assert!(error.unwrap().contains("which no table of its length does"));
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
