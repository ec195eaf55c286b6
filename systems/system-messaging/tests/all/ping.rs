//! Pings in, Pongs out: what is accepted is stored, what is stored is delivered, over crashes too.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use crate::support::message::{Message, XML, between};
use crate::support::partner::Partner;
use crate::support::{Link, Process};
use rusqlite::Connection;

fn store(folder: &tempfile::TempDir) -> String {
    format!("sqlite://{}", folder.path().join("messages.db").display())
}

fn open(folder: &tempfile::TempDir) -> Connection {
    Connection::open(folder.path().join("messages.db")).unwrap()
}

fn number(connection: &Connection, sql: &str) -> u64 {
    connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() as u64
}

#[test]
fn a_ping_is_stored_and_its_pong_delivered_and_logged() {
    let (folder, partner) = (tempfile::tempdir().unwrap(), Partner::start());
    let service = Process::start(&store(&folder), "cpas", &partner.url, "");
    let ping = Message::ping("be", 7);
    let answer = service.post(XML, ping.envelope());
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    let [pong] = &partner.wait_for(1)[..] else { panic!("more than one") };
    assert_eq!(between(pong, "eb:Action"), "Pong");
    assert_eq!(between(pong, "eb:RefToMessageId"), ping.id);
    assert_eq!((between(pong, "eb:CPAId"), between(pong, "eb:ConversationId")), ("cpa-be-07", "conversation"));
    let (from, to) = pong.split_once("</eb:From>").unwrap();
    assert!(from.contains(&ping.to) && to.contains(&ping.from), "{pong}");
    service.wait_for("pongs_delivered", 1);
    let connection = open(&folder);
    crate::support::wait_until("the mark", || {
        number(&connection, "SELECT count(*) FROM message WHERE status = 12") == 1
    });
    assert_eq!(number(&connection, "SELECT count(*) FROM message WHERE action = 'Ping' AND status = 3"), 1);
    assert_eq!(number(&connection, "SELECT count(*) FROM delivery_task"), 0);
    assert_eq!(number(&connection, "SELECT count(*) FROM delivery_log WHERE status = 'succeeded'"), 1);
    assert_eq!(number(&connection, "SELECT count(*) FROM cpa"), 20);
    let counters = service.counters();
    for all in [&counters["messages"], &counters["cpas"]["cpa-be-07"]] {
        let of = |name: &str| all[name].as_u64().unwrap();
        assert_eq!([of("received"), of("stored"), of("pings_stored"), of("pongs_stored")], [1, 1, 1, 1]);
    }
    assert_eq!(service.get("/health").status, 200);
}

#[test]
fn what_was_accepted_is_stored_when_the_process_is_killed() {
    for commit in ["group", "each"] {
        let (folder, partner) = (tempfile::tempdir().unwrap(), Partner::start());
        let mut service = Process::start(&store(&folder), "cpas", &partner.url, &format!("--commit {commit}"));
        let senders: Vec<_> = (1..=8)
            .map(|stream| {
                let address = service.address.clone();
                std::thread::spawn(move || accepted(&address, stream))
            })
            .collect();
        service.wait_for("stored", 100);
        service.child.kill().unwrap();
        service.ended();
        let accepted: Vec<String> = senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect();
        assert!(accepted.len() >= 90, "{}", accepted.len());
        let connection = open(&folder);
        for id in &accepted {
            let sql = format!("SELECT count(*) FROM message WHERE message_id = '{id}'");
            assert_eq!(number(&connection, &sql), 1, "{commit}: {id} was answered with 204 and is not stored");
        }
        let (pings, pongs) = (
            "SELECT count(*) FROM message WHERE action = 'Ping'",
            "SELECT count(*) FROM message WHERE action = 'Pong'",
        );
        assert_eq!(number(&connection, pings), number(&connection, pongs), "a Ping and its Pong are one transaction");
        // All that was stored is delivered by the next process, if it was not by this one.
        let stored = number(&connection, pings);
        let _service = Process::start(&store(&folder), "cpas", &partner.url, "");
        crate::support::wait_until("all marks", || number(&connection, "SELECT count(*) FROM delivery_task") == 0);
        assert_eq!(number(&connection, "SELECT count(*) FROM message WHERE action = 'Pong' AND status = 12"), stored);
        let answered = partner.answered("Pong");
        assert!(accepted.iter().all(|id| answered.contains(id)), "{commit}");
    }
}

/// Sends Pings on one connection until it breaks; ids of those answered with 204.
fn accepted(address: &str, stream: u32) -> Vec<String> {
    let mut accepted = Vec::new();
    let mut link = Link::open(address).unwrap();
    loop {
        let ping = Message::ping("be", stream);
        let headers = [("soapaction", "\"ebXML\""), ("content-type", XML)];
        match link.call("POST", "/ebms", &headers, ping.envelope().as_bytes()) {
            Ok(answer) if answer.status == 204 => accepted.push(ping.id),
            Ok(answer) => panic!("{answer:?}"),
            Err(_) => return accepted,
        }
    }
}

#[test]
fn what_could_not_be_delivered_is_by_the_next_process() {
    let (folder, partner) = (tempfile::tempdir().unwrap(), Partner::start());
    // Nobody listens on port 1.
    let mut service = Process::start(&store(&folder), "cpas", "http://127.0.0.1:1/pong", "");
    for stream in 1..=20 {
        assert_eq!(service.post(XML, Message::ping("be", stream).envelope()).status, 204);
    }
    service.wait_for("attempts_failed", 20);
    assert_eq!(service.counters()["delivery"]["backlog"], 20);
    service.signal("TERM");
    assert!(service.ended().success());
    let service = Process::start(&store(&folder), "cpas", &partner.url, "");
    partner.wait_for(20);
    service.wait_for("pongs_delivered", 20);
    assert_eq!(partner.answered("Pong").len(), 20);
    let connection = open(&folder);
    let errors = "SELECT count(*) FROM delivery_log WHERE status = 'failed' AND error_message LIKE '%refused%'";
    assert!(number(&connection, errors) >= 20);
}

#[test]
fn a_replayed_ping_is_not_stored_again() {
    let (folder, partner) = (tempfile::tempdir().unwrap(), Partner::start());
    let service = Process::start(&store(&folder), "cpas", &partner.url, "");
    let ping = Message::ping("be", 1);
    for _ in 0..3 {
        assert_eq!(service.post(XML, ping.envelope()).status, 204);
    }
    service.wait_for("pongs_delivered", 1);
    assert_eq!((service.count("duplicates"), service.count("stored"), partner.got().len()), (2, 1, 1));
}

#[test]
fn a_folder_that_holds_no_agreements_is_said_to_be_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.xml"), "<html/>").unwrap();
    let path = folder.path().to_str().unwrap();
    let output = crate::support::command(&["--store", &store(&folder), "--cpas", path]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("x.xml` is not an agreement (CPA 2.0): the root element is `html`"), "{text}");
}
