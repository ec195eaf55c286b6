//! How much sooner the same work is done with more replicas, beside what they could bring at best.

use super::xy::{Line, Point, STROKES, Titles, draw, frame, table};
use super::{Words, figure};
use crate::document::Figure;
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Scale, Stroke};
use judge::Arg;
use judge::assess::{self, ScalingEffect};
use judge::grids::{Scaling, ScalingLevel};

/// Scalings of one instance in one combination of the other variables; `None` where none has a speed-up.
pub(crate) fn grid_scaling(cx: &Context<'_>, all: &[&Scaling], anchor: &str) -> Option<Box<Figure>> {
    let mut known: Vec<(&Scaling, &ScalingLevel)> =
        all.iter().filter_map(|scaling| Some((*scaling, last_told(scaling)?))).collect();
    let gain = |level: &ScalingLevel| level.speed_up.map_or(0.0, |gain| gain.value);
    known.sort_by(|one, other| gain(other.1).total_cmp(&gain(one.1)));
    let (best, worst) = (*known.first()?, *known.last()?);
    let first = best.0.levels.first()?;
    let drawn = drawn(&known);
    let lines: Vec<Line> = drawn.iter().zip(STROKES).map(|(scaling, stroke)| line(scaling, stroke)).collect();
    let titles = Titles {
        x: &say!(cx.m, "grid-axis-replicas", instance = &clean(&first_instance(all))),
        y: &say!(cx.m, "grid-axis-speed-up"),
        units: ("", ""),
    };
    let most = known.iter().map(|(_, level)| level.replicas).max()?;
    let ideal = f64::from(most) / f64::from(first.replicas);
    let replicas = known.iter().flat_map(|(scaling, _)| &scaling.levels).map(|level| f64::from(level.replicas));
    let x = Scale::whole_to(replicas.fold(0.0, f64::max));
    // What every replica would bring at best has its place in the frame, too.
    let room = Line { name: String::new(), stroke: STROKES[0], points: vec![Point::new(f64::from(most), ideal)] };
    let mut plot = frame(&lines.iter().cloned().chain([room]).collect::<Vec<_>>(), x, &titles, cx.m.numbers);
    let dashed = Stroke::dashed("grey", 1.2, "4 4");
    plot.line(&[(f64::from(first.replicas), Some(1.0)), (f64::from(most), Some(ideal))], dashed);
    plot.label(ideal, &say!(cx.m, "grid-label-ideal"), dashed);
    draw(&mut plot, &lines);
    let efficiencies = known.iter().filter_map(|(_, level)| level.efficiency);
    let key = match assess::scaling_effect(efficiencies.map(|gain| gain.interval)) {
        ScalingEffect::Full => "fig-grid-scaling-means-full",
        ScalingEffect::Less => "fig-grid-scaling-means-less",
        ScalingEffect::Mixed => "fig-grid-scaling-means-mixed",
        ScalingEffect::NotTold => "fig-grid-scaling-means-open",
    };
    let told = |(scaling, level): (&Scaling, &ScalingLevel)| {
        let factor = Arg::Number(gain(level));
        let share = Arg::Share(level.efficiency.map_or(0.0, |gain| gain.value));
        (clean(&scaling.exchange), factor, share)
    };
    let ((most_name, most_gain, most_share), (least_name, least_gain, least_share)) = (told(best), told(worst));
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-grid-scaling-what", instance = &clean(&first_instance(all))),
        caption: say!(
            cx.m,
            "fig-grid-scaling-finds",
            replicas = u64::from(most),
            first = u64::from(first.replicas),
            low = least_gain.clone(),
            high = most_gain.clone(),
            lines = known.len()
        ),
        observation: say!(
            cx.m,
            "fig-grid-scaling-seen",
            best = &most_name,
            high = most_gain,
            high_share = most_share,
            worst = &least_name,
            low = least_gain,
            low_share = least_share,
            lines = known.len(),
            drawn = lines.len()
        ),
        assessment: say!(cx.m, key, full = Arg::Share(assess::FULL).given()),
        reading: say!(cx.m, "fig-grid-scaling-reading"),
        data: table(&cx.m, &plot, &lines, &titles),
        ..Words::default()
    };
    Some(figure(plot, words))
}

/// The most replicas of which a speed-up is known.
fn last_told(scaling: &Scaling) -> Option<&ScalingLevel> {
    scaling.levels.iter().rfind(|level| level.speed_up.is_some())
}

fn first_instance(all: &[&Scaling]) -> String {
    all.first().map_or_else(String::new, |scaling| scaling.instance.clone())
}

/// As many as there are colours: those that gain the most, and the one that gains the least.
fn drawn<'a>(known: &[(&'a Scaling, &ScalingLevel)]) -> Vec<&'a Scaling> {
    let mut all: Vec<&Scaling> = known.iter().map(|(scaling, _)| *scaling).collect();
    if all.len() > STROKES.len() {
        let worst = all.pop();
        all.truncate(STROKES.len() - 1);
        all.extend(worst);
    }
    all
}

fn line(scaling: &Scaling, stroke: Stroke) -> Line {
    let first = scaling.levels.first().map(|level| Point::new(f64::from(level.replicas), 1.0));
    let others = scaling.levels.iter().filter_map(|level| {
        let gain = level.speed_up?;
        Some(Point { interval: gain.interval, ..Point::new(f64::from(level.replicas), gain.value) })
    });
    Line { name: clean(&scaling.exchange), stroke, points: first.into_iter().chain(others).collect() }
}
