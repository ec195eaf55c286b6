//! Whatever a file holds, reading it ends with a study or with mistakes at places inside the text.

use super::fakes::{archived, load_in};
use super::samples::{FULL, QUICKSTART};
use super::yaml::same;
use crate::Options;
use contract::Mistakes;
use proptest::prelude::*;
use std::path::Path;

fn never_panics(text: &str) {
    for options in [Options::default(), archived()] {
        match load_in(Path::new("/nonexistent"), text, &options) {
            Ok((study, _)) => {
                drop(crate::load_tables(&study));
                match load_in(Path::new("/elsewhere"), &study.effective, &archived()) {
                    Ok((again, _)) => assert_eq!(again.effective, study.effective),
                    Err(rejected) => panic!("{rejected}\n{}", study.effective),
                }
            }
            Err(rejected) => {
                assert!(!rejected.mistakes.is_empty());
                assert!(!rejected.to_string().is_empty());
                for mistake in &rejected.mistakes.0 {
                    assert!(mistake.code.contains("::"), "{}", mistake.code);
                }
            }
        }
    }
}

/// Replaces, doubles or removes a piece of a sample, at character boundaries.
fn mutated(sample: &str, edits: &[(prop::sample::Index, prop::sample::Index, String)]) -> String {
    let mut characters: Vec<char> = sample.chars().collect();
    for (from, length, with) in edits {
        let from = from.index(characters.len() + 1);
        let to = (from + length.index(12)).min(characters.len());
        characters.splice(from..to, with.chars());
    }
    characters.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        never_panics(&text);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        never_panics(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn texts_of_yaml_signs_are_read_or_refused(text in "[-a:{}\\[\\]&*!|>'\"%@`#?, \n$()=.0-9]{0,120}") {
        never_panics(&text);
        never_panics(&format!("study: {text}\nexchanges:\n  a: {text}\nscenarios:\n  b: {text}\n"));
    }

    #[test]
    fn damaged_studies_are_read_or_refused(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), "[-a-z:{}\\[\\]&*'\"#?, \n$()=.0-9/%]{0,6}"), 1..6),
        is_full in any::<bool>(),
    ) {
        never_panics(&mutated(if is_full { FULL } else { QUICKSTART }, &edits));
    }

    #[test]
    fn rules_and_expressions_are_read_or_refused(rule in "[a-z0-9 .()<>=*/+$%,:-]{0,60}") {
        let quoted = rule.replace('\'', "''");
        never_panics(&format!("{QUICKSTART}  more: '{quoted}'\nvars: {{ x: '$({quoted})' }}\n"));
        never_panics(&QUICKSTART.replace("status = 200", &format!("'{quoted}'")));
    }

    /// Every list and map that can be read is written so that it reads back.
    #[test]
    fn emitted_trees_read_back(text in "[-a:{}\\[\\]&*'\"#?, \n0-9é~]{0,80}") {
        let mut mistakes = Mistakes::default();
        if let Some(tree) = crate::syntax::yaml::parse(0, &text, &mut mistakes)
            && mistakes.is_empty()
            && tree.text().is_none()
        {
            let emitted = crate::syntax::emit::yaml(&tree);
            let again = crate::syntax::yaml::parse(0, &emitted, &mut mistakes);
            prop_assert!(again.is_some_and(|again| same(&tree, &again)), "{emitted}");
        }
    }
}
