//! What more replicas bring, against times whose ratios are known: those that a published report of an analytics server
//! gives for two and three analyzers.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, Run, call};
use judge::Judgement;
use judge::grids::{Scaling, ScalingLevel};
use terms::Phase;

/// Rows that each query reads.
const ROWS: f64 = 16_753_779.0;
/// Jobs of a query in each hold.
const JOBS: u64 = 4;

/// A query over replicas of an analyzer; `more` are keys of its scenario.
fn study(more: &str) -> String {
    format!(
        "study: Queries\nvars: {{ analyzers: 2, color: red }}\n\
         system: {{ instances: {{ analyzer: {{ start: 'sleep 1', replicas: $(analyzers) }} }} }}\n\
         exchanges: {{ query: {{ simulated.call: {{ service: 10ms }}, carries: {{ rows: {ROWS} }}, timeout: 1h }} }}\n\
         scenarios:\n  queries: {{ {more}, load: {{ users: 1, hold: 1000s }}, run: [query] }}\n"
    )
}

/// Jobs of every hold: the time of a combination and repetition in seconds, spread evenly over ±1 %.
fn run(text: &str, seconds: impl Fn(&str, u32) -> f64) -> Run {
    let mut run = Run::of(text);
    let holds: Vec<(u32, i64, f64)> = run
        .evidence
        .steps
        .iter()
        .filter(|step| step.phase == Phase::Hold)
        .map(|step| {
            let name = &run.study.scenarios[step.scenario].name;
            let repetition = run.evidence.head.steps[step.number as usize].repetition;
            (step.number, step.from.second(), seconds(name, repetition))
        })
        .collect();
    for (step, from, seconds) in holds {
        let jobs = (0..JOBS).map(|job| {
            let took = seconds * (1.0 + 0.02 * (job as f64 / (JOBS - 1) as f64 - 0.5));
            call(step, from as f64 + job as f64 * 240.0, took * 1e3)
        });
        run.add(&jobs.collect::<Vec<Call>>());
    }
    run
}

fn only(judgement: &Judgement) -> &Scaling {
    let [scaling] = judgement.grids[0].scaling.as_slice() else { panic!("{:#?}", judgement.grids[0].scaling) };
    scaling
}

fn near(value: f64, wanted: f64) -> bool {
    (value / wanted - 1.0).abs() < 0.002
}

fn holds(level: &ScalingLevel, wanted: f64) -> bool {
    level.speed_up.and_then(|gain| gain.interval).is_some_and(|(low, high)| low <= wanted && wanted <= high)
}

#[test]
fn three_analyzers_instead_of_two_gain_as_much_as_the_times_say() {
    // 222.70 s and 167.27 s: 1.331 times as fast, 89 % of what the third could bring.
    let text = study("grid: { analyzers: [2, 3] }, repeat: 3");
    let spread = [0.99, 1.0, 1.01];
    let judgement = run(&text, |name, repetition| {
        let usual = if name.ends_with('2') { 222.70 } else { 167.27 };
        usual * spread[repetition as usize - 1]
    })
    .judge();
    let scaling = only(&judgement);
    assert_eq!((scaling.exchange.as_str(), scaling.instance.as_str()), ("query", "analyzer"));
    assert_eq!(scaling.unit.as_deref(), Some("rows"));
    let [two, three] = scaling.levels.as_slice() else { panic!("{scaling:#?}") };
    assert_eq!((two.replicas, three.replicas, three.repetitions, three.calls), (2, 3, 3, 3 * JOBS));
    assert!(near(two.mean_s.unwrap(), 222.70) && near(three.mean_s.unwrap(), 167.27), "{scaling:#?}");
    assert_eq!((two.speed_up, two.efficiency), (None, None), "it is the base");
    let (speed_up, efficiency) = (three.speed_up.unwrap(), three.efficiency.unwrap());
    assert!(near(speed_up.value, 1.3314) && near(efficiency.value, 0.8876), "{three:#?}");
    assert!(holds(three, 1.3314), "{three:#?}");
    let (low, high) = efficiency.interval.unwrap();
    assert!(low < 0.8876 && 0.8876 < high && high - low < 0.1, "{low} … {high}");
    // Rows by the time of a query: what such reports call TPS.
    assert!(near(two.units_per_s().unwrap(), ROWS / 222.70) && near(three.units_per_s().unwrap(), ROWS / 167.27));
}

#[test]
fn the_fewest_replicas_are_the_base_wherever_they_are_written() {
    let text = study("grid: { analyzers: [3, 1, 2] }, repeat: 2");
    let judgement = run(&text, |name, repetition| {
        60.0 / f64::from(name.chars().last().unwrap().to_digit(10).unwrap()) + f64::from(repetition) / 10.0
    })
    .judge();
    let levels: Vec<u32> = only(&judgement).levels.iter().map(|level| level.replicas).collect();
    assert_eq!(levels, [1, 2, 3]);
    let efficiency = |place: usize| only(&judgement).levels[place].efficiency.unwrap().value;
    assert!((0.98..1.01).contains(&efficiency(1)) && (0.98..1.01).contains(&efficiency(2)));
}

#[test]
fn one_measurement_a_side_is_a_speed_up_without_an_interval() {
    let judgement =
        run(&study("grid: { analyzers: [1, 2] }"), |name, _| if name.ends_with('1') { 20.0 } else { 12.0 }).judge();
    let level = &only(&judgement).levels[1];
    assert!(near(level.speed_up.map_or(1.667, |gain| gain.value), 20.0 / 12.0), "{level:#?}");
    assert_eq!(level.speed_up.and_then(|gain| gain.interval), None);
    assert!(level.reason.is_some());
}

#[test]
fn other_variables_part_what_is_compared() {
    let text = study("grid: { color: [red, blue], analyzers: [1, 2] }, repeat: 2");
    let seconds = |name: &str, _| match (name.contains("red"), name.ends_with('1')) {
        (true, true) => 40.0,
        (true, false) => 20.0,
        (false, true) => 30.0,
        (false, false) => 30.0,
    };
    let judgement = run(&text, seconds).judge();
    let gains: Vec<(usize, f64)> = judgement.grids[0]
        .scaling
        .iter()
        .map(|scaling| (scaling.others[0].1, scaling.levels[1].speed_up.unwrap().value))
        .collect();
    assert_eq!(gains.len(), 2, "{gains:?}");
    assert!(gains[0].0 == 0 && near(gains[0].1, 2.0) && gains[1].0 == 1 && near(gains[1].1, 1.0), "{gains:?}");
}

#[test]
fn nothing_is_said_where_replicas_stay_or_the_load_is_open() {
    let judgement = run(&study("grid: { color: [red, blue] }"), |_, _| 10.0).judge();
    assert!(judgement.grids[0].scaling.is_empty());
    let open = study("grid: { analyzers: [1, 2] }").replace("users: 1", "arrivals: 1/m");
    assert!(run(&open, |_, _| 10.0).judge().grids[0].scaling.is_empty(), "an open load says how long work waits");
}
