use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::bundle::{Rows, Value, Wrong, values};
use crate::stream::Streams;

const HOME: &str = r#"{"name":"home","version":"1","metaData":[{"name":"gateway","type":"STRING"}],
    "correlationData":[{"name":"at","type":"LONG"}],"payloadData":[{"name":"house","type":"INT"},
    {"name":"power","type":"DOUBLE"},{"name":"ratio","type":"FLOAT"},{"name":"peak","type":"BOOL"}]}"#;

fn receiver(lasts: Duration) -> Receiver {
    Receiver::new("admin", "secret", lasts, 1000, Duration::ZERO)
}

/// What a client says, and what it hears until the connection ends.
fn heard(receiver: &Receiver, said: &[u8]) -> (Vec<u8>, io::Result<()>) {
    let mut answers = Vec::new();
    let ended = converse(said, &mut answers, receiver, Bounds::USUAL);
    (answers, ended)
}

fn message(kind: u8, rest: &[&[u8]]) -> Vec<u8> {
    let rest = rest.concat();
    [&[kind], &u32::try_from(rest.len()).unwrap().to_be_bytes()[..], &rest].concat()
}

fn text(text: &str) -> Vec<u8> {
    [&u32::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat()
}

fn signed_in(receiver: &Receiver) -> String {
    receiver.sign_in("admin", "secret").unwrap()
}

fn event(at: i64, stream: &str, rest: &[u8]) -> Vec<u8> {
    let event = [&at.to_be_bytes()[..], &text(stream), rest].concat();
    [&u32::try_from(event.len()).unwrap().to_be_bytes()[..], &event].concat()
}

fn error(class: &str, message: &str) -> Vec<u8> {
    let class = format!("org.wso2.carbon.databridge.commons.exception.{class}");
    let lengths = [class.len(), message.len()].map(|length| u32::try_from(length).unwrap().to_be_bytes()).concat();
    [&[1], &lengths[..], class.as_bytes(), message.as_bytes()].concat()
}

/// The bytes of a client's are put down by hand, as WSO2's `BinaryEventSender` writes them.
#[test]
fn a_client_signs_in_publishes_and_signs_out() {
    let receiver = receiver(Duration::from_secs(60));
    let (answer, ended) = heard(&receiver, b"\0\0\0\0\x13\0\0\0\x05\0\0\0\x06adminsecret");
    assert!(ended.is_ok());
    let (head, session) = answer.split_at(5);
    let session = std::str::from_utf8(session).unwrap();
    assert_eq!(head, [&[2][..], &u32::try_from(session.len()).unwrap().to_be_bytes()].concat());

    receiver.define(session, HOME).unwrap();
    let values = b"\0\0\0\x02gw\0\0\0\0\0\0\0\x09\xff\xff\xff\xfe\xc0\0\0\0\0\0\0\0\x3f\0\0\0\x01";
    let both = [event(5, "home:1", values), event(6, "home:1", values)].concat();
    let publish = message(2, &[&text(session), b"\0\0\0\x02", &both]);
    // One behind the other: two bundles, and the end of the session.
    let said = [&publish[..], &publish, &message(1, &[&text(session)]), &publish].concat();
    let (answers, ended) = heard(&receiver, &said);
    assert!(ended.is_ok());
    let expired = error("SessionTimeoutException", "the session is not known, or was quiet for too long");
    assert_eq!(answers, [&b"\0\0\0"[..], &expired].concat());
    assert_eq!((receiver.queue.accepted.load(Relaxed), receiver.queue.depth()), (4, 4));
    let taken = receiver.queue.pop(1).unwrap();
    let read: Vec<_> = taken[0].iter().map(|(stream, row)| crate::bundle::values(stream, row).unwrap()).collect();
    let expected = vec![
        Value::Text("gw".into()),
        Value::Whole(9),
        Value::Whole(-2),
        Value::Real(-2.0),
        Value::Real(0.5),
        Value::Bool(true),
    ];
    assert_eq!(read, [(5, expected.clone()), (6, expected)]);
}

#[test]
fn what_is_not_right_is_answered_and_the_connection_goes_on() {
    let receiver = receiver(Duration::from_secs(60));
    let session = signed_in(&receiver);
    let stranger = message(0, &[b"\0\0\0\x05\0\0\0\x05", b"adminother"]);
    let bundle = |event: &[u8]| message(2, &[&text(&session), b"\0\0\0\x01", event]);
    let unknown = bundle(&event(1, "other:1", b""));
    let (answers, ended) = heard(&receiver, &[stranger, unknown].concat());
    assert!(ended.is_ok());
    let [strange, unknown] = [
        error("AuthenticationException", "user or password is wrong"),
        error("UndefinedEventTypeException", "no stream `other:1` is defined"),
    ];
    assert_eq!(answers, [strange, unknown].concat());
    assert_eq!(receiver.refused.load(Relaxed), 2);
}

#[test]
fn what_is_not_the_protocol_ends_the_connection() {
    let receiver = receiver(Duration::from_secs(60));
    let session = text(&signed_in(&receiver));
    for (said, kind) in [
        (&b"GET / HTTP/1.1\r\n\r\n"[..], io::ErrorKind::InvalidData),
        (b"\x03\0\0\0\0", io::ErrorKind::InvalidData),
        (b"\x02\xff\xff\xff\xff", io::ErrorKind::InvalidData),
        (b"\x02\x04\0\0\x01", io::ErrorKind::InvalidData),
        (b"\0\0\x01\0\x01", io::ErrorKind::InvalidData),
        (b"\x02\0", io::ErrorKind::UnexpectedEof),
        (b"\x02\0\0\0\x05abc", io::ErrorKind::UnexpectedEof),
        // Signing in with lengths that are not those of what follows.
        (b"\0\0\0\0\x08\x7f\xff\xff\xff\x7f\xff\xff\xff", io::ErrorKind::InvalidData),
        (b"\0\0\0\0\x09\0\0\0\0\0\0\0\0x", io::ErrorKind::InvalidData),
        (b"\x01\0\0\0\x02\0\0", io::ErrorKind::InvalidData),
        (&message(1, &[&session, b"x"]), io::ErrorKind::InvalidData),
        (&message(1, &[b"\0\0\0\x01\xff"]), io::ErrorKind::InvalidData),
    ] {
        let (answers, ended) = heard(&receiver, said);
        assert_eq!((answers.as_slice(), ended.unwrap_err().kind()), (&b""[..], kind), "{}", said.escape_ascii());
    }
}

#[test]
fn a_message_that_comes_too_slowly_ends_its_connection() {
    /// A byte at a time, each later than the one before.
    struct Slow<'a>(&'a [u8]);
    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            std::thread::sleep(Duration::from_millis(5));
            let count = 1.min(into.len());
            self.0.read(&mut into[..count])
        }
    }
    let receiver = receiver(Duration::from_secs(60));
    let session = signed_in(&receiver);
    let said = message(2, &[&text(&session), b"\0\0\0\0", &[0; 100]]);
    let ended =
        converse(Slow(&said), io::sink(), &receiver, Bounds { message: 1000, within: Duration::from_millis(50) });
    assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::TimedOut);
    // Larger than it may be, it is not waited for.
    let ended = converse(&said[..], io::sink(), &receiver, Bounds { message: 100, within: Duration::from_secs(9) });
    assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::InvalidData);
}

fn streams() -> Streams {
    let streams = Streams::default();
    streams.define(HOME).unwrap();
    streams
}

fn cut(bytes: &[u8]) -> Result<Rows, Wrong> {
    rows(&mut Bytes::new(bytes), &streams())
}

/// An event's values, and its bytes.
type Made = (i64, Vec<Value>, Vec<u8>);

fn any_event() -> impl Strategy<Value = Made> {
    let numbers = (any::<i64>(), any::<i64>(), any::<i32>(), any::<f32>(), any::<f32>(), any::<bool>());
    let loose = proptest::collection::vec((".{0,3}", ".{0,3}"), 0..3);
    (numbers, ".{0,20}", loose).prop_filter_map("NaN equals nothing", |(numbers, gateway, loose)| {
        let (at, when, house, power, ratio, peak) = numbers;
        if power.is_nan() || ratio.is_nan() {
            return None;
        }
        let mut bytes = text(&gateway);
        bytes.extend(when.to_be_bytes());
        bytes.extend(house.to_be_bytes());
        bytes.extend(f64::from(power).to_be_bytes());
        bytes.extend(ratio.to_be_bytes());
        bytes.push(u8::from(peak));
        // Pairs without a definition follow the attributes.
        loose.iter().for_each(|(key, value)| bytes.extend([text(key), text(value)].concat()));
        let values = vec![
            Value::Text(gateway),
            Value::Whole(when),
            Value::Whole(house.into()),
            Value::Real(power.into()),
            Value::Real(ratio.into()),
            Value::Bool(peak),
        ];
        Some((at, values, event(at, "home:1", &bytes)))
    })
}

proptest! {
    #[test]
    fn events_are_cut_out_as_they_were_put_in(events in proptest::collection::vec(any_event(), 0..9), part in 0.0..1.0) {
        let mut bytes = u32::try_from(events.len()).unwrap().to_be_bytes().to_vec();
        events.iter().for_each(|(.., event)| bytes.extend(event));
        let rows = cut(&bytes).unwrap();
        let read: Vec<_> = rows.iter().map(|(stream, row)| values(stream, row).unwrap()).collect();
        let expected: Vec<_> = events.into_iter().map(|(at, values, _)| (at, values)).collect();
        prop_assert_eq!(read, expected);
        // Half of it is not it, and neither is more.
        let half = &bytes[..(part * bytes.len() as f64) as usize];
        prop_assert!(matches!(cut(half), Err(Wrong::Malformed(_))));
        bytes.push(0);
        prop_assert!(matches!(cut(&bytes), Err(Wrong::Malformed(_))));
    }

    #[test]
    fn any_bytes_are_a_bundle_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(rows) = cut(&bytes) {
            prop_assert!(rows.iter().all(|(stream, row)| values(stream, row).is_some()));
        }
    }

    /// One byte that is another one: refused, or events that can be read.
    #[test]
    fn a_byte_that_is_wrong_does_no_harm(events in proptest::collection::vec(any_event(), 1..5), at in 0.0..1.0, byte in any::<u8>()) {
        let mut bytes = u32::try_from(events.len()).unwrap().to_be_bytes().to_vec();
        events.iter().for_each(|(.., event)| bytes.extend(event));
        let at = (at * bytes.len() as f64) as usize;
        bytes[at] = byte;
        if let Ok(rows) = cut(&bytes) {
            prop_assert_eq!(rows.len(), events.len());
            prop_assert!(rows.iter().all(|(stream, row)| values(stream, row).is_some()));
        }
    }

    /// Whatever a stranger says, the conversation ends.
    #[test]
    fn any_bytes_end_a_conversation(said in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (answers, _) = heard(&receiver(Duration::from_secs(60)), &said);
        prop_assert!(answers.first().is_none_or(|answer| *answer <= 1), "nobody is let in: {answers:?}");
    }
}
