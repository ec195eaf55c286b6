//! Messages whose answers come later, on another connection, against `system-messaging`.
#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, Ran, assert_balanced, leg, root, step};
use serde_json::Value;

/// The messaging studies in a place of their own, with this text replaced in one of them.
fn studies(file: &str, changes: &[(&str, &str)]) -> Place {
    let place = Place::new();
    let copy = |from: &str| {
        for entry in std::fs::read_dir(root().join(from)).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_file() {
                let name = entry.path().strip_prefix(root().join("studies/messaging")).unwrap().to_path_buf();
                place.file(name.to_str().unwrap(), &std::fs::read_to_string(entry.path()).unwrap());
            }
        }
    };
    for folder in
        ["studies/messaging", "studies/messaging/data", "studies/messaging/data/cpas", "studies/messaging/data/cpas-rm"]
    {
        copy(folder);
    }
    let mut text = std::fs::read_to_string(place.path().join(file)).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{file} has no `{from}`");
        text = text.replace(from, to);
    }
    place.file(file, &text);
    place
}

fn count(step: &Value, exchange: &str, leg_id: &str) -> u64 {
    let exchanges = step["exchanges"].as_array().unwrap();
    let found = exchanges.iter().find(|it| it["id"] == exchange).unwrap()["legs"].as_array().unwrap();
    found.iter().find(|it| it["id"] == leg_id && it["outcome"] == "ok").map_or(0, |it| it["count"].as_u64().unwrap())
}

/// The verdicts of a requirement, one for each place.
fn verdicts<'a>(result: &'a Value, id: &str) -> Vec<&'a Value> {
    let all: Vec<_> = result["requirements"].as_array().unwrap().iter().filter(|it| it["id"] == id).collect();
    assert!(!all.is_empty(), "no requirement `{id}`");
    all
}

/// A reconciliation's sides are equal in every stream. Whether it may be called met is the machine's affair, too.
fn assert_reconciled(result: &Value, id: &str, streams: usize) {
    let all = verdicts(result, id);
    assert_eq!(all.len(), streams, "{id}: a verdict for each stream");
    for verdict in all {
        assert_ne!(verdict["verdict"], "not_met", "{verdict:#}");
        assert_eq!(verdict["value"], verdict["limit"], "{verdict:#}");
        assert!(verdict["value"].as_f64().unwrap() > 0.0, "{verdict:#}");
    }
}

/// Runs a study with these variables, each phase long enough for the database to be asked before and after it.
fn run(place: &Place, study: &str, set: &[&str]) -> Ran {
    let mut arguments = vec!["run", study, "--out", "run", "--json"];
    arguments.extend(set.iter().flat_map(|one| ["--set", one]));
    place.loadproof(&arguments)
}

fn ended(ran: &Ran) -> Value {
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    ran.json()
}

#[test]
fn every_ping_is_stored_answered_and_matched() {
    let place = studies("embedded.yaml", &[]);
    let ran = run(&place, "embedded.yaml", &["hold=8s", "ramp=2s", "quiet=3s"]);
    let result = ended(&ran);
    for scenario in ["nominal", "peak"] {
        let hold = step(&result, scenario, "hold");
        assert_balanced(hold);
        assert_eq!((hold["failed"].as_u64(), hold["aborted"].as_u64()), (Some(0), Some(0)), "{hold:#}");
        let accepted = count(hold, "ping", "accepted");
        assert!(accepted > 0 && accepted == count(hold, "ping", "reply"), "{hold:#}");
        // A Pong is sent when its Ping is accepted and stored: it cannot have been there before the request.
        assert!(leg(hold, "ping", "ok")["response_ms"]["min"].as_f64().unwrap() > 0.0);
    }
    assert_reconciled(&result, "stored", 40);
    assert_reconciled(&result, "answered", 40);
    let dutch = place.loadproof(&["report", "run", "--lang", "nl", "--format", "html", "--format", "docx"]);
    assert!([0, 3].contains(&dutch.code), "{dutch:#?}");
    let page = std::fs::read_to_string(place.path().join("run/report.nl.html")).unwrap();
    for term in ["Managementsamenvatting", "Testopzet", "Gem", "lang=\"nl\""] {
        assert!(page.contains(term), "{term}");
    }
}

#[test]
fn a_withheld_acknowledgment_is_asked_for_again_and_nothing_is_lost() {
    let place = studies("reliable.yaml", &[]);
    let ran = run(&place, "reliable.yaml", &["hold=12s", "ramp=3s", "quiet=3s", "withheld=5%"]);
    let result = ended(&ran);
    let hold = step(&result, "steady", "hold");
    assert_balanced(hold);
    assert_eq!(hold["failed"], 0, "{hold:#}");
    let acknowledged = count(hold, "order", "acknowledged");
    assert_eq!(acknowledged, hold["completed"].as_u64().unwrap());
    assert_reconciled(&result, "nothing_lost", 20);
    // The agreements ask again after two seconds: some acknowledgments took that long, most did not.
    let exchanges = hold["exchanges"].as_array().unwrap();
    let legs = exchanges[0]["legs"].as_array().unwrap();
    let times = &legs.iter().find(|it| it["id"] == "acknowledged" && it["outcome"] == "ok").unwrap()["response_ms"];
    assert!(times["max"].as_f64().unwrap() >= 2000.0, "{times:#}");
    assert!(times["p50"].as_f64().unwrap() < 2000.0, "{times:#}");
    // What was sent again is counted by the driver, and stands among what was watched.
    let series = std::fs::read_to_string(place.path().join("run/tables/system-0-steady-table.csv")).unwrap();
    let row = series.lines().find(|line| line.starts_with("drivers.resends,ebms,")).unwrap();
    assert!(row.split(',').nth(6).unwrap().parse::<f64>().unwrap() > 0.0, "{row}");
}

#[test]
fn replies_that_never_come_are_missing_and_the_run_says_so() {
    // Pongs go where nobody listens.
    let place = studies(
        "nominal-and-peak.yaml",
        &[
            ("--pong-to $(listeners.pong.url)", "--pong-to http://127.0.0.1:9"),
            ("reply: { within: 30s }", "reply: { within: 2s }"),
        ],
    );
    let ran = run(&place, "embedded.yaml", &["hold=8s", "ramp=2s", "quiet=3s"]);
    let result = ran.json();
    // The books hold on any machine; one that spoils the run may take verdicts away.
    let is_invalid = result["validity"]["state"] == "invalid";
    assert!(ran.code == 1 || (is_invalid && ran.code == 3), "{ran:#?}");
    let hold = step(&result, "nominal", "hold");
    assert_balanced(hold);
    assert_eq!((hold["completed"].as_u64(), hold["failed"].as_u64()), (Some(0), hold["started"].as_u64()), "{hold:#}");
    assert_eq!(count(hold, "ping", "accepted"), hold["started"].as_u64().unwrap(), "they were accepted all the same");
    for it in verdicts(&result, "answered") {
        assert!(it["verdict"] == "not_met" || (is_invalid && it["verdict"] == "cannot_tell"), "{it:#}");
    }
}

#[test]
fn a_listener_whose_port_is_in_use_is_told_before_anything_starts() {
    let holder = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = holder.local_addr().unwrap().port();
    let listeners = format!("listeners: {{ pong: {{ http: {{ port: {port} }} }} }}");
    let place = studies("nominal-and-peak.yaml", &[("listeners: { pong: http }", &listeners)]);
    let ran = place.loadproof(&["run", "embedded.yaml", "--for", "12s", "--out", "run"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("listener `pong` cannot listen at") && ran.stderr.contains("free one"), "{ran:#?}");
    assert!(!place.path().join("run").exists());
}

#[test]
fn a_database_that_is_killed_and_comes_back_keeps_what_was_accepted() {
    let start = "system-mariadb --port $(port) --sql-port $(port.sql) --data $(scratch)/mariadb";
    let dying = format!("{start} --restart-after 1s");
    let place = studies("nominal-and-peak.yaml", &[(start, &dying)]);
    let set = ["hold=20s", "ramp=2s", "quiet=3s", "nominal=4/s", "peak=6/s"];
    let mut arguments = vec!["run", "nominal-and-peak.yaml", "--out", "run", "--json"];
    arguments.extend(set.iter().flat_map(|one| ["--set", one]));
    let child = place.start(&arguments);
    e2e::kill_under_load(&child, &place.path().join("run"), "mariadbd");
    let result = ended(&e2e::wait(child));
    let (mut accepted, mut failed) = (0, 0);
    for scenario in ["nominal", "peak"] {
        for step in result["scenarios"].as_array().unwrap().iter().find(|it| it["id"] == scenario).unwrap()["steps"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["exchanges"].as_array().is_some_and(|exchanges| !exchanges.is_empty()))
        {
            assert_balanced(step);
            accepted += count(step, "ping", "accepted");
            failed += step["failed"].as_u64().unwrap();
        }
    }
    assert!(failed > 0, "the outage shows: {result:#}");
    // What was accepted was stored, whatever happened between the two. A Ping that was stored just before the server
    // died may have had no answer, so there may be more of them.
    let stored: f64 = verdicts(&result, "answered").iter().map(|it| it["value"].as_f64().unwrap()).sum();
    assert!(stored >= accepted as f64, "{stored} Pongs are stored for {accepted} accepted Pings");
}

#[test]
fn a_peak_that_breaks_is_not_called_controlled() {
    // Two places of twenty milliseconds take a hundred messages a second, and 160 are sent.
    let place = studies("overload.yaml", &[]);
    let set = ["hold=20s", "ramp=2s", "quiet=3s", "pool=2", "nominal=3/s", "peak=8/s"];
    let ran = run(&place, "overload.yaml", &set);
    let result = ended(&ran);
    let hold = step(&result, "peak", "hold");
    assert_balanced(hold);
    let accepted = leg(hold, "ping", "ok");
    assert!(accepted["response_ms"]["max"].as_f64().unwrap() > 1000.0, "{hold:#}");
    let controlled = verdicts(&result, "controlled");
    assert!(controlled.iter().all(|it| it["verdict"] != "met"), "{controlled:#?}");
    if result["validity"]["state"] != "invalid" {
        assert!(controlled.iter().any(|it| it["verdict"] == "not_met"), "{controlled:#?}");
    }
}
