//! Secrets of which only a placeholder is there: reported by `check`, and refused by a run that needs them.

use crate::mentions;
use crate::model::{SecretName, Study};
use crate::names::secrets::Secrets;
use contract::{Mistake, Node};

/// What the file of a secret holds until somebody has filled it in.
pub const SECRET_PLACEHOLDER: &str = "to-be-written";

/// What to do about each secret that a run needs and that nobody has filled in. All that its load would show is refusals.
pub fn placeholder_secrets(study: &Study, secrets: &Secrets) -> Vec<String> {
    let found: Vec<&SecretName> = unfilled(study, secrets).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let needed = mentions::secrets_needed(study);
    let found = found.into_iter().filter(|secret| needed.contains(&secret.name));
    found.map(|secret| format!("{}: {}", message(secret), what_to_do(study, secret))).collect()
}

/// Reports the secrets that nobody has filled in.
pub(crate) fn warn(study: &mut Study, secrets: &Secrets) {
    let warning = |secret: &SecretName| {
        let warning = match file_of(study, secret) {
            Some(file) => {
                Mistake::at(file.place, "study::placeholder-secret", message(secret)).label("put it in this file")
            }
            None => Mistake::nowhere("study::placeholder-secret", message(secret)),
        };
        warning.hint(format!("{}\na run that needs it is refused until then", what_to_do(study, secret)))
    };
    let warnings: Vec<Mistake> = unfilled(study, secrets).map(warning).collect();
    study.warnings.extend(warnings);
}

fn unfilled<'a>(study: &'a Study, secrets: &'a Secrets) -> impl Iterator<Item = &'a SecretName> {
    let is_placeholder =
        |name: &str| secrets.named().any(|(known, value)| known == name && value.trim() == SECRET_PLACEHOLDER);
    study.secrets.iter().filter(move |secret| is_placeholder(&secret.name))
}

/// Where the study names the file that the secret was read from; `None` where it comes from the environment.
fn file_of<'a>(study: &'a Study, secret: &SecretName) -> Option<&'a Node> {
    let root = study.source.root.as_ref().filter(|_| secret.source.starts_with("file "))?;
    root.get("secrets")?.get(&secret.name)?.get("file")
}

fn message(secret: &SecretName) -> String {
    format!("the secret `{}` has not been filled in", secret.name)
}

fn what_to_do(study: &Study, SecretName { name, source }: &SecretName) -> String {
    let (place, also) = match (source.strip_prefix("file "), source.strip_prefix("environment ")) {
        (Some(file), _) => {
            (format!("`{}`", study.base.join(file).display()), format!(", or set `{name}` in the environment"))
        }
        (None, Some(variable)) if variable != name => (format!("the file that `{variable}` names"), String::new()),
        _ => {
            return format!(
                "the environment variable `{name}` is `{SECRET_PLACEHOLDER}`, which stands for a secret that is still to be \
                 written; set it to the secret"
            );
        }
    };
    format!("{place} still holds the placeholder that `loadproof new --from` wrote; replace it with the secret{also}")
}
