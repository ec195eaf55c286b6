//! An analytics server, by the ready studies: what is accepted, what is durable, and what is read.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, Ran, assert_balanced, requirement, root, step};
use serde_json::Value;

fn run(place: &Place, study: &str, arguments: &[&str]) -> (Ran, Value) {
    let study = root().join("studies/analytics").join(study);
    let ran = place.loadproof(&[&["run", &study.to_string_lossy(), "--out", "run"], arguments].concat());
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    (ran, place.result("run"))
}

#[test]
fn every_event_that_is_acknowledged_is_accepted_and_durable() {
    let place = Place::new();
    let (ran, result) = run(&place, "ingest.yaml", &["--set", "total=200000", "--set", "memory=4MB"]);
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    let hold = step(&result, "ingest", "hold");
    assert_balanced(hold);
    assert_eq!((&hold["intended"], &hold["failed"]), (&2000.into(), &0.into()), "200,000 events in bundles of 100");
    for rule in ["accepted", "durable"] {
        let found = requirement(&result, rule);
        // With the warm-up, a tenth more.
        assert_eq!((&found["verdict"], &found["value"]), (&"met".into(), &220_000.0.into()), "{found:#}");
    }
}

#[test]
fn records_that_a_run_has_filled_in_are_read_by_it() {
    let place = Place::new();
    let (ran, result) = run(&place, "reads.yaml", &["--set", "total=50000", "--set", "hold=4s", "--set", "readers=8"]);
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    assert_eq!(requirement(&result, "filled")["value"], 50_000.0, "{ran:#?}");
    let reads = step(&result, "reads", "hold");
    assert_balanced(reads);
    // Of 40,000 houses in 50,000 events a quarter has none: such a read finds an empty list, which is not right.
    let (completed, failed) = (reads["completed"].as_u64().unwrap(), reads["failed"].as_u64().unwrap());
    assert!(completed > 0 && failed > 0, "{reads:#}");
    let share = failed as f64 / (completed + failed) as f64;
    assert!((share - (-1.25f64).exp()).abs() < 0.1, "{share}");
}
