//! Real processes: this one with a child that works, one that is killed, one that is found by its port.
#![allow(clippy::unwrap_used, reason = "a test")]

use clock::Clock;
use contract::{Event, Facts, Monitor, Sample, Samples, Watched};
use monitor_process::{METRICS, PROCESS};
use std::process::{Child, Command};
use terms::Nanos;

fn monitor(instances: &[(&str, Option<u32>, Option<String>)]) -> Box<dyn Monitor> {
    let watched = |(name, pid, url): &(&str, Option<u32>, Option<String>)| Watched {
        name: (*name).to_owned(),
        pid: *pid,
        url: url.clone(),
    };
    let instances: Vec<_> = instances.iter().map(watched).collect();
    testkit::monitor(PROCESS, &[], &instances, Nanos::SECOND).unwrap()
}

/// Ends its process when the test is over, however it ends.
struct Helper(Child);

impl Helper {
    fn start(script: &str) -> Self {
        Self(Command::new("/bin/sh").args(["-c", script]).spawn().unwrap())
    }

    /// Processor time so far, clock ticks.
    fn ticks(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        let fields: Vec<_> = text.rsplit_once(')').unwrap().1.split_ascii_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }

    fn work_until(&self, ticks: u64) {
        let clock = Clock::system();
        while self.ticks() < ticks {
            assert!(clock.now() < Nanos::from_secs(60), "the helper does not get the processor");
            clock.sleep_until(clock.now() + Nanos::from_millis(5));
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn value(values: &[Sample], instance: u32, metric: &str) -> Option<f64> {
    let number = METRICS.iter().position(|kind| kind.name == metric).unwrap() as u16;
    values.iter().find(|sample| sample.instance == instance && sample.metric == number).map(|sample| sample.value)
}

fn kinds(events: &[(Nanos, u32, Event)]) -> Vec<&str> {
    events.iter().map(|(_, _, event)| event.kind).collect()
}

#[test]
fn this_process_and_a_child_that_works_and_memory_that_grows() {
    let helper = Helper::start("while :; do :; done");
    helper.work_until(1);
    let mut monitor = monitor(&[("shop", Some(std::process::id()), None)]);
    let mut samples = Samples::default();
    // The moments are told, not waited for: the rates below do not depend on how busy the machine is.
    monitor.sample(Nanos::ZERO, &mut samples).unwrap();
    let begun = helper.ticks();
    let (first, _) = samples.take();
    assert_eq!(value(&first, 0, "cpu"), None, "the first sample has levels only");
    assert!(value(&first, 0, "processes").unwrap() >= 2.0);
    assert!(value(&first, 0, "threads").unwrap() >= 2.0);
    assert!(value(&first, 0, "descriptors").unwrap() >= 6.0, "standard streams of two processes");
    helper.work_until(begun + 30);
    let held: Vec<u8> = (0..64 << 20).map(|index| (index % 251) as u8).collect();
    let least = helper.ticks() - begun;
    monitor.sample(Nanos::from_secs(2), &mut samples).unwrap();
    let most = helper.ticks() - begun;
    let (second, events) = samples.take();
    assert!(events.is_empty());
    let cpu = value(&second, 0, "cpu").unwrap();
    // 100 ticks a second over 2 s; this process and its other tests may add up to some seconds of both cores.
    assert!(cpu >= least as f64 / 200.0 - 0.02, "{cpu} cores, but the child alone used {least} ticks");
    assert!(cpu <= most as f64 / 200.0 + 10.0, "{cpu}");
    let (user, system) = (value(&second, 0, "user").unwrap(), value(&second, 0, "system").unwrap());
    assert!((user + system - cpu).abs() < 1e-9);
    let grown = value(&second, 0, "rss").unwrap() - value(&first, 0, "rss").unwrap();
    assert!(grown > 50e6, "64 MiB were touched, {grown} bytes were seen; {}", held[1000]);
    if let (Some(before), Some(now)) = (value(&first, 0, "pss"), value(&second, 0, "pss")) {
        assert!(now - before > 50e6);
        assert_eq!(value(&second, 0, "used"), Some(now));
    } else {
        assert_eq!(value(&second, 0, "used"), value(&second, 0, "rss"));
    }
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    let has = |subject: &str, name: &str| facts.0.iter().any(|fact| fact.0 == subject && fact.1 == name);
    assert!(has("shop", "started") && has("shop", "threads") && has("shop", "processors"), "{facts:?}");
    assert!(has("shop", "memory used") && has("shop", "executable") && has("process", "cost of a sample"), "{facts:?}");
}

#[test]
fn the_costly_reading_is_made_at_most_once_a_second() {
    let helper = Helper::start("sleep 60");
    let mut monitor = monitor(&[("shop", Some(helper.0.id()), None)]);
    let mut samples = Samples::default();
    for tenth in 0..20 {
        monitor.sample(Nanos::from_millis(100 * tenth), &mut samples).unwrap();
    }
    let (values, _) = samples.take();
    let count = |metric: &str| {
        let number = METRICS.iter().position(|kind| kind.name == metric).unwrap() as u16;
        values.iter().filter(|sample| sample.metric == number).count()
    };
    assert_eq!(count("rss"), 20);
    assert_eq!(count("cpu"), 19);
    // At 0 s, 0.9 s and 1.8 s, or less often where a reading is slow.
    assert!(count("pss") <= 3 && count("pss") >= 1, "{}", count("pss"));
    assert_eq!(count("used"), count("pss"));
}

#[test]
fn a_process_that_dies_is_told_once_also_before_it_is_reaped() {
    let mut helper = Helper::start("sleep 60");
    let mut monitor = monitor(&[("shop", Some(helper.0.id()), None)]);
    let mut samples = Samples::default();
    monitor.sample(Nanos::ZERO, &mut samples).unwrap();
    assert!(!samples.take().0.is_empty());
    helper.0.kill().unwrap();
    let stat = format!("/proc/{}/stat", helper.0.id());
    let clock = Clock::system();
    while !std::fs::read_to_string(&stat).unwrap().contains(") Z ") {
        assert!(clock.now() < Nanos::from_secs(20));
        clock.sleep_until(clock.now() + Nanos::MILLISECOND);
    }
    monitor.sample(Nanos::from_secs(1), &mut samples).unwrap();
    let (values, events) = samples.take();
    assert!(values.is_empty(), "gone is a gap, not a zero");
    assert_eq!(kinds(&events), ["gone"]);
    let text = &events[0].2.text;
    assert!(
        text.starts_with(&format!("process {} (`", helper.0.id())) && text.ends_with("`) of `shop` is gone"),
        "{text}"
    );
    helper.0.wait().unwrap();
    monitor.sample(Nanos::from_secs(2), &mut samples).unwrap();
    let (values, events) = samples.take();
    assert!(values.is_empty() && events.is_empty());
}

#[test]
fn what_runs_already_is_found_by_its_port() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/shop", listener.local_addr().unwrap());
    let mut monitor = monitor(&[("here", None, Some(url)), ("elsewhere", None, Some("http://10.9.8.7:80".into()))]);
    let mut samples = Samples::default();
    monitor.sample(Nanos::ZERO, &mut samples).unwrap();
    let (values, _) = samples.take();
    let own = std::fs::read_dir("/proc/self/task").unwrap().count() as f64;
    assert!(value(&values, 0, "threads").unwrap() >= own.min(2.0));
    assert!(values.iter().all(|sample| sample.instance == 0));
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    let process =
        |subject: &str| facts.0.iter().find(|fact| fact.0 == subject && fact.1 == "process").unwrap().2.clone();
    assert!(process("here").starts_with(&format!("{} (`", std::process::id())));
    assert_eq!(process("elsewhere"), "none on this machine; it cannot be watched from here");
}

#[test]
fn nothing_to_watch_is_a_failure_with_what_to_do() {
    let mut monitor = monitor(&[("shop", None, Some("http://10.9.8.7:80".into()))]);
    let failure = monitor.sample(Nanos::ZERO, &mut Samples::default()).unwrap_err();
    assert_eq!(
        failure.to_string(),
        "`shop`: none is a process of this machine; start it with `start`, or leave it out with `of`"
    );
}

#[test]
fn every_word_is_there_in_every_language() {
    testkit::words::of_monitor(&monitor_process::PROCESS);
}
