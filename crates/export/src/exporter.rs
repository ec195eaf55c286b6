//! Follows a run and hands its seconds to all receivers.

use crate::address::{Receiver, Way};
use crate::pusher::{Pusher, Say};
use crate::registry::Registry;
use crate::scrape::Server;
use crate::snapshot::Snapshot;
use clock::Clock;
use follow::Follower;
use record::RecordError;
use scrub::KeptOut;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use terms::Nanos;

/// What receivers are given after the end of a run to take what is left.
pub const PATIENCE_AT_END: Nanos = Nanos::from_secs(5);
/// The same for reading the rest of the record.
const READING_AT_END: Nanos = Nanos::from_secs(5);
/// Between two looks at the run folder.
const LOOK: Nanos = Nanos::from_millis(500);
/// What receivers are given to take the last of a run that is over. They give up by themselves long before, and it bounds
/// one that takes each second just in time.
const PATIENCE_IN_TURN: Nanos = Nanos::from_secs(600);
/// How far these threads stand back where a core is wanted by others; 19 is the most.
const NICENESS: i32 = 10;

/// The threads that export a run. What they do never fails a run.
pub struct Exporter {
    shared: Arc<Shared>,
}

/// What became of a run that was sent.
pub struct Sent {
    /// A line for each receiver.
    pub lines: Vec<String>,
    /// Whether each of them took everything.
    pub is_whole: bool,
    /// Whether the run folder could be read to its end.
    pub read: Result<(), RecordError>,
}

struct Shared {
    outlets: Vec<Outlet>,
    kept_out: KeptOut,
    clock: Clock,
    say: Say,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    has_begun: bool,
    /// When reading has to be over; `None` while the run goes on.
    until: Option<Nanos>,
    is_read: bool,
    is_finished: bool,
}

enum Outlet {
    Push(Pusher),
    Page(Server),
}

impl Exporter {
    /// Gets ready: takes the ports of pages, starts a thread for each receiver. `say` shows a sentence and must not wait.
    ///
    /// # Errors
    /// A port that cannot be had, with the address.
    pub fn start(
        receivers: &[Receiver],
        kept_out: &KeptOut,
        say: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, String> {
        let (clock, say): (Clock, Say) = (Clock::system(), Arc::new(say));
        let mut outlets = Vec::new();
        for Receiver { shown, way } in receivers {
            let outlet = match way {
                Way::Push(push) => {
                    Pusher::start(shown, push.clone(), kept_out.clone(), &clock, say.clone()).map(Outlet::Push)
                }
                Way::Serve(address) => Server::start(shown, *address, &clock, say.clone()).map(Outlet::Page),
            };
            let hint = "write another port, or 0 for one that is free";
            outlets.push(outlet.map_err(|error| format!("`--export {shown}` cannot be had: {error}; {hint}"))?);
        }
        let (state, changed) = (Mutex::default(), Condvar::new());
        Ok(Self { shared: Arc::new(Shared { outlets, kept_out: kept_out.clone(), clock, say, state, changed }) })
    }

    /// Where pages are served, in order of the receivers.
    pub fn pages(&self) -> Vec<SocketAddr> {
        let page = |outlet: &Outlet| match outlet {
            Outlet::Page(server) => Some(server.address()),
            Outlet::Push(_) => None,
        };
        self.shared.outlets.iter().filter_map(page).collect()
    }

    /// Follows a run folder from now on, in a thread of its own; of a second folder nothing is taken.
    pub fn follow(&self, folder: &Path) {
        let mut state = self.shared.state();
        if std::mem::replace(&mut state.has_begun, true) {
            return;
        }
        let (shared, folder) = (self.shared.clone(), folder.to_owned());
        let work = move || {
            yield_to_others();
            let mut registry = Registry::new(shared.kept_out.clone());
            let hand_over = |snapshot: &Arc<Snapshot>| shared.hand_over(snapshot);
            if let Err(error) = follow(&shared, &folder, &mut registry, hand_over) {
                (shared.say)(&format!("export: the run folder cannot be followed: {error}; nothing more is exported"));
            }
            shared.end(registry.ending(), PATIENCE_AT_END);
            shared.tell_left_out(&registry);
            shared.state().is_read = true;
            shared.changed.notify_all();
        };
        // Without a thread nothing is exported, which the end tells.
        let spawned = std::thread::Builder::new().name("export".into()).spawn(work);
        state.is_read = spawned.is_err();
    }

    /// The run is over: waits for what is left, no longer than [`PATIENCE_AT_END`] and what reading the rest takes. A line for
    /// each receiver; none where there was no run.
    pub fn finish(&self) -> Vec<String> {
        let shared = &self.shared;
        let mut state = shared.state();
        if std::mem::replace(&mut state.is_finished, true) || !state.has_begun {
            return Vec::new();
        }
        let until = shared.clock.now() + READING_AT_END;
        state.until = Some(until);
        shared.changed.notify_all();
        while !state.is_read && shared.clock.now() < until {
            state = shared.wait(state, until - shared.clock.now());
        }
        let is_read = state.is_read;
        drop(state);
        if !is_read {
            shared.end(None, PATIENCE_AT_END);
        }
        shared.finish()
    }

    /// Sends every second of a run, from its first to its last, and waits for receivers where they need time: nothing else
    /// goes on that they could disturb. Of a run that goes on that is until its end.
    pub fn send(&self, folder: &Path) -> Sent {
        let shared = &self.shared;
        let mut registry = Registry::new(shared.kept_out.clone());
        let hand_over = |snapshot: &Arc<Snapshot>| {
            for outlet in &shared.outlets {
                match outlet {
                    Outlet::Push(pusher) => pusher.hand_over_in_turn(snapshot.clone()),
                    Outlet::Page(server) => server.show(snapshot.clone()),
                }
            }
        };
        let read = follow(shared, folder, &mut registry, hand_over);
        shared.end(registry.ending(), PATIENCE_IN_TURN);
        shared.tell_left_out(&registry);
        let lines = shared.finish();
        let has_all = |outlet: &Outlet| matches!(outlet, Outlet::Push(pusher) if pusher.has_all());
        Sent { lines, is_whole: shared.outlets.iter().all(has_all), read }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, most: Nanos) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, most.to_std()).unwrap_or_else(PoisonError::into_inner).0
    }

    fn hand_over(&self, snapshot: &Arc<Snapshot>) {
        for outlet in &self.outlets {
            match outlet {
                Outlet::Push(pusher) => pusher.hand_over(snapshot.clone()),
                Outlet::Page(server) => server.show(snapshot.clone()),
            }
        }
    }

    fn end(&self, ending: Option<Snapshot>, patience: Nanos) {
        let (ending, until) = (ending.map(Arc::new), self.clock.now() + patience);
        for outlet in &self.outlets {
            match outlet {
                Outlet::Push(pusher) => pusher.end(ending.clone(), until),
                Outlet::Page(server) => server.end(until),
            }
        }
    }

    /// Waits for all outlets, no longer than they were given.
    fn finish(&self) -> Vec<String> {
        let finish = |outlet: &Outlet| match outlet {
            Outlet::Push(pusher) => pusher.finish(),
            Outlet::Page(server) => server.finish(),
        };
        self.outlets.iter().map(finish).collect()
    }

    fn tell_left_out(&self, registry: &Registry) {
        if registry.left_out() > 0 {
            let text = "series were more than are exported; their counts are in series labelled `(others)`";
            (self.say)(&format!("export: {} {text}", registry.left_out()));
        }
    }
}

/// Reads a run to its end.
fn follow(
    shared: &Shared,
    folder: &Path,
    registry: &mut Registry,
    hand_over: impl Fn(&Arc<Snapshot>),
) -> Result<(), RecordError> {
    let mut follower = Follower::open(folder)?;
    loop {
        let seconds = follower.next()?;
        for second in &seconds {
            registry.add(second, follower.head());
            if let Some(snapshot) = registry.snapshot() {
                hand_over(&Arc::new(snapshot));
            }
        }
        if follower.is_over() {
            return Ok(());
        }
        let state = shared.state();
        if state.until.is_some_and(|until| until <= shared.clock.now()) {
            return Ok(());
        }
        if seconds.is_empty() {
            // At the end there is something new at any moment.
            let look = if state.until.is_some() { Nanos(LOOK.0 / 10) } else { LOOK };
            drop(shared.wait(state, look));
        }
    }
}

/// Lets whoever else wants this core have it first. Best effort: where the system refuses, the thread is what it was.
pub(crate) fn yield_to_others() {
    let _ = rustix::process::nice(NICENESS);
}
