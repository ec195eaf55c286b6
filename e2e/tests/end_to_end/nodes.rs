//! Load nodes: several processes leave the record that one would, and the loss of any of them is told.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use crate::site::{Asked, serve};
use e2e::{Place, Ran, assert_balanced, descendants, files, program, requirement, step, until, wait};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use testkit::nats::Nats;

/// Rows of the data set: more than the load has iterations.
const ROWS: usize = 2000;

/// A site that counts how often each address was asked for.
pub(crate) fn site() -> (u16, Arc<Mutex<BTreeMap<String, u64>>>) {
    let asked = Arc::<Mutex<BTreeMap<String, u64>>>::default();
    let seen = asked.clone();
    let answer = move |request: &Asked| {
        *seen.lock().unwrap().entry(request.target.clone()).or_default() += 1;
        ("200 OK", String::new(), request.target.clone())
    };
    (serve(answer), asked)
}

fn study(port: u16, nodes: u16, scenarios: &str) -> String {
    format!(
        "study: Nodes\nsystem: {{ name: site }}\nvars: {{ site: \"http://127.0.0.1:{port}\" }}\n\
         nodes: {{ count: {nodes}, cores: 1 }}\ndata: {{ rows: {{ file: rows.csv }} }}\nexchanges:\n\
         \x20 token: {{ http.get: {{ url: $(site)/token }}, capture: {{ token: body }} }}\n\
         \x20 once: {{ http.get: {{ url: $(site)/once }}, capture: {{ once: body }} }}\n\
         \x20 row: {{ http.get: {{ url: $(site)/row/$(rows.id)$(token)$(once) }}, check: [ 'body contains /token/once' ] }}\n\
         scenarios:\n{scenarios}\nrequirements: {{ right: share(row.failed) <= 5% }}\n"
    )
}

pub(crate) fn place(text: &str) -> Place {
    let place = Place::new();
    place.file("study.yaml", text);
    let rows: String = (0..ROWS).map(|row| format!("{row}\n")).collect();
    place.file("rows.csv", &format!("id\n{rows}"));
    place
}

const OPEN: &str =
    "  open: { load: { arrivals: 50/s per node, hold: 6s }, run: [row], set_up: [ once, token: per node ] }";

pub(crate) fn nodes_of(conductor: u32) -> Vec<u32> {
    let is_node = |pid: &u32| {
        std::fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| line.split(|byte| *byte == 0).nth(1) == Some(b"node"))
    };
    descendants(conductor).into_iter().map(|(pid, _)| pid).filter(is_node).collect()
}

pub(crate) fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid as i32).unwrap(), Signal::KILL).unwrap();
}

/// Waits until rows of the load are on the disk.
pub(crate) fn wait_for_load(run: &Path) {
    let load = run.join("evidence/load");
    let is_on = || load.is_dir() && files(&load).iter().any(|path| path.metadata().is_ok_and(|data| data.len() > 2048));
    assert!(until(120, is_on), "the load never came");
}

/// All that was planned was carried out, each row of the data set went to one iteration, and set-up took place as often as
/// it says.
fn assert_whole(ran: &Ran, asked: &BTreeMap<String, u64>, nodes: u64) {
    assert!([0, 3].contains(&ran.code), "{}", ran.stderr);
    let result = ran.json();
    let hold = step(&result, "open", "hold");
    assert_balanced(hold);
    assert_eq!((&hold["intended"], &hold["failed"]), (&Value::from(nodes * 300), &Value::from(0)), "{hold:#}");
    let rows: Vec<(&String, &u64)> = asked.iter().filter(|(target, _)| target.starts_with("/row/")).collect();
    assert_eq!(rows.len() as u64, nodes * 300);
    assert!(rows.iter().all(|(_, times)| **times == 1), "{rows:?}");
    assert_eq!((asked["/once"], asked["/token"]), (1, nodes), "{asked:?}");
}

#[test]
fn several_nodes_leave_the_record_that_one_would() {
    for nodes in [1, 3] {
        let (port, asked) = site();
        let place = place(&study(port, nodes, OPEN));
        let ran = place.loadproof(&["run", "study.yaml", "--out", "run", "--json"]);
        assert_whole(&ran, &asked.lock().unwrap(), nodes.into());
        let head: Value =
            serde_json::from_slice(&std::fs::read(place.path().join("run/evidence/run.json")).unwrap()).unwrap();
        assert_eq!(head["workers"], nodes, "{head:#}");
        let told = head["nodes"].as_array().map_or(1, Vec::len);
        assert_eq!(told, usize::from(nodes));
        // What the report says of each is what the run wrote down: name, machine, cores, threads, version, seconds.
        let Ok(table) = std::fs::read_to_string(place.path().join("run/tables/nodes.csv")) else {
            assert_eq!(nodes, 1, "a load that its own process drove has no table of nodes");
            continue;
        };
        let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), usize::from(nodes), "{table}");
        for (row, node) in rows.iter().zip(head["nodes"].as_array().unwrap()) {
            let whole = |cell: &str| Value::from(cell.parse::<u64>().unwrap());
            assert_eq!((Value::from(row[0]), Value::from(row[1])), (node["name"].clone(), node["host"].clone()));
            assert_eq!((whole(row[2]), whole(row[3])), (node["cores"].clone(), node["threads"].clone()), "{table}");
            let bound = row[5].parse::<f64>().unwrap() * 1e9;
            assert!((bound - node["clock_error_ns"].as_f64().unwrap()).abs() < 0.5, "{table}");
        }
    }
}

#[test]
fn a_load_may_have_fewer_nodes_than_the_study() {
    let (port, _) = site();
    let closed = "  few: { load: { users: 2 per node, nodes: 2, pacing: 100ms, hold: 3s }, run: [row], set_up: [ once, token: per node ] }";
    let place = place(&study(port, 3, &format!("{closed}\n{OPEN}")));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run", "--json"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.stderr);
    let result = ran.json();
    let few = step(&result, "few", "hold");
    assert_balanced(few);
    assert_eq!(few["users"], 4, "{few:#}");
    assert_eq!(step(&result, "open", "hold")["intended"], 900, "what comes after has all of them");
}

#[test]
fn a_node_that_is_lost_spoils_the_load_and_nothing_else() {
    let (port, _) = site();
    let before = "  before: { load: { arrivals: 60/s, hold: 3s }, run: [row], set_up: [ once, token: per node ] }";
    let place = place(&study(port, 3, &format!("{before}\n{}", OPEN.replace("6s", "60s"))));
    let child = place.start(&["run", "study.yaml", "--out", "run", "--json"]);
    let events = place.path().join("run/evidence");
    wait_for_load(&place.path().join("run"));
    // In the second load.
    assert!(until(120, || nodes_of(child.id()).len() == 3));
    std::thread::sleep(std::time::Duration::from_secs(8));
    kill(nodes_of(child.id())[1]);
    let conductor = child.id();
    let ran = wait(child);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("node-2 was lost") || ran.stderr.contains("was lost"), "{}", ran.stderr);
    assert!(nodes_of(conductor).is_empty(), "nobody is left behind");
    let result = ran.json();
    assert_eq!(result["run"]["end_reason"], "generator");
    let signs = result["validity"]["signs"].as_array().unwrap();
    let lost: Vec<&Value> = signs.iter().filter(|sign| sign["code"] == "node_lost").collect();
    assert!(!lost.is_empty() && lost.iter().all(|sign| sign["state"] == "invalid"), "{signs:#?}");
    assert!(lost.iter().all(|sign| sign["scope"].as_str().unwrap().starts_with("open")), "{lost:#?}");
    assert_eq!(step(&result, "before", "hold")["intended"], 180);
    assert_eq!(requirement(&result, "right")["severity"], "must");
    assert!(events.join("manifest.json").is_file(), "the record is sealed");
}

#[test]
fn nodes_end_with_whoever_conducts_them() {
    let (port, _) = site();
    let place = place(&study(port, 2, &OPEN.replace("6s", "60s")));
    let mut child = place.start(&["run", "study.yaml", "--out", "run"]);
    wait_for_load(&place.path().join("run"));
    let nodes = nodes_of(child.id());
    assert_eq!(nodes.len(), 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let is_gone = |pid: &u32| !Path::new(&format!("/proc/{pid}")).exists() || is_dead(*pid);
    assert!(until(60, || nodes.iter().all(is_gone)), "{nodes:?}");
    let ran = place.loadproof(&["judge", "run", "--json"]);
    let hold = step(&ran.json(), "open", "hold").clone();
    assert_balanced_or_open(&hold);
    // Nothing of it is anywhere else: there is nothing to collect, and a report seals it.
    let collected = place.loadproof(&["collect", "run"]);
    assert!(collected.code == 2 && collected.stderr.contains("`loadproof report run` seals"), "{}", collected.stderr);
    let ran = place.loadproof(&["report", "run"]);
    assert!(ran.stderr.contains("its evidence is now sealed"), "{}", ran.stderr);
    assert!(place.path().join("run/evidence/manifest.json").is_file());
}

/// What ended and is waited for by nobody of ours.
fn is_dead(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')))
}

/// Where a record breaks off, what was open then is neither completed nor failed.
fn assert_balanced_or_open(step: &Value) {
    let of = |name: &str| step[name].as_u64().unwrap();
    assert_eq!(of("started"), of("completed") + of("failed") + of("aborted") + of("open"), "{step:#}");
    assert!(of("completed") > 0, "{step:#}");
}

pub(crate) fn node_elsewhere(url: &str, folder: &Path) -> Child {
    let mut command = Command::new(program("loadproof"));
    command.args(["node", "--nats", url]).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn nodes_elsewhere_meet_over_a_server_that_may_die_meanwhile() {
    for dies in [false, true] {
        let (port, asked) = site();
        let mut nats = Nats::start();
        let away = tempfile::tempdir().unwrap();
        let nodes: Vec<Child> = (0..2).map(|_| node_elsewhere(&nats.url(), away.path())).collect();
        let place = place(&study(port, 2, OPEN));
        let child = place.start(&["run", "study.yaml", "--out", "run", "--json", "--nats", &nats.url()]);
        if dies {
            wait_for_load(&place.path().join("run"));
            nats.die_and_come_back();
        }
        let ran = wait(child);
        assert_whole(&ran, &asked.lock().unwrap(), 2);
        let head: Value =
            serde_json::from_slice(&std::fs::read(place.path().join("run/evidence/run.json")).unwrap()).unwrap();
        for node in head["nodes"].as_array().unwrap() {
            assert!(node["tried"]["per_s"] == 100.0 && node["tried"]["started_per_s"].as_f64() > Some(0.0), "{node:#}");
        }
        for node in nodes {
            let ended = wait(node);
            assert_eq!(ended.code, 0, "{}", ended.stderr);
        }
    }
}

#[test]
fn nodes_elsewhere_that_are_too_slow_are_named_before_the_load() {
    let (port, asked) = site();
    let nats = Nats::start();
    let away = tempfile::tempdir().unwrap();
    let nodes: Vec<Child> = (0..2).map(|_| node_elsewhere(&nats.url(), away.path())).collect();
    // No machine sends that.
    let fast = "  fast: { load: { arrivals: 9000000/s, hold: 3s, max_in_flight: 50 }, run: [row], set_up: [ once, token: per node ] }";
    let place = place(&study(port, 2, fast));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run", "--nats", &nats.url()]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    for part in ["node-", "is too slow: its share of the load is 4500000 exchanges/s", "nodes: { count: "] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert!(asked.lock().unwrap().is_empty(), "nothing was sent to the system");
    for node in nodes {
        assert_eq!(wait(node).code, 0);
    }
}

#[test]
fn who_waits_in_vain_for_nodes_is_told_how_to_start_them() {
    let nats = Nats::start();
    let place = place(&study(1, 2, OPEN));
    let url = nats.url();
    let ran = place.loadproof(&["run", "study.yaml", "--nats", &url, "--wait", "1s"]);
    assert!(ran.code == 3 && ran.stderr.contains("0 of 2 load nodes offered themselves within 1 s"), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("loadproof node --nats {url} --group default")), "{}", ran.stderr);
    let nowhere = place.loadproof(&["node", "--nats", "nats://127.0.0.1:1"]);
    assert!(nowhere.code == 2 && nowhere.stderr.contains("nats-server -js"), "{}", nowhere.stderr);
    assert!(!nowhere.stderr.contains("waiting for a run"), "{}", nowhere.stderr);
    let alone = place.loadproof(&["node"]);
    assert!(
        alone.code == 2 && alone.stderr.contains("`--nats`") && !alone.stderr.contains("stdio"),
        "{}",
        alone.stderr
    );
}

/// A process whose monotonic clock is so many seconds ahead of everybody else's.
fn node_with_clock(url: &str, folder: &Path, ahead_s: u32) -> Child {
    let mut command = Command::new("unshare");
    command.args(["--time", &format!("--monotonic={ahead_s}")]).arg(program("loadproof"));
    command.args(["node", "--nats", url, "--index", &ahead_s.to_string()]).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_clock_that_is_off_changes_no_figure_and_its_offset_is_known_to_its_bound() {
    // Needs the right to make a time namespace, which root has; elsewhere nothing of this can be tried.
    let may = Command::new("unshare").args(["--time", "--monotonic=1", "true"]).stderr(Stdio::null()).status();
    if !may.is_ok_and(|status| status.success()) {
        println!("not tried: this user may not make a time namespace (type it as root)");
        return;
    }
    let (port, asked) = site();
    let nats = Nats::start();
    let away = tempfile::tempdir().unwrap();
    // Whoever has no clock of its own is told from those who have.
    let nodes = [90, 3600].map(|ahead_s| node_with_clock(&nats.url(), away.path(), ahead_s));
    let place = place(&study(port, 2, OPEN));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run", "--json", "--nats", &nats.url()]);
    assert_whole(&ran, &asked.lock().unwrap(), 2);
    let head: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("run/evidence/run.json")).unwrap()).unwrap();
    let told = |node: usize, what: &str| head["nodes"][node][what].as_i64().unwrap();
    // The machine's clock is the same for both, so their offsets differ by what they are ahead.
    let apart = told(0, "clock_offset_ns") - told(1, "clock_offset_ns");
    let bound = told(0, "clock_error_ns") + told(1, "clock_error_ns");
    assert!((apart - 3510 * 1_000_000_000).abs() <= bound && bound < 1_000_000_000, "{apart} {bound}");
    // Steps begin and end where they do on a right clock.
    let hold = step(&ran.json(), "open", "hold").clone();
    assert_eq!(hold["seconds"], 6.0, "{hold:#}");
    for node in nodes {
        assert_eq!(wait(node).code, 0);
    }
}
