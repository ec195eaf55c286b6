//! The slowest calls of a step: which of those that threads and seconds left are kept, and in which order.

use crate::common::{Run, study_of};
use record::SlowRow;
use terms::{Nanos, Outcome};

#[test]
fn the_ten_slowest_of_all_threads_are_kept_the_slowest_first() {
    let mut run = Run::simulated(&study_of("{ arrivals: 100/s, hold: 30s }", "fast: p95(x.response) < 1s"), 2);
    let step = run.step("hold");
    let row = |at_ms: i64, time_ms: i64, outcome| SlowRow {
        at: Nanos::from_millis(at_ms),
        step,
        exchange: 0,
        leg: 0,
        outcome,
        time: Nanos::from_millis(time_ms),
        trace: record::TraceId::new(time_ms.unsigned_abs().into()),
    };
    // Two threads' rows, one behind the other: 20, 40, … 160 ms and 30, 50, … 170 ms.
    let thread = |first: i64| (0..8).map(move |number| (1_000 + 500 * number, first + 20 * number));
    run.rows.slowest = thread(20).chain(thread(30)).map(|(at, time)| row(at, time, Outcome::Ok)).collect();
    // As long as another, and later; one that was waited for in vain; one of a step that does not exist.
    run.rows.slowest.push(row(9_000, 160, Outcome::Status));
    run.rows.slowest.push(row(2_000, 5_000, Outcome::Timeout));
    run.rows.slowest.push(SlowRow { step: 999, ..row(3_000, 9_000, Outcome::Ok) });
    let (_, judged) = judge::judge(&run.evidence(), &run.study);
    let hold = judged.steps.iter().find(|found| found.number == step).expect("the hold is judged");
    let found: Vec<(i64, i64, &str, bool)> = hold.exchanges[0]
        .slowest
        .iter()
        .map(|call| (call.at.0 / 1_000_000, call.time.0 / 1_000_000, call.outcome.as_str(), call.is_at_least))
        .collect();
    assert_eq!(
        found,
        [
            (2_000, 5_000, "timeout", true),
            (4_500, 170, "ok", false),
            (4_500, 160, "ok", false),
            (9_000, 160, "status", false),
            (4_000, 150, "ok", false),
            (4_000, 140, "ok", false),
            (3_500, 130, "ok", false),
            (3_500, 120, "ok", false),
            (3_000, 110, "ok", false),
            (3_000, 100, "ok", false),
        ]
    );
    assert_eq!(hold.exchanges[0].slowest[1].trace.as_deref(), Some("000000000000000000000000000000aa"));
}
