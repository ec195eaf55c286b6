//! A session driven as the engine drives it, by edge-triggered epoll and a deadline, with a listener's handler beside it,
//! and a scripted other side.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

pub mod peer;

use clock::Clock;
use contract::recorder::{Attach, ExchangeLayout, Layout, Shared};
use contract::{
    Answer, Arrival, Bench, Cancel, Check, Compare, Driver, Failure, Feature, Interest, Mistake, Mistakes, NO_STREAM,
    Name, Names, Node, Piece, Place, Probe, Recorder, Refusal, Reply, ReplyHandler, RequestHead, Session, Settings,
    Shape, Slot, Table, Task, Template, Unmatched,
};
use driver_ebms::EBMS;
use rustix::event::epoll;
use std::collections::BTreeMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use terms::{Nanos, Outcome};

pub const NONCE: u64 = 0xfeed;

/// Names that studies of these tests may use; the table is what `$(cpas.…)` stands for.
pub struct Known(pub Arc<Table>);

impl Names for Known {
    fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
        if let Some(column) = name.strip_prefix("cpas.").and_then(|name| self.0.column(name)) {
            return Ok(Name::Slot(Piece::Column { table: 0, column }));
        }
        match name {
            "serial" => Ok(Name::Slot(Piece::Serial)),
            "token" => Ok(Name::Slot(Piece::Capture(0))),
            "listeners.pong.url" => Ok(Name::Text("http://127.0.0.1:9/".into())),
            other => Err(Mistake::at(place, "study::unknown-name", format!("`{other}` is not known"))),
        }
    }

    fn table(&self, number: u16) -> Option<&Table> {
        (number == 0).then_some(&*self.0)
    }
}

pub fn text(word: impl Into<String>) -> Node {
    Node::text_at(Place::default(), word)
}

pub fn map(entries: &[(&str, Node)]) -> Node {
    let entries = entries.iter().map(|(key, value)| (text(*key), value.clone())).collect();
    Node { place: Place::default(), shape: Shape::Map(entries) }
}

pub fn list(members: &[Node]) -> Node {
    Node { place: Place::default(), shape: Shape::List(members.to_vec()) }
}

pub fn status_is(status: &str) -> Check {
    let expected = Template::fixed(status.as_bytes());
    let text = format!("status = {status}");
    Check { text, probe: Probe::Status, compare: Compare::Equal, expected, place: Place::default() }
}

/// An agreement of the tests with words filled in; the others are those of best effort.
pub fn agreement(words: &[(&str, &str)]) -> String {
    let usual = [
        ("ID", "urn:cpa:1"),
        ("START", "2001-01-01T00:00:00Z"),
        ("A", "00000001"),
        ("B", "00000002"),
        ("A_URL", "$(listeners.pong.url)"),
        ("B_URL", "http://127.0.0.1:2/ebms"),
        ("SIGNALS", "none"),
        (
            "CHARACTERISTICS",
            "tns:syncReplyMode=\"none\" tns:ackRequested=\"perMessage\" tns:duplicateElimination=\"perMessage\"",
        ),
        ("WANTS", ""),
        ("RETRIES", "3"),
        ("INTERVAL", "PT0.1S"),
        ("SENDER", ""),
    ];
    let mut text = include_str!("../../agreement.xml").to_owned();
    for (word, value) in words.iter().chain(&usual) {
        text = text.replace(&format!("@{word}@"), value);
    }
    text
}

pub const RELIABLE: (&str, &str) = (
    "CHARACTERISTICS",
    "tns:syncReplyMode=\"none\" tns:ackRequested=\"always\" tns:actor=\"urn:oasis:names:tc:ebxml-msg:actor:toPartyMSH\" \
     tns:ackSignatureRequested=\"never\" tns:duplicateElimination=\"always\"",
);

/// A folder with one agreement in `cpas/`.
pub fn folder(words: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("cpas")).unwrap();
    std::fs::write(folder.path().join("cpas/1.xml"), agreement(words)).unwrap();
    folder
}

/// An exchange to that address, with further settings.
pub fn exchange(operation: &str, to: &str, more: &[(&str, Node)]) -> Settings {
    let mut entries = vec![
        ("to", text(to)),
        ("agreements", text("cpas")),
        ("cpa", text("urn:cpa:1")),
        ("from", text("00000001")),
        ("reply_at", text("pong")),
    ];
    if operation == "message" {
        entries.push(("action", text("Order")));
    }
    for (key, value) in more {
        entries.retain(|(known, _)| known != key);
        entries.push((*key, value.clone()));
    }
    entries.retain(|(_, value)| !value.is_missing());
    Settings {
        exchange: "x".into(),
        number: 0,
        operation: operation.into(),
        node: map(&entries),
        checks: Vec::new(),
        captures: Vec::new(),
        timeout: Nanos::from_secs(5),
        reuse: true,
        // What nothing else comes for is refused at once or never, in these tests.
        within: BTreeMap::from([("error".to_owned(), Nanos::from_millis(300))]),
    }
}

struct Epoll(Rc<OwnedFd>);

impl Attach for Epoll {
    fn attach(&mut self, slot: u32, socket: BorrowedFd<'_>) -> Result<(), Failure> {
        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        epoll::add(&*self.0, socket, epoll::EventData::new_u64(slot.into()), flags)
            .map_err(|error| Failure::new(error.to_string()))
    }
}

/// What the books say: each leg's outcomes, in the order of the legs.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub legs: Vec<(u8, Outcome, u64)>,
    pub note: String,
    /// Connects, reconnects, surplus, resends, unkept.
    pub counts: [i64; 5],
}

impl Seen {
    /// The only outcome of a leg; `None` if it has none.
    pub fn leg(&self, leg: u8) -> Option<Outcome> {
        let found: Vec<_> = self.legs.iter().filter(|row| row.0 == leg).collect();
        assert!(found.len() <= 1, "{self:?}");
        found.first().map(|row| row.1)
    }
}

pub struct Lab {
    pub clock: Clock,
    pub recorder: Recorder,
    pub session: Box<dyn Session>,
    pub replies: Box<dyn ReplyHandler>,
    driver: Box<dyn Driver>,
    epoll: Rc<OwnedFd>,
    events: Vec<epoll::Event>,
    pub serial: u64,
    pub stream: u16,
    pub deadline: Nanos,
}

/// Builds the driver as the engine does.
pub fn build(exchanges: &[Settings], base: &Path, table: Table) -> Result<(Box<dyn Driver>, Vec<Template>), Mistakes> {
    let names = Known(Arc::new(table));
    let mut bench = Bench::new(&names, base).with_nonce(NONCE);
    let driver = (EBMS.build)(exchanges, &mut bench)?;
    Ok((driver, bench.into_templates()))
}

impl Lab {
    pub fn new(exchanges: &[Settings], base: &Path) -> Self {
        Self::with(exchanges, base, Table::default())
    }

    pub fn with(exchanges: &[Settings], base: &Path, table: Table) -> Self {
        let numbered = |(number, settings): (usize, &Settings)| Settings { number: number as u16, ..settings.clone() };
        let exchanges: Vec<_> = exchanges.iter().enumerate().map(numbered).collect();
        let (mut driver, templates) = build(&exchanges, base, table.clone()).unwrap();
        driver.set_up().unwrap();
        let session = driver.session(Slot { number: 0, user: 0 });
        // The listener has a driver of its own, and shares nothing with this one.
        let replies = build(&exchanges, base, table.clone()).unwrap().0.replies().unwrap();
        let streams = (!table.is_empty()).then_some(0);
        let shared = Shared { templates, tables: vec![Arc::new(table)], captures: 1, ..Shared::default() };
        let layout = |settings: &Settings| {
            let kind = EBMS.exchanges.iter().find(|kind| kind.name == settings.operation).unwrap();
            ExchangeLayout { legs: kind.legs, thresholds: Vec::new() }
        };
        let layout = Arc::new(Layout::new(exchanges.iter().map(layout).collect()));
        let epoll = Rc::new(epoll::create(epoll::CreateFlags::CLOEXEC).unwrap());
        let clock = Clock::system();
        let mut recorder = Recorder::new(clock.clone(), Arc::new(shared), layout, Box::new(Epoll(epoll.clone())));
        recorder.add_slot(0);
        recorder.set_streams(streams);
        recorder.set_period(0, 0);
        recorder.enter(0);
        let (events, deadline) = (Vec::with_capacity(16), Nanos::from_secs(5));
        Self { clock, recorder, session, replies, driver, epoll, events, serial: 0, stream: NO_STREAM, deadline }
    }

    pub fn features(&self) -> Vec<Feature> {
        self.driver.features()
    }

    /// Hands a task to the session, and leaves it there.
    pub fn begin(&mut self, exchange: u16) -> Interest {
        let now = self.clock.now();
        let (serial, stream) = (self.serial, self.stream);
        self.serial += 1;
        let deadline = now + self.deadline;
        let task = Task { exchange, serial, row: serial, units: 1, intended: now, deadline, step: 0, stream };
        self.recorder.enter(0);
        self.recorder.open(&task, Nanos::ZERO, false);
        self.session.begin(&task, &mut self.recorder)
    }

    /// Carries out one exchange until its slot is free.
    pub fn carry_out(&mut self, exchange: u16) -> Outcome {
        let mut interest = self.begin(exchange);
        let until = self.clock.now() + self.deadline;
        loop {
            if let Some(ended) = self.recorder.take_end(0) {
                assert!(matches!(interest, Interest::Idle | Interest::Gone), "{interest:?} after the end");
                return ended.outcome;
            }
            let left = until - self.clock.now();
            if left <= Nanos::ZERO {
                self.session.cancel(Cancel::Deadline, &mut self.recorder);
                return self.recorder.take_end(0).expect("a cancelled exchange has ended").outcome;
            }
            let wait = if let Interest::WakeAt(_) = interest { Nanos::ZERO } else { left };
            let came = self.wait(wait);
            self.recorder.expire(self.clock.now());
            if came || matches!(interest, Interest::WakeAt(_)) {
                interest = self.session.ready(&mut self.recorder);
            }
        }
    }

    /// One exchange with all that comes of it: `after` is called while its later legs are open.
    pub fn run(&mut self, exchange: u16, mut after: impl FnMut(&mut Self)) -> Seen {
        self.carry_out(exchange);
        after(self);
        self.settle();
        self.seen()
    }

    /// Waits, as the engine does, until no leg is waited for.
    pub fn settle(&mut self) {
        let patience = self.clock.now() + Nanos::from_secs(20);
        while self.recorder.awaiting() > 0 && self.clock.now() < patience {
            self.turn();
        }
        assert_eq!(self.recorder.awaiting(), 0, "a leg is waited for without end");
    }

    /// One turn of the loop.
    pub fn turn(&mut self) {
        if self.wait(Nanos::from_millis(5)) {
            self.session.ready(&mut self.recorder);
        }
        self.recorder.expire(self.clock.now());
    }

    pub fn seen(&mut self) -> Seen {
        let folded = {
            let batch = self.recorder.drain();
            let counts = [0, 1, 2, 3, 4].map(|index| batch.counters.get(index).copied().unwrap_or_default());
            (batch.fold(), counts)
        };
        let (folded, counts) = folded;
        let mut legs: BTreeMap<(u8, u8), (Outcome, u64)> = BTreeMap::new();
        for row in &folded.outcomes {
            legs.entry((row.leg, row.outcome as u8)).or_insert((row.outcome, 0)).1 += row.count;
        }
        let legs = legs.into_iter().map(|((leg, _), (outcome, count))| (leg, outcome, count)).collect();
        let note = folded.notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join(" | ");
        Seen { legs, note, counts }
    }

    /// Something comes to the listener.
    pub fn arrive(&mut self, body: &[u8]) -> (Reply, Answer) {
        self.arrive_as("text/xml; charset=UTF-8", body)
    }

    pub fn arrive_as(&mut self, content_type: &str, body: &[u8]) -> (Reply, Answer) {
        let at = self.clock.now();
        let headers = [("soapaction", b"\"ebXML\"".as_slice()), ("content-type", content_type.as_bytes())];
        let head = RequestHead { method: "POST", path: "/", headers: &headers, at };
        assert!(self.replies.claims(&head));
        let mut answer = Answer::default();
        let reply = self.replies.handle(&head, body, &mut answer);
        let unmatched = Unmatched::default();
        match reply.clone() {
            Reply::Match { key, outcome, why, .. } => {
                self.recorder.take_arrival(&Arrival { key, at, outcome, why, refusal: None, unmatched });
            }
            Reply::Refusal { keys: [Some(key), next], leg, outcome, why } => {
                let refusal = Some(Refusal { next, leg });
                self.recorder.take_arrival(&Arrival { key, at, outcome, why, refusal, unmatched });
            }
            _ => {}
        }
        (reply, answer)
    }

    /// Waits for an event on any socket.
    fn wait(&mut self, longest: Nanos) -> bool {
        self.events.clear();
        let wait = longest.or_zero().to_std();
        let timeout = rustix::event::Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() };
        match epoll::wait(&*self.epoll, rustix::buffer::spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(count) => count > 0,
            Err(rustix::io::Errno::INTR) => false,
            Err(error) => panic!("{error}"),
        }
    }
}
