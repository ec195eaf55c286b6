//! The embedded log: what it keeps through a kill, and how it deals partitions to members, asked over its own interface.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use serde_json::{Value, json};
use testkit::program::{Answer, Process, wait_until};

use crate::support::{Folder, command, start};

/// One record's frame, by other hands than the program's.
fn frame(key: &str, value: &str) -> Vec<u8> {
    let mut content = vec![0; 8];
    content.extend((key.len() as u16).to_be_bytes());
    content.extend(key.as_bytes());
    content.extend(value.as_bytes());
    let head = [(content.len() as u32).to_be_bytes(), crc32fast::hash(&content).to_be_bytes()];
    [head.concat(), content].concat()
}

fn produce(log: &Process, keys: std::ops::Range<u32>) -> Answer {
    let frames: Vec<u8> = keys.flat_map(|key| frame(&format!("{key:010}"), "value")).collect();
    log.call("POST", "/topics/registrations/records", &[], frames)
}

fn ask(log: &Process, path: &str, question: Value) -> Answer {
    log.call("POST", path, &[], question.to_string())
}

#[test]
fn what_was_acknowledged_outlives_a_kill_and_what_was_torn_is_cut_off() {
    let folder = Folder::new();
    let data = folder.path("log");
    let line = format!("log --partitions 3 --data {}", data.display());
    let log = start(&line);
    let answer = produce(&log, 0..100);
    assert_eq!((answer.status, answer.json()), (200, json!({ "records": 100 })));
    let ends = log.counters()["topics"]["registrations"]["ends"].clone();
    drop(log); // by SIGKILL
    let torn = data.join("topics/registrations/1.log");
    let whole = std::fs::read(&torn).unwrap();
    std::fs::write(&torn, [&whole[..], &frame("0000000001", "half")[..20]].concat()).unwrap();
    let log = start(&line);
    let counters = log.counters();
    assert_eq!((&counters["topics"]["registrations"]["ends"], &counters["log"]["cut_bytes"]), (&ends, &20.into()));
    assert_eq!(produce(&log, 100..110).status, 200);
    assert_eq!(log.counters()["topics"]["registrations"]["records"], 110);
}

#[test]
fn a_log_without_a_folder_takes_its_files_with_it_and_a_full_one_takes_no_more() {
    let folder = Folder::new();
    let beside = folder.path("temporary");
    std::fs::create_dir(&beside).unwrap();
    let mut starting = command("log --most 1kB");
    starting.env("TMPDIR", &beside);
    let mut log = Process::from(starting);
    assert_eq!(std::fs::read_dir(&beside).unwrap().count(), 1);
    assert_eq!(produce(&log, 0..20).status, 200);
    let answer = produce(&log, 20..40);
    assert!(answer.status == 507 && answer.body.contains("the log is full"), "{answer:?}");
    assert_eq!(log.counters()["topics"]["registrations"]["records"], 20);
    log.signal("TERM");
    assert!(log.ended().success());
    assert_eq!(std::fs::read_dir(&beside).unwrap().count(), 0, "its files are gone");
}

#[test]
fn members_are_dealt_by_range_and_those_of_an_old_generation_are_fenced() {
    let log = start("log --partitions 4 --session 1s");
    assert_eq!(produce(&log, 0..400).status, 200);
    let join = |member: &str| {
        let host = member.split('-').next().unwrap();
        let question = json!({ "topic": "registrations", "member": member, "host": host, "instance": 7 });
        loop {
            let answer = ask(&log, "/groups/readers/join", question.clone());
            match answer.status {
                200 => return answer.json(),
                202 => {}
                _ => panic!("{answer:?}"),
            }
        }
    };
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| join("a-1"));
        let second = scope.spawn(|| join("b-1"));
        (first.join().unwrap(), second.join().unwrap())
    });
    let generation = first["generation"].as_u64().unwrap();
    assert_eq!(second["generation"], generation);
    assert_eq!((&first["from"], &second["from"]), (&json!({"0": 0, "1": 0}), &json!({"2": 0, "3": 0})));

    let commit = |member: &str, generation: u64, offsets: Value| {
        let question = json!({ "member": member, "generation": generation, "offsets": offsets });
        ask(&log, "/groups/readers/commit", question).status
    };
    assert_eq!(commit("a-1", generation, json!({"0": 5})), 200);
    assert_eq!(commit("a-1", generation, json!({"2": 5})), 400, "it is the other one's");
    assert_eq!(commit("c-1", generation, json!({"0": 5})), 410, "who is that?");
    let page = log.get("/metrics").body;
    for line in [
        "auditlog_committed_offset{group=\"readers\",topic=\"registrations\",partition=\"0\"} 5",
        "auditlog_assigned_partitions{group=\"readers\",host=\"a\"} 2",
        "auditlog_members{group=\"readers\",host=\"b\"} 1",
        "auditlog_idle_members{group=\"readers\"} 0",
        "auditlog_consumed_total{group=\"readers\",host=\"a\"} 5",
    ] {
        assert!(page.lines().any(|found| found == line), "{line} in {page}");
    }
    let ends: Vec<u64> = serde_json::from_value(log.counters()["topics"]["registrations"]["ends"].clone()).unwrap();
    let lag = format!("auditlog_lag{{group=\"readers\",topic=\"registrations\",partition=\"0\"}} {}", ends[0] - 5);
    assert!(page.contains(&lag), "{lag} in {page}");

    // The second one falls silent, the first one goes on; what is silent too long is left out and fenced.
    wait_until("the silent member to be left out", || {
        let question = json!({ "member": "a-1", "generation": generation });
        ask(&log, "/groups/readers/beat", question).status == 409
    });
    let alone = join("a-1");
    assert_eq!(alone["from"], json!({"0": 5, "1": 0, "2": 0, "3": 0}));
    assert_eq!(commit("b-1", generation, json!({"2": 5})), 410);
    assert_eq!(commit("a-1", generation, json!({"0": 6})), 409, "its own, of the generation before");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let log = start("log");
    for (path, body, status) in [
        ("/topics/other/records", "", 404),
        ("/topics/registrations/records", "no frames", 400),
        ("/topics/registrations/fetch", "{}", 400),
        ("/topics/registrations/fetch", r#"{"from":{"12":0},"most":1,"wait_ms":0}"#, 400),
        ("/topics/registrations/fetch", r#"{"from":{"0":1},"most":1,"wait_ms":0}"#, 400),
        ("/groups/a/join", r#"{"topic":"registrations","member":"../x","host":"h","instance":1}"#, 400),
        ("/groups/a/beat", r#"{"member":"m","generation":1}"#, 410),
    ] {
        let answer = log.call("POST", path, &[], body);
        assert_eq!(answer.status, status, "{path} {body}: {answer:?}");
    }
    let output = command("log --data /dev/null/x").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("cannot create"), "{said}");
}
