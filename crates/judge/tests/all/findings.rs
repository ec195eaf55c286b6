//! Every rule of the catalogue with a run that fires it and one that must not.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, Run, call, evenly, study_of, study_with};
use judge::{Arg, Gravity, WireValidity};
use terms::{Nanos, Outcome};

const OPEN: &str = "{ arrivals: 100/s, hold: 30s }";
const RULE: &str = "good: share(x.response < 1s of ok) >= 95%";

fn run(load: &str, of: impl Fn(u64, Call) -> Call) -> Run {
    let mut run = Run::of(&study_of(load, RULE));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 30, 100, of));
    run
}

fn took(ms: f64) -> impl Fn(Call) -> Call {
    move |call| Call { took: Nanos::from_secs_f64(ms / 1e3), ..call }
}

fn number(arg: &Arg) -> f64 {
    match arg.quantity() {
        Arg::Milliseconds(x) | Arg::Share(x) | Arg::Count(x) | Arg::PerSecond(x) | Arg::Number(x) | Arg::Seconds(x) => {
            *x
        }
        other => panic!("{other:?} is not a number"),
    }
}

/// Simulated runs of every kind, on which the law must hold.
#[test]
fn little_holds_for_open_and_closed_loads() {
    let call = |service: &str| format!("x: {{ simulated.call: {{ {service} }} }}");
    let cases = [
        ("x", "{ arrivals: 200/s, hold: 60s }", call("service: 50ms"), 1),
        ("x", "{ arrivals: 80/s, spacing: poisson, hold: 300s }", call("service: 10ms, servers: 1, random: true"), 1),
        // A stall each period, and arrivals that wait for one of ten connections.
        (
            "x",
            "{ arrivals: 1000/s, hold: 20s, max_in_flight: 10 }",
            call("service: 1ms, stall_every: 2s, stall_for: 100ms"),
            2,
        ),
        // More arrives than can be served: the queue grows all through the step, and ends in the drain.
        ("x", "{ arrivals: 120/s, hold: 60s, warm_up: 10s }", call("service: 10ms, servers: 1"), 1),
        ("x", "{ users: 20, hold: 60s }", call("service: 100ms"), 3),
        ("x, think: 400ms, x", "{ users: 20, hold: 60s }", call("service: 100ms, random: true"), 2),
        ("x, think: 3s", "{ arrivals: 20/s, hold: 60s }", call("service: 100ms"), 1),
        ("x", "{ users: 10, pacing: 500ms, hold: 60s }", call("service: 100ms"), 1),
        ("x", "{ arrivals: 100/s, ramp: { over: 20s, by: 30/s }, hold: 40s }", call("service: 300ms"), 1),
    ];
    for (items, load, exchange, workers) in cases {
        let run = Run::simulated(&study_with(items, load, &exchange, RULE), workers);
        let sign = run.sign("little").unwrap_or_else(|| panic!("not looked at: {load}"));
        let off = number(sign.value.as_ref().unwrap());
        assert!(off < 0.02, "{off} off in {load} {exchange}");
        assert!(run.finding("LITTLE").is_none(), "{load}");
    }
}

/// Think time that chance or a condition decides: no row says how long an iteration thought.
#[test]
fn little_holds_whatever_chance_and_conditions_decide() {
    let ways = "choose: { x: 80%, slow: { share: 20%, run: [ x, think: 4s, x ] } }";
    let pages = "x, { while: $(serial) contains 1, most: 4, run: [ think: 300ms to 900ms, x ] }";
    let branch = "{ if: $(serial) contains 7, then: [ think: 2s, x ], else: [ x ] }";
    let waits = ["x, think: exponential(600ms)", "x, think: 200ms to 2s, x", ways, pages, branch];
    let mut drawn_alike = 0;
    for run in waits {
        for (number, load) in ["arrivals: 15/s", "users: 7", "users: 23"].into_iter().enumerate() {
            for hold in [12, 17, 23, 31] {
                let load = format!("{{ {load}, hold: {hold}s }}");
                let mut run = Run::simulated(
                    &study_with(run, &load, "x: { simulated.call: { service: 20ms } }", RULE),
                    1 + number as u16,
                );
                let Some(sign) = run.sign("little") else { continue };
                assert_eq!(sign.value, Some(Arg::Share(0.0)), "{load}");
                assert!(run.finding("LITTLE").is_none(), "{load}");
                drawn_alike += 1;
                // A count that is wrong by more than chance and conditions can explain is found all the same.
                run.evidence.engine.iter_mut().for_each(|row| row.in_flight_mean *= 10.0);
                assert_eq!(run.finding("LITTLE").map(|finding| finding.severity), Some(Gravity::Blocker), "{load}");
            }
        }
    }
    assert!(drawn_alike >= 50, "{drawn_alike} of 60 were looked at");
}

#[test]
fn what_a_condition_decides_is_planned_as_it_was_sent() {
    let run = "x, { while: $(serial) contains 1, most: 3, run: [ y ] }, choose: { z: 50%, both: { share: 50%, run: [ z, z ] } }";
    let calls = "x: { simulated.call: {} }\ny: { simulated.call: {} }\nz: { simulated.call: {} }";
    let rules = "pages: share(y.ok) >= 99.9%\nsent: count(y.intended) = count(y.started)\nright: share(z.ok) >= 99%";
    let run = Run::simulated(&study_with(run, "{ arrivals: 100/s, hold: 60s }", calls, rules), 1);
    for rule in ["pages", "sent", "right"] {
        assert_eq!(run.verdict(rule).0, "met", "{rule}: {:#?}", run.result(rule));
    }
    assert_eq!(run.result("pages").value, Some(1.0));
    let step = run.step_result("hold");
    // Of the numbers below 6000, those with a 1 among their digits: 1000 + 5·271.
    let calls = |name: &str| step.exchanges.iter().find(|it| it.id == name).map(|it| it.legs[0].count).unwrap();
    assert_eq!((calls("x"), calls("y")), (6000, 3 * 2355));
    // Twice in half of them: 9000 expected, standard deviation 39.
    assert!(calls("z").abs_diff(9000) < 195, "{}", calls("z"));
}

#[test]
fn little_fires_when_counts_times_and_concurrency_disagree() {
    let text = study_of("{ arrivals: 200/s, hold: 60s }", RULE);
    for (factor, expected, state) in [
        (1.0, None, WireValidity::Valid),
        (1.04, None, WireValidity::Valid),
        (1.1, Some(Gravity::Warning), WireValidity::Valid),
        (0.9, Some(Gravity::Warning), WireValidity::Valid),
        (2.0, Some(Gravity::Blocker), WireValidity::Invalid),
        (0.5, Some(Gravity::Blocker), WireValidity::Invalid),
    ] {
        let mut run = Run::simulated(&text, 1);
        // As if the generator's own count of what is in flight were wrong.
        run.evidence.engine.iter_mut().for_each(|row| row.in_flight_mean *= factor);
        let finding = run.finding("LITTLE");
        assert_eq!(finding.as_ref().map(|finding| finding.severity), expected, "{factor}");
        let sign = run.judge().signs.into_iter().find(|sign| sign.code == "little" && sign.scope == "s/hold").unwrap();
        assert_eq!(sign.state, state, "{factor}");
        if let Some(finding) = finding {
            let arg = |name: &str| number(&finding.args()[name]);
            // 200/s for 10 ms are two in flight.
            assert!((arg("expected") - 2.0).abs() < 0.05 && (arg("concurrency") - 2.0 * factor).abs() < 0.1);
            assert!((arg("rate") * arg("time") / 1e3 - arg("expected")).abs() < 1e-9);
            assert!((arg("off") - (1.0 / factor - 1.0)).abs() < 0.03);
        }
    }
}

#[test]
fn the_generators_lateness_is_no_contradiction() {
    // Recordings that count an arrival from the moment at which it was seen: 3 ms of 10 are not in the number in flight.
    let mut run = run(OPEN, |_, call| call.late(3.0));
    let hold = run.step("hold");
    for second in 0..30 {
        let row = record::EngineRow { second, step: hold, in_flight_mean: 0.7, ..record::EngineRow::default() };
        run.evidence.engine.push(row);
    }
    assert_eq!(run.sign("little").unwrap().value, Some(Arg::Share(0.0)));
    // A user's iteration is in flight from the moment at which it is taken up, and timed from its first byte.
    let mut run = self::run("{ users: 2, hold: 30s }", |_, call| call.late(3.0));
    let hold = run.step("hold");
    for second in 0..30 {
        let row = record::EngineRow { second, step: hold, in_flight_mean: 0.95, ..record::EngineRow::default() };
        run.evidence.engine.push(row);
    }
    assert_eq!(run.sign("little").unwrap().value, Some(Arg::Share(0.0)));
}

#[test]
fn little_keeps_silent_where_not_every_time_is_known() {
    let short = Run::simulated(&study_of("{ arrivals: 200/s, hold: 9s }", RULE), 1);
    assert!(short.sign("little").is_none(), "too short");
    let few = Run::simulated(&study_of("{ arrivals: 1/s, hold: 60s }", RULE), 1);
    assert!(few.sign("little").is_none(), "too few");
    let mut killed = Run::simulated(&study_of("{ arrivals: 200/s, hold: 60s }", RULE), 1);
    killed.span("hold").is_ended = false;
    assert!(killed.sign("little").is_none(), "cut off");
}

#[test]
fn gen_sat_names_the_sign() {
    let mut run = run(OPEN, |_, call| call);
    assert!(run.finding("GEN-SAT").is_none());
    run.threads(&[(0.9, 0.3)]);
    let finding = run.finding("GEN-SAT").unwrap();
    assert_eq!(finding.severity, Gravity::Blocker);
    assert_eq!(
        (&finding.args()["sign"], &finding.args()["limit"]),
        (&Arg::Text("run_queue".into()), &Arg::Share(0.05).given())
    );
}

#[test]
fn gen_drop_tells_whose_they_were() {
    let mut run = run(OPEN, |k, call| if k < 300 { call.ended(Outcome::Dropped) } else { call });
    let finding = run.finding("GEN-DROP").unwrap();
    assert_eq!(finding.severity, Gravity::Blocker);
    assert_eq!((number(&finding.args()["lost"]), number(&finding.args()["share"])), (300.0, 0.1));
    run.evidence.head.scenarios[0].max_in_flight = Some(5);
    let finding = run.finding("GEN-DROP").unwrap();
    assert_eq!((finding.severity, number(&finding.args()["lost"])), (Gravity::Notice, 0.0));
}

#[test]
fn co_closed_sees_stalls_of_closed_loads_only() {
    let text = |load: &str, stall: &str| {
        study_with("x", load, &format!("x: {{ simulated.call: {{ service: 10ms{stall} }} }}"), RULE)
    };
    let stall = ", stall_every: 5s, stall_for: 1s";
    let users = "{ users: 5, hold: 30s }";
    let found = Run::simulated(&text(users, stall), 1).finding("CO-CLOSED").unwrap();
    assert!(number(&found.args()["max"]) > 900.0 && (number(&found.args()["median"]) - 10.0).abs() < 0.1);
    assert!(Run::simulated(&text(users, ""), 1).finding("CO-CLOSED").is_none());
    assert!(Run::simulated(&text(OPEN, stall), 1).finding("CO-CLOSED").is_none());
}

#[test]
fn mean_above_p90_gives_the_least_mean_of_the_tail() {
    // 95 % take 10 ms, 5 % take 1 s: mean 59.5 ms, p90 10 ms, so the slowest tenth take (59.5 − 0.9·10)/0.1 = 505 ms.
    let run = run(OPEN, |k, call| took(if k % 20 == 0 { 1000.0 } else { 10.0 })(call));
    let finding = run.finding("MEAN-GT-P90").unwrap();
    assert!((number(&finding.args()["mean"]) - 59.5).abs() < 1e-6);
    assert!((number(&finding.args()["tail"]) - 505.0).abs() < 0.2);
    let even = self::run(OPEN, |k, call| took(10.0 + (k % 10) as f64)(call));
    assert!(even.finding("MEAN-GT-P90").is_none());
}

#[test]
fn censored_from_the_share_of_time_outs_on() {
    let timed_out = |every: u64| {
        run(OPEN, move |k, call| if k % every == 0 { took(30_000.0)(call.ended(Outcome::Timeout)) } else { call })
    };
    // 2 % time-outs: percentiles above p98 are lower bounds.
    let finding = timed_out(50).finding("CENSORED").unwrap();
    assert_eq!((number(&finding.args()["timeouts"]), number(&finding.args()["share"])), (60.0, 0.02));
    assert!((number(&finding.args()["quantile"]) - 98.0).abs() < 1e-9, "{finding:?}");
    // 0.05 % are above p99.9, and the percentiles that are shown stand.
    let mut rare = run(OPEN, |_, call| call);
    let hold = rare.step("hold");
    rare.add(&[took(30_000.0)(call(hold, 3.0, 0.0).ended(Outcome::Timeout))]);
    assert!(rare.finding("CENSORED").is_none());
    // A minute of waiting for a connection is longer than the time-out of 30 s and whole.
    assert!(run(OPEN, |_, call| took(60_000.0)(call)).finding("CENSORED").is_none());
}

#[test]
fn fast_failures_flatter() {
    let failing = |ms: f64, every: u64| {
        run(OPEN, move |k, call| if k % every == 0 { took(ms)(call.ended(Outcome::Status)) } else { call })
    };
    assert!(failing(4.0, 10).finding("ERR-FAST").is_some());
    assert!(failing(6.0, 10).finding("ERR-FAST").is_none(), "more than half of 10 ms");
    assert!(failing(1.0, 200).finding("ERR-FAST").is_none(), "0.5 % flatter nothing");
}

#[test]
fn few_says_what_the_calls_carry() {
    // p99 needs 368 calls, p95 72, p90 36 (analysis page, 2.6).
    for (count, carried) in [(368, None), (367, Some(95.0)), (72, Some(95.0)), (71, Some(90.0)), (35, Some(0.0))] {
        let mut run = Run::of(&study_of(OPEN, RULE));
        let hold = run.step("hold");
        run.add(&(0..count).map(|k| call(hold, k as f64 * 30.0 / 368.0, 10.0)).collect::<Vec<_>>());
        let found = run.finding("FEW").map(|finding| number(&finding.args()["carried"]));
        assert_eq!(found, carried, "{count}");
    }
}

#[test]
fn down_and_no_answer() {
    let mut run = run(OPEN, |_, call| call.ended(Outcome::Refused));
    assert!(run.finding("DOWN").is_none());
    assert_eq!(number(&run.finding("NO-ANSWER").unwrap().args()["started"]), 3000.0);
    run.event(12.0, "gone", "shop");
    let finding = run.finding("DOWN").unwrap();
    assert_eq!((number(&finding.args()["at"]), finding.evidence), (12.0, vec!["events:shop".to_owned()]));
    let told = |run: &Run| {
        let found = run.judge().findings.into_iter().filter(|finding| finding.rule() == "DOWN");
        found.map(|found| (found.args()["at"].clone(), found.args()["last"].clone())).collect::<Vec<_>>()
    };
    // Its machine, its process and its address are one loss; it is another after a while, or once it was back.
    run.event(13.1, "gone", "shop");
    run.event(13.4, "gone", "shop");
    assert_eq!(told(&run), [(Arg::Seconds(12.0), Arg::Seconds(13.4))]);
    assert_eq!(number(&run.finding("DOWN").unwrap().args()["noticed"]), 3.0);
    run.event(14.0, "gone", "store");
    run.event(15.0, "restart", "shop");
    run.event(16.0, "gone", "shop");
    run.event(25.0, "gone", "shop");
    let at: Vec<f64> = told(&run).iter().map(|(at, _)| number(at)).collect();
    assert_eq!((at.len(), at.contains(&25.0)), (5, true), "{at:?}");
    let one_is_enough = self::run(OPEN, |k, call| if k == 0 { call } else { call.ended(Outcome::Refused) });
    assert!(one_is_enough.finding("NO-ANSWER").is_none());
}

#[test]
fn a_clean_run_has_no_findings_and_the_gravest_stand_first() {
    let clean = run(OPEN, |_, call| call);
    let told = clean.judge().findings;
    assert!(told.iter().all(|finding| finding.severity == Gravity::Info && finding.rule() == "SHAPE"), "{told:?}");
    let mut bad = run(OPEN, |k, call| if k % 3 == 0 { call.ended(Outcome::Dropped) } else { call.late(5.0) });
    bad.event(3.0, "gone", "shop");
    let findings = bad.judge().findings;
    assert!(findings.windows(2).all(|pair| pair[0].severity >= pair[1].severity));
    let ids: Vec<&str> = findings.iter().map(|finding| finding.id.as_str()).collect();
    assert_eq!(ids[..3], ["F1", "F2", "F3"]);
}

#[test]
fn the_shape_of_a_distribution_is_computed() {
    // One hump; one in five calls takes another way; one in fifty waits long.
    let one = run(OPEN, |k, call| took(10.0 + (k * 7919 % 50) as f64 / 10.0)(call));
    let plain = one.finding("SHAPE").unwrap();
    assert_eq!((plain.severity, &plain.args()["shape"]), (Gravity::Info, &Arg::Text("plain".into())));
    assert_eq!((&plain.args()["modes"], &plain.args()["stalled"]), (&Arg::Count(1.0), &Arg::Share(0.0)));
    let mut short = Run::of(&study_of(OPEN, RULE));
    let hold = short.step("hold");
    short.add(&evenly(hold, 0, 9, 100, |_, call| call));
    assert!(short.finding("SHAPE").is_none(), "too few calls have no shape");
    let two = run(OPEN, |k, call| took(if k % 5 == 0 { 80.0 } else { 10.0 } + (k * 7919 % 50) as f64 / 10.0)(call));
    let found = two.finding("SHAPE").unwrap();
    assert_eq!((found.args()["modes"].clone(), found.scope.as_str()), (Arg::Count(2.0), "s/hold/x/answer"));
    assert_eq!((found.severity, &found.args()["shape"]), (Gravity::Notice, &Arg::Text("uneven".into())));
    let tail = run(OPEN, |k, call| took(if k % 50 == 0 { 900.0 } else { 10.0 })(call));
    assert!(number(&tail.finding("SHAPE").unwrap().args()["tail"]) > 80.0);
    // Three seconds of thirty, in which everything waited.
    let stalled = run(OPEN, |k, call| took(if (1000..1300).contains(&k) { 100.0 } else { 10.0 })(call));
    assert_eq!(stalled.finding("SHAPE").unwrap().args()["stalled"], Arg::Share(0.1));
}
