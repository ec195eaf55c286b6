//! `proxy: http://host:port`, or `proxy: { url, basic }`.

use super::Kind;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Place, Template};
use std::fmt;

/// A proxy as the study names it.
#[derive(Clone, PartialEq)]
pub struct ProxySettings {
    pub(crate) kind: Kind,
    pub(crate) host: String,
    pub(crate) port: u16,
    /// User and password.
    pub(crate) credentials: Option<(String, String)>,
}

impl ProxySettings {
    /// Reads the setting. What is wrong with it is kept in `mistakes`.
    pub fn read(node: Option<&Node>, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        let node = node?;
        if node.text() == Some("no") {
            return None;
        }
        let Some(_) = node.map() else { return mistakes.keep(address(node, context)) };
        let mut keys = Keys::of(node, "`proxy`", mistakes);
        let url = keys.need("url", mistakes).and_then(|node| mistakes.keep(address(node, context)));
        let basic = keys.take("basic").map(|node| mistakes.keep(credentials(node, context)));
        keys.finish(mistakes);
        Some(Self { credentials: basic.flatten(), ..url? })
    }

    /// Where it is: the host without brackets, and the port.
    pub fn place(&self) -> (&str, u16) {
        (&self.host, self.port)
    }

    /// Whether plain requests go to it with their whole address, which HTTP/2 has no form for.
    pub fn takes_addresses(&self) -> bool {
        self.kind == Kind::Http
    }
}

impl fmt::Display for ProxySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.kind == Kind::Http { "http" } else { "socks5" };
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        write!(f, "{scheme}://{host}:{}", self.port)
    }
}

/// Without credentials.
impl fmt::Debug for ProxySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

fn address(node: &Node, context: &BuildContext<'_>) -> Result<ProxySettings, Mistake> {
    let text = context.text(node, "`proxy`")?;
    parse(&text, node.place)
}

fn parse(text: &str, place: Place) -> Result<ProxySettings, Mistake> {
    let wrong = |what: String| {
        Mistake::at(place, "http::bad-proxy", what)
            .label("write `http://host:port` or `socks5://host:port`")
            .hint("user and password stand beside it: `proxy: { url: http://host:port, basic: \"user:$(secret.X)\" }`")
    };
    let lower = text.to_ascii_lowercase();
    let (kind, rest) = match () {
        () if lower.starts_with("http://") => (Kind::Http, &text[7..]),
        () if lower.starts_with("socks5://") => (Kind::Socks5, &text[9..]),
        () if lower.starts_with("socks5h://") => (Kind::Socks5, &text[10..]),
        () => return Err(wrong("the proxy is neither one of HTTP nor one of SOCKS 5".to_owned())),
    };
    if rest.contains('@') {
        return Err(wrong("the proxy's address holds a user name".to_owned()));
    }
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    // A port is never left out: there is no usual one.
    let has_port =
        rest.rsplit_once(':').is_some_and(|(host, _)| !host.is_empty() && (!host.contains(':') || host.ends_with(']')));
    let url = crate::Url::read(&Template::fixed(format!("http://{rest}/").into_bytes()), place);
    match url {
        Ok(url) if has_port && url.target.as_fixed() == Some(b"/") => {
            Ok(ProxySettings { kind, host: url.host, port: url.port, credentials: None })
        }
        _ => Err(wrong(format!("the proxy `{}` is not a host with a port", crate::written_out(text)))),
    }
}

fn credentials(node: &Node, context: &BuildContext<'_>) -> Result<(String, String), Mistake> {
    let text = context.text(node, "`basic`")?;
    let wrong = |what| Mistake::at(node.place, "http::bad-basic", what).label("write `\"user:$(secret.NAME)\"`");
    let Some((user, password)) = text.split_once(':') else {
        return Err(wrong("`basic` is not `user:password`"));
    };
    // The lengths are one byte each where SOCKS has them (RFC 1929).
    let fits = |part: &str| part.len() <= 255 && !part.contains(|c: char| c.is_control());
    if user.is_empty() || !fits(user) || !fits(password) {
        return Err(wrong("`basic` has a user or password that is empty, too long, or holds a control character"));
    }
    Ok((user.to_owned(), password.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_scheme_a_host_and_a_port() {
        for (text, kind, host, port) in [
            ("http://127.0.0.1:3128", Kind::Http, "127.0.0.1", 3128),
            ("HTTP://proxy.example:80/", Kind::Http, "proxy.example", 80),
            ("socks5://[::1]:1080", Kind::Socks5, "::1", 1080),
            ("socks5h://a:1", Kind::Socks5, "a", 1),
        ] {
            let read = parse(text, Place::default()).unwrap();
            assert_eq!((read.kind, read.place()), (kind, (host, port)), "{text}");
        }
        for text in [
            "",
            "127.0.0.1:3128",
            "https://a:1",
            "socks4://a:1",
            "http://a",
            "http://[::1]",
            "http://u:p@a:1",
            "http://a:1/x",
            "http://a:0",
        ] {
            assert_eq!(parse(text, Place::default()).unwrap_err().code, "http::bad-proxy", "{text}");
        }
        assert_eq!(parse("socks5://[::1]:1", Place::default()).unwrap().to_string(), "socks5://[::1]:1");
    }
}
