//! A connection that remembers when the first byte of a request was read, and when the last one was.

use clock::Clock;
use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use terms::Nanos;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// When bytes of the request in hand came; a clone shows the same.
#[derive(Clone, Default)]
pub(crate) struct Stamp(Rc<Times>);

#[derive(Default)]
struct Times {
    first: Cell<Option<Nanos>>,
    last: Cell<Option<Nanos>>,
}

impl Stamp {
    /// When its first byte was read; none between two requests.
    pub(crate) fn first(&self) -> Option<Nanos> {
        self.0.first.get()
    }

    /// When something of it was read last. What follows it without an answer in between would count, too.
    pub(crate) fn last(&self) -> Option<Nanos> {
        self.0.last.get()
    }

    /// What is read from here on begins the next request.
    pub(crate) fn clear(&self) {
        self.0.first.set(None);
        self.0.last.set(None);
    }

    fn set(&self, now: Nanos) {
        self.0.first.set(self.0.first.get().or(Some(now)));
        self.0.last.set(Some(now));
    }
}

pub(crate) struct Stamped<T> {
    inner: T,
    clock: Clock,
    stamp: Stamp,
}

impl<T> Stamped<T> {
    pub(crate) fn new(inner: T, clock: Clock, stamp: Stamp) -> Self {
        Self { inner, clock, stamp }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Stamped<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let before = into.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, into);
        if polled.is_ready() && into.filled().len() > before {
            self.stamp.set(self.clock.now());
        }
        polled
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Stamped<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
