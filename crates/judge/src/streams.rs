//! Books and legs of each stream in a step.

use crate::evidence::StepSpan;
use crate::row::times_of;
use crate::rows::Index;
use crate::{StreamLeg, StreamResult};
use std::collections::BTreeMap;
use terms::{Books, Histogram, OUTCOMES, Population};

/// What one leg of one stream came to.
#[derive(Default)]
struct Leg {
    ok: u64,
    failed: u64,
    outcomes: [u64; 16],
    times: Histogram,
}

/// Every stream that the step's load has, by its number.
pub(crate) fn streams(index: &Index<'_>, step: &StepSpan) -> Vec<StreamResult> {
    let mut books: BTreeMap<u16, Books> = BTreeMap::new();
    let mut legs: BTreeMap<(u16, u16, u8), Leg> = BTreeMap::new();
    for row in index.iterations(step.number).filter(|row| row.stream != contract::NO_STREAM) {
        *books.entry(row.stream).or_default() += row.books;
    }
    for row in index.legs_of(step.number).filter(|row| row.stream != contract::NO_STREAM) {
        let leg = legs.entry((row.stream, row.exchange, row.leg)).or_default();
        if row.population == Population::Ok {
            leg.ok += row.count;
            leg.times.merge_sparse(times_of(&row));
        } else {
            leg.failed += row.count;
        }
    }
    for row in index.outcomes_of(step.number).filter(|row| row.stream != contract::NO_STREAM) {
        let leg = legs.entry((row.stream, row.exchange, row.leg)).or_default();
        leg.outcomes[row.outcome as usize] += row.count;
    }
    let of = |(stream, books): (u16, Books)| {
        let own = legs.range((stream, 0, 0)..=(stream, u16::MAX, u8::MAX));
        Some(StreamResult {
            label: index.stream_label(step.number, stream)?,
            books,
            legs: own.filter_map(|((_, exchange, leg), found)| leg_result(index, (*exchange, *leg), found)).collect(),
        })
    };
    books.into_iter().filter_map(of).collect()
}

fn leg_result(index: &Index<'_>, (exchange, leg): (u16, u8), found: &Leg) -> Option<StreamLeg> {
    let head = index.head().exchanges.get(usize::from(exchange))?;
    let named = OUTCOMES.into_iter().filter(|outcome| found.outcomes[*outcome as usize] > 0);
    Some(StreamLeg {
        exchange: head.name.clone(),
        leg: head.legs.get(usize::from(leg))?.name.clone(),
        ok: found.ok,
        failed: found.failed,
        classes: named.map(|outcome| (outcome.name().to_owned(), found.outcomes[outcome as usize])).collect(),
        mean_ms: (found.ok > 0).then(|| found.times.sum_ns() / found.ok as f64 / 1e6),
        max_ms: found.times.max().map(|time| time.as_millis_f64()),
    })
}
