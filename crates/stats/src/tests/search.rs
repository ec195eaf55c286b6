use super::close;
use crate::search::*;

fn rule(from: f64, to: f64, spacing: Spacing) -> SearchRule {
    SearchRule { from, to, spacing, grain: 0.0, passes: 1, trials: 1, confirm: false, most: 200 }
}

/// Runs a search against a system whose capacity is known; the loads tried and the result.
fn run(rule: SearchRule, capacity: f64) -> (Vec<(f64, bool)>, Bracket) {
    let mut search = Search::new(rule).unwrap();
    let mut tried = Vec::new();
    loop {
        match search.next() {
            NextTrial::Try { load, .. } | NextTrial::Confirm { load } => {
                tried.push((load, load <= capacity));
                search.observe(if load <= capacity { TrialOutcome::Passed } else { TrialOutcome::Failed });
            }
            NextTrial::Done(bracket) => return (tried, bracket),
        }
    }
}

/// Analysis page 2.3, true capacity 737.
#[test]
fn arithmetic_search_for_737() {
    let (tried, bracket) = run(rule(0.0, 1600.0, Spacing::Arithmetic { width: 10.0 }), 737.0);
    assert_eq!(
        tried,
        [
            (800.0, false),
            (400.0, true),
            (600.0, true),
            (700.0, true),
            (750.0, false),
            (725.0, true),
            (737.5, false),
            (731.25, true)
        ]
    );
    assert_eq!(bracket, Bracket { held: Some(731.25), failed: Some(737.5), end: SearchEnd::Found });
}

/// Analysis page 2.3, the same capacity by ratios of 1.02.
#[test]
fn geometric_search_for_737() {
    let (tried, bracket) = run(rule(100.0, 1600.0, Spacing::Geometric { width: 0.02 }), 737.0);
    let expected = [
        (400.0, true),
        (800.0, false),
        (565.69, true),
        (672.72, true),
        (733.60, true),
        (766.08, false),
        (749.67, false),
        (741.59, false),
    ];
    assert_eq!(tried.len(), expected.len());
    for (found, wanted) in tried.iter().zip(expected) {
        close(found.0, wanted.0, 1e-5);
        assert_eq!(found.1, wanted.1);
    }
    close(bracket.held.unwrap(), 733.603, 1e-6);
    close(bracket.failed.unwrap(), 741.592, 1e-6);
}

#[test]
fn the_ends_of_the_range_are_tried_before_they_are_claimed() {
    let (tried, bracket) = run(rule(10.0, 100.0, Spacing::Geometric { width: 0.05 }), 1e6);
    assert_eq!(tried.last(), Some(&(100.0, true)));
    assert_eq!((bracket.held, bracket.failed), (Some(100.0), None));
    let (tried, bracket) = run(rule(10.0, 100.0, Spacing::Geometric { width: 0.05 }), 1.0);
    assert_eq!(tried.last(), Some(&(10.0, false)));
    assert_eq!((bracket.held, bracket.failed), (None, Some(10.0)));
}

#[test]
fn two_of_three() {
    let rule = SearchRule { passes: 2, trials: 3, ..rule(0.0, 16.0, Spacing::Arithmetic { width: 8.0 }) };
    let mut search = Search::new(rule).unwrap();
    assert_eq!(search.next(), NextTrial::Try { load: 8.0, attempt: 1 });
    search.observe(TrialOutcome::Failed);
    // A void trial counts neither way.
    search.observe(TrialOutcome::Void);
    assert_eq!(search.next(), NextTrial::Try { load: 8.0, attempt: 2 });
    search.observe(TrialOutcome::Passed);
    assert_eq!(search.next(), NextTrial::Try { load: 8.0, attempt: 3 });
    search.observe(TrialOutcome::Passed);
    assert_eq!(search.next(), NextTrial::Try { load: 16.0, attempt: 1 });
    search.observe(TrialOutcome::Failed);
    search.observe(TrialOutcome::Failed);
    assert_eq!(search.next(), NextTrial::Done(Bracket { held: Some(8.0), failed: Some(16.0), end: SearchEnd::Found }));
    assert_eq!(search.trials(), 6);
}

#[test]
fn a_confirmation_that_fails_moves_the_bound_down() {
    let rule = SearchRule { confirm: true, ..rule(0.0, 16.0, Spacing::Arithmetic { width: 4.0 }) };
    let mut search = Search::new(rule).unwrap();
    for outcome in [TrialOutcome::Passed, TrialOutcome::Failed] {
        search.observe(outcome);
    }
    assert_eq!(search.next(), NextTrial::Confirm { load: 8.0 });
    search.observe(TrialOutcome::Failed);
    assert_eq!(search.next(), NextTrial::Try { load: 4.0, attempt: 1 });
    search.observe(TrialOutcome::Passed);
    assert_eq!(search.next(), NextTrial::Confirm { load: 4.0 });
    search.observe(TrialOutcome::Passed);
    assert_eq!(search.next(), NextTrial::Done(Bracket { held: Some(4.0), failed: Some(8.0), end: SearchEnd::Found }));
}

#[test]
fn a_generator_at_its_limit_ends_the_search_without_an_upper_bound() {
    let mut search = Search::new(rule(0.0, 16.0, Spacing::Arithmetic { width: 1.0 })).unwrap();
    search.observe(TrialOutcome::Passed);
    for _ in 0..MOST_VOID {
        search.observe(TrialOutcome::Void);
    }
    assert_eq!(search.next(), NextTrial::Done(Bracket { held: Some(8.0), failed: None, end: SearchEnd::Generator }));
}

#[test]
fn rules_that_cannot_end_are_refused() {
    let spacing = Spacing::Arithmetic { width: 1.0 };
    assert_eq!(Search::new(rule(5.0, 5.0, spacing)).unwrap_err(), RuleError::Ends);
    assert_eq!(Search::new(rule(0.0, f64::NAN, spacing)).unwrap_err(), RuleError::Ends);
    assert_eq!(
        Search::new(rule(0.0, 5.0, Spacing::Geometric { width: 0.1 })).unwrap_err(),
        RuleError::GeometricFromZero
    );
    assert_eq!(Search::new(rule(0.0, 5.0, Spacing::Arithmetic { width: 0.0 })).unwrap_err(), RuleError::Width);
    let rule = SearchRule { passes: 4, trials: 3, ..rule(0.0, 5.0, spacing) };
    assert_eq!(Search::new(rule).unwrap_err(), RuleError::Passes);
}

#[test]
fn loads_are_multiples_of_the_grain_and_the_search_ends_between_two() {
    let geometric = Spacing::Geometric { width: 0.02 };
    let (tried, bracket) = run(SearchRule { grain: 1.0, ..rule(2.0, 40.0, geometric) }, 11.5);
    assert!(tried.iter().all(|(load, _)| load.fract() == 0.0), "{tried:?}");
    // 2 % of 11 is less than a user.
    assert_eq!((bracket.held, bracket.failed, bracket.end), (Some(11.0), Some(12.0), SearchEnd::Found));
    let (tried, _) = run(SearchRule { grain: 0.1, ..rule(50.0, 2000.0, geometric) }, 737.0);
    assert!(tried.iter().all(|(load, _)| format!("{load}").len() <= 6), "{tried:?}");
    let wrong = SearchRule { grain: f64::NAN, ..rule(1.0, 2.0, geometric) };
    assert_eq!(Search::new(wrong).unwrap_err(), RuleError::Grain);
}

#[test]
fn a_search_ends_with_its_trials() {
    let (tried, bracket) = run(SearchRule { most: 3, ..rule(0.0, 1600.0, Spacing::Arithmetic { width: 1.0 }) }, 737.0);
    let loads: Vec<f64> = tried.iter().map(|(load, _)| *load).collect();
    assert_eq!((loads, bracket.end), (vec![800.0, 400.0, 600.0], SearchEnd::TrialsUsedUp));
    assert_eq!((bracket.held, bracket.failed), (Some(600.0), Some(800.0)));
}
