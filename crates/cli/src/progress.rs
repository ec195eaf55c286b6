//! Where a run stands, for people: one living line in a terminal, plain lines elsewhere.

use crate::live::{Live, Shown};
use clock::Clock;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use record::Head;
use std::io::IsTerminal;
use terms::Nanos;

/// Time between plain lines.
const PLAIN_EVERY: Nanos = Nanos::from_secs(5);

/// The line that shows where a run stands; on standard error, so that standard output stays free.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    last_line: Nanos,
    last_step: Option<u32>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style);
            bar
        });
        Self { bar, last_line: Nanos(i64::MIN / 2), last_step: None }
    }

    /// Says something that stays.
    pub(crate) fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None => eprintln!("{text}"),
        }
    }

    /// Shows where the run stands.
    pub(crate) fn show(&mut self, live: &Live, head: &Head, clock: &Clock) {
        let (shown, now) = (live.shown(), clock.now());
        let step = shown.step.map(|(step, _)| step);
        match &self.bar {
            Some(bar) => bar.set_message(line(&shown, head, now)),
            None if step.is_some() && (step != self.last_step || now - self.last_line >= PLAIN_EVERY) => {
                self.last_line = now;
                self.last_step = step;
                eprintln!("{}", line(&shown, head, now));
            }
            None => {}
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// `busy / hold · 2m left · offered 200/s achieved 200/s · p50 1.2ms p99 8.4ms · failed 0 · …`
fn line(shown: &Shown, head: &Head, now: Nanos) -> String {
    let Some((number, began)) = shown.step else { return "preparing".into() };
    let Some(step) = head.steps.get(number as usize) else { return String::new() };
    let scenario = head.scenarios.get(usize::from(step.scenario)).map_or("", |scenario| scenario.name.as_str());
    let left = step.seconds.map(|seconds| (began + Nanos::from_secs_f64(seconds) - now).or_zero());
    let left = left.map_or_else(String::new, |left| format!(" · {} left", clock_face(left)));
    let mut line = format!("{scenario} / {}{left}", step.id);
    if shown.books.intended > 0 {
        let time = |time: Option<Nanos>| time.map_or_else(|| "–".into(), short);
        let books = &shown.books;
        line += &format!(
            " · offered {}/s achieved {}/s · p50 {} p99 {} · ok {} failed {} · in flight {:.1} · generator late at most {} cpu {:.0}%",
            shown.offered,
            shown.achieved,
            time(shown.p50),
            time(shown.p99),
            books.completed,
            books.failed,
            shown.in_flight,
            short(shown.lateness),
            shown.cpu * 100.0
        );
        if books.dropped > 0 {
            line += &format!(" · dropped {}", books.dropped);
        }
    }
    if let Some(cpu) = shown.host_cpu {
        line += &format!(" · machine {:.0}%", cpu * 100.0);
    }
    line
}

/// Three significant digits in the unit that fits.
pub(crate) fn short(time: Nanos) -> String {
    let (value, unit) = match time.0.abs() {
        0..1_000_000 => (time.0 as f64 / 1e3, "us"),
        1_000_000..1_000_000_000 => (time.0 as f64 / 1e6, "ms"),
        _ => (time.0 as f64 / 1e9, "s"),
    };
    let digits = if value.abs() < 10.0 { 2 } else { usize::from(value.abs() < 100.0) };
    format!("{value:.digits$}{unit}")
}

/// `1:05:30`, `2:03`, `12s`
fn clock_face(left: Nanos) -> String {
    let seconds = (left.0 + 999_999_999) / 1_000_000_000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short_and_clocks_round_up() {
        assert_eq!(short(Nanos(1_234_567)), "1.23ms");
        assert_eq!(short(Nanos(12_345_678)), "12.3ms");
        assert_eq!(short(Nanos(850_000)), "850us");
        assert_eq!(clock_face(Nanos(1)), "1s");
        assert_eq!(clock_face(Nanos::from_secs(3725)), "1:02:05");
    }
}
