//! Requirement by workload: the upper part of the verdict strip, where a requirement was judged in many places.

use super::allowance::{MOST, used};
use crate::input::Context;
use crate::marks::{glyph, hue};
use crate::number::clean;
use crate::svg::{Anchor, Canvas, Lettering, Stroke, WIDTH, fit, text_width};
use judge::RequirementResult;
use std::collections::BTreeMap;
use terms::Verdict;

/// From so many places on a requirement has cells instead of rows.
const PLACES: usize = 4;
/// Workloads side by side; more go on below.
const COLUMNS: usize = 10;
/// Room for the names of requirements.
const NAMES: f64 = 232.0;
/// Height of the heading and of a row of cells.
const HEAD: f64 = 30.0;
const CELLS: f64 = 50.0;
/// Between cells.
const GAP: f64 = 4.0;
/// Below all cells.
const FOOT: f64 = 16.0;
/// In this order verdicts stand in a cell: what is wrong first.
const ORDER: [Verdict; 3] = [Verdict::NotMet, Verdict::CannotTell, Verdict::Met];

/// Requirements with many places, by workload.
pub(super) struct Matrix<'a> {
    workloads: Vec<String>,
    /// A requirement and its results by the number of the workload, in the judge's order.
    rows: Vec<(&'a str, BTreeMap<usize, Vec<&'a RequirementResult>>)>,
}

impl<'a> Matrix<'a> {
    /// The requirements that were judged in at least two workloads and many places.
    pub(super) fn of(cx: &Context<'_>, results: &'a [RequirementResult]) -> Self {
        let mut workloads: Vec<String> = Vec::new();
        for scenario in cx.scenarios() {
            let name = scenario.name.split('#').next().unwrap_or_default().to_owned();
            if !workloads.contains(&name) {
                workloads.push(name);
            }
        }
        Self::by(workloads, results)
    }

    fn by(workloads: Vec<String>, results: &'a [RequirementResult]) -> Self {
        let mut ids: Vec<&str> = Vec::new();
        for result in results {
            if !ids.contains(&result.id.as_str()) {
                ids.push(&result.id);
            }
        }
        let row = |id: &'a str| {
            let mut cells: BTreeMap<usize, Vec<&RequirementResult>> = BTreeMap::new();
            let own: Vec<_> = results.iter().filter(|result| result.id == id).collect();
            for result in own.iter().copied() {
                // A scope that begins with no workload belongs to the whole run: its requirement keeps its rows.
                let workload = result.scope.scenario().unwrap_or_default();
                let number = workloads.iter().position(|known| known == workload)?;
                cells.entry(number).or_default().push(result);
            }
            (own.len() >= PLACES && cells.len() > 1).then_some((id, cells))
        };
        let rows = ids.into_iter().filter_map(row).collect();
        Self { workloads, rows }
    }

    /// Whether a requirement has a row of cells.
    pub(super) fn holds(&self, id: &str) -> bool {
        self.rows.iter().any(|(known, _)| *known == id)
    }

    /// Whether no requirement has one.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Height of the drawing; zero without a row.
    pub(super) fn height(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let parts = self.workloads.chunks(COLUMNS).count() as f64;
        parts * (HEAD + self.rows.len() as f64 * CELLS) + FOOT
    }

    /// Draws it at the top of a canvas.
    pub(super) fn draw(&self, cx: &Context<'_>, canvas: &mut Canvas) {
        if self.is_empty() {
            return;
        }
        let columns = self.workloads.len().min(COLUMNS);
        let width = (WIDTH - NAMES) / columns as f64;
        let mut y = 0.0;
        for (part, workloads) in self.workloads.chunks(COLUMNS).enumerate() {
            for (column, name) in workloads.iter().enumerate() {
                let middle = NAMES + (column as f64 + 0.5) * width;
                let name = fit(&cx.short_names.shown(name), width - 6.0, 11.5);
                canvas.text((middle, y + 19.0), &name, Lettering::new("ink-2", Anchor::Middle));
            }
            y += HEAD;
            for (id, cells) in &self.rows {
                canvas.line((0.0, y - 2.0), (WIDTH, y - 2.0), Stroke::solid("grid", 1.0));
                let rule = cells.values().flatten().next().map_or("", |result| result.rule.as_str());
                let name = Lettering::new("ink", Anchor::Start).size(12.0).bold();
                canvas.text((0.0, y + 20.0), &fit(&clean(id), NAMES - 14.0, 12.0), name);
                let rule = fit(&clean(rule), NAMES - 14.0, 10.0);
                canvas.text((0.0, y + 35.0), &rule, Lettering::new("ink-3", Anchor::Start).size(10.0));
                for column in 0..workloads.len() {
                    let place = (NAMES + column as f64 * width + GAP / 2.0, y, width - GAP);
                    match cells.get(&(part * COLUMNS + column)) {
                        Some(results) => cell(cx, canvas, place, results),
                        None => canvas.text(
                            (place.0 + place.2 / 2.0, y + 26.0),
                            crate::number::MISSING,
                            Lettering::new("ink-3", Anchor::Middle),
                        ),
                    }
                }
                y += CELLS;
            }
        }
    }
}

/// How many of each verdict, what is wrong first; none that does not exist.
fn counts(results: &[&RequirementResult]) -> Vec<(Verdict, usize)> {
    let count = |verdict: Verdict| results.iter().filter(|result| result.verdict == verdict).count();
    ORDER.into_iter().map(|verdict| (verdict, count(verdict))).filter(|(_, count)| *count > 0).collect()
}

/// The place that used most of its limit, with the part.
fn worst<'a>(results: &[&'a RequirementResult]) -> Option<(f64, &'a RequirementResult)> {
    let parts = results.iter().filter_map(|result| Some((used(result, result.value?)?, *result)));
    parts.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The verdicts of one requirement in one workload, and its worst place against the limit.
fn cell(cx: &Context<'_>, canvas: &mut Canvas, (x, y, width): (f64, f64, f64), results: &[&RequirementResult]) {
    let counts = counts(results);
    let Some((gravest, _)) = counts.first().copied() else { return };
    let ground = match gravest {
        Verdict::Met => "met-ground",
        Verdict::NotMet => "not-met-ground",
        Verdict::CannotTell => "cannot-tell-ground",
    };
    canvas.rect((x, y), (width, CELLS - GAP), ground, 1.0);
    let worst = worst(results);
    let baseline = if worst.is_some() { y + 20.0 } else { y + 28.0 };
    let texts: Vec<(Verdict, String)> = counts
        .iter()
        .map(|(verdict, count)| {
            let count =
                if results.len() == 1 { String::new() } else { format!(" {}", cx.m.numbers.count(*count as f64)) };
            (*verdict, format!("{}{count}", glyph(*verdict)))
        })
        .collect();
    let lengths: Vec<f64> = texts.iter().map(|(_, text)| text_width(text, 13.0)).collect();
    let total = lengths.iter().sum::<f64>() + 8.0 * (lengths.len() - 1) as f64;
    let mut at = x + width / 2.0 - total / 2.0;
    for ((verdict, text), length) in texts.iter().zip(lengths) {
        let style = Lettering::new(hue(*verdict), Anchor::Middle).size(13.0).bold();
        canvas.text((at + length / 2.0, baseline), text, style);
        at += length + 8.0;
    }
    if let Some((part, result)) = worst {
        track(canvas, (x + 8.0, y + 34.0, width - 16.0), part, result);
    }
}

/// A scale from nothing to twice the limit, with the limit as a tick in its middle.
fn track(canvas: &mut Canvas, (x, y, width): (f64, f64, f64), part: f64, result: &RequirementResult) {
    let place = |part: f64| x + (part / MOST).clamp(0.0, 1.0) * width;
    let hue = hue(result.verdict);
    canvas.line((x, y), (x + width, y), Stroke::solid("rule", 1.5));
    canvas.line((place(1.0), y - 5.0), (place(1.0), y + 5.0), Stroke::solid("limit", 1.4));
    let ends = result.low.and_then(|value| used(result, value)).zip(result.high.and_then(|value| used(result, value)));
    if let Some((low, high)) = ends {
        canvas.line((place(low), y), (place(high), y), Stroke::solid(hue, 2.4));
    }
    if part > MOST {
        let tip = x + width;
        canvas.area(&[(tip + 4.0, y), (tip - 5.0, y - 5.0), (tip - 5.0, y + 5.0)], hue, 1.0);
    } else {
        canvas.dot((place(part), y), 3.6, hue);
    }
}

#[cfg(test)]
mod tests {
    use super::super::allowance::tests::result;
    use super::*;

    fn at(id: &str, scope: &str, verdict: Verdict, value: f64) -> RequirementResult {
        let known = result("p95(x) < 2s", "ms", 2000.0);
        RequirementResult { id: id.into(), scope: scope.into(), verdict, value: Some(value), ..known }
    }

    fn many() -> Vec<RequirementResult> {
        vec![
            at("fast", "a/hold#1/x", Verdict::Met, 500.0),
            at("fast", "a/hold#2/x", Verdict::CannotTell, 1900.0),
            at("fast", "b/hold#1/x", Verdict::NotMet, 5000.0),
            at("fast", "b/hold#2/x", Verdict::Met, 900.0),
            at("few", "a/hold", Verdict::Met, 1.0),
            at("few", "b/hold", Verdict::Met, 1.0),
            at("whole", "a", Verdict::Met, 1.0),
            at("whole", "a", Verdict::Met, 1.0),
            at("whole", "b", Verdict::Met, 1.0),
            at("whole", "all of it", Verdict::Met, 1.0),
        ]
    }

    #[test]
    fn many_places_are_cells_and_few_stay_rows() {
        let results = many();
        let matrix = Matrix::by(vec!["a".into(), "b".into()], &results);
        assert!(matrix.holds("fast"));
        assert!(!matrix.holds("few"), "two places are two rows");
        assert!(!matrix.holds("whole"), "one of its places is in no workload");
        let (_, cells) = &matrix.rows[0];
        assert_eq!(counts(&cells[&0]), [(Verdict::CannotTell, 1), (Verdict::Met, 1)]);
        assert_eq!(counts(&cells[&1]), [(Verdict::NotMet, 1), (Verdict::Met, 1)]);
        assert!((worst(&cells[&1]).unwrap().0 - 2.5).abs() < 1e-9);
        assert!((matrix.height() - (HEAD + CELLS + FOOT)).abs() < 1e-9);
    }

    #[test]
    fn without_many_places_there_is_nothing_to_draw() {
        let results = &many()[4..6];
        let matrix = Matrix::by(vec!["a".into(), "b".into()], results);
        assert!(matrix.is_empty() && matrix.height() == 0.0);
    }
}
