//! Scenarios that search for their limit.

use super::fakes::{REGISTRY, load, rejected, study};
use crate::Tried;
use crate::model::*;
use terms::Nanos;

const HEAD: &str = "study: Searches
vars: { rate: 1/s, threads: 1, nodes: 1 }
system: { name: shop, url: \"http://127.0.0.1:1\", identity: { expect: { a: b } } }
exchanges: { a: { http.get: { url: x } } }
";

fn peak(search: &str) -> String {
    format!(
        "{HEAD}scenarios:
  calm: {{ load: {{ users: 1, hold: 1m }}, run: [a] }}
  peak: {{ search: {search}, load: {{ arrivals: $(rate), hold: 1m }}, run: [a] }}
order: [peak, calm]
requirements:
  fast: {{ that: p95(a.response) < 200 ms, scenarios: [peak] }}
  calm: {{ that: p95(a.response) < 100 ms, scenarios: [calm], severity: should }}
"
    )
}

fn messages(text: &str) -> Vec<String> {
    let rejected = load(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
    rejected.mistakes.0.into_iter().map(|mistake| mistake.message).collect()
}

fn rates(study: &Study) -> Vec<(String, Model, Extent)> {
    let of = |scenario: &Scenario| {
        let load = &scenario.parts[0].load;
        (scenario.name.clone(), load.model.clone(), load.hold)
    };
    study.scenarios.iter().map(of).collect()
}

#[test]
fn a_search_begins_in_the_middle_and_is_read_anew_for_each_attempt() {
    let bracket = "{ vary: rate, from: 20/s, to: 2000/s, confirm: 10m, passes: 1 of 2 }";
    let found = study(&peak(bracket));
    let constant = |rate| Model::Arrivals { profile: Profile::Constant(rate), spacing: Spacing::Even };
    let (minute, users) =
        (Extent::Time(Nanos::from_secs(60)), Model::Users { count: 1, pacing: None, stages: Vec::new() });
    let calm = ("calm".to_owned(), users, minute);
    assert_eq!(rates(&found), [("peak_1".into(), constant(200.0), minute), calm.clone()]);
    let attempt = |rate: &str, is_confirming| Trying { values: vec![("rate".into(), rate.into())], is_confirming };
    let tried = [Tried {
        search: "peak".into(),
        earlier: 0,
        attempts: vec![attempt("200/s", false), attempt("632.5/s", false), attempt("355.7/s", true)],
    }];
    let again = found.with_attempts(&tried, &REGISTRY).unwrap();
    let long = Extent::Time(Nanos::from_secs(600));
    let expected = [
        ("peak_1".to_owned(), constant(200.0), minute),
        ("peak_2".into(), constant(632.5), minute),
        ("peak_3".into(), constant(355.7), long),
        calm,
    ];
    assert_eq!(rates(&again), expected);
    let fast = &again.requirements[0];
    assert_eq!(fast.applies.iter().map(|it| it.scenario).collect::<Vec<_>>(), [0, 1, 2]);
    // What is written of it is read again, without the search.
    let archived = study(&again.effective);
    assert_eq!(rates(&archived), expected);
    let points = |study: &Study| study.scenarios.iter().map(|one| one.point.clone()).collect::<Vec<_>>();
    assert_eq!(points(&archived), points(&again));
    let point = points(&again)[2].clone().unwrap();
    assert_eq!((point.number, point.is_confirming, point.search.name.as_str()), (3, true, "peak"));
    let SearchRule::Bracket(rule) = &point.search.rule else { panic!("{point:?}") };
    assert_eq!((rule.passes, rule.width, rule.most), ((1, 2), 0.02, 100));
}

#[test]
fn users_are_whole_and_rates_have_few_digits() {
    let first = |from: &str, to: &str| {
        let found = study(&peak(&format!("{{ vary: rate, from: {from}, to: {to} }}")).replace("arrivals", "users"));
        found.scenarios[0].set.iter().find(|(name, _)| name == "rate").map(|(_, value)| value.clone()).unwrap()
    };
    // √(3 · 200) is 24.49.
    assert_eq!(first("3", "200"), "24");
    let size = |from: &str, to: &str| {
        let found = study(
            &peak(&format!("{{ vary: size, from: {from}, to: {to} }}"))
                .replace("vars: { ", "vars: { size: 1kB, ")
                .replace("http.get: { url: x }", "http.get: { url: x$(size) }"),
        );
        found.scenarios[0].set.iter().find(|(name, _)| name == "size").map(|(_, value)| value.clone()).unwrap()
    };
    // √(1000 · 8000000) is 89442.7, in tens of bytes; √(2 · 90) is 13.4.
    assert_eq!((size("1kB", "8MB"), size("2B", "90B")), ("89.44kB".to_owned(), "13B".to_owned()));
}

#[test]
fn the_steps_of_nsp_bind_two_variables() {
    let text = peak(
        "{ rule: nsp, first: { threads: 5, nodes: 2 }, raise: { threads: 3, nodes: 1 }, most: { threads: 50, nodes: 10 } }",
    )
    .replace("arrivals: $(rate)", "users: $(threads * nodes)");
    let found = study(&text);
    assert_eq!(rates(&found)[0].1, Model::Users { count: 10, pacing: None, stages: Vec::new() });
    let point = found.scenarios[0].point.clone().unwrap();
    assert_eq!((point.search.variables(), point.search.most_attempts()), (vec!["threads", "nodes"], 24));
    assert_eq!(study(&found.effective).scenarios[0].point, Some(point));
}

#[test]
fn a_search_may_go_by_a_rate_of_its_own() {
    let text = peak(
        "{ rule: nsp, first: { threads: 5, nodes: 2 }, raise: { threads: 3, nodes: 1 }, most: { threads: 9, nodes: 3 }, by: rate(a.ok) * $(each) }",
    )
    .replace("arrivals: $(rate)", "users: $(threads * nodes)")
    .replace("vars: { ", "vars: { each: 500, ");
    let found = study(&text);
    let by = |study: &Study| study.scenarios[0].point.as_ref().unwrap().by.clone().unwrap();
    assert_eq!((found.search_rates().count(), by(&found).rule.clauses.len()), (1, 1));
    assert_eq!(found.scenarios[0].point.as_ref().unwrap().search.by.as_deref(), Some("rate(a.ok) * $(each)"));
    // The study of the run folder has the same rate.
    assert_eq!(by(&study(&found.effective)).text, by(&found).text);
}

#[test]
fn a_share_without_a_sign_is_told_as_the_percentage_it_was() {
    let nsp =
        "rule: nsp, first: { threads: 1, nodes: 1 }, raise: { threads: 1, nodes: 1 }, most: { threads: 9, nodes: 9 }";
    for (search, typed) in [
        (format!("{{ {nsp}, target: 0.6 }}"), "60%"),
        (format!("{{ {nsp}, target: 0.25 }}"), "25%"),
        (format!("{{ {nsp}, target: 60 }}"), "60%"),
        (format!("{{ {nsp}, target: 600% }}"), "60%"),
        ("{ vary: rate, from: 20/s, to: 30/s, width: 0.05 }".to_owned(), "5%"),
        ("{ vary: rate, from: 20/s, to: 30/s, width: 2 }".to_owned(), "2%"),
    ] {
        let mistake = &rejected(&peak(&search)).mistakes.0[0];
        let label = mistake.label.as_deref().unwrap_or_default();
        assert!(label.contains(&format!("`{typed}`")), "{search}: {label}");
    }
}

#[test]
fn what_makes_no_search_is_refused() {
    for (search, expected) in [
        ("{ vary: rate, from: 20/s }", "`search` has no `to`"),
        ("{ from: 20/s, to: 30/s }", "`search` has no `vary`"),
        ("{ vary: rate, from: 20/s, to: 10/s }", "not two values above 0"),
        ("{ vary: rate, from: 20/s, to: 100 }", "not two values above 0"),
        ("{ vary: rate, from: $(low), to: 100/s }", "`from` `$(low)`"),
        ("{ vary: rate, from: 20/s, to: 30/s, width: 0% }", "`width` is not a share"),
        ("{ vary: rate, from: 20/s, to: 30/s, passes: 3 of 2 }", "`passes` is `3 of 2`"),
        ("{ vary: rate, from: 20/s, to: 30/s, first: { a: 1, b: 2 } }", "has no `first`"),
        ("{ vary: rate, from: 20/s, to: 30/s, accept: [fst] }", "fst"),
        ("{ vary: rte, from: 20/s, to: 30/s }", "rte"),
        ("{ rule: nsp, first: { threads: 5 } }", "not a map of two variables"),
        (
            "{ rule: nsp, first: { threads: 5, nodes: 1 }, raise: { nodes: 1, threads: 1 }, most: { threads: 9, nodes: 9 } }",
            "in their order",
        ),
        ("{ rule: bisect }", "bisect"),
        ("{ vary: rate, from: 20/s, to: 20.2/s }", "no load lies between"),
        ("{ vary: threads, from: 1, to: 20 }", "nothing uses it"),
        ("{ vary: rate, from: 20/s, to: 30/s, confirm: 10s }", "is shorter than its hold"),
        (
            "{ rule: nsp, first: { threads: 1, nodes: 1 }, raise: { threads: 1, nodes: 1 }, most: { threads: 999, nodes: 9 } }",
            "more than 100",
        ),
        (
            "{ rule: nsp, first: { threads: 1, nodes: 1 }, raise: { threads: 1, nodes: 1 }, most: { threads: 9, nodes: 9 }, target: 62.5% }",
            "not a whole percentage",
        ),
        ("{ vary: rate, from: 20/s, to: 30/s, by: rate(b.ok) }", "`b`"),
        ("{ vary: rate, from: 20/s, to: 30/s, by: p95(a.response) }", "compare"),
        ("2", "`search`"),
    ] {
        let found = messages(&peak(search));
        assert!(found.iter().any(|message| message.contains(expected)), "{search}: {found:?}");
    }
    let whole = "{ vary: rate, from: 20/s, to: 30/s }";
    for (from, to, expected) in [
        ("order: [peak, calm]", "order: [peak, calm]\nrepeat: 2", "the order is repeated"),
        ("scenarios: [peak]", "scenarios: [peak], severity: should", "no requirement says which load is too much"),
        (
            "calm: { load",
            "peak_1: { load: { users: 1, hold: 1s }, run: [a] }\n  calm: { load",
            "would be called `peak_1`",
        ),
        ("run: [a] }\norder", "run: [a], clean_up: [a: per study] }\norder", "which attempt is its last is unknown"),
        (
            "calm: { load",
            "peak_77: { load: { users: 1, hold: 1s }, run: [a] }\n  calm: { load",
            "would be called `peak_77`",
        ),
        ("run: [a] }\norder", "run: [a], grid: { rate: [1/s, 2/s] } }\norder", "a `search` and a `grid`"),
    ] {
        let text = peak(whole);
        assert!(text.contains(from), "{from}");
        let found = messages(&text.replace(from, to));
        assert!(found.iter().any(|message| message.contains(expected)), "{to}: {found:?}");
    }
}
