//! The verdict strip: every requirement on one scale, how much of what its limit allows was used.
//!
//! A requirement that was judged in a few places has a row for each: dot and interval against the limit. One that was
//! judged in many has a row of cells, a cell for each workload with the verdicts that it got there.

use super::allowance::{MOST, used, used_between};
use super::strip_matrix::Matrix;
use super::{Words, column, joined};
use crate::document::{Cell, Column, Figure, Row, Table};
use crate::input::Context;
use crate::marks::{glyph, hue};
use crate::messages::say;
use crate::svg::{Anchor, Canvas, Lettering, Stroke, WIDTH, fit};
use crate::verdict_words::measured_cell;
use judge::assess::{self, Allowance};
use judge::{Arg, RequirementResult};
use terms::Verdict;

/// Height of a row.
const ROW: f64 = 34.0;
/// Where the scale begins and how wide it is.
const LEFT: f64 = 330.0;
const SCALE: f64 = 480.0;
/// More rows than this are in the table only.
const ROWS_MAX: usize = 60;

/// Draws the strip.
pub(crate) fn strip(cx: &Context<'_>, anchor: &str) -> Option<Box<Figure>> {
    let all = &cx.input.judgement.requirements;
    if all.is_empty() {
        return None;
    }
    let matrix = Matrix::of(cx, all);
    // What has no part of its limit, such as a limit of zero, is in the table of verdicts alone.
    let is_shown = |result: &&RequirementResult| !matrix.holds(&result.id) && part_of(result).is_some();
    let rows: Vec<&RequirementResult> = all.iter().filter(is_shown).take(ROWS_MAX).collect();
    if rows.is_empty() && matrix.is_empty() {
        return None;
    }
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
    let deciding = cx.deciding();
    let count = |verdict: Verdict| deciding.iter().filter(|result| result.verdict == verdict).count();
    let worst =
        all.iter().filter_map(|result| Some((used(result, result.value?)?, result))).max_by(|a, b| a.0.total_cmp(&b.0));
    let mut observation = say!(
        cx.m,
        "fig-strip-seen",
        met = count(Verdict::Met),
        not_met = count(Verdict::NotMet),
        cannot_tell = count(Verdict::CannotTell)
    );
    // Every place is drawn, also one that another makes up for: the marks are more than the verdicts that count.
    if deciding.len() < all.len() {
        observation = format!("{observation} {}", say!(cx.m, "note-verdicts-any"));
    }
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

/// How much of its limit a requirement used, where that can be said.
fn part_of(result: &RequirementResult) -> Option<f64> {
    result.value.and_then(|value| used(result, value))
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
        &fit(&cx.short_names.scope(&result.scope), 200.0, 10.0),
        Lettering::new("ink-3", Anchor::Start).size(10.0),
    );
    let shown = measured_cell(cx, result).text;
    canvas.text((LEFT - 14.0, middle + 4.0), &shown, Lettering::new("ink-2", Anchor::End).size(12.0));
    let place = |part: f64| LEFT + (part / MOST).clamp(0.0, 1.0) * SCALE;
    let Some(part) = part_of(result) else { return };
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
    let part = |part: Option<f64>| {
        part.map_or_else(Cell::missing, |part| Cell::number(cx.m.numbers.percentage(part), part * 100.0))
    };
    let row = |result: &RequirementResult| {
        let ends = used_between(result);
        Row::new(vec![
            Cell::code(&result.id),
            Cell::code(&result.scope),
            part(part_of(result)),
            part(ends.map(|(low, _)| low)),
            part(ends.map(|(_, high)| high)),
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
