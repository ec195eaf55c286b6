//! Figures in what a page shows, and those of `result.json`.

use super::frames::COUNTS;
use serde_json::Value;

/// Charts that a run with failures on a watched machine has.
const CHARTS: [&str; 8] = [
    "Iterations",
    "Times of successful calls",
    "Failed calls",
    "In flight",
    "Processor",
    "Memory",
    "Generator: lateness of starts",
    "Generator: load threads",
];
/// Pixels of a line that crosses a chart, at least.
const INKED_MIN: u64 = 40;
/// At both ends of a load, seconds that are not full.
const ENDS: usize = 2;

/// A number as the page writes it: `10,000`, `1.93`, `2.05 %`.
pub(super) fn figure(text: &Value) -> Option<f64> {
    text.as_str()?.split(' ').next()?.replace(',', "").parse().ok()
}

/// The newest figure of a line of a chart.
pub(super) fn line(charts: &Value, title: &str, name: &str) -> Option<f64> {
    let chart = charts.as_array()?.iter().find(|chart| is_called(chart, title))?;
    figure(&chart["lines"][name])
}

fn is_called(chart: &Value, title: &str) -> bool {
    chart["title"].as_str().is_some_and(|text| text.trim() == title)
}

/// Charts that are missing, without a figure, or without a line.
pub(super) fn undrawn(charts: &Value) -> Vec<String> {
    let charts = charts.as_array().map_or(&[][..], Vec::as_slice);
    let mut all = Vec::new();
    for title in CHARTS {
        let Some(chart) = charts.iter().find(|chart| is_called(chart, title)) else {
            all.push(format!("`{title}` is missing"));
            continue;
        };
        let lines = chart["lines"].as_object();
        if !lines.is_some_and(|lines| lines.values().any(|text| text != "–")) {
            all.push(format!("`{title}` has no figure"));
        }
        if chart["inked"].as_u64().unwrap_or_default() < INKED_MIN {
            all.push(format!("`{title}` has no line"));
        }
    }
    all
}

/// Iterations that ended each second, in the mean of all full seconds of a level of seconds.
pub(super) fn ended_per_s(frames: &[Value]) -> Option<f64> {
    let loaded: Vec<&Value> = frames.iter().filter(|frame| frame["b"][0].as_u64() > Some(0)).collect();
    let full = loaded.get(ENDS..loaded.len().checked_sub(ENDS)?).filter(|full| !full.is_empty())?;
    let count =
        |frame: &&&Value| frame["b"][2].as_f64().unwrap_or_default() + frame["b"][3].as_f64().unwrap_or_default();
    Some(full.iter().map(|frame| count(&frame)).sum::<f64>() / full.len() as f64)
}

/// [`COUNTS`] of all steps of a result.
pub(super) fn counts(result: &Value) -> [u64; 6] {
    COUNTS.map(|name| steps(result).filter_map(|step| step[name].as_u64()).sum())
}

/// Calls of a result that succeeded and that failed.
pub(super) fn calls(result: &Value) -> [u64; 2] {
    ["ok", "failed"].map(|outcome| {
        let exchanges = steps(result).flat_map(|step| list(&step["exchanges"]));
        let legs = exchanges.flat_map(|exchange| list(&exchange["legs"]));
        legs.filter(|leg| leg["outcome"] == outcome).filter_map(|leg| leg["count"].as_u64()).sum()
    })
}

fn steps(result: &Value) -> impl Iterator<Item = &Value> {
    list(&result["scenarios"]).flat_map(|scenario| list(&scenario["steps"]))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_are_read_as_the_page_writes_them() {
        for (text, expected) in [("10,000", 10_000.0), ("1.93", 1.93), ("2.05 %", 2.05), ("0", 0.0), ("1.5e-4", 1.5e-4)]
        {
            assert_eq!(figure(&json!(text)), Some(expected), "{text}");
        }
        assert_eq!(figure(&json!("–")), None);
        let charts = json!([{ "title": "Iterations ", "lines": { "offered": "200" } }]);
        assert_eq!((line(&charts, "Iterations", "offered"), line(&charts, "Iterations", "x")), (Some(200.0), None));
    }

    #[test]
    fn a_chart_without_figures_or_lines_is_told() {
        let chart =
            |title: &str, text: &str, inked: u64| json!({ "title": title, "lines": { "a": text }, "inked": inked });
        let mut charts: Vec<Value> = CHARTS.iter().map(|title| chart(title, "1", 900)).collect();
        assert!(undrawn(&json!(charts)).is_empty());
        charts[1] = chart(CHARTS[1], "–", 0);
        charts.remove(5);
        let told = undrawn(&json!(charts));
        assert_eq!(
            told,
            [
                "`Times of successful calls` has no figure",
                "`Times of successful calls` has no line",
                "`Memory` is missing"
            ]
        );
        assert_eq!(undrawn(&Value::Null).len(), CHARTS.len());
    }

    #[test]
    fn the_rate_is_that_of_full_seconds() {
        let frame = |intended: u64, ended: u64| json!({ "b": [intended, ended, ended - 1, 1, 0, 0] });
        let frames =
            [frame(0, 1), frame(200, 50), frame(200, 190), frame(200, 200), frame(200, 202), frame(7, 9), frame(5, 2)];
        assert_eq!(ended_per_s(&frames), Some(201.0));
        assert_eq!((ended_per_s(&frames[..4]), ended_per_s(&[])), (None, None));
    }

    #[test]
    fn a_result_is_summed_over_its_steps() {
        let leg = |outcome: &str, count: u64| json!({ "outcome": outcome, "count": count });
        let step = |number: u64| {
            json!({
                "intended": number, "started": number, "completed": number - 1, "failed": 1, "dropped": 0, "aborted": 0,
                "exchanges": [{ "legs": [leg("ok", number - 1), leg("failed", 1), leg("all", number)] }],
            })
        };
        let result = json!({ "scenarios": [{ "steps": [step(10), step(5)] }, { "steps": [step(3)] }] });
        assert_eq!((counts(&result), calls(&result)), ([18, 18, 15, 3, 0, 0], [15, 3]));
    }
}
