//! Starts the real processes, and speaks with them: WebSockets by `tungstenite`, event streams on a plain socket.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use testkit::program::{PATIENCE, Process};
use tungstenite::http::Uri;
use tungstenite::{ClientRequestBuilder, Error, HandshakeError, Message, WebSocket};

pub(crate) const ECHO: &str = "/echo";
pub(crate) const ECHO_API: &str = "/echoapi/1.0.0";
pub(crate) const EVENTS_API: &str = "/sse/1.0.0/events";

/// A WebSocket of a test.
pub(crate) type Client = WebSocket<TcpStream>;

pub(crate) fn command(line: &str) -> Command {
    let mut command = testkit::program::command(env!("CARGO_BIN_EXE_system-streaming"), line);
    command.env_remove("STREAMING_TOKEN_KEY");
    command
}

/// Starts a service and waits until it says where it listens.
pub(crate) fn start(line: &str) -> Process {
    Process::from(command(line))
}

/// Both processes, and a token that the gateway takes.
pub(crate) struct System {
    pub(crate) backend: Process,
    pub(crate) gateway: Process,
    pub(crate) token: String,
}

impl System {
    /// Further flags for each process.
    pub(crate) fn with(backend: &str, gateway: &str) -> Self {
        let backend = start(&format!("backend {backend}"));
        let gateway = start(&format!("gateway --backend {} {gateway}", backend.address));
        Self { backend, gateway, token: tokens("--count 1").remove(0) }
    }

    pub(crate) fn echo(&self) -> Client {
        open(&self.gateway, ECHO_API, &self.token).unwrap()
    }

    pub(crate) fn events(&self, query: &str) -> Events {
        Events::open(&self.gateway, &format!("{EVENTS_API}{query}"), &self.token, "")
    }
}

/// Tokens as the command writes them.
pub(crate) fn tokens(flags: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("tokens.csv");
    assert!(command(&format!("tokens {flags} --csv {}", path.display())).status().unwrap().success());
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("token"));
    lines.map(str::to_owned).collect()
}

fn connect(process: &Process) -> TcpStream {
    let stream = TcpStream::connect(&process.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// Opens a WebSocket; or the status of the refusal.
pub(crate) fn open(process: &Process, path: &str, token: &str) -> Result<Client, u16> {
    let uri: Uri = format!("ws://{}{path}", process.address).parse().unwrap();
    let request = ClientRequestBuilder::new(uri).with_header("authorization", format!("Bearer {token}"));
    match tungstenite::client(request, connect(process)) {
        Ok((socket, _)) => Ok(socket),
        Err(HandshakeError::Failure(Error::Http(answer))) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

/// Sends a text and reads the next message, which must be text.
pub(crate) fn ask(client: &mut Client, text: &str) -> String {
    client.send(Message::text(text)).unwrap();
    hear(client)
}

/// The next message, which must be text.
pub(crate) fn hear(client: &mut Client) -> String {
    match client.read().unwrap() {
        Message::Text(text) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

/// What ends a WebSocket: the code of the closing frame, or `None` where it broke off.
pub(crate) fn end(client: &mut Client) -> Option<u16> {
    loop {
        match client.read() {
            Ok(Message::Close(frame)) => return Some(frame.map_or(1005, |frame| frame.code.into())),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}

/// One event, or a block of comments and the like.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: Option<u64>,
    pub(crate) data: String,
    pub(crate) retry: Option<u64>,
}

impl Event {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }

    pub(crate) fn number(&self) -> u64 {
        self.json()["n"].as_u64().unwrap()
    }
}

/// A reader of an event stream.
pub(crate) struct Events {
    stream: BufReader<TcpStream>,
    pub(crate) head: String,
    /// Bytes of chunks that no line has been made of.
    held: Vec<u8>,
}

impl Events {
    pub(crate) fn open(process: &Process, path: &str, token: &str, headers: &str) -> Self {
        let mut stream = connect(process);
        let request = format!("GET {path} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {token}\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let (mut stream, mut head) = (BufReader::new(stream), String::new());
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).unwrap() > 0, "{head}");
        }
        Self { stream, head: head.to_lowercase(), held: Vec::new() }
    }

    pub(crate) fn status(&self) -> u16 {
        self.head.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// The next chunk; `Ok(None)` is the proper end of the body.
    fn chunk(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        let mut size = String::new();
        if self.stream.read_line(&mut size)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let mut chunk = vec![0; usize::from_str_radix(size.trim(), 16).unwrap() + 2];
        self.stream.read_exact(&mut chunk)?;
        chunk.truncate(chunk.len() - 2);
        Ok((!chunk.is_empty()).then_some(chunk))
    }

    /// The next block; `Ok(None)` is the proper end.
    pub(crate) fn try_next(&mut self) -> std::io::Result<Option<Event>> {
        loop {
            if let Some(at) = self.held.windows(2).position(|two| two == b"\n\n") {
                let block = String::from_utf8(self.held.drain(..at + 2).collect()).unwrap();
                let mut event = Event::default();
                for line in block.lines() {
                    match line.split_once(": ") {
                        Some(("id", id)) => event.id = id.parse().ok(),
                        Some(("data", data)) => event.data.push_str(data),
                        Some(("retry", time)) => event.retry = time.parse().ok(),
                        _ => assert!(line.is_empty() || line.starts_with(':'), "{line:?}"),
                    }
                }
                return Ok(Some(event));
            }
            match self.chunk()? {
                Some(chunk) => self.held.extend(chunk),
                None => return Ok(None),
            }
        }
    }

    /// So many events, without what lies between.
    pub(crate) fn take(&mut self, count: usize) -> Vec<Event> {
        let next = || self.try_next().unwrap().expect("the stream ended");
        std::iter::repeat_with(next).filter(|event| !event.data.is_empty()).take(count).collect()
    }
}

/// Opens a WebSocket by hand, with further header lines: the connection, and the head of its answer.
pub(crate) fn opened_by_hand(process: &Process, path: &str, headers: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(&process.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: test\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n\
         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    (stream, head)
}
