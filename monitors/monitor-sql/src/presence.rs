//! Whether a server is there: when it is tried again, and what is told when it goes and comes.

use contract::{Event, Samples};
use terms::Nanos;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The server refused a statement; the connection goes on.
    Refused(String),
    /// No answer came in time: a server that is slow, or stands still, is not gone.
    Silent(String),
    /// The connection was closed, or refused.
    Lost(String),
}

impl Trouble {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Refused(text) | Self::Silent(text) | Self::Lost(text) => text,
        }
    }
}

/// Between two attempts to connect to a server that does not answer: doubled up to the greatest.
const WAIT_LEAST: Nanos = Nanos::from_secs(1);
const WAIT_MOST: Nanos = Nanos::from_secs(8);

/// Whether the server answered last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It has not been asked.
    New,
    Up,
    Gone,
}

/// A server as it was seen last.
pub(crate) struct Presence {
    name: String,
    shown: String,
    state: State,
    /// When the server was started, as it said last: another time is a restart.
    started: Option<String>,
    next_try: Nanos,
    wait: Nanos,
}

impl Presence {
    /// Of the monitor of this name; `shown` is the address without a password.
    pub(crate) fn new(name: &str, shown: &str) -> Self {
        Self {
            name: name.to_owned(),
            shown: shown.to_owned(),
            state: State::New,
            started: None,
            next_try: Nanos(i64::MIN),
            wait: WAIT_LEAST,
        }
    }

    /// Whether it is time to connect. After an attempt that failed it is not tried again for a while.
    pub(crate) fn may_try(&self, now: Nanos) -> Result<(), Trouble> {
        if now < self.next_try {
            return Err(Trouble::Silent(format!("it is tried again in {}", self.next_try - now)));
        }
        Ok(())
    }

    /// An attempt to connect has failed.
    pub(crate) fn failed(&mut self, now: Nanos) {
        self.next_try = now + self.wait;
        self.wait = (self.wait * 2).min(WAIT_MOST);
    }

    /// An attempt to connect has led to a connection.
    pub(crate) fn connected(&mut self) {
        (self.wait, self.next_try) = (WAIT_LEAST, Nanos(i64::MIN));
    }

    /// The server answers: after it was gone that is an event, `restart` if it was started anew.
    pub(crate) fn up(&mut self, started: String, at: Nanos, out: &mut Samples) {
        let is_anew = self.started.as_ref().is_some_and(|before| *before != started);
        let instance = out.instance(&self.name);
        if is_anew {
            let text = format!("the server of `{}` was started again, at {started}", self.name);
            out.event(at, instance, Event { kind: "restart", text });
        } else if self.state == State::Gone {
            let text = format!("the server of `{}` answers again", self.name);
            out.event(at, instance, Event { kind: "back", text });
        }
        self.state = State::Up;
        self.started = Some(started);
    }

    /// The connection is lost: an event, once.
    pub(crate) fn gone(&mut self, why: &str, at: Nanos, out: &mut Samples) {
        if self.state == State::Up {
            let instance = out.instance(&self.name);
            let text = format!("the server of `{}` ({}) does not answer any more: {why}", self.name, self.shown);
            out.event(at, instance, Event { kind: "gone", text });
            self.state = State::Gone;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(out: &mut Samples) -> Vec<&'static str> {
        out.take().1.into_iter().map(|(_, _, event)| event.kind).collect()
    }

    #[test]
    fn an_outage_is_two_events_and_another_start_is_a_restart() {
        let (mut one, mut out) = (Presence::new("store", "postgres://store"), Samples::default());
        one.gone("refused", Nanos::ZERO, &mut out);
        assert_eq!(kinds(&mut out), Vec::<&str>::new(), "what was never there does not go");
        one.up("noon".into(), Nanos::ZERO, &mut out);
        one.gone("cut", Nanos::ZERO, &mut out);
        one.gone("cut", Nanos::ZERO, &mut out);
        one.up("noon".into(), Nanos::ZERO, &mut out);
        one.gone("cut", Nanos::ZERO, &mut out);
        one.up("one o'clock".into(), Nanos::ZERO, &mut out);
        assert_eq!(kinds(&mut out), ["gone", "back", "gone", "restart"]);
    }

    #[test]
    fn attempts_lie_one_to_eight_seconds_apart() {
        let mut one = Presence::new("store", "");
        let mut now = Nanos::ZERO;
        let mut gaps = Vec::new();
        for _ in 0..5 {
            one.failed(now);
            let gap = (0..20).find(|s| one.may_try(now + Nanos::from_secs(*s)).is_ok()).unwrap();
            gaps.push(gap);
            now += Nanos::from_secs(gap);
        }
        assert_eq!(gaps, [1, 2, 4, 8, 8]);
        one.connected();
        assert!(one.may_try(Nanos::ZERO).is_ok());
    }
}
