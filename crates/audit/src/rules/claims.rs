//! MAX, FINAL, REGIME: what sentences say of a table's figures: that one is the best, the final, or the system's own.

use crate::columns::{Figure, Role, has_word};
use crate::finding::{Finding, Weight, number, quote};
use crate::model::Row;
use crate::quantity::Quantity;
use crate::seen::{Input, Seen, Sentence};

/// A table of steps in order, with a rate for each.
pub(super) struct Steps<'a> {
    pub(super) table: &'a Seen<'a>,
    /// Row, number of the step, rate.
    pub(super) rows: Vec<(&'a Row, f64, Figure)>,
}

/// Tables whose rows are numbered steps of one load after another.
pub(super) fn steps<'a>(seen: &'a Input<'a>) -> Vec<Steps<'a>> {
    let of = |table: &'a Seen<'a>| {
        let view = &table.view;
        let (index, rate) = (view.only(Role::Index)?, view.only(Role::Throughput)?);
        let rows: Option<Vec<_>> = view
            .rows
            .iter()
            .map(|row| {
                let number = view.figure(row, index, seen.decimals)?.value();
                let rate = view.figure(row, rate, seen.decimals).filter(|rate| rate.readings.len() == 1)?;
                Some((row, number, rate))
            })
            .collect();
        let rows = rows?;
        let is_sweep = rows.len() >= 3 && rows.windows(2).all(|two| two[1].1 == two[0].1 + 1.0);
        is_sweep.then_some(Steps { table, rows })
    };
    seen.tables.iter().filter_map(of).collect()
}

/// The last steps above a block that have a figure; the same as printed, whatever its last zeros.
fn above<'s, 'a>(all: &'s [Steps<'a>], block: usize, value: f64) -> Option<(&'s Steps<'a>, usize)> {
    let before = all.iter().rev().find(|steps| steps.table.block < block)?;
    let at = before.rows.iter().position(|(.., rate)| (rate.value() - value).abs() < 1e-9)?;
    Some((before, at))
}

/// The rates of a sentence.
fn rates(sentence: &Sentence) -> impl Iterator<Item = &Quantity> {
    sentence.quantities.iter().filter(|quantity| quantity.is_rate() && quantity.is_sure())
}

/// What a row is called.
fn named(steps: &Steps<'_>, at: usize) -> String {
    let (_, step, rate) = &steps.rows[at];
    format!("step {} has {}", number(*step), rate.text)
}

/// MAX: a rate that is called the highest, below another of the same table.
pub(super) fn greatest(seen: &Input<'_>, found: &mut Vec<Finding>) {
    const GREATEST: [&str; 8] = ["max", "maximum", "maximal", "maximale", "highest", "hoogste", "højeste", "peak"];
    const RATES: [&str; 5] = ["throughput", "througput", "doorvoer", "kapacitet", "capacity"];
    // The highest of those that kept to something is not the highest of all.
    const QUALIFIED: [&str; 33] = [
        "sustainable",
        "sustained",
        "sustain",
        "below",
        "under",
        "within",
        "acceptable",
        "acceptably",
        "still",
        "while",
        "meets",
        "meeting",
        "met",
        "sla",
        "slo",
        "limit",
        "limits",
        "requirement",
        "requirements",
        "kept",
        "keeps",
        "keeping",
        "without",
        "before",
        "until",
        "stable",
        "allowed",
        "usable",
        "uden",
        "zonder",
        "onder",
        "binnen",
        "stabil",
    ];
    let all = steps(seen);
    for sentence in seen.sentences.iter().filter(|sentence| !has_word(&sentence.lower, &QUALIFIED)) {
        let is_of_rates = RATES.iter().any(|word| sentence.lower.contains(word));
        if !has_word(&sentence.lower, &GREATEST) || !is_of_rates {
            continue;
        }
        let mut known = rates(sentence).filter_map(|rate| above(&all, sentence.block, rate.value()));
        let (Some((steps, at)), None) = (known.next(), known.next()) else { continue };
        let rate_of = |at: &usize| steps.rows[*at].2.value();
        let best = (0..steps.rows.len()).max_by(|a, b| rate_of(a).total_cmp(&rate_of(b))).unwrap_or(at);
        if rate_of(&best) <= rate_of(&at) {
            continue;
        }
        let is_last = at + 1 == steps.rows.len();
        let last = if is_last { format!("; {} is merely the last", rate_text(steps, at)) } else { String::new() };
        let (row, ..) = &steps.rows[best];
        found.push(Finding {
            code: "MAX",
            weight: Weight::Contradiction,
            says: format!("{} is called the highest, and the table has a higher one", rate_text(steps, at)),
            arithmetic: format!("{}, {}{last}", named(steps, at), named(steps, best)),
            remedy: format!("{}, or say by which rule another step counts", rate_text(steps, best)),
            quotes: vec![
                quote(&sentence.place, &sentence.text),
                quote(&steps.table.place(row), &steps.table.view.shown(row)),
            ],
        });
    }
}

fn rate_text(steps: &Steps<'_>, at: usize) -> String {
    steps.rows[at].2.text.clone()
}

/// FINAL: the final rate is the last step's in one part of the report and the best one's in another.
pub(super) fn last(seen: &Input<'_>, found: &mut Vec<Finding>) {
    let all = steps(seen);
    let mut of_last: Option<(&Sentence, String)> = None;
    let mut of_best: Option<(&Sentence, String)> = None;
    for sentence in seen
        .sentences
        .iter()
        .filter(|sentence| has_word(&sentence.lower, &["final", "endelige", "endelig", "uiteindelijke", "finale"]))
    {
        for rate in rates(sentence) {
            let Some((steps, at)) = above(&all, sentence.block, rate.value()) else { continue };
            let is_last = at + 1 == steps.rows.len();
            let is_best = steps.rows.iter().all(|(.., other)| other.value() <= rate.value());
            let text = format!("{} of {} steps", named(steps, at), steps.rows.len());
            match (is_last, is_best) {
                (true, false) => of_last = of_last.or(Some((sentence, text))),
                (false, true) => of_best = of_best.or(Some((sentence, text))),
                _ => {}
            }
        }
    }
    if let (Some((last_at, last)), Some((best_at, best))) = (of_last, of_best) {
        found.push(Finding {
            code: "FINAL",
            weight: Weight::Question,
            says: "the final figure is the last step's in one place and the best step's in another".to_owned(),
            arithmetic: format!("last: {last}; best: {best}"),
            remedy: "define the final figure once, and use it in all parts".to_owned(),
            quotes: vec![quote(&last_at.place, &last_at.text), quote(&best_at.place, &best_at.text)],
        });
    }
}

/// REGIME: a rate that is said to be the system's, measured after one of its servers had failed.
pub(super) fn after_failure(seen: &Input<'_>, found: &mut Vec<Finding>) {
    const FAILED: [&str; 10] = [
        "gik i fejl",
        "gået i stå",
        "stopped",
        "crashed",
        "went down",
        "was down",
        "failed at",
        "ingen kald",
        "uitgevallen",
        "viel uit",
    ];
    const SERVERS: [&str; 10] =
        ["server", "serveren", "servers", "docker", "instance", "node", "docker01", "docker02", "container", "replica"];
    let all = steps(seen);
    for (number_of, steps) in all.iter().enumerate() {
        // The part of the report around this table: from the table before it to the one behind it.
        let from = number_of.checked_sub(1).map(|before| all[before].table.block);
        let until = all.get(number_of + 1).map_or(usize::MAX, |next| next.table.block);
        let part = || {
            seen.sentences
                .iter()
                .filter(move |sentence| from.is_none_or(|from| sentence.block > from) && sentence.block < until)
        };
        let failure = part().find_map(|sentence| {
            let is_failure =
                FAILED.iter().any(|words| sentence.lower.contains(words)) && has_word(&sentence.lower, &SERVERS);
            let step = step_of(&sentence.lower)?;
            is_failure.then_some((sentence, step))
        });
        let Some((failure, step)) = failure else { continue };
        for sentence in
            part().filter(|sentence| sentence.block > steps.table.block && sentence.lower.contains("throughput"))
        {
            let Some((_, at)) =
                rates(sentence).find_map(|rate| above(std::slice::from_ref(steps), sentence.block, rate.value()))
            else {
                continue;
            };
            let (row, own, rate) = &steps.rows[at];
            if *own <= step {
                continue;
            }
            let whole = steps
                .rows
                .iter()
                .filter(|(_, other, _)| *other < step)
                .max_by(|a, b| a.2.value().total_cmp(&b.2.value()));
            let whole = whole.map_or(String::new(), |(_, step, rate)| {
                format!("; of the whole system the best is {} (step {})", rate.text, number(*step))
            });
            found.push(Finding {
                code: "REGIME",
                weight: Weight::Question,
                says: format!("{} was measured after a server had failed", rate.text),
                arithmetic: format!("the server failed in step {}, the figure is that of step {}{whole}", number(step), number(*own)),
                remedy: "later steps belong to another system: report the best step before the failure as a lower bound, and repeat the test".to_owned(),
                quotes: vec![quote(&sentence.place, &sentence.text), quote(&failure.place, &failure.text), quote(&steps.table.place(row), &steps.table.view.shown(row))],
            });
            break;
        }
    }
}

/// The step of `iteration 5`, `i 5 iteration`, `5. iteration`.
fn step_of(lower: &str) -> Option<f64> {
    let all: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_step = |word: &str| ["iteration", "iterationen", "iteratie", "step", "stap", "trin"].contains(&word);
    let number = |word: &str| word.parse::<f64>().ok().filter(|value| *value >= 1.0 && *value < 1000.0);
    all.windows(2).find_map(|two| {
        if is_step(two[0]) {
            number(two[1])
        } else if is_step(two[1]) {
            number(two[0])
        } else {
            None
        }
    })
}
