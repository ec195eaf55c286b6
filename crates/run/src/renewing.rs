//! Between two scenarios: instances that mention a variable which the next one binds otherwise are started anew, and
//! everybody who deals with them is told.

use crate::error::RunError;
use crate::head;
use crate::keeper::Keeper;
use crate::load::Load;
use crate::observer::News;
use crate::prepare::Prepared;
use crate::system::Starter;
use crate::watching::Watched;
use launch::{Ended, LaunchError, Launched};
use record::{Head, RENEWED};
use std::collections::BTreeSet;
use std::sync::PoisonError;
use study::{BoundInstance, Places, Scenario};
use terms::EndReason;

/// The system as it stands.
pub(crate) struct Standing {
    /// Where it answers.
    pub(crate) places: Places,
    /// Its instances, as the scenario that was carried out last needed them.
    instances: Vec<BoundInstance>,
}

impl Standing {
    /// As it was started for the first scenario.
    pub(crate) fn new(prepared: &Prepared, places: Places) -> Self {
        let instances =
            prepared.scenario_at(0).map(|scenario| prepared.study.instances_of(scenario)).unwrap_or_default();
        Self { places, instances }
    }

    /// Of the scenarios from `first` on in the plan, how many are carried out before instances have to be started anew.
    pub(crate) fn lasts(&self, prepared: &Prepared, first: usize) -> usize {
        let Some(own) = prepared.scenario_at(first).map(|scenario| prepared.study.instances_of(scenario)) else {
            return 0;
        };
        let is_another = |place: usize| {
            let next = prepared.scenario_at(place).map(|scenario| prepared.study.instances_of(scenario));
            next.is_some_and(|next| !study::renewed(&own, &next).is_empty())
        };
        let rest = first + 1..prepared.plan.scenarios.len();
        1 + rest.take_while(|place| !is_another(*place)).count()
    }
}

/// Who starts instances anew.
pub(crate) struct Renewing<'a> {
    pub(crate) starter: Starter<'a>,
    pub(crate) keeper: &'a Keeper<'a>,
}

impl Renewing<'_> {
    /// Makes the system what the scenario at a place of the plan needs. Nothing where it is that already.
    ///
    /// # Errors
    /// Why the load cannot go on.
    pub(crate) fn before(
        &self,
        (load, place): (&Load<'_>, usize),
        standing: &mut Standing,
        watched: &mut Watched,
        head: &mut Head,
    ) -> Result<(), (EndReason, String)> {
        let prepared = load.prepared;
        let Some(scenario) = prepared.scenario_at(place) else { return Ok(()) };
        let wanted = prepared.study.instances_of(scenario);
        let names = study::renewed(&standing.instances, &wanted);
        if names.is_empty() {
            return Ok(());
        }
        let renewed = self.renew((load, scenario), (&names, &wanted), standing, watched, head);
        standing.instances = wanted;
        renewed.map_err(|error| {
            let reason = match &error {
                RunError::System(LaunchError::Interrupted { .. }) => EndReason::Interrupted,
                RunError::Node(_) => EndReason::Generator,
                _ => EndReason::Target,
            };
            (reason, format!("the system could not be started anew for `{}`: {error}", scenario.name))
        })
    }

    fn renew(
        &self,
        (load, scenario): (&Load<'_>, &Scenario),
        (names, wanted): (&BTreeSet<String>, &[BoundInstance]),
        standing: &mut Standing,
        watched: &mut Watched,
        head: &mut Head,
    ) -> Result<(), RunError> {
        let Keeper { record, clock, observer, .. } = self.keeper;
        watched.pause(load.nodes);
        let mut system = self.keeper.system.lock().unwrap_or_else(PoisonError::into_inner);
        let launched = &mut system.0;
        let (ended, places) = self.starter.renew(load.prepared, scenario, names, launched)?;
        let wanted: Vec<&BoundInstance> = wanted.iter().filter(|one| names.contains(&one.instance.name)).collect();
        for (subject, text) in told(&ended, launched, scenario, &wanted) {
            observer.hear(News::Instance(&text));
            record.entries.event(clock.now(), RENEWED, &subject, &text);
        }
        standing.places = places;
        head::renew_instances(head, launched);
        if let Some(nodes) = load.nodes {
            let mut nodes = nodes.lock().unwrap_or_else(PoisonError::into_inner);
            nodes.places(&standing.places).map_err(RunError::Node)?;
        }
        let load = Load { places: &standing.places, replies: load.replies.clone(), ..*load };
        watched.go_on(&load, launched, clock, record, head)
    }
}

/// Of each replica that ended for good, or was started, a sentence.
fn told(ended: &[Ended], launched: &Launched, scenario: &Scenario, wanted: &[&BoundInstance]) -> Vec<(String, String)> {
    let placed = launched.placed();
    let is_there = |ended: &&Ended| placed.iter().any(|placed| placed.name == ended.name);
    let gone = ended.iter().filter(|ended| !is_there(ended)).map(|ended| {
        (ended.name.clone(), format!("`{}` was ended: `{}` needs fewer replicas", ended.name, scenario.name))
    });
    let new = placed.iter().filter_map(|placed| {
        let bound = wanted.iter().find(|bound| bound.instance.name == placed.instance)?;
        let was_there = ended.iter().any(|ended| ended.name == placed.name);
        let how = if was_there { "was started anew" } else { "was started" };
        let shown = bound.shown();
        let with = if shown.is_empty() { String::new() } else { format!(" with {shown}") };
        Some((placed.name.clone(), format!("`{}` {how} for `{}`{with}", placed.name, scenario.name)))
    });
    gone.chain(new).collect()
}
