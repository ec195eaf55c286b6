//! Processes of another machine, which is this one behind a server of ssh.
#![allow(clippy::unwrap_used, reason = "a test")]

use contract::{Facts, Failure, Monitor, Sample, Samples, Watched};
use monitor_process::{METRICS, PROCESS};
use std::path::Path;
use std::process::{Child, Command};
use terms::Nanos;
use testkit::sshd::Sshd;

/// A program under a name that nothing else has, which works; gone with the test.
struct Worker(Child);

impl Worker {
    fn start(folder: &Path, name: &str) -> Self {
        Self::with(folder, name, "while :; do :; done")
    }

    fn with(folder: &Path, name: &str, script: &str) -> Self {
        let path = folder.join(name);
        if !path.exists() {
            std::fs::copy("/bin/sh", &path).unwrap();
        }
        Self(Command::new(path).args(["-c", script]).spawn().unwrap())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn value(values: &[Sample], instance: u32, metric: &str) -> Option<f64> {
    let number = METRICS.iter().position(|kind| kind.name == metric).unwrap() as u16;
    values.iter().find(|sample| sample.instance == instance && sample.metric == number).map(|sample| sample.value)
}

/// A sample of now, and the events with it.
fn taken(monitor: &mut dyn Monitor, clock: &clock::Clock, samples: &mut Samples) -> (Vec<Sample>, Vec<&'static str>) {
    monitor.sample(clock.now(), samples).unwrap();
    let (values, events) = samples.take();
    (values, events.into_iter().map(|(_, _, event)| event.kind).collect())
}

#[test]
fn what_is_chosen_by_name_has_the_figures_that_the_local_monitor_has() {
    let Some(sshd) = Sshd::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let name = format!("lp{}", std::process::id());
    let worker = Worker::start(folder.path(), &name);
    let mut there = sshd.monitor(PROCESS, &[("named", &name)], &[]).unwrap();
    there.ready().unwrap();
    let own = Watched { name: "own".into(), pid: Some(worker.0.id()), url: None };
    let mut here = testkit::monitor(PROCESS, &[], &[own], Nanos::SECOND).unwrap();
    let (clock, mut of_there, mut of_here) = (clock::Clock::system(), Samples::default(), Samples::default());
    let mut both = || (taken(there.as_mut(), &clock, &mut of_there), taken(here.as_mut(), &clock, &mut of_here));
    let ((first, _), _) = both();
    assert_eq!(value(&first, 0, "cpu"), None, "the first sample has levels only");
    assert_eq!(value(&first, 0, "processes"), Some(1.0));
    assert_eq!(value(&first, 0, "used"), None, "which processes they are is known from the second sample on");
    both();
    clock.sleep_until(clock.now() + Nanos::from_secs(3));
    let ((mut there, events), (mut here, _)) = both();
    assert_eq!(events, Vec::<&str>::new());
    let (cpu_there, cpu_here) = (value(&there, 0, "cpu").unwrap(), value(&here, 0, "cpu").unwrap());
    // Both span three seconds or more; on a busy machine one of them may have been held up for a moment.
    assert!((cpu_there - cpu_here).abs() < 0.35, "{cpu_there} and {cpu_here} cores");
    for metric in ["rss", "reserved", "threads", "descriptors"] {
        assert_eq!(value(&there, 0, metric), value(&here, 0, metric), "{metric}");
    }
    // Shared pages are divided by those who have them now. Counting them takes time, so on a busy machine each side does it
    // seldom: what each found last is compared.
    let (mut pss_there, mut pss_here) = (None, None);
    for _ in 0..60 {
        pss_here = value(&here, 0, "pss").or(pss_here);
        if let Some(pss) = value(&there, 0, "pss") {
            assert_eq!(value(&there, 0, "used"), Some(pss));
            pss_there = Some(pss);
        }
        if pss_there.is_some() && pss_here.is_some() {
            break;
        }
        clock.sleep_until(clock.now() + Nanos::from_millis(500));
        ((there, _), (here, _)) = both();
    }
    let (pss_there, pss_here) = (pss_there.unwrap(), pss_here.unwrap());
    assert!((pss_there - pss_here).abs() <= 0.2 * pss_here, "{pss_there} and {pss_here}");
    for metric in ["read", "write"] {
        assert_eq!(value(&there, 0, metric), value(&here, 0, metric), "{metric}: it reads and writes nothing");
    }
}

#[test]
fn the_disk_of_its_data_is_that_which_the_local_monitor_names() {
    let Some(sshd) = Sshd::start() else { return };
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let name = format!("lr{}", std::process::id());
    let data = folder.path().join("it's data");
    let script = format!("exec 3>\"{}\"; while :; do :; done", data.display());
    let worker = Worker::with(folder.path(), &name, &script);
    let clock = clock::Clock::system();
    while !data.exists() {
        clock.sleep_until(clock.now() + Nanos::from_millis(10));
    }
    std::fs::OpenOptions::new().write(true).open(&data).unwrap().set_len(1 << 20).unwrap();
    let own = Watched { name: "process".into(), pid: Some(worker.0.id()), url: None };
    let mut here = testkit::monitor(PROCESS, &[], &[own], Nanos::SECOND).unwrap();
    let mut there = sshd.monitor(PROCESS, &[("named", &name)], &[]).unwrap();
    there.ready().unwrap();
    let disk = |monitor: &mut dyn Monitor| {
        let mut facts = Facts::default();
        monitor.facts(&mut facts);
        let is_one = |name: &str| ["disk", "kind of disk", "disk scheduler", "file system"].contains(&name);
        facts.0.into_iter().filter(|(_, name, _)| is_one(name)).collect::<Vec<_>>()
    };
    let expected = disk(here.as_mut());
    assert!(expected.iter().any(|(_, name, _)| name == "file system"), "{expected:?}");
    assert_eq!(disk(there.as_mut()), expected, "before the first sample");
    let mut samples = Samples::default();
    assert_eq!(taken(there.as_mut(), &clock, &mut samples).1, Vec::<&str>::new());
    assert_eq!(disk(there.as_mut()), expected);
    drop(worker);
    assert!(there.sample(clock.now(), &mut samples).is_err());
    assert_eq!(disk(there.as_mut()), [], "it is gone");
}

#[test]
fn another_process_in_its_place_is_a_restart_and_none_is_a_gap() {
    let Some(sshd) = Sshd::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.pid");
    let name = format!("lq{}", std::process::id());
    let shop = Watched { name: "shop".into(), pid: None, url: None };
    let path = folder.path().join("$(instance).pid");
    let mut monitor = sshd.monitor(PROCESS, &[("pid_file", path.to_str().unwrap())], &[shop]).unwrap();
    monitor.ready().unwrap();
    let (clock, mut samples) = (clock::Clock::system(), Samples::default());
    let Failure(why) = monitor.sample(clock.now(), &mut samples).unwrap_err();
    assert!(why.contains("shop.pid` are not on `ssh://lab-machine`"), "{why}");
    let first = Worker::start(folder.path(), &name);
    std::fs::write(&file, format!("{}\n", first.0.id())).unwrap();
    assert_eq!(taken(monitor.as_mut(), &clock, &mut samples).1, Vec::<&str>::new());
    let second = Worker::start(folder.path(), &name);
    std::fs::write(&file, second.0.id().to_string()).unwrap();
    let (values, events) = taken(monitor.as_mut(), &clock, &mut samples);
    assert_eq!((events, value(&values, 0, "cpu")), (vec!["restart"], None));
    drop(second);
    assert!(monitor.sample(clock.now(), &mut samples).is_err());
    assert_eq!(samples.take().1[0].2.kind, "gone");
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    assert!(facts.0.iter().any(|(of, name, _)| of == "shop" && name == "process"), "{facts:?}");
}

#[test]
fn it_has_to_be_said_once_and_exactly_which_processes_are_meant() {
    let Some(sshd) = Sshd::start() else { return };
    let watched = |name: &str| Watched { name: name.into(), pid: None, url: None };
    let both = [watched("a"), watched("b")];
    for (entries, instances, label) in [
        (&[][..], &[][..], "named: java"),
        (&[("named", "a"), ("pid_file", "/a")], &[], "keep one"),
        (&[("named", "java")], &both, "$(instance)"),
        (&[("pid_file", "shop.pid")], &[], "/run/shop.pid"),
        (&[("pid_file", "/run/'; reboot; '")], &[], "/run/shop.pid"),
        (&[("named", "a\u{7}")], &[], "postgres"),
    ] {
        let mistakes = sshd.monitor(PROCESS, entries, instances).err().unwrap();
        let found = &mistakes.0[0];
        assert_eq!(found.code, "ssh::process", "{found:?}");
        assert!(found.label.as_deref().unwrap_or_default().contains(label), "{found:?}");
    }
}
