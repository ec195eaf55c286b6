//! Addresses, as other tools write them.

/// A URL in pieces. The path begins with `/` and has the query, never a fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// `https://host:port`.
    pub(crate) origin: String,
    /// `/path?query`.
    pub(crate) path: String,
    /// `user:password` before the host.
    pub(crate) user: Option<String>,
}

/// Takes a URL apart. `None`: not HTTP, or a host that cannot be one.
pub(crate) fn split(url: &str) -> Option<Address> {
    let url = url.trim();
    let (scheme, rest) = url.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    if scheme != "http" && scheme != "https" {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user.to_owned()), host),
        None => (None, authority),
    };
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.is_empty() || port.bytes().all(|byte| byte.is_ascii_digit()) => (name, port),
        _ => (host, ""),
    };
    let is_v6 = name.starts_with('[') && name.ends_with(']') && name.len() > 3;
    let is_host =
        !name.is_empty() && name.len() < 254 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b));
    let inner = name.trim_matches(['[', ']']);
    if !(is_host || is_v6 && inner.parse::<std::net::Ipv6Addr>().is_ok()) {
        return None;
    }
    if !port.is_empty() && port.parse::<u16>().ok().filter(|port| *port > 0).is_none() {
        return None;
    }
    let is_usual = port.is_empty() || (scheme == "http" && port == "80") || (scheme == "https" && port == "443");
    let port = if is_usual { String::new() } else { format!(":{port}") };
    Some(Address { origin: format!("{scheme}://{}{port}", name.to_ascii_lowercase()), path: path_of(path), user })
}

/// A path with its query, without a fragment and control characters.
pub(crate) fn path_of(path: &str) -> String {
    let path: String = path.split('#').next().unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
    if path.starts_with('/') { path } else { format!("/{path}") }
}

/// The host of an origin, without its port.
pub(crate) fn host_of(origin: &str) -> &str {
    let host = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    if host.starts_with('[') { host } else { host.split(':').next().unwrap_or(host) }
}

/// The last two labels of a host: whose site it is, near enough for a proposal.
pub(crate) fn site_of(host: &str) -> String {
    if host.parse::<std::net::Ipv4Addr>().is_ok() || host.starts_with('[') {
        return host.to_owned();
    }
    let labels: Vec<&str> = host.split('.').collect();
    // `example.co.uk`: a short label before a short one is not a name of somebody.
    let is_second = |label: &&str| label.len() <= 3;
    let is_double = labels.len() > 2 && labels.iter().rev().take(2).all(is_second);
    let count = if is_double { 3 } else { 2 };
    labels[labels.len().saturating_sub(count)..].join(".")
}

/// What a host is called in the study.
pub(crate) fn name_of(origin: &str) -> String {
    let host = host_of(origin);
    if host.starts_with('[') || host == "localhost" || host.parse::<std::net::Ipv4Addr>().is_ok() {
        return "site".to_owned();
    }
    let site = site_of(host);
    let own = site.split('.').next().unwrap_or(&site);
    let before = host.strip_suffix(&site).unwrap_or_default().trim_end_matches('.');
    if before.is_empty() || before == "www" { own.to_owned() } else { format!("{own}_{before}") }
}

/// Takes percent-encoding back; what is none stays.
pub(crate) fn decoded(text: &str, has_plus: bool) -> String {
    let bytes = text.as_bytes();
    let mut made = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let two = text.get(at + 1..at + 3).and_then(|two| u8::from_str_radix(two, 16).ok());
        match (bytes[at], two) {
            (b'%', Some(byte)) => {
                made.push(byte);
                at += 3;
                continue;
            }
            (b'+', _) if has_plus => made.push(b' '),
            (byte, _) => made.push(byte),
        }
        at += 1;
    }
    String::from_utf8(made).unwrap_or_else(|_| text.to_owned())
}

/// Percent-encodes one part of a query; `$(…)` in it is encoded where it is filled in.
pub(crate) fn encoded(text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        if rest.starts_with("$$(") {
            made.push_str("%24%28");
            rest = &rest[3..];
        } else if rest.starts_with("$(")
            && let Some(end) = crate::text::end_of_name(rest)
        {
            let inner = &rest[2..end - 1];
            let is_plain =
                ["uuid", "serial", "now"].contains(&inner) || inner.contains('(') || inner.contains("random");
            made.push_str(&if is_plain { format!("$({inner})") } else { format!("$(url({inner}))") });
            rest = &rest[end..];
        } else if let Some(c) = rest.chars().next() {
            if c.is_ascii_alphanumeric() || "-._~".contains(c) {
                made.push(c);
            } else {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    made.push_str(&format!("%{byte:02X}"));
                }
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    made
}

/// Fields of a form or a query, decoded.
pub(crate) fn fields(text: &str) -> Vec<(String, String)> {
    let parts = text.split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decoded(name, true), decoded(value, true))
        })
        .collect()
}

/// Bytes of base64, standard or for URLs, with padding or without.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut made = Vec::new();
    let (mut bits, mut held) = (0u32, 0u32);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            made.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let shop = split("HTTPS://me:pw@Shop.Example:443/a?b=1#c").unwrap();
        assert_eq!((shop.origin.as_str(), shop.path.as_str()), ("https://shop.example", "/a?b=1"));
        assert_eq!(shop.user.as_deref(), Some("me:pw"));
        assert_eq!(split("http://[::1]:8080").unwrap().origin, "http://[::1]:8080");
        for url in ["ftp://a/", "http://", "http://a b/", "http://a:99999/", "/x", "data:x", "http://$(host)/"] {
            assert_eq!(split(url), None, "{url}");
        }
        assert_eq!(name_of("https://www.shop.example"), "shop");
        assert_eq!(name_of("https://api.shop.co.uk"), "shop_api");
        assert_eq!(name_of("http://127.0.0.1:80"), "site");
    }

    #[test]
    fn parts_are_encoded_and_decoded() {
        assert_eq!(encoded("a b&$(x)$$(y)é"), "a%20b%26$(url(x))%24%28y%29%C3%A9");
        assert_eq!(decoded("a%20b+c%", true), "a b c%");
        assert_eq!(from_base64("dXNlcjpwYXNz").unwrap(), b"user:pass");
        assert_eq!(from_base64("a*"), None);
    }
}
