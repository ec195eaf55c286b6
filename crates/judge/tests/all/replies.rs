//! Replies that come after all: never more than were missing.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Run, study_with};
use contract::NO_STREAM;
use judge::Arg;
use record::OutcomeRow;
use terms::Outcome;

#[test]
fn messages_sent_again_bring_more_late_replies_than_were_missing() {
    let exchange = "letter: { mail.send: { service: 5ms }, legs: { reply: { within: 4s } } }";
    let mut run =
        Run::of(&study_with("letter", "{ arrivals: 10/s, hold: 20s }", exchange, "any: count(letter.accepted) >= 0"));
    let step = run.step("hold");
    let row = |outcome, second, count| OutcomeRow {
        step,
        exchange: 0,
        leg: 1,
        stream: NO_STREAM,
        outcome,
        intended_s: second,
        end_s: second + 5,
        count,
    };
    // Of each second six were missing; to most of them two late replies came, in one second only three in all.
    for second in 0..20 {
        run.rows.outcomes.push(row(Outcome::Missing, second, 6));
        run.rows.outcomes.push(row(Outcome::Late, second, if second == 0 { 3 } else { 12 }));
    }
    let args = run.finding("REPLIES").unwrap().args();
    let count = |name: &str| args[name].clone();
    assert_eq!((count("missing"), count("after_all")), (Arg::Count(120.0), Arg::Count(117.0)));
    assert_eq!(count("again"), Arg::Count(114.0), "the rest of 231 late replies");
}

#[test]
fn events_that_did_not_come_are_told_apart_from_those_without_a_connection() {
    let exchange = "feed: { radio.hear: { service: 5ms }, legs: { event: { expect: 5/s } } }";
    let load = "{ connections: 10, hold: 20s }";
    let told = |outcomes: &[(Outcome, u64)]| {
        let mut run = Run::of(&study_with("feed", load, exchange, "any: count(feed.event) >= 0"));
        let step = run.step("hold");
        let row = |(outcome, count): &(Outcome, u64)| OutcomeRow {
            step,
            exchange: 0,
            leg: 0,
            stream: NO_STREAM,
            outcome: *outcome,
            intended_s: 3,
            end_s: 4,
            count: *count,
        };
        run.rows.outcomes.extend(outcomes.iter().map(row));
        assert!(run.finding("REPLIES").is_none(), "nothing was sent that could have been accepted");
        run.finding("EVENTS")
    };
    let lost = [
        (Outcome::Ok, 900),
        (Outcome::Missing, 40),
        (Outcome::Refused, 50),
        (Outcome::Wrong, 10),
        (Outcome::Duplicate, 3),
    ];
    let args = told(&lost).unwrap().args();
    let counts = ["planned", "right", "missing", "connectionless", "wrong", "duplicate"].map(|name| args[name].clone());
    assert_eq!(counts, [1000.0, 900.0, 40.0, 50.0, 10.0, 3.0].map(Arg::Count));
    assert!(told(&[(Outcome::Ok, 1000)]).is_none());
}

#[test]
fn a_volume_is_that_of_the_slowest_leg_and_not_of_one_that_nothing_waits_for() {
    let exchange = "letter: { mail.send: { service: 5ms }, legs: { reply: { within: 4s } } }";
    let study = study_with("letter", "{ arrivals: 10/s, hold: 60s }", exchange, "any: count(letter.accepted) >= 0");
    let volumes = "capacity: { volumes: { year: { of: rate(letter.accepted), from: s, hours: 1, days: 10 } } }\n";
    let mut run = Run::of(&format!("{study}{volumes}"));
    let step = run.step("hold");
    // All are accepted, and four in five answered.
    run.add(&crate::common::evenly(step, run.evidence.steps[0].from.second(), 60, 10, |_, call| call));
    let accepted = run.rows.legs.clone();
    let answered = accepted.into_iter().filter(|row| row.intended_s % 5 != 0);
    run.rows.legs.extend(answered.map(|row| record::LegRow { leg: 1, ..row }));
    let judgement = run.judge();
    let [volume] = &judgement.capacity.volumes[..] else { panic!("{:?}", judgement.capacity.volumes) };
    assert_eq!(volume.formula, "rate(letter.reply)");
    assert!((volume.rate_per_s.unwrap() - 8.0).abs() < 0.2, "{volume:?}");
}
