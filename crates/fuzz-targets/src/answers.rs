//! What servers answer: heads and bodies of HTTP/1, what checks look for in them, who an instance says it is.

use crate::{first_line, text};
use contract::{BuildContext, Capture, Mistake, Name, Names, Place, Probe, Template, Which};
use extract::{Answer, Compiled, Headers};
use http_wire::{AtEnd, EXCERPT_BYTES, Expecting, Malformed, Parser, Url};

/// Bytes of a body that are kept.
const KEEP: usize = 1000;

/// Knows one captured value.
struct OneName;

impl Names for OneName {
    fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
        match name {
            "token" => Ok(Name::Slot(contract::Piece::Capture(0))),
            other => Err(Mistake::at(place, "study::unknown-name", format!("`{other}` is not known"))),
        }
    }
}

/// An answer with one header.
struct OneHeader;

impl Headers for OneHeader {
    fn header(&self, name: &str) -> Option<&[u8]> {
        (name == "x-a").then_some(b"1")
    }
}

/// A check or, without comparison, a capture in the first line; behind it the body of an answer.
pub(crate) fn checks(data: &[u8]) {
    let (line, body) = first_line(data);
    let line = text(line);
    let place = Place::default();
    let checks: Vec<_> = contract::read_check(&line, place, &OneName).into_iter().collect();
    // As written, and with each way to take one of several values, or none.
    let captured = contract::read_capture(&line, place).into_iter().flat_map(|(probe, pick)| {
        [(pick, false), (Which::Any, false), (Which::All, true)].map(|way| (probe.clone(), way))
    });
    let captures: Vec<_> = (0..)
        .zip(captured)
        .map(|(slot, (probe, (pick, is_optional)))| Capture {
            name: format!("c{slot}"),
            slot,
            probe,
            pick,
            is_optional,
            place,
        })
        .collect();
    let Ok(compiled) = Compiled::new(&checks, &captures, &mut BuildContext::new(&OneName, ".")) else { return };
    for status in [200, 404] {
        let mut answer = Answer::new(status, &OneHeader, body, body.len() as u64);
        let render = &mut |_: u16, into: &mut Vec<u8>| {
            into.extend_from_slice(b"1");
            true
        };
        if let Err(failed) = compiled.evaluate(&mut answer, render) {
            // Escaped and cut: no answer can fill a report.
            assert!(failed.found.len() <= 4096, "{} bytes are shown", failed.found.len());
        }
        let _ = compiled.capture(&mut answer, &mut |slot, value| {
            // A list has as much as a capture holds; the texts of nodes within each other may be longer together.
            // An expression of XPath joins texts as often as its steps allow, 32 bytes each.
            let joined = if line.trim_start().starts_with("xpath") { 64 * 1024 * 1024 } else { 0 };
            let (list, one) = (16 * 1024 + 1, (8 * body.len() + 64).max(joined));
            let most = [one.max(list), one, list][usize::from(slot)];
            assert!(value.is_none_or(|value| value.len() <= most), "a capture grows");
            if let Some(list) = value.filter(|_| slot == 2) {
                let count = extract::length(list).expect("all values are a list");
                assert!(
                    extract::member(list, count).is_none()
                        && (count == 0 || extract::member(list, count - 1).is_some())
                );
            }
        });
    }
}

/// An XPath in the first line, and behind it the body that it looks into.
pub(crate) fn xpath(data: &[u8]) {
    let (line, body) = first_line(data);
    let path = text(line);
    let capture = |slot: u8, (is_xml, pick, is_optional): (bool, Which, bool)| Capture {
        name: format!("c{slot}"),
        slot,
        probe: Probe::Xpath { path: path.clone(), is_xml },
        pick,
        is_optional,
        place: Place::default(),
    };
    let value = |way| -> Option<Vec<u8>> {
        let capture = [capture(0, way)];
        let compiled = Compiled::new(&[], &capture, &mut BuildContext::new(&Prefixes::new(), ".")).ok()?;
        let mut found = None;
        let mut answer = Answer::new(200, &OneHeader, body, body.len() as u64);
        compiled.capture(&mut answer, &mut |_, value| found = value.map(<[u8]>::to_vec)).ok()?;
        found
    };
    let first = value((false, Which::First, false));
    assert_eq!(first, value((false, Which::First, true)), "an optional capture finds the same");
    // Of values that are not nodes there is no list.
    if let Some(list) = value((false, Which::All, false)) {
        assert_eq!(extract::member(&list, 0), first, "the first of all is the first");
    }
    // A node that is written stands in the body, but for the namespaces that are added to it.
    if let Some(written) = value((true, Which::First, false)) {
        assert!(written.len() <= 4 * body.len() + 64, "{} bytes out of {}", written.len(), body.len());
    }
}

/// Knows two prefixes.
struct Prefixes(Vec<(String, String)>);

impl Prefixes {
    fn new() -> Self {
        Self([("a", "urn:a"), ("b", "urn:b")].map(|(prefix, uri)| (prefix.to_owned(), uri.to_owned())).to_vec())
    }
}

impl Names for Prefixes {
    fn resolve(&self, name: &str, place: Place) -> Result<Name, Mistake> {
        OneName.resolve(name, place)
    }

    fn namespaces(&self) -> &[(String, String)] {
        &self.0
    }
}

/// What a parser says once all bytes have come.
#[derive(Debug, PartialEq)]
struct Read {
    error: Option<Malformed>,
    used: usize,
    status: u16,
    body: Vec<u8>,
    body_bytes: u64,
    is_done: bool,
    is_persistent: bool,
    end: AtEnd,
    header: Option<Vec<u8>>,
}

fn read(parser: &mut Parser, expecting: Expecting, pieces: &[&[u8]]) -> Read {
    parser.begin(expecting);
    let (mut used, mut error) = (0, None);
    for piece in pieces {
        match parser.feed(piece) {
            Ok(taken) => used += taken,
            Err(why) => {
                error = Some(why);
                break;
            }
        }
    }
    let is_right = error.is_none();
    Read {
        error,
        // What was taken before bytes turned out not to be HTTP depends on how they came, and nobody asks.
        used: if is_right { used } else { 0 },
        status: if is_right { parser.status() } else { 0 },
        body: if is_right { parser.body().to_vec() } else { Vec::new() },
        body_bytes: if is_right { parser.body_bytes() } else { 0 },
        is_done: parser.is_done(),
        is_persistent: is_right && parser.is_persistent(),
        end: if is_right { parser.at_end() } else { AtEnd::Partial },
        // What nobody keeps is there only as long as its bytes are.
        header: if is_right && expecting.keeps_head {
            parser.head().header("content-type").map(<[u8]>::to_vec)
        } else {
            None
        },
    }
}

/// Answers of HTTP/1, in one piece, in two, and byte by byte. The first two bytes say how.
pub(crate) fn http1(data: &[u8]) {
    let [how, cut, bytes @ ..] = data else { return };
    let expecting =
        Expecting { answers_head_request: how & 1 != 0, keeps_head: how & 2 != 0, keep: KEEP, ..Expecting::default() };
    let mut parser = Parser::new();
    let whole = read(&mut parser, expecting, &[bytes]);
    let (first, second) = bytes.split_at(bytes.len() * usize::from(*cut) / 256);
    assert_eq!(read(&mut parser, expecting, &[first, second]), whole, "cut at {}", first.len());
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(read(&mut parser, expecting, &single), whole, "byte by byte");
    let some: Vec<&[u8]> = bytes.chunks(1 + usize::from(how >> 2)).collect();
    assert_eq!(read(&mut parser, expecting, &some), whole, "in pieces of {}", 1 + (how >> 2));
    assert!(whole.body.len() <= KEEP.max(EXCERPT_BYTES), "{} bytes are kept", whole.body.len());
    assert!(whole.body_bytes <= bytes.len() as u64 && whole.used <= bytes.len());
    assert!(whole.error.is_some() || whole.is_done || whole.used == bytes.len(), "bytes are left over: {whole:?}");
}

/// Addresses as the drivers, the launcher and the monitors read them.
pub(crate) fn addresses(data: &[u8]) {
    let text = text(data);
    let _ = processes::own_endpoint(&text);
    launch::fuzz::address(&text);
    let Ok(url) = Url::read(&Template::fixed(text.as_bytes()), Place::default()) else { return };
    assert!(url.port != 0 && !url.host.is_empty());
    let target = url.target.as_fixed().expect("a fixed URL has a fixed target").to_vec();
    assert!(target.starts_with(b"/"));
    // Put together again, it is the same place.
    let scheme = if url.is_tls { "https" } else { "http" };
    let printed = [format!("{scheme}://{}", url.authority).as_bytes(), &target].concat();
    let again = Url::read(&Template::fixed(printed), Place::default()).expect("what was taken apart reads again");
    assert_eq!(again, url);
}

/// What an instance says of itself, and what it prints.
pub(crate) fn identity(data: &[u8]) {
    launch::fuzz::identity(data);
}

/// Commands, split into words.
pub(crate) fn commands(data: &[u8]) {
    launch::fuzz::command(&text(data));
}
