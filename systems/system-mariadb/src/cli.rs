//! How this server is started and watched over.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::Signal;
use system_common::server::{Books, Farewell, Guard, Kind, Owner, Server, free_port, supervise};
use system_common::{About, CrashBy, DelayAt, FaultKind, Lifetime, Service, runtime};

use crate::database::{Database, connection};
use crate::files::{Files, HOST};
use crate::options::Options;
use crate::programs::Programs;

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
        let service = Service::new(about, &options.server.service, born)?;
        let mut guard = Guard::start()?;
        let kind = MariaDb { options, running: None };
        let code = supervise(kind, service, &mut guard, born, options.server.restart_after).await;
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
        let port = match self.options.server.sql_port {
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
        if !options.server.keep {
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
        let options = connection(*port, &self.options.server.role, &self.options.server.database);
        let data = files.data();
        let wait = Database::wait(options, server, &data, &self.options.settings, books, lifetime);
        tokio::runtime::Handle::current().block_on(wait)
    }

    fn choose_another_port(&mut self) -> Result<bool> {
        if self.options.server.sql_port != 0 {
            return Ok(false);
        }
        if let Some(running) = &mut self.running {
            running.port = free_port().context("there is no free port")?;
        }
        Ok(true)
    }

    fn url(&self) -> String {
        format!("mysql://{}@{HOST}:{}/{}", self.options.server.role, self.running().port, self.options.server.database)
    }
}
