//! One part of a scenario in one thread: its starts, its sessions, its slots, what comes due in them, and its books.

mod exchanges;
mod held;
mod iterations;
mod parallel;
mod transactions;
mod ways;

use crate::alone::Alone;
use crate::blueprint::Blueprint;
use crate::books::IterationBooks;
use crate::ending::Ending;
use crate::error::DriveError;
use crate::gauges::Gauges;
use crate::program::Program;
use crate::sessions::Sessions;
use crate::slots::{Bound, Iteration, Slots};
use crate::starts::{Starts, share};
use crate::timers::{Timers, Wake};
use crate::{Control, Stop, Wait, outside};
use clock::Clock;
use contract::Cancel;
use held::Leaving;
use parallel::Fan;
use plan::{LoadPlan, PartPlan, ScenarioPlan};
use record::{EngineRow, Entry, EventRow, StepMark};
use terms::{Nanos, Outcome};
use transactions::Transaction;
use ways::Passes;

/// One part of a scenario in one thread. Nothing of it is another's.
pub(crate) struct Lane<'a> {
    clock: Clock,
    control: &'a Control,
    sink: &'a dyn Fn(Entry),
    /// Number of the thread.
    worker: u16,
    part: &'a PartPlan,
    program: Program,
    /// Of each slot, where the iteration has loops.
    passes: Vec<Passes>,
    /// Of each slot, those that its iteration is in, from the outermost.
    transactions: Vec<Vec<Transaction>>,
    /// Of each slot with an iteration of its own, the calls that it makes at once.
    fans: Vec<Fan>,
    seed: u64,
    pub(crate) sessions: Sessions,
    starts: Starts<'a>,
    slots: Slots,
    timers: Timers,
    ending: Ending,
    books: IterationBooks,
    gauges: Gauges,
    /// The step in hand, of the part's.
    step_index: usize,
    /// How often a script that failed in a condition was told.
    troubles_told: u8,
    /// Users who only thought on before their iteration ended were let go.
    is_thinking_over: bool,
    leaving: Leaving,
    /// The slot whose waiting messages are being sent, and since when it has been free.
    serving: Option<(u32, Nanos)>,
}

/// What a lane is made of.
pub(crate) struct LaneParts<'a, 's> {
    /// Number of the thread.
    pub(crate) worker: u16,
    pub(crate) blueprint: &'s Blueprint<'s>,
    pub(crate) plan: &'a ScenarioPlan,
    /// Which part of the plan.
    pub(crate) part: usize,
    pub(crate) clock: Clock,
    pub(crate) control: &'a Control,
    pub(crate) sink: &'a dyn Fn(Entry),
}

impl<'a> Lane<'a> {
    pub(crate) fn new<W: Wait>(parts: LaneParts<'a, '_>, wait: &W) -> Result<Self, DriveError> {
        let LaneParts { worker, blueprint, plan, part: number, clock, control, sink } = parts;
        let part = &plan.parts[number];
        let (thread, threads) = (u64::from(worker), u64::from(blueprint.workers));
        let seed = blueprint.shared.seed;
        let program = Program::new(&part.run, blueprint.names).map_err(DriveError::Settings)?;
        let bound = bound(plan, part, blueprint, (thread, program.slots));
        Ok(Self {
            sessions: Sessions::new(blueprint, (part, number), worker, &clock, wait)?,
            clock,
            control,
            sink,
            worker,
            part,
            slots: Slots::new(bound, program.slots),
            program,
            passes: Vec::new(),
            transactions: Vec::new(),
            fans: Vec::new(),
            seed: if part.salt == 0 { seed } else { terms::seed::hash(seed, part.salt) },
            starts: Starts::of(&part.load, (part.after, counts_from(plan, part)), (thread, threads)),
            timers: Timers::default(),
            ending: Ending::of(plan),
            books: IterationBooks::default(),
            gauges: Gauges::default(),
            step_index: 0,
            troubles_told: 0,
            is_thinking_over: false,
            leaving: Leaving::default(),
            serving: None,
        })
    }

    /// Adds a slot with a session of each driver, and those in which it makes calls at once.
    fn add_slot(&mut self) -> u32 {
        let slot = self.sessions.add();
        self.slots.add();
        self.timers.add();
        for _ in self.slots.beside(slot) {
            self.sessions.add_beside(slot);
            self.slots.add();
            self.timers.add();
        }
        slot
    }

    /// The users of a closed load, and the places of held connections, exist and are set up before the load begins.
    pub(crate) fn add_users<W: Wait>(&mut self, wait: &mut W) -> Result<(), DriveError> {
        if !self.starts.has_places() {
            return Ok(());
        }
        for _ in 0..self.slots.most() {
            let slot = self.add_slot();
            let Self { sessions, clock, control, part, .. } = self;
            outside::set_up_user(&mut Alone { sessions, wait, clock, control, inbox: None }, part, slot)?;
        }
        Ok(())
    }

    /// The load begins.
    pub(crate) fn begin(&mut self, origin: Nanos) {
        self.ending.origin = origin;
        self.gauges.begin(origin);
        self.sessions.recorder.set_period(origin.second(), self.step());
        for slot in self.slots.owners() {
            let user = self.sessions.user(slot);
            let begins = match &self.starts {
                Starts::Open(_) => None,
                Starts::Closed(users) => users.begins(user),
                Starts::Held(held) => held.opens(user),
            };
            if let Some(begins) = begins {
                self.timers.wake(slot, origin + begins, Wake::User);
            }
        }
        if self.starts.is_closed() && self.slots.len() == 0 {
            self.ending.note_count(origin + self.part.after);
        }
    }

    /// The step in hand.
    pub(crate) fn step(&self) -> u32 {
        self.part.load_steps[self.step_index].step
    }

    /// Does everything that is due. Returns the next start that is not yet due.
    pub(crate) fn turn(&mut self, now: Nanos) -> Option<Nanos> {
        self.ending.note(now, self.control.get() != Stop::No);
        self.end_last_thinks(now);
        let next_start = self.start_due(now);
        self.wake_due(now);
        self.cut_overdue(now);
        self.sessions.recorder.expire(now);
        self.note_arrivals();
        // Last, so that what was freed in this turn is used in this turn.
        self.serve_waiting();
        next_start
    }

    fn wake_due(&mut self, now: Nanos) {
        // Only what is in the heap now: a user whose every exchange ends at once must not keep the loop here.
        for _ in 0..self.timers.wakes() {
            match self.timers.take_wake(now) {
                None => return,
                Some((_, None)) => {}
                Some((slot, Some(Wake::Session))) => self.resume(slot),
                Some((slot, Some(Wake::Think))) => self.go_on(slot),
                Some((slot, Some(Wake::Held))) => self.wake_connection(slot),
                Some((slot, Some(Wake::User))) if self.starts.is_closed() => self.user_begins(slot, now),
                Some((slot, Some(Wake::User))) => self.open_connection(slot, now),
            }
        }
    }

    fn cut_overdue(&mut self, now: Nanos) {
        while let Some(slot) = self.timers.take_timeout(now, |slot| self.slots.in_hand(slot).is_some()) {
            self.cut(slot, Cancel::Deadline, Outcome::Timeout);
            self.go_on(slot);
        }
    }

    /// Whether an iteration has nothing left to do but to think, so that nothing waits for it once the load has ended.
    fn is_only_thinking(&self, iteration: &Iteration) -> bool {
        iteration.is_given_up || !self.program.reaches_exchange(iteration.cursor)
    }

    /// When the load has ended, ends the iterations that only think on: their exchanges are done.
    fn end_last_thinks(&mut self, now: Nanos) {
        if self.ending.ended().is_none() || std::mem::replace(&mut self.is_thinking_over, true) {
            return;
        }
        for slot in self.slots.owners() {
            let Some(iteration) = self.slots.get(slot) else { continue };
            let may_end = iteration.is_started || iteration.is_given_up;
            if iteration.in_hand.is_none() && !self.is_parallel(slot) && may_end && self.is_only_thinking(iteration) {
                self.finish(slot, now, None);
            }
        }
    }

    /// Whether nothing is left to do; cuts off what may not go on.
    pub(crate) fn is_over(&mut self, now: Nanos) -> bool {
        if self.ending.ended().is_none() {
            return false;
        }
        let stop = self.control.get();
        let is_opening = matches!(&self.starts, Starts::Held(held) if held.opening() > 0);
        let is_idle = self.gauges.is_idle() && !is_opening;
        // A thread that is far behind may have nothing in hand for a moment.
        let is_left = match &mut self.starts {
            Starts::Open(arrivals) => arrivals.is_left(),
            Starts::Held(held) => held.is_left(),
            Starts::Closed(_) => false,
        };
        let is_behind = stop == Stop::No && is_left;
        let may_leave =
            is_idle && !is_behind && (self.is_leaving() || self.sessions.recorder.awaiting() == 0) && stop != Stop::Now;
        if may_leave && self.have_left(now) && self.sessions.recorder.awaiting() == 0 {
            return true;
        }
        let why = if stop == Stop::Now {
            Cancel::Abort
        } else if self.ending.drained(self.waits_only_for_replies()).is_some_and(|end| now >= end) {
            Cancel::StepEnd
        } else {
            return false;
        };
        self.drop_waiting(now);
        if stop == Stop::No {
            self.drop_unreached(now);
        }
        for slot in self.slots.owners() {
            if self.slots.get(slot).is_some() {
                self.cut_parallel(slot, why, Outcome::Aborted);
                self.cut(slot, why, Outcome::Aborted);
                self.finish(slot, now, Some(Outcome::Aborted));
            }
        }
        self.sessions.recorder.abort_awaited(now);
        self.note_arrivals();
        true
    }

    /// Whether all that is left are legs that others close.
    fn waits_only_for_replies(&self) -> bool {
        self.gauges.is_idle() && (self.sessions.recorder.awaiting() > 0 || self.is_leaving())
    }

    /// From when on there are no starts, once that is known.
    pub(crate) fn load_ended(&self) -> Option<Nanos> {
        self.ending.ended()
    }

    /// When there will be something to do, if no socket is ready before.
    pub(crate) fn next_moment(&self, next_start: Option<Nanos>) -> Option<Nanos> {
        let planned = self.ending.planned().filter(|_| self.ending.ended().is_none());
        let drained = self.ending.drained(self.waits_only_for_replies());
        let missing = self.sessions.recorder.next_missing();
        [next_start, self.timers.next(), planned, drained, missing, self.next_leave()].into_iter().flatten().min()
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
                let at = self.ending.origin + offset;
                (self.sink)(Entry::Step(StepMark { step: before.step, at, is_end: true }));
                (self.sink)(Entry::Step(StepMark { step: step.step, at, is_end: false }));
            }
            let second = self.sessions.recorder.second();
            self.sessions.recorder.set_period(second, step.step);
        }
        steps[self.step_index].step
    }

    /// A second begins.
    pub(crate) fn set_second(&mut self, second: i64) {
        let step = self.step();
        self.sessions.recorder.set_period(second, step);
    }

    /// Hands the rows of the second to the sink.
    pub(crate) fn flush(&mut self) {
        let mut batch = self.sessions.recorder.drain();
        batch.iterations = self.books.drain();
        (self.sink)(Entry::Load(batch));
        for notice in self.sessions.notices() {
            self.event(self.clock.now(), notice.kind, notice.subject, notice.text);
        }
    }

    fn event(&self, at: Nanos, kind: &str, subject: String, text: String) {
        (self.sink)(Entry::Event(EventRow { at, kind: kind.to_owned(), subject, text }));
    }

    /// Adds what it had under way to the thread's row.
    pub(crate) fn report(&mut self, now: Nanos, row: &mut EngineRow) {
        self.gauges.take(now, self.sessions.recorder.awaiting_legs(), row);
        row.sessions += self.slots.len();
    }

    /// The plan that it carries out.
    pub(crate) fn part(&self) -> &'a PartPlan {
        self.part
    }
}

/// Most iterations of a part in one thread, each of which has so many slots. The connections that the system gives are for
/// all parts that set no bound of their own.
fn bound(plan: &ScenarioPlan, part: &PartPlan, blueprint: &Blueprint<'_>, (worker, each): (u64, u32)) -> Bound {
    let workers = u64::from(blueprint.workers);
    let (bound, is_ours) = match &part.load {
        LoadPlan::Open { max_in_flight, .. } => {
            let open = plan.parts.iter().filter(|part| matches!(part.load, LoadPlan::Open { .. })).count().max(1);
            let given = (blueprint.sessions_max / open as u32 / each).max(1);
            let ours = max_in_flight.is_none_or(|bound| bound > given);
            (if ours { given } else { max_in_flight.unwrap_or(given) }, ours)
        }
        LoadPlan::Closed { users, .. } => (users.count, false),
        LoadPlan::Held(held) => (held.connections.count, false),
    };
    Bound { slots: share(u64::from(bound), worker, workers) as usize, is_ours }
}

/// Where a count begins: with the hold, where a ramp or a warm-up of some length comes before it. One that comes before it by
/// number is part of the count.
fn counts_from(plan: &ScenarioPlan, part: &PartPlan) -> Nanos {
    let hold = part.load_steps.last().filter(|_| plan.length.is_none());
    hold.and_then(|hold| hold.from).unwrap_or_default()
}
