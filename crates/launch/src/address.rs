//! Addresses at which readiness and identity are asked.

use contract::{Piece, Place, Template};
use http_wire::Url;

/// Scheme, host, port and path of an address of HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// Whether TLS is spoken there.
    pub(crate) is_tls: bool,
    /// Name or number; an IPv6 number without its brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Path with query, starting with `/`.
    pub(crate) path: String,
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// One sentence that says what is wrong and what to write.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = |why: String| format!("the address `{text}` cannot be asked: {why}; write `http://host:port`");
        if text.chars().any(|c| c.is_control() || c == ' ') {
            return Err(wrong("it holds a blank or a control character".to_owned()));
        }
        // What stands after `#` is for whoever reads the answer, and never sent.
        let text = text.split('#').next().unwrap_or_default();
        let url = Url::read(&Template::fixed(text.as_bytes()), Place::default()).map_err(|why| wrong(why.message))?;
        let path: Vec<u8> = url.target.pieces.iter().flat_map(fixed).copied().collect();
        let path = String::from_utf8_lossy(&path).into_owned();
        Ok(Self { is_tls: url.is_tls, host: url.host, port: url.port, path })
    }

    /// Whether a text is an address of its own and not a path.
    pub(crate) fn is_whole(text: &str) -> bool {
        text.starts_with("http://") || text.starts_with("https://")
    }

    /// Host and port as a `Host` header has them.
    pub(crate) fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Scheme, host and port.
    pub(crate) fn origin(&self) -> String {
        format!("{}://{}", if self.is_tls { "https" } else { "http" }, self.authority())
    }

    /// Whether it names this machine's loopback interface.
    pub(crate) fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

fn fixed(piece: &Piece) -> &[u8] {
    if let Piece::Fixed(bytes) = piece { bytes } else { &[] }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.origin(), self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_are_read_or_refused_with_a_reason() {
        let shown = |text: &str| Address::parse(text).unwrap().to_string();
        assert_eq!(shown("http://127.0.0.1:8080"), "http://127.0.0.1:8080/");
        assert_eq!(shown("http://shop/version?a=b#c"), "http://shop:80/version?a=b");
        assert_eq!(shown("http://[::1]:9/x"), "http://[::1]:9/x");
        assert_eq!(shown("https://shop"), "https://shop:443/");
        assert_eq!(shown("http://a:1?q"), "http://a:1/?q");
        for (text, part) in [
            ("shop:8080", "begins neither"),
            ("http://", "not a host"),
            ("http://a:x", "not a host with an optional port"),
            ("http://[::1", "not a host"),
            ("http://u:p@a", "user name"),
            ("http://a/b\r\nX: y", "control"),
        ] {
            let why = Address::parse(text).unwrap_err();
            assert!(why.contains(part) && why.contains("write `http://host:port`"), "{text}: {why}");
        }
        assert!(Address::parse("http://127.0.0.2").unwrap().is_loopback());
        assert!(!Address::parse("http://10.0.0.1").unwrap().is_loopback());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(https?://)?[a\\[\\]:@/?#.0-9é ]{0,20}") {
            if let Ok(address) = Address::parse(&text) {
                prop_assert_eq!(Address::parse(&address.to_string()).unwrap(), address);
            }
        }
    }
}
