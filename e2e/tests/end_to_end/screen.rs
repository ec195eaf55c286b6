//! The screen says what happened: why calls failed, what was refused and where its logs are, what was written.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, target};
use std::io::Write;
use std::process::{Command, Stdio};

fn study(url: &str, load: &str) -> String {
    format!(
        "study: Screen\nsystem: {{ name: shop }}\nexchanges:\n  home: {{ http.get: {{ url: '{url}' }}, timeout: 2s }}\n\
         scenarios:\n  busy: {{ load: {load}, run: [home] }}\n"
    )
}

/// A port of this machine on which nobody listens.
fn closed_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

#[test]
fn why_calls_failed_is_said_while_the_run_goes_on_and_at_its_end() {
    let place = Place::new();
    let url = format!("http://127.0.0.1:{}/", closed_port());
    place.file("study.yaml", &study(&url, "{ arrivals: 50/s, hold: 8s }"));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert_eq!(ran.code, 3, "nothing succeeded: {ran:#?}");
    let (live, end) = ran.stderr.split_once("Why calls failed").unwrap_or_else(|| panic!("{ran:#?}"));
    assert!(live.contains("failing: home: refused") && live.contains("Connection refused"), "{live}");
    let words = end.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("home: refused 400 times, such as: Connection refused"), "{end}");
    assert!(live.contains("nothing succeeded"), "{live}");

    let target = target("target-echo", &["--errors", "100%"]);
    let url = format!("http://{}/", target.address());
    let ran = place.loadproof(&["quick", &url, "--rate", "50/s", "--for", "2s", "--out", "errors"]);
    assert!(ran.stderr.contains("request: status 100 times, such as: status 5"), "{ran:#?}");
}

#[test]
fn a_system_that_answers_in_part_is_not_told_as_one_that_does_not_work() {
    let place = Place::new();
    let target = target("target-echo", &[]);
    let (open, closed) = (target.address(), closed_port());
    let study = study(&format!("http://{open}/"), "{ arrivals: 20/s, hold: 2s }")
        .replace("scenarios:", &format!("  gone: {{ http.get: {{ url: 'http://127.0.0.1:{closed}/' }} }}\nscenarios:"))
        .replace("run: [home]", "run: [home, gone]");
    place.file("study.yaml", &study);
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert_eq!(place.result("run")["scenarios"][0]["steps"][0]["failed"], 40, "{ran:#?}");
    assert!(ran.stderr.contains("no iteration succeeded") && !ran.stderr.contains("nothing succeeded"), "{ran:#?}");
}

#[test]
fn users_in_flight_are_those_of_all_threads() {
    let target = target("target-echo", &["--service", "100ms"]);
    let place = Place::new();
    let url = format!("http://{}/", target.address());
    for threads in ["1", "3"] {
        let quick = ["quick", &url, "--users", "30", "--for", "12s", "--threads", threads, "--out", threads];
        let ran = place.loadproof(&quick);
        let told =
            ran.stderr.lines().filter_map(|line| line.split_once("in flight ")?.1.split(' ').next()?.parse().ok());
        // Thirty users never think: thirty are in flight but for the moments between two calls.
        let most = told.fold(0.0, f64::max);
        assert!((20.0..=30.1).contains(&most), "{threads} threads: {most} {ran:#?}");
    }
}

#[test]
fn a_host_without_an_address_is_found_before_the_start() {
    let place = Place::new();
    place.file("study.yaml", &study("http://no-such-host.invalid/", "{ arrivals: 50/s, hold: 1s }"));
    let told = "the host `no-such-host.invalid` cannot be resolved";
    let ran = place.loadproof(&["check", "study.yaml"]);
    assert_eq!(ran.code, 0, "the lab's hosts need not be known where a study is checked: {ran:#?}");
    assert!(ran.stderr.contains(&format!("warning: {told}")), "{ran:#?}");
    for arguments in [
        &["run", "study.yaml", "--out", "run"][..],
        &["check", "study.yaml", "--once"],
        &["quick", "http://no-such-host.invalid/", "--rate", "1/s", "--for", "1s", "--out", "run"],
    ] {
        let ran = place.loadproof(arguments);
        assert_eq!(ran.code, 2, "{ran:#?}");
        assert!(ran.stderr.contains(told) && !ran.stderr.contains("valid run"), "{ran:#?}");
        assert!(!place.path().join("run").exists());
        // Nobody wrote a study for `quick`, so there is no name in it to correct.
        let is_quick = arguments[0] == "quick";
        assert_eq!(ran.stderr.contains("correct the address in the command,"), is_quick, "{ran:#?}");
        assert_eq!(ran.stderr.contains("correct the name in the study,"), !is_quick, "{ran:#?}");
    }
    let proxy = ["--proxy", "http://no-such-host.invalid:3128"];
    let quick = ["quick", "http://127.0.0.1:1/", "--rate", "1/s", "--for", "1s"];
    let ran = place.loadproof(&[&quick[..], &proxy].concat());
    assert!(ran.code == 2 && ran.stderr.contains("correct the address after `--proxy`,"), "{ran:#?}");
}

#[test]
fn what_was_refused_leaves_its_place_free_and_its_logs_beside() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    let starting = |command: &str| {
        study("$(shop.url)/", "{ arrivals: 50/s, hold: 1s }")
            .replace("{ name: shop }", &format!("{{ name: shop, start: '{command}' }}"))
    };
    place.file("broken.sh", "#!/bin/sh\necho 'no such table'\nexit 3\n");
    place.file("study.yaml", &starting("sh broken.sh $(port)"));
    for logs in ["run.refused", "run.refused-2"] {
        let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
        assert_eq!(ran.code, 3, "{ran:#?}");
        assert!(ran.stderr.contains(&format!("{logs}`")), "the place of the logs is named: {ran:#?}");
        assert!(!place.path().join("run").exists(), "the next try can have it");
        let files = e2e::files(&place.path().join(logs));
        let log = std::fs::read_to_string(&files[0]).expect("a log");
        assert!(log.contains("no such table"), "{log}");
    }
    let url = format!("http://{}/", target.address());
    place.file("study.yaml", &study(&url, "{ arrivals: 50/s, hold: 1s }"));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!(place.path().join("run/report.html").exists(), "{ran:#?}");
}

#[test]
fn check_once_shows_every_answer_whatever_became_of_the_first() {
    let (broken, whole) = (target("target-echo", &["--errors", "100%"]), target("target-echo", &[]));
    let place = Place::new();
    let text = format!(
        "study: Once\nsystem: {{ name: shop }}\nexchanges:\n  \
         first: {{ http.get: {{ url: 'http://{}/' }} }}\n  second: {{ http.get: {{ url: 'http://{}/' }} }}\n\
         scenarios:\n  busy: {{ load: {{ arrivals: 5/s, hold: 1s }}, run: [first, second] }}\n",
        broken.address(),
        whole.address()
    );
    place.file("study.yaml", &text);
    let ran = place.loadproof(&["check", "study.yaml", "--once"]);
    assert_eq!(ran.code, 1, "{ran:#?}");
    let (first, second) = ran.stdout.split_once("second: ok").unwrap_or_else(|| panic!("{ran:#?}"));
    assert!(first.contains("first: status"), "{ran:#?}");
    // No check looks at the body; a person does.
    assert!(second.contains("{\"ok\":true}"), "{ran:#?}");
}

#[test]
fn a_report_is_told_in_a_few_lines() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    let url = format!("http://{}/", target.address());
    place.loadproof(&["quick", &url, "--rate", "20/s", "--for", "2s", "--out", "run"]);
    let ran = place.loadproof(&["report", "run", "--format", "html", "--format", "csv", "--format", "json"]);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{ran:#?}");
    let tables = std::fs::read_dir(place.path().join("run/tables")).expect("tables").count();
    assert!(ran.stderr.contains(&format!("wrote {tables} tables in run/tables")), "{ran:#?}");
    assert!(ran.stderr.contains("wrote run/report.html"), "{ran:#?}");
}

#[test]
fn a_study_may_come_on_standard_input_and_lends_its_run_its_name() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    let text = study(&format!("http://{}/", target.address()), "{ arrivals: 20/s, hold: 1s }");
    for (arguments, code) in [(&["check", "-"][..], vec![0]), (&["run", "-"], vec![0, 3])] {
        let mut command = Command::new(e2e::program("loadproof"));
        command.args(arguments).current_dir(place.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
        let ran = e2e::wait(child);
        assert!(code.contains(&ran.code), "{ran:#?}");
    }
    let empty = place.loadproof(&["check", "-"]);
    assert_eq!(empty.code, 2, "{empty:#?}");
    assert!(empty.stderr.contains("standard input"), "{empty:#?}");
    place.file("my-shop/study.yaml", &text);
    place.loadproof(&["run", "my-shop/study.yaml"]);
    let mut names: Vec<String> = std::fs::read_dir(place.path().join("runs"))
        .expect("runs")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() == 2 && names[0].ends_with("-screen") && names[1].ends_with("-my-shop"), "{names:?}");
}

#[test]
fn a_proxy_that_is_not_taken_is_told() {
    let place = Place::new();
    // An address of RFC 5737, to which nothing is sent by a check.
    place.file("study.yaml", &study("http://192.0.2.1/", "{ arrivals: 50/s, hold: 1s }"));
    let with = |name: &str| place.loadproof_with(&["check", "study.yaml"], &[(name, "http://127.0.0.1:3128")]);
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy"] {
        let ran = with(name);
        assert!(ran.stderr.contains(&format!("warning: `{name}` is set")) && ran.code == 0, "{ran:#?}");
    }
    for name in ["no_such_variable", "https_proxy"] {
        assert!(!with(name).stderr.contains("proxy"), "{name}");
    }
    let except = [("http_proxy", "http://127.0.0.1:3128"), ("no_proxy", "192.0.2.0/24")];
    assert!(!place.loadproof_with(&["check", "study.yaml"], &except).stderr.contains("proxy"));
}
