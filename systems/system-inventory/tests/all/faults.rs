//! Every fault does what it says, in the share that it says, and nothing else.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use crate::support::{Folder, System, command, start};
use testkit::program::{Link, PATIENCE, Process};

const PATH: &str = "/holdings-storage/holdings?limit=1";

fn holdings(flags: &str) -> (Folder, Process) {
    let folder = Folder::new();
    let process = start(&format!("holdings --store {} --instances 50 --seed 1 {flags}", folder.store()));
    (folder, process)
}

/// What became of so many calls, each on a connection of its own.
#[derive(Debug, Default, PartialEq)]
struct Outcomes {
    right: u32,
    status: u32,
    wrong: u32,
    reset: u32,
    cut: u32,
}

fn outcomes(process: &Process, calls: u32) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for _ in 0..calls {
        let place = match process.try_call("GET", PATH, &[], "") {
            Ok(answer) if answer.status != 200 => &mut outcomes.status,
            Ok(answer) if answer.json()["totalRecords"].as_u64() > Some(0) => &mut outcomes.right,
            Ok(_) => &mut outcomes.wrong,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => &mut outcomes.reset,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => &mut outcomes.cut,
            Err(error) => panic!("{error}"),
        };
        *place += 1;
    }
    outcomes
}

#[test]
fn each_share_is_exact_over_whole_blocks_of_calls() {
    let (_folder, process) = holdings("--fault errors=25% --fault reset=12.5% --fault half=6.25% --fault wrong=12.5%");
    let expected = Outcomes { right: 56, status: 32, wrong: 16, reset: 16, cut: 8 };
    assert_eq!(outcomes(&process, 128), expected);
    let counters = process.counters();
    let faults = &counters["faults"];
    assert_eq!([&faults["errors"], &faults["reset"], &faults["half"], &faults["wrong"]], [32, 16, 8, 16]);
    let list = &counters["requests"]["GET /holdings-storage/holdings"];
    assert_eq!(*list, serde_json::json!({ "0": 16, "200": 80, "500": 32 }));
    assert_eq!(counters["pool"]["taken"], 96, "errors are not carried out, everything else is");
}

#[test]
fn a_gateway_does_not_try_again_when_a_module_breaks_off() {
    let system = System::with("", "--fault reset=100%", "");
    let token = system.token();
    for _ in 0..5 {
        let answer = system.gateway.call("GET", PATH, &[("x-okapi-token", &token)], "");
        assert_eq!(answer.status, 502, "{answer:?}");
    }
    assert_eq!(system.holdings.counters()["started"], 5);
    assert_eq!(system.gateway.counters()["upstream"]["holdings"]["broken"], 5);
}

#[test]
fn a_slow_module_is_504_and_the_other_one_is_not() {
    let system = System::with("", "--fault delay=3s --pool 1", "--upstream-timeout 1s");
    let token = system.token();
    let okapi = [("x-okapi-token", token.as_str())];
    let slow = system.gateway.call("GET", PATH, &okapi, "");
    assert_eq!((slow.status, slow.header("content-type")), (504, Some("text/plain")));
    assert!(slow.body.contains("took longer than 1s"), "{slow:?}");
    // The one connection is still held by the first call, so the second waits for it and gives up waiting.
    assert_eq!(system.gateway.call("GET", PATH, &okapi, "").status, 504);
    assert_eq!(system.gateway.call("GET", "/source-storage/source-records?limit=1", &okapi, "").status, 200);
    let holdings = system.holdings.counters_until(|c| c["in_flight"] == 0 && c["pool"]["busy"] == 0);
    assert_eq!(holdings["requests"]["GET /holdings-storage/holdings"]["499"], 2, "the client was gone: {holdings:#}");
    assert_eq!((&holdings["pool"]["waits"], &holdings["pool"]["waiting"]), (&1.into(), &0.into()));
    let upstream = &system.gateway.counters()["upstream"];
    assert_eq!((&upstream["holdings"]["timed_out"], &upstream["records"]["answered"]), (&2.into(), &1.into()));
}

#[test]
fn a_module_that_is_gone_is_502() {
    let mut system = System::start();
    let token = system.token();
    let okapi = [("x-okapi-token", token.as_str())];
    assert_eq!(system.gateway.call("GET", PATH, &okapi, "").status, 200);
    system.holdings.child.kill().unwrap();
    system.holdings.ended();
    for _ in 0..3 {
        assert_eq!(system.gateway.call("GET", PATH, &okapi, "").status, 502);
    }
    assert_eq!(system.gateway.get("/health").status, 200);
}

#[test]
fn a_pool_of_one_makes_calls_wait_and_counts_them() {
    let (_folder, process) = holdings("--pool 10 --fault pool=1 --fault delay=50ms");
    let since = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(process.get(PATH).status, 200));
        }
    });
    // Four calls of 50 ms on one connection cannot take less; how much longer they take says nothing.
    assert!(since.elapsed() >= Duration::from_millis(200));
    let pool = &process.counters()["pool"];
    assert_eq!((&pool["size"], &pool["taken"], &pool["busy"]), (&1.into(), &4.into(), &0.into()));
    assert!(pool["waits"].as_u64().unwrap() >= 1, "{pool}");
    assert!(pool["wait_ms"].as_f64().unwrap() > 0.0);
}

#[test]
fn health_is_told_while_the_pool_is_exhausted() {
    let (_folder, process) = holdings("--pool 1 --fault delay=1s");
    let mut links: Vec<Link> = (0..3).map(|_| Link::open(&process.address).unwrap()).collect();
    links.iter_mut().for_each(|link| link.send("GET", PATH, &[], "").unwrap());
    process.counters_until(|counters| counters["pool"]["waiting"] == 2);
    assert_eq!(process.get("/health").status, 200);
    assert_eq!(process.counters()["pool"]["waiting"], 2, "health did not wait its turn");
    for link in &mut links {
        assert_eq!(link.receive().unwrap().status, 200);
    }
}

#[test]
fn a_leak_really_grows_resident_memory() {
    let grown = |flags: &str| {
        let (_folder, process) = holdings(flags);
        let mut link = Link::open(&process.address).unwrap();
        let mut call =
            |times: u32| (0..times).for_each(|_| assert_eq!(link.call("GET", PATH, &[], "").unwrap().status, 200));
        call(200); // until buffers and caches have their size
        let before = process.resident_bytes();
        call(400);
        let counters = process.counters();
        (process.resident_bytes().saturating_sub(before), counters["faults"]["leaked_bytes"].as_u64().unwrap())
    };
    let (sound, none) = grown("");
    assert_eq!(none, 0);
    let (leaking, leaked) = grown("--fault leak=100kB");
    assert_eq!(leaked, 600 * 100_000);
    // 400 calls leak 40 MB; allocators round, and caches shrink by little.
    assert!(leaking >= 38_000_000, "grew by {leaking}");
    assert!(sound < 8_000_000, "without the fault it grew by {sound}");
}

#[test]
fn a_stall_holds_calls_but_not_health() {
    let (_folder, process) = holdings("--fault stall=every:1s,for:700ms");
    let since = Instant::now();
    let mut longest = Duration::ZERO;
    while longest < Duration::from_millis(200) {
        let call = Instant::now();
        assert_eq!(process.get(PATH).status, 200);
        longest = longest.max(call.elapsed());
        assert!(since.elapsed() < PATIENCE, "no call was held");
    }
    assert!(process.counters()["faults"]["stalled"].as_u64().unwrap() >= 1);
    assert_eq!(process.get("/health").status, 200);
}

#[test]
fn a_crash_comes_at_its_age() {
    let folder = Folder::new();
    let line = format!("holdings --store {} --instances 50 --fault crash=at:300ms", folder.store());
    // The age counts from the start of the process, whether it listens by then or not.
    let output = command(&line).output().unwrap();
    assert_eq!(output.status.code(), Some(70));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "fault `crash`: ended at the age of 300ms\n");
}

#[test]
fn a_skewed_gateway_gives_the_first_replica_its_times() {
    let folder = Folder::new();
    let line = |flags: &str| format!("holdings --store {} --instances 50 --seed 1 {flags}", folder.store());
    let replicas = [1, 2, 3].map(|number| start(&line(&format!("--name holdings.{number}"))));
    let addresses = replicas.each_ref().map(|replica| replica.address.clone()).join(",");
    let gateway = start(&format!("gateway --records 127.0.0.1:1 --holdings {addresses} --fault skew=3"));
    let login = gateway.call("POST", "/authn/login", &[], r#"{"username":"perf","password":"secret"}"#);
    let token = login.header("x-okapi-token").unwrap().to_owned();
    for _ in 0..100 {
        assert_eq!(gateway.call("GET", PATH, &[("x-okapi-token", &token)], "").status, 200);
    }
    let told = gateway.counters()["upstream"]["holdings"]["replicas"].clone();
    let started = replicas.each_ref().map(|replica| replica.counters()["started"].as_u64().unwrap());
    for (replica, started) in replicas.iter().zip(started) {
        assert_eq!(told[&replica.address], started, "both count the same");
    }
    assert_eq!(started.iter().sum::<u64>(), 100);
    assert!(
        (57..=63).contains(&started[0]) && started[1..].iter().all(|calls| (17..=23).contains(calls)),
        "{started:?}"
    );
}
