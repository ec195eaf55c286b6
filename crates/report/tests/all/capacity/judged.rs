//! What a judge might say of the fixture's capacity: a lower bound and an interval, a ladder with a rung and one
//! without, a volume that is told and one that is refused.

use judge::bottleneck::{Ladder, RUNGS, ResourceUse, Rung, RungResult, RungState, Signal};
use judge::capacity::{CapacityLine, CapacityResult, RatioResult, VolumeResult};
use judge::healthiest::{HealthStep, HealthiestResult, Lost, ProcessorUse};
use judge::levels::{Family, Level};
use judge::{Arg, Args, Reason};
use terms::Validity;

fn args<const N: usize>(given: [(&str, Arg); N]) -> Args {
    given.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect()
}

fn level(step: u32, load: f64, held: Option<bool>) -> Level {
    Level {
        step,
        scope: format!("browse/hold {step}").into(),
        scenario: "browse".into(),
        load,
        seconds: 60.0,
        completed: (load * 59.0) as u64,
        throughput_per_s: load * 0.99,
        failed_share: 0.004,
        time_ms: Some(20.0 + load),
        held,
        validity: Validity::Valid,
    }
}

fn line(levels: Vec<Level>, is_users: bool, (held, failed): (Option<f64>, Option<f64>)) -> CapacityLine {
    let tried: Vec<stats_of::Tried> = levels.iter().map(|level| (level.load, level.held)).collect();
    let family = Family { is_users, scenarios: vec![levels[0].scenario.clone()], levels, think_s: 0.0 };
    let interval = stats_of::interval(&tried);
    assert_eq!((interval.highest_held, interval.lowest_failed), (held, failed));
    CapacityLine { throughput_per_s: held.map(|held| held * 0.99), family, interval, law: None, knee: None }
}

/// The interval by hand: this crate does not know the statistics.
mod stats_of {
    use judge::capacity::CapacityInterval;

    pub(super) type Tried = (f64, Option<bool>);

    pub(super) fn interval(tried: &[Tried]) -> CapacityInterval {
        let lowest_failed = tried.iter().filter(|one| one.1 == Some(false)).map(|one| one.0).reduce(f64::min);
        let below = |load: f64| lowest_failed.is_none_or(|failed| load < failed);
        let held = tried.iter().filter(|one| one.1 == Some(true) && below(one.0)).map(|one| one.0);
        CapacityInterval { highest_held: held.reduce(f64::max), lowest_failed, held_above_a_failure: Vec::new() }
    }
}

fn step(number: u32, load: f64, passed: u32, lost: Vec<Lost>) -> HealthStep {
    HealthStep {
        scenario: "browse".into(),
        scope: format!("browse/hold {number}").into(),
        load,
        is_users: false,
        rate_per_s: Some(load * 0.99),
        rate_interval: Some((load * 0.98, load)),
        seconds: 180.0,
        failed_share: Some(0.004),
        p95_ms: Some(30.0 + load),
        processor: Some(ProcessorUse { metric: "host.cpu".into(), instance: "local".into(), share: load / 40.0 }),
        repetitions: 3,
        passed,
        passes_at_least: 0.368,
        lost,
        rounds: Vec::new(),
    }
}

fn lost<const N: usize>(code: &str, given: [(&str, Arg); N], repetitions: &[u32]) -> Lost {
    Lost { reason: Reason { code: code.into(), args: args(given) }, repetitions: repetitions.to_vec() }
}

/// The second of three steps: the first is lower, the third was too slow twice and once had no headroom.
fn healthiest() -> HealthiestResult {
    let slow = [
        ("limit", Arg::Milliseconds(50.0).given()),
        ("requirement", Arg::Text("fast".into())),
        ("value", Arg::Milliseconds(61.0)),
    ];
    let busy = [
        ("instance", Arg::Text("local".into())),
        ("limit", Arg::Share(0.85).given()),
        ("metric", Arg::Text("host.cpu".into())),
        ("share", Arg::Share(0.953)),
    ];
    HealthiestResult {
        scenario: "browse".into(),
        row: Vec::new(),
        by: None,
        needs: vec!["fast".into(), "mean(host.cpu) < 85%".into()],
        steps: vec![
            step(1, 10.0, 3, vec![lost("lower", [("best", Arg::PerSecond(19.8))], &[1, 2, 3])]),
            step(2, 20.0, 3, Vec::new()),
            step(3, 30.0, 0, vec![lost("not_met", slow, &[1, 2]), lost("processor", busy, &[3])]),
        ],
        best: Some(1),
        unseen: vec!["memory_short"],
    }
}

/// A row of a grid without any.
fn none_healthy() -> HealthiestResult {
    let steps = vec![step(4, 8.0, 0, vec![lost("unproven", [("requirement", Arg::Text("fast".into()))], &[1, 2, 3])])];
    let row = vec![("rate".into(), "5/s".into())];
    HealthiestResult {
        scenario: "write".into(),
        row,
        steps,
        best: None,
        unseen: Vec::new(),
        needs: Vec::new(),
        ..healthiest()
    }
}

pub(super) fn capacity() -> CapacityResult {
    let open = vec![level(1, 10.0, Some(true)), level(3, 20.0, Some(true)), level(5, 30.0, Some(false))];
    let closed = vec![Level { scenario: "write".into(), scope: "write/hold".into(), ..level(7, 8.0, None) }];
    let volume = VolumeResult {
        name: "year".into(),
        scope: "browse/hold".into(),
        formula: "rate(search.ok)".into(),
        rate_per_s: Some(103.9),
        hours: 24.0,
        days: 7.0,
        peak_factor: 1.0,
        is_upper_bound: true,
        value: Some(62_838_720.0),
        interval: Some((62_100_000.0, 63_600_000.0)),
        refused: None,
    };
    let refused = VolumeResult {
        name: "office".into(),
        hours: 10.0,
        days: 260.0,
        peak_factor: 2.5,
        is_upper_bound: false,
        value: None,
        interval: None,
        refused: Some(Reason { code: "not_met".into(), args: args([("requirement", Arg::Text("fast".into()))]) }),
        ..volume.clone()
    };
    CapacityResult {
        lines: vec![line(open, false, (Some(20.0), Some(30.0))), line(closed, true, (None, None))],
        healthiest: vec![healthiest(), none_healthy()],
        volumes: vec![volume, refused],
        ratios: vec![RatioResult {
            name: "peak".into(),
            formula: "rate(write/search) / 5/s".into(),
            operands: vec![("rate(write/search)".into(), Arg::PerSecond(12.5)), ("5/s".into(), Arg::PerSecond(5.0))],
            value: Some(Arg::Number(2.5)),
            refused: None,
        }],
    }
}

pub(super) fn ladders() -> Vec<Ladder> {
    let signal = |code: &str, given| Signal { code: code.into(), args: given, evidence: "watch:host.cpu".into() };
    let rung = |rung: Rung| {
        let signals = if rung == Rung::Resource {
            vec![
                signal(
                    "saturated",
                    args([
                        ("instance", Arg::Text("local".into())),
                        ("metric", Arg::Text("host.cpu".into())),
                        ("utilisation", Arg::Share(0.953)),
                    ]),
                ),
                signal("slower", args([("from", Arg::Milliseconds(30.0)), ("to", Arg::Milliseconds(50.0))])),
            ]
        } else {
            Vec::new()
        };
        let state = match rung {
            Rung::Resource => RungState::Likely,
            Rung::Downstream => RungState::NotWatched,
            _ => RungState::NotObserved,
        };
        RungResult { rung, state, signals }
    };
    let quiet = |rung: Rung| RungResult { rung, state: RungState::NotObserved, signals: Vec::new() };
    let cpu = ResourceUse {
        metric: "host.cpu".into(),
        instance: "local".into(),
        utilisation: 0.953,
        peak: 1.0,
        demand_s: Some(0.0321),
        throughput_at_limit: Some(28.0),
        is_idle_included: false,
        servers: 2.0,
        is_machine: true,
        is_processor: true,
    };
    vec![
        Ladder {
            scenario: "browse".into(),
            scope: "browse/hold 5".into(),
            load: 30.0,
            is_users: false,
            rungs: RUNGS.into_iter().map(rung).collect(),
            resources: vec![cpu],
        },
        Ladder {
            scenario: "write".into(),
            scope: "write/hold".into(),
            load: 8.0,
            is_users: true,
            rungs: RUNGS.into_iter().map(quiet).collect(),
            resources: Vec::new(),
        },
    ]
}
