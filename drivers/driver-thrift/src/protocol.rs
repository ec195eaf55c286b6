//! Which protocol an address speaks, and how each of them writes calls and reads replies.

use crate::bundle::{Columns, Recipe};
use crate::reply::{self, Method, Reply};
use crate::wire::{self, Unread};
use crate::{binary, config::Exchange};
use terms::Nanos;

/// A protocol of receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Thrift's binary protocol.
    Thrift,
    /// The receivers' own, without definitions of streams.
    Binary,
}

impl Protocol {
    /// As a sentence has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Thrift => "Thrift's binary protocol",
            Self::Binary => "the receivers' own binary protocol",
        }
    }

    /// Writes the call of that number that signs in.
    pub(crate) fn sign_in(self, exchange: &Exchange, number: i32, into: &mut Vec<u8>) {
        let (user, password) = (exchange.user.as_bytes(), exchange.password.as_bytes());
        match self {
            Self::Thrift => {
                into.clear();
                wire::begin(into, Method::Connect.name(), number);
                wire::text_field(into, 1, user);
                wire::text_field(into, 2, password);
                wire::end(into);
            }
            Self::Binary => binary::sign_in(user, password, into),
        }
    }

    /// Writes the call that publishes a bundle: its events are numbered from `first` on, and happen at `wall`.
    pub(crate) fn publish(
        self,
        recipe: &Recipe,
        session: &[u8],
        (first, wall): (u64, Nanos),
        number: i32,
        columns: &mut Columns,
        into: &mut Vec<u8>,
    ) {
        match self {
            Self::Thrift => recipe.publish(session, (first, wall), number, columns, into),
            Self::Binary => binary::publish(recipe, session, (first, wall), into),
        }
    }

    /// Reads the reply to a call of this number; how many bytes it has.
    ///
    /// # Errors
    /// More has to come, or it is not the protocol.
    pub(crate) fn read(self, bytes: &[u8], method: Method, number: i32) -> Result<(Reply, usize), Unread> {
        match self {
            Self::Thrift => reply::read(bytes, method, number),
            Self::Binary => binary::read(bytes, method),
        }
    }
}

/// Writes the call that defines the stream, which only Thrift has.
pub(crate) fn define(exchange: &Exchange, session: &[u8], number: i32, into: &mut Vec<u8>) {
    into.clear();
    wire::begin(into, Method::DefineStream.name(), number);
    wire::text_field(into, 1, session);
    wire::text_field(into, 2, exchange.stream.definition().as_bytes());
    wire::end(into);
}
