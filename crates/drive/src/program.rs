//! One iteration as a flat list of operations, so that the hot path is a cursor.

use study::Item;
use terms::{Nanos, seed};

/// One operation of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operation {
    Exchange(u16),
    Think(Nanos),
    /// Cumulative shares and exchanges.
    Choose(Vec<(f64, u16)>),
}

/// Unrolled iterations longer than this are refused by `check`; here it only bounds the memory.
const OPERATIONS_MAX: usize = 100_000;

/// Unrolls `times` and sums up the weights.
pub(crate) fn compile(items: &[Item]) -> Vec<Operation> {
    let mut operations = Vec::new();
    unroll(items, &mut operations);
    operations
}

fn unroll(items: &[Item], into: &mut Vec<Operation>) {
    for item in items {
        match item {
            _ if into.len() >= OPERATIONS_MAX => return,
            Item::Exchange(number) => into.push(Operation::Exchange(*number)),
            Item::Think(time) => into.push(Operation::Think(*time)),
            Item::Choose(choices) => {
                let mut sum = 0.0;
                let cumulate = |(weight, exchange): &(f64, u16)| {
                    sum += weight;
                    (sum, *exchange)
                };
                into.push(Operation::Choose(choices.iter().map(cumulate).collect()));
            }
            Item::Times(times, items) => (0..*times).for_each(|_| unroll(items, into)),
        }
    }
}

/// Which exchange iteration `serial` chooses at operation `at`: by seed, so every worker and every repetition agrees.
pub(crate) fn choose(choices: &[(f64, u16)], study_seed: u64, serial: u64, at: usize) -> u16 {
    let total = choices.last().map_or(1.0, |(sum, _)| *sum);
    let draw = seed::uniform(seed::hash(study_seed, 0xC400 + at as u64), serial) * total;
    let index = choices.partition_point(|(sum, _)| *sum <= draw).min(choices.len().saturating_sub(1));
    choices[index].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_unrolled_and_weights_cumulated() {
        let items = [
            Item::Exchange(0),
            Item::Times(2, vec![Item::Think(Nanos(5)), Item::Exchange(1)]),
            Item::Choose(vec![(0.75, 2), (0.25, 3)]),
        ];
        let operations = compile(&items);
        assert_eq!(operations.len(), 6);
        assert_eq!(operations[5], Operation::Choose(vec![(0.75, 2), (1.0, 3)]));
    }

    #[test]
    fn choices_follow_their_weights() {
        let choices = [(0.75, 2), (1.0, 3)];
        let rare = (0..100_000).filter(|&serial| choose(&choices, 1, serial, 0) == 3).count();
        // 25 000 expected, standard deviation 137.
        assert!(rare.abs_diff(25_000) < 685, "{rare}");
    }
}
