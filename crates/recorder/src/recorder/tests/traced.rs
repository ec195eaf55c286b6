//! Traces of exchanges, and the slowest of them.

use super::*;
use crate::{SlowRow, Template, Traces};

fn traced(per_iteration: bool, sampled: f64) -> (Clock, Recorder) {
    let header = Template { pieces: vec![Piece::Traceparent] };
    let traces = Traces { are_sent: true, run: 5, per_iteration, sampled };
    recorder(LATER, Shared { templates: vec![header], traces, seed: 3, ..Shared::default() })
}

/// What the slot in hand sends for a task.
fn header(recorder: &mut Recorder, task: &Task) -> String {
    let mut text = Vec::new();
    assert!(recorder.render(task, 0, &mut text));
    String::from_utf8(text).unwrap()
}

fn open(recorder: &mut Recorder, slot: u32, task: &Task) {
    recorder.enter(slot);
    recorder.open(task, Nanos::ZERO, false);
    recorder.started(task);
}

/// Trace and parent of a header.
fn halves(header: &str) -> (&str, &str) {
    (&header[3..35], &header[36..52])
}

#[test]
fn an_exchange_has_one_trace_and_its_rows_say_which() {
    let (clock, mut recorder) = traced(false, 1.0);
    let asked = task(Nanos::from_millis(100));
    clock.advance_to(asked.intended);
    open(&mut recorder, 0, &asked);
    let sent = header(&mut recorder, &asked);
    assert_eq!(header(&mut recorder, &asked), sent, "a request that is sent once more is of the same trace");
    let key = recorder.key(&asked);
    recorder.expect(&asked, 1, key, Nanos::SECOND);
    recorder.note(Outcome::Status, &mut |note| note.add(b"status 500"));
    clock.advance_to(Nanos::from_millis(350));
    recorder.close(&asked, 0, Outcome::Status, 1, 0);
    recorder.take_end(0);
    // The reply comes when the slot has another exchange in hand.
    let next = Task { serial: 8, ..asked };
    open(&mut recorder, 0, &next);
    let other = header(&mut recorder, &next);
    assert!(halves(&other).0 != halves(&sent).0 && halves(&other).1 != halves(&sent).1);
    clock.advance_to(Nanos::from_millis(700));
    recorder.matched(key, Nanos::from_millis(600), Outcome::Ok);
    let folded = recorder.drain().fold();
    let trace = crate::TraceId::parse(halves(&sent).0);
    assert!(trace.is_some());
    assert_eq!(folded.notes[0].trace, trace);
    let row = |leg, outcome, time| SlowRow {
        at: asked.intended,
        step: 0,
        exchange: 0,
        leg,
        outcome,
        time: Nanos::from_millis(time),
        trace,
    };
    assert_eq!(folded.slowest, [row(0, Outcome::Status, 250), row(1, Outcome::Ok, 500)]);
    assert_eq!(recorder.drain().fold().slowest, [], "a drain takes everything");
}

#[test]
fn what_sent_no_trace_has_none_and_what_we_cut_off_has_no_time() {
    let (clock, mut recorder) = traced(false, 1.0);
    for (serial, outcome) in [(1, Outcome::Ok), (2, Outcome::Aborted), (3, Outcome::NoResource), (4, Outcome::Timeout)]
    {
        let asked = Task { serial, ..task(clock.now()) };
        open(&mut recorder, 0, &asked);
        clock.advance_to(clock.now() + Nanos::from_millis(10));
        recorder.close(&asked, 0, outcome, 1, 0);
        recorder.take_end(0);
    }
    let rows = recorder.drain().fold().slowest;
    let seen: Vec<_> = rows.iter().map(|row| (row.outcome, row.trace)).collect();
    assert_eq!(seen, [(Outcome::Ok, None), (Outcome::Timeout, None)]);
}

#[test]
fn exchanges_of_an_iteration_share_a_trace_where_the_study_says_so() {
    let (_, mut recorder) = traced(true, 1.0);
    let beside = recorder.add_slot_beside(0);
    let asked = task(Nanos::ZERO);
    let mut sent = Vec::new();
    for (slot, serial) in [(0, 7), (0, 7), (beside, 7), (0, 8)] {
        let asked = Task { serial, ..asked };
        open(&mut recorder, slot, &asked);
        sent.push(header(&mut recorder, &asked));
        recorder.close(&asked, 0, Outcome::Ok, 1, 0);
        recorder.take_end(slot);
    }
    let (traces, mut parents): (Vec<_>, Vec<_>) = sent.iter().map(|header| halves(header)).unzip();
    assert!(traces[..3].iter().all(|trace| *trace == traces[0]) && traces[3] != traces[0], "{sent:?}");
    parents.sort_unstable();
    parents.dedup();
    assert_eq!(parents.len(), 4, "each exchange is a parent of its own");
}

#[test]
fn the_share_that_is_recorded_is_that_of_the_study_and_the_same_in_a_run_made_again() {
    let flags = |seed: u64| {
        let (_, mut recorder) = traced(false, 0.1);
        recorder.shared = Arc::new(Shared { seed, ..(*recorder.shared).clone() });
        let flag = |serial| {
            let asked = Task { serial, ..task(Nanos::ZERO) };
            open(&mut recorder, 0, &asked);
            header(&mut recorder, &asked).ends_with("-01")
        };
        (0..10_000).map(flag).collect::<Vec<bool>>()
    };
    let first = flags(3);
    // 1000 expected, five standard deviations are 150.
    assert!(first.iter().filter(|flag| **flag).count().abs_diff(1000) < 150);
    assert_eq!(flags(3), first);
    assert_ne!(flags(4), first);
}
