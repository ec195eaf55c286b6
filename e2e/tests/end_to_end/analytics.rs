//! An analytics server, by the ready studies: what is accepted, what is durable, what is read, and what analyzers find.
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
    let memory = requirement(&result, "generator");
    assert_eq!(memory["verdict"], "met", "{memory:#}");
    assert!(memory["value"].as_f64().is_some_and(|bytes| bytes > 1e6 && bytes < 100e6 * 1.048_576), "{memory:#}");
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

/// Queries over what the same run filled in and exported, by one, two and three analyzers with an engine.
fn queries_are_right(study: &str, engine: &str) {
    let place = Place::new();
    let (ran, result) = run(&place, study, &["--set", "total=20000", "--set", "articles=1000", "--set", "rounds=2"]);
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    for rule in ["filled", "exported"] {
        assert_eq!(requirement(&result, rule)["verdict"], "met", "{ran:#?}");
    }
    for analyzers in 1..=3 {
        let scenario = format!("queries_analyzers_{analyzers}");
        let hold = step(&result, &scenario, "hold");
        assert_balanced(hold);
        // Each of the eight has checked what it found: rows, groups, means, and the pages that were filled in.
        assert_eq!((&hold["completed"], &hold["failed"]), (&2.into(), &0.into()), "{scenario}: {hold:#}");
    }
    let right: Vec<&Value> =
        result["requirements"].as_array().unwrap().iter().filter(|found| found["id"] == "right").collect();
    assert_eq!(right.len(), 3, "{right:#?}");
    assert!(right.iter().all(|found| found["value"] == 0.0), "{right:#?}");
    let facts = std::fs::read_to_string(place.path().join("run/evidence/run.json")).unwrap();
    assert!(facts.contains(engine), "the record says which engine it was");
}

#[test]
fn batch_queries_are_right_by_one_two_and_three_analyzers() {
    queries_are_right("queries.yaml", "DuckDB");
}

#[test]
#[ignore = "needs Spark (`make spark`, 500 MB) and three Java machines at once; run with `-- --ignored spark`"]
fn batch_queries_of_spark_are_right_by_one_two_and_three_analyzers() {
    queries_are_right("queries-spark.yaml", "Spark");
}
