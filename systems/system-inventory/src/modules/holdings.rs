//! The holdings module: `GET /holdings-storage/holdings`, `POST /check-out`, `PUT /holdings/{uuid}`.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use axum::routing::{get, post, put};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Map;
use system_common::{Module, json};

use super::check_out::{self, Ids};
use super::cql::{self, Condition};
use super::{Opened, Page, Refusal, answered, page, parameters};
use crate::data::is_uuid;
use crate::store::{Session, Value};

/// Routes of this module.
pub(crate) const ROUTES: &[&str] = &["GET /holdings-storage/holdings", "POST /check-out", "PUT /holdings/{uuid}"];

pub(crate) struct Holdings {
    opened: Opened,
    ids: Ids,
}

/// Largest body of a request.
const BODY_MAX: usize = 64 << 10;
/// Longest note.
const NOTE_MAX: usize = 4000;

impl Holdings {
    pub(crate) fn new(opened: Opened) -> Arc<Self> {
        Arc::new(Self { opened, ids: Ids::new() })
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/holdings-storage/holdings", get(list))
            .route("/check-out", post(check_out_one))
            .route("/holdings/{uuid}", put(edit))
            .layer(DefaultBodyLimit::max(BODY_MAX))
            .with_state(Arc::clone(self))
    }
}

impl Module for Holdings {
    async fn health(&self) -> Result<(), String> {
        self.opened.health().await
    }

    fn counters(&self) -> Map<String, serde_json::Value> {
        self.opened.counters()
    }
}

async fn list(State(module): State<Arc<Holdings>>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    answered(module.list(&uri, &headers).await)
}

async fn check_out_one(State(module): State<Arc<Holdings>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    answered(module.check_out(&headers, &body).await)
}

async fn edit(
    State(module): State<Arc<Holdings>>,
    Path(uuid): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    answered(module.edit(uuid, &headers, &body).await)
}

/// Body of a check-out: the instance that a reader wants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckOut {
    instance: String,
}

/// Body of an edit: the new first note, and if wanted the version that is to be replaced.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    note: String,
    version: Option<i64>,
}

impl Holdings {
    async fn list(&self, uri: &Uri, headers: &HeaderMap) -> Result<Response<Body>, Refusal> {
        self.opened.check_tenant(headers)?;
        let mut parameters = parameters(uri, &["query", "limit", "offset"])?;
        let page = page(&mut parameters)?;
        let query = parameters.first().map_or("cql.allRecords=1", |(_, query)| query.as_str());
        let condition = cql::condition(query, self.opened.dialect)
            .map_err(|why| Refusal::bad(format!("`query` cannot be read: {why}")))?;
        let tenant = self.opened.contents.tenant.clone();
        let (body, rows) = self.opened.run(move |session| select(session, &tenant, condition, page)).await?;
        self.opened.count(rows, 0);
        Ok(json(StatusCode::OK, body))
    }

    async fn check_out(&self, headers: &HeaderMap, body: &[u8]) -> Result<Response<Body>, Refusal> {
        self.opened.check_tenant(headers)?;
        let CheckOut { instance } = read(body, "{\"instance\": UUID}")?;
        let instance = uuid(&instance)?;
        let (tenant, loan) = (self.opened.contents.tenant.clone(), self.ids.next());
        let done = self.opened.run(move |session| check_out::check_out(session, &tenant, &instance, loan)).await?;
        self.opened.count(done.read, done.written);
        Ok(json(StatusCode::CREATED, done.body))
    }

    async fn edit(&self, id: String, headers: &HeaderMap, body: &[u8]) -> Result<Response<Body>, Refusal> {
        self.opened.check_tenant(headers)?;
        let id = uuid(&id)?;
        let Edit { note, version } = read(body, "{\"note\": TEXT, \"version\": NUMBER}")?;
        if note.len() > NOTE_MAX {
            return Err(Refusal::bad(format!("`note` is longer than {NOTE_MAX} bytes")));
        }
        let tenant = self.opened.contents.tenant.clone();
        let done = self.opened.run(move |session| check_out::edit(session, &tenant, &id, &note, version)).await?;
        self.opened.count(done.read, done.written);
        Ok(json(StatusCode::OK, done.body))
    }
}

fn read<T: DeserializeOwned>(body: &[u8], possible: &str) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| Refusal::bad(format!("the body cannot be read: {error}; possible is `{possible}`")))
}

fn uuid(text: &str) -> Result<String, Refusal> {
    if is_uuid(text) { Ok(text.to_ascii_lowercase()) } else { Err(Refusal::bad(format!("`{text}` is not a UUID"))) }
}

/// The body of the answer, and the rows that were read for it.
fn select(session: &mut Session, tenant: &str, condition: Condition, page: Page) -> Result<(String, u64), Refusal> {
    let dialect = session.dialect();
    let (table, order) = (dialect.table(tenant, "holdings_record"), dialect.holdings_order());
    let Condition { sql, mut values } = condition;
    let total = session.whole(&format!("SELECT count(*) FROM {table} WHERE {sql}"), &values)?;
    let column = dialect.text("jsonb");
    let sql = format!("SELECT {column} FROM {table} WHERE {sql} ORDER BY {order} LIMIT ? OFFSET ?");
    values.extend([Value::Whole(page.limit as i64), Value::Whole(page.offset as i64)]);
    let mut body = String::from("{\"holdingsRecords\":[");
    let mut found = 0;
    session.each(&sql, &values, |row| {
        if found > 0 {
            body.push(',');
        }
        body.push_str(row.text(0)?);
        found += 1;
        Ok(())
    })?;
    body.push_str(&format!("],\"totalRecords\":{total}}}"));
    Ok((body, 1 + found))
}
