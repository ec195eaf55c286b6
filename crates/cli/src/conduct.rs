//! The whole way of a run: folder, system, monitors, scenarios, seal.

use crate::exit::Failed;
use crate::keeper::Keeper;
use crate::live::Live;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::refusal::{Halt, Untouched, salvage};
use crate::replies::{self, Replies};
use crate::signals::Signals;
use crate::system::{self, Folders};
use crate::tally::{self, Tally};
use crate::{defects, head, limits, logs, outlet, registry};
use clock::Clock;
use contract::recorder::Shared;
use contract::{Bench, KeptOut, LoadOn, MetricKind, Monitor, MonitorKind, MonitorSettings, Node, Settings};
use drive::{Control, DriveError, DriverUse, Kept, Setup, Stop};
use launch::Launched;
use record::{CeilingHead, Ending, Entry, EventRow, Handle, Head, MonitorHead, RecordError, Recording};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use study::Places;
use terms::{EndReason, Nanos, iso};
use watch::Built;

/// What `run` and `quick` ask for.
pub(crate) struct Wanted {
    pub(crate) out: Option<PathBuf>,
    pub(crate) threads: Option<u16>,
    /// Name of the run's folder after its time.
    pub(crate) name: String,
    /// What the generator was found to send in time.
    pub(crate) ceiling: Option<CeilingHead>,
}

/// Carries out a prepared study and returns the sealed run folder.
///
/// # Errors
/// What was refused before anything was measured, which leaves no folder behind; a disk that refuses, which leaves what
/// was written before.
pub(crate) fn conduct(prepared: &Prepared, wanted: &Wanted, progress: &mut Progress) -> Result<PathBuf, Failed> {
    let workers = workers(prepared, wanted.threads);
    let foreseen = limits::foresee(prepared)?;
    limits::hosts::refuse_unknown(prepared)?;
    foreseen.iter().for_each(|text| progress.say(&format!("warning: {text}")));
    limits::threads::try_out(workers, prepared.study.watch.len())?;
    let bound = replies::bind(prepared)?;
    let signals = Signals::listen().map_err(anyhow::Error::from)?;
    let clock = Clock::system();
    let wall_origin = clock.wall() - clock.now();
    let id = format!("{}-{}", iso::folder(wall_origin), wanted.name);
    let id = if wanted.out.is_none() { not_taken(id, |name| Path::new("runs").join(name).exists()) } else { id };
    let out = wanted.out.clone().unwrap_or_else(|| Path::new("runs").join(&id));
    let (study, plan, layout) = (&prepared.study, &prepared.plan, &*prepared.layout);
    let parts = head::Parts { study, plan, layout, tables: &prepared.tables, id, wall_origin, workers };
    let run = Head { ceiling: wanted.ceiling.clone(), ..head::head(&parts) };
    let out = std::path::absolute(&out).unwrap_or(out);
    let untouched = Untouched::look(&out);
    let writer = match record::create(&out, &outlet::head(&run, &prepared.kept_out), &study.effective) {
        Ok(writer) => writer,
        Err(error @ (RecordError::Exists { .. } | RecordError::WithinEvidence { .. })) => return Err(error.into()),
        Err(error) => return Err(untouched.restore(error.into(), &prepared.kept_out)),
    };
    progress.say(&format!("run folder: {}", out.display()));
    let beginning = Beginning { prepared, workers, foreseen, bound, signals, clock, wall_origin };
    let carried_out = catch_unwind(AssertUnwindSafe(|| carry_out(beginning, run, &out, writer, progress)));
    progress.finish();
    match carried_out {
        Ok(Ok(path)) => Ok(path),
        Ok(Err(Halt::Refused(failed))) => Err(untouched.restore(failed, &prepared.kept_out)),
        Ok(Err(Halt::Broken(RecordError::Thread))) | Err(_) => salvage(&out),
        Ok(Err(Halt::Broken(error))) => Err(Failed::invalid(error)),
    }
}

/// Everything that a run needs when its folder is there.
struct Beginning<'a> {
    prepared: &'a Prepared,
    workers: u16,
    foreseen: Vec<String>,
    bound: Vec<listen::Bound>,
    signals: Signals,
    clock: Clock,
    wall_origin: Nanos,
}

/// From the start of the system to the seal.
fn carry_out(
    beginning: Beginning<'_>,
    mut run: Head,
    out: &Path,
    writer: record::Writer,
    progress: &mut Progress,
) -> Result<PathBuf, Halt> {
    let Beginning { prepared, workers, foreseen, bound, signals, clock, wall_origin } = beginning;
    let study = &prepared.study;
    let folders = Folders {
        scratch: out.join("scratch"),
        logs: out.join("logs"),
        run_id: run.id.clone(),
        listeners: replies::places(&bound),
    };
    let replies = Replies::new(&run.id, &bound);
    let logs_folder = folders.logs.clone();
    let (launched, places) = system::start(prepared, &folders, &clock, signals.interrupted())?;
    limits::raise_descriptors();
    run.instances = launched.started().map(head::instance).collect();
    run.shares_machine |= run.instances.iter().any(|instance| head::is_local(&instance.url));
    for instance in &run.instances {
        progress.say(&format!("{} answers at {}", instance.name, instance.url));
    }

    let control = Control::new();
    let live = Live::new(outlet::head(&run, &prepared.kept_out), control.clone());
    let (recording, handle) = record(writer, &clock, &live)?;
    let names = study::names(study, &prepared.secrets, &prepared.tables, None, &places);
    let told = {
        let (handle, kept_out) = (handle.clone(), prepared.kept_out.clone());
        move |told: listen::Told| {
            let text = kept_out.cut(&told.text).into_owned();
            handle.send(Entry::Event(EventRow { at: told.at, kind: told.kind.into(), subject: told.listener, text }));
        }
    };
    if let Ok(features) = replies.setup(prepared, &names, 1)?.features() {
        run.features = head::features(study, features);
    }
    let listening = replies.serve(prepared, &names, bound, &clock, told)?;
    let load_on = LoadOn::default();
    let mut built = monitors(prepared, &launched, &names, &load_on, &mut run)?;
    built.extend(listening.as_ref().map(|listening| watch_listeners(&mut run, listening)));
    let tally = Tally::default();
    built.extend(tally.monitor(study).map(|counted| {
        let tally::Counted { metrics, instances, monitor } = counted;
        let head = head::monitor(tally::NAME, tally::NAME, Nanos::SECOND, &metrics, instances);
        add(&mut run, head, &metrics, Nanos::SECOND, monitor)
    }));
    let sink = {
        let (handle, kept_out) = (handle.clone(), prepared.kept_out.clone());
        move |entry| handle.send(outlet::entry(entry, &kept_out))
    };
    let watching = watch::start(built, &clock, sink);
    run.facts = head::stated(study);
    run.facts.extend(head::instances(&run.instances));
    run.facts.extend(watching.facts().0.iter().cloned());
    run.facts.extend(precision(prepared, &names));
    if study.system.instances.iter().any(|instance| instance.start.is_some()) {
        let weight =
            format!("instances run at nice {}, so that load threads come first on a full machine", launch::NICENESS);
        run.facts.push(("generator".into(), "weight against the system".into(), weight));
    }
    run.facts.extend(foreseen.into_iter().map(|text| ("generator".into(), "foreseen".into(), text)));
    handle.update_head(&outlet::head(&run, &prepared.kept_out));

    let launched = Arc::new(Mutex::new(launched));
    let mut drive = Driving {
        prepared,
        places: &places,
        clock: &clock,
        control: &control,
        handle: &handle,
        live: &live,
        workers,
        replies,
        load_on,
        tally,
        has_load: AtomicBool::new(false),
    };
    let end = drive.all(&run, progress, &signals, &launched, &recording);

    let mut launched = Arc::into_inner(launched)
        .map(|launched| launched.into_inner().unwrap_or_else(PoisonError::into_inner))
        .ok_or_else(|| anyhow::anyhow!("a thread that watches the system did not end"))?;
    let kept_out = &prepared.kept_out;
    launched.identify_again().into_iter().for_each(|event| handle.send(event_entry(event, kept_out)));
    run.facts_end = watching.stop().0;
    drop(listening);
    launched.stop();
    for log in logs::keep_out(&logs_folder, kept_out) {
        progress.say(&format!("warning: `{}` may hold what is kept out: it could not be rewritten", log.display()));
    }
    let is_unmeasured = !drive.has_load.into_inner();
    let (reason, text) = match end {
        Ok(end) => end,
        Err(DriveError::Settings(mistakes)) => {
            let rejected = study::Rejected { files: study.files.clone(), mistakes };
            if is_unmeasured {
                return Err(Failed::from(rejected).into());
            }
            (EndReason::Generator, rejected.to_string())
        }
        Err(error @ DriveError::System(_)) if is_unmeasured => {
            return Err(Failed::because(error.to_string()).into());
        }
        Err(error @ DriveError::SetUp(_)) => (EndReason::Target, error.to_string()),
        Err(error) => (EndReason::Generator, error.to_string()),
    };
    run.ending = Some(ending(&clock, wall_origin, reason, &text));
    recording.finish(&outlet::head(&run, kept_out)).map_err(Halt::Broken)
}

/// The id, or with a number behind it: two runs may begin in one second.
fn not_taken(id: String, is_there: impl Fn(&str) -> bool) -> String {
    let numbered = |number: u32| if number == 1 { id.clone() } else { format!("{id}-{number}") };
    (1..1000).map(numbered).find(|name| !is_there(name)).unwrap_or(id)
}

/// How late the end of a job may be seen: as long as nobody asks for it.
fn precision(prepared: &Prepared, names: &dyn contract::Names) -> Vec<(String, String, String)> {
    let bench = Bench::new(names, prepared.study.base.clone());
    let is_job = |exchange: &&study::Exchange| {
        let driver = registry::DRIVERS.iter().find(|driver| driver.name == exchange.driver);
        let operations = driver.map_or(&[][..], |driver| driver.exchanges).iter();
        let mut own = operations.filter(|operation| operation.name == exchange.settings.operation);
        own.any(|operation| operation.work == contract::Work::Job)
    };
    let told = |exchange: &study::Exchange| {
        let every = exchange.settings.node.get("every").and_then(|node| bench.text(node, "`every`").ok());
        let text =
            format!("its end is seen up to {} late, as it is asked for that often", every.as_deref().unwrap_or("1s"));
        (exchange.name.clone(), "precision".to_owned(), text)
    };
    prepared.study.exchanges.iter().filter(is_job).map(told).collect()
}

fn ending(clock: &Clock, wall_origin: Nanos, reason: EndReason, text: &str) -> Ending {
    let at = clock.now();
    let ended = iso::millis(wall_origin + at);
    Ending { reason: reason.name().into(), text: text.into(), ended, at_ns: at.0, ..Ending::default() }
}

/// One load thread for each core that the system under test leaves; half of them when both share the machine.
pub(crate) fn workers(prepared: &Prepared, threads: Option<u16>) -> u16 {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u16);
    let shares = prepared.study.system.instances.iter().any(|instance| instance.start.is_some());
    let usual = if shares { (cores / 2).max(1) } else { cores };
    threads.or(prepared.study.cores.map(|cores| cores as u16)).unwrap_or(usual).clamp(1, 256)
}

/// The recording thread, with the observer that feeds screen and abort rules.
fn record(writer: record::Writer, clock: &Clock, live: &Live) -> Result<(Recording, Handle), RecordError> {
    let later: Arc<Mutex<Option<Handle>>> = Arc::default();
    let observer = {
        let (live, later) = (live.clone(), later.clone());
        let mut is_broken = false;
        Box::new(move |seen: &record::Seen| {
            // A defect here must not take the recording with it.
            let entry = catch_unwind(AssertUnwindSafe(|| if is_broken { None } else { live.see(seen) }));
            is_broken |= entry.is_err();
            if let Some(entry) = entry.ok().flatten()
                && let Ok(handle) = later.lock()
                && let Some(handle) = handle.as_ref()
            {
                handle.send(entry);
            }
        })
    };
    let recording = Recording::start(writer, clock.clone(), observer)?;
    let handle = recording.handle();
    if let Ok(mut later) = later.lock() {
        *later = Some(handle.clone());
    }
    Ok((recording, handle))
}

/// Builds every monitor of the study, and the generator's own.
fn monitors(
    prepared: &Prepared,
    launched: &Launched,
    names: &dyn contract::Names,
    load_on: &LoadOn,
    run: &mut Head,
) -> Result<Vec<Built>, Failed> {
    let mut bench = Bench::new(names, prepared.study.base.clone()).with_load_on(load_on.clone());
    let mut built = Vec::new();
    for watched in &prepared.study.watch {
        let Some(kind) = registry::MONITORS.iter().find(|kind| kind.name == watched.kind) else { continue };
        let instances = system::watched(launched, &watched.of);
        let metrics = metrics(kind, &watched.node);
        let head = head::monitor(
            &watched.name,
            kind.name,
            watched.every,
            &metrics,
            instances.iter().map(|i| i.name.clone()).collect(),
        );
        let settings =
            MonitorSettings { name: watched.name.clone(), node: watched.node.clone(), instances, every: watched.every };
        let monitor = (kind.build)(&settings, &mut bench)
            .map_err(|mistakes| Failed::from(study::Rejected { files: prepared.study.files.clone(), mistakes }))?;
        built.push(add(run, head, &metrics, watched.every, monitor));
    }
    let every = Nanos::SECOND;
    let metrics = head::named(watch::generator::METRICS);
    let head = head::monitor(
        watch::generator::NAME,
        watch::generator::NAME,
        every,
        &metrics,
        vec![watch::generator::NAME.into()],
    );
    built.push(add(run, head, &metrics, every, watch::generator::monitor()));
    Ok(built)
}

/// What comes to the listeners is watched like everything else.
fn watch_listeners(run: &mut Head, listening: &listen::Listening) -> Built {
    let (metrics, counts) = (head::named(listen::METRICS), listening.counts());
    let names = counts.iter().map(|(name, _)| name.clone()).collect();
    let head = head::monitor(listen::NAME, listen::NAME, Nanos::SECOND, &metrics, names);
    add(run, head, &metrics, Nanos::SECOND, listen::monitor(counts))
}

/// The metrics of a monitor: those of its kind, then those that the author named.
fn metrics(kind: &MonitorKind, settings: &Node) -> Vec<(String, MetricKind)> {
    let mut metrics = head::named(kind.metrics);
    metrics.extend(kind.named_in(settings).into_iter().map(|name| (name.to_owned(), contract::NAMED)));
    metrics
}

fn add(
    run: &mut Head,
    head: MonitorHead,
    metrics: &[(String, MetricKind)],
    every: Nanos,
    monitor: Box<dyn Monitor>,
) -> Built {
    let (number, name) = (run.monitors.len() as u16, head.name.clone());
    run.monitors.push(head);
    Built { number, name, kinds: metrics.iter().map(|(_, metric)| metric.kind).collect(), every, monitor }
}

/// The last words of an instance may hold what the study keeps out.
pub(crate) fn event_entry(event: launch::Event, kept_out: &KeptOut) -> Entry {
    let text = kept_out.cut(&event.text).into_owned();
    Entry::Event(EventRow { at: event.at, kind: event.kind.into(), subject: event.subject, text })
}

/// The scenarios, one after another.
struct Driving<'a> {
    prepared: &'a Prepared,
    places: &'a Places,
    clock: &'a Clock,
    control: &'a Control,
    handle: &'a Handle,
    live: &'a Live,
    workers: u16,
    replies: Replies,
    load_on: LoadOn,
    tally: Tally,
    /// Whether anything was measured yet.
    has_load: AtomicBool,
}

impl Driving<'_> {
    /// Drives every scenario while another thread looks after signals, instances and the screen. Says why it ended.
    fn all(
        &mut self,
        run: &Head,
        progress: &mut Progress,
        signals: &Signals,
        launched: &Arc<Mutex<Launched>>,
        recording: &Recording,
    ) -> Result<(EndReason, String), DriveError> {
        let done = AtomicBool::new(false);
        let dead: Mutex<Option<String>> = Mutex::default();
        let (clock, control, handle, live) = (self.clock, self.control, self.handle, self.live);
        let keeper = Keeper { clock, control, handle, live, kept_out: &self.prepared.kept_out };
        let driven = std::thread::scope(|scope| {
            let keeping = || keeper.keep(run, progress, signals, launched, &done, &dead);
            // Without it nobody would see a signal: then nothing is driven.
            std::thread::Builder::new().name("keeper".into()).spawn_scoped(scope, keeping)?;
            let driven = self.scenarios(run);
            done.store(true, Ordering::Release);
            driven
        });
        if let Some(failure) = recording.failure() {
            return Ok((EndReason::Generator, failure.to_string()));
        }
        driven?;
        if defects::is_in_the_way() {
            return Ok((EndReason::Generator, "a defect in loadproof stopped it".into()));
        }
        if let Some(held) = self.live.held() {
            return Ok((EndReason::Aborted, format!("the abort rule `{}` held", held.rule)));
        }
        if let Some(text) = dead.into_inner().ok().flatten() {
            return Ok((EndReason::Target, text));
        }
        Ok(match self.control.get() {
            Stop::No => (EndReason::Completed, "everything planned was carried out".into()),
            Stop::Drain => (EndReason::Interrupted, "stopped by the operator; what was open could end".into()),
            Stop::Now => (EndReason::Interrupted, "stopped at once by the operator".into()),
        })
    }

    fn scenarios(&self, run: &Head) -> Result<(), DriveError> {
        let (study, secrets) = (&self.prepared.study, &self.prepared.secrets);
        let mut kept = Kept::default();
        for scenario in &self.prepared.plan.scenarios {
            if self.control.get() != Stop::No {
                break;
            }
            let own = &study.scenarios[usize::from(scenario.number)];
            self.live.begin(run, (scenario.number, scenario.repetition), own.aborts());
            let names = |part| study::names(study, secrets, &self.prepared.tables, Some(part), self.places);
            let names: Vec<_> = own.parts.iter().map(names).collect();
            let setups: Result<Vec<_>, _> =
                names.iter().map(|names| self.replies.setup(self.prepared, names, self.workers)).collect();
            let setups = setups.map_err(|rejected| DriveError::Settings(rejected.mistakes))?;
            let quiet = [scenario.idle, scenario.recovery].map(|phase| phase.map(|(step, _)| step));
            let sink = |entry| {
                match &entry {
                    Entry::Load(batch) => {
                        self.has_load.store(true, Ordering::Relaxed);
                        self.tally.take(batch);
                    }
                    // A step of the load ends where the next begins; the drain is the last of them.
                    Entry::Step(mark) if !quiet.contains(&Some(mark.step)) => {
                        self.load_on.set(!(mark.is_end && mark.step == scenario.drain));
                    }
                    _ => {}
                }
                self.handle.send(outlet::entry(entry, &self.prepared.kept_out));
            };
            drive::run_scenario(scenario, &setups, &mut kept, self.clock, self.control, &sink)?;
        }
        Ok(())
    }
}

/// What the drivers of one part of a scenario are handed.
pub(crate) fn setup<'a>(
    prepared: &Prepared,
    names: &'a (dyn contract::Names + Sync),
    workers: u16,
) -> Result<Setup<'a>, study::Rejected> {
    let study = &prepared.study;
    let all = study::settings(study, names)?;
    let used = registry::DRIVERS.iter().filter_map(|kind| {
        let of = |(exchange, _): &(&study::Exchange, &Settings)| exchange.driver == kind.name;
        let settings: Vec<_> =
            study.exchanges.iter().zip(&all).filter(of).map(|(_, settings)| settings.clone()).collect();
        (!settings.is_empty()).then_some(DriverUse { kind: *kind, settings })
    });
    Ok(Setup {
        drivers: used.collect(),
        names,
        base: study.base.clone(),
        shared: Shared {
            templates: Vec::new(),
            tables: prepared.tables.clone(),
            kept_out: prepared.kept_out.clone(),
            secret_captures: study.credentials(),
            captures: study.captures.len() as u8,
            seed: study.seed,
            node: 0,
            is_looked_at: false,
        },
        layout: prepared.layout.clone(),
        workers,
        post: None,
        nonce: 0,
        sessions_max: limits::sessions_max(&prepared.plan),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_of_one_second_have_two_folders() {
        assert_eq!(not_taken("now-x".into(), |_| false), "now-x");
        assert_eq!(not_taken("now-x".into(), |name| ["now-x", "now-x-2"].contains(&name)), "now-x-3");
    }
}
