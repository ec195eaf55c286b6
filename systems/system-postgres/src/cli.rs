//! How this server is started and watched over.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::Signal;
use system_common::server::{Books, Farewell, Guard, Kind, Owner, Server, free_port, supervise};
use system_common::{About, CrashBy, DelayAt, FaultKind, Lifetime, Service, runtime};

use crate::cluster;
use crate::database::{Database, config};
use crate::options::Options;
use crate::programs::Programs;

const FAULTS: &[FaultKind] = &[FaultKind::Stall, FaultKind::Crash];

/// SIGINT is the fast shutdown: connections are broken, and what is in memory is written out. SIGQUIT is the immediate
/// one: nothing is written out (PostgreSQL's manual, "Shutting Down the Server").
const FAREWELL: Farewell = &[(Signal::INT, Duration::from_secs(6)), (Signal::QUIT, Duration::from_secs(2))];

/// Threads that block: the start, and questions about health.
const BLOCKING: usize = 4;

/// Runs to the end. `born` is the start of the process.
pub(crate) fn run(options: &Options, born: Instant) -> Result<ExitCode> {
    let runtime = runtime(BLOCKING)?;
    let code = runtime.block_on(async {
        let about = About {
            program: "system-postgres",
            module: "postgres",
            version: env!("CARGO_PKG_VERSION"),
            routes: &[],
            faults: FAULTS,
            delay_at: DelayAt::Entry,
            crash_by: CrashBy::Program,
        };
        let service = Service::new(about, &options.server.service, born)?;
        let mut guard = Guard::start()?;
        let kind = Postgres { options, running: None };
        let code = supervise(kind, service, &mut guard, born, options.server.restart_after).await;
        guard.finish();
        code
    });
    // A question that a frozen server never answers must not hold the end up.
    runtime.shutdown_timeout(Duration::from_millis(200));
    code
}

/// This kind of server. Folder and port are known once it was started.
struct Postgres<'a> {
    options: &'a Options,
    running: Option<Running>,
}

#[derive(Clone)]
struct Running {
    folder: PathBuf,
    port: u16,
}

impl Postgres<'_> {
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
        let Some(folder) = cluster::prepare(self.options, programs, owner, guard, lifetime)? else { return Ok(None) };
        let port = match self.options.server.sql_port {
            0 => free_port().context("there is no free port")?,
            port => port,
        };
        Ok(Some(self.running.insert(Running { folder, port }).clone()))
    }
}

impl Kind for Postgres<'_> {
    type Database = Database;

    fn start(&mut self, guard: &mut Guard, lifetime: &Lifetime) -> Result<Option<Server>> {
        let options = self.options;
        let programs = Programs::find(options.bin_dir.as_deref())?;
        let owner = Owner::choose("PostgreSQL", &["postgres", "nobody"])?;
        let Some(Running { folder, port }) = self.place(&programs, &owner, guard, lifetime)? else { return Ok(None) };
        if lifetime.has_ended() {
            return Ok(None);
        }
        let mut command = owner.command(&programs.path("postgres"), &folder);
        command.arg("-D").arg(&folder).args(["-p", &port.to_string()]);
        let mut set = |name: &str, value: &str| {
            command.args(["-c", &format!("{name}={value}")]);
        };
        // Loopback only, and no socket in a folder that others may share.
        set("listen_addresses", "127.0.0.1");
        set("unix_socket_directories", "");
        set("logging_collector", "off");
        set("max_connections", &options.max_connections.to_string());
        set("shared_buffers", &options.shared_buffers);
        // Nobody replicates a private server. The bulk of a new table then goes to its file only, not to the log as well.
        set("wal_level", "minimal");
        set("max_wal_senders", "0");
        // The last word on a setting counts, so what was asked for comes last.
        options.settings.iter().for_each(|(name, value)| set(name, value));
        let server = Server::start("postgres", command, FAREWELL)?;
        guard.end_at_end(server.pid)?;
        Ok(Some(server))
    }

    fn ready(&self, server: &Server, books: &Arc<Books>, lifetime: &Lifetime) -> Result<Option<Arc<Database>>> {
        let Running { folder, port } = self.running();
        let config = config(*port, &self.options.server.role, &self.options.server.database);
        let is_over = || lifetime.has_ended();
        Database::wait(config, server, folder, &self.options.settings, books, &is_over)
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
        format!(
            "postgres://{}@127.0.0.1:{}/{}",
            self.options.server.role,
            self.running().port,
            self.options.server.database
        )
    }
}
