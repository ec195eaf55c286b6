//! A connection that remembers when the first byte of a request was read.

use clock::Clock;
use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use terms::Nanos;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// When the request in hand began; none between two.
pub(crate) type Stamp = Rc<Cell<Option<Nanos>>>;

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
        if polled.is_ready() && into.filled().len() > before && self.stamp.get().is_none() {
            self.stamp.set(Some(self.clock.now()));
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
