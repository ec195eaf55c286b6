//! A plain reader of what the page's server sends: without a browser, and never cut.

use super::frames::Sent;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Until the page is served.
const STARTING: Duration = Duration::from_secs(30);
/// Between two tries.
const AGAIN: Duration = Duration::from_millis(20);

/// What it has read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Read {
    /// Events, of any kind.
    pub(crate) events: u64,
    pub(super) sent: Sent,
    /// Why it reads nothing more, or never did.
    pub(super) end: Option<String>,
}

/// Reads server-sent events in a thread of its own, from the first on.
pub(crate) struct Witness(Arc<Mutex<Read>>);

impl Witness {
    /// Begins to, as soon as something listens at that address.
    pub(crate) fn start(address: SocketAddr) -> Self {
        let read = Arc::new(Mutex::default());
        let own = Self(Arc::clone(&read));
        std::thread::spawn(move || {
            let end =
                own.follow(address).err().map_or_else(|| "the server has ended".to_owned(), |why| why.to_string());
            own.read().end = Some(end);
        });
        Self(read)
    }

    /// What it has read so far.
    pub(crate) fn read(&self) -> MutexGuard<'_, Read> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn follow(&self, address: SocketAddr) -> std::io::Result<()> {
        let mut stream = connect(address)?;
        // In the older version an answer has no chunks, so that lines are lines.
        write!(stream, "GET /events?from=0 HTTP/1.0\r\nHost: {address}\r\n\r\n")?;
        let mut kind = String::new();
        for line in BufReader::new(stream).lines() {
            self.hear(&line?, &mut kind);
        }
        Ok(())
    }

    fn hear(&self, line: &str, kind: &mut String) {
        if let Some(named) = line.strip_prefix("event: ") {
            named.clone_into(kind);
        } else if let Some(data) = line.strip_prefix("data: ") {
            let mut read = self.read();
            read.events += 1;
            if let ("second" | "merged", Ok(frame)) = (kind.as_str(), serde_json::from_str::<Value>(data)) {
                read.sent.add(frame);
            }
        }
    }
}

fn connect(address: SocketAddr) -> std::io::Result<TcpStream> {
    let began = Instant::now();
    loop {
        match TcpStream::connect(address) {
            Err(_) if began.elapsed() < STARTING => std::thread::sleep(AGAIN),
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn spans_are_taken_out_of_what_is_sent() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let witness = Witness::start(listener.local_addr().unwrap());
        let (stream, _) = listener.accept().unwrap();
        let mut asked = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        asked.read_line(&mut line).unwrap();
        assert_eq!(line, "GET /events?from=0 HTTP/1.0\r\n");
        while line != "\r\n" {
            line.clear();
            asked.read_line(&mut line).unwrap();
        }
        let text = "HTTP/1.0 200 OK\r\n\r\nevent: about\ndata: {}\n\n: alive\n\n\
                    event: second\nid: 4\ndata: {\"s\":4,\"n\":1}\n\nevent: merged\ndata: {\"s\":0,\"n\":10}\n\n\
                    event: second\nid: 4\ndata: {\"s\":4,\"n\":1}\n\n";
        (&stream).write_all(text.as_bytes()).unwrap();
        drop((stream, asked));
        while witness.read().end.is_none() {
            std::thread::sleep(AGAIN);
        }
        let read = witness.read().clone();
        assert_eq!((read.events, read.sent.newest(), read.sent.twice), (4, Some(4), vec![4]));
    }
}
