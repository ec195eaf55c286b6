//! Ctrl-C: once means drain and report, twice means stop now and report.

use drive::{Control, Stop};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Signals that came, counted.
#[derive(Clone, Default)]
pub(crate) struct Signals {
    flags: Vec<Arc<AtomicBool>>,
    count: Arc<AtomicUsize>,
    /// Set as soon as one came: what waits before the load gives up.
    pub(crate) interrupted: Arc<AtomicBool>,
}

impl Signals {
    /// From now on SIGINT and SIGTERM are counted instead of ending the process.
    pub(crate) fn listen() -> std::io::Result<Self> {
        let mut signals = Self::default();
        for signal in [SIGINT, SIGTERM] {
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal, flag.clone())?;
            signal_hook::flag::register(signal, signals.interrupted.clone())?;
            signals.flags.push(flag);
        }
        Ok(signals)
    }

    /// Passes on what has come since the last call; returns how many signals there were in all.
    pub(crate) fn pass_on(&self, control: &Control) -> usize {
        let new = self.flags.iter().filter(|flag| flag.swap(false, Ordering::Relaxed)).count();
        let all = self.count.fetch_add(new, Ordering::Relaxed) + new;
        match all {
            0 => {}
            1 => control.stop(Stop::Drain),
            _ => control.stop(Stop::Now),
        }
        all
    }
}
