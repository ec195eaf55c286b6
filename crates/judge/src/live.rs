//! Abort rules, while the run goes on: the statistic over the last so long, once a second.

use crate::asked::{asked_by, exchanges_of, places_of};
use crate::evaluate::{Evaluator, NoValue};
use crate::figures::{Figures, Selection};
use crate::rows::seconds_of;
use contract::recorder::{Folded, LegRow, OutcomeRow};
use record::{Head, SampleRow};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use study::rule::{Clause, Comparison, Rule};
use terms::Nanos;

/// Window of a rule that names none.
const DEFAULT_WINDOW: Nanos = Nanos::from_secs(1);

/// Watches one scenario's abort rules.
pub struct AbortRules {
    head: Head,
    scenario: usize,
    /// Which time it is carried out; `None` for all.
    repetition: Option<u32>,
    rules: Vec<Rule>,
    rows: VecDeque<Folded>,
    samples: VecDeque<SampleRow>,
    began: Option<Nanos>,
}

/// A rule that held.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// As written.
    pub rule: String,
    /// Value of the first sum of the clause that decided.
    pub value: f64,
}

impl AbortRules {
    /// Rules of one scenario; its load begins when the first row comes.
    pub fn new(head: Head, scenario: usize, rules: Vec<Rule>) -> Self {
        Self { head, scenario, repetition: None, rules, rows: VecDeque::new(), samples: VecDeque::new(), began: None }
    }

    /// Looks at one time only that the scenario is carried out, from 1.
    #[must_use]
    pub fn of_repetition(mut self, repetition: u32) -> Self {
        self.repetition = Some(repetition);
        self
    }

    /// Whether there is anything to watch.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Takes rows as they are recorded. What ends is counted in the second of its end: a failure that took thirty
    /// seconds to show must not be looked for in a window that has passed.
    pub fn add(&mut self, folded: &Folded, now: Nanos) {
        if self.rules.is_empty() {
            return;
        }
        let steps_of = |step: u32| self.is_own(step);
        let legs = folded
            .legs
            .iter()
            .filter(|row| steps_of(row.step))
            .map(|row| LegRow { intended_s: row.end_s, ..row.clone() });
        let outcomes = folded
            .outcomes
            .iter()
            .filter(|row| steps_of(row.step))
            .map(|row| OutcomeRow { intended_s: row.end_s, ..*row });
        let rows = Folded {
            legs: legs.collect(),
            outcomes: outcomes.collect(),
            starts: folded.starts.iter().filter(|row| steps_of(row.step)).cloned().collect(),
            iterations: folded.iterations.iter().filter(|row| steps_of(row.step)).copied().collect(),
            notes: Vec::new(),
        };
        if !rows.iterations.is_empty() {
            self.began.get_or_insert(now);
        }
        self.rows.push_back(rows);
        let keep_from = (now - self.longest() - Nanos::from_secs(2)).second();
        while self.rows.front().is_some_and(|rows| newest(rows) < keep_from) {
            self.rows.pop_front();
        }
    }

    /// Takes samples as they are recorded.
    pub fn add_samples(&mut self, rows: &[SampleRow], now: Nanos) {
        if self.rules.is_empty() {
            return;
        }
        self.samples.extend(rows.iter().cloned());
        let keep_from = now - self.longest() - Nanos::from_secs(2);
        while self.samples.front().is_some_and(|row| row.at < keep_from) {
            self.samples.pop_front();
        }
    }

    fn is_own(&self, step: u32) -> bool {
        self.head.steps.get(step as usize).is_some_and(|head| {
            usize::from(head.scenario) == self.scenario
                && self.repetition.is_none_or(|repetition| repetition == head.repetition.max(1))
        })
    }

    fn longest(&self) -> Nanos {
        self.rules.iter().map(|rule| rule.sliding.unwrap_or(DEFAULT_WINDOW)).max().unwrap_or(DEFAULT_WINDOW)
    }

    /// The first rule that holds over the whole of its window, which must lie within the load. `now` is the end of the
    /// last whole second.
    pub fn check(&self, now: Nanos) -> Option<Held> {
        let began = self.began?;
        self.rules.iter().find_map(|rule| {
            let window = rule.sliding.unwrap_or(DEFAULT_WINDOW);
            (now - began >= window).then(|| self.holds(rule, now - window, now)).flatten()
        })
    }

    fn holds(&self, rule: &Rule, from: Nanos, to: Nanos) -> Option<Held> {
        let window = |part| self.figures(rule, part, from..to);
        let figures = window(None);
        let elsewhere: Vec<Figures> = parts_of(rule).into_iter().map(|part| window(Some(part))).collect();
        let evaluator =
            Evaluator { head: &self.head, figures: &figures, elsewhere: &elsewhere, exchange: None, instance: None };
        let mut value = None;
        for clause in &rule.clauses {
            let Clause::Compare { sums, operators } = clause else { return None };
            let values: Result<Vec<f64>, NoValue> =
                sums.iter().map(|sum| evaluator.expression(sum).map(|value| value.value)).collect();
            let values = values.ok()?;
            if !values.windows(2).zip(operators).all(|(pair, operator)| compare(pair[0], *operator, pair[1])) {
                return None;
            }
            value = value.or(values.first().copied());
        }
        Some(Held { rule: rule.text.clone(), value: value? })
    }

    /// What was seen in a window, of the whole scenario or of one part.
    fn figures(&self, rule: &Rule, part: Option<usize>, window: Range<Nanos>) -> Figures {
        let is_of_part = |step: u32| {
            let own = self.head.steps.get(step as usize).and_then(|head| head.part).map(usize::from);
            part.is_none() || own == part
        };
        let steps: Vec<u32> =
            (0..self.head.steps.len() as u32).filter(|step| self.is_own(*step) && is_of_part(*step)).collect();
        let seconds = seconds_of(window.start, window.end);
        let selection = Selection {
            steps: steps.clone(),
            ends_of: steps,
            exchanges: Some(exchanges_of(rule)),
            intended: Some(vec![seconds.clone()]),
            ends: vec![seconds],
            moments: vec![window.clone()],
            gaps: Vec::new(),
        };
        let mut figures = Figures::new(&self.head, self.scenario, &asked_by(rule));
        let length = (window.end - window.start).as_secs_f64();
        (figures.is_live, figures.seconds, figures.end_seconds) = (true, length, length);
        figures.part = part;
        self.rows.iter().for_each(|rows| figures.add(rows, &selection));
        figures.add_samples(&self.head, &self.samples, &selection);
        figures
    }
}

fn compare(left: f64, operator: Comparison, right: f64) -> bool {
    match operator {
        Comparison::Less => left < right,
        Comparison::AtMost => left <= right,
        Comparison::Greater => left > right,
        Comparison::AtLeast => left >= right,
        Comparison::Equal => (left - right).abs() < f64::EPSILON,
    }
}

/// Parts of its own scenario that a rule names.
fn parts_of(rule: &Rule) -> BTreeSet<usize> {
    places_of(rule).into_iter().filter_map(|(scenario, part)| part.filter(|_| scenario.is_none())).collect()
}

fn newest(rows: &Folded) -> i64 {
    let legs = rows.legs.iter().map(|row| row.end_s);
    let outcomes = rows.outcomes.iter().map(|row| row.end_s);
    let starts = rows.starts.iter().map(|row| row.intended_s);
    let iterations = rows.iterations.iter().map(|row| row.end_s);
    legs.chain(outcomes).chain(starts).chain(iterations).max().unwrap_or(i64::MIN)
}
