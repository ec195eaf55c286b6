//! An engine: a program of its own that is started once and asked again and again, over its standard input and output.
//!
//! A statement is written, and everything up to a line that ends it is its answer. One that fails has no answer but words
//! on standard error. An engine that ends or does not answer in time is started anew; the statement in hand has failed.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use system_common::server::Guard;
use tempfile::TempDir;

use super::{duckdb, spark};
use crate::store::Jdbc;

/// Largest answer of a statement, and what is kept of an engine's words.
const ANSWER_MAX: usize = 256 << 20;
const WORDS_MAX: usize = 8 << 10;
/// Bytes that are taken from a line at once.
const PIECE_MAX: u64 = 1 << 20;
/// How often it is looked after, and how long after a start that failed the next one comes.
const LOOK_EVERY: Duration = Duration::from_millis(250);
const AGAIN_AFTER: Duration = Duration::from_secs(5);
/// Words and exit status of one that has ended come within this.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Which engine, and how it is started.
#[derive(Clone, Debug)]
pub(crate) enum Launch {
    /// The program of DuckDB, with so many threads.
    DuckDb { program: PathBuf, threads: u16 },
    /// A Python that has PySpark, and the master that the session goes to.
    Spark { python: PathBuf, master: String },
}

/// Where rows are.
#[derive(Clone, Debug)]
pub(crate) enum Source<'a> {
    /// In segments, as absolute paths.
    Segments(Vec<PathBuf>),
    /// In a table of the store's own database, whose name is quoted.
    Table { database: &'a Jdbc, table: String },
}

/// Rows to aggregate, and how.
#[derive(Clone, Debug)]
pub(crate) struct Statement<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) sql: &'a str,
}

impl Launch {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::DuckDb { .. } => "DuckDB",
            Self::Spark { .. } => "Spark",
        }
    }

    /// Which version would be started, as `DuckDB v1.5.6`; `None` if it does not say so.
    pub(crate) fn told_version(&self) -> Option<String> {
        let mut command = match self {
            Self::DuckDb { program, .. } => duckdb::version(program),
            Self::Spark { python, .. } => spark::version(python),
        };
        let output = command.stdin(Stdio::null()).output().ok().filter(|output| output.status.success())?;
        let words = String::from_utf8(output.stdout).ok()?;
        let version = words.split_ascii_whitespace().next().filter(|version| version.len() <= 64)?;
        Some(format!("{} {version}", self.name()))
    }

    fn command(&self) -> Command {
        match self {
            Self::DuckDb { program, .. } => duckdb::command(program),
            Self::Spark { python, master } => spark::command(python, master),
        }
    }

    /// What is asked first; its answer is the version.
    fn greeting(&self, mark: &str) -> String {
        match self {
            Self::DuckDb { threads, .. } => duckdb::greeting(*threads, mark),
            Self::Spark { .. } => spark::greeting(mark),
        }
    }

    fn text(&self, statement: &Statement<'_>, mark: &str) -> Result<String, String> {
        match self {
            Self::DuckDb { .. } => duckdb::text(statement, mark),
            Self::Spark { .. } => spark::text(statement, mark),
        }
    }

    /// Longest time until it can be asked: Spark starts a Java machine.
    fn starts_within(&self) -> Duration {
        match self {
            Self::DuckDb { .. } => Duration::from_secs(60),
            Self::Spark { .. } => Duration::from_secs(300),
        }
    }
}

/// An engine that runs.
struct Running {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<Vec<u8>>,
    words: Arc<Mutex<String>>,
    next: u64,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why a statement has no answer.
enum Failed {
    /// It cannot be carried out; the engine goes on.
    Statement(String),
    /// The engine is gone, or has to go.
    Engine(String),
}

/// An engine that is kept running.
pub(crate) struct Engine {
    launch: Launch,
    version: String,
    running: Mutex<Option<Running>>,
    /// Ends it when this process is killed; tests have none.
    guard: Mutex<Option<Guard>>,
    /// Where it may leave files.
    folder: TempDir,
    pid: AtomicU32,
    is_over: AtomicBool,
    pub(crate) restarts: AtomicU64,
    /// Why it cannot be asked now.
    trouble: Mutex<Option<String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    /// Starts it, and looks after it from then on. Blocks until it can be asked.
    ///
    /// # Errors
    /// It cannot be started; says why in its own words.
    pub(crate) fn start(launch: Launch, guard: Option<Guard>) -> Result<Arc<Self>, String> {
        let folder = TempDir::with_prefix("analyzer-").map_err(|error| format!("cannot make a folder: {error}"))?;
        let mut engine = Self {
            launch,
            version: String::new(),
            running: Mutex::new(None),
            guard: Mutex::new(guard),
            folder,
            pid: AtomicU32::new(0),
            is_over: AtomicBool::new(false),
            restarts: AtomicU64::new(0),
            trouble: Mutex::new(None),
        };
        let (running, version) = engine.begin()?;
        engine.version = version;
        *lock(&engine.running) = Some(running);
        let engine = Arc::new(engine);
        let kept = Arc::downgrade(&engine);
        let keep = move || {
            let mut wait = LOOK_EVERY;
            loop {
                std::thread::sleep(wait);
                let Some(engine) = kept.upgrade() else { return };
                wait = if engine.look_after() { LOOK_EVERY } else { AGAIN_AFTER };
            }
        };
        let keeper = std::thread::Builder::new().name("keeper".to_owned()).spawn(keep);
        keeper.map_err(|error| format!("no thread can be started: {error}"))?;
        Ok(engine)
    }

    fn begin(&self) -> Result<(Running, String), String> {
        let name = self.launch.name();
        let mut command = self.launch.command();
        command.current_dir(self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| format!("{name} cannot be started as `{}`: {error}", command.get_program().display()))?;
        let pid = child.id();
        if let Some(guard) = &mut *lock(&self.guard)
            && let Err(error) = guard.end_at_end(pid)
        {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error.to_string());
        }
        self.pid.store(pid, Relaxed);
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(format!("{name} has no pipes"));
        };
        let (sender, lines) = sync_channel(256);
        let words = Arc::<Mutex<String>>::default();
        let kept = words.clone();
        let read = move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut piece = Vec::new();
                match stdout.by_ref().take(PIECE_MAX).read_until(b'\n', &mut piece) {
                    Ok(1..) if sender.send(piece).is_ok() => {}
                    _ => return,
                }
            }
        };
        let listen = move || {
            let mut stderr = BufReader::new(stderr);
            let mut piece = Vec::new();
            while stderr.by_ref().take(PIECE_MAX).read_until(b'\n', &mut piece).is_ok_and(|count| count > 0) {
                let mut words = lock(&kept);
                if words.len() < WORDS_MAX {
                    words.push_str(&String::from_utf8_lossy(&piece));
                }
                piece.clear();
            }
        };
        let mut running = Running { child, stdin, lines, words, next: 1 };
        for (thread, work) in [("answers", Box::new(read) as Box<dyn FnOnce() + Send>), ("words", Box::new(listen))] {
            let started = std::thread::Builder::new().name(thread.to_owned()).spawn(work);
            started.map_err(|error| format!("no thread can be started: {error}"))?;
        }
        let greeting = |mark: &str| Ok(self.launch.greeting(mark));
        match running.ask(name, greeting, self.launch.starts_within()) {
            Ok(version) => {
                let version = serde_json::from_str::<Vec<serde_json::Map<String, serde_json::Value>>>(&version).ok();
                let version = version.and_then(|rows| rows.first()?.get("version")?.as_str().map(str::to_owned));
                Ok((running, version.ok_or_else(|| format!("{name} does not say which version it is"))?))
            }
            Err(Failed::Statement(why) | Failed::Engine(why)) => Err(format!("{name} does not start: {why}")),
        }
    }

    /// Starts it again if it has ended; whether it can be asked.
    fn look_after(&self) -> bool {
        let mut running = match self.running.try_lock() {
            Ok(running) => running,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // It is at work, so whoever asked will see.
            Err(TryLockError::WouldBlock) => return true,
        };
        self.revive(&mut running).is_ok()
    }

    fn revive<'a>(&self, slot: &'a mut Option<Running>) -> Result<&'a mut Running, String> {
        let name = self.launch.name();
        if let Some(running) = slot
            && let Some(status) = running.child.try_wait().map_err(|error| error.to_string())?
        {
            self.troubled(slot, format!("{name} has ended ({status})"));
        }
        if slot.is_none() {
            if self.is_over.load(Relaxed) {
                return Err(format!("{name} has been ended"));
            }
            match self.begin() {
                Ok((running, version)) => {
                    *slot = Some(running);
                    *lock(&self.trouble) = None;
                    self.restarts.fetch_add(1, Relaxed);
                    eprintln!("{name} {version} was started again");
                }
                Err(why) => {
                    self.troubled(slot, why.clone());
                    return Err(why);
                }
            }
        }
        slot.as_mut().ok_or_else(|| format!("{name} does not run"))
    }

    fn troubled(&self, slot: &mut Option<Running>, why: String) {
        eprintln!("{why}");
        *lock(&self.trouble) = Some(why);
        *slot = None;
    }

    /// As it says itself.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    pub(crate) fn name(&self) -> &'static str {
        self.launch.name()
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.pid.load(Relaxed)
    }

    /// Why it cannot be asked now.
    pub(crate) fn trouble(&self) -> Option<String> {
        lock(&self.trouble).clone()
    }

    /// Carries a statement out, one at a time; its answer is JSON. Blocks.
    ///
    /// # Errors
    /// Why there is none, in words for the job that wanted it.
    pub(crate) fn run(&self, statement: &Statement<'_>, within: Duration) -> Result<String, String> {
        let mut slot = lock(&self.running);
        let running = self.revive(&mut slot)?;
        match running.ask(self.launch.name(), |mark| self.launch.text(statement, mark), within) {
            Ok(answer) => Ok(answer),
            Err(Failed::Statement(why)) => Err(why),
            Err(Failed::Engine(why)) => {
                self.troubled(&mut slot, why.clone());
                Err(why)
            }
        }
    }

    /// Ends it for good. One that is at work is ended by the guard, which does not wait for an answer.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Relaxed);
        if let Ok(mut running) = self.running.try_lock() {
            *running = None;
        }
        if let Some(guard) = lock(&self.guard).take() {
            guard.finish();
        }
    }
}

impl Running {
    fn ask(
        &mut self,
        name: &str,
        text: impl FnOnce(&str) -> Result<String, String>,
        within: Duration,
    ) -> Result<String, Failed> {
        let mark = format!("END-OF-ANSWER-{}", self.next);
        self.next += 1;
        let text = text(&mark).map_err(Failed::Statement)?;
        lock(&self.words).clear();
        if self.stdin.write_all(text.as_bytes()).and_then(|()| self.stdin.flush()).is_err() {
            return Err(self.ended(name));
        }
        let since = Instant::now();
        let end = format!("{mark}\n");
        let (mut answer, mut is_line_begin) = (Vec::new(), true);
        loop {
            let piece = match self.lines.recv_timeout(within.saturating_sub(since.elapsed())) {
                Ok(piece) => piece,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Failed::Engine(format!("{name} did not answer within {within:?}")));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(name)),
            };
            if is_line_begin && piece == end.as_bytes() {
                break;
            }
            is_line_begin = piece.ends_with(b"\n");
            if answer.len() + piece.len() > ANSWER_MAX {
                return Err(Failed::Engine(format!("{name} answered with more than {} MiB", ANSWER_MAX >> 20)));
            }
            answer.extend_from_slice(&piece);
        }
        if answer.is_empty() {
            return Err(Failed::Statement(format!("{name}: {}", self.last_words())));
        }
        String::from_utf8(answer)
            .map_err(|_| Failed::Statement(format!("{name} answered with bytes that are not text")))
    }

    /// What it said on standard error, once it says nothing more, in a line.
    fn last_words(&self) -> String {
        let since = Instant::now();
        let mut before = usize::MAX;
        loop {
            let words = lock(&self.words).clone();
            if since.elapsed() > LAST_WORDS || (!words.is_empty() && words.len() == before) {
                return in_short(&words);
            }
            before = words.len();
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn ended(&mut self, name: &str) -> Failed {
        let since = Instant::now();
        let how = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if since.elapsed() < LAST_WORDS => std::thread::sleep(Duration::from_millis(10)),
                _ => break "its output was closed".to_owned(),
            }
        };
        let words = in_short(&lock(&self.words));
        let words = if words.is_empty() { words } else { format!(": {words}") };
        Failed::Engine(format!("{name} ended in the query ({how}){words}"))
    }
}

/// The line that says what is wrong, else the first ones.
fn in_short(words: &str) -> String {
    let line = words.lines().find_map(|line| line.strip_prefix("error: "));
    let lines = || words.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect::<Vec<_>>().join(" ");
    line.map_or_else(lines, str::to_owned).chars().take(400).collect()
}

/// A program or a folder that the environment names, else one beside this program or above it, as `make` puts it there.
pub(crate) fn named_or_beside(variable: &str, beside: &Path) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(variable).filter(|named| !named.is_empty()) {
        return Some(PathBuf::from(named));
    }
    let program = std::env::current_exe().ok()?;
    program.ancestors().skip(1).take(3).map(|folder| folder.join(beside)).find(|path| path.is_file())
}
