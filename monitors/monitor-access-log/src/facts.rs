//! What is told of a log besides its calls.

use contract::{FactKind, FactRole};

pub(crate) const LOGGED: &str = "as each line says";
pub(crate) const LOGGED_SECONDS: &str = "as each line says, to the second: a call lies in the middle of its second";
pub(crate) const READ: &str = "when each line was read";
pub(crate) const NO_DURATION: &str = "none in this format";

contract::facts! {
    LOG = FactKind::new("access log").with_role(FactRole::Label);
    FORMAT = FactKind::new("format of the log");
    UNIT = FactKind::new("unit of its durations").with_values(&[("none", NO_DURATION)]);
    TIMES = FactKind::new("times of calls").with_values(&[
        ("logged", LOGGED),
        ("logged-seconds", LOGGED_SECONDS),
        ("read", READ),
    ]);
    LINES = FactKind::new("lines of the log").with_role(FactRole::Passing);
}
