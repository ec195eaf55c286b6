//! Why the system could not be started.

use contract::Mistake;
use std::fmt;

/// Why the system could not be started. Whatever had been started by then is ended again.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// Something in the study is wrong, with its place: a circle of `needs`, a program that does not exist, an unknown
    /// name.
    #[error("{}", .0.message)]
    Mistake(Box<Mistake>),
    /// An instance did not become ready: it ended, or did not answer in time.
    #[error("`{instance}` {text}{}", Tail(.tail))]
    NotReady {
        instance: String,
        /// What happened, and what to do.
        text: String,
        /// The last lines that it wrote; empty when it wrote nothing, or is not ours.
        tail: Vec<String>,
    },
    /// Something answers, and it is not what the study means. No load may go there.
    #[error("`{instance}` at `{address}` is not the one meant: {expected}, but {found}")]
    NotTheOneMeant {
        instance: String,
        /// Where it was asked.
        address: String,
        /// What was expected, with its source.
        expected: String,
        /// What was found instead.
        found: String,
    },
    /// Nobody answers who could say what it is.
    #[error("`{instance}` at `{address}` does not say who it is: {found}")]
    Silent {
        instance: String,
        /// Where it was asked.
        address: String,
        /// What became of the question.
        found: String,
    },
    /// The user asked to stop while the system was starting.
    #[error("stopped while `{instance}` was starting")]
    Interrupted {
        /// The instance that was starting.
        instance: String,
    },
}

impl From<Mistake> for LaunchError {
    fn from(mistake: Mistake) -> Self {
        Self::Mistake(Box::new(mistake))
    }
}

struct Tail<'a>(&'a [String]);

impl fmt::Display for Tail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(f, "\nits last lines were:")?;
        self.0.iter().try_for_each(|line| write!(f, "\n  | {line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_show_the_last_lines_and_what_was_found() {
        let tail = vec!["reading settings".to_owned(), "no such table".to_owned()];
        let error = LaunchError::NotReady { instance: "shop".into(), text: "ended with exit code 3".into(), tail };
        assert_eq!(
            error.to_string(),
            "`shop` ended with exit code 3\nits last lines were:\n  | reading settings\n  | no such table"
        );
        let error = LaunchError::NotTheOneMeant {
            instance: "shop".into(),
            address: "http://127.0.0.1:8080/version".into(),
            expected: "`name` should be `shop`".into(),
            found: "it is `stock`".into(),
        };
        assert_eq!(
            error.to_string(),
            "`shop` at `http://127.0.0.1:8080/version` is not the one meant: `name` should be `shop`, but it is `stock`"
        );
    }
}
