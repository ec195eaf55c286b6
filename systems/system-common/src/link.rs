//! A listener whose connections can be reset on purpose, which takes the socket itself.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Accepts connections without Nagle's delay.
pub(crate) struct Gate(pub(crate) TcpListener);

/// One accepted connection.
pub(crate) struct Connection {
    stream: TcpStream,
    link: Link,
}

/// The handle to its connection that every request carries.
#[derive(Clone, Default)]
pub(crate) struct Link(Arc<AtomicBool>);

impl Link {
    /// Answers the request in hand with a reset (RST) instead of bytes.
    pub(crate) fn reset(&self) {
        self.0.store(true, Relaxed);
    }
}

/// Pause after a failed accept: most often descriptors have run out, and a tight loop would take a core.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

impl Listener for Gate {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            match self.0.accept().await {
                Ok((stream, from)) => {
                    // Without it small answers wait for the client's delayed acknowledgement. A failure is harmless.
                    let _ = stream.set_nodelay(true);
                    return (Connection { stream, link: Link::default() }, from);
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, Gate>> for Link {
    fn connect_info(stream: IncomingStream<'_, Gate>) -> Self {
        stream.io().link.clone()
    }
}

impl Connection {
    /// The error that a reset on purpose ends the connection with. No linger: closing then sends RST instead of FIN.
    fn broken(&self) -> Option<io::Error> {
        if !self.link.0.load(Relaxed) {
            return None;
        }
        let _ = self.stream.set_zero_linger();
        Some(io::Error::new(io::ErrorKind::ConnectionReset, "reset on purpose"))
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.broken() {
            Some(error) => Poll::Ready(Err(error)),
            None => Pin::new(&mut self.stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.broken() {
            Some(error) => Poll::Ready(Err(error)),
            None => Pin::new(&mut self.stream).poll_write_vectored(cx, pieces),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.broken() {
            Some(error) => Poll::Ready(Err(error)),
            None => Pin::new(&mut self.stream).poll_shutdown(cx),
        }
    }
}
