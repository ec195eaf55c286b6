//! A Poisson process computed cell by cell from a seed, so that its draws depend on nobody's order of asking.

use crate::Schedule;
use terms::{Nanos, seed};

/// Length of a cell.
const CELL: Nanos = Nanos::from_millis(100);
/// Draws with a greater mean are sums of smaller ones: the inversion below multiplies numbers near `exp(-mean)`.
const MEAN_MAX: f64 = 16.0;

/// Walks the cells; remembers the one in hand, so that going through all starts costs each cell once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    cell: i64,
    before: u64,
    starts: Vec<Nanos>,
    is_filled: bool,
}

impl Cells {
    /// The k-th start, or `None` behind the last. `k` must not fall.
    pub(crate) fn nth(&mut self, schedule: &Schedule, seed: u64, k: u64) -> Option<Nanos> {
        loop {
            if !self.is_filled {
                if CELL * self.cell >= schedule.length() {
                    return None;
                }
                self.starts = fill(schedule, seed, self.cell);
                self.is_filled = true;
            }
            let within = (k - self.before) as usize;
            if let Some(&start) = self.starts.get(within) {
                return Some(start);
            }
            self.before += self.starts.len() as u64;
            self.cell += 1;
            self.is_filled = false;
        }
    }
}

/// The starts of one cell, in order.
fn fill(schedule: &Schedule, seed: u64, cell: i64) -> Vec<Nanos> {
    let from = schedule.area_until(CELL * cell);
    let to = schedule.area_until((CELL * (cell + 1)).min(schedule.length()));
    let seed = seed::hash(seed, cell as u64);
    let mut draw = 0;
    let mut uniform = || {
        draw += 1;
        seed::uniform(seed, draw)
    };
    let count = poisson(to - from, &mut uniform);
    // Given their number, the starts of a Poisson process are independent and even in the area under the rate curve.
    let mut starts: Vec<_> = (0..count).map(|_| schedule.where_area(from + (to - from) * uniform())).collect();
    starts.sort_unstable();
    starts
}

/// A Poisson number by multiplying uniforms until they fall below `exp(-mean)` (Knuth, "Seminumerical Algorithms",
/// 3.4.1), in parts of bounded mean.
fn poisson(mean: f64, uniform: &mut impl FnMut() -> f64) -> u64 {
    let parts = (mean / MEAN_MAX).ceil().max(1.0);
    let limit = (-mean / parts).exp();
    let mut count = 0;
    for _ in 0..parts as u64 {
        let mut product = uniform();
        while product > limit {
            product *= uniform();
            count += 1;
        }
    }
    count
}
