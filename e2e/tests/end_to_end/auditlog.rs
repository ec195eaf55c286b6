//! Lookups in an audit log, by the ready studies: a search by the NSP rule, and a replica that runs out of memory.
#![allow(clippy::unwrap_used, reason = "a test")]

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
