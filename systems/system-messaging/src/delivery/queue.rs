//! Tasks in memory: those ready, those that wait for their time, and which ids are held at all.
//!
//! The store is the truth; memory only saves asking it for what was just written. What memory has no place for stays in
//! the store, and is loaded when there is place again.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use terms::Nanos;
use tokio::sync::Notify;

use crate::counters::Count;
use crate::moment_now;
use crate::store::Settled;

/// A message that is to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) message_id: String,
    pub(crate) cpa_id: String,
    pub(crate) uri: String,
    pub(crate) content: Bytes,
    pub(crate) time_to_live: Option<Nanos>,
    pub(crate) due: Nanos,
    /// Attempts so far.
    pub(crate) attempts: u32,
    pub(crate) retries_max: u32,
    pub(crate) interval: Duration,
    /// It ends with an acknowledgment, not with an answer of HTTP.
    pub(crate) needs_ack: bool,
    /// What counts its end.
    pub(crate) delivered: Count,
}

/// Most tasks in memory: some ten seconds of full load, about 30 MB.
const HELD_MAX: usize = 8192;

#[derive(Default)]
struct State {
    ready: VecDeque<Task>,
    /// By the moment when they are due, and a number.
    later: BTreeMap<(Nanos, u64), Task>,
    number: u64,
    /// Ids that memory answers for: reserved, ready, waiting, or sent and not marked in the store yet.
    held: HashSet<String>,
    /// Ids whose marks were stored while tasks were loaded: what was loaded may be older than that.
    settled_meanwhile: Option<HashSet<String>>,
    /// The store may have tasks that memory does not hold.
    is_behind: bool,
}

/// The tasks of this process.
pub(crate) struct Queue {
    state: Mutex<State>,
    wake: Notify,
    load: Notify,
}

impl Queue {
    /// Empty, and behind: what the store holds is not known yet.
    pub(crate) fn new() -> Self {
        let state = State { is_behind: true, ..State::default() };
        Self { state: Mutex::new(state), wake: Notify::new(), load: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // State is whole between any two steps.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds an id before its task is stored, so that a load in between does not bring it in twice.
    pub(crate) fn reserve(&self, message_id: &str) {
        self.state().held.insert(message_id.to_owned());
    }

    /// The task was not stored, or it is not known whether it was: a load finds it then.
    pub(crate) fn give_up(&self, message_id: &str) {
        let mut state = self.state();
        state.held.remove(message_id);
        state.is_behind = true;
    }

    /// A task that is stored now, under a reserved id.
    pub(crate) fn add(&self, task: Task) {
        let mut state = self.state();
        if state.ready.len() + state.later.len() >= HELD_MAX {
            state.held.remove(&task.message_id);
            state.is_behind = true;
            return;
        }
        state.put(task);
        drop(state);
        self.wake.notify_one();
    }

    /// A task to be tried again at its time; unless it was ended meanwhile.
    pub(crate) fn again(&self, task: Task) {
        let mut state = self.state();
        if state.held.contains(&task.message_id) {
            state.put(task);
            drop(state);
            self.wake.notify_one();
        }
    }

    /// Whether memory still answers for a task: not, if an acknowledgment ended it.
    pub(crate) fn holds(&self, message_id: &str) -> bool {
        self.state().held.contains(message_id)
    }

    /// An acknowledgment came, and is stored: the task is over. Returns whether it was held.
    pub(crate) fn acknowledged(&self, message_id: &str) -> bool {
        self.state().release(message_id)
    }

    /// The next task that is due; waits for one.
    pub(crate) async fn next(&self) -> Task {
        loop {
            let wait = {
                let mut state = self.state();
                if let Some(task) = state.take() {
                    if state.is_behind && state.ready.len() + state.later.len() < HELD_MAX / 2 {
                        self.load.notify_one();
                    }
                    if !state.ready.is_empty() {
                        self.wake.notify_one();
                    }
                    return task;
                }
                if state.is_behind {
                    self.load.notify_one();
                }
                state.wait()
            };
            let _ = tokio::time::timeout(wait, self.wake.notified()).await;
        }
    }

    /// Waits until there is something to load, and place for it; returns the ids not to load.
    pub(super) async fn to_load(&self) -> HashSet<String> {
        loop {
            {
                let mut state = self.state();
                if state.is_behind && state.ready.len() + state.later.len() < HELD_MAX / 2 {
                    state.is_behind = false;
                    state.settled_meanwhile = Some(HashSet::new());
                    return state.held.clone();
                }
            }
            self.load.notified().await;
        }
    }

    /// Takes loaded tasks in; `is_more` if the store has further ones, or could not be asked.
    pub(super) fn loaded(&self, tasks: Vec<Task>, is_more: bool) {
        let mut state = self.state();
        let settled = state.settled_meanwhile.take().unwrap_or_default();
        for task in tasks {
            if !settled.contains(&task.message_id) && state.held.insert(task.message_id.clone()) {
                state.put(task);
            }
        }
        state.is_behind |= is_more;
        drop(state);
        self.wake.notify_waiters();
    }

    /// Tasks in memory that are not sent, and whether the store has more.
    pub(crate) fn backlog(&self) -> (usize, usize, bool) {
        let state = self.state();
        (state.ready.len(), state.later.len(), state.is_behind)
    }
}

impl Settled for Queue {
    fn ended(&self, message_ids: &[String]) {
        let mut state = self.state();
        for id in message_ids {
            state.release(id);
        }
    }

    fn is_back(&self) {
        self.state().is_behind = true;
        self.load.notify_one();
        self.wake.notify_waiters();
    }
}

impl State {
    fn put(&mut self, task: Task) {
        if task.due <= moment_now() {
            self.ready.push_back(task);
        } else {
            self.number += 1;
            self.later.insert((task.due, self.number), task);
        }
    }

    fn release(&mut self, message_id: &str) -> bool {
        if let Some(settled) = &mut self.settled_meanwhile {
            settled.insert(message_id.to_owned());
        }
        self.held.remove(message_id)
    }

    /// The first that is due and was not ended meanwhile.
    fn take(&mut self) -> Option<Task> {
        let now = moment_now();
        loop {
            let is_due = self.later.first_key_value().is_some_and(|((due, _), _)| *due <= now);
            let task = if is_due { self.later.pop_first().map(|(_, task)| task) } else { self.ready.pop_front() }?;
            if self.held.contains(&task.message_id) {
                return Some(task);
            }
        }
    }

    /// How long nothing will be due, at most a second.
    fn wait(&self) -> Duration {
        let first = self.later.first_key_value();
        let until = first.map_or(1_000_000_000, |((due, _), _)| due.0.saturating_sub(moment_now().0));
        Duration::from_nanos(until.clamp(1_000_000, 1_000_000_000) as u64)
    }
}
