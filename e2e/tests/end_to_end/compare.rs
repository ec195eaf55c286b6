//! `loadproof compare`: a slower system is found, a copy is not, and what cannot be compared says why.
#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, Ran, target};
use serde_json::Value;

/// A run of `seconds` against an echo that takes `service`.
fn quick(place: &Place, service: &str, rate: &str, seconds: &str, out: &str) {
    let target = target("target-echo", &["--service", service]);
    let url = format!("http://{}/", target.address());
    let ran = place.loadproof(&["quick", &url, "--rate", rate, "--for", seconds, "--out", out]);
    assert_ne!(ran.code, 2, "{ran:#?}");
}

fn row<'a>(compared: &'a Value, id: &str) -> &'a Value {
    let rows = compared["rows"].as_array().unwrap();
    rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("no {id}: {compared:#}"))
}

fn copy(place: &Place, from: &str, to: &str) {
    for file in e2e::files(&place.path().join(from)) {
        let name = file.strip_prefix(place.path().join(from)).unwrap();
        let into = place.path().join(to).join(name);
        std::fs::create_dir_all(into.parent().unwrap()).unwrap();
        std::fs::copy(&file, into).unwrap();
    }
}

#[test]
fn runs_are_compared_and_what_cannot_be_says_why() {
    let place = Place::new();
    quick(&place, "20ms", "50/s", "15s", "runs/before");
    quick(&place, "40ms", "50/s", "15s", "runs/after");

    // Twice the service time: found, whatever the machine adds, unless it spoiled a run altogether.
    let ran = place.loadproof(&["compare", "runs/before", "after", "--json", "--out", "page"]);
    let compared = ran.json();
    assert_eq!(compared["schema"], "loadproof/compare/1");
    let median = row(&compared, "quick/hold/request/answer/p50");
    // A run that this machine spoiled forbids a comparison, and then there is no ratio.
    let is_spoiled =
        ["runs/before", "runs/after"].iter().any(|run| place.result(run)["validity"]["state"] == "invalid");
    assert!(median["ratio"].as_f64().map_or(is_spoiled, |ratio| ratio > 1.5), "{median:#}");
    if ran.code == 0 {
        assert!(["different", "cannot_tell"].contains(&median["verdict"].as_str().unwrap()), "{median:#}");
    }
    // A build server asks for another exit code where it got worse.
    if median["verdict"] == "different" {
        let worse = place.loadproof(&["compare", "before", "after", "--fail-on", "worse"]);
        assert_eq!(worse.code, 1, "{worse:#?}");
        assert!(worse.stderr.contains("is worse beyond the band of 5%"), "{worse:#?}");
        assert!(worse.stderr.contains("slower (") && worse.stderr.contains("What differs"), "{worse:#?}");
    }
    for file in ["page/compare.html", "page/compare.csv", "page/compare.json"] {
        assert!(place.path().join(file).exists(), "{file}");
    }

    // A copy of a run, or the run itself, is not a second run: nothing is reported about a difference.
    copy(&place, "runs/before", "runs/copy");
    refused(&place.loadproof(&["compare", "before", "copy"]), "are the same run");
    refused(&place.loadproof(&["compare", "before", "before"]), "are the same run");
    refused(&place.loadproof(&["compare", "before", "after", "after", "--together"]), "are the same run");

    // Another rate is another question.
    quick(&place, "20ms", "40/s", "2s", "runs/other");
    let ran = place.loadproof(&["compare", "before", "other"]);
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(ran.stderr.contains("full load: 50/s → 40/s") && ran.stderr.contains("not comparable"), "{ran:#?}");

    // One byte of sealed evidence.
    let study = place.path().join("runs/copy/evidence/study.yaml");
    let text = std::fs::read_to_string(&study).unwrap();
    std::fs::write(&study, text + " ").unwrap();
    refused(&place.loadproof(&["compare", "before", "copy"]), "was changed after it was sealed");

    std::fs::remove_file(place.path().join("runs/copy/evidence/run.json")).unwrap();
    refused(&place.loadproof(&["compare", "before", "copy"]), "run.json");
    refused(
        &place.loadproof(&["compare", "before", "nowhere"]),
        "`nowhere` is neither a run folder nor the id of a run",
    );
    refused(&place.loadproof(&["compare", "before"]), "loadproof compare BASE OTHER");
    refused(&place.loadproof(&["compare", "before", "after", "--band", "5"]), "--band 5%");
}

fn refused(ran: &Ran, words: &str) {
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains(words), "{words}: {ran:#?}");
}
