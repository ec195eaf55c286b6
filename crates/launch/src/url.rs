//! Addresses of plain HTTP.

/// Host, port and path of an `http://` address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Url {
    /// Name or number; an IPv6 number without its brackets.
    pub(crate) host: String,
    /// Port; 80 when none is written.
    pub(crate) port: u16,
    /// Path with query, starting with `/`.
    pub(crate) path: String,
}

impl Url {
    /// Reads an address.
    ///
    /// # Errors
    /// One sentence that says what is wrong and what to write.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("the address `{text}` {why}; write for example `http://127.0.0.1:8080`");
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            Some(("https", _)) => {
                return Err(format!(
                    "the address `{text}` speaks TLS, over which readiness and identity cannot be asked; \
                     write an `identity` (and `ready`) of its own that starts with `http://`"
                ));
            }
            _ => return Err(wrong("does not begin with `http://`")),
        };
        if rest.chars().any(|c| c.is_control() || c == ' ') {
            return Err(wrong("holds a blank or a control character"));
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let path = path.split('#').next().unwrap_or_default();
        if authority.contains('@') {
            return Err(wrong("holds a name or password, which is not possible here"));
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => rest.split_once(']').ok_or_else(|| wrong("has a `[` that is never closed"))?,
            None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
        };
        let port = match port.strip_prefix(':') {
            Some(number) => number.parse().ok().filter(|&port| port != 0).ok_or_else(|| wrong("has no valid port"))?,
            None if port.is_empty() => 80,
            None => return Err(wrong("has no valid port")),
        };
        if host.is_empty() {
            return Err(wrong("has no host"));
        }
        let is_number = authority.starts_with('[');
        if is_number && host.parse::<std::net::Ipv6Addr>().is_err() {
            return Err(wrong("has no IPv6 number between its brackets"));
        }
        if !is_number && host.contains(['[', ']']) {
            return Err(wrong("has a bracket within its host"));
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Self { host: host.to_owned(), port, path })
    }

    /// Host and port as a `Host` header has them.
    pub(crate) fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Whether it names this machine's loopback interface.
    pub(crate) fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl std::fmt::Display for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "http://{}{}", self.authority(), self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_are_read_or_refused_with_a_reason() {
        let url = |text: &str| Url::parse(text).unwrap().to_string();
        assert_eq!(url("http://127.0.0.1:8080"), "http://127.0.0.1:8080/");
        assert_eq!(url("http://shop/version?a=b#c"), "http://shop:80/version?a=b");
        assert_eq!(url("http://[::1]:9/x"), "http://[::1]:9/x");
        assert_eq!(url("http://a:1?q"), "http://a:1/?q");
        for (text, part) in [
            ("shop:8080", "does not begin"),
            ("https://shop", "TLS"),
            ("http://", "no host"),
            ("http://a:x", "port"),
            ("http://a:0", "port"),
            ("http://[::1", "never closed"),
            ("http://[[]", "no IPv6 number"),
            ("http://a]", "bracket within"),
            ("http://u:p@a", "password"),
            ("http://a/b\r\nX: y", "control"),
        ] {
            assert!(Url::parse(text).unwrap_err().contains(part), "{text}");
        }
        assert!(Url::parse("http://127.0.0.2").unwrap().is_loopback());
        assert!(!Url::parse("http://10.0.0.1").unwrap().is_loopback());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(http://)?[a\\[\\]:@/?#.0-9é ]{0,20}") {
            if let Ok(url) = Url::parse(&text) {
                prop_assert_eq!(Url::parse(&url.to_string()).unwrap(), url);
            }
        }
    }
}
