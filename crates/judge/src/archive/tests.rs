//! Series over made-up runs: what stands in one, what is kept apart, and what the gate says.

use super::*;
use record::{DataHead, Head, ScenarioHead, StepHead};

/// Noise of one percent, the same each time.
fn noise(at: usize) -> f64 {
    let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> 40) as f64 / (1u64 << 24) as f64 - 0.5) * 0.02
}

fn head(rate: f64, sha: &str) -> Head {
    let step = StepHead {
        id: "hold".into(),
        phase: "hold".into(),
        offered_from: Some(rate),
        offered_to: Some(rate),
        ..StepHead::default()
    };
    let data = DataHead { name: "people".into(), rows: 5, sha256: sha.into(), ..DataHead::default() };
    let scenario = ScenarioHead { name: "nominal".into(), model: "open".into(), ..ScenarioHead::default() };
    Head { scenarios: vec![scenario], steps: vec![step], data: vec![data], ..Head::default() }
}

fn measured(rule: &str, value: Option<f64>) -> Measured {
    Measured {
        requirement: "fast".into(),
        scope: "nominal/hold".into(),
        rule: rule.into(),
        measures: Measures::of(rule, &[]),
        severity: Severity::Must,
        verdict: if value.is_some() { Verdict::Met } else { Verdict::CannotTell },
        decides: true,
        value,
        limit: Some(500.0),
        unit: if value.is_some() { "ms" } else { "count" }.into(),
        reason: if value.is_some() { "interval_inside" } else { "no_samples" }.into(),
    }
}

fn run(number: usize, requirements: Vec<Measured>) -> ArchivedRun {
    ArchivedRun {
        id: format!("run-{number:03}"),
        folder: format!("runs/run-{number:03}"),
        started: format!("2026-{:02}-{:02}T10:00:00Z", 1 + number / 28, 1 + number % 28),
        requirements,
        ..ArchivedRun::default()
    }
}

/// Runs with one value each by this rule, under the same conditions.
fn archive(rule: &str, values: &[f64]) -> Archive {
    let mut archive = Archive::default();
    for (number, value) in values.iter().enumerate() {
        archive.add(run(number, vec![measured(rule, Some(*value))]), Conditions::of(&head(20.0, "a"))).unwrap();
    }
    archive
}

fn shifted(runs: usize, at: usize, factor: f64) -> Vec<f64> {
    (0..runs).map(|place| (1.0 + noise(place)) * 100.0 * if place < at { 1.0 } else { factor }).collect()
}

/// That the run of this number is the base.
fn since(number: usize) -> Since {
    Since { name: format!("run-{number:03}"), from: run(number, vec![]).started, includes: false }
}

fn outcome(rule: &str, values: &[f64], base: usize) -> Outcome {
    archive(rule, values).history(Some(&since(base))).gate.unwrap().outcome
}

const RULE: &str = "p95(x.response) <= 500ms";

#[test]
fn a_shift_is_found_at_the_run_that_began_it_and_worse_follows_from_the_rule() {
    let values = shifted(30, 20, 1.2);
    let history = archive(RULE, &values).history(None);
    let series = &history.series[0];
    assert_eq!(series.shifts.len(), 1);
    let shift = series.shifts[0];
    assert_eq!((shift.at, shift.tendency), (20, Tendency::Worse));
    assert!((shift.change() - 0.2).abs() < 0.02, "{shift:?}");
    assert!(history.gate.is_none() && series.is_current && series.search == Search::Done);
    let turned = archive("rate(x.ok) >= 10/s", &values).history(None);
    assert_eq!(turned.series[0].shifts[0].tendency, Tendency::Better);
    // An equality has verdicts alone.
    let equal = archive("count(x.ok) = 100", &values).history(None);
    assert_eq!((equal.series[0].search, equal.series[0].known()), (Search::ByVerdict, 0));
    assert_eq!(equal.series[0].verdicts.len(), 30);
}

#[test]
fn only_what_got_worse_after_the_base_fails() {
    let worse = shifted(30, 20, 1.2);
    assert_eq!(outcome(RULE, &worse, 15), Outcome::Worse);
    // The base is the last good run, or the first bad one.
    assert_eq!(outcome(RULE, &worse, 19), Outcome::Worse);
    assert_eq!(outcome(RULE, &worse, 20), Outcome::NotWorse);
    assert_eq!(outcome(RULE, &shifted(30, 20, 0.8), 15), Outcome::NotWorse);
    assert_eq!(outcome(RULE, &shifted(30, 30, 1.0), 15), Outcome::NotWorse);
    // Less than 5 % is not a change, however sure.
    assert_eq!(outcome(RULE, &shifted(30, 20, 1.04), 15), Outcome::NotWorse);
    // What was put right again does not fail for ever.
    let mended: Vec<f64> =
        shifted(40, 20, 1.2).iter().enumerate().map(|(at, v)| if at < 30 { *v } else { v / 1.2 }).collect();
    let history = archive(RULE, &mended).history(Some(&since(15)));
    assert_eq!(history.series[0].shifts.iter().map(|shift| shift.is_undone).collect::<Vec<_>>(), [true, false]);
    assert_eq!(history.gate.unwrap().outcome, Outcome::NotWorse);
}

#[test]
fn too_few_runs_are_said_with_how_many_are_lacking() {
    assert_eq!(outcome(RULE, &shifted(5, 5, 1.0), 1), Outcome::TooFew { more: 3 });
    assert_eq!(outcome(RULE, &shifted(20, 20, 1.0), 18), Outcome::TooFew { more: 2 });
    assert_eq!(outcome(RULE, &shifted(20, 20, 1.0), 16), Outcome::NotWorse);
    assert_eq!(outcome("alive(gateway)", &shifted(20, 20, 1.0), 3), Outcome::NoDirection);
}

/// Runs of two nodes in each of which one is enough, or both are needed; `None` where a node has no value.
fn nodes(needs_any: bool, values: &[[Option<f64>; 2]]) -> Archive {
    let mut archive = Archive::default();
    for (number, values) in values.iter().enumerate() {
        let best = usize::from(values[1].unwrap_or(f64::MAX) < values[0].unwrap_or(f64::MAX));
        let node = |(node, value): (usize, &Option<f64>)| Measured {
            scope: format!("nominal/hold/{}", ["a", "b"][node]),
            decides: !needs_any || node == best,
            ..measured(RULE, *value)
        };
        let requirements = values.iter().enumerate().map(node).collect();
        archive.add(run(number, requirements), Conditions::of(&head(20.0, "a"))).unwrap();
    }
    archive
}

/// The places of what the gate counts as worse and as untold, after the run with this number, and what it says.
fn said(archive: Archive, base: usize) -> (Vec<usize>, Vec<usize>, Outcome) {
    let gate = archive.history(Some(&since(base))).gate.unwrap();
    (gate.worse, gate.untold, gate.outcome)
}

#[test]
fn where_any_member_is_enough_only_what_all_do_is_worse() {
    let (level, risen) = (shifted(30, 30, 1.0), shifted(30, 20, 1.6));
    let both = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| [Some(*a), Some(1.5 * b)]).collect::<Vec<_>>();
    let one = both(&level, &risen);
    let history = nodes(true, &one).history(Some(&since(15)));
    assert_eq!(history.series[1].shifts[0].tendency, Tendency::Worse, "it is shown all the same");
    assert_eq!(said(nodes(true, &one), 15), (vec![], vec![], Outcome::NotWorse));
    assert_eq!(said(nodes(false, &one), 15), (vec![1], vec![], Outcome::Worse));
    assert_eq!(said(nodes(true, &both(&risen, &risen)), 15), (vec![0, 1], vec![], Outcome::Worse));
    // A run that an earlier version judged does not say which member decides; the newest says it.
    let [earlier, later] = [nodes(false, &one[..29]), nodes(true, &one)];
    let mut mixed = earlier;
    let (newest, _) = later.runs.last().unwrap();
    mixed.add(newest.clone(), Conditions::of(&head(20.0, "a"))).unwrap();
    assert_eq!(said(mixed, 15).2, Outcome::NotWorse);
    // And where both have been needed since, each counts.
    let mut stricter = nodes(true, &one[..29]);
    let both_needed = nodes(false, &one);
    stricter.add(both_needed.runs.last().unwrap().0.clone(), Conditions::of(&head(20.0, "a"))).unwrap();
    assert_eq!(said(stricter, 15).2, Outcome::Worse);
}

#[test]
fn a_member_with_few_values_is_waited_for_only_where_it_matters() {
    let (level, risen) = (shifted(30, 30, 1.0), shifted(30, 20, 1.6));
    let late = |a: &[f64]| {
        let value = |(number, a): (usize, &f64)| [Some(*a), Some(300.0).filter(|_| number >= 25)];
        a.iter().enumerate().map(value).collect::<Vec<_>>()
    };
    // The one is known not to be worse, and that is enough; where it is worse, the other may make up for it.
    assert_eq!(said(nodes(true, &late(&level)), 15), (vec![], vec![], Outcome::NotWorse));
    assert_eq!(said(nodes(true, &late(&risen)), 15), (vec![], vec![1], Outcome::TooFew { more: 3 }));
    assert_eq!(said(nodes(false, &late(&level)), 15), (vec![], vec![1], Outcome::TooFew { more: 3 }));
    assert_eq!(said(nodes(false, &late(&risen)), 15).2, Outcome::Worse);
}

#[test]
fn a_member_makes_up_for_those_of_its_own_scenario_alone() {
    let mut archive = Archive::default();
    for number in 0..30 {
        let level = 100.0 * (1.0 + noise(number));
        let of = |scope: &str, value: f64, decides: bool| Measured {
            scope: scope.into(),
            decides,
            ..measured(RULE, Some(value))
        };
        let risen = level * if number < 20 { 1.5 } else { 2.5 };
        let requirements = vec![
            of("nominal/hold/a", level, true),
            of("nominal/hold/b", risen, false),
            of("clerks/hold/a", risen, true),
            of("clerks/hold/b", risen * 1.1, false),
        ];
        archive.add(run(number, requirements), Conditions::of(&head(20.0, "a"))).unwrap();
    }
    assert_eq!(said(archive, 15), (vec![2, 3], vec![], Outcome::Worse));
}

#[test]
fn other_conditions_and_measures_are_series_of_their_own() {
    let mut archive = Archive::default();
    for number in 0..30 {
        let (rate, sha) = if number % 3 == 0 { (40.0, "a") } else { (20.0, "a") };
        // Twice the time under twice the load: mixed, no level at all.
        let value = rate * 5.0 * (1.0 + noise(number));
        archive.add(run(number, vec![measured(RULE, Some(value))]), Conditions::of(&head(rate, sha))).unwrap();
    }
    archive.add(run(40, vec![measured(RULE, Some(1.0))]), Conditions::of(&head(20.0, "b"))).unwrap();
    archive.add(run(41, vec![measured(RULE, Some(100.0))]), Conditions::of(&head(20.0, "a"))).unwrap();
    archive
        .add(run(42, vec![measured("p99(x.response) <= 500ms", Some(9.0))]), Conditions::of(&head(20.0, "a")))
        .unwrap();
    archive
        .add(run(43, vec![measured("p95(x.response) <= 9ms", Some(100.0))]), Conditions::of(&head(20.0, "a")))
        .unwrap();
    let history = archive.history(None);
    let told: Vec<(usize, usize, &str)> = history
        .series
        .iter()
        .map(|series| (series.setting, series.runs.len(), series.measures.text.as_str()))
        .collect();
    assert_eq!(
        told,
        [(0, 22, "p95(x.response)"), (0, 1, "p99(x.response)"), (1, 10, "p95(x.response)"), (2, 1, "p95(x.response)")]
    );
    assert!(history.series.iter().all(|series| series.shifts.is_empty()));
    let names = |place: usize| history.settings[place].differs.iter().map(|d| d.name.as_str()).collect::<Vec<_>>();
    assert_eq!((names(0), names(1), names(2)), (vec![], vec!["full load"], vec!["people"]));
    assert_eq!(history.settings.iter().map(|setting| setting.runs).collect::<Vec<_>>(), [23, 10, 1]);
    // The limit is that of the newest run; it is not part of what is measured.
    assert_eq!(history.series[0].rule, "p95(x.response) <= 9ms");
}

#[test]
fn gaps_are_no_zeros_and_runs_that_prove_nothing_are_apart() {
    let mut archive = Archive::default();
    let values = shifted(30, 30, 1.0);
    for (number, value) in values.iter().enumerate() {
        let value = Some(*value).filter(|_| number % 4 != 0);
        let mut run = run(number, vec![measured(RULE, value)]);
        run.is_trial = number == 2;
        run.is_invalid = number == 3;
        archive.add(run, Conditions::of(&head(20.0, "a"))).unwrap();
    }
    let copy = run(7, vec![]);
    assert_eq!(archive.add(copy, Conditions::default()).unwrap_err(), "runs/run-007");
    let history = archive.history(None);
    let series = &history.series[0];
    assert_eq!((history.series.len(), series.runs.len(), series.known()), (1, 28, 20));
    assert!(series.shifts.is_empty() && series.unit == "ms");
    let apart: Vec<Apart> = history.runs.iter().filter_map(|run| run.apart).collect();
    assert_eq!(apart, [Apart::Trial, Apart::Invalid]);
    // An interval that contains the limit does not take the value away; a check of validity that may have moved it does.
    let told = |reason: &str| {
        Measured { verdict: Verdict::CannotTell, reason: reason.into(), ..measured(RULE, Some(5.0)) }.known()
    };
    assert_eq!((told("interval_straddles_limit"), told("run_questionable")), (Some(5.0), None));
}

#[test]
fn a_base_is_a_moment_or_a_date() {
    let base = |from: &str, includes| Since { name: String::new(), from: from.into(), includes };
    let day = base("2026-11-21", true);
    assert!(day.is_before("2026-11-21T00:00:00Z") && !day.is_before("2026-11-20T23:59:59.9Z"));
    let run = base("2026-11-21T10:00:00Z", false);
    assert!(!run.is_before("2026-11-21T10:00:00Z") && run.is_before("2026-11-21T10:00:00.2Z"));
}

#[test]
fn what_an_import_estimates_is_not_a_setting() {
    use record::{ExchangeHead, ImportHead};
    let imported = |users: u32, share: f64, unknown: &[&str]| {
        let mut head = head(0.0, "a");
        let step = &mut head.steps[0];
        (step.offered_from, step.offered_to, step.users) = (None, None, Some(users));
        head.scenarios[0] = ScenarioHead {
            name: "nominal".into(),
            model: "closed".into(),
            users: Some(users),
            per_iteration: vec![share, 1.0 - share],
            most_per_iteration: vec![1.0; 2],
            ..ScenarioHead::default()
        };
        head.exchanges =
            ["home", "search"].map(|name| ExchangeHead { name: name.into(), ..ExchangeHead::default() }).to_vec();
        let unknown = unknown.iter().map(|what| (*what).to_owned()).collect();
        head.imported = Some(ImportHead { tool: "JMeter".into(), unknown, ..ImportHead::default() });
        head
    };
    let settings = |heads: &[Head]| {
        let mut archive = Archive::default();
        for (number, head) in heads.iter().enumerate() {
            archive.add(run(number, vec![measured(RULE, Some(1.0))]), Conditions::of(head)).unwrap();
        }
        archive.history(None).settings.len()
    };
    // Files that do not tell how many users there were: a slower system has more at work.
    assert_eq!(settings(&[imported(6, 0.5, &["users"]), imported(7, 0.4999, &["users"])]), 1);
    assert_eq!(settings(&[imported(6, 0.5, &[]), imported(6, 0.4999, &[])]), 1);
    assert_eq!(settings(&[imported(6, 0.5, &[]), imported(7, 0.5, &[])]), 2);
}
