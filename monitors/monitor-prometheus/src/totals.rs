//! Counters of several series, added up so that the sum only grows.

use crate::choice::SERIES_MAX;
use std::collections::{BTreeMap, HashMap};

/// What counters came to, each of its series by itself: one that is gone takes nothing with it, and one that starts again
/// goes on from there. Only whoever sees the series can tell that; of their sum alone nobody can.
#[derive(Default)]
pub(crate) struct Totals {
    /// Where each series of a choice stood last.
    last: HashMap<(usize, u64), f64>,
    /// By choice, and by the value of its label.
    sums: BTreeMap<(usize, String), f64>,
}

impl Totals {
    /// Takes the series of a choice as a page has them.
    pub(crate) fn add(&mut self, choice: usize, series: &[(String, u64, f64)]) {
        if self.last.len() + series.len() > 2 * SERIES_MAX {
            // What comes again after this counts as new; a page that changes all its series has no use for more.
            self.last.retain(|(of, _), _| *of != choice);
        }
        for (label, identity, value) in series.iter().filter(|(.., value)| value.is_finite()) {
            let before = self.last.insert((choice, *identity), *value);
            let grown = before.map_or(*value, |before| if *value < before { *value } else { value - before });
            *self.sums.entry((choice, label.clone())).or_default() += grown;
        }
    }

    /// What is known of a choice and its label, beside the plain sum of the page; a gap where that is one.
    pub(crate) fn of(&self, choice: usize, label: &str, sum: f64) -> f64 {
        let total = self.sums.get(&(choice, label.to_owned())).copied();
        if sum.is_finite() { total.unwrap_or(sum) } else { f64::NAN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(all: &[(u64, f64)]) -> Vec<(String, u64, f64)> {
        all.iter().map(|(identity, value)| (String::new(), *identity, *value)).collect()
    }

    #[test]
    fn a_sum_goes_on_whatever_becomes_of_its_series() {
        let mut totals = Totals::default();
        let mut at = |all: &[(u64, f64)]| {
            totals.add(0, &series(all));
            totals.of(0, "", all.iter().map(|(_, value)| value).sum())
        };
        assert_eq!(at(&[(1, 999_000.0), (2, 1000.0)]), 1_000_000.0, "at first what the page says");
        assert_eq!(at(&[(1, 999_010.0)]), 1_000_010.0, "one is gone, the other has grown by ten");
        assert_eq!(at(&[(1, 999_010.0), (2, 1001.0)]), 1_000_011.0, "it is back");
        assert_eq!(at(&[(1, 5.0), (2, 1001.0), (3, 4.0)]), 1_000_020.0, "one counts anew, one is new");
        assert!(at(&[(1, f64::NAN), (2, 1001.0)]).is_nan(), "what is no number is a gap");
        assert_eq!(at(&[(1, 6.0), (2, 1001.0), (3, 4.0)]), 1_000_021.0);
    }

    #[test]
    fn each_choice_and_each_label_is_added_up_by_itself() {
        let mut totals = Totals::default();
        totals.add(0, &[("a".into(), 1, 5.0), ("b".into(), 2, 7.0)]);
        totals.add(1, &[(String::new(), 1, 5.0)]);
        totals.add(0, &[("a".into(), 1, 6.0), ("b".into(), 2, 1.0)]);
        assert_eq!((totals.of(0, "a", 6.0), totals.of(0, "b", 1.0), totals.of(1, "", 5.0)), (6.0, 8.0, 5.0));
    }
}
