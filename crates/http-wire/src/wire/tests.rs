use super::*;
use extract::Headers;
use proptest::prelude::*;

/// How reading ended.
#[derive(Debug, PartialEq)]
struct Parsed {
    result: Result<(bool, AtEnd), Malformed>,
    used: usize,
    status: u16,
    is_persistent: bool,
    body_bytes: u64,
    body: Vec<u8>,
    head: Vec<u8>,
}

fn parser(expecting: Expecting) -> Parser {
    let mut parser = Parser::new();
    parser.begin(expecting);
    parser
}

/// Feeds the pieces one after another, as a session does.
fn read_pieces<'a>(pieces: impl Iterator<Item = &'a [u8]>, expecting: Expecting) -> Parsed {
    let mut parser = parser(expecting);
    let mut used = 0;
    let mut result = Ok(());
    for piece in pieces {
        if parser.is_done() {
            break;
        }
        match parser.feed(piece) {
            Ok(count) => used += count,
            Err(why) => {
                result = Err(why);
                break;
            }
        }
    }
    let is_failed = result.is_err();
    Parsed {
        result: result.map(|()| (parser.is_done(), parser.at_end())),
        // Where in a piece an error stands is of no interest to anyone.
        used: if is_failed { 0 } else { used },
        status: parser.status(),
        is_persistent: parser.is_persistent(),
        body_bytes: if is_failed { 0 } else { parser.body_bytes() },
        body: if is_failed { Vec::new() } else { parser.body().to_vec() },
        head: if is_failed || parser.status() == 0 { Vec::new() } else { parser.head().0.to_vec() },
    }
}

const KEEP: Expecting = Expecting { answers_head_request: false, keeps_head: true, leaves_body: false, keep: 1 << 20 };

fn read(bytes: &[u8]) -> Parsed {
    read_pieces(std::iter::once(bytes), KEEP)
}

fn read_bytewise(bytes: &[u8]) -> Parsed {
    read_pieces(bytes.chunks(1), KEEP)
}

const COMPLETE: Result<(bool, AtEnd), Malformed> = Ok((true, AtEnd::Complete));
const PARTIAL: Result<(bool, AtEnd), Malformed> = Ok((false, AtEnd::Partial));

#[test]
fn bodies_are_framed_as_rfc_9112_says() {
    for (answer, result, persistent, body) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", COMPLETE, true, "abc"),
        ("HTTP/1.1 200 OK\r\ncontent-length:3\r\n\r\nab", PARTIAL, true, "ab"),
        ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", COMPLETE, true, ""),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\na", COMPLETE, false, "a"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: x, Close\r\n\r\na", COMPLETE, false, "a"),
        ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", COMPLETE, false, "a"),
        ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: Keep-Alive\r\n\r\na", COMPLETE, true, "a"),
        ("HTTP/1.1 200 OK\r\n\r\nall of it", Ok((false, AtEnd::Complete)), false, "all of it"),
        ("HTTP/1.1 204 No Content\r\n\r\n", COMPLETE, true, ""),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", COMPLETE, true, ""),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", COMPLETE, true, ""),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", COMPLETE, true, "abc"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n0\r\n\r\n", COMPLETE, true, ""),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nab", Ok((false, AtEnd::Complete)), false, "ab"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", COMPLETE, true, "abc"),
        ("HTTP/1.1 200 OK\nContent-Length: 1\n\na", COMPLETE, true, "a"),
    ] {
        for seen in [read(answer.as_bytes()), read_bytewise(answer.as_bytes())] {
            assert_eq!(seen.result, result, "{answer}");
            assert_eq!((seen.is_persistent, seen.body.as_slice()), (persistent, body.as_bytes()), "{answer}");
        }
    }
}

#[test]
fn chunks_have_extensions_and_trailers() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (body, expected) in [
        ("5;a=b;c=\"d\"\r\nhello\r\n06\r\n world\r\n0;last\r\nA: b\r\nC: d\r\n\r\n", "hello world"),
        ("A \r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        ("1\r\n\r\r\n1\r\n\n\r\n000\r\n\r\n", "\r\n"),
    ] {
        let answer = format!("{head}{body}");
        let seen = read(answer.as_bytes());
        assert_eq!((&seen.result, seen.body.as_slice()), (&COMPLETE, expected.as_bytes()), "{body}");
        assert_eq!(read_bytewise(answer.as_bytes()), seen);
    }
    for bad in [
        "\r\n",
        "g\r\n",
        ";\r\n",
        "5\nhello",
        "-1\r\n",
        "0x5\r\n",
        "1\r\nab\r\n",
        "1\r\na\n",
        "1\ra",
        "0\r\n\n",
        "0\r\nA: b\n\r\n",
        "0\r\n\rx",
        "1234567890abcdef\r\n",
        "1;\nx",
        "0\r\nA\rb",
    ] {
        let answer = format!("{head}{bad}");
        assert!(read(answer.as_bytes()).result.is_err(), "{bad:?}");
    }
}

#[test]
fn what_is_not_http_is_malformed() {
    for bad in [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "<html>",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 099 Low\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA b: c\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1234567890123456789\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n1\r\na\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: gzip\r\n\r\na",
    ] {
        assert!(read(bad.as_bytes()).result.is_err(), "{bad:?}");
        assert!(read_bytewise(bad.as_bytes()).result.is_err(), "{bad:?} byte by byte");
    }
}

#[test]
fn interim_answers_are_read_over_and_counted() {
    let answer = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na";
    let seen = read(answer.as_bytes());
    assert_eq!((seen.status, &seen.result), (200, &COMPLETE));
    assert_eq!(seen.head, b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n");
    assert_eq!(read_bytewise(answer.as_bytes()), seen);
    let endless = "HTTP/1.1 100 Continue\r\n\r\n".repeat(usize::from(INTERIMS_MAX) + 1);
    assert!(read(endless.as_bytes()).result.is_err());
    let switched = read(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n\x81\x00");
    assert_eq!((switched.status, &switched.result), (101, &COMPLETE));
    assert!(!switched.is_persistent);
}

#[test]
fn a_head_request_has_no_body_whatever_the_headers_say() {
    let expecting = Expecting { answers_head_request: true, ..KEEP };
    for framing in ["Content-Length: 500", "Transfer-Encoding: chunked", "A: b"] {
        let answer = format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n");
        let seen = read_pieces(std::iter::once(answer.as_bytes()), expecting);
        assert_eq!((seen.result, seen.body_bytes), (COMPLETE, 0), "{framing}");
    }
}

#[test]
fn surplus_is_left_over() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n";
    assert_eq!(read(answer).used, answer.len() - 17);
}

#[test]
fn nothing_grows_beyond_its_bound() {
    let mut parser = parser(Expecting { keep: 1000, ..KEEP });
    let bomb = format!("HTTP/1.1 200 OK\r\nA: {}", "b".repeat(2 * HEAD_BYTES_MAX));
    assert!(parser.feed(bomb.as_bytes()).is_err());
    parser.begin(KEEP);
    let fed = bomb.as_bytes().chunks(1000).try_for_each(|piece| parser.feed(piece).map(|_| ()));
    assert!(fed.is_err() && parser.head.capacity() <= 2 * HEAD_BYTES_MAX);
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(HEADERS_MAX + 1));
    assert_eq!(read(many.as_bytes()).result, Err(Malformed("it has more than 128 headers")));
    let just = format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n{}\r\n", "A: b\r\n".repeat(HEADERS_MAX - 1));
    assert_eq!(read(just.as_bytes()).result, COMPLETE);

    parser.begin(Expecting { keep: 1000, ..KEEP });
    assert!(parser.head.capacity() <= HEAD_BYTES_KEPT, "a large head is given back");
    parser.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n").unwrap();
    let piece = [b'x'; 50_000];
    (0..20_000).for_each(|_| assert_eq!(parser.feed(&piece), Ok(50_000)));
    assert!(parser.is_done());
    assert_eq!((parser.body_bytes(), parser.body().len()), (1_000_000_000, 1000));
    assert!(parser.body.capacity() < 4096);
}

#[test]
fn an_excerpt_is_kept_of_answers_that_are_not_2xx() {
    let long = "x".repeat(5000);
    let expecting = Expecting { keep: 0, ..KEEP };
    for (status, kept) in [(200, 0), (404, EXCERPT_BYTES), (500, EXCERPT_BYTES)] {
        let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: 5000\r\n\r\n{long}");
        assert_eq!(read_pieces(std::iter::once(answer.as_bytes()), expecting).body.len(), kept);
    }
}

#[test]
fn headers_are_found_in_the_kept_head() {
    let mut parser = parser(KEEP);
    parser.feed(b"HTTP/1.1 200 OK\r\nX-Token:  a:b \r\nx-token: second\r\nEmpty:\r\n\r\n").unwrap();
    let head = parser.head();
    assert_eq!(head.header("x-token"), Some(b"a:b".as_slice()));
    assert_eq!(head.header("empty"), Some(b"".as_slice()));
    assert_eq!(head.header("http/1.1 200 ok"), None);
    assert_eq!(head.header("absent"), None);
}

/// Answers that are right, nearly right and garbage, so that the properties meet every state.
fn answers() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => Just("HTTP/1.1 200 OK".to_owned()),
        1 => "HTTP/1\\.[01] [1-5][0-9]{2} [a-z]{0,5}",
        1 => Just("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No".to_owned()),
        1 => "[ -~]{0,12}",
    ];
    let header = prop_oneof![
        2 => (0u64..60).prop_map(|length| format!("Content-Length: {length}")),
        2 => Just("Transfer-Encoding: chunked".to_owned()),
        1 => Just("Connection: close".to_owned()),
        2 => "[A-Za-z-]{1,8}: [ -~]{0,20}",
        1 => "[ -~]{0,10}",
    ];
    let chunk = (proptest::collection::vec(any::<u8>(), 1..20), prop_oneof![4 => Just(0usize), 1 => 0usize..3]);
    let chunked = proptest::collection::vec(chunk, 0..5).prop_map(|chunks| {
        let mut body = Vec::new();
        for (data, off) in chunks {
            body.extend_from_slice(format!("{:x}\r\n", data.len() + off).as_bytes());
            body.extend_from_slice(&data);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"0\r\nTrailer: x\r\n\r\n");
        body
    });
    let body = prop_oneof![chunked, proptest::collection::vec(any::<u8>(), 0..80)];
    (line, proptest::collection::vec(header, 0..5), body).prop_map(|(line, headers, body)| {
        let mut answer = format!("{line}\r\n").into_bytes();
        headers.iter().for_each(|header| answer.extend_from_slice(format!("{header}\r\n").as_bytes()));
        answer.extend_from_slice(b"\r\n");
        answer.extend_from_slice(&body);
        answer
    })
}

/// Cuts bytes at the given places, taken modulo the length.
fn cut<'a>(bytes: &'a [u8], places: &[usize]) -> Vec<&'a [u8]> {
    let mut places: Vec<_> = places.iter().map(|place| place % (bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).filter(|piece| !piece.is_empty()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn however_split_the_result_is_the_same(answer in answers(), places in proptest::collection::vec(any::<usize>(), 0..8)) {
        let whole = read(&answer);
        let pieces = cut(&answer, &places);
        prop_assert_eq!(&read_pieces(pieces.into_iter(), KEEP), &whole);
        prop_assert_eq!(&read_bytewise(&answer), &whole);
    }

    #[test]
    fn every_split_in_two_is_the_same(answer in answers()) {
        let whole = read(&answer);
        for place in 0..=answer.len() {
            let (a, b) = answer.split_at(place);
            prop_assert_eq!(&read_pieces([a, b].into_iter().filter(|piece| !piece.is_empty()), KEEP), &whole);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic_and_never_grow(bytes: Vec<u8>, places in proptest::collection::vec(any::<usize>(), 0..4), keep in 0usize..100) {
        let mut parser = parser(Expecting { keep, ..KEEP });
        for piece in cut(&bytes, &places) {
            if parser.feed(piece).is_err() {
                break;
            }
            prop_assert!(parser.body().len() <= keep.max(EXCERPT_BYTES));
            prop_assert!(parser.head.len() <= HEAD_BYTES_MAX);
        }
    }

    #[test]
    fn arbitrary_bytes_after_a_chunked_head_never_panic(bytes: Vec<u8>) {
        let mut answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        answer.extend_from_slice(&bytes);
        prop_assert_eq!(read(&answer), read_bytewise(&answer));
    }
}
