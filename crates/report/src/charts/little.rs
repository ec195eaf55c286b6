//! Little's check as a dumbbell: iterations in flight as counted, and as rate and time say.

use super::{Words, column, joined, number_row, plain_if};
use crate::document::{Cell, Column, Figure, Table};
use crate::messages::{Messages, say};
use crate::number::clean;
use crate::svg::{Anchor, Canvas, Lettering, Scale, Stroke, WIDTH, fit};
use judge::Arg;
use judge::assess::{self, Little};

/// Height of a line.
const LINE: f64 = 30.0;
/// Where the scale begins and how wide it is.
const LEFT: f64 = 210.0;
const SCALE: f64 = 500.0;
/// Above the first line.
const TOP: f64 = 28.0;

/// One step: what was counted in flight and what rate times time gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InFlight {
    /// Where: `nominal/hold`.
    pub scope: String,
    /// Mean number in flight, as counted.
    pub counted: f64,
    /// Throughput, a second, times mean time, seconds.
    pub expected: f64,
}

impl InFlight {
    /// How far apart, as a share of what was counted.
    fn apart(&self) -> f64 {
        let apart = if self.counted > 0.0 { (self.expected / self.counted - 1.0).abs() } else { 0.0 };
        // A tenth of a percent is finer than the seconds in which the generator counts.
        (apart * 1e3).round() / 1e3
    }
}

/// The figure; `None` without a step.
pub(crate) fn little(m: &Messages, steps: &[InFlight], anchor: &str) -> Option<Box<Figure>> {
    let worst = steps.iter().max_by(|a, b| a.apart().total_cmp(&b.apart()))?;
    let canvas = draw(m, steps);
    let of = assess::little(worst.apart());
    let is_close = matches!(of, Little::Close(_));
    let assessment = match of {
        Little::Close(limit) => say!(m, "fig-little-means-close", limit = Arg::Share(limit).given()),
        Little::Apart(limit) => say!(m, "fig-little-means-apart", limit = Arg::Share(limit).given()),
    };
    let row = |step: &InFlight| {
        let values = [Some(step.counted), Some(step.expected), Some(step.apart() * 100.0)];
        let mut row = number_row(0.0, Cell::code(&step.scope), &values, m.numbers);
        row.x = None;
        row
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(m, "fig-little-what"),
        caption: if worst.apart() > 0.0 {
            say!(m, "fig-little-finds", apart = Arg::Share(worst.apart()))
        } else {
            say!(m, "fig-little-finds-same")
        },
        observation: say!(
            m,
            "fig-little-seen",
            scope = &clean(&worst.scope),
            counted = Arg::Number(worst.counted),
            expected = Arg::Number(worst.expected)
        ),
        assessment,
        reading: say!(m, "fig-little-reading"),
        data: Table {
            columns: vec![
                Column::text(say!(m, "col-where")),
                column(say!(m, "col-counted"), ""),
                column(say!(m, "col-expected"), ""),
                column(say!(m, "col-apart"), "%"),
            ],
            rows: steps.iter().map(row).collect(),
            ..Table::default()
        },
        ..Words::default()
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(plain_if(is_close, joined(svg, words)))
}

fn draw(m: &Messages, steps: &[InFlight]) -> Canvas {
    let height = steps.len() as f64 * LINE;
    let mut canvas = Canvas::new(WIDTH, TOP + height + 40.0);
    let scale = Scale::from_zero(steps.iter().flat_map(|step| [step.counted, step.expected]));
    let px = |value: f64| LEFT + scale.position(value) * SCALE;
    for (value, label) in scale.ticks(6, m.numbers) {
        canvas.line((px(value), TOP), (px(value), TOP + height), Stroke::solid("grid", 1.0));
        canvas.text((px(value), TOP + height + 16.0), &label, Lettering::new("ink-3", Anchor::Middle));
    }
    let below = (LEFT + SCALE / 2.0, TOP + height + 35.0);
    canvas.text(below, &say!(m, "axis-in-flight"), Lettering::new("ink-2", Anchor::Middle));
    let (counted, expected) = (say!(m, "label-counted"), say!(m, "label-expected"));
    canvas.dot((LEFT, 10.0), 4.5, "blue");
    canvas.text((LEFT + 10.0, 14.0), &counted, Lettering::new("ink-2", Anchor::Start));
    let next = LEFT + 34.0 + crate::svg::text_width(&counted, 11.5);
    canvas.rect((next - 4.0, 6.0), (8.0, 8.0), "orange", 1.0);
    canvas.text((next + 10.0, 14.0), &expected, Lettering::new("ink-2", Anchor::Start));
    for (index, step) in steps.iter().enumerate() {
        let middle = TOP + (index as f64 + 0.5) * LINE;
        canvas.line((0.0, middle - LINE / 2.0), (WIDTH, middle - LINE / 2.0), Stroke::solid("grid", 1.0));
        let name = fit(&step.scope, LEFT - 20.0, 12.0);
        canvas.text((0.0, middle + 4.0), &name, Lettering::new("ink", Anchor::Start).size(12.0));
        let (a, b) = (px(step.counted), px(step.expected));
        canvas.line((a, middle), (b, middle), Stroke::solid("ink-3", 2.0));
        canvas.rect((b - 4.5, middle - 4.5), (9.0, 9.0), "orange", 1.0);
        canvas.dot((a, middle), 5.0, "blue");
        let apart = m.numbers.share(step.apart());
        canvas.text((WIDTH, middle + 4.0), &apart, Lettering::new("ink-2", Anchor::End).size(12.0));
    }
    canvas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_step_is_the_one_that_is_named() {
        let step = |scope: &str, counted, expected| InFlight { scope: scope.into(), counted, expected };
        let steps = [step("a/hold", 4.0, 4.02), step("b/hold", 8.0, 6.0)];
        let figure = little(&Messages::of("en"), &steps, "fig-l").unwrap();
        assert!(figure.observation.contains("b/hold"), "{}", figure.observation);
        assert!(figure.caption.contains("25.0%"), "{}", figure.caption);
        assert!(little(&Messages::of("en"), &[], "fig-l").is_none());
    }

    #[test]
    fn nothing_in_flight_is_no_disagreement() {
        assert_eq!(InFlight { scope: String::new(), counted: 0.0, expected: 0.0 }.apart(), 0.0);
    }
}
