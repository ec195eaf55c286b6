//! The two storage modules and the background jobs, and what they share: the opened store, refusals, query strings.

mod check_out;
mod cql;
mod holdings;
mod jobs;
mod records;
mod search;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

use anyhow::Result;
use axum::body::Body;
use axum::extract::Query;
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use serde_json::{Map, Value, json};
use system_common::{Pool, PoolError, text};

pub(crate) use holdings::{Holdings, ROUTES as HOLDINGS_ROUTES};
pub(crate) use jobs::{Jobs, ROUTES as JOBS_ROUTES};
pub(crate) use records::{ROUTES as RECORDS_ROUTES, Records};

use crate::store::{Contents, Dialect, Session, Store, StoreError};

/// A store, opened by one module.
pub(crate) struct Opened {
    contents: Contents,
    dialect: Dialect,
    pool: Arc<Pool<Session>>,
    /// Beside the pool, so that health can be told while the pool is exhausted.
    health: Arc<Mutex<Session>>,
    rows_read: AtomicU64,
    rows_written: AtomicU64,
}

/// Why a call is refused: a status and one line of text.
#[derive(Debug, PartialEq)]
pub(crate) struct Refusal(StatusCode, String);

impl Refusal {
    fn bad(why: impl Into<String>) -> Self {
        Self(StatusCode::BAD_REQUEST, why.into())
    }

    fn not_found(why: impl Into<String>) -> Self {
        Self(StatusCode::NOT_FOUND, why.into())
    }

    fn conflict(why: impl Into<String>) -> Self {
        Self(StatusCode::CONFLICT, why.into())
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, format!("the store failed: {error}"))
    }
}

impl From<PoolError> for Refusal {
    fn from(error: PoolError) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

/// What a handler comes to, as an answer.
fn answered(result: Result<Response<Body>, Refusal>) -> Response<Body> {
    result.unwrap_or_else(|Refusal(status, why)| text(status, why + "\n"))
}

impl Opened {
    /// Opens `pool_size` connections under the module's name; `delay` is spent in each use of one (fault `delay`).
    pub(crate) fn open(
        store: &Store,
        contents: Contents,
        module: &str,
        pool_size: usize,
        delay: Duration,
    ) -> Result<Self> {
        let name = format!("system-inventory {module}");
        Ok(Self {
            contents,
            dialect: store.dialect(),
            pool: Pool::open(pool_size, delay, || store.connect(&name))?,
            health: Arc::new(Mutex::new(store.connect(&format!("{name} health"))?)),
            rows_read: AtomicU64::new(0),
            rows_written: AtomicU64::new(0),
        })
    }

    /// A table of the tenant.
    fn table(&self, name: &str) -> String {
        self.dialect.table(&self.contents.tenant, name)
    }

    /// Does work on a connection of the pool.
    async fn run<T, F>(&self, work: F) -> Result<T, Refusal>
    where
        T: Send + 'static,
        F: FnOnce(&mut Session) -> Result<T, Refusal> + Send + 'static,
    {
        let revived = move |session: &mut Session| {
            session.revive()?;
            work(session)
        };
        self.pool.run(revived).await?
    }

    fn count(&self, read: u64, written: u64) {
        self.rows_read.fetch_add(read, Relaxed);
        self.rows_written.fetch_add(written, Relaxed);
    }

    /// Whether the store answers.
    async fn health(&self) -> Result<(), String> {
        let session = Arc::clone(&self.health);
        let table = match self.dialect {
            Dialect::Sqlite => "inventory_store".to_owned(),
            Dialect::Postgres => self.table("inventory_store"),
        };
        let ask = move || {
            let mut session = match session.try_lock() {
                Ok(session) => session,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return Err("the question before is still open".to_owned()),
            };
            let sql = format!("SELECT instances FROM {table}");
            let mut ask = || session.revive().and_then(|()| session.whole(&sql, &[]));
            // A connection that was broken is found out by the first question, and opened again for the second.
            let asked = ask().or_else(|_| ask());
            asked.map(drop).map_err(|error| error.to_string())
        };
        match tokio::time::timeout(HEALTH_PATIENCE, tokio::task::spawn_blocking(ask)).await {
            Ok(Ok(Ok(()))) => Ok(()),
            Ok(Ok(Err(why))) => Err(format!("the store does not answer: {why}")),
            Ok(Err(_)) => Err("the store does not answer".to_owned()),
            Err(_) => Err(format!("the store does not answer within {HEALTH_PATIENCE:?}")),
        }
    }

    fn counters(&self) -> Map<String, Value> {
        let Contents { tenant, instances, seed } = &self.contents;
        let rows = json!({ "read": self.rows_read.load(Relaxed), "written": self.rows_written.load(Relaxed) });
        let data = json!({ "tenant": tenant, "instances": instances, "seed": seed });
        let pool = serde_json::to_value(self.pool.statistics()).unwrap_or_default();
        [("pool", pool), ("rows", rows), ("data", data)]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// Refuses another tenant's call. The gateway always sends the tenant; a direct call may leave it out.
    fn check_tenant(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        match headers.get("x-okapi-tenant") {
            Some(tenant) if tenant.as_bytes() != self.contents.tenant.as_bytes() => {
                Err(Refusal(StatusCode::FORBIDDEN, "this store has no such tenant".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

/// Longest time that a question about health may take.
const HEALTH_PATIENCE: Duration = Duration::from_secs(2);
/// Most rows in one answer: 5000 records of 10 kB are 50 MB.
const LIMIT_MAX: u64 = 5000;
/// Rows in one answer when nothing is asked for.
const LIMIT_DEFAULT: u64 = 10;

/// Which rows of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Page {
    limit: u64,
    offset: u64,
}

/// Name and value of every parameter of a query string; each at most once, and only known ones.
fn parameters(uri: &Uri, known: &[&str]) -> Result<Vec<(String, String)>, Refusal> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|_| Refusal::bad("the query string cannot be decoded"))?;
    for (number, (name, _)) in pairs.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            return Err(Refusal::bad(format!("unknown parameter `{name}`; possible are `{}`", known.join("`, `"))));
        }
        if pairs[..number].iter().any(|(earlier, _)| earlier == name) {
            return Err(Refusal::bad(format!("parameter `{name}` is given twice")));
        }
    }
    Ok(pairs)
}

/// Takes `limit` and `offset` out of the parameters.
fn page(parameters: &mut Vec<(String, String)>) -> Result<Page, Refusal> {
    let mut take = |wanted: &str, default: u64, most: u64| {
        let Some(place) = parameters.iter().position(|(name, _)| name == wanted) else { return Ok(default) };
        let (_, value) = parameters.swap_remove(place);
        match value.parse() {
            Ok(number) if number <= most => Ok(number),
            _ => Err(Refusal::bad(format!(
                "`{wanted}` cannot be `{value}`; possible are whole numbers from 0 to {most}"
            ))),
        }
    };
    Ok(Page { limit: take("limit", LIMIT_DEFAULT, LIMIT_MAX)?, offset: take("offset", 0, i64::MAX as u64)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[&str] = &["a", "limit", "offset"];

    fn read(query: &str) -> Result<(Vec<(String, String)>, Page), Refusal> {
        let mut pairs = parameters(&format!("/x?{query}").parse().unwrap(), KNOWN)?;
        let page = page(&mut pairs)?;
        Ok((pairs, page))
    }

    #[test]
    fn parameters_are_known_and_come_once() {
        let (pairs, page) = read("limit=1000&a=x%3D%3Dy+z").unwrap();
        assert_eq!(pairs, [("a".to_owned(), "x==y z".to_owned())]);
        assert_eq!(page, Page { limit: 1000, offset: 0 });
        assert_eq!(read("").unwrap().1, Page { limit: LIMIT_DEFAULT, offset: 0 });
        assert_eq!(read("b=1").unwrap_err().1, "unknown parameter `b`; possible are `a`, `limit`, `offset`");
        assert_eq!(read("a=1&a=2").unwrap_err().1, "parameter `a` is given twice");
        assert_eq!(
            read("limit=5001").unwrap_err().1,
            "`limit` cannot be `5001`; possible are whole numbers from 0 to 5000"
        );
        for query in ["limit=-1", "limit=x", "offset=1.5", "limit=99999999999999999999", "offset=9999999999999999999"] {
            assert_eq!(read(query).unwrap_err().0, StatusCode::BAD_REQUEST, "{query}");
        }
    }
}
