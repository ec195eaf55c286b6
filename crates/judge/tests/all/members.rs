//! Requirements that ask for others, whatever their order.

use crate::common::{Run, evenly, study_of};
use contract::Place;
use study::rule::{Clause, Rule, Series, State, Subject, Window};
use study::{Applies, Requirement};
use terms::{Phase, Severity};

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
