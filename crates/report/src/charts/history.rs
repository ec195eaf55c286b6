//! A statistic over many runs, with the levels that it kept.

use super::xy::{Line, Point, Titles, frame, table};
use super::{Words, figure};
use crate::document::Figure;
use crate::messages::{Messages, say};
use crate::number::clean;
use crate::svg::{Scale, Stroke};
use judge::Arg;
use judge::comparison::History;

/// Runs as dots, levels as steps; a shift is where the level changes.
pub(crate) fn run_history(m: &Messages, history: &History, anchor: &str) -> Option<Box<Figure>> {
    let count = history.values.len();
    if history.values.len() < 2 || history.runs.len() != count {
        return None;
    }
    let points = history.values.iter().enumerate().map(|(run, value)| Point::new(run as f64 + 1.0, *value)).collect();
    let values = Line { name: clean(&history.id), stroke: Stroke::solid("blue", 1.3), points };
    let unit = if history.unit == "per_s" { "/s" } else { &history.unit };
    let y_title = format!("{} ({unit})", clean(&history.id));
    let titles = Titles { x: &say!(m, "axis-runs"), y: &y_title, units: ("", unit) };
    let lines = [values];
    let x = Scale::Linear { low: 0.5, high: count as f64 + 0.5 };
    let mut plot = frame(&lines, x, &titles, m.numbers);
    for (from, to, level) in levels(history) {
        plot.line(&[(from as f64 + 0.5, Some(level)), (to as f64 + 0.5, Some(level))], Stroke::solid("orange", 2.6));
    }
    for shift in &history.shifts {
        plot.mark(shift.at as f64 + 0.5);
    }
    super::xy::draw(&mut plot, &lines);
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
    let mut data = table(m, &plot, &lines, &titles);
    // The run's own name says more than that of the statistic, which is the same in every row.
    for (row, run) in data.rows.iter_mut().zip(&history.runs) {
        row.cells[0] = crate::document::Cell::code(run);
    }
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

fn relative(shift: &judge::comparison::HistoryShift) -> f64 {
    shift.after / shift.before.abs().max(1e-300) - 1.0
}

/// Begin, end and height of each level; none without a shift, as one level is the mean and says nothing new.
fn levels(history: &History) -> Vec<(usize, usize, f64)> {
    let mut levels = Vec::new();
    let mut from = 0;
    for shift in &history.shifts {
        levels.push((from, shift.at, shift.before));
        from = shift.at;
    }
    levels.extend(history.shifts.last().map(|shift| (from, history.values.len(), shift.after)));
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::comparison::HistoryShift;

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
        let found = levels(&history(vec![shift(3, 1.0, 2.0), shift(6, 2.0, 3.0)]));
        assert_eq!(found, [(0, 3, 1.0), (3, 6, 2.0), (6, 10, 3.0)]);
        assert!(levels(&history(vec![])).is_empty());
    }

    #[test]
    fn one_run_has_no_history() {
        let one = History { runs: vec!["a".into()], values: vec![1.0], ..history(vec![]) };
        assert!(run_history(&Messages::of("en"), &one, "x").is_none());
    }
}
