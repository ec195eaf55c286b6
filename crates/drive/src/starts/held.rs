//! Starts of a held load: connections that open and stay, and the messages that come due on them.

use super::{Next, Pending};
use plan::{HeldPlan, Message, Messages};
use std::collections::VecDeque;
use std::iter::Peekable;
use terms::Nanos;

/// Messages that wait on one connection at once; more are dropped, on the generator's account. They wait while it opens,
/// and where the target takes nothing more.
const WAITING_MAX: usize = 1 << 16;

/// How far a connection is. Whether it stands is known to its session alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Its time has not come.
    Before,
    Opening,
    /// It was opened, or could not be.
    Over,
}

struct Connection {
    stage: Stage,
    waiting: VecDeque<Pending>,
}

/// One thread's connections.
pub(crate) struct Held<'a> {
    plan: &'a HeldPlan,
    messages: Peekable<Messages<'a>>,
    /// From the beginning of the scenario's load to that of this one.
    after: Nanos,
    workers: u64,
    /// By slot.
    connections: Vec<Connection>,
    opening: u32,
    waiting: usize,
}

impl<'a> Held<'a> {
    pub(crate) fn of(plan: &'a HeldPlan, after: Nanos, worker: u64, workers: u64) -> Self {
        let own = super::share(u64::from(plan.connections.count), worker, workers);
        let connection = || Connection { stage: Stage::Before, waiting: VecDeque::new() };
        let connections = std::iter::repeat_with(connection).take(own as usize).collect();
        let messages = plan.messages(worker, workers).peekable();
        Self { plan, messages, after, workers, connections, opening: 0, waiting: 0 }
    }

    /// When the connection of that number opens, from the beginning of the scenario's load.
    pub(crate) fn opens(&self, connection: u64) -> Option<Nanos> {
        Some(self.after + self.plan.opens(u32::try_from(connection).ok()?)?)
    }

    /// Takes the next message if it is due, with its slot. Times are offsets from the beginning of the scenario's load.
    #[inline]
    pub(crate) fn next(&mut self, now: Nanos) -> (Next, u32) {
        let Some(&Message { serial, connection, offset }) = self.messages.peek() else { return (Next::Never, 0) };
        let offset = self.after + offset;
        if offset > now {
            return (Next::NotBefore(offset), 0);
        }
        self.messages.next();
        (Next::Due(serial, offset), (u64::from(connection) / self.workers) as u32)
    }

    /// Whether messages are left that were not taken.
    pub(crate) fn is_left(&mut self) -> bool {
        self.messages.peek().is_some()
    }

    /// Takes the next message whenever it is due.
    pub(crate) fn take_left(&mut self) -> Option<(u64, Nanos)> {
        self.messages.next().map(|message| (message.serial, self.after + message.offset))
    }

    /// Which connection a message belongs to: the row of data sets that it takes.
    #[inline]
    pub(crate) fn connection_of(&self, serial: u64) -> u64 {
        serial % u64::from(self.plan.connections.count.max(1))
    }

    /// Whether a message may go out on this slot's connection: those before it have, and it is not still opening.
    #[inline]
    pub(crate) fn is_free(&self, slot: u32) -> bool {
        let connection = &self.connections[slot as usize];
        connection.stage == Stage::Over && connection.waiting.is_empty()
    }

    /// Lets a message wait; `false` where too many do.
    pub(crate) fn wait(&mut self, slot: u32, pending: Pending) -> bool {
        let waiting = &mut self.connections[slot as usize].waiting;
        let has_room = waiting.len() < WAITING_MAX;
        if has_room {
            waiting.push_back(pending);
            self.waiting += 1;
        }
        has_room
    }

    /// Number of messages that wait on all connections.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// The message that has waited longest on a slot's connection.
    #[inline]
    pub(crate) fn take_waiting(&mut self, slot: u32) -> Option<Pending> {
        let pending = self.connections[slot as usize].waiting.pop_front()?;
        self.waiting -= 1;
        Some(pending)
    }

    /// Any message that waits, once the load is given up.
    pub(crate) fn take_any(&mut self) -> Option<Pending> {
        let slots = 0..self.connections.len() as u32;
        slots.into_iter().find_map(|slot| self.take_waiting(slot))
    }

    /// A connection opens; `false` where it has before.
    pub(crate) fn open(&mut self, slot: u32) -> bool {
        let stage = &mut self.connections[slot as usize].stage;
        let is_first = *stage == Stage::Before;
        if is_first {
            *stage = Stage::Opening;
            self.opening += 1;
        }
        is_first
    }

    /// Whether a slot's connection is opening.
    #[inline]
    pub(crate) fn is_opening(&self, slot: u32) -> bool {
        self.connections.get(slot as usize).is_some_and(|connection| connection.stage == Stage::Opening)
    }

    /// A slot's connection has opened, or could not be.
    pub(crate) fn opened(&mut self, slot: u32) {
        self.connections[slot as usize].stage = Stage::Over;
        self.opening -= 1;
    }

    /// Number of connections that are opening.
    pub(crate) fn opening(&self) -> u32 {
        self.opening
    }
}
