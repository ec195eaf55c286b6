//! What one process recorded, as bytes for another that writes the record: a load node hands its seconds to whoever
//! conducts the run.
//!
//! The rows have the form that they have in segments, and whoever takes them checks them as a reader of a folder does.

use crate::encoding::{Input, put_u64};
use crate::entry::{Opened, opened};
use crate::row::{Row, take_all};
use crate::{EngineRow, Entry, EventRow, Observed, SampleRow, StepMark};
use recorder::{Folded, IterationRow, LegRow, NoteRow, OutcomeRow, SlowRow, StartRow};

/// An entry as bytes, folded, and what the drivers of the thread counted by themselves beside it. Pairs of clocks stay
/// where they are: whoever writes the record has its own.
pub fn carry(entry: Entry) -> Option<(Vec<u8>, Vec<i64>)> {
    let mut counters = Vec::new();
    let seen = match entry {
        Entry::Load(mut batch) => {
            counters = std::mem::take(&mut batch.counters);
            Observed::Load(batch.fold())
        }
        other => match opened(other) {
            Opened::Observed(seen) => seen,
            Opened::Clock(_) => return None,
        },
    };
    Some((bytes_of(&seen), counters))
}

fn bytes_of(seen: &Observed) -> Vec<u8> {
    let mut out = Vec::new();
    match seen {
        Observed::Load(folded) => {
            put_rows(&mut out, &folded.legs);
            put_rows(&mut out, &folded.starts);
            put_rows(&mut out, &folded.outcomes);
            put_rows(&mut out, &folded.iterations);
            put_rows(&mut out, &folded.notes);
            put_rows(&mut out, &folded.slowest);
        }
        Observed::Engine(row) => put_rows(&mut out, std::slice::from_ref(row)),
        Observed::Step(mark) => put_rows(&mut out, std::slice::from_ref(mark)),
        Observed::Samples(rows) => put_rows(&mut out, rows),
        Observed::Event(row) => put_rows(&mut out, std::slice::from_ref(row)),
    }
    out
}

fn put_rows<T: Row>(out: &mut Vec<u8>, rows: &[T]) {
    if rows.is_empty() {
        return;
    }
    let mut payload = Vec::new();
    rows.iter().for_each(|row| row.put(&mut payload));
    out.push(T::KIND);
    put_u64(out, payload.len() as u64);
    out.extend_from_slice(&payload);
}

/// What [`carry`] made bytes of; `None` where they are not that, as a whole.
pub fn carried(bytes: &[u8]) -> Option<Vec<Observed>> {
    let mut input = Input(bytes);
    let (mut folded, mut all) = (Folded::default(), Vec::new());
    while !input.is_empty() {
        let kind = input.u8()?;
        let length: usize = input.small()?;
        let (payload, rest) = input.0.split_at_checked(length)?;
        input = Input(rest);
        match kind {
            LegRow::KIND => folded.legs.extend(take_all::<LegRow>(payload)?),
            StartRow::KIND => folded.starts.extend(take_all::<StartRow>(payload)?),
            OutcomeRow::KIND => folded.outcomes.extend(take_all::<OutcomeRow>(payload)?),
            IterationRow::KIND => folded.iterations.extend(take_all::<IterationRow>(payload)?),
            NoteRow::KIND => folded.notes.extend(take_all::<NoteRow>(payload)?),
            SlowRow::KIND => folded.slowest.extend(take_all::<SlowRow>(payload)?),
            EngineRow::KIND => all.extend(take_all::<EngineRow>(payload)?.into_iter().map(Observed::Engine)),
            SampleRow::KIND => all.push(Observed::Samples(take_all(payload)?)),
            EventRow::KIND => all.extend(take_all::<EventRow>(payload)?.into_iter().map(Observed::Event)),
            StepMark::KIND => all.extend(take_all::<StepMark>(payload)?.into_iter().map(Observed::Step)),
            _ => return None,
        }
    }
    if folded != Folded::default() {
        // A thread's own row closes the second of what came with it.
        all.insert(0, Observed::Load(folded));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use terms::{Books, Nanos};

    fn iteration(second: i64, intended: u64) -> IterationRow {
        let books = Books { intended, started: intended, completed: intended, ..Books::default() };
        IterationRow { step: 3, stream: 1, intended_s: second, end_s: second, books }
    }

    proptest! {
        #[test]
        fn what_is_carried_arrives_as_it_was(
            rows in proptest::collection::vec((0i64..100_000, 1u64..1_000_000), 0..20),
            samples in proptest::collection::vec((0i64..1_000_000_000, proptest::option::of(-1e9f64..1e9)), 1..9),
        ) {
            let iterations: Vec<_> = rows.iter().map(|&(second, intended)| iteration(second, intended)).collect();
            let load = Observed::Load(Folded { iterations: iterations.clone(), ..Folded::default() });
            let (bytes, _) = carry(Entry::Seen(load.clone())).unwrap();
            let expected = if iterations.is_empty() { Vec::new() } else { vec![load] };
            prop_assert_eq!(carried(&bytes).unwrap(), expected);
            let sample = |&(at, value): &(i64, Option<f64>)| SampleRow {
                at: Nanos(at), monitor: 2, instance: "node-2".into(), metric: 1, value,
            };
            let samples: Vec<_> = samples.iter().map(sample).collect();
            let (bytes, _) = carry(Entry::Samples(samples.clone())).unwrap();
            prop_assert_eq!(carried(&bytes).unwrap(), vec![Observed::Samples(samples)]);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = carried(&bytes);
        }

        #[test]
        fn what_is_cut_off_is_refused(cut in 1usize..12) {
            let row = EngineRow { second: 5, worker: 1, cpu_s: 0.25, ..EngineRow::default() };
            let (bytes, _) = carry(Entry::Engine(row)).unwrap();
            prop_assert_eq!(carried(&bytes[..bytes.len() - cut]), None);
        }
    }
}
