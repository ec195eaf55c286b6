//! What others had of the machine's processors between two moments, for what is measured outside a run.

use crate::proc::{self, MachineTicks};

/// Processor time of the machine and of this process so far.
#[derive(Clone, Copy, Debug)]
pub struct ProcessorTimes {
    machine: MachineTicks,
    /// Clock ticks of this process.
    own: u64,
}

/// What others had, shares of all processors of the machine over some time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OthersShares {
    /// Other programs of this machine. The kernel samples the machine's time at its ticks and measures that of a process,
    /// so that over some seconds it is off by a few hundredths.
    pub programs: f64,
    /// Other guests of the same host (steal).
    pub guests: f64,
}

impl ProcessorTimes {
    /// Those of now; `None` where `/proc` does not tell.
    pub fn now() -> Option<Self> {
        let read = |path| std::fs::read_to_string(path).ok();
        Some(Self {
            machine: proc::machine_ticks(&read("/proc/stat")?)?,
            own: proc::stat_ticks(&read("/proc/self/stat")?)?,
        })
    }

    /// What others have had since an earlier reading; `None` where no tick has passed.
    pub fn others_since(&self, before: &Self) -> Option<OthersShares> {
        let grown = |of: fn(&Self) -> u64| of(self).saturating_sub(of(before));
        let (all, own) = (grown(|times| times.machine.all), grown(|times| times.own));
        let share = |ticks: u64| ticks as f64 / all as f64;
        let programs = grown(|times| times.machine.programs).saturating_sub(own);
        (all > 0)
            .then(|| OthersShares { programs: share(programs), guests: share(grown(|times| times.machine.stolen)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_process_used_is_not_that_of_others() {
        let times =
            |programs, stolen, all, own| ProcessorTimes { machine: MachineTicks { programs, stolen, all }, own };
        let before = times(1000, 50, 5000, 300);
        // 400 ticks: two seconds of two cores. Programs had 260 of them, this one 180, other guests 20.
        let others = times(1260, 70, 5400, 480).others_since(&before);
        assert_eq!(others, Some(OthersShares { programs: 0.2, guests: 0.05 }));
        // Sampled ticks can be fewer than this process is known to have had.
        let none = times(1100, 50, 5400, 480).others_since(&before);
        assert_eq!(none, Some(OthersShares::default()));
        assert_eq!(before.others_since(&before), None);
    }

    #[test]
    fn this_machine_as_it_is() {
        let before = ProcessorTimes::now().unwrap();
        let clock = clock::Clock::system();
        let others = loop {
            assert!(clock.now() < terms::Nanos::from_secs(20), "the kernel counts ticks");
            if let Some(others) = ProcessorTimes::now().unwrap().others_since(&before) {
                break others;
            }
        };
        assert!((0.0..=1.0).contains(&others.programs) && (0.0..=1.0).contains(&others.guests), "{others:?}");
    }
}
