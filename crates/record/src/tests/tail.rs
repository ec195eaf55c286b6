//! Reading a run while it is written, however it ends.

use super::*;
use crate::{Ending, RecordError, SlowRow, Tail, seal_killed};
use terms::{Books, Nanos, Outcome, Population, SparseHistogram};

/// What one second of two threads leaves behind, with a sample, and now and then an event.
fn second(second: i64) -> All {
    let time = |index| SparseHistogram { buckets: vec![(index, 3)], min: Nanos(1), max: Nanos(9), sum_ns: 12.0 };
    let leg = |exchange| LegRow {
        step: 0,
        exchange,
        leg: 0,
        stream: u16::MAX,
        population: Population::Ok,
        intended_s: second,
        end_s: second,
        count: 3,
        units: 3,
        bytes: 30,
        below: vec![1],
        response: time(7),
        service: time(5),
    };
    let outcome = OutcomeRow {
        step: 0,
        exchange: 0,
        leg: 0,
        stream: u16::MAX,
        outcome: Outcome::Ok,
        intended_s: second,
        end_s: second,
        count: 3,
    };
    let books = Books { intended: 3, started: 3, completed: 3, ..Books::default() };
    let iteration = IterationRow { step: 0, stream: u16::MAX, intended_s: second, end_s: second, books };
    let at = Nanos::from_millis(second * 1000 + 500);
    let sample = SampleRow { at, monitor: 0, instance: "local".into(), metric: 0, value: Some(second as f64) };
    let event = EventRow { at, kind: "gone".into(), subject: "shop".into(), text: format!("at {second} s") };
    let slow = SlowRow {
        at: Nanos::from_millis(second * 1000 + 100),
        step: 0,
        exchange: 0,
        leg: 0,
        outcome: Outcome::Ok,
        time: Nanos::from_millis(200),
        trace: recorder::TraceId::new(7),
    };
    let engine = |worker| EngineRow { second, worker, ..EngineRow::default() };
    All {
        load: Folded {
            legs: vec![leg(0), leg(0)],
            starts: vec![StartRow {
                step: 0,
                exchange: 0,
                stream: u16::MAX,
                intended_s: second,
                started: 3,
                lateness: time(1),
            }],
            outcomes: vec![outcome],
            iterations: vec![iteration],
            slowest: vec![slow],
            ..Folded::default()
        },
        engine: vec![engine(0), engine(1)],
        samples: vec![sample],
        events: if second % 5 == 0 { vec![event] } else { Vec::new() },
        steps: if second == 0 { vec![StepMark { step: 0, at: Nanos::ZERO, is_end: false }] } else { Vec::new() },
        clocks: vec![ClockPair { at, wall: Nanos(at.0 + 77) }],
    }
}

/// Everything that was handed out, by kind; pairs of clocks are not.
#[derive(Default)]
struct Told(All);

impl Told {
    fn add(&mut self, seen: Vec<Observed>) -> usize {
        let count = seen.len();
        for seen in seen {
            match seen {
                Observed::Load(folded) => {
                    self.0.load.legs.extend(folded.legs);
                    self.0.load.starts.extend(folded.starts);
                    self.0.load.outcomes.extend(folded.outcomes);
                    self.0.load.iterations.extend(folded.iterations);
                    self.0.load.notes.extend(folded.notes);
                    self.0.load.slowest.extend(folded.slowest);
                }
                Observed::Engine(row) => self.0.engine.push(row),
                Observed::Step(mark) => self.0.steps.push(mark),
                Observed::Samples(rows) => self.0.samples.extend(rows),
                Observed::Event(row) => self.0.events.push(row),
            }
        }
        count
    }

    /// Reads until nothing more comes.
    fn drain(&mut self, tail: &mut Tail) -> usize {
        let mut count = 0;
        loop {
            let more = self.add(tail.next().unwrap());
            count += more;
            if more == 0 {
                return count;
            }
        }
    }
}

/// What the folder holds, as a finished run is read.
fn whole(path: &Path) -> All {
    All { clocks: Vec::new(), ..All::read(&Run::open(path).unwrap()) }
}

fn ending() -> Head {
    Head { ending: Some(Ending { reason: "completed".into(), ..Ending::default() }), ..head() }
}

#[test]
fn a_run_read_second_by_second_is_the_one_that_is_sealed() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    let (mut tail, mut told) = (Tail::open(&path).unwrap(), Told::default());
    assert_eq!((told.drain(&mut tail), tail.is_over()), (0, false));
    for at in 0..30 {
        second(at).write(&mut writer);
        assert_eq!(told.drain(&mut tail), 0, "what is not written has not come");
        writer.sync().unwrap();
        assert!(told.drain(&mut tail) > 0);
        assert_eq!(told.0.engine.len() as i64, 2 * (at + 1));
        assert_eq!(tail.wall(Nanos(5)), Nanos(82), "by the newest pair");
        // Full segments are followed by new ones.
        if at % 7 == 3 {
            writer.load().fill_up();
        }
    }
    writer.finish(&ending()).unwrap();
    told.drain(&mut tail);
    assert!(tail.is_over());
    assert_eq!(told.0, whole(&path));
    assert_eq!(tail.head().ending.as_ref().unwrap().reason, "completed");
    // From its beginning, once it is over.
    let (mut tail, mut told) = (Tail::open(&path).unwrap(), Told::default());
    told.drain(&mut tail);
    assert_eq!((told.0, tail.is_over()), (whole(&path), true));
}

#[test]
fn sealing_takes_nothing_from_whoever_reads() {
    // Seconds that are read before the seal, and whether the segment behind them is then full.
    for (read, is_full) in [(0, false), (0, true), (4, false), (4, true), (9, false)] {
        let (_folder, path) = scratch();
        let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
        let (mut tail, mut told) = (Tail::open(&path).unwrap(), Told::default());
        for at in 0..9 {
            second(at).write(&mut writer);
            writer.sync().unwrap();
            if at + 1 == read {
                told.drain(&mut tail);
            }
            if is_full && at == 5 {
                writer.load().fill_up();
            }
        }
        writer.finish(&ending()).unwrap();
        told.drain(&mut tail);
        assert!(tail.is_over());
        assert_eq!(told.0, whole(&path), "{read} {is_full}");
    }
}

#[test]
fn half_a_block_has_not_come_yet_and_is_torn_when_its_writer_has_died() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    second(0).write(&mut writer);
    writer.sync().unwrap();
    let segment = path.join("evidence/load/000001.segment");
    let before = std::fs::read(&segment).unwrap();
    second(1).write(&mut writer);
    writer.sync().unwrap();
    let after = std::fs::read(&segment).unwrap();
    let (mut tail, mut told) = (Tail::open(&path).unwrap(), Told::default());
    for length in before.len()..after.len() {
        std::fs::write(&segment, &after[..length]).unwrap();
        told.add(tail.next().unwrap());
        assert!(!tail.is_over());
    }
    assert_eq!(told.0.engine.len(), 3, "the last row of the second is still missing");
    drop(writer);
    told.drain(&mut tail);
    assert!(tail.is_over());
    assert_eq!(told.0, whole(&path));
    assert!(tail.head().ending.as_ref().unwrap().is_killed);
    // A seal behind it changes nothing of that.
    seal_killed(&path).unwrap();
    assert_eq!((tail.next().unwrap(), told.0), (Vec::new(), whole(&path)));
}

#[test]
fn steps_that_a_search_adds_are_known_before_they_are_told() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    let mut tail = Tail::open(&path).unwrap();
    let mut more = head();
    more.steps.push(StepHead { id: "hold".into(), ..StepHead::default() });
    writer.update_head(&more).unwrap();
    writer.add(&Observed::Step(StepMark { step: 1, at: Nanos(5), is_end: false })).unwrap();
    writer.sync().unwrap();
    let seen = tail.next().unwrap();
    assert!(matches!(seen.as_slice(), [Observed::Step(StepMark { step: 1, .. })]), "{seen:?}");
    assert_eq!(tail.head().steps.len(), 2);
}

#[test]
fn a_long_run_is_handed_out_in_pieces_in_order_of_time() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    for at in 0..40 {
        let mut rows = second(at);
        let long = rows.load.legs[0].clone();
        let buckets = (0..4000).map(|index| (index, 1)).collect();
        let long = LegRow { service: SparseHistogram { buckets, ..SparseHistogram::default() }, ..long };
        rows.load.legs = vec![long; 10];
        rows.write(&mut writer);
        writer.sync().unwrap();
    }
    for is_sealed in [false, true] {
        let mut tail = Tail::open(&path).unwrap();
        let (mut pieces, mut latest) = (0, 0);
        while !tail.is_over() {
            let seen = tail.next().unwrap();
            let legs = |seen: &Observed| if let Observed::Load(folded) = seen { folded.legs.len() } else { 0 };
            let count: usize = seen.iter().map(legs).sum();
            assert!(count < 200, "{count} rows of 64 kB at once");
            pieces += usize::from(count > 0);
            for seen in &seen {
                let at = match seen {
                    Observed::Engine(row) => row.second,
                    Observed::Samples(rows) => rows[0].at.second(),
                    _ => continue,
                };
                assert!(at >= latest, "{at} behind {latest}");
                latest = at;
            }
            if !is_sealed && pieces == 1 {
                break;
            }
        }
        if is_sealed {
            assert!(pieces > 2);
        } else {
            writer.sync().unwrap();
            assert!(latest < 20, "all streams go on together: {latest}");
            // For the second round.
            let unfinished = std::mem::replace(&mut writer, create(&path.with_extension("2"), &head(), "").unwrap());
            unfinished.finish(&ending()).unwrap();
        }
    }
}

#[test]
fn nothing_in_a_folder_makes_it_panic() {
    let (_folder, path) = scratch();
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    for at in 0..3 {
        second(at).write(&mut writer);
    }
    writer.sync().unwrap();
    for stream in ["load", "watch", "events"] {
        let segment = path.join(format!("evidence/{stream}/000001.segment"));
        let good = std::fs::read(&segment).unwrap();
        for place in (0..good.len()).step_by(3) {
            let mut bad = good.clone();
            bad[place] ^= 0x55;
            std::fs::write(&segment, &bad).unwrap();
            let mut tail = Tail::open(&path).unwrap();
            let mut told = Told::default();
            while let Ok(seen) = tail.next()
                && told.add(seen) > 0
            {}
        }
        std::fs::write(&segment, &good).unwrap();
    }
    // The segment of another stream is refused, as by `Run`.
    let events = std::fs::read(path.join("evidence/events/000001.segment")).unwrap();
    std::fs::write(path.join("evidence/load/000001.segment"), events).unwrap();
    let error = Tail::open(&path).unwrap().next().unwrap_err();
    assert!(error.to_string().contains("holds rows of `events`"), "{error}");
    std::fs::write(path.join("evidence/run.json"), "{").unwrap();
    assert!(matches!(Tail::open(&path), Err(RecordError::NotARun { .. })));
}
