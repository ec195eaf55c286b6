//! Whatever happens to a run folder: sealing changes no figure, no figure is impossible, no evidence is written over.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{shift, study_with};
use drive::{Blueprint, DriverUse, simulate_scenario};
use judge::{Evidence, Judgement};
use proptest::prelude::*;
use record::Folded;
use record::{ClockPair, EngineRow, Entry, Head, Observed, SampleRow, StepMark};
use recorder::Shared;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;
use terms::{Nanos, Verdict};
use testkit::{NoNames, SIMULATED};

const RATE: f64 = 100.0;
/// Warm-up of three seconds, hold of twelve; answers come in another second than their starts.
const LOAD: &str = "{ arrivals: 100/s, warm_up: 3s, hold: 12s }";
/// The load begins so late; threads have rows from the second before on, in which they only wait for it.
const ORIGIN: i64 = 2;
const RULES: &str = "enough: rate(x) >= 95/s\nplanned: rate(x.intended) <= 200/s\nbegun: rate(x.started) <= 200/s\nright: share(x.ok) >= 99%\nfast: p95(x.response) < 3s\nbooked: count(x.dropped) = 0";

fn run() -> crate::common::Run {
    crate::common::Run::of(&study_with("x", LOAD, "x: { simulated.call: { service: 1300ms } }", RULES))
}

/// Seconds that both threads had closed when the run was killed, one a row; of the last, thread 0's alone.
const CLOSED: usize = 25;

/// What one thread handed over in a second, and the row that closes it.
struct Closed {
    rows: Vec<Folded>,
    engine: EngineRow,
}

/// Every thread's seconds in the order in which a recording would have them.
fn recorded(run: &crate::common::Run) -> Vec<Closed> {
    let settings: Vec<_> = run.study.exchanges.iter().map(|exchange| exchange.settings.clone()).collect();
    let setup = Blueprint {
        mailbox: None,
        nonce: 0,
        drivers: vec![DriverUse { kind: SIMULATED, settings }],
        names: &NoNames,
        base: ".".into(),
        shared: Shared { seed: 1, ..Shared::default() },
        layout: Arc::new(plan::layout(&run.study)),
        workers: 2,
        sessions_max: 100_000,
    };
    let seen: RefCell<(Vec<Folded>, Vec<Closed>)> = RefCell::default();
    let sink = |entry: Entry| {
        let mut seen = seen.borrow_mut();
        match entry {
            Entry::Load(batch) => seen.0.push(batch.fold()),
            Entry::Engine(engine) => {
                let rows = std::mem::take(&mut seen.0);
                seen.1.push(Closed { rows, engine });
            }
            _ => {}
        }
    };
    simulate_scenario(&run.plan.scenarios[0], &[setup], &sink).expect("the simulated driver builds");
    let mut seconds = seen.into_inner().1;
    for Closed { rows, engine } in &mut seconds {
        rows.iter_mut().for_each(|rows| shift(rows, ORIGIN));
        engine.second += ORIGIN;
    }
    let first = seconds.iter().map(|closed| closed.engine.step).min().unwrap();
    seconds.extend((0..2).map(|worker| {
        let engine = EngineRow { second: ORIGIN - 1, worker, step: first, ..EngineRow::default() };
        Closed { rows: Vec::new(), engine }
    }));
    seconds.sort_by_key(|closed| (closed.engine.second, closed.engine.worker));
    seconds
}

/// Writes a run up to a number of closed seconds, with marks, samples and clock pairs.
fn write(run: &crate::common::Run, head: &Head, path: &Path, closed: usize) -> record::Writer {
    let mut writer = record::create(path, head, &run.study.effective).unwrap();
    for (number, Closed { rows, engine }) in recorded(run).into_iter().take(closed).enumerate() {
        let at = Nanos::from_secs(engine.second);
        if engine.worker == 0 {
            for step in run.evidence.steps.iter().filter(|step| step.phase.has_load() || step.id == "drain") {
                for (moment, is_end) in [(step.from, false), (step.to, true)] {
                    let moment = moment + Nanos::from_secs(ORIGIN);
                    if moment.second() == engine.second && !(step.id == "drain" && is_end) {
                        writer.write(Entry::Step(StepMark { step: step.number, at: moment, is_end })).unwrap();
                    }
                }
            }
            let sample = SampleRow {
                at: at + Nanos::from_millis(487),
                monitor: 0,
                instance: "host".into(),
                metric: 1,
                value: Some(0.5),
            };
            writer.write(Entry::Samples(vec![sample])).unwrap();
        }
        rows.into_iter().for_each(|rows| writer.add(&Observed::Load(rows)).unwrap());
        writer.write(Entry::Engine(engine)).unwrap();
        if number % 10 == 0 {
            writer.write(Entry::Clock(ClockPair { at, wall: at })).unwrap();
        }
        writer.sync().unwrap();
    }
    writer
}

/// A run in each state in which one is found: killed between two threads' rows, killed and sealed, ended and sealed, and
/// ended with its segments still there.
fn folders() -> &'static (TempDir, Vec<PathBuf>) {
    static FOLDERS: OnceLock<(TempDir, Vec<PathBuf>)> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let scratch = tempfile::tempdir().unwrap();
        let run = run();
        let head = Head { workers: 2, ending: None, ..run.evidence.head.clone() };
        let place = |name: &str| scratch.path().join(name);
        drop(write(&run, &head, &place("killed"), CLOSED));
        drop(write(&run, &head, &place("sealed"), CLOSED));
        record::seal_killed(&place("sealed")).unwrap();
        let mut whole = Head { workers: 2, ..run.evidence.head.clone() };
        whole.ending.as_mut().unwrap().at_ns += Nanos::from_secs(ORIGIN).0;
        write(&run, &head, &place("ended"), usize::MAX).finish(&whole).unwrap();
        let writer = write(&run, &head, &place("ending"), usize::MAX);
        copy(&place("ending"), &place("kept"));
        writer.finish(&whole).unwrap();
        std::fs::copy(place("ending/evidence/run.json"), place("kept/evidence/run.json")).unwrap();
        let paths = ["killed", "sealed", "ended", "kept"].map(place).to_vec();
        (scratch, paths)
    })
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() { copy(&source, &target) } else { assert!(std::fs::copy(source, target).is_ok()) }
    }
}

/// The files of the evidence with their bytes.
fn bytes(path: &Path) -> BTreeMap<String, Vec<u8>> {
    fn add(folder: &Path, below: &str, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.unwrap();
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                add(&entry.path(), &format!("{name}/"), found);
            } else {
                found.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    add(&path.join("evidence"), "", &mut found);
    found
}

/// What is reported about a folder, as text to the last digit, or why nothing is.
fn said(path: &Path, run: &crate::common::Run) -> Result<(Judgement, String), String> {
    let read = || -> Result<(Judgement, String), record::RecordError> {
        let folder = record::Run::open(path)?;
        let evidence = Evidence::read(&folder)?;
        let (_, judgement) = judge::judge(&evidence, &run.study);
        let state = (&folder.altered, &folder.damage, &evidence.left_out, evidence.was_killed, evidence.cut);
        let text =
            format!("{judgement:#?} {state:?} {:?}", evidence.head.ending.as_ref().map(|it| (&it.reason, &it.text)));
        Ok((judgement, text))
    };
    read().map_err(|error| error.to_string())
}

fn check_figures(judgement: &Judgement, is_head_known: bool) {
    for step in &judgement.steps {
        let books = step.books;
        assert!(step.seconds >= 0.0, "{step:#?}");
        assert!(books.started + books.dropped <= books.intended, "{step:#?}");
        assert!(books.completed + books.failed + books.aborted <= books.started, "{step:#?}");
        let is_load = step.phase == "hold" || step.phase == "warm_up";
        if is_load && step.seconds > 0.0 && is_head_known {
            assert!((step.offered_per_s - RATE).abs() <= 1.0 / step.seconds + 1e-9, "{step:#?}");
        }
        for exchange in step.exchanges.iter().filter(|_| is_head_known) {
            let all = exchange.legs.iter().find(|leg| leg.outcome == "all").map_or(0, |leg| leg.count);
            assert!(all as f64 <= exchange.intended && exchange.started as f64 <= exchange.intended, "{step:#?}");
        }
    }
    for result in &judgement.requirements {
        let most = match result.id.as_str() {
            "right" => 1.0,
            "enough" => RATE + 1.0,
            _ => f64::INFINITY,
        };
        assert!(!is_head_known || result.value.is_none_or(|value| (0.0..=most).contains(&value)), "{result:#?}");
        // Every call was answered well and in time; whatever was lost, that is never a failure of the target.
        assert_ne!(result.verdict, Verdict::NotMet, "{result:#?}");
        // As planned, or said to be undecided; and what is gone is not a zero.
        let is_rate = matches!(result.id.as_str(), "planned" | "begun");
        let is_off = |value: f64| is_rate && (value - RATE).abs() > 1.0;
        assert!(!is_head_known || !result.value.is_some_and(is_off), "{result:#?}");
        let is_gone = result.reason.code == "left_out";
        assert!(!is_gone || (result.value, result.low) == (None, None), "{result:#?}");
    }
}

/// One thing that happens to a file, by the number of the file and a place in it.
fn damage(path: &Path, (file, kind, place): (usize, u8, usize)) -> String {
    let files: Vec<String> = bytes(path).into_keys().filter(|name| !name.starts_with("writing")).collect();
    let Some(name) = files.get(file % files.len().max(1)) else { return String::new() };
    let target = path.join("evidence").join(name);
    let mut content = std::fs::read(&target).unwrap();
    let place = place % content.len().max(1);
    match kind % 6 {
        0 => content.truncate(place),
        1 | 2 => content.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= 1 << (kind / 6 % 8)),
        3 => content.clear(),
        4 => {
            std::fs::remove_file(&target).unwrap();
            return name.clone();
        }
        _ => {
            let twice = content.clone();
            content.extend(twice);
        }
    }
    std::fs::write(&target, content).unwrap();
    name.clone()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn sealing_changes_no_figure_and_no_figure_is_impossible(
        state in 0..4usize,
        harms in prop::collection::vec((any::<usize>(), any::<u8>(), any::<usize>()), 0..3),
    ) {
        let run = run();
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("run");
        copy(&folders().1[state], &path);
        let harmed: Vec<String> = harms.into_iter().map(|harm| damage(&path, harm)).collect();
        let is_head_known = !harmed.iter().any(|name| name == "run.json");
        let before = bytes(&path);
        let first = said(&path, &run);
        let sealed = record::seal_killed(&path);
        let second = said(&path, &run);
        let texts = [&first, &second].map(|said| said.as_ref().map(|(_, text)| text));
        prop_assert_eq!(texts[0], texts[1], "sealed: {:?}", sealed);
        if let Ok((judgement, _)) = &first {
            check_figures(judgement, is_head_known);
        }
        let after = bytes(&path);
        let has_sealed = !before.contains_key("manifest.json") && after.contains_key("manifest.json");
        for (name, content) in &before {
            // A seal writes the ending, and takes the place of the segments; nothing else.
            let is_replaced = has_sealed && (name == "run.json" || name.ends_with(".segment") || name == "ending.room");
            let is_lock = name == "writing.lock" || name.ends_with(".tmp");
            prop_assert!(is_replaced || is_lock || after.get(name) == Some(content), "{} was touched", name);
        }
    }
}

#[test]
fn each_state_of_an_undamaged_folder_is_judged_as_it_should() {
    let run = run();
    let hold = |path: &Path| {
        let (judgement, _) = said(path, &run).unwrap();
        check_figures(&judgement, true);
        let step = judgement.steps.iter().find(|step| step.phase == "hold").unwrap().clone();
        (step.seconds, step.offered_per_s, step.books.open(), judgement)
    };
    let paths = &folders().1;
    // Of 25 closed seconds of two threads, the last is thread 0's alone and the first without load: eleven whole seconds
    // of it, three of them warm-up.
    for path in &paths[..2] {
        let (seconds, offered, open, judgement) = hold(path);
        assert_eq!((seconds, offered), (8.0, RATE), "{}", path.display());
        // Each takes 1.3 s, so those of the last 1.3 s are open.
        assert_eq!(open, 130);
        let right = judgement.requirements.iter().find(|result| result.id == "right").unwrap();
        assert_eq!((right.verdict, right.value), (Verdict::CannotTell, Some(1.0)), "open calls are not failures");
        assert!(judgement.signs.iter().any(|sign| sign.code == "killed"));
    }
    for path in &paths[2..] {
        let (seconds, offered, open, judgement) = hold(path);
        assert_eq!((seconds, offered, open), (12.0, RATE, 0), "{}", path.display());
        assert!(judgement.signs.iter().all(|sign| sign.code != "killed"));
    }
}

#[test]
fn a_table_that_is_gone_is_left_out_with_its_reason_and_proves_nothing() {
    let run = run();
    for (file, is_judged) in
        [("load/legs.parquet", true), ("watch/samples.parquet", true), ("load/iterations.parquet", false)]
    {
        for content in [None, Some(&b"PAR1 no more"[..])] {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("run");
            copy(&folders().1[2], &path);
            let target = path.join("evidence").join(file);
            match content {
                None => std::fs::remove_file(&target).unwrap(),
                Some(content) => std::fs::write(&target, content).unwrap(),
            }
            match said(&path, &run) {
                Ok((judgement, text)) => {
                    assert!(is_judged, "{file}");
                    assert!(text.contains(&format!("`{file}` is left out: ")), "{text}");
                    assert_eq!(judgement.exit_code(&run.study), 3);
                    assert!(judgement.findings.is_empty() || !file.starts_with("load/"), "{:#?}", judgement.findings);
                    assert!(judgement.requirements.iter().all(|result| result.verdict == Verdict::CannotTell));
                    if file == "load/legs.parquet" {
                        check_unknown(&judgement);
                    }
                }
                Err(error) => assert!(!is_judged && error.contains(file), "{error}"),
            }
        }
    }
}

/// Without the times of calls: no zero, no interval about it, and no contradiction with Little's law.
fn check_unknown(judgement: &Judgement) {
    for result in judgement.requirements.iter().filter(|result| result.id != "planned") {
        let figures = (result.value, result.low, result.high, result.is_census);
        assert_eq!((result.reason.code.as_str(), figures), ("left_out", (None, None, None, false)), "{result:#?}");
    }
    assert!(judgement.signs.iter().all(|sign| sign.code != "little"), "{:#?}", judgement.signs);
    assert!(judgement.steps.iter().all(|step| step.exchanges.is_empty()));
}

#[test]
fn a_killed_run_whose_marks_are_lost_tells_the_planned_rate_or_none() {
    let run = run();
    let scratch = tempfile::tempdir().unwrap();
    let events = "evidence/events/000001.segment";
    let whole = std::fs::read(folders().1[0].join(events)).unwrap();
    let mut undecided = 0;
    for length in 0..whole.len() {
        let path = scratch.path().join(length.to_string());
        copy(&folders().1[0], &path);
        std::fs::write(path.join(events), &whole[..length]).unwrap();
        let first = said(&path, &run).unwrap();
        check_figures(&first.0, true);
        let hold = first.0.steps.iter().find(|step| step.phase == "hold").unwrap();
        assert!((hold.offered_per_s - RATE).abs() < 1e-9 && hold.seconds >= 6.0, "{length}: {hold:#?}");
        for id in ["planned", "begun", "enough"] {
            let result = first.0.requirements.iter().find(|result| result.id == id).unwrap();
            assert!(result.value.is_some_and(|value| (value - RATE).abs() < 1e-9), "{length}: {result:#?}");
            if result.reason.code == "edges_unknown" {
                assert!(!result.is_census && result.low.is_none(), "{length}: {result:#?}");
                undecided += 1;
            }
        }
        if length % 16 == 0 {
            record::seal_killed(&path).unwrap();
            assert_eq!(said(&path, &run).unwrap().1, first.1, "{length}");
        }
    }
    assert!(undecided > 0, "some of these lengths have no mark of the load at all");
}

#[test]
fn more_exchanges_than_rows_have_numbers_for_are_an_error() {
    let run = run();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("run");
    let mut head = Head { workers: 2, ending: None, ..run.evidence.head.clone() };
    head.exchanges = vec![head.exchanges[0].clone(); 65_536];
    drop(write(&run, &head, &path, CLOSED));
    let error = said(&path, &run).unwrap_err();
    assert!(error.contains("65536 exchanges"), "{error}");
    // As many legs, or a time that the order was never carried out.
    let short = Head { workers: 2, ending: None, ..run.evidence.head.clone() };
    let mut legs = short.clone();
    legs.exchanges[0].legs = vec![legs.exchanges[0].legs[0].clone(); 256];
    let mut again = short;
    again.steps[0].repetition = u32::MAX;
    for (name, head, words) in [("legs", legs, "256 legs of an exchange"), ("again", again, "repetition 4294967295")] {
        let path = scratch.path().join(name);
        drop(write(&run, &head, &path, CLOSED));
        let error = said(&path, &run).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}
