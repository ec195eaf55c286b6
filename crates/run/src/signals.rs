//! Signals: the first means drain and report, a second one stop now and report. None of them ends a run without its
//! report, but for SIGKILL.

use drive::{Control, Stop};
use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// To end; asked again, at once.
    End,
    /// To end, however often: shell and kernel both say so when a terminal is closed.
    EndOnce,
    /// To end at once.
    Now,
}

/// Two that end a process on Linux and stand in no list of portable names; their numbers are those of x86, ARM and most
/// other processors (signal(7)).
const SIGSTKFLT: i32 = 16;
const SIGPWR: i32 = 30;

/// Those without a name. Below them are the C library's own: two of glibc, three of musl, which refuses to have them caught.
const REAL_TIME: std::ops::RangeInclusive<i32> = if cfg!(target_env = "musl") { 35..=64 } else { 34..=64 };

/// All that end a process and can be caught, but for those that a defect brings (SIGSEGV and the like). SIGPIPE is
/// ignored by Rust's start-up.
const NAMED: [(i32, &str, Asks); 13] = [
    (SIGINT, "SIGINT", Asks::End),
    (SIGTERM, "SIGTERM", Asks::End),
    (SIGHUP, "SIGHUP", Asks::EndOnce),
    (SIGXCPU, "SIGXCPU: the limit of processor time, `ulimit -t`", Asks::End),
    (SIGALRM, "SIGALRM", Asks::End),
    (SIGUSR1, "SIGUSR1", Asks::End),
    (SIGUSR2, "SIGUSR2", Asks::End),
    (SIGPROF, "SIGPROF", Asks::End),
    (SIGVTALRM, "SIGVTALRM", Asks::End),
    (SIGIO, "SIGIO", Asks::End),
    (SIGPWR, "SIGPWR", Asks::End),
    (SIGSTKFLT, "SIGSTKFLT", Asks::End),
    (SIGQUIT, "SIGQUIT", Asks::Now),
];

/// Signals that came, counted.
#[derive(Clone, Default)]
pub struct Signals(Arc<Inner>);

#[derive(Default)]
struct Inner {
    flags: Vec<(Arc<AtomicBool>, &'static str, Asks)>,
    /// What the live page asked for since the last look.
    page: [AtomicBool; 2],
    count: AtomicUsize,
    interrupted: Arc<AtomicBool>,
}

/// How the live page is called where a signal has its name.
const PAGE: &str = "asked for on the live page";

static LISTENING: OnceLock<Signals> = OnceLock::new();

/// A file that grows beyond `ulimit -f` is an error of the write, like a full disk, and not the end of the process.
///
/// # Errors
/// When the system refuses: such a file then ends the process, as it did before.
pub fn outlive_file_limits() -> std::io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::default()).map(drop)
}

/// How many signals have come since the first [`Signals::listen`].
pub fn came() -> usize {
    LISTENING.get().map_or(0, |signals| signals.count().0)
}

/// The live page asks for an end, as a signal would: to drain, or at once. Whether there is a run that hears it.
pub fn ask_from_page(is_now: bool) -> bool {
    LISTENING.get().map(|signals| signals.ask_from_page(is_now)).is_some()
}

impl Signals {
    /// From now on signals are counted instead of ending the process. Under `nohup` the end of the terminal stays
    /// without meaning.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn listen() -> std::io::Result<Self> {
        let mut inner = Inner::default();
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let unnamed = REAL_TIME.map(|signal| (signal, "a real-time signal", Asks::End));
        for (signal, name, asks) in NAMED.into_iter().chain(unnamed) {
            if signal == SIGHUP && is_ignored(&status, signal) {
                continue;
            }
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal, flag.clone())?;
            signal_hook::flag::register(signal, inner.interrupted.clone())?;
            inner.flags.push((flag, name, asks));
        }
        let signals = Self(Arc::new(inner));
        Ok(LISTENING.get_or_init(|| signals).clone())
    }

    /// Set as soon as one came: what waits before the load gives up.
    pub(crate) fn interrupted(&self) -> &Arc<AtomicBool> {
        &self.0.interrupted
    }

    /// As a signal would: to drain, however often, or to end at once.
    fn ask_from_page(&self, is_now: bool) {
        self.0.page[usize::from(is_now)].store(true, Ordering::Relaxed);
        self.0.interrupted.store(true, Ordering::Relaxed);
    }

    /// Takes what has come since the last call: how many there were in all, and the name of the last.
    fn count(&self) -> (usize, Option<&'static str>) {
        let mut last = None;
        let page = self.0.page.iter().zip([Asks::EndOnce, Asks::Now]).map(|(flag, asks)| (flag, PAGE, asks));
        let flags = self.0.flags.iter().map(|(flag, name, asks)| (&**flag, *name, *asks));
        for (flag, name, asks) in flags.chain(page) {
            if flag.swap(false, Ordering::Relaxed) {
                let before = self.0.count.load(Ordering::Relaxed);
                let by = weight(asks, before);
                self.0.count.fetch_add(by, Ordering::Relaxed);
                last = last.or((by > 0).then_some(name));
            }
        }
        (self.0.count.load(Ordering::Relaxed), last)
    }

    /// Passes on what has come since the last call; returns the stop that is asked for, and the name of a new signal.
    pub(crate) fn pass_on(&self, control: &Control) -> (Stop, Option<&'static str>) {
        let (all, name) = self.count();
        let stop = match all {
            0 => Stop::No,
            1 => Stop::Drain,
            _ => Stop::Now,
        };
        control.stop(stop);
        (stop, name)
    }
}

/// What is to be said of the same signal once more. The second word of a closed terminal means nothing.
pub(crate) fn again(name: &str) -> &'static str {
    let asks = NAMED.iter().find(|(_, known, _)| *known == name).map(|(_, _, asks)| *asks);
    if asks == Some(Asks::EndOnce) || name == PAGE { "" } else { " (again: stop now)" }
}

/// What a signal adds to those that came before.
fn weight(asks: Asks, before: usize) -> usize {
    match asks {
        Asks::End => 1,
        Asks::EndOnce => usize::from(before == 0),
        Asks::Now => 2,
    }
}

/// Whether a signal was ignored when this process began (proc(5): `SigIgn`, a mask in hexadecimal).
fn is_ignored(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_terminal_is_said_twice_and_meant_once() {
        assert_eq!([0, 1, 2].map(|before| weight(Asks::EndOnce, before)), [1, 0, 0]);
        assert_eq!([0, 1].map(|before| weight(Asks::End, before)), [1, 1]);
        assert_eq!(weight(Asks::Now, 0), 2);
        assert_eq!((again("SIGHUP"), again("SIGINT")), ("", " (again: stop now)"));
    }

    #[test]
    fn the_page_drains_once_and_stops_at_once() {
        let signals = Signals::default();
        let control = Control::new();
        assert_eq!(signals.pass_on(&control), (Stop::No, None));
        signals.ask_from_page(false);
        assert!(signals.interrupted().load(Ordering::Relaxed));
        assert_eq!(signals.pass_on(&control), (Stop::Drain, Some(PAGE)));
        signals.ask_from_page(false);
        assert_eq!(signals.pass_on(&control), (Stop::Drain, None), "however often");
        signals.ask_from_page(true);
        assert_eq!((signals.pass_on(&control), control.get()), ((Stop::Now, Some(PAGE)), Stop::Now));
        assert_eq!(again(PAGE), "");
    }

    #[test]
    fn what_nohup_ignores_is_found() {
        let status = "Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\nSigCgt:\t0\n";
        assert!(is_ignored(status, SIGHUP));
        assert!(!is_ignored(status, SIGTERM) && !is_ignored("", SIGHUP));
    }
}
