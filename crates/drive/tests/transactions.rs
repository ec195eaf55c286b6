//! Exchanges that are booked as one, too, in simulated time: what is their time, and how they end.
#![allow(clippy::unwrap_used, reason = "a test")]

mod booked;

use booked::{Booked, ms, open, plan};
use plan::{LoadPlan, ScenarioPlan, UserPlan};
use std::collections::BTreeMap;
use study::{Choice, Condition, Item, Think};
use terms::{Books, Nanos, Outcome};

/// Answers after 7 ms; after 20 ms, and each tenth of its calls wrongly; after a minute.
const QUICK: u16 = 0;
const UNSOUND: u16 = 1;
const SLOW: u16 = 2;
const CALLS: [&[(&str, &str)]; 3] =
    [&[("service", "7ms")], &[("service", "20ms"), ("fail_every", "10")], &[("service", "60s")]];
/// Numbers of transactions.
const OUTER: u16 = 3;
const INNER: u16 = 4;

fn simulate(plan: &ScenarioPlan, workers: u16) -> (Vec<Booked>, Books) {
    booked::simulate(plan, workers, &CALLS, 2)
}

fn think(time: Nanos) -> Item {
    Item::Think(Think::Fixed(time))
}

fn condition(left: &str) -> Condition {
    Condition { text: left.into(), place: contract::Place::default(), left: left.into(), compare: None, is_not: false }
}

fn way(share: f64, run: Vec<Item>) -> Choice {
    Choice { name: "way".into(), share, run }
}

/// Two quick calls with waits before, between and behind them.
fn two() -> Item {
    let calls = vec![think(ms(30)), Item::Exchange(QUICK), think(ms(50)), Item::Exchange(QUICK), think(ms(20))];
    Item::Transaction(OUTER, calls)
}

#[test]
fn its_time_is_that_of_its_calls_without_the_waits() {
    for workers in [1, 3] {
        let (all, books) = simulate(&plan(open(50.0, None), ms(1000), vec![two(), Item::Exchange(QUICK)]), workers);
        assert_eq!((all[3].started, all[3].count(Outcome::Ok)), (1000, 1000));
        assert_eq!((all[3].response, all[3].service), (Some((ms(14), ms(14))), Some((ms(14), ms(14)))));
        assert_eq!((all[0].started, all[0].response), (3000, Some((ms(7), ms(7)))), "its calls are booked as ever");
        assert_eq!((books.intended, books.completed), (1000, 1000));
    }
}

#[test]
fn users_have_service_times_of_it_alone() {
    let users = UserPlan::ramp(5, Nanos::ZERO, None);
    let load = LoadPlan::Closed { users, pacing: None, count: None };
    let (all, books) = simulate(&plan(load, ms(1000), vec![two()]), 2);
    assert_eq!((all[3].response, all[3].service), (None, Some((ms(14), ms(14)))));
    assert_eq!((all[3].started, books.completed), (books.started, books.started));
}

#[test]
fn one_that_begins_an_iteration_counts_from_its_intended_start() {
    // One connection, 100 a second, 14 ms each: the last of two thousand waits eight seconds.
    let run = vec![Item::Transaction(OUTER, vec![Item::Exchange(QUICK), Item::Exchange(QUICK)])];
    let (all, _) = simulate(&plan(open(100.0, Some(1)), Nanos::from_secs(60), run), 1);
    assert_eq!(all[3].service, Some((ms(14), ms(14))));
    let (least, most) = all[3].response.unwrap();
    assert_eq!((least, most), (ms(14), ms(14) * 2000 - ms(10) * 1999));
}

#[test]
fn it_is_as_good_as_the_first_of_its_calls_that_failed() {
    let run = vec![Item::Transaction(
        OUTER,
        vec![Item::Exchange(QUICK), Item::Transaction(INNER, vec![Item::Exchange(UNSOUND)]), Item::Exchange(QUICK)],
    )];
    let (all, books) = simulate(&plan(open(50.0, None), ms(1000), run), 1);
    let failed = all[1].count(Outcome::Status) + all[1].count(Outcome::Wrong);
    assert!(failed == 100 && books.failed == 100, "{all:?}");
    for whole in [3, 4] {
        assert_eq!(all[whole].outcomes, all[1].outcomes, "of the same class");
    }
    assert_eq!((all[3].service, all[4].service), (Some((ms(34), ms(34))), Some((ms(20), ms(20)))));
}

#[test]
fn each_pass_is_one_and_a_pass_without_a_call_is_none() {
    let ways = vec![way(0.5, vec![Item::Exchange(QUICK)]), way(0.5, Vec::new())];
    let inner = Item::Transaction(INNER, vec![Item::Choose(ways), think(ms(1))]);
    let run = vec![
        Item::While(condition("1"), 3, vec![Item::Transaction(OUTER, vec![inner, Item::Exchange(QUICK)])]),
        Item::Times(2, vec![Item::Transaction(OUTER, vec![Item::Exchange(QUICK)])]),
    ];
    let (all, _) = simulate(&plan(open(50.0, None), ms(1000), run), 2);
    assert_eq!((all[3].started, all[3].count(Outcome::Ok)), (5000, 5000));
    assert_eq!(all[4].started, all[0].started - 5000, "once for each call that chance chose");
    // Half of 3000; standard deviation 27.
    assert!(all[4].started.abs_diff(1500) < 140, "{}", all[4].started);
}

#[test]
fn one_that_is_cut_off_is_aborted_and_the_books_balance() {
    let slow = |run| vec![Item::Transaction(OUTER, run)];
    let waits = vec![Item::Exchange(QUICK), think(Nanos::from_secs(60)), Item::Exchange(QUICK)];
    for run in [slow(vec![Item::Exchange(QUICK), Item::Exchange(SLOW)]), slow(waits)] {
        let (all, books) = simulate(&plan(open(10.0, None), Nanos::from_secs(5), run), 1);
        assert_eq!((books.started, books.aborted), (200, 200));
        assert_eq!((all[3].started, all[3].outcomes.clone()), (200, BTreeMap::from([(Outcome::Aborted, 200)])));
    }
    // What had failed before it was cut off has failed.
    let run = slow(vec![Item::Exchange(UNSOUND), Item::Exchange(SLOW)]);
    let (all, books) = simulate(&plan(open(10.0, None), Nanos::from_secs(5), run), 1);
    assert_eq!((all[3].count(Outcome::Aborted), books.aborted, books.failed), (180, 180, 20));
}

#[test]
fn a_load_without_transactions_books_none() {
    let (all, _) = simulate(&plan(open(50.0, None), ms(1000), vec![Item::Exchange(QUICK)]), 1);
    assert_eq!((&all[3], &all[4]), (&Booked::default(), &Booked::default()));
}
