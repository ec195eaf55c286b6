//! The engine's side of a recorder: slots, tasks, captures, seconds and drains.

use super::{Ended, Recorder, SlotState};
use crate::batch::Batch;
use crate::close::{Origin, RawClose, Whole};
use crate::exchange::Task;
use crate::rows::StartRow;
use terms::{Nanos, Outcome, Population, SparseHistogram};

impl Recorder {
    /// From now on somebody looks at every single exchange.
    pub fn look(&mut self) {
        self.is_looking = true;
    }

    /// From now on a task's stream is its row of this data set.
    pub fn set_streams(&mut self, table: Option<u16>) {
        self.streams = table;
    }

    /// Makes room for a slot.
    pub fn add_slot(&mut self, user: u64) -> u32 {
        let captures = vec![None; usize::from(self.shared.captures)];
        let number = self.slots.len() as u32;
        self.slots.push(SlotState { user, captures, owner: number, ..SlotState::default() });
        number
    }

    /// Makes room for a slot that makes calls at once with `owner`'s: of the same user, and with its captures.
    pub fn add_slot_beside(&mut self, owner: u32) -> u32 {
        let user = self.slots[owner as usize].user;
        self.slots.push(SlotState { user, owner, ..SlotState::default() });
        (self.slots.len() - 1) as u32
    }

    /// The slot whose captures a slot has.
    pub fn owner_of(&self, slot: u32) -> u32 {
        self.slots[slot as usize].owner
    }

    /// From now on the slot makes one of several calls at once, told from the others by a number of its own; none when it
    /// no longer does. Which of them ends first is the system's affair: what each draws must not depend on it.
    pub fn set_beside(&mut self, slot: u32, call: Option<u64>) {
        self.slots[slot as usize].beside = call.map(|call| (call, 0));
    }

    /// The next calls come from this slot's session.
    pub fn enter(&mut self, slot: u32) {
        self.slot = slot;
    }

    /// Hands a task to the slot in hand: opens its first and all `Here` legs. `available` is when the slot became
    /// free for it; `closed_load` when there is no intended start.
    pub fn open(&mut self, task: &Task, available: Nanos, closed_load: bool) {
        self.open_legs(task, false);
        let state = &mut self.slots[self.slot as usize];
        state.available = available;
        state.closed_load = closed_load;
    }

    /// Hands the opening of a held connection to the slot in hand: the legs that are of it alone.
    pub fn open_connection(&mut self, task: &Task) {
        self.open_legs(task, true);
        let state = &mut self.slots[self.slot as usize];
        state.available = Nanos::ZERO;
        state.closed_load = false;
    }

    fn open_legs(&mut self, task: &Task, is_opening: bool) {
        let open = self.layout.opened(task.exchange, is_opening);
        let state = &mut self.slots[self.slot as usize];
        state.task = Some(*task);
        state.started = None;
        state.is_opening = is_opening;
        state.units = None;
        state.sent = None;
        state.open = open;
        // Where nothing is sent, nothing of the exchange is in hand: all of it is waited for.
        let has_none = open == 0 && !is_opening;
        state.ended = has_none.then_some(Ended { outcome: Outcome::Ok, at: task.intended });
    }

    /// How the exchange in this slot ended, once all the legs in hand are closed.
    pub fn take_end(&mut self, slot: u32) -> Option<Ended> {
        let state = &mut self.slots[slot as usize];
        if state.open != 0 || state.task.is_none() {
            return None;
        }
        let ended = state.ended.take()?;
        state.task = None;
        Some(ended)
    }

    /// A slot that the driver called last has woken, until there is none left.
    #[inline]
    pub fn take_woken(&mut self) -> Option<u32> {
        self.woken.pop()
    }

    /// Whether this slot's exchange was ever started.
    pub fn was_started(&self, slot: u32) -> bool {
        self.slots[slot as usize].started.is_some()
    }

    /// When this slot's exchange was started.
    pub fn started_at(&self, slot: u32) -> Option<Nanos> {
        self.slots[slot as usize].started
    }

    /// Whether this slot's exchanges have no intended start.
    pub fn is_closed_load(&self, slot: u32) -> bool {
        self.slots[slot as usize].closed_load
    }

    /// Counts the start of several exchanges that are booked as one, too, in the second of `at`. That it was late is known
    /// of its exchanges.
    pub fn whole_started(&mut self, exchange: u16, (step, stream): (u32, u16), at: Nanos) {
        let intended_s = at.second();
        let same = |row: &&mut StartRow| {
            (row.step, row.exchange, row.stream, row.intended_s) == (step, exchange, stream, intended_s)
        };
        if let Some(row) = self.whole_starts.iter_mut().rev().take(64).find(same) {
            row.started += 1;
            return;
        }
        let lateness = SparseHistogram::default();
        self.whole_starts.push(StartRow { step, exchange, stream, intended_s, started: 1, lateness });
    }

    /// Books the end of several exchanges of a slot as one.
    pub fn whole_ended(&mut self, slot: u32, whole: &Whole) {
        let is_closed_load = self.is_closed_load(slot);
        let since = |origin: Nanos| (whole.at - origin - whole.left_out).or_zero();
        let at = if is_closed_load { whole.started } else { whole.intended };
        let trace = self.whole_trace(slot, whole.step);
        let close = RawClose {
            step: whole.step,
            exchange: whole.exchange,
            leg: 0,
            stream: whole.stream,
            outcome: whole.outcome,
            intended_s: at.second(),
            end_s: whole.at.second(),
            response: (!is_closed_load).then(|| since(whole.intended)),
            service: since(whole.started),
            units: 1,
            bytes: 0,
        };
        self.book(close, Origin { at, trace });
    }

    /// Closes whatever the session left open.
    pub fn close_rest(&mut self, slot: u32, outcome: Outcome) {
        self.slot = slot;
        let Some(task) = self.slots[slot as usize].task else { return };
        for leg in 0..8 {
            if self.slots[slot as usize].open & (1 << leg) != 0 {
                self.close(&task, leg, outcome, task.units, 0);
            }
        }
    }

    /// Forgets the captures of a slot when a new iteration begins there; those of its user's set-up stay.
    pub fn forget_captures(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        for capture in &mut state.captures {
            *capture = None;
        }
        // Nor is what is booked of this one of the trace of the one before.
        state.trace.1 = None;
    }

    /// Captures that every slot falls back to: those of set-up exchanges.
    pub fn set_node_captures(&mut self, captures: Vec<Option<Vec<u8>>>) {
        self.node_captures = captures;
        self.node_captures.resize(usize::from(self.shared.captures), None);
    }

    /// What is rendered next belongs to the set-up of a user: of the data that it takes, the user keeps its row.
    pub fn set_up_user(&mut self) {
        self.is_setting_up_user = true;
    }

    /// From now on the slot's captured values outlive its iterations: its user's set-up is over.
    pub fn keep_captures(&mut self, slot: u32) {
        self.is_setting_up_user = false;
        let state = &mut self.slots[slot as usize];
        state.kept = state.captures.clone();
    }

    /// The captured values of a slot.
    pub fn captures_of(&self, slot: u32) -> &[Option<Vec<u8>>] {
        &self.slots[slot as usize].captures
    }

    /// The second and step that the dense histograms stand for; call [`Recorder::drain`] before changing either.
    pub fn set_period(&mut self, second: i64, step: u32) {
        self.second = second;
        self.step = step;
    }

    /// The second that is being recorded.
    pub fn second(&self) -> i64 {
        self.second
    }

    /// Takes all that was recorded since the last drain. Costs only the touched buckets.
    pub fn drain(&mut self) -> Batch {
        let mut legs = Vec::new();
        for (exchange, leg) in self.layout.clone().all_legs() {
            for population in [Population::Ok, Population::Failed] {
                let hot = &mut self.legs[self.layout.leg_index(exchange, leg) * 2 + population as usize];
                legs.extend(hot.drain(self.step, exchange, leg, population, self.second));
            }
        }
        let (step, second) = (self.step, self.second);
        let starts = self.starts.iter_mut().enumerate();
        let mut starts: Vec<StartRow> =
            starts.filter_map(|(exchange, hot)| hot.drain(step, exchange as u16, second)).collect();
        starts.append(&mut self.whole_starts);
        let mut blocked = std::mem::take(&mut self.blocked);
        if let Some(since) = self.blocked_since.as_mut() {
            let now = self.clock.now();
            blocked += now - *since;
            *since = now;
        }
        let mut slowest = Vec::new();
        self.slowest.drain(step, &mut slowest);
        Batch {
            second: self.second,
            legs,
            starts,
            raw: std::mem::take(&mut self.raw),
            raw_starts: std::mem::take(&mut self.raw_starts),
            outcomes: std::mem::take(&mut self.outcomes),
            iterations: Vec::new(),
            notes: std::mem::take(&mut self.notes),
            slowest,
            counters: std::mem::take(&mut self.counters),
            blocked,
            layout: self.layout.clone(),
        }
    }
}
