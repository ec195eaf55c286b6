//! Comparison as a forest: a ratio with its interval on each line, the band of equality shaded.

use super::{Words, column, joined};
use crate::compared::{change, interval};
use crate::document::{Cell, Column, Figure, Row as Line, Table};
use crate::marks::{row_hue, row_mark};
use crate::messages::{Messages, say};
use crate::number::clean;
use crate::svg::{Anchor, Canvas, Lettering, Scale, Stroke, WIDTH, fit};
use judge::Arg;
use judge::comparison::{Comparison, Pair, Row, RowVerdict};

/// Height of a line.
const LINE: f64 = 27.0;
/// Where the scale begins and how wide it is; the numbers stand to its right.
const LEFT: f64 = 250.0;
const SCALE: f64 = 400.0;
/// Above the first line.
const TOP: f64 = 30.0;
/// Between two labels of the scale.
const APART: f64 = 34.0;
/// More lines than this are in the table only.
const LINES_MAX: usize = 60;
/// The scale reaches at least so far to both sides of equality.
const REACH: f64 = 1.3;
/// And at most so far; what is beyond is an arrow.
const REACH_MAX: f64 = 50.0;

/// One pair as a forest; `None` when no row of it has a ratio that may be formed.
pub(crate) fn forest(m: &Messages, comparison: &Comparison, pair: &Pair, anchor: &str) -> Option<Box<Figure>> {
    let is_drawn = |row: &&Row| !row.is_difference && row.value.is_some() && row.verdict != RowVerdict::NotComparable;
    let all: Vec<&Row> = pair.rows.iter().filter(is_drawn).collect();
    if all.is_empty() {
        return None;
    }
    let shown = &all[..all.len().min(LINES_MAX)];
    let canvas = draw(m, comparison, shown);
    // Shares have a difference and no ratio to be drawn; what is stated is reported about all rows.
    let count = |verdict: RowVerdict| pair.rows.iter().filter(|row| row.verdict == verdict).count();
    let (base, other) = (clean(&comparison.base.label), clean(&pair.other.label));
    let differing = pair.rows.iter().filter(|row| row.verdict == RowVerdict::Different);
    let widest = differing.max_by(|a, b| distance(a).total_cmp(&distance(b)));
    let assessment = match widest {
        Some(row) => say!(
            m,
            "fig-forest-means-widest",
            what = &title(row),
            change = &change(&m.numbers, row),
            band = Arg::Share(comparison.band).given()
        ),
        None if count(RowVerdict::CannotTell) == 0 => {
            say!(m, "fig-forest-means-equal", band = Arg::Share(comparison.band).given())
        }
        None => say!(m, "fig-forest-means-open", open = count(RowVerdict::CannotTell)),
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(m, "fig-forest-what", base = &base, other = &other),
        caption: say!(
            m,
            "fig-forest-finds",
            different = count(RowVerdict::Different),
            all = pair.rows.len(),
            base = &base,
            other = &other
        ),
        observation: say!(
            m,
            "fig-forest-seen",
            different = count(RowVerdict::Different),
            equivalent = count(RowVerdict::Equivalent),
            open = count(RowVerdict::CannotTell),
            apart = count(RowVerdict::NotComparable)
        ),
        assessment,
        reading: say!(m, "fig-forest-reading", band = Arg::Share(comparison.band).given()),
        data: table(m, &all),
        ..Words::default()
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

fn title(row: &Row) -> String {
    clean(&format!("{} {}", row.subject, row.statistic))
}

/// How far from equality, the same for half and for twice; a difference has no such distance.
fn distance(row: &Row) -> f64 {
    row.value.filter(|_| !row.is_difference).filter(|value| *value > 0.0).map_or(0.0, |value| value.ln().abs())
}

/// A log scale around 1 that holds all ratios and their intervals.
fn scale(rows: &[&Row]) -> Scale {
    let ends = rows.iter().flat_map(|row| [row.value, row.low, row.high]).flatten();
    let far = ends.filter(|end| *end > 0.0 && end.is_finite()).map(|end| end.max(1.0 / end)).fold(REACH, f64::max);
    let reach = (far * 1.05).min(REACH_MAX);
    Scale::Log { low: 1.0 / reach, high: reach }
}

/// Ratios that people read as changes, within the scale.
fn ticks(scale: Scale) -> Vec<f64> {
    const TICKS: [f64; 15] = [0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 1.0, 1.1, 1.25, 2.0, 5.0, 10.0, 20.0, 50.0];
    let inside: Vec<f64> = TICKS.into_iter().filter(|tick| scale.holds(*tick)).collect();
    // Where the scale is wide, those close to one would meet.
    let is_wide = !matches!(scale, Scale::Log { high, .. } if high < 1.6);
    inside.into_iter().filter(|tick| !is_wide || *tick == 1.0 || !(0.85..1.2).contains(tick)).collect()
}

fn draw(m: &Messages, comparison: &Comparison, rows: &[&Row]) -> Canvas {
    let height = rows.len() as f64 * LINE;
    let mut canvas = Canvas::new(WIDTH, TOP + height + 40.0);
    let scale = scale(rows);
    let px = |ratio: f64| LEFT + scale.position(ratio) * SCALE;
    let band = (px(1.0 / (1.0 + comparison.band)), px(1.0 + comparison.band));
    canvas.rect((band.0, TOP), (band.1 - band.0, height), "fill-blue", 1.0);
    // Outwards from one, so that of labels that would meet the nearer one stays.
    let mut marks = ticks(scale);
    marks.sort_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()));
    let mut taken: Vec<f64> = Vec::new();
    for tick in marks {
        let x = px(tick);
        if taken.iter().any(|known| (known - x).abs() < APART) {
            continue;
        }
        taken.push(x);
        canvas.line((x, TOP), (x, TOP + height), Stroke::solid("grid", 1.0));
        let label = format!("×{}", m.numbers.trim(&m.numbers.fixed(tick, 2)));
        canvas.text((x, TOP + height + 16.0), &label, Lettering::new("ink-3", Anchor::Middle));
    }
    canvas.line((px(1.0), TOP - 4.0), (px(1.0), TOP + height), Stroke::solid("ink-3", 1.2));
    let (left, right) = (say!(m, "axis-less"), say!(m, "axis-more"));
    canvas.text((px(1.0) - 10.0, TOP - 10.0), &format!("← {left}"), Lettering::new("ink-2", Anchor::End));
    canvas.text((px(1.0) + 10.0, TOP - 10.0), &format!("{right} →"), Lettering::new("ink-2", Anchor::Start));
    let below = (LEFT + SCALE / 2.0, TOP + height + 35.0);
    canvas.text(below, &say!(m, "axis-ratio"), Lettering::new("ink-2", Anchor::Middle));
    for (index, row) in rows.iter().enumerate() {
        line(m, &mut canvas, TOP + index as f64 * LINE, row, scale);
    }
    canvas
}

fn line(m: &Messages, canvas: &mut Canvas, y: f64, row: &Row, scale: Scale) {
    let px = |ratio: f64| LEFT + scale.position(ratio) * SCALE;
    let middle = y + LINE / 2.0;
    let hue = row_hue(row.verdict);
    canvas.line((0.0, y), (WIDTH, y), Stroke::solid("grid", 1.0));
    let mark = row_mark(row.verdict);
    canvas.text((8.0, middle + 4.5), mark, Lettering::new("ink", Anchor::Middle).size(14.0).bold());
    let name = fit(&title(row), LEFT - 40.0, 12.0);
    canvas.text((22.0, middle + 4.0), &name, Lettering::new("ink", Anchor::Start).size(12.0));
    let Some(value) = row.value else { return };
    if let Some(low) = row.low {
        // Without a high end the other is at least so much: the line runs to the edge.
        let high = row.high.map_or(LEFT + SCALE, px);
        canvas.line((px(low), middle), (high, middle), Stroke::solid(hue, 2.4));
        canvas.line((px(low), middle - 4.0), (px(low), middle + 4.0), Stroke::solid(hue, 1.5));
        if row.high.is_some() {
            canvas.line((high, middle - 4.0), (high, middle + 4.0), Stroke::solid(hue, 1.5));
        }
    }
    if scale.holds(value) {
        canvas.dot((px(value), middle), 4.2, hue);
    } else {
        let outwards = if value > 1.0 { 1.0 } else { -1.0 };
        let (tip, back) = (px(value) + 9.0 * outwards, px(value) - 3.0 * outwards);
        canvas.area(&[(tip, middle), (back, middle - 6.0), (back, middle + 6.0)], hue, 1.0);
    }
    let text = change(&m.numbers, row);
    canvas.text((LEFT + SCALE + 16.0, middle + 4.0), &text, Lettering::new("ink", Anchor::Start).size(12.0).bold());
    let text = fit(&interval(&m.numbers, row), WIDTH - LEFT - SCALE - 96.0, 10.5);
    canvas.text((WIDTH, middle + 4.0), &text, Lettering::new("ink-3", Anchor::End).size(10.5));
}

fn table(m: &Messages, rows: &[&Row]) -> Table {
    let value = |value: Option<f64>| value.map_or_else(Cell::missing, |v| Cell::number(m.numbers.value(v), v));
    let row = |row: &&Row| {
        Line::new(vec![
            Cell::text(title(row)),
            Cell::code(&row.scope),
            value(row.value),
            value(row.low),
            value(row.high),
            Cell::text(say!(m, "row-verdict-word", verdict = row.verdict.name())),
        ])
    };
    Table {
        columns: vec![
            Column::text(say!(m, "col-compared")),
            Column::text(say!(m, "col-where")),
            column(say!(m, "col-ratio"), ""),
            column(say!(m, "col-low"), ""),
            column(say!(m, "col-high"), ""),
            Column::text(say!(m, "col-verdict")),
        ],
        rows: rows.iter().map(row).collect(),
        ..Table::default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use judge::comparison::{RowChange, Side};
    use judge::{Args, Reason};

    pub(crate) fn row(subject: &str, statistic: &str, ratio: (f64, f64, f64), verdict: RowVerdict) -> Row {
        let (low, value, high) = ratio;
        Row {
            id: format!("nominal/hold/{subject}/{statistic}"),
            statistic: statistic.into(),
            subject: subject.into(),
            scope: "nominal/hold".into(),
            unit: "ms".into(),
            base: Some(24.0),
            other: Some(24.0 * value),
            is_base_censored: false,
            is_other_censored: false,
            base_count: 1000,
            other_count: 1000,
            base_replicates: 2,
            other_replicates: 2,
            is_difference: false,
            value: Some(value),
            low: Some(low),
            high: Some(high),
            band: 0.05,
            change: Some(RowChange { value: value - 1.0, low: value - 1.003, high: value - 0.997 }),
            verdict,
            reason: Reason { code: "compared_outside".into(), args: Args::new() },
            method: None,
            p: None,
            superiority: None,
            runs_needed: None,
            one_sided: None,
            chance: None,
        }
    }

    pub(crate) fn comparison() -> Comparison {
        let side = |label: &str| Side { label: label.into(), ..Side::default() };
        let rows = vec![
            row("rih_1", "mean", (1.02, 1.07, 1.12), RowVerdict::Different),
            row("rih_1", "p95", (1.45, 1.58, 1.72), RowVerdict::Different),
            row("rih_2", "mean", (0.98, 1.0, 1.03), RowVerdict::Equivalent),
            row("rih_2", "p95", (0.8, 1.1, 1.5), RowVerdict::CannotTell),
        ];
        Comparison {
            name: "mixes".into(),
            band: 0.05,
            base: side("alone"),
            pairs: vec![judge::comparison::Pair { other: side("all workflows"), differences: Vec::new(), rows }],
        }
    }

    #[test]
    fn what_differs_most_is_named_and_every_line_is_drawn() {
        let (m, comparison) = (Messages::of("en"), comparison());
        let figure = forest(&m, &comparison, &comparison.pairs[0], "fig-x").unwrap();
        assert!(figure.assessment.contains("rih_1 p95") && figure.assessment.contains("+58%"), "{}", figure.assessment);
        assert_eq!(figure.svg.matches("<circle").count(), 4);
        assert_eq!(figure.data.rows.len(), 4);
        insta::assert_snapshot!("forest", figure.svg.replace("><", ">\n<"));
    }

    #[test]
    fn what_must_not_be_compared_is_not_drawn() {
        let (m, mut comparison) = (Messages::of("en"), comparison());
        comparison.pairs[0].rows[1].verdict = RowVerdict::NotComparable;
        let figure = forest(&m, &comparison, &comparison.pairs[0], "fig-x").unwrap();
        assert_eq!((figure.svg.matches("<circle").count(), figure.data.rows.len()), (3, 3));
        assert!(!figure.svg.contains("+58%") && !figure.assessment.contains("+58%"));
        comparison.pairs[0].rows.iter_mut().for_each(|row| row.verdict = RowVerdict::NotComparable);
        assert!(forest(&m, &comparison, &comparison.pairs[0], "fig-x").is_none());
    }

    #[test]
    fn half_and_twice_stand_equally_far_from_equality() {
        let one = row("x", "p95", (0.4, 0.5, 0.6), RowVerdict::Different);
        let scale = scale(&[&one]);
        assert!((scale.position(0.5) + scale.position(2.0) - 1.0).abs() < 1e-12);
        assert!((scale.position(1.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_ratio_beyond_the_scale_is_an_arrow() {
        let (m, mut comparison) = (Messages::of("en"), comparison());
        comparison.pairs[0].rows = vec![
            row("much", "p95", (60.0, 69.0, 80.0), RowVerdict::Different),
            row("little", "p95", (0.01, 0.012, 0.015), RowVerdict::Different),
            row("same", "p95", (0.98, 1.0, 1.03), RowVerdict::Equivalent),
        ];
        let figure = forest(&m, &comparison, &comparison.pairs[0], "fig-x").unwrap();
        assert_eq!(figure.svg.matches("<circle").count(), 1, "only what is on the scale is a dot");
        assert!(figure.svg.contains("659") && figure.svg.contains("241"), "tips beyond both ends: {}", figure.svg);
    }

    #[test]
    fn a_lower_bound_runs_to_the_edge_and_no_ratio_is_no_figure() {
        let (m, mut comparison) = (Messages::of("en"), comparison());
        for row in &mut comparison.pairs[0].rows {
            row.high = None;
            row.is_other_censored = true;
        }
        let figure = forest(&m, &comparison, &comparison.pairs[0], "fig-x").unwrap();
        assert!(figure.svg.contains("x2=\"650\""), "the line reaches the right end of the scale");
        comparison.pairs[0].rows.iter_mut().for_each(|row| row.value = None);
        assert!(forest(&m, &comparison, &comparison.pairs[0], "fig-x").is_none());
    }
}
