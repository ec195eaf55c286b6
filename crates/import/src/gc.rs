//! Logs of collections by HotSpot: `-Xlog:gc` of JDK 9 and later, `-XX:+PrintGCDetails` of earlier ones.
//!
//! Each pause is a row: how long it was, and what the heap held after it. A log that stamps its lines with the time of
//! day is placed by that; one with the time since the machine was started alone, like `jstat -t`. Lines that are of no
//! pause are passed over.
//!
//! Source: JEP 158, JDK 21 `-Xlog`; JDK 8, `PrintGCDetails`, `PrintGCDateStamps`.

use crate::error::ImportError;
use crate::input::Input;
use crate::numbers::{decimal, moment_in};
use crate::reading::{Reading, shown};
use crate::samples::{Row, Samples, by_line};
use crate::zone::Zone;
use std::path::Path;
use terms::Nanos;

/// What a pause was for; how `jstat` counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    Young,
    Full,
    Concurrent,
}

/// Counts and seconds of pauses so far, by what they were for.
#[derive(Default)]
struct Counts([(f64, f64); 3]);

/// Metrics of counts and of times, in the order of [`Pause`].
const COUNTS: [(&str, &str); 3] =
    [("gc_young", "gc_young_time"), ("gc_full", "gc_full_time"), ("gc_concurrent", "gc_concurrent_time")];

/// Reads a log.
///
/// # Errors
/// For a file without any pause.
pub(crate) fn read(path: &Path, input: Input, zone: &Zone) -> Result<(Samples, Reading), ImportError> {
    let (mut counts, mut last) = (Counts::default(), None);
    let (rows, reading) = by_line(path, input, |line| {
        let Some(found) = unified(line, zone).or_else(|| earlier(line, zone)) else {
            let is_of_log =
                line.starts_with(['[', ' ', '\t', '{', '}', '#']) || line.starts_with(|c: char| c.is_ascii_digit());
            let is_head = ["Java HotSpot", "OpenJDK", "Memory:", "CommandLine flags:", "Heap"];
            let is_known = is_of_log || is_head.iter().any(|head| line.starts_with(head));
            return if is_known {
                Ok(None)
            } else {
                Err(format!("a log of collections has no such line: `{}`", shown(line.as_bytes())))
            };
        };
        let row = counts.row(found?)?;
        // A time that goes back is that of another virtual machine, or of a clock that was set.
        let now = row.at.or(row.since);
        if last > now {
            return Err("its time is before that of the line before".into());
        }
        last = now;
        Ok(Some(row))
    })?;
    if rows.is_empty() {
        let what = "holds no pause of a collection\nmake a log with `java -Xlog:gc:file=gc.log:time,uptime …`";
        return Err(ImportError::file(path, what));
    }
    Ok((Samples { monitor: "jvm", usual_instance: "jvm", skipped: 0, rows }, reading))
}

/// A pause as its line has it.
struct Found {
    at: Option<Nanos>,
    since: Option<Nanos>,
    pause: Pause,
    seconds: f64,
    /// Bytes in use after it, and of the whole heap.
    after: Option<(f64, f64)>,
}

impl Counts {
    fn row(&mut self, found: Found) -> Result<Row, String> {
        if found.at.is_none() && found.since.is_none() {
            return Err("it has no time: log with `-Xlog:gc:file=gc.log:time,uptime`".into());
        }
        if !(0.0..1e5).contains(&found.seconds) {
            return Err(format!("its pause of {} s cannot be", found.seconds));
        }
        let (count, time) = &mut self.0[found.pause as usize];
        *count += 1.0;
        *time += found.seconds;
        let mut values = vec![("gc_pause", found.seconds)];
        for ((count, time), (counts, times)) in self.0.iter().zip(COUNTS) {
            values.extend([(counts, *count), (times, *time)]);
        }
        if let Some((used, whole)) = found.after {
            values.extend([("heap_after_gc", used), ("heap_committed", whole)]);
        }
        Ok(Row { at: found.at, since: found.since, instance: None, values })
    }
}

/// `[2026-11-26T10:58:00.123+0000][0.025s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.123ms`.
fn unified(line: &str, zone: &Zone) -> Option<Result<Found, String>> {
    let text = line.trim_end();
    let body = text.find("GC(").filter(|_| text.starts_with('['))?;
    let (_, what) = text[body..].split_once(") ")?;
    let place = what.find("Pause ")?;
    let what = &what[place..];
    let millis = what.rsplit(' ').next()?.strip_suffix("ms").and_then(number)?;
    let (mut at, mut since) = (None, None);
    for decoration in text[..body].split(']').filter_map(|part| part.trim_start().strip_prefix('[')).take(8) {
        at = at.or_else(|| moment_in(decoration.as_bytes(), zone));
        since = since.or_else(|| uptime(decoration));
    }
    let pause = if what.starts_with("Pause Full") {
        Pause::Full
    } else if what.starts_with("Pause Young") || what.starts_with("Pause Initial") {
        Pause::Young
    } else {
        Pause::Concurrent
    };
    let after = what.split_whitespace().rev().nth(1).and_then(change);
    Some(Ok(Found { at, since, pause, seconds: millis / 1e3, after }))
}

/// `0.025s`, `25ms`, `25123456ns`.
fn uptime(text: &str) -> Option<Nanos> {
    let (digits, scale) = if let Some(digits) = text.strip_suffix("ms") {
        (digits, 1e-3)
    } else if let Some(digits) = text.strip_suffix("ns") {
        (digits, 1e-9)
    } else {
        (text.strip_suffix('s')?, 1.0)
    };
    let seconds = number(digits).filter(|seconds| *seconds >= 0.0)? * scale;
    (seconds < 1e9).then(|| Nanos::from_secs_f64(seconds))
}

/// Some languages write decimals behind a comma.
fn number(text: &str) -> Option<f64> {
    decimal(text.replace(',', ".").as_bytes())
}

/// `24M->4M(256M)`: bytes after, and of the whole.
fn change(text: &str) -> Option<(f64, f64)> {
    let (_, after) = text.split_once("->")?;
    let (used, whole) = after.strip_suffix(')')?.split_once('(')?;
    Some((bytes(used)?, bytes(whole)?))
}

fn bytes(text: &str) -> Option<f64> {
    let scale = match text.bytes().last()? {
        b'B' => 1.0,
        b'K' => 1024.0,
        b'M' => 1024.0 * 1024.0,
        b'G' => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    number(&text[..text.len() - 1]).filter(|number| *number >= 0.0).map(|number| number * scale)
}

/// `2026-11-26T10:58:00.123+0000: 1.025: [GC (Allocation Failure) [PSYoungGen: 65536K->10748K(76288K)]
/// 65536K->12345K(251392K), 0.0123456 secs] [Times: …]`.
fn earlier(line: &str, zone: &Zone) -> Option<Result<Found, String>> {
    let open = line.find('[').filter(|open| *open > 0)?;
    let what = line.get(open + 1..)?;
    let pause = if what.starts_with("Full GC") {
        Pause::Full
    } else if what.starts_with("GC (CMS") || what.starts_with("GC remark") || what.starts_with("GC cleanup") {
        Pause::Concurrent
    } else if what.starts_with("GC pause") || what.starts_with("GC (") || what.starts_with("GC[") {
        Pause::Young
    } else {
        return None;
    };
    let body = what.split(" [Times").next().unwrap_or(what);
    let end = body.rfind(" secs]")?;
    let seconds = number(body[..end].rsplit(' ').next()?)?;
    let stamps = line[..open].split(": ").map(|stamp| stamp.trim().trim_end_matches(':'));
    let (mut at, mut since) = (None, None);
    for stamp in stamps.filter(|stamp| !stamp.is_empty()).take(3) {
        at = at.or_else(|| moment_in(stamp.as_bytes(), zone));
        since = since.or_else(|| number(stamp).filter(|it| (0.0..1e9).contains(it)).map(Nanos::from_secs_f64));
    }
    // The whole heap stands outside the brackets of its generations.
    let mut depth = 0usize;
    let mut outside = String::new();
    for c in body[..end].chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    let after = outside.split([' ', ',']).filter_map(change).next_back();
    Some(Ok(Found { at, since, pause, seconds, after }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn seen(text: &str) -> Result<(Samples, Reading), ImportError> {
        seen_in(text, &Zone::default())
    }

    fn seen_in(text: &str, zone: &Zone) -> Result<(Samples, Reading), ImportError> {
        read(Path::new("gc.log"), Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap(), zone)
    }

    fn value(row: &Row, name: &str) -> Option<f64> {
        row.values.iter().find(|(metric, _)| *metric == name).map(|(_, value)| *value)
    }

    /// As OpenJDK 17 writes them, with `-Xlog:gc*:file=gc.log:time,uptime,level,tags`.
    const UNIFIED: &str = "\
[2026-11-26T10:58:00.010+0000][0.010s][info][gc] Using G1\n\
[2026-11-26T10:58:01.123+0000][1.123s][info][gc,start    ] GC(0) Pause Young (Normal) (G1 Evacuation Pause)\n\
[2026-11-26T10:58:01.126+0000][1.126s][info][gc          ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.250ms\n\
[2026-11-26T10:58:01.126+0000][1.126s][info][gc,cpu      ] GC(0) User=0.00s Sys=0.00s Real=0.00s\n\
[2026-11-26T10:58:02.000+0000][2.000s][info][gc          ] GC(1) Concurrent Mark Cycle 12.5ms\n\
[2026-11-26T10:58:02.100+0000][2.100s][info][gc          ] GC(1) Pause Remark 10M->10M(256M) 0.5ms\n\
[2026-11-26T10:58:03.000+0000][3.000s][info][gc          ] GC(2) Pause Full (System.gc()) 10M->1024K(64M) 20,000ms\n";

    #[test]
    fn pauses_of_unified_logs_are_rows() {
        let (samples, reading) = seen(UNIFIED).unwrap();
        assert_eq!((samples.rows.len(), reading.unreadable), (3, 0));
        let first = &samples.rows[0];
        assert_eq!(first.at, Some(Nanos(1_795_690_681_126_000_000)));
        assert_eq!(
            (value(first, "gc_pause"), value(first, "heap_after_gc")),
            (Some(0.003_25), Some(4.0 * 1024.0 * 1024.0))
        );
        let last = &samples.rows[2];
        assert_eq!(
            (value(last, "gc_young"), value(last, "gc_full"), value(last, "gc_concurrent")),
            (Some(1.0), Some(1.0), Some(1.0))
        );
        assert_eq!(
            (value(last, "gc_full_time"), value(last, "heap_committed")),
            (Some(0.02), Some(64.0 * 1024.0 * 1024.0))
        );
    }

    #[test]
    fn stamps_without_a_zone_are_of_the_one_that_is_given() {
        // Tools that cut logs to one zone take the offset away; HotSpot itself always writes it.
        let bare = UNIFIED.replace("+0000]", "]");
        let first = |text: &str, zone: &Zone| seen_in(text, zone).unwrap().0.rows[0].at.unwrap();
        let (utc, ahead) = (Zone::default(), Zone::of(Some(7200)));
        assert_eq!(first(&bare, &utc) - first(&bare, &ahead), Nanos::from_secs(7200));
        assert!(utc.is_used() && ahead.is_used());
        let unused = Zone::of(Some(7200));
        assert_eq!(first(UNIFIED, &unused), first(&bare, &utc), "a stamp that says its zone keeps it");
        assert!(!unused.is_used());
        let before_9 =
            "2026-11-26T12:58:00.123: 1.025: [GC (Allocation Failure) 65536K->12345K(251392K), 0.0123456 secs]\n";
        assert_eq!(first(before_9, &ahead), Nanos(1_795_690_680_123_000_000));
    }

    #[test]
    fn without_a_time_of_day_rows_count_from_the_start_of_the_machine() {
        let (samples, _) = seen("[0.525s][info][gc] GC(0) Pause Young (Normal) 24M->4M(256M) 3.0ms\n").unwrap();
        assert_eq!((samples.rows[0].at, samples.rows[0].since), (None, Some(Nanos::from_millis(525))));
    }

    /// As OpenJDK 8 writes them with `-XX:+PrintGCDetails -XX:+PrintGCDateStamps -XX:+PrintGCTimeStamps`.
    #[test]
    fn pauses_of_earlier_logs_are_rows() {
        let text = "OpenJDK 64-Bit Server VM (25.392) for linux-amd64\n\
            2026-11-26T10:58:00.123+0000: 1.025: [GC (Allocation Failure) [PSYoungGen: 65536K->10748K(76288K)] 65536K->12345K(251392K), 0.0123456 secs] [Times: user=0.02 sys=0.00, real=0.01 secs] \n\
            2026-11-26T10:58:05.000+0000: 5.902: [Full GC (Ergonomics) [PSYoungGen: 1K->0K(76288K)] [ParOldGen: 2K->1K(175104K)] 3K->1024K(251392K), [Metaspace: 3K->3K(1056768K)], 0.5 secs] [Times: user=0.9 sys=0.00, real=0.50 secs]\n";
        let (samples, reading) = seen(text).unwrap();
        assert_eq!((samples.rows.len(), reading.unreadable), (2, 0), "{reading:?}");
        assert_eq!(samples.rows[0].at, Some(Nanos(1_795_690_680_123_000_000)));
        assert_eq!(value(&samples.rows[0], "heap_after_gc"), Some(12_345.0 * 1024.0));
        assert_eq!(
            (value(&samples.rows[1], "gc_pause"), value(&samples.rows[1], "heap_after_gc")),
            (Some(0.5), Some(1024.0 * 1024.0))
        );
    }

    #[test]
    fn damage_is_counted_and_other_files_are_refused() {
        let text = format!("{UNIFIED}nonsense\n[1.0s][info][gc] GC(3) Pause Young (Normal) 1M->1M(2M) 1.0ms\n");
        let (samples, reading) = seen(&text).unwrap();
        assert_eq!((samples.rows.len(), reading.unreadable), (3, 2), "{reading:?}");
        assert!(seen("timeStamp,elapsed\n").map(|_| ()).unwrap_err().to_string().contains("-Xlog:gc"));
        assert!(seen("[info][gc] GC(0) Pause Young 1M->1M(2M) 1.0ms\n").map(|_| ()).is_err());
    }
}
