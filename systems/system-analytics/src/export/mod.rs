//! Tables as segments that analyzers read: a job for each, which goes on behind the answer.
//!
//! The segments of a table are written into a folder that nobody knows, and take the place of earlier ones when they are
//! whole: an analyzer finds the old ones or the new ones. What comes into the table meanwhile is left out.

mod segments;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde_json::{Map, Value as Json, json};

use crate::manifest::{Manifest, folder_of};
use crate::store::Store;
use crate::stream::Stream;

pub(crate) use segments::{Segments, Writing};

/// Rows that are taken out of the store at once.
const PAGE: usize = 5000;
/// Jobs that are remembered, and tables that are exported at once.
const JOBS_MAX: usize = 1000;
const AT_ONCE_MAX: usize = 4;

/// How an export does.
#[derive(Clone, Debug)]
enum State {
    Running { rows: u64 },
    Done(Manifest, Duration),
    Failed(String),
}

/// Why an export does not begin, each with a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The receiver has no folder for segments.
    NoFolder,
    /// The table is being exported already, or too many others are.
    Busy(String),
}

/// All exports of a receiver.
pub(crate) struct Exports {
    /// Where tables are exported to.
    folder: Option<PathBuf>,
    writing: Writing,
    next: AtomicU64,
    jobs: Mutex<BTreeMap<u64, State>>,
    running: Mutex<BTreeSet<String>>,
}

impl Exports {
    pub(crate) fn new(folder: Option<PathBuf>, writing: Writing) -> Self {
        Self { folder, writing, next: AtomicU64::new(1), jobs: Mutex::default(), running: Mutex::default() }
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<u64, State>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to export a table on a thread of its own; the number of the job.
    ///
    /// # Errors
    /// [`Refused`].
    pub(crate) fn begin(self: &Arc<Self>, store: &Arc<Store>, stream: &Arc<Stream>) -> Result<u64, Refused> {
        let Some(folder) = self.folder.clone() else { return Err(Refused::NoFolder) };
        {
            let mut running = self.running();
            if running.contains(&stream.table) {
                return Err(Refused::Busy(format!("the table {} is being exported already", stream.table)));
            }
            if running.len() >= AT_ONCE_MAX {
                return Err(Refused::Busy(format!("{AT_ONCE_MAX} tables are being exported already")));
            }
            running.insert(stream.table.clone());
        }
        let number = self.next.fetch_add(1, Relaxed);
        self.note(number, State::Running { rows: 0 });
        let (exports, store, of) = (self.clone(), store.clone(), stream.clone());
        let work = move || {
            let since = Instant::now();
            let done =
                export(&store, &of, &folder, exports.writing, |rows| exports.note(number, State::Running { rows }));
            exports.running().remove(&of.table);
            exports.note(
                number,
                match done {
                    Ok(manifest) => State::Done(manifest, since.elapsed()),
                    Err(error) => {
                        eprintln!("the table {} could not be exported: {error:#}", of.table);
                        State::Failed(format!("{error:#}"))
                    }
                },
            );
        };
        if let Err(error) = std::thread::Builder::new().name("export".to_owned()).spawn(work) {
            self.running().remove(&stream.table);
            self.note(number, State::Failed(format!("no thread can be started: {error}")));
        }
        Ok(number)
    }

    fn note(&self, number: u64, state: State) {
        let mut jobs = self.jobs();
        jobs.insert(number, state);
        while jobs.len() > JOBS_MAX {
            jobs.pop_first();
        }
    }

    /// How a job does; `None` if there is none of that number.
    pub(crate) fn state(&self, number: u64) -> Option<Json> {
        Some(match self.jobs().get(&number)? {
            State::Running { rows } => json!({ "state": "running", "rows": rows }),
            State::Done(manifest, took) => json!({
                "state": "done",
                "table": manifest.table,
                "rows": manifest.rows,
                "bytes": manifest.bytes(),
                "segments": manifest.segments.len(),
                "seconds": took.as_secs_f64(),
            }),
            State::Failed(reason) => json!({ "state": "failed", "reason": reason }),
        })
    }

    /// Rows and bytes of the tables that this receiver has exported, by their latest export.
    pub(crate) fn exported(&self) -> BTreeMap<String, (u64, u64)> {
        let jobs = self.jobs();
        let done = jobs.values().filter_map(|state| match state {
            State::Done(manifest, _) => Some((manifest.table.clone(), (manifest.rows, manifest.bytes()))),
            _ => None,
        });
        done.collect()
    }

    pub(crate) fn counters(&self) -> Map<String, Json> {
        let (mut done, mut failed) = (0, 0);
        self.jobs().values().for_each(|state| match state {
            State::Running { .. } => {}
            State::Done(..) => done += 1,
            State::Failed(_) => failed += 1,
        });
        let mut counters = Map::new();
        counters.insert("exports_done".to_owned(), done.into());
        counters.insert("exports_failed".to_owned(), failed.into());
        counters
    }
}

/// Writes all rows that a table has now. What was begun goes away again if it fails.
fn export(
    store: &Store,
    stream: &Stream,
    folder: &Path,
    writing: Writing,
    mut at: impl FnMut(u64),
) -> Result<Manifest> {
    let place = folder_of(folder, &stream.table).context("the table cannot be called so in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
    let new = tempfile::Builder::new().prefix(&format!(".{}-", stream.table)).tempdir_in(folder);
    let new = new.with_context(|| format!("cannot make a folder in `{}`", folder.display()))?;
    let mut segments = Segments::begin(new.path(), stream, writing)?;
    if let Some(last) = store.last(stream)? {
        let mut from = Some(0);
        while let Some(first) = from.filter(|first| *first <= last) {
            let page = store.page(stream, first, last, PAGE)?;
            // A page that is not full is the last one.
            from = page.last().filter(|_| page.len() == PAGE).and_then(|row| row.number.checked_add(1));
            for row in page {
                segments.push(row.at, row.values).with_context(|| cannot_write(folder))?;
            }
            at(segments.rows());
        }
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let finished = segments.finish(format!("{}-{}", std::process::id(), now.as_nanos()));
    let manifest = finished.with_context(|| cannot_write(folder))?;
    // Two renames: between them the table is missing, which an analyzer says.
    let old = tempfile::Builder::new().prefix(&format!(".{}-", stream.table)).tempdir_in(folder)?;
    match std::fs::rename(&place, old.path().join("old")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot replace `{}`", place.display()));
        }
        _ => {}
    }
    std::fs::rename(new.path(), &place).with_context(|| format!("cannot write `{}`", place.display()))?;
    let _ = new.keep();
    std::fs::File::open(folder).and_then(|folder| folder.sync_all())?;
    Ok(manifest)
}

fn cannot_write(folder: &Path) -> String {
    format!("cannot write segments in `{}`", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{Lists, Rows, Value};
    use crate::queue::Queue;
    use crate::store::{Settings, Slowness};
    use crate::stream::Streams;
    use parquet::file::reader::SerializedFileReader;
    use parquet::record::RowAccessor;
    use testkit::program::{Process, beside, command};

    const HOME: &str = r#"{"name":"home","version":"1","payloadData":[{"name":"house","type":"INT"}]}"#;
    const OTHER: &str = r#"{"name":"other","version":"1","payloadData":[{"name":"word","type":"STRING"}]}"#;

    pub(crate) fn store(folder: &Path) -> Arc<Store> {
        let settings = Settings { url: None, folder: folder.to_owned(), memory: 1 << 20, indexed: 1 };
        let runtime = tokio::runtime::Runtime::new().unwrap();
        Arc::new(Store::open(&settings, runtime.handle()).unwrap())
    }

    /// Rows of two streams in turn, so that numbers have gaps.
    fn fill(store: &Store, streams: &Streams, rows: i32) {
        let lists = Lists {
            events: rows * 2,
            ints: (0..rows).collect(),
            longs: (0..i64::from(rows) * 2).collect(),
            texts: (0..rows).flat_map(|row| ["home:1".to_owned(), "other:1".to_owned(), format!("w{row}")]).collect(),
            ..Lists::default()
        };
        let queue = Queue::new(10_000_000);
        assert!(queue.push(Rows::of(&lists, streams).unwrap()));
        queue.close();
        store.fill(&queue, &Slowness { stall: None, limit: None, born: Instant::now() });
    }

    fn wait(exports: &Exports, number: u64) -> Json {
        for _ in 0..6000 {
            let state = exports.state(number).unwrap();
            if state["state"] != "running" {
                return state;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the export does not end")
    }

    #[test]
    fn all_rows_of_a_table_are_exported_and_again_in_place() {
        let place = tempfile::tempdir().unwrap();
        let streams = Streams::default();
        streams.define(HOME).unwrap();
        streams.define(OTHER).unwrap();
        let store = store(&place.path().join("store"));
        let to = place.path().join("segments");
        let writing = Writing { segment_rows: 4000, ..Writing::USUAL };
        let exports = Arc::new(Exports::new(Some(to.clone()), writing));
        let stream = streams.get("home:1").unwrap();
        // Nothing is in it yet.
        let done = wait(&exports, exports.begin(&store, &stream).unwrap());
        assert_eq!((&done["state"], &done["rows"]), (&"done".into(), &0.into()), "{done}");
        // More than two pages, the last of which is not full.
        fill(&store, &streams, 11_000);
        let done = wait(&exports, exports.begin(&store, &stream).unwrap());
        assert_eq!((&done["rows"], &done["segments"]), (&11_000.into(), &3.into()), "{done}");
        let manifest = Manifest::read(&to, "HOME").unwrap();
        assert_eq!((manifest.rows, manifest.bytes()), (11_000, done["bytes"].as_u64().unwrap()));
        assert_eq!(exports.exported()["HOME"].0, 11_000);
        // The same again: the houses, each once, and nothing is left of earlier ones.
        let done = wait(&exports, exports.begin(&store, &stream).unwrap());
        assert_eq!(done["state"], "done", "{done}");
        let names: Vec<_> = std::fs::read_dir(&to).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(names, ["HOME"]);
        assert_eq!(std::fs::read_dir(to.join("HOME")).unwrap().count(), 4, "three segments and a manifest");
        assert_ne!(Manifest::read(&to, "HOME").unwrap().export, manifest.export);
        assert_eq!(exports.state(99), None);
        let page = store.page(&stream, 0, u64::MAX, 3).unwrap();
        assert_eq!(
            page.iter().map(|row| row.values.clone()).collect::<Vec<_>>(),
            [0, 1, 2].map(|it| vec![Value::Whole(it)])
        );
    }

    /// The same rows from databases as from the embedded store, in the order in which they came.
    #[test]
    fn tables_of_databases_are_exported_as_well() {
        let place = tempfile::tempdir().unwrap();
        let streams = Streams::default();
        streams.define(HOME).unwrap();
        streams.define(OTHER).unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        for server in ["system-mariadb", "system-postgres"] {
            let folder = place.path().join(server);
            let flags = format!("--data {}/data", folder.display());
            let running = Process::supervising(command(beside(server), &flags));
            let settings = Settings { url: Some(running.url()), folder: folder.clone(), memory: 1 << 20, indexed: 1 };
            let store = Arc::new(Store::open(&settings, runtime.handle()).unwrap());
            let to = folder.join("segments");
            let exports = Arc::new(Exports::new(Some(to.clone()), Writing::USUAL));
            let (home, other) = (streams.get("home:1").unwrap(), streams.get("other:1").unwrap());
            let done = wait(&exports, exports.begin(&store, &home).unwrap());
            assert_eq!((&done["state"], &done["rows"]), (&"done".into(), &0.into()), "{server}: {done}");
            let empty = store.standing().bytes;
            fill(&store, &streams, 6001);
            // MariaDB estimates it, and not at once.
            let bytes = store.standing().bytes;
            assert!(bytes >= empty.max(1) && (server == "system-mariadb" || bytes > empty), "{server}: {bytes}");
            for stream in [&home, &other] {
                let done = wait(&exports, exports.begin(&store, stream).unwrap());
                assert_eq!((&done["state"], &done["rows"]), (&"done".into(), &6001.into()), "{server}: {done}");
            }
            let read = |table: &str| {
                let file = std::fs::File::open(to.join(table).join("000001.parquet")).unwrap();
                let rows = SerializedFileReader::new(file).unwrap().into_iter().map(Result::unwrap);
                rows.collect::<Vec<_>>()
            };
            for (number, (home, other)) in read("HOME").iter().zip(read("OTHER")).enumerate() {
                // Events of both came in turn, with its place in the bundle as its time.
                let (row, number) = (number as i64, number as i32);
                assert_eq!((home.get_long(0).unwrap(), home.get_long(1).unwrap()), (row, row * 2), "{server}");
                assert_eq!(home.get_int(2).unwrap(), number, "{server}");
                assert_eq!(other.get_long(1).unwrap(), row * 2 + 1, "{server}");
                assert_eq!(other.get_string(2).unwrap(), &format!("w{number}"), "{server}");
            }
        }
    }

    /// Articles are as long as they are.
    #[test]
    fn a_long_text_is_stored_whole_by_every_store() {
        let place = tempfile::tempdir().unwrap();
        let streams = Streams::default();
        streams.define(OTHER).unwrap();
        let stream = streams.get("other:1").unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let long = "é".repeat(175_000);
        let lists =
            Lists { events: 1, longs: vec![7], texts: vec!["other:1".to_owned(), long.clone()], ..Lists::default() };
        for server in [None, Some("system-mariadb"), Some("system-postgres")] {
            let folder = place.path().join(server.unwrap_or("embedded"));
            let running = server.map(|server| {
                Process::supervising(command(beside(server), &format!("--data {}/data", folder.display())))
            });
            let url = running.as_ref().map(Process::url);
            let settings = Settings { url, folder: folder.clone(), memory: 1 << 20, indexed: 0 };
            let store = Store::open(&settings, runtime.handle()).unwrap();
            let queue = Queue::new(10);
            assert!(queue.push(Rows::of(&lists, &streams).unwrap()));
            queue.close();
            store.fill(&queue, &Slowness { stall: None, limit: None, born: Instant::now() });
            assert_eq!((store.durable.load(Relaxed), store.failed.load(Relaxed)), (1, 0), "{server:?}");
            let found = store.find(&stream, None, 0, 2).unwrap();
            assert!(matches!(&found[0].values[..], [Value::Text(text)] if *text == long), "{server:?}");
        }
    }

    #[test]
    fn an_export_that_fails_says_why_and_leaves_the_earlier_one() {
        let place = tempfile::tempdir().unwrap();
        let streams = Streams::default();
        streams.define(HOME).unwrap();
        streams.define(OTHER).unwrap();
        let store = store(&place.path().join("store"));
        fill(&store, &streams, 10);
        let stream = streams.get("home:1").unwrap();
        assert_eq!(Arc::new(Exports::new(None, Writing::USUAL)).begin(&store, &stream), Err(Refused::NoFolder));
        // A file lies where the folder should be.
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        let exports = Arc::new(Exports::new(Some(file.join("segments")), Writing::USUAL));
        let failed = wait(&exports, exports.begin(&store, &stream).unwrap());
        assert_eq!(failed["state"], "failed");
        assert!(failed["reason"].as_str().unwrap().contains("cannot make the folder"), "{failed}");
        assert_eq!(exports.counters()["exports_failed"], 1);
        // It can be tried again.
        assert!(exports.begin(&store, &stream).is_ok());
    }

    /// A file on a disk with room for so many bytes, and then none.
    struct Full(std::fs::File, usize);

    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.1 == 0 {
                return Err(std::io::Error::from_raw_os_error(28)); // ENOSPC
            }
            let written = self.0.write(&bytes[..bytes.len().min(self.1)])?;
            self.1 -= written;
            Ok(written)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl segments::Sink for Full {
        fn sync(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_fails_an_export_and_what_was_there_stays() {
        let place = tempfile::tempdir().unwrap();
        let streams = Streams::default();
        streams.define(HOME).unwrap();
        streams.define(OTHER).unwrap();
        let store = store(&place.path().join("store"));
        fill(&store, &streams, 9000);
        let (stream, to) = (streams.get("home:1").unwrap(), place.path().join("segments"));
        let exports = Arc::new(Exports::new(Some(to.clone()), Writing::USUAL));
        assert_eq!(wait(&exports, exports.begin(&store, &stream).unwrap())["state"], "done");
        let before = Manifest::read(&to, "HOME").unwrap();
        // Full at once, within a row group, and at the last byte.
        for full in [
            (|path| Ok(Box::new(Full(std::fs::File::create_new(path)?, 0)) as Box<dyn segments::Sink>))
                as fn(&Path) -> std::io::Result<Box<dyn segments::Sink>>,
            |path| Ok(Box::new(Full(std::fs::File::create_new(path)?, 5000))),
            |path| Ok(Box::new(Full(std::fs::File::create_new(path)?, 36_500))),
        ] {
            let writing = Writing { file: full, ..Writing::USUAL };
            let exports = Arc::new(Exports::new(Some(to.clone()), writing));
            let failed = wait(&exports, exports.begin(&store, &stream).unwrap());
            let reason = failed["reason"].as_str().unwrap_or_default();
            assert!(reason.contains("cannot write segments") && reason.contains("No space left"), "{failed}");
            let names: Vec<_> = std::fs::read_dir(&to).unwrap().map(|it| it.unwrap().file_name()).collect();
            assert_eq!((names, Manifest::read(&to, "HOME").unwrap()), (vec!["HOME".into()], before.clone()));
        }
    }
}
