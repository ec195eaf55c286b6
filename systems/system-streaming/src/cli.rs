//! The command line: one sub-command for each process of the system, and one that writes tokens.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use axum::http::uri::Authority;
use clap::{Args, Parser, Subcommand};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use system_common::{
    About, CrashBy, DelayAt, FaultKind, Service, ServiceOptions, TlsOptions, authority, lasting, runtime,
};

use crate::backend::{self, Backend, Pace};
use crate::certificates;
use crate::gateway::{self, Gateway};
use crate::hub::{self, Hub, HubOptions};
use crate::tokens;
use crate::traffic::Traffic;

/// The whole command line.
#[derive(Parser, Debug)]
#[command(
    name = "system-streaming",
    version,
    about = "A streaming gateway, its backend and a hub: WebSocket echo, server-sent events, WebSub"
)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run the backend: /echo answers messages with their reverse, /events sends numbered events
    Backend(BackendOptions),
    /// Run the gateway in front of the backend
    Gateway(GatewayOptions),
    /// Run a WebSub hub: who subscribes gets what is published
    Hub(HubCommand),
    /// Write bearer tokens that a gateway with the same key takes
    Tokens(TokensOptions),
    /// Write an authority, and a certificate for this machine that it has signed
    Certificates(CertificatesOptions),
}

#[derive(Args, Debug)]
struct BackendOptions {
    #[command(flatten)]
    service: ServiceOptions,
    #[command(flatten)]
    tls: TlsOptions,
    /// Events a second of each stream whose request names no other
    #[arg(long, default_value = "10/s", value_parser = backend::rate)]
    events: f64,
    /// Bytes of each event's data
    #[arg(long, default_value = "82", value_parser = backend::bytes)]
    bytes: usize,
}

#[derive(Args, Debug)]
struct GatewayOptions {
    #[command(flatten)]
    service: ServiceOptions,
    #[command(flatten)]
    tls: TlsOptions,
    /// Address of the backend
    #[arg(long, value_name = "HOST:PORT", value_parser = authority)]
    backend: Authority,
    /// Address of the hub, whose requests pass at /hub
    #[arg(long, value_name = "HOST:PORT", value_parser = authority)]
    hub: Option<Authority>,
    /// Tenant whose tokens pass; the key is in $STREAMING_TOKEN_KEY, a public one in PEM for RS256; else `secret`
    #[arg(long, default_value = "lab")]
    tenant: String,
}

#[derive(Args, Debug)]
struct HubCommand {
    #[command(flatten)]
    service: ServiceOptions,
    #[command(flatten)]
    tls: TlsOptions,
    #[command(flatten)]
    hub: HubOptions,
}

#[derive(Args, Debug)]
struct TokensOptions {
    /// Tokens to write, a row each
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    count: u64,
    /// Tenant that they are of
    #[arg(long, default_value = "lab")]
    tenant: String,
    /// How long they are valid
    #[arg(long, default_value = "24h", value_parser = lasting)]
    lifetime: Duration,
    /// File to write
    #[arg(long, value_name = "PATH")]
    csv: PathBuf,
}

#[derive(Args, Debug)]
struct CertificatesOptions {
    /// Folder for `ca.pem`, `certificate.pem` and `key.pem`
    #[arg(long, value_name = "FOLDER")]
    into: PathBuf,
    /// Name or address that the certificate is for; can be given several times
    #[arg(long = "host", value_name = "NAME", default_values = ["localhost", "127.0.0.1"])]
    hosts: Vec<String>,
}

const FAULTS: &[FaultKind] = &[
    FaultKind::Delay,
    FaultKind::Errors,
    FaultKind::Leak,
    FaultKind::Stall,
    FaultKind::Crash,
    FaultKind::Reset,
    FaultKind::Connections,
    FaultKind::DropEvery,
    FaultKind::DoubleEvery,
    FaultKind::WrongEvery,
    FaultKind::CutAfter,
    FaultKind::Mute,
    FaultKind::Cost,
];
const HUB_FAULTS: &[FaultKind] = &[
    FaultKind::Delay,
    FaultKind::Errors,
    FaultKind::Leak,
    FaultKind::Stall,
    FaultKind::Crash,
    FaultKind::Reset,
    FaultKind::Loss,
    FaultKind::Duplicate,
    FaultKind::WrongSignature,
    FaultKind::WrongEvery,
    FaultKind::ErrorOnDelivery,
    FaultKind::LateVerification,
    FaultKind::NoVerification,
    FaultKind::RefuseAbove,
    FaultKind::DenyAbove,
];
/// Threads that may block: names of backends are looked up there, and the access log is closed.
const BLOCKING_THREADS: usize = 4;

/// Runs one sub-command to its end. `born` is the start of the process.
pub(crate) fn run(options: &Options, born: Instant) -> Result<()> {
    match &options.command {
        Command::Backend(options) => {
            let pace = Pace { per_second: options.events, bytes: options.bytes };
            serve((&options.service, &options.tls), ("backend", backend::ROUTES, FAULTS), born, |service| {
                let module = Backend::new(traffic(service, born), pace);
                Ok((module.routes(), module))
            })
        }
        Command::Gateway(options) => {
            serve((&options.service, &options.tls), ("gateway", gateway::ROUTES, FAULTS), born, |service| {
                let (backend, hub) = (options.backend.clone(), options.hub.clone());
                let key = tokens::Key::of_environment()?;
                let module = Gateway::new(
                    traffic(service, born),
                    (backend, hub),
                    (options.tenant.clone(), key),
                    options.tls.is_on(),
                );
                Ok((module.routes(), module))
            })
        }
        Command::Hub(options) => {
            serve((&options.service, &options.tls), ("hub", hub::ROUTES, HUB_FAULTS), born, |service| {
                let module = Hub::open(&options.hub, service.faults(), options.tls.is_on())?;
                Ok((module.routes(), module))
            })
        }
        Command::Certificates(options) => certificates::write(&options.into, &options.hosts),
        Command::Tokens(options) => tokens::write(&options.csv, options.count, &options.tenant, options.lifetime),
    }
}

fn serve<M: system_common::Module>(
    (options, tls): (&ServiceOptions, &TlsOptions),
    (module, routes, faults): (&'static str, &'static [&'static str], &'static [FaultKind]),
    born: Instant,
    build: impl FnOnce(&Service) -> Result<(axum::Router, Arc<M>)>,
) -> Result<()> {
    raise_descriptors();
    runtime(BLOCKING_THREADS)?.block_on(async {
        let about = About {
            program: "system-streaming",
            module,
            version: env!("CARGO_PKG_VERSION"),
            routes,
            faults,
            delay_at: DelayAt::Message,
            crash_by: CrashBy::Frame,
        };
        let service = Service::new(about, options, born)?.over(tls)?;
        if service.faults().delay_share > 0.0 {
            bail!(
                "fault `delay` is a time here, not a share: a message takes none of its own; write `--fault delay=20ms`"
            );
        }
        let (routes, module) = build(&service)?;
        Ok(service.serve(routes, module).await?)
    })
}

/// What passes through a process that holds connections.
fn traffic(service: &Service, born: Instant) -> Arc<Traffic> {
    Traffic::new(service.faults(), born, service.lifetime())
}

/// Takes all descriptors that the system allows: ten thousand relayed connections are twenty thousand. What is missing
/// shows when it is needed.
fn raise_descriptors() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
    }

    #[test]
    fn the_lines_of_the_study_are_read() {
        for line in [
            "system-streaming backend --port 8081 --events 10/s --bytes 82",
            "system-streaming backend --events 30/m --bytes 8kB --fault drop_every=100",
            "system-streaming gateway --port 8080 --backend 127.0.0.1:8081 --fault connections=400 --fault cost=250us",
            "system-streaming gateway --backend 127.0.0.1:8081 --hub 127.0.0.1:8082",
            "system-streaming hub --port 8082 --store sqlite:///tmp/hub.db --signature sha512 --lease 10m --fault loss=1%",
            "system-streaming tokens --count 1000 --csv tokens.csv",
            "system-streaming certificates --into tls",
            "system-streaming gateway --backend 127.0.0.1:8081 --tls-cert c.pem --tls-key k.pem",
            "system-streaming hub --store sqlite:///tmp/hub.db --callback-ca ca.pem --redirect 307=http://h:1/hub",
        ] {
            assert!(Options::try_parse_from(line.split(' ')).is_ok(), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let message = |line: &str| Options::try_parse_from(line.split(' ')).unwrap_err().to_string();
        let text = message("system-streaming gateway --backend 8081");
        assert!(text.contains("`8081` is not an address; write `HOST:PORT`"), "{text}");
        assert!(message("system-streaming backend --events 10").contains("write for example `10/s`"));
        assert!(message("system-streaming backend --tls-cert c.pem").contains("--tls-key"));
        assert!(message("system-streaming backend --bytes 10").contains("from 64 to 65536"));
    }
}
