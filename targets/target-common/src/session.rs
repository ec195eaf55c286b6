//! What lies between the socket and HTTP: nothing ([`PlainSession`]), or TLS.

use std::io::{self, Read, Write};
use std::net::TcpStream;

/// Turns bytes of the socket into bytes of HTTP and back, without waiting.
pub trait Session {
    /// Reads into `into`. `Ok(0)` is the end of what the client sends.
    ///
    /// # Errors
    /// `WouldBlock` when nothing is there; any other error ends the connection.
    fn read(&mut self, stream: &mut TcpStream, into: &mut [u8]) -> io::Result<usize>;

    /// Takes some of `bytes` for sending; at least one, unless it fails.
    ///
    /// # Errors
    /// `WouldBlock` when nothing can be taken now; any other error ends the connection.
    fn write(&mut self, stream: &mut TcpStream, bytes: &[u8]) -> io::Result<usize>;

    /// Sends what the session holds back itself; true when nothing is left.
    ///
    /// # Errors
    /// Any error but `WouldBlock`, which is `Ok(false)`.
    fn flush(&mut self, stream: &mut TcpStream) -> io::Result<bool>;

    /// Says goodbye, before the sending side of the socket is closed.
    fn close(&mut self, stream: &mut TcpStream);
}

/// No layer at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainSession;

impl Session for PlainSession {
    fn read(&mut self, stream: &mut TcpStream, into: &mut [u8]) -> io::Result<usize> {
        stream.read(into)
    }

    fn write(&mut self, stream: &mut TcpStream, bytes: &[u8]) -> io::Result<usize> {
        stream.write(bytes)
    }

    fn flush(&mut self, _stream: &mut TcpStream) -> io::Result<bool> {
        Ok(true)
    }

    fn close(&mut self, _stream: &mut TcpStream) {}
}
