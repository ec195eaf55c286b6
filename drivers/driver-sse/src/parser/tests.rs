use super::*;
use proptest::prelude::*;

/// Blocks as they came: id, and type and data of the event.
type Blocks = Vec<(Option<String>, Option<(String, String)>)>;

/// What has come of a stream.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    blocks: Blocks,
    comments: u32,
    retry: Option<u32>,
    is_too_long: bool,
}

impl Seen {
    fn events(&self) -> Vec<(&str, &str)> {
        let events = self.blocks.iter().filter_map(|(_, event)| event.as_ref());
        events.map(|(kind, data)| (kind.as_str(), data.as_str())).collect()
    }

    /// Blocks in which nothing is stated are nobody's.
    fn without_empty(mut self) -> Self {
        self.blocks.retain(|block| *block != (None, None));
        self
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What comes of bytes that are read in pieces which end at these places.
fn parse(bytes: &[u8], ends: &[usize], event_max: u64) -> Seen {
    let (mut parser, spare, mut joined) = (Parser::new(event_max), Spare::default(), Vec::new());
    let (mut seen, mut begin) = (Seen::default(), 0);
    for end in ends.iter().copied().chain([bytes.len()]) {
        let mut rest = &bytes[begin..end];
        begin = end;
        while !rest.is_empty() {
            match parser.feed(rest, &spare, &mut joined) {
                Err(TooLong) => return Seen { is_too_long: true, comments: 0, retry: None, ..seen },
                Ok((used, block)) => {
                    assert!(used > 0, "it goes on");
                    rest = &rest[used..];
                    seen.blocks.extend(block.map(|block| {
                        (block.id.map(text), block.event.map(|event| (text(event.kind), text(event.data))))
                    }));
                }
            }
        }
    }
    parser.let_go(&spare);
    assert!(parser.has_part() || parser.parts.capacity() == 0, "what waits holds no buffer");
    (seen.comments, seen.retry) = (parser.take_comments(), parser.take_retry());
    seen
}

fn whole(text: &str) -> Seen {
    parse(text.as_bytes(), &[], 1000)
}

/// The standard's own words, slowly: the whole stream is decoded, cut into lines, and each is processed.
fn by_the_book(bytes: &[u8]) -> Seen {
    let decoded = String::from_utf8_lossy(bytes).into_owned();
    let decoded = decoded.strip_prefix('\u{feff}').unwrap_or(&decoded).replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<&str> = decoded.split('\n').collect();
    // What has no end is not a line.
    let cut = lines.pop().unwrap_or_default();
    let (mut seen, mut data, mut kind, mut id) = (Seen::default(), String::new(), String::new(), None);
    for line in lines {
        if line.is_empty() {
            let event = (!data.is_empty()).then(|| {
                let kind = if kind.is_empty() { "message".to_owned() } else { kind.clone() };
                (kind, data.strip_suffix('\n').unwrap_or(&data).to_owned())
            });
            seen.blocks.push((id.take(), event));
            (data, kind) = (String::new(), String::new());
            continue;
        }
        let (field, value) = match line.split_once(':') {
            Some(("", _)) => {
                seen.comments += 1;
                continue;
            }
            Some((field, value)) => (field, value.strip_prefix(' ').unwrap_or(value)),
            None => (line, ""),
        };
        match field {
            "event" => value.clone_into(&mut kind),
            "data" => {
                data.push_str(value);
                data.push('\n');
            }
            "id" if !value.contains('\0') => id = Some(value.to_owned()),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                seen.retry = Some(value.parse().unwrap_or(u32::MAX));
            }
            _ => {}
        }
    }
    // A comment is told by its first character.
    seen.comments += u32::from(cut.starts_with(':'));
    seen
}

/// The examples of the standard, with what it says of each.
#[test]
fn the_examples_of_the_standard_are_read_as_it_says() {
    let seen = whole("data: YHOO\ndata: +2\ndata: 10\n\n");
    assert_eq!(seen.events(), [("message", "YHOO\n+2\n10")]);
    let seen = whole(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n");
    assert_eq!(seen.events(), [("message", "first event"), ("message", "second event"), ("message", " third event")]);
    let ids: Vec<_> = seen.blocks.iter().map(|(id, _)| id.as_deref()).collect();
    assert_eq!((ids, seen.comments), (vec![None, Some("1"), Some(""), None], 1));
    assert_eq!(whole("data\n\ndata\ndata\n\ndata:").events(), [("message", ""), ("message", "\n")]);
    assert_eq!(whole("data:test\n\ndata: test\n\n").events(), [("message", "test"), ("message", "test")]);
    let seen = whole("event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n");
    assert_eq!(seen.events(), [("add", "73857293"), ("remove", "2153"), ("add", "113411")]);
}

#[test]
fn lines_end_in_three_ways_also_between_two_readings() {
    for ends in ["\n", "\r", "\r\n"] {
        let text = "id: 7\ndata: a\ndata: b\n\ndata: c\n\n".replace('\n', ends);
        assert_eq!(whole(&text).events(), [("message", "a\nb"), ("message", "c")], "{ends:?}");
        for end in 0..text.len() {
            assert_eq!(parse(text.as_bytes(), &[end], 1000), whole(&text), "{ends:?} cut at {end}");
        }
    }
    // An empty line is told by its CR: nobody waits for what may follow.
    let (mut parser, spare, mut joined) = (Parser::new(100), Spare::default(), Vec::new());
    let (used, block) = parser.feed(b"data: a\r\n\r", &spare, &mut joined).unwrap();
    assert!(used == 10 && block.unwrap().event.is_some());
    let (used, block) = parser.feed(b"\ndata: b\r\r", &spare, &mut joined).unwrap();
    assert_eq!((used, block.unwrap().event.unwrap().data), (10, b"b".as_slice()));
}

#[test]
fn a_byte_order_mark_may_stand_at_the_beginning_alone() {
    let mark = "\u{feff}";
    for (text, events) in [
        (format!("{mark}data: a\n\n"), vec![("message", "a")]),
        (format!("{mark}{mark}data: a\n\n"), vec![]),
        (format!("data: a\n\n{mark}data: b\n\n"), vec![("message", "a")]),
        (format!("data: {mark}a\n\n"), vec![("message", "\u{feff}a")]),
    ] {
        assert_eq!(whole(&text).events(), events, "{text:?}");
        assert_eq!(parse(text.as_bytes(), &(1..text.len()).collect::<Vec<_>>(), 1000).events(), events, "{text:?}");
    }
    // Its first two bytes are none, and nor is what they begin.
    let cut = b"\xef\xbbdata: a\n\ndata: b\n\n";
    assert_eq!(parse(cut, &[1, 2, 3], 1000).events(), [("message", "b")]);
}

#[test]
fn fields_that_are_not_known_and_blocks_without_data_are_nothing() {
    let seen = whole("datax: a\nDATA: a\n data: a\nid: 5\nevent: x\n\ndata: b\n\n");
    assert_eq!(seen.blocks, [(Some("5".into()), None), (None, Some(("message".into(), "b".into())))]);
    let seen = whole("id: 1\nid: a\0b\ndata: a\n\nevent: x\nevent\ndata: b\n\n");
    assert_eq!(seen.blocks[0].0.as_deref(), Some("1"), "an id with a NUL is none");
    assert_eq!(seen.events()[1], ("message", "b"), "an empty type is that of those without");
    for (text, retry) in [
        ("retry: 2000\n\n", Some(2000)),
        ("retry:0\n", Some(0)),
        ("retry: 1\nretry: x\nretry: -2\nretry:\nretry: 3 \n", Some(1)),
        ("retry: 99999999999999999999\n", Some(u32::MAX)),
        ("retry: 5", None),
    ] {
        assert_eq!(whole(text).retry, retry, "{text:?}");
    }
}

#[test]
fn an_event_that_is_not_whole_is_none() {
    for text in ["data: a", "data: a\n", "data: a\nid: 1\n", "data: a\r\n"] {
        let seen = whole(text);
        assert_eq!(seen, Seen::default(), "{text:?}");
    }
}

#[test]
fn what_is_too_long_is_told_before_its_end_and_what_counts_for_nothing_may_be_endless() {
    // Ten bytes with its end.
    let long = |event_max| parse(b"data: 123\n\n", &[], event_max).is_too_long;
    assert_eq!((long(9), long(10)), (true, false));
    let mut parser = Parser::new(1000);
    let (spare, mut joined) = (Spare::default(), Vec::new());
    assert_eq!(parser.feed(b"data: ", &spare, &mut joined), Ok((6, None)));
    let fed: Vec<_> = (0..11).map(|_| parser.feed(&[b'x'; 99], &spare, &mut joined).is_ok()).collect();
    assert_eq!(fed.iter().filter(|is_ok| **is_ok).count(), 10);
    for line in [b": ".as_slice(), b"unknown: ", b"datadata"] {
        let mut parser = Parser::new(100);
        assert_eq!(parser.feed(line, &spare, &mut joined).map(|(used, _)| used), Ok(line.len()));
        for _ in 0..1000 {
            assert_eq!(parser.feed(&[b'x'; 1000], &spare, &mut joined), Ok((1000, None)));
            assert!(parser.parts.capacity() <= 1000, "{}", parser.parts.capacity());
        }
        let (used, block) = parser.feed(b"\ndata: a\n\n", &spare, &mut joined).unwrap();
        assert_eq!((used, block.unwrap().event.unwrap().data), (10, b"a".as_slice()));
    }
    // Short lines without end, of a field that counts.
    let endless = "data\n".repeat(1000);
    assert!(parse(endless.as_bytes(), &[7, 2000], 1000).is_too_long);
    assert!(parse("retry: 1\n".repeat(1000).as_bytes(), &[7, 2000], 1000).is_too_long);
}

#[test]
fn bytes_that_are_not_utf8_are_let_pass_here() {
    let (mut parser, spare, mut joined) = (Parser::new(100), Spare::default(), Vec::new());
    let (_, block) = parser.feed(b"data: a\xffb\n\n", &spare, &mut joined).unwrap();
    assert_eq!(block.unwrap().event.unwrap().data, b"a\xffb");
}

/// Streams of the letters that matter, and few others.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        8 => "(data|event|id|retry|datax|dat|eventevent):? ?[a-z0-9: ]{0,6}".prop_map(String::into_bytes),
        2 => Just(b":".to_vec()),
        2 => ":[a-z: ]{0,9}".prop_map(String::into_bytes),
        1 => Just("\u{feff}".as_bytes().to_vec()),
        1 => Just(b"\0".to_vec()),
        1 => Just("ü".as_bytes().to_vec()),
        1 => Just(Vec::new()),
    ];
    let end = prop_oneof![4 => Just("\n"), 2 => Just("\r\n"), 2 => Just("\r"), 2 => Just("\n\n"), 1 => Just("")];
    proptest::collection::vec((word, end), 0..30)
        .prop_map(|lines| lines.into_iter().flat_map(|(word, end)| [word, end.into()].concat()).collect())
}

proptest! {
    #[test]
    fn it_says_the_same_as_the_standard_however_the_bytes_are_split(
        bytes in streams(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..20),
    ) {
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        ends.sort_unstable();
        let expected = by_the_book(&bytes).without_empty();
        prop_assert_eq!(parse(&bytes, &[], 1 << 20).without_empty(), expected);
        prop_assert_eq!(parse(&bytes, &ends, 1 << 20).without_empty(), by_the_book(&bytes).without_empty());
        let each: Vec<usize> = (1..bytes.len().max(1)).collect();
        prop_assert_eq!(parse(&bytes, &each, 1 << 20).without_empty(), by_the_book(&bytes).without_empty());
    }

    #[test]
    fn a_bound_is_met_at_the_same_event_however_the_bytes_are_split(
        bytes in streams(),
        event_max in 1u64..60,
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..20),
    ) {
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        ends.sort_unstable();
        let whole = parse(&bytes, &[], event_max);
        prop_assert_eq!(parse(&bytes, &ends, event_max), whole);
    }

    #[test]
    fn nonsense_is_read_the_same_however_it_is_split(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..20),
    ) {
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        ends.sort_unstable();
        prop_assert_eq!(parse(&bytes, &ends, 100), parse(&bytes, &[], 100));
    }
}
