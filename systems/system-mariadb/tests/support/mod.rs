//! One running `system-mariadb`, and a client of its database.

use std::path::Path;
use std::process::Command;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, OptsBuilder};
use testkit::program::Process;

/// The program with these flags, in no study.
pub(crate) fn command(line: &str) -> Command {
    testkit::program::command(env!("CARGO_BIN_EXE_system-mariadb"), line)
}

/// A supervisor whose server is ready, with a small buffer pool, in a folder that only its owner can enter unless `flags`
/// name another. Dropped, it is killed, and its guard cleans up.
pub(crate) fn start(flags: &str) -> Process {
    start_with(flags, &[])
}

/// The same, with environment variables.
pub(crate) fn start_with(flags: &str, environment: &[(&str, &Path)]) -> Process {
    let folder = tempfile::tempdir().unwrap();
    let place = if flags.contains("--data ") { String::new() } else { format!("--data {}/m", folder.path().display()) };
    let mut command = command(&format!("--buffer-pool 16MB {place} {flags}"));
    command.envs(environment.iter().copied());
    Process::supervising(command).with(folder)
}

/// A connection that blocks.
pub(crate) struct Client {
    runtime: tokio::runtime::Runtime,
    connection: Option<Conn>,
}

impl Client {
    /// Connects over TCP.
    pub(crate) fn connect(url: &str) -> Result<Self, mysql_async::Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let options: Opts = OptsBuilder::from_opts(Opts::from_url(url).unwrap()).prefer_socket(Some(false)).into();
        let connection = Some(runtime.block_on(Conn::new(options))?);
        Ok(Self { runtime, connection })
    }

    /// Carries out a statement.
    pub(crate) fn run(&mut self, statement: &str) -> Result<(), mysql_async::Error> {
        self.runtime.block_on(self.connection.as_mut().unwrap().query_drop(statement))
    }

    /// The first value of the first row.
    pub(crate) fn text(&mut self, statement: &str) -> String {
        let row: Option<String> =
            self.runtime.block_on(self.connection.as_mut().unwrap().query_first(statement)).unwrap();
        row.unwrap_or_else(|| panic!("no row: {statement}"))
    }
}

impl Drop for Client {
    /// The library's connection says goodbye on the runtime, which must still be there.
    fn drop(&mut self) {
        let _inside = self.runtime.enter();
        drop(self.connection.take());
    }
}
