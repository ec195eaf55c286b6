//! What the calls of a piece of a file add up to. Pieces are added up on several threads, and joined in their order.

use crate::call::{Call, Sink, Time, What};
use crate::cells::{Grid, Kept};
use crate::error::ImportError;
use crate::exact::{Exact, Last, units};
use crate::hash::Quick;
use crate::reading::shown;
use crate::tally::Tally;
use crate::twofold::{Seen, Threads, Twofold, whole_of};
use std::collections::HashMap;
use std::sync::Arc;
use terms::{Nanos, Outcome};

/// Failures whose words are kept, of each label and way of failing.
const NOTES_EACH: u8 = 3;
/// So many of the latest seconds are compared with the next.
const USERS_NEAR: usize = 8;

/// Slots for labels; most files have fewer labels.
const SLOTS: usize = 64;

/// The slot of a label, by its length and three of its bytes.
fn slot(label: &[u8]) -> usize {
    let [first, middle, last] = match label {
        [] => [0; 3],
        [first, ..] => [*first, label[label.len() / 2], label[label.len() - 1]].map(usize::from),
    };
    (label.len() + 3 * first + 5 * middle + 7 * last) % SLOTS
}

/// What is known of one label.
#[derive(Clone, Debug, Default)]
pub(crate) struct Label {
    pub(crate) text: Vec<u8>,
    /// Calls, and of these the failed.
    pub(crate) calls: u64,
    pub(crate) failed: u64,
    /// How many of its records stand for a sum of others, or for a part of one that is counted.
    pub(crate) sums: u64,
    /// Whether its records are calls in their own right.
    pub(crate) seen: Seen,
    /// Times of all calls, failed ones too, as the tools take them: counted when the last was read.
    pub(crate) exact: Exact,
    /// The last of them.
    pub(crate) last: Last,
    /// Shortest of those that timed out: no time-out was shorter.
    pub(crate) least_timeout: Option<Nanos>,
    notes: [u8; 16],
}

impl Label {
    pub(crate) fn of(text: &[u8]) -> Self {
        Self { text: text.to_vec(), ..Self::default() }
    }

    /// Whether the words of one more failure are kept.
    pub(crate) fn takes_note(&mut self, outcome: Outcome) -> bool {
        let kept = &mut self.notes[outcome as usize];
        let is_taken = *kept < NOTES_EACH;
        *kept += u8::from(is_taken);
        is_taken
    }

    /// Adds what is known of it from a later piece.
    pub(crate) fn join(&mut self, later: Self) {
        self.calls += later.calls;
        self.failed += later.failed;
        self.sums += later.sums;
        self.last.join(later.last);
        self.least_timeout = self.least_timeout.into_iter().chain(later.least_timeout).min();
    }
}

/// Words of a failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) at: Nanos,
    pub(crate) label: u32,
    pub(crate) outcome: Outcome,
    pub(crate) text: String,
}

/// From the first start to the last end, since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first_start: Nanos,
    pub(crate) last_start: Nanos,
    pub(crate) last_end: Nanos,
}

impl Span {
    pub(crate) const NONE: Self =
        Self { first_start: Nanos::MAX, last_start: Nanos(i64::MIN), last_end: Nanos(i64::MIN) };

    pub(crate) fn join(&mut self, other: Self) {
        self.first_start = self.first_start.min(other.first_start);
        self.last_start = self.last_start.max(other.last_start);
        self.last_end = self.last_end.max(other.last_end);
    }
}

/// How blocks are added up.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    /// The least difference between two times of the tool.
    pub(crate) unit: Nanos,
    /// Where seconds begin; as long as nobody knows, calls are kept one by one.
    pub(crate) grid: Option<Grid>,
    /// Which records an earlier reading has shown not to be calls in their own right.
    pub(crate) twofold: Arc<Twofold>,
    /// Whether records are looked up by their threads, which is needed only to recognise parts of others.
    pub(crate) sees_threads: bool,
}

/// Calls of a piece, added up.
#[derive(Debug)]
pub(crate) struct Block {
    manner: Manner,
    /// In the order in which they come up; as many as there are.
    pub(crate) labels: Vec<Label>,
    numbers: HashMap<Vec<u8>, u32, Quick>,
    /// The latest label of each slot.
    latest: [u32; SLOTS],
    pub(crate) threads: Threads,
    /// Whether a label has come up that may be that of a part.
    pub(crate) may_have_parts: bool,
    /// Calls of all labels together, and of these the failed; and the last times.
    pub(crate) all: Label,
    pub(crate) span: Span,
    /// Nanoseconds that calls took, all together.
    pub(crate) spent_ns: u128,
    /// Seconds since 1970, each with the most users seen in it; one may come up several times.
    pub(crate) users: Vec<(i64, u32)>,
    pub(crate) notes: Vec<Note>,
    pub(crate) cells: Tally,
    /// Calls that are in no cell yet.
    pub(crate) kept: Vec<Kept>,
    /// Records that it holds.
    pub(crate) records: usize,
}

impl Block {
    /// Whether it has to be read once more, looking records up by their threads.
    pub(crate) fn misses_threads(&self) -> bool {
        self.may_have_parts && !self.manner.sees_threads
    }

    pub(crate) fn new(manner: Manner) -> Self {
        Self {
            manner,
            labels: Vec::new(),
            numbers: HashMap::default(),
            latest: [0; SLOTS],
            threads: Threads::default(),
            may_have_parts: false,
            all: Label::default(),
            span: Span::NONE,
            spent_ns: 0,
            users: Vec::new(),
            notes: Vec::new(),
            cells: Tally::default(),
            kept: Vec::new(),
            records: 0,
        }
    }

    fn number(&mut self, label: &[u8]) -> u32 {
        let latest = &mut self.latest[slot(label)];
        if self.labels.get(*latest as usize).is_some_and(|latest| latest.text == label) {
            return *latest;
        }
        *latest = match self.numbers.get(label) {
            Some(number) => *number,
            None => {
                let number = self.labels.len() as u32;
                self.labels.push(Label::of(label));
                self.may_have_parts |= whole_of(label).is_some();
                self.numbers.insert(label.to_vec(), number);
                number
            }
        };
        *latest
    }

    /// Adds a call.
    pub(crate) fn add(&mut self, call: &Call<'_>) {
        self.records += 1;
        let number = self.number(call.label);
        self.see(call, number);
        let what =
            if self.manner.twofold.is_empty() { call.what } else { self.manner.twofold.what(call.label, call.what) };
        let (label, count) = (&mut self.labels[number as usize], u64::from(call.count));
        let kept = Kept { what, ..Kept::of(call, number) };
        match &self.manner.grid {
            Some(grid) => self.cells.add(&kept, grid),
            None => self.kept.push(kept),
        }
        let is_timed = call.time != Time::Unknown;
        let value = units(call.took, self.manner.unit);
        if is_timed {
            label.last.add(value);
        }
        if what == What::Sum {
            // Its parts have records of their own; what it took is stated beside what the tool says, and booked nowhere.
            label.sums += count;
            return;
        }
        let is_failed = call.outcome != Outcome::Ok;
        let failed = if is_failed { count } else { 0 };
        for label in [&mut *label, &mut self.all] {
            label.calls += count;
            label.failed += failed;
        }
        if is_timed {
            self.all.last.add(value);
        }
        if call.outcome == Outcome::Timeout {
            label.least_timeout = Some(label.least_timeout.map_or(call.took, |least| least.min(call.took)));
        }
        let end = call.start + call.took;
        self.span.join(Span { first_start: call.start, last_start: call.start, last_end: end });
        self.spent_ns += call.took.0.unsigned_abs() as u128 * u128::from(count);
        if is_failed && label.takes_note(call.outcome) {
            self.notes.push(Note { at: end, label: number, outcome: call.outcome, text: shown(call.why) });
        }
        if let Some(users) = call.users {
            self.see_users(end, users);
        }
    }

    /// Sees whether a record is a call in its own right.
    fn see(&mut self, call: &Call<'_>, number: u32) {
        let Self { manner, labels, threads, .. } = self;
        let seen = &mut labels[number as usize].seen;
        match (call.what, call.thread) {
            (What::Sum, _) => seen.sums += u64::from(call.count),
            (What::Blank, _) => seen.blank += u64::from(call.count),
            (What::Call, Some(thread)) if manner.sees_threads => {
                threads.see(thread, call, seen);
            }
            (What::Call, _) => {}
        }
    }

    /// Sees a record before the first, which the first may be a part of.
    pub(crate) fn look_back(&mut self, call: &Call<'_>) {
        if let (What::Call, Some(thread)) = (call.what, call.thread) {
            self.threads.see(thread, call, &mut Seen::default());
        }
    }

    pub(crate) fn see_users(&mut self, at: Nanos, users: u32) {
        let second = at.second();
        // Calls that end close to each other are not in the order of their ends.
        match self.users.iter_mut().rev().take(USERS_NEAR).find(|near| near.0 == second) {
            Some(near) => near.1 = near.1.max(users),
            None => self.users.push((second, users)),
        }
    }
}

/// Takes blocks besides calls, in the order of the file.
pub(crate) trait TakesBlocks: Sink {
    /// Takes a record that was counted with a block, and that the next ones, which come one by one, may be parts of.
    fn look_back(&mut self, call: &Call<'_>);

    /// How the blocks that come next are to be added up.
    fn manner(&self) -> Manner;

    /// # Errors
    /// When it cannot be kept.
    fn block(&mut self, block: Block) -> Result<(), ImportError>;
}
