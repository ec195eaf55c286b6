//! One exchange on a connection.

use super::Mux;
use crate::{Malformed, Parser};
use bytes::Bytes;
use h2::client::ResponseFuture;
use h2::{RecvStream, SendStream};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};

/// Why an exchange cannot go on.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The stream or its connection ended.
    Library(h2::Error),
    /// The library takes the answer, and it is beyond our bounds.
    Malformed(Malformed),
}

impl From<h2::Error> for Broken {
    fn from(error: h2::Error) -> Self {
        Self::Library(error)
    }
}

/// An exchange under way. Dropping it before its end tells the server that nobody waits any more.
pub(crate) struct Stream {
    response: Option<ResponseFuture>,
    body: Option<RecvStream>,
    /// Held to the end: without it the library gives up a request that is not sent whole.
    _request: SendStream<Bytes>,
    /// After all of the library's handles, so that they are gone before the connection may be.
    pub(crate) mux: Rc<Mux>,
    /// What was to be sent on the connection before this request.
    before: u64,
    /// What had been received on the connection before it.
    received: u64,
}

impl Stream {
    pub(super) fn new(response: ResponseFuture, request: SendStream<Bytes>, mux: Rc<Mux>) -> Self {
        mux.open.set(mux.open.get() + 1);
        let ((before, _), received) = (mux.progress(), mux.received());
        Self { response: Some(response), body: None, _request: request, mux, before, received }
    }

    /// Takes what has come of the answer. Ready when it is complete.
    pub(crate) fn poll(&mut self, waker: &Waker, parser: &mut Parser) -> Poll<Result<(), Broken>> {
        let context = &mut Context::from_waker(waker);
        if let Some(response) = &mut self.response {
            // The library keeps them all until somebody asks, and has no bound for them.
            while let Poll::Ready(Some(interim)) = response.poll_informational(context) {
                interim?;
                parser.give_interim().map_err(Broken::Malformed)?;
            }
            let (head, body) = ready!(Pin::new(response).poll(context))?.into_parts();
            let fields = head.headers.iter().map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes()));
            parser.give_head(head.status.as_u16(), fields);
            (self.response, self.body) = (None, Some(body));
        }
        let Some(body) = &mut self.body else { return Poll::Ready(Ok(())) };
        while !body.is_end_stream() {
            let Some(piece) = ready!(body.poll_data(context)) else { break };
            let piece = piece?;
            parser.give_body(&piece);
            body.flow_control().release_capacity(piece.len())?;
        }
        Poll::Ready(Ok(()))
    }

    /// Whether a byte of the request may have left this machine.
    pub(crate) fn may_have_left(&self) -> bool {
        self.mux.progress().1 > self.before
    }

    /// Whether the connection had brought something before this exchange: then it was a working one.
    pub(crate) fn is_reused(&self) -> bool {
        self.received > 0
    }

    /// Whether nothing at all came on the connection since this exchange began.
    pub(crate) fn is_deaf(&self) -> bool {
        self.mux.received() == self.received
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.mux.open.set(self.mux.open.get().saturating_sub(1));
    }
}
