//! `change(statistic, base, other)`: what is read, where it is judged, and what is refused.

use super::fakes::{load, study};
use crate::Study;
use crate::model::rule::{Change, Clause, Comparison, Function};

const STUDY: &str = "study: Change
vars: { limit: 10% }
system: { name: shop, url: \"http://127.0.0.1:1\", identity: { expect: { a: b } } }
watch: { host: {} }
exchanges:
  look: { http.get: { url: x } }
  buy: { http.get: { url: x } }
scenarios:
  some: { load: { arrivals: 5/s, hold: 5m }, run: [look, buy] }
  others: { load: { users: 2, hold: 5m }, run: [look] }
  alone: { mix: [some] }
  both: { mix: [some, others] }
  calm: { load: { arrivals: 5/s, hold: 5m }, run: [look] }
order: [calm, alone, both]
";

fn text(rule: &str) -> String {
    format!("{STUDY}requirements:\n  it: {{ that: '{rule}' }}\n")
}

fn changes(study: &Study) -> Vec<(usize, &Change)> {
    let mut found = Vec::new();
    for applies in &study.requirements[0].applies {
        for clause in &applies.rule.clauses {
            if let Clause::Change(change) = clause {
                found.push((applies.scenario, &**change));
            }
        }
    }
    found
}

/// The code and the marked text of the first mistake, and its hint.
fn wrong(text: &str) -> (&'static str, String, String) {
    let rejected = load(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
    let mistake = &rejected.mistakes.0[0];
    let place = mistake.place.unwrap();
    let line = text.lines().nth(place.line as usize - 1).unwrap();
    let marked = line.chars().skip(place.column as usize - 1).take(place.length as usize).collect();
    (mistake.code, marked, mistake.hint.clone().unwrap_or_default())
}

#[test]
fn a_change_is_judged_once_in_the_scenario_to_which_it_leads() {
    let first = study(&text("change(p95(some/*.response), both, alone) <= $(limit)"));
    let again = study(&first.effective);
    for study in [&first, &again] {
        let [(scenario, change)] = changes(study)[..] else { panic!("{:?}", study.requirements) };
        let names = [scenario, change.base, change.other].map(|number| study.scenarios[number].name.as_str());
        assert_eq!(names, ["alone", "both", "alone"]);
        assert_eq!((change.operator, change.limit), (Comparison::AtMost, 0.1));
        assert_eq!(change.of.text, "p95(some/*.response)");
        assert_eq!(change.of.statistic.function, Function::Percentile(0.95));
        assert_eq!((change.of.part.as_deref(), change.of.statistic.series.part), (Some("some"), Some(0)));
        assert_eq!(change.base_part, Some(0));
    }
    assert_eq!(again.effective, first.effective);
}

#[test]
fn limits_may_lie_below_zero_and_clauses_beside_each_other() {
    let study =
        study(&text("change(mean(look), calm, both) > -5% and change(mean(look), calm, both) < 5% + 1% per exchange"));
    let limits: Vec<(Comparison, f64)> =
        changes(&study).iter().map(|(_, change)| (change.operator, change.limit)).collect();
    assert_eq!(
        limits.iter().map(|(operator, _)| *operator).collect::<Vec<_>>(),
        [Comparison::Greater, Comparison::Less]
    );
    assert!((limits[0].1 + 0.05).abs() < 1e-12 && (limits[1].1 - 0.06).abs() < 1e-12, "{limits:?}");
    let one = super::fakes::study(&text("change(share(look.response < 300ms), calm, both) >= 0%"));
    assert_eq!(changes(&one)[0].1.of.text, "share(look.response < 300ms)");
    let metric = super::fakes::study(&text("change(mean(host.cpu), alone, both) <= 50% in hold"));
    assert_eq!(metric.requirements[0].applies[0].scenario, 2);
}

#[test]
fn a_scenario_that_is_not_known_gets_the_names_that_are() {
    for (rule, marked) in [
        ("change(mean(look), clam, both) <= 5%", "clam"),
        ("change(mean(look), calm, boht) <= 5%", "boht"),
        ("change(mean(look), others, both) <= 5%", "others"),
    ] {
        let (code, found, hint) = wrong(&text(rule));
        assert_eq!((code, found.as_str()), ("study::unknown-name", marked), "{rule}");
        assert_eq!(hint, "the study has: calm, alone, both", "{rule}");
    }
}

#[test]
fn what_cannot_be_asked_is_refused_at_its_place() {
    for (rule, code, marked) in [
        ("change(mean(look), calm, calm) <= 5%", "study::conflict", "calm"),
        ("change(mean(look), calm, both) = 5%", "study::rule-syntax", "="),
        ("change(mean(look), calm, both) <= 5", "study::missing-unit", "5"),
        ("change(mean(look), calm, both) <= 5s", "study::wrong-unit", "5s"),
        ("change(mean(look), calm, both) >= -100%", "study::out-of-range", "100%"),
        ("change(look, calm, both) <= 5%", "study::rule-syntax", "look"),
        ("change(mean(look), calm) <= 5%", "study::rule-syntax", ")"),
        ("change(mean(look), calm, both)", "study::rule-syntax", ""),
        ("change(mean(look), calm, both/some) <= 5%", "study::rule-syntax", "both"),
        ("change(change(mean(look), calm, both), calm, both) <= 5%", "study::rule-syntax", "change"),
        ("5% >= change(mean(look), calm, both)", "study::rule-not-here", "change"),
        ("mean(change(mean(look), calm, both)) < 5s", "study::rule-syntax", "change"),
        ("change(mean(look), calm, both) <= 5% in ramp", "study::rule-not-here", "in"),
        ("change(mean(look), calm, both) <= 5% in last 1m of hold", "study::rule-not-here", "in"),
        ("change(mean(look), calm, both) <= 5% per repetition", "study::rule-not-here", "repetition"),
        ("change(mean(buy), calm, both) <= 5%", "study::not-in-scenario", "buy"),
        ("change(mean(calm/look), calm, both) <= 5%", "study::conflict", "mean"),
        ("change(slope(host.memory), calm, both) <= 5%", "study::rule-syntax", "slope"),
        ("change(share(look.failed), calm, both) <= 5%", "study::wrong-series", "share"),
        ("change(mean(look), calm, both) <= 5% and change(mean(look), calm, alone) <= 5%", "study::conflict", "alone"),
    ] {
        let (found_code, found, _) = wrong(&text(rule));
        assert_eq!((found_code, found.trim_end_matches('\'')), (code, marked), "{rule}");
    }
    let elsewhere = text("change(mean(look), calm, both) <= 5%").replace("5%'", "5%', scenarios: [calm]");
    assert_eq!(wrong(&elsewhere).0, "study::conflict");
    assert_eq!(study(&elsewhere.replace("[calm]", "[both]")).requirements[0].applies.len(), 1);
}

#[test]
fn a_change_cannot_stop_a_run() {
    let abort =
        STUDY.replace("calm: { load:", "calm: { abort: [ 'change(mean(look), alone, calm) > 5% for 30s' ], load:");
    let (code, marked, hint) = wrong(&abort);
    assert_eq!((code, marked.as_str()), ("study::rule-not-here", "change"));
    assert!(hint.contains("scenarios that have ended"), "{hint}");
    let ratio = format!("{STUDY}capacity: {{ ratios: {{ it: 'change(mean(look), calm, both)' }} }}\n");
    assert_eq!(wrong(&ratio).0, "study::rule-not-here");
}
