//! Units that exchanges carry, and legs that a watched count closes.

use super::fakes::{load, study};
use crate::Study;
use crate::model::Extent;
use crate::model::rule::{Clause, Expression, Function, State, Subject};

const STUDY: &str = "study: Counted
vars: { per_call: 500, seconds: 60s }
system: { name: log, url: \"http://127.0.0.1:1\", identity: { expect: { a: b } } }
watch: { host: {}, store: { host: { values: { entries: x } } } }
exchanges:
  look: { http.get: { url: x } }
  register:
    http.post: { url: x }
    carries: { registrations: $(per_call), distinct: $(per_call * 95%) }
    legs: { stored: { counted_by: store.entries, of: distinct } }
scenarios:
  one: { load: { users: 2, hold: $(seconds) }, run: [register, look] }
  few: { set: { per_call: 20 }, load: { users: 2, hold: 60s }, run: [register] }
  none: { load: { users: 2, hold: 60s }, run: [look] }
";

fn with(rule: &str) -> String {
    format!("{STUDY}requirements:\n  it: {{ that: '{rule}' }}\n")
}

/// The first rule's clause, in each scenario to which it applies.
fn clauses(study: &Study) -> Vec<(&str, &Clause)> {
    let applies = study.requirements[0].applies.iter();
    applies.map(|it| (study.scenarios[it.scenario].name.as_str(), &it.rule.clauses[0])).collect()
}

/// Code, marked text and hint of the first mistake.
fn wrong(text: &str) -> (&'static str, String, String) {
    let rejected = load(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
    let mistake = &rejected.mistakes.0[0];
    let place = mistake.place.unwrap();
    let line = text.lines().nth(place.line as usize - 1).unwrap();
    let marked = line.chars().skip(place.column as usize - 1).take(place.length as usize).collect();
    (mistake.code, marked, mistake.hint.clone().unwrap_or_default())
}

fn sums(clause: &Clause) -> &[Expression] {
    let Clause::Compare { sums, .. } = clause else { panic!("{clause:?}") };
    sums
}

#[test]
fn a_metric_may_be_called_as_a_unit_is() {
    let text = with("rate(store.entries) >= 100/s").replace("registrations: $(per_call)", "entries: $(per_call)");
    let study = self::study(&text.replace("rate(store.entries) >= 100/s", "max(store.entries) < 100"));
    let Expression::Statistic(found) = &sums(clauses(&study)[0].1)[0] else { panic!("{:?}", clauses(&study)) };
    assert_eq!(found.series.subject, Subject::Metric { monitor: "store".into(), metric: "entries".into() });
    // The exchange's own units are still found by its name.
    let own = text.replace("rate(store.entries)", "rate(register.entries)");
    let study = self::study(&own);
    assert!(matches!(sums(clauses(&study)[0].1)[0], Expression::Binary { operator: '*', .. }));
}

#[test]
fn a_rate_of_units_is_that_of_the_calls_times_what_one_carries() {
    let first = study(&with("rate(register.registrations) >= 100/s"));
    let again = study(&first.effective);
    assert_eq!(again.effective, first.effective);
    for study in [&first, &again] {
        let found = clauses(study);
        let carried: Vec<(&str, f64)> = found
            .iter()
            .map(|(scenario, clause)| {
                let [Expression::Binary { operator: '*', left, right }, _] = sums(clause) else { panic!("{clause:?}") };
                let (Expression::Statistic(calls), Expression::Number(units)) = (&**left, &**right) else {
                    panic!("{clause:?}")
                };
                assert_eq!((calls.function, calls.series.text.as_str()), (Function::Rate, "register"));
                (*scenario, units.value)
            })
            .collect();
        assert_eq!(carried, [("one", 500.0), ("few", 20.0)], "as each scenario binds its variables");
    }
}

#[test]
fn a_load_is_counted_in_what_its_iterations_carry() {
    let extents = |load: &str, run: &str| {
        let text =
            STUDY.replace("{ users: 2, hold: $(seconds) }, run: [register, look]", &format!("{load}, run: {run}"));
        let first = study(&text);
        let again = study(&first.effective);
        assert_eq!(again.effective, first.effective);
        let load = &first.scenarios[0].parts[0].load;
        (load.warm_up, load.hold)
    };
    let count = Extent::Count;
    let units = "{ users: 2, warm_up: 5000 registrations, count: 12001 registrations }";
    assert_eq!(extents(units, "[register, look]"), (Some(count(10)), count(25)), "the last one whole");
    assert_eq!(extents("{ users: 2, count: $(per_call) distinct }", "[register]"), (None, count(2)));
    // Twice in each iteration.
    assert_eq!(extents("{ users: 2, count: 12000 registrations }", "[register, register]"), (None, count(12)));
    let with = |count: &str, run: &str| {
        let load = format!("{{ users: 2, count: {count} }}, run: {run}");
        wrong(&STUDY.replace("{ users: 2, hold: $(seconds) }, run: [register, look]", &load))
    };
    let (code, marked, hint) = with("12 registration", "[register]");
    assert_eq!((code, marked.as_str()), ("study::unknown-unit", "12 registration"));
    assert!(hint.contains("distinct, registrations"), "{hint}");
    assert!(with("12 events", "[look]").2.contains("carries: { events: 100 }"));
    assert_eq!(with("12 distinct", "[ choose: { register: 50%, look: 50% } ]").0, "study::unknown-unit");
    assert_eq!(with("0 distinct", "[register]").0, "study::out-of-range");
    assert_eq!(with("10kB", "[register]").0, "study::no-quantity");
}

#[test]
fn all_exchanges_of_a_scenario_carry_together() {
    let text = with("count(*.registrations) > 0")
        .replace("  look: { http.get: { url: x } }", "  look: { http.get: { url: x }, carries: { registrations: 3 } }");
    let study = study(&text);
    let [(_, one), ..] = clauses(&study)[..] else { panic!() };
    assert!(matches!(&sums(one)[0], Expression::Binary { operator: '+', .. }), "{one:?}");
}

#[test]
fn a_counted_leg_is_the_count_that_closes_it_and_its_backlog_is_derived() {
    let subject = |rule: &str| {
        let study = study(&with(rule));
        let (_, clause) = clauses(&study)[0];
        match clause {
            Clause::State { state: State::Drained, subject, .. } => subject.subject.clone(),
            clause => match sums(clause).last().or(sums(clause).first()) {
                _ if clause.statistics().is_empty() => panic!("{clause:?}"),
                _ => clause.statistics().last().unwrap().series.subject.clone(),
            },
        }
    };
    let metric = |monitor: &str, metric: &str| Subject::Metric { monitor: monitor.into(), metric: metric.into() };
    assert_eq!(subject("count(register.distinct) = count(register.stored)"), metric("store", "entries"));
    assert_eq!(subject("100/s <= rate(register.stored)"), metric("store", "entries"));
    assert_eq!(subject("drained(register.stored)"), metric("register.stored", "backlog"));
    assert_eq!(subject("drain_time(register.stored) <= 60s"), metric("register.stored", "backlog"));
    assert_eq!(subject("max(register.stored.backlog) < 10000"), metric("register.stored", "backlog"));
    assert_eq!(subject("p95(register.stored.age) < 5s"), metric("register.stored", "age"));
}

#[test]
fn what_is_wrong_with_units_is_said_at_its_place() {
    let text = |from: &str, to: &str| with("rate(register.registrations) >= 1/s").replace(from, to);
    let (code, marked, hint) = wrong(&text("$(per_call * 95%)", "$(per_call * 0.1%)"));
    assert_eq!((code, marked.as_str()), ("study::no-count", "$(per_call * 0.1%)"));
    assert!(hint.contains("whole"), "{hint}");
    assert_eq!(wrong(&text("distinct: $", "ok: $")).0, "study::duplicate-name");
    assert_eq!(wrong(&text("of: distinct", "of: distinkt")).0, "study::unknown-name");
    assert_eq!(wrong(&text("distinct: $", "answer: $")).0, "study::duplicate-name");
    let (code, marked, _) = wrong(&text("store.entries", "store.entry"));
    assert_eq!((code, marked.as_str()), ("study::unknown-name", "store.entry"));
    assert_eq!(wrong(&text("store.entries", "host.cpu")).0, "study::wrong-series");
    assert_eq!(wrong(&text("store.entries", "stores.entries")).0, "study::unknown-name");
    assert_eq!(wrong(&text("store.entries", "entries")).0, "study::wrong-series");
    assert_eq!(wrong(&with("p95(register.registrations) < 1s")).0, "study::wrong-series");
    assert_eq!(wrong(&with("count(look.registrations) > 0")).0, "study::unknown-name");
    assert_eq!(wrong(&with("count(register.registration) > 0")).0, "study::unknown-name");
    assert_eq!(wrong(&with("count(none/register.registrations) > 0")).0, "study::not-in-scenario");
    assert_eq!(wrong(&with("max(register.stored.lag) < 1")).0, "study::unknown-name");
}

#[test]
fn a_wait_is_for_the_backlog_of_a_counted_leg_and_nothing_else_of_it() {
    let with = |keys: &str| STUDY.replace("run: [register] }", &format!("run: [register], {keys} }}"));
    let text = with("drain: { until: drained(register.stored), at_most: 1h }");
    let study = study(&text);
    let few = study.scenarios.iter().find(|scenario| scenario.name == "few").unwrap();
    let rule = &few.until[&crate::Wait::Drain];
    let Clause::State { state: State::Drained, subject, .. } = &rule.clauses[0] else { panic!("{rule:?}") };
    let backlog = Subject::Metric { monitor: "register.stored".into(), metric: "backlog".into() };
    assert_eq!(subject.subject, backlog);
    assert_eq!(self::study(&study.effective).effective, study.effective);
    // Of a scenario that does not send them, too: what an earlier one left.
    assert!(
        load(&text.replace("run: [look] }", "run: [look], idle: { until: drained(register.stored), at_most: 1h } }"))
            .is_ok()
    );
    assert!(load(&with("gap: { until: drained(register.stored.backlog), at_most: 1h }")).is_ok());
    let (code, marked, _) = wrong(&with("gap: { until: drained(register.stored.age), at_most: 1h }"));
    assert_eq!((code, marked.as_str()), ("study::rule-not-here", "register.stored.age"));
    assert_eq!(
        wrong(&with("idle: 1m, gap: { until: settled(register.stored), at_most: 1h }")).0,
        "study::rule-not-here"
    );
    let abort = with("abort: [ max(register.stored.backlog) > 10 for 10s ]");
    assert_eq!(wrong(&abort).0, "study::not-yet");
}

#[test]
fn parts_of_a_mix_agree_on_what_a_call_carries() {
    let mix = STUDY.to_owned() + "  both: { mix: [one, few] }\norder: [both]\n";
    assert_eq!(wrong(&mix).0, "study::conflict");
    let alike = mix.replace("set: { per_call: 20 }, ", "");
    assert!(load(&alike).is_ok());
}

/// With an exchange whose answers say how many rows they are of.
fn said(count: &str, rule: &str) -> String {
    let query = format!("exchanges:\n  query: {{ http.get: {{ url: x }}, carries: {{ rows: {count} }} }}\n");
    let own = if rule.starts_with("change") { "' }" } else { "', scenarios: [one] }" };
    let text = with(rule).replace("' }", own);
    text.replace("exchanges:\n", &query).replace("run: [register, look]", "run: [register, query]")
}

#[test]
fn an_answer_says_how_many_units_there_are() {
    use crate::model::rule::What;
    for (function, rule) in [
        (Function::Rate, "rate(query.rows) >= 100/s"),
        (Function::Count, "count(query.answer.rows) > 5"),
        (Function::Count, "count(*.rows) > 5"),
        (Function::Rate, "rate(query.ok.rows) > 5/s"),
    ] {
        let first = study(&said("json($.rows)", rule));
        let again = study(&first.effective);
        assert_eq!(again.effective, first.effective);
        for study in [&first, &again] {
            assert!(study.captures.is_empty(), "no name that a request could mention");
            let [(scenario, clause)] = clauses(study)[..] else { panic!("{rule}") };
            let [Expression::Statistic(units), _] = sums(clause) else { panic!("{clause:?}") };
            assert_eq!((scenario, units.function), ("one", function));
            let Subject::Exchanges { exchanges, leg, what } = &units.series.subject else { panic!("{units:?}") };
            assert_eq!((exchanges.as_slice(), *leg, *what), (&[0][..], Some(0), What::Units), "{rule}");
        }
    }
    let study = study(&said("header(x-rows)", "count(*.registrations) > 5"));
    assert!(study.exchanges[0].carries[0].said.is_some());
    // Both in one sum, where one says and the other is told.
    let both = said("json($.rows)", "rate(*.rows) > 5/s")
        .replace("carries: { registrations", "carries: { rows: 3, registrations");
    let both = crate::tests::fakes::study(&both);
    let [(_, one), ..] = clauses(&both)[..] else { panic!() };
    assert!(matches!(&sums(one)[0], Expression::Binary { operator: '+', .. }), "{one:?}");
    // One statistic, so two scenarios can be compared by it.
    let change = said("json($.rows)", "change(rate(query.rows), one, more) >= 30%")
        .replace("  few:", "  more: { load: { users: 4, hold: 60s }, run: [query] }\n  few:");
    assert!(load(&change).is_ok(), "{:?}", load(&change).err());
}

#[test]
fn what_an_answer_cannot_say_is_refused() {
    assert_eq!(wrong(&said("'json($.rows'", "count(query.rows) > 5")).0, "study::bad-check");
    assert_eq!(wrong(&said("'json($.rows, all)'", "count(query.rows) > 5")).0, "study::conflict");
    assert_eq!(wrong(&said("json($.rows) > 3", "count(query.rows) > 5")).0, "study::bad-capture");
    assert_eq!(wrong(&said("csv(rows)", "count(query.rows) > 5")).0, "study::bad-check");
    let two =
        said("json($.rows)", "count(query.rows) > 5").replace("carries: { rows:", "carries: { pages: size, rows:");
    assert_eq!(wrong(&two).0, "study::conflict");
    for rule in ["p95(query.rows) < 5s", "share(query.rows) > 5%", "count(query.rows of ok) > 5"] {
        assert_eq!(wrong(&said("json($.rows)", rule)).0, "study::wrong-series", "{rule}");
    }
    for rule in ["count(query.failed.rows) > 5", "count(query.started.rows) > 5"] {
        let (code, marked, _) = wrong(&said("json($.rows)", rule));
        assert_eq!((code, marked.as_str()), ("study::wrong-series", "rows"), "{rule}");
    }
    // Nobody knows beforehand how many iterations bring so many.
    let counted = said("json($.rows)", "count(query.rows) > 5")
        .replace("{ users: 2, hold: $(seconds) }", "{ users: 2, count: 1000 rows }");
    let (code, marked, hint) = wrong(&counted);
    assert_eq!((code, marked.as_str()), ("study::unknown-unit", "1000 rows"));
    assert!(hint.contains("rate(query.rows)"), "{hint}");
    let held = said("json($.rows)", "count(query.rows) > 5")
        .replace("http.get: { url: x }, carries", "http.feed: { url: x }, carries");
    assert_eq!(wrong(&held).0, "study::conflict");
}
