//! One thread's loop: take what is due, wait for a socket or the next moment, cut what is past its deadline.

use crate::blueprint::Blueprint;
use crate::error::DriveError;
use crate::lane::{Lane, LaneParts};
use crate::thread_times::ThreadTimes;
use crate::wait;
use crate::{Control, Wait};
use clock::Clock;
use plan::ScenarioPlan;
use record::{EngineRow, Entry};
use recorder::Arrival;
use recorder::reply_key;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use terms::Nanos;

/// One thread of a scenario, with a lane for each of its parts.
pub(crate) struct Worker<'a, W> {
    pub(crate) number: u16,
    clock: Clock,
    pub(crate) wait: W,
    /// Never none.
    pub(crate) lanes: Vec<Lane<'a>>,
    /// The second that is being recorded.
    second: i64,
    ready: Vec<u64>,
    /// What listeners took for this thread.
    inbox: Option<Receiver<Arrival>>,
    times: ThreadTimes,
    sink: &'a dyn Fn(Entry),
    /// Threads beside which it drives.
    together: Option<Together<'a>>,
}

/// Threads of one process whose load has not ended yet. One that has had its share of a count goes on closing seconds until
/// all have: what was recorded is whole up to the second that every thread has closed.
pub(crate) struct Together<'a> {
    driving: &'a AtomicUsize,
    has_ended: bool,
}

impl<'a> Together<'a> {
    /// One of as many threads as `driving` counts.
    pub(crate) fn of(driving: &'a AtomicUsize) -> Self {
        Self { driving, has_ended: false }
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.has_ended, true) {
            self.driving.fetch_sub(1, Ordering::AcqRel);
        }
    }

    fn is_over(&self) -> bool {
        self.driving.load(Ordering::Acquire) == 0
    }
}

/// A thread that breaks off keeps nobody waiting.
impl Drop for Together<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

impl<'a, W: Wait> Worker<'a, W> {
    /// `blueprints`: one for each part of the plan.
    pub(crate) fn new(
        number: u16,
        blueprints: &[Blueprint<'_>],
        plan: &'a ScenarioPlan,
        clock: Clock,
        wait: W,
        control: &'a Control,
        sink: &'a dyn Fn(Entry),
    ) -> Result<Self, DriveError> {
        let lane = |(part, blueprint)| {
            Lane::new(LaneParts { worker: number, blueprint, plan, part, clock: clock.clone(), control, sink }, &wait)
        };
        let lanes = blueprints.iter().enumerate().map(lane).collect::<Result<_, _>>()?;
        let times = ThreadTimes::of_this_thread();
        Ok(Self { number, lanes, clock, wait, second: 0, ready: Vec::new(), inbox: None, times, sink, together: None })
    }

    /// The users of closed loads exist, and are set up, before the load begins.
    ///
    /// # Errors
    /// A set-up exchange that does not end well.
    pub(crate) fn add_users(&mut self) -> Result<(), DriveError> {
        let Self { lanes, wait, .. } = self;
        lanes.iter_mut().try_for_each(|lane| lane.add_users(wait))
    }

    /// From now on takes what listeners have for this thread.
    pub(crate) fn subscribe(&mut self, inbox: Receiver<Arrival>) {
        self.inbox = Some(inbox);
    }

    /// From now on it does not end before the load of all of these threads has.
    pub(crate) fn drive_beside(&mut self, together: Together<'a>) {
        self.together = Some(together);
    }

    /// Whether the load of this thread and of those beside it has ended.
    fn has_load_ended(&mut self) -> bool {
        let Some(together) = &mut self.together else { return true };
        if self.lanes.iter().all(|lane| lane.load_ended().is_some()) {
            together.end();
        }
        together.is_over()
    }

    /// Hands on what has come, before anything is looked at that is missing by now.
    fn fetch(&mut self) {
        while let Some(arrival) = self.inbox.as_ref().and_then(|inbox| inbox.try_recv().ok()) {
            if let Some(lane) = self.lanes.get_mut(usize::from(reply_key::lane(arrival.key))) {
                lane.take_arrival(&arrival);
            }
        }
    }

    /// Drives the load from `origin` until everything has ended. Returns when its last start was due.
    pub(crate) fn run(&mut self, origin: Nanos) -> Nanos {
        // The second in hand, which may be one before the load: a row of the load's first would call it over.
        let began = self.clock.now();
        self.second = began.second();
        // Users that were set up before have used the thread too.
        self.times.begin(began);
        self.lanes.iter_mut().for_each(|lane| lane.begin(origin));
        loop {
            let now = self.clock.now();
            self.fetch();
            let (mut is_over, mut until) = (true, Nanos::from_secs(now.second() + 1));
            for lane in &mut self.lanes {
                let next_start = lane.turn(now);
                is_over &= lane.is_over(now);
                until = lane.next_moment(next_start).map_or(until, |moment| moment.min(until));
            }
            // After what was due: many rates have a start at the beginning of a second, and it must not wait for the books.
            self.turn_second(now);
            if self.has_load_ended() && is_over {
                break;
            }
            // Nothing is due any more for one that waits for others; what was due is past.
            self.wait(now, if is_over { Nanos::from_secs(now.second() + 1) } else { until });
        }
        self.lanes.iter_mut().for_each(Lane::disconnect);
        self.lanes.iter_mut().for_each(Lane::flush);
        // The last second is rarely a whole one; what was in flight in it counts all the same.
        let now = self.clock.now();
        self.engine_rows(now);
        self.engine_row(now, now);
        self.lanes.iter().filter_map(Lane::load_ended).max().unwrap_or(origin)
    }

    /// Waits, and serves the sockets that are ready.
    fn wait(&mut self, now: Nanos, until: Nanos) {
        // A stop is looked for at least ten times a second.
        let patience = if self.clock.is_simulated() { Nanos::MAX } else { now + Nanos::from_millis(100) };
        self.ready.clear();
        // Who was woken last is called at once, but not before the sockets have had their turn.
        let until =
            if self.lanes.iter().all(|lane| lane.sessions.woken.is_empty()) { until.min(patience) } else { now };
        self.wait.wait(&self.clock, until, &mut self.ready);
        for &token in &self.ready {
            let (lane, slot, driver) = wait::parts(token);
            if let Some(lane) = self.lanes.get_mut(usize::from(lane)) {
                lane.call_ready(slot, driver);
            }
        }
        self.lanes.iter_mut().for_each(Lane::serve_woken);
    }

    /// When a second is over, hands its rows to the sink.
    fn turn_second(&mut self, now: Nanos) {
        let second = now.second();
        if second == self.second {
            return;
        }
        // The generator's own row comes last: who sees it has seen all of this second.
        self.lanes.iter_mut().for_each(Lane::flush);
        self.engine_rows(now);
        self.lanes.iter_mut().for_each(|lane| lane.set_second(second));
    }

    /// The generator's own row of each second that is over. A thread that was kept waiting looks at several at once.
    fn engine_rows(&mut self, now: Nanos) {
        while self.second < now.second() {
            self.engine_row(Nanos::from_secs(self.second + 1), now);
            self.second += 1;
        }
    }

    /// The generator's own row of the second in hand, up to `until`: all lanes together.
    fn engine_row(&mut self, until: Nanos, now: Nanos) {
        let (cpu_s, run_queue_s) = self.times.take(until, now);
        let mut row = EngineRow {
            second: self.second,
            worker: self.number,
            step: self.lanes.first().map_or(0, Lane::step),
            in_flight_mean: 0.0,
            in_flight_max: 0,
            waiting_max: 0,
            sessions: 0,
            awaiting_max: 0,
            cpu_s,
            run_queue_s,
        };
        self.lanes.iter_mut().for_each(|lane| lane.report(now, &mut row));
        (self.sink)(Entry::Engine(row));
    }
}
