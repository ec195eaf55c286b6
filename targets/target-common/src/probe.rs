//! For tests: starts a target, speaks raw HTTP to it, ends it.
//!
//! Blocking and plain on purpose; bounded in time, so that a broken target fails a test instead of hanging it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::sequence::{Entry, parse_csv};

/// How long a read may take before a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// The largest answer that is read: a full `/sequence`.
const MAX_ANSWER: usize = 256 * 1024 * 1024;

/// A running target; ended when dropped.
pub struct Target {
    child: Child,
    address: SocketAddr,
}

impl Target {
    /// Starts `program` with `flags`, as a child that ends with this process, and waits until it listens.
    ///
    /// # Errors
    /// It cannot be started, or its first line does not say where it listens.
    pub fn start(program: impl AsRef<Path>, flags: &[&str]) -> io::Result<Target> {
        let mut child = Command::new(program.as_ref())
            .args(flags)
            .env("LOADPROOF_PARENT_PID", std::process::id().to_string())
            .stdout(Stdio::piped())
            .spawn()?;
        let address = child.stdout.take().and_then(|stdout| {
            let mut line = String::new();
            BufReader::new(stdout).read_line(&mut line).ok()?;
            line.trim_end().strip_prefix("listening on ")?.parse().ok()
        });
        match address {
            Some(address) => Ok(Target { child, address }),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                Err(io::Error::other("the target did not say `listening on ADDRESS`"))
            }
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The process itself, to wait for its end.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// A new connection.
    ///
    /// # Errors
    /// The connection is refused.
    pub fn connect(&self) -> io::Result<Client> {
        Client::connect(self.address)
    }

    /// The body of `GET path`, on a connection of its own.
    ///
    /// # Errors
    /// The request fails, or the body is not UTF-8.
    pub fn get(&self, path: &str) -> io::Result<String> {
        let reply = self.connect()?.get(path)?;
        String::from_utf8(reply.body).map_err(io::Error::other)
    }

    /// One number out of `/counters`.
    ///
    /// # Errors
    /// The request fails, or there is no such counter.
    pub fn counter(&self, name: &str) -> io::Result<u64> {
        let text = self.get("/counters")?;
        let after = text.split(&format!("\"{name}\":")).nth(1);
        let digits = after.map(|after| after.chars().take_while(char::is_ascii_digit).collect::<String>());
        let value = digits.and_then(|digits| digits.parse().ok());
        value.ok_or_else(|| io::Error::other(format!("`/counters` has no number `{name}`: {text}")))
    }

    /// The entries of `/sequence`, by number.
    ///
    /// # Errors
    /// The request fails.
    pub fn sequence(&self) -> io::Result<Vec<Entry>> {
        Ok(parse_csv(&self.get("/sequence")?))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One answer, or one interim answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body, chunks joined.
    pub body: Vec<u8>,
}

impl Reply {
    /// The first value of the header `name` (in lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

/// A connection that speaks raw bytes, over TCP or over anything that reads and writes.
pub struct Client<S: Read + Write = TcpStream> {
    stream: S,
    buffer: Vec<u8>,
}

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// The connection is refused.
    pub fn connect(address: SocketAddr) -> io::Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Client::over(stream))
    }
}

impl<S: Read + Write> Client<S> {
    /// Speaks over `stream`.
    pub fn over(stream: S) -> Client<S> {
        Client { stream, buffer: Vec::new() }
    }

    /// The stream below.
    pub fn stream(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// The connection ended.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref())?;
        self.stream.flush()
    }

    /// Sends `GET path` and reads the answer.
    ///
    /// # Errors
    /// The connection ended, or the answer is malformed.
    pub fn get(&mut self, path: &str) -> io::Result<Reply> {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"))?;
        self.reply(false)
    }

    /// Sends `POST path` with `body` and reads the answer.
    ///
    /// # Errors
    /// The connection ended, or the answer is malformed.
    pub fn post(&mut self, path: &str, body: &[u8]) -> io::Result<Reply> {
        let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", body.len());
        self.send([head.as_bytes(), body].concat())?;
        self.reply(false)
    }

    /// Reads one answer; `head_only` for the answer to a `HEAD`.
    ///
    /// # Errors
    /// The connection ended before the answer did, or the answer is malformed.
    pub fn reply(&mut self, head_only: bool) -> io::Result<Reply> {
        let (status, headers) = self.head()?;
        let mut reply = Reply { status, headers, body: Vec::new() };
        if head_only || status < 200 {
            return Ok(reply);
        }
        if reply.header("transfer-encoding") == Some("chunked") {
            reply.body = self.chunks()?;
        } else {
            let length = reply.header("content-length").and_then(|text| text.parse().ok());
            reply.body = self.take(length.ok_or_else(|| malformed("no length"))?)?;
        }
        Ok(reply)
    }

    /// All bytes until the server ends the connection.
    ///
    /// # Errors
    /// A reset is an error, an orderly end is not.
    pub fn rest(&mut self) -> io::Result<Vec<u8>> {
        while self.fill()? {}
        Ok(std::mem::take(&mut self.buffer))
    }

    fn head(&mut self) -> io::Result<(u16, Vec<(String, String)>)> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; 32];
            let mut response = httparse::Response::new(&mut headers);
            if let httparse::Status::Complete(length) = response.parse(&self.buffer).map_err(io::Error::other)? {
                let status = response.code.unwrap_or_default();
                let headers = response.headers.iter().map(|header| {
                    (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned())
                });
                let headers = headers.collect();
                self.buffer.drain(..length);
                return Ok((status, headers));
            }
            self.fill_or_fail()?;
        }
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let size = usize::from_str_radix(line.trim_end(), 16).map_err(|_| malformed("a chunk without size"))?;
            body.extend(self.take(size)?);
            let end = self.line()?;
            if end != "\r\n" {
                return Err(malformed("a chunk without end"));
            }
            if size == 0 {
                return Ok(body);
            }
        }
    }

    fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).into_owned());
            }
            self.fill_or_fail()?;
        }
    }

    fn take(&mut self, count: usize) -> io::Result<Vec<u8>> {
        while self.buffer.len() < count {
            self.fill_or_fail()?;
        }
        Ok(self.buffer.drain(..count).collect())
    }

    fn fill_or_fail(&mut self) -> io::Result<()> {
        if self.fill()? { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Reads more; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        let mut piece = [0; 16 * 1024];
        let count = self.stream.read(&mut piece)?;
        self.buffer.extend_from_slice(&piece[..count]);
        if self.buffer.len() > MAX_ANSWER {
            return Err(malformed("an answer without end"));
        }
        Ok(count > 0)
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::other(format!("the answer is malformed: {what}"))
}
