//! What every monitor owes: one mistake for each thing that is wrong, values of its own metrics only, no value where
//! there is none, a sentence that says why.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{Facts, Mistakes, Monitor, Samples, Watched};
use monitor_access_log::{ACCESS_LOG, METRICS};
use std::fs::OpenOptions;
use std::io::Write;
use terms::{Nanos, iso};

fn watched(names: &[&str]) -> Vec<Watched> {
    names.iter().map(|name| Watched { name: (*name).into(), pid: None, url: None }).collect()
}

fn build(entries: &[(&str, &str)], instances: &[&str]) -> Result<Box<dyn Monitor>, Mistakes> {
    testkit::monitor(ACCESS_LOG, entries, &watched(instances), Nanos::SECOND)
}

fn codes(entries: &[(&str, &str)], instances: &[&str]) -> Vec<&'static str> {
    let found = build(entries, instances).err().map(|mistakes| mistakes.0).unwrap_or_default();
    assert!(found.iter().all(|mistake| mistake.label.is_some() || mistake.hint.is_some()), "{found:?}");
    found.iter().map(|mistake| mistake.code).collect()
}

#[test]
fn all_mistakes_come_at_once_with_hints() {
    assert_eq!(codes(&[], &["shop"]), ["study::missing-key"; 2]);
    let of = |entries: &[(&str, &str)]| {
        let entries: Vec<_> = [("file", "a.log")].into_iter().chain(entries.iter().copied()).collect();
        codes(&entries, &["shop"])
    };
    assert_eq!(of(&[("format", "common %D")]), ["access_log::unit"], "no server is guessed");
    assert_eq!(of(&[("format", "common %D"), ("unit", "us")]), [""; 0]);
    assert_eq!(of(&[("format", "common %{ms}T"), ("unit", "us")]), ["access_log::unit"], "two that differ");
    assert_eq!(of(&[("format", "common %{us}T"), ("unit", "us")]), [""; 0]);
    assert_eq!(of(&[("format", "common"), ("unit", "us")]), ["access_log::unit"], "a unit of nothing");
    assert_eq!(of(&[("format", "common")]), [""; 0]);
    assert_eq!(of(&[("format", "json"), ("unit", "minutes")]), ["access_log::fields", "study::unknown-word"]);
    assert_eq!(of(&[("format", "%s%b"), ("time", "read"), ("times", "now"), ("route", "/a*b")]).len(), 4);
    let near = build(&[("file", "a"), ("format", "comon")], &["shop"]).err().unwrap();
    assert_eq!(near.0[0].label.as_deref(), Some("did you mean `common`?"));
    assert_eq!(codes(&[("file", "a.log"), ("format", "common")], &["a.1", "a.2"]), ["access_log::shared-file"]);
    assert_eq!(codes(&[("file", "$(instance).log"), ("format", "common")], &["a.1", "a.2"]), [""; 0]);
}

#[test]
fn each_instance_has_its_own_log_and_a_missing_one_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("{}/$(instance).log", folder.path().display());
    let entries = [("file", file.as_str()), ("format", r#"%{iso}t "%r" %s %b %D"#), ("unit", "ms"), ("route", "/a/*")];
    let mut monitor = build(&entries, &["shop.1", "shop.2"]).unwrap();
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    let has = |facts: &Facts, subject: &str, part: &str| {
        facts.0.iter().any(|(of, _, value)| of == subject && value.contains(part))
    };
    assert!(has(&facts, "shop.1", "shop.1.log") && has(&facts, "shop.2", "ms"), "{facts:?}");
    let mut out = Samples::default();
    let failure = monitor.sample(Nanos::SECOND, &mut out).unwrap_err();
    assert!(failure.0.contains("shop.1.log` of `shop.1` cannot be read"), "{failure}");
    assert_eq!(out.take(), (Vec::new(), Vec::new()), "what cannot be read has no value");
    let missing: Vec<String> = out.take_absent().missing.into_iter().map(|(_, why)| why).collect();
    assert_eq!(missing.len(), 2);
    assert!(missing[1].contains("shop.2.log` of `shop.2` cannot be read"), "{missing:?}");

    let wall = clock::Clock::system().wall();
    let mut log = OpenOptions::new().create(true).append(true).open(folder.path().join("shop.1.log")).unwrap();
    for (route, status, millis) in [("/a/x?q=1", 200, 3), ("/a/y", 404, 5), ("/a/", 503, 7), ("/b", 200, 9)] {
        writeln!(log, "{} \"GET {route} HTTP/1.1\" {status} 10 {millis}", iso::millis(wall)).unwrap();
    }
    writeln!(log, "what is this?\nand this?").unwrap();
    let at = Nanos::from_secs(5);
    monitor.sample(at, &mut out).unwrap();
    let (values, events) = out.take();
    let of = |metric: &str| -> Vec<f64> {
        let number = METRICS.iter().position(|kind| kind.name == metric).unwrap() as u16;
        let ours = values.iter().filter(|one| one.metric == number && out.instance_name(one.instance) == "shop.1");
        ours.map(|one| one.value).collect()
    };
    assert_eq!(of("duration"), [0.003, 0.005, 0.007]);
    // The log was made meanwhile: at the first look at it there was nothing, which is known now.
    let counts = ["calls", "client_errors", "errors", "sent", "not_understood"].map(of);
    assert_eq!(counts, [3.0, 1.0, 1.0, 30.0, 2.0].map(|count| vec![0.0, count]));
    assert!(values.iter().filter(|one| one.at == Nanos::SECOND).count() == 5);
    assert_eq!(out.take_absent().missing.len(), 1, "the other one is still missing");
    assert!(values.iter().all(|one| out.instance_name(one.instance) == "shop.1"), "shop.2 has no log and no value");
    let mut read = values.iter().filter(|one| one.at != Nanos::SECOND);
    assert!(read.all(|one| one.at <= at && one.at >= at - Nanos::from_secs(2)), "in the run's clock");
    assert_eq!(events.len(), 1, "one sample of what is not understood: {events:?}");
    assert!(events[0].2.text.ends_with("is not understood: `what is this?`"));
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    assert!(has(&facts, "shop.1", "3 calls, 1 on other routes, 2 not understood"), "{facts:?}");
}

#[test]
fn every_word_is_there_in_every_language() {
    testkit::words::of_monitor(&ACCESS_LOG);
}
