//! Held connections in a lab: opened once, then a message at a time, whose answers may come later.

use super::{Lab, PATIENCE};
use contract::{Cancel, Interest, NO_STREAM, Task};
use terms::{Nanos, Outcome};

impl Lab {
    /// Has a slot's session open its connection; how that ended.
    pub fn connect(&mut self, slot: u32, exchange: u16) -> Outcome {
        self.begin_connect(slot, exchange);
        self.finish(&[slot]);
        self.ended[slot as usize].unwrap()
    }

    /// Asks for it and does not wait.
    pub fn begin_connect(&mut self, slot: u32, exchange: u16) -> Interest {
        let (now, index, number) = (self.clock.now(), slot as usize, u64::from(slot));
        let task = Task {
            exchange,
            serial: number,
            row: number,
            units: 1,
            intended: now,
            deadline: now + self.deadline,
            step: 0,
            stream: NO_STREAM,
        };
        (self.ended[index], self.is_open[index]) = (None, true);
        self.recorder.enter(slot);
        self.recorder.open_connection(&task);
        let interest = self.sessions[index].as_mut().unwrap().connect(&task, &mut self.recorder);
        self.settled(slot, interest)
    }

    /// Sends a message on a slot's connection; how its own leg ended. Its answer may still be on the way.
    pub fn send(&mut self, slot: u32, exchange: u16) -> Outcome {
        self.begin(slot, exchange);
        self.finish(&[slot]);
        self.ended[slot as usize].unwrap()
    }

    /// Whether a slot has a connection, as far as its session said last.
    pub fn is_connected(&self, slot: u32) -> bool {
        self.interests[slot as usize] != Interest::Gone
    }

    /// The load is over, and nothing is waited for any more: a slot's session says what it has to.
    pub fn say_farewell(&mut self, slot: u32) -> Interest {
        self.recorder.enter(slot);
        let interest = self.sessions[slot as usize].as_mut().unwrap().leave(&mut self.recorder);
        self.settled(slot, interest)
    }

    /// The load is over: a slot's connection is closed.
    pub fn disconnect(&mut self, slot: u32) {
        self.recorder.enter(slot);
        self.sessions[slot as usize].as_mut().unwrap().disconnect(&mut self.recorder);
    }

    /// Goes on for so long, whatever comes.
    pub fn pass(&mut self, time: Nanos) {
        let until = self.clock.now() + time;
        while self.clock.now() < until {
            self.turn(until - self.clock.now());
        }
    }

    /// Goes on until the books have counted something, and says whether they have within a time that no machine takes.
    pub fn until(&mut self, mut is_there: impl FnMut(&mut Self) -> bool) -> bool {
        let until = self.clock.now() + PATIENCE;
        while !is_there(self) {
            if self.clock.now() >= until {
                return false;
            }
            self.turn(super::PAUSE);
        }
        true
    }

    /// Stops what a slot's connection has in hand, and what waits for an answer, as the engine does at the end of a step.
    pub fn stop(&mut self, slot: u32, why: Cancel) {
        self.cancel(slot, why);
        self.recorder.abort_awaited(self.clock.now());
    }
}
