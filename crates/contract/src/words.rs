//! What a plug-in calls its metrics, facts and features in a report, in every language of reports.

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
