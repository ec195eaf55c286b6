//! The running server: started, stopped, frozen and killed.

use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::sync::watch;

use crate::cluster::Cluster;
use crate::owner::Owner;
use crate::processes;
use crate::programs::Programs;

/// How the server is to run.
pub(crate) struct Settings {
    /// Port on 127.0.0.1.
    pub(crate) port: u16,
    /// Name and value of every setting that is not the server's own default.
    pub(crate) list: Vec<(String, String)>,
}

/// Time for a fast shutdown: connections are broken, and what is in memory is written out.
const FAST: Duration = Duration::from_secs(6);
/// Time for an immediate one: nothing is written out.
const IMMEDIATE: Duration = Duration::from_secs(2);

/// A server that was started. It is this process's child.
pub(crate) struct Server {
    pub(crate) pid: u32,
    /// Held, since the number could pass to a stranger after the end.
    descriptor: OwnedFd,
    ended: watch::Receiver<Option<String>>,
}

impl Server {
    /// Starts it; it is not ready yet.
    ///
    /// # Errors
    /// The system starts no process.
    pub(crate) fn start(programs: &Programs, owner: &Owner, cluster: &Cluster, settings: &Settings) -> Result<Self> {
        let mut command = owner.command(&programs.path("postgres"), &cluster.folder);
        command.arg("-D").arg(&cluster.folder).args(["-p", &settings.port.to_string()]);
        // Loopback only, and no socket in a folder that others may share.
        for fixed in ["listen_addresses=127.0.0.1", "unix_socket_directories=", "logging_collector=off"] {
            command.args(["-c", fixed]);
        }
        for (name, value) in &settings.list {
            command.args(["-c", &format!("{name}={value}")]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.spawn().context("cannot start `postgres`")?;
        let pid = Pid::from_child(&child);
        let descriptor = pidfd_open(pid, PidfdFlags::empty()).inspect_err(|_| drop(child.kill()));
        let descriptor = descriptor.context("cannot watch `postgres`")?;
        let (sender, ended) = watch::channel(None);
        let number = child.id();
        let wait = move || {
            let how = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
            sender.send_replace(Some(how));
        };
        std::thread::Builder::new().name("server".to_owned()).spawn(wait).context("cannot wait for `postgres`")?;
        Ok(Self { pid: number, descriptor, ended })
    }

    /// Waits for its end; says how it ended.
    pub(crate) async fn ended(&self) -> String {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(how) => how.clone().unwrap_or_default(),
            Err(_) => "it cannot be waited for".to_owned(),
        }
    }

    /// How it ended; `None` while it runs.
    pub(crate) fn end(&self) -> Option<String> {
        self.ended.borrow().clone()
    }

    /// Ends it: fast, then at once, then by force. Returns when it has ended.
    pub(crate) async fn stop(&self) {
        self.thaw();
        // SIGINT is the fast shutdown, SIGQUIT the immediate one (PostgreSQL's manual, "Shutting Down the Server").
        for (signal, patience) in [(Signal::INT, FAST), (Signal::QUIT, IMMEDIATE)] {
            let _ = pidfd_send_signal(&self.descriptor, signal);
            if tokio::time::timeout(patience, self.ended()).await.is_ok() {
                return;
            }
        }
        self.kill();
        self.ended().await;
    }

    /// Ends all its processes with SIGKILL, as a machine that fails would: no connection is closed in good order.
    pub(crate) fn kill(&self) {
        let tree = processes::tree(self.pid);
        // The server first: it would restart its background processes.
        let _ = pidfd_send_signal(&self.descriptor, Signal::KILL);
        processes::signal(&tree[1..], Signal::KILL);
    }

    /// Stops all its processes in their tracks.
    pub(crate) fn freeze(&self) {
        // The server first: while it is stopped it starts no process that would be missed.
        let _ = pidfd_send_signal(&self.descriptor, Signal::STOP);
        processes::signal(&processes::tree(self.pid)[1..], Signal::STOP);
    }

    /// Lets them run again.
    pub(crate) fn thaw(&self) {
        processes::signal(&processes::tree(self.pid)[1..], Signal::CONT);
        let _ = pidfd_send_signal(&self.descriptor, Signal::CONT);
    }
}
