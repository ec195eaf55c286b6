//! The processes of registration.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use system_common::{About, DelayAt, FaultKind, Service, ServiceOptions, lasting, runtime};
use terms::{Quantity, Unit};

use super::{ArchiveOptions, SPARE_THREADS, TrustOptions, about};
use crate::log::{self, LogService, PARTITIONS_MAX, Place, Reader, Source, Status, TOPIC, Writer};
use crate::registration::{self, Consumer, Mirror, Register};
use crate::store::{self, Store};

#[derive(Args, Debug)]
pub(super) struct LogOptions {
    #[command(flatten)]
    service: ServiceOptions,
    /// Folder of its files, kept afterwards [default: one that goes with the process]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Partitions of each topic
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=i64::from(PARTITIONS_MAX)))]
    partitions: u32,
    /// A topic; can be given several times
    #[arg(long = "topic", value_name = "NAME", default_value = TOPIC, value_parser = log::name)]
    topics: Vec<String>,
    /// Most bytes of all files; then nothing more is taken
    #[arg(long, value_name = "SIZE", default_value = "4GB", value_parser = log_size)]
    most: u64,
    /// A member of a group that is silent for so long is left out
    #[arg(long, default_value = "6s", value_parser = lasting)]
    session: Duration,
    /// How long a group waits for members that are at work when it is dealt anew
    #[arg(long, default_value = "30s", value_parser = lasting)]
    rebalance: Duration,
}

/// Least and greatest log.
const LOG_BYTES: std::ops::RangeInclusive<f64> = 1e3..=1e12;

fn log_size(text: &str) -> Result<u64, String> {
    let size = Quantity::parse(text).map_err(|error| format!("`{text}` {error}"))?;
    if size.unit == Unit::Bytes && LOG_BYTES.contains(&size.value) {
        Ok(size.value as u64)
    } else {
        Err(format!("`{text}` is not a size from 1kB to 1TB; write for example `4GB`"))
    }
}

const LOG_FAULTS: &[FaultKind] = &[
    FaultKind::Delay,
    FaultKind::Errors,
    FaultKind::Stall,
    FaultKind::Crash,
    FaultKind::Reset,
    FaultKind::Half,
    FaultKind::Wrong,
];

/// Threads for work on files.
const FILE_THREADS: usize = 16;

pub(super) fn run_log(options: &LogOptions, born: Instant) -> Result<()> {
    let runtime = runtime(FILE_THREADS + SPARE_THREADS)?;
    let done = runtime.block_on(async {
        let service = Service::new(About { faults: LOG_FAULTS, ..about("log", log::ROUTES) }, &options.service, born)?;
        let settings = log::Settings {
            folder: options.data.clone(),
            topics: options.topics.clone(),
            partitions: options.partitions,
            most: options.most,
            session: options.session,
            rebalance: options.rebalance,
        };
        let open = move || LogService::open(&settings);
        let log = tokio::task::spawn_blocking(open).await.context("the opening of the log broke off")??;
        let looking = tokio::spawn(Arc::clone(&log).look_after(service.lifetime()));
        service.serve(log.routes(), log).await?;
        Ok(looking.await?)
    });
    runtime.shutdown_timeout(Duration::from_millis(500));
    done
}

#[derive(Args, Debug)]
pub(super) struct RegisterOptions {
    #[command(flatten)]
    service: ServiceOptions,
    /// Address of the log; of a Kafka with `kafka://` before it
    #[arg(long, value_name = "HOST:PORT", value_parser = log::place)]
    log: Place,
    /// Topic there
    #[arg(long, value_name = "NAME", default_value = TOPIC, value_parser = log::name)]
    topic: String,
    /// Calls that are at work at once; further ones wait
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pool: u16,
    #[command(flatten)]
    trust: TrustOptions,
}

const REGISTER_FAULTS: &[FaultKind] = &[
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

/// Calls that are read at once: reading takes a processor, and there are two.
const READERS: usize = 4;

pub(super) fn run_register(options: &RegisterOptions, born: Instant) -> Result<()> {
    let guard = options.trust.guard()?;
    runtime(READERS + SPARE_THREADS)?.block_on(async {
        let about =
            About { faults: REGISTER_FAULTS, delay_at: DelayAt::Store, ..about("register", registration::ROUTES) };
        let service = Service::new(about, &options.service, born)?;
        let (log, topic) = (Writer::new(&options.log)?, options.topic.clone());
        let places = service.faults().pool.unwrap_or(usize::from(options.pool));
        let register = Register::new(log, topic, guard, places, service.faults().delay);
        Ok(service.serve(register.routes(), register).await?)
    })
}

/// What members of a group are told.
#[derive(Args, Debug)]
struct ReaderOptions {
    /// Address of the log that is read; of a Kafka with `kafka://` before it
    #[arg(long, value_name = "HOST:PORT", value_parser = log::place)]
    from: Place,
    /// Topic there
    #[arg(long, value_name = "NAME", default_value = TOPIC, value_parser = log::name)]
    topic: String,
    /// Most records at once
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    batch: u16,
}

/// `delay` and `stall` come before each batch.
const READER_FAULTS: &[FaultKind] = &[FaultKind::Delay, FaultKind::Stall, FaultKind::Crash];

impl ReaderOptions {
    fn reader(&self, group: &str, service: &ServiceOptions, module: &str) -> Result<Arc<Reader>> {
        let host = service.instance(module).and_then(|host| log::name(&host)).map_err(anyhow::Error::msg)?;
        Ok(Arc::new(Reader {
            from: Source::new(&self.from)?,
            topic: self.topic.clone(),
            group: group.to_owned(),
            host,
            batch: usize::from(self.batch),
            status: Status::default(),
        }))
    }
}

/// Longest time for members to end what they have in hand and to leave; with a broker that is away they would wait for it.
const LEAVING_MAX: Duration = Duration::from_secs(4);

/// Waits for members that were told to end.
async fn ended(reading: tokio::task::JoinHandle<()>) -> Result<()> {
    match tokio::time::timeout(LEAVING_MAX, reading).await {
        Ok(ended) => Ok(ended?),
        Err(_) => Ok(()),
    }
}

#[derive(Args, Debug)]
pub(super) struct MirrorOptions {
    #[command(flatten)]
    service: ServiceOptions,
    #[command(flatten)]
    reader: ReaderOptions,
    /// Address of the log that is written; of a Kafka with `kafka://` before it
    #[arg(long, value_name = "HOST:PORT", value_parser = log::place)]
    to: Place,
    /// Group where it reads
    #[arg(long, value_name = "NAME", default_value = "mirror", value_parser = log::name)]
    group: String,
}

pub(super) fn run_mirror(options: &MirrorOptions, born: Instant) -> Result<()> {
    let runtime = runtime(1 + SPARE_THREADS)?;
    let done = runtime.block_on(async {
        let service = Service::new(About { faults: READER_FAULTS, ..about("mirror", &[]) }, &options.service, born)?;
        let reader = options.reader.reader(&options.group, &options.service, "mirror")?;
        let mirror = Mirror::new(Arc::clone(&reader), Writer::new(&options.to)?);
        let (lifetime, faults) = (service.lifetime(), service.faults().clone());
        let sink = Arc::clone(&mirror);
        let reading = tokio::spawn(async move { reader.run(sink, 1, &faults, born, &lifetime).await });
        service.serve(mirror.routes(), mirror).await?;
        ended(reading).await
    });
    runtime.shutdown_timeout(Duration::from_millis(500));
    done
}

#[derive(Args, Debug)]
pub(super) struct ConsumeOptions {
    #[command(flatten)]
    service: ServiceOptions,
    #[command(flatten)]
    reader: ReaderOptions,
    /// Group of all hosts
    #[arg(long, value_name = "NAME", default_value = "consumers", value_parser = log::name)]
    group: String,
    /// Members on this host; beyond the number of partitions they are idle
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u64).range(1..=128))]
    members: u64,
    /// Where the data is; filled if it is missing
    #[arg(long, value_name = "sqlite://PATH or mysql://USER@HOST:PORT/DATABASE")]
    store: Store,
    /// Connections to a MariaDB; an SQLite file takes one writer at a time
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pool: u16,
    #[command(flatten)]
    archive: ArchiveOptions,
}

pub(super) fn run_consume(options: &ConsumeOptions, born: Instant) -> Result<()> {
    let runtime = runtime(1000 + SPARE_THREADS)?;
    let done = runtime.block_on(async {
        let service = Service::new(About { faults: READER_FAULTS, ..about("consume", &[]) }, &options.service, born)?;
        let reader = options.reader.reader(&options.group, &options.service, "consume")?;
        let (lifetime, faults) = (service.lifetime(), service.faults().clone());
        let (store, wanted, members) = (options.store.clone(), options.archive.wanted(), options.members);
        let size = match store {
            Store::Sqlite(_) => 1,
            Store::MariaDb(_) => usize::from(options.pool),
        };
        let (opening, ending) = (Arc::clone(&reader), lifetime.clone());
        let open = move || -> Result<Option<Arc<Consumer>>> {
            let found = store::ensure(&store, wanted, &|| ending.has_ended())?;
            let opened = found.map(|_| Consumer::open(opening, members, &store, size)).transpose();
            opened.with_context(|| format!("cannot open the store `{store}`"))
        };
        let opened = tokio::task::spawn_blocking(open).await.context("the opening of the store broke off")??;
        let Some(consumer) = opened else { return Ok(()) };
        let sink = Arc::clone(&consumer);
        let reading = tokio::spawn(async move { reader.run(sink, members, &faults, born, &lifetime).await });
        service.serve(consumer.routes(), consumer).await?;
        ended(reading).await
    });
    runtime.shutdown_timeout(Duration::from_millis(500));
    done
}
