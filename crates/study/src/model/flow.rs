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
    /// Does one of several, by weight; weights are shares of one.
    Choose(Vec<(f64, Vec<Item>)>),
    /// Does items several times.
    Times(u32, Vec<Item>),
    /// Does the first items if the condition holds, else the others.
    If(Condition, Vec<Item>, Vec<Item>),
    /// Does items as long as the condition holds before each pass, so often at most.
    While(Condition, u32, Vec<Item>),
    /// Does items once for each member of a captured list.
    ForEach(Members, Vec<Item>),
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

/// What of an iteration is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certain {
    /// As much as there can be: every branch of a condition, every pass of a loop.
    Most,
    /// What every iteration does, whatever is captured.
    Least,
}

/// Shows every exchange and every wait of an iteration with how often it comes, on average where it is chosen.
pub fn each_item<'a>(items: &'a [Item], certain: Certain, times: f64, see: &mut dyn FnMut(&'a Item, f64)) {
    for item in items {
        match item {
            Item::Exchange(_) | Item::Think(_) => see(item, times),
            Item::Choose(choices) => {
                choices.iter().for_each(|(share, inner)| each_item(inner, certain, times * share, see));
            }
            Item::Times(often, inner) => each_item(inner, certain, times * f64::from(*often), see),
            _ if certain == Certain::Least => {}
            Item::If(_, then, otherwise) => {
                each_item(then, certain, times, see);
                each_item(otherwise, certain, times, see);
            }
            Item::While(_, most, inner) | Item::ForEach(Members { most, .. }, inner) => {
                each_item(inner, certain, times * f64::from(*most), see);
            }
        }
    }
}

/// Numbers of the exchanges that an iteration may send, each once, in ascending order.
pub fn exchanges_of(items: &[Item]) -> Vec<u16> {
    let mut found = Vec::new();
    each_item(items, Certain::Most, 1.0, &mut |item, _| {
        if let Item::Exchange(number) = item {
            found.push(*number);
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}

/// The conditions of an iteration.
pub fn conditions_of(items: &[Item]) -> Vec<&Condition> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Exchange(_) | Item::Think(_) => {}
            Item::Choose(choices) => choices.iter().for_each(|(_, inner)| found.extend(conditions_of(inner))),
            Item::Times(_, inner) | Item::ForEach(_, inner) => found.extend(conditions_of(inner)),
            Item::While(condition, _, inner) => {
                found.push(condition);
                found.extend(conditions_of(inner));
            }
            Item::If(condition, then, otherwise) => {
                found.push(condition);
                found.extend(conditions_of(then).into_iter().chain(conditions_of(otherwise)));
            }
        }
    }
    found
}

/// The lists that an iteration goes through.
pub fn lists_of(items: &[Item]) -> Vec<&Members> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Exchange(_) | Item::Think(_) => {}
            Item::Choose(choices) => choices.iter().for_each(|(_, inner)| found.extend(lists_of(inner))),
            Item::Times(_, inner) | Item::While(_, _, inner) => found.extend(lists_of(inner)),
            Item::If(_, then, otherwise) => found.extend(lists_of(then).into_iter().chain(lists_of(otherwise))),
            Item::ForEach(members, inner) => {
                found.push(members);
                found.extend(lists_of(inner));
            }
        }
    }
    found
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

    #[test]
    fn what_is_certain_and_what_is_possible_are_counted_apart() {
        let condition = Condition {
            text: "$(a)".into(),
            place: Place::default(),
            left: "$(a)".into(),
            compare: None,
            is_not: false,
        };
        let items = [
            Item::Exchange(0),
            Item::Choose(vec![(0.25, vec![Item::Exchange(1), Item::Exchange(0)]), (0.75, vec![])]),
            Item::If(condition.clone(), vec![Item::Exchange(2)], vec![Item::Exchange(3)]),
            Item::While(condition, 4, vec![Item::Times(2, vec![Item::Exchange(4)])]),
        ];
        let often = |certain| {
            let mut often = [0.0; 5];
            each_item(&items, certain, 1.0, &mut |item, times| {
                if let Item::Exchange(number) = item {
                    often[usize::from(*number)] += times;
                }
            });
            often
        };
        assert_eq!(often(Certain::Least), [1.25, 0.25, 0.0, 0.0, 0.0]);
        assert_eq!(often(Certain::Most), [1.25, 0.25, 1.0, 1.0, 8.0]);
        assert_eq!(exchanges_of(&items), [0, 1, 2, 3, 4]);
        assert_eq!(conditions_of(&items).len(), 2);
    }
}
