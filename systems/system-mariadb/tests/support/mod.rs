//! One running `system-mariadb`, and a client of its database.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, OptsBuilder};
use serde_json::Value;

/// Nothing here takes so long on any machine; a test that hangs should fail instead.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// The program with these flags, in no study.
pub(crate) fn command(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_system-mariadb"));
    command.args(line.split_whitespace());
    for variable in ["LOADPROOF_NONCE", "LOADPROOF_INSTANCE", "LOADPROOF_PARENT_PID"] {
        command.env_remove(variable);
    }
    command
}

/// A supervisor whose server is ready. Dropped, it is killed, and its guard cleans up.
pub(crate) struct Running {
    child: Child,
    address: String,
    url: String,
    _folder: tempfile::TempDir,
}

impl Running {
    /// With a small buffer pool, in a folder that only its owner can enter unless `flags` name another.
    pub(crate) fn start(flags: &str) -> Self {
        Self::start_with(flags, &[])
    }

    /// The same, with environment variables.
    pub(crate) fn start_with(flags: &str, environment: &[(&str, &Path)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place =
            if flags.contains("--data ") { String::new() } else { format!("--data {}/m", folder.path().display()) };
        let line = format!("--buffer-pool 16MB {place} {flags}");
        let mut command = command(&line);
        command.envs(environment.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
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

    /// How a client connects, as the program said it.
    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    /// The supervisor.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Status and body.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head[9..12].parse().unwrap(), body.to_owned())
    }

    /// A body that is JSON.
    pub(crate) fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.get(path).1).unwrap()
    }

    /// The server that runs now.
    pub(crate) fn server_pid(&self) -> u64 {
        self.json("/version")["server_pid"].as_u64().unwrap()
    }

    /// The server's data.
    pub(crate) fn data(&self) -> PathBuf {
        PathBuf::from(self.json("/version")["data"].as_str().unwrap())
    }

    /// Waits for the supervisor's end.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(since.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Sends a signal to the supervisor.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.pid().into(), name);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal to a process.
pub(crate) fn signal(pid: u64, name: &str) {
    assert!(Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status().unwrap().success());
}

/// Whether a process runs; one that has ended and was not waited for does not.
pub(crate) fn lives(pid: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// A connection that blocks.
pub(crate) struct Client {
    runtime: tokio::runtime::Runtime,
    connection: Option<Conn>,
}

impl Client {
    /// Connects over TCP.
    pub(crate) fn connect(url: &str) -> Result<Self, mysql_async::Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let options: Opts = OptsBuilder::from_opts(Opts::from_url(url).unwrap()).prefer_socket(Some(false)).into();
        let connection = Some(runtime.block_on(Conn::new(options))?);
        Ok(Self { runtime, connection })
    }

    /// Carries out a statement.
    pub(crate) fn run(&mut self, statement: &str) -> Result<(), mysql_async::Error> {
        self.runtime.block_on(self.connection.as_mut().unwrap().query_drop(statement))
    }

    /// The first value of the first row.
    pub(crate) fn text(&mut self, statement: &str) -> String {
        let row: Option<String> =
            self.runtime.block_on(self.connection.as_mut().unwrap().query_first(statement)).unwrap();
        row.unwrap_or_else(|| panic!("no row: {statement}"))
    }
}

impl Drop for Client {
    /// The library's connection says goodbye on the runtime, which must still be there.
    fn drop(&mut self) {
        let _inside = self.runtime.enter();
        drop(self.connection.take());
    }
}
