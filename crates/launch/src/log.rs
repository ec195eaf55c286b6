//! The last lines that an instance wrote.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Lines shown in a message.
const LINES_MAX: usize = 20;
/// Bytes read from the end: enough for the lines, whatever the size of the file.
const BYTES_MAX: u64 = 16 * 1024;
/// Characters shown of a line.
const LINE_CHARS_MAX: usize = 300;

/// The last lines of a file, printable; empty when it cannot be read.
///
/// Control characters are replaced: what a server writes must not steer the reader's terminal.
pub(crate) fn tail(path: &Path) -> Vec<String> {
    let Ok(mut file) = File::open(path) else { return Vec::new() };
    let length = file.metadata().map_or(0, |data| data.len());
    let start = length.saturating_sub(BYTES_MAX);
    let mut bytes = Vec::new();
    if file.seek(SeekFrom::Start(start)).is_err() || file.take(BYTES_MAX).read_to_end(&mut bytes).is_err() {
        return Vec::new();
    }
    last_lines(&bytes, start > 0)
}

pub(crate) fn last_lines(bytes: &[u8], is_cut: bool) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<_> = text.lines().collect();
    if is_cut && lines.len() > 1 {
        lines.remove(0);
    }
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let from = lines.len().saturating_sub(LINES_MAX);
    lines[from..].iter().map(|line| printable(line)).collect()
}

/// The text with control characters as `·`, cut to what a message can bear.
pub(crate) fn printable(text: &str) -> String {
    let mut shown: String = text.chars().take(LINE_CHARS_MAX).map(|c| if c.is_control() { '·' } else { c }).collect();
    if text.chars().nth(LINE_CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}

/// Whether the lines say that a port was taken by somebody else.
pub(crate) fn says_address_in_use(lines: &[String]) -> bool {
    let phrases = ["address already in use", "address in use", "eaddrinuse", "os error 98", "already bound"];
    lines.iter().map(|line| line.to_lowercase()).any(|line| phrases.iter().any(|phrase| line.contains(phrase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_are_shown_and_they_are_harmless() {
        let text: String = (1..=30).map(|number| format!("line {number}\n")).collect();
        let lines = last_lines(text.as_bytes(), false);
        assert_eq!((lines.len(), lines[0].as_str(), lines[19].as_str()), (20, "line 11", "line 30"));
        assert_eq!(last_lines(b"\x1b[31mred\x07\xff", false), ["·[31mred·\u{fffd}"]);
        assert_eq!(last_lines(b"half a line\nwhole\n\n", true), ["whole"]);
        assert_eq!(last_lines("é".repeat(400).as_bytes(), false)[0].chars().count(), 301);
    }

    #[test]
    fn the_end_of_a_large_file_is_read_not_all_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.log");
        std::fs::write(&path, format!("{}\nlast", "x".repeat(1 << 20))).unwrap();
        assert_eq!(tail(&path), ["last"]);
        assert!(tail(&folder.path().join("nothing")).is_empty());
    }

    #[test]
    fn common_ways_to_say_that_a_port_is_taken() {
        for line in [
            "Error: Address already in use (os error 98)",
            "listen EADDRINUSE: address already in use 127.0.0.1:8080",
            "java.net.BindException: Address already in use",
        ] {
            assert!(says_address_in_use(&[line.to_owned()]), "{line}");
        }
        assert!(!says_address_in_use(&["no such table".to_owned()]));
    }
}
