//! Grids in `result.json`.

use crate::json_values::{number, optional, pair};
use crate::result::times;
use judge::Judgement;
use judge::grids::{Gain, Grid, GridCell, GridLine, Scaling, ScalingLevel};
use serde_json::{Map, Value, json};

/// `grids`: one for each, with its cells and how far each of its lines went without an error.
pub(crate) fn grids(judgement: &Judgement) -> Vec<Value> {
    judgement.grids.iter().map(grid).collect()
}

fn grid(grid: &Grid) -> Value {
    let variables = grid
        .variables
        .iter()
        .map(|variable| json!({ "name": variable.name, "changes": variable.role.name(), "values": variable.values }));
    json!({
        "id": grid.name,
        "load": grid.load.name(),
        "variables": variables.collect::<Vec<_>>(),
        "rises_by": grid.rising().map(|rising| grid.variables[rising].name.as_str()),
        "cells": grid.cells.iter().map(|cell| self::cell(grid, cell)).collect::<Vec<_>>(),
        "scaling": grid.scaling.iter().map(|scaling| self::scaling(grid, scaling)).collect::<Vec<_>>(),
        "lines": grid.lines.iter().map(|line| self::line(grid, line)).collect::<Vec<_>>(),
    })
}

fn cell(grid: &Grid, cell: &GridCell) -> Value {
    let set: Map<String, Value> = (0..grid.variables.len())
        .map(|variable| (grid.variables[variable].name.clone(), Value::from(grid.value(cell, variable))))
        .collect();
    json!({
        "scenario": cell.scenario,
        "name": grid.short_name(cell),
        "set": set,
        "repetitions": cell.repetitions,
        "seconds": number(cell.seconds),
        "planned": cell.planned,
        "ok": cell.ok,
        "errors": cell.errors,
        "error_share": cell.error_share.map(|share| json!({ "value": number(share.value), "interval": pair(share.interval) })),
        "sent": cell.sent.map(|sent| {
            json!({ "count": sent.count, "wrong": sent.wrong, "error_share": optional(sent.share()) })
        }),
        "connections": cell.connections.map(|all| {
            json!({ "planned": all.planned, "attempted": all.attempted, "failed": all.failed })
        }),
        "times_ms": cell.times.as_ref().map(|own| times(own, false)),
        "offered_per_s": number(cell.offered_per_s),
        "delivered_per_s": number(cell.delivered_per_s),
        "delivered_interval": pair(cell.delivered_interval),
        "ramp_s": number(cell.ramp_s),
        "verdict": cell.verdict.map(terms::Verdict::name),
        "validity": cell.validity.name(),
        "is_clean": cell.is_clean(),
    })
}

fn scaling(grid: &Grid, scaling: &Scaling) -> Value {
    let gain =
        |gain: Option<Gain>| gain.map(|gain| json!({ "value": number(gain.value), "interval": pair(gain.interval) }));
    let level = |level: &ScalingLevel| {
        json!({
            "scenario": grid.cells.get(level.cell).map(|cell| cell.scenario.as_str()),
            "replicas": level.replicas,
            "repetitions": level.repetitions,
            "calls": level.calls,
            "mean_s": optional(level.mean_s),
            "units": optional(level.units),
            "units_per_s": optional(level.units_per_s()),
            "speed_up": gain(level.speed_up),
            "efficiency": gain(level.efficiency),
            "reason": level.reason.as_ref().map(|reason| reason.code.as_str()),
        })
    };
    json!({
        "exchange": scaling.exchange,
        "instance": scaling.instance,
        "unit": scaling.unit,
        "set": set(grid, &scaling.others),
        "levels": scaling.levels.iter().map(level).collect::<Vec<_>>(),
    })
}

/// Variables with their values, by name.
fn set(grid: &Grid, of: &[(usize, usize)]) -> Map<String, Value> {
    of.iter()
        .filter_map(|(variable, value)| {
            let known = grid.variables.get(*variable)?;
            Some((known.name.clone(), Value::from(known.values.get(*value)?.as_str())))
        })
        .collect()
}

fn line(grid: &Grid, line: &GridLine) -> Value {
    let name = |cell: &usize| grid.cells.get(*cell).map(|cell| cell.scenario.clone());
    json!({
        "set": set(grid, &line.others),
        "cells": line.cells.iter().filter_map(name).collect::<Vec<_>>(),
        "largest_clean": line.clean.as_ref().and_then(name),
        "not_clean_below": line.unclean_below.iter().filter_map(name).collect::<Vec<_>>(),
        "sure": line.sure.map(|sure| {
            json!({
                "confidence": number(judge::grids::SURE),
                "planned": sure.planned,
                "repetitions": sure.repetitions,
                "error_share_at_most": number(sure.error_share_at_most),
                "failed_connections_at_most": optional(sure.failed_connections_at_most),
            })
        }),
    })
}
