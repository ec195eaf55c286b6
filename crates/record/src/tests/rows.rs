//! What is written is what is read, through segments and through tables.

use super::*;
use crate::RunState;
use proptest::collection::vec;
use proptest::prelude::*;
use recorder::TraceId;
use terms::{Books, Buckets, Histogram, Nanos, OUTCOMES, Outcome, Population, SparseHistogram};

fn histogram() -> impl Strategy<Value = SparseHistogram> {
    let anywhere = vec((0..Buckets::LEN as u32, 1..u64::from(u32::MAX)), 0..20).prop_map(|pairs| {
        let mut histogram = Histogram::new();
        for (index, count) in pairs {
            histogram.record_n(Buckets::low(index), count);
        }
        histogram.to_sparse()
    });
    prop_oneof![anywhere, Just(SparseHistogram::default())]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    (0..OUTCOMES.len()).prop_map(|number| OUTCOMES[number])
}

fn text() -> impl Strategy<Value = String> {
    // Anything a server may have sent: controls, quotes, other scripts, nothing at all.
    vec(any::<char>(), 0..20).prop_map(|letters| letters.into_iter().collect())
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..200u64, any::<u64>()]
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(-0.0), any::<f64>().prop_filter("equality needs a number", |value| !value.is_nan())]
}

/// None, the first, and others.
fn stream_of(number: u32) -> u16 {
    if number.is_multiple_of(4) { recorder::NO_STREAM } else { (number / 4 % 300) as u16 }
}

fn leg() -> impl Strategy<Value = LegRow> {
    let key = (any::<u32>(), any::<u16>(), any::<u8>(), any::<bool>(), any::<i64>(), any::<i64>());
    let counts = (number(), number(), number(), vec(number(), 0..4));
    (key, counts, histogram(), histogram()).prop_map(|(key, counts, response, service)| LegRow {
        step: key.0 % 3,
        exchange: key.1 % 3,
        leg: key.2 % 3,
        stream: stream_of(key.0),
        population: if key.3 { Population::Ok } else { Population::Failed },
        intended_s: key.4,
        end_s: key.5,
        count: counts.0,
        units: counts.1,
        bytes: counts.2,
        below: counts.3,
        response,
        service,
    })
}

fn folded() -> impl Strategy<Value = Folded> {
    let starts = (any::<u32>(), any::<u16>(), any::<i64>(), number(), histogram()).prop_map(
        |(step, exchange, intended_s, started, lateness)| {
            let stream = stream_of(step);
            StartRow { step, exchange, stream, intended_s, started, lateness }
        },
    );
    let outcomes = (any::<u32>(), any::<u16>(), any::<u8>(), outcome(), any::<i64>(), any::<i64>(), number()).prop_map(
        |(step, exchange, leg, outcome, intended_s, end_s, count)| OutcomeRow {
            step,
            exchange,
            leg,
            stream: stream_of(step),
            outcome,
            intended_s,
            end_s,
            count,
        },
    );
    let books = (number(), number(), number(), number(), number(), number()).prop_map(|counts| Books {
        intended: counts.0,
        started: counts.1,
        dropped: counts.2,
        completed: counts.3,
        failed: counts.4,
        aborted: counts.5,
    });
    let iterations = (any::<u32>(), any::<i64>(), any::<i64>(), books).prop_map(|(step, intended_s, end_s, books)| {
        let stream = stream_of(step);
        IterationRow { step, stream, intended_s, end_s, books }
    });
    let trace = || any::<u128>().prop_map(|bits| TraceId::new(if bits % 3 == 0 { 0 } else { bits }));
    let notes = (any::<i64>(), any::<u32>(), any::<u16>(), outcome(), text(), trace()).prop_map(
        |(at, step, exchange, outcome, text, trace)| NoteRow { at: Nanos(at), step, exchange, outcome, text, trace },
    );
    let slowest = (any::<i64>(), any::<u32>(), any::<u16>(), any::<u8>(), outcome(), any::<i64>(), trace()).prop_map(
        |(at, step, exchange, leg, outcome, time, trace)| {
            let (at, time) = (Nanos(at), Nanos(time));
            SlowRow { at, step, exchange, leg, outcome, time, trace }
        },
    );
    let load = (vec(leg(), 0..6), vec(starts, 0..6), vec(outcomes, 0..6), vec(iterations, 0..6));
    (load, vec(notes, 0..6), vec(slowest, 0..6)).prop_map(|((legs, starts, outcomes, iterations), notes, slowest)| {
        Folded { legs, starts, outcomes, iterations, notes, slowest }
    })
}

fn engine() -> impl Strategy<Value = EngineRow> {
    let whole = (any::<i64>(), any::<u16>(), any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>());
    (whole, finite(), finite(), finite()).prop_map(|(whole, in_flight_mean, cpu_s, run_queue_s)| EngineRow {
        second: whole.0,
        worker: whole.1,
        step: whole.2,
        in_flight_mean,
        in_flight_max: whole.3,
        waiting_max: whole.4,
        sessions: whole.5,
        awaiting_max: whole.5 / 2,
        cpu_s,
        run_queue_s,
    })
}

pub(super) fn all() -> impl Strategy<Value = All> {
    let sample = (any::<i64>(), 0..3u16, text(), 0..3u16, proptest::option::of(finite())).prop_map(
        |(at, monitor, instance, metric, value)| SampleRow { at: Nanos(at), monitor, instance, metric, value },
    );
    let event = (any::<i64>(), text(), text(), text()).prop_map(|(at, kind, subject, text)| EventRow {
        at: Nanos(at),
        kind,
        subject,
        text,
    });
    let step = (any::<u32>(), any::<i64>(), any::<bool>()).prop_map(|(step, at, is_end)| StepMark {
        step,
        at: Nanos(at),
        is_end,
    });
    let clock = (any::<i64>(), any::<i64>()).prop_map(|(at, wall)| ClockPair { at: Nanos(at), wall: Nanos(wall) });
    (folded(), vec(engine(), 0..6), vec(sample, 0..6), vec(event, 0..6), vec(step, 0..6), vec(clock, 0..6))
        .prop_map(|(load, engine, samples, events, steps, clocks)| All { load, engine, samples, events, steps, clocks })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rows_are_the_same_through_segments_and_through_tables(first in all(), second in all()) {
        let (_folder, path) = scratch();
        let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
        first.write(&mut writer);
        second.write(&mut writer);
        writer.sync().unwrap();
        let open = Run::open(&path).unwrap();
        prop_assert_eq!(open.state, RunState::Unsealed);
        let from_segments = All::read(&open);
        let mut expected = first;
        expected.load.legs.extend(second.load.legs);
        expected.load.starts.extend(second.load.starts);
        expected.load.outcomes.extend(second.load.outcomes);
        expected.load.iterations.extend(second.load.iterations);
        expected.load.notes.extend(second.load.notes);
        expected.load.slowest.extend(second.load.slowest);
        expected.engine.extend(second.engine);
        expected.samples.extend(second.samples);
        expected.events.extend(second.events);
        expected.steps.extend(second.steps);
        expected.clocks.extend(second.clocks);
        prop_assert_eq!(&from_segments, &expected);

        writer.finish(&head()).unwrap();
        let sealed = Run::open(&path).unwrap();
        prop_assert_eq!((sealed.state, &sealed.altered), (RunState::Sealed, &Vec::new()));
        prop_assert_eq!(All::read(&sealed), expected);
    }
}

#[test]
fn many_rows_cross_blocks_batches_and_row_groups() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "").unwrap();
    let rows: Vec<_> = (0..150_000)
        .map(|number| SampleRow {
            at: Nanos(number),
            monitor: 0,
            instance: format!("shop.{}", number % 7),
            metric: 0,
            value: (number % 11 > 0).then_some(number as f64 / 3.0),
        })
        .collect();
    for some in rows.chunks(1000) {
        writer.write(Entry::Samples(some.to_vec())).unwrap();
    }
    writer.finish(&head()).unwrap();
    let read: Vec<_> = Run::open(&path).unwrap().samples().unwrap().map(Result::unwrap).collect();
    assert!(read == rows, "150,000 rows read as they were written");
}

#[test]
fn an_ungainly_histogram_fits_a_block() {
    // Every bucket touched, with the longest counts: the largest row there is.
    let all_buckets = || {
        let buckets = (0..Buckets::LEN as u32).map(|index| (index, u64::MAX >> 1)).collect();
        SparseHistogram { buckets, min: Nanos::ZERO, max: Nanos::MAX, sum_ns: 1e300 }
    };
    let row = LegRow {
        step: 0,
        exchange: 0,
        leg: 0,
        stream: recorder::NO_STREAM,
        population: Population::Ok,
        intended_s: 0,
        end_s: 0,
        count: 1,
        units: 1,
        bytes: 1,
        below: vec![u64::MAX; 100],
        response: all_buckets(),
        service: all_buckets(),
    };
    let all = All { load: Folded { legs: vec![row; 3], ..Folded::default() }, ..All::default() };
    let (_folder, path) = scratch();
    killed_run(&path, &all);
    assert!(All::read(&Run::open(&path).unwrap()) == all);
    crate::seal_killed(&path).unwrap();
    assert!(All::read(&Run::open(&path).unwrap()) == all);
}
