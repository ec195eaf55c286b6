//! Each sign of validity at, just below and just above its thresholds, and what it does to verdicts.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{CPU, MEMORY, Run, STEAL, append, evenly, fold, study_of, study_with};
use judge::{Arg, WireValidity};
use record::Folded;
use terms::{Nanos, Outcome, Validity};

const RULES: &str = "good: share(x.response < 1s of ok) >= 95%\nbad: share(x.response < 1ms of ok) >= 95%";

/// 100/s for 30 s, answers of 10 ms, each made by `of`.
fn run(load: &str, of: impl Fn(u64, crate::common::Call) -> crate::common::Call) -> Run {
    let mut run = Run::of(&study_of(load, RULES));
    let hold = run.step("hold");
    let from = run.span("hold").from.second();
    run.add(&evenly(hold, from, 30, 100, of));
    run
}

const OPEN: &str = "{ arrivals: 100/s, hold: 30s }";
const CLOSED: &str = "{ users: 10, hold: 30s }";

fn state(run: &Run, code: &str) -> WireValidity {
    run.sign(code).unwrap_or_else(|| panic!("no sign `{code}`: {:#?}", run.judge().signs)).state
}

/// Checks after which times are too long, if anything: what kept a ceiling keeps it.
const LENGTHENING: [&str; 5] = ["foreign", "lateness", "overloaded", "run_queue", "steal"];
/// Those after which times are too short, if anything.
const SHORTENING: [&str; 1] = ["lost_starts"];

/// What a state does: *questionable* takes a "met" that the check can have brought about, *invalid* any such verdict.
fn check_verdicts(run: &Run, state: WireValidity, code: &str) {
    let (takes_met, takes_not_met) = (!LENGTHENING.contains(&code), !SHORTENING.contains(&code));
    let good = match state {
        WireValidity::Questionable if takes_met => ("cannot_tell", "run_questionable"),
        WireValidity::Invalid if takes_met => ("cannot_tell", "run_invalid"),
        _ => ("met", "interval_inside"),
    };
    let bad = match state {
        WireValidity::Invalid if takes_not_met => ("cannot_tell", "run_invalid"),
        _ => ("not_met", "interval_outside"),
    };
    for (id, (verdict, reason)) in [("good", good), ("bad", bad)] {
        assert_eq!(run.verdict(id), (verdict, reason.to_owned()), "{code} {state:?}");
        let result = run.result(id);
        if reason.starts_with("run_") {
            assert_eq!(result.reason.args["sign"], Arg::Text(code.into()));
        }
        // Whatever becomes of the verdict, it says what disturbed it.
        let checks: Vec<&str> = result.disturbed.iter().map(|disturbance| disturbance.check.as_str()).collect();
        assert_eq!(checks.contains(&code), state != WireValidity::Valid, "{code} {state:?}: {checks:?}");
    }
    let judgement = run.judge();
    assert_eq!(judgement.validity, Validity::from(state));
    assert_eq!(
        judgement.steps.iter().find(|step| step.id == "hold").and_then(|step| step.validity),
        Some(Validity::from(state))
    );
    assert_eq!(judgement.exit_code(&run.study), if bad.0 == "not_met" { 1 } else { 3 });
}

use WireValidity::{Invalid, Questionable, Valid};

#[test]
fn lateness_counts_from_its_thresholds_on() {
    // Answers take 10 ms, so 1 % and 10 % of the median are below the absolute 1 ms and 10 ms.
    for (late_ms, expected) in [
        (0.0, Valid),
        (0.9995, Valid),
        (1.0, Valid),
        (1.01, Questionable),
        (9.9, Questionable),
        (10.0, Questionable),
        (10.1, Invalid),
    ] {
        let run = run(OPEN, |_, call| call.late(late_ms));
        assert_eq!(state(&run, "lateness"), expected, "{late_ms} ms");
        check_verdicts(&run, expected, "lateness");
        let finding = run.finding("GEN-SLIP");
        assert_eq!(finding.is_some(), expected != Valid, "{late_ms} ms");
    }
}

#[test]
fn lateness_is_held_against_the_median_of_slow_answers() {
    // Answers of 2 s: questionable above 20 ms, invalid above 200 ms.
    for (late_ms, expected) in [(19.9, Valid), (20.1, Questionable), (199.0, Questionable), (201.0, Invalid)] {
        let run = run(OPEN, |_, call| crate::common::Call { took: Nanos::from_secs(2), ..call }.late(late_ms));
        assert_eq!(state(&run, "lateness"), expected, "{late_ms} ms");
    }
    // A hundredth of all that starts late is beyond p99; more is not.
    assert_eq!(state(&run(OPEN, |k, call| if k % 100 == 0 { call.late(50.0) } else { call }), "lateness"), Valid);
    assert_eq!(state(&run(OPEN, |k, call| if k % 90 == 0 { call.late(50.0) } else { call }), "lateness"), Invalid);
}

#[test]
fn lateness_is_that_of_what_was_scheduled() {
    // 15 of 1000 iterations begin 5 ms late; what follows in an iteration begins when its first exchange has ended.
    let exchanges = "a: { simulated.call: { service: 10ms } }\nb: { simulated.call: { service: 10ms } }\n\
                     c: { simulated.call: { service: 10ms } }";
    let mut run = Run::of(&study_with("a, b, c", OPEN, exchanges, RULES.replace("x.", "a.").as_str()));
    let (hold, from) = (run.step("hold"), run.span("hold").from.second());
    let late = |k: u64, call: crate::common::Call| if k % 200 < 3 { call.late(5.0) } else { call };
    run.add(&evenly(hold, from, 30, 100, late));
    for exchange in [1, 2] {
        run.add(&evenly(hold, from, 30, 100, |_, call| call.of(exchange).later()));
    }
    assert_eq!(state(&run, "lateness"), Questionable);
    let p99 = run.step_result("hold").lateness_p99_ms.unwrap();
    assert!((p99 - 5.0).abs() < 0.1, "p99 of the scheduled starts, not of all: {p99}");
}

#[test]
fn a_closed_load_is_never_late() {
    let run = run(CLOSED, |_, call| call.late(50.0));
    assert!(run.sign("lateness").is_none());
    check_verdicts(&run, Valid, "");
}

#[test]
fn starts_that_the_generator_lost() {
    // Of 3000: 3 are 0.1 %, 30 are 1 %.
    for (lost, expected) in [(0, Valid), (3, Valid), (4, Questionable), (30, Questionable), (31, Invalid)] {
        let mut run = run(OPEN, |k, call| if k < lost { call.ended(Outcome::Dropped) } else { call });
        assert_eq!(state(&run, "lost_starts"), expected, "{lost}");
        check_verdicts(&run, expected, "lost_starts");
        let finding = run.finding("GEN-DROP");
        assert_eq!(finding.is_some(), lost > 0);
        // Where the study bounds the connections, they waited on the system's account: said, and no doubt cast.
        run.evidence.head.scenarios[0].max_in_flight = Some(5);
        assert_eq!(state(&run, "lost_starts"), Valid);
        assert_eq!(run.finding("GEN-DROP").is_some(), lost > 0);
    }
}

#[test]
fn running_out_of_anything_is_invalid() {
    let run = run(OPEN, |k, call| if k == 7 { call.ended(Outcome::NoResource) } else { call });
    assert_eq!(state(&run, "resources"), Invalid);
    assert_eq!(state(&run, "lost_starts"), Valid, "one of 3000 alone would be nothing");
    check_verdicts(&run, Invalid, "resources");
}

/// Half of an iteration that the study breaks off is never sent, and none of it counts as failed.
#[test]
fn iterations_that_the_study_broke_off() {
    assert!(run(OPEN, |_, call| call).sign("study_faults").is_none());
    for load in [OPEN, CLOSED] {
        // Of 3000: 3 are 0.1 %, 30 are 1 %.
        for (faults, expected) in [(3, Valid), (4, Questionable), (30, Questionable), (31, Invalid)] {
            let run = run(load, |k, call| if k < faults { call.ended(Outcome::BadStudy) } else { call });
            assert_eq!(state(&run, "study_faults"), expected, "{faults}");
            check_verdicts(&run, expected, "study_faults");
        }
    }
    // Two legs of an exchange that end so at once are one iteration; and one that the system had failed before it lacked a
    // value counts as failed already.
    for (faults, expected) in [(3, Some((Valid, Some(Arg::Share(0.001))))), (0, None)] {
        let mut run = run(OPEN, |k, call| if k < faults { call.ended(Outcome::BadStudy) } else { call });
        let (hold, from) = (run.step("hold"), run.span("hold").from.second());
        let calls = evenly(hold, from, 1, 3, |_, call| call.ended(Outcome::BadStudy));
        let Folded { mut outcomes, .. } = fold(&run.evidence.head, &calls);
        outcomes.iter_mut().for_each(|row| row.leg = 1);
        append(&mut run.rows, Folded { outcomes, ..Folded::default() });
        assert_eq!(run.sign("study_faults").map(|sign| (sign.state, sign.value)), expected);
    }
}

#[test]
fn run_queue_of_the_most_delayed_thread() {
    for (delay, expected) in
        [(0.049, Valid), (0.05, Valid), (0.051, Questionable), (0.2, Questionable), (0.21, Invalid)]
    {
        let mut run = run(OPEN, |_, call| call);
        run.threads(&[(0.1, 0.0), (0.1, delay), (0.1, 0.0)]);
        assert_eq!(state(&run, "run_queue"), expected, "{delay}");
        check_verdicts(&run, expected, "run_queue");
        assert_eq!(run.finding("GEN-SAT").is_some(), expected != Valid);
    }
}

#[test]
fn rows_of_the_drain_do_not_thin_the_delay_out() {
    let mut run = run(OPEN, |_, call| call);
    run.threads(&[(0.5, 0.3)]);
    let hold = run.step("hold");
    for second in 30..130 {
        // The threads' rows keep the step of the last start while they drain.
        run.evidence.engine.push(record::EngineRow { second, step: hold, ..record::EngineRow::default() });
    }
    assert_eq!(run.sign("run_queue").unwrap().value, Some(Arg::Share(0.3)));
    assert_eq!(run.step_result("hold").cpu_share, Some(0.5));
}

#[test]
fn full_cores_of_a_closed_load() {
    for (cpu, expected) in [(0.94, Valid), (0.95, Questionable), (1.0, Questionable)] {
        let mut run = run(CLOSED, |_, call| call);
        run.threads(&[(0.2, 0.0), (cpu, 0.0)]);
        assert_eq!(state(&run, "cores_full"), expected, "{cpu}");
        check_verdicts(&run, expected, "cores_full");
        // The share in the result is of all threads.
        let share = run.step_result("hold").cpu_share.unwrap();
        assert!((share - (0.2 + cpu) / 2.0).abs() < 1e-9, "{share}");
    }
    let mut open = run(OPEN, |_, call| call);
    open.threads(&[(1.0, 0.0)]);
    assert!(open.sign("cores_full").is_none(), "an open load shows it by its lateness");
}

#[test]
fn steal_of_the_step_alone() {
    for (steal, expected) in [(0.02, Valid), (0.021, Questionable), (0.1, Questionable), (0.11, Invalid)] {
        let mut run = run("{ arrivals: 100/s, warm_up: 10s, hold: 30s }", |_, call| call);
        let warm_up = run.step("warm_up");
        run.add(&evenly(warm_up, 0, 10, 100, |_, call| call));
        for second in 0..41 {
            let value = if second < 10 { 0.9 } else { steal };
            run.sample(f64::from(second) + 0.01, STEAL, "host", Some(value));
        }
        let hold: Vec<_> =
            run.judge().signs.into_iter().filter(|sign| sign.code == "steal" && sign.scope == "s/hold").collect();
        assert_eq!(hold[0].state, expected, "{steal}");
        // The warm-up was spoiled: that is stated, and does not spoil what is judged.
        let warm_up: Vec<_> =
            run.judge().signs.into_iter().filter(|sign| sign.code == "steal" && sign.scope == "s/warm_up").collect();
        assert_eq!(warm_up[0].state, Invalid);
        check_verdicts(&run, expected, "steal");
    }
}

/// One of three that drive the load loses an eighth of its time: the others do not make up for it.
#[test]
fn steal_is_that_of_the_node_that_lost_most() {
    let mut run = run(OPEN, |_, call| call);
    for (name, threads, steal) in [("node-1", 2, 0.0), ("node-2", 2, 0.125), ("node-3", 2, 0.01), ("db1", 0, 0.9)] {
        let node = record::NodeHead { name: name.into(), threads, ..record::NodeHead::default() };
        run.evidence.head.nodes.push(node);
        (0..30).for_each(|second| run.sample(f64::from(second) + 0.01, STEAL, name, Some(steal)));
    }
    let sign = run.sign("steal").unwrap();
    assert_eq!((sign.value, sign.state), (Some(Arg::Share(0.125)), Invalid));
}

#[test]
fn samples_that_are_no_numbers_are_missing() {
    let mut run = run(OPEN, |_, call| call);
    for second in 0..30 {
        let value = [f64::NAN, f64::INFINITY, 0.5][second % 3];
        run.sample(second as f64, STEAL, "host", Some(value));
    }
    assert_eq!(run.sign("steal").unwrap().value, Some(Arg::Share(0.5)));
}

#[test]
fn an_instance_that_is_gone_spoils_its_step_and_those_after_it() {
    let rules = "warm: share(x.response < 1s of ok) >= 95% in warm_up\ngood: share(x.response < 1s of ok) >= 95%\nlives: alive(shop)\nlived: alive(shop) in warm_up";
    let made = |events: &[(f64, &str)]| {
        let mut run = Run::of(&study_of("{ arrivals: 100/s, warm_up: 20s, hold: 30s }", rules));
        let (warm_up, hold) = (run.step("warm_up"), run.step("hold"));
        run.add(&evenly(warm_up, 0, 20, 100, |_, call| call));
        run.add(&evenly(hold, 20, 30, 100, |_, call| call));
        events.iter().for_each(|(at, kind)| run.event(*at, kind, "shop"));
        let verdicts: Vec<_> =
            ["warm", "good", "lived", "lives"].iter().map(|id| run.result(id).verdict.name()).collect();
        (verdicts, run.judge().validity)
    };
    let valid = Validity::Valid;
    let questionable = Validity::Questionable;
    assert_eq!(made(&[]), (vec!["met", "met", "met", "met"], valid));
    assert_eq!(made(&[(30.0, "gone")]), (vec!["met", "cannot_tell", "met", "not_met"], questionable));
    assert_eq!(made(&[(5.0, "gone")]), (vec!["cannot_tell", "cannot_tell", "not_met", "not_met"], questionable));
    assert_eq!(made(&[(5.0, "gone"), (9.0, "restart")]), (vec!["cannot_tell", "met", "not_met", "met"], valid));
    assert_eq!(made(&[(5.0, "gone"), (9.0, "back")]), (vec!["cannot_tell", "met", "not_met", "met"], valid));
    // A step begins at its first moment and ends before its last.
    assert_eq!(made(&[(20.0, "restart")]), (vec!["met", "cannot_tell", "met", "not_met"], questionable));
    assert_eq!(made(&[(50.0, "gone")]), (vec!["met", "met", "met", "met"], valid));
    // A clock that was set is not a death.
    assert_eq!(made(&[(30.0, "clock_step")]), (vec!["met", "cannot_tell", "met", "met"], questionable));
}

#[test]
fn that_an_instance_lived_is_seen_whatever_the_generator_did() {
    let mut run = Run::of(&study_of(OPEN, "good: share(x.ok) >= 95%\nlives: alive(shop)"));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 30, 100, |_, call| call.late(50.0)));
    assert_eq!(run.judge().validity, Validity::Invalid);
    assert_eq!(run.verdict("lives"), ("met", "census".into()));
    run.evidence.altered = vec!["events.parquet".into()];
    assert_eq!(run.verdict("lives"), ("cannot_tell", "run_invalid".into()));
}

#[test]
fn that_an_instance_was_lost_stands_whatever_it_did_to_the_figures() {
    let of = |events: &[(f64, &str)]| {
        let mut run = Run::of(&study_of(OPEN, "good: share(x.ok) >= 95%\nlives: alive(shop)"));
        let hold = run.step("hold");
        run.add(&evenly(hold, 0, 30, 100, |k, call| if k < 1500 { call } else { call.ended(Outcome::Refused) }));
        events.iter().for_each(|(at, kind)| run.event(*at, kind, "shop"));
        run
    };
    // It died within the hold, and the question at the end found nobody: what failed has failed, in every order.
    for events in [
        &[(15.0, "gone")][..],
        &[(15.0, "gone"), (31.0, "identity")],
        &[(31.0, "identity"), (15.0, "gone")],
        &[(15.0, "gone"), (16.0, "gone"), (31.0, "identity")],
    ] {
        let run = of(events);
        assert_eq!(run.verdict("good"), ("not_met", "far_outside".into()), "{events:?}");
        assert_eq!(run.verdict("lives"), ("not_met", "instance_lost".into()), "{events:?}");
        assert_eq!(run.result("lives").reason.args["kind"], Arg::Text("gone".into()), "{events:?}");
        assert_eq!(run.judge().validity, Validity::Questionable, "{events:?}");
    }
    // Another one answers: nobody knows whose the figures are.
    for events in [
        &[(29.0, "identity")][..],
        &[(15.0, "gone"), (16.0, "restart"), (29.0, "identity")],
        &[(29.0, "identity"), (16.0, "restart"), (15.0, "gone")],
    ] {
        let run = of(events);
        assert_eq!(run.verdict("good"), ("cannot_tell", "run_invalid".into()), "{events:?}");
        assert_eq!(run.verdict("lives"), ("not_met", "instance_lost".into()), "{events:?}");
        assert_eq!(run.judge().validity, Validity::Invalid, "{events:?}");
    }
}

#[test]
fn a_run_that_nobody_answered_is_questionable_and_its_failures_are_counted() {
    const RULES: &str =
        "right: share(x.failed) <= 1%\nmost: share(x.failed) >= 99%\nsilent: count(x.ok) = 0\nlives: alive(shop)";
    let of = |outcome: Outcome| {
        let mut run = Run::of(&study_of(OPEN, RULES));
        let hold = run.step("hold");
        run.add(&evenly(hold, 0, 30, 100, |_, call| call.ended(outcome)));
        // Nothing came that could be read.
        run.rows.legs.iter_mut().for_each(|row| row.bytes = 0);
        run
    };
    for outcome in [Outcome::Refused, Outcome::Reset, Outcome::Timeout, Outcome::Fault] {
        let run = of(outcome);
        let sign = run.sign("unanswered").unwrap_or_else(|| panic!("{outcome:?}"));
        assert_eq!((sign.state, sign.scope.as_str()), (Questionable, "run"));
        assert_eq!(sign.args["classes"], Arg::Text(format!("{} 3000", outcome.name())));
        assert_eq!(run.judge().validity, Validity::Questionable);
        assert_eq!(run.verdict("right"), ("not_met", "interval_outside".into()));
        for met in ["most", "silent", "lives"] {
            assert_eq!(run.verdict(met), ("cannot_tell", "run_questionable".into()), "{met}");
        }
        assert_eq!(run.judge().exit_code(&run.study), 1);
    }
    // A status that is not right is an answer, and so is one among many.
    assert!(of(Outcome::Status).sign("unanswered").is_none());
    let mut once = of(Outcome::Refused);
    once.rows.outcomes[0].outcome = Outcome::Wrong;
    assert!(once.sign("unanswered").is_none());
    // A fault that the service tells in so many bytes was answered, too.
    let mut told = of(Outcome::Fault);
    told.rows.legs[0].bytes = 200;
    assert!(told.sign("unanswered").is_none());
    // Where nothing was sent, nobody was silent.
    assert!(of(Outcome::Dropped).sign("unanswered").is_none());
    let mut nothing = Run::of(&study_of(OPEN, RULES));
    assert!(nothing.sign("unanswered").is_none());
    // Unless the run could not go on, as where the host is not known.
    nothing.evidence.head.ending.as_mut().unwrap().reason = "target".into();
    let sign = nothing.sign("unanswered").unwrap();
    assert_eq!((sign.state, &sign.args["count"]), (Questionable, &Arg::Count(0.0)));
    let judgement = nothing.judge();
    assert_eq!((judgement.validity, judgement.exit_code(&nothing.study)), (Validity::Questionable, 3));
}

#[test]
fn why_calls_failed_stands_beside_them() {
    let mut run = run(OPEN, |k, call| match k % 10 {
        0 => call.ended(Outcome::Refused),
        1 | 2 => call.ended(Outcome::Status),
        _ => call,
    });
    let hold = run.step("hold");
    let note = |at: i64, outcome, text: &str| record::NoteRow {
        at: Nanos::from_secs(at),
        step: hold,
        exchange: 0,
        outcome,
        text: text.into(),
        trace: None,
    };
    run.rows.notes = vec![
        note(9, Outcome::Status, "status 503"),
        note(2, Outcome::Status, "status 404,\n 9 bytes:\nnot found"),
        note(1, Outcome::Wrong, "another class"),
    ];
    let failures = run.step_result("hold").exchanges[0].failures.clone();
    let failures: Vec<_> =
        failures.iter().map(|it| (it.class.as_str(), it.leg.as_str(), it.count, it.example.as_deref())).collect();
    let example = Some("status 404, 9 bytes: not found");
    assert_eq!(failures, [("status", "answer", 600, example), ("refused", "answer", 300, None)]);
    assert!(self::run(OPEN, |_, call| call).step_result("hold").exchanges[0].failures.is_empty());
}

#[test]
fn what_concerns_the_whole_run() {
    type Spoil = fn(&mut Run);
    let spoils: [(&str, WireValidity, Spoil); 8] = [
        ("altered_evidence", Invalid, |run| run.evidence.altered = vec!["load/legs.parquet".into()]),
        ("evidence_lost", Invalid, |run| run.event(3.0, "lost", "generator")),
        ("identity", Invalid, |run| run.evidence.head.instances[0].is_identified = false),
        ("identity", Invalid, |run| run.event(3.0, "identity", "shop")),
        ("torn_evidence", Invalid, |run| run.evidence.torn_bytes = 512),
        ("torn_evidence", Valid, |run| (run.evidence.torn_bytes, run.evidence.cut) = (512, Some(run.evidence.end))),
        ("killed", Valid, |run| run.evidence.was_killed = true),
        ("unsound_rows", Invalid, |run| run.rows.iterations[0].step = 99),
    ];
    for (code, expected, spoil) in spoils {
        let mut run = run(OPEN, |_, call| call);
        spoil(&mut run);
        let sign = run.sign(code).unwrap_or_else(|| panic!("no `{code}`"));
        assert_eq!((sign.state, sign.scope.as_str()), (expected, "run"), "{code}");
        if code != "unsound_rows" {
            check_verdicts(&run, expected, code);
        }
    }
}

#[test]
fn what_nobody_watched_is_not_judged_and_the_load_stands() {
    const RULES: &str = "good: share(x.response < 1s of ok) >= 95%\nbad: share(x.response < 1ms of ok) >= 95%\n\
                         lives: alive(shop)";
    let of = |at: Option<f64>| {
        let mut run = Run::of(&study_of(OPEN, RULES));
        let (hold, from) = (run.step("hold"), run.span("hold").from.second());
        run.add(&evenly(hold, from, 30, 100, |_, call| call));
        at.into_iter().for_each(|at| run.event(at, record::UNWATCHED, "run"));
        run
    };
    assert_eq!(of(None).verdict("lives").0, "met");
    let run = of(Some(12.5));
    let sign = run.sign("unwatched").unwrap();
    assert_eq!((sign.state, &sign.args["from"]), (Questionable, &Arg::Seconds(12.5)));
    assert_eq!((run.verdict("good").0, run.verdict("bad").0), ("met", "not_met"), "the load was recorded by its nodes");
    assert_eq!(run.verdict("lives"), ("cannot_tell", "run_questionable".into()));
    // Behind the load nothing is missing from it.
    assert!(of(Some(900.0)).sign("unwatched").is_none());
}

/// A node that is lost takes what it watched, and nothing that others watched; a conductor that is lost leaves what nodes
/// watched.
#[test]
fn what_one_node_watched_is_no_matter_of_another() {
    const RULES: &str =
        "there: mean(db.cpu) <= 90%\nhere: mean(host.cpu) <= 90%\ngood: share(x.response < 1s of ok) >= 95%";
    let text = study_of(OPEN, RULES).replace("watch: { host: {} }", "watch: { host: {}, db: { host: {}, on: db1 } }");
    let of = |subject: &str| {
        let mut run = Run::of(&text);
        let (hold, from) = (run.step("hold"), run.span("hold").from.second());
        run.add(&evenly(hold, from, 30, 100, |_, call| call));
        for second in 0..60 {
            run.sample(f64::from(second) + 0.5, 1, "host", Some(0.3));
            run.sample_of_node(f64::from(second) + 0.5, 1, Some(0.4));
        }
        run.event(12.5, record::UNWATCHED, subject);
        run
    };
    let run = of("db1");
    assert!(run.sign("unwatched").is_none());
    let sign = run.sign("node_unwatched").unwrap();
    assert_eq!((sign.state, &sign.args["instance"]), (Questionable, &Arg::Text("db1".into())));
    let verdicts = |run: &Run| ["there", "here", "good"].map(|rule| run.verdict(rule).0);
    assert_eq!(verdicts(&run), ["cannot_tell", "met", "met"]);
    assert_eq!(verdicts(&of("run")), ["met", "cannot_tell", "met"]);
}

#[test]
fn a_system_that_ended_with_its_run_fails_nothing() {
    let mut run = run(OPEN, |k, call| if k > 1500 { call.ended(Outcome::Refused) } else { call });
    assert_eq!(run.verdict("bad").0, "not_met");
    run.event(15.0, record::ORPHANED, "shop");
    let sign = run.sign("orphaned").unwrap();
    assert_eq!((sign.state, &sign.args["instance"]), (Invalid, &Arg::Text("shop".into())));
    assert_eq!((run.verdict("good").0, run.verdict("bad").0), ("cannot_tell", "cannot_tell"));
}

#[test]
fn a_killed_run_balances_by_what_is_open() {
    let mut run = run(OPEN, |_, call| call);
    let hold = run.step("hold");
    // Ten more came due, and neither their start nor their end was written.
    let due = terms::Books { intended: 10, ..terms::Books::default() };
    let row = record::IterationRow { step: hold, stream: contract::NO_STREAM, intended_s: 29, end_s: 29, books: due };
    run.rows.iterations.push(row);
    assert_eq!(state(&run, "books"), Invalid, "a run that ended by itself accounts for all");
    run.evidence.cut = Some(run.evidence.end);
    assert!(run.sign("books").is_none());
    let sign = run.sign("open_iterations").unwrap();
    assert_eq!((sign.state, &sign.args["count"]), (Valid, &Arg::Count(10.0)));
    let step = run.step_result("hold");
    assert_eq!((step.books.open(), step.books.balances()), (10, true));
}

#[test]
fn only_the_step_concerned() {
    // Two scenarios; the second starts late. The first one's verdicts stand, the run as a whole does not.
    let text = study_of(OPEN, RULES)
        .replace("requirements:", "  t:\n    load: { arrivals: 100/s, hold: 30s }\n    run: [x]\nrequirements:");
    let mut run = Run::of(&text);
    let holds: Vec<_> = run.evidence.steps.iter().filter(|step| step.id == "hold").cloned().collect();
    for (hold, late) in holds.iter().zip([0.0, 30.0]) {
        run.add(&evenly(hold.number, hold.from.second(), 30, 100, |_, call| call.late(late)));
    }
    let verdicts = |id| run.results(id).iter().map(|r| (r.scope.clone(), r.verdict.name())).collect::<Vec<_>>();
    assert_eq!(verdicts("bad"), [("s/hold".into(), "not_met"), ("t/hold".into(), "cannot_tell")]);
    assert_eq!(verdicts("good"), [("s/hold".into(), "met"), ("t/hold".into(), "met")], "late answers were in time");
    assert_eq!(run.judge().validity, Validity::Invalid);
    assert_eq!(run.judge().exit_code(&run.study), 1, "`bad` is not met where it could be told");
}

#[test]
fn a_sign_needs_its_measurement() {
    let mut run = run(OPEN, |_, call| call);
    for code in ["steal", "run_queue", "cores_full"] {
        assert!(run.sign(code).is_none(), "{code}");
    }
    run.sample(3.0, STEAL, "host", None);
    run.sample(4.0, CPU, "host", Some(1.0));
    run.sample(5.0, MEMORY, "host", Some(1.0));
    assert!(run.sign("steal").is_none());
}
