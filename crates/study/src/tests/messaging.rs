//! The messaging study as the language's page writes it, read with stand-ins for its driver and monitors.

use super::fakes::{DRIVERS, MONITORS};
use crate::model::rule::{Clause, Scope, State, Subject};
use crate::{Options, Registry, Study, load_text};
use contract::{Closes, DriverKind, ExchangeKind, LegKind, MetricKind, MonitorKind, Work};
use terms::{Severity, Unit};

const LEGS: &[LegKind] =
    &[LegKind { name: "accepted", closes: Closes::Here }, LegKind { name: "reply", closes: Closes::Matched }];
const PING: &[ExchangeKind] =
    &[ExchangeKind { name: "ping", work: Work::Exchange, legs: LEGS, keys: &["url"], words: &[] }];
const PROCESS: &[MetricKind] = &[MetricKind::gauge("used", Unit::Bytes)];

const TEXT: &str = r#"study: Managed Digikoppeling Cloud
about: { nl: Gedrag van de adapter, en: The adapter under load }
vars: { pool: 16 }
assume:
  streams: { value: 20, about: "message streams, each a party with its own CPA" }
  average: { value: 5/s, about: average rate of one stream }
  days: { value: 260, about: working days a year }
  hours: { value: 24, about: "hours a day on which messages flow, 10 of them office hours" }
data: { cpas: { file: cpas.csv } }
system:
  name: adapter
  start: system-messaging --port $(port) --pong-to $(listeners.pong.url) $(faults)
  faults: { pool: $(pool) }
  work: [structure valid, "CPA, service and action known", message stored, Pong built, Pong stored, Pong sent]
  not_exercised: [payload, signature, acknowledgment, duplicate elimination]
listeners: { pong: http }
watch:
  host: {}
  process: {}
  store: { host: { values: {
    pings: "select count(*), cpa_id as stream from message where action = 'Ping' group by cpa_id",
    pongs: "select count(*), cpa_id as stream from message where action = 'Pong' group by cpa_id" } } }
exchanges:
  ping:
    ebms.ping: { url: "$(adapter.url)/ebms/$(cpas.cpa)" }
    legs: { reply: { within: 30s } }
scenarios:
  nominal:
    load: { arrivals: 10/s per stream, streams: { of: cpas, first: $(streams) }, ramp: { over: 1m, by: 50/s }, hold: 30m }
    run: [ping]
  peak:
    load: { arrivals: 25/s per stream, streams: { of: cpas, first: $(streams) }, ramp: { over: 1m, by: 100/s }, hold: 30m }
    run: [ping]
    abort: [ broken(cpu) for 2m, broken(memory) for 5m, share(ping.failed) > 5% for 30s ]
    recovery: 2m
requirements:
  stored: { that: count(ping.accepted) = count(store.pings) = count(store.pongs) per stream, about: every message is received and stored }
  answered: count(store.pongs) = count(ping.reply) per stream
  fast: { that: share(ping.accepted.response < 2s) >= 100%, severity: { nominal: must, peak: informative } }
  memory: { that: steady(process.used), about: memory use stays stable }
  cpu_steady: steady(host.cpu)
  cpu: { that: { nominal: mean(host.cpu) <= 65%, peak: mean(host.cpu) <= 90% } }
  controlled: { that: alive(adapter) and share(ping.failed) <= 1% and steady(rate(ping.accepted)), scenarios: [peak] }
capacity:
  volumes:
    nominal_year: { of: rate(ping.accepted), from: nominal, hours: $(hours), days: $(days) }
    nominal_office: { of: rate(ping.accepted), from: nominal, hours: 10, days: $(days) }
    peak_year: { of: rate(ping.accepted), from: peak, hours: $(hours), days: $(days) }
  ratios: { peak_to_nominal: rate(peak/ping) / rate(nominal/ping), peak_to_average: rate(peak/ping) / $(streams * average) }
report: { profile: full, languages: [nl, en], formats: [html, docx], organisation: Example, contact: A. Tester, version: "1.1", status: final }
"#;

fn read() -> Study {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (1..=20).map(|n| format!("cpa-{n},from-{n},to-{n}\n")).collect();
    std::fs::write(folder.path().join("cpas.csv"), format!("cpa,from,to\n{rows}")).unwrap();
    let ebms = DriverKind {
        name: "ebms",
        exchanges: PING,
        counters: &[],
        features: &[],
        messages: &[],
        build: DRIVERS[0].build,
    };
    let process = MonitorKind {
        name: "process",
        metrics: PROCESS,
        watches: contract::Watches::Instances,
        facts: &[],
        messages: &[],
        keys: &[],
        named: None,
        over_ssh: false,
        build: MONITORS[0].build,
    };
    let (drivers, monitors) = ([ebms], [MONITORS[0], process]);
    let registry = Registry { drivers: &drivers, monitors: &monitors, blocks: &[] };
    let loaded = load_text("messaging.yaml", TEXT, folder.path(), &registry, &Options::default());
    loaded.unwrap_or_else(|rejected| panic!("{rejected}")).0
}

#[test]
fn the_study_of_the_page_is_read_whole() {
    let study = read();
    let requirement = |name: &str| study.requirements.iter().find(|known| known.name == name).unwrap();
    for name in ["stored", "answered"] {
        let applies = &requirement(name).applies;
        assert_eq!(applies.iter().map(|it| it.scenario).collect::<Vec<_>>(), [0, 1], "{name}");
        assert!(applies.iter().all(|it| it.rule.per == [Scope::Stream] && it.rule.window.is_none()), "{name}");
    }
    let weights: Vec<Severity> = requirement("fast").applies.iter().map(|it| it.severity).collect();
    assert_eq!(weights, [Severity::Must, Severity::Informative]);
    let limits: Vec<&str> = requirement("cpu").applies.iter().map(|it| it.rule.text.as_str()).collect();
    assert_eq!(limits, ["mean(host.cpu) <= 65%", "mean(host.cpu) <= 90%"]);
    let controlled = &requirement("controlled").applies;
    assert_eq!((controlled.len(), controlled[0].scenario, controlled[0].rule.clauses.len()), (1, 1, 3));
    assert!(study.scenarios[0].abort.is_empty());
    assert_eq!(study.system.not_exercised.len(), 4);
    assert!(study.variables.iter().filter(|it| it.is_assumption).all(|it| it.is_used), "every assumption is used");
}

#[test]
fn the_peak_is_held_while_its_own_requirements_are_not_broken() {
    let study = read();
    let asked: Vec<(&str, &str)> = study.scenarios[1]
        .abort
        .iter()
        .flat_map(|rule| rule.asked.iter().map(|(name, rule)| (name.as_str(), rule.text.as_str())))
        .collect();
    assert_eq!(asked, [("cpu", "mean(host.cpu) <= 90%"), ("memory", "steady(process.used)")]);
    let Clause::State { state: State::Broken, subject, .. } = &study.scenarios[1].abort[0].clauses[0] else { panic!() };
    assert_eq!(subject.subject, Subject::Requirement("cpu".into()));
}
