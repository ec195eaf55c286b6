//! Whether crates, documents and code agree. Each check is one function from a [`Tree`] to its problems.

mod assessments;
mod comments;
mod crates;
mod documents;
mod names;
mod plugins;
mod sources;

use crate::tree::Tree;
use anyhow::Result;

/// All problems, one line each: place, what was found, what to do.
///
/// # Errors
/// When the repository cannot be read at all.
pub fn problems(tree: &Tree) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    problems.extend(assessments::check(tree)?);
    problems.extend(comments::check(tree)?);
    problems.extend(crates::check(tree)?);
    problems.extend(plugins::check(tree)?);
    problems.extend(names::check(tree)?);
    problems.extend(sources::check(tree)?);
    problems.extend(documents::check(tree)?);
    Ok(problems)
}
