//! How close a search comes to a capacity that is known, and how often what it says held lies beyond it.

use crate::measure::judged;
use crate::processes::{Kind, Process, Random, Run};
use stats::search::{NextTrial, Search, SearchRule, Spacing, TrialOutcome};
use stats::share::ShareVerdict;

/// The requirement is about this percentile.
const QUANTILE: f64 = 0.95;
/// Calls a second that the server can serve.
const SERVED: f64 = 200.0;

/// What becomes slower with its load, and at which load its p95 reaches the limit of 1.
#[derive(Clone, Copy)]
enum System {
    /// Times that grow with the load and remember nothing.
    Independent,
    /// M/M/1 whose p95 is at its limit at this utilisation.
    Queue(f64),
}

impl System {
    fn capacity(self) -> f64 {
        match self {
            Self::Independent => 0.5 * SERVED,
            Self::Queue(utilisation) => utilisation * SERVED,
        }
    }

    /// A run at a load, in units of the limit; `None` where the queue grows without end.
    fn run(self, load: f64, seconds: usize, random: &mut Random) -> Option<Run> {
        let of = |kind| Process { name: "", seconds, rate: load, kind };
        let (run, limit) = match self {
            // The p95 of lognormal times of spread 0.5.
            Self::Independent => {
                (of(Kind::Independent).run(random), (0.5f64 * 1.644_853_627).exp() * self.capacity() / load)
            }
            Self::Queue(_) if load >= 0.99 * SERVED => return None,
            Self::Queue(_) => (of(Kind::Queue(load / SERVED)).run(random), 20f64.ln() / (SERVED - self.capacity())),
        };
        Some(run.into_iter().map(|calls| calls.into_iter().map(|time| time / limit).collect()).collect())
    }
}

/// What many searches came to.
struct Found {
    /// The capacity lies between what held and what did not.
    between: f64,
    /// What held lies more than 5 % beyond the capacity.
    beyond: f64,
    /// What failed lies more than 5 % within it.
    within: f64,
    /// What held over the capacity, at 5, 50 and 95 %.
    held: [f64; 3],
    /// Mean number of attempts.
    attempts: f64,
}

/// As the judge decides an attempt: by the verdict, and where that is open by the value.
fn outcome(system: System, load: f64, seconds: usize, random: &mut Random) -> TrialOutcome {
    let Some(run) = system.run(load, seconds, random) else { return TrialOutcome::Failed };
    match judged(run, QUANTILE, 1.0) {
        (ShareVerdict::Pass, _) => TrialOutcome::Passed,
        (ShareVerdict::Fail, _) => TrialOutcome::Failed,
        (ShareVerdict::Inconclusive, value) if value <= 1.0 => TrialOutcome::Passed,
        (ShareVerdict::Inconclusive, _) => TrialOutcome::Failed,
    }
}

/// `confirm` as many times the length of the other attempts.
fn searched(system: System, seconds: usize, passes: (u32, u32), confirm: Option<usize>, searches: usize) -> Found {
    let mut random = Random::new(17);
    let rule = SearchRule {
        from: 10.0,
        to: 400.0,
        spacing: Spacing::Geometric { width: 0.05 },
        grain: 0.1,
        passes: passes.0,
        trials: passes.1,
        confirm: confirm.is_some(),
        most: 100,
    };
    let mut found = Found { between: 0.0, beyond: 0.0, within: 0.0, held: [0.0; 3], attempts: 0.0 };
    let (mut held, capacity, all) = (Vec::new(), system.capacity(), searches as f64);
    for _ in 0..searches {
        let mut search = Search::new(rule).expect("a rule that is right");
        let bracket = loop {
            match search.next() {
                NextTrial::Done(bracket) => break bracket,
                NextTrial::Try { load, .. } => search.observe(outcome(system, load, seconds, &mut random)),
                NextTrial::Confirm { load } => {
                    search.observe(outcome(system, load, seconds * confirm.unwrap_or(1), &mut random));
                }
            }
        };
        let (low, high) = (bracket.held.unwrap_or(0.0), bracket.failed.unwrap_or(f64::INFINITY));
        found.between += f64::from(u8::from(low <= capacity && capacity < high)) / all;
        found.beyond += f64::from(u8::from(low > 1.05 * capacity)) / all;
        found.within += f64::from(u8::from(high < 0.95 * capacity)) / all;
        found.attempts += f64::from(search.trials()) / all;
        held.push(low / capacity);
    }
    held.sort_by(f64::total_cmp);
    found.held = [0.05, 0.5, 0.95].map(|share| held[((held.len() - 1) as f64 * share).round() as usize]);
    found
}

#[test]
#[ignore = "prints the figures of docs/methods/capacity-search.md, and takes a minute"]
fn figures_of_the_page() {
    for (name, system) in [
        ("independent", System::Independent),
        ("M/M/1, limit at 0.7", System::Queue(0.7)),
        ("M/M/1, limit at 0.9", System::Queue(0.9)),
    ] {
        for seconds in [10, 60, 300] {
            for (passes, confirm) in [((1, 1), None), ((2, 3), None), ((2, 3), Some(5))] {
                let found = searched(system, seconds, passes, confirm, 200);
                let [low, middle, high] = found.held.map(|share| 100.0 * share);
                println!(
                    "| {name} | {seconds} s | {} of {}{} | {:.0} | {low:.0}, {middle:.0}, {high:.0} | {:.0} | {:.0} | {:.0} |",
                    passes.0,
                    passes.1,
                    confirm.map_or(String::new(), |times| format!(", confirmed {times} times as long")),
                    100.0 * found.between,
                    100.0 * found.beyond,
                    100.0 * found.within,
                    found.attempts,
                );
            }
        }
    }
}

#[test]
fn a_search_comes_close_to_a_capacity_that_theory_knows() {
    let found = searched(System::Queue(0.7), 60, (2, 3), None, 30);
    assert!((found.held[1] - 1.0).abs() < 0.06, "{:?}", found.held);
    assert!(found.beyond < 0.2 && found.within < 0.2, "{} {}", found.beyond, found.within);
    let found = searched(System::Independent, 10, (2, 3), None, 30);
    assert!((found.held[1] - 1.0).abs() < 0.06 && found.beyond < 0.1, "{:?} {}", found.held, found.beyond);
}
