//! The running server: started, stopped, frozen and killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{ChildStderr, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::sync::watch;

use super::processes;

/// How a server of some kind is asked to end: signals and the patience after each, the kindest first. After the last it
/// is killed.
pub type Farewell = &'static [(Signal, Duration)];

/// What a server says when somebody else has its port: the system's own words (EADDRINUSE), without a language.
const PORT_IN_USE: &str = "Address already in use";
/// Longest wait for the last words of a server that has ended.
const WORDS_WITHIN: Duration = Duration::from_secs(1);
/// Bytes of one line of a server's words; a longer one is shown in pieces.
const LINE_BYTES_MAX: u64 = 64 * 1024;

/// A server that was started. It is this process's child.
pub struct Server {
    /// Its process id.
    pub pid: u32,
    /// Held, since the number could pass to a stranger after the end.
    descriptor: OwnedFd,
    ended: watch::Receiver<Option<String>>,
    farewell: Farewell,
    /// Whether it said that its port is in use.
    lost_port: Arc<AtomicBool>,
}

impl Server {
    /// Starts it; it is not ready yet. `name` is the program's, for messages. What it writes on standard error is shown,
    /// all of it before its end is told.
    ///
    /// # Errors
    /// The system starts no process.
    pub fn start(name: &str, mut command: Command, farewell: Farewell) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot start `{name}`"))?;
        let pid = Pid::from_child(&child);
        let descriptor = pidfd_open(pid, PidfdFlags::empty()).inspect_err(|_| drop(child.kill()));
        let descriptor = descriptor.with_context(|| format!("cannot watch `{name}`"))?;
        let (sender, ended) = watch::channel(None);
        let number = child.id();
        let lost_port = Arc::new(AtomicBool::new(false));
        let (told, all_told) = channel::<()>();
        if let Some(errors) = child.stderr.take() {
            let lost_port = Arc::clone(&lost_port);
            let show = move || {
                show(errors, &lost_port);
                drop(told);
            };
            let shower = std::thread::Builder::new().name("words".to_owned()).spawn(show);
            shower.with_context(|| format!("cannot read what `{name}` says")).inspect_err(|_| drop(child.kill()))?;
        }
        let wait = move || {
            let how = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
            // A descendant that is frozen may hold the pipe open for longer.
            let _ = all_told.recv_timeout(WORDS_WITHIN);
            sender.send_replace(Some(how));
        };
        let waiter = std::thread::Builder::new().name("server".to_owned()).spawn(wait);
        waiter.with_context(|| format!("cannot wait for `{name}`"))?;
        Ok(Self { pid: number, descriptor, ended, farewell, lost_port })
    }

    /// Whether it could not listen, since somebody else does at its port.
    pub fn has_lost_its_port(&self) -> bool {
        self.lost_port.load(Ordering::Relaxed)
    }

    /// Waits for its end; says how it ended.
    pub async fn ended(&self) -> String {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(how) => how.clone().unwrap_or_default(),
            Err(_) => "it cannot be waited for".to_owned(),
        }
    }

    /// How it ended; `None` while it runs.
    pub fn end(&self) -> Option<String> {
        self.ended.borrow().clone()
    }

    /// Ends it: as its [`Farewell`] says, then by force. Returns when it has ended.
    pub async fn stop(&self) {
        self.thaw();
        for (signal, patience) in self.farewell {
            let _ = pidfd_send_signal(&self.descriptor, *signal);
            if tokio::time::timeout(*patience, self.ended()).await.is_ok() {
                return;
            }
        }
        self.kill();
        self.ended().await;
    }

    /// Ends all its processes with SIGKILL, as a machine that fails would: no connection is closed in good order.
    pub fn kill(&self) {
        let tree = processes::tree(self.pid);
        // The server first: it would restart its background processes.
        let _ = pidfd_send_signal(&self.descriptor, Signal::KILL);
        processes::signal(&tree[1..], Signal::KILL);
    }

    /// Stops all its processes in their tracks.
    pub fn freeze(&self) {
        // The server first: while it is stopped it starts no process that would be missed.
        let _ = pidfd_send_signal(&self.descriptor, Signal::STOP);
        processes::signal(&processes::tree(self.pid)[1..], Signal::STOP);
    }

    /// Lets them run again.
    pub fn thaw(&self) {
        processes::signal(&processes::tree(self.pid)[1..], Signal::CONT);
        let _ = pidfd_send_signal(&self.descriptor, Signal::CONT);
    }
}

/// Shows the words of a server until its end, and takes note of a port that is in use.
fn show(errors: ChildStderr, lost_port: &AtomicBool) {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    while errors.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        if String::from_utf8_lossy(&line).contains(PORT_IN_USE) {
            lost_port.store(true, Ordering::Relaxed);
        }
        // Nobody may be left who reads it; the server is not to feel that.
        let _ = std::io::stderr().write_all(&line);
        line.clear();
    }
}
