//! One connection for a machine, which everybody in this process shares who asks it.
//!
//! It is a process of `ssh` of its own (`ControlMaster`), so that nobody who gives up a shell of theirs takes the others
//! with it. It runs nothing there but a `cat` that waits for the end of its input: however this process ends, that input
//! ends, and the connection with it. Its socket lies in a folder that only this account may enter. Where there can be
//! none, everybody connects for themselves; so does `ssh` itself where a server allows no more sessions in one connection
//! (`MaxSessions`, usually 10).

use crate::link::{OPTIONS, to};
use crate::said::Said;
use clock::Clock;
use contract::Machine;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tempfile::TempDir;
use terms::Nanos;

/// What runs there: it reads until nobody holds the other end any more.
const WAITING: &str = "exec cat >/dev/null";

/// What folders of sockets are called, before six characters that chance chooses.
const FOLDER: &str = "loadproof-ssh-";

/// What the socket is called.
const SOCKET: &str = "way";

/// Bytes of the longest path of a socket that works: its address has room for 107, and `ssh` first binds it under a name
/// that has 17 more.
const PATH_BYTES_MAX: usize = 107 - 17;

/// What has neither come nor failed for so long is given up: a server that accepts, and then says nothing.
const COMING_MAX: Nanos = Nanos::from_secs(20);

/// A connection that others use.
pub(crate) struct Shared {
    program: PathBuf,
    machine: Machine,
    folder: TempDir,
    /// Since it was begun; those who use it have clocks of their own.
    clock: Clock,
    process: Mutex<Process>,
}

struct Process {
    child: Child,
    /// Held open as long as it is used.
    _input: Option<ChildStdin>,
    /// Until the connection is there; nobody would read it afterwards.
    said: Option<Said>,
}

/// How it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Coming,
    There,
    /// It is of no use any more, or never was. What `ssh` said, where it never was.
    Gone(String),
}

/// Those at work.
static ALL: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

impl Shared {
    /// The connection to a machine; one that is of no use any more is begun anew. `None` where that cannot be.
    pub(crate) fn to(program: &Path, machine: &Machine) -> Option<Arc<Self>> {
        let mut all = lock(&ALL);
        all.retain(|known| known.strong_count() > 0);
        let same = |known: &Arc<Self>| known.is_to(program, machine) && !matches!(known.state(), State::Gone(_));
        if let Some(known) = all.iter().filter_map(Weak::upgrade).find(same) {
            return Some(known);
        }
        let folder = folder(&[std::env::temp_dir(), "/tmp".into()])?;
        let own = Arc::new(Self::begin(program, machine, folder).ok()?);
        all.push(Arc::downgrade(&own));
        Some(own)
    }

    fn begin(program: &Path, machine: &Machine, folder: TempDir) -> std::io::Result<Self> {
        let mut command = Command::new(program);
        command.args(["-oControlMaster=yes", "-oControlPersist=no"]).arg(option(&path(&folder))).args(OPTIONS);
        command.args(to(machine)).arg(WAITING);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // As for the processes that use it, an interrupt at the terminal is for the run.
        let mut child = command.process_group(0).spawn()?;
        let input = child.stdin.take();
        let said = child.stderr.take().and_then(|pipe| Said::new(pipe).ok());
        let clock = Clock::system();
        let process = Mutex::new(Process { child, _input: input, said });
        Ok(Self { program: program.to_owned(), machine: machine.clone(), folder, clock, process })
    }

    fn is_to(&self, program: &Path, machine: &Machine) -> bool {
        let place = self.machine.place;
        self.program == program && self.machine == Machine { place, ..machine.clone() }
    }

    /// How long ago it was begun.
    pub(crate) fn age(&self) -> Nanos {
        self.clock.now()
    }

    /// How it stands.
    pub(crate) fn state(&self) -> State {
        self.state_at(self.age())
    }

    fn state_at(&self, age: Nanos) -> State {
        let Process { child, said, .. } = &mut *lock(&self.process);
        let is_running = matches!(child.try_wait(), Ok(None));
        let has_socket = path(&self.folder).exists();
        let Some(words) = said else {
            // Those who use it go on where somebody has tidied the socket away; nobody else can join them.
            return if is_running && has_socket { State::There } else { State::Gone(String::new()) };
        };
        words.listen(&mut [0; 4096]);
        if is_running && has_socket {
            *said = None;
            return State::There;
        }
        if is_running && age < COMING_MAX {
            return State::Coming;
        }
        end(child);
        words.listen(&mut [0; 4096]);
        State::Gone(words.words())
    }

    /// What a process of `ssh` is told that is to use it.
    pub(crate) fn option(&self) -> String {
        option(&path(&self.folder))
    }

    /// Whether these words of `ssh` are of the socket, and not of the machine.
    pub(crate) fn is_of_socket(&self, words: &str) -> bool {
        words.contains(&path(&self.folder).display().to_string())
    }
}

/// A folder that nobody else may enter, in the first of these in which a socket has room.
fn folder(bases: &[PathBuf]) -> Option<TempDir> {
    let has_room = |base: &&PathBuf| {
        let added = "/".len() + FOLDER.len() + "123456/".len() + SOCKET.len();
        base.as_os_str().len() + added <= PATH_BYTES_MAX
    };
    let mut named = tempfile::Builder::new();
    named.prefix(FOLDER).permissions(Permissions::from_mode(0o700));
    bases.iter().filter(has_room).find_map(|base| named.tempdir_in(base).ok())
}

fn path(folder: &TempDir) -> PathBuf {
    folder.path().join(SOCKET)
}

/// As a line of a configuration has it: in quotes, with its signs of percent doubled.
fn option(path: &Path) -> String {
    format!("-oControlPath=\"{}\"", path.display().to_string().replace('%', "%%"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

impl Drop for Shared {
    fn drop(&mut self) {
        end(&mut lock(&self.process).child);
    }
}

#[cfg(test)]
mod tests;
