//! What a generator that could not keep up says of its own speed, and how near a load comes to its ceiling.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, Run, STEAL, evenly, study_of};
use judge::{Arg, Gravity, Sign, WireValidity};
use record::{CeilingHead, EngineRow};
use terms::{Outcome, Validity};

const RULES: &str = "good: share(x.response < 1s of ok) >= 95%\nbad: share(x.response < 1ms of ok) >= 95%";
const OPEN: &str = "{ arrivals: 100/s, hold: 30s }";

/// 100/s for 30 s, answers of 10 ms, each made by `of`.
fn run(load: &str, of: impl Fn(u64, Call) -> Call) -> Run {
    let mut run = Run::of(&study_of(load, RULES));
    let hold = run.step("hold");
    let from = run.span("hold").from.second();
    run.add(&evenly(hold, from, 30, 100, of));
    run
}

fn found(sign: &Sign) -> (&str, f64, f64) {
    let number = |name: &str| if let Arg::PerSecond(value) = sign.args[name] { value } else { f64::NAN };
    let Arg::Text(found) = &sign.args["found"] else { panic!("{sign:?}") };
    (found, number("clean"), number("planned"))
}

#[test]
fn a_late_load_says_which_rate_was_in_time() {
    assert!(run(OPEN, |_, call| call).sign("rate").is_none(), "nothing was late");
    let all = run(OPEN, |_, call| call.late(50.0));
    let sign = all.sign("rate").unwrap();
    assert_eq!((sign.state, found(&sign)), (WireValidity::Invalid, ("none", 0.0, 100.0)));
    // The last ten seconds are late; the others show that the rate itself could be kept.
    let part = run(OPEN, |k, call| if k >= 2000 { call.late(50.0) } else { call });
    assert_eq!(found(&part.sign("rate").unwrap()), ("planned", 100.0, 100.0));
    // The very last answer came after the hold.
    assert_eq!(part.sign("rate").unwrap().args["ended"], Arg::PerSecond(2999.0 / 30.0));
    // What decided stands first.
    let codes: Vec<String> = part.judge().signs.into_iter().map(|sign| sign.code).collect();
    let place = |code: &str| codes.iter().position(|found| found == code).unwrap();
    assert!(place("lateness") < place("rate"), "{codes:?}");
}

#[test]
fn a_ramp_shows_how_far_it_went_well() {
    let mut run = Run::of(&study_of("{ arrivals: 100/s, ramp: { over: 10s, by: 50/s }, hold: 30s }", RULES));
    let (ramp, hold) = (run.evidence.steps[0].clone(), run.span("hold").clone());
    assert_eq!(ramp.phase, terms::Phase::Ramp);
    run.add(&evenly(ramp.number, ramp.from.second(), 10, 50, |_, call| call));
    run.add(&evenly(hold.number, hold.from.second(), 30, 100, |_, call| call.late(50.0)));
    let sign = run.sign("rate").unwrap();
    assert_eq!((sign.scope.as_str(), found(&sign)), ("s/hold", ("below", 50.0, 100.0)));
}

#[test]
fn lateness_is_held_against_the_answers_without_it() {
    // Everything is 2 s late, so the median response is beyond 2 s; 1 % of that would call 20 ms in time. Answers take
    // 10 ms of their own.
    let late = |k: u64, call: Call| if k < 1500 { call.late(15.0) } else { call.late(2000.0) };
    let run = run(OPEN, |k, call| {
        let late = late(k, call);
        Call { took: late.took + late.late, ..late }
    });
    assert_eq!(found(&run.sign("rate").unwrap()).0, "none");
}

fn full(run: &mut Run, seconds: i64, cpu_s: f64, run_queue_s: f64) {
    let from = run.span("hold").from.second();
    for second in from..from + 30 {
        let is_full = second < from + seconds;
        let (waiting_max, cpu_s) = if is_full { (7, cpu_s) } else { (0, 0.2) };
        run.evidence.engine.push(EngineRow { second, cpu_s, run_queue_s, waiting_max, ..EngineRow::default() });
    }
}

/// A thread on a virtual processor gets neither time nor a place in the queue while another machine has the real one.
#[test]
fn what_other_machines_stole_is_time_that_a_thread_did_not_have() {
    for (share, expected) in [(0.29, WireValidity::Questionable), (0.1, WireValidity::Valid)] {
        let mut run = run(OPEN, |_, call| call);
        full(&mut run, 30, 0.37, 0.34);
        let from = run.span("hold").from.second();
        (from..from + 30).for_each(|second| run.sample(second as f64 + 1.002, STEAL, "host", Some(share)));
        assert_eq!(run.sign("overloaded").unwrap().state, expected, "{share}");
    }
}

#[test]
fn arrivals_that_wait_for_a_full_generator_are_not_the_systems_account() {
    // All of the load ended in time, so throughput is right; the waiting is not.
    for (seconds, cpu_s, queue_s, expected) in [
        (0, 0.99, 0.0, WireValidity::Valid),
        (1, 0.99, 0.0, WireValidity::Questionable),
        (30, 0.99, 0.0, WireValidity::Questionable),
        (30, 0.91, 0.04, WireValidity::Questionable),
        (30, 0.90, 0.04, WireValidity::Valid),
    ] {
        let mut run = run(OPEN, |_, call| call);
        full(&mut run, seconds, cpu_s, queue_s);
        let sign = run.sign("overloaded").unwrap();
        assert_eq!(sign.state, expected, "{seconds} s at {cpu_s} and {queue_s}");
        assert_eq!(run.judge().validity, Validity::from(expected));
        assert_eq!(run.finding("GEN-SAT").is_some(), expected != WireValidity::Valid);
        assert_eq!(run.sign("rate").is_some(), expected != WireValidity::Valid);
    }
    // A load that falls short as well proves nothing.
    let mut short = run(OPEN, |k, call| if k % 10 == 0 { call.ended(Outcome::Aborted) } else { call });
    full(&mut short, 30, 1.0, 0.0);
    assert_eq!(short.sign("overloaded").unwrap().state, WireValidity::Invalid);
    assert_eq!(found(&short.sign("rate").unwrap()).0, "none", "no second was free of it");
    assert_eq!(short.verdict("bad"), ("cannot_tell", "run_invalid".to_owned()));
    assert_eq!(short.verdict("good"), ("met", "interval_inside".to_owned()), "waiting makes no answer faster");
}

#[test]
fn starts_lost_behind_a_full_generator_are_its_own() {
    let mut run = run(OPEN, |k, call| if k % 10 == 0 { call.ended(Outcome::Dropped) } else { call });
    run.evidence.head.scenarios[0].max_in_flight = Some(5);
    assert_eq!(run.sign("lost_starts").unwrap().state, WireValidity::Valid, "they waited for the system");
    full(&mut run, 30, 1.0, 0.0);
    assert_eq!(run.sign("lost_starts").unwrap().state, WireValidity::Invalid);
}

#[test]
fn a_closed_load_has_no_rate_to_keep() {
    let mut run = run("{ users: 10, hold: 30s }", |_, call| call.late(50.0));
    full(&mut run, 30, 1.0, 0.0);
    assert!(run.sign("overloaded").is_none() && run.sign("rate").is_none());
}

#[test]
fn a_load_beyond_half_of_the_ceiling_is_told() {
    for (per_s, is_near) in [(1000.0, false), (200.0, false), (199.0, true), (50.0, true), (0.0, false)] {
        let mut run = run(OPEN, |_, call| call);
        run.evidence.head.ceiling = Some(CeilingHead { per_s, threads: 1, connections: 64 });
        let finding = run.finding("GEN-CEILING");
        assert_eq!(finding.is_some(), is_near, "{per_s}");
        if let Some(finding) = finding {
            assert_eq!((finding.severity, finding.scope.as_str()), (Gravity::Notice, "s/hold"));
            assert_eq!(finding.args()["share"], Arg::Share(100.0 / per_s));
        }
        assert_eq!(run.judge().validity, Validity::Valid, "it is a notice");
    }
    assert!(run(OPEN, |_, call| call).finding("GEN-CEILING").is_none(), "nobody tried");
}
