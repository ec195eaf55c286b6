//! The lookup in Java: a machine with a heap of a set size, whose lookups on behalf of others can leak until it ends.
//!
//! This process fills and opens the store, compiles the server, starts the machine, which listens on the service's port,
//! and hands it rows. They end together, however either ends.

mod machine;
mod rows;

use std::process::{ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use system_common::{CRASH_STATUS, FaultKind, Faults, Lifetime, ServiceOptions};
use tokio::net::TcpListener;
use tokio::process::{Child, ChildStdin, Command};

use crate::lookup::Opened;
use crate::store::{self, Store, Wanted};
use machine::{Jdk, arguments};

/// The faults that mean something here.
const FAULTS: &[FaultKind] = &[FaultKind::Delay, FaultKind::Errors, FaultKind::Leak, FaultKind::Pool, FaultKind::Crash];
/// Longest time that the machine gets to end after a signal.
const GRACE: Duration = Duration::from_secs(8);

/// What the lookup in Java is told on the command line.
pub(crate) struct Settings<'a> {
    pub(crate) service: &'a ServiceOptions,
    pub(crate) store: &'a Store,
    pub(crate) wanted: Wanted,
    pub(crate) pool: u16,
    /// The certificate that assertions are verified with, PEM; `None` where nobody looks.
    pub(crate) issuer: Option<Vec<u8>>,
    pub(crate) heap_bytes: u64,
    pub(crate) threads: u16,
    /// Further arguments of the machine.
    pub(crate) java_options: &'a str,
}

/// Runs until a signal, the parent's end, or the machine's.
///
/// # Errors
/// What is missing or cannot be, before the machine runs.
pub(crate) async fn run(settings: &Settings<'_>, born: Instant) -> Result<ExitCode> {
    let options = settings.service;
    let faults = Faults::parse(&options.faults, FAULTS)?;
    let told = (options.instance("lookup-jvm"), options.nonce());
    let (instance, nonce) = (told.0.map_err(anyhow::Error::msg)?, told.1.map_err(anyhow::Error::msg)?);
    let lifetime = Lifetime::watch(options.exit_with_stdin).map_err(anyhow::Error::msg)?;
    let jdk = Jdk::find()?;
    let folder = tempfile::Builder::new().prefix("system-auditlog-").tempdir().context("no folder for the server")?;
    jdk.compile(folder.path())?;
    let issuer = folder.path().join("issuer.pem");
    if let Some(pem) = &settings.issuer {
        std::fs::write(&issuer, pem).context("the certificate cannot be handed over")?;
    }
    let Some(opened) = open(settings, &faults, &lifetime).await? else { return Ok(ExitCode::SUCCESS) };
    let listener = TcpListener::bind("127.0.0.1:0").await.context("no port for rows")?;
    let rows_port = listener.local_addr()?.port();
    tokio::spawn(rows::serve(listener, Arc::new(opened)));

    let given = [
        ("port", options.port.to_string()),
        ("bind", options.bind.to_string()),
        ("name", instance),
        ("nonce", nonce),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("launcher", std::process::id().to_string()),
        ("log", options.access_log.as_ref().map(|path| path.display().to_string()).unwrap_or_default()),
        ("issuer", settings.issuer.as_ref().map(|_| issuer.display().to_string()).unwrap_or_default()),
        ("rows", rows_port.to_string()),
        ("threads", settings.threads.to_string()),
        ("errors", faults.shares.errors.to_string()),
        ("leak", faults.leak_bytes.to_string()),
    ];
    let mut machine = Command::new(&jdk.java)
        .args(arguments(folder.path(), settings.heap_bytes, settings.java_options))
        .args(given.map(|(name, value)| format!("{name}={value}")))
        .stdin(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("`{}` cannot be started", jdk.java.display()))?;
    // Waiting for a child closes the input that it has: this end is the machine's life line, and kept apart.
    let life_line = machine.stdin.take();
    let crash = async {
        match faults.crash_at {
            Some(age) => tokio::time::sleep_until((born + age).into()).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        status = machine.wait() => Ok(ended_by_itself(status?)),
        _ = lifetime.ended() => Ok(end(machine, life_line).await),
        () = crash => {
            machine.kill().await.context("the machine cannot be ended")?;
            eprintln!("fault `crash`: ended at the age of {:?}", faults.crash_at.unwrap_or_default());
            Ok(ExitCode::from(CRASH_STATUS))
        }
    }
}

/// Finds or fills the store and opens it; `None` if the process was told to end meanwhile.
async fn open(settings: &Settings<'_>, faults: &Faults, lifetime: &Lifetime) -> Result<Option<Opened>> {
    let size = faults.pool.unwrap_or(usize::from(settings.pool));
    let (store, wanted, lifetime, delay) = (settings.store.clone(), settings.wanted, lifetime.clone(), faults.delay);
    let open = move || {
        let found = store::ensure(&store, wanted, &|| lifetime.has_ended())?;
        let opened = found.map(|archive| Opened::open(&store, archive, size, delay)).transpose();
        opened.with_context(|| format!("cannot open the store `{store}`"))
    };
    tokio::task::spawn_blocking(open).await.context("the opening of the store broke off")?
}

/// Closes the machine's standard input, by which it is told to end, and waits.
async fn end(mut machine: Child, life_line: Option<ChildStdin>) -> ExitCode {
    drop(life_line);
    match tokio::time::timeout(GRACE, machine.wait()).await {
        Ok(Ok(status)) if status.success() => ExitCode::SUCCESS,
        // Dropping it kills it.
        _ => ExitCode::FAILURE,
    }
}

/// The machine's own status, such as 3 when it has run out of memory; never success.
fn ended_by_itself(status: ExitStatus) -> ExitCode {
    eprintln!("the Java machine ended by itself ({status}); its own words are above");
    let code = status.code().and_then(|code| u8::try_from(code).ok()).filter(|code| *code > 0);
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
