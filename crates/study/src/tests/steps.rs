//! One step of a grid named in a rule.

use super::fakes::{archived, load, load_in, study};
use crate::model::Study;
use crate::model::rule::{Clause, Expression, Statistic};
use std::path::Path;

fn text(rule: &str) -> String {
    format!(
        "study: Steps
vars: {{ rate: 5/s, kind: lamp, low: 300/m }}
system: {{ name: shop, url: \"http://127.0.0.1:1\", identity: {{ expect: {{ a: b }} }} }}
exchanges: {{ look: {{ http.get: {{ url: \"http://127.0.0.1:1/$(kind)\" }} }} }}
scenarios:
  busy: {{ load: {{ arrivals: $(rate), hold: 5m }}, run: [look], grid: {{ rate: [5/s, 10/s], kind: [lamp, desk-light] }} }}
  peak: {{ load: {{ arrivals: 50/s, hold: 5m }}, run: [look] }}
requirements:
  it: \"{rule}\"
"
    )
}

fn read(rule: &str) -> Study {
    study(&text(rule))
}

/// Where each statistic looks, by the names of scenarios; the rule's own comes first.
fn places(study: &Study) -> Vec<&str> {
    let name = |number: usize| study.scenarios[number].name.as_str();
    let [only] = &study.requirements[0].applies[..] else { panic!("judged more than once") };
    let statistics =
        |sums: &[Expression]| -> Vec<Statistic> { sums.iter().flat_map(Expression::statistics).cloned().collect() };
    let mut found = vec![name(only.scenario)];
    for clause in &only.rule.clauses {
        match clause {
            Clause::Compare { sums, .. } => found.extend(
                statistics(sums).iter().map(|statistic| name(statistic.series.scenario.unwrap_or(only.scenario))),
            ),
            Clause::Change(change) => found.extend([name(change.base), name(change.other)]),
            Clause::State { .. } => panic!("a state"),
        }
    }
    found
}

#[test]
fn a_step_is_the_scenario_whose_variables_have_these_values() {
    let of = |rule: &str| places(&read(rule)).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let (low, high) = ("busy_rate_5_s_kind_lamp", "busy_rate_10_s_kind_lamp");
    // The names that a grid gives, which nobody has to know.
    let names: Vec<String> = read("share(look.failed) < 1%").scenarios.iter().map(|it| it.name.clone()).collect();
    assert!(names.iter().any(|name| name == low) && names.iter().any(|name| name == high), "{names:?}");
    assert_eq!(of("p95(busy(rate: 5/s, kind: lamp)/look.response) < 1s"), [low, low]);
    // In whatever order, and however a number is written.
    assert_eq!(of("p95(busy(kind: lamp, rate: 300/m)/look.response) < 1s"), [low, low]);
    assert_eq!(of("p95(busy(kind: lamp, rate: $(low))/look.response) < 1s"), [low, low]);
    assert_eq!(of("p95(busy(kind: desk-light, rate: 5/s)/look.response) < 1s")[0], names[1]);
    let two = "p95(busy(rate: 10/s, kind: lamp)/look.response) <= 2 * p95(busy(rate: 5/s, kind: lamp)/look.response)";
    assert_eq!(of(two), [high, high, low]);
    let change = "change(p95(look.response), busy(rate: 5/s, kind: lamp), busy(rate: 10/s, kind: lamp)) <= 10%";
    assert_eq!(of(change), [high, low, high]);
    assert_eq!(of("change(p95(look.response), busy(rate: 5/s, kind: lamp), peak) <= 10%"), ["peak", low, "peak"]);
    // A run folder says the same.
    let found = read(two);
    let again =
        load_in(Path::new("/nonexistent"), &found.effective, &archived()).unwrap_or_else(|why| panic!("{why}")).0;
    assert_eq!(places(&again), places(&found));
    assert_eq!(again.requirements[0].applies[0].rule.text, two);
}

#[test]
fn a_step_that_is_not_there_is_told_with_those_that_are() {
    let all = "busy(rate: 5/s, kind: lamp); busy(rate: 5/s, kind: desk-light); busy(rate: 10/s, kind: lamp); busy(rate: 10/s, kind: desk-light)";
    for (place, code, what, help) in [
        ("busy(rate: 7/s)/", "study::unknown-name", "`busy` has no step `rate: 7/s`", all),
        ("busy(rate: 5/s, kind: lmap)/", "study::unknown-name", "`busy` has no step `rate: 5/s, kind: lmap`", all),
        ("busy(rate: 5)/", "study::unknown-name", "`busy` has no step `rate: 5`", all),
        (
            "busy(rate: 5/s)/",
            "study::conflict",
            "`rate: 5/s` matches several steps of `busy`",
            "possible: busy(rate: 5/s, kind: lamp); busy(rate: 5/s, kind: desk-light)",
        ),
        ("busy(rat: 5/s)/", "study::unknown-name", "rat", "did you mean `rate`?"),
        ("bsuy(rate: 5/s)/", "study::unknown-name", "bsuy", "did you mean `busy`?"),
        ("busy/", "study::unknown-name", "`busy` is a grid, of which one step is needed here", all),
        ("peak(rate: 5/s)/", "study::unknown-name", "`peak` has no grid, so it has no steps", "write `peak`"),
        ("busy(rate: 5/s, kind: lamp).", "study::rule-syntax", "`busy` is a step of a grid", "write `/`"),
        ("busy(rate 5/s)/", "study::rule-syntax", "`5/s` found where `:` is expected", "`:` is expected here"),
        ("busy()/", "study::rule-syntax", "`)` found where the name of a variable is expected", ""),
        ("busy(rate: )/", "study::rule-syntax", "`)` found where a value of the variable is expected", ""),
        ("busy(rate: 5/s/", "study::rule-syntax", "", ""),
    ] {
        let rule = format!("p95({place}look.response) < 1s");
        let rejected = load(&text(&rule)).err().unwrap_or_else(|| panic!("accepted: {rule}"));
        assert_eq!(rejected.mistakes.0.len(), 1, "{rejected}");
        let first = &rejected.mistakes.0[0];
        assert_eq!(first.code, code, "{rule}: {}", first.message);
        assert!(first.message.contains(what), "{rule}: {}", first.message);
        let helps = [&first.label, &first.hint].map(|help| help.clone().unwrap_or_default()).join(" ");
        assert!(helps.contains(help), "{rule}: {helps}");
    }
    let change = text("change(p95(look.response), busy(rate: 7/s), peak) <= 10%");
    let rejected = load(&change).err().unwrap_or_else(|| panic!("accepted"));
    assert!(rejected.to_string().contains("`busy` has no step `rate: 7/s`"), "{rejected}");
}
