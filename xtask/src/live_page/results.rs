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

/// Tiles and lines of a page that are not those of the second that it has drawn last.
pub(super) fn other_than_drawn(shown: &Value) -> Vec<String> {
    let (tiles, drawn) = (&shown["tiles"], &shown["drawn"]);
    let mut all = Vec::new();
    let length = drawn["n"].as_f64().unwrap_or(f64::NAN);
    let mut see = |name: &str, seen: Option<f64>, expected: Option<f64>| {
        // Three digits are shown.
        let is_same = seen.zip(expected).is_some_and(|(seen, expected)| (seen - expected).abs() <= expected * 0.006);
        if !is_same {
            all.push(format!("{name} is {seen:?}, and the second has {expected:?}"));
        }
    };
    for (name, place) in [("offered", 0), ("started", 1), ("completed", 2)] {
        let expected = drawn["b"][place].as_f64().map(|count| count / length);
        see(name, figure(&tiles[name]), expected);
        see(&format!("the line of {name}"), line(&shown["charts"], CHARTS[0], name), expected);
    }
    for (name, place) in [("p50", 0), ("p99", 2)] {
        see(name, figure(&tiles[name]), drawn["t"][place].as_f64());
        see(&format!("the line of {name}"), line(&shown["charts"], CHARTS[1], name), drawn["t"][place].as_f64());
    }
    all
}

/// Iterations that were offered and that ended each second, in the mean of a load from its second span to its last but one.
pub(super) fn per_s(frames: &[Value]) -> Option<[f64; 2]> {
    let has_load = |frame: &Value| frame["b"][0].as_u64() > Some(0);
    let (first, last) = (frames.iter().position(has_load)?, frames.iter().rposition(has_load)?);
    let full = frames.get(first + 1..last).filter(|full| !full.is_empty())?;
    let sum = |of: &dyn Fn(&Value) -> f64| full.iter().map(of).sum::<f64>();
    let count = |place: usize| sum(&|frame| frame["b"][place].as_f64().unwrap_or_default());
    let length = sum(&|frame| frame["n"].as_f64().unwrap_or_default());
    Some([count(0), count(2) + count(3)].map(|count| count / length))
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
    fn what_is_shown_is_what_the_newest_second_has() {
        let second = json!({ "s": 7, "n": 1, "b": [10_000, 9_990, 9_794, 196, 0, 0], "t": [3.187, 3.3, 4.264] });
        let lines = json!({ "offered": "10,000", "started": "9,990", "completed": "9,794" });
        let mut shown = json!({
            "drawn": second,
            "tiles": { "offered": "10,000", "started": "9,990", "completed": "9,794", "p50": "3.19", "p99": "4.26" },
            "charts": [
                { "title": "Iterations ", "lines": lines },
                { "title": "Times of successful calls ", "lines": { "p50": "3.19", "p99": "4.26" } },
            ],
        });
        assert_eq!(other_than_drawn(&shown), Vec::<String>::new());
        shown["tiles"]["offered"] = json!("9,000");
        shown["charts"][1]["lines"]["p99"] = json!("–");
        let told = other_than_drawn(&shown);
        assert_eq!(
            told,
            [
                "offered is Some(9000.0), and the second has Some(10000.0)",
                "the line of p99 is None, and the second has Some(4.264)"
            ]
        );
        assert_eq!(other_than_drawn(&Value::Null).len(), 10);
    }

    #[test]
    fn the_rate_is_that_of_full_spans() {
        let frame = |intended: u64, ended: u64| json!({ "n": 10, "b": [intended, ended, ended - 1, 1, 0, 0] });
        let frames = [frame(0, 1), frame(200, 50), frame(1990, 1900), frame(0, 100), frame(4010, 4000), frame(7, 9)];
        assert_eq!(per_s(&frames), Some([200.0, 200.0]));
        assert_eq!((per_s(&frames[..3]), per_s(&[])), (None, None));
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
