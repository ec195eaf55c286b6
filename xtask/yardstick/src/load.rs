//! The floor: as little as can be done for a request.

use crate::options::Options;
use crate::spread::at;
use anyhow::{Context, Result, ensure};
use rustix::event::{Timespec, epoll};
use rustix::net::{RecvFlags, SendFlags};
use serde_json::json;
use std::collections::VecDeque;
use std::mem::MaybeUninit;
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// What every answer begins with.
const EXPECTED: &[u8] = b"HTTP/1.1 200";

struct Client {
    epoll: OwnedFd,
    sockets: Vec<TcpStream>,
    request: Vec<u8>,
    /// From when the request in hand counts, nanoseconds since the start; one for each socket.
    since: Vec<u64>,
    times: Times,
    errors: u64,
    begun: Instant,
}

/// Counts by microsecond up to a tenth of a second, so that memory stays flat; single values beyond.
struct Times {
    by_us: Vec<u32>,
    longer_us: Vec<f64>,
    count: u64,
}

impl Times {
    fn record(&mut self, ns: u64) {
        self.count += 1;
        match self.by_us.get_mut((ns / 1000) as usize) {
            Some(count) => *count += 1,
            None => self.longer_us.push(ns as f64 / 1e3),
        }
    }

    /// Milliseconds at a quantile.
    fn ms(&self, quantile: f64) -> f64 {
        let rank = ((quantile * self.count as f64).ceil() as u64).max(1);
        let mut below = 0;
        for (us, count) in self.by_us.iter().enumerate() {
            below += u64::from(*count);
            if below >= rank {
                return us as f64 / 1e3;
            }
        }
        let mut longer = self.longer_us.clone();
        longer.sort_by(f64::total_cmp);
        if longer.is_empty() { 0.0 } else { at(&longer, (rank - below) as f64 / longer.len() as f64) / 1e3 }
    }
}

/// Loads, and tells what was seen.
pub(crate) fn run(address: &str, options: &Options) -> Result<String> {
    let address = address.trim_start_matches("http://").trim_end_matches('/');
    let mut client = Client::connect(address, options.connections)?;
    let sent = match options.rate {
        None => client.closed(options)?,
        Some(rate) => client.open(options, rate)?,
    };
    ensure!(client.times.count > 0, "`{address}` answered nothing");
    let wall = client.begun.elapsed().as_secs_f64();
    let times = &client.times;
    Ok(json!({
        "requests": times.count, "sent": sent, "errors": client.errors, "seconds": wall,
        "p50_ms": times.ms(0.5), "p90_ms": times.ms(0.9), "p99_ms": times.ms(0.99), "p999_ms": times.ms(0.999),
        "max_ms": times.ms(1.0),
    })
    .to_string())
}

impl Client {
    fn connect(address: &str, connections: usize) -> Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        // As the engine does: waits end when they are asked to.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        let mut sockets = Vec::with_capacity(connections);
        for slot in 0..connections {
            let socket = TcpStream::connect(address).with_context(|| format!("`{address}` cannot be reached"))?;
            socket.set_nodelay(true)?;
            socket.set_nonblocking(true)?;
            let flags = epoll::EventFlags::IN | epoll::EventFlags::ET;
            epoll::add(&epoll, &socket, epoll::EventData::new_u64(slot as u64), flags)?;
            sockets.push(socket);
        }
        let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes();
        let times = Times { by_us: vec![0; 100_000], longer_us: Vec::new(), count: 0 };
        let since = vec![0; connections];
        Ok(Self { epoll, sockets, request, since, times, errors: 0, begun: Instant::now() })
    }

    fn now(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    fn send(&mut self, slot: usize, since: u64) -> Result<()> {
        self.since[slot] = since;
        let sent = rustix::net::send(&self.sockets[slot], &self.request, SendFlags::NOSIGNAL)?;
        ensure!(sent == self.request.len(), "the kernel took {sent} bytes of a request only");
        Ok(())
    }

    /// One reading; whether an answer came.
    fn receive(&mut self, slot: usize, buffer: &mut [u8]) -> Result<bool> {
        let length = match rustix::net::recv(&self.sockets[slot], &mut *buffer, RecvFlags::empty()) {
            Ok((length, _)) => length,
            Err(rustix::io::Errno::AGAIN) => return Ok(false),
            Err(error) => return Err(error).context("an answer cannot be read"),
        };
        ensure!(length > 0, "the server closed a connection");
        self.errors += u64::from(!buffer[..length].starts_with(EXPECTED));
        let took = self.now().saturating_sub(self.since[slot]);
        self.times.record(took);
        Ok(true)
    }

    /// Slots that are ready.
    fn wait(&self, events: &mut [MaybeUninit<epoll::Event>], until: u64, ready: &mut Vec<usize>) -> Result<()> {
        let left = until.saturating_sub(self.now());
        let timeout = Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as i64 };
        ready.clear();
        match epoll::wait(&self.epoll, events, Some(&timeout)) {
            Ok((events, _)) => ready.extend(events.iter().map(|event| event.data.u64() as usize)),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Asks on every connection as soon as its answer is there.
    fn closed(&mut self, options: &Options) -> Result<u64> {
        let end = Duration::from_secs(options.seconds).as_nanos() as u64;
        let (mut events, mut ready) = (vec![MaybeUninit::uninit(); 512], Vec::new());
        let mut buffer = vec![0; 65536];
        let mut sent = 0;
        for slot in 0..self.sockets.len() {
            self.send(slot, self.now())?;
            sent += 1;
        }
        while self.now() < end && self.times.count < options.count {
            self.wait(&mut events, end, &mut ready)?;
            for &slot in &ready {
                if self.receive(slot, &mut buffer)? {
                    self.send(slot, self.now())?;
                    sent += 1;
                }
            }
        }
        Ok(sent)
    }

    /// Asks by schedule; what finds no free connection waits, and its time counts from when it was due.
    fn open(&mut self, options: &Options, rate: u64) -> Result<u64> {
        let total = (options.seconds * rate).min(options.count);
        let end = Duration::from_secs(options.seconds + 5).as_nanos() as u64;
        let due = |number: u64| (u128::from(number) * 1_000_000_000 / u128::from(rate)) as u64;
        let (mut events, mut ready) = (vec![MaybeUninit::uninit(); 512], Vec::new());
        let mut buffer = vec![0; 65536];
        let mut free: Vec<usize> = (0..self.sockets.len()).rev().collect();
        let mut waiting: VecDeque<u64> = VecDeque::new();
        let mut next = 0;
        self.begun = Instant::now();
        while self.times.count < total && self.now() < end {
            let now = self.now();
            while next < total && due(next) <= now {
                waiting.push_back(due(next));
                next += 1;
            }
            while let (Some(&since), Some(&slot)) = (waiting.front(), free.last()) {
                waiting.pop_front();
                free.pop();
                self.send(slot, since)?;
            }
            let until = if next < total { due(next) } else { end };
            self.wait(&mut events, until, &mut ready)?;
            for &slot in &ready {
                if self.receive(slot, &mut buffer)? {
                    free.push(slot);
                }
            }
        }
        Ok(next)
    }
}
