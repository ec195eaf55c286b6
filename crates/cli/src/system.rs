//! The system under test: started, found, named.

use crate::exit::Failed;
use crate::logs;
use crate::prepare::Prepared;
use clock::Clock;
use contract::{Mistake, Names, Node, Template, Watched};
use launch::{LaunchError, Launched, PerReplica, Placed};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use study::{Instance, InstancePlace, Own, Places, Rejected, ReplicaPlace};
use terms::Nanos;

/// Longest wait until an instance is ready: a store of 100,000 records is built in less.
const READY_WITHIN: Nanos = Nanos::from_secs(180);

/// Where a run puts things.
#[derive(Clone)]
pub(crate) struct Folders {
    pub(crate) scratch: PathBuf,
    pub(crate) logs: PathBuf,
    pub(crate) run_id: String,
    /// Where the system reaches the lab's listeners.
    pub(crate) listeners: Vec<(String, ReplicaPlace)>,
}

/// Starts every instance, makes sure who they are, and says where they answer.
pub(crate) fn start(
    prepared: &Prepared,
    folders: &Folders,
    clock: &Clock,
    interrupted: &Arc<AtomicBool>,
) -> Result<(Launched, Places), Failed> {
    let mut options =
        launch::Options::new(program_folder(), folders.scratch.clone(), folders.logs.clone(), clock.clone());
    options.ready_within = READY_WITHIN;
    options.log_keeper = Some(logs::keeper(&prepared.kept_out));
    options.interrupted = interrupted.clone();
    options.say = |text| crate::output::say!("{text}");
    let resolve =
        |instance: &Instance, own: &PerReplica<'_>, node: &Node| resolve(prepared, folders, instance, own, node);
    let launched = launch::start(&prepared.study, &resolve, &options).map_err(|error| failed(prepared, error))?;
    let places = places(folders, &launched.placed());
    Ok((launched, places))
}

/// Finds what would keep the system from being started, with stand-ins for what is known only then.
pub(crate) fn foresee(prepared: &Prepared) -> Result<(), Failed> {
    let Prepared { study, secrets, tables, .. } = prepared;
    let places = Places::placeholders(study);
    let resolve = |instance: &Instance, per: &PerReplica<'_>, node: &Node| {
        let own = Own { faults: per.faults.to_owned(), ..Own::placeholder(instance) };
        fixed(&study::names(study, secrets, tables, None, &places).with_own(&own), node)
    };
    launch::foresee(&study.system.instances, &study.base, &program_folder(), &resolve)
        .map_err(|mistakes| Rejected { files: study.files.clone(), mistakes }.into())
}

/// The folder of this program, where those of the reference systems lie, too.
fn program_folder() -> PathBuf {
    std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf)).unwrap_or_default()
}

fn failed(prepared: &Prepared, error: LaunchError) -> Failed {
    match error {
        LaunchError::Mistake(mistake) => {
            let text = study::show("error", &mistake, &prepared.study.files);
            Failed::because(text.trim_end())
        }
        other => Failed::invalid(other),
    }
}

/// Fills in a text of an instance.
fn resolve(
    prepared: &Prepared,
    folders: &Folders,
    instance: &Instance,
    own: &PerReplica<'_>,
    node: &Node,
) -> Result<String, Mistake> {
    let places = places(folders, own.placed);
    let own = Own {
        place: ReplicaPlace::started(instance, own.host, own.ports.to_vec()),
        replica: own.replica,
        nonce: own.nonce.to_owned(),
        faults: own.faults.to_owned(),
    };
    fixed(&study::names(&prepared.study, &prepared.secrets, &prepared.tables, None, &places).with_own(&own), node)
}

/// A text in which every name is known before anything is sent.
fn fixed(names: &dyn Names, node: &Node) -> Result<String, Mistake> {
    let template = Template::compile(node.as_text("this")?, node.place, names)?;
    template
        .as_fixed()
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .ok_or_else(|| Mistake::at(node.place, "study::not-yet-known", "a name here differs from exchange to exchange"))
}

/// What `study` needs to know of where things answer.
fn places(folders: &Folders, placed: &[Placed]) -> Places {
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
        run_id: folders.run_id.clone(),
        scratch: folders.scratch.display().to_string(),
        instances,
        listeners: folders.listeners.clone(),
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
