//! Searches: what becomes of each attempt, which comes next, and what stands for the run.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Run, evenly, study_of_scenarios};
use judge::searches::{AttemptResult, Outcome as Came, SearchResult, Standing, Why};
use record::EventRow;
use terms::{Nanos, Outcome, Severity};

/// Seconds of each hold.
const HOLD: i64 = 60;

/// Three attempts between 16/s and 4096/s: √(16·4096) = 256, √(16·256) = 64 and √(64·256) = 128.
fn attempts() -> Run {
    attempts_of("x", "p95(x.response) < 50 ms")
}

fn attempts_of(items: &str, rule: &str) -> Run {
    let attempt = |number: u32, rate: u32| {
        format!(
            "peak_{number}: {{ set: {{ rate: {rate}/s }}, point: {{ of: peak, number: {number}, \
             search: {{ vary: rate, from: 16/s, to: 4096/s, passes: 1 of 1 }} }}, \
             load: {{ arrivals: {rate}/s, hold: {HOLD}s }}, run: [{items}] }}\n"
        )
    };
    let scenarios = [attempt(1, 256), attempt(2, 64), attempt(3, 128)].concat();
    let keys = format!("vars: {{ rate: 16/s }}\nrequirements: {{ fast: {rule} }}");
    Run::of(&study_of_scenarios(&scenarios, &keys))
}

/// Number of an attempt's hold, and the second in which it begins.
fn hold(run: &Run, attempt: usize) -> (u32, i64) {
    let mut holds = run.evidence.steps.iter().filter(|step| step.id == "hold");
    let step = holds.nth(attempt - 1).unwrap();
    (step.number, step.from.second())
}

/// The first is far too slow, the second well within the limit although every eighth call fails.
fn until_the_second() -> Run {
    let mut run = attempts();
    let (step, from) = hold(&run, 1);
    run.add(&evenly(step, from, HOLD, 256, |_, mut call| {
        call.took = Nanos::from_millis(400);
        call
    }));
    let (step, from) = hold(&run, 2);
    let failed = |number: u64| if number % 8 == 7 { Outcome::Status } else { Outcome::Ok };
    run.add(&evenly(step, from, HOLD, 64, |number, call| call.ended(failed(number))));
    run
}

/// The third with every call ended alike.
fn with_third(outcome: Outcome) -> Run {
    let mut run = until_the_second();
    let (step, from) = hold(&run, 3);
    run.add(&evenly(step, from, HOLD, 128, |_, call| call.ended(outcome)));
    run
}

fn search(run: &Run) -> SearchResult {
    run.judge().searches.pop().unwrap()
}

fn told(attempt: &AttemptResult) -> (Came, bool, &str) {
    (attempt.outcome, attempt.is_sure, attempt.reason.code.as_str())
}

fn next(found: &SearchResult) -> Option<&str> {
    match &found.standing {
        Standing::Next(next) => next.values.first().map(|(_, value)| value.as_str()),
        Standing::Over(_) => None,
    }
}

#[test]
fn each_attempt_has_its_figures_and_the_next_follows() {
    let run = with_third(Outcome::Ok);
    let judgement = run.judge();
    let found = &judgement.searches[0];
    let outcomes: Vec<_> = found.attempts.iter().map(told).collect();
    assert_eq!(outcomes, [(Came::Failed, true, "not_met"), (Came::Passed, true, "met"), (Came::Passed, true, "met")]);
    let figures: Vec<_> =
        found.attempts.iter().map(|it| (it.load, it.throughput_per_s.round(), it.failed_share)).collect();
    // Of 15,360 calls that take 400 ms 102 end behind the hold; of 64 a second eight fail.
    assert_eq!(figures, [(256.0, 254.0, Some(0.0)), (64.0, 56.0, Some(0.125)), (128.0, 128.0, Some(0.0))]);
    assert_eq!((found.held, found.failed, found.best), (Some(128.0), Some(256.0), Some(2)));
    // √(128·256), in tenths.
    assert_eq!(next(found), Some("181/s"));
    // What was tried to find out whether it is too much weighs nothing in the verdict on the run.
    let weights: Vec<Severity> = judgement.requirements.iter().map(|result| result.severity).collect();
    assert_eq!(weights, [Severity::Informative, Severity::Informative, Severity::Must]);
    assert_eq!(judgement.exit_code(&run.study), 0);
    assert!(judgement.capacity.lines.is_empty(), "the search says where the limit lies, and nothing else does");
}

/// Without a warm-up the first second of calls of a second brings none, and the last ends after the hold.
#[test]
fn a_hold_that_fills_up_first_has_not_fallen_behind() {
    let of = |took: fn(f64) -> f64| {
        let mut run = attempts_of("x", "share(x.failed) <= 1%");
        let (step, from) = hold(&run, 1);
        run.add(&evenly(step, from, HOLD, 256, |_, mut call| {
            call.took = Nanos::from_secs_f64(took(call.at - from as f64));
            call
        }));
        search(&run).attempts[0].clone()
    };
    assert_eq!(told(&of(|_| 1.0)), (Came::Passed, true, "met"));
    // A system that serves nine of ten has a queue that grows.
    assert_eq!(told(&of(|at| 1.0 + at / 9.0)), (Came::Failed, true, "behind"));
    // Of calls that take a third of the hold nobody tells which it is.
    assert_eq!(told(&of(|_| 20.0)), (Came::Failed, true, "behind"));
}

#[test]
fn what_was_never_sent_lets_no_attempt_pass() {
    let mut run = attempts_of("x, y", "share(y.failed) <= 1%");
    let (step, from) = hold(&run, 1);
    let calls = evenly(step, from, HOLD, 256, |k, call| if k % 2 == 0 { call } else { call.ended(Outcome::Status) });
    let later: Vec<_> =
        calls.iter().filter(|call| call.outcome == Outcome::Ok).map(|call| call.of(1).later()).collect();
    run.add(&[calls, later].concat());
    assert_eq!(told(&search(&run).attempts[0]), (Came::Void, true, "no_value"));
}

#[test]
fn what_did_not_work_did_not_hold() {
    let found = search(&with_third(Outcome::Status));
    assert_eq!(told(&found.attempts[2]), (Came::Failed, true, "nothing_ok"));
    // √(64·128), in tenths.
    assert_eq!((found.held, found.failed, next(&found)), (Some(64.0), Some(128.0), Some("90.5/s")));
}

#[test]
fn a_replica_that_is_lost_fails_the_attempt_and_one_that_stays_away_ends_the_search() {
    let (_, from) = hold(&attempts(), 3);
    let mut run = with_third(Outcome::Ok);
    run.event(from as f64 + 5.0, "gone", "shop.1");
    let found = search(&run);
    assert_eq!(told(&found.attempts[2]), (Came::Failed, true, "degraded"));
    assert_eq!((found.standing.clone(), found.held), (Standing::Over(Why::Degraded), Some(64.0)));
    run.event(from as f64 + 9.0, "restart", "shop.1");
    let found = search(&run);
    assert_eq!((told(&found.attempts[2]).2, next(&found)), ("degraded", Some("90.5/s")));
    // Looks are a second apart: what dies at the very end of an attempt is seen after it.
    let mut run = with_third(Outcome::Ok);
    let end = run.evidence.steps.last().unwrap().to;
    run.event(end.as_secs_f64() + 0.9, "gone", "shop.1");
    assert_eq!(told(&search(&run).attempts[2]), (Came::Failed, true, "degraded"), "seen at the next look");
    let mut run = with_third(Outcome::Ok);
    run.event(end.as_secs_f64() + 1.5, "gone", "shop.1");
    assert_eq!(told(&search(&run).attempts[2]).0, Came::Passed, "gone after the attempt");
    // Gone before the attempt begins, it is missing in all of it.
    let mut run = with_third(Outcome::Ok);
    run.event(from as f64 - 0.5, "gone", "shop.1");
    assert_eq!(told(&search(&run).attempts[2]), (Came::Failed, true, "degraded"));
}

#[test]
fn what_was_decided_then_stands_and_a_difference_is_told() {
    let mut run = with_third(Outcome::Ok);
    let at = run.evidence.steps.last().unwrap().to;
    let (kind, subject) = (judge::searches::ATTEMPT.to_owned(), "peak_3".to_owned());
    run.evidence.events.push(EventRow { at, kind, subject, text: "failed at rate 128/s".into() });
    let found = search(&run);
    assert_eq!((found.attempts[2].outcome, found.attempts[2].decided), (Came::Passed, Some(Came::Failed)));
    assert_eq!((found.held, found.failed, next(&found)), (Some(64.0), Some(128.0), Some("90.5/s")));
}

#[test]
fn an_attempt_that_did_not_end_and_one_that_was_not_asked_for_say_nothing() {
    let mut run = with_third(Outcome::Ok);
    let (number, _) = hold(&run, 3);
    run.evidence.steps.iter_mut().find(|step| step.number == number).unwrap().is_ended = false;
    let found = search(&run);
    assert_eq!((found.attempts.len(), next(&found)), (2, Some("128/s")));
    // A folder whose second attempt had another load than the search asks for.
    let mut run = with_third(Outcome::Ok);
    run.study.scenarios[1].set[0].1 = "65/s".into();
    let found = search(&run);
    assert_eq!((found.held, found.failed, next(&found)), (None, Some(256.0), Some("64/s")));
}

/// Users and calls a second of six steps. What each user has for a call is its time, all but a hundredth.
const STEPS: [(u32, u32, u64); 6] = [(5, 2, 20), (8, 2, 32), (11, 2, 44), (14, 2, 57), (17, 2, 67), (20, 2, 80)];

fn by_steps() -> Run {
    let attempt = |(place, (threads, nodes, _)): (usize, &(u32, u32, u64))| {
        let number = place + 1;
        let users = threads * nodes;
        format!(
            "steps_{number}: {{ set: {{ threads: {threads}, nodes: {nodes} }}, point: {{ of: steps, number: {number}, \
             search: {{ rule: nsp, first: {{ threads: 5, nodes: 2 }}, raise: {{ threads: 3, nodes: 1 }}, target: 60%, \
             most: {{ threads: 50, nodes: 10 }} }} }}, load: {{ users: {users}, hold: {HOLD}s }}, run: [x] }}\n"
        )
    };
    let scenarios: String = STEPS.iter().enumerate().map(attempt).collect();
    let mut run = Run::of(&study_of_scenarios(&scenarios, "vars: { threads: 5, nodes: 2 }"));
    for (place, (threads, nodes, rate)) in STEPS.iter().enumerate() {
        let (step, from) = hold(&run, place + 1);
        let took = Nanos::from_secs_f64(0.99 * f64::from(threads * nodes) / *rate as f64);
        run.add(&evenly(step, from, HOLD, *rate, |_, mut call| {
            call.took = took;
            call
        }));
    }
    run
}

#[test]
fn steps_together_say_what_their_curve_is_and_how_it_goes_with_the_load() {
    use judge::trends::{Said, Subject};
    let run = by_steps();
    let judgement = run.judge();
    let curve = judgement.searches[0].curve.as_ref().unwrap();
    let loads: Vec<f64> = curve.points.iter().map(|point| point.0).collect();
    assert_eq!(loads, [10.0, 16.0, 22.0, 28.0, 34.0, 40.0]);
    assert_eq!(curve.law.as_ref().unwrap_err().code, "no_bend");
    assert_eq!(curve.knee.as_ref().unwrap_err().code, "straight");
    assert_eq!(curve.little.len(), 6);
    for of in &curve.little {
        // What lies across the ends of the hold is some calls of hundreds.
        assert!(of.off.unwrap().abs() < 0.03, "{of:?}");
    }
    let [course] = &judgement.courses[..] else { panic!("{:?}", judgement.courses) };
    assert!(course.is_users && course.scopes.len() == 6);
    let said = |of: &Subject| course.trends.iter().find(|trend| trend.subject == *of).unwrap();
    let throughput = said(&Subject::Throughput);
    assert_eq!(throughput.said, Said::Rises);
    let slope = throughput.slope.as_ref().unwrap();
    assert!((slope.value - 2.0).abs() < 0.05 && slope.low < 2.0 && slope.high > 2.0, "{slope:?}");
    assert_eq!(said(&Subject::Time).said, Said::Hardly);
    // Five loads are too few for the law, four for a trend.
    let mut run = by_steps();
    let last = [5, 6].map(|attempt| hold(&run, attempt).0);
    run.evidence.steps.retain(|step| !last.contains(&step.number));
    let judgement = run.judge();
    let curve = judgement.searches[0].curve.as_ref().unwrap();
    assert_eq!(curve.law.as_ref().unwrap_err().code, "few_loads");
    let throughput = judgement.courses[0].trends.iter().find(|trend| trend.subject == Subject::Throughput).unwrap();
    assert!(matches!(&throughput.said, Said::CannotTell(reason) if reason.code == "few"), "{throughput:?}");
}

/// A replica that was lost in one attempt: its system is another, so no law is fitted, and no trend has it.
#[test]
fn attempts_without_a_replica_are_of_another_system() {
    let mut run = by_steps();
    let (_, from) = hold(&run, 4);
    run.event(from as f64 + 5.0, "gone", "shop.1");
    run.event(from as f64 + 50.0, "restart", "shop.1");
    let judgement = run.judge();
    let curve = judgement.searches[0].curve.as_ref().unwrap();
    assert_eq!(curve.law.as_ref().unwrap_err().code, "regimes");
    assert_eq!((curve.points.len(), curve.little.len()), (5, 6));
    assert_eq!(judgement.courses[0].scopes.len(), 5);
}
