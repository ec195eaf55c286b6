//! The server's address, as it is typed.

use std::fmt;
use std::net::IpAddr;

/// `nats://HOST:4222`, or `tls://NAME@HOST:4222`. It is shown without the name.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    is_tls: bool,
    /// With its port, where one is written.
    host: String,
    user: Option<String>,
}

impl Address {
    /// Reads what stands behind `--nats`. No sentence about it repeats what could be a password.
    ///
    /// # Errors
    /// What is wrong with it, and what to write.
    pub fn of(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("nats", text));
        let is_tls = match scheme {
            "nats" => false,
            "tls" => true,
            _ => return Err("the address behind `--nats` begins with `nats://` or `tls://`".into()),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        if user.is_some_and(|user| user.contains(':')) {
            return Err("a password behind `--nats` can be read by everybody on this machine, in the list of its \
                        processes; leave only the user's name before the `@`, and set `LOADPROOF_NATS_PASSWORD`, or name the \
                        password's file in `LOADPROOF_NATS_PASSWORD_FILE`"
                .into());
        }
        if host.is_empty() || user == Some("") || !["", "/"].contains(&path) {
            return Err(format!(
                "the address behind `--nats` is a host and a port: `{scheme}://HOST:4222`, or `{scheme}://NAME@HOST:4222`"
            ));
        }
        Ok(Self { is_tls, host: host.to_owned(), user: user.map(str::to_owned) })
    }

    /// The user that is named.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Whether it cannot be another machine's.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = match self.host.strip_prefix('[').and_then(|host| host.split_once(']')) {
            Some((host, _)) => host,
            None => self.host.split(':').next().unwrap_or(&self.host),
        };
        host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.is_tls { "tls" } else { "nats" }, self.host)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_a_user_and_a_host() {
        for (text, shown, user, is_loopback) in [
            ("nats://127.0.0.1:4222", "nats://127.0.0.1:4222", None, true),
            ("tls://node@nats.lab:4222", "tls://nats.lab:4222", Some("node"), false),
            ("nats.lab", "nats://nats.lab", None, false),
            ("nats://[::1]:4222/", "nats://[::1]:4222", None, true),
            ("nats://LOCALHOST", "nats://LOCALHOST", None, true),
            // A host that only looks like one of this machine.
            ("nats://nats.lab/@127.0.0.1", "", None, false),
            ("nats://127.0.0.1@nats.lab", "nats://nats.lab", Some("127.0.0.1"), false),
        ] {
            match Address::of(text) {
                Ok(address) => {
                    assert_eq!((address.to_string().as_str(), address.user()), (shown, user), "{text}");
                    assert_eq!(address.is_loopback(), is_loopback, "{text}");
                }
                Err(why) => assert!(shown.is_empty() && why.contains("nats://HOST:4222"), "{text}: {why}"),
            }
        }
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        for text in ["nats://ada:s3cret@nats.lab:4222", "ada:s3cret@nats.lab", "tls://:s3cret@nats.lab"] {
            let why = Address::of(text).unwrap_err();
            assert!(why.contains("LOADPROOF_NATS_PASSWORD") && !why.contains("s3cret"), "{why}");
        }
        for text in
            ["http://s3cret@nats.lab", "nats://", "nats://@nats.lab", "tls://nats.lab?s3cret", "ada:s3://cret@b"]
        {
            let why = Address::of(text).unwrap_err();
            assert!(why.contains("://") && !why.contains("s3"), "{text}: {why}");
        }
    }
}
