//! What an answer asks of a browser: to go elsewhere, to keep a cookie, to decode a body.

use crate::first_line;

/// An address to which an answer redirects.
pub(crate) fn locations(data: &[u8]) {
    driver_http::fuzz::location(data);
}

/// `Set-Cookie`, a line each.
pub(crate) fn cookies(data: &[u8]) {
    driver_http::fuzz::cookies(data);
}

/// The value of `Content-Encoding` in the first line; behind it the body.
pub(crate) fn codings(data: &[u8]) {
    let (codings, body) = first_line(data);
    driver_http::fuzz::coded(codings, body);
}
