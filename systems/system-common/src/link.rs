//! A listener whose connections can be reset on purpose, which takes the socket itself. They may be of TLS.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::server::TlsStream;
use tokio_rustls::{Accept, TlsAcceptor};

/// Accepts connections without Nagle's delay.
pub(crate) struct Gate {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
}

/// One accepted connection.
pub(crate) struct Connection {
    wire: Wire,
    link: Link,
}

/// What bytes go over.
enum Wire {
    Plain(TcpStream),
    /// The handshake is under way. Whoever reads first carries it on: who takes long for it holds up nobody else.
    Opening(Box<Accept<TcpStream>>),
    Tls(Box<TlsStream<TcpStream>>),
    /// The handshake has failed.
    Over,
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

impl Gate {
    /// Over TLS, if there is what makes it.
    pub(crate) fn new(listener: TcpListener, tls: Option<TlsAcceptor>) -> Self {
        Self { listener, tls }
    }
}

impl Listener for Gate {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, from)) => {
                    // Without it small answers wait for the client's delayed acknowledgement. A failure is harmless.
                    let _ = stream.set_nodelay(true);
                    let wire = match &self.tls {
                        None => Wire::Plain(stream),
                        Some(tls) => Wire::Opening(Box::new(tls.accept(stream))),
                    };
                    return (Connection { wire, link: Link::default() }, from);
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
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
        let socket = match &self.wire {
            Wire::Plain(stream) => Some(stream),
            Wire::Opening(accept) => accept.get_ref(),
            Wire::Tls(stream) => Some(stream.get_ref().0),
            Wire::Over => None,
        };
        let _ = socket.map(TcpStream::set_zero_linger);
        Some(io::Error::new(io::ErrorKind::ConnectionReset, "reset on purpose"))
    }
}

impl Wire {
    /// What there is to read and write on, once the handshake is over.
    fn poll_open(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Open<'_>>> {
        if let Self::Opening(accept) = self {
            match Pin::new(&mut **accept).poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(stream)) => *self = Self::Tls(Box::new(stream)),
                Poll::Ready(Err(error)) => {
                    *self = Self::Over;
                    return Poll::Ready(Err(error));
                }
            }
        }
        Poll::Ready(match self {
            Self::Plain(stream) => Ok(Open::Plain(Pin::new(stream))),
            Self::Tls(stream) => Ok(Open::Tls(Pin::new(&mut **stream))),
            Self::Opening(_) | Self::Over => Err(io::ErrorKind::NotConnected.into()),
        })
    }
}

/// A connection that is open.
enum Open<'a> {
    Plain(Pin<&'a mut TcpStream>),
    Tls(Pin<&'a mut TlsStream<TcpStream>>),
}

/// Calls the same on either.
macro_rules! either {
    ($wire:expr, $cx:expr, $($call:tt)*) => {
        match ready!($wire.poll_open($cx)) {
            Err(error) => Poll::Ready(Err(error)),
            Ok(Open::Plain(stream)) => stream.$($call)*,
            Ok(Open::Tls(stream)) => stream.$($call)*,
        }
    };
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        either!(self.wire, cx, poll_read(cx, buffer))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.broken() {
            Some(error) => Poll::Ready(Err(error)),
            None => either!(self.wire, cx, poll_write(cx, bytes)),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.broken() {
            Some(error) => Poll::Ready(Err(error)),
            None => either!(self.wire, cx, poll_write_vectored(cx, pieces)),
        }
    }

    /// Both take several pieces at once.
    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self.wire, cx, poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.broken() {
            Some(error) => Poll::Ready(Err(error)),
            None => either!(self.wire, cx, poll_shutdown(cx)),
        }
    }
}
