//! Connections that are held open, against the streaming system: what was planned stays in the books.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, assert_balanced, root, step};
use serde_json::Value;

/// Forty connections with five messages a second each, which open within two seconds.
const PLANNED: u64 = 40 * 5 * 4;

fn run(faults: &str) -> (Value, e2e::Ran) {
    run_with(faults, "")
}

/// With more keys of `ws.talk`.
fn run_with(faults: &str, more: &str) -> (Value, e2e::Ran) {
    let place = Place::new();
    place.file(
        "study.yaml",
        &format!(
            "study: Held\nsystem:\n  name: streaming\n  instances:\n    backend: {{ start: system-streaming backend --port $(port) $(faults), faults: {{ {faults} }} }}\n\
             exchanges:\n  echo:\n    ws.talk: {{ url: $(backend.url)/echo, message: $(message.n) $(text(100B)){more} }}\n\
             \x20   legs: {{ connect: {{ within: 5s }}, answer: {{ within: 3s, check: [ body = reverse(sent) ] }} }}\n\
             scenarios:\n  talk: {{ load: {{ connections: 40, each: 5/s, ramp: {{ over: 2s }}, hold: 4s }}, run: [echo] }}\n\
             requirements:\n  connected: count(echo.connect.failed) = 0\n  echoed: share(echo.answer.ok) >= 99%\n"
        ),
    );
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    let result = place.result("run");
    for scenario in result["scenarios"].as_array().expect("scenarios") {
        scenario["steps"].as_array().expect("steps").iter().for_each(assert_balanced);
    }
    let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(report.contains("talk with 40 connections held open, each sending every 200"), "{ran:#?}");
    (result, ran)
}

/// Ends of one leg in a step, of all classes or of one.
fn count(step: &Value, leg: &str, outcome: &str, class: Option<&str>) -> u64 {
    let exchanges = step["exchanges"].as_array().unwrap();
    let legs = exchanges.iter().flat_map(|exchange| exchange["legs"].as_array().unwrap());
    let found = legs.filter(|found| (&found["id"], &found["outcome"]) == (&Value::from(leg), &Value::from(outcome)));
    let of = |found: &Value| match class {
        Some(class) => found["classes"][class].as_u64().unwrap_or(0),
        None => found["count"].as_u64().unwrap(),
    };
    found.map(of).sum()
}

#[test]
fn every_planned_message_of_held_connections_is_sent_and_answered() {
    let (result, ran) = run("");
    let (ramp, hold) = (step(&result, "talk", "ramp"), step(&result, "talk", "hold"));
    assert_eq!(hold["intended"], PLANNED, "{ran:#?}");
    assert_eq!((&hold["failed"], count(hold, "sent", "ok", None)), (&Value::from(0), PLANNED), "{hold:#}");
    assert_eq!(count(hold, "answer", "ok", None), PLANNED);
    // Each connection opens once, in the ramp, and is in the books of no message.
    assert_eq!(count(ramp, "connect", "ok", None), 40, "{ramp:#}");
    assert_eq!(ramp["intended"], count(ramp, "sent", "ok", None));
}

#[test]
fn what_a_refused_connection_could_not_send_is_counted_as_failed() {
    // Ten of forty are refused: a quarter of the messages, which a share among those that were sent would not show.
    let (result, ran) = run("connections: 30");
    let (ramp, hold) = (step(&result, "talk", "ramp"), step(&result, "talk", "hold"));
    assert_eq!((count(ramp, "connect", "ok", None), count(ramp, "connect", "failed", None)), (30, 10), "{ran:#?}");
    assert_eq!((&hold["intended"], &hold["failed"]), (&Value::from(PLANNED), &Value::from(PLANNED / 4)), "{hold:#}");
    assert_eq!(count(hold, "answer", "ok", None), PLANNED * 3 / 4);
    // Neither sent nor answered, and one message all the same.
    let lost = ramp["failed"].as_u64().unwrap() + PLANNED / 4;
    assert!(ran.stderr.contains(&format!("echo: status {lost} times")), "{lost}: {ran:#?}");
}

#[test]
fn lost_doubled_and_wrong_answers_are_told_apart() {
    let (result, _) = run("drop_every: 50, double_every: 70, wrong_every: 90");
    let (mut kinds, mut planned) = (std::collections::BTreeMap::<String, u64>::new(), 0);
    for id in ["ramp", "hold"] {
        let step = step(&result, "talk", id);
        planned += step["intended"].as_u64().unwrap();
        for class in ["ok", "missing", "wrong", "duplicate"] {
            *kinds.entry(class.to_owned()).or_default() += count(step, "answer", "all", Some(class));
        }
    }
    assert_eq!(kinds["missing"], planned / 50, "{kinds:?} of {planned}");
    assert!(kinds["wrong"] > 0 && kinds["duplicate"] > 0, "{kinds:?}");
    assert_eq!(kinds["ok"] + kinds["missing"] + kinds["wrong"], planned, "{kinds:?}");
}

#[test]
fn connections_that_are_cut_come_back_where_that_is_declared() {
    let kinds = |more: &str| {
        let (result, ran) = run_with("cut_after: 1s", more);
        let hold = step(&result, "talk", "hold");
        let of = |leg: &str| {
            let classes = ["ok", "missing", "wrong", "reset", "partial", "refused", "timeout"];
            let all = classes.map(|class| count(hold, leg, "all", Some(class)));
            assert_eq!(
                (&hold["intended"], all.iter().sum()),
                (&Value::from(PLANNED), PLANNED),
                "{leg} {ran:#?} {hold:#}"
            );
            all
        };
        let ([sent, ..], [echoed, ..]) = (of("sent"), of("answer"));
        assert!(echoed <= sent, "{echoed} of {sent}");
        assert_eq!(count(step(&result, "talk", "ramp"), "connect", "all", None), 40, "opening again is not a leg");
        echoed
    };
    // Of each second 100 ms and the way there are lost.
    let again = kinds(", reconnect: { at_most: 20, wait: 100ms }");
    assert!(again > PLANNED * 7 / 10 && again < PLANNED, "{again}");
    let never = kinds("");
    assert!(never < PLANNED / 2, "{never}");
}

#[test]
fn the_streaming_studies_are_right_and_say_beforehand_what_they_take() {
    let told = |name: &str, wanted: &[&str]| {
        let study = root().join("studies/streaming").join(name);
        let ran = Place::new().loadproof(&["check", &study.to_string_lossy()]);
        assert_eq!(ran.code, 0, "{ran:#?}");
        for wanted in wanted {
            assert!(ran.stdout.contains(wanted), "{wanted}: {ran:#?}");
        }
    };
    told(
        "websocket.yaml",
        &["websocket_rate_10_s_open_400_size_500B", "400 connections", "1200000 messages", "time 2 of 3"],
    );
    told("sse.yaml", &["sse_open_5000", "5000 connections", "15000000 messages"]);
    told("websub.yaml", &["websub_open_10000", "10000 subscribers"]);
    told("ramp-up.yaml", &["ramp_up_over_15m_open_1000", "1000 connections"]);
}
