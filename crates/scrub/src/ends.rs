//! Where a value ends that began at a known place.

/// Longest value that is looked at.
pub(super) const VALUE_MAX: usize = 16 * 1024;

/// The first place from `at` on where `is_end` holds, [`VALUE_MAX`] further, or the end of the text.
pub(super) fn until(bytes: &[u8], at: usize, is_end: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take(VALUE_MAX).position(|byte| is_end(*byte)).unwrap_or(rest.len().min(VALUE_MAX))
}

/// Where the value of a header ends: with its line, or with the quotation marks around the whole header. Those around a
/// part of the value, as in `username="x"`, belong to it.
pub(super) fn header_end(bytes: &[u8], from: usize) -> usize {
    let is_end = |byte: u8| matches!(byte, b'\r' | b'\n' | b'\0');
    let mut at = from;
    loop {
        let end = until(bytes, at, |byte| is_end(byte) || matches!(byte, b'"' | b'<'));
        let before = bytes[from..end].strip_suffix(b"\\").unwrap_or(&bytes[from..end]);
        if bytes.get(end) != Some(&b'"') || !before.ends_with(b"=") || end - from >= VALUE_MAX {
            return end;
        }
        let close = until(bytes, end + 1, |byte| is_end(byte) || byte == b'"');
        if bytes.get(close) != Some(&b'"') {
            return close;
        }
        at = close + 1;
    }
}
