//! When a service ends: on a signal, with its parent, or with its standard input. It must never outlive its study.

use std::io::{self, Read};
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Variable with the id of the process that this one must not outlive.
const PARENT_VARIABLE: &str = "LOADPROOF_PARENT_PID";

/// Tells all parts of a process that it is to end. Clones see the same end.
#[derive(Clone)]
pub struct Lifetime {
    ended: watch::Receiver<Option<&'static str>>,
}

impl Lifetime {
    /// Begins to watch SIGTERM and SIGINT, the parent that `LOADPROOF_PARENT_PID` names, and standard input if asked.
    /// Must be called within a runtime.
    ///
    /// # Errors
    /// The variable holds no process id, that process is gone already, or the system refuses to watch.
    pub fn watch(with_stdin: bool) -> Result<Self, String> {
        let (sender, ended) = watch::channel(None);
        for (kind, name) in [(SignalKind::terminate(), "SIGTERM"), (SignalKind::interrupt(), "SIGINT")] {
            let mut signals = signal(kind).map_err(|error| format!("{name} cannot be watched: {error}"))?;
            let sender = sender.clone();
            tokio::spawn(async move {
                signals.recv().await;
                sender.send_replace(Some(name));
            });
        }
        if let Some(parent) = parent()? {
            watch_parent(parent, sender.clone()).map_err(|error| format!("the parent cannot be watched: {error}"))?;
        }
        if with_stdin {
            watch_stdin(sender.clone()).map_err(|error| format!("standard input cannot be watched: {error}"))?;
        }
        // The receiver would see a closed channel if all watchers ended; signals never do before they fire.
        Ok(Self { ended })
    }

    /// Waits for the end; says why.
    pub async fn ended(&self) -> &'static str {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(reason) => reason.unwrap_or("it was asked to"),
            Err(_) => "its watchers ended",
        }
    }

    /// Whether the end has come; for work that is not asynchronous.
    pub fn has_ended(&self) -> bool {
        self.ended.borrow().is_some()
    }
}

fn parent() -> Result<Option<OwnedFd>, String> {
    let Ok(text) = std::env::var(PARENT_VARIABLE) else { return Ok(None) };
    let pid = text.parse().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| format!("`{PARENT_VARIABLE}` holds `{text}`, which is not a process id"))?;
    pidfd_open(pid, PidfdFlags::empty())
        .map(Some)
        .map_err(|error| format!("the process {text} named in `{PARENT_VARIABLE}` cannot be watched: {error}"))
}

/// A process descriptor becomes readable when the process ends; unlike a number it cannot be reused.
fn watch_parent(parent: OwnedFd, sender: watch::Sender<Option<&'static str>>) -> io::Result<()> {
    let wait = move || {
        while let Err(Errno::INTR) = poll(&mut [PollFd::new(&parent, PollFlags::IN)], None) {}
        sender.send_replace(Some("its parent ended"));
    };
    std::thread::Builder::new().name("parent".to_owned()).spawn(wait).map(drop)
}

/// A thread of its own: reading standard input cannot be cancelled, and must not keep the runtime from ending.
fn watch_stdin(sender: watch::Sender<Option<&'static str>>) -> io::Result<()> {
    let wait = move || {
        let mut bytes = [0u8; 256];
        loop {
            match io::stdin().read(&mut bytes) {
                Ok(1..) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => break,
            }
        }
        sender.send_replace(Some("standard input was closed"));
    };
    std::thread::Builder::new().name("stdin".to_owned()).spawn(wait).map(drop)
}
