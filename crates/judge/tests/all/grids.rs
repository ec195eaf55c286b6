//! Grids: every cell against what was planned, the largest without an error, and cells that are not in order.
//!
//! The figures are those of a published report on streaming APIs, whose tables count errors of what was sent: 600
//! connections with 48 failed ones and "0 %", 2,000 messages a second as the limit, and 60 bytes with more errors than 125.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Run, evenly, sparse};
use judge::grids::{Grid, GridCell, GridLoad, GridRole};
use judge::{Arg, Judgement};
use record::{IterationRow, LegRow, OutcomeRow, StartRow};
use terms::{Books, Nanos, Outcome, Population, Verdict};

/// Seconds of each hold.
const HOLD: i64 = 20;

/// A grid of a scenario `ws` on held connections; `rules` as a study writes them.
fn study(grid: &str, more: &str, rules: &str) -> String {
    format!(
        "study: Grid\nvars: {{ open: 100, rate: 1/s, size: 500B, over: 5s }}\n{more}\n\
         system: {{ instances: {{ gate: {{ url: 'http://127.0.0.1:9', identity: {{ path: /, expect: {{ name: gate }} }} }} }} }}\n\
         watch: {{ host: {{}} }}\n\
         exchanges: {{ echo: {{ talk.echo: {{ service: 5ms }} }} }}\n\
         scenarios:\n  ws:\n    grid: {grid}\n    \
         load: {{ connections: $(open), each: $(rate), ramp: {{ over: $(over) }}, hold: {HOLD}s }}\n    run: [echo]\n\
         requirements: {{ {rules} }}\n"
    )
}

/// What became of a cell, in each second of its hold.
#[derive(Clone, Copy)]
struct Told {
    /// Connections that opened, and that did not.
    connections: (u64, u64),
    /// Messages that were planned, sent and rightly answered, a second.
    planned: u64,
    sent: u64,
    ok: u64,
}

/// Books one repetition of a cell.
fn tell(run: &mut Run, scenario: &str, repetition: u32, told: Told) {
    let number = run.study.scenarios.iter().position(|known| known.name == scenario).unwrap();
    let spans: Vec<_> = run.evidence.steps.iter().filter(|span| span.scenario == number).cloned().collect();
    let of = |phase: &str| {
        let is_it = |number: u32| {
            let step = &run.evidence.head.steps[number as usize];
            step.repetition == repetition && step.phase == phase
        };
        spans.iter().find(|span| is_it(span.number)).unwrap().clone()
    };
    let (ramp, hold) = (of("ramp"), of("hold"));
    leg(run, ramp.number, 2, ramp.from.second(), told.connections);
    for second in hold.from.second()..hold.from.second() + HOLD {
        leg(run, hold.number, 1, second, (told.sent, told.planned - told.sent));
        leg(run, hold.number, 0, second, (told.ok, told.planned - told.ok));
        let lateness = sparse(&vec![Nanos::ZERO; told.planned as usize]);
        run.rows.starts.push(StartRow {
            step: hold.number,
            exchange: 0,
            stream: contract::NO_STREAM,
            intended_s: second,
            started: told.planned,
            lateness,
        });
        let books = Books {
            intended: told.planned,
            started: told.planned,
            completed: told.ok,
            failed: told.planned - told.ok,
            ..Books::default()
        };
        let (step, stream) = (hold.number, contract::NO_STREAM);
        run.rows.iterations.push(IterationRow { step, stream, intended_s: second, end_s: second, books });
    }
}

fn leg(run: &mut Run, step: u32, leg: u8, second: i64, (ok, failed): (u64, u64)) {
    let populations = [(Population::Ok, Outcome::Ok, ok), (Population::Failed, Outcome::Refused, failed)];
    for (population, outcome, count) in populations.into_iter().filter(|(.., count)| *count > 0) {
        let times = sparse(&vec![Nanos::from_millis(20); count as usize]);
        let (exchange, stream) = (0, contract::NO_STREAM);
        run.rows.legs.push(LegRow {
            step,
            exchange,
            leg,
            stream,
            population,
            intended_s: second,
            end_s: second,
            count,
            units: count,
            bytes: 0,
            below: Vec::new(),
            response: times.clone(),
            service: times,
        });
        let row = OutcomeRow { step, exchange, leg, stream, outcome, intended_s: second, end_s: second, count };
        run.rows.outcomes.push(row);
    }
}

/// All went right on so many connections.
fn clean(connections: u64, per_second: u64) -> Told {
    Told { connections: (connections, 0), planned: per_second, sent: per_second, ok: per_second }
}

/// All connections stood, and only so many of the messages were answered.
fn lossy(connections: u64, per_second: u64, ok: u64) -> Told {
    Told { ok, ..clean(connections, per_second) }
}

fn only(judgement: &Judgement) -> &Grid {
    let [grid] = judgement.grids.as_slice() else { panic!("{:#?}", judgement.grids) };
    grid
}

fn cell<'a>(grid: &'a Grid, scenario: &str) -> &'a GridCell {
    grid.cells.iter().find(|cell| cell.scenario == scenario).unwrap()
}

fn rules(judgement: &Judgement, rule: &str) -> Vec<judge::Finding> {
    judgement.findings.iter().filter(|found| found.rule() == rule).cloned().collect()
}

/// The published sweep: three rates, three numbers of connections.
fn sweep() -> Run {
    sweep_with("")
}

/// The same with more keys of the study.
pub(crate) fn sweep_with(more: &str) -> Run {
    let grid = "{ rate: [1/s, 5/s, 10/s], open: [200, 400, 600] }";
    let mut run = Run::of(&study(grid, more, "echoed: share(echo.answer.ok) >= 99.9%"));
    for (rate, open, told) in [
        (1, 200, clean(200, 200)),
        (1, 400, clean(400, 400)),
        (1, 600, Told { connections: (552, 48), planned: 600, sent: 552, ok: 552 }),
        (5, 200, clean(200, 1000)),
        (5, 400, clean(400, 2000)),
        (5, 600, lossy(600, 3000, 1872)),
        (10, 200, clean(200, 2000)),
        (10, 400, lossy(400, 4000, 1498)),
        (10, 600, lossy(600, 6000, 808)),
    ] {
        tell(&mut run, &format!("ws_rate_{rate}_s_open_{open}"), 1, told);
    }
    run
}

#[test]
fn a_share_of_openings_is_one_of_connections_in_all_of_the_load() {
    // Ten of forty refused, beside eight hundred messages: a quarter, though all of it lies in the ramp.
    let rules = "opened: share(echo.connect.failed) <= 10%, none: count(echo.connect.failed) = 0, \
                 later: count(echo.connect.failed) = 0 in hold";
    let mut run = Run::of(&study("{ open: [40] }", "", rules));
    tell(&mut run, "ws_open_40", 1, Told { connections: (30, 10), planned: 40, sent: 30, ok: 30 });
    let opened = run.result("opened");
    // All of them opened in one second, which gives a share no interval; the count below needs none.
    assert_eq!(
        (opened.value, opened.sample_count, opened.verdict),
        (Some(0.25), 40, Verdict::CannotTell),
        "{opened:#?}"
    );
    assert_eq!((run.result("none").value, run.result("none").verdict), (Some(10.0), Verdict::NotMet));
    assert_eq!(run.result("later").value, Some(0.0), "what names its window looks there");
}

#[test]
fn failed_connections_are_errors_of_what_was_planned() {
    let judgement = sweep().judge();
    let grid = only(&judgement);
    assert_eq!((grid.name.as_str(), grid.load, grid.cells.len()), ("ws", GridLoad::Held, 9));
    let roles: Vec<_> = grid.variables.iter().map(|variable| (variable.name.as_str(), variable.role)).collect();
    assert_eq!(roles, [("rate", GridRole::Each), ("open", GridRole::Count)]);
    let cell = cell(grid, "ws_rate_1_s_open_600");
    let connections = cell.connections.unwrap();
    assert_eq!((connections.planned, connections.attempted, connections.failed), (Some(600), 600, 48));
    // 48 of 600 connections send nothing: 8 %, where a share of what was sent says 0 %.
    assert_eq!((cell.planned, cell.ok, cell.errors), (12_000, 11_040, 960));
    assert!((cell.error_share.unwrap().value - 0.08).abs() < 1e-12);
    assert_eq!(cell.sent.unwrap().share(), Some(0.0));
    assert_eq!((cell.verdict, cell.is_clean()), (Some(Verdict::NotMet), false));
    assert_eq!(grid.short_name(cell), "ws (1/s, 600)");
    let times = cell.times.as_ref().unwrap();
    assert!((times.percentiles[0].value - 20.0).abs() < 0.1, "{times:?}");
}

#[test]
fn planned_and_delivered_stand_on_one_axis() {
    let judgement = sweep().judge();
    let grid = only(&judgement);
    let rates = |scenario: &str| {
        let cell = cell(grid, scenario);
        (cell.offered_per_s.round(), cell.delivered_per_s.round(), cell.lost_per_s().round())
    };
    assert_eq!(rates("ws_rate_5_s_open_400"), (2000.0, 2000.0, 0.0));
    assert_eq!(rates("ws_rate_10_s_open_600"), (6000.0, 808.0, 5192.0));
    let share = cell(grid, "ws_rate_10_s_open_600").error_share.unwrap();
    assert!((share.value - 5192.0 / 6000.0).abs() < 1e-12);
}

#[test]
fn the_largest_cell_without_an_error_is_told_for_each_rate_and_how_sure_that_is() {
    let judgement = sweep().judge();
    let grid = only(&judgement);
    assert_eq!(grid.rising(), Some(1));
    let largest: Vec<_> = grid
        .lines
        .iter()
        .map(|line| {
            let (variable, value) = line.others[0];
            let name = line.clean.map(|cell| grid.cells[cell].scenario.as_str());
            (grid.variables[variable].values[value].as_str(), name.unwrap())
        })
        .collect();
    let wanted = [("1/s", "ws_rate_1_s_open_400"), ("5/s", "ws_rate_5_s_open_400"), ("10/s", "ws_rate_10_s_open_200")];
    assert_eq!(largest, wanted);
    let sure = grid.lines[2].sure.unwrap();
    assert_eq!((sure.planned, sure.repetitions), (40_000, 1));
    // The exact upper limit of none of n at 95 % is 1 - 0.05^(1/n).
    assert!((sure.error_share_at_most - (1.0 - 0.05f64.powf(1.0 / 40_000.0))).abs() < 1e-12);
    let connections = sure.failed_connections_at_most.unwrap();
    assert!((connections - (1.0 - 0.05f64.powf(1.0 / 200.0))).abs() < 1e-12, "{connections}");
    assert!(grid.lines.iter().all(|line| line.unclean_below.is_empty()));
}

#[test]
fn a_clean_cell_above_one_with_errors_asks_for_both_again() {
    let mut run = Run::of(&study("{ open: [100, 200, 400] }", "", "echoed: share(echo.answer.ok) >= 99.9%"));
    tell(&mut run, "ws_open_100", 1, clean(100, 100));
    tell(&mut run, "ws_open_200", 1, lossy(200, 200, 150));
    tell(&mut run, "ws_open_400", 1, clean(400, 400));
    let judgement = run.judge();
    let line = &only(&judgement).lines[0];
    assert_eq!((line.cells.as_slice(), line.clean, line.unclean_below.as_slice()), (&[0, 1, 2][..], Some(2), &[1][..]));
    let [found] = &rules(&judgement, "NONMONO")[..] else { panic!("{:?}", judgement.findings) };
    assert_eq!(found.scope, "ws_open_200/hold");
    assert_eq!(found.args()["where"], Arg::Text("ws_open_400/hold".into()));
    let [dip] = &rules(&judgement, "GRID-DIP")[..] else { panic!() };
    assert_eq!((&dip.args()["low"], &dip.args()["high"]), (&Arg::Text("200".into()), &Arg::Text("400".into())));
    assert_eq!((&dip.args()["low_share"], &dip.args()["high_share"]), (&Arg::Share(0.25), &Arg::Share(0.0)));
}

#[test]
fn more_errors_of_smaller_messages_are_told_by_the_values_of_the_variable() {
    // The published row: 60 B 29.1 %, 125 B 12.7 %, 250 B 14.3 %.
    let mut run = Run::of(&study("{ size: [60B, 125B, 250B] }", "", "echoed: share(echo.answer.ok) >= 80%"));
    tell(&mut run, "ws_size_60B", 1, lossy(100, 1000, 709));
    tell(&mut run, "ws_size_125B", 1, lossy(100, 1000, 873));
    tell(&mut run, "ws_size_250B", 1, lossy(100, 1000, 857));
    let judgement = run.judge();
    let grid = only(&judgement);
    assert_eq!((grid.variables[0].role, grid.rising(), grid.lines.len()), (GridRole::Other, None, 0));
    let [dip] = &rules(&judgement, "GRID-DIP")[..] else { panic!("{:?}", judgement.findings) };
    assert_eq!(
        (dip.scope.as_str(), &dip.args()["where"]),
        ("ws_size_60B/hold", &Arg::Text("ws_size_125B/hold".into()))
    );
    let found = rules(&judgement, "NONMONO");
    let pairs: Vec<_> =
        found.iter().map(|found| [found.args()["failed"].clone(), found.args()["held"].clone()]).collect();
    let texts = |low: &str, high: &str| [low, high].map(|text| Arg::Text(text.into()));
    assert_eq!(pairs, [texts("60B", "125B"), texts("60B", "250B")]);
}

#[test]
fn cells_that_differ_in_several_variables_are_in_no_order() {
    let grid = "{ rate: [1/s, 10/s], open: [100, 400] }";
    let mut run = Run::of(&study(grid, "", "echoed: share(echo.answer.ok) >= 99.9%"));
    tell(&mut run, "ws_rate_1_s_open_100", 1, clean(100, 100));
    // 400 connections are too many whatever they send, and 100 with ten messages a second are 1,000 a second.
    tell(&mut run, "ws_rate_1_s_open_400", 1, lossy(400, 400, 300));
    tell(&mut run, "ws_rate_10_s_open_100", 1, clean(100, 1000));
    tell(&mut run, "ws_rate_10_s_open_400", 1, lossy(400, 4000, 300));
    let judgement = run.judge();
    assert_eq!(rules(&judgement, "NONMONO"), []);
    assert_eq!(rules(&judgement, "GRID-DIP"), []);
}

#[test]
fn repetitions_give_intervals_between_them() {
    let mut run = Run::of(&study("{ open: [100, 200] }", "repeat: 3", "echoed: share(echo.answer.ok) >= 99.9%"));
    for (repetition, ok) in [(1, 190), (2, 180), (3, 170)] {
        tell(&mut run, "ws_open_100", repetition, clean(100, 100));
        tell(&mut run, "ws_open_200", repetition, lossy(200, 200, ok));
    }
    let judgement = run.judge();
    let grid = only(&judgement);
    let (clean, lossy) = (cell(grid, "ws_open_100"), cell(grid, "ws_open_200"));
    assert_eq!((clean.repetitions, clean.planned, clean.connections.unwrap().planned), (3, 6000, Some(300)));
    assert_eq!(grid.lines[0].sure.unwrap().repetitions, 3);
    // 5, 10 and 15 %: mean 10 %, t(2) = 4.303 times 5 points over the root of 3.
    let share = lossy.error_share.unwrap();
    let (low, high) = share.interval.unwrap();
    assert!((share.value - 0.1).abs() < 1e-12);
    assert!(low == 0.0 && (high - (0.1 + 4.302_65 * 0.05 / 3f64.sqrt())).abs() < 1e-5, "{low} {high}");
    assert_eq!(clean.delivered_interval, None, "three equal rates show no spread");
    let (_, high) = lossy.delivered_interval.unwrap();
    assert!(
        (lossy.delivered_per_s - 180.0).abs() < 1e-9 && (high - (180.0 + 4.302_65 * 10.0 / 3f64.sqrt())).abs() < 1e-2
    );
}

#[test]
fn a_ramp_is_told_by_what_it_changes_and_one_cell_is_no_grid() {
    let mut run =
        Run::of(&study("{ over: [5s, 10s], open: [100, 200] }", "", "echoed: share(echo.answer.ok) >= 99.9%"));
    for (over, open) in [(5, 100), (5, 200), (10, 100), (10, 200)] {
        tell(&mut run, &format!("ws_over_{over}s_open_{open}"), 1, clean(open, open));
    }
    let judgement = run.judge();
    let grid = only(&judgement);
    assert_eq!((grid.variables[0].role, grid.variables[1].role), (GridRole::Ramp, GridRole::Count));
    assert_eq!(grid.cells.iter().map(|cell| cell.ramp_s).collect::<Vec<_>>(), [5.0, 5.0, 10.0, 10.0]);
    let mut run = Run::of(&study("{ open: [100, 200] }", "", "echoed: share(echo.answer.ok) >= 99.9%"));
    tell(&mut run, "ws_open_100", 1, clean(100, 100));
    assert_eq!(run.judge().grids, [], "the second cell was not carried out");
}

#[test]
fn grids_of_arrivals_have_no_connections_and_count_what_was_never_sent() {
    let text = "study: Grid\nvars: { rate: 10/s }\n\
         system: { instances: { shop: { url: 'http://127.0.0.1:9', identity: { path: /, expect: { name: shop } } } } }\n\
         watch: { host: {} }\nexchanges: { x: { simulated.call: { service: 10ms } } }\n\
         scenarios:\n  web:\n    grid: { rate: [50/s, 100/s] }\n    load: { arrivals: $(rate), hold: 60s }\n    run: [x]\n\
         requirements: { fine: share(x.failed) <= 5% }\n";
    let mut run = Run::of(text);
    for (place, rate) in [(0, 50), (1, 100)] {
        let span = run.evidence.steps.iter().find(|span| span.scenario == place && span.id == "hold").unwrap().clone();
        let calls = evenly(span.number, span.from.second(), 60, rate, |number, call| match (place, number % 100) {
            (1, 7) => call.ended(Outcome::Status),
            (1, 57) => call.ended(Outcome::Dropped),
            _ => call,
        });
        run.add(&calls);
    }
    let judgement = run.judge();
    let grid = only(&judgement);
    assert_eq!((grid.load, grid.variables[0].role, grid.rising()), (GridLoad::Open, GridRole::Count, Some(0)));
    let cell = cell(grid, "web_rate_100_s");
    assert_eq!((cell.connections, cell.sent), (None, None));
    assert_eq!((cell.planned, cell.errors), (6000, 120));
    assert!((cell.error_share.unwrap().value - 0.02).abs() < 1e-12);
    assert_eq!(grid.lines[0].clean, Some(0));
}
