//! A rendered request as the library wants it.
//!
//! Requests are rendered as HTTP/1.1 text, whatever they go over: slots, escapes and bounds are the same. Here the text is
//! taken apart again. One without slots is taken apart once.

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Method, Request, Uri, Version};

/// Why a request cannot be sent over HTTP/2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsendable(pub &'static str);

/// What an exchange over HTTP/2 has besides its text.
#[derive(Debug)]
pub struct Http2 {
    /// Exchanges that share a connection.
    pub(crate) streams: u32,
    scheme: Scheme,
    /// The URL's; a header `Host` takes its place.
    authority: Option<Authority>,
    /// The text that is the same every time, taken apart.
    fixed: Option<Fixed>,
}

#[derive(Debug)]
struct Fixed {
    text: Box<[u8]>,
    request: Request<()>,
    body: Bytes,
}

impl Http2 {
    /// `fixed`: the text of a request that is the same every time.
    pub fn new(streams: u32, is_tls: bool, authority: &str, fixed: Option<&[u8]>) -> Result<Self, Unsendable> {
        let scheme = if is_tls { Scheme::HTTPS } else { Scheme::HTTP };
        let mut made = Self { streams, scheme, authority: authority.parse().ok(), fixed: None };
        if let Some(text) = fixed {
            let (request, body) = made.read(text)?;
            made.fixed = Some(Fixed { text: text.into(), request, body });
        }
        Ok(made)
    }

    /// The request for one exchange, with its body.
    pub(crate) fn request(&self, text: &[u8]) -> Result<(Request<()>, Bytes), Unsendable> {
        match &self.fixed {
            Some(fixed) if *fixed.text == *text => Ok((fixed.request.clone(), fixed.body.clone())),
            // Something was added to it, such as cookies.
            _ => self.read(text),
        }
    }

    fn read(&self, text: &[u8]) -> Result<(Request<()>, Bytes), Unsendable> {
        let (line, mut rest) = line(text)?;
        let (method, target) = split(line, b" ").ok_or(Unsendable("it has no target"))?;
        let target = target.strip_suffix(b" HTTP/1.1").unwrap_or(target);
        let mut headers = HeaderMap::with_capacity(8);
        let mut authority = self.authority.clone();
        loop {
            let (field, after) = self::line(rest)?;
            rest = after;
            if field.is_empty() {
                break;
            }
            let (name, value) = split(field, b": ").ok_or(Unsendable("a header has no value"))?;
            if name.eq_ignore_ascii_case(b"host") {
                if authority.as_ref().is_none_or(|known| known.as_str().as_bytes() != value) {
                    authority = Some(Authority::try_from(value).map_err(|_| Unsendable("its `Host` is not a host"))?);
                }
            } else if !is_about_the_connection(name) {
                let name = HeaderName::from_bytes(name).map_err(|_| Unsendable("a header's name is malformed"))?;
                let value = HeaderValue::from_bytes(value).map_err(|_| Unsendable("a header's value is malformed"))?;
                headers.append(name, value);
            }
        }
        let mut parts = http::uri::Parts::default();
        let target = PathAndQuery::try_from(target).map_err(|_| Unsendable("its target is malformed or too long"))?;
        parts.path_and_query = Some(target);
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(authority.ok_or(Unsendable("its `Host` is not a host"))?);
        let mut request = Request::new(());
        *request.method_mut() = Method::from_bytes(method).map_err(|_| Unsendable("its method is malformed"))?;
        *request.uri_mut() = Uri::from_parts(parts).map_err(|_| Unsendable("its target is malformed"))?;
        *request.version_mut() = Version::HTTP_2;
        *request.headers_mut() = headers;
        Ok((request, Bytes::copy_from_slice(rest)))
    }
}

/// Headers that have no place in HTTP/2 (RFC 9113, section 8.2.2).
pub fn is_about_the_connection(name: &[u8]) -> bool {
    let ours: [&[u8]; 6] = [b"connection", b"keep-alive", b"proxy-connection", b"te", b"transfer-encoding", b"upgrade"];
    ours.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn line(text: &[u8]) -> Result<(&[u8], &[u8]), Unsendable> {
    split(text, b"\r\n").ok_or(Unsendable("its head does not end"))
}

/// What stands before and after the first `mark`.
fn split<'a>(text: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = text.windows(mark.len()).position(|window| window == mark)?;
    Some((&text[..at], &text[at + mark.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn http2() -> Http2 {
        Http2::new(1, false, "127.0.0.1:8080", None).unwrap()
    }

    #[test]
    fn text_becomes_a_request_without_what_http2_has_no_place_for() {
        let text =
            b"POST /a?b=%20 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\nX-Many: 1\r\nX-Many: : 2\r\n\
                     Content-Length: 4\r\n\r\na\r\nb";
        let (request, body) = http2().request(text).unwrap();
        assert_eq!(
            (request.method().as_str(), request.uri().to_string()),
            ("POST", "http://127.0.0.1:8080/a?b=%20".into())
        );
        let fields: Vec<_> = request.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        assert_eq!(fields, [("x-many", b"1".as_slice()), ("x-many", b": 2"), ("content-length", b"4")]);
        assert_eq!(&body[..], b"a\r\nb");
    }

    #[test]
    fn a_host_of_the_study_becomes_the_authority() {
        let (request, _) = http2().request(b"GET / HTTP/1.1\r\nhost: shop.example\r\n\r\n").unwrap();
        assert_eq!(request.uri().to_string(), "http://shop.example/");
        let wrong = http2().request(b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n").unwrap_err();
        assert_eq!(wrong, Unsendable("its `Host` is not a host"));
    }

    #[test]
    fn what_cannot_be_sent_is_said_and_never_a_panic() {
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(70_000));
        assert_eq!(http2().request(long.as_bytes()).unwrap_err(), Unsendable("its target is malformed or too long"));
        for text in ["", "GET", "GET /\r\n", "GET / HTTP/1.1\r\nA\r\n\r\n", "G T / HTTP/1.1\r\n\r\n"] {
            assert!(http2().request(text.as_bytes()).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_end_in_a_request_or_a_reason(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = http2().request(&text);
        }
    }
}
