//! The chapter of the guide: its examples are right, and its tables are those of the code.

use super::fakes::load_in;
use crate::{CODES, NOT_YET, Options};
use std::path::PathBuf;

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/02-the-study-file.md")
}

/// Text for one cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn codes() -> String {
    let rows: String = CODES.iter().map(|(code, about)| format!("| `{code}` | {} |\n", cell(about))).collect();
    format!("| Code | Meaning |\n| --- | --- |\n{rows}")
}

fn not_yet() -> String {
    let rows: String = NOT_YET.iter().map(|(word, about)| format!("| `{word}` | {} |\n", cell(about))).collect();
    format!("| Word | What it would do |\n| --- | --- |\n{rows}")
}

fn with_part(page: &str, name: &str, part: &str) -> String {
    let (first, last) = (format!("<!-- generated: {name} -->"), format!("<!-- end of {name} -->"));
    let (before, rest) = page.split_once(&first).expect("the page has the mark");
    let (_, after) = rest.split_once(&last).expect("the page has the mark of the end");
    format!("{before}{first}\n{part}{last}{after}")
}

/// `UPDATE_GUIDE=1 cargo test -p study guide` writes the tables.
#[test]
fn tables_of_the_guide_are_those_of_the_code() {
    let text = std::fs::read_to_string(page()).unwrap();
    let fresh = with_part(&with_part(&text, "codes", &codes()), "not yet", &not_yet());
    if std::env::var_os("UPDATE_GUIDE").is_some() {
        std::fs::write(page(), &fresh).unwrap();
    }
    assert_eq!(std::fs::read_to_string(page()).unwrap(), fresh, "run `UPDATE_GUIDE=1 cargo test -p study guide`");
}

/// Every example is a study, or becomes one with what the chapter's first example has.
#[test]
fn examples_of_the_guide_are_right() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/users.csv"), "id\n1\n").unwrap();
    std::fs::write(folder.path().join("data/keys.jsonl"), "{\"id\": 1}\n").unwrap();
    std::fs::write(folder.path().join("data/cards.csv"), "id\n1\n").unwrap();
    let text = std::fs::read_to_string(page()).unwrap();
    let script = text.split("```rust\n").nth(1).unwrap().split("```").next().unwrap();
    std::fs::write(folder.path().join("data/sign.rhai"), script).unwrap();
    let examples: Vec<&str> = text.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 8);
    for example in &examples {
        let mut whole = String::new();
        // Keys of the first example that this one has not.
        let mut keep = true;
        for line in examples[0].lines() {
            if !line.starts_with(' ') {
                let key = line.split(':').next().unwrap();
                let is_given = example.lines().any(|line| line.starts_with(&format!("{key}:")));
                let is_of_others = key == "requirements";
                keep = !is_given && !is_of_others;
            }
            if keep {
                whole.push_str(line);
                whole.push('\n');
            }
        }
        whole.push_str(example);
        if let Err(rejected) = load_in(folder.path(), &whole, &Options::default()) {
            panic!("{rejected}\n{whole}");
        }
    }
}
