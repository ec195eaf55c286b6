//! What the books say of a leg, and connections that are open.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

pub use crate::peers::{HEAD, listen, sending, serving, until_left};
pub use crate::streams::{CHUNKED, chunk, events, numbered, told};
use contract::Settings;
use driver_sse::SSE;
use terms::Outcome;
use testkit::{Lab, Recorded};

/// Legs.
pub const EVENT: u8 = 0;
pub const CONNECT: u8 = 1;
pub const FIRST: u8 = 2;
pub const GAP: u8 = 3;

/// A lab with this one exchange, whose connection is made.
pub fn connected(settings: Settings) -> Lab {
    let mut lab = Lab::new(SSE, &[settings]);
    let outcome = lab.connect(0, 0);
    assert_eq!(outcome, Outcome::Ok, "{}", lab.seen().note);
    lab
}

/// So many events come due at once.
pub fn due(lab: &mut Lab, count: usize) {
    for _ in 0..count {
        assert_eq!(lab.send(0, 0), Outcome::Ok, "nothing of it is in hand");
    }
}

/// So many events come due at once, and their ends are waited for; what the books say.
pub fn heard(lab: &mut Lab, count: usize) -> Recorded {
    due(lab, count);
    lab.settle();
    lab.seen()
}

/// How the events of a leg ended, and how many so.
pub fn ends(seen: &Recorded, leg: u8) -> Vec<(Outcome, u64)> {
    seen.legs.iter().filter(|row| row.0 == leg).map(|row| (row.1, row.2)).collect()
}

/// All ends of a leg.
pub fn count(seen: &Recorded, leg: u8) -> u64 {
    ends(seen, leg).iter().map(|end| end.1).sum()
}
