//! Threads that write as servers do, rotation in the middle, and every call counted once.
#![allow(clippy::unwrap_used, reason = "a test")]

use contract::{Monitor, Samples, Watched};
use monitor_access_log::{ACCESS_LOG, METRICS};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use terms::{Nanos, iso};

/// A server's log: its writers share the file, which it opens anew after the file was renamed.
struct Log {
    file: RwLock<Arc<File>>,
    written: AtomicU64,
    is_over: AtomicBool,
}

fn opened(path: &Path) -> Arc<File> {
    Arc::new(OpenOptions::new().create(true).append(true).open(path).unwrap())
}

impl Log {
    /// Writes lines until it is over, each in one write as servers do; its duration is its number in microseconds, so
    /// that what is lost or comes twice is known.
    fn write(&self, clock: &clock::Clock) {
        while !self.is_over.load(Ordering::SeqCst) {
            let file = Arc::clone(&self.file.read().unwrap());
            for _ in 0..100 {
                let number = self.written.fetch_add(1, Ordering::SeqCst);
                let at = iso::millis(clock.wall());
                let line = format!("{at} \"GET /a HTTP/1.1\" 200 1 {number}\n");
                (&*file).write_all(line.as_bytes()).unwrap();
            }
            std::thread::yield_now();
        }
    }
}

#[test]
fn no_call_is_lost_or_counted_twice_while_the_log_is_rotated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.log");
    let log = Log { file: RwLock::new(opened(&path)), written: AtomicU64::new(0), is_over: AtomicBool::new(false) };
    let file = path.display().to_string();
    let entries = [("file", file.as_str()), ("format", r#"%{iso}t "%r" %s %b %{us}T"#)];
    let instance = Watched { name: "shop".into(), pid: None, url: None };
    let mut monitor = testkit::monitor(ACCESS_LOG, &entries, &[instance], Nanos::SECOND).unwrap();
    let clock = clock::Clock::system();
    let mut out = Samples::default();
    let mut seen: Vec<u64> = Vec::new();
    let mut rotated = 0;
    let mut sample = |monitor: &mut dyn Monitor| {
        monitor.sample(clock.now(), &mut out).unwrap();
        let (values, events) = out.take();
        let duration = METRICS.iter().position(|kind| kind.name == "duration").unwrap() as u16;
        let durations = values.iter().filter(|one| one.metric == duration);
        seen.extend(durations.map(|one| (one.value * 1e6).round() as u64));
        rotated += events.iter().filter(|(_, _, event)| event.kind == "log_rotated").count();
        assert!(events.iter().all(|(_, _, event)| event.kind == "log_rotated" || event.kind == "behind"), "{events:?}");
    };
    sample(monitor.as_mut());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| log.write(&clock));
        }
        for round in 1..=4 {
            let least = log.written.load(Ordering::SeqCst) + 3000;
            while log.written.load(Ordering::SeqCst) < least {
                clock.sleep_until(clock.now() + Nanos::MILLISECOND);
            }
            // As logrotate: renamed first, and only later does the server open a new one.
            std::fs::rename(&path, folder.path().join(format!("shop.log.{round}"))).unwrap();
            clock.sleep_until(clock.now() + Nanos::from_millis(5));
            sample(monitor.as_mut());
            *log.file.write().unwrap() = opened(&path);
            if round != 2 {
                sample(monitor.as_mut());
            }
        }
        log.is_over.store(true, Ordering::SeqCst);
    });
    for _ in 0..20 {
        sample(monitor.as_mut());
    }
    seen.sort_unstable();
    let written = log.written.load(Ordering::SeqCst);
    assert_eq!(seen.len() as u64, written);
    assert!(seen.iter().copied().eq(0..written), "each once");
    assert!(rotated >= 3, "{rotated}");
}
