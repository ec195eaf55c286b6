//! The verdict strip: every requirement on one scale, how much of what its limit allows was used.
//!
//! A requirement that was judged in a few places has a row for each: dot and interval against the limit. One that was
//! judged in many has a row of cells, a cell for each workload with the verdicts that it got there.

use super::strip_matrix::Matrix;
use super::{Words, column, joined};
use crate::document::{Cell, Column, Figure, Row, Table};
use crate::input::Context;
use crate::messages::say;
use crate::sections::{is_projected_from_too_little, is_steady, measured_cell};
use crate::svg::{Anchor, Canvas, Lettering, Stroke, WIDTH, fit};
use judge::assess::{self, Allowance};
use judge::{Arg, RequirementResult};
use terms::Verdict;

/// Height of a row.
const ROW: f64 = 34.0;
/// Where the scale begins and how wide it is.
const LEFT: f64 = 330.0;
const SCALE: f64 = 480.0;
/// The scale ends at twice the limit; what is beyond is an arrow.
pub(super) const MOST: f64 = 2.0;
/// More rows than this are in the table only.
const ROWS_MAX: usize = 60;

/// Part of what a limit allows that a value uses: 1 is the limit itself, less is on the good side.
///
/// A ceiling is used by value / limit, a floor by limit / value; a share of at least p by (1 − value) / (1 − p), its
/// error budget. `None` where the limit leaves nothing to use: zero, or a share of 100 %.
pub(crate) fn used(result: &RequirementResult, value: f64) -> Option<f64> {
    let limit = result.limit?;
    // A change counts in both directions; one that was projected from too little is no value.
    if is_steady(&result.rule) {
        let part = value.abs() / limit;
        return (part.is_finite() && !is_projected_from_too_little(result)).then_some(part);
    }
    let part = match (direction(&result.rule)?, result.unit.as_str()) {
        (Direction::Floor, "share") => (1.0 - value) / (1.0 - limit),
        (Direction::Floor, _) => limit / value,
        (Direction::Ceiling, _) => value / limit,
    };
    part.is_finite().then_some(part.max(0.0))
}

/// The same of both ends of the interval. A change that may be down or up is between nothing and the further of them.
fn used_between(result: &RequirementResult) -> Option<(f64, f64)> {
    let (low, high) = (result.low?, result.high?);
    let ends = (used(result, low)?, used(result, high)?);
    if !is_steady(&result.rule) {
        return Some(ends);
    }
    let least = if low < 0.0 && high > 0.0 { 0.0 } else { ends.0.min(ends.1) };
    Some((least, ends.0.max(ends.1)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Ceiling,
    Floor,
}

/// The comparison outside all parentheses: `share(x < 2s) >= 95%` is a floor.
fn direction(rule: &str) -> Option<Direction> {
    let mut depth = 0;
    for c in rule.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '<' if depth == 0 => return Some(Direction::Ceiling),
            '>' if depth == 0 => return Some(Direction::Floor),
            _ => {}
        }
    }
    None
}

pub(super) fn hue(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Met => "met",
        Verdict::NotMet => "not-met",
        Verdict::CannotTell => "cannot-tell",
    }
}

/// Mark of a verdict, readable without colour.
pub(crate) fn glyph(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Met => "✓",
        Verdict::NotMet => "✗",
        Verdict::CannotTell => "?",
    }
}

/// Draws the strip.
pub(crate) fn strip(cx: &Context<'_>, anchor: &str) -> Option<Box<Figure>> {
    let all = &cx.input.judgement.requirements;
    if all.is_empty() {
        return None;
    }
    let matrix = Matrix::of(cx, all);
    let rows: Vec<&RequirementResult> = all.iter().filter(|result| !matrix.holds(&result.id)).take(ROWS_MAX).collect();
    let above = matrix.height();
    let below = if rows.is_empty() { 0.0 } else { scale_height(rows.len()) };
    let mut canvas = Canvas::new(WIDTH, above + below);
    matrix.draw(cx, &mut canvas);
    if !rows.is_empty() {
        scale(cx, &mut canvas, above, &rows);
    }
    let words = words(cx, all, anchor, !matrix.is_empty());
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

/// Above the rows, for the name of the limit, and below, for the axis.
const OVER: f64 = 34.0;
const UNDER: f64 = 44.0;

fn scale_height(rows: usize) -> f64 {
    OVER + rows as f64 * ROW + UNDER
}

/// Rows of dots and intervals on one scale, from `y` on.
fn scale(cx: &Context<'_>, canvas: &mut Canvas, y: f64, rows: &[&RequirementResult]) {
    let top = y + OVER;
    let height = rows.len() as f64 * ROW;
    let limit_x = LEFT + SCALE / MOST;
    canvas.hatch((limit_x, top), (SCALE - SCALE / MOST, height));
    let ticks = [0.0, 0.5, 1.0, 1.5, 2.0].map(|part| (LEFT + part / MOST * SCALE, part));
    canvas.rules(&ticks.map(|(x, _)| ((x, top), (x, top + height))), Stroke::solid("grid", 1.0));
    let labels = ticks.map(|(x, part)| ((x, top + height + 17.0), cx.m.numbers.given(&Arg::Share(part))));
    canvas.texts(&labels, Lettering::new("ink-3", Anchor::Middle));
    canvas.line((limit_x, top - 6.0), (limit_x, top + height), Stroke::dashed("limit", 1.4, "6 3"));
    canvas.text((limit_x, top - 12.0), &say!(cx.m, "label-limit"), Lettering::new("not-met", Anchor::Middle).bold());
    let title = say!(cx.m, "axis-used");
    canvas.text((LEFT + SCALE / 2.0, top + height + 37.0), &title, Lettering::new("ink-2", Anchor::Middle));
    for (index, result) in rows.iter().enumerate() {
        row(cx, canvas, top + index as f64 * ROW, result);
    }
}

/// What the strip shows and what that means.
fn words(cx: &Context<'_>, all: &[RequirementResult], anchor: &str, has_cells: bool) -> Words {
    let count = |verdict: Verdict| all.iter().filter(|result| result.verdict == verdict).count();
    let worst =
        all.iter().filter_map(|result| Some((used(result, result.value?)?, result))).max_by(|a, b| a.0.total_cmp(&b.0));
    let observation = say!(
        cx.m,
        "fig-strip-seen",
        met = count(Verdict::Met),
        not_met = count(Verdict::NotMet),
        cannot_tell = count(Verdict::CannotTell)
    );
    let (caption, assessment) = match worst {
        Some((part, result)) => {
            let [finds, means] = match assess::allowance(part) {
                Allowance::Exceeded => ["fig-strip-finds-over", "fig-strip-means-over"],
                Allowance::Kept => ["fig-strip-finds-under", "fig-strip-means-under"],
            };
            let said =
                |key: &str| say!(cx.m, key, requirement = &result.id, scope = &result.scope, part = Arg::Share(part));
            (said(finds), said(means))
        }
        None => (say!(cx.m, "fig-strip-finds-none"), say!(cx.m, "fig-strip-means-none")),
    };
    let mut reading = say!(cx.m, "fig-strip-reading");
    if has_cells {
        reading = format!("{} {reading}", say!(cx.m, "fig-strip-reading-cells"));
    }
    Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-strip-caption"),
        caption,
        observation,
        assessment,
        reading,
        findings: Vec::new(),
        group: String::new(),
        data: table(cx, all),
    }
}

fn row(cx: &Context<'_>, canvas: &mut Canvas, y: f64, result: &RequirementResult) {
    let middle = y + ROW / 2.0;
    let hue = hue(result.verdict);
    canvas.line((0.0, y), (WIDTH, y), Stroke::solid("grid", 1.0));
    canvas.text((14.0, middle + 5.0), glyph(result.verdict), Lettering::new(hue, Anchor::Middle).size(16.0).bold());
    canvas.text(
        (32.0, middle - 1.0),
        &fit(&result.id, 200.0, 12.0),
        Lettering::new("ink", Anchor::Start).size(12.0).bold(),
    );
    canvas.text(
        (32.0, middle + 12.0),
        &fit(&result.scope, 200.0, 10.0),
        Lettering::new("ink-3", Anchor::Start).size(10.0),
    );
    let shown = measured_cell(cx, result).text;
    canvas.text((LEFT - 14.0, middle + 4.0), &shown, Lettering::new("ink-2", Anchor::End).size(12.0));
    let place = |part: f64| LEFT + (part / MOST).clamp(0.0, 1.0) * SCALE;
    let Some(part) = result.value.and_then(|value| used(result, value)) else {
        canvas.text((LEFT + 6.0, middle + 4.0), &say!(cx.m, "label-no-scale"), Lettering::new("ink-3", Anchor::Start));
        return;
    };
    if let Some((low, high)) = used_between(result) {
        canvas.line((place(low), middle), (place(high), middle), Stroke::solid(hue, 3.0));
        for end in [low, high] {
            canvas.line((place(end), middle - 5.0), (place(end), middle + 5.0), Stroke::solid(hue, 1.5));
        }
    }
    if part > MOST {
        let x = place(part);
        canvas.area(&[(x + 10.0, middle), (x - 2.0, middle - 6.0), (x - 2.0, middle + 6.0)], hue, 1.0);
        let text = cx.m.numbers.share(part);
        canvas.text((x - 8.0, middle + 4.0), &text, Lettering::new("ink", Anchor::End).bold());
    } else {
        canvas.dot((place(part), middle), 5.0, hue);
    }
}

fn table(cx: &Context<'_>, results: &[RequirementResult]) -> Table {
    let part = |result: &RequirementResult, value: Option<f64>| {
        value
            .and_then(|value| used(result, value))
            .map_or_else(Cell::missing, |part| Cell::number(cx.m.numbers.percentage(part), part * 100.0))
    };
    let row = |result: &RequirementResult| {
        Row::new(vec![
            Cell::code(&result.id),
            Cell::code(&result.scope),
            part(result, result.value),
            part(result, result.low),
            part(result, result.high),
        ])
    };
    let text = |title: String| Column { title, ..Column::default() };
    Table {
        columns: vec![
            text(say!(cx.m, "col-requirement")),
            text(say!(cx.m, "col-where")),
            column(say!(cx.m, "col-used"), "%"),
            column(say!(cx.m, "col-low"), "%"),
            column(say!(cx.m, "col-high"), "%"),
        ],
        rows: results.iter().map(row).collect(),
        ..Table::default()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use judge::{Args, Reason};
    use terms::Severity;

    pub(in crate::charts) fn result(rule: &str, unit: &str, limit: f64) -> RequirementResult {
        RequirementResult {
            id: "r".into(),
            scope: "s/hold".into(),
            rule: rule.into(),
            severity: Severity::Must,
            verdict: Verdict::Met,
            value: None,
            low: None,
            high: None,
            limit: Some(limit),
            unit: unit.into(),
            is_census: false,
            sample_count: 0,
            design_effect: None,
            disturbed: Vec::new(),
            reason: Reason { code: "census".into(), args: Args::new() },
            evidence: Vec::new(),
        }
    }

    #[test]
    fn less_than_the_whole_is_always_the_good_side() {
        let near = |found: Option<f64>, wanted: f64| assert!((found.unwrap() - wanted).abs() < 1e-9, "{found:?}");
        near(used(&result("p95(x) < 2s", "ms", 2000.0), 1000.0), 0.5);
        near(used(&result("share(x < 2s) >= 95%", "share", 0.95), 0.98), 0.4);
        near(used(&result("rate(x.ok) >= 100/s", "per_s", 100.0), 80.0), 1.25);
        near(used(&result("share(x.failed) <= 1%", "share", 0.01), 0.03), 3.0);
    }

    #[test]
    fn a_limit_that_leaves_nothing_has_no_place() {
        assert_eq!(used(&result("share(x < 2s) = 100%", "share", 1.0), 0.99), None);
        assert_eq!(used(&result("count(x.failed) <= 0", "count", 0.0), 3.0), None);
    }

    #[test]
    fn a_change_counts_in_both_directions_and_its_interval_holds_it() {
        let mut change = result("steady(host.cpu)", "share", 0.1);
        (change.value, change.low, change.high) = (Some(0.003), Some(-0.024), Some(0.615));
        assert!((used(&change, 0.003).unwrap() - 0.03).abs() < 1e-9);
        let (low, high) = used_between(&change).unwrap();
        assert!(low == 0.0 && (high - 6.15).abs() < 1e-9, "{low} {high}");
        (change.low, change.high) = (Some(-0.2), Some(-0.1));
        let (low, high) = used_between(&change).unwrap();
        assert!((low - 1.0).abs() < 1e-9 && (high - 2.0).abs() < 1e-9, "{low} {high}");
        change.reason.code = "too_short".into();
        assert_eq!(used(&change, 0.003), None);
    }
}
