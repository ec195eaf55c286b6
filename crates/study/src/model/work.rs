//! What one iteration comes to: how often it carries out each exchange, and how long it thinks.

use super::flow::Item;

/// What chance decides is told by its mean; what a condition decides, by what is certain and the most that there can be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterationWork {
    /// Calls of each exchange, by its number: on average where chance decides, and at least where a condition does.
    pub mean: Vec<f64>,
    /// Calls of each exchange that no iteration exceeds.
    pub most: Vec<f64>,
    /// Seconds of think time, as with `mean`.
    pub think_s: f64,
    /// Variance of the think time that chance decides, in square seconds.
    pub think_variance: f64,
    /// Seconds of think time that conditions add at most.
    pub think_more_s: f64,
    /// Seconds of think time that no iteration exceeds.
    think_most_s: f64,
}

impl IterationWork {
    /// The work of these items, of so many exchanges in all. With [`Study::numbered`] in the place of their number, calls
    /// are also told of transactions.
    ///
    /// [`Study::numbered`]: super::Study::numbered
    pub fn of(items: &[Item], exchanges: usize) -> Self {
        let mut sum = Self::none(exchanges);
        for item in items {
            let work = match item {
                Item::Exchange(number) => Self::call(*number, exchanges),
                Item::Parallel(parallel) => parallel.calls.iter().fold(Self::none(exchanges), |mut sum, number| {
                    sum.add(&Self::call(*number, exchanges));
                    sum
                }),
                Item::Think(think) => Self {
                    think_s: think.mean().as_secs_f64(),
                    think_variance: think.variance(),
                    think_most_s: think.most().as_secs_f64(),
                    ..Self::none(exchanges)
                },
                Item::Times(times, inner) => Self::of(inner, exchanges).times(f64::from(*times)),
                Item::Choose(choices) => {
                    let ways = choices.iter().map(|choice| (choice.share, Self::of(&choice.run, exchanges)));
                    Self::one_of(ways, exchanges)
                }
                Item::If(_, then, otherwise) => Self::either(Self::of(then, exchanges), Self::of(otherwise, exchanges)),
                Item::While(_, most, inner) => Self::of(inner, exchanges).times(f64::from(*most)).if_at_all(),
                Item::ForEach(members, inner) => Self::of(inner, exchanges).times(f64::from(members.most)).if_at_all(),
                Item::Transaction(number, inner) => Self::of(inner, exchanges).one_call(*number, any_call(inner)),
            };
            sum.add(&work);
        }
        sum
    }

    fn none(exchanges: usize) -> Self {
        Self { mean: vec![0.0; exchanges], most: vec![0.0; exchanges], ..Self::default() }
    }

    fn call(number: u16, exchanges: usize) -> Self {
        let mut work = Self::none(exchanges);
        for calls in [&mut work.mean, &mut work.most] {
            calls.iter_mut().skip(usize::from(number)).take(1).for_each(|calls| *calls = 1.0);
        }
        work
    }

    fn add(&mut self, other: &Self) {
        for (calls, others) in [(&mut self.mean, &other.mean), (&mut self.most, &other.most)] {
            calls.iter_mut().zip(others).for_each(|(calls, other)| *calls += other);
        }
        self.think_s += other.think_s;
        self.think_variance += other.think_variance;
        self.think_more_s += other.think_more_s;
        self.think_most_s += other.think_most_s;
    }

    /// So many times in a row: each pass draws anew.
    fn times(mut self, times: f64) -> Self {
        self.mean.iter_mut().chain(&mut self.most).for_each(|calls| *calls *= times);
        self.think_s *= times;
        self.think_variance *= times;
        self.think_more_s *= times;
        self.think_most_s *= times;
        self
    }

    /// One of several, by their shares.
    fn one_of(ways: impl Iterator<Item = (f64, Self)>, exchanges: usize) -> Self {
        let mut sum = Self::none(exchanges);
        let mut squares = 0.0;
        for (share, way) in ways {
            sum.mean.iter_mut().zip(&way.mean).for_each(|(sum, calls)| *sum += share * calls);
            sum.most.iter_mut().zip(&way.most).for_each(|(most, calls)| *most = most.max(*calls));
            sum.think_s += share * way.think_s;
            squares += share * (way.think_variance + way.think_s.powi(2));
            sum.think_more_s = sum.think_more_s.max(way.think_more_s);
            sum.think_most_s = sum.think_most_s.max(way.think_most_s);
        }
        sum.think_variance = (squares - sum.think_s.powi(2)).max(0.0);
        sum
    }

    /// The one or the other: certain is what both do.
    fn either(one: Self, other: Self) -> Self {
        let both = |of: fn(f64, f64) -> f64, a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| of(*a, *b)).collect();
        let think_most_s = one.think_most_s.max(other.think_most_s);
        Self {
            mean: both(f64::min, &one.mean, &other.mean),
            most: both(f64::max, &one.most, &other.most),
            think_more_s: think_most_s,
            think_most_s,
            ..Self::default()
        }
    }

    /// What is booked as one, too: once a pass, unless chance or a condition leaves out every call in it.
    fn one_call(mut self, number: u16, (mean, most): (f64, f64)) -> Self {
        for (calls, own) in [(&mut self.mean, mean), (&mut self.most, most)] {
            calls.iter_mut().skip(usize::from(number)).take(1).for_each(|calls| *calls += own);
        }
        self
    }

    /// What a condition may leave out whole.
    fn if_at_all(mut self) -> Self {
        self.mean.fill(0.0);
        Self { think_s: 0.0, think_variance: 0.0, think_more_s: self.think_most_s, ..self }
    }
}

/// How probable it is that items make any call, where conditions leave out all that they may, and whether they can make
/// any.
fn any_call(items: &[Item]) -> (f64, f64) {
    let mut none = 1.0;
    let mut most = 0.0f64;
    for item in items {
        let (any, can) = match item {
            Item::Exchange(_) | Item::Parallel(_) => (1.0, 1.0),
            Item::Think(_) => (0.0, 0.0),
            Item::Times(times, inner) => {
                let (any, can) = any_call(inner);
                (1.0 - (1.0 - any).powi(*times as i32), can)
            }
            Item::Choose(choices) => choices.iter().fold((0.0, 0.0), |(sum, most), choice| {
                let (any, can) = any_call(&choice.run);
                (sum + choice.share * any, can.max(most))
            }),
            Item::If(_, then, otherwise) => {
                let (then, otherwise) = (any_call(then), any_call(otherwise));
                (then.0.min(otherwise.0), then.1.max(otherwise.1))
            }
            Item::While(_, _, inner) | Item::ForEach(_, inner) => (0.0, any_call(inner).1),
            Item::Transaction(_, inner) => any_call(inner),
        };
        none *= 1.0 - any;
        most = most.max(can);
    }
    (1.0 - none, most)
}

#[cfg(test)]
mod tests {
    use super::super::flow::{Choice, Condition, Think};
    use super::*;
    use contract::Place;
    use terms::Nanos;

    const S: Nanos = Nanos::SECOND;

    fn condition() -> Condition {
        let text = || "$(a)".to_owned();
        Condition { text: text(), place: Place::default(), left: text(), compare: None, is_not: false }
    }

    fn choice(share: f64, run: Vec<Item>) -> Choice {
        Choice { name: "way".into(), share, run }
    }

    #[test]
    fn calls_are_told_by_mean_and_by_most() {
        let call = Item::Exchange;
        let items = [
            call(0),
            Item::Times(2, vec![call(1)]),
            Item::Choose(vec![choice(0.25, vec![call(1), call(1), call(2)]), choice(0.75, vec![])]),
            Item::If(condition(), vec![call(3)], vec![call(3), call(4)]),
            Item::While(condition(), 4, vec![Item::Times(2, vec![call(5)])]),
        ];
        let work = IterationWork::of(&items, 6);
        assert_eq!(work.mean, [1.0, 2.5, 0.25, 1.0, 0.0, 0.0]);
        assert_eq!(work.most, [1.0, 4.0, 1.0, 1.0, 1.0, 8.0]);
    }

    #[test]
    fn a_transaction_counts_once_a_pass_if_any_call_is_made_in_it() {
        let call = || vec![Item::Exchange(0)];
        let items = [
            Item::Times(3, vec![Item::Transaction(1, vec![Item::Exchange(0), Item::Exchange(0)])]),
            Item::Transaction(2, vec![Item::Choose(vec![choice(0.25, call()), choice(0.75, vec![])])]),
            Item::Transaction(3, vec![Item::If(condition(), call(), call()), Item::Transaction(1, call())]),
            Item::Transaction(4, vec![Item::While(condition(), 5, call())]),
            Item::While(condition(), 5, vec![Item::Transaction(5, call())]),
            Item::Transaction(6, vec![Item::Think(Think::Fixed(S))]),
        ];
        let work = IterationWork::of(&items, 7);
        assert_eq!(work.mean, [8.25, 4.0, 0.25, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(work.most, [19.0, 4.0, 1.0, 1.0, 1.0, 5.0, 0.0]);
        assert_eq!(IterationWork::of(&items, 1).mean, [8.25], "of the exchanges alone");
    }

    #[test]
    fn think_time_is_told_by_its_moments_and_by_what_conditions_add() {
        let think = |think| Item::Think(think);
        let work = |items: &[Item]| {
            let work = IterationWork::of(items, 0);
            (work.think_s, work.think_variance, work.think_more_s)
        };
        // Of the uniform distribution on [1, 4]: mean 2.5, variance 9/12; of the exponential: its mean squared.
        assert_eq!(work(&[think(Think::Fixed(S * 3)), think(Think::Between(S, S * 4))]), (5.5, 0.75, 0.0));
        assert_eq!(work(&[Item::Times(3, vec![think(Think::Exponential(S * 2))])]), (6.0, 12.0, 0.0));
        // Ten seconds in a fifth of the iterations: mean 2, variance 0.2·100 − 4.
        let ways = vec![choice(0.2, vec![think(Think::Fixed(S * 10))]), choice(0.8, vec![])];
        assert_eq!(work(&[Item::Choose(ways)]), (2.0, 16.0, 0.0));
        let pass = || vec![think(Think::Between(S, S * 4))];
        assert_eq!(work(&[Item::While(condition(), 5, pass())]), (0.0, 0.0, 20.0));
        assert_eq!(work(&[Item::If(condition(), pass(), vec![think(Think::Fixed(S))])]), (0.0, 0.0, 4.0));
    }
}
