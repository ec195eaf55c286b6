//! What every monitor owes: one mistake for each thing that is wrong, values of its own metrics only, no value where
//! there is none, a sentence that says why. Docker is a small server on a socket that speaks as Docker does.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{Facts, Mistakes, Monitor, Sample, Samples, Watched};
use monitor_cgroup::{CGROUP, METRICS};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use terms::Nanos;

fn build(entries: &[(&str, &str)], instances: &[&str]) -> Result<Box<dyn Monitor>, Mistakes> {
    let watched = |name: &&str| Watched { name: (*name).into(), pid: None, url: None };
    let instances: Vec<Watched> = instances.iter().map(watched).collect();
    testkit::monitor(CGROUP, entries, &instances, Nanos::SECOND)
}

fn codes(entries: &[(&str, &str)], instances: &[&str]) -> Vec<&'static str> {
    let found = build(entries, instances).err().map(|mistakes| mistakes.0).unwrap_or_default();
    assert!(found.iter().all(|mistake| mistake.label.is_some()), "{found:?}");
    found.iter().map(|mistake| mistake.code).collect()
}

/// A tree with the group `shop`, whose processor time and kills are written anew.
fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("cgroup.controllers", "cpu memory");
    write("shop/cgroup.procs", "");
    write("shop/cgroup.type", "domain");
    write("shop/memory.current", "800");
    write("shop/memory.max", "1000");
    write("shop/memory.events", "max 0\noom_kill 0\n");
    write("shop/cpu.stat", "usage_usec 1000000\n");
    folder
}

fn value(values: &[Sample], metric: &str) -> Option<f64> {
    let number = METRICS.iter().position(|kind| kind.name == metric).unwrap() as u16;
    values.iter().find(|sample| sample.metric == number).map(|sample| sample.value)
}

#[test]
fn all_mistakes_come_at_once_with_hints() {
    let folder = tree();
    let root = folder.path().display().to_string();
    assert_eq!(codes(&[("root", &root)], &["shop"]), [""; 0]);
    assert_eq!(codes(&[("root", &root), ("pth", "x")], &["shop"]), ["study::unknown-key"]);
    assert_eq!(codes(&[("root", &root), ("path", "x")], &["a.1", "a.2"]), ["cgroup::shared"]);
    assert_eq!(codes(&[("root", &root), ("path", "x/$(instance)")], &["a.1", "a.2"]), [""; 0]);
    assert_eq!(codes(&[("root", &root), ("socket", "x")], &["shop"]), ["cgroup::either"]);
    let missing = folder.path().join("shop").display().to_string();
    assert_eq!(codes(&[("root", &missing)], &["shop"]), ["cgroup::no-hierarchy"]);
    assert_eq!(codes(&[("docker", "a b"), ("path", "x")], &["shop"]), ["cgroup::either", "cgroup::container"]);
    assert_eq!(codes(&[("docker", "shop"), ("socket", "/no/such")], &["shop"]), ["cgroup::no-docker"]);
}

#[test]
fn a_group_by_its_path_with_a_kill_as_an_event() {
    let folder = tree();
    let root = folder.path().display().to_string();
    let mut monitor = build(&[("root", &root), ("path", "$(instance)")], &["shop"]).unwrap();
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    let fact = |name: &str| facts.0.iter().find(|fact| fact.1 == name).map(|fact| fact.2.as_str());
    assert_eq!(fact("control group"), Some(folder.path().canonicalize().unwrap().join("shop").to_str().unwrap()));
    assert_eq!((fact("limit of memory"), fact("limit of processor time")), (Some("1000 bytes"), Some("none")));
    assert!(fact("not told by the group").unwrap().contains("cpu_pressure"), "{facts:?}");
    let mut out = Samples::default();
    monitor.sample(Nanos::from_secs(1), &mut out).unwrap();
    let (values, events) = out.take();
    assert_eq!(
        (value(&values, "used"), value(&values, "memory_limit"), value(&values, "cpu")),
        (Some(800.0), Some(1000.0), None)
    );
    assert!(events.is_empty());
    std::fs::write(folder.path().join("shop/cpu.stat"), "usage_usec 4000000\n").unwrap();
    std::fs::write(folder.path().join("shop/memory.events"), "max 3\noom_kill 2\n").unwrap();
    monitor.sample(Nanos::from_secs(3), &mut out).unwrap();
    let (values, events) = out.take();
    assert_eq!((value(&values, "cpu"), value(&values, "oom_kills")), (Some(1.5), Some(2.0)), "cores, over two seconds");
    assert_eq!(events[0].2.kind, "oom_kill");
    assert!(events[0].2.text.contains("killed processes of the group of `shop`: 2"));
    std::fs::remove_dir_all(folder.path().join("shop")).unwrap();
    let failure = monitor.sample(Nanos::from_secs(4), &mut out).unwrap_err();
    assert!(failure.0.contains("gone"), "{failure}");
    assert!(out.take().0.is_empty(), "what is gone has no value");
}

#[test]
fn two_instances_in_one_group_are_counted_once() {
    let folder = tree();
    // Both paths lead to the same group.
    std::os::unix::fs::symlink(folder.path().join("shop"), folder.path().join("other")).unwrap();
    let root = folder.path().display().to_string();
    let mut monitor = build(&[("root", &root), ("path", "$(instance)")], &["shop", "other"]).unwrap();
    let mut out = Samples::default();
    monitor.sample(Nanos::from_secs(1), &mut out).unwrap();
    let (values, _) = out.take();
    let of = METRICS.iter().position(|kind| kind.name == "used").unwrap() as u16;
    assert_eq!(values.iter().filter(|one| one.metric == of).count(), 1);
}

/// Docker as far as it is asked: chunked JSON, a connection for each request.
struct Docker {
    folder: tempfile::TempDir,
    cpu_ns: Arc<AtomicU64>,
    /// `running`, `killed`, `silent`, `nonsense`.
    state: Arc<Mutex<&'static str>>,
}

impl Docker {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("docker.sock")).unwrap();
        let (cpu_ns, state) = (Arc::new(AtomicU64::new(1_000_000_000)), Arc::new(Mutex::new("running")));
        let (shared_cpu, shared_state) = (Arc::clone(&cpu_ns), Arc::clone(&state));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = *shared_state.lock().unwrap();
                answer(stream, state, shared_cpu.load(Ordering::SeqCst));
            }
        });
        Self { folder, cpu_ns, state }
    }

    fn socket(&self) -> String {
        self.folder.path().join("docker.sock").display().to_string()
    }
}

fn answer(mut stream: UnixStream, state: &str, cpu_ns: u64) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let Some(Ok(request)) = lines.next() else { return };
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let (status, body) = match (request.split(' ').nth(1).unwrap_or_default(), state) {
        (_, "silent") => {
            // Until whoever asks has given up.
            let _ = stream.read(&mut [0; 1]);
            return;
        }
        (_, "nonsense") => {
            let _ = stream.write_all(b"220 mail.example ESMTP\r\n\r\n");
            return;
        }
        (path, _) if !path.starts_with("/v1.41/containers/shop-1/") => {
            ("404 Not Found", r#"{"message":"No such container"}"#.to_owned())
        }
        (path, _) if path.ends_with("/json") => {
            let is_running = state == "running";
            (
                "200 OK",
                format!(
                    r#"{{"State":{{"Running":{is_running},"OOMKilled":{}}},"Config":{{"Image":"shop:1.2"}},
                "HostConfig":{{"Memory":1000,"NanoCpus":1500000000}}}}"#,
                    !is_running
                ),
            )
        }
        (path, "running") if path.contains("/stats?stream=false&one-shot=true") => (
            "200 OK",
            format!(
                r#"{{"cpu_stats":{{"cpu_usage":{{"total_usage":{cpu_ns}}},"throttling_data":{{"periods":10,"throttled_periods":1,"throttled_time":5}}}},
                "memory_stats":{{"usage":800,"limit":1000,"stats":{{"inactive_file":100}}}},
                "networks":{{"eth0":{{"rx_bytes":{cpu_ns},"tx_bytes":7}}}},"pids_stats":{{"current":3}}}}"#
            ),
        ),
        _ => ("200 OK", r#"{"cpu_stats":{"cpu_usage":{"total_usage":0}},"memory_stats":{}}"#.to_owned()),
    };
    let (first, second) = body.split_at(body.len() / 2);
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
        first.len(),
        second.len()
    );
}

#[test]
fn a_container_of_docker() {
    let docker = Docker::start();
    let socket = docker.socket();
    assert!(Path::new(&socket).exists());
    let mut monitor = build(&[("docker", "shop-1"), ("socket", &socket)], &["shop"]).unwrap();
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    let fact = |name: &str| facts.0.iter().find(|fact| fact.1 == name).map(|fact| fact.2.as_str());
    assert_eq!((fact("image"), fact("limit of processor time")), (Some("shop:1.2"), Some("1.5 cores")));
    let mut out = Samples::default();
    monitor.sample(Nanos::from_secs(1), &mut out).unwrap();
    docker.cpu_ns.store(4_000_000_000, Ordering::SeqCst);
    out.take();
    monitor.sample(Nanos::from_secs(3), &mut out).unwrap();
    let (values, _) = out.take();
    let of = |metric| value(&values, metric);
    assert_eq!(
        (of("cpu"), of("cpu_limit"), of("used"), of("memory_limit")),
        (Some(1.5), Some(1.5), Some(700.0), Some(1000.0))
    );
    assert_eq!((of("net_in"), of("net_out"), of("tasks")), (Some(1.5e9), Some(0.0), Some(3.0)));
    *docker.state.lock().unwrap() = "killed";
    let failure = monitor.sample(Nanos::from_secs(4), &mut out).unwrap_err();
    assert!(failure.0.contains("container `shop-1` does not run"), "{failure}");
    let (values, events) = out.take();
    assert!(values.is_empty());
    assert_eq!(events.iter().map(|(_, _, event)| event.kind).collect::<Vec<_>>(), ["oom_kill"]);
    assert!(monitor.sample(Nanos::from_secs(5), &mut out).is_err());
    assert!(out.take().1.is_empty(), "told once");
}

#[test]
fn a_docker_that_does_not_answer_is_a_gap_within_the_period() {
    let docker = Docker::start();
    let mut monitor = build(&[("docker", "shop-1"), ("socket", &docker.socket())], &["shop"]).unwrap();
    let mut out = Samples::default();
    for (state, part) in [("nonsense", "not HTTP"), ("silent", "does not answer in time")] {
        *docker.state.lock().unwrap() = state;
        let failure = monitor.sample(Nanos::from_secs(1), &mut out).unwrap_err();
        assert!(failure.0.contains(part), "{failure}");
        assert!(out.take().0.is_empty());
    }
    let unknown = Docker::start();
    let mut monitor = build(&[("docker", "other"), ("socket", &unknown.socket())], &["shop"]).unwrap();
    let failure = monitor.sample(Nanos::from_secs(1), &mut out).unwrap_err();
    assert!(failure.0.contains("Docker knows no container `other`"), "{failure}");
}

#[test]
fn every_word_is_there_in_every_language() {
    testkit::words::of_monitor(&CGROUP);
}
