//! PostgreSQL: connected or not, a sample, what it costs.

mod facts;
mod link;
mod statement;

use crate::cost::{Budget, Cost};
use crate::metrics;
use crate::named::Queries;
use crate::presence::{Presence, Trouble};
use crate::server::Server;
use clock::Clock;

use contract::{Facts, Failure, Monitor, MonitorSettings, Samples};
pub use link::MARK;
use link::{Link, within};
use statement::Reader;
use std::sync::Arc;
use terms::Nanos;
use tokio::runtime::Runtime;
use tokio_postgres::Config;

/// Samples in a row without an answer, after which a connection is made anew.
const SILENT_MOST: u32 = 30;
/// Facts may take this long; the run waits ten seconds for those of all monitors.
const FACTS_WITHIN: Nanos = Nanos::from_secs(5);

/// Watches one PostgreSQL server, and one of its databases.
pub(crate) struct Postgres {
    name: String,
    shown: String,
    config: Config,
    every: Nanos,
    clock: Clock,
    /// `None` when the system refuses what it needs: then every sample says so.
    runtime: Option<Arc<Runtime>>,
    /// For what the server counts.
    link: Option<Link>,
    /// For the queries of the author, so that a slow one does not hold up the rest.
    side: Option<Link>,
    queries: Queries,
    reader: Reader,
    server: Option<Server>,
    presence: Presence,
    /// Samples in a row for which no answer came in time.
    silent: u32,
    size: Budget,
    cost: Cost,
}

impl Postgres {
    pub(crate) fn new(settings: &MonitorSettings, config: Config, shown: String, named: Queries) -> Self {
        Self {
            name: settings.name.clone(),
            presence: Presence::new(&settings.name, &shown),
            shown,
            config,
            every: settings.every,
            clock: Clock::system(),
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().ok().map(Arc::new),
            link: None,
            side: None,
            queries: named,
            reader: Reader::new(),
            server: None,
            silent: 0,
            size: Budget::default(),
            cost: Cost::default(),
        }
    }

    /// What a sample may take: most of its period.
    fn allowance(&self) -> Nanos {
        Nanos(self.every.0 / 5 * 4)
    }

    /// Connects if there is no connection. After an attempt that failed it is not tried again for a while.
    async fn connect(&mut self, until: Nanos) -> Result<(), Trouble> {
        let now = self.clock.now();
        if self.link.is_some() {
            return Ok(());
        }
        self.presence.may_try(now)?;
        let opened = Link::open(&self.config, until - now, self.allowance()).await;
        let mut link = opened.inspect_err(|_| self.presence.failed(self.clock.now()))?;
        let text = statement::text(link.version);
        link.sample = Some(within(until - self.clock.now(), link.client.prepare(&text)).await?);
        // What opening it has cost in transactions: the server's own at the start, ours, and the preparation.
        self.reader.own.0 += 3.0;
        let title = link.port.map_or("postgres".to_owned(), |port| format!("({port})"));
        self.server = Server::find(link.backend, &title);
        self.link = Some(link);
        self.presence.connected();
        Ok(())
    }

    async fn sampled(&mut self, taken: (Nanos, Nanos), until: Nanos, out: &mut Samples) -> Result<(), Trouble> {
        let at = taken.0;
        self.connect(until).await?;
        let Some(Link { client, sample: Some(statement), started, .. }) = &self.link else { return Ok(()) };
        let rows = within(until - self.clock.now(), client.query(statement, &[&MARK])).await?;
        self.reader.own.0 += 1.0;
        self.presence.up(started.clone(), at, out);
        self.silent = 0;
        let own = out.instance(&self.name);
        let rows: Vec<(&str, &str, Option<f64>)> =
            rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect();
        for (metric, instance, value) in self.reader.read(rows.into_iter()) {
            let instance = if instance.is_empty() { own } else { out.instance(&instance) };
            out.value(at, instance, metric, value);
        }
        if let Some((cpu, used)) = self.server.as_mut().and_then(|server| server.sample(taken, &self.clock)) {
            let number = |name| metrics::number(name).expect("invariant: the list has the metric");
            out.value(at, own, number("used"), used);
            if let Some(cpu) = cpu {
                out.value(at, own, number("cpu"), cpu);
            }
        }
        self.measure_size(at, until, out).await
    }

    /// The size of the database: the server looks at every file of it, so it is not asked at every sample if that takes
    /// long.
    async fn measure_size(&mut self, at: Nanos, until: Nanos, out: &mut Samples) -> Result<(), Trouble> {
        let Some(link) = self.link.as_ref().filter(|_| self.size.allows(at)) else { return Ok(()) };
        let began = self.clock.now();
        let asked = link.client.query_one("select pg_database_size(current_database())::float8", &[]);
        let row = within(until - began, asked).await;
        self.size.spent(at, self.clock.now() - began);
        self.reader.own.0 += 2.0;
        let instance = out.instance(&self.name);
        let metric = metrics::number("size").expect("invariant: the list has the metric");
        out.value(at, instance, metric, row?.get(0));
        Ok(())
    }

    /// The queries of the author, each on what is left of the sample's time.
    async fn named(&mut self, at: Nanos, until: Nanos, out: &mut Samples) {
        if self.queries.is_empty() || self.link.is_none() {
            return;
        }
        if self.queries.turned() {
            self.side = None;
        }
        let until = self.queries.until(self.clock.now(), until);
        for (number, query) in self.queries.due(at, out) {
            let began = self.clock.now();
            let left = until - began;
            let clock = self.clock.clone();
            let found = match self.open_side(left).await {
                Ok(link) => link.rows(&query, until - clock.now()).await,
                // The server lets in no second connection: its other values go on, and these say why they are missing.
                Err(trouble) => Err(Trouble::Refused(format!("no connection for queries: {}", trouble.text()))),
            };
            match &found {
                Ok(_) => self.reader.own.0 += 1.0,
                Err(Trouble::Refused(_)) => self.reader.own.1 += 1.0,
                // Whatever still runs there ends with its connection, or by the server's own time limit.
                Err(Trouble::Silent(_) | Trouble::Lost(_)) => self.side = None,
            }
            let found = found.map_err(|trouble| trouble.text().to_owned());
            let took = self.clock.now() - began;
            self.queries.take(number, (found, took), (at, &self.name), out);
        }
    }

    /// The connection for queries of the author, opened if it is missing.
    async fn open_side(&mut self, left: Nanos) -> Result<&Link, Trouble> {
        let link = match self.side.take() {
            Some(link) => link,
            None => {
                self.reader.own.0 += 2.0;
                Link::open(&self.config, left, left).await?
            }
        };
        Ok(self.side.insert(link))
    }

    /// No answer in time. A server that stands still may go on where it stopped, so the connection is given up only
    /// when it has been silent for long: a path that swallows everything is not told from a server that stands still.
    fn note_silence(&mut self) {
        self.silent += 1;
        if self.silent.is_multiple_of(SILENT_MOST) {
            (self.link, self.side) = (None, None);
        }
    }
}

impl Monitor for Postgres {
    fn facts(&mut self, out: &mut Facts) {
        let Some(runtime) = self.runtime.clone() else {
            return out.fact(&self.name, &crate::facts::SERVER, "not asked: the system refuses what asking it needs");
        };
        let until = self.clock.now() + FACTS_WITHIN;
        out.fact(&self.name, &crate::facts::ADDRESS, self.shown.clone());
        let asked = runtime.block_on(async {
            let link = Link::open(&self.config, FACTS_WITHIN, FACTS_WITHIN).await?;
            facts::tell(&link, &self.clock, until, &self.name, out).await
        });
        self.reader.own.0 += facts::TRANSACTIONS;
        if let Err(trouble) = asked {
            out.fact(&self.name, &crate::facts::SERVER, format!("cannot be asked: {}", trouble.text()));
        }
        let watched = match (&self.server, &self.link) {
            (Some(server), _) => format!("of process {} and its children on this machine", server.pid),
            (None, Some(_)) => "not watched: no process of this machine serves the connection".to_owned(),
            (None, None) => crate::facts::NOT_YET_KNOWN.to_owned(),
        };
        out.fact(&self.name, &crate::facts::PROCESS_WATCHED, watched);
        if let Some(server) = &self.server {
            out.fact(&self.name, &crate::facts::LINEAGE, processes::lineage(server.identity()));
        }
        out.fact(&self.name, &crate::facts::OWN_CONNECTIONS, format!("marked `{MARK}` and left out of the counts"));
        if let Some(cost) = self.cost.in_words() {
            out.fact(&self.name, &crate::facts::SAMPLE_COST, cost);
        }
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let Some(runtime) = self.runtime.clone() else {
            return Err(Failure::new("the system refuses what asking a database needs (descriptors, memory)"));
        };
        let began = self.clock.now();
        let until = began + self.allowance();
        let sampled = runtime.block_on(async {
            let sampled = self.sampled((at, began), until, out).await;
            if sampled.is_ok() {
                self.named(at, until, out).await;
            }
            sampled
        });
        match sampled {
            Ok(()) => {
                self.cost.add(self.clock.now() - began);
                Ok(())
            }
            Err(trouble) => {
                match &trouble {
                    Trouble::Lost(why) => {
                        self.presence.gone(why, at, out);
                        (self.link, self.side, self.server) = (None, None, None);
                    }
                    Trouble::Silent(_) => self.note_silence(),
                    Trouble::Refused(_) => {}
                }
                Err(Failure::new(format!("{}: {}", self.shown, trouble.text())))
            }
        }
    }
}
