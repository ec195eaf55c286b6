//! Users whose number changes: each stage is a step of its own, with figures of its own.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Run, study_of};
use terms::{Validity, Verdict};

/// Up, hold, spike, fewer, none; an iteration takes 10 ms and thinks for 490 ms: a user makes two a second.
const LOAD: &str = "{ users: [ { to: 10, over: 20s }, { users: 10, for: 60s }, { users: 40, for: 30s }, { to: 10, over: 10s }, { users: 10, for: 60s }, { to: 0, over: 10s } ] }";

fn staged(rules: &str, workers: u16) -> Run {
    Run::simulated(&study_of(LOAD, rules).replace("run: [x]", "run: [ x, think: 490ms ]"), workers)
}

#[test]
fn every_stage_has_the_rate_that_its_users_make() {
    for workers in [1, 2, 3] {
        let run = staged("right: share(x.ok) >= 100%", workers);
        for (id, users, seconds, per_s) in
            [("hold 1", 10, 60.0, 20.0), ("hold 2", 40, 30.0, 80.0), ("hold 3", 10, 60.0, 20.0)]
        {
            let step = run.step_result(id);
            assert_eq!((step.users, step.seconds), (Some(users), seconds), "{id}");
            assert!((step.achieved_per_s - per_s).abs() < 0.03 * per_s, "{id}: {}", step.achieved_per_s);
            assert!(step.books.balances() && step.books.open() == 0, "{id}: {:?}", step.books);
            // Little: as many in flight as users, waiting or thinking.
            let in_flight = step.in_flight.unwrap();
            assert!(in_flight.off.abs() < 0.02, "{id}: {in_flight:?}");
            assert!((in_flight.counted / f64::from(users) - 1.0).abs() < 0.03, "{id}: {in_flight:?}");
        }
        let down = run.step_result("ramp 10 to 0 users");
        // One after another, the last at the end of 10 s: 10 + 9 + … + 1 seconds of two iterations.
        assert!((down.books.started as f64 - 110.0).abs() <= 12.0, "{:?}", down.books);
        assert_eq!((down.books.aborted, down.users), (0, Some(0)), "who goes ends the iteration in hand");
    }
}

#[test]
fn requirements_look_at_all_holds_or_at_each() {
    let run = staged("right: share(x.ok) >= 100%\nstep: rate(x) >= 70/s per step\nfast: p95(x) < 20ms", 2);
    assert_eq!(run.result("right").verdict, Verdict::Met);
    assert_eq!(run.result("fast").verdict, Verdict::Met);
    let each: Vec<_> = run.results("step").into_iter().map(|it| (it.scope.to_string(), it.verdict)).collect();
    let met = |scope: &str| each.iter().find(|(known, _)| known == scope).map(|(_, verdict)| *verdict);
    assert_eq!(met("s/hold 2"), Some(Verdict::Met), "{each:?}");
    assert_eq!([met("s/hold 1"), met("s/hold 3")], [Some(Verdict::NotMet); 2], "{each:?}");
    assert_eq!(run.judge().validity, Validity::Valid, "{:?}", run.judge().signs);
}
