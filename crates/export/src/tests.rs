//! Seconds to bytes and receivers.

mod dashboard;
mod formats;
mod over;
mod receivers;
mod sums;
mod tls;

use crate::{Registry, Snapshot};
use follow::{ExchangeSecond, GeneratorSecond, PartSecond, Sample, Second};
use record::{EventRow, ExchangeHead, Head, LegHead, MetricHead, MonitorHead, ScenarioHead, StepHead, ThresholdHead};
use scrub::KeptOut;
use terms::{Books, Histogram, Nanos, Outcome};

/// Noon of a day, nanoseconds since 1970.
const ORIGIN: i64 = 1_795_255_200_000_000_000;

/// A study of one exchange and one watched instance, with these names.
fn head_named(study: &str, exchange: &str) -> Head {
    let metric = |name: &str, unit: &str| MetricHead { name: name.into(), unit: unit.into(), ..MetricHead::default() };
    Head {
        id: "2026-shop".into(),
        version: "0.1.0".into(),
        study: study.into(),
        system: "shop".into(),
        wall_origin_ns: ORIGIN,
        scenarios: vec![ScenarioHead { name: "busy".into(), ..ScenarioHead::default() }],
        steps: vec![StepHead { id: "hold".into(), phase: "hold".into(), repetition: 1, ..StepHead::default() }],
        exchanges: vec![ExchangeHead {
            name: exchange.into(),
            legs: vec![LegHead::of_exchange("all")],
            thresholds: vec![ThresholdHead {
                measure: "response".into(),
                limit_ns: 300_000_000,
                ..ThresholdHead::default()
            }],
            ..ExchangeHead::default()
        }],
        monitors: vec![MonitorHead {
            name: "process".into(),
            every_s: 1.0,
            metrics: vec![
                metric("cpu", "cores"),
                metric("rss", "bytes"),
                metric("rows", "events"),
                metric("io", "events/s"),
            ],
            ..MonitorHead::default()
        }],
        ..Head::default()
    }
}

fn head() -> Head {
    head_named("Shop", "search")
}

/// A second in which `ok` calls took 10 ms and 200 ms in turn, and `late` timed out.
fn second(number: i64, ok: u64, late: u64) -> Second {
    let mut response = Histogram::new();
    response.record_n(Nanos::from_millis(10), ok.div_ceil(2));
    response.record_n(Nanos::from_millis(200), ok / 2);
    let books = Books { intended: ok + late, started: ok + late, completed: ok, failed: late, ..Books::default() };
    let sample = |number: u16, metric: &str, unit: &str, value: f64| Sample {
        monitor: "process".into(),
        monitor_number: 0,
        instance: "shop-1".into(),
        metric: metric.into(),
        metric_number: number,
        unit: unit.into(),
        at: Nanos::ZERO,
        value,
    };
    Second {
        second: number,
        wall_ns: ORIGIN + (number + 1) * 1_000_000_000,
        steps: vec![0],
        exchanges: vec![ExchangeSecond {
            exchange: 0,
            leg: 0,
            step: 0,
            ok,
            outcomes: vec![(Outcome::Timeout, late)],
            units: ok,
            bytes: 100 * ok,
            below: vec![ok],
            response: response.clone(),
            service: response,
        }],
        parts: vec![PartSecond { step: 0, books }],
        generator: Some(GeneratorSecond {
            threads: 1,
            in_flight_mean: 1.5,
            cpu_s: 0.25,
            cpu_busiest_s: 0.25,
            started: ok + late,
            lateness_max: Some(Nanos::MILLISECOND),
            ..GeneratorSecond::default()
        }),
        samples: vec![
            sample(0, "cpu", "cores", 0.5),
            sample(1, "rss", "bytes", 1e6),
            sample(2, "rows", "events", 7.0),
            sample(3, "io", "events/s", 8.0),
        ],
        events: vec![EventRow {
            at: Nanos::ZERO,
            kind: "gone".into(),
            subject: "shop-1".into(),
            text: "it died".into(),
        }],
    }
}

/// What is told after these seconds.
fn told(head: &Head, seconds: &[Second]) -> Snapshot {
    let mut registry = Registry::new(KeptOut::default());
    seconds.iter().for_each(|second| registry.add(second, head));
    registry.snapshot().unwrap()
}
