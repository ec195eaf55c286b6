//! Whether what is watched has come to rest around a load, while the run goes on: what its waits are for.

use super::named_metrics;
use crate::evaluate::Evaluator;
use crate::figures::{Around, Figures, Sampled, Selection};
use crate::requirements::{StateRule, rests};
use record::{Head, SampleRow, StepMark};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use study::Wait;
use study::rule::{Clause, Rule};
use terms::{Nanos, Phase};

/// Samples before the load, and after it, that are kept: a hundred instances each second for some minutes. Of more the
/// oldest go.
const SAMPLES_MAX: usize = 65_536;
/// How far back samples are looked at, and over how many periods of their monitors at least.
const LOOKS_BACK: Nanos = Nanos::from_secs(60);
const LOOKS_BACK_PERIODS: f64 = 8.0;

/// Sees one scenario, and says whether a rule of states holds of what is watched in one of its waits.
pub struct Rest {
    head: Head,
    wait: Wait,
    rule: Rule,
    /// The scenario, and which time it is carried out.
    of: (u16, u32),
    metrics: BTreeSet<(u16, u16)>,
    looks_back: Nanos,
    has_idle: bool,
    idle: Option<Range<Nanos>>,
    load_end: Option<Nanos>,
    /// Those of the idle phase, once its marks have come; before that all since the scenario began.
    before: VecDeque<SampleRow>,
    after: VecDeque<SampleRow>,
}

impl Rest {
    /// Of one time that a scenario is carried out, from 1, which begins now.
    pub fn new(head: &Head, of: (u16, u32), (wait, rule): (Wait, Rule)) -> Self {
        let metrics = named_metrics(head, std::slice::from_ref(&rule));
        let periods = metrics.iter().filter_map(|(monitor, _)| Some(head.monitors.get(usize::from(*monitor))?.every_s));
        let longest = periods.filter(|every| every.is_finite()).fold(0.0, f64::max).clamp(0.0, 86_400.0);
        Self {
            head: head.clone(),
            wait,
            rule,
            of,
            metrics,
            looks_back: LOOKS_BACK.max(Nanos::from_secs_f64(LOOKS_BACK_PERIODS * longest)),
            has_idle: head.steps.iter().any(|step| step.scenario == of.0 && step.phase == Phase::Idle.name()),
            idle: None,
            load_end: None,
            before: VecDeque::new(),
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
                let idle = idle.clone();
                self.before.retain(|row| idle.contains(&row.at));
            }
        } else if step.phase == Phase::Drain.name() && !mark.is_end {
            self.load_end = Some(mark.at);
        }
    }

    /// Takes samples as they are recorded.
    pub fn add_samples(&mut self, rows: &[SampleRow]) {
        for row in rows.iter().filter(|row| self.metrics.contains(&(row.monitor, row.metric))) {
            // An idle phase that a rule ends began before its mark comes.
            let is_before =
                self.has_idle && self.load_end.is_none() && self.idle.as_ref().is_none_or(|idle| row.at < idle.end);
            if is_before || self.idle.as_ref().is_some_and(|idle| idle.contains(&row.at)) {
                keep(&mut self.before, row);
                if self.wait == Wait::Idle {
                    forget(&mut self.before, row.at - self.looks_back);
                }
            } else if self.load_end.is_some_and(|end| row.at >= end) {
                keep(&mut self.after, row);
                forget(&mut self.after, row.at - self.looks_back);
            }
        }
    }

    /// Since when the rule has held, by what was seen from a moment on; `None` where it does not hold now, or that cannot be
    /// told (yet).
    pub fn held_since(&self, from: Nanos) -> Option<Nanos> {
        let figures = Figures::default();
        let evaluator = Evaluator {
            head: &self.head,
            figures: &figures,
            elsewhere: &[],
            exchange: None,
            instance: None,
            stream: None,
        };
        let (before, around) = match self.wait {
            Wait::Idle => (self.sampled(&self.before, from..Nanos::MAX), None),
            _ => {
                let load_end = self.load_end?;
                let idle = self.idle.clone().map(|idle| self.sampled(&self.before, idle)).unwrap_or_default();
                let after = self.sampled(&self.after, load_end.max(from)..Nanos::MAX);
                (Sampled::new(), Some(Around { idle, after, load_end, seen_to: self.after.back()?.at }))
            }
        };
        let mut since = Nanos::MAX;
        for clause in &self.rule.clauses {
            let Clause::State { state, function, subject, options } = clause else { return None };
            let asked = StateRule { state: *state, function: *function, subject, options };
            let standing = match &around {
                None => rests::before_load(&evaluator, &asked, &before)?,
                Some(around) => rests::after_load(&evaluator, &asked, around)?,
            };
            if !standing.holds {
                return None;
            }
            since = since.min(standing.since);
        }
        Some(since)
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

fn forget(rows: &mut VecDeque<SampleRow>, before: Nanos) {
    while rows.front().is_some_and(|row| row.at < before) {
        rows.pop_front();
    }
}
