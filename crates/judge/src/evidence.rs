//! The run's rows, read once and kept, so that every window of every rule is cut from the same figures.

use crate::figures::{Figures, Selection};
use contract::recorder::Folded;
use record::{ClockPair, EngineRow, EventRow, Head, RecordError, Run, RunState, SampleRow};
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
    /// Bytes of a torn segment that were dropped.
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
            torn_bytes: if let RunState::Torn { bytes_dropped } = run.state { bytes_dropped } else { 0 },
            altered: run.altered.clone(),
        };
        evidence.end = evidence.last_seen();
        evidence.steps = spans(&evidence.head, &run.steps()?, evidence.end);
        Ok(evidence)
    }

    fn last_seen(&self) -> Nanos {
        let ended = self.head.ending.as_ref().map_or(Nanos::ZERO, |ending| Nanos(ending.at_ns));
        let rows = self.rows.iterations.iter().map(|row| Nanos::from_secs(row.end_s + 1));
        let samples = self.samples.iter().map(|row| row.at);
        let engine = self.engine.iter().map(|row| Nanos::from_secs(row.second + 1));
        if ended > Nanos::ZERO { ended } else { rows.chain(samples).chain(engine).max().unwrap_or_default() }
    }

    /// Steps of a scenario with a phase; all phases for `None`.
    pub fn steps_of(&self, scenario: usize, phase: Option<Phase>) -> impl Iterator<Item = &StepSpan> {
        self.steps.iter().filter(move |step| step.scenario == scenario && phase.is_none_or(|phase| step.phase == phase))
    }

    /// Merged figures of steps of one scenario, within `from..to`.
    pub fn figures(&self, scenario: usize, steps: &[&StepSpan], from: Nanos, to: Nanos) -> Figures {
        let selection = Selection {
            steps: steps.iter().map(|step| step.number).collect(),
            ends_of: self.steps_of(scenario, None).map(|step| step.number).collect(),
            from,
            to,
        };
        let seconds: f64 =
            steps.iter().map(|step| (step.to.min(to) - step.from.max(from)).as_secs_f64().max(0.0)).sum();
        let mut figures = Figures::new(&self.head, scenario, seconds);
        figures.add(&self.rows, &selection);
        figures.add_samples(&self.samples, &selection);
        figures
    }

    /// Figures of one whole step.
    pub fn figures_of(&self, step: &StepSpan) -> Figures {
        self.figures(step.scenario, &[step], step.from, step.to)
    }
}

/// Begin and end of every step that began.
fn spans(head: &Head, marks: &[record::StepMark], end: Nanos) -> Vec<StepSpan> {
    let mut spans: Vec<StepSpan> = Vec::new();
    for mark in marks {
        let Some(planned) = head.steps.get(mark.step as usize) else { continue };
        if mark.is_end {
            if let Some(span) = spans.iter_mut().rfind(|span| span.number == mark.step) {
                span.to = mark.at;
                span.is_ended = true;
            }
            continue;
        }
        spans.push(StepSpan {
            number: mark.step,
            scenario: usize::from(planned.scenario),
            id: planned.id.clone(),
            phase: Phase::from_name(&planned.phase).unwrap_or(Phase::Hold),
            from: mark.at,
            to: end.max(mark.at),
            is_ended: false,
        });
    }
    spans.sort_by_key(|span| (span.from, span.number));
    spans
}
