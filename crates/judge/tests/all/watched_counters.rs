//! Watched counters whose series begin, fall or were missing around the load: what is known of their growth, and what is
//! not.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{EVENTS, MEMORY, Run, evenly, study_of};

const RULES: &str = "
    within: count(host.events) = 0
    whole: count(host.events) = 0 in all
    pace: rate(host.events) <= 100/s
    worked: working_rate(host.events) <= 100/s
    peak: max(host.memory) <= 1kB
";

/// Ten seconds of silence, a minute of load from 10 s on, ten more of silence; memory is seen all along.
fn watched() -> Run {
    let text = study_of("{ arrivals: 10/s, hold: 60s }", RULES);
    let mut run = Run::of(&text.replace("    run: [x]", "    run: [x]\n    idle: 10s\n    recovery: 10s"));
    let hold = run.step("hold");
    assert_eq!(run.span("hold").from.second(), 10);
    run.add(&evenly(hold, 10, 70, 10, |_, call| call));
    for second in 0..80 {
        run.sample(at(second), MEMORY, "host", Some(100.0));
    }
    run
}

/// When the sample of a second is taken. Those from 10 to 70 stand for the hold and its edges.
fn at(second: i32) -> f64 {
    f64::from(second) + 0.4873
}

fn value(run: &Run, id: &str) -> f64 {
    let result = run.result(id);
    result.value.unwrap_or_else(|| panic!("{result:#?}"))
}

/// Answers with an error have a series of their own, which is there from the first of them on: forty at once.
#[test]
fn what_a_new_series_begins_with_came_within_the_load() {
    let mut run = watched();
    for second in 40..80 {
        run.sample(at(second), EVENTS, "code 503", Some(40.0));
    }
    for id in ["within", "whole"] {
        assert_eq!((value(&run, id), run.result(id).verdict.name()), (40.0, "not_met"), "{id}");
    }
    assert!((value(&run, "pace") - 40.0 / (at(70) - at(10))).abs() < 1e-9, "from look to look of the hold");
    // Beside a series that was there, the rate between stalls does not take what that has for growth.
    for second in 0..80 {
        run.sample(at(second), EVENTS, "code 200", Some(1000.0 + 10.0 * f64::from(second)));
    }
    assert!((value(&run, "pace") - 640.0 / 60.0).abs() < 1e-9, "{}", value(&run, "pace"));
    assert!(value(&run, "worked") < 20.0, "{}", value(&run, "worked"));
    // A series that was there before the hold begins with what it had.
    let mut before = watched();
    for second in 5..80 {
        before.sample(at(second), EVENTS, "code 503", Some(if second < 40 { 7.0 } else { 47.0 }));
    }
    assert_eq!((value(&before, "within"), value(&before, "whole")), (40.0, 40.0));
}

/// A group that has not committed anything has no offset that is known; its first one is not what it has read since.
#[test]
fn what_could_not_be_seen_before_the_load_has_no_known_begin() {
    let mut run = watched();
    for second in 0..80 {
        let value = (second >= 13).then(|| 5_000_123.0 + f64::from(second - 13));
        run.sample(at(second), EVENTS, "orders / 0", value);
    }
    assert_eq!(run.verdict("whole"), ("cannot_tell", "not_counted_before".into()));
    // Three gaps of sixty are no reason to know nothing of the hold.
    assert_eq!(value(&run, "within"), 57.0);
    // At the very begin of the load its value stands for that moment.
    run.samples.retain(|row| row.metric != EVENTS);
    for second in 0..80 {
        let value = (second >= 10).then(|| 5_000_123.0 + f64::from(second - 10));
        run.sample(at(second), EVENTS, "orders / 0", value);
    }
    assert_eq!(value(&run, "whole"), 69.0);
}

/// `shop.2` is watched and did not answer before the load; nobody knows how long it has counted.
#[test]
fn an_instance_that_never_answered_before_has_no_known_begin() {
    let mut run = watched();
    run.evidence.head.monitors[0].instances = vec!["shop.1".into(), "shop.2".into()];
    for second in 0..80 {
        run.sample(at(second), EVENTS, "shop.1", Some(3.0));
    }
    for second in 20..80 {
        run.sample(at(second), EVENTS, "shop.2 / 503", Some(900.0));
    }
    assert_eq!(run.verdict("whole"), ("cannot_tell", "not_counted_before".into()));
    assert_eq!(value(&run, "within"), 0.0);
}

/// One of the series that a counter adds up is gone: the rest has not grown by all that it is.
#[test]
fn a_step_back_by_less_than_half_is_no_restart() {
    let mut run = watched();
    for second in 0..80 {
        let value = if second < 30 { 1_000_000.0 } else { 999_000.0 + f64::from((second - 30).min(10)) };
        run.sample(at(second), EVENTS, "shop", Some(value));
    }
    assert_eq!((value(&run, "within"), value(&run, "whole")), (10.0, 10.0));
    run.samples.iter_mut().filter(|row| row.metric == EVENTS && row.at.second() >= 30).for_each(|row| {
        row.value = Some(f64::from(row.at.second() as i32 - 30).min(10.0));
    });
    assert_eq!((value(&run, "within"), value(&run, "whole")), (10.0, 10.0), "started again, and ten since");
}

/// A committed offset that is set back to the first message is read once more from there; nothing came by that alone.
#[test]
fn an_offset_that_is_set_back_has_not_grown_by_what_it_is() {
    let mut run = watched();
    for second in 0..80 {
        run.sample(at(second), EVENTS, "orders / 0", Some(if second < 30 { 1_000_000.0 } else { 400_000.0 }));
    }
    assert_eq!((value(&run, "within"), value(&run, "whole")), (400_000.0, 400_000.0), "as a counter that starts again");
    run.evidence.head.monitors[0].metrics[usize::from(EVENTS)].role = "offset".into();
    assert_eq!((value(&run, "within"), value(&run, "whole")), (0.0, 0.0));
}

/// On the busiest second the sample comes 15 ms late; the machine was at its most then.
#[test]
fn the_peak_is_kept_where_its_sample_was_late() {
    let mut run = watched();
    run.samples.clear();
    for second in 0..80 {
        let (late, value) = if second == 30 { (0.015, 2000.0) } else { (0.0, 900.0) };
        run.sample(at(second) + late, MEMORY, "host", Some(value));
    }
    assert_eq!((value(&run, "peak"), run.result("peak").verdict.name()), (2000.0, "not_met"));
}

/// Two look-ups, of which only one has a log that can be read: nothing is known of half of the system.
#[test]
fn what_one_instance_shows_says_nothing_of_one_that_nobody_saw() {
    let mut run = watched();
    for second in 0..80 {
        run.sample(at(second), EVENTS, "lookup.1", Some(0.0));
        run.sample(at(second), EVENTS, "lookup.2", None);
    }
    assert_eq!(run.verdict("within"), ("cannot_tell", "samples_missing".into()));
    assert_eq!(run.verdict("whole"), ("cannot_tell", "not_counted_before".into()));
    // Nor does what twenty of them are like, of one that was away for a quarter of the time.
    run.samples.retain(|row| row.metric != EVENTS);
    for second in 0..80 {
        for number in 1..=20 {
            let value = (number > 1 || second >= 25).then_some(0.0);
            run.sample(at(second), EVENTS, &format!("lookup.{number}"), value);
        }
    }
    assert_eq!(run.verdict("within"), ("cannot_tell", "samples_missing".into()));
    // It may be away for a tenth.
    let mut run = watched();
    for second in 0..80 {
        run.sample(at(second), EVENTS, "lookup.1", Some(0.0));
        run.sample(at(second), EVENTS, "lookup.2", (!(20..25).contains(&second)).then_some(0.0));
    }
    assert_eq!(run.verdict("within").0, "met");
}
