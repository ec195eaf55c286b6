//! What a disturbance takes from a verdict, and what it leaves, against the same run without the disturbance.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{CPU, Call, Run, call, evenly, study_of};
use judge::{Arg, RequirementResult, WireValidity};
use record::{MeetingHead, NodeHead, SampleRow};
use terms::{Nanos, Outcome, Verdict};

const OPEN: &str = "{ arrivals: 100/s, hold: 30s }";
const CLOSED: &str = "{ users: 10, hold: 30s }";

/// 100/s for 30 s, answers of 10 ms, each made by `of`.
fn run(load: &str, rules: &str, of: impl Fn(u64, Call) -> Call) -> Run {
    let mut run = Run::of(&study_of(load, rules));
    let hold = run.step("hold");
    let from = run.span("hold").from.second();
    run.add(&evenly(hold, from, 30, 100, of));
    run
}

fn verdict(run: &Run, id: &str) -> &'static str {
    run.result(id).verdict.name()
}

#[test]
fn a_disturbance_takes_what_it_can_have_turned_and_nothing_else() {
    const RULES: &str = "
        kept_ceiling: p95(x.response) < 1s
        broken_ceiling: p95(x.response) < 1ms
        kept_floor: rate(x.ok) >= 50/s
        broken_floor: rate(x.ok) >= 200/s
        few_failed: share(x.failed) <= 5%
        many_failed: share(x.failed) <= 0.1%
        none_wrong: count(x.wrong) = 0
        none_refused: count(x.refused) = 0
    ";
    const IDS: [&str; 8] = [
        "kept_ceiling",
        "broken_ceiling",
        "kept_floor",
        "broken_floor",
        "few_failed",
        "many_failed",
        "none_wrong",
        "none_refused",
    ];
    let refused = |k: u64, call: Call| if k % 100 == 55 { call.ended(Outcome::Refused) } else { call };
    let all = |run: &Run| IDS.map(|id| verdict(run, id));
    let quiet = ["met", "not_met", "met", "not_met", "met", "not_met", "met", "not_met"];
    assert_eq!(all(&run(OPEN, RULES, refused)), quiet);
    assert_eq!(all(&run(CLOSED, RULES, refused)), quiet);

    // 50 ms late: the times may be all lateness, and fewer may have ended in time. Who was refused was refused.
    let late = run(OPEN, RULES, |k, call| refused(k, call).late(50.0));
    let one = ["met", "cannot_tell", "met", "cannot_tell", "met", "not_met", "met", "not_met"];
    assert_eq!(all(&late), one);
    // Time-outs may be of the lateness.
    let timed_out = |k: u64, call: Call| if k % 100 == 55 { call.ended(Outcome::Timeout) } else { call };
    assert_eq!(verdict(&run(OPEN, RULES, |k, call| timed_out(k, call).late(50.0)), "many_failed"), "cannot_tell");
    // Short of processor time, and never late: nothing can have been added to a time.
    let mut starved = run(OPEN, RULES, refused);
    starved.threads(&[(0.5, 0.3)]);
    assert_eq!(all(&starved), ["met", "not_met", "met", "cannot_tell", "met", "not_met", "met", "not_met"]);
    // Users are never late, so nobody knows how long an answer lay unread.
    let mut starved = run(CLOSED, RULES, refused);
    starved.threads(&[(0.5, 0.3)]);
    assert_eq!(all(&starved), one);
    // Users who could have asked for more: throughput is a lower bound. Questionable, so what is not met stands.
    let mut full = run(CLOSED, RULES, refused);
    full.threads(&[(0.99, 0.0)]);
    assert_eq!(
        all(&full),
        ["cannot_tell", "not_met", "met", "not_met", "cannot_tell", "not_met", "cannot_tell", "not_met"]
    );
    // A tenth was lost: with it, it is slower, and more fail.
    let lost = run(OPEN, RULES, |k, call| if k % 10 == 0 { call.ended(Outcome::Dropped) } else { refused(k, call) });
    assert_eq!(
        all(&lost),
        ["cannot_tell", "not_met", "met", "cannot_tell", "cannot_tell", "not_met", "cannot_tell", "not_met"]
    );
}

/// Each verdict says what disturbed it, and by how much at most.
#[test]
fn what_a_late_generator_added_is_bounded_by_its_greatest_lateness() {
    let of = |late_ms: f64, took_ms: u64| {
        run(OPEN, "p: p95(x.response) < 100ms", move |_, call| {
            Call { took: Nanos::from_millis(took_ms as i64), ..call }.late(late_ms)
        })
    };
    // 150 ms are measured of which 20 are lateness; 40 ms may be the generator's, and 110 are still too many.
    let slow = of(20.0, 150);
    let result = slow.result("p");
    assert_eq!(result.verdict, Verdict::NotMet);
    let disturbance = &result.disturbed[0];
    assert_eq!((disturbance.check.as_str(), disturbance.state), ("lateness", WireValidity::Invalid));
    assert_eq!((disturbance.moves.name(), disturbance.can_turn), ("raised", true));
    let Some(Arg::Seconds(at_most)) = disturbance.at_most else { panic!("{disturbance:?}") };
    assert!((at_most - 0.04).abs() < 0.002, "{at_most}");
    // Of 100 ms it is not known: without the lateness the limit may have been kept.
    assert_eq!(slow_verdict(&of(20.0, 100)), (Verdict::CannotTell, "run_invalid".to_owned()));
    // A lateness that is questionable takes no more than it can have added either.
    assert_eq!(slow_verdict(&of(5.0, 103)), (Verdict::CannotTell, "run_questionable".to_owned()));
    assert_eq!(slow_verdict(&of(5.0, 120)).0, Verdict::NotMet);
    // It is met in spite of everything.
    assert_eq!(slow_verdict(&of(50.0, 20)).0, Verdict::Met);
}

/// What is not met without an interval, since no call of the whole part kept the limit, stands as well where none kept
/// one that lies farther away by all that the generator can have added.
#[test]
fn a_verdict_without_an_interval_stands_against_a_limit_that_is_farther_away() {
    let of = |limit: &str, late_ms: f64| {
        let mut run = Run::of(&study_of("{ arrivals: 20/s, hold: 8s }", &format!("p: p95(x.response) < {limit}")));
        let (hold, from) = (run.step("hold"), run.span("hold").from.second());
        // Each second is slower than the last: too short a run for what it remembers.
        let slower = |k: u64, call: Call| Call { took: Nanos::from_millis(150 + 5 * (k as i64 / 20)), ..call };
        run.add(&evenly(hold, from, 8, 20, |k, call| slower(k, call).late(late_ms)));
        let RequirementResult { verdict, low, high, .. } = run.result("p");
        assert_eq!((low, high), (None, None), "{limit}");
        verdict
    };
    assert_eq!(of("20ms", 5.0), Verdict::NotMet);
    assert_eq!(of("130ms", 5.0), Verdict::NotMet);
    assert_eq!(of("149ms", 5.0), Verdict::CannotTell, "10 ms may be the generator's");
    assert_eq!(of("20ms", 60.0), Verdict::NotMet);
    assert_eq!(of("80ms", 60.0), Verdict::CannotTell);
}

fn slow_verdict(run: &Run) -> (Verdict, String) {
    let RequirementResult { verdict, reason, .. } = run.result("p");
    (verdict, reason.code)
}

/// A machine of two cores that is so busy, of which a process of the system uses 0.2 cores and the generator 0.1: what
/// others use is the busy share less 0.15.
fn beside_others(busy: f64, settings: &str) -> Run {
    const RULES: &str = "
        within: mean(host.cpu) <= 70%
        explained: mean(host.cpu) <= 60%
        beyond: mean(host.cpu) <= 10%
        kept: p95(x.response) < 1s
        broken: p95(x.response) < 1ms
    ";
    let mut run = Run::of(&format!("{}{settings}", study_of(CLOSED, RULES)));
    let (hold, from) = (run.step("hold"), run.span("hold").from.second());
    run.add(&evenly(hold, from, 30, 100, |_, call| call));
    run.threads(&[(0.1, 0.0)]);
    let mut process = run.evidence.head.monitors[0].clone();
    process.name = "process".into();
    process.metrics[usize::from(CPU)].unit = "cores".into();
    run.evidence.head.monitors.push(process);
    run.evidence.head.facts.push(("host".into(), "cores".into(), "2".into()));
    for second in 0..30 {
        let at = (from + second) as f64 + 0.5;
        // A little up and down, so that the mean has an interval.
        let value = busy + if second % 2 == 0 { 0.001 } else { -0.001 };
        run.sample(at, CPU, "host", Some(value));
        let at = Nanos::from_secs_f64(at);
        run.samples.push(SampleRow { at, monitor: 1, instance: "shop".into(), metric: CPU, value: Some(0.2) });
    }
    run
}

/// What other programs use makes a machine busier and calls slower, in closed loads too.
#[test]
fn other_programs_on_the_processors_are_a_check_of_their_own() {
    use WireValidity::{Invalid, Questionable, Valid};
    for (busy, used, expected) in
        [(0.345, 0.195, Valid), (0.36, 0.21, Questionable), (0.64, 0.49, Questionable), (0.66, 0.51, Invalid)]
    {
        let sign = beside_others(busy, "").sign("foreign").unwrap();
        let Some(Arg::Share(value)) = sign.value else { panic!("{sign:?}") };
        assert!((value - used).abs() < 1e-9, "{value} of {busy}");
        assert_eq!(sign.state, expected, "{busy}");
    }
    let run = beside_others(0.66, "");
    let verdicts = ["within", "explained", "beyond", "kept", "broken"].map(|id| verdict(&run, id));
    assert_eq!(verdicts, ["met", "cannot_tell", "not_met", "met", "cannot_tell"]);
    let beyond = run.result("beyond").disturbed;
    assert!(matches!(beyond[0].at_most, Some(Arg::Share(used)) if (used - 0.51).abs() < 1e-9), "{beyond:?}");
}

/// Load nodes of other machines use the processors of those, and a group that holds the generator has its time already.
#[test]
fn other_programs_are_those_of_this_machine() {
    let foreign = |run: &Run| {
        let Some(Arg::Share(value)) = run.sign("foreign").unwrap().value else { panic!("it has a value") };
        (value * 1e6).round() / 1e6
    };
    // A generator here that uses 0.1 cores, and one elsewhere that uses 1.5.
    let mut run = beside_others(0.66, "");
    let mut generator = run.evidence.head.monitors[1].clone();
    generator.name = "generator".into();
    run.evidence.head.monitors.push(generator);
    let from = run.span("hold").from.second();
    for (name, is_here, cores) in [("node-1", true, 0.1), ("node-2", false, 1.5)] {
        let node = NodeHead { name: name.into(), is_here, threads: 1, ..NodeHead::default() };
        run.evidence.head.nodes.push(node);
        let row = |second| SampleRow {
            at: Nanos::from_secs_f64((from + second) as f64 + 0.5),
            monitor: 2,
            instance: name.into(),
            metric: CPU,
            value: Some(cores),
        };
        run.samples.extend((0..30).map(row));
    }
    run.evidence.head.meeting = Some(MeetingHead::default());
    assert_eq!(foreign(&run), 0.51, "0.66 less the 0.2 and 0.1 cores of two");
    run.evidence.head.facts.push((
        "shop".into(),
        "also in the group".into(),
        "loadproof itself, whose load is part of the figures".into(),
    ));
    assert_eq!(foreign(&run), 0.56, "what was seen of the group is of both");
    // Nodes that were started here have nobody to meet.
    run.evidence.head.facts.pop();
    run.evidence.head.meeting = None;
    assert_eq!(foreign(&run), 0.0);
}

#[test]
fn a_study_sets_its_own_limits() {
    let of = |limits: &str| {
        let run = beside_others(0.66, &format!("validity: {{ foreign: {{ {limits}, because: a shared machine }} }}\n"));
        let settings = run.judge().settings;
        let setting = |name: &str| settings.iter().find(|(known, _)| known == name).unwrap().1.clone();
        let (questionable, invalid) = (setting("foreign_questionable"), setting("foreign_invalid"));
        (run.sign("foreign").unwrap().state, questionable, invalid)
    };
    let share = Arg::Share;
    assert_eq!(of("questionable: 60%, invalid: 90%"), (WireValidity::Valid, share(0.6), share(0.9)));
    assert_eq!(of("invalid: 52%"), (WireValidity::Questionable, share(0.2), share(0.52)));
    // One that lies beyond the usual place of the other takes it along.
    assert_eq!(of("questionable: 60%"), (WireValidity::Valid, share(0.6), share(0.6)));
    assert_eq!(of("invalid: 10%"), (WireValidity::Invalid, share(0.1), share(0.1)));
}

/// A random number in 0..1 from a counter: the same in every run.
fn unit(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Intended start and response, seconds.
type Quiet = (f64, f64);
/// Intended start, lateness and service, seconds.
type Disturbed = (f64, f64, f64);

/// One load on a server of one queue, as it is without a disturbance and as a generator that is stopped now and then
/// measures it.
fn stopped(seed: u64, utilisation: f64, longest_stop_s: f64) -> (Vec<Quiet>, Vec<Disturbed>) {
    const RATE: f64 = 100.0;
    let mut state = seed;
    let mut exponential = |mean: f64| -mean * (1.0 - unit(&mut state)).ln();
    let mut stops: Vec<(f64, f64)> = Vec::new();
    let mut at = 0.0;
    while at < 40.0 {
        at += exponential(3.0);
        let end = at + exponential(longest_stop_s / 4.0).min(longest_stop_s);
        stops.push((at, end));
        at = end;
    }
    // What falls into a stop happens at its end.
    let delayed = |at: f64| stops.iter().find(|(from, to)| (*from..*to).contains(&at)).map_or(at, |(_, to)| *to);
    let (mut quiet, mut disturbed) = (Vec::new(), Vec::new());
    let (mut intended, mut free, mut free_disturbed) = (0.0, 0.0f64, 0.0f64);
    loop {
        intended += exponential(1.0 / RATE);
        if intended >= 30.0 {
            return (quiet, disturbed);
        }
        let service = exponential(utilisation / RATE);
        free = free.max(intended) + service;
        quiet.push((intended, free - intended));
        let start = delayed(intended);
        free_disturbed = free_disturbed.max(start) + service;
        disturbed.push((intended, start - intended, delayed(free_disturbed) - start));
    }
}

/// Where a verdict stands beside a generator that was stopped, the run without the stops has the same: in every one of
/// many runs, for limits from far below to far above.
#[test]
fn verdicts_that_stand_are_those_of_the_undisturbed_run() {
    let limits = [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 1280.0];
    let rules: Vec<String> =
        limits.iter().flat_map(|ms| [50, 95].map(|p| format!("p{p}_{ms}: p{p}(x.response) <= {ms}ms"))).collect();
    let text = study_of(OPEN, &rules.join("\n"));
    let (mut met, mut not_met, mut open, mut invalid) = (0, 0, 0, 0);
    for seed in 0..24 {
        let (quiet, disturbed) = stopped(seed, [0.3, 0.6, 0.9][seed as usize % 3], [0.05, 0.4][seed as usize % 2]);
        let mut run = Run::of(&text);
        let hold = run.step("hold");
        let from = run.span("hold").from.second() as f64;
        let of =
            |&(at, late, service): &(f64, f64, f64)| call(hold, from + at, (late + service) * 1e3).late(late * 1e3);
        run.add(&disturbed.iter().map(of).collect::<Vec<_>>());
        let judgement = run.judge();
        invalid += u32::from(judgement.validity == terms::Validity::Invalid);
        let mut true_ms: Vec<f64> = quiet.iter().map(|(_, response)| response * 1e3).collect();
        true_ms.sort_by(f64::total_cmp);
        for result in &judgement.requirements {
            let (p, limit) = result.id[1..].split_once('_').unwrap();
            let (p, limit): (f64, f64) = (p.parse().unwrap(), limit.parse().unwrap());
            let truth = true_ms[(p / 100.0 * true_ms.len() as f64).ceil() as usize - 1];
            match result.verdict {
                Verdict::Met => met += u32::from(truth <= limit),
                Verdict::NotMet => not_met += u32::from(truth > limit),
                Verdict::CannotTell => open += 1,
            }
            let is_right = match result.verdict {
                Verdict::Met => truth <= limit,
                Verdict::NotMet => truth > limit,
                Verdict::CannotTell => true,
            };
            assert!(
                is_right,
                "seed {seed}: {} is {} and {truth} ms without the stops",
                result.id,
                result.verdict.name()
            );
        }
    }
    // It decides where the data decide, in most places; were all withdrawn, nothing could be wrong.
    assert!(invalid >= 12, "{invalid} of 24 runs were disturbed that much");
    assert!(met > 100 && not_met > 20 && open < 300, "{met} met, {not_met} not met, {open} open");
}
