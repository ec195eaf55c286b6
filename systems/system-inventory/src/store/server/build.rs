//! Builds a tenant's tables: one thread makes rows as text, another copies them in, all in one transaction.

use std::io::Write;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;

use anyhow::Result;
use postgres::{Client, Transaction};

use super::schema;
use crate::data::{Catalogue, Item};
use crate::store::{Contents, LAYOUT, QUIET_MAX};

/// Instances in one round of copying; each table's part is about 2 MB.
const BATCH: u64 = 1000;
/// Rounds that may wait: about 20 MB.
const ROUNDS_MAX: usize = 3;

/// The tables that are copied into, in the order of [`Round`].
const TABLES: [&str; 4] = ["records", "raw_records", "marc_records", "holdings_record"];

/// Rows of each table in the text format of COPY.
type Round = [String; 4];

/// Builds all; false, with nothing left, if `is_over` became true first.
pub(super) fn build(client: &mut Client, contents: &Contents, is_over: &dyn Fn() -> bool) -> Result<bool> {
    let started = Instant::now();
    let Contents { tenant, instances, seed } = contents;
    let is_loud = *instances > QUIET_MAX;
    if is_loud {
        eprintln!("building the tables of `{tenant}` with {instances} instances");
    }
    // Three times as fast as the default for texts of some kB. A server without it keeps its own way.
    let _ = client.batch_execute("SET default_toast_compression = 'lz4'");
    let mut transaction = client.transaction()?;
    transaction.batch_execute(&schema::tables(tenant))?;
    let (catalogue, numbers) = (Catalogue::new(*seed), 0..*instances);
    let is_whole = std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<Round>(ROUNDS_MAX);
        scope.spawn(move || catalogue.batches(numbers, BATCH).try_for_each(|batch| sender.send(round(&batch))));
        copy(&mut transaction, tenant, &receiver, is_over)
    })?;
    if !is_whole {
        return Ok(false);
    }
    // Sorting for indexes in memory.
    transaction.batch_execute("SET LOCAL maintenance_work_mem = '128MB'")?;
    transaction.batch_execute(&schema::indexes(tenant))?;
    let sql = format!("INSERT INTO {tenant}.inventory_store (instances, seed, layout) VALUES ($1, $2, $3)");
    transaction.execute(&sql, &[&(*instances as i64), &seed.to_string(), &LAYOUT])?;
    transaction.commit()?;
    for table in TABLES {
        client.batch_execute(&format!("ANALYZE {tenant}.{table}"))?;
    }
    if is_loud {
        eprintln!("built them in {:.1} s", started.elapsed().as_secs_f64());
    }
    Ok(true)
}

fn copy(
    transaction: &mut Transaction<'_>,
    tenant: &str,
    rounds: &Receiver<Round>,
    is_over: &dyn Fn() -> bool,
) -> Result<bool> {
    for round in rounds {
        if is_over() {
            return Ok(false);
        }
        for (table, rows) in TABLES.iter().zip(&round) {
            // Frozen: the rows are as if they had always been there, so that reading them later writes nothing.
            let mut writer = transaction.copy_in(&format!("COPY {tenant}.{table} FROM STDIN (FREEZE)"))?;
            writer.write_all(rows.as_bytes())?;
            writer.finish()?;
        }
    }
    Ok(true)
}

fn round(batch: &[Item]) -> Round {
    let mut round = Round::default();
    let [records, raws, marcs, holdings] = &mut round;
    for (instance, record, holding) in batch {
        let (id, created) = (record.id.as_str(), record.created.as_str());
        let uuid = instance.uuid.as_str();
        let hrid = instance.hrid.as_str();
        let snapshot = record.snapshot_id.as_str();
        let title = record.title.as_str();
        let columns = [id, snapshot, id, "0", "MARC_BIB", uuid, hrid, "ACTUAL", "f", created, created, title];
        row(records, &columns);
        row(raws, &[id, &record.raw]);
        row(marcs, &[id, &record.json]);
        holding.iter().for_each(|holding| row(holdings, &[&holding.id, &holding.json, uuid]));
    }
    round
}

/// One line: columns between tabs, with what would end a column or a line escaped (PostgreSQL's manual, "COPY").
fn row(out: &mut String, columns: &[&str]) {
    for (number, column) in columns.iter().enumerate() {
        if number > 0 {
            out.push('\t');
        }
        for c in column.chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\t' => out.push_str("\\t"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                c => out.push(c),
            }
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_cannot_break_out_of_their_line() {
        let mut out = String::new();
        row(&mut out, &["a\tb", "c\\.\n", "\r", "é\u{1e}"]);
        assert_eq!(out, "a\\tb\tc\\\\.\\n\t\\r\té\u{1e}\n");
    }
}
