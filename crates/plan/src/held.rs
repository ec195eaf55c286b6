//! When held connections open, and when each of their messages is due.

use crate::UserPlan;
use terms::Nanos;

/// Connections that stay open, each with a message every so often.
///
/// Connection *i* of *N* has its messages due at *i/N* of the interval and whole intervals later, counted from the load's
/// beginning, from its opening on: never in step, unless an event goes to all, and known to every thread without a word.
/// What is due stays due whether the connection stands or not.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldPlan {
    /// When connections are opened: user *i* of it is connection *i*.
    pub connections: UserPlan,
    /// Between two messages of a connection; none where none are planned.
    pub every: Option<Nanos>,
    /// Whether all connections have their messages at once: each is an event that is published to all of them.
    pub in_step: bool,
    /// From here on nothing is due.
    pub length: Nanos,
}

impl HeldPlan {
    /// When a connection is opened; none where it never is.
    pub fn opens(&self, connection: u32) -> Option<Nanos> {
        self.connections.there_from(connection, Nanos::ZERO).filter(|at| *at < self.length)
    }

    /// Part *i/N* of the interval; none of it where all are in step.
    fn phase(&self, connection: u32, every: Nanos) -> Nanos {
        if self.in_step {
            return Nanos::ZERO;
        }
        let all = i128::from(self.connections.count.max(1));
        Nanos((i128::from(every.0) * i128::from(connection) / all) as i64)
    }

    /// Number of the first interval in which a connection's message is due. An event is due to those who were there before
    /// it: who subscribes at its very moment cannot have it.
    fn first(&self, connection: u32, every: Nanos) -> Option<u64> {
        let behind = (self.opens(connection)? - self.phase(connection, every)).or_zero();
        let (behind, every) = (u64::try_from(behind.0).ok()?, u64::try_from(every.0).ok()?.max(1));
        Some(if self.in_step { behind / every + 1 } else { behind.div_ceil(every) })
    }

    /// How many messages are due before an offset.
    pub fn due_until(&self, offset: Nanos) -> u64 {
        let Some(every) = self.every else { return 0 };
        let until = offset.min(self.length);
        let of = |connection| {
            let first = self.first(connection, every)?;
            let room = (until - self.phase(connection, every)).or_zero();
            Some(u64::try_from(room.0).ok()?.div_ceil(u64::try_from(every.0).ok()?.max(1)).saturating_sub(first))
        };
        (0..self.connections.count).filter_map(of).sum()
    }

    /// The messages of one worker's connections, in order of time. Connection *i* belongs to worker *i* modulo workers.
    pub fn messages(&self, worker: u64, workers: u64) -> Messages<'_> {
        Messages { plan: self, worker, workers: workers.max(1), interval: 0, connection: worker }
    }
}

/// A message that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its number in the whole load: that of the interval, times the connections, plus that of the connection.
    pub serial: u64,
    pub connection: u32,
    /// When it is due, from the load's beginning.
    pub offset: Nanos,
}

/// Messages of one worker, in order of time.
#[derive(Clone, Debug)]
pub struct Messages<'a> {
    plan: &'a HeldPlan,
    worker: u64,
    workers: u64,
    /// The interval and the connection that are looked at next.
    interval: u64,
    connection: u64,
}

impl Iterator for Messages<'_> {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        let every = self.plan.every?;
        let all = u64::from(self.plan.connections.count);
        if self.worker >= all {
            return None;
        }
        loop {
            if self.connection >= all {
                self.connection = self.worker;
                self.interval += 1;
            }
            let (interval, connection) = (self.interval, self.connection as u32);
            let offset = self.plan.phase(connection, every) + every * i64::try_from(interval).ok()?;
            // Offsets only grow, so nothing follows.
            if offset >= self.plan.length {
                return None;
            }
            self.connection += self.workers;
            if self.plan.first(connection, every).is_some_and(|first| interval >= first) {
                return Some(Message { serial: interval * all + u64::from(connection), connection, offset });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn held(count: u32, over_s: i64, every_ms: i64, length_s: i64) -> HeldPlan {
        HeldPlan {
            connections: UserPlan::ramp(count, Nanos::from_secs(over_s), None),
            every: Some(Nanos::from_millis(every_ms)),
            in_step: false,
            length: Nanos::from_secs(length_s),
        }
    }

    #[test]
    fn connections_send_in_turn_and_each_at_its_interval() {
        // Four connections, a message a second each: one every 250 ms, and each the same part of every second.
        let due: Vec<_> =
            held(4, 0, 1000, 2).messages(0, 1).map(|it| (it.connection, it.offset.0 / 1_000_000)).collect();
        assert_eq!(due, [(0, 0), (1, 250), (2, 500), (3, 750), (0, 1000), (1, 1250), (2, 1500), (3, 1750)]);
    }

    #[test]
    fn nothing_is_due_before_a_connection_opens() {
        // They open at 0, 1, 2 and 3 s; their messages are due at .0, .25, .5 and .75 of each second.
        let plan = held(4, 4, 1000, 5);
        let first = |connection| plan.messages(0, 1).find(|it| it.connection == connection).unwrap().offset;
        assert_eq!([0, 1, 2, 3].map(|it| first(it).0 / 1_000_000), [0, 1250, 2500, 3750]);
        assert_eq!(plan.due_until(Nanos::from_secs(5)), 5 + 4 + 3 + 2);
        assert_eq!(plan.due_until(Nanos::from_secs(4)), 4 + 3 + 2 + 1);
        assert_eq!(plan.messages(0, 1).count() as u64, plan.due_until(Nanos::MAX));
    }

    #[test]
    fn an_event_is_due_to_all_that_are_there() {
        let plan = HeldPlan { in_step: true, ..held(3, 3, 2000, 5) };
        let due: Vec<_> = plan.messages(0, 1).map(|it| (it.serial, it.connection, it.offset.0 / 1_000_000)).collect();
        // They subscribe at 0, 1 and 2 s, and events come at 2 and 4 s; to the third the first is not due.
        assert_eq!(due, [(3, 0, 2000), (4, 1, 2000), (6, 0, 4000), (7, 1, 4000), (8, 2, 4000)]);
        assert_eq!(plan.due_until(Nanos::from_secs(5)), 5);
    }

    #[test]
    fn without_messages_connections_only_open() {
        let plan = HeldPlan { every: None, ..held(4, 4, 1, 5) };
        assert_eq!((plan.messages(0, 1).count(), plan.due_until(Nanos::MAX)), (0, 0));
        assert_eq!(plan.opens(3), Some(Nanos::from_secs(3)));
    }

    proptest! {
        #[test]
        fn workers_share_all_messages_in_order_and_the_count_is_exact(
            (count, workers) in (1u32..60, 1u64..5),
            (over, every_ms, length) in (0i64..8, 1i64..3000, 1i64..12),
            (at_ms, in_step) in (0i64..12_000, any::<bool>()),
        ) {
            let plan = HeldPlan { in_step, ..held(count, over, every_ms, length) };
            let mut all: Vec<Message> = Vec::new();
            for worker in 0..workers {
                let own: Vec<Message> = plan.messages(worker, workers).collect();
                prop_assert!(own.windows(2).all(|pair| pair[0].offset <= pair[1].offset));
                prop_assert!(own.iter().all(|it| u64::from(it.connection) % workers == worker));
                all.extend(own);
            }
            let at = Nanos::from_millis(at_ms);
            let before = all.iter().filter(|it| it.offset < at).count() as u64;
            prop_assert_eq!(before, plan.due_until(at));
            prop_assert!(all.iter().all(|it| plan.opens(it.connection).is_some_and(|opens| it.offset >= opens)));
            all.sort_by_key(|it| it.serial);
            prop_assert!(all.windows(2).all(|pair| pair[0].serial < pair[1].serial));
            // A connection's messages are exactly an interval apart.
            for connection in 0..count {
                let own: Vec<_> = all.iter().filter(|it| it.connection == connection).collect();
                prop_assert!(own.windows(2).all(|pair| pair[1].offset - pair[0].offset == Nanos::from_millis(every_ms)));
            }
        }
    }
}
