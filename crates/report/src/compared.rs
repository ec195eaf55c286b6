//! A comparison for the terminal and for programs; its pages are drawn elsewhere.

use crate::document::{Block, Document, Section, TitleBlock, number_sections};
use crate::frame::Frame;
use crate::marks::row_mark;
use crate::messages::{Messages, say};
use crate::number::{Numbers, clean};
use crate::write::defused;
use judge::comparison::{Comparison, History, Pair, Row, RowVerdict};
use serde_json::{Value, json};

/// The name of the schema that `loadproof compare --json` prints.
pub const COMPARE_SCHEMA: &str = "loadproof/compare/1";

/// One row of a comparison, every number written.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedLine {
    /// Id of the row.
    pub id: String,
    /// `nominal/hold`
    pub scope: String,
    /// `ping`
    pub subject: String,
    /// `p95`
    pub statistic: String,
    /// The base's value with its unit; `≥ 30 s` where it is a lower bound; `–` without one.
    pub base: String,
    /// The other's value.
    pub other: String,
    /// `+7.3%`; where rounding leaves more than a point open, both ends: `+53 – +64%`; for shares the difference in
    /// percentage points, `+0.40 pt`.
    pub change: String,
    /// Interval of the change, `+6.9 – +7.8%`; empty without one.
    pub interval: String,
    /// What the row proves.
    pub verdict: RowVerdict,
    /// A sign for it: `≠ = ? ×`.
    pub mark: &'static str,
    /// The verdict in a word or two.
    pub word: &'static str,
    /// Why, as a sentence.
    pub reason: String,
}

/// The rows of a pair in English.
pub fn compared_lines(pair: &Pair) -> Vec<ComparedLine> {
    let m = Messages::of("en");
    pair.rows.iter().map(|row| line(&m, row)).collect()
}

pub(crate) fn line(m: &Messages, row: &Row) -> ComparedLine {
    let value = |value: Option<f64>, is_bound: bool| match value {
        Some(value) => format!("{}{}", if is_bound { "≥ " } else { "" }, m.numbers.in_unit(value, &row.unit)),
        None => "–".to_owned(),
    };
    let word = match row.verdict {
        RowVerdict::Different => "different",
        RowVerdict::Equivalent => "equivalent",
        RowVerdict::CannotTell => "cannot tell",
        RowVerdict::NotComparable => "not comparable",
    };
    ComparedLine {
        id: row.id.clone(),
        scope: row.scope.clone(),
        subject: row.subject.clone(),
        statistic: row.statistic.clone(),
        base: value(row.base, row.is_base_censored),
        other: value(row.other, row.is_other_censored),
        change: change(&m.numbers, row),
        interval: interval(&m.numbers, row),
        verdict: row.verdict,
        mark: row_mark(row.verdict),
        word,
        reason: sentence(m, row),
    }
}

/// Why a row says what it says.
pub(crate) fn sentence(m: &Messages, row: &Row) -> String {
    let said = m.judged(&format!("reason-{}", row.reason.code), &row.reason.args, &[]);
    said.unwrap_or_else(|| row.reason.code.replace('_', " "))
}

/// A change in percent with its sign: a place after the point below ten percent, none above.
fn percent(numbers: &Numbers, share: f64) -> String {
    let places = usize::from(share.abs() < 0.0995);
    let text = numbers.fixed(100.0 * share.abs(), places);
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.' | b','));
    let sign = if is_zero {
        "±"
    } else if share < 0.0 {
        "−"
    } else {
        "+"
    };
    format!("{sign}{text}")
}

/// From so many times the base on a change is written as a factor: `×4,640` is read, `+463,728%` is not.
const FACTOR: f64 = 10.0;

/// Both ends of a change, or the one where they are the same; percent stands once behind both.
fn relative(numbers: &Numbers, ends: &[f64]) -> String {
    if ends.iter().any(|share| *share >= FACTOR - 1.0) {
        let mut factors: Vec<String> = ends.iter().map(|share| format!("×{}", numbers.value(1.0 + share))).collect();
        factors.dedup();
        return factors.join(" … ");
    }
    let mut shares: Vec<String> = ends.iter().map(|share| percent(numbers, *share)).collect();
    shares.dedup();
    format!("{}{}", shares.join(" … "), numbers.percent)
}

fn points(numbers: &Numbers, share: f64) -> String {
    let sign = if share < 0.0 { "−" } else { "+" };
    format!("{sign}{} pt", numbers.fixed(100.0 * share.abs(), 2))
}

/// Whether a change of the row may be printed at all.
fn is_comparable(row: &Row) -> bool {
    row.verdict != RowVerdict::NotComparable
}

/// The change of a row with its sign; a dash where the two must not be compared.
pub(crate) fn change(numbers: &Numbers, row: &Row) -> String {
    if !is_comparable(row) {
        return "–".to_owned();
    }
    if row.is_difference {
        return row.value.map_or_else(|| "–".to_owned(), |value| points(numbers, value));
    }
    let Some(change) = row.change else { return "–".to_owned() };
    let at_least = if row.is_other_censored { "≥ " } else { "" };
    if change.high - change.low > 0.01 && !row.is_other_censored {
        return relative(numbers, &[change.low, change.high]);
    }
    format!("{at_least}{}", relative(numbers, &[change.value]))
}

/// The interval of a row's change; empty without one, and where the two must not be compared.
pub(crate) fn interval(numbers: &Numbers, row: &Row) -> String {
    if !is_comparable(row) {
        return String::new();
    }
    let ends = |low: f64, high: f64, of: &dyn Fn(f64) -> String| format!("{} … {}", of(low), of(high));
    match (row.low, row.high) {
        (Some(low), Some(high)) if row.is_difference => ends(low, high, &|value| points(numbers, value)),
        (Some(low), Some(high)) => relative(numbers, &[low - 1.0, high - 1.0]),
        (Some(low), None) => format!("≥ {}", relative(numbers, &[low - 1.0]).trim_start_matches('±')),
        _ => String::new(),
    }
}

/// A comparison as one HTML page in a language: circumstances, the matrix of changes, forests, and level shifts.
pub fn compare_html(comparison: &Comparison, histories: &[History], language: &str) -> String {
    let m = Messages::of(language);
    let mut sections: Vec<Section> =
        crate::sections::comparison(&m, std::slice::from_ref(comparison), histories).into_iter().collect();
    sections.iter_mut().for_each(crate::sections::leave_out_unassessed);
    number_sections(&mut sections, &say!(m, "page-table"));
    let headline =
        |pair| Block::Paragraph { text: crate::compare_headline::told(&m, pair), findings: Vec::new(), is_lead: true };
    if let Some(first) = sections.first_mut() {
        first.blocks.splice(0..0, comparison.pairs.iter().map(headline));
    }
    let mut facts = vec![(say!(m, "comparison-base"), clean(&comparison.base.label))];
    facts.extend(comparison.pairs.iter().map(|pair| (say!(m, "col-other"), clean(&pair.other.label))));
    let title = TitleBlock { title: say!(m, "comparison-runs"), facts, ..TitleBlock::default() };
    let document = Document { language: m.language, title, sections, frame: Frame::default() };
    crate::html_page::page(&document, &m, (env!("CARGO_PKG_VERSION"), &comparison.base.label))
}

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

/// What a comparison says in a list of differences: `host processor: AMD EPYC → Intel Xeon`.
pub fn difference_text(difference: &judge::comparison::Difference) -> String {
    let shown = |text: &str| if text.is_empty() { "–".to_owned() } else { clean(text) };
    let scope = if difference.scope.is_empty() { String::new() } else { format!("{} ", difference.scope) };
    let values = if difference.aspect == "study" && difference.base.len() == 16 && difference.other.len() == 16 {
        "differs between the two effective studies".to_owned()
    } else {
        format!("{} → {}", shown(&difference.base), shown(&difference.other))
    };
    format!("{scope}{}: {values}", clean(&difference.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::Arg;
    use judge::comparison::{RowChange, Side};

    fn row() -> Row {
        Row {
            id: "s/hold/x/answer/p95".into(),
            statistic: "p95".into(),
            subject: "x".into(),
            scope: "s/hold".into(),
            unit: "ms".into(),
            base: Some(24.0),
            other: Some(38.0),
            is_base_censored: false,
            is_other_censored: false,
            base_count: 1000,
            other_count: 1000,
            base_replicates: 1,
            other_replicates: 1,
            is_difference: false,
            value: Some(38.0 / 24.0),
            low: Some(1.5),
            high: Some(1.7),
            band: 0.05,
            change: Some(RowChange { value: 0.5833, low: 0.583, high: 0.5836 }),
            verdict: RowVerdict::Different,
            reason: judge::Reason {
                code: "compared_outside".into(),
                args: [("limit".to_owned(), Arg::Share(0.05).given())].into(),
            },
            method: None,
            p: None,
            superiority: None,
            runs_needed: None,
            one_sided: None,
        }
    }

    #[test]
    fn a_comparison_begins_with_what_changed_most() {
        let difference = |name: &str, base: &str, other: &str, forbids| judge::comparison::Difference {
            aspect: "system".into(),
            name: name.into(),
            scope: String::new(),
            base: base.into(),
            other: other.into(),
            forbids,
        };
        let mean = |base: f64, other: f64| Row {
            statistic: "mean".into(),
            base: Some(base),
            other: Some(other),
            value: Some(other / base),
            ..row()
        };
        let failed = Row {
            statistic: "failed".into(),
            unit: "share".into(),
            is_difference: true,
            base: Some(0.0),
            other: Some(0.2),
            value: Some(0.2),
            ..row()
        };
        let with = |verdict| Row { verdict, ..row() };
        let delay = difference("delay", "0", "60 ms", false);
        let cases = [
            // The mean stands for its percentiles, whose ratios may be greater.
            (
                vec![row(), mean(0.966, 62.4), failed.clone()],
                vec![delay.clone()],
                "x (mean): 64.6 times slower (966\u{a0}µs → 62.4\u{a0}ms). What differs: delay: 0 → 60 ms.",
            ),
            (
                vec![mean(40.0, 10.0)],
                vec![delay.clone(); 5],
                "x (mean): 4.00 times faster (40.0\u{a0}ms → 10.0\u{a0}ms). What differs: delay: 0 → 60 ms; delay: 0 → 60 ms; delay: 0 → 60 ms; and 2 more.",
            ),
            (
                vec![row()],
                vec![],
                "x (p95): 58.3% slower (24.0\u{a0}ms → 38.0\u{a0}ms). Nothing that was recorded of the two sides differs.",
            ),
            (
                vec![failed, with(RowVerdict::CannotTell)],
                vec![],
                "x (failed): +20.00 pt (0% → 20.0%). Nothing that was recorded of the two sides differs.",
            ),
            (
                vec![with(RowVerdict::Equivalent), with(RowVerdict::CannotTell)],
                vec![],
                "Neither times nor failures are shown to differ; 1 of 2 rows cannot be told.",
            ),
            (
                vec![with(RowVerdict::NotComparable)],
                vec![difference("validity", "valid", "invalid", true)],
                "Nothing can be compared: validity: valid → invalid.",
            ),
        ];
        for (rows, differences, sentence) in cases {
            let pair = Pair { other: Side::default(), differences, rows };
            assert_eq!(crate::compare_headline(&pair), sentence);
        }
    }

    #[test]
    fn a_comparison_is_a_page_in_every_language() {
        let side = |label: &str| Side { label: label.into(), ..Side::default() };
        let pair = Pair { other: side("<b>after</b>"), differences: vec![], rows: vec![row()] };
        let comparison = Comparison { name: "runs".into(), band: 0.05, base: side("before"), pairs: vec![pair] };
        for language in crate::LANGUAGES {
            let page = compare_html(&comparison, &[], language);
            assert!(page.contains(&format!("<html lang=\"{language}\"")) && page.contains("58"), "{language}");
            assert!(!page.contains("<b>after"), "labels are hostile input");
        }
    }

    #[test]
    fn a_row_is_written_with_signs_units_and_a_reason() {
        let m = Messages::of("en");
        let line = line(&m, &row());
        assert_eq!((line.base.as_str(), line.change.as_str()), ("24.0\u{a0}ms", "+58%"));
        assert_eq!(line.interval, "+50 … +70%");
        assert_eq!(line.reason, "The whole interval lies beyond ±5%.");
        let coarse = Row { change: Some(RowChange { value: 0.583, low: 0.53, high: 0.64 }), ..row() };
        assert_eq!(change(&m.numbers, &coarse), "+53 … +64%");
        let bound = Row { is_other_censored: true, high: None, ..row() };
        assert_eq!(interval(&m.numbers, &bound), "≥ +50%");
        assert_eq!(change(&m.numbers, &bound), "≥ +58%");
        assert_eq!(change(&Messages::of("da").numbers, &row()), "+58\u{a0}%");
        // Ends that read the same are one, and what is at least nothing has no sign.
        let same = Row { low: Some(1.0), high: Some(1.0), ..row() };
        assert_eq!(interval(&m.numbers, &same), "±0.0%");
        let from_nothing = Row { low: Some(1.0), high: None, ..row() };
        assert_eq!(interval(&m.numbers, &from_nothing), "≥ 0.0%");
        let wide = Row { change: Some(RowChange { value: 2188.0, low: 2187.9, high: 2188.1 }), ..row() };
        assert_eq!(change(&m.numbers, &wide), "×2,190");
        let huge = Row { change: Some(RowChange { value: 4637.28, low: 4637.28, high: 4637.28 }), ..row() };
        assert_eq!(change(&m.numbers, &huge), "×4,640");
        let failed = Row {
            is_difference: true,
            unit: "share".into(),
            value: Some(0.004),
            low: Some(0.001),
            high: Some(0.007),
            ..row()
        };
        assert_eq!(
            (change(&m.numbers, &failed), interval(&m.numbers, &failed)),
            ("+0.40 pt".into(), "+0.10 pt … +0.70 pt".into())
        );
    }

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

    #[test]
    fn labels_of_runs_stay_text_and_the_page_is_the_same_each_time() {
        let mut hostile = crate::charts::forest_tests::comparison();
        hostile.base.label = "<script>alert(1)</script>\u{202e}".into();
        hostile.pairs[0].rows[0].subject = "\"><img src=x onerror=alert(1)>".into();
        let html = compare_html(&hostile, &[], "en");
        assert_eq!(html, compare_html(&hostile, &[], "en"));
        assert_eq!(html.matches("<script").count(), 1);
        assert!(!html.contains("<img") && !html.contains('\u{202e}'));
        assert!(html.contains("id=\"fig-forest-0-0\"") && !html.contains("[fig-") && !html.contains("[comparison"));
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
