//! Processor time and run-queue delay of the calling thread, from the scheduler's own count.

use std::fs::File;
use std::os::unix::fs::FileExt;
use terms::Nanos;

/// Reads `/proc/thread-self/schedstat`: nanoseconds on a processor, nanoseconds runnable but not running.
pub(crate) struct ThreadTimes {
    file: Option<File>,
    /// The counts at the end of the last span, and that end.
    last: (u64, u64),
    until: Nanos,
}

impl ThreadTimes {
    /// Opens the calling thread's file. Where there is none, both times stay zero.
    pub(crate) fn of_this_thread() -> Self {
        Self { file: File::open("/proc/thread-self/schedstat").ok(), last: (0, 0), until: Nanos::ZERO }
    }

    /// The first span begins.
    pub(crate) fn begin(&mut self, now: Nanos) {
        (self.last, self.until) = (self.read().unwrap_or_default(), now);
    }

    fn read(&self) -> Option<(u64, u64)> {
        let mut buffer = [0; 96];
        let length = self.file.as_ref()?.read_at(&mut buffer, 0).ok()?;
        parse(std::str::from_utf8(&buffer[..length]).ok()?)
    }

    /// Seconds on a processor and seconds of run-queue delay from the end of the last call's span to `until`. What was
    /// used from there to `now`, when the counts are read, is taken for even: a second that is looked at late gets its share.
    pub(crate) fn take(&mut self, until: Nanos, now: Nanos) -> (f64, f64) {
        let Some(counts) = self.read() else { return (0.0, 0.0) };
        let share = ((until - self.until).as_secs_f64() / (now - self.until).as_secs_f64().max(1e-9)).clamp(0.0, 1.0);
        let used = |count: u64, last: u64| (count.saturating_sub(last) as f64 * share).round() as u64;
        let (on, queued) = (used(counts.0, self.last.0), used(counts.1, self.last.1));
        self.last = (self.last.0 + on, self.last.1 + queued);
        self.until = until;
        (on as f64 / 1e9, queued as f64 / 1e9)
    }
}

fn parse(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.split_ascii_whitespace().map(|number| number.parse::<u64>().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_that_is_looked_at_late_gets_its_share() {
        let at = Nanos::from_millis;
        let file = tempfile::NamedTempFile::new().unwrap();
        let counts = |on: u64, queued: u64| std::fs::write(file.path(), format!("{on} {queued} 7\n")).unwrap();
        counts(5_000_000_000, 1_000_000_000);
        let mut times = ThreadTimes { file: File::open(file.path()).ok(), last: (0, 0), until: Nanos::ZERO };
        times.begin(at(1_000));
        counts(5_600_000_000, 1_040_000_000);
        assert_eq!(times.take(at(2_000), at(2_000)), (0.6, 0.04));
        // Read 0.5 s after the end of the second: two thirds of what was used since are its own.
        counts(6_500_000_000, 1_100_000_000);
        assert_eq!(times.take(at(3_000), at(3_500)), (0.6, 0.04));
        assert_eq!(times.take(at(3_500), at(3_500)), (0.3, 0.02));
    }

    #[test]
    fn schedstat_is_read_as_the_kernel_writes_it() {
        assert_eq!(parse("123456 789 42\n"), Some((123_456, 789)));
        assert_eq!(parse(""), None);
        assert_eq!(parse("x y"), None);
    }
}
