//! The books of a target: what came, what went, what was refused, and how late the answers were.

/// Counts since the start. Requests to the control routes stand apart and are in no other count.
///
/// `requests = answered + resets + halves + abandoned + waiting` at every moment.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Load requests whose last byte arrived.
    pub requests: u64,
    /// Answers whose last byte the kernel took, wrong ones and error statuses among them.
    pub answered: u64,
    /// Connections reset in place of an answer, on purpose.
    pub resets: u64,
    /// Answers cut in half, on purpose.
    pub halves: u64,
    /// Requests whose connection ended before their answer was sent whole.
    pub abandoned: u64,
    /// Requests to `/health`, `/version`, `/counters` and the like.
    pub control: u64,
    /// Requests refused as malformed or over a bound (400, 408, 413, 431).
    pub refused: u64,
    /// Connections that ended in the middle of a request.
    pub truncated: u64,
    /// Connections accepted.
    pub accepted: u64,
    /// Times that accepting paused for want of descriptors.
    pub accept_pauses: u64,
    /// Bytes read, as the session sees them (after TLS).
    pub bytes_read: u64,
    /// Bytes written, likewise.
    pub bytes_written: u64,
}

impl Counters {
    /// Names and values, in the order of the fields.
    pub fn list(&self) -> [(&'static str, u64); 12] {
        [
            ("requests", self.requests),
            ("answered", self.answered),
            ("resets", self.resets),
            ("halves", self.halves),
            ("abandoned", self.abandoned),
            ("control", self.control),
            ("refused", self.refused),
            ("truncated", self.truncated),
            ("accepted", self.accepted),
            ("accept_pauses", self.accept_pauses),
            ("bytes_read", self.bytes_read),
            ("bytes_written", self.bytes_written),
        ]
    }
}

/// Sub-buckets in each power of two: values are known to 1/32, about 3 %.
const STEPS: usize = 32;
/// Powers of two kept apart above the exact range; the last one begins at 2^36 ns, about 69 s.
const POWERS: usize = 33;

/// Distribution of lateness (real departure minus due departure) in nanoseconds, in constant memory.
#[derive(Clone, Debug)]
pub struct Lateness {
    buckets: Vec<u64>,
    count: u64,
    max_ns: u64,
}

impl Default for Lateness {
    fn default() -> Self {
        Lateness { buckets: vec![0; STEPS * POWERS], count: 0, max_ns: 0 }
    }
}

impl Lateness {
    /// Adds one value.
    pub fn record(&mut self, late_ns: u64) {
        self.buckets[bucket(late_ns)] += 1;
        self.count += 1;
        self.max_ns = self.max_ns.max(late_ns);
    }

    /// Values added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The largest value, exact; 0 when there is none.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// The nearest-rank quantile: the upper edge of its bucket, never above the maximum; 0 when there is none.
    ///
    /// `q` lies in 0 to 1.
    pub fn quantile_ns(&self, q: f64) -> u64 {
        let rank = ((q * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (index, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return upper_edge(index).min(self.max_ns);
            }
        }
        self.max_ns
    }
}

/// Values below [`STEPS`] have a bucket each; above, each power of two has [`STEPS`] equal ones.
fn bucket(value: u64) -> usize {
    let steps = STEPS as u64;
    if value < steps {
        return value as usize;
    }
    let power = value.ilog2() - steps.ilog2();
    let index = (power as usize + 1) * STEPS + (value >> power) as usize - STEPS;
    index.min(STEPS * POWERS - 1)
}

fn upper_edge(index: usize) -> u64 {
    if index < STEPS {
        return index as u64;
    }
    let power = index / STEPS - 1;
    (((index % STEPS + STEPS + 1) as u64) << power) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_values_are_exact() {
        let mut lateness = Lateness::default();
        (1..=20).for_each(|value| lateness.record(value));
        assert_eq!(lateness.quantile_ns(0.5), 10);
        assert_eq!(lateness.quantile_ns(0.99), 20);
        assert_eq!(lateness.max_ns(), 20);
        assert_eq!(lateness.count(), 20);
        assert_eq!(Lateness::default().quantile_ns(0.5), 0);
    }

    proptest! {
        #[test]
        fn every_value_lies_in_its_bucket(value in 0_u64..(1 << 36)) {
            let index = bucket(value);
            prop_assert!(value <= upper_edge(index));
            prop_assert!(index == 0 || value > upper_edge(index - 1));
            // The width of a bucket is at most 1/32 of its values.
            prop_assert!(upper_edge(index) - value <= value / 32);
        }
    }

    #[test]
    fn the_largest_value_does_not_leave_the_table() {
        let mut lateness = Lateness::default();
        lateness.record(u64::MAX);
        assert_eq!(lateness.max_ns(), u64::MAX);
    }
}
