//! A user's cookies (RFC 6265bis): what answers set, and what goes back with a request.
//!
//! They are kept where captured values are, as text: so each iteration begins with those that its user's or node's set-up
//! left, as it does with what they captured.

use cookie::{Cookie, Expiration};
use std::net::IpAddr;
use terms::Nanos;

/// A browser keeps no longer name and value together.
const COOKIE_BYTES_MAX: usize = 4096;
/// Most cookies of a user: browsers keep 50 and more of a site.
const COOKIES_MAX: usize = 100;
/// Captured values are cut off beyond this, so the oldest cookies go before.
const JAR_BYTES_MAX: usize = 16 * 1024;
/// Shorter values are too common in other texts to be cut out of them.
const SECRET_BYTES_LEAST: usize = 8;

/// Where a request goes, as far as cookies ask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destination<'a> {
    pub(crate) host: &'a str,
    pub(crate) is_tls: bool,
    /// Path of the URL, perhaps with its query.
    pub(crate) target: &'a str,
}

impl Destination<'_> {
    fn path(&self) -> &str {
        self.target.split(['?', '#']).next().unwrap_or("/")
    }

    /// Cookies marked `Secure` go over TLS, and to this machine itself, as browsers have it.
    fn is_trustworthy(&self) -> bool {
        let is_loopback = self.host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        self.is_tls || is_loopback || self.host.eq_ignore_ascii_case("localhost")
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Kept {
    name: String,
    value: String,
    domain: String,
    is_host_only: bool,
    path: String,
    is_secure: bool,
    /// Wall-clock time; none for as long as the user is there.
    expires: Option<Nanos>,
}

/// All cookies of one user, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Jar {
    cookies: Vec<Kept>,
}

impl Jar {
    /// What [`Jar::write`] wrote.
    pub(crate) fn read(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        Self { cookies: text.lines().filter_map(Kept::read).collect() }
    }

    /// As text; the oldest are left out where they would not all be kept.
    pub(crate) fn write(&self) -> Vec<u8> {
        let lines: Vec<String> = self.cookies.iter().map(Kept::line).collect();
        let mut bytes: usize = lines.iter().map(String::len).sum();
        let is_too_large = |line: &&String| {
            let is_too_large = bytes > JAR_BYTES_MAX;
            bytes -= line.len();
            is_too_large
        };
        let from = lines.iter().take_while(is_too_large).count();
        lines[from..].concat().into_bytes()
    }

    /// Takes the value of one `Set-Cookie`. Whether it is kept, or ends one that was.
    pub(crate) fn take(&mut self, header: &[u8], from: &Destination<'_>, wall: Nanos) -> bool {
        let Some(new) = Kept::parse(header, from, wall) else { return false };
        let is_same = |old: &Kept| (&old.name, &old.domain, &old.path) == (&new.name, &new.domain, &new.path);
        let place = self.cookies.iter().position(is_same);
        if new.is_over(wall) {
            place.map(|place| self.cookies.remove(place));
            return place.is_some();
        }
        match place {
            Some(place) => self.cookies[place] = new,
            None => self.cookies.push(new),
        }
        let surplus = self.cookies.len().saturating_sub(COOKIES_MAX);
        self.cookies.drain(..surplus);
        true
    }

    /// The value of `Cookie` for a request; empty where none belongs there.
    pub(crate) fn header(&self, to: &Destination<'_>, wall: Nanos) -> String {
        let mut fitting: Vec<&Kept> =
            self.cookies.iter().filter(|cookie| cookie.belongs(to) && !cookie.is_over(wall)).collect();
        // Longer paths first; of equal ones those that were set earlier.
        fitting.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<String> = fitting.iter().map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
        pairs.join("; ")
    }

    /// Values that are credentials as likely as not.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &[u8]> {
        self.cookies.iter().map(|cookie| cookie.value.as_bytes()).filter(|value| value.len() >= SECRET_BYTES_LEAST)
    }
}

impl Kept {
    fn parse(header: &[u8], from: &Destination<'_>, wall: Nanos) -> Option<Self> {
        let text = std::str::from_utf8(header).ok()?;
        // A control character ends nothing here: the whole cookie is refused.
        if text.chars().any(|c| c.is_control()) {
            return None;
        }
        let cookie = Cookie::parse(text).ok()?;
        let (name, value) = (cookie.name(), cookie.value());
        if name.len() + value.len() > COOKIE_BYTES_MAX {
            return None;
        }
        let host = from.host.to_ascii_lowercase();
        let domain = cookie.domain().map(|domain| domain.trim_start_matches('.').to_ascii_lowercase());
        let domain = domain.filter(|domain| !domain.is_empty());
        // A name without a dot is nobody's own, as `com`, unless it is the host itself.
        let is_own = |domain: &String| is_within(&host, domain) && (domain.contains('.') || *domain == host);
        if domain.as_ref().is_some_and(|domain| !is_own(domain)) {
            return None;
        }
        let path = cookie.path().filter(|path| path.starts_with('/'));
        let is_secure = cookie.secure().unwrap_or(false);
        let is_named = |prefix: &str| name.get(..prefix.len()).is_some_and(|it| it.eq_ignore_ascii_case(prefix));
        let is_refused = (is_secure && !from.is_trustworthy())
            || (is_named("__Secure-") && !is_secure)
            || (is_named("__Host-") && !(is_secure && domain.is_none() && path == Some("/")));
        if is_refused {
            return None;
        }
        let expires = match (cookie.max_age(), cookie.expires()) {
            (Some(age), _) => Some(wall + seconds(age.whole_seconds())),
            (None, Some(Expiration::DateTime(at))) => Some(seconds(at.unix_timestamp())),
            (None, _) => None,
        };
        Some(Self {
            name: name.to_owned(),
            value: value.to_owned(),
            is_host_only: domain.is_none(),
            domain: domain.unwrap_or(host),
            path: path.map_or_else(|| default_path(from.path()), str::to_owned),
            is_secure,
            expires,
        })
    }

    fn line(&self) -> String {
        let Self { name, value, domain, is_host_only, path, is_secure, expires } = self;
        let marks = [(*is_host_only, 'h'), (*is_secure, 's')];
        let marks: String = marks.into_iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| mark).collect();
        let expires = expires.map_or(String::new(), |at| at.0.to_string());
        format!("{name}\t{value}\t{domain}\t{path}\t{marks}\t{expires}\n")
    }

    fn read(line: &str) -> Option<Self> {
        let mut fields = line.split('\t').map(str::to_owned);
        let (name, value, domain, path) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let (marks, expires) = (fields.next()?, fields.next()?);
        Some(Self {
            name,
            value,
            domain,
            path,
            is_host_only: marks.contains('h'),
            is_secure: marks.contains('s'),
            expires: expires.parse().ok().map(Nanos),
        })
    }

    fn is_over(&self, wall: Nanos) -> bool {
        self.expires.is_some_and(|expires| expires <= wall)
    }

    /// RFC 6265bis, section 5.8.3.
    fn belongs(&self, to: &Destination<'_>) -> bool {
        let host = to.host.to_ascii_lowercase();
        let is_there = if self.is_host_only { host == self.domain } else { is_within(&host, &self.domain) };
        is_there && (!self.is_secure || to.is_trustworthy()) && is_below(to.path(), &self.path)
    }
}

/// Seconds that may be beyond what the clock holds.
fn seconds(count: i64) -> Nanos {
    Nanos(count.saturating_mul(1_000_000_000).min(i64::MAX / 2))
}

/// Section 5.1.3: the domain itself or a name under it; of an address only the address itself.
fn is_within(host: &str, domain: &str) -> bool {
    let is_under = || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
    host == domain || (is_under() && host.parse::<IpAddr>().is_err())
}

/// Section 5.1.4: up to the last slash.
fn default_path(path: &str) -> String {
    match path.rfind('/') {
        None | Some(0) => "/".to_owned(),
        Some(end) => path[..end].to_owned(),
    }
}

/// Section 5.1.4: whether a path matches that of a cookie.
fn is_below(path: &str, of_cookie: &str) -> bool {
    let is_under = |rest: &str| of_cookie.ends_with('/') || rest.starts_with('/');
    path == of_cookie || path.strip_prefix(of_cookie).is_some_and(is_under)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 2026-01-01.
    const NOW: Nanos = Nanos(1_767_225_600_000_000_000);

    fn at<'a>(host: &'a str, target: &'a str) -> Destination<'a> {
        Destination { host, is_tls: true, target }
    }

    fn jar(host: &str, target: &str, headers: &[&str]) -> Jar {
        let mut jar = Jar::default();
        for header in headers {
            jar.take(header.as_bytes(), &at(host, target), NOW);
        }
        jar
    }

    /// The tables of RFC 6265, sections 5.1.3 and 5.1.4, and what browsers make of them.
    #[test]
    fn a_cookie_goes_where_it_belongs() {
        for (header, host, target, goes) in [
            ("a=1", "shop.example", "/", true),
            ("a=1", "www.shop.example", "/", false),
            ("a=1; Domain=shop.example", "www.shop.example", "/", true),
            ("a=1; Domain=.shop.example", "www.shop.example", "/", true),
            ("a=1; Domain=other.example", "shop.example", "/", false),
            ("a=1; Domain=example", "shop.example", "/", false),
            ("a=1; Domain=op.example", "shop.example", "/", false),
            ("a=1; Path=/cart", "shop.example", "/cart", true),
            ("a=1; Path=/cart", "shop.example", "/cart/7?x=/", true),
            ("a=1; Path=/cart", "shop.example", "/carts", false),
            ("a=1; Path=/cart/", "shop.example", "/cart", false),
            ("a=1; Max-Age=60", "shop.example", "/", true),
            ("a=1; Max-Age=0", "shop.example", "/", false),
            ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "shop.example", "/", false),
            ("a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT", "shop.example", "/", true),
            ("a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "shop.example", "/", true),
            ("__Host-a=1; Secure; Path=/", "shop.example", "/", true),
            ("__Host-a=1; Secure", "shop.example", "/", false),
            ("__Secure-a=1", "shop.example", "/", false),
            ("no cookie", "shop.example", "/", false),
            ("a=1\u{7}", "shop.example", "/", false),
        ] {
            let found = jar("shop.example", "/", &[header]).header(&at(host, target), NOW);
            assert_eq!(!found.is_empty(), goes, "{header} to {host}{target}: {found}");
        }
    }

    #[test]
    fn a_secure_cookie_never_goes_in_the_clear_but_to_this_machine() {
        let open = |host| Destination { host, is_tls: false, target: "/" };
        for (host, goes) in [("shop.example", false), ("127.0.0.1", true), ("localhost", true), ("::1", true)] {
            let jar = jar(host, "/", &["a=1; Secure"]);
            assert!(!jar.header(&at(host, "/"), NOW).is_empty());
            assert_eq!(!jar.header(&open(host), NOW).is_empty(), goes, "{host}");
            assert_eq!(Jar::default().take(b"a=1; Secure", &open(host), NOW), goes, "{host}");
        }
    }

    #[test]
    fn longer_paths_come_first_and_a_new_value_takes_the_place_of_the_old() {
        let jar = jar("a", "/x/y", &["one=1; Path=/", "two=2; Path=/x", "one=3; Path=/", "here=4", "gone=5"]);
        let mut less = jar.clone();
        assert!(less.take(b"gone=; Max-Age=-1", &at("a", "/x/y"), NOW));
        assert_eq!(less.header(&at("a", "/x/z"), NOW), "two=2; here=4; one=3");
        assert_eq!(Jar::read(&jar.write()), jar);
    }

    #[test]
    fn a_server_that_sets_without_end_fills_no_memory() {
        let mut jar = Jar::default();
        for number in 0..1000 {
            jar.take(format!("n{number}={}", "x".repeat(1000)).as_bytes(), &at("a", "/"), NOW);
        }
        assert!(!jar.take(format!("long={}", "x".repeat(5000)).as_bytes(), &at("a", "/"), NOW));
        let text = jar.write();
        assert!(text.len() <= JAR_BYTES_MAX && Jar::read(&text).header(&at("a", "/"), NOW).contains("n999="));
    }

    proptest! {
        #[test]
        fn any_header_is_taken_or_refused_and_nothing_breaks_a_line(
            headers in proptest::collection::vec(".{0,60}|[a-c]=[a-z\t]{0,9}; (Path|Domain|Max-Age)=.{0,9}", 0..9),
        ) {
            let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
            let jar = jar("a.example", "/", &headers);
            prop_assert_eq!(&Jar::read(&jar.write()), &jar);
            let header = jar.header(&at("a.example", "/"), NOW);
            prop_assert!(!header.contains(['\r', '\n', '\0']), "{:?}", header);
        }
    }
}
