//! Taking a URL apart: where to connect once and for all, and what to ask for in each exchange.

use contract::{Mistake, Piece, Place, Template};

/// A URL whose address is fixed.
#[derive(Clone, Debug, PartialEq)]
pub struct Url {
    /// Whether it begins with `https://`.
    pub is_tls: bool,
    /// Name or address, without the brackets of IPv6.
    pub host: String,
    pub port: u16,
    /// As the `Host` header has it: the port only if it is not the scheme's own.
    pub authority: String,
    /// Path and query with their slots; begins with `/`.
    pub target: Template,
}

impl Url {
    /// Stands for an address that is known only when it is asked for.
    pub fn anywhere() -> Self {
        let target = Template { pieces: vec![Piece::Fixed((*b"/").into())] };
        Self { is_tls: false, host: String::new(), port: 0, authority: String::new(), target }
    }

    /// Takes a compiled URL apart.
    ///
    /// # Errors
    /// What is wrong with it, at `place`.
    pub fn read(template: &Template, place: Place) -> Result<Self, Mistake> {
        let (first, slots) = match template.pieces.split_first() {
            Some((Piece::Fixed(first), slots)) => (String::from_utf8_lossy(first).into_owned(), slots),
            _ => return Err(varies(place)),
        };
        let wrong = |what: String| Mistake::at(place, "http::bad-url", what).label("write `http://host:port/path`");
        let lower = first.get(..8).unwrap_or(&first).to_ascii_lowercase();
        let (is_tls, rest) = match () {
            () if lower.starts_with("https://") => (true, &first[8..]),
            () if lower.starts_with("http://") => (false, &first[7..]),
            () => return Err(wrong(format!("the URL `{first}` begins neither with `http://` nor with `https://`"))),
        };
        let end = rest.find(['/', '?', '#']);
        if end.is_none() && !slots.is_empty() {
            return Err(varies(place));
        }
        let (authority, target) = rest.split_at(end.unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(Mistake::at(place, "http::bad-url", "the URL holds a user name")
                .hint("write `basic: \"user:password\"` beside `url`"));
        }
        let is_fragment = |piece: &Piece| matches!(piece, Piece::Fixed(bytes) if bytes.contains(&b'#'));
        if target.contains('#') || slots.iter().any(is_fragment) {
            return Err(wrong("the URL has a fragment (`#`), which is never sent".into())
                .hint("write `%23` for the character itself"));
        }
        let (host, port) = split_port(authority, if is_tls { 443 } else { 80 })
            .ok_or_else(|| wrong(format!("`{authority}` is not a host with an optional port")))?;
        let mut pieces = Vec::new();
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        pieces.push(Piece::Fixed(target.into_bytes().into()));
        pieces.extend(slots.iter().cloned());
        let is_default = port == if is_tls { 443 } else { 80 };
        let shown = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        let authority = if is_default { shown } else { format!("{shown}:{port}") };
        Ok(Self { is_tls, host, port, authority, target: Template { pieces } })
    }
}

fn varies(place: Place) -> Mistake {
    Mistake::at(place, "http::url-varies", "scheme, host and port of a URL may not differ from exchange to exchange")
        .hint("a connection belongs to one address; begin the URL with `$(instance.url)/` or `http://host:port/`")
}

/// Host and port; `None` when they cannot be.
fn split_port(authority: &str, default: u16) -> Option<(String, u16)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            host.parse::<std::net::Ipv6Addr>().ok()?;
            (host, after.strip_prefix(':').or(after.is_empty().then_some(""))?)
        }
        None => authority.split_once(':').unwrap_or((authority, "")),
    };
    let port = match port {
        "" => default,
        digits => digits.parse().ok().filter(|port| *port != 0)?,
    };
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':');
    (!host.is_empty() && host.len() <= 253 && host.chars().all(is_host)).then(|| (host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<Url, Mistake> {
        Url::read(&Template::fixed(url.as_bytes()), Place::default())
    }

    #[test]
    fn parts_are_found() {
        for (url, is_tls, host, port, authority, target) in [
            ("http://a", false, "a", 80, "a", "/"),
            ("HTTPS://a.b:8443/x?y=z", true, "a.b", 8443, "a.b:8443", "/x?y=z"),
            ("http://127.0.0.1:8080?q", false, "127.0.0.1", 8080, "127.0.0.1:8080", "/?q"),
            ("http://[::1]:9/", false, "::1", 9, "[::1]:9", "/"),
            ("https://[::1]", true, "::1", 443, "[::1]", "/"),
            ("http://a:80/http://b", false, "a", 80, "a", "/http://b"),
        ] {
            let read = read(url).unwrap();
            assert_eq!((read.is_tls, read.host.as_str(), read.port), (is_tls, host, port), "{url}");
            assert_eq!(read.authority, authority, "{url}");
            assert_eq!(read.target.as_fixed().unwrap(), target.as_bytes(), "{url}");
        }
    }

    #[test]
    fn what_is_no_address_is_a_mistake() {
        for url in [
            "",
            "a/b",
            "ftp://a",
            "http://",
            "http:///x",
            "http://a:x",
            "http://a:0",
            "http://a:70000",
            "http://u:p@a/",
            "http://a b/",
            "http://[::1",
            "http://[::1]8",
            "http://[a]/",
            "http://::1/",
            "http://a/#x",
            "http://ü/",
            "ü://a",
            "http:/ü/",
        ] {
            let mistake = read(url).unwrap_err();
            assert!(mistake.code.starts_with("http::"), "{url}: {mistake:?}");
        }
    }

    #[test]
    fn slots_may_stand_only_after_the_address() {
        let fixed = |text: &str| Piece::Fixed(text.as_bytes().into());
        let at = |pieces| Url::read(&Template { pieces }, Place::default());
        assert_eq!(at(vec![fixed("http://a"), Piece::Serial]).unwrap_err().code, "http::url-varies");
        assert_eq!(at(vec![Piece::Serial, fixed("http://a")]).unwrap_err().code, "http::url-varies");
        let read = at(vec![fixed("http://a?q="), Piece::Serial]).unwrap();
        assert_eq!(read.target.pieces, [fixed("/?q="), Piece::Serial]);
    }
}
