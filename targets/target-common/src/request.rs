//! Heads of requests: parsed by httparse, judged and bounded here.

/// The longest head that is read, request line and headers together, in bytes.
pub const MAX_HEAD: usize = 16 * 1024;

/// The most headers in a head.
pub const MAX_HEADERS: usize = 100;

/// The methods that a target treats differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `GET`
    Get,
    /// `HEAD`: the answer has a head only.
    Head,
    /// `POST`, `PUT` and `PATCH`: the body is what counts.
    Post,
    /// Any other.
    Other,
}

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// So many bytes; 0 when the head announces no body.
    Length(u64),
    /// `Transfer-Encoding: chunked`.
    Chunked,
}

/// What a target needs to know of a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// What to do.
    pub method: Method,
    /// The request target as sent, `/path?query`.
    pub target: String,
    /// Whether the connection may be used again.
    pub keep_alive: bool,
    /// Whether the client waits for `100 Continue` before it sends the body.
    pub expects_continue: bool,
    /// How the end of the body is found.
    pub framing: Framing,
}

impl Head {
    /// The target without its query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// A request that is not served; its connection is closed after the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// 400, 408, 413, 417, 431 or 501.
    pub status: u16,
    /// What was wrong, for the body of the answer.
    pub why: &'static str,
}

const fn refusal(status: u16, why: &'static str) -> Refusal {
    Refusal { status, why }
}

/// Reads one head from the beginning of `bytes`: the head and its length, or `None` when more bytes are needed.
///
/// # Errors
/// A [`Refusal`] for what is not HTTP/1 request, is over a bound, or could be understood in two ways
/// (RFC 9112, sections 3.2 and 6.3: two lengths, a length and an encoding, no or two `Host`).
pub fn parse_head(bytes: &[u8]) -> Result<Option<(Head, usize)>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let window = &bytes[..bytes.len().min(MAX_HEAD)];
    match request.parse(window) {
        Ok(httparse::Status::Complete(length)) => Ok(Some((judge(&request)?, length))),
        Ok(httparse::Status::Partial) if bytes.len() >= MAX_HEAD => {
            Err(refusal(431, "the head is longer than 16384 bytes"))
        }
        Ok(httparse::Status::Partial) => Ok(None),
        Err(httparse::Error::TooManyHeaders) => Err(refusal(431, "the head has more than 100 headers")),
        Err(_) => Err(refusal(400, "the head is not an HTTP/1 request")),
    }
}

fn judge(request: &httparse::Request<'_, '_>) -> Result<Head, Refusal> {
    let is_11 = request.version == Some(1);
    let mut length = None;
    let mut chunked = false;
    let mut hosts = 0;
    let mut keep_alive = is_11;
    let mut expects_continue = false;
    for header in request.headers.iter() {
        let name = header.name;
        if name.eq_ignore_ascii_case("content-length") {
            let value = parse_length(header.value)?;
            if length.is_some_and(|earlier| earlier != value) {
                return Err(refusal(400, "the head has two different lengths"));
            }
            length = Some(value);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            if chunked || !header.value.trim_ascii().eq_ignore_ascii_case(b"chunked") {
                return Err(refusal(501, "the only transfer encoding is `chunked`, once"));
            }
            chunked = true;
        } else if name.eq_ignore_ascii_case("connection") {
            keep_alive = (keep_alive || has_token(header.value, b"keep-alive")) && !has_token(header.value, b"close");
        } else if name.eq_ignore_ascii_case("host") {
            hosts += 1;
        } else if name.eq_ignore_ascii_case("expect") {
            if !header.value.trim_ascii().eq_ignore_ascii_case(b"100-continue") {
                return Err(refusal(417, "the only expectation is `100-continue`"));
            }
            expects_continue = is_11;
        }
    }
    if is_11 && hosts != 1 {
        return Err(refusal(400, "an HTTP/1.1 request needs one `Host` header"));
    }
    if chunked && length.is_some() {
        return Err(refusal(400, "the head has both a length and a transfer encoding"));
    }
    Ok(Head {
        method: match request.method.unwrap_or_default() {
            "GET" => Method::Get,
            "HEAD" => Method::Head,
            "POST" | "PUT" | "PATCH" => Method::Post,
            _ => Method::Other,
        },
        target: request.path.unwrap_or_default().to_owned(),
        keep_alive,
        expects_continue,
        framing: if chunked { Framing::Chunked } else { Framing::Length(length.unwrap_or(0)) },
    })
}

fn parse_length(value: &[u8]) -> Result<u64, Refusal> {
    let digits = value.trim_ascii();
    // `u64::from_str` alone would accept a leading `+`.
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok());
    number.filter(|_| plain).ok_or(refusal(400, "the `Content-Length` is not a number"))
}

fn has_token(value: &[u8], token: &[u8]) -> bool {
    value.split(|byte| *byte == b',').any(|part| part.trim_ascii().eq_ignore_ascii_case(token))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Option<(Head, usize)>, Refusal> {
        parse_head(text.as_bytes())
    }

    fn status(text: &str) -> u16 {
        parse(text).unwrap_err().status
    }

    #[test]
    fn a_plain_request() {
        let (head, length) = parse("GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\nrest").unwrap().unwrap();
        assert_eq!(length, 32);
        assert_eq!((head.method, head.path(), head.keep_alive), (Method::Get, "/a", true));
        assert_eq!(head.framing, Framing::Length(0));
    }

    #[test]
    fn connection_and_version_decide_about_keeping_alive() {
        let keeps = |text| parse(text).unwrap().unwrap().0.keep_alive;
        assert!(!keeps("GET / HTTP/1.1\r\nHost: x\r\nConnection: foo, Close\r\n\r\n"));
        assert!(!keeps("GET / HTTP/1.0\r\n\r\n"));
        assert!(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    }

    #[test]
    fn what_can_be_understood_in_two_ways_is_refused() {
        assert_eq!(status("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400);
        assert_eq!(
            status("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            400
        );
        assert_eq!(status("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n"), 400);
        assert_eq!(status("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"), 400);
        assert_eq!(status("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n"), 501);
        assert_eq!(status("POST / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n"), 417);
        assert_eq!(status("\u{1}\u{2}garbage\r\n\r\n"), 400);
    }

    #[test]
    fn heads_are_bounded_in_bytes_and_in_headers() {
        let long = format!("GET / HTTP/1.1\r\nHost: x\r\nA: {}", "a".repeat(MAX_HEAD));
        assert_eq!(status(&long), 431);
        let many = format!("GET / HTTP/1.1\r\nHost: x\r\n{}\r\n", "A: b\r\n".repeat(MAX_HEADERS));
        assert_eq!(status(&many), 431);
        // Exactly as long as allowed: the head ends at the last byte of the bound.
        let frame = "GET / HTTP/1.1\r\nHost: x\r\nA: \r\n\r\n".len();
        let full = format!("GET / HTTP/1.1\r\nHost: x\r\nA: {}\r\n\r\n", "a".repeat(MAX_HEAD - frame));
        assert_eq!(parse(&full).unwrap().unwrap().1, MAX_HEAD);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = parse_head(&bytes);
        }

        #[test]
        fn a_cut_head_asks_for_more(cut in 0_usize..36) {
            let text = "POST /p HTTP/1.1\r\nHost: localhost\r\n\r\n";
            prop_assert_eq!(parse_head(&text.as_bytes()[..cut]), Ok(None));
        }
    }
}
