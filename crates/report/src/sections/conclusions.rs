//! Conclusions, recommendations and open points: all follow from verdicts and findings.

use super::results::is_told;
use super::{capacity, heads, in_short, moments, summary};
use crate::document::{Block, Cell, Column, Row, Section, Table};
use crate::in_unit::InUnit;
use crate::input::{Context, ScenarioContext, is_in_scenario, leg_title};
use crate::messages::say;
use crate::number::clean;
use crate::verdict_words::{limit_of, measured_of, places, together};
use judge::{Arg, RequirementResult};
use terms::Verdict;

/// Requirements named in one sentence at most; all are in the tables.
const NAMED: usize = 5;
/// Scenarios with a paragraph each; more are the rows of a table.
const PARAGRAPHS: usize = 4;
/// Findings named in a cell.
const FINDINGS: usize = 5;
/// Legs with their times in one paragraph; all are in the tables.
const LEGS: usize = 3;
/// Moments told in one paragraph; all are in the table of what happened together.
const MOMENTS: usize = 2;
/// Places named in a cell.
const PLACES: usize = 2;

pub(crate) fn conclusions(cx: &Context<'_>) -> Section {
    let mut section = Section::new("conclusions", say!(cx.m, "conclusions-title"));
    // Where the first screen or the summary says it, it is stated.
    if !cx.has_block("overview") && !cx.has_block("summary") {
        section.add(Block::Paragraph { text: summary::bottom_line(cx), findings: Vec::new(), is_lead: true });
    }
    let scenarios = cx.scenarios();
    if is_in_chapters(cx, &scenarios) {
        section.add(Block::Table(by_scenario(cx, &scenarios)));
    } else {
        for scenario in &scenarios {
            let (text, findings) = sentences(cx, scenario);
            let text = format!("{}: {text}", clean(scenario.name));
            section.add(Block::Paragraph { text, findings, is_lead: false });
        }
    }
    if cx.chosen("conclusions", "heads") {
        section.parts.push(heads::part(cx));
    }
    section.parts.push(recommendations(cx));
    section.parts.extend(open_points(cx));
    section
}

/// Whether each scenario's conclusion stands in its own chapter, and this one has a table of them: so that it is stated
/// once.
pub(super) fn is_in_chapters(cx: &Context<'_>, scenarios: &[ScenarioContext<'_>]) -> bool {
    let is_usual = cx.chosen_or_usual("results", "conclusion");
    cx.chosen("results", "conclusion") || (is_usual && scenarios.len() > PARAGRAPHS)
}

/// The same as a table, where there are so many scenarios that paragraphs would hide what differs.
fn by_scenario(cx: &Context<'_>, scenarios: &[ScenarioContext<'_>]) -> Table {
    let row = |scenario: &ScenarioContext<'_>| {
        let is_here = |scope: &judge::Scope| is_in_scenario(scope, scenario.name);
        let results = deciding(cx, scenario);
        let count = |verdict: Verdict| {
            let count = results.iter().filter(|result| result.verdict == verdict).count();
            Cell::number(cx.m.numbers.count(count as f64), count as f64)
        };
        let broken = broken(cx, &results);
        let all = cx.input.judgement.findings.iter();
        let findings = all.filter(|finding| is_here(&finding.scope) && is_told(cx, finding));
        let findings: Vec<&str> = findings.map(|finding| finding.id.as_str()).collect();
        Row::new(vec![
            Cell::code(scenario.name),
            count(Verdict::Met),
            count(Verdict::NotMet),
            count(Verdict::CannotTell),
            if broken.is_empty() { Cell::missing() } else { Cell::text(broken.join("; ")) },
            if findings.is_empty() { Cell::missing() } else { Cell::text(bounded_list(cx, &findings, FINDINGS)) },
        ])
    };
    let verdict = |verdict: Verdict| Column::count_of(&say!(cx.m, "verdict-word", verdict = verdict.name()));
    let mut notes = vec![say!(cx.m, "note-conclusions")];
    if cx.deciding().len() < cx.input.judgement.requirements.len() {
        notes.push(say!(cx.m, "note-verdicts-any"));
    }
    Table {
        name: "conclusions".to_owned(),
        caption: say!(cx.m, "table-conclusions"),
        columns: vec![
            Column::text(say!(cx.m, "col-scenario")),
            verdict(Verdict::Met),
            verdict(Verdict::NotMet),
            verdict(Verdict::CannotTell),
            Column::text(say!(cx.m, "col-not-met")),
            Column::text(say!(cx.m, "col-findings")),
        ],
        rows: scenarios.iter().map(row).collect(),
        notes,
    }
}

/// So many of a list, and how many more there are.
fn bounded_list(cx: &Context<'_>, all: &[&str], most: usize) -> String {
    let shown: Vec<String> = all.iter().take(most).map(|text| clean(text)).collect();
    let left = all.len().saturating_sub(most);
    let more = if left > 0 { say!(cx.m, "and-more", left = left) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// The conclusion of one scenario, for its own chapter.
pub(super) fn of_scenario(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Section {
    let mut part = Section::new(format!("{anchor}-conclusion"), say!(cx.m, "conclusion-title"));
    let (text, findings) = sentences(cx, scenario);
    part.add(Block::Paragraph { text, findings, is_lead: false });
    part
}

/// A step's phase, with its part of a mix.
fn step_title(cx: &Context<'_>, result: &judge::StepResult) -> String {
    let phase = say!(cx.m, "phase-word", phase = &clean(&result.id));
    result.part.as_ref().map_or(phase.clone(), |part| format!("{} · {phase}", clean(part)))
}

/// Which sentence the books of a step carry: that all succeeded only where each that was started did, and somebody knows
/// what failed.
fn how_ended(cx: &Context<'_>, books: &terms::Books) -> &'static str {
    match books.started {
        0 => "nothing",
        _ if !cx.knows_failures() => "unknown",
        started if books.completed == started => "all",
        _ => "some",
    }
}

/// What became of the iterations that were started: how many failed; where some never ended, of all kinds how many.
fn ended(cx: &Context<'_>, books: &terms::Books) -> String {
    let is_cut = books.completed + books.failed < books.started;
    let parts = [
        ("completed", books.completed, is_cut),
        ("failed", books.failed, true),
        ("aborted", books.aborted, books.aborted > 0),
        ("open", books.open(), books.open() > 0),
    ];
    let told = parts.into_iter().filter(|(.., is_told)| *is_told);
    let said = told.map(|(book, count, _)| say!(cx.m, "conclusion-ended", book = book, count = count));
    said.collect::<Vec<_>>().join(", ")
}

/// That the load ended before its count was reached: by its bound, by an abort rule, or by whoever stopped it.
fn unreached(cx: &Context<'_>, result: &judge::StepResult) -> Option<String> {
    let planned = cx.input.head.steps.get(result.number as usize).filter(|planned| planned.seconds.is_none())?;
    let count = planned.iterations.filter(|count| result.books.intended < *count)?;
    Some(say!(cx.m, "count-short", begun = result.books.intended, planned = count))
}

/// What a scenario showed: its load, its verdicts, what is not met; with the findings that bear on it.
fn sentences(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> (String, Vec<String>) {
    let mut said = Vec::new();
    for (_, result) in scenario.holds() {
        let Some(result) = result else { continue };
        said.push(say!(
            cx.m,
            "conclusion-load",
            how = how_ended(cx, &result.books),
            step = &step_title(cx, result),
            rate = Arg::PerSecond(result.throughput_per_s),
            started = result.books.started,
            list = &ended(cx, &result.books)
        ));
        said.extend(unreached(cx, result));
    }
    if said.is_empty() {
        said.push(say!(cx.m, "conclusion-no-hold"));
    }
    said.extend(times(cx, scenario));
    let is_here = |scope: &judge::Scope| is_in_scenario(scope, scenario.name);
    let results = deciding(cx, scenario);
    let count = |verdict: Verdict| results.iter().filter(|result| result.verdict == verdict).count();
    let judged = cx.input.judgement.requirements.iter().filter(|result| is_here(&result.scope)).count();
    if judged == 0 {
        said.push(say!(cx.m, "verdicts-none"));
    } else if results.is_empty() {
        // Another repetition makes up for all that this one has; the note below says so.
    } else if count(Verdict::Met) == results.len() {
        said.push(say!(cx.m, "conclusion-all-met", all = results.len()));
    } else {
        let counted = |verdict: Verdict| {
            let number = count(verdict);
            (number > 0).then(|| say!(cx.m, "conclusion-count", verdict = verdict.name(), number = number))
        };
        let list: Vec<String> =
            [Verdict::Met, Verdict::NotMet, Verdict::CannotTell].into_iter().filter_map(counted).collect();
        said.push(say!(cx.m, "conclusion-verdicts", all = results.len(), list = &list.join(", ")));
    }
    if results.len() < judged {
        said.push(say!(cx.m, "note-verdicts-any"));
    }
    let broken = broken(cx, &results);
    if !broken.is_empty() {
        said.push(say!(cx.m, "conclusion-not-met", list = &broken.join("; ")));
    }
    // What limited where, one sentence each; that nothing did stands once.
    let ladders: Vec<_> = cx.input.judgement.ladders.iter().filter(|ladder| is_here(&ladder.scope)).collect();
    let limited = ladders.iter().filter(|ladder| ladder.observed().is_some());
    said.extend(limited.map(|ladder| capacity::observed(cx, ladder)));
    if !ladders.is_empty() && ladders.iter().all(|ladder| ladder.observed().is_none()) {
        said.push(say!(cx.m, "conclusion-no-limit"));
    }
    said.extend(moments::told(cx, scenario, MOMENTS));
    let all = cx.input.judgement.findings.iter();
    let findings = all.filter(|finding| is_here(&finding.scope) && is_told(cx, finding));
    (said.join(" "), findings.map(|finding| finding.id.clone()).collect())
}

/// What each leg took in the judged part, the numbers of the scenario's table in short.
pub(super) fn times(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Vec<String> {
    let of = |(exchange, leg): (&str, &str)| {
        let took = in_short::took(scenario, exchange, leg);
        let greatest = took.times.max()?.as_millis_f64();
        let shown = |ms: f64| InUnit::beside(cx.m.numbers, "ms", ms, greatest).shown(ms);
        let [mean, p90, max] = [took.times.mean(), took.times.quantile(in_short::QUANTILE), took.times.max()]
            .map(|time| time.map(|time| shown(time.as_millis_f64())));
        Some(say!(
            cx.m,
            "conclusion-times",
            what = &clean(&leg_title(exchange, leg)),
            mean = &mean?,
            p90 = &p90?,
            max = &max?
        ))
    };
    scenario.legs().into_iter().take(LEGS).filter_map(of).collect()
}

/// The verdicts that a scenario's requirements come to, which the headline and the exit code count: a member that another
/// one makes up for is none of them.
fn deciding<'a>(cx: &Context<'a>, scenario: &ScenarioContext<'_>) -> Vec<&'a RequirementResult> {
    // Its repetitions make up for each other; those of other scenarios cannot, and need not be looked at for each.
    let name = scenario.name.split('#').next().unwrap_or_default();
    let all = cx.input.judgement.requirements.iter().filter(|result| is_in_scenario(&result.scope, name));
    let deciding = judge::deciding(all, cx.input.study);
    deciding.into_iter().filter(|result| is_in_scenario(&result.scope, scenario.name)).collect()
}

/// The requirements that are not met, as far as a sentence holds them.
fn broken(cx: &Context<'_>, results: &[&RequirementResult]) -> Vec<String> {
    let broken = results.iter().copied().filter(|result| result.verdict == Verdict::NotMet);
    together(broken).iter().take(NAMED).map(|group| named(cx, group)).collect()
}

/// A requirement with its value and limit, in one place or several.
fn named(cx: &Context<'_>, group: &[&RequirementResult]) -> String {
    let (measured, limit) = (measured_of(cx, group), limit_of(cx, group));
    let name = group.first().map_or_else(String::new, |first| clean(&first.id));
    say!(cx.m, "conclusion-one", name = &name, measured = &measured.text, limit = &limit.text)
}

/// What the findings ask to do, each once, with the findings that ask for it.
fn recommendations(cx: &Context<'_>) -> Section {
    let mut part = Section::new("conclusions-recommendations", say!(cx.m, "recommendations-title"));
    let mut wanted: Vec<(String, Vec<String>, Vec<String>)> = Vec::new();
    // What only informs asks for nothing.
    for finding in cx.input.judgement.findings.iter().filter(|finding| finding.severity != judge::Gravity::Info) {
        let Some(text) = cx.remedy(finding) else { continue };
        let scope = clean(&finding.scope);
        match wanted.iter_mut().find(|(known, _, _)| *known == text) {
            Some((_, ids, scopes)) => {
                ids.push(finding.id.clone());
                if !scopes.contains(&scope) {
                    scopes.push(scope);
                }
            }
            None => wanted.push((text, vec![finding.id.clone()], vec![scope])),
        }
    }
    if wanted.is_empty() {
        part.say(say!(cx.m, "recommendations-none"));
        return part;
    }
    let list =
        |all: &[String], most: usize| bounded_list(cx, &all.iter().map(String::as_str).collect::<Vec<_>>(), most);
    let row = |(text, ids, scopes): &(String, Vec<String>, Vec<String>)| {
        Row::new(vec![Cell::text(text), Cell::text(list(ids, FINDINGS)), Cell::code(list(scopes, PLACES))])
    };
    part.add(Block::Table(Table {
        name: "recommendations".to_owned(),
        caption: say!(cx.m, "table-recommendations"),
        columns: vec![
            Column::text(say!(cx.m, "col-recommendation")),
            Column::text(say!(cx.m, "col-because")),
            Column::text(say!(cx.m, "col-where")),
        ],
        rows: wanted.iter().map(row).collect(),
        notes: Vec::new(),
    }));
    part
}

/// What this run leaves open, and what would settle it; `None` where it decided everything.
fn open_points(cx: &Context<'_>) -> Option<Section> {
    let mut part = Section::new("conclusions-open", say!(cx.m, "open-points-title"));
    // What is open in many places for one reason is one point; each place's own numbers are in its scenario's chapter.
    let mut open: Vec<Vec<&RequirementResult>> = Vec::new();
    for result in cx.deciding().into_iter().filter(|result| result.verdict == Verdict::CannotTell) {
        let is_same = |group: &&mut Vec<&RequirementResult>| {
            (&group[0].id, &group[0].reason.code) == (&result.id, &result.reason.code)
        };
        match open.iter_mut().find(is_same) {
            Some(group) => group.push(result),
            None => open.push(vec![result]),
        }
    }
    let row = |group: &Vec<&RequirementResult>| {
        let place = if group.len() == 1 { Cell::code(&group[0].scope) } else { Cell::text(places(cx, group)) };
        let reason = Cell::text(cx.reason(&group[0].reason));
        let reason = if group.len() == 1 { reason } else { reason.with_detail(say!(cx.m, "open-points-first")) };
        Row::new(vec![Cell::code(&group[0].id), place, reason])
    };
    let rows: Vec<Row> = open.iter().map(row).collect();
    // Where the verdicts stand in the first chapter, so do their reasons.
    if !rows.is_empty() && ["overview", "summary"].iter().any(|block| cx.has_block(block)) {
        let mut names: Vec<&str> = open.iter().map(|group| group[0].id.as_str()).collect();
        names.dedup();
        let list = bounded_list(cx, &names, FINDINGS);
        part.say(say!(cx.m, "open-points-above", number = names.len(), list = &list));
        return Some(part);
    }
    if rows.is_empty() {
        return None;
    }
    part.add(Block::Table(Table {
        name: "open-points".to_owned(),
        caption: say!(cx.m, "table-open-points"),
        columns: vec![
            Column::text(say!(cx.m, "col-requirement")),
            Column::text(say!(cx.m, "col-where")),
            Column::text(say!(cx.m, "col-reason")),
        ],
        rows,
        notes: Vec::new(),
    }));
    Some(part)
}
