//! What is told is what the seconds hold.

use super::{head, second, told};
use crate::names::{Kind, METRICS, number};
use crate::{Registry, Snapshot, Value};
use proptest::prelude::*;
use record::ThresholdHead;
use scrub::KeptOut;
use std::collections::BTreeMap;
use terms::Histogram;

type Series = BTreeMap<(usize, Vec<(String, String)>), Value>;

fn series(snapshot: &Snapshot) -> Series {
    let of = |(name, value): &(&'static str, std::sync::Arc<str>)| ((*name).to_owned(), value.to_string());
    let points =
        snapshot.families.iter().flat_map(|family| family.points.iter().map(move |point| (family.number, point)));
    points.map(|(number, point)| ((number, point.labels.iter().map(of).collect()), point.value.clone())).collect()
}

fn sum(series: &Series, number: usize) -> u64 {
    let own = series.iter().filter(|((of, _), _)| *of == number);
    own.map(|(_, value)| match value {
        Value::Count(count) => *count,
        Value::Times(times) => times.count,
        other => panic!("{other:?}"),
    })
    .sum()
}

/// Whether nothing of `after` is below what it was in `before`.
fn has_grown(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Count(before), Value::Count(after)) => before <= after,
        (Value::Sum(before), Value::Sum(after)) => before <= after,
        (Value::Times(before), Value::Times(after)) => {
            before.count <= after.count
                && before.cumulative().zip(after.cumulative()).all(|(before, after)| before <= after)
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn counters_never_decrease_and_are_the_sums_of_the_seconds(counts in prop::collection::vec((0u64..50, 0u64..9), 1..12)) {
        let (head, mut registry, mut before) = (head(), Registry::new(KeptOut::default()), Series::new());
        let (mut ok, mut late) = (0, 0);
        for (place, (more, more_late)) in counts.iter().enumerate() {
            registry.add(&second(place as i64, *more, *more_late), &head);
            let now = series(&registry.snapshot().unwrap());
            (ok, late) = (ok + more, late + more_late);
            for (key, value) in before.iter().filter(|((number, _), _)| METRICS[*number].kind != Kind::Gauge) {
                prop_assert!(has_grown(value, &now[key]), "{key:?}");
            }
            prop_assert_eq!(sum(&now, number::CALLS), ok + late);
            prop_assert_eq!(sum(&now, number::RESPONSE), ok);
            prop_assert_eq!(sum(&now, number::RECEIVED), 100 * ok);
            prop_assert_eq!(sum(&now, number::INTENDED), ok + late);
            prop_assert_eq!(sum(&now, number::COMPLETED) + sum(&now, number::FAILED), ok + late);
            before = now;
        }
    }
}

#[test]
fn a_share_below_a_limit_is_the_one_that_the_load_has_counted() {
    let mut head = head();
    let limit = |measure: &str, limit_ns: i64, inclusive: bool| ThresholdHead {
        leg: 0,
        measure: measure.into(),
        limit_ns,
        inclusive,
    };
    let of_another_leg = ThresholdHead { leg: 1, ..limit("response", 200_000_000, true) };
    head.exchanges[0].thresholds = vec![
        limit("response", 200_000_000, false),
        limit("response", 200_000_000, true),
        limit("service", 200_000_000, true),
        of_another_leg,
    ];
    // Ten calls: five took 10 ms and five 200 ms, whose bucket reaches beyond 200 ms.
    let mut open = second(0, 10, 0);
    open.exchanges[0].below = vec![5, 10, 8];
    let below = |seconds: &[follow::Second], number: usize| {
        let snapshot = told(&head, seconds);
        let place = snapshot.layout.place(200_000_000).unwrap();
        match series(&snapshot).into_iter().find(|((of, _), _)| *of == number).unwrap().1 {
            Value::Times(times) => times.cumulative().nth(place).unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let twice = [open.clone(), open.clone()];
    assert_eq!((below(&twice, number::RESPONSE), below(&twice, number::SERVICE)), (20, 16));
    // A closed load has service times alone, and rules on response times are about them.
    let mut closed = open;
    closed.exchanges[0].response = Histogram::new();
    assert_eq!(below(&[closed], number::SERVICE), 10);
}

#[test]
fn series_are_bounded_and_the_rest_is_counted_together() {
    let (head, mut registry) = (head(), Registry::new(KeptOut::default()));
    let mut flood = second(0, 1, 0);
    let event = flood.events[0].clone();
    flood.events =
        (0..10_000).map(|number| record::EventRow { subject: format!("shop-{number}"), ..event.clone() }).collect();
    flood.exchanges =
        (0..1_000).map(|number| follow::ExchangeSecond { exchange: number, ..flood.exchanges[0].clone() }).collect();
    registry.add(&flood, &head);
    let snapshot = registry.snapshot().unwrap();
    let points: usize = snapshot.families.iter().map(|family| family.points.len()).sum();
    assert!(points < 4_040, "{points}");
    let all = series(&snapshot);
    assert_eq!(
        (sum(&all, number::EVENTS), sum(&all, number::CALLS), sum(&all, number::SERVICE)),
        (10_000, 1_000, 1_000)
    );
    assert!(registry.left_out() > 6_000, "{}", registry.left_out());
    let told = all.iter().find(|((number, _), _)| *number == number::LEFT_OUT).unwrap().1;
    assert!(matches!(told, Value::Level(level) if *level > 6_000.0), "{told:?}");
}

#[test]
fn a_level_that_nobody_measures_any_more_is_gone_once_and_then_unmentioned() {
    let (head, mut registry) = (head(), Registry::new(KeptOut::default()));
    registry.add(&second(0, 1, 0), &head);
    registry.snapshot().unwrap();
    let rss = |snapshot: &Snapshot| -> Vec<Value> {
        let own = snapshot.families.iter().filter(|family| family.number == number::WATCHED_SIZE);
        own.flat_map(|family| family.points.iter().map(|point| point.value.clone())).collect()
    };
    let quiet =
        |at: i64| follow::Second { second: at, wall_ns: super::ORIGIN + at * 1_000_000_000, ..Default::default() };
    registry.add(&quiet(10), &head);
    assert_eq!(rss(&registry.snapshot().unwrap()), [Value::Level(1e6)]);
    registry.add(&quiet(11), &head);
    assert_eq!(rss(&registry.snapshot().unwrap()), [Value::Gone]);
    registry.add(&quiet(12), &head);
    assert_eq!(rss(&registry.snapshot().unwrap()), []);
    let ending = registry.ending().unwrap();
    assert!(ending.families.iter().flat_map(|family| &family.points).all(|point| point.value == Value::Gone));
}

#[test]
fn time_goes_on_where_the_wall_clock_goes_back() {
    let (head, mut registry) = (head(), Registry::new(KeptOut::default()));
    registry.add(&second(5, 1, 0), &head);
    let before = registry.snapshot().unwrap().wall_ns;
    registry.add(&follow::Second { wall_ns: 3, ..second(6, 1, 0) }, &head);
    assert!(registry.snapshot().unwrap().wall_ns > before);
}
