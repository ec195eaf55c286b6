//! Capacity: where the limit lies, which step is the healthiest, what limited each scenario, and what the measured rates
//! make in a year.

use super::capacity_words::{load, sentence};
use super::{capacity_figures, healthiest};
use crate::big_numbers::in_words;
use crate::document::{Block, Cell, CellKind, Column, Detail, NoteKind, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use judge::bottleneck::{Ladder, ResourceUse, Rung, RungResult, Signal};
use judge::capacity::{CapacityLine, RatioResult, VolumeResult};
use judge::levels::Level;
use judge::{Arg, Reason};
use terms::Validity;

/// Words of size are beside the digits from here on; below a million the digits are read at once.
const PLACES: usize = 2;

/// The chapter; `None` where nothing was under load and nothing is to be computed. Where a profile names parts of it, those
/// alone.
pub(crate) fn capacity(cx: &Context<'_>) -> Option<Section> {
    let judgement = cx.input.judgement;
    let result = &judgement.capacity;
    let has_none = result.volumes.is_empty() && result.ratios.is_empty() && result.healthiest.is_empty();
    if judgement.ladders.is_empty() && result.lines.is_empty() && has_none {
        return None;
    }
    let mut section = Section::new("capacity", say!(cx.m, "capacity-title"));
    let of_parts =
        cx.profile.chosen().find(|choice| choice.name == "capacity").filter(|choice| !choice.parts.is_empty());
    if let Some(choice) = of_parts {
        let named = |name: &str| choice.parts.iter().any(|part| part == name);
        section.parts.extend(healthiest::part(cx).filter(|_| named("healthiest")));
        section.parts.extend(ladders(cx).filter(|_| named("limits")));
        section.parts.extend(volumes(cx).filter(|_| named("volumes")));
        return (!section.parts.is_empty()).then_some(section);
    }
    section.say(say!(cx.m, "capacity-intro"));
    for (number, line) in result.lines.iter().enumerate() {
        section.say(sentence(cx, line));
        let extra = annotations(cx, line);
        if !extra.is_empty() {
            section.say(extra);
        }
        if line.family.levels.len() > 1 {
            section.add(Block::Table(levels(cx, line, number)));
        }
        section.blocks.extend(capacity_figures::curve(cx, line, number).map(Block::Figure));
    }
    section.parts.extend(healthiest::part(cx));
    section.parts.extend(ladders(cx));
    section.parts.extend(volumes(cx));
    Some(section)
}

/// What annotates the curve and decides nothing.
fn annotations(cx: &Context<'_>, line: &CapacityLine) -> String {
    let mut sentences = Vec::new();
    if let Some(law) = &line.law {
        let peak = law.load_at_peak().unwrap_or(0.0);
        sentences.push(say!(
            cx.m,
            "capacity-law",
            sigma = Arg::Number(law.sigma),
            kappa = Arg::Number(law.kappa),
            peak = Arg::Number(peak)
        ));
    }
    if let Some(knee) = line.knee {
        sentences.push(say!(cx.m, "capacity-knee", load = &load(cx, knee, true)));
    }
    sentences.join(" ")
}

fn levels(cx: &Context<'_>, line: &CapacityLine, number: usize) -> Table {
    let row = |level: &Level| {
        let held = match level.held {
            Some(true) => say!(cx.m, "held-yes"),
            Some(false) => say!(cx.m, "held-no"),
            None => say!(cx.m, "held-unknown"),
        };
        let time =
            level.time_ms.map_or_else(Cell::missing, |ms| Cell::number(cx.m.numbers.arg(&Arg::Milliseconds(ms)), ms));
        Row::new(vec![
            Cell::code(&level.scope),
            Cell::number(load(cx, level.load, line.family.is_users), level.load),
            Cell::number(cx.m.numbers.value(level.throughput_per_s), level.throughput_per_s),
            time,
            Cell::number(cx.m.numbers.arg(&Arg::Share(level.failed_share)), level.failed_share),
            Cell::text(held),
        ])
    };
    Table {
        name: format!("capacity-levels-{number}"),
        caption: say!(cx.m, "table-levels", scenarios = &line.family.name()),
        columns: vec![
            Column::text(say!(cx.m, "col-where")),
            Column { title: say!(cx.m, "col-tried"), unit: String::new(), is_number: true },
            Column::number(say!(cx.m, "col-throughput"), "/s"),
            Column { title: say!(cx.m, "col-iteration-time"), unit: String::new(), is_number: true },
            Column { title: say!(cx.m, "col-failed"), unit: String::new(), is_number: true },
            Column::text(say!(cx.m, "col-held")),
        ],
        rows: line.family.levels.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-levels")],
    }
}

/// What limited each scenario.
fn ladders(cx: &Context<'_>) -> Option<Section> {
    let ladders = &cx.input.judgement.ladders;
    if ladders.is_empty() {
        return None;
    }
    let mut part = Section::new("capacity-limits", say!(cx.m, "ladder-title"));
    part.say(say!(cx.m, "ladder-intro"));
    part.add(Block::Points(ladders.iter().map(|ladder| observed(cx, ladder)).collect()));
    part.add(Block::raw(rungs(cx, ladders)));
    if ladders.iter().any(|ladder| !ladder.resources.is_empty()) {
        part.add(Block::raw(resources(cx, ladders)));
    } else {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "ladder-no-resources") });
    }
    Some(part)
}

fn rung_name(cx: &Context<'_>, rung: &RungResult) -> String {
    say!(cx.m, "ladder-rung", rung = rung.rung.name())
}

/// What limited a scenario at its highest load, or that nothing was observed to.
pub(super) fn observed(cx: &Context<'_>, ladder: &Ladder) -> String {
    let load = load(cx, ladder.load, ladder.is_users);
    // Of a disturbed measurement only the generator's own limits say anything.
    let is_invalid = |step: &judge::StepResult| step.scope == ladder.scope && step.validity == Some(Validity::Invalid);
    let is_disturbed = cx.input.judgement.steps.iter().any(is_invalid);
    if is_disturbed && ladder.observed().is_none_or(|rung| rung.rung != Rung::Generator) {
        return say!(cx.m, "ladder-invalid", scope = &ladder.scope, load = &load);
    }
    let Some(rung) = ladder.observed() else {
        return say!(cx.m, "ladder-none", scope = &ladder.scope, load = &load);
    };
    let signals = in_short(cx, &rung.signals);
    say!(
        cx.m,
        "ladder-observed",
        scope = &ladder.scope,
        load = &load,
        rung = &rung_name(cx, rung),
        state = rung.state.name(),
        signals = &signals.join("; ")
    )
}

/// Signals in words; of one metric that was seen in several instances the first, and in how many more. The table has all.
fn in_short(cx: &Context<'_>, signals: &[Signal]) -> Vec<String> {
    let mut kinds: Vec<(&Signal, usize)> = Vec::new();
    for signal in signals {
        let metric = signal.args.get("metric");
        let is_same = |first: &Signal| first.code == signal.code && first.args.get("metric") == metric;
        match kinds.iter_mut().find(|(first, _)| metric.is_some() && is_same(first)) {
            Some((_, others)) => *others += 1,
            None => kinds.push((signal, 0)),
        }
    }
    let words = |(signal, others): (&Signal, usize)| match others {
        0 => signal_words(cx, signal),
        others => say!(cx.m, "ladder-others", signal = &signal_words(cx, signal), others = others),
    };
    kinds.into_iter().map(words).collect()
}

fn signal_words(cx: &Context<'_>, signal: &Signal) -> String {
    let name = match signal.args.get("sign") {
        Some(Arg::Text(code)) => cx.sign_name(code),
        _ => String::new(),
    };
    let mut args = signal.args.clone();
    if !name.is_empty() {
        args.insert("sign".to_owned(), Arg::Text(name));
    }
    let said = cx.m.judged("ladder-signal", &args, &[("signal", signal.code.as_str())]);
    said.unwrap_or_else(|| crate::number::clean(&signal.code.replace('_', " ")))
}

fn rungs(cx: &Context<'_>, ladders: &[Ladder]) -> Table {
    let mut rows = Vec::new();
    for ladder in ladders {
        for rung in &ladder.rungs {
            let signals: Vec<String> = rung.signals.iter().map(|signal| signal_words(cx, signal)).collect();
            let evidence = if signals.is_empty() { Cell::missing() } else { Cell::text(signals.join("; ")) };
            rows.push(Row::new(vec![
                Cell::code(&ladder.scope),
                Cell::text(rung_name(cx, rung)),
                Cell::text(say!(cx.m, "ladder-state", state = rung.state.name())),
                evidence,
            ]));
        }
    }
    Table {
        name: "capacity-ladder".to_owned(),
        caption: say!(cx.m, "table-ladder"),
        columns: vec![
            Column::text(say!(cx.m, "col-where")),
            Column::text(say!(cx.m, "col-rung")),
            Column::text(say!(cx.m, "col-state")),
            Column::text(say!(cx.m, "col-evidence")),
        ],
        rows,
        notes: vec![say!(cx.m, "note-ladder")],
    }
}

fn resources(cx: &Context<'_>, ladders: &[Ladder]) -> Table {
    let row = |ladder: &Ladder, one: &ResourceUse| {
        let share = |value: f64| Cell::number(cx.m.numbers.arg(&Arg::Share(value)), value);
        let demand = one
            .demand_s
            .map_or_else(Cell::missing, |seconds| Cell::number(cx.m.numbers.arg(&Arg::Seconds(seconds)), seconds));
        let limit = one.throughput_at_limit.map_or_else(Cell::missing, |rate| {
            let cell = Cell::number(cx.m.numbers.arg(&Arg::PerSecond(rate)), rate);
            if one.is_idle_included { cell.with_detail(say!(cx.m, "resource-one-load")) } else { cell }
        });
        Row::new(vec![
            Cell::code(&ladder.scope),
            Cell::code(format!("{} {}", one.metric, one.instance)),
            share(one.utilisation),
            share(one.peak),
            demand,
            limit,
        ])
    };
    let number = |title: String| Column { title, unit: String::new(), is_number: true };
    Table {
        name: "capacity-resources".to_owned(),
        caption: say!(cx.m, "table-resources"),
        columns: vec![
            Column::text(say!(cx.m, "col-where")),
            Column::text(say!(cx.m, "col-resource")),
            number(say!(cx.m, "col-mean")),
            number(say!(cx.m, "col-max")),
            number(say!(cx.m, "col-use-demand")),
            number(say!(cx.m, "col-at-limit")),
        ],
        rows: ladders.iter().flat_map(|ladder| ladder.resources.iter().map(move |one| row(ladder, one))).collect(),
        notes: vec![say!(cx.m, "note-resources")],
    }
}

/// Volumes and ratios, each as the expression that was computed.
fn volumes(cx: &Context<'_>) -> Option<Section> {
    let result = &cx.input.judgement.capacity;
    if result.volumes.is_empty() && result.ratios.is_empty() {
        return None;
    }
    let mut part = Section::new("capacity-volumes", say!(cx.m, "volumes-title"));
    part.say(say!(cx.m, "volumes-intro"));
    if !result.volumes.is_empty() {
        part.add(Block::Table(volume_table(cx, &result.volumes)));
    }
    if !result.ratios.is_empty() {
        part.add(Block::Table(ratio_table(cx, &result.ratios)));
    }
    Some(part)
}

fn refusal(cx: &Context<'_>, reason: &Reason) -> String {
    let mut args = reason.args.clone();
    if let Some(Arg::Text(code)) = args.get("sign") {
        let name = Arg::Text(cx.sign_name(code));
        args.insert("sign".to_owned(), name);
    }
    let said = cx.m.judged("capacity-refused", &args, &[("reason", reason.code.as_str())]);
    said.unwrap_or_else(|| crate::number::clean(&reason.code.replace('_', " ")))
}

/// `103.9/s × 3600 s/h × 24 h × 7 d ÷ 1.5`
fn expression(cx: &Context<'_>, volume: &VolumeResult) -> String {
    let Some(rate) = volume.rate_per_s else { return String::new() };
    let plain = |value: f64| cx.m.numbers.trim(&cx.m.numbers.fixed(value, 6));
    let mut text = format!("{}/s × 3600 s/h × {} h × {} d", plain(rate), plain(volume.hours), plain(volume.days));
    if volume.peak_factor > 1.0 {
        text.push_str(&format!(" ÷ {}", plain(volume.peak_factor)));
    }
    text
}

/// Digits in full, and the word of this language beside them: a billion is not a billion everywhere.
fn big(cx: &Context<'_>, value: f64) -> String {
    let digits = cx.m.numbers.count(value.round());
    match in_words(value, cx.m.language) {
        Some((part, word)) => format!("{digits} ({} {word})", cx.m.numbers.trim(&cx.m.numbers.fixed(part, PLACES))),
        None => digits,
    }
}

/// The volumes that could be computed, a sentence each: they are what a summary of such a study is read for.
pub(super) fn volume_lines(cx: &Context<'_>) -> Vec<String> {
    let told = cx.input.judgement.capacity.volumes.iter().filter(|volume| volume.refused.is_none());
    let line = |volume: &VolumeResult| {
        let (name, shown) = (crate::number::clean(&volume.name.replace('_', " ")), big(cx, volume.value?));
        Some(say!(cx.m, "summary-volume", name = &name, volume = &shown, expression = &expression(cx, volume)))
    };
    told.filter_map(line).collect()
}

fn volume_table(cx: &Context<'_>, volumes: &[VolumeResult]) -> Table {
    let row = |volume: &VolumeResult| {
        let value = match (volume.value, &volume.refused) {
            (Some(value), None) => {
                let mut cell = Cell::number(big(cx, value), value);
                if let Some((low, high)) = volume.interval {
                    let numbers = cx.m.numbers;
                    let text = format!("{} – {}", numbers.count(low.round()), numbers.count(high.round()));
                    cell = cell.with_detail_of(Detail::Interval(low, high), text);
                }
                cell
            }
            _ => Cell { kind: CellKind::Missing, ..Cell::text(say!(cx.m, "volume-refused")) },
        };
        let remark = match &volume.refused {
            Some(reason) => refusal(cx, reason),
            None if volume.is_upper_bound => say!(cx.m, "volume-upper-bound"),
            None => say!(cx.m, "volume-as-stated"),
        };
        Row::new(vec![
            Cell::code(&volume.name),
            Cell::code(format!("{} [{}]", volume.formula, volume.scope)),
            Cell::text(expression(cx, volume)),
            value,
            Cell::text(remark),
        ])
    };
    Table {
        name: "capacity-volumes".to_owned(),
        caption: say!(cx.m, "table-volumes"),
        columns: vec![
            Column::text(say!(cx.m, "col-name")),
            Column::text(say!(cx.m, "col-rate")),
            Column::text(say!(cx.m, "col-expression")),
            Column { title: say!(cx.m, "col-volume"), unit: String::new(), is_number: true },
            Column::text(say!(cx.m, "col-remark")),
        ],
        rows: volumes.iter().map(row).collect(),
        // What it says is about volumes that there are.
        notes: volumes
            .iter()
            .any(|volume| volume.refused.is_none())
            .then(|| say!(cx.m, "note-volumes"))
            .into_iter()
            .collect(),
    }
}

fn ratio_table(cx: &Context<'_>, ratios: &[RatioResult]) -> Table {
    let row = |ratio: &RatioResult| {
        // A constant is its own value.
        let operand = |(text, value): &(String, judge::Arg)| match cx.m.numbers.given(value) {
            given if given == *text => given,
            _ => format!("{text} = {}", cx.m.numbers.arg(value)),
        };
        let operands: Vec<String> = ratio.operands.iter().map(operand).collect();
        let value = match (&ratio.value, &ratio.refused) {
            (Some(value), None) => Cell::text(cx.m.numbers.arg(value)),
            (_, Some(reason)) => Cell { kind: CellKind::Missing, ..Cell::text(refusal(cx, reason)) },
            _ => Cell::missing(),
        };
        Row::new(vec![
            Cell::code(&ratio.name),
            Cell::code(&ratio.formula),
            Cell::text(crate::number::clean(&operands.join("; "))),
            value,
        ])
    };
    Table {
        name: "capacity-ratios".to_owned(),
        caption: say!(cx.m, "table-ratios"),
        columns: vec![
            Column::text(say!(cx.m, "col-name")),
            Column::text(say!(cx.m, "col-expression")),
            Column::text(say!(cx.m, "col-operands")),
            Column { title: say!(cx.m, "col-value"), unit: String::new(), is_number: true },
        ],
        rows: ratios.iter().map(row).collect(),
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::messages::{LANGUAGES, Messages};
    use judge::{Arg, Args};

    fn said(m: &Messages, key: &str, kind: &str, code: &str, names: &[&str]) -> String {
        let args: Args = names.iter().map(|name| ((*name).to_owned(), Arg::Text(format!("<{name}>")))).collect();
        m.judged(key, &args, &[(kind, code)]).unwrap_or_else(|| panic!("`{key}` cannot say `{code}`"))
    }

    /// Each signal and each refusal has words of its own that name all its numbers.
    #[test]
    fn every_code_has_words_in_every_language() {
        for language in LANGUAGES {
            let m = Messages::of(language);
            for code in judge::catalogue::UNSEEN {
                let text = said(&m, "healthiest-unseen", "unseen", code, &[]);
                assert!(!text.contains('_') && text.ends_with('.'), "{language}: {code}: {text}");
            }
            for (key, kind, list) in [
                ("healthiest-lost", "reason", judge::catalogue::HEALTH),
                ("ladder-signal", "signal", judge::catalogue::LADDER),
                ("capacity-refused", "reason", judge::catalogue::REFUSALS),
            ] {
                for (code, names) in list {
                    let text = said(&m, key, kind, code, names);
                    assert_ne!(text, *code, "{language}");
                    for name in names.iter().filter(|name| !["kind", "state"].contains(name)) {
                        assert!(
                            text.contains(&format!("<{name}>")),
                            "{language}: `{code}` does not say {name}: {text}"
                        );
                    }
                }
            }
            for rung in judge::catalogue::RUNGS {
                assert!(!said(&m, "ladder-rung", "rung", rung, &[]).contains('_'), "{language}: {rung}");
            }
        }
    }
}
