//! Scenarios for each combination of variables.

use super::fakes::{load, study};
use crate::model::*;

const HEAD: &str = "study: Grids
vars: { rate: 1/s, open: 5, size: 10B }
system: { name: shop, url: \"http://127.0.0.1:1\", identity: { expect: { a: b } } }
exchanges: { a: { http.get: { url: x } }, held: { http.listen: { url: x } } }
";

fn codes(text: &str) -> Vec<(&'static str, String)> {
    let rejected = load(&format!("{HEAD}{text}")).err().unwrap_or_else(|| panic!("accepted: {text}"));
    rejected.mistakes.0.into_iter().map(|mistake| (mistake.code, mistake.message)).collect()
}

#[test]
fn each_combination_is_a_scenario_the_first_variable_outermost() {
    let found = study(&format!(
        "{HEAD}scenarios:
  calm: {{ load: {{ users: 1, hold: 1m }}, run: [a] }}
  held: {{ grid: {{ rate: [1/s, 5/s], open: [100, 200] }}, repeat: 3, set: {{ size: 20B, open: 7 }}, load: {{ connections: $(open), each: $(rate), hold: 1m }}, run: [held] }}
order: [held, calm]
requirements:
  right: {{ that: share(held.failed) <= 1%, scenarios: [held], severity: {{ held: should }} }}
"
    ));
    let names: Vec<&str> = found.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    let grid = ["held_rate_1_s_open_100", "held_rate_1_s_open_200", "held_rate_5_s_open_100", "held_rate_5_s_open_200"];
    assert_eq!(names, [&grid[..], &["calm"]].concat());
    let loads: Vec<_> = found.scenarios[..4].iter().map(|scenario| scenario.parts[0].load.model.clone()).collect();
    let of = |count, each| Model::Connections { count, each: Some(each), expected: None };
    assert_eq!(loads, [of(100, 1.0), of(200, 1.0), of(100, 5.0), of(200, 5.0)]);
    // What the scenario sets itself stays, but for what the grid binds.
    let set = &found.scenarios[3].set;
    assert_eq!(set.iter().find(|(name, _)| name == "size").map(|(_, value)| value.as_str()), Some("20B"));
    assert_eq!(set.iter().filter(|(name, _)| name == "open").count(), 1);
    let applies: Vec<_> = found.requirements[0].applies.iter().map(|it| (it.scenario, it.severity)).collect();
    assert_eq!(applies, (0..4).map(|number| (number, terms::Severity::Should)).collect::<Vec<_>>());
    let again = study(&found.effective);
    assert_eq!(again.scenarios.len(), 5, "{}", found.effective);
    // Each knows its place, and so does what is written of it.
    let cells = |study: &Study| {
        let cell = |scenario: &Scenario| (scenario.cell.clone(), scenario.repeat);
        study.scenarios.iter().map(cell).collect::<Vec<_>>()
    };
    assert_eq!(cells(&again), cells(&found));
    let grid = Cell { grid: "held".into(), variables: vec!["rate".into(), "open".into()] };
    assert_eq!(cells(&found)[3], (Some(grid), 3));
    assert_eq!(cells(&found)[4], (None, 1));
    assert_eq!(found.scenarios[3].cell_values(), [("rate", "5/s"), ("open", "200")]);
}

#[test]
fn names_are_those_of_the_language() {
    let one = |values: &str| {
        let text = format!(
            "{HEAD}scenarios: {{ calm: {{ grid: {{ size: [{values}] }}, load: {{ users: 1, hold: 1m }}, run: [a] }} }}\n"
        );
        study(&text).scenarios.iter().map(|scenario| scenario.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(one("1.5kB, 2kB"), ["calm_size_1_5kB", "calm_size_2kB"]);
    // Values that differ by signs alone, or are too long, are numbered.
    assert_eq!(one("1-5, 1.5"), ["calm_size_1_5", "calm_2"]);
    let long = "9".repeat(70);
    assert_eq!(one(&format!("{long}, 1")), ["calm_1", "calm_size_1"]);
}

#[test]
fn what_makes_no_grid_is_refused() {
    let of = |grid: &str| {
        codes(&format!("scenarios: {{ calm: {{ grid: {grid}, load: {{ users: 1, hold: 1m }}, run: [a] }} }}\n"))
    };
    for (grid, code) in [
        ("[1, 2]", "study::wrong-type"),
        ("{ open: 5 }", "study::wrong-type"),
        ("{ open: [] }", "study::wrong-type"),
        ("{ open: [[1]] }", "study::wrong-type"),
        ("{}", "study::wrong-type"),
        ("{ opn: [1, 2] }", "study::unknown-name"),
    ] {
        let found = of(grid);
        assert!(found.iter().any(|(found, _)| *found == code), "{grid}: {found:?}");
    }
    let many: Vec<String> = (0..15).map(|number| number.to_string()).collect();
    let many = many.join(", ");
    assert_eq!(of(&format!("{{ open: [{many}], size: [{many}] }}"))[0].0, "study::too-large");
}

#[test]
fn adapting_tries_the_next_value_only_while_a_rule_holds() {
    let found = study(&format!(
        "{HEAD}scenarios:
  calm: {{ grid: {{ open: [100, 200] }}, adapt: {{ size: [500B, 250B, 60B], again: share(a.failed) > 0% and p99(a.response) < 1s }}, load: {{ users: $(open), hold: 1m }}, run: [a] }}
requirements:
  right: {{ that: share(a.failed) <= 1%, scenarios: [calm] }}
"
    ));
    let names: Vec<&str> = found.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!(names[..3], ["calm_open_100_size_500B", "calm_open_100_size_250B", "calm_open_100_size_60B"]);
    assert_eq!((names.len(), found.requirements[0].applies.len()), (6, 6));
    let of = |scenario: &Scenario| scenario.only_if.as_ref().map(|only_if| only_if.of);
    let depends: Vec<_> = found.scenarios.iter().map(of).collect();
    assert_eq!(depends, [None, Some(0), Some(1), None, Some(3), Some(4)]);
    assert_eq!(found.scenarios[5].cell_values(), [("open", "200"), ("size", "60B")]);
    assert_eq!(found.scenarios[1].only_if.as_ref().unwrap().rule.clauses.len(), 2);
    // What is written of it is the same once more.
    let again = study(&found.effective);
    assert_eq!(again.scenarios.iter().map(of).collect::<Vec<_>>(), depends, "{}", found.effective);
    let alone = study(&format!(
        "{HEAD}scenarios: {{ calm: {{ adapt: {{ size: [500B, 250B], again: share(a.failed) > 0% }}, load: {{ users: 1, hold: 1m }}, run: [a] }} }}\n"
    ));
    assert_eq!(alone.scenarios[1].name, "calm_size_250B");
    for (adapt, code) in [
        ("{ size: [500B], again: share(a.failed) > 0% }", "study::wrong-type"),
        ("{ size: [500B, 250B] }", "study::wrong-type"),
        ("{ size: [500B, 250B], open: [1, 2], again: share(a.failed) > 0% }", "study::wrong-type"),
        ("{ size: [500B, 250B], again: share(b.failed) > 0% }", "study::unknown-name"),
    ] {
        let text = format!("scenarios: {{ calm: {{ adapt: {adapt}, load: {{ users: 1, hold: 1m }}, run: [a] }} }}\n");
        let found = codes(&text);
        assert!(found.len() == 1 && found[0].0 == code, "{adapt}: {found:?}");
    }
}
