//! A connection to the server that reads only and never waits long.

use super::statement::{self, Counts, text};
use crate::named::{self, ROWS_MAX};
use crate::presence::Trouble;
use mysql_async::prelude::{Query, Queryable};
use mysql_async::{Conn, Error, Opts, OptsBuilder, Row, Value};
use std::future::Future;
use terms::Nanos;

/// Rows of one of our own statements; a server that sends more is none that we know.
const OWN_ROWS_MAX: usize = 4096;
/// Longest message of the server, bytes: a row of ours has some dozen.
const PACKET_BYTES_MAX: usize = 1 << 20;
/// The server says goodbye with one of these before it closes: it shuts down, or somebody has ended the connection
/// (MariaDB's manual, "MariaDB Error Code Reference").
const LEAVING: &[u16] = &[1053, 1077, 1079, 1317, 1927];
/// Statement cut off by the server, since it took too long.
const TIMED_OUT: u16 = 1969;

/// An open connection.
pub(super) struct Link {
    client: Conn,
    /// Id of the connection, by which it is left out of what is counted.
    pub(super) id: u32,
    /// Version as the server says it, such as `10.11.19-MariaDB`.
    pub(super) version: String,
    /// When the server was started, seconds since 1970, give or take one: it tells whole seconds since then.
    pub(super) started_s: i64,
    /// Id of the server's thread that serves us, if the server is surely on this machine.
    pub(super) thread: Option<u32>,
    /// Whether connections of others and InnoDB's transactions can be seen.
    pub(super) sees_others: bool,
    /// What the server has counted of this connection, as it said last.
    pub(super) own: Counts,
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        match error {
            Error::Server(said) if LEAVING.contains(&said.code) => Self::Lost(said.message),
            Error::Server(said) if said.code == TIMED_OUT => {
                Self::Refused("it was stopped, since it took too long".into())
            }
            Error::Server(said) => Self::Refused(said.message),
            // The library's words for an address hold no password: they are of sockets and packets.
            Error::Io(error) => Self::Lost(error.to_string()),
            Error::Driver(error) => Self::Lost(error.to_string()),
            Error::Url(_) | Error::Other(_) => Self::Lost("the client gave up".into()),
        }
    }
}

/// Waits for an answer, but not longer than this.
pub(super) async fn within<T>(limit: Nanos, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Trouble> {
    match tokio::time::timeout(limit.or_zero().to_std(), answer).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(Trouble::Silent(format!("no answer within {limit}"))),
    }
}

/// Who answers: its name and version come first, since another kind of server does not know the rest.
const VERSION: &str = "SELECT VERSION()";
const WHO: &str = "SELECT p.ID, p.TID, @@hostname,
    UNIX_TIMESTAMP() - (SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'UPTIME')
  FROM information_schema.PROCESSLIST p WHERE p.ID = CONNECTION_ID()";
/// Only who may see all may ask this.
const OTHERS: &str = "SELECT COUNT(*) FROM information_schema.INNODB_TRX";

impl Link {
    /// Connects. `longest` is what the server lets a statement take; `rows` how many rows it lets one bring.
    pub(super) async fn open(options: &Opts, limit: Nanos, (longest, rows): (Nanos, usize)) -> Result<Self, Trouble> {
        let options = OptsBuilder::from_opts(options.clone())
            .prefer_socket(Some(false))
            .max_allowed_packet(Some(PACKET_BYTES_MAX))
            // The library asks the server for it otherwise, which it would count.
            .wait_timeout(Some(28_800));
        let client = within(limit, Conn::new(options)).await?;
        let mut link = Self {
            id: client.id(),
            client,
            own: Counts::default(),
            version: String::new(),
            started_s: 0,
            thread: None,
            sees_others: false,
        };
        link.version = link.first(VERSION, limit).await?.first().and_then(text).unwrap_or_default();
        if !link.version.contains("MariaDB") {
            let version: String = link.version.chars().filter(|c| !c.is_control()).take(40).collect();
            return Err(Trouble::Refused(format!("it is version `{version}`, no MariaDB")));
        }
        let seconds = (longest.0 as f64 / 1e9).max(0.001);
        let settings = format!(
            "SET SESSION max_statement_time = {seconds:.3}, tx_read_only = 1, lock_wait_timeout = {}, sql_select_limit = {rows}",
            seconds.ceil()
        );
        link.first(&settings, limit).await?;
        let who = link.first(WHO, limit).await?;
        let number = |column: usize| who.get(column).and_then(text)?.parse::<f64>().ok();
        link.started_s = number(3).unwrap_or_default() as i64;
        let is_here = who.get(2).and_then(text).is_some_and(|name| own_name().is_some_and(|own| own == name));
        link.thread = number(1).filter(|_| is_here).map(|thread| thread as u32).filter(|thread| *thread > 0);
        link.sees_others = match link.first(OTHERS, limit).await {
            Ok(_) => true,
            Err(Trouble::Refused(_)) => false,
            Err(trouble) => return Err(trouble),
        };
        Ok(link)
    }

    /// Values of the first row; none where there is no row.
    pub(super) async fn first(&mut self, statement: &str, limit: Nanos) -> Result<Vec<Value>, Trouble> {
        Ok(self.rows(statement, limit).await?.into_iter().next().unwrap_or_default())
    }

    /// Rows of a statement of ours.
    pub(super) async fn rows(&mut self, statement: &str, limit: Nanos) -> Result<Vec<Vec<Value>>, Trouble> {
        let client = &mut self.client;
        let found = within(limit, async {
            let mut result = statement.run(&mut *client).await?;
            let mut rows = Vec::new();
            while let Some(row) = result.next().await? {
                rows.push(row.unwrap());
                if rows.len() > OWN_ROWS_MAX {
                    return Ok(None);
                }
            }
            Ok(Some(rows))
        });
        found.await?.ok_or_else(|| Trouble::Lost(format!("it brought more than {OWN_ROWS_MAX} rows")))
    }

    /// Asks what the server has counted of this connection.
    pub(super) async fn count_own(&mut self, limit: Nanos) -> Result<(), Trouble> {
        let rows = self.rows(&statement::own_statement(), limit).await?;
        self.own = statement::own_counts(&rows);
        Ok(())
    }

    /// Rows of a query of the author, at most one more than are taken. It is prepared, so that it is one statement and
    /// no more; it reads only, and the server ends it when it has brought enough.
    pub(super) async fn named(&mut self, query: &str, limit: Nanos) -> Result<Vec<named::Row>, Trouble> {
        let client = &mut self.client;
        let found = within(limit, async {
            let mut result = client.exec_iter(query, ()).await?;
            let mut rows = Vec::new();
            while rows.len() <= ROWS_MAX
                && let Some(row) = result.next().await?
            {
                rows.push(as_row(row));
            }
            result.drop_result().await?;
            Ok(rows)
        });
        found.await
    }
}

fn as_row(row: Row) -> named::Row {
    let mut texts = row.unwrap().into_iter().map(|value| text(&value));
    named::Row { value: texts.next().flatten(), labels: texts.collect() }
}

/// The name of this machine, as the server reads its own.
fn own_name() -> Option<String> {
    Some(std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_as_the_server_writes_them() {
        let texts = [
            Value::NULL,
            Value::Bytes(b"a\xff".to_vec()),
            Value::Int(-3),
            Value::Double(0.5),
            Value::Date(2026, 11, 21, 10, 0, 0, 0),
        ]
        .map(|value| text(&value));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(texts, [None, some("a\u{fffd}"), some("-3"), some("0.5"), some("2026-11-21 10:00:00")]);
    }

    #[test]
    fn a_server_that_leaves_is_lost_and_one_that_objects_is_not() {
        let said = |code| {
            let error = mysql_async::ServerError { code, message: "words".into(), state: "HY000".into() };
            Trouble::from(Error::Server(error))
        };
        assert_eq!(said(1053), Trouble::Lost("words".into()));
        assert_eq!(said(1146), Trouble::Refused("words".into()));
        assert_eq!(said(1040), Trouble::Refused("words".into()), "too many connections");
        assert_eq!(said(1969).text(), "it was stopped, since it took too long");
        let io = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        assert!(matches!(Trouble::from(Error::from(io)), Trouble::Lost(_)));
    }
}
