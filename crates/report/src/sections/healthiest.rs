//! The healthiest step: which it is, with its figures, and why each of the others is not it.

use super::capacity_words::load;
use crate::document::{Block, Cell, Column, Detail, NoteKind, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use judge::Arg;
use judge::healthiest::{HealthStep, HealthiestResult, Lost, limits};

/// The part of the chapter on capacity; `None` where the study asks for no such step.
pub(super) fn part(cx: &Context<'_>) -> Option<Section> {
    let all = &cx.input.judgement.capacity.healthiest;
    if all.is_empty() {
        return None;
    }
    let mut part = Section::new("capacity-healthiest", say!(cx.m, "healthiest-title"));
    part.say(say!(cx.m, "healthiest-intro"));
    let (mut asked, mut unseen) = (Vec::new(), Vec::new());
    for (number, choice) in all.iter().enumerate() {
        part.add(Block::Paragraph { text: lead(cx, choice), findings: Vec::new(), is_lead: true });
        if let Some(best) = choice.best() {
            part.say(figures(cx, best));
        }
        // What all of them share is stated once.
        let needs: Vec<String> = choice.needs.iter().map(|need| clean(need)).collect();
        let said = match needs.is_empty() {
            true => say!(cx.m, "healthiest-asked-nothing"),
            false => say!(cx.m, "healthiest-asked", needs = &needs.join("; ")),
        };
        if asked.last() != Some(&said) {
            part.say(said.clone());
            asked.push(said);
        }
        for code in &choice.unseen {
            if !unseen.contains(code) {
                unseen.push(code);
                part.add(Block::Note {
                    kind: NoteKind::Missing,
                    text: say!(cx.m, "healthiest-unseen", unseen = *code),
                });
            }
        }
        part.add(Block::Table(table(cx, choice, number)));
    }
    Some(part)
}

/// Of each choice one sentence, for who reads no further.
pub(super) fn lines(cx: &Context<'_>) -> Vec<String> {
    let line = |choice: &HealthiestResult| match choice.best() {
        Some(best) => is(cx, choice, best),
        None => say!(cx.m, "summary-healthiest-none", name = &clean(&choice.name())),
    };
    cx.input.judgement.capacity.healthiest.iter().map(line).collect()
}

fn is(cx: &Context<'_>, choice: &HealthiestResult, best: &HealthStep) -> String {
    say!(
        cx.m,
        "healthiest-is",
        name = &clean(&choice.name()),
        steps = choice.steps.len(),
        step = &best.scope,
        load = &load(cx, best.load, best.is_users),
        rate = Arg::PerSecond(best.rate_per_s.unwrap_or(0.0))
    )
}

/// Which it is.
fn lead(cx: &Context<'_>, choice: &HealthiestResult) -> String {
    match choice.best() {
        Some(best) => is(cx, choice, best),
        None => say!(cx.m, "healthiest-none", name = &clean(&choice.name()), steps = choice.steps.len()),
    }
}

/// Its figures, and how sure it is.
fn figures(cx: &Context<'_>, best: &HealthStep) -> String {
    let shown = |arg: Option<Arg>| arg.map_or_else(|| say!(cx.m, "healthiest-unknown"), |arg| cx.m.numbers.arg(&arg));
    let figures = say!(
        cx.m,
        "healthiest-figures",
        failed = &shown(best.failed_share.map(Arg::Share)),
        p95 = &shown(best.p95_ms.map(Arg::Milliseconds)),
        processor = &shown(best.processor.as_ref().map(|used| Arg::Share(used.share)))
    );
    let sure = if best.repetitions < 2 {
        say!(cx.m, "healthiest-once")
    } else {
        say!(
            cx.m,
            "healthiest-sure",
            passed = u64::from(best.passed),
            confidence = Arg::Share(limits::SURE).given(),
            share = Arg::Share(best.passes_at_least)
        )
    };
    format!("{figures} {sure}")
}

fn table(cx: &Context<'_>, choice: &HealthiestResult, number: usize) -> Table {
    let column = |title: String| Column { title, unit: String::new(), is_number: true };
    let rate = choice.by.as_ref().map_or_else(|| say!(cx.m, "col-throughput"), |by| clean(by));
    let row = |(place, step): (usize, &HealthStep)| {
        let why = match choice.best == Some(place) {
            true => say!(cx.m, "healthiest-best"),
            false => step.lost.iter().map(|lost| why(cx, step, lost)).collect::<Vec<_>>().join("; "),
        };
        Row::new(vec![
            Cell::code(&step.scope),
            Cell::number(load(cx, step.load, step.is_users), step.load),
            rate_cell(cx, step),
            share(cx, step.failed_share),
            processor(cx, step),
            Cell::text(say!(
                cx.m,
                "healthiest-passed",
                passed = u64::from(step.passed),
                all = u64::from(step.repetitions)
            )),
            Cell::text(why),
        ])
    };
    Table {
        name: format!("capacity-healthiest-{number}"),
        caption: say!(cx.m, "table-healthiest", name = &clean(&choice.name())),
        columns: vec![
            Column::text(say!(cx.m, "col-where")),
            column(say!(cx.m, "col-tried")),
            Column::number(rate, "/s"),
            column(say!(cx.m, "col-failed")),
            column(say!(cx.m, "healthiest-col-processor")),
            Column::text(say!(cx.m, "healthiest-col-passed")),
            Column::text(say!(cx.m, "healthiest-col-why")),
        ],
        rows: choice.steps.iter().enumerate().map(row).collect(),
        notes: vec![say!(cx.m, "note-healthiest")],
    }
}

fn rate_cell(cx: &Context<'_>, step: &HealthStep) -> Cell {
    let Some(rate) = step.rate_per_s else { return Cell::missing() };
    let cell = Cell::number(cx.m.numbers.value(rate), rate);
    match step.rate_interval {
        Some((low, high)) => {
            let text = format!("{} – {}", cx.m.numbers.value(low), cx.m.numbers.value(high));
            cell.with_detail_of(Detail::Interval(low, high), text)
        }
        None => cell,
    }
}

fn share(cx: &Context<'_>, share: Option<f64>) -> Cell {
    share.map_or_else(Cell::missing, |share| Cell::number(cx.m.numbers.arg(&Arg::Share(share)), share))
}

fn processor(cx: &Context<'_>, step: &HealthStep) -> Cell {
    let Some(used) = &step.processor else { return Cell::missing() };
    share(cx, Some(used.share)).with_detail(clean(&format!("{} {}", used.metric, used.instance)))
}

/// A reason in plain words, with the repetitions of which it is so where it is not so of all.
fn why(cx: &Context<'_>, step: &HealthStep, lost: &Lost) -> String {
    let mut args = lost.reason.args.clone();
    if let Some(Arg::Text(code)) = args.get("sign") {
        let name = Arg::Text(cx.sign_name(code));
        args.insert("sign".to_owned(), name);
    }
    let said = cx.m.judged("healthiest-lost", &args, &[("reason", lost.reason.code.as_str())]);
    let said = said.unwrap_or_else(|| clean(&lost.reason.code.replace('_', " ")));
    let (count, all) = (lost.repetitions.len(), step.repetitions as usize);
    if count >= all { said } else { say!(cx.m, "healthiest-lost-in", why = &said, count = count, all = all) }
}
