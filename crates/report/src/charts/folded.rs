//! A stall that comes back: the run folded at its period, so that what repeats stands out and what does not averages.

use super::xy::{Line, Point, Titles, frame, table};
use super::{Words, figure};
use crate::document::Figure;
use crate::messages::{Messages, say};
use crate::svg::{Scale, Stroke};
use judge::Arg;
use judge::assess;

/// Parts of a period, at most; short periods have one a second.
const PARTS_MAX: usize = 60;

/// Mean, least and greatest of each part of the period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PhasePoint {
    /// Middle of the part, seconds since the period began.
    pub phase_s: f64,
    /// Mean over all periods.
    pub mean: f64,
    /// Least value.
    pub low: f64,
    /// Greatest value.
    pub high: f64,
}

/// Folds a series (seconds, value) at a period; empty when it holds too few of them.
pub(crate) fn fold(series: &[(f64, f64)], period_s: f64) -> Vec<PhasePoint> {
    let (Some(first), Some(last)) = (series.first(), series.last()) else { return Vec::new() };
    if !assess::repeats(last.0 - first.0, period_s) {
        return Vec::new();
    }
    let parts = (period_s.round() as usize).clamp(2, PARTS_MAX);
    let mut found: Vec<Vec<f64>> = vec![Vec::new(); parts];
    for (at, value) in series.iter().filter(|point| point.1.is_finite()) {
        let phase = (at - first.0).rem_euclid(period_s) / period_s;
        found[((phase * parts as f64) as usize).min(parts - 1)].push(*value);
    }
    let part = |(index, values): (usize, &Vec<f64>)| PhasePoint {
        phase_s: (index as f64 + 0.5) / parts as f64 * period_s,
        mean: super::series::mean(values),
        low: values.iter().copied().fold(f64::MAX, f64::min),
        high: values.iter().copied().fold(f64::MIN, f64::max),
    };
    found.iter().enumerate().filter(|(_, values)| !values.is_empty()).map(part).collect()
}

/// What is folded.
pub(crate) struct Folded<'f> {
    /// Names of the series and of the unit of its values.
    pub what: &'f str,
    pub unit: &'f str,
    pub scope: &'f str,
    /// Whether the least value is the worst, as of a throughput.
    pub is_less_worse: bool,
    /// Ids of the findings that say so.
    pub findings: Vec<String>,
}

/// The profile of a period; `None` when there are too few of them.
pub(crate) fn folded(
    m: &Messages,
    series: &[(f64, f64)],
    period_s: f64,
    of: Folded<'_>,
    anchor: &str,
) -> Option<Box<Figure>> {
    let parts = fold(series, period_s);
    let order = |a: &&PhasePoint, b: &&PhasePoint| a.mean.total_cmp(&b.mean);
    let worst = if of.is_less_worse { parts.iter().min_by(order) } else { parts.iter().max_by(order) }?;
    let mut sorted: Vec<f64> = parts.iter().map(|part| part.mean).collect();
    sorted.sort_by(f64::total_cmp);
    let usual = sorted[sorted.len() / 2];
    let point = |part: &PhasePoint| Point { x: part.phase_s, y: part.mean, interval: Some((part.low, part.high)) };
    let lines =
        [Line { name: String::new(), stroke: Stroke::solid("blue", 1.8), points: parts.iter().map(point).collect() }];
    let y = if of.unit.is_empty() { of.what.to_owned() } else { format!("{} ({})", of.what, of.unit) };
    let titles = Titles { x: &say!(m, "axis-phase"), y: &y, units: ("s", of.unit) };
    let mut plot = frame(&lines, Scale::Linear { low: 0.0, high: period_s }, &titles, m.numbers);
    super::xy::draw(&mut plot, &lines);
    let factor = worst.mean / usual.abs().max(1e-12);
    let data = table(m, &plot, &lines, &titles);
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(m, "fig-folded-what", what = of.what, scope = of.scope, period = Arg::Seconds(period_s)),
        caption: say!(m, "fig-folded-finds", period = Arg::Seconds(period_s), factor = Arg::Number(factor)),
        observation: say!(
            m,
            "fig-folded-seen",
            phase = Arg::Seconds(worst.phase_s),
            factor = Arg::Number(factor),
            periods = ((series.last()?.0 - series.first()?.0) / period_s).floor() as usize
        ),
        assessment: say!(m, "fig-folded-means"),
        reading: say!(m, "fig-folded-reading"),
        findings: of.findings,
        data,
        ..Words::default()
    };
    Some(figure(plot, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_stands_out_at_its_phase() {
        // 1 with a peak of 9 in the sixth second of every ten.
        let series: Vec<_> = (0..100).map(|s| (f64::from(s), if s % 10 == 5 { 9.0 } else { 1.0 })).collect();
        let parts = fold(&series, 10.0);
        assert_eq!(parts.len(), 10);
        let peak = parts.iter().max_by(|a, b| a.mean.total_cmp(&b.mean)).unwrap();
        assert_eq!((peak.phase_s, peak.mean, peak.low, peak.high), (5.5, 9.0, 9.0, 9.0));
        let of = Folded { what: "p99", unit: "ms", scope: "s/hold", is_less_worse: false, findings: vec!["F1".into()] };
        let figure = folded(&Messages::of("en"), &series, 10.0, of, "fig-f").unwrap();
        assert!(figure.caption.contains("9.00"), "{}", figure.caption);
    }

    #[test]
    fn two_periods_are_no_repetition() {
        let series: Vec<_> = (0..25).map(|s| (f64::from(s), 1.0)).collect();
        assert!(fold(&series, 10.0).is_empty());
        assert!(fold(&series, f64::NAN).is_empty() && fold(&[], 10.0).is_empty());
    }
}
