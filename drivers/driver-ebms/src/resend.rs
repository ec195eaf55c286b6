//! Messages that are sent again until they are acknowledged: as often and as far apart as their agreement has it, with the
//! same id.
//!
//! Sessions are free long before an acknowledgment comes, and the engine calls an idle one only when something comes on
//! its sockets. So one timer of the system, watched like a socket, wakes whichever session made it, and any session that is
//! called looks after what is due.

use crate::answer::{self, settle};
use crate::common::{COUNT_RESENDS, COUNT_UNKEPT, Common, call};
use crate::id::Id;
use contract::Recorder;
use http_wire::{Client, Recorded, Step};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use terms::Nanos;

/// All messages kept by one load thread together: at 500/s of 3 kB and 5 s, one thirtieth of it.
const KEPT_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Messages sent again at the same time. With a system that hangs, more would only add to what it has to do.
const ATTEMPTS_MAX: usize = 64;

/// A message that may have to be sent again.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) request: Vec<u8>,
    pub(crate) endpoint: usize,
    pub(crate) id: Id,
    pub(crate) exchange: u16,
    pub(crate) route: u16,
    /// How many more times.
    pub(crate) left: u32,
    pub(crate) interval: Nanos,
    /// Longest wait for an HTTP answer.
    pub(crate) timeout: Nanos,
}

/// A message under way once more.
struct Attempt {
    client: Client,
    /// Where the one connection of the client goes.
    endpoint: usize,
    /// The message, and when it was due.
    kept: Option<(Kept, Nanos)>,
    deadline: Nanos,
}

/// All that a thread may have to send again.
#[derive(Default)]
pub(crate) struct Resender {
    /// By when it is due.
    waiting: BTreeMap<(Nanos, u128), Kept>,
    bytes: usize,
    attempts: Vec<Attempt>,
    timer: Option<OwnedFd>,
}

impl Resender {
    /// Keeps a message that is due again at that time.
    pub(crate) fn keep(&mut self, due: Nanos, kept: Kept, common: &Common, recorder: &mut Recorder) {
        if self.bytes + kept.request.len() > KEPT_BYTES_MAX {
            recorder.count(COUNT_UNKEPT, 1);
            return common.shared.spare.give(kept.request);
        }
        if self.timer.is_none() {
            let made = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC);
            self.timer = made.ok().filter(|timer| recorder.attach(timer.as_fd()).is_ok());
        }
        self.bytes += kept.request.len();
        self.waiting.insert((due, kept.id.key), kept);
        self.set_timer(recorder.now());
    }

    /// Does what is due, and goes on with what is under way.
    pub(crate) fn drive(&mut self, common: &Common, recorder: &mut Recorder) {
        if self.waiting.is_empty() && self.attempts.iter().all(|attempt| attempt.kept.is_none()) {
            return;
        }
        if let Some(timer) = &self.timer {
            // It counts what has run out; nobody wants to know how often.
            let _ = rustix::io::read(timer, &mut [0u8; 8]);
        }
        for index in 0..self.attempts.len() {
            self.go_on(index, common, recorder);
        }
        let now = recorder.now();
        while let Some(entry) = self.waiting.first_entry().filter(|entry| entry.key().0 <= now) {
            let (due, key) = *entry.key();
            if !recorder.is_awaited(key) {
                let kept = entry.remove();
                self.bytes -= kept.request.len();
                common.shared.spare.give(kept.request);
                continue;
            }
            let endpoint = entry.get().endpoint;
            let Some(index) = self.free_attempt(endpoint, common) else { break };
            if let Some(kept) = self.waiting.remove(&(due, key)) {
                self.begin(index, kept, due, common, recorder);
            }
        }
        self.set_timer(recorder.now());
    }

    /// A connection that has nothing to do, to that address.
    fn free_attempt(&mut self, endpoint: usize, common: &Common) -> Option<usize> {
        let free = |attempt: &Attempt| attempt.kept.is_none() && attempt.endpoint == endpoint;
        if let Some(index) = self.attempts.iter().position(free) {
            return Some(index);
        }
        if self.attempts.len() >= ATTEMPTS_MAX {
            // One to another address makes room.
            let idle = self.attempts.iter().position(|attempt| attempt.kept.is_none())?;
            self.attempts.swap_remove(idle);
        }
        let client = Client::new(common.shared.clone(), 0);
        self.attempts.push(Attempt { client, endpoint, kept: None, deadline: Nanos::ZERO });
        Some(self.attempts.len() - 1)
    }

    fn begin(&mut self, index: usize, kept: Kept, due: Nanos, common: &Common, recorder: &mut Recorder) {
        recorder.count(COUNT_RESENDS, 1);
        let now = recorder.now();
        let attempt = &mut self.attempts[index];
        attempt.deadline = now + kept.timeout;
        let host = &mut Recorded { recorder, task: None };
        let step = attempt.client.begin(&call(attempt.endpoint, &kept.request, true), now, host);
        attempt.kept = Some((kept, due));
        self.after(index, &step, common, recorder);
    }

    fn go_on(&mut self, index: usize, common: &Common, recorder: &mut Recorder) {
        let attempt = &mut self.attempts[index];
        let Some((kept, _)) = &attempt.kept else { return };
        let host = &mut Recorded { recorder, task: None };
        let step = attempt.client.ready(&call(attempt.endpoint, &kept.request, true), host);
        self.after(index, &step, common, recorder);
        if self.attempts[index].kept.is_some() && recorder.now() >= self.attempts[index].deadline {
            self.end(index, common, recorder);
        }
    }

    fn after(&mut self, index: usize, step: &Step, common: &Common, recorder: &mut Recorder) {
        if matches!(step, Step::Waiting(_)) {
            return;
        }
        let attempt = &self.attempts[index];
        if matches!(step, Step::Answered)
            && let Some((kept, _)) = &attempt.kept
            && let Some(Some(exchange)) = common.exchanges.get(usize::from(kept.exchange))
            && let Some(Ok(route)) = exchange.routes.get(usize::from(kept.route))
        {
            let judged = answer::by_protocol(exchange, route, &kept.id, attempt.client.answer(), common);
            settle(exchange, route, &kept.id, &judged, recorder);
        }
        self.end(index, common, recorder);
    }

    /// One attempt is over; the message waits for its next, if it has one.
    fn end(&mut self, index: usize, common: &Common, recorder: &mut Recorder) {
        let attempt = &mut self.attempts[index];
        let Some((kept, due)) = attempt.kept.take() else { return };
        let host = &mut Recorded { recorder, task: None };
        attempt.client.finish(&call(attempt.endpoint, &kept.request, true), host);
        let left = kept.left.saturating_sub(1);
        if left == 0 || !recorder.is_awaited(kept.id.key) {
            self.bytes -= kept.request.len();
            return common.shared.spare.give(kept.request);
        }
        self.waiting.insert((due + kept.interval, kept.id.key), Kept { left, ..kept });
    }

    /// Has this thread called when the next of it is due.
    fn set_timer(&self, now: Nanos) {
        let Some(timer) = &self.timer else { return };
        let due = self.waiting.first_key_value().map(|((due, _), _)| *due);
        let cut = self.attempts.iter().filter(|it| it.kept.is_some()).map(|it| it.deadline).min();
        let Some(next) = due.into_iter().chain(cut).min() else { return };
        // Zero would switch it off.
        let left = (next - now).max(Nanos::from_millis(1)).to_std();
        let it_value = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let _ = timerfd_settime(timer, TimerfdTimerFlags::empty(), &Itimerspec { it_interval: never, it_value });
    }
}
