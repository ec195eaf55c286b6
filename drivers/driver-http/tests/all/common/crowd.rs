//! Several slots of one driver in one loop, as the engine has them: events go to the slot whose socket it is, and slots
//! that were woken are called.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use super::build;
use clock::Clock;
use contract::recorder::{Attach, ExchangeLayout, Layout, NoteRow, Shared};
use contract::{Cancel, Failure, Interest, Recorder, Session, Settings, Slot, Task};
use driver_http::HTTP;
use rustix::event::epoll;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use terms::{Nanos, Outcome};

struct Epoll(Rc<OwnedFd>);

impl Attach for Epoll {
    fn attach(&mut self, slot: u32, socket: BorrowedFd<'_>) -> Result<(), Failure> {
        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        epoll::add(&*self.0, socket, epoll::EventData::new_u64(slot.into()), flags)
            .map_err(|error| Failure::new(error.to_string()))
    }
}

/// Slots with a session each.
pub struct Crowd {
    pub clock: Clock,
    pub recorder: Recorder,
    sessions: Vec<Option<Box<dyn Session>>>,
    interests: Vec<Interest>,
    /// How each slot's exchange ended.
    pub ended: Vec<Option<Outcome>>,
    epoll: Rc<OwnedFd>,
    serial: u64,
    /// Longest time of an exchange.
    pub deadline: Nanos,
}

impl Crowd {
    pub fn new(slots: u32, exchanges: &[Settings]) -> Self {
        let numbered = |(number, settings): (usize, &Settings)| Settings { number: number as u16, ..settings.clone() };
        let exchanges: Vec<_> = exchanges.iter().enumerate().map(numbered).collect();
        let (mut driver, templates) = build(&exchanges, Path::new(".")).unwrap();
        driver.set_up().unwrap();
        let layout = |settings: &Settings| {
            let kind = HTTP.exchanges.iter().find(|kind| kind.name == settings.operation).unwrap();
            ExchangeLayout { legs: kind.legs, thresholds: Vec::new() }
        };
        let layout = Arc::new(Layout::new(exchanges.iter().map(layout).collect()));
        let epoll = Rc::new(epoll::create(epoll::CreateFlags::CLOEXEC).unwrap());
        let shared = Shared { templates, captures: 1, ..Shared::default() };
        let clock = Clock::system();
        let mut recorder = Recorder::new(clock.clone(), Arc::new(shared), layout, Box::new(Epoll(epoll.clone())));
        recorder.set_period(0, 0);
        let session = |number: u32| {
            recorder.add_slot(number.into());
            Some(driver.session(Slot { number, user: number.into() }))
        };
        let sessions: Vec<_> = (0..slots).map(session).collect();
        let interests = vec![Interest::Idle; sessions.len()];
        let (ended, deadline) = (vec![None; sessions.len()], Nanos::from_secs(20));
        Self { clock, recorder, sessions, interests, ended, epoll, serial: 0, deadline }
    }

    /// Hands an exchange to a slot.
    pub fn begin(&mut self, slot: u32, exchange: u16) {
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
        self.ended[slot as usize] = None;
        self.recorder.enter(slot);
        self.recorder.open(&task, Nanos::ZERO, false);
        let session = self.sessions[slot as usize].as_mut().unwrap();
        self.interests[slot as usize] = session.begin(&task, &mut self.recorder);
        self.settle(slot);
    }

    fn settle(&mut self, slot: u32) {
        if let Some(end) = self.recorder.take_end(slot) {
            assert!(self.ended[slot as usize].replace(end.outcome).is_none(), "ended once");
        }
    }

    fn call(&mut self, slot: u32) {
        self.recorder.enter(slot);
        let Some(session) = self.sessions[slot as usize].as_mut() else { return };
        let interest = session.ready(&mut self.recorder);
        self.interests[slot as usize] = interest;
        self.settle(slot);
    }

    /// Goes on until every exchange that was begun has ended, or is cut off at the deadline.
    pub fn finish(&mut self, begun: &[u32]) {
        let until = self.clock.now() + self.deadline;
        while begun.iter().any(|&slot| self.ended[slot as usize].is_none()) {
            if self.clock.now() >= until {
                for &slot in begun {
                    if self.ended[slot as usize].is_none() {
                        self.cancel(slot, Cancel::Deadline);
                    }
                }
                return;
            }
            self.turn(Nanos::from_millis(20));
        }
    }

    pub fn cancel(&mut self, slot: u32, why: Cancel) {
        self.recorder.enter(slot);
        self.sessions[slot as usize].as_mut().unwrap().cancel(why, &mut self.recorder);
        self.settle(slot);
    }

    /// The slot is gone for good.
    pub fn leave(&mut self, slot: u32) {
        self.sessions[slot as usize] = None;
    }

    /// Waits for events, and serves them and who was woken.
    pub fn turn(&mut self, longest: Nanos) {
        let mut woken: Vec<u32> = std::iter::from_fn(|| self.recorder.take_woken()).collect();
        let at_once =
            !woken.is_empty() || self.interests.iter().any(|interest| matches!(interest, Interest::WakeAt(_)));
        let longest = if at_once { Nanos::ZERO } else { longest };
        let timeout = rustix::event::Timespec { tv_sec: longest.0 / 1_000_000_000, tv_nsec: longest.0 % 1_000_000_000 };
        let mut events = Vec::with_capacity(64);
        epoll::wait(&*self.epoll, rustix::buffer::spare_capacity(&mut events), Some(&timeout)).unwrap();
        let events: Vec<u32> = events.iter().map(|event: &epoll::Event| event.data.u64() as u32).collect();
        for slot in events {
            self.call(slot);
        }
        woken.extend(std::iter::from_fn(|| self.recorder.take_woken()));
        for (slot, interest) in self.interests.iter().enumerate() {
            if matches!(interest, Interest::WakeAt(_)) {
                woken.push(slot as u32);
            }
        }
        woken.sort_unstable();
        woken.dedup();
        for slot in woken {
            self.call(slot);
        }
    }

    /// The counters and notes since the last call.
    pub fn books(&mut self) -> (Vec<i64>, Vec<String>) {
        let batch = self.recorder.drain();
        let counts = batch.counters.clone();
        (counts, batch.fold().notes.into_iter().map(|NoteRow { text, .. }| text).collect())
    }
}
