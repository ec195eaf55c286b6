//! Abort rules while the run goes on.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{CPU, Call, EVENTS, MEMORY, Run, call, evenly, fold, study_with};
use judge::live::{AbortRules, Backlogs, Begins, Rest};
use record::{SampleRow, StepMark};
use study::Wait;
use terms::{Nanos, Outcome};

const TWO: &str = "x: { simulated.call: { service: 10ms } }\ny: { simulated.call: { service: 10ms } }";

/// The moment, in whole seconds, at which a rule first holds, and its value. `calls` come second by second of their end.
fn aborts(rule: &str, calls: impl Fn(u32) -> Vec<Call>) -> Option<(i64, f64)> {
    let text = study_with("x, y", "{ arrivals: 100/s, hold: 60s }", TWO, "ok: count(x) >= 0")
        .replace("    run: [x, y]\n", &format!("    run: [x, y]\n    abort: [ {rule} ]\n"));
    let run = Run::of(&text);
    let head = run.evidence.head.clone();
    let mut rules = AbortRules::new(head.clone(), 0, run.study.scenarios[0].abort.clone());
    assert!(!rules.is_empty());
    let calls = calls(run.step("hold"));
    let end = |call: &Call| (Nanos::from_secs_f64(call.at) + call.took).second();
    for second in 0..60 {
        let now = Nanos::from_secs(second + 1);
        let ended: Vec<Call> = calls.iter().filter(|call| end(call) == second).copied().collect();
        rules.add(&fold(&head, &ended), now);
        let memory = SampleRow {
            at: Nanos::from_secs(second),
            monitor: 0,
            instance: "shop".into(),
            metric: MEMORY,
            value: Some(if second < 30 { 1e6 } else { 9e9 }),
        };
        rules.add_samples(&[memory], now);
        if let Some(held) = rules.check(now, &Begins::default()) {
            assert_eq!(held.rule, rule);
            return Some((second + 1, held.value));
        }
    }
    None
}

fn failing(from: u64) -> impl Fn(u32) -> Vec<Call> {
    move |hold| evenly(hold, 0, 60, 100, |k, call| if k >= from * 100 { call.ended(Outcome::Status) } else { call })
}

#[test]
fn a_share_must_hold_over_its_whole_window() {
    // Everything fails from second 10 on: half of five seconds have failed after more than 2.5 of them.
    let (second, share) = aborts("share(x.failed) > 50% for 5s", failing(10)).unwrap();
    assert_eq!(second, 13);
    assert!((share - 0.6).abs() < 0.01, "{share}");
    assert_eq!(aborts("share(x.failed) > 50% for 5s", failing(100)), None);
    // From the beginning on: not before the window lies within the load.
    assert_eq!(aborts("share(x.failed) > 50% for 5s", failing(0)).unwrap().0, 6);
}

/// Fails `failed` of each hundred calls, evenly mixed.
fn failing_of_a_hundred(failed: u64) -> impl Fn(u32) -> Vec<Call> {
    move |hold| {
        let is_failed = move |k: u64| (k * 37) % 100 < failed;
        evenly(hold, 0, 60, 100, |k, call| if is_failed(k) { call.ended(Outcome::Status) } else { call })
    }
}

#[test]
fn a_share_that_chance_explains_stops_nothing() {
    // 105 of 500 are more than 20 %, and come about in every third look at a share of 20 %; 180 of 500 do not.
    assert_eq!(aborts("share(x.failed) > 20% for 5s", failing_of_a_hundred(21)), None);
    assert_eq!(aborts("share(x.failed) > 20% for 5s", failing_of_a_hundred(36)).unwrap().0, 6);
    // Beside 0 % and 100 % it is a matter of counting.
    assert_eq!(aborts("share(x.failed) > 0% for 5s", failing_of_a_hundred(1)).unwrap().0, 6);
    assert_eq!(aborts("share(x.ok) < 100% for 5s", failing_of_a_hundred(1)).unwrap().0, 6);
}

#[test]
fn a_percentile_is_a_statement_about_a_share() {
    let slow = |slow: u64| {
        move |hold| {
            let took = move |k: u64| Nanos::from_millis(if (k * 37) % 100 < slow { 400 } else { 10 });
            evenly(hold, 0, 60, 100, |k, call| Call { took: took(k), ..call })
        }
    };
    // Slower than 300 ms are 6 and 12 of a hundred, where a 95th percentile of 300 ms allows 5.
    assert_eq!(aborts("p95(x.response) > 300ms for 5s", slow(6)), None);
    assert!(aborts("p95(x.response) > 300ms for 5s", slow(12)).is_some_and(|(second, _)| second <= 7));
}

#[test]
fn few_calls_in_a_window_answer_together() {
    let one_a_second = |hold| evenly(hold, 0, 60, 1, |_, call| call.ended(Outcome::Status));
    // A window holds two calls, and 0.5^2 tells nothing; 32 seconds together do: 0.5^32 = 2.3e-10.
    let (second, share) = aborts("share(x.failed) > 50% for 2s", one_a_second).unwrap();
    assert_eq!(share, 1.0);
    assert!((24..=34).contains(&second), "{second}");
}

#[test]
fn a_rate_is_of_the_seconds_that_were_counted() {
    // Two seconds of 100 calls over a window of one and a half would be 133/s.
    assert_eq!(aborts("rate(x.ok) > 120/s for 1500ms", failing(100)), None);
    assert_eq!(aborts("rate(x.ok) < 80/s for 1500ms", failing(100)), None);
}

#[test]
fn what_takes_long_to_fail_is_seen_when_it_fails() {
    let slow = |hold| -> Vec<Call> {
        let first = call(hold, 0.0, 1.0);
        let late =
            evenly(hold, 0, 25, 100, |_, call| Call { took: Nanos::from_secs(30), ..call.ended(Outcome::Timeout) });
        late.into_iter().chain([first]).collect()
    };
    // The first time-outs come in second 30; only those that end in the window are its denominator.
    // A hundred of a hundred have a chance of 0.9^100 = 2.7e-5 at 90 %, more than a look may be wrong by; two hundred do.
    let (second, share) = aborts("share(x.timeout) > 90% for 3s", slow).unwrap();
    assert_eq!((second, share), (32, 1.0));
}

#[test]
fn each_exchange_has_its_own_denominator() {
    // `y` is carried out by one iteration in ten here, and always fails: all of `y`, not a tenth.
    let mixed = |hold| -> Vec<Call> {
        let y = evenly(hold, 0, 60, 10, |_, call| call.of(1).later().ended(Outcome::Status));
        evenly(hold, 0, 60, 100, |_, call| call).into_iter().chain(y).collect()
    };
    assert_eq!(aborts("share(y.failed) > 50% for 3s", mixed).unwrap().1, 1.0);
    assert_eq!(aborts("share(x.failed) > 1% for 3s", mixed), None);
}

#[test]
fn times_rates_and_metrics_are_watched_too() {
    let steady = |hold| {
        evenly(hold, 0, 60, 100, |k, call| Call { took: Nanos::from_millis(if k < 2000 { 10 } else { 400 }), ..call })
    };
    assert_eq!(aborts("p95(x.response) > 100ms for 4s", steady).unwrap().0, 21);
    assert_eq!(aborts("share(x.response < 100ms) < 50% for 4s", steady).unwrap().0, 23);
    assert_eq!(aborts("max(host.memory) > 1GB for 2s", steady).unwrap().0, 31);
    assert_eq!(aborts("rate(x.ok) < 50/s for 5s", steady), None);
    // Nothing more is sent after second 20.
    let ends = |hold| -> Vec<Call> { (0..2000).map(|k| call(hold, f64::from(k) / 100.0, 1.0)).collect() };
    assert_eq!(aborts("rate(x.ok) < 50/s for 4s", ends).unwrap().0, 23);
}

/// When a rule on a requirement first holds: the machine is at 50 % in a ramp of 30 s, then as `cpu` says by second.
fn stopped(requirement: &str, rule: &str, cpu: impl Fn(i64) -> f64) -> Option<(i64, f64, Option<String>)> {
    let text = study_with("x, y", "{ arrivals: 100/s, ramp: { over: 30s }, hold: 270s }", TWO, requirement)
        .replace("    run: [x, y]\n", &format!("    run: [x, y]\n    abort: [ {rule} ]\n"));
    let run = Run::of(&text);
    let head = run.evidence.head.clone();
    let mut rules = AbortRules::new(head.clone(), 0, run.study.scenarios[0].abort.clone());
    let (ramp, hold) = (run.step("ramp"), run.step("hold"));
    for second in 0..300 {
        let step = if second < 30 { ramp } else { hold };
        let calls = evenly(step, second, 1, 100, |_, call| call);
        let now = Nanos::from_secs(second + 1);
        rules.add(&fold(&head, &calls), now);
        let value = Some(cpu(second));
        let at = Nanos::from_secs(second);
        rules.add_samples(
            &[SampleRow { at, monitor: 0, instance: "host".into(), metric: crate::common::CPU, value }],
            now,
        );
        if let Some(held) = rules.check(now, &Begins::default()) {
            return Some((second + 1, held.value, held.because));
        }
    }
    None
}

#[test]
fn a_requirement_that_is_broken_over_its_window_stops_the_run() {
    let cpu = "cpu: mean(host.cpu) <= 65%";
    // The ramp is not part of what the requirement is about: two minutes of the hold are seen at 150 s.
    let held = stopped(cpu, "broken(cpu) for 2m", |_| 0.9).unwrap();
    assert_eq!((held.0, held.2.as_deref()), (150, Some("mean(host.cpu) <= 65%")));
    assert!((held.1 - 0.9).abs() < 1e-9);
    // From second 100 on at 90 %: the mean of two minutes is above 65 % when 45 seconds of them are.
    let late = stopped(cpu, "broken(cpu) for 2m", |second| if second < 100 { 0.5 } else { 0.9 }).unwrap();
    assert_eq!(late.0, 150);
    assert_eq!(stopped(cpu, "broken(cpu) for 2m", |_| 0.6), None);
    // Met is what is not broken; nothing seen is neither.
    assert_eq!(stopped(cpu, "met(cpu) for 1m", |_| 0.6).unwrap().0, 90);
    assert_eq!(stopped("cpu: mean(host.memory) <= 1GB", "broken(cpu) for 1m", |_| 0.6), None);
}

/// A row of a second: instance, metric, value.
type Seen = (&'static str, u16, Option<f64>);

/// When a rule on the rate of counted events first holds in a scenario of a minute, with the value. The scenario begins at
/// second `from` of the run, whose rows are seen from the first on.
fn counted(rule: &str, from: i64, rows: impl Fn(i64) -> Vec<Seen>) -> Option<(i64, f64)> {
    let text = study_with("x", "{ arrivals: 100/s, hold: 60s }", "x: { simulated.call: {} }", "fast: count(x) >= 0")
        .replace("    run: [x]\n", &format!("    run: [x]\n    abort: [ {rule} ]\n"));
    let run = Run::of(&text);
    let head = run.evidence.head.clone();
    let aborts = run.study.scenarios[0].abort.clone();
    let (mut begins, mut rules) = (Begins::new(&head, aborts.clone()), AbortRules::new(head.clone(), 0, aborts));
    let hold = run.step("hold");
    for second in 0..from + 60 {
        let now = Nanos::from_secs(second + 1);
        let row = |(instance, metric, value): Seen| SampleRow {
            at: Nanos::from_secs(second),
            monitor: 0,
            instance: instance.into(),
            metric,
            value,
        };
        let rows: Vec<SampleRow> = rows(second).into_iter().map(row).collect();
        begins.add_samples(&rows);
        if second < from {
            continue;
        }
        rules.add(&fold(&head, &evenly(hold, second, 1, 100, |_, call| call)), now);
        rules.add_samples(&rows, now);
        if let Some(held) = rules.check(now, &begins) {
            return Some((second + 1, held.value));
        }
    }
    None
}

/// A kind of failure has no row before it happens: all that its first row counts happened since the look before.
#[test]
fn a_series_that_comes_up_counts_from_zero() {
    let rule = "rate(host.events) > 50/s for 5s";
    let failures = |second: i64, value| [("failures", EVENTS, Some(value))].into_iter().filter(move |_| second >= 20);
    for beside in [EVENTS, CPU] {
        let seen = counted(rule, 0, |second| {
            [("calm", beside, Some(7.0))].into_iter().chain(failures(second, 1000.0)).collect()
        });
        // Five looks are four seconds apart, whichever metric the other row is of.
        assert_eq!(seen, Some((21, 250.0)));
    }
    // What was counted when the monitor first looked was there before, and so may be what nobody could see.
    assert_eq!(counted(rule, 0, |_| vec![("failures", EVENTS, Some(1000.0))]), None);
    let gap = |second: i64| ("failures", EVENTS, (second >= 20).then_some(1000.0));
    assert_eq!(counted(rule, 0, |second| vec![("calm", EVENTS, Some(7.0)), gap(second)]), None);
}

/// As in the recorded run: six failures within half a minute are not six a second, though they came in one.
#[test]
fn a_rate_is_that_of_its_window_where_a_series_comes_up_within_it() {
    let seen = |second: i64| {
        let failures = [("failures", EVENTS, Some(6.0))].into_iter().filter(move |_| second >= 20);
        [("calm", CPU, Some(0.1))].into_iter().chain(failures).collect()
    };
    assert_eq!(counted("rate(host.events) > 5/s for 30s", 0, seen), None);
    let (at, rate) = counted("rate(host.events) > 0.05/s for 30s", 0, seen).unwrap();
    assert_eq!((at, rate), (31, 6.0 / 29.0));
}

/// A query that is put off has its first row late: what an earlier scenario left behind was not counted in this one.
#[test]
fn what_was_counted_before_a_scenario_is_not_counted_in_it() {
    let rule = "rate(host.events) > 50/s for 5s";
    let seen = |from: i64| {
        counted(rule, 100, move |second| {
            let rejected = [("rejected", EVENTS, Some(5000.0))].into_iter();
            let calm = [("calm", CPU, Some(0.1))].into_iter();
            calm.chain(rejected.filter(|_| second == from || second >= 120)).collect()
        })
    };
    assert_eq!(seen(50), None, "there since second 50");
    assert_eq!(seen(120).unwrap().0, 121, "new in the scenario");
}

#[test]
fn a_state_looks_as_far_back_as_it_must() {
    let rule = "steady: steady(host.cpu)";
    let noise = |second: i64| ((second * 7919) % 13) as f64 / 1000.0;
    let rising = stopped(rule, "broken(steady) for 2m", |second| 0.2 + 0.002 * second as f64 + noise(second));
    assert!(rising.unwrap().0 >= 150);
    assert_eq!(stopped(rule, "broken(steady) for 2m", |second| 0.5 + noise(second)), None);
    let met = stopped("fast: share(x.failed) < 1%", "steady(host.cpu) for 2m", |second| 0.5 + noise(second));
    assert!(met.unwrap().0 >= 120);
}

#[test]
fn an_instance_that_is_gone_is_not_alive() {
    let text = study_with("x", "{ arrivals: 100/s, hold: 60s }", "x: { simulated.call: {} }", "up: alive(shop)")
        .replace("    run: [x]\n", "    run: [x]\n    abort: [ broken(up) for 1s ]\n");
    let run = Run::of(&text);
    let head = run.evidence.head.clone();
    let mut rules = AbortRules::new(head.clone(), 0, run.study.scenarios[0].abort.clone());
    let hold = run.step("hold");
    let second = |rules: &mut AbortRules, at: i64| {
        rules.add(&fold(&head, &evenly(hold, at, 1, 100, |_, call| call)), Nanos::from_secs(at + 1));
        rules.check(Nanos::from_secs(at + 1), &Begins::default())
    };
    assert!((0..10).all(|at| second(&mut rules, at).is_none()));
    let at = Nanos::from_secs(10);
    rules.add_event(&record::EventRow { at, kind: "gone".into(), subject: "shop".into(), text: String::new() });
    assert_eq!(second(&mut rules, 10).unwrap().because.as_deref(), Some("alive(shop)"));
}

/// A scenario with an idle phase of ten seconds, whose waits are all for a rule.
fn waiting(rule: &str) -> Run {
    let until = format!("{{ until: \"{rule}\", at_most: 5m }}");
    let text = study_with("x", "{ arrivals: 100/s, hold: 60s }", "x: { simulated.call: {} }", "ok: count(x) >= 0");
    Run::of(&text.replace("    run: [x]\n", &format!("    run: [x]\n    idle: {until}\n    gap: {until}\n")))
}

fn rest_of(run: &Run, wait: Wait) -> Rest {
    Rest::new(&run.evidence.head, (0, 1), (wait, run.study.scenarios[0].until[&wait].clone()))
}

fn row(second: i64, metric: u16, value: f64) -> SampleRow {
    SampleRow { at: Nanos::from_secs(second), monitor: 0, instance: "shop".into(), metric, value: Some(value) }
}

fn mark(run: &Run, phase: &str, second: i64, is_end: bool) -> StepMark {
    StepMark { step: run.step(phase), at: Nanos::from_secs(second), is_end }
}

/// Processor and memory: in the idle phase, then second by second after the load. When the rule first holds, in seconds
/// after the load.
fn rests(rule: &str, idle: [f64; 2], after: &[[f64; 2]]) -> Option<usize> {
    let run = waiting(rule);
    let mut rest = rest_of(&run, Wait::Gap);
    let holds = |rest: &Rest| rest.held_since(Nanos::ZERO, &Backlogs::default()).is_some();
    // The marks of an idle phase that a rule ends come when it is over, with all that it is.
    for second in 0..20 {
        let [cpu, memory] = if second < 10 { [0.7, 9e9] } else { idle };
        rest.add_samples(&[row(second, CPU, cpu), row(second, MEMORY, memory)]);
        assert!(!holds(&rest), "the load is still to come");
    }
    rest.mark(&mark(&run, "idle", 10, false));
    rest.mark(&mark(&run, "idle", 20, true));
    rest.mark(&mark(&run, "hold", 20, false));
    // Under load it is as at rest, which tells nothing of afterwards.
    for second in 20..80 {
        rest.add_samples(&[row(second, CPU, idle[0]), row(second, MEMORY, idle[1])]);
    }
    rest.mark(&mark(&run, "hold", 80, true));
    rest.mark(&mark(&run, "drain", 80, false));
    for (second, [cpu, memory]) in after.iter().enumerate() {
        rest.add_samples(&[row(80 + second as i64, CPU, *cpu), row(80 + second as i64, MEMORY, *memory)]);
        if holds(&rest) {
            return Some(second);
        }
    }
    None
}

/// Second by second before a load: when the rule first holds of an idle phase, and since when, both in seconds.
fn quiet(rule: &str, seen: &[[f64; 2]]) -> Option<(usize, i64)> {
    let run = waiting(rule);
    let mut rest = rest_of(&run, Wait::Idle);
    for (second, [cpu, memory]) in seen.iter().enumerate() {
        rest.add_samples(&[row(second as i64, CPU, *cpu), row(second as i64, MEMORY, *memory)]);
        if let Some(since) = rest.held_since(Nanos::ZERO, &Backlogs::default()) {
            return Some((second, since.second()));
        }
    }
    None
}

#[test]
fn an_idle_phase_is_over_when_it_was_quiet_for_ten_seconds() {
    // Nine seconds of start-up at 80 %, then 10 %: from second 9 to 19 all samples are within five points of their mean.
    let starting = |second: usize| if second < 9 { 0.8 } else { 0.1 + 0.01 * (second % 3) as f64 };
    let seen: Vec<[f64; 2]> = (0..40).map(|second| [starting(second), 0.0]).collect();
    assert_eq!(quiet("settled(host.cpu)", &seen), Some((19, 9)));
    assert_eq!(quiet("settled(host.cpu)", &seen[..19]), None);
    // With a band of a point the spread of two points is too much, and one of 80 points is quiet at once.
    assert_eq!(quiet("settled(host.cpu, band: 0.9%)", &seen), None);
    assert_eq!(quiet("settled(host.cpu, band: 80%)", &seen), Some((10, 0)));
    // Before a load drained is nothing at all, throughout.
    let queue: Vec<[f64; 2]> = (0..40).map(|second| [0.1, if second == 12 { 5.0 } else { 0.0 }]).collect();
    assert_eq!(quiet("drained(host.memory)", &queue), Some((10, 0)));
    assert_eq!(quiet("drained(host.memory)", &queue[3..]), Some((20, 10)));
    assert_eq!(quiet("settled(host.cpu) and drained(host.memory)", &seen), Some((19, 9)));
}

#[test]
fn what_is_sampled_seldom_needs_five_samples_to_be_quiet() {
    let run = waiting("settled(host.cpu)");
    let mut rest = rest_of(&run, Wait::Idle);
    for second in [0, 5, 10, 15] {
        rest.add_samples(&[row(second, CPU, 0.1)]);
        assert_eq!(rest.held_since(Nanos::ZERO, &Backlogs::default()), None, "{second}");
    }
    rest.add_samples(&[row(20, CPU, 0.1)]);
    assert_eq!(rest.held_since(Nanos::ZERO, &Backlogs::default()), Some(Nanos::ZERO));
    // What came before the wait is not of it.
    assert_eq!(rest.held_since(Nanos::from_secs(1), &Backlogs::default()), None);
}

#[test]
fn a_drain_looks_at_what_was_seen_once_all_had_ended() {
    let run = waiting("drained(host.memory)");
    let mut rest = rest_of(&run, Wait::Gap);
    rest.mark(&mark(&run, "drain", 80, false));
    rest.add_samples(&[row(81, MEMORY, 0.0)]);
    assert_eq!(rest.held_since(Nanos::ZERO, &Backlogs::default()), Some(Nanos::from_secs(81)));
    assert_eq!(rest.held_since(Nanos::from_secs(82), &Backlogs::default()), None);
    rest.add_samples(&[row(82, MEMORY, 3.0), row(83, MEMORY, 0.0)]);
    assert_eq!(rest.held_since(Nanos::from_secs(82), &Backlogs::default()), Some(Nanos::from_secs(83)));
}

/// A broker that was down for twenty seconds after the load has been asked again since: what it was asked before, and what it
/// did not answer, say nothing of now.
#[test]
fn samples_that_are_missing_before_the_last_ones_hold_up_no_drain() {
    let run = waiting("drained(host.memory)");
    let missing = |second: i64| SampleRow { value: None, ..row(second, MEMORY, 0.0) };
    let mut rest = rest_of(&run, Wait::Gap);
    rest.mark(&mark(&run, "drain", 80, false));
    let mut since = |rows: &[SampleRow]| {
        rest.add_samples(rows);
        rest.held_since(Nanos::ZERO, &Backlogs::default())
    };
    assert_eq!(since(&[row(81, MEMORY, 3.0)]), None);
    let down: Vec<SampleRow> = (82..102).map(missing).collect();
    assert_eq!(since(&down), None);
    assert_eq!(since(&[row(102, MEMORY, 5.0)]), None);
    assert_eq!(since(&[row(103, MEMORY, 0.0)]), Some(Nanos::from_secs(103)));
    assert_eq!(since(&[missing(104)]), None, "nobody knows how it is now");
}

#[test]
fn a_gap_is_over_when_three_samples_are_near_the_idle_level() {
    let cooling = [0.9, 0.4, 0.11, 0.5, 0.14, 0.12, 0.1, 0.1].map(|cpu| [cpu, 0.0]);
    // Idle is 10 %, and five points to each side are near it: seconds 4 to 6 are the first three in a row.
    assert_eq!(rests("settled(host.cpu)", [0.1, 0.0], &cooling), Some(6));
    assert_eq!(rests("settled(host.cpu, band: 45%)", [0.1, 0.0], &cooling), Some(3));
    assert_eq!(rests("settled(host.cpu)", [0.1, 0.0], &cooling[..6]), None);
    // Lower than idle is not at rest either.
    assert_eq!(rests("settled(host.cpu)", [0.5, 0.0], &[[0.1, 0.0]; 20]), None);
}

#[test]
fn a_gap_waits_for_all_of_its_states() {
    let both = [[0.1, 5e6], [0.1, 4e6], [0.1, 1e6], [0.1, 2e6]];
    // Nothing, or what was there in the idle phase, is drained.
    assert_eq!(rests("drained(host.memory)", [0.1, 1e6], &both), Some(2));
    assert_eq!(rests("drained(host.memory)", [0.1, 0.0], &both), None);
    assert_eq!(rests("settled(host.cpu) and drained(host.memory)", [0.1, 1e6], &both), Some(2));
    assert_eq!(rests("settled(host.cpu) and drained(host.memory)", [0.9, 1e6], &both), None);
}
