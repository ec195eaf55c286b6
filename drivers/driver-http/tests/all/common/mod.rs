//! A session driven as the engine drives it, by edge-triggered epoll and a deadline, and servers that misbehave.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

pub mod crowd;
pub mod http2;

use clock::Clock;
use contract::recorder::{Attach, ExchangeLayout, Layout, NoteRow, Shared};
use contract::{
    Bench, Cancel, Capture, Check, Compare, Driver, DriverKind, Failure, Interest, Mistake, Mistakes, Name, Names,
    Node, Piece, Place, Probe, Recorder, Session, Settings, Shape, Slot, Table, Task, Template,
};
use driver_http::HTTP;
use rustix::event::epoll;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use terms::{Nanos, Outcome};

/// Names that studies of these tests may use.
struct Known;

impl Names for Known {
    fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
        Ok(Name::Slot(match name {
            "serial" => Piece::Serial,
            "row.value" => Piece::Column { table: 0, column: 0 },
            "token" => Piece::Capture(0),
            other => return Err(Mistake::at(place, "study::unknown-name", format!("`{other}` is not known"))),
        }))
    }
}

pub fn text(word: impl Into<String>) -> Node {
    Node::text_at(Place::default(), word)
}

pub fn map(entries: &[(&str, Node)]) -> Node {
    let entries = entries.iter().map(|(key, value)| (text(*key), value.clone())).collect();
    Node { place: Place::default(), shape: Shape::Map(entries) }
}

/// A check as the study would have written it.
pub fn check(probe: Probe, compare: Compare, expected: &str) -> Check {
    let expected = Template::compile(expected, Place::default(), &Known).unwrap();
    Check { text: format!("{probe:?} {compare:?}"), probe, compare, expected, place: Place::default() }
}

pub fn status_is(status: &str) -> Check {
    check(Probe::Status, Compare::Equal, status)
}

pub fn capture(probe: Probe) -> Capture {
    Capture { name: "token".into(), slot: 0, probe, place: Place::default() }
}

/// An exchange with nothing but its URL.
pub fn exchange(operation: &str, url: impl Into<String>) -> Settings {
    with(operation, url, &[])
}

/// An exchange with its URL and further settings.
pub fn with(operation: &str, url: impl Into<String>, more: &[(&str, Node)]) -> Settings {
    let mut entries = vec![("url", text(url))];
    entries.extend_from_slice(more);
    Settings {
        exchange: "x".into(),
        number: 0,
        operation: operation.into(),
        node: map(&entries),
        checks: Vec::new(),
        captures: Vec::new(),
        timeout: Nanos::SECOND,
        reuse: true,
        within: Default::default(),
    }
}

/// How an exchange ended, and what the books say of it.
#[derive(Debug, PartialEq)]
pub struct Seen {
    pub outcome: Outcome,
    pub bytes: u64,
    pub note: String,
    /// Connections asked for, connections found closed, answers with surplus.
    pub counts: [i64; 3],
}

struct Epoll(Rc<OwnedFd>);

impl Attach for Epoll {
    fn attach(&mut self, slot: u32, socket: BorrowedFd<'_>) -> Result<(), Failure> {
        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        epoll::add(&*self.0, socket, epoll::EventData::new_u64(slot.into()), flags)
            .map_err(|error| Failure::new(error.to_string()))
    }
}

/// Refuses to watch anything.
pub struct Blind;

impl Attach for Blind {
    fn attach(&mut self, _: u32, _: BorrowedFd<'_>) -> Result<(), Failure> {
        Err(Failure::new("no more"))
    }
}

/// One session of the driver, with its recorder and the loop that waits for it.
pub struct Lab {
    pub clock: Clock,
    pub recorder: Recorder,
    pub session: Box<dyn Session>,
    driver: Box<dyn Driver>,
    epoll: Rc<OwnedFd>,
    events: Vec<epoll::Event>,
    serial: u64,
    /// Longest time of an exchange.
    pub deadline: Nanos,
    /// All counters of the last exchange.
    counters: Vec<i64>,
}

/// Builds the driver as the engine does.
pub fn build(exchanges: &[Settings], base: &Path) -> Result<(Box<dyn Driver>, Vec<Template>), Mistakes> {
    build_kind(HTTP, exchanges, base)
}

pub fn build_kind(
    kind: DriverKind,
    exchanges: &[Settings],
    base: &Path,
) -> Result<(Box<dyn Driver>, Vec<Template>), Mistakes> {
    let mut bench = Bench::new(&Known, base);
    let driver = (kind.build)(exchanges, &mut bench)?;
    Ok((driver, bench.into_templates()))
}

impl Lab {
    pub fn new(exchanges: &[Settings]) -> Self {
        Self::with(exchanges, &[], Path::new("."), None, Clock::system())
    }

    /// `values` are the rows of `$(row.value)`.
    pub fn with(
        exchanges: &[Settings],
        values: &[&[u8]],
        base: &Path,
        attach: Option<Box<dyn Attach>>,
        clock: Clock,
    ) -> Self {
        Self::of(HTTP, exchanges, values, base, attach, clock)
    }

    /// Exchanges of one of the drivers.
    pub fn of(
        kind: DriverKind,
        exchanges: &[Settings],
        values: &[&[u8]],
        base: &Path,
        attach: Option<Box<dyn Attach>>,
        clock: Clock,
    ) -> Self {
        let numbered = |(number, settings): (usize, &Settings)| Settings { number: number as u16, ..settings.clone() };
        let exchanges: Vec<_> = exchanges.iter().enumerate().map(numbered).collect();
        let (mut driver, templates) = build_kind(kind, &exchanges, base).unwrap();
        driver.set_up().unwrap();
        let session = driver.session(Slot { number: 0, user: 0 });
        let mut table = Table::new("row", vec!["value".into()]);
        values.iter().for_each(|value| table.push(std::iter::once(*value)));
        let shared = Shared { templates, tables: vec![Arc::new(table)], captures: 1, ..Shared::default() };
        let layout = |settings: &Settings| {
            let kind = kind.exchanges.iter().find(|kind| kind.name == settings.operation).unwrap();
            ExchangeLayout { legs: kind.legs, thresholds: Vec::new() }
        };
        let layout = Arc::new(Layout::new(exchanges.iter().map(layout).collect()));
        let epoll = Rc::new(epoll::create(epoll::CreateFlags::CLOEXEC).unwrap());
        let attach = attach.unwrap_or_else(|| Box::new(Epoll(epoll.clone())));
        let mut recorder = Recorder::new(clock.clone(), Arc::new(shared), layout, attach);
        recorder.add_slot(0);
        recorder.set_period(0, 0);
        recorder.enter(0);
        let events = Vec::with_capacity(16);
        Self {
            clock,
            recorder,
            session,
            driver,
            epoll,
            events,
            serial: 0,
            deadline: Nanos::from_secs(20),
            counters: Vec::new(),
        }
    }

    /// A counter of the last exchange, by its name.
    pub fn counted(&self, name: &str) -> i64 {
        let index = HTTP.counters.iter().position(|counter| *counter == name).unwrap();
        self.counters.get(index).copied().unwrap_or_default()
    }

    /// What the driver has to tell since the last call.
    pub fn notices(&self) -> Vec<contract::Notice> {
        self.driver.notices()
    }

    /// Carries out one exchange.
    pub fn run(&mut self, exchange: u16) -> Seen {
        let outcome = self.carry_out(exchange);
        let batch = self.recorder.drain();
        let counts = [0, 1, 2].map(|index| batch.counters.get(index).copied().unwrap_or_default());
        self.counters.clone_from(&batch.counters);
        let folded = batch.fold();
        let note = folded.notes.iter().map(|NoteRow { text, .. }| text.as_str()).collect::<Vec<_>>().join(" | ");
        Seen { outcome, bytes: folded.legs.iter().map(|leg| leg.bytes).sum(), note, counts }
    }

    /// Carries out one exchange and leaves the books alone.
    pub fn carry_out(&mut self, exchange: u16) -> Outcome {
        let mut interest = self.begin(exchange);
        let until = self.clock.now() + self.deadline;
        loop {
            if let Some(ended) = self.recorder.take_end(0) {
                assert!(matches!(interest, Interest::Idle | Interest::Gone), "{interest:?} after the end");
                return ended.outcome;
            }
            assert!(!matches!(interest, Interest::Idle | Interest::Gone), "{interest:?} with a leg open");
            let left = until - self.clock.now();
            if left <= Nanos::ZERO {
                self.session.cancel(Cancel::Deadline, &mut self.recorder);
                return self.recorder.take_end(0).expect("a cancelled exchange has ended").outcome;
            }
            let came = match interest {
                Interest::WakeAt(at) => {
                    self.wait((at - self.clock.now()).or_zero().min(left)) || self.clock.now() >= at
                }
                _ => self.wait(left),
            };
            if came {
                interest = self.session.ready(&mut self.recorder);
            }
        }
    }

    /// Hands a task to the session, and leaves it there.
    pub fn begin(&mut self, exchange: u16) -> Interest {
        let now = self.clock.now();
        let (serial, deadline) = (self.serial, now + self.deadline);
        self.serial += 1;
        let task = Task {
            exchange,
            serial,
            row: serial,
            units: 1,
            intended: now,
            deadline,
            step: 0,
            stream: contract::NO_STREAM,
        };
        self.recorder.open(&task, Nanos::ZERO, false);
        self.session.begin(&task, &mut self.recorder)
    }

    /// Waits for an event; whether one came.
    pub fn wait(&mut self, longest: Nanos) -> bool {
        let timeout = rustix::event::Timespec { tv_sec: longest.0 / 1_000_000_000, tv_nsec: longest.0 % 1_000_000_000 };
        self.events.clear();
        match epoll::wait(&*self.epoll, rustix::buffer::spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(count) => count > 0,
            Err(rustix::io::Errno::INTR) => false,
            Err(error) => panic!("epoll: {error}"),
        }
    }

    /// Passes an event between exchanges on to the session, as the engine does; whether one came within 10 s.
    pub fn idle_event(&mut self) -> bool {
        let came = self.wait(Nanos::from_secs(10));
        assert_eq!(self.session.ready(&mut self.recorder), Interest::Idle);
        came
    }
}

/// A server in a thread of its own: `serve` gets each connection with its number, from 0.
pub struct Server {
    pub address: SocketAddr,
    /// Connections accepted.
    pub accepted: Arc<AtomicUsize>,
    /// What `serve` returned for each connection.
    pub results: mpsc::Receiver<usize>,
}

impl Server {
    pub fn start(serve: impl Fn(usize, TcpStream) -> usize + Send + 'static) -> Self {
        Self::at("127.0.0.1:0", serve).unwrap()
    }

    pub fn at(address: &str, serve: impl Fn(usize, TcpStream) -> usize + Send + 'static) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let accepted = Arc::new(AtomicUsize::new(0));
        let (counter, (sender, results)) = (accepted.clone(), mpsc::channel());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                // A test that takes all descriptors takes the server's, too, for a moment.
                let Ok(stream) = stream else {
                    std::thread::yield_now();
                    continue;
                };
                let number = counter.fetch_add(1, Ordering::SeqCst);
                stream.set_nodelay(true).unwrap();
                if sender.send(serve(number, stream)).is_err() {
                    return;
                }
            }
        });
        Ok(Self { address, accepted, results })
    }

    /// Answers every request with the same bytes, on connections that stay open.
    pub fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::start(move |_, mut stream| {
            let mut requests = 0;
            while read_request(&mut stream).is_some() && stream.write_all(&answer).is_ok() {
                requests += 1;
            }
            requests
        })
    }

    /// Reads one request, sends these bytes and closes.
    pub fn closing_after(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::start(move |_, mut stream| {
            let request = read_request(&mut stream);
            let _ = stream.write_all(&answer);
            usize::from(request.is_some())
        })
    }

    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

/// An address at which nobody listens.
pub fn nobody() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// One request, head and body; `None` at the end of the connection.
pub fn read_request(stream: &mut impl Read) -> Option<String> {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        request.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&request).into_owned();
    let length =
        head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).map_or(0, |value| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(head + &String::from_utf8_lossy(&body))
}

/// Closes with a reset instead of a goodbye.
pub fn reset(stream: TcpStream) {
    socket2::SockRef::from(&stream).set_linger(Some(std::time::Duration::ZERO)).unwrap();
    drop(stream);
}

/// An answer with this body.
pub fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}
