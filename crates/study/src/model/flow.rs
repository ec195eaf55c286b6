//! What one iteration does: exchanges, waits, choices, conditions and loops.

use contract::{Compare, Mistake, Names, Place, Template, compile_template};
use terms::Nanos;

/// One thing an iteration does.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Carries out an exchange.
    Exchange(u16),
    /// Waits.
    Think(Think),
    /// Does one of several, by their shares, which add up to one.
    Choose(Vec<Choice>),
    /// Does items several times.
    Times(u32, Vec<Item>),
    /// Does the first items if the condition holds, else the others.
    If(Condition, Vec<Item>, Vec<Item>),
    /// Does items as long as the condition holds before each pass, so often at most.
    While(Condition, u32, Vec<Item>),
    /// Does items once for each member of a captured list.
    ForEach(Members, Vec<Item>),
    /// Does items and books them as one: the number follows those of the exchanges, see [`Study::transaction_number`].
    ///
    /// [`Study::transaction_number`]: super::Study::transaction_number
    Transaction(u16, Vec<Item>),
    /// Carries out exchanges at once.
    Parallel(Parallel),
}

/// Calls at once: they begin together, so many at a time, and what follows begins when all have ended. It is always the
/// only item of a transaction, whose time is that of all together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parallel {
    /// Numbers of the exchanges, in the order in which they begin; one may be there several times.
    pub calls: Vec<u16>,
    /// Calls at a time, each on a connection of its own; never more than there are calls.
    pub at_once: u32,
}

impl Parallel {
    /// Calls that follow each other on one connection if all take equally long.
    pub fn rounds(&self) -> usize {
        self.calls.len().div_ceil(self.at_once.max(1) as usize)
    }
}

/// One of the ways of `choose`.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// As the study calls it; an exchange by itself has its own name.
    pub name: String,
    /// How many of all iterations take it, of one.
    pub share: f64,
    pub run: Vec<Item>,
}

/// A wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Think {
    Fixed(Nanos),
    /// Evenly distributed between two times.
    Between(Nanos, Nanos),
    /// Exponentially distributed about a mean, cut at ten times of it.
    Exponential(Nanos),
}

impl Think {
    /// How many means an exponential wait takes at most: one in 22,000 would be longer.
    const TAIL: i64 = 10;

    /// What many such waits take on average.
    pub fn mean(self) -> Nanos {
        match self {
            Self::Fixed(time) | Self::Exponential(time) => time,
            Self::Between(least, most) => Nanos((least.0 + most.0) / 2),
        }
    }

    /// The variance, in square seconds; that of the exponential is not changed by its cut that a figure would show it.
    pub fn variance(self) -> f64 {
        match self {
            Self::Fixed(_) => 0.0,
            Self::Between(least, most) => (most - least).as_secs_f64().powi(2) / 12.0,
            Self::Exponential(mean) => mean.as_secs_f64().powi(2),
        }
    }

    /// What none of them exceeds.
    pub fn most(self) -> Nanos {
        match self {
            Self::Fixed(time) | Self::Between(_, time) => time,
            Self::Exponential(mean) => mean * Self::TAIL,
        }
    }

    /// The wait of a random number in [0, 1).
    pub fn draw(self, uniform: f64) -> Nanos {
        match self {
            Self::Fixed(time) => time,
            Self::Between(least, most) => Nanos(least.0 + ((most.0 - least.0) as f64 * uniform) as i64),
            Self::Exponential(mean) => Nanos((mean.0 as f64 * -(1.0 - uniform).ln()) as i64).min(self.most()),
        }
    }
}

/// What decides which way an iteration goes: two texts with slots, compared as a check compares them.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As written.
    pub text: String,
    pub place: Place,
    /// The left side as written.
    pub left: String,
    /// How it is compared, with the right side as written; none asks whether there is a text at all.
    pub compare: Option<(Compare, String)>,
    /// Whether it is turned round by `not`.
    pub is_not: bool,
}

impl Condition {
    /// Both sides with the names of a part of a scenario; the right one is empty where nothing is compared.
    ///
    /// # Errors
    /// A name that is not known.
    pub fn compile(&self, names: &dyn Names) -> Result<(Template, Template), Mistake> {
        let right = self.compare.as_ref().map_or("", |(_, right)| right);
        Ok((compile_template(&self.left, self.place, names)?, compile_template(right, self.place, names)?))
    }
}

/// A captured list to go through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    /// Number of the capture that holds the list.
    pub list: u8,
    /// Number of the captured value that each member becomes in turn.
    pub member: u8,
    /// Their names.
    pub names: (String, String),
    /// Members beyond so many are left out.
    pub most: u32,
}

impl Item {
    /// The exchanges that it carries out itself, not within other items.
    pub fn calls(&self) -> &[u16] {
        match self {
            Self::Exchange(number) => std::slice::from_ref(number),
            Self::Parallel(parallel) => &parallel.calls,
            _ => &[],
        }
    }

    /// The lists of items within it.
    pub fn inner(&self) -> Vec<&[Item]> {
        match self {
            Self::Exchange(_) | Self::Think(_) | Self::Parallel(_) => Vec::new(),
            Self::Choose(choices) => choices.iter().map(|choice| choice.run.as_slice()).collect(),
            Self::Times(_, inner)
            | Self::While(_, _, inner)
            | Self::ForEach(_, inner)
            | Self::Transaction(_, inner) => vec![inner],
            Self::If(_, then, otherwise) => vec![then, otherwise],
        }
    }
}

/// Every item of an iteration, those within others behind them, in the order written.
pub fn all_items(items: &[Item]) -> Vec<&Item> {
    items.iter().flat_map(|item| std::iter::once(item).chain(item.inner().into_iter().flat_map(all_items))).collect()
}

/// Numbers of the exchanges that an iteration may send, each once, in ascending order.
pub fn exchanges_of(items: &[Item]) -> Vec<u16> {
    let mut found: Vec<u16> = all_items(items).into_iter().flat_map(Item::calls).copied().collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The calls that are made at once, each with the number of the transaction that they are booked as.
pub fn parallels_of(items: &[Item]) -> impl Iterator<Item = (u16, &Parallel)> {
    all_items(items).into_iter().filter_map(|item| match item {
        Item::Transaction(number, inner) => match inner.as_slice() {
            [Item::Parallel(parallel)] => Some((*number, parallel)),
            _ => None,
        },
        _ => None,
    })
}

/// Exchanges that are made at once with others, and by themselves, too; each once, in ascending order.
pub fn also_alone(items: &[Item]) -> Vec<u16> {
    let all = all_items(items);
    let is_alone = |number: &u16| all.contains(&&Item::Exchange(*number));
    let mut found: Vec<u16> =
        parallels_of(items).flat_map(|(_, parallel)| &parallel.calls).copied().filter(is_alone).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Most connections that one iteration uses at a time: 1 unless it makes calls at once.
pub fn connections_of(items: &[Item]) -> u32 {
    parallels_of(items).map(|(_, parallel)| parallel.at_once).max().unwrap_or(1).max(1)
}

/// Numbers of the transactions that an iteration may go through, each once, in ascending order.
pub fn transactions_of(items: &[Item]) -> Vec<u16> {
    let booked = |item: &Item| if let Item::Transaction(number, _) = item { Some(*number) } else { None };
    let mut found: Vec<u16> = all_items(items).into_iter().filter_map(booked).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The conditions of an iteration.
pub fn conditions_of(items: &[Item]) -> impl Iterator<Item = &Condition> {
    all_items(items).into_iter().filter_map(|item| match item {
        Item::While(condition, ..) | Item::If(condition, ..) => Some(condition),
        _ => None,
    })
}

/// The lists that an iteration goes through.
pub fn lists_of(items: &[Item]) -> impl Iterator<Item = &Members> {
    all_items(items)
        .into_iter()
        .filter_map(|item| if let Item::ForEach(members, _) = item { Some(members) } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Nanos = Nanos::SECOND;

    #[test]
    fn waits_are_drawn_about_their_mean() {
        for think in [Think::Fixed(S), Think::Between(Nanos::ZERO, S * 2), Think::Exponential(S)] {
            let draws = (0..100_000).map(|k| think.draw((f64::from(k) + 0.5) / 100_000.0));
            let mean = draws.clone().map(|draw| draw.as_secs_f64()).sum::<f64>() / 100_000.0;
            // The cut tail of the exponential holds e^-10 of its mean.
            assert!((mean - 1.0).abs() < 2e-4 && think.mean() == S, "{think:?}: {mean}");
            assert!(draws.max().unwrap() <= think.most());
        }
        assert_eq!(Think::Between(S, S * 5).draw(0.25), S * 2);
        let median = Think::Exponential(S).draw(0.5).as_secs_f64();
        assert!((median - std::f64::consts::LN_2).abs() < 1e-8, "{median}");
    }
}
