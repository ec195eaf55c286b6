//! What `check` says of one iteration: which calls it makes, and which rows it takes.

use plan::{LoadPlan, PartPlan};
use run::Prepared;
use serde_json::{Value, json};
use study::{DataSet, Item, IterationWork, Per, RowOrder};
use terms::Nanos;

/// What one iteration of a part does.
pub(crate) struct Flow<'a> {
    /// Exchanges in the order of the study, then transactions; only those that an iteration may come to.
    calls: Vec<Call<'a>>,
    work: IterationWork,
    data: Vec<Taken<'a>>,
    /// It is one exchange and nothing else.
    is_one_call: bool,
}

/// How often an iteration carries something out.
struct Call<'a> {
    name: &'a str,
    is_transaction: bool,
    /// On average where chance decides, and at least where a condition does.
    mean: f64,
    most: f64,
}

/// Whose row of a data set is taken.
struct Taken<'a> {
    set: &'a DataSet,
    rows: usize,
    by: &'static str,
}

impl<'a> Flow<'a> {
    pub(crate) fn of(prepared: &'a Prepared, part: &PartPlan) -> Self {
        let study = &prepared.study;
        let work = IterationWork::of(&part.run, study.numbered());
        let exchanges = study.exchanges.iter().map(|exchange| (exchange.name.as_str(), false));
        let names = exchanges.chain(study.transactions.iter().map(|name| (name.as_str(), true)));
        let calls = names.zip(work.mean.iter().zip(&work.most)).filter(|(_, (_, most))| **most > 0.0);
        Self {
            calls: calls
                .map(|((name, is_transaction), (&mean, &most))| Call { name, is_transaction, mean, most })
                .collect(),
            work,
            data: taken(prepared, part),
            is_one_call: matches!(part.run.as_slice(), [Item::Exchange(_)]),
        }
    }

    /// A line on calls and think time where an iteration is more than one call, and a line for each data set that it uses.
    pub(crate) fn lines(&self) -> Vec<String> {
        let work = (!self.is_one_call).then(|| format!("an iteration: {}", self.work()));
        work.into_iter().chain(self.data.iter().map(Taken::line)).collect()
    }

    /// `home ×1, item ×0.2 (at most 1), page up to ×3; thinks for 2.5s`.
    fn work(&self) -> String {
        let word = |call: &Call<'_>| if call.is_transaction { "transaction " } else { "" };
        let call = |call: &Call<'_>| format!("{}{} {}", word(call), call.name, times(call.mean, call.most));
        let calls: Vec<String> = self.calls.iter().map(call).collect();
        let seconds = |seconds: f64| Nanos::from_millis((seconds * 1e3).round() as i64);
        let mut said = calls.join(", ");
        if self.work.think_s > 0.0 {
            let average = if self.work.think_variance > 0.0 { " on average" } else { "" };
            said.push_str(&format!("; thinks for {}{average}", seconds(self.work.think_s)));
        }
        if self.work.think_more_s > 0.0 {
            said.push_str(&format!("; conditions add up to {} of think time", seconds(self.work.think_more_s)));
        }
        said
    }

    /// The same for a program: `calls`, `think_s`, `think_more_s`, `data`.
    pub(crate) fn json(&self) -> Value {
        let call = |call: &Call<'_>| {
            json!({
                "name": call.name, "is_transaction": call.is_transaction, "mean": call.mean, "most": call.most,
            })
        };
        json!({
            "calls": self.calls.iter().map(call).collect::<Vec<_>>(),
            "think_s": self.work.think_s,
            "think_more_s": self.work.think_more_s,
            "data": self.data.iter().map(Taken::json).collect::<Vec<_>>(),
        })
    }
}

impl Taken<'_> {
    fn line(&self) -> String {
        let (set, who) = (self.set, self.by);
        let of = format!("the {} rows of `{}`", self.rows, set.name);
        if who == "stream" {
            return format!("{of}: each stream keeps its own");
        }
        let keeps = if who == "user" { ", which it keeps: its set-up uses it" } else { "" };
        let which = match set.order {
            RowOrder::InTurn => format!("{who} i takes row i{keeps}"),
            RowOrder::Random => format!("each {who} takes any of them{keeps}"),
            RowOrder::Shuffled => format!("each {who} takes another, in an order drawn by the seed{keeps}"),
        };
        let comes_again = set.order != RowOrder::Random && !set.stops_at_end;
        format!("{of}: {which}{}", if comes_again { "; after the last the first comes again" } else { "" })
    }

    fn json(&self) -> Value {
        let pick = match self.set.order {
            RowOrder::InTurn => "in turn",
            RowOrder::Random => "random",
            RowOrder::Shuffled => "shuffled",
        };
        json!({
            "name": self.set.name, "rows": self.rows, "taken_by": self.by, "pick": pick,
            "stops_at_end": self.set.stops_at_end,
        })
    }
}

/// Whose row is taken of each data set: that of the iteration's number, unless a user, a connection or a stream keeps its
/// own.
fn taken<'a>(prepared: &'a Prepared, part: &PartPlan) -> Vec<Taken<'a>> {
    let study = &prepared.study;
    let of_users: Vec<u16> = part.set_up.iter().filter(|(_, per)| *per == Per::User).map(|(sent, _)| *sent).collect();
    let kept = study.data_used_by(&of_users);
    let mut sent = study::exchanges_of(&part.run);
    sent.extend(of_users);
    let is_closed = matches!(part.load, LoadPlan::Closed { .. });
    let one = |number: u16| {
        let (set, table) = (study.data.get(usize::from(number))?, prepared.tables.get(usize::from(number))?);
        let by = match () {
            () if part.streams.is_some_and(|streams| streams.table == number) => "stream",
            () if matches!(part.load, LoadPlan::Held(_)) => "connection",
            () if is_closed && kept.contains(&number) => "user",
            () => "iteration",
        };
        Some(Taken { set, rows: table.len(), by })
    };
    study.data_used_by(&sent).into_iter().filter_map(one).collect()
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
