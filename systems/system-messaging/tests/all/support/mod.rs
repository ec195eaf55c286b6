//! Starts the real process, posts messages to it, and listens for what it delivers.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

pub(crate) mod message;
pub(crate) mod partner;

use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use testkit::program::{Answer, Link, read_message, wait_until};

/// The agreements of the studies.
pub(crate) fn cpas(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/messaging/data").join(name)
}

/// The program with flags, free of the surrounding run.
pub(crate) fn command(flags: &[&str]) -> Command {
    let mut command = testkit::program::command(env!("CARGO_BIN_EXE_system-messaging"), "");
    command.args(flags);
    command
}

/// A running service, or the server of its store.
pub(crate) struct Process(testkit::program::Process);

impl Deref for Process {
    type Target = testkit::program::Process;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Process {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Process {
    /// A service over a store, delivering to an address.
    pub(crate) fn start(store: &str, cpas_name: &str, pong_to: &str, flags: &str) -> Self {
        let folder = cpas(cpas_name);
        let mut all = vec!["--store", store, "--cpas", folder.to_str().unwrap(), "--pong-to", pong_to];
        all.extend(flags.split_whitespace());
        Self::from(command(&all))
    }

    pub(crate) fn from(command: Command) -> Self {
        Self(command.into())
    }

    /// Posts a message as it should be.
    pub(crate) fn post(&self, kind: &str, body: impl AsRef<[u8]>) -> Answer {
        self.try_post(kind, body).unwrap()
    }

    pub(crate) fn try_post(&self, kind: &str, body: impl AsRef<[u8]>) -> io::Result<Answer> {
        let headers = [("soapaction", "\"ebXML\""), ("content-type", kind)];
        self.try_call("POST", "/ebms", &headers, body)
    }

    /// One of the counters of all messages.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.counters()["messages"][name].as_u64().unwrap_or_else(|| panic!("no count {name}"))
    }

    /// Waits until a counter has reached a number; fails after [`PATIENCE`].
    pub(crate) fn wait_for(&self, name: &str, number: u64) {
        wait_until(&format!("{name} = {number}; {:#}", self.counters()["messages"]), || self.count(name) >= number);
    }
}
