//! Jobs: a query each, dealt out over this analyzer and its peers, and merged here.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::engine::Engine;
use super::merge::{Merged, Outcome};
use super::parts::{Found, Part};
use super::peers::Peers;
use super::queries::Query;
use super::tables::Tables;

/// Jobs that are remembered, and those of them that may wait or run.
const JOBS_MAX: usize = 1000;
const OPEN_MAX: usize = 64;

#[derive(Clone, Debug)]
enum State {
    Running,
    Done(Outcome, Duration),
    Failed(String, Duration),
}

/// What an analyzer has done.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) jobs: AtomicU64,
    pub(crate) failed: AtomicU64,
    /// Parts that its own engine carried out, with their rows and how long they took.
    pub(crate) parts: AtomicU64,
    pub(crate) rows: AtomicU64,
    pub(crate) busy_us: AtomicU64,
}

/// What an analyzer reads, whom it asks, and which jobs it has.
pub(crate) struct Analyzer {
    pub(crate) tables: Tables,
    /// None where it only deals out and merges.
    pub(crate) engine: Option<Arc<Engine>>,
    pub(crate) peers: Peers,
    /// Longest time for a part.
    pub(crate) within: Duration,
    pub(crate) done: Done,
    next: AtomicU64,
    jobs: Mutex<BTreeMap<u64, (&'static Query, State)>>,
    /// One job at a time: its engine does one thing after the other as well.
    turn: Semaphore,
}

impl Analyzer {
    pub(crate) fn new(tables: Tables, engine: Option<Arc<Engine>>, peers: Peers, within: Duration) -> Self {
        Self {
            tables,
            engine,
            peers,
            within,
            done: Done::default(),
            next: AtomicU64::new(1),
            jobs: Mutex::default(),
            turn: Semaphore::new(1),
        }
    }

    /// Analyzers that a query is dealt out to.
    pub(crate) fn analyzers(&self) -> usize {
        self.peers.addresses.len() + usize::from(self.engine.is_some())
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<u64, (&'static Query, State)>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Jobs that wait or run.
    pub(crate) fn open(&self) -> usize {
        self.jobs().values().filter(|(_, state)| matches!(state, State::Running)).count()
    }

    /// Begins a job; its number.
    ///
    /// # Errors
    /// Too many are open.
    pub(crate) fn begin(self: &Arc<Self>, query: &'static Query) -> Result<u64, String> {
        let number = {
            let mut jobs = self.jobs();
            if jobs.values().filter(|(_, state)| matches!(state, State::Running)).count() >= OPEN_MAX {
                return Err(format!("{OPEN_MAX} jobs wait or run already"));
            }
            let number = self.next.fetch_add(1, Relaxed);
            jobs.insert(number, (query, State::Running));
            while jobs.len() > JOBS_MAX {
                let oldest =
                    jobs.iter().find(|(_, (_, state))| !matches!(state, State::Running)).map(|(number, _)| *number);
                let Some(oldest) = oldest else { break };
                jobs.remove(&oldest);
            }
            number
        };
        let analyzer = self.clone();
        tokio::spawn(async move {
            let turn = analyzer.turn.acquire().await;
            let since = Instant::now();
            let done = analyzer.carry_out(query).await;
            drop(turn);
            let state = match done {
                Ok(outcome) => {
                    analyzer.done.jobs.fetch_add(1, Relaxed);
                    State::Done(outcome, since.elapsed())
                }
                Err(why) => {
                    analyzer.done.failed.fetch_add(1, Relaxed);
                    State::Failed(why, since.elapsed())
                }
            };
            analyzer.jobs().insert(number, (query, state));
        });
        Ok(number)
    }

    /// How a job does; `None` if there is none of that number.
    pub(crate) fn state(&self, number: u64) -> Option<Json> {
        let (query, state) = self.jobs().get(&number)?.clone();
        Some(match state {
            State::Running => json!({ "query": query.name, "state": "running" }),
            State::Done(outcome, took) => json!({
                "query": query.name,
                "state": "done",
                "rows": outcome.rows,
                "seconds": took.as_secs_f64(),
                "analyzers": self.analyzers(),
                "groups": outcome.groups,
                "result": outcome.result,
            }),
            State::Failed(reason, took) => {
                json!({ "query": query.name, "state": "failed", "reason": reason, "seconds": took.as_secs_f64() })
            }
        })
    }

    /// Deals a query out and merges what is found: the first range is this analyzer's own, if it has an engine. The first part that fails ends it.
    async fn carry_out(self: &Arc<Self>, query: &'static Query) -> Result<Outcome, String> {
        let reading = self.clone();
        let shares = tokio::task::spawn_blocking(move || reading.tables.shares(query, reading.analyzers()));
        let shares = shares.await.map_err(|error| error.to_string())??;
        let mut parts = JoinSet::new();
        for (place, (range, rows)) in shares.shares.into_iter().enumerate() {
            let analyzer = self.clone();
            let part =
                Part { query: query.name.to_owned(), export: shares.export.clone(), from: range.start, to: range.end };
            parts.spawn(async move {
                let peer = place.checked_sub(usize::from(analyzer.engine.is_some()));
                let peer = peer.and_then(|place| analyzer.peers.addresses.get(place)).cloned();
                let (who, found) = match peer {
                    None => ("this analyzer".to_owned(), analyzer.own(query, part).await?),
                    Some(peer) => {
                        let found = analyzer.peers.ask(&peer, &part, analyzer.within).await?;
                        (format!("the analyzer at {peer}"), found)
                    }
                };
                Ok::<_, String>((who, rows, found))
            });
        }
        let mut merged = Merged::of(query);
        while let Some(part) = parts.join_next().await {
            let (who, rows, found) = part.map_err(|error| format!("a part broke off: {error}"))??;
            let groups = found.groups().map_err(|error| format!("{who} answered with something else: {error}"))?;
            merged.add(&groups, rows).map_err(|why| format!("what {who} found cannot be right: {why}"))?;
        }
        Ok(merged.outcome())
    }

    /// Carries a part out by this analyzer's own engine.
    ///
    /// # Errors
    /// Why it cannot be.
    pub(crate) async fn own(self: &Arc<Self>, query: &'static Query, part: Part) -> Result<Found, String> {
        let analyzer = self.clone();
        let work = move || {
            let since = Instant::now();
            let engine = analyzer.engine.as_ref().ok_or("this analyzer has no engine")?;
            let found = analyzer.tables.carry_out(query, &part, engine, analyzer.within)?;
            analyzer.done.parts.fetch_add(1, Relaxed);
            analyzer.done.rows.fetch_add(part.to - part.from, Relaxed);
            analyzer.done.busy_us.fetch_add(u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX), Relaxed);
            Ok(found)
        };
        tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?
    }
}
