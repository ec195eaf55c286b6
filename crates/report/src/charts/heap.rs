//! The heap of a Java virtual machine: maximum, committed and used in one figure, what collections left, and a tick for
//! each sample in which a full collection ended.

use super::gauges::{RULES, series_of_role, table};
use super::panels::{Grid, Panel, PanelLine, columns_for};
use super::series::{Series, axis_unit, quantity, quantity_beside};
use super::{Words, joined, scenario_group};
use crate::document::Figure;
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Scale, Stroke};
use contract::Role;
use judge::Arg;
use judge::assess::{self, Room};

/// The levels: in use, taken from the system, upper bound, left by a collection.
pub(crate) const LEVELS: [Role; 4] = [Role::Heap, Role::HeapCommitted, Role::HeapLimit, Role::HeapFloor];
/// Ticks of full collections in one panel: a storm is not drawn one by one.
const TICKS_MAX: usize = 400;
/// Machines in one figure.
const PANELS_MAX: usize = 12;
/// Height of a tick, as a part of the axis.
const TICK: f64 = 0.05;
/// Room above the maximum for the names of the lines.
const ROOM: f64 = 1.4;

struct Heap<'a> {
    used: Series<'a>,
    committed: Option<Series<'a>>,
    max: Option<Series<'a>>,
    left: Option<Series<'a>>,
    /// Seconds since the scenario began at which a full collection had ended.
    full: Vec<f64>,
}

impl Heap<'_> {
    fn bound(&self) -> Option<f64> {
        self.max.as_ref()?.values().reduce(f64::max).filter(|max| *max > 0.0)
    }

    /// Greatest of what collections left in the judged parts, as a part of the maximum.
    fn part_left(&self) -> Option<f64> {
        Some(self.left.as_ref()?.max()? / self.bound()?)
    }

    fn series(&self) -> [Option<&Series<'_>>; 4] {
        [Some(&self.used), self.committed.as_ref(), self.max.as_ref(), self.left.as_ref()]
    }
}

/// The figure of all heaps of a monitor in a scenario; `None` when none has two samples.
pub(crate) fn heap(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    monitor: &str,
    anchor: &str,
) -> Option<Box<Figure>> {
    let heaps = heaps(cx, scenario, monitor);
    let most = heaps.iter().max_by(|a, b| a.used.max().unwrap_or(0.0).total_cmp(&b.used.max().unwrap_or(0.0)))?;
    let levels = heaps.iter().flat_map(|heap| heap.series().into_iter().flatten().flat_map(Series::values));
    let greatest = levels.fold(0.0, f64::max);
    let (factor, unit) = axis_unit(cx, most.used.view, greatest);
    let y = Scale::from_zero([greatest * factor * ROOM].into_iter());
    let names = ["used", "committed", "max", "left", "full"].map(|part| say!(cx.m, "fig-heap-name", part = part));
    let panel = |(number, heap): (usize, &Heap<'_>)| panel(heap, &names, number == 0, factor, y);
    let panels: Vec<Panel> = heaps.iter().enumerate().map(panel).collect();
    let columns = columns_for(panels.len()).min(2);
    let grid = Grid {
        columns,
        height: 190.0,
        panels,
        is_common: true,
        y_title: unit.clone(),
        x_title: say!(cx.m, "axis-time"),
    };
    let canvas = grid.draw(cx, scenario);
    let titled: Vec<_> = heaps
        .iter()
        .flat_map(|heap| heap.series().into_iter().zip(&names).filter_map(|(series, name)| Some((series?, name))))
        .map(|(series, name)| (format!("{} · {name}", clean(&series.view.instance)), series))
        .collect();
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-heap-what", monitor = monitor, scenario = scenario.name),
        caption: caption(cx, most),
        observation: seen(cx, most),
        assessment: assessment(cx, &heaps),
        reading: say!(cx.m, "fig-heap-reading"),
        findings: cx.findings_about(
            scenario.name,
            &[&RULES[..], &["HEAP", "GC-STORM"]].concat(),
            monitor,
            &cx.names_of(monitor, &LEVELS),
        ),
        group: scenario_group(scenario),
        data: table(cx, scenario, &grid, &titled, factor, &unit),
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

fn heaps<'a>(cx: &Context<'a>, scenario: &ScenarioContext<'_>, monitor: &str) -> Vec<Heap<'a>> {
    let [used, committed, max, left] = LEVELS.map(|role| series_of_role(cx, scenario, monitor, role));
    let mut others = [committed, max, left];
    let heap = |used: Series<'a>| {
        let instance = used.view.instance.as_str();
        let [committed, max, left] = others.each_mut().map(|all| {
            let place = all.iter().position(|series| series.view.instance == instance)?;
            Some(all.swap_remove(place))
        });
        let events = cx
            .input
            .views
            .events
            .iter()
            .filter(|event| event.kind == contract::FULL_COLLECTION && event.subject == instance);
        let inside = events.filter(|event| scenario.from <= event.at && event.at <= scenario.to);
        let full = inside.take(TICKS_MAX).map(|event| scenario.since(event.at)).collect();
        Heap { used, committed, max, left, full }
    };
    used.into_iter().take(PANELS_MAX).map(heap).collect()
}

fn panel(heap: &Heap<'_>, names: &[String; 5], is_named: bool, factor: f64, y: Scale) -> Panel {
    let line = |series: &Series<'_>, stroke: Stroke, name: &String| PanelLine {
        stroke,
        points: series.points.iter().map(|(at, value)| (*at, value.map(|value| value * factor))).collect(),
        name: if is_named { name.clone() } else { String::new() },
    };
    let Scale::Linear { high, .. } = y else { return empty(heap, y) };
    let ticks = heap.full.iter().flat_map(|at| [(*at, Some(0.0)), (*at, Some(high * TICK)), (*at, None)]);
    let mut lines = Vec::new();
    if !heap.full.is_empty() {
        let name = if is_named { names[4].clone() } else { String::new() };
        lines.push(PanelLine { stroke: Stroke::solid("vermillion", 1.4), points: ticks.collect(), name });
    }
    lines.extend(heap.left.as_ref().map(|series| line(series, Stroke::dashed("green", 1.4, "4 2"), &names[3])));
    lines.push(line(&heap.used, Stroke::solid("blue", 1.6), &names[0]));
    lines.extend(heap.committed.as_ref().map(|series| line(series, Stroke::solid("orange", 1.6), &names[1])));
    lines.extend(heap.max.as_ref().map(|series| line(series, Stroke::dashed("limit", 1.4, "6 3"), &names[2])));
    Panel { lines, ..empty(heap, y) }
}

fn empty(heap: &Heap<'_>, y: Scale) -> Panel {
    Panel {
        title: clean(&heap.used.view.instance),
        remark: String::new(),
        lines: Vec::new(),
        idle: None,
        ceiling: None,
        y,
        is_mirrored: false,
    }
}

fn caption(cx: &Context<'_>, most: &Heap<'_>) -> String {
    let instance = clean(&most.used.view.instance);
    match (most.used.max(), most.bound()) {
        (Some(used), Some(max)) => say!(
            cx.m,
            "fig-heap-finds",
            instance = &instance,
            part = Arg::Share(used / max),
            max = &quantity(cx, most.used.view, max)
        ),
        (Some(used), None) => {
            say!(cx.m, "fig-heap-finds-unbounded", instance = &instance, used = &quantity(cx, most.used.view, used))
        }
        (None, _) => say!(cx.m, "fig-heap-finds-none", instance = &instance),
    }
}

fn seen(cx: &Context<'_>, most: &Heap<'_>) -> String {
    let Some(used) = most.used.max() else { return say!(cx.m, "fig-multiples-seen-none") };
    let of = |value: Option<f64>| {
        let shown = |value: f64| quantity_beside(cx, most.used.view, value, used);
        value.map_or_else(|| crate::number::MISSING.to_owned(), shown)
    };
    say!(
        cx.m,
        "fig-heap-seen",
        instance = &clean(&most.used.view.instance),
        used = &of(Some(used)),
        committed = &of(most.committed.as_ref().and_then(Series::max)),
        left = &of(most.left.as_ref().and_then(Series::max)),
        full = most.full.len()
    )
}

/// Of the machine in which collections left least room.
fn assessment(cx: &Context<'_>, heaps: &[Heap<'_>]) -> String {
    let parts = heaps.iter().filter_map(|heap| Some((heap.part_left()?, heap)));
    let Some((part, heap)) = parts.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return say!(cx.m, "fig-heap-means-none");
    };
    let key = match assess::room_left(part) {
        Room::Near => "fig-heap-means-near",
        Room::Far => "fig-heap-means",
    };
    let instance = clean(&heap.used.view.instance);
    say!(cx.m, key, instance = &instance, part = Arg::Share(part), machines = heaps.len())
}
