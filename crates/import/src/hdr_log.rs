//! Interval logs of HdrHistogram: a line for each interval, with a histogram of the times that ended in it.
//!
//! `#[StartTime: …]` and `#[BaseTime: …]` are seconds since 1970; a line has its begin and length in seconds, and begins
//! with `Tag=NAME,` where several things were timed. What unit the times have stands nowhere: whoever imports says it.
//!
//! Source: HdrHistogram 2.2, `HistogramLogReader`, `HistogramLogWriter`.

use crate::call::{Call, Sink};
use crate::error::ImportError;
use crate::hdr;
use crate::input::Input;
use crate::lines::{Line, Lines};
use crate::numbers::decimal;
use crate::reading::{Reading, shown};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;
use std::path::Path;
use terms::{Buckets, Nanos};

/// Different times of all intervals together: each waits on the disk until the last line is read.
const TIMES_MAX: u64 = 20_000_000;
/// Calls of one time in one interval.
const COUNT_MAX: u64 = 1 << 40;
/// Longest interval, seconds.
const LENGTH_MAX: f64 = 3600.0;
/// A first interval that begins so much before the log's own start is counted from there.
const YEAR_S: f64 = 365.0 * 86_400.0;
/// What a log without tags has timed.
const UNTAGGED: &[u8] = b"(all calls)";

/// Where the log's own clock stands, seconds since 1970.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    start: Option<f64>,
    base: Option<f64>,
    /// When the run began, as whoever imports it says; for logs that do not say it.
    given: Option<f64>,
}

impl Clock {
    /// The moment from which intervals are counted; told by the first of them where the log does not say it.
    fn base(&mut self, first: f64) -> Result<f64, String> {
        let told = self.base.or_else(|| self.start.filter(|start| first < start - YEAR_S));
        // Seconds since 1970 need no other moment.
        let told = told.or(if first < YEAR_S { self.given } else { Some(0.0) });
        let told = told.ok_or(
            "the log does not say when its clock began; write when the test did: `--start 2026-11-26T10:58:00Z`",
        )?;
        Ok(*self.base.insert(told))
    }
}

/// Reads a log. `unit` is how long a time of 1 is; `start` is when the test began, for a log that does not say it.
///
/// # Errors
/// For a file without any interval, without a unit, or with too many different times.
pub(crate) fn read(
    path: &Path,
    input: Input,
    (unit, start): (Option<Nanos>, Option<Nanos>),
    sink: &mut dyn Sink,
) -> Result<Reading, ImportError> {
    let wrong = |what: String| ImportError::file(path, what);
    let unit = unit.ok_or_else(|| {
        wrong("does not say the unit of its times; write it: `--unit ns`, `--unit us` or `--unit ms`".into())
    })?;
    let (mut lines, mut reading, mut clock, mut times) = (Lines::new(input), Reading::default(), Clock::default(), 0);
    clock.given = start.map(Nanos::as_secs_f64);
    loop {
        match lines.advance() {
            Ok(Line::End) => break,
            Ok(Line::TooLong) => reading.unreadable(lines.number(), "it is longer than a mebibyte"),
            Ok(Line::Whole) => {
                let line = lines.text();
                if is_beside(line, &mut clock) {
                    continue;
                }
                match interval(line, &mut clock, unit) {
                    Ok(interval) => {
                        times += interval.times.len() as u64 * interval.seconds().max(1) as u64;
                        if times > TIMES_MAX {
                            let what = format!("has more than {TIMES_MAX} times in its intervals; import it in parts");
                            return Err(wrong(what));
                        }
                        reading.read += 1;
                        // Those who record all the time write down what came before a load and after it, too.
                        if !interval.times.is_empty() {
                            sink.covers(interval.from, interval.from + interval.length);
                        }
                        interval.hand_on(sink)?;
                    }
                    Err(why) => reading.unreadable(lines.number(), why),
                }
            }
            Err(error) => {
                reading.break_off(path, lines.number(), &error)?;
                break;
            }
        }
    }
    if reading.read == 0 {
        let why = reading.examples.first().map(|line| format!("; line {}: {}", line.line, line.why));
        return Err(wrong(format!("holds no interval of an HdrHistogram log{}", why.unwrap_or_default())));
    }
    (reading.bytes, reading.sha256) = lines.reader().fingerprint();
    Ok(reading)
}

/// A comment, a legend or an empty line; what it says of the clock is kept.
fn is_beside(line: &[u8], clock: &mut Clock) -> bool {
    let seconds =
        |rest: &[u8]| decimal(rest.split(|byte| *byte == b' ' || *byte == b']').find(|word| !word.is_empty())?);
    if let Some(rest) = line.strip_prefix(b"#[StartTime:") {
        clock.start = seconds(rest).or(clock.start);
    } else if let Some(rest) = line.strip_prefix(b"#[BaseTime:") {
        clock.base = seconds(rest).or(clock.base);
    }
    line.is_empty() || line.starts_with(b"#") || line.starts_with(b"\"StartTimestamp\"")
}

/// Calls that ended within one interval.
#[derive(Debug)]
struct Interval {
    label: Vec<u8>,
    from: Nanos,
    length: Nanos,
    /// By the buckets that our own rows have, with the longest time of each.
    times: BTreeMap<u32, (Nanos, u64)>,
}

fn interval(line: &[u8], clock: &mut Clock, unit: Nanos) -> Result<Interval, String> {
    let (label, rest) = match line.strip_prefix(b"Tag=") {
        Some(tagged) => {
            let end = memchr::memchr(b',', tagged).ok_or("its tag never ends")?;
            (&tagged[..end], &tagged[end + 1..])
        }
        None => (UNTAGGED, line),
    };
    let mut fields = rest.splitn(4, |byte| *byte == b',');
    let mut number = |what: &str| {
        let text = fields.next().unwrap_or_default();
        decimal(text)
            .filter(|value| *value >= 0.0)
            .ok_or_else(|| format!("its {what} `{}` is not a number", shown(text)))
    };
    let (begin, length, _) = (number("begin")?, number("length")?, number("maximum")?);
    let from = clock.base(begin)? + begin;
    if length > LENGTH_MAX || !(0.0..9e9).contains(&from) {
        return Err(format!("it begins {begin} s after the log's clock and is {length} s long, which cannot be"));
    }
    let text = fields.next().ok_or("it holds no histogram")?.trim_ascii();
    let packed = STANDARD.decode(text).map_err(|error| format!("its histogram is not base64: {error}"))?;
    let mut times = BTreeMap::<u32, (Nanos, u64)>::new();
    for (time, count) in hdr::read(&packed)? {
        let time = i64::try_from(time).ok().and_then(|time| time.checked_mul(unit.0)).map(Nanos);
        let time = time.filter(|time| time.0 < 1 << 60).ok_or("a time in it is longer than any clock has")?;
        if count > COUNT_MAX {
            return Err(format!("it counts {count} calls of one time, which cannot be"));
        }
        let kept = times.entry(Buckets::index(time)).or_default();
        *kept = (kept.0.max(time), kept.1 + count);
    }
    let nanos = |seconds: f64| Nanos((seconds * 1e9).round() as i64);
    Ok(Interval { label: label.to_vec(), from: nanos(from), length: nanos(length), times })
}

impl Interval {
    /// How many seconds its calls are spread over.
    fn seconds(&self) -> i64 {
        // Up to two seconds are one: most tools write a line a second, and none is that exact.
        if self.length < Nanos::from_secs(2) { 1 } else { self.length.second() }
    }

    /// When each call ended is not known: they are spread over the interval as evenly as whole calls can be.
    fn hand_on(&self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let seconds = self.seconds();
        let part = Nanos(self.length.0 / seconds);
        // What is left when a count is divided goes to another second each time.
        let mut turn = 0;
        for (took, count) in self.times.values() {
            let (each, left) = (count / seconds as u64, count % seconds as u64);
            for second in 0..seconds {
                let is_extra = ((second - turn).rem_euclid(seconds) as u64) < left;
                let end = self.from + Nanos(part.0 * second + part.0 / 2);
                hand_on(each + u64::from(is_extra), *took, end, &self.label, sink)?;
            }
            turn = (turn + left as i64) % seconds;
        }
        Ok(())
    }
}

fn hand_on(count: u64, took: Nanos, end: Nanos, label: &[u8], sink: &mut dyn Sink) -> Result<(), ImportError> {
    let mut left = count;
    while left > 0 {
        let count = u32::try_from(left).unwrap_or(u32::MAX);
        left -= u64::from(count);
        sink.call(&Call { start: end - took, took, count, label, ..Call::default() })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::V2DeflateSerializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
    use std::io::Cursor;
    use std::time::{Duration, UNIX_EPOCH};

    #[derive(Default)]
    struct Kept(Vec<(i64, i64, String, u32)>, Vec<(i64, i64)>);

    impl Sink for Kept {
        fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError> {
            let end = (call.start + call.took).second();
            self.0.push((end, call.took.0, String::from_utf8_lossy(call.label).into_owned(), call.count));
            Ok(())
        }

        fn covers(&mut self, from: Nanos, to: Nanos) {
            self.1.push((from.second() - 1_795_690_680, to.second() - 1_795_690_680));
        }
    }

    fn seen(text: &[u8], unit: Option<Nanos>) -> Result<(Kept, Reading), ImportError> {
        seen_from(text, unit, None)
    }

    fn seen_from(text: &[u8], unit: Option<Nanos>, start: Option<Nanos>) -> Result<(Kept, Reading), ImportError> {
        let (mut kept, input) = (Kept::default(), Input::of(Cursor::new(text.to_vec())).unwrap());
        let reading = read(Path::new("a.hlog"), input, (unit, start), &mut kept)?;
        Ok((kept, reading))
    }

    #[test]
    fn a_log_that_does_not_say_when_it_began_is_placed_by_whoever_imports_it() {
        let log = String::from_utf8(log()).unwrap();
        let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with('#')).collect();
        let (text, unit) = (lines.join("\n"), Some(Nanos::MICROSECOND));
        let refused = seen(text.as_bytes(), unit).err().unwrap().to_string();
        assert!(refused.contains("`--start 2026-11-26T10:58:00Z`"), "{refused}");
        let start = Nanos::from_secs(1_795_690_680);
        let (placed, reading) = seen_from(text.as_bytes(), unit, Some(start)).unwrap();
        let (told, _) = seen(log.as_bytes(), unit).unwrap();
        assert_eq!((placed.0, reading.unreadable), (told.0, 0));
    }

    /// As the crate `hdrhistogram` writes it: one second with two things timed, then three seconds with one.
    fn log() -> Vec<u8> {
        let of = |times: &[(u64, u64)]| {
            let mut histogram = Histogram::<u64>::new(3).unwrap();
            times.iter().for_each(|(time, count)| histogram.record_n(*time, *count).unwrap());
            histogram
        };
        let (mut out, mut serializer) = (Vec::new(), V2DeflateSerializer::new());
        let at = UNIX_EPOCH + Duration::from_secs(1_795_690_680);
        let mut builder = IntervalLogWriterBuilder::new();
        builder.with_start_time(at).with_base_time(at);
        let mut writer = builder.begin_log_with(&mut out, &mut serializer).unwrap();
        let (second, three) = (Duration::from_secs(1), Duration::from_secs(3));
        writer.write_histogram(&of(&[(500, 2), (1500, 1)]), Duration::ZERO, second, Tag::new("get")).unwrap();
        writer.write_histogram(&of(&[(20_000, 1)]), Duration::ZERO, second, Tag::new("put")).unwrap();
        writer.write_histogram(&of(&[(500, 4)]), second, three, None).unwrap();
        out
    }

    /// A second without a call before one with a call, and one after it.
    fn idle() -> Vec<u8> {
        let (mut out, mut serializer) = (Vec::new(), V2DeflateSerializer::new());
        let at = UNIX_EPOCH + Duration::from_secs(1_795_690_680);
        let mut builder = IntervalLogWriterBuilder::new();
        builder.with_start_time(at).with_base_time(at);
        let mut writer = builder.begin_log_with(&mut out, &mut serializer).unwrap();
        for (second, count) in [(0, 0), (1, 2), (2, 0)] {
            let mut histogram = Histogram::<u64>::new(3).unwrap();
            histogram.record_n(500, count).unwrap();
            let second = Duration::from_secs(second);
            writer.write_histogram(&histogram, second, Duration::from_secs(1), None).unwrap();
        }
        out
    }

    #[test]
    fn intervals_become_calls_that_are_spread_over_them() {
        let (kept, reading) = seen(&log(), Some(Nanos::MICROSECOND)).unwrap();
        let of = |second: i64, micros: i64, label: &str, count| {
            (1_795_690_680 + second, micros * 1000, label.to_owned(), count)
        };
        let expected = [
            of(0, 500, "get", 2),
            of(0, 1500, "get", 1),
            of(0, 20_015, "put", 1),
            of(1, 500, "(all calls)", 2),
            of(2, 500, "(all calls)", 1),
            of(3, 500, "(all calls)", 1),
        ];
        assert_eq!(kept.0, expected);
        assert_eq!(kept.1, [(0, 1), (0, 1), (1, 4)], "the run is as long as its intervals");
        let (idle, all) = seen(&idle(), Some(Nanos::MICROSECOND)).unwrap();
        assert_eq!((idle.1, all.read), (vec![(1, 2)], 3), "idle intervals around a load do not count");
        assert_eq!((reading.read, reading.unreadable), (3, 0));
    }

    #[test]
    fn damaged_lines_are_counted() {
        let mut text = log();
        text.truncate(text.len() - 30);
        text.extend(b"\n1,2,3,nonsense\nTag=x\n1,99999,3,AAAA\n");
        let (kept, reading) = seen(&text, Some(Nanos::MICROSECOND)).unwrap();
        assert_eq!((kept.0.len(), reading.read, reading.unreadable), (3, 2, 4), "{reading:?}");
    }

    #[test]
    fn a_log_needs_a_unit_and_an_interval() {
        assert!(seen(&log(), None).map(|_| ()).unwrap_err().to_string().contains("`--unit us`"));
        let none = seen(b"timeStamp,elapsed\n", Some(Nanos::MICROSECOND)).map(|_| ()).unwrap_err().to_string();
        assert!(none.contains("holds no interval") && none.contains("line 1"), "{none}");
    }

    #[test]
    fn a_log_that_counts_from_its_start_is_placed_there() {
        let text = String::from_utf8(log()).unwrap();
        let text: String =
            text.lines().filter(|line| !line.starts_with("#[BaseTime")).map(|l| format!("{l}\n")).collect();
        let (kept, _) = seen(text.as_bytes(), Some(Nanos::MICROSECOND)).unwrap();
        assert_eq!(kept.0[0].0, 1_795_690_680);
    }
}
