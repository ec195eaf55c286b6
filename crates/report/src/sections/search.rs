//! A search: which loads were tried, what became of each, and between which the limit lies.

use super::capacity_words::load;
use crate::date::{date, time_of_day};
use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table, slug};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use judge::Arg;
use judge::searches::{AttemptResult, Outcome, SearchResult, Standing, Why};
use study::SearchRule;
use terms::Unit;

/// Chapters, one for each search.
pub(super) fn searches(cx: &Context<'_>) -> Vec<Section> {
    let all = cx.input.judgement.searches.iter().filter(|search| !search.attempts.is_empty());
    all.enumerate().map(|(number, search)| chapter(cx, search, number)).collect()
}

/// Of each search what it found and why it ended.
pub(super) fn findings(cx: &Context<'_>) -> Vec<String> {
    let all = cx.input.judgement.searches.iter().filter(|search| !search.attempts.is_empty());
    all.map(|search| format!("{} {}", result(cx, search), end(cx, search))).collect()
}

/// Of each search a sentence with its result, and what to know before it is used.
pub(crate) fn results(cx: &Context<'_>) -> Vec<(String, String)> {
    let all = cx.input.judgement.searches.iter().filter(|search| !search.attempts.is_empty());
    let of = |search: &SearchResult| {
        let more = [cautions(cx, search), vec![end(cx, search)]];
        (format!("{}: {}", clean(&search.search.name), result(cx, search)), more.concat().join(" "))
    };
    all.map(of).collect()
}

fn chapter(cx: &Context<'_>, search: &SearchResult, number: usize) -> Section {
    let anchor = format!("search-{number}-{}", slug(&search.search.name));
    let mut section = Section::new(&anchor, say!(cx.m, "search-title", search = &clean(&search.search.name)));
    let text = format!("{} {}", lead(cx, search), result(cx, search));
    section.add(Block::Paragraph { text, findings: Vec::new(), is_lead: true });
    section.say(end(cx, search));
    for text in cautions(cx, search) {
        section.add(Block::Note { kind: NoteKind::Warning, text });
    }
    section.add(Block::Table(match &search.search.rule {
        SearchRule::Bracket(_) => attempts(cx, search, &format!("{anchor}-attempts")),
        SearchRule::Nsp(_) => steps(cx, search, &format!("{anchor}-attempts")),
    }));
    let curve = search.curve.as_ref();
    section.parts.extend(curve.map(|curve| super::search_curve::part(cx, search, curve, &anchor)));
    section
}

/// A load as the search has it: with the unit of what it varies.
fn shown(cx: &Context<'_>, search: &SearchResult, value: f64) -> String {
    match &search.search.rule {
        SearchRule::Nsp(_) => load(cx, value, true),
        // As the study writes it and the attempts have it: in units of a thousand bytes.
        SearchRule::Bracket(rule) if rule.from.unit == Unit::Bytes => {
            format!("{} {}", clean(&rule.vary), rule.text(value))
        }
        SearchRule::Bracket(rule) => {
            let arg = match rule.from.unit {
                Unit::PerSecond => Arg::PerSecond(value),
                Unit::Time => Arg::Seconds(value),
                Unit::Share => Arg::Share(value),
                _ => Arg::Number(value),
            };
            format!("{} {}", clean(&rule.vary), cx.m.numbers.arg(&arg.given()))
        }
    }
}

/// What was varied, how, and how often.
fn lead(cx: &Context<'_>, search: &SearchResult) -> String {
    let attempts = search.attempts.len();
    match &search.search.rule {
        SearchRule::Bracket(rule) => say!(
            cx.m,
            "search-lead-bracket",
            attempts = attempts,
            variable = &clean(&rule.vary),
            from = &rule.text(rule.from.value),
            to = &rule.text(rule.to.value),
            passes = u64::from(rule.passes.0),
            of = u64::from(rule.passes.1),
            width = Arg::Share(rule.width).given()
        ),
        SearchRule::Nsp(rule) => say!(
            cx.m,
            "search-lead-nsp",
            attempts = attempts,
            one = &variable(cx, &rule.variables[0]),
            other = &variable(cx, &rule.variables[1]),
            target = Arg::Share(rule.target).given()
        ),
    }
}

/// Between which loads the limit lies.
fn result(cx: &Context<'_>, search: &SearchResult) -> String {
    let throughput = search.best.and_then(|best| search.attempts.get(best)).map(AttemptResult::rate_per_s);
    let throughput = Arg::PerSecond(throughput.unwrap_or(0.0));
    let is_nsp = matches!(search.search.rule, SearchRule::Nsp(_));
    match (search.held, search.failed) {
        (Some(held), _) if is_nsp => {
            let attempt = search.best.map_or(0, |best| u64::from(search.attempts[best].number));
            say!(cx.m, "search-best", load = &shown(cx, search, held), throughput = throughput, attempt = attempt)
        }
        (Some(held), Some(failed)) => {
            let (held, failed) = (&shown(cx, search, held), &shown(cx, search, failed));
            say!(cx.m, "search-between", held = held, failed = failed, throughput = throughput)
        }
        (Some(held), None) => {
            say!(cx.m, "search-at-least", held = &shown(cx, search, held), throughput = throughput)
        }
        (None, Some(failed)) => say!(cx.m, "search-below", failed = &shown(cx, search, failed)),
        (None, None) => say!(cx.m, "search-nothing"),
    }
}

fn end(cx: &Context<'_>, search: &SearchResult) -> String {
    match &search.standing {
        Standing::Over(Why::Found) if search.failed.is_none() => say!(cx.m, "search-end", why = "top_held"),
        Standing::Over(Why::Found) if search.held.is_none() => say!(cx.m, "search-end", why = "lowest_failed"),
        Standing::Over(why) => say!(cx.m, "search-end", why = why.name()),
        Standing::Next(_) => say!(cx.m, "search-end", why = "unfinished"),
    }
}

/// What a reader must know before the result is used.
fn cautions(cx: &Context<'_>, search: &SearchResult) -> Vec<String> {
    let mut all = taken_over(cx, search);
    let at = |load: Option<f64>, outcome: Outcome| {
        let is_it = move |attempt: &&AttemptResult| Some(attempt.load) == load && attempt.outcome == outcome;
        search.attempts.iter().filter(is_it).collect::<Vec<_>>()
    };
    let is_open = |attempts: &[&AttemptResult]| !attempts.is_empty() && attempts.iter().all(|attempt| !attempt.is_sure);
    let held = search.held.filter(|_| is_open(&at(search.held, Outcome::Passed)));
    let failed = search.failed.filter(|_| is_open(&at(search.failed, Outcome::Failed)));
    for (load, side) in [(held, "held"), (failed, "failed")] {
        all.extend(load.map(|load| say!(cx.m, "search-by-values", load = &shown(cx, search, load), side = side)));
    }
    let others: Vec<String> = search
        .attempts
        .iter()
        .filter(|attempt| attempt.decided.is_some())
        .map(|attempt| attempt.number.to_string())
        .collect();
    if !others.is_empty() {
        all.push(say!(cx.m, "search-decided-otherwise", attempts = &others.join(", ")));
    }
    all
}

/// Which attempts are of earlier runs, a sentence for each of those.
fn taken_over(cx: &Context<'_>, search: &SearchResult) -> Vec<String> {
    let mut runs: Vec<&str> = search.attempts.iter().filter_map(|attempt| attempt.run.as_deref()).collect();
    runs.dedup();
    let of = |run: &&str| {
        let own = search.attempts.iter().filter(|attempt| attempt.run.as_deref() == Some(*run));
        let numbers: Vec<String> = own.map(|attempt| attempt.number.to_string()).collect();
        let (count, run) = (numbers.len(), clean(run));
        say!(cx.m, "search-taken-over", count = count, attempts = &numbers.join(", "), run = &run)
    };
    runs.iter().map(of).collect()
}

fn outcome(cx: &Context<'_>, attempt: &AttemptResult) -> Cell {
    let sure = if attempt.is_sure { "sure" } else { "values" };
    Cell::text(say!(cx.m, "search-outcome", outcome = attempt.outcome.name(), sure = sure))
}

fn reason(cx: &Context<'_>, attempt: &AttemptResult) -> Cell {
    let said = cx.m.judged("search-reason", &attempt.reason.args, &[("reason", attempt.reason.code.as_str())]);
    Cell::text(said.unwrap_or_else(|| attempt.reason.code.clone()))
}

fn share(cx: &Context<'_>, attempt: &AttemptResult) -> Cell {
    attempt.failed_share.map_or_else(Cell::missing, |share| Cell::number(cx.m.numbers.arg(&Arg::Share(share)), share))
}

/// How much was done as the search counts it; nothing where that could not be told.
fn rate(cx: &Context<'_>, search: &SearchResult, attempt: &AttemptResult) -> Cell {
    if search.search.by.is_some() && attempt.by_per_s.is_none() {
        return Cell::missing();
    }
    Cell::number(cx.m.numbers.value(attempt.rate_per_s()), attempt.rate_per_s())
}

/// Its column, and what it counts where that is not iterations.
fn rate_column(cx: &Context<'_>) -> Column {
    Column::number(say!(cx.m, "col-throughput"), "/s")
}

fn rate_note(cx: &Context<'_>, search: &SearchResult) -> Option<String> {
    let by = search.search.by.as_deref()?;
    Some(say!(cx.m, "note-search-by", by = &clean(by)))
}

/// What readers call a variable of a search.
fn variable(cx: &Context<'_>, name: &str) -> String {
    match name {
        "threads" => say!(cx.m, "search-threads"),
        "nodes" => say!(cx.m, "search-nodes"),
        _ => clean(name),
    }
}

/// Begin and end of an attempt's holds by the clock, for whoever looks into a log beside it.
fn window(cx: &Context<'_>, attempt: &AttemptResult) -> [Cell; 2] {
    let scenarios = cx.scenarios();
    let own = scenarios.iter().find(|scenario| scenario.name == attempt.scenario);
    let holds = || own.into_iter().flat_map(|scenario| scenario.holds());
    let ends = [holds().map(|(step, _)| step.from).min(), holds().map(|(step, _)| step.to).max()];
    let origin = cx.input.head.wall_origin_ns;
    ends.map(|at| at.map_or_else(Cell::missing, |at| moment(origin.saturating_add(at.0))))
}

/// The time of day with its date below, as wide as the time alone.
fn moment(nanoseconds: i64) -> Cell {
    Cell::text(time_of_day(nanoseconds)).with_detail(date(nanoseconds))
}

fn number(title: String, unit: &str) -> Column {
    Column { title, unit: unit.to_owned(), is_number: true }
}

fn attempts(cx: &Context<'_>, search: &SearchResult, name: &str) -> Table {
    let row = |attempt: &AttemptResult| {
        let which = say!(
            cx.m,
            "search-attempt",
            number = u64::from(attempt.number),
            confirms = if attempt.is_confirming { "yes" } else { "no" }
        );
        let value = attempt.values.first().map_or("", |(_, value)| value.as_str());
        Row::new(vec![
            Cell::text(which),
            Cell::number(clean(value), attempt.load),
            rate(cx, search, attempt),
            share(cx, attempt),
            outcome(cx, attempt),
            reason(cx, attempt),
        ])
    };
    let variable = search.search.variables().first().map_or_else(String::new, |name| clean(name));
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-search-attempts", search = &clean(&search.search.name)),
        columns: vec![
            Column::text(say!(cx.m, "search-col-attempt")),
            number(variable, ""),
            rate_column(cx),
            number(say!(cx.m, "col-failed"), ""),
            Column::text(say!(cx.m, "search-col-outcome")),
            Column::text(say!(cx.m, "search-col-why")),
        ],
        rows: search.attempts.iter().map(row).collect(),
        notes: [Some(say!(cx.m, "note-search-attempts")), rate_note(cx, search)].into_iter().flatten().collect(),
    }
}

/// The iterations of a search by steps, each with its growth, both as the rule cuts it and unrounded.
fn steps(cx: &Context<'_>, search: &SearchResult, name: &str) -> Table {
    let growth = |cut: Option<i64>, exact: Option<f64>| match (cut, exact) {
        (Some(cut), Some(exact)) => {
            let shown = Cell::number(cx.m.numbers.arg(&Arg::Share(cut as f64 / 100.0).given()), cut as f64 / 100.0);
            shown.with_detail(cx.m.numbers.arg(&Arg::Share(exact / 100.0)))
        }
        _ => Cell::missing(),
    };
    let row = |attempt: &AttemptResult| {
        let rated = attempt.growth;
        let said = match rated {
            Some(step) if !step.is_eligible => "not_counted",
            Some(step) if step.actual_percent.is_none() => "first",
            Some(step) if step.is_met => "met",
            Some(_) => "missed",
            None => "none",
        };
        let mut cells = vec![Cell::text(attempt.number.to_string())];
        let values =
            attempt.values.iter().map(|(_, value)| Cell::number(clean(value), value.parse().unwrap_or(f64::NAN)));
        cells.extend(values);
        cells.extend(window(cx, attempt));
        cells.push(Cell::number(cx.m.numbers.arg(&Arg::Count(attempt.load)), attempt.load));
        cells.push(rate(cx, search, attempt));
        cells.push(growth(rated.and_then(|step| step.actual_percent), rated.and_then(|step| step.actual_exact)));
        cells.push(growth(rated.and_then(|step| step.target_percent), rated.and_then(|step| step.target_exact)));
        cells.push(share(cx, attempt));
        let outcome = Cell::text(say!(cx.m, "search-rated", said = said));
        // What was not rated says why.
        cells.push(if rated.is_none() { outcome.with_detail(reason(cx, attempt).text) } else { outcome });
        Row::new(cells)
    };
    let mut columns = vec![Column::text(say!(cx.m, "search-col-iteration"))];
    columns.extend(search.search.variables().iter().map(|name| number(variable(cx, name), "")));
    columns.extend([
        Column::text(say!(cx.m, "search-col-start")),
        Column::text(say!(cx.m, "search-col-end")),
        number(say!(cx.m, "search-col-users"), ""),
        rate_column(cx),
        number(say!(cx.m, "search-col-actual"), ""),
        number(say!(cx.m, "search-col-target"), ""),
        number(say!(cx.m, "col-failed"), ""),
        Column::text(say!(cx.m, "search-col-outcome")),
    ]);
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-search-attempts", search = &clean(&search.search.name)),
        columns,
        rows: search.attempts.iter().map(row).collect(),
        notes: [Some(say!(cx.m, "note-search-steps")), rate_note(cx, search)].into_iter().flatten().collect(),
    }
}

#[cfg(test)]
mod tests {
    use contract::LANGUAGES;
    use judge::{Arg, Args};

    use crate::messages::Messages;

    /// Each reason has words of its own that name what it is about, and so has each end.
    #[test]
    fn every_code_has_words_in_every_language() {
        for language in LANGUAGES {
            let m = Messages::of(language);
            for (code, names) in judge::catalogue::ATTEMPTS {
                let args: Args =
                    names.iter().map(|name| ((*name).to_owned(), Arg::Text(format!("<{name}>")))).collect();
                let text = m.judged("search-reason", &args, &[("reason", code)]).unwrap();
                assert!(!text.contains('_'), "{language}: {code}: {text}");
                assert!(names.iter().all(|name| text.contains(&format!("<{name}>"))), "{language}: {code}: {text}");
            }
        }
    }
}
