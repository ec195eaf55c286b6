//! A receiver of metrics that takes everything at once: reads each request to its end, and answers.

use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Longest body; a second of a study has less.
const BODY_MAX: usize = 16 * 1024 * 1024;
/// An empty body is an answer of OTLP, and of remote write.
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";

/// Listens in threads of its own, as long as this program runs.
pub(super) struct Sink {
    address: SocketAddr,
    taken: Arc<AtomicU64>,
}

impl Sink {
    /// Begins to.
    ///
    /// # Errors
    /// No port is free.
    pub(super) fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("no port is free")?;
        let (address, taken) = (listener.local_addr()?, Arc::new(AtomicU64::new(0)));
        let own = Arc::clone(&taken);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let taken = Arc::clone(&own);
                // Whoever leaves in the middle of a request has sent none.
                std::thread::spawn(move || take(stream, &taken).unwrap_or_default());
            }
        });
        Ok(Self { address, taken })
    }

    /// Where it listens.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Requests so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}

fn take(mut stream: TcpStream, taken: &AtomicU64) -> std::io::Result<()> {
    let mut asked = BufReader::new(stream.try_clone()?);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if asked.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(said) = line.strip_prefix("content-length:") {
                length = said.trim().parse::<usize>().unwrap_or_default().min(BODY_MAX);
            }
        }
        asked.read_exact(&mut vec![0; length])?;
        taken.fetch_add(1, Ordering::Relaxed);
        stream.write_all(ANSWER)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_taken_whole_and_answered_one_by_one() {
        let sink = Sink::start().unwrap();
        let mut stream = TcpStream::connect(sink.address()).unwrap();
        for number in 1..=3 {
            stream.write_all(b"POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nGET ").unwrap();
            let mut answer = vec![0; ANSWER.len()];
            stream.read_exact(&mut answer).unwrap();
            assert_eq!((answer.as_slice(), sink.taken()), (ANSWER, number));
        }
    }
}
