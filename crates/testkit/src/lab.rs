//! Sessions driven as the engine drives them: by edge-triggered events, moments to wake at and deadlines. A test stops
//! the loop wherever it likes and looks into the books.

mod held;

use crate::surroundings::{Built, Surroundings, build};
use clock::Clock;
use contract::{
    Answer, Cancel, Driver, DriverKind, Feature, Interest, NO_STREAM, Notice, Recorder, Reply, ReplyHandler,
    RequestHead, Session, Settings, Slot, Task,
};
use recorder::{Arrival, Refusal, Unmatched};
use recorder::{ExchangeLayout, Layout, Shared};
use rustix::event::{Timespec, epoll};
use scrub::KeptOut;
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;
use terms::{Nanos, Outcome};

/// No machine takes so long for what must happen.
const PATIENCE: Nanos = Nanos::from_secs(20);
/// Longest pause of the loop, so that legs which never come are missed soon after their time.
const PAUSE: Nanos = Nanos::from_millis(5);

/// Of a driver to which nothing comes at a listener.
struct NoReplies;

impl ReplyHandler for NoReplies {
    fn claims(&self, _: &RequestHead<'_>) -> bool {
        false
    }

    fn handle(&mut self, _: &RequestHead<'_>, _: &[u8], _: &mut Answer) -> Reply {
        Reply::Unknown
    }
}

/// What the books say since they were last asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// How the exchange on the first slot ended.
    pub outcome: Outcome,
    /// Number of closes by leg and outcome, in the order of the legs.
    pub legs: Vec<(u8, Outcome, u64)>,
    /// Of all answers.
    pub bytes: u64,
    /// Notes, with ` | ` between them.
    pub note: String,
    /// The driver's counters, in its order.
    pub counters: Vec<i64>,
}

impl Recorded {
    /// The first counters, in the driver's order.
    pub fn counts<const COUNT: usize>(&self) -> [i64; COUNT] {
        std::array::from_fn(|index| self.counters[index])
    }

    /// The only outcome of a leg; `None` if it has none.
    pub fn leg(&self, leg: u8) -> Option<Outcome> {
        let found: Vec<_> = self.legs.iter().filter(|row| row.0 == leg).collect();
        assert!(found.len() <= 1, "{self:?}");
        found.first().map(|row| row.1)
    }
}

/// Sessions of one driver, their recorder, the loop that waits for them, and a listener's half of the driver.
pub struct Lab {
    /// The lab's time.
    pub clock: Clock,
    /// What the sessions write their books with.
    pub recorder: Recorder,
    /// What answers at a listener; as in a run it is another driver's and shares nothing with the sessions.
    pub replies: Box<dyn ReplyHandler>,
    /// Longest time of an exchange.
    pub deadline: Nanos,
    /// Number of the next exchange.
    pub serial: u64,
    /// Stream of the next exchanges.
    pub stream: u16,
    /// How each slot's last exchange ended; `None` while it has not.
    pub ended: Vec<Option<Outcome>>,
    kind: DriverKind,
    driver: Box<dyn Driver>,
    sessions: Vec<Option<Box<dyn Session>>>,
    interests: Vec<Interest>,
    /// When each slot's session asked to be called with nothing in hand.
    asked: Vec<Option<Nanos>>,
    is_open: Vec<bool>,
    epoll: Rc<OwnedFd>,
    events: Vec<epoll::Event>,
    /// Slots to call in this turn; kept, since a turn must not allocate.
    due: Vec<u32>,
    /// Of the books when they were last asked.
    counters: Vec<i64>,
}

impl Lab {
    /// One session for these exchanges.
    pub fn new(kind: DriverKind, exchanges: &[Settings]) -> Self {
        Self::with(kind, exchanges, Surroundings::default())
    }

    /// Sessions for these exchanges, numbered in this order. Their settings must be right.
    pub fn with(kind: DriverKind, exchanges: &[Settings], around: Surroundings) -> Self {
        let numbered = |(number, settings): (usize, &Settings)| Settings { number: number as u16, ..settings.clone() };
        let exchanges: Vec<_> = exchanges.iter().enumerate().map(numbered).collect();
        let Built { mut driver, templates, captures } = build(kind, &exchanges, &around).unwrap();
        driver.set_up().unwrap();
        let replies: Box<dyn ReplyHandler> = match driver.replies() {
            Some(_) => build(kind, &exchanges, &around).unwrap().driver.replies().unwrap(),
            None => Box::new(NoReplies),
        };
        let layout = |settings: &Settings| {
            let kind = kind.exchanges.iter().find(|kind| kind.name == settings.operation).unwrap();
            ExchangeLayout { legs: kind.legs, thresholds: Vec::new() }
        };
        let layout = Arc::new(Layout::new(exchanges.iter().map(layout).collect()));
        let epoll = Rc::new(epoll::create(epoll::CreateFlags::CLOEXEC).unwrap());
        let attach = around.attach(&epoll);
        let Surroundings { table, slots, clock, .. } = around;
        let streams = (!table.is_empty()).then_some(0);
        // As in a run, the scrubber's patterns are made before any load.
        let kept_out = KeptOut::of([]);
        let shared = Shared { templates, tables: vec![Arc::new(table)], kept_out, captures, ..Shared::default() };
        let mut recorder = Recorder::new(clock.clone(), Arc::new(shared), layout, attach);
        recorder.set_streams(streams);
        recorder.set_period(0, 0);
        let session = |number: u32| {
            recorder.add_slot(number.into());
            Some(driver.session(Slot { number, user: number.into() }))
        };
        let sessions: Vec<_> = (0..slots).map(session).collect();
        recorder.enter(0);
        let count = sessions.len();
        Self {
            clock,
            recorder,
            replies,
            deadline: PATIENCE,
            serial: 0,
            stream: NO_STREAM,
            ended: vec![None; count],
            kind,
            driver,
            sessions,
            interests: vec![Interest::Idle; count],
            asked: vec![None; count],
            is_open: vec![false; count],
            epoll,
            events: Vec::with_capacity(64),
            due: Vec::with_capacity(count + 64),
            counters: Vec::new(),
        }
    }

    /// What of the protocol the driver says is exercised.
    pub fn features(&self) -> Vec<Feature> {
        self.driver.features()
    }

    /// What the driver has to tell since the last call.
    pub fn notices(&self) -> Vec<Notice> {
        self.driver.notices()
    }

    /// Carries out one exchange on the first slot, and says what the books say of it.
    pub fn run(&mut self, exchange: u16) -> Recorded {
        self.carry_out(exchange);
        self.seen()
    }

    /// Carries out one exchange on the first slot, and leaves the books alone.
    pub fn carry_out(&mut self, exchange: u16) -> Outcome {
        self.begin(0, exchange);
        self.finish(&[0]);
        self.ended[0].unwrap()
    }

    /// Hands an exchange to a slot's session, and leaves it there.
    pub fn begin(&mut self, slot: u32, exchange: u16) -> Interest {
        let now = self.clock.now();
        let (serial, deadline, stream) = (self.serial, now + self.deadline, self.stream);
        self.serial += 1;
        let task = Task { exchange, serial, row: serial, units: 1, intended: now, deadline, step: 0, stream };
        let index = slot as usize;
        (self.ended[index], self.is_open[index]) = (None, true);
        self.recorder.enter(slot);
        self.recorder.open(&task, Nanos::ZERO, false);
        let interest = self.sessions[index].as_mut().unwrap().begin(&task, &mut self.recorder);
        self.settled(slot, interest)
    }

    /// Tells a slot's session that something happened; what it waits for then.
    pub fn call(&mut self, slot: u32) -> Interest {
        self.recorder.enter(slot);
        let Some(session) = self.sessions[slot as usize].as_mut() else { return Interest::Gone };
        let interest = session.ready(&mut self.recorder);
        self.settled(slot, interest)
    }

    /// Keeps what a session waits for, and how its exchange ended. A session is free exactly when it has no leg open.
    fn settled(&mut self, slot: u32, interest: Interest) -> Interest {
        let index = slot as usize;
        self.interests[index] = interest;
        if let Some(end) = self.recorder.take_end(slot) {
            assert!(self.ended[index].replace(end.outcome).is_none(), "ended twice");
            self.is_open[index] = false;
        }
        let is_right = match interest {
            Interest::Idle | Interest::Gone => !self.is_open[index],
            Interest::Io { .. } => self.is_open[index],
            // The session of a held connection may ask so with nothing in hand.
            Interest::WakeAt(_) => true,
        };
        assert!(is_right, "{interest:?}, and {:?}", self.ended[index]);
        if let (Interest::WakeAt(at), false) = (interest, self.is_open[index]) {
            self.asked[index] = Some(at);
            self.interests[index] = Interest::Idle;
        }
        interest
    }

    /// When a slot's session asked to be called with nothing in hand.
    pub fn asked(&self, slot: u32) -> Option<Nanos> {
        self.asked[slot as usize]
    }

    /// Cuts off what a slot has in hand; how that ended, if there was anything.
    pub fn cancel(&mut self, slot: u32, why: Cancel) -> Option<Outcome> {
        self.recorder.enter(slot);
        self.sessions[slot as usize].as_mut().unwrap().cancel(why, &mut self.recorder);
        let was_open = self.is_open[slot as usize];
        self.settled(slot, Interest::Idle);
        self.ended[slot as usize].filter(|_| was_open)
    }

    /// The slot is gone for good.
    pub fn leave(&mut self, slot: u32) {
        self.sessions[slot as usize] = None;
    }

    /// Goes on until these slots' exchanges have ended, or are cut off at their deadline.
    pub fn finish(&mut self, slots: &[u32]) {
        let until = self.clock.now() + self.deadline;
        while slots.iter().any(|slot| self.is_open[*slot as usize]) {
            let left = until - self.clock.now();
            if left > Nanos::ZERO {
                self.turn(left);
                continue;
            }
            for slot in slots.iter().filter(|slot| self.is_open[**slot as usize]).copied().collect::<Vec<_>>() {
                assert!(self.cancel(slot, Cancel::Deadline).is_some(), "a cancelled exchange has ended");
            }
        }
    }

    /// Goes on, as the engine does after the last start, until no leg is waited for.
    pub fn settle(&mut self) {
        let until = self.clock.now() + PATIENCE;
        while self.recorder.awaiting() > 0 && self.clock.now() < until {
            self.turn(PAUSE);
        }
        assert_eq!(self.recorder.awaiting(), 0, "a leg is waited for without end");
    }

    /// One turn of the loop: waits at most so long, calls the sessions to which something happened, and gives up legs
    /// whose time is over.
    pub fn turn(&mut self, longest: Nanos) {
        let mut due = std::mem::take(&mut self.due);
        due.extend(std::iter::from_fn(|| self.recorder.take_woken()));
        let now = self.clock.now();
        let wakes = self.interests.iter().filter_map(|interest| match interest {
            Interest::WakeAt(at) => Some((*at - now).or_zero()),
            _ => None,
        });
        let asked = self.asked.iter().flatten().map(|at| (*at - now).or_zero());
        let mut longest = wakes.chain(asked).fold(longest, Nanos::min);
        if self.recorder.awaiting() > 0 {
            longest = longest.min(PAUSE);
        }
        self.wait(if due.is_empty() { longest } else { Nanos::ZERO });
        due.extend(self.events.iter().map(|event| event.data.u64() as u32));
        let now = self.clock.now();
        let is_due = |interest: &Interest| matches!(interest, Interest::WakeAt(at) if *at <= now);
        due.extend(self.interests.iter().zip(0..).filter(|(interest, _)| is_due(interest)).map(|(_, slot)| slot));
        for (asked, slot) in self.asked.iter_mut().zip(0..) {
            due.extend(asked.take_if(|at| *at <= now).map(|_| slot));
        }
        due.sort_unstable();
        due.dedup();
        for slot in due.drain(..) {
            self.call(slot);
        }
        self.due = due;
        self.recorder.expire(self.clock.now());
    }

    /// Waits for events on sockets, at most so long; whether one came.
    pub fn wait(&mut self, longest: Nanos) -> bool {
        let timeout = Timespec { tv_sec: longest.0 / 1_000_000_000, tv_nsec: longest.0 % 1_000_000_000 };
        self.events.clear();
        match epoll::wait(&*self.epoll, rustix::buffer::spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(count) => count > 0,
            Err(rustix::io::Errno::INTR) => false,
            Err(error) => panic!("epoll: {error}"),
        }
    }

    /// Passes an event between exchanges on to the first slot's session, as the engine does; whether one came.
    pub fn idle_event(&mut self) -> bool {
        let came = self.wait(PATIENCE);
        assert_eq!(self.call(0), Interest::Idle);
        came
    }

    /// What the books say since the last call.
    pub fn seen(&mut self) -> Recorded {
        let batch = self.recorder.drain();
        self.counters.clone_from(&batch.counters);
        // What was never counted is missing at the end.
        self.counters.resize(self.kind.counters.len(), 0);
        let folded = batch.fold();
        let mut legs: BTreeMap<(u8, u8), (Outcome, u64)> = BTreeMap::new();
        for row in &folded.outcomes {
            legs.entry((row.leg, row.outcome as u8)).or_insert((row.outcome, 0)).1 += row.count;
        }
        Recorded {
            outcome: self.ended[0].unwrap_or(Outcome::Ok),
            legs: legs.into_iter().map(|((leg, _), (outcome, count))| (leg, outcome, count)).collect(),
            bytes: folded.legs.iter().map(|leg| leg.bytes).sum(),
            note: folded.notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join(" | "),
            counters: self.counters.clone(),
        }
    }

    /// A counter, by its name, of the books when they were last asked.
    pub fn counted(&self, name: &str) -> i64 {
        let index = self.kind.counters.iter().position(|counter| *counter == name);
        self.counters[index.unwrap_or_else(|| panic!("no counter `{name}`"))]
    }

    /// A POST with these headers comes to the listener, which claims it; whose it is, and what is answered.
    pub fn deliver(&mut self, headers: &[(&str, &[u8])], body: &[u8]) -> (Reply, Answer) {
        let at = self.clock.now();
        self.take_in(&RequestHead { method: "POST", path: "/", headers, at }, body).unwrap()
    }

    /// A request comes to the listener; whose it is, and what is answered. `None` where the driver does not claim it.
    pub fn take_in(&mut self, head: &RequestHead<'_>, body: &[u8]) -> Option<(Reply, Answer)> {
        if !self.replies.claims(head) {
            return None;
        }
        let mut answer = Answer { status: 204, ..Answer::default() };
        let reply = self.replies.handle(head, body, &mut answer);
        let (at, unmatched) = (head.at, Unmatched::default());
        let arrival = match reply.clone() {
            Reply::Match { key, outcome, why, .. } => Arrival { key, at, outcome, why, refusal: None, unmatched },
            Reply::Handshake { key } => Arrival { key, at, outcome: Outcome::Ok, why: None, refusal: None, unmatched },
            Reply::Refusal { keys: [Some(key), next], leg, outcome, why } => {
                Arrival { key, at, outcome, why, refusal: Some(Refusal { next, leg }), unmatched }
            }
            _ => return Some((reply, answer)),
        };
        self.recorder.take_arrival(&arrival);
        Some((reply, answer))
    }

    /// Allocations of this thread in so many good exchanges on the first slot, after as many of `warm_up`.
    pub fn allocations(&mut self, warm_up: usize, count: usize) -> u64 {
        let mut run = |count: usize| (0..count).for_each(|_| assert_eq!(self.carry_out(0), Outcome::Ok));
        run(warm_up);
        allocation_counter::measure(|| run(count)).count_total
    }
}
