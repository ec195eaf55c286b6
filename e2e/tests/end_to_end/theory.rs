//! The figures against servers whose true answer is known.
//!
//! Each comparison is first with what the target itself recorded of this very run (its own books are the truth of what
//! happened), so a busy machine makes the target late but never makes the test wrong.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, leg, step, target};
use serde_json::Value;

const QUANTILES: [(&str, f64); 5] = [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("max", 1.0)];

fn nearest_rank(sorted: &[f64], quantile: f64) -> f64 {
    let rank = (quantile * sorted.len() as f64 - 1e-9).ceil().max(1.0) as usize;
    sorted[rank.min(sorted.len()) - 1]
}

/// What the target saw of this run by its own books, ms, each sorted. The first is a bound from below: it ends before
/// the target's write. The second ends when that had returned, which a busy machine may make later than the answer was
/// read at the other end. The third is a bound from above, known where users ask again at once: no
/// request went out before its user's last answer did, and none was still awaited when its user's next had come.
struct TargetTimes {
    until_begun: Vec<f64>,
    until_sent: Vec<f64>,
    between_calls: Option<Vec<f64>>,
}

fn seen_by_target(target: &target_common::probe::Target) -> TargetTimes {
    let entries = target.sequence().expect("the target tells its sequence");
    let sent: Vec<_> = entries.iter().filter(|entry| entry.real_ns.is_some()).collect();
    let sorted = |until: &dyn Fn(&target_common::sequence::Entry) -> u64| {
        let mut times: Vec<f64> = sent.iter().map(|it| until(it).saturating_sub(it.arrival_ns) as f64 / 1e6).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let until_sent = sorted(&|it| it.real_ns.expect("sent"));
    TargetTimes { until_begun: sorted(&|it| it.begun_ns.expect("sent")), until_sent, between_calls: None }
}

/// As above, of `users` in one line who ask again at once: who leaves the line joins it next.
fn seen_by_target_of(target: &target_common::probe::Target, users: usize) -> TargetTimes {
    let entries = target.sequence().expect("the target tells its sequence");
    let sent: Vec<u64> = entries.iter().map(|entry| entry.real_ns.unwrap_or(entry.due_ns)).collect();
    let between = |number: usize, entry: &target_common::sequence::Entry| {
        // The first and the last of each user have their arrival and departure instead.
        let from = number.checked_sub(users).map_or(entry.arrival_ns, |before| sent[before].min(entry.arrival_ns));
        let until = entries.get(number + users).map_or(sent[number], |next| next.arrival_ns.max(sent[number]));
        until.saturating_sub(from) as f64 / 1e6
    };
    let mut times: Vec<f64> = entries.iter().enumerate().map(|(number, entry)| between(number, entry)).collect();
    times.sort_by(f64::total_cmp);
    TargetTimes { between_calls: Some(times), ..seen_by_target(target) }
}

/// What the generator of a run that is not valid may admit and still be measured by, milliseconds.
const LATENESS_MOST_MS: f64 = 100.0;

/// What a run says of its generator.
struct Own {
    is_valid: bool,
    lateness_p99_ms: f64,
}

impl Own {
    fn of(result: &Value, hold: &Value) -> Self {
        let lateness_p99_ms = hold["generator"]["lateness_p99_ms"].as_f64().unwrap_or(0.0);
        Own { is_valid: result["validity"]["state"] == "valid", lateness_p99_ms }
    }

    /// What it may add: in a run that is called valid no more than the limit of lateness, whatever it admits; in one that
    /// is not, what it admits, up to [`LATENESS_MOST`].
    fn lateness(&self, median_ms: f64) -> f64 {
        let limit = if self.is_valid { (0.01 * median_ms).max(1.0) } else { LATENESS_MOST_MS };
        self.lateness_p99_ms.min(limit)
    }
}

/// The generator adds to what the target saw only its own lateness and the way there and back. The tolerance is 2 % or
/// 0.2 ms as the project promises, and the generator's own lateness as far as it may go. Where other machines take
/// processor time, waking up on either side takes longer than that now and then: beyond the median a figure may
/// exceed the tolerance if the target's own books show that there was so much time between two calls of a user.
fn assert_close(found: &Value, truth: &TargetTimes, own: &Own) {
    let lateness = own.lateness(nearest_rank(&truth.until_sent, 0.5));
    // Users who overtake each other on a busy machine, and the last call of each, have no bound in the target's books: the
    // slowest of a run that is not valid may have been read as late as any such run is measured by.
    let read_late = |quantile: f64| if own.is_valid || quantile < 0.99 { 0.0 } else { LATENESS_MOST_MS };
    for (name, quantile) in QUANTILES {
        let found = found[name].as_f64().expect("a number");
        let (least, sent) = (nearest_rank(&truth.until_begun, quantile), nearest_rank(&truth.until_sent, quantile));
        let own = if quantile < 0.99 { 0.3 + lateness } else { 2.0 + 4.0 * lateness };
        let tolerance = (0.02 * sent).max(0.2) + own;
        let between = truth.between_calls.as_ref().filter(|_| quantile > 0.5).map(|all| nearest_rank(all, quantile));
        let tolerance = tolerance + read_late(quantile);
        let most = between.map_or(sent + tolerance, |between| (1.001 * between + 0.01).max(sent + tolerance));
        assert!(
            found <= most,
            "{name}: {found} ms, the target saw {sent} ms (+ {tolerance}), between calls {between:?} ms"
        );
        assert!(found >= least - 0.1 - 0.001 * least, "{name}: {found} ms, and it was written after {least} ms only");
    }
}

#[test]
fn a_single_server_queue_is_measured_as_it_was() {
    // M/M/1 at ρ = 0.6: 60/s Poisson against 100/s. What was drawn is compared, not the formula: 900 requests of a
    // queue scatter by far more than any tolerance.
    let target = target("target-queue", &["--rate-of-service", "100/s", "--seed", "7"]);
    let place = Place::new();
    let url = format!("http://{}/", target.address());
    let arguments = ["quick", &url, "--rate", "60/s", "--poisson", "--for", "15s", "--out", "run", "--json"];
    let result = place.loadproof(&arguments).json();
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    let ok = leg(hold, "request", "ok");
    let truth = seen_by_target(&target);
    assert_eq!(ok["count"].as_u64().expect("a count"), truth.until_sent.len() as u64);
    // Lindley's recursion of the sequence that was really drawn gives the same departures that were due.
    let entries = target.sequence().expect("the target tells its sequence");
    let mut free = 0i128;
    for (number, entry) in entries.iter().enumerate() {
        free = free.max(i128::from(entry.arrival_ns)) + i128::from(entry.service_ns);
        assert_eq!(free, i128::from(entry.due_ns), "request {number}");
    }
    let own = Own::of(&result, hold);
    assert_close(&ok["service_ms"], &truth, &own);
    assert_close(&ok["response_ms"], &truth, &own);
    let mean_of = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    let (least, mean) = (mean_of(&truth.until_begun), mean_of(&truth.until_sent));
    let found = |name: &str| ok["response_ms"][name].as_f64().expect("a number");
    // Of 99 in 100 starts the lateness is at most its p99; of the last one it is part of a response.
    let late = if own.is_valid { 0.0 } else { (own.lateness_p99_ms + 0.01 * found("max")).min(LATENESS_MOST_MS) };
    assert!(found("mean") <= mean + 0.02 * mean + 0.5 + late, "mean {} ms against {mean} ms (+ {late})", found("mean"));
    assert!(found("mean") >= 0.999 * least - 0.1, "mean {} ms, and it was {least} ms at least", found("mean"));
}

#[test]
fn a_stall_is_not_hidden_by_too_few_connections() {
    // 500/s, freezes of 200 ms every 2 s, five connections: 10 % of the arrivals fall into a freeze. Their users waited
    // up to 200 ms; the server saw five requests a freeze. Truth: replay of the schedule over five connections.
    let target = target("target-stall", &["--service", "1ms", "--every", "2s", "--for", "200ms"]);
    let place = Place::new();
    let url = format!("http://{}/", target.address());
    let arguments = ["quick", &url, "--rate", "500/s", "--connections", "5", "--for", "10s", "--out", "run", "--json"];
    let result = place.loadproof(&arguments).json();
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    assert_eq!(hold["completed"], 5000);
    let ok = leg(hold, "request", "ok");
    let at = |part: &str, name: &str| ok[part][name].as_f64().expect("a number");
    // P(response > x) ≈ 0.1·(1 − x/200 ms) of arrivals, a little more for working off the queue: p99 near 180 ms.
    assert!(at("response_ms", "p99") > 160.0, "{ok:#}");
    assert!(at("response_ms", "p95") > 80.0, "{ok:#}");
    // Service time alone would have said that all is well: five of a thousand requests a period met the freeze.
    // On a busy machine the target and the generator come late themselves; both say by how much.
    let (truth, own) = (seen_by_target(&target), Own::of(&result, hold));
    let lateness = own.lateness_p99_ms.min(LATENESS_MOST_MS);
    assert_close(&ok["service_ms"], &truth, &own);
    let entries = target.sequence().expect("the target tells its sequence");
    assert_eq!(entries.len(), 5000);
    let late = entries.iter().filter_map(|entry| Some(entry.real_ns?.saturating_sub(entry.due_ns) as f64 / 1e6));
    let late = late.fold(0.0, f64::max).min(LATENESS_MOST_MS);
    assert!(at("service_ms", "p99") < 60.0 + late + lateness, "{ok:#}");
    assert!(at("response_ms", "max") < 260.0 + 10.0 * (late + lateness), "{ok:#}");
}

#[test]
fn a_closed_load_over_a_stall_says_that_it_hides_it() {
    let target = target("target-stall", &["--service", "1ms", "--every", "2s", "--for", "300ms"]);
    let place = Place::new();
    let url = format!("http://{}/", target.address());
    let result = place.loadproof(&["quick", &url, "--users", "2", "--for", "6s", "--out", "run", "--json"]).json();
    let rules: Vec<_> =
        result["findings"].as_array().expect("findings").iter().map(|finding| finding["rule"].clone()).collect();
    assert!(rules.contains(&Value::from("CO-CLOSED")), "{rules:?}");
}

#[test]
fn a_server_that_saturates_follows_its_law_and_so_do_the_figures() {
    // Eight users who ask again at once: X(8) = 50·8/(1 + 0.05·7 + 0.002·56) = 273.6/s, and N = X·R.
    let target = target("target-saturate", &["--one", "50/s", "--contention", "5%", "--coherency", "0.2%"]);
    let place = Place::new();
    let url = format!("http://{}/", target.address());
    let result = place.loadproof(&["quick", &url, "--users", "8", "--for", "8s", "--out", "run", "--json"]).json();
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    let law = target_saturate::Law { one_per_s: 50.0, contention: 0.05, coherency: 0.002 };
    let entries = target.sequence().expect("the target tells its sequence");
    let due = target_saturate::departures_ns(law, entries.iter().map(|entry| entry.arrival_ns));
    assert!(entries.iter().zip(&due).all(|(entry, due)| entry.due_ns == *due));
    let ok = leg(hold, "request", "ok");
    assert_close(&ok["service_ms"], &seen_by_target_of(&target, 8), &Own::of(&result, hold));
    // Users are never idle but on their way, and on a busy machine the way is longer; so the law is an upper bound, and
    // what is missing is in the response time: rate times time is the number of users.
    let rate = hold["throughput_per_s"].as_f64().expect("a number");
    let mean_s = ok["service_ms"]["mean"].as_f64().expect("a number") / 1e3;
    assert!(rate <= 1.02 * law.throughput_per_s(8), "{rate}/s");
    assert!((rate * mean_s / 8.0 - 1.0).abs() < 0.05, "{rate}/s times {mean_s} s");
}
