//! The connection to the server, for threads that wait.

use crate::address::Address;
use crate::login::Login;
use crate::refusal::{in_words, told};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, Event, ServerError};
use std::fmt::Display;
use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::timeout;

/// How long the first connection may take.
const CONNECTING: Duration = Duration::from_secs(10);
/// Between two attempts to reach a server that has gone.
const AGAIN: Duration = Duration::from_millis(250);
/// Between two looks whether something was forbidden.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Where the server is, and how it is to be spoken to.
#[derive(Clone, Debug)]
pub struct Server {
    pub address: Address,
    pub login: Login,
    /// File with the certificates of those who may vouch for the server; those of the system by default.
    pub authorities: Option<PathBuf>,
    /// How the server knows this side where it asks for a certificate.
    pub identity: Option<Identity>,
    /// Whether a server on another machine may be spoken to without encryption.
    pub may_be_plain: bool,
    /// Nodes and runs of one group find each other.
    pub group: String,
}

/// Files with a certificate and its key, both as PEM.
#[derive(Clone, Debug)]
pub struct Identity {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// A connection that finds its way back, with the thread that looks after it.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) client: Client,
    runtime: Arc<Runtime>,
    denied: Denied,
}

/// What the server said last that its user may not do.
type Denied = Arc<Mutex<Option<String>>>;

impl Connection {
    /// # Errors
    /// Why there is none, and what to do.
    pub(crate) fn open(server: &Server) -> Result<Self, String> {
        check_name(&server.group)?;
        server.check_encryption()?;
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).thread_name("nats").enable_all().build();
        let runtime = runtime.map_err(|error| format!("the connection needs a thread: {error}"))?;
        let denied = Denied::default();
        let client = runtime.block_on(server.connect(denied.clone()))?;
        Ok(Self { client, runtime: Arc::new(runtime), denied })
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

    /// What this side's user may not do, as far as the server said so. A server answers nothing to whoever asks for
    /// something without the right to: it says so beside the answers, and the answer itself is waited for in vain.
    pub(crate) fn denied(&self) -> Option<String> {
        let said = self.denied.lock().unwrap_or_else(PoisonError::into_inner);
        said.as_ref().map(|what| {
            format!(
                "the NATS server does not allow this user what it needs ({what}); give the user the rights in \
                 `deploy/nats/users.conf`"
            )
        })
    }

    /// What a future comes to, unless the server says meanwhile that the user may not do something: an answer would be
    /// waited for in vain.
    pub(crate) async fn unless_denied<T>(&self, future: impl Future<Output = T>) -> Result<T, String> {
        let mut future = pin!(future);
        loop {
            if let Ok(done) = timeout(LOOK_EVERY, &mut future).await {
                return Ok(done);
            }
            if let Some(denied) = self.denied() {
                return Err(denied);
            }
        }
    }

    /// Why something cannot be done: what the user may not do, else what `error` says.
    pub(crate) fn why(&self, what: &str, error: &dyn Display) -> String {
        self.denied().unwrap_or_else(|| format!("{what}: {}", told(error)))
    }
}

impl Server {
    async fn connect(&self, denied: Denied) -> Result<Client, String> {
        let mut options = ConnectOptions::new()
            .name("loadproof")
            .connection_timeout(CONNECTING)
            .max_reconnects(None)
            .reconnect_delay_callback(|_| AGAIN)
            // Only the server that was named is spoken to: others would be named by whoever answers before there is TLS.
            .ignore_discovered_servers()
            .event_callback(move |event| {
                if let Event::ServerError(ServerError::Other(said)) = event
                    && said.to_ascii_lowercase().starts_with("permissions violation")
                {
                    denied.lock().unwrap_or_else(PoisonError::into_inner).replace(told(&said));
                }
                std::future::ready(())
            })
            .require_tls(self.is_encrypted());
        if let Some(file) = &self.authorities {
            options = options.add_root_certificates(file.clone());
        }
        if let Some(Identity { certificate, key }) = &self.identity {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        options = match self.login.clone() {
            Login::Nobody => options,
            Login::Seed(seed) => options.nkey(seed),
            Login::Password { name, password } => options.user_and_password(name, password),
            Login::Credentials(text) => options
                .credentials(&text)
                .map_err(|error| format!("the credentials behind `--nats-creds` cannot be used: {}", told(&error)))?,
        };
        options.connect(self.address.to_string()).await.map_err(|error| in_words(&error, self))
    }

    fn is_encrypted(&self) -> bool {
        self.address.is_tls() || self.authorities.is_some()
    }

    /// Captured tokens and the files of the study go this way. A password never does where anybody could listen.
    fn check_encryption(&self) -> Result<(), String> {
        if self.is_encrypted() || self.address.is_loopback() {
            return Ok(());
        }
        let address = &self.address;
        if matches!(self.login, Login::Password { .. }) {
            return Err(format!(
                "the password would go to `{address}` without encryption; write `tls://…`, or name a key or credentials \
                 with `--nats-creds FILE`, whose seed never leaves this machine"
            ));
        }
        if self.may_be_plain {
            return Ok(());
        }
        Err(format!(
            "the way to `{address}` is not encrypted, and files of the study and captured tokens go over it; write \
             `tls://…`, or `--nats-plain` where nobody else can listen"
        ))
    }
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
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::sync::mpsc::channel;

    fn server(address: &str) -> Server {
        Server {
            address: Address::of(address).unwrap(),
            login: Login::Nobody,
            authorities: None,
            identity: None,
            may_be_plain: false,
            group: "lab".into(),
        }
    }

    #[test]
    fn nothing_goes_to_another_machine_in_the_clear() {
        for fine in ["nats://127.0.0.1:4222", "nats://[::1]:4222", "nats://localhost", "tls://nats.lab:4222"] {
            assert_eq!(server(fine).check_encryption(), Ok(()), "{fine}");
        }
        let why = server("nats://ada@nats.lab:4222").check_encryption().unwrap_err();
        assert!(why.contains("`nats://nats.lab:4222` is not encrypted"), "{why}");
        let plain = Server { may_be_plain: true, ..server("nats://nats.lab") };
        assert_eq!(plain.check_encryption(), Ok(()));
        let login = Login::Password { name: "ada".into(), password: "s3cret".into() };
        let why = Server { login: login.clone(), ..plain }.check_encryption().unwrap_err();
        assert!(why.contains("`tls://…`") && why.contains("--nats-creds") && !why.contains("s3cret"), "{why}");
        for fine in ["nats://127.0.0.1", "tls://nats.lab"] {
            assert_eq!(Server { login: login.clone(), ..server(fine) }.check_encryption(), Ok(()), "{fine}");
        }
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

    /// A server that names another, and closes each connection as soon as it is open.
    #[test]
    fn a_server_that_was_not_named_is_never_spoken_to() {
        let [named, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let (port, away) = (named.local_addr().unwrap().port(), other.local_addr().unwrap());
        let (opened, again) = channel();
        std::thread::spawn(move || {
            for mut stream in named.incoming().flatten() {
                let info = format!(
                    r#"INFO {{"server_id":"X","version":"2.9.10","host":"127.0.0.1","port":{port},"headers":true,"max_payload":1048576,"proto":1,"connect_urls":["{away}"]}}"#
                );
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let _ = stream.write_all(format!("{info}\r\n").as_bytes());
                let is_ping = lines.by_ref().take(2).any(|line| line.is_ok_and(|line| line == "PING"));
                let _ = stream.write_all(b"PONG\r\n");
                if opened.send(is_ping).is_err() {
                    return;
                }
            }
        });
        let at = Connection::open(&server(&format!("nats://127.0.0.1:{port}"))).unwrap();
        // A pool of two is shuffled for each attempt, so six times the same is not chance.
        for _ in 0..6 {
            assert!(again.recv_timeout(Duration::from_secs(60)).unwrap());
        }
        other.set_nonblocking(true).unwrap();
        assert!(other.accept().is_err(), "the other was spoken to");
        drop(at);
    }
}
