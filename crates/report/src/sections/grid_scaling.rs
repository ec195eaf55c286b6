//! What more replicas bring: a row for each exchange and number of replicas, and the figure beside it.

use super::grid_tables::with_interval_of;
use crate::charts;
use crate::document::{Block, Cell, Column, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use judge::grids::{Gain, Grid, Scaling, ScalingLevel};

/// A table and a figure for each instance whose replicas vary, and each combination of the other variables; `None` where
/// there are none.
pub(super) fn part(cx: &Context<'_>, grid: &Grid, anchor: &str) -> Option<Section> {
    let mut groups: Vec<Vec<&Scaling>> = Vec::new();
    for scaling in &grid.scaling {
        let is_own = |group: &&mut Vec<&Scaling>| {
            group.first().is_some_and(|first| (&first.instance, &first.others) == (&scaling.instance, &scaling.others))
        };
        match groups.iter_mut().find(is_own) {
            Some(group) => group.push(scaling),
            None => groups.push(vec![scaling]),
        }
    }
    if groups.is_empty() {
        return None;
    }
    let mut part = Section::new(format!("{anchor}-scaling"), say!(cx.m, "grid-scaling-title"));
    for (number, group) in groups.iter().enumerate() {
        part.add(Block::Table(table(cx, grid, group, &format!("{anchor}-scaling-{number}"))));
        part.blocks
            .extend(charts::grid_scaling(cx, group, &format!("fig-{anchor}-scaling-{number}")).map(Block::Figure));
    }
    Some(part)
}

fn caption(cx: &Context<'_>, grid: &Grid, group: &[&Scaling], instance: &str) -> String {
    let others = group.first().map_or(&[][..], |first| &first.others);
    let values: Vec<String> = others
        .iter()
        .filter_map(|(variable, value)| {
            let known = grid.variables.get(*variable)?;
            Some(format!("{} {}", clean(&known.name), clean(known.values.get(*value)?)))
        })
        .collect();
    match values.is_empty() {
        true => say!(cx.m, "table-grid-scaling", instance = instance),
        false => say!(cx.m, "table-grid-scaling-with", instance = instance, with = &values.join(", ")),
    }
}

fn table(cx: &Context<'_>, grid: &Grid, group: &[&Scaling], name: &str) -> Table {
    let instance = &group.first().map_or_else(String::new, |first| clean(&first.instance));
    let unit = group.iter().find_map(|scaling| scaling.unit.as_deref()).map(clean);
    let mut columns = vec![
        Column::text(say!(cx.m, "col-exchange")),
        Column::number(instance, ""),
        Column::number(say!(cx.m, "grid-scaling-calls"), ""),
        Column::number(say!(cx.m, "grid-scaling-time"), "s"),
    ];
    if let Some(unit) = &unit {
        columns.push(Column::number(say!(cx.m, "grid-scaling-carried", unit = unit), ""));
        columns.push(Column::number(say!(cx.m, "grid-scaling-rate", unit = unit), "/s"));
    }
    columns.push(Column::number(say!(cx.m, "grid-scaling-speed-up"), ""));
    columns.push(Column::number(say!(cx.m, "grid-scaling-efficiency"), "%"));
    let rows = group.iter().flat_map(|scaling| {
        scaling.levels.iter().enumerate().map(|(place, level)| row(cx, scaling, level, place == 0, unit.is_some()))
    });
    let mut notes = vec![say!(cx.m, "note-grid-scaling", instance = instance)];
    let reasons: Vec<String> = group
        .iter()
        .flat_map(|scaling| &scaling.levels)
        .filter_map(|level| level.reason.as_ref())
        .map(|reason| cx.reason(reason))
        .fold(Vec::new(), |mut all, reason| {
            if !all.contains(&reason) {
                all.push(reason);
            }
            all
        });
    if !reasons.is_empty() {
        notes.push(say!(cx.m, "note-grid-scaling-bare", why = &reasons.join(" ")));
    }
    Table { name: name.to_owned(), caption: caption(cx, grid, group, instance), columns, rows: rows.collect(), notes }
}

fn row(cx: &Context<'_>, scaling: &Scaling, level: &ScalingLevel, is_first: bool, has_units: bool) -> Row {
    let numbers = cx.m.numbers;
    let count = |count: f64| Cell::number(numbers.count(count), count);
    let mut cells = vec![
        Cell::code(clean(&scaling.exchange)),
        count(f64::from(level.replicas)),
        count(level.calls as f64),
        level.mean_s.map_or_else(Cell::missing, |mean| Cell::number(numbers.value(mean), mean)),
    ];
    if has_units {
        let each = level.units.filter(|_| level.calls > 0).map(|units| units / level.calls as f64);
        cells.push(each.map_or_else(Cell::missing, |each| Cell::number(numbers.value(each), each)));
        cells.push(level.units_per_s().map_or_else(Cell::missing, |rate| Cell::number(numbers.value(rate), rate)));
    }
    let gain = |gain: Option<Gain>, factor: f64| match gain {
        Some(gain) => {
            let interval = gain.interval.map(|(low, high)| (low * factor, high * factor));
            with_interval_of(cx, gain.value * factor, interval)
        }
        None => Cell::missing(),
    };
    if is_first {
        cells.extend([Cell::text(say!(cx.m, "grid-scaling-base")), Cell::missing()]);
    } else {
        cells.extend([gain(level.speed_up, 1.0), gain(level.efficiency, 100.0)]);
    }
    Row::new(cells)
}
