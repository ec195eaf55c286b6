//! Proxies that a study names: asked for a tunnel (`CONNECT`, SOCKS 5), or handed plain requests with whole addresses.

mod settings;
mod tunnel;

pub use settings::ProxySettings;
pub(crate) use tunnel::Tunnel;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt;
use std::sync::Arc;

/// How a proxy is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `http://`: `CONNECT` for TLS, whole addresses in the request line without.
    Http,
    /// `socks5://`: the proxy resolves the name (RFC 1928, RFC 1929).
    Socks5,
}

/// The way to one target by a proxy.
pub(crate) struct Proxy {
    settings: ProxySettings,
    /// Where it is to lead: host without brackets, and port.
    host: String,
    port: u16,
    is_tls: bool,
    /// What an absolute form adds in front of the path, and behind the request line.
    absolute: Option<(Vec<u8>, Vec<u8>)>,
}

/// Without credentials.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.settings, self.authority(0))
    }
}

impl Proxy {
    pub(crate) fn new(settings: &ProxySettings, host: &str, port: u16, is_tls: bool) -> Arc<Self> {
        let (settings, host) = (settings.clone(), host.to_owned());
        let mut proxy = Self { settings, host, port, is_tls, absolute: None };
        if proxy.settings.kind == Kind::Http && !is_tls {
            let origin = format!("http://{}", proxy.authority(80));
            proxy.absolute = Some((origin.into_bytes(), proxy.authorization().into_bytes()));
        }
        Arc::new(proxy)
    }

    /// As the study names it.
    pub(crate) fn shown(&self) -> String {
        self.settings.to_string()
    }

    /// What is to be asked for before anything else is sent on a new connection, if anything is.
    pub(crate) fn tunnel(self: &Arc<Self>) -> Option<Tunnel> {
        (self.settings.kind == Kind::Socks5 || self.is_tls).then(|| Tunnel::new(self.clone()))
    }

    /// Writes a request with the whole address in its line, where this proxy takes it so. Whether it does.
    pub(crate) fn rewrite(&self, request: &[u8], into: &mut Vec<u8>) -> bool {
        into.clear();
        let Some((origin, authorization)) = &self.absolute else { return false };
        let Some(method) = request.iter().position(|byte| *byte == b' ') else { return false };
        let line = request.windows(2).position(|two| two == b"\r\n").map_or(request.len(), |at| at + 2);
        into.extend_from_slice(&request[..=method]);
        into.extend_from_slice(origin);
        into.extend_from_slice(&request[method + 1..line]);
        into.extend_from_slice(authorization);
        into.extend_from_slice(&request[line..]);
        true
    }

    /// The target as `Host` has it, the port only if it is not this one.
    fn authority(&self, default: u16) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == default { host } else { format!("{host}:{}", self.port) }
    }

    /// The header that says who asks, or nothing.
    fn authorization(&self) -> String {
        let Some((user, password)) = &self.settings.credentials else { return String::new() };
        let encoded = STANDARD.encode(format!("{user}:{password}"));
        format!("Proxy-Authorization: Basic {encoded}\r\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(kind: Kind, is_tls: bool, port: u16) -> Arc<Proxy> {
        let credentials = Some(("user".to_owned(), "pass".to_owned()));
        let settings = ProxySettings { kind, host: "p".into(), port: 3128, credentials };
        Proxy::new(&settings, "::1", port, is_tls)
    }

    #[test]
    fn a_plain_request_names_its_whole_address_and_who_asks() {
        let mut into = Vec::new();
        assert!(proxy(Kind::Http, false, 81).rewrite(b"POST /a?b HTTP/1.1\r\nHost: [::1]:81\r\n\r\nbody", &mut into));
        let expected = "POST http://[::1]:81/a?b HTTP/1.1\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\nHost: [::1]:81\r\n\r\nbody";
        assert_eq!(String::from_utf8(into).unwrap(), expected);
        let mut into = Vec::new();
        assert!(proxy(Kind::Http, false, 80).rewrite(b"GET / HTTP/1.1\r\n\r\n", &mut into));
        assert!(into.starts_with(b"GET http://[::1]/ HTTP/1.1\r\n"));
        for (kind, is_tls) in [(Kind::Http, true), (Kind::Socks5, false), (Kind::Socks5, true)] {
            let proxy = proxy(kind, is_tls, 80);
            assert!(!proxy.rewrite(b"GET / HTTP/1.1\r\n\r\n", &mut into) && into.is_empty());
            assert!(proxy.tunnel().is_some());
        }
    }
}
