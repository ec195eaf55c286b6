//! The search API: rows by the value of a field, as JSON over HTTP; and the jobs that export tables.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use system_common::{Module, json as json_answer, text};

use crate::bundle::Value;
use crate::export::{Exports, Refused};
use crate::receiver::Receiver;
use crate::store::{Found, Store};

/// Its routes.
pub(crate) const ROUTES: &[&str] =
    &["POST /analytics/search", "POST /tables/{table}/export", "GET /exports/{job}", "GET /metrics"];

/// Longest question, and most rows of one answer.
const QUESTION_MAX: usize = 64 << 10;
const ROWS_MAX: usize = 10_000;

/// What the parts of the server share.
pub(crate) struct Analytics {
    pub(crate) receiver: Arc<Receiver>,
    pub(crate) store: Arc<Store>,
    pub(crate) exports: Arc<Exports>,
}

/// What is asked for: rows of one table, by the value of one field.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    table_name: String,
    /// `field:value`; all rows without it.
    #[serde(default)]
    query: String,
    #[serde(default)]
    start: usize,
    #[serde(default = "all")]
    count: usize,
}

fn all() -> usize {
    100
}

impl Module for Analytics {
    async fn health(&self) -> Result<(), String> {
        Ok(())
    }

    fn counters(&self) -> Map<String, Json> {
        let Receiver { queue, sign_ins, refused, .. } = &*self.receiver;
        let standing = self.store.standing();
        let counters = json!({
            "accepted": queue.accepted.load(Relaxed),
            "accepted_bytes": queue.accepted_bytes.load(Relaxed),
            "durable": self.store.durable.load(Relaxed),
            "found": self.store.found,
            "queued": queue.depth(),
            "blocked": queue.blocked.load(Relaxed),
            "blocked_ms": u64::try_from(queue.blocked_for().as_millis()).unwrap_or(u64::MAX),
            "sign_ins": sign_ins.load(Relaxed),
            "refused": refused.load(Relaxed),
            "failed_batches": self.store.failed.load(Relaxed),
            "slowest_batch_us": self.store.slowest_us.load(Relaxed),
            "store_bytes": standing.bytes,
            "store_tables": standing.tables,
            "store_merges": standing.merges,
        });
        let Json::Object(mut counters) = counters else { return Map::new() };
        counters.extend(self.exports.counters());
        counters
    }
}

/// What answers them.
pub(crate) fn routes(analytics: Arc<Analytics>) -> Router {
    Router::new()
        .route("/analytics/search", post(search))
        .route("/tables/{table}/export", post(export))
        .route("/exports/{job}", get(exported))
        .route("/metrics", get(metrics))
        .layer(DefaultBodyLimit::max(QUESTION_MAX))
        .with_state(analytics)
}

async fn search(State(analytics): State<Arc<Analytics>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    if !is_signed_in(&analytics.receiver, &headers) {
        return sign_in();
    }
    let question: Question = match serde_json::from_slice(&body) {
        Ok(question) => question,
        Err(error) => return text(StatusCode::BAD_REQUEST, format!("the question cannot be read: {error}\n")),
    };
    match tokio::task::spawn_blocking(move || answer(&analytics, &question)).await {
        Ok(Ok(rows)) => json_answer(StatusCode::OK, Json::Array(rows).to_string()),
        Ok(Err((status, why))) => text(status, why + "\n"),
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
    }
}

fn sign_in() -> Response<Body> {
    let mut answer = text(StatusCode::UNAUTHORIZED, "user and password are wanted\n".to_owned());
    answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"analytics\""));
    answer
}

/// Begins to write a table as segments; where its state is asked for stands in `Location`.
async fn export(
    State(analytics): State<Arc<Analytics>>,
    Path(table): Path<String>,
    headers: HeaderMap,
) -> Response<Body> {
    if !is_signed_in(&analytics.receiver, &headers) {
        return sign_in();
    }
    let Some(stream) = analytics.receiver.streams.of_table(&table) else {
        return text(StatusCode::NOT_FOUND, no_table(&table) + "\n");
    };
    match analytics.exports.begin(&analytics.store, &stream) {
        Ok(job) => {
            let mut answer = json_answer(StatusCode::ACCEPTED, json!({ "id": job, "state": "running" }).to_string());
            let place = HeaderValue::from_str(&format!("/exports/{job}"));
            answer.headers_mut().extend(place.map(|place| (header::LOCATION, place)));
            answer
        }
        Err(Refused::NoFolder) => {
            text(StatusCode::CONFLICT, "the receiver has no folder for segments; start it with `--export DIR`\n")
        }
        Err(Refused::Busy(why)) => text(StatusCode::CONFLICT, why + "\n"),
    }
}

async fn exported(
    State(analytics): State<Arc<Analytics>>,
    Path(job): Path<String>,
    headers: HeaderMap,
) -> Response<Body> {
    if !is_signed_in(&analytics.receiver, &headers) {
        return sign_in();
    }
    match job.parse().ok().and_then(|job| analytics.exports.state(job)) {
        Some(state) => json_answer(StatusCode::OK, state.to_string()),
        None => text(StatusCode::NOT_FOUND, format!("the export `{}` does not exist\n", job.escape_debug())),
    }
}

fn no_table(table: &str) -> String {
    format!("the table `{}` does not exist", table.chars().take(300).collect::<String>().escape_debug())
}

fn is_signed_in(receiver: &Receiver, headers: &HeaderMap) -> bool {
    let credentials = || {
        let given = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Basic ")?;
        let decoded = String::from_utf8(STANDARD.decode(given).ok()?).ok()?;
        let (user, password) = decoded.split_once(':')?;
        Some(receiver.knows(user, password))
    };
    credentials().unwrap_or(false)
}

fn answer(analytics: &Analytics, question: &Question) -> Result<Vec<Json>, (StatusCode, String)> {
    let Question { table_name, query, start, count } = question;
    let Some(stream) = analytics.receiver.streams.of_table(table_name) else {
        return Err((StatusCode::NOT_FOUND, no_table(table_name)));
    };
    let asked = match query.trim() {
        "" | "*:*" => None,
        query => {
            let (field, value) = query.split_once(':').unwrap_or((query, ""));
            let place = stream.attributes.iter().position(|attribute| attribute.name == field.trim());
            let place = place.ok_or_else(|| {
                (StatusCode::BAD_REQUEST, format!("the table has no field `{}`", field.escape_debug()))
            })?;
            Some((place, value.trim().trim_matches('"')))
        }
    };
    let rows = analytics.store.find(&stream, asked, *start, (*count).min(ROWS_MAX));
    let rows = rows.map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    let row = |Found { id, at, values }: Found| {
        let values =
            stream.attributes.iter().zip(values).map(|(attribute, value)| (attribute.name.clone(), json(value)));
        json!({ "id": id, "tableName": stream.table, "timestamp": at, "values": values.collect::<Map<_, _>>() })
    };
    Ok(rows.into_iter().map(row).collect())
}

fn json(value: Value) -> Json {
    match value {
        Value::Whole(whole) => whole.into(),
        Value::Real(real) => real.into(),
        Value::Bool(is) => is.into(),
        Value::Text(text) => text.into(),
    }
}

/// A page in the text format of Prometheus.
async fn metrics(State(analytics): State<Arc<Analytics>>) -> Response<Body> {
    let Receiver { queue, .. } = &*analytics.receiver;
    let standing = analytics.store.standing();
    let seconds = queue.blocked_for().as_secs_f64();
    let rows = [
        (
            "analytics_accepted_events_total",
            "counter",
            "Events that the receiver has accepted",
            queue.accepted.load(Relaxed) as f64,
        ),
        (
            "analytics_accepted_bytes_total",
            "counter",
            "Bytes of their values",
            queue.accepted_bytes.load(Relaxed) as f64,
        ),
        (
            "analytics_durable_events_total",
            "counter",
            "Events that are in the store for good",
            analytics.store.durable.load(Relaxed) as f64,
        ),
        (
            "analytics_queued_events",
            "gauge",
            "Events that were accepted and are not in the store yet",
            queue.depth() as f64,
        ),
        (
            "analytics_blocked_total",
            "counter",
            "Bundles that waited since the queue was full",
            queue.blocked.load(Relaxed) as f64,
        ),
        ("analytics_blocked_seconds_total", "counter", "How long they waited", seconds),
        (
            "analytics_failed_batches_total",
            "counter",
            "Batches that could not be stored",
            analytics.store.failed.load(Relaxed) as f64,
        ),
        ("analytics_store_bytes", "gauge", "Size of the store on its disk", standing.bytes as f64),
        ("analytics_store_tables", "gauge", "Files of the store", standing.tables as f64),
        ("analytics_store_waiting", "gauge", "Parts of memory that wait to be flushed", standing.waiting as f64),
        ("analytics_store_merges_total", "counter", "Merges of files that are done", standing.merges as f64),
    ];
    let mut page = String::new();
    for (name, kind, help, value) in rows {
        let _ = writeln!(page, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
    }
    let exported = analytics.exports.exported();
    let tables = [
        ("analytics_exported_rows", "Rows of the latest export of a table"),
        ("analytics_exported_bytes", "Bytes of its segments"),
    ];
    for (place, (name, help)) in tables.into_iter().enumerate().filter(|_| !exported.is_empty()) {
        let _ = writeln!(page, "# HELP {name} {help}\n# TYPE {name} gauge");
        for (table, (rows, bytes)) in &exported {
            let value = if place == 0 { rows } else { bytes };
            let _ = writeln!(page, "{name}{{table=\"{table}\"}} {value}");
        }
    }
    text(StatusCode::OK, page)
}
