//! The zip about the parts.

use std::io::{Cursor, Write};
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

/// A part of the package: its path and its bytes.
#[derive(Clone, Debug)]
pub(crate) struct PackagePart {
    pub path: String,
    pub bytes: Vec<u8>,
}

/// All parts in one zip, in their order and without dates.
pub(crate) fn zipped(parts: &[PackagePart]) -> Vec<u8> {
    let expect = "invariant: writing to memory cannot fail, paths are ours and unique, and parts are below 4 GiB";
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for part in parts {
        // Pixels are compressed already.
        let method = if part.path.ends_with(".png") { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        zip.start_file(part.path.as_str(), options).expect(expect);
        zip.write_all(&part.bytes).expect(expect);
    }
    zip.finish().expect(expect).into_inner()
}
