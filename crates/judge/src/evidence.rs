//! A run as the judge reads it: its head, its steps as they took place, what happened, and its rows, read once, so that
//! every window of every rule is cut from the same figures.

use crate::contradiction;
use crate::searches::ABORT;
use record::{ClockPair, EngineRow, EventRow, Head, RecordError, Run, RunState, StepMark};
use rows::{Only, Packing, Table};
use std::sync::Arc;
use terms::{EndReason, Nanos, Phase};

mod counted;
mod placed;
mod rows;

pub(crate) use counted::{carries_out, units};
pub use rows::Rows;
pub(crate) use rows::{Instance, is_answer};

/// A step as it took place.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSpan {
    pub number: u32,
    /// Number of its scenario.
    pub scenario: usize,
    /// `hold`.
    pub id: String,
    pub phase: Phase,
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
    /// Rows of the load and samples of what was watched.
    pub rows: Arc<Rows>,
    /// The generator's own rows.
    pub engine: Vec<EngineRow>,
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
    /// Hands each row of a table on; whether all of it could be read.
    ///
    /// # Errors
    /// What `take` says.
    fn each<T>(
        &mut self,
        name: &str,
        rows: Result<impl IntoIterator<Item = Result<T, RecordError>>, RecordError>,
        mut take: impl FnMut(T) -> Result<(), RecordError>,
    ) -> Result<bool, RecordError> {
        let rows = match rows {
            Ok(rows) => rows,
            Err(error) => return Ok(self.leave_out(name, error)),
        };
        for row in rows {
            match row {
                Ok(row) => take(row)?,
                Err(error) => return Ok(self.leave_out(name, error)),
            }
        }
        Ok(true)
    }

    /// A table that is kept as a whole; nothing of it where it cannot be read.
    fn take<T>(
        &mut self,
        name: &str,
        rows: Result<impl IntoIterator<Item = Result<T, RecordError>>, RecordError>,
    ) -> Result<Vec<T>, RecordError> {
        let mut all = Vec::new();
        let is_whole = self.each(name, rows, |row| {
            all.push(row);
            Ok(())
        })?;
        Ok(if is_whole { all } else { Vec::new() })
    }

    fn leave_out(&mut self, name: &str, error: RecordError) -> bool {
        self.files.push(name.to_owned());
        // Without the folder's own path: the same evidence is told in the same words wherever it lies.
        let why = match error {
            RecordError::Io { cause, .. } => cause,
            RecordError::Table { what, .. } => format!("it is damaged: {what}"),
            RecordError::Altered { .. } => "it is not the one that was sealed".to_owned(),
            other => other.to_string(),
        };
        self.sentences.push(format!("`{name}` is left out: {why}."));
        false
    }
}

/// Of what was watched around a scenario at least so many samples, and so many seconds.
const AROUND_SAMPLES: f64 = 3.0;
const AROUND_S: f64 = 60.0;

/// The table without which nothing can be judged.
const BOOKS: &str = "load/iterations.parquet";

impl Evidence {
    /// Reads a run folder: sealed or not, with the same figures, and in memory that does not grow with the run's length.
    ///
    /// A table that cannot be read is left out, and the run then proves nothing. Behind the place where the record of a
    /// killed run breaks off nothing is read.
    ///
    /// # Errors
    /// What the reader says of a folder without the books of iterations; [`RecordError::Io`] where a long run needs room
    /// outside of memory and there is none; [`RecordError::Contradiction`] where tables that
    /// are not as they were sealed hold figures that cannot be.
    pub fn read(run: &Run) -> Result<Self, RecordError> {
        Self::read_some(run, None)
    }

    /// The same with the load of one scenario alone, and what was watched around it: what a verdict on that scenario rests
    /// on. Events, marks and what all rows add up to are those of the whole run. Where legs are closed by a watched count,
    /// all of it: how far they lie behind is known only of the run as a whole.
    ///
    /// # Errors
    /// As [`Evidence::read`].
    pub fn read_scenario(run: &Run, scenario: &str) -> Result<Self, RecordError> {
        Self::read_some(run, Some(scenario))
    }

    fn read_some(run: &Run, scenario: Option<&str>) -> Result<Self, RecordError> {
        contradiction::check_head(&run.head).map_err(|what| RecordError::NotARun { path: run.path.clone(), what })?;
        let mut tables = Tables::default();
        let mut packing = Packing::new(&run.head, run.cut());
        let marks = tables.take("events/steps.parquet", run.steps().map(|rows| rows.into_iter().map(Ok)))?;
        // A leg that a watched count closes lies behind by all that was accepted since the run began.
        let is_apart = run.head.exchanges.iter().all(|exchange| exchange.counted.is_empty());
        if let Some(scenario) = scenario.filter(|_| is_apart) {
            packing.keep(only(&run.head, &marks, scenario));
        }
        // Every rate and share is held against the books; without them there is nothing to say.
        if !tables.each(BOOKS, run.iterations(), |row| packing.iteration(&row))? {
            let why = tables.sentences.pop().unwrap_or_default();
            let what = format!("{why} Every rate and share depends on it, so restore it from a copy");
            return Err(RecordError::NotARun { path: run.path.clone(), what });
        }
        let before = packing.unsound();
        if !tables.each("load/legs.parquet", run.legs(), |row| packing.leg(&row))? {
            packing.forget(Table::Legs, before);
        }
        let before = packing.unsound();
        if !tables.each("load/starts.parquet", run.starts(), |row| packing.start(&row))? {
            packing.forget(Table::Starts, before);
        }
        let before = packing.unsound();
        if !tables.each("load/outcomes.parquet", run.outcomes(), |row| packing.outcome(&row))? {
            packing.forget(Table::Outcomes, before);
        }
        let before = packing.unsound();
        let take = |row| {
            packing.note(row);
            Ok(())
        };
        if !tables.each("load/notes.parquet", run.notes(), take)? {
            packing.forget(Table::Notes, before);
        }
        let before = packing.unsound();
        let take = |row| {
            packing.slow(&row);
            Ok(())
        };
        if !tables.each("load/slowest.parquet", run.slowest(), take)? {
            packing.forget(Table::Slowest, before);
        }
        let engine = tables.take("load/engine.parquet", run.engine())?;
        let before = packing.unsound();
        if !tables.each("watch/samples.parquet", run.samples(), |row| packing.sample(&row))? {
            packing.forget(Table::Samples, before);
        }
        let events = tables.take("events/events.parquet", run.events().map(|rows| rows.into_iter().map(Ok)))?;
        let clocks = tables.take("events/clocks.parquet", run.clocks().map(|rows| rows.into_iter().map(Ok)))?;
        let mut altered = run.altered.clone();
        altered.extend(tables.files);
        altered.sort();
        altered.dedup();
        if !altered.is_empty() {
            packing
                .sums
                .check(&run.head)
                .map_err(|what| RecordError::Contradiction { path: run.path.clone(), what })?;
        }
        let mut evidence = Self {
            head: run.head.clone(),
            steps: Vec::new(),
            rows: Arc::new(packing.finish()?),
            engine,
            events,
            clocks,
            end: Nanos::ZERO,
            was_killed: run.head.ending.as_ref().is_none_or(|ending| ending.is_killed),
            cut: run.cut(),
            // Something can be gone without a byte left of it to count.
            torn_bytes: if let RunState::Torn { bytes_dropped } = run.state { bytes_dropped.max(1) } else { 0 },
            altered,
            left_out: tables.sentences,
        };
        let mut marks = marks;
        if let Some(cut) = evidence.cut {
            evidence.cut_off(cut);
            marks.retain(|mark| if mark.is_end { mark.at <= cut } else { mark.at < cut });
        }
        evidence.end = evidence.last_seen();
        evidence.steps = spans(&evidence.head, &marks, evidence.end);
        evidence.place_steps();
        evidence.derive()?;
        Ok(evidence)
    }

    /// Takes out what lies behind the last whole second, as the rows leave it out. Starts that were due before and had
    /// not ended by then are open.
    fn cut_off(&mut self, cut: Nanos) {
        let end = cut.second();
        self.engine.retain(|row| row.second < end);
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
        let engine = self.engine.iter().map(|row| after(row.second));
        if ended > Nanos::ZERO { ended } else { engine.chain(self.rows.last).max().unwrap_or_default() }
    }

    /// When the run was stopped before its plan was carried out: what was open then was cut off by us, not by the target.
    pub fn stopped(&self) -> Option<Nanos> {
        let is_stop = |event: &&EventRow| match event.kind.as_str() {
            "interrupt" => true,
            // One that ended an attempt of a search ended nothing else.
            ABORT => self.head.scenarios.iter().all(|scenario| scenario.name != event.subject),
            _ => false,
        };
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

/// The steps of a scenario, and when anything may have been sampled that they are judged by: rates and growth need the
/// samples before.
fn only(head: &Head, marks: &[StepMark], scenario: &str) -> Only {
    let place = head.scenarios.iter().position(|known| known.name == scenario);
    let is_own = |step: &&record::StepHead| place == Some(usize::from(step.scenario));
    let steps = (0u32..).zip(&head.steps).filter(|(_, step)| is_own(step)).map(|(number, _)| number).collect();
    let every = head.monitors.iter().map(|monitor| monitor.every_s).fold(0.0, f64::max);
    let margin = Nanos::from_secs_f64((AROUND_SAMPLES * every.clamp(1.0, 86_400.0)).max(AROUND_S));
    let mut only = Only { steps, within: Nanos::MAX..Nanos::MAX };
    let own: Vec<Nanos> = marks.iter().filter(|mark| only.steps.contains(&mark.step)).map(|mark| mark.at).collect();
    if let (Some(first), Some(last)) = (own.iter().min(), own.iter().max()) {
        only.within = Nanos(first.0.saturating_sub(margin.0))..Nanos(last.0.saturating_add(margin.0));
    }
    only
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
