//! The receivers' own binary protocol, beside Thrift: a byte that says what a message is, the length of the rest, the rest.
//!
//! Big-endian throughout. What signs in, signs out and publishes comes on any connection; streams are defined over Thrift.
//! What is not the protocol ends its connection. What is, but not right, is answered with an error: its class, as WSO2's
//! clients know it, and a sentence.

mod events;

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use crate::listener::MESSAGE_MAX;
use crate::receiver::{Receiver, Refused};
use events::{Bytes, rows};

/// What a message is.
const SIGN_IN: u8 = 0;
const SIGN_OUT: u8 = 1;
const PUBLISH: u8 = 2;
/// What an answer is.
const OK: u8 = 0;
const ERROR: u8 = 1;
const SIGNED_IN: u8 = 2;

/// A message that signs in or out has no more bytes than that.
const SHORT_MAX: usize = 64 << 10;
/// Memory that a connection keeps from message to message.
const KEPT_MAX: usize = 1 << 20;
/// What one reading of a message takes at most: nothing is reserved for what may never come.
const READING: usize = 64 << 10;

/// How much, and how long, a client may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Bytes of a message.
    message: usize,
    /// From the first byte of a message to its last.
    within: Duration,
}

impl Bounds {
    pub(crate) const USUAL: Self = Self { message: MESSAGE_MAX, within: Duration::from_secs(300) };
}

/// Answers one message after another, until the client goes.
///
/// # Errors
/// The connection breaks, or what comes is not the protocol.
pub(crate) fn converse(mut from: impl Read, mut to: impl Write, receiver: &Receiver, bounds: Bounds) -> io::Result<()> {
    let (mut message, mut answer) = (Vec::new(), Vec::new());
    while let Some(kind) = next(&mut from, &mut message, bounds)? {
        answer.clear();
        match carry_out(kind, &message, receiver) {
            Some(Ok(Done::Nothing)) => answer.push(OK),
            Some(Ok(Done::Session(session))) => {
                answer.push(SIGNED_IN);
                answer.extend_from_slice(&(session.len() as u32).to_be_bytes());
                answer.extend_from_slice(session.as_bytes());
            }
            Some(Err(refused)) => error(&refused, &mut answer),
            None => return Err(io::Error::new(io::ErrorKind::InvalidData, "a message is not the protocol")),
        }
        to.write_all(&answer)?;
        to.flush()?;
        if message.capacity() > KEPT_MAX {
            message = Vec::new();
        }
    }
    Ok(())
}

/// Why a message that takes too long is refused.
const LATE: &str = "a message does not come to its end";

/// Reads the next message; what it is. None where the client has gone between two.
fn next(from: &mut impl Read, message: &mut Vec<u8>, bounds: Bounds) -> io::Result<Option<u8>> {
    let mut kind = [0];
    if from.read(&mut kind)? == 0 {
        return Ok(None);
    }
    let since = Instant::now();
    let most = match kind[0] {
        SIGN_IN | SIGN_OUT => SHORT_MAX,
        PUBLISH => bounds.message,
        _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "a message is of no known kind")),
    };
    let is_late = || (since.elapsed() > bounds.within).then(|| io::Error::new(io::ErrorKind::TimedOut, LATE));
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = usize::try_from(i32::from_be_bytes(length)).ok().filter(|length| *length <= most);
    let length = length.ok_or(io::Error::new(io::ErrorKind::InvalidData, "a message has an impossible length"))?;
    message.clear();
    while message.len() < length {
        if let Some(late) = is_late() {
            return Err(late);
        }
        let at = message.len();
        message.resize(length.min(at + READING), 0);
        let read = from.read(&mut message[at..])?;
        message.truncate(at + read);
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    // A read may have taken as long as the connection allows.
    is_late().map_or(Ok(Some(kind[0])), Err)
}

/// What was asked for is done.
enum Done {
    Nothing,
    Session(String),
}

/// Does what a message asks for; `None` where it cannot be read.
fn carry_out(kind: u8, message: &[u8], receiver: &Receiver) -> Option<Result<Done, Refused>> {
    let mut bytes = Bytes::new(message);
    if kind == SIGN_IN {
        // Both lengths come before both texts.
        let (user, password) = (bytes.length()?, bytes.length()?);
        let (user, password) = (bytes.text_of(user)?, bytes.text_of(password)?);
        let signed_in = receiver.sign_in(user, password).map(Done::Session);
        return bytes.is_empty().then(|| signed_in.map_err(Refused::Stranger));
    }
    let session = bytes.text()?;
    if kind == SIGN_OUT {
        receiver.sign_out(session);
        return bytes.is_empty().then_some(Ok(Done::Nothing));
    }
    let published = receiver.publish(session, |streams| rows(&mut bytes, streams));
    Some(published.map(|()| Done::Nothing))
}

/// Writes why something is refused.
fn error(refused: &Refused, into: &mut Vec<u8>) {
    /// Where WSO2 has its exceptions, which its clients find by their full names.
    const PACKAGE: &str = "org.wso2.carbon.databridge.commons.exception.";
    let (class, message) = match refused {
        Refused::Stranger(why) => ("AuthenticationException", why),
        Refused::Expired(why) => ("SessionTimeoutException", why),
        Refused::Unknown(why) => ("UndefinedEventTypeException", why),
        Refused::Malformed(why) | Refused::Different(why) => ("MalformedEventException", why),
    };
    into.push(ERROR);
    into.extend_from_slice(&((PACKAGE.len() + class.len()) as u32).to_be_bytes());
    into.extend_from_slice(&(message.len() as u32).to_be_bytes());
    for text in [PACKAGE, class, message] {
        into.extend_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests;
