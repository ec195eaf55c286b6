//! The load threads of one process in a scenario: all of them, or this load node's share.

use crate::Control;
use crate::Stop;
use crate::blueprint::Blueprint;
use crate::error::DriveError;
use crate::outside::{UserLeft, clean_up_users, prepare, those, users_left};
use crate::sessions::Captures;
use crate::wait::{Epoll, Wait};
use crate::worker::{Together, Worker};
use clock::Clock;
use plan::ScenarioPlan;
use record::Entry;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError, mpsc};
use study::Per;
use terms::Nanos;

/// Stack of a load thread: as much as a script of a study may need (`script::bounds`). What is not used takes no memory,
/// but counts against limits of the address space.
pub const STACK_BYTES: usize = 32 * 1024 * 1024;

/// What set-up exchanges of the whole study captured: handed from scenario to scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept(pub Captures);

/// The load threads of one process in one scenario. The load is shared by number among all of its threads, wherever they
/// run, so processes need not talk while they drive.
pub struct LoadThreads<'a> {
    pub plan: &'a ScenarioPlan,
    /// One for each part of the plan; each says how many threads the load has in all processes together.
    pub blueprints: &'a [Blueprint<'a>],
    /// Numbers of the threads of this process.
    pub own: Range<u16>,
    pub clock: &'a Clock,
    pub control: &'a Control,
    /// Takes what the threads record; called from each of them, so it must not block.
    pub sink: &'a (dyn Fn(Entry) + Sync),
}

/// A load that is over.
pub struct Driven {
    /// Beginning of the load.
    pub origin: Nanos,
    /// When the last start of these threads was due.
    pub load_ended: Nanos,
    /// Users that have something to clean up, by part.
    users: Vec<Vec<UserLeft>>,
}

impl LoadThreads<'_> {
    /// Carries out what is not each user's own, part by part, and returns what it captured, part by part; what one part
    /// captures is missing for another, unless it is the whole study's.
    ///
    /// What is done once in a study or a scenario is done here, unless another process has done it: then `elsewhere` has
    /// what it captured, and only what each load node does for itself is left.
    ///
    /// # Errors
    /// A driver that cannot be built, an exchange that fails.
    pub fn set_up(&self, kept: &mut Kept, elsewhere: Option<&[Captures]>) -> Result<Vec<Captures>, DriveError> {
        let until = (self.control, Stop::Drain);
        let carry_out = |index: usize, before: &Captures, is_meant: fn(Per) -> bool| {
            let exchanges = those(&self.plan.parts[index].set_up, is_meant);
            prepare(&self.blueprints[index], (self.plan, index), &exchanges, before, self.clock, until)
        };
        if let Some(elsewhere) = elsewhere {
            let before = |index: usize| elsewhere.get(index).unwrap_or(&kept.0);
            return (0..self.blueprints.len())
                .map(|index| carry_out(index, before(index), |per| per == Per::Node))
                .collect();
        }
        for index in 0..self.blueprints.len() {
            kept.0 = carry_out(index, &kept.0, |per| per == Per::Study)?;
        }
        let own = |index| carry_out(index, &kept.0, |per| matches!(per, Per::Scenario | Per::Node));
        (0..self.blueprints.len()).map(own).collect()
    }

    /// Drives the load. `begins` is told whether all threads are ready, and says when the load begins, if it does;
    /// `meanwhile` is called when it is about to.
    ///
    /// # Errors
    /// A driver or a user that cannot be set up; threads or sockets that the system refuses; a load that did not begin.
    pub fn drive(
        &self,
        captures: &[Captures],
        begins: impl FnOnce(bool) -> Option<Nanos>,
        meanwhile: impl FnOnce(Nanos),
    ) -> Result<Driven, DriveError> {
        let (start, driving) = (Start::default(), AtomicUsize::new(self.own.len()));
        let mailbox = self.blueprints.first().and_then(|blueprint| blueprint.mailbox.clone());
        if let Some(mailbox) = &mailbox {
            mailbox.open(self.plan.steps.clone(), self.own.end);
        }
        let (ready_in, ready_out) = mpsc::channel::<Result<(), DriveError>>();
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            let mut refused = None;
            for number in self.own.clone() {
                let (ready_in, start, together) = (ready_in.clone(), &start, Together::of(&driving));
                let work = move || self.work(number, captures, ready_in, (start, together));
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
            let is_complete = prepared.as_ref().is_ok_and(|prepared| prepared.len() == self.own.len());
            let origin = begins(is_complete).filter(|_| is_complete);
            start.tell(origin);
            if let Some(origin) = origin {
                meanwhile(origin);
            }
            let mut load_ended = origin.unwrap_or_default();
            let mut users: Vec<Vec<UserLeft>> = self.blueprints.iter().map(|_| Vec::new()).collect();
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
            if !is_complete || !is_whole {
                return Err(DriveError::Defect);
            }
            let origin = origin.ok_or(DriveError::NotBegun)?;
            Ok(Driven { origin, load_ended, users })
        })
    }

    /// One thread, from its drivers to its last iteration.
    fn work(
        &self,
        number: u16,
        captures: &[Captures],
        ready: mpsc::Sender<Result<(), DriveError>>,
        (start, together): (&Start, Together<'_>),
    ) -> (Nanos, Vec<Vec<UserLeft>>) {
        let sink = |entry| (self.sink)(entry);
        let prepared = (|| {
            let (clock, wait) = (self.clock.clone(), Epoll::new()?);
            let mut worker = Worker::new(number, self.blueprints, self.plan, clock, wait, self.control, &sink)?;
            for (lane, captures) in worker.lanes.iter_mut().zip(captures) {
                lane.sessions.recorder.set_node_captures(captures.clone());
            }
            let mailbox = self.blueprints.first().and_then(|blueprint| blueprint.mailbox.as_ref());
            if let (Some(mailbox), Some(waker)) = (mailbox, worker.wait.waker()) {
                worker.subscribe(mailbox.subscribe(number, waker));
            }
            worker.add_users()?;
            worker.drive_beside(together);
            Ok(worker)
        })();
        let mut worker = match prepared {
            Ok(worker) => worker,
            Err(error) => {
                let _ = ready.send(Err(error));
                return (Nanos::ZERO, Vec::new());
            }
        };
        let _ = ready.send(Ok(()));
        drop(ready);
        match start.wait() {
            Some(origin) => {
                let ended = worker.run(origin);
                (ended, worker.lanes.iter().map(|lane| users_left(&lane.sessions, lane.part())).collect())
            }
            None => (Nanos::ZERO, Vec::new()),
        }
    }

    /// Cleans up what each user, this load node and, where `is_first`, the scenario left behind.
    ///
    /// # Errors
    /// A driver that cannot be built, an exchange that fails.
    pub fn clean_up(&self, driven: Driven, captures: &[Captures], is_first: bool) -> Result<(), DriveError> {
        let is_meant: fn(Per) -> bool = if is_first { |per| per != Per::User } else { |per| per == Per::Node };
        for (index, ((blueprint, captures), users)) in
            self.blueprints.iter().zip(captures).zip(driven.users).enumerate()
        {
            let place = (self.plan, index);
            clean_up_users(blueprint, place, users, captures, self.clock, self.control)?;
            let exchanges = those(&self.plan.parts[index].clean_up, is_meant);
            prepare(blueprint, place, &exchanges, captures, self.clock, (self.control, Stop::Now))?;
        }
        Ok(())
    }
}

/// When the load begins, once somebody has said so.
#[derive(Default)]
struct Start {
    origin: OnceLock<Option<Nanos>>,
    guard: Mutex<()>,
    told: Condvar,
}

impl Start {
    fn tell(&self, origin: Option<Nanos>) {
        let _guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.origin.set(origin);
        self.told.notify_all();
    }

    fn wait(&self) -> Option<Nanos> {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        while self.origin.get().is_none() {
            guard = self.told.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        drop(guard);
        self.origin.get().copied().flatten()
    }
}
