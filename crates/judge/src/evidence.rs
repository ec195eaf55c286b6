//! The run's rows, read once and kept, so that every window of every rule is cut from the same figures.

use contract::recorder::Folded;
use record::{ClockPair, EngineRow, EventRow, Head, RecordError, Run, RunState, SampleRow, StepMark};
use terms::{Nanos, Phase};

/// A step as it took place.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSpan {
    /// Number.
    pub number: u32,
    /// Number of its scenario.
    pub scenario: usize,
    /// `hold`.
    pub id: String,
    /// Phase.
    pub phase: Phase,
    /// Begin.
    pub from: Nanos,
    /// End; for a killed run the last that was seen.
    pub to: Nanos,
    /// Whether its end was recorded.
    pub is_ended: bool,
}

/// What the judge reads.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// `run.json`.
    pub head: Head,
    /// Steps that took place, in order of time.
    pub steps: Vec<StepSpan>,
    /// Load rows.
    pub rows: Folded,
    /// The generator's own rows.
    pub engine: Vec<EngineRow>,
    /// Samples.
    pub samples: Vec<SampleRow>,
    /// Events.
    pub events: Vec<EventRow>,
    /// Clock pairs.
    pub clocks: Vec<ClockPair>,
    /// End of what was seen.
    pub end: Nanos,
    /// Whether the run was killed: it has no ending of its own.
    pub was_killed: bool,
    /// Bytes of torn segments that were dropped; at least one when anything is gone.
    pub torn_bytes: u64,
    /// Evidence files that were changed after sealing.
    pub altered: Vec<String>,
}

impl Evidence {
    /// Reads a run folder.
    ///
    /// # Errors
    /// What the reader says of a folder that is no run, or cannot be read.
    pub fn read(run: &Run) -> Result<Self, RecordError> {
        let rows = Folded {
            legs: run.legs()?.collect::<Result<_, _>>()?,
            starts: run.starts()?.collect::<Result<_, _>>()?,
            outcomes: run.outcomes()?.collect::<Result<_, _>>()?,
            iterations: run.iterations()?.collect::<Result<_, _>>()?,
            notes: run.notes()?.collect::<Result<_, _>>()?,
        };
        let mut evidence = Self {
            head: run.head.clone(),
            steps: Vec::new(),
            rows,
            engine: run.engine()?.collect::<Result<_, _>>()?,
            samples: run.samples()?.collect::<Result<_, _>>()?,
            events: run.events()?,
            clocks: run.clocks()?,
            end: Nanos::ZERO,
            was_killed: run.head.ending.is_none(),
            // Something can be gone without a byte left of it to count.
            torn_bytes: if let RunState::Torn { bytes_dropped } = run.state { bytes_dropped.max(1) } else { 0 },
            altered: run.altered.clone(),
        };
        evidence.end = evidence.last_seen();
        evidence.steps = spans(&evidence.head, &run.steps()?, evidence.end);
        evidence.add_unmarked_steps();
        Ok(evidence)
    }

    fn last_seen(&self) -> Nanos {
        let after = |second: i64| Nanos::from_secs(second.saturating_add(1));
        let ended = self.head.ending.as_ref().map_or(Nanos::ZERO, |ending| Nanos(ending.at_ns));
        let rows = self.rows.iterations.iter().map(|row| after(row.end_s));
        let samples = self.samples.iter().map(|row| row.at);
        let engine = self.engine.iter().map(|row| after(row.second));
        if ended > Nanos::ZERO { ended } else { rows.chain(samples).chain(engine).max().unwrap_or_default() }
    }

    /// Steps of a scenario with a phase; all phases for `None`.
    pub fn steps_of(&self, scenario: usize, phase: Option<Phase>) -> impl Iterator<Item = &StepSpan> {
        self.steps.iter().filter(move |step| step.scenario == scenario && phase.is_none_or(|phase| step.phase == phase))
    }

    /// Steps whose mark was torn away but whose rows were kept: they took place, from their first to their last row.
    fn add_unmarked_steps(&mut self) {
        for (number, planned) in self.head.steps.iter().enumerate() {
            let number = number as u32;
            if self.steps.iter().any(|step| step.number == number) {
                continue;
            }
            let rows = || self.rows.iterations.iter().filter(|row| row.step == number);
            let Some(first) = rows().map(|row| row.intended_s).min() else { continue };
            let last = rows().map(|row| row.intended_s).max().unwrap_or(first);
            let (from, to) = (Nanos::from_secs(first), Nanos::from_secs(last.saturating_add(1)));
            self.steps.push(span(number, planned, from, to));
        }
        self.steps.sort_by_key(|span| (span.from, span.number));
    }
}

fn span(number: u32, planned: &record::StepHead, from: Nanos, to: Nanos) -> StepSpan {
    StepSpan {
        number,
        scenario: usize::from(planned.scenario),
        id: planned.id.clone(),
        // A phase of a later version is kept, and not judged.
        phase: Phase::from_name(&planned.phase).unwrap_or(Phase::Idle),
        from,
        to,
        is_ended: false,
    }
}

/// Begin and end of every step that began. A step whose end was not recorded ends where the next one begins.
fn spans(head: &Head, marks: &[StepMark], end: Nanos) -> Vec<StepSpan> {
    let mut spans: Vec<StepSpan> = Vec::new();
    for mark in marks.iter().filter(|mark| !mark.is_end) {
        let Some(planned) = head.steps.get(mark.step as usize) else { continue };
        if spans.iter().all(|span| span.number != mark.step) {
            spans.push(span(mark.step, planned, mark.at, end.max(mark.at)));
        }
    }
    for mark in marks.iter().filter(|mark| mark.is_end) {
        if let Some(span) = spans.iter_mut().find(|span| span.number == mark.step && !span.is_ended) {
            span.to = mark.at.max(span.from);
            span.is_ended = true;
        }
    }
    spans.sort_by_key(|span| (span.from, span.number));
    for at in 1..spans.len() {
        let next = spans[at].from;
        let before = &mut spans[at - 1];
        if !before.is_ended {
            before.to = before.to.min(next);
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::StepHead;

    fn head() -> Head {
        let step = |id: &str, phase: &str| StepHead { id: id.into(), phase: phase.into(), ..StepHead::default() };
        Head {
            steps: vec![step("warm_up", "warm_up"), step("hold", "hold"), step("later", "orbit")],
            ..Head::default()
        }
    }

    fn mark(step: u32, seconds: i64, is_end: bool) -> StepMark {
        StepMark { step, at: Nanos::from_secs(seconds), is_end }
    }

    #[test]
    fn a_lost_end_is_the_next_begin_and_a_second_begin_is_no_second_step() {
        let marks = [mark(1, 10, false), mark(0, 2, false), mark(1, 11, false), mark(9, 3, false), mark(2, 40, false)];
        let spans = spans(&head(), &marks, Nanos::from_secs(50));
        let seen: Vec<_> = spans.iter().map(|span| (span.number, span.from.second(), span.to.second())).collect();
        assert_eq!(seen, [(0, 2, 10), (1, 10, 40), (2, 40, 50)]);
        assert!(spans.iter().all(|span| !span.is_ended));
        assert_eq!(spans[2].phase, Phase::Idle, "what this version does not know is not judged");
    }

    #[test]
    fn an_end_before_its_begin_leaves_an_empty_step() {
        let spans = spans(&head(), &[mark(1, 5, true), mark(1, 9, false)], Nanos::from_secs(20));
        assert_eq!((spans[0].from, spans[0].to, spans[0].is_ended), (Nanos::from_secs(9), Nanos::from_secs(9), true));
    }
}
