//! A wait around a load that was over before what it was for had come about.

use super::{RuleInput, finding};
use crate::evaluate::Evaluator;
use crate::evidence::StepSpan;
use crate::figures::{Around, Figures};
use crate::findings::declare::{Count, Given, Seconds, declare};
use crate::live::named_metrics;
use crate::requirements::rests::{self, Standing};
use crate::requirements::{StateRule, around_load, unit_arg, watched_in};
use crate::{Arg, Finding, Gravity, Scope};
use record::{EventRow, UNRESTED};
use study::Wait;
use study::rule::{Clause, Rule, State, Subject};
use terms::{Nanos, Phase};

/// A count that was last read longer ago, in periods of its monitor, says nothing of now.
const FRESH_PERIODS: f64 = 3.0;
/// Nor one that was last read longer ago than that and this, seconds.
const FRESH_S: f64 = 5.0;

declare! {
    /// A wait of `idle`, `drain`, `recovery` or `gap` with `until` was ended by its `at_most`: its rule did not hold by
    /// then. Gives what is watched, or the backlog of a counted leg, as it was at that moment, and for a drain how many
    /// iterations were cut off. A count that went backwards while something was outstanding no longer counts. A
    /// warning, since what follows begins on a system that is not at rest, and since what a drain left undone is part
    /// of the work.
    StillBusy = "STILL-BUSY" {
        high: Arg,
        left: Count,
        low: Arg,
        most: Given<Seconds>,
        rule: String,
        series: String,
        standing: String,
        value: Arg,
        wait: String,
    }
}

/// STILL-BUSY: a wait that its longest time ended, and not its rule.
pub(super) fn still_busy(seen: &RuleInput<'_>) -> Vec<Finding> {
    let events = seen.index.evidence.events.iter().filter(|event| event.kind == UNRESTED);
    events.filter_map(|event| of_wait(seen, event)).collect()
}

fn of_wait(seen: &RuleInput<'_>, event: &EventRow) -> Option<Finding> {
    let (name, again) = event.subject.split_once('#').unwrap_or((&event.subject, "1"));
    let number = seen.study.scenarios.iter().position(|scenario| scenario.name == name)?;
    let of = (number, again.parse().ok()?);
    let step = phase_at(seen, of, event.at);
    let wait = step.map_or(Wait::Gap, |step| match step.phase {
        Phase::Idle => Wait::Idle,
        Phase::Drain => Wait::Drain,
        _ => Wait::Recovery,
    });
    let scenario = &seen.study.scenarios[number];
    let rule = scenario.until.get(&wait)?;
    let scope = step.and_then(|step| seen.steps.iter().find(|result| result.number == step.number));
    let scope = scope.map_or_else(|| Scope::whole(name), |result| result.scope.clone());
    let standing = match wait {
        Wait::Idle => standing(seen, rule, |metrics, evaluator, asked| {
            let seen = watched_in(seen.index, vec![step?.from..event.at], metrics);
            rests::before_load(evaluator, asked, &seen)
        }),
        _ => standing(seen, rule, |metrics, evaluator, asked| {
            rests::after_load(evaluator, asked, &around(seen, of, event.at, metrics)?)
        }),
    };
    let unknown = unknown(seen, rule, event.at);
    let standing = if unknown.is_some() { None } else { standing };
    let none = || Arg::Text("none".into());
    let arg = |of: fn(&Standing) -> f64| {
        let found = standing.as_ref().and_then(|(_, found)| found.as_ref());
        found.map_or_else(none, |found| unit_arg(found.kind, of(found)))
    };
    let word = |(_, found): &(String, Option<Standing>)| match (found, wait) {
        (None, _) => "unseen",
        (Some(found), _) if found.state == State::Drained => "drained",
        (Some(_), Wait::Idle) => "unsteady",
        (Some(_), _) => "settled",
    };
    let (series, word) = match (unknown, &standing) {
        (Some((series, word)), _) => (series, word),
        (None, None) => (String::new(), "held"),
        (None, Some(found)) => (found.0.clone(), word(found)),
    };
    let args = StillBusy {
        high: arg(|found| found.high),
        left: Count(if wait == Wait::Drain { cut_off(seen, of) } else { 0 } as f64),
        low: arg(|found| found.low),
        most: Given(Seconds(scenario.longest(wait).as_secs_f64())),
        rule: rule.text.clone(),
        series,
        standing: word.to_owned(),
        value: arg(|found| found.value),
        wait: wait.name().to_owned(),
    };
    Some(finding(Gravity::Warning, &scope, args))
}

/// The phase without load, of a scenario that is carried out the so-manieth time, in which a moment lies.
fn phase_at<'a>(seen: &RuleInput<'a>, (scenario, again): (usize, u32), at: Nanos) -> Option<&'a StepSpan> {
    let steps = seen.index.evidence.steps.iter().filter(|step| step.scenario == scenario);
    let mut own = steps.filter(|step| seen.index.repetition(step) == again);
    own.find(|step| {
        matches!(step.phase, Phase::Idle | Phase::Drain | Phase::Recovery) && step.from <= at && at <= step.to
    })
}

/// The series of the first clause that does not hold, and how it stands; of a rule that holds by now there is none.
fn standing(
    seen: &RuleInput<'_>,
    rule: &Rule,
    of: impl Fn(&[(u16, u16)], &Evaluator<'_>, &StateRule<'_>) -> Option<Standing>,
) -> Option<(String, Option<Standing>)> {
    let head = seen.index.head();
    let metrics: Vec<_> = named_metrics(head, std::slice::from_ref(rule)).into_iter().collect();
    let figures = Figures::default();
    let evaluator = Evaluator { head, figures: &figures, elsewhere: &[], exchange: None, instance: None, stream: None };
    let clauses = rule.clauses.iter().filter_map(|clause| match clause {
        Clause::State { state, function, subject, options } => {
            let asked = StateRule { state: *state, function: *function, subject, options };
            Some((subject.text.clone(), of(&metrics, &evaluator, &asked)))
        }
        _ => None,
    });
    clauses.into_iter().find(|(_, standing)| standing.is_none_or(|standing| !standing.holds))
}

/// Of the first leg that is counted and waited for, and of which it is not known what is through: why not.
fn unknown(seen: &RuleInput<'_>, rule: &Rule, at: Nanos) -> Option<(String, &'static str)> {
    let evidence = seen.index.evidence;
    let of = |clause: &Clause| {
        let Clause::State { subject, .. } = clause else { return None };
        let Subject::Metric { monitor, .. } = &subject.subject else { return None };
        let last = evidence.last_derived(monitor, at)?;
        if evidence.went_back(monitor, Nanos(i64::MIN)..at).is_some() {
            return Some((subject.text.clone(), "backwards"));
        }
        let every = seen.index.head().monitors.iter().find(|known| known.name == *monitor)?.every_s;
        let fresh = Nanos::from_secs_f64((every * FRESH_PERIODS).clamp(FRESH_S, 86_400.0));
        last.is_none_or(|last| at - last > fresh).then(|| (subject.text.clone(), "unseen"))
    };
    rule.clauses.iter().find_map(of)
}

/// What was watched around a load, until the moment at which the wait after it was over.
fn around(seen: &RuleInput<'_>, of: (usize, u32), at: Nanos, metrics: &[(u16, u16)]) -> Option<Around> {
    let mut around = around_load(seen.index, of, at, metrics)?;
    around.after.values_mut().for_each(|points| points.retain(|(moment, _)| *moment < at));
    Some(Around { seen_to: around.seen_to.min(at), ..around })
}

/// Iterations of a scenario that were cut off.
fn cut_off(seen: &RuleInput<'_>, (scenario, again): (usize, u32)) -> u64 {
    let own = seen.index.evidence.steps.iter().zip(seen.steps);
    let own = own.filter(|(span, _)| span.scenario == scenario && seen.index.repetition(span) == again);
    own.map(|(_, result)| result.books.aborted).sum()
}
