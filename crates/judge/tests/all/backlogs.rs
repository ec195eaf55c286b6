//! Waits for legs that a watched count closes: while the run goes on, and what is reported about them afterwards.

use crate::common::{EVENTS, Run, evenly, fold, study_with};
use judge::live::{Backlogs, Rest};
use judge::{Arg, Finding};
use record::{SampleRow, StepMark};
use study::Wait;
use terms::Nanos;

/// A load of a minute with ten calls a second of ten items each, of which a count says how many are packed, and waits for
/// all of them; `other` is a scenario after it.
fn run() -> Run {
    let until = "{ until: \"drained(x.packed)\", at_most: 5m }";
    let exchange =
        "x: { simulated.call: {}, carries: { items: 10 }, legs: { packed: { counted_by: host.events, of: items } } }";
    let text = study_with("x", "{ arrivals: 10/s, hold: 60s }", exchange, "ok: count(x) >= 0")
        .replace("    run: [x]\n", &format!("    run: [x]\n    idle: {until}\n    drain: {until}\n    gap: {until}\n"));
    let volume = "capacity: { volumes: { year: { of: rate(x.items), from: s, hours: 24, days: 260 } } }\n";
    let mut run = Run::of(&format!("{text}{volume}"));
    for (id, from, to) in [("idle", 0, 60), ("hold", 60, 120), ("drain", 120, 420)] {
        let span = run.span(id);
        (span.from, span.to) = (Nanos::from_secs(from), Nanos::from_secs(to));
    }
    run.evidence.end = Nanos::from_secs(430);
    if let Some(ending) = &mut run.evidence.head.ending {
        ending.at_ns = run.evidence.end.0;
    }
    run
}

fn look(second: i64, value: Option<f64>) -> SampleRow {
    SampleRow { at: Nanos::from_secs(second), monitor: 0, instance: "shop".into(), metric: EVENTS, value }
}

/// Sixty of the hundred items a second that come from second 60 to 120 are packed, as long as there are any: all of them
/// after 160 s. Seven were before the load.
fn packed(second: i64) -> f64 {
    7.0 + 60.0 * (second - 60).clamp(0, 100) as f64
}

struct Watched {
    run: Run,
    backlogs: Backlogs,
}

impl Watched {
    fn new() -> Self {
        let run = run();
        let backlogs = Backlogs::new(&run.evidence.head);
        Self { run, backlogs }
    }

    fn rest(&self, wait: Wait) -> Rest {
        Rest::new(&self.run.evidence.head, (0, 1), (wait, self.run.study.scenarios[0].until[&wait].clone()))
    }

    fn mark(&mut self, phase: &str, second: i64, is_end: bool) {
        self.backlogs.mark(&StepMark { step: self.run.step(phase), at: Nanos::from_secs(second), is_end });
    }

    /// Until the end of the load, with a look a second.
    fn load(&mut self) {
        (50..60).for_each(|second| self.backlogs.add_samples(&[look(second, Some(packed(second)))]));
        self.mark("hold", 60, false);
        for second in 60..120 {
            self.backlogs.add_samples(&[look(second, Some(packed(second)))]);
            let calls = evenly(self.run.step("hold"), second, 1, 10, |_, call| call);
            self.backlogs.add(&fold(&self.run.evidence.head, &calls));
        }
        self.mark("hold", 120, true);
        self.mark("drain", 120, false);
    }

    /// Looks second by second from the end of the load on; when the wait is over, and since when nothing was left.
    fn drains(&mut self, until: i64, value: impl Fn(i64) -> Option<f64>) -> Option<(i64, i64)> {
        let rest = self.rest(Wait::Drain);
        assert!(rest.is_for_counted(&self.backlogs));
        (120..until).find_map(|second| {
            self.backlogs.add_samples(&[look(second, value(second))]);
            rest.held_since(Nanos::from_secs(120), &self.backlogs).map(|since| (second, since.second()))
        })
    }
}

#[test]
fn a_drain_is_over_at_the_second_look_that_finds_nothing_left() {
    let mut watched = Watched::new();
    watched.load();
    assert_eq!(watched.drains(400, |second| Some(packed(second))), Some((161, 160)));
    // A gap looks from its own beginning on.
    let gap = watched.rest(Wait::Gap);
    let held = |watched: &Watched, from| gap.held_since(Nanos::from_secs(from), &watched.backlogs);
    assert_eq!(held(&watched, 161), None);
    assert_eq!(held(&watched, 160), Some(Nanos::from_secs(160)));
    // More that is accepted is outstanding again.
    let calls = evenly(watched.run.step("hold"), 119, 1, 1, |_, call| call);
    watched.backlogs.add(&fold(&watched.run.evidence.head, &calls));
    assert_eq!(held(&watched, 160), None);
    assert!(gap.why_not(&watched.backlogs).unwrap().contains("10 of 6010 of `x.packed` were outstanding"));
}

#[test]
fn what_is_lost_is_never_drained_and_is_said() {
    let mut watched = Watched::new();
    watched.load();
    assert_eq!(watched.drains(400, |second| Some(packed(second).min(5997.0))), None);
    let why = watched.rest(Wait::Drain).why_not(&watched.backlogs).unwrap();
    assert_eq!(why, "by `host.events` 10 of 6000 of `x.packed` were outstanding when it was last read, at 399s");
}

#[test]
fn a_count_that_goes_backwards_while_something_is_outstanding_ends_no_wait() {
    let mut watched = Watched::new();
    watched.load();
    // It begins anew at 140 s, and comes to more than was ever accepted.
    let again = |second: i64| if second < 140 { packed(second) } else { 60.0 * (second - 140) as f64 };
    assert_eq!(watched.drains(400, |second| Some(again(second))), None);
    let why = watched.rest(Wait::Drain).why_not(&watched.backlogs).unwrap();
    assert!(why.contains("went backwards at 140s, from 4747 to 0"), "{why}");
    // Once all was through, and the drain over, a table may be emptied.
    let mut watched = Watched::new();
    watched.load();
    assert!(watched.drains(400, |second| Some(packed(second))).is_some());
    watched.mark("drain", 162, true);
    (162..165).for_each(|second| watched.backlogs.add_samples(&[look(second, Some(0.0))]));
    let gap = watched.rest(Wait::Gap);
    assert_eq!(gap.held_since(Nanos::from_secs(162), &watched.backlogs), Some(Nanos::from_secs(162)));
}

#[test]
fn a_monitor_that_dies_or_never_looked_before_ends_no_wait() {
    let mut watched = Watched::new();
    watched.load();
    assert_eq!(watched.drains(400, |second| (second < 130).then(|| packed(second))), None);
    let why = watched.rest(Wait::Drain).why_not(&watched.backlogs).unwrap();
    assert!(why.ends_with("1860 of 6000 of `x.packed` were outstanding and it could not be read at 399s"), "{why}");

    // Nobody knows what was there before the load.
    let mut watched = Watched::new();
    watched.mark("hold", 60, false);
    assert_eq!(watched.drains(200, |second| Some(packed(second))), None);
    let why = watched.rest(Wait::Drain).why_not(&watched.backlogs).unwrap();
    assert!(why.contains("was not read before the load"), "{why}");
}

#[test]
fn the_mark_of_a_load_may_come_after_the_first_looks_within_it() {
    let mut watched = Watched::new();
    (50..64).for_each(|second| watched.backlogs.add_samples(&[look(second, Some(packed(second)))]));
    watched.mark("hold", 60, false);
    let calls = evenly(watched.run.step("hold"), 60, 60, 10, |_, call| call);
    watched.backlogs.add(&fold(&watched.run.evidence.head, &calls));
    assert_eq!(watched.drains(400, |second| Some(packed(second))), Some((161, 160)));
}

#[test]
fn an_idle_phase_is_over_when_nothing_was_outstanding_for_ten_seconds() {
    let mut watched = Watched::new();
    let idle = watched.rest(Wait::Idle);
    for second in 0..=10 {
        assert_eq!(idle.held_since(Nanos::ZERO, &watched.backlogs), None, "{second}");
        watched.backlogs.add_samples(&[look(second, Some(7.0))]);
    }
    assert_eq!(idle.held_since(Nanos::ZERO, &watched.backlogs), Some(Nanos::ZERO));
}

fn busy(run: &Run) -> Finding {
    let judged = run.judge().findings.into_iter().find(|finding| finding.rule() == "STILL-BUSY");
    judged.unwrap_or_else(|| panic!("nothing was still busy"))
}

fn told(finding: &Finding) -> (String, String) {
    let word = |name: &str| match finding.args()[name].quantity() {
        Arg::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    (word("series"), word("standing"))
}

/// What is judged afterwards of a run whose count was so second by second.
fn judged(value: impl Fn(i64) -> Option<f64>, drain: i64, is_unrested: bool) -> Run {
    let mut run = run();
    let hold = run.step("hold");
    run.add(&evenly(hold, 60, 60, 10, |_, call| call));
    (50..430).for_each(|second| run.sample(second as f64, EVENTS, "shop", value(second)));
    run.span("drain").to = Nanos::from_secs(drain);
    if is_unrested {
        run.event(drain as f64 - 0.1, "unrested", "s");
    }
    run
}

fn volume(run: &Run) -> judge::Reason {
    run.judge().capacity.volumes.remove(0).refused.expect("it is refused")
}

#[test]
fn a_slow_drain_of_a_counted_leg_gives_the_rate_over_load_and_drain() {
    // Sixty seconds of load, and forty until the last of 6,000 was packed: sixty a second, however long the wait took.
    let reason = volume(&judged(|second| Some(packed(second)), 175, false));
    assert_eq!((reason.code.as_str(), &reason.args["rate"]), ("drained_late", &Arg::PerSecond(60.0)));
    assert_eq!(reason.args["drain"], Arg::Seconds(40.0));
}

#[test]
fn a_counted_leg_that_was_still_busy_is_named_with_what_was_left() {
    let run = judged(|second| Some(packed(second)), 150, true);
    let finding = busy(&run);
    assert_eq!(told(&finding), ("x.packed".into(), "drained".into()));
    // At 149 s 5,340 of 6,000 were packed.
    assert_eq!(finding.args()["value"].quantity(), &Arg::Number(660.0));
    assert_eq!(volume(&run).code, "still_busy");
}

#[test]
fn a_count_that_went_backwards_or_was_not_read_any_more_is_no_level() {
    let again = |second: i64| Some(if second < 140 { packed(second) } else { 60.0 * (second - 140) as f64 });
    let run = judged(again, 420, true);
    assert_eq!(told(&busy(&run)), ("x.packed".into(), "backwards".into()));
    assert_eq!(volume(&run).code, "still_busy");
    // Without a wait, too, what is through is not known.
    let mut run = judged(again, 121, false);
    run.study.scenarios[0].until.clear();
    assert_eq!(volume(&run).code, "still_busy");

    let run = judged(|second| (second < 130).then(|| packed(second)), 420, true);
    assert_eq!(told(&busy(&run)), ("x.packed".into(), "unseen".into()));
}
