//! An attempt of a search that is judged alone, when it is over, comes to what the whole run says of it.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{CPU, Run, evenly, study_of_scenarios};
use judge::Evidence;
use judge::searches::{Attempt, Outcome as Came, SearchResult, Standing, attempt, standing};
use record::{EngineRow, Entry, EventRow, Head, Observed, StepMark};
use std::path::Path;
use terms::{Nanos, Outcome};

/// Seconds of each hold.
const HOLD: i64 = 30;
const NAMES: [&str; 4] = ["peak_1", "peak_2", "peak_3", "peak_4"];

/// Four attempts between 16/s and 4096/s: 256, 64, 128 and √(128 · 256) = 181; each with a quiet baseline.
fn attempts() -> Run {
    let attempt = |number: u32, rate: u32| {
        format!(
            "peak_{number}: {{ set: {{ rate: {rate}/s }}, point: {{ of: peak, number: {number}, \
             search: {{ vary: rate, from: 16/s, to: 4096/s, passes: 1 of 1, by: rate(x.ok) * 3 }} }}, idle: 10s, \
             load: {{ arrivals: {rate}/s, warm_up: 5s, hold: {HOLD}s }}, run: [x] }}\n"
        )
    };
    let scenarios = [attempt(1, 256), attempt(2, 64), attempt(3, 128), attempt(4, 181)].concat();
    let rules = "fast: p95(x.response) < 50 ms\n  right: share(x.failed) <= 1%\n  cool: mean(host.cpu) < 90%\n  alive: alive(shop)";
    Run::of(&study_of_scenarios(&scenarios, &format!("vars: {{ rate: 16/s }}\nrequirements:\n  {rules}")))
}

/// Too slow; well; nobody answers; an abort rule held in its warm-up.
fn recorded() -> Run {
    let mut run = attempts();
    let holds: Vec<_> = run.evidence.steps.iter().filter(|step| step.id == "hold").cloned().collect();
    for (number, (step, rate)) in holds.iter().zip([256, 64, 128, 181]).enumerate() {
        let calls = evenly(step.number, step.from.second(), HOLD, rate, |_, mut call| {
            match number {
                0 => call.took = Nanos::from_millis(400),
                2 => call = call.ended(Outcome::Timeout),
                _ => {}
            }
            call
        });
        if number < 3 {
            run.add(&calls);
        }
    }
    for second in 0..run.evidence.end.second() {
        run.sample(second as f64 + 0.487, CPU, "host", Some(0.1 + 0.001 * (second % 300) as f64));
    }
    // Stopped two seconds into its warm-up: its hold never began.
    let last = run.evidence.head.scenarios.iter().position(|scenario| scenario.name == "peak_4").unwrap();
    let warm_up = run.evidence.steps.iter().find(|step| step.scenario == last && step.id == "warm_up").unwrap().clone();
    let stopped = warm_up.from + Nanos::from_secs(2);
    run.add(&evenly(warm_up.number, warm_up.from.second(), 2, 181, |_, call| call));
    run.evidence.steps.retain(|step| step.scenario != last || step.id != "hold");
    for step in run.evidence.steps.iter_mut().filter(|step| step.scenario == last) {
        match step.id.as_str() {
            "warm_up" => step.to = stopped,
            "drain" => (step.from, step.to) = (stopped, stopped + Nanos::SECOND),
            _ => {}
        }
    }
    run.evidence.events.push(EventRow {
        at: stopped,
        kind: judge::searches::ABORT.into(),
        subject: "peak_4".into(),
        text: "`share(x.failed) > 20% for 2s` held (value 0.4000)".into(),
    });
    run
}

fn write(run: &Run, path: &Path) {
    let head = Head { ending: None, ..run.evidence.head.clone() };
    let mut writer = record::create(path, &head, &run.study.effective).unwrap();
    writer.add(&Observed::Load(run.rows.clone())).unwrap();
    writer.write(Entry::Samples(run.samples.clone())).unwrap();
    for step in &run.evidence.steps {
        for (at, is_end) in [(step.from, false), (step.to, true)] {
            writer.write(Entry::Step(StepMark { step: step.number, at, is_end })).unwrap();
        }
    }
    // Of one thread, which closes every second.
    for second in 0..run.evidence.end.second() {
        let step = run.evidence.steps.iter().rfind(|step| step.from.second() <= second).map_or(0, |step| step.number);
        writer.write(Entry::Engine(EngineRow { second, step, ..EngineRow::default() })).unwrap();
    }
    for event in &run.evidence.events {
        writer.write(Entry::Event(event.clone())).unwrap();
    }
    writer.sync().unwrap();
    writer.finish(&run.evidence.head).unwrap();
}

/// The whole run judged at once, and each attempt by what is read of it alone.
fn judged(run: &Run) -> (SearchResult, Vec<Attempt>) {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("run");
    write(run, &path);
    let folder = record::Run::open(&path).unwrap();
    assert_eq!(folder.damage, [""; 0]);
    let whole = judge::judge(&Evidence::read(&folder).unwrap(), &run.study).1;
    let alone = |name: &str| attempt(&Evidence::read_scenario(&folder, name).unwrap(), &run.study, name).unwrap();
    (whole.searches.into_iter().next().unwrap(), NAMES.map(alone).to_vec())
}

#[test]
fn one_by_one_they_come_to_what_the_whole_run_says() {
    let run = recorded();
    let (mut whole, alone) = judged(&run);
    let told: Vec<_> = whole.attempts.iter().map(|it| (it.outcome, it.reason.code.as_str())).collect();
    // The processor's share rises slowly, so its mean is within the limit and not proven to be.
    let passed = (Came::Passed, "value_within");
    let expected = [(Came::Failed, "not_met"), passed, (Came::Failed, "not_met"), (Came::Failed, "aborted")];
    assert_eq!(told, expected);
    assert_eq!(alone.iter().map(|one| one.result.clone()).collect::<Vec<_>>(), whole.attempts);
    // By the rate of its own, which is three times that of calls.
    let rates: Vec<f64> = whole.attempts.iter().map(|it| it.by_per_s.unwrap_or(-1.0)).collect();
    assert!((rates[1] - 3.0 * 64.0).abs() < 0.5 && rates[2] == 0.0 && rates[3] == -1.0, "{rates:?}");
    // Behind each of them the search stands where it stands in a run that ends there.
    for count in 1..=alone.len() {
        let mut study = run.study.clone();
        study.scenarios.truncate(count);
        let evidence = run.evidence();
        let then = judge::judge(&evidence, &study).1.searches.into_iter().next().unwrap();
        let found = standing(&whole.search, &run.evidence.head, &alone[..count]);
        assert_eq!((&found.standing, found.held, found.failed), (&then.standing, then.held, then.failed), "{count}");
    }
    // What they say together is looked at once, at the end.
    whole.curve = None;
    assert_eq!(standing(&whole.search, &run.evidence.head, &alone), whole);
    assert!(matches!(whole.standing, Standing::Next(_)));
}

#[test]
fn a_disturbed_abort_is_made_again_and_a_lost_replica_comes_first() {
    let mut run = recorded();
    let warm_up = run.evidence.steps.iter().rfind(|step| step.id == "warm_up").unwrap().clone();
    // The generator had no sockets left.
    run.add(&evenly(warm_up.number, warm_up.from.second(), 2, 50, |_, call| call.ended(Outcome::NoResource)));
    let (whole, alone) = judged(&run);
    let last = whole.attempts.last().unwrap();
    assert_eq!((last.outcome, last.reason.code.as_str()), (Came::Void, "aborted_spoiled"));
    assert_eq!(&alone.last().unwrap().result, last);
    run.event(warm_up.from.as_secs_f64() + 1.0, "gone", "shop.1");
    let (whole, alone) = judged(&run);
    let last = whole.attempts.last().unwrap();
    assert_eq!((last.outcome, last.is_degraded, alone[3].is_gone), (Came::Failed, true, true));
    assert_eq!(&alone[3].result, last);
}
