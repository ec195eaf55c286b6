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
    watching: Watching,
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
    let by = head.nodes.iter().map(|node| node.name.clone()).collect();
    let mut monitors = Monitors::build(prepared, launched, &names, &hints.load_on, by)?;
    listening.iter().for_each(|listening| monitors.add_listeners(listening));
    monitors.add_counters(prepared, &hints.counted);
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
    Ok(Watched { watching, listening, hints })
}

impl Watched {
    /// Ends it all, listeners last; returns what the monitors capture now.
    pub(crate) fn stop(self) -> Vec<facts::Fact> {
        let captured = self.watching.stop().0;
        drop(self.listening);
        captured
    }
}
