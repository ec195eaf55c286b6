//! Evidence that is made anew: in one step, by one process, and never twice.

use super::*;
use crate::{Ending, MeetingHead, RecordError, RunState, Unfinished};

fn seconds(seconds: std::ops::Range<i64>) -> All {
    let row = |second| EngineRow { second, cpu_s: 0.5, ..EngineRow::default() };
    All { engine: seconds.map(row).collect(), ..All::default() }
}

/// A run whose writer was killed behind its second second.
fn killed(path: &Path) {
    let meeting = MeetingHead { url: "nats://127.0.0.1:4222".into(), ..MeetingHead::default() };
    let mut writer = create(path, &Head { meeting: Some(meeting), ..head() }, "study: Trial\n").unwrap();
    seconds(0..2).write(&mut writer);
    writer.sync().unwrap();
}

fn last(head: &Head) -> Head {
    Head { ending: Some(Ending { reason: "completed".into(), ..Ending::default() }), ..head.clone() }
}

#[test]
fn what_is_made_anew_takes_the_place_of_what_is_kept_beside_it() {
    let (_folder, path) = scratch();
    killed(&path);
    let left = Unfinished::take(&path).unwrap();
    assert_eq!(left.run().head.meeting.as_ref().unwrap().url, "nats://127.0.0.1:4222");
    assert_eq!(All::read(left.run()), seconds(0..2));
    // Somebody began before, and was killed.
    drop(left.write_anew(&left.run().head).unwrap());
    let mut writer = left.write_anew(&left.run().head).unwrap();
    seconds(0..5).write(&mut writer);
    let head = last(&left.run().head);
    assert_eq!(left.replace(writer, &head).unwrap(), path);
    let run = Run::open(&path).unwrap();
    assert_eq!((run.state, All::read(&run)), (RunState::Sealed, seconds(0..5)));
    let before = Run::open(path.join("before-collecting")).unwrap();
    assert_eq!((before.is_sealed(), All::read(&before)), (false, seconds(0..2)));
    assert!(!path.join(".collecting").exists());
    assert_eq!(Unfinished::take(&path).err(), Some(RecordError::Sealed { path }));
}

#[test]
fn only_one_may_make_it_anew_and_whoever_gives_up_changes_nothing() {
    let (_folder, path) = scratch();
    killed(&path);
    let left = Unfinished::take(&path).unwrap();
    assert!(matches!(Unfinished::take(&path), Err(RecordError::StillRunning { .. })));
    let mut writer = left.write_anew(&left.run().head).unwrap();
    seconds(0..9).write(&mut writer);
    drop((left, writer));
    assert_eq!(All::read(&Run::open(&path).unwrap()), seconds(0..2));
    Unfinished::take(&path).unwrap().seal_as_it_is().unwrap();
    let run = Run::open(&path).unwrap();
    assert!(run.is_sealed() && run.head.ending.as_ref().unwrap().is_killed);
    assert!(matches!(Unfinished::take(&path.join("evidence")), Err(RecordError::NotARun { .. })));
}
