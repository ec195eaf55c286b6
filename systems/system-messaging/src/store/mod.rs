//! Where messages are kept: the rows, the address of a store, and one session on it.

mod apply;
mod committer;
mod mariadb;
mod schema;
mod sqlite;
mod tasks;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use axum::body::Bytes;
use terms::Nanos;
use thiserror::Error;

pub(crate) use apply::{Mark, Next, Outcome, Receive, Redeliver, StoredReply};
pub(crate) use committer::{Commit, Committer, Settled};
pub(crate) use tasks::LoadedTask;

/// Where a message stands, as numbers that other message services use too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Taken in.
    Received = 2,
    /// Taken in and dealt with.
    Processed = 3,
    /// Handed over to the application behind.
    Forwarded = 4,
    /// Taken in and found wrong.
    Failed = 5,
    /// To be sent.
    Created = 10,
    /// Given up after all attempts failed.
    DeliveryFailed = 11,
    /// Sent, and acknowledged if that was asked for.
    Delivered = 12,
    /// Given up when its time was over.
    Expired = 13,
}

/// One row of the table `message`.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) time_stamp: Nanos,
    pub(crate) cpa_id: String,
    pub(crate) conversation_id: String,
    pub(crate) message_id: String,
    pub(crate) ref_to: Option<String>,
    pub(crate) time_to_live: Option<Nanos>,
    pub(crate) persist_time: Option<Nanos>,
    pub(crate) from_party_id: String,
    pub(crate) from_role: Option<String>,
    pub(crate) to_party_id: String,
    pub(crate) to_role: Option<String>,
    pub(crate) service: String,
    pub(crate) action: String,
    pub(crate) content: Bytes,
    pub(crate) status: Status,
}

/// One row of the table `attachment`.
#[derive(Clone, Debug)]
pub(crate) struct Attachment {
    pub(crate) content_id: String,
    pub(crate) content_type: String,
    pub(crate) content: Bytes,
}

/// One row of the table `delivery_task`: a message that is to be sent.
#[derive(Clone, Debug)]
pub(crate) struct TaskRow {
    pub(crate) cpa_id: String,
    /// Channel of the party that is to get it.
    pub(crate) channel: String,
    pub(crate) message_id: String,
    pub(crate) time_to_live: Option<Nanos>,
    /// When it is due.
    pub(crate) due: Nanos,
}

/// Why a store did not do something.
#[derive(Clone, Debug, Error, PartialEq)]
pub(crate) enum StoreError {
    /// It cannot be reached, or broke off. Whether it had committed is not known.
    #[error("the store does not answer: {0}")]
    Unavailable(String),
    /// It refused the work, and did none of it.
    #[error("the store refused: {0}")]
    Refused(String),
    /// Writers were in each other's way, and it did none of this one's work; later it may.
    #[error("another writer was in the way: {0}")]
    Contended(String),
}

/// Address of a store.
#[derive(Clone)]
pub(crate) enum Store {
    Sqlite(PathBuf),
    /// A database of a server.
    MariaDb(Box<mysql_async::Opts>),
}

impl FromStr for Store {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once("://") {
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::Sqlite(PathBuf::from(path))),
            Some(("mysql", _)) => {
                // The text may hold a password, so it is not shown.
                let wrong =
                    || "this is not an address of a MariaDB; write `mysql://USER@HOST:PORT/DATABASE`".to_owned();
                let opts = mysql_async::Opts::from_url(text).map_err(|_| wrong())?;
                let is_plain = |name: &str| {
                    !name.is_empty()
                        && name.len() <= 64
                        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                };
                if opts.user().is_none() || !opts.db_name().is_some_and(is_plain) {
                    return Err(wrong());
                }
                Ok(Self::MariaDb(Box::new(opts)))
            }
            _ => Err(format!(
                "`{text}` is not a store; write `sqlite://PATH`, or `mysql://USER@HOST:PORT/DATABASE` with a name of letters, digits and `_`"
            )),
        }
    }
}

impl fmt::Display for Store {
    /// Without user and password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "{}", path.display()),
            Self::MariaDb(opts) => {
                write!(f, "mysql://{}:{}/{}", opts.ip_or_hostname(), opts.tcp_port(), opts.db_name().unwrap_or(""))
            }
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Store {
    /// Opens a session; the schema is made if it is missing.
    ///
    /// # Errors
    /// The store cannot be reached, or is something else.
    pub(crate) async fn connect(&self) -> Result<Session, StoreError> {
        match self {
            Self::Sqlite(path) => sqlite::connect(path).map(Session::Sqlite),
            Self::MariaDb(opts) => mariadb::connect(opts).await.map(|conn| Session::MariaDb(Box::new(conn))),
        }
    }

    /// Whether writers beside each other help: SQLite has one writer.
    pub(crate) fn has_many_writers(&self) -> bool {
        matches!(self, Self::MariaDb(_))
    }
}

/// A value that goes into a statement or comes out of one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Param {
    Null,
    Int(i64),
    Text(String),
    Bytes(Bytes),
}

impl Param {
    fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    fn optional(text: Option<&str>) -> Self {
        text.map_or(Self::Null, Self::text)
    }

    fn moment(moment: Nanos) -> Self {
        Self::Text(crate::wire::moment::stored(moment))
    }

    fn optional_moment(moment: Option<Nanos>) -> Self {
        moment.map_or(Self::Null, Self::moment)
    }

    fn into_text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Bytes(bytes) => String::from_utf8(bytes.to_vec()).ok(),
            Self::Int(number) => Some(number.to_string()),
            Self::Null => None,
        }
    }

    fn into_bytes(self) -> Bytes {
        match self {
            Self::Text(text) => Bytes::from(text),
            Self::Bytes(bytes) => bytes,
            Self::Int(_) | Self::Null => Bytes::new(),
        }
    }
}

/// A connection to a store. Both kinds understand the same statements, so what is done is written once.
pub(crate) enum Session {
    Sqlite(rusqlite::Connection),
    MariaDb(Box<mysql_async::Conn>),
}

impl Session {
    /// Carries a statement out.
    async fn exec(&mut self, sql: &str, params: Vec<Param>) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(connection) => sqlite::exec(connection, sql, params),
            Self::MariaDb(conn) => mariadb::exec(conn, sql, params).await,
        }
    }

    /// All rows of a query.
    async fn rows(&mut self, sql: &str, params: Vec<Param>) -> Result<Vec<Vec<Param>>, StoreError> {
        match self {
            Self::Sqlite(connection) => sqlite::rows(connection, sql, params),
            Self::MariaDb(conn) => mariadb::rows(conn, sql, params).await,
        }
    }

    async fn begin(&mut self) -> Result<(), StoreError> {
        match self {
            // At once, since a transaction that begins as a reader may not be let in as a writer.
            Self::Sqlite(connection) => sqlite::plain(connection, "BEGIN IMMEDIATE"),
            Self::MariaDb(conn) => mariadb::plain(conn, "START TRANSACTION").await,
        }
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(connection) => sqlite::plain(connection, "COMMIT"),
            Self::MariaDb(conn) => mariadb::plain(conn, "COMMIT").await,
        }
    }

    async fn roll_back(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(connection) => sqlite::plain(connection, "ROLLBACK"),
            Self::MariaDb(conn) => mariadb::plain(conn, "ROLLBACK").await,
        }
    }

    /// Whether the store answers.
    ///
    /// # Errors
    /// It does not.
    pub(crate) async fn ask(&mut self) -> Result<(), StoreError> {
        self.rows("SELECT cpa_id FROM cpa LIMIT 1", Vec::new()).await.map(drop)
    }

    /// Puts the agreements into the table `cpa`, in place of what was there under their ids.
    ///
    /// # Errors
    /// The store fails.
    pub(crate) async fn put_agreements(&mut self, agreements: &crate::agreement::Agreements) -> Result<(), StoreError> {
        self.begin().await?;
        for (id, agreement) in agreements {
            self.exec("DELETE FROM cpa WHERE cpa_id = ?", vec![Param::text(id)]).await?;
            let row = vec![Param::text(id), Param::text(&agreement.text)];
            self.exec("INSERT INTO cpa (cpa_id, cpa) VALUES (?, ?)", row).await?;
        }
        self.commit().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_named_by_their_kind_and_shown_without_passwords() {
        let store: Store = "mysql://lab:secret@127.0.0.1:3307/messaging".parse().unwrap();
        assert_eq!(store.to_string(), "mysql://127.0.0.1:3307/messaging");
        let store: Store = "sqlite:///tmp/messaging.db".parse().unwrap();
        assert_eq!(store.to_string(), "/tmp/messaging.db");
        for text in [
            "messaging.db",
            "sqlite://",
            "mysql://h",
            "mysql://lab@h:1",
            "mysql://lab:hush@h:1/a`b",
            "postgres://lab@h/x",
        ] {
            let message = text.parse::<Store>().unwrap_err();
            assert!(message.contains("write `") && !message.contains("hush"), "{message}");
        }
    }
}
