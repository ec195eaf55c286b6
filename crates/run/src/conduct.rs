//! The whole way of a run: foresee, open the folder, start the system, watch, drive, stop, seal.

use crate::driving::Driven;
use crate::error::RunError;
use crate::folder::{self, CallNodes, Folder, Opened, RunRequest};
use crate::keeper::Keeper;
use crate::load::Load;
use crate::nodes::{Joining, Nodes, Trial};
use crate::observer::{News, Observer};
use crate::parties::{Parties, Parts};
use crate::prepare::Prepared;
use crate::recorded::Record;
use crate::renewing::{Renewing, Standing};
use crate::replies::Replies;
use crate::searching::{self, Searching};
use crate::signals::Signals;
use crate::system::{Starter, Surroundings};
use crate::watching::{Around, Watched};
use crate::{driving, ending, foresee, head, replies, watching};
use clock::Clock;
use drive::{Control, Kept};
use listen::Bound;
use record::{Head, Writer};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use terms::{EndReason, Nanos};

/// More processes than one machine has any use for.
const NODES_HERE_MAX: u16 = 64;

/// Carries out a prepared study and returns the sealed run folder. From the moment at which its listeners have their
/// ports, signals end the run and not the process.
///
/// # Errors
/// What was refused before anything was measured, which leaves no folder behind; a disk that refuses, which leaves what
/// was written before.
pub fn conduct(prepared: &Prepared, wanted: &RunRequest, observer: &dyn Observer) -> Result<PathBuf, RunError> {
    let parts = Parts::of(&prepared.study, wanted.call.is_some()).map_err(RunError::refused)?;
    let threads = prepared.threads_each(wanted.threads);
    let workers = workers_of(prepared.study.nodes, threads, parts.load_is_elsewhere()).map_err(RunError::refused)?;
    let ends = prepared.at_its_ends()?;
    let here = (!parts.load_is_elsewhere()).then_some(workers);
    let foreseen = foresee::before_a_run(ends.as_ref().unwrap_or(prepared), here, observer)?;
    let bound = replies::bind(prepared)?;
    let signals = Signals::listen().map_err(RunError::Signals)?;
    let clock = Clock::system();
    let Opened { folder, head, writer } = folder::open(prepared, wanted, (workers, parts.load_is_elsewhere()), &clock)?;
    observer.hear(News::Folder(folder.path()));
    let run = Run {
        prepared,
        observer,
        signals: &signals,
        clock: &clock,
        threads,
        workers,
        parts: &parts,
        call: wanted.call.as_ref(),
        trial: wanted.trial,
        foreseen: &foreseen,
    };
    let done = folder.guard(&prepared.kept_out, || run.carry_out(&folder, head, writer, bound));
    if done.is_err() && !folder.path().exists() {
        observer.hear(News::FolderGone);
    }
    done
}

/// Load threads of all nodes.
///
/// # Errors
/// More processes than one machine has any use for, or more threads than can be told apart.
fn workers_of(nodes: u16, threads: u16, is_elsewhere: bool) -> Result<u16, String> {
    if nodes > NODES_HERE_MAX && !is_elsewhere {
        return Err(format!(
            "{nodes} load nodes are too many for one machine, which starts {NODES_HERE_MAX} at most; write fewer under \
             `nodes`, or have them meet over `--nats`"
        ));
    }
    threads.checked_mul(nodes).ok_or_else(|| {
        format!(
            "{nodes} load nodes of {threads} threads are more than {} threads; write fewer `cores` of each",
            u16::MAX
        )
    })
}

/// What is done between scenarios.
struct Between<'a> {
    searching: Searching<'a>,
    renewing: Renewing<'a>,
    standing: Standing,
    watched: &'a mut Watched,
}

/// Drives everything planned, and what searches add to it after each of their attempts. Instances that have to be others
/// for what follows are started anew in between.
fn drive_all(load: Load<'_>, between: Between<'_>, head: &mut Head) -> Driven {
    let Between { searching, renewing, mut standing, watched } = between;
    let (mut extended, mut kept, mut done): (Option<Prepared>, _, _) = (None, Kept::default(), 0);
    let mut has_load = false;
    loop {
        let prepared = extended.as_ref().unwrap_or(load.prepared);
        let next = Load { prepared, replies: load.replies.clone(), ..load };
        if let Err(end) = renewing.before((&next, done), &mut standing, watched, head) {
            return Driven { end: Ok(end), has_load };
        }
        if done > 0 && renewing.keeper.record.live.held().is_some() {
            // Its last rows came when the attempt was over: it is an event of that one.
            renewing.keeper.go_on(Nanos::ZERO);
        }
        let now = Load { places: &standing.places, replies: load.replies.clone(), ..next };
        let pause = searching::pause(prepared, done).min(done + standing.lasts(prepared, done));
        let mut driven = driving::drive(&now, done..pause, &mut kept, &watched.hints, renewing.keeper, head);
        has_load |= driven.has_load;
        driven.has_load = has_load;
        done = pause;
        if is_of_attempt(&driven, prepared, done) && renewing.keeper.go_on(prepared.plan.scenarios[done - 1].gap) {
            driven.end = Ok(driving::completed());
        }
        if !matches!(driven.end, Ok((EndReason::Completed, _))) {
            return driven;
        }
        // One that died since the last look, within the attempt's last second, was lost in that attempt.
        renewing.keeper.look_at_instances();
        match searching.go_on(prepared, done, head) {
            Ok(Some(more)) => {
                let told = load.nodes.map_or(Ok(()), |nodes| lock(nodes).study(&more));
                if let Err(text) = told {
                    return Driven { end: Ok((EndReason::Generator, text)), has_load };
                }
                extended = Some(more);
            }
            Ok(None) if done == prepared.plan.scenarios.len() => return driven,
            Ok(None) => {}
            Err(error) => {
                let text = format!("the search could not go on: {error}");
                return Driven { end: Ok((EndReason::Generator, text)), has_load };
            }
        }
    }
}

/// Whether an abort rule ended the load, and with it an attempt of a search and nothing more.
fn is_of_attempt(driven: &Driven, prepared: &Prepared, done: usize) -> bool {
    let last = done.checked_sub(1).and_then(|last| prepared.scenario_at(last));
    matches!(driven.end, Ok((EndReason::Aborted, _))) && last.is_some_and(|scenario| scenario.point.is_some())
}

fn lock(nodes: &Mutex<Nodes>) -> MutexGuard<'_, Nodes> {
    nodes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a run is carried out with once its folder is there.
struct Run<'a> {
    prepared: &'a Prepared,
    observer: &'a dyn Observer,
    signals: &'a Signals,
    clock: &'a Clock,
    /// Load threads of each node.
    threads: u16,
    workers: u16,
    parts: &'a Parts,
    /// Who calls nodes that are elsewhere.
    call: Option<&'a CallNodes>,
    trial: Trial,
    /// What may run out, a sentence each.
    foreseen: &'a [String],
}

impl Run<'_> {
    /// From the start of the system to the seal.
    fn carry_out(
        &self,
        folder: &Folder,
        mut head: Head,
        writer: Writer,
        bound: Vec<Bound>,
    ) -> Result<PathBuf, RunError> {
        let &Self { prepared, observer, signals, clock, threads, workers, parts, call, .. } = self;
        let surroundings = Surroundings::within(folder.path(), &head.id, &bound);
        let replies = Replies::new(&head.id, &bound);
        let interrupted = signals.interrupted();
        let starter = Starter { surroundings: &surroundings, clock, interrupted, observer };
        let (launched, places) = starter.start(prepared)?;
        head::add_instances(&mut head, &launched);
        head.instances.iter().for_each(|instance| observer.hear(News::Answers(instance)));

        let control = Control::new();
        let joining = Joining { prepared, run: &head.id, places: &places, clock, control: &control, interrupted };
        let Parties { nodes, watchers } = parts.meet(call, threads, &joining)?;
        let foreseen = self.try_out(nodes.as_ref(), &mut head)?;
        head.nodes = nodes.as_ref().map(|nodes| lock(nodes).heads()).unwrap_or_default();
        head.nodes.extend(watchers.iter().flat_map(Nodes::heads));
        let aborts = prepared.study.scenarios.iter().flat_map(|scenario| scenario.aborts()).collect();
        let record = Record::start(writer, &head, &prepared.kept_out, clock, (&control, aborts))?;
        let load = Load { prepared, places: &places, replies, workers, nodes: nodes.as_ref() };
        let around = Around { launched: &launched, bound, foreseen: &foreseen, watchers, clock, record: &record };
        let mut watched = watching::start(&load, around, &mut head)?;

        let system = (launched, None).into();
        let keeper = Keeper { clock, control: &control, record: &record, signals, observer, system };
        let (folder_path, judged) = (folder.path(), Default::default());
        let searching = Searching { folder: folder_path, record: &record, clock, observer, judged };
        let renewing = Renewing { starter, keeper: &keeper };
        let standing = Standing::new(prepared, places.clone());
        let between = Between { searching, renewing, standing, watched: &mut watched };
        let driven = drive_all(load, between, &mut head);

        let launched = keeper.into_system();
        ending::stop(prepared, launched, (watched, nodes.as_ref()), &record, &surroundings.logs, observer, &mut head);
        head.ending = Some(ending::ending(prepared, driven, clock, &head)?);
        record.finish(&head).map_err(|error| RunError::Broken { folder: folder.path().to_owned(), error })
    }

    /// Has load nodes elsewhere show that they are fast enough. What may run out, and who may be too slow, a sentence each.
    fn try_out(&self, nodes: Option<&Mutex<Nodes>>, head: &mut Head) -> Result<Vec<String>, RunError> {
        let mut foreseen = self.foreseen.to_vec();
        let Some(nodes) = nodes.filter(|_| self.parts.load_is_elsewhere()) else { return Ok(foreseen) };
        let tried = lock(nodes).try_out(self.trial, self.prepared.planned_per_s()).map_err(RunError::Node)?;
        tried.slow.iter().for_each(|text| self.observer.hear(News::Warning(text)));
        foreseen.extend(tried.slow);
        head.ceiling = tried.ceiling;
        Ok(foreseen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_their_threads_are_bounded() {
        assert_eq!(workers_of(64, 2, false), Ok(128));
        assert_eq!(workers_of(1000, 2, true), Ok(2000));
        let why = workers_of(65, 1, false).unwrap_err();
        assert!(why.contains("65 load nodes") && why.contains("`--nats`"), "{why}");
        let why = workers_of(1000, 256, true).unwrap_err();
        assert!(why.contains("1000 load nodes of 256 threads") && why.contains("65535"), "{why}");
    }
}
