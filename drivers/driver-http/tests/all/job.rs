//! Jobs: started by one request, asked for until they are done, each way of going wrong as the right kind of failure.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{Cancel, Capture, Interest, Probe, Settings};
use driver_http::JOB;
use std::io::Write;
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, Surroundings, capture, map, mistakes, ok, reset, text};

fn settings(entries: &[(&str, &str)]) -> Settings {
    testkit::settings("import", 0, "http", entries)
}

/// A job that is asked for every 20 ms.
fn job(server: &Server, more: &[(&str, &str)]) -> Settings {
    let url = format!("{}import", server.url());
    let mut entries = vec![("start", url.as_str()), ("poll", "json($.state) = done"), ("every", "20ms")];
    entries.extend_from_slice(more);
    settings(&entries)
}

fn lab(settings: &Settings) -> Lab {
    Lab::with(JOB, std::slice::from_ref(settings), Surroundings::rows(&[b"books"]))
}

fn accepted(location: &str) -> String {
    format!("HTTP/1.1 202 Accepted\r\nLocation: {location}\r\nContent-Length: 8\r\n\r\n{{\"id\":7}}")
}

/// Gives these answers one after another, on whatever connections come.
fn scripted(answers: Vec<String>) -> Server {
    Server::replying(move |number, _, stream| match answers.get(number).map(String::as_str) {
        None => false,
        Some("reset") => {
            reset(stream);
            false
        }
        Some(answer) => stream.write_all(answer.as_bytes()).is_ok() && !answer.contains("Connection: close"),
    })
}

/// First lines of the requests that came.
fn lines(server: &Server) -> Vec<String> {
    server.requests.try_iter().map(|request| request.line().to_owned()).collect()
}

#[test]
fn a_job_is_started_once_and_asked_for_until_it_is_done() {
    let running = ok(r#"{"state":"running"}"#);
    let server = scripted(vec![accepted("/jobs/7"), running.clone(), running, ok(r#"{"state":"done","rows":9}"#)]);
    let settings = Settings { captures: vec![capture(Probe::Json("$.rows".into()))], ..job(&server, &[]) };
    let mut lab = lab(&settings);
    let clock = lab.clock.clone();
    let began = clock.now();
    let seen = lab.run(0);
    assert_eq!((seen.outcome, seen.bytes, seen.note.as_str()), (Outcome::Ok, 25, ""));
    assert!(clock.now() - began >= Nanos::from_millis(60), "three polls lie 20 ms apart");
    let sent = lines(&server);
    assert_eq!(sent, ["POST /import HTTP/1.1", "GET /jobs/7 HTTP/1.1", "GET /jobs/7 HTTP/1.1", "GET /jobs/7 HTTP/1.1"]);
    assert_eq!(lab.recorder.captures_of(0)[0].as_deref(), Some(b"9".as_slice()), "captured from the last answer");
    assert_eq!((seen.counters[0], server.accepted()), (1, 1), "all on one connection");
}

#[test]
fn headers_and_bodies_are_sent_and_the_address_comes_from_where_at_says() {
    let server = scripted(vec![accepted("/elsewhere"), ok(r#"{"state":"done"}"#)]);
    let more = [("at", "/jobs/{json($.id)}/state"), ("bearer", "key"), ("body", "set=$(row.value)"), ("method", "put")];
    assert_eq!(lab(&job(&server, &more)).run(0).outcome, Outcome::Ok);
    let requests: Vec<_> = server.requests.try_iter().collect();
    assert_eq!((requests[0].line(), requests[0].text().as_str()), ("PUT /import HTTP/1.1", "set=books"));
    assert_eq!(requests[1].line(), "GET /jobs/7/state HTTP/1.1");
    assert!(requests.iter().all(|request| request.head.contains("Authorization: Bearer key\r\n")));
    assert!(!requests[1].head.contains("Content-Length"), "asking has no body");
}

/// The outcome and note of a job whose server gives these answers.
fn after(more: &[(&str, &str)], answers: &[&str]) -> (Outcome, String, usize) {
    let server = scripted(answers.iter().map(|answer| (*answer).to_owned()).collect());
    let mut lab = lab(&job(&server, more));
    lab.deadline = Nanos::from_secs(5);
    let seen = lab.run(0);
    (seen.outcome, seen.note, lines(&server).len())
}

#[test]
fn each_way_of_going_wrong_is_its_own_failure() {
    let at = accepted("/jobs/7");
    let busy = ok(r#"{"state":"running"}"#);
    let oops = "HTTP/1.1 500 Oops\r\nContent-Length: 3\r\n\r\nno!";
    let failed = ok(r#"{"state":"failed","why":"lock"}"#);
    for (more, answers, outcome, requests) in [
        (vec![], vec![oops], Outcome::Status, 1),
        (vec![], vec!["reset"], Outcome::Reset, 1),
        (vec![], vec![&ok("{}")], Outcome::Wrong, 1),
        (vec![], vec![&accepted("http://127.0.0.1:1/jobs/7")], Outcome::Wrong, 1),
        (vec![], vec![&at, &busy, oops], Outcome::Status, 3),
        (vec![], vec![&at, &busy, "reset"], Outcome::Reset, 3),
        (
            vec![],
            vec![&at, &busy, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{"],
            Outcome::Partial,
            3,
        ),
        (vec![("failed", "json($.state) = failed")], vec![&at, &busy, &failed], Outcome::Fault, 3),
        (vec![("poll", "status = 200")], vec![&at, &at, &ok("")], Outcome::Ok, 3),
        (vec![("poll", "status = 200")], vec![&at, oops], Outcome::Status, 2),
    ] as [(Vec<(&str, &str)>, Vec<&str>, Outcome, usize); 10]
    {
        let settings: Vec<(&str, &str)> = more.clone();
        let server = scripted(answers.iter().map(|answer| (*answer).to_owned()).collect());
        let url = format!("{}import", server.url());
        let mut entries = vec![("start", url.as_str()), ("every", "20ms")];
        if !settings.iter().any(|(key, _)| *key == "poll") {
            entries.push(("poll", "json($.state) = done"));
        }
        entries.extend(settings);
        let seen = lab(&self::settings(&entries)).run(0);
        assert_eq!(seen.outcome, outcome, "{answers:?}: {}", seen.note);
        assert_eq!(lines(&server).len(), requests, "{answers:?}");
        assert_eq!(seen.note.is_empty(), outcome == Outcome::Ok, "{answers:?}: {}", seen.note);
    }
    // A poll that meets the end of an idle connection is sent once more, and no third time.
    for (last, outcome) in [(ok(""), Outcome::Ok), ("reset".to_owned(), Outcome::Reset)] {
        let server = scripted(vec![at.clone(), "reset".to_owned(), last]);
        let url = format!("{}import", server.url());
        let entries = [("start", url.as_str()), ("every", "510ms"), ("poll", "status = 200")];
        let seen = lab(&settings(&entries)).run(0);
        assert_eq!((seen.outcome, lines(&server).len()), (outcome, 3), "{}", seen.note);
    }
    let (_, note, _) = after(&[("failed", "json($.state) = failed")], &[&at, &failed]);
    assert!(note.contains("the job has failed") && note.contains("lock"), "{note}");
}

#[test]
fn a_job_that_is_not_done_in_time_is_a_timeout_and_says_where_it_was() {
    let answers = std::iter::once(accepted("/jobs/7")).chain((0..1000).map(|_| ok(r#"{"state":"row 3"}"#)));
    let server = scripted(answers.collect());
    let mut lab = lab(&job(&server, &[]));
    lab.deadline = Nanos::from_millis(300);
    let seen = lab.run(0);
    assert_eq!(seen.outcome, Outcome::Timeout);
    assert!(seen.note.contains("`row 3`") || seen.note.contains("the request was sent"), "{}", seen.note);
}

#[test]
fn a_stop_in_the_middle_closes_the_leg_once_and_the_next_job_is_a_new_one() {
    let done = ok(r#"{"state":"done"}"#);
    let server = scripted(vec![accepted("/jobs/1"), accepted("/jobs/2"), done]);
    let mut lab = lab(&Settings {
        node: map(&[
            ("start", text(format!("{}import", server.url()))),
            ("poll", text("json($.state) = done")),
            ("every", text("1h")),
        ]),
        ..job(&server, &[])
    });
    let mut interest = lab.begin(0, 0);
    while !matches!(interest, Interest::WakeAt(_)) {
        assert!(lab.wait(Nanos::from_secs(10)));
        interest = lab.call(0);
    }
    assert_eq!(lab.call(0), interest, "an event before its time does not move the poll");
    assert_eq!((lab.cancel(0, Cancel::Abort), lab.cancel(0, Cancel::Abort)), (Some(Outcome::Aborted), None));
    assert!(!matches!(lab.begin(0, 0), Interest::Idle | Interest::Gone));
    lab.cancel(0, Cancel::StepEnd);
}

#[test]
fn a_connection_that_the_server_closes_between_polls_is_no_failure() {
    let busy = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}".to_owned();
    let server = scripted(vec![accepted("/jobs/7"), busy, ok(r#"{"state":"done"}"#)]);
    let seen = lab(&job(&server, &[])).run(0);
    assert_eq!((seen.outcome, server.accepted(), lines(&server).len()), (Outcome::Ok, 2, 3), "{}", seen.note);
}

#[test]
fn mistakes_come_at_once_with_hints() {
    let wrong = settings(&[
        ("start", "ftp://x"),
        ("method", "pots"),
        ("poll", "stat = done"),
        ("every", "1ms"),
        ("at", "/jobs"),
        ("evrey", "1s"),
    ]);
    let found = mistakes(JOB, wrong, &Surroundings::default());
    let codes: Vec<_> = found.iter().map(|mistake| mistake.code).collect();
    for code in [
        "http::bad-url",
        "study::unknown-word",
        "study::bad-check",
        "study::out-of-range",
        "job::bad-address",
        "study::unknown-key",
    ] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
    let empty = mistakes(JOB, settings(&[]), &Surroundings::default());
    let messages: Vec<_> = empty.iter().map(|mistake| mistake.message.as_str()).collect();
    assert_eq!(messages, ["exchange `import` has no `start`", "exchange `import` has no `poll`"]);
}

#[test]
fn its_words_are_those_of_its_counters() {
    testkit::words::of_driver(&JOB);
}

#[test]
fn a_job_carries_as_many_units_as_its_last_answer_says() {
    let units = || Capture { name: "rows".into(), slot: contract::UNITS_SLOT, ..capture(Probe::Json("$.rows".into())) };
    let ends = |last: &str| {
        let server = scripted(vec![accepted("/jobs/7"), ok(r#"{"state":"running","rows":3}"#), ok(last)]);
        let settings = Settings { captures: vec![units()], ..job(&server, &[]) };
        let mut lab = lab(&settings);
        let outcome = lab.carry_out(0);
        let rows = lab.recorder.drain().fold();
        let note = rows.notes.first().map(|note| note.text.clone()).unwrap_or_default();
        (outcome, note, rows.legs.iter().map(|row| row.units).sum::<u64>())
    };
    let (outcome, note, rows) = ends(r#"{"state":"done","rows":900}"#);
    assert_eq!((outcome, note.as_str(), rows), (Outcome::Ok, "", 900));
    let (outcome, note, _) = ends(r#"{"state":"done","rows":"all"}"#);
    assert_eq!(outcome, Outcome::Wrong);
    assert!(note.starts_with("no number of rows: found `all`, not a whole number"), "{note}");
}
