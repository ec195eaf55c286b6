//! Whether what is watched has come to rest after a load, while the run goes on: what a gap waits for.

use super::named_metrics;
use crate::evaluate::Evaluator;
use crate::figures::{Around, Figures, Sampled, Selection};
use crate::requirements::{StateRule, is_at_rest};
use record::{Head, SampleRow, StepMark};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use study::rule::{Clause, Rule};
use terms::{Nanos, Phase};

/// Samples of the idle phase, and after the load, that are kept: a hundred instances each second for some minutes. Of more
/// the oldest go.
const SAMPLES_MAX: usize = 65_536;
/// How far back the samples after the load are looked at.
const LOOKS_BACK: Nanos = Nanos::from_secs(60);

/// Sees one scenario, and then says whether a rule of states holds of what is watched.
pub struct Rest {
    head: Head,
    rule: Rule,
    /// The scenario, and which time it is carried out.
    of: (u16, u32),
    metrics: BTreeSet<(u16, u16)>,
    idle: Option<Range<Nanos>>,
    load_end: Option<Nanos>,
    in_idle: VecDeque<SampleRow>,
    after: VecDeque<SampleRow>,
}

impl Rest {
    /// Of one time that a scenario is carried out, from 1.
    pub fn new(head: &Head, of: (u16, u32), rule: Rule) -> Self {
        let metrics = named_metrics(head, std::slice::from_ref(&rule));
        Self {
            head: head.clone(),
            rule,
            of,
            metrics,
            idle: None,
            load_end: None,
            in_idle: VecDeque::new(),
            after: VecDeque::new(),
        }
    }

    /// Takes the mark of a step.
    pub fn mark(&mut self, mark: &StepMark) {
        let Some(step) = self.head.steps.get(mark.step as usize) else { return };
        if (step.scenario, step.repetition.max(1)) != self.of {
            return;
        }
        if step.phase == Phase::Idle.name() {
            let idle = self.idle.get_or_insert(mark.at..Nanos::MAX);
            if mark.is_end {
                idle.end = mark.at;
            }
        } else if step.phase == Phase::Drain.name() && !mark.is_end {
            self.load_end = Some(mark.at);
        }
    }

    /// Takes samples as they are recorded.
    pub fn add_samples(&mut self, rows: &[SampleRow]) {
        for row in rows.iter().filter(|row| self.metrics.contains(&(row.monitor, row.metric))) {
            if self.idle.as_ref().is_some_and(|idle| idle.contains(&row.at)) {
                keep(&mut self.in_idle, row);
            } else if self.load_end.is_some_and(|end| row.at >= end) {
                keep(&mut self.after, row);
                let from = row.at - LOOKS_BACK;
                while self.after.front().is_some_and(|row| row.at < from) {
                    self.after.pop_front();
                }
            }
        }
    }

    /// Whether the rule holds now; `None` where that cannot be told (yet).
    pub fn holds(&self) -> Option<bool> {
        let load_end = self.load_end?;
        let idle = self.idle.clone().map(|idle| self.sampled(&self.in_idle, idle)).unwrap_or_default();
        let after = self.sampled(&self.after, load_end..Nanos::MAX);
        let around = Around { idle, after, load_end, seen_to: self.after.back()?.at };
        let figures = Figures::default();
        let evaluator = Evaluator {
            head: &self.head,
            figures: &figures,
            elsewhere: &[],
            exchange: None,
            instance: None,
            stream: None,
        };
        let mut all = true;
        for clause in &self.rule.clauses {
            let Clause::State { state, function, subject, options } = clause else { return None };
            let asked = StateRule { state: *state, function: *function, subject, options };
            all &= is_at_rest(&evaluator, &asked, &around)?;
        }
        Some(all)
    }

    fn sampled(&self, rows: &VecDeque<SampleRow>, moments: Range<Nanos>) -> Sampled {
        let mut figures = Figures::default();
        let selection = Selection { moments: vec![moments], ..Selection::default() };
        figures.add_samples(&self.head, rows, &selection);
        figures.samples
    }
}

fn keep(rows: &mut VecDeque<SampleRow>, row: &SampleRow) {
    if rows.len() >= SAMPLES_MAX {
        rows.pop_front();
    }
    rows.push_back(row.clone());
}
