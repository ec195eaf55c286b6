//! A connection that is open: what comes on it, and what is sent.
//!
//! Events are edge-triggered: reading goes on until the socket has said that it has nothing, or for a long run. One frame at
//! a time is written; pings and pongs go before the message in hand.

use super::answers::answered;
use super::{End, Talk};
use crate::SENT;
use crate::close::Closed;
use crate::config::{Exchange, Expected};
use crate::decode::{Decoder, Event, Wire};
use crate::driver::Common;
use crate::flights::{self, Flights};
use crate::frame::{self, CONTROL_BYTES_MAX, Opcode};
use crate::{ANSWER, GAP, PINGED, PINGS, PONGS, RECEIVED_BYTES, RECEIVED_ON_WIRE, SENT_BYTES, SENT_ON_WIRE};
use contract::{Recorder, Task};
use http_wire::{Connection, Received, Trouble};
use terms::{Nanos, Outcome, seed};

/// After this many readings in a row (1 MiB and more) other connections get their turn.
const READINGS_MAX: u32 = 16;

/// A connection that is open.
pub(super) struct Open {
    /// Its first opening.
    pub(super) task: Task,
    connection: Connection,
    decoder: Decoder,
    /// When the last message came on it.
    last: Option<Nanos>,
    /// The frame that is being written, from `written` on.
    frame: Vec<u8>,
    written: usize,
    is_writing: bool,
    /// Whether that is the message in hand; one that was given up is written to its end as well.
    is_message: bool,
    /// The payload of a ping that is to be answered, if there is one; a newer one takes its place (RFC 6455, section 5.5.3).
    pong: Vec<u8>,
    is_pinged: bool,
    ping: Option<Ping>,
    /// What masks are made from, and how many there were.
    masks: (u64, u64),
}

/// When the next ping is due, and whether the last one was answered.
struct Ping {
    every: Nanos,
    next: Nanos,
    is_unanswered: bool,
    /// For which of them the engine was asked to call.
    asked: Option<Nanos>,
}

impl Open {
    pub(super) fn new(
        connection: Connection,
        task: &Task,
        exchange: &Exchange,
        (seed, opening): (u64, u64),
        now: Nanos,
    ) -> Self {
        Self {
            task: *task,
            connection,
            decoder: Decoder::new(exchange.message_max, false),
            last: None,
            frame: Vec::new(),
            written: 0,
            is_writing: false,
            is_message: false,
            pong: Vec::new(),
            is_pinged: false,
            ping: exchange.ping.map(|every| Ping { every, next: now + every, is_unanswered: false, asked: None }),
            masks: (seed::hash(seed, opening), 0),
        }
    }

    /// Messages are compressed from the first on.
    pub(super) fn agree_on_compression(&mut self, exchange: &Exchange) {
        self.decoder = Decoder::new(exchange.message_max, true);
    }

    /// Whether a part of a message has come that is not whole.
    pub(super) fn has_part(&self) -> bool {
        self.decoder.has_part()
    }

    /// Gives its buffers back.
    pub(super) fn let_go(mut self, common: &Common) {
        self.decoder.give_up(&common.shared.spare);
        common.shared.spare.give(self.frame);
    }

    /// Tells the server that it is over; 0 for no code. If the socket does not take it, nobody waits for it.
    pub(super) fn say_goodbye(&mut self, code: u16) {
        // In the middle of a frame it would be taken for a part of that.
        if self.is_writing {
            return;
        }
        let payload = code.to_be_bytes();
        self.control(Opcode::Close, if code == 0 { &[] } else { &payload });
        let _ = self.connection.send(&self.frame, &mut self.written);
    }

    /// Takes what has come: first `rest`, which was read with something else, then what the socket has. `false` when that
    /// has more.
    pub(super) fn read(
        &mut self,
        rest: &[u8],
        exchange: &Exchange,
        common: &Common,
        flights: &mut Flights,
        recorder: &mut Recorder,
    ) -> Result<bool, End> {
        self.take(rest, exchange, common, flights, recorder)?;
        let mut buffer = common.buffer.borrow_mut();
        for _ in 0..READINGS_MAX {
            match self.connection.receive(&mut buffer)? {
                Received::Bytes(count) => self.take(&buffer[..count], exchange, common, flights, recorder)?,
                Received::Nothing => return Ok(true),
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
        flights: &mut Flights,
        recorder: &mut Recorder,
    ) -> Result<(), End> {
        let mut rest = bytes;
        let has_compression = self.decoder.has_compression();
        let mut inflater = common.inflater.borrow_mut();
        while !rest.is_empty() {
            let (used, event) = self.decoder.feed(rest, &common.shared.spare, &mut inflater).map_err(End::Violation)?;
            rest = &rest[used..];
            match event {
                None => {}
                Some(Event::Text(text, wire)) => {
                    self.last = gap_to(self.last, &self.task, recorder);
                    count_received(has_compression, text.len(), wire, recorder);
                    answered(text.as_bytes(), wire, exchange, flights, recorder);
                }
                Some(Event::Binary(bytes, wire)) => {
                    self.last = gap_to(self.last, &self.task, recorder);
                    count_received(has_compression, bytes.len(), wire, recorder);
                    answered(bytes, wire, exchange, flights, recorder);
                }
                Some(Event::Ping(payload)) => {
                    recorder.count(PINGED, 1);
                    self.pong.clear();
                    self.pong.extend_from_slice(payload);
                    self.is_pinged = true;
                }
                Some(Event::Pong(_)) => {
                    recorder.count(PONGS, 1);
                    if let Some(ping) = &mut self.ping {
                        ping.is_unanswered = false;
                    }
                }
                Some(Event::Close(payload)) => {
                    return Err(match Closed::read(payload) {
                        Ok(closed) => End::Closed(closed),
                        Err(violation) => End::Violation(violation),
                    });
                }
            }
        }
        self.decoder.let_go(&common.shared.spare);
        inflater.let_go();
        Ok(())
    }

    /// Sends what is due, as far as the kernel takes it.
    pub(super) fn write(
        &mut self,
        exchange: &Exchange,
        common: &Common,
        talk: &mut Talk,
        recorder: &mut Recorder,
    ) -> Result<(), End> {
        loop {
            if self.is_writing {
                self.is_writing = !self.connection.send(&self.frame, &mut self.written)?;
                if self.is_writing {
                    return Ok(());
                }
                let in_hand = talk.in_hand.filter(|in_hand| in_hand.is_frame && self.is_message);
                self.is_message = false;
                if let Some(in_hand) = in_hand {
                    talk.in_hand = None;
                    recorder.close(&in_hand.task, SENT, Outcome::Ok, in_hand.task.units, 0);
                }
            }
            if !self.next_frame(exchange, common, talk, recorder)? {
                common.shared.spare.give(std::mem::take(&mut self.frame));
                return Ok(());
            }
        }
    }

    /// When it has to be called although nothing comes: once for each ping.
    pub(super) fn wants_call(&mut self) -> Option<Nanos> {
        let ping = self.ping.as_mut()?;
        (ping.asked.replace(ping.next) != Some(ping.next)).then_some(ping.next)
    }

    /// Writes the next frame that is to be sent; `false` if there is none.
    fn next_frame(
        &mut self,
        exchange: &Exchange,
        common: &Common,
        talk: &mut Talk,
        recorder: &mut Recorder,
    ) -> Result<bool, End> {
        if self.frame.capacity() == 0 {
            self.frame = common.shared.spare.take();
        }
        if std::mem::take(&mut self.is_pinged) {
            let payload = std::mem::take(&mut self.pong);
            self.control(Opcode::Pong, &payload);
            self.pong = payload;
            return Ok(true);
        }
        let now = recorder.now();
        if let Some(ping) = self.ping.as_mut().filter(|ping| ping.next <= now) {
            if ping.is_unanswered {
                return Err(End::NoPong);
            }
            // Those that were missed, since nothing was to be done meanwhile, are not made up for.
            (ping.is_unanswered, ping.next) = (true, now + ping.every);
            recorder.count(PINGS, 1);
            self.control(Opcode::Ping, b"");
            return Ok(true);
        }
        let Some(task) = talk.in_hand.filter(|in_hand| !in_hand.is_frame).map(|in_hand| in_hand.task) else {
            return Ok(false);
        };
        if let Err(why) = self.message(&task, exchange, common, talk, recorder) {
            recorder.note(Outcome::BadStudy, &mut |note| note.add(why.as_bytes()));
            talk.close(exchange, Outcome::BadStudy, recorder);
            return Ok(false);
        }
        Ok(true)
    }

    /// Writes the frame of the message in hand, and has its answer waited for.
    fn message(
        &mut self,
        task: &Task,
        exchange: &Exchange,
        common: &Common,
        talk: &mut Talk,
        recorder: &mut Recorder,
    ) -> Result<(), String> {
        frame::begin(&mut self.frame);
        recorder.number_message(talk.flights.number());
        if !recorder.render(task, exchange.message, &mut self.frame) {
            let never = || "a value that the message needs was never captured".to_owned();
            return Err(recorder.take_trouble().unwrap_or_else(never));
        }
        let payload = &self.frame[frame::SENT_HEAD_MAX..];
        let text = match exchange.opcode {
            Opcode::Text => std::str::from_utf8(payload)
                .map_err(|_| "the message is to be a text and is not UTF-8: write `binary`".to_owned())?,
            _ => "",
        };
        let expected = exchange.expected.map(|expected| match expected {
            Expected::Sent => flights::hash(payload),
            Expected::Reversed => {
                let mut reversed = common.scratch.borrow_mut();
                reverse(text, &mut reversed);
                flights::hash(&reversed)
            }
        });
        recorder.started(task);
        if exchange.is_answered() {
            // From now on: an answer may overtake the end of the message.
            recorder.expect(task, ANSWER, recorder.key(task), exchange.within);
            talk.flights.push(task, expected, |task| recorder.is_awaited(recorder.key(task)));
        } else {
            talk.flights.count();
        }
        if self.decoder.has_compression() {
            self.compress(common, recorder);
        }
        self.finish(exchange.opcode, self.decoder.has_compression());
        self.is_message = true;
        if let Some(in_hand) = &mut talk.in_hand {
            in_hand.is_frame = true;
        }
        Ok(())
    }

    /// Makes the payload of the frame that was begun a compressed one, and counts its bytes before and after.
    fn compress(&mut self, common: &Common, recorder: &mut Recorder) {
        let mut deflater = common.deflater.borrow_mut();
        let content = &self.frame[frame::SENT_HEAD_MAX..];
        recorder.count(SENT_BYTES, content.len() as i64);
        let payload = deflater.deflate(content);
        recorder.count(SENT_ON_WIRE, payload.len() as i64);
        self.frame.truncate(frame::SENT_HEAD_MAX);
        self.frame.extend_from_slice(payload);
    }

    fn control(&mut self, opcode: Opcode, payload: &[u8]) {
        frame::begin(&mut self.frame);
        self.frame.extend_from_slice(&payload[..payload.len().min(CONTROL_BYTES_MAX)]);
        self.finish(opcode, false);
    }

    fn finish(&mut self, opcode: Opcode, is_compressed: bool) {
        let (run, count) = &mut self.masks;
        let mask = seed::hash(*run, *count) as u32;
        *count += 1;
        self.written = frame::finish(&mut self.frame, opcode, is_compressed, mask.to_be_bytes());
        self.is_writing = true;
    }
}

impl From<Trouble> for End {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// A message has come: books the time since the one before it on the same connection, if there was one. Returns when.
fn gap_to(last: Option<Nanos>, opened: &Task, recorder: &mut Recorder) -> Option<Nanos> {
    let now = recorder.now();
    if let Some(last) = last {
        recorder.timed((opened.exchange, GAP), Outcome::Ok, now - last, 0);
    }
    Some(now)
}

/// Counts the bytes of a message that came, as they are and as they came, where compression was agreed on.
fn count_received(has_compression: bool, content: usize, wire: Wire, recorder: &mut Recorder) {
    if has_compression {
        recorder.count(RECEIVED_BYTES, content as i64);
        recorder.count(RECEIVED_ON_WIRE, wire.map_or(content as i64, |wire| wire as i64));
    }
}

/// The characters of a text in reverse order.
fn reverse(text: &str, into: &mut Vec<u8>) {
    into.clear();
    for c in text.chars().rev() {
        into.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_turned_round_not_bytes() {
        let mut reversed = Vec::new();
        reverse("aß€🙂", &mut reversed);
        assert_eq!(reversed, "🙂€ßa".as_bytes());
        reverse("", &mut reversed);
        assert!(reversed.is_empty());
    }
}
