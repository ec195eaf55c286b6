//! Writing many rows: what an import brings, and what a roll-over changes. Each call is part of a transaction of its
//! caller, and keeps its locks until that ends.

use super::{Dialect, Session, StoreError, Value};
use crate::data::Item;

/// Brings items in: new ones are added, known ones replaced. A record gets the next generation; holdings keep how many
/// copies are lent. Returns how many rows were written.
///
/// # Errors
/// The store fails; the transaction is then to be rolled back.
pub(crate) fn import(session: &mut Session, tenant: &str, items: &[Item], now: &str) -> Result<u64, StoreError> {
    match session.dialect() {
        Dialect::Sqlite => one_by_one(session, tenant, items, now),
        Dialect::Postgres => in_lists(session, tenant, items, now),
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn one_by_one(session: &mut Session, tenant: &str, items: &[Item], now: &str) -> Result<u64, StoreError> {
    let record = format!(
        "INSERT INTO {tenant}_records (id, snapshot_id, matched_id, generation, record_type, instance_id, instance_hrid,
             state, suppress_discovery, created_date, updated_date, title)
         VALUES (?1, ?2, ?1, 0, 'MARC_BIB', ?3, ?4, 'ACTUAL', 0, ?5, ?6, ?7)
         ON CONFLICT (id) DO UPDATE SET generation = generation + 1, updated_date = excluded.updated_date"
    );
    // New ones only: those that were there are in the index, and titles do not change.
    let title = format!(
        "INSERT INTO {tenant}_titles (rowid, title)
         SELECT rowid, title FROM {tenant}_records WHERE id = ? AND generation = 0"
    );
    let content = |table: &str| {
        format!(
            "INSERT INTO {tenant}_{table} (id, content) VALUES (?, ?)
             ON CONFLICT (id) DO UPDATE SET content = excluded.content"
        )
    };
    let (raw, marc) = (content("raw_records"), content("marc_records"));
    let holding = format!(
        "INSERT INTO {tenant}_holdings_record (id, jsonb, instanceid) VALUES (?1, ?2, ?3)
         ON CONFLICT (id) DO UPDATE SET jsonb = json_set(excluded.jsonb, '$.onLoan', json_extract(jsonb, '$.onLoan'),
             '$._version', json_extract(jsonb, '$._version') + 1, '$.metadata.updatedDate', ?4)"
    );
    let mut written = 0;
    for (instance, made, holdings) in items {
        let id = text(&made.id);
        let columns = [
            id.clone(),
            text(&made.snapshot_id),
            text(&instance.uuid),
            text(&instance.hrid),
            text(&made.created),
            text(now),
            text(&made.title),
        ];
        written += session.execute(&record, &columns)?;
        session.execute(&title, std::slice::from_ref(&id))?;
        written += session.execute(&raw, &[id.clone(), text(&made.raw)])?;
        written += session.execute(&marc, &[id, text(&made.json)])?;
        for made in holdings {
            written +=
                session.execute(&holding, &[text(&made.id), text(&made.json), text(&instance.uuid), text(now)])?;
        }
    }
    Ok(written)
}

fn in_lists(session: &mut Session, tenant: &str, items: &[Item], now: &str) -> Result<u64, StoreError> {
    let list =
        |column: &dyn Fn(&Item) -> &str| Value::Texts(items.iter().map(|item| column(item).to_owned()).collect());
    let ids = list(&|item| &item.1.id);
    let sql = format!(
        "INSERT INTO {tenant}.records AS known (id, snapshot_id, matched_id, generation, record_type, instance_id,
             instance_hrid, state, suppress_discovery, created_date, updated_date, title)
         SELECT i::uuid, s::uuid, i::uuid, 0, 'MARC_BIB', n::uuid, h, 'ACTUAL', false, c, ?7::text, t
         FROM unnest(?1::text[], ?2::text[], ?3::text[], ?4::text[], ?5::text[], ?6::text[]) AS new (i, s, n, h, c, t)
         ORDER BY 1
         ON CONFLICT (id) DO UPDATE SET generation = known.generation + 1, updated_date = excluded.updated_date"
    );
    let columns = [
        ids.clone(),
        list(&|item| &item.1.snapshot_id),
        list(&|item| &item.0.uuid),
        list(&|item| &item.0.hrid),
        list(&|item| &item.1.created),
        list(&|item| &item.1.title),
        text(now),
    ];
    let mut written = session.execute(&sql, &columns)?;
    for (table, kind, contents) in
        [("raw_records", "text", list(&|item| &item.1.raw)), ("marc_records", "jsonb", list(&|item| &item.1.json))]
    {
        let sql = format!(
            "INSERT INTO {tenant}.{table} (id, content)
             SELECT i::uuid, c::{kind} FROM unnest(?::text[], ?::text[]) AS new (i, c) ORDER BY 1
             ON CONFLICT (id) DO UPDATE SET content = excluded.content"
        );
        written += session.execute(&sql, &[ids.clone(), contents])?;
    }
    // In the order of ids, as edits lock them.
    let sql = format!(
        "INSERT INTO {tenant}.holdings_record AS known (id, jsonb, instanceid)
         SELECT i::uuid, j::jsonb, n::uuid FROM unnest(?1::text[], ?2::text[], ?3::text[]) AS new (i, j, n) ORDER BY 1
         ON CONFLICT (id) DO UPDATE SET jsonb = excluded.jsonb || jsonb_build_object('onLoan', known.jsonb->'onLoan',
             '_version', (known.jsonb->>'_version')::bigint + 1,
             'metadata', (excluded.jsonb->'metadata') || jsonb_build_object('updatedDate', ?4::text))"
    );
    let holdings: Vec<_> =
        items.iter().flat_map(|(instance, _, holdings)| holdings.iter().map(move |one| (one, instance))).collect();
    let column = |read: &dyn Fn(usize) -> String| Value::Texts((0..holdings.len()).map(read).collect());
    let columns = [
        column(&|number| holdings[number].0.id.clone()),
        column(&|number| holdings[number].0.json.clone()),
        column(&|number| holdings[number].1.uuid.clone()),
        text(now),
    ];
    written += session.execute(&sql, &columns)?;
    Ok(written)
}

/// Parts into which a roll-over cuts the holdings: by the first digit of their ids.
pub(crate) const PARTS: u32 = 16;

/// Keeps all other writers out of the holdings until the transaction ends. Readers are not held.
///
/// # Errors
/// The store fails.
pub(crate) fn lock_holdings(session: &mut Session, tenant: &str) -> Result<(), StoreError> {
    match session.dialect() {
        // Whoever has begun to write is alone.
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => session.batch(&format!("LOCK TABLE {tenant}.holdings_record IN SHARE ROW EXCLUSIVE MODE")),
    }
}

/// Moves the holdings of one part into a year; returns how many.
///
/// # Errors
/// The store fails; the transaction is then to be rolled back.
pub(crate) fn roll_over(session: &mut Session, tenant: &str, year: &str, part: u32) -> Result<u64, StoreError> {
    let bound = |part: u32| text(&format!("{part:x}0000000-0000-0000-0000-000000000000"));
    let dialect = session.dialect();
    let table = dialect.table(tenant, "holdings_record");
    let (set, uuid) = match dialect {
        Dialect::Sqlite => ("json_set(jsonb, '$.fiscalYear', ?)", "?"),
        Dialect::Postgres => ("jsonb || jsonb_build_object('fiscalYear', ?::text)", "?::text::uuid"),
    };
    let mut sql = format!("UPDATE {table} SET jsonb = {set} WHERE id >= {uuid}");
    let mut values = vec![text(year), bound(part)];
    if part + 1 < PARTS {
        sql.push_str(&format!(" AND id < {uuid}"));
        values.push(bound(part + 1));
    }
    session.execute(&sql, &values)
}
