//! A driver and a monitor that nothing of ours has ever heard of: a run folder is made with them, judged and reported, and
//! every report has their words.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::fixture::{driver, monitor};
use contract::{
    Across, Catalogues, Closes, DriverKind, ExchangeKind, FactKind, LegKind, MetricKind, MonitorKind, Work,
};
use judge::Evidence;
use record::{
    Ending, EngineRow, Entry, ExchangeHead, FeatureHead, Folded, Head, InstanceHead, IterationRow, LegHead, LegRow,
    MetricHead, MonitorHead, Observed, OutcomeRow, Run, SampleRow, ScenarioHead, StartRow, StepHead, StepMark,
};
use std::path::Path;
use study::{Options, Registry, SecretSource, Study};
use terms::{Books, Histogram, Nanos, Outcome, Population, Unit};

const OF_FAX: Catalogues = &[
    ("en", "feature-colour-pages = pages in colour\ncounter-jams = Paper jams\n"),
    ("nl", "feature-colour-pages = bladen in kleur\ncounter-jams = Vastgelopen bladen\n"),
    ("da", "feature-colour-pages = sider i farver\ncounter-jams = Papirstop\n"),
];

const OF_BOILER: Catalogues = &[
    ("en", "metric-pressure = Steam pressure\nfact-make = Manufacturer\nfact-fuel = Burns\n    .coal = only coal\n"),
    ("nl", "metric-pressure = Stoomdruk\nfact-make = Fabrikant\nfact-fuel = Stookt\n    .coal = alleen steenkool\n"),
    ("da", "metric-pressure = Damptryk\nfact-make = Fabrikant\nfact-fuel = Fyrer med\n    .coal = kun kul\n"),
];

const FAX: DriverKind = DriverKind {
    name: "fax",
    exchanges: &[ExchangeKind {
        name: "send",
        work: Work::Exchange,
        legs: &[LegKind { name: "answer", closes: Closes::Here }],
        keys: &["url"],
        words: &[],
    }],
    counters: &["jams"],
    features: &["colour pages"],
    messages: OF_FAX,
    build: driver,
};

const BOILER: MonitorKind = MonitorKind {
    name: "boiler",
    metrics: &[MetricKind::gauge("pressure", Unit::Count).across(Across::Max), MetricKind::distribution("whistle")],
    watches: contract::Watches::Instances,
    facts: &[FactKind::new("make"), FactKind::new("fuel").with_values(&[("coal", "nothing but coal")])],
    messages: OF_BOILER,
    keys: &[],
    named: None,
    over_ssh: false,
    build: monitor,
};

const PLUGINS: Registry<'static> = Registry { drivers: &[FAX], monitors: &[BOILER], blocks: report::BLOCKS };

const STUDY: &str = "study: Faxes\nsystem:\n  name: office\n  instances:\n    office: { url: 'http://127.0.0.1:9', \
                     identity: { path: /version, expect: { name: office } } }\nwatch: { boiler: {} }\n\
                     exchanges:\n  page: { fax.send: { url: 'http://127.0.0.1:9' } }\nscenarios:\n  nominal:\n    \
                     load: { arrivals: 10/s, hold: 60s }\n    run: [page]\n\
                     report: { profile: full }\n";
const SECONDS: i64 = 60;

fn study() -> Study {
    let options = Options { secrets: SecretSource::Ignore, ..Options::default() };
    match study::load_text("study.yaml", STUDY, Path::new("."), &PLUGINS, &options) {
        Ok((study, _)) => study,
        Err(rejected) => panic!("{rejected}"),
    }
}

fn head() -> Head {
    let fact = |name: &str, value: &str| ("boiler".to_owned(), name.to_owned(), value.to_owned());
    let metric = BOILER.metrics[0].clone();
    let pressure = MetricHead {
        name: metric.name.into(),
        unit: "count".into(),
        kind: "gauge".into(),
        across: "max".into(),
        ..MetricHead::default()
    };
    let whistle =
        MetricHead { name: "whistle".into(), unit: "s".into(), kind: "distribution".into(), ..pressure.clone() };
    let jams = MetricHead { name: "jams".into(), across: "sum".into(), ..pressure.clone() };
    let drivers = MonitorHead {
        name: "drivers".into(),
        kind: "drivers".into(),
        watches: BOILER.watches.name().into(),
        every_s: 1.0,
        metrics: vec![jams],
        instances: vec!["fax".into()],
        ..MonitorHead::default()
    };
    Head {
        schema: record::RUN_SCHEMA.into(),
        id: "2026-11-22T10-00-00Z-faxes".into(),
        started: "2026-11-22T10:00:00Z".into(),
        wall_origin_ns: 1_795_341_600_000_000_000,
        study: "Faxes".into(),
        system: "office".into(),
        workers: 1,
        exchanges: vec![ExchangeHead {
            name: "page".into(),
            kind: "fax.send".into(),
            legs: vec![LegHead::of_exchange("answer")],
            ..ExchangeHead::default()
        }],
        scenarios: vec![ScenarioHead { name: "nominal".into(), model: "open".into(), ..ScenarioHead::default() }],
        steps: vec![StepHead {
            id: "hold".into(),
            phase: "hold".into(),
            seconds: Some(SECONDS as f64),
            repetition: 1,
            ..StepHead::default()
        }],
        instances: vec![InstanceHead { name: "office".into(), is_identified: true, ..InstanceHead::default() }],
        monitors: vec![
            MonitorHead {
                name: "boiler".into(),
                kind: "boiler".into(),
                watches: BOILER.watches.name().into(),
                every_s: 1.0,
                metrics: vec![pressure, whistle],
                facts: record::FactHead::of(BOILER.facts),
                on: String::new(),
                instances: vec!["office".into()],
            },
            drivers,
        ],
        features: vec![FeatureHead { exchange: "page".into(), name: "colour pages".into(), ..FeatureHead::default() }],
        facts: vec![fact("make", "Stork"), fact("fuel", "nothing but coal")],
        ..Head::default()
    }
}

/// Ten calls in each second, of 20 ms.
fn load(second: i64) -> Folded {
    let mut times = Histogram::new();
    times.record_n(Nanos::from_millis(20), 10);
    let mut lateness = Histogram::new();
    lateness.record_n(Nanos(80_000), 10);
    let (times, stream) = (times.to_sparse(), contract::NO_STREAM);
    let (step, exchange, leg, intended_s, end_s, count) = (0, 0, 0, second, second, 10);
    let leg_row = LegRow {
        step,
        exchange,
        leg,
        stream,
        population: Population::Ok,
        intended_s,
        end_s,
        count,
        units: count,
        bytes: 0,
        below: Vec::new(),
        response: times.clone(),
        service: times,
    };
    let outcome = OutcomeRow { step, exchange, leg, stream, outcome: Outcome::Ok, intended_s, end_s, count };
    let books = Books { intended: count, started: count, completed: count, ..Books::default() };
    Folded {
        legs: vec![leg_row],
        outcomes: vec![outcome],
        starts: vec![StartRow { step, exchange, stream, intended_s, started: count, lateness: lateness.to_sparse() }],
        iterations: vec![IterationRow { step, stream, intended_s, end_s, books }],
        notes: Vec::new(),
        slowest: Vec::new(),
    }
}

/// A run folder as the recorder leaves it.
fn recorded(path: &Path, study: &Study) -> Run {
    let head = head();
    let mut writer = record::create(path, &head, &study.effective).unwrap();
    let mark = |at: i64, is_end| Entry::Step(StepMark { step: 0, at: Nanos::from_secs(at), is_end });
    writer.write(mark(0, false)).unwrap();
    for second in 0..SECONDS {
        writer.add(&Observed::Load(load(second))).unwrap();
        writer.write(Entry::Engine(EngineRow { second, cpu_s: 0.1, ..EngineRow::default() })).unwrap();
        let at = Nanos::from_secs(second);
        let value = Some(4.0 + (second % 7) as f64);
        let sample = SampleRow { at, monitor: 0, instance: "office".into(), metric: 0, value };
        let jams = Some((second % 3) as f64);
        let counted = SampleRow { at, monitor: 1, instance: "fax".into(), metric: 0, value: jams };
        // Four in a second: 10, 20, 30 and 40 ms.
        let blown = (1..=4).map(|part| {
            let at = at + Nanos::from_millis(200 * part);
            let value = Some(0.01 * part as f64);
            SampleRow { at, monitor: 0, instance: "office".into(), metric: 1, value }
        });
        writer.write(Entry::Samples([sample, counted].into_iter().chain(blown).collect())).unwrap();
    }
    writer.write(mark(SECONDS, true)).unwrap();
    let ending = Ending {
        reason: "completed".into(),
        at_ns: Nanos::from_secs(SECONDS).0,
        ended: head.started.clone(),
        ..Ending::default()
    };
    writer.finish(&Head { ending: Some(ending), ..head }).unwrap();
    Run::open(path).unwrap()
}

#[test]
fn the_words_of_a_plug_in_that_nobody_lists_are_in_every_report() {
    let scratch = tempfile::tempdir().unwrap();
    let study = study();
    let run = recorded(&scratch.path().join("run"), &study);
    let evidence = Evidence::read(&run).unwrap();
    let (views, judgement) = judge::judge(&evidence, &study);
    let page = |language: &str, plugins| {
        let state = report::EvidenceState::default();
        let input = report::Input {
            head: &run.head,
            study: Some(&study),
            views: &views,
            judgement: &judgement,
            state,
            plugins,
        };
        report::html(&input, language)
    };
    let words = [
        ("en", ["pages in colour", "Steam pressure", "Manufacturer", "only coal", "Paper jams"]),
        ("nl", ["bladen in kleur", "Stoomdruk", "Fabrikant", "alleen steenkool", "Vastgelopen bladen"]),
        ("da", ["sider i farver", "Damptryk", "Fabrikant", "kun kul", "Papirstop"]),
    ];
    for (language, own) in words {
        let page = page(language, PLUGINS);
        for word in own {
            assert!(page.contains(word), "{language}: `{word}` is missing");
        }
        for (_, others) in words.iter().filter(|(other, _)| *other != language) {
            let foreign: Vec<_> = others.iter().filter(|word| !own.contains(word) && page.contains(**word)).collect();
            assert!(foreign.is_empty(), "{language}: {foreign:?}");
        }
        // Nor the names by which they were recorded.
        assert!(!page.contains("nothing but coal") && !page.contains("colour pages"), "{language}");
    }
    // Without them a report has the names as they were recorded.
    let unknown = page("nl", Registry { drivers: &[], monitors: &[], blocks: report::BLOCKS });
    assert!(unknown.contains("nothing but coal") && unknown.contains("colour pages"));
}

#[test]
fn durations_that_were_watched_stand_server_by_server() {
    let scratch = tempfile::tempdir().unwrap();
    let study = study();
    let run = recorded(&scratch.path().join("run"), &study);
    let (views, judgement) = judge::judge(&Evidence::read(&run).unwrap(), &study);
    let state = report::EvidenceState::default();
    let (head, study) = (&run.head, Some(&study));
    let input = report::Input { head, study, views: &views, judgement: &judgement, state, plugins: PLUGINS };
    let page = report::html(&input, "en");
    let from = page.find("Monitored durations in the judged period of nominal").unwrap();
    let table = &page[from..from + page[from..].find("</table>").unwrap()];
    let cells: Vec<&str> = table.split(['<', '>']).map(str::trim).filter(|text| !text.is_empty()).collect();
    assert!(cells.contains(&"boiler.whistle") && cells.contains(&"office"), "{table}");
    // 240 in 60 s, 25 ms on average; of the ranks 120, 228 and 236 those of 20, 40 and 40 ms.
    for value in ["240", "4.00", "25.0", "20.0", "40.0"] {
        assert!(cells.contains(&value), "{value} is not in {cells:?}");
    }
}
