//! A text as it reads once decoded, in every way, with the place of each decoded byte in the text.

use super::plausible::Plausible;
use super::{codes, dumps, letters, runs};
use std::collections::hash_map::RandomState;
use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

/// How often one code may lie within another: base64 in a form in JSON is three.
const DEPTH_MAX: u8 = 3;
/// Decoded bytes in all, as a multiple of the text's own: no honest text comes near it, and a hostile one ends there.
const BUDGET: usize = 400;
/// A text, or what it is once decoded.
pub(super) struct View {
    bytes: Vec<u8>,
    /// Where each byte comes from; the text itself has none.
    places: Option<Vec<(u32, u32)>>,
    /// Where it differs from the view that it was made of, in order; `None`: everywhere. What stands elsewhere was
    /// looked at there.
    new: Option<Vec<Range<usize>>>,
    depth: u8,
    /// Decoded from what any word may be, such as base64: chance finds short values in it.
    pub(super) is_coded: bool,
    /// Lines were joined: what was found may be made of two.
    pub(super) is_unwrapped: bool,
}

impl View {
    pub(super) fn root(text: &[u8]) -> Self {
        Self { bytes: text.to_vec(), places: None, new: None, depth: 0, is_coded: false, is_unwrapped: false }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where a byte stands in the text.
    pub(super) fn place(&self, at: usize) -> Range<usize> {
        match &self.places {
            Some(places) => places[at].0 as usize..places[at].1 as usize,
            None => at..at + 1,
        }
    }

    /// Whether this is the text itself.
    pub(super) fn is_root(&self) -> bool {
        self.depth == 0
    }

    /// Decoded from this.
    pub(super) fn child(&self) -> Self {
        let (is_coded, is_unwrapped) = (self.is_coded, self.is_unwrapped);
        Self { bytes: Vec::new(), places: Some(Vec::new()), new: None, depth: self.depth + 1, is_coded, is_unwrapped }
    }

    /// As [`View::child`], decoded from what may not be code at all.
    pub(super) fn coded_child(&self) -> Self {
        Self { is_coded: true, ..self.child() }
    }

    /// Adds bytes that stand for some of `of`.
    pub(super) fn push(&mut self, decoded: &[u8], of: &Self, range: Range<usize>) {
        let place = (of.place(range.start).start as u32, of.place(range.end - 1).end as u32);
        self.bytes.extend_from_slice(decoded);
        if let Some(places) = &mut self.places {
            places.resize(self.bytes.len(), place);
        }
    }

    /// Adds bytes of `of` as they are.
    pub(super) fn push_as_is(&mut self, of: &Self, range: Range<usize>) {
        self.bytes.extend_from_slice(&of.bytes[range.clone()]);
        match (&mut self.places, &of.places) {
            (Some(places), Some(before)) => places.extend_from_slice(&before[range]),
            (Some(places), None) => places.extend(range.map(|at| (at as u32, at as u32 + 1))),
            (None, _) => {}
        }
    }

    /// This, with lines that were joined.
    pub(super) fn unwrapped(self) -> Self {
        Self { is_unwrapped: true, ..self }
    }

    /// Where this differs from what it was made of; `None`: everywhere.
    pub(super) fn new_ranges(&self) -> Option<&[Range<usize>]> {
        self.new.as_deref()
    }

    /// This, different from what it was made of in these places alone, in order.
    pub(super) fn new_in(self, new: Vec<Range<usize>>) -> Self {
        Self { new: Some(new), ..self }
    }

    /// Whether some of a range, or what it begins or ends with, is new here.
    pub(super) fn is_new(&self, range: Range<usize>) -> bool {
        let Some(new) = &self.new else { return true };
        let next = new.partition_point(|new| new.end < range.start);
        new.get(next).is_some_and(|new| new.start <= range.end)
    }

    /// Leaves out all that can be neither a value nor a code of one.
    fn thinned(mut self, plausible: &Plausible) -> Self {
        let Some(places) = &mut self.places else { return self };
        let mut end = 0;
        for stretch in plausible.stretches(&self.bytes) {
            self.bytes.copy_within(stretch.clone(), end);
            places.copy_within(stretch.clone(), end);
            end += stretch.len();
        }
        self.bytes.truncate(end);
        places.truncate(end);
        self
    }

    /// Equal for views that show the same bytes from the same places.
    fn hash(&self, by: &RandomState) -> u64 {
        let mut hasher = by.build_hasher();
        hasher.write(&self.bytes);
        let places = self.places.iter().flatten().map(|(from, to)| u64::from(*from) << 32 | u64::from(*to));
        hasher.write_u64(
            places.fold(0, |all: u64, place| (all.rotate_left(5) ^ place).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        );
        hasher.write_u8(u8::from(self.is_coded) << 1 | u8::from(self.is_unwrapped));
        hasher.finish()
    }
}

/// All views of a text, the text itself first.
pub(super) struct Views {
    waiting: VecDeque<View>,
    left: usize,
    /// Whether anything is looked for in lines that were joined.
    unwraps: bool,
    /// What is passed over as noise. Without it nothing is passed over, not even what was looked at before: that takes
    /// ten times as long and finds the same.
    plausible: Option<Plausible>,
    /// Hashes of the views so far: two codes that meet nowhere give the same view in either order.
    seen: HashSet<u64>,
    hashes: RandomState,
}

impl Views {
    pub(super) fn of(text: &[u8], unwraps: bool, plausible: Option<Plausible>) -> Self {
        Self {
            waiting: VecDeque::from([View::root(text)]),
            left: text.len().saturating_mul(BUDGET) + (1 << 16),
            unwraps,
            plausible,
            seen: HashSet::new(),
            hashes: RandomState::new(),
        }
    }

    /// The next view. The outer `None` says that there is no end to them.
    pub(super) fn next(&mut self) -> Option<Option<View>> {
        let Some(view) = self.waiting.pop_front() else { return Some(None) };
        self.left = self.left.checked_sub(view.bytes.len())?;
        if view.depth < DEPTH_MAX {
            let plain = codes::decoded(&view).into_iter().chain(letters::decoded(&view));
            let joined = codes::unwrapped(&view).filter(|_| self.unwraps);
            let coded = runs::decoded(&view).into_iter().chain(dumps::decoded(&view));
            for next in plain.chain(joined).chain(coded) {
                match &self.plausible {
                    // What is made of a thinned view is thin.
                    Some(plausible) if next.is_coded && next.new.is_none() => {
                        // Joiners between all letters would leave no row of letters that is long enough.
                        let bare = letters::without_unseen(&next).map(|bare| View { new: None, ..bare });
                        let both = [Some(next), bare].map(|view| view.map(|view| view.thinned(plausible)));
                        both.into_iter().flatten().for_each(|view| self.wait(view));
                    }
                    Some(_) => self.wait(next),
                    None => self.wait(View { new: None, ..next }),
                }
            }
        }
        Some(Some(view))
    }

    /// Takes a view for later, unless it is empty or shows what another one showed.
    fn wait(&mut self, view: View) {
        let mut is_same = || self.plausible.is_some() && !self.seen.insert(view.hash(&self.hashes));
        if !view.bytes.is_empty() && !is_same() {
            self.waiting.push_back(view);
        }
    }
}
