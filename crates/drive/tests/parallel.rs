//! Calls that an iteration makes at once, in simulated time: how long they take together, and that the books balance.
#![allow(clippy::unwrap_used, reason = "a test")]

mod booked;

use booked::{Booked, ms, open, plan};
use plan::{LoadPlan, ScenarioPlan, UserPlan};
use std::collections::BTreeMap;
use study::{Item, Parallel};
use terms::{Books, Nanos, Outcome};

/// Answer after 7 ms, after 20 ms, after 20 ms and each tenth of its calls wrongly, after a minute.
const QUICK: u16 = 0;
const LONG: u16 = 1;
const UNSOUND: u16 = 2;
const SLOW: u16 = 3;
const CALLS: [&[(&str, &str)]; 4] = [
    &[("service", "7ms")],
    &[("service", "20ms")],
    &[("service", "20ms"), ("fail_every", "10")],
    &[("service", "60s")],
];
const WHOLE: usize = 4;

fn simulate(plan: &ScenarioPlan, workers: u16) -> (Vec<Booked>, Books) {
    booked::simulate(plan, workers, &CALLS, 1)
}

fn parallel(calls: &[u16], at_once: u32) -> Item {
    Item::Transaction(WHOLE as u16, vec![Item::Parallel(Parallel { calls: calls.to_vec(), at_once })])
}

fn closed(users: u32) -> LoadPlan {
    LoadPlan::Closed { users: UserPlan::ramp(users, Nanos::ZERO, None), pacing: None, count: None }
}

#[test]
fn six_of_ten_calls_of_equal_length_take_two_rounds() {
    for workers in [1, 3] {
        let run = vec![parallel(&[QUICK; 10], 6), Item::Exchange(LONG)];
        let (all, books) = simulate(&plan(open(50.0, None), ms(1000), run), workers);
        assert_eq!((all[WHOLE].started, all[WHOLE].count(Outcome::Ok)), (1000, 1000));
        assert_eq!((all[WHOLE].response, all[WHOLE].service), (Some((ms(14), ms(14))), Some((ms(14), ms(14)))));
        assert_eq!((all[0].started, all[0].response), (10_000, Some((ms(7), ms(7)))), "each call is booked as ever");
        assert_eq!((all[1].started, all[1].response), (1000, Some((ms(20), ms(20)))), "it counts from the last end");
        assert_eq!((books.intended, books.completed), (1000, 1000));
    }
}

#[test]
fn a_call_begins_when_the_first_of_those_before_it_has_ended() {
    // 20 ms beside 7, 14 and 21 ms: the last end counts, wherever it is in the list.
    for (calls, whole) in [(&[LONG, QUICK, QUICK, QUICK][..], 21), (&[QUICK, LONG][..], 20), (&[LONG, QUICK][..], 20)] {
        let (all, _) = simulate(&plan(open(50.0, None), ms(1000), vec![parallel(calls, 2)]), 1);
        assert_eq!(all[WHOLE].service, Some((ms(whole), ms(whole))), "{calls:?}");
    }
}

#[test]
fn never_more_are_in_hand_than_the_study_says() {
    // As many servers as calls at a time: one call more, and it would wait for one.
    let calls: [&[(&str, &str)]; 1] = [&[("service", "7ms"), ("servers", "6")]];
    for (at_once, most) in [(6, 7), (7, 14)] {
        let item = Item::Transaction(1, vec![Item::Parallel(Parallel { calls: vec![0; 10], at_once })]);
        let (all, _) = booked::simulate(&plan(open(20.0, None), ms(1000), vec![item]), 1, &calls, 1);
        assert_eq!(all[0].service, Some((ms(7), ms(most))), "{at_once} at a time");
    }
}

#[test]
fn one_at_a_time_books_what_calls_in_a_row_do() {
    let calls = [QUICK, UNSOUND, QUICK];
    let in_a_row = Item::Transaction(WHOLE as u16, calls.map(Item::Exchange).to_vec());
    for load in [open(100.0, Some(1)), open(50.0, None), closed(5)] {
        let booked = |item: &Item| simulate(&plan(load.clone(), ms(1000), vec![item.clone(), Item::Exchange(LONG)]), 2);
        assert_eq!(booked(&parallel(&calls, 1)), booked(&in_a_row));
    }
}

#[test]
fn users_and_bounds_count_iterations_and_not_their_connections() {
    let (all, books) = simulate(&plan(closed(5), ms(1000), vec![parallel(&[LONG; 4], 4)]), 2);
    // Five users for 20 s, 20 ms each time.
    assert_eq!((books.started, books.completed, all[1].started), (5000, 5000, 20_000));
    assert_eq!((all[WHOLE].response, all[WHOLE].service), (None, Some((ms(20), ms(20)))));
    // One iteration at a time, 100 a second, 20 ms each: the last of two thousand waits twenty seconds.
    let (all, _) = simulate(&plan(open(100.0, Some(1)), Nanos::from_secs(60), vec![parallel(&[LONG; 4], 4)]), 1);
    assert_eq!(all[WHOLE].response, Some((ms(20), ms(20) * 2000 - ms(10) * 1999)));
    assert_eq!(all[1].response, all[WHOLE].response, "all four count from the same moment");
}

#[test]
fn a_failure_among_them_is_that_of_all_and_the_others_go_on() {
    let run = vec![parallel(&[QUICK, UNSOUND, QUICK, QUICK], 2), Item::Exchange(QUICK)];
    let (all, books) = simulate(&plan(open(50.0, None), ms(1000), run), 1);
    assert_eq!((books.failed, books.completed), (100, 900));
    assert_eq!((all[2].count(Outcome::Status), all[WHOLE].count(Outcome::Status)), (100, 100));
    assert_eq!((all[0].started, all[WHOLE].started), (4000, 1000));
}

#[test]
fn what_is_cut_off_balances_and_begins_no_other_call() {
    for load in [open(10.0, None), closed(20)] {
        let is_open = matches!(load, LoadPlan::Open { .. });
        let run = vec![parallel(&[SLOW; 10], 6), Item::Exchange(QUICK)];
        let (all, books) = simulate(&plan(load, Nanos::from_secs(5), run), 2);
        let iterations = if is_open { 200 } else { 20 };
        assert_eq!((books.intended, books.started, books.aborted), (iterations, iterations, iterations));
        let aborted = |count| BTreeMap::from([(Outcome::Aborted, count)]);
        assert_eq!((all[3].started, all[3].outcomes.clone()), (iterations * 6, aborted(iterations * 6)));
        assert_eq!((all[WHOLE].started, all[WHOLE].outcomes.clone()), (iterations, aborted(iterations)));
        assert_eq!(all[0], Booked::default());
    }
    // Cut off with some ended and some in hand: what has ended stays so.
    let (all, books) = simulate(&plan(open(10.0, None), Nanos::from_secs(5), vec![parallel(&[QUICK, SLOW], 2)]), 1);
    assert_eq!((all[0].count(Outcome::Ok), all[3].count(Outcome::Aborted), books.aborted), (200, 200, 200));
}

#[test]
fn a_call_past_its_time_out_ends_and_the_next_takes_its_place() {
    let run = vec![parallel(&[SLOW, QUICK, QUICK, LONG], 2), Item::Exchange(QUICK)];
    let (all, books) = simulate(&plan(open(10.0, None), Nanos::from_secs(600), run), 1);
    assert_eq!((all[3].count(Outcome::Timeout), books.failed, all[0].started, all[1].started), (200, 200, 600, 200));
    assert_eq!(all[WHOLE].service, all[3].service, "the last end is that of the one that was cut off");
}
