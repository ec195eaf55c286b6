//! Events with numbers: lost, double and out of order, counted exactly.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{
    EVENT, HEAD, connected, count, due, ends, events, heard, numbered, sending, serving, told, until_left,
};
use contract::{Incoming, Probe, Settings};
use std::io::Write;
use terms::{Nanos, Outcome};
use testkit::text;

const OK: Outcome = Outcome::Ok;

/// An exchange whose events have an hour: what is missing is so by its number.
fn patient(url: String) -> Settings {
    Settings { within: [("event".to_owned(), Nanos::from_secs(3600))].into(), ..numbered(url, &[]) }
}

#[test]
fn what_is_lost_is_missing_at_once_when_128_later_ones_have_come() {
    // Two are left out, and the last one is the 128th behind them; the numbers begin anywhere.
    let numbers: Vec<i64> = (500..=800).filter(|number| ![510, 511].contains(number)).collect();
    let (say, server) = told(HEAD);
    let mut lab = connected(patient(server.url()));
    due(&mut lab, 301);
    say.send(events(numbers)).unwrap();
    let mut all = std::collections::BTreeMap::new();
    assert!(lab.until(|lab| {
        ends(&lab.seen(), EVENT).into_iter().for_each(|(outcome, count)| *all.entry(outcome).or_insert(0) += count);
        lab.recorder.awaiting() == 0
    }));
    assert_eq!(all, [(OK, 299), (Outcome::Missing, 2)].into());
}

#[test]
fn what_is_still_left_out_when_the_connection_ends_is_missing_and_the_rest_ends_with_it() {
    let server = serving(|_, _, stream| {
        let _ = stream.write_all(format!("{HEAD}{}", events([1, 2, 4, 7])).as_bytes());
        1
    });
    let mut lab = connected(patient(server.url()));
    let seen = heard(&mut lab, 9);
    // Three were sent and lost; two were never sent.
    let expected = [(OK, 4), (Outcome::Reset, 2), (Outcome::Missing, 3)];
    assert_eq!(ends(&seen, EVENT), expected, "{}", seen.note);
    assert!(seen.note.contains("its number was left out"), "{}", seen.note);
}

#[test]
fn what_comes_twice_is_no_arrival_and_what_comes_late_is_one() {
    let server = sending(format!("{HEAD}{}", events([1, 2, 2, 5, 3, 3, 4, 6])));
    let mut lab = connected(numbered(server.url(), &[]));
    let seen = heard(&mut lab, 8);
    assert_eq!(ends(&seen, EVENT), [(OK, 6), (Outcome::Missing, 2), (Outcome::Duplicate, 2)]);
    assert_eq!((lab.counted("unordered"), lab.counted("surplus")), (2, 0));
    assert!(seen.note.contains("whose number had come before"), "{}", seen.note);
}

#[test]
fn an_event_behind_a_hole_does_not_take_its_place() {
    // The load is over after three, and the server sends on: the hole stays one.
    let server = sending(format!("{HEAD}{}", events([1, 3, 4, 5, 6, 7])));
    let mut lab = connected(numbered(server.url(), &[]));
    let seen = heard(&mut lab, 3);
    assert_eq!(ends(&seen, EVENT), [(OK, 2), (Outcome::Missing, 1)]);
}

#[test]
fn a_wrong_event_without_a_number_has_the_one_that_is_left_out() {
    let wrong = "data: {\"fault\":\"wrong\"}\n\n";
    let server = serving(move |_, _, stream| {
        let _ = stream.write_all(format!("{HEAD}{}{wrong}{}", events([1, 2]), events([4, 5])).as_bytes());
        1
    });
    let seen = heard(&mut connected(patient(server.url())), 5);
    assert_eq!(ends(&seen, EVENT), [(OK, 4), (Outcome::Wrong, 1)], "{}", seen.note);
}

#[test]
fn what_is_lost_before_it_is_due_is_missing_when_it_is() {
    let server = serving(|_, _, stream| {
        let _ = stream.write_all(format!("{HEAD}{}", events([1, 4])).as_bytes());
        1
    });
    let mut lab = connected(patient(server.url()));
    assert!(lab.until(|lab| !lab.is_connected(0)));
    let seen = heard(&mut lab, 6);
    assert_eq!(ends(&seen, EVENT), [(OK, 2), (Outcome::Reset, 2), (Outcome::Missing, 2)], "{}", seen.note);
}

#[test]
fn a_leap_costs_no_time_and_no_more_than_is_planned() {
    for expect in [Some(10.0), None] {
        let server = serving(|_, _, stream| {
            let _ = stream.write_all(format!("{HEAD}{}", events([1, i64::MAX - 1, -5])).as_bytes());
            1
        });
        let settings = numbered(server.url(), &[("max_event", text("1kB"))]);
        let incoming = Incoming { expect, ..settings.incoming.clone() };
        let mut lab = connected(Settings { incoming, ..settings });
        assert!(lab.until(|lab| !lab.is_connected(0)));
        let seen = heard(&mut lab, 5);
        assert!(count(&seen, EVENT) <= (1 << 17) + 5, "{seen:?}");
        if expect.is_some() {
            assert_eq!(count(&seen, EVENT), 5, "each of what is planned has one end");
        }
    }
}

#[test]
fn the_id_of_an_event_may_be_its_number() {
    let server = sending(format!("{HEAD}{}", events([1, 2, 2, 3])));
    let settings = numbered(server.url(), &[]);
    let sequence = Some(Probe::Header("id".into()));
    let incoming = Incoming { sequence, ..settings.incoming.clone() };
    let seen = heard(&mut connected(Settings { incoming, ..settings }), 3);
    assert_eq!(ends(&seen, EVENT), [(OK, 3), (Outcome::Duplicate, 1)]);
}

#[test]
fn numbers_of_a_connection_are_its_own() {
    let server = serving(|number, _, stream| {
        let numbers = if number == 0 { [1, 2, 3] } else { [101, 102, 103] };
        let _ = stream.write_all(format!("{HEAD}{}", events(numbers)).as_bytes());
        until_left(stream)
    });
    let around = testkit::Surroundings { slots: 2, ..testkit::Surroundings::default() };
    let mut lab = testkit::Lab::with(driver_sse::SSE, &[patient(server.url())], around);
    for slot in 0..2 {
        assert_eq!(lab.connect(slot, 0), OK);
        (0..3).for_each(|_| assert_eq!(lab.send(slot, 0), OK));
    }
    lab.settle();
    assert_eq!(ends(&lab.seen(), EVENT), [(OK, 6)]);
}
