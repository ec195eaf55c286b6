//! Fields of forms and their like: a name in one attribute of a tag, its value in another.

use std::ops::Range;

/// Most of a tag that is looked at on either side of the name.
const TAG_MAX: usize = 1024;
/// Attributes that hold the value of what another one names.
const HOLDS: [&[u8]; 2] = [b"value=", b"content="];

/// `<input name="token" value="…">`, `<meta content="…" name="csrf-token">`: where the value stands in the tag that has the
/// name in its attribute `name` or `id`. One that is cut off ends with the text.
pub(super) fn value_of(bytes: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let open = name.start.checked_sub(1)?;
    let quote = bytes.get(open).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let before = &bytes[open.saturating_sub(TAG_MAX)..open];
    let tag = before.iter().rposition(|byte| matches!(byte, b'<' | b'>')).filter(|at| before[*at] == b'<')?;
    let attributes = &before[tag..];
    let is_name = [&b"name="[..], b"id="].iter().any(|key| {
        let (rest, end) = attributes.split_at(attributes.len().saturating_sub(key.len()));
        end.eq_ignore_ascii_case(key) && rest.last().is_some_and(u8::is_ascii_whitespace)
    });
    if !is_name || bytes.get(name.end) != Some(quote) {
        return None;
    }
    let from = open - attributes.len();
    held(bytes, from..open).or_else(|| held(bytes, name.end + 1..bytes.len().min(name.end + TAG_MAX)))
}

/// The value of the first attribute within `part` that holds one, up to its closing quotation mark.
fn held(bytes: &[u8], part: Range<usize>) -> Option<Range<usize>> {
    let mut at = part.start;
    while at < part.end && bytes[at] != b'>' {
        let is_first = at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_whitespace());
        let rest = &bytes[at..part.end];
        let key = HOLDS.iter().find(|key| rest.get(..key.len()).is_some_and(|own| own.eq_ignore_ascii_case(key)));
        if let Some(key) = key.filter(|_| is_first) {
            let quote = *bytes.get(at + key.len()).filter(|byte| matches!(byte, b'"' | b'\''))?;
            let from = at + key.len() + 1;
            let end = bytes[from..].iter().position(|byte| *byte == quote).map_or(bytes.len(), |length| from + length);
            return (from < end).then_some(from..end);
        }
        at += 1;
    }
    None
}
