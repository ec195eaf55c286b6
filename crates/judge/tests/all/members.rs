//! Requirements that ask for others, whatever their order.

use crate::common::{Run, evenly, study_of};
use contract::Place;
use judge::RequirementResult;
use proptest::prelude::*;
use study::rule::{Clause, Rule, Series, State, Subject, Window};
use study::{Applies, Requirement, Study};
use terms::{Phase, Severity, Verdict};

/// `name: met(of)` or `name: broken(of)`.
fn asks(name: &str, state: State, of: &str) -> Requirement {
    let subject = Subject::Requirement(of.into());
    let series = Series { text: of.into(), place: Place::default(), scenario: None, part: None, subject };
    let rule = Rule {
        text: format!("{state:?}({of})"),
        place: Place::default(),
        clauses: vec![Clause::State { state, function: None, subject: series, options: Vec::new() }],
        window: Some(Window { part: None, phase: Some(Phase::Hold) }),
        per: Vec::new(),
        sliding: None,
        asked: Vec::new(),
    };
    let applies = vec![Applies { scenario: 0, rule, severity: Severity::Must }];
    Requirement { name: name.into(), about: None, place: Place::default(), needs_all: true, applies }
}

#[test]
fn what_asks_for_another_is_judged_after_it() {
    let rules = "good: share(x.ok) >= 95%\nbad: share(x.failed) >= 95%\nunknown: mean(host.memory) < 1GB";
    let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 30s }", rules));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 30, 100, |_, call| call));
    let mut asking = vec![
        asks("on_good", State::Met, "good"),
        asks("on_bad", State::Met, "bad"),
        asks("not_good", State::Broken, "good"),
        asks("not_bad", State::Broken, "bad"),
        asks("on_unknown", State::Met, "unknown"),
        asks("on_nobody", State::Met, "nobody"),
        asks("twice", State::Met, "not_bad"),
        asks("left", State::Met, "right"),
        asks("right", State::Met, "left"),
    ];
    asking.append(&mut run.study.requirements);
    run.study.requirements = asking;
    let judgement = run.judge();
    let ids: Vec<_> = judgement.requirements.iter().map(|result| result.id.as_str()).collect();
    let order: Vec<_> = run.study.requirements.iter().map(|requirement| requirement.name.as_str()).collect();
    assert_eq!(ids, order, "results stand in the study's order");
    for (id, verdict) in [
        ("good", "met"),
        ("bad", "not_met"),
        ("on_good", "met"),
        ("on_bad", "not_met"),
        ("not_good", "not_met"),
        ("not_bad", "met"),
        ("on_unknown", "cannot_tell"),
        ("on_nobody", "cannot_tell"),
        ("twice", "met"),
        ("left", "cannot_tell"),
        ("right", "cannot_tell"),
    ] {
        assert_eq!(run.result(id).verdict.name(), verdict, "{id}");
    }
}

/// [`judge::deciding`] as it is defined: each result is held against all that were seen before it.
fn deciding_as_defined<'a>(results: &'a [RequirementResult], study: &Study) -> Vec<&'a RequirementResult> {
    let mut deciding: Vec<&RequirementResult> = Vec::new();
    for result in results {
        let is_any = study.requirements.iter().any(|known| known.name == result.id && !known.needs_all);
        let is_other_member = |known: &&mut &RequirementResult| {
            (&known.id, known.severity, known.scope.scenario())
                == (&result.id, result.severity, result.scope.scenario())
        };
        match deciding.iter_mut().find(|known| is_any && is_other_member(known)) {
            Some(best) if result.verdict < best.verdict => *best = result,
            Some(_) => {}
            None => deciding.push(result),
        }
    }
    deciding
}

proptest! {
    #[test]
    fn what_decides_is_found_as_it_is_defined(
        needs_all in prop::array::uniform3(any::<bool>()),
        members in prop::collection::vec((0usize..4, 0usize..4, 0usize..3, 0usize..3), 0..40),
    ) {
        let names = ["a", "b", "c", "unknown"];
        let scopes = ["one/hold", "one/hold#2/shop", "two/hold", "run"];
        let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 30s }", "a: share(x.ok) >= 95%"));
        let like = run.judge().requirements.remove(0);
        let known = run.study.requirements.remove(0);
        let named = |(name, needs_all): (&str, bool)| Requirement { name: name.into(), needs_all, ..known.clone() };
        run.study.requirements = names.into_iter().zip(needs_all).map(named).collect();
        let result = |(name, scope, severity, verdict): (usize, usize, usize, usize)| RequirementResult {
            id: names[name].into(),
            scope: scopes[scope].into(),
            severity: [Severity::Must, Severity::Should, Severity::Informative][severity],
            verdict: [Verdict::Met, Verdict::CannotTell, Verdict::NotMet][verdict],
            ..like.clone()
        };
        let results: Vec<RequirementResult> = members.into_iter().map(result).collect();
        let found = judge::deciding(&results, Some(&run.study));
        let expected = deciding_as_defined(&results, &run.study);
        // The very same members, not others that are like them.
        let is_same = found.iter().zip(&expected).all(|(one, other)| std::ptr::eq(*one, *other));
        prop_assert!(found.len() == expected.len() && is_same, "{found:?} {expected:?}");
        prop_assert_eq!(judge::deciding(&results, None).len(), results.len());
    }
}
