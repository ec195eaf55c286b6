//! The receiver's two services over Thrift's binary protocol: one signs clients in, the other takes what they send.
//!
//! A thread serves each connection, as the servers of Thrift do.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TFieldIdentifier, TInputProtocol, TMessageIdentifier, TMessageType,
    TOutputProtocol, TStructIdentifier, TType,
};
use thrift::{TConfiguration, TConfigurationBuilder};

use crate::bundle::Lists;
use crate::receiver::{Receiver, Refused};

/// Connections at once; more are closed as they come.
const CONNECTIONS_MAX: usize = 4000;
/// A client that says nothing for so long is gone.
const SILENCE: Duration = Duration::from_secs(600);
/// Largest message, and longest list.
const MESSAGE_MAX: usize = 64 << 20;
const LIST_MAX: usize = 16 << 20;
const BUFFER: usize = 64 << 10;

type In = TBinaryInputProtocol<Box<dyn Read>>;
type Out = TBinaryOutputProtocol<Box<dyn Write>>;

/// What a service answers.
enum Answer {
    Text(String),
    Nothing,
    /// The exception of that field.
    Exception(i16, String),
}

/// Which of the two services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Signs in, over TLS if that is configured.
    SignIn,
    Data,
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
    let mut from = TBinaryInputProtocol::with_config(from, true, bounds()?);
    let to: Box<dyn Write> = Box::new(BufWriter::new(to));
    let mut to = TBinaryOutputProtocol::new(to, true);
    loop {
        let call = from.read_message_begin()?;
        if call.message_type != TMessageType::Call {
            return Ok(());
        }
        let answer = match (role, call.name.as_str()) {
            (Role::SignIn, "connect") => {
                let texts = texts(&mut from)?;
                let [user, password] = texts.as_slice() else { return Ok(()) };
                match receiver.sign_in(user, password) {
                    Ok(session) => Answer::Text(session),
                    Err(why) => Answer::Exception(1, why),
                }
            }
            (_, "disconnect") => {
                let texts = texts(&mut from)?;
                texts.first().into_iter().for_each(|session| receiver.sign_out(session));
                Answer::Nothing
            }
            (Role::Data, "defineStream") => {
                let texts = texts(&mut from)?;
                let [session, definition] = texts.as_slice() else { return Ok(()) };
                match receiver.define(session, definition) {
                    Ok(id) => Answer::Text(id),
                    Err(Refused::Different(why)) => Answer::Exception(1, why),
                    Err(Refused::Malformed(why)) => Answer::Exception(2, why),
                    Err(Refused::Unknown(why) | Refused::Expired(why)) => Answer::Exception(3, why),
                }
            }
            (Role::Data, "publish") => {
                let (session, lists) = bundle(&mut from)?;
                match receiver.publish(&session, &lists) {
                    Ok(()) => Answer::Nothing,
                    Err(Refused::Expired(why)) => Answer::Exception(2, why),
                    Err(Refused::Unknown(why) | Refused::Malformed(why) | Refused::Different(why)) => {
                        Answer::Exception(1, why)
                    }
                }
            }
            _ => {
                from.skip(TType::Struct)?;
                from.read_message_end()?;
                unknown(&mut to, &call)?;
                continue;
            }
        };
        from.read_message_end()?;
        reply(&mut to, &call, answer)?;
    }
}

fn bounds() -> thrift::Result<TConfiguration> {
    let bounds: TConfigurationBuilder = TConfiguration::builder();
    bounds.max_message_size(Some(MESSAGE_MAX)).max_container_size(Some(LIST_MAX)).build()
}

fn reply(to: &mut Out, call: &TMessageIdentifier, answer: Answer) -> thrift::Result<()> {
    to.write_message_begin(&TMessageIdentifier::new(&*call.name, TMessageType::Reply, call.sequence_number))?;
    to.write_struct_begin(&TStructIdentifier::new("result"))?;
    match answer {
        Answer::Nothing => {}
        Answer::Text(text) => text_field(to, 0, &text)?,
        Answer::Exception(id, message) => {
            to.write_field_begin(&TFieldIdentifier::new("exception", TType::Struct, id))?;
            to.write_struct_begin(&TStructIdentifier::new("exception"))?;
            text_field(to, 1, &message)?;
            to.write_field_stop()?;
            to.write_struct_end()?;
            to.write_field_end()?;
        }
    }
    to.write_field_stop()?;
    to.write_struct_end()?;
    to.write_message_end()?;
    to.flush()
}

/// The exception of the protocol itself, 1: no such method.
fn unknown(to: &mut Out, call: &TMessageIdentifier) -> thrift::Result<()> {
    to.write_message_begin(&TMessageIdentifier::new(&*call.name, TMessageType::Exception, call.sequence_number))?;
    to.write_struct_begin(&TStructIdentifier::new("TApplicationException"))?;
    text_field(to, 1, "this service does not have that method")?;
    to.write_field_begin(&TFieldIdentifier::new("type", TType::I32, 2))?;
    to.write_i32(1)?;
    to.write_field_end()?;
    to.write_field_stop()?;
    to.write_struct_end()?;
    to.write_message_end()?;
    to.flush()
}

fn text_field(to: &mut Out, id: i16, text: &str) -> thrift::Result<()> {
    to.write_field_begin(&TFieldIdentifier::new("text", TType::String, id))?;
    to.write_string(text)?;
    to.write_field_end()
}

/// Fields of a struct, those that `each` does not know skipped.
fn fields(from: &mut In, each: &mut dyn FnMut(&mut In, TType, i16) -> thrift::Result<bool>) -> thrift::Result<()> {
    from.read_struct_begin()?;
    loop {
        let field = from.read_field_begin()?;
        if field.field_type == TType::Stop {
            break;
        }
        if !each(from, field.field_type, field.id.unwrap_or_default())? {
            from.skip(field.field_type)?;
        }
        from.read_field_end()?;
    }
    from.read_struct_end()
}

/// The texts of a call, in the order in which they come.
fn texts(from: &mut In) -> thrift::Result<Vec<String>> {
    let mut texts = Vec::new();
    fields(from, &mut |from, kind, _| {
        let is_text = kind == TType::String && texts.len() < 8;
        if is_text {
            texts.push(from.read_string()?);
        }
        Ok(is_text)
    })?;
    Ok(texts)
}

fn bundle(from: &mut In) -> thrift::Result<(String, Lists)> {
    let (mut session, mut lists) = (String::new(), Lists::default());
    fields(from, &mut |from, kind, id| {
        if (kind, id) != (TType::Struct, 1) {
            return Ok(false);
        }
        fields(from, &mut |from, kind, id| {
            match (kind, id) {
                (TType::String, 1) => session = from.read_string()?,
                (TType::I32, 2) => lists.events = from.read_i32()?,
                (TType::List, 3) => lists.ints = list(from, TType::I32, |from| from.read_i32())?,
                (TType::List, 4) => lists.longs = list(from, TType::I64, |from| from.read_i64())?,
                (TType::List, 5) => lists.doubles = list(from, TType::Double, |from| from.read_double())?,
                (TType::List, 6) => lists.bools = list(from, TType::Bool, |from| from.read_bool())?,
                (TType::List, 7) => lists.texts = list(from, TType::String, |from| from.read_string())?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(true)
    })?;
    Ok((session, lists))
}

fn list<T>(from: &mut In, of: TType, mut each: impl FnMut(&mut In) -> thrift::Result<T>) -> thrift::Result<Vec<T>> {
    let head = from.read_list_begin()?;
    if head.element_type != of && head.size > 0 {
        return Err(thrift::Error::Application(thrift::ApplicationError::new(
            thrift::ApplicationErrorKind::ProtocolError,
            "a list holds values of another type",
        )));
    }
    // Not reserved: what is announced may never come.
    let mut values = Vec::new();
    for _ in 0..head.size {
        values.push(each(from)?);
    }
    from.read_list_end()?;
    Ok(values)
}
