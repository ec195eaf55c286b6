//! For the fuzz targets and the properties alone: these bytes as every kind of file.

use crate::access::Access;
use crate::block::{Block, Manner, TakesBlocks};
use crate::call::{Call, Sink};
use crate::error::ImportError;
use crate::input::Input;
use crate::reading::Reading;
use crate::tar::Tar;
use crate::zone::Zone;
use crate::{docker, gatling, gc, hdr_log, jstat, jtl, jtl_xml, k6, kafka, locust, sar, sniff, summary, vmstat, wrk2};
use std::io::Cursor;
use std::path::Path;
use terms::Nanos;

/// Counts calls, and looks at what of them everybody relies on.
#[derive(Default)]
struct Count(u64);

impl Sink for Count {
    fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError> {
        assert!(call.took.0 >= 0 && call.first_byte.is_none_or(|first| first <= call.took));
        self.0 += u64::from(call.count);
        Ok(())
    }
}

impl TakesBlocks for Count {
    fn manner(&self) -> Manner {
        Manner { unit: Nanos::MILLISECOND, grid: None, twofold: std::sync::Arc::default(), sees_threads: false }
    }

    fn look_back(&mut self, _: &Call<'_>) {}

    fn block(&mut self, block: Block) -> Result<(), ImportError> {
        self.0 += block.records as u64;
        Ok(())
    }
}

/// Reads these bytes as every kind of file: reading ends, and every record is either read or counted.
///
/// # Panics
/// Where that does not hold.
pub fn files(bytes: &[u8]) {
    let (path, zone) = (Path::new("file"), Zone::of(Some(0)));
    let input = || Input::of(Cursor::new(bytes.to_vec())).unwrap_or_else(|error| panic!("memory is read: {error}"));
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    let check = |reading: Reading, calls: u64| {
        assert_eq!(reading.read, calls);
        // A packed file has more lines than it shows.
        if !bytes.starts_with(&[0x1f, 0x8b]) {
            assert!(reading.read + reading.unreadable <= lines, "{reading:?} of {lines} lines");
        }
        assert!(reading.examples.len() as u64 <= reading.unreadable);
    };
    let mut count = Count::default();
    if let Ok((reading, _)) = jtl::read(path, input(), None, &mut count) {
        check(reading, count.0);
    }
    let mut count = Count::default();
    if let Ok(reading) = jtl_xml::read(path, input(), &mut count) {
        assert_eq!(reading.read, count.0 + reading.parts);
    }
    for is_json in [false, true] {
        let mut count = Count::default();
        if let Ok((reading, _)) = k6::read(path, input(), is_json, &mut count) {
            check(reading, count.0);
        }
    }
    let mut count = Count::default();
    // Of a row several calls may come, or none.
    let _ = locust::read(path, input(), &mut count);
    let _ = hdr_log::read(path, input(), (Some(Nanos::MICROSECOND), None), &mut count);
    let _ = wrk2::read(path, input(), Some(Nanos::from_secs(1_795_690_680)), &mut count);
    let mut count = Count::default();
    if let Ok((reading, _)) = gatling::read(path, input(), &mut count) {
        assert_eq!(reading.read, count.0);
    }
    let mut count = Count::default();
    let access = Access { format: Some("common %D"), unit: Some(Nanos::MICROSECOND) };
    if let Ok(reading) = access.read(path, input(), &mut count) {
        check(reading, count.0);
    }
    let _ = summary::read(path, input());
    let _ = sniff::kind("file", bytes);
    let mut tar = Tar::of(input());
    let mut members = 0;
    while let Ok(Some(_)) = tar.advance() {
        members += 1;
        assert!(members <= bytes.len(), "a member has a header");
    }
    if let Ok((samples, reading)) = gc::read(path, input(), &zone) {
        assert_eq!(samples.rows.len() as u64, reading.read);
    }
    if let Ok((samples, reading)) = vmstat::read(path, input(), &zone) {
        assert!(samples.rows.len() as u64 <= reading.read);
    }
    let read = [
        jstat::read(path, input()),
        docker::read(path, input()),
        sar::read(path, input(), &zone),
        kafka::read(path, input(), &zone),
    ];
    for (samples, reading) in read.into_iter().flatten() {
        assert_eq!(samples.rows.len() as u64, reading.read);
    }
}
