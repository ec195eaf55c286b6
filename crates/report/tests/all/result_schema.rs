//! `docs/result.schema.json` is what `result.json` is: no field more, none less. The schema is written by hand; since it
//! leaves nothing open, what the writer adds or renames fails here until the schema has it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::Fixture;
use judge::comparison::{Difference, RowVerdict};
use serde_json::{Value, json};

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../docs/result.schema.json")).unwrap()
}

fn result(fixture: &Fixture) -> Value {
    serde_json::from_str(&report::result_json(&fixture.input())).unwrap()
}

/// What is wrong with it, a line a mistake.
fn mistakes(result: &Value) -> Vec<String> {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    validator.iter_errors(result).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// A run that compares two workloads, which differ in their load.
fn compared() -> Fixture {
    let mut fixture = crate::fixture::fixture();
    let row = crate::repeated::row;
    let rows = vec![row("mean", 10.0, 12.0, RowVerdict::Different), row("p95", 20.0, 8000.0, RowVerdict::CannotTell)];
    fixture.judgement.comparisons = vec![crate::repeated::comparison(rows)];
    fixture.judgement.comparisons[0].pairs[0].differences.push(Difference {
        aspect: "load".into(),
        name: "nominal arrivals".into(),
        scope: None,
        base: "3/s".into(),
        other: "20/s".into(),
        forbids: true,
    });
    fixture
}

/// A run with a transaction, whose calls are those of its first exchange.
fn as_one() -> Fixture {
    let mut fixture = crate::fixture::fixture();
    for step in &mut fixture.judgement.steps {
        let whole =
            step.exchanges.first().map(|first| judge::ExchangeResult { id: "checkout".into(), ..first.clone() });
        step.transactions.extend(whole);
    }
    fixture
}

/// A run of which nothing is left but its head.
fn empty() -> Fixture {
    let mut fixture = crate::fixture::killed();
    fixture.judgement.steps.clear();
    fixture.judgement.requirements.clear();
    fixture.judgement.findings.clear();
    fixture
}

#[test]
fn the_result_of_every_kind_of_run_fits() {
    for (name, fixture) in [
        ("completed, with failures and verdicts of each kind", crate::fixture::fixture()),
        ("broken off", crate::fixture::killed()),
        ("nothing recorded", empty()),
        ("messages and streams", crate::fixture::messaging()),
        ("capacity", crate::capacity::fixture()),
        ("comparison", compared()),
        ("transactions", as_one()),
        ("a grid", crate::grids::gridded()),
    ] {
        assert_eq!(mistakes(&result(&fixture)), Vec::<String>::new(), "{name}");
    }
    // Without its study, a run still has a result.
    let fixture = crate::fixture::fixture();
    let input = report::Input { study: None, ..fixture.input() };
    assert_eq!(mistakes(&serde_json::from_str(&report::result_json(&input)).unwrap()), Vec::<String>::new());
}

#[test]
fn a_field_that_is_missing_or_misspelt_does_not_fit() {
    let whole = result(&compared());
    for place in ["", "/run", "/validity/signs/0", "/scenarios/0/steps/0", "/requirements/0", "/findings/0"] {
        for key in whole.pointer(place).unwrap().as_object().unwrap().keys().filter(|key| *key != "comparisons") {
            let mut other = whole.clone();
            let map = other.pointer_mut(place).unwrap().as_object_mut().unwrap();
            let value = map.remove(key).unwrap();
            assert!(!mistakes(&other).is_empty(), "{place}/{key} is missing");
            let map = other.pointer_mut(place).unwrap().as_object_mut().unwrap();
            map.insert(key.clone(), value);
            map.insert(format!("{key}_"), Value::Null);
            assert!(!mistakes(&other).is_empty(), "{place}/{key}_ is unknown");
        }
    }
    for (place, wrong) in [
        ("/schema", json!("loadproof/result/2")),
        ("/requirements/0/verdict", json!("passed")),
        ("/requirements/0/value", json!("27 ms")),
        ("/scenarios/0/steps/0/started", json!(-1)),
    ] {
        let mut other = whole.clone();
        *other.pointer_mut(place).unwrap() = wrong;
        assert!(!mistakes(&other).is_empty(), "{place}");
    }
}

/// Objects that list their fields are closed and demand each of them; maps say of what.
fn open_places(schema: &Value, place: &str, found: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().map(|key| key.as_str().unwrap()).collect();
        let left: Vec<&String> = properties.keys().filter(|key| !required.contains(&key.as_str())).collect();
        if schema["additionalProperties"] != false || !left.is_empty() && schema["maxProperties"] != 1 {
            found.push(format!("{place}: {left:?}"));
        }
    }
    match schema {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| open_places(value, &format!("{place}/{key}"), found));
        }
        Value::Array(list) => list.iter().for_each(|value| open_places(value, place, found)),
        _ => {}
    }
}

#[test]
fn only_comparisons_may_be_absent() {
    let mut found = Vec::new();
    open_places(&schema(), "", &mut found);
    assert_eq!(found, [": [\"comparisons\"]"]);
}

/// Calls that ended with their time took longer than it: so did the slowest, and all on average.
#[test]
fn mean_and_greatest_time_of_what_was_cut_off_are_lower_bounds() {
    let mut fixture = crate::fixture::fixture();
    let hold = fixture.judgement.steps.iter_mut().find(|step| step.id == "hold").unwrap();
    let legs = &mut hold.exchanges[0].legs;
    legs.iter_mut().for_each(|leg| leg.classes.retain(|(class, _)| class != "timeout"));
    legs.iter_mut().filter(|leg| leg.outcome == "all").for_each(|leg| leg.classes.push(("timeout".into(), 2)));
    let result = result(&fixture);
    assert_eq!(mistakes(&result), Vec::<String>::new());
    let steps =
        result["scenarios"].as_array().unwrap().iter().flat_map(|scenario| scenario["steps"].as_array().unwrap());
    let hold = steps.into_iter().find(|step| step["id"] == "hold").unwrap();
    for leg in hold["exchanges"][0]["legs"].as_array().unwrap() {
        let times = [&leg["response_ms"], &leg["service_ms"]].into_iter().find(|times| !times.is_null()).unwrap();
        let censored = times["censored"].as_array().unwrap();
        for name in ["mean", "max"] {
            assert_eq!(censored.contains(&name.into()), leg["outcome"] == "all", "{leg:#}");
        }
    }
}
