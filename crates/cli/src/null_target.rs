//! A target that does nothing but answer every request at once. What a load reaches against it is the
//! generator's own limit, or this target's, whichever is less.

use rustix::event::{Timespec, epoll};
use std::io::{ErrorKind, Read, Write};
use std::mem::MaybeUninit;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const END: &[u8; 4] = b"\r\n\r\n";
/// A stop is seen within this time.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
const LISTENER: u64 = u64::MAX;
/// Events taken at once.
const EVENTS: usize = 256;
/// Read at once: what 64 connections send is a few kilobytes.
const READ_BYTES: usize = 16 * 1024;

/// The target, until it is dropped.
pub(crate) struct NullTarget {
    pub(crate) address: SocketAddr,
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl NullTarget {
    /// Listens on a free port of 127.0.0.1 and answers with so many threads.
    pub(crate) fn start(threads: u16) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let mut target = Self { address: listener.local_addr()?, is_over: Arc::default(), threads: Vec::new() };
        for number in 0..threads {
            let (listener, is_over) = (listener.try_clone()?, target.is_over.clone());
            // A thread that cannot serve shows in the load that nobody answers.
            let serve = move || {
                let Ok(mut server) = Server::new(listener) else { return };
                while !is_over.load(Ordering::Relaxed) && server.turn().is_ok() {}
            };
            target.threads.push(std::thread::Builder::new().name(format!("null-{number}")).spawn(serve)?);
        }
        Ok(target)
    }
}

impl Drop for NullTarget {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // One that failed shows in the load it did not answer.
            let _ = thread.join();
        }
    }
}

struct Server {
    listener: TcpListener,
    epoll: OwnedFd,
    events: Vec<MaybeUninit<epoll::Event>>,
    connections: Vec<Option<Connection>>,
    scratch: Vec<u8>,
}

struct Connection {
    stream: TcpStream,
    /// Bytes of the end of a head that were the last to come.
    matched: usize,
}

impl Server {
    fn new(listener: TcpListener) -> std::io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let flags = epoll::EventFlags::IN | epoll::EventFlags::EXCLUSIVE;
        epoll::add(&epoll, &listener, epoll::EventData::new_u64(LISTENER), flags)?;
        let events = vec![MaybeUninit::uninit(); EVENTS];
        Ok(Self { listener, epoll, events, connections: Vec::new(), scratch: vec![0; READ_BYTES] })
    }

    /// Waits, and serves what is ready.
    fn turn(&mut self) -> std::io::Result<()> {
        let ready: Vec<u64> = match epoll::wait(&self.epoll, &mut self.events[..], Some(&PATIENCE)) {
            Ok((events, _)) => events.iter().map(|event| event.data.u64()).collect(),
            Err(rustix::io::Errno::INTR) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        for token in ready {
            if token == LISTENER {
                self.accept();
                continue;
            }
            let Some(place) = self.connections.get_mut(token as usize) else { continue };
            if place.as_mut().is_some_and(|connection| !connection.answer(&mut self.scratch)) {
                *place = None;
            }
        }
        Ok(())
    }

    fn accept(&mut self) {
        // A connection that cannot be taken is seen by the one who asked for it.
        while let Ok((stream, _)) = self.listener.accept() {
            let free = self.connections.iter().position(Option::is_none).unwrap_or(self.connections.len());
            let is_ready = stream.set_nonblocking(true).is_ok() && stream.set_nodelay(true).is_ok();
            let data = epoll::EventData::new_u64(free as u64);
            if !is_ready || epoll::add(&self.epoll, &stream, data, epoll::EventFlags::IN).is_err() {
                continue;
            }
            if free == self.connections.len() {
                self.connections.push(None);
            }
            self.connections[free] = Some(Connection { stream, matched: 0 });
        }
    }
}

impl Connection {
    /// Answers every request whose head has ended; `false` when the connection is over.
    fn answer(&mut self, scratch: &mut [u8]) -> bool {
        let count = match self.stream.read(scratch) {
            Ok(0) => return false,
            Ok(count) => count,
            Err(error) => return matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        };
        let requests = ends(&scratch[..count], &mut self.matched);
        // Who asks faster than it reads is let go: a generator that waits for its answers never does.
        (0..requests).all(|_| self.stream.write(ANSWER).is_ok_and(|sent| sent == ANSWER.len()))
    }
}

/// How many heads end in these bytes; `matched` goes on from the bytes before.
fn ends(bytes: &[u8], matched: &mut usize) -> usize {
    let mut count = 0;
    for &byte in bytes {
        *matched = match byte {
            byte if byte == END[*matched] => *matched + 1,
            b'\r' => 1,
            _ => 0,
        };
        if *matched == END.len() {
            *matched = 0;
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_counted_however_they_are_cut() {
        let text = b"GET / HTTP/1.1\r\nA: b\r\n\r\nGET / HTTP/1.1\r\n\r\nGET /";
        for size in 1..text.len() {
            let mut matched = 0;
            assert_eq!(text.chunks(size).map(|piece| ends(piece, &mut matched)).sum::<usize>(), 2, "{size}");
        }
    }

    #[test]
    fn every_request_has_its_answer() {
        let target = NullTarget::start(2).unwrap();
        for _ in 0..3 {
            let mut stream = TcpStream::connect(target.address).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n").unwrap();
            let mut answers = vec![0; 2 * ANSWER.len()];
            stream.read_exact(&mut answers).unwrap();
            assert_eq!(answers, [ANSWER, ANSWER].concat());
        }
    }
}
