//! Processor time and run-queue delay of the calling thread, from the scheduler's own count.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Reads `/proc/thread-self/schedstat`: nanoseconds on a processor, nanoseconds runnable but not running.
pub(crate) struct ThreadTimes {
    file: Option<File>,
    last: (u64, u64),
}

impl ThreadTimes {
    /// Opens the calling thread's file. Where there is none, both times stay zero.
    pub(crate) fn of_this_thread() -> Self {
        let file = File::open("/proc/thread-self/schedstat").ok();
        let mut times = Self { file, last: (0, 0) };
        times.last = times.read().unwrap_or_default();
        times
    }

    fn read(&self) -> Option<(u64, u64)> {
        let mut buffer = [0; 96];
        let length = self.file.as_ref()?.read_at(&mut buffer, 0).ok()?;
        parse(std::str::from_utf8(&buffer[..length]).ok()?)
    }

    /// Seconds on a processor and seconds of run-queue delay since the last call.
    pub(crate) fn since(&mut self) -> (f64, f64) {
        let Some(now) = self.read() else { return (0.0, 0.0) };
        let since = (now.0.saturating_sub(self.last.0) as f64 / 1e9, now.1.saturating_sub(self.last.1) as f64 / 1e9);
        self.last = now;
        since
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
    fn schedstat_is_read_as_the_kernel_writes_it() {
        assert_eq!(parse("123456 789 42\n"), Some((123_456, 789)));
        assert_eq!(parse(""), None);
        assert_eq!(parse("x y"), None);
    }
}
