//! The receivers' own binary protocol: what signs in, what publishes, and the answers to both.
//!
//! Big-endian throughout. A message is a byte that says what it is, the length of the rest, and the rest. A bundle is its
//! session, how many events there are, and event by event its size, time, stream and attributes in the stream's order. It
//! knows no definitions of streams and no numbers of calls: answers come in the order of what was asked.

use crate::bundle::Recipe;
use crate::reply::{Method, Reply};
use crate::sink::Sink;
use crate::stream::Type;
use crate::wire::{self, Reader, Unread};
use terms::Nanos;

/// What a message is.
const SIGN_IN: u8 = 0;
const PUBLISH: u8 = 2;
/// What an answer is.
const OK: u8 = 0;
const ERROR: u8 = 1;
const SIGNED_IN: u8 = 2;

/// Bytes that a bundle may have: as its length says them, with room for the session.
pub(crate) const BUNDLE_BYTES_MAX: u64 = i32::MAX as u64 - (2 << 20);
/// Bytes of an event beside its stream's id and its attributes: its size, its time, and the id's length.
pub(crate) const EVENT_BYTES: u64 = 16;

/// A length that is written when what it is the length of has been.
struct Length(usize);

impl Length {
    fn begin(into: &mut Vec<u8>) -> Self {
        into.extend_from_slice(&[0; 4]);
        Self(into.len())
    }

    fn end(self, into: &mut [u8]) {
        let length = (into.len() - self.0) as u32;
        into[self.0 - 4..self.0].copy_from_slice(&length.to_be_bytes());
    }
}

/// An event as it is written.
struct Event<'a>(&'a mut Vec<u8>);

impl Sink for Event<'_> {
    #[inline]
    fn number(&mut self, kind: Type, value: f64, whole: impl FnOnce() -> i64) {
        match kind {
            Type::Int => self.0.extend_from_slice(&(whole() as i32).to_be_bytes()),
            Type::Long => self.0.extend_from_slice(&whole().to_be_bytes()),
            Type::Float => self.0.extend_from_slice(&(value as f32).to_be_bytes()),
            Type::Double | Type::Bool | Type::String => self.0.extend_from_slice(&value.to_be_bytes()),
        }
    }

    #[inline]
    fn bool(&mut self, value: bool) {
        self.0.push(u8::from(value));
    }

    #[inline]
    fn begin_text(&mut self, length: u32) -> &mut Vec<u8> {
        self.0.extend_from_slice(&length.to_be_bytes());
        self.0
    }
}

/// Writes the message that signs in.
pub(crate) fn sign_in(user: &[u8], password: &[u8], into: &mut Vec<u8>) {
    into.clear();
    into.push(SIGN_IN);
    let length = Length::begin(into);
    // Both lengths come before both texts.
    into.extend_from_slice(&(user.len() as u32).to_be_bytes());
    into.extend_from_slice(&(password.len() as u32).to_be_bytes());
    into.extend_from_slice(user);
    into.extend_from_slice(password);
    length.end(into);
}

/// Writes the message that publishes a bundle: its events are numbered from `first` on, and happen at `wall`.
pub(crate) fn publish(recipe: &Recipe, session: &[u8], (first, wall): (u64, Nanos), into: &mut Vec<u8>) {
    into.clear();
    into.push(PUBLISH);
    let message = Length::begin(into);
    wire::text(into, session);
    into.extend_from_slice(&recipe.events.to_be_bytes());
    for event in (first..).take(recipe.events as usize) {
        let size = Length::begin(into);
        into.extend_from_slice(&(wall.0 / 1_000_000).to_be_bytes());
        wire::text(into, &recipe.id);
        recipe.event(event, wall, &mut Event(into));
        size.end(into);
    }
    message.end(into);
}

/// Reads the answer to a call; how many bytes it has.
///
/// # Errors
/// More has to come, or it is not an answer to that call.
pub(crate) fn read(bytes: &[u8], method: Method) -> Result<(Reply, usize), Unread> {
    let mut reader = Reader::new(bytes);
    let reply = match (reader.byte()?, method) {
        (SIGNED_IN, Method::Connect) => Reply::Done(reader.text()?.to_vec()),
        (OK, Method::Publish) => Reply::Done(Vec::new()),
        (ERROR, _) => {
            let (class, message) = (reader.length()?, reader.length()?);
            refused(reader.take(class)?, reader.take(message)?)
        }
        (OK | SIGNED_IN, _) => return Err(Unread::Malformed("it answers something else than what was asked")),
        _ => return Err(Unread::Malformed("it begins with none of the bytes 0, 1 and 2")),
    };
    Ok((reply, reader.at()))
}

/// What the class of an error means. Receivers name it in full, with its package.
fn refused(class: &[u8], message: &[u8]) -> Reply {
    let name = class.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let (why, is_expired) = match name {
        b"AuthenticationException" => ("it refuses user and password", false),
        b"SessionTimeoutException" => ("the session has expired", true),
        b"UndefinedEventTypeException" => ("it does not know the stream", false),
        b"MalformedEventException" => ("it cannot read the bundle", false),
        _ => ("it answers with an error", false),
    };
    // The message first: what stands behind a colon and a word such as *session* is cut out of notes, as a secret would be.
    Reply::Refused { why, says: [message, b" (", class, b")"].concat(), is_expired }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Columns;
    use crate::stream::{Part, Stream};
    use crate::values::Values;
    use proptest::prelude::*;

    fn text(text: &str) -> Values {
        Values::OneOf(vec![text.as_bytes().into()])
    }

    fn made_of(attributes: Vec<(Part, Type, Values)>, events: u32) -> (Stream, Recipe) {
        let named = attributes.into_iter().enumerate();
        let (described, values) =
            named.map(|(number, (part, kind, values))| ((part, format!("a{number}"), kind), values)).unzip();
        let stream = Stream { name: "home".into(), version: "1".into(), attributes: described };
        let recipe = Recipe::new(&stream, values, events, 1);
        (stream, recipe)
    }

    /// The layout is that of WSO2's `BinaryEventSender`, the bytes are put down by hand.
    #[test]
    fn signing_in_has_the_bytes_that_receivers_read() {
        let mut bytes = Vec::new();
        sign_in(b"admin", b"secret", &mut bytes);
        assert_eq!(bytes, b"\0\0\0\0\x13\0\0\0\x05\0\0\0\x06adminsecret");
    }

    #[test]
    fn a_bundle_has_the_bytes_that_receivers_read() {
        let attributes = vec![
            (Part::Payload, Type::Int, Values::Whole { from: -2, to: -2 }),
            (Part::Payload, Type::Long, Values::Number),
            (Part::Payload, Type::Float, Values::Between { from: 0.5, to: 0.5 }),
            (Part::Payload, Type::Double, Values::Normal { mean: -2.0, deviation: 0.0 }),
            (Part::Payload, Type::Bool, Values::Share(1.0)),
            (Part::Correlation, Type::String, text("c")),
            (Part::Meta, Type::String, text("gw")),
        ];
        let (_, recipe) = made_of(attributes, 2);
        let mut bytes = vec![9; 100];
        publish(&recipe, b"s-1", (7, Nanos::from_millis(0x0102_0304)), &mut bytes);
        let event = |number: u8| {
            let mut event = b"\0\0\0\x36\0\0\0\0\x01\x02\x03\x04\0\0\0\x06home:1\0\0\0\x02gw\0\0\0\x01c".to_vec();
            event.extend(b"\xff\xff\xff\xfe\0\0\0\0\0\0\0");
            event.push(number);
            event.extend(b"\x3f\0\0\0\xc0\0\0\0\0\0\0\0\x01");
            event
        };
        let whole = [b"\x02\0\0\0\x7f\0\0\0\x03s-1\0\0\0\x02".to_vec(), event(7), event(8)].concat();
        assert_eq!(bytes, whole);
    }

    #[test]
    fn answers_are_told_apart() {
        let signed_in = b"\x02\0\0\0\x03s-1";
        assert_eq!(read(signed_in, Method::Connect), Ok((Reply::Done(b"s-1".to_vec()), 8)));
        assert_eq!(read(b"\0", Method::Publish), Ok((Reply::Done(Vec::new()), 1)));
        for (class, part, expired) in [
            ("org.wso2.carbon.databridge.commons.exception.AuthenticationException", "user and password", false),
            ("org.wso2.carbon.databridge.commons.exception.SessionTimeoutException", "expired", true),
            ("UndefinedEventTypeException", "does not know the stream", false),
            ("java.lang.SessionTimeoutExceptions", "answers with an error", false),
            ("", "answers with an error", false),
        ] {
            let mut bytes = vec![1];
            bytes.extend_from_slice(&(class.len() as u32).to_be_bytes());
            bytes.extend_from_slice(b"\0\0\0\x02");
            bytes.extend_from_slice(class.as_bytes());
            bytes.extend_from_slice(b"no");
            let (found, length) = read(&bytes, Method::Publish).unwrap();
            let Reply::Refused { why, says, is_expired } = found else { panic!("{class}") };
            assert!(why.contains(part), "{class}: {why}");
            assert_eq!((says, is_expired, length), (format!("no ({class})").into_bytes(), expired, bytes.len()));
        }
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for (bytes, method) in [
            (&b"HTTP/1.1 400 Bad Request"[..], Method::Connect),
            (b"\0", Method::Connect),
            (b"\x02\0\0\0\x01s", Method::Publish),
            (b"\x02\xff\xff\xff\xff", Method::Connect),
            (b"\x02\x7f\xff\xff\xff", Method::Connect),
            (b"\x01\0\0\0\x01\x80\0\0\0", Method::Publish),
            (b"\x01\0\x20\0\0\0\0\0\x01", Method::Publish),
        ] {
            assert!(matches!(read(bytes, method), Err(Unread::Malformed(_))), "{bytes:?}");
        }
        assert_eq!(read(b"", Method::Publish), Err(Unread::More));
    }

    /// Cuts the events of a bundle apart as a receiver does, by the definition of their stream.
    fn cut_apart(mut bytes: &[u8], stream: &Stream, session: &[u8]) -> Columns {
        fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
            let (taken, rest) = bytes.split_at(count);
            *bytes = rest;
            taken
        }
        fn number(bytes: &mut &[u8]) -> usize {
            u32::from_be_bytes(take(bytes, 4).try_into().unwrap()) as usize
        }
        assert_eq!(take(&mut bytes, 1), [2]);
        assert_eq!(number(&mut bytes), bytes.len());
        let length = number(&mut bytes);
        assert_eq!(take(&mut bytes, length), session);
        let mut columns = Columns::default();
        for _ in 0..number(&mut bytes) {
            let size = number(&mut bytes);
            let mut event = take(&mut bytes, size);
            let at = i64::from_be_bytes(take(&mut event, 8).try_into().unwrap());
            let length = number(&mut event);
            columns.text(take(&mut event, length));
            columns.number(Type::Long, 0.0, || at);
            for part in Part::ALL {
                for (.., kind) in stream.attributes.iter().filter(|(of, ..)| *of == part) {
                    match kind {
                        Type::Int => {
                            let value = i32::from_be_bytes(take(&mut event, 4).try_into().unwrap());
                            columns.number(*kind, 0.0, || value.into());
                        }
                        Type::Long => {
                            let value = i64::from_be_bytes(take(&mut event, 8).try_into().unwrap());
                            columns.number(*kind, 0.0, || value);
                        }
                        Type::Float => {
                            let value = f32::from_be_bytes(take(&mut event, 4).try_into().unwrap());
                            columns.number(*kind, value.into(), || 0);
                        }
                        Type::Double => {
                            let value = f64::from_be_bytes(take(&mut event, 8).try_into().unwrap());
                            columns.number(*kind, value, || 0);
                        }
                        Type::Bool => columns.bool(take(&mut event, 1) == [1]),
                        Type::String => {
                            let length = number(&mut event);
                            columns.text(take(&mut event, length));
                        }
                    }
                }
            }
            assert!(event.is_empty(), "an event is as long as it says");
        }
        assert!(bytes.is_empty());
        columns
    }

    fn any_attribute() -> impl Strategy<Value = (Part, Type, Values)> {
        let values = prop_oneof![
            (any::<i32>(), 0..100_i64).prop_map(|(from, width)| {
                let from = i64::from(from).min(i64::from(i32::MAX) - width);
                (Type::Int, Values::Whole { from, to: from + width })
            }),
            any::<(i64, i64)>().prop_map(|(a, b)| (Type::Long, Values::Whole { from: a.min(b), to: a.max(b) })),
            Just((Type::Long, Values::Number)),
            Just((Type::Long, Values::Now)),
            (-1e6..1e6).prop_map(|mean| (Type::Float, Values::Normal { mean, deviation: 3.0 })),
            (-1e6..1e6).prop_map(|from| (Type::Double, Values::Between { from, to: from + 1.0 })),
            (0.0..1.0).prop_map(|share| (Type::Bool, Values::Share(share))),
            ".{0,9}".prop_map(|some| (Type::String, Values::OneOf(vec![some.into_bytes().into(), (*b"").into()]))),
            any::<i64>()
                .prop_map(|from| (Type::String, Values::Numbered { before: (*b"n-").into(), from, to: i64::MAX })),
            (0..200_u32).prop_map(|length| (Type::String, Values::Length(length))),
            (1.0..500.0).prop_map(|mean| (Type::String, Values::log_normal(mean, 0.8, 2_000))),
        ];
        let part = prop_oneof![Just(Part::Meta), Just(Part::Correlation), Just(Part::Payload)];
        (part, values).prop_map(|(part, (kind, values))| (part, kind, values))
    }

    proptest! {
        /// Whatever events are made of, a receiver cuts the same out of a bundle as out of one of Thrift's.
        #[test]
        fn both_protocols_carry_the_same(
            attributes in proptest::collection::vec(any_attribute(), 1..12),
            events in 1..20_u32,
            first in any::<u32>(),
            session in proptest::collection::vec(any::<u8>(), 0..50),
        ) {
            let (stream, recipe) = made_of(attributes, events);
            let when = (u64::from(first), Nanos::from_secs(1_700_000_000));
            let (mut columns, mut thrift, mut own) = (Columns::default(), Vec::new(), Vec::new());
            recipe.publish(&session, when, 1, &mut columns, &mut thrift);
            publish(&recipe, &session, when, &mut own);
            prop_assert_eq!(cut_apart(&own, &stream, &session), columns);
            let most = (EVENT_BYTES + recipe.id.len() as u64 + recipe.most_bytes()) * u64::from(events);
            prop_assert!((own.len() - session.len() - 13) as u64 <= most, "{} of at most {most}", own.len());
        }

        #[test]
        fn any_bytes_end_in_an_answer_or_a_reason(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            for method in [Method::Connect, Method::Publish] {
                if let Ok((_, length)) = read(&bytes, method) {
                    prop_assert!(length <= bytes.len());
                }
            }
        }

        /// However an answer is cut, what is there says that there is more, and the whole says what it says.
        #[test]
        fn an_answer_may_come_in_parts(cut in 0usize..60, class in "[a-zA-Z.]{0,20}", says in ".{0,20}") {
            let mut whole = vec![1];
            whole.extend_from_slice(&(class.len() as u32).to_be_bytes());
            whole.extend_from_slice(&(says.len() as u32).to_be_bytes());
            whole.extend_from_slice(class.as_bytes());
            whole.extend_from_slice(says.as_bytes());
            let cut = cut.min(whole.len() - 1);
            prop_assert_eq!(read(&whole[..cut], Method::Publish), Err(Unread::More));
            let (reply, length) = read(&whole, Method::Publish).unwrap();
            prop_assert_eq!(length, whole.len());
            let words = format!("{says} ({class})").into_bytes();
            let is_told = matches!(&reply, Reply::Refused { says, .. } if *says == words);
            prop_assert!(is_told, "{:?}", reply);
        }
    }
}
