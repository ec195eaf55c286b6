//! Ratios of percentiles, means and rates of two runs by the block bootstrap. Page: `docs/methods/bootstrap.md`.
//!
//! Calls of one run resemble their neighbours in time, so single calls must not be drawn anew as if each stood alone.
//! Whole stretches of time are drawn instead, long enough to hold what neighbours have in common.

mod apart;
mod exchanged;

pub use apart::{PARTS, apart, gap};
pub use exchanged::exchanged;

use crate::correlation::{safe_correlation_time, time_by_neighbours};
use crate::special::{normal_quantile, student_two_sided};
use crate::{Estimate, StatsError, check_confidence};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use terms::{Buckets, Nanos, SparseHistogram};

/// Seconds are joined into at most so many cells: enough for a block of 10 s to be several cells in four minutes, and
/// for one cell to be shorter than a block in forty.
const CELLS_MOST: usize = 240;
/// Blocks are at least so long, in seconds, where the run is long enough.
const BLOCK_LEAST_S: f64 = 10.0;
/// A run must hold so many blocks; a shorter one shortens its blocks, down to [`BLOCK_SHORTEST_S`].
const BLOCKS_FEWEST: f64 = 3.0;
/// Below this length a block holds less than the second-by-second pattern of a load.
const BLOCK_SHORTEST_S: f64 = 2.0;
/// Bound on the work, far above what an interval needs.
const REPLICATES_MOST: u32 = 100_000;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// The nearest-rank percentile, strictly between 0 and 1.
    Quantile(f64),
    /// The mean: sum of values divided by their number.
    Mean,
    /// The number of values a second.
    PerSecond,
}

/// How blocks are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Blocks of geometric length: the drawn series is as stationary as the one it is drawn from. D. N. Politis,
    /// J. P. Romano, JASA 89, 1994.
    Stationary,
    /// Blocks of one length, beginning anywhere, wrapped at the end. H. R. Künsch, Annals of Statistics 17, 1989.
    Moving,
}

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// Confidence of the wide interval, for example 0.95.
    pub confidence: f64,
    /// Confidence of the narrow one, for the test of equivalence: 0.90 for two tests at 5 %.
    pub narrow_confidence: f64,
    /// How often both sides are drawn anew, 200 to 100 000.
    pub replicates: u32,
    /// Equal seeds give equal answers.
    pub seed: u64,
    /// How blocks are drawn.
    pub scheme: Scheme,
}

impl Resampling {
    /// 95 % and 90 %, 2000 replicates, blocks of geometric length.
    pub fn usual(seed: u64) -> Self {
        Self { confidence: 0.95, narrow_confidence: 0.90, replicates: 2000, seed, scheme: Scheme::Stationary }
    }
}

/// One side of a comparison: a phase cut into stretches of equal length.
#[derive(Clone, Debug)]
pub struct Cells {
    /// Length of a cell, seconds.
    cell_s: f64,
    cells: Vec<Cell>,
    /// Buckets that any cell touches, ascending; empty when only sums are known.
    buckets: Vec<u32>,
    /// Greatest time of all.
    max: Nanos,
}

#[derive(Clone, Debug, Default)]
struct Cell {
    count: u64,
    /// In ms for times, else in the unit of the values.
    sum: f64,
    /// Bucket, and how many times lie in it or below; bucket ascending.
    cumulative: Vec<(u32, u64)>,
}

impl Cells {
    /// Times by second, oldest first, without gaps (an empty second is an empty histogram). Means and percentiles are
    /// then in milliseconds.
    pub fn of_times(seconds: &[SparseHistogram]) -> Self {
        let per_cell = seconds.len().div_ceil(CELLS_MOST).max(1);
        let mut cells: Vec<Cell> = seconds.chunks(per_cell).map(Cell::of_times).collect();
        drop_rest(&mut cells, seconds.len(), per_cell);
        let mut buckets: Vec<u32> =
            cells.iter().flat_map(|cell| cell.cumulative.iter().map(|(bucket, _)| *bucket)).collect();
        buckets.sort_unstable();
        buckets.dedup();
        let touched = seconds.iter().filter(|second| !second.buckets.is_empty());
        let max = touched.map(|second| second.max).max().unwrap_or_default();
        Self { cell_s: per_cell as f64, cells, buckets, max }
    }

    /// `(count, sum of the values)` of each second, oldest first, without gaps: for means and rates only.
    pub fn of_sums(seconds: &[(u64, f64)]) -> Self {
        let per_cell = seconds.len().div_ceil(CELLS_MOST).max(1);
        let join = |seconds: &[(u64, f64)]| Cell {
            count: seconds.iter().map(|(count, _)| count).sum(),
            sum: seconds.iter().map(|(_, sum)| sum).sum(),
            cumulative: Vec::new(),
        };
        let mut cells: Vec<Cell> = seconds.chunks(per_cell).map(join).collect();
        drop_rest(&mut cells, seconds.len(), per_cell);
        Self { cell_s: per_cell as f64, cells, buckets: Vec::new(), max: Nanos::ZERO }
    }

    /// Number of values.
    pub fn total(&self) -> u64 {
        self.cells.iter().map(|cell| cell.count).sum()
    }

    /// Length of the whole in seconds.
    pub fn seconds(&self) -> f64 {
        self.cell_s * self.cells.len() as f64
    }

    /// The statistic of this side as it is: ms for times, values a second for [`Statistic::PerSecond`].
    ///
    /// # Errors
    /// [`StatsError::TooFew`] without values; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`] for a percentile
    /// outside its range or of a side that was given as sums; [`StatsError::Saturated`].
    pub fn value(&self, statistic: Statistic) -> Result<f64, StatsError> {
        self.check(statistic)?;
        let once = vec![1; self.cells.len()];
        let (value, place) = self.drawn(statistic, &once, self.buckets.len() / 2);
        let last = Buckets::LEN as u32 - 1;
        if matches!(statistic, Statistic::Quantile(_)) && self.buckets.get(place) == Some(&last) {
            let above = self.cells.iter().map(|cell| cell.at_most(last) - cell.at_most(last - 1)).sum();
            return Err(StatsError::Saturated { count: above });
        }
        if value.is_finite() { Ok(value) } else { Err(StatsError::NotFinite) }
    }

    fn check(&self, statistic: Statistic) -> Result<(), StatsError> {
        if self.total() == 0 {
            return Err(StatsError::TooFew { have: 0, need: 1 });
        }
        if let Statistic::Quantile(q) = statistic {
            if !(q > 0.0 && q < 1.0) {
                return Err(StatsError::OutOfRange("`q` must lie strictly between 0 and 1; the maximum is exact"));
            }
            if self.buckets.is_empty() {
                return Err(StatsError::OutOfRange("sums alone have no percentiles"));
            }
        }
        Ok(())
    }

    /// The statistic when cell `i` is drawn `times[i]` times. `start`: where in `buckets` to look first; the place
    /// found is handed back, since one draw's percentile lies near the next one's.
    fn drawn(&self, statistic: Statistic, times: &[u32], start: usize) -> (f64, usize) {
        let weighted = |of: fn(&Cell) -> f64| -> f64 {
            self.cells.iter().zip(times).map(|(cell, &times)| f64::from(times) * of(cell)).sum()
        };
        let count = weighted(|cell| cell.count as f64);
        match statistic {
            Statistic::Mean => (weighted(|cell| cell.sum) / count, 0),
            Statistic::PerSecond => {
                let drawn: f64 = times.iter().map(|&times| f64::from(times)).sum();
                (count / (drawn * self.cell_s), 0)
            }
            Statistic::Quantile(_) if count == 0.0 => (f64::NAN, start),
            Statistic::Quantile(q) => {
                let place = self.place_of_rank(times, q * count, start);
                (Buckets::high(self.buckets[place]).min(self.max).as_millis_f64(), place)
            }
        }
    }

    /// The first place in `buckets` at or below which `rank` of the drawn values lie, looking outwards from `start`.
    fn place_of_rank(&self, times: &[u32], rank: f64, start: usize) -> usize {
        let last = self.buckets.len() - 1;
        let reaches = |place: usize| {
            let bucket = self.buckets[place];
            let drawn = self.cells.iter().zip(times).filter(|(_, times)| **times > 0);
            let at_most: u64 = drawn.map(|(cell, &times)| u64::from(times) * cell.at_most(bucket)).sum();
            // A rank that should be whole is not lifted by rounding noise.
            at_most as f64 >= rank * (1.0 - 1e-12)
        };
        let mut stride = 4;
        // Below `low` it is certainly not reached, at `high` it certainly is.
        let (mut low, mut high) = (0, start.min(last));
        if reaches(high) {
            while high > 0 {
                let next = high.saturating_sub(stride);
                if !reaches(next) {
                    low = next + 1;
                    break;
                }
                (high, stride) = (next, stride * 2);
            }
        } else {
            loop {
                low = high + 1;
                if low > last {
                    return last;
                }
                high = (high + stride).min(last);
                if high == last || reaches(high) {
                    break;
                }
                stride *= 2;
            }
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if reaches(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        high
    }

    /// How much each cell pulls the statistic away from its value: what neighbouring cells have in common shows here.
    fn pulls(&self, statistic: Statistic, value: f64, place: usize) -> Vec<f64> {
        match statistic {
            Statistic::Mean => self.cells.iter().map(|cell| cell.sum - value * cell.count as f64).collect(),
            Statistic::PerSecond => self.cells.iter().map(|cell| cell.count as f64).collect(),
            Statistic::Quantile(q) => {
                let bucket = self.buckets[place];
                let pull = |cell: &Cell| cell.at_most(bucket) as f64 - q * cell.count as f64;
                self.cells.iter().map(pull).collect()
            }
        }
    }

    /// How many seconds of this side carry as much as one independent observation of a statistic: the integrated
    /// autocorrelation time with its standard error on top. `check` has passed.
    fn memory_s(&self, statistic: Statistic) -> f64 {
        let once = vec![1; self.cells.len()];
        // The level's memory shows best in the mean; what crosses a far percentile is too rare to show it by itself.
        let memory = |statistic| {
            let (value, place) = self.drawn(statistic, &once, self.buckets.len() / 2);
            let pulls = self.pulls(statistic, value, place);
            // The rule of `Memory`: a minute of a process that remembers twenty seconds does not show it by the sum alone.
            safe_correlation_time(&pulls).max(time_by_neighbours(&centred(&pulls)))
        };
        let mut time = memory(statistic);
        if matches!(statistic, Statistic::Quantile(_)) {
            time = time.max(memory(Statistic::Mean));
        }
        // The cell itself is part of it; what lies within one cell cannot be seen, and need not.
        self.cell_s * time
    }

    /// Length of the blocks in seconds for a statistic of this side: `max(10 s, 2·τ)`, where τ is the memory; a third of
    /// the whole where the whole is too short for three of that length.
    ///
    /// # Errors
    /// [`StatsError::TooFew`], in seconds, when a third is less than `2·τ` or than two seconds.
    fn block_s(&self, statistic: Statistic) -> Result<f64, StatsError> {
        self.check(statistic)?;
        let two_memories = 2.0 * self.memory_s(statistic);
        let longest = self.seconds() / BLOCKS_FEWEST;
        let shortest = two_memories.max(BLOCK_SHORTEST_S);
        if longest < shortest {
            let need = (BLOCKS_FEWEST * shortest).ceil() as u64;
            return Err(StatsError::TooFew { have: self.seconds() as u64, need });
        }
        Ok(two_memories.max(BLOCK_LEAST_S).min(longest))
    }
}

impl Cell {
    fn of_times(seconds: &[SparseHistogram]) -> Self {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for &(bucket, count) in seconds.iter().flat_map(|second| &second.buckets) {
            *counts.entry(bucket.min(Buckets::LEN as u32 - 1)).or_default() += count;
        }
        let mut count = 0;
        let up_to = |(bucket, more): (u32, u64)| {
            count += more;
            (bucket, count)
        };
        let cumulative: Vec<(u32, u64)> = counts.into_iter().map(up_to).collect();
        let filled = seconds.iter().filter(|second| !second.buckets.is_empty());
        Self { count, sum: filled.map(|second| second.sum_ns / 1e6).sum(), cumulative }
    }

    fn at_most(&self, bucket: u32) -> u64 {
        let after = self.cumulative.partition_point(|(known, _)| *known <= bucket);
        if after == 0 { 0 } else { self.cumulative[after - 1].1 }
    }
}

/// A last cell of fewer seconds than the others goes, so that all cells weigh alike.
fn drop_rest(cells: &mut Vec<Cell>, seconds: usize, per_cell: usize) {
    if !seconds.is_multiple_of(per_cell) {
        cells.pop();
    }
}

fn centred(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|value| value - mean).collect()
}

/// A ratio of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RatioOfRuns {
    /// The statistic of the base, unit as in [`Cells::value`].
    pub base: f64,
    /// The statistic of the other.
    pub other: f64,
    /// `other / base` with the wide interval. The design effect is that of the less independent side's cells.
    pub ratio: Estimate,
    /// The narrow interval, low end first.
    pub narrow: (f64, f64),
    /// Standard error of the logarithm of the ratio.
    pub log_error: f64,
    /// Lengths of the blocks in seconds, base and other.
    pub block_s: (f64, f64),
    /// How many blocks the side with fewer holds; the intervals are widened by Student's t for that number less one.
    pub blocks: f64,
}

/// The ratio `other / base` of a statistic with its intervals, drawing blocks of time from both sides independently.
///
/// Intervals are the percentiles of the drawn log ratios about the log ratio itself, stretched by
/// `t(k-1)/z · sqrt(k/(k-1))` for `k` blocks: few blocks show less than the whole spread, and by chance. The ends take
/// in one bucket of the histogram (0.1 %) for percentiles. What differs from run to run is not in the interval.
///
/// # Errors
/// As [`Cells::value`]; [`StatsError::TooFew`] in seconds, when a side holds fewer than three blocks;
/// [`StatsError::OutOfRange`] where a side's value is 0 or below in the whole or in a draw, for it has no ratio.
/// Source: Politis & Romano 1994; Künsch 1989; B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 13.3.
pub fn ratio(
    base: &Cells,
    other: &Cells,
    statistic: Statistic,
    resampling: Resampling,
) -> Result<RatioOfRuns, StatsError> {
    check_confidence(resampling.confidence)?;
    check_confidence(resampling.narrow_confidence)?;
    if !(200..=REPLICATES_MOST).contains(&resampling.replicates) {
        return Err(StatsError::OutOfRange("`replicates` must be 200 to 100 000"));
    }
    let values = (base.value(statistic)?, other.value(statistic)?);
    if values.0 <= 0.0 || values.1 <= 0.0 {
        return Err(StatsError::OutOfRange("a ratio needs values above 0"));
    }
    let block_s = (base.block_s(statistic)?, other.block_s(statistic)?);
    let blocks = (base.seconds() / block_s.0).min(other.seconds() / block_s.1);
    let centre = (values.1 / values.0).ln();
    let mut drawn = drawn_ratios(base, other, statistic, block_s, resampling);
    if drawn.iter().any(|ratio| !ratio.is_finite()) {
        return Err(StatsError::OutOfRange("a part of the run has no value above 0, so the ratio has no interval"));
    }
    drawn.sort_by(f64::total_cmp);
    let bucket = if matches!(statistic, Statistic::Quantile(_)) { (1.0f64 / 1024.0).ln_1p() } else { 0.0 };
    let interval = |confidence: f64| {
        let miss = (1.0 - confidence) / 2.0;
        let freedom = (blocks - 1.0).max(1.0);
        let stretch =
            student_two_sided(freedom, confidence) / normal_quantile(1.0 - miss) * ((freedom + 1.0) / freedom).sqrt();
        let at = |q: f64| drawn[((q * drawn.len() as f64) as usize).min(drawn.len() - 1)] - centre;
        let low = centre + stretch * at(miss).min(0.0) - bucket;
        let high = centre + stretch * at(1.0 - miss).max(0.0) + bucket;
        (low.exp(), high.exp())
    };
    let (low, high) = interval(resampling.confidence);
    let narrow = interval(resampling.narrow_confidence);
    if !(high.is_finite() && narrow.1.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    Ok(RatioOfRuns {
        base: values.0,
        other: values.1,
        ratio: Estimate {
            value: centre.exp(),
            low,
            high,
            confidence: resampling.confidence,
            sample_count: base.total().saturating_add(other.total()),
            design_effect: (block_s.0 / base.cell_s).max(block_s.1 / other.cell_s).max(1.0),
            method: match resampling.scheme {
                Scheme::Stationary => "stationary block bootstrap",
                Scheme::Moving => "moving block bootstrap",
            },
        },
        narrow,
        log_error: crate::moments::variance(&drawn)?.sqrt(),
        block_s,
        blocks,
    })
}

/// The logarithm of the ratio in each draw.
fn drawn_ratios(
    base: &Cells,
    other: &Cells,
    statistic: Statistic,
    block_s: (f64, f64),
    resampling: Resampling,
) -> Vec<f64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(resampling.seed);
    let (mut base_times, mut other_times) = (Vec::new(), Vec::new());
    let (mut base_place, mut other_place) = (base.buckets.len() / 2, other.buckets.len() / 2);
    let mut ratios = Vec::with_capacity(resampling.replicates as usize);
    for _ in 0..resampling.replicates {
        draw(base.cells.len(), block_s.0 / base.cell_s, resampling.scheme, &mut random, &mut base_times);
        draw(other.cells.len(), block_s.1 / other.cell_s, resampling.scheme, &mut random, &mut other_times);
        let (below, above);
        (below, base_place) = base.drawn(statistic, &base_times, base_place);
        (above, other_place) = other.drawn(statistic, &other_times, other_place);
        ratios.push((above / below).ln());
    }
    ratios
}

/// Draws as many cells as there are, in blocks; `times[i]` becomes how often cell `i` was drawn.
fn draw(cells: usize, block: f64, scheme: Scheme, random: &mut Xoshiro256PlusPlus, times: &mut Vec<u32>) {
    times.clear();
    times.resize(cells, 0);
    let block = block.max(1.0);
    let length = (block.round() as usize).max(1);
    // The chance that a block ends after a cell, on a scale of 2^64.
    let ends_below = ((1.0 / block) * 2f64.powi(64)) as u64;
    let (mut place, mut left) = (0, 0);
    for _ in 0..cells {
        let is_end = match scheme {
            Scheme::Stationary => left == 0 || random.next_u64() < ends_below,
            Scheme::Moving => left == 0,
        };
        if is_end {
            place = below(random, cells);
            left = length;
        }
        times[place] += 1;
        place = (place + 1) % cells;
        if scheme == Scheme::Moving {
            left -= 1;
        }
    }
}

/// A number from 0 to `bound - 1`; the bias of the multiplication is below 2^-50 here.
fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}
