//! What follows from attempts whose outcomes are known.

use super::attempts::Attempt;
use super::*;
use proptest::prelude::*;
use terms::{Quantity, Unit};

fn attempt(number: usize, trying: &Trying, load: f64, outcome: Outcome, code: &str) -> AttemptResult {
    AttemptResult {
        number: number as u32 + 1,
        run: None,
        scenario: format!("peak_{}", number + 1),
        values: trying.values.clone(),
        load,
        is_confirming: trying.is_confirming,
        outcome,
        is_sure: true,
        reason: Reason { code: code.to_owned(), args: Default::default() },
        decided: None,
        is_degraded: false,
        must: None,
        throughput_per_s: load,
        by_per_s: None,
        failed_share: None,
        seconds: 60.0,
        validity: Validity::Valid,
        growth: None,
    }
}

fn whole(results: &[AttemptResult]) -> Vec<Attempt> {
    results.iter().map(|result| Attempt { result: result.clone(), is_gone: false }).collect()
}

fn bisected(from: f64, to: f64, unit: Unit) -> (Arc<Search>, BracketRule) {
    let of = |value| Quantity { value, unit: unit.clone() };
    let rule = BracketRule {
        vary: "rate".to_owned(),
        from: of(from),
        to: of(to),
        width: 0.02,
        passes: (1, 1),
        accept: Vec::new(),
        confirm: None,
        most: 100,
    };
    (Arc::new(Search { name: "peak".to_owned(), rule: SearchRule::Bracket(rule.clone()), by: None }), rule)
}

/// All attempts of a search, and its end, with what becomes of each load.
fn searched(search: &Arc<Search>, rule: &BracketRule, of: impl Fn(f64) -> (Outcome, &'static str)) -> SearchResult {
    let mut results: Vec<AttemptResult> = Vec::new();
    let mut next = search.first();
    loop {
        let load = rule.load(&next.values[0].1).expect("a load");
        let (outcome, code) = of(load);
        results.push(attempt(results.len(), &next, load, outcome, code));
        let found = bracket(search, rule, whole(&results));
        match &found.standing {
            Standing::Next(trying) => next = trying.clone(),
            Standing::Over(_) => return found,
        }
    }
}

fn holds(capacity: f64) -> impl Fn(f64) -> (Outcome, &'static str) {
    move |load| if load <= capacity { (Outcome::Passed, "met") } else { (Outcome::Failed, "not_met") }
}

/// The loads of the analysis page for a capacity of 737, in whole numbers a second.
#[test]
fn a_bisection_finds_737() {
    let (search, rule) = bisected(100.0, 1600.0, Unit::PerSecond);
    let found = searched(&search, &rule, holds(737.0));
    let loads: Vec<f64> = found.attempts.iter().map(|attempt| attempt.load).collect();
    assert_eq!(loads, [400.0, 800.0, 566.0, 673.0, 734.0, 766.0, 750.0, 742.0]);
    assert_eq!((found.held, found.failed, found.best), (Some(734.0), Some(742.0), Some(4)));
    assert_eq!(found.standing, Standing::Over(Why::Found));
    let asides = asides(std::slice::from_ref(&found));
    assert!(asides.len() == 7 && !asides.contains("peak_5"));
}

#[test]
fn the_generator_is_named_only_where_it_spoiled_attempts() {
    let (search, rule) = bisected(100.0, 1600.0, Unit::PerSecond);
    for (code, why) in [("invalid", Why::Generator), ("no_value", Why::Unjudged)] {
        let found = searched(&search, &rule, |_| (Outcome::Void, code));
        assert_eq!((found.attempts.len(), found.standing, found.held), (3, Standing::Over(why), None));
    }
}

/// The exit code of a run that went on with a search follows the requirements of the best attempt, not whether its load
/// held: by steps every attempt that was measured does.
#[test]
fn of_a_result_that_was_taken_over_its_requirements_count() {
    let (search, rule) = bisected(100.0, 1600.0, Unit::PerSecond);
    let mut found = searched(&search, &rule, holds(737.0));
    assert_eq!(found.taken_over(), None, "its own attempt is judged by itself");
    let best = found.best.expect("a result");
    found.attempts[best].run = Some("before".to_owned());
    assert_eq!(found.taken_over(), None, "nothing was required");
    found.attempts[best].must = Some(Verdict::NotMet);
    assert_eq!((found.attempts[best].outcome, found.taken_over()), (Outcome::Passed, Some(Verdict::NotMet)));
    let again = found.attempts[best].to_head(&search, "later");
    assert_eq!((again.run.as_str(), again.must.as_deref()), ("before", Some("not_met")));
}

/// Where nothing held, what stands for the search is an attempt that failed, though another at that load passed.
#[test]
fn a_search_in_which_nothing_held_is_not_told_by_a_chance_success() {
    let (search, rule) = bisected(100.0, 1600.0, Unit::PerSecond);
    let mut found = searched(&search, &rule, holds(1.0));
    assert_eq!((found.held, found.failed, found.best), (None, Some(100.0), None));
    let last = found.attempts.len() - 1;
    let chance = AttemptResult { outcome: Outcome::Passed, number: 99, ..found.attempts[last].clone() };
    found.attempts.insert(0, chance);
    assert_eq!(found.standing_for().map(|attempt| attempt.outcome), Some(Outcome::Failed));
}

/// Run C of the published report, with an attempt that was spoiled and made again.
#[test]
fn the_steps_of_a_published_report_come_out_again() {
    let rule = study::NspRule {
        variables: ["threads".to_owned(), "nodes".to_owned()],
        first: [5, 2],
        raise: [3, 1],
        most: [50, 10],
        target: 0.6,
    };
    let search = Arc::new(Search { name: "registration".to_owned(), rule: SearchRule::Nsp(rule.clone()), by: None });
    let measured = [(10.0, 2.76), (16.0, 4.19), (22.0, 0.5), (22.0, 4.24), (33.0, 7.2), (44.0, 6.25)];
    let mut results: Vec<AttemptResult> = Vec::new();
    let mut next = search.first();
    for (number, (users, throughput_per_s)) in measured.into_iter().enumerate() {
        let product: f64 = next.values.iter().map(|(_, value)| value.parse::<f64>().expect("a number")).product();
        assert_eq!(product, users);
        let (outcome, code) = if number == 2 { (Outcome::Void, "invalid") } else { (Outcome::Passed, "measured") };
        results.push(AttemptResult { throughput_per_s, ..attempt(number, &next, users, outcome, code) });
        let found = by_steps(&search, &rule, whole(&results));
        match found.standing {
            Standing::Next(trying) => next = trying,
            Standing::Over(why) => assert_eq!((number, why), (5, Why::TargetMissed)),
        }
    }
    let found = by_steps(&search, &rule, whole(&results));
    let growth = |attempt: &AttemptResult| attempt.growth.map(|step| (step.actual_percent, step.target_percent));
    let printed: Vec<_> = found.attempts.iter().map(growth).collect();
    let pair = |actual, target| Some((Some(actual), Some(target)));
    assert_eq!(printed, [Some((None, None)), pair(51, 36), None, pair(1, 22), pair(69, 30), pair(-13, 19)]);
    // The best, not the last, is the result.
    assert_eq!((found.held, found.best), (Some(33.0), Some(4)));
}

/// Users bring no more calls, and each call carries more: by what is carried the search goes on, by calls it does not.
#[test]
fn a_rate_of_its_own_decides() {
    let rule = study::NspRule {
        variables: ["threads".to_owned(), "items".to_owned()],
        first: [1, 1],
        raise: [1, 1],
        most: [2, 3],
        target: 0.6,
    };
    let ends = [None, Some(1.0)].map(|by| {
        let name = by.map(|_: f64| "rate(put.ok) * $(items)".to_owned());
        let search = Arc::new(Search { name: "put".to_owned(), rule: SearchRule::Nsp(rule.clone()), by: name });
        let (mut results, mut next): (Vec<AttemptResult>, _) = (Vec::new(), search.first());
        loop {
            let values: Vec<f64> = next.values.iter().map(|(_, value)| value.parse().expect("a number")).collect();
            let calls = 100.0;
            let result = attempt(results.len(), &next, values.iter().product(), Outcome::Passed, "measured");
            let by_per_s = by.map(|one| one * calls * values[0].min(1.2) * values[1]);
            results.push(AttemptResult { throughput_per_s: calls, by_per_s, ..result });
            let found = by_steps(&search, &rule, whole(&results));
            match found.standing {
                Standing::Next(trying) => next = trying,
                Standing::Over(why) => break (why, found.held),
            }
        }
    });
    assert_eq!(ends, [(Why::TargetMissed, Some(1.0)), (Why::MostReached, Some(6.0))]);
}

/// Ten calls a second for each user, and no more than `most`. Where that is the generator's limit, its threads are full, and
/// what was found is not called the system's maximum; where it is the system's, they are not.
#[test]
fn a_limit_of_the_generator_is_not_the_systems() {
    let rule = study::NspRule {
        variables: ["threads".to_owned(), "nodes".to_owned()],
        first: [5, 2],
        raise: [3, 1],
        most: [50, 10],
        target: 0.6,
    };
    let search = Arc::new(Search { name: "peak".to_owned(), rule: SearchRule::Nsp(rule.clone()), by: None });
    let ends = |most: f64, is_of_generator: bool| {
        let (mut results, mut next): (Vec<AttemptResult>, _) = (Vec::new(), search.first());
        loop {
            let users: f64 = next.values.iter().map(|(_, value)| value.parse::<f64>().expect("a number")).product();
            let throughput_per_s = (10.0 * users).min(most);
            let is_full = is_of_generator && 10.0 * users >= most;
            let validity = if is_full { Validity::Questionable } else { Validity::Valid };
            let result = attempt(results.len(), &next, users, Outcome::Passed, "measured");
            results.push(AttemptResult { throughput_per_s, validity, ..result });
            match by_steps(&search, &rule, whole(&results)).standing {
                Standing::Next(trying) => next = trying,
                Standing::Over(why) => return why,
            }
        }
    };
    for most in (60..=800).step_by(20) {
        let most = f64::from(most);
        assert_eq!((ends(most, true), ends(most, false)), (Why::Disturbed, Why::TargetMissed), "{most}");
    }
}

/// An abort rule ended the third iteration: a miss. Ended by what disturbed the measurement, it is made again.
#[test]
fn an_aborted_iteration_is_a_miss_and_a_disturbed_one_is_made_again() {
    let rule = study::NspRule {
        variables: ["threads".to_owned(), "nodes".to_owned()],
        first: [5, 2],
        raise: [3, 1],
        most: [50, 10],
        target: 0.6,
    };
    let search = Arc::new(Search { name: "peak".to_owned(), rule: SearchRule::Nsp(rule.clone()), by: None });
    let told = [
        (10.0, Outcome::Passed, "measured"),
        (16.0, Outcome::Void, "aborted_spoiled"),
        (16.0, Outcome::Passed, "measured"),
        (22.0, Outcome::Failed, "aborted"),
        (24.0, Outcome::Passed, "measured"),
        (32.0, Outcome::Failed, "aborted"),
    ];
    let (mut results, mut next): (Vec<AttemptResult>, _) = (Vec::new(), search.first());
    for (number, (users, outcome, code)) in told.into_iter().enumerate() {
        let product: f64 = next.values.iter().map(|(_, value)| value.parse::<f64>().expect("a number")).product();
        assert_eq!(product, users);
        // What was aborted looks as if it were the best.
        let throughput_per_s = if code == "aborted" { 1e3 } else { users };
        results.push(AttemptResult { throughput_per_s, ..attempt(number, &next, users, outcome, code) });
        match by_steps(&search, &rule, whole(&results)).standing {
            Standing::Next(trying) => next = trying,
            Standing::Over(why) => assert_eq!((number, why), (5, Why::Aborted)),
        }
    }
    let found = by_steps(&search, &rule, whole(&results));
    assert_eq!((found.held, found.best), (Some(24.0), Some(4)));
    let spoiled: Vec<_> =
        (0..3).map(|number| attempt(number, &search.first(), 10.0, Outcome::Void, "aborted_spoiled")).collect();
    assert_eq!(by_steps(&search, &rule, whole(&spoiled)).standing, Standing::Over(Why::Generator));
}

proptest! {
    /// The study tries the load first that the bisection asks for first, so that its outcome counts.
    #[test]
    fn the_first_load_is_the_one_that_is_asked_for(from in 1u32..5000, ratio in 1.03..1000.0f64, is_rate in any::<bool>()) {
        let unit = if is_rate { Unit::PerSecond } else { Unit::Count };
        let (search, rule) = bisected(f64::from(from), (f64::from(from) * ratio).ceil(), unit);
        if rule.has_loads_between() {
            let first = search.first();
            let found = bracket(&search, &rule, Vec::new());
            prop_assert_eq!(found.standing, Standing::Next(first));
        }
    }
}
