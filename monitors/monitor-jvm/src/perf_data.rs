//! HotSpot's perf data: a prologue and a list of named values, mapped by the machine into a file.
//!
//! Facts of the format are OpenJDK's (`perfMemory.hpp` and the classes of `sun.jvmstat.perfdata.monitor`); numbers
//! other than the magic one are in the byte order that the prologue names.
//!
//! | Bytes of the prologue | What |
//! | --- | --- |
//! | 0–3 | `CA FE C0 C0` |
//! | 4, 5, 6, 7 | byte order (0 big, 1 little), major, minor version, whether it may be read (from version 2 on) |
//! | 8–11, 12–15 | bytes used, bytes that found no room |
//! | 16–23 | time of the last change of the list |
//! | 24–27, 28–31 | place of the first entry, number of entries; version 1 begins with its entries at 24 |
//!
//! An entry has its length, then from byte 4 the place of its name (version 2) or the name's length (version 1), the
//! length of a vector, a type letter, flags, unit, variability, and in version 2 the place of the value.

use std::collections::BTreeMap;

/// Bytes read of a file; a machine's own default is 32 KiB.
pub(crate) const BYTES_MAX: usize = 4 << 20;
/// Entries read; machines of today have some five hundred.
const ENTRIES_MAX: usize = 16 * 1024;
/// Longest name that is kept.
const NAME_MAX: usize = 256;
/// Bytes kept of a text, such as the machine's arguments.
const TEXT_MAX: usize = 8 * 1024;
/// The prologue of version 2, the longer one.
pub(crate) const PROLOGUE: usize = 32;
/// Times that a file which changes while it is read is read again.
const ATTEMPTS: usize = 4;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(i64),
    Text(String),
}

/// Why there is no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// The machine is still starting.
    NotReady,
    /// It changes too fast, or is cut short.
    Torn(String),
    /// It is not perf data, or of a kind that is not known.
    Unknown(String),
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotReady => f.write_str("the machine is still starting"),
            Self::Torn(what) => write!(f, "it was caught in the middle of a change ({what})"),
            Self::Unknown(what) => f.write_str(what),
        }
    }
}

/// Named values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table(BTreeMap<String, Value>);

impl Table {
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        match self.0.get(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    #[cfg(test)]
    pub(crate) fn of(values: impl IntoIterator<Item = (String, Value)>) -> Self {
        Self(values.into_iter().collect())
    }
}

/// The prologue: what says whether the list has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Prologue {
    is_little: bool,
    major: u8,
    used: usize,
    changed: i64,
    first: usize,
    /// Version 1 does not say.
    entries: Option<usize>,
}

/// Reads a table that holds together: when the list of entries changed meanwhile, once more. `read` gives at most so
/// many bytes from the beginning.
///
/// # Errors
/// [`Unreadable`], and what `read` fails with.
pub(crate) fn whole(mut read: impl FnMut(usize) -> std::io::Result<Vec<u8>>) -> Result<Table, Unreadable> {
    let mut bytes_of = |most: usize| read(most).map_err(|error| Unreadable::Unknown(error.to_string()));
    let mut last = Unreadable::Torn("it never stood still".to_owned());
    for _ in 0..ATTEMPTS {
        let bytes = bytes_of(BYTES_MAX)?;
        match prologue(&bytes).and_then(|before| Ok((before, table(&bytes, &before)?))) {
            Ok((before, table)) => {
                if prologue(&bytes_of(PROLOGUE)?) == Ok(before) {
                    return Ok(table);
                }
            }
            Err(torn @ Unreadable::Torn(_)) => last = torn,
            Err(other) => return Err(other),
        }
    }
    Err(last)
}

/// Numbers of one byte order, never read beyond the end.
struct Bytes<'a> {
    bytes: &'a [u8],
    is_little: bool,
}

impl Bytes<'_> {
    fn four(&self, at: usize) -> Option<i32> {
        let bytes: [u8; 4] = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if self.is_little { i32::from_le_bytes(bytes) } else { i32::from_be_bytes(bytes) })
    }

    fn eight(&self, at: usize) -> Option<i64> {
        let bytes: [u8; 8] = self.bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
        Some(if self.is_little { i64::from_le_bytes(bytes) } else { i64::from_be_bytes(bytes) })
    }

    /// A length or place, which is never negative.
    fn size(&self, at: usize) -> Option<usize> {
        usize::try_from(self.four(at)?).ok()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Text up to the first zero, of at most `most` bytes.
    fn text(&self, from: usize, to: usize, most: usize) -> Option<String> {
        let bytes = self.bytes.get(from..to)?;
        let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        Some(String::from_utf8_lossy(&bytes[..bytes.len().min(most)]).into_owned())
    }
}

fn prologue(bytes: &[u8]) -> Result<Prologue, Unreadable> {
    let unknown = |what: String| Err(Unreadable::Unknown(what));
    let short = || Unreadable::Torn(format!("its prologue has {} bytes", bytes.len()));
    let head = bytes.get(..8).ok_or_else(short)?;
    if head[..4] == [0; 4] {
        return Err(Unreadable::NotReady);
    }
    if head[..4] != [0xCA, 0xFE, 0xC0, 0xC0] {
        return unknown("it does not begin as perf data does".to_owned());
    }
    let (order, major, minor, accessible) = (head[4], head[5], head[6], head[7]);
    if order > 1 {
        return unknown(format!("its byte order {order} is not known"));
    }
    if !matches!(major, 1 | 2) {
        return unknown(format!("version {major}.{minor} of perf data is not known; 1 and 2 are"));
    }
    if major == 2 && accessible == 0 {
        return Err(Unreadable::NotReady);
    }
    let all = Bytes { bytes, is_little: order == 1 };
    let read = || {
        let (first, entries) = if major == 1 { (24, None) } else { (all.size(24)?, Some(all.size(28)?)) };
        let (used, changed) = (all.size(8)?, all.eight(16)?);
        Some(Prologue { is_little: all.is_little, major, used, changed, first, entries })
    };
    read().ok_or_else(short)
}

fn table(bytes: &[u8], prologue: &Prologue) -> Result<Table, Unreadable> {
    let all = Bytes { bytes, is_little: prologue.is_little };
    let torn = |number: usize, what: &str| Err(Unreadable::Torn(format!("entry {number}: {what}")));
    let mut table = BTreeMap::new();
    let mut at = prologue.first;
    let count = prologue.entries.unwrap_or(ENTRIES_MAX).min(ENTRIES_MAX);
    // Version 1 tells no number, but how many bytes are used.
    let end = if prologue.major == 1 { prologue.used.min(bytes.len()) } else { bytes.len() };
    for number in 0..count {
        if prologue.entries.is_none() && at >= end {
            break;
        }
        let Some(length) = all.size(at) else { return torn(number, "lies beyond the end") };
        if length == 0 && prologue.entries.is_none() {
            break;
        }
        // The least entry of either version; a shorter one would never come to an end.
        if length < 20 || at.checked_add(length).is_none_or(|next| next > bytes.len()) {
            return torn(number, "its length is impossible");
        }
        match entry(&all, at, length, prologue.major) {
            Some((name, value)) => {
                let name = name.strip_prefix("hotspot.").map_or(name.clone(), |rest| format!("sun.{rest}"));
                table.extend(value.map(|value| (name, value)));
            }
            None => return torn(number, "its parts do not lie within it"),
        }
        at += length;
    }
    Ok(Table(table))
}

/// Name and value of an entry of `length` bytes; the value is `None` for a kind that nobody asks for.
fn entry(all: &Bytes<'_>, at: usize, length: usize, major: u8) -> Option<(String, Option<Value>)> {
    let (second, vector, kind) = (all.size(at + 4)?, all.size(at + 8)?, all.byte(at + 12)?);
    // From here on all places are within the entry.
    let (name_from, name_to, data) = if major == 1 {
        let name_to = second.checked_add(16)?;
        (16, name_to, if vector == 0 { length.checked_sub(8)? } else { name_to })
    } else {
        let data = all.size(at + 16)?;
        (second, data, data)
    };
    if name_from > name_to || name_to > length || data > length {
        return None;
    }
    let name = all.text(at + name_from, at + name_to, NAME_MAX)?;
    let value = match (kind, vector) {
        (b'J', 0) if data + 8 <= length => Some(Value::Number(all.eight(at + data)?)),
        (b'J', 0) => return None,
        (b'B', 1..) if vector <= length - data => {
            Some(Value::Text(all.text(at + data, at + data + vector, TEXT_MAX)?))
        }
        (b'B', 1..) => return None,
        _ => None,
    };
    Some((name, value))
}

#[cfg(test)]
#[path = "perf_data_tests.rs"]
mod tests;
