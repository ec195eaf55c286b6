//! All iterations of a run in one view: nothing of one is mixed with another, and every figure has one window.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture};
use judge::views::{MetricView, heat_bin};
use record::{MetricHead, MonitorHead};
use report::document::{Block, Document, Figure, Section, Table};
use std::collections::BTreeMap;
use terms::{Nanos, Phase};

fn chapter(document: &Document) -> &Section {
    document.sections.iter().find(|section| section.block == "iterations").unwrap()
}

fn part<'a>(document: &'a Document, anchor: &str) -> &'a Section {
    chapter(document).parts.iter().find(|part| part.anchor == anchor).unwrap()
}

fn figure<'a>(part: &'a Section, anchor: &str) -> &'a Figure {
    let figures = part.blocks.iter().filter_map(|block| match block {
        Block::Figure(figure) => Some(figure),
        _ => None,
    });
    figures.into_iter().find(|figure| figure.anchor == anchor).unwrap()
}

fn table<'a>(part: &'a Section, name: &str) -> &'a Table {
    let tables = part.blocks.iter().filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    tables.into_iter().find(|table| table.name == name).unwrap()
}

fn texts(table: &Table) -> Vec<Vec<&str>> {
    table.rows.iter().map(|row| row.cells.iter().map(|cell| cell.text.as_str()).collect()).collect()
}

/// Two iterations, of 120 and of 60 s, in which each call of `lookup` took 100 ms and 1 s: 20 a second ended in each.
fn two_loads() -> Fixture {
    let mut fixture = fixture();
    for (step, ms) in fixture.views.steps.iter_mut().filter(|step| step.phase == Phase::Hold).zip([100, 1000]) {
        let seconds = step.from.second()..step.to.second();
        let bin = heat_bin(Nanos::from_millis(ms));
        for leg in step.exchanges.iter_mut().filter(|it| it.name == "lookup").flat_map(|it| &mut it.legs) {
            leg.heat = seconds.clone().map(|second| (second, bin, 20)).collect();
            // One more, which ended when the next load had begun long ago: it stays with those it started with.
            leg.heat.add(205, [(bin, 1)]);
        }
    }
    fixture
}

#[test]
fn no_part_of_an_iteration_has_a_call_of_another() {
    let fixture = two_loads();
    let document = report::document(&fixture.input(), "en");
    let part = part(&document, "iterations-client");
    let figure = figure(part, "fig-iteration-times-0");
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for row in &figure.data.rows {
        let of = |column: usize| row.cells[column].raw.unwrap();
        let (iteration, p95) = (row.cells[1].text.as_str(), of(3));
        let truth = if iteration == "1" { 100.0 } else { 1000.0 };
        assert!((p95 / truth - 1.0).abs() < 0.13 && of(4) >= p95, "{iteration}: {p95}");
        *counts.entry(iteration).or_default() += of(2);
    }
    // 120 s and 60 s at 20/s, and the late one of each: no call is lost, none stands twice.
    assert_eq!(counts, [("1", 2401.0), ("2", 1201.0)].into());
    // Two marks an iteration, and its number below the axis.
    assert!(figure.svg.contains(">1</text>") && figure.svg.contains(">2</text>"));
    assert!(figure.caption.ends_with("in iteration 2"), "{}", figure.caption);
    // The open load must stay below 250 ms and does, the users below 200 ms and do not: each is counted in its own parts.
    let of = |text: &str| figure.assessment.contains(text);
    assert!(of("250\u{a0}ms for 95% of the calls is met in all 12 parts"), "{}", figure.assessment);
    assert!(of("200\u{a0}ms for 95% of the calls is exceeded in 6 of 6 parts"), "{}", figure.assessment);
}

#[test]
fn an_iteration_has_the_percentiles_of_all_its_calls() {
    let fixture = fixture();
    let document = report::document(&fixture.input(), "en");
    let table = table(part(&document, "iterations-client"), "iterations-times");
    let hold = fixture.judgement.steps.iter().find(|step| step.scenario == "nominal" && step.phase == "hold").unwrap();
    let lookup = hold.exchanges.iter().find(|exchange| exchange.id == "lookup").unwrap();
    let ok = lookup.legs.iter().find(|leg| leg.outcome == "ok").unwrap();
    let row = &table.rows[0];
    assert_eq!((row.cells[0].text.as_str(), row.cells[0].detail.as_str()), ("1", "lookup"));
    assert_eq!(row.cells[2].raw, Some(ok.count as f64));
    assert!((row.cells[3].raw.unwrap() - ok.count as f64 / 120.0).abs() < 1e-9);
    let p95 = ok.response.as_ref().unwrap().percentiles.iter().find(|p| p.quantile == 0.95);
    assert_eq!(row.cells[6].raw, p95.map(|p95| p95.value));
}

/// An access log of two servers: in the first iteration (20 to 140 s) one call a second each, of 2 s and of 3 s; in the
/// second (150 to 210 s) only the first server has any, of 2.5 s just.
fn with_access_log(mut fixture: Fixture) -> Fixture {
    let metric = MetricHead {
        name: "duration".into(),
        unit: "s".into(),
        kind: "distribution".into(),
        across: "sum".into(),
        ..MetricHead::default()
    };
    let monitor = MonitorHead {
        name: "access".into(),
        kind: "access_log".into(),
        watches: "instances".into(),
        on: String::new(),
        every_s: 1.0,
        metrics: vec![metric],
        facts: Vec::new(),
        instances: vec!["storage.1".into(), "storage.2".into()],
    };
    fixture.head.monitors.push(monitor.clone());
    let view = |instance: &str, points: Vec<(Nanos, Option<f64>)>| MetricView {
        monitor: monitor.clone(),
        metric: 0,
        instance: instance.into(),
        points,
    };
    let at = |range: std::ops::Range<i64>, value: f64| range.map(move |at| (Nanos::from_secs(at), Some(value)));
    // The moment at which an iteration ends is no longer its own.
    fixture.views.metrics.push(view("storage.1", at(20..141, 2.0).chain(at(150..210, 2.5)).collect()));
    fixture.views.metrics.push(view("storage.2", at(19..140, 3.0).collect()));
    fixture
}

#[test]
fn each_server_and_their_sum_are_counted_over_one_window() {
    let fixture = with_access_log(fixture());
    let document = report::document(&fixture.input(), "en");
    let part = part(&document, "iterations-servers");
    let table = table(part, "iterations-servers-0");
    // The study asks nothing of the log, so the limits on the clients' times are those of the log: one of them is 95 %
    // below 250 ms.
    let place = table.columns.iter().position(|it| it.title == "≥\u{a0}250\u{a0}ms").unwrap();
    assert_eq!((table.columns[place].unit.as_str(), table.columns[place + 1].unit.as_str()), ("", "%"));
    let expected = [
        ["storage.1", "1", "120", "120", "1.00", "2,000", "120", "100"],
        ["storage.1", "2", "60.0", "60", "1.00", "2,500", "60", "100"],
        ["storage.2", "1", "120", "120", "1.00", "3,000", "120", "100"],
        ["storage.2", "2", "60.0", "0", "0", "–", "0", "–"],
        ["all servers", "1", "120", "240", "2.00", "2,500", "240", "100"],
        ["all servers", "2", "60.0", "60", "1.00", "2,500", "60", "100"],
    ];
    let found: Vec<Vec<&str>> =
        texts(table).into_iter().map(|row| [&row[..6], &row[place..place + 2]].concat()).collect();
    assert_eq!(found, expected);
    assert!(table.rows[4].is_strong && !table.rows[3].is_strong);
    let calls = figure(part, "fig-iteration-calls-0");
    let a_minute: Vec<_> = calls.data.rows.iter().map(|row| (row.cells[1].text.as_str(), row.cells[2].raw)).collect();
    assert!(a_minute.iter().all(|(_, calls)| *calls == Some(60.0)), "{a_minute:?}");
    assert!(calls.assessment.contains("do not carry the same"), "{}", calls.assessment);
    let durations = figure(part, "fig-iteration-durations-0");
    let second = durations.data.rows.iter().find(|row| row.cells[1].text == "2").unwrap();
    assert_eq!((second.cells[2].raw, second.cells[3].raw), (Some(2500.0), None));
    assert!(durations.caption.contains("storage.2") && durations.caption.ends_with("in iteration 1"));
}

#[test]
fn servers_stand_side_by_side_in_one_scale_with_every_iteration_marked() {
    let fixture = fixture();
    let document = report::document(&fixture.input(), "en");
    let part = part(&document, "iterations-system");
    let cpu = figure(part, "fig-iteration-process-1");
    for server in ["gateway", "storage.1", "storage.2"] {
        assert!(cpu.svg.contains(&format!(">{server}</text>")), "{server}");
    }
    // storage.1 takes the most of all three, and the table has all of them.
    assert!(cpu.caption.contains("storage.1") && cpu.subject.contains("3 servers"), "{} {}", cpu.subject, cpu.caption);
    assert_eq!(cpu.data.columns.len(), 4);
    assert!(cpu.assessment.contains("do not carry the same"), "{}", cpu.assessment);
    // One scale: its ticks stand once, at the left. Both iterations are named below each of the three panels.
    assert_eq!(cpu.svg.matches(">1</text>").count() % 3, cpu.svg.matches(">2</text>").count() % 3);
    let names: Vec<&str> = part
        .blocks
        .iter()
        .filter_map(|block| if let Block::Figure(it) = block { Some(it.anchor.as_str()) } else { None })
        .collect();
    // Processor by kind, disk and memory of the machine; processor and memory of the processes.
    let expected = ["host-0", "host-2", "host-3", "process-1", "process-4"].map(|name| format!("fig-iteration-{name}"));
    assert_eq!(names, expected);
    assert!(figure(part, "fig-iteration-host-0").assessment.starts_with("No server has a replica"));
    // The gateway has other work: storage.1 is held against storage.2.
    assert!(cpu.assessment.contains("storage.2") && !cpu.assessment.contains("gateway"), "{}", cpu.assessment);
}

fn trend(
    subject: judge::trends::Subject,
    values: &[f64],
    said: judge::trends::Said,
    slope: Option<[f64; 3]>,
) -> judge::trends::Trend {
    let estimate = |[value, low, high]: [f64; 3]| stats::Estimate {
        value,
        low,
        high,
        confidence: 0.99,
        sample_count: values.len() as u64,
        design_effect: 1.0,
        method: "",
    };
    let points = values.iter().enumerate().map(|(place, value)| (10.0 * (place + 1) as f64, *value)).collect();
    judge::trends::Trend { subject, points, slope: slope.map(estimate), said }
}

/// Whatever is reported about a trend has its interval, and what cannot be told says why, in every language.
#[test]
fn a_trend_is_told_with_its_interval_or_its_reason() {
    use judge::trends::{Collecting, Course, Said, Subject};
    let mut fixture = fixture();
    let few = judge::Reason {
        code: "few".into(),
        args: [("have", judge::Arg::Count(4.0)), ("need", judge::Arg::Count(5.0))]
            .map(|(name, arg)| (name.to_owned(), arg))
            .into(),
    };
    let interval = judge::Reason { code: "interval".into(), args: judge::Args::new() };
    let old =
        Subject::OldHeap { series: "process.pss".into(), instance: "gateway".into(), limit: Some(1_431_830_528.0) };
    fixture.judgement.courses = vec![Course {
        scopes: (1..=5).map(|n| format!("a_{n}/hold")).collect(),
        is_users: true,
        trends: vec![
            trend(Subject::Throughput, &[18.1, 34.4, 50.0, 66.0, 80.0], Said::Rises, Some([1.89, 1.77, 2.01])),
            trend(
                Subject::Time,
                &[552.0, 560.0, 590.0, 600.0, 610.0],
                Said::CannotTell(interval),
                Some([1.06, 0.99, 1.13]),
            ),
            trend(Subject::High { exchange: "lookup".into() }, &[700.0; 4], Said::CannotTell(few), None),
            trend(old, &[1e8, 2e8, 3e8, 4e8, 5e8], Said::Rises, Some([4e8, 3.9e8, 4.1e8])),
        ],
        collecting: vec![
            Collecting { instance: "storage.1".into(), shares: vec![0.01, 0.02], full: Some(vec![0.0, 2.0]) },
            Collecting { instance: "storage.2".into(), shares: vec![0.01, 0.31], full: Some(vec![0.0, 513.0]) },
        ],
    }];
    for language in report::LANGUAGES {
        let document = report::document(&fixture.input(), language);
        let part = part(&document, "iterations-trends");
        let said: Vec<String> = part
            .blocks
            .iter()
            .filter_map(|block| if let Block::Definitions(all) = block { Some(all) } else { None })
            .flatten()
            .map(|(name, text)| format!("{name}: {text}"))
            .collect();
        let all = said.join("\n");
        let decimal = |text: &str| if language == "en" { text.to_owned() } else { text.replace('.', ",") };
        for number in ["1.89", "1.77", "2.01", "1.06", "513"] {
            assert!(all.contains(&decimal(number)), "{language}: {number} in {all}");
        }
        assert!(!all.contains('_') && !all.contains('{'), "{language}: {all}");
        let table = table(part, "iterations-trends-0");
        assert_eq!(table.rows.len(), 4);
        assert!(table.rows[2].cells[5].detail.contains('5'), "{language}: {:?}", table.rows[2].cells[5]);
    }
    let document = report::document(&fixture.input(), "en");
    let part = part(&document, "iterations-trends");
    let heads = part.blocks.iter().find_map(|block| if let Block::Definitions(all) = block { Some(all) } else { None });
    let of = |name: &str| &heads.unwrap().iter().find(|(known, _)| known == name).unwrap().1;
    assert!(of("Throughput").starts_with("Throughput rises with the load, from 18.1/s"), "{}", of("Throughput"));
    assert!(of("Response time").contains("the trend is undecided"));
    assert!(of("Garbage collection").contains("keeps up on storage.1"));
    assert!(of("Garbage collection").contains("does not keep up on storage.2"));
    // 1 − 5e8 / 1,431,830,528 bytes.
    assert!(of("Old generation").contains("65.1%"), "{}", of("Old generation"));
    assert_eq!(of("Processor"), "Not monitored in this run.");
}

/// The search `nominal` with one attempt, its second: an earlier run carried out the first.
fn with_attempt(fixture: &mut Fixture) {
    use judge::searches::curve::{Curve, InUse};
    use judge::searches::{AttemptResult, Outcome, SearchResult, Standing, Why};
    let reason = |code: &str| judge::Reason { code: code.into(), args: judge::Args::new() };
    let rule = study::NspRule {
        variables: ["users".into(), "more".into()],
        first: [1, 1],
        raise: [1, 1],
        most: [9, 9],
        target: 0.5,
    };
    let search = study::Search { name: "nominal".into(), rule: study::SearchRule::Nsp(rule), by: None };
    let attempt = AttemptResult {
        number: 2,
        run: None,
        scenario: "nominal".into(),
        values: vec![("users".into(), "8".into()), ("more".into(), "1".into())],
        load: 8.0,
        is_confirming: false,
        outcome: Outcome::Passed,
        is_sure: true,
        reason: reason("measured"),
        decided: None,
        is_degraded: false,
        must: None,
        throughput_per_s: 30.0,
        by_per_s: None,
        failed_share: Some(0.0),
        seconds: 120.0,
        validity: terms::Validity::Valid,
        growth: None,
    };
    let little =
        InUse { attempt: 2, users: 8.0, throughput_per_s: 3.0, each_s: 2.667, time_s: Some(2.6), off: Some(-0.025) };
    fixture.judgement.searches = vec![SearchResult {
        search: std::sync::Arc::new(search),
        attempts: vec![attempt],
        standing: Standing::Over(Why::Found),
        held: Some(8.0),
        failed: None,
        best: Some(0),
        curve: Some(Curve {
            points: vec![(8.0, 3.0)],
            law: Err(reason("few")),
            knee: Err(reason("few")),
            little: vec![little],
        }),
    }];
}

/// The second scenario of the run is not the second attempt.
#[test]
fn a_scenario_that_is_no_attempt_has_its_own_name_and_its_own_server_time() {
    let mut fixture = with_access_log(fixture());
    with_attempt(&mut fixture);
    // One call is an iteration, and the second scenario takes longer.
    for step in &mut fixture.views.steps {
        step.exchanges.retain(|exchange| exchange.name == "lookup");
    }
    let log = fixture.views.metrics.iter_mut().filter(|view| view.monitor.name == "access");
    for point in log.flat_map(|view| &mut view.points).filter(|(at, _)| at.second() >= 150) {
        point.1 = Some(9.0);
    }
    let document = report::document(&fixture.input(), "en");
    let times = table(part(&document, "iterations-client"), "iterations-times");
    let mut names: Vec<&str> = times.rows.iter().map(|row| row.cells[0].text.as_str()).collect();
    names.dedup();
    assert_eq!(names, ["2", "clerks"]);
    let little = document.tables().into_iter().find(|table| table.name.ends_with("-little")).unwrap();
    assert_eq!((little.rows[0].cells[0].text.as_str(), little.rows[0].cells[6].raw), ("2", Some(2500.0)));
}
