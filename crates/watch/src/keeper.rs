//! Keeps the wall clock beside the run's clock, and notices when it is set.

use clock::Clock;
use record::{ClockPair, Entry, EventRow};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use terms::Nanos;

/// Kind of the event that the wall clock was set.
pub const CLOCK_STEP: &str = "clock_step";

/// Time between two pairs on record.
const PAIR_EVERY: Nanos = Nanos::from_secs(10);

/// Time between two looks.
const LOOK_EVERY: Nanos = Nanos::SECOND;

/// A step of the wall clock against the run's clock from which it is an event. Slewing by NTP stays far below: 500
/// parts in a million (adjtimex(2)) are half a millisecond a second.
const STEP: Nanos = Nanos::from_millis(50);

/// Widest gap between the two readings around one of the wall clock for the pair to count.
const PAIR_WIDTH_MAX: Nanos = Nanos::MILLISECOND;

/// Readings tried for one pair.
const TRIES_MAX: u32 = 5;

/// Writes a pair now, every ten seconds and at the end; an event for each step of the wall clock.
pub(crate) fn keep(clock: &Clock, sink: &dyn Fn(Entry), stop: &Receiver<()>) {
    let mut watch = StepWatch::default();
    let mut next_pair = Nanos::ZERO;
    loop {
        if let Some(pair) = read_pair(clock) {
            if let Some(step) = watch.look(&pair) {
                let (direction, size) = if step > Nanos::ZERO { ("forward", step) } else { ("back", -step) };
                let text = format!("the wall clock was set {direction} by {size} while the run's clock went on");
                sink(Entry::Event(EventRow {
                    at: pair.at,
                    kind: CLOCK_STEP.into(),
                    subject: "generator".into(),
                    text,
                }));
                sink(Entry::Clock(pair));
            }
            if pair.at >= next_pair {
                sink(Entry::Clock(pair));
                next_pair = pair.at + PAIR_EVERY;
            }
        }
        let pause = if clock.is_simulated() { Nanos::MILLISECOND } else { LOOK_EVERY };
        if !matches!(stop.recv_timeout(pause.to_std()), Err(RecvTimeoutError::Timeout)) {
            break;
        }
    }
    if let Some(pair) = read_pair(clock) {
        sink(Entry::Clock(pair));
    }
}

/// Both clocks at the same moment; `None` when the machine is too busy to read them close together.
fn read_pair(clock: &Clock) -> Option<ClockPair> {
    (0..TRIES_MAX).find_map(|_| {
        let before = clock.now();
        let wall = clock.wall();
        let width = clock.now() - before;
        (width <= PAIR_WIDTH_MAX).then(|| ClockPair { at: before + width / 2, wall })
    })
}

/// Compares each pair with the one before.
#[derive(Default)]
struct StepWatch {
    offset: Option<Nanos>,
}

impl StepWatch {
    /// By how much the wall clock moved against the run's clock since the last pair, if that is a step.
    fn look(&mut self, pair: &ClockPair) -> Option<Nanos> {
        let offset = pair.wall - pair.at;
        let moved = self.offset.replace(offset).map(|before| offset - before)?;
        (moved > STEP || moved < -STEP).then_some(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    #[test]
    fn a_step_is_told_once_and_slewing_is_not() {
        let mut watch = StepWatch::default();
        let mut look = |at_ms: i64, wall_ms: i64| {
            watch.look(&ClockPair { at: Nanos::from_millis(at_ms), wall: Nanos::from_millis(wall_ms) })
        };
        assert_eq!(look(0, 1_000_000), None);
        // 500 ppm of slewing for a second is half a millisecond; fifty milliseconds are still none.
        assert_eq!(look(1000, 1_001_001), None);
        assert_eq!(look(2000, 1_002_051), None);
        assert_eq!(look(3000, 1_003_102), Some(Nanos::from_millis(51)));
        assert_eq!(look(4000, 1_004_102), None);
        assert_eq!(look(5000, 1_000_102), Some(Nanos::from_secs(-5)));
    }

    #[test]
    fn a_pair_at_the_start_and_one_at_the_end() {
        let (stop, stopped) = channel();
        let seen = Mutex::new(Vec::new());
        stop.send(()).unwrap();
        keep(&Clock::system(), &|entry| seen.lock().unwrap().push(entry), &stopped);
        let seen = seen.into_inner().unwrap();
        let pairs: Vec<_> = seen.iter().filter(|entry| matches!(entry, Entry::Clock(_))).collect();
        assert_eq!((pairs.len(), seen.len()), (2, 2));
    }
}
