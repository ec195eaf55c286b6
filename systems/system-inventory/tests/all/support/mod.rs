//! Starts the real processes and speaks HTTP/1.1 to them over plain sockets.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Nothing here takes so long on any machine; a test that hangs should fail instead.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with the path of a store that is not there yet.
pub(crate) struct Folder {
    pub(crate) folder: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn store(&self) -> String {
        format!("sqlite://{}", self.path("inventory.db").display())
    }
}

/// A running process; killed when dropped.
pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) address: String,
    /// A folder of its own, if it has one.
    folder: Option<Folder>,
}

pub(crate) fn command(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_system-inventory"));
    command.args(line.split_whitespace());
    for variable in ["LOADPROOF_NONCE", "LOADPROOF_INSTANCE", "LOADPROOF_PARENT_PID", "INVENTORY_PASSWORD"] {
        command.env_remove(variable);
    }
    command
}

/// The command for a private PostgreSQL; small, so that it starts fast.
pub(crate) fn database_command(flags: &str) -> Command {
    let beside = PathBuf::from(env!("CARGO_BIN_EXE_system-inventory")).with_file_name("system-postgres");
    assert!(
        beside.exists(),
        "{} is not built; type `cargo build -p system-postgres` first, or `make test`",
        beside.display()
    );
    let mut command = Command::new(beside);
    command.args(["--shared-buffers", "16MB"]).args(flags.split_whitespace());
    for variable in ["LOADPROOF_NONCE", "LOADPROOF_INSTANCE", "LOADPROOF_PARENT_PID"] {
        command.env_remove(variable);
    }
    command
}

/// A private PostgreSQL, and the address of the store in it. Its data goes with it.
pub(crate) fn database(flags: &str) -> (Process, String) {
    let folder = Folder::new();
    let mut process = Process::from(database_command(&format!("--data {} {flags}", folder.path("data").display())));
    let store = store_of(&process);
    process.folder = Some(folder);
    (process, store)
}

/// The address of the store in a private PostgreSQL.
pub(crate) fn store_of(database: &Process) -> String {
    format!("postgres://lab@127.0.0.1:{}/lab", database.get("/version").json()["sql_port"])
}

impl Process {
    /// Starts a service and waits until it says where it listens.
    pub(crate) fn start(line: &str) -> Self {
        Self::from(command(line))
    }

    pub(crate) fn from(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line
            .trim()
            .strip_prefix("listening on ")
            .unwrap_or_else(|| panic!("printed {line:?}; its words are above"));
        let address = address.to_owned();
        Self { child, address, folder: None }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.try_call("GET", path, &[], "").unwrap()
    }

    pub(crate) fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.try_call(method, path, headers, body).unwrap()
    }

    /// One call on a connection of its own.
    pub(crate) fn try_call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> io::Result<Answer> {
        Link::open(&self.address)?.call(method, path, headers, body)
    }

    pub(crate) fn counters(&self) -> Value {
        self.get("/counters").json()
    }

    /// Asks again until the counters are so; fails after [`PATIENCE`].
    pub(crate) fn counters_until(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        let since = Instant::now();
        loop {
            let counters = self.counters();
            if is_so(&counters) {
                return counters;
            }
            assert!(since.elapsed() < PATIENCE, "{counters:#}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status().unwrap();
        assert!(status.success());
    }

    /// Waits for the end.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(since.elapsed() < PATIENCE, "the process does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Resident memory in bytes.
    pub(crate) fn resident_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() * 1024
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// A header by its name in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// One connection.
pub(crate) struct Link {
    stream: BufReader<TcpStream>,
}

impl Link {
    pub(crate) fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> io::Result<()> {
        let mut text = format!("{method} {path} HTTP/1.1\r\nhost: test\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        self.stream.get_mut().write_all(format!("{text}\r\n{body}").as_bytes())
    }

    pub(crate) fn call(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> io::Result<Answer> {
        self.send(method, path, headers, body)?;
        self.receive()
    }

    /// Reads one answer with a declared length, which is the only form that the services give.
    pub(crate) fn receive(&mut self) -> io::Result<Answer> {
        let mut head = String::new();
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if line == "\r\n" {
                break;
            }
            head.push_str(&line);
        }
        let mut answer = Answer { status: head[9..12].parse().unwrap(), head, body: String::new() };
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        answer.body = String::from_utf8(body).unwrap();
        Ok(answer)
    }
}

/// The three processes of the system over one small store.
pub(crate) struct System {
    pub(crate) folder: Folder,
    pub(crate) records: Process,
    pub(crate) holdings: Process,
    pub(crate) gateway: Process,
}

/// Instances in the store of a [`System`].
pub(crate) const INSTANCES: u64 = 200;

impl System {
    pub(crate) fn start() -> Self {
        Self::with("", "", "")
    }

    /// Further flags for each process.
    pub(crate) fn with(records: &str, holdings: &str, gateway: &str) -> Self {
        let folder = Folder::new();
        let line = |module: &str, flags: &str| {
            let log = folder.path(&format!("{module}.log"));
            let (store, log) = (folder.store(), log.display());
            format!("{module} --store {store} --instances {INSTANCES} --seed 1 --access-log {log} {flags}")
        };
        let records = Process::start(&line("records", records));
        let holdings = Process::start(&line("holdings", holdings));
        let gateway = Process::start(&format!(
            "gateway --records {} --holdings {} --access-log {} {gateway}",
            records.address,
            holdings.address,
            folder.path("gateway.log").display()
        ));
        Self { folder, records, holdings, gateway }
    }

    pub(crate) fn token(&self) -> String {
        let answer = self.gateway.call("POST", "/authn/login", &[], r#"{"username":"perf","password":"secret"}"#);
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.header("x-okapi-token").unwrap().to_owned()
    }

    /// uuid and hrid of the instances in the store, as the data file of a study has them.
    pub(crate) fn instances(&self) -> Vec<(String, String)> {
        instances(&self.folder, INSTANCES)
    }
}

/// The exported data file, read.
pub(crate) fn instances(folder: &Folder, count: u64) -> Vec<(String, String)> {
    let path = folder.path("instances.csv");
    let line = format!("export --instances {count} --seed 1 --csv {}", path.display());
    assert!(command(&line).status().unwrap().success());
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("uuid,hrid"));
    lines.map(|line| line.split_once(',').unwrap()).map(|(uuid, hrid)| (uuid.to_owned(), hrid.to_owned())).collect()
}
