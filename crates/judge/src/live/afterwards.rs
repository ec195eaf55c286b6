//! A rule about a whole scenario, as soon as that is over and before the record is judged: whether another follows.

use super::{compare, parts_of};
use crate::evaluate::{Evaluator, Value};
use crate::figures::{Figures, Selection};
use crate::limits::{asked_by, exchanges_of};
use crate::requirements::default_window;
use record::{Folded, Head, LegPer, SampleRow, StepMark};
use std::ops::Range;
use study::rule::{Clause, Rule, Subject, Window};
use terms::Nanos;

/// Sees one scenario from its beginning to its end, and then says whether a rule holds of it.
///
/// It holds as it is written: the values of what was measured, without a chance of error. Like a requirement a clause looks
/// at the hold, and at all of the load where it joins counts by `=`.
pub struct Afterwards {
    head: Head,
    rule: Rule,
    clauses: Vec<OfClause>,
    /// The last step of the scenario, after which nothing of it comes.
    last: u32,
    is_over: bool,
}

/// What a clause looks at.
struct OfClause {
    steps: Vec<u32>,
    /// When its steps began and ended, so far.
    span: Option<Range<Nanos>>,
    figures: Figures,
}

impl Afterwards {
    /// Of one time that a scenario is carried out, from 1. None where that is not planned, or where the rule asks for
    /// what cannot be told of a scenario alone.
    pub fn new(head: &Head, (scenario, repetition): (u16, u32), rule: Rule) -> Option<Self> {
        let own = |step: &u32| {
            head.steps
                .get(*step as usize)
                .is_some_and(|step| (step.scenario, step.repetition.max(1)) == (scenario, repetition))
        };
        let steps: Vec<u32> = (0..head.steps.len() as u32).filter(own).collect();
        let last = *steps.last()?;
        let of = |clause: &Clause| {
            let alone = Rule { clauses: vec![clause.clone()], ..rule.clone() };
            let is_of_openings = !clause.statistics().is_empty()
                && clause.statistics().iter().all(|statistic| is_of_connections(head, &statistic.series.subject));
            let all = Window { part: None, phase: None };
            let default = || if is_of_openings { all } else { default_window(&alone) };
            let window = rule.window.unwrap_or_else(default);
            let is_in = |step: &&u32| {
                let phase = head.steps[**step as usize].phase.as_str();
                window.phase.is_none_or(|wanted| wanted.name() == phase)
            };
            let steps = steps.iter().filter(is_in).copied().collect();
            let mut figures = Figures::new(head, usize::from(scenario), &asked_by(&alone));
            figures.is_live = true;
            OfClause { steps, span: None, figures }
        };
        let is_possible = |clause: &Clause| matches!(clause, Clause::Compare { .. }) && parts_of(&rule).is_empty();
        let clauses = rule.clauses.iter().map(of).collect();
        let all = rule.clauses.iter().all(is_possible);
        all.then(|| Self { head: head.clone(), rule, clauses, last, is_over: false })
    }

    /// Takes rows as they are recorded.
    pub fn add(&mut self, folded: &Folded) {
        let exchanges = exchanges_of(&self.rule);
        for clause in &mut self.clauses {
            let selection = clause.selection(exchanges.clone());
            clause.figures.add(folded, &selection);
        }
    }

    /// Takes samples as they are recorded.
    pub fn add_samples(&mut self, rows: &[SampleRow]) {
        let exchanges = exchanges_of(&self.rule);
        for clause in &mut self.clauses {
            let selection = clause.selection(exchanges.clone());
            clause.figures.add_samples(&self.head, rows, &selection);
        }
    }

    /// Takes the mark of a step.
    pub fn mark(&mut self, mark: &StepMark) {
        for clause in self.clauses.iter_mut().filter(|clause| clause.steps.contains(&mark.step)) {
            let span = clause.span.get_or_insert(mark.at..Nanos::MAX);
            if mark.is_end && clause.steps.last() == Some(&mark.step) {
                span.end = mark.at;
            }
        }
        self.is_over |= mark.is_end && mark.step == self.last;
    }

    /// Whether everything of the scenario has come.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether the rule holds, with what its first clause came to; none where it cannot be told, since something was
    /// not measured.
    pub fn holds(&self) -> Option<(bool, f64)> {
        let mut first = None;
        for (clause, seen) in self.rule.clauses.iter().zip(&self.clauses) {
            let Clause::Compare { sums, operators } = clause else { return None };
            let seconds = seen.span.as_ref().map_or(0.0, |span| (span.end - span.start).as_secs_f64());
            let mut figures = seen.figures.clone();
            (figures.seconds, figures.end_seconds) = (seconds, seconds);
            let evaluator = Evaluator {
                head: &self.head,
                figures: &figures,
                elsewhere: &[],
                exchange: None,
                instance: None,
                stream: None,
            };
            let values: Result<Vec<Value>, _> = sums.iter().map(|sum| evaluator.expression(sum)).collect();
            let values = values.ok()?;
            first = first.or(values.first().map(|value| value.value));
            let mut pairs = values.windows(2).zip(operators);
            if !pairs.all(|(pair, operator)| compare(pair[0].value, *operator, pair[1].value)) {
                return Some((false, first.unwrap_or(0.0)));
            }
        }
        Some((true, first.unwrap_or(0.0)))
    }
}

/// Whether it is about legs of which there is one for each connection.
fn is_of_connections(head: &Head, subject: &Subject) -> bool {
    let Subject::Exchanges { exchanges, leg: Some(leg), .. } = subject else { return false };
    let per = |number: &u16| Some(head.exchanges.get(usize::from(*number))?.legs.get(usize::from(*leg))?.per);
    exchanges.iter().all(|number| per(number) == Some(LegPer::Connection))
}

impl OfClause {
    fn selection(&self, exchanges: Vec<u16>) -> Selection {
        let span = self.span.clone().unwrap_or(Nanos::ZERO..Nanos::MAX);
        Selection {
            steps: self.steps.clone(),
            ends_of: self.steps.clone(),
            exchanges: Some(exchanges),
            intended: None,
            ends: std::iter::once(span.start.second()..i64::MAX).collect(),
            moments: vec![span],
            gaps: Vec::new(),
            width: 1,
        }
    }
}
