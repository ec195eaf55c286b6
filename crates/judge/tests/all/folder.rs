//! From a run folder: what was written is judged as it was seen, sealed or killed.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Run, study_of};
use judge::Evidence;
use record::{Entry, Observed, StepMark, Writer};
use terms::{EndReason, Nanos, Phase};

const RULES: &str = "good: share(x.response < 1s) >= 95%\nslow: p95(x.response) < 1ms\nbooks: count(x.intended) = count(x.completed)\nopening: share(x.ok) >= 95% in first 15s of hold";

fn simulated() -> Run {
    Run::simulated(&study_of("{ arrivals: 100/s, warm_up: 5s, hold: 30s }", RULES), 2)
}

/// Writes rows and marks up to a second, in order of time.
fn write(run: &Run, writer: &mut Writer, until: i64) {
    for second in 0..until {
        for step in &run.evidence.steps {
            for (at, is_end) in [(step.from, false), (step.to, true)] {
                if at.second() == second {
                    writer
                        .write(Entry::Step(StepMark { step: step.number, at, is_end }))
                        .expect("the scratch folder is writable");
                }
            }
        }
        let rows = &run.rows;
        let folded = record::Folded {
            legs: rows.legs.iter().filter(|row| row.end_s == second).cloned().collect(),
            starts: rows.starts.iter().filter(|row| row.intended_s == second).cloned().collect(),
            outcomes: rows.outcomes.iter().filter(|row| row.end_s == second).copied().collect(),
            iterations: rows.iterations.iter().filter(|row| row.end_s == second).copied().collect(),
            notes: Vec::new(),
            slowest: rows.slowest.iter().filter(|row| (row.at + row.time).second() == second).copied().collect(),
        };
        writer.add(&Observed::Load(folded)).expect("the scratch folder is writable");
        for row in run.evidence.engine.iter().filter(|row| row.second == second) {
            writer.write(Entry::Engine(*row)).expect("the scratch folder is writable");
        }
    }
}

#[test]
fn a_sealed_run_is_judged_as_it_was_seen() {
    let run = simulated();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("run");
    let mut writer = record::create(&path, &run.evidence.head, &run.study.effective).unwrap();
    write(&run, &mut writer, 40);
    writer.finish(&run.evidence.head).unwrap();
    let folder = record::Run::open(&path).unwrap();
    let read = Evidence::read(&folder).unwrap();
    // The drain has no end within the seconds that were written; the run's own end closes it.
    let (_, seen) = judge::judge(&run.evidence(), &run.study);
    let (_, again) = judge::judge(&read, &run.study);
    assert_eq!(again.requirements, seen.requirements);
    assert_eq!(again.findings, seen.findings);
    assert_eq!((again.end_reason, again.validity), (EndReason::Completed, seen.validity));
    let holds = |judgement: &judge::Judgement| {
        judgement.steps.iter().filter(|step| step.phase == "hold").cloned().collect::<Vec<_>>()
    };
    assert_eq!(holds(&again), holds(&seen));
    // The same bytes give the same words.
    assert_eq!(judge::judge(&Evidence::read(&folder).unwrap(), &run.study).1, again);
}

#[test]
fn a_killed_run_is_judged_by_what_it_left() {
    let mut run = simulated();
    run.evidence.head.ending = None;
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("run");
    let mut writer = record::create(&path, &run.evidence.head, &run.study.effective).unwrap();
    write(&run, &mut writer, 25);
    writer.sync().unwrap();
    drop(writer);
    let read = Evidence::read(&record::Run::open(&path).unwrap()).unwrap();
    assert!(read.was_killed);
    let hold = read.steps.iter().find(|step| step.phase == Phase::Hold).unwrap();
    assert_eq!((hold.from, hold.to, hold.is_ended), (Nanos::from_secs(5), Nanos::from_secs(25), false));
    let (_, judgement) = judge::judge(&read, &run.study);
    crate::common::check_catalogue(&judgement);
    assert_eq!(judgement.end_reason, EndReason::Interrupted);
    let seen: Vec<_> = judgement
        .requirements
        .iter()
        .map(|result| (result.id.as_str(), result.verdict.name(), result.reason.code.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            ("good", "cannot_tell", "cut_short"),
            ("slow", "not_met", "interval_outside"),
            ("books", "cannot_tell", "cut_short_below"),
            ("opening", "met", "interval_inside"),
        ]
    );
    assert!(judgement.signs.iter().any(|sign| sign.code == "killed"));
    assert!(judgement.signs.iter().all(|sign| sign.code != "books"), "what is open is not an imbalance");
}
