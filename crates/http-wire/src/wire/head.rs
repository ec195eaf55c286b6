//! Status line and headers: what they say about the body and the connection.

use super::{HEADERS_MAX, Malformed};
use extract::Headers;
use httparse::{Header, ParserConfig, Response, Status};
use std::mem::MaybeUninit;

/// How the body's end is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Length(u64),
    Chunked,
    UntilClose,
}

/// What the reader needs of a head.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) length: usize,
    pub(super) status: u16,
    pub(super) framing: Framing,
    /// As far as the headers say; a body that ends with the connection leaves nothing to keep.
    pub(super) is_persistent: bool,
    /// How many seconds the server keeps an idle connection, if it says so (`Keep-Alive: timeout=5`).
    pub(super) keeps_for: Option<u32>,
}

impl Head {
    /// Reads a head; `None` while it has not come whole.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<Self>, Malformed> {
        // Left uninitialised: clearing 4 KiB for each answer would cost as much as reading it.
        let mut headers = [const { MaybeUninit::<Header<'_>>::uninit() }; HEADERS_MAX];
        let mut response = Response::new(&mut []);
        let parsed = ParserConfig::default()
            .parse_response_with_uninit_headers(&mut response, bytes, &mut headers)
            .map_err(why)?;
        let Status::Complete(length) = parsed else { return Ok(None) };
        let status = response.code.unwrap_or_default();
        if status < 100 {
            return Err(Malformed("its status is below 100"));
        }
        let is_1_1 = response.version == Some(1);
        let fields = Fields::read(response.headers)?;
        let (framing, is_persistent) = fields.decide(is_1_1)?;
        Ok(Some(Self { length, status, framing, is_persistent, keeps_for: fields.keeps_for }))
    }
}

fn why(error: httparse::Error) -> Malformed {
    Malformed(match error {
        httparse::Error::Version => "it does not begin with `HTTP/1.`",
        httparse::Error::Status => "its status line is malformed",
        httparse::Error::HeaderName => "a header's name is malformed",
        httparse::Error::HeaderValue => "a header's value is malformed",
        httparse::Error::NewLine => "a line of its head ends wrongly",
        httparse::Error::TooManyHeaders => "it has more than 128 headers",
        httparse::Error::Token => "its head holds a byte that may not stand there",
    })
}

/// The headers that frame the answer.
#[derive(Default)]
struct Fields {
    length: Option<u64>,
    /// Whether there is a transfer coding, and whether the last one is `chunked`.
    coding: Option<bool>,
    close: bool,
    keep_alive: bool,
    keeps_for: Option<u32>,
}

impl Fields {
    fn read(headers: &[Header<'_>]) -> Result<Self, Malformed> {
        let mut fields = Self::default();
        for header in headers {
            // The length tells nearly all other headers apart before a letter is compared.
            match header.name.len() {
                14 if header.name.eq_ignore_ascii_case("content-length") => {
                    let length = length(header.value)?;
                    if fields.length.is_some_and(|before| before != length) {
                        return Err(Malformed("it has two different content lengths"));
                    }
                    fields.length = Some(length);
                }
                17 if header.name.eq_ignore_ascii_case("transfer-encoding") => {
                    let last = header.value.rsplit(|&byte| byte == b',').next().unwrap_or_default();
                    fields.coding = Some(last.trim_ascii().eq_ignore_ascii_case(b"chunked"));
                }
                10 if header.name.eq_ignore_ascii_case("connection") => {
                    for token in header.value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
                        fields.close |= token.eq_ignore_ascii_case(b"close");
                        fields.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
                    }
                }
                10 if header.name.eq_ignore_ascii_case("keep-alive") => fields.keeps_for = keeps_for(header.value),
                _ => {}
            }
        }
        Ok(fields)
    }

    /// RFC 9112, sections 6.3 and 9.3.
    fn decide(&self, is_1_1: bool) -> Result<(Framing, bool), Malformed> {
        let is_persistent = !self.close && (is_1_1 || self.keep_alive);
        Ok(match (self.coding, self.length) {
            // Whoever reads the other one sees another answer: this is how answers are smuggled past each other.
            (Some(_), Some(_)) => return Err(Malformed("it has both a content length and a transfer coding")),
            // A coding in HTTP/1.0 is how answers get mixed up: read on, but never reuse.
            (Some(true), None) => (Framing::Chunked, is_persistent && is_1_1),
            (Some(false), None) | (None, None) => (Framing::UntilClose, is_persistent),
            (None, Some(length)) => (Framing::Length(length), is_persistent),
        })
    }
}

/// The seconds of `timeout=5, max=100`; what cannot be read says nothing.
fn keeps_for(value: &[u8]) -> Option<u32> {
    let parameter = |part: &[u8]| {
        let (name, digits) = part.trim_ascii().split_at_checked(8)?;
        // 9 digits are 31 years and cannot overflow.
        let is_number = (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
        let is_timeout = name.eq_ignore_ascii_case(b"timeout=") && is_number;
        is_timeout.then(|| digits.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))
    };
    value.split(|&byte| byte == b',').find_map(parameter)
}

fn length(value: &[u8]) -> Result<u64, Malformed> {
    let value = value.trim_ascii();
    // 18 digits are beyond any body and cannot overflow.
    if value.is_empty() || value.len() > 18 || !value.iter().all(u8::is_ascii_digit) {
        return Err(Malformed("its content length is not a number"));
    }
    Ok(value.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
}

/// The bytes of a whole head, for checks and captures. Headers are looked up when asked for.
#[derive(Clone, Copy, Debug)]
pub struct RawHead<'a>(pub(super) &'a [u8]);

impl<'a> RawHead<'a> {
    /// The values of a header, one for each line that has it.
    pub fn all(self, name: &'static str) -> impl Iterator<Item = &'a [u8]> {
        lines(self.0, name)
    }
}

impl Headers for RawHead<'_> {
    fn header(&self, name: &str) -> Option<&[u8]> {
        lines(self.0, name).next()
    }

    fn header_at(&self, name: &str, number: usize) -> Option<&[u8]> {
        lines(self.0, name).nth(number)
    }
}

fn lines<'a: 'n, 'n>(head: &'a [u8], name: &'n str) -> impl Iterator<Item = &'a [u8]> + 'n {
    head.split(|&byte| byte == b'\n').skip(1).filter_map(move |line| {
        let colon = line.iter().position(|&byte| byte == b':')?;
        line[..colon].eq_ignore_ascii_case(name.as_bytes()).then(|| line[colon + 1..].trim_ascii())
    })
}
