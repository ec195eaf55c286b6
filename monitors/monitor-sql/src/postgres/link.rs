//! A connection to the server that bears our name, reads only, and never waits long.

use crate::named::{ROWS_MAX, Row};
use crate::presence::Trouble;
use std::error::Error as _;
use std::future::Future;
use std::time::Duration;
use terms::Nanos;
use tokio_postgres::{Client, Config, NoTls, SimpleQueryMessage, SimpleQueryRow, Statement};

/// The name that the monitor's own connections bear, by which they are left out of what is counted.
pub const MARK: &str = "loadproof monitor";

impl From<tokio_postgres::Error> for Trouble {
    fn from(error: tokio_postgres::Error) -> Self {
        // A server that shuts down says so with a code of class 57P before it closes.
        let is_leaving = error.code().is_some_and(|code| code.code().starts_with("57P"));
        match error.as_db_error() {
            Some(refused) if !is_leaving => Self::Refused(refused.message().to_owned()),
            Some(refused) => Self::Lost(refused.message().to_owned()),
            None => {
                let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
                let text = format!("{error}{cause}");
                if is_timeout(&error) { Self::Silent(text) } else { Self::Lost(text) }
            }
        }
    }
}

/// Whether connecting took too long: a server that stands still takes no connection, and refuses none either.
fn is_timeout(error: &tokio_postgres::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<std::io::Error>());
    cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::TimedOut)
}

/// An open connection.
pub(super) struct Link {
    pub(super) client: Client,
    /// Version of the server, such as 150018.
    pub(super) version: u32,
    /// Id of the process that serves it.
    pub(super) backend: u32,
    /// Our port as the server sees it; `None` over a socket of the machine.
    pub(super) port: Option<i32>,
    /// When the server was started, as it says.
    pub(super) started: String,
    pub(super) sample: Option<Statement>,
}

/// Waits for an answer, but not longer than this.
pub(super) async fn within<T>(
    limit: Nanos,
    answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Trouble> {
    match tokio::time::timeout(limit.or_zero().to_std(), answer).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(Trouble::Silent(format!("no answer within {limit}"))),
    }
}

impl Link {
    /// Connects. `longest` is what the server lets a statement take.
    pub(super) async fn open(config: &Config, limit: Nanos, longest: Nanos) -> Result<Self, Trouble> {
        let mut config = config.clone();
        config.application_name(MARK).connect_timeout(limit.or_zero().to_std().max(Duration::from_millis(1)));
        let (client, connection) = within(limit, config.connect(NoTls)).await?;
        // It ends by itself when the client is dropped or the server goes; what ended it is told by the next statement.
        tokio::spawn(connection);
        let settings = format!(
            "set default_transaction_read_only = on; set statement_timeout = {}; set cursor_tuple_fraction = 1",
            (longest.0 / 1_000_000).max(1)
        );
        within(limit, client.batch_execute(&settings)).await?;
        let who = "select current_setting('server_version_num'), pg_backend_pid(), inet_client_port(),
                   pg_postmaster_start_time()::text, inet_server_addr() is null or inet_server_addr() = inet_client_addr()";
        let row = within(limit, client.query_one(who, &[])).await?;
        let version = row.get::<_, String>(0).parse().unwrap_or_default();
        // A server at another address than ours may be anywhere; one of ours may still be in a container of its own.
        let backend = if row.get::<_, bool>(4) { u32::try_from(row.get::<_, i32>(1)).unwrap_or_default() } else { 0 };
        let (port, started) = (row.get(2), row.get(3));
        Ok(Self { client, version, backend, port, started, sample: None })
    }

    /// Rows of a query of the author, at most one more than are taken. It runs in a transaction that only reads, by a
    /// cursor, so that a query with a million rows brings no more of them than are looked at.
    pub(super) async fn rows(&self, query: &str, limit: Nanos) -> Result<Vec<Row>, Trouble> {
        let text = format!(
            "begin read only; declare loadproof no scroll cursor for {query}\n; fetch {} from loadproof; commit",
            ROWS_MAX + 1
        );
        let found = within(limit, self.client.simple_query(&text)).await;
        if matches!(found, Err(Trouble::Refused(_))) {
            within(limit, self.client.batch_execute("rollback")).await?;
        }
        let row =
            |message: SimpleQueryMessage| if let SimpleQueryMessage::Row(row) = message { Some(row) } else { None };
        Ok(found?.into_iter().filter_map(row).map(|row| as_row(&row)).collect())
    }
}

fn as_row(row: &SimpleQueryRow) -> Row {
    let text = |column: usize| row.get(column).map(str::to_owned);
    Row { value: if row.is_empty() { None } else { text(0) }, labels: (1..row.len()).map(text).collect() }
}
