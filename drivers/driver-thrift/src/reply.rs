//! What a receiver answers to a call.

use crate::wire::{EXCEPTION, REPLY, Reader, Unread, kind};

/// A call, by what the receiver may answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Connect,
    DefineStream,
    Publish,
}

impl Method {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::DefineStream => "defineStream",
            Self::Publish => "publish",
        }
    }

    /// What the exception of this field means, in the order in which the interface declares them.
    fn exception(self, id: i16) -> &'static str {
        match (self, id) {
            (Self::Connect, 1) => "it refuses user and password",
            (Self::DefineStream, 1) => "it knows another definition of that stream",
            (Self::DefineStream, 2) => "it cannot read the definition of the stream",
            (Self::DefineStream, 3) | (Self::Publish, 2) => "the session has expired",
            (Self::Publish, 1) => "it does not know the stream",
            _ => "it answers with an exception",
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// It is done; the text that came with it.
    Done(Vec<u8>),
    /// The receiver refuses: why in words of ours, what it says itself, and whether the session is no longer good.
    Refused { why: &'static str, says: Vec<u8>, is_expired: bool },
}

/// Reads the reply to a call of this number; how many bytes it has.
pub(crate) fn read(bytes: &[u8], method: Method, number: i32) -> Result<(Reply, usize), Unread> {
    let mut reader = Reader::new(bytes);
    let (message, name, own) = reader.message()?;
    if name != method.name().as_bytes() {
        return Err(Unread::Malformed("it answers another call than the one that was made"));
    }
    if own != number {
        return Err(Unread::Malformed("it answers a call of another number"));
    }
    let reply = match message {
        REPLY => result(&mut reader, method)?,
        EXCEPTION => {
            let says = says(&mut reader)?;
            Reply::Refused { why: "it does not carry out the call", says, is_expired: false }
        }
        _ => return Err(Unread::Malformed("it is neither a reply nor an exception")),
    };
    Ok((reply, reader.at()))
}

/// Field 0 is what was asked for, any other one an exception.
fn result(reader: &mut Reader<'_>, method: Method) -> Result<Reply, Unread> {
    let mut reply = None;
    while let Some((kind, id)) = reader.field()? {
        match (kind, id) {
            (kind::STRING, 0) => reply = Some(Reply::Done(reader.text()?.to_vec())),
            (kind::STRUCT, id) if id > 0 => {
                let (why, says) = (method.exception(id), says(reader)?);
                let is_expired = matches!((method, id), (Method::DefineStream, 3) | (Method::Publish, 2));
                reply = Some(Reply::Refused { why, says, is_expired });
            }
            (kind, _) => reader.skip(kind)?,
        }
    }
    match reply {
        Some(reply) => Ok(reply),
        // Publishing answers with nothing.
        None if method == Method::Publish => Ok(Reply::Done(Vec::new())),
        None => Err(Unread::Malformed("it answers with nothing")),
    }
}

/// The message of an exception, which is its first text.
fn says(reader: &mut Reader<'_>) -> Result<Vec<u8>, Unread> {
    let mut says = Vec::new();
    while let Some((kind, id)) = reader.field()? {
        match (kind, id) {
            (kind::STRING, 1) => says = reader.text()?.to_vec(),
            (kind, _) => reader.skip(kind)?,
        }
    }
    Ok(says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire;
    use proptest::prelude::*;

    fn reply(kind: u8, method: &str, number: i32, body: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = (0x8001_0000u32 | u32::from(kind)).to_be_bytes().to_vec();
        wire::text(&mut bytes, method.as_bytes());
        bytes.extend_from_slice(&number.to_be_bytes());
        body(&mut bytes);
        wire::end(&mut bytes);
        bytes
    }

    fn refused(bytes: &mut Vec<u8>, id: i16) {
        wire::field(bytes, kind::STRUCT, id);
        wire::text_field(bytes, 1, b"no");
        wire::end(bytes);
    }

    #[test]
    fn answers_are_told_apart() {
        let session = reply(REPLY, "connect", 7, |bytes| wire::text_field(bytes, 0, b"session"));
        assert_eq!(read(&session, Method::Connect, 7), Ok((Reply::Done(b"session".to_vec()), session.len())));
        let nothing = reply(REPLY, "publish", 8, |_| {});
        assert_eq!(read(&nothing, Method::Publish, 8), Ok((Reply::Done(Vec::new()), nothing.len())));
        for (method, id, part, is_expired) in [
            (Method::Connect, 1, "user and password", false),
            (Method::DefineStream, 1, "another definition", false),
            (Method::DefineStream, 3, "expired", true),
            (Method::Publish, 1, "does not know the stream", false),
            (Method::Publish, 2, "expired", true),
        ] {
            let bytes = reply(REPLY, method.name(), 1, |bytes| refused(bytes, id));
            let (found, _) = read(&bytes, method, 1).unwrap();
            let Reply::Refused { why, says, is_expired: expired } = found else { panic!("{method:?} {id}") };
            assert!(why.contains(part) && says == b"no" && expired == is_expired, "{method:?} {id}: {why}");
        }
        let unknown = reply(EXCEPTION, "publish", 1, |bytes| wire::text_field(bytes, 1, b"Invalid method"));
        assert!(matches!(read(&unknown, Method::Publish, 1), Ok((Reply::Refused { .. }, _))));
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let good = reply(REPLY, "connect", 1, |bytes| wire::text_field(bytes, 0, b"s"));
        for (bytes, method, number) in [
            (b"HTTP/1.1 400 Bad Request".to_vec(), Method::Connect, 1),
            (good.clone(), Method::Publish, 1),
            (good.clone(), Method::Connect, 2),
            (reply(wire::CALL, "connect", 1, |_| {}), Method::Connect, 1),
            (reply(REPLY, "connect", 1, |_| {}), Method::Connect, 1),
            (reply(REPLY, "publish", 1, |bytes| wire::field(bytes, 99, 0)), Method::Publish, 1),
            (reply(REPLY, "publish", 1, |bytes| wire::list_field(bytes, 5, 3, u32::MAX, &[])), Method::Publish, 1),
        ] {
            assert!(matches!(read(&bytes, method, number), Err(Unread::Malformed(_))), "{bytes:?}");
        }
        // However deep it claims to be, it ends.
        let deep = reply(REPLY, "publish", 1, |bytes| (0..100).for_each(|_| wire::field(bytes, kind::STRUCT, -1)));
        assert!(matches!(read(&deep, Method::Publish, 1), Err(Unread::Malformed(_))));
    }

    proptest! {
        #[test]
        fn any_bytes_end_in_an_answer_or_a_reason(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes, Method::Publish, 1);
        }

        /// However a reply is cut, what is there says that there is more, and the whole says what it says.
        #[test]
        fn a_reply_may_come_in_parts(cut in 0usize..60, says in ".{0,20}") {
            let whole = reply(REPLY, "defineStream", 3, |bytes| wire::text_field(bytes, 0, says.as_bytes()));
            let cut = cut.min(whole.len() - 1);
            prop_assert_eq!(read(&whole[..cut], Method::DefineStream, 3), Err(Unread::More));
            prop_assert_eq!(read(&whole, Method::DefineStream, 3), Ok((Reply::Done(says.into_bytes()), whole.len())));
        }
    }
}
