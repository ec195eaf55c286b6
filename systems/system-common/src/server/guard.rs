//! The guard: a second process of this program that cleans up when the first has ended, however it ended.
//!
//! It reads lines from the supervisor through a pipe. When the pipe closes, the supervisor is gone: killed, crashed, or
//! done. The server would otherwise run on, as an orphan with nobody to end it.

use std::fs::File;
use std::io::{self, BufRead, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal, test_kill_process_group,
};

use super::processes;

/// First argument of the guard; no flag of the command line.
const GUARD_FLAG: &str = "--guard";

/// Time for a server to end without saving anything, before it is killed.
const PATIENCE: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };
const NO_TIME: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// A second process of this program that ends the server and removes its files when the first has gone; this is the
/// supervisor's end of the pipe to it.
pub struct Guard {
    child: Child,
    /// Locks of folders, until the supervisor ends.
    held: Vec<File>,
}

impl Guard {
    /// Starts it, in a process group of its own: what kills the supervisor's group must not kill the guard too.
    ///
    /// # Errors
    /// The system starts no process.
    pub fn start() -> Result<Self> {
        let mut command = Command::new("/proc/self/exe");
        command.arg(GUARD_FLAG).stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0).current_dir("/");
        Ok(Self { child: command.spawn().context("cannot start the guard")?, held: Vec::new() })
    }

    /// This folder goes when the supervisor ends.
    ///
    /// # Errors
    /// The guard is gone.
    pub fn remove_at_end(&mut self, folder: &Path) -> Result<()> {
        self.tell(&format!("folder {}", folder.display()))
    }

    /// This server ends when the supervisor ends.
    ///
    /// # Errors
    /// The guard is gone.
    pub fn end_at_end(&mut self, pid: u32) -> Result<()> {
        self.tell(&format!("server {pid}"))
    }

    /// This program, which leads a process group of its own, and its children end when the supervisor ends.
    ///
    /// # Errors
    /// The guard is gone.
    pub(super) fn end_group_at_end(&mut self, pid: u32) -> Result<()> {
        self.tell(&format!("group {pid}"))
    }

    /// Keeps a lock until the supervisor ends.
    pub(super) fn hold(&mut self, lock: File) {
        self.held.push(lock);
    }

    fn tell(&mut self, line: &str) -> Result<()> {
        let pipe = self.child.stdin.as_mut().context("the guard is gone")?;
        writeln!(pipe, "{line}").and_then(|()| pipe.flush()).context("the guard is gone")
    }

    /// Lets it do its work now, and waits for it.
    pub fn finish(mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Whether this process was started as a guard.
pub(super) fn is_guard() -> bool {
    std::env::args_os().nth(1).is_some_and(|first| first == GUARD_FLAG)
}

/// The guard's whole life.
pub(super) fn run() {
    let (mut folders, mut servers, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        match line.split_once(' ') {
            Some(("folder", path)) => folders.push(PathBuf::from(path)),
            Some(("server", pid)) => servers.extend(Server::watch(pid)),
            Some(("group", pid)) => groups.extend(Server::watch(pid)),
            _ => {}
        }
    }
    groups.iter().for_each(Server::kill_group);
    servers.iter().for_each(Server::end);
    for folder in folders {
        if let Err(error) = std::fs::remove_dir_all(&folder)
            && error.kind() != io::ErrorKind::NotFound
        {
            eprintln!("warning: cannot remove `{}`: {error}", folder.display());
        }
    }
}

/// A server, held by a descriptor: its number could pass to a stranger.
struct Server {
    pid: u32,
    descriptor: OwnedFd,
}

impl Server {
    fn watch(pid: &str) -> Option<Self> {
        let pid: u32 = pid.parse().ok()?;
        let descriptor = pidfd_open(Pid::from_raw(i32::try_from(pid).ok()?)?, PidfdFlags::empty()).ok()?;
        Some(Self { pid, descriptor })
    }

    /// Ends it at once (PostgreSQL: without a checkpoint; MariaDB has no such way and ends in good order or by force):
    /// nobody is left who would want its data.
    fn end(&self) {
        if self.has_ended(NO_TIME) {
            return;
        }
        // It may have been stopped by the fault `stall`; a stopped process takes no signal.
        processes::signal(&processes::tree(self.pid), Signal::CONT);
        let _ = pidfd_send_signal(&self.descriptor, Signal::QUIT);
        if !self.has_ended(PATIENCE) {
            let tree = processes::tree(self.pid);
            let _ = pidfd_send_signal(&self.descriptor, Signal::KILL);
            processes::signal(&tree[1..], Signal::KILL);
            self.has_ended(PATIENCE);
        }
    }

    /// Kills it and all that it has started, if it still runs, and waits until none of them writes any more: they make
    /// files that nobody will use.
    fn kill_group(&self) {
        let Some(group) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) else { return };
        if self.has_ended(NO_TIME) || kill_process_group(group, Signal::KILL).is_err() {
            return;
        }
        let since = Instant::now();
        while test_kill_process_group(group).is_ok() && since.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn has_ended(&self, within: Timespec) -> bool {
        poll(&mut [PollFd::new(&self.descriptor, PollFlags::IN)], Some(&within)).is_ok_and(|ready| ready > 0)
    }
}
