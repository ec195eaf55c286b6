//! The process between an instance and its log: whatever has to go from the log never reaches the disk.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::fs::File;
use std::io::{PipeWriter, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use terms::Nanos;

/// How long the rest of the output of an instance that has ended is waited for. Whoever else holds its output open, such
/// as a process that it left behind, is not waited for.
const GRACE: Nanos = Nanos::from_secs(3);
/// After so long a keeper has written the whole lines of an instance that says nothing more.
const QUIET: Nanos = Nanos::from_millis(400);

/// A program that reads the output of an instance and writes its log: a process of its own, so that an instance that
/// outlives loadproof neither blocks nor dies for want of a reader, and a killed run leaves no log that was not looked
/// through.
#[derive(Clone, Debug)]
pub struct LogKeeper {
    /// The program. It reads its standard input to the end, and its standard output is the log.
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// What it is given to read before the instance's output.
    pub opening: Opening,
}

/// Bytes that hold secrets. Cannot be printed.
#[derive(Clone)]
pub struct Opening(pub Arc<[u8]>);

impl std::fmt::Debug for Opening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

/// A keeper at work.
pub(crate) struct Keeping {
    child: Child,
    descriptor: OwnedFd,
}

impl LogKeeper {
    /// Starts one for a log. What is written into the pipe goes there.
    ///
    /// # Errors
    /// One sentence.
    pub(crate) fn start(&self, log: File) -> Result<(PipeWriter, Keeping), String> {
        let wrong = |error: std::io::Error| format!("the process that keeps its log cannot be started: {error}");
        let (reader, mut writer) = std::io::pipe().map_err(wrong)?;
        let mut command = Command::new(&self.program);
        // A group of its own: neither Ctrl-C nor the end of the instance's group ends it, but the end of the output.
        command.arg0("loadproof").args(&self.arguments).env_clear().process_group(0);
        let mut child = command.stdin(reader).stdout(log).stderr(Stdio::null()).spawn().map_err(wrong)?;
        // The command holds the reading end; with that open, nobody would hear that the keeper is gone.
        drop(command);
        let started = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).map_err(std::io::Error::from);
        let started = started.and_then(|descriptor| writer.write_all(&self.opening.0).map(|()| descriptor));
        match started {
            Ok(descriptor) => Ok((writer, Keeping { child, descriptor })),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(wrong(error))
            }
        }
    }
}

impl Keeping {
    /// Waits until the log has what the instance wrote, at most a while.
    pub(crate) fn wait(&self, is_ended: bool) {
        let at_most = if is_ended { GRACE } else { QUIET };
        let _ = poll(&mut [PollFd::new(&self.descriptor, PollFlags::IN)], Some(&timespec(at_most)));
    }

    /// The instance has ended: waits for the rest, and reaps. One that still reads goes on by itself.
    pub(crate) fn end(&mut self) {
        self.wait(true);
        let _ = self.child.try_wait();
    }
}

/// A time as the system takes it; nothing below zero.
pub(crate) fn timespec(time: Nanos) -> Timespec {
    let time = time.or_zero().0;
    Timespec { tv_sec: time / 1_000_000_000, tv_nsec: time % 1_000_000_000 }
}
