//! Held connections that are opened again after they were lost, where a study declares it: how often, after which wait, and
//! never all of them at once.

use contract::{Keys, Mistake, Mistakes, Node};
use std::cell::Cell;
use terms::{Nanos, Outcome};

/// More attempts of one connection are a loop.
const RECONNECTS_MAX: u64 = 10_000;
/// Longest wait before one, whoever says so: no load lasts for many of a longer one.
pub const WAIT_MOST: Nanos = Nanos::from_secs(3600);
/// What is waited where neither study nor server says how long: what browsers do.
const WAIT: Nanos = Nanos::from_secs(3);
/// A load thread asks for one connection in this time at most, 1000 a second. Ten thousand that break at once come back at
/// once as well, and a server's queue of new connections holds a few thousand at most: what it dropped would be the
/// generator's own doing.
const GAP: Nanos = Nanos::from_millis(1);

/// `reconnect`: whether and how a connection that was lost is opened again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reconnect {
    /// How often, for each connection.
    pub at_most: u64,
    /// What is waited before; what the server says where this is none.
    pub wait: Option<Nanos>,
}

/// The connections of a load thread that are opened again, one after another.
#[derive(Debug, Default)]
pub struct Turnstile {
    /// From when on the next one may pass.
    next: Cell<Nanos>,
}

/// A connection that was lost and is opened again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Away {
    /// How it was lost: what comes due meanwhile ends so.
    pub lost: Outcome,
    /// When its wait is over, or it has its turn.
    at: Nanos,
    has_turn: bool,
}

impl Reconnect {
    /// Reads `3`, or `{ at_most: 3, wait: 1s }`.
    pub fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        if node.map().is_none() {
            let at_most = mistakes.keep(node.as_count("`reconnect`", 1, RECONNECTS_MAX))?;
            return Some(Self { at_most, wait: None });
        }
        let mut keys = Keys::of(node, "`reconnect`", mistakes);
        let at_most = keys
            .need("at_most", mistakes)
            .and_then(|node| mistakes.keep(node.as_count("`at_most`", 1, RECONNECTS_MAX)));
        let wait = keys.take("wait").map(|node| mistakes.keep(wait(node)));
        keys.finish(mistakes);
        Some(Self { at_most: at_most?, wait: wait.flatten() })
    }

    /// A connection was `lost` so at `now`: it comes back when the wait is over. `asked` is what the server wants to be
    /// waited.
    pub fn away(&self, lost: Outcome, now: Nanos, asked: Option<Nanos>) -> Away {
        let wait = self.wait.or(asked).unwrap_or(WAIT).min(WAIT_MOST);
        Away { lost, at: now + wait, has_turn: false }
    }
}

fn wait(node: &Node) -> Result<Nanos, Mistake> {
    let wait = node.as_duration("`wait`")?;
    if wait <= WAIT_MOST {
        return Ok(wait);
    }
    Err(Mistake::at(node.place, "study::out-of-range", "`wait` is longer than 1 h")
        .label("write a duration such as `1s`"))
}

impl Turnstile {
    /// The turn of the next one, now or later.
    fn turn(&self, now: Nanos) -> Nanos {
        let turn = self.next.get().max(now);
        self.next.set(turn + GAP);
        turn
    }
}

impl Away {
    /// When it has to be called again; `None` where it is to be opened now.
    pub fn wait(&mut self, now: Nanos, turnstile: &Turnstile) -> Option<Nanos> {
        if now >= self.at && !self.has_turn {
            // Only when its wait is over: one that waits for an hour must not keep the others for so long.
            (self.at, self.has_turn) = (turnstile.turn(now), true);
        }
        (now < self.at).then_some(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: Reconnect = Reconnect { at_most: 1, wait: None };

    #[test]
    fn the_study_says_how_long_to_wait_then_the_server_then_the_standard() {
        let away = |own, asked| Reconnect { wait: own, ..DECLARED }.away(Outcome::Reset, Nanos::SECOND, asked).at;
        assert_eq!(away(Some(Nanos::from_secs(2)), Some(Nanos::from_secs(5))), Nanos::from_secs(3));
        assert_eq!(away(None, Some(Nanos::from_secs(5))), Nanos::from_secs(6));
        assert_eq!(away(None, None), Nanos::from_secs(4));
        assert_eq!(away(None, Some(Nanos::MAX)), Nanos::from_secs(3601), "however long a server wants");
    }

    #[test]
    fn ten_thousand_that_broke_at_once_come_back_one_after_another() {
        let (turnstile, now) = (Turnstile::default(), Nanos::from_secs(3));
        let mut all = vec![DECLARED.away(Outcome::Reset, Nanos::ZERO, None); 10_000];
        // Each has its own turn, once, and is called then.
        let mut turns: Vec<_> = all.iter_mut().map(|away| away.wait(now, &turnstile).unwrap_or(now)).collect();
        assert!(all.iter_mut().zip(&turns).all(|(away, turn)| away.wait(*turn, &turnstile).is_none()));
        turns.dedup();
        assert_eq!((turns.len(), turns[0], turns[9_999]), (10_000, now, now + Nanos::from_millis(9_999)));
    }

    #[test]
    fn one_that_waits_long_keeps_nobody() {
        let turnstile = Turnstile::default();
        let mut long = DECLARED.away(Outcome::Reset, Nanos::ZERO, Some(Nanos::from_secs(60)));
        let mut short = DECLARED.away(Outcome::Reset, Nanos::ZERO, Some(Nanos::ZERO));
        assert_eq!(long.wait(Nanos::ZERO, &turnstile), Some(Nanos::from_secs(60)));
        assert_eq!(short.wait(Nanos::ZERO, &turnstile), None);
    }
}
