//! Secrets that nobody has filled in.

use crate::error::RunError;
use crate::prepare::Prepared;

/// # Errors
/// When a secret that the run needs is still a placeholder: all that the load would measure is refusals.
pub(super) fn refuse_placeholders(prepared: &Prepared) -> Result<(), RunError> {
    let found = study::placeholder_secrets(&prepared.study, &prepared.secrets);
    if found.is_empty() { Ok(()) } else { Err(RunError::refused(found.join("\n"))) }
}
