//! One metric, or a few that belong together, of every server over the whole run: side by side in one scale, with the
//! iterations marked.

use super::gauges::table;
use super::iteration_servers::apart;
use super::iterations::Run;
use super::panels::{Grid, Panel, PanelLine, columns_for};
use super::series::{Series, axis_unit, differ, metric_name, metric_role, quantity_beside};
use super::{Words, joined};
use crate::document::{Block, Figure};
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Scale, Stroke};
use contract::Role;
use judge::views::MetricView;

/// Servers in one figure.
const PANELS_MAX: usize = 12;
/// A bound further above everything measured than this is not drawn: it would press the curves flat.
const BOUND_NEAR: f64 = 2.5;

/// What is drawn together, the metric that the figure is about first.
type Together = &'static [Role];

/// Figures of a monitor, in this order; of each those metrics that it has. What a figure is about stands first: where a
/// monitor has not that, there is no figure.
const FIGURES: [Together; 10] = [
    &[Role::ProcessorUser, Role::ProcessorSystem, Role::ProcessorWait, Role::ProcessorIdle],
    &[Role::Processor],
    &[Role::In, Role::Out],
    &[Role::MachineMemory],
    &[Role::Memory, Role::MemoryLimit],
    &[Role::Heap, Role::HeapCommitted],
    &[Role::OldHeap, Role::OldHeapLimit],
    &[Role::FullCollections, Role::YoungCollections],
    &[Role::NetworkIn, Role::NetworkOut],
    &[Role::Lag],
];
const STROKES: [Stroke; 4] = [
    Stroke::solid("blue", 1.6),
    Stroke::solid("orange", 1.6),
    Stroke::dashed("purple", 1.4, "2 2"),
    Stroke::dashed("green", 1.4, "5 2"),
];

fn is_bound(role: Role) -> bool {
    matches!(role, Role::MemoryLimit | Role::OldHeapLimit | Role::HeapLimit)
}

/// One server with its series, in the order of the figure's roles.
struct Server<'a> {
    name: String,
    series: Vec<(Role, Series<'a>)>,
}

/// All figures of one monitor.
pub(crate) fn iteration_system(run: &Run<'_, '_>, monitor: &str, anchor: &str) -> Vec<Block> {
    let has = |role: Role| {
        let mut views = run.cx.input.views.metrics.iter().filter(|view| view.monitor.name == monitor);
        views.any(|view| metric_role(view) == Some(role))
    };
    let mut figures = Vec::new();
    for (number, together) in FIGURES.iter().enumerate() {
        // A whole that is drawn by its parts says nothing more.
        let is_drawn = together == &[Role::Processor] && has(FIGURES[0][0]);
        if !is_drawn {
            figures.extend(figure(run, monitor, together, &format!("{anchor}-{number}")).map(Block::Figure));
        }
    }
    figures
}

fn servers<'a>(run: &Run<'_, 'a>, monitor: &str, together: Together) -> Vec<Server<'a>> {
    let mut found: Vec<Server<'a>> = Vec::new();
    for role in together {
        let views = run.cx.input.views.metrics.iter();
        for view in views.filter(|view| view.monitor.name == monitor && metric_role(view) == Some(*role)) {
            let series = Series::of(run.cx, run.whole, view);
            if series.values().nth(1).is_none() {
                continue;
            }
            let name = clean(&view.instance);
            match found.iter_mut().find(|known| known.name == name) {
                // Of several metrics of one role, such as two disks, the first.
                Some(known) if known.series.iter().all(|(own, _)| own != role) => known.series.push((*role, series)),
                Some(_) => {}
                None => found.push(Server { name, series: vec![(*role, series)] }),
            }
        }
    }
    found.retain(|server| server.series[0].0 == together[0]);
    found
}

/// The figure; `None` where nothing of it ever moved.
fn figure(run: &Run<'_, '_>, monitor: &str, together: Together, anchor: &str) -> Option<Box<Figure>> {
    let (cx, m) = (run.cx, &run.cx.m);
    let mut all = servers(run, monitor, together);
    let left = all.len().saturating_sub(PANELS_MAX);
    all.truncate(PANELS_MAX);
    let measured = || all.iter().flat_map(|it| &it.series).filter(|(role, _)| !is_bound(*role)).map(|(_, it)| it);
    if measured().all(Series::is_constant) {
        return None;
    }
    let first: &MetricView = all.first()?.series[0].1.view;
    let highest = measured().flat_map(Series::values).fold(0.0, f64::max);
    let near = |series: &Series<'_>| series.values().all(|value| value <= highest * BOUND_NEAR);
    for server in &mut all {
        server.series.retain(|(role, series)| !is_bound(*role) || near(series));
    }
    let (factor, unit) = axis_unit(cx, first, highest);
    let y = match unit.as_str() {
        "%" => Scale::Linear { low: 0.0, high: 100.0 },
        _ => {
            Scale::from_zero(all.iter().flat_map(|it| &it.series).flat_map(|(_, it)| it.values()).map(|it| it * factor))
        }
    };
    let word = |series: &Series<'_>| cx.metric_word(monitor, metric_name(series.view));
    let panel = |(place, server): (usize, &Server<'_>)| Panel {
        title: server.name.clone(),
        remark: String::new(),
        lines: server
            .series
            .iter()
            .rev()
            .map(|of| line(of, together, factor, (place == 0).then(|| word(&of.1))))
            .collect(),
        idle: None,
        ceiling: None,
        y,
        is_mirrored: false,
    };
    let panels: Vec<Panel> = all.iter().enumerate().map(panel).collect();
    let words: Vec<String> = all[0].series.iter().map(|(_, series)| clean(&word(series))).collect();
    let axis = match words.as_slice() {
        [only] if unit.is_empty() => only.clone(),
        [only] => format!("{only} ({unit})"),
        _ => unit.clone(),
    };
    let columns = columns_for(panels.len()).min(3);
    let grid = Grid {
        columns,
        height: if columns == 1 { 130.0 } else { 110.0 },
        panels,
        is_common: true,
        y_title: axis,
        x_title: say!(m, "axis-run-iterations"),
    };
    let canvas = grid.draw_spans(cx, run.whole, &run.spans());
    let metric = clean(&word(&all[0].series[0].1));
    let levels: Vec<(String, Vec<Option<f64>>)> =
        all.iter().map(|server| (server.name.clone(), means(run, &server.series[0].1))).collect();
    let (server, (most, at)) =
        all.iter().filter_map(|it| Some((it, peak(run, &it.series[0].1)?))).max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    let titled: Vec<(String, &Series<'_>)> = all
        .iter()
        .flat_map(|server| server.series.iter().map(move |(_, series)| (server, series)))
        .map(|(server, series)| (format!("{} · {}", server.name, word(series)), series))
        .collect();
    let mut reading = say!(m, "fig-iteration-system-reading");
    if left > 0 {
        reading = format!("{reading} {}", say!(m, "fig-iteration-system-left", left = left));
    }
    let shown = |value: f64| quantity_beside(cx, first, value, highest);
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(m, "fig-iteration-system-what", metric = &metric, monitor = &clean(monitor), servers = all.len()),
        caption: say!(
            m,
            "fig-iteration-system-finds",
            metric = &metric,
            server = &server.name,
            most = &shown(most),
            iteration = &run.iterations[at].name
        ),
        observation: course(run, (&metric, &server.name), &means(run, &server.series[0].1), shown),
        assessment: apart(run, &levels, |difference| differ(first, difference), shown),
        reading,
        findings: Vec::new(),
        group: "whole".to_owned(),
        data: table(cx, run.whole, &grid, &titled, factor, &unit),
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

fn line((role, series): &(Role, Series<'_>), together: Together, factor: f64, name: Option<String>) -> PanelLine {
    let place = together.iter().position(|known| known == role).unwrap_or(0);
    PanelLine {
        stroke: if is_bound(*role) {
            Stroke::dashed("limit", 1.4, "6 3")
        } else {
            STROKES[place.min(STROKES.len() - 1)]
        },
        points: series.points.iter().map(|(at, value)| (*at, value.map(|value| value * factor))).collect(),
        name: name.unwrap_or_default(),
    }
}

/// Values of a series in an iteration.
fn held<'s>(run: &'s Run<'_, '_>, series: &'s Series<'_>, iteration: usize) -> impl Iterator<Item = f64> + 's {
    let of = &run.iterations[iteration];
    series.view.points.iter().filter(|(at, _)| of.holds(*at)).filter_map(|(_, value)| *value)
}

/// Mean of each iteration.
fn means(run: &Run<'_, '_>, series: &Series<'_>) -> Vec<Option<f64>> {
    let mean = |iteration| {
        let values: Vec<f64> = held(run, series, iteration).collect();
        (!values.is_empty()).then(|| super::mean(&values))
    };
    (0..run.iterations.len()).map(mean).collect()
}

/// The greatest value within an iteration, and the number of that iteration.
fn peak(run: &Run<'_, '_>, series: &Series<'_>) -> Option<(f64, usize)> {
    let of = |iteration| Some((held(run, series, iteration).reduce(f64::max)?, iteration));
    (0..run.iterations.len()).filter_map(of).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Where the server with the greatest value went from the first iteration to the last.
fn course(
    run: &Run<'_, '_>,
    (metric, server): (&str, &str),
    means: &[Option<f64>],
    shown: impl Fn(f64) -> String,
) -> String {
    let m = &run.cx.m;
    let ends = means.first().copied().flatten().zip(means.last().copied().flatten());
    let Some((first, last)) = ends else { return say!(m, "fig-multiples-seen-none") };
    let (first, last) = (shown(first), shown(last));
    say!(
        m,
        "fig-iteration-system-seen",
        iterations = run.iterations.len(),
        metric = metric,
        server = server,
        first = &first,
        last = &last
    )
}
