//! Starts the Java process, and sees to it that it ends: with a signal, with its parent, after its time.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use target_common::flags::read;

use crate::java::Java;
use crate::options::{Flags, Options};

const PROGRAM: &str = "target-jvm";

/// Environment variable with the id of the process that a target ends with.
const PARENT_VARIABLE: &str = "LOADPROOF_PARENT_PID";

/// SIGINT and SIGTERM, whose numbers are the same on every Linux.
const ENDING_SIGNALS: [i32; 2] = [2, 15];

/// Longest single wait, so that no duration is too long for the kernel.
const WAIT_MAX: Duration = Duration::from_secs(3600);

/// Exit code for what stands in the way on this machine.
const TROUBLE: u8 = 4;

/// The whole program.
pub fn main() -> ExitCode {
    let options = read(std::env::args_os(), Flags::options).unwrap_or_else(|error| error.exit());
    run(&options).unwrap_or_else(|why| {
        eprintln!("error: {why}");
        ExitCode::from(TROUBLE)
    })
}

fn run(options: &Options) -> Result<ExitCode, String> {
    // What ends this process is watched from before anything is started.
    let signal = signal_descriptor().map_err(|error| format!("signals cannot be caught: {error}"))?;
    let parent = parent_descriptor()?;
    let java = Java::find()?;
    let folder = Folder::make()?;
    let class = java.prepare(&folder.0)?;
    let mut server = Server::start(&java.java, options, &class)?;
    let until = Instant::now() + Duration::from_nanos(options.exit_after_ns);
    let why = server.wait(&signal, parent.as_ref(), until).map_err(|error| format!("waiting failed: {error}"))?;
    match why {
        End::Asked => Ok(ExitCode::SUCCESS),
        End::Java(status) => Err(format!("the Java process ended by itself ({status}); its own words are above")),
    }
}

/// A folder of our own, gone when this is dropped.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("{PROGRAM}-{}", std::process::id()));
        std::fs::create_dir(&path)
            .map_err(|error| format!("the folder `{}` cannot be made: {error}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Why the end has come.
enum End {
    /// By a signal, with the parent, or since the time is over.
    Asked,
    /// The Java process ended.
    Java(std::process::ExitStatus),
}

/// The Java process; killed when dropped. It holds the other end of its standard input, so that it also ends when this
/// process is killed.
struct Server(Child);

impl Server {
    fn start(java: &Path, options: &Options, class: &[String]) -> Result<Self, String> {
        let child = Command::new(java)
            .args(options.machine())
            .args(class)
            .args(options.server())
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|error| format!("`{}` cannot be started: {error}", java.display()))?;
        Ok(Self(child))
    }

    fn wait(&mut self, signal: &UnixStream, parent: Option<&OwnedFd>, until: Instant) -> io::Result<End> {
        let own = pidfd_open(Pid::from_child(&self.0), PidfdFlags::empty())?;
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(End::Java(status));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(End::Asked);
            }
            let mut watched = vec![PollFd::new(&own, PollFlags::IN), PollFd::new(signal, PollFlags::IN)];
            watched.extend(parent.map(|parent| PollFd::from_borrowed_fd(parent.as_fd(), PollFlags::IN)));
            let wait = Timespec::try_from(left.min(WAIT_MAX)).map_err(io::Error::other)?;
            match poll(&mut watched, Some(&wait)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if watched[1..].iter().any(|one| !one.revents().is_empty()) {
                return Ok(End::Asked);
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A descriptor that becomes readable when a signal asks the process to end.
fn signal_descriptor() -> io::Result<UnixStream> {
    let (reader, writer) = UnixStream::pair()?;
    reader.set_nonblocking(true)?;
    for signal in ENDING_SIGNALS {
        signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
    }
    Ok(reader)
}

/// A descriptor that becomes readable when the parent named in the environment ends; `None` when none is named.
fn parent_descriptor() -> Result<Option<OwnedFd>, String> {
    let Ok(text) = std::env::var(PARENT_VARIABLE) else { return Ok(None) };
    let pid = text.parse::<i32>().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| format!("`{PARENT_VARIABLE}` holds `{text}`, which is not a process id"))?;
    pidfd_open(pid, PidfdFlags::empty())
        .map(Some)
        .map_err(|error| format!("the process {text} named in `{PARENT_VARIABLE}` cannot be watched: {error}"))
}
