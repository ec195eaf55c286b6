//! Traces that exchanges begin, and which of them were the slowest.

use super::{Recorder, SlowRow};
use crate::close::{Origin, RawClose};
use crate::exchange::Task;
use crate::trace::{Maker, OwnHalf, Sent};
use terms::seed;

impl Recorder {
    /// From now on ids are made for that thread. Its clock tells the loads that one thread drives after each other.
    pub(super) fn trace_as(&mut self, worker: u16, lane: u8) {
        let whose = [u64::from(worker) << 8 | u64::from(lane), self.clock.now().0 as u64];
        self.traces = Maker::new(self.shared.traces.run, whose);
    }

    /// Appends the `traceparent` of the exchange in hand: the same however often it is asked for.
    pub(super) fn render_traceparent(&mut self, task: &Task, into: &mut Vec<u8>) {
        let sent = match self.slots[self.slot as usize].sent {
            Some(sent) => sent,
            None => self.begin_trace(task),
        };
        self.traces.write(sent, into);
    }

    fn begin_trace(&mut self, task: &Task) -> Sent {
        let traces = self.shared.traces;
        let trace = if traces.per_iteration { self.trace_of_iteration(task) } else { self.traces.begin() };
        let parent = self.traces.parent();
        // By the study's seed: a run made again has the same exchanges recorded.
        let what = if traces.per_iteration { u64::from(u16::MAX) } else { task.exchange.into() };
        let of_step = seed::hash(self.shared.seed ^ (u64::from(task.step) << 32), what ^ (0x7472_6163 << 16));
        let is_sampled = traces.sampled >= 1.0 || seed::uniform(of_step, task.serial) < traces.sampled;
        let sent = Sent { trace, parent, is_sampled };
        self.slots[self.slot as usize].sent = Some(sent);
        sent
    }

    /// Calls that are made at once are of their owner's iteration.
    fn trace_of_iteration(&mut self, task: &Task) -> OwnHalf {
        let owner = self.slots[self.slot as usize].owner as usize;
        let iteration = (task.step, task.serial);
        if let (known, Some(trace)) = self.slots[owner].trace
            && known == iteration
        {
            return trace;
        }
        let trace = self.traces.begin();
        self.slots[owner].trace = (iteration, Some(trace));
        trace
    }

    /// The trace of all exchanges of an iteration, where they have one.
    pub(super) fn whole_trace(&self, slot: u32, step: u32) -> Option<OwnHalf> {
        let owner = self.slots[slot as usize].owner as usize;
        let ((of_step, _), trace) = self.slots[owner].trace;
        trace.filter(|_| self.shared.traces.per_iteration && of_step == step)
    }

    /// Keeps a close that is among the slowest of its leg and step.
    #[inline]
    pub(super) fn see_how_slow(&mut self, close: &RawClose, origin: Origin) {
        let leg = (self.layout.leg_index(close.exchange, close.leg), self.legs.len() / 2);
        let time = close.response.unwrap_or(close.service);
        let traces = &self.traces;
        self.slowest.see(close.step, leg, time, || SlowRow {
            at: origin.at,
            step: close.step,
            exchange: close.exchange,
            leg: close.leg,
            outcome: close.outcome,
            time,
            trace: origin.trace.map(|own| traces.id(own)),
        });
    }
}
