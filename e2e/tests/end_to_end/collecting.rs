//! A run whose conductor is killed: its load nodes carry the load to its end, and what they recorded is collected, each row
//! once.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use crate::nodes::{kill, node_elsewhere, place, site, wait_for_load};
use e2e::{Place, Ran, assert_balanced, requirement, step, until, wait};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use testkit::nats::Nats;

/// Starts a second, of both nodes together.
const RATE: u64 = 60;

fn study(port: u16, hold_s: u64, more: &str) -> String {
    format!(
        "study: Collected\nsystem: {{ name: site }}\nvars: {{ site: \"http://127.0.0.1:{port}\" }}\n\
         nodes: {{ count: 2, cores: 1 }}\nwatch: {{ host: {{}} }}\ndata: {{ rows: {{ file: rows.csv }} }}\nexchanges:\n\
         \x20 token: {{ http.get: {{ url: $(site)/token }}, capture: {{ token: body }} }}\n\
         \x20 bye: {{ http.get: {{ url: $(site)/bye }} }}\n\
         \x20 row: {{ http.get: {{ url: $(site)/row/$(rows.id)$(token) }}, check: [ 'body contains /token' ] }}\n\
         scenarios:\n\
         \x20 open: {{ load: {{ arrivals: {}/s per node, hold: {hold_s}s }}, run: [row], \
         set_up: [ token: per node ], clean_up: [ bye: per node ]{more} }}\n\
         requirements: {{ right: share(row.failed) <= 5%, idle: mean(host.cpu) <= 100% }}\n",
        RATE / 2
    )
}

/// A run over a server, with its nodes; what became of it is collected.
struct Broken {
    place: Place,
    nats: Nats,
    nodes: Vec<Child>,
    asked: Arc<Mutex<BTreeMap<String, u64>>>,
    hold_s: u64,
    conductor: Option<Child>,
}

impl Broken {
    /// Under load.
    fn begin(hold_s: u64, more: &str) -> Self {
        let (port, asked) = site();
        let nats = Nats::start();
        let place = place(&study(port, hold_s, more));
        let nodes = (0..2).map(|_| node_elsewhere(&nats.url(), place.path())).collect();
        let conductor = place.start(&["run", "study.yaml", "--out", "run", "--json", "--nats", &nats.url()]);
        wait_for_load(&place.path().join("run"));
        Self { place, nats, nodes, asked, hold_s, conductor: Some(conductor) }
    }

    fn kill_conductor(&mut self) {
        let mut conductor = self.conductor.take().unwrap();
        conductor.kill().unwrap();
        conductor.wait().unwrap();
    }

    /// The rows that the system was asked for, how often each.
    fn rows(&self) -> Vec<u64> {
        self.asked.lock().unwrap().iter().filter(|(target, _)| target.starts_with("/row/")).map(|(_, n)| *n).collect()
    }

    fn wait_for_all_rows(&self) {
        let planned = (RATE * self.hold_s) as usize;
        assert!(until(self.hold_s + 120, || self.rows().len() == planned), "{} of {planned}", self.rows().len());
    }

    fn collect(&self) -> Ran {
        self.place.loadproof(&["collect", "run", "--json"])
    }

    /// The record has what an undisturbed run would have had, which is what the system counted.
    fn assert_whole(&self, ran: &Ran) -> Value {
        assert!([0, 3].contains(&ran.code), "{}", ran.stderr);
        let result = ran.json();
        let hold = step(&result, "open", "hold");
        assert_balanced(hold);
        let planned = RATE * self.hold_s;
        let of = |name: &str| hold[name].as_u64().unwrap();
        assert_eq!((of("intended"), of("completed"), of("failed")), (planned, planned, 0), "{hold:#}");
        let rows = self.rows();
        assert!(rows.len() as u64 == planned && rows.iter().all(|times| *times == 1), "{rows:?}");
        assert_ne!(requirement(&result, "right")["verdict"], "not_met");
        assert!(self.place.path().join("run/evidence/manifest.json").is_file());
        result
    }

    fn wait_for_nodes(&mut self) {
        for node in self.nodes.drain(..) {
            let ended = wait(node);
            assert_eq!(ended.code, 0, "{}", ended.stderr);
        }
    }
}

impl Drop for Broken {
    fn drop(&mut self) {
        for child in self.nodes.iter_mut().chain(&mut self.conductor) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn signs<'a>(result: &'a Value, code: &str) -> Vec<&'a Value> {
    result["validity"]["signs"].as_array().unwrap().iter().filter(|sign| sign["code"] == code).collect()
}

/// A moment that differs from run to run, and is printed where a test fails.
fn some_millis(below: u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos();
    let millis = u64::from(now / 1000) % below;
    println!("after {millis} ms");
    millis
}

#[test]
fn a_run_is_taken_up_while_its_load_is_on() {
    let mut run = Broken::begin(14, "");
    std::thread::sleep(Duration::from_millis(some_millis(4000)));
    run.kill_conductor();
    let before = std::fs::read(run.place.path().join("run/evidence/run.json")).unwrap();
    // Only one may do it; the other changes nothing.
    let first = run.place.start(&["collect", "run", "--json"]);
    let evidence = run.place.path().join("run/.collecting/evidence/run.json");
    assert!(until(60, || evidence.is_file()));
    let second = run.collect();
    assert!(second.code == 2 && second.stderr.contains("in the hands of another process"), "{}", second.stderr);
    let ran = wait(first);
    let result = run.assert_whole(&ran);
    assert!(ran.stderr.contains("the load of `open` is still on"), "{}", ran.stderr);
    // What nobody watched is stated, and nothing is judged by it.
    let unwatched = signs(&result, "unwatched");
    assert!(unwatched.iter().any(|sign| sign["scope"] == "open/hold"), "{unwatched:#?}");
    assert!(unwatched.iter().all(|sign| sign["state"] == "questionable"), "{unwatched:#?}");
    assert_eq!(requirement(&result, "idle")["verdict"], "cannot_tell", "{:#}", requirement(&result, "idle"));
    assert_eq!(result["run"]["end_reason"], "completed");
    // The first collector ordered what the conductor would have.
    assert_eq!(run.asked.lock().unwrap()["/bye"], 2);
    run.wait_for_nodes();
    let old = run.place.path().join("run/before-collecting/evidence/run.json");
    assert_eq!(std::fs::read(old).unwrap(), before, "what the conductor left is kept as it was");
    let again = run.collect();
    assert!(again.code == 2 && again.stderr.contains("is sealed already"), "{}", again.stderr);
    let text = std::fs::read_to_string(run.place.path().join("run/evidence/run.json")).unwrap();
    assert!(text.contains(&run.nats.url()) && text.contains("its load nodes carried the load in hand to its end"));
}

#[test]
fn a_run_is_collected_after_its_load_is_over_and_its_nodes_are_gone() {
    let mut run = Broken::begin(8, "");
    std::thread::sleep(Duration::from_millis(some_millis(3000)));
    run.kill_conductor();
    run.wait_for_all_rows();
    // A report does not shut out what is still to be collected.
    let reported = run.place.loadproof(&["report", "run"]);
    assert!(reported.stderr.contains("`loadproof collect run` brings it"), "{}", reported.stderr);
    assert!(!run.place.path().join("run/evidence/manifest.json").exists());
    // They end by themselves, and clean up what is their own.
    run.wait_for_nodes();
    assert_eq!(run.asked.lock().unwrap()["/bye"], 2);
    // A collector that dies changes nothing either.
    let mut dies = run.place.start(&["collect", "run"]);
    let evidence = run.place.path().join("run/.collecting/evidence/run.json");
    until(5, || evidence.is_file());
    dies.kill().unwrap();
    dies.wait().unwrap();
    let collected = run.collect();
    // It may have been done before it could be ended.
    let is_done = collected.stderr.contains("is sealed already");
    let judged = if is_done { run.place.loadproof(&["judge", "run", "--json"]) } else { collected };
    let result = run.assert_whole(&judged);
    assert!(!signs(&result, "unwatched").is_empty());
}

#[test]
fn a_node_that_is_lost_behind_its_conductor_makes_the_load_invalid() {
    let mut run = Broken::begin(10, "");
    run.kill_conductor();
    kill(run.nodes[1].id());
    let ran = run.collect();
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let result = ran.json();
    let lost = signs(&result, "node_lost");
    assert!(!lost.is_empty() && lost.iter().all(|sign| sign["state"] == "invalid"), "{lost:#?}");
    assert_eq!(result["run"]["end_reason"], "generator");
}

#[test]
fn a_load_with_abort_rules_is_not_carried_on_unwatched() {
    let mut run = Broken::begin(60, ", abort: [ share(row.failed) > 50% for 10s ]");
    run.kill_conductor();
    let ran = run.collect();
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("the load has abort rules"), "{}", ran.stderr);
    let result = ran.json();
    let hold = step(&result, "open", "hold");
    assert_balanced(hold);
    assert_eq!(hold["completed"].as_u64().unwrap(), run.rows().iter().sum::<u64>(), "{hold:#}");
    assert!(hold["completed"].as_u64().unwrap() < RATE * 50, "{hold:#}");
    assert_eq!(result["run"]["end_reason"], "interrupted");
    run.wait_for_nodes();
}

#[test]
fn what_cannot_be_collected_is_told_and_nothing_changes() {
    let mut run = Broken::begin(60, "");
    run.kill_conductor();
    let wrong = run.place.loadproof(&["collect", "."]);
    assert!(wrong.code == 2 && wrong.stderr.contains("name the folder that `loadproof run` made"), "{}", wrong.stderr);
    // Nobody answers at this address.
    let (_held, silent) = e2e::silent_port();
    let unreachable = run.place.loadproof(&["collect", "run", "--nats", &format!("nats://127.0.0.1:{silent}")]);
    assert_eq!(unreachable.code, 3, "{}", unreachable.stderr);
    assert!(unreachable.stderr.contains("no NATS server can be used at"), "{}", unreachable.stderr);
    assert!(unreachable.stderr.contains("--give-up"), "{}", unreachable.stderr);
    // Another server, which has never heard of it.
    let other = Nats::start();
    let gone = run.place.loadproof(&["collect", "run", "--nats", &other.url()]);
    assert!(gone.code == 3 && gone.stderr.contains("keeps nothing of the run"), "{}", gone.stderr);
    // So what there is is sealed, as that of any killed run.
    let given_up = run.place.loadproof(&["collect", "run", "--give-up", "--json"]);
    assert_eq!(given_up.code, 3, "{}", given_up.stderr);
    assert_eq!(given_up.json()["run"]["end_reason"], "interrupted");
    assert!(run.place.path().join("run/evidence/manifest.json").is_file());
}

/// How often the conductor, the server or both die; `LOADPROOF_KILLS=40` by hand.
fn kills() -> u64 {
    std::env::var("LOADPROOF_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

#[test]
fn whoever_dies_at_any_moment_nothing_is_lost_and_nothing_counts_twice() {
    for round in 0..kills() {
        let mut run = Broken::begin(12, "");
        std::thread::sleep(Duration::from_millis(some_millis(7000)));
        let victims = ["conductor", "server", "both"][(round % 3) as usize];
        println!("round {round}: {victims}");
        if victims == "server" {
            run.nats.die_and_come_back();
            let ran = wait(run.conductor.take().unwrap());
            run.assert_whole(&ran);
            continue;
        }
        run.kill_conductor();
        if victims == "both" {
            std::thread::sleep(Duration::from_millis(some_millis(1500)));
            run.nats.die_and_come_back();
        }
        std::thread::sleep(Duration::from_millis(some_millis(9000)));
        let collected = run.collect();
        // On a machine that is busy the run may have been over before anybody died: then it is whole as it is.
        let is_late = collected.stderr.contains("is sealed already");
        let judged = if is_late { run.place.loadproof(&["judge", "run", "--json"]) } else { collected };
        run.assert_whole(&judged);
        run.wait_for_nodes();
    }
}

/// A study whose system is started with it, by this command.
fn starting(command: &str) -> String {
    format!(
        "study: Started\nsystem:\n  name: echo\n  instances:\n    echo: {{ start: \"{command}\", identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
         nodes: {{ count: 2, cores: 1 }}\nexchanges:\n  ask: {{ http.get: {{ url: $(echo.url)/ }} }}\n\
         scenarios:\n  open: {{ load: {{ arrivals: 30/s per node, hold: 9s }}, run: [ask] }}\n\
         requirements: {{ right: share(ask.failed) <= 5%, lives: alive(echo) }}\n"
    )
}

#[test]
fn a_system_that_its_conductor_started_ends_with_it_or_is_ended() {
    let echo = e2e::program("target-echo");
    // One looks whether its parent lives. The other has a shell before it, which does not, and says nothing of it.
    let plain = format!("{} --port $(port)", echo.display());
    let lasting = format!("sh -c 'env -u LOADPROOF_PARENT_PID {plain}; true'");
    for (command, outlives) in [(plain, false), (lasting, true)] {
        let nats = Nats::start();
        let place = place(&starting(&command));
        let nodes: Vec<Child> = (0..2).map(|_| node_elsewhere(&nats.url(), place.path())).collect();
        let mut conductor = place.start(&["run", "study.yaml", "--out", "run", "--nats", &nats.url()]);
        wait_for_load(&place.path().join("run"));
        let head = place.path().join("run/evidence/run.json");
        let head: Value = serde_json::from_slice(&std::fs::read(head).unwrap()).unwrap();
        let started = head["instances"][0]["pid"].as_u64().unwrap();
        let lives =
            || std::fs::read_to_string(format!("/proc/{started}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        conductor.kill().unwrap();
        conductor.wait().unwrap();
        let ran = place.loadproof(&["collect", "run", "--json"]);
        let result = ran.json();
        let hold = step(&result, "open", "hold");
        assert_balanced(hold);
        assert_eq!(hold["intended"], 540, "{hold:#}");
        assert!(until(20, || !lives()), "nobody is left behind");
        assert_ne!(requirement(&result, "lives")["verdict"], "met", "nobody saw it live: {}", ran.stderr);
        let orphaned = signs(&result, "orphaned");
        if outlives {
            assert_eq!((&hold["completed"], orphaned.len()), (&Value::from(540), 0), "{hold:#} {}", ran.stderr);
            assert!(ran.stderr.contains("`echo` had outlived"), "{}", ran.stderr);
        } else {
            assert!(hold["failed"].as_u64().unwrap() > 0, "the load met nothing: {hold:#}");
            assert!(orphaned.iter().any(|sign| sign["state"] == "invalid"), "{} {}", result["validity"], ran.stderr);
            assert_eq!(requirement(&result, "right")["verdict"], "cannot_tell", "its end was not its own doing");
            assert_eq!(ran.code, 3, "{}", ran.stderr);
        }
        for node in nodes {
            assert_eq!(wait(node).code, 0);
        }
    }
}
