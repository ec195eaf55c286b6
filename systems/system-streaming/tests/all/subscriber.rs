//! A subscriber of plain sockets, or of TLS, and what asks a hub.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use testkit::program::{PATIENCE, Process};

use crate::support::start;

/// One request, as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    fn read(stream: &mut impl BufRead) -> Option<Self> {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let mut headers = Vec::new();
        loop {
            let mut header = String::new();
            stream.read_line(&mut header).ok().filter(|count| *count > 0)?;
            let Some((name, value)) = header.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
        stream.read_exact(&mut body).ok()?;
        Some(Self { line: line.trim_end().to_owned(), headers, body })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let query = self.line.split(' ').nth(1)?.split_once('?')?.1;
        query.split('&').find_map(|field| field.strip_prefix(name)?.strip_prefix('='))
    }
}

/// A subscriber who confirms every question and answers content with what `status` makes of its number.
pub(crate) struct Subscriber {
    address: String,
    scheme: &'static str,
    requests: Receiver<Request>,
}

/// What a subscriber reads from and writes to.
trait Wire: Read + Write + Send {}
impl<T: Read + Write + Send> Wire for T {}

impl Subscriber {
    pub(crate) fn new(status: impl Fn(usize) -> u16 + Send + Sync + Copy + 'static) -> Self {
        Self::over(None, status)
    }

    /// The same over TLS, if there is what it needs.
    pub(crate) fn over(
        tls: Option<Arc<ServerConfig>>,
        status: impl Fn(usize) -> u16 + Send + Sync + Copy + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let (sender, requests) = channel();
        let contents = Arc::new(AtomicUsize::new(0));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (sender, contents, tls) = (sender.clone(), contents.clone(), tls.clone());
                let stream = stream.unwrap();
                std::thread::spawn(move || {
                    let wire: Box<dyn Wire> = match tls {
                        None => Box::new(stream),
                        Some(tls) => Box::new(StreamOwned::new(ServerConnection::new(tls).unwrap(), stream)),
                    };
                    let mut stream = BufReader::new(wire);
                    while let Some(request) = Request::read(&mut stream) {
                        let challenge = request.field("hub.challenge").unwrap_or_default().to_owned();
                        let status = match request.line.starts_with("GET ") {
                            true => 200,
                            false => status(contents.fetch_add(1, Relaxed)),
                        };
                        let answer =
                            format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{challenge}", challenge.len());
                        if sender.send(request).is_err() || stream.get_mut().write_all(answer.as_bytes()).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        Self { address, scheme, requests }
    }

    pub(crate) fn next(&self) -> Request {
        self.requests.recv_timeout(PATIENCE).unwrap()
    }

    pub(crate) fn nothing_comes(&self) -> bool {
        self.requests.recv_timeout(Duration::from_millis(300)).is_err()
    }

    pub(crate) fn form(&self, mode: &str, more: &str) -> String {
        let (scheme, address) = (self.scheme, &self.address);
        format!("hub.mode={mode}&hub.topic=orders&hub.callback={scheme}%3A%2F%2F{address}%2Fc%3Fa%3D1{more}")
    }
}

/// A POST; status and body.
pub(crate) fn post(address: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).unwrap().parse().unwrap();
    (status, text.split_once("\r\n\r\n").unwrap().1.to_owned())
}

/// A hub with these flags, and the folder of its store.
pub(crate) fn hub(flags: &str) -> (Process, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (start(&line(&folder, flags)), folder)
}

pub(crate) fn line(folder: &tempfile::TempDir, flags: &str) -> String {
    format!("hub --store sqlite://{} {flags}", folder.path().join("hub.db").display())
}

/// Subscribes, and waits until the hub counts it.
pub(crate) fn subscribe(hub: &Process, subscriber: &Subscriber, more: &str) -> Request {
    let form = subscriber.form("subscribe", more);
    assert_eq!(post(&hub.address, "/hub", "", &form).0, 202);
    let question = subscriber.next();
    hub.counters_until(|counters| counters["subscriptions"]["pending"] == 0);
    question
}

pub(crate) fn publish(hub: &Process, content: &str) {
    let (status, body) =
        post(&hub.address, "/hub?hub.mode=publish&hub.topic=orders", "Content-Type: text/x\r\n", content);
    assert_eq!(status, 202, "{body}");
}
