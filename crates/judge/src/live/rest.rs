//! Whether what is watched has come to rest around a load, while the run goes on: what its waits are for.

use super::{Backlogs, named_metrics};
use crate::evaluate::Evaluator;
use crate::figures::{Around, Figures, Sampled, Selection};
use crate::requirements::{StateRule, rests};
use record::{Head, SampleRow, StepMark};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use study::Wait;
use study::rule::{Clause, Rule, Series, State, Subject};
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

    /// Whether it is for a leg that is counted: what is looked at from the beginning of the wait on tells of that.
    pub fn is_for_counted(&self, backlogs: &Backlogs) -> bool {
        self.rule.clauses.iter().any(|clause| counted(clause, backlogs).is_some())
    }

    /// Since when the rule has held, by what was seen from a moment on; `None` where it does not hold now, or that cannot be
    /// told (yet).
    pub fn held_since(&self, from: Nanos, backlogs: &Backlogs) -> Option<Nanos> {
        let figures = Figures::default();
        let evaluator = Evaluator {
            head: &self.head,
            figures: &figures,
            elsewhere: &[],
            exchange: None,
            instance: None,
            stream: None,
        };
        let mut since = Nanos::MAX;
        for clause in &self.rule.clauses {
            let own = match (counted(clause, backlogs), self.wait) {
                (Some(leg), Wait::Idle) => backlogs.quiet_since(leg, from)?,
                (Some(leg), _) => backlogs.empty_since(leg, from)?,
                (None, _) => self.clause_since(clause, from, &evaluator)?,
            };
            since = since.min(own);
        }
        Some(since)
    }

    /// Why its rule does not hold, of a leg that is counted, in a few words.
    pub fn why_not(&self, backlogs: &Backlogs) -> Option<String> {
        let legs = self.rule.clauses.iter().filter_map(|clause| counted(clause, backlogs));
        let is_left = |leg: &&str| backlogs.empty_since(leg, Nanos(i64::MIN)).is_none();
        legs.filter(is_left).find_map(|leg| backlogs.why(leg))
    }

    /// The same of one clause about what is watched.
    fn clause_since(&self, clause: &Clause, from: Nanos, evaluator: &Evaluator<'_>) -> Option<Nanos> {
        let Clause::State { state, function, subject, options } = clause else { return None };
        let asked = StateRule { state: *state, function: *function, subject, options };
        let standing = match self.wait {
            Wait::Idle => rests::before_load(evaluator, &asked, &self.sampled(&self.before, from..Nanos::MAX))?,
            _ => {
                let load_end = self.load_end?;
                let idle = self.idle.clone().map(|idle| self.sampled(&self.before, idle)).unwrap_or_default();
                let after = self.sampled(&self.after, load_end.max(from)..Nanos::MAX);
                let around = Around { idle, after, load_end, seen_to: self.after.back()?.at };
                rests::after_load(evaluator, &asked, &around)?
            }
        };
        standing.holds.then_some(standing.since)
    }

    fn sampled(&self, rows: &VecDeque<SampleRow>, moments: Range<Nanos>) -> Sampled {
        let mut figures = Figures::default();
        let selection = Selection { moments: vec![moments], ..Selection::default() };
        figures.add_samples(&self.head, rows, &selection);
        figures.samples
    }
}

/// The leg that a clause waits for, where it is one that is counted.
fn counted<'a>(clause: &'a Clause, backlogs: &Backlogs) -> Option<&'a str> {
    match clause {
        Clause::State {
            state: State::Drained,
            subject: Series { subject: Subject::Metric { monitor, .. }, .. },
            ..
        } => Some(monitor.as_str()).filter(|name| backlogs.knows(name)),
        _ => None,
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
