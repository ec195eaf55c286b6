//! The receiver's two services over Thrift's binary protocol: one signs clients in, the other takes what they send.

use std::io::{Read, Write};

use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TFieldIdentifier, TInputProtocol, TMessageIdentifier, TMessageType,
    TOutputProtocol, TStructIdentifier, TType,
};
use thrift::{TConfiguration, TConfigurationBuilder};

use crate::bundle::{Lists, Rows};
use crate::listener::{MESSAGE_MAX, Role};
use crate::receiver::{Receiver, Refused};

/// Longest list, values.
const LIST_MAX: usize = 16 << 20;

type In = TBinaryInputProtocol<Box<dyn Read>>;
type Out = TBinaryOutputProtocol<Box<dyn Write>>;

/// What a service answers.
enum Answer {
    Text(String),
    Nothing,
    Bool(bool),
    /// The exception of that field.
    Exception(i16, String),
}

/// Answers one call after another, until the client goes.
///
/// # Errors
/// The connection breaks, or what comes is not the protocol.
pub(crate) fn converse(from: Box<dyn Read>, to: Box<dyn Write>, role: Role, receiver: &Receiver) -> thrift::Result<()> {
    let mut from = TBinaryInputProtocol::with_config(from, true, bounds()?);
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
                    Err(Refused::Unknown(why) | Refused::Expired(why) | Refused::Stranger(why)) => {
                        Answer::Exception(3, why)
                    }
                }
            }
            (Role::Data, "findStreamId") => {
                let texts = texts(&mut from)?;
                let [session, name, version] = texts.as_slice() else { return Ok(()) };
                match receiver.find(session, &format!("{name}:{version}")) {
                    Ok(id) => Answer::Text(id),
                    Err(Refused::Unknown(why)) => Answer::Exception(1, why),
                    Err(refused) => Answer::Exception(2, refused.why()),
                }
            }
            (Role::Data, "deleteStreamById" | "deleteStreamByNameVersion") => {
                let texts = texts(&mut from)?;
                let (session, id) = match texts.as_slice() {
                    [session, id] if call.name == "deleteStreamById" => (session, id.clone()),
                    [session, name, version] if call.name != "deleteStreamById" => {
                        (session, format!("{name}:{version}"))
                    }
                    _ => return Ok(()),
                };
                match receiver.delete(session, &id) {
                    Ok(was_there) => Answer::Bool(was_there),
                    Err(refused) => Answer::Exception(1, refused.why()),
                }
            }
            (Role::Data, "publish") => {
                let (session, lists) = bundle(&mut from)?;
                match receiver.publish(&session, |streams| Rows::of(&lists, streams)) {
                    Ok(()) => Answer::Nothing,
                    Err(Refused::Expired(why)) => Answer::Exception(2, why),
                    Err(refused) => Answer::Exception(1, refused.why()),
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
        Answer::Bool(value) => {
            to.write_field_begin(&TFieldIdentifier::new("success", TType::Bool, 0))?;
            to.write_bool(value)?;
            to.write_field_end()?;
        }
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
