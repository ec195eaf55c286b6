//! The access log: one line a call, written by a thread of its own so that no call waits for a disk.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use terms::{Nanos, iso};

/// One call, ended.
#[derive(Clone, Debug)]
pub struct Entry {
    /// End of the call, since 1970 in UTC.
    pub wall: Nanos,
    /// Method and path pattern.
    pub route: &'static str,
    /// HTTP status; 499 if the client went away first, 0 if the connection was reset on purpose.
    pub status: u16,
    /// Bytes of the body that were handed to the connection.
    pub bytes: u64,
    /// From the head of the request to the last byte handed to the connection.
    pub duration: Duration,
    /// `x-request-id` of the request; empty for none.
    pub correlation: Box<str>,
}

impl Entry {
    /// `2026-11-21T10:00:00.123Z gateway "GET /check-out" 201 87 1.234 abc`; a missing correlation id is `-`.
    fn line(&self, instance: &str) -> String {
        let correlation = if self.correlation.is_empty() { "-" } else { &self.correlation };
        let duration_ms = self.duration.as_secs_f64() * 1e3;
        let (at, route) = (iso::millis(self.wall), self.route);
        format!("{at} {instance} \"{route}\" {} {} {duration_ms:.3} {correlation}\n", self.status, self.bytes)
    }
}

/// Lines that may wait for the writer: some seconds of full load while a disk hangs; beyond it lines are lost and counted.
const QUEUE_MAX: usize = 65_536;
/// Longest time until a line is in the file.
const FLUSH_EVERY: Duration = Duration::from_millis(200);

enum Message {
    Line(Entry),
    Stop,
}

/// Where calls are written down, if anywhere.
pub struct AccessLog {
    queue: Option<SyncSender<Message>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    written: AtomicU64,
    lost: AtomicU64,
}

impl AccessLog {
    /// Appends to the file, or writes nothing for `None`.
    ///
    /// # Errors
    /// The file cannot be opened, or the thread not started.
    pub fn open(path: Option<&Path>, instance: &str) -> io::Result<Self> {
        let counts = Arc::new(Counts::default());
        let Some(path) = path else {
            return Ok(Self { queue: None, writer: Mutex::new(None), counts });
        };
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let (sender, receiver) = sync_channel(QUEUE_MAX);
        let (instance, shared) = (instance.to_owned(), Arc::clone(&counts));
        let writer = std::thread::Builder::new()
            .name("access-log".to_owned())
            .spawn(move || write_all(&receiver, file, &instance, &shared))?;
        Ok(Self { queue: Some(sender), writer: Mutex::new(Some(writer)), counts })
    }

    /// Hands a call to the writer; never waits. A full queue loses the line and counts it.
    pub fn note(&self, entry: Entry) {
        if let Some(queue) = &self.queue
            && queue.try_send(Message::Line(entry)).is_err()
        {
            self.counts.lost.fetch_add(1, Relaxed);
        }
    }

    /// Whether anything is written at all.
    pub fn is_on(&self) -> bool {
        self.queue.is_some()
    }

    /// Lines in the file, and lines lost to a full queue or a failed write.
    pub fn counts(&self) -> (u64, u64) {
        (self.counts.written.load(Relaxed), self.counts.lost.load(Relaxed))
    }

    /// Writes what waits and ends the writer. Later calls are lost and counted.
    pub fn close(&self) {
        let writer = self.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let (Some(queue), Some(writer)) = (&self.queue, writer) {
            // Waits for a place in the queue: the writer empties it, so it comes.
            let _ = queue.send(Message::Stop);
            let _ = writer.join();
        }
    }
}

fn write_all(queue: &Receiver<Message>, file: File, instance: &str, counts: &Counts) {
    let mut file = BufWriter::new(file);
    let mut waiting = 0; // lines in the buffer, not yet in the file
    let mut oldest = Instant::now(); // when the first of them came
    loop {
        let message = if waiting > 0 {
            queue.recv_timeout(FLUSH_EVERY.saturating_sub(oldest.elapsed()))
        } else {
            queue.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match message {
            Ok(Message::Line(entry)) => {
                if waiting == 0 {
                    oldest = Instant::now();
                }
                waiting += 1;
                let is_written = file.write_all(entry.line(instance).as_bytes()).is_ok();
                // Under steady load the queue is never quiet, so the age is asked here too.
                if !is_written || oldest.elapsed() >= FLUSH_EVERY {
                    settle(&mut file, &mut waiting, counts);
                }
            }
            Err(RecvTimeoutError::Timeout) => settle(&mut file, &mut waiting, counts),
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => {
                settle(&mut file, &mut waiting, counts);
                return;
            }
        }
    }
}

/// Brings the buffer to the file; all its lines count as lost when that fails, and the buffer is thrown away.
fn settle(file: &mut BufWriter<File>, waiting: &mut u64, counts: &Counts) {
    let lines = std::mem::take(waiting);
    match file.flush() {
        Ok(()) => counts.written.fetch_add(lines, Relaxed),
        Err(error) => {
            if counts.lost.fetch_add(lines, Relaxed) == 0 {
                eprintln!("warning: lines of the access log are lost: {error}");
            }
            if let Ok(fresh) = file.get_ref().try_clone() {
                let (_, _) = std::mem::replace(file, BufWriter::new(fresh)).into_parts();
            }
            0
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(correlation: &str) -> Entry {
        Entry {
            wall: Nanos::from_millis(1_795_255_200_123),
            route: "GET /check-out",
            status: 201,
            bytes: 87,
            duration: Duration::from_nanos(1_234_400),
            correlation: correlation.into(),
        }
    }

    #[test]
    fn a_line_has_seven_fields() {
        let line = entry("abc").line("gateway");
        assert_eq!(line, "2026-11-21T10:00:00.123Z gateway \"GET /check-out\" 201 87 1.234 abc\n");
        assert!(entry("").line("gateway").ends_with(" 1.234 -\n"));
    }

    #[test]
    fn all_lines_are_in_the_file_when_it_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.log");
        let log = AccessLog::open(Some(&path), "records").unwrap();
        for number in 0..1000 {
            log.note(entry(&number.to_string()));
        }
        log.close();
        assert_eq!(log.counts(), (1000, 0));
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 1000);
        assert!(text.lines().last().unwrap().ends_with(" 999"));
        log.note(entry("late"));
        assert_eq!(log.counts(), (1000, 1), "a line after the end is lost and counted");
    }

    #[test]
    fn a_full_disk_loses_lines_and_counts_them() {
        // /dev/full answers every write with ENOSPC (full(4)).
        let log = AccessLog::open(Some(Path::new("/dev/full")), "records").unwrap();
        for _ in 0..1000 {
            log.note(entry("x"));
        }
        log.close();
        assert_eq!(log.counts(), (0, 1000));
    }

    #[test]
    fn without_a_file_nothing_is_written_or_lost() {
        let log = AccessLog::open(None, "records").unwrap();
        log.note(entry("x"));
        log.close();
        assert_eq!(log.counts(), (0, 0));
    }
}
