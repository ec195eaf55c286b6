//! FLAT-R, NONMONO, NOISE: what a table of steps shows by itself.

use super::claims::{Steps, steps};
use crate::columns::{Role, has_word};
use crate::finding::{Finding, Weight, number, quote, time};
use crate::model::Row;
use crate::seen::Input;

/// Greatest coefficient of variation of users by throughput that counts as flat.
const FLAT: f64 = 0.05;
/// Fewest steps for it.
const STEPS_MIN: usize = 6;

/// Users of a row: threads, times the generators that have so many each.
fn users(steps: &Steps<'_>, row: &Row, seen: &Input<'_>) -> Option<f64> {
    let view = &steps.table.view;
    let figure = |at: usize| {
        view.figure(row, at, seen.decimals).filter(|figure| figure.readings.len() == 1).map(|figure| figure.value())
    };
    let threads = figure(view.only(Role::Users)?)?;
    match view.only(Role::Nodes) {
        Some(at) => Some(threads * figure(at)?),
        None => Some(threads),
    }
}

/// FLAT-R: throughput grows with users from the second step to the last, and the report names a best step or a maximum.
pub(super) fn flat(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for steps in steps(seen) {
        let each: Option<Vec<f64>> =
            steps.rows.iter().skip(1).map(|(row, _, rate)| Some(users(&steps, row, seen)? / rate.value())).collect();
        let Some(each) = each.filter(|each| each.len() + 1 >= STEPS_MIN) else { continue };
        let mean = each.iter().sum::<f64>() / each.len() as f64;
        let variance = each.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (each.len() - 1) as f64;
        let spread = variance.sqrt() / mean;
        let best = steps.rows.iter().map(|(.., rate)| rate.value()).fold(0.0, f64::max);
        let last = steps.rows.last().map_or(0.0, |(.., rate)| rate.value());
        if spread >= FLAT || last < best {
            continue;
        }
        let next =
            seen.tables.iter().map(|table| table.block).find(|block| *block > steps.table.block).unwrap_or(usize::MAX);
        let claim = seen.sentences.iter().find(|sentence| {
            sentence.block > steps.table.block
                && sentence.block < next
                && has_word(&sentence.lower, &["best", "bedst", "beste", "healthiest", "sundest"])
        });
        let Some(claim) = claim else { continue };
        let (least, most) = each.iter().fold((f64::MAX, 0f64), |(least, most), one| (least.min(*one), most.max(*one)));
        let (row, _, rate) = &steps.rows[steps.rows.len() - 1];
        found.push(Finding {
            code: "FLAT-R",
            weight: Weight::Question,
            says: "throughput grew with the load in every step: no step is shown to be the best".to_owned(),
            arithmetic: format!(
                "users by throughput are {} to {} from the second step on, {} % apart (CV): waiting did not grow",
                time(least),
                time(most),
                number((1000.0 * spread).round() / 10.0)
            ),
            remedy: format!(
                "no saturation was observed; the capacity is at least {} (the last step), which is a lower bound",
                rate.text
            ),
            quotes: vec![
                quote(&claim.place, &claim.text),
                quote(&steps.table.place(row), &steps.table.view.shown(row)),
            ],
        });
    }
}

/// NONMONO: `met in iterations 1, 2 and 4`, so that a lower load failed where a higher one passed.
pub(super) fn gaps(seen: &Input<'_>, found: &mut Vec<Finding>) {
    const MET: [&str; 8] = ["met", "opnåes", "opnås", "overholdes", "overholdt", "achieved", "gehaald", "behaald"];
    let all = steps(seen);
    for sentence in &seen.sentences {
        let words: Vec<&str> =
            sentence.lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let is_step =
            |word: &&str| ["iteration", "iterations", "iterationer", "iteraties", "steps", "stappen"].contains(word);
        let Some(from) = words
            .iter()
            .position(is_step)
            .filter(|_| has_word(&sentence.lower, &MET) && !has_word(&sentence.lower, &["not", "ikke", "niet"]))
        else {
            continue;
        };
        let listed: Vec<f64> = words[from + 1..]
            .iter()
            .take_while(|word| word.chars().all(|c| c.is_ascii_digit()) || ["and", "og", "en"].contains(word))
            .filter_map(|word| word.parse().ok())
            .collect();
        let Some(missing) = listed.windows(2).find(|two| two[1] > two[0] + 1.0).map(|two| two[0] + 1.0) else {
            continue;
        };
        let Some(steps) = all.iter().rev().find(|steps| steps.table.block < sentence.block) else { continue };
        let load = |step: f64| {
            steps.rows.iter().find(|(_, other, _)| *other == step).and_then(|(row, ..)| users(steps, row, seen))
        };
        let Some(above) = listed.iter().copied().find(|step| *step > missing) else { continue };
        let (Some(less), Some(more)) = (load(missing), load(above)) else { continue };
        if less >= more {
            continue;
        }
        found.push(Finding {
            code: "NONMONO",
            weight: Weight::Question,
            says: format!(
                "the requirement is met in step {} and not in step {}, whose load was lower",
                number(above),
                number(missing)
            ),
            arithmetic: format!(
                "step {}: {} users, not met; step {}: {} users, met",
                number(missing),
                number(less),
                number(above),
                number(more)
            ),
            remedy: format!("repeat step {}: something else limited it, or disturbed it", number(missing)),
            quotes: vec![quote(&sentence.place, &sentence.text)],
        });
    }
}

/// NOISE: a change of throughput between two steps that is no larger than chance makes of so few calls.
pub(super) fn noise(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for steps in steps(seen) {
        let view = &steps.table.view;
        let instants: Vec<usize> = (0..view.columns.len())
            .filter(|at| {
                steps.rows.iter().all(|(row, ..)| row.cells.get(*at).is_some_and(|cell| seconds(cell).is_some()))
            })
            .collect();
        let [begin, end] = instants[..] else { continue };
        let calls = |row: &Row, rate: f64| {
            Some(rate * (seconds(row.cells.get(end)?)? - seconds(row.cells.get(begin)?)?).max(0.0))
        };
        for two in steps.rows.windows(2) {
            let ((before, step, old), (row, next, new)) = (&two[0], &two[1]);
            let (Some(first), Some(second)) = (calls(before, old.value()), calls(row, new.value())) else { continue };
            let ratio = new.value() / old.value();
            let spread = 1.96 * (1.0 / first.max(1.0) + 1.0 / second.max(1.0)).sqrt();
            // A change that the report itself prints, of a percent or more.
            let printed = (100.0 * (ratio - 1.0)).abs();
            let is_within = ratio.ln().abs() < spread && printed >= 1.0;
            let is_reported = row.cells.iter().any(|cell| {
                cell.trim()
                    .trim_end_matches('%')
                    .trim()
                    .parse::<f64>()
                    .is_ok_and(|stated| (stated.abs() - printed).abs() < 1.0)
                    && cell.contains('%')
            });
            if !is_within || !is_reported {
                continue;
            }
            found.push(Finding {
                code: "NOISE",
                weight: Weight::Remark,
                says: format!(
                    "the change from step {} to step {} is within what chance makes of so few calls",
                    number(*step),
                    number(*next)
                ),
                arithmetic: format!(
                    "{} / {} = {} for about {} and {} calls; by chance alone {} to {} (95 %)",
                    new.text,
                    old.text,
                    number((1e4 * ratio).round() / 1e4),
                    number(first.round()),
                    number(second.round()),
                    number(((ratio.ln() - spread).exp() * 1e3).round() / 1e3),
                    number(((ratio.ln() + spread).exp() * 1e3).round() / 1e3)
                ),
                remedy: "“no measurable change”; longer steps would tell".to_owned(),
                quotes: vec![quote(&steps.table.place(row), &view.shown(row))],
            });
        }
    }
}

/// Seconds of the day and days of `2020-12-09_13-00-42`, for differences within a month.
fn seconds(cell: &str) -> Option<f64> {
    let parts: Vec<f64> =
        cell.trim().split(['-', '_', ':', 'T', ' ']).map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [year, month, day, hour, minute, second] = parts[..] else { return None };
    let is_date = (1990.0..2100.0).contains(&year) && (1.0..=12.0).contains(&month) && (1.0..=31.0).contains(&day);
    is_date.then_some(((day * 24.0 + hour) * 60.0 + minute) * 60.0 + second)
}
