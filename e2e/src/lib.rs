//! The built `loadproof`, run as a user would, in a folder of its own.
//!
//! # Place in the pipeline
//! Above everything: sees only the command, the run folder and the targets' own books.
//!
//! # Ideas
//! A test makes files in a fresh folder, runs the binary, and compares. Figures are held against what the target
//! itself recorded or against theory, with a tolerance stated in the test; nothing asserts on the machine's speed. When a
//! test is over, what its runs say is recomputed from their rows ([`recompute`]).
//!
//! # Not here
//! Simulated time is in `drive`'s tests; the targets' own theory is tested in `targets/`.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]
#![allow(clippy::unwrap_used, reason = "a test helper that fails should say where")]

pub mod archive;
pub mod recompute;

use serde_json::Value;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;
use target_common::probe::Target;

/// A built program of this workspace. They stand beside the tests' own folder.
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let path = folder.join(name);
    assert!(
        path.exists(),
        "{} is not built; run `cargo build --workspace --bins` first, or `make test`",
        path.display()
    );
    path
}

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// Starts a target and waits until it listens.
pub fn target(name: &str, flags: &[&str]) -> Target {
    Target::start(program(name), flags).unwrap()
}

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    /// Exit code; -1 when a signal ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// How many tests may have a place at once. Most of a test's time is waiting, and the loads are small: three of them leave
/// a machine of two cores time for each, and more would make each other late.
const PLACES: usize = 3;

/// How many places are free.
static FREE: Mutex<usize> = Mutex::new(PLACES);
static RETURNED: Condvar = Condvar::new();

/// A share of the machine, given back when dropped.
struct Share(usize);

impl Share {
    fn take(places: usize) -> Self {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = RETURNED.wait_while(free, |free| *free < places).unwrap_or_else(PoisonError::into_inner);
        *free -= places;
        Self(places)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *FREE.lock().unwrap_or_else(PoisonError::into_inner) += self.0;
        RETURNED.notify_all();
    }
}

/// A fresh folder to work in, and a share of the machine; gone when dropped.
pub struct Place {
    folder: tempfile::TempDir,
    _share: Share,
    /// What the last command in it said, for a test that finds nothing of what it should have written.
    said: RefCell<String>,
}

impl Default for Place {
    fn default() -> Self {
        Self::new()
    }
}

impl Place {
    /// An empty folder, beside those of at most two other tests.
    pub fn new() -> Self {
        Self::with(1)
    }

    /// An empty folder and the whole machine: for a load that is meant to take all of it.
    pub fn alone() -> Self {
        Self::with(PLACES)
    }

    fn with(places: usize) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), _share: Share::take(places), said: RefCell::default() }
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file in it.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("loadproof"));
        command.args(arguments).current_dir(self.path()).stdin(Stdio::null());
        command
    }

    /// Runs `loadproof` in it to its end.
    pub fn loadproof(&self, arguments: &[&str]) -> Ran {
        self.loadproof_with(arguments, &[])
    }

    /// As [`Place::loadproof`], with environment variables.
    pub fn loadproof_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
        let ran = Ran::of(self.command(arguments).envs(environment.iter().copied()).output().unwrap());
        self.said.replace(format!("{ran:#?}"));
        ran
    }

    /// Starts `loadproof` in it.
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// `result.json` of a run folder in it.
    pub fn result(&self, run: &str) -> Value {
        let path = self.path().join(run).join("result.json");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| {
            panic!("{}: {error}; the last command said {}", path.display(), self.said.borrow());
        });
        serde_json::from_str(&text).unwrap()
    }
}

impl Drop for Place {
    /// Whatever a test was about: the numbers of its runs are those of their rows.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let folders = std::fs::read_dir(self.path()).into_iter().flatten().flatten().map(|entry| entry.path());
        let more =
            std::fs::read_dir(self.path().join("runs")).into_iter().flatten().flatten().map(|entry| entry.path());
        folders.chain(more).filter(|path| path.is_dir()).for_each(|run| recompute::assert_recomputed(&run));
    }
}

/// Waits for the end of a started `loadproof`.
pub fn wait(child: Child) -> Ran {
    Ran::of(child.wait_with_output().unwrap())
}

/// Waits until `is_so`, at most `seconds`; says whether it came about.
pub fn until(seconds: u64, mut is_so: impl FnMut() -> bool) -> bool {
    for _ in 0..seconds * 20 {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

/// All processes below one, with their names; those that ended meanwhile are left out.
pub fn descendants(root: u32) -> Vec<(u32, String)> {
    // Field 4 of proc(5); the name in brackets before it can hold anything.
    let stat = |pid: u32| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (name, rest) = text.split_once('(')?.1.rsplit_once(')')?;
        Some((pid, name.to_owned(), rest.split_ascii_whitespace().nth(1)?.parse::<u32>().ok()?))
    };
    let pids =
        std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let all: Vec<(u32, String, u32)> = pids.filter_map(stat).collect();
    let (mut found, mut next) = (vec![(root, String::new())], 0);
    while let Some((pid, _)) = found.get(next).cloned() {
        next += 1;
        found.extend(all.iter().filter(|(_, _, parent)| *parent == pid).map(|(pid, name, _)| (*pid, name.clone())));
    }
    found.split_off(1)
}

/// Waits until the load of a started `loadproof` is on and recorded in this run folder, then kills the server below it
/// that bears this name, as a machine that fails would.
pub fn kill_under_load(child: &Child, run: &Path, name: &str) {
    let load = run.join("evidence/load");
    let is_on = || load.is_dir() && files(&load).iter().any(|path| path.metadata().is_ok_and(|data| data.len() > 4096));
    assert!(until(300, is_on), "the load never came");
    let server = descendants(child.id()).into_iter().find(|(_, known)| known == name);
    let (pid, _) = server.unwrap_or_else(|| panic!("no `{name}` runs: {:?}", descendants(child.id())));
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// A port of 127.0.0.1 at which nobody listens, and nobody else can as long as the socket is held: a free one that was
/// let go may be somebody's a moment later.
pub fn silent_port() -> (std::os::fd::OwnedFd, u16) {
    use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket};
    let held = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&held, &std::net::SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let address = std::net::SocketAddr::try_from(getsockname(&held).unwrap()).unwrap();
    (held, address.port())
}

/// The steps of a scenario in a `result.json`, by their ids.
pub fn step<'a>(result: &'a Value, scenario: &str, id: &str) -> &'a Value {
    let scenarios = result["scenarios"].as_array().unwrap();
    let scenario =
        scenarios.iter().find(|found| found["id"] == scenario).unwrap_or_else(|| panic!("no {scenario}: {result:#}"));
    let steps = scenario["steps"].as_array().unwrap();
    steps.iter().find(|found| found["id"] == id).unwrap_or_else(|| panic!("no step {id}: {scenario:#}"))
}

/// One leg and population of an exchange in a step.
pub fn leg<'a>(step: &'a Value, exchange: &str, outcome: &str) -> &'a Value {
    let exchanges = step["exchanges"].as_array().unwrap();
    let exchange =
        exchanges.iter().find(|found| found["id"] == exchange).unwrap_or_else(|| panic!("no {exchange}: {step:#}"));
    let legs = exchange["legs"].as_array().unwrap();
    legs.iter().find(|found| found["outcome"] == outcome).unwrap_or_else(|| panic!("no {outcome}: {exchange:#}"))
}

/// A requirement's row.
pub fn requirement<'a>(result: &'a Value, id: &str) -> &'a Value {
    let all = result["requirements"].as_array().unwrap();
    all.iter().find(|found| found["id"] == id).unwrap_or_else(|| panic!("no {id}: {result:#}"))
}

/// Books of a step: both sums must hold, in every test.
pub fn assert_balanced(step: &Value) {
    let of = |name: &str| step[name].as_u64().unwrap_or_else(|| panic!("{name}: {step:#}"));
    assert_eq!(of("intended"), of("started") + of("dropped"), "{step:#}");
    assert_eq!(of("started"), of("completed") + of("failed") + of("aborted") + of("open"), "{step:#}");
}

/// Every file below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
