//! Nodes that watch: monitors run on the machine of a node, which has its own clock, its own files and its own secrets, and
//! need nobody who conducts the run.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use crate::nodes::{node_elsewhere, wait_for_load};
use crate::site::{Asked, serve};
use e2e::{Place, program, requirement, until, wait};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::nats::Nats;

/// What the page of metrics is asked with, which only the node knows.
const TOKEN: &str = "only-db1-knows-7391";

/// A site with a page of metrics; whoever asked for that, with what.
fn site() -> (u16, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let seen = asked.clone();
    let answer = move |request: &Asked| {
        if request.target == "/metrics" {
            seen.lock().unwrap().push(request.header("authorization").to_owned());
            return ("200 OK", String::new(), "# TYPE depth gauge\ndepth 7\n".to_owned());
        }
        ("200 OK", String::new(), "a".to_owned())
    };
    (serve(answer), asked)
}

fn study(port: u16, log: &Path, nodes: &str, hold_s: u64) -> String {
    format!(
        "study: Watched\nsystem: {{ name: site, url: \"http://127.0.0.1:{port}\", ready: none, identity: {{ path: /, status: 200 }} }}\nnodes: {{ {nodes} }}\nwatch:\n  \
         host: {{ host: {{}}, every: 500ms }}\n  db: {{ host: {{}}, on: db1, every: 500ms }}\n  \
         page: {{ prometheus: {{ bearer: $(secret.PAGE_TOKEN), values: {{ depth: depth }} }}, on: db1, every: 500ms }}\n  \
         log: {{ access_log: {{ file: {}, format: common %D, unit: us }}, on: db1, every: 500ms }}\n  \
         own: {{ process: {{ named: loadproof }}, on: db1, every: 500ms }}\n\
         exchanges: {{ look: {{ http.get: {{ url: $(site.url)/ }} }} }}\n\
         scenarios: {{ busy: {{ load: {{ arrivals: 40/s, hold: {hold_s}s }}, run: [look] }} }}\nrequirements:\n  \
         total_here: max(host.memory_total) > 0MB\n  total_there: max(db.memory_total) > 0MB\n  \
         depth: mean(page.depth) = 7\n  logged: count(log.calls) >= 5 in all\n  used: max(own.used) > 1MB\n",
        log.display()
    )
}

/// A node that watches; its monotonic clock is ahead by so many seconds, where this user may have such a clock.
fn watching_node(url: &str, folder: &Path, ahead_s: Option<u32>) -> Child {
    let mut command = match ahead_s {
        Some(ahead_s) => {
            let mut command = Command::new("unshare");
            command.args(["--time", &format!("--monotonic={ahead_s}")]).arg(program("loadproof"));
            command
        }
        None => Command::new(program("loadproof")),
    };
    command.args(["node", "--nats", url, "--name", "db1"]).env("PAGE_TOKEN", TOKEN).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn may_have_a_clock() -> bool {
    let tried = Command::new("unshare").args(["--time", "--monotonic=1", "true"]).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

/// Writes a line of an access log several times a second, as long as it lives.
struct Logging(Arc<std::sync::atomic::AtomicBool>);

impl Logging {
    fn to(path: &Path) -> Self {
        let (is_over, path) = (Arc::<std::sync::atomic::AtomicBool>::default(), path.to_owned());
        std::fs::write(&path, "").unwrap();
        let stop = is_over.clone();
        std::thread::spawn(move || {
            use std::io::Write;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
                writeln!(file, "127.0.0.1 - - [01/Jan/2020:00:00:00 +0000] \"GET / HTTP/1.1\" 200 1 1500").unwrap();
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        Self(is_over)
    }
}

impl Drop for Logging {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

fn head(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(place.path().join("run/evidence/run.json")).unwrap()).unwrap()
}

fn value(result: &Value, id: &str) -> f64 {
    let row = requirement(result, id);
    row["value"].as_f64().unwrap_or_else(|| panic!("no value: {row:#}"))
}

#[test]
fn monitors_run_on_a_node_that_only_watches() {
    let (port, asked) = site();
    let nats = Nats::start();
    let (place, away) = (Place::new(), tempfile::tempdir().unwrap());
    let log = away.path().join("access.log");
    let _logging = Logging::to(&log);
    let ahead_s = may_have_a_clock().then_some(90);
    let node = watching_node(&nats.url(), away.path(), ahead_s);
    place.file("study.yaml", &study(port, &log, "at: local, cores: 1", 5));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run", "--json", "--nats", &nats.url()]);
    assert!([0, 3].contains(&ran.code), "{}", ran.stderr);
    let result = ran.json();
    assert_eq!(value(&result, "total_here"), value(&result, "total_there"), "the same machine");
    assert_eq!(value(&result, "depth"), 7.0);
    assert!(value(&result, "logged") >= 5.0 && value(&result, "used") > 1e6);
    for id in ["total_there", "depth", "logged", "used"] {
        assert_ne!(requirement(&result, id)["verdict"], "not_met", "{:#}", requirement(&result, id));
    }
    // Its secret is its own, and stands nowhere.
    let asked = asked.lock().unwrap();
    assert!(asked.iter().any(|head| head.contains(TOKEN)), "{asked:?}");
    for file in e2e::files(&place.path().join("run")) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(TOKEN.len()).any(|window| window == TOKEN.as_bytes()), "{}", file.display());
    }
    let head = head(&place);
    let nodes = head["nodes"].as_array().unwrap();
    assert!(nodes.len() == 1 && nodes[0]["name"] == "db1" && nodes[0]["threads"] == 0, "{nodes:#?}");
    // Its samples lie on the clock of the run: none before the start, none behind the end.
    let bound = nodes[0]["clock_error_ns"].as_i64().unwrap();
    assert!(bound < 1_000_000_000, "{bound}");
    // Whoever drove the load is not taken for what was watched, nor the other way round.
    let db = head["monitors"].as_array().unwrap().iter().find(|monitor| monitor["name"] == "db").unwrap();
    assert_eq!(db["on"], "db1");
    let ended = wait(node);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[test]
fn what_a_node_watched_is_collected_with_the_load() {
    let (port, _) = site();
    let nats = Nats::start();
    let (place, away) = (Place::new(), tempfile::tempdir().unwrap());
    let log = away.path().join("access.log");
    let _logging = Logging::to(&log);
    let mut nodes = vec![node_elsewhere(&nats.url(), away.path()), watching_node(&nats.url(), away.path(), None)];
    place.file("study.yaml", &study(port, &log, "cores: 1", 8));
    let mut conductor = place.start(&["run", "study.yaml", "--out", "run", "--json", "--nats", &nats.url()]);
    wait_for_load(&place.path().join("run"));
    conductor.kill().unwrap();
    conductor.wait().unwrap();
    let ran = place.loadproof(&["collect", "run", "--json"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.stderr);
    let result = ran.json();
    // Nobody conducted the run to its end, and yet all of what the node watched is there.
    for id in ["total_there", "depth", "logged"] {
        assert_ne!(requirement(&result, id)["reason"], "run_questionable", "{:#}", requirement(&result, id));
        assert!(value(&result, id) > 0.0);
    }
    assert_eq!(requirement(&result, "total_here")["verdict"], "cannot_tell", "what the conductor watched is missing");
    let signs = result["validity"]["signs"].as_array().unwrap();
    assert!(signs.iter().all(|sign| sign["code"] != "node_unwatched"), "{signs:#?}");
    assert!(signs.iter().any(|sign| sign["code"] == "unwatched"), "{signs:#?}");
    for node in &mut nodes {
        assert!(until(60, || node.try_wait().unwrap().is_some()), "a node is left behind");
    }
}
