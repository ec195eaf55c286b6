//! The tables. JSON columns are text: SQLite keeps what PostgreSQL would hold as `jsonb`.

use rusqlite::{Connection, Row};

use crate::store::{Contents, LAYOUT};

/// Tables of a tenant, without indexes: those are faster to make when the rows are there.
pub(super) fn tables(tenant: &str) -> String {
    format!(
        "CREATE TABLE inventory_store (tenant TEXT NOT NULL, instances INTEGER NOT NULL, seed TEXT NOT NULL, layout INTEGER NOT NULL);
         CREATE TABLE {tenant}_records (
             id TEXT NOT NULL, snapshot_id TEXT NOT NULL, matched_id TEXT NOT NULL, generation INTEGER NOT NULL,
             record_type TEXT NOT NULL, instance_id TEXT NOT NULL, instance_hrid TEXT NOT NULL, state TEXT NOT NULL,
             suppress_discovery INTEGER NOT NULL, created_date TEXT NOT NULL, updated_date TEXT NOT NULL,
             title TEXT NOT NULL);
         CREATE TABLE {tenant}_raw_records (id TEXT NOT NULL, content TEXT NOT NULL);
         CREATE TABLE {tenant}_marc_records (id TEXT NOT NULL, content TEXT NOT NULL);
         CREATE TABLE {tenant}_holdings_record (id TEXT NOT NULL, jsonb TEXT NOT NULL, instanceid TEXT NOT NULL);
         CREATE TABLE {tenant}_loan (
             id TEXT NOT NULL PRIMARY KEY, holding_id TEXT NOT NULL, instance_id TEXT NOT NULL, loan_date TEXT NOT NULL);"
    )
}

/// Indexes of a tenant's tables.
pub(super) fn indexes(tenant: &str) -> String {
    format!(
        "CREATE UNIQUE INDEX {tenant}_records_id ON {tenant}_records (id);
         CREATE INDEX {tenant}_records_instance_hrid ON {tenant}_records (instance_hrid);
         CREATE INDEX {tenant}_records_instance_id ON {tenant}_records (instance_id);
         CREATE INDEX {tenant}_records_snapshot_id ON {tenant}_records (snapshot_id);
         CREATE UNIQUE INDEX {tenant}_raw_records_id ON {tenant}_raw_records (id);
         CREATE UNIQUE INDEX {tenant}_marc_records_id ON {tenant}_marc_records (id);
         CREATE UNIQUE INDEX {tenant}_holdings_record_id ON {tenant}_holdings_record (id);
         CREATE INDEX {tenant}_holdings_record_instanceid ON {tenant}_holdings_record (instanceid);
         CREATE VIRTUAL TABLE {tenant}_titles USING fts5 (
             title, content = '{tenant}_records', tokenize = 'unicode61 remove_diacritics 0');
         INSERT INTO {tenant}_titles ({tenant}_titles) VALUES ('rebuild');"
    )
}

/// What the store says of itself. The seed is text, since SQLite's numbers end at 2^63.
pub(super) fn contents(connection: &Connection) -> rusqlite::Result<Contents> {
    let sql = "SELECT tenant, instances, seed FROM inventory_store WHERE layout = ?1";
    connection.query_row(sql, [LAYOUT], |row: &Row<'_>| {
        let seed: String = row.get(2)?;
        let seed = seed.parse().map_err(|_| rusqlite::Error::IntegralValueOutOfRange(2, i64::MAX))?;
        Ok(Contents { tenant: row.get(0)?, instances: row.get(1)?, seed })
    })
}
