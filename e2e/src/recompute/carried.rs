//! What calls carried: in bulk, and by how many replicas.

use super::compared::{Outcome, list, text};
use super::rows::{Evidence, Span};
use super::times::{Times, response_of};
use record::LegRow;
use serde_json::Value;
use std::collections::BTreeMap;
use terms::Population;

/// Every number of `bulks`, and of `scaling` in every grid, that rows tell. Rates between stalls come from `stats`, and
/// intervals of speed-ups are those of comparisons.
pub(super) fn compare(told: &mut Outcome, evidence: &Evidence, result: &Value) {
    for bulk in list(&result["bulks"]) {
        compare_bulk(told, evidence, bulk);
    }
    for scaling in list(&result["grids"]).iter().flat_map(|grid| list(&grid["scaling"])) {
        compare_scaling(told, evidence, scaling);
    }
}

/// Holds of a scenario in order of time.
fn holds<'a>(evidence: &'a Evidence, scenario: &str) -> Vec<&'a Span> {
    let number = evidence.head.scenarios.iter().position(|known| known.name == scenario);
    let is_hold = |span: &&Span| evidence.planned(span.number).phase == "hold";
    number.map_or_else(Vec::new, |number| evidence.steps_of((number, None)).filter(is_hold).collect())
}

/// Units of a row: as many for each call as the scenario says, or those that its answers told.
fn units(evidence: &Evidence, span: &Span, row: &LegRow, unit: Option<&str>) -> f64 {
    let scenario = usize::from(evidence.planned(span.number).scenario);
    let mut carried = evidence.head.scenarios[scenario].carries.iter();
    let is_it =
        |known: &&record::CarriedHead| known.exchange == row.exchange && unit.is_none_or(|unit| unit == known.unit);
    match carried.find(is_it) {
        Some(known) => known.count.map_or(row.units as f64, |each| each as f64 * row.count as f64),
        None => 0.0,
    }
}

fn succeeded<'a>(evidence: &'a Evidence, span: &Span, exchange: &str) -> Vec<&'a LegRow> {
    let Some(number) = evidence.exchange(exchange) else { return Vec::new() };
    evidence.legs(span.number, number, 0).iter().filter(|row| row.population == Population::Ok).collect()
}

fn compare_bulk(told: &mut Outcome, evidence: &Evidence, bulk: &Value) {
    let (scenario, exchange, unit) = (text(&bulk["scenario"]), text(&bulk["exchange"]), text(&bulk["unit"]));
    let holds = holds(evidence, scenario);
    for through in list(&bulk["through"]) {
        for key in ["units", "seconds", "mean_per_s", "bytes"] {
            told.leave_out("watched counts of work in bulk", &through["carried"][key]);
        }
    }
    // One of several holds is told apart by its name only.
    let [span] = holds[..] else { return };
    let rows = succeeded(evidence, span, exchange);
    let carried: f64 = rows.iter().map(|row| units(evidence, span, row, Some(unit))).sum();
    let bytes: f64 = rows.iter().map(|row| row.bytes as f64).sum();
    let accepted = &bulk["accepted"];
    let mut bulks = told.of("work in bulk");
    for (key, value) in
        [("units", carried), ("seconds", span.seconds()), ("mean_per_s", carried / span.seconds()), ("bytes", bytes)]
    {
        bulks.number(&format!("bulk {scenario} {exchange}, {key}"), &accepted[key], Some(value));
    }
}

fn compare_scaling(told: &mut Outcome, evidence: &Evidence, scaling: &Value) {
    let exchange = text(&scaling["exchange"]);
    let mut first: Option<(f64, f64)> = None;
    for level in list(&scaling["levels"]) {
        let scenario = text(&level["scenario"]);
        let (mut times, mut carried) = (Times::default(), 0.0);
        let mut rounds: BTreeMap<u32, Times> = BTreeMap::new();
        for span in holds(evidence, scenario) {
            for row in succeeded(evidence, span, exchange) {
                times.add(response_of(row));
                rounds.entry(evidence.repetition(span.number)).or_default().add(response_of(row));
                carried += units(evidence, span, row, None);
            }
        }
        let mean = times.mean_ms().map(|ms| ms / 1e3);
        let replicas = level["replicas"].as_f64().unwrap_or(f64::NAN);
        // Over two or three repetitions it is the ratio of their geometric means; of more, another estimate takes its place.
        let logs: Vec<f64> = rounds.values().filter_map(|own| Some(own.mean_ms()?.ln())).collect();
        let middle = (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp());
        let gain = first.zip(middle).map(|((base, fewest), own)| (base / own, base / own * fewest / replicas));
        let gain = gain.filter(|_| (2..4).contains(&logs.len()) && level["speed_up"].is_object());
        let has_units = scaling["unit"].is_string();
        let rate = mean.map(|mean| carried / (mean * times.total() as f64)).filter(|_| has_units);
        let mut levels = told.of("replicas side by side");
        for (key, value) in [
            ("calls", Some(times.total() as f64)),
            ("mean_s", mean),
            ("units", Some(carried).filter(|_| has_units)),
            ("units_per_s", rate),
        ] {
            levels.number(&format!("{exchange} in {scenario}, {key}"), &level[key], value);
        }
        if let Some((speed_up, efficiency)) = gain {
            levels.number(&format!("{exchange} in {scenario}, speed-up"), &level["speed_up"]["value"], Some(speed_up));
            let place = format!("{exchange} in {scenario}, efficiency");
            levels.number(&place, &level["efficiency"]["value"], Some(efficiency));
        }
        first = first.or(middle.map(|middle| (middle, replicas)));
    }
}
