//! Tests of rules: what each form means, and where it has no meaning.

use crate::model::rule::*;
use crate::tests::fakes::{load, study};
use crate::{NOT_YET, Study};
use terms::{Nanos, Outcome, Phase, Quantity, Unit};

const EXCHANGES: &str = "study: Rules
vars: { limit: 300ms, share: 95% }
system: { instances: { shop: { url: \"http://127.0.0.1:1\", identity: { expect: { a: b } } }, store: { start: x, replicas: 2 } } }
watch: { host: { values: { loans: select count(*) from loan } }, access: { access_log: {} } }
exchanges:
  look: { http.get: { url: x } }
  buy: { http.get: { url: x } }
scenarios:
  calm: { load: { arrivals: 5/s, hold: 5m }, run: [look], idle: 1m, set: { limit: 500ms } }
  peak: { load: { arrivals: 5/s, hold: 5m, warm_up: 1m, ramp: { over: 1m } }, run: [look, buy], recovery: 1m }
";

fn text(rule: &str) -> String {
    format!("{EXCHANGES}requirements:\n  it: {{ that: '{}' }}\n", rule.replace('\'', "''"))
}

fn read(rule: &str) -> Study {
    study(&text(rule))
}

/// The rule in the last scenario it applies to.
fn rule(rule: &str) -> Rule {
    read(rule).requirements[0].applies.last().unwrap().rule.clone()
}

fn scenarios(rule: &str) -> Vec<usize> {
    read(rule).requirements[0].applies.iter().map(|applies| applies.scenario).collect()
}

fn statistic(text: &str) -> Statistic {
    match &rule(text).clauses[0] {
        Clause::Compare { sums, .. } => match &sums[0] {
            Expression::Statistic(statistic) => statistic.clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// The code and the marked text of the only mistake.
fn wrong(rule: &str) -> (&'static str, String) {
    let text = text(rule);
    let rejected = load(&text).err().unwrap_or_else(|| panic!("accepted: {rule}"));
    assert_eq!(rejected.mistakes.0.len(), 1, "{rejected}");
    let mistake = &rejected.mistakes.0[0];
    let place = mistake.place.unwrap();
    let line = text.lines().nth(place.line as usize - 1).unwrap();
    (mistake.code, line.chars().skip(place.column as usize - 1).take(place.length as usize).collect())
}

#[test]
fn a_share_below_a_limit_is_of_all_planned() {
    let found = statistic("share(look.response < $(limit)) >= $(share)");
    assert_eq!(found.function, Function::Share);
    assert_eq!(found.condition, Some((Comparison::Less, Quantity::time(Nanos::from_millis(300)))));
    assert_eq!(found.of, None);
    let Subject::Exchanges { exchanges, leg, what } = found.series.subject else { panic!() };
    assert_eq!((exchanges, leg, what), (vec![0], None, What::Response));
}

#[test]
fn variables_have_the_value_of_the_scenario() {
    let study = read("share(look.response < $(limit)) >= 95%");
    let limits: Vec<_> = study.requirements[0]
        .applies
        .iter()
        .map(|applies| match &applies.rule.clauses[0] {
            Clause::Compare { sums, .. } => match &sums[0] {
                Expression::Statistic(statistic) => statistic.condition.clone().unwrap().1.value,
                _ => panic!(),
            },
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(limits, [0.5, 0.3]);
}

#[test]
fn figures_of_an_exchange() {
    for (word, what) in [
        ("look", What::Itself),
        ("look.answer", What::Itself),
        ("look.ok", What::Outcome(Outcome::Ok)),
        ("look.timeout", What::Outcome(Outcome::Timeout)),
        ("look.answer.failed", What::Failed),
        ("look.intended", What::Book(Book::Intended)),
        ("look.dropped", What::Book(Book::Dropped)),
    ] {
        let Subject::Exchanges { what: found, leg, .. } = statistic(&format!("count({word}) > 0")).series.subject
        else {
            panic!("{word}")
        };
        assert_eq!(found, what, "{word}");
        assert_eq!(leg, word.contains("answer").then_some(0), "{word}");
    }
    let Subject::Exchanges { exchanges, .. } = statistic("share(*.failed) < 1%").series.subject else { panic!() };
    assert_eq!(exchanges, [0, 1], "all that the scenario runs");
}

#[test]
fn percentiles_are_exact_decimal_fractions() {
    for (word, quantile) in [("p50", 0.5), ("p5", 0.05), ("p99.9", 0.999), ("p99_99", 0.9999)] {
        assert_eq!(statistic(&format!("{word}(look.response) < 1s")).function, Function::Percentile(quantile));
    }
    for word in ["p0", "p100", "p", "p9x"] {
        assert_eq!(wrong(&format!("{word}(look.response) < 1s")).0, "study::unknown-function", "{word}");
    }
}

#[test]
fn windows_scopes_and_populations() {
    let found = rule("p95(look.response of all) < 1s in last 2m of hold per scenario, exchange");
    let part = Some((WindowEnd::Last, Nanos::from_secs(120)));
    assert_eq!(found.window, Some(Window { part, phase: Some(Phase::Hold) }));
    assert_eq!(found.per, [Scope::Scenario, Scope::Exchange]);
    assert_eq!(statistic("p95(look.response of all) < 1s").of, Some(Of::All));
    assert_eq!(rule("mean(host.cpu) < 80% in all").window, Some(Window { part: None, phase: None }));
}

#[test]
fn a_rule_applies_where_its_names_occur() {
    assert_eq!(scenarios("share(look.failed) < 1%"), [0, 1]);
    assert_eq!(scenarios("share(buy.failed) < 1%"), [1]);
    assert_eq!(scenarios("mean(host.cpu) < 80%"), [0, 1]);
    assert_eq!(scenarios("growth(host.loans) >= 10"), [0, 1], "a metric that the author named");
    assert_eq!(scenarios("mean(host.cpu) < 80% in idle"), [0]);
    assert_eq!(scenarios("rate(calm/look.ok) / rate(peak/look.ok) >= 90%"), [1]);
    assert_eq!(scenarios("alive(*)"), [0, 1]);
}

#[test]
fn sums_keep_their_order_and_numbers_are_computed_at_once() {
    let Clause::Compare { sums, operators } = &rule("count(look.ok) + 2 * 3 = count(look.intended) = 5").clauses[0]
    else {
        panic!()
    };
    assert_eq!(operators, &[Comparison::Equal, Comparison::Equal]);
    let Expression::Binary { operator: '+', right, .. } = &sums[0] else { panic!("{:?}", sums[0]) };
    assert_eq!(**right, Expression::Number(Quantity::count(6.0)));
    assert_eq!(rule("alive(shop) and share(look.failed) <= 1% and alive(store.2)").clauses.len(), 3);
}

#[test]
fn units_must_go_together() {
    for right in [
        "mean(host.memory) < 4GB",
        "count(host.switches) < 1000",
        "rate(host.switches) < 10/s",
        "share(access.duration < 6.5s) >= 95%",
        "p95(access.duration) < 1s",
        "count(access.duration >= 6.5s) <= 10",
        "mean(look.size) < 8kB",
        "rate(look.ok) * 60s > 100",
        "rate(look.ok) / rate(look) >= 0.9",
        "max(host.cpu) + 5% < 90%",
        "last(host.memory) < 1GB",
        "growth(host.memory) < 100MB",
        "growth(host.switches) < 100",
        "count(look.response < 2s) > 5",
    ] {
        assert_eq!(read(right).requirements.len(), 1, "{right}");
    }
    for (rule, code, marked) in [
        ("mean(look.response) < 1", "study::missing-unit", "1"),
        ("mean(look.response) < 1%", "study::wrong-unit", "1%"),
        ("share(look.failed) < 0.1", "study::missing-unit", "0.1"),
        ("count(look.ok) > 5/s", "study::wrong-unit", "5/s"),
        ("rate(look.ok) + count(look.ok) > 5", "study::wrong-unit", "+"),
        ("count(look.ok) = share(look.ok)", "study::wrong-unit", "share"),
        ("share(look.size < 2s) > 5%", "study::wrong-unit", "<"),
        ("share(look.failed) < 110%", "study::out-of-range", "110%"),
        ("count(look.ok) > 5 + 3s", "study::arithmetic", "+"),
    ] {
        assert_eq!(wrong(rule), (code, marked.to_owned()), "{rule}");
    }
}

#[test]
fn functions_have_a_meaning_only_for_some_series() {
    for (rule, marked) in [
        ("share(look.response) > 5%", "look.response"),
        ("share(look) > 5%", "look"),
        ("count(look.response) > 5", "look.response"),
        ("rate(look.response) > 5/s", "look.response"),
        ("mean(look.failed) < 5", "look.failed"),
        ("last(look.response) < 5s", "look.response"),
        ("share(look.failed < 2s) > 5%", "look.failed"),
        ("share(host.cpu < 80%) > 5%", "host.cpu"),
        ("count(host.cpu) > 5", "host.cpu"),
        ("mean(host.switches) > 5", "host.switches"),
        ("mean(host) > 5", "host"),
        ("mean(host.cpu.user) > 5%", "user"),
        ("mean(host.cpu of all) > 5%", "all"),
        ("share(look.response = 2s) > 5%", "="),
    ] {
        assert_eq!(wrong(rule), ("study::wrong-series", marked.to_owned()), "{rule}");
    }
}

#[test]
fn unknown_names_are_marked() {
    for (rule, marked) in [
        ("share(lok.failed) < 1%", "lok"),
        ("share(look.faild) < 1%", "faild"),
        ("mean(host.cpus) < 1%", "cpus"),
        ("last(host.loan) < 1", "loan"),
        ("alive(sho)", "sho"),
        ("rate(clam/look) > 1/s", "clam"),
        ("mean(look.response) < $(limti)", "$(limti)"),
    ] {
        assert_eq!(wrong(rule), ("study::unknown-name", marked.to_owned()), "{rule}");
    }
    assert_eq!(wrong("rate(calm/buy) > 1/s"), ("study::not-in-scenario", "buy".to_owned()));
    assert_eq!(wrong("mean(host.cpu) < 5% in hodl"), ("study::unknown-word", "hodl".to_owned()));
    assert_eq!(wrong("mean(host.cpu) < 5% per isntance"), ("study::unknown-word", "isntance".to_owned()));
}

#[test]
fn what_cannot_be_read_is_marked() {
    for (rule, marked) in [
        ("mean(look.response < 5s", ""),
        ("mean(look.response) < ", ""),
        ("mean(look.response)", ""),
        ("look.response < 5s", "look"),
        ("5 < 6", "5"),
        ("mean(look.response) < 5s or alive(shop)", "or"),
        ("mean(look.response) < 5s < 6s", "mean"),
        ("mean(look.response) ! 5s", "!"),
        ("mean(look.response, look.service) < 5s", "look.service"),
        ("mean(look.response) < 5s in hold in idle", "in"),
    ] {
        let (code, found) = wrong(rule);
        assert!(code == "study::rule-syntax" || code == "study::wrong-series", "{rule}: {code}");
        assert_eq!(found.trim_end_matches('\''), marked, "{rule}");
    }
}

#[test]
fn what_is_not_yet_carried_out_says_so() {
    for rule in
        ["capacity(peak) > 100/s", "share(look.failed) < 1% per group", "share(look.failed where class = a) < 1%"]
    {
        assert_eq!(wrong(rule).0, "study::not-yet", "{rule}");
    }
    assert!(NOT_YET.iter().any(|(word, _)| *word == "per group"));
}

#[test]
fn abort_rules_have_a_duration_and_requirements_have_none() {
    let abort = |rule: &str| {
        text("alive(shop)")
            .replace("that: 'alive(shop)'", "that: { peak: 'alive(shop)' }")
            .replace("run: [look],", &format!("run: [look], abort: [ '{rule}' ],"))
    };
    let study = study(&abort("share(look.failed) > 5% for 30s"));
    assert_eq!(study.scenarios[0].abort[0].sliding, Some(Nanos::from_secs(30)));
    for (rule, code) in [
        ("share(look.failed) > 5% per exchange", "study::rule-not-here"),
        ("share(buy.failed) > 5%", "study::not-in-scenario"),
        ("share(look.failed) > 5% for 10ms", "study::out-of-range"),
        ("share(look.failed) > 5% for 10", "study::out-of-range"),
        ("drained(host.memory) for 30s", "study::not-yet"),
        ("broken(it) for 30s", "study::not-in-scenario"),
    ] {
        assert_eq!(load(&abort(rule)).err().unwrap().mistakes.0[0].code, code, "{rule}");
    }
}

#[test]
fn a_fall_stops_a_load_and_is_no_requirement() {
    let abort = |rule: &str| text("alive(shop)").replace("run: [look],", &format!("run: [look], abort: [ '{rule}' ],"));
    for rule in ["drop(host.switches) >= 30% for 30s", "drop(look.ok) > 0.5%", "drop(look) >= 30% and alive(shop)"] {
        let study = study(&abort(rule));
        let Clause::Compare { sums, .. } = &study.scenarios[0].abort[0].clauses[0] else { panic!("{rule}") };
        assert!(sums[0].statistics().all(|statistic| statistic.function == Function::Drop), "{rule}");
    }
    for (rule, code) in [
        ("drop(look.ok) <= 30%", "study::rule-syntax"),
        ("drop(look.ok) + 1% >= 30%", "study::rule-syntax"),
        ("30% <= drop(look.ok)", "study::rule-syntax"),
        ("drop(look.ok) >= 100%", "study::out-of-range"),
        ("drop(look.ok) >= 30", "study::missing-unit"),
        ("drop(look.failed) >= 30%", "study::wrong-series"),
        ("drop(host.memory) >= 30%", "study::wrong-series"),
        ("working_rate(look.ok) < 5/s", "study::not-yet"),
    ] {
        assert_eq!(load(&abort(rule)).err().unwrap().mistakes.0[0].code, code, "{rule}");
    }
    assert_eq!(wrong("drop(host.switches) >= 30%").0, "study::rule-not-here");
    assert_eq!(statistic("working_rate(host.switches) >= 5/s").function, Function::WorkingRate);
    assert_eq!(wrong("working_rate(host.memory) >= 5 bytes/s").0, "study::wrong-series");
    assert_eq!(wrong("working_rate(look.ok) >= 5").0, "study::missing-unit");
}

#[test]
fn abort_rules_ask_for_requirements_and_states() {
    let abort = |it: &str, rule: &str| text(it).replace("run: [look],", &format!("run: [look], abort: [ '{rule}' ],"));
    for (it, rule) in [
        ("mean(host.cpu) <= 65%", "broken(it) for 2m"),
        ("steady(host.memory)", "broken(it) for 5m"),
        ("alive(shop)", "met(it) for 5s"),
        ("alive(shop)", "steady(rate(look.ok)) for 2m"),
    ] {
        let study = study(&abort(it, rule));
        assert!(matches!(study.scenarios[0].abort[0].clauses[0], Clause::State { .. }), "{rule}");
    }
    for it in ["drained(host.memory)", "slope(host.memory) < 5 bytes/s", "change(rate(look), peak, calm) < 5%"] {
        let rejected = load(&abort(it, "broken(it) for 30s")).err().unwrap_or_else(|| panic!("accepted: {it}"));
        assert_eq!(rejected.mistakes.0[0].code, "study::rule-not-here", "{it}");
    }
}

#[test]
fn what_a_query_counts_can_be_counted_and_what_is_a_level_cannot() {
    assert_eq!(statistic("count(host.loans) = count(look.ok)").function, Function::Count);
    assert_eq!(statistic("rate(host.loans) >= 5/s").function, Function::Rate);
    assert_eq!(wrong("count(host.cpu) = count(look.ok)").0, "study::wrong-series");
}

#[test]
fn a_metric_has_the_unit_that_its_monitor_says() {
    let found = statistic("mean(host.cpu) <= 65%");
    assert_eq!(found.series.subject, Subject::Metric { monitor: "host".into(), metric: "cpu".into() });
    let Clause::Compare { sums, .. } = &rule("mean(host.cpu) <= 65%").clauses[0] else { panic!() };
    assert_eq!(sums[1], Expression::Number(Quantity { value: 0.65, unit: Unit::Share }));
}

#[test]
fn what_the_generator_records_of_itself_can_be_named_without_being_watched() {
    let found = statistic("max(generator.rss) < 100 MiB");
    assert_eq!(found.series.subject, Subject::Metric { monitor: "generator".into(), metric: "rss".into() });
    let Clause::Compare { sums, .. } = &rule("max(generator.rss) < 100 MiB").clauses[0] else { panic!() };
    assert_eq!(sums[1], Expression::Number(Quantity { value: 104_857_600.0, unit: Unit::Bytes }));
    for (rule, unit) in [
        ("max(generator.cpu) < 1.5 cores", Unit::Cores),
        ("p95(generator.busiest_thread) < 80%", Unit::Share),
        ("last(generator.time_wait) < 5000", Unit::Count),
    ] {
        let Clause::Compare { sums, .. } = &self::rule(rule).clauses[0] else { panic!("{rule}") };
        let Expression::Number(limit) = &sums[1] else { panic!("{rule}") };
        assert_eq!(limit.unit, unit, "{rule}");
    }
    // It is there in every scenario, and grows or not like anything that is watched.
    assert_eq!(scenarios("steady(generator.rss)"), [0, 1]);
    for (rule, code, marked) in [
        ("max(generator.rss) < 50%", "study::wrong-unit", "50%"),
        ("max(generator.memory) < 1GB", "study::unknown-name", "memory"),
        ("max(generator) < 1GB", "study::wrong-series", "generator"),
        ("max(genrator.rss) < 1GB", "study::unknown-name", "genrator"),
        ("count(generator.threads) < 5", "study::wrong-series", "generator.threads"),
    ] {
        assert_eq!(wrong(rule), (code, marked.to_owned()), "{rule}");
    }
    let rejected = load(&text("max(generator.memory) < 1GB")).err().unwrap();
    let hint = rejected.mistakes.0[0].hint.as_deref().unwrap();
    assert!(hint.contains("rss") && hint.contains("cpu"), "{hint}");
}

#[test]
fn nothing_else_is_called_as_the_monitors_that_every_run_has() {
    for (from, to, code) in [
        ("access: { access_log: {} }", "generator: { access_log: {} }", "study::duplicate-name"),
        ("access: { access_log: {} }", "drivers: { access_log: {} }", "study::duplicate-name"),
        ("  buy: {", "  generator: {", "study::duplicate-name"),
        ("run: [look, buy]", "run: [ { transaction: generator, run: [look, buy] } ]", "study::duplicate-name"),
    ] {
        let study = text("max(generator.rss) < 1GB").replace(from, to).replace("[look, buy]", "[look]");
        let codes: Vec<_> = load(&study).err().unwrap().mistakes.0.iter().map(|mistake| mistake.code).collect();
        assert!(codes.contains(&code), "{to}: {codes:?}");
    }
}

#[test]
fn a_requirement_may_ask_for_another_but_not_in_a_circle() {
    let two = |first: &str| text(first) + "  other: share(look.failed) < 1%\n";
    let found = study(&two("met(other) and broken(other)"));
    let Clause::State { state: State::Met, subject, .. } = &found.requirements[0].applies[0].rule.clauses[0] else {
        panic!()
    };
    assert_eq!(subject.subject, Subject::Requirement("other".into()));
    assert_eq!(wrong("met(it)").0, "study::needs-loop");
    assert_eq!(wrong("met(ti)"), ("study::unknown-name", "ti".to_owned()));
}

/// State, function and options of a rule's only clause.
fn state(text: &str) -> (State, Option<Function>, Vec<(String, f64)>) {
    match rule(text).clauses.remove(0) {
        Clause::State { state, function, options, .. } => {
            (state, function, options.into_iter().map(|(name, value)| (name, value.value)).collect())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn states_over_time_have_series_functions_and_options() {
    assert_eq!(state("steady(host.memory)"), (State::Steady, None, vec![]));
    let both = vec![("growth".to_owned(), 0.05), ("horizon".to_owned(), 12.0 * 3600.0)];
    assert_eq!(state("steady(host.memory, growth: 5%, horizon: 12h) per instance"), (State::Steady, None, both));
    for rate in ["steady(rate(look.ok))", "steady(rate(look))", "steady(rate(host.switches))"] {
        assert_eq!(state(rate), (State::Steady, Some(Function::Rate), vec![]), "{rate}");
    }
    assert_eq!(state("steady(mean(look.response))").1, Some(Function::Mean));
    assert_eq!(state("steady(look.service)").1, None);
    assert_eq!(state("settled(host.cpu, band: 5%)"), (State::Settled, None, vec![("band".to_owned(), 0.05)]));
    assert_eq!(state("drained(host.memory)").0, State::Drained);
    for of_metric in ["slope(host.memory) < 5 bytes/s", "drain_time(host.memory) < 1m", "settle_time(host.cpu) < 1m"] {
        assert_eq!(read(of_metric).requirements.len(), 1, "{of_metric}");
    }
    assert_eq!(statistic("drop_at(look.ok) > 1000").function, Function::DropAt);
}

#[test]
fn states_over_time_say_what_they_cannot_look_at() {
    for (rule, code, marked) in [
        ("steady(look.ok)", "study::wrong-series", "look.ok"),
        ("steady(rate(look.response))", "study::wrong-series", "look.response"),
        ("steady(host.switches)", "study::wrong-series", "host.switches"),
        ("steady(rate(host.memory))", "study::wrong-series", "host.memory"),
        ("drained(look.ok)", "study::wrong-series", "look.ok"),
        ("settled(host.switches)", "study::wrong-series", "host.switches"),
        ("steady(host.memory, grwoth: 5%)", "study::unknown-word", "grwoth"),
        ("steady(host.memory, growth: 5)", "study::wrong-unit", "growth"),
        ("steady(host.memory, growth: 0%)", "study::wrong-unit", "growth"),
        ("steady(host.memory, growth: 5%, growth: 6%)", "study::rule-syntax", "growth"),
        ("settled(host.cpu, horizon: 5m)", "study::unknown-word", "horizon"),
        ("alive(shop, band: 5%)", "study::unknown-word", "band"),
        ("mean(mean(look.response)) < 1s", "study::rule-syntax", "mean"),
        ("steady(p95(look.response))", "study::rule-syntax", "p95"),
    ] {
        assert_eq!(wrong(rule), (code, marked.to_owned()), "{rule}");
    }
    let abort = |rule: &str| text("alive(shop)").replace("run: [look],", &format!("run: [look], abort: [ '{rule}' ],"));
    for rule in ["settled(host.cpu) for 60s", "drop_at(look.ok) < 5 for 60s", "slope(host.memory) > 5 bytes/s for 60s"]
    {
        assert_eq!(load(&abort(rule)).err().unwrap().mistakes.0[0].code, "study::not-yet", "{rule}");
    }
}
