//! Random numbers as a function of a seed and a number, so that any worker computes any draw without talk.
//!
//! The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
//! generators", OOPSLA 2014).

/// A 64-bit hash of the seed and the number; equal inputs give equal outputs on every machine.
pub fn hash(seed: u64, number: u64) -> u64 {
    mix(mix(seed.wrapping_add(0x9E37_79B9_7F4A_7C15)).wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
}

/// A number in [0, 1) from seed and number, with 53 random bits.
pub fn uniform(seed: u64, number: u64) -> f64 {
    (hash(seed, number) >> 11) as f64 / (1u64 << 53) as f64
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_numbers_fill_the_interval_evenly() {
        let mut tenths = [0u32; 10];
        for number in 0..100_000 {
            tenths[(uniform(7, number) * 10.0) as usize] += 1;
        }
        // 10 000 expected in each; five standard deviations are 475.
        assert!(tenths.iter().all(|&count| count.abs_diff(10_000) < 475), "{tenths:?}");
    }

    #[test]
    fn different_seeds_give_different_numbers() {
        assert_ne!(hash(1, 0), hash(2, 0));
        assert_ne!(hash(1, 0), hash(1, 1));
        assert_eq!(hash(1, 1), hash(1, 1));
    }
}
