//! What was done, in all and by agreement: the numbers that a run is reconciled against.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde_json::{Map, Value, json};

use crate::agreement::Agreements;
use crate::wire::envelope::Code;

/// What is counted for each agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// Envelopes that name the agreement, whatever came of them.
    Received,
    /// Messages stored, those found wrong and signals among them; duplicates are not.
    Stored,
    /// Pings stored and found right.
    PingsStored,
    /// Business messages stored and found right.
    BusinessStored,
    PayloadsStored,
    /// Messages whose id was stored already.
    Duplicates,
    PongsStored,
    PongsDelivered,
    AcksStored,
    /// Acknowledgments whose first delivery was withheld on purpose.
    AcksWithheld,
    AcksDelivered,
    AcksReceived,
    RepliesStored,
    /// Business replies delivered; if an acknowledgment was asked for, acknowledged.
    RepliesDelivered,
    /// `MessageError` stored to be sent.
    ErrorsStored,
    ErrorsDelivered,
    ErrorsReceived,
    /// Stored replies that were sent again for a duplicate.
    Resends,
    /// Attempts to send that failed.
    AttemptsFailed,
    /// Attempts to send after the first.
    Retries,
    DeliveryFailed,
    Expired,
}

const NAMES: [(Count, &str); 22] = [
    (Count::Received, "received"),
    (Count::Stored, "stored"),
    (Count::PingsStored, "pings_stored"),
    (Count::BusinessStored, "business_stored"),
    (Count::PayloadsStored, "payloads_stored"),
    (Count::Duplicates, "duplicates"),
    (Count::PongsStored, "pongs_stored"),
    (Count::PongsDelivered, "pongs_delivered"),
    (Count::AcksStored, "acks_stored"),
    (Count::AcksWithheld, "acks_withheld"),
    (Count::AcksDelivered, "acks_delivered"),
    (Count::AcksReceived, "acks_received"),
    (Count::RepliesStored, "replies_stored"),
    (Count::RepliesDelivered, "replies_delivered"),
    (Count::ErrorsStored, "errors_stored"),
    (Count::ErrorsDelivered, "errors_delivered"),
    (Count::ErrorsReceived, "errors_received"),
    (Count::Resends, "resends"),
    (Count::AttemptsFailed, "attempts_failed"),
    (Count::Retries, "retries"),
    (Count::DeliveryFailed, "delivery_failed"),
    (Count::Expired, "expired"),
];

/// Counters of one agreement.
struct Row {
    counts: [AtomicU64; NAMES.len()],
    codes: [AtomicU64; Code::ALL.len()],
}

impl Row {
    fn new() -> Self {
        Self { counts: std::array::from_fn(|_| AtomicU64::new(0)), codes: std::array::from_fn(|_| AtomicU64::new(0)) }
    }
}

/// All counters; each counts from the start of the process.
pub(crate) struct MessageCounters {
    rows: BTreeMap<String, Row>,
    /// Requests answered with a SOAP fault.
    pub(crate) faults: AtomicU64,
    /// Requests answered with 503: no place in the pool in time, or no store.
    pub(crate) unavailable: AtomicU64,
}

impl MessageCounters {
    /// For these agreements.
    pub(crate) fn new(agreements: &Agreements) -> Self {
        Self {
            rows: agreements.keys().map(|id| (id.clone(), Row::new())).collect(),
            faults: AtomicU64::new(0),
            unavailable: AtomicU64::new(0),
        }
    }

    /// Counts one for an agreement.
    pub(crate) fn add(&self, cpa_id: &str, count: Count) {
        self.add_many(cpa_id, count, 1);
    }

    /// Counts several for an agreement.
    pub(crate) fn add_many(&self, cpa_id: &str, count: Count, number: u64) {
        if let Some(row) = self.rows.get(cpa_id) {
            row.counts[count as usize].fetch_add(number, Relaxed);
        }
    }

    /// Counts an entry of an error list that is sent.
    pub(crate) fn add_code(&self, cpa_id: &str, code: Code) {
        if let Some(row) = self.rows.get(cpa_id) {
            row.codes[code as usize].fetch_add(1, Relaxed);
        }
    }

    /// `messages` in all, with `errors` by code; and the same for each agreement under `cpas`.
    pub(crate) fn to_json(&self) -> Map<String, Value> {
        let mut sums = [0u64; NAMES.len()];
        let mut code_sums = [0u64; Code::ALL.len()];
        let mut cpas = Map::new();
        for (id, row) in &self.rows {
            let counts: Vec<u64> = row.counts.iter().map(|count| count.load(Relaxed)).collect();
            let codes: Vec<u64> = row.codes.iter().map(|count| count.load(Relaxed)).collect();
            sums.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += count);
            code_sums.iter_mut().zip(&codes).for_each(|(sum, count)| *sum += count);
            cpas.insert(id.clone(), shown(&counts, &codes).into());
        }
        let mut messages = shown(&sums, &code_sums);
        messages.insert("faults".to_owned(), self.faults.load(Relaxed).into());
        messages.insert("unavailable".to_owned(), self.unavailable.load(Relaxed).into());
        let mut all = Map::new();
        all.insert("messages".to_owned(), messages.into());
        all.insert("cpas".to_owned(), cpas.into());
        all
    }
}

fn shown(counts: &[u64], codes: &[u64]) -> Map<String, Value> {
    let mut all: Map<String, Value> =
        NAMES.iter().map(|(count, name)| ((*name).to_owned(), counts[*count as usize].into())).collect();
    let named = Code::ALL.iter().map(|code| (code.name().to_owned(), Value::from(codes[*code as usize])));
    all.insert("errors".to_owned(), json!(named.collect::<Map<_, _>>()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_the_counts() {
        for (place, (count, _)) in NAMES.iter().enumerate() {
            assert_eq!(*count as usize, place);
        }
        for (place, code) in Code::ALL.iter().enumerate() {
            assert_eq!(*code as usize, place);
        }
    }
}
