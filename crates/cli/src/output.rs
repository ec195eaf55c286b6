//! The one place that writes to standard output and standard error.
//!
//! Whoever has something to say puts it into a queue; a thread of its own writes. So a pipe that nobody reads, a
//! terminal that was closed or stands still, and a full disk hold up no run: what cannot be written is remembered, and
//! what was asked for and could not be delivered shows in the exit code. `clippy` refuses `println!` and its kin in this
//! crate.
//!
//! Text may come from outside (names in a study, answers, logs), so nothing but our own colours gets past as control
//! character, and what the study keeps out is cut here once more, whoever made the text.

use crate::outlet;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fstat, major, minor};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::fmt::Display;
use std::os::fd::AsFd;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most lines that may wait for a reader; later ones are dropped, and the number of them is reported.
const WAITING_BYTES_MAX: usize = 1 << 20;
/// Between two looks at signals while the last words are written.
const LOOK: Duration = Duration::from_millis(50);
/// What our own screens paint with: nothing that hides or moves text.
const COLOURS: [&str; 8] = ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[4m"];

/// Where a text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    /// Standard error: for people.
    Error,
    /// Standard output: for people, who may stop reading when they have seen enough.
    Output,
    /// Standard output: for a program, which needs all of it.
    Data,
}

impl To {
    fn is_output(self) -> bool {
        self != Self::Error
    }
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(To, Vec<u8>)>,
    bytes: usize,
    /// Whether the thread is running.
    is_served: bool,
    /// Whether a text is being written.
    is_writing: bool,
    /// Texts for people that found no place.
    passed_over: u64,
    /// Why standard output and standard error take nothing any more.
    output_gone: Option<Errno>,
    error_gone: Option<Errno>,
    /// What was asked for on standard output and did not get there.
    lost: Option<Errno>,
}

struct Output {
    state: Mutex<State>,
    changed: Condvar,
}

static OUTPUT: Output = Output { state: Mutex::new(State::NEW), changed: Condvar::new() };

/// A line (or several) on standard error.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::error(&format_args!($($text)*), false) };
}

/// As `say!`, for screens with colours of their own. What they paint has gone through [`plain`].
macro_rules! show {
    ($($text:tt)*) => { $crate::output::error(&format_args!($($text)*), true) };
}

/// A line (or several) for people on standard output.
macro_rules! put {
    ($($text:tt)*) => { $crate::output::output(&format_args!($($text)*), false) };
}

pub(crate) use {put, say, show};

/// What `say!` and `show!` do.
pub(crate) fn error(text: &dyn Display, is_painted: bool) {
    OUTPUT.put(To::Error, clean(&outlet::clean(&text.to_string()), is_painted) + "\n");
}

/// What `put!` does.
pub(crate) fn output(text: &dyn Display, is_painted: bool) {
    OUTPUT.put(To::Output, clean(&outlet::clean(&text.to_string()), is_painted) + "\n");
}

/// Draws on standard error what moves the cursor: a frame of our own.
pub(crate) fn draw(frame: String) {
    OUTPUT.put(To::Error, frame);
}

/// Prints on standard output what a program reads, byte for byte, with a line's end.
pub(crate) fn data(text: &str) {
    if was_closed(std::io::stdout()) {
        OUTPUT.lock().lose(To::Data, Errno::BADF);
        return;
    }
    OUTPUT.put(To::Data, format!("{}\n", text.trim_end_matches('\n')));
}

/// Whether standard error does not keep up: a frame more would only be late.
pub(crate) fn is_behind() -> bool {
    let state = OUTPUT.lock();
    state.waiting.len() > 1 || state.error_gone.is_some()
}

/// Waits until everything is written, however slowly it is read; a signal ends the wait. Says on standard error what
/// was asked for and could not be written; returns whether there was any.
pub(crate) fn finish() -> bool {
    let passed_over = std::mem::take(&mut OUTPUT.lock().passed_over);
    if passed_over > 0 {
        say!("({passed_over} lines were dropped because nothing read them)");
    }
    OUTPUT.wait();
    let Some(error) = OUTPUT.lock().lost else { return false };
    let error = std::io::Error::from(error);
    say!("error: cannot write to standard output ({error}): the requested output is incomplete");
    OUTPUT.wait();
    true
}

/// Text from outside made fit to be painted: no control characters but ends of lines, no marks that turn the direction
/// of what follows.
pub(crate) fn plain(text: &str) -> String {
    clean(text, false)
}

fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// As [`plain`], but for colours where they are ours.
fn clean(text: &str, is_painted: bool) -> String {
    let mut shown = String::with_capacity(text.len() + 1);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let colour = COLOURS.iter().find(|colour| is_painted && rest.starts_with(**colour));
        if let Some(colour) = colour {
            shown.push_str(colour);
            rest = &rest[colour.len()..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '\n' => shown.push(c),
            '\t' => shown.push_str("    "),
            _ if is_unprintable(c) => shown.push('\u{fffd}'),
            _ => shown.push(c),
        }
    }
    shown
}

impl State {
    const NEW: Self = Self {
        waiting: VecDeque::new(),
        bytes: 0,
        is_served: false,
        is_writing: false,
        passed_over: 0,
        output_gone: None,
        error_gone: None,
        lost: None,
    };

    /// Notes that a text could not be written.
    fn lose(&mut self, to: To, error: Errno) {
        // Who closes a pipe after the first lines has read enough of them; a program that gets half a document has not.
        if to == To::Data || to == To::Output && error != Errno::PIPE {
            self.lost.get_or_insert(error);
        }
    }
}

impl Output {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&'static self, to: To, text: String) {
        let mut state = self.lock();
        if let Some(error) = if to.is_output() { state.output_gone } else { state.error_gone } {
            state.lose(to, error);
            return;
        }
        if to == To::Error && state.bytes + text.len() > WAITING_BYTES_MAX {
            state.passed_over += 1;
            return;
        }
        state.bytes += text.len();
        state.waiting.push_back((to, text.into_bytes()));
        if !state.is_served {
            let thread = std::thread::Builder::new().name("output".to_owned()).stack_size(STACK_BYTES);
            state.is_served = thread.spawn(move || self.serve()).is_ok();
        }
        let is_served = state.is_served;
        drop(state);
        self.changed.notify_all();
        // Where the system gives no thread, whoever speaks writes.
        while !is_served && self.write_next() {}
    }

    fn serve(&self) {
        loop {
            while self.write_next() {}
            let state = self.lock();
            drop(self.changed.wait_while(state, |state| state.waiting.is_empty()));
        }
    }

    /// Writes what has waited longest; says whether there was any.
    fn write_next(&self) -> bool {
        let (to, text) = {
            let mut state = self.lock();
            let Some((to, text)) = state.waiting.pop_front() else { return false };
            state.bytes -= text.len();
            state.is_writing = true;
            (to, text)
        };
        let gone = { if to.is_output() { self.lock().output_gone } else { self.lock().error_gone } };
        let written = match gone {
            Some(error) => Err(error),
            None if to.is_output() => write_all(std::io::stdout(), &text),
            None => write_all(std::io::stderr(), &text),
        };
        let mut state = self.lock();
        state.is_writing = false;
        if let Err(error) = written {
            let stream = if to.is_output() { &mut state.output_gone } else { &mut state.error_gone };
            stream.get_or_insert(error);
            state.lose(to, error);
        }
        drop(state);
        self.changed.notify_all();
        true
    }

    /// Waits until nothing waits, or a signal says that nobody will.
    fn wait(&self) {
        let before = run::came();
        let mut state = self.lock();
        while state.is_served && (!state.waiting.is_empty() || state.is_writing) {
            if run::came() > before {
                let all: Vec<To> = state.waiting.drain(..).map(|(to, _)| to).collect();
                all.into_iter().for_each(|to| state.lose(to, Errno::INTR));
                return;
            }
            state = self.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The thread only writes.
const STACK_BYTES: usize = 128 * 1024;

/// Whether a standard stream was closed when the program began. The runtime then opens the null device in its place, to
/// read and to write; whoever sends output there on purpose opens it to write. Asked only where a program is to have the
/// output: some that start others give them such a device, too, and do not mind what is printed for people.
fn was_closed(stream: impl AsFd) -> bool {
    let is_both_ways = fcntl_getfl(&stream).is_ok_and(|flags| flags & OFlags::RWMODE == OFlags::RDWR);
    is_both_ways && fstat(&stream).is_ok_and(|found| (major(found.st_rdev), minor(found.st_rdev)) == NULL_DEVICE)
}

/// Numbers of `/dev/null` on Linux.
const NULL_DEVICE: (u32, u32) = (1, 3);

/// Writes all of it. A stream that somebody else has made non-blocking is waited for.
fn write_all(stream: impl AsFd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match rustix::io::write(&stream, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                // An interrupted wait is an early look.
                let _ = poll(&mut [PollFd::new(&stream, PollFlags::OUT)], None);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_our_colours_moves_a_terminal() {
        let hostile = "shop\x1b[2J\x1b]0;x\x07\u{9b}31m\u{202e}\r\x1b[8mhidden\x1b[32mgreen";
        assert_eq!(plain(hostile), "shop�[2J�]0;x��31m���[8mhidden�[32mgreen");
        assert_eq!(clean("\x1b[32m✓ right\x1b[0m\n\tnext\x1b[8m", true), "\x1b[32m✓ right\x1b[0m\n    next�[8m");
    }

    #[test]
    fn a_stream_that_is_full_or_closed_is_told() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        assert_eq!(write_all(&full, b"text"), Err(Errno::NOSPC));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(write_all(&writer, b"text"), Err(Errno::PIPE));
    }

    #[test]
    fn a_stream_that_was_closed_is_told_from_one_that_goes_nowhere() {
        let null = |is_read: bool| std::fs::OpenOptions::new().read(is_read).write(true).open("/dev/null").unwrap();
        assert!(was_closed(null(true)));
        assert!(!was_closed(null(false)));
        let zero = std::fs::OpenOptions::new().read(true).write(true).open("/dev/zero").unwrap();
        assert!(!was_closed(zero));
        assert!(!was_closed(std::io::pipe().unwrap().1));
    }

    #[test]
    fn what_a_program_asked_for_is_missed_and_what_a_reader_left_is_not() {
        for (to, error, is_lost) in [
            (To::Data, Errno::PIPE, true),
            (To::Data, Errno::NOSPC, true),
            (To::Output, Errno::NOSPC, true),
            (To::Output, Errno::PIPE, false),
            (To::Error, Errno::NOSPC, false),
        ] {
            let mut state = State::NEW;
            state.lose(to, error);
            assert_eq!(state.lost.is_some(), is_lost, "{to:?} {error}");
        }
    }
}
