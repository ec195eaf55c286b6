//! Iterations: the holds of a run one after another, as reports on capacity searches count them.

use crate::input::{Context, ScenarioContext};
use terms::Nanos;

/// One hold of one scenario. Holds of the parts of a mix, which overlap, are one.
pub(crate) struct Iteration<'a> {
    /// What tables and figures call it: the number of the attempt; beside attempts the scenario's name, else its number in
    /// the run.
    pub name: String,
    pub scenario: ScenarioContext<'a>,
    /// When it began.
    pub from: Nanos,
    /// When it ended; nothing of this moment belongs to it.
    pub to: Nanos,
}

impl Iteration<'_> {
    /// Length, seconds; above 0.
    pub(crate) fn seconds(&self) -> f64 {
        (self.to - self.from).as_secs_f64()
    }

    /// Whether a moment lies in it.
    pub(crate) fn holds(&self, at: Nanos) -> bool {
        self.from <= at && at < self.to
    }

    /// Cuts it into parts of equal length, as near to `width` seconds as they can be; at least one. No part lies in two
    /// iterations.
    pub(crate) fn parts(&self, width: f64) -> Parts {
        let length = self.seconds();
        let count = (length / width).round().max(1.0);
        Parts { count: count as usize, seconds: length / count }
    }
}

/// Parts of equal length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Parts {
    pub count: usize,
    /// Length of each.
    pub seconds: f64,
}

impl Parts {
    /// The part that a moment lies in, seconds since the iteration began; what lies before or behind all is in the first
    /// or the last.
    pub(crate) fn of(&self, since: f64) -> usize {
        ((since / self.seconds).max(0.0) as usize).min(self.count - 1)
    }
}

/// All iterations in order of time.
pub(crate) fn iterations<'a>(cx: &Context<'a>) -> Vec<Iteration<'a>> {
    let mut found = Vec::new();
    let scenarios = cx.scenarios();
    let has_attempts = scenarios.iter().any(|scenario| attempt(cx, scenario.name).is_some());
    for (place, scenario) in scenarios.into_iter().enumerate() {
        let mut spans: Vec<(Nanos, Nanos)> = scenario.holds().map(|(step, _)| (step.from, step.to)).collect();
        spans.retain(|(from, to)| from < to);
        spans.sort_unstable();
        let mut apart: Vec<(Nanos, Nanos)> = Vec::new();
        for (from, to) in spans {
            match apart.last_mut() {
                Some(last) if from < last.1 => last.1 = last.1.max(to),
                _ => apart.push((from, to)),
            }
        }
        // The number of a scenario in the run would be that of another one's attempt.
        let name = match attempt(cx, scenario.name) {
            Some(number) => number.to_string(),
            None if has_attempts => crate::number::clean(scenario.name),
            None => (place + 1).to_string(),
        };
        let count = apart.len();
        found.extend(apart.into_iter().enumerate().map(|(part, (from, to))| Iteration {
            name: if count == 1 { name.clone() } else { format!("{name}.{}", part + 1) },
            scenario: scenario.clone(),
            from,
            to,
        }));
    }
    found
}

/// The number of a scenario as an attempt of the run's only search, where earlier runs may have made the first ones.
fn attempt(cx: &Context<'_>, scenario: &str) -> Option<u32> {
    let [search] = cx.input.judgement.searches.as_slice() else { return None };
    let own = search.attempts.iter().find(|attempt| attempt.run.is_none() && attempt.scenario == scenario);
    own.map(|attempt| attempt.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_equal_and_whatever_lies_outside_is_in_the_nearest() {
        let parts = |seconds: f64, width: f64| {
            let count = (seconds / width).round().max(1.0);
            Parts { count: count as usize, seconds: seconds / count }
        };
        // A quarter of an hour in parts of ten minutes: two of 7.5 minutes, none of which reaches into the next iteration.
        let two = parts(900.0, 600.0);
        assert_eq!((two.count, two.seconds), (2, 450.0));
        assert_eq!([0.0, 449.9, 450.0, 899.0, 912.0, -1.0].map(|at| two.of(at)), [0, 0, 1, 1, 1, 0]);
        assert_eq!(parts(7.0, 600.0), Parts { count: 1, seconds: 7.0 });
    }
}
