//! NOT-MET: a limit that the report sets itself, a figure of its own beyond it, and a conclusion that praises.

use super::demands::{Demands, Limit, demands, is_plain};
use crate::columns::{Role, has_word};
use crate::finding::{Finding, Weight, quote, time};
use crate::model::{Kind, Row};
use crate::quantity::{Quantity, Unit};
use crate::seen::{Input, Seen, Sentence, words};

/// Most figures that are held against the conditions of limits.
const BEYOND_MAX: usize = 20_000;

/// Seconds of one of a column's times, where a table of terms says so: `Gem | mean of the times (milliseconds)`.
pub(super) fn unit_of(seen: &Input<'_>, heading: &str) -> Option<f64> {
    let heading = heading.trim().to_lowercase();
    let tables = seen.document.blocks.iter().filter_map(|block| match &block.kind {
        Kind::Table(table) => Some(table),
        _ => None,
    });
    tables.flat_map(|table| &table.rows).find_map(|row| {
        let (term, text) = (row.cells.first()?, row.cells.get(1)?.to_lowercase());
        let is_it = term.trim().to_lowercase() == heading && text.split_whitespace().count() >= 3;
        let unit = if text.contains("milli") || text.contains("(ms)") {
            Some(1e-3)
        } else if text.contains("second") || text.contains("sekund") {
            Some(1.0)
        } else {
            None
        };
        unit.filter(|_| is_it)
    })
}

/// A sentence of a conclusion that says all is well.
fn praise<'a>(seen: &'a Input<'_>) -> Option<&'a Sentence> {
    const WELL: [&str; 16] = [
        "uitstekend",
        "excellent",
        "meets the requirements",
        "meets all",
        "met all",
        "within the requirements",
        "well within",
        "overholdt",
        "inden for performance",
        "voldoet aan",
        "satisfies",
        "requirements are met",
        "requirements were met",
        "ruimschoots",
        "performs well",
        "outstanding",
    ];
    const BUT: [&str; 10] =
        ["not", "niet", "ikke", "except", "overschreden", "exceeded", "behalve", "undtagen", "unless", "failed"];
    seen.sentences.iter().find(|sentence| {
        seen.is_conclusion(sentence.block)
            && WELL.iter().any(|word| sentence.lower.contains(word))
            && !has_word(&sentence.lower, &BUT)
    })
}

/// A figure of a table that a limit can be held against.
struct Told<'a> {
    table: &'a Seen<'a>,
    row: &'a Row,
    at: usize,
    seconds: f64,
    /// Seconds that one of its row's times is.
    scale: f64,
}

/// The figures of one share of the calls, or the means of all, greatest first.
fn told<'a>(seen: &'a Input<'_>, share: Option<f64>) -> Vec<Told<'a>> {
    let mut all = Vec::new();
    for table in seen.tables.iter().filter(|table| !is_of_another_time(seen, table)) {
        let view = &table.view;
        // Without a share all calls are meant, so that a mean beyond it is enough.
        let column = match share {
            None => view.only(Role::Mean),
            Some(share) => view
                .of(|role| matches!(role, Role::Percentile(other) if (other - share).abs() < 1e-6))
                .into_iter()
                .next(),
        };
        let Some(at) = column.filter(|at| !has_word(&view.columns[*at].heading.to_lowercase(), &EARLIER)) else {
            continue;
        };
        let unit = view.columns[at].unit.or_else(|| unit_of(seen, &view.columns[at].heading));
        for row in &view.rows {
            let figure = view.figure(row, at, seen.decimals).filter(|figure| figure.readings.len() == 1);
            let Some(figure) = figure else { continue };
            if let Some(scale) = if figure.unit.is_some() { Some(1.0) } else { unit } {
                all.push(Told { table, row, at, seconds: scale * figure.value(), scale });
            }
        }
    }
    all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    all
}

/// Words for a state of the system that no conclusion is about: before a change, or under more load than is required.
const EARLIER: [&str; 14] = [
    "before",
    "previous",
    "previously",
    "earlier",
    "old",
    "initial",
    "original",
    "untuned",
    "baseline",
    "stress",
    "overload",
    "før",
    "oude",
    "gamle",
];

/// Whether a table's heading, or the words right above it, say that it is of another state of the system.
fn is_of_another_time(seen: &Input<'_>, table: &Seen<'_>) -> bool {
    let is = |text: &str| has_word(&text.to_lowercase(), &EARLIER);
    table.at.path.iter().any(|heading| is(heading)) || is(caption(seen, table))
}

/// The words right above a table that lead to it.
fn caption<'a>(seen: &'a Input<'_>, table: &Seen<'_>) -> &'a str {
    let above = table.block.checked_sub(1).map(|block| &seen.document.blocks[block]);
    let text = above.filter(|block| block.kind == Kind::Text).map_or("", |block| block.text.trim());
    if text.ends_with(':') { text } else { "" }
}

/// Words for times that no call takes.
const NOT_CALLS: [&str; 23] = [
    "gc",
    "garbage",
    "pause",
    "pauses",
    "lag",
    "startup",
    "boot",
    "jitter",
    "fsync",
    "wal",
    "handshake",
    "dns",
    "blocked",
    "queue",
    "queueing",
    "queued",
    "replication",
    "failover",
    "recovery",
    "cold",
    "warmup",
    "build",
    "think",
];

/// Whether a figure is of something else than calls, of which the limit says nothing.
fn is_of_no_call(seen: &Input<'_>, told: &Told<'_>, sentence: &Sentence) -> bool {
    let view = &told.table.view;
    let cells = told.row.cells.iter().take(2);
    let labels = told.table.at.path.last().into_iter().chain(cells).chain([&view.columns[told.at].heading]);
    let labels = labels.map(String::as_str).chain([caption(seen, told.table)]);
    let is_other = |word: String| NOT_CALLS.contains(&word.as_str()) && !has_word(&sentence.lower, &[word.as_str()]);
    labels.flat_map(words).any(is_other)
}

/// The words of a row's cells that say what it is of.
fn names(row: &Row) -> impl Iterator<Item = String> + '_ {
    row.cells.iter().take(2).flat_map(|cell| words(cell)).filter(|word| {
        word.chars().count() >= 3 && word.chars().all(char::is_alphabetic) && !["the", "all", "mean"].contains(&&**word)
    })
}

/// Whether two words are one but for an ending: `searches` is `search`.
fn is_same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    short.len() >= 3 && long.starts_with(short) && long.len() - short.len() <= 3
}

/// Whether a sentence names a row.
fn is_named(sentence: &Sentence, row: &Row) -> bool {
    let own: Vec<String> = words(&sentence.text).collect();
    names(row).any(|name| own.iter().any(|word| is_same(word, &name)))
}

/// Whether a limit that names what it is for, and no time of calls, is for a figure: each of its words names the row, the
/// column or the table, and the row and the column have no other name.
fn is_of_subject(subject: &[String], told: &Told<'_>) -> bool {
    let column = &told.table.view.columns[told.at];
    let is_asked = |name: &String| subject.iter().any(|word| is_same(word, name));
    let is_of_other_time = words(&column.stem).any(|word| {
        !is_plain(&word)
            && !["elapsed", "us", "µs", "μs", "responstijd", "svartid"].contains(&&*word)
            && !is_asked(&word)
    });
    // The first cell with a name that is not that of a method or of all calls.
    let label = told.row.cells.iter().take(2).map(|cell| {
        words(cell).filter(|word| word.chars().any(char::is_alphabetic) && !is_plain(word)).collect::<Vec<_>>()
    });
    let label = label.into_iter().find(|label| !label.is_empty()).unwrap_or_default();
    let heading = told.table.at.path.last().map_or("", String::as_str);
    let is_known = |word: &String| {
        label.iter().cloned().chain(words(&column.heading)).chain(words(heading)).any(|name| is_same(word, &name))
    };
    let is_of_label = subject.is_empty() || !label.iter().any(&is_asked) || label.iter().all(is_asked);
    !is_of_other_time && is_of_label && subject.iter().all(is_known)
}

/// The load that a sentence says its words are for: so many users, so much a second.
fn loads(sentence: &Sentence) -> (Option<f64>, Option<f64>) {
    const USERS: [&str; 8] = ["users", "user", "vus", "clients", "threads", "connections", "gebruikers", "brugere"];
    let is_of_users = |unit: &Unit| match unit {
        Unit::Count(noun) => noun.split(' ').any(|word| USERS.contains(&word)),
        _ => false,
    };
    let first = |is: &dyn Fn(&Quantity) -> bool| sentence.quantities.iter().find(|one| is(one)).map(Quantity::value);
    (first(&|one| is_of_users(&one.unit)), first(&Quantity::is_rate))
}

/// Whether a row was measured under the load that a sentence names, as far as the table says.
fn is_under_load(seen: &Input<'_>, told: &Told<'_>, sentence: &Sentence) -> bool {
    let view = &told.table.view;
    let (users, rate) = loads(sentence);
    let fits = |role: Role, stated: Option<f64>, off: f64| {
        let of_row = view.only(role).and_then(|at| view.figure(told.row, at, seen.decimals));
        match (of_row, stated) {
            (Some(row), Some(stated)) => (row.value() / stated - 1.0).abs() <= off,
            _ => true,
        }
    };
    // A heading may have the users: `Test with 500 users`.
    let of_heading = || {
        let heading = told.table.at.path.last()?;
        let all = crate::quantity::quantities(heading, seen.decimals);
        let count = all.into_iter().find(|one| matches!(&one.unit, Unit::Count(noun) if noun.contains("user")))?;
        Some(count.value())
    };
    let is_of_heading = users.is_none_or(|users| of_heading().is_none_or(|other| other == users));
    fits(Role::Users, users, 0.01) && fits(Role::Throughput, rate, 0.1) && is_of_heading
}

/// Whether a limit is for a row: one that names some operations is for their rows alone, and a row that has a limit of its
/// own needs no other.
fn is_for(seen: &Input<'_>, demands: &Demands<'_>, at: usize, told: &Told<'_>) -> bool {
    let (limits, limit) = (&demands.limits, &demands.limits[at]);
    let is_of_subject = limit.subject.as_ref().is_none_or(|subject| is_of_subject(subject, told));
    if !is_of_subject || is_of_no_call(seen, told, limit.sentence) || !is_under_load(seen, told, limit.sentence) {
        return false;
    }
    if is_named(limit.sentence, told.row) {
        return true;
    }
    let names_another = told.table.view.rows.iter().take(200).any(|row| is_named(limit.sentence, row));
    let has_own = limits
        .iter()
        .enumerate()
        .any(|(other, own)| other != at && own.share == limit.share && is_named(own.sentence, told.row));
    // One that is not read, or leave to exceed it, may be its own.
    let is_unclear = || demands.others.iter().any(|own| is_named(own, told.row));
    !names_another && !has_own && !is_unclear()
}

/// NOT-MET: a table's mean or percentile beyond the report's own limit, while its conclusion praises.
pub(super) fn requirement(seen: &Input<'_>, found: &mut Vec<Finding>) {
    let Some(praise) = praise(seen) else { return };
    let demands = demands(seen);
    // Limits that nothing is held against: the reader has to do it.
    seen.leave_out(demands.left_out);
    let mut tables: Vec<(Option<f64>, Vec<Told<'_>>)> = Vec::new();
    let mut looked = 0;
    for (at, limit) in demands.limits.iter().enumerate() {
        let known = tables.iter().position(|(share, _)| *share == limit.share).unwrap_or_else(|| {
            tables.push((limit.share, told(seen, limit.share)));
            tables.len() - 1
        });
        // Greatest first, so that those beyond the limit come before those that keep it.
        let mut is_held = false;
        for told in &tables[known].1 {
            let is_beyond = told.seconds > limit.seconds;
            if found.len() >= crate::FINDINGS_MAX {
                return;
            }
            // One that keeps the limit is enough to show that there are figures for it.
            if !is_beyond && is_held {
                break;
            }
            looked += 1;
            if looked > BEYOND_MAX {
                // A limit that was not held against all that is beyond it.
                is_held = false;
                break;
            }
            if is_for(seen, &demands, at, told) {
                is_held = true;
                // What is praised may be one load of several.
                if is_beyond && is_under_load(seen, told, praise) {
                    found.push(beyond(seen, limit, told, praise));
                }
            }
        }
        seen.leave_out(usize::from(!is_held));
    }
}

/// The finding of a figure beyond a limit, with the row's higher percentiles.
fn beyond(seen: &Input<'_>, limit: &Limit<'_>, told: &Told<'_>, praise: &Sentence) -> Finding {
    let Told { table, row, at, seconds, scale } = told;
    let view = &table.view;
    let more = view.of(|role| matches!(role, Role::Percentile(_) | Role::Max)).into_iter().filter_map(|at| {
        let value = view.figure(row, at, seen.decimals)?;
        let scale = if value.unit.is_some() { 1.0 } else { *scale };
        Some(format!("{} {}", view.columns[at].heading, time(scale * value.value())))
    });
    Finding {
        code: "NOT-MET",
        weight: Weight::Contradiction,
        says: "a figure is beyond the report's own limit, and the conclusion praises".to_owned(),
        arithmetic: format!(
            "{} {} > {}{}",
            view.columns[*at].heading,
            time(*seconds),
            time(limit.seconds),
            more.map(|text| format!("; {text}")).collect::<String>()
        ),
        remedy: "the verdict on this requirement is “not met”, whatever else went well".to_owned(),
        quotes: vec![
            quote(&table.place(row), &view.shown(row)),
            quote(&limit.sentence.place, &limit.sentence.text),
            quote(&praise.place, &praise.text),
        ],
    }
}
