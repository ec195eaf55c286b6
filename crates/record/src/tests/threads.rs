//! The recording thread.

use super::*;
use crate::{RecordError, Recording, RunState};
use clock::Clock;
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::sync::{Arc, Mutex};
use terms::Nanos;

fn engine(second: i64) -> Entry {
    Entry::Engine(EngineRow { second, ..EngineRow::default() })
}

#[test]
fn everything_sent_is_written_and_shown_in_order() {
    let (_folder, path) = scratch();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let observed = Arc::clone(&seen);
    let clock = Clock::simulated();
    let writer = create(&path, &head(), "").unwrap();
    let observer = move |entry: &Observed| observed.lock().unwrap().push(entry.clone());
    let recording = Recording::start(writer, clock.clone(), Box::new(observer)).unwrap();
    let handle = recording.handle();
    // More than may wait: in simulated time sending waits for its place.
    for second in 0..10_000 {
        handle.send(engine(second));
    }
    clock.advance_to(Nanos::from_secs(10_000));
    let later = Head { system: "shop".into(), ..head() };
    handle.update_head(&later);
    assert_eq!(recording.finish(&later), Ok(path.clone()));
    let run = Run::open(&path).unwrap();
    assert!(run.engine().unwrap().map(|row| row.unwrap().second).eq(0..10_000));
    let wall = |at: Nanos| Clock::simulated().wall() + at;
    let pair = |at| ClockPair { at, wall: wall(at) };
    assert_eq!(run.clocks().unwrap(), [pair(Nanos::ZERO), pair(Nanos::from_secs(10_000))]);
    let expected: Vec<_> =
        (0..10_000).map(|second| Observed::Engine(EngineRow { second, ..EngineRow::default() })).collect();
    assert!(*seen.lock().unwrap() == expected);
}

/// A recording in real time whose observer, and so whose thread, stands still until told.
fn held_recording(path: &Path) -> (Recording, Receiver<()>, std::sync::mpsc::Sender<()>) {
    let (go, wait) = channel::<()>();
    let (arrived, has_arrived) = sync_channel(0);
    let mut is_first = true;
    let observer = move |_: &Observed| {
        if std::mem::take(&mut is_first) {
            arrived.send(()).unwrap();
            wait.recv().unwrap();
        }
    };
    let writer = create(path, &head(), "").unwrap();
    (Recording::start(writer, Clock::system(), Box::new(observer)).unwrap(), has_arrived, go)
}

#[test]
fn a_disk_that_cannot_keep_up_never_stops_the_load_but_fails_the_record() {
    let (_folder, path) = scratch();
    let (recording, has_arrived, go) = held_recording(&path);
    let handle = recording.handle();
    handle.send(engine(0));
    has_arrived.recv().unwrap();
    // The thread stands; 4,096 entries may wait, and ten are too many.
    for second in 1..=4096 + 10 {
        handle.send(engine(second));
    }
    assert!(handle.is_failed());
    assert_eq!(recording.failure(), Some(RecordError::Lost { lost: 10 }));
    go.send(()).unwrap();
    assert_eq!(recording.finish(&head()), Err(RecordError::Lost { lost: 10 }));
    let run = Run::open(&path).unwrap();
    assert_eq!((run.state, run.engine().unwrap().count()), (RunState::Sealed, 4097));
    let events = run.events().unwrap();
    assert_eq!((events.len(), events[0].kind.as_str()), (1, "lost"));
    assert!(events[0].text.starts_with("10 entries"), "{}", events[0].text);
}

#[test]
fn what_comes_after_the_end_is_counted_as_lost_and_harms_nobody() {
    let (_folder, path) = scratch();
    let recording =
        Recording::start(create(&path, &head(), "").unwrap(), Clock::simulated(), Box::new(|_| ())).unwrap();
    let handle = recording.handle();
    recording.finish(&head()).unwrap();
    handle.send(engine(0));
    assert!(handle.is_failed());
}

#[test]
fn an_observer_that_panics_is_told_and_the_record_can_be_read() {
    let (_folder, path) = scratch();
    let observer = |_: &Observed| panic!("a defect on purpose");
    let recording =
        Recording::start(create(&path, &head(), "").unwrap(), Clock::simulated(), Box::new(observer)).unwrap();
    recording.handle().send(engine(0));
    assert_eq!(recording.finish(&head()), Err(RecordError::Thread));
    assert_eq!(Run::open(&path).unwrap().state, RunState::Unsealed);
}

#[test]
fn what_another_process_recorded_waits_for_a_slow_disk_and_is_not_lost() {
    let (_folder, path) = scratch();
    let (recording, has_arrived, go) = held_recording(&path);
    let handle = recording.handle();
    // More than may wait.
    let sending = std::thread::spawn(move || (0..6000).for_each(|second| handle.send_in_turn(engine(second))));
    has_arrived.recv().unwrap();
    go.send(()).unwrap();
    sending.join().unwrap();
    assert_eq!(recording.finish(&head()), Ok(path.clone()));
    let run = Run::open(&path).unwrap();
    assert!(run.engine().unwrap().map(|row| row.unwrap().second).eq(0..6000));
}
