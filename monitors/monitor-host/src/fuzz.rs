//! For the fuzz targets alone: the parsers of this crate.

use crate::parse::{disks, interfaces, load1, memory, pressure, stat, value, vmstat};

/// A text of `/proc`.
pub fn proc(text: &str) {
    let _ =
        (pressure(text), stat(text), memory(text, "MemTotal"), vmstat(text, "pswpin"), value(text, "model name", ':'));
    assert!(load1(text).is_none_or(|load| load.is_finite() && load >= 0.0));
    let lines = text.lines().count();
    assert!(disks(text, |_| true).len() <= lines && interfaces(text).len() <= lines);
}
