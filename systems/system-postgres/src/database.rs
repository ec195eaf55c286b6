//! What the service tells about the server: whether it answers, and what it is.

use std::path::Path;
use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use postgres::{Client, Config, NoTls};
use serde_json::{Map, Value};
use system_common::Module;
use system_common::server::{Books, Server};

/// Longest time from the start of a server to its first answer; one that was killed has to recover first.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);
/// Longest time that a question about health may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Settings that `/version` tells: those that a performance depends on.
const TOLD: &[&str] = &[
    "server_version",
    "max_connections",
    "shared_buffers",
    "work_mem",
    "effective_cache_size",
    "max_wal_size",
    "wal_level",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "autovacuum",
    "jit",
];

/// The server as the service sees it.
pub(crate) struct Database {
    config: Config,
    /// One connection for questions about health, opened again when it broke.
    client: Arc<Mutex<Option<Client>>>,
    facts: Map<String, Value>,
    books: Arc<Books>,
}

/// How to connect as the one role that can.
pub(crate) fn config(port: u16, role: &str, database: &str) -> Config {
    let mut config = Config::new();
    config.host("127.0.0.1").port(port).user(role).dbname(database);
    config.application_name("system-postgres").connect_timeout(PATIENCE);
    config
}

impl Database {
    /// Waits until the server answers, and makes sure that it is the one with this data; `None` if `is_over` became
    /// true first. Blocks.
    ///
    /// # Errors
    /// It ended, does not answer in time, or is another one.
    pub(crate) fn wait(
        config: Config,
        server: &Server,
        folder: &Path,
        more: &[(String, String)],
        books: &Arc<Books>,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Option<Arc<Self>>> {
        let since = Instant::now();
        let (mut client, theirs) = loop {
            if let Some(how) = server.end() {
                bail!("the server ended before it was ready ({how}); its own words are above");
            }
            if is_over() {
                return Ok(None);
            }
            let why = match connect(&config) {
                Ok(mut client) => match data_of(&mut client, folder) {
                    Ok(theirs) => break (client, theirs),
                    // The server itself finds out, and ends.
                    Err(why) => why,
                },
                Err(why) => why,
            };
            if since.elapsed() > READY_WITHIN {
                bail!("the server does not answer within {READY_WITHIN:?}: {why}");
            }
            std::thread::sleep(PAUSE);
        };
        let mut facts = facts(&mut client, &theirs, more)?;
        facts.insert("sql_port".to_owned(), config.get_ports().first().copied().into());
        let client = Arc::new(Mutex::new(Some(client)));
        // Never dropped: the library's client waits when it is dropped, which an asynchronous thread must not.
        std::mem::forget(Arc::clone(&client));
        Ok(Some(Arc::new(Self { config, client, facts, books: Arc::clone(books) })))
    }
}

/// The data of the server that answers, if it is the one with this folder.
fn data_of(client: &mut Client, folder: &Path) -> Result<String, String> {
    let row = client.query_one("SELECT current_setting('data_directory')", &[]).map_err(|error| words(&error))?;
    let theirs: String = row.try_get(0).map_err(|error| words(&error))?;
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if real(Path::new(&theirs)) == real(folder) {
        return Ok(theirs);
    }
    Err(format!("another server answers on this port, with its data in `{theirs}`; choose another `--sql-port`"))
}

/// Connects on a thread of its own: somebody else's port may accept and then never say a word, for which the library has
/// no limit of time. Such a thread is left behind.
fn connect(config: &Config) -> Result<Client, String> {
    let (sender, receiver) = std::sync::mpsc::channel();
    let config = config.clone();
    let work = move || drop(sender.send(config.connect(NoTls).map_err(|error| words(&error))));
    std::thread::Builder::new().name("connect".to_owned()).spawn(work).map_err(|error| error.to_string())?;
    receiver.recv_timeout(PATIENCE).map_err(|_| "it accepts connections and says nothing".to_owned())?
}

fn facts(client: &mut Client, folder: &str, more: &[(String, String)]) -> Result<Map<String, Value>> {
    let mut names: Vec<&str> = TOLD.to_vec();
    names.extend(more.iter().map(|(name, _)| name.as_str()));
    let mut facts = Map::new();
    for row in client.query("SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY($1)", &[&names])? {
        facts.insert(row.try_get(0)?, row.try_get::<_, String>(1)?.into());
    }
    facts.insert("data".to_owned(), folder.into());
    Ok(facts)
}

impl Module for Database {
    /// Asks the server itself.
    async fn health(&self) -> Result<(), String> {
        let (client, config) = (Arc::clone(&self.client), self.config.clone());
        let ask = move || {
            let mut place = match client.try_lock() {
                Ok(place) => place,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return Err("it has not answered the question before".to_owned()),
            };
            // A connection of before a restart breaks when it is asked; what counts is whether a new one is answered.
            if place.as_mut().is_some_and(|client| client.query_one("SELECT 1", &[]).is_ok()) {
                return Ok(());
            }
            *place = None;
            let mut client = connect(&config)?;
            client.query_one("SELECT 1", &[]).map_err(|error| words(&error))?;
            *place = Some(client);
            Ok(())
        };
        match tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(ask)).await {
            Ok(Ok(Ok(()))) => Ok(()),
            Ok(Ok(Err(why))) => Err(format!("the server does not answer: {why}")),
            Ok(Err(_)) => Err("the server does not answer".to_owned()),
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

/// The library's own text leaves out what the server said.
fn words(error: &postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => said.to_string(),
        None => error.to_string(),
    }
}
