//! The message catalogue and the code agree, in both directions, and with the judge's list of codes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All source text of the crate.
fn code() -> String {
    let mut files = Vec::new();
    sources(&root().join("src"), &mut files);
    files.sort();
    files.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Messages of a language in their order: key, or `key.attribute`, and its pattern as it stands in the file.
fn messages(language: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join(format!("messages/{language}.ftl"))).unwrap();
    let (mut found, mut last): (Vec<(String, String)>, _) = (Vec::new(), String::new());
    for line in text.lines() {
        let rest = || line.split_once('=').map_or("", |(_, rest)| rest).trim().to_owned();
        if let Some(attribute) = line.trim_start().strip_prefix('.').filter(|_| line.starts_with(' ')) {
            let name = attribute.split([' ', '=']).next().unwrap();
            found.push((format!("{last}.{name}"), rest()));
        } else if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            last = line.split([' ', '=']).next().unwrap().to_owned();
            found.push((last.clone(), rest()));
        } else if !line.starts_with('#')
            && let Some((_, pattern)) = found.last_mut()
        {
            pattern.push('\n');
            pattern.push_str(line);
        }
    }
    found
}

/// Keys of the catalogue, and `key.attribute`.
fn keys() -> BTreeSet<String> {
    messages("en").into_iter().map(|(key, _)| key).collect()
}

/// Arguments of a pattern. The number that only chooses a plural form is not an argument of its own.
fn arguments(pattern: &str) -> BTreeSet<String> {
    let named = pattern.split('$').skip(1);
    let names = named.map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap());
    names.map(|name| name.strip_suffix("_n").unwrap_or(name).to_owned()).collect()
}

/// What a pattern distinguishes by words: `[service]`; plural forms differ between languages.
fn variants(pattern: &str) -> BTreeSet<String> {
    let heads = pattern.lines().filter_map(|line| line.trim_start_matches([' ', '*']).strip_prefix('['));
    let names = heads.filter_map(|rest| rest.split_once(']')).map(|(name, _)| name.to_owned());
    names.filter(|name| !["one", "other", "0"].contains(&name.as_str())).collect()
}

/// Every quoted word in the code that looks like a key.
fn quoted(code: &str) -> BTreeSet<String> {
    let is_key =
        |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    code.split('"').filter(is_key).map(str::to_owned).collect()
}

/// Where the bracket closes that a call opened, brackets within texts left out.
fn end_of_call(code: &str) -> usize {
    let (mut depth, mut is_text, mut is_escaped) = (1_usize, false, false);
    for (at, c) in code.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            '(' if !is_text => depth += 1,
            ')' if !is_text => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    code.len()
}

#[test]
fn a_call_ends_at_its_own_bracket() {
    let code = r#"m, key, a = f(")")); format!("{reading} {}", say!(m, "x"))"#;
    assert_eq!(&code[..end_of_call(code)], r#"m, key, a = f(")")"#);
}

/// Rules of the judge are named where figures and chapters link what bears on them. One that does not exist links nothing,
/// and nobody would see it.
#[test]
fn rules_that_the_code_names_are_those_of_the_judge() {
    let code = code();
    let is_rule = |word: &&str| {
        word.len() > 2
            && word.chars().all(|c| c.is_ascii_uppercase() || c == '-')
            && !word.ends_with('-')
            && *word != "AAA"
    };
    let named: BTreeSet<&str> = code.split('"').filter(is_rule).collect();
    assert!(named.len() > 15, "only {} were found: the test looks for them in the wrong way", named.len());
    for rule in named {
        assert!(judge::catalogue::FINDINGS.iter().any(|(known, _)| *known == rule), "`{rule}` is not a rule");
    }
}

/// A note that speaks of a column calls it what its heading does.
#[test]
fn notes_name_columns_as_they_are_headed() {
    for (language, open, close) in [("en", '“', '”'), ("nl", '“', '”'), ("da", '»', '«')] {
        let all = messages(language);
        let of = |key: &str| all.iter().find(|(known, _)| known == key).map(|(_, pattern)| pattern.clone()).unwrap();
        let heading = format!("{open}{}{close}", of("col-run-time"));
        assert!(of("note-runs").contains(&heading), "{language}: {heading}");
    }
}

#[test]
fn every_key_that_the_code_says_exists() {
    let (keys, code) = (keys(), code());
    let mut said = 0;
    for part in code.split("say!(").skip(1) {
        // Not past its own end: behind it stand texts of other things.
        let part = &part[..end_of_call(part)];
        let Some(key) = part.split('"').nth(1) else { continue };
        // The second argument is the key when it is a literal.
        if part.split('"').next().is_some_and(|before| before.matches(',').count() == 1) {
            assert!(keys.contains(key), "`{key}` is stated and not in the catalogue");
            said += 1;
        }
    }
    assert!(said > 150, "only {said} keys were found in the code: the test looks for them in the wrong way");
}

#[test]
fn every_key_of_the_catalogue_is_said() {
    let quoted = quoted(&code());
    let from_codes = ["reason-", "sign-", "finding-", "setting-", "term-"];
    for key in keys().iter().filter(|key| !key.contains('.')) {
        let is_coded = from_codes.iter().any(|prefix| key.starts_with(prefix));
        assert!(is_coded || quoted.contains(key), "`{key}` is in the catalogue and nothing says it");
    }
}

#[test]
fn coded_keys_are_those_of_the_judge() {
    let keys = keys();
    let mut wanted = BTreeSet::new();
    wanted.extend(judge::catalogue::REASONS.iter().map(|(code, _)| format!("reason-{code}")));
    wanted.extend(
        judge::catalogue::SIGNS.iter().flat_map(|(code, _)| [format!("sign-{code}"), format!("sign-{code}.name")]),
    );
    wanted.extend(
        judge::catalogue::FINDINGS
            .iter()
            .flat_map(|(rule, _)| ["", ".seen", ".means", ".do"].map(|part| format!("finding-{rule}{part}"))),
    );
    wanted.extend(judge::catalogue::SETTINGS.iter().map(|name| format!("setting-{name}")));
    let coded = ["reason-", "sign-", "finding-", "setting-"];
    let has: BTreeSet<String> = keys
        .into_iter()
        .filter(|key| coded.iter().any(|prefix| key.starts_with(prefix)) && key != "finding-unknown-means")
        .collect();
    let missing: Vec<_> = wanted.difference(&has).collect();
    let unused: Vec<_> = has.difference(&wanted).collect();
    assert!(missing.is_empty() && unused.is_empty(), "missing: {missing:?}; never said by the judge: {unused:?}");
}

#[test]
fn every_language_has_the_same_messages_with_the_same_arguments() {
    let english = messages("en");
    for language in report::LANGUAGES {
        let theirs = messages(language);
        let order = |messages: &[(String, String)]| messages.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
        let missing: Vec<_> = order(&english).into_iter().filter(|key| !order(&theirs).contains(key)).collect();
        let unknown: Vec<_> = order(&theirs).into_iter().filter(|key| !order(&english).contains(key)).collect();
        assert!(missing.is_empty() && unknown.is_empty(), "{language}: missing {missing:?}, unknown {unknown:?}");
        for (key, pattern) in &english {
            let (_, said) = theirs.iter().find(|(known, _)| known == key).unwrap();
            assert_eq!(arguments(pattern), arguments(said), "arguments of `{key}` in `{language}`");
            assert_eq!(variants(pattern), variants(said), "variants of `{key}` in `{language}`");
            if pattern.split(' ').count() > 3 {
                assert_eq!(pattern.ends_with('.'), said.ends_with('.'), "`{key}` in `{language}`");
            }
        }
    }
}

/// Long sentences that read the same in two languages were forgotten, not translated.
#[test]
fn no_sentence_was_left_in_another_language() {
    let all: Vec<_> = report::LANGUAGES.iter().map(|language| (language, messages(language))).collect();
    for (language, ours) in &all {
        for (other, theirs) in all.iter().filter(|(other, _)| other != language) {
            for (key, pattern) in ours.iter().filter(|(_, pattern)| pattern.split(' ').count() > 4) {
                let same = theirs.iter().any(|(known, said)| known == key && said == pattern);
                // Made of arguments only.
                assert!(!same || key == "code-with-args" || key == "author-link", "`{key}`: {language} is {other}");
            }
        }
    }
}

/// Quotation marks, decimal signs and percent signs are those of the language.
#[test]
fn each_language_is_set_as_its_readers_expect() {
    // A blank or nothing in its own braces is how a pattern keeps its blanks.
    let printed = |pattern: &str| pattern.replace("{ \" \" }", " ").replace("{ \"\" }", "");
    for (key, pattern) in messages("en").iter().chain(&messages("nl")) {
        let pattern = printed(pattern);
        assert!(!pattern.contains(['»', '«', '"']), "`{key}`: {pattern}");
    }
    for (key, pattern) in messages("da") {
        let pattern = printed(&pattern);
        assert!(!pattern.contains(['“', '”', '"']), "`{key}`: {pattern}");
        let mut digits =
            pattern.match_indices('%').filter(|(at, _)| pattern[..*at].ends_with(|c: char| c.is_ascii_digit()));
        assert_eq!(digits.next(), None, "`{key}`: {pattern}");
    }
}
