//! The run's rows, read once and kept, so that every window of every rule is cut from the same figures.

use crate::contradiction;
use contract::recorder::Folded;
use record::{ClockPair, EngineRow, EventRow, Head, RecordError, Run, RunState, SampleRow, StepMark};
use terms::{EndReason, Nanos, Phase};

mod placed;

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
    /// Whether nobody knows any more when it began or ended: then `from` and `to` bound the whole seconds that surely lie
    /// within it, and only what was intended in these counts for its rates.
    pub is_inner: bool,
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
    /// Where the record breaks off, a whole second; what lies behind it is not among the rows. `None` for a run whose end
    /// is recorded.
    pub cut: Option<Nanos>,
    /// Bytes of torn segments that were dropped; at least one when anything is gone.
    pub torn_bytes: u64,
    /// Evidence files that were changed after sealing, or cannot be read.
    pub altered: Vec<String>,
    /// Tables that are left out, a sentence each.
    pub left_out: Vec<String>,
}

/// Reads tables; one that is gone or cannot be decoded is left out as a whole.
#[derive(Default)]
struct Tables {
    files: Vec<String>,
    sentences: Vec<String>,
}

impl Tables {
    fn take<T>(
        &mut self,
        name: &str,
        rows: Result<impl IntoIterator<Item = Result<T, RecordError>>, RecordError>,
    ) -> Vec<T> {
        match rows.and_then(|rows| rows.into_iter().collect::<Result<Vec<T>, _>>()) {
            Ok(rows) => rows,
            Err(error) => {
                self.files.push(name.to_owned());
                // Without the folder's own path: the same evidence is told in the same words wherever it lies.
                let why = match error {
                    RecordError::Io { cause, .. } => cause,
                    RecordError::Table { what, .. } => format!("it is damaged: {what}"),
                    RecordError::Altered { .. } => "it is not the one that was sealed".to_owned(),
                    other => other.to_string(),
                };
                self.sentences.push(format!("`{name}` is left out: {why}."));
                Vec::new()
            }
        }
    }
}

/// The table without which nothing can be judged.
const BOOKS: &str = "load/iterations.parquet";

impl Evidence {
    /// Reads a run folder: sealed or not, with the same figures.
    ///
    /// A table that cannot be read is left out, and the run then proves nothing. Behind the place where the record of a
    /// killed run breaks off nothing is read.
    ///
    /// # Errors
    /// What the reader says of a folder without the books of iterations; [`RecordError::Contradiction`] where tables that
    /// are not as they were sealed hold figures that cannot be.
    pub fn read(run: &Run) -> Result<Self, RecordError> {
        contradiction::check_head(&run.head).map_err(|what| RecordError::NotARun { path: run.path.clone(), what })?;
        let mut tables = Tables::default();
        let iterations = tables.take(BOOKS, run.iterations());
        // Every rate and share is held against the books; without them there is nothing to say.
        if let Some(why) = tables.sentences.pop() {
            let what = format!("{why} Every rate and share is held against it, so restore it from a copy");
            return Err(RecordError::NotARun { path: run.path.clone(), what });
        }
        let rows = Folded {
            legs: tables.take("load/legs.parquet", run.legs()),
            starts: tables.take("load/starts.parquet", run.starts()),
            outcomes: tables.take("load/outcomes.parquet", run.outcomes()),
            iterations,
            notes: tables.take("load/notes.parquet", run.notes()),
        };
        let marks = tables.take("events/steps.parquet", run.steps().map(|rows| rows.into_iter().map(Ok)));
        let mut evidence = Self {
            head: run.head.clone(),
            steps: Vec::new(),
            rows,
            engine: tables.take("load/engine.parquet", run.engine()),
            samples: tables.take("watch/samples.parquet", run.samples()),
            events: tables.take("events/events.parquet", run.events().map(|rows| rows.into_iter().map(Ok))),
            clocks: tables.take("events/clocks.parquet", run.clocks().map(|rows| rows.into_iter().map(Ok))),
            end: Nanos::ZERO,
            was_killed: run.head.ending.as_ref().is_none_or(|ending| ending.is_killed),
            cut: run.cut(),
            // Something can be gone without a byte left of it to count.
            torn_bytes: if let RunState::Torn { bytes_dropped } = run.state { bytes_dropped.max(1) } else { 0 },
            altered: run.altered.clone(),
            left_out: tables.sentences,
        };
        evidence.altered.extend(tables.files);
        evidence.altered.sort();
        evidence.altered.dedup();
        if !evidence.altered.is_empty() {
            contradiction::check(&evidence.head, &evidence.rows)
                .map_err(|what| RecordError::Contradiction { path: run.path.clone(), what })?;
        }
        let mut marks = marks;
        if let Some(cut) = evidence.cut {
            evidence.cut_off(cut);
            marks.retain(|mark| if mark.is_end { mark.at <= cut } else { mark.at < cut });
        }
        evidence.end = evidence.last_seen();
        evidence.steps = spans(&evidence.head, &marks, evidence.end);
        evidence.place_steps();
        Ok(evidence)
    }

    /// Takes out what lies behind the last whole second: of the second that was being recorded, one thread's rows may be
    /// there and another's not. Starts that were due before and had not ended by then are open.
    fn cut_off(&mut self, cut: Nanos) {
        let end = cut.second();
        let rows = &mut self.rows;
        rows.legs.retain(|row| row.intended_s < end && row.end_s < end);
        rows.outcomes.retain(|row| row.intended_s < end && row.end_s < end);
        rows.starts.retain(|row| row.intended_s < end);
        rows.iterations.retain(|row| row.intended_s < end && row.end_s < end);
        rows.notes.retain(|row| row.at < cut);
        self.engine.retain(|row| row.second < end);
        self.samples.retain(|row| row.at < cut);
        self.clocks.retain(|pair| pair.at < cut);
        // That something was lost, or was another than the one meant, is about all of the run.
        self.events.retain(|row| row.at < cut || matches!(row.kind.as_str(), "lost" | "identity"));
    }

    fn last_seen(&self) -> Nanos {
        if let Some(cut) = self.cut {
            return cut;
        }
        let after = |second: i64| Nanos::from_secs(second.saturating_add(1));
        let ended = self.head.ending.as_ref().map_or(Nanos::ZERO, |ending| Nanos(ending.at_ns));
        let rows = self.rows.iterations.iter().map(|row| after(row.end_s));
        let samples = self.samples.iter().map(|row| row.at);
        let engine = self.engine.iter().map(|row| after(row.second));
        if ended > Nanos::ZERO { ended } else { rows.chain(samples).chain(engine).max().unwrap_or_default() }
    }

    /// When the run was stopped before its plan was carried out: what was open then was cut off by us, not by the target.
    pub fn stopped(&self) -> Option<Nanos> {
        let is_stop = |event: &&EventRow| matches!(event.kind.as_str(), "interrupt" | "abort");
        let ended_as_planned =
            self.head.ending.as_ref().is_some_and(|ending| ending.reason == EndReason::Completed.name());
        if ended_as_planned {
            return None;
        }
        self.events.iter().filter(is_stop).map(|event| event.at).min()
    }

    /// Whether a table of the load is left out: then what is not among the rows may have happened all the same.
    pub fn lacks_load(&self) -> bool {
        self.left_out.iter().any(|sentence| sentence.starts_with("`load/"))
    }

    /// Steps of a scenario with a phase; all phases for `None`.
    pub fn steps_of(&self, scenario: usize, phase: Option<Phase>) -> impl Iterator<Item = &StepSpan> {
        self.steps.iter().filter(move |step| step.scenario == scenario && phase.is_none_or(|phase| step.phase == phase))
    }

    /// Whether one of the tables is left out.
    pub(crate) fn lacks(&self, table: &str) -> bool {
        self.left_out.iter().any(|sentence| sentence.strip_prefix('`').is_some_and(|rest| rest.starts_with(table)))
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
        is_inner: false,
    }
}

/// Begin and end of every step that began. A step whose end was not recorded ends where the next one begins, and is never
/// longer than planned.
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
    for at in 0..spans.len() {
        let next = spans.get(at + 1).map(|next| next.from);
        let span = &mut spans[at];
        if span.is_ended {
            continue;
        }
        span.to = span.to.min(next.unwrap_or(span.to));
        let planned = head.steps.get(span.number as usize).and_then(|planned| planned.seconds);
        // How long a drain takes is not planned, only how long it may take.
        if let Some(seconds) = planned.filter(|seconds| seconds.is_finite() && *seconds >= 0.0 && span.phase.has_load())
        {
            span.to = span.to.min(Nanos(span.from.0.saturating_add(Nanos::from_secs_f64(seconds).0)));
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
