//! The collection-service study: all workloads on PostgreSQL, and the errors that a report on such a service must not
//! make. Needs a PostgreSQL server on the machine (`make parts`).
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, assert_balanced, requirement, root, until, wait};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use target_common::probe::Client;

/// The system of the study in small: one module on a private PostgreSQL, quickly filled.
const SYSTEM: &str = "
vars: { store: 'postgres://lab@127.0.0.1:$(database.port.sql)/lab' }
data: { instances: { file: data/instances.csv } }
system:
  name: inventory
  instances:
    database:
      ports: [http, sql]
      start: system-postgres --port $(port) --sql-port $(port.sql) --data $(scratch)/postgres $(faults)
      faults: { FAULT }
    holdings: { start: system-inventory holdings --port $(port) --store $(store) --pool 5 --instances 2000, needs: [database] }
    records: { start: system-inventory records --port $(port) --store $(store) --pool 5 --instances 2000, needs: [holdings] }
    gateway:
      start: system-inventory gateway --port $(port) --records $(records.address) --holdings $(holdings.address)
      needs: [records, holdings]
watch: { process: {}, database: { sql: { url: $(store) }, of: database } }
exchanges:
  login:
    http.post: { url: $(gateway.url)/authn/login, json: { username: perf, password: secret } }
    check: [ status = 201 ]
    capture: { token: header(x-okapi-token) }
  rih_2:
    http.get:
      url: '$(gateway.url)/holdings-storage/holdings?limit=1000&query=instanceId==$(instances.uuid)'
      headers: { x-okapi-tenant: diku, x-okapi-token: $(token) }
    check: [ status = 200 ]
    timeout: 2s
";

fn steps<'a>(result: &'a Value, scenario: &str, step: &str) -> Vec<&'a Value> {
    let scenarios = result["scenarios"].as_array().unwrap();
    let named = scenarios.iter().filter(|each| each["id"] == scenario);
    named.flat_map(|each| each["steps"].as_array().unwrap()).filter(|each| each["id"] == step).collect()
}

#[test]
fn the_whole_study_runs_its_six_workloads_in_turn_on_postgresql() {
    let place = Place::new();
    let study = root().join("studies/inventory.yaml");
    let arguments =
        ["run", &study.to_string_lossy(), "--for", "75s", "--set", "rows=500", "--set", "pause=0s", "--out", "run"];
    let ran = place.loadproof(&arguments);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    for scenario in ["normal", "high", "normal_all", "high_all", "normal_jobs", "high_jobs"] {
        let holds = steps(&result, scenario, "hold");
        assert!(!holds.is_empty(), "{scenario} has no hold: {:#}", result["scenarios"]);
        for hold in &holds {
            assert_balanced(hold);
        }
        let rih = holds.iter().find(|hold| hold["part"] == "rih").expect("the workflow is a part of every workload");
        // Offered, achieved, counts and errors of every request stand beside its times.
        assert!(rih["offered_per_s"].as_f64().unwrap() > 0.0 && rih["intended"].as_u64().unwrap() > 0, "{rih:#}");
        let exchanges: Vec<&str> =
            rih["exchanges"].as_array().unwrap().iter().map(|x| x["id"].as_str().unwrap()).collect();
        assert_eq!(exchanges, ["rih_1", "rih_2"], "{scenario}");
    }
    assert!(steps(&result, "normal_all", "hold").iter().any(|hold| hold["part"] == "others"));
    // Mixes that are not the same are not compared in silence.
    let comparisons = result["comparisons"].as_array().unwrap();
    let pairs: Vec<&Value> = comparisons.iter().flat_map(|each| each["pairs"].as_array().unwrap()).collect();
    let beside_jobs = pairs.iter().find(|pair| pair["other"]["label"] == "normal_jobs").unwrap();
    let names: Vec<&str> =
        beside_jobs["differences"].as_array().unwrap().iter().map(|each| each["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"part data_import") && names.contains(&"part others"), "{names:?}");
    let rows = pairs.iter().flat_map(|pair| pair["rows"].as_array().unwrap());
    assert!(rows.clone().count() >= 16, "a row for each request, statistic and workload: {comparisons:#?}");
    // So short a hold proves no equality.
    assert!(rows.clone().all(|row| row["verdict"] != "equivalent"), "{comparisons:#?}");
    for file in ["report.html", "report.md", "junit.xml", "result.json"] {
        assert!(place.path().join("run").join(file).exists(), "{file} is missing");
    }
    let read = |name: &str| std::fs::read_to_string(place.path().join("run").join(name)).unwrap();
    let (report, page) = (read("report.md"), read("report.html"));
    for expected in ["PostgreSQL", "PERF-597", "rih_2"] {
        assert!(report.contains(expected), "`{expected}` is not in the report");
    }
    // What an instance said of itself is on the page, and paper names its file.
    assert!(page.contains("max_connections") && report.contains("instances.csv"));
}

/// An instance of a run that goes on, as its head has it; `None` until it is written.
fn instance(place: &Place, name: &str) -> Option<Value> {
    let text = std::fs::read_to_string(place.path().join("run/evidence/run.json")).ok()?;
    let head: Value = serde_json::from_str(&text).ok()?;
    head["instances"].as_array()?.iter().find(|instance| instance["name"] == name).cloned()
}

/// Calls that the gateway of a run has answered; zero while there is none.
fn answered(place: &Place) -> u64 {
    let count = || -> Option<u64> {
        let gateway = instance(place, "gateway")?;
        let address = gateway["url"].as_str()?.strip_prefix("http://")?.parse().ok()?;
        let counters = Client::connect(address).ok()?.get("/counters").ok()?;
        let counters: Value = serde_json::from_slice(&counters.body).ok()?;
        counters["requests"]["GET /holdings-storage/holdings"]["200"].as_u64()
    };
    count().unwrap_or(0)
}

#[test]
fn a_database_that_dies_within_a_hold_is_seen_and_judged() {
    let place = Place::new();
    let data = place.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::copy(root().join("studies/data/instances.csv"), data.join("instances.csv")).unwrap();
    let study = format!(
        "study: A database that dies\n{}\
         scenarios:\n  busy: {{ load: {{ arrivals: 20/s, hold: 2m }}, run: [rih_2], set_up: [ login: per node ] }}\n\
         requirements:\n  alive: alive(database)\n  right: share(rih_2.failed) <= 1%\n",
        SYSTEM.replace("faults: { FAULT }", "")
    );
    place.file("study.yaml", &study);
    let run = place.start(&["run", "study.yaml", "--out", "run"]);
    // However long the start takes: it dies when the load is on.
    assert!(until(240, || answered(&place) >= 100), "the load never came");
    let pid = instance(&place, "database").and_then(|database| database["pid"].as_i64()).unwrap();
    kill_process(Pid::from_raw(pid as i32).unwrap(), Signal::KILL).unwrap();
    let ran = wait(run);
    // A death is the system's own doing, whoever saw it first: it is judged.
    assert_eq!(ran.code, 1, "{ran:#?}");
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "target", "{ran:#?}");
    assert!(!steps(&result, "busy", "hold").is_empty(), "it died before the hold: {ran:#?}");
    assert_eq!(requirement(&result, "alive")["verdict"], "not_met", "{ran:#?}");
    let signs = result["validity"]["signs"].as_array().unwrap();
    assert!(signs.iter().any(|sign| sign["code"] == "instance_lost"), "{signs:#?}");
    assert!(signs.iter().all(|sign| sign["code"] != "identity"), "nobody else answered: {signs:#?}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(report.contains("database"), "the report names what died");
    let findings = result["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["rule"] == "DOWN"), "{findings:#?}");
}

#[test]
fn a_misspelt_key_and_a_trailing_comma_stop_the_study() {
    let place = Place::new();
    let ramp = SYSTEM.replace("FAULT", "");
    let study = format!(
        "study: Typed by hand\n{ramp}scenarios:\n  busy: {{ load: {{ arrivals: 3/s, ramp_u: {{ over: 1m }}, hold: 1m }}, run: [rih_2] }}\n"
    );
    place.file("study.yaml", &study);
    let ran = place.loadproof(&["check", "study.yaml"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("ramp_u") && ran.stderr.contains("`ramp`"), "{}", ran.stderr);
    place.file("study.json", "{ \"study\": \"x\", }, ");
    let ran = place.loadproof(&["check", "study.json"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("study.json"), "{}", ran.stderr);
}
