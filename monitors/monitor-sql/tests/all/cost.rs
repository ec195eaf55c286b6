//! What a sample costs, printed: opt-in, since a figure of this machine proves nothing about another.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Taken, monitor, with_server};
use clock::Clock;
use contract::{Facts, Samples};
use terms::Nanos;

/// `cargo test -p monitor-sql --test cost -- --ignored --nocapture`
#[test]
#[ignore = "prints what a sample costs here; takes half a minute"]
fn cost_of_a_sample_with_and_without_clients() {
    with_server(|server| {
        let clock = Clock::system();
        server
            .client()
            .run("create table loan(id int primary key); insert into loan select generate_series(1, 100000)");
        let loans = [("loans", "select count(*) from loan")];
        for (clients, values) in [(0, &[][..]), (15, &[][..]), (15, &loans[..])] {
            let open: Vec<_> = (0..clients).map(|_| server.client()).collect();
            let mut monitor = monitor(&server.url(), values, Nanos::SECOND);
            let mut out = Samples::default();
            let mut busy = 0.0;
            for _ in 0..10 {
                clock.sleep_until(clock.now() + Nanos::from_millis(900));
                monitor.sample(clock.now(), &mut out).unwrap();
                let taken = Taken::of(&mut out, &["loans"]);
                busy += taken.get("cpu", "database").unwrap_or_default() / 9.0;
            }
            let mut facts = Facts::default();
            monitor.facts(&mut facts);
            let cost = facts.0.iter().find(|fact| fact.1 == "cost of a sample").unwrap().2.clone();
            println!(
                "{clients} clients: {cost}; the server's processor time with nothing but the samples: {busy:?} cores"
            );
            drop(open);
        }
    });
}
