//! What is asked of another machine, and what becomes of its answers, without one.

use super::*;
use processes::Stat;
use std::collections::BTreeMap;
use std::process::Command;
use testkit::NoNames;

/// An instance of all programs that are called `shop`.
fn shop() -> Instance {
    let node = testkit::map(&[("named", testkit::text("shop"))]);
    let (name, every) = ("shop".to_owned(), Nanos::SECOND);
    let settings = MonitorSettings { name, node, instances: Vec::new(), on: Some(Machine::here("db1")), every };
    let chosen = remote::chosen(&settings, &BuildContext::new(&NoNames, ".")).unwrap();
    Instance::new(chosen.into_iter().next().unwrap())
}

/// That many processes of it: 101, and its children.
fn scan(count: u32) -> Scan {
    let line = "1 (shop) S 1 1 1 0 -1 0 0 0 0 0 10 5 0 0 20 0 3 0 50 4096 2\n";
    let stat = |parent| Stat { parent, ..processes::stat(line).unwrap() };
    (101..101 + count).map(|pid| (pid, stat(if pid == 101 { 1 } else { 101 }))).collect()
}

fn told(files: &[(String, &str)], second: i64) -> Told {
    let files = files.iter().map(|(path, text)| (path.clone(), (*text).to_owned())).collect();
    Told { files, moment: Moment { at: Nanos::from_secs(second), within: Nanos::MILLISECOND, uptime: None } }
}

/// Asks, answers, and says what is known then.
fn sampled(instance: &mut Instance, scan: &Scan, files: &[(String, &str)], second: i64) -> BTreeMap<u16, f64> {
    instance.ask(Nanos::from_secs(second), LOOKED_INTO_MAX);
    let mut samples = Samples::default();
    instance.sample(&told(files, second), scan, UNITS, &mut samples);
    samples.take().0.into_iter().map(|sample| (sample.metric, sample.value)).collect()
}

/// The file of a process, by its path.
fn file<'a>(pid: u32, name: &str, text: &'a str) -> (String, &'a str) {
    (format!("/proc/{pid}/{name}"), text)
}

fn of(values: &BTreeMap<u16, f64>, metric: Metric) -> Option<f64> {
    values.get(&(metric as u16)).copied()
}

const ROLLUP: &str = "Pss: 300 kB\nSwapPss: 4 kB\n";

#[test]
fn both_ways_count_the_descriptors_of_this_process() {
    let own = std::process::id();
    let by = |way: Descriptors| {
        let question = way.question(&[own, u32::MAX]) + "true";
        let output = Command::new("sh").args(["-c", &question]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let files = remote::files(&text).into_iter().map(|(path, text)| (path.to_owned(), text)).collect();
        let told = Told { files, ..told(&[], 0) };
        assert_eq!(Descriptors::of(&told, u32::MAX), None);
        Descriptors::of(&told, own)
    };
    let by_name = by(Descriptors::ByName).unwrap();
    assert!(by_name > 2);
    // Before Linux 6.2 a size says nothing. Other tests of this process may open something in between.
    assert!(by(Descriptors::BySize).is_none_or(|by_size| by_size.abs_diff(by_name) < 20));
    assert_eq!(Descriptors::ByName.question(&[]), "");
}

#[test]
fn what_is_new_is_looked_into_from_the_next_sample_on() {
    let (mut instance, one) = (shop(), scan(1));
    let files = [
        file(101, "io", "read_bytes: 4096\nwrite_bytes: 0\n"),
        file(101, "fd", "17"),
        file(101, "smaps_rollup", ROLLUP),
    ];
    let first = sampled(&mut instance, &one, &files, 0);
    assert_eq!((of(&first, Metric::Processes), of(&first, Metric::Used)), (Some(1.0), None));
    let second = sampled(&mut instance, &one, &files, 1);
    assert_eq!((of(&second, Metric::Pss), of(&second, Metric::Used)), (Some(307_200.0), Some(307_200.0)));
    assert_eq!((of(&second, Metric::Swap), of(&second, Metric::Descriptors)), (Some(4096.0), Some(17.0)));
    assert_eq!(of(&second, Metric::Read), None, "growth takes an earlier reading");
    let grown = file(101, "io", "read_bytes: 12288\nwrite_bytes: 0\n");
    assert_eq!(of(&sampled(&mut instance, &one, &[grown], 2), Metric::Read), Some(8192.0));
}

#[test]
fn one_that_is_just_ending_does_not_take_the_proportional_set_size_for_good() {
    let (mut instance, two) = (shop(), scan(2));
    let (one, other) = (file(101, "smaps_rollup", ROLLUP), file(102, "smaps_rollup", ROLLUP));
    sampled(&mut instance, &two, &[], 0);
    // 102 was there when its state was read, and not when its memory was.
    assert_eq!(of(&sampled(&mut instance, &two, std::slice::from_ref(&one), 1), Metric::Used), None);
    assert_eq!(of(&sampled(&mut instance, &two, &[one.clone(), other], 2), Metric::Used), Some(614_400.0));
    // What has ended and was not waited for has no memory.
    let ended = |stat: Stat| Stat { reserved: 0, resident_pages: 0, ..stat };
    let ended: Scan =
        two.iter().map(|(pid, stat)| (*pid, if *pid == 102 { ended(stat.clone()) } else { stat.clone() })).collect();
    assert_eq!(of(&sampled(&mut instance, &ended, &[one], 3), Metric::Used), Some(307_200.0));
    // Once it was read, it never becomes the resident set.
    assert_eq!(of(&sampled(&mut instance, &two, &[], 4), Metric::Used), None);
    assert_eq!(of(&sampled(&mut instance, &two, &[], 5), Metric::Used), None);
}

#[test]
fn what_may_not_be_read_is_the_resident_set_all_along() {
    let (mut instance, two) = (shop(), scan(2));
    for second in 0..2 {
        assert_eq!(of(&sampled(&mut instance, &two, &[], second), Metric::Used), None);
    }
    for second in 2..5 {
        let values = sampled(&mut instance, &two, &[file(101, "smaps_rollup", ROLLUP)], second);
        assert_eq!((of(&values, Metric::Used), of(&values, Metric::Rss)), (Some(16_384.0), Some(16_384.0)));
        assert_eq!(of(&values, Metric::Pss), None);
    }
}

#[test]
fn of_too_many_processes_none_is_looked_into() {
    let (mut instance, many) = (shop(), scan(MEMBERS_MAX as u32 + 1));
    sampled(&mut instance, &many, &[], 0);
    let values = sampled(&mut instance, &many, &[file(101, "fd", "17")], 1);
    assert!(instance.asked.members.is_empty() && of(&values, Metric::Descriptors).is_none());
    assert!(of(&values, Metric::Used).is_some());
    assert_eq!(instance.pss, Pss::Refused("it has more than 64 processes".to_owned()));
    // Several instances have a bound together.
    let (mut second, some) = (shop(), scan(8));
    sampled(&mut second, &some, &[], 0);
    second.ask(Nanos::ZERO, 7);
    assert!(second.asked.members.is_empty() && second.asked.too_many.is_some());
    second.ask(Nanos::ZERO, 8);
    assert_eq!(second.asked.members.len(), 8);
}
