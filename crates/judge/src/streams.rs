//! Books and legs of each stream in a step.

use crate::evidence::StepSpan;
use crate::merge::{Closes, by_stream};
use crate::rows::Index;
use crate::{StreamLeg, StreamResult};
use std::collections::BTreeMap;
use terms::{Books, OUTCOMES};

/// Every stream that the step's load has, by its number.
pub(crate) fn streams(index: &Index<'_>, step: &StepSpan) -> Vec<StreamResult> {
    let mut books: BTreeMap<u16, Books> = BTreeMap::new();
    for row in index.iterations(step.number).filter(|row| row.stream != contract::NO_STREAM) {
        *books.entry(row.stream).or_default() += row.books;
    }
    if books.is_empty() {
        return Vec::new();
    }
    let mut legs: BTreeMap<u16, Vec<StreamLeg>> = BTreeMap::new();
    for (exchange, head) in index.head().exchanges.iter().enumerate().take(index.head().calls()) {
        for (leg, kind) in head.legs.iter().enumerate() {
            let merged = by_stream(index, (step.number, exchange as u16, leg as u8), |_| {});
            for (stream, closes) in merged {
                legs.entry(stream).or_default().push(leg_result(&head.name, &kind.name, &closes));
            }
        }
    }
    let of = |(stream, books): (u16, Books)| {
        let label = index.stream_label(step.number, stream)?;
        Some(StreamResult { label, books, legs: legs.remove(&stream).unwrap_or_default() })
    };
    books.into_iter().filter_map(of).collect()
}

fn leg_result(exchange: &str, leg: &str, closes: &Closes) -> StreamLeg {
    let named = OUTCOMES.into_iter().filter(|outcome| closes.outcomes[*outcome as usize] > 0);
    let (ok, times) = (closes.ok.count, closes.ok.times());
    StreamLeg {
        exchange: exchange.to_owned(),
        leg: leg.to_owned(),
        ok,
        failed: closes.failed.count,
        classes: named.map(|outcome| (outcome.name().to_owned(), closes.outcomes[outcome as usize])).collect(),
        mean_ms: (ok > 0).then(|| times.sum_ns() / ok as f64 / 1e6),
        max_ms: times.max().map(|time| time.as_millis_f64()),
    }
}
