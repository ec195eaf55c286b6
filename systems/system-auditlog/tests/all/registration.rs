//! Registration from the call to the table, through real processes that are killed on the way.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use std::collections::BTreeSet;

use serde_json::Value;
use testkit::program::{Answer, Process, wait_until};

use crate::support::envelope::{self, Ask};
use crate::support::{CITIZENS, Folder, command, fault, post, start};

/// Two logs with folders of their own, and what stands between them.
struct Chain {
    folder: Folder,
    local: Process,
    central: Process,
    register: Process,
    assertion: String,
}

/// A log whose address stays the same when it is started again.
fn log(folder: &Folder, name: &str, port: &str, flags: &str) -> Process {
    let data = folder.path(name);
    start(&format!("log --port {port} --data {} {flags}", data.display()))
}

impl Chain {
    fn start() -> Self {
        Self::with("")
    }

    /// Further flags for both logs.
    fn with(flags: &str) -> Self {
        let folder = Folder::new();
        let (local, central) = (log(&folder, "local", "0", flags), log(&folder, "central", "0", flags));
        let register = start(&format!("register --log {}", local.address));
        let assertion = envelope::sign_in(&start("token"));
        Self { folder, local, central, register, assertion }
    }

    fn mirror(&self, flags: &str) -> Process {
        start(&format!("mirror --from {} --to {} {flags}", self.local.address, self.central.address))
    }

    fn consumer(&self, name: &str, flags: &str) -> Process {
        let (from, store) = (&self.central.address, self.folder.store());
        start(&format!("consume --from {from} --store {store} --citizens {CITIZENS} --name {name} {flags}"))
    }

    /// A call of these ids, about different citizens.
    fn register(&self, ids: impl IntoIterator<Item = u32>) -> Answer {
        let ids: Vec<u32> = ids.into_iter().collect();
        post(&self.register, "/registration/", Ask::register(&self.assertion, &ids).text())
    }

    fn wait_until_drained(&self) {
        wait_until("both groups to have read everything", || {
            let lag = |log: &Process, group: &str| log.counters()["groups"][group]["lag"].as_u64();
            let mirrored = lag(&self.local, "mirror") == Some(0);
            mirrored && lag(&self.central, "consumers") == Some(0)
        });
    }
}

fn records(log: &Process) -> u64 {
    log.counters()["topics"]["registrations"]["records"].as_u64().unwrap()
}

pub(crate) fn healthy(process: &Process) {
    wait_until("the members to be in their group", || process.get("/health").status == 200);
}

#[test]
fn what_is_registered_is_stored_once_and_can_be_looked_up() {
    let chain = Chain::start();
    let (_mirror, consumer) = (chain.mirror(""), chain.consumer("consumer.1", "--members 12"));
    healthy(&consumer);
    let front = start(&format!("front --register {},{}", chain.register.address, chain.register.address));
    // The last ones of the call were there before.
    let ids: Vec<u32> = (0..95).chain(0..5).collect();
    let answer = post(&front, "/registration/", Ask::register(&chain.assertion, &ids).text());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("accepted=\"100\" repeated=\"5\""), "{answer:?}");
    assert_eq!(records(&chain.local), 100, "acknowledged is written");
    chain.wait_until_drained();
    assert_eq!((chain.folder.counts(), records(&chain.central)), ([95, 5, 0], 100));
    assert_eq!(chain.folder.stored(), (0..95).collect());
    let counters = chain.register.counters();
    let registrations = &counters["registrations"];
    assert_eq!((&registrations["accepted"], &registrations["repeated"]), (&100.into(), &5.into()));
    let stored = &consumer.counters()["registrations"];
    assert_eq!((&stored["stored"], &stored["duplicates"]), (&95.into(), &5.into()));

    let lookup = chain.folder.lookup("");
    let found = post(&lookup, "/minlog/", Ask::citizen(&chain.assertion, &envelope::registered_citizen(7), "").text());
    assert!(found.status == 200 && found.body.contains("<handling>registered 7</handling>"), "{found:?}");
}

#[test]
fn a_call_that_cannot_be_leaves_nothing_and_says_why() {
    let chain = Chain::start();
    let ask = Ask::register(&chain.assertion, &[1, 2, 3]);
    let wrong = |change: &dyn Fn(&mut Ask)| {
        let mut changed = ask.clone();
        change(&mut changed);
        fault(&post(&chain.register, "/registration/", changed.text()))
    };
    let (_, code, text) = wrong(&|ask| ask.body = ask.body.replacen("cvrnumber", "other", 1));
    assert!(code == "syntax_error" && text.contains("registration 1: `NameFormat`"), "{text}");
    let (_, code, _) = wrong(&|ask| ask.assertion.clear());
    assert_eq!(code, "missing_required_header");
    let (_, code, _) = wrong(&|ask| ask.assertion = ask.assertion.replacen("12345678", "87654321", 1));
    assert_eq!(code, "invalid_signature");
    let many: Vec<u32> = (0..1001).collect();
    let (_, _, text) = fault(&chain.register(many));
    assert!(text.contains("and this one has 1001"), "{text}");
    assert_eq!(chain.register(0..1000).status, 200);
    assert_eq!(records(&chain.local), 1000);
    let counters = chain.register.counters();
    assert_eq!(
        (&counters["registrations"]["refused_calls"], &counters["soap_faults"]["syntax_error"]),
        (&4.into(), &2.into())
    );

    // Without a log nothing is taken in.
    let Chain { register, local, assertion, .. } = chain;
    drop(local);
    let (code, _, text) = fault(&post(&register, "/registration/", Ask::register(&assertion, &[1]).text()));
    assert!(code == "soap:Server" && text.contains("did not answer"), "{code} {text}");
    assert_eq!(register.get("/health").status, 503);
    assert_eq!(register.counters()["registrations"]["unacknowledged"], 1);
}

#[test]
fn nothing_is_lost_or_stored_twice_when_consumer_mirror_and_logs_are_killed() {
    // A short session: what is killed holds its partitions for so long.
    let session = "--session 2s";
    let mut chain = Chain::with(session);
    let mut mirror = Some(chain.mirror("--batch 40 --fault delay=20ms"));
    let consumer =
        |chain: &Chain, number: u32| chain.consumer(&format!("consumer.{number}"), "--batch 7 --fault delay=10ms");
    let mut consumers: Vec<Option<Process>> = (1..=2).map(|number| Some(consumer(&chain, number))).collect();
    consumers.iter().flatten().for_each(healthy);
    let (mut sent, mut accepted) = (BTreeSet::new(), BTreeSet::new());
    for round in 0..8u32 {
        let ids: Vec<u32> = (round * 95..round * 95 + 95).chain(round * 95..round * 95 + 5).collect();
        sent.extend(ids.iter().copied());
        let answer = chain.register(ids.clone());
        if answer.status == 200 {
            accepted.extend(ids);
        }
        // All by SIGKILL, in the middle of their work.
        match round {
            1 => consumers[0] = None,
            2 => mirror = None,
            3 => {
                consumers[0] = Some(consumer(&chain, 1));
                mirror = Some(chain.mirror("--batch 40 --fault delay=20ms"));
            }
            4 => {
                let port = chain.central.address.rsplit(':').next().unwrap().to_owned();
                let _ = chain.central.child.kill();
                let _ = chain.central.child.wait();
                chain.central = log(&chain.folder, "central", &port, session);
            }
            5 => {
                let port = chain.local.address.rsplit(':').next().unwrap().to_owned();
                let _ = chain.local.child.kill();
                let _ = chain.local.child.wait();
                chain.local = log(&chain.folder, "local", &port, session);
            }
            6 => consumers[1] = None,
            _ => {}
        }
    }
    chain.wait_until_drained();
    let stored = chain.folder.stored();
    assert!(accepted.is_subset(&stored), "lost: {:?}", accepted.difference(&stored).collect::<Vec<_>>());
    assert!(stored.is_subset(&sent), "nobody sent {:?}", stored.difference(&sent).collect::<Vec<_>>());
    assert!(accepted.len() >= 4 * 95, "most calls are taken: {}", accepted.len());
    let [counted, duplicates, _] = chain.folder.counts();
    assert_eq!(counted, stored.len() as u64);
    assert_eq!(counted + duplicates, records(&chain.central), "each record of the central log is counted once");
    assert!(records(&chain.central) >= records(&chain.local), "at least once");
    drop((mirror, consumers));
}

#[test]
fn a_host_that_comes_in_the_middle_takes_its_share_and_members_beyond_partitions_are_idle() {
    let chain = Chain::start();
    let _mirror = chain.mirror("");
    let dealt = |log: &Process| {
        let members = log.counters()["groups"]["consumers"]["members"].clone();
        let of = |host: &str| -> (usize, usize) {
            let all = members.as_object().into_iter().flatten().filter(|(id, _)| id.starts_with(host));
            let each: Vec<usize> = all.map(|(_, partitions)| partitions.as_array().map_or(0, Vec::len)).collect();
            (each.len(), each.iter().sum())
        };
        (of("consumer.1-"), of("consumer.2-"))
    };
    let first = chain.consumer("consumer.1", "--members 6");
    healthy(&first);
    assert_eq!(dealt(&chain.central), ((6, 12), (0, 0)));
    assert_eq!(chain.register(0..500).status, 200);
    let second = chain.consumer("consumer.2", "--members 6");
    healthy(&second);
    assert_eq!(chain.register(500..1000).status, 200);
    assert_eq!(dealt(&chain.central), ((6, 6), (6, 6)), "six of each share evenly");
    chain.wait_until_drained();
    assert_eq!(chain.folder.counts(), [1000, 0, 0], "a host that comes has nobody read anything twice");
    let mut second = second;
    second.signal("TERM");
    assert!(second.ended().success());
    wait_until("the rest to be dealt anew", || dealt(&chain.central) == ((6, 12), (0, 0)));

    // Twelve on each host: those of the first one have all partitions.
    let mut first = first;
    first.signal("TERM");
    assert!(first.ended().success());
    let (first, second) = (chain.consumer("consumer.1", ""), chain.consumer("consumer.2", ""));
    healthy(&first);
    healthy(&second);
    wait_until("both hosts to be dealt", || dealt(&chain.central) == ((12, 12), (12, 0)));
    assert_eq!(chain.register(1000..1500).status, 200);
    chain.wait_until_drained();
    assert_eq!(chain.folder.counts(), [1500, 0, 0]);
    let read = |process: &Process| process.counters()["consumer"]["read"].as_u64().unwrap();
    assert_eq!((read(&first), read(&second)), (500, 0));
    let page = chain.central.get("/metrics").body;
    assert!(page.contains("auditlog_idle_members{group=\"consumers\"} 12"), "{page}");
}

#[test]
fn a_slow_consumer_leaves_a_lag_that_can_be_read() {
    let chain = Chain::start();
    let _mirror = chain.mirror("");
    let consumer = chain.consumer("consumer.1", "--batch 5 --fault delay=200ms");
    healthy(&consumer);
    assert_eq!(chain.register(0..600).status, 200);
    // Twelve members with five records each fifth of a second: two seconds at least.
    wait_until("the mirror to have brought everything", || records(&chain.central) == 600);
    let lag = chain.central.counters()["groups"]["consumers"]["lag"].as_u64().unwrap();
    assert!(lag > 0, "{lag}");
    chain.wait_until_drained();
    assert_eq!(chain.folder.counts(), [600, 0, 0]);
    for (line, word) in [
        ("consume --from 127.0.0.1:1 --store sqlite:///tmp/x --fault errors=1%", "unknown fault `errors`"),
        ("register --log 8081", "is not an address"),
    ] {
        let output = command(line).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stderr).contains(word), "{line}");
    }
}

/// Both stores count in the same way.
#[test]
fn a_mariadb_stores_the_same() {
    let (_database, store) = crate::mariadb::database("");
    let chain = Chain::start();
    let _mirror = chain.mirror("");
    let consumer = |name: &str| {
        let from = &chain.central.address;
        start(&format!("consume --from {from} --store {store} --citizens {CITIZENS} --name {name} --members 6"))
    };
    let consumers = [consumer("consumer.1"), consumer("consumer.2")];
    consumers.iter().for_each(healthy);
    for call in 0..4 {
        assert_eq!(chain.register((call * 190..call * 190 + 190).chain(call * 190..call * 190 + 10)).status, 200);
    }
    chain.wait_until_drained();
    let sum = |name: &str| -> u64 {
        let of = |counters: Value| counters["registrations"][name].as_u64().unwrap();
        consumers.iter().map(|consumer| of(consumer.counters())).sum()
    };
    assert_eq!([sum("stored"), sum("duplicates"), sum("redelivered")], [760, 40, 0]);
    let lookup = start(&format!("lookup --store {store} --citizens {CITIZENS}"));
    let found = post(&lookup, "/minlog/", Ask::citizen(&chain.assertion, &envelope::registered_citizen(7), "").text());
    assert!(found.status == 200 && found.body.contains("<handling>registered 7</handling>"), "{found:?}");
}
