//! Why a connection has ended, and what that means for the events that were due on it.

use contract::Note;
use http_wire::{Malformed, Trouble, in_words, say};
use terms::Outcome;

/// Why a connection has ended.
#[derive(Debug)]
pub(super) enum End {
    /// The server has ended the answer as HTTP has it.
    Finished,
    /// The connection was closed in the middle of the answer; `is_clean` unless TLS was cut off without its closing
    /// message.
    Cut {
        is_clean: bool,
    },
    Trouble(Trouble),
    /// What came is not a body of HTTP.
    Malformed(Malformed),
    /// An event is longer than `max_event`.
    TooLong,
    /// Another one was asked for.
    Replaced,
}

impl End {
    /// How an event ends that was due.
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Malformed(_) | Self::TooLong | Self::Trouble(Trouble::Tls(_)) => Outcome::Fault,
            _ => Outcome::Reset,
        }
    }

    /// Says it.
    pub(super) fn tell(&self, note: &mut Note) {
        match self {
            Self::Finished => note.add(b"the server ended the stream"),
            Self::Cut { is_clean: true } => note.add(b"the server closed the connection in the middle of the stream"),
            Self::Cut { is_clean: false } => note.add(b"the connection was cut off without TLS's closing message"),
            Self::Trouble(Trouble::Io(error)) => say(note, format_args!("{error}: the connection is broken")),
            Self::Trouble(Trouble::Tls(error)) => say(note, format_args!("TLS: {}", in_words(error))),
            Self::Trouble(Trouble::Proxy(said)) => note.add(said.as_bytes()),
            Self::Malformed(why) => say(note, format_args!("the stream is not HTTP: {}", why.0)),
            Self::TooLong => note.add(b"the server sent an event longer than `max_event`"),
            Self::Replaced => note.add(b"another connection took the place of this one"),
        }
    }
}

impl From<Trouble> for End {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}
