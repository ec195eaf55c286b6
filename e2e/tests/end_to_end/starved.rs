//! A generator that does not get its processor says so: the verdict changes, not the figures in silence.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, Ran, requirement, step, target, wait};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::Value;
use std::process::{Child, Command, Stdio};

/// Processes that want all of one core, until dropped; each ends by itself should the test be killed.
struct Hogs(Vec<Child>);

impl Hogs {
    fn start(count: usize) -> Self {
        // A shell's own loop: nothing that would have to be installed. Its steps are bounded, some minutes long.
        let busy = "i=0; while [ $i -lt 60000000 ]; do i=$((i+1)); done";
        let start = |_| Command::new("sh").args(["-c", busy]).stdin(Stdio::null()).spawn().expect("a shell");
        Self((0..count).map(start).collect())
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What `work` starts runs on one core only: children have the affinity of the thread that starts them.
fn on_core<T>(core: usize, work: impl FnOnce() -> T) -> T {
    let before = sched_getaffinity(None).expect("Linux tells");
    let mut one = CpuSet::new();
    one.set(core);
    sched_setaffinity(None, &one).expect("a core that this process may use");
    let made = work();
    sched_setaffinity(None, &before).expect("what it was before");
    made
}

fn study(port: u16) -> String {
    format!(
        "study: Starved\nsystem: {{ name: echo, url: 'http://127.0.0.1:{port}', identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
         exchanges:\n  home: {{ http.get: {{ url: '$(echo.url)/' }}, timeout: 5s }}\n\
         scenarios:\n  busy: {{ load: {{ arrivals: 400/s, hold: 12s }}, run: [home] }}\n\
         requirements: {{ right: share(home.failed) <= 5%, quick: p99(home.response) <= 2ms }}\n"
    )
}

fn sign_value(result: &Value, code: &str) -> f64 {
    let signs = result["validity"]["signs"].as_array().expect("signs");
    let sign = signs.iter().find(|sign| sign["code"] == code).unwrap_or_else(|| panic!("no {code}: {signs:#?}"));
    sign["value"]["share"].as_f64().expect("a share")
}

#[test]
fn a_starved_generator_takes_the_verdicts_that_it_can_have_turned() {
    let cores = sched_getaffinity(None).expect("Linux tells");
    let core = (0..CpuSet::MAX_CPU).find(|core| cores.is_set(*core)).expect("there is one");
    let place = Place::alone();
    let target = target("target-echo", &["--service", "1ms"]);
    place.file("study.yaml", &study(target.address().port()));
    let (ran, hogs): (Ran, Hogs) = on_core(core, || {
        let hogs = Hogs::start(6);
        let child = place.start(&["run", "study.yaml", "--threads", "1", "--out", "run", "--json"]);
        (wait(child), hogs)
    });
    drop(hogs);
    let result = ran.json();
    assert_ne!(result["validity"]["state"], "valid", "{:#}", result["validity"]);
    // With six processes that want the core the generator has at most a seventh of it whenever it wants more, and it
    // waits for its turn at every wake-up.
    assert!(sign_value(&result, "run_queue") > 0.05, "{:#}", result["validity"]);
    let rules: Vec<&Value> = result["findings"].as_array().expect("findings").iter().map(|it| &it["rule"]).collect();
    assert!(rules.contains(&&Value::from("GEN-SAT")), "{rules:?}");
    // No call failed, and waiting for a processor makes none succeed; it does make them slow.
    let hold = step(&result, "busy", "hold");
    assert_eq!((&hold["intended"], &hold["failed"]), (&Value::from(4800), &Value::from(0)), "{hold:#}");
    let right = requirement(&result, "right");
    assert_eq!(right["verdict"], "met", "{right:#}");
    let checks: Vec<&Value> = right["disturbed"].as_array().expect("a list").iter().map(|it| &it["check"]).collect();
    assert!(checks.contains(&&Value::from("run_queue")), "{right:#}");
    let quick = requirement(&result, "quick");
    // On a machine that is busy besides, the target is slow, too: then the limit has to be missed by more than what the
    // generator can have added.
    let verdict = quick["verdict"].as_str().expect("a verdict");
    if verdict != "cannot_tell" {
        let added = &quick["disturbed"][0]["at_most"]["seconds"];
        let (value, added) = (quick["value"].as_f64().expect("a value"), added.as_f64().expect("what was added"));
        assert_eq!(verdict, "not_met", "{quick:#}");
        assert!(value - added * 1e3 > 2.0, "{quick:#}");
    }
    assert_eq!(ran.code, if verdict == "not_met" { 1 } else { 3 }, "{}", ran.stderr);
    assert!(ran.stderr.contains("GEN-SAT"), "{}", ran.stderr);
}

/// Four load nodes share one core with six processes that want all of it: what the search finds is the generator's.
#[test]
fn a_search_with_starved_nodes_says_nothing_of_the_system() {
    let cores = sched_getaffinity(None).expect("Linux tells");
    let core = (0..CpuSet::MAX_CPU).find(|core| cores.is_set(*core)).expect("there is one");
    let place = Place::alone();
    let target = target("target-echo", &["--service", "1ms"]);
    let port = target.address().port();
    place.file(
        "study.yaml",
        &format!(
            "study: Starved nodes\nvars: {{ threads: 2, nodes: 2 }}\nnodes: {{ count: 4, cores: 1 }}\n\
             system: {{ name: echo, url: 'http://127.0.0.1:{port}', identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
             exchanges:\n  home: {{ http.get: {{ url: '$(echo.url)/' }}, timeout: 5s }}\n\
             scenarios:\n  busy:\n    search: {{ rule: nsp, first: {{ threads: 2, nodes: 2 }}, raise: {{ threads: 2, nodes: 1 }}, most: {{ threads: 4, nodes: 4 }} }}\n\
             \x20   load: {{ users: $(threads) per node, nodes: $(nodes), hold: 4s }}\n    run: [home]\n\
             requirements: {{ right: share(home.failed) <= 5% }}\n"
        ),
    );
    let (ran, hogs): (Ran, Hogs) = on_core(core, || {
        let hogs = Hogs::start(6);
        let child = place.start(&["run", "study.yaml", "--out", "run", "--json"]);
        (wait(child), hogs)
    });
    drop(hogs);
    let result = ran.json();
    let search = &result["searches"][0];
    for attempt in search["attempts"].as_array().expect("attempts") {
        assert_ne!(attempt["validity"], "valid", "{search:#}");
    }
    // That more users brought nothing is not called the system's doing; bounds that were reached are a lower bound.
    let ends = ["generator", "disturbed", "most_reached"];
    assert!(ends.contains(&search["end"].as_str().expect("an end")), "{search:#}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    assert!(report.contains("generator or its surroundings"), "the report names it");
    let rules: Vec<&Value> = result["findings"].as_array().expect("findings").iter().map(|it| &it["rule"]).collect();
    assert!(rules.contains(&&Value::from("GEN-SAT")), "{rules:?}");
}
