//! A session driven as the engine drives it, by edge-triggered epoll and a deadline, and a server that does as it is told.
#![allow(unreachable_pub, reason = "each test binary has its own copy")]
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use clock::Clock;
use contract::recorder::{Attach, ExchangeLayout, Layout, Shared};
use contract::{
    Bench, Cancel, Check, Compare, Failure, Interest, Mistake, Mistakes, Name, Names, Node, Piece, Place, Probe,
    Recorder, Session, Settings, Shape, Slot, Task, Template,
};
use driver_skeleton::SKELETON;
use rustix::event::{Timespec, epoll};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::sync::Arc;
use terms::{Nanos, Outcome};

struct Known;

impl Names for Known {
    fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
        match name {
            "serial" => Ok(Name::Slot(Piece::Serial)),
            "token" => Ok(Name::Slot(Piece::Capture(0))),
            other => Err(Mistake::at(place, "study::unknown-name", format!("`{other}` is not known"))),
        }
    }
}

/// An exchange with these settings.
pub fn exchange(entries: &[(&str, &str)]) -> Settings {
    let text = |text: &str| Node::text_at(Place::default(), text);
    let entries = entries.iter().map(|(key, value)| (text(key), text(value))).collect();
    Settings {
        exchange: "x".into(),
        number: 0,
        operation: "send".into(),
        node: Node { place: Place::default(), shape: Shape::Map(entries) },
        checks: Vec::new(),
        captures: Vec::new(),
        timeout: Nanos::SECOND,
        reuse: true,
        within: std::collections::BTreeMap::new(),
    }
}

/// `body = expected`.
pub fn body_is(expected: &str) -> Check {
    let expected = Template::compile(expected, Place::default(), &Known).unwrap();
    Check { probe: Probe::Body, compare: Compare::Equal, expected, text: "body".into(), place: Place::default() }
}

/// The mistakes in these settings.
pub fn mistakes(settings: Settings) -> Mistakes {
    (SKELETON.build)(&[settings], &mut Bench::new(&Known, ".")).err().unwrap_or_default()
}

struct Epoll(Rc<OwnedFd>);

impl Attach for Epoll {
    fn attach(&mut self, slot: u32, socket: BorrowedFd<'_>) -> Result<(), Failure> {
        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        epoll::add(&*self.0, socket, epoll::EventData::new_u64(slot.into()), flags)
            .map_err(|error| Failure::new(error.to_string()))
    }
}

/// One session, its recorder, and the loop that waits for it.
pub struct Lab {
    clock: Clock,
    recorder: Recorder,
    session: Box<dyn Session>,
    epoll: Rc<OwnedFd>,
    serial: u64,
}

impl Lab {
    pub fn new(settings: Settings) -> Self {
        let mut bench = Bench::new(&Known, ".");
        let mut driver = (SKELETON.build)(&[settings], &mut bench).unwrap();
        driver.set_up().unwrap();
        let session = driver.session(Slot { number: 0, user: 0 });
        let shared = Shared { templates: bench.into_templates(), captures: 1, ..Shared::default() };
        let legs = SKELETON.exchanges[0].legs;
        let layout = Layout::new(vec![ExchangeLayout { legs, thresholds: Vec::new() }]);
        let epoll = Rc::new(epoll::create(epoll::CreateFlags::CLOEXEC).unwrap());
        let (clock, attach) = (Clock::system(), Box::new(Epoll(epoll.clone())));
        let mut recorder = Recorder::new(clock.clone(), Arc::new(shared), Arc::new(layout), attach);
        recorder.add_slot(0);
        recorder.set_period(0, 0);
        recorder.enter(0);
        Self { clock, recorder, session, epoll, serial: 0 }
    }

    /// Carries out one exchange, and ends it at the deadline.
    pub fn run(&mut self, deadline: Nanos) -> Outcome {
        let until = self.clock.now() + deadline;
        let (intended, serial) = (self.clock.now(), self.serial);
        self.serial += 1;
        let task = Task {
            exchange: 0,
            serial,
            row: serial,
            units: 1,
            intended,
            deadline: until,
            step: 0,
            stream: contract::NO_STREAM,
        };
        self.recorder.open(&task, Nanos::ZERO, false);
        let mut interest = self.session.begin(&task, &mut self.recorder);
        loop {
            if let Some(ended) = self.recorder.take_end(0) {
                assert!(matches!(interest, Interest::Idle | Interest::Gone), "{interest:?} after the end");
                return ended.outcome;
            }
            assert!(!matches!(interest, Interest::Idle | Interest::Gone), "{interest:?} with a leg open");
            let left = until - self.clock.now();
            if left <= Nanos::ZERO {
                self.session.cancel(Cancel::Deadline, &mut self.recorder);
                interest = Interest::Idle;
            } else if self.wait(left) {
                interest = self.session.ready(&mut self.recorder);
            }
        }
    }

    /// Passes on what happens between exchanges.
    pub fn hear_the_end(&mut self) {
        assert!(self.wait(Nanos::from_secs(10)), "nothing happened");
        assert_eq!(self.session.ready(&mut self.recorder), Interest::Idle);
    }

    /// Connections asked for so far.
    pub fn connects(&mut self) -> i64 {
        self.recorder.drain().counters.first().copied().unwrap_or_default()
    }

    fn wait(&self, longest: Nanos) -> bool {
        let timeout = Timespec { tv_sec: longest.0 / 1_000_000_000, tv_nsec: longest.0 % 1_000_000_000 };
        let mut events = Vec::with_capacity(16);
        match epoll::wait(&*self.epoll, rustix::buffer::spare_capacity(&mut events), Some(&timeout)) {
            Ok(count) => count > 0,
            Err(rustix::io::Errno::INTR) => false,
            Err(error) => panic!("epoll: {error}"),
        }
    }
}

/// A server in a thread of its own; `serve` gets each connection with its number. Returns its address.
pub fn server(serve: impl Fn(usize, TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().map_while(Result::ok).enumerate() {
            serve(number, stream);
        }
    });
    address.to_string()
}

/// An address at which nobody listens.
pub fn nobody() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}
