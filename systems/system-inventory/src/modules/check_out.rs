//! Work that writes: a check-out (read, insert, update) and an edit, each one transaction.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use terms::seed::hash;
use terms::{Nanos, iso};

use super::Refusal;
use crate::data::uuid_text;
use crate::store::{Dialect, Session, Value};

/// Ids of new rows: random by process, then numbered.
pub(super) struct Ids {
    key: u64,
    next: AtomicU64,
}

impl Ids {
    /// Time and process id keep two processes' ids apart; nobody has to be unable to guess them.
    pub(super) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { key: hash(now.as_nanos() as u64, u64::from(std::process::id())), next: AtomicU64::new(0) }
    }

    pub(super) fn next(&self) -> String {
        let number = self.next.fetch_add(1, Relaxed);
        uuid_text(hash(self.key, number), hash(!self.key, number))
    }
}

/// A piece of work, done: the answer's body, and the rows it read and wrote.
#[derive(Debug, PartialEq)]
pub(super) struct Done {
    pub(super) body: String,
    pub(super) read: u64,
    pub(super) written: u64,
}

/// The present moment as it is stored.
pub(super) fn now() -> String {
    iso::millis(Nanos::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()))
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// Lends the holding of an instance that is least lent. Never refuses for lack of copies: nothing is ever brought back.
pub(super) fn check_out(session: &mut Session, tenant: &str, instance: &str, loan: String) -> Result<Done, Refusal> {
    let dialect = session.dialect();
    let (table, loans) = (dialect.table(tenant, "holdings_record"), dialect.table(tenant, "loan"));
    // Read without a lock: of two at once both may choose the same copy, and both are counted on it.
    let (read, update) = match dialect {
        Dialect::Sqlite => (
            format!(
                "SELECT id FROM {table} WHERE instanceid = ? ORDER BY json_extract(jsonb, '$.onLoan'), rowid LIMIT 1"
            ),
            format!(
                "UPDATE {table} SET jsonb = json_set(jsonb, '$.onLoan', json_extract(jsonb, '$.onLoan') + 1,
                     '$._version', json_extract(jsonb, '$._version') + 1, '$.metadata.updatedDate', ?) WHERE id = ?"
            ),
        ),
        Dialect::Postgres => (
            format!(
                "SELECT id::text FROM {table} WHERE instanceid = ?::text::uuid
                 ORDER BY (jsonb->>'onLoan')::bigint, jsonb->>'hrid' LIMIT 1"
            ),
            format!(
                "UPDATE {table} SET jsonb = jsonb || jsonb_build_object('onLoan', (jsonb->>'onLoan')::bigint + 1,
                     '_version', (jsonb->>'_version')::bigint + 1,
                     'metadata', (jsonb->'metadata') || jsonb_build_object('updatedDate', ?::text))
                 WHERE id = ?::text::uuid"
            ),
        ),
    };
    let uuid = dialect.uuid();
    let insert =
        format!("INSERT INTO {loans} (id, holding_id, instance_id, loan_date) VALUES ({uuid}, {uuid}, {uuid}, ?)");
    session.transaction(|session| {
        let mut holding = None;
        session.each(&read, &[text(instance)], |row| {
            holding = Some(row.text(0)?.to_owned());
            Ok(())
        })?;
        let holding = holding.ok_or_else(|| Refusal::not_found(format!("no holdings of instance `{instance}`")))?;
        let now = now();
        session.execute(&insert, &[text(&loan), text(&holding), text(instance), text(&now)])?;
        session.execute(&update, &[text(&now), text(&holding)])?;
        let body = json!({ "id": loan, "holdingId": holding, "instanceId": instance, "loanDate": now });
        Ok(Done { body: body.to_string(), read: 1, written: 2 })
    })
}

/// Sets the first note of a holding, or of all holdings of an instance. With a version, of a holding only, and only if
/// that is the version it has.
pub(super) fn edit(
    session: &mut Session,
    tenant: &str,
    id: &str,
    note: &str,
    version: Option<i64>,
) -> Result<Done, Refusal> {
    let dialect = session.dialect();
    let table = dialect.table(tenant, "holdings_record");
    let update = edit_sql(dialect, &table, version.is_some());
    let mut values = vec![text(id), text(note), text(&now())];
    values.extend(version.map(Value::Whole));
    session.transaction(|session| {
        let updated = session.execute(&update, &values)?;
        if updated > 0 {
            return Ok(Done { body: json!({ "updated": updated }).to_string(), read: updated, written: updated });
        }
        let count = format!("SELECT count(*) FROM {table} WHERE id = {}", dialect.uuid());
        Err(match version {
            Some(version) if session.whole(&count, &[text(id)])? > 0 => {
                Refusal::conflict(format!("holding `{id}` is no longer of version {version}; read it again"))
            }
            Some(_) => Refusal::not_found(format!("`{id}` is not a holding")),
            None => Refusal::not_found(format!("`{id}` is no holding, and no instance with holdings")),
        })
    })
}

/// Places: 1 the id, 2 the note, 3 the time, 4 the version if there is one.
fn edit_sql(dialect: Dialect, table: &str, with_version: bool) -> String {
    match dialect {
        Dialect::Sqlite => {
            let which = if with_version {
                "id = ?1 AND json_extract(jsonb, '$._version') = ?4"
            } else {
                "id = ?1 OR instanceid = ?1"
            };
            format!(
                "UPDATE {table} SET jsonb = json_set(jsonb, '$.notes[0].note', ?2,
                     '$._version', json_extract(jsonb, '$._version') + 1, '$.metadata.updatedDate', ?3) WHERE {which}"
            )
        }
        Dialect::Postgres => {
            let which = if with_version {
                "id = ?1::text::uuid AND (jsonb->>'_version')::bigint = ?4"
            } else {
                "id = ?1::text::uuid OR instanceid = ?1::text::uuid"
            };
            // Rows are locked in the order of their ids, as imports do: in any other order two writers could wait for
            // each other.
            format!(
                "WITH meant AS MATERIALIZED (SELECT id FROM {table} WHERE {which} ORDER BY id FOR UPDATE)
                 UPDATE {table} h SET jsonb = jsonb_set(jsonb, '{{notes,0,note}}', to_jsonb(?2::text)) ||
                     jsonb_build_object('_version', (jsonb->>'_version')::bigint + 1,
                         'metadata', (jsonb->'metadata') || jsonb_build_object('updatedDate', ?3::text))
                 FROM meant WHERE h.id = meant.id"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::store::in_memory;
    use axum::http::StatusCode;

    fn store() -> Session {
        in_memory(
            r#"CREATE TABLE diku_holdings_record (id TEXT, jsonb TEXT, instanceid TEXT);
               CREATE TABLE diku_loan (id TEXT, holding_id TEXT, instance_id TEXT, loan_date TEXT);
               INSERT INTO diku_holdings_record VALUES
                   ('a', '{"_version":1,"onLoan":0,"notes":[{"note":"old"}],"metadata":{}}', 'i'),
                   ('b', '{"_version":1,"onLoan":0,"notes":[{"note":"old"}],"metadata":{}}', 'i');"#,
        )
    }

    fn holding(session: &mut Session, id: &str) -> serde_json::Value {
        let mut found = serde_json::Value::Null;
        let read = |row: crate::store::Row<'_>| {
            found = serde_json::from_str(row.text(0)?).unwrap();
            Ok(())
        };
        session.each("SELECT jsonb FROM diku_holdings_record WHERE id = ?", &[text(id)], read).unwrap();
        found
    }

    #[test]
    fn check_outs_take_turns_over_the_holdings() {
        let mut session = store();
        for number in 0..5 {
            let done = check_out(&mut session, "diku", "i", format!("loan{number}")).unwrap();
            assert_eq!((done.read, done.written), (1, 2));
        }
        assert_eq!(holding(&mut session, "a")["onLoan"], 3);
        assert_eq!(holding(&mut session, "b")["onLoan"], 2);
        assert_eq!(holding(&mut session, "b")["_version"], 3);
        assert_eq!(session.whole("SELECT count(*) FROM diku_loan", &[]).unwrap(), 5);
        assert_eq!(check_out(&mut session, "diku", "x", "l".into()).unwrap_err().0, StatusCode::NOT_FOUND);
        session.batch("BEGIN; ROLLBACK").expect("no transaction stays open after a refusal");
    }

    #[test]
    fn an_edit_reaches_one_holding_or_all_of_an_instance() {
        let mut session = store();
        assert_eq!(edit(&mut session, "diku", "a", "it's \"new\"", None).unwrap().written, 1);
        assert_eq!(holding(&mut session, "a")["notes"][0]["note"], "it's \"new\"");
        assert_eq!(holding(&mut session, "b")["notes"][0]["note"], "old");
        assert_eq!(edit(&mut session, "diku", "i", "all", None).unwrap().written, 2);
        assert_eq!(holding(&mut session, "a")["_version"], 3);
        assert_eq!(edit(&mut session, "diku", "x", "n", None).unwrap_err().0, StatusCode::NOT_FOUND);
    }

    #[test]
    fn an_edit_of_another_version_is_a_conflict() {
        let mut session = store();
        assert_eq!(edit(&mut session, "diku", "a", "first", Some(1)).unwrap().written, 1);
        assert_eq!(edit(&mut session, "diku", "a", "second", Some(1)).unwrap_err().0, StatusCode::CONFLICT);
        assert_eq!(holding(&mut session, "a")["notes"][0]["note"], "first");
        assert_eq!(edit(&mut session, "diku", "i", "x", Some(1)).unwrap_err().0, StatusCode::NOT_FOUND);
    }

    #[test]
    fn ids_differ() {
        let (one, other) = (Ids::new(), Ids::new());
        let ids: std::collections::HashSet<String> = (0..1000).flat_map(|_| [one.next(), other.next()]).collect();
        assert_eq!(ids.len(), 2000);
    }
}
