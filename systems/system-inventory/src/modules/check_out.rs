//! Work that writes: a check-out (read, insert, update) and an edit, each one transaction.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use serde_json::json;
use terms::seed::hash;
use terms::{Nanos, iso};

use super::Refusal;
use crate::data::uuid_text;

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

/// Takes the write lock at once: a transaction that reads first and then finds another writer cannot wait, it fails.
fn begin(connection: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate)
}

fn now() -> String {
    iso::millis(Nanos::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()))
}

/// Lends the holding of an instance that is least lent. Never refuses for lack of copies: nothing is ever brought back.
pub(super) fn check_out(
    connection: &mut Connection,
    tenant: &str,
    instance: &str,
    loan: String,
) -> Result<Done, Refusal> {
    let transaction = begin(connection)?;
    let sql = format!(
        "SELECT id FROM {tenant}_holdings_record WHERE instanceid = ?1 ORDER BY json_extract(jsonb, '$.onLoan'), rowid LIMIT 1"
    );
    let holding: Option<String> =
        transaction.prepare_cached(&sql)?.query_row([instance], |row| row.get(0)).optional()?;
    let holding = holding.ok_or_else(|| Refusal::not_found(format!("no holdings of instance `{instance}`")))?;
    let now = now();
    let sql = format!("INSERT INTO {tenant}_loan (id, holding_id, instance_id, loan_date) VALUES (?1, ?2, ?3, ?4)");
    transaction.prepare_cached(&sql)?.execute(params![loan, holding, instance, now])?;
    let sql = format!(
        "UPDATE {tenant}_holdings_record SET jsonb = json_set(jsonb, '$.onLoan', json_extract(jsonb, '$.onLoan') + 1,
             '$._version', json_extract(jsonb, '$._version') + 1, '$.metadata.updatedDate', ?2) WHERE id = ?1"
    );
    transaction.prepare_cached(&sql)?.execute(params![holding, now])?;
    transaction.commit()?;
    let body = json!({ "id": loan, "holdingId": holding, "instanceId": instance, "loanDate": now });
    Ok(Done { body: body.to_string(), read: 1, written: 2 })
}

/// Sets the first note of a holding, or of all holdings of an instance.
pub(super) fn edit(connection: &mut Connection, tenant: &str, id: &str, note: &str) -> Result<Done, Refusal> {
    let transaction = begin(connection)?;
    let sql = format!(
        "UPDATE {tenant}_holdings_record SET jsonb = json_set(jsonb, '$.notes[0].note', ?2,
             '$._version', json_extract(jsonb, '$._version') + 1, '$.metadata.updatedDate', ?3)
         WHERE id = ?1 OR instanceid = ?1"
    );
    let updated = transaction.prepare_cached(&sql)?.execute(params![id, note, now()])? as u64;
    if updated == 0 {
        return Err(Refusal::not_found(format!("`{id}` is no holding, and no instance with holdings")));
    }
    transaction.commit()?;
    Ok(Done { body: json!({ "updated": updated }).to_string(), read: updated, written: updated })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                r#"CREATE TABLE diku_holdings_record (id TEXT, jsonb TEXT, instanceid TEXT);
                   CREATE TABLE diku_loan (id TEXT, holding_id TEXT, instance_id TEXT, loan_date TEXT);
                   INSERT INTO diku_holdings_record VALUES
                       ('a', '{"_version":1,"onLoan":0,"notes":[{"note":"old"}],"metadata":{}}', 'i'),
                       ('b', '{"_version":1,"onLoan":0,"notes":[{"note":"old"}],"metadata":{}}', 'i');"#,
            )
            .unwrap();
        connection
    }

    fn holding(connection: &Connection, id: &str) -> serde_json::Value {
        let sql = "SELECT jsonb FROM diku_holdings_record WHERE id = ?1";
        let text: String = connection.query_row(sql, [id], |row| row.get(0)).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn check_outs_take_turns_over_the_holdings() {
        let mut connection = store();
        for number in 0..5 {
            let done = check_out(&mut connection, "diku", "i", format!("loan{number}")).unwrap();
            assert_eq!((done.read, done.written), (1, 2));
        }
        assert_eq!(holding(&connection, "a")["onLoan"], 3);
        assert_eq!(holding(&connection, "b")["onLoan"], 2);
        assert_eq!(holding(&connection, "b")["_version"], 3);
        let loans: u32 = connection.query_row("SELECT count(*) FROM diku_loan", [], |row| row.get(0)).unwrap();
        assert_eq!(loans, 5);
        assert_eq!(
            check_out(&mut connection, "diku", "x", "l".into()).unwrap_err().0,
            axum::http::StatusCode::NOT_FOUND
        );
        assert!(connection.is_autocommit(), "no transaction stays open after a refusal");
    }

    #[test]
    fn an_edit_reaches_one_holding_or_all_of_an_instance() {
        let mut connection = store();
        assert_eq!(edit(&mut connection, "diku", "a", "it's \"new\"").unwrap().written, 1);
        assert_eq!(holding(&connection, "a")["notes"][0]["note"], "it's \"new\"");
        assert_eq!(holding(&connection, "b")["notes"][0]["note"], "old");
        assert_eq!(edit(&mut connection, "diku", "i", "all").unwrap().written, 2);
        assert_eq!(holding(&connection, "a")["_version"], 3);
        assert_eq!(edit(&mut connection, "diku", "x", "n").unwrap_err().0, axum::http::StatusCode::NOT_FOUND);
    }

    #[test]
    fn ids_differ() {
        let (one, other) = (Ids::new(), Ids::new());
        let ids: std::collections::HashSet<String> = (0..1000).flat_map(|_| [one.next(), other.next()]).collect();
        assert_eq!(ids.len(), 2000);
    }
}
