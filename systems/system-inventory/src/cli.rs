//! The command line: one sub-command for each process of the system, and two that make data.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use axum::http::uri::Authority;
use clap::{Args, Parser, Subcommand};
use system_common::{About, CrashBy, DelayAt, FaultKind, Service, ServiceOptions, authority, lasting, runtime};

use crate::data::{Catalogue, INSTANCES_DEFAULT, INSTANCES_MAX, SEED_DEFAULT, write_csv};
use crate::gateway::{self, Gateway};
use crate::modules::{self, Holdings, Jobs, Records};
use crate::store::{self, Contents, Store, StoreOptions};

/// The whole command line.
#[derive(Parser, Debug)]
#[command(
    name = "system-inventory",
    version,
    about = "A collection service: a gateway, two storage modules, background jobs"
)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run the storage of source records
    Records(ModuleOptions),
    /// Run the storage of holdings, with check-out and edit
    Holdings(ModuleOptions),
    /// Run the background jobs: import and roll-over
    Jobs(ModuleOptions),
    /// Run the gateway in front of both storages
    Gateway(GatewayOptions),
    /// Build a store, and if asked the CSV of its instances
    Generate(GenerateOptions),
    /// Write the CSV of instances without a store
    Export(ExportOptions),
}

#[derive(Args, Debug)]
struct DataOptions {
    /// Instances in a store that is built now [default: 100000]; an existing store must have as many
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=INSTANCES_MAX))]
    instances: Option<u64>,
    /// Seed of a store that is built now [default: 1]; an existing store must have the same
    #[arg(long)]
    seed: Option<u64>,
    /// Tenant whose tables they are
    #[arg(long, default_value = "diku", value_parser = store::tenant_name)]
    tenant: String,
}

impl DataOptions {
    fn wanted(&self) -> StoreOptions {
        StoreOptions { tenant: self.tenant.clone(), instances: self.instances, seed: self.seed }
    }
}

#[derive(Args, Debug)]
struct ModuleOptions {
    #[command(flatten)]
    service: ServiceOptions,
    /// Where the data is; built if it is missing
    #[arg(long, value_name = "sqlite://PATH or postgres://USER@HOST:PORT/DATABASE")]
    store: Store,
    /// Connections to the store
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pool: u16,
    #[command(flatten)]
    data: DataOptions,
}

#[derive(Args, Debug)]
struct GatewayOptions {
    #[command(flatten)]
    service: ServiceOptions,
    /// Address of the records module; of several replicas, with commas between
    #[arg(long, value_name = "HOST:PORT", value_parser = authority, value_delimiter = ',', required = true)]
    records: Vec<Authority>,
    /// Address of the holdings module; of several replicas, with commas between
    #[arg(long, value_name = "HOST:PORT", value_parser = authority, value_delimiter = ',', required = true)]
    holdings: Vec<Authority>,
    /// Tenant that users log in to
    #[arg(long, default_value = "diku", value_parser = store::tenant_name)]
    tenant: String,
    /// The one user; the password is in $INVENTORY_PASSWORD, else `secret`
    #[arg(long, default_value = "perf")]
    user: String,
    /// Longest time that a module may take; then 504
    #[arg(long, default_value = "30s", value_parser = lasting)]
    upstream_timeout: Duration,
    /// How long a token is valid
    #[arg(long, default_value = "24h", value_parser = lasting)]
    token_lifetime: Duration,
}

#[derive(Args, Debug)]
struct GenerateOptions {
    /// Where the data goes
    #[arg(long, value_name = "sqlite://PATH or postgres://USER@HOST:PORT/DATABASE")]
    store: Store,
    #[command(flatten)]
    data: DataOptions,
    /// File for the CSV of the store's instances
    #[arg(long, value_name = "PATH")]
    csv: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct ExportOptions {
    /// Instances to list
    #[arg(long, default_value_t = INSTANCES_DEFAULT, value_parser = clap::value_parser!(u64).range(1..=INSTANCES_MAX))]
    instances: u64,
    /// Seed of their ids
    #[arg(long, default_value_t = SEED_DEFAULT)]
    seed: u64,
    /// File to write
    #[arg(long, value_name = "PATH")]
    csv: PathBuf,
}

/// Threads beside those of the pool: the check of health, and the end of the access log.
const SPARE_THREADS: usize = 2;

/// Runs one sub-command to its end. `born` is the start of the process.
pub(crate) fn run(options: &Options, born: Instant) -> Result<()> {
    match &options.command {
        Command::Records(options) => run_module(options, "records", modules::RECORDS_ROUTES, born, |opened, _| {
            let module = Records::new(opened);
            (module.routes(), module)
        }),
        Command::Holdings(options) => run_module(options, "holdings", modules::HOLDINGS_ROUTES, born, |opened, _| {
            let module = Holdings::new(opened);
            (module.routes(), module)
        }),
        Command::Jobs(options) => run_module(options, "jobs", modules::JOBS_ROUTES, born, |opened, lifetime| {
            let module = Jobs::new(opened, lifetime);
            (module.routes(), module)
        }),
        Command::Gateway(options) => run_gateway(options, born),
        Command::Generate(options) => generate(options),
        Command::Export(options) => write_csv(&options.csv, &Catalogue::new(options.seed), options.instances),
    }
}

const MODULE_FAULTS: &[FaultKind] = &[
    FaultKind::Delay,
    FaultKind::Errors,
    FaultKind::Leak,
    FaultKind::Pool,
    FaultKind::Stall,
    FaultKind::Crash,
    FaultKind::Reset,
    FaultKind::Half,
    FaultKind::Wrong,
];

fn run_module<M: system_common::Module>(
    options: &ModuleOptions,
    module: &'static str,
    routes: &'static [&'static str],
    born: Instant,
    build: impl FnOnce(modules::Opened, system_common::Lifetime) -> (axum::Router, Arc<M>),
) -> Result<()> {
    // The pool may be made larger by a fault, so the bound of threads is that of pools; threads start when needed.
    let runtime = runtime(1000 + SPARE_THREADS)?;
    let done = runtime.block_on(async {
        let about = About { faults: MODULE_FAULTS, delay_at: DelayAt::Store, ..about(module, routes) };
        let service = Service::new(about, &options.service, born)?;
        let Some(contents) = ensure_store(&service, options).await? else { return Ok(()) };
        let pool_size = service.faults().pool.unwrap_or(usize::from(options.pool));
        let (store, delay) = (options.store.clone(), service.faults().delay);
        // A server's client waits while it connects.
        let open = move || modules::Opened::open(&store, contents, module, pool_size, delay);
        let opened = tokio::task::spawn_blocking(open).await.context("the opening of the store broke off")??;
        let (routes, module) = build(opened, service.lifetime());
        Ok(service.serve(routes, module).await?)
    });
    // Work that waits for a lock in the store ends with the process, not the process with it.
    runtime.shutdown_timeout(Duration::from_millis(500));
    done
}

/// Finds or builds the store; `None` if the process was told to end meanwhile.
async fn ensure_store(service: &Service, options: &ModuleOptions) -> Result<Option<Contents>> {
    let (store, wanted, lifetime) = (options.store.clone(), options.data.wanted(), service.lifetime());
    let ensure = move || store::ensure(&store, &wanted, &|| lifetime.has_ended());
    tokio::task::spawn_blocking(ensure).await.context("the build of the store broke off")?
}

fn run_gateway(options: &GatewayOptions, born: Instant) -> Result<()> {
    const FAULTS: &[FaultKind] = &[
        FaultKind::Delay,
        FaultKind::Errors,
        FaultKind::Leak,
        FaultKind::Stall,
        FaultKind::Crash,
        FaultKind::Reset,
        FaultKind::Half,
        FaultKind::Wrong,
        FaultKind::Skew,
    ];
    // Names of modules are looked up on threads that may block, a few at a time.
    runtime(4 + SPARE_THREADS)?.block_on(async {
        let about = About { faults: FAULTS, ..about("gateway", gateway::ROUTES) };
        let service = Service::new(about, &options.service, born)?;
        let gateway = Gateway::new(gateway::Settings {
            records: options.records.clone(),
            holdings: options.holdings.clone(),
            skew: service.faults().skew.unwrap_or(1.0),
            tenant: options.tenant.clone(),
            user: options.user.clone(),
            password: std::env::var("INVENTORY_PASSWORD").unwrap_or_else(|_| "secret".to_owned()),
            upstream_timeout: options.upstream_timeout,
            token_lifetime: options.token_lifetime,
        })?;
        Ok(service.serve(gateway.routes(), gateway).await?)
    })
}

fn about(module: &'static str, routes: &'static [&'static str]) -> About {
    About {
        program: "system-inventory",
        module,
        version: env!("CARGO_PKG_VERSION"),
        routes,
        faults: &[],
        delay_at: DelayAt::Entry,
        crash_by: CrashBy::Frame,
    }
}

fn generate(options: &GenerateOptions) -> Result<()> {
    let contents = store::ensure(&options.store, &options.data.wanted(), &|| false)?;
    let contents = contents.context("the build was interrupted")?;
    match &options.csv {
        Some(path) => write_csv(path, &Catalogue::new(contents.seed), contents.instances),
        None => Ok(()),
    }
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
            "system-inventory records --port 8081 --store sqlite:///tmp/inventory.db --pool 10",
            "system-inventory holdings --port 8082 --store sqlite://inventory.db --pool 10 --fault delay=20ms --fault pool=2",
            "system-inventory gateway --port 8080 --records 127.0.0.1:8081 --holdings localhost:8082",
            "system-inventory gateway --records 127.0.0.1:8081,127.0.0.1:8083 --holdings a:1 --fault skew=3",
            "system-inventory jobs --store postgres://lab@127.0.0.1:5433/lab --pool 2",
            "system-inventory generate --store sqlite://x.db --instances 100000 --seed 1 --csv instances.csv",
            "system-inventory export --instances 1000 --seed 1 --csv instances.csv",
        ] {
            assert!(Options::try_parse_from(line.split(' ')).is_ok(), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let message = |line: &str| Options::try_parse_from(line.split(' ')).unwrap_err().to_string();
        let text = message("system-inventory gateway --records 8081 --holdings 127.0.0.1:8082");
        assert!(text.contains("`8081` is not an address; write `HOST:PORT`"), "{text}");
        let text = message("system-inventory records --store mysql://x");
        assert!(text.contains("write `sqlite://PATH`"), "{text}");
        assert!(message("system-inventory records --store sqlite://x --pool 0").contains("0 is not in 1..=1000"));
        let text = message("system-inventory gateway --records a:1 --holdings a:2 --upstream-timeout 30");
        assert!(text.contains("`30` is not a duration"), "{text}");
    }
}
