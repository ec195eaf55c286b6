//! What a plug-in calls its metrics, facts and features in a report, in every language of reports.

use crate::FactRole;

/// Languages that reports are written in.
pub const LANGUAGES: [&str; 3] = ["en", "nl", "da"];

/// The words of a plug-in: for each language its tag (`en`) and a catalogue in the syntax of Fluent. [`messages!`] brings
/// them from the plug-in's folder.
///
/// A catalogue belongs to its plug-in alone, so no id can collide with another's: `metric-cpu` for the metric `cpu`,
/// `fact-clock-source` for the fact `clock source`, with an attribute for each value that is words, `feature-payload` for
/// the feature `payload`, `counter-connects` for the counter `connects` of a driver. What has no word is printed under its own name; `testkit::words` checks the rest.
pub type Catalogues = &'static [(&'static str, &'static str)];

/// The catalogues `messages/en.ftl`, `nl.ftl` and `da.ftl` of the crate in which this stands, as [`Catalogues`].
#[macro_export]
macro_rules! messages {
    () => {
        &[
            ("en", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/messages/en.ftl"))),
            ("nl", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/messages/nl.ftl"))),
            ("da", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/messages/da.ftl"))),
        ]
    };
}

/// A fact that a monitor has a word for, or that has a role. Others, such as a setting by its own name, are printed and
/// compared as they were captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactKind {
    /// Its name, as in [`crate::Facts::fact`]: `clock source`.
    pub name: &'static str,
    /// Those of its values that are words: the attribute of the fact's message that says each, and the text captured.
    pub values: &'static [(&'static str, &'static str)],
    /// Whether its name is printed as it is, in every language: a setting of a server.
    pub is_verbatim: bool,
    /// What it says, if judging and drawing treat it in a way of its own.
    pub role: Option<FactRole>,
}

impl FactKind {
    /// A fact whose values are numbers and names, the same in every language.
    pub const fn new(name: &'static str) -> Self {
        Self { name, values: &[], is_verbatim: false, role: None }
    }

    /// A fact whose name is the same in every language.
    pub const fn verbatim(name: &'static str) -> Self {
        Self { is_verbatim: true, ..Self::new(name) }
    }

    /// The same, with values that are words.
    #[must_use]
    pub const fn with_values(self, values: &'static [(&'static str, &'static str)]) -> Self {
        Self { values, ..self }
    }

    /// The same, in a role.
    #[must_use]
    pub const fn with_role(self, role: FactRole) -> Self {
        Self { role: Some(role), ..self }
    }
}

/// The id of the message that says what something is called: `fact-clock-source` of `fact` and `clock source`.
pub fn message_id(of: &str, name: &str) -> String {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<&str> = name.split(|c| !is_letter(c)).filter(|word| !word.is_empty()).collect();
    format!("{of}-{}", words.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_made_of_the_words_of_a_name() {
        assert_eq!(message_id("metric", "heap_used"), "metric-heap_used");
        assert_eq!(message_id("fact", "descriptors, soft limit"), "fact-descriptors-soft-limit");
        assert_eq!(message_id("feature", "two-way TLS"), "feature-two-way-TLS");
    }
}
