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

/// Keys of the catalogue, and `key.attribute`.
fn keys() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("messages/en.ftl")).unwrap();
    let (mut keys, mut last) = (BTreeSet::new(), String::new());
    for line in text.lines() {
        if let Some(attribute) = line.trim_start().strip_prefix('.').filter(|_| line.starts_with(' ')) {
            let name = attribute.split([' ', '=']).next().unwrap();
            keys.insert(format!("{last}.{name}"));
        } else if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            last = line.split([' ', '=']).next().unwrap().to_owned();
            keys.insert(last.clone());
        }
    }
    keys
}

/// Every quoted word in the code that looks like a key.
fn quoted(code: &str) -> BTreeSet<String> {
    let is_key =
        |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    code.split('"').filter(is_key).map(str::to_owned).collect()
}

#[test]
fn every_key_that_the_code_says_exists() {
    let (keys, code) = (keys(), code());
    let mut said = 0;
    for part in code.split("say!(").skip(1) {
        let Some(key) = part.split('"').nth(1) else { continue };
        // The second argument is the key when it is a literal.
        if part.split('"').next().is_some_and(|before| before.matches(',').count() == 1) {
            assert!(keys.contains(key), "`{key}` is said and not in the catalogue");
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
    wanted.extend(judge::catalogue::FINDINGS.iter().flat_map(|(rule, _)| {
        [format!("finding-{rule}"), format!("finding-{rule}.seen"), format!("finding-{rule}.means")]
    }));
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
