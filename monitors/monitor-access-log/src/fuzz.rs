//! For the fuzz targets alone: the parsers of this crate.

use crate::lines::{LINE_MAX, Line, Lines};
use access_lines::{Call, Format, JsonFields, Pattern};
use terms::Nanos;

/// A pattern in the first line, a log behind it: read whole and in pieces.
pub fn access_log(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let pattern = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let log = bytes.get(end + 1..).unwrap_or_default();
    let name = |text: &str| Some(text.to_owned());
    let json = JsonFields {
        time: name("time"),
        route: name("request.path"),
        status: name("status"),
        duration: name("duration"),
        bytes: name("bytes"),
    };
    let formats = Pattern::read(&pattern).ok().map(Format::Pattern).into_iter().chain([Format::Json(json)]);
    for format in formats {
        let whole = calls(&format, &[log]);
        let (first, second) = log.split_at(log.len() / 2);
        assert_eq!(whole, calls(&format, &[first, second]));
        for call in whole.into_iter().flatten() {
            assert!(call.duration.is_none_or(|duration| duration >= Nanos::ZERO));
            assert!(call.status.is_none_or(|status| status <= 999));
        }
    }
}

fn calls(format: &Format, pieces: &[&[u8]]) -> Vec<Option<Call>> {
    let (mut lines, mut calls) = (Lines::default(), Vec::new());
    let mut sink = |line: Line<'_>| match line {
        Line::Whole(line) => calls.push(format.read(line, 1e3)),
        Line::TooLong(line) => assert_eq!(line.len(), LINE_MAX),
    };
    pieces.iter().for_each(|piece| lines.push(piece, &mut sink));
    lines.finish(&mut sink);
    calls
}
