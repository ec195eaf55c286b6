//! Memory of processes in three levels, as a heap has them: bound, reserved, used. What no Java virtual machine shows
//! of its heap, the operating system shows of a process.

use super::gauges::{RULES, series_of_role, table};
use super::panels::{Grid, Panel, PanelLine, columns_for};
use super::series::{Series, axis_unit, metric_role, quantity};
use super::{Words, joined, scenario_group};
use crate::document::Figure;
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Scale, Stroke};
use contract::Role;
use judge::Arg;
use judge::assess::{self, Room};

/// The levels: in use, taken as addresses, bound of the control group.
pub(crate) const LEVELS: [Role; 3] = [Role::Memory, Role::ReservedMemory, Role::MemoryLimit];
/// Their names, as the catalogue knows them.
const NAMES: [&str; 3] = ["used", "reserved", "limit"];
/// Processes in one figure.
const PANELS_MAX: usize = 12;

/// One process, or the processes of one instance.
struct Levels<'a> {
    used: Series<'a>,
    reserved: Option<Series<'a>>,
    limit: Option<Series<'a>>,
    /// Whether the bound is the machine's memory, since no control group sets one.
    is_machine: bool,
    /// The most that was reserved, where that is more than the bound: addresses by the terabyte are not a level of memory.
    beyond: Option<f64>,
}

impl Levels<'_> {
    fn series(&self) -> [Option<&Series<'_>>; 3] {
        [Some(&self.used), self.reserved.as_ref(), self.limit.as_ref()]
    }

    fn bound(&self) -> Option<f64> {
        self.limit.as_ref()?.values().reduce(f64::max).filter(|limit| *limit > 0.0)
    }
}

/// The figure of all processes of a monitor in a scenario; `None` when none has two samples of what it uses.
pub(crate) fn memory(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    monitor: &str,
    anchor: &str,
) -> Option<Box<Figure>> {
    let all = levels(cx, scenario, monitor);
    let most = all.iter().max_by(|a, b| a.used.max().unwrap_or(0.0).total_cmp(&b.used.max().unwrap_or(0.0)))?;
    let values = || all.iter().flat_map(|one| one.series().into_iter().flatten().flat_map(Series::values));
    let (factor, unit) = axis_unit(cx, most.used.view, values().fold(0.0, f64::max));
    // By factors: addresses that are reserved are often a hundred times what is used, and would press it flat.
    let y = Scale::log_over(values().map(|value| value * factor));
    let names = NAMES.map(|name| say!(cx.m, "fig-memory-name", part = name));
    let panels: Vec<Panel> = all.iter().enumerate().map(|(n, one)| panel(one, &names, n == 0, factor, y)).collect();
    let grid = Grid {
        columns: columns_for(panels.len()).min(2),
        height: 150.0,
        panels,
        is_common: true,
        y_title: unit.clone(),
        x_title: say!(cx.m, "axis-time"),
    };
    let canvas = grid.draw(cx, scenario);
    let titled: Vec<_> = all
        .iter()
        .flat_map(|one| {
            let named = one.series().into_iter().zip(&names);
            named.filter_map(|(series, name)| Some((format!("{} · {name}", clean(&one.used.view.instance)), series?)))
        })
        .collect();
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-memory-what", monitor = monitor, scenario = scenario.name),
        caption: caption(cx, most),
        observation: [vec![seen(cx, most)], apart(cx, &all)].concat().join(" "),
        assessment: assessment(cx, &all),
        reading: say!(cx.m, "fig-memory-reading"),
        findings: cx.findings_about(scenario.name, &RULES, monitor, &cx.names_of(monitor, &LEVELS)),
        group: scenario_group(scenario),
        data: table(cx, scenario, &grid, &titled, factor, &unit),
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

fn levels<'a>(cx: &Context<'a>, scenario: &ScenarioContext<'_>, monitor: &str) -> Vec<Levels<'a>> {
    let [used, mut reserved, mut limit] = LEVELS.map(|role| series_of_role(cx, scenario, monitor, role));
    let levels = |used: Series<'a>| {
        let instance = used.view.instance.clone();
        let own = |all: &mut Vec<Series<'a>>| {
            let place = all.iter().position(|series| series.view.instance == instance)?;
            Some(all.swap_remove(place))
        };
        let (mut reserved, own_limit) = (own(&mut reserved), own(&mut limit));
        let is_machine = own_limit.is_none();
        let limit = own_limit.or_else(|| machine(cx, scenario, &instance));
        let bound = limit.as_ref().and_then(|limit| limit.values().reduce(f64::max));
        let most = reserved.as_ref().and_then(|reserved| reserved.values().reduce(f64::max));
        let beyond = most.filter(|most| bound.is_some_and(|bound| *most > bound));
        if beyond.is_some() {
            reserved = None;
        }
        Levels { used, reserved, is_machine: is_machine && limit.is_some(), limit, beyond }
    };
    used.into_iter().take(PANELS_MAX).map(levels).collect()
}

/// The memory of the machine that an instance is on; where only one machine is watched, of that.
fn machine<'a>(cx: &Context<'a>, scenario: &ScenarioContext<'_>, instance: &str) -> Option<Series<'a>> {
    let is_total = |view: &&judge::views::MetricView| metric_role(view) == Some(Role::MachineMemoryTotal);
    let all: Vec<_> = cx.input.views.metrics.iter().filter(is_total).collect();
    let own = all.iter().find(|view| view.instance == instance).or(if all.len() == 1 { all.first() } else { None })?;
    Some(Series::of(cx, scenario, own)).filter(|series| series.values().next().is_some())
}

fn panel(of: &Levels<'_>, names: &[String; 3], is_named: bool, factor: f64, y: Scale) -> Panel {
    let strokes = [Stroke::solid("blue", 1.6), Stroke::solid("orange", 1.6), Stroke::dashed("limit", 1.4, "6 3")];
    let line = |((series, stroke), name): ((Option<&Series<'_>>, Stroke), &String)| {
        Some(PanelLine {
            stroke,
            points: series?.points.iter().map(|(at, value)| (*at, value.map(|value| value * factor))).collect(),
            name: if is_named { name.clone() } else { String::new() },
        })
    };
    Panel {
        title: clean(&of.used.view.instance),
        remark: String::new(),
        lines: of.series().into_iter().zip(strokes).zip(names).filter_map(line).collect(),
        idle: None,
        ceiling: None,
        y,
        is_mirrored: false,
    }
}

fn shown(cx: &Context<'_>, of: &Levels<'_>, value: Option<f64>) -> String {
    value.map_or_else(|| crate::number::MISSING.to_owned(), |value| quantity(cx, of.used.view, value))
}

fn caption(cx: &Context<'_>, most: &Levels<'_>) -> String {
    let instance = clean(&most.used.view.instance);
    match (most.used.max(), most.bound()) {
        (Some(used), Some(limit)) => {
            let limit_shown = shown(cx, most, Some(limit));
            say!(cx.m, "fig-memory-finds", instance = &instance, part = Arg::Share(used / limit), limit = &limit_shown)
        }
        (used, _) => say!(cx.m, "fig-memory-finds-unbounded", instance = &instance, used = &shown(cx, most, used)),
    }
}

fn seen(cx: &Context<'_>, most: &Levels<'_>) -> String {
    let Some(used) = most.used.max() else { return say!(cx.m, "fig-multiples-seen-none") };
    let instance = clean(&most.used.view.instance);
    let Some(reserved) = most.reserved.as_ref().and_then(Series::max) else {
        return say!(cx.m, "fig-memory-seen-used", instance = &instance, used = &shown(cx, most, Some(used)));
    };
    let reserved = shown(cx, most, Some(reserved));
    say!(cx.m, "fig-memory-seen", instance = &instance, used = &shown(cx, most, Some(used)), reserved = &reserved)
}

/// What is not as the levels' names say: a bound that is the whole machine, and reserved addresses that are not drawn.
fn apart(cx: &Context<'_>, all: &[Levels<'_>]) -> Vec<String> {
    let mut sentences = Vec::new();
    let names = |is_meant: fn(&&Levels<'_>) -> bool| -> Vec<String> {
        all.iter().filter(is_meant).map(|one| clean(&one.used.view.instance)).collect()
    };
    let free = names(|one| one.is_machine);
    if !free.is_empty() {
        sentences.push(say!(cx.m, "fig-memory-machine", instances = &free.join(", ")));
    }
    for one in all {
        if let Some(beyond) = one.beyond {
            let (instance, reserved) = (clean(&one.used.view.instance), shown(cx, one, Some(beyond)));
            sentences.push(say!(cx.m, "fig-memory-beyond", instance = &instance, reserved = &reserved));
        }
    }
    sentences
}

/// Of the process that is nearest to its bound; where none has a bound, that the machine's memory is it.
fn assessment(cx: &Context<'_>, all: &[Levels<'_>]) -> String {
    let parts = all.iter().filter_map(|one| Some((one.used.max()? / one.bound()?, one)));
    let Some((part, one)) = parts.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return say!(cx.m, "fig-memory-means-unbounded");
    };
    let key = match assess::room(part) {
        Room::Near => "fig-memory-means-near",
        Room::Far => "fig-memory-means",
    };
    say!(cx.m, key, instance = &clean(&one.used.view.instance), part = Arg::Share(part))
}
