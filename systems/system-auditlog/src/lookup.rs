//! The lookup service: `POST /minlog/`, a citizen or a helper in, a page of entries out; `GET /monitor`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::{get, post};
use serde_json::{Map, Value, json};
use system_common::xml::Bounds;
use system_common::{Module, Pool, text};

use crate::data::Archive;
use crate::moment_now;
use crate::soap::{self, Fault, FaultCounts, Linking, Question, REQUEST_MAX};
use crate::store::{By, Found, Query, Session, Store, StoreError};
use crate::token::Guard;
use crate::web::{admit, faulty, soap, whole};

/// Routes of a lookup.
pub(crate) const ROUTES: &[&str] = &["POST /minlog/", "GET /monitor"];

/// Longest time that a question about health may take.
const HEALTH_PATIENCE: Duration = Duration::from_secs(2);

/// The store of a lookup, with its connections.
pub(crate) struct Opened {
    pub(crate) archive: Archive,
    pool: Arc<Pool<Session>>,
    /// Beside the pool: it is told whether the store answers while all others are at work.
    health: Arc<Pool<Session>>,
    /// Entries that were answered with.
    entries: AtomicU64,
}

impl Opened {
    /// Opens `size` connections; blocks. `delay` is spent at each lookup while it holds its connection.
    ///
    /// # Errors
    /// The store cannot be opened.
    pub(crate) fn open(store: &Store, archive: Archive, size: usize, delay: Duration) -> Result<Self, StoreError> {
        Ok(Self {
            archive,
            pool: Pool::open(size, delay, || store.connect())?,
            health: Pool::open(1, Duration::ZERO, || store.connect())?,
            entries: AtomicU64::new(0),
        })
    }

    /// A page of entries.
    ///
    /// # Errors
    /// The store failed.
    pub(crate) async fn find(&self, query: Query) -> Result<Found, StoreError> {
        let found = self.pool.run(move |session| session.find(&query)).await;
        let found = found.map_err(|error| StoreError(error.to_string()))??;
        self.entries.fetch_add(found.entries.len() as u64, Relaxed);
        Ok(found)
    }

    /// Whether the store answers; the text says why not.
    pub(crate) async fn health(&self) -> Result<(), String> {
        match tokio::time::timeout(HEALTH_PATIENCE, self.health.run(Session::ask)).await {
            Ok(Ok(asked)) => asked.map_err(|error| error.to_string()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("the store does not answer within {HEALTH_PATIENCE:?}")),
        }
    }

    /// State of the pool, what the store was filled from, and entries that it answered with.
    pub(crate) fn counters(&self) -> Map<String, Value> {
        let Archive { seed, citizens } = self.archive;
        let mut all = Map::new();
        all.insert("pool".to_owned(), serde_json::to_value(self.pool.statistics()).unwrap_or_default());
        all.insert("data".to_owned(), json!({ "citizens": citizens, "seed": seed }));
        all.insert("entries".to_owned(), self.entries.load(Relaxed).into());
        all
    }
}

/// One replica of the lookup.
pub(crate) struct Lookup {
    opened: Opened,
    guard: Guard,
    /// Ids of answers: the process, and a number.
    process: String,
    answered: AtomicU64,
    citizens: AtomicU64,
    helpers: AtomicU64,
    faults: FaultCounts,
}

impl Lookup {
    pub(crate) fn new(opened: Opened, guard: Guard) -> Arc<Self> {
        let zero = || AtomicU64::new(0);
        Arc::new(Self {
            opened,
            guard,
            process: format!("{:x}-{:x}", std::process::id(), moment_now().0),
            answered: zero(),
            citizens: zero(),
            helpers: zero(),
            faults: FaultCounts::new(),
        })
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new().route("/minlog/", post(look_up)).route("/monitor", get(monitor)).with_state(Arc::clone(self))
    }

    fn read(&self, headers: &HeaderMap, body: &[u8]) -> Result<(Question, [String; 2]), Fault> {
        let call = admit(&self.guard, headers, body, Bounds::USUAL)?;
        Ok((soap::question(call.envelope.body()?)?, call.linking))
    }

    async fn answer(&self, headers: &HeaderMap, body: &[u8]) -> Result<String, Fault> {
        let (question, [flow, asked]) = self.read(headers, body)?;
        match question.query.by {
            By::Citizen => self.citizens.fetch_add(1, Relaxed),
            By::Helper => self.helpers.fetch_add(1, Relaxed),
        };
        let found = self.opened.find(question.query.clone()).await;
        let found = found.map_err(|error| Fault::server(error.to_string()))?;
        let message = format!("{}-{}", self.process, self.answered.fetch_add(1, Relaxed));
        let linking = Linking { flow: &flow, message: &message, in_response_to: &asked };
        Ok(soap::list(&linking, &question, &found))
    }
}

impl Module for Lookup {
    async fn health(&self) -> Result<(), String> {
        self.opened.health().await
    }

    fn counters(&self) -> Map<String, Value> {
        let mut all = self.opened.counters();
        let lookups = json!({
            "citizen": self.citizens.load(Relaxed),
            "on_behalf_of": self.helpers.load(Relaxed),
            "answered": self.answered.load(Relaxed),
        });
        all.insert("lookups".to_owned(), lookups);
        all.insert("soap_faults".to_owned(), self.faults.to_json());
        all
    }
}

async fn look_up(State(lookup): State<Arc<Lookup>>, request: Request) -> Response<Body> {
    let (headers, body) = match whole(request, REQUEST_MAX).await {
        Ok(read) => read,
        Err(answer) => return *answer,
    };
    match lookup.answer(&headers, &body).await {
        Ok(text) => soap(StatusCode::OK, text),
        Err(fault) => {
            lookup.faults.count(&fault);
            faulty(&fault)
        }
    }
}

/// What operators look at: one line, from the store's own answer.
async fn monitor(State(lookup): State<Arc<Lookup>>) -> Response<Body> {
    match lookup.opened.health().await {
        Ok(()) => text(StatusCode::OK, "OK\n"),
        Err(why) => text(StatusCode::INTERNAL_SERVER_ERROR, why + "\n"),
    }
}
