//! Across levels of load: how times and use move when the same work is asked for more often.

use crate::charts::{self, InFlight, Level, Levels, Series, Use};
use crate::document::{Block, Figure, Section};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::limits::limits;
use crate::messages::say;
use crate::number::clean;
use contract::Role;
use judge::StepResult;
use judge::assess;
use judge::views::StepView;
use terms::Validity;

/// Percentiles of the figures.
const DRAWN: [f64; 3] = [0.5, 0.95, 0.99];
/// Exchanges with figures of their own.
const EXCHANGES_MAX: usize = 4;

/// A hold at one level.
struct Held<'a> {
    scenario: &'a ScenarioContext<'a>,
    view: &'a StepView,
    result: &'a StepResult,
    load: f64,
}

/// The chapter; `None` unless the same work ran at two levels at least.
pub(crate) fn levels(cx: &Context<'_>) -> Option<Section> {
    let scenarios = cx.scenarios();
    let mut section = Section::new("levels", say!(cx.m, "levels-title"));
    for (number, family) in families(&scenarios).iter().enumerate() {
        let mut part = Section::new(format!("levels-{number}"), names(family));
        let mut pairs = Vec::new();
        for (index, (exchange, leg)) in legs(family).into_iter().take(EXCHANGES_MAX).enumerate() {
            let what = clean(&leg_title(exchange, leg));
            let levels: Vec<Level> = family.iter().filter_map(|held| level(cx, held, exchange, leg)).collect();
            let limit = limits(cx, family[0].scenario, exchange, leg).first().map(|limit| limit.ms);
            let of = Levels { what: &what, is_users: family[0].view.is_closed, levels: &levels, limit };
            let anchor = |kind: &str| format!("fig-{kind}-{number}-{index}");
            let over_load = charts::response_over_load(&cx.m, &of, &anchor("load"));
            pairs.push((over_load, charts::response_over_throughput(&cx.m, &of, &anchor("stick"))));
        }
        let of_use = charts::use_over_throughput(&cx.m, &uses(cx, family), &format!("fig-use-{number}"));
        let is_few = is_few(family);
        if is_few {
            part.blocks.extend(told(&pairs, of_use.as_deref()).map(Block::Points));
        }
        let drawn = pairs.into_iter().flat_map(|(one, other)| one.into_iter().chain(other)).chain(of_use);
        let block = |figure| if is_few { Block::folded(Block::Figure(figure)) } else { Block::Figure(figure) };
        part.blocks.extend(drawn.map(block));
        if !part.blocks.is_empty() {
            section.parts.push(part);
        }
    }
    (!section.parts.is_empty()).then_some(section)
}

/// Whether so few loads were tried that a sentence says what a drawing would.
fn is_few(family: &[Held<'_>]) -> bool {
    let mut loads = 0;
    let mut last = 0.0;
    for held in family {
        if loads == 0 || assess::are_apart(last, held.load) {
            (loads, last) = (loads + 1, held.load);
        }
    }
    loads < assess::LEVELS_DRAWN
}

/// A drawing of an exchange's times over load, and one over throughput.
type Pair = (Option<Box<Figure>>, Option<Box<Figure>>);

/// What the drawings would show: times over load a line each, throughput once, for it is one for all exchanges of a level,
/// and use. `None` where nothing was drawn.
fn told(pairs: &[Pair], of_use: Option<&Figure>) -> Option<Vec<String>> {
    let line = |of: &Figure| format!("{}: {} {}", of.subject, of.observation, of.assessment);
    let over_load = pairs.iter().filter_map(|pair| pair.0.as_deref());
    let over_rate = pairs.iter().find_map(|pair| pair.1.as_deref());
    let mut lines: Vec<String> = over_load.chain(over_rate).map(line).collect();
    lines.extend(of_use.map(|of| format!("{}: {}.", of.subject, of.caption)));
    (!lines.is_empty()).then_some(lines)
}

fn names(family: &[Held<'_>]) -> String {
    let mut names: Vec<String> = Vec::new();
    for held in family {
        let name = clean(held.scenario.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// Whether a load is closed, the exchanges that it carries out, and the parts of the mix that run beside it.
type Kind<'a> = (bool, Vec<&'a str>, Vec<&'a str>);

/// Valid holds that carry out the same exchanges with the same model, by load; only those with two levels or more.
fn families<'a>(scenarios: &'a [ScenarioContext<'a>]) -> Vec<Vec<Held<'a>>> {
    let mut families: Vec<(Kind<'a>, Vec<Held<'a>>)> = Vec::new();
    for scenario in scenarios {
        for (view, result) in scenario.holds() {
            let Some(result) = result.filter(|result| result.validity != Some(Validity::Invalid)) else { continue };
            let load = if view.is_closed { view.users.map_or(0.0, f64::from) } else { result.offered_per_s };
            // What runs beside a part takes its share of the system: only levels with the same company are one family.
            let mut beside: Vec<&str> = scenario.holds().filter_map(|(step, _)| step.part.as_deref()).collect();
            beside.sort_unstable();
            let exchanges = view.exchanges.iter().map(|exchange| exchange.name.as_str()).collect();
            let key = (view.is_closed, exchanges, beside);
            let held = Held { scenario, view, result, load };
            match families.iter_mut().find(|known| known.0 == key) {
                Some(known) => known.1.push(held),
                None => families.push((key, vec![held])),
            }
        }
    }
    let mut found: Vec<Vec<Held<'a>>> = families.into_iter().map(|family| family.1).collect();
    for family in &mut found {
        family.sort_by(|a, b| a.load.total_cmp(&b.load));
    }
    found.retain(|family| {
        let ends = family.first().zip(family.last());
        ends.is_some_and(|(first, last)| assess::are_apart(first.load, last.load))
    });
    found
}

fn legs<'a>(family: &[Held<'a>]) -> Vec<(&'a str, &'a str)> {
    let first = family.first().map(|held| held.view.exchanges.as_slice()).unwrap_or_default();
    let pairs =
        first.iter().flat_map(|exchange| exchange.legs.iter().map(|leg| (exchange.name.as_str(), leg.name.as_str())));
    pairs.collect()
}

fn level(cx: &Context<'_>, held: &Held<'_>, exchange: &str, leg: &str) -> Option<Level> {
    // In a mix the view's name begins with the part's.
    let name = exchange.rsplit('/').next().unwrap_or(exchange);
    let result = held.result.exchanges.iter().find(|found| found.id == exchange || found.id == name)?;
    let ok = result.legs.iter().find(|found| found.id == leg && found.outcome == "ok")?;
    let times = if held.view.is_closed { ok.service.as_ref() } else { ok.response.as_ref() }?;
    let carried = |q: f64| ok.count >= assess::calls_needed(q);
    let time = |q: f64| {
        let found = times.percentiles.iter().find(|p| (p.quantile - q).abs() < 1e-9)?;
        let digits = charts::quantile_digits(q);
        Some((say!(cx.m, "percentile-name", percentile = &cx.m.numbers.digits(&digits)), found.value, found.interval))
    };
    let times: Vec<_> = DRAWN.into_iter().filter(|q| carried(*q)).filter_map(time).collect();
    let name = if held.view.is_closed { cx.m.numbers.count(held.load) } else { cx.m.numbers.per_second(held.load) };
    (!times.is_empty()).then_some(Level { name, load: held.load, throughput: held.result.throughput_per_s, times })
}

/// Shares of a whole that were watched, against throughput: processor, disk, connections of a bounded pool.
fn uses(cx: &Context<'_>, family: &[Held<'_>]) -> Vec<Use> {
    let mut uses: Vec<Use> = Vec::new();
    for view in &cx.input.views.metrics {
        let Some(metric) = view.monitor.metrics.get(view.metric) else { continue };
        if metric.unit != "share" || metric.role().is_some_and(is_part_of_processor) || view.monitor.kind == "generator"
        {
            continue;
        }
        let point = |held: &Held<'_>| {
            let series = Series::of(cx, held.scenario, view);
            Some((held.result.throughput_per_s, series.mean_between(held.since())?))
        };
        let points: Vec<(f64, f64)> = family.iter().filter_map(point).collect();
        let word = cx.metric_word(&view.monitor.name, charts::metric_name(view));
        let resource = format!("{word} ({})", clean(&view.instance));
        uses.push(Use { resource, label: clean(&view.name()), points });
    }
    let most = |of: &Use| of.points.iter().map(|point| point.1).fold(0.0, f64::max);
    uses.retain(|of| assess::is_used(most(of)));
    uses.sort_by(|a, b| most(b).total_cmp(&most(a)));
    uses
}

/// Parts of processor time, of which only the whole has a limit, and how long was waited for it, which has none.
fn is_part_of_processor(role: Role) -> bool {
    role == Role::RunQueue || (role != Role::Processor && charts::is_part(role))
}

impl Held<'_> {
    /// Begin and end of the hold, seconds since the scenario began.
    fn since(&self) -> (f64, f64) {
        (self.scenario.since(self.view.from), self.scenario.since(self.view.to))
    }
}

/// Little's check of every hold in which the judge made it: what the generator counted, and what the recorded times come
/// to.
pub(super) fn in_flight(cx: &Context<'_>) -> Vec<InFlight> {
    let mut found: Vec<Counted<'_>> = Vec::new();
    let scenarios = cx.scenarios();
    for scenario in &scenarios {
        for (view, result) in scenario.holds() {
            let Some(balance) = result.and_then(|result| result.in_flight) else { continue };
            // Parts that run at the same time are counted together.
            match found.iter_mut().find(|known| known.from == view.from && known.to == view.to) {
                Some(known) if known.names.contains(&scenario.name) => {}
                Some(known) => {
                    known.names.push(scenario.name);
                    known.step.scope = format!("{}, {}", known.step.scope, clean(scenario.name));
                }
                None => {
                    let scope = clean(&format!("{}/{}", scenario.name, view.id));
                    let step = InFlight { scope, counted: balance.counted, expected: balance.recorded };
                    found.push(Counted { from: view.from, to: view.to, names: vec![scenario.name], step });
                }
            }
        }
    }
    // Parts that overlap and do not coincide cannot be told apart in what the generator counted.
    let spans: Vec<_> = found.iter().map(|known| (known.from, known.to)).collect();
    found.retain(|known| spans.iter().filter(|span| span.0 < known.to && known.from < span.1).count() == 1);
    found.into_iter().map(|known| known.step).collect()
}

/// What was counted in flight over one hold, and the scenarios and parts that it was counted for.
struct Counted<'a> {
    from: terms::Nanos,
    to: terms::Nanos,
    names: Vec<&'a str>,
    step: InFlight,
}
