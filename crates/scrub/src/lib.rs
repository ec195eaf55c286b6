//! What nothing written may show: secrets, credentials that were captured, and values of data sets.
//!
//! # Place in the pipeline
//! At the bottom, beside `terms`. Every text from outside goes through [`KeptOut`] before it is shortened or written:
//! notes of failed exchanges in `recorder`, logs and the screen in `cli`, what is reported about a study in `study`.
//!
//! # Ideas
//! A text is not searched for a list of spellings: it is *decoded* in every way that a server or a library may have
//! encoded it, also several times over, and what is found in a decoded view is cut out where it stands in the text.
//! Decoded bytes that neither a value nor a code is made of are passed over, and so is whatever a view shares with the
//! one that it was made of.
//!
//! # Not here
//! Which values are secret is `study`'s to say; which captures are credentials, too.
#![forbid(unsafe_code)]

mod codes;
mod dumps;
mod ends;
mod fields;
mod letters;
pub mod names;
mod plausible;
mod runs;
mod schemes;
mod stream;
mod values;
mod views;

pub use stream::Stream;

use plausible::Plausible;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};
use values::{Pieces, Values};
use views::{View, Views};

/// What stands in the place of a value.
pub const MARK: &str = "‹kept out›";
/// Stands for a whole text that is encoded so often over that looking through it has no end.
const GIVEN_UP: &str = "‹kept out: encoded too often to be looked through›";
/// Captured credentials that are remembered, newest last: enough for the sessions of one machine, flat in memory.
const CAPTURED_MAX: usize = 1024;
/// Values of data sets are handed to the keepers of logs up to this many bytes; more of them are cut at the run's end.
const HANDED_BYTES_MAX: usize = 8 << 20;

/// The values that are kept out of a run's texts. Cheap to clone; clones share what was captured. Cannot be printed.
#[derive(Clone, Default)]
pub struct KeptOut {
    /// Of these a piece of half their length is cut out, too.
    secrets: Arc<Values>,
    /// Columns of data sets: whole values only, since there may be a million of them.
    data: Arc<Values>,
    captured: Arc<RwLock<Captured>>,
}

/// Credentials that answers gave, in a ring of buffers that are used again.
#[derive(Default)]
struct Captured {
    ring: Vec<Vec<u8>>,
    next: usize,
}

impl KeptOut {
    /// Takes values as a data set holds them; empty ones say nothing and are left out. Patterns are made here, so that
    /// the load thread that sees the first failure need not.
    pub fn of<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Self {
        names::prepare();
        Self { data: Arc::new(Values::new(values, Pieces::None)), ..Self::default() }
    }

    /// The same, with secrets beside them.
    #[must_use]
    pub fn with_secrets<'a>(mut self, secrets: impl IntoIterator<Item = &'a [u8]>) -> Self {
        self.secrets = Arc::new(Values::new(secrets, Pieces::All));
        self
    }

    /// Whether no value is kept out. What is named like a credential goes all the same.
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty() && self.data.is_empty() && !self.has_captured()
    }

    /// Whether a credential was captured so far.
    pub fn has_captured(&self) -> bool {
        !self.captured.read().unwrap_or_else(PoisonError::into_inner).ring.is_empty()
    }

    /// From now on this value is kept out, too: a credential that an answer gave. Of very many the newest are
    /// remembered. Allocates nothing once the ring is full.
    pub fn remember(&self, value: &[u8]) {
        let mut captured = self.captured.write().unwrap_or_else(PoisonError::into_inner);
        if value.is_empty() || captured.ring.iter().rev().take(4).any(|known| known == value) {
            return;
        }
        let Captured { ring, next } = &mut *captured;
        if ring.len() < CAPTURED_MAX {
            ring.push(value.to_vec());
        } else {
            ring[*next].clear();
            ring[*next].extend_from_slice(value);
            *next = (*next + 1) % CAPTURED_MAX;
        }
    }

    /// A text from outside with a mark in the place of each value, and of whatever stands under a name like those of
    /// credentials. What stands before a `…` may be the beginning of a value that was shortened, and goes, too.
    pub fn cut<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.cut_with(text, &[])
    }

    /// As [`KeptOut::cut`], with more values for this text alone.
    pub fn cut_with<'a>(&self, text: &'a str, more: &[&[u8]]) -> Cow<'a, str> {
        splice(text, self.ranges(text.as_bytes(), more, true))
    }

    /// As [`KeptOut::cut_with`], of bytes that may not be text; they stay what they are.
    pub fn cut_bytes<'a>(&self, bytes: &'a [u8], more: &[&[u8]]) -> Cow<'a, [u8]> {
        let Some(ranges) = self.ranges(bytes, more, true) else { return Cow::Borrowed(GIVEN_UP.as_bytes()) };
        if ranges.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut out = Vec::with_capacity(bytes.len());
        pass_on(bytes, &ranges, &mut out);
        Cow::Owned(out)
    }

    /// A sentence of our own, in which a name like `token:` says nothing: only values, and passwords in addresses.
    pub fn cut_values<'a>(&self, text: &'a str) -> Cow<'a, str> {
        splice(text, self.ranges(text.as_bytes(), &[], false))
    }

    /// What has to go from a text, in order and apart; `None` when it cannot be looked through.
    fn ranges(&self, text: &[u8], more: &[&[u8]], by_name: bool) -> Option<Vec<Range<usize>>> {
        self.search(text, more, by_name, true)
    }

    /// As [`KeptOut::ranges`]; unless it `skips` noise and what it looked at before, it takes ten times as long and
    /// finds the same.
    fn search(&self, text: &[u8], more: &[&[u8]], by_name: bool, skips: bool) -> Option<Vec<Range<usize>>> {
        let captured = {
            let captured = self.captured.read().unwrap_or_else(PoisonError::into_inner);
            let all = captured.ring.iter().map(Vec::as_slice).chain(more.iter().copied());
            Values::new(all, Pieces::Blocks)
        };
        let mut found = Vec::new();
        let unwraps = !self.secrets.is_empty() || !captured.is_empty();
        let plausible = skips.then(|| Plausible::of(&[&self.secrets, &captured, &self.data]));
        let mut views = Views::of(text, unwraps, plausible);
        while let Some(view) = views.next()? {
            for values in [&*self.secrets, &captured] {
                values.find(&view, &mut found);
            }
            // Of two lines in one, only what nobody writes by chance is taken for a value.
            if view.is_unwrapped {
                continue;
            }
            self.data.find(&view, &mut found);
            match by_name && !view.is_coded {
                true => names::find(&view, &mut found),
                false => names::find_in_addresses(&view, &mut found),
            }
        }
        found.sort_unstable_by_key(|range| (range.start, range.end));
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match apart.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => apart.push(range),
            }
        }
        Some(apart)
    }

    /// Everything but what is captured later, for a process of its own that looks through a log; read by
    /// [`KeptOut::from_bytes`]. Very many values of data sets are left out, see [`KeptOut::hands_over_all`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let none = Values::default();
        let data = if self.hands_over_all() { &*self.data } else { &none };
        let mut body = Vec::new();
        for values in [&*self.secrets, data] {
            body.extend((values.whole().count() as u32).to_le_bytes());
            for value in values.whole() {
                body.extend((value.len() as u32).to_le_bytes());
                body.extend(value);
            }
        }
        [&(body.len() as u64).to_le_bytes()[..], &body].concat()
    }

    /// Whether [`KeptOut::to_bytes`] has all there is now.
    pub fn hands_over_all(&self) -> bool {
        self.data.whole().map(<[u8]>::len).sum::<usize>() <= HANDED_BYTES_MAX
    }

    /// Reads what [`KeptOut::to_bytes`] wrote, and leaves the rest of the stream alone.
    ///
    /// # Errors
    /// The stream ends early.
    pub fn from_bytes(stream: &mut dyn Read) -> io::Result<Self> {
        let mut length = [0; 8];
        stream.read_exact(&mut length)?;
        let mut body = Vec::new();
        let wanted = u64::from_le_bytes(length);
        Read::take(&mut *stream, wanted).read_to_end(&mut body)?;
        if body.len() as u64 != wanted {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut rest = body.as_slice();
        let secrets = read_values(&mut rest)?;
        let data = read_values(&mut rest)?;
        Ok(Self::of(data).with_secrets(secrets))
    }

    /// Length that a stream must look ahead, so that no value is seen in halves.
    fn reach(&self) -> usize {
        // Written out as `\u00xx` a byte takes six; of secrets a piece of 32 bytes is enough to be seen.
        (6 * self.data.longest()).clamp(4 << 10, 64 << 10)
    }
}

fn read_values<'a>(rest: &mut &'a [u8]) -> io::Result<Vec<&'a [u8]>> {
    let mut take = |length: usize| {
        let (taken, left) = rest.split_at_checked(length)?;
        *rest = left;
        Some(taken)
    };
    let number = |bytes: Option<&'a [u8]>| Some(u32::from_le_bytes(bytes?.try_into().ok()?) as usize);
    let mut read = || {
        let count = number(take(4))?;
        (0..count).map(|_| number(take(4)).and_then(&mut take)).collect::<Option<Vec<_>>>()
    };
    read().ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Copies bytes with a mark in the place of each range.
fn pass_on(bytes: &[u8], ranges: &[Range<usize>], out: &mut Vec<u8>) {
    let mut from = 0;
    for range in ranges {
        out.extend_from_slice(&bytes[from..range.start]);
        out.extend_from_slice(MARK.as_bytes());
        from = range.end;
    }
    out.extend_from_slice(&bytes[from..]);
}

fn splice(text: &str, ranges: Option<Vec<Range<usize>>>) -> Cow<'_, str> {
    let Some(ranges) = ranges else { return Cow::Borrowed(GIVEN_UP) };
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for range in ranges {
        // A piece may begin or end within a character.
        let (start, end) = (text.floor_char_boundary(range.start).max(from), text.ceil_char_boundary(range.end));
        out.push_str(&text[from..start]);
        out.push_str(MARK);
        from = end;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

impl fmt::Debug for KeptOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (secrets, data) = (self.secrets.whole().count(), self.data.whole().count());
        f.debug_struct("KeptOut").field("secrets", &secrets).field("data", &data).finish_non_exhaustive()
    }
}

/// Where what was found in a view stands in the text.
fn place_in_text(view: &View, found: Range<usize>) -> Range<usize> {
    view.place(found.start).start..view.place(found.end - 1).end
}

#[cfg(test)]
mod tests;
