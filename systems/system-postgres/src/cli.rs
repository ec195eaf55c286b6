//! The command line, and the one way through the program.

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

use crate::cluster;
use crate::database::{Database, config};
use crate::programs::Programs;

/// A private PostgreSQL for one run: loopback only, its data gone with it
#[derive(Parser, Debug)]
#[command(name = "system-postgres", version)]
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
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(5..=10_000))]
    max_connections: u32,
    /// Memory for pages of tables and indexes
    #[arg(long, default_value = "256MB", value_parser = size)]
    shared_buffers: String,
    /// Any other setting of the server; can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = own_setting)]
    settings: Vec<(String, String)>,
    /// Start the server again on the same files when it has ended, so long after: when the fault `crash` or anybody else
    /// has killed it
    #[arg(long, value_name = "TIME", value_parser = duration)]
    restart_after: Option<Duration>,
    /// Folder of `postgres` and `initdb` [default: $LOADPROOF_POSTGRES_BIN, else looked for]
    #[arg(long, value_name = "PATH")]
    bin_dir: Option<PathBuf>,
}

/// Settings that this program gives itself.
const OWN: &[&str] = &["listen_addresses", "port", "unix_socket_directories", "data_directory", "hba_file"];

fn own_setting(text: &str) -> Result<(String, String), String> {
    setting(text, OWN, "synchronous_commit=off")
}

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
        let service = Service::new(about, &options.service, born)?;
        let mut guard = Guard::start()?;
        let kind = Postgres { options, running: None };
        let code = supervise(kind, service, &mut guard, born, options.restart_after).await;
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
        let port = match self.options.sql_port {
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
        let config = config(*port, &self.options.role, &self.options.database);
        let is_over = || lifetime.has_ended();
        Database::wait(config, server, folder, &self.options.settings, books, &is_over)
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
        format!("postgres://{}@127.0.0.1:{}/{}", self.options.role, self.running().port, self.options.database)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
        let line = "system-postgres --port 8080 --sql-port 5433 --data scratch/postgres --max-connections 50 \
                    --shared-buffers 64MB --set synchronous_commit=off --restart-after 3s --fault crash=at:30s --fault stall=37s/4s";
        let options = Options::try_parse_from(line.split_whitespace()).unwrap();
        assert_eq!(options.restart_after, Some(Duration::from_secs(3)));
        assert_eq!(options.settings, [("synchronous_commit".to_owned(), "off".to_owned())]);
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let message = |more: &str| {
            let line = format!("system-postgres --data x {more}");
            Options::try_parse_from(line.split(' ')).unwrap_err().to_string()
        };
        assert!(message("--shared-buffers 256").contains("`256` is no size; write a whole number of `kB`"));
        assert!(message("--set fsync").contains("write `NAME=VALUE`"));
        assert!(message("--set listen_addresses=*").contains("`listen_addresses` is not free here"));
        assert!(message("--role Lab;DROP").contains("is no plain name"));
    }
}
