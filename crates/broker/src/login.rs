//! Who this side says it is, to a server that asks.

use std::fmt;

/// A user of the server. `Debug` shows its kind only.
#[derive(Clone, Default)]
pub enum Login {
    /// Nobody in particular.
    #[default]
    Nobody,
    /// A token and the seed of its key in one text, as `nsc` writes it.
    Credentials(String),
    /// The seed of a key that the server knows, as `nk` writes it.
    Seed(String),
    /// A user that the server knows by a password.
    Password { name: String, password: String },
}

impl Login {
    /// Reads what a file of credentials holds.
    ///
    /// # Errors
    /// What it holds instead, as the end of a sentence that begins with the file.
    pub fn of_file(text: &str) -> Result<Self, &'static str> {
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let is_seed = |line: &str| {
            line.starts_with("SU") && line.len() == SEED_LETTERS && line.chars().all(|c| c.is_ascii_alphanumeric())
        };
        if lines().any(|line| line.contains("BEGIN NATS USER JWT")) {
            return match lines().any(is_seed) {
                true => Ok(Self::Credentials(text.to_owned())),
                false => Err("has a token but no seed of a user's key; take the whole file that `nsc` writes"),
            };
        }
        let mut all = lines();
        match (all.next(), all.next()) {
            (Some(seed), None) if is_seed(seed) => Ok(Self::Seed(seed.to_owned())),
            _ => Err("holds neither credentials as `nsc` writes them nor the seed of a user's key (`SU…`)"),
        }
    }
}

/// A seed in base 32: two bytes of prefix, 32 of the seed, two of its checksum.
const SEED_LETTERS: usize = 58;

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nobody => "nobody",
            Self::Credentials(_) => "credentials",
            Self::Seed(_) => "seed",
            Self::Password { .. } => "password",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = "SUAIO3FHUX5PNV2LQIIP7TZ3N4L7TX3W53MQGEIVYFIGA635OZCKEYHFLM";

    #[test]
    fn a_file_of_credentials_is_known_by_what_it_holds() {
        let token = "-----BEGIN NATS USER JWT-----\neyJ0eXAi.e30.c2ln\n------END NATS USER JWT------\n";
        let both = format!("{token}\n-----BEGIN USER NKEY SEED-----\n{SEED}\n------END USER NKEY SEED------\n");
        assert!(matches!(Login::of_file(&both), Ok(Login::Credentials(text)) if text == both));
        let alone = format!("# of the node\n{SEED}\n");
        assert!(matches!(Login::of_file(&alone), Ok(Login::Seed(seed)) if seed == SEED));
        assert!(Login::of_file(token).unwrap_err().contains("no seed"));
        for nothing in ["", "hunter2", "SUABC", &format!("{SEED}\n{SEED}")] {
            assert!(Login::of_file(nothing).unwrap_err().contains("holds neither"), "{nothing}");
        }
    }

    #[test]
    fn nothing_secret_is_shown() {
        let password = Login::Password { name: "ada".into(), password: "hunter2".into() };
        for login in [Login::Seed(SEED.into()), Login::Credentials(SEED.into()), password] {
            let shown = format!("{login:?}");
            assert!(!shown.contains("SUAI") && !shown.contains("hunter2"), "{shown}");
        }
    }
}
