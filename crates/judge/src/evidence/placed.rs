//! Where a step lies whose begin or end is in no table that is left.

use super::{Evidence, StepSpan, span};
use record::StepHead;
use terms::{Nanos, Phase};

impl Evidence {
    /// Adds the steps whose marks are gone but whose rows were kept, and draws in those that a lost mark may have ended.
    ///
    /// The plan tells how long a step comes behind or before another of its load, so one mark is enough to place the
    /// others. Without any, only the whole seconds between its first row and its last surely lie within a step.
    pub(super) fn place_steps(&mut self) {
        let marked: Vec<(u32, Nanos)> = self.steps.iter().map(|step| (step.number, step.from)).collect();
        for (number, planned) in self.head.steps.iter().enumerate() {
            let number = number as u32;
            if marked.iter().any(|(known, _)| *known == number) {
                continue;
            }
            let Some((first, last)) = self.seconds_of_rows(number) else { continue };
            let placed = match self.planned_span(number, &marked) {
                Some((from, to)) if self.goes_on_to(to, last) => span(number, planned, from, to),
                begin => {
                    let from = begin.map_or(Nanos::from_secs(first.saturating_add(1)), |(from, _)| next_second(from));
                    self.inner(span(number, planned, from, Nanos::MAX), last)
                }
            };
            self.steps.push(placed);
        }
        if self.torn_bytes > 0 || !self.altered.is_empty() {
            self.draw_in(&marked);
        }
        self.steps.sort_by_key(|span| (span.from, span.number));
    }

    /// A load whose begin is known and whose end is not: a mark of its end may have been lost. Of one without a single row
    /// nothing is known, not even that nothing was offered.
    fn draw_in(&mut self, marked: &[(u32, Nanos)]) {
        for place in 0..self.steps.len() {
            let step = self.steps[place].clone();
            if !step.phase.has_load() || marked.iter().all(|(number, _)| *number != step.number) {
                continue;
            }
            self.steps[place] = match self.seconds_of_rows(step.number) {
                None => StepSpan { to: step.from, is_inner: true, ..step },
                Some((_, last)) if !step.is_ended && !self.goes_on_to(step.to, last) => {
                    self.inner(StepSpan { from: next_second(step.from), ..step }, last)
                }
                Some(_) => step,
            };
        }
    }

    /// Up to the last second that rows name, which is whole where the record breaks off behind it.
    fn inner(&self, step: StepSpan, last: i64) -> StepSpan {
        let is_cut_there = self.cut.is_some_and(|cut| cut.second() == last.saturating_add(1));
        let to = Nanos::from_secs(last.saturating_add(i64::from(is_cut_there)));
        StepSpan { to: to.max(step.from), is_inner: true, ..step }
    }

    /// Whether rows show that a step went on until a moment: its last start lies in the second before it.
    fn goes_on_to(&self, to: Nanos, last: i64) -> bool {
        next_second(to).second() <= last.saturating_add(1)
    }

    /// First and last second in which an iteration of a step was intended.
    fn seconds_of_rows(&self, number: u32) -> Option<(i64, i64)> {
        let rows = self.rows.iterations(number).filter(|row| row.books.intended > 0);
        rows.map(|row| (row.intended_s, row.intended_s)).reduce(|all, row| (all.0.min(row.0), all.1.max(row.1)))
    }

    /// When a step of a load took place, as far from one whose mark is there as the plan has it. `None` where no mark of
    /// its load is left, or one between them ends by count.
    fn planned_span(&self, number: u32, marked: &[(u32, Nanos)]) -> Option<(Nanos, Nanos)> {
        let own = self.head.steps.get(number as usize)?;
        let is_of_load = |step: &StepHead| {
            (step.scenario, step.part, step.repetition) == (own.scenario, own.part, own.repetition)
                && Phase::from_name(&step.phase).is_some_and(Phase::has_load)
        };
        let length = |step: &StepHead| step.seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
        // Begin of each step behind that of the first, as long as lengths are planned.
        let (mut offset, mut known) = (Some(0.0), Vec::new());
        for (number, step) in self.head.steps.iter().enumerate().filter(|(_, step)| is_of_load(step)) {
            known.extend(offset.map(|offset: f64| (number as u32, offset)));
            offset = offset.zip(length(step)).map(|(offset, length)| offset + length);
        }
        let offset_of = |number: u32| known.iter().find(|(known, _)| *known == number).map(|(_, offset)| *offset);
        let (at, other) = marked.iter().find_map(|(number, at)| Some((*at, offset_of(*number)?)))?;
        let later = |moment: Nanos, seconds: f64| Nanos(moment.0.saturating_add(Nanos::from_secs_f64(seconds).0));
        let from = later(at, offset_of(number)? - other);
        let to = later(from, length(own)?).min(self.end);
        (from < to).then_some((from, to))
    }
}

/// The first whole second that does not begin before a moment.
fn next_second(moment: Nanos) -> Nanos {
    Nanos::from_secs(moment.0.saturating_add(999_999_999).div_euclid(1_000_000_000))
}
