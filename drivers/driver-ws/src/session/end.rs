//! Why a connection has ended, and what that means for the messages that waited on it.

use crate::close::{Closed, NORMAL};
use crate::frame::Violation;
use contract::Note;
use http_wire::{Trouble, found, in_words, say};
use terms::Outcome;

/// Why a connection has ended.
#[derive(Debug)]
pub(super) enum End {
    /// The server closed it, as the protocol has it.
    Closed(Closed),
    /// It ended without a word; `is_clean` unless TLS was cut off without its closing message.
    Cut {
        is_clean: bool,
    },
    Trouble(Trouble),
    /// The server breaks the protocol.
    Violation(Violation),
    /// A ping had no pong until the next one was due.
    NoPong,
    /// Another one was asked for.
    Replaced,
}

impl End {
    /// How a message ends that had been sent.
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Closed(closed) => closed.outcome(),
            Self::Violation(_) | Self::Trouble(Trouble::Tls(_)) => Outcome::Fault,
            _ => Outcome::Reset,
        }
    }

    /// The code that the server is told, where it can still be told one.
    pub(super) fn code(&self) -> Option<u16> {
        match self {
            // A close frame is answered with its own code, or with none.
            Self::Closed(closed) => Some(closed.code.unwrap_or(0)),
            Self::Violation(violation) => Some(violation.code),
            Self::NoPong | Self::Replaced => Some(NORMAL),
            Self::Cut { .. } | Self::Trouble(_) => None,
        }
    }

    /// Says it.
    pub(super) fn tell(&self, note: &mut Note) {
        match self {
            Self::Closed(closed) => {
                say(note, format_args!("the server closed the connection: "));
                if let Some(code) = closed.code {
                    say(note, format_args!("{code}, "));
                }
                note.add(closed.word().as_bytes());
                if !closed.reason.is_empty() {
                    let reason = found(note, &closed.reason);
                    say(note, format_args!(", `{reason}`"));
                }
            }
            Self::Cut { is_clean: true } => note.add(b"the server ended the connection without a close frame"),
            Self::Cut { is_clean: false } => note.add(b"the connection was cut off without TLS's closing message"),
            Self::Trouble(Trouble::Io(error)) => say(note, format_args!("{error}: the connection is broken")),
            Self::Trouble(Trouble::Tls(error)) => say(note, format_args!("TLS: {}", in_words(error))),
            Self::Trouble(Trouble::Proxy(said)) => note.add(said.as_bytes()),
            Self::Violation(violation) => {
                let Violation { code, what } = violation;
                say(note, format_args!("the server sent {what}; the connection was closed with {code}"));
            }
            Self::NoPong => note.add(b"no pong came until the next ping was due: the connection is taken for dead"),
            Self::Replaced => note.add(b"another connection took the place of this one"),
        }
    }
}
