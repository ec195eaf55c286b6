//! Passing the time until a socket is ready or a moment has come.

use clock::Clock;
use recorder::Attach;
use rustix::event::epoll;
use std::cell::Cell;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::sync::Arc;
use terms::Nanos;

/// Passes the time.
pub trait Wait {
    /// Waits until a socket is ready or `until` has come, and lists the tokens of ready sockets. May return early.
    fn wait(&mut self, clock: &Clock, until: Nanos, ready: &mut Vec<u64>);
    /// What the sessions of one lane register their sockets with. `driver` says whose session is called: part of the
    /// token of a socket that it attaches.
    fn attach(&self, lane: u16, driver: Rc<Cell<u8>>) -> Box<dyn Attach>;
    /// What ends its waits from another thread; none in simulated time.
    fn waker(&self) -> Option<Waker> {
        None
    }
}

/// A token of a lane, a slot in it, and the driver whose session has the socket.
pub(crate) fn token(lane: u16, slot: u32, driver: u8) -> u64 {
    u64::from(lane) << 40 | u64::from(slot) << 8 | u64::from(driver)
}

/// Lane, slot and driver of a token.
pub(crate) fn parts(token: u64) -> (u16, u32, u8) {
    ((token >> 40) as u16, (token >> 8) as u32, token as u8)
}

/// The kernel's readiness, edge-triggered: a socket is registered once in its life.
pub(crate) struct Epoll {
    epoll: Rc<OwnedFd>,
    events: Vec<MaybeUninit<epoll::Event>>,
    waker: Waker,
}

/// Ends another thread's wait.
#[derive(Clone, Debug)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    pub(crate) fn wake(&self) {
        // A counter that is full has been seen by nobody yet: the wait ends all the same.
        let _ = rustix::io::write(&*self.0, &1u64.to_ne_bytes());
    }
}

/// Token of the waker; no lane has so high a number.
const WAKER: u64 = u64::MAX;

/// Events taken at once; more stay in the kernel until the next call.
const EVENTS_MAX: usize = 512;

impl Epoll {
    pub(crate) fn new() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        // A wait that ends 50 µs late by default would be lateness of ours. Not being allowed to is not an error.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        let events = vec![MaybeUninit::uninit(); EVENTS_MAX];
        let flags = rustix::event::EventfdFlags::CLOEXEC | rustix::event::EventfdFlags::NONBLOCK;
        let waker = Waker(Arc::new(rustix::event::eventfd(0, flags)?));
        // Edge-triggered: every wake is an event, and nobody has to read the counter.
        let when = epoll::EventFlags::IN | epoll::EventFlags::ET;
        epoll::add(&epoll, &*waker.0, epoll::EventData::new_u64(WAKER), when)?;
        Ok(Self { epoll: Rc::new(epoll), events, waker })
    }
}

impl Wait for Epoll {
    fn wait(&mut self, clock: &Clock, until: Nanos, ready: &mut Vec<u64>) {
        let left = (until - clock.now()).or_zero();
        let timeout = epoll_timeout(left);
        let waited = epoll::wait(&*self.epoll, &mut self.events[..], Some(&timeout));
        // An interrupted wait is an early return: the loop looks at the clock and comes back.
        if let Ok((events, _)) = waited {
            ready.extend(events.iter().map(|event| event.data.u64()).filter(|&token| token != WAKER));
        }
    }

    fn attach(&self, lane: u16, driver: Rc<Cell<u8>>) -> Box<dyn Attach> {
        Box::new(EpollAttach { epoll: self.epoll.clone(), lane, driver })
    }

    fn waker(&self) -> Option<Waker> {
        Some(self.waker.clone())
    }
}

fn epoll_timeout(left: Nanos) -> rustix::event::Timespec {
    rustix::event::Timespec { tv_sec: left.0 / 1_000_000_000, tv_nsec: left.0 % 1_000_000_000 }
}

struct EpollAttach {
    epoll: Rc<OwnedFd>,
    lane: u16,
    driver: Rc<Cell<u8>>,
}

impl Attach for EpollAttach {
    fn attach(&mut self, slot: u32, socket: BorrowedFd<'_>) -> io::Result<()> {
        let data = epoll::EventData::new_u64(token(self.lane, slot, self.driver.get()));
        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        Ok(epoll::add(self.epoll.as_fd(), socket, data, flags)?)
    }
}

/// Simulated time: nothing has a socket, and waiting is moving the clock.
pub(crate) struct Simulated;

impl Wait for Simulated {
    fn wait(&mut self, clock: &Clock, until: Nanos, _: &mut Vec<u64>) {
        clock.advance_to(until);
    }

    fn attach(&self, _: u16, _: Rc<Cell<u8>>) -> Box<dyn Attach> {
        Box::new(Nowhere)
    }
}

struct Nowhere;

impl Attach for Nowhere {
    fn attach(&mut self, _: u32, _: BorrowedFd<'_>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_keep_lane_slot_and_driver_apart() {
        for (lane, slot, driver) in [(0, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0), (u16::MAX, u32::MAX, 255)] {
            assert_eq!(parts(token(lane, slot, driver)), (lane, slot, driver));
        }
    }

    #[test]
    fn a_waker_ends_the_wait_and_is_no_socket() {
        let mut wait = Epoll::new().unwrap();
        let (clock, waker, mut ready) = (Clock::system(), wait.waker().unwrap(), Vec::new());
        for _ in 0..3 {
            let waker = waker.clone();
            let other = std::thread::spawn(move || waker.wake());
            // Would the wake be lost, the test would stand here for ten minutes.
            wait.wait(&clock, clock.now() + Nanos::SECOND * 600, &mut ready);
            other.join().unwrap();
        }
        assert!(ready.is_empty());
    }

    #[test]
    fn a_ready_socket_ends_the_wait() {
        let mut wait = Epoll::new().unwrap();
        let (mut here, there) = std::os::unix::net::UnixStream::pair().unwrap();
        wait.attach(2, Rc::new(Cell::new(3))).attach(9, there.as_fd()).unwrap();
        let clock = Clock::system();
        let mut ready = Vec::new();
        std::io::Write::write_all(&mut here, b"x").unwrap();
        wait.wait(&clock, clock.now() + Nanos::SECOND * 10, &mut ready);
        assert_eq!(ready.iter().map(|&token| parts(token)).collect::<Vec<_>>(), [(2, 9, 3)]);
    }
}
