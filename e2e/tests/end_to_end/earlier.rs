//! A run folder of an earlier version, kept with what that version made of it: judged and reported to the same figures.
//!
//! The folder `earlier` was recorded by the version of commit `bb28708`, before metrics had roles and heads told of loads:
//! an open and a closed scenario over three exchanges, one of which always fails. Its `result.json` is what was printed
//! then. Intervals, and what the generator says of its lateness, are computed differently since, as the changelog says;
//! everything that was counted or measured must be the same.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, root};
use serde_json::Value;
use std::path::Path;

/// Keys whose values may differ, with all below them: what is computed anew, and `reason`, a sentence whose
/// `reason_code` is compared.
const MAY_DIFFER: [&str; 7] = ["intervals", "design_effect", "low", "high", "lateness_p99_ms", "signs", "reason"];

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let there = to.join(entry.file_name().expect("a name"));
        if entry.is_dir() {
            copied(&entry, &there);
        } else {
            std::fs::copy(&entry, &there).expect("a copy");
        }
    }
}

/// Every number of one value that is another in the other, or is gone; how many were compared.
fn compared(earlier: &Value, now: &Value, place: &str, differing: &mut Vec<String>) -> usize {
    match (earlier, now) {
        (Value::Object(earlier), Value::Object(now)) => {
            let kept = earlier.iter().filter(|(key, _)| !MAY_DIFFER.contains(&key.as_str()));
            kept.map(|(key, value)| {
                compared(value, now.get(key).unwrap_or(&Value::Null), &format!("{place}/{key}"), differing)
            })
            .sum()
        }
        (Value::Array(earlier), Value::Array(now)) if earlier.len() == now.len() => {
            let pairs = earlier.iter().zip(now).enumerate();
            pairs.map(|(at, (earlier, now))| compared(earlier, now, &format!("{place}/{at}"), differing)).sum()
        }
        (earlier, now) => {
            if earlier != now {
                differing.push(format!("{place}: {earlier} then, {now} now"));
            }
            1
        }
    }
}

#[test]
fn a_run_of_an_earlier_version_has_the_same_figures() {
    let place = Place::new();
    let kept = root().join("e2e/tests/earlier");
    copied(&kept.join("evidence"), &place.path().join("run/evidence"));
    let judged = place.loadproof(&["judge", "run", "--json"]);
    // A requirement is not met, and was not.
    assert_eq!(judged.code, 1, "{judged:#?}");
    let text = std::fs::read_to_string(kept.join("result.json")).expect("what was printed then");
    let earlier: Value = serde_json::from_str(&text).expect("JSON");
    let now = judged.json();
    let mut differing = Vec::new();
    let scenarios = compared(&earlier["scenarios"], &now["scenarios"], "scenarios", &mut differing);
    let verdicts = compared(&earlier["requirements"], &now["requirements"], "requirements", &mut differing);
    assert!(differing.is_empty(), "{differing:#?}");
    assert!(scenarios > 200 && verdicts > 20, "{scenarios} figures and {verdicts} of requirements were compared");
    let rules = |result: &Value| -> Vec<Value> {
        result["findings"].as_array().expect("findings").iter().map(|finding| finding["rule"].clone()).collect()
    };
    assert_eq!(rules(&now), rules(&earlier));
}

#[test]
fn a_run_of_an_earlier_version_is_reported_in_every_language() {
    let place = Place::new();
    copied(&root().join("e2e/tests/earlier/evidence"), &place.path().join("run/evidence"));
    for (language, word) in [("en", "not met"), ("nl", "niet voldaan"), ("da", "ikke overholdt")] {
        let ran = place.loadproof(&["report", "run", "--lang", language, "--format", "html", "--format", "md"]);
        assert_eq!(ran.code, 1, "the exit code is that of the verdicts: {ran:#?}");
        let name = if language == "en" { "report.html".to_owned() } else { format!("report.{language}.html") };
        let page = std::fs::read_to_string(place.path().join("run").join(&name)).expect("a report");
        assert!(page.contains(word), "{language}: `{word}`");
    }
}
