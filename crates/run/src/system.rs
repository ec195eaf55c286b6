//! The system under test: started, found, named.

use crate::error::RunError;
use crate::observer::{News, Observer};
use crate::prepare::Prepared;
use crate::{logs, programs};
use clock::Clock;
use contract::{Mistake, Node, Watched};
use launch::{Ended, LaunchError, Launched, PerReplica, Placed, Resolve};
use listen::Bound;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use study::{Instance, InstancePlace, Own, Places, ReplicaPlace, Scenario};
use terms::Nanos;

/// Longest wait until an instance is ready: a store of 100,000 records is built in less.
const READY_WITHIN: Nanos = Nanos::from_secs(180);

/// What the system is told of the run that starts it.
pub(crate) struct Surroundings {
    pub(crate) scratch: PathBuf,
    pub(crate) logs: PathBuf,
    pub(crate) run_id: String,
    /// Where it reaches the lab's listeners.
    pub(crate) listeners: Vec<(String, ReplicaPlace)>,
}

impl Surroundings {
    /// Those of a run in this folder.
    pub(crate) fn within(folder: &Path, run_id: &str, bound: &[Bound]) -> Self {
        let listeners = bound.iter().map(|bound| (bound.name.clone(), bound.place.clone())).collect();
        Self { scratch: folder.join("scratch"), logs: folder.join("logs"), run_id: run_id.to_owned(), listeners }
    }
}

/// Who starts the system, and starts some of it anew.
pub(crate) struct Starter<'a> {
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) clock: &'a Clock,
    pub(crate) interrupted: &'a Arc<AtomicBool>,
    pub(crate) observer: &'a dyn Observer,
}

impl Starter<'_> {
    /// Starts every instance as the first scenario needs it, makes sure who they are, and says where they answer.
    ///
    /// # Errors
    /// What could not be started; whatever had been started by then is ended again.
    pub(crate) fn start(&self, prepared: &Prepared) -> Result<(Launched, Places), RunError> {
        let study = &prepared.study;
        let scenario = prepared.scenario_at(0);
        let instances = instances(prepared, scenario);
        let launched = self.with(prepared, scenario, |resolve, options| {
            launch::start_instances(&instances, &study.base, resolve, options)
        })?;
        let places = places(self.surroundings, &launched.placed());
        Ok((launched, places))
    }

    /// Starts the named instances anew, as a scenario needs them, and says where everything answers from now on. Returns
    /// how the old ones ended, too.
    ///
    /// # Errors
    /// What could not be started.
    pub(crate) fn renew(
        &self,
        prepared: &Prepared,
        scenario: &Scenario,
        names: &BTreeSet<String>,
        launched: &mut Launched,
    ) -> Result<(Vec<Ended>, Places), RunError> {
        let instances = instances(prepared, Some(scenario));
        let ended = self.with(prepared, Some(scenario), |resolve, options| {
            launch::renew(launched, &instances, names, &prepared.study.base, resolve, options)
        })?;
        Ok((ended, places(self.surroundings, &launched.placed())))
    }

    /// Hands over how texts are filled in, and where things are.
    fn with<T>(
        &self,
        prepared: &Prepared,
        scenario: Option<&Scenario>,
        start: impl FnOnce(&Resolve<'_>, &launch::Options<'_>) -> Result<T, LaunchError>,
    ) -> Result<T, RunError> {
        let Self { surroundings, clock, interrupted, observer } = self;
        let waiting = |text: &str| observer.hear(News::Waiting(text));
        let (scratch, logs) = (surroundings.scratch.clone(), surroundings.logs.clone());
        let mut options = launch::Options::new(programs::folder(), scratch, logs, (*clock).clone());
        options.ready_within = READY_WITHIN;
        options.log_keeper = Some(logs::keeper(&prepared.kept_out));
        options.interrupted = Arc::clone(interrupted);
        options.say = &waiting;
        let resolve = |instance: &Instance, own: &PerReplica<'_>, node: &Node| {
            resolve((prepared, scenario), surroundings, instance, own, node)
        };
        start(&resolve, &options).map_err(|error| failed(prepared, error))
    }
}

/// All instances as a scenario needs them.
fn instances(prepared: &Prepared, scenario: Option<&Scenario>) -> Vec<Instance> {
    match scenario {
        Some(scenario) => prepared.study.instances_of(scenario).into_iter().map(|bound| bound.instance).collect(),
        None => prepared.study.system.instances.clone(),
    }
}

fn failed(prepared: &Prepared, error: LaunchError) -> RunError {
    match error {
        LaunchError::Mistake(mistake) => {
            let text = study::show("error", &mistake, &prepared.study.files);
            RunError::refused(text.trim_end())
        }
        other => RunError::System(other),
    }
}

/// Fills in a text of an instance.
fn resolve(
    (prepared, scenario): (&Prepared, Option<&Scenario>),
    surroundings: &Surroundings,
    instance: &Instance,
    own: &PerReplica<'_>,
    node: &Node,
) -> Result<String, Mistake> {
    let places = places(surroundings, own.placed);
    let own = Own {
        place: ReplicaPlace::started(instance, own.host, own.ports.to_vec()),
        replica: own.replica,
        nonce: own.nonce.to_owned(),
        faults: own.faults.to_owned(),
    };
    let Prepared { study, secrets, tables, .. } = prepared;
    programs::fixed(&study::names_of_instances(study, secrets, tables, scenario, &places).with_own(&own), node)
}

/// What `study` needs to know of where things answer.
fn places(surroundings: &Surroundings, placed: &[Placed]) -> Places {
    let mut instances: Vec<InstancePlace> = Vec::new();
    for placed in placed {
        let mut replica = ReplicaPlace::local(&placed.host, placed.ports.clone());
        if placed.pid.is_none() {
            replica = ReplicaPlace::from_url(&placed.url).unwrap_or(replica);
        } else {
            replica.url.clone_from(&placed.url);
        }
        match instances.iter_mut().find(|instance| instance.name == placed.instance) {
            Some(instance) => instance.replicas.push(replica),
            None => instances.push(InstancePlace { name: placed.instance.clone(), replicas: vec![replica] }),
        }
    }
    Places {
        run_id: surroundings.run_id.clone(),
        scratch: surroundings.scratch.display().to_string(),
        instances,
        listeners: surroundings.listeners.clone(),
    }
}

/// What monitors are told about the instances that a watch names; all of them when it names none.
pub(crate) fn watched(launched: &Launched, of: &[String]) -> Vec<Watched> {
    let is_named = |placed: &Placed| of.is_empty() || of.contains(&placed.instance) || of.contains(&placed.name);
    let placed = launched.started().map(|started| started.placed.clone());
    placed
        .filter(|placed| is_named(placed))
        .map(|placed| Watched { name: placed.name, pid: placed.pid, url: Some(placed.url) })
        .collect()
}
