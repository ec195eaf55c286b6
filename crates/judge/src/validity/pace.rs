//! How fast the generator was in time, second by second: what its starts say of its own speed.

use super::limits;
use crate::merge::FewTimes;
use crate::rows::of_scheduled;
use record::EngineRow;
use record::{IterationRow, LegRow, StartRow};
use std::collections::BTreeMap;
use terms::Nanos;

/// The seconds of one scenario's load, all parts and threads together.
#[derive(Debug, Default)]
pub struct Pace {
    seconds: BTreeMap<i64, Second>,
}

/// What one second came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Intended starts.
    pub planned: u64,
    /// Those that were started.
    pub started: u64,
    /// p99 of their lateness.
    pub late: Option<Nanos>,
    /// p99 of their response times, where [`Pace::add_leg`] was told any.
    pub response: Option<Nanos>,
    /// Whether a thread had no time left while arrivals waited.
    pub is_full: bool,
}

/// One second, by intended starts.
#[derive(Debug, Default)]
struct Second {
    planned: u64,
    started: u64,
    lateness: FewTimes,
    response: FewTimes,
    /// A thread had no time left while arrivals waited for a connection: part of that waiting is the generator's.
    is_full: bool,
}

impl Pace {
    /// Counts the starts of a row.
    pub fn add_iterations(&mut self, row: &IterationRow) {
        let second = self.seconds.entry(row.intended_s).or_default();
        second.planned += row.books.intended;
        second.started += row.books.started;
    }

    /// Takes the lateness of a row's starts.
    pub fn add_starts(&mut self, row: &StartRow) {
        self.seconds.entry(row.intended_s).or_default().lateness.add(&row.lateness);
    }

    /// Takes the response times of a row, for [`Tried::is_answered`].
    pub fn add_leg(&mut self, row: &LegRow) {
        self.seconds.entry(row.intended_s).or_default().response.add(&row.response);
    }

    /// Takes note of a thread that was full while arrivals waited; `stolen` is the share of processor time that other
    /// machines took in its second.
    pub fn add_thread(&mut self, row: &EngineRow, stolen: f64) {
        if is_full(row, stolen)
            && let Some(second) = self.seconds.get_mut(&row.second)
        {
            second.is_full = true;
        }
    }

    /// The seconds in order.
    pub fn tried(&self) -> impl Iterator<Item = Tried> + '_ {
        self.seconds.values().map(Second::tried)
    }

    /// The greatest number of starts of one second of which 99 in 100 were at most `late` late, a second. A lower bound
    /// of what can be started in time; `None` where no second was so.
    pub fn highest(&self, late: Nanos) -> Option<f64> {
        let clean = self.tried().filter(|tried| tried.is_in_time(late));
        clean.map(|tried| tried.started).max().map(|started| started as f64)
    }
}

impl Tried {
    /// Whether all that was planned was started, and 99 in 100 of it at most `late` late.
    pub fn is_in_time(&self, late: Nanos) -> bool {
        let is_whole = self.started > 0 && self.started == self.planned;
        is_whole && !self.is_full && self.late.is_some_and(|p99| p99 <= late)
    }

    /// Whether it was also answered within `response`.
    pub fn is_answered(&self, late: Nanos, response: Nanos) -> bool {
        self.is_in_time(late) && self.response.is_some_and(|p99| p99 <= response)
    }
}

impl Second {
    fn tried(&self) -> Tried {
        Tried {
            planned: self.planned,
            started: self.started,
            late: self.lateness.quantile(of_scheduled(0.99, self.started, self.lateness.total())),
            response: self.response.quantile(0.99),
            is_full: self.is_full,
        }
    }
}

/// Whether a thread wanted all of a second, whether it got it or not, while arrivals waited for a connection. What
/// other machines stole while it ran stands in neither of its own two figures.
pub(crate) fn is_full(row: &EngineRow, stolen: f64) -> bool {
    row.waiting_max > 0 && row.cpu_s + row.run_queue_s + stolen >= limits::CORES_FULL
}

#[cfg(test)]
mod tests {
    use super::*;
    use terms::{Books, Histogram};

    fn iterations(second: i64, planned: u64, started: u64) -> IterationRow {
        let books = Books { intended: planned, started, dropped: planned - started, ..Books::default() };
        IterationRow { step: 0, stream: contract::NO_STREAM, intended_s: second, end_s: second, books }
    }

    fn starts(second: i64, late_ms: &[i64]) -> StartRow {
        let mut lateness = Histogram::new();
        late_ms.iter().for_each(|ms| lateness.record(Nanos::from_millis(*ms)));
        StartRow {
            stream: contract::NO_STREAM,
            step: 0,
            exchange: 0,
            intended_s: second,
            started: late_ms.len() as u64,
            lateness: lateness.to_sparse(),
        }
    }

    fn highest(rows: &[(IterationRow, StartRow)], threads: &[EngineRow]) -> Option<f64> {
        highest_of(rows, threads, 0.0)
    }

    fn highest_of(rows: &[(IterationRow, StartRow)], threads: &[EngineRow], stolen: f64) -> Option<f64> {
        let mut pace = Pace::default();
        for (iterations, starts) in rows {
            pace.add_iterations(iterations);
            pace.add_starts(starts);
        }
        threads.iter().for_each(|row| pace.add_thread(row, stolen));
        pace.highest(Nanos::MILLISECOND)
    }

    #[test]
    fn the_highest_rate_is_that_of_the_fastest_second_in_time() {
        let row = |second, started, late: i64| (iterations(second, started, started), starts(second, &[0, 0, late]));
        let rows = [row(1, 100, 0), row(2, 300, 1), row(3, 500, 5), row(4, 200, 0)];
        assert_eq!(highest(&rows, &[]), Some(300.0));
        assert_eq!(highest(&rows[2..3], &[]), None, "no second was in time");
        assert_eq!(highest(&[], &[]), None);
    }

    #[test]
    fn a_second_that_lost_a_start_or_was_full_is_none() {
        let lost = (iterations(1, 100, 99), starts(1, &[0]));
        assert_eq!(highest(&[lost], &[]), None);
        let row = || (iterations(1, 100, 100), starts(1, &[0]));
        let thread = |cpu_s, waiting_max| EngineRow { second: 1, cpu_s, waiting_max, ..EngineRow::default() };
        assert_eq!(highest(&[row()], &[thread(0.96, 5)]), None);
        assert_eq!(highest(&[row()], &[thread(0.96, 0)]), Some(100.0), "busy, and nobody waited");
        assert_eq!(highest(&[row()], &[thread(0.5, 5)]), Some(100.0), "they waited for the system");
        let wanting = EngineRow { run_queue_s: 0.5, ..thread(0.5, 5) };
        assert_eq!(highest(&[row()], &[wanting]), None, "it wanted more than it got");
        let robbed = || EngineRow { run_queue_s: 0.3, ..thread(0.4, 5) };
        assert_eq!(highest_of(&[row()], &[robbed()], 0.29), None, "other machines took the rest of it");
        assert_eq!(highest_of(&[row()], &[robbed()], 0.1), Some(100.0), "it had a fifth of the second left");
    }

    #[test]
    fn where_answers_count_they_must_be_in_time_as_well() {
        let (iterations, starts) = (iterations(1, 100, 100), starts(1, &[0]));
        let mut response = Histogram::new();
        response.record(Nanos::from_millis(3));
        let leg = LegRow {
            stream: contract::NO_STREAM,
            step: 0,
            exchange: 0,
            leg: 0,
            population: terms::Population::Ok,
            intended_s: 1,
            end_s: 1,
            count: 1,
            units: 1,
            bytes: 0,
            below: Vec::new(),
            response: response.to_sparse(),
            service: response.to_sparse(),
        };
        let mut pace = Pace::default();
        pace.add_iterations(&iterations);
        pace.add_starts(&starts);
        pace.add_leg(&leg);
        let tried = pace.tried().next().unwrap();
        let is_answered = |response| tried.is_answered(Nanos::MILLISECOND, Nanos::from_millis(response));
        assert_eq!((is_answered(4), is_answered(2)), (true, false));
    }
}
