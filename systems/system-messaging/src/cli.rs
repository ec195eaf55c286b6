//! The command line: the service itself, and the making of agreements.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use axum::http::Uri;
use clap::{Args, Parser, Subcommand, ValueEnum};
use system_common::{About, CrashBy, DelayAt, FaultKind, Service, ServiceOptions, Shares, lasting, runtime};
use terms::{Quantity, Unit};

use crate::agreement::{self, Profile};
use crate::counters::MessageCounters;
use crate::delivery::{self, Client, Delivery, Queue};
use crate::handler::{self, Handler, Settings};
use crate::store::{Commit, Committer, Settled, Store};

/// The whole command line.
#[derive(Parser, Debug)]
#[command(
    name = "system-messaging",
    version,
    about = "An ebXML Messaging 2.0 message service handler over SQLite or MariaDB",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeOptions,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Write agreements of one adapter with many partners, and beside the folder the CSV `cpa,from,to`
    Cpas(CpasOptions),
}

#[derive(Args, Debug)]
struct CpasOptions {
    /// Folder for the files; made if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Profile of Digikoppeling
    #[arg(long, default_value = "be")]
    profile: Profile,
    /// How many
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    count: u16,
}

/// Whether business messages are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Replies {
    /// They are stored
    None,
    /// They are answered by the business message that the agreement has for it
    Business,
}

#[derive(Args, Debug)]
struct ServeOptions {
    #[command(flatten)]
    service: ServiceOptions,
    /// Where messages are kept; made if it is missing
    #[arg(long, value_name = "sqlite://PATH or mysql://USER@HOST:PORT/DATABASE", required = true)]
    store: Option<Store>,
    /// Folder of agreements, `*.xml`
    #[arg(long, value_name = "DIR", required = true)]
    cpas: Option<PathBuf>,
    /// Address that takes the place of the other party's endpoint in every agreement
    #[arg(long, value_name = "URL", value_parser = delivery::read_uri)]
    pong_to: Option<Uri>,
    /// Id of the party that is served here [default: whichever party a message is to]
    #[arg(long, value_name = "ID")]
    party: Option<String>,
    /// Messages worked on at once; further ones wait
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pool: u16,
    /// Longest time that a message waits for its place in the pool, and then for the store; then 503
    #[arg(long, default_value = "30s", value_parser = lasting)]
    wait_max: Duration,
    /// Deliveries under way at once
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000))]
    workers: u16,
    /// How commits are shared: all that waits in one, or one for each message
    #[arg(long, default_value = "group")]
    commit: Commit,
    /// Share of acknowledgments whose first delivery is withheld
    #[arg(long, default_value = "0%", value_parser = share)]
    withhold_acks: u32,
    /// How business messages are answered
    #[arg(long, default_value = "none")]
    reply: Replies,
}

/// Runs to the end. `born` is the start of the process.
pub(crate) fn run(options: &Options, born: Instant) -> Result<()> {
    match &options.command {
        Some(Command::Cpas(options)) => agreement::write_all(&options.out, options.profile, options.count),
        None => serve(&options.serve, born),
    }
}

const ABOUT: About = About {
    program: "system-messaging",
    module: "messaging",
    version: env!("CARGO_PKG_VERSION"),
    routes: handler::ROUTES,
    faults: &[
        FaultKind::Delay,
        FaultKind::Errors,
        FaultKind::Leak,
        FaultKind::Pool,
        FaultKind::Stall,
        FaultKind::Crash,
        FaultKind::Reset,
        FaultKind::Half,
        FaultKind::Wrong,
    ],
    delay_at: DelayAt::Store,
    crash_by: CrashBy::Frame,
};

/// Threads that may block: names of hosts, health, the end of the access log.
const BLOCKING: usize = 8;

fn serve(options: &ServeOptions, born: Instant) -> Result<()> {
    // Both are required by the command line when there is no sub-command.
    let (store, cpas) = (options.store.clone(), options.cpas.as_ref());
    let store = store.context("`--store` is missing; write `--store sqlite://PATH`")?;
    let agreements = Arc::new(agreement::load(cpas.context("`--cpas` is missing; write `--cpas DIR`")?)?);
    let runtime = runtime(BLOCKING)?;
    let done = runtime.block_on(async {
        let service = Service::new(ABOUT, &options.service, born)?;
        let mut session = store.connect().await.with_context(|| format!("the store `{store}` cannot be opened"))?;
        session.put_agreements(&agreements).await.with_context(|| format!("the store `{store}` cannot be written"))?;
        let pool = service.faults().pool.unwrap_or(usize::from(options.pool));
        let queue = Arc::new(Queue::new());
        let settled: Arc<dyn Settled> = Arc::clone(&queue) as Arc<dyn Settled>;
        let name = options.service.name.as_deref().unwrap_or(ABOUT.module);
        let committer = Committer::start(&store, session, options.commit, pool, name, &settled)?;
        let delivery = Arc::new(Delivery {
            queue,
            committer: Arc::new(committer),
            counters: Arc::new(MessageCounters::new(&agreements)),
            agreements,
            client: Client::new(usize::from(options.workers)),
            pong_to: options.pong_to.clone(),
        });
        delivery.start(usize::from(options.workers), store.clone());
        let settings = Settings {
            own: options.party.clone(),
            pool,
            wait_max: options.wait_max,
            delay: service.faults().delay,
            withheld: Shares { errors: options.withhold_acks, ..Shares::default() },
            replies: options.reply == Replies::Business,
        };
        let handler = Handler::new(settings, store, delivery);
        Ok(service.serve(handler.routes(), handler).await?)
    });
    runtime.shutdown_timeout(Duration::from_millis(500));
    done
}

/// Millionths.
fn share(text: &str) -> Result<u32, String> {
    let quantity = Quantity::parse(text).map_err(|error| format!("`{text}` {error}"))?;
    match quantity.unit {
        Unit::Share if (0.0..=1.0).contains(&quantity.value) => Ok((quantity.value * 1e6).round() as u32),
        _ => Err(format!("`{text}` is not a share from 0% to 100%; write for example `1%`")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
    }

    #[test]
    fn the_lines_of_studies_are_read() {
        for line in [
            "system-messaging --port 8080 --store sqlite://m.db --cpas cpas --pong-to http://127.0.0.1:8081/pong --fault delay=20ms",
            "system-messaging --store mysql://lab@127.0.0.1:3307/lab --cpas cpas --pool 8 --workers 4 --commit each --withhold-acks 1%",
            "system-messaging --store sqlite://m.db --cpas cpas --reply business --party 99990000000000000000 --wait-max 5s",
            "system-messaging cpas --out cpas --profile rm --count 20",
        ] {
            let read = Options::try_parse_from(line.split(' '));
            assert!(read.is_ok(), "{line}: {}", read.unwrap_err());
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let message = |line: &str| Options::try_parse_from(line.split(' ')).unwrap_err().to_string();
        assert!(message("system-messaging --cpas c --store db").contains("write `sqlite://PATH`"));
        assert!(message("system-messaging --cpas c").contains("--store"));
        assert!(message("system-messaging --store sqlite://x").contains("--cpas"));
        let text = message("system-messaging --cpas c --store sqlite://x --pong-to 8081");
        assert!(text.contains("`8081` is not an address"), "{text}");
        let text = message("system-messaging --cpas c --store sqlite://x --withhold-acks 1s");
        assert!(text.contains("not a share"), "{text}");
    }
}
