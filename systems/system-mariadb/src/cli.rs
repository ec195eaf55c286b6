//! The command line, and how this server is started.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Parser;
use rustix::process::Signal;
use system_common::server::{
    Books, Farewell, Guard, Kind, Owner, Server, duration, free_port, plain_name, setting, size, supervise,
};
use system_common::{About, CrashBy, DelayAt, FaultKind, Lifetime, Service, ServiceOptions, runtime};

use crate::database::{Database, connection};
use crate::files::{Files, HOST};
use crate::programs::Programs;

/// A private MariaDB for one run: loopback only, its data gone with it
#[derive(Parser, Debug)]
#[command(name = "system-mariadb", version)]
pub(crate) struct Options {
    #[command(flatten)]
    service: ServiceOptions,
    /// Port of the database on 127.0.0.1; 0 takes a free one, which is printed
    #[arg(long, default_value_t = 0)]
    sql_port: u16,
    /// Folder of the database's files: a new or empty one is removed at the end, one that holds a database is kept
    #[arg(long, value_name = "PATH")]
    pub(crate) data: PathBuf,
    /// Keep the files; a folder that is there already is always kept
    #[arg(long)]
    pub(crate) keep: bool,
    /// The one role that can connect, without a password, from this machine
    #[arg(long, default_value = "lab", value_parser = plain_name)]
    pub(crate) role: String,
    /// Its database
    #[arg(long, default_value = "lab", value_parser = plain_name)]
    pub(crate) database: String,
    /// Most connections at a time
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(10..=10_000))]
    max_connections: u32,
    /// Memory for pages of tables and indexes
    #[arg(long, default_value = "256MB", value_parser = size)]
    buffer_pool: String,
    /// When a commit is on the disk: 1 before it is answered; 2 within a second, safe if only the server dies; 0 within
    /// a second
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=2))]
    flush_log_at_commit: u8,
    /// Any other setting of the server; can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = own_setting)]
    settings: Vec<(String, String)>,
    /// Start the server again on the same files when it has ended, so long after: when the fault `crash` or anybody else
    /// has killed it
    #[arg(long, value_name = "TIME", value_parser = duration)]
    restart_after: Option<Duration>,
    /// Folder of `mariadbd` [default: $LOADPROOF_MARIADB_BIN, else looked for]
    #[arg(long, value_name = "PATH")]
    bin_dir: Option<PathBuf>,
}

/// Settings that this program gives itself.
const OWN: &[&str] = &[
    "basedir",
    "bind_address",
    "datadir",
    "init_file",
    "innodb_flush_log_at_trx_commit",
    "log_error",
    "pid_file",
    "port",
    "socket",
    "tmpdir",
    "user",
];

fn own_setting(text: &str) -> Result<(String, String), String> {
    if text.starts_with("innodb_flush_log_at_trx_commit=") {
        return Err(
            "`innodb_flush_log_at_trx_commit` has a flag of its own: write `--flush-log-at-commit 2`".to_owned()
        );
    }
    setting(text, OWN, "innodb_io_capacity=1000")
}

const FAULTS: &[FaultKind] = &[FaultKind::Stall, FaultKind::Crash];

/// SIGTERM is the one orderly shutdown that the server knows (MariaDB's manual, "Stopping a Server").
const FAREWELL: Farewell = &[(Signal::TERM, Duration::from_secs(8))];

/// Threads that block.
const BLOCKING: usize = 4;

/// Runs to the end. `born` is the start of the process.
pub(crate) fn run(options: &Options, born: Instant) -> Result<ExitCode> {
    let runtime = runtime(BLOCKING)?;
    let code = runtime.block_on(async {
        let about = About {
            program: "system-mariadb",
            module: "mariadb",
            version: env!("CARGO_PKG_VERSION"),
            routes: &[],
            faults: FAULTS,
            delay_at: DelayAt::Entry,
            crash_by: CrashBy::Program,
        };
        let service = Service::new(about, &options.service, born)?;
        let mut guard = Guard::start()?;
        let kind = MariaDb { options, running: None };
        let code = supervise(kind, service, &mut guard, born, options.restart_after).await;
        guard.finish();
        code
    });
    // A question that a frozen server never answers must not hold the end up.
    runtime.shutdown_timeout(Duration::from_millis(200));
    code
}

/// This kind of server. Files and port are known once it was started.
struct MariaDb<'a> {
    options: &'a Options,
    running: Option<Running>,
}

#[derive(Clone)]
struct Running {
    files: Files,
    port: u16,
}

impl MariaDb<'_> {
    fn running(&self) -> &Running {
        self.running.as_ref().expect("invariant: a server is asked only once it was started")
    }

    /// Finds or makes the files and chooses a port, the first time; `None` if the process was told to end meanwhile.
    fn place(
        &mut self,
        programs: &Programs,
        owner: &Owner,
        guard: &mut Guard,
        lifetime: &Lifetime,
    ) -> Result<Option<Running>> {
        if let Some(running) = &self.running {
            return Ok(Some(running.clone()));
        }
        let Some(files) = Files::prepare(self.options, programs, owner, guard, lifetime)? else { return Ok(None) };
        let port = match self.options.sql_port {
            0 => free_port().context("there is no free port")?,
            port => port,
        };
        Ok(Some(self.running.insert(Running { files, port }).clone()))
    }

    /// What stands behind the program's name: one a setting.
    fn flags(&self, files: &Files, port: u16) -> Vec<String> {
        let options = self.options;
        let mut flags = vec!["--no-defaults".to_owned()];
        let mut set = |name: &str, value: &str| flags.push(format!("--{name}={value}"));
        set("max_connections", &options.max_connections.to_string());
        // The server writes `M` where PostgreSQL writes `MB`.
        set("innodb_buffer_pool_size", options.buffer_pool.trim_end_matches('B'));
        // Caches of kinds of tables that hold nothing here but the server's own.
        set("key_buffer_size", "1M");
        set("aria_pagecache_buffer_size", "8M");
        // Connections that break are the load's business, not the log's.
        set("log_warnings", "1");
        if !options.keep {
            // Nobody reads the data afterwards, so nothing needs to be written out at the end; a log that is replayed
            // at the next start would be enough anyway.
            set("innodb_fast_shutdown", "2");
        }
        set("skip_log_bin", "1");
        // The last word on a setting counts, so what was asked for comes after what is only usual here.
        options.settings.iter().for_each(|(name, value)| set(name, value));
        set("innodb_flush_log_at_trx_commit", &options.flush_log_at_commit.to_string());
        set("datadir", &files.data().display().to_string());
        set("tmpdir", &files.tmp().display().to_string());
        set("init_file", &files.start().display().to_string());
        set("pid_file", &files.folder().join("pid").display().to_string());
        // Loopback only, and no socket in a folder that others may share.
        set("bind_address", HOST);
        set("port", &port.to_string());
        set("socket", "");
        // A name for 127.0.0.1 would be asked of somebody else, at every connection.
        set("skip_name_resolve", "1");
        flags
    }
}

impl Kind for MariaDb<'_> {
    type Database = Database;

    fn start(&mut self, guard: &mut Guard, lifetime: &Lifetime) -> Result<Option<Server>> {
        let programs = Programs::find(self.options.bin_dir.as_deref())?;
        let owner = Owner::choose("MariaDB", &["mysql", "nobody"])?;
        let Some(Running { files, port }) = self.place(&programs, &owner, guard, lifetime)? else { return Ok(None) };
        if lifetime.has_ended() {
            return Ok(None);
        }
        let mut command = owner.command(&programs.server, files.folder());
        command.env("TMPDIR", files.tmp());
        command.args(self.flags(&files, port));
        let server = Server::start("mariadbd", command, FAREWELL)?;
        guard.end_at_end(server.pid)?;
        Ok(Some(server))
    }

    fn ready(&self, server: &Server, books: &Arc<Books>, lifetime: &Lifetime) -> Result<Option<Arc<Database>>> {
        let Running { files, port } = self.running();
        let options = connection(*port, &self.options.role, &self.options.database);
        let data = files.data();
        let wait = Database::wait(options, server, &data, &self.options.settings, books, lifetime);
        tokio::runtime::Handle::current().block_on(wait)
    }

    fn choose_another_port(&mut self) -> Result<bool> {
        if self.options.sql_port != 0 {
            return Ok(false);
        }
        if let Some(running) = &mut self.running {
            running.port = free_port().context("there is no free port")?;
        }
        Ok(true)
    }

    fn url(&self) -> String {
        format!("mysql://{}@{HOST}:{}/{}", self.options.role, self.running().port, self.options.database)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
        let line = "system-mariadb --port 8080 --sql-port 3307 --data scratch/mariadb --max-connections 50 \
                    --buffer-pool 64MB --flush-log-at-commit 2 --set innodb_io_capacity=1000 --restart-after 3s \
                    --fault crash=at:30s --fault stall=37s/4s";
        let options = Options::try_parse_from(line.split_whitespace()).unwrap();
        assert_eq!(options.settings, [("innodb_io_capacity".to_owned(), "1000".to_owned())]);
        assert_eq!((options.flush_log_at_commit, options.restart_after), (2, Some(Duration::from_secs(3))));
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let message = |more: &str| {
            let line = format!("system-mariadb --data x {more}");
            Options::try_parse_from(line.split(' ')).unwrap_err().to_string()
        };
        assert!(message("--buffer-pool 256M").contains("`256M` is no size; write a whole number of `kB`"));
        assert!(message("--set log_bin").contains("write `NAME=VALUE`"));
        assert!(message("--set bind_address=*").contains("`bind_address` is not free here"));
        assert!(message("--set innodb_flush_log_at_trx_commit=2").contains("write `--flush-log-at-commit 2`"));
        assert!(message("--flush-log-at-commit 3").contains("3 is not in 0..=2"));
        assert!(message("--restart-after 3").contains("write for example `3s`"));
        assert!(message("--role Lab;DROP").contains("is no plain name"));
    }
}
