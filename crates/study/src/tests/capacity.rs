//! `capacity` and `system.inventory`: what is read, what is refused, and that the archived study has all of it.

use super::fakes::{archived, load_in, rejected, study};
use crate::model::rule::{Clause, Expression, Function};
use crate::{Need, Options, Study, Volume, VolumeFrom};
use std::path::Path;

fn with(capacity: &str) -> String {
    format!(
        "study: Checkout\nvars: {{ days: 260 }}\nassume: {{ streams: 20, average: 5/s }}\n\
         system: {{ name: shop, url: \"http://127.0.0.1:8080\", identity: {{ expect: {{ name: shop }} }} }}\n\
         exchanges:\n  search: {{ http.get: {{ url: $(shop.url)/search }}, check: [ status = 200 ] }}\n\
         scenarios:\n  nominal: {{ load: {{ arrivals: 200/s, hold: 5m }}, run: [search] }}\n  \
         peak: {{ load: {{ arrivals: 500/s, hold: 5m }}, run: [search] }}\n{capacity}\n"
    )
}

const BOTH: &str = "capacity:\n  volumes:\n    \
    year: { of: rate(search.ok), from: peak, hours: 24, days: $(days) }\n    \
    office: { of: rate(search.ok) in last 2m of hold, from: nominal, hours: 10, days: 260, peak_factor: 2.5 }\n  \
    ratios: { peak_to_nominal: rate(peak/search) / rate(nominal/search), peak_to_average: rate(peak/search) / $(streams * average) }";

fn codes(text: &str) -> Vec<&'static str> {
    rejected(text).mistakes.0.iter().map(|mistake| mistake.code).collect()
}

#[test]
fn volumes_and_ratios_are_read() {
    let study = study(&with(BOTH));
    let [year, office] = study.capacity.volumes.as_slice() else { panic!("{:?}", study.capacity) };
    let of = |volume: &Volume| match &volume.from {
        VolumeFrom::Scenario(one) => one.clone(),
        VolumeFrom::Healthiest(_) => panic!("{volume:?}"),
    };
    assert_eq!((of(year).scenario, year.hours, year.days, year.peak_factor), (1, 24.0, 260.0, 1.0));
    assert_eq!((of(office).scenario, office.hours, office.peak_factor), (0, 10.0, 2.5));
    assert!(of(office).formula.rule.window.is_some());
    let year = of(year).formula;
    let [Clause::Compare { sums, operators }] = year.rule.clauses.as_slice() else { panic!("{year:?}") };
    assert!(operators.is_empty());
    assert!(matches!(&sums[..], [Expression::Statistic(statistic)] if statistic.function == Function::Rate));
    let [first, second] = study.capacity.ratios.as_slice() else { panic!("{:?}", study.capacity) };
    assert_eq!((first.name.as_str(), first.scenario, second.scenario), ("peak_to_nominal", 1, 1));
    // An assumption that only a ratio uses is used.
    assert!(study.variables.iter().all(|variable| variable.is_used));
}

fn reads_back(study: &Study) -> Study {
    let (again, _) = load_in(Path::new("/elsewhere"), &study.effective, &archived())
        .unwrap_or_else(|rejected| panic!("{rejected}\n{}", study.effective));
    assert_eq!(again.effective, study.effective);
    again
}

#[test]
fn the_archived_study_computes_the_same() {
    let again = reads_back(&study(&with(BOTH)));
    assert_eq!(again.capacity.volumes[0].days, 260.0);
    assert_eq!(again.capacity.ratios[1].of.text, "rate(peak/search) / $(streams * average)");
}

#[test]
fn what_means_nothing_is_refused() {
    let volume = |keys: &str| with(&format!("capacity: {{ volumes: {{ year: {{ {keys} }} }} }}"));
    for (keys, code) in [
        ("of: rate(search.ok), hours: 24, days: 1", "study::missing-key"),
        ("of: rate(search.ok), from: peak, days: 1", "study::missing-key"),
        ("of: rate(search.ok), from: peek, hours: 24, days: 1", "study::unknown-name"),
        ("of: rate(search.ok), from: peak, hours: 25, days: 1", "study::out-of-range"),
        ("of: rate(search.ok), from: peak, hours: 0, days: 1", "study::out-of-range"),
        ("of: rate(search.ok), from: peak, hours: 24h, days: 1", "study::no-count"),
        ("of: rate(search.ok), from: peak, hours: 24, days: 1, peak_factor: 0.5", "study::out-of-range"),
        ("of: rate(serch.ok), from: peak, hours: 24, days: 1", "study::unknown-name"),
        ("of: rate(search.ok) >= 5/s, from: peak, hours: 24, days: 1", "study::rule-syntax"),
        ("of: p95(search.response), from: peak, hours: 24, days: 1", "study::wrong-unit"),
        // Nothing says what makes a step healthy.
        ("of: rate(search.ok), from: healthiest, hours: 24, days: 1", "study::missing-key"),
    ] {
        assert!(codes(&volume(keys)).contains(&code), "{keys}: {:?}", codes(&volume(keys)));
    }
    let ratio = with("capacity: { ratios: { r: rate(search) / 5/s } }");
    assert!(codes(&ratio).contains(&"study::rule-syntax"), "which scenario is not said");
}

/// Two scenarios with steps and one without: `grown` in three stages, `wide` a grid, `alone` with one hold.
fn stepped(capacity: &str) -> String {
    format!(
        "study: Checkout\nvars: {{ open: 10, most: 90% }}\n\
         system: {{ name: shop, url: \"http://127.0.0.1:8080\", identity: {{ expect: {{ name: shop }} }} }}\n\
         watch: {{ host: {{}} }}\n\
         exchanges:\n  search: {{ http.get: {{ url: $(shop.url)/search }}, check: [ status = 200 ] }}\n  \
         order: {{ http.get: {{ url: $(shop.url)/order }}, check: [ status = 200 ] }}\n\
         scenarios:\n  \
         grown: {{ load: {{ arrivals: [ {{ rate: 50/s, for: 1m }}, {{ to: 80/s, over: 10s }}, {{ rate: 80/s, for: 1m }} ] }}, run: [search] }}\n  \
         wide: {{ grid: {{ open: [5, 10] }}, load: {{ users: $(open), hold: 1m }}, run: [order] }}\n  \
         alone: {{ load: {{ arrivals: 5/s, hold: 1m }}, run: [search] }}\n\
         requirements:\n  quick: p95(search.response) < 200ms\n  \
         right: {{ that: share(order.failed) <= 1%, scenarios: [wide] }}\n  \
         calm: {{ that: p95(search.response) < 90ms, scenarios: [alone] }}\n{capacity}\n"
    )
}

#[test]
fn what_a_step_must_pass_is_read_for_scenarios_with_steps() {
    let text = stepped(
        "capacity:\n  healthiest: { by: rate(search.ok), needs: [quick, right, mean(host.cpu) < $(most), alive(*)] }\n  \
         volumes: { week: { of: rate(*.ok), from: healthiest, hours: 24, days: 7 } }",
    );
    for study in [study(&text), reads_back(&study(&text))] {
        let steps: Vec<bool> = study.scenarios.iter().map(crate::Scenario::has_steps).collect();
        assert_eq!(steps, [true, true, true, false]);
        let found = study.capacity.healthiest.as_ref().unwrap();
        let by: Vec<usize> = found.by.iter().flatten().map(|one| one.scenario).collect();
        assert_eq!(by, [0], "only `grown` has a search, and steps");
        let [Need::Requirement(quick), Need::Requirement(right), Need::Rule { text, applies }, Need::Rule { .. }] =
            found.needs.as_slice()
        else {
            panic!("{found:?}")
        };
        assert_eq!((quick.as_str(), right.as_str(), text.as_str()), ("quick", "right", "mean(host.cpu) < $(most)"));
        assert_eq!(applies.iter().map(|(scenario, _)| *scenario).collect::<Vec<_>>(), [0, 1, 2]);
        let VolumeFrom::Healthiest(of) = &study.capacity.volumes[0].from else { panic!("{:?}", study.capacity) };
        assert_eq!(of.iter().map(|one| one.scenario).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(study.capacity.rules().count(), 6);
        assert!(study.variables.iter().any(|variable| variable.name == "most" && variable.is_used));
    }
    // Without keys it is every requirement of severity must, by iterations.
    let found = study(&stepped("capacity: { healthiest: {} }")).capacity.healthiest.unwrap();
    assert!(found.by.is_none() && found.needs.is_empty());
}

#[test]
fn what_no_step_can_pass_is_refused() {
    let healthiest = |keys: &str| stepped(&format!("capacity: {{ healthiest: {{ {keys} }} }}"));
    for (keys, code) in [
        ("needs: [quik]", "study::unknown-name"),
        ("needs: [calm]", "study::not-in-scenario"),
        ("needs: [share(alone/search.failed) < 1%]", "study::not-in-scenario"),
        ("needs: ['change(mean(search.response), grown, alone) <= 10%']", "study::rule-not-here"),
        ("needs: [share(search.failed) < 1% for 10s]", "study::rule-not-here"),
        ("needs: [p95(search.response)]", "study::rule-syntax"),
        ("needs: [mean(host.cpu) < 1s]", "study::wrong-unit"),
        ("by: rate(serch.ok)", "study::unknown-name"),
        ("by: p95(search.response)", "study::wrong-unit"),
        ("need: [quick]", "study::unknown-key"),
    ] {
        assert!(codes(&healthiest(keys)).contains(&code), "{keys}: {:?}", codes(&healthiest(keys)));
    }
    // No scenario with steps at all, and none of them with what is counted.
    assert!(codes(&with("capacity: { healthiest: {} }")).contains(&"study::conflict"));
    let only = healthiest("by: rate(search.ok)").replace("run: [search] }", "run: [order] }");
    assert!(codes(&only).contains(&"study::not-in-scenario"), "{:?}", codes(&only));
    let volume = "capacity: { volumes: { week: { of: rate(*.ok), from: healthiest, hours: 24, days: 7 } } }";
    let said = rejected(&stepped(volume)).to_string();
    assert!(said.contains("add `healthiest: {}` to `capacity`"), "{said}");
}

const TABLE: &str = "module,memory,xmx\nrecords,1024,\"720\"\nholdings,,$(env.HOME)\n";

#[test]
fn the_inventory_travels_with_the_study() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("modules.csv"), TABLE).unwrap();
    let text = with("").replace("{ name: shop,", "{ name: shop, inventory: modules.csv,");
    let (study, _) = load_in(folder.path(), &text, &Options::default()).unwrap();
    let inventory = study.system.inventory.clone().unwrap();
    assert_eq!(inventory.columns, ["module", "memory", "xmx"]);
    assert_eq!(inventory.rows, [["records", "1024", "720"], ["holdings", "", "$(env.HOME)"]]);
    let again = reads_back(&study).system.inventory.unwrap();
    assert_eq!((again.columns, again.rows), (inventory.columns, inventory.rows));
}

#[test]
fn an_inventory_that_is_no_table_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = with("").replace("{ name: shop,", "{ name: shop, inventory: modules.csv,");
    let refused = || {
        let Err(rejected) = load_in(folder.path(), &text, &Options::default()) else { panic!("it was accepted") };
        assert_eq!(rejected.mistakes.0[0].code, "study::bad-data");
        rejected.mistakes.0[0].message.clone()
    };
    assert!(refused().contains("cannot be read"));
    for (table, what) in [
        ("module,memory\n", "has no rows"),
        ("module,memory\na\n", "has 1 cells in line 2 where the header has 2"),
        ("module,\na,1\n", "has a column without a name"),
        (&format!("module\n{}\n", "a".repeat(400)), "more than 300 characters"),
    ] {
        std::fs::write(folder.path().join("modules.csv"), table).unwrap();
        assert!(refused().contains(what), "{table}");
    }
}
