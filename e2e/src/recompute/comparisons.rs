//! Comparisons within a run: both values, how many calls or repetitions they are of, and their difference or ratio.

use super::compared::{Outcome, list, text};
use super::language::{Call, Rule, Sum, formula};
use super::load::Series;
use super::requirements::Reader;
use super::rows::Evidence;
use super::window::{Scope, Window, place_of};
use serde_json::Value;
use terms::Population;

/// Every row of every comparison of two scenarios of the run.
pub(super) fn compare(told: &mut Outcome, evidence: &Evidence, result: &Value) {
    for comparison in list(&result["comparisons"]) {
        for pair in list(&comparison["pairs"]) {
            let sides = [&comparison["base"], &pair["other"]];
            for row in list(&pair["rows"]) {
                compare_row(told, evidence, sides, row);
                for key in ["low", "high", "p", "superiority", "runs_needed"] {
                    told.leave_out("intervals of comparisons, which are drawn at random", &row[key]);
                }
            }
        }
    }
}

fn compare_row(told: &mut Outcome, evidence: &Evidence, sides: [&Value; 2], row: &Value) {
    let id = text(&row["id"]);
    let end = id.find(')').map_or(id.len(), |at| at + 1);
    let rule = formula(&id[..end]);
    let exchange = id[end..].trim();
    let exchange = if exchange.is_empty() { Some(None) } else { evidence.exchange(exchange).map(Some) };
    let keys = [("base", "base_count"), ("other", "other_count")];
    for (side, (key, count)) in sides.into_iter().zip(keys) {
        let is_own = list(&side["runs"]).iter().all(|run| run.as_str() == Some(&evidence.head.id));
        let found = match (&rule, exchange) {
            (Some(rule), Some(exchange)) if is_own => side_of(evidence, rule, side, exchange),
            _ => None,
        };
        match found {
            Some((value, counted)) => {
                told.of("comparisons").number(&format!("{id}, {key}"), &row[key], Some(value));
                told.of("comparisons").number(&format!("{id}, {count}"), &row[count], Some(counted));
            }
            None => told.leave_out("sides of comparisons that are other runs or have no value", &row[key]),
        }
    }
    // Of more repetitions the ratio is the mean of theirs.
    let repetitions =
        row["base_replicates"].as_u64().zip(row["other_replicates"].as_u64()).map(|(base, other)| base + other);
    let (Some(base), Some(other)) = (row["base"].as_f64(), row["other"].as_f64()) else { return };
    if repetitions.is_some_and(|repetitions| repetitions < 3) {
        let value = if row["is_difference"] == true { other - base } else { other / base };
        told.of("comparisons").number(&format!("{id}, value"), &row["value"], Some(value));
    } else {
        told.leave_out("ratios of several repetitions", &row["value"]);
    }
    told.of("comparisons").number(&format!("{id}, change"), &row["change"]["value"], Some(other / base - 1.0));
    ["low", "high"].iter().for_each(|key| told.leave_out("rounding of changes", &row["change"][*key]));
}

/// Value and count of a statistic of one exchange on one side.
fn side_of(evidence: &Evidence, rule: &Rule, side: &Value, exchange: Option<u16>) -> Option<(f64, f64)> {
    let [Sum::Call(call), ..] = &rule.clauses[0].sums[..] else { return None };
    let name = text(&side["scenario"]);
    let scenario = evidence.head.scenarios.iter().position(|known| known.name == name)?;
    // A part is named by itself, and is that of each side.
    let call = Call { places: call.places.last().cloned().into_iter().collect(), ..call.clone() };
    let step = text(&side["label"]).strip_prefix(name).and_then(|rest| rest.strip_prefix('/'));
    let scope = Scope { scenario, step: step.map(str::to_owned), ..Scope::default() };
    let place = place_of(evidence, &call, (scenario, None)).filter(|place| place.0 == scenario)?;
    let window = Window::of(evidence, rule, &scope, place);
    let series = Series::of(evidence, &window, &call.names, exchange);
    if let Some(series) = series.filter(|_| call.condition.is_none() && call.of.is_none()) {
        let is_of_times = matches!(series.figure.as_str(), "" | "response" | "service");
        match call.function.as_str() {
            "mean" if is_of_times => {
                let all = series.times(None)?.all;
                return Some((all.mean_ms()?, all.total() as f64));
            }
            "share" if series.figure == "failed" => {
                let of = |population| series.ended_in(population) as f64;
                let (ok, failed) = (of(Population::Ok), of(Population::Failed));
                return (ok + failed > 0.0).then(|| (failed / (ok + failed), ok + failed));
            }
            "rate" if series.figure == "ok" => return series.rate_of_leg().map(|(rate, count)| (rate, count as f64)),
            _ if is_of_times && call.quantile().is_some() => {
                let all = series.times(None)?.all;
                return Some((all.quantile(call.quantile()?)?.as_millis_f64(), all.total() as f64));
            }
            _ => {}
        }
    }
    // Anything else has one value for each repetition.
    let repetitions = 1..=evidence.head.repetitions(scenario as u16);
    let values = repetitions.filter_map(|repetition| {
        let scope = Scope { repetition: Some(repetition), exchange, ..scope.clone() };
        let reader = Reader { evidence, rule, scope: &scope };
        reader.sum(&Sum::Call(call.clone()), &rule.clauses[0]).map(|value| value.told())
    });
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| (values.iter().sum::<f64>() / values.len() as f64, values.len() as f64))
}
