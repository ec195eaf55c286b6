//! Everything else that a monitor watched, a panel for each metric: nothing that was watched is hidden.

use super::gauges::{RULES, Titled, series_of, table};
use super::panels::{Grid, Panel, PanelLine};
use super::series::{Series, axis_unit, metric_unit, quantity, quantity_beside};
use super::{Words, hue_of, joined, scenario_group};
use crate::document::Figure;
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::svg::{Scale, Stroke};
use judge::Arg;

/// Up to so many instances each has a colour and a name in a panel; more are grey, the highest stands out.
const NAMED: usize = 4;

/// The figure of some metrics of a monitor; `None` when none of them ever changes.
pub(crate) fn overview(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    monitor: &str,
    metrics: &[&str],
    anchor: &str,
) -> Option<Box<Figure>> {
    let of = |metric: &&str| (cx.metric_word(monitor, metric), series_of(cx, scenario, monitor, metric));
    let mut all: Vec<(String, Vec<Series<'_>>)> = metrics.iter().map(of).collect();
    all.retain(|(_, series)| !series.iter().all(Series::is_constant));
    let has_several = all.iter().any(|(_, series)| series.len() > 1);
    let panels: Vec<Panel> = all.iter().filter_map(|(name, series)| panel(cx, name, series, has_several)).collect();
    if panels.is_empty() {
        return None;
    }
    let grid = Grid {
        columns: if panels.len() == 1 {
            1
        } else if panels.len() == 2 || panels.len() == 4 {
            2
        } else {
            3
        },
        height: 78.0,
        panels,
        is_common: false,
        y_title: String::new(),
        x_title: say!(cx.m, "axis-time"),
    };
    let canvas = grid.draw(cx, scenario);
    let titled: Vec<Titled<'_, '_>> = all
        .iter()
        .flat_map(|(name, series)| {
            series.iter().map(move |each| {
                let title = if series.len() == 1 { name.clone() } else { format!("{name} · {}", each.view.instance) };
                (crate::number::clean(&title), each)
            })
        })
        .collect();
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-overview-what", monitor = monitor, scenario = scenario.name),
        caption: finds(cx, &titled),
        observation: seen(cx, &titled, all.len()),
        assessment: assessment(cx, &titled),
        reading: say!(cx.m, if has_several { "fig-overview-reading-several" } else { "fig-overview-reading" }),
        findings: cx.findings_about(scenario.name, &RULES, monitor, metrics),
        group: scenario_group(scenario),
        data: table(cx, scenario, &grid, &titled, 1.0, ""),
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

/// Instances of one metric in one panel with a scale of its own.
fn panel(cx: &Context<'_>, name: &str, all: &[Series<'_>], has_several: bool) -> Option<Panel> {
    let greatest = all.iter().flat_map(Series::values).fold(0.0, f64::max);
    let (factor, unit) = axis_unit(cx, all.first()?.view, greatest);
    let highest = all.iter().max_by(|a, b| a.max().unwrap_or(0.0).total_cmp(&b.max().unwrap_or(0.0)))?;
    let line = |series: &Series<'_>| {
        let is_highest = std::ptr::eq(series, highest);
        let stroke = if all.len() <= NAMED || is_highest {
            Stroke::solid(hue_of(cx, &series.view.instance), 1.4)
        } else {
            Stroke::solid("grey", 0.8)
        };
        PanelLine {
            stroke,
            points: series.points.iter().map(|(at, value)| (*at, value.map(|value| value * factor))).collect(),
            name: String::new(),
        }
    };
    let mut lines: Vec<PanelLine> = all.iter().filter(|series| !std::ptr::eq(*series, highest)).map(line).collect();
    lines.push(line(highest));
    let remark = if has_several {
        format!("{} {}", crate::number::clean(&highest.view.instance), quantity(cx, highest.view, highest.max()?))
    } else {
        unit.clone()
    };
    let is_share = metric_unit(highest.view) == "share";
    Some(Panel {
        title: name.to_owned(),
        remark,
        lines,
        idle: highest.idle.map(|idle| idle * factor).filter(|_| all.len() == 1),
        ceiling: None,
        y: if is_share {
            Scale::Linear { low: 0.0, high: 100.0 }
        } else {
            Scale::from_zero([greatest * factor].into_iter())
        },
        is_mirrored: false,
    })
}

/// How far a series moved from its level before the load, as a part of the greatest value it ever had.
fn moved(series: &Series<'_>) -> Option<f64> {
    let greatest = series.values().map(f64::abs).fold(0.0, f64::max);
    Some((series.mean()? - series.idle?).abs() / greatest.max(1e-300))
}

fn most_moved<'s, 'a>(all: &'s [Titled<'s, 'a>]) -> Option<&'s Titled<'s, 'a>> {
    all.iter()
        .filter_map(|titled| Some((moved(titled.1)?, titled)))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, titled)| titled)
}

fn finds(cx: &Context<'_>, all: &[Titled<'_, '_>]) -> String {
    match most_moved(all) {
        Some((title, _)) => say!(cx.m, "fig-overview-finds", series = title),
        None => say!(cx.m, "fig-overview-finds-none", count = all.len()),
    }
}

fn seen(cx: &Context<'_>, all: &[Titled<'_, '_>], metrics: usize) -> String {
    let said = most_moved(all).and_then(|(title, series)| {
        let (idle, mean) = (series.idle?, series.mean()?);
        let shown = |value: f64| quantity_beside(cx, series.view, value, mean.max(idle));
        let (idle, mean) = (shown(idle), shown(mean));
        Some(say!(cx.m, "fig-overview-seen", metrics = metrics, series = title, idle = &idle, mean = &mean))
    });
    said.unwrap_or_else(|| say!(cx.m, "fig-overview-seen-no-idle", metrics = metrics))
}

fn assessment(cx: &Context<'_>, all: &[Titled<'_, '_>]) -> String {
    let bounded = all.iter().filter_map(|titled| Some((titled.1.part_of_ceiling()?, titled)));
    match bounded.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((part, (title, _))) => {
            say!(cx.m, "fig-overview-means-ceiling", series = title, part = Arg::Share(part))
        }
        None => say!(cx.m, "fig-overview-means-none"),
    }
}
