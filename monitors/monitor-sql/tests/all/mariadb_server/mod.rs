//! A private MariaDB server of one test, by `system-mariadb`, which starts it again when it was killed.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, OptsBuilder};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A supervisor whose server is ready. Dropped, it is killed, and its guard cleans up.
pub(crate) struct Server {
    child: Child,
    address: String,
    url: String,
    _folder: tempfile::TempDir,
}

/// The program stands in the folder above that of the tests.
fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let found = tests.ancestors().nth(2).unwrap().join("system-mariadb");
    assert!(found.exists(), "{} is not built: type `cargo build -p system-mariadb`, or `make test`", found.display());
    found
}

impl Server {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(program())
            .args(["--buffer-pool", "16MB", "--max-connections", "20", "--restart-after", "1s"])
            .args(["--set", "innodb_io_capacity=321", "--set", "thread_cache_size=0", "--data"])
            .arg(folder.path().join("data"))
            .env("LOADPROOF_PARENT_PID", std::process::id().to_string())
            .env_remove("LOADPROOF_NONCE")
            .env_remove("LOADPROOF_INSTANCE")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        let url = loop {
            let start = told.len();
            assert!(errors.read_line(&mut told).unwrap() > 0, "it does not start: {told}");
            if let Some(url) = told[start..].strip_prefix("ready: ") {
                break url.trim().to_owned();
            }
        };
        // Read to the end, so that the server never waits for a reader.
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let address = first.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, address, url, _folder: folder }
    }

    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    /// The server's process, as its supervisor tells it.
    pub(crate) fn pid(&self) -> i32 {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET /version HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (_, rest) = text.split_once("\"server_pid\":").unwrap();
        rest.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty()).unwrap().parse().unwrap()
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Ends the server as a crash does; its supervisor brings it back.
    pub(crate) fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    /// Stops the server where it is, or lets it go on.
    pub(crate) fn stand_still(&self, is_still: bool) {
        self.signal(if is_still { rustix::process::Signal::STOP } else { rustix::process::Signal::CONT });
        if is_still {
            crate::common::until_stopped(&clock::Clock::system(), self.pid() as u32);
        }
    }

    pub(crate) fn try_client(&self) -> Option<Client> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let options = OptsBuilder::from_opts(Opts::from_url(&self.url).unwrap()).prefer_socket(Some(false));
        let options = options.max_allowed_packet(Some(1 << 24)).wait_timeout(Some(600));
        let connection = runtime.block_on(Conn::new(options)).ok()?;
        Some(Client { runtime, connection: Some(connection) })
    }

    pub(crate) fn client(&self) -> Client {
        self.try_client().expect("the server lets a client in")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client of the server, as the system under test is one.
pub(crate) struct Client {
    runtime: tokio::runtime::Runtime,
    connection: Option<Conn>,
}

impl Client {
    fn connection(&mut self) -> (&tokio::runtime::Runtime, &mut Conn) {
        (&self.runtime, self.connection.as_mut().unwrap())
    }

    pub(crate) fn run(&mut self, sql: &str) {
        let (runtime, connection) = self.connection();
        runtime.block_on(connection.query_drop(sql)).unwrap();
    }

    /// The first value of the first row.
    pub(crate) fn text(&mut self, sql: &str) -> String {
        let (runtime, connection) = self.connection();
        runtime.block_on(connection.query_first::<String, _>(sql)).unwrap().unwrap()
    }

    /// Sends a statement whose answer nobody waits for here.
    pub(crate) fn send(mut self, sql: &str) -> std::thread::JoinHandle<Self> {
        let sql = sql.to_owned();
        std::thread::spawn(move || {
            let (runtime, connection) = self.connection();
            let _ = runtime.block_on(connection.query_drop(sql));
            self
        })
    }
}
