//! Everything around the load begins, once the system stands: listeners, monitors, and what is known before the load.

use crate::driver_counters::CounterSums;
use crate::error::RunError;
use crate::load::Load;
use crate::monitors::Monitors;
use crate::nodes::{self, Nodes, Tending, Watchers, Watchlist};
use crate::prepare::Prepared;
use crate::recorded::Record;
use crate::{facts, foresee, head};
use clock::Clock;
use contract::LoadOn;
use launch::Launched;
use listen::{Bound, Listening, Notice};
use record::Head;
use std::sync::{Arc, Mutex, PoisonError};
use terms::Nanos;
use watch::Watching;

/// Listeners and monitors at work.
pub(crate) struct Watched {
    /// None while instances are started anew.
    watching: Option<Watching>,
    watchers: Watchers,
    listening: Option<Listening>,
    pub(crate) hints: Hints,
    clock: Clock,
}

/// What monitors are told by the load.
#[derive(Default)]
pub(crate) struct Hints {
    /// Whether it is on.
    pub(crate) load_on: LoadOn,
    /// What its drivers count.
    pub(crate) counted: CounterSums,
}

/// What is around a load.
pub(crate) struct Around<'a> {
    pub(crate) launched: &'a Launched,
    pub(crate) bound: Vec<Bound>,
    /// What may run out, a sentence each.
    pub(crate) foreseen: &'a [String],
    /// Nodes that only watch.
    pub(crate) watchers: Vec<Nodes>,
    pub(crate) clock: &'a Clock,
    pub(crate) record: &'a Record,
}

/// Serves the listeners, starts the monitors, and adds to the head what is known by then.
///
/// # Errors
/// What a driver or monitor finds wrong with its settings now that the system stands; listeners that cannot be served.
pub(crate) fn start(load: &Load<'_>, around: Around<'_>, head: &mut Head) -> Result<Watched, RunError> {
    let Around { launched, bound, foreseen, mut watchers, clock, record } = around;
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
    let for_nodes = monitors.for_nodes(prepared, launched);
    head.monitors = monitors.heads;
    // What nodes record may come from now on.
    record.update(head);
    let entries = record.entries.clone();
    let watching = watch::start(monitors.built, clock, move |entry| entries.send(entry));
    let mut captured = watching.facts().0.clone();
    let alone = if head.meeting.is_some() { alone(prepared)? } else { Nanos::ZERO };
    for nodes in &mut watchers {
        nodes.record(&record.entries);
        captured.extend(nodes.carry(&for_nodes, alone).map_err(RunError::Node)?);
    }
    if let Some(nodes) = load.nodes {
        let mut nodes = nodes.lock().unwrap_or_else(PoisonError::into_inner);
        nodes.record(&record.entries);
        let own = head.monitors.iter().position(|monitor| monitor.kind == watch::generator::NAME).unwrap_or_default();
        nodes.watch(own as u16).map_err(RunError::Node)?;
        captured.extend(nodes.carry(&for_nodes, alone).map_err(RunError::Node)?);
    }
    head.facts = facts::facts(prepared, &names, head, &captured, foreseen);
    head.facts.extend(foresee::looked_up_hosts(prepared, clock));
    record.update(head);
    let (clock, entries, load_on) = (clock.clone(), record.entries.clone(), hints.load_on.clone());
    let tending = Tending { clock: clock.clone(), entries, load_on, monitors: head.monitors.clone() };
    let watchers = Watchers::tend(watchers, &tending).map_err(RunError::Thread)?;
    Ok(Watched { watching: Some(watching), watchers, listening, hints, clock })
}

/// How long nodes that only watch go on when nobody conducts the run any more, while load is on.
fn alone(prepared: &Prepared) -> Result<Nanos, RunError> {
    let ends = prepared.at_its_ends()?;
    let plans: Vec<_> = std::iter::once(prepared).chain(&ends).map(|prepared| &prepared.plan).collect();
    Ok(nodes::alone(&plans))
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
    let drives = head.nodes.iter().filter(|node| node.threads > 0);
    let by = drives.map(|node| node.name.clone()).collect();
    let mut monitors = Monitors::build(prepared, launched, &names, &hints.load_on, by)?;
    listening.iter().for_each(|listening| monitors.add_listeners(listening));
    monitors.add_counters(prepared, &hints.counted);
    Ok(monitors)
}

impl Watched {
    /// Nobody looks any more: instances are about to be ended on purpose, which no monitor shall take for a loss.
    pub(crate) fn pause(&mut self, nodes: Option<&Mutex<Nodes>>) {
        // What they capture is captured again at the end, of those who are there then.
        drop(self.watching.take().map(Watching::stop));
        if let Some(nodes) = nodes {
            nodes.lock().unwrap_or_else(PoisonError::into_inner).rest_watch();
        }
        self.watchers.rest();
    }

    /// Watches the system as it is from now on, under the same numbers; `head` learns of instances that are new.
    ///
    /// # Errors
    /// What a monitor finds wrong with its settings now; a load node that is lost.
    pub(crate) fn go_on(
        &mut self,
        load: &Load<'_>,
        launched: &Launched,
        clock: &Clock,
        record: &Record,
        head: &mut Head,
    ) -> Result<(), RunError> {
        let monitors = monitors(load, launched, self.listening.as_ref(), &self.hints, head)?;
        let for_nodes = monitors.for_nodes(load.prepared, launched);
        for (known, now) in head.monitors.iter_mut().zip(monitors.heads) {
            let new: Vec<String> = now.instances.into_iter().filter(|name| !known.instances.contains(name)).collect();
            known.instances.extend(new);
        }
        let entries = record.entries.clone();
        let watching = watch::start(monitors.built, clock, move |entry| entries.send(entry));
        let mut captured = watching.facts().0.clone();
        self.watching = Some(watching);
        let alone = if head.meeting.is_some() { alone(load.prepared)? } else { Nanos::ZERO };
        if let Some(nodes) = load.nodes {
            let mut nodes = nodes.lock().unwrap_or_else(PoisonError::into_inner);
            captured.extend(nodes.carry(&for_nodes, alone).map_err(RunError::Node)?);
        }
        let list = Watchlist { monitors: Arc::new(for_nodes), places: load.places.clone(), alone };
        captured.extend(self.watchers.go_on(&list));
        facts::add_new(head, &captured);
        record.update(head);
        Ok(())
    }

    /// Ends it all, listeners last; returns what the monitors capture now. `nodes` drove the load, where others did; the head
    /// gets what is known of all nodes by then.
    pub(crate) fn stop(self, nodes: Option<&Mutex<Nodes>>, head: &mut Head) {
        // All at once: what they watch is one moment's.
        let watchers = std::thread::spawn(move || self.watchers.stop());
        let mut heads = Vec::new();
        let mut captured = Vec::new();
        if let Some(nodes) = nodes {
            let mut nodes = nodes.lock().unwrap_or_else(PoisonError::into_inner);
            nodes.bound_clocks(&self.clock);
            captured = nodes.end_watch();
            heads = nodes.heads();
        }
        let mut facts = self.watching.map(|watching| watching.stop().0).unwrap_or_default();
        let (of_watchers, who) = watchers.join().unwrap_or_default();
        facts.extend(of_watchers.into_iter().chain(captured));
        heads.extend(who);
        (head.nodes, head.facts_end) = (heads, facts);
        drop(self.listening);
    }
}
