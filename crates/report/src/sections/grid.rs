//! A grid: every combination of a scenario's variables in one table and in one scale, counted against what was planned.

use super::{grid_scaling, grid_tables as tables};
use crate::charts;
use crate::document::{Block, NoteKind, Section, slug};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use judge::Arg;
use judge::grids::{Grid, SURE};

/// Chapters, one for each grid.
pub(super) fn grids(cx: &Context<'_>) -> Vec<Section> {
    cx.input.judgement.grids.iter().enumerate().map(|(number, grid)| chapter(cx, grid, number)).collect()
}

fn chapter(cx: &Context<'_>, grid: &Grid, number: usize) -> Section {
    let name = clean(&grid.name);
    let anchor = format!("grid-{number}-{}", slug(&grid.name));
    let mut section = Section::new(&anchor, say!(cx.m, "grid-title", grid = &name));
    section.add(Block::Paragraph { text: lead(cx, grid), findings: Vec::new(), is_lead: true });
    section.add(Block::Table(tables::definitions(cx, grid, &format!("{anchor}-definitions"))));
    section.add(Block::Table(tables::cells(cx, grid, &format!("{anchor}-cells"))));
    let part = |name: &str, title: String, blocks: Vec<Block>| {
        let mut part = Section::new(format!("{anchor}-{name}"), title);
        part.blocks = blocks;
        (!part.blocks.is_empty()).then_some(part)
    };
    let figure =
        |figure: Option<Box<crate::document::Figure>>| figure.map(Block::Figure).into_iter().collect::<Vec<_>>();
    let name_of = |kind: &str| format!("fig-grid-{kind}-{number}");
    let system = ["processor", "memory"]
        .into_iter()
        .flat_map(|kind| figure(charts::grid_system(cx, grid, kind, &name_of(kind))));
    section.parts.extend(grid_scaling::part(cx, grid, &anchor));
    section.parts.extend(
        [
            part("clean", say!(cx.m, "grid-clean-title"), clean_cells(cx, grid, &format!("{anchor}-clean-table"))),
            part("map", say!(cx.m, "grid-map-title"), figure(charts::grid_map(cx, grid, &name_of("map")))),
            part(
                "delivered",
                say!(cx.m, "grid-delivered-title"),
                figure(charts::grid_delivered(cx, grid, &name_of("delivered"))),
            ),
            part("ramp", say!(cx.m, "grid-ramp-title"), figure(charts::grid_ramp(cx, grid, &name_of("ramp")))),
            part("system", say!(cx.m, "grid-system-title"), system.collect()),
        ]
        .into_iter()
        .flatten(),
    );
    section
}

/// How many cells of how many variables, and how often each was measured.
fn lead(cx: &Context<'_>, grid: &Grid) -> String {
    let names: Vec<String> = grid.variables.iter().map(|variable| clean(&variable.name)).collect();
    let planned = grid.variables.iter().map(|variable| variable.values.len()).product::<usize>();
    let least = grid.cells.iter().map(|cell| cell.repetitions).min().unwrap_or(0);
    let most = grid.cells.iter().map(|cell| cell.repetitions).max().unwrap_or(0);
    let mut said = say!(
        cx.m,
        "grid-lead",
        cells = grid.cells.len(),
        variables = &names.join(" × "),
        often = if least == most { "same" } else { "differs" },
        least = u64::from(least),
        most = u64::from(most)
    );
    if grid.cells.len() < planned {
        said = format!(
            "{said} {}",
            say!(cx.m, "grid-lead-missing", missing = planned - grid.cells.len(), planned = planned)
        );
    }
    said
}

/// The largest cells without any error, how sure that is, and whether it must be repeated.
fn clean_cells(cx: &Context<'_>, grid: &Grid, name: &str) -> Vec<Block> {
    let Some(rising) = grid.rising().filter(|_| !grid.lines.is_empty()) else { return Vec::new() };
    let variable = clean(&grid.variables[rising].name);
    let mut blocks = vec![Block::Table(tables::largest_cells(cx, grid, rising, name))];
    let once = grid.cells.iter().filter(|cell| cell.repetitions < 2).count();
    if once > 0 {
        let text = say!(cx.m, "grid-clean-once", cells = once, all = grid.cells.len());
        blocks.push(Block::Note { kind: NoteKind::Warning, text });
    }
    let of_dips: Vec<String> = cx
        .input
        .judgement
        .findings
        .iter()
        .filter(|found| ["NONMONO", "GRID-DIP"].contains(&found.rule()))
        .filter(|found| grid.cells.iter().any(|cell| found.scope.is_of(&cell.scenario, None)))
        .map(|found| found.id.clone())
        .collect();
    let uneven: Vec<String> = grid
        .lines
        .iter()
        .filter_map(|line| Some((line.clean?, &line.unclean_below)))
        .filter(|(_, below)| !below.is_empty())
        .map(|(clean, below)| {
            let names: Vec<String> = below.iter().map(|cell| tables::short(grid, *cell)).collect();
            say!(cx.m, "grid-clean-uneven", clean = &tables::short(grid, clean), below = &names.join("; "))
        })
        .collect();
    if !uneven.is_empty() || !of_dips.is_empty() {
        let repeat = say!(cx.m, "grid-clean-repeat", variable = &variable);
        let text = uneven.into_iter().chain([repeat]).collect::<Vec<_>>().join(" ");
        blocks.push(Block::Paragraph { text, findings: of_dips, is_lead: false });
    }
    let sure = say!(cx.m, "grid-clean-reading", confidence = Arg::Share(SURE).given());
    blocks.push(Block::Note { kind: NoteKind::Reading, text: sure });
    blocks
}
