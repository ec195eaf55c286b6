//! A receiver that is sent to: its thread, and the bounded queue in front of it.

use crate::address::{Format, Push};
use crate::post::{PATIENCE, Posted, Poster};
use crate::snapshot::Snapshot;
use crate::{influx, otlp, remote_write};
use clock::Clock;
use scrub::KeptOut;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use terms::Nanos;

/// Seconds that wait for a receiver: one that restarts within a minute misses nothing.
const WAITING_MAX: usize = 60;
/// The same in points, so that few seconds of very many series wait; a histogram weighs as much as two dozen of them.
const WAITING_POINTS_MAX: usize = 100_000;
const HISTOGRAM_POINTS: usize = 24;
/// Between two tries at a receiver that takes nothing; doubled with each up to the second.
const BACKOFF: Nanos = Nanos::from_millis(500);
const BACKOFF_MAX: Nanos = Nanos::from_secs(10);
/// Tries with what is left when the run is over.
const TRIES_AT_END: u32 = 2;
/// Seconds that wait at most where there is time to wait for the receiver.
const IN_TURN_MAX: usize = 4;
/// Tries in a row with one second where there is time. With the waits between them a receiver has half a minute to restart,
/// unless it asks to be tried again sooner.
const TRIES_IN_TURN: u32 = 8;
/// Requests of remote write between two that say what the metrics are.
const METADATA_EVERY: u64 = 60;

/// Says one sentence on the screen.
pub(crate) type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// A receiver with its thread.
pub(crate) struct Pusher {
    shared: Arc<Shared>,
}

struct Shared {
    shown: String,
    say: Say,
    clock: Clock,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<Snapshot>>,
    /// The end of all series, sent when everything else is.
    ending: Option<Arc<Snapshot>>,
    /// Why that did not arrive.
    unended: Option<String>,
    /// Seconds handed over so far.
    seconds: u64,
    delivered: u64,
    /// Points that the receiver did not take of seconds that it took, and why.
    refused: (u64, String),
    /// Why the last request came to nothing.
    why: Option<String>,
    is_told: bool,
    /// When it has to be over; `None` while the run goes on.
    until: Option<Nanos>,
    /// Whether whoever hands over waits for the receiver, so that nothing is lost but what it refuses.
    is_in_turn: bool,
    is_over: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, no longer than that.
    fn wait<'a>(&self, state: MutexGuard<'a, State>, most: Nanos) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, most.to_std()).unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Says that the thread is over, however it ends: whoever hands over may be waiting for it.
struct Over<'a>(&'a Shared);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.state().is_over = true;
        self.0.changed.notify_all();
    }
}

impl Pusher {
    /// Starts the thread.
    ///
    /// # Errors
    /// The machine has no thread left.
    pub(crate) fn start(shown: &str, push: Push, kept_out: KeptOut, clock: &Clock, say: Say) -> std::io::Result<Self> {
        let (state, changed) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { shown: shown.to_owned(), say, clock: clock.clone(), state, changed });
        let (own, clock) = (shared.clone(), clock.clone());
        let work = move || {
            crate::exporter::yield_to_others();
            let _over = Over(&own);
            let format = push.format;
            Worker { shared: &own, format, poster: Poster::new(push, kept_out, clock), sent: 0, failures: 0, tries: 0 }
                .work();
        };
        std::thread::Builder::new().name("export-push".into()).spawn(work)?;
        Ok(Self { shared })
    }

    /// Hands a second over; never waits. Where too many wait already, the earliest is lost.
    pub(crate) fn hand_over(&self, snapshot: Arc<Snapshot>) {
        let mut state = self.shared.state();
        state.waiting.push_back(snapshot);
        state.seconds += 1;
        while state.waiting.len() > 1 && is_too_much(&state.waiting) {
            state.waiting.pop_front();
        }
        self.shared.changed.notify_all();
    }

    /// Hands a second over when there is room for it; waits until then, and not at all for a receiver that was given up.
    pub(crate) fn hand_over_in_turn(&self, snapshot: Arc<Snapshot>) {
        let mut state = self.shared.state();
        state.is_in_turn = true;
        while state.waiting.len() >= IN_TURN_MAX && !state.is_over {
            state = self.shared.wait(state, PATIENCE);
        }
        state.seconds += 1;
        if !state.is_over {
            state.waiting.push_back(snapshot);
            self.shared.changed.notify_all();
        }
    }

    /// Whether the receiver took every second, and every point of it.
    pub(crate) fn has_all(&self) -> bool {
        let state = self.shared.state();
        state.delivered == state.seconds && state.refused.0 == 0
    }

    /// The run is over: what is left has until then.
    pub(crate) fn end(&self, ending: Option<Arc<Snapshot>>, until: Nanos) {
        let mut state = self.shared.state();
        (state.ending, state.until) = (ending, Some(until));
        self.shared.changed.notify_all();
    }

    /// Waits for the end, no longer than it was given, and says what became of everything.
    pub(crate) fn finish(&self) -> String {
        let mut state = self.shared.state();
        while !state.is_over {
            let left = state.until.unwrap_or_default() - self.shared.clock.now();
            if left <= Nanos::ZERO {
                break;
            }
            state = self.shared.wait(state, left);
        }
        let State { seconds, delivered, refused, why, unended, .. } = &*state;
        let lost = seconds - delivered;
        let mut line = format!("export to {}: {delivered} of {seconds} seconds delivered", self.shared.shown);
        if lost > 0 {
            line += &format!(", {lost} lost: {}", why.as_deref().unwrap_or("there was no time left"));
            if *delivered > 0 {
                line += " (totals there are whole as of the last one delivered)";
            }
        }
        if refused.0 > 0 {
            line += &format!("; {} data points of them were refused: {}", refused.0, refused.1);
        }
        if let Some(why) = unended {
            line += &format!(
                "; the end of its series did not arrive, so their last values may be shown for some minutes: {why}"
            );
        }
        line
    }
}

fn is_too_much(waiting: &VecDeque<Arc<Snapshot>>) -> bool {
    let points = |snapshot: &Arc<Snapshot>| -> usize {
        let each = |kind| if kind == crate::names::Kind::Histogram { HISTOGRAM_POINTS } else { 1 };
        snapshot.families.iter().map(|family| family.points.len() * each(family.metric().kind)).sum()
    };
    waiting.len() > WAITING_MAX || waiting.iter().map(points).sum::<usize>() > WAITING_POINTS_MAX
}

/// What the thread does.
struct Worker<'a> {
    shared: &'a Shared,
    format: Format,
    poster: Poster,
    sent: u64,
    /// Requests in a row that came to nothing.
    failures: u32,
    /// Of them, those in a row after which the receiver is tried again.
    tries: u32,
}

impl Worker<'_> {
    fn work(&mut self) {
        let mut tries_at_end = 0;
        while let Some((snapshot, until)) = self.next() {
            let posted = self.post(&snapshot, until.unwrap_or(Nanos::MAX));
            let mut state = self.shared.state();
            if !matches!(posted, Posted::NotNow(..)) {
                self.tries = 0;
            }
            match posted {
                Posted::Taken(refused) => {
                    state.delivered += 1;
                    self.failures = 0;
                    if let Some((count, why)) = refused {
                        state.refused = (state.refused.0.saturating_add(count), why.clone());
                        self.tell(state, &format!("refuses {count} data points: {why}"));
                    }
                }
                Posted::Refused(why) => self.tell(state, &why),
                Posted::NotNow(why, after) => {
                    // What came in the meantime has all that this one has, and more.
                    if state.waiting.len() < WAITING_MAX {
                        state.waiting.push_front(snapshot);
                    }
                    self.tries += 1;
                    tries_at_end += u32::from(state.until.is_some());
                    let is_given_up = match state.is_in_turn {
                        true => self.tries >= TRIES_IN_TURN,
                        false => tries_at_end >= TRIES_AT_END,
                    };
                    self.tell(state, &why);
                    if is_given_up {
                        return;
                    }
                    self.rest(after);
                }
            }
        }
        if self.failures == 0 && self.sent > 0 {
            self.end();
        }
    }

    /// Sends the end of all series, again where the receiver is busy, and keeps why it did not arrive.
    fn end(&mut self) {
        let (ending, until, tries) = {
            let mut state = self.shared.state();
            let tries = if state.is_in_turn { TRIES_IN_TURN } else { TRIES_AT_END };
            (state.ending.take(), state.until.unwrap_or_default(), tries)
        };
        let Some(ending) = ending else { return };
        let mut unended = None;
        for _ in 0..tries {
            match self.post(&ending, until) {
                Posted::Taken(refused) => {
                    unended = refused.map(|(_, why)| why);
                    break;
                }
                Posted::Refused(why) => {
                    unended = Some(why);
                    break;
                }
                Posted::NotNow(why, after) => {
                    unended = Some(why);
                    self.tries += 1;
                    self.rest(after);
                }
            }
        }
        self.shared.state().unended = unended;
    }

    /// The next second to be sent, and until when; `None` when everything is.
    fn next(&self) -> Option<(Arc<Snapshot>, Option<Nanos>)> {
        let mut state = self.shared.state();
        loop {
            if state.until.is_some_and(|until| until <= self.shared.clock.now()) {
                return None;
            }
            if let Some(snapshot) = state.waiting.pop_front() {
                self.shared.changed.notify_all();
                return Some((snapshot, state.until));
            }
            if state.until.is_some() {
                return None;
            }
            state = self.shared.wait(state, Nanos::from_secs(60));
        }
    }

    fn post(&mut self, snapshot: &Snapshot, until: Nanos) -> Posted {
        let body = match self.format {
            Format::Otlp => otlp::request(snapshot),
            Format::Influx => influx::lines(snapshot).into_bytes(),
            Format::RemoteWrite => {
                let message = remote_write::message(snapshot, self.sent.is_multiple_of(METADATA_EVERY));
                match remote_write::compressed(&message) {
                    Ok(body) => body,
                    Err(error) => return Posted::Refused(error.to_string()),
                }
            }
        };
        if body.is_empty() {
            return Posted::Taken(None);
        }
        self.sent += 1;
        self.poster.post(&body, until)
    }

    /// Keeps why something was lost, and says it the first time.
    fn tell(&mut self, mut state: MutexGuard<'_, State>, why: &str) {
        self.failures += 1;
        state.why = Some(why.to_owned());
        let is_first = !std::mem::replace(&mut state.is_told, true);
        let goes_on = if state.is_in_turn { "" } else { "the run goes on, and " };
        drop(state);
        if is_first {
            let shown = &self.shared.shown;
            (self.shared.say)(&format!("export to {shown}: {why}; {goes_on}what is lost is counted"));
        }
    }

    /// Waits before the next try, unless the run ends.
    fn rest(&self, after: Option<Nanos>) {
        let until = self.shared.clock.now() + pause(self.tries, after);
        let mut state = self.shared.state();
        let was_over = state.until.is_some();
        loop {
            let left = until - self.shared.clock.now();
            let is_ending = state.until.is_some() && !was_over;
            let is_late = state.until.is_some_and(|end| end <= self.shared.clock.now());
            if left <= Nanos::ZERO || is_ending || is_late {
                return;
            }
            state = self.shared.wait(state, left);
        }
    }
}

/// How long to wait after so many tries in a row that came to nothing. A receiver may ask for more; asked to come back at
/// once, nobody does: it would be a load of its own on this machine.
fn pause(tries: u32, after: Option<Nanos>) -> Nanos {
    let doubled = Nanos(BACKOFF.0.saturating_mul(1 << tries.saturating_sub(1).min(10)));
    after.unwrap_or(doubled.min(BACKOFF_MAX)).max(BACKOFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_asked_again_at_once() {
        let cases = [(1, None), (2, None), (30, None), (1, Some(Nanos::ZERO)), (9, Some(Nanos::from_secs(30)))];
        let waits = cases.map(|(tries, after)| pause(tries, after).0 / 1_000_000);
        assert_eq!(waits, [500, 1000, 10_000, 500, 30_000]);
    }
}
