//! MariaDB: connected or not, a sample, what it costs.

mod facts;
mod link;
mod statement;

use crate::cost::{Budget, Cost};
use crate::metrics;
use crate::named::{Queries, ROWS_MAX};
use crate::presence::{Presence, Trouble};
use crate::server::Server;
use clock::Clock;

use contract::{Facts, Failure, Monitor, MonitorSettings, Samples};
use link::Link;
use mysql_async::Opts;
use statement::text;
use statement::{Counts, Own};
use std::sync::Arc;
use terms::{Nanos, iso};
use tokio::runtime::Runtime;

/// Facts may take this long; the run waits ten seconds for those of all monitors.
const FACTS_WITHIN: Nanos = Nanos::from_secs(5);
/// What the server's process is called.
const PROCESS: &[&str] = &["mariadbd", "mysqld"];
/// The server tells whole seconds since its start, on a clock that is read apart: so far apart are two readings of one
/// start. No server starts twice within it.
const START_JITTER_S: i64 = 2;
/// Rows that the server lets a statement of ours bring.
const ROWS: usize = 4000;

/// The size of the tables' files. A file's name spells what is not a letter, digit or `_` in a way of its own; such a
/// database is not found, and its size is missing.
const SIZE: &str = "SELECT SUM(FILE_SIZE) FROM information_schema.INNODB_SYS_TABLESPACES
  WHERE SUBSTRING_INDEX(NAME, '/', 1) = DATABASE() AND NAME LIKE '%/%'";

/// Values of rows whose cells are parted by tabs.
#[cfg(feature = "fuzz")]
pub(crate) fn status(bytes: &[u8]) -> Vec<(u16, &'static str, f64)> {
    let cell = |cell: &[u8]| mysql_async::Value::Bytes(cell.to_vec());
    let row = |line: &[u8]| line.split(|byte| *byte == b'\t').map(cell).collect::<Vec<_>>();
    let rows: Vec<_> = bytes.split(|byte| *byte == b'\n').map(row).collect();
    statement::values(&rows, Own::default())
}

/// Watches one MariaDB server, and one of its databases.
pub(crate) struct MariaDb {
    name: String,
    shown: String,
    options: Opts,
    every: Nanos,
    clock: Clock,
    presence: Presence,
    /// `None` when the system refuses what it needs: then every sample says so.
    runtime: Option<Arc<Runtime>>,
    /// For what the server counts.
    link: Option<Link>,
    /// For the queries of the author, so that a slow one does not hold up the rest.
    side: Option<Link>,
    /// Connections that are of no use any more. They are closed outside of the runtime: within it the library would say
    /// goodbye to a server that may never answer.
    discarded: Vec<Link>,
    /// What the server has counted since its start of connections that are closed.
    spent: Counts,
    /// When the server was started, seconds since 1970.
    started_s: Option<i64>,
    queries: Queries,
    server: Option<Server>,
    size: Budget,
    cost: Cost,
}

impl MariaDb {
    pub(crate) fn new(settings: &MonitorSettings, options: Opts, shown: String, named: Queries) -> Self {
        Self {
            name: settings.name.clone(),
            presence: Presence::new(&settings.name, &shown),
            shown,
            options,
            every: settings.every,
            clock: Clock::system(),
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().ok().map(Arc::new),
            link: None,
            side: None,
            discarded: Vec::new(),
            spent: Counts::default(),
            started_s: None,
            queries: named,
            server: None,
            size: Budget::default(),
            cost: Cost::default(),
        }
    }

    /// What a sample may take: most of its period.
    fn allowance(&self) -> Nanos {
        Nanos(self.every.0 / 5 * 4)
    }

    /// Connects if there is no connection.
    async fn connect(&mut self, until: Nanos) -> Result<(), Trouble> {
        let now = self.clock.now();
        if self.link.is_some() {
            return Ok(());
        }
        self.presence.may_try(now)?;
        let opened = Link::open(&self.options, until - now, (self.allowance(), ROWS)).await;
        let link = opened.inspect_err(|_| self.presence.failed(self.clock.now()))?;
        let is_anew = self.started_s.is_none_or(|known| (known - link.started_s).abs() > START_JITTER_S);
        if is_anew {
            // A server that was started anew has not counted what was asked before.
            self.spent = Counts::default();
            self.discarded.extend(self.side.take());
            self.started_s = Some(link.started_s);
        }
        self.server = link.thread.and_then(|thread| Server::of_thread(thread, PROCESS));
        self.link = Some(link);
        self.presence.connected();
        Ok(())
    }

    async fn sampled(&mut self, taken: (Nanos, Nanos), until: Nanos, out: &mut Samples) -> Result<(), Trouble> {
        let at = taken.0;
        self.connect(until).await?;
        let Some(link) = &mut self.link else { return Ok(()) };
        let ids: Vec<u32> = std::iter::once(link.id).chain(self.side.as_ref().map(|side| side.id)).collect();
        let asked = statement::statement(link.sees_others, &ids);
        let rows = link.rows(&asked, until - self.clock.now()).await?;
        let started = Nanos::from_secs(self.started_s.unwrap_or_default());
        self.presence.up(iso::seconds(started), at, out);
        let own = out.instance(&self.name);
        link.own = statement::own_counts(&rows);
        let mut others = Own { connections: ids.len() as u32, counts: self.spent.clone() };
        others.counts.add(&self.side.as_ref().map(|side| side.own.clone()).unwrap_or_default());
        for (metric, instance, value) in statement::values(&rows, others) {
            let instance = if instance.is_empty() { own } else { out.instance(instance) };
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

    /// The size of the database: the server looks at every table's file, so it is not asked at every sample if that
    /// takes long.
    async fn measure_size(&mut self, at: Nanos, until: Nanos, out: &mut Samples) -> Result<(), Trouble> {
        let Some(link) = self.link.as_mut().filter(|link| link.sees_others && self.size.allows(at)) else {
            return Ok(());
        };
        let began = self.clock.now();
        let row = link.first(SIZE, until - began).await;
        self.size.spent(at, self.clock.now() - began);
        if let Some(bytes) = row?.first().and_then(text).and_then(|text| text.parse::<f64>().ok()) {
            let instance = out.instance(&self.name);
            out.value(at, instance, metrics::number("size").expect("invariant: the list has the metric"), bytes);
        }
        Ok(())
    }

    /// The queries of the author, each on what is left of the sample's time.
    async fn named(&mut self, at: Nanos, until: Nanos, out: &mut Samples) {
        if self.queries.is_empty() || self.link.is_none() {
            return;
        }
        if self.queries.turned() {
            self.discarded.extend(self.side.take());
        }
        let until = self.queries.until(self.clock.now(), until);
        for (number, query) in self.queries.due(at, out) {
            let began = self.clock.now();
            let left = until - began;
            let found = match self.side.take() {
                Some(link) => Ok(link),
                None => Link::open(&self.options, left, (left, ROWS_MAX + 1)).await,
            };
            let found = match found {
                Ok(mut link) => {
                    let found = link.named(&query, until - self.clock.now()).await;
                    match &found {
                        Ok(_) | Err(Trouble::Refused(_)) => self.side = Some(link),
                        // Whatever still runs there is ended by the server's own time limit.
                        Err(Trouble::Silent(_) | Trouble::Lost(_)) => self.discarded.push(link),
                    }
                    found
                }
                // The server lets in no second connection: its other values go on, and these say why they are missing.
                Err(trouble) => Err(Trouble::Refused(format!("no connection for queries: {}", trouble.text()))),
            };
            let found = found.map_err(|trouble| trouble.text().to_owned());
            let took = self.clock.now() - began;
            self.queries.take(number, (found, took), (at, &self.name), out);
        }
        if let Some(side) = &mut self.side
            && side.count_own(until - self.clock.now()).await.is_err()
        {
            self.discarded.extend(self.side.take());
        }
    }

    /// Closes connections that are of no use any more. What they have caused stays taken off.
    fn discard(&mut self) {
        for link in self.discarded.drain(..) {
            self.spent.add(&link.own);
        }
    }
}

impl Monitor for MariaDb {
    fn facts(&mut self, out: &mut Facts) {
        let Some(runtime) = self.runtime.clone() else {
            return out.fact(&self.name, &crate::facts::SERVER, "not asked: the system refuses what asking it needs");
        };
        let until = self.clock.now() + FACTS_WITHIN;
        out.fact(&self.name, &crate::facts::ADDRESS, self.shown.clone());
        let mut opened = None;
        let asked = runtime.block_on(async {
            let link = Link::open(&self.options, FACTS_WITHIN, (FACTS_WITHIN, ROWS)).await?;
            let started = iso::seconds(Nanos::from_secs(link.started_s));
            let link = opened.insert(link);
            facts::tell(link, &self.clock, until, &self.name, out).await?;
            out.fact(&self.name, &crate::facts::STARTED, started);
            link.count_own(until - self.clock.now()).await
        });
        self.discarded.extend(opened);
        self.discard();
        if let Err(trouble) = asked {
            out.fact(&self.name, &crate::facts::SERVER, format!("cannot be asked: {}", trouble.text()));
        }
        let watched = match (&self.server, &self.link) {
            (Some(server), _) => format!("of process {} on this machine", server.pid),
            (None, Some(_)) => "not watched: no process of this machine serves the connection".to_owned(),
            (None, None) => crate::facts::NOT_YET_KNOWN.to_owned(),
        };
        out.fact(&self.name, &crate::facts::PROCESS_WATCHED, watched);
        if let Some(server) = &self.server {
            out.fact(&self.name, &crate::facts::LINEAGE, processes::lineage(server.identity()));
        }
        out.fact(&self.name, &crate::facts::OWN_CONNECTIONS, crate::facts::BY_ID);
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
        self.discard();
        match sampled {
            Ok(()) => {
                self.cost.add(self.clock.now() - began);
                Ok(())
            }
            Err(trouble) => {
                if let Trouble::Lost(why) = &trouble {
                    self.presence.gone(why, at, out);
                    self.discarded.extend(self.side.take());
                    self.server = None;
                }
                // An answer that was not awaited would be taken for that to the next statement.
                if !matches!(trouble, Trouble::Refused(_)) {
                    self.discarded.extend(self.link.take());
                    self.discard();
                }
                Err(Failure::new(format!("{}: {}", self.shown, trouble.text())))
            }
        }
    }
}
