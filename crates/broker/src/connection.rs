//! The connection to the server, for threads that wait.

use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::runtime::Runtime;

/// How long the first connection may take.
const CONNECTING: Duration = Duration::from_secs(10);
/// Between two attempts to reach a server that has gone.
const AGAIN: Duration = Duration::from_millis(250);

/// Where the server is, and how it is to be spoken to.
#[derive(Clone, Debug)]
pub struct Server {
    /// `nats://HOST:4222`, or `tls://HOST:4222`.
    pub url: String,
    /// File with a user's credentials, as `nsc` writes it.
    pub credentials: Option<PathBuf>,
    /// File with the certificates of those who may vouch for the server; those of the system by default.
    pub authorities: Option<PathBuf>,
    /// Whether a server on another machine may be spoken to without encryption.
    pub may_be_plain: bool,
    /// Nodes and runs of one group find each other.
    pub group: String,
}

/// A connection that finds its way back, with the thread that looks after it.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) client: Client,
    runtime: Arc<Runtime>,
}

impl Connection {
    /// # Errors
    /// Why there is none, and what to do.
    pub(crate) fn open(server: &Server) -> Result<Self, String> {
        check_name(&server.group)?;
        server.check_encryption()?;
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).thread_name("nats").enable_all().build();
        let runtime = runtime.map_err(|error| format!("the connection needs a thread: {error}"))?;
        let client = runtime.block_on(server.connect()).map_err(|why| {
            format!(
                "no NATS server can be used at `{}`: {why}; start one with `nats-server -js`, or name another with `--nats`",
                server.shown()
            )
        })?;
        Ok(Self { client, runtime: Arc::new(runtime) })
    }

    /// Waits for what the server does.
    pub(crate) fn wait<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// What the server keeps.
    pub(crate) fn jetstream(&self) -> Context {
        let _here = self.runtime.enter();
        jetstream::new(self.client.clone())
    }

    /// Gives up what may have to tell the server so.
    pub(crate) fn drop_within<T>(&self, what: T) {
        let _here = self.runtime.enter();
        drop(what);
    }

    /// How often the connection has come about.
    pub(crate) fn connects(&self) -> u64 {
        self.client.statistics().connects.load(Ordering::Relaxed)
    }

    /// Goes on by itself.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        drop(self.runtime.spawn(future));
    }
}

impl Server {
    async fn connect(&self) -> Result<Client, String> {
        let mut options = ConnectOptions::new()
            .name("loadproof")
            .connection_timeout(CONNECTING)
            .max_reconnects(None)
            .reconnect_delay_callback(|_| AGAIN)
            .require_tls(self.is_encrypted());
        if let Some(file) = &self.authorities {
            options = options.add_root_certificates(file.clone());
        }
        if let Some(file) = &self.credentials {
            let loaded = options.credentials_file(file).await;
            options = loaded.map_err(|error| format!("`{}` has no credentials: {error}", file.display()))?;
        }
        options.connect(self.url.as_str()).await.map_err(|error| error.to_string())
    }

    fn is_encrypted(&self) -> bool {
        self.url.starts_with("tls://") || self.authorities.is_some()
    }

    /// Captured tokens and the files of the study go this way.
    fn check_encryption(&self) -> Result<(), String> {
        if self.is_encrypted() || self.may_be_plain || is_loopback(&self.url) {
            return Ok(());
        }
        Err(format!(
            "the way to `{}` is not encrypted, and files of the study and captured tokens go over it; write `tls://…`, or \
             `--nats-plain` where nobody else can listen",
            self.shown()
        ))
    }

    /// The address without a password.
    pub fn shown(&self) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("nats", &self.url));
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        format!("{scheme}://{host}")
    }
}

fn is_loopback(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let host = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((host, _)) => host,
        None => host.split([':', '/']).next().unwrap_or(host),
    };
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Names become parts of subjects, in which dots, stars and blanks mean something.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.len() <= 120 && name.chars().all(is_fit) {
        return Ok(());
    }
    Err(format!("`{name}` cannot be a name here: write letters, digits, `-` and `_`, 120 at most"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str) -> Server {
        Server { url: url.into(), credentials: None, authorities: None, may_be_plain: false, group: "lab".into() }
    }

    #[test]
    fn nothing_goes_to_another_machine_in_the_clear() {
        for fine in ["nats://127.0.0.1:4222", "nats://[::1]:4222", "nats://localhost", "tls://nats.lab:4222"] {
            assert_eq!(server(fine).check_encryption(), Ok(()), "{fine}");
        }
        let why = server("nats://ada:secret@nats.lab:4222").check_encryption().unwrap_err();
        assert!(why.contains("`nats://nats.lab:4222` is not encrypted") && !why.contains("secret"), "{why}");
        assert_eq!(server("ada:secret@127.0.0.1:4222").shown(), "nats://127.0.0.1:4222");
        assert_eq!(Server { may_be_plain: true, ..server("nats://nats.lab") }.check_encryption(), Ok(()));
    }

    #[test]
    fn names_are_fit_for_subjects() {
        for name in ["", "a.b", "a b", "*", ">", "ü"] {
            assert!(check_name(name).is_err(), "{name}");
        }
        assert_eq!(check_name("2026-11-26T00-30-00Z-shop_2"), Ok(()));
    }

    #[test]
    fn a_server_that_is_not_there_is_named_with_what_to_do() {
        let why = Connection::open(&server("nats://127.0.0.1:1")).err().unwrap();
        assert!(why.contains("nats://127.0.0.1:1") && why.contains("nats-server -js"), "{why}");
    }
}
