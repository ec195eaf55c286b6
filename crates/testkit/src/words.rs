//! The words that a plug-in brings: the same messages in every language of reports, each of something that it has.

use contract::{Catalogues, DriverKind, FactKind, LANGUAGES, MonitorKind, message_id};
use fluent_syntax::ast::{Entry, Pattern, PatternElement};
use std::collections::BTreeSet;

/// Checks the words of a driver: one for each of its features and counters.
///
/// # Panics
/// With everything that is missing, superfluous or cannot be read.
#[track_caller]
pub fn of_driver(kind: &DriverKind) {
    let owed = |of: &'static str, names: &'static [&'static str]| names.iter().map(move |name| message_id(of, name));
    let owed = owed("feature", kind.features).chain(owed("counter", kind.counters));
    refuse(kind.name, &problems(kind.messages, &[], &[], owed.collect()));
}

/// Checks the words of a monitor: one for each fact that it declares and for each of their values that are words; of its
/// metrics those that have one.
///
/// # Panics
/// As [`of_driver`].
#[track_caller]
pub fn of_monitor(kind: &MonitorKind) {
    let metrics: Vec<&str> = kind.metrics.iter().map(|metric| metric.name).collect();
    refuse(kind.name, &problems(kind.messages, &metrics, kind.facts, BTreeSet::new()));
}

#[track_caller]
fn refuse(name: &str, problems: &[String]) {
    assert!(problems.is_empty(), "words of `{name}`:\n{}", problems.join("\n"));
}

/// `owed`: the messages that there must be beside those of the facts.
fn problems(messages: Catalogues, metrics: &[&str], facts: &[FactKind], mut owed: BTreeSet<String>) -> Vec<String> {
    for fact in facts.iter().filter(|fact| !fact.is_verbatim) {
        let id = message_id("fact", fact.name);
        owed.extend(fact.values.iter().map(|(attribute, _)| format!("{id}.{attribute}")));
        owed.insert(id);
    }
    if messages.is_empty() && owed.is_empty() {
        return Vec::new();
    }
    let may_be: BTreeSet<String> = metrics.iter().map(|name| message_id("metric", name)).collect();
    let mut problems = Vec::new();
    let mut english: Option<BTreeSet<String>> = None;
    for language in LANGUAGES {
        let Some((_, text)) = messages.iter().find(|(tag, _)| *tag == language) else {
            problems.push(format!("{language}: the catalogue is missing"));
            continue;
        };
        let ids = ids(text, language, &mut problems);
        problems.extend(owed.difference(&ids).map(|id| format!("{language}: `{id}` is missing")));
        let is_unknown = |id: &&String| !owed.contains(*id) && !may_be.contains(*id);
        problems.extend(ids.iter().filter(is_unknown).map(|id| format!("{language}: nothing is called `{id}`")));
        let first = english.get_or_insert_with(|| ids.clone());
        problems
            .extend(first.symmetric_difference(&ids).map(|id| format!("{language}: `{id}` is not in all languages")));
    }
    problems
}

/// Messages of a catalogue, and their attributes as `message.attribute`.
fn ids(text: &str, language: &str, problems: &mut Vec<String>) -> BTreeSet<String> {
    let (resource, errors) = match fluent_syntax::parser::parse(text) {
        Ok(resource) => (resource, Vec::new()),
        Err(found) => found,
    };
    problems.extend(errors.iter().map(|error| format!("{language}: cannot be read: {error}")));
    let mut ids = BTreeSet::new();
    for entry in &resource.body {
        let Entry::Message(message) = entry else { continue };
        let id = message.id.name.to_owned();
        let attributes = message.attributes.iter();
        let all = attributes.map(|own| (format!("{id}.{}", own.id.name), &own.value));
        for (id, pattern) in message.value.iter().map(|pattern| (id.clone(), pattern)).chain(all) {
            if !is_plain(pattern) {
                problems.push(format!("{language}: `{id}` takes an argument, and is given none"));
            }
            if !ids.insert(id.clone()) {
                problems.push(format!("{language}: `{id}` stands twice"));
            }
        }
    }
    ids
}

/// Whether a pattern is text; `{ " " }` keeps a blank and is text, too.
fn is_plain(pattern: &Pattern<&str>) -> bool {
    use fluent_syntax::ast::{Expression, InlineExpression};
    pattern.elements.iter().all(|element| match element {
        PatternElement::TextElement { .. } => true,
        PatternElement::Placeable { expression } => {
            matches!(expression, Expression::Inline(InlineExpression::StringLiteral { .. }))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: &[FactKind] = &[FactKind::new("clock source").with_values(&[("none", "there is none")])];

    #[test]
    fn whole_words_are_in_order_and_a_plug_in_without_any_owes_none() {
        const WORDS: &str = "metric-cpu = a\nfact-clock-source = b\n    .none = c\n";
        assert!(problems(&[("en", WORDS), ("nl", WORDS), ("da", WORDS)], &["cpu"], FACTS, BTreeSet::new()).is_empty());
        assert!(problems(&[], &["cpu"], &[], BTreeSet::new()).is_empty());
    }

    #[test]
    fn what_is_missing_superfluous_or_broken_is_said() {
        const WORDS: Catalogues = &[
            ("en", "fact-clock-source = b\n    .none = c\nmetric-cpu = a\n"),
            ("nl", "fact-clock-source = b { $x }\nmetric-rss = a\nmetric-rss = a\n="),
        ];
        let found = problems(WORDS, &["cpu"], FACTS, BTreeSet::from(["feature-payload".to_owned()])).join("\n");
        for part in [
            "en: `feature-payload` is missing",
            "nl: `fact-clock-source.none` is missing",
            "nl: `fact-clock-source` takes an argument",
            "nl: nothing is called `metric-rss`",
            "nl: `metric-rss` stands twice",
            "nl: `metric-cpu` is not in all languages",
            "nl: cannot be read",
            "da: the catalogue is missing",
        ] {
            assert!(found.contains(part), "{part}:\n{found}");
        }
    }
}
