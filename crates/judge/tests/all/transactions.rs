//! Calls that are booked as one, too: judged by name, and never counted among the calls.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Run, study_of_scenarios};
use terms::Verdict;

/// 40/s: `x` (1 ms), a wait, `y` (40 ms) as one; with chance `x` as another one.
const SHOP: &str = "
    shop: { load: { arrivals: 40/s, hold: 120s }, run: [ x, { transaction: checkout, run: [ x, think: 2s, y ] }, choose: { x: 50%, more: { share: 50%, run: [ { transaction: again, run: [x] } ] } } ] }";

fn shop(rules: &str, workers: u16) -> Run {
    Run::simulated(&study_of_scenarios(SHOP, &format!("requirements:\n{rules}")), workers)
}

#[test]
fn rules_name_a_transaction_as_an_exchange() {
    let rules = "  fast: p95(checkout.response) < 42ms
  slow: p95(checkout.response) < 40ms
  within: share(checkout.response < 41.5ms) >= 100%
  right: share(checkout.failed) <= 1%
  often: rate(checkout.ok) >= 38/s
  count: count(checkout) = 4800
  begun: count(checkout.started) = 4800
  chance: count(again.ok) / count(checkout.ok) >= 40%
  calls: count(*.ok) = 19200
  each: max(*.response) <= 40.1ms per exchange";
    for workers in [1, 3] {
        let run = shop(rules, workers);
        for (id, verdict) in [
            ("fast", Verdict::Met),
            ("slow", Verdict::NotMet),
            ("within", Verdict::Met),
            ("right", Verdict::Met),
            ("often", Verdict::Met),
            ("count", Verdict::Met),
            ("begun", Verdict::Met),
            ("chance", Verdict::Met),
            ("calls", Verdict::Met),
        ] {
            let result = run.result(id);
            assert_eq!(result.verdict, verdict, "{id}: {result:?}");
        }
        // Each exchange has its own verdict; a transaction is none.
        let scopes: Vec<String> = run.results("each").iter().map(|result| result.scope.to_string()).collect();
        assert_eq!(scopes, ["shop/hold/x", "shop/hold/y"]);
    }
}

#[test]
fn a_step_has_its_transactions_beside_its_exchanges() {
    let run = shop("  right: share(*.ok) >= 100%", 2);
    let step = run.step_result("hold");
    let names = |results: &[judge::ExchangeResult]| results.iter().map(|it| it.id.clone()).collect::<Vec<_>>();
    assert_eq!(names(&step.exchanges), ["x", "y"]);
    assert_eq!(names(&step.transactions), ["checkout", "again"]);
    let checkout = &step.transactions[0];
    assert_eq!((checkout.intended, checkout.started), (4800.0, 4800));
    let times = checkout.legs[0].response.as_ref().unwrap();
    assert!((times.min - 41.0).abs() < 0.1 && (times.max - 41.0).abs() < 0.1, "{times:?}");
    assert_eq!(step.exchanges.iter().map(|it| it.started).sum::<u64>(), 4800 * 4);
}

#[test]
fn its_time_is_not_counted_twice() {
    let run = shop("  right: share(*.ok) >= 100%", 2);
    let step = run.step_result("hold");
    // Little: 40/s, each 3 · 1 ms + 40 ms and 2 s of think time; the first two seconds fill up.
    let in_flight = step.in_flight.unwrap();
    assert!(in_flight.off.abs() < 0.01 && (in_flight.counted - 40.0 * 2.043).abs() < 1.5, "{in_flight:?}");
    // p99 of the lateness of what was scheduled stays that of the calls.
    assert!(run.sign("balance").is_none_or(|sign| terms::Validity::from(sign.state) == terms::Validity::Valid));
}

#[test]
fn a_loop_is_one_a_pass_and_what_was_never_begun_is_planned_for_nobody() {
    let shop = "
    shop: { load: { arrivals: 20/s, hold: 60s }, run: [ { times: 3, run: [ { transaction: order, run: [ x, y ] } ] } ] }";
    let rules = "requirements:\n  done: count(order.ok) = 3600\n  planned: count(order.intended) = 3600\n  lost: count(order.dropped) = 0";
    let run = Run::simulated(&study_of_scenarios(shop, rules), 2);
    for id in ["done", "planned", "lost"] {
        assert_eq!(run.result(id).verdict, Verdict::Met, "{id}: {:?}", run.result(id));
    }
}
