//! The run folder of what was read.

use crate::error::ImportError;
use crate::fold::{Fold, Steps};
use crate::kind::Kind;
use crate::printed::Beside;
use crate::request::{Found, Imported, Request, label_text};
use crate::spool::Batch;
use crate::study_text::{self, Exchange, Facts, SCENARIO};
use crate::survey::{Survey, spool_error};
use crate::watched::Watched;
use plan::Plan;
use record::{
    ClockPair, Ending, Entry, EventRow, Head, ImportHead, MonitorHead, NoteRow, Observed, SampleRow, StepMark, Writer,
};
use recorder::Folded;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use terms::{Nanos, Outcome, Phase, iso};

/// The monitor of values that have no other.
const VALUES: &str = "imported";
/// Its metric of virtual users.
const USERS: &str = "users";

/// Its metric of what consumers have not taken yet.
const LAG: &str = "lag";

/// Failures known by their words that are kept.
const FAILURES_MAX: usize = 200;

/// Times of the run, from the first start.
#[derive(Clone, Copy)]
struct Bounds {
    origin: Nanos,
    warm_up: Nanos,
    hold_end: Nanos,
    end: Nanos,
}

/// Writes it; nothing is left behind when that fails.
pub(crate) fn write(
    request: &Request<'_>,
    survey: Survey,
    found: &Found,
    imported: ImportHead,
    watched: Watched,
) -> Result<Imported, ImportError> {
    let bounds = bounds(request, &survey)?;
    let exchanges = exchanges(&survey, found);
    let users = users(request, &survey, bounds);
    let monitors = &watched.monitors;
    let own = monitors.keys().filter(|kind| **kind != VALUES);
    let mut watch: Vec<study_text::Watch> = own.map(|kind| ((*kind).into(), "{}".into())).collect();
    let values = [(USERS, !survey.users.seconds().is_empty()), (LAG, monitors.contains_key(VALUES))];
    let values: Vec<String> = values.iter().filter(|value| value.1).map(|(name, _)| format!("{name}: {{}}")).collect();
    if !values.is_empty() {
        watch.push((VALUES.into(), format!("{{ values: {{ {} }} }}", values.join(", "))));
    }
    let title = request.title.map_or_else(|| usual_title(&imported), str::to_owned);
    let study = study_text::load(
        &Facts {
            title: &title,
            system: request.system.unwrap_or("the system under test"),
            exchanges: &exchanges,
            watch: &watch,
            users,
            warm_up: bounds.warm_up,
            hold: bounds.hold_end - bounds.warm_up,
            beside: request.study,
        },
        &request.registry,
    )?;
    let plan = plan::build(&study);
    let layout = plan::layout(&study);
    let mut head = run::planned(&study, &plan, &layout, bounds.origin);
    // The same files are the same run, however often they are imported; others that begin in the same second are not.
    let files = imported.files.iter().filter_map(|file| file.sha256.get(..8)).next().unwrap_or_default();
    head.id = format!("{}-{SCENARIO}-{files}", iso::folder(bounds.origin));
    head.imported = Some(imported.clone());
    head.monitors = study
        .watch
        .iter()
        .filter_map(|known| {
            let kind = request.registry.monitors.iter().find(|kind| kind.name == known.kind)?;
            let mut instances = monitors.get(kind.name).cloned().unwrap_or_default();
            instances.extend((kind.name == VALUES && !survey.users.seconds().is_empty()).then(|| USERS.to_owned()));
            let monitor = run::monitor_head(kind, known, instances);
            // Files say themselves how far apart their rows are.
            let every_s = watched.every_s.get(kind.name).copied().unwrap_or(monitor.every_s);
            Some(MonitorHead { every_s, ..monitor })
        })
        .collect();
    head.facts.clone_from(&watched.facts);
    head.ending = Some(Ending {
        reason: "completed".into(),
        ended: iso::millis(bounds.origin + bounds.end),
        at_ns: bounds.end.0,
        ..Ending::default()
    });
    let (calls, failed, beyond) = (survey.all.calls, survey.all.failed, survey.beyond);
    let labels = exchanges.iter().map(|exchange| (exchange.name.clone(), exchange.label.clone())).collect();
    let was_there = request.out.exists();
    let steps = Steps {
        warm_up_to: bounds.warm_up,
        warm_up: number_of(&plan, Phase::WarmUp).or(number_of(&plan, Phase::Hold)).unwrap_or(0),
        hold: number_of(&plan, Phase::Hold).unwrap_or(0),
    };
    // Without its ending until all of it is there: one that is killed on the way is not taken for a whole run.
    let begun = Head { ending: None, ..head.clone() };
    let written = record::create(request.out, &begun, &study.effective).map_err(ImportError::from).and_then(|writer| {
        let fold = Fold::new(steps, &layout, &found.exchanges);
        fill(writer, &head, &plan, bounds, survey, &watched, fold)
    });
    if let Err(error) = written {
        leave_nothing(request.out, was_there);
        return Err(error);
    }
    let length = bounds.hold_end;
    Ok(Imported {
        folder: request.out.to_owned(),
        head: imported,
        calls,
        failed,
        labels,
        beyond,
        length,
        needs_zone: false,
        study,
    })
}

fn bounds(request: &Request<'_>, survey: &Survey) -> Result<Bounds, ImportError> {
    let origin = survey.span.first_start;
    // The last call begins within the hold, which has whole milliseconds.
    let hold_end = Nanos::from_millis((survey.span.last_start - origin).0 / 1_000_000 + 1);
    if request.warm_up >= hold_end {
        return Err(ImportError::Asked(format!(
            "`--warm-up` leaves nothing to judge: the last call began {:.3} s after the first",
            (survey.span.last_start - origin).as_secs_f64()
        )));
    }
    Ok(Bounds { origin, warm_up: request.warm_up, hold_end, end: (survey.span.last_end - origin).max(hold_end) })
}

fn exchanges(survey: &Survey, found: &Found) -> Vec<Exchange> {
    let booked = survey.labels.iter().zip(&found.names).filter(|(label, _)| label.calls > 0);
    booked
        .map(|(label, name)| Exchange {
            name: name.clone(),
            label: label_text(&label.text),
            calls: label.calls,
            timeout: label.least_timeout.filter(|timeout| *timeout > Nanos::ZERO),
        })
        .collect()
}

/// Virtual users: as the files have them, or as they were given; else as many as were at work on average, which is the
/// least that there can have been.
fn users(request: &Request<'_>, survey: &Survey, bounds: Bounds) -> u64 {
    let seen = survey.users.seconds().values().copied().max().map(u64::from).filter(|users| *users > 0);
    let at_work = (survey.spent_s() / bounds.end.as_secs_f64().max(1e-3)).ceil() as u64;
    request.users.or(seen).unwrap_or(at_work).clamp(1, 1_000_000)
}

fn usual_title(imported: &ImportHead) -> String {
    // The members of an archive are within it.
    let archives: Vec<String> = imported
        .files
        .iter()
        .filter(|file| file.kind == Kind::Archive.name())
        .map(|file| format!("{}: ", file.name))
        .collect();
    let is_member = |name: &str| archives.iter().any(|archive| name.starts_with(archive.as_str()));
    let files = imported.files.iter().map(|file| file.name.as_str()).filter(|name| !is_member(name));
    let names: Vec<&str> = files.take(3).collect();
    format!("{}: {}", imported.tool, names.join(", "))
}

fn number_of(plan: &Plan, phase: Phase) -> Option<u32> {
    plan.steps.iter().position(|step| step.phase == phase).map(|place| place as u32)
}

fn fill(
    mut writer: Writer,
    head: &Head,
    plan: &Plan,
    bounds: Bounds,
    survey: Survey,
    watched: &Watched,
    fold: Fold<'_>,
) -> Result<(), ImportError> {
    let Bounds { origin, warm_up, hold_end, end } = bounds;
    for (number, step) in plan.steps.iter().enumerate() {
        let (from, to) = match step.phase {
            Phase::WarmUp => (Nanos::ZERO, warm_up),
            Phase::Hold => (warm_up, hold_end),
            Phase::Drain => (hold_end, end),
            _ => continue,
        };
        for (at, is_end) in [(from, false), (to, true)] {
            writer.write(Entry::Step(StepMark { step: number as u32, at, is_end }))?;
        }
    }
    for at in [Nanos::ZERO, end] {
        writer.write(Entry::Clock(ClockPair { at, wall: origin + at }))?;
    }
    let (notes, users) = (notes(&survey, &fold, origin, &watched.beside), user_samples(&survey, head, origin));
    for (text, subject) in unreadable(head) {
        writer.write(Entry::Event(EventRow { at: Nanos::ZERO, kind: "unreadable".into(), subject, text }))?;
    }
    let beside = &watched.beside;
    let dropped = (beside.dropped > 0)
        .then(|| ("dropped", format!("{} iterations were to begin, and no user was free", beside.dropped)));
    let remarks = beside.remarks.iter().map(|remark| ("remark", remark.clone()));
    for (kind, text) in dropped.into_iter().chain(remarks) {
        let subject = "generator".to_owned();
        writer.write(Entry::Event(EventRow { at: Nanos::ZERO, kind: kind.into(), subject, text }))?;
    }
    write_load(&mut writer, survey, &fold)?;
    writer.add(&Observed::Load(Folded { notes, ..Folded::default() }))?;
    for rows in [users, watched_samples(watched, head)] {
        if !rows.is_empty() {
            writer.add(&Observed::Samples(rows))?;
        }
    }
    writer.finish(head)?;
    Ok(())
}

/// Writes the rows of all cells; the next are folded by others while some are written.
fn write_load(writer: &mut Writer, survey: Survey, fold: &Fold<'_>) -> Result<(), ImportError> {
    let folder = survey.folder.clone();
    let mut batches = survey.into_cells()?;
    std::thread::scope(|scope| {
        let mut threads = vec![Folding::begin(scope, fold)?];
        // One that the system does not start is not missed.
        threads.extend((1..FOLDING).filter_map(|_| Folding::begin(scope, fold).ok()));
        // Each in its turn, so that rows come in the order of their cells.
        let (mut given, mut taken) = (threads.iter().cycle(), threads.iter().cycle());
        let (mut at_work, mut is_dry) = (0, false);
        loop {
            while !is_dry && at_work < AHEAD * threads.len() {
                match (batches.next().transpose()?, given.next()) {
                    (Some(batch), Some(thread)) => {
                        thread.give(batch);
                        at_work += 1;
                    }
                    _ => is_dry = true,
                }
            }
            let Some(thread) = taken.next().filter(|_| at_work > 0) else { break };
            let Some(rows) = thread.take() else { break };
            at_work -= 1;
            let rows = rows.map_err(|source| spool_error(&folder, source))?;
            writer.add(&Observed::Load(rows))?;
        }
        threads.into_iter().for_each(Folding::end);
        Ok(())
    })
}

/// Threads that fold: one that writes cannot keep up with more.
const FOLDING: usize = 2;
/// Batches of cells that each has at hand.
const AHEAD: usize = 2;

/// A thread that makes rows of cells.
struct Folding<'s> {
    batches: Sender<Batch>,
    rows: Receiver<io::Result<Folded>>,
    thread: ScopedJoinHandle<'s, ()>,
}

impl<'s> Folding<'s> {
    fn begin<'e>(scope: &'s Scope<'s, 'e>, fold: &'s Fold<'_>) -> Result<Self, ImportError> {
        let (batches, to_fold) = channel::<Batch>();
        let (give, rows) = channel();
        let work = move || {
            for batch in to_fold {
                // Nobody takes any more when the disk is full.
                if give.send(batch.cells().map(|cells| fold.rows(cells))).is_err() {
                    break;
                }
            }
        };
        let thread = Builder::new().name("fold".to_owned()).spawn_scoped(scope, work).map_err(ImportError::Thread)?;
        Ok(Self { batches, rows, thread })
    }

    fn give(&self, batch: Batch) {
        // One that ended by a defect says so at its end.
        let _ = self.batches.send(batch);
    }

    /// `None` from one that ended by a defect.
    fn take(&self) -> Option<io::Result<Folded>> {
        self.rows.recv().ok()
    }

    fn end(self) {
        drop(self.batches);
        self.thread.join().unwrap_or_else(|defect| std::panic::resume_unwind(defect));
    }
}

/// Lines that could not be read, with the file that they are in.
fn unreadable(head: &Head) -> Vec<(String, String)> {
    let files = head.imported.iter().flat_map(|imported| &imported.files);
    files
        .flat_map(|file| {
            file.examples.iter().map(|line| (format!("line {}: {}", line.line, line.why), file.name.clone()))
        })
        .collect()
}

fn notes(survey: &Survey, fold: &Fold<'_>, origin: Nanos, beside: &Beside) -> Vec<NoteRow> {
    // Failures that are known by their words and number alone, of a label that may have no calls of its own.
    let of_label = |text: &[u8]| survey.labels.iter().position(|label| label.text == text);
    let at = survey.span.last_end - origin;
    let told = beside.failures.iter().take(FAILURES_MAX).filter_map(|(label, words, count)| {
        let (exchange, step) = fold.place(of_label(label).unwrap_or(0) as u32, at)?;
        Some(NoteRow {
            at,
            step,
            exchange,
            outcome: Outcome::Fault,
            text: format!("{words} ({count} times)"),
            trace: None,
        })
    });

    let note = |note: &crate::block::Note| {
        let (exchange, step) = fold.place(note.label, note.at - origin)?;
        let (at, text) = (note.at - origin, note.text.clone());
        Some(NoteRow { at, step, exchange, outcome: note.outcome, text, trace: None })
    };
    survey.notes.iter().filter_map(note).chain(told).collect()
}

/// What was watched, by the numbers of its monitors and metrics.
fn watched_samples(watched: &Watched, head: &Head) -> Vec<SampleRow> {
    let row = |value: &crate::watched::Value| {
        let monitor = head.monitors.iter().position(|monitor| monitor.kind == value.monitor)?;
        let metric = head.monitors[monitor].metrics.iter().position(|metric| metric.name == value.metric)?;
        let (monitor, metric) = (monitor as u16, metric as u16);
        Some(SampleRow { at: value.at, monitor, instance: value.instance.clone(), metric, value: Some(value.value) })
    };
    watched.values.iter().filter_map(row).collect()
}

/// The number of users at the end of each second.
fn user_samples(survey: &Survey, head: &Head, origin: Nanos) -> Vec<SampleRow> {
    let Some(monitor) = head.monitors.iter().position(|monitor| monitor.name == VALUES) else { return Vec::new() };
    let metric = head.monitors[monitor].metrics.iter().position(|metric| metric.name == USERS).unwrap_or(0);
    let row = |(second, users): (&i64, &u32)| SampleRow {
        at: (Nanos::from_secs(*second) - origin).or_zero(),
        monitor: monitor as u16,
        instance: USERS.into(),
        metric: metric as u16,
        value: Some(f64::from(*users)),
    };
    survey.users.seconds().iter().map(row).collect()
}

/// Takes away what was begun.
fn leave_nothing(out: &Path, was_there: bool) {
    drop(std::fs::remove_dir_all(out.join("evidence")));
    if !was_there {
        drop(std::fs::remove_dir(out));
    }
}
