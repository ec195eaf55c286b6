//! The records module: `GET /source-storage/source-records`, and the search in titles.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use axum::routing::get;
use serde::Serialize;
use serde_json::Map;
use serde_json::value::RawValue;
use system_common::{Module, json};

use super::{Opened, Page, Refusal, answered, page, parameters, search};
use crate::data::is_uuid;
use crate::store::{Dialect, Row, Session, StoreError, Value};

/// Routes of this module.
pub(crate) const ROUTES: &[&str] = &["GET /source-storage/source-records", "GET /search/instances"];

pub(crate) struct Records {
    opened: Opened,
}

impl Records {
    pub(crate) fn new(opened: Opened) -> Arc<Self> {
        Arc::new(Self { opened })
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/source-storage/source-records", get(source_records))
            .route("/search/instances", get(search_instances))
            .with_state(Arc::clone(self))
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

async fn search_instances(State(module): State<Arc<Records>>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    answered(module.search(&uri, &headers).await)
}

impl Records {
    async fn search(&self, uri: &Uri, headers: &HeaderMap) -> Result<Response<Body>, Refusal> {
        self.opened.check_tenant(headers)?;
        let mut parameters = parameters(uri, &["query", "limit", "offset"])?;
        let page = page(&mut parameters)?;
        let query = parameters.first().map(|(_, query)| query.as_str());
        let words = search::words(query.ok_or_else(|| Refusal::bad(search::POSSIBLE))?)?;
        let tenant = self.opened.contents.tenant.clone();
        let (body, rows) = self.opened.run(move |session| search::select(session, &tenant, &words, page)).await?;
        self.opened.count(rows, 0);
        Ok(json(StatusCode::OK, body))
    }

    async fn find(&self, uri: &Uri, headers: &HeaderMap) -> Result<Response<Body>, Refusal> {
        self.opened.check_tenant(headers)?;
        let mut parameters = parameters(uri, KNOWN)?;
        let page = page(&mut parameters)?;
        let dialect = self.opened.dialect;
        let read = |(name, value): &(String, String)| filter(name, value, dialect);
        let filters = parameters.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let tenant = self.opened.contents.tenant.clone();
        let (body, rows) = self.opened.run(move |session| select(session, &tenant, &filters, page)).await?;
        self.opened.count(rows, 0);
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
    condition: String,
    value: Value,
}

fn filter(name: &str, value: &str, dialect: Dialect) -> Result<Filter, Refusal> {
    let cannot = |possible: &str| Refusal::bad(format!("`{name}` cannot be `{value}`; possible is {possible}"));
    let text = |condition: &str| Ok(Filter { condition: condition.to_owned(), value: Value::Text(value.to_owned()) });
    let uuid = |column: &str| match is_uuid(value) {
        true => Ok(Filter {
            condition: format!("{column} = {}", dialect.uuid()),
            value: Value::Text(value.to_ascii_lowercase()),
        }),
        false => Err(cannot("a UUID")),
    };
    let flag = |condition: &str| match value.parse() {
        Ok(flag) => Ok(Filter { condition: condition.to_owned(), value: Value::Flag(flag) }),
        Err(_) => Err(cannot("`true` or `false`")),
    };
    match name {
        "instanceHrid" if value.is_empty() => Err(cannot("an HRID such as `in00000000001`")),
        "instanceHrid" => text("r.instance_hrid = ?"),
        "instanceId" => uuid("r.instance_id"),
        "recordId" => uuid("r.id"),
        "snapshotId" => uuid("r.snapshot_id"),
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
fn select(session: &mut Session, tenant: &str, filters: &[Filter], page: Page) -> Result<(String, u64), Refusal> {
    let dialect = session.dialect();
    let table = |name: &str| dialect.table(tenant, name);
    let (records, raws, marcs) = (table("records"), table("raw_records"), table("marc_records"));
    let conditions: String = filters.iter().map(|filter| format!(" AND {}", filter.condition)).collect();
    let mut values: Vec<Value> = filters.iter().map(|filter| filter.value.clone()).collect();
    let total_records = session.whole(&format!("SELECT count(*) FROM {records} r WHERE TRUE{conditions}"), &values)?;
    let columns =
        ["r.id", "r.snapshot_id", "r.matched_id", "m.content", "r.instance_id"].map(|name| dialect.text(name));
    let [id, snapshot, matched, marc, instance] = columns;
    let sql = format!(
        "SELECT {id}, {snapshot}, {matched}, r.generation, r.record_type, w.content, {marc}, r.state,
                r.suppress_discovery, {instance}, r.instance_hrid, r.created_date, r.updated_date
         FROM {records} r JOIN {raws} w ON w.id = r.id JOIN {marcs} m ON m.id = r.id
         WHERE TRUE{conditions} ORDER BY r.instance_hrid LIMIT ? OFFSET ?"
    );
    values.extend([Value::Whole(page.limit as i64), Value::Whole(page.offset as i64)]);
    let mut source_records = Vec::new();
    session.each(&sql, &values, |row| {
        source_records.push(source_record(&row)?);
        Ok(())
    })?;
    // Each answer row is one row of each of three tables; the count is one more.
    let rows = 1 + 3 * source_records.len() as u64;
    let body = serde_json::to_string(&Found { source_records, total_records });
    body.map(|body| (body, rows)).map_err(|error| Refusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

fn source_record(row: &Row<'_>) -> Result<SourceRecord, StoreError> {
    let text = |place| row.text(place).map(str::to_owned);
    let (id, state) = (text(0)?, text(7)?);
    let parsed = RawValue::from_string(text(6)?).map_err(|error| StoreError::Content(error.to_string()))?;
    Ok(SourceRecord {
        raw_record: Content { id: id.clone(), content: text(5)? },
        parsed_record: Content { id: id.clone(), content: parsed },
        record_id: id,
        snapshot_id: text(1)?,
        matched_id: text(2)?,
        generation: row.whole(3)?,
        record_type: text(4)?,
        deleted: state == "DELETED",
        state,
        additional_info: AdditionalInfo { suppress_discovery: row.flag(8)? },
        external_ids_holder: ExternalIds { instance_id: text(9)?, instance_hrid: text(10)? },
        metadata: Metadata { created_date: text(11)?, updated_date: text(12)? },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(name: &str, value: &str) -> Result<Filter, Refusal> {
        super::filter(name, value, Dialect::Sqlite)
    }

    #[test]
    fn filters_are_checked_before_the_store_is_asked() {
        let hrid = filter("instanceHrid", "in00000000001").unwrap();
        assert_eq!(
            hrid,
            Filter { condition: "r.instance_hrid = ?".into(), value: Value::Text("in00000000001".into()) }
        );
        let upper = filter("recordId", "2B94C631-FCA9-4892-A730-03EE529FFE2A").unwrap();
        assert_eq!(upper.value, Value::Text("2b94c631-fca9-4892-a730-03ee529ffe2a".into()));
        assert_eq!(filter("deleted", "true").unwrap().value, Value::Flag(true));
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
