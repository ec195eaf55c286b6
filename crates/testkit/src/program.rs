//! Programs of this repository as tests start them: asked over HTTP/1.1 on plain sockets, signalled, waited for, and gone
//! with the test.

use clock::Clock;
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use terms::Nanos;

/// Nothing here takes so long on any machine; a test that hangs should fail instead.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// What the pipeline tells the processes that it starts.
const OF_A_RUN: [&str; 3] = ["LOADPROOF_NONCE", "LOADPROOF_INSTANCE", "LOADPROOF_PARENT_PID"];

/// The command for a program with flags, free of a run that may be around the test.
pub fn command(program: impl AsRef<Path>, flags: &str) -> Command {
    let mut command = Command::new(program.as_ref());
    command.args(flags.split_whitespace());
    OF_A_RUN.iter().for_each(|variable| _ = command.env_remove(variable));
    command
}

/// A program of another crate, which stands in the folder above that of the tests; panics with what to type if it is not
/// built.
pub fn beside(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let found = tests.ancestors().nth(2).unwrap().join(name);
    assert!(found.exists(), "{} is not built; type `cargo build -p {name}` first, or `make test`", found.display());
    found
}

/// A running program that serves; killed when dropped.
pub struct Process {
    /// The process, with its standard input.
    pub child: Child,
    /// Where it listens, as it said.
    pub address: String,
    /// What else it said is ready, such as the address of a database.
    url: String,
    /// A folder that is its own.
    _folder: Option<TempDir>,
}

impl From<Command> for Process {
    /// Starts it and waits until it says where it listens.
    fn from(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let address = listening(&mut child);
        Self { child, address, url: String::new(), _folder: None }
    }
}

/// The first line that it prints.
fn listening(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on ");
    address.unwrap_or_else(|| panic!("printed {line:?}; its words are above")).to_owned()
}

impl Process {
    /// Starts the supervisor of a server and waits until that is ready.
    pub fn supervising(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
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
        std::thread::spawn(move || io::copy(&mut errors, &mut io::sink()));
        Self { address: listening(&mut child), child, url, _folder: None }
    }

    /// The same, with a folder that goes when the process has gone.
    #[must_use]
    pub fn with(self, folder: TempDir) -> Self {
        // A process that is dropped is killed, so its fields cannot be moved out of it one by one.
        let mut process = self;
        process._folder = Some(folder);
        process
    }

    /// How a client connects to the server of a supervisor.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Its process, or that of the supervisor.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The server's process that runs now, as its supervisor tells it.
    pub fn server_pid(&self) -> u64 {
        self.json("/version")["server_pid"].as_u64().unwrap()
    }

    /// Where the server of a supervisor keeps its data.
    pub fn data(&self) -> PathBuf {
        PathBuf::from(self.json("/version")["data"].as_str().unwrap())
    }

    /// What it answers to a GET.
    pub fn get(&self, path: &str) -> Answer {
        self.call("GET", path, &[], "")
    }

    /// The JSON that it answers to a GET.
    pub fn json(&self, path: &str) -> Value {
        self.get(path).json()
    }

    /// One call on a connection of its own.
    pub fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Answer {
        self.try_call(method, path, headers, body).unwrap()
    }

    /// The same.
    ///
    /// # Errors
    /// What broke on the way.
    pub fn try_call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> io::Result<Answer> {
        Link::open(&self.address)?.call(method, path, headers, body)
    }

    /// What it has counted.
    pub fn counters(&self) -> Value {
        self.json("/counters")
    }

    /// Asks again until the counters are so.
    pub fn counters_until(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        let mut counters = Value::Null;
        wait_until("the counters", || {
            counters = self.counters();
            is_so(&counters)
        });
        counters
    }

    /// Sends it a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        signal(self.pid().into(), name);
    }

    /// Waits for its end.
    pub fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the process to end", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    /// Its resident memory in bytes.
    pub fn resident_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
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

/// Sends a signal to a process.
pub fn signal(pid: u64, name: &str) {
    assert!(Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status().unwrap().success());
}

/// Whether a process runs; one that has ended and was not waited for does not.
pub fn lives(pid: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Waits until none of these processes runs and the data is gone.
pub fn wait_until_gone(pids: &[u64], data: &Path) {
    wait_until(&format!("the end of {pids:?} and `{}`", data.display()), || {
        !pids.iter().any(|pid| lives(*pid)) && !data.exists()
    });
}

/// Asks again until it is so; panics after [`PATIENCE`].
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let clock = Clock::system();
    let until = clock.now() + Nanos::from_secs(PATIENCE.as_secs() as i64);
    while !is_so() {
        assert!(clock.now() < until, "waited in vain for {what}");
        clock.sleep_until(clock.now() + Nanos::from_millis(5));
    }
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// A line for each header, with the name in small letters.
    pub head: String,
    /// Its body, which must be text.
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// A header by its name in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// A connection to a program under test.
pub struct Link {
    stream: BufReader<TcpStream>,
}

impl Link {
    /// Connects.
    ///
    /// # Errors
    /// Nobody listens there.
    pub fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends a request, with the body's length unless the headers have one.
    ///
    /// # Errors
    /// The connection broke.
    pub fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> io::Result<()> {
        let body = body.as_ref();
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

    /// Sends a request and reads its answer.
    ///
    /// # Errors
    /// The connection broke.
    pub fn call(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> io::Result<Answer> {
        self.send(method, path, headers, body)?;
        self.receive()
    }

    /// Reads one answer; without a declared length it has no body.
    ///
    /// # Errors
    /// The connection broke.
    pub fn receive(&mut self) -> io::Result<Answer> {
        let (first, head, body) = read_message(&mut self.stream)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let status = first.split(' ').nth(1).unwrap().parse().unwrap();
        Ok(Answer { status, head, body: String::from_utf8(body).unwrap() })
    }
}

/// First line, headers with names in small letters, and body; `None` at the end of the connection.
///
/// # Errors
/// The connection broke, or ended within a message.
pub fn read_message(stream: &mut impl BufRead) -> io::Result<Option<(String, String, Vec<u8>)>> {
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
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |text| text.parse().unwrap())];
    stream.read_exact(&mut body)?;
    Ok(Some((first, head, body)))
}
