//! The conclusion under fixed heads, as the reports on the Danish service platform have it: what came through, how long it
//! took, what it used. A head says so where nothing was watched.

use super::by_step::{self, ByStep};
use super::capacity_words::load;
use super::{capacity, conclusions, healthiest, search};
use crate::charts::{self, Series};
use crate::document::{Block, Section};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::clean;
use contract::Role;
use judge::Arg;
use judge::views::MetricView;
use terms::{Validity, Verdict};

/// Heads of what was watched: the key of their name, roles of their metrics, findings that belong to them.
const WATCHED: [(&str, &[Role], &[&str]); 5] = [
    ("heads-processor", &[Role::Processor], &["OTHER-WORK"]),
    ("heads-network", &[Role::NetworkIn, Role::NetworkOut], &[]),
    ("heads-memory", &[Role::MachineMemory, Role::Memory], &["LEAK", "CEILING"]),
    ("heads-collection", &[Role::CollectionShare, Role::HeapFloor], &["GC-STORM", "HEAP"]),
    ("heads-lag", &[Role::Lag], &[]),
];
/// Metrics told under one head; all are in the chapter of the system.
const METRICS: usize = 4;

/// The part, with the table of limits step by step below it.
pub(super) fn part(cx: &Context<'_>) -> Section {
    let mut part = Section::new("conclusions-heads", say!(cx.m, "heads-title"));
    let by_step = by_step::by_step(cx);
    let mut heads =
        vec![(say!(cx.m, "heads-throughput"), throughput(cx)), (say!(cx.m, "heads-response"), response(cx, &by_step))];
    for (key, roles, rules) in WATCHED {
        heads.push((cx.m.text(key, &[]), watched(cx, roles, rules)));
    }
    let healthy = healthiest::lines(cx);
    if !healthy.is_empty() {
        heads.push((say!(cx.m, "healthiest-title"), healthy.join(" ")));
    }
    heads.push((say!(cx.m, "heads-extrapolation"), extrapolation(cx)));
    part.add(Block::Definitions(heads));
    part.blocks.extend(by_step::table(cx, &by_step).map(Block::Table));
    part
}

/// What a search found, or the highest rate of a valid hold.
fn throughput(cx: &Context<'_>) -> String {
    let found = search::findings(cx);
    if !found.is_empty() {
        return found.join(" ");
    }
    let scenarios = cx.scenarios();
    let holds = scenarios.iter().flat_map(|scenario| scenario.holds().map(move |hold| (scenario, hold)));
    let valid = holds.filter_map(|(scenario, (step, result))| {
        let result = result.filter(|result| result.validity != Some(Validity::Invalid))?;
        Some((scenario, step, result))
    });
    let best = valid.reduce(|best, it| if it.2.throughput_per_s > best.2.throughput_per_s { it } else { best });
    let Some((scenario, step, result)) = best else {
        let is_held = scenarios.iter().any(|scenario| scenario.holds().any(|(_, result)| result.is_some()));
        return cx.m.text(if is_held { "heads-best-disturbed" } else { "conclusion-no-hold" }, &[]);
    };
    let asked = if step.is_closed { f64::from(result.users.unwrap_or(0)) } else { result.offered_per_s };
    say!(
        cx.m,
        "heads-best",
        rate = Arg::PerSecond(result.throughput_per_s),
        scenario = &clean(scenario.name),
        load = &load(cx, asked, step.is_closed)
    )
}

/// Each limit on times with its verdicts, and the longest time that the share asked for kept.
fn response(cx: &Context<'_>, by_step: &ByStep) -> String {
    let valid: Vec<String> =
        cx.scenarios().into_iter().filter(is_valid).map(|scenario| scenario.name.to_owned()).collect();
    let mut said: Vec<String> = (0..by_step.limits.len()).map(|it| limit(cx, by_step, it, &valid)).collect();
    if said.is_empty() {
        said.push(say!(cx.m, "heads-no-limit"));
    }
    let told = cx.told_scenarios();
    if let [only] = told.as_slice()
        && is_valid(only)
    {
        said.extend(conclusions::times(cx, only));
    }
    said.join(" ")
}

/// One limit in the scenarios that were measured undisturbed.
fn limit(cx: &Context<'_>, by_step: &ByStep, number: usize, valid: &[String]) -> String {
    let of = || by_step.all.iter().filter(|kept| kept.limit == number && valid.contains(&kept.scenario));
    let counted = |verdict: Verdict| {
        let number = of().filter(|kept| kept.verdict == verdict).count();
        (number > 0).then(|| say!(cx.m, "conclusion-count", verdict = verdict.name(), number = number))
    };
    let list: Vec<String> =
        [Verdict::Met, Verdict::NotMet, Verdict::CannotTell].into_iter().filter_map(counted).collect();
    let limit = by_step::title(cx, by_step.limits[number]);
    if list.is_empty() {
        return say!(cx.m, "heads-limit-disturbed", limit = &limit);
    }
    let longest = of().filter_map(|kept| Some((kept, kept.kept_ms?))).reduce(|a, b| if b.1 > a.1 { b } else { a });
    match longest {
        None => say!(cx.m, "heads-limit", limit = &limit, verdicts = &list.join(", ")),
        Some((kept, ms)) => say!(
            cx.m,
            "heads-limit-kept",
            limit = &limit,
            verdicts = &list.join(", "),
            share = Arg::Share(by_step.limits[number].0).given(),
            time = Arg::Milliseconds(ms),
            place = &kept.place,
            scenario = &clean(&kept.scenario)
        ),
    }
}

/// Where the metrics of some roles went from the first valid workload to the last; nothing of those that stayed at zero.
fn watched(cx: &Context<'_>, roles: &[Role], rules: &[&str]) -> String {
    let scenarios: Vec<ScenarioContext<'_>> = cx.scenarios().into_iter().filter(is_valid).collect();
    let mut metrics: Vec<Vec<&MetricView>> = Vec::new();
    let views = cx.input.views.metrics.iter().filter(|view| !super::watched::is_generator(view));
    for view in views.filter(|view| charts::metric_role(view).is_some_and(|role| roles.contains(&role))) {
        match metrics.iter_mut().find(|known| known[0].name() == view.name()) {
            Some(known) => known.push(view),
            None => metrics.push(vec![view]),
        }
    }
    let mut said: Vec<String> =
        metrics.iter().filter_map(|views| course(cx, &scenarios, views)).take(METRICS).collect();
    if said.is_empty() {
        let is_watched = metrics.iter().flatten().any(|view| view.points.iter().any(|(_, value)| value.is_some()));
        let key = match (is_watched, scenarios.is_empty()) {
            (false, _) => "heads-not-watched",
            // A disturbed workload says nothing here, neither of a use nor of none.
            (true, true) => "heads-disturbed",
            (true, false) => "heads-zero",
        };
        said.push(cx.m.text(key, &[]));
    }
    let found = cx.input.judgement.findings.iter().filter(|found| rules.contains(&found.rule()));
    let found: Vec<&str> = found.filter(|found| super::results::is_told(cx, found)).map(|it| it.id.as_str()).collect();
    if !found.is_empty() {
        said.push(say!(cx.m, "heads-findings", findings = &found.join(", ")));
    }
    said.join(" ")
}

pub(super) fn is_valid(scenario: &ScenarioContext<'_>) -> bool {
    let mut holds = scenario.holds().filter_map(|(_, result)| result).peekable();
    holds.peek().is_some() && holds.all(|result| result.validity != Some(Validity::Invalid))
}

/// One metric, of the instance that used most of it.
fn course(cx: &Context<'_>, scenarios: &[ScenarioContext<'_>], views: &[&MetricView]) -> Option<String> {
    let of = |view: &MetricView| -> Vec<(String, f64, f64)> {
        let level = |scenario: &ScenarioContext<'_>| {
            let series = Series::of(cx, scenario, view);
            Some((clean(scenario.name), series.mean()?, series.max()?))
        };
        scenarios.iter().filter_map(level).collect()
    };
    let greatest = |levels: &[(String, f64, f64)]| levels.iter().map(|level| level.2).fold(0.0, f64::max);
    let (view, levels) = views
        .iter()
        .map(|view| (*view, of(view)))
        .reduce(|most, it| if greatest(&it.1) > greatest(&most.1) { it } else { most })?;
    let most = greatest(&levels);
    if most <= 0.0 {
        return None;
    }
    let (first, last) = levels.first().zip(levels.last())?;
    let shown = |value: f64| charts::quantity_beside(cx, view, value, most);
    let metric = cx.metric_word(&view.monitor.name, charts::metric_name(view));
    let (metric, instance) = (clean(&metric), clean(&view.instance));
    Some(if first.0 == last.0 {
        say!(cx.m, "heads-level", metric = &metric, instance = &instance, mean = &shown(first.1), max = &shown(most))
    } else {
        say!(
            cx.m,
            "heads-course",
            metric = &metric,
            instance = &instance,
            from = &shown(first.1),
            first = &first.0,
            to = &shown(last.1),
            last = &last.0,
            max = &shown(most)
        )
    })
}

/// The volumes that the study asks for.
fn extrapolation(cx: &Context<'_>) -> String {
    let lines = capacity::volume_lines(cx);
    match (lines.is_empty(), cx.input.judgement.capacity.volumes.is_empty()) {
        (false, _) => lines.join(" "),
        (true, false) => say!(cx.m, "heads-refused"),
        (true, true) => say!(cx.m, "heads-no-volume"),
    }
}
