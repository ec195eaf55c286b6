//! A process that is killed with SIGKILL while it records.

use super::*;
use crate::{Recording, RunState, seal_killed};
use clock::Clock;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use terms::Nanos;

const FOLDER: &str = "RECORD_TEST_FOLDER";

/// Not a test of its own: what the killed process does. Says each second that it has seen synced.
#[test]
#[ignore = "is started by the test below, in a process of its own"]
fn records_until_it_is_killed() {
    let Ok(path) = std::env::var(FOLDER) else { return };
    let path = PathBuf::from(path);
    let clock = Clock::system();
    let recording = Recording::start(create(&path, &head(), "").unwrap(), clock.clone(), Box::new(|_| ())).unwrap();
    let handle = recording.handle();
    for second in 0.. {
        handle.send(Entry::Engine(EngineRow { second, ..EngineRow::default() }));
        // Twenty rows a second, so that the record is always in the midst of something.
        clock.sleep_until(Nanos::from_millis(50 * second));
        if second % 20 == 19 {
            println!("sent {second}");
        }
    }
}

#[test]
fn killed_with_sigkill_a_recording_keeps_what_is_older_than_two_syncs() {
    let (_folder, path) = scratch();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::killed::records_until_it_is_killed", "--ignored", "--nocapture"])
        .env(FOLDER, &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // Row 59 is said to be sent 2.95 s after the start; by then the sync of the second second is over.
    let is_sent = lines.map_while(Result::ok).any(|line| line.contains("sent 59"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_sent, "the process ended by itself");

    let run = Run::open(&path).unwrap();
    assert!(run.head.ending.as_ref().is_some_and(|ending| ending.is_killed) && run.state != RunState::Sealed);
    let kept: Vec<_> = run.engine().unwrap().map(|row| row.unwrap().second).collect();
    assert!(kept.iter().copied().eq(0..kept.len() as i64), "rows without a gap");
    // One second of rows may wait for a sync that is due, and one more for a disk that is slow.
    assert!(kept.len() >= 20, "{} rows of 60 were kept", kept.len());
    assert_eq!(run.clocks().unwrap().len(), 1);
    seal_killed(&path).unwrap();
    assert_eq!(Run::open(&path).unwrap().head.ending.unwrap().reason, "interrupted");
}
