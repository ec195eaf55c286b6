//! One sentence for who reads no further than the first line of a comparison.

use crate::compared::{line, said as difference_said};
use crate::messages::{Messages, say};
use crate::number::clean;
use judge::Arg;
use judge::comparison::{Difference, Pair, Row, RowVerdict};

/// Circumstances named in the sentence; the list below it has the rest.
const NAMED: usize = 3;
/// From so many times on a change is given as a factor.
const FACTOR: f64 = 2.0;

/// What changed most in the times, in English; see [`sentence`].
pub fn compare_headline(pair: &Pair) -> String {
    sentence(&Messages::of("en"), pair)
}

/// Of the times that are shown to differ the one that changed most, with what else differs between the two sides; else
/// the share of failures that did; else that nothing is shown to.
pub(crate) fn sentence(m: &Messages, pair: &Pair) -> String {
    let different = || pair.rows.iter().filter(|row| row.verdict == RowVerdict::Different);
    let size = |row: &&Row| row.value.filter(|value| *value > 0.0).map_or(0.0, |value| value.ln().abs());
    let of_times = different().filter(|row| row.unit == "ms" && !row.is_difference);
    // The mean of a leg before its percentiles, which are the same calls.
    let is_mean = |row: &&Row| row.statistic == "mean";
    let times = of_times.clone().filter(is_mean).max_by(|a, b| size(a).total_cmp(&size(b)));
    let times = times.or_else(|| of_times.max_by(|a, b| size(a).total_cmp(&size(b))));
    let failed = || different().filter(|row| row.statistic == "failed").max_by(|a, b| gap(a).total_cmp(&gap(b)));
    let (Some(row), is_time) = times.map_or_else(|| (failed(), false), |row| (Some(row), true)) else {
        if pair.rows.iter().all(|row| row.verdict == RowVerdict::NotComparable) {
            let forbidding = pair.differences.iter().filter(|difference| difference.forbids);
            let names: Vec<String> = forbidding.take(NAMED).map(|difference| difference_said(m, difference)).collect();
            return say!(m, "headline-none", what = &names.join("; "));
        }
        let open = pair.rows.iter().filter(|row| row.verdict == RowVerdict::CannotTell).count();
        return say!(m, "headline-nothing", open = open, rows = pair.rows.len());
    };
    let shown = line(m, row);
    let change = match (is_time, row.is_other_censored) {
        (false, _) => shown.change,
        (true, false) => of_time(m, row),
        // Calls that were cut off would have taken longer, and so the mean of all.
        (true, true) => say!(m, "headline-at-least", change = &of_time(m, row)),
    };
    let (subject, statistic) = (clean(&row.subject), clean(&row.statistic));
    let said = format!("{subject} ({statistic}): {change} ({} → {}).", shown.base, shown.other);
    let differences: Vec<&Difference> = pair.differences.iter().filter(|found| found.base != found.other).collect();
    let names: Vec<String> = differences.iter().take(NAMED).map(|difference| difference_said(m, difference)).collect();
    let left = differences.len().saturating_sub(NAMED);
    let differs = say!(m, "headline-differs", what = &names.join("; "), count = names.len(), left = left);
    format!("{said} {differs}")
}

fn gap(row: &Row) -> f64 {
    row.value.map_or(0.0, f64::abs)
}

/// `65 times slower`, `12% faster`.
fn of_time(m: &Messages, row: &Row) -> String {
    let ratio = row.value.filter(|ratio| *ratio > 0.0 && ratio.is_finite()).unwrap_or(1.0);
    let way = if ratio > 1.0 { "slower" } else { "faster" };
    let times = ratio.max(1.0 / ratio);
    if times >= FACTOR {
        return say!(m, "headline-times", way = way, factor = &m.numbers.value(times));
    }
    say!(m, "headline-percent", way = way, change = Arg::Share((ratio - 1.0).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compared::tests::row;
    use judge::comparison::Side;

    #[test]
    fn a_comparison_begins_with_what_changed_most() {
        let difference = |name: &str, base: &str, other: &str, forbids| Difference {
            aspect: "system".into(),
            name: name.into(),
            scope: None,
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
                vec![Row { is_other_censored: true, ..mean(1.0, 30.0) }],
                vec![],
                "x (mean): at least 30.0 times slower (1.00\u{a0}ms → ≥ 30.0\u{a0}ms). Nothing recorded about the two sides differs.",
            ),
            (
                vec![mean(40.0, 10.0)],
                vec![delay.clone(); 5],
                "x (mean): 4.00 times faster (40.0\u{a0}ms → 10.0\u{a0}ms). What differs: delay: 0 → 60 ms; delay: 0 → 60 ms; delay: 0 → 60 ms; and 2 more.",
            ),
            (
                vec![row()],
                vec![],
                "x (p95): 58.3% slower (24.0\u{a0}ms → 38.0\u{a0}ms). Nothing recorded about the two sides differs.",
            ),
            (
                vec![failed, with(RowVerdict::CannotTell)],
                vec![],
                "x (failed): +20.00 pt (0% → 20.0%). Nothing recorded about the two sides differs.",
            ),
            (
                vec![with(RowVerdict::Equivalent), with(RowVerdict::CannotTell)],
                vec![],
                "Neither times nor failures are shown to differ; 1 of 2 rows are undecided.",
            ),
            (
                vec![with(RowVerdict::NotComparable)],
                vec![difference("validity", "valid", "invalid", true)],
                "Nothing can be compared: validity: valid → invalid.",
            ),
        ];
        for (rows, differences, sentence) in cases {
            let pair = Pair { other: Side::default(), differences, rows };
            assert_eq!(compare_headline(&pair), sentence);
        }
    }
}
