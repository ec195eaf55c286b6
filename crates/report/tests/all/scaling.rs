//! What more replicas bring, from the times that a published report of an analytics server gives for two and three analyzers.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture};
use judge::grids::{Gain, Grid, GridCell, GridLoad, GridRole, GridVariable, Scaling, ScalingLevel};
use report::document::{Figure, Table};
use terms::{Validity, Verdict};

/// Query, seconds with two and with three analyzers.
const QUERIES: [(&str, f64, f64); 4] = [
    ("average_length", 222.70, 167.27),
    ("total_length", 221.74, 166.92),
    ("pages", 221.80, 166.14),
    ("pages_by_contributor", 236.11, 181.42),
];
/// Rows that each reads.
const ROWS: f64 = 16_753_779.0;

fn cell(place: usize) -> GridCell {
    GridCell {
        scenario: format!("queries_analyzers_{}", place + 2),
        values: vec![place],
        repetitions: 3,
        seconds: 900.0,
        planned: 12,
        ok: 12,
        errors: 0,
        error_share: None,
        sent: None,
        connections: None,
        times: None,
        offered_per_s: 0.01,
        delivered_per_s: 0.01,
        delivered_interval: None,
        ramp_s: 0.0,
        verdict: Some(Verdict::Met),
        validity: Validity::Valid,
        is_whole: true,
    }
}

fn level(cell: usize, mean_s: f64, speed_up: Option<f64>) -> ScalingLevel {
    let gain = |value: f64| Gain { value, interval: Some((value * 0.97, value * 1.03)) };
    ScalingLevel {
        cell,
        replicas: cell as u32 + 2,
        calls: 3,
        repetitions: 3,
        mean_s: Some(mean_s),
        units: Some(3.0 * ROWS),
        speed_up: speed_up.map(gain),
        efficiency: speed_up.map(|value| gain(value * 2.0 / 3.0)),
        reason: None,
    }
}

fn published() -> Grid {
    let scaling = QUERIES.map(|(exchange, two, three)| Scaling {
        exchange: exchange.into(),
        unit: Some("rows".into()),
        instance: "analyzer".into(),
        others: Vec::new(),
        levels: vec![level(0, two, None), level(1, three, Some(two / three))],
    });
    let values = vec!["2".to_owned(), "3".to_owned()];
    Grid {
        name: "queries".into(),
        load: GridLoad::Closed,
        variables: vec![GridVariable { name: "analyzers".into(), values, role: GridRole::Other }],
        cells: vec![cell(0), cell(1)],
        lines: Vec::new(),
        scaling: scaling.to_vec(),
    }
}

fn with(grid: Grid) -> Fixture {
    let mut fixture = fixture();
    fixture.judgement.grids = vec![grid];
    fixture
}

fn scaled(fixture: &Fixture, language: &str) -> (Table, Figure) {
    let document = report::document(&fixture.input(), language);
    let table = document.tables().into_iter().find(|table| table.name.contains("-scaling-")).unwrap().clone();
    let figure = document.figures().into_iter().find(|figure| figure.anchor.contains("-scaling-")).unwrap().clone();
    (table, figure)
}

fn words(table: &Table, row: usize) -> Vec<String> {
    table.rows[row]
        .cells
        .iter()
        .map(|cell| format!("{}|{}", cell.text, cell.detail).trim_end_matches('|').to_owned())
        .collect()
}

#[test]
fn queries_by_analyzers_have_speed_up_and_efficiency_with_their_intervals() {
    let (table, figure) = scaled(&with(published()), "en");
    assert_eq!(table.rows.len(), 8);
    assert_eq!(
        words(&table, 0),
        ["average_length", "2", "3", "223", "16,800,000", "75,200", "base", "–"],
        "{table:#?}"
    );
    let three = words(&table, 1);
    assert_eq!(&three[..6], ["average_length", "3", "3", "167", "16,800,000", "100,000"]);
    assert!(three[6].starts_with("1.33|1.29") && three[7].starts_with("88.8|86"), "{three:?}");
    assert!(figure.caption.contains("1.30 to 1.34 times as fast"), "{}", figure.caption);
    // The least efficient of them has no more than 89 % of what the third could bring.
    assert!(figure.assessment.contains("intervals do not show"), "{}", figure.assessment);
}

#[test]
fn what_every_replica_loses_is_told_where_every_interval_says_so() {
    let mut grid = published();
    for level in grid.scaling.iter_mut().flat_map(|scaling| &mut scaling.levels) {
        level.efficiency = level.efficiency.map(|gain| Gain { interval: Some((0.8, 0.86)), ..gain });
    }
    for (language, wanted) in [("en", "less than 90%"), ("nl", "minder dan 90%"), ("da", "mindre end 90")] {
        let (_, figure) = scaled(&with(grid.clone()), language);
        assert!(figure.assessment.contains(wanted), "{language}: {}", figure.assessment);
    }
}

#[test]
fn a_speed_up_without_an_interval_says_why() {
    let mut grid = published();
    let level = &mut grid.scaling[0].levels[1];
    level.speed_up = level.speed_up.map(|gain| Gain { interval: None, ..gain });
    level.reason = Some(judge::Reason { code: "compared_census".into(), args: judge::Args::new() });
    let (table, _) = scaled(&with(grid), "en");
    assert!(table.notes.iter().any(|note| note.contains("without an interval")), "{:?}", table.notes);
}
