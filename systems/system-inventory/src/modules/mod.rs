//! The two storage modules, and what they share: the opened store, refusals, query strings.

mod check_out;
mod cql;
mod holdings;
mod records;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use axum::body::Body;
use axum::extract::Query;
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use rusqlite::Connection;
use serde_json::{Map, Value, json};
use system_common::{Pool, PoolError, text};

pub(crate) use holdings::{Holdings, ROUTES as HOLDINGS_ROUTES};
pub(crate) use records::{ROUTES as RECORDS_ROUTES, Records};

use crate::store::{Contents, Store, connect};

/// A store, opened by one module.
pub(crate) struct Opened {
    contents: Contents,
    pool: Arc<Pool>,
    /// Beside the pool, so that health can be told while the pool is exhausted.
    health: Arc<Mutex<Connection>>,
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
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
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
    /// Opens `pool_size` connections; `delay` is spent in each use of one (fault `delay`).
    pub(crate) fn open(store: &Store, contents: Contents, pool_size: usize, delay: Duration) -> Result<Self> {
        Ok(Self {
            contents,
            pool: Pool::open(pool_size, delay, || connect(store))?,
            health: Arc::new(Mutex::new(connect(store)?)),
            rows_read: AtomicU64::new(0),
            rows_written: AtomicU64::new(0),
        })
    }

    /// Whether the store answers.
    async fn health(&self) -> Result<(), String> {
        let connection = Arc::clone(&self.health);
        let ask = move || {
            let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection.query_row("SELECT instances FROM inventory_store", [], |row| row.get::<_, u64>(0))
        };
        match tokio::task::spawn_blocking(ask).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(format!("the store does not answer: {error}")),
            Err(_) => Err("the store does not answer".to_owned()),
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
