//! A machine that is asked through a shell.

use crate::Place;
use std::path::{Path, PathBuf};

/// Another machine, as the system's own `ssh` reaches it from here, or this one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Its name or address, or what the configuration of `ssh` calls it.
    pub host: String,
    /// Whose account is used there; the configuration decides where the study does not say it.
    pub user: Option<String>,
    pub port: Option<u16>,
    /// A configuration file of `ssh` in place of the user's own, beside the study.
    pub config: Option<PathBuf>,
    /// Whether it is this one, under the name of the node that runs here: asked through its own shell, without `ssh`.
    pub is_here: bool,
    /// Where the study says so.
    pub place: Place,
}

/// Longest name of a host (RFC 1035) or of a user; a longer one is a slip.
const NAME_MAX: usize = 253;

impl Machine {
    /// Reads `ssh://user@host:port`; user and port may be left out, and a host may be an address, `[::1]`. Whatever it
    /// accepts can be handed to `ssh` as an argument: no part begins with `-`.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let rest = text.strip_prefix("ssh://").ok_or("does not begin with `ssh://`")?;
        let (user, rest) = match rest.rsplit_once('@') {
            Some((user, rest)) => (Some(user), rest),
            None => (None, rest),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.strip_prefix('[').map(|rest| rest.split_once(']')) {
            Some(Some((host, rest))) => (host, rest.strip_prefix(':').or((!rest.is_empty()).then_some("?"))),
            Some(None) => return Err("has a `[` without its `]`"),
            None => rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port))),
        };
        if user.is_some_and(|user| user.contains(':')) {
            return Err("holds a password, which `ssh` takes from nobody");
        }
        let port = match port {
            Some(port) => Some(port.parse().ok().filter(|port| *port > 0).ok_or("has no port from 1 to 65535")?),
            None => None,
        };
        if !is_word(host, ".-_:") {
            return Err("does not name a host");
        }
        if user.is_some_and(|user| !is_word(user, ".-_@\\$")) {
            return Err("does not name a user");
        }
        Ok(Self { host: host.to_owned(), user: user.map(str::to_owned), port, ..Self::default() })
    }

    /// This machine, under the name of the node that runs here.
    pub fn here(name: &str) -> Self {
        Self { host: name.to_owned(), is_here: true, ..Self::default() }
    }

    /// The same with files that are looked up in that folder: the study's.
    #[must_use]
    pub fn within(&self, base: &Path) -> Self {
        Self { config: self.config.as_ref().map(|path| base.join(path)), ..self.clone() }
    }

    /// `ssh://user@host:port`, or a node's name, as the study has it.
    pub fn url(&self) -> String {
        if self.is_here {
            return self.host.clone();
        }
        let user = self.user.as_ref().map_or_else(String::new, |user| format!("{user}@"));
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let port = self.port.map_or_else(String::new, |port| format!(":{port}"));
        format!("ssh://{user}{host}{port}")
    }
}

/// Letters, digits and these signs, with a letter or digit in front.
fn is_word(text: &str, signs: &str) -> bool {
    let is_within = text.len() <= NAME_MAX && text.chars().all(|c| c.is_ascii_alphanumeric() || signs.contains(c));
    is_within && text.starts_with(|c: char| c.is_ascii_alphanumeric() || (c == ':' && signs.contains(':')) || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_reached() {
        for (text, host, user, port) in [
            ("ssh://db1", "db1", None, None),
            ("ssh://perf@db1.lab.example:2222", "db1.lab.example", Some("perf"), Some(2222)),
            ("ssh://perf@10.0.0.7/", "10.0.0.7", Some("perf"), None),
            ("ssh://[::1]:22", "::1", None, Some(22)),
            ("ssh://perf@lab@db1", "db1", Some("perf@lab"), None),
        ] {
            let found = Machine::parse(text).unwrap();
            assert_eq!((found.host.as_str(), found.user.as_deref(), found.port), (host, user, port), "{text}");
            assert_eq!(found.url(), text.trim_end_matches('/'));
        }
    }

    #[test]
    fn what_cannot_be_reached_or_would_be_an_option_of_ssh() {
        for (text, why) in [
            ("db1", "begin with"),
            ("http://db1", "begin with"),
            ("ssh://", "host"),
            ("ssh://-oProxyCommand=x", "host"),
            ("ssh://-x@db1", "user"),
            ("ssh://a b", "host"),
            ("ssh://db1/home", "host"),
            ("ssh://db1:0", "port"),
            ("ssh://db1:70000", "port"),
            ("ssh://db1:", "port"),
            ("ssh://[::1", "`]`"),
            ("ssh://[::1]x", "port"),
            ("ssh://me:secret@db1", "password"),
            ("ssh://@db1", "user"),
        ] {
            let found = Machine::parse(text).unwrap_err();
            assert!(found.contains(why), "{text}: {found}");
        }
    }
}
