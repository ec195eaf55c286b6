//! Why an exchange has no answer, and what is reported about it.

use crate::{Malformed, Trouble, in_words, say, show};
use contract::Note;
use terms::{Nanos, Outcome};

/// A connection that stood still for so long may have been closed for that; no common server closes one sooner.
pub(super) const LONG_IDLE: Nanos = Nanos::from_millis(500);
/// The beginning of an alert of TLS, which is how a server that speaks it answers one who does not.
const ALERT: [u8; 2] = [0x15, 0x03];
/// This much of what is not an answer is kept, to be shown.
const KEPT_BYTES: usize = 4 * 1024 + 1;

/// An exchange without an answer.
#[derive(Debug)]
pub struct Failed {
    /// How it ended.
    pub outcome: Outcome,
    pub why: Why,
    /// How far it had come, where that says anything.
    pub stood: Option<Stood>,
    /// How long its connection had stood still before it, where the server seems to have closed it for that.
    pub(crate) idle: Option<Idle>,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Why {
    /// The server closed the connection.
    Closed,
    /// The connection cannot go on.
    Trouble(Trouble),
    /// What came is not an answer; with its beginning.
    Malformed(Malformed, Vec<u8>),
    /// The server answers plain HTTP with an alert of TLS.
    SpeaksTls,
    /// By ALPN the server chose to speak this instead of HTTP/2, or nothing.
    Disagreed(String),
    /// What else went wrong with HTTP/2: half a sentence, which [`Failed::stood`] goes on with.
    Http2(String),
    /// It did not come in time.
    Late,
    /// It is longer than whoever waits for it reads.
    TooLong,
    /// A whole sentence.
    Said(String),
}

/// How far an exchange had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stood {
    /// There was no connection.
    Nowhere,
    /// The proxy had made no connection to the target.
    Tunnelling,
    /// TLS's handshake was not finished.
    Greeting,
    /// So many bytes of the request were sent.
    Sending(usize),
    /// The request waited for its turn on a shared connection.
    Queued,
    /// The request was sent.
    Sent,
    /// The request was sent, and nothing at all had ever come on the connection.
    SentToDeaf,
    /// A part of the answer's head had come.
    Head,
    /// The head had come, and so many bytes of the body.
    Body {
        /// Status of the answer.
        status: u16,
        /// Bytes of its body.
        bytes: u64,
    },
}

/// A connection that had stood still.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Idle {
    since: Nanos,
    is_http2: bool,
}

impl Failed {
    pub(crate) fn new(outcome: Outcome, why: Why, stood: Stood) -> Self {
        Self { outcome, why, stood: Some(stood), idle: None }
    }

    /// What says all by itself.
    pub(crate) fn plainly(outcome: Outcome, why: Why) -> Self {
        Self { outcome, why, stood: None, idle: None }
    }

    /// Bytes that are not an answer.
    pub(crate) fn malformed(why: Malformed, bytes: &[u8]) -> Self {
        let why = match bytes.starts_with(&ALERT) {
            true => Why::SpeaksTls,
            false => Why::Malformed(why, bytes[..bytes.len().min(KEPT_BYTES)].to_vec()),
        };
        Self::plainly(Outcome::Fault, why)
    }

    /// The same on a connection that had stood still for so long, `None` for a new one.
    pub(crate) fn after_idle(mut self, idle: Option<Nanos>, is_http2: bool) -> Self {
        let since = idle.filter(|idle| self.outcome == Outcome::Reset && *idle >= LONG_IDLE);
        self.idle = since.map(|since| Idle { since, is_http2 });
        self
    }

    /// Says why, and how far the exchange had come.
    pub fn tell(&self, note: &mut Note) {
        match &self.why {
            Why::Closed => say(note, format_args!("the server closed the connection: ")),
            Why::Trouble(Trouble::Io(error)) => say(note, format_args!("{error}: ")),
            Why::Trouble(Trouble::Tls(error)) => say(note, format_args!("TLS: {}: ", in_words(error))),
            Why::Trouble(Trouble::Proxy(said)) => say(note, format_args!("{said}: ")),
            Why::SpeaksTls => say(note, format_args!("the server speaks TLS on this port: write `https://`")),
            Why::Malformed(why, bytes) => {
                say(note, format_args!("the answer is not HTTP: {}:", why.0));
                show(note, bytes);
            }
            Why::Disagreed(chosen) => {
                note.add(b"the server does not speak HTTP/2: by ALPN it chose ");
                match chosen.as_str() {
                    "" => note.add(b"nothing"),
                    chosen => show(note, chosen.as_bytes()),
                }
                note.add(b"; write `version: 1.1`; ");
            }
            Why::Late => note.add(b"no whole answer in time: "),
            Why::TooLong => note.add(b"the answer is too long"),
            Why::Http2(said) | Why::Said(said) => note.add(said.as_bytes()),
        }
        if let Some(stood) = self.stood {
            stood.tell(note);
        }
        if let Some(idle) = self.idle {
            idle.tell(note);
        }
    }
}

impl Stood {
    /// Says it.
    pub fn tell(&self, note: &mut Note) {
        match self {
            Self::Nowhere => note.add(b"there was no connection"),
            Self::Tunnelling => note.add(b"the proxy was connected, nothing of the request was sent"),
            Self::Greeting => note.add(b"the handshake of TLS was not finished, so nothing of the request was sent"),
            Self::Sending(bytes) => say(note, format_args!("{bytes} bytes of the request were sent")),
            Self::Queued => note.add(b"the request waited to be sent"),
            Self::Sent => note.add(b"the request was sent, no byte of an answer had come"),
            Self::SentToDeaf => note.add(b"the request was sent, no byte of HTTP/2 had come on the connection"),
            Self::Head => note.add(b"part of the answer's head had come"),
            Self::Body { status, bytes } => {
                say(note, format_args!("status {status} and {bytes} bytes of the body had come"));
            }
        }
    }
}

impl Idle {
    fn tell(&self, note: &mut Note) {
        let seconds = self.since.as_secs_f64();
        // Over HTTP/2 there is no such header: a server says nothing of how long it keeps a connection.
        let have_it = match self.is_http2 {
            true => "keep one for longer than the load leaves it idle",
            false => "say how long it keeps one (`Keep-Alive: timeout=…`)",
        };
        let less = match (seconds * 0.8).floor() {
            whole if whole >= 1.0 => format!("{whole}s"),
            _ => format!("{:.0}ms", (seconds * 80.0).floor() * 10.0),
        };
        say(
            note,
            format_args!(
                "; the connection had been idle for {seconds:.1} s, and the server seems to have closed it for that at \
                 the same moment: have it {have_it}, or write `connection: {{ idle: {less} }}`"
            ),
        );
    }
}
