//! Histograms in HdrHistogram's own V2 encoding, for tools that read it.
//!
//! Values are whole units of 100 ns, lowest 1, highest one hour, three significant digits: the same buckets as
//! `terms::Buckets`. The encoding does not carry the unit.

use terms::{Buckets, SparseHistogram};

/// Marks version 2 with counts of variable length.
const COOKIE: u32 = 0x1c84_9303 | 0x10;
const DIGITS: u32 = 3;
const LOWEST: u64 = 1;

/// `None` when there is nothing to encode, or a count is beyond what the encoding can hold (2⁶³).
///
/// Written from the buckets that are taken: the crate `hdrhistogram` encodes a whole array of counts, and filling
/// and scanning that was half of what sealing a run took. Its answer is the same, byte for byte, which the tests hold.
pub(crate) fn encode(sparse: &SparseHistogram) -> Option<Vec<u8>> {
    if sparse.buckets.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(40 + 4 * sparse.buckets.len());
    bytes.extend_from_slice(&COOKIE.to_be_bytes());
    // Length of the counts, which is known at the end, and an offset that nobody uses.
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&DIGITS.to_be_bytes());
    bytes.extend_from_slice(&LOWEST.to_be_bytes());
    bytes.extend_from_slice(&Buckets::HIGHEST.to_be_bytes());
    bytes.extend_from_slice(&1f64.to_be_bytes());
    let header = bytes.len();
    let mut next = 0;
    for &(index, count) in &sparse.buckets {
        match index - next {
            0 => {}
            1 => put(&mut bytes, 0),
            zeros => put(&mut bytes, -i64::from(zeros)),
        }
        put(&mut bytes, i64::try_from(count).ok()?);
        next = index + 1;
    }
    let length = u32::try_from(bytes.len() - header).ok()?;
    bytes[4..8].copy_from_slice(&length.to_be_bytes());
    Some(bytes)
}

/// Zigzag, then base 128 with the least group first; a ninth byte holds eight bits.
fn put(bytes: &mut Vec<u8>, number: i64) {
    let mut left = ((number << 1) ^ (number >> 63)) as u64;
    for _ in 0..8 {
        if left < 0x80 {
            break;
        }
        bytes.push(left as u8 | 0x80);
        left >>= 7;
    }
    bytes.push(left as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
    use proptest::prelude::*;
    use terms::{Histogram, Nanos};

    /// Nanoseconds in a unit of the encoded histograms.
    const UNIT_NS: i64 = 100;

    /// What the crate of the format's authors writes.
    fn by_the_crate(sparse: &SparseHistogram) -> Vec<u8> {
        let mut histogram = hdrhistogram::Histogram::<u64>::new_with_bounds(1, Buckets::HIGHEST, 3).unwrap();
        for &(index, count) in &sparse.buckets {
            histogram.record_n((Buckets::low(index).0 / UNIT_NS) as u64, count).unwrap();
        }
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&histogram, &mut bytes).unwrap();
        bytes
    }

    fn decoded(sparse: &SparseHistogram) -> Vec<(u32, u64)> {
        let bytes = encode(sparse).unwrap();
        let histogram: hdrhistogram::Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        histogram
            .iter_recorded()
            .map(|step| (Buckets::index(Nanos(step.value_iterated_to() as i64 * UNIT_NS)), step.count_at_value()))
            .collect()
    }

    #[test]
    fn the_edges_of_the_range_are_kept() {
        let mut histogram = Histogram::new();
        for time in [0, 99, 100, 204_799, 204_800, 3_600_000_000_000, i64::MAX] {
            histogram.record(Nanos(time));
        }
        let sparse = histogram.to_sparse();
        assert_eq!(decoded(&sparse), sparse.buckets);
        assert_eq!(encode(&sparse), Some(by_the_crate(&sparse)));
    }

    #[test]
    fn counts_up_to_what_the_encoding_holds() {
        for count in [1, 63, 64, 8191, 8192, (1 << 55) - 1, 1 << 55, (1 << 62) - 1, 1 << 62, i64::MAX as u64] {
            let sparse = SparseHistogram { buckets: vec![(0, count)], ..SparseHistogram::default() };
            assert_eq!(encode(&sparse), Some(by_the_crate(&sparse)), "{count}");
        }
        let beyond = SparseHistogram { buckets: vec![(0, 1 << 63)], ..SparseHistogram::default() };
        assert_eq!(encode(&beyond), None);
        assert_eq!(encode(&SparseHistogram::default()), None);
    }

    proptest! {
        #[test]
        fn decoding_gives_the_same_counts(times in prop::collection::vec((0..4_000_000_000_000i64, 1..1000u64), 1..50)) {
            let mut histogram = Histogram::new();
            for (time, count) in times {
                histogram.record_n(Nanos(time), count);
            }
            let sparse = histogram.to_sparse();
            prop_assert_eq!(decoded(&sparse), sparse.buckets.clone());
            prop_assert_eq!(encode(&sparse), Some(by_the_crate(&sparse)));
        }
    }
}
