//! Scenarios that search for their limit, against a server whose capacity is what it is told.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, assert_balanced, target, until, wait};
use serde_json::Value;

/// A server that does 100 a second, each 10 ms, one after another: it carries less, and never more.
fn study(place: &Place, address: std::net::SocketAddr, search: &str, load: &str) {
    place.file(
        "study.yaml",
        &format!(
            "study: Searching\nvars: {{ rate: 20/s, threads: 1, groups: 1 }}\n\
             system: {{ name: queue, url: \"http://{address}\", identity: {{ expect: {{ name: target-queue }} }} }}\n\
             exchanges: {{ work: {{ http.get: {{ url: $(queue.url)/x }}, check: [ status = 200 ] }} }}\n\
             scenarios:\n  peak:\n    search: {search}\n    load: {load}\n    run: [work]\n\
             \x20 after: {{ load: {{ arrivals: 10/s, hold: 1s }}, run: [work] }}\n\
             order: [peak, after]\n\
             requirements: {{ fast: {{ that: p95(work.response) < 60 ms, scenarios: [peak] }} }}\n",
        ),
    );
}

fn attempts(result: &Value) -> (&Value, Vec<&Value>) {
    let search = &result["searches"][0];
    (search, search["attempts"].as_array().unwrap().iter().collect())
}

#[test]
fn what_a_search_says_held_is_never_beyond_what_the_server_can_do() {
    let target = target("target-queue", &["--rate-of-service", "100/s", "--service", "constant"]);
    let place = Place::new();
    let search = "{ vary: rate, from: 20/s, to: 400/s, width: 30%, passes: 1 of 1, most: 12 }";
    study(&place, target.address(), search, "{ arrivals: $(rate), warm_up: 1s, hold: 3s }");
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    // Short attempts near the limit cannot tell, and those beyond it do not hold.
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    let (search, tried) = attempts(&result);
    assert_eq!((&search["name"], &search["rule"]), (&Value::from("peak"), &Value::from("bracket")));
    // √(20 · 400), and what follows from what became of it.
    assert_eq!(tried[0]["values"]["rate"], "89/s", "{search:#}");
    let loads: Vec<f64> = tried.iter().map(|attempt| attempt["load"].as_f64().unwrap()).collect();
    for (before, after) in tried.iter().zip(&tried[1..]) {
        let (load, next) = (before["load"].as_f64().unwrap(), after["load"].as_f64().unwrap());
        match before["outcome"].as_str().unwrap() {
            "passed" => assert!(next > load, "{loads:?}"),
            "failed" => assert!(next < load, "{loads:?}"),
            _ => assert_eq!(next, load, "{loads:?}"),
        }
    }
    // Whatever else the machine does, a hundred a second are all there is.
    let held = search["held"].as_f64();
    assert!(held.is_none_or(|held| held <= 110.0), "{search:#}");
    if search["end"] == "found" {
        let failed = search["failed"].as_f64().unwrap();
        assert!(held.is_none_or(|held| held < failed && failed <= held * 1.31), "{search:#}");
    }
    // Each attempt is a scenario with books of its own, and what stands behind the search is carried out, too.
    let scenarios = result["scenarios"].as_array().unwrap();
    assert_eq!(scenarios.len(), tried.len() + 1, "{ran:#?}");
    assert_eq!(scenarios[scenarios.len() - 1]["id"], "after");
    let steps = scenarios.iter().flat_map(|scenario| scenario["steps"].as_array().unwrap());
    steps.filter(|step| step["phase"] == "hold").for_each(assert_balanced);
    assert!(ran.stderr.contains("peak 1: "), "{ran:#?}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(report.contains("Search for the limit: peak"), "the report has its chapter");
    // The folder alone gives the same again.
    assert_eq!(place.loadproof(&["judge", "run"]).code, ran.code);
    assert_eq!(place.result("run")["searches"], result["searches"]);
}

#[test]
fn steps_of_two_variables_go_on_while_throughput_grows() {
    let target = target("target-queue", &["--rate-of-service", "100/s", "--service", "constant"]);
    let place = Place::new();
    let search = "{ rule: nsp, first: { threads: 1, groups: 1 }, raise: { threads: 1, groups: 1 }, most: { threads: 3, groups: 3 } }";
    study(&place, target.address(), search, "{ users: $(threads * groups), hold: 2s }");
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    let (search, tried) = attempts(&result);
    // What a busy machine spoils is made again, and says nothing; three times in a row it ends the search.
    let rated: Vec<&Value> = tried.iter().copied().filter(|attempt| !attempt["growth"].is_null()).collect();
    let spoiled = tried.len() - rated.len();
    assert!(tried.iter().all(|attempt| attempt["growth"].is_null() == (attempt["outcome"] == "void")), "{search:#}");
    if search["end"] == "generator" {
        assert!(spoiled >= 3, "{search:#}");
        return;
    }
    let users: Vec<f64> = rated.iter().map(|attempt| attempt["load"].as_f64().unwrap()).collect();
    assert_eq!(users[..2], [1.0, 2.0], "{search:#}");
    assert_eq!(rated[1]["growth"]["target_percent"], 60, "{search:#}");
    // One server is full with one user, or with two: more of them bring nothing, but where the first were held up.
    let last = &rated[rated.len() - 1]["growth"];
    let is_missed = last["actual_percent"].as_i64() < last["target_percent"].as_i64();
    // Of a generator that has not enough of a busy machine nobody knows whose limit it was.
    let ends = [Value::from("target_missed"), Value::from("disturbed")];
    assert_eq!(is_missed, ends.contains(&search["end"]), "{search:#}");
    assert!(is_missed || search["end"] == "most_reached", "{search:#}");
}

#[test]
fn a_search_that_was_killed_goes_on_behind_its_last_whole_attempt() {
    let target = target("target-queue", &["--rate-of-service", "100/s", "--service", "constant"]);
    let place = Place::new();
    let search = "{ vary: rate, from: 20/s, to: 400/s, width: 60%, passes: 1 of 1, most: 8 }";
    study(&place, target.address(), search, "{ arrivals: $(rate), warm_up: 1s, hold: 2s }");
    let mut child = place.start(&["run", "study.yaml", "--out", "first"]);
    let study_of = |run: &str| std::fs::read_to_string(place.path().join(run).join("evidence/study.yaml"));
    assert!(until(60, || study_of("first").is_ok_and(|text| text.contains("peak_2:"))), "no second attempt came");
    child.kill().unwrap();
    wait(child);

    let other = place.loadproof(&["run", "study.yaml", "--set", "threads=2", "--resume", "first", "--out", "other"]);
    assert_eq!(other.code, 2, "{other:#?}");
    assert!(other.stderr.contains("type `--set threads=1`") && !place.path().join("other").exists(), "{other:#?}");

    let ran = place.loadproof(&["run", "study.yaml", "--resume", "first", "--out", "run"]);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    let (first, result) = (place.loadproof(&["judge", "first", "--json"]).json(), place.result("run"));
    let (before, made) = attempts(&first);
    let (search, tried) = attempts(&result);
    assert!(!made.is_empty() && tried.len() > made.len(), "{before:#} {search:#}");
    for (number, attempt) in tried.iter().enumerate() {
        assert_eq!(attempt["number"], number + 1, "{search:#}");
        let id = made.get(number).map_or(&Value::Null, |_| &first["run"]["id"]);
        assert_eq!(&attempt["run"], id, "{search:#}");
    }
    for (taken, own) in tried.iter().zip(&made) {
        let mut own = (*own).clone();
        own["run"] = taken["run"].clone();
        assert_eq!(**taken, own);
    }
    // Each load follows from what became of the one before, whichever run made it.
    for (before, after) in tried.iter().zip(&tried[1..]) {
        let (load, next) = (before["load"].as_f64().unwrap(), after["load"].as_f64().unwrap());
        match before["outcome"].as_str().unwrap() {
            "passed" => assert!(next > load, "{search:#}"),
            "failed" => assert!(next < load, "{search:#}"),
            _ => assert_eq!(next, load, "{search:#}"),
        }
    }
    let scenarios = result["scenarios"].as_array().unwrap();
    assert_eq!(scenarios.len(), tried.len() - made.len() + 1, "{ran:#?}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(report.contains(first["run"]["id"].as_str().unwrap()), "the report names the run that made the first");

    let over = place.loadproof(&["run", "study.yaml", "--resume", "run", "--out", "more"]);
    assert!(over.code == 2 && over.stderr.contains("is over, so it cannot go on"), "{over:#?}");
}

#[test]
fn an_abort_rule_ends_an_attempt_and_not_the_search() {
    let target = target("target-queue", &["--rate-of-service", "100/s", "--service", "constant"]);
    let place = Place::new();
    let address = target.address();
    place.file(
        "study.yaml",
        &format!(
            "study: Aborting\nvars: {{ rate: 20/s }}\n\
             system: {{ name: queue, url: \"http://{address}\", identity: {{ expect: {{ name: target-queue }} }} }}\n\
             exchanges:\n  work: {{ http.get: {{ url: $(queue.url)/x }}, timeout: 300ms, check: [ status = 200 ] }}\n\
             \x20 end: {{ http.get: {{ url: $(queue.url)/end }} }}\n\
             scenarios:\n  peak:\n    search: {{ vary: rate, from: 50/s, to: 800/s, width: 60%, passes: 1 of 1, most: 8 }}\n\
             \x20   load: {{ arrivals: $(rate), hold: 8s }}\n    run: [work]\n    clean_up: [ end: per scenario ]\n\
             \x20   abort: [ share(work.failed) > 30% for 1s ]\n\
             requirements: {{ right: share(work.failed) <= 10% }}\n\
             validity:\n  lateness: {{ questionable: 9s, invalid: 10s, because: *busy }}\n\
             \x20 run_queue: {{ questionable: 98%, invalid: 99%, because: *busy }}\n\
             \x20 foreign: {{ questionable: 98%, invalid: 99%, because: *busy }}\n"
        )
        .replacen("*busy", "&busy the tests have no machine of their own", 1),
    );
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    let (search, tried) = attempts(&result);
    // √(50 · 800) is twice what the server can do: within a second and a half every answer comes too late.
    assert_eq!(tried[0]["values"]["rate"], "200/s", "{search:#}");
    let code = |attempt: &Value| attempt["reason"]["code"].as_str().unwrap().to_owned();
    assert!(["aborted", "aborted_spoiled"].contains(&code(tried[0]).as_str()), "{search:#}");
    assert!(tried[0]["seconds"].as_f64().unwrap() < 7.0, "{search:#}");
    assert!(tried.len() > 1, "{ran:#?}");
    for (before, after) in tried.iter().zip(&tried[1..]) {
        let (load, next) = (before["load"].as_f64().unwrap(), after["load"].as_f64().unwrap());
        match code(before).as_str() {
            "aborted" => assert!(before["outcome"] == "failed" && next < load, "{search:#}"),
            "aborted_spoiled" => assert!(before["outcome"] == "void" && next == load, "{search:#}"),
            _ => {}
        }
    }
    assert!(search["held"].as_f64().is_none_or(|held| held <= 110.0), "{search:#}");
    let scenarios = result["scenarios"].as_array().unwrap();
    let steps = scenarios.iter().flat_map(|scenario| scenario["steps"].as_array().unwrap());
    steps.filter(|step| step["phase"] == "hold").for_each(assert_balanced);
    assert!(
        ran.stderr.contains("the abort rule `share(work.failed) > 30% for 1s` held")
            || ran.stderr.contains("held of a disturbed"),
        "{ran:#?}"
    );
    // The folder alone gives the same again.
    assert_eq!(place.loadproof(&["judge", "run"]).code, ran.code);
    assert_eq!(place.result("run")["searches"], result["searches"]);
}

#[test]
fn steps_go_by_a_rate_of_their_own() {
    let target = target("target-queue", &["--rate-of-service", "100/s", "--service", "constant"]);
    let place = Place::new();
    let search = "{ rule: nsp, first: { threads: 1, groups: 1 }, raise: { threads: 1, groups: 1 }, most: { threads: 2, groups: 2 }, by: rate(work.ok) * $(threads * groups) * 100 }";
    study(&place, target.address(), search, "{ users: $(threads * groups), hold: 2s }");
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    let (search, tried) = attempts(&result);
    assert_eq!(search["by"], "rate(work.ok) * $(threads * groups) * 100", "{search:#}");
    for attempt in tried {
        let calls = attempt["throughput_per_s"].as_f64().unwrap();
        let (by, load) = (attempt["by_per_s"].as_f64().unwrap(), attempt["load"].as_f64().unwrap());
        // Each iteration is one call, counted in the second in which it ended.
        assert!((by - calls * load * 100.0).abs() <= 0.05 * by.max(1.0), "{attempt:#}");
    }
}
