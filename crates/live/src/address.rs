//! Where the page is served: on loopback, and known by its names there.

use crate::LiveError;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// An address of loopback, as it is written on the command line: `8080`, `127.0.0.1`, `127.0.0.1:8080`, `[::1]:8080`,
/// `localhost:8080`. Without a port it is any that is free.
///
/// # Errors
/// [`LiveError::NotLoopback`] for everything else.
pub fn loopback(text: &str) -> Result<SocketAddr, LiveError> {
    let refused = || LiveError::NotLoopback { address: text.chars().take(100).collect() };
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    let named = text.strip_prefix("localhost").map(|rest| format!("127.0.0.1{rest}"));
    let text = named.as_deref().unwrap_or(text);
    let address = match text.parse::<SocketAddr>() {
        Ok(address) => address,
        Err(_) => SocketAddr::from((text.trim_matches(['[', ']']).parse::<IpAddr>().map_err(|_| refused())?, 0)),
    };
    if address.ip().is_loopback() { Ok(address) } else { Err(refused()) }
}

/// Whether a `Host` is one of the names of this server. A page elsewhere whose name was made to lead here has its own.
pub(crate) fn is_own_host(host: &str, served: SocketAddr) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
        _ => (host, Some(80)),
    };
    let is_own_name = name.eq_ignore_ascii_case("localhost")
        || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip == served.ip());
    is_own_name && port == Some(served.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_served() {
        for (text, expected) in [
            ("8080", "127.0.0.1:8080"),
            ("127.0.0.1", "127.0.0.1:0"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("127.3.2.1:99", "127.3.2.1:99"),
            ("localhost:8080", "127.0.0.1:8080"),
            ("localhost", "127.0.0.1:0"),
            ("[::1]:8080", "[::1]:8080"),
            ("::1", "[::1]:0"),
        ] {
            assert_eq!(loopback(text).unwrap().to_string(), expected, "{text}");
        }
        for text in ["0.0.0.0:80", "192.168.1.4", "[::]:80", "::", "example.com:80", "", "99999", "localhostess", ":80"]
        {
            let told = loopback(text).unwrap_err().to_string();
            assert!(told.contains("loopback only") && told.contains("ssh -L"), "{text}: {told}");
        }
    }

    #[test]
    fn a_name_from_elsewhere_is_not_ours() {
        let served = SocketAddr::from((Ipv4Addr::LOCALHOST, 8080));
        for host in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080"] {
            assert!(is_own_host(host, served), "{host}");
        }
        for host in [
            "evil.example:8080",
            "127.0.0.1",
            "127.0.0.1:81",
            "127.0.0.2:8080",
            "",
            "localhost:8080:8080",
            "[::1]:8080",
        ] {
            assert!(!is_own_host(host, served), "{host}");
        }
        assert!(is_own_host("[::1]:99", "[::1]:99".parse().unwrap()));
    }
}
