//! Replicas beside each other: what each of them carries of every metric, in parts of their mean.

use super::series::{Series, differ, quantity};
use super::{Words, column, hue_of, joined};
use crate::document::{Cell, Column, Figure, Row, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Anchor, Canvas, Lettering, Scale, Stroke, WIDTH, fit};
use judge::Arg;
use judge::assess::{self, Replicas};
use judge::views::MetricView;

/// Height of a line.
const LINE: f64 = 28.0;
/// Where the scale begins and how wide it is.
const LEFT: f64 = 230.0;
const SCALE: f64 = 480.0;
/// Above the first line.
const TOP: f64 = 26.0;

/// One metric of several replicas.
struct Spread<'a> {
    title: String,
    /// Instance and its mean.
    levels: Vec<(&'a str, f64, String)>,
    mean: f64,
    /// Whether greatest and least differ by what matters.
    matters: bool,
}

impl Spread<'_> {
    /// Greatest over mean: 1 when all carry the same.
    fn index(&self) -> f64 {
        self.levels.iter().map(|level| level.1).fold(0.0, f64::max) / self.mean
    }

    fn assessed(&self) -> assess::Spread {
        assess::Spread { ratio: self.index(), matters: self.matters }
    }
}

/// Levels of every metric that replicas of one instance share; `None` without replicas.
pub(crate) fn skew(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Option<Box<Figure>> {
    let spreads = spreads(cx, scenario);
    let worst = spreads.iter().max_by(|a, b| a.assessed().compare(&b.assessed()))?;
    let canvas = draw(cx, &spreads);
    let most = worst.levels.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let findings = cx.findings_on(scenario.name, None, &["SKEW"]);
    let assessment = match assess::replicas(worst.assessed(), !findings.is_empty()) {
        Replicas::Uneven(limit) => say!(cx.m, "fig-skew-means-uneven", limit = Arg::Number(limit).given()),
        Replicas::Apart(limit) => say!(cx.m, "fig-skew-means-apart", limit = Arg::Number(limit).given()),
        Replicas::Small(limit) => say!(cx.m, "fig-skew-means-small", limit = Arg::Number(limit).given()),
        Replicas::Even(limit) => say!(cx.m, "fig-skew-means-even", limit = Arg::Number(limit).given()),
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-skew-what", scenario = scenario.name),
        caption: say!(
            cx.m,
            "fig-skew-finds",
            instance = &clean(most.0),
            what = &worst.title,
            factor = Arg::Number(worst.index())
        ),
        observation: say!(
            cx.m,
            "fig-skew-seen",
            instance = &clean(most.0),
            what = &worst.title,
            level = &most.2,
            factor = Arg::Number(worst.index())
        ),
        assessment,
        reading: say!(cx.m, "fig-skew-reading"),
        findings,
        data: table(cx, &spreads),
        ..Words::default()
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

/// Name of what an instance is a replica of, when it is one: `storage` of `storage.2`.
fn replica_of(instance: &str) -> Option<&str> {
    let (base, number) = instance.rsplit_once('.')?;
    number.chars().all(|c| c.is_ascii_digit()).then_some(base)
}

fn spreads<'a>(cx: &Context<'a>, scenario: &ScenarioContext<'_>) -> Vec<Spread<'a>> {
    let mut spreads: Vec<(String, &MetricView, Spread<'a>)> = Vec::new();
    for view in &cx.input.views.metrics {
        let Some(base) = replica_of(&view.instance) else { continue };
        let series = Series::of(cx, scenario, view);
        let Some(level) = series.mean().filter(|level| *level > 0.0) else { continue };
        let metric = view.monitor.metrics.get(view.metric).map_or("", |metric| metric.name.as_str());
        let title = clean(&format!("{base}: {}", cx.metric_word(&view.monitor.name, metric)));
        let entry = (view.instance.as_str(), level, quantity(cx, view, level));
        match spreads.iter_mut().find(|known| known.0 == base && known.2.title == title) {
            Some(known) => known.2.levels.push(entry),
            None => {
                let spread = Spread { title, levels: vec![entry], mean: 0.0, matters: false };
                spreads.push((base.to_owned(), view, spread));
            }
        }
    }
    let several = spreads.into_iter().filter(|known| known.2.levels.len() > 1);
    several
        .map(|(_, view, spread)| {
            let levels = || spread.levels.iter().map(|level| level.1);
            let mean = levels().sum::<f64>() / spread.levels.len() as f64;
            let difference = levels().fold(0.0, f64::max) - levels().fold(f64::INFINITY, f64::min);
            Spread { mean, matters: differ(view, difference), ..spread }
        })
        .collect()
}

fn draw(cx: &Context<'_>, spreads: &[Spread<'_>]) -> Canvas {
    let height = spreads.len() as f64 * LINE;
    let mut canvas = Canvas::new(WIDTH, TOP + height + 40.0);
    let parts = spreads.iter().flat_map(|spread| spread.levels.iter().map(|level| level.1 / spread.mean));
    let scale = Scale::from_zero(parts.chain([1.5]));
    let px = |part: f64| LEFT + scale.position(part) * SCALE;
    for (value, label) in scale.ticks(6, cx.m.numbers) {
        canvas.line((px(value), TOP), (px(value), TOP + height), Stroke::solid("grid", 1.0));
        canvas.text((px(value), TOP + height + 16.0), &label, Lettering::new("ink-3", Anchor::Middle));
    }
    canvas.line((px(1.0), TOP), (px(1.0), TOP + height), Stroke::solid("ink-3", 1.2));
    let below = (LEFT + SCALE / 2.0, TOP + height + 35.0);
    canvas.text(below, &say!(cx.m, "axis-of-mean"), Lettering::new("ink-2", Anchor::Middle));
    let mut named: Vec<&str> = Vec::new();
    for level in spreads.iter().flat_map(|spread| &spread.levels) {
        if !named.contains(&level.0) {
            named.push(level.0);
        }
    }
    let mut x = LEFT;
    for instance in named.iter().take(6) {
        canvas.dot((x + 4.0, 10.0), 4.5, hue_of(cx, instance));
        let name = fit(instance, 110.0, 11.5);
        canvas.text((x + 13.0, 14.0), &name, Lettering::new("ink-2", Anchor::Start));
        x += 34.0 + crate::svg::text_width(&name, 11.5);
    }
    for (index, spread) in spreads.iter().enumerate() {
        let middle = TOP + (index as f64 + 0.5) * LINE;
        canvas.line((0.0, middle - LINE / 2.0), (WIDTH, middle - LINE / 2.0), Stroke::solid("grid", 1.0));
        let title = fit(&spread.title, LEFT - 14.0, 12.0);
        canvas.text((0.0, middle + 4.0), &title, Lettering::new("ink", Anchor::Start).size(12.0));
        for (instance, level, _) in &spread.levels {
            canvas.dot((px(level / spread.mean), middle), 5.0, hue_of(cx, instance));
        }
        let factor = format!("×{}", cx.m.numbers.value(spread.index()));
        canvas.text((WIDTH, middle + 4.0), &factor, Lettering::new("ink-2", Anchor::End).size(12.0));
    }
    canvas
}

fn table(cx: &Context<'_>, spreads: &[Spread<'_>]) -> Table {
    let mut rows = Vec::new();
    for spread in spreads {
        for (instance, level, text) in &spread.levels {
            let part = level / spread.mean;
            rows.push(Row::new(vec![
                Cell::text(spread.title.clone()),
                Cell::code(*instance),
                Cell::number(text.clone(), *level),
                Cell::number(cx.m.numbers.value(part), part),
            ]));
        }
    }
    Table {
        columns: vec![
            Column::text(say!(cx.m, "col-metric")),
            Column::text(say!(cx.m, "col-instance")),
            column(say!(cx.m, "col-mean"), ""),
            column(say!(cx.m, "col-of-mean"), ""),
        ],
        rows,
        ..Table::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_are_told_by_their_number() {
        assert_eq!(replica_of("storage.12"), Some("storage"));
        assert_eq!(replica_of("gateway"), None);
        assert_eq!(replica_of("db.local"), None);
    }
}
