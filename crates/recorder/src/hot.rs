//! The arrays of the second in hand. Recording is an index and an addition; draining costs the touched buckets only.

use crate::close::RawClose;
use crate::exchange::{Leg, NO_STREAM};
use crate::layout::Threshold;
use crate::rows::{LegRow, StartRow};
use terms::{Buckets, Nanos, Population, SparseHistogram};

/// A dense histogram with the list of its touched buckets. Counts are u32: a second has fewer than four billion.
#[derive(Default)]
pub(crate) struct Hot {
    counts: Box<[u32]>,
    touched: Vec<u32>,
    min: i64,
    max: i64,
    sum: i64,
}

impl Hot {
    #[inline]
    pub(crate) fn record(&mut self, value: Nanos) {
        if self.counts.is_empty() {
            self.counts = vec![0; Buckets::LEN].into();
            self.touched.reserve(2048);
        }
        let index = Buckets::index(value);
        let count = &mut self.counts[index as usize];
        if self.touched.is_empty() {
            (self.min, self.max) = (value.0, value.0);
        }
        if *count == 0 {
            self.touched.push(index);
        }
        *count += 1;
        self.min = self.min.min(value.0);
        self.max = self.max.max(value.0);
        self.sum = self.sum.saturating_add(value.0);
    }

    /// Buckets in the order they were touched; the collecting thread sorts them.
    pub(crate) fn drain(&mut self) -> SparseHistogram {
        let take = |&index: &u32| (index, u64::from(std::mem::take(&mut self.counts[index as usize])));
        let buckets = self.touched.iter().map(take).collect();
        self.touched.clear();
        let sum_ns = std::mem::take(&mut self.sum) as f64;
        SparseHistogram { buckets, min: Nanos(self.min), max: Nanos(self.max), sum_ns }
    }
}

/// One leg's closes of one population in the second in hand.
#[derive(Default)]
pub(crate) struct HotLeg {
    response: Hot,
    service: Hot,
    count: u64,
    units: u64,
    bytes: u64,
    below: Vec<u64>,
}

impl HotLeg {
    #[inline]
    pub(crate) fn add(&mut self, close: &RawClose, thresholds: &[Threshold]) {
        if let Some(response) = close.response {
            self.response.record(response);
        }
        self.service.record(close.service);
        self.count += 1;
        self.units += close.units;
        self.bytes += close.bytes;
        if self.below.len() != thresholds.len() {
            self.below.resize(thresholds.len(), 0);
        }
        for (below, threshold) in self.below.iter_mut().zip(thresholds) {
            *below += u64::from(close.is_below(threshold));
        }
    }

    pub(crate) fn drain(
        &mut self,
        step: u32,
        exchange: u16,
        leg: Leg,
        population: Population,
        second: i64,
    ) -> Option<LegRow> {
        if self.count == 0 {
            return None;
        }
        let below = self.below.clone();
        self.below.fill(0);
        Some(LegRow {
            step,
            exchange,
            leg,
            stream: NO_STREAM,
            population,
            intended_s: second,
            end_s: second,
            count: std::mem::take(&mut self.count),
            units: std::mem::take(&mut self.units),
            bytes: std::mem::take(&mut self.bytes),
            below,
            response: self.response.drain(),
            service: self.service.drain(),
        })
    }
}

/// One exchange's starts in the second in hand.
#[derive(Default)]
pub(crate) struct HotStarts {
    lateness: Hot,
    count: u64,
}

impl HotStarts {
    #[inline]
    pub(crate) fn add(&mut self, lateness: Nanos) {
        self.lateness.record(lateness);
        self.count += 1;
    }

    pub(crate) fn drain(&mut self, step: u32, exchange: u16, second: i64) -> Option<StartRow> {
        if self.count == 0 {
            return None;
        }
        let started = std::mem::take(&mut self.count);
        Some(StartRow {
            step,
            exchange,
            stream: NO_STREAM,
            intended_s: second,
            started,
            lateness: self.lateness.drain(),
        })
    }
}
