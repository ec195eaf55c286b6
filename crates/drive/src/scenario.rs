//! One scenario from its quiet baseline to the watching after it, and its marks in the record.

use crate::blueprint::Blueprint;
use crate::error::DriveError;
use crate::threads::{Kept, LoadThreads};
use crate::wait::Simulated;
use crate::worker::Worker;
use crate::{Control, Stop};
use clock::Clock;
use plan::ScenarioPlan;
use record::{Entry, StepMark};
use study::Wait;
use terms::Nanos;

/// From the workers' being ready to the first start: long enough for all of them to see it.
const HEAD_START: Nanos = Nanos::from_millis(20);

/// How a scenario ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScenarioEnd {
    /// Whether and how it was stopped.
    pub stopped: Stop,
    /// Beginning of the load.
    pub origin: Nanos,
    /// When the last start was due.
    pub load_ended: Nanos,
}

/// Runs one scenario in real time: idle, set-up, load, drain, recovery, clean-up. `blueprints` has one entry for each part
/// of the plan.
///
/// # Errors
/// When drivers cannot be built or set up, a set-up exchange fails, or the system refuses threads or sockets. What was
/// measured until then has been handed to the sink of `marks`.
pub fn run_scenario(
    marks: &Marks<'_>,
    blueprints: &[Blueprint<'_>],
    kept: &mut Kept,
) -> Result<ScenarioEnd, DriveError> {
    let &Marks { plan, clock, control, sink, .. } = marks;
    let workers = blueprints.first().map_or(1, |blueprint| blueprint.workers);
    let threads = LoadThreads { plan, blueprints, own: 0..workers, clock, control, sink };
    marks.idle();
    let captures = threads.set_up(kept, None)?;
    if control.get() != Stop::No {
        let now = clock.now();
        return Ok(ScenarioEnd { stopped: control.get(), origin: now, load_ended: now });
    }
    let mut in_hand = Vec::new();
    let driven = threads.drive(
        &captures,
        |is_ready| is_ready.then(|| beginning(clock, HEAD_START)),
        |origin| in_hand = marks.load_steps(origin),
    )?;
    marks.load_over(&in_hand, driven.load_ended);
    marks.drain(driven.load_ended);
    marks.recovery(clock.now());
    let (origin, load_ended) = (driven.origin, driven.load_ended);
    if control.get() != Stop::Now {
        threads.clean_up(driven, &captures, true)?;
    }
    marks.gap();
    Ok(ScenarioEnd { stopped: control.get(), origin, load_ended })
}

/// When a load begins for which everybody is ready: a whole second, so that steps of whole seconds fall on the seconds of
/// the books, and not before `head_start` has passed.
pub fn beginning(clock: &Clock, head_start: Nanos) -> Nanos {
    Nanos::from_secs((clock.now() + head_start).second() + 1)
}

/// Runs one scenario's load in simulated time, worker by worker, each on a clock of its own that begins at zero. No
/// sockets: drivers must only ask for wake-ups. `blueprints` has one entry for each part of the plan.
///
/// # Errors
/// When drivers cannot be built.
pub fn simulate_scenario(
    plan: &ScenarioPlan,
    blueprints: &[Blueprint<'_>],
    sink: &dyn Fn(Entry),
) -> Result<(), DriveError> {
    let control = Control::new();
    for number in 0..blueprints.first().map_or(1, |blueprint| blueprint.workers) {
        let clock = Clock::simulated();
        let mut worker = Worker::new(number, blueprints, plan, clock, Simulated, &control, sink)?;
        worker.add_users()?;
        worker.run(Nanos::ZERO);
    }
    Ok(())
}

/// Waits in a scenario's idle phase, drain, recovery or gap, from a moment on, until what the study waits for holds, as long
/// as that wait is at most, or until somebody says stop. It knows what is watched, and the engine knows no metric. Says
/// since when it has held.
pub type Rest<'a> = dyn Fn(Wait, Nanos) -> Option<Nanos> + Sync + 'a;

/// The marks of one scenario, at the moments at which they are due: whoever leads it waits for them.
#[derive(Clone, Copy)]
pub struct Marks<'a> {
    pub plan: &'a ScenarioPlan,
    pub clock: &'a Clock,
    pub control: &'a Control,
    /// Where they go, and everything that is recorded. Called from every thread, so it must not block.
    pub sink: &'a (dyn Fn(Entry) + Sync),
    /// Waits where a rule may end it.
    pub rest: &'a Rest<'a>,
}

impl Marks<'_> {
    fn mark(&self, step: u32, at: Nanos, is_end: bool) {
        (self.sink)(Entry::Step(StepMark { step, at, is_end }));
    }

    /// Waits out the quiet baseline, where there is one. Where a rule may end it, it began when the rule began to hold:
    /// what was seen before is not a baseline.
    pub fn idle(&self) {
        let Some((step, _)) = self.plan.idle.filter(|_| self.plan.until.contains(&Wait::Idle)) else {
            return self.quiet(Wait::Idle, self.plan.idle);
        };
        let from = self.clock.now();
        let since = (self.rest)(Wait::Idle, from).unwrap_or(from);
        self.mark(step, since.max(from), false);
        self.mark(step, self.clock.now(), true);
    }

    /// What was open has ended; waits on in the drain, where a rule may end it. `load_ended` is when it began.
    pub fn drain(&self, load_ended: Nanos) {
        if self.plan.until.contains(&Wait::Drain) {
            (self.rest)(Wait::Drain, load_ended);
        }
    }

    /// The drain was over at this moment, or is now where a rule may end it; waits out the watching after it, where there is
    /// any.
    pub fn recovery(&self, drained: Nanos) {
        let has_waited = self.plan.until.contains(&Wait::Drain);
        self.mark(self.plan.drain, if has_waited { self.clock.now() } else { drained }, true);
        self.quiet(Wait::Recovery, self.plan.recovery);
    }

    /// Waits out the gap behind the scenario, where there is one.
    pub fn gap(&self) {
        self.wait(Wait::Gap, self.plan.gap);
    }

    /// A phase without load.
    fn quiet(&self, wait: Wait, phase: Option<(u32, Nanos)>) {
        let Some((step, length)) = phase else { return };
        self.mark(step, self.clock.now(), false);
        self.wait(wait, length);
        self.mark(step, self.clock.now(), true);
    }

    fn wait(&self, wait: Wait, length: Nanos) {
        let from = self.clock.now();
        if self.plan.until.contains(&wait) {
            (self.rest)(wait, from);
        } else {
            self.sleep_until(from + length);
        }
    }

    /// Marks the load's steps at their computed moments, those of all parts together. Returns the steps whose end is not
    /// known yet: one that ends by count, or those in which the run was stopped.
    pub fn load_steps(&self, origin: Nanos) -> Vec<u32> {
        let plan = self.plan;
        let mut in_hand: Vec<u32> = Vec::new();
        let phases = plan.parts.first().map_or(0, |part| part.load_steps.len());
        for phase in 0..phases {
            let steps = || plan.parts.iter().filter_map(move |part| part.load_steps.get(phase));
            let numbers: Vec<u32> = steps().map(|step| step.step).collect();
            let Some(from) = steps().next().and_then(|step| step.from) else { return numbers };
            self.sleep_until(origin + from);
            if self.control.get() != Stop::No {
                return in_hand;
            }
            in_hand.iter().for_each(|before| self.mark(*before, origin + from, true));
            numbers.iter().for_each(|step| self.mark(*step, origin + from, false));
            in_hand = numbers;
        }
        let Some(end) = plan.length.map(|length| origin + length) else { return in_hand };
        self.sleep_until(end);
        if self.control.get() != Stop::No {
            return in_hand;
        }
        in_hand.iter().for_each(|step| self.mark(*step, end, true));
        self.mark(plan.drain, end, false);
        Vec::new()
    }

    /// Marks the end of the steps that [`Marks::load_steps`] returned, once the last start of the load was due.
    pub fn load_over(&self, in_hand: &[u32], load_ended: Nanos) {
        if !in_hand.is_empty() {
            in_hand.iter().for_each(|step| self.mark(*step, load_ended, true));
            self.mark(self.plan.drain, load_ended, false);
        }
    }

    /// Sleeps in slices, so that a stop is seen within a tenth of a second.
    fn sleep_until(&self, moment: Nanos) {
        while self.clock.now() < moment && self.control.get() == Stop::No {
            self.clock.sleep_until(moment.min(self.clock.now() + Nanos::from_millis(100)));
        }
    }
}
