//! What the attempts of a search say together: the scalability law or why it is not printed, the knee or why there is
//! none, and whether users, throughput and times agree at each attempt.

use super::capacity_words::load;
use super::watched::durations;
use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table};
use crate::input::Context;
use crate::iteration::iterations;
use crate::messages::say;
use judge::assess::{self, Little};
use judge::searches::curve::{Curve, InUse};
use judge::searches::{AttemptResult, SearchResult};
use judge::{Arg, Reason};

/// The part of a search's chapter.
pub(super) fn part(cx: &Context<'_>, search: &SearchResult, curve: &Curve, anchor: &str) -> Section {
    let mut part = Section::new(format!("{anchor}-curve"), say!(cx.m, "search-curve-title"));
    part.say(format!("{} {}", law(cx, curve), knee(cx, curve)));
    if !curve.little.is_empty() {
        part.say(agreement(cx, &curve.little));
        let logged = logged(cx, search);
        part.add(Block::Table(little(cx, &curve.little, &logged, &format!("{anchor}-little"))));
        part.add(Block::Note { kind: NoteKind::Reading, text: say!(cx.m, "search-little-reading") });
    }
    part
}

fn law(cx: &Context<'_>, curve: &Curve) -> String {
    match &curve.law {
        Ok(fit) => say!(
            cx.m,
            "capacity-law",
            sigma = Arg::Number(fit.sigma),
            kappa = Arg::Number(fit.kappa),
            peak = Arg::Number(fit.load_at_peak().unwrap_or(0.0))
        ),
        Err(reason) => why(cx, "search-law-refused", reason),
    }
}

fn knee(cx: &Context<'_>, curve: &Curve) -> String {
    match &curve.knee {
        Ok(knee) => say!(cx.m, "capacity-knee", load = &load(cx, *knee, true)),
        Err(reason) => why(cx, "search-knee-refused", reason),
    }
}

fn why(cx: &Context<'_>, key: &str, reason: &Reason) -> String {
    let said = cx.m.judged(key, &reason.args, &[("reason", reason.code.as_str())]);
    said.unwrap_or_else(|| reason.code.clone())
}

/// How far users and what was in flight are apart at the most.
fn agreement(cx: &Context<'_>, all: &[InUse]) -> String {
    let offs = all.iter().filter_map(|it| Some((it.attempt, it.off?)));
    let Some((attempt, off)) = offs.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())) else {
        return say!(cx.m, "search-little-none");
    };
    let (how, limit) = match assess::little(off.abs()) {
        Little::Close(limit) => ("close", limit),
        Little::Apart(limit) => ("apart", limit),
    };
    say!(
        cx.m,
        "search-little",
        how = how,
        off = Arg::Share(off.abs()),
        limit = Arg::Share(limit).given(),
        attempt = u64::from(attempt)
    )
}

/// Mean duration of a call in the servers' own log in each attempt of a search, milliseconds, by its number; of studies
/// whose iteration is one call that one monitor logs.
fn logged(cx: &Context<'_>, search: &SearchResult) -> Vec<(u32, f64)> {
    let watched = durations(cx);
    let [only] = watched.as_slice() else { return Vec::new() };
    let mean = |iteration: crate::iteration::Iteration<'_>| {
        let points = only.views.iter().flat_map(|view| &view.points);
        let held = points.filter(|(at, _)| iteration.holds(*at)).filter_map(|(_, value)| *value);
        let (count, sum) = held.fold((0u64, 0.0), |(count, sum), value| (count + 1, sum + value));
        let is_one_call = iteration.scenario.legs().len() == 1;
        // Attempts of an earlier run may have had the names of scenarios of this one.
        let is_it = |known: &&AttemptResult| known.run.is_none() && known.scenario == iteration.scenario.name;
        let attempt = search.attempts.iter().find(is_it).filter(|_| count > 0 && is_one_call)?;
        Some((attempt.number, sum * 1e3 / count as f64))
    };
    iterations(cx).into_iter().filter_map(mean).collect()
}

fn little(cx: &Context<'_>, all: &[InUse], logged: &[(u32, f64)], name: &str) -> Table {
    let m = &cx.m;
    let value = |value: f64| Cell::number(m.numbers.value(value), value);
    let row = |of: &InUse| {
        let server = logged.iter().find(|(number, _)| *number == of.attempt).map(|(_, mean)| *mean);
        let mut cells = vec![
            Cell::text(of.attempt.to_string()),
            Cell::number(m.numbers.count(of.users), of.users),
            value(of.throughput_per_s),
            value(of.each_s * 1e3),
            of.time_s.map_or_else(Cell::missing, |time| value(time * 1e3)),
            of.off.map_or_else(Cell::missing, |off| Cell::number(m.numbers.percentage(off), off * 100.0)),
        ];
        if !logged.is_empty() {
            cells.push(server.map_or_else(Cell::missing, value));
            cells.push(server.map_or_else(Cell::missing, |server| value(of.each_s * 1e3 - server)));
        }
        Row::new(cells)
    };
    let mut columns = vec![
        Column::text(say!(m, "search-col-iteration")),
        Column::number(say!(m, "search-col-users"), ""),
        Column::number(say!(m, "col-throughput"), "/s"),
        Column::number(say!(m, "search-little-col-each"), "ms"),
        Column::number(say!(m, "search-little-col-time"), "ms"),
        Column::number(say!(m, "search-little-col-off"), "%"),
    ];
    if !logged.is_empty() {
        columns.push(Column::number(say!(m, "search-little-col-log"), "ms"));
        columns.push(Column::number(say!(m, "search-little-col-rest"), "ms"));
    }
    Table {
        name: name.to_owned(),
        caption: say!(m, "table-search-little"),
        columns,
        rows: all.iter().map(row).collect(),
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::messages::{LANGUAGES, Messages};
    use judge::{Arg, Args};

    /// Each reason has words of its own that name its numbers, in every language.
    #[test]
    fn every_refusal_has_words_in_every_language() {
        for language in LANGUAGES {
            let m = Messages::of(language);
            let of = |key: &str, list: &[(&str, &[&str])]| {
                for (code, names) in list {
                    let args: Args =
                        names.iter().map(|name| ((*name).to_owned(), Arg::Text(format!("<{name}>")))).collect();
                    let text = m.judged(key, &args, &[("reason", code)]).unwrap_or_default();
                    assert!(text.ends_with('.'), "{language}: {key}, {code}: {text}");
                    for name in names.iter().filter(|name| **name != "loads") {
                        assert!(text.contains(&format!("<{name}>")), "{language}: {code} without {name}: {text}");
                    }
                }
            };
            of("search-law-refused", judge::catalogue::LAWS);
            of("search-knee-refused", judge::catalogue::KNEES);
            of("trend-refused", judge::catalogue::TRENDS);
        }
    }
}
