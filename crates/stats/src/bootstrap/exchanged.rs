//! Whether two sides differ by more than their own blocks of time would, dealt out anew.

use super::{BLOCK_SHORTEST_S, Cell, Cells, Statistic, below};
use crate::StatsError;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::collections::BTreeMap;

/// Each side holds so many blocks. Three against three can be dealt out in twenty ways, so that not even the most
/// unlike of them is one in twenty on either side.
const BLOCKS_FEWEST: usize = 4;
/// How often the blocks are dealt out: a chance of 5 % is then known to 0.7 points.
const DEALS: u32 = 999;

/// The chance that the statistic of two sides lies as far apart as it does, if which side a block of time belongs to
/// made no difference: blocks of both sides are shuffled and dealt out anew, 999 times.
///
/// Blocks are twice the memory of the side that remembers longer, and two seconds at least. Other than an interval of
/// the ratio, this knows that a side which happened to have no burst belongs to a process that has them: three stalls
/// against none are nothing that two equal minutes could not show.
///
/// # Errors
/// [`StatsError::TooFew`], in seconds, when a side holds fewer than four blocks; else as [`Cells::value`].
/// Source: E. J. G. Pitman, JRSS Supplement 4, 1937; blocks instead of single values as in the bootstrap.
pub fn exchanged(base: &Cells, other: &Cells, statistic: Statistic, seed: u64) -> Result<f64, StatsError> {
    let seen = (other.value(statistic)? - base.value(statistic)?).abs();
    let memory = base.memory_s(statistic).max(other.memory_s(statistic));
    let step = common_multiple(base.cell_s as u64, other.cell_s as u64) as f64;
    let block_s = ((2.0 * memory).max(BLOCK_SHORTEST_S) / step).ceil() * step;
    let need = BLOCKS_FEWEST as f64 * block_s;
    let shorter = base.seconds().min(other.seconds());
    if shorter < need {
        return Err(StatsError::TooFew { have: shorter as u64, need: need.ceil() as u64 });
    }
    let blocks = |side: &Cells| -> Vec<Cell> {
        let length = (block_s / side.cell_s) as usize;
        side.cells.chunks_exact(length).map(Cell::joined).collect()
    };
    let (of_base, of_other) = (blocks(base), blocks(other));
    let first = of_base.len();
    let mut buckets: Vec<u32> = base.buckets.iter().chain(&other.buckets).copied().collect();
    buckets.sort_unstable();
    buckets.dedup();
    let max = base.max.max(other.max);
    let all = Cells { cell_s: block_s, cells: of_base.into_iter().chain(of_other).collect(), buckets, max };

    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..all.cells.len()).collect();
    let (mut ours, mut theirs) = (vec![0; order.len()], vec![0; order.len()]);
    let mut place = all.buckets.len() / 2;
    let mut as_far = 0;
    for _ in 0..DEALS {
        for last in (1..order.len()).rev() {
            order.swap(last, below(&mut random, last + 1));
        }
        for (at, block) in order.iter().enumerate() {
            ours[*block] = u32::from(at < first);
            theirs[*block] = u32::from(at >= first);
        }
        let (one, another);
        (one, place) = all.drawn(statistic, &ours, place);
        (another, place) = all.drawn(statistic, &theirs, place);
        // A hand of blocks without values has no statistic, and counts as far apart: nothing is claimed from it.
        let is_nearer = (another - one).abs() < seen * (1.0 - 1e-12);
        as_far += u32::from(!is_nearer);
    }
    Ok(f64::from(1 + as_far) / f64::from(1 + DEALS))
}

impl Cell {
    fn joined(cells: &[Self]) -> Self {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for cell in cells {
            let mut before = 0;
            for (bucket, up_to) in &cell.cumulative {
                *counts.entry(*bucket).or_default() += up_to - before;
                before = *up_to;
            }
        }
        let mut up_to = 0;
        let cumulative = counts.into_iter().map(|(bucket, count)| {
            up_to += count;
            (bucket, up_to)
        });
        let cumulative = cumulative.collect();
        Self {
            count: cells.iter().map(|cell| cell.count).sum(),
            sum: cells.iter().map(|cell| cell.sum).sum(),
            cumulative,
        }
    }
}

fn common_multiple(a: u64, b: u64) -> u64 {
    let (mut high, mut low) = (a.max(b).max(1), a.min(b).max(1));
    while low > 0 {
        (high, low) = (low, high % low);
    }
    a.max(1) * b.max(1) / high
}
