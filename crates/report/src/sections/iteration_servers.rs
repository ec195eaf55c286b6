//! What each server's own log has of every iteration: calls, their mean duration, and how many were beyond each limit.

use crate::charts::{IterationRun, Watched};
use crate::document::{Cell, Column, Row, Table};
use crate::limits::share_limits;
use crate::messages::say;
use crate::number::clean;
use judge::Arg;
use study::rule::Subject;

/// Servers with rows of their own; the total has all.
const SERVERS_MAX: usize = 24;
/// Limits side by side.
const LIMITS_MAX: usize = 4;

/// A limit on durations, and whether a call that took just so long is beyond it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limit {
    ms: f64,
    is_beyond_at: bool,
}

impl Limit {
    fn is_beyond(self, ms: f64) -> bool {
        if self.is_beyond_at { ms >= self.ms } else { ms > self.ms }
    }
}

/// Calls of one server in one iteration.
#[derive(Clone, Debug, Default, PartialEq)]
struct Counted {
    calls: u64,
    /// Of all of them, milliseconds.
    sum_ms: f64,
    /// Beyond each limit.
    beyond: Vec<u64>,
}

impl Counted {
    fn of(durations: impl Iterator<Item = f64>, limits: &[Limit]) -> Self {
        let mut counted = Self { beyond: vec![0; limits.len()], ..Self::default() };
        for ms in durations {
            counted.calls += 1;
            counted.sum_ms += ms;
            for (count, limit) in counted.beyond.iter_mut().zip(limits) {
                *count += u64::from(limit.is_beyond(ms));
            }
        }
        counted
    }

    fn with(mut self, other: &Self) -> Self {
        self.calls += other.calls;
        self.sum_ms += other.sum_ms;
        self.beyond.resize(other.beyond.len(), 0);
        self.beyond.iter_mut().zip(&other.beyond).for_each(|(own, more)| *own += more);
        self
    }
}

/// The table of one metric: a row for each server and iteration, and the sum of all servers.
pub(super) fn table(run: &IterationRun<'_, '_>, of: &Watched<'_>, name: &str) -> Table {
    let m = &run.cx.m;
    let limits = limits(run, of);
    let mut rows = Vec::new();
    let mut totals = vec![Counted::default(); run.iterations.len()];
    for (number, view) in of.views.iter().enumerate() {
        for (iteration, total) in run.iterations.iter().zip(&mut totals) {
            let inside = view.points.iter().filter(|(at, _)| iteration.holds(*at));
            let counted = Counted::of(inside.filter_map(|(_, value)| *value).map(|seconds| seconds * 1e3), &limits);
            *total = std::mem::take(total).with(&counted);
            if number < SERVERS_MAX {
                let cells = cells(run, (Cell::code(&view.instance), &iteration.name, iteration.seconds()), &counted);
                rows.push(Row::new(cells));
            }
        }
    }
    // A single server is its own sum.
    if of.views.len() > 1 {
        for (iteration, total) in run.iterations.iter().zip(&totals) {
            let all = Cell::text(say!(m, "iteration-servers-all"));
            let cells = cells(run, (all, &iteration.name, iteration.seconds()), total);
            rows.push(Row { is_strong: true, ..Row::new(cells) });
        }
    }
    let mut columns = vec![
        Column::text(say!(m, "iteration-servers-col-server")),
        Column::text(say!(m, "search-col-iteration")),
        Column::number(say!(m, "iteration-servers-col-window"), "s"),
        Column::number(say!(m, "col-calls"), ""),
        Column::number(say!(m, "col-calls"), "/s"),
        Column::number(say!(m, "col-mean"), "ms"),
    ];
    for limit in &limits {
        let sign = if limit.is_beyond_at { '≥' } else { '>' };
        let title = format!("{sign}\u{a0}{}", m.numbers.arg(&Arg::Milliseconds(limit.ms).given()));
        columns.extend([Column::number(title.clone(), ""), Column::number(title, "%")]);
    }
    let left = of.views.len().saturating_sub(SERVERS_MAX);
    let mut notes = vec![say!(m, "note-iteration-servers")];
    if left > 0 {
        notes.push(say!(m, "note-iteration-servers-left", left = left));
    }
    let caption = say!(m, "table-iteration-servers", metric = &of.word(run.cx), monitor = &clean(&of.monitor));
    Table { name: name.to_owned(), caption, columns, rows, notes }
}

fn cells(run: &IterationRun<'_, '_>, (server, iteration, seconds): (Cell, &str, f64), of: &Counted) -> Vec<Cell> {
    let numbers = run.cx.m.numbers;
    let count = |count: u64| Cell::number(numbers.count(count as f64), count as f64);
    let value = |value: f64| Cell::number(numbers.value(value), value);
    let of_calls = |sum: f64| (of.calls > 0).then(|| sum / of.calls as f64);
    let mut cells = vec![
        server,
        Cell::text(iteration),
        value(seconds),
        count(of.calls),
        value(of.calls as f64 / seconds),
        of_calls(of.sum_ms).map_or_else(Cell::missing, value),
    ];
    for beyond in &of.beyond {
        cells.push(count(*beyond));
        let share = of_calls(*beyond as f64);
        cells.push(share.map_or_else(Cell::missing, |share| Cell::number(numbers.percentage(share), share * 100.0)));
    }
    cells
}

/// What the study asks of this metric; of the clients' times where it asks nothing of the metric itself.
fn limits(run: &IterationRun<'_, '_>, of: &Watched<'_>) -> Vec<Limit> {
    let Some(study) = run.cx.input.study else { return Vec::new() };
    let scenarios: Vec<usize> = run.iterations.iter().map(|it| usize::from(it.scenario.index)).collect();
    let asked = share_limits(study);
    let found = |is_of_metric: bool| {
        let mut found: Vec<Limit> = Vec::new();
        for limit in asked.iter().filter(|limit| scenarios.contains(&limit.scenario)) {
            let is_meant = match &limit.statistic.series.subject {
                Subject::Metric { monitor, metric } => is_of_metric && (monitor, metric) == (&of.monitor, &of.metric),
                _ => !is_of_metric,
            };
            let limit = Limit { ms: limit.ms, is_beyond_at: limit.is_beyond_at };
            if is_meant && !found.contains(&limit) {
                found.push(limit);
            }
        }
        found
    };
    let own = found(true);
    let mut found = if own.is_empty() { found(false) } else { own };
    found.sort_by(|a, b| a.ms.total_cmp(&b.ms));
    found.truncate(LIMITS_MAX);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The registration's fifth iteration in the MinLog2 report: 784 of 1909 calls of 6.5 s or more are 41.1 %, which it
    /// rounds down to "almost 40 %". Of calls that took just the limit, "under 6.5 s" leaves out all.
    #[test]
    fn what_took_just_the_limit_is_beyond_only_what_must_stay_under_it() {
        let under = Limit { ms: 6500.0, is_beyond_at: true };
        let at_most = Limit { ms: 6500.0, is_beyond_at: false };
        let durations = [6499.9, 6500.0, 6500.0, 9200.0];
        let counted = Counted::of(durations.into_iter(), &[under, at_most]);
        assert_eq!((counted.calls, counted.beyond.as_slice()), (4, [3, 1].as_slice()));
        let slow = std::iter::repeat_n(7000.0, 784).chain(std::iter::repeat_n(3000.0, 1909 - 784));
        let iteration = Counted::of(slow, &[under]);
        assert!((iteration.beyond[0] as f64 / iteration.calls as f64 - 0.410_686).abs() < 1e-6);
        let both = iteration.with(&Counted::of([6600.0].into_iter(), &[under]));
        assert_eq!((both.calls, both.beyond[0]), (1910, 785));
    }
}
