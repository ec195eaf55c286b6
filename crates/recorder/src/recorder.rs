//! The only way for a session to report. Each call is an index and an addition in this thread's arrays.
//!
//! The engine drains the arrays once a second into a [`crate::Batch`]; sorting and folding happen on the collecting thread.

mod awaited;
mod engine;
mod render;
mod traced;

use crate::batch::{COUNTERS_MAX, StartRowKey};
use crate::close::{Origin, RawClose};
use crate::exchange::{Leg, NO_STREAM, Task};
use crate::hot::{HotLeg, HotStarts};
use crate::layout::Layout;
use crate::matching::Matching;
use crate::note::Note;
use crate::rows::{NoteRow, OutcomeRow, SlowRow, StartRow};
use crate::slowest::Slowest;
use crate::table::{Row, Table};
use crate::template::Template;
use crate::trace::{Maker, OwnHalf, Sent, Traces};
use crate::units::{UNITS_SLOT, units_of};
use clock::Clock;
use scrub::KeptOut;
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use terms::{Nanos, Outcome};

/// Registers a slot's socket with the loop that waits for it.
pub trait Attach {
    /// From now on events of `socket` wake the session in `slot`.
    ///
    /// # Errors
    /// When the system refuses to watch one more.
    fn attach(&mut self, slot: u32, socket: BorrowedFd<'_>) -> io::Result<()>;
}

/// What every thread shares, read-only.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Compiled texts, by the numbers that `BuildContext::keep` gave.
    pub templates: Vec<Template>,
    /// Data sets.
    pub tables: Vec<Arc<Table>>,
    /// What no note may show.
    pub kept_out: KeptOut,
    /// Captures that are credentials, by their numbers; later ones are none.
    pub secret_captures: Vec<bool>,
    /// Number of capture slots that the study uses.
    pub captures: u8,
    /// Seed of the study.
    pub seed: u64,
    /// Number of this load node.
    pub node: u16,
    /// What the study says of the traces that its requests begin.
    pub traces: Traces,
    /// Whether somebody looks at every single exchange, so that answers are worth keeping that nothing else looks into.
    pub is_looked_at: bool,
}

/// First N notes of a class are kept, later ones only counted.
const NOTES_PER_CLASS: u32 = 5;
/// A captured value longer than this is cut: no token is, and a hostile answer must not fill the memory.
const CAPTURE_BYTES_MAX: usize = 16 * 1024;

/// How an exchange ended, for the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The first leg's outcome, or a later leg's if that was worse.
    pub outcome: Outcome,
    /// When the last leg in hand closed.
    pub at: Nanos,
}

#[derive(Default)]
struct SlotState {
    task: Option<Task>,
    user: u64,
    /// The slot whose captures it reads and writes: its own number, unless it makes calls at once for that one's user.
    owner: u32,
    started: Option<Nanos>,
    available: Nanos,
    open: u8,
    ended: Option<Ended>,
    captures: Vec<Option<Vec<u8>>>,
    /// Captures of the user's own set-up, which outlive an iteration.
    kept: Vec<Option<Vec<u8>>>,
    closed_load: bool,
    /// What is in hand is the opening of a held connection, which starts no exchange.
    is_opening: bool,
    /// Units that the answer in hand says the exchange carried.
    units: Option<u64>,
    /// Number of the message in hand on the slot's held connection.
    message: u64,
    /// The iteration for which random numbers were drawn last, and how many.
    draws: ((u32, u64), u64),
    /// What the exchange in hand sent as its `traceparent`.
    sent: Option<Sent>,
    /// The iteration that a trace began for last, and that trace.
    trace: ((u32, u64), Option<OwnHalf>),
    /// While it makes one of several calls at once: which, and how many random numbers that call has drawn.
    beside: Option<(u64, u64)>,
}

/// The books of one thread.
pub struct Recorder {
    clock: Clock,
    /// Wall-clock time at the clock's origin, so that `$(now)` asks nobody.
    wall_origin: Nanos,
    shared: Arc<Shared>,
    layout: Arc<Layout>,
    attach: Box<dyn Attach>,
    slots: Vec<SlotState>,
    slot: u32,
    second: i64,
    step: u32,
    legs: Vec<HotLeg>,
    starts: Vec<HotStarts>,
    raw: Vec<RawClose>,
    raw_starts: Vec<(StartRowKey, Nanos)>,
    /// Starts of several exchanges that are booked as one, too.
    whole_starts: Vec<StartRow>,
    outcomes: Vec<OutcomeRow>,
    slowest: Slowest,
    traces: Maker,
    matching: Matching,
    worker: u16,
    lane: u8,
    /// The data set whose rows are the streams.
    streams: Option<u16>,
    /// The data sets that the set-up of users took a row of: each user keeps its row of these.
    user_tables: Vec<u16>,
    /// Whether a user's set-up is under way.
    is_setting_up_user: bool,
    /// The row that was last read of a data set that is not held in memory.
    row: Row,
    notes: Vec<NoteRow>,
    note_counts: Vec<u32>,
    counters: Vec<i64>,
    /// Whose counters are meant.
    driver: u8,
    blocked_since: Option<Nanos>,
    blocked: Nanos,
    /// Whether somebody looks at every single exchange, not only at what fails.
    is_looking: bool,
    /// Slots whose sessions another one asked to be called.
    woken: Vec<u32>,
    /// Captures of the node's set-up, used where a slot has none of its own.
    node_captures: Vec<Option<Vec<u8>>>,
    /// Why a script failed, until somebody asks.
    trouble: Option<String>,
}

impl Recorder {
    /// Takes all the memory it will need but the histograms, which come with the first time of their kind.
    pub fn new(clock: Clock, shared: Arc<Shared>, layout: Arc<Layout>, attach: Box<dyn Attach>) -> Self {
        let leg_count = layout.leg_count();
        let wall_origin = clock.wall() - clock.now();
        let captures = usize::from(shared.captures);
        Self {
            wall_origin,
            slots: Vec::new(),
            slot: 0,
            second: i64::MIN,
            step: 0,
            legs: (0..leg_count * 2).map(|_| HotLeg::default()).collect(),
            starts: (0..layout.exchanges.len()).map(|_| HotStarts::default()).collect(),
            raw: Vec::with_capacity(1024),
            raw_starts: Vec::with_capacity(256),
            whole_starts: Vec::new(),
            outcomes: Vec::with_capacity(64),
            slowest: Slowest::default(),
            traces: Maker::new(shared.traces.run, [0, clock.now().0 as u64]),
            matching: Matching::default(),
            worker: 0,
            lane: 0,
            streams: None,
            user_tables: Vec::new(),
            is_setting_up_user: false,
            row: Row::default(),
            notes: Vec::new(),
            note_counts: vec![0; layout.exchanges.len() * terms::OUTCOMES.len()],
            counters: Vec::new(),
            driver: 0,
            blocked_since: None,
            blocked: Nanos::ZERO,
            is_looking: false,
            woken: Vec::new(),
            node_captures: vec![None; captures],
            trouble: None,
            clock,
            shared,
            layout,
            attach,
        }
    }

    /// The clock handed in; simulated in tests.
    #[inline]
    pub fn now(&self) -> Nanos {
        self.clock.now()
    }

    /// Says which socket this slot's `Interest::Io` waits for.
    ///
    /// # Errors
    /// When the system refuses; the exchange then ends as `NoResource`.
    pub fn attach(&mut self, socket: BorrowedFd<'_>) -> io::Result<()> {
        self.attach.attach(self.slot, socket)
    }

    /// Has this driver's session in another slot called `ready` soon: something came for it on a connection that
    /// sessions share. One that has nothing in hand may be called all the same.
    pub fn wake(&mut self, slot: u32) {
        self.woken.push(slot);
    }

    /// Keeps a captured value with the slot; `None` forgets it, so that a failed capture never shows an old value. Under
    /// [`UNITS_SLOT`] it is how many units the exchange in hand carried, which its first leg is booked with.
    pub fn capture(&mut self, slot: u8, value: Option<&[u8]>) {
        if slot == UNITS_SLOT {
            // Its own, also where it makes calls at once for another slot's user.
            self.slots[self.slot as usize].units = value.and_then(units_of);
            return;
        }
        if let (Some(value), Some(true)) = (value, self.shared.secret_captures.get(usize::from(slot))) {
            self.shared.kept_out.remember(&value[..value.len().min(CAPTURE_BYTES_MAX)]);
        }
        let kept = value.map(|value| value[..value.len().min(CAPTURE_BYTES_MAX)].to_vec());
        let owner = self.slots[self.slot as usize].owner;
        if let Some(place) = self.slots[owner as usize].captures.get_mut(usize::from(slot)) {
            *place = kept;
        }
    }

    /// From now on this value is kept out of notes, logs and reports: a credential that an answer gave.
    pub fn keep_out(&self, value: &[u8]) {
        self.shared.kept_out.remember(value);
    }

    /// Wall-clock time, as the clock's origin had it.
    pub fn wall(&self) -> Nanos {
        self.wall_origin + self.now()
    }

    /// The first byte was given to the kernel, or a connection was asked for. Called once an exchange.
    pub fn started(&mut self, task: &Task) {
        let now = self.now();
        // Waiting for a free connection is on the system's account; only what came after is the generator's.
        let lateness = (now - task.intended.max(self.slots[self.slot as usize].available)).or_zero();
        self.note_start(task, now, lateness);
    }

    /// The same where another session sends what this one waits for: that one was late by so much, whenever this one comes
    /// to look at it.
    pub fn started_elsewhere(&mut self, task: &Task, lateness: Nanos) {
        self.note_start(task, task.intended + lateness, lateness);
    }

    fn note_start(&mut self, task: &Task, at: Nanos, lateness: Nanos) {
        let state = &mut self.slots[self.slot as usize];
        if state.started.is_some() {
            return;
        }
        state.started = Some(at);
        if state.is_opening {
            return;
        }
        let second = task.intended.second();
        if second == self.second && task.step == self.step && task.stream == NO_STREAM {
            self.starts[usize::from(task.exchange)].add(lateness);
        } else {
            self.raw_starts.push(((task.step, task.exchange, task.stream, second), lateness));
        }
    }

    /// Ends a leg; exactly once a leg. `bytes` are those of the answer. Where the answer said how many units the exchange
    /// carried, `units` are not looked at in its first leg.
    pub fn close(&mut self, task: &Task, leg: Leg, outcome: Outcome, units: u32, bytes: u64) {
        let now = self.now();
        let state = &mut self.slots[self.slot as usize];
        let bit = 1u8 << leg;
        debug_assert!(state.open & bit != 0, "leg {leg} of exchange {} is closed twice", task.exchange);
        if state.open & bit == 0 {
            return;
        }
        state.open &= !bit;
        let started = state.started.unwrap_or(now);
        let origin = if state.closed_load { started } else { task.intended };
        let worst = match state.ended {
            Some(before) if before.outcome != Outcome::Ok => before.outcome,
            _ => outcome,
        };
        state.ended = Some(Ended { outcome: worst, at: now });
        let response = (!state.closed_load).then(|| now - task.intended);
        let said = if leg == 0 { state.units.take() } else { None };
        let units = said.unwrap_or(u64::from(units));
        let trace = state.sent.map(|sent| sent.trace);
        let close = RawClose {
            step: task.step,
            exchange: task.exchange,
            leg,
            stream: task.stream,
            outcome,
            intended_s: origin.second(),
            end_s: now.second(),
            response,
            service: now - started,
            units,
            bytes,
        };
        self.book(close, Origin { at: origin, trace });
    }

    fn book(&mut self, close: RawClose, origin: Origin) {
        let (step, second) = (self.step, self.second);
        self.count_outcome(&close);
        let Some(population) = close.outcome.population() else { return };
        self.see_how_slow(&close, origin);
        // Streams are folded on the collecting thread: a dense histogram for each would be megabytes.
        let is_dense = close.stream == NO_STREAM;
        if is_dense && close.step == step && close.intended_s == second && close.end_s == second {
            let leg = self.layout.leg_index(close.exchange, close.leg);
            let thresholds = self.layout.thresholds(close.exchange, close.leg);
            self.legs[leg * 2 + population as usize].add(&close, thresholds);
        } else {
            self.raw.push(close);
        }
    }

    fn count_outcome(&mut self, close: &RawClose) {
        // Few classes live at a time, so a scan from the newest is an addition in the common case.
        let same = |row: &&mut OutcomeRow| {
            (row.step, row.exchange, row.leg, row.outcome) == (close.step, close.exchange, close.leg, close.outcome)
                && row.stream == close.stream
                && (row.intended_s, row.end_s) == (close.intended_s, close.end_s)
        };
        if let Some(row) = self.outcomes.iter_mut().rev().take(64).find(same) {
            row.count += 1;
            return;
        }
        self.outcomes.push(OutcomeRow {
            step: close.step,
            exchange: close.exchange,
            leg: close.leg,
            stream: close.stream,
            outcome: close.outcome,
            intended_s: close.intended_s,
            end_s: close.end_s,
            count: 1,
        });
    }

    /// Flow control holds the session back, or no longer does.
    pub fn blocked(&mut self, is_blocked: bool) {
        let now = self.now();
        match (is_blocked, self.blocked_since) {
            (true, None) => self.blocked_since = Some(now),
            (false, Some(since)) => {
                self.blocked += now - since;
                self.blocked_since = None;
            }
            _ => {}
        }
    }

    /// For the engine: a session of that driver is called next, by its number in the run's list.
    #[inline]
    pub fn serve(&mut self, driver: u8) {
        self.driver = driver;
    }

    /// Adds to a counter of the driver's own, by its number in `DriverKind::counters`, of which there are at most
    /// [`COUNTERS_MAX`].
    pub fn count(&mut self, counter: u8, by: i64) {
        debug_assert!(usize::from(counter) < COUNTERS_MAX, "a driver has that many counters at most");
        let index = usize::from(self.driver) * COUNTERS_MAX + usize::from(counter);
        if self.counters.len() <= index {
            self.counters.resize(index + 1, 0);
        }
        self.counters[index] += by;
    }

    /// Whether somebody looks at every single exchange: then one that succeeded is worth a note, too.
    #[inline]
    pub fn is_looking(&self) -> bool {
        self.is_looking
    }

    /// Says more about a failed exchange; called back for the first few of a class only.
    pub fn note(&mut self, outcome: Outcome, write: &mut dyn FnMut(&mut Note)) {
        let Some(task) = self.slots[self.slot as usize].task else { return };
        let trace = self.slots[self.slot as usize].sent.map(|sent| sent.trace);
        self.note_of((task.step, task.exchange), trace, outcome, write);
    }

    fn note_of(
        &mut self,
        (step, exchange): (u32, u16),
        trace: Option<OwnHalf>,
        outcome: Outcome,
        write: &mut dyn FnMut(&mut Note),
    ) {
        let class = usize::from(exchange) * terms::OUTCOMES.len() + outcome as usize;
        // The exchange may be what a key from outside says.
        let Some(count) = self.note_counts.get_mut(class) else { return };
        *count += 1;
        if *count > NOTES_PER_CLASS {
            return;
        }
        let kept_out = self.shared.kept_out.clone();
        let mut note = Note::new(kept_out, self.captured_credentials());
        write(&mut note);
        let text = note.finish();
        let trace = trace.map(|own| self.traces.id(own));
        self.notes.push(NoteRow { at: self.now(), step, exchange, outcome, text, trace });
    }
}

impl Recorder {
    /// A text as an event may show it.
    pub fn shown(&self, text: &str) -> String {
        let known = self.captured_credentials();
        let known: Vec<&[u8]> = known.iter().map(Vec::as_slice).collect();
        self.shared.kept_out.cut_with(text, &known).into_owned()
    }

    /// Credentials that the slot in hand knows: of very many that a run captures not all are remembered.
    fn captured_credentials(&self) -> Vec<Vec<u8>> {
        let state = self.slots.get(self.slot as usize);
        let own = state.into_iter().flat_map(|state| [&state.captures, &state.kept]).chain([&self.node_captures]);
        let is_secret = |slot: &usize| self.shared.secret_captures.get(*slot) == Some(&true);
        own.flat_map(|captures| captures.iter().enumerate())
            .filter(|(slot, _)| is_secret(slot))
            .filter_map(|(_, value)| value.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests;
