//! Pages against code and against each other: links lead somewhere, chapters are linked, codes and rules are explained,
//! generated parts are fresh.

use crate::pages::{CATALOGUE, JUDGEMENT};
use crate::tree::Tree;
use crate::{constants, pages, rules, schema};
use anyhow::Result;
use std::collections::BTreeSet;

/// Folders of pages whose index must link every page.
const INDEXED: [&str; 3] = ["docs/guide", "docs/methods", "docs/decisions"];
/// Where codes of mistakes come from: `study::…`, `launch::…`, and each driver's and monitor's own.
const CODES_OF: [&str; 3] = ["crates", "drivers", "monitors"];

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let mut problems = links(tree)?;
    for folder in INDEXED {
        problems.extend(index(tree, folder)?);
    }
    problems.extend(codes(tree)?);
    problems.extend(generated(tree)?);
    problems.extend(judgement(tree)?);
    problems.extend(published_schema(tree));
    Ok(problems)
}

/// Links to files of the repository lead somewhere.
fn links(tree: &Tree) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for page in tree.files(&["md"]) {
        let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in links_of(&tree.read(&page)?) {
            let path = link.split('#').next().unwrap_or_default();
            let is_elsewhere = path.is_empty() || path.contains(':') || path.starts_with('<');
            if !is_elsewhere && !tree.has(format!("{folder}/{path}").trim_start_matches('/')) {
                problems.push(format!("{page}: the link `{link}` leads nowhere"));
            }
        }
    }
    Ok(problems)
}

/// Targets of `[text](target)` outside code.
fn links_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        // Every second piece stands between backticks; the target of a link whose text is code stands behind them.
        for piece in line.split('`').step_by(2) {
            found.extend(piece.split("](").skip(1).filter_map(|rest| rest.split(')').next()).map(str::to_owned));
        }
    }
    found
}

/// Every page of a folder is linked from its `README.md`.
fn index(tree: &Tree, folder: &str) -> Result<Vec<String>> {
    let index = format!("{folder}/README.md");
    let linked = links_of(&tree.read(&index)?);
    let pages =
        tree.files(&["md"]).into_iter().filter(|page| page.starts_with(&format!("{folder}/")) && *page != index);
    let missing = pages.filter(|page| !linked.iter().any(|link| format!("{folder}/{link}") == *page));
    Ok(missing.map(|page| format!("{index}: `{page}` is not linked")).collect())
}

/// Every code of a mistake has its words in the guide.
fn codes(tree: &Tree) -> Result<Vec<String>> {
    let mut guide = String::new();
    for page in tree.files(&["md"]).iter().filter(|page| page.starts_with("docs/guide/")) {
        guide += &tree.read(page)?;
    }
    let mut found = BTreeSet::new();
    for path in tree.files(&["rs"]) {
        let is_code = CODES_OF.iter().any(|folder| path.starts_with(&format!("{folder}/"))) && path.contains("/src/");
        if is_code && !path.ends_with("tests.rs") && !path.contains("/tests/") && !path.contains("/testkit/") {
            let text = tree.read(&path)?;
            let code = text.split_once("#[cfg(test)]\nmod tests {").map_or(text.as_str(), |(code, _)| code);
            found.extend(codes_of(code));
        }
    }
    let missing = found.into_iter().filter(|code| !guide.contains(&format!("`{code}`")));
    Ok(missing.map(|code| format!("docs/guide: no chapter explains `{code}`")).collect())
}

/// Literals such as `"study::unknown-key"`.
fn codes_of(text: &str) -> Vec<String> {
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '_');
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let literals = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
    literals
        .filter(|literal| literal.split_once("::").is_some_and(|(of, name)| is_word(of) && is_word(name)))
        .map(str::to_owned)
        .collect()
}

/// Generated parts are fresh.
fn generated(tree: &Tree) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for page in pages::pages() {
        match pages::renewed(tree, page) {
            Ok(fresh) if fresh == tree.read(page)? => {}
            Ok(_) => problems.push(format!("{page}: differs from what it is made of; type `cargo xtask pages`")),
            Err(error) => problems.push(format!("{page}: {error:#}")),
        }
    }
    Ok(problems)
}

/// The chapter on judgement: every sign and rule explained, no rule that is gone.
fn judgement(tree: &Tree) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let page = tree.read(JUDGEMENT)?;
    let catalogue = tree.read(CATALOGUE)?;
    let has_row = |code: &String| page.contains(&format!("| `{code}` |"));
    for reason in constants::codes(&catalogue, "REASONS").iter().filter(|reason| !has_row(reason)) {
        problems.push(format!("{JUDGEMENT}: no table has the reason `{reason}`"));
    }
    if rules::rules(tree)?.is_empty() {
        problems.push(format!("{}: declares no rule any more; xtask looks for them there", rules::FINDINGS));
    }
    Ok(problems)
}

fn published_schema(tree: &Tree) -> Option<String> {
    let fresh = match schema::printed(tree) {
        Ok(fresh) => fresh,
        Err(error) => return Some(format!("{}: cannot be checked: {error:#}", schema::PATH)),
    };
    let is_fresh = tree.read(schema::PATH).is_ok_and(|published| published == fresh);
    (!is_fresh).then(|| format!("{}: differs from `loadproof schema`; type `cargo xtask schema`", schema::PATH))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn a_link_to_nowhere_is_found_and_code_is_no_link() {
        let page = "[a](b.md#part) [c](gone.md) `[d](e)` [`f`](g.md) [h](https://example.org)\n```\n[i](j)\n```\n";
        let (_guard, tree) = tree(&[("docs/a.md", page), ("docs/b.md", "")]);
        let found = links(&tree).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("`gone.md`") && found[1].contains("`g.md`"), "{found:?}");
    }

    #[test]
    fn a_page_that_its_index_does_not_link_is_found() {
        let (_guard, tree) =
            tree(&[("docs/guide/README.md", "[1](1.md)"), ("docs/guide/1.md", ""), ("docs/guide/2.md", "")]);
        assert_eq!(index(&tree, "docs/guide").unwrap(), ["docs/guide/README.md: `docs/guide/2.md` is not linked"]);
    }

    #[test]
    fn a_code_without_words_is_found_and_one_of_a_test_is_not() {
        let source = "f(\"study::known\"); g(\"http::new-one\"); h(\"std::fs::read\");\n#[cfg(test)]\nmod tests {\n \"study::test\" }";
        let (_guard, tree) = tree(&[("crates/a/src/b.rs", source), ("docs/guide/2.md", "`study::known` is …")]);
        assert_eq!(codes(&tree).unwrap(), ["docs/guide: no chapter explains `http::new-one`"]);
    }

    #[test]
    fn what_the_code_has_and_the_page_has_not_is_found() {
        let catalogue = "const REASONS: &[Entry] = &[\n    (\"census\", &[]),\n];\n";
        let (_guard, tree) = tree(&[(JUDGEMENT, "stale"), (CATALOGUE, catalogue), (crate::pages::VALIDITY, "")]);
        let found = [generated(&tree).unwrap(), judgement(&tree).unwrap()].concat().join("\n");
        for part in ["reason `census`", "07-judgement.md` lacks the marks", "02-the-study-file.md", "declares no rule"]
        {
            assert!(found.contains(part), "{part}: {found}");
        }
    }
}
