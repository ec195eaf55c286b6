//! Proxies that the environment names, and that loadproof does not take.

use std::collections::BTreeSet;
use std::net::IpAddr;

/// Variables by which other programs are told of a proxy for plain text, for TLS, and for either.
const PLAIN: [&str; 2] = ["http_proxy", "HTTP_PROXY"];
const TLS: [&str; 2] = ["https_proxy", "HTTPS_PROXY"];
const EITHER: [&str; 2] = ["all_proxy", "ALL_PROXY"];
/// Variables that name hosts which are asked directly.
const EXCEPT: [&str; 2] = ["no_proxy", "NO_PROXY"];

/// A sentence for the first host, with its port and whether TLS is spoken there, that would be asked by way of a proxy.
pub(super) fn passed_by(
    hosts: &BTreeSet<(String, u16, bool)>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let value = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let except = EXCEPT.into_iter().find_map(value).unwrap_or_default();
    hosts.iter().filter(|(host, port, _)| !is_here(host) && !is_excepted(host, *port, &except)).find_map(
        |(host, port, is_tls)| {
            let own = if *is_tls { TLS } else { PLAIN };
            let (name, proxy) = own.into_iter().chain(EITHER).find_map(|name| Some((name, value(name)?)))?;
            // That is the proxy itself, which the study names.
            if proxy.contains(&format!("{host}:{port}")) {
                return None;
            }
            Some(format!(
                "`{name}` is set, and loadproof takes a proxy from the study only: it connects to {host}:{port} \
                 directly, so that no proxy is measured; where only the proxy can reach that host, write \
                 `proxy: http://HOST:PORT` beside `url`, or `quick --proxy http://HOST:PORT`"
            ))
        },
    )
}

fn is_here(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether `no_proxy` names the host, as curl reads it: names with what lies below them, addresses, networks, `*`.
fn is_excepted(host: &str, port: u16, except: &str) -> bool {
    except.split([',', ' ']).map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        let (name, own_port) = match entry.rsplit_once(':') {
            // More colons are an address of IPv6.
            Some((name, digits)) if !name.contains(':') || name.ends_with(']') => (name, digits.parse::<u16>().ok()),
            _ => (entry, None),
        };
        if own_port.is_some_and(|own| own != port) {
            return false;
        }
        let name = name.trim_matches(['[', ']']);
        if name == "*" {
            return true;
        }
        if let Some((network, bits)) = name.split_once('/') {
            return is_within(host, network, bits);
        }
        let name = name.trim_start_matches("*.").trim_start_matches('.').trim_end_matches('.').to_ascii_lowercase();
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        host.strip_suffix(&name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// Whether an address lies within a network: `10.0.0.0/8`, `fd00::/8`.
fn is_within(host: &str, network: &str, bits: &str) -> bool {
    let (Ok(host), Ok(network), Ok(bits)) = (host.parse::<IpAddr>(), network.parse::<IpAddr>(), bits.parse::<u32>())
    else {
        return false;
    };
    match (host, network) {
        (IpAddr::V4(host), IpAddr::V4(network)) => {
            let apart = u32::from(host) ^ u32::from(network);
            bits <= 32 && apart.checked_shr(32 - bits).unwrap_or(0) == 0
        }
        (IpAddr::V6(host), IpAddr::V6(network)) => {
            let apart = u128::from(host) ^ u128::from(network);
            bits <= 128 && apart.checked_shr(128 - bits).unwrap_or(0) == 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(host: &str, is_tls: bool, variables: &[(&str, &str)]) -> Option<String> {
        let value =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        passed_by(&BTreeSet::from([(host.to_owned(), 80, is_tls)]), &value)
    }

    #[test]
    fn a_proxy_is_told_of_where_it_would_be_taken() {
        let proxy = "http://127.0.0.1:3128";
        for (name, is_tls, is_told) in [
            ("http_proxy", false, true),
            ("HTTP_PROXY", false, true),
            ("http_proxy", true, false),
            ("https_proxy", true, true),
            ("HTTPS_PROXY", false, false),
            ("all_proxy", false, true),
            ("ALL_PROXY", true, true),
        ] {
            let text = warning("shop.example", is_tls, &[(name, proxy)]);
            assert_eq!(text.is_some_and(|text| text.contains(&format!("`{name}` is set"))), is_told, "{name}");
        }
        let itself = [("http_proxy", "http://me:secret@proxy.example:80")];
        assert_eq!(warning("proxy.example", false, &itself), None, "the study names it");
        let text = warning("shop.example", false, &itself).unwrap();
        assert!(text.contains("write `proxy: http://HOST:PORT`") && !text.contains("secret"), "{text}");
        assert_eq!(warning("127.0.0.1", false, &[("http_proxy", proxy)]), None);
        assert_eq!(warning("shop.example", false, &[("http_proxy", "")]), None);
    }

    #[test]
    fn hosts_of_no_proxy_are_asked_directly_anyway() {
        for (host, except, is_excepted) in [
            ("shop.example", "shop.example", true),
            ("a.shop.example", "other, .shop.example", true),
            ("a.shop.example", "shop.example", true),
            ("workshop.example", "shop.example", false),
            ("shop.example", "*", true),
            ("shop.example", "shop.example:80", true),
            ("shop.example", "shop.example:81", false),
            ("10.1.2.3", "10.0.0.0/8", true),
            ("11.1.2.3", "10.0.0.0/8", false),
            ("11.1.2.3", "0.0.0.0/0", true),
            ("fd00::1", "[fd00::1]:80", true),
            ("fd00::1", "fd00::/8", true),
        ] {
            let text = warning(host, false, &[("all_proxy", "http://p:1"), ("no_proxy", except)]);
            assert_eq!(text.is_none(), is_excepted, "{host} {except}");
        }
    }
}
