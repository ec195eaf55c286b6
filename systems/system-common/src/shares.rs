//! Which calls a fault hits: a function of the number of the call, so that runs repeat and shares hold.

use terms::seed::hash;

/// What a call is hit by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// Answered with status 500, not carried out.
    Errors,
    /// Carried out, then the connection is reset.
    Reset,
    /// Carried out, then the answer ends half-way.
    Half,
    /// Carried out, then the content is replaced.
    Wrong,
}

/// Shares of calls, in millionths; no call is hit by two.
///
/// Calls are taken in blocks of 64. In each block each fault has a whole number of hits, such that after `b` blocks it
/// has had `floor(64 b share)`: the share is exact to one hit at every block's end. Where in the block the hits fall is
/// a permutation drawn for that block. Evenly spaced hits (each fiftieth call) would all fall on the same route when
/// calls alternate between two routes; independent draws would miss the share by chance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Of status 500.
    pub errors: u32,
    /// Of connections that are reset.
    pub reset: u32,
    /// Of half answers.
    pub half: u32,
    /// Of wrong content.
    pub wrong: u32,
}

const MILLION: u64 = 1_000_000;
const BLOCK: u64 = 64;

impl Shares {
    /// All shares together; 1 is every call.
    pub fn total(&self) -> f64 {
        self.list().iter().map(|(_, millionths)| f64::from(*millionths)).sum::<f64>() / MILLION as f64
    }

    /// What hits the call with this number, counted from 0.
    pub fn hit(&self, call: u64) -> Option<Hit> {
        if *self == Self::default() {
            return None;
        }
        let (block, place) = (call / BLOCK, call % BLOCK);
        let mut rank = shuffled(block, place);
        for (hit, millionths) in self.list() {
            let hits = hits_after(block + 1, millionths) - hits_after(block, millionths);
            if rank < hits {
                return Some(hit);
            }
            rank -= hits;
        }
        None
    }

    fn list(&self) -> [(Hit, u32); 4] {
        [(Hit::Errors, self.errors), (Hit::Reset, self.reset), (Hit::Half, self.half), (Hit::Wrong, self.wrong)]
    }
}

/// Hits in the first `blocks` blocks. 2^33 blocks, 500 thousand million calls, do not overflow.
fn hits_after(blocks: u64, millionths: u32) -> u64 {
    blocks.saturating_mul(BLOCK).saturating_mul(u64::from(millionths)) / MILLION
}

/// A permutation of 0..64 for each block: a Feistel network of four rounds over two halves of three bits
/// (Luby and Rackoff, "How to construct pseudorandom permutations from pseudorandom functions", SIAM J. Comput. 17, 1988).
fn shuffled(block: u64, place: u64) -> u64 {
    let (mut left, mut right) = (place >> 3, place & 7);
    for round in 0..4 {
        (left, right) = (right, left ^ (hash(block, round << 3 | right) & 7));
    }
    left << 3 | right
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn count(shares: Shares, calls: u64, hit: Hit) -> u64 {
        (0..calls).filter(|&call| shares.hit(call) == Some(hit)).count() as u64
    }

    #[test]
    fn each_block_is_a_permutation() {
        for block in 0..200 {
            let mut seen = [false; 64];
            for place in 0..64 {
                seen[shuffled(block, place) as usize] = true;
            }
            assert!(seen.iter().all(|&s| s), "block {block}");
        }
    }

    #[test]
    fn two_percent_of_6400_calls_are_128_and_fall_on_both_of_two_alternating_routes() {
        let shares = Shares { errors: 20_000, ..Shares::default() };
        assert_eq!(count(shares, 6400, Hit::Errors), 128);
        let even = (0..6400).filter(|&call| call % 2 == 0 && shares.hit(call).is_some()).count();
        // Binomial(128, 1/2): mean 64, five standard deviations are 28.
        assert!((36..=92).contains(&even), "{even} of 128 on even calls");
    }

    #[test]
    fn nothing_and_everything() {
        assert_eq!(count(Shares::default(), 1000, Hit::Errors), 0);
        assert_eq!(count(Shares { wrong: 1_000_000, ..Shares::default() }, 1000, Hit::Wrong), 1000);
    }

    proptest! {
        #[test]
        fn shares_are_exact_at_the_end_of_every_block(
            errors in 0u32..300_000, reset in 0u32..300_000, half in 0u32..200_000, wrong in 0u32..150_000, blocks in 1u64..40,
        ) {
            let shares = Shares { errors, reset, half, wrong };
            for (hit, millionths) in shares.list() {
                let expected = blocks * BLOCK * u64::from(millionths) / MILLION;
                prop_assert_eq!(count(shares, blocks * BLOCK, hit), expected);
            }
        }
    }
}
