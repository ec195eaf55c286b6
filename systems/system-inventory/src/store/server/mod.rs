//! The store in a database of a PostgreSQL server: one schema a tenant.

mod build;
mod schema;

use std::time::Duration;

use anyhow::{Context, Result, bail};
use postgres::{Client, Config, NoTls};

use super::{Contents, LAYOUT, StoreOptions};

/// What builders lock, so that one builds and the others wait: `inventory` in ASCII, its first eight letters.
const LOCK: i64 = 0x696E_7665_6E74_6F72;
/// Between two tries for the lock.
const PAUSE: Duration = Duration::from_millis(50);

/// Finds the tenant's tables, or builds them; `None` if `is_over` became true first.
///
/// # Errors
/// The server cannot be reached, the tables are of another layout, or it fails.
pub(super) fn ensure(config: &Config, wanted: &StoreOptions, is_over: &dyn Fn() -> bool) -> Result<Option<Contents>> {
    let mut config = config.clone();
    config.application_name("system-inventory build").connect_timeout(Duration::from_secs(10));
    let mut client = config.connect(NoTls).context("cannot connect")?;
    // The lock goes with the connection.
    while !client.query_one("SELECT pg_try_advisory_lock($1)", &[&LOCK])?.try_get::<_, bool>(0)? {
        if is_over() {
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    }
    if let Some(contents) = contents(&mut client, &wanted.tenant)? {
        return Ok(Some(contents));
    }
    let contents = Contents::of(wanted);
    let is_built = build::build(&mut client, &contents, is_over).map_err(said)?;
    Ok(is_built.then_some(contents))
}

/// The library's text of an error leaves out what the server said.
fn said(error: anyhow::Error) -> anyhow::Error {
    let words = error.downcast_ref::<postgres::Error>().and_then(|error| error.as_db_error()).map(ToString::to_string);
    match words {
        Some(words) => error.context(words),
        None => error,
    }
}

/// What the tenant's schema holds; `None` if it is missing.
fn contents(client: &mut Client, tenant: &str) -> Result<Option<Contents>> {
    let names = client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", &[&tenant])?;
    if names.is_empty() {
        return Ok(None);
    }
    let sql = format!("SELECT instances, seed FROM {tenant}.inventory_store WHERE layout = $1");
    match client.query_opt(&sql, &[&LAYOUT]) {
        Ok(Some(row)) => {
            let (instances, seed): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
            let seed = seed.parse().context("its seed is not a number")?;
            Ok(Some(Contents { tenant: tenant.to_owned(), instances: instances.unsigned_abs(), seed }))
        }
        _ => bail!("its schema `{tenant}` is not of this system; give another database, or another tenant"),
    }
}
