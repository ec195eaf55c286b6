//! A statistic over many runs, with the levels that it kept.

use super::xy::{Line, Point, Titles, frame, table};
use super::{Words, figure};
use crate::document::{Figure, Table};
use crate::messages::{Messages, say};
use crate::number::clean;
use crate::svg::{Plot, Scale, Stroke};
use judge::Arg;
use judge::comparison::{History, HistoryShift};

/// What is drawn over runs, oldest first.
pub(crate) struct OverRuns<'a> {
    /// What the values are of.
    pub name: &'a str,
    /// The same in a word, beside the line.
    pub label: &'a str,
    /// As [`judge::RequirementResult::unit`].
    pub unit: &'a str,
    /// Ids of the runs.
    pub runs: Vec<&'a str>,
    /// One for each run; `None` is a gap.
    pub values: Vec<Option<f64>>,
    pub shifts: Vec<HistoryShift>,
    /// A limit with its name.
    pub limit: Option<(f64, String)>,
    /// Place of the first run after a base, with a name for what lies before.
    pub base: Option<(usize, String)>,
}

/// Runs as dots, levels as steps; a shift is where the level changes. `None` with fewer than two values.
pub(crate) fn over_runs(m: &Messages, drawn: &OverRuns<'_>) -> Option<(Plot, Table)> {
    let count = drawn.values.len();
    if drawn.values.iter().flatten().count() < 2 || drawn.runs.len() != count {
        return None;
    }
    let scaled = scale_of(m, drawn);
    let unit = scaled.sign.as_str();
    let y_title = if unit.is_empty() { clean(drawn.name) } else { format!("{} ({unit})", clean(drawn.name)) };
    let titles = Titles { x: &say!(m, "axis-runs"), y: &y_title, units: ("", unit) };
    let lines = lines(drawn, scaled.size);
    let x = Scale::Linear { low: 0.5, high: count as f64 + 0.5 };
    let mut plot = frame(&lines, x, &titles, m.numbers);
    if let Some((base, name)) = &drawn.base {
        plot.band(0.5, *base as f64 + 0.5, name, true);
    }
    for (from, to, level) in levels(&drawn.shifts, count) {
        let level = Some(level / scaled.size);
        plot.line(&[(from as f64 + 0.5, level), (to as f64 + 0.5, level)], Stroke::solid("orange", 2.6));
    }
    for shift in &drawn.shifts {
        plot.mark(shift.at as f64 + 0.5);
    }
    if let Some((limit, name)) = &drawn.limit {
        plot.limit_line(limit / scaled.size, name);
    }
    super::xy::draw(&mut plot, &lines);
    let mut data = table(m, &plot, &lines, &titles);
    // The run's own name says more than that of the statistic, which is the same in every row.
    let known = drawn.runs.iter().zip(&drawn.values).filter(|(_, value)| value.is_some());
    for (row, (run, _)) in data.rows.iter_mut().zip(known) {
        row.cells[0] = crate::document::Cell::code(*run);
    }
    Some((plot, data))
}

/// What the values are divided by, and the sign of the unit that they have then.
struct Scaled {
    size: f64,
    sign: String,
}

fn scale_of(m: &Messages, drawn: &OverRuns<'_>) -> Scaled {
    let most = drawn.values.iter().flatten().fold(0.0f64, |most, value| most.max(value.abs()));
    let (size, sign) = match drawn.unit {
        "bytes" => m.numbers.byte_unit(most),
        "share" => (0.01, "%"),
        "per_s" => (1.0, "/s"),
        "cores" => (1.0, m.numbers.cores),
        "count" | "number" => (1.0, ""),
        unit => return Scaled { size: 1.0, sign: unit.to_owned() },
    };
    Scaled { size, sign: sign.to_owned() }
}

/// The values as lines, one for each stretch without a gap; the last has the name.
fn lines(drawn: &OverRuns<'_>, size: f64) -> Vec<Line> {
    let mut stretches: Vec<Vec<Point>> = vec![Vec::new()];
    for (run, value) in drawn.values.iter().enumerate() {
        match value {
            Some(value) => {
                let point = Point::new(run as f64 + 1.0, value / size);
                stretches.last_mut().expect("invariant: there is always one").push(point);
            }
            None => stretches.push(Vec::new()),
        }
    }
    stretches.retain(|stretch| !stretch.is_empty());
    let last = stretches.len().saturating_sub(1);
    let line = |(place, points): (usize, Vec<Point>)| Line {
        name: if place == last { clean(drawn.label) } else { String::new() },
        stroke: Stroke::solid("blue", 1.3),
        points,
    };
    stretches.into_iter().enumerate().map(line).collect()
}

/// A statistic of a comparison over its runs.
pub(crate) fn run_history(m: &Messages, history: &History, anchor: &str) -> Option<Box<Figure>> {
    let count = history.values.len();
    let drawn = OverRuns {
        name: &history.id,
        label: &history.id,
        unit: &history.unit,
        runs: history.runs.iter().map(String::as_str).collect(),
        values: history.values.iter().copied().map(Some).collect(),
        shifts: history.shifts.clone(),
        limit: None,
        base: None,
    };
    let (plot, data) = over_runs(m, &drawn)?;
    let named = |at: usize| history.runs.get(at).map_or_else(String::new, |run| clean(run));
    let largest = history.shifts.iter().max_by(|a, b| relative(a).abs().total_cmp(&relative(b).abs()));
    let first_and_last = [history.values[0], history.values[count - 1]];
    let value = |value: f64| m.numbers.in_unit(value, &history.unit);
    let (caption, assessment) = match largest {
        Some(shift) => (
            say!(m, "fig-history-finds", what = &clean(&history.id), shifts = history.shifts.len()),
            say!(
                m,
                "fig-history-means",
                run = &named(shift.at),
                before = &value(shift.before),
                after = &value(shift.after),
                change = Arg::Share(relative(shift))
            ),
        ),
        None => (
            say!(m, "fig-history-finds-none", what = &clean(&history.id), runs = count),
            say!(m, "fig-history-means-none"),
        ),
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(m, "fig-history-what", what = &clean(&history.id), runs = count),
        caption,
        observation: say!(
            m,
            "fig-history-seen",
            runs = count,
            first = &value(first_and_last[0]),
            last = &value(first_and_last[1]),
            shifts = history.shifts.len()
        ),
        assessment,
        reading: match history.left_out {
            0 => say!(m, "fig-history-reading"),
            left => say!(m, "fig-history-reading-left", left = left),
        },
        data,
        ..Words::default()
    };
    Some(figure(plot, words))
}

fn relative(shift: &HistoryShift) -> f64 {
    shift.after / shift.before.abs().max(1e-300) - 1.0
}

/// Begin, end and height of each level; none without a shift, as one level is the mean and says nothing new.
fn levels(shifts: &[HistoryShift], runs: usize) -> Vec<(usize, usize, f64)> {
    let mut levels = Vec::new();
    let mut from = 0;
    for shift in shifts {
        levels.push((from, shift.at, shift.before));
        from = shift.at;
    }
    levels.extend(shifts.last().map(|shift| (from, runs, shift.after)));
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(shifts: Vec<HistoryShift>) -> History {
        History {
            id: "nominal/hold/x/answer/p95".into(),
            unit: "ms".into(),
            runs: (1..=10).map(|n| format!("run-{n:02}")).collect(),
            values: (0..10).map(|n| if n < 6 { 100.0 + f64::from(n % 2) } else { 112.0 + f64::from(n % 2) }).collect(),
            shifts,
            left_out: 0,
        }
    }

    #[test]
    fn a_shift_is_named_by_the_run_that_began_it() {
        let shift = HistoryShift { at: 6, before: 100.5, after: 112.5, p: 1e-6 };
        let figure = run_history(&Messages::of("en"), &history(vec![shift]), "fig-h").unwrap();
        assert!(figure.assessment.contains("run-07"), "{}", figure.assessment);
        assert!(figure.assessment.contains("11.9%"), "{}", figure.assessment);
        assert_eq!(figure.data.rows.len(), 10);
    }

    #[test]
    fn levels_join_without_gap() {
        let shift = |at, before, after| HistoryShift { at, before, after, p: 0.01 };
        let found = levels(&[shift(3, 1.0, 2.0), shift(6, 2.0, 3.0)], 10);
        assert_eq!(found, [(0, 3, 1.0), (3, 6, 2.0), (6, 10, 3.0)]);
        assert!(levels(&[], 10).is_empty());
    }

    #[test]
    fn gaps_cut_the_line_and_no_row_stands_for_them() {
        let drawn = OverRuns {
            name: "fast",
            label: "fast",
            unit: "share",
            runs: vec!["a", "b", "c", "d"],
            values: vec![Some(0.5), None, Some(0.25), Some(0.5)],
            shifts: vec![],
            limit: Some((0.2, "limit".into())),
            base: Some((2, "before".into())),
        };
        assert_eq!(lines(&drawn, 1.0).iter().map(|line| line.points.len()).collect::<Vec<_>>(), [1, 2]);
        let (_, data) = over_runs(&Messages::of("en"), &drawn).unwrap();
        let cells = |row: usize| (data.rows[row].cells[0].text.clone(), data.rows[row].cells[2].raw);
        assert_eq!((data.rows.len(), cells(0), cells(1)), (3, ("a".into(), Some(50.0)), ("c".into(), Some(25.0))));
    }

    #[test]
    fn one_run_has_no_history() {
        let one = History { runs: vec!["a".into()], values: vec![1.0], ..history(vec![]) };
        assert!(run_history(&Messages::of("en"), &one, "x").is_none());
    }
}
