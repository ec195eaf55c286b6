//! What the service tells about the server: whether it answers, and what it is.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, OptsBuilder};
use serde_json::{Map, Value};
use system_common::server::{Books, Server};
use system_common::{Lifetime, Module};

use crate::files::HOST;

/// Longest time from the start of a server to its first answer; one that was killed has to recover first.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);
/// Longest time that a question may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Settings that `/version` tells: those that a performance depends on.
const TOLD: &[&str] = &[
    "version",
    "max_connections",
    "thread_handling",
    "innodb_buffer_pool_size",
    "innodb_log_file_size",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_doublewrite",
    "innodb_io_capacity",
    "sync_binlog",
    "log_bin",
    "tmp_table_size",
    "performance_schema",
];

/// The server as the service sees it.
pub(crate) struct Database {
    options: Opts,
    /// A connection for questions about health, between two of them.
    idle: Mutex<Option<Conn>>,
    facts: Map<String, Value>,
    books: Arc<Books>,
}

/// How to connect as the one role that can.
pub(crate) fn connection(port: u16, role: &str, database: &str) -> Opts {
    let options = OptsBuilder::default().ip_or_hostname(HOST).tcp_port(port).prefer_socket(Some(false));
    options.user(Some(role)).db_name(Some(database)).into()
}

impl Database {
    /// Waits until the server answers, and makes sure that it is the one with this data; `None` if the process was told
    /// to end first.
    ///
    /// # Errors
    /// It ended, does not answer in time, or is another one.
    pub(crate) async fn wait(
        options: Opts,
        server: &Server,
        data: &Path,
        more: &[(String, String)],
        books: &Arc<Books>,
        lifetime: &Lifetime,
    ) -> Result<Option<Arc<Self>>> {
        let since = Instant::now();
        let mut client = loop {
            if let Some(how) = server.end() {
                bail!("the server ended before it was ready ({how}); its own words are above");
            }
            if lifetime.has_ended() {
                return Ok(None);
            }
            // Somebody else's port may accept and then never say a word.
            let why = match tokio::time::timeout(PATIENCE, Conn::new(options.clone())).await {
                Ok(Ok(mut client)) => match other(&mut client, data).await {
                    None => break client,
                    // The server itself finds out, and ends.
                    Some(why) => why,
                },
                Ok(Err(error)) => words(error),
                Err(_) => SILENT.to_owned(),
            };
            if since.elapsed() > READY_WITHIN {
                bail!("the server does not answer within {READY_WITHIN:?}: {why}");
            }
            tokio::time::sleep(PAUSE).await;
        };
        let mut facts = facts(&mut client, more).await?;
        facts.insert("data".to_owned(), data.display().to_string().into());
        facts.insert("sql_port".to_owned(), options.tcp_port().into());
        Ok(Some(Arc::new(Self { options, idle: Mutex::new(Some(client)), facts, books: Arc::clone(books) })))
    }

    /// Asks on the idle connection. One of before a restart breaks when it is asked, and what counts is whether a new
    /// one is answered. A connection whose answer is not awaited to the end is not used again.
    async fn ask(&self) -> Result<(), mysql_async::Error> {
        let idle = self.lock().take();
        if let Some(mut client) = idle
            && answers(&mut client).await.is_ok()
        {
            *self.lock() = Some(client);
            return Ok(());
        }
        let mut client = Conn::new(self.options.clone()).await?;
        answers(&mut client).await?;
        *self.lock() = Some(client);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Conn>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why the server that answers is not the one with this data; `None` if it is.
async fn other(client: &mut Conn, data: &Path) -> Option<String> {
    let asked = client.query_first::<String, _>("SELECT @@datadir");
    let theirs = match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(theirs)) => theirs.unwrap_or_default(),
        Ok(Err(error)) => return Some(words(error)),
        Err(_) => return Some(SILENT.to_owned()),
    };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_other = real(Path::new(&theirs)) != real(data);
    is_other.then(|| {
        format!("another server answers on this port, with its data in `{theirs}`; choose another `--sql-port`")
    })
}

/// More than a ping: a statement needs a thread of the server that works.
async fn answers(client: &mut Conn) -> Result<(), mysql_async::Error> {
    client.query_drop("SELECT 1").await
}

const SILENT: &str = "it accepts connections and says nothing";

/// Names are plain words of the command line, so they can stand in the statement.
async fn facts(client: &mut Conn, more: &[(String, String)]) -> Result<Map<String, Value>> {
    let names = TOLD.iter().copied().chain(more.iter().map(|(name, _)| name.as_str()));
    let list: Vec<String> = names.map(|name| format!("'{name}'")).collect();
    let statement = format!("SHOW GLOBAL VARIABLES WHERE Variable_name IN ({})", list.join(", "));
    let rows: Vec<(String, String)> = client.query(statement).await?;
    // `version` of the frame is that of this program.
    let renamed = |name: String| if name == "version" { "server_version".to_owned() } else { name };
    Ok(rows.into_iter().map(|(name, value)| (renamed(name), value.into())).collect())
}

impl Module for Database {
    /// Asks the server itself.
    async fn health(&self) -> Result<(), String> {
        match tokio::time::timeout(PATIENCE, self.ask()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(format!("the server does not answer: {}", words(error))),
            Err(_) => Err(format!("the server does not answer within {PATIENCE:?}")),
        }
    }

    fn counters(&self) -> Map<String, Value> {
        Map::from_iter([("server".to_owned(), self.books.to_json())])
    }

    fn identity(&self) -> Map<String, Value> {
        let mut all = self.facts.clone();
        all.insert("server_pid".to_owned(), self.books.pid().into());
        all
    }
}

/// What the server or the system said, without the library's wrapping.
fn words(error: mysql_async::Error) -> String {
    match error {
        mysql_async::Error::Server(said) => said.message,
        other => other.to_string(),
    }
}
