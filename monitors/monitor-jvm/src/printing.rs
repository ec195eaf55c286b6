//! `jstat` as a child that prints by itself: a thread reads its lines and stamps each on arrival.

use crate::jstat::{self, Columns, LINE_MAX, Line, Row};
use crate::locate;
use clock::Clock;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use terms::Nanos;

/// Rows that wait to be taken: an hour of them at a row a second.
const ROWS_MAX: usize = 4096;
/// Bytes read of what `jstat` says before it ends.
const MESSAGE_MAX: u64 = 4096;
/// Bytes read of the answer about maxima.
const ANSWER_MAX: u64 = 64 * 1024;

/// What comes from the thread.
pub(crate) enum Printed {
    /// Greatest sizes of the heap and of its old generation, bytes.
    Maxima(f64, f64),
    /// A row, and when it came, on the clock that was handed over.
    Row(Nanos, Box<Row>),
    /// `jstat` has ended, and why, as far as it said so.
    Ended(String),
}

/// A child at work; ended when this is dropped.
pub(crate) struct Printing {
    child: Child,
    lines: Receiver<Printed>,
}

impl Printing {
    /// Starts `jstat` for a process, to print every `every`.
    ///
    /// # Errors
    /// One sentence that says why it cannot be started, and what to do.
    pub(crate) fn start(pid: u32, every: Nanos, clock: &Clock) -> Result<Self, String> {
        let program = locate::jstat_for(pid);
        let milliseconds = (every.0 / Nanos::MILLISECOND.0).max(10).to_string();
        let mut child = command(&program)
            .args(["-gc", "-t", &pid.to_string(), &milliseconds])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                format!("`{}` cannot be started: {error}; install a JDK, or set `JAVA_HOME` to one", program.display())
            })?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let (to, lines) = sync_channel(ROWS_MAX);
        let clock = clock.clone();
        let thread = std::thread::Builder::new().name("jstat".to_owned());
        let spawned = thread.spawn(move || {
            if let Some((heap, old)) = maxima(&program, pid) {
                let _ = to.try_send(Printed::Maxima(heap, old));
            }
            if let Some(out) = out {
                read(BufReader::new(out), &clock, &to);
            }
            let mut text = String::new();
            if let Some(err) = err {
                let _ = err.take(MESSAGE_MAX).read_to_string(&mut text);
            }
            let why = text.lines().next().unwrap_or("it said nothing").trim().to_owned();
            let _ = to.try_send(Printed::Ended(why));
        });
        match spawned {
            Ok(_) => Ok(Self { child, lines }),
            Err(error) => {
                end(&mut child);
                Err(format!("a thread for `jstat` cannot be started: {error}"))
            }
        }
    }

    /// What has come since the last time, oldest first.
    pub(crate) fn taken(&mut self) -> Vec<Printed> {
        let mut taken = Vec::new();
        loop {
            match self.lines.try_recv() {
                Ok(one) => taken.push(one),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return taken,
            }
        }
    }
}

impl Drop for Printing {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn end(child: &mut Child) {
    // One that has ended already is only waited for.
    let _ = child.kill();
    let _ = child.wait();
}

/// The program, so that it prints numbers with points and takes little memory.
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["-J-Duser.language=en", "-J-Duser.country=US", "-J-Xmx32m", "-J-XX:+UseSerialGC"]);
    command.stdin(Stdio::null());
    command
}

/// The sizes up to which a heap may grow, which `-gc` does not print; asked for once.
fn maxima(program: &Path, pid: u32) -> Option<(f64, f64)> {
    let mut child = command(program)
        .args(["-gccapacity", &pid.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut text = String::new();
    if let Some(out) = child.stdout.take() {
        let _ = out.take(ANSWER_MAX).read_to_string(&mut text);
    }
    end(&mut child);
    jstat::maxima(&text)
}

/// Reads lines until there are no more. A line that is too long is not a line of `jstat`'s: the rest of it is skipped.
fn read(mut out: impl BufRead, clock: &Clock, to: &SyncSender<Printed>) {
    let (mut columns, mut line, mut is_rest) = (Columns::default(), Vec::new(), false);
    loop {
        line.clear();
        match (&mut out).take(LINE_MAX as u64).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at = clock.now();
        let was_rest = is_rest;
        is_rest = line.last() != Some(&b'\n');
        if was_rest || is_rest {
            continue;
        }
        if let Line::Row(row) = columns.read(&String::from_utf8_lossy(&line)) {
            // Nobody takes them any more, or not for an hour: the newest are lost, and the gap shows.
            let _ = to.try_send(Printed::Row(at, row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_stamped_when_it_comes_and_long_lines_are_skipped() {
        let clock = Clock::simulated();
        clock.advance_to(Nanos::from_secs(7));
        let row = "1.0 1.0 1.0 0.0 0.0 1.0 0.5 8.0 0.0 1.0 1.0 1.0 1.0 0 0.000 0 0.000 - - 0.000\n";
        let header = "Timestamp S0C S1C S0U S1U EC EU OC OU MC MU CCSC CCSU YGC YGCT FGC FGCT CGC CGCT GCT\n";
        let text = format!("{header}{row}{}\n{row}half", "x ".repeat(LINE_MAX));
        let (to, lines) = sync_channel(8);
        read(text.as_bytes(), &clock, &to);
        drop(to);
        let got: Vec<Printed> = lines.into_iter().collect();
        assert_eq!(got.len(), 2);
        assert!(got.iter().all(|one| matches!(one, Printed::Row(at, row)
            if *at == Nanos::from_secs(7) && row.since_start_s == Some(1.0) && row.reading.old.committed == 8192.0)));
    }

    #[test]
    fn rows_that_nobody_takes_are_bounded() {
        let row = "1.0 0.0\n";
        let (to, lines) = sync_channel(3);
        read(format!("OC OU\n{}", row.repeat(10)).as_bytes(), &Clock::simulated(), &to);
        drop(to);
        assert_eq!(lines.into_iter().count(), 3);
    }
}
