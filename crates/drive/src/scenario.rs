//! One scenario from its quiet baseline to the watching after it.

use crate::set_up::{Captures, prepare};
use crate::setup::{DriveError, Setup};
use crate::wait::{Epoll, Simulated};
use crate::worker::{Worker, share};
use crate::{Control, Stop};
use clock::Clock;
use plan::{LoadPlan, ScenarioPlan};
use record::{Entry, StepMark};
use std::sync::mpsc;
use std::sync::{Mutex, OnceLock};
use study::Per;
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

/// Runs one scenario in real time: idle, set-up, load, drain, recovery, clean-up. `sink` is called from every thread
/// and must not block.
///
/// # Errors
/// When drivers cannot be built or set up, a set-up exchange fails, or the system refuses threads or sockets. What was
/// measured until then has been handed to `sink`.
pub fn run_scenario(
    plan: &ScenarioPlan,
    setup: &Setup<'_>,
    clock: &Clock,
    control: &Control,
    sink: &(dyn Fn(Entry) + Sync),
) -> Result<ScenarioEnd, DriveError> {
    let marks = Marks { clock, control, sink };
    if let Some((step, length)) = plan.idle {
        marks.quiet(step, length);
    }
    let captures = prepare(setup, plan, &once_only(&plan.set_up), &Captures::new(), clock)?;
    if control.get() != Stop::No {
        let now = clock.now();
        return Ok(ScenarioEnd { stopped: control.get(), origin: now, load_ended: now });
    }
    let (origin, load_ended) = drive(plan, setup, &captures, &marks)?;
    marks.mark(plan.drain, clock.now(), true);
    if let Some((step, length)) = plan.recovery {
        marks.quiet(step, length);
    }
    if control.get() != Stop::Now {
        prepare(setup, plan, &once_only(&plan.clean_up), &captures, clock)?;
    }
    if plan.gap > Nanos::ZERO {
        marks.sleep_until(clock.now() + plan.gap);
    }
    Ok(ScenarioEnd { stopped: control.get(), origin, load_ended })
}

/// Set-up exchanges that are not each user's own.
fn once_only(exchanges: &[(u16, Per)]) -> Vec<u16> {
    exchanges.iter().filter(|(_, per)| *per != Per::User).map(|(exchange, _)| *exchange).collect()
}

/// Runs the workers, and marks the steps as their moments come.
fn drive(
    plan: &ScenarioPlan,
    setup: &Setup<'_>,
    captures: &Captures,
    marks: &Marks<'_>,
) -> Result<(Nanos, Nanos), DriveError> {
    let origin: OnceLock<Option<Nanos>> = OnceLock::new();
    let go = (Mutex::new(()), std::sync::Condvar::new());
    let (ready_in, ready_out) = mpsc::channel::<Result<(), DriveError>>();
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for number in 0..setup.workers {
            let (ready_in, origin, go) = (ready_in.clone(), &origin, &go);
            let work = move || work(number, plan, setup, captures, marks, &ready_in, origin, go);
            threads.push(std::thread::Builder::new().name(format!("load-{number}")).spawn_scoped(scope, work)?);
        }
        drop(ready_in);
        let prepared: Result<Vec<()>, DriveError> = ready_out.iter().take(usize::from(setup.workers)).collect();
        let is_complete = prepared.as_ref().is_ok_and(|prepared| prepared.len() == usize::from(setup.workers));
        // A whole second, so that steps of whole seconds fall on the seconds of the books.
        let start = is_complete.then(|| Nanos::from_secs((marks.clock.now() + HEAD_START).second() + 1));
        {
            let _guard = go.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let _ = origin.set(start);
            go.1.notify_all();
        }
        let in_hand = start.and_then(|start| marks.load_steps(plan, start));
        let mut load_ended = start.unwrap_or_default();
        let mut is_whole = true;
        for thread in threads {
            match thread.join() {
                Ok(ended) => load_ended = load_ended.max(ended),
                Err(_) => is_whole = false,
            }
        }
        prepared?;
        let (Some(start), true) = (start, is_whole) else { return Err(DriveError::Defect) };
        if let Some(step) = in_hand {
            marks.mark(step, load_ended, true);
            marks.mark(plan.drain, load_ended, false);
        }
        Ok((start, load_ended))
    })
}

type Go = (Mutex<()>, std::sync::Condvar);

#[expect(clippy::too_many_arguments, reason = "one thread's whole world, handed over once")]
fn work(
    number: u16,
    plan: &ScenarioPlan,
    setup: &Setup<'_>,
    captures: &Captures,
    marks: &Marks<'_>,
    ready: &mpsc::Sender<Result<(), DriveError>>,
    origin: &OnceLock<Option<Nanos>>,
    go: &Go,
) -> Nanos {
    let sink = |entry| (marks.sink)(entry);
    let prepared = (|| {
        let mut worker = Worker::new(number, setup, plan, marks.clock.clone(), Epoll::new()?, marks.control, &sink)?;
        worker.recorder.set_node_captures(captures.clone());
        add_users(&mut worker, plan, setup)?;
        Ok(worker)
    })();
    let mut worker = match prepared {
        Ok(worker) => worker,
        Err(error) => {
            let _ = ready.send(Err(error));
            return Nanos::ZERO;
        }
    };
    let _ = ready.send(Ok(()));
    let mut guard = go.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    while origin.get().is_none() {
        guard = go.1.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner);
    }
    drop(guard);
    match origin.get() {
        Some(Some(origin)) => worker.run(*origin),
        _ => Nanos::ZERO,
    }
}

/// A closed load's users exist, and are set up, before it begins.
fn add_users<W: crate::Wait>(worker: &mut Worker<'_, W>, plan: &ScenarioPlan, setup: &Setup) -> Result<(), DriveError> {
    let LoadPlan::Closed { users, .. } = &plan.load else { return Ok(()) };
    for _ in 0..share(u64::from(users.count), worker.number, u64::from(setup.workers)) {
        let slot = worker.add_slot();
        worker.set_up_user(slot)?;
    }
    Ok(())
}

/// Runs one scenario's load in simulated time, worker by worker, each on a clock of its own that begins at zero. No
/// sockets: drivers must only ask for wake-ups.
///
/// # Errors
/// When drivers cannot be built.
pub fn simulate_scenario(plan: &ScenarioPlan, setup: &Setup<'_>, sink: &dyn Fn(Entry)) -> Result<(), DriveError> {
    let control = Control::new();
    for number in 0..setup.workers {
        let clock = Clock::simulated();
        let mut worker = Worker::new(number, setup, plan, clock, Simulated, &control, sink)?;
        add_users(&mut worker, plan, setup)?;
        worker.run(Nanos::ZERO);
    }
    Ok(())
}

/// Planned length of the load, when it does not end by count.
fn length_of(plan: &ScenarioPlan) -> Option<Nanos> {
    match &plan.load {
        LoadPlan::Open { schedule, .. } => Some(schedule.length()),
        LoadPlan::Closed { length, .. } => *length,
    }
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

    /// Marks the load's steps at their computed moments. Returns the step whose end is not known yet: one that ends by
    /// count, or the one in which the run was stopped.
    fn load_steps(&self, plan: &ScenarioPlan, origin: Nanos) -> Option<u32> {
        let mut in_hand = None;
        for step in &plan.load_steps {
            let Some(from) = step.from else { return Some(step.step) };
            self.sleep_until(origin + from);
            if self.control.get() != Stop::No {
                return in_hand;
            }
            if let Some(before) = in_hand.replace(step.step) {
                self.mark(before, origin + from, true);
            }
            self.mark(step.step, origin + from, false);
        }
        let Some(end) = length_of(plan).map(|length| origin + length) else { return in_hand };
        self.sleep_until(end);
        if self.control.get() != Stop::No {
            return in_hand;
        }
        if let Some(step) = in_hand {
            self.mark(step, end, true);
            self.mark(plan.drain, end, false);
        }
        None
    }

    /// Sleeps in slices, so that a stop is seen within a tenth of a second.
    fn sleep_until(&self, moment: Nanos) {
        while self.clock.now() < moment && self.control.get() == Stop::No {
            self.clock.sleep_until(moment.min(self.clock.now() + Nanos::from_millis(100)));
        }
    }
}
