//! Streams, legs that others close, and what was watched: each stream with verdicts of its own, and counts side by side.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{NAMED, Run, sparse};
use judge::{Arg, RequirementResult};
use record::{IterationRow, LegRow, OutcomeRow, StartRow};
use record::{SampleRow, StreamsHead};
use terms::{Books, Nanos, Outcome, Population};

const LABELS: [&str; 3] = ["party-a", "party-b", "party-c"];

/// Three streams of ten letters a second for a minute, after an idle time.
fn study(rules: &str) -> String {
    let rules: String = rules.trim().lines().map(|line| format!("  {}\n", line.trim())).collect();
    format!(
        "study: Mail\ndata: {{ parties: {{ file: parties.csv }} }}\n\
         system: {{ instances: {{ post: {{ url: 'http://127.0.0.1:9', identity: {{ path: /, expect: {{ name: post }} }} }} }} }}\n\
         watch: {{ host: {{ values: {{ pings: select 1, pongs: select 2, all: select 3 }} }} }}\n\
         exchanges: {{ letter: {{ mail.send: {{ service: 5ms }}, legs: {{ reply: {{ within: 30s }} }} }} }}\n\
         scenarios:\n  s:\n    idle: 10s\n    recovery: 10s\n    \
         load: {{ arrivals: 10/s per stream, streams: {{ of: parties, first: 3 }}, hold: 60s }}\n    run: [letter]\n\
         requirements:\n{rules}"
    )
}

fn run(rules: &str) -> Run {
    let mut run = Run::of(&study(rules));
    let labels = LABELS.map(str::to_owned).to_vec();
    run.evidence.head.streams = vec![StreamsHead { scenario: 0, part: None, set: "parties".into(), labels }];
    run
}

/// `count` letters of a stream in each second of the hold, accepted after 5 ms and answered after 50 ms, except those
/// of which `missing` says that they are not.
fn letters(run: &mut Run, stream: u16, count: u64, missing: impl Fn(i64) -> u64) {
    let hold = run.step("hold");
    let span = run.span("hold").clone();
    for second in span.from.second()..span.to.second() {
        let missing = missing(second - span.from.second()).min(count);
        let rows = &mut run.rows;
        let times = |ms: i64, count: u64| sparse(&vec![Nanos::from_millis(ms); count as usize]);
        for (leg, ms, ok, failed) in [(0u8, 5, count, 0), (1, 50, count - missing, missing)] {
            for (population, count, end_s) in [(Population::Ok, ok, second), (Population::Failed, failed, second + 30)]
            {
                if count == 0 {
                    continue;
                }
                let ms = if population == Population::Failed { 30_000 } else { ms };
                rows.legs.push(LegRow {
                    step: hold,
                    exchange: 0,
                    leg,
                    stream,
                    population,
                    intended_s: second,
                    end_s,
                    count,
                    units: count,
                    bytes: 0,
                    below: run.evidence.head.exchanges[0]
                        .thresholds
                        .iter()
                        .map(|limit| if ms * 1_000_000 < limit.limit_ns { count } else { 0 })
                        .collect(),
                    response: times(ms, count),
                    service: times(ms, count),
                });
                let outcome = if population == Population::Ok { Outcome::Ok } else { Outcome::Missing };
                rows.outcomes.push(OutcomeRow {
                    step: hold,
                    exchange: 0,
                    leg,
                    stream,
                    outcome,
                    intended_s: second,
                    end_s,
                    count,
                });
            }
        }
        rows.starts.push(StartRow {
            step: hold,
            exchange: 0,
            stream,
            intended_s: second,
            started: count,
            lateness: times(0, count),
        });
        let good = Books { intended: count, started: count, completed: count - missing, ..Books::default() };
        let bad = Books { failed: missing, ..Books::default() };
        rows.iterations.push(IterationRow { step: hold, stream, intended_s: second, end_s: second, books: good });
        if missing > 0 {
            let row = IterationRow { step: hold, stream, intended_s: second, end_s: second + 30, books: bad };
            rows.iterations.push(row);
        }
    }
}

/// The store counts each stream once a second from the first row on; it looks from the start of the run.
fn store(run: &mut Run, metric: u16, instance: &str, from: f64, per_second: f64) {
    let (begin, end) = (run.span("hold").from.as_secs_f64(), run.span("hold").to.as_secs_f64());
    let last = run.evidence.end.as_secs_f64();
    for second in 0..last as i64 {
        let at = second as f64 + 0.5;
        run.sample(at, crate::common::MEMORY, "shop", Some(1e6));
        let counted = from + ((at.min(end) - begin).max(0.0) * per_second).floor();
        if counted > 0.0 {
            let at = Nanos::from_secs_f64(at);
            let row = SampleRow { at, monitor: 0, instance: instance.into(), metric, value: Some(counted) };
            run.samples.push(row);
        }
    }
}

fn named(results: &[RequirementResult]) -> Vec<(&str, &str)> {
    results.iter().map(|result| (result.scope.as_str(), result.verdict.name())).collect()
}

fn counts(result: &RequirementResult) -> &str {
    match &result.reason.args["counts"] {
        Arg::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn counts_of_the_load_and_of_the_store_meet_by_stream() {
    let mut run = run("kept: count(letter.accepted) = count(host.pings) = count(host.pongs) per stream");
    for (number, label) in LABELS.iter().enumerate() {
        letters(&mut run, number as u16, 10, |_| 0);
        // What stood there before the load is not of it.
        store(&mut run, NAMED, label, 1000.0 * number as f64, 10.0);
        store(&mut run, NAMED + 1, label, 0.0, 10.0);
    }
    let results = run.results("kept");
    assert_eq!(
        named(&results),
        LABELS.map(|label| (format!("s/all/{label}"), "met")).iter().map(|(s, v)| (s.as_str(), *v)).collect::<Vec<_>>()
    );
    assert_eq!(results[1].reason.code, "reconciled");
    assert_eq!(counts(&results[1]), "letter.accepted = 600, host.pings = 600, host.pongs = 600");
    assert_eq!(results[1].evidence, ["load:s/all/letter/accepted", "watch:host.pings", "watch:host.pongs"]);
}

#[test]
fn a_stream_that_lost_letters_is_named_with_its_difference() {
    let rules = "kept: count(letter.accepted) = count(host.pings) per stream\n\
                 kept_all: count(letter.accepted) = count(host.all)\n\
                 some: { that: count(letter.accepted) = count(host.pings) per stream, needs: any }";
    let mut run = run(rules);
    for number in 0..3 {
        letters(&mut run, number, 10, |_| 0);
    }
    store(&mut run, NAMED, "party-a", 0.0, 10.0);
    store(&mut run, NAMED, "party-b / stored", 0.0, 9.0);
    store(&mut run, NAMED + 2, "host", 5.0, 19.0);
    let results = run.results("kept");
    // Of the third nothing at all was stored: that is a count of nothing, and no gap.
    assert_eq!(results.iter().map(|result| result.verdict.name()).collect::<Vec<_>>(), ["met", "not_met", "not_met"]);
    assert_eq!(counts(&results[1]), "letter.accepted = 600, host.pings = 540");
    assert_eq!(counts(&results[2]), "letter.accepted = 600, host.pings = 0");
    assert_eq!(results[1].reason.args["difference"], Arg::Count(60.0));
    let whole = run.result("kept_all");
    assert_eq!((whole.verdict.name(), counts(&whole)), ("not_met", "letter.accepted = 1800, host.all = 1140"));
    assert_eq!(run.results("some").len(), 3);
}

#[test]
fn what_was_not_counted_before_or_after_the_load_cannot_be_told() {
    let rules = "kept: count(letter.accepted) = count(host.pings)";
    let full = |cut: fn(&SampleRow) -> bool| {
        let mut run = run(rules);
        letters(&mut run, 0, 10, |_| 0);
        store(&mut run, NAMED, "party-a", 0.0, 10.0);
        run.samples.retain(cut);
        run.verdict("kept")
    };
    assert_eq!(full(|_| true), ("met", "reconciled".into()));
    assert_eq!(full(|row| row.at > Nanos::from_secs(12)), ("cannot_tell", "not_counted_before".into()));
    assert_eq!(full(|row| row.at < Nanos::from_secs(60)), ("cannot_tell", "not_counted_after".into()));
}

#[test]
fn replies_are_counted_and_the_exchange_is_right_only_with_them() {
    let rules = "answered: count(letter.accepted) = count(letter.reply) per stream\n\
                 right: share(letter.failed) <= 1% per stream\n\
                 first: share(letter.accepted.failed) <= 1%\n\
                 whole: count(letter.failed) = 60\n\
                 rate: rate(letter) >= 28/s\n\
                 fast: share(letter.response < 2s) >= 99% per stream";
    let mut run = run(rules);
    letters(&mut run, 0, 10, |_| 0);
    letters(&mut run, 1, 10, |_| 1);
    letters(&mut run, 2, 10, |_| 0);
    let verdicts = |id: &str| -> Vec<&str> { run.results(id).iter().map(|result| result.verdict.name()).collect() };
    assert_eq!(verdicts("answered"), ["met", "not_met", "met"]);
    assert_eq!(verdicts("right"), ["met", "not_met", "met"]);
    assert_eq!(verdicts("first"), ["met"]);
    assert_eq!(verdicts("whole"), ["met"]);
    assert_eq!(verdicts("fast"), ["met", "not_met", "met"]);
    let rate = run.result("rate");
    assert_eq!((rate.verdict.name(), rate.value.unwrap()), ("met", 29.0));
    let share = &run.results("right")[1];
    assert!((share.value.unwrap() - 0.1).abs() < 1e-12);
}

#[test]
fn streams_without_labels_are_numbered_and_what_is_watched_as_a_whole_stays_whole() {
    let mut run = run("level: max(host.memory) <= 1MB per stream");
    run.evidence.head.streams.clear();
    for number in 0..3 {
        letters(&mut run, number, 10, |_| 0);
    }
    store(&mut run, NAMED, "1", 0.0, 10.0);
    assert_eq!(named(&run.results("level")), [("s/hold/1", "met"), ("s/hold/2", "met"), ("s/hold/3", "met")]);
}

#[test]
fn replies_that_went_wrong_are_found_with_their_worst_streams() {
    let rules = "right: share(letter.accepted.failed) <= 1%";
    let mut bad = run(rules);
    letters(&mut bad, 0, 10, |_| 0);
    letters(&mut bad, 1, 10, |_| 1);
    letters(&mut bad, 2, 10, |second| u64::from(second < 3));
    let found = bad.finding("REPLIES").unwrap();
    assert_eq!(found.scope, "s/hold/letter/reply");
    assert_eq!(found.args()["missing"], Arg::Count(63.0));
    assert_eq!(found.args()["right"], Arg::Count(1737.0));
    assert_eq!(found.args()["streams"], Arg::Text("party-b 60, party-c 3".into()));
    let mut good = run(rules);
    letters(&mut good, 0, 10, |_| 0);
    assert!(good.finding("REPLIES").is_none());
}

#[test]
fn each_stream_has_its_books_and_legs_and_the_later_leg_its_statistics() {
    let mut run = run("right: share(letter.accepted.failed) <= 1%");
    letters(&mut run, 0, 10, |_| 0);
    letters(&mut run, 2, 5, |_| 1);
    let step = run.step_result("hold");
    let streams: Vec<_> =
        step.streams.iter().map(|it| (it.label.as_str(), it.books.intended, it.books.failed)).collect();
    assert_eq!(streams, [("party-a", 600, 0), ("party-c", 300, 60)]);
    let reply = &step.streams[1].legs[1];
    assert_eq!((reply.leg.as_str(), reply.ok, reply.failed), ("reply", 240, 60));
    assert_eq!(reply.classes, [("ok".to_owned(), 240), ("missing".to_owned(), 60)]);
    assert!((reply.mean_ms.unwrap() - 50.0).abs() < 0.1);
    let whole = step.exchanges[0].legs.iter().find(|leg| leg.id == "reply" && leg.outcome == "ok").unwrap();
    assert_eq!(whole.count, 840);
    assert!((whole.response.as_ref().unwrap().mean - 50.0).abs() < 0.1);
}

#[test]
fn a_volume_is_carried_on_from_the_slowest_stage() {
    let rules = "right: share(letter.accepted.failed) <= 1%\n";
    let capacity = "capacity: { volumes: { year: { of: rate(letter.accepted), from: s, hours: 24, days: 260 } } }";
    let volume = |missing: u64| {
        let mut run = Run::of(&format!("{}{capacity}\n", study(rules)));
        (0..3).for_each(|stream| letters(&mut run, stream, 10, |_| if stream == 1 { missing } else { 0 }));
        run.judge().capacity.volumes.remove(0)
    };
    assert_eq!((volume(0).formula.as_str(), volume(0).rate_per_s), ("rate(letter.accepted)", Some(30.0)));
    let slow = volume(1);
    assert_eq!((slow.formula.as_str(), slow.rate_per_s), ("rate(letter.reply)", Some(29.0)));
    assert_eq!(slow.value, Some(29.0 * 3600.0 * 24.0 * 260.0));
}

/// In flight is what holds a connection; a reply that is still to come holds none, and contradicts no count.
#[test]
fn littles_law_is_of_the_connections_not_of_the_replies() {
    let little = |in_flight: f64| {
        let mut run = run("right: share(letter.accepted.failed) <= 1%");
        (0..3).for_each(|stream| letters(&mut run, stream, 10, |_| 0));
        let (hold, span) = (run.step("hold"), run.span("hold").clone());
        for second in span.from.second()..span.to.second() {
            let row = record::EngineRow {
                second,
                step: hold,
                in_flight_mean: in_flight,
                awaiting_max: 2,
                ..record::EngineRow::default()
            };
            run.evidence.engine.push(row);
        }
        run.finding("LITTLE")
    };
    // 30 a second for 5 ms each; the 50 ms of the replies would be 1.5.
    assert!(little(0.15).is_none());
    assert!(little(1.5).is_some());
}

/// What `letters` made of the hold, with a store of the first stream that keeps `kept` of its ten a second.
fn kept(rules: &str, kept: f64, spoil: impl Fn(&mut Run)) -> Run {
    let mut run = run(rules);
    // Before the rows are made, so that a shorter hold has fewer.
    spoil(&mut run);
    letters(&mut run, 0, 10, |_| 0);
    store(&mut run, NAMED, "party-a", 0.0, kept);
    run
}

#[test]
fn counts_side_by_side_stay_exact_however_late_the_load_came() {
    let rules = "kept: count(letter.accepted) = count(host.pings)\nfast: share(letter.response < 1ms) >= 99%";
    let late = |stored: f64| {
        let mut run = kept(rules, stored, |_| {});
        for row in &mut run.rows.starts {
            row.lateness = sparse(&vec![Nanos::from_millis(50); row.started as usize]);
        }
        assert_eq!(run.judge().validity, terms::Validity::Invalid);
        assert_eq!(run.verdict("fast"), ("cannot_tell", "run_invalid".into()), "times are lengthened by it");
        run
    };
    assert_eq!(late(10.0).verdict("kept"), ("met", "reconciled".into()));
    let mut lost = late(9.0);
    assert_eq!(lost.verdict("kept"), ("not_met", "counts_differ".into()));
    assert_eq!(lost.result("kept").reason.args["difference"], Arg::Count(60.0));
    // Where evidence itself is damaged, a difference may be of what was torn away.
    lost.evidence.torn_bytes = 512;
    assert_eq!(lost.verdict("kept"), ("cannot_tell", "run_invalid".into()));
    let mut torn = late(10.0);
    torn.event(30.0, "lost", "generator");
    assert_eq!(torn.verdict("kept"), ("cannot_tell", "run_invalid".into()));
}

#[test]
fn an_instance_that_came_back_spoils_no_count_that_is_complete() {
    let rules = "kept: count(letter.accepted) = count(host.pings)\nmany: share(letter.ok) >= 95%";
    let mut run = kept(rules, 10.0, |_| {});
    run.event(40.0, "gone", "post");
    run.event(42.0, "restart", "post");
    assert_eq!(run.verdict("many"), ("cannot_tell", "run_questionable".into()));
    assert_eq!(run.verdict("kept"), ("met", "reconciled".into()));
}

#[test]
fn starts_that_were_lost_spoil_only_counts_of_what_was_planned() {
    let rules = "answered: count(letter.accepted) = count(letter.reply)\n\
                 planned: count(letter.intended) = count(letter.accepted)";
    let mut run = kept(rules, 10.0, |_| {});
    let (hold, second) = (run.step("hold"), run.span("hold").from.second());
    let books = Books { intended: 10, dropped: 10, ..Books::default() };
    run.rows.iterations.push(IterationRow { step: hold, stream: 0, intended_s: second, end_s: second, books });
    let (exchange, leg, outcome) = (0, 0, Outcome::NoResource);
    let row =
        OutcomeRow { step: hold, exchange, leg, stream: 0, outcome, intended_s: second, end_s: second, count: 10 };
    run.rows.outcomes.push(row);
    assert_eq!(run.verdict("answered"), ("met", "reconciled".into()));
    assert_eq!(run.verdict("planned"), ("cannot_tell", "run_invalid".into()), "the generator lost them");
}

#[test]
fn a_difference_in_a_run_that_was_cut_short_is_judged_where_counting_went_on() {
    let rules = "kept: count(letter.accepted) = count(host.pings)";
    let cut = |run: &mut Run| run.span("hold").to = run.span("hold").to - Nanos::from_secs(20);
    assert_eq!(kept(rules, 9.0, cut).verdict("kept"), ("not_met", "counts_differ".into()));
    // What is equal so far need not have stayed so.
    assert_eq!(kept(rules, 10.0, cut).verdict("kept"), ("cannot_tell", "cut_short".into()));
    // One look after the last answer does not tell that nothing more came.
    let mut once = kept(rules, 9.0, cut);
    let end = once.span("hold").to;
    once.samples.retain(|row| row.at < end + Nanos::SECOND);
    assert_eq!(once.verdict("kept"), ("cannot_tell", "cut_short_below".into()));
    let mut undrained = kept(rules, 9.0, cut);
    undrained.span("drain").is_ended = false;
    assert_eq!(undrained.verdict("kept"), ("cannot_tell", "cut_short_below".into()));
    // An answer that was cut off with the run may have been stored.
    let mut aborted = kept(rules, 9.0, cut);
    aborted.rows.iterations[0].books.completed -= 1;
    aborted.rows.iterations[0].books.aborted += 1;
    assert_eq!(aborted.verdict("kept"), ("cannot_tell", "cut_short_below".into()));
}

/// Of each second's letters of a stream so many are refused a second later, when their iterations had succeeded.
fn refuse(run: &mut Run, stream: u16, count: u64) {
    let hold = run.step("hold");
    let span = run.span("hold").clone();
    let leg = run.evidence.head.exchanges[0].legs.len() as u8;
    let name = contract::AFTERWARDS.to_owned();
    run.evidence.head.exchanges[0].legs.push(record::LegHead::of_exchange(name));
    for second in span.from.second()..span.to.second() {
        for (outcome, end_s) in [(Outcome::Fault, second + 1), (Outcome::Late, second)] {
            let row = OutcomeRow { step: hold, exchange: 0, leg, stream, outcome, intended_s: second, end_s, count };
            run.rows.outcomes.push(row);
        }
    }
}

#[test]
fn what_was_refused_after_it_had_succeeded_has_failed() {
    let mut run = run("right: share(letter.failed) <= 1%");
    letters(&mut run, 0, 10, |_| 0);
    assert_eq!(run.results("right")[0].verdict.name(), "met");
    assert!(run.finding("REFUSED").is_none());
    refuse(&mut run, 0, 9);
    let books = run.step_result("hold").books;
    assert_eq!((books.started, books.completed, books.failed), (600, 60, 540), "{books:?}");
    assert!(books.balances());
    let right = &run.results("right")[0];
    assert_eq!((right.verdict.name(), right.value), ("not_met", Some(0.9)), "{right:?}");
    let found = run.finding("REFUSED").unwrap();
    let counts = ["refused", "started", "taken"].map(|name| found.args()[name].clone());
    assert_eq!(counts, [540.0, 600.0, 540.0].map(Arg::Count), "{found:?}");
    crate::common::check_catalogue(&run.judge());
    // Times are those of the acceptance, as they were.
    let step = run.step_result("hold");
    let accepted = step.exchanges[0].legs.iter().find(|leg| leg.id == "accepted" && leg.outcome == "ok").unwrap();
    assert_eq!(accepted.count, 600);
}

#[test]
fn forged_rows_take_back_no_more_than_there_is() {
    let mut run = run("right: share(letter.failed) <= 1%");
    letters(&mut run, 0, 10, |_| 0);
    refuse(&mut run, 0, u64::MAX / 2);
    assert_eq!(run.step_result("hold").books.failed, 0, "no load has so many");
    refuse(&mut run, 0, 1000);
    let books = run.step_result("hold").books;
    assert!(books.balances() && (books.completed, books.failed) == (0, 600), "{books:?}");
}

#[test]
fn requests_that_nobody_claims_are_found_at_their_listener() {
    let mut run = run("right: share(letter.failed) <= 1%");
    letters(&mut run, 0, 10, |_| 0);
    assert!(run.finding("UNCLAIMED").is_none());
    run.event(15.0, "reply_unknown", "pong");
    let found = run.finding("UNCLAIMED").unwrap();
    assert_eq!((found.scope.as_str(), found.severity), ("pong", judge::Gravity::Notice), "strangers' alone");
    run.event(16.0, "reply_unreadable", "pong");
    run.event(17.0, "reply_unasked", "pong");
    let found = run.finding("UNCLAIMED").unwrap();
    let counts = ["ours", "unknown", "unreadable", "nobodys", "too_late"].map(|name| found.args()[name].clone());
    assert_eq!(counts, [1.0, 1.0, 1.0, 0.0, 0.0].map(Arg::Count), "{found:?}");
    assert_eq!(found.severity, judge::Gravity::Warning);
    crate::common::check_catalogue(&run.judge());
}
