//! The command line.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::{Args, Parser, Subcommand};
use rustls::ServerConfig;
use system_common::{About, CrashBy, DelayAt, FaultKind, Service, ServiceOptions, TlsOptions, lasting, runtime};
use tempfile::TempDir;
use terms::{Quantity, Unit};

use crate::analyze::{self, AnalyzeOptions};
use crate::export::{Exports, Writing};
use crate::listener::{self, Role};
use crate::receiver::Receiver;
use crate::search::{self, Analytics};
use crate::store::{Settings, Slowness, Store};

/// An analytics server: events over Thrift into a log-structured store, a search API, and analyzers of what was stored
#[derive(Debug, Parser)]
#[command(name = "system-analytics", version)]
pub(crate) struct Command {
    #[command(subcommand)]
    role: Roles,
}

#[derive(Debug, Subcommand)]
enum Roles {
    /// Takes events in, stores them, and answers questions about them
    Receive(ReceiveOptions),
    /// Answers queries over all rows of exported tables, by an engine of its own and with its peers
    Analyze(AnalyzeOptions),
}

#[derive(Args, Debug)]
struct ReceiveOptions {
    #[command(flatten)]
    service: ServiceOptions,
    #[command(flatten)]
    tls: TlsOptions,
    /// Port for events, over Thrift; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    data_port: u16,
    /// Port where clients sign in, over Thrift; over TLS with `--tls-cert`
    #[arg(long, default_value_t = 0)]
    sign_in_port: u16,
    /// Port for events and sign-ins, over the binary protocol of data bridges
    #[arg(long, default_value_t = 0)]
    binary_port: u16,
    /// The same over TLS with `--tls-cert`, where clients sign in
    #[arg(long, default_value_t = 0)]
    binary_sign_in_port: u16,
    /// Where events go: `embedded`, a MariaDB as `mysql://user@host:port/database`, or a PostgreSQL as `postgres://…`
    #[arg(long, value_name = "STORE", default_value = "embedded", value_parser = place)]
    store: String,
    /// Attributes of a stream, from the first on, with an index
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=32))]
    index: u8,
    /// Folder of the embedded store, kept afterwards [default: one that goes with the process]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Who may sign in and search
    #[arg(long, default_value = "admin")]
    user: String,
    /// With this password [default: $ANALYTICS_PASSWORD, else admin]
    #[arg(long, value_name = "TEXT")]
    password: Option<String>,
    /// Events that may wait for the store; then bundles wait
    #[arg(long, default_value_t = 32_768, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    queue: u32,
    /// What the store keeps in memory before it is flushed to files
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = memory)]
    memory: u64,
    /// Folder that tables are exported to as segments, for analyzers; without it none are
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    /// A session that is quiet for so long is no longer known
    #[arg(long, default_value = "30m", value_parser = lasting)]
    session: Duration,
}

const PASSWORD_VARIABLE: &str = "ANALYTICS_PASSWORD";
/// Least and most memory of the store.
const MEMORY: std::ops::RangeInclusive<f64> = 1e6..=16e9;
/// Threads for questions, which read files.
const ASKING: usize = 16;

fn memory(text: &str) -> Result<u64, String> {
    let read = Quantity::parse(text).ok().filter(|read| read.unit == Unit::Bytes && MEMORY.contains(&read.value));
    read.map(|read| read.value as u64)
        .ok_or_else(|| format!("`{text}` is not a size of 1 MB to 16 GB; write for example `64MiB`"))
}

fn place(text: &str) -> Result<String, String> {
    if text == "embedded" || text.starts_with("mysql://") || text.starts_with("postgres://") {
        return Ok(text.to_owned());
    }
    Err(format!(
        "`{text}` is neither `embedded` nor `mysql://user@host:port/database` nor `postgres://user@host:port/database`"
    ))
}

/// Runs it to its end.
pub(crate) fn run(command: &Command, born: Instant) -> Result<ExitCode> {
    let runtime = runtime(ASKING)?;
    let done = match &command.role {
        Roles::Receive(options) => runtime.block_on(receive(options, born)),
        Roles::Analyze(options) => runtime.block_on(analyze::run(options, born)),
    };
    runtime.shutdown_timeout(Duration::from_millis(500));
    done.map(|()| ExitCode::SUCCESS)
}

async fn receive(options: &ReceiveOptions, born: Instant) -> Result<()> {
    let about = About {
        program: "system-analytics",
        module: "receive",
        version: env!("CARGO_PKG_VERSION"),
        routes: search::ROUTES,
        faults: &[FaultKind::Delay, FaultKind::Stall, FaultKind::Limit, FaultKind::Crash],
        crash_by: CrashBy::Frame,
        delay_at: DelayAt::Entry,
    };
    let mut service = Service::new(about, &options.service, born)?;
    let slowness = Slowness { stall: service.take_stall(), limit: service.faults().limit, born };
    let password = options.password.clone().or_else(|| std::env::var(PASSWORD_VARIABLE).ok());
    let password = password.unwrap_or_else(|| "admin".to_owned());
    let delay = service.faults().delay;
    let receiver = Receiver::new(&options.user, &password, options.session, options.queue as usize, delay);
    let receiver = Arc::new(receiver);
    let scratch = match &options.data {
        Some(_) => None,
        None => Some(TempDir::with_prefix("analytics-").context("cannot create a folder for the store")?),
    };
    let folder = options.data.clone().or(scratch.as_ref().map(|scratch| scratch.path().to_owned())).unwrap_or_default();
    let url = Some(options.store.clone()).filter(|store| store != "embedded");
    let settings = Settings { url, folder, memory: options.memory, indexed: options.index.into() };
    let handle = tokio::runtime::Handle::current();
    let opening = tokio::task::spawn_blocking(move || Store::open(&settings, &handle));
    let store = Arc::new(opening.await.context("the opening of the store broke off")??);

    let tls = options.tls.acceptor().map_err(|why| anyhow!(why))?;
    let tls = tls.map(|acceptor| {
        let mut config: ServerConfig = (**acceptor.config()).clone();
        config.alpn_protocols.clear();
        Arc::new(config)
    });
    let bind = options.service.bind;
    for (port, role, tls, what) in [
        (options.sign_in_port, Role::SignIn, tls.clone(), "--sign-in-port"),
        (options.data_port, Role::Data, None, "--data-port"),
        (options.binary_sign_in_port, Role::Binary, tls, "--binary-sign-in-port"),
        (options.binary_port, Role::Binary, None, "--binary-port"),
    ] {
        let address = SocketAddr::new(bind, port);
        let listener = TcpListener::bind(address)
            .with_context(|| format!("cannot listen on {address}; choose another port with `{what}`"))?;
        println!("{} on {}", what.trim_start_matches('-'), listener.local_addr()?);
        let receiver = receiver.clone();
        std::thread::Builder::new()
            .name("accept".to_owned())
            .spawn(move || listener::serve(&listener, role, tls.as_ref(), &receiver))?;
    }
    let (filled, filling) = (store.clone(), receiver.clone());
    let writer =
        std::thread::Builder::new().name("store".to_owned()).spawn(move || filled.fill(&filling.queue, &slowness))?;

    let exports = Arc::new(Exports::new(options.export.clone(), Writing::USUAL));
    let analytics = Arc::new(Analytics { receiver: receiver.clone(), store, exports });
    service.serve(search::routes(analytics.clone()), analytics).await?;
    // What was accepted is stored before the end.
    receiver.queue.close();
    let _ = tokio::task::spawn_blocking(move || writer.join()).await;
    Ok(())
}
