//! One scenario from its quiet baseline to the watching after it.

use crate::blueprint::Blueprint;
use crate::error::DriveError;
use crate::outside::{UserLeft, clean_up_users, prepare, those, users_left};
use crate::sessions::Captures;
use crate::wait::{Epoll, Simulated, Wait};
use crate::worker::Worker;
use crate::{Control, Stop};
use clock::Clock;
use plan::ScenarioPlan;
use record::{Entry, StepMark};
use std::sync::mpsc;
use std::sync::{Mutex, OnceLock};
use study::Per;
use terms::Nanos;

/// Stack of a load thread: as much as a script of a study may need (`script::bounds`). What is not used takes no memory,
/// but counts against limits of the address space.
pub const STACK_BYTES: usize = 32 * 1024 * 1024;

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

/// What set-up exchanges of the whole study captured: handed from scenario to scenario.
#[derive(Clone, Debug, Default)]
pub struct Kept(Captures);

/// Runs one scenario in real time: idle, set-up, load, drain, recovery, clean-up. `blueprints` has one entry for each part
/// of the plan. `sink` is called from every thread and must not block.
///
/// # Errors
/// When drivers cannot be built or set up, a set-up exchange fails, or the system refuses threads or sockets. What was
/// measured until then has been handed to `sink`.
pub fn run_scenario(
    plan: &ScenarioPlan,
    blueprints: &[Blueprint<'_>],
    kept: &mut Kept,
    clock: &Clock,
    control: &Control,
    sink: &(dyn Fn(Entry) + Sync),
) -> Result<ScenarioEnd, DriveError> {
    let marks = Marks { clock, control, sink };
    if let Some((step, length)) = plan.idle {
        marks.quiet(step, length);
    }
    let captures = set_up(plan, blueprints, kept, clock, control)?;
    if control.get() != Stop::No {
        let now = clock.now();
        return Ok(ScenarioEnd { stopped: control.get(), origin: now, load_ended: now });
    }
    let Driven { origin, load_ended, users } = drive(plan, blueprints, &captures, &marks)?;
    marks.mark(plan.drain, clock.now(), true);
    if let Some((step, length)) = plan.recovery {
        marks.quiet(step, length);
    }
    if control.get() != Stop::Now {
        for (index, ((blueprint, captures), users)) in blueprints.iter().zip(&captures).zip(users).enumerate() {
            clean_up_users(blueprint, (plan, index), users, captures, clock, control)?;
            let exchanges = those(&plan.parts[index].clean_up, |per| per != Per::User);
            prepare(blueprint, (plan, index), &exchanges, captures, clock, (control, Stop::Now))?;
        }
    }
    if plan.gap > Nanos::ZERO {
        marks.sleep_until(clock.now() + plan.gap);
    }
    Ok(ScenarioEnd { stopped: control.get(), origin, load_ended })
}

/// What is not each user's own, part by part; what one part captures is not there for another, unless it is the whole
/// study's.
fn set_up(
    plan: &ScenarioPlan,
    blueprints: &[Blueprint<'_>],
    kept: &mut Kept,
    clock: &Clock,
    control: &Control,
) -> Result<Vec<Captures>, DriveError> {
    for (index, blueprint) in blueprints.iter().enumerate() {
        let exchanges = those(&plan.parts[index].set_up, |per| per == Per::Study);
        kept.0 = prepare(blueprint, (plan, index), &exchanges, &kept.0, clock, (control, Stop::Drain))?;
    }
    let own = |(index, blueprint): (usize, &Blueprint<'_>)| {
        let exchanges = those(&plan.parts[index].set_up, |per| matches!(per, Per::Scenario | Per::Node));
        prepare(blueprint, (plan, index), &exchanges, &kept.0, clock, (control, Stop::Drain))
    };
    blueprints.iter().enumerate().map(own).collect()
}

/// A load that is over.
struct Driven {
    origin: Nanos,
    load_ended: Nanos,
    /// Users that have something to clean up, by part.
    users: Vec<Vec<UserLeft>>,
}

/// Runs the workers, and marks the steps as their moments come.
fn drive(
    plan: &ScenarioPlan,
    blueprints: &[Blueprint<'_>],
    captures: &[Captures],
    marks: &Marks<'_>,
) -> Result<Driven, DriveError> {
    let workers = blueprints.first().map_or(1, |blueprint| blueprint.workers);
    let origin: OnceLock<Option<Nanos>> = OnceLock::new();
    let go = (Mutex::new(()), std::sync::Condvar::new());
    let mailbox = blueprints.first().and_then(|blueprint| blueprint.mailbox.clone());
    if let Some(mailbox) = &mailbox {
        mailbox.open(plan.steps.clone(), workers);
    }
    let (ready_in, ready_out) = mpsc::channel::<Result<(), DriveError>>();
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        let mut refused = None;
        for number in 0..workers {
            let (ready_in, origin, go) = (ready_in.clone(), &origin, &go);
            let work = move || work(number, plan, blueprints, captures, marks, ready_in, origin, go);
            let thread = std::thread::Builder::new().name(format!("load-{number}")).stack_size(STACK_BYTES);
            match thread.spawn_scoped(scope, work) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    refused = Some(error);
                    break;
                }
            }
        }
        drop(ready_in);
        // Each thread tells once, or is gone: nobody waits for one that was never there.
        let told: Result<Vec<()>, DriveError> = ready_out.iter().collect();
        let prepared = refused.map_or(told, |error| Err(error.into()));
        let is_complete = prepared.as_ref().is_ok_and(|prepared| prepared.len() == usize::from(workers));
        // A whole second, so that steps of whole seconds fall on the seconds of the books.
        let start = is_complete.then(|| Nanos::from_secs((marks.clock.now() + HEAD_START).second() + 1));
        {
            let _guard = go.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let _ = origin.set(start);
            go.1.notify_all();
        }
        let in_hand = start.map(|start| marks.load_steps(plan, start)).unwrap_or_default();
        let mut load_ended = start.unwrap_or_default();
        let mut users: Vec<Vec<UserLeft>> = blueprints.iter().map(|_| Vec::new()).collect();
        let mut is_whole = true;
        for thread in threads {
            match thread.join() {
                Ok((ended, left)) => {
                    load_ended = load_ended.max(ended);
                    users.iter_mut().zip(left).for_each(|(users, left)| users.extend(left));
                }
                Err(_) => is_whole = false,
            }
        }
        if let Some(mailbox) = &mailbox {
            mailbox.close();
        }
        prepared?;
        let (Some(start), true) = (start, is_whole) else { return Err(DriveError::Defect) };
        if !in_hand.is_empty() {
            in_hand.iter().for_each(|step| marks.mark(*step, load_ended, true));
            marks.mark(plan.drain, load_ended, false);
        }
        Ok(Driven { origin: start, load_ended, users })
    })
}

type Go = (Mutex<()>, std::sync::Condvar);

#[expect(clippy::too_many_arguments, reason = "one thread's whole world, handed over once")]
fn work(
    number: u16,
    plan: &ScenarioPlan,
    blueprints: &[Blueprint<'_>],
    captures: &[Captures],
    marks: &Marks<'_>,
    ready: mpsc::Sender<Result<(), DriveError>>,
    origin: &OnceLock<Option<Nanos>>,
    go: &Go,
) -> (Nanos, Vec<Vec<UserLeft>>) {
    let sink = |entry| (marks.sink)(entry);
    let prepared = (|| {
        let mut worker =
            Worker::new(number, blueprints, plan, marks.clock.clone(), Epoll::new()?, marks.control, &sink)?;
        for (lane, captures) in worker.lanes.iter_mut().zip(captures) {
            lane.sessions.recorder.set_node_captures(captures.clone());
        }
        let mailbox = blueprints.first().and_then(|blueprint| blueprint.mailbox.as_ref());
        if let (Some(mailbox), Some(waker)) = (mailbox, worker.wait.waker()) {
            worker.subscribe(mailbox.subscribe(number, waker));
        }
        worker.add_users()?;
        Ok(worker)
    })();
    let mut worker = match prepared {
        Ok(worker) => worker,
        Err(error) => {
            let _ = ready.send(Err(error));
            drop(ready);
            return (Nanos::ZERO, Vec::new());
        }
    };
    let _ = ready.send(Ok(()));
    drop(ready);
    let mut guard = go.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    while origin.get().is_none() {
        guard = go.1.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner);
    }
    drop(guard);
    match origin.get() {
        Some(Some(origin)) => {
            let ended = worker.run(*origin);
            (ended, worker.lanes.iter().map(|lane| users_left(&lane.sessions, lane.part())).collect())
        }
        _ => (Nanos::ZERO, Vec::new()),
    }
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

struct Marks<'a> {
    clock: &'a Clock,
    control: &'a Control,
    sink: &'a (dyn Fn(Entry) + Sync),
}

impl Marks<'_> {
    fn mark(&self, step: u32, at: Nanos, is_end: bool) {
        (self.sink)(Entry::Step(StepMark { step, at, is_end }));
    }

    /// A phase without load.
    fn quiet(&self, step: u32, length: Nanos) {
        let from = self.clock.now();
        self.mark(step, from, false);
        self.sleep_until(from + length);
        self.mark(step, self.clock.now(), true);
    }

    /// Marks the load's steps at their computed moments, those of all parts together. Returns the steps whose end is not
    /// known yet: one that ends by count, or those in which the run was stopped.
    fn load_steps(&self, plan: &ScenarioPlan, origin: Nanos) -> Vec<u32> {
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

    /// Sleeps in slices, so that a stop is seen within a tenth of a second.
    fn sleep_until(&self, moment: Nanos) {
        while self.clock.now() < moment && self.control.get() == Stop::No {
            self.clock.sleep_until(moment.min(self.clock.now() + Nanos::from_millis(100)));
        }
    }
}
