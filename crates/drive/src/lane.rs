//! One part of a scenario in one thread: its starts or users, its sessions, its deadlines, its books.

use crate::books::IterationBooks;
use crate::program::{Operation, compile};
use crate::set_up::Captures;
use crate::setup::{Built, DriveError, Setup};
use crate::{Control, Stop, Wait};
use clock::Clock;
use contract::{Cancel, Recorder, Session, Slot, Task};
use plan::{LoadPlan, PartPlan, ScenarioPlan, Starts};
use record::{Entry, EventRow, StepMark};
use recorder::Arrival;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::iter::Peekable;
use std::rc::Rc;
use std::sync::mpsc::Receiver;
use terms::{Nanos, Outcome};

/// Starts that are taken in one turn: a generator that is behind still serves its sockets in between.
const STARTS_A_TURN: usize = 256;
/// Arrivals that wait for a connection at once; more are dropped, on the generator's account.
const WAITING_MAX: usize = 1 << 20;

/// A place for one iteration at a time.
pub(crate) struct SlotRun {
    pub(crate) sessions: Vec<Option<Box<dyn Session>>>,
    pub(crate) user: u64,
    /// What its set-up captured, where a clean-up of its own will want it.
    pub(crate) kept: Captures,
    pub(crate) iteration: Option<Iteration>,
    pub(crate) deadline: Nanos,
    pub(crate) has_deadline_entry: bool,
    /// Numbers the exchanges of this slot, so that a wake-up of an older one is known.
    pub(crate) generation: u32,
}

/// One iteration under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Iteration {
    pub(crate) serial: u64,
    pub(crate) step: u32,
    pub(crate) stream: u16,
    /// Intended start of the iteration.
    pub(crate) intended: Nanos,
    /// Origin of the exchange in hand or next.
    pub(crate) origin: Nanos,
    /// When this slot became free for it.
    pub(crate) available: Nanos,
    pub(crate) began: Nanos,
    pub(crate) cursor: usize,
    pub(crate) is_started: bool,
    pub(crate) worst: Outcome,
    /// What the study or the generator could not do made the rest of it meaningless: no exchange is carried out any
    /// more, but its think times are kept, so that a user whose every iteration ends so is no faster than the others.
    pub(crate) is_given_up: bool,
    pub(crate) in_hand: Option<(Task, u8)>,
}

/// An arrival that is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) serial: u64,
    pub(crate) intended: Nanos,
    pub(crate) step: u32,
    pub(crate) stream: u16,
}

/// What a wake-up is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wake {
    /// The session asked for it.
    Session,
    /// Think time is over.
    Think,
    /// A virtual user begins an iteration.
    User,
}

/// Time-weighted number in flight, and the worst of the second.
#[derive(Debug, Default)]
pub(crate) struct Gauges {
    pub(crate) in_flight: u32,
    since: Nanos,
    pub(crate) area: f64,
    pub(crate) in_flight_max: u32,
    pub(crate) waiting_max: u32,
    pub(crate) awaiting_max: u32,
}

impl Gauges {
    /// `by` more in flight from `at` on. A moment that lies before the last change is accounted for as if it had been
    /// told in time: an arrival counts from its intended start, however late the loop sees it.
    pub(crate) fn change(&mut self, at: Nanos, by: i32) {
        if at >= self.since {
            self.area += (at - self.since).as_secs_f64() * f64::from(self.in_flight);
            self.since = at;
        } else {
            self.area += (self.since - at).as_secs_f64() * f64::from(by);
        }
        self.in_flight = self.in_flight.saturating_add_signed(by);
        self.in_flight_max = self.in_flight_max.max(self.in_flight);
    }
}

/// One part of a scenario in one thread. Nothing of it is another's.
pub(crate) struct Lane<'a> {
    /// Number of the thread.
    pub(crate) number: u64,
    /// Which part of the plan: part of the tokens of its sockets.
    pub(crate) index: u16,
    pub(crate) workers: u64,
    pub(crate) clock: Clock,
    /// Which driver's session is called next: part of the token of a socket it attaches.
    pub(crate) driver: Rc<Cell<u8>>,
    pub(crate) recorder: Recorder,
    pub(crate) built: Built,
    pub(crate) operations: Vec<Operation>,
    pub(crate) seed: u64,
    pub(crate) part: &'a PartPlan,
    /// Length of the scenario's load, unless it ends by count.
    length: Option<Nanos>,
    drain_at_most: Nanos,
    /// The study gives the drain no end of its own: it lasts until every leg has ended or is missing.
    is_drain_automatic: bool,
    starts: Option<Peekable<Starts<'a>>>,
    pub(crate) slots: Vec<SlotRun>,
    pub(crate) sessions_max: usize,
    /// The bound is what the system gives, not what the study says: an arrival that waits for it waits on the
    /// generator's account.
    is_bound_ours: bool,
    pub(crate) free: Vec<(u32, Nanos)>,
    waiting: VecDeque<Pending>,
    pub(crate) wakes: BinaryHeap<Reverse<(Nanos, u32, u32, Wake)>>,
    pub(crate) deadlines: BinaryHeap<Reverse<(Nanos, u32)>>,
    /// Slots whose sessions others woke, with the driver.
    pub(crate) woken: Vec<(u32, u8)>,
    /// What listeners took for this lane, outside a load; within one its thread has the inbox.
    pub(crate) inbox: Option<Receiver<Arrival>>,
    pub(crate) books: IterationBooks,
    pub(crate) gauges: Gauges,
    origin: Nanos,
    step_index: usize,
    /// Iterations begun in this thread, closed load.
    begun: u64,
    /// No starts from here on, once that is known.
    pub(crate) load_ended: Option<Nanos>,
    /// Users who only thought on before their iteration ended were let go.
    is_thinking_over: bool,
    sink: &'a dyn Fn(Entry),
    pub(crate) control: &'a Control,
}

/// What a lane is made of.
pub(crate) struct Making<'a, 's> {
    /// Number of the thread.
    pub(crate) number: u16,
    pub(crate) setup: &'s Setup<'s>,
    pub(crate) plan: &'a ScenarioPlan,
    /// Which part of the plan.
    pub(crate) part: usize,
    pub(crate) clock: Clock,
    pub(crate) control: &'a Control,
    pub(crate) sink: &'a dyn Fn(Entry),
}

impl<'a> Lane<'a> {
    pub(crate) fn new<W: Wait>(making: Making<'a, '_>, wait: &W) -> Result<Self, DriveError> {
        let Making { number, setup, plan, part: index, clock, control, sink } = making;
        let part = &plan.parts[index];
        let built = setup.build()?;
        let driver = Rc::new(Cell::new(0));
        let attach = wait.attach(index as u16, driver.clone());
        let mut recorder = Recorder::new(clock.clone(), built.shared.clone(), setup.layout.clone(), attach);
        recorder.set_place(number, index as u8);
        recorder.set_streams(part.streams.as_ref().map(|streams| streams.table));
        let workers = u64::from(setup.workers);
        // What the system gives is for all parts that set no bound of their own.
        let unbounded = plan.parts.iter().filter(|part| matches!(part.load, LoadPlan::Open { .. })).count().max(1);
        let given = (setup.sessions_max / unbounded as u32).max(1);
        let (bound, is_bound_ours) = match &part.load {
            LoadPlan::Open { max_in_flight, .. } => {
                let ours = max_in_flight.is_none_or(|bound| bound > given);
                (if ours { given } else { max_in_flight.unwrap_or(given) }, ours)
            }
            LoadPlan::Closed { users, .. } => (users.count, false),
        };
        let seed = setup.shared.seed;
        Ok(Self {
            number: u64::from(number),
            index: index as u16,
            workers,
            clock,
            driver,
            recorder,
            seed: if part.salt == 0 { seed } else { terms::seed::hash(seed, part.salt) },
            operations: compile(&part.run),
            built,
            part,
            length: plan.length,
            drain_at_most: plan.drain_at_most,
            is_drain_automatic: plan.is_drain_automatic,
            starts: match &part.load {
                LoadPlan::Open { schedule, .. } => Some(schedule.starts(u64::from(number), workers).peekable()),
                LoadPlan::Closed { .. } => None,
            },
            slots: Vec::new(),
            sessions_max: share(u64::from(bound), u64::from(number), workers) as usize,
            is_bound_ours,
            free: Vec::new(),
            waiting: VecDeque::new(),
            wakes: BinaryHeap::new(),
            deadlines: BinaryHeap::new(),
            woken: Vec::new(),
            inbox: None,
            books: IterationBooks::default(),
            gauges: Gauges::default(),
            origin: Nanos::ZERO,
            step_index: 0,
            begun: 0,
            load_ended: None,
            is_thinking_over: false,
            sink,
            control,
        })
    }

    /// Makes a slot with a session of each driver.
    pub(crate) fn add_slot(&mut self) -> u32 {
        self.add_slot_of(self.slots.len() as u64 * self.workers + self.number)
    }

    /// The same for the user of that number.
    pub(crate) fn add_slot_of(&mut self, user: u64) -> u32 {
        let number = self.slots.len() as u32;
        let slot = self.recorder.add_slot(user);
        debug_assert_eq!(slot, number);
        let sessions = self.built.drivers.iter().map(|driver| Some(driver.session(Slot { number, user }))).collect();
        self.slots.push(SlotRun {
            sessions,
            user,
            kept: Captures::new(),
            iteration: None,
            deadline: Nanos::MAX,
            has_deadline_entry: false,
            generation: 0,
        });
        number
    }

    /// The load begins.
    pub(crate) fn begin(&mut self, origin: Nanos) {
        self.origin = origin;
        self.gauges.since = origin;
        self.recorder.set_period(origin.second(), self.step());
        self.begin_users();
    }

    /// The step in hand.
    pub(crate) fn step(&self) -> u32 {
        self.part.load_steps[self.step_index].step
    }

    /// Does everything that is due. Returns the next start that is not yet due.
    pub(crate) fn turn(&mut self, now: Nanos) -> Option<Nanos> {
        self.note_load_end(now);
        self.end_last_thinks(now);
        let next_start = self.start_due(now);
        self.wake_due(now);
        self.cut_overdue(now);
        self.recorder.expire(now);
        self.note_arrivals();
        // Last, so that what was freed in this turn is used in this turn.
        self.serve_waiting();
        next_start
    }

    /// Every user's first iteration, at its place in the ramp.
    fn begin_users(&mut self) {
        let LoadPlan::Closed { users, .. } = &self.part.load else { return };
        let begins = self.origin + self.part.after;
        if self.slots.is_empty() {
            self.note_count_end(begins);
        }
        for slot in 0..self.slots.len() {
            let user = self.slots[slot].user as u32;
            self.wakes.push(Reverse((begins + users.begins(user), slot as u32, 0, Wake::User)));
        }
    }

    /// Gives every start that is due to a slot, or lets it wait. Returns the next start that is not yet due.
    fn start_due(&mut self, now: Nanos) -> Option<Nanos> {
        if self.control.get() != Stop::No {
            return None;
        }
        for _ in 0..STARTS_A_TURN {
            let &(serial, offset) = self.starts.as_mut()?.peek()?;
            let offset = self.part.after + offset;
            let intended = self.origin + offset;
            if intended > now {
                return Some(intended);
            }
            self.starts.as_mut()?.next();
            let step = self.step_of(offset, serial);
            let stream = self.part.stream_of(serial);
            self.books.intended((step, stream), intended);
            self.gauges.change(intended, 1);
            let pending = Pending { serial, intended, step, stream };
            match self.free_slot() {
                // Nobody waits before this one: what waits is served as soon as a slot is free.
                Some(slot) => self.begin_iteration(slot, pending, Nanos::ZERO),
                None if self.waiting.len() < WAITING_MAX => {
                    self.note_our_bound(now);
                    self.waiting.push_back(pending);
                }
                None => self.drop_pending(pending, now),
            }
        }
        self.gauges.waiting_max = self.gauges.waiting_max.max(self.waiting.len() as u32);
        Some(now)
    }

    fn free_slot(&mut self) -> Option<u32> {
        if !self.waiting.is_empty() {
            return None;
        }
        if let Some((slot, _)) = self.free.pop() {
            return Some(slot);
        }
        (self.slots.len() < self.sessions_max).then(|| self.add_slot())
    }

    /// Says, once, that the system gives no more connections.
    fn note_our_bound(&mut self, now: Nanos) {
        if !std::mem::take(&mut self.is_bound_ours) {
            return;
        }
        let text = format!(
            "all {} connections of load thread {} are in use, and the descriptors of this process allow no more; raise \
             `ulimit -n`, or bound the load with `max_in_flight`",
            self.sessions_max, self.number
        );
        let event = EventRow { at: now, kind: "no_connections".into(), subject: "generator".into(), text };
        (self.sink)(Entry::Event(event));
    }

    fn serve_waiting(&mut self) {
        self.gauges.waiting_max = self.gauges.waiting_max.max(self.waiting.len() as u32);
        while !self.waiting.is_empty() {
            let Some((slot, since)) = self.free.pop() else { return };
            let pending = self.waiting.pop_front().expect("the loop's condition saw one");
            self.begin_iteration(slot, pending, since);
        }
    }

    fn drop_pending(&mut self, pending: Pending, now: Nanos) {
        self.books.dropped((pending.step, pending.stream), pending.intended);
        self.gauges.change(now, -1);
    }

    fn wake_due(&mut self, now: Nanos) {
        // Only what is in the heap now: a user whose every exchange ends at once must not keep the loop here.
        for _ in 0..self.wakes.len() {
            let Some(&Reverse((at, slot, generation, wake))) = self.wakes.peek() else { return };
            if at > now {
                return;
            }
            self.wakes.pop();
            if self.slots[slot as usize].generation != generation {
                continue;
            }
            match wake {
                Wake::Session => self.resume(slot),
                Wake::Think => self.go_on(slot),
                Wake::User => self.user_begins(slot, now),
            }
        }
    }

    fn user_begins(&mut self, slot: u32, now: Nanos) {
        let LoadPlan::Closed { count, .. } = &self.part.load else { return };
        let sharing = self.sharing();
        let share = count.map_or(u64::MAX, |count| share(count, self.number, sharing));
        let is_late = self.length.is_some_and(|length| now >= self.origin + length);
        if self.control.get() != Stop::No || is_late {
            return;
        }
        if self.begun >= share {
            self.note_count_end(now);
            return;
        }
        let serial = self.begun * sharing + self.number;
        self.begun += 1;
        let step = self.step_of(now - self.origin, serial);
        let stream = self.part.stream_of(serial);
        self.books.intended((step, stream), now);
        self.gauges.change(now, 1);
        self.begin_iteration(slot, Pending { serial, intended: now, step, stream }, now);
        if self.begun >= share {
            self.note_count_end(now);
        }
    }

    /// How many threads have users: with fewer users than threads the others must be left nothing to do.
    fn sharing(&self) -> u64 {
        match &self.part.load {
            LoadPlan::Closed { users, .. } => self.workers.min(u64::from(users.count)).max(1),
            LoadPlan::Open { .. } => self.workers,
        }
    }

    /// The last iteration of a count has begun: the end of the load, unless others go on.
    fn note_count_end(&mut self, now: Nanos) {
        if self.length.is_none() {
            self.load_ended.get_or_insert(now);
        }
    }

    /// The step of a start, by its offset or its number; starts come in order, so this only goes forward.
    fn step_of(&mut self, offset: Nanos, serial: u64) -> u32 {
        let steps = &self.part.load_steps;
        let is_in = |step: &plan::LoadStep| {
            step.from.is_some_and(|from| offset >= from) || step.from_count.is_some_and(|from| serial >= from)
        };
        while steps.get(self.step_index + 1).is_some_and(is_in) {
            self.step_index += 1;
            self.flush();
            let (step, before) = (steps[self.step_index], steps[self.step_index - 1]);
            if step.from_count == Some(serial) {
                let at = self.origin + offset;
                (self.sink)(Entry::Step(StepMark { step: before.step, at, is_end: true }));
                (self.sink)(Entry::Step(StepMark { step: step.step, at, is_end: false }));
            }
            self.recorder.set_period(self.recorder.second(), step.step);
        }
        steps[self.step_index].step
    }

    fn cut_overdue(&mut self, now: Nanos) {
        while let Some(&Reverse((at, slot))) = self.deadlines.peek() {
            if at > now {
                return;
            }
            self.deadlines.pop();
            let state = &mut self.slots[slot as usize];
            state.has_deadline_entry = false;
            let deadline = state.deadline;
            if state.iteration.is_none_or(|iteration| iteration.in_hand.is_none()) {
                continue;
            }
            if deadline > now {
                state.has_deadline_entry = true;
                self.deadlines.push(Reverse((deadline, slot)));
                continue;
            }
            self.cut(slot, Cancel::Deadline, Outcome::Timeout);
            self.go_on(slot);
        }
    }

    /// Ends the exchange in hand from outside; what the session leaves open is closed as `outcome`.
    fn cut(&mut self, slot: u32, why: Cancel, outcome: Outcome) {
        let Some((_, driver)) = self.slots[slot as usize].iteration.and_then(|iteration| iteration.in_hand) else {
            return;
        };
        self.enter(slot, driver);
        if let Some(session) = self.slots[slot as usize].sessions[usize::from(driver)].as_mut() {
            session.cancel(why, &mut self.recorder);
        }
        self.note_woken(driver);
        self.recorder.close_rest(slot, outcome);
        self.take_end(slot);
    }

    fn note_load_end(&mut self, now: Nanos) {
        if self.load_ended.is_some() {
            return;
        }
        let planned = self.length.map(|length| self.origin + length);
        if self.control.get() != Stop::No {
            self.load_ended = Some(now);
        } else if planned.is_some_and(|planned| now >= planned) {
            self.load_ended = planned;
        }
    }

    /// Whether an iteration has nothing left to do but to think, so that nothing waits for it once the load has ended.
    pub(crate) fn is_only_thinking(&self, iteration: &Iteration) -> bool {
        let is_think = |it: &Operation| matches!(it, Operation::Think(_));
        iteration.is_given_up || self.operations.get(iteration.cursor..).is_some_and(|rest| rest.iter().all(is_think))
    }

    /// When the load has ended, ends the iterations that only think on: their exchanges are done.
    fn end_last_thinks(&mut self, now: Nanos) {
        if self.load_ended.is_none() || std::mem::replace(&mut self.is_thinking_over, true) {
            return;
        }
        for slot in 0..self.slots.len() as u32 {
            let Some(iteration) = self.slots[slot as usize].iteration else { continue };
            let may_end = iteration.is_started || iteration.is_given_up;
            if iteration.in_hand.is_none() && may_end && self.is_only_thinking(&iteration) {
                self.finish(slot, now, None);
            }
        }
    }

    /// Whether nothing is left to do; cuts off what may not go on.
    pub(crate) fn is_over(&mut self, now: Nanos) -> bool {
        let Some(ended) = self.load_ended else { return false };
        let is_planned_end = self.control.get() == Stop::No;
        let is_idle = self.gauges.in_flight == 0 && self.recorder.awaiting() == 0;
        if is_idle && (is_planned_end || self.control.get() == Stop::Drain) {
            return true;
        }
        let why = if self.control.get() == Stop::Now {
            Cancel::Abort
        } else if now >= ended + self.drain_at_most && !self.waits_only_for_replies() {
            Cancel::StepEnd
        } else {
            return false;
        };
        while let Some(pending) = self.waiting.pop_front() {
            self.drop_pending(pending, now);
        }
        for slot in 0..self.slots.len() as u32 {
            if self.slots[slot as usize].iteration.is_some() {
                self.cut(slot, why, Outcome::Aborted);
                self.finish(slot, now, Some(Outcome::Aborted));
            }
        }
        self.recorder.abort_awaited(now);
        self.note_arrivals();
        true
    }

    /// Whether all that is left are legs that others close, each with a time of its own by which it is missing.
    fn waits_only_for_replies(&self) -> bool {
        self.is_drain_automatic && self.gauges.in_flight == 0 && self.recorder.awaiting() > 0
    }

    /// When there will be something to do, if no socket is ready before.
    pub(crate) fn next_moment(&self, next_start: Option<Nanos>) -> Option<Nanos> {
        let drain_end = self.load_ended.map(|ended| ended + self.drain_at_most);
        let wake = self.wakes.peek().map(|Reverse((at, ..))| *at);
        let deadline = self.deadlines.peek().map(|Reverse((at, _))| *at);
        let planned = self.length.map(|length| self.origin + length).filter(|_| self.load_ended.is_none());
        let missing = self.recorder.next_missing();
        // A drain that is over and only waits for replies has no end but theirs.
        let drain_end = drain_end.filter(|_| !self.waits_only_for_replies());
        [next_start, wake, deadline, drain_end, planned, missing].into_iter().flatten().min()
    }

    /// A second begins.
    pub(crate) fn set_second(&mut self, second: i64) {
        let step = self.step();
        self.recorder.set_period(second, step);
    }

    /// Hands the rows of the second to the sink.
    pub(crate) fn flush(&mut self) {
        let mut batch = self.recorder.drain();
        batch.iterations = self.books.drain();
        (self.sink)(Entry::Load(batch));
        for notice in self.built.drivers.iter().flat_map(|driver| driver.notices()) {
            let (at, kind) = (self.clock.now(), notice.kind.to_owned());
            (self.sink)(Entry::Event(EventRow { at, kind, subject: notice.subject, text: notice.text }));
        }
    }

    /// Books the end of a slot's iteration and frees the slot.
    pub(crate) fn left(&mut self, now: Nanos) {
        self.gauges.change(now, -1);
    }
}

/// How many of `total` things numbered from 0 belong to a worker.
pub(crate) fn share(total: u64, worker: u64, workers: u64) -> u64 {
    total / workers + u64::from(worker < total % workers)
}
