//! The threads of all monitors.

use crate::keeper;
use crate::sampler::{Built, Sampler};
use clock::Clock;
use contract::{FactName, Facts};
use record::Entry;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long start and end wait for the monitors' facts: a database that does not answer must not hold up the run.
const FACTS_PATIENCE: Duration = Duration::from_secs(10);

/// Monitors at work. Dropping it stops them without waiting.
pub struct Watching {
    threads: Vec<Thread>,
    facts: Facts,
}

struct Thread {
    name: String,
    stop: Sender<()>,
    /// Facts at the start, then facts at the end.
    facts: Receiver<(Stage, Facts)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Start,
    End,
}

/// Starts every monitor on a thread of its own, and one more that keeps the wall clock beside the run's clock (a pair
/// every ten seconds, an event `clock_step` when it is set).
///
/// `sink` is called from those threads with [`Entry::Samples`], [`Entry::Event`] and [`Entry::Clock`]; it must not
/// block for long. Returns when all monitors have told their facts, or after ten seconds.
pub fn start(monitors: Vec<Built>, clock: &Clock, sink: impl Fn(Entry) + Send + Clone + 'static) -> Watching {
    let mut watching = Watching { threads: Vec::new(), facts: Facts::default() };
    for built in monitors {
        let (clock, sink) = (clock.clone(), sink.clone());
        watching.spawn(built.name.clone(), move |stop, facts| {
            let mut sampler = Sampler::new(built, clock, &sink);
            let _ = facts.send((Stage::Start, sampler.facts()));
            sampler.run(stop);
            let _ = facts.send((Stage::End, sampler.facts()));
        });
    }
    let clock = clock.clone();
    watching.spawn("clock".to_owned(), move |stop, facts| {
        let _ = facts.send((Stage::Start, Facts::default()));
        keeper::keep(&clock, &sink, stop);
        let _ = facts.send((Stage::End, Facts::default()));
    });
    watching.facts = watching.collect(Stage::Start);
    watching
}

impl Watching {
    /// What the monitors captured at the start.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Takes a last sample of everything, stops, and returns what the monitors capture now. Waits at most ten seconds:
    /// a monitor that hangs is left behind, and that is a fact.
    pub fn stop(self) -> Facts {
        for thread in &self.threads {
            // A thread that is gone has nothing left to stop.
            let _ = thread.stop.send(());
        }
        self.collect(Stage::End)
    }

    fn spawn(&mut self, name: String, body: impl FnOnce(&Receiver<()>, &Sender<(Stage, Facts)>) + Send + 'static) {
        let ((stop, stopped), (told, facts)) = (channel(), channel());
        let thread = std::thread::Builder::new().name(format!("watch {name}"));
        // A thread that the system refuses shows as missing facts, since its channel is closed.
        let _ = thread.spawn(move || body(&stopped, &told));
        self.threads.push(Thread { name, stop, facts });
    }

    fn collect(&self, stage: Stage) -> Facts {
        let mut facts = Facts::default();
        let mut patience = FACTS_PATIENCE;
        for thread in &self.threads {
            // Facts of the start that come only now are passed over.
            let told = loop {
                match thread.facts.recv_timeout(patience) {
                    Ok((told, _)) if told != stage => {}
                    Ok((_, told)) => break Ok(told),
                    Err(failure) => break Err(failure),
                }
            };
            match told {
                Ok(told) => facts.0.extend(told.0),
                Err(failure) => {
                    // They all work at once: whoever has not told by then has had as long.
                    let is_slow = failure == RecvTimeoutError::Timeout;
                    patience = if is_slow { Duration::ZERO } else { patience };
                    let when = if stage == Stage::Start { "facts at the start" } else { "facts at the end" };
                    let why =
                        if is_slow { format!("none within {FACTS_PATIENCE:?}") } else { "its thread ended".into() };
                    facts.fact(&thread.name, FactName::verbatim(when), why);
                }
            }
        }
        facts
    }
}
