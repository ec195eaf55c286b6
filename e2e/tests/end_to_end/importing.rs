//! Imports that something ends before they are done: a kill, a limit on files, a limit on threads.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use crate::signals::{ends_within, start, with_threads};
use e2e::{Place, until, wait};
use std::fmt::Write as _;
use std::path::Path;

/// Samples, each a second after the one before, so that each has a row of its own.
fn samples(place: &Place, lines: u64) {
    let mut text = "timeStamp,elapsed,label,success,Latency\n".to_owned();
    for line in 0..lines {
        let (at, took) = (1_795_690_680_000 + 1000 * line, 5 + line % 300);
        let _ = writeln!(text, "{at},{took},page {},true,{}", line % 7, took - 1);
    }
    place.file("samples.jtl", &text);
}

/// Whether some of its rows are in a segment.
fn has_rows(run: &Path) -> bool {
    std::fs::metadata(run.join("evidence/load/000001.segment")).is_ok_and(|segment| segment.len() > 0)
}

#[test]
fn an_import_that_is_killed_is_not_taken_for_a_whole_run() {
    let place = Place::new();
    samples(&place, 100_000);
    // On a busy machine the kill may come when all is sealed, which is a whole run.
    let interrupted = (1..=10).find_map(|number| {
        let name = format!("run{number}");
        let run = place.path().join(&name);
        let mut child = place.start(&["import", "jtl", "samples.jtl", "--out", &name]);
        assert!(until(120, || has_rows(&run) || child.try_wait().expect("it is ours").is_some()));
        child.kill().expect("it is ours");
        wait(child);
        (!run.join("evidence/manifest.json").exists()).then_some(name)
    });
    let name = interrupted.expect("one of ten was killed before its seal");
    let ran = place.loadproof(&["report", &name]);
    let result = place.result(&name);
    assert_eq!(result["run"]["end_reason"], "interrupted", "{ran:#?}");
    let words = result["run"]["end_text"].as_str().expect("a text");
    assert!(words.contains("while it was imported; type `loadproof import` once more"), "{words}");
}

#[test]
fn a_limit_of_file_sizes_leaves_nothing_of_an_import() {
    let place = Place::new();
    // So many that some have to be kept on their way; and so few that only their rows are written.
    for (lines, refused) in [(100_000, "while they are sorted"), (30_000, "cannot write")] {
        samples(&place, lines);
        let ran = ends_within(120, start(&place, "ulimit -f 1000;", "import jtl samples.jtl --out run"));
        assert_eq!(ran.code, 2, "{ran:#?}");
        let words = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(refused) && words.contains("ulimit -f unlimited"), "{ran:#?}");
        assert!(words.contains("nothing is left behind") && !words.contains("can still be reported"), "{ran:#?}");
        assert!(!place.path().join("run").exists());
    }
}

#[test]
fn an_import_with_few_threads_is_made_or_refused() {
    let place = Place::new();
    std::fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("it is ours");
    samples(&place, 30_000);
    for most in [1, 2, 3, 5, 8] {
        let ran = with_threads(&place, most, &format!("import jtl samples.jtl --out run{most}"));
        let is_there = place.path().join(format!("run{most}/result.json")).exists();
        let is_refused =
            ran.code == 2 && ran.stderr.contains("cannot start a thread") && ran.stderr.contains("ulimit -u");
        assert!(if is_refused { !is_there } else { ran.code == 0 && is_there }, "{most}: {ran:#?}");
        assert!(most < 8 || is_there, "that many are enough: {ran:#?}");
    }
}
