//! What all calls together tell: labels, bounds, users by second, exact times. Calls go on to the spool.

use crate::call::{Call, Sink, Time, What};
use crate::error::ImportError;
use crate::exact::{Exact, Last, units};
use crate::hash::Quick;
use crate::reading::shown;
use crate::spool::{Kept, Spool};
use crate::zone::Zone;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use terms::{Nanos, Outcome};

/// Labels that are kept apart. Nobody reads a report with more, and who has more has put an id into each.
pub(crate) const LABELS_MAX: usize = 300;
/// The label under which the others are booked.
pub(crate) const OTHERS: &[u8] = b"(other labels)";
/// What a call without a label is called.
const UNNAMED: &[u8] = b"(no label)";
/// Failures whose words are kept, of each label and way of failing.
const NOTES_EACH: u8 = 3;
/// Seconds with a number of users: two weeks.
const SECONDS_MAX: usize = 14 * 86_400;

/// What is known of one label.
#[derive(Clone, Debug, Default)]
pub(crate) struct Label {
    pub(crate) text: Vec<u8>,
    /// Calls, and of these the failed.
    pub(crate) calls: u64,
    pub(crate) failed: u64,
    /// How many of its records stand for a sum of others.
    pub(crate) sums: u64,
    /// Times of all calls, failed ones too, as the tools take them.
    pub(crate) exact: Exact,
    /// The last of them.
    pub(crate) last: Last,
    /// Shortest of those that timed out: no time-out was shorter.
    pub(crate) least_timeout: Option<Nanos>,
    notes: [u8; 16],
}

/// Words of a failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) at: Nanos,
    pub(crate) label: u16,
    pub(crate) outcome: Outcome,
    pub(crate) text: String,
}

/// Takes all calls of all files.
pub(crate) struct Survey {
    spool: Spool,
    folder: PathBuf,
    unit: Nanos,
    /// The zone of stamps of the file in hand that do not say theirs.
    pub(crate) zone: Zone,
    pub(crate) labels: Vec<Label>,
    numbers: HashMap<Vec<u8>, u16, Quick>,
    latest: u16,
    /// Calls under [`OTHERS`].
    pub(crate) beyond: u64,
    /// Times of all calls together, and the last of them.
    pub(crate) all: Label,
    pub(crate) first_start: Nanos,
    pub(crate) last_start: Nanos,
    pub(crate) last_end: Nanos,
    /// Seconds that calls took, all together.
    pub(crate) spent_s: f64,
    /// Most users seen in each second since 1970.
    pub(crate) users: BTreeMap<i64, u32>,
    latest_users: (i64, u32),
    /// Calls that ended in each second since 1970.
    pub(crate) ended: BTreeMap<i64, u32>,
    /// A second and how many ended in it, not yet among the others: most calls end in the second of the one before.
    latest_ended: (i64, u32),
    pub(crate) notes: Vec<Note>,
}

impl Survey {
    /// `folder` takes the calls on their way; `unit` is the least difference between two times of the tool.
    ///
    /// # Errors
    /// When the folder takes no file.
    pub(crate) fn within(folder: &Path, unit: Nanos) -> Result<Self, ImportError> {
        let spool = Spool::within(folder).map_err(|source| spool_error(folder, source))?;
        Ok(Self {
            spool,
            folder: folder.to_owned(),
            unit,
            zone: Zone::default(),
            labels: Vec::new(),
            numbers: HashMap::default(),
            latest: 0,
            beyond: 0,
            all: Label::default(),
            first_start: Nanos::MAX,
            last_start: Nanos(i64::MIN),
            last_end: Nanos(i64::MIN),
            spent_s: 0.0,
            users: BTreeMap::new(),
            latest_users: (i64::MIN, 0),
            ended: BTreeMap::new(),
            latest_ended: (i64::MIN, 0),
            notes: Vec::new(),
        })
    }

    /// The calls, from the first.
    ///
    /// # Errors
    /// When the disk is full.
    pub(crate) fn into_calls(self) -> Result<impl Iterator<Item = Result<Kept, ImportError>>, ImportError> {
        let folder = self.folder;
        let calls = self.spool.read().map_err(|source| spool_error(&folder, source))?;
        Ok(calls.map(move |call| call.map_err(|source| spool_error(&folder, source))))
    }

    fn number(&mut self, label: &[u8]) -> u16 {
        let label = if label.is_empty() { UNNAMED } else { label };
        if self.labels.get(usize::from(self.latest)).is_some_and(|latest| latest.text == label) {
            return self.latest;
        }
        let number = match self.numbers.get(label) {
            Some(number) => *number,
            None => self.add_label(label),
        };
        self.latest = number;
        number
    }

    fn add_label(&mut self, label: &[u8]) -> u16 {
        let is_full = self.labels.len() >= LABELS_MAX;
        let text = if is_full { OTHERS } else { label };
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.labels.len() as u16;
        self.labels.push(Label { text: text.to_vec(), ..Label::default() });
        self.numbers.insert(text.to_vec(), number);
        number
    }

    /// Puts what was counted last among the others.
    pub(crate) fn settle(&mut self) {
        let (second, count) = std::mem::take(&mut self.latest_ended);
        if count > 0 && (self.ended.len() < SECONDS_MAX || self.ended.contains_key(&second)) {
            let ended = self.ended.entry(second).or_default();
            *ended = ended.saturating_add(count);
        }
    }

    fn see_users(&mut self, end: Nanos, users: u32) {
        let second = end.second();
        if self.latest_users == (second, users) || self.users.len() >= SECONDS_MAX {
            return;
        }
        let most = self.users.entry(second).or_default();
        *most = users.max(*most);
        self.latest_users = (second, *most);
    }

    fn note(&mut self, number: u16, call: &Call<'_>) {
        let kept = &mut self.labels[usize::from(number)].notes[call.outcome as usize];
        if *kept < NOTES_EACH {
            *kept += 1;
            let (at, text) = (call.start + call.took, shown(call.why));
            self.notes.push(Note { at, label: number, outcome: call.outcome, text });
        }
    }
}

fn spool_error(folder: &Path, source: std::io::Error) -> ImportError {
    ImportError::Spool { folder: folder.to_owned(), error: source }
}

impl Sink for Survey {
    fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError> {
        let number = self.number(call.label);
        let value = units(call.took, self.unit);
        let (label, count) = (&mut self.labels[usize::from(number)], u64::from(call.count));
        let is_timed = call.time != Time::Unknown;
        if is_timed {
            label.exact.add_many(value, count);
            label.last.add(value);
        }
        if call.what == What::Sum {
            // Its parts have records of their own; what it took is stated beside what the tool says, and booked nowhere.
            label.sums += count;
            return Ok(());
        }
        label.calls += count;
        let is_failed = call.outcome != Outcome::Ok;
        let failed = if is_failed { count } else { 0 };
        label.failed += failed;
        if call.outcome == Outcome::Timeout {
            label.least_timeout = Some(label.least_timeout.map_or(call.took, |least| least.min(call.took)));
        }
        self.beyond += if label.text == OTHERS { count } else { 0 };
        if is_timed {
            self.all.exact.add_many(value, count);
            self.all.last.add(value);
        }
        self.all.calls += count;
        self.all.failed += failed;
        let end = call.start + call.took;
        self.first_start = self.first_start.min(call.start);
        self.last_start = self.last_start.max(call.start);
        self.last_end = self.last_end.max(end);
        self.spent_s += call.took.as_secs_f64() * count as f64;
        let second = end.second();
        if second == self.latest_ended.0 {
            self.latest_ended.1 = self.latest_ended.1.saturating_add(call.count);
        } else {
            self.settle();
            self.latest_ended = (second, call.count);
        }
        if let Some(users) = call.users {
            self.see_users(end, users);
        }
        if is_failed {
            self.note(number, call);
        }
        let &Call { start, took, first_byte, connect, bytes, outcome, time, count, .. } = call;
        let kept = Kept { start, took, first_byte, connect, bytes, label: number, outcome, time, count };
        self.spool.add(kept).map_err(|source| spool_error(&self.folder, source))
    }

    fn zone(&self) -> Zone {
        self.zone.clone()
    }

    fn users(&mut self, at: Nanos, users: u32) {
        self.see_users(at, users);
    }
}
