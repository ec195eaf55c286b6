//! One connection, for one exchange at a time or for several.

use super::wire::{Io, Wire};
use super::{Buffer, Stream};
use crate::{Connection, Trouble};
use bytes::Bytes;
use h2::client::{self, SendRequest};
use http::Request;
use std::cell::{Cell, Ref, RefCell};
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use terms::Nanos;

/// What a server may send ahead, on each stream and on the whole connection, before it is told to go on: so much that
/// flow control never slows an answer down by itself. What is held in memory is bounded by what is read at once.
const WINDOW_BYTES: u32 = (1 << 30) - 1;
/// The fields of an answer's head, counted as RFC 9113, section 6.5.2 has it.
const HEAD_BYTES_MAX: u32 = 64 * 1024;
/// Streams that are opened before the server has said how many it allows (RFC 9113, section 6.5.2: at least 100).
const STREAMS_AT_FIRST: usize = 100;
/// Frames of data with few bytes each cost the library this much at most, counted as it counts them: more than one call
/// takes in, so that a server which sends its answer in crumbs is not an attacker.
const CRUMBS_BYTES: usize = 16 * 1024 * 1024;

/// A connection that speaks HTTP/2.
pub(crate) struct Mux {
    /// Before the connection, which holds the wire: the library's parts let go of each other in this order.
    send: RefCell<Option<SendRequest<Bytes>>>,
    connection: RefCell<Option<client::Connection<Io, Bytes>>>,
    wire: Rc<RefCell<Wire>>,
    /// Exchanges under way on it.
    pub(super) open: Cell<u32>,
    /// Whether no further exchange begins on it.
    is_retired: Cell<bool>,
    /// Origin of the last exchange's times on it.
    pub(crate) last: Cell<Nanos>,
    /// When its last exchange ended, while it is idle.
    pub(crate) idle_since: Cell<Nanos>,
    /// Why the library ended it.
    fate: RefCell<Option<h2::Error>>,
}

impl Mux {
    /// Begins to speak on a connection that was asked for. `shared`: several exchanges at a time.
    pub(crate) fn new(connection: Connection, buffer: Buffer, shared: bool) -> Result<Rc<Self>, h2::Error> {
        let wire = Rc::new(RefCell::new(Wire::new(connection, buffer, shared)));
        let mut builder = client::Builder::new();
        builder
            .enable_push(false)
            .initial_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES)
            .max_header_list_size(HEAD_BYTES_MAX)
            .initial_max_send_streams(STREAMS_AT_FIRST)
            .data_frame_budget(CRUMBS_BYTES);
        let handshake = pin!(builder.handshake(Io(wire.clone())));
        let (send, connection) = match handshake.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result?,
            // The preface goes into memory, so there is nothing to wait for.
            Poll::Pending => return Err(h2::Reason::INTERNAL_ERROR.into()),
        };
        Ok(Rc::new(Self {
            send: RefCell::new(Some(send)),
            connection: RefCell::new(Some(connection)),
            wire,
            open: Cell::new(0),
            is_retired: Cell::new(false),
            last: Cell::new(Nanos::ZERO),
            idle_since: Cell::new(Nanos::ZERO),
            fate: RefCell::new(None),
        }))
    }

    /// Sends what waits, reads what has come as far as memory allows, and lets the library digest both. `looks`: the
    /// socket may have something to read.
    pub(crate) fn drive(&self, looks: bool) {
        {
            let mut wire = self.wire.borrow_mut();
            wire.may_read |= looks;
            wire.refill();
            wire.flush();
        }
        let mut connection = self.connection.borrow_mut();
        while let Some(driven) = connection.as_mut() {
            let before = self.wire.borrow().trouble.is_some();
            if let Poll::Ready(result) = Pin::new(driven).poll(&mut Context::from_waker(Waker::noop())) {
                *self.fate.borrow_mut() = result.err();
                // What the library says to the server at the end goes out; dropping it ends the streams.
                self.wire.borrow_mut().flush();
                *connection = None;
                return;
            }
            let mut wire = self.wire.borrow_mut();
            wire.flush();
            if before || wire.trouble.is_none() {
                return;
            }
            // Sending has failed: the library learns it by its next reading, and ends the streams.
        }
    }

    /// Whether a new exchange can begin on it.
    pub(crate) fn is_usable(&self) -> bool {
        if self.is_retired.get() || self.is_over() {
            return false;
        }
        // Not ready is only said of a handle with a request that waits, and this one sends none itself.
        let ready = |send: &mut SendRequest<Bytes>| send.poll_ready(&mut Context::from_waker(Waker::noop()));
        self.send.borrow_mut().as_mut().map(ready).is_some_and(|ready| !matches!(ready, Poll::Ready(Err(_))))
    }

    /// Whether it has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.connection.borrow().is_none()
    }

    /// Whether nobody needs it any more.
    pub(crate) fn is_done(&self) -> bool {
        self.open.get() == 0 && (self.is_retired.get() || self.is_over())
    }

    /// Whether no exchange is under way on it.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.get() == 0
    }

    /// No further exchange begins on it.
    pub(crate) fn retire(&self) {
        self.is_retired.set(true);
    }

    /// Whether no further exchange begins on it.
    pub(crate) fn is_retired(&self) -> bool {
        self.is_retired.get()
    }

    /// Whether reading stopped for others to have their turn.
    pub(crate) fn has_more(&self) -> bool {
        !self.is_over() && self.wire.borrow().has_more()
    }

    /// Whether the end of the connection may have come together with what was read last. Asked once for each reading.
    pub(crate) fn may_hide_its_end(&self) -> bool {
        let mut wire = self.wire.borrow_mut();
        std::mem::take(&mut wire.is_short) && !wire.may_read
    }

    /// Whether the kernel has all that was to be sent.
    pub(crate) fn is_flushed(&self) -> bool {
        self.wire.borrow().is_flushed()
    }

    /// Whether the connection was made.
    pub(crate) fn is_open(&self) -> bool {
        self.wire.borrow().is_open()
    }

    /// Bytes received on it.
    pub(crate) fn received(&self) -> u64 {
        self.wire.borrow().received
    }

    /// Bytes that were to be sent so far, and those that the kernel took.
    pub(crate) fn progress(&self) -> (u64, u64) {
        let wire = self.wire.borrow();
        (wire.queued, wire.sent)
    }

    /// What the connection could not go on with.
    pub(crate) fn trouble(&self) -> Option<Ref<'_, Trouble>> {
        Ref::filter_map(self.wire.borrow(), |wire| wire.trouble.as_ref()).ok()
    }

    /// What the server chose to speak instead of HTTP/2.
    pub(crate) fn disagreed(&self) -> Option<String> {
        self.wire.borrow().disagreed.clone()
    }

    /// Whether the server sent frames without end that bring nothing.
    pub(crate) fn is_flooded(&self) -> bool {
        self.wire.borrow().is_flooded
    }

    /// Whether the server answered as HTTP/1 does.
    pub(crate) fn begins_as_http1(&self) -> bool {
        self.wire.borrow().begins_as_http1()
    }

    /// Why the library ended the connection.
    pub(crate) fn fate(&self) -> Ref<'_, Option<h2::Error>> {
        self.fate.borrow()
    }

    /// Begins an exchange.
    pub(crate) fn send(self: &Rc<Self>, request: Request<()>, body: Bytes) -> Result<Stream, h2::Error> {
        self.wire.borrow_mut().begin_exchange();
        // A handle of its own for each request: one that waits for a free stream would keep the next from waiting, too.
        let Some(mut send) = self.send.borrow().clone() else { return Err(h2::Reason::CANCEL.into()) };
        let (response, mut stream) = send.send_request(request, body.is_empty())?;
        if !body.is_empty() {
            stream.send_data(body, true)?;
        }
        Ok(Stream::new(response, stream, self.clone()))
    }

    /// Whether more exchanges are under way than the server allows streams at a time.
    pub(crate) fn is_crowded(&self) -> bool {
        let most = self.send.borrow().as_ref().map_or(usize::MAX, SendRequest::current_max_send_streams);
        self.open.get() as usize > most
    }
}

impl Drop for Mux {
    fn drop(&mut self) {
        // Without a handle and a stream the library says goodbye, in one poll; if the socket takes it no more, nobody
        // waits for it.
        *self.send.get_mut() = None;
        let is_open = self.wire.borrow().is_open();
        if let Some(connection) = self.connection.get_mut().as_mut().filter(|_| is_open) {
            self.wire.borrow_mut().may_read = false;
            let _ = Pin::new(connection).poll(&mut Context::from_waker(Waker::noop()));
            self.wire.borrow_mut().flush();
        }
    }
}
