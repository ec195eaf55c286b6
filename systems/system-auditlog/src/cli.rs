//! The command line: one sub-command for each process of the system, and one that writes data files.

mod registration;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use axum::http::uri::Authority;
use clap::{Args, Parser, Subcommand, ValueEnum};
use system_common::{About, CrashBy, DelayAt, FaultKind, Service, ServiceOptions, authority, lasting, runtime};
use terms::{Quantity, Unit};

use crate::data::{Archive, CITIZENS_DEFAULT, CITIZENS_MAX, SEED_DEFAULT};
use crate::front::{self, Front};
use crate::java;
use crate::lookup::{self, Lookup, Opened};
use crate::store::{self, Store, Wanted};
use crate::token::{self, Guard, TokenService, Trust};

/// The whole command line.
#[derive(Parser, Debug)]
#[command(
    name = "system-auditlog",
    version,
    about = "An audit log of health care: SOAP lookups and registrations in replicas behind a front, and the tokens of those who ask"
)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Answer lookups
    Lookup(LookupOptions),
    /// Answer lookups in a Java machine, whose heap can be made too small for a leak
    LookupJvm(JvmOptions),
    /// Spread lookups and registrations over replicas
    Front(FrontOptions),
    /// Sign assertions of who is asking
    Token(TokenOptions),
    /// Take registrations in, and write them to a log
    Register(registration::RegisterOptions),
    /// Write to one log what another one has
    Mirror(registration::MirrorOptions),
    /// Write what a log has into the store
    Consume(registration::ConsumeOptions),
    /// Keep records in partitions, in place of a Kafka
    Log(registration::LogOptions),
    /// Write the data files of a study, and fill a store
    Data(DataOptions),
}

#[derive(Args, Debug)]
struct TrustOptions {
    /// What is asked of an assertion
    #[arg(long, default_value = "rsa")]
    verify: Verify,
    /// Certificate of the token service, PEM [default: the lab's own]
    #[arg(long, value_name = "PATH")]
    trust: Option<PathBuf>,
}

impl TrustOptions {
    fn guard(&self) -> Result<Guard> {
        let trust = match self.verify {
            Verify::Rsa => Trust::Signed(token::certificate(self.trust.as_deref())?),
            Verify::None => Trust::Any,
        };
        Ok(Guard { trust })
    }
}

#[derive(Args, Debug)]
struct ArchiveOptions {
    /// Citizens in a store that is filled now [default: 100]; one that is there must have as many
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=CITIZENS_MAX))]
    citizens: Option<u64>,
    /// Seed of a store that is filled now [default: 1]; one that is there must have the same
    #[arg(long)]
    seed: Option<u64>,
}

impl ArchiveOptions {
    fn wanted(&self) -> Wanted {
        Wanted { citizens: self.citizens, seed: self.seed }
    }
}

/// What is asked of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Verify {
    /// That it is signed by the token service
    Rsa,
    /// Only that it can be read and has not expired
    None,
}

#[derive(Args, Debug)]
struct LookupOptions {
    #[command(flatten)]
    service: ServiceOptions,
    /// Where the data is; filled if it is missing
    #[arg(long, value_name = "sqlite://PATH or mysql://USER@HOST:PORT/DATABASE")]
    store: Store,
    /// Connections to the store
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pool: u16,
    #[command(flatten)]
    archive: ArchiveOptions,
    #[command(flatten)]
    trust: TrustOptions,
}

#[derive(Args, Debug)]
struct JvmOptions {
    #[command(flatten)]
    lookup: LookupOptions,
    /// Size of the heap, `-Xms` and `-Xmx`
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = heap)]
    heap: u64,
    /// Threads that answer
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    threads: u16,
    /// Further arguments of the Java machine, parted by blanks
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    java_options: String,
}

/// Least and greatest heap: a machine does not start with less, and more is not a test.
const HEAP_BYTES: std::ops::RangeInclusive<f64> = 16e6..=64e9;

fn heap(text: &str) -> Result<u64, String> {
    let size = Quantity::parse(text).map_err(|error| format!("`{text}` {error}"))?;
    if size.unit == Unit::Bytes && HEAP_BYTES.contains(&size.value) {
        Ok(size.value as u64)
    } else {
        Err(format!("`{text}` is not a size from 16MB to 64GB; write for example `64MiB`"))
    }
}

#[derive(Args, Debug)]
struct FrontOptions {
    #[command(flatten)]
    service: ServiceOptions,
    /// Address of the lookup; of several replicas, with commas between
    #[arg(long, value_name = "HOST:PORT", value_parser = authority, value_delimiter = ',', required_unless_present = "register")]
    lookup: Vec<Authority>,
    /// Address of the registration; of several replicas, with commas between
    #[arg(long, value_name = "HOST:PORT", value_parser = authority, value_delimiter = ',')]
    register: Vec<Authority>,
    /// Longest time for a whole answer; then 504
    #[arg(long, default_value = "30s", value_parser = lasting)]
    timeout: Duration,
    /// How long one that refuses connections is left out
    #[arg(long, default_value = "1s", value_parser = lasting)]
    rest: Duration,
}

#[derive(Args, Debug)]
struct TokenOptions {
    #[command(flatten)]
    service: ServiceOptions,
    /// The one user; the password is in $AUDITLOG_PASSWORD, else `secret`
    #[arg(long, default_value = "lab", value_parser = word)]
    user: String,
    /// Number of the organisation that assertions name
    #[arg(long, default_value = "12345678", value_parser = word)]
    cvr: String,
    /// How long an assertion is valid
    #[arg(long, default_value = "8h", value_parser = lasting)]
    lifetime: Duration,
    /// Key that signs, RSA in PKCS#8, PEM [default: the lab's own, which proves nothing]
    #[arg(long, value_name = "PATH")]
    key: Option<PathBuf>,
}

/// Letters, digits, `.`, `-` and `_`: what needs no escaping in an assertion.
fn word(text: &str) -> Result<String, String> {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if !text.is_empty() && text.len() <= 64 && text.bytes().all(is_good) {
        Ok(text.to_owned())
    } else {
        Err(format!("`{text}` cannot stand in an assertion; write 1 to 64 letters, digits, `.`, `-` or `_`"))
    }
}

#[derive(Args, Debug)]
struct DataOptions {
    /// Folder for `citizens.csv` and `helpers.csv`
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Citizens, and as many helpers
    #[arg(long, default_value_t = CITIZENS_DEFAULT, value_parser = clap::value_parser!(u64).range(1..=CITIZENS_MAX))]
    citizens: u64,
    /// Seed of their ids
    #[arg(long, default_value_t = SEED_DEFAULT)]
    seed: u64,
    /// A store to fill with what is logged about them
    #[arg(long, value_name = "sqlite://PATH or mysql://USER@HOST:PORT/DATABASE")]
    store: Option<Store>,
}

/// Threads beside those of the pool: the check of health, and the end of the access log.
const SPARE_THREADS: usize = 3;

/// Runs one sub-command to its end. `born` is the start of the process.
pub(crate) fn run(options: &Options, born: Instant) -> Result<ExitCode> {
    match &options.command {
        Command::Lookup(options) => run_lookup(options, born)?,
        Command::LookupJvm(options) => return run_jvm(options, born),
        Command::Front(options) => run_front(options, born)?,
        Command::Token(options) => run_token(options, born)?,
        Command::Register(options) => registration::run_register(options, born)?,
        Command::Mirror(options) => registration::run_mirror(options, born)?,
        Command::Consume(options) => registration::run_consume(options, born)?,
        Command::Log(options) => registration::run_log(options, born)?,
        Command::Data(options) => write_data(options)?,
    }
    Ok(ExitCode::SUCCESS)
}

const LOOKUP_FAULTS: &[FaultKind] = &[
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
const FRONT_FAULTS: &[FaultKind] = &[
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
const TOKEN_FAULTS: &[FaultKind] = &[FaultKind::Delay, FaultKind::Errors, FaultKind::Stall, FaultKind::Crash];

fn run_lookup(options: &LookupOptions, born: Instant) -> Result<()> {
    let guard = options.trust.guard()?;
    // The pool may be made larger by a fault, so the bound of threads is that of pools; threads start when needed.
    let runtime = runtime(1000 + SPARE_THREADS)?;
    let done = runtime.block_on(async {
        let about = About { faults: LOOKUP_FAULTS, delay_at: DelayAt::Store, ..about("lookup", lookup::ROUTES) };
        let service = Service::new(about, &options.service, born)?;
        let size = service.faults().pool.unwrap_or(usize::from(options.pool));
        let opened = open(&service, &options.store, options.archive.wanted(), size).await?;
        let Some(opened) = opened else { return Ok(()) };
        let lookup = Lookup::new(opened, guard);
        Ok(service.serve(lookup.routes(), lookup).await?)
    });
    // Work that the store does not end is left behind.
    runtime.shutdown_timeout(Duration::from_millis(500));
    done
}

/// Finds or fills the store and opens it; `None` if the process was told to end meanwhile.
async fn open(service: &Service, store: &Store, wanted: Wanted, size: usize) -> Result<Option<Opened>> {
    let (store, lifetime, delay) = (store.clone(), service.lifetime(), service.faults().delay);
    let open = move || {
        let found = store::ensure(&store, wanted, &|| lifetime.has_ended())?;
        let opened = found.map(|archive| Opened::open(&store, archive, size, delay)).transpose();
        opened.with_context(|| format!("cannot open the store `{store}`"))
    };
    tokio::task::spawn_blocking(open).await.context("the opening of the store broke off")?
}

fn run_jvm(options: &JvmOptions, born: Instant) -> Result<ExitCode> {
    let lookup = &options.lookup;
    let issuer = match lookup.trust.verify {
        Verify::Rsa => Some(token::certificate_pem(lookup.trust.trust.as_deref())?),
        Verify::None => None,
    };
    let settings = java::Settings {
        service: &lookup.service,
        store: &lookup.store,
        wanted: lookup.archive.wanted(),
        pool: lookup.pool,
        issuer,
        heap_bytes: options.heap,
        threads: options.threads,
        java_options: &options.java_options,
    };
    let runtime = runtime(1000 + SPARE_THREADS)?;
    let done = runtime.block_on(java::run(&settings, born));
    runtime.shutdown_timeout(Duration::from_millis(500));
    done
}

fn run_front(options: &FrontOptions, born: Instant) -> Result<()> {
    // Names of lookups are resolved on threads that may block, a few at a time.
    runtime(4 + SPARE_THREADS)?.block_on(async {
        let service =
            Service::new(About { faults: FRONT_FAULTS, ..about("front", front::ROUTES) }, &options.service, born)?;
        let front = Front::new(&front::Settings {
            lookups: options.lookup.clone(),
            registers: options.register.clone(),
            skew: service.faults().skew.unwrap_or(1.0),
            timeout: options.timeout,
            rest: options.rest,
        });
        Ok(service.serve(front.routes(), front).await?)
    })
}

fn run_token(options: &TokenOptions, born: Instant) -> Result<()> {
    let key = token::key(options.key.as_deref())?;
    runtime(SPARE_THREADS)?.block_on(async {
        let service =
            Service::new(About { faults: TOKEN_FAULTS, ..about("token", token::ROUTES) }, &options.service, born)?;
        let settings = token::Settings {
            user: options.user.clone(),
            password: std::env::var("AUDITLOG_PASSWORD").unwrap_or_else(|_| "secret".to_owned()),
            cvr: options.cvr.clone(),
            lifetime: options.lifetime,
        };
        let token = TokenService::new(settings, key);
        Ok(service.serve(token.routes(), token).await?)
    })
}

fn about(module: &'static str, routes: &'static [&'static str]) -> About {
    About {
        program: "system-auditlog",
        module,
        version: env!("CARGO_PKG_VERSION"),
        routes,
        faults: &[],
        delay_at: DelayAt::Entry,
        crash_by: CrashBy::Frame,
    }
}

fn write_data(options: &DataOptions) -> Result<()> {
    let archive = Archive { seed: options.seed, citizens: options.citizens };
    if let Some(store) = &options.store {
        let wanted = Wanted { citizens: Some(archive.citizens), seed: Some(archive.seed) };
        // A server's client needs a runtime around it.
        let runtime = runtime(1)?;
        let _entered = runtime.enter();
        store::ensure(store, wanted, &|| false)?;
    }
    archive.write_csv(&options.out)
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
    fn the_lines_of_the_studies_are_read() {
        for line in [
            "system-auditlog lookup --port 8081 --store sqlite:///tmp/auditlog.db --pool 10 --fault leak=40kB",
            "system-auditlog lookup --store mysql://lab@127.0.0.1:3307/lab --verify none --citizens 1000",
            "system-auditlog lookup-jvm --store sqlite://x.db --heap 64MiB --fault leak=of:40kB --java-options -Xss1m",
            "system-auditlog front --port 8080 --lookup 127.0.0.1:8081,127.0.0.1:8082 --fault skew=3",
            "system-auditlog token --port 8083 --lifetime 20s",
            "system-auditlog front --register 127.0.0.1:8091,127.0.0.1:8092",
            "system-auditlog register --port 8091 --log 127.0.0.1:8090 --verify none",
            "system-auditlog mirror --from 127.0.0.1:8090 --to 127.0.0.1:8095 --batch 100 --fault delay=1s",
            "system-auditlog consume --from 127.0.0.1:8095 --store sqlite://x.db --members 6 --batch 50",
            "system-auditlog log --port 8090 --partitions 12 --data /tmp/log --topic a --topic b --most 1GB",
            "system-auditlog data --out data --citizens 100",
        ] {
            assert!(Options::try_parse_from(line.split(' ')).is_ok(), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let message = |line: &str| Options::try_parse_from(line.split(' ')).unwrap_err().to_string();
        let text = message("system-auditlog front --lookup 8081");
        assert!(text.contains("`8081` is not an address; write `HOST:PORT`"), "{text}");
        let text = message("system-auditlog lookup --store postgres://x");
        assert!(text.contains("write `sqlite://PATH`"), "{text}");
        let text = message("system-auditlog log --topic ../x");
        assert!(text.contains("cannot be a name here"), "{text}");
        let text = message("system-auditlog log --most 1s");
        assert!(text.contains("is not a size from 1kB"), "{text}");
        let text = message("system-auditlog token --user <x>");
        assert!(text.contains("cannot stand in an assertion"), "{text}");
        let text = message("system-auditlog lookup-jvm --store sqlite://x --heap 1MB");
        assert!(text.contains("is not a size from 16MB"), "{text}");
        assert!(message("system-auditlog data --out d --citizens 100001").contains("100001 is not in 1..=100000"));
    }
}
