//! The same registrations through two real clusters of Kafka, while the group of consumers is dealt anew and while the disk of
//! a broker is full: what was accepted is found again, and no verdict says otherwise.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use super::studies;
use e2e::{Place, Ran, assert_balanced, descendants, leg, requirement, until, wait};
use serde_json::Value;
use std::fs::File;
use std::io::Write as _;
use std::process::{Child, Command};
use tempfile::TempDir;
use terms::Nanos;

/// Calls of 500 registrations, two in each second of a hold; after that everything drains.
const FEW: &str = "include: [registration-kafka.yaml]
study: A few registrations
scenarios:
  few:
    load: { arrivals: 2/s, hold: 10s, max_in_flight: 60, nodes: 1 }
    set_up: [ sign_in: per node ]
    run: [register]
    idle: 3s
    recovery: { until: drained(local.lag) and drained(central.lag), at_most: 1m }
order: [few]
";
const CALLS: u64 = 20;

/// A run of the study in a place of its own, with its Kafka clusters.
struct Running {
    place: Place,
    child: Child,
}

impl Running {
    /// Starts it, after `change` of the study of both clusters, and waits until a first call was answered.
    fn start(change: impl Fn(&str) -> String, set: &[&str]) -> Self {
        let place = Place::alone();
        studies(&place, "registration-kafka.yaml");
        let alter = |name: &str, change: &dyn Fn(&str) -> String| {
            let study = std::fs::read_to_string(place.path().join(name)).unwrap();
            place.file(name, &change(&study));
        };
        alter("registration-kafka.yaml", &change);
        // A capacity would have the generator's ceiling looked for first, which takes a third of the time.
        alter("registration-common.yaml", &|study| study.split_once("\ncapacity:\n").unwrap().0.to_owned() + "\n");
        place.file("few.yaml", FEW);
        let mut arguments = vec!["run", "few.yaml", "--out", "run"];
        arguments.extend(set.iter().flat_map(|one| ["--set", one]));
        let child = place.start(&arguments);
        let running = Self { place, child };
        let is_answered = || {
            let servers = running.all(&["system-auditlog", "register"]);
            servers.iter().any(|line| std::fs::metadata(flag(line, "--access-log")).is_ok_and(|log| log.len() > 0))
        };
        if !until(180, is_answered) {
            let mut child = running.child;
            child.kill().unwrap();
            panic!("no call was ever answered: {:#?}", wait(child));
        }
        running
    }

    /// Command lines of the processes of the run that have all of these words, or paths that end with them.
    fn all(&self, words: &[&str]) -> Vec<Vec<String>> {
        let of = |pid: u32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).split('\0').map(str::to_owned).collect::<Vec<_>>()
        };
        let lines = descendants(self.child.id()).into_iter().map(|(pid, _)| of(pid));
        let has = |line: &[String], word: &str| {
            let ends =
                |part: &String| part.strip_suffix(word).is_some_and(|path| path.is_empty() || path.ends_with('/'));
            line.iter().any(ends)
        };
        lines.filter(|line| words.iter().all(|word| has(line, word))).collect()
    }

    fn ended(self) -> Ended {
        let ran = wait(self.child);
        let result = self.place.result("run");
        let steps = result["scenarios"][0]["steps"].as_array().unwrap();
        let holds: Vec<Value> = steps.iter().filter(|step| step["intended"] != 0).cloned().collect();
        holds.iter().for_each(assert_balanced);
        Ended { place: self.place, ran, result, holds }
    }
}

/// What follows a flag on a command line.
fn flag<'a>(line: &'a [String], name: &str) -> &'a str {
    let place = line.iter().position(|part| part == name);
    place.and_then(|place| line.get(place + 1)).unwrap_or_else(|| panic!("no {name}: {line:?}"))
}

/// A run that is over, with its steps under load; their books are balanced.
struct Ended {
    place: Place,
    ran: Ran,
    result: Value,
    holds: Vec<Value>,
}

impl Ended {
    fn sum(&self, what: &str) -> u64 {
        self.holds.iter().map(|hold| hold[what].as_u64().unwrap()).sum()
    }

    fn verdict(&self, id: &str) -> &str {
        requirement(&self.result, id)["verdict"].as_str().unwrap()
    }

    /// Both sides of a reconciliation.
    fn sides(&self, id: &str) -> [u64; 2] {
        let found = requirement(&self.result, id);
        ["value", "limit"].map(|side| found[side].as_f64().unwrap_or_else(|| panic!("{side}: {found:#}")) as u64)
    }

    fn is_reconciled(&self, id: &str, count: u64) {
        let found = requirement(&self.result, id);
        assert_eq!((&found["verdict"], &found["reason_code"]), (&"met".into(), &"reconciled".into()), "{found:#}");
        assert_eq!(self.sides(id), [count; 2], "{found:#}");
    }

    fn log(&self, instance: &str) -> String {
        std::fs::read_to_string(self.place.path().join(format!("run/logs/{instance}.log"))).unwrap()
    }
}

/// A consumer host comes in the middle of the hold and takes half of the partitions, and is killed with work in its hands: the
/// group is dealt anew when it comes, and once more when its session is over.
#[test]
#[ignore = "two brokers and a MariaDB take up to a minute to start; `make parts`, then `cargo test -p e2e kafka -- --ignored`"]
fn a_group_that_is_dealt_anew_under_load_loses_nothing_and_shows_it() {
    let slow = ["members=6", "taking=50ms", "batch=50", "slow=500ms"];
    let running = Running::start(str::to_owned, &slow);
    let consumer = running.all(&["system-auditlog", "consume"]).remove(0);
    let (from, store) = (flag(&consumer, "--from"), flag(&consumer, "--store"));
    // By its name it is the first of three hosts, and has six of twelve partitions; the third one is left with none.
    let flags = ["consume", "--name", "consumer.0", "--members", "6", "--batch", "50", "--fault", "delay=500ms"];
    let guest = e2e::target("system-auditlog", &[&flags[..], &["--from", from, "--store", store]].concat());
    let has_worked = || guest.counter("partitions").unwrap() == 6 && guest.counter("stored").unwrap() > 0;
    assert!(until(30, has_worked), "{}", guest.get("/counters").unwrap());
    drop(guest);

    let ended = running.ended();
    assert!([0, 3].contains(&ended.ran.code), "{:#?}", ended.ran);
    assert_eq!(ended.result["run"]["end_reason"], "completed", "{:#?}", ended.ran);
    assert_eq!((ended.sum("completed"), ended.sum("failed")), (CALLS, 0), "{:#?}", ended.ran);
    for (id, each) in [("sent", 1), ("local", 500), ("central", 500), ("through", 500), ("stored", 475)] {
        ended.is_reconciled(id, CALLS * each);
    }
    // For some seconds six of 18 members had nothing to do.
    assert_ne!(ended.verdict("idle"), "met", "{:#}", requirement(&ended.result, "idle"));

    let run = record::Run::open(ended.place.path().join("run")).unwrap();
    let steps = run.steps().unwrap();
    let under_load = |at: Nanos| {
        let marks = steps.iter().filter(|mark| run.head.steps[mark.step as usize].phase == "hold").map(|mark| mark.at);
        marks.clone().min().unwrap() <= at && at <= marks.max().unwrap()
    };
    let events = run.events().unwrap();
    let dealt: Vec<_> =
        events.iter().filter(|event| event.kind == "rebalance" && event.subject == "consumers").collect();
    assert!(under_load(dealt.first().unwrap().at), "{dealt:#?}");
    let has = |text: &str| dealt.iter().any(|event| event.text.ends_with(text));
    assert!(has("Stable: 18 on 3 hosts, 6 of them idle") && has("Stable: 12 on 2 hosts, 0 of them idle"), "{dealt:#?}");
    let watched = std::fs::read_to_string(ended.place.path().join("run/tables/system-0-few-table.csv")).unwrap();
    for metric in ["central.members", "central.assigned"] {
        let row = watched.lines().find(|line| line.starts_with(&format!("{metric},consumer.0,")));
        // Its greatest value: the others have been there all the time.
        assert_eq!(row.and_then(|row| row.split(',').nth(5)), Some("6"), "{row:?}");
    }
}

/// A file system of its own, on which everything else can be filled; unmounted when it goes.
struct Disk(TempDir);

impl Disk {
    /// None where this user may not mount one.
    fn mount() -> Option<Self> {
        let at = tempfile::tempdir().unwrap();
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64m", "tmpfs"]).arg(at.path()).output();
        let is_mounted = mount.is_ok_and(|output| output.status.success());
        if !is_mounted {
            println!("not tried: this user may not mount a file system (type it as root)");
        }
        is_mounted.then_some(Self(at))
    }

    /// The study with the data of this cluster here, kept when it ends.
    fn takes(&self, cluster: &str, more: &str) -> impl Fn(&str) -> String {
        let (usual, here) =
            (format!("--data $(scratch)/{cluster}"), format!("--data {}/kafka --keep {more}", self.0.path().display()));
        move |study| {
            let changed = study.replace(&usual, &here);
            assert_ne!(changed, study);
            changed
        }
    }

    fn fill(&self) {
        let mut filler = File::create(self.0.path().join("filler")).unwrap();
        let error = std::iter::repeat_with(|| filler.write_all(&[0; 4096])).find_map(Result::err).unwrap();
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    }

    fn make_room(&self) {
        std::fs::remove_file(self.0.path().join("filler")).unwrap();
    }

    /// Records in all partitions, by the files: of each batch the number of its first record, its length, and how many
    /// records follow the first. What was being written when the disk was full is no whole batch, and was never acknowledged.
    ///
    /// Source: Kafka's documentation, "Record Batch".
    fn records(&self) -> u64 {
        let folders = std::fs::read_dir(self.0.path().join("kafka/data")).unwrap().map(|entry| entry.unwrap().path());
        let topic = folders.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("registrations-"));
        topic.map(|partition| end_offset(&std::fs::read(partition.join("00000000000000000000.log")).unwrap())).sum()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("--lazy").arg(self.0.path()).status());
    }
}

fn end_offset(mut log: &[u8]) -> u64 {
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let mut end = 0;
    while let Some(head) = log.get(..61) {
        let length = 12 + number(&head[8..12]) as usize;
        let Some(rest) = log.get(length..) else { break };
        end = number(&head[..8]) + number(&head[23..27]) + 1;
        log = rest;
    }
    end
}

/// Without room a broker stops by itself, and with the only one of its kind the run is over: it says so, counts what was
/// refused, and calls nothing right.
#[test]
#[ignore = "two brokers and a MariaDB take up to a minute to start; `make parts`, then `cargo test -p e2e kafka -- --ignored`"]
fn a_broker_whose_disk_is_full_ends_the_run_and_what_it_acknowledged_is_there() {
    let Some(disk) = Disk::mount() else { return };
    let running = Running::start(disk.takes("local", ""), &["members=6", "taking=50ms"]);
    disk.fill();
    let ended = running.ended();
    assert_eq!(ended.ran.code, 1, "{:#?}", ended.ran);
    let run = &ended.result["run"];
    assert_eq!(run["end_reason"], "target", "{run:#}");
    assert!(run["end_text"].as_str().unwrap().starts_with("`local` ended with exit code 1"), "{run:#}");
    assert!(
        ended.log("local").lines().any(|line| line.starts_with("ERROR") && line.contains("No space left on device"))
    );

    let (completed, failed) = (ended.sum("completed"), ended.sum("failed"));
    assert!(completed > 0 && failed > 0 && ended.sum("intended") < CALLS, "{:#?}", ended.ran);
    let refused =
        ended.holds.iter().map(|hold| leg(hold, "register", "all")["classes"]["status"].as_u64().unwrap_or(0));
    assert_eq!(refused.sum::<u64>(), failed, "{:#?}", ended.holds);
    assert_eq!(ended.verdict("alive"), "not_met", "{:#}", requirement(&ended.result, "alive"));
    for id in ["sent", "errors", "local", "central", "through", "stored", "soon"] {
        assert_ne!(ended.verdict(id), "met", "{:#}", requirement(&ended.result, id));
    }
    let findings = ended.result["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["rule"] == "DOWN" && finding["scope"] == "local"), "{findings:#?}");

    // Of calls that it refused it may have some records, and none of those is lost either.
    let records = disk.records();
    assert!((completed * 500..=(completed + failed) * 500).contains(&records), "{records} of {completed} and {failed}");
    // What came through is stored; the rest waits on the full disk.
    let [central, stored] = ended.sides("through");
    assert!(central == stored && stored <= records, "{central} {stored} of {records}");
}

/// Somebody makes room, and the broker comes back: what could not be handed on meanwhile is, and then all counts agree.
#[test]
#[ignore = "two brokers and a MariaDB take up to a minute to start; `make parts`, then `cargo test -p e2e kafka -- --ignored`"]
fn a_broker_that_finds_room_again_is_caught_up_with() {
    let Some(disk) = Disk::mount() else { return };
    let running = Running::start(disk.takes("central", "--restart-after 1s"), &["members=6", "taking=50ms"]);
    let server = format!("{}/kafka/server.properties", disk.0.path().display());
    let brokers = || running.all(&["kafka.Kafka", &server]).len();
    assert_eq!(brokers(), 1);
    disk.fill();
    assert!(until(30, || brokers() == 0), "the broker works on without room");
    disk.make_room();

    let ended = running.ended();
    assert!([0, 3].contains(&ended.ran.code), "{:#?}", ended.ran);
    assert_eq!(ended.result["run"]["end_reason"], "completed", "{:#?}", ended.ran);
    // The cluster that calls are accepted in has never been without room.
    assert_eq!((ended.sum("completed"), ended.sum("failed")), (CALLS, 0), "{:#?}", ended.ran);
    assert!(ended.log("central").contains("No space left on device"), "{}", ended.log("central"));
    for (id, each) in [("sent", 1), ("local", 500), ("stored", 475)] {
        ended.is_reconciled(id, CALLS * each);
    }
    // The mirror writes again what it was not told of: it may be there twice, which shows, and is stored once.
    let [local, central] = ended.sides("central");
    assert!(local == CALLS * 500 && central >= local, "{local} {central}");
    assert_eq!(ended.verdict("central") == "met", central == local, "{:#}", requirement(&ended.result, "central"));
    ended.is_reconciled("through", central);
    assert_eq!(disk.records(), central);

    let run = record::Run::open(ended.place.path().join("run")).unwrap();
    let events = run.events().unwrap();
    assert!(events.iter().any(|event| event.kind == "no_sample" && event.subject == "central"), "the outage shows");
    // Drained is drained, whoever could not be asked before.
    assert!(events.iter().any(|event| event.kind == "rested"), "{events:#?}");
}
