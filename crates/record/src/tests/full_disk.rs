//! A disk that is full: the run stops, what was written stays.

use super::*;
use crate::segment::Sink;
use crate::{RecordError, Recording, RunState, seal_killed};
use clock::Clock;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::process::Command;
use terms::Nanos;

/// Takes so many bytes, and then none.
struct Full {
    file: File,
    room: usize,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(io::Error::from_raw_os_error(28)); // ENOSPC
        }
        let written = self.file.write(&bytes[..bytes.len().min(self.room)])?;
        self.room -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Full {
    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

fn engine(second: i64) -> EngineRow {
    EngineRow { second, ..EngineRow::default() }
}

/// A writer whose load has room for so many bytes only.
fn writer_with_room(path: &Path, room: usize) -> Writer {
    let mut writer = create(path, &head(), "").unwrap();
    let file = OpenOptions::new().append(true).open(path.join("evidence/load/000001.segment")).unwrap();
    writer.load().replace_sink(Box::new(Full { file, room }));
    writer
}

#[test]
fn a_full_disk_is_told_and_what_was_written_stays() {
    let (_folder, path) = scratch();
    let mut writer = writer_with_room(&path, 1001);
    let mut failure = None;
    for second in 0..100 {
        failure = writer.write(Entry::Engine(engine(second))).and_then(|()| writer.sync()).err();
        if failure.is_some() {
            break;
        }
    }
    let failure = failure.unwrap();
    let message = failure.to_string();
    assert!(message.contains("load/000001.segment`: No space left on device (os error 28); free space"), "{message}");
    assert_eq!(writer.write(Entry::Engine(engine(101))), Err(failure.clone()));
    let last = Head { ending: Some(crate::Ending { reason: "generator".into(), ..Default::default() }), ..head() };
    assert_eq!(writer.finish(&last), Err(failure));

    let run = Run::open(&path).unwrap();
    assert!(matches!(run.state, RunState::Torn { .. }));
    let ending = run.head.ending.clone().unwrap();
    assert_eq!((ending.reason.as_str(), ending.is_killed, ending.cut_ns.is_some()), ("generator", false, true));
    let kept = run.engine().unwrap().count();
    assert!(kept > 10, "{kept} rows");
    seal_killed(&path).unwrap();
    let sealed = Run::open(&path).unwrap();
    assert_eq!((sealed.engine().unwrap().count(), sealed.head.ending), (kept, run.head.ending));
}

#[test]
fn a_recording_tells_everybody_that_the_disk_is_full() {
    let (_folder, path) = scratch();
    let recording = Recording::start(writer_with_room(&path, 50), Clock::simulated(), Box::new(|_| ())).unwrap();
    let handle = recording.handle();
    for second in 0..100 {
        handle.send(Entry::Engine(engine(second)));
    }
    let error = recording.finish(&head()).unwrap_err();
    assert!(matches!(error, RecordError::Io { kind: io::ErrorKind::StorageFull, .. }), "{error:?}");
    assert!(handle.is_failed());
}

/// A real file system of 1 MiB, unmounted when it goes.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(place: &'a Path) -> Option<Self> {
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(place).output();
        mount.is_ok_and(|output| output.status.success()).then_some(Self(place))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(self.0).status());
    }
}

#[test]
fn a_real_disk_of_one_mebibyte_fills_up_and_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_disk) = SmallDisk::mount(folder.path()) else {
        println!("skipped: this test may not mount a file system here");
        return;
    };
    let path = folder.path().join("run");
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    // No text is like another, so that the tables need as much room as the segments.
    let noise = |number: i64| -> String {
        (0..250).map(|part| format!("{:016x}", terms::seed::hash(number as u64, part))).collect()
    };
    let mut written = 0;
    let error = loop {
        let event = EventRow { at: Nanos(written), kind: "k".into(), subject: "s".into(), text: noise(written) };
        match writer.write(Entry::Event(event)).and_then(|()| writer.sync()) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, RecordError::Io { kind: io::ErrorKind::StorageFull, .. }), "{error:?}");
    // The disk is full, and the run says so all the same: room was kept for it.
    let ending = crate::Ending { reason: "generator".into(), text: error.to_string(), ..Default::default() };
    let last = Head { ending: Some(ending.clone()), ..head() };
    assert_eq!(writer.finish(&last), Err(error));
    let run = Run::open(&path).unwrap();
    let said = run.head.ending.clone().unwrap();
    assert_eq!((said.reason, said.text, said.is_killed), (ending.reason, ending.text, false));
    let read = run.events().unwrap();
    assert!(read.len() as i64 >= written && written > 200, "{} of {written}", read.len());
    // There is no room for the tables either; the segments must outlive the attempt, and no half table stay.
    let refused = seal_killed(&path);
    assert!(matches!(refused, Err(RecordError::Io { kind: io::ErrorKind::StorageFull, .. })), "{refused:?}");
    let left = std::fs::read_dir(path.join("evidence/events")).unwrap().map(|entry| entry.unwrap().path());
    assert!(left.into_iter().all(|path| path.extension().is_some_and(|extension| extension == "segment")));
    assert_eq!(Run::open(&path).unwrap().events().unwrap(), read);
}
