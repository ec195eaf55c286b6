//! The real loop in simulated time, held against what must be true.
#![allow(clippy::unwrap_used, reason = "a test")]

mod planned;

use clock::Clock;
use drive::{Blueprint, Control, DriverUse, Kept, Marks, run_scenario, simulate_scenario};
use plan::{LoadPlan, ScenarioPlan, Schedule, Segment, UserPlan};
use proptest::prelude::*;
use record::Entry;
use recorder::{ExchangeLayout, Folded, Layout, Measure, Shared, Threshold};
use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use study::{Item, Think};
use terms::{Books, Histogram, Nanos, Population};
use testkit::{NoNames, SIMULATED, settings};

/// What a simulated scenario left behind, merged.
#[derive(Default)]
struct Totals {
    response: Histogram,
    service: Histogram,
    books: Books,
    started: u64,
    below: u64,
    in_flight: f64,
    waiting: u32,
}

fn setup(entries: &[(&str, &str)], workers: u16) -> Blueprint<'static> {
    let legs = SIMULATED.exchanges[0].legs;
    let limit = Threshold { leg: 0, measure: Measure::Response, limit: Nanos::from_millis(100), inclusive: false };
    Blueprint {
        drivers: vec![DriverUse { kind: SIMULATED, settings: vec![settings("call", 0, "call", entries)] }],
        names: &NoNames,
        base: ".".into(),
        shared: Shared { seed: 1, ..Shared::default() },
        layout: Arc::new(Layout::new(vec![ExchangeLayout { legs, thresholds: vec![limit] }])),
        workers,
        mailbox: None,
        nonce: 0,
        sessions_max: 100_000,
    }
}

fn scenario(load: LoadPlan, run: Vec<Item>) -> ScenarioPlan {
    let length = match &load {
        LoadPlan::Open { schedule, .. } => Some(schedule.length()),
        LoadPlan::Held(held) => Some(held.length),
        LoadPlan::Closed { .. } => None,
    };
    planned::scenario(load, length, run)
}

fn open(rate: f64, seconds: i64, poisson: Option<u64>, max_in_flight: Option<u32>) -> LoadPlan {
    let segments = vec![Segment::constant(rate, Nanos::from_secs(seconds))];
    let schedule =
        poisson.map_or_else(|| Schedule::even(segments.clone()), |seed| Schedule::poisson(segments.clone(), seed));
    LoadPlan::Open { schedule, max_in_flight }
}

fn simulate(plan: &ScenarioPlan, setup: &Blueprint<'_>) -> Totals {
    let seen = RefCell::new(Totals::default());
    simulate_scenario(plan, std::slice::from_ref(setup), &|entry| match entry {
        Entry::Load(batch) => add(&mut seen.borrow_mut(), batch.fold()),
        Entry::Engine(row) => {
            let mut seen = seen.borrow_mut();
            seen.in_flight += row.in_flight_mean;
            seen.waiting = seen.waiting.max(row.waiting_max);
        }
        _ => {}
    })
    .expect("the simulated driver builds");
    seen.into_inner()
}

fn add(seen: &mut Totals, folded: Folded) {
    for row in folded.legs.iter().filter(|row| row.population == Population::Ok) {
        seen.response.merge_sparse(&row.response);
        seen.service.merge_sparse(&row.service);
        seen.below += row.below[0];
    }
    for row in &folded.iterations {
        seen.books += row.books;
    }
    seen.started += folded.starts.iter().map(|row| row.started).sum::<u64>();
}

fn close_to(found: Nanos, truth_ms: f64, tolerance_ms: f64) {
    let found = found.as_millis_f64();
    assert!((found - truth_ms).abs() <= tolerance_ms, "{found} ms, not {truth_ms} ± {tolerance_ms} ms");
}

#[test]
fn a_stall_of_one_second_in_twenty_shows_in_p99() {
    // 5 % of arrivals fall into the stall and wait between 0 and 1 s, evenly: P(wait > x) = 0.05·(1 − x), so p99 lies
    // at 0.8 s. Arrivals are 5 ms apart, so the rank may fall one arrival beside.
    let setup = setup(&[("service", "1ms"), ("stall_every", "20s"), ("stall_for", "1s")], 2);
    let seen = simulate(&scenario(open(200.0, 200, None, None), vec![Item::Exchange(0)]), &setup);
    close_to(seen.response.quantile(0.99).unwrap(), 800.0, 6.0);
    close_to(seen.response.quantile(0.50).unwrap(), 1.0, 0.001);
    assert_eq!(seen.response.max(), Some(Nanos::from_secs(1)));
    assert_eq!(seen.books, Books { intended: 40_000, started: 40_000, completed: 40_000, ..Books::default() });
    // Exactly counted: 199 of 4000 arrivals in each period are due 0 to 995 ms before the end of the stall…
    let slow = seen.response.total() - seen.below;
    let (sure, maybe) = seen.response.count_below(Nanos::from_millis(100));
    assert!((sure..=maybe).contains(&seen.below), "{slow} slow");
}

#[test]
fn too_few_connections_hide_nothing() {
    // 1000/s against freezes of 100 ms every 2 s. With ten connections the arrivals wait with their clocks running,
    // so response times stay those of the open model: p99 near 80.5 ms, though the server sees ten requests a freeze.
    let setup = setup(&[("service", "1ms"), ("stall_every", "2s"), ("stall_for", "100ms")], 1);
    let plenty = simulate(&scenario(open(1000.0, 20, None, None), vec![Item::Exchange(0)]), &setup);
    let narrow = simulate(&scenario(open(1000.0, 20, None, Some(10)), vec![Item::Exchange(0)]), &setup);
    close_to(plenty.response.quantile(0.99).unwrap(), 80.5, 1.6);
    // After a freeze the ten connections work off a hundred arrivals at 10 a millisecond.
    close_to(narrow.response.quantile(0.99).unwrap(), 82.5, 1.7);
    assert!(narrow.service.quantile(0.99).unwrap() < Nanos::from_millis(3), "service time alone hides the freeze");
    assert!(narrow.waiting >= 85, "{}", narrow.waiting);
    assert!(narrow.books.balances() && narrow.books.dropped == 0);
}

#[test]
fn fewer_connections_than_threads_leave_no_arrival_without_one() {
    // One connection carries 100/s of 2 ms each, on eight threads; three do on four.
    for (bound, workers) in [(1, 8), (3, 4), (4, 4)] {
        let setup = setup(&[("service", "2ms")], workers);
        let seen = simulate(&scenario(open(100.0, 20, None, Some(bound)), vec![Item::Exchange(0)]), &setup);
        assert_eq!(seen.books, Books { intended: 2000, started: 2000, completed: 2000, ..Books::default() }, "{bound}");
        close_to(seen.response.max().unwrap(), 2.0, 0.01);
    }
}

/// Means, in service times, of a single server's response and of the same as drawn: both over all arrivals of a run of
/// `seconds` at utilisation `load`, with a service time of 10 ms on average. Each percentile is compared on the way.
fn single_server(load: f64, seconds: i64) -> (f64, f64, f64) {
    let plan = open(load * 100.0, seconds, Some(3), None);
    let LoadPlan::Open { schedule, .. } = &plan else { unreachable!() };
    let mut free_at = 0i64;
    let mut truth = Histogram::new();
    for (serial, arrival) in schedule.starts(0, 1) {
        let service = (-(1.0 - terms::seed::uniform(0x51A7, serial)).ln() * 10.0 * 1e6) as i64;
        free_at = free_at.max(arrival.0) + service;
        truth.record(Nanos(free_at - arrival.0));
    }
    let setup = setup(&[("service", "10ms"), ("servers", "1"), ("random", "true")], 1);
    let seen = simulate(&scenario(plan, vec![Item::Exchange(0)]), &setup);
    assert_eq!(seen.response.total(), truth.total());
    for quantile in [0.5, 0.9, 0.95, 0.99, 0.999, 1.0] {
        assert_eq!(seen.response.quantile(quantile), truth.quantile(quantile), "p{} at {load}", quantile * 100.0);
    }
    // Little's law on the same run: time-weighted number in flight = arrivals × mean response.
    let number = seen.in_flight / seconds as f64;
    let expected = seen.response.sum_ns() / 1e9 / seconds as f64;
    assert!((number / expected - 1.0).abs() < 0.01, "{number} against {expected} at {load}");
    let p95 = seen.response.quantile(0.95).unwrap().as_millis_f64() / 10.0;
    (seen.response.mean().unwrap().as_millis_f64() / 10.0, p95, seen.response.total() as f64)
}

#[test]
fn a_single_server_queue_follows_its_own_recursion_and_theory() {
    // The realised sequence has its own exact answer (Lindley); M/M/1 has R/S = 1/(1 − ρ) and, since its response time
    // is exponential, a p95 of ln 20 times that. The mean of n waiting times has for large n the variance
    // ρ(2 + 5ρ − 4ρ² + ρ³)/((1 − ρ)⁴ n), in service times (Whitt, Management Science 35, 1989); four of its roots are
    // allowed, and as much for the percentile, which moves with the mean.
    for (load, expected) in [(0.5, 2.0), (0.8, 5.0), (0.9, 10.0), (0.95, 20.0)] {
        let (mean, p95, count) = single_server(load, 2000);
        let variance: f64 =
            load * (2.0 + 5.0 * load - 4.0 * load.powi(2) + load.powi(3)) / (1.0 - load).powi(4) / count;
        let allowed = 4.0 * variance.sqrt();
        assert!((mean - expected).abs() < allowed, "ρ = {load}: mean {mean}, not {expected} ± {allowed}");
        let expected = expected * 20f64.ln();
        assert!((p95 - expected).abs() < 20f64.ln() * allowed, "ρ = {load}: p95 {p95}, not {expected}");
    }
}

#[test]
fn closed_users_wait_for_their_answers() {
    // 10 users, 100 ms service, no think time: 100/s for 30 s; one more each that begins in the last instant.
    let users = UserPlan::ramp(10, Nanos::ZERO, None);
    let load = LoadPlan::Closed { users, pacing: None, count: None };
    let plan = planned::scenario(load, Some(Nanos::from_secs(30)), vec![Item::Exchange(0)]);
    let seen = simulate(&plan, &setup(&[("service", "100ms")], 2));
    assert_eq!(seen.books.completed, 3000);
    assert_eq!(seen.response.total(), 0, "a closed load has no intended start");
    close_to(seen.service.quantile(0.99).unwrap(), 100.0, 0.05);
}

#[test]
fn what_was_in_flight_in_a_last_part_of_a_second_counts() {
    let segments = vec![Segment::constant(10.0, Nanos::from_millis(2500))];
    let load = LoadPlan::Open { schedule: Schedule::even(segments), max_in_flight: None };
    let seen = simulate(&scenario(load, vec![Item::Exchange(0)]), &setup(&[("service", "20ms")], 1));
    assert_eq!(seen.books.completed, 25);
    assert!((seen.in_flight - 25.0 * 0.02).abs() < 1e-6, "{} seconds in flight", seen.in_flight);
}

/// In real time: threads are there before the load begins, and a row of its first second would tell the reader of a
/// killed run that this second is over.
#[test]
fn no_second_is_closed_before_it_is_over() {
    let (clock, control, early) = (Clock::system(), Control::new(), Mutex::new(Vec::new()));
    let setup = setup(&[("service", "1ms")], 2);
    let segments = vec![Segment::constant(20.0, Nanos::from_millis(2500))];
    let load = LoadPlan::Open { schedule: Schedule::even(segments), max_in_flight: None };
    let plan = scenario(load, vec![Item::Exchange(0)]);
    let sink = |entry| {
        if let Entry::Engine(row) = entry
            && clock.now() < Nanos::from_secs(row.second + 1)
        {
            early.lock().unwrap().push((row.worker, row.second));
        }
    };
    let marks = Marks { plan: &plan, clock: &clock, control: &control, sink: &sink, rest: &|_, _| None };
    run_scenario(&marks, &[setup], &mut Kept::default()).unwrap();
    let mut early = early.into_inner().unwrap();
    early.sort_unstable();
    early.dedup_by_key(|row| row.0);
    let last = early.iter().map(|row| row.1).max().unwrap_or_default();
    // Each thread's last row is that of the second in which it ended.
    assert!(early.iter().all(|row| row.1 >= last - 1 && row.1 >= 2), "closed before they were over: {early:?}");
}

#[test]
fn nobody_waits_for_a_user_who_only_thinks_on() {
    let users = LoadPlan::Closed { users: UserPlan::ramp(3, Nanos::ZERO, None), pacing: None, count: None };
    let run = vec![Item::Exchange(0), Item::Think(Think::Fixed(Nanos::from_secs(3600)))];
    let plan = planned::scenario(users, Some(Nanos::from_secs(5)), run);
    let last = RefCell::new(0);
    let setup = setup(&[("service", "10ms")], 1);
    let seen = RefCell::new(Totals::default());
    simulate_scenario(&plan, std::slice::from_ref(&setup), &|entry| match entry {
        Entry::Load(batch) => add(&mut seen.borrow_mut(), batch.fold()),
        Entry::Engine(row) => *last.borrow_mut() = row.second,
        _ => {}
    })
    .unwrap();
    assert_eq!((seen.borrow().books.completed, seen.borrow().books.aborted), (3, 0));
    assert!(*last.borrow() <= 5, "the run went on until second {}", last.borrow());
}

#[test]
fn pacing_and_think_time_hold_users_back() {
    let users = UserPlan::ramp(4, Nanos::ZERO, None);
    let ten = Some(Nanos::from_secs(10));
    let paced = LoadPlan::Closed { users: users.clone(), pacing: Some(Nanos::from_millis(500)), count: None };
    let seen = simulate(&planned::scenario(paced, ten, vec![Item::Exchange(0)]), &setup(&[("service", "100ms")], 1));
    assert_eq!(seen.books.completed, 4 * 20);
    let thinking = LoadPlan::Closed { users, pacing: None, count: None };
    let run = vec![Item::Exchange(0), Item::Think(Think::Fixed(Nanos::from_millis(100))), Item::Exchange(0)];
    let seen = simulate(&planned::scenario(thinking, ten, run), &setup(&[("service", "100ms")], 1));
    assert_eq!(seen.books.completed, 4 * 34, "300 ms an iteration, the last begins at 9.9 s");
    assert_eq!(seen.started, 2 * 4 * 34);
}

#[test]
fn a_counted_load_carries_out_exactly_its_count() {
    let users = UserPlan::ramp(7, Nanos::ZERO, None);
    let load = LoadPlan::Closed { users, pacing: None, count: Some(1001) };
    let seen =
        simulate(&scenario(load, vec![Item::Exchange(0)]), &setup(&[("service", "5ms"), ("fail_every", "10")], 3));
    assert_eq!(seen.books, Books { intended: 1001, started: 1001, completed: 901, failed: 100, ..Books::default() });
}

/// What load nodes with a thread each leave behind, their rows carried from process to process.
fn carried(plan: &ScenarioPlan, setup: &Blueprint<'static>) -> Totals {
    let seen = RefCell::new(Totals::default());
    simulate_scenario(plan, std::slice::from_ref(setup), &|entry| {
        let (bytes, _) = record::carry(entry).unwrap();
        for row in record::carried(&bytes).unwrap() {
            if let record::Observed::Load(folded) = row {
                add(&mut seen.borrow_mut(), folded);
            }
        }
    })
    .unwrap();
    seen.into_inner()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn eight_nodes_leave_what_one_leaves_in_all_digits(
        rate in 1.0..400.0f64, seconds in 1i64..12, service_us in 1i64..400_000, poisson: Option<u64>,
    ) {
        let service = format!("{service_us}us");
        let plan = scenario(open(rate, seconds, poisson, None), vec![Item::Exchange(0)]);
        let one = carried(&plan, &setup(&[("service", &service)], 1));
        let eight = carried(&plan, &setup(&[("service", &service)], 8));
        prop_assert_eq!(one.response.to_sparse(), eight.response.to_sparse());
        prop_assert_eq!(one.service.to_sparse(), eight.service.to_sparse());
        prop_assert_eq!((one.books, one.started, one.below), (eight.books, eight.started, eight.below));
    }

    #[test]
    fn the_books_balance_and_the_number_of_threads_changes_nothing_planned(
        rate in 1.0..400.0f64, seconds in 1i64..12, workers in 1u16..5, bound in 1u32..40,
        service_ms in 1i64..400, fail_every in 0u64..9, poisson: Option<u64>,
    ) {
        let entries = [("service", format!("{service_ms}ms")), ("fail_every", fail_every.to_string())];
        let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let plan = scenario(open(rate, seconds, poisson, Some(bound.max(u32::from(workers)))), vec![Item::Exchange(0)]);
        let many = simulate(&plan, &setup(&entries, workers));
        let one = simulate(&plan, &setup(&entries, 1));
        for seen in [&many, &one] {
            let books = seen.books;
            prop_assert!(books.balances(), "{:?}", books);
            prop_assert_eq!(books.open(), 0);
            prop_assert_eq!(books.completed, seen.response.total());
        }
        prop_assert_eq!(many.books.intended, one.books.intended);
    }
}
