//! The system under test: started, found, named.

use crate::error::RunError;
use crate::observer::{News, Observer};
use crate::prepare::Prepared;
use crate::{logs, programs};
use clock::Clock;
use contract::{Mistake, Node, Watched};
use launch::{LaunchError, Launched, PerReplica, Placed};
use listen::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use study::{Instance, InstancePlace, Own, Places, ReplicaPlace};
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

/// Starts every instance, makes sure who they are, and says where they answer.
pub(crate) fn start(
    prepared: &Prepared,
    surroundings: &Surroundings,
    clock: &Clock,
    interrupted: &Arc<AtomicBool>,
    observer: &dyn Observer,
) -> Result<(Launched, Places), RunError> {
    let waiting = |text: &str| observer.hear(News::Waiting(text));
    let mut options = launch::Options::new(
        programs::folder(),
        surroundings.scratch.clone(),
        surroundings.logs.clone(),
        clock.clone(),
    );
    options.ready_within = READY_WITHIN;
    options.log_keeper = Some(logs::keeper(&prepared.kept_out));
    options.interrupted = interrupted.clone();
    options.say = &waiting;
    let resolve =
        |instance: &Instance, own: &PerReplica<'_>, node: &Node| resolve(prepared, surroundings, instance, own, node);
    let launched = launch::start(&prepared.study, &resolve, &options).map_err(|error| failed(prepared, error))?;
    let places = places(surroundings, &launched.placed());
    Ok((launched, places))
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
    prepared: &Prepared,
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
    programs::fixed(
        &study::names(&prepared.study, &prepared.secrets, &prepared.tables, None, &places).with_own(&own),
        node,
    )
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
