//! What single rows say: which of their times count, whether a histogram is one, which legs come when all had ended.

use record::{FeatureHead, Head, LegRow};
use terms::{Buckets, Nanos, SparseHistogram};

/// A row with more than this is damaged or forged: 10^12 calls are a year at 30 000 a second.
pub(crate) const COUNT_MAX: u64 = 1_000_000_000_000;

/// Moments and values of one series.
pub(crate) type Points = Vec<(Nanos, Option<f64>)>;

/// Response times of a row; in a closed load, which has no intended start, service times.
pub(crate) fn times_of(row: &LegRow) -> &SparseHistogram {
    if row.response.buckets.is_empty() { &row.service } else { &row.response }
}

/// Exchange and leg of refusals that come when everything had ended.
pub(crate) fn afterwards(head: &Head) -> impl Iterator<Item = (u16, u8)> + '_ {
    head.exchanges.iter().zip(0u16..).flat_map(|(exchange, number)| {
        let legs = exchange.legs.iter().zip(0u8..).filter(|(leg, _)| leg.name == contract::AFTERWARDS);
        legs.map(move |(_, leg)| (number, leg))
    })
}

/// Whether a leg is waited for: not when the driver says that the exchange leaves out what would close it, as a business
/// reply that no message asks for; nor when it is there only if somebody refuses what had ended. Such a leg is neither
/// open nor missing.
pub fn is_awaited(head: &Head, exchange: &str, leg: &str) -> bool {
    if leg == contract::AFTERWARDS {
        return false;
    }
    // In a mix its name begins with the part's.
    let name = exchange.rsplit('/').next().unwrap_or(exchange);
    let is_left_out = |feature: &FeatureHead| {
        [exchange, name].contains(&feature.exchange.as_str())
            && feature.leg.as_deref() == Some(leg)
            && !feature.is_exercised
    };
    !head.features.iter().any(is_left_out)
}

pub(crate) fn is_histogram(histogram: &SparseHistogram) -> bool {
    let is_bucket = |&(index, count): &(u32, u64)| (index as usize) < Buckets::LEN && (1..=COUNT_MAX).contains(&count);
    let is_in_order = histogram.buckets.windows(2).all(|pair| pair[0].0 < pair[1].0);
    histogram.sum_ns.is_finite() && is_in_order && histogram.buckets.iter().all(is_bucket) && {
        histogram.buckets.is_empty() || histogram.min <= histogram.max
    }
}
