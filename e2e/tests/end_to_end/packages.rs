//! What is packaged beside the program, as far as it can be tried without building a package: completions, manual pages, the
//! container's file, the scripts; and what build servers are told of a run.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use e2e::{Place, program, root, target};
use std::process::Command;

fn loadproof(arguments: &[&str]) -> String {
    let ran = Command::new(program("loadproof")).args(arguments).output().unwrap();
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// bash takes the completions and answers with a subcommand, an option's value and a file.
#[test]
fn a_shell_completes_words_values_and_files() {
    let place = Place::new();
    let script = place.file("loadproof.bash", &loadproof(&["completions", "bash"]));
    place.file("study-of-the-shop.yaml", "");
    let ask = r#"
        source "$1"; cd "$2"
        ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
                _loadproof loadproof "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; echo "${COMPREPLY[*]}"; }
        complete -p loadproof
        ask loadproof hist
        ask loadproof run study.yaml --ci ""
        ask loadproof judge run --study study-of 2>/dev/null
    "#;
    let ran = Command::new("bash").args(["-c", ask, "bash"]).arg(&script).arg(place.path()).output().unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[1..], ["history", "auto github gitlab", "study-of-the-shop.yaml"], "{said}");
    assert!(lines[0].ends_with("-F _loadproof loadproof"), "{said}");
}

/// One page a subcommand, each with its options.
#[test]
fn manual_pages_have_what_help_has() {
    let place = Place::new();
    let folder = place.path().join("man");
    loadproof(&["man", "--out", &folder.to_string_lossy()]);
    let page = std::fs::read_to_string(folder.join("loadproof-run.1")).unwrap();
    for option in ["set", "for", "out", "ci", "summary"] {
        assert!(page.contains(&format!("\\-\\-{option}")), "{option}");
    }
    let all = loadproof(&["man"]);
    assert!(all.contains(".TH") && all.contains("loadproof\\-history(1)"), "{all}");
}

/// The scripts are scripts, and what the container takes from the repository is there: the first stage takes all of it.
#[test]
fn scripts_and_container_file_can_be_read() {
    let folder = root().join("deploy/packages");
    let mut scripts = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sh") {
            let ran = Command::new("bash").arg("-n").arg(&path).output().unwrap();
            assert!(ran.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&ran.stderr));
            scripts += 1;
        }
    }
    assert_eq!(scripts, 5);
    let text = std::fs::read_to_string(folder.join("Containerfile")).unwrap();
    let built = text.lines().find(|line| line.contains("cargo build")).unwrap();
    let script = std::fs::read_to_string(folder.join("static.sh")).unwrap();
    for flags in ["--locked -p cli", "--no-default-features --features paper"] {
        assert!(built.contains(flags) && script.contains(flags), "the image has what `static.sh` tries: {flags}");
    }
    for line in text.lines().filter_map(|line| line.strip_prefix("COPY ")).filter(|line| !line.starts_with("--from")) {
        let from = line.split(' ').next().unwrap();
        assert!(root().join(from).exists(), "{line}");
    }
    let last = text.split("FROM scratch").nth(1).expect("a last stage without anything");
    assert!(last.contains("\nUSER ") && last.contains("\nENTRYPOINT [\"/usr/bin/loadproof\"]"), "{last}");
}

/// GitHub: notes at the lines of the study, a summary behind what is there, nobody else's commands. GitLab: its files.
#[test]
fn build_servers_are_told_what_a_run_came_to() {
    let place = Place::new();
    let echo = target("target-echo", &["--service", "2ms"]);
    let study = format!(
        "study: \"::error::x\"\nsystem: {{ name: echo, url: \"http://{}\", identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
         validity:\n  lateness: {{ questionable: 2s, invalid: 5s, because: any }}\n  run_queue: {{ questionable: 98%, invalid: 99%, because: any }}\n  steal: {{ questionable: 98%, invalid: 99%, because: any }}\n\
         exchanges:\n  get: {{ http.get: {{ url: \"$(echo.url)/\" }} }}\n\
         scenarios:\n  busy: {{ load: {{ arrivals: 50/s, hold: 3s }}, run: [get] }}\n\
         requirements:\n  many: count(get.ok) >= 100\n  slow: max(get.response) < 1ms\n",
        echo.address()
    );
    let file = place.file("study.yaml", &study);
    let steps = place.file("steps.md", "before\n");
    let top = place.path().canonicalize().unwrap();
    let environment = [("GITHUB_STEP_SUMMARY", steps.to_str().unwrap()), ("GITHUB_WORKSPACE", top.to_str().unwrap())];
    let ran = place.loadproof_with(
        &["run", file.to_str().unwrap(), "--out", "run", "--ci", "github", "--summary", "own.md"],
        &environment,
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let word = lines[0].strip_prefix("::stop-commands::").expect("commands are off from the first line on");
    let on = lines.iter().position(|line| *line == format!("::{word}::")).expect("and on again");
    let notes: Vec<&&str> = lines[on..].iter().filter(|line| line.starts_with("::error")).collect();
    assert_eq!(notes.len(), 1, "{}", ran.stderr);
    assert!(notes[0].starts_with("::error file=study.yaml,line=13,title=slow%3A not met::busy/hold: "), "{}", notes[0]);
    let summary = std::fs::read_to_string(&steps).unwrap();
    assert!(summary.starts_with("before\n\n### ✗ ") && summary.contains("| ✗ not met | `slow` (must) |"), "{summary}");
    assert!(summary.ends_with(&std::fs::read_to_string(place.path().join("own.md")).unwrap()), "{summary}");

    let ran = place.loadproof(&["report", "run", "--ci", "gitlab"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let read = |name: &str| std::fs::read_to_string(place.path().join("run").join(name)).unwrap();
    let quality: serde_json::Value = serde_json::from_str(&read("gl-code-quality-report.json")).unwrap();
    assert_eq!(quality[0]["check_name"], "requirement:slow");
    assert!(read("metrics.txt").contains("loadproof_verdicts{verdict=\"not_met\"} 1\n"));
    assert!(read("junit.xml").contains("failures=\"1\"") && read("summary.md").starts_with("### ✗ "));

    let wrong = place.file("wrong.yaml", "study: x\nsystem: { nam: y }\n");
    let ran = place.loadproof_with(&["check", wrong.to_str().unwrap(), "--ci", "github"], &environment);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.lines().any(|line| line.starts_with("::error file=wrong.yaml,line=")), "{}", ran.stderr);
}
