//! What wrk2 prints with `--latency`: the whole distribution of its times, corrected for omission, and its counts.
//!
//! Each row of the spectrum has a time and how many took no longer; between two rows lie the calls of the second. Times
//! run from the moments at which calls were meant to begin. The calls of its calibration are in no row. It has no clock:
//! whoever imports says when it began.
//!
//! Source: wrk2 4.0, `src/wrk.c` (`print_hdr_latency`), HdrHistogram_c, `hdr_percentiles_print`.

use crate::call::{Call, Sink, Time};
use crate::error::ImportError;
use crate::input::Input;
use crate::numbers::{decimal, millis, whole};
use crate::printed::{Beside, Figure};
use crate::reading::Reading;
use crate::samples::by_line;
use std::path::Path;
use terms::{Nanos, Outcome};

/// Rows of a spectrum, and calls that it may count: none prints more.
const ROWS_MAX: usize = 100_000;
const COUNT_MAX: u64 = 1 << 40;
/// Longest test, seconds.
const LENGTH_MAX: f64 = 14.0 * 86_400.0;

/// What was found on the page.
#[derive(Default)]
struct Page {
    /// Times in rising order, with how many took no longer.
    rows: Vec<(Nanos, u64)>,
    /// Whether a spectrum of another kind is passed over.
    is_uncorrected: bool,
    is_in_spectrum: bool,
    total: Option<u64>,
    requests: Option<u64>,
    seconds: Option<f64>,
    per_second: Option<f64>,
    /// Answers that were none of 2xx and 3xx.
    bad: u64,
    /// Errors of sockets: connect, read, write, timeout.
    sockets: [u64; 4],
    users: Option<u32>,
}

/// Reads a page. `start` is when the test began.
///
/// # Errors
/// For a page without a spectrum, or without a start.
pub(crate) fn read(
    path: &Path,
    input: Input,
    start: Option<Nanos>,
    sink: &mut dyn Sink,
) -> Result<(Reading, Beside), ImportError> {
    let wrong = |what: &str| ImportError::file(path, what);
    let mut page = Page::default();
    let (_, mut reading) = by_line(path, input, |line| page.take(line.trim()).map(|()| None))?;
    let Some(total) = page.total.filter(|_| !page.rows.is_empty()) else {
        return Err(wrong(
            "holds no spectrum of wrk2: no line `Detailed Percentile spectrum:` with rows behind it\nprint one with \
             `wrk2 --latency --rate 2000 --duration 60s URL > FILE`",
        ));
    };
    let Some(seconds) = page.seconds.filter(|seconds| (0.001..LENGTH_MAX).contains(seconds)) else {
        return Err(wrong("does not say how long the test took: the line `… requests in 60.00s, … read` is missing"));
    };
    let start =
        start.ok_or_else(|| wrong("has no clock; write when the test began: `--start 2026-11-26T10:58:00Z`"))?;
    reading.read = total;
    // The calls of the calibration are left out: those that are recorded came in the rest of the time.
    let rest = page.per_second.filter(|rate| *rate > 0.0).map_or(seconds, |rate| (total as f64 / rate).min(seconds));
    let mut beside = Beside::default();
    let after = |seconds: f64| start + Nanos((seconds * 1e9).round() as i64);
    let (from, to) = (after(seconds - rest), after(seconds));
    sink.covers(from, to);
    page.hand_on(from, rest, total, sink)?;
    page.print(total, &mut beside);
    if let Some(users) = page.users {
        sink.users(start, users);
    }
    Ok((reading, beside))
}

impl Page {
    fn take(&mut self, line: &str) -> Result<(), String> {
        let after = |word: &str| {
            let rest = line.strip_prefix(word)?;
            decimal(rest.split_whitespace().next()?.as_bytes())
        };
        let count = |text: &str| whole(text.as_bytes()).and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
        if line.starts_with("Latency Distribution") {
            self.is_uncorrected = line.contains("Uncorrected");
        } else if line.starts_with("Detailed Percentile spectrum") {
            self.is_in_spectrum = !self.is_uncorrected;
        } else if line.starts_with("#[Max") {
            if std::mem::take(&mut self.is_in_spectrum) {
                let text = line.rsplit('=').next().unwrap_or_default().trim().trim_end_matches(']');
                self.total = whole(text.as_bytes()).and_then(|total| u64::try_from(total).ok());
            }
        } else if self.is_in_spectrum && !line.is_empty() && !line.starts_with(['#', 'V']) {
            return self.row(line);
        } else if line.contains(" requests in ") && line.ends_with("read") {
            let mut words = line.split_whitespace();
            self.requests = words.next().map(count);
            self.seconds = words.nth(2).and_then(|word| seconds(word.trim_end_matches(',')));
        } else if let Some(rate) = after("Requests/sec:") {
            self.per_second = Some(rate);
        } else if let Some(bad) = after("Non-2xx or 3xx responses:") {
            self.bad = bad.max(0.0) as u64;
        } else if let Some(rest) = line.strip_prefix("Socket errors:") {
            for (number, part) in rest.split(',').take(4).enumerate() {
                self.sockets[number] = part.split_whitespace().next_back().map_or(0, count);
            }
        } else if line.ends_with(" connections") && line.contains(" threads and ") {
            let users = line.split_whitespace().rev().nth(1).map(count);
            self.users = users.and_then(|users| u32::try_from(users).ok());
        }
        Ok(())
    }

    fn row(&mut self, line: &str) -> Result<(), String> {
        let mut fields = line.split_whitespace();
        let time = fields.next().and_then(|text| millis(text.as_bytes()));
        let count = fields.nth(1).and_then(|text| whole(text.as_bytes())).and_then(|count| u64::try_from(count).ok());
        let (Some(time), Some(count)) = (time, count) else { return Err("it is not a row of a spectrum".into()) };
        if self.rows.last().is_some_and(|last| time < last.0 || count < last.1) {
            return Err("its row is below the one before".into());
        }
        if count > COUNT_MAX || self.rows.len() >= ROWS_MAX {
            return Err("its spectrum is longer than any that wrk2 prints".into());
        }
        self.rows.push((time, count));
        Ok(())
    }

    /// When each call ended is not known: they are spread over the seconds as evenly as whole calls can be.
    fn hand_on(&self, from: Nanos, seconds: f64, total: u64, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let mut turn = 0;
        let mut spread = |count: u64, call: &Call<'_>, sink: &mut dyn Sink| {
            let parts = (seconds.ceil() as u64).max(1);
            let (each, left) = (count / parts, count % parts);
            for part in 0..parts {
                let count = each + u64::from((part + parts - turn) % parts < left);
                let middle = (part as f64 + 0.5) * seconds / parts as f64;
                // None was meant to begin before the others were counted.
                let start = (from + Nanos((middle * 1e9) as i64) - call.took).max(from);
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                if count > 0 {
                    sink.call(&Call { start, count, ..*call })?;
                }
            }
            turn = (turn + left) % parts;
            Ok::<_, ImportError>(())
        };
        let call = Call { label: b"(all calls)", time: Time::Unknown, ..Call::default() };
        if self.bad > 0 {
            // Which of the times are those of bad answers is not told, so that neither kind has any.
            let bad = self.bad.min(total);
            spread(total - bad, &call, sink)?;
            spread(bad, &Call { outcome: Outcome::Status, ..call }, sink)?;
        } else {
            let mut before = 0;
            for (took, until) in &self.rows {
                spread(until.min(&total) - before, &Call { time: Time::Response, took: *took, ..call }, sink)?;
                before = *until.min(&total);
            }
        }
        let outcomes = [Outcome::Refused, Outcome::Reset, Outcome::Reset, Outcome::Timeout];
        for (count, outcome) in self.sockets.into_iter().zip(outcomes) {
            spread(count.min(COUNT_MAX), &Call { outcome, ..call }, sink)?;
        }
        Ok(())
    }

    fn print(&self, total: u64, beside: &mut Beside) {
        beside.print(b"", Figure::Calls, self.requests.map(|requests| requests as f64));
        for quantile in [0.5, 0.9, 0.99, 0.999] {
            let rank = (quantile * total as f64).ceil() as u64;
            let time = self.rows.iter().find(|(_, until)| *until >= rank).map(|(time, _)| time.as_millis_f64());
            beside.print(b"", Figure::Quantile(quantile), time);
        }
        if self.bad > 0 {
            beside
                .remarks
                .push(format!("{} answers were none of 2xx and 3xx; their times are among the others", self.bad));
        }
    }
}

/// `30.00s`, `1.50m`, `2.00h`.
fn seconds(text: &str) -> Option<f64> {
    let (number, scale) = match text.as_bytes() {
        [number @ .., b'm', b's'] => (number, 0.001),
        [number @ .., b's'] => (number, 1.0),
        [number @ .., b'm'] => (number, 60.0),
        [number @ .., b'h'] => (number, 3600.0),
        _ => return None,
    };
    decimal(number).map(|number| number * scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[derive(Default)]
    struct Kept(Vec<(i64, i64, Time, Outcome, u32)>);

    impl Sink for Kept {
        fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError> {
            self.0.push((call.start.second(), call.took.0 / 1000, call.time, call.outcome, call.count));
            Ok(())
        }
    }

    fn seen(text: &str, start: Option<Nanos>) -> Result<(Kept, Reading, Beside), ImportError> {
        let (mut kept, input) = (Kept::default(), Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap());
        let (reading, beside) = read(Path::new("wrk2.txt"), input, start, &mut kept)?;
        Ok((kept, reading, beside))
    }

    /// In the form of the README of wrk2, with fewer rows.
    const PAGE: &str = "Running 3s test @ http://127.0.0.1:80/index.html\n  2 threads and 100 connections\n\
          Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     6.46ms    1.93ms  12.42ms   67.66%\n\
          Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%    6.67ms\n\n\
          Detailed Percentile spectrum:\n       Value   Percentile   TotalCount 1/(1-Percentile)\n\n\
          \x20      0.921     0.000000            1         1.00\n       6.671     0.500000          4         2.00\n\
          \x20     12.503     1.000000           10          inf\n\
          #[Mean    =        6.460, StdDeviation   =        1.930]\n#[Max     =       12.496, Total count    =           10]\n\
          #[Buckets =           27, SubBuckets     =         2048]\n----------------------------------------------------------\n\
          \x20 12 requests in 3.00s, 19.89MB read\n  Socket errors: connect 1, read 0, write 0, timeout 2\nRequests/sec:      5.00\n";

    #[test]
    fn the_spectrum_becomes_calls_that_are_spread_over_the_time() {
        let start = Nanos::from_secs(1000);
        let (kept, reading, beside) = seen(PAGE, Some(start)).unwrap();
        // Ten calls at five a second took two of the three seconds; the first went by in calibration.
        let timed: Vec<_> = kept.0.iter().filter(|call| call.2 == Time::Response).collect();
        let of = |micros: i64| timed.iter().filter(|call| call.1 == micros).map(|call| call.4).sum::<u32>();
        assert_eq!([of(921), of(6671), of(12_503)], [1, 3, 6]);
        assert!(timed.iter().all(|call| (1001..1003).contains(&call.0)), "{timed:?}");
        let failed = |outcome| kept.0.iter().filter(|call| call.3 == outcome).map(|call| call.4).sum::<u32>();
        assert_eq!((failed(Outcome::Refused), failed(Outcome::Timeout), reading.read), (1, 2, 10));
        assert_eq!((beside.printed[0].figure, beside.printed[0].value), (Figure::Calls, 12.0));
        assert_eq!((beside.printed[1].figure, beside.printed[1].value), (Figure::Quantile(0.5), 12.503));
    }

    #[test]
    fn times_that_may_be_of_bad_answers_are_told_of_none() {
        let page = PAGE.replace("Requests/sec", "Non-2xx or 3xx responses: 4\nRequests/sec");
        let (kept, ..) = seen(&page, Some(Nanos::from_secs(1000))).unwrap();
        assert!(kept.0.iter().all(|call| call.2 == Time::Unknown));
        let bad = kept.0.iter().filter(|call| call.3 == Outcome::Status).map(|call| call.4).sum::<u32>();
        assert_eq!((bad, kept.0.iter().map(|call| call.4).sum::<u32>()), (4, 13));
    }

    #[test]
    fn what_is_missing_is_asked_for() {
        assert!(seen(PAGE, None).map(|_| ()).unwrap_err().to_string().contains("`--start"));
        let short = seen("Requests/sec: 5\n", Some(Nanos::SECOND)).map(|_| ()).unwrap_err().to_string();
        assert!(short.contains("wrk2 --latency"), "{short}");
        let damaged = PAGE.replace("6.671     0.500000          4", "6.671     0.500000          x");
        let (kept, reading, _) = seen(&damaged, Some(Nanos::SECOND)).unwrap();
        assert_eq!((kept.0.iter().map(|call| call.4).sum::<u32>(), reading.unreadable), (13, 1));
    }
}
