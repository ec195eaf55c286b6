//! One connection: a non-blocking socket, with TLS on it or not.

use crate::proxy::Tunnel;
use rustls::{ClientConfig, ClientConnection};
use rustls_pki_types::ServerName;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

/// A connection that was asked for. It is open once the first byte could be sent.
#[derive(Debug)]
pub struct Connection {
    socket: TcpStream,
    tls: Option<Box<ClientConnection>>,
    /// What is asked of a proxy before anything else.
    tunnel: Option<Box<Tunnel>>,
    /// Whether there is one of the two: plain connections ask only this.
    is_layered: bool,
    is_open: bool,
    /// Whether the kernel took a byte of the exchange in hand.
    has_sent: bool,
}

/// What TLS needs besides a socket.
#[derive(Clone, Debug)]
pub struct TlsTarget {
    /// What is trusted, and who the lab says it is.
    pub config: Arc<ClientConfig>,
    /// The name that the certificate is for.
    pub name: ServerName<'static>,
}

/// What a connection cannot go on with.
#[derive(Debug)]
pub enum Trouble {
    /// The system says so.
    Io(io::Error),
    /// The other side does not speak TLS as it should, or its certificate is not trusted.
    Tls(rustls::Error),
    /// The proxy made no connection; a whole sentence.
    Proxy(String),
}

/// What came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// That many bytes.
    Bytes(usize),
    /// Nothing more for now.
    Nothing,
    /// The end; `is_clean` unless TLS was cut off without its closing message.
    End {
        /// Whether it is a proper end.
        is_clean: bool,
    },
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Connection {
    /// Asks for a connection; does not wait for it. It comes from `source`, else from what the system picks.
    ///
    /// # Errors
    /// What the system says of it at once.
    pub fn connect(address: SocketAddr, tls: Option<&TlsTarget>, source: Option<Ipv4Addr>) -> Result<Self, Trouble> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM.nonblocking(), Some(Protocol::TCP))?;
        // A request is written in one piece: waiting for more of it would only delay it.
        socket.set_tcp_nodelay(true)?;
        if let Some(source) = source {
            // The port is chosen when it connects: one that is in use towards another target will do then.
            let _ = nix::sys::socket::setsockopt(&socket, nix::sys::socket::sockopt::IpBindAddressNoPort, &true);
            socket.bind(&SockAddr::from(SocketAddr::new(source.into(), 0)))?;
        }
        match socket.connect(&SockAddr::from(address)) {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::INPROGRESS.raw_os_error()) => {}
            Err(error) => return Err(error.into()),
        }
        let tls = match tls {
            Some(target) => {
                let connection = ClientConnection::new(target.config.clone(), target.name.clone());
                Some(Box::new(connection.map_err(Trouble::Tls)?))
            }
            None => None,
        };
        let is_layered = tls.is_some();
        Ok(Self { socket: socket.into(), tls, tunnel: None, is_layered, is_open: false, has_sent: false })
    }

    /// The same, which asks a proxy for a tunnel first.
    pub(crate) fn through(mut self, tunnel: Option<Tunnel>) -> Self {
        self.is_layered |= tunnel.is_some();
        self.tunnel = tunnel.map(Box::new);
        self
    }

    /// A new exchange begins on it.
    #[inline]
    pub fn begin(&mut self) {
        self.has_sent = false;
    }

    /// Whether the kernel took a byte of the exchange in hand.
    #[inline]
    pub fn has_sent(&self) -> bool {
        self.has_sent
    }

    /// Whether the connection was made.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether it is a connection of TLS.
    #[inline]
    pub fn is_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// Whether the handshake of TLS still goes on: what was to be sent waits here until it is done.
    #[inline]
    pub fn is_greeting(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.is_handshaking())
    }

    /// Whether a proxy has not answered yet whether there is a way to the target.
    #[inline]
    pub fn is_tunnelling(&self) -> bool {
        self.tunnel.is_some()
    }

    /// What was agreed on by ALPN, empty for nothing; `None` as long as the handshake goes on.
    pub fn protocol(&self) -> Option<&[u8]> {
        let tls = self.tls.as_ref().filter(|tls| !tls.is_handshaking())?;
        Some(tls.alpn_protocol().unwrap_or_default())
    }

    /// The certificate that the server has shown for itself.
    pub fn certificate(&self) -> Option<&[u8]> {
        Some(self.tls.as_ref()?.peer_certificates()?.first()?.as_ref())
    }

    /// Whether no record waits in TLS's own buffers.
    #[inline]
    pub fn has_nothing_left(&self) -> bool {
        self.tls.as_ref().is_none_or(|tls| !tls.wants_write() && !tls.is_handshaking())
    }

    /// Sends what it can of `request` from `written` on. `true` when all of it is with the kernel.
    ///
    /// A socket that is still connecting takes nothing and says so: sending is the test whether it is open, and tells
    /// the reason if it never will be. That saves a system call for each connection.
    ///
    /// # Errors
    /// What the connection cannot go on with.
    #[inline]
    pub fn send(&mut self, request: &[u8], written: &mut usize) -> Result<bool, Trouble> {
        if self.is_layered {
            return self.send_layered(request, written);
        }
        self.send_plain(request, written)
    }

    #[inline]
    fn send_plain(&mut self, request: &[u8], written: &mut usize) -> Result<bool, Trouble> {
        while *written < request.len() {
            match (&self.socket).write(&request[*written..]) {
                Ok(sent) => {
                    *written += sent;
                    self.is_open = true;
                    self.has_sent = true;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    fn send_layered(&mut self, request: &[u8], written: &mut usize) -> Result<bool, Trouble> {
        if let Some(tunnel) = &mut self.tunnel {
            self.is_open |= tunnel.flush(&self.socket)?;
            return Ok(false);
        }
        if self.tls.is_some() { self.send_tls(request, written) } else { self.send_plain(request, written) }
    }

    fn send_tls(&mut self, request: &[u8], written: &mut usize) -> Result<bool, Trouble> {
        loop {
            let Some(tls) = &mut self.tls else { return Ok(false) };
            let taken = if *written < request.len() { tls.writer().write(&request[*written..])? } else { 0 };
            *written += taken;
            if !self.flush_tls()? {
                return Ok(false);
            }
            let Some(tls) = &self.tls else { return Ok(false) };
            if *written == request.len() {
                // During the handshake the request waits in TLS's own buffer.
                return Ok(!tls.is_handshaking());
            }
            if taken == 0 {
                return Ok(false);
            }
        }
    }

    /// Hands the records in TLS's buffer to the kernel; `true` when none is left.
    fn flush_tls(&mut self) -> Result<bool, Trouble> {
        let Some(tls) = &mut self.tls else { return Ok(true) };
        while tls.wants_write() {
            match tls.write_tls(&mut &self.socket) {
                Ok(sent) => {
                    self.is_open = true;
                    self.has_sent |= sent > 0;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// Takes what has come.
    ///
    /// # Errors
    /// What the connection cannot go on with.
    #[inline]
    pub fn receive(&mut self, buffer: &mut [u8]) -> Result<Received, Trouble> {
        if self.is_layered {
            return self.receive_layered(buffer);
        }
        self.receive_plain(buffer)
    }

    fn receive_layered(&mut self, buffer: &mut [u8]) -> Result<Received, Trouble> {
        if let Some(tunnel) = &mut self.tunnel {
            if !tunnel.take(&self.socket)? {
                return Ok(Received::Nothing);
            }
            self.tunnel = None;
            self.is_layered = self.tls.is_some();
        }
        if self.tls.is_some() { self.receive_tls(buffer) } else { self.receive_plain(buffer) }
    }

    #[inline]
    fn receive_plain(&mut self, buffer: &mut [u8]) -> Result<Received, Trouble> {
        loop {
            return match (&self.socket).read(buffer) {
                Ok(0) => Ok(Received::End { is_clean: true }),
                Ok(count) => Ok(Received::Bytes(count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(Received::Nothing),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => Err(error.into()),
            };
        }
    }

    fn receive_tls(&mut self, buffer: &mut [u8]) -> Result<Received, Trouble> {
        loop {
            let Some(tls) = &mut self.tls else { return Ok(Received::Nothing) };
            match tls.reader().read(buffer) {
                Ok(0) => return Ok(Received::End { is_clean: true }),
                Ok(count) => return Ok(Received::Bytes(count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(Received::End { is_clean: false }),
                Err(error) => return Err(error.into()),
            }
            match tls.read_tls(&mut &self.socket) {
                // The end, too, is told by the reader, which knows whether it is a proper one.
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Received::Nothing),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            if let Err(error) = tls.process_new_packets() {
                // The alert tells the server why; whether it arrives changes nothing here.
                let _ = self.flush_tls();
                return Err(Trouble::Tls(error));
            }
            // Handshake messages and key updates; a failure shows again with the next send or receive.
            let _ = self.flush_tls();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(tls) = self.tls.as_mut().filter(|_| self.tunnel.is_none()) {
            // A polite end; if the socket takes it no more, nobody waits for it.
            tls.send_close_notify();
            let _ = self.flush_tls();
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
