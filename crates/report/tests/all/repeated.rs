//! A study that carries its order out twice: each repetition has its chapter, what does not differ by time is drawn once,
//! and no number is lost.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture};
use judge::comparison::{Comparison, Pair, Row, RowChange, RowVerdict, Side};
use judge::{Args, Reason};
use report::document::{Block, Document, Section};
use terms::Nanos;

/// The fixture with its first scenario carried out once more, after everything else.
fn repeated() -> Fixture {
    let mut fixture = fixture();
    let extra = fixture.views.end.second() + 10;
    let first: Vec<_> = fixture.views.steps.iter().filter(|step| step.scenario == 0).cloned().collect();
    let next = fixture.views.steps.iter().map(|step| step.number).max().unwrap() + 1;
    let name = first[0].title.clone();
    for step in fixture.views.steps.iter_mut().filter(|step| step.scenario == 0) {
        step.title = format!("{name}#1");
        step.repetition = 1;
    }
    for (number, mut step) in (next..).zip(first) {
        let mut result = fixture.judgement.steps.iter().find(|known| known.number == step.number).unwrap().clone();
        (step.number, step.repetition, step.title) = (number, 2, format!("{name}#2"));
        (result.number, result.repetition) = (number, 2);
        step.from += Nanos::from_secs(extra);
        step.to += Nanos::from_secs(extra);
        step.seconds.iter_mut().for_each(|row| row.second += extra);
        for leg in step.exchanges.iter_mut().flat_map(|exchange| &mut exchange.legs) {
            leg.seconds.iter_mut().for_each(|row| row.second += extra);
            leg.heat = leg.heat.cells().map(|(second, bin, count)| (second + extra, bin, count)).collect();
        }
        fixture.views.steps.push(step);
        fixture.judgement.steps.push(result);
    }
    for series in &mut fixture.views.metrics {
        let again: Vec<_> = series.points.iter().map(|(at, value)| (*at + Nanos::from_secs(extra), *value)).collect();
        series.points.extend(again);
    }
    fixture.views.end += Nanos::from_secs(extra);
    fixture
}

fn blocks<'a>(sections: &'a [Section], found: &mut Vec<&'a Block>) {
    for section in sections {
        found.extend(&section.blocks);
        blocks(&section.parts, found);
    }
}

fn figures(document: &Document) -> Vec<&str> {
    document.figures().iter().map(|figure| figure.anchor.as_str()).collect()
}

#[test]
fn a_repetition_is_drawn_beside_the_first_and_keeps_its_numbers() {
    let fixture = repeated();
    let document = report::document(&fixture.input(), "en");
    let figures = figures(&document);
    for kind in ["over-time", "heat", "curve", "ecdf", "histogram"] {
        assert!(figures.contains(&format!("fig-{kind}-0-0").as_str()), "{kind}");
        assert!(!figures.contains(&format!("fig-{kind}-0-2-0").as_str()), "{kind}");
        let name = format!("fig-{kind}-0-2-0");
        assert!(document.tables().iter().any(|table| table.name == name && !table.rows.is_empty()), "{name}");
    }
    let curve = document.figures().into_iter().find(|figure| figure.anchor == "fig-ecdf-0-0").unwrap();
    assert!(curve.svg.contains(">#1</text>") && curve.svg.contains(">#2</text>"), "both repetitions are named");
    let mut all = Vec::new();
    blocks(&document.sections, &mut all);
    let said =
        |text: &str| all.iter().any(|block| matches!(block, Block::Note { text: note, .. } if note.contains(text)));
    assert!(said("#1"), "where the first repetition is drawn is stated");
    assert!(figures.contains(&"fig-throughput-0-2"), "the course of a repetition is drawn");
    assert!(figures.contains(&"fig-process-cpu-0") && !figures.contains(&"fig-process-cpu-0-2"));
}

#[test]
fn every_table_of_a_repetition_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let wanted = report::WriteOptions { formats: &["html", "csv"], language: "en", is_strict: false };
    report::write(&repeated().input(), folder.path(), &wanted).unwrap();
    let html = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    for file in html.split("tables/").skip(1).filter_map(|rest| rest.split(".csv").next()) {
        let path = folder.path().join(format!("tables/{file}.csv"));
        assert!(file.len() > 80 || file.contains('*') || path.is_file(), "{}", path.display());
    }
}

fn side(scenario: &str) -> Side {
    Side { label: scenario.into(), runs: vec!["r".into()], scenario: Some(scenario.into()), replicates: 1 }
}

pub(crate) fn row(statistic: &str, base: f64, other: f64, verdict: RowVerdict) -> Row {
    let change = other / base - 1.0;
    Row {
        id: format!("{statistic}(*.response) get"),
        statistic: statistic.into(),
        subject: "search".into(),
        scope: "nominal".into(),
        unit: "ms".into(),
        base: Some(base),
        other: Some(other),
        is_base_censored: false,
        is_other_censored: verdict == RowVerdict::CannotTell,
        base_count: 700,
        other_count: 650,
        base_replicates: 1,
        other_replicates: 1,
        is_difference: false,
        value: Some(other / base),
        low: None,
        high: None,
        band: 0.05,
        change: Some(RowChange { value: change, low: change, high: change }),
        verdict,
        reason: Reason { code: "compared_outside".into(), args: Args::new() },
        method: None,
        p: None,
        superiority: None,
        runs_needed: None,
        one_sided: None,
        chance: None,
    }
}

pub(crate) fn comparison(rows: Vec<Row>) -> Comparison {
    let pair = Pair { other: side("clerks"), differences: Vec::new(), rows };
    Comparison { name: "loads".into(), band: 0.05, base: side("nominal"), pairs: vec![pair] }
}

#[test]
fn compared_workloads_are_one_table_with_changes_below() {
    let mut fixture = fixture();
    let rows = vec![row("mean", 10.0, 12.0, RowVerdict::Different), row("p95", 20.0, 8000.0, RowVerdict::CannotTell)];
    fixture.judgement.comparisons = vec![comparison(rows)];
    let document = report::document(&fixture.input(), "en");
    let table = document.tables().into_iter().find(|table| table.name == "workloads").unwrap();
    let cells = |row: usize| {
        let cells = &table.rows[row].cells;
        cells.iter().map(|cell| format!("{}|{}", cell.text, cell.detail)).collect::<Vec<_>>()
    };
    assert_eq!(cells(0)[0], "nominal|each from 700 calls or more");
    assert!(cells(0)[1].starts_with("10.0\u{a0}ms") && cells(0)[1].ends_with('|'), "{:?}", cells(0));
    assert!(cells(1)[1].ends_with("|+20% ≠"), "{:?}", cells(1));
    assert!(
        cells(1)[2].starts_with("≥\u{a0}8.00\u{a0}s") && cells(1)[2].ends_with("|+7.98\u{a0}s ?"),
        "{:?}",
        cells(1)
    );
}

#[test]
fn a_comparison_of_other_things_than_times_has_no_such_table() {
    let mut fixture = fixture();
    let mut rows = vec![row("mean", 10.0, 12.0, RowVerdict::Different)];
    rows.push(Row { unit: "share".into(), ..rows[0].clone() });
    fixture.judgement.comparisons = vec![comparison(rows)];
    let document = report::document(&fixture.input(), "en");
    assert!(document.tables().iter().all(|table| table.name != "workloads"));
}
