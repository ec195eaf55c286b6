//! The progress of a run: a few live lines in a terminal, plain lines elsewhere.

use crate::output::{self, say};
use crate::words::{clock_face, short};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use record::Head;
use run::{Connections, Figures, News, Observer};
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use terms::Nanos;

/// Time between plain lines.
const PLAIN_EVERY: Nanos = Nanos::from_secs(5);

/// Classes of failures that follow a plain line.
const FAILING_SHOWN: usize = 2;

/// Shows the progress of a run on standard error, so that standard output stays free. Its live lines are gone when
/// it is dropped.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    /// When the last plain line was written, and in which step.
    last: Mutex<(Nanos, Option<u32>)>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::term_like(Box::<Frames>::default()));
            let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style);
            bar
        });
        Self { bar, last: Mutex::new((Nanos(i64::MIN / 2), None)) }
    }

    /// Says something that stays.
    fn say(&self, text: &str) {
        let text = crate::outlet::clean(text);
        match &self.bar {
            Some(bar) => bar.suspend(|| say!("{text}")),
            None => say!("{text}"),
        }
    }

    /// Says something that stays, for who has it said from another thread and for longer than this lasts.
    pub(crate) fn teller(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let bar = self.bar.clone();
        move |text| {
            let text = crate::outlet::clean(text);
            match bar.as_ref().filter(|bar| !bar.is_finished()) {
                Some(bar) => bar.suspend(|| say!("{text}")),
                None => say!("{text}"),
            }
        }
    }

    /// Shows the progress of the run.
    fn show(&self, figures: &Figures, head: &Head, now: Nanos) {
        let step = figures.step.map(|(step, _)| step);
        match &self.bar {
            // A terminal that stands still, or is gone, gets no more frames: a later one shows all that they would have.
            Some(_) if output::is_behind() => {}
            Some(bar) => {
                let width = usize::from(window().0);
                let colours = std::env::var_os("NO_COLOR").is_none();
                bar.set_message(crate::dashboard::lines(figures, head, now, width, colours).join("\n"));
            }
            None => {
                let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
                if step.is_some() && (step != last.1 || now - last.0 >= PLAIN_EVERY) {
                    *last = (now, step);
                    say!("{}", line(figures, head, now));
                    for text in figures.failing.lines(head, FAILING_SHOWN) {
                        say!("  failing: {text}");
                    }
                }
            }
        }
    }
}

impl Observer for Progress {
    fn hear(&self, news: News<'_>) {
        match news {
            News::Warning(text) => self.say(&format!("warning: {text}")),
            News::Folder(path) => self.say(&format!("run folder: {}", path.display())),
            News::FolderGone => self.say("nothing was measured: the run folder is removed"),
            News::Answers(instance) => self.say(&format!("{} answers at {}", instance.name, instance.url)),
            News::Waiting(text) | News::Instance(text) | News::Attempt(text) | News::Stopping(text) => self.say(text),
            News::Second { figures, head, now } => self.show(figures, head, now),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Columns and rows of the terminal.
fn window() -> (u16, u16) {
    rustix::termios::tcgetwinsize(io::stderr()).map_or((80, 24), |size| (size.ws_col.max(1), size.ws_row.max(1)))
}

/// What `indicatif` draws on: frames are put together here and handed over whole, so that no draw waits for a terminal.
#[derive(Debug, Default)]
struct Frames(Mutex<String>);

impl Frames {
    fn add(&self, text: &str) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        Ok(())
    }

    /// Cursor movements of ECMA-48.
    fn go(&self, steps: usize, way: char) -> io::Result<()> {
        if steps == 0 { Ok(()) } else { self.add(&format!("\x1b[{steps}{way}")) }
    }
}

impl TermLike for Frames {
    fn width(&self) -> u16 {
        window().0
    }

    fn height(&self) -> u16 {
        window().1
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.go(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.go(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.go(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.go(n, 'D')
    }

    fn write_line(&self, s: &str) -> io::Result<()> {
        self.add(&format!("{s}\n"))
    }

    fn write_str(&self, s: &str) -> io::Result<()> {
        self.add(s)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.add("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        output::draw(std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)));
        Ok(())
    }
}

/// Where there is no terminal: `busy / hold · 2m left · offered 200/s achieved 200/s · p50 1.2ms p99 8.4ms · failed 0 · …`
fn line(figures: &Figures, head: &Head, now: Nanos) -> String {
    let Some((number, began)) = figures.step else { return "preparing".into() };
    let Some(step) = head.steps.get(number as usize) else { return String::new() };
    let scenario = head.scenarios.get(usize::from(step.scenario)).map_or("", |scenario| scenario.name.as_str());
    let left = step.seconds.map(|seconds| (began + Nanos::from_secs_f64(seconds) - now).or_zero());
    let left = left.map_or_else(String::new, |left| format!(" · {} left", clock_face(left)));
    let mut line = format!("{scenario} / {}{left}", step.id);
    if figures.books.intended > 0 {
        let time = |time: Option<Nanos>| time.map_or_else(|| "–".into(), short);
        let books = &figures.books;
        line += &format!(
            " · offered {}/s achieved {}/s · p50 {} p99 {} · ok {} failed {} · in flight {:.1} · generator late at most {} cpu {:.0}%",
            figures.offered,
            figures.achieved,
            time(figures.p50),
            time(figures.p99),
            books.completed,
            books.failed,
            figures.in_flight,
            short(figures.lateness),
            figures.cpu * 100.0
        );
        if books.dropped > 0 {
            line += &format!(" · dropped {}", books.dropped);
        }
        if let Some(Connections { planned, opened, failed, lost }) = figures.connections {
            line += &format!(" · connections {} of {planned}", opened.saturating_sub(lost));
            for (count, what) in [(failed, "not opened"), (lost, "lost")].into_iter().filter(|(count, _)| *count > 0) {
                line += &format!(", {count} {what}");
            }
        }
    }
    if let Some(cpu) = figures.host_cpu {
        line += &format!(" · machine {:.0}%", cpu * 100.0);
    }
    line
}
