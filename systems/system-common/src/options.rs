//! Flags that every service of a reference system has.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::http::uri::Authority;
use clap::Args;
use terms::Quantity;

/// Flags of a service: where it listens, what it is called, what goes wrong, when it ends.
#[derive(Args, Clone, Debug)]
pub struct ServiceOptions {
    /// Port to listen on; 0 takes a free one, which is printed
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub bind: IpAddr,
    /// Name of this instance in the access log and the counters [default: $LOADPROOF_INSTANCE, else the module]
    #[arg(long)]
    pub name: Option<String>,
    /// File to append one line a call to
    #[arg(long, value_name = "PATH")]
    pub access_log: Option<PathBuf>,
    /// Text that `/version` shows, to prove which process answers [default: $LOADPROOF_NONCE, else empty]
    #[arg(long)]
    pub nonce: Option<String>,
    /// What goes wrong on purpose; can be given several times
    #[arg(long = "fault", value_name = "NAME=VALUE")]
    pub faults: Vec<String>,
    /// End when standard input is closed
    #[arg(long)]
    pub exit_with_stdin: bool,
}

/// Variable with the nonce that `/version` shows.
const NONCE_VARIABLE: &str = "LOADPROOF_NONCE";
/// Variable with the instance's name.
const INSTANCE_VARIABLE: &str = "LOADPROOF_INSTANCE";
/// Longest name or nonce; both are printed in every answer or line.
const WORD_MAX: usize = 128;

impl ServiceOptions {
    /// The nonce of flag or environment.
    ///
    /// # Errors
    /// A text that is too long or has other than visible ASCII characters.
    pub fn nonce(&self) -> Result<String, String> {
        word("nonce", self.nonce.clone().or_else(|| std::env::var(NONCE_VARIABLE).ok()).unwrap_or_default())
    }

    /// The instance's name of flag or environment, else the module's.
    ///
    /// # Errors
    /// As for the nonce: the name is one column of the access log.
    pub fn instance(&self, module: &str) -> Result<String, String> {
        let given = self.name.clone().or_else(|| std::env::var(INSTANCE_VARIABLE).ok());
        word("name", given.filter(|name| !name.is_empty()).unwrap_or_else(|| module.to_owned()))
    }
}

fn word(what: &str, text: String) -> Result<String, String> {
    if text.len() <= WORD_MAX && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(text)
    } else {
        Err(format!("the {what} `{text}` must be at most {WORD_MAX} visible ASCII characters without spaces"))
    }
}

/// `HOST:PORT`, as the value of a flag.
///
/// # Errors
/// Anything else, with what to write.
pub fn authority(text: &str) -> Result<Authority, String> {
    let wrong = || format!("`{text}` is not an address; write `HOST:PORT`, for example `127.0.0.1:8081`");
    let authority: Authority = text.parse().map_err(|_| wrong())?;
    if authority.port_u16().is_none() || text.contains('@') { Err(wrong()) } else { Ok(authority) }
}

/// A duration above zero with its unit, such as `30s`, as the value of a flag.
///
/// # Errors
/// Anything else, with what to write.
pub fn lasting(text: &str) -> Result<Duration, String> {
    let nanos = Quantity::parse(text).map_err(|error| format!("`{text}` {error}"))?.nanos();
    match nanos {
        Some(nanos) if nanos.0 > 0 => Ok(nanos.to_std()),
        _ => Err(format!("`{text}` is not a duration above zero; write for example `30s`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word() {
        assert_eq!(word("name", "lookup.1".to_owned()), Ok("lookup.1".to_owned()));
        assert!(word("name", "two words".to_owned()).is_err());
        assert!(word("name", "line\nbreak".to_owned()).is_err());
        assert!(word("nonce", "x".repeat(129)).is_err());
    }

    #[test]
    fn values_of_flags_say_what_to_write() {
        assert_eq!(authority("localhost:8081").map(|found| found.to_string()), Ok("localhost:8081".to_owned()));
        for wrong in ["localhost", "a@b:1", "", "http://a:1/"] {
            assert!(authority(wrong).unwrap_err().contains("write `HOST:PORT`"), "{wrong}");
        }
        assert_eq!(lasting("1500ms"), Ok(Duration::from_millis(1500)));
        for wrong in ["0s", "-1s", "30", "5kB"] {
            assert!(lasting(wrong).unwrap_err().contains("write for example `30s`"), "{wrong}");
        }
    }
}
