//! What `check` says of one iteration: which calls it makes, and which rows it takes.

use plan::{LoadPlan, PartPlan};
use run::Prepared;
use study::{Item, IterationWork, Per, RowOrder};
use terms::Nanos;

/// A line on calls and think time where an iteration is more than one call, and a line for each data set that it uses.
pub(crate) fn lines(prepared: &Prepared, part: &PartPlan) -> Vec<String> {
    let mut lines = Vec::new();
    if !matches!(part.run.as_slice(), [Item::Exchange(_)]) {
        lines.push(format!("an iteration: {}", work(prepared, part)));
    }
    lines.extend(rows(prepared, part));
    lines
}

/// `home ×1, item ×0.2 (at most 1), page up to ×3; thinks for 2.5s`.
fn work(prepared: &Prepared, part: &PartPlan) -> String {
    let study = &prepared.study;
    let work = IterationWork::of(&part.run, study.numbered());
    let exchanges = study.exchanges.iter().map(|exchange| exchange.name.clone());
    let names = exchanges.chain(study.transactions.iter().map(|name| format!("transaction {name}")));
    let called = names.zip(work.mean.iter().zip(&work.most)).filter(|(_, (_, most))| **most > 0.0);
    let calls: Vec<String> = called.map(|(name, (mean, most))| format!("{name} {}", times(*mean, *most))).collect();
    let seconds = |seconds: f64| Nanos::from_millis((seconds * 1e3).round() as i64);
    let mut said = calls.join(", ");
    if work.think_s > 0.0 {
        let average = if work.think_variance > 0.0 { " on average" } else { "" };
        said.push_str(&format!("; thinks for {}{average}", seconds(work.think_s)));
    }
    if work.think_more_s > 0.0 {
        said.push_str(&format!("; conditions add up to {} of think time", seconds(work.think_more_s)));
    }
    said
}

/// How often: exactly, on average or at least, at most.
fn times(mean: f64, most: f64) -> String {
    let number = |value: f64| {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match (mean, most) {
        _ if mean == most => format!("×{}", number(mean)),
        (0.0, _) => format!("up to ×{}", number(most)),
        _ => format!("×{} (at most {})", number(mean), number(most)),
    }
}

/// Which row of each data set: by the number of the iteration, unless a user or a stream keeps its own.
fn rows(prepared: &Prepared, part: &PartPlan) -> Vec<String> {
    let study = &prepared.study;
    let of_users: Vec<u16> = part.set_up.iter().filter(|(_, per)| *per == Per::User).map(|(sent, _)| *sent).collect();
    let kept = study.data_used_by(&of_users);
    let mut sent = study::exchanges_of(&part.run);
    sent.extend(of_users);
    let is_closed = matches!(part.load, LoadPlan::Closed { .. });
    let line = |number: u16| {
        let (set, table) = (study.data.get(usize::from(number))?, prepared.tables.get(usize::from(number))?);
        let of = format!("the {} rows of `{}`", table.len(), set.name);
        if part.streams.is_some_and(|streams| streams.table == number) {
            return Some(format!("{of}: each stream keeps its own"));
        }
        let who = match part.load {
            LoadPlan::Held(_) => "connection",
            _ if is_closed && kept.contains(&number) => "user",
            _ => "iteration",
        };
        let keeps = if who == "user" { ", which it keeps: its set-up uses it" } else { "" };
        let which = match set.order {
            RowOrder::InTurn => format!("{who} i takes row i{keeps}"),
            RowOrder::Random => format!("each {who} takes any of them{keeps}"),
            RowOrder::Shuffled => format!("each {who} takes another, in an order drawn by the seed{keeps}"),
        };
        let end = match set.stops_at_end {
            _ if set.order == RowOrder::Random => "",
            true => "",
            false => "; after the last the first comes again",
        };
        Some(format!("{of}: {which}{end}"))
    };
    study.data_used_by(&sent).into_iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_exact_or_bounded() {
        assert_eq!(times(2.0, 2.0), "×2");
        assert_eq!(times(0.25, 1.0), "×0.25 (at most 1)");
        assert_eq!(times(0.0, 5.0), "up to ×5");
    }
}
