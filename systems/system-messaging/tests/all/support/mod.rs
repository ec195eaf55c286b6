//! Starts the real process, speaks HTTP/1.1 to it over plain sockets, and listens for what it delivers.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

pub(crate) mod message;
pub(crate) mod partner;

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Nothing here takes so long on any machine; a test that hangs should fail instead.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The agreements of the studies.
pub(crate) fn cpas(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/messaging/data").join(name)
}

/// A running process; killed when dropped.
pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) address: String,
}

/// The program with flags, free of the surrounding run.
pub(crate) fn command(flags: &[&str]) -> Command {
    free(Command::new(env!("CARGO_BIN_EXE_system-messaging")), flags)
}

fn free(mut command: Command, flags: &[&str]) -> Command {
    command.args(flags);
    for variable in ["LOADPROOF_NONCE", "LOADPROOF_INSTANCE", "LOADPROOF_PARENT_PID"] {
        command.env_remove(variable);
    }
    command
}

/// The command for a private MariaDB.
pub(crate) fn database_command(flags: &[&str]) -> Command {
    let beside = PathBuf::from(env!("CARGO_BIN_EXE_system-messaging")).with_file_name("system-mariadb");
    assert!(
        beside.exists(),
        "{} is not built; type `cargo build -p system-mariadb` first, or `make test`",
        beside.display()
    );
    free(Command::new(beside), flags)
}

impl Process {
    /// A service over a store, delivering to an address.
    pub(crate) fn start(store: &str, cpas_name: &str, pong_to: &str, flags: &str) -> Self {
        let folder = cpas(cpas_name);
        let mut all = vec!["--store", store, "--cpas", folder.to_str().unwrap(), "--pong-to", pong_to];
        all.extend(flags.split_whitespace());
        Self::from(command(&all))
    }

    pub(crate) fn from(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line
            .trim()
            .strip_prefix("listening on ")
            .unwrap_or_else(|| panic!("printed {line:?}; its words are above"))
            .to_owned();
        Self { child, address }
    }

    /// Posts a message as it should be.
    pub(crate) fn post(&self, kind: &str, body: impl AsRef<[u8]>) -> Answer {
        self.try_post(kind, body).unwrap()
    }

    pub(crate) fn try_post(&self, kind: &str, body: impl AsRef<[u8]>) -> io::Result<Answer> {
        let headers = [("soapaction", "\"ebXML\""), ("content-type", kind)];
        Link::open(&self.address)?.call("POST", "/ebms", &headers, body.as_ref())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        Link::open(&self.address).unwrap().call("GET", path, &[], b"").unwrap()
    }

    pub(crate) fn counters(&self) -> Value {
        self.get("/counters").json()
    }

    /// One of the counters of all messages.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.counters()["messages"][name].as_u64().unwrap_or_else(|| panic!("no count {name}"))
    }

    /// Waits until a counter has reached a number; fails after [`PATIENCE`].
    pub(crate) fn wait_for(&self, name: &str, number: u64) {
        wait_until(&format!("{name} = {number}; {:#}", self.counters()["messages"]), || self.count(name) >= number);
    }

    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status().unwrap();
        assert!(status.success());
    }

    /// Waits for the end.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the process to end", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks again until it is so; fails after [`PATIENCE`].
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
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
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<()> {
        let mut text = format!("{method} {path} HTTP/1.1\r\nhost: test\r\n");
        if !headers.iter().any(|(name, _)| *name == "content-length") {
            text.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut bytes = format!("{text}\r\n").into_bytes();
        bytes.extend_from_slice(body);
        self.stream.get_mut().write_all(&bytes)
    }

    pub(crate) fn call(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<Answer> {
        self.send(method, path, headers, body)?;
        self.receive()
    }

    /// Reads one answer; without a declared length it has no body.
    pub(crate) fn receive(&mut self) -> io::Result<Answer> {
        let (first, head, body) = read_message(&mut self.stream)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let status = first.split(' ').nth(1).unwrap().parse().unwrap();
        Ok(Answer { status, head, body: String::from_utf8(body).unwrap() })
    }
}

/// First line, headers in small letters, and body; `None` at the end of the connection.
pub(crate) fn read_message(stream: &mut impl BufRead) -> io::Result<Option<(String, String, Vec<u8>)>> {
    let (mut first, mut head) = (String::new(), String::new());
    if stream.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line == "\r\n" {
            break;
        }
        let (name, value) = line.split_once(':').unwrap();
        head.push_str(&format!("{}:{}\n", name.to_lowercase(), value.trim_end()));
    }
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |text| text.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(Some((first, head, body)))
}
