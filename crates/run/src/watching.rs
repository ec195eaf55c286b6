//! Everything around the load begins, once the system stands: listeners, monitors, and what is known before the load.

use crate::driver_counters::CounterSums;
use crate::error::RunError;
use crate::load::Load;
use crate::monitors::Monitors;
use crate::recorded::Record;
use crate::{facts, foresee, head};
use clock::Clock;
use contract::LoadOn;
use launch::Launched;
use listen::{Bound, Listening, Notice};
use record::Head;
use std::sync::PoisonError;
use watch::Watching;

/// Listeners and monitors at work.
pub(crate) struct Watched {
    /// None while instances are started anew.
    watching: Option<Watching>,
    listening: Option<Listening>,
    pub(crate) hints: Hints,
}

/// What monitors are told by the load.
#[derive(Default)]
pub(crate) struct Hints {
    /// Whether it is on.
    pub(crate) load_on: LoadOn,
    /// What its drivers count.
    pub(crate) counted: CounterSums,
}

/// Serves the listeners, starts the monitors, and adds to the head what is known by then.
///
/// # Errors
/// What a driver or monitor finds wrong with its settings now that the system stands; listeners that cannot be served.
pub(crate) fn start(
    load: &Load<'_>,
    launched: &Launched,
    bound: Vec<Bound>,
    foreseen: &[String],
    clock: &Clock,
    record: &Record,
    head: &mut Head,
) -> Result<Watched, RunError> {
    let Load { prepared, places, replies, .. } = load;
    let study = &prepared.study;
    let names = study::names(study, &prepared.secrets, &prepared.tables, None, places);
    if let Ok(features) = replies.blueprint(prepared, &names, 1)?.features() {
        head.features = head::features(study, features);
    }
    let entries = record.entries.clone();
    let tell = move |told: Notice| entries.event(told.at, told.kind, &told.listener, &told.text);
    let listening = replies.serve(prepared, &names, bound, clock, tell)?;
    let hints = Hints::default();
    let monitors = monitors(load, launched, listening.as_ref(), &hints, head)?;
    head.monitors = monitors.heads;
    let entries = record.entries.clone();
    let watching = watch::start(monitors.built, clock, move |entry| entries.send(entry));
    head.facts = facts::facts(prepared, &names, head, &watching.facts().0, foreseen);
    head.facts.extend(foresee::looked_up_hosts(prepared, clock));
    record.update(head);
    if let Some(nodes) = load.nodes {
        let own = head.monitors.iter().position(|monitor| monitor.kind == watch::generator::NAME).unwrap_or_default();
        nodes.lock().unwrap_or_else(PoisonError::into_inner).watch(own as u16).map_err(RunError::Node)?;
    }
    Ok(Watched { watching: Some(watching), listening, hints })
}

/// The monitors of the system as it is, the generator's, and those of what comes back.
fn monitors(
    load: &Load<'_>,
    launched: &Launched,
    listening: Option<&Listening>,
    hints: &Hints,
    head: &Head,
) -> Result<Monitors, RunError> {
    let Load { prepared, places, .. } = load;
    let names = study::names(&prepared.study, &prepared.secrets, &prepared.tables, None, places);
    let by = head.nodes.iter().map(|node| node.name.clone()).collect();
    let mut monitors = Monitors::build(prepared, launched, &names, &hints.load_on, by)?;
    listening.iter().for_each(|listening| monitors.add_listeners(listening));
    monitors.add_counters(prepared, &hints.counted);
    Ok(monitors)
}

impl Watched {
    /// Nobody looks any more: instances are about to be ended on purpose, which no monitor shall take for a loss.
    pub(crate) fn pause(&mut self) {
        // What they capture is captured again at the end, of those who are there then.
        drop(self.watching.take().map(Watching::stop));
    }

    /// Watches the system as it is from now on, under the same numbers; `head` learns of instances that are new.
    ///
    /// # Errors
    /// What a monitor finds wrong with its settings now.
    pub(crate) fn go_on(
        &mut self,
        load: &Load<'_>,
        launched: &Launched,
        clock: &Clock,
        record: &Record,
        head: &mut Head,
    ) -> Result<(), RunError> {
        let monitors = monitors(load, launched, self.listening.as_ref(), &self.hints, head)?;
        for (known, now) in head.monitors.iter_mut().zip(monitors.heads) {
            let new: Vec<String> = now.instances.into_iter().filter(|name| !known.instances.contains(name)).collect();
            known.instances.extend(new);
        }
        let entries = record.entries.clone();
        let watching = watch::start(monitors.built, clock, move |entry| entries.send(entry));
        facts::add_new(head, &watching.facts().0);
        self.watching = Some(watching);
        record.update(head);
        Ok(())
    }

    /// Ends it all, listeners last; returns what the monitors capture now.
    pub(crate) fn stop(self) -> Vec<facts::Fact> {
        let captured = self.watching.map(|watching| watching.stop().0).unwrap_or_default();
        drop(self.listening);
        captured
    }
}
