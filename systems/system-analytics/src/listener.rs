//! Where clients connect: a thread for each connection, as the servers of Thrift have it, over TLS where that is configured.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::receiver::Receiver;
use crate::{binary, server};

/// Connections at once; more are closed as they come.
const CONNECTIONS_MAX: usize = 4000;
/// A client that says nothing for so long is gone.
const SILENCE: Duration = Duration::from_secs(600);
/// Largest message, bytes.
pub(crate) const MESSAGE_MAX: usize = 64 << 20;
const BUFFER: usize = 64 << 10;

/// What a port is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Signs in, over Thrift.
    SignIn,
    /// Takes definitions and events, over Thrift.
    Data,
    /// The receivers' own binary protocol, which has all of it on every port.
    Binary,
}

/// Serves connections until the process ends.
pub(crate) fn serve(listener: &TcpListener, role: Role, tls: Option<&Arc<ServerConfig>>, receiver: &Arc<Receiver>) {
    let open = Arc::<AtomicUsize>::default();
    for stream in listener.incoming().flatten() {
        if open.load(Relaxed) >= CONNECTIONS_MAX {
            continue;
        }
        open.fetch_add(1, Relaxed);
        let (counted, receiver, tls) = (open.clone(), receiver.clone(), tls.cloned());
        let thread = std::thread::Builder::new().name("connection".to_owned()).stack_size(256 << 10);
        let serving = move || {
            // A client that goes away, or speaks something else, ends its connection.
            let _ = connection(stream, role, tls, &receiver);
            counted.fetch_sub(1, Relaxed);
        };
        if thread.spawn(serving).is_err() {
            open.fetch_sub(1, Relaxed);
        }
    }
}

/// Both halves of a connection of TLS.
#[derive(Clone)]
struct Secured(Arc<Mutex<StreamOwned<ServerConnection, TcpStream>>>);

impl Read for Secured {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).read(into)
    }
}

impl Write for Secured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

fn connection(
    stream: TcpStream,
    role: Role,
    tls: Option<Arc<ServerConfig>>,
    receiver: &Receiver,
) -> thrift::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    let (from, to): (Box<dyn Read>, Box<dyn Write>) = match tls {
        None => (Box::new(stream.try_clone()?), Box::new(stream)),
        Some(config) => {
            let connection = ServerConnection::new(config).map_err(io::Error::other)?;
            let both = Secured(Arc::new(Mutex::new(StreamOwned::new(connection, stream))));
            (Box::new(both.clone()), Box::new(both))
        }
    };
    let from: Box<dyn Read> = Box::new(BufReader::with_capacity(BUFFER, from));
    let to: Box<dyn Write> = Box::new(BufWriter::new(to));
    match role {
        Role::Binary => Ok(binary::converse(from, to, receiver, binary::Bounds::USUAL)?),
        Role::SignIn | Role::Data => server::converse(from, to, role, receiver),
    }
}
