//! Histograms in HdrHistogram's own V2 encoding, for tools that read it.
//!
//! Values are whole units of 100 ns, lowest 1, highest one hour, three significant digits: the same buckets as
//! `terms::Buckets`. The encoding does not carry the unit.

use hdrhistogram::serialization::{Serializer, V2Serializer};
use terms::{Buckets, SparseHistogram};

/// Nanoseconds in a unit of the encoded histograms.
const UNIT_NS: i64 = 100;
const DIGITS: u8 = 3;

/// Keeps its memory from row to row.
pub(crate) struct HdrEncoder {
    histogram: hdrhistogram::Histogram<u64>,
    serializer: V2Serializer,
}

impl HdrEncoder {
    pub(crate) fn new() -> Self {
        let histogram = hdrhistogram::Histogram::new_with_bounds(1, Buckets::HIGHEST, DIGITS)
            .expect("invariant: the bounds are constants that HdrHistogram takes");
        Self { histogram, serializer: V2Serializer::new() }
    }

    /// `None` when there is nothing to encode, or a count is beyond what the encoding can hold (2⁶³).
    pub(crate) fn encode(&mut self, sparse: &SparseHistogram) -> Option<Vec<u8>> {
        if sparse.buckets.is_empty() {
            return None;
        }
        self.histogram.reset();
        for &(index, count) in &sparse.buckets {
            let units = (Buckets::low(index).0 / UNIT_NS) as u64;
            self.histogram.record_n(units, count).ok()?;
        }
        let mut bytes = Vec::new();
        self.serializer.serialize(&self.histogram, &mut bytes).ok()?;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;
    use proptest::prelude::*;
    use terms::{Histogram, Nanos};

    fn decoded(sparse: &SparseHistogram) -> Vec<(u32, u64)> {
        let bytes = HdrEncoder::new().encode(sparse).unwrap();
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
        assert_eq!(decoded(&histogram.to_sparse()), histogram.to_sparse().buckets);
    }

    proptest! {
        #[test]
        fn decoding_gives_the_same_counts(times in prop::collection::vec((0..4_000_000_000_000i64, 1..1000u64), 1..50)) {
            let mut histogram = Histogram::new();
            for (time, count) in times {
                histogram.record_n(Nanos(time), count);
            }
            let sparse = histogram.to_sparse();
            prop_assert_eq!(decoded(&sparse), sparse.buckets);
        }
    }
}
