//! One sentence for who reads no further than the first line of a comparison.

use crate::compared::{difference_text, line};
use crate::messages::{Messages, say};
use crate::number::clean;
use judge::Arg;
use judge::comparison::{Pair, Row, RowVerdict};

/// Circumstances named in the sentence; the list below it has the rest.
const NAMED: usize = 3;
/// From so many times on a change is told as a factor.
const FACTOR: f64 = 2.0;

/// What changed most in the times, in English; see [`told`].
pub fn compare_headline(pair: &Pair) -> String {
    told(&Messages::of("en"), pair)
}

/// Of the times that are shown to differ the one that changed most, with what else differs between the two sides; else
/// the share of failures that did; else that nothing is shown to.
pub(crate) fn told(m: &Messages, pair: &Pair) -> String {
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
            let names: Vec<String> = forbidding.take(NAMED).map(difference_text).collect();
            return say!(m, "headline-none", what = &names.join("; "));
        }
        let open = pair.rows.iter().filter(|row| row.verdict == RowVerdict::CannotTell).count();
        return say!(m, "headline-nothing", open = open, rows = pair.rows.len());
    };
    let shown = line(m, row);
    let change = if is_time { of_time(m, row) } else { shown.change };
    let (subject, statistic) = (clean(&row.subject), clean(&row.statistic));
    let said = format!("{subject} ({statistic}): {change} ({} → {}).", shown.base, shown.other);
    let names: Vec<String> = pair.differences.iter().take(NAMED).map(difference_text).collect();
    let left = pair.differences.len().saturating_sub(NAMED);
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
