//! What the guide shows can be typed: a whole study in it passes `check`, and a part of one has no mistake but what the
//! rest of the study would bring.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, program, root};
use std::path::{Path, PathBuf};

/// What a part of a study lacks: names, keys and files of the rest. Anything else in it is a mistake of the guide.
const LACKS: &[&str] = &["study::unknown-name", "study::missing-key", "study::unreadable-file", "study::not-yet-known"];

/// The YAML in a page, with the number of its first line.
fn examples(page: &Path) -> Vec<(usize, String)> {
    let text = std::fs::read_to_string(page).expect("a page");
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_within = false;
    for (number, line) in text.lines().enumerate() {
        match line.trim_end() {
            "```yaml" => {
                is_within = true;
                found.push((number + 2, String::new()));
            }
            "```" => is_within = false,
            _ if is_within => {
                let (_, example) = found.last_mut().expect("it has begun");
                example.push_str(line);
                example.push('\n');
            }
            _ => {}
        }
    }
    found
}

fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<_> = std::fs::read_dir(root().join("docs/guide"))
        .expect("the guide")
        .map(|entry| entry.expect("a page").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// A place with what the chapter on messages tells its reader to type, and the password that others name.
fn place() -> Place {
    let place = Place::new();
    std::fs::create_dir_all(place.path().join("data")).expect("a folder");
    place.file("data/perf-password", "correct horse battery");
    let made = std::process::Command::new(program("system-messaging"))
        .args(["cpas", "--out", "cpas", "--profile", "be", "--count", "20"])
        .current_dir(place.path())
        .status();
    assert!(made.is_ok_and(|status| status.success()), "the guide's agreements");
    place
}

#[test]
fn every_whole_study_in_the_guide_passes_check() {
    let place = place();
    let mut whole = 0;
    for page in pages() {
        for (line, example) in examples(&page) {
            if !example.lines().any(|line| line.starts_with("study:")) {
                continue;
            }
            whole += 1;
            let file = place.file("study.yaml", &example);
            let ran = place.loadproof(&["check", &file.to_string_lossy()]);
            assert_eq!(ran.code, 0, "{}:{line}: {}", page.display(), ran.stderr);
        }
    }
    assert!(whole > 0, "the guide has a whole study");
}

#[test]
fn the_examples_of_systems_say_what_must_answer() {
    let place = place();
    let mut systems = 0;
    for page in pages() {
        for (line, example) in examples(&page) {
            if !example.lines().any(|line| line.starts_with("system:")) {
                continue;
            }
            systems += 1;
            let study = if example.contains("study:") { example } else { format!("study: Example\n{example}") };
            let file = place.file("study.yaml", &study);
            let ran = place.loadproof(&["check", &file.to_string_lossy(), "--json"]);
            let told = ran.json();
            assert_eq!(told["schema"], "loadproof/check/1", "{}:{line}: {ran:#?}", page.display());
            let mistakes = told["mistakes"].as_array().expect("a list");
            assert_eq!(mistakes.is_empty(), ran.code == 0, "{}:{line}: {ran:#?}", page.display());
            for mistake in mistakes {
                let code = mistake["code"].as_str().unwrap_or_default();
                assert!(LACKS.contains(&code), "{}:{line}: {mistake:#}", page.display());
                assert!(
                    !mistake["message"].as_str().unwrap_or_default().contains("runs already"),
                    "{}:{line}: {mistake:#}",
                    page.display()
                );
            }
        }
    }
    assert!(systems > 1, "the guide shows systems");
}
