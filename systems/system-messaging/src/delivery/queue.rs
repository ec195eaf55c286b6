//! Tasks in memory: those ready, those that wait for their time, and which ids are held at all.
//!
//! The store is the truth; memory only saves asking it for what was just written. What memory has no place for stays in
//! the store, and is loaded when there is place again.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
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
    /// Ids that memory answers for: reserved, ready, waiting, or sent and not marked in the store yet. With how many
    /// tasks of each: a stored reply can be asked for again before the store knows that it was delivered.
    held: HashMap<String, u32>,
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
        *self.state().held.entry(message_id.to_owned()).or_default() += 1;
    }

    /// The task was not stored, or it is not known whether it was: a load finds it then.
    pub(crate) fn give_up(&self, message_id: &str) {
        let mut state = self.state();
        state.let_go(message_id);
        state.is_behind = true;
    }

    /// A task that is stored now, under a reserved id.
    pub(crate) fn add(&self, task: Task) {
        let mut state = self.state();
        if state.ready.len() + state.later.len() >= HELD_MAX {
            state.let_go(&task.message_id);
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
        if state.held.contains_key(&task.message_id) {
            state.put(task);
            drop(state);
            self.wake.notify_one();
        }
    }

    /// Whether memory still answers for a task: not, if an acknowledgment ended it.
    pub(crate) fn holds(&self, message_id: &str) -> bool {
        self.state().held.contains_key(message_id)
    }

    /// An acknowledgment came, and is stored: the task is over. Returns whether it was held.
    pub(crate) fn acknowledged(&self, message_id: &str) -> bool {
        let mut state = self.state();
        state.settle(message_id);
        state.held.remove(message_id).is_some()
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
                    return state.held.keys().cloned().collect();
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
            if !settled.contains(&task.message_id) && !state.held.contains_key(&task.message_id) {
                state.held.insert(task.message_id.clone(), 1);
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
            state.settle(id);
            state.let_go(id);
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

    /// A load that is under way may bring this task in as it was before: it must not.
    fn settle(&mut self, message_id: &str) {
        if let Some(settled) = &mut self.settled_meanwhile {
            settled.insert(message_id.to_owned());
        }
    }

    /// One task less with this id.
    fn let_go(&mut self, message_id: &str) {
        if let Some(tasks) = self.held.get_mut(message_id) {
            *tasks -= 1;
            if *tasks == 0 {
                self.held.remove(message_id);
            }
        }
    }

    /// The first that is due and was not ended meanwhile.
    fn take(&mut self) -> Option<Task> {
        let now = moment_now();
        loop {
            let is_due = self.later.first_key_value().is_some_and(|((due, _), _)| *due <= now);
            let task = if is_due { self.later.pop_first().map(|(_, task)| task) } else { self.ready.pop_front() }?;
            if self.held.contains_key(&task.message_id) {
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn task() -> Task {
        Task {
            message_id: "ack".to_owned(),
            cpa_id: "agreement".to_owned(),
            uri: String::new(),
            content: Bytes::new(),
            time_to_live: None,
            due: Nanos(0),
            attempts: 0,
            retries_max: 3,
            interval: Duration::from_secs(2),
            needs_ack: false,
            delivered: Count::AcksDelivered,
        }
    }

    /// The task that is due now, if there is one.
    fn taken(queue: &Queue) -> Option<String> {
        queue.state().take().map(|task| task.message_id)
    }

    #[test]
    fn a_reply_asked_for_again_while_it_is_being_sent_is_sent_again() {
        // The end of the first delivery may be stored before the resend is reserved, stored, or taken.
        for moment in 0..3 {
            let queue = Queue::new();
            queue.reserve("ack");
            queue.add(task());
            assert_eq!(taken(&queue).as_deref(), Some("ack"));
            let end = |now| (now == moment).then(|| queue.ended(&["ack".to_owned()]));
            end(0);
            queue.reserve("ack");
            end(1);
            queue.add(task());
            end(2);
            assert_eq!(taken(&queue).as_deref(), Some("ack"), "{moment}");
            queue.ended(&["ack".to_owned()]);
            assert!(!queue.holds("ack"), "nothing is held for ever");
        }
    }

    #[test]
    fn an_acknowledgment_ends_every_task_of_its_message() {
        let queue = Queue::new();
        for _ in 0..2 {
            queue.reserve("ack");
            queue.add(task());
        }
        assert!(queue.acknowledged("ack") && !queue.acknowledged("ack"));
        assert_eq!(taken(&queue), None);
    }

    #[test]
    fn what_was_settled_during_a_load_is_not_loaded() {
        let queue = Queue::new();
        queue.reserve("ack");
        queue.state().is_behind = false;
        queue.state().settled_meanwhile = Some(HashSet::new());
        queue.ended(&["ack".to_owned()]);
        queue.loaded(vec![task()], false);
        assert_eq!(taken(&queue), None);
    }
}
