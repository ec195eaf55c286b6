//! Waits around a load that their longest time ended, and not their rule.

use crate::common::{CPU, MEMORY, Run, evenly, study_of};
use judge::{Arg, Finding};
use terms::{Nanos, Outcome};

/// A minute of idle, one of load, then a drain and a recovery of five minutes at most; `volume` of what succeeds.
fn run() -> Run {
    let keys = "    run: [x]\n    idle: { until: settled(host.cpu), at_most: 1m }\n    drain: { until: drained(host.memory), at_most: 5m }\n    recovery: { until: settled(host.cpu) and drained(host.memory), at_most: 5m }\n";
    let text = study_of("{ arrivals: 20/s, hold: 60s }", "ok: share(x.ok) >= 50%").replace("    run: [x]\n", keys);
    let volume = "capacity: { volumes: { year: { of: rate(x.ok), from: s, hours: 24, days: 260 } } }\n";
    let mut run = Run::of(&format!("{text}{volume}"));
    for (id, from, to) in [("idle", 0, 60), ("hold", 60, 120), ("drain", 120, 420), ("recovery", 420, 720)] {
        let span = run.span(id);
        (span.from, span.to) = (Nanos::from_secs(from), Nanos::from_secs(to));
    }
    run.evidence.end = Nanos::from_secs(720);
    if let Some(ending) = &mut run.evidence.head.ending {
        ending.at_ns = run.evidence.end.0;
    }
    let hold = run.step("hold");
    run.add(&evenly(hold, 60, 60, 20, |_, call| call));
    run
}

/// Processor and memory each second, from one second up to another.
fn watch(run: &mut Run, (from, to): (i64, i64), cpu: f64, memory: f64) {
    for second in from..to {
        run.sample(second as f64 + 0.5, CPU, "shop", Some(cpu));
        run.sample(second as f64 + 0.5, MEMORY, "shop", Some(memory));
    }
}

fn busy(run: &Run) -> Vec<Finding> {
    run.judge().findings.into_iter().filter(|finding| finding.rule() == "STILL-BUSY").collect()
}

/// Its words, and its figures as numbers, by name.
fn words(finding: &Finding) -> Vec<(String, String)> {
    let text = |arg: &Arg| match arg.quantity() {
        Arg::Text(text) => text.clone(),
        Arg::Seconds(value) | Arg::Share(value) | Arg::Bytes(value) | Arg::Count(value) => format!("{value:.2}"),
        other => panic!("{other:?}"),
    };
    finding.args().iter().map(|(name, arg)| (name.clone(), text(arg))).collect()
}

fn expect(finding: &Finding, scope: &str, expected: &[(&str, &str)]) {
    assert_eq!(finding.scope.to_string(), scope);
    let found = words(finding);
    for (name, value) in expected {
        let known = found.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        assert_eq!(known, Some(*value), "{name}: {found:?}");
    }
}

#[test]
fn a_recovery_that_was_too_short_says_what_was_still_busy() {
    let mut run = run();
    watch(&mut run, (0, 60), 0.1, 1e6);
    watch(&mut run, (60, 120), 0.9, 9e6);
    watch(&mut run, (120, 720), 0.4, 0.0);
    run.event(719.9, "unrested", "s");
    let found = busy(&run);
    let [only] = &found[..] else { panic!("{found:#?}") };
    // Idle at 10 %, so near it is five points to each side; the memory is drained, and not what is told.
    let expected = [
        ("wait", "recovery"),
        ("standing", "settled"),
        ("series", "host.cpu"),
        ("rule", "settled(host.cpu) and drained(host.memory)"),
        ("value", "0.40"),
        ("low", "0.05"),
        ("high", "0.15"),
        ("most", "300.00"),
        ("left", "0.00"),
    ];
    expect(only, "s/recovery", &expected);
    // What a recovery waits for is not of the work.
    run.span("drain").to = Nanos::from_secs(121);
    assert!(run.judge().capacity.volumes[0].refused.is_none());
}

#[test]
fn a_drain_that_was_too_short_says_what_was_left_and_gives_no_volume() {
    let mut run = run();
    watch(&mut run, (0, 60), 0.1, 1e6);
    watch(&mut run, (60, 420), 0.9, 9e6);
    watch(&mut run, (420, 720), 0.1, 0.0);
    run.event(419.9, "unrested", "s");
    let found = busy(&run);
    let [only] = &found[..] else { panic!("{found:#?}") };
    // What was there in the idle phase is as good as nothing.
    let expected = [("wait", "drain"), ("standing", "drained"), ("value", "9000000.00"), ("high", "1000000.00")];
    expect(only, "s/drain", &expected);
    let volume = run.judge().capacity.volumes.remove(0);
    assert_eq!((volume.value, volume.refused.map(|why| why.code)), (None, Some("still_busy".to_owned())));
    // Iterations that the end of the drain cut off are told, and are the graver reason.
    let hold = run.step("hold");
    let cut = evenly(hold, 119, 1, 20, |_, call| call.ended(Outcome::Aborted));
    run.add(&cut);
    expect(&busy(&run)[0], "s/drain", &[("left", "20.00")]);
    let volume = run.judge().capacity.volumes.remove(0);
    assert_eq!(volume.refused.map(|why| why.code), Some("undrained".to_owned()));
}

#[test]
fn an_idle_phase_that_never_was_quiet_says_between_what_it_should_have_stayed() {
    let mut run = run();
    // Of the last eleven samples six are at 40 %: their mean is 30.9 %.
    for second in 0..60 {
        let cpu = if second % 2 == 0 { 0.2 } else { 0.4 };
        run.sample(f64::from(second) + 0.5, CPU, "shop", Some(cpu));
    }
    run.event(59.9, "unrested", "s");
    let found = busy(&run);
    let [only] = &found[..] else { panic!("{found:#?}") };
    expect(only, "s/idle", &[("wait", "idle"), ("standing", "unsteady"), ("low", "0.26"), ("high", "0.36")]);
    // What nobody saw is not told as if it were known.
    run.samples.clear();
    expect(&busy(&run)[0], "s/idle", &[("standing", "unseen"), ("value", "none"), ("low", "none")]);
}

#[test]
fn a_wait_that_its_rule_ended_is_not_told() {
    let mut run = run();
    watch(&mut run, (0, 60), 0.1, 1e6);
    watch(&mut run, (60, 120), 0.9, 9e6);
    watch(&mut run, (120, 720), 0.1, 0.0);
    for at in [59.9, 419.9, 719.9] {
        run.event(at, "rested", "s");
    }
    assert_eq!(busy(&run), []);
    // The load took a minute and its drain five: 20/s in the first are 20/6 a second over both.
    let volume = run.judge().capacity.volumes.remove(0);
    let refused = volume.refused.expect("work that took that long is not sustained");
    assert_eq!((refused.code.as_str(), volume.value), ("drained_late", None));
    assert_eq!(refused.args["drain"], Arg::Seconds(300.0));
    let Arg::PerSecond(rate) = refused.args["rate"] else { panic!("{refused:?}") };
    assert!((rate - 20.0 / 6.0).abs() < 1e-9, "{rate}");
    // A drain that was seen to be over at one of the first looks is none to speak of.
    run.span("drain").to = Nanos::from_secs(129);
    assert!(run.judge().capacity.volumes[0].refused.is_none());
    // Of another scenario, or of a repetition that there is not.
    run.event(719.9, "unrested", "t");
    run.event(719.9, "unrested", "s#2");
    assert_eq!(busy(&run).len(), 0);
}
