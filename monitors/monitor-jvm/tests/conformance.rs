//! What every monitor owes: one mistake for each thing that is wrong, values of its own metrics only, no value where
//! there is none, a sentence that says why.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{Facts, Mistakes, Monitor, Samples, Watched};
use monitor_jvm::{JVM, METRICS};
use terms::Nanos;

fn build(entries: &[(&str, &str)], instances: &[Watched]) -> Result<Box<dyn Monitor>, Mistakes> {
    testkit::monitor(JVM, entries, instances, Nanos::SECOND)
}

#[test]
fn all_mistakes_come_at_once_with_hints() {
    let found = build(&[("from", "jstats"), ("form", "jstat")], &[]).err().unwrap();
    let codes: Vec<_> = found.0.iter().map(|mistake| mistake.code).collect();
    assert_eq!(codes, ["study::unknown-word", "study::unknown-key"], "{found:?}");
    assert_eq!(found.0[0].label.as_deref(), Some("did you mean `jstat`?"));
    assert!(found.0[0].hint.as_ref().unwrap().contains("perf_data"));
    assert_eq!(found.0[1].label.as_deref(), Some("did you mean `from`?"));
    for from in ["perf_data", "jstat"] {
        assert!(build(&[("from", from)], &[]).is_ok());
    }
    assert!(build(&[], &[]).is_ok());
}

#[test]
fn what_is_no_java_gives_no_value_and_says_why() {
    let watched = |name: &str, pid, url: Option<&str>| Watched { name: name.into(), pid, url: url.map(str::to_owned) };
    let own = std::process::id();
    // This process is none; nobody listens on port 1; a process that is not on this machine at all.
    for (instance, why) in [
        (watched("shop", Some(own), None), "no process of `shop` is a Java virtual machine"),
        (watched("shop", None, Some("http://127.0.0.1:1")), "no process of this machine listens on port 1"),
        (watched("shop", None, Some("http://10.0.0.1:80")), "`shop` has no process on this machine"),
    ] {
        let mut monitor = build(&[], &[instance]).unwrap();
        let mut facts = Facts::default();
        monitor.facts(&mut facts);
        assert!(facts.0[0].2.contains(why), "{facts:?}");
        let mut out = Samples::default();
        let failure = monitor.sample(Nanos::SECOND, &mut out).unwrap_err();
        assert!(failure.0.contains(why), "{failure}");
        assert_eq!(out.take(), (Vec::new(), Vec::new()));
    }
    let failure = build(&[], &[]).unwrap().sample(Nanos::ZERO, &mut Samples::default()).unwrap_err();
    assert_eq!(failure.0, "no instance is watched");
    assert!(METRICS.iter().all(|metric| !metric.name.is_empty()));
}

#[test]
fn every_word_is_there_in_every_language() {
    testkit::words::of_monitor(&monitor_jvm::JVM);
}
