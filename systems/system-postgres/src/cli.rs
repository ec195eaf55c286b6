//! The command line, and the one way through the program.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;
use system_common::{
    About, CRASH_STATUS, CrashBy, DelayAt, FaultKind, Lifetime, Service, ServiceOptions, Stall, runtime,
};

use crate::cluster::{Cluster, Wanted, plain_name};
use crate::database::{Database, config};
use crate::guard::Guard;
use crate::owner::Owner;
use crate::programs::Programs;
use crate::server::{Server, Settings};

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
    data: PathBuf,
    /// Keep the files; a folder that is there already is always kept
    #[arg(long)]
    keep: bool,
    /// The one role that can connect, without a password, from this machine
    #[arg(long, default_value = "lab", value_parser = plain_name)]
    role: String,
    /// Its database
    #[arg(long, default_value = "lab", value_parser = plain_name)]
    database: String,
    /// Most connections at a time
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(5..=10_000))]
    max_connections: u32,
    /// Memory for pages of tables and indexes
    #[arg(long, default_value = "256MB", value_parser = size)]
    shared_buffers: String,
    /// Any other setting of the server; can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
    /// Folder of `postgres` and `initdb` [default: $LOADPROOF_POSTGRES_BIN, else looked for]
    #[arg(long, value_name = "PATH")]
    bin_dir: Option<PathBuf>,
}

/// A size as the server writes it.
fn size(text: &str) -> Result<String, String> {
    let unit = ["kB", "MB", "GB"].iter().find_map(|unit| text.strip_suffix(unit));
    match unit {
        Some(number) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => Ok(text.to_owned()),
        _ => Err(format!("`{text}` is no size; write a whole number of `kB`, `MB` or `GB`, such as `256MB`")),
    }
}

/// Settings that this program gives itself.
const OWN: &[&str] = &["listen_addresses", "port", "unix_socket_directories", "data_directory", "hba_file"];

fn setting(text: &str) -> Result<(String, String), String> {
    let wrong = || format!("`{text}` is no setting; write `NAME=VALUE`, such as `synchronous_commit=off`");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let is_name = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, b'_' | b'.');
    if name.is_empty() || !name.bytes().all(is_name) {
        return Err(wrong());
    }
    if OWN.contains(&name) {
        return Err(format!("`{name}` is not free here: a private server chooses it itself"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

const FAULTS: &[FaultKind] = &[FaultKind::Stall, FaultKind::Crash];

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
        let code = supervise(options, service, &mut guard, born).await;
        guard.finish();
        code
    });
    // A question that a frozen server never answers must not hold the end up.
    runtime.shutdown_timeout(Duration::from_millis(200));
    code
}

async fn supervise(options: &Options, service: Service, guard: &mut Guard, born: Instant) -> Result<ExitCode> {
    let lifetime = service.lifetime();
    let (crash, stall) = (service.faults().crash_at, service.faults().stall);
    // Blocks for some seconds before anything else runs on this thread.
    let Some(server) = tokio::task::block_in_place(|| start(options, guard, &lifetime))? else {
        return Ok(ExitCode::SUCCESS);
    };
    let Started { server, folder, port } = server;
    let config = config(port, &options.role, &options.database);
    let is_over = || lifetime.has_ended();
    let ready = tokio::task::block_in_place(|| Database::wait(config, &server, &folder, &options.settings, &is_over));
    let database = match ready {
        Ok(Some(database)) => database,
        other => {
            server.stop().await;
            return other.map(|_| ExitCode::SUCCESS);
        }
    };
    eprintln!("ready: postgres://{}@127.0.0.1:{port}/{}", options.role, options.database);
    let crashed = async {
        match crash {
            Some(age) => tokio::time::sleep_until((born + age).into()).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        served = service.serve(axum::Router::new(), Arc::clone(&database)) => {
            server.stop().await;
            served?;
            Ok(ExitCode::SUCCESS)
        }
        how = server.ended() => bail!("the server ended by itself ({how}); its own words are above"),
        () = crashed => {
            eprintln!("fault `crash`: the server is killed at the age of {:?}", crash.unwrap_or_default());
            server.kill();
            server.ended().await;
            Ok(ExitCode::from(CRASH_STATUS))
        }
        () = stalls(&server, &database, stall, born) => Ok(ExitCode::FAILURE),
    }
}

struct Started {
    server: Server,
    folder: PathBuf,
    port: u16,
}

/// Finds, makes and starts the server; `None` if the process was told to end meanwhile. Blocks.
fn start(options: &Options, guard: &mut Guard, lifetime: &Lifetime) -> Result<Option<Started>> {
    let programs = Programs::find(options.bin_dir.as_deref())?;
    let owner = Owner::choose()?;
    let wanted =
        Wanted { folder: &options.data, role: &options.role, database: &options.database, is_kept: options.keep };
    let cluster = Cluster::prepare(&wanted, &programs, &owner, guard)?;
    if lifetime.has_ended() {
        return Ok(None);
    }
    let port = match options.sql_port {
        0 => free_port().context("there is no free port")?,
        port => port,
    };
    let mut list = vec![
        ("max_connections".to_owned(), options.max_connections.to_string()),
        ("shared_buffers".to_owned(), options.shared_buffers.clone()),
        // Nobody replicates a private server. The bulk of a new table then goes to its file only, not to the log as well.
        ("wal_level".to_owned(), "minimal".to_owned()),
        ("max_wal_senders".to_owned(), "0".to_owned()),
    ];
    // The last word on a setting counts, so what was asked for comes last.
    list.extend(options.settings.iter().cloned());
    let server = Server::start(&programs, &owner, &cluster, &Settings { port, list })?;
    guard.end_at_end(server.pid)?;
    Ok(Some(Started { server, folder: cluster.folder, port }))
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The fault `stall`: the whole server stands still, again and again. Never returns.
async fn stalls(server: &Server, database: &Database, stall: Option<Stall>, born: Instant) {
    let Some(stall) = stall else { return std::future::pending().await };
    let mut next = born;
    loop {
        next += stall.every;
        // One that would have begun before the server was ready is left out.
        if next < Instant::now() {
            continue;
        }
        tokio::time::sleep_until(next.into()).await;
        server.freeze();
        database.stalls.fetch_add(1, Relaxed);
        tokio::time::sleep_until((next + stall.length).into()).await;
        server.thaw();
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
                    --shared-buffers 64MB --set synchronous_commit=off --fault crash=at:30s --fault stall=37s/4s";
        let options = Options::try_parse_from(line.split_whitespace()).unwrap();
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
