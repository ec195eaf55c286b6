//! The chapter of a grid, from the figures of a published report on streaming APIs: three rates, three numbers of
//! connections, 2,000 messages a second as the limit, and 48 failed connections that a share of what was sent hides.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture};
use judge::grids::{
    Grid, GridCell, GridConnections, GridLine, GridLoad, GridRole, GridSent, GridShare, GridVariable, Sure,
};
use judge::{Percentile, Times};
use report::document::{Block, Document, Figure, Section, Table};
use terms::{Validity, Verdict};

/// Rate, connections, failed connections, planned and delivered a second.
const CELLS: [(u64, u64, u64, u64, u64); 9] = [
    (1, 200, 0, 200, 200),
    (1, 400, 0, 400, 400),
    (1, 600, 48, 600, 552),
    (5, 200, 0, 1000, 1000),
    (5, 400, 0, 2000, 2000),
    (5, 600, 0, 3000, 1872),
    (10, 200, 0, 2000, 2000),
    (10, 400, 0, 4000, 1498),
    (10, 600, 0, 6000, 808),
];
const SECONDS: u64 = 20;

fn name(rate: u64, open: u64) -> String {
    format!("ws_rate_{rate}_s_open_{open}")
}

fn variable(name: &str, values: &[&str], role: GridRole) -> GridVariable {
    GridVariable { name: name.into(), values: values.iter().map(|value| (*value).into()).collect(), role }
}

fn times() -> Times {
    let percentile = |(quantile, value): (f64, f64)| Percentile {
        quantile,
        value,
        interval: Some((value * 0.9, value * 1.1)),
        is_censored: false,
    };
    Times { percentiles: [(0.5, 12.0), (0.99, 31.0)].map(percentile).to_vec(), ..Times::default() }
}

fn cell(place: usize, (rate, open, failed, planned, delivered): (u64, u64, u64, u64, u64)) -> GridCell {
    let errors = (planned - delivered) * SECONDS;
    let share = errors as f64 / (planned * SECONDS) as f64;
    let sent = (planned - failed * rate) * SECONDS;
    GridCell {
        scenario: name(rate, open),
        values: vec![place / 3, place % 3],
        repetitions: 1,
        seconds: SECONDS as f64,
        planned: planned * SECONDS,
        ok: delivered * SECONDS,
        errors,
        error_share: Some(GridShare { value: share, interval: Some((share * 0.9, share * 1.1 + 0.0001)) }),
        sent: Some(GridSent { count: sent, wrong: sent - delivered * SECONDS }),
        connections: Some(GridConnections { planned: Some(open), attempted: open, failed }),
        times: Some(times()),
        offered_per_s: planned as f64,
        delivered_per_s: delivered as f64,
        delivered_interval: None,
        ramp_s: 5.0,
        verdict: Some(if errors == 0 { Verdict::Met } else { Verdict::NotMet }),
        validity: Validity::Valid,
        is_whole: true,
    }
}

fn published() -> Grid {
    let cells: Vec<GridCell> = CELLS.into_iter().enumerate().map(|(place, of)| cell(place, of)).collect();
    let line = |(rate, clean): (usize, usize)| GridLine {
        others: vec![(0, rate)],
        cells: (rate * 3..rate * 3 + 3).collect(),
        clean: Some(clean),
        unclean_below: Vec::new(),
        sure: Some(Sure {
            planned: cells[clean].planned,
            repetitions: 1,
            error_share_at_most: 1.0 - 0.05f64.powf(1.0 / cells[clean].planned as f64),
            failed_connections_at_most: Some(0.0074),
        }),
    };
    let lines = [(0, 1), (1, 4), (2, 6)].map(line).to_vec();
    let variables = vec![
        variable("rate", &["1/s", "5/s", "10/s"], GridRole::Each),
        variable("open", &["200", "400", "600"], GridRole::Count),
    ];
    Grid { name: "ws".into(), load: GridLoad::Held, variables, cells, lines, scaling: Vec::new() }
}

/// The fixture with its two scenarios as the first cells of a grid of nine.
fn with(grid: Grid) -> Fixture {
    let mut fixture = fixture();
    let plain = fixture.study.scenarios[0].clone();
    let variables: Vec<String> = grid.variables.iter().map(|variable| variable.name.clone()).collect();
    for cell in &grid.cells {
        let values = (0..variables.len()).map(|variable| grid.value(cell, variable).to_owned());
        fixture.study.scenarios.push(study::Scenario {
            name: cell.scenario.clone(),
            set: variables.iter().cloned().zip(values).collect(),
            cell: Some(study::Cell { grid: grid.name.clone(), variables: variables.clone() }),
            ..plain.clone()
        });
    }
    for (old, cell) in ["nominal", "clerks"].into_iter().zip(&grid.cells) {
        for step in fixture.views.steps.iter_mut().filter(|step| step.title == old) {
            step.title.clone_from(&cell.scenario);
        }
    }
    fixture.judgement.grids = vec![grid];
    fixture
}

fn chapter(document: &Document) -> &Section {
    document.sections.iter().find(|section| section.block == "grid").unwrap()
}

fn table<'a>(document: &'a Document, end: &str) -> &'a Table {
    document.tables().into_iter().find(|table| table.name.starts_with("grid-") && table.name.ends_with(end)).unwrap()
}

fn figure<'a>(document: &'a Document, anchor: &str) -> &'a Figure {
    document.figures().into_iter().find(|figure| figure.anchor == anchor).unwrap()
}

fn row(table: &Table, first: [&str; 2]) -> Vec<String> {
    let of = |row: &&report::document::Row| [0, 1].map(|place| row.cells[place].text.as_str()) == first;
    let found = table.rows.iter().find(of).unwrap();
    found.cells.iter().map(|cell| format!("{}|{}", cell.text, cell.detail).trim_end_matches('|').to_owned()).collect()
}

#[test]
fn the_first_screen_names_a_grid_once_and_the_values_that_were_tried() {
    let mut grid = published();
    grid.variables.push(variable("size", &["500B", "60B"], GridRole::Other));
    grid.cells.iter_mut().for_each(|cell| cell.values.push(0));
    let mut fixture = with(grid);
    fixture.study.report.profile = "grid".into();
    let document = report::document(&fixture.input(), "en");
    let said: Vec<&str> = (document.sections[0].blocks.iter())
        .filter_map(|block| if let Block::Paragraph { text, .. } = block { Some(text.as_str()) } else { None })
        .collect();
    let tested = said.iter().find(|text| text.starts_with("Tested: ")).unwrap();
    let load = "ws with 9 combinations of rate (1/s, 5/s, 10/s), open (200, 400, 600), size (500B), for up to 20.0\u{a0}s each.";
    assert!(tested.ends_with(load), "{tested}");
    assert!(said.iter().all(|text| !text.contains("Set by scenario")), "{said:?}");
}

#[test]
fn every_cell_has_a_row_against_what_was_planned() {
    let fixture = with(published());
    let document = report::document(&fixture.input(), "en");
    let cells = table(&document, "-cells");
    let titles: Vec<&str> = cells.columns.iter().map(|column| column.title.as_str()).collect();
    let wanted = [
        "rate",
        "open",
        "Connections",
        "Failed",
        "Planned",
        "Errors of planned",
        "Errors of sent",
        "p50",
        "p99",
        "Delivered",
        "Verdict",
    ];
    assert_eq!(titles, wanted);
    assert_eq!(cells.rows.len(), 9);
    // The published table says 0 % here.
    let hidden = row(cells, ["1/s", "600"]);
    assert_eq!(hidden[2..5], ["600", "48", "12,000"].map(str::to_owned));
    assert_eq!((hidden[5].split('|').next().unwrap(), hidden[6].as_str()), ("8.00", "0"));
    assert_eq!((hidden[7].as_str(), hidden[10].as_str()), ("12.0|10.8 – 13.2", "not met"));
    assert_eq!(row(cells, ["10/s", "600"])[9], "808");
    assert!(cells.rows[1].is_strong && !cells.rows[2].is_strong);
    let definitions = table(&document, "-definitions");
    let terms: Vec<&str> = definitions.rows.iter().map(|row| row.cells[0].text.as_str()).collect();
    let all = ["Planned", "Offered", "OK", "Delivered", "Failed connection", "Errors of planned", "Errors of sent"];
    assert_eq!(terms, all);
}

#[test]
fn the_largest_cells_stand_with_how_sure_they_are() {
    let fixture = with(published());
    let document = report::document(&fixture.input(), "en");
    let clean = table(&document, "-clean-table");
    let shown: Vec<_> = clean.rows.iter().map(|row| [0, 1, 2].map(|place| row.cells[place].text.clone())).collect();
    let wanted = [["1/s", "400", "8,000"], ["5/s", "400", "40,000"], ["10/s", "200", "40,000"]];
    assert_eq!(shown, wanted.map(|row| row.map(str::to_owned)));
    assert_eq!(clean.rows[2].cells[4].text, "≤\u{a0}0.00749");
    assert_eq!(
        (clean.rows[0].cells[6].text.as_str(), clean.rows[0].cells[6].detail.as_str()),
        ("600", "48 failed connections, 8.00% errors")
    );
    let text = format!("{:?}", chapter(&document));
    assert!(text.contains("9 of the 9 combinations were measured once"), "single runs are not proof");
    assert!(!text.contains("Errors do not simply grow"));
}

#[test]
fn what_is_not_in_order_is_to_be_repeated() {
    let mut grid = published();
    grid.cells[0].ok -= 10;
    grid.cells[0].errors += 10;
    grid.lines[0].unclean_below = vec![0];
    let fixture = with(grid);
    let document = report::document(&fixture.input(), "en");
    let text = format!("{:?}", chapter(&document));
    assert!(text.contains("ws (1/s, 400) had no errors, although smaller ones had: ws (1/s, 200)."), "{text}");
    assert!(text.contains("Errors do not simply grow with open."));
}

#[test]
fn the_map_has_a_sign_in_every_cell() {
    let fixture = with(published());
    let document = report::document(&fixture.input(), "en");
    let map = figure(&document, "fig-grid-map-0");
    assert_eq!((map.svg.matches(">✓</text>").count(), map.svg.matches(">✗</text>").count()), (5, 4));
    assert_eq!(map.svg.matches("fig-grid-map-0-hatch").count(), 5, "one pattern, and four cells in it");
    assert_eq!(map.caption, "4 of 9 combinations have errors");
    assert!(
        map.observation.ends_with("The most errors were in ws (10/s, 600): 86.5% of what was planned."),
        "{}",
        map.observation
    );
    let mut three = published();
    three.variables.push(variable("size", &["60B", "500B"], GridRole::Other));
    let twice = three.cells.iter().flat_map(|cell| [0, 1].map(|size| (size, cell.clone()))).map(|(size, mut cell)| {
        cell.values.push(size);
        cell.scenario = format!("{}_{size}", cell.scenario);
        cell
    });
    three.cells = twice.collect();
    let fixture = with(three);
    let document = report::document(&fixture.input(), "en");
    let map = figure(&document, "fig-grid-map-0");
    assert!(map.svg.contains(">size 60B</text>") && map.svg.contains(">size 500B</text>"));
    assert_eq!(map.svg.matches(">✓</text>").count(), 10);
}

#[test]
fn a_collapse_is_seen_on_the_common_axis() {
    let fixture = with(published());
    let document = report::document(&fixture.input(), "en");
    let delivered = figure(&document, "fig-grid-delivered-0");
    assert_eq!(delivered.caption, "At most 2,000/s were delivered; of 6,000/s planned only 808/s were");
    assert!(delivered.assessment.starts_with("Beyond about 2,000/s, the more is asked"), "{}", delivered.assessment);
    assert_eq!(delivered.data.rows.len(), 9);
    assert_eq!(delivered.svg.matches("<circle").count(), 5, "a dot for each cell without errors");
    assert!(delivered.observation.contains("ws (10/s, 600) lost the most, 5,190/s"), "{}", delivered.observation);
}

#[test]
fn the_ramp_and_the_system_are_drawn_where_there_is_something_to_draw() {
    let fixture = with(published());
    let document = report::document(&fixture.input(), "en");
    let anchors: Vec<&str> = document.figures().iter().map(|figure| figure.anchor.as_str()).collect();
    assert!(anchors.contains(&"fig-grid-processor-0") && !anchors.contains(&"fig-grid-ramp-0"));
    let system = figure(&document, "fig-grid-processor-0");
    assert!(system.svg.contains(">1/s, 200</text>") && system.svg.contains(">1/s, 400</text>"));
    assert!(system.observation.ends_with("2 of 9 combinations are drawn."), "{}", system.observation);
    let mut grid = published();
    grid.variables[0] = variable("over", &["1m", "5m", "10m"], GridRole::Ramp);
    for cell in &mut grid.cells {
        cell.ramp_s = [60.0, 300.0, 600.0][cell.values[0]];
    }
    let fixture = with(grid);
    let document = report::document(&fixture.input(), "en");
    let ramp = figure(&document, "fig-grid-ramp-0");
    // 600 connections lost most: 8 % with the shortest ramp, 86.5 % with the longest.
    assert_eq!(ramp.caption, "8.00% errors with a ramp of 60\u{a0}s, 86.5% with one of 10\u{a0}min");
    assert!(ramp.assessment.starts_with("A longer ramp has more errors"));
    assert_eq!(ramp.data.rows.len(), 6, "200 connections had no errors with any ramp");
}

#[test]
fn losses_of_failed_connections_are_no_limit_of_messages() {
    let mut grid = published();
    grid.cells.truncate(3);
    grid.lines.truncate(1);
    let fixture = with(grid.clone());
    let document = report::document(&fixture.input(), "en");
    let delivered = figure(&document, "fig-grid-delivered-0");
    assert_eq!(delivered.caption, "What is missing belongs to failed connections");
    assert!(delivered.assessment.ends_with("is one of connections, not of messages per second."));
    grid.cells.truncate(2);
    grid.lines[0].cells.truncate(2);
    let fixture = with(grid);
    let document = report::document(&fixture.input(), "en");
    let (delivered, map) = (figure(&document, "fig-grid-delivered-0"), figure(&document, "fig-grid-map-0"));
    assert_eq!(delivered.caption, "Up to 400/s nearly everything was delivered");
    assert_eq!(delivered.observation, "ws (1/s, 400) delivered the most, 400/s.");
    assert!(map.observation.ends_with("No combination has errors."), "{}", map.observation);
}

#[test]
fn loads_without_connections_have_no_columns_for_them() {
    let mut grid = published();
    grid.load = GridLoad::Closed;
    for cell in &mut grid.cells {
        (cell.connections, cell.sent) = (None, None);
    }
    grid.lines.iter_mut().filter_map(|line| line.sure.as_mut()).for_each(|sure| sure.failed_connections_at_most = None);
    let fixture = with(grid);
    for language in report::LANGUAGES {
        let document = report::document(&fixture.input(), language);
        assert_eq!(table(&document, "-cells").columns.len(), 8, "{language}");
        assert_eq!(table(&document, "-clean-table").columns.len(), 6, "{language}");
        let chapter = format!("{:?}", table(&document, "-definitions"));
        for word in ["onnection", "erbinding", "orbindelse"] {
            assert!(!chapter.contains(word), "{language}: {chapter}");
        }
    }
}

#[test]
fn readers_see_short_names_and_programs_those_that_are_typed() {
    let fixture = with(published());
    for language in report::LANGUAGES {
        let html = report::html(&fixture.input(), language);
        assert!(html.contains("ws (1/s, 400)"), "{language}");
        // Once, where it says what is typed.
        assert_eq!(html.matches("ws_rate_1_s_open_200").count(), 1, "{language}");
        assert_eq!(html.matches("ws_rate_10_s_open_600").count(), 0, "{language}");
    }
    let folder = tempfile::tempdir().unwrap();
    let wanted = report::WriteOptions { formats: &["csv", "json"], language: "nl", is_strict: false };
    report::write(&fixture.input(), folder.path(), &wanted).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("tables/fig-grid-delivered-0.csv").contains("ws_rate_10_s_open_600"));
    let cells = read("tables/grid-0-ws-cells.csv");
    assert!(cells.lines().next().unwrap().contains("Errors of planned: low [%]"), "{cells}");
    let result: serde_json::Value = serde_json::from_str(&read("result.json")).unwrap();
    let cell = &result["grids"][0]["cells"][2];
    assert_eq!(
        (cell["scenario"].as_str(), cell["name"].as_str()),
        (Some("ws_rate_1_s_open_600"), Some("ws (1/s, 600)"))
    );
    assert_eq!((&cell["connections"]["failed"], &cell["error_share"]["value"]), (&48.into(), &0.08.into()));
    assert_eq!(result["grids"][0]["lines"][2]["largest_clean"], "ws_rate_10_s_open_200");
}

#[test]
fn the_profile_answers_what_is_asked_of_such_a_report() {
    let mut fixture = with(published());
    fixture.study.report.profile = "grid".into();
    let document = report::document(&fixture.input(), "en");
    let conformance = document.sections.iter().find(|section| section.block == "conformance").unwrap();
    let is_table = |block: &Block| if let Block::Table(table) = block { Some(table.clone()) } else { None };
    let table = conformance.blocks.iter().find_map(is_table).unwrap();
    let unanswered: Vec<&str> = table
        .rows
        .iter()
        .filter(|row| row.cells[2].text.starts_with("Not answered"))
        .map(|row| row.cells[0].text.as_str())
        .collect();
    assert_eq!(unanswered, ["S3.10"], "no variable of it sets the ramp");
}

/// A grid for the tests of `result.json`.
pub(crate) fn gridded() -> Fixture {
    with(published())
}
