//! The first screen: what was tested and how hard, the verdict with what failed by name, the figures that decide it, and
//! the whole run in one drawing.

use super::{glance, moments, settings, summary, title, verdicts};
use crate::charts;
use crate::document::{Block, Section};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::clean;
use crate::verdict_words::{Judged, by_requirement, limit_of, measured_of, places};
use judge::grids::{Grid, GridVariable};
use judge::views::StepView;
use judge::{Arg, Gravity, RequirementResult};
use record::Messages;
use std::collections::BTreeSet;
use terms::{Severity, Verdict};

/// Requirements that are named in the sentence about what failed; the table below has all.
const NAMED: usize = 3;
/// Scenarios whose load is in the first sentence.
const SCENARIOS: usize = 4;

pub(crate) fn overview(cx: &Context<'_>) -> Section {
    let mut section = Section::new("overview", say!(cx.m, "overview-title"));
    section.blocks.extend(opening(cx));
    section.add(summary::validity(cx));
    section.blocks.extend(generator(cx));
    // A grid's own table has all of its cells.
    let is_elsewhere = cx.has_block("grid") && !cx.input.judgement.grids.is_empty();
    section.blocks.extend(glance::table(cx, is_elsewhere).map(Block::Table));
    section.blocks.extend(charts::whole_run(cx, "fig-whole-run").map(Block::Figure));
    section.say(moments::sentence(cx));
    if !cx.input.judgement.requirements.is_empty() {
        section.add(Block::Table(verdicts::short_table(cx, "verdicts")));
        section.blocks.extend(verdicts::each(cx, "verdicts-each"));
    }
    section.blocks.extend(summary::capacity_lines(cx));
    section.parts.push(key_findings(cx));
    section.parts.push(summary::not_shown(cx));
    section
}

/// The verdict with what failed by name, what was tested and how hard, and what was set for it.
pub(super) fn opening(cx: &Context<'_>) -> Vec<Block> {
    let marks: Vec<String> = title::marks(cx).into_iter().map(|mark| mark.word).collect();
    // What failed comes before how much did not.
    let (mut lead, cautions): (Vec<String>, Vec<String>) = super::search_results(cx).into_iter().unzip();
    lead.extend(of_verdict(cx, Verdict::NotMet));
    lead.push(summary::bottom_line(cx));
    let mut rest: Vec<String> = of_verdict(cx, Verdict::CannotTell).into_iter().collect();
    if !marks.is_empty() {
        rest.push(say!(cx.m, "bottom-marks", marks = &marks.join(", ")));
    }
    let sentences = |text: String, is_lead: bool| Block::Paragraph { text, findings: Vec::new(), is_lead };
    let mut blocks = vec![sentences(lead.join(" "), true)];
    blocks.extend(cautions.into_iter().map(|text| sentences(text, false)));
    blocks.push(sentences(tested(cx), false));
    if !rest.is_empty() {
        blocks.push(sentences(rest.join(" "), false));
    }
    blocks.extend(settings::settings(cx));
    blocks
}

/// What was put under load, and how hard.
fn tested(cx: &Context<'_>) -> String {
    let system = clean(&cx.input.head.system);
    match loads(cx) {
        None => say!(cx.m, "overview-no-load", system = &system),
        Some(loads) => say!(cx.m, "overview-tested", system = &system, loads = &loads),
    }
}

/// The loads that were held, as far as a sentence holds them; `None` where none was.
pub(super) fn loads(cx: &Context<'_>) -> Option<String> {
    let scenarios: Vec<ScenarioContext<'_>> = cx
        .told_scenarios()
        .into_iter()
        .filter(|scenario| !scenario.is_again() && scenario.holds().next().is_some())
        .collect();
    let grids = &cx.input.judgement.grids;
    // Without the number of its repetition.
    let typed = |scenario: &ScenarioContext<'_>| scenario.name.split('#').next().unwrap_or_default().to_owned();
    let is_of = |grid: &Grid, name: &str| grid.cells.iter().any(|cell| cell.scenario == name);
    let (cells, others): (Vec<_>, Vec<_>) =
        scenarios.iter().partition(|scenario| grids.iter().any(|grid| is_of(grid, &typed(scenario))));
    let is_told = |grid: &&Grid| cells.iter().any(|scenario| is_of(grid, &typed(scenario)));
    let mut loads: Vec<String> = grids.iter().filter(is_told).map(|grid| of_grid(cx, grid)).collect();
    loads.extend(others.iter().take(SCENARIOS).map(|scenario| load(cx, scenario)));
    let left = others.len().saturating_sub(SCENARIOS);
    if left > 0 {
        loads.push(say!(cx.m, "overview-more-loads", left = left));
    }
    (!loads.is_empty()).then(|| loads.join("; "))
}

/// The combinations of a grid in one: their own loads are in its chapter.
fn of_grid(cx: &Context<'_>, grid: &Grid) -> String {
    // Values that a rule would have brought about, and did not, are none of them.
    let tried = |(place, variable): (usize, &GridVariable)| {
        let is_tried = |value: &&String| grid.cells.iter().any(|cell| grid.value(cell, place) == **value);
        let values: Vec<&str> = variable.values.iter().filter(is_tried).map(String::as_str).collect();
        clean(&format!("{} ({})", variable.name, values.join(", ")))
    };
    let variables: Vec<String> = grid.variables.iter().enumerate().map(tried).collect();
    let held = grid.cells.iter().map(|cell| cell.seconds / f64::from(cell.repetitions.max(1))).reduce(f64::max);
    say!(
        cx.m,
        "overview-load-grid",
        scenario = &clean(&grid.name),
        cells = grid.cells.len(),
        variables = variables.len(),
        list = &variables.join(", "),
        length = Arg::Seconds(held.unwrap_or(0.0).round())
    )
}

/// The load of a scenario, in a mix that of each part.
fn load(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> String {
    let mut parts: Vec<(Option<&str>, Vec<&StepView>)> = Vec::new();
    for (step, _) in scenario.holds() {
        match parts.iter_mut().find(|(part, _)| *part == step.part.as_deref()) {
            Some((_, steps)) => steps.push(step),
            None => parts.push((step.part.as_deref(), vec![step])),
        }
    }
    let name = clean(scenario.name);
    match parts.as_slice() {
        [(_, steps)] => load_of(cx, scenario, &name, steps),
        parts => {
            let each: Vec<String> = parts
                .iter()
                .map(|(part, steps)| load_of(cx, scenario, &clean(part.unwrap_or_default()), steps))
                .collect();
            format!("{name} ({})", each.join(", "))
        }
    }
}

/// Users, or starts a second as they were planned, and how long they held.
fn load_of(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str, steps: &[&StepView]) -> String {
    let length: f64 = steps.iter().map(|step| (step.to - step.from).as_secs_f64()).sum();
    let length = Arg::Seconds(length.round());
    let users: Vec<u32> = steps.iter().filter_map(|step| step.users).collect();
    if let (true, Some(most)) = (steps.iter().all(|step| step.is_closed), users.iter().max()) {
        return say!(cx.m, "overview-load-users", scenario = name, most = u64::from(*most), length = length);
    }
    let head = cx.input.head.scenarios.get(usize::from(scenario.index));
    if let Some(most) = head.and_then(|head| head.connections) {
        let every = head.and_then(|head| head.every_s);
        let messages = head.map_or(Messages::Sent, |head| head.messages);
        let sends = match (every, messages) {
            (None, _) => "listening",
            (Some(_), Messages::Sent) => "sending",
            (Some(_), Messages::Owed) => "owed",
            (Some(_), Messages::Published) => "published",
        };
        let every = every.unwrap_or(0.0);
        let (most, every) = (u64::from(most), Arg::Seconds(every).given());
        return say!(
            cx.m,
            "overview-load-held",
            scenario = name,
            most = most,
            sends = sends,
            every = every,
            length = length
        );
    }
    let rates = steps.iter().map(|step| step.books.intended as f64 / (step.to - step.from).as_secs_f64().max(1e-9));
    let (least, most) = rates.fold((f64::INFINITY, 0.0f64), |(least, most), rate| (least.min(rate), most.max(rate)));
    let steps = if cx.m.numbers.value(least) == cx.m.numbers.value(most) { "one" } else { "several" };
    let most = say!(cx.m, "load-rate", asked = Arg::Number(most).given());
    let least = Arg::Number(least).given();
    say!(cx.m, "overview-load-rate", scenario = name, steps = steps, least = least, most = &most, length = length)
}

/// What the rules found that is more than good to know, and in one line how many found nothing.
fn key_findings(cx: &Context<'_>) -> Section {
    let all = &cx.input.judgement.findings;
    let is_key = |found: &&judge::Finding| found.severity > Gravity::Info && super::results::is_told(cx, found);
    let mut section = summary::key_findings_of(cx, all.iter().filter(is_key));
    let found: BTreeSet<&str> = all.iter().map(judge::Finding::rule).collect();
    let rules: BTreeSet<&str> = judge::findings::RULES.iter().map(|(rule, _)| *rule).collect();
    let silent = rules.difference(&found).count();
    let key = if all.iter().any(|found| is_key(&found)) { "overview-rules" } else { "overview-rules-alone" };
    section.say(cx.m.text(key, &[("silent", silent.into())]));
    section
}

/// How the load generator kept up, where it was worst; `None` where it noted nothing.
pub(super) fn generator(cx: &Context<'_>) -> Option<Block> {
    let held = || cx.input.judgement.steps.iter().filter(|step| step.phase == "hold");
    let late = held().filter_map(|step| step.lateness_p99_ms).reduce(f64::max)?;
    let cpu = held().filter_map(|step| step.cpu_share).reduce(f64::max)?;
    let text = say!(cx.m, "overview-generator", late = Arg::Milliseconds(late), cpu = Arg::Share(cpu));
    Some(Block::Paragraph { text, findings: Vec::new(), is_lead: false })
}

/// What has that verdict, by name, with value and limit where it is worst, mandatory requirements only; `None` where
/// nothing has.
fn of_verdict(cx: &Context<'_>, verdict: Verdict) -> Option<String> {
    let of = |result: &&RequirementResult| result.severity == Severity::Must && result.verdict == verdict;
    let judged = by_requirement(cx.input.study, cx.deciding().into_iter().filter(of));
    let one = |one: &Judged<'_>| {
        let (measured, limit) = (measured_of(cx, &one.worst), limit_of(cx, &one.worst));
        let is_number = measured.raw.is_some() && limit.raw.is_some();
        say!(
            cx.m,
            "overview-one",
            name = &clean(&one.worst[0].id),
            place = &places(cx, &one.worst),
            others = one.all.len() - one.worst.len(),
            compared = if is_number { "yes" } else { "no" },
            measured = &measured.text,
            limit = &limit.text
        )
    };
    let mut named: Vec<String> = judged.iter().take(NAMED).map(one).collect();
    let left = judged.len().saturating_sub(NAMED);
    if left > 0 {
        named.push(say!(cx.m, "overview-more", left = left));
    }
    (!named.is_empty()).then(|| say!(cx.m, "overview-of-verdict", verdict = verdict.name(), list = &named.join("; ")))
}
