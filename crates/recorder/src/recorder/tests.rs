mod traced;

use super::*;
use crate::note::NOTE_BYTES_MAX;
use crate::{
    Arrival, Call, Closes, ExchangeLayout, LegKind, Measure, Parked, Piece, Script, ScriptCall, Threshold, Trouble,
};
use terms::Population;

struct Nowhere;

impl Attach for Nowhere {
    fn attach(&mut self, _: u32, _: BorrowedFd<'_>) -> io::Result<()> {
        Ok(())
    }
}

const ANSWER: &[LegKind] = &[LegKind { name: "answer", closes: Closes::Here }];
const LATER: &[LegKind] =
    &[LegKind { name: "accepted", closes: Closes::Here }, LegKind { name: "reply", closes: Closes::Matched }];

/// With the leg of refusals that end none of the others.
const REFUSABLE: &[LegKind] = &[
    LegKind { name: "accepted", closes: Closes::Here },
    LegKind { name: "acknowledged", closes: Closes::Matched },
    LegKind { name: "reply", closes: Closes::Matched },
    LegKind { name: crate::AFTERWARDS, closes: Closes::Afterwards },
];

fn recorder(legs: &'static [LegKind], shared: Shared) -> (Clock, Recorder) {
    let clock = Clock::simulated();
    let limit = Threshold { leg: 0, measure: Measure::Response, limit: Nanos::from_millis(300), inclusive: false };
    let layout = Layout::new(vec![ExchangeLayout { legs, thresholds: vec![limit] }]);
    let mut recorder = Recorder::new(clock.clone(), Arc::new(shared), Arc::new(layout), Box::new(Nowhere));
    recorder.add_slot(0);
    recorder.set_period(0, 0);
    (clock, recorder)
}

fn task(intended: Nanos) -> Task {
    Task { exchange: 0, serial: 7, row: 7, units: 1, intended, deadline: Nanos::MAX, step: 0, stream: crate::NO_STREAM }
}

fn exchange(clock: &Clock, recorder: &mut Recorder, intended_ms: i64, sent_ms: i64, end_ms: i64, outcome: Outcome) {
    let task = task(Nanos::from_millis(intended_ms));
    recorder.enter(0);
    recorder.open(&task, Nanos::ZERO, false);
    clock.advance_to(Nanos::from_millis(sent_ms));
    recorder.started(&task);
    clock.advance_to(Nanos::from_millis(end_ms));
    recorder.close(&task, 0, outcome, 1, 10);
    assert_eq!(recorder.take_end(0).map(|ended| ended.outcome), Some(outcome));
    assert_eq!(recorder.take_end(0), None);
}

#[test]
fn response_runs_from_the_intended_start_and_service_from_the_real_one() {
    let (clock, mut recorder) = recorder(ANSWER, Shared::default());
    exchange(&clock, &mut recorder, 100, 150, 400, Outcome::Ok);
    let folded = recorder.drain().fold();
    let row = &folded.legs[0];
    assert_eq!((row.response.min, row.service.min), (Nanos::from_millis(300), Nanos::from_millis(250)));
    assert_eq!(row.below, [0], "300 ms is not below 300 ms");
    assert_eq!(folded.starts[0].lateness.max, Nanos::from_millis(50));
}

#[test]
fn rows_carry_both_seconds_and_populations_stay_apart() {
    let (clock, mut recorder) = recorder(ANSWER, Shared::default());
    exchange(&clock, &mut recorder, 100, 100, 200, Outcome::Ok);
    exchange(&clock, &mut recorder, 300, 300, 350, Outcome::Status);
    exchange(&clock, &mut recorder, 900, 900, 2500, Outcome::Ok);
    let folded = recorder.drain().fold();
    let seen: Vec<_> = folded.legs.iter().map(|row| (row.population, row.intended_s, row.end_s, row.count)).collect();
    assert_eq!(seen, [(Population::Ok, 0, 0, 1), (Population::Failed, 0, 0, 1), (Population::Ok, 0, 2, 1)]);
    assert_eq!(folded.outcomes.iter().map(|row| row.count).sum::<u64>(), 3);
    assert!(recorder.drain().fold().legs.is_empty(), "a drain takes everything");
}

#[test]
fn a_part_of_an_exchange_has_a_time_of_its_own_in_the_second_of_its_exchange() {
    const PARTED: &[LegKind] =
        &[LegKind { name: "answer", closes: Closes::Here }, LegKind { name: "redirect", closes: Closes::Beside }];
    for is_closed in [false, true] {
        let (clock, mut recorder) = recorder(PARTED, Shared::default());
        let ms = Nanos::from_millis;
        let task = task(ms(900));
        recorder.enter(0);
        recorder.open(&task, Nanos::ZERO, is_closed);
        clock.advance_to(ms(950));
        recorder.started(&task);
        clock.advance_to(ms(1000));
        // The first part begins with the exchange, the next where the session says.
        assert_eq!(recorder.timed_part(&task, 1, None, 3), ms(50));
        clock.advance_to(ms(1400));
        assert_eq!(recorder.timed_part(&task, 1, Some(ms(1100)), 4), ms(300));
        assert_eq!(recorder.take_end(0), None, "a part ends nothing");
        recorder.close(&task, 0, Outcome::Ok, 1, 0);
        assert!(recorder.take_end(0).is_some(), "nothing waits for a part");
        let folded = recorder.drain().fold();
        let part = folded.legs.iter().find(|row| row.leg == 1).unwrap();
        assert_eq!((part.intended_s, part.end_s, part.count, part.bytes), (0, 1, 2, 7));
        assert_eq!((part.service.min, part.service.max), (ms(50), ms(300)));
        assert_eq!(part.response.buckets.is_empty(), is_closed, "a closed load has no intended start");
        let whole = folded.legs.iter().find(|row| row.leg == 0).unwrap();
        assert_eq!((whole.count, whole.service.max), (1, ms(450)));
    }
}

#[test]
fn a_reply_on_another_connection_closes_its_leg_once() {
    let (clock, mut recorder) = recorder(LATER, Shared::default());
    let asked = task(Nanos::from_millis(10));
    recorder.enter(0);
    recorder.open(&asked, Nanos::ZERO, false);
    recorder.started(&asked);
    recorder.expect(&asked, 1, 42, Nanos::SECOND);
    recorder.expect(&asked, 1, 43, Nanos::SECOND);
    recorder.close(&asked, 0, Outcome::Ok, 1, 0);
    assert!(recorder.take_end(0).is_some(), "a matched leg does not hold the session");
    assert_eq!(recorder.matched(42, Nanos::from_millis(500), Outcome::Ok), Outcome::Ok);
    assert_eq!(recorder.matched(42, Nanos::from_millis(501), Outcome::Ok), Outcome::Duplicate);
    clock.advance_to(Nanos::from_secs(2));
    recorder.expire(clock.now());
    assert_eq!(recorder.matched(43, Nanos::from_secs(3), Outcome::Ok), Outcome::Late);
    let folded = recorder.drain().fold();
    let mut classes: Vec<_> = folded.outcomes.iter().map(|row| (row.leg, row.outcome, row.count)).collect();
    classes.sort();
    let expected = [
        (0, Outcome::Ok, 1),
        (1, Outcome::Ok, 1),
        (1, Outcome::Missing, 1),
        (1, Outcome::Late, 1),
        (1, Outcome::Duplicate, 1),
    ];
    assert_eq!(classes, expected);
}

fn arrival(key: u128, outcome: Outcome, why: Option<Box<str>>) -> Arrival {
    Arrival { key, at: Nanos::from_millis(3), outcome, why, refusal: None, unmatched: crate::Unmatched::default() }
}

#[test]
fn an_arrival_says_why_it_is_wrong() {
    let (_, mut recorder) = recorder(LATER, Shared::default());
    let asked = task(Nanos::ZERO);
    recorder.enter(0);
    recorder.open(&asked, Nanos::ZERO, false);
    let key = recorder.key(&asked);
    recorder.expect(&asked, 1, key, Nanos::SECOND);
    let why = Some("somebody else's".into());
    let arrival = arrival(key, Outcome::Wrong, why);
    assert_eq!(recorder.take_arrival(&arrival), Outcome::Wrong);
    assert_eq!(recorder.take_arrival(&arrival), Outcome::Duplicate, "told as what it is counted as");
    // A key of an exchange that there is not.
    recorder.take_arrival(&Arrival { key: key | 0xffff << 72, ..arrival });
    let folded = recorder.drain().fold();
    let notes: Vec<_> = folded.notes.iter().map(|note| (note.exchange, note.outcome, note.text.as_str())).collect();
    let expected = [Outcome::Wrong, Outcome::Duplicate].map(|outcome| (asked.exchange, outcome, "somebody else's"));
    assert_eq!(notes, expected);
}

/// What a drain holds, as leg, outcome, count and second of the end.
fn outcomes(recorder: &mut Recorder) -> Vec<(u8, Outcome, u64, i64)> {
    let folded = recorder.drain().fold();
    let mut seen: Vec<_> = folded.outcomes.iter().map(|row| (row.leg, row.outcome, row.count, row.end_s)).collect();
    seen.sort();
    seen
}

const REFUSED: u8 = 3;

fn refusal(key: u128, next: Option<u128>, at_s: i64) -> Arrival {
    let refusal = Some(crate::Refusal { next, leg: REFUSED });
    Arrival { refusal, at: Nanos::from_secs(at_s), ..arrival(key, Outcome::Fault, None) }
}

/// An exchange that was accepted, and its iteration parked.
fn accepted(recorder: &mut Recorder, open: impl Fn(&mut Recorder, &Task)) -> Option<Parked> {
    let asked = task(Nanos::ZERO);
    recorder.enter(0);
    recorder.open(&asked, Nanos::ZERO, false);
    recorder.started(&asked);
    open(recorder, &asked);
    recorder.close(&asked, 0, Outcome::Ok, 1, 0);
    let (at, outcome) = (Nanos::from_millis(1500), recorder.take_end(0).unwrap().outcome);
    let Task { serial, step, stream, intended, .. } = asked;
    recorder.park(Parked { serial, step, stream, intended, outcome, at })
}

#[test]
fn a_refusal_ends_the_first_leg_that_waits_and_is_told_once() {
    let (_, mut recorder) = recorder(REFUSABLE, Shared::default());
    let parked = accepted(&mut recorder, |recorder, asked| {
        recorder.expect(asked, 1, 42, Nanos::SECOND);
        recorder.expect(asked, 2, 43, Nanos::SECOND);
    });
    assert_eq!(parked, None, "it waits");
    assert_eq!(recorder.take_arrival(&arrival(42, Outcome::Ok, None)), Outcome::Ok);
    assert_eq!(recorder.take_arrival(&refusal(42, Some(43), 1)), Outcome::Fault, "the acknowledgment was there");
    assert_eq!(recorder.take_arrival(&refusal(42, Some(43), 2)), Outcome::Duplicate);
    let ended = recorder.take_parked().map(|parked| parked.outcome);
    assert_eq!((ended, recorder.awaiting()), (Some(Outcome::Fault), 0));
    let expected =
        [(0, Outcome::Ok, 1, 0), (1, Outcome::Ok, 1, 0), (2, Outcome::Fault, 1, 1), (2, Outcome::Duplicate, 1, 2)];
    assert_eq!(outcomes(&mut recorder), expected);
}

#[test]
fn a_refusal_of_what_had_ended_takes_its_good_end_back() {
    for watched in [true, false] {
        let (clock, mut recorder) = recorder(REFUSABLE, Shared::default());
        let parked = accepted(&mut recorder, |recorder, asked| match watched {
            true => recorder.watch(asked, REFUSED, 42, Nanos::SECOND),
            false => recorder.expect(asked, 1, 42, Nanos::SECOND),
        });
        if !watched {
            recorder.take_arrival(&arrival(42, Outcome::Ok, None));
        }
        let whole = parked.or_else(|| recorder.take_parked()).unwrap();
        assert_eq!(whole.outcome, Outcome::Ok, "by then all is well");
        assert_eq!(recorder.awaiting(), usize::from(watched), "the load waits for what may still come");
        clock.advance_to(Nanos::from_secs(5));
        recorder.expire(clock.now());
        assert_eq!(recorder.awaiting(), 0);
        outcomes(&mut recorder);
        // The row that takes back bears both seconds of the end that it takes back.
        assert_eq!(recorder.take_arrival(&refusal(42, None, 7)), Outcome::Fault);
        let expected = [(REFUSED, Outcome::Fault, 1, 7), (REFUSED, Outcome::Late, 1, 1)];
        assert_eq!(outcomes(&mut recorder), expected, "watched: {watched}");
        assert_eq!(recorder.take_arrival(&refusal(42, None, 8)), Outcome::Duplicate);
    }
}

#[test]
fn what_was_answered_may_be_refused_for_as_long_as_is_asked_for() {
    let (clock, mut recorder) = recorder(REFUSABLE, Shared::default());
    accepted(&mut recorder, |recorder, asked| {
        recorder.expect_and_watch(asked, 1, 42, Nanos::SECOND, Nanos::from_secs(20));
        recorder.expect_and_watch(asked, 2, 43, Nanos::SECOND, Nanos::from_secs(20));
    });
    recorder.take_arrival(&arrival(42, Outcome::Ok, None));
    assert_eq!((recorder.awaiting(), recorder.awaiting_legs()), (2, 1), "a refusal, and the second leg");
    recorder.take_arrival(&arrival(43, Outcome::Ok, None));
    assert_eq!(recorder.take_parked().map(|parked| parked.outcome), Some(Outcome::Ok));
    assert_eq!(recorder.take_arrival(&arrival(42, Outcome::Ok, None)), Outcome::Duplicate);
    clock.advance_to(Nanos::from_secs(19));
    recorder.expire(clock.now());
    assert_eq!((recorder.awaiting(), recorder.awaiting_legs()), (2, 0), "the load does not end yet");
    outcomes(&mut recorder);
    assert_eq!(recorder.take_arrival(&refusal(42, Some(43), 19)), Outcome::Fault);
    assert_eq!(recorder.awaiting(), 0, "once is enough");
    assert_eq!(outcomes(&mut recorder), [(REFUSED, Outcome::Fault, 1, 19), (REFUSED, Outcome::Late, 1, 1)]);
}

#[test]
fn silence_after_the_answer_ends_the_wait_for_a_refusal() {
    let (clock, mut recorder) = recorder(REFUSABLE, Shared::default());
    accepted(&mut recorder, |recorder, asked| {
        recorder.expect_and_watch(asked, 1, 42, Nanos::SECOND, Nanos::from_secs(20));
        recorder.expect_and_watch(asked, 2, 43, Nanos::SECOND, Nanos::from_secs(20));
    });
    recorder.take_arrival(&arrival(42, Outcome::Ok, None));
    clock.advance_to(Nanos::from_secs(21));
    recorder.expire(clock.now());
    assert_eq!((recorder.awaiting(), recorder.next_missing()), (0, None));
    let expected = [(0, Outcome::Ok, 1, 0), (1, Outcome::Ok, 1, 0), (2, Outcome::Missing, 1, 21)];
    assert_eq!(outcomes(&mut recorder), expected, "nobody waits behind a leg that failed");
}

#[test]
fn an_answer_to_what_was_refused_is_no_duplicate() {
    for leg in [true, false] {
        let (_, mut recorder) = recorder(REFUSABLE, Shared::default());
        accepted(&mut recorder, |recorder, asked| match leg {
            true => recorder.expect(asked, 1, 42, Nanos::SECOND),
            false => recorder.watch(asked, REFUSED, 42, Nanos::SECOND),
        });
        recorder.take_arrival(&refusal(42, None, 1));
        outcomes(&mut recorder);
        let first = arrival(42, Outcome::Ok, None);
        recorder.take_arrival(&first);
        assert_eq!(outcomes(&mut recorder), [], "it is the first that came, and nobody waits for it: {leg}");
        assert_eq!(first.unmatched.0.load(std::sync::atomic::Ordering::Relaxed), 1, "so it is counted there");
        let again = recorder.take_arrival(&arrival(42, Outcome::Ok, None));
        assert_eq!(again == Outcome::Duplicate, leg, "the second is one, if any was asked for");
    }
}

#[test]
fn a_refusal_within_the_iteration_ends_it_badly_and_nothing_is_taken_back() {
    let (_, mut recorder) = recorder(REFUSABLE, Shared::default());
    let parked = accepted(&mut recorder, |recorder, asked| {
        recorder.watch(asked, REFUSED, 42, Nanos::SECOND);
        recorder.take_arrival(&refusal(42, None, 0));
    });
    assert_eq!(parked.map(|parked| parked.outcome), Some(Outcome::Fault));
    assert_eq!(outcomes(&mut recorder), [(0, Outcome::Ok, 1, 0), (REFUSED, Outcome::Fault, 1, 0)]);
}

#[test]
fn a_refusal_of_what_nobody_sent_is_counted_where_it_came() {
    let (_, mut recorder) = recorder(REFUSABLE, Shared::default());
    let stray = refusal(42, Some(43), 1);
    recorder.take_arrival(&stray);
    assert_eq!(stray.unmatched.0.load(std::sync::atomic::Ordering::Relaxed), 1);
    assert_eq!(outcomes(&mut recorder), []);
}

#[test]
fn a_reply_may_overtake_the_answer() {
    let (_, mut recorder) = recorder(LATER, Shared::default());
    let asked = task(Nanos::ZERO);
    recorder.enter(0);
    recorder.open(&asked, Nanos::ZERO, false);
    recorder.matched(9, Nanos::from_millis(3), Outcome::Ok);
    recorder.expect(&asked, 1, 9, Nanos::SECOND);
    let folded = recorder.drain().fold();
    assert_eq!(folded.legs[0].response.max, Nanos::from_millis(3));
}

#[test]
fn a_reply_that_nobody_comes_to_wait_for_is_counted_where_it_came() {
    let (_, mut recorder) = recorder(LATER, Shared::default());
    let asked = task(Nanos::ZERO);
    recorder.enter(0);
    recorder.open(&asked, Nanos::ZERO, false);
    let (early, stray, last) =
        (arrival(1, Outcome::Ok, None), arrival(2, Outcome::Ok, None), arrival(3, Outcome::Ok, None));
    [&early, &stray].iter().for_each(|arrival| _ = recorder.take_arrival(arrival));
    recorder.expect(&asked, 1, 1, Nanos::SECOND);
    recorder.expire(Nanos::from_millis(900));
    let counted = |arrival: &Arrival| arrival.unmatched.0.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!((counted(&early), counted(&stray)), (0, 0), "somebody may come yet");
    recorder.expire(Nanos::from_millis(1100));
    assert_eq!((counted(&early), counted(&stray)), (0, 1));
    recorder.take_arrival(&last);
    drop(recorder);
    assert_eq!((counted(&stray), counted(&last)), (1, 1), "nobody comes any more");
}

#[test]
fn what_another_session_sends_is_as_late_as_that_one_was() {
    let (clock, mut recorder) = recorder(LATER, Shared::default());
    let asked = task(Nanos::from_millis(100));
    clock.advance_to(Nanos::from_millis(160));
    recorder.enter(0);
    recorder.open(&asked, Nanos::ZERO, false);
    recorder.started_elsewhere(&asked, Nanos::from_millis(2));
    recorder.expect(&asked, 1, 42, Nanos::SECOND);
    recorder.close(&asked, 0, Outcome::Ok, 1, 0);
    recorder.matched(42, Nanos::from_millis(150), Outcome::Ok);
    let folded = recorder.drain().fold();
    assert_eq!(folded.starts[0].lateness.max, Nanos::from_millis(2));
    let row = folded.legs.iter().find(|row| row.leg == 1).unwrap();
    assert_eq!((row.response.max, row.service.max), (Nanos::from_millis(50), Nanos::from_millis(48)));
}

#[test]
fn a_missing_capture_stops_the_rendering_and_a_kept_one_fills_it() {
    let template = Template { pieces: vec![Piece::Fixed(b"t=".as_slice().into()), Piece::Capture(0), Piece::Serial] };
    let (_, mut recorder) = recorder(ANSWER, Shared { templates: vec![template], captures: 1, ..Shared::default() });
    let mut text = Vec::new();
    assert!(!recorder.render(&task(Nanos::ZERO), 0, &mut text));
    recorder.capture(0, Some(b"abc"));
    text.clear();
    assert!(recorder.render(&task(Nanos::ZERO), 0, &mut text));
    assert_eq!(text, b"t=abc7");
    recorder.forget_captures(0);
    recorder.set_node_captures(vec![Some(b"node".to_vec())]);
    text.clear();
    assert!(recorder.render(&task(Nanos::ZERO), 0, &mut text));
    assert_eq!(text, b"t=node7");
}

#[test]
fn a_function_is_given_its_arguments_and_another_number_each_time() {
    let call = Call {
        name: "drawn",
        function: |arguments, given, into| {
            into.extend_from_slice(&arguments[0]);
            into.extend_from_slice(format!("/{:x} ", given.draw).as_bytes());
            true
        },
        arguments: vec![Template { pieces: vec![Piece::Serial, Piece::Capture(0)] }],
    };
    let template = Template { pieces: vec![Piece::Call(Arc::new(call))] };
    let shared = Shared { templates: vec![template], captures: 1, ..Shared::default() };
    let drawn = |iterations: &[u64]| {
        let (_, mut recorder) = recorder(ANSWER, shared.clone());
        recorder.capture(0, Some(b"x"));
        let mut text = Vec::new();
        for &serial in iterations {
            assert!(recorder.render(&Task { serial, ..task(Nanos::ZERO) }, 0, &mut text));
        }
        String::from_utf8(text).unwrap()
    };
    let once = drawn(&[7, 7, 8]);
    assert!(once.ends_with(&drawn(&[8])), "what the slot did before changes nothing: {once}");
    let values: Vec<&str> = once.split_whitespace().collect();
    assert!(values[0].starts_with("7x/") && values[2].starts_with("8x/"), "{once}");
    assert!(values[0] != values[1] && values[0][3..] != values[2][3..], "{once}");
    assert_eq!(once, drawn(&[7, 7, 8]), "a repeated run draws the same");
    let (_, mut steps) = recorder(ANSWER, shared.clone());
    let [first, _, second, again] = [1, 1, 2, 1].map(|step| steps.draw(&Task { serial: 7, step, ..task(Nanos::ZERO) }));
    assert!(first != second && first == again, "the same iteration number in another step draws its own");
    let (_, mut without) = recorder(ANSWER, shared.clone());
    assert!(!without.render(&task(Nanos::ZERO), 0, &mut Vec::new()), "an argument was never captured");
}

/// Doubles what it is given, and refuses what is longer than two bytes.
struct Doubled;

impl Script for Doubled {
    fn name(&self) -> &str {
        "text.doubled"
    }

    fn call(&self, arguments: &[Vec<u8>], into: &mut Vec<u8>) -> Result<(), Trouble> {
        if arguments[0].len() > 2 {
            return Err(Trouble { text: "too long".into(), is_refused: true });
        }
        into.extend(arguments[0].repeat(2));
        Ok(())
    }
}

#[test]
fn a_script_is_given_its_arguments_and_says_why_it_has_no_value() {
    let call = |slot| {
        let arguments = vec![Template { pieces: vec![Piece::Capture(slot)] }];
        Template { pieces: vec![Piece::Script(Arc::new(ScriptCall { script: Arc::new(Doubled), arguments }))] }
    };
    let shared = Shared { templates: vec![call(0), call(1)], captures: 2, ..Shared::default() };
    let (_, mut recorder) = recorder(ANSWER, shared);
    recorder.capture(0, Some(b"ab"));
    let mut text = Vec::new();
    assert!(recorder.render(&task(Nanos::ZERO), 0, &mut text));
    assert_eq!((text.as_slice(), recorder.take_trouble()), (&b"abab"[..], None));
    assert!(!recorder.render(&task(Nanos::ZERO), 1, &mut text), "an argument was never captured");
    assert_eq!(recorder.take_trouble(), None);
    recorder.capture(0, Some(b"abc"));
    assert!(!recorder.render(&task(Nanos::ZERO), 0, &mut text));
    assert_eq!(recorder.take_trouble().as_deref(), Some("too long"));
    assert_eq!(recorder.take_trouble(), None, "it is told once");
}

#[test]
fn a_slot_beside_another_has_its_captures_and_draws_by_the_call_it_makes() {
    let (_, mut recorder) = recorder(ANSWER, Shared { captures: 1, ..Shared::default() });
    let owner = recorder.add_slot(41);
    let beside = recorder.add_slot_beside(owner);
    assert_eq!((recorder.owner_of(owner), recorder.owner_of(beside)), (owner, owner));
    recorder.enter(owner);
    recorder.capture(0, Some(b"before"));
    recorder.enter(beside);
    assert_eq!(recorder.captured(0), Some(&b"before"[..]));
    recorder.capture(0, Some(b"after"));
    recorder.enter(owner);
    assert_eq!(recorder.captured(0), Some(&b"after"[..]));
    recorder.enter(0);
    assert_eq!(recorder.captured(0), None, "another user's are its own");

    let task = Task { serial: 7, ..task(Nanos::ZERO) };
    let drawn = |recorder: &mut Recorder, slot, call| {
        recorder.set_beside(slot, call);
        recorder.enter(slot);
        [recorder.draw(&task), recorder.draw(&task)]
    };
    recorder.enter(owner);
    let alone = recorder.draw(&task);
    let calls = [drawn(&mut recorder, owner, Some(1)), drawn(&mut recorder, beside, Some(2))];
    let swapped = [drawn(&mut recorder, beside, Some(1)), drawn(&mut recorder, owner, Some(2))];
    assert_eq!(calls, swapped, "whichever slot makes it");
    let mut all: Vec<u64> = calls.concat();
    all.push(alone);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 5, "no two are the same");
    // What they drew leaves the iteration's own as they were.
    recorder.set_beside(owner, None);
    recorder.enter(owner);
    let next = recorder.draw(&task);
    recorder.enter(0);
    assert_eq!([alone, next], [recorder.draw(&task), recorder.draw(&task)]);
}

fn secret() -> KeptOut {
    KeptOut::default().with_secrets([&b"hunter2"[..]])
}

#[test]
fn captured_credentials_never_stand_in_a_note() {
    let shared = Shared { captures: 2, secret_captures: vec![false, true], ..Shared::default() };
    let kept_out = shared.kept_out.clone();
    let (_, mut recorder) = recorder(ANSWER, shared);
    recorder.enter(0);
    recorder.open(&task(Nanos::ZERO), Nanos::ZERO, false);
    recorder.capture(0, Some(b"order-4711"));
    recorder.capture(1, Some(b"abcd-efgh-ijkl"));
    recorder.note(Outcome::Status, &mut |note| note.add(b"order-4711 of abcd-efgh-ijkl"));
    assert_eq!(recorder.drain().fold().notes[0].text, "order-4711 of ‹kept out›");
    assert_eq!(kept_out.cut("log of order-4711: abcd-efgh-ijkl"), "log of order-4711: ‹kept out›");
}

#[test]
fn what_is_kept_out_goes_before_an_answer_is_shortened() {
    let note = Note::new(secret(), Vec::new());
    let clean = note.clean(b"\xff aHVudGVyMg== \xfe").into_owned();
    assert_eq!(clean, [b"\xff ", scrub::MARK.as_bytes(), b"== \xfe"].concat());
}

#[test]
fn secrets_never_stand_in_a_note() {
    let (_, mut recorder) = recorder(ANSWER, Shared { kept_out: secret(), ..Shared::default() });
    recorder.enter(0);
    recorder.open(&task(Nanos::ZERO), Nanos::ZERO, false);
    for _ in 0..20 {
        recorder.note(Outcome::Status, &mut |note| note.add(b"password hunter2 refused"));
    }
    let folded = recorder.drain().fold();
    assert_eq!(folded.notes.len(), NOTES_PER_CLASS as usize);
    assert_eq!(folded.notes[0].text, "password ‹kept out› refused");
}

#[test]
fn values_that_are_kept_out_never_stand_in_a_note() {
    let kept_out = KeptOut::of([&b"anna@example.org"[..]]);
    let (_, mut recorder) = recorder(ANSWER, Shared { kept_out, ..Shared::default() });
    recorder.enter(0);
    recorder.open(&task(Nanos::ZERO), Nanos::ZERO, false);
    recorder.note(Outcome::Status, &mut |note| note.add(b"no account anna@example.org; see /q?anna%40example.org"));
    // A note that is cut within the value.
    recorder.note(Outcome::Wrong, &mut |note| {
        note.add(&[b'x'; NOTE_BYTES_MAX - 9]);
        note.add(b"anna@example.org");
    });
    let folded = recorder.drain().fold();
    assert_eq!(folded.notes[0].text, "no account \u{2039}kept out\u{203a}; see /q?\u{2039}kept out\u{203a}");
    assert!(folded.notes[1].text.ends_with("x\u{2039}kept out\u{203a}"), "{}", folded.notes[1].text);
}

#[test]
fn a_woken_slot_is_told_once_for_each_call() {
    let (_, mut recorder) = recorder(ANSWER, Shared::default());
    assert_eq!(recorder.take_woken(), None);
    recorder.wake(3);
    recorder.wake(1);
    let mut woken = [recorder.take_woken(), recorder.take_woken()];
    woken.sort_unstable();
    assert_eq!((woken, recorder.take_woken()), ([Some(1), Some(3)], None));
}

#[test]
fn a_message_knows_its_number_on_its_connection() {
    let templates = vec![Template { pieces: vec![Piece::Message, Piece::Fixed((*b"/").into()), Piece::User] }];
    let (_, mut recorder) = recorder(ANSWER, Shared { templates, ..Shared::default() });
    recorder.add_slot(1);
    let mut text = Vec::new();
    for (slot, number) in [(0, 3), (1, 0), (0, 2)] {
        recorder.enter(slot);
        recorder.number_message(number);
        assert!(recorder.render(&task(Nanos::ZERO), 0, &mut text));
        text.push(b' ');
    }
    assert_eq!(text, b"3/0 0/1 2/0 ");
}

#[test]
fn the_units_of_an_exchange_are_what_its_answer_says() {
    let (clock, mut recorder) = recorder(LATER, Shared::default());
    recorder.set_period(5, 0);
    let call = |recorder: &mut Recorder, at_ms: i64, said: Option<&[u8]>, outcome: Outcome| {
        let task = task(Nanos::from_millis(at_ms));
        recorder.enter(0);
        recorder.open(&task, Nanos::ZERO, false);
        clock.advance_to(Nanos::from_millis(at_ms + 1));
        recorder.started(&task);
        if let Some(said) = said {
            recorder.capture(crate::UNITS_SLOT, Some(said));
        }
        recorder.close(&task, 0, outcome, 1, 0);
    };
    // In the second in hand, and in one before it: both ways to a row.
    call(&mut recorder, 1000, Some(b"5000000000"), Outcome::Ok);
    call(&mut recorder, 5000, Some(b"12"), Outcome::Ok);
    call(&mut recorder, 5100, Some(b"0"), Outcome::Ok);
    call(&mut recorder, 5200, None, Outcome::Ok);
    call(&mut recorder, 5300, None, Outcome::Wrong);
    let mut rows = recorder.drain().fold().legs;
    rows.sort_by_key(|row| (row.intended_s, row.population));
    let units: Vec<_> = rows.iter().map(|row| (row.intended_s, row.population, row.count, row.units)).collect();
    let expected = [(1, Population::Ok, 1, 5_000_000_000), (5, Population::Ok, 3, 13), (5, Population::Failed, 1, 1)];
    assert_eq!(units, expected, "what said nothing counts once, and nothing is left from the call before");
}
