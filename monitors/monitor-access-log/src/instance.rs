//! One instance: its log, what was counted of it, what was told of it.

use crate::config::{Config, Times};
use crate::lines::Line;
use crate::metrics::Metric;
use crate::tail::{Budget, Happened, Tail};
use access_lines::Call;
use contract::{Event, Samples};
use std::path::PathBuf;
use terms::Nanos;

/// Characters of a line that are shown.
const SHOWN_CHARS_MAX: usize = 160;
/// A line's own time is believed when it lies at most so much, and the call's duration, before it was read. Servers
/// buffer lines for seconds; a clock or zone that is wrong is wrong by more.
const BEFORE_MAX: Nanos = Nanos::from_secs(600);
/// And at most so much after it.
const AFTER_MAX: Nanos = Nanos::from_secs(2);

/// An instance with its log.
pub(crate) struct Instance {
    pub(crate) name: String,
    tail: Tail,
    counts: Counts,
    told: Told,
    /// Why there is no sample of it.
    pub(crate) why: Option<String>,
    /// When it was first looked for and not there.
    without_log: Option<Nanos>,
}

/// Counts since the start of the run.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    calls: u64,
    client_errors: u64,
    errors: u64,
    sent: u64,
    not_understood: u64,
    others: u64,
}

/// What is told once a run.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    not_understood: bool,
    misdated: bool,
    behind: bool,
}

/// The moment of a look, on the run's clock and on the wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    pub(crate) at: Nanos,
    pub(crate) wall: Nanos,
}

impl Instance {
    pub(crate) fn new(name: String, path: PathBuf) -> Self {
        let (counts, told) = (Counts::default(), Told::default());
        Self { name, tail: Tail::new(path), counts, told, why: None, without_log: None }
    }

    /// Begins to follow the log.
    pub(crate) fn begin(&mut self) {
        self.tail.begin();
    }

    pub(crate) fn log(&self) -> String {
        self.tail.path().display().to_string()
    }

    /// Lines so far, for a fact.
    pub(crate) fn lines(&self) -> String {
        let Counts { calls, others, not_understood, .. } = self.counts;
        let unread = self.tail.unread();
        let rest = if unread > 0 { format!("; {unread} bytes not read") } else { String::new() };
        format!("{calls} calls, {others} on other routes, {not_understood} not understood{rest}")
    }

    /// Reads what has come since, and adds its samples.
    pub(crate) fn sample(&mut self, config: &Config, now: Now, mut budget: Budget, out: &mut Samples) {
        let number = out.instance(&self.name);
        let Self { name, tail, counts, told, .. } = self;
        let mut events: Vec<(&'static str, String)> = Vec::new();
        let happened = tail.look(&mut budget, &mut |line| {
            let (bytes, call) = match line {
                Line::Whole(bytes) => (bytes, config.format.read(bytes, config.a_second)),
                Line::TooLong(bytes) => (bytes, None),
            };
            let Some(call) = call else {
                counts.not_understood += 1;
                if !std::mem::replace(&mut told.not_understood, true) {
                    let text = format!("a line of the log of `{name}` is not understood: `{}`", shown(bytes));
                    events.push(("not_understood", text));
                }
                return;
            };
            if !config.is_wanted(call.route.as_deref()) {
                counts.others += 1;
                return;
            }
            counts.add(&call);
            let (at, is_misdated) = placed(&call, config.times, now);
            if is_misdated && !std::mem::replace(&mut told.misdated, true) {
                let text = format!("lines of the log of `{name}` have no time near that of the run, and count when they are read: `{}`", shown(bytes));
                events.push(("misdated", text));
            }
            if let Some(duration) = call.duration {
                out.duration(at, number, Metric::Duration as u16, duration);
            }
        });
        match happened {
            Ok(happened) => {
                self.why = None;
                events.extend(happened.into_iter().map(|one| told_of(&one, name)));
            }
            Err(why) => {
                let why = format!("the log `{}` of `{name}` {why}", tail.path().display());
                let is_there = !std::fs::symlink_metadata(tail.path())
                    .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
                self.without_log = self.without_log.or((!is_there).then_some(now.at));
                out.missing(number, why.clone());
                self.why = Some(why);
                return;
            }
        }
        if budget.lines == 0 && !std::mem::replace(&mut told.behind, true) {
            let text = format!("the log of `{name}` grows faster than it is read; the rest is read at later samples");
            events.push(("behind", text));
        }
        for (kind, text) in events {
            out.event(now.at, number, Event { kind, text });
        }
        let (has_status, has_bytes) = config.format.counts();
        let mut add = |at: Nanos, counts: &Counts| {
            let mut value = |metric: Metric, count: u64| out.value(at, number, metric as u16, count as f64);
            value(Metric::Calls, counts.calls);
            value(Metric::NotUnderstood, counts.not_understood);
            if has_status {
                value(Metric::ClientErrors, counts.client_errors);
                value(Metric::Errors, counts.errors);
            }
            if has_bytes {
                value(Metric::Sent, counts.sent);
            }
        };
        // A log that was made meanwhile is read from its beginning: until then there was nothing.
        if let Some(without_log) = self.without_log.take() {
            add(without_log, &Counts::default());
        }
        add(now.at, counts);
    }
}

impl Counts {
    fn add(&mut self, call: &Call) {
        self.calls += 1;
        self.sent = self.sent.saturating_add(call.bytes.unwrap_or(0));
        match call.status {
            Some(400..=499) => self.client_errors += 1,
            // Without an answer there is no status.
            Some(0 | 500..) => self.errors += 1,
            _ => {}
        }
    }
}

/// When a call counts, and whether its line has a time that cannot be.
fn placed(call: &Call, times: Times, now: Now) -> (Nanos, bool) {
    if times == Times::Read {
        return (now.at, false);
    }
    let Some(moment) = call.moment else { return (now.at, true) };
    // Of a whole second the middle: nothing is shifted on average.
    let half = if moment.is_whole_second { Nanos(Nanos::SECOND.0 / 2) } else { Nanos::ZERO };
    let ago = now.wall - moment.wall;
    let longest = BEFORE_MAX + call.duration.unwrap_or(Nanos::ZERO);
    if ago > longest || ago < -AFTER_MAX {
        return (now.at, true);
    }
    // Nothing lies after the moment at which it was read, or before the run.
    ((now.at - ago + half).min(now.at).max(Nanos::ZERO), false)
}

fn told_of(happened: &Happened, name: &str) -> (&'static str, String) {
    match happened {
        Happened::Rotated { in_between: 0 } => {
            ("log_rotated", format!("the log of `{name}` is another file now; what it was is read to its end"))
        }
        Happened::Rotated { in_between } => (
            "log_rotated",
            format!(
                "the log of `{name}` is another file now, and {in_between} more came and went since the sample before; all are read"
            ),
        ),
        Happened::Truncated { has_copy: true } => {
            ("log_truncated", format!("the log of `{name}` was emptied; what was not read yet was found in its copy"))
        }
        Happened::Truncated { has_copy: false } => (
            "log_truncated",
            format!("the log of `{name}` was emptied; lines written since the sample before may be lost"),
        ),
    }
}

/// The beginning of a line, printable.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * SHOWN_CHARS_MAX)]).into_owned();
    let short: String = text.chars().take(SHOWN_CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN_CHARS_MAX).is_some() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;
    use access_lines::Moment;

    #[test]
    fn a_call_counts_when_its_line_says_unless_that_cannot_be() {
        let now = Now { at: Nanos::from_secs(100), wall: Nanos::from_secs(1_795_255_200) };
        let call = |before_ms: i64, is_whole_second| Call {
            moment: Some(Moment { wall: now.wall - Nanos::from_millis(before_ms), is_whole_second }),
            duration: Some(Nanos::SECOND),
            ..Call::default()
        };
        let at = |call: &Call| placed(call, Times::Logged, now);
        assert_eq!(at(&call(1500, false)), (Nanos::from_millis(98_500), false));
        assert_eq!(at(&call(2000, true)), (Nanos::from_millis(98_500), false), "the middle of its second");
        assert_eq!(at(&call(0, true)), (now.at, false), "never in the future");
        assert_eq!(at(&call(-1999, false)), (now.at, false));
        assert_eq!(at(&call(-3000, false)), (now.at, true));
        assert_eq!(
            at(&call(601_000, false)),
            (Nanos::ZERO, false),
            "a second of it was the call; and not before the run"
        );
        assert_eq!(at(&call(601_001, false)), (now.at, true));
        assert_eq!(at(&call(3_600_000, false)), (now.at, true), "another zone");
        assert_eq!(at(&Call::default()), (now.at, true));
        assert_eq!(placed(&call(1500, false), Times::Read, now), (now.at, false));
    }

    #[test]
    fn a_line_is_shown_short_and_printable() {
        assert_eq!(shown(b"a\x07\xff b"), "a\\u{7}\u{fffd} b");
        let long = "é".repeat(1000);
        assert_eq!(shown(long.as_bytes()).chars().count(), SHOWN_CHARS_MAX + 1);
    }
}
