//! What the server does with one connection: read, decide, answer, end.

use std::io;
use std::net::Shutdown;
use std::rc::Rc;
use std::time::Duration;

use rustix::event::epoll::{self, EventFlags};

use crate::answer::{Answer, Body, Ending};
use crate::connection::{Connection, Departure, PendingKind, Request, is_head_only};
use crate::control::{self, Facts};
use crate::request::Refusal;
use crate::sequence::Entry;
use crate::server::{Arrival, Server, Service};
use crate::slots::SlotId;
use crate::units::SECOND_NS;

/// Reads in a row on one connection before others have their turn.
const READS: usize = 16;

/// How long the client's end is waited for after ours. Closing at once, with bytes of the client unread,
/// would reset the connection and could take the answer with it.
const LINGER_NS: u64 = 2 * SECOND_NS;

/// What becomes of a connection.
#[derive(PartialEq, Eq)]
enum Fate {
    Stays,
    Ends,
}

impl<S: Service> Server<S> {
    /// The kernel has announced something, or work is left from last time.
    pub(crate) fn on_event(&mut self, id: SlotId, flags: EventFlags) {
        let Some(mut connection) = self.connections.take(id) else { return };
        let is_over = flags.intersects(EventFlags::HUP | EventFlags::ERR);
        let mut fate = Fate::Stays;
        if connection.wants_read() && flags.intersects(EventFlags::IN | EventFlags::HUP | EventFlags::ERR) {
            fate = self.read(id, &mut connection);
        } else if is_over {
            fate = Fate::Ends;
        }
        self.settle(id, connection, fate);
    }

    /// The answer to request `number` is due.
    pub(crate) fn on_due(&mut self, id: SlotId, number: u64) {
        let Some(mut connection) = self.connections.take(id) else { return };
        connection.make_ready(number);
        self.settle(id, connection, Fate::Stays);
    }

    /// A request took too long, or a client does not end a connection that we ended.
    pub(crate) fn on_overdue(&mut self, id: SlotId) {
        let Some(mut connection) = self.connections.take(id) else { return };
        if connection.linger_until_ns.is_some() {
            self.drop_connection(id, connection);
            return;
        }
        self.refuse(&mut connection, Refusal { status: 408, why: "the request was not whole in time" });
        self.settle(id, connection, Fate::Stays);
    }

    /// Closes it, and counts what it leaves unanswered.
    pub(crate) fn drop_connection(&mut self, id: SlotId, connection: Box<Connection>) {
        self.counters.abandoned += connection.unanswered();
        self.counters.truncated += u64::from(connection.is_mid_request());
        // Closing the descriptor takes it out of epoll as well: it was never duplicated.
        drop(connection);
        self.connections.free(id);
    }

    fn read(&mut self, id: SlotId, connection: &mut Connection) -> Fate {
        for _ in 0..READS {
            let mut scratch = std::mem::take(&mut self.scratch);
            let read = connection.read(&mut scratch);
            self.scratch = scratch;
            match read {
                Ok(0) => {
                    connection.input_ended = true;
                    connection.partial_since_ns = None;
                    return Fate::Stays;
                }
                Ok(count) => {
                    self.counters.bytes_read += count as u64;
                    // Stamped after the read: the request was there by now, so no answer can be early.
                    let now_ns = self.clock.now_ns();
                    self.take_requests(id, connection, now_ns);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Fate::Stays,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Fate::Ends,
            }
            if !connection.wants_read() {
                return Fate::Stays;
            }
        }
        // A session may hold bytes that the socket no longer announces.
        self.revisit.push(id);
        Fate::Stays
    }

    /// Takes all whole requests that have been read, up to the bound of waiting ones.
    fn take_requests(&mut self, id: SlotId, connection: &mut Connection, now_ns: u64) {
        while connection.takes_requests() {
            match connection.next_request(self.service.keeps_bodies()) {
                Ok(Some(request)) => {
                    connection.partial_since_ns = None;
                    self.take_request(id, connection, request, now_ns);
                }
                Ok(None) => break,
                Err(refusal) => self.refuse(connection, refusal),
            }
        }
        if connection.is_mid_request() && connection.takes_requests() {
            connection.partial_since_ns.get_or_insert(now_ns);
        }
    }

    fn take_request(&mut self, id: SlotId, connection: &mut Connection, request: Request, now_ns: u64) {
        let Request { head, body } = request;
        let head_only = is_head_only(&head);
        if control::is_control(head.path()) {
            self.counters.control += 1;
            let answer = close_unless(head.keep_alive, self.control_answer(head.path()));
            self.stop_after(connection, answer.ending);
            connection.queue(PendingKind::Control { answer, head_only }, true, 0);
            return;
        }
        let number = self.counters.requests;
        self.counters.requests += 1;
        connection.requests += 1;
        let holds_bytes = body.len();
        let on_connection = connection.requests;
        let plan = self.service.arrive(Arrival { number, arrival_ns: now_ns, on_connection, head: &head, body });
        self.log.borrow_mut().arrive(Entry {
            arrival_ns: now_ns,
            service_ns: plan.service_ns,
            due_ns: plan.due_ns,
            begun_ns: None,
            real_ns: None,
        });
        if let Some(status) = plan.interim {
            connection.queue(PendingKind::Interim(status), true, 0);
        }
        let answer = close_unless(head.keep_alive, plan.answer);
        self.stop_after(connection, answer.ending);
        let is_ready = plan.due_ns <= now_ns;
        connection.queue(PendingKind::Load { answer, head_only, number, due_ns: plan.due_ns }, is_ready, holds_bytes);
        if !is_ready {
            self.timeline.push(plan.due_ns, number, id);
        }
    }

    fn control_answer(&self, path: &str) -> Answer {
        let facts = Facts {
            program: self.program,
            nonce: &self.options.nonce,
            now_ns: self.clock.now_ns(),
            open: self.connections.len(),
            counters: &self.counters,
            lateness: &self.lateness,
            log: &Rc::clone(&self.log),
        };
        control::answer(path, &facts, &self.service.counters())
    }

    fn refuse(&mut self, connection: &mut Connection, refusal: Refusal) {
        self.counters.refused += 1;
        connection.stop_reading();
        let body = Body::Owned(format!("{}\n", refusal.why).into_bytes());
        let answer = Answer { ending: Ending::Close, ..Answer::new(refusal.status, "text/plain", body) };
        connection.queue(PendingKind::Control { answer, head_only: false }, true, 0);
    }

    fn stop_after(&self, connection: &mut Connection, ending: Ending) {
        if ending != Ending::KeepAlive {
            connection.stop_reading();
        }
    }

    /// Sends what can be sent and puts the connection back, or ends it. Every path over a connection ends here.
    fn settle(&mut self, id: SlotId, mut connection: Box<Connection>, fate: Fate) {
        let fate = if fate == Fate::Ends { fate } else { self.send(id, &mut connection) };
        if fate == Fate::Ends || self.update_interest(id, &mut connection).is_err() {
            self.drop_connection(id, connection);
        } else {
            self.connections.put_back(id, connection);
        }
    }

    fn send(&mut self, id: SlotId, connection: &mut Connection) -> Fate {
        let took_requests = connection.takes_requests();
        loop {
            connection.fill_outbox();
            let before = connection.outbox.written();
            let begun_ns = self.clock.now_ns();
            let sent = connection.outbox.send(connection.session.as_mut(), &mut connection.stream);
            self.counters.bytes_written += connection.outbox.written() - before;
            match sent {
                Ok(is_empty) => connection.is_blocked = !is_empty,
                Err(_) => return Fate::Ends,
            }
            self.note_departures(connection, begun_ns);
            let has_more = connection.pending.front().is_some_and(|pending| pending.is_ready);
            if connection.is_blocked || connection.ending.is_some() || !has_more {
                break;
            }
        }
        if !connection.is_blocked && connection.linger_until_ns.is_none() && connection.ending.is_some() {
            return self.end(connection);
        }
        if !took_requests && connection.takes_requests() {
            // Requests that were read while too many waited get their turn; no event would announce them.
            let now_ns = self.clock.now_ns();
            self.take_requests(id, connection, now_ns);
            self.revisit.push(id);
        }
        if connection.input_ended && connection.is_idle() {
            return Fate::Ends;
        }
        Fate::Stays
    }

    /// Notes what has been written whole since `begun_ns`.
    fn note_departures(&mut self, connection: &mut Connection, begun_ns: u64) {
        while let Some(Departure { number, due_ns, ending, .. }) = connection.next_departure() {
            match ending {
                Ending::Reset => self.counters.resets += 1,
                Ending::Half => self.counters.halves += 1,
                Ending::KeepAlive | Ending::Close | Ending::CloseUnannounced => self.counters.answered += 1,
            }
            // Read before and after the write: the client has had the answer from a moment between the two.
            let now_ns = self.clock.now_ns();
            self.lateness.record(now_ns.saturating_sub(due_ns));
            self.log.borrow_mut().depart(number, begun_ns, now_ns);
        }
    }

    /// Ends a connection whose last answer has been sent.
    fn end(&mut self, connection: &mut Connection) -> Fate {
        if connection.ending == Some(Ending::Reset) {
            // With no time to linger, close sends RST (tcp(7), SO_LINGER).
            let _ = rustix::net::sockopt::set_socket_linger(&connection.stream, Some(Duration::ZERO));
            return Fate::Ends;
        }
        connection.session.close(&mut connection.stream);
        if connection.input_ended || connection.stream.shutdown(Shutdown::Write).is_err() {
            return Fate::Ends;
        }
        connection.linger_until_ns = Some(self.clock.now_ns() + LINGER_NS);
        Fate::Stays
    }

    /// Asks the kernel for just the events that can lead to work.
    fn update_interest(&self, id: SlotId, connection: &mut Connection) -> io::Result<()> {
        let mut wanted = EventFlags::empty();
        wanted.set(EventFlags::IN, connection.wants_read());
        wanted.set(EventFlags::OUT, connection.is_blocked);
        if wanted != connection.interest {
            epoll::modify(&self.epoll, &connection.stream, epoll::EventData::new_u64(id.0), wanted)?;
            connection.interest = wanted;
        }
        Ok(())
    }
}

fn close_unless(keep_alive: bool, answer: Answer) -> Answer {
    if !keep_alive && answer.ending == Ending::KeepAlive {
        return Answer { ending: Ending::Close, ..answer };
    }
    answer
}
