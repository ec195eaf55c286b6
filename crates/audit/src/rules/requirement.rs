//! NOT-MET: a limit that the report sets itself, a figure of its own beyond it, and a conclusion that praises.

use crate::columns::{Role, has_word};
use crate::finding::{Finding, Weight, quote, time};
use crate::model::Kind;
use crate::quantity::{Quantity, Unit};
use crate::seen::{Input, Sentence};

/// A limit on times.
struct Limit<'a> {
    sentence: &'a Sentence,
    seconds: f64,
    /// The share of calls it is for; all of them without.
    share: Option<f64>,
}

/// Limits that sentences set: `response time must be less than 2 s`, `under 6,5 sekund for 95 %`.
fn limits<'a>(seen: &'a Input<'_>) -> Vec<Limit<'a>> {
    const MUST: [&str; 15] = [
        "must",
        "shall",
        "should",
        "moet",
        "moeten",
        "dient",
        "skal",
        "required",
        "requirement",
        "requirements",
        "eis",
        "eisen",
        "krav",
        "kravene",
        "sla",
    ];
    const BELOW: [&str; 15] = [
        "less than",
        "below",
        "under ",
        "within",
        "at most",
        "no more than",
        "not exceed",
        "minder dan",
        "kleiner dan",
        "onder ",
        "binnen ",
        "maximaal",
        "mindre end",
        "højst",
        "<",
    ];
    const TIMES: [&str; 8] = [
        "response time",
        "responsetijd",
        "responstijd",
        "svartid",
        "latency",
        "response times",
        "reactietijd",
        "antwoordtijd",
    ];
    let limit = |sentence: &'a Sentence| {
        let is_limit = has_word(&sentence.lower, &MUST)
            && BELOW.iter().any(|word| sentence.lower.contains(word))
            && TIMES.iter().any(|word| sentence.lower.contains(word));
        let mut times = sentence.quantities.iter().filter(|quantity| quantity.is_time() && quantity.is_sure());
        let first = times.next().filter(|_| is_limit)?;
        let shares: Vec<f64> =
            sentence.quantities.iter().filter(|one| one.unit == Unit::Percent).map(Quantity::value).collect();
        let share = match shares[..] {
            [] => None,
            [one] if (50.0..100.0).contains(&one) => Some(one / 100.0),
            _ => return None,
        };
        times.next().is_none().then_some(Limit { sentence, seconds: first.value(), share })
    };
    seen.sentences.iter().filter_map(limit).collect()
}

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

/// NOT-MET: a table's mean or percentile beyond the report's own limit, while its conclusion praises.
pub(super) fn requirement(seen: &Input<'_>, found: &mut Vec<Finding>) {
    let Some(praise) = praise(seen) else { return };
    for limit in limits(seen) {
        for table in &seen.tables {
            let view = &table.view;
            // Without a share all calls are meant, so that a mean beyond it is enough.
            let column = match limit.share {
                None => view.only(Role::Mean),
                Some(share) => view
                    .of(|role| matches!(role, Role::Percentile(other) if (other - share).abs() < 1e-6))
                    .into_iter()
                    .next(),
            };
            let Some(at) = column else { continue };
            let unit = view.columns[at].unit.or_else(|| unit_of(seen, &view.columns[at].heading));
            for row in &view.rows {
                let Some(figure) = view.figure(row, at, seen.decimals).filter(|figure| figure.readings.len() == 1)
                else {
                    continue;
                };
                let scale = if figure.unit.is_some() { Some(1.0) } else { unit };
                let Some(seconds) = scale.map(|scale| scale * figure.value()) else { continue };
                if seconds <= limit.seconds {
                    continue;
                }
                let more =
                    view.of(|role| matches!(role, Role::Percentile(_) | Role::Max)).into_iter().filter_map(|at| {
                        let value = view.figure(row, at, seen.decimals)?;
                        let scale = if value.unit.is_some() { 1.0 } else { scale? };
                        Some(format!("{} {}", view.columns[at].heading, time(scale * value.value())))
                    });
                found.push(Finding {
                    code: "NOT-MET",
                    weight: Weight::Contradiction,
                    says: "a figure is beyond the report's own limit, and the conclusion praises".to_owned(),
                    arithmetic: format!(
                        "{} {} > {}{}",
                        view.columns[at].heading,
                        time(seconds),
                        time(limit.seconds),
                        more.map(|text| format!("; {text}")).collect::<String>()
                    ),
                    remedy: "the verdict on this requirement is “not met”, whatever else went well".to_owned(),
                    quotes: vec![
                        quote(&table.place(row), &view.shown(row)),
                        quote(&limit.sentence.place, &limit.sentence.text),
                        quote(&praise.place, &praise.text),
                    ],
                });
            }
        }
    }
}
