//! A connection that is open: what comes on it, taken out of HTTP's framing and cut into events.
//!
//! Sockets' events are edge-triggered: reading goes on until the socket has said that it has nothing, or for a long run.

use super::events::{Arrival, Flow};
use super::{End, Held};
use crate::COMMENTS;
use crate::config::Exchange;
use crate::driver::{Common, Scratch};
use crate::parser::Parser;
use contract::Recorder;
use http_wire::{AtEnd, Body, Connection, Received, WAIT_MOST};
use terms::Nanos;

/// After this many readings in a row (1 MiB and more) other connections get their turn.
const READINGS_MAX: u32 = 16;
/// A longer id is not sent back: a head is bounded, and a server's word must not make it large.
const ID_BYTES_MAX: usize = 4 * 1024;

/// A connection that is open.
pub(super) struct Open {
    connection: Connection,
    body: Body,
    parser: Parser,
    flow: Flow,
}

impl Open {
    /// `flow` is what is known of its events.
    pub(super) fn new(connection: Connection, body: Body, exchange: &Exchange, flow: Flow) -> Self {
        Self { connection, body, parser: Parser::new(exchange.event_max), flow }
    }

    /// Whether a part of an event has come that is not whole.
    pub(super) fn has_part(&self) -> bool {
        self.parser.has_part()
    }

    /// Numbers of events that have not come, and still may.
    pub(super) fn holes(&self) -> u32 {
        self.flow.holes()
    }

    /// Gives its buffers back. Returns how many of its events are lost.
    pub(super) fn let_go(mut self, common: &Common, recorder: &mut Recorder) -> u64 {
        recorder.count(COMMENTS, self.parser.take_comments().into());
        self.parser.give_up(&common.shared.spare);
        self.flow.end()
    }

    /// Takes what has come: first `rest`, which was read with something else, then what the socket has. `false` when that
    /// has more.
    pub(super) fn read(
        &mut self,
        rest: &[u8],
        exchange: &Exchange,
        common: &Common,
        held: &mut Held,
        recorder: &mut Recorder,
    ) -> Result<bool, End> {
        self.take(rest, exchange, common, held, recorder)?;
        let mut buffer = common.buffer.borrow_mut();
        for _ in 0..READINGS_MAX {
            match self.connection.receive(&mut buffer)? {
                Received::Bytes(count) => self.take(&buffer[..count], exchange, common, held, recorder)?,
                Received::Nothing => return Ok(true),
                Received::End { is_clean } if is_clean && self.body.at_end() == AtEnd::Complete => {
                    return Err(End::Finished);
                }
                Received::End { is_clean } => return Err(End::Cut { is_clean }),
            }
        }
        Ok(false)
    }

    fn take(
        &mut self,
        bytes: &[u8],
        exchange: &Exchange,
        common: &Common,
        held: &mut Held,
        recorder: &mut Recorder,
    ) -> Result<(), End> {
        let mut rest = bytes;
        while !rest.is_empty() && !self.body.is_done() {
            let piece = self.body.feed(rest).map_err(End::Malformed)?;
            rest = &rest[piece.used..];
            self.digest(piece.data, exchange, common, held, recorder)?;
        }
        self.parser.let_go(&common.shared.spare);
        // Whatever follows the answer is nobody's: the connection is not used again.
        if self.body.is_done() { Err(End::Finished) } else { Ok(()) }
    }

    /// Takes bytes of the stream itself.
    fn digest(
        &mut self,
        bytes: &[u8],
        exchange: &Exchange,
        common: &Common,
        held: &mut Held,
        recorder: &mut Recorder,
    ) -> Result<(), End> {
        let mut scratch = common.scratch.borrow_mut();
        let Scratch { joined, text } = &mut *scratch;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (used, block) = self.parser.feed(rest, &common.shared.spare, joined).map_err(|_| End::TooLong)?;
            rest = &rest[used..];
            let Some(block) = block else { continue };
            if let Some(id) = block.id.filter(|_| exchange.reconnect.is_some()) {
                keep_id(id, &mut held.last_id);
            }
            if let Some(event) = block.event {
                let Held { task, account, .. } = held;
                self.flow.event(&Arrival { event, id: block.id, exchange, opened: task }, account, text, recorder);
            }
        }
        if let Some(millis) = self.parser.take_retry() {
            held.wait = Some(Nanos::from_millis(millis.into()).min(WAIT_MOST));
        }
        match self.parser.take_comments() {
            0 => {}
            count => recorder.count(COMMENTS, count.into()),
        }
        Ok(())
    }
}

/// Keeps an id as it is sent back; one that cannot be sent is forgotten, and so is the one before it.
fn keep_id(id: &[u8], kept: &mut Vec<u8>) {
    kept.clear();
    let can_be_sent = id.len() <= ID_BYTES_MAX && id.iter().all(|&byte| byte >= b' ' && byte != 0x7f);
    if can_be_sent {
        // What is not UTF-8 is replaced when a stream is decoded.
        match std::str::from_utf8(id) {
            Ok(_) => kept.extend_from_slice(id),
            Err(_) => kept.extend_from_slice(String::from_utf8_lossy(id).as_bytes()),
        }
    }
}
