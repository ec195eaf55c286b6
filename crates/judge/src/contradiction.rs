//! Tables that are not what was sealed: whether what they hold can be at all.

use crate::rows::Each;
use record::Head;
use record::{IterationRow, LegRow, StartRow};
use std::collections::BTreeMap;

/// More than so many of a kind have no number in the tables.
const NUMBERED_MAX: usize = u16::MAX as usize;
/// The same of legs.
const LEGS_MAX: usize = u8::MAX as usize;

/// Says what in the head cannot be: more of something than rows have numbers for, or a time that it was carried out of
/// which no step speaks.
pub(crate) fn check_head(head: &Head) -> Result<(), String> {
    let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    let most = [
        ("exchanges", head.exchanges.len(), NUMBERED_MAX),
        ("legs of an exchange", longest(&mut head.exchanges.iter().map(|it| it.legs.len())), LEGS_MAX),
        ("scenarios", head.scenarios.len(), NUMBERED_MAX),
        ("parts of a mix", longest(&mut head.scenarios.iter().map(|it| it.parts.len())), NUMBERED_MAX),
        ("steps", head.steps.len(), NUMBERED_MAX),
        ("instances", head.instances.len(), NUMBERED_MAX),
        ("monitors", head.monitors.len(), NUMBERED_MAX),
        ("metrics of a monitor", longest(&mut head.monitors.iter().map(|it| it.metrics.len())), NUMBERED_MAX),
    ];
    for (what, count, limit) in most {
        if count > limit {
            return Err(format!("`run.json` names {count} {what}, and {limit} are the most; restore it from a copy"));
        }
    }
    let repetition = head.steps.iter().map(|step| step.repetition as usize).max().unwrap_or(0);
    if repetition > head.steps.len() {
        let steps = head.steps.len();
        return Err(format!("`run.json` has {steps} steps and a repetition {repetition}; restore it from a copy"));
    }
    Ok(())
}

/// What the tables add up to.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    /// By step: planned; begun or dropped; ended.
    books: BTreeMap<u32, [u128; 3]>,
    /// Calls by step and exchange.
    pub(crate) started: BTreeMap<(u32, u16), u128>,
    /// Answers on the first leg, likewise.
    pub(crate) closed: BTreeMap<(u32, u16), u128>,
}

impl Sums {
    pub(crate) fn iteration(&mut self, row: &IterationRow) {
        let sums = self.books.entry(row.step).or_default();
        let (taken, ended) = (
            [row.books.started, row.books.dropped].map(u128::from),
            [row.books.completed, row.books.failed, row.books.aborted].map(u128::from),
        );
        sums[0] += u128::from(row.books.intended);
        sums[1] += taken.iter().sum::<u128>();
        sums[2] += ended.iter().sum::<u128>();
    }

    pub(crate) fn start(&mut self, row: &StartRow) {
        *self.started.entry((row.step, row.exchange)).or_default() += u128::from(row.started);
    }

    pub(crate) fn leg(&mut self, head: &Head, row: &LegRow) {
        let is_known = head.exchanges.get(usize::from(row.exchange)).is_some_and(|known| !known.legs.is_empty());
        if row.leg == 0 && is_known {
            *self.closed.entry((row.step, row.exchange)).or_default() += u128::from(row.count);
        }
    }

    /// Says which figures contradict each other: more ended than started, more started than was planned. From a record
    /// that is as it was written they never do; what was changed afterwards must not be printed as measured.
    pub(crate) fn check(&self, head: &Head) -> Result<(), String> {
        for (step, [intended, taken, ended]) in &self.books {
            if taken > intended || ended > intended {
                let id = name(head, *step);
                return Err(format!(
                    "step `{id}` planned {intended} iterations, of which {taken} began and {ended} ended"
                ));
            }
        }
        for ((step, exchange), count) in &self.started {
            let intended = self.books.get(step).map_or(0, |sums| sums[0]);
            let load = head.steps.get(*step as usize).and_then(|step| head.load_of(step));
            let most = intended as f64 * Each::of(load, *exchange).most;
            if *count as f64 > most {
                let id = name(head, *step);
                return Err(format!(
                    "step `{id}` started {count} calls of an exchange of which it planned {most} at most"
                ));
            }
        }
        // Without the table of starts there is nothing to hold the answers against but the plan.
        for (key, count) in &self.closed {
            if !self.started.is_empty() && *count > self.started.get(key).copied().unwrap_or(0) {
                let id = name(head, key.0);
                return Err(format!("step `{id}` has {count} answers to fewer calls"));
            }
        }
        Ok(())
    }
}

fn name(head: &Head, step: u32) -> String {
    head.steps.get(step as usize).map_or_else(|| format!("#{step}"), |step| step.id.clone())
}
