//! Two directions of one flow, disk or network: the one above the axis, the other below.

use super::gauges::{RULES, series_of, table};
use super::panels::{Grid, Panel, PanelLine, columns_for};
use super::series::{Series, axis_unit, quantity};
use super::{Words, joined, plain_if, scenario_group};
use crate::document::Figure;
use crate::input::{Context, ScenarioContext};
use crate::messages::{Messages, say};
use crate::svg::{Scale, Stroke};
use contract::Role;
use judge::Arg;

/// Two directions of one flow.
pub(crate) const PAIRS: [(Role, Role); 2] = [(Role::In, Role::Out), (Role::NetworkIn, Role::NetworkOut)];

/// The figure of a pair; `None` when neither ever changes.
pub(crate) fn mirrored(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (monitor, first, second): (&str, &str, &str),
    anchor: &str,
) -> Option<Box<Figure>> {
    let above = series_of(cx, scenario, monitor, first);
    let below = series_of(cx, scenario, monitor, second);
    let pairs: Vec<(&Series<'_>, &Series<'_>)> = above
        .iter()
        .filter_map(|up| Some((up, below.iter().find(|down| down.view.instance == up.view.instance)?)))
        .filter(|(up, down)| !up.is_constant() || !down.is_constant())
        .collect();
    let all = || pairs.iter().flat_map(|(up, down)| [*up, *down]);
    let greatest = all().flat_map(Series::values).fold(0.0, f64::max);
    let (factor, unit) = axis_unit(cx, pairs.first()?.0.view, greatest);
    let Scale::Linear { high, .. } = Scale::from_zero([greatest * factor].into_iter()) else { return None };
    let names = [cx.metric_word(monitor, first), cx.metric_word(monitor, second)];
    let y = Scale::Linear { low: -high, high };
    let panels: Vec<Panel> = pairs.iter().map(|(up, down)| panel([up, down], &names, factor, y)).collect();
    let columns = columns_for(panels.len());
    let grid = Grid {
        columns,
        height: if columns == 1 { 140.0 } else { 104.0 },
        panels,
        is_common: true,
        y_title: unit.clone(),
        x_title: say!(cx.m, "axis-time"),
    };
    let canvas = grid.draw(cx, scenario);
    let (up, down) = pairs.iter().copied().max_by(|a, b| volume(*a).total_cmp(&volume(*b)))?;
    let of = |value: Option<f64>, series: &Series<'_>| {
        value.map_or_else(|| crate::number::MISSING.to_owned(), |value| quantity(cx, series.view, value))
    };
    let instance = crate::number::clean(&up.view.instance);
    let titled: Vec<_> = pairs
        .iter()
        .flat_map(|(up, down)| [(&names[0], *up), (&names[1], *down)])
        .map(|(name, series)| (format!("{} · {name}", crate::number::clean(&series.view.instance)), series))
        .collect();
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(
            cx.m,
            "fig-mirror-what",
            first = &names[0],
            second = &names[1],
            monitor = monitor,
            scenario = scenario.name
        ),
        caption: say!(
            cx.m,
            "fig-mirror-finds",
            first = &names[0],
            second = &names[1],
            instance = &instance,
            first_max = &of(up.max(), up),
            second_max = &of(down.max(), down)
        ),
        observation: say!(
            cx.m,
            "fig-mirror-seen",
            first = &names[0],
            second = &names[1],
            instance = &instance,
            first_mean = &of(up.mean(), up),
            second_mean = &of(down.mean(), down)
        ),
        assessment: assessment(cx, up, down, &names),
        reading: say!(cx.m, "fig-mirror-reading", first = &names[0], second = &names[1]),
        findings: cx.findings_about(scenario.name, &RULES, monitor, &[first, second]),
        group: scenario_group(scenario),
        data: table(cx, scenario, &grid, &titled, factor, &unit),
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    // No limit of a disk or network is known, so it can show none.
    Some(plain_if(true, joined(svg, words)))
}

fn volume((up, down): (&Series<'_>, &Series<'_>)) -> f64 {
    up.mean().unwrap_or(0.0) + down.mean().unwrap_or(0.0)
}

fn panel([up, down]: [&Series<'_>; 2], names: &[String; 2], factor: f64, y: Scale) -> Panel {
    let line = |series: &Series<'_>, sign: f64, stroke: Stroke, name: &String| PanelLine {
        stroke,
        points: series.points.iter().map(|(at, value)| (*at, value.map(|value| value * factor * sign))).collect(),
        name: name.clone(),
    };
    Panel {
        title: crate::number::clean(&up.view.instance),
        remark: String::new(),
        lines: vec![
            line(down, -1.0, Stroke::solid("orange", 1.5), &names[1]),
            line(up, 1.0, Stroke::solid("blue", 1.5), &names[0]),
        ],
        idle: None,
        ceiling: None,
        y,
        is_mirrored: true,
    }
}

/// Which direction weighs more, or that nothing flowed.
fn assessment(cx: &Context<'_>, up: &Series<'_>, down: &Series<'_>, names: &[String; 2]) -> String {
    heavier(&cx.m, names, up.mean().unwrap_or(0.0), down.mean().unwrap_or(0.0))
}

fn heavier(m: &Messages, names: &[String; 2], first: f64, second: f64) -> String {
    if first <= 0.0 && second <= 0.0 {
        return say!(m, "fig-mirror-means-nothing");
    }
    let (more, less, greater, smaller) =
        if first >= second { (&names[0], &names[1], first, second) } else { (&names[1], &names[0], second, first) };
    if smaller <= 0.0 {
        return say!(m, "fig-mirror-means-one", more = more, less = less);
    }
    let factor = Arg::Number(greater / smaller);
    if m.numbers.arg(&factor) == m.numbers.arg(&Arg::Number(1.0)) {
        return say!(m, "fig-mirror-means-same", first = &names[0], second = &names[1]);
    }
    say!(m, "fig-mirror-means", more = more, less = less, factor = factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_that_weigh_the_same_have_no_factor() {
        let names = ["Network in".to_owned(), "Network out".to_owned()];
        let said = |first, second| heavier(&Messages::of("en"), &names, first, second);
        assert!(said(1000.0, 1000.4).contains("are the same"), "{}", said(1000.0, 1000.4));
        assert!(said(1000.0, 1500.0).starts_with("“Network out” is 1.50 times “Network in”"));
        assert!(said(0.0, 3.0).starts_with("There was only “Network out”"));
    }
}
