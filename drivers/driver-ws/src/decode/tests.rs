use super::*;
use crate::close::PROTOCOL_ERROR;
use proptest::prelude::*;

/// An event with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Text(String),
    Binary(Vec<u8>),
    Ping(Vec<u8>),
    Pong(Vec<u8>),
    Close(Vec<u8>),
}

impl From<Event<'_>> for Seen {
    fn from(event: Event<'_>) -> Self {
        match event {
            Event::Text(text, _) => Self::Text(text.to_owned()),
            Event::Binary(bytes, _) => Self::Binary(bytes.to_vec()),
            Event::Ping(bytes) => Self::Ping(bytes.to_vec()),
            Event::Pong(bytes) => Self::Pong(bytes.to_vec()),
            Event::Close(bytes) => Self::Close(bytes.to_vec()),
        }
    }
}

/// A frame as a server sends it.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        short @ 0..126 => frame.push(short as u8),
        medium @ 126..65536 => {
            frame.push(126);
            frame.extend_from_slice(&(medium as u16).to_be_bytes());
        }
        long => {
            frame.push(127);
            frame.extend_from_slice(&(long as u64).to_be_bytes());
        }
    }
    frame.extend_from_slice(payload);
    frame
}

/// What comes of bytes that are read in pieces which end at these places.
fn decode(bytes: &[u8], ends: &[usize], message_max: u64) -> (Vec<Seen>, Option<Violation>) {
    decode_by(Decoder::new(message_max, false), bytes, ends)
}

/// The same on a connection that agreed on compression.
fn decode_agreed(bytes: &[u8], ends: &[usize], message_max: u64) -> (Vec<Seen>, Option<Violation>) {
    decode_by(Decoder::new(message_max, true), bytes, ends)
}

fn decode_by(mut decoder: Decoder, bytes: &[u8], ends: &[usize]) -> (Vec<Seen>, Option<Violation>) {
    let (spare, mut inflater, mut seen) = (Spare::default(), Inflater::default(), Vec::new());
    let mut begin = 0;
    for end in ends.iter().copied().chain([bytes.len()]) {
        let mut rest = &bytes[begin..end];
        begin = end;
        while !rest.is_empty() {
            match decoder.feed(rest, &spare, &mut inflater) {
                Ok((used, event)) => {
                    assert!(used > 0, "it goes on");
                    seen.extend(event.map(Seen::from));
                    rest = &rest[used..];
                }
                Err(violation) => return (seen, Some(violation)),
            }
        }
    }
    decoder.let_go(&spare);
    assert!(decoder.has_part() || (decoder.parts.capacity(), decoder.control.capacity()) == (0, 0));
    (seen, None)
}

fn whole(bytes: &[u8]) -> (Vec<Seen>, Option<Violation>) {
    decode(bytes, &[], 1000)
}

#[test]
fn fragments_are_one_message_and_control_frames_may_come_between_them() {
    let bytes = [frame(0x01, b"Hel"), frame(0x89, b"are you there"), frame(0x00, b""), frame(0x80, b"lo")].concat();
    let seen = vec![Seen::Ping(b"are you there".to_vec()), Seen::Text("Hello".into())];
    assert_eq!(whole(&bytes), (seen, None));
}

#[test]
fn empty_messages_are_messages() {
    let bytes = [frame(0x81, b""), frame(0x82, b""), frame(0x8a, b""), frame(0x88, b"")].concat();
    let seen =
        vec![Seen::Text(String::new()), Seen::Binary(Vec::new()), Seen::Pong(Vec::new()), Seen::Close(Vec::new())];
    assert_eq!(whole(&bytes), (seen, None));
}

#[test]
fn what_breaks_the_protocol_ends_it_with_its_code() {
    for (bytes, code, what) in [
        (frame(0x80, b"x"), PROTOCOL_ERROR, "continuation of no message"),
        ([frame(0x01, b"a"), frame(0x81, b"b")].concat(), PROTOCOL_ERROR, "new message before the end"),
        ([frame(0x01, b"a"), frame(0x02, b"b")].concat(), PROTOCOL_ERROR, "new message before the end"),
        (frame(0xc1, b"a"), PROTOCOL_ERROR, "reserved bit"),
        (frame(0x89, &[b'x'; 126]), PROTOCOL_ERROR, "more than 125 bytes"),
        (frame(0x81, b"\xff"), BAD_DATA, "not UTF-8"),
        (frame(0x81, b"\xe2\x82"), BAD_DATA, "not UTF-8"),
        // A surrogate, and a slash in two bytes.
        (frame(0x81, b"\xed\xa0\x80"), BAD_DATA, "not UTF-8"),
        (frame(0x81, b"\xc0\xaf"), BAD_DATA, "not UTF-8"),
        ([frame(0x01, b"\xe2\x82"), frame(0x80, b"a")].concat(), BAD_DATA, "not UTF-8"),
        (frame(0x82, &[0; 1001]), MESSAGE_TOO_BIG, "longer than `max_message`"),
        ([frame(0x02, &[0; 600]), frame(0x80, &[0; 401])].concat(), MESSAGE_TOO_BIG, "longer than `max_message`"),
        (vec![0x82, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255], MESSAGE_TOO_BIG, "longer than `max_message`"),
    ] {
        let (seen, violation) = whole(&bytes);
        let violation = violation.unwrap_or_else(|| panic!("{what}: {seen:?}"));
        assert!(seen.is_empty() && violation.code == code && violation.what.contains(what), "{what}: {violation:?}");
    }
}

#[test]
fn characters_may_be_split_between_fragments_and_nonsense_is_told_before_the_end() {
    let bytes = [frame(0x01, b"\xe2"), frame(0x00, b"\x82"), frame(0x80, b"\xac")].concat();
    assert_eq!(whole(&bytes), (vec![Seen::Text("\u{20ac}".into())], None));
    // The message never ends.
    let bytes = [frame(0x01, b"abc"), frame(0x00, b"\xff")].concat();
    assert_eq!(whole(&bytes).1.map(|violation| violation.code), Some(BAD_DATA));
}

#[test]
fn a_message_as_long_as_it_may_be_is_one() {
    let long = [0; 1000];
    let bytes = [frame(0x02, &long[..600]), frame(0x80, &long[600..]), frame(0x82, &long)].concat();
    assert_eq!(whole(&bytes), (vec![Seen::Binary(long.to_vec()); 2], None));
}

#[test]
fn nothing_is_held_for_a_message_that_lies_in_one_piece() {
    let (mut decoder, spare, mut inflater) = (Decoder::new(1 << 20, false), Spare::default(), Inflater::default());
    let bytes = [frame(0x82, &[7; 100_000]), frame(0x89, b"ping")].concat();
    let (mut rest, mut count) = (bytes.as_slice(), 0);
    let memory = allocation_counter::measure(|| {
        while !rest.is_empty() {
            let (used, event) = decoder.feed(rest, &spare, &mut inflater).unwrap();
            (rest, count) = (&rest[used..], count + usize::from(event.is_some()));
        }
    });
    assert_eq!((count, memory.count_total), (2, 0));
}

/// One thing that a server may send.
#[derive(Clone, Debug)]
enum Sent {
    /// A message in fragments that end at these places, with a control frame after some of them.
    Message {
        is_text: bool,
        text: String,
        parts: Vec<(prop::sample::Index, Option<Control>)>,
    },
    Control(Control),
}

/// First byte and payload of a control frame.
type Control = (u8, Vec<u8>);

fn sent() -> impl Strategy<Value = Sent> {
    let control = (0x88u8..=0x8a, proptest::collection::vec(any::<u8>(), 0..=125));
    let part = (any::<prop::sample::Index>(), proptest::option::of(control.clone()));
    let message = (any::<bool>(), ".{0,200}", proptest::collection::vec(part, 0..4));
    prop_oneof![
        message.prop_map(|(is_text, text, parts)| Sent::Message { is_text, text, parts }),
        control.prop_map(Sent::Control),
    ]
}

/// The bytes of all that, and what should come of them.
fn written(all: Vec<Sent>) -> (Vec<u8>, Vec<Seen>) {
    let (mut bytes, mut seen) = (Vec::new(), Vec::new());
    let control = |(first, payload): Control, bytes: &mut Vec<u8>, seen: &mut Vec<Seen>| {
        bytes.extend(frame(first, &payload));
        seen.push([Seen::Close, Seen::Ping, Seen::Pong][usize::from(first - 0x88)](payload));
    };
    for one in all {
        let (is_text, text, parts) = match one {
            Sent::Control(alone) => {
                control(alone, &mut bytes, &mut seen);
                continue;
            }
            Sent::Message { is_text, text, parts } => (is_text, text, parts),
        };
        let mut cuts: Vec<_> = parts.iter().map(|(at, _)| at.index(text.len() + 1)).collect();
        cuts.sort_unstable();
        let (mut begin, mut first) = (0, if is_text { 1 } else { 2 });
        for (cut, (_, between)) in cuts.into_iter().zip(parts) {
            bytes.extend(frame(first, &text.as_bytes()[begin..cut]));
            (begin, first) = (cut, 0);
            if let Some(between) = between {
                control(between, &mut bytes, &mut seen);
            }
        }
        bytes.extend(frame(0x80 | first, &text.as_bytes()[begin..]));
        seen.push(if is_text { Seen::Text(text) } else { Seen::Binary(text.into_bytes()) });
    }
    (bytes, seen)
}

fn sorted(ends: &[prop::sample::Index], length: usize) -> Vec<usize> {
    let mut ends: Vec<_> = ends.iter().map(|end| end.index(length + 1)).collect();
    ends.sort_unstable();
    ends
}

proptest! {
    #[test]
    fn what_was_sent_comes_however_it_is_split(
        all in proptest::collection::vec(sent(), 0..8),
        ends in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let (bytes, seen) = written(all);
        prop_assert_eq!(decode(&bytes, &[], 1000), (seen.clone(), None));
        prop_assert_eq!(decode(&bytes, &sorted(&ends, bytes.len()), 1000), (seen.clone(), None));
        let each: Vec<_> = (0..bytes.len()).collect();
        prop_assert_eq!(decode(&bytes, &each, 1000), (seen, None));
    }

    #[test]
    fn any_bytes_end_alike_however_they_are_split(
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0u8..4, 0x80u8..0x8b], 0..300),
        ends in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        prop_assert_eq!(decode(&bytes, &sorted(&ends, bytes.len()), 100), decode(&bytes, &[], 100));
    }
}

/// RFC 7692, section 7.2.3: `Hello` in one frame, in two, without compression, with a last block, in two blocks.
#[test]
fn compressed_messages_are_read_as_the_standard_has_them() {
    for frames in [
        frame(0xc1, &[0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]),
        [frame(0x41, &[0xf2, 0x48, 0xcd]), frame(0x80, &[0xc9, 0xc9, 0x07, 0x00])].concat(),
        frame(0xc1, &[0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00]),
        frame(0xc1, &[0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00]),
        frame(0xc1, &[0xf2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xca, 0xc9, 0xc9, 0x07, 0x00]),
        frame(0x81, b"Hello"),
    ] {
        let seen = vec![Seen::Text("Hello".into())];
        let each: Vec<_> = (0..frames.len()).collect();
        assert_eq!(decode_agreed(&frames, &[], 5), (seen.clone(), None), "{frames:x?}");
        assert_eq!(decode_agreed(&frames, &each, 5), (seen, None), "{frames:x?}");
        assert_eq!(decode_agreed(&frames, &[], 4).1.map(|violation| violation.code), Some(MESSAGE_TOO_BIG));
        let is_compressed = frames[0] & 0x40 != 0;
        let unasked = decode(&frames, &[], 5).1.map(|violation| violation.code);
        assert_eq!(unasked, is_compressed.then_some(PROTOCOL_ERROR), "{frames:x?}");
    }
}

#[test]
fn what_breaks_the_agreement_on_compression_ends_it_with_its_code() {
    let hello = [0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00];
    // An empty block without compression, over and over.
    let nothing = [0, 0, 0, 0xff, 0xff].repeat(500);
    for (bytes, code, what) in [
        ([frame(0x41, &hello[..3]), frame(0xc0, &hello[3..])].concat(), PROTOCOL_ERROR, "a continuation with the bit"),
        ([frame(0x01, b"a"), frame(0xc0, b"b")].concat(), PROTOCOL_ERROR, "a continuation with the bit"),
        (frame(0xc9, b""), PROTOCOL_ERROR, "a control frame with the bit"),
        (frame(0xc8, b""), PROTOCOL_ERROR, "a control frame with the bit"),
        (frame(0xe1, &hello), PROTOCOL_ERROR, "a reserved bit"),
        (frame(0xc1, &hello[..5]), BAD_DATA, "compressed message that"),
        (frame(0xc1, b""), BAD_DATA, "compressed message that"),
        ([frame(0x41, &hello[..3]), frame(0x80, b"")].concat(), BAD_DATA, "compressed message that"),
        // An `e` with an accent of Latin 1, in a block without compression.
        (frame(0xc1, &[0, 1, 0, 0xfe, 0xff, 0xe9, 0]), BAD_DATA, "not UTF-8"),
        (frame(0xc2, &nothing), MESSAGE_TOO_BIG, "a compressed message longer than any"),
        (
            [frame(0x42, &nothing[..2000]), frame(0x00, &nothing[2000..])].concat(),
            MESSAGE_TOO_BIG,
            "a compressed message longer than any",
        ),
    ] {
        let (seen, violation) = decode_agreed(&bytes, &[], 1000);
        let violation = violation.unwrap_or_else(|| panic!("{what}: {seen:?}"));
        assert!(seen.is_empty() && violation.code == code && violation.what.contains(what), "{what}: {violation:?}");
        let each: Vec<_> = (0..bytes.len()).collect();
        assert_eq!(decode_agreed(&bytes, &each, 1000).1, Some(violation), "however it is split");
    }
    // Within a compressed message the others may come.
    let between =
        [frame(0x41, &hello[..3]), frame(0x89, b"p"), frame(0x80, &hello[3..]), frame(0x81, b"as it is")].concat();
    let seen = vec![Seen::Ping(b"p".to_vec()), Seen::Text("Hello".into()), Seen::Text("as it is".into())];
    assert_eq!(decode_agreed(&between, &[], 1000), (seen, None));
}

proptest! {
    #[test]
    fn compressed_messages_come_however_they_are_split(
        messages in proptest::collection::vec((".{0,300}", any::<bool>(), any::<prop::sample::Index>()), 1..6),
        ends in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let (mut bytes, mut seen, mut deflater) = (Vec::new(), Vec::new(), crate::deflate::Deflater::default());
        for (text, is_text, cut) in messages {
            let payload = deflater.deflate(text.as_bytes());
            let (first, second) = payload.split_at(cut.index(payload.len() + 1));
            bytes.extend(frame(0x40 | if is_text { 1 } else { 2 }, first));
            bytes.extend(frame(0x8a, b""));
            bytes.extend(frame(0x80, second));
            seen.push(Seen::Pong(Vec::new()));
            seen.push(if is_text { Seen::Text(text) } else { Seen::Binary(text.into_bytes()) });
        }
        prop_assert_eq!(decode_agreed(&bytes, &[], 1200), (seen.clone(), None));
        prop_assert_eq!(decode_agreed(&bytes, &sorted(&ends, bytes.len()), 1200), (seen, None));
    }

    #[test]
    fn any_bytes_on_an_agreed_connection_end_alike_however_they_are_split(
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0u8..4, 0x80u8..0x8b, 0xc0u8..0xcb], 0..300),
        ends in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        prop_assert_eq!(decode_agreed(&bytes, &sorted(&ends, bytes.len()), 100), decode_agreed(&bytes, &[], 100));
    }
}
