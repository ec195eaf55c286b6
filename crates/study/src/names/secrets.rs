//! Secrets: from the environment, else from a file. Values never leave through `Debug` or `Display`.

use crate::model::SecretName;
use contract::{Mistake, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A secret file larger than this holds no secret.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// Where secrets come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SecretSource {
    /// The environment variable `X`, else the file named in `X_FILE`, else the file under `secrets`.
    #[default]
    Real,
    /// The same places, on the machine of the node of this name; what only others need may be missing there.
    OfNode(String),
    /// Nowhere: an archived study is judged. Environment and data files are not asked for either.
    Ignore,
}

/// The values of the secrets that a study names. Cannot be printed: `Debug` shows the names.
#[derive(Clone, Default)]
pub struct Secrets {
    values: BTreeMap<String, String>,
    /// Those that only a body file mentions: they are found when that file is read.
    late: Arc<Mutex<BTreeMap<String, String>>>,
    ignored: bool,
    /// Names of those that only others need, and that are not here.
    elsewhere: BTreeSet<String>,
}

/// What takes the place of a secret that is not here.
const STAND_IN: &str = "secret";

impl Secrets {
    /// No secrets; every one that is asked for is a placeholder. For judging, and for checks of form.
    pub fn ignored() -> Self {
        Self { ignored: true, ..Self::default() }
    }

    /// The value of a secret.
    pub fn get(&self, name: &str) -> Option<&str> {
        if self.ignored {
            return Some(STAND_IN);
        }
        let here = self.values.get(name).map(String::as_str);
        here.or_else(|| self.elsewhere.contains(name).then_some(STAND_IN))
    }

    /// Every value, for the search that makes sure none is written anywhere; those of body files once these were read.
    pub fn values(&self) -> Vec<String> {
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        self.values.values().chain(late.values()).cloned().collect()
    }

    /// Names and values of those that the study itself mentions.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of a secret that was not seen when the study was loaded: one that only a body file mentions.
    ///
    /// # Errors
    /// As [`Secrets::look_up`].
    pub(crate) fn get_late(&self, name: &str, place: Place) -> Result<String, Mistake> {
        if let Some(value) = self.get(name) {
            return Ok(value.to_owned());
        }
        let (value, _) = read(name, None, place)?;
        self.late.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), value.clone());
        Ok(value)
    }

    pub(crate) fn is_ignored(&self) -> bool {
        self.ignored
    }

    /// Looks a secret up. `file` is what the study says under `secrets`.
    ///
    /// # Errors
    /// None of the three places has it, or a file cannot be read.
    pub(crate) fn look_up(&mut self, name: &str, file: Option<&Path>, place: Place) -> Result<SecretName, Mistake> {
        let (value, source) = read(name, file, place)?;
        self.values.insert(name.to_owned(), value);
        Ok(SecretName { name: name.to_owned(), source })
    }
}

impl Secrets {
    /// A secret that only others need, and that is not here.
    pub(crate) fn stand_in(&mut self, name: &str) -> SecretName {
        self.elsewhere.insert(name.to_owned());
        SecretName { name: name.to_owned(), source: String::new() }
    }
}

fn read(name: &str, file: Option<&Path>, place: Place) -> Result<(String, String), Mistake> {
    if let Ok(value) = std::env::var(name) {
        return Ok((value, format!("environment {name}")));
    }
    let named = format!("{name}_FILE");
    if let Ok(path) = std::env::var(&named) {
        return Ok((read_file(name, Path::new(&path), place)?, format!("environment {named}")));
    }
    if let Some(path) = file {
        return Ok((read_file(name, path, place)?, "file".to_owned()));
    }
    Err(Mistake::at(place, "study::missing-secret", format!("the secret `{name}` is not set"))
        .label(format!("set `{name}` in the environment"))
        .hint(format!("or name its file: set `{name}_FILE`, or write `secrets: {{ {name}: {{ file: … }} }}`")))
}

/// Reads a secret file; one line end at its end does not belong to the secret.
fn read_file(name: &str, path: &Path, place: Place) -> Result<String, Mistake> {
    // The path may itself give something away, so the message names the secret only.
    let wrong =
        |why: String| Mistake::at(place, "study::missing-secret", format!("the file of the secret `{name}` {why}"));
    let text = contract::read_secret_file(path, FILE_BYTES_MAX).map_err(wrong)?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "s3cr3t\n").unwrap();
        let mut secrets = Secrets::default();
        let found = secrets.look_up("NO_SUCH_KEY", Some(&path), Place::default()).unwrap();
        assert_eq!(found.source, "file");
        assert_eq!(secrets.get("NO_SUCH_KEY"), Some("s3cr3t"));
        assert_eq!(format!("{secrets:?}"), r#"{"NO_SUCH_KEY"}"#);
        assert_eq!(secrets.look_up("NO_OTHER", None, Place::default()).unwrap_err().code, "study::missing-secret");
    }
}
