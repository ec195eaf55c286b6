//! Work in bulk in `result.json`.

use crate::json_values::{number, optional, spans};
use judge::Judgement;
use judge::bulk::{Bulk, Carried, Through};
use serde_json::{Value, json};

/// `bulks`: one for each unit of an exchange in a hold that ends with a number of units or calls.
pub(crate) fn bulks(judgement: &Judgement) -> Vec<Value> {
    judgement.bulks.iter().map(bulk).collect()
}

fn bulk(bulk: &Bulk) -> Value {
    json!({
        "scope": bulk.scope.to_string(),
        "scenario": bulk.scenario,
        "exchange": bulk.exchange,
        "unit": bulk.unit,
        "begun": bulk.begun,
        "planned": bulk.planned,
        "accepted": carried(&bulk.accepted),
        "through": bulk.through.iter().map(through).collect::<Vec<_>>(),
    })
}

fn carried(carried: &Carried) -> Value {
    json!({
        "units": number(carried.units),
        "seconds": number(carried.seconds),
        "mean_per_s": number(carried.mean_per_s()),
        "bytes": number(carried.bytes),
        "working": carried.working.as_ref().map(|working| {
            json!({
                "per_s": number(working.per_s),
                "interval": [number(working.interval.0), number(working.interval.1)],
                "duty": number(working.duty),
                "lost": number(working.lost),
                "stalls": working.stalls.len(),
                "spans": spans(&working.stalls),
            })
        }),
    })
}

fn through(through: &Through) -> Value {
    json!({
        "leg": through.leg,
        "counted_by": through.counted_by,
        "carried": carried(&through.carried),
        "left": optional(through.left),
        "drained_s": optional(through.drained_s),
    })
}
