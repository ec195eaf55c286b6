//! Gaps between the messages that come on a connection, at known moments of a simulated clock.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{GAP, around, body_is, numbered, peer, url};
use clock::Clock;
use contract::Settings;
use driver_ws::WS;
use terms::{Histogram, Nanos, Outcome};
use testkit::{Lab, Surroundings};

/// Sends a message on each of these slots at each of these milliseconds, and waits for what the server makes of it; the gaps
/// that were booked, in milliseconds and in order.
fn gaps(lab: &mut Lab, clock: &Clock, slots: u32, moments: &[i64]) -> Vec<i64> {
    let mut booked = Histogram::new();
    for at in moments {
        clock.advance_to(Nanos::from_millis(*at));
        for slot in 0..slots {
            lab.send(slot, 0);
            while lab.recorder.awaiting() > 0 {
                lab.turn(Nanos::SECOND);
            }
        }
        let legs = lab.recorder.drain().fold().legs;
        legs.iter().filter(|row| row.leg == GAP).for_each(|row| booked.merge_sparse(&row.response));
    }
    let count = booked.total();
    let of_rank = |rank: u64| booked.quantile(rank as f64 / count as f64).unwrap();
    (1..=count).map(|rank| (of_rank(rank).as_millis_f64()).round() as i64).collect()
}

fn lab(settings: Settings, clock: &Clock, slots: u32) -> Lab {
    let mut lab = Lab::with(WS, &[settings], Surroundings { clock: clock.clone(), slots, ..around() });
    (0..slots).for_each(|slot| assert_eq!(lab.connect(slot, 0), Outcome::Ok));
    lab
}

#[test]
fn a_gap_is_the_time_between_two_messages_of_one_connection() {
    let server = peer(|_, message| vec![message]);
    let clock = Clock::simulated();
    let mut lab = lab(Settings { checks: vec![body_is("sent")], ..numbered(url(&server), &[]) }, &clock, 2);
    // The first of a connection has none before it; 100, 250 and 1000 ms lie between the others, on both.
    assert_eq!(gaps(&mut lab, &clock, 2, &[50, 150, 400, 1400]), [100, 100, 250, 250, 1000, 1000]);
}

#[test]
fn messages_that_nobody_asked_for_have_gaps_too() {
    // Each is answered twice, and what is too much comes at the same moment or with the next.
    let server = peer(|_, message| vec![message.clone(), message]);
    let clock = Clock::simulated();
    let mut lab = lab(Settings { checks: vec![body_is("sent")], ..numbered(url(&server), &[]) }, &clock, 1);
    let booked = gaps(&mut lab, &clock, 1, &[0, 100, 200]);
    assert!(booked.len() >= 4, "three answers, and all that came besides before the last of them: {booked:?}");
    // Whatever comes late, the gaps add up to the time from the first message to the last.
    assert_eq!(booked.iter().sum::<i64>(), 200, "{booked:?}");
}
