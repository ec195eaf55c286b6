//! A comparison for programs: as JSON, as CSV, and within `result.json`.

use crate::compared::{is_comparable, sentence};
use crate::csv_table::defused;
use crate::messages::Messages;
use judge::comparison::{Comparison, Pair, Row};
use serde_json::{Value, json};

/// The name of the schema that `loadproof compare --json` prints.
pub const COMPARE_SCHEMA: &str = "loadproof/compare/1";

/// What `loadproof compare --json` prints: one row for each row of each pair; with several pairs the id begins with the
/// other's label. Reasons are English sentences.
pub fn compare_json(comparison: &Comparison) -> String {
    let m = Messages::of("en");
    let is_one = comparison.pairs.len() == 1;
    let number = |value: Option<f64>| value.filter(|value| value.is_finite()).map_or(Value::Null, Value::from);
    let row = |pair: &Pair, row: &Row| {
        let of_change = |value: Option<f64>| number(value.filter(|_| is_comparable(row)));
        let id = if is_one { row.id.clone() } else { format!("{}: {}", pair.other.label, row.id) };
        json!({
            "id": id,
            "baseline": number(row.base),
            "other": number(row.other),
            "ratio": of_change(ratio(row)),
            "low": of_change(row.low),
            "high": of_change(row.high),
            "verdict": row.verdict.name(),
            "reason": sentence(&m, row),
        })
    };
    let rows: Vec<Value> =
        comparison.pairs.iter().flat_map(|pair| pair.rows.iter().map(move |one| row(pair, one))).collect();
    let value = json!({ "schema": COMPARE_SCHEMA, "rows": rows });
    let mut text = serde_json::to_string_pretty(&value).expect("invariant: maps with text keys always serialise");
    text.push('\n');
    text
}

/// Every field of every row as CSV, one line each, numbers in full; no change where the two must not be compared.
pub fn compare_csv(comparison: &Comparison) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = [
        "base",
        "other",
        "id",
        "scope",
        "subject",
        "statistic",
        "unit",
        "base_value",
        "other_value",
        "base_count",
        "other_count",
        "base_replicates",
        "other_replicates",
        "is_difference",
        "value",
        "low",
        "high",
        "change",
        "change_low",
        "change_high",
        "verdict",
        "reason",
        "method",
        "p",
        "a12",
        "runs_needed",
    ];
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let mut write = |record: Vec<String>| {
        writer.write_record(record).expect("invariant: writing to memory does not fail, and all records are alike");
    };
    write(head.map(str::to_owned).to_vec());
    for pair in &comparison.pairs {
        for row in &pair.rows {
            let of_change = |value: Option<f64>| number(value.filter(|_| is_comparable(row)));
            write(vec![
                defused(&comparison.base.label),
                defused(&pair.other.label),
                defused(&row.id),
                defused(&row.scope),
                defused(&row.subject),
                defused(&row.statistic),
                defused(&row.unit),
                number(row.base),
                number(row.other),
                row.base_count.to_string(),
                row.other_count.to_string(),
                row.base_replicates.to_string(),
                row.other_replicates.to_string(),
                row.is_difference.to_string(),
                of_change(row.value),
                of_change(row.low),
                of_change(row.high),
                of_change(row.change.map(|change| change.value)),
                of_change(row.change.map(|change| change.low)),
                of_change(row.change.map(|change| change.high)),
                row.verdict.name().to_owned(),
                row.reason.code.clone(),
                row.method.clone().unwrap_or_default(),
                number(row.p),
                number(row.superiority),
                row.runs_needed.map_or(String::new(), |runs| runs.to_string()),
            ]);
        }
    }
    let bytes = writer.into_inner().expect("invariant: writing to memory does not fail");
    String::from_utf8(bytes).expect("invariant: all fields are text")
}

/// The comparisons of a study for `result.json`: every field of every row, and its reason as an English sentence.
pub(crate) fn comparisons_value(comparisons: &[Comparison]) -> Value {
    let m = Messages::of("en");
    let mut value = serde_json::to_value(comparisons).unwrap_or_default();
    for (comparison, into) in comparisons.iter().zip(value.as_array_mut().into_iter().flatten()) {
        for (place, pair) in comparison.pairs.iter().enumerate() {
            for (number, row) in pair.rows.iter().enumerate() {
                into["pairs"][place]["rows"][number]["reason_text"] = Value::from(sentence(&m, row));
            }
        }
    }
    value
}

/// The ratio of a row; for a difference of shares that of its two values.
fn ratio(row: &Row) -> Option<f64> {
    if !row.is_difference {
        return row.value;
    }
    let (base, other) = (row.base?, row.other?);
    (base > 0.0).then(|| other / base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compared::line;
    use crate::compared::tests::row;
    use judge::comparison::{RowVerdict, Side};

    #[test]
    fn what_must_not_be_compared_has_no_change_in_any_format() {
        let m = Messages::of("en");
        let apart = Row { verdict: RowVerdict::NotComparable, ..row() };
        let shown = line(&m, &apart);
        assert_eq!((shown.change.as_str(), shown.interval.as_str(), shown.base.as_str()), ("–", "", "24.0\u{a0}ms"));
        let side = Side { label: "b".into(), ..Side::default() };
        let pair = Pair { other: side.clone(), differences: vec![], rows: vec![apart] };
        let comparison = Comparison { name: "runs".into(), band: 0.05, base: side, pairs: vec![pair] };
        let value: Value = serde_json::from_str(&compare_json(&comparison)).unwrap();
        for name in ["ratio", "low", "high"] {
            assert!(value["rows"][0][name].is_null(), "{name}");
        }
        assert_eq!(value["rows"][0]["baseline"], 24.0);
        assert!(!compare_csv(&comparison).contains("0.58"));
    }

    /// The schema is stable: these names and no others.
    #[test]
    fn the_schema_has_these_names_and_no_others() {
        let side = Side { label: "b".into(), ..Side::default() };
        let pair = Pair {
            other: side.clone(),
            differences: vec![],
            rows: vec![row(), Row { base: None, value: None, ..row() }],
        };
        let comparison = Comparison { name: "runs".into(), band: 0.05, base: side, pairs: vec![pair.clone()] };
        let value: Value = serde_json::from_str(&compare_json(&comparison)).unwrap();
        let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&value), ["rows", "schema"]);
        assert_eq!(value["schema"], "loadproof/compare/1");
        assert_eq!(names(&value["rows"][0]), ["baseline", "high", "id", "low", "other", "ratio", "reason", "verdict"]);
        assert!(value["rows"][1]["baseline"].is_null());
        let two = Comparison { pairs: vec![pair.clone(), pair], ..comparison };
        let value: Value = serde_json::from_str(&compare_json(&two)).unwrap();
        assert_eq!(value["rows"][0]["id"], "b: s/hold/x/answer/p95");
    }
}
