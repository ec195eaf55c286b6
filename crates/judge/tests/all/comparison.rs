//! Runs compared with each other: equal ones, slower ones, and those that must not be.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, Run, call, evenly, study_of, study_with};
use judge::comparison::{Comparison, Recorded, Row, RowVerdict, compare_runs, history};
use terms::{Nanos, Outcome};

const BAND: f64 = 0.05;
const LOAD: &str = "{ arrivals: 20/s, hold: 120s }";

/// Steele, Lea & Flood's SplitMix64 as fractions: a fixed sequence for each seed.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A run whose calls take 20 ms and a tail, times `factor`; a level of its own for each second.
fn run_of(text: &str, seed: u64, factor: f64) -> Run {
    let mut run = Run::of(text);
    let (hold, mut random) = (run.step("hold"), Random(seed));
    let span = run.span("hold").clone();
    let seconds = span.to.second() - span.from.second();
    let per_second = 20;
    let mut calls = Vec::new();
    for second in 0..seconds {
        let level = 0.97 + 0.06 * random.uniform();
        for call_of in 0..per_second {
            let at = (span.from.second() + second) as f64 + f64::from(call_of) / f64::from(per_second) + 1e-6;
            let took = factor * level * (20.0 - 2.0 * (1.0 - random.uniform()).ln());
            calls.push(call(hold, at, took));
        }
    }
    run.add(&calls);
    run.evidence.head.id = format!("run-{seed}");
    run
}

fn pair(base: &Run, other: &Run) -> Comparison {
    let evidence = [base.evidence(), other.evidence()];
    let base = Recorded { evidence: &evidence[0], study: &base.study.effective };
    let other = Recorded { evidence: &evidence[1], study: &other.study.effective };
    compare_runs(&[base], &[vec![other]], BAND)
}

fn rows(comparison: &Comparison) -> &[Row] {
    check(comparison);
    &comparison.pairs[0].rows
}

fn row<'a>(comparison: &'a Comparison, id: &str) -> &'a Row {
    let found = rows(comparison).iter().find(|row| row.id == id);
    found.unwrap_or_else(|| {
        panic!("{id} of {:?}", comparison.pairs[0].rows.iter().map(|row| &row.id).collect::<Vec<_>>())
    })
}

/// Every reason is a code of the catalogue with exactly its arguments, and numbers stand in order.
fn check(comparison: &Comparison) {
    for row in comparison.pairs.iter().flat_map(|pair| &pair.rows) {
        let listed = judge::catalogue::REASONS.iter().find(|(code, _)| *code == row.reason.code);
        let args: Vec<&str> = row.reason.args.keys().map(String::as_str).collect();
        assert_eq!(listed.map(|(_, args)| args.to_vec()), Some(args), "{row:#?}");
        if let (Some(low), Some(value), Some(high)) = (row.low, row.value, row.high) {
            assert!(low <= value && value <= high, "{row:#?}");
        }
        if let Some(change) = row.change {
            assert!(change.low <= change.value && change.value <= change.high, "{row:#?}");
        }
    }
}

#[test]
fn fifty_equal_pairs_are_never_called_different() {
    let text = study_of(LOAD, "");
    let mut equivalent = 0;
    for seed in 0..50 {
        let comparison = pair(&run_of(&text, 2 * seed, 1.0), &run_of(&text, 2 * seed + 1, 1.0));
        for row in rows(&comparison) {
            assert_ne!(row.verdict, RowVerdict::Different, "seed {seed}: {row:#?}");
            assert_ne!(row.verdict, RowVerdict::NotComparable, "seed {seed}: {row:#?}");
            equivalent += u32::from(row.verdict == RowVerdict::Equivalent);
        }
        assert!(comparison.pairs[0].differences.is_empty(), "{:#?}", comparison.pairs[0].differences);
    }
    // Mean, p50, p95, p99, failed and throughput, fifty times; far percentiles are the ones that cannot always tell.
    assert!(equivalent >= 200, "{equivalent}");
}

#[test]
fn seven_percent_is_found() {
    let text = study_of(LOAD, "");
    for seed in 0..10 {
        let comparison = pair(&run_of(&text, seed, 1.0), &run_of(&text, 100 + seed, 1.07));
        let mean = row(&comparison, "s/hold/x/answer/mean");
        assert_eq!(mean.verdict, RowVerdict::Different, "{mean:#?}");
        assert!((mean.value.unwrap() - 1.07).abs() < 0.02 && mean.low.unwrap() > 1.05);
        assert_eq!((mean.base_replicates, mean.other_replicates), (1, 1));
        assert_eq!(mean.method.as_deref(), Some("stationary block bootstrap"));
        let median = row(&comparison, "s/hold/x/answer/p50");
        assert!((median.value.unwrap() - 1.07).abs() < 0.02 && median.verdict != RowVerdict::Equivalent);
        let failed = row(&comparison, "s/hold/x/answer/failed");
        assert_eq!((failed.verdict, failed.is_difference), (RowVerdict::CannotTell, true), "2400 calls: {failed:#?}");
    }
}

#[test]
fn another_load_is_not_compared_and_is_listed() {
    let mut base = run_of(&study_of(LOAD, ""), 1, 1.0);
    let mut other = run_of(&study_of("{ arrivals: 21/s, hold: 120s }", ""), 2, 1.0);
    for (run, rate) in [(&mut base, 20.0), (&mut other, 21.0)] {
        let hold = run.step("hold") as usize;
        let step = &mut run.evidence.head.steps[hold];
        (step.offered_from, step.offered_to) = (Some(rate), Some(rate));
    }
    let comparison = pair(&base, &other);
    for row in rows(&comparison) {
        assert_eq!((row.verdict, row.reason.code.as_str()), (RowVerdict::NotComparable, "compared_differs"));
    }
    let difference = &comparison.pairs[0].differences[0];
    assert!(difference.forbids && difference.aspect == "load" && difference.name == "full load", "{difference:?}");
    assert_eq!((difference.base.as_str(), difference.other.as_str()), ("20/s", "21/s"));
}

/// S5.E6: a mix that differs is not a comparison; it is listed.
#[test]
fn another_mix_of_exchanges_is_not_compared() {
    let exchanges = "x: { simulated.call: { service: 10ms } }\ny: { simulated.call: { service: 10ms } }";
    let one = run_of(&study_with("x", LOAD, exchanges, ""), 1, 1.0);
    let two = run_of(&study_with("x, y", LOAD, exchanges, ""), 2, 1.0);
    let comparison = pair(&one, &two);
    let named =
        comparison.pairs[0].differences.iter().find(|difference| difference.name == "mix of exchanges").unwrap();
    assert_eq!((named.base.as_str(), named.other.as_str(), named.forbids), ("x ×1", "x ×1, y ×1", true));
    assert!(rows(&comparison).iter().all(|row| row.verdict == RowVerdict::NotComparable));
}

#[test]
fn another_length_and_another_machine_are_listed_and_compared() {
    let base = run_of(&study_of(LOAD, ""), 1, 1.0);
    let mut other = run_of(&study_of("{ arrivals: 20/s, hold: 60s }", ""), 2, 1.0);
    other.evidence.head.workers = 7;
    other.evidence.head.monitors.push(record::MonitorHead {
        name: "machine".into(),
        kind: "host".into(),
        watches: "machine".into(),
        facts: record::FactHead::of(&[contract::FactKind::new("load average").with_role(contract::FactRole::Passing)]),
        ..record::MonitorHead::default()
    });
    let fact = |name: &str, value: &str| ("machine".to_owned(), name.to_owned(), value.to_owned());
    other.evidence.head.facts = vec![fact("processor", "Another"), fact("load average", "9 9 9")];
    let comparison = pair(&base, &other);
    let found: Vec<(&str, &str, bool)> = comparison.pairs[0]
        .differences
        .iter()
        .map(|difference| (difference.aspect.as_str(), difference.name.as_str(), difference.forbids))
        .collect();
    assert_eq!(
        found,
        [
            ("length", "phases", false),
            ("host", "machine processor", false),
            ("generator", "load threads", false),
            ("study", "scenarios", false)
        ]
    );
    assert_eq!(row(&comparison, "s/hold/x/answer/mean").verdict, RowVerdict::Equivalent);
}

#[test]
fn other_data_and_an_invalid_side_forbid() {
    let text = study_of(LOAD, "");
    let (base, mut other) = (run_of(&text, 1, 1.0), run_of(&text, 2, 1.0));
    let set =
        |sha256: &str| record::DataHead { name: "keys".into(), rows: 3, sha256: sha256.into(), ..Default::default() };
    other.evidence.head.data = vec![set("abc")];
    let comparison = pair(&base, &other);
    assert!(rows(&comparison).iter().all(|row| row.verdict == RowVerdict::NotComparable));
    assert_eq!(comparison.pairs[0].differences[0].aspect, "data");

    let mut late = Run::of(&text);
    let hold = late.step("hold");
    late.add(&evenly(hold, 0, 120, 20, |_, call| call.late(50.0)));
    let comparison = pair(&base, &late);
    let difference = comparison.pairs[0].differences.iter().find(|difference| difference.aspect == "validity").unwrap();
    assert_eq!((difference.other.as_str(), difference.forbids), ("invalid (lateness)", true));
    assert!(rows(&comparison).iter().all(|row| row.verdict == RowVerdict::NotComparable));
}

#[test]
fn what_one_side_lacks_is_said() {
    let base = run_of(&study_of(LOAD, ""), 1, 1.0);
    let other = run_of(&study_of(LOAD, "").replace("  s:\n", "  t:\n"), 2, 1.0);
    let comparison = pair(&base, &other);
    let row = row(&comparison, "s/hold/x/answer/mean");
    assert_eq!(row.verdict, RowVerdict::NotComparable);
    assert!(rows(&comparison).iter().any(|row| row.scope == "t/hold"));
}

/// The side that has a figure shows it.
#[test]
fn exchanges_of_other_names_have_rows_with_the_figures_of_one_side() {
    let named =
        |name: &str| study_with(name, LOAD, &format!("{name}: {{ simulated.call: {{ service: 10ms }} }}\n"), "");
    let comparison = pair(&run_of(&named("x"), 1, 1.0), &run_of(&named("z"), 2, 1.0));
    for statistic in ["mean", "p50", "p95", "p99"] {
        let figures = |name: &str| {
            let row = row(&comparison, &format!("s/hold/{name}/answer/{statistic}"));
            assert_eq!((row.verdict, row.value, row.change), (RowVerdict::NotComparable, None, None), "{row:#?}");
            (row.base, row.other)
        };
        let ((base, no_other), (no_base, other)) = (figures("x"), figures("z"));
        assert_eq!((no_other, no_base), (None, None), "{statistic}");
        for value in [base, other] {
            assert!(value.is_some_and(|value| (18.0..40.0).contains(&value)), "{statistic}: {value:?} ms");
        }
    }
    let failed = |name: &str| {
        let row = row(&comparison, &format!("s/hold/{name}/answer/failed"));
        (row.base, row.other)
    };
    assert_eq!((failed("x"), failed("z")), ((Some(0.0), None), (None, Some(0.0))));
}

/// S5.E2: a percentile on the time-out is a lower bound; it proves a rise and nothing else, and never equality.
#[test]
fn times_on_the_time_out_are_lower_bounds() {
    let text = study_of(LOAD, "");
    let base = run_of(&text, 1, 1.0);
    let cut = |seed: u64| {
        let mut run = Run::of(&text);
        let (hold, mut random) = (run.step("hold"), Random(seed));
        let slow: Vec<f64> = (0..2400).map(|_| random.uniform()).collect();
        run.add(&evenly(hold, 0, 120, 20, |number, call| {
            let is_cut = number % 3 == 0;
            let took = if is_cut { Nanos::from_secs(30) } else { Nanos::from_secs_f64(10.0 + slow[number as usize]) };
            let outcome = if is_cut { Outcome::Timeout } else { Outcome::Ok };
            crate::common::Call { took, outcome, ..call }
        }));
        run
    };
    let comparison = pair(&base, &cut(3));
    let p95 = row(&comparison, "s/hold/x/answer/p95");
    assert_eq!((p95.verdict, p95.reason.code.as_str()), (RowVerdict::Different, "compared_at_least"), "{p95:#?}");
    assert!(p95.is_other_censored && !p95.is_base_censored && p95.high.is_none());
    let failed = row(&comparison, "s/hold/x/answer/failed");
    assert_eq!(failed.verdict, RowVerdict::Different);
    assert!((failed.value.unwrap() - 1.0 / 3.0).abs() < 1e-9);

    let comparison = pair(&cut(3), &cut(4));
    let p95 = row(&comparison, "s/hold/x/answer/p95");
    assert_eq!((p95.verdict, p95.value), (RowVerdict::CannotTell, None));
    assert_eq!(p95.reason.code, "compared_base_censored");
}

#[test]
fn few_calls_and_short_holds_carry_no_verdict() {
    let short = study_of("{ arrivals: 20/s, hold: 10s }", "");
    let comparison = pair(&run_of(&short, 1, 1.0), &run_of(&short, 2, 1.5));
    let p99 = row(&comparison, "s/hold/x/answer/p99");
    assert_eq!((p99.verdict, p99.reason.code.as_str()), (RowVerdict::CannotTell, "compared_few_calls"));
    assert!(p99.value.is_some() && p99.low.is_none());
    // Half as much again lies apart in every part of ten seconds; a fiftieth does not, nor does anything in seven seconds.
    let mean = |comparison: &Comparison| {
        let mean = row(comparison, "s/hold/x/answer/mean");
        (mean.verdict, mean.reason.code.clone(), mean.value.is_some())
    };
    assert_eq!(mean(&comparison), (RowVerdict::Different, "compared_apart".into(), true));
    let too_short = (RowVerdict::CannotTell, "compared_too_short".to_owned(), true);
    assert_eq!(mean(&pair(&run_of(&short, 1, 1.0), &run_of(&short, 2, 1.02))), too_short);
    let shorter = study_of("{ arrivals: 20/s, hold: 7s }", "");
    assert_eq!(mean(&pair(&run_of(&shorter, 1, 1.0), &run_of(&shorter, 2, 1.5))), too_short);
}

/// A difference that is no larger than what the machine adds is not a claim about the system.
#[test]
fn a_difference_within_the_machines_own_lateness_is_no_claim() {
    let text = study_of(LOAD, "");
    let with = |took_ms: f64, late_ms: f64| {
        let mut run = Run::of(&text);
        let hold = run.step("hold");
        run.add(&evenly(hold, 0, 120, 20, |_, call| {
            crate::common::Call { took: Nanos::from_secs_f64(took_ms / 1e3), ..call }.late(late_ms)
        }));
        run
    };
    let late = pair(&with(1.0, 0.2), &with(1.2, 0.2));
    assert_eq!(row(&late, "s/hold/x/answer/p50").reason.code, "compared_within_noise");
    let prompt = pair(&with(1.0, 0.01), &with(1.2, 0.01));
    assert_eq!(row(&prompt, "s/hold/x/answer/p50").verdict, RowVerdict::Different);
    let large = pair(&with(20.0, 0.2), &with(21.6, 0.2));
    assert_eq!(row(&large, "s/hold/x/answer/p50").verdict, RowVerdict::Different);
}

#[test]
fn four_runs_a_side_are_told_by_ranks() {
    let text = study_of("{ arrivals: 20/s, hold: 30s }", "");
    let runs: Vec<Run> = (0..8).map(|seed| run_of(&text, seed, if seed < 4 { 1.0 } else { 1.3 })).collect();
    let evidence: Vec<judge::Evidence> = runs.iter().map(Run::evidence).collect();
    let recorded: Vec<Recorded<'_>> =
        evidence.iter().map(|evidence| Recorded { evidence, study: &runs[0].study.effective }).collect();
    let comparison = compare_runs(&recorded[..4], &[recorded[4..].to_vec()], BAND);
    check(&comparison);
    let mean = row(&comparison, "s/hold/x/answer/mean");
    assert_eq!(mean.verdict, RowVerdict::Different);
    assert_eq!((mean.base_replicates, mean.other_replicates), (4, 4));
    assert_eq!(mean.method.as_deref(), Some("Hodges-Lehmann of logarithms"));
    assert!((mean.p.unwrap() - 2.0 / 70.0).abs() < 1e-9 && mean.superiority == Some(1.0));

    let two = compare_runs(&recorded[..2], &[recorded[4..5].to_vec()], BAND);
    let mean = row(&two, "s/hold/x/answer/mean");
    assert_eq!(mean.method.as_deref(), Some("Student's t on logarithms of runs"));
}

#[test]
fn a_history_of_eight_runs_shows_where_it_shifted() {
    let text = study_of("{ arrivals: 20/s, hold: 30s }", "");
    let mut runs: Vec<Run> = (0..12).map(|seed| run_of(&text, seed, if seed < 6 { 1.0 } else { 1.2 })).collect();
    for (number, run) in runs.iter_mut().enumerate() {
        run.evidence.head.started = format!("2026-01-{:02}T00:00:00Z", number + 1);
    }
    // Given in any order, told in order of time.
    runs.reverse();
    let evidence: Vec<judge::Evidence> = runs.iter().map(Run::evidence).collect();
    let recorded: Vec<Recorded<'_>> =
        evidence.iter().map(|evidence| Recorded { evidence, study: &runs[0].study.effective }).collect();
    assert!(history(&recorded[..7]).is_empty());
    let found = history(&recorded);
    let mean = found.iter().find(|series| series.id == "s/hold/x/answer/mean").unwrap();
    assert_eq!(mean.runs[0], "run-0");
    assert_eq!(mean.shifts.iter().map(|shift| shift.at).collect::<Vec<_>>(), [6]);
    let rate = found.iter().find(|series| series.id == "s/hold/throughput").unwrap();
    assert!(rate.shifts.is_empty() && rate.left_out == 0);
    // The oldest run had another load: it is left out, and the others keep their history.
    let other = study_of("{ arrivals: 25/s, hold: 30s }", "");
    let mut odd = run_of(&other, 99, 1.0);
    odd.evidence.head.started = "2025-12-31T00:00:00Z".into();
    let hold = odd.step("hold") as usize;
    odd.evidence.head.steps[hold].offered_from = Some(25.0);
    odd.evidence.head.steps[hold].offered_to = Some(25.0);
    let mut more = recorded.clone();
    let odd_evidence = odd.evidence();
    more.push(Recorded { evidence: &odd_evidence, study: &odd.study.effective });
    let found = history(&more);
    let mean = found.iter().find(|series| series.id == "s/hold/x/answer/mean").unwrap();
    assert_eq!((mean.runs.len(), mean.left_out, mean.runs[0].as_str()), (12, 1, "run-0"));
    // Nor does a trial, or a run without its generator's starts, say anything about the system.
    let mut spoiled: Vec<judge::Evidence> = runs.iter().map(Run::evidence).collect();
    spoiled[3].head.trial = Some(record::TrialHead::default());
    spoiled[4].altered.push("load/legs.parquet".into());
    let spoiled: Vec<Recorded<'_>> =
        spoiled.iter().map(|evidence| Recorded { evidence, study: &runs[0].study.effective }).collect();
    let mean = history(&spoiled).into_iter().find(|series| series.id == "s/hold/x/answer/mean").unwrap();
    assert_eq!((mean.runs.len(), mean.left_out), (10, 2));
}

/// Of one run all orders were sent; of the other a tenth never was, since what comes before them failed, or was cut off.
#[test]
fn shares_of_failures_are_not_alike_where_calls_came_to_nothing() {
    let of = |outcome: Option<Outcome>| {
        let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 60s }", ""));
        let (hold, from) = (run.step("hold"), run.span("hold").from.second());
        run.add(&evenly(hold, from, 60, 100, |k, call| match outcome {
            Some(outcome) if k % 10 == 3 => call.ended(outcome),
            _ => call,
        }));
        run
    };
    let compared = |other: Option<Outcome>| {
        let runs = [of(None), of(other)];
        let evidence = runs.iter().map(Run::evidence).collect::<Vec<_>>();
        let recorded: Vec<Recorded<'_>> =
            evidence.iter().map(|evidence| Recorded { evidence, study: &runs[0].study.effective }).collect();
        let comparison = compare_runs(&recorded[..1], &[recorded[1..].to_vec()], BAND);
        let found = row(&comparison, "s/hold/x/answer/failed");
        (found.verdict, found.reason.code.clone())
    };
    assert_eq!(compared(None).0, RowVerdict::Equivalent);
    assert_eq!(compared(Some(Outcome::Status)).0, RowVerdict::Different);
    assert_eq!(compared(Some(Outcome::Aborted)), (RowVerdict::CannotTell, "compared_unsettled".into()));
}

/// Runs of two minutes of which each has a share of failures of its own: `mean`, and about half of that up or down.
fn failing(count: u64, mean: f64, seed: u64) -> Vec<Run> {
    let mut random = Random(seed);
    let mut run = |number: u64| {
        // The sum of two uniform variates from 0 to 1 has the mean 1 and the deviation 0.41.
        let own = mean * (random.uniform() + random.uniform());
        let mut run = Run::of(&study_of("{ arrivals: 50/s, hold: 30s }", ""));
        let (hold, from) = (run.step("hold"), run.span("hold").from.second());
        let failed: Vec<bool> = (0..1500).map(|_| random.uniform() < own).collect();
        run.add(&evenly(
            hold,
            from,
            30,
            50,
            |k, call| {
                if failed[k as usize] { call.ended(Outcome::Status) } else { call }
            },
        ));
        run.evidence.head.id = format!("run-{seed}-{number}");
        run
    };
    (0..count).map(&mut run).collect()
}

fn failed_row(base: &[Run], other: &[Run]) -> Row {
    let evidence: Vec<_> = base.iter().chain(other).map(Run::evidence).collect();
    let recorded: Vec<Recorded<'_>> =
        evidence.iter().map(|evidence| Recorded { evidence, study: &base[0].study.effective }).collect();
    let (before, after) = recorded.split_at(base.len());
    let found = compare_runs(before, &[after.to_vec()], BAND);
    row(&found, "s/hold/x/answer/failed").clone()
}

/// One observation is the run. Pooled, the calls of five runs a side called 20 % of such pairs different. The row is one
/// of a family, so five a side are needed for what three would show alone.
#[test]
fn shares_of_several_runs_are_compared_by_run() {
    let (mut alike, mut worse) = (0, 0);
    let pairs = 40;
    for seed in 0..pairs {
        let base = failing(5, 0.05, 3 * seed);
        alike += u32::from(failed_row(&base, &failing(5, 0.05, 3 * seed + 1)).verdict == RowVerdict::Different);
        worse += u32::from(failed_row(&base, &failing(5, 0.2, 3 * seed + 2)).verdict == RowVerdict::Different);
    }
    assert!(alike <= 3, "{alike} of {pairs} pairs that are alike");
    assert!(worse >= 24, "{worse} of {pairs} pairs of which one fails four times as often");
}

#[test]
fn what_lies_far_apart_is_different_however_short() {
    // A level that changes twice in twenty seconds: its memory asks for more time than there is.
    let run = |factor: f64, id: &str| {
        let mut run = Run::of(&study_of("{ arrivals: 20/s, hold: 20s }", ""));
        let (hold, from) = (run.step("hold"), run.span("hold").from.second());
        let took = |k: u64| factor * if (80..180).contains(&k) { 1.3 } else { 1.0 } * (1.0 + (k % 7) as f64 / 20.0);
        run.add(&evenly(hold, from, 20, 20, |k, call| Call { took: Nanos::from_secs_f64(took(k) / 1e3), ..call }));
        run.evidence.head.id = id.into();
        run
    };
    let (base, slower, same) = (run(1.0, "a"), run(65.0, "b"), run(1.05, "c"));
    let mean = |other: &Run| row(&pair(&base, other), "s/hold/x/answer/mean").clone();
    let found = mean(&slower);
    assert_eq!((found.verdict, found.reason.code.as_str()), (RowVerdict::Different, "compared_apart"), "{found:#?}");
    assert!((found.value.unwrap() - 65.0).abs() < 1.0 && found.low.is_none(), "{found:#?}");
    assert_eq!(mean(&same).reason.code, "compared_too_short");
}

#[test]
fn sides_that_were_not_alternated_are_warned_of() {
    let text = study_of(LOAD, "");
    let made = |number: u64, started: &str| {
        let mut run = run_of(&text, number, 1.0);
        run.evidence.head.started = started.to_owned();
        run
    };
    let compared = |order: [&str; 4]| {
        let runs: Vec<Run> = order.iter().zip(1..).map(|(started, number)| made(number, started)).collect();
        let evidence: Vec<_> = runs.iter().map(Run::evidence).collect();
        let recorded: Vec<Recorded<'_>> =
            evidence.iter().map(|evidence| Recorded { evidence, study: &runs[0].study.effective }).collect();
        compare_runs(&recorded[..2], &[recorded[2..].to_vec()], BAND)
    };
    let hour = |hour: u32| format!("2026-11-20T{hour:02}:00:00Z");
    let [one, two, three, four] = [1, 2, 3, 4].map(hour);
    let blocks = compared([&one, &two, &three, &four]);
    assert!(blocks.pairs[0].is_blocked());
    let order = blocks.pairs[0].differences.iter().find(|difference| difference.aspect == "order").unwrap();
    assert_eq!((order.base.as_str(), order.forbids), ("2026-11-20T01:00:00Z to 2026-11-20T02:00:00Z", false));
    assert!(compared([&three, &four, &one, &two]).pairs[0].is_blocked());
    assert!(!compared([&one, &three, &two, &four]).pairs[0].is_blocked());
}

/// The p of a share of one run a side is that of its interval, so that the rows about it can be judged together.
#[test]
fn failures_of_one_run_a_side_have_a_chance_of_their_own() {
    let chance = |share: f64| failed_row(&failing(1, 0.05, 1), &failing(1, share, 2)).chance.unwrap();
    let (alike, worse) = (chance(0.05), chance(0.5));
    assert!(alike > 0.05 && alike <= 1.0, "{alike}");
    assert!(worse > 0.0 && worse < 0.01, "{worse}");
}
