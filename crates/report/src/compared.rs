//! Rows of a comparison in words and signs, for the terminal, pages and programs alike.

use crate::marks::row_mark;
use crate::messages::{Messages, say};
use crate::number::{Numbers, clean};
use judge::comparison::{Difference, Pair, Row, RowVerdict};

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

/// A row with every number written.
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
        scope: row.scope.to_string(),
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
pub(crate) fn relative(numbers: &Numbers, ends: &[f64]) -> String {
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
pub(crate) fn is_comparable(row: &Row) -> bool {
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

/// What a comparison says in a list of differences: `host processor: AMD EPYC → Intel Xeon`.
pub fn difference_text(difference: &Difference) -> String {
    said(&Messages::of("en"), difference)
}

/// As [`difference_text`], in a language.
pub(crate) fn said(m: &Messages, difference: &Difference) -> String {
    let shown = |text: &str| if text.is_empty() { "–".to_owned() } else { clean(text) };
    let scope = difference.scope.as_ref().map_or_else(String::new, |scope| format!("{scope} "));
    let values = if is_digest(difference) {
        "differs between the two effective studies".to_owned()
    } else {
        let [base, other] = sides(m, difference).map(|side| shown(&side));
        // A validity is listed where it limits what is compared, equal or not.
        if base == other { say!(m, "difference-both", value = &base) } else { format!("{base} → {other}") }
    };
    format!("{scope}{}: {values}", clean(&difference.name))
}

/// Whether only digests of the two sides are known, which tell nobody anything.
fn is_digest(difference: &Difference) -> bool {
    difference.aspect == "study" && difference.base.len() == 16 && difference.other.len() == 16
}

/// What the two sides have, as readers see it: a validity with its check in words, and nothing of a digest.
pub(crate) fn sides(m: &Messages, difference: &Difference) -> [String; 2] {
    if is_digest(difference) {
        return [String::new(), String::new()];
    }
    let shown = |text: &str| match text.strip_suffix(')').and_then(|text| text.split_once(" (")) {
        Some((state, check)) if difference.aspect == "validity" => {
            format!("{} ({})", say!(m, "validity-word", validity = state), m.sign_name(&check.replace(' ', "_")))
        }
        _ if difference.aspect == "validity" => say!(m, "validity-word", validity = text),
        _ => text.to_owned(),
    };
    [shown(&difference.base), shown(&difference.other)]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use judge::Arg;
    use judge::comparison::RowChange;

    pub(crate) fn row() -> Row {
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
            chance: None,
        }
    }

    #[test]
    fn what_is_questionable_on_both_sides_is_no_change() {
        let difference = |base: &str, other: &str| judge::comparison::Difference {
            aspect: "validity".into(),
            name: "validity".into(),
            base: base.into(),
            other: other.into(),
            forbids: false,
            scope: None,
        };
        let both = "questionable (lateness)";
        assert_eq!(difference_text(&difference(both, both)), "validity: questionable (Start lateness, p99) in both");
        assert_eq!(difference_text(&difference("valid", "invalid")), "validity: valid → invalid");
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
}
