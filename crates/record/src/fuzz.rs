//! For the fuzz targets alone: parsers of this crate that cannot be reached through a folder, with what must hold of them.

use crate::block::framed;
use crate::encoding::{Input, put_histogram};
use crate::hdr;
use terms::{Histogram, SparseHistogram};

/// A block with a right header around any payload, as a segment holds it.
pub fn block(kind: u8, number: u32, payload: &[u8]) -> Vec<u8> {
    framed(kind, number, payload)
}

/// A histogram in the form of a block, in that of the archive, and merged.
pub fn histogram(bytes: &[u8]) {
    let mut input = Input(bytes);
    let Some(sparse) = input.histogram() else { return };
    let mut printed = Vec::new();
    put_histogram(&mut printed, &sparse);
    let again = Input(&printed).histogram();
    let same = |a: &SparseHistogram, b: &SparseHistogram| {
        a.buckets == b.buckets && (a.min, a.max) == (b.min, b.max) && a.sum_ns.to_bits() == b.sum_ns.to_bits()
    };
    assert!(again.is_some_and(|again| same(&again, &sparse)), "what is written reads back: {sparse:?}");
    let mut merged = Histogram::new();
    merged.merge_sparse(&sparse);
    merged.merge_sparse(&sparse);
    for quantile in [0.0, 0.5, 0.99, 1.0] {
        let _ = merged.quantile(quantile);
    }
    let _ = (merged.mean(), merged.total(), merged.count_below(sparse.max), merged.to_sparse().total());
    if let Some(encoded) = hdr::encode(&sparse) {
        assert!(!encoded.is_empty());
    }
}
