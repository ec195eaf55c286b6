//! Redirects, followed as browsers do (Fetch, "HTTP-redirect fetch"; RFC 9110, section 15.4).

use crate::config::is_idempotent;
use crate::endpoint::Endpoint;
use contract::Note;
use http_wire::{Http2, found};
use url::{Host, Url};

/// Redirects that an exchange follows unless the study says otherwise: curl and browsers give up after 20 to 50, a server
/// that needs ten has lost its way.
pub(crate) const FOLLOW_DEFAULT: u8 = 10;
/// A longer address is none.
const LOCATION_BYTES_MAX: usize = 8 * 1024;

/// The request that a redirect leads to.
#[derive(Debug)]
pub(crate) struct Hop {
    /// Index of where it goes.
    pub(crate) endpoint: usize,
    /// What it needs to go over HTTP/2.
    pub(crate) http2: Option<Http2>,
    pub(crate) is_head: bool,
    /// Whether its method allows that it is sent once more.
    pub(crate) is_idempotent: bool,
    /// The whole request.
    pub(crate) request: Vec<u8>,
}

/// Why an address is not requested.
#[derive(Debug)]
pub(crate) struct Refused {
    location: Vec<u8>,
    why: Why,
}

#[derive(Debug)]
enum Why {
    NoAddress,
    /// Longer than [`LOCATION_BYTES_MAX`].
    TooLong,
    /// Its origin, which no exchange goes to.
    Elsewhere(String),
    /// The most redirects that are followed.
    TooMany(u8),
}

impl Refused {
    fn new(location: &[u8], why: Why) -> Self {
        Self { location: location[..location.len().min(LOCATION_BYTES_MAX)].to_vec(), why }
    }

    /// After so many redirects there is one more.
    pub(crate) fn one_too_many(location: &[u8], most: u8) -> Self {
        Self::new(location, Why::TooMany(most))
    }

    /// Says so, and what to write.
    pub(crate) fn tell(&self, note: &mut Note) {
        let sentence = self.sentence(&|text| found(note, text));
        note.add(sentence.as_bytes());
    }

    /// `shown` makes of an answer's own words what may stand in a sentence.
    fn sentence(&self, shown: &dyn Fn(&str) -> String) -> String {
        let location = shown(&String::from_utf8_lossy(&self.location));
        match &self.why {
            Why::NoAddress => format!("`{location}` is not an address that can be requested"),
            Why::TooLong => format!("`{location}` is an address of more than {LOCATION_BYTES_MAX} bytes"),
            Why::Elsewhere(origin) => format!(
                "`{location}` leads to {}, where no exchange of the study goes: hosts that a study does not name are \
                 never contacted; add an exchange that goes there, or measure a redirect by itself with `follow: no`",
                shown(origin)
            ),
            Why::TooMany(most) => {
                format!("the answer redirects to `{location}` after {most} redirects, the most that `follow` allows")
            }
        }
    }
}

/// Which headers of a request go along with the one that it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keeps {
    /// Its header `Cookie`.
    pub(crate) cookie: bool,
    /// That and `Authorization` to another host, too.
    pub(crate) elsewhere: bool,
}

/// Whether a status is that of a redirect.
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// The request that follows `request`, sent to the endpoint `from` and answered by `status` and `location`. What says who
/// asks goes along as `keeps` has it.
///
/// # Errors
/// Why there is none.
pub(crate) fn next(
    request: &[u8],
    status: u16,
    location: &[u8],
    from: usize,
    endpoints: &[Endpoint],
    keeps: Keeps,
) -> Result<Hop, Refused> {
    let here = &endpoints[from];
    let text = std::str::from_utf8(location).ok().filter(|text| text.len() <= LOCATION_BYTES_MAX);
    let base = Url::parse(&format!("{}{}", origin(here), target(request))).ok();
    let there = base.as_ref().zip(text).and_then(|(base, text)| base.join(text).ok());
    let Some(there) = there.filter(|there| matches!(there.scheme(), "http" | "https")) else {
        let is_long = location.len() > LOCATION_BYTES_MAX;
        return Err(Refused::new(location, if is_long { Why::TooLong } else { Why::NoAddress }));
    };
    let leads_there = |endpoint: &Endpoint| is_at(endpoint, &there);
    let endpoint = if leads_there(here) { Some(from) } else { endpoints.iter().position(leads_there) };
    let Some(endpoint) = endpoint else {
        return Err(Refused::new(location, Why::Elsewhere(there.origin().ascii_serialization())));
    };
    let (method, head, body) = parts(request);
    let becomes_get = match method {
        "GET" | "HEAD" => false,
        "POST" => matches!(status, 301..=303),
        _ => status == 303,
    };
    let method = if becomes_get { "GET" } else { method };
    let mut rewritten = format!("{method} {}", there.path());
    if let Some(query) = there.query() {
        rewritten.push('?');
        rewritten.push_str(query);
    }
    rewritten.push_str(" HTTP/1.1\r\nHost: ");
    rewritten.push_str(&authority(&there));
    rewritten.push_str("\r\n");
    let mut rewritten = rewritten.into_bytes();
    let is_elsewhere = !keeps.elsewhere && endpoint != from && !is_at(here, &there);
    for line in head.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)) {
        let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
        let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
        let is_left_out = line.is_empty()
            || is(&["host"])
            || ((is_elsewhere || !keeps.cookie) && is(&["cookie"]))
            || (becomes_get && is(&["content-length", "content-type", "content-encoding", "content-language"]))
            || (is_elsewhere && is(&["authorization"]));
        if !is_left_out {
            rewritten.extend_from_slice(line);
            rewritten.extend_from_slice(b"\r\n");
        }
    }
    rewritten.extend_from_slice(b"\r\n");
    if !becomes_get {
        rewritten.extend_from_slice(body);
    }
    let http2 = endpoints[endpoint].http2.map(|streams| {
        Http2::new(streams, there.scheme() == "https", &authority(&there), None)
            .expect("invariant: only a request that is the same every time can be refused here")
    });
    let (is_head, is_idempotent) = (method == "HEAD", is_idempotent(method));
    Ok(Hop { endpoint, http2, is_head, is_idempotent, request: rewritten })
}

/// The target of a request line.
pub(crate) fn target(request: &[u8]) -> &str {
    let line = request.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let line = std::str::from_utf8(line).unwrap_or_default();
    line.split(' ').nth(1).unwrap_or("/")
}

/// Adds a header to a rendered request, in front of the empty line.
pub(crate) fn add_header(request: &mut Vec<u8>, name: &str, value: &str) {
    let end = head_end(request);
    request.splice(end..end, format!("{name}: {value}\r\n").into_bytes());
}

fn head_end(request: &[u8]) -> usize {
    request.windows(4).position(|window| window == b"\r\n\r\n").map_or(request.len(), |at| at + 2)
}

/// Method, headers and body.
fn parts(request: &[u8]) -> (&str, &[u8], &[u8]) {
    let end = head_end(request);
    let line = request.windows(2).position(|window| window == b"\r\n").map_or(end, |at| at + 2);
    let method = request.split(|&byte| byte == b' ').next().unwrap_or_default();
    let method = std::str::from_utf8(method).unwrap_or("GET");
    (method, &request[line.min(end)..end], request.get(end + 2..).unwrap_or_default())
}

/// Scheme, host and port of an endpoint.
pub(crate) fn origin(endpoint: &Endpoint) -> String {
    let scheme = if endpoint.tls.is_some() { "https" } else { "http" };
    let host = &endpoint.host;
    let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
    format!("{scheme}://{host}:{}", endpoint.port)
}

fn is_at(endpoint: &Endpoint, url: &Url) -> bool {
    let scheme = if endpoint.tls.is_some() { "https" } else { "http" };
    let host = match url.host() {
        Some(Host::Ipv6(address)) => address.to_string(),
        Some(host) => host.to_string(),
        None => return false,
    };
    let is_host = endpoint.host.eq_ignore_ascii_case(&host);
    url.scheme() == scheme && is_host && url.port_or_known_default() == Some(endpoint.port)
}

/// As `Host` has it: the port only if it is not the scheme's own.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoints() -> Vec<Endpoint> {
        [("shop.example", 80), ("127.0.0.1", 8080), ("::1", 90)]
            .map(|(host, port)| Endpoint {
                host: host.to_owned(),
                port,
                tls: None,
                http2: None,
                all_addresses: false,
                idle: None,
                proxy: None,
            })
            .into()
    }

    fn hop(request: &str, status: u16, location: &str) -> Result<(usize, String), String> {
        let keeps = Keeps { cookie: true, elsewhere: false };
        let found = next(request.as_bytes(), status, location.as_bytes(), 0, &endpoints(), keeps);
        let found = found.map_err(|refused| refused.sentence(&http_wire::written_out))?;
        Ok((found.endpoint, String::from_utf8(found.request).unwrap()))
    }

    const GET: &str = "GET /a/b?c=d HTTP/1.1\r\nHost: shop.example\r\nAccept: */*\r\nAuthorization: x\r\n\r\n";
    const POST: &str =
        "POST /login HTTP/1.1\r\nHost: shop.example\r\nContent-Type: a/b\r\nContent-Length: 3\r\nX: 1\r\n\r\na=b";

    /// RFC 3986, section 5.4, as far as HTTP has it.
    #[test]
    fn any_form_of_address_is_found() {
        for (location, endpoint, line) in [
            ("/x", 0, "GET /x HTTP/1.1\r\nHost: shop.example\r\n"),
            ("e", 0, "GET /a/e HTTP/1.1\r\nHost: shop.example\r\n"),
            ("../e#f", 0, "GET /e HTTP/1.1\r\nHost: shop.example\r\n"),
            ("?q=1 2", 0, "GET /a/b?q=1%202 HTTP/1.1\r\nHost: shop.example\r\n"),
            ("//127.0.0.1:8080", 1, "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n"),
            ("http://[::1]:90/é", 2, "GET /%C3%A9 HTTP/1.1\r\nHost: [::1]:90\r\n"),
            ("HTTP://SHOP.example:80/x", 0, "GET /x HTTP/1.1\r\nHost: shop.example\r\n"),
        ] {
            let (found, request) = hop(GET, 302, location).unwrap();
            assert_eq!(found, endpoint, "{location}");
            assert!(request.starts_with(line), "{location}: {request}");
            assert_eq!(request.contains("Authorization"), endpoint == 0, "{location}: {request}");
            assert!(request.ends_with("\r\n\r\n"), "{request}");
        }
    }

    #[test]
    fn a_form_that_was_sent_is_followed_by_a_get_and_kept_where_the_status_says_so() {
        for status in [301, 302, 303] {
            assert_eq!(hop(POST, status, "/in").unwrap().1, "GET /in HTTP/1.1\r\nHost: shop.example\r\nX: 1\r\n\r\n");
        }
        for status in [307, 308] {
            let (_, request) = hop(POST, status, "/in").unwrap();
            assert!(request.starts_with("POST /in ") && request.ends_with("Content-Length: 3\r\nX: 1\r\n\r\na=b"));
        }
        let put = POST.replacen("POST", "PUT", 1);
        assert!(hop(&put, 302, "/in").unwrap().1.starts_with("PUT /in "));
        assert!(hop(&put, 303, "/in").unwrap().1.starts_with("GET /in "));
    }

    #[test]
    fn nothing_that_the_study_does_not_name_is_contacted() {
        for location in
            ["http://other.example/", "https://shop.example/", "//shop.example:81/", "ftp://shop.example/", "http://"]
        {
            let why = hop(GET, 302, location).unwrap_err();
            assert!(why.starts_with(&format!("`{location}`")), "{why}");
        }
        assert!(hop(GET, 302, "http://other.example/x\r\ny").unwrap_err().contains("http://other.example/x\\r\\ny"));
        assert!(hop(GET, 302, &"x".repeat(10_000)).unwrap_err().ends_with("is an address of more than 8192 bytes"));
        for location in ["file:///etc/passwd", "ftp://shop.example/", "javascript:void(0)", "http://"] {
            let why = hop(GET, 302, location).unwrap_err();
            assert_eq!(why, format!("`{location}` is not an address that can be requested"));
        }
    }

    #[test]
    fn a_header_is_added_before_the_body() {
        let mut request = POST.as_bytes().to_vec();
        add_header(&mut request, "Cookie", "a=b");
        assert!(String::from_utf8(request).unwrap().ends_with("X: 1\r\nCookie: a=b\r\n\r\na=b"));
    }
}
