//! The records module: `GET /source-storage/source-records`.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use axum::routing::get;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};
use serde::Serialize;
use serde_json::Map;
use serde_json::value::RawValue;
use system_common::{Module, json};

use super::{Opened, Page, Refusal, answered, page, parameters};
use crate::data::is_uuid;

/// Routes of this module.
pub(crate) const ROUTES: &[&str] = &["GET /source-storage/source-records"];

/// The module.
pub(crate) struct Records {
    opened: Opened,
}

impl Records {
    pub(crate) fn new(opened: Opened) -> Arc<Self> {
        Arc::new(Self { opened })
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new().route("/source-storage/source-records", get(source_records)).with_state(Arc::clone(self))
    }
}

impl Module for Records {
    async fn health(&self) -> Result<(), String> {
        self.opened.health().await
    }

    fn counters(&self) -> Map<String, serde_json::Value> {
        self.opened.counters()
    }
}

async fn source_records(State(module): State<Arc<Records>>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    answered(module.find(&uri, &headers).await)
}

impl Records {
    async fn find(&self, uri: &Uri, headers: &HeaderMap) -> Result<Response<Body>, Refusal> {
        self.opened.check_tenant(headers)?;
        let mut parameters = parameters(uri, KNOWN)?;
        let page = page(&mut parameters)?;
        let filters = parameters.iter().map(|(name, value)| filter(name, value)).collect::<Result<Vec<_>, _>>()?;
        let tenant = self.opened.contents.tenant.clone();
        let (body, rows) = self.opened.pool.run(move |c| select(c, &tenant, &filters, page)).await??;
        self.opened.rows_read.fetch_add(rows, Relaxed);
        Ok(json(StatusCode::OK, body))
    }
}

const KNOWN: &[&str] = &[
    "instanceHrid",
    "instanceId",
    "recordId",
    "snapshotId",
    "recordType",
    "suppressFromDiscovery",
    "deleted",
    "updatedAfter",
    "updatedBefore",
    "limit",
    "offset",
];

/// A condition with one place for a value, and the value.
#[derive(Debug, PartialEq)]
struct Filter {
    condition: &'static str,
    value: Value,
}

fn filter(name: &str, value: &str) -> Result<Filter, Refusal> {
    let cannot = |possible: &str| Refusal::bad(format!("`{name}` cannot be `{value}`; possible is {possible}"));
    let text = |condition| Ok(Filter { condition, value: Value::Text(value.to_owned()) });
    let uuid = |condition| match is_uuid(value) {
        true => Ok(Filter { condition, value: Value::Text(value.to_ascii_lowercase()) }),
        false => Err(cannot("a UUID")),
    };
    let flag = |condition| match value.parse::<bool>() {
        Ok(flag) => Ok(Filter { condition, value: Value::Integer(flag.into()) }),
        Err(_) => Err(cannot("`true` or `false`")),
    };
    match name {
        "instanceHrid" if value.is_empty() => Err(cannot("an HRID such as `in00000000001`")),
        "instanceHrid" => text("r.instance_hrid = ?"),
        "instanceId" => uuid("r.instance_id = ?"),
        "recordId" => uuid("r.id = ?"),
        "snapshotId" => uuid("r.snapshot_id = ?"),
        "recordType" if !RECORD_TYPES.contains(&value) => {
            Err(cannot(&format!("one of `{}`", RECORD_TYPES.join("`, `"))))
        }
        "recordType" => text("r.record_type = ?"),
        "suppressFromDiscovery" => flag("r.suppress_discovery = ?"),
        "deleted" => flag("(r.state = 'DELETED') = ?"),
        // Times are stored as ISO text in UTC, which sorts as time does; a date alone is its midnight.
        "updatedAfter" | "updatedBefore" if !is_time(value) => Err(cannot("a time such as `2023-01-01T00:00:00.000Z`")),
        "updatedAfter" => text("r.updated_date > ?"),
        _ => text("r.updated_date < ?"),
    }
}

const RECORD_TYPES: &[&str] = &["MARC_BIB", "MARC_AUTHORITY", "MARC_HOLDING", "EDIFACT"];

/// Whether a text is an ISO 8601 date, or a prefix of date and time in UTC that is at least one.
fn is_time(text: &str) -> bool {
    let pattern = b"dddd-dd-ddTdd:dd:dd.dddZ";
    let matches = |(byte, wanted): (u8, &u8)| if *wanted == b'd' { byte.is_ascii_digit() } else { byte == *wanted };
    (10..=pattern.len()).contains(&text.len()) && text.bytes().zip(pattern).all(matches)
}

/// One record as the interface has it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SourceRecord {
    record_id: String,
    snapshot_id: String,
    matched_id: String,
    generation: i64,
    record_type: String,
    raw_record: Content<String>,
    parsed_record: Content<Box<RawValue>>,
    deleted: bool,
    state: String,
    additional_info: AdditionalInfo,
    external_ids_holder: ExternalIds,
    metadata: Metadata,
}

#[derive(Serialize)]
struct Content<T> {
    id: String,
    content: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdditionalInfo {
    suppress_discovery: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExternalIds {
    instance_id: String,
    instance_hrid: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    created_date: String,
    updated_date: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    source_records: Vec<SourceRecord>,
    total_records: u64,
}

/// The body of the answer, and the rows that were read for it.
fn select(connection: &Connection, tenant: &str, filters: &[Filter], page: Page) -> Result<(String, u64), Refusal> {
    let conditions: String = filters.iter().map(|filter| format!(" AND {}", filter.condition)).collect();
    let values = || filters.iter().map(|filter| filter.value.clone());
    let count = format!("SELECT count(*) FROM {tenant}_records r WHERE 1{conditions}");
    let total: u64 = connection.prepare_cached(&count)?.query_row(params_from_iter(values()), |row| row.get(0))?;
    let sql = format!(
        "SELECT r.id, r.snapshot_id, r.matched_id, r.generation, r.record_type, w.content, m.content, r.state,
                r.suppress_discovery, r.instance_id, r.instance_hrid, r.created_date, r.updated_date
         FROM {tenant}_records r JOIN {tenant}_raw_records w ON w.id = r.id JOIN {tenant}_marc_records m ON m.id = r.id
         WHERE 1{conditions} ORDER BY r.rowid LIMIT ? OFFSET ?"
    );
    let page = [Value::Integer(page.limit as i64), Value::Integer(page.offset as i64)];
    let values = params_from_iter(values().chain(page));
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map(values, source_record)?.collect::<rusqlite::Result<Vec<_>>>()?;
    // Each answer row is one row of each of three tables; the count is one more.
    let rows = 1 + 3 * found.len() as u64;
    let body = serde_json::to_string(&Found { source_records: found, total_records: total });
    body.map(|body| (body, rows)).map_err(|error| Refusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

fn source_record(row: &Row<'_>) -> rusqlite::Result<SourceRecord> {
    let id: String = row.get(0)?;
    let state: String = row.get(7)?;
    let not_json = |error: serde_json::Error| {
        rusqlite::Error::FromSqlConversionFailure(6, rusqlite::types::Type::Text, Box::new(error))
    };
    Ok(SourceRecord {
        raw_record: Content { id: id.clone(), content: row.get(5)? },
        parsed_record: Content { id: id.clone(), content: RawValue::from_string(row.get(6)?).map_err(not_json)? },
        record_id: id,
        snapshot_id: row.get(1)?,
        matched_id: row.get(2)?,
        generation: row.get(3)?,
        record_type: row.get(4)?,
        deleted: state == "DELETED",
        state,
        additional_info: AdditionalInfo { suppress_discovery: row.get(8)? },
        external_ids_holder: ExternalIds { instance_id: row.get(9)?, instance_hrid: row.get(10)? },
        metadata: Metadata { created_date: row.get(11)?, updated_date: row.get(12)? },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_checked_before_the_store_is_asked() {
        let hrid = filter("instanceHrid", "in00000000001").unwrap();
        assert_eq!(hrid, Filter { condition: "r.instance_hrid = ?", value: Value::Text("in00000000001".into()) });
        let upper = filter("recordId", "2B94C631-FCA9-4892-A730-03EE529FFE2A").unwrap();
        assert_eq!(upper.value, Value::Text("2b94c631-fca9-4892-a730-03ee529ffe2a".into()));
        assert_eq!(filter("deleted", "true").unwrap().value, Value::Integer(1));
        for (name, value) in [
            ("instanceHrid", ""),
            ("instanceId", "x"),
            ("recordType", "marc"),
            ("deleted", "yes"),
            ("updatedAfter", "yesterday"),
            ("updatedBefore", "2023-1-1"),
        ] {
            assert_eq!(filter(name, value).unwrap_err().0, StatusCode::BAD_REQUEST, "{name}={value}");
        }
        assert_eq!(
            filter("recordType", "marc").unwrap_err().1,
            "`recordType` cannot be `marc`; possible is one of `MARC_BIB`, `MARC_AUTHORITY`, `MARC_HOLDING`, `EDIFACT`"
        );
        assert!(
            filter("updatedAfter", "2023-01-01").is_ok() && filter("updatedAfter", "2023-01-01T00:00:00.000Z").is_ok()
        );
    }

    #[test]
    fn every_known_parameter_is_a_filter_or_a_page() {
        let uuid = "2b94c631-fca9-4892-a730-03ee529ffe2a";
        let values = ["in1", uuid, uuid, uuid, "MARC_BIB", "true", "false", "2023-01-01", "2023-01-01"];
        for (name, value) in KNOWN.iter().zip(values) {
            assert!(filter(name, value).is_ok(), "{name}");
        }
    }
}
