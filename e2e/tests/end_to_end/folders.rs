//! What the commands make of run folders that are not whole: killed, changed, half gone, still written.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, files, requirement, step, target, until, wait};
use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

fn study(address: std::net::SocketAddr, hold: &str) -> String {
    format!(
        "study: Folders\nsystem: {{ name: shop, url: 'http://{address}', identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
         watch: {{ host: {{}} }}\nexchanges:\n  home: {{ http.get: {{ url: '$(shop.url)/' }}, timeout: 10s }}\n\
         scenarios:\n  busy: {{ load: {{ arrivals: 100/s, hold: {hold} }}, run: [home] }}\n\
         requirements: {{ enough: rate(home) >= 95/s, right: share(home.ok) >= 95% }}\n"
    )
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("the process is ours");
}

/// A run that was killed when the target had answered so many.
fn killed(place: &Place, target: &target_common::probe::Target, name: &str, answers: u64) {
    let already = target.counter("answered").expect("counters");
    let mut child = place.start(&["run", "study.yaml", "--out", name]);
    let has_answered = || target.counter("answered").is_ok_and(|count| count >= already + answers);
    assert!(until(60, has_answered), "the load never came");
    send(&child, Signal::KILL);
    child.wait().expect("it ends");
}

fn evidence(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let found = files(&run.join("evidence"));
    found.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("a file"))).collect()
}

#[test]
fn killed_at_any_moment_a_run_is_judged_over_whole_seconds_and_alike_before_and_after_sealing() {
    let target = target("target-echo", &["--service", "300ms"]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "60s"));
    for (name, answers) in [("one", 230), ("two", 355), ("three", 590)] {
        killed(&place, &target, name, answers);
        let judged = place.loadproof(&["judge", name, "--json"]);
        // The floor under the rate of ends counts the first 300 ms too, in which no answer can come: it may be missed so
        // far, and the rest of the hold could have made it good.
        assert_eq!(judged.code, 3, "{judged:#?}");
        let result = judged.json();
        let hold = step(&result, "busy", "hold");
        assert_balanced(hold);
        let figure = |key: &str| hold[key].as_f64().expect("a figure");
        assert!((figure("offered_per_s") - 100.0).abs() <= 1.0, "{hold:#}");
        assert!((figure("seconds") - figure("seconds").round()).abs() < 1e-9, "{hold:#}");
        // 300 ms late, the answers of the last starts are open; they count against nothing.
        let right = requirement(&result, "right");
        assert_ne!(right["verdict"], "not_met", "{right:#}");
        assert_eq!(result["run"]["was_killed"], true);
        let reported = place.loadproof(&["report", name]);
        assert_eq!(reported.code, judged.code, "{reported:#?}");
        assert!(reported.stderr.contains("was killed; its evidence is now sealed"), "{reported:#?}");
        assert_eq!(place.result(name), result, "the seal changed a figure");
        assert_eq!(place.loadproof(&["judge", name, "--json"]).json(), result);
    }
}

#[test]
fn a_rate_that_was_held_is_not_missed_because_the_run_was_killed() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "60s"));
    for (name, answers) in [("one", 210), ("two", 470)] {
        killed(&place, &target, name, answers);
        let result = place.loadproof(&["judge", name, "--json"]).json();
        let found = requirement(&result, "enough");
        assert_ne!(found["verdict"], "not_met", "{found:#}");
        assert!((found["value"].as_f64().expect("a rate") - 100.0).abs() <= 3.0, "{found:#}");
    }
}

#[test]
fn no_command_writes_over_evidence() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "11s"));
    assert!([0, 3].contains(&place.loadproof(&["run", "study.yaml", "--out", "run"]).code));
    let run = place.path().join("run");
    std::fs::remove_file(run.join("evidence/manifest.json")).expect("it is ours");
    let before = evidence(&run);
    let judged = place.loadproof(&["judge", "run", "--json"]);
    let reported = place.loadproof(&["report", "run"]);
    assert_eq!((judged.code, reported.code), (3, 3), "{judged:#?} {reported:#?}");
    assert!(reported.stderr.contains("left unsealed") && reported.stderr.contains("incomplete"), "{reported:#?}");
    assert_eq!(evidence(&run), before, "evidence was touched");
    let result = place.result("run");
    assert_eq!(result, judged.json());
    assert_eq!(result["validity"]["state"], "invalid");
    assert!(step(&result, "busy", "hold")["completed"].as_u64().is_some_and(|count| count > 1000), "{result:#}");

    // A table that is gone, too: what is there is still shown.
    std::fs::remove_file(run.join("evidence/load/legs.parquet")).expect("it is ours");
    let before = evidence(&run);
    for command in ["judge", "report"] {
        assert_eq!(place.loadproof(&[command, "run"]).code, 3);
        let damage = place.result("run")["run"]["damage"].to_string();
        assert!(damage.contains("`load/legs.parquet` is left out"), "{damage}");
    }
    // Without the books there is nothing to hold anything against.
    std::fs::remove_file(run.join("evidence/load/iterations.parquet")).expect("it is ours");
    for command in ["judge", "report"] {
        let ran = place.loadproof(&[command, "run"]);
        assert_eq!(ran.code, 2, "{ran:#?}");
        assert!(ran.stderr.contains("load/iterations.parquet"), "{ran:#?}");
    }
    assert!(evidence(&run).iter().all(|(path, bytes)| before.get(path) == Some(bytes)), "evidence was touched");
}

#[test]
fn a_run_that_goes_on_is_not_judged() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "60s"));
    let child = place.start(&["run", "study.yaml", "--out", "run"]);
    assert!(until(60, || target.counter("answered").is_ok_and(|count| count >= 150)), "the load never came");
    for command in ["judge", "report"] {
        let ran = place.loadproof(&[command, "run"]);
        assert_eq!(ran.code, 2, "{ran:#?}");
        assert!(ran.stderr.contains("still going on"), "{ran:#?}");
    }
    send(&child, Signal::INT);
    let ended = wait(child);
    assert_eq!(place.loadproof(&["judge", "run"]).code, ended.code, "{ended:#?}");
}

#[test]
fn a_folder_that_cannot_be_written_is_judged_all_the_same_and_lacks_its_report() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "11s"));
    let code = place.loadproof(&["run", "study.yaml", "--out", "run"]).code;
    assert!([0, 3].contains(&code));
    let run = place.path().join("run");
    // Folders where files are to be written: refused for whoever runs this test, root too.
    for name in ["result.json", "report.html"] {
        std::fs::remove_file(run.join(name)).expect("the run wrote it");
        std::fs::create_dir(run.join(name)).expect("it is ours");
    }
    let judged = place.loadproof(&["judge", "run"]);
    assert_eq!(judged.code, code, "{judged:#?}");
    assert!(judged.stderr.contains("enough") && judged.stderr.contains("--out DIR"), "{judged:#?}");
    let reported = place.loadproof(&["report", "run"]);
    // What was asked for is not there, whatever the verdicts.
    assert_eq!(reported.code, 3, "{reported:#?}");
    assert!(reported.stderr.contains("enough") && reported.stderr.contains("--out DIR"), "{reported:#?}");
    for (command, file) in [("judge", "result.json"), ("report", "report.html")] {
        let ran = place.loadproof(&[command, "run", "--out", &format!("mine/{command}")]);
        assert_eq!(ran.code, code, "{ran:#?}");
        assert!(place.path().join("mine").join(command).join(file).is_file(), "{ran:#?}");
    }
}

#[test]
fn limits_that_were_edited_after_a_kill_prove_nothing() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "60s"));
    killed(&place, &target, "run", 300);
    let path = place.path().join("run/evidence/study.yaml");
    let text = std::fs::read_to_string(&path).expect("a study");
    assert!(text.contains("95"), "{text}");
    std::fs::write(&path, text.replace("95", "5")).expect("it is ours");
    let reported = place.loadproof(&["report", "run"]);
    assert_eq!(reported.code, 3, "{reported:#?}");
    assert!(reported.stderr.contains("is not the study that was run"), "{reported:#?}");
    assert!(!place.path().join("run/evidence/manifest.json").exists(), "it was sealed as if it were the original");
    let result = place.result("run");
    assert_eq!((&result["validity"]["state"], &result["run"]["altered"][0]), (&"invalid".into(), &"study.yaml".into()));
}

#[test]
fn calls_that_a_second_ctrl_c_cuts_off_are_no_failures() {
    let target = target("target-echo", &["--service", "3s"]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "60s"));
    let child = place.start(&["run", "study.yaml", "--out", "run"]);
    assert!(until(60, || target.counter("answered").is_ok_and(|count| count >= 300)), "the load never came");
    send(&child, Signal::INT);
    std::thread::sleep(Duration::from_millis(300));
    send(&child, Signal::INT);
    let ran = wait(child);
    let result = place.result("run");
    let hold = step(&result, "busy", "hold");
    assert_balanced(hold);
    assert!(hold["aborted"].as_u64().expect("a count") > 100, "{hold:#} {ran:#?}");
    let right = requirement(&result, "right");
    assert_eq!(right["verdict"], "cannot_tell", "{right:#}");
    assert!(right["value"].as_f64().is_none_or(|share| share > 0.99), "{right:#}");
}

/// A run that ended and was sealed.
fn ended(place: &Place, name: &str) -> PathBuf {
    let target = target("target-echo", &[]);
    place.file("study.yaml", &study(target.address(), "3s"));
    assert!([0, 1, 3].contains(&place.loadproof(&["run", "study.yaml", "--out", name]).code));
    place.path().join(name)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a new folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() { copy(&source, &target) } else { assert!(std::fs::copy(source, target).is_ok()) }
    }
}

#[test]
fn what_is_derived_is_written_through_no_link_and_never_into_evidence() {
    let place = Place::new();
    let run = ended(&place, "run");
    let before = evidence(&run);
    let victim = place.file("victim", "mine");
    for name in ["report.html", "report.md", "report.docx", "report.pdf", "junit.xml"] {
        let _ = std::fs::remove_file(run.join(name));
        symlink(&victim, run.join(name)).expect("it is ours");
    }
    std::fs::remove_file(run.join("result.json")).expect("the run wrote it");
    symlink("evidence/run.json", run.join("result.json")).expect("it is ours");
    let formats = ["html", "md", "junit", "json", "csv", "docx", "pdf"].map(|format| ["--format", format]).concat();
    let report = [&["report", "run"][..], &formats].concat();
    let reported = place.loadproof(&report);
    assert!([0, 1, 3].contains(&reported.code) && !reported.stderr.contains("warning"), "{reported:#?}");
    assert_eq!(place.result("run")["schema"], "loadproof/result/1");
    std::fs::remove_file(run.join("result.json")).expect("it is ours");
    std::fs::hard_link(run.join("evidence/run.json"), run.join("result.json")).expect("it is ours");
    assert_eq!(place.loadproof(&["judge", "run"]).code, reported.code);
    assert_eq!(place.result("run")["schema"], "loadproof/result/1");
    // Folders of files.
    std::fs::create_dir(place.path().join("elsewhere")).expect("it is ours");
    for name in ["tables", "figures"] {
        std::fs::remove_dir_all(run.join(name)).expect("the report wrote it");
        symlink("../elsewhere", run.join(name)).expect("it is ours");
        let reported = place.loadproof(&report);
        assert!(reported.stderr.contains(name) && reported.stderr.contains("it is a link"), "{reported:#?}");
        std::fs::remove_file(run.join(name)).expect("it is ours");
    }
    assert!(files(&place.path().join("elsewhere")).is_empty());
    assert_eq!(std::fs::read(&victim).expect("a file"), b"mine");

    let other = place.path().join("other");
    copy(&run, &other);
    symlink(run.join("evidence"), place.path().join("link")).expect("it is ours");
    for out in ["run/evidence", "run/evidence/new", "link/load", "other/../run/evidence"] {
        for command in [&["judge", "run"][..], &["report", "run"], &["report", "other"], &["compare", "run", "other"]] {
            let ran = place.loadproof(&[command, &["--out", out]].concat());
            assert_eq!(ran.code, 2, "{command:?} {out}: {ran:#?}");
            assert!(ran.stderr.contains("lies in the evidence of a run"), "{command:?} {out}: {ran:#?}");
        }
    }
    assert_eq!(place.loadproof(&["run", "study.yaml", "--out", "run/evidence/new"]).code, 2);
    assert_eq!(evidence(&run), before, "evidence was touched");
}

#[test]
fn nobody_waits_for_a_pipe_in_a_run_folder() {
    let place = Place::new();
    let run = ended(&place, "run");
    for (name, code, told) in [
        ("evidence/run.json", 2, "it is a pipe"),
        ("evidence/study.yaml", 2, "it is a pipe"),
        ("evidence/writing.lock", 2, "it is a pipe"),
        ("evidence/load/iterations.parquet", 2, "is not the one that was sealed"),
        ("evidence/load/legs.parquet", 3, "legs.parquet"),
        ("evidence/manifest.json", 3, "manifest.json"),
    ] {
        let harmed = place.path().join("harmed");
        copy(&run, &harmed);
        let _ = std::fs::remove_file(harmed.join(name));
        mkfifoat(CWD, harmed.join(name), Mode::RUSR | Mode::WUSR).expect("it is ours");
        for command in ["judge", "report"] {
            let ran = wait_at_most(place.start(&[command, "harmed"]));
            assert_eq!(ran.code, code, "{command} {name}: {ran:#?}");
            let result = std::fs::read_to_string(harmed.join("result.json")).unwrap_or_default();
            assert!(ran.stderr.contains(told) || result.contains(told), "{command} {name}: {ran:#?}");
        }
        std::fs::remove_dir_all(&harmed).expect("it is ours");
    }
    std::fs::remove_file(run.join("result.json")).expect("the run wrote it");
    mkfifoat(CWD, run.join("result.json"), Mode::RUSR | Mode::WUSR).expect("it is ours");
    assert!([0, 1, 3].contains(&wait_at_most(place.start(&["judge", "run"])).code));
    assert_eq!(place.result("run")["schema"], "loadproof/result/1");
}

/// Waits for a command that has nothing to wait for.
fn wait_at_most(mut child: Child) -> e2e::Ran {
    if !until(60, || child.try_wait().is_ok_and(|ended| ended.is_some())) {
        child.kill().expect("it is ours");
    }
    wait(child)
}

#[test]
fn what_is_ambiguous_or_foreign_or_cut_off_is_refused_by_its_name() {
    let place = Place::new();
    let run = ended(&place, "run");
    let both = place.path().join("both");
    copy(&run, &both);
    std::fs::remove_file(both.join("evidence/manifest.json")).expect("it is ours");
    for stream in ["load", "watch", "events"] {
        std::fs::write(both.join("evidence").join(stream).join("000001.segment"), "").expect("it is ours");
    }
    let cut = place.path().join("cut");
    copy(&run, &cut);
    let study = cut.join("evidence/study.yaml");
    let text = std::fs::read_to_string(&study).expect("a study");
    std::fs::write(&study, &text[..text.len() / 2]).expect("it is ours");
    let other = ended(&place, "other");
    let foreign = place.path().join("foreign");
    copy(&run, &foreign);
    std::fs::copy(other.join("evidence/manifest.json"), foreign.join("evidence/manifest.json")).expect("it is ours");
    for (name, told) in [
        ("both", ["they are not the same record", "load/"]),
        ("cut", ["the run's own copy of its study", "cannot be read"]),
        ("foreign", ["manifest.json", "is not the seal of this run"]),
    ] {
        let before = evidence(&place.path().join(name));
        for command in ["judge", "report"] {
            let ran = place.loadproof(&[command, name]);
            assert_eq!(ran.code, 2, "{command} {name}: {ran:#?}");
            assert!(told.iter().all(|part| ran.stderr.contains(part)), "{command} {name}: {ran:#?}");
            assert!(!ran.stderr.contains("nothing was started"), "{ran:#?}");
        }
        assert_eq!(evidence(&place.path().join(name)), before, "evidence was touched");
    }
}
