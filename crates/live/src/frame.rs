//! What the page draws of a span of time: counts are added, histograms merged, and percentiles read from what was merged.

use crate::words::short;
use follow::Second;
use record::{EventRow, Head};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use terms::{Books, Histogram, Nanos, Outcome};

/// Quantiles that are drawn.
pub(crate) const QUANTILES: [f64; 3] = [0.5, 0.95, 0.99];
/// Longest text of an event.
const EVENT_TEXT_MAX: usize = 600;
const EVENT_NAME_MAX: usize = 120;

/// A span of whole seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// Its first second, and how many it has.
    pub(crate) second: i64,
    pub(crate) seconds: i64,
    pub(crate) wall_ns: i64,
    /// Steps that were in hand; of a longer span none.
    steps: Vec<u32>,
    books: Books,
    /// Calls that ended, by how they did; successful ones are not among them.
    failed: BTreeMap<Outcome, u64>,
    /// Times of successful calls, each of its first leg: from the intended start, in closed loads from the start.
    times: Histogram,
    /// Sum and number of the seconds' means in flight.
    in_flight: (f64, u32),
    waiting: u64,
    cpu_busiest: f64,
    run_queue: (f64, u32),
    lateness: [Option<Nanos>; 2],
    /// Sum and number of the samples of each series.
    samples: BTreeMap<u16, (f64, u32)>,
}

impl Frame {
    /// One second; `series` numbers the samples that are drawn.
    pub(crate) fn of(second: &Second, head: &Head, mut series: impl FnMut(&follow::Sample) -> Option<u16>) -> Self {
        let mut frame = Self { second: second.second, seconds: 1, wall_ns: second.wall_ns, ..Self::default() };
        frame.steps.clone_from(&second.steps);
        for part in &second.parts {
            frame.books += part.books;
        }
        let calls = head.calls();
        // What is booked as one, too, is not a call of its own.
        for of in second.exchanges.iter().filter(|of| usize::from(of.exchange) < calls) {
            for (outcome, count) in &of.outcomes {
                let known = frame.failed.entry(*outcome).or_default();
                *known = known.saturating_add(*count);
            }
            if of.leg == 0 {
                frame.times.merge(if of.response.total() > 0 { &of.response } else { &of.service });
            }
        }
        if let Some(generator) = &second.generator {
            frame.in_flight = (generator.in_flight_mean, 1);
            frame.waiting = generator.waiting_max;
            frame.cpu_busiest = generator.cpu_busiest_s;
            frame.run_queue = (generator.run_queue_worst_s, 1);
            frame.lateness = [generator.lateness_p99, generator.lateness_max];
        }
        for sample in second.samples.iter().filter(|sample| sample.value.is_finite()) {
            if let Some(number) = series(sample) {
                frame.samples.insert(number, (sample.value, 1));
            }
        }
        frame
    }

    /// A longer span that begins with it.
    pub(crate) fn begin_span(&self, second: i64, seconds: i64) -> Self {
        Self { second, seconds, steps: Vec::new(), ..self.clone() }
    }

    /// Adds a later span.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.wall_ns = self.wall_ns.max(other.wall_ns);
        self.books += other.books;
        for (outcome, count) in &other.failed {
            let known = self.failed.entry(*outcome).or_default();
            *known = known.saturating_add(*count);
        }
        self.times.merge(&other.times);
        self.in_flight = (self.in_flight.0 + other.in_flight.0, self.in_flight.1 + other.in_flight.1);
        self.waiting = self.waiting.max(other.waiting);
        self.cpu_busiest = self.cpu_busiest.max(other.cpu_busiest);
        self.run_queue = (self.run_queue.0 + other.run_queue.0, self.run_queue.1 + other.run_queue.1);
        for (known, other) in self.lateness.iter_mut().zip(other.lateness) {
            *known = (*known).max(other);
        }
        for (number, (sum, count)) in &other.samples {
            let known = self.samples.entry(*number).or_default();
            *known = (known.0 + sum, known.1 + count);
        }
    }

    /// As the page takes it; times in ms, the rest in base units.
    pub(crate) fn json(&self) -> Value {
        let ms = |time: Option<Nanos>| time.map(|time| rounded(time.as_millis_f64()));
        let mean = |(sum, count): (f64, u32)| (count > 0).then(|| rounded(sum / f64::from(count)));
        let times = QUANTILES.map(|quantile| ms(self.times.quantile(quantile)));
        let books = &self.books;
        let failed: Vec<Value> = self.failed.iter().map(|(outcome, count)| json!([outcome.name(), count])).collect();
        let samples: Vec<Value> = self.samples.iter().map(|(number, sum)| json!([number, mean(*sum)])).collect();
        json!({
            "s": self.second, "n": self.seconds, "p": self.steps, "w": self.wall_ns / 1_000_000,
            "b": [books.intended, books.started, books.completed, books.failed, books.dropped, books.aborted],
            "t": times, "e": failed, "i": mean(self.in_flight), "q": self.waiting,
            "g": [rounded(self.cpu_busiest), mean(self.run_queue), ms(self.lateness[0]), ms(self.lateness[1])],
            "y": samples,
        })
    }
}

/// Four digits are more than a chart can show.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10_f64.powi(4 - value.abs().log10().ceil() as i32);
    if scale.is_finite() && scale > 0.0 { (value * scale).round() / scale } else { value }
}

/// An event as the page takes it.
pub(crate) fn event(row: &EventRow) -> Value {
    json!({
        "at": rounded(row.at.as_secs_f64() * 10.0) / 10.0,
        "kind": short(&row.kind, EVENT_NAME_MAX),
        "subject": short(&row.subject, EVENT_NAME_MAX),
        "text": short(&row.text, EVENT_TEXT_MAX),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_four_digits() {
        for (value, expected) in
            [(0.0, 0.0), (1.234_56, 1.235), (98_765.4, 98_770.0), (0.000_123_456, 0.000_123_5), (-2.0, -2.0)]
        {
            assert!((rounded(value) - expected).abs() < 1e-9, "{value}: {}", rounded(value));
        }
        assert_eq!((rounded(f64::NAN), rounded(f64::INFINITY)), (0.0, 0.0));
    }

    #[test]
    fn percentiles_of_a_span_are_those_of_all_of_its_calls() {
        let frame = |time_ms: i64, count: u64| {
            let mut times = Histogram::new();
            times.record_n(Nanos::from_millis(time_ms), count);
            Frame { seconds: 1, times, ..Frame::default() }
        };
        let mut all = frame(10, 1000);
        all.merge(&frame(1000, 10));
        // The mean of both seconds' p99 would be 505 ms.
        assert_eq!(all.json()["t"][2], json!(10.0));
    }
}
