//! Runs told second by second, against what was recorded.

use crate::{Follower, Second};
use proptest::prelude::*;
use record::{
    EngineRow, Entry, EventRow, ExchangeHead, Folded, Head, IterationRow, LegHead, LegRow, MetricHead, MonitorHead,
    Observed, OutcomeRow, SampleRow, StartRow, StepHead, StepMark, Writer, create,
};
use std::path::Path;
use terms::{Books, Histogram, Nanos, Outcome, Population};

fn head(workers: u32) -> Head {
    let step = |phase: &str| StepHead { id: phase.into(), phase: phase.into(), ..StepHead::default() };
    let metric = MetricHead { name: "cpu".into(), unit: "cores".into(), ..MetricHead::default() };
    Head {
        id: "trial".into(),
        workers,
        wall_origin_ns: 1_795_255_200_000_000_000,
        steps: vec![step("hold"), step("drain")],
        exchanges: vec![ExchangeHead {
            name: "search".into(),
            legs: vec![LegHead::of_exchange("all")],
            ..ExchangeHead::default()
        }],
        monitors: vec![MonitorHead { name: "host".into(), metrics: vec![metric], ..MonitorHead::default() }],
        ..Head::default()
    }
}

fn leg(second: i64, population: Population, times_ms: &[i64]) -> LegRow {
    let mut times = Histogram::new();
    times_ms.iter().for_each(|time| times.record(Nanos::from_millis(*time)));
    LegRow {
        step: 0,
        exchange: 0,
        leg: 0,
        stream: u16::MAX,
        population,
        intended_s: second,
        end_s: second,
        count: times.total(),
        units: times.total(),
        bytes: 10 * times.total(),
        below: vec![times_ms.iter().filter(|time| **time <= 20).count() as u64],
        response: times.to_sparse(),
        service: times.to_sparse(),
    }
}

fn outcome(second: i64, outcome: Outcome, count: u64) -> OutcomeRow {
    OutcomeRow { step: 0, exchange: 0, leg: 0, stream: u16::MAX, outcome, intended_s: second, end_s: second, count }
}

fn books(second: i64, books: Books) -> IterationRow {
    IterationRow { step: 0, stream: u16::MAX, intended_s: second, end_s: second, books }
}

fn mark(step: u32, second: i64, is_end: bool) -> StepMark {
    StepMark { step, at: Nanos::from_secs(second), is_end }
}

/// What a thread hands over for a second: three calls that succeed, one that does not.
fn thread(worker: u16, second: i64) -> [Observed; 2] {
    let mut lateness = Histogram::new();
    lateness.record_n(Nanos::from_micros(20 + i64::from(worker)), 4);
    let start = StartRow {
        step: 0,
        exchange: 0,
        stream: u16::MAX,
        intended_s: second,
        started: 4,
        lateness: lateness.to_sparse(),
    };
    let ended = Books { intended: 4, started: 4, completed: 3, failed: 1, ..Books::default() };
    let folded = Folded {
        legs: vec![leg(second, Population::Ok, &[10, 20, 30]), leg(second, Population::Failed, &[900])],
        starts: vec![start],
        outcomes: vec![outcome(second, Outcome::Ok, 3), outcome(second, Outcome::Timeout, 1)],
        iterations: vec![books(second, ended)],
        ..Folded::default()
    };
    let engine = EngineRow {
        second,
        worker,
        in_flight_mean: 1.5,
        waiting_max: 2,
        sessions: 5,
        cpu_s: 0.1 * f64::from(worker + 1),
        run_queue_s: 0.01,
        ..EngineRow::default()
    };
    [Observed::Load(folded), Observed::Engine(engine)]
}

fn sample(millis: i64, value: Option<f64>) -> Observed {
    let at = Nanos::from_millis(millis);
    Observed::Samples(vec![SampleRow { at, monitor: 0, instance: "shop".into(), metric: 0, value }])
}

fn event(second: i64) -> EventRow {
    EventRow { at: Nanos::from_secs(second), kind: "gone".into(), subject: "shop".into(), text: "it died".into() }
}

fn told(follower: &mut Follower) -> Vec<Second> {
    let mut all = Vec::new();
    loop {
        let more = follower.next().unwrap();
        if more.is_empty() {
            return all;
        }
        all.extend(more);
    }
}

fn whole(path: &Path) -> Vec<Second> {
    let mut follower = Follower::open(path).unwrap();
    let all = told(&mut follower);
    assert!(follower.is_over());
    all
}

fn add(writer: &mut Writer, seen: &[Observed]) {
    seen.iter().for_each(|seen| writer.add(seen).unwrap());
}

/// Two threads hold a load for twenty seconds; each round writes what a second leaves behind and calls `each`.
fn carried_out(path: &Path, mut each: impl FnMut(i64, &mut Writer)) {
    let mut writer = create(path, &head(2), "study: Trial\n").unwrap();
    writer.add(&Observed::Step(mark(0, 0, false))).unwrap();
    for second in 0..20 {
        add(&mut writer, &thread(0, second));
        add(&mut writer, &thread(1, second));
        add(&mut writer, &[sample(second * 1000 + 200, Some(0.2)), sample(second * 1000 + 700, Some(0.7))]);
        if second == 7 {
            writer.write(Entry::Event(event(7))).unwrap();
        }
        writer.sync().unwrap();
        each(second, &mut writer);
    }
    add(&mut writer, &[Observed::Step(mark(0, 20, true)), sample(22_000, None)]);
    writer.finish(&head(2)).unwrap();
}

#[test]
fn a_second_holds_what_was_recorded_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    carried_out(&path, |_, _| {});
    let all = whole(&path);
    assert_eq!(all.iter().map(|second| second.second).collect::<Vec<_>>(), (0..20).chain([22]).collect::<Vec<_>>());
    let second = &all[7];
    assert_eq!(second.wall_ns, 1_795_255_208_000_000_000);
    assert_eq!(second.steps, [0]);
    let [exchange] = second.exchanges.as_slice() else { panic!("{:?}", second.exchanges) };
    assert_eq!((exchange.ok, exchange.units, exchange.bytes), (6, 6, 80));
    assert_eq!(exchange.outcomes, [(Outcome::Timeout, 2)]);
    assert_eq!(exchange.below, [4], "two of three calls of each thread, none of those that failed");
    assert_eq!((exchange.response.total(), exchange.response.max()), (6, Some(Nanos::from_millis(30))));
    assert_eq!(second.parts.len(), 1);
    assert_eq!((second.parts[0].books.intended, second.parts[0].books.failed), (8, 2));
    let generator = second.generator.unwrap();
    assert_eq!((generator.threads, generator.waiting_max, generator.sessions, generator.started), (2, 4, 10, 8));
    assert!((generator.cpu_s - 0.3).abs() < 1e-9 && (generator.cpu_busiest_s - 0.2).abs() < 1e-9);
    assert!((generator.in_flight_mean - 3.0).abs() < 1e-9 && (generator.run_queue_s - 0.02).abs() < 1e-9);
    assert!((generator.run_queue_worst_s - 0.01).abs() < 1e-9);
    assert_eq!(generator.lateness_max, Some(Nanos::from_micros(21)));
    let [newest] = second.samples.as_slice() else { panic!("{:?}", second.samples) };
    assert_eq!((newest.monitor.as_str(), newest.metric.as_str(), newest.unit.as_str()), ("host", "cpu", "cores"));
    assert_eq!((newest.instance.as_str(), newest.value), ("shop", 0.7));
    assert_eq!((second.events.as_slice(), all[8].events.len()), ([event(7)].as_slice(), 0));
    // A sample that did not come is a gap, and after the load no step is in hand.
    assert_eq!((all[20].samples.len(), all[20].steps.len(), all[20].generator), (0, 0, None));
}

#[test]
fn a_run_told_while_it_goes_on_is_told_as_it_is_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let (mut follower, mut seconds) = (None, Vec::new());
    carried_out(&path, |second, _| {
        let follower = follower.get_or_insert_with(|| Follower::open(&path).unwrap());
        seconds.extend(told(follower));
        assert_eq!(seconds.len() as i64, second, "the second that has just ended has a second of grace");
        assert!(!follower.is_over());
    });
    let mut follower = follower.unwrap();
    seconds.extend(told(&mut follower));
    assert!(follower.is_over());
    assert_eq!(seconds, whole(&path));
}

#[test]
fn a_thread_that_tells_nothing_is_waited_for_three_seconds_and_adds_to_a_later_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut writer = create(&path, &head(2), "study: Trial\n").unwrap();
    writer.add(&Observed::Step(mark(0, 0, false))).unwrap();
    let mut follower = Follower::open(&path).unwrap();
    let mut seconds = Vec::new();
    for second in 0..6 {
        add(&mut writer, &thread(0, second));
        writer.sync().unwrap();
        seconds.extend(told(&mut follower).into_iter().map(|second| second.second));
        assert_eq!(seconds.len() as i64, (second - 2).max(0), "{seconds:?}");
    }
    // It wakes up, and hands over second 0, which was told.
    add(&mut writer, &thread(1, 0));
    for second in 1..=5 {
        add(&mut writer, &thread(1, second));
    }
    writer.sync().unwrap();
    let late = told(&mut follower);
    assert_eq!((late[0].second, late[0].parts[0].books.intended), (3, 4 + 4 * 4));
    assert_eq!(late.len(), 2, "4 as well: all have closed it, and the record has gone on");
    writer.finish(&head(2)).unwrap();
    let rest = told(&mut follower);
    let intended = |seconds: &[Second]| seconds.iter().map(|second| second.parts[0].books.intended).sum::<u64>();
    assert_eq!(3 * 4 + intended(&late) + intended(&rest), 2 * 6 * 4, "nothing is lost");
}

#[test]
fn a_finished_run_is_handed_out_few_seconds_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut writer = create(&path, &head(1), "study: Trial\n").unwrap();
    for second in 0..200 {
        add(&mut writer, &thread(0, second));
    }
    writer.finish(&head(1)).unwrap();
    let mut follower = Follower::open(&path).unwrap();
    let mut pieces = Vec::new();
    while !follower.is_over() {
        pieces.push(follower.next().unwrap().len());
    }
    assert_eq!(pieces.iter().sum::<usize>(), 200);
    assert!(pieces.iter().all(|piece| *piece <= 64), "{pieces:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Whatever seconds rows speak of, and in whatever order they come, no call is lost or counted twice, and each second
    /// is told once, behind those before it.
    #[test]
    fn sums_over_all_seconds_are_those_of_the_run(
        rows in prop::collection::vec((-3_i64..40, 0_u16..3, 1_u64..50), 1..60),
        looks in 1_usize..8,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let mut writer = create(&path, &head(3), "study: Trial\n").unwrap();
        let mut follower = Follower::open(&path).unwrap();
        let mut seconds = Vec::new();
        for (number, &(second, worker, count)) in rows.iter().enumerate() {
            let folded = Folded {
                outcomes: vec![outcome(second, Outcome::Ok, count)],
                iterations: vec![books(second, Books { intended: count, ..Books::default() })],
                ..Folded::default()
            };
            let engine = EngineRow { second, worker, ..EngineRow::default() };
            add(&mut writer, &[Observed::Load(folded), Observed::Engine(engine)]);
            if number % looks == 0 {
                writer.sync().unwrap();
                seconds.extend(told(&mut follower));
            }
        }
        writer.finish(&head(3)).unwrap();
        seconds.extend(told(&mut follower));
        prop_assert!(follower.is_over());
        let all: u64 = rows.iter().map(|(.., count)| count).sum();
        let ok: u64 = seconds.iter().flat_map(|second| &second.exchanges).map(|exchange| exchange.ok).sum();
        let intended: u64 = seconds.iter().flat_map(|second| &second.parts).map(|part| part.books.intended).sum();
        prop_assert_eq!((ok, intended), (all, all));
        prop_assert!(seconds.windows(2).all(|pair| pair[0].second < pair[1].second));
    }
}

#[test]
fn seconds_that_cannot_be_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut writer = create(&path, &head(1), "study: Trial\n").unwrap();
    for second in [i64::MIN, 3, i64::MAX] {
        let at = Nanos(second);
        writer.write(Entry::Event(EventRow { at, ..event(0) })).unwrap();
        add(&mut writer, &[Observed::Engine(EngineRow { second, worker: 0, ..EngineRow::default() })]);
        writer.add(&Observed::Step(StepMark { step: second as u32, at, is_end: second == 3 })).unwrap();
    }
    writer.finish(&head(1)).unwrap();
    let told: Vec<i64> = whole(&path).iter().map(|second| second.second).collect();
    assert_eq!(told, [0, 3]);
}
