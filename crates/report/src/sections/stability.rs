//! Stability: drifts, leaks, stalls and drops in one place, each with what it rests on; a stall with its profile.

use crate::charts::{self, Folded};
use crate::document::{Block, Figure, NoteKind, Section};
use crate::input::{Context, ScenarioContext, is_in_scenario};
use crate::messages::say;
use crate::number::clean;
use judge::findings::Stalls;
use judge::{Arg, Finding, Found};
use std::collections::BTreeMap;
use terms::Nanos;

/// Rules that speak about how the system holds over time.
const RULES: [&str; 8] = ["WARM-UP", "DRIFT", "LEAK", "STALL", "DROP", "SPIKE", "NO-RETURN", "STATE"];
/// Profiles drawn at most.
const PROFILES_MAX: usize = 6;
/// Legs of different exchanges of a second are joined by their slowest call.
type Seconds = BTreeMap<i64, f64>;

/// The chapter; `None` when nothing was held.
pub(crate) fn stability(cx: &Context<'_>) -> Option<Section> {
    let held: f64 = cx.input.judgement.steps.iter().filter(|step| step.phase == "hold").map(|step| step.seconds).sum();
    if held <= 0.0 {
        return None;
    }
    let mut section = Section::new("stability", say!(cx.m, "stability-title"));
    section.say(say!(cx.m, "stability-intro"));
    let all = &cx.input.judgement.findings;
    let found: Vec<&Finding> = all.iter().filter(|finding| RULES.contains(&finding.rule())).collect();
    if found.is_empty() {
        section.say(say!(cx.m, "stability-none"));
    }
    for finding in &found {
        let (text, _) = cx.finding(finding);
        section.add(Block::Paragraph { text, findings: vec![finding.id.clone()], is_lead: false });
    }
    let stalls = found.iter().filter_map(|finding| match &finding.found {
        Found::Stalls(stalls) => Some((finding, stalls)),
        _ => None,
    });
    let profiles = stalls.take(PROFILES_MAX).enumerate();
    let figures: Vec<Box<Figure>> = profiles
        .filter_map(|(number, (finding, stalls))| profile(cx, finding, stalls, &format!("fig-folded-{number}")))
        .collect();
    section.blocks.extend(figures.into_iter().map(Block::Figure));
    let text = say!(cx.m, "stability-length", length = Arg::Seconds(super::summary::held_seconds(cx)));
    section.add(Block::Note { kind: NoteKind::Reading, text });
    Some(section)
}

/// The period of a stall with the run folded at it.
fn profile(cx: &Context<'_>, finding: &Finding, stalls: &Stalls, anchor: &str) -> Option<Box<Figure>> {
    let (step, scenarios) = (finding.scope.step_name()?, cx.scenarios());
    let scenario = scenarios.iter().find(|known| is_in_scenario(&finding.scope, known.name))?;
    let exchange = stalls.exchange.as_str();
    let every = stalls.every?;
    if stalls.figure == "watched" {
        return profile_of_count(cx, finding, (scenario, exchange), every.0, anchor);
    }
    let is_of_times = stalls.figure != "throughput";
    let seconds = seconds(scenario, step, exchange, is_of_times);
    let series: Vec<(f64, f64)> =
        seconds.iter().map(|(second, value)| (scenario.since_second(*second), *value)).collect();
    let what = if is_of_times {
        say!(cx.m, "folded-slowest", exchange = &clean(exchange))
    } else {
        say!(cx.m, "folded-ended", exchange = &clean(exchange))
    };
    let of = Folded {
        what: &what,
        unit: if is_of_times { "ms" } else { "/s" },
        scope: &clean(&finding.scope),
        is_less_worse: !is_of_times,
        findings: vec![finding.id.clone()],
    };
    charts::folded(&cx.m, &series, every.0, of, anchor)
}

/// The same of a watched count, by what it grew from look to look. Where several instances have one of the name, the finding
/// does not say which of them it is about.
fn profile_of_count(
    cx: &Context<'_>,
    finding: &Finding,
    (scenario, count): (&ScenarioContext<'_>, &str),
    every: f64,
    anchor: &str,
) -> Option<Box<Figure>> {
    let mut views = cx.input.views.metrics.iter().filter(|view| view.name() == count);
    let view = views.next().filter(|_| views.next().is_none())?;
    let step = finding.scope.step_name()?;
    let holds = || scenario.holds().filter(|(hold, _)| hold.id == step);
    let is_held = |at: Nanos| holds().any(|(hold, _)| hold.from < at && at <= hold.to);
    let rate = |pair: &[(Nanos, Option<f64>)]| {
        let ((from, before), (to, after)) = (pair[0], pair[1]);
        let seconds = (to - from).as_secs_f64();
        // A count that begins anew grew by nobody knows how much.
        let grown = (after? - before?).max(0.0);
        (seconds > 0.0 && is_held(to)).then(|| (scenario.since(from), grown / seconds))
    };
    let series: Vec<(f64, f64)> = view.points.windows(2).filter_map(rate).collect();
    let of = Folded {
        what: &clean(count),
        unit: "/s",
        scope: &clean(&finding.scope),
        is_less_worse: true,
        findings: vec![finding.id.clone()],
    };
    charts::folded(&cx.m, &series, every, of, anchor)
}

/// The slowest call, or the number that succeeded, of each second of an exchange in a step; every exchange where the
/// name is of none.
fn seconds(scenario: &ScenarioContext<'_>, step: &str, exchange: &str, is_of_times: bool) -> Seconds {
    let mut seconds = Seconds::new();
    for (view, _) in scenario.holds().filter(|(view, _)| view.id == step) {
        let is_named = view.exchanges.iter().any(|known| known.name == exchange);
        let legs = view.exchanges.iter().filter(|known| !is_named || known.name == exchange).flat_map(|e| &e.legs);
        for leg in legs.filter(|leg| !leg.is_occasional) {
            for second in leg.seconds.iter().filter(|second| charts::is_whole(second.second, view.from, view.to)) {
                let value = seconds.entry(second.second).or_insert(0.0);
                if is_of_times {
                    *value = second.max.map_or(*value, |max| value.max(max.as_millis_f64()));
                } else {
                    *value += second.ended_ok as f64;
                }
            }
        }
    }
    seconds
}
