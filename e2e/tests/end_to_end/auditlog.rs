//! An audit log, by the ready studies: lookups searched by the NSP rule, a replica that runs out of memory, and registrations
//! from the call to the table.
#![allow(clippy::unwrap_used, reason = "a test")]

mod kafka;

use e2e::{Place, Ran, assert_balanced, requirement, root, step};
use serde_json::Value;

fn run(place: &Place, study: &str, arguments: &[&str]) -> (Ran, Value) {
    let study = root().join("studies/auditlog").join(study);
    let ran = place.loadproof(&[&["run", &study.to_string_lossy(), "--out", "run"], arguments].concat());
    // Many short verdicts cannot be told, and what is lost on purpose breaks a requirement.
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    (ran, place.result("run"))
}

#[test]
fn lookups_are_searched_for_their_limit_and_each_is_answered() {
    for (study, scenario) in [("citizen.yaml", "citizen"), ("on-behalf-of.yaml", "on_behalf_of")] {
        let place = Place::new();
        let (ran, result) = run(&place, study, &["--for", "20s"]);
        assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
        let search = &result["searches"][0];
        assert_eq!((&search["name"], &search["rule"]), (&scenario.into(), &"nsp".into()), "{search:#}");
        let attempts = search["attempts"].as_array().unwrap();
        assert_eq!(attempts[0]["load"], 10.0, "{search:#}");
        for number in 1..=attempts.len() {
            let hold = step(&result, &format!("{scenario}_{number}"), "hold");
            assert_balanced(hold);
            assert_eq!(hold["failed"], 0, "{ran:#?}");
            assert!(hold["completed"].as_u64().unwrap() > 0, "{ran:#?}");
        }
        // The token of the set-up is a credential: nothing that is written shows it.
        let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
        assert!(!report.contains("SignatureValue"));
    }
}

#[test]
fn a_replica_that_runs_out_of_memory_is_lost_and_the_other_one_goes_on() {
    let place = Place::new();
    let (ran, result) = run(&place, "out-of-memory.yaml", &["--set", "seconds=30s", "--set", "leak=400kB"]);
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    let hold = step(&result, "leaking", "hold");
    assert_balanced(hold);
    // Some hundred of its calls fill 64 MiB; those in its hands are lost with it, and the other one has the rest.
    let (intended, completed) = (hold["intended"].as_u64().unwrap(), hold["completed"].as_u64().unwrap());
    assert!(intended == 600 && completed > 500, "{hold:#}");
    assert_ne!(requirement(&result, "alive")["verdict"], "met", "{result:#}");
    let findings = result["findings"].as_array().unwrap();
    let down = findings.iter().find(|finding| finding["rule"] == "DOWN");
    let down = down.unwrap_or_else(|| panic!("{ran:#?} {findings:#?}"));
    assert!(down.to_string().contains("lookup.1") && !down.to_string().contains("lookup.2"), "{down:#}");
}

/// A ready study of registrations with a scenario of its own, small and without a search; its name comes before.
const FEW: &str = "study: A few registrations
scenarios:
  few:
    load: { arrivals: [ { rate: 1/s, for: 4s }, { rate: 2/s, for: 4s } ], max_in_flight: 60, nodes: 1 }
    set_up: [ sign_in: per node ]
    run: [register]
    idle: 3s
    recovery: { until: drained(local.lag) and drained(central.lag), at_most: 2m }
order: [few]
";

/// The studies of the folder, with `FEW` of one of them beside them.
fn studies(place: &Place, of: &str) {
    let from = root().join("studies/auditlog");
    std::fs::create_dir(place.path().join("data")).unwrap();
    for folder in ["", "data"] {
        for entry in std::fs::read_dir(from.join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                std::fs::copy(entry.path(), place.path().join(folder).join(entry.file_name())).unwrap();
            }
        }
    }
    place.file("few.yaml", &format!("include: [{of}]\n{FEW}"));
}

#[test]
fn registrations_are_the_same_number_in_calls_logs_and_table() {
    let place = Place::new();
    studies(&place, "registration.yaml");
    let ran = place.loadproof(&["run", "few.yaml", "--out", "run", "--set", "members=6"]);
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    let mut completed = 0;
    for (id, intended) in [("hold 1", 4), ("hold 2", 8)] {
        let hold = step(&result, "few", id);
        assert_balanced(hold);
        assert_eq!((&hold["intended"], &hold["failed"]), (&intended.into(), &0.into()), "{hold:#}");
        completed += hold["completed"].as_u64().unwrap();
    }
    assert!(completed > 0, "{ran:#?}");
    for (id, each) in [("sent", 1), ("local", 500), ("central", 500), ("stored", 475)] {
        let found = requirement(&result, id);
        assert_eq!(found["reason_code"], "reconciled", "{found:#}");
        assert_eq!(found["value"].as_f64().unwrap(), (completed * each) as f64, "{found:#}");
    }
}

/// A log whose disk is full in the middle of a hold, the one before the mirror or the one behind it: calls that it refuses
/// have failed, what it accepted is stored, and what never arrives is never called right.
#[test]
fn a_log_that_is_full_is_never_called_right_and_what_it_accepted_is_found_again() {
    for full in ["local", "central"] {
        let place = Place::new();
        studies(&place, "registration.yaml");
        let text = std::fs::read_to_string(place.path().join("registration.yaml")).unwrap();
        // Three or four calls of 500 registrations find room.
        let data = format!("--data $(scratch)/{full}");
        let small = text.replace(&format!("--most 40GB {data}"), &format!("--most 400kB {data}"));
        assert_ne!(small, text);
        std::fs::write(place.path().join("registration.yaml"), small).unwrap();
        // What the mirror cannot hand on is not waited for.
        place
            .file("few.yaml", &format!("include: [registration.yaml]\n{}", FEW.replace("at_most: 2m", "at_most: 10s")));
        let ran = place.loadproof(&["run", "few.yaml", "--out", "run", "--set", "members=6", "--set", "taking=50ms"]);
        assert!([1, 3].contains(&ran.code), "{full}: {ran:#?}");
        let result = place.result("run");
        assert_eq!(result["run"]["end_reason"], "completed", "{full}: {ran:#?}");
        let holds = ["hold 1", "hold 2"].map(|id| step(&result, "few", id));
        holds.iter().for_each(|hold| assert_balanced(hold));
        let sum = |what: &str| holds.iter().map(|hold| hold[what].as_u64().unwrap()).sum::<u64>();
        let (completed, failed) = (sum("completed"), sum("failed"));
        assert_eq!(completed + failed, 12, "{full}: {ran:#?}");
        let verdict = |id: &str| requirement(&result, id)["verdict"].as_str().unwrap().to_owned();
        let value = |id: &str| requirement(&result, id)["value"].as_f64().unwrap();
        if full == "local" {
            assert!(completed >= 1 && failed >= 6, "{ran:#?}");
            assert_ne!(verdict("sent"), "met", "{ran:#?}");
            assert_ne!(verdict("errors"), "met", "{ran:#?}");
            // What was accepted, and nothing of what was refused, is in both logs and in the table.
            for (id, each) in [("local", 500), ("central", 500), ("stored", 475)] {
                assert_eq!((verdict(id).as_str(), value(id)), ("met", (completed * each) as f64), "{id}: {ran:#?}");
            }
        } else {
            // All were accepted; the central log has what found room in it, and the store has no more than that.
            assert_eq!((failed, verdict("local").as_str()), (0, "met"), "{ran:#?}");
            assert_ne!(verdict("central"), "met", "{ran:#?}");
            assert_ne!(verdict("stored"), "met", "{ran:#?}");
            assert_ne!(verdict("soon"), "met", "{ran:#?}");
        }
    }
}

/// The same through two real clusters of Kafka into a MariaDB: with twelve consumers on each of two hosts, one host has all
/// twelve partitions.
#[test]
#[ignore = "two brokers and a MariaDB take up to a minute to start; `make parts`, then `cargo test -p e2e kafka -- --ignored`"]
fn registrations_through_kafka_are_all_stored_and_idle_members_are_named() {
    let place = Place::alone();
    studies(&place, "registration-kafka.yaml");
    let ran = place.loadproof(&["run", "few.yaml", "--out", "run"]);
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    let holds = ["hold 1", "hold 2"].map(|id| step(&result, "few", id));
    holds.iter().for_each(|hold| assert_balanced(hold));
    let completed: u64 = holds.iter().map(|hold| hold["completed"].as_u64().unwrap()).sum();
    assert!(completed > 0, "{ran:#?}");
    for (id, each) in [("sent", 1), ("local", 500), ("central", 500), ("through", 500), ("stored", 475)] {
        let found = requirement(&result, id);
        assert_eq!(found["reason_code"], "reconciled", "{found:#}");
        assert_eq!(found["value"].as_f64().unwrap(), (completed * each) as f64, "{found:#}");
    }
    let findings = result["findings"].as_array().unwrap();
    let idle = findings.iter().find(|finding| finding["rule"] == "IDLE-MEMBERS");
    let idle = idle.unwrap_or_else(|| panic!("{ran:#?} {findings:#?}"));
    assert!(idle.to_string().contains("consumer.1") && !idle.to_string().contains("consumer.2"), "{idle:#}");
    let report = std::fs::read_to_string(place.path().join("run/report.da.html")).unwrap();
    for words in ["6 på hver af de 2 værter", "Apache Kafka 4.", "registrations / 11", "Behandlet pr. vært"] {
        assert!(report.contains(words), "{words}");
    }
}
