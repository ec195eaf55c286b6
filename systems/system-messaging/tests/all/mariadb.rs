//! On a MariaDB of its own: the same answers, and nothing lost when the server dies in the middle.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use crate::support::message::{Message, PACKAGE, XML};
use crate::support::partner::Partner;
use crate::support::{Link, Process};
use mysql_async::prelude::Queryable;
use testkit::program;

struct Database {
    process: program::Process,
    url: String,
}

fn database(flags: &str) -> Database {
    let folder = tempfile::tempdir().unwrap();
    let flags = format!("--data {}/data --buffer-pool 32MB {flags}", folder.path().display());
    let process = program::Process::from(program::command(program::beside("system-mariadb"), &flags)).with(folder);
    let url = format!("mysql://lab@127.0.0.1:{}/lab", process.json("/version")["sql_port"]);
    Database { process, url }
}

impl Database {
    fn number(&self, sql: &str) -> i64 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut conn = mysql_async::Conn::from_url(&self.url).await.unwrap();
            let number: Option<i64> = conn.query_first(sql).await.unwrap();
            conn.disconnect().await.unwrap();
            number.unwrap()
        })
    }
}

#[test]
fn the_same_is_stored_as_in_sqlite() {
    let (database, partner) = (database(""), Partner::start());
    let service = Process::start(&database.url, "cpas-rm", &partner.url, "--reply none");
    let ping = Message::ping("rm", 1);
    let message = Message::business("rm", 2);
    let package = message.clone().package(&["a@x"], &[("a@x", "é € 😀")]);
    for _ in 0..2 {
        assert_eq!(service.post(XML, ping.envelope()).status, 204);
        assert_eq!(service.post(PACKAGE, &package).status, 204);
    }
    partner.wait_for(3);
    service.wait_for("acks_delivered", 2);
    assert_eq!((service.count("stored"), service.count("duplicates"), service.count("resends")), (2, 2, 1));
    assert_eq!(database.number("SELECT count(*) FROM message"), 4);
    assert_eq!(database.number("SELECT count(*) FROM message WHERE status = 3 AND action = 'Ping'"), 1);
    let payload = "SELECT count(*) FROM attachment a JOIN message m ON m.id = a.message WHERE a.content = 'é € 😀' AND a.`order` = 0";
    assert_eq!(database.number(payload), 1);
    crate::support::wait_until("the marks", || database.number("SELECT count(*) FROM delivery_task") == 0);
    assert_eq!(database.number("SELECT count(*) FROM message WHERE status = 12"), 2);
    assert_eq!(database.number("SELECT count(*) FROM delivery_log WHERE status = 'succeeded'"), 3);
    // Ids differ by case and by white space at their ends are other ids; those of envelopes are trimmed.
    let upper = Message { id: ping.id.to_uppercase(), ..ping.clone() };
    assert_eq!(service.post(XML, upper.envelope()).status, 204);
    assert_eq!(service.count("stored"), 3);
}

#[test]
fn nothing_accepted_is_lost_when_the_server_dies_and_returns() {
    let (database, partner) = (database("--restart-after 1s"), Partner::start());
    for flags in ["--commit group", "--commit each --pool 4"] {
        let service = Process::start(&database.url, "cpas", &partner.url, flags);
        let address = service.address.clone();
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let senders: Vec<_> = (1..=4)
            .map(|stream| {
                let (address, stop) = (address.clone(), std::sync::Arc::clone(&stop));
                std::thread::spawn(move || send(&address, stream, &stop))
            })
            .collect();
        service.wait_for("stored", 50);
        program::signal(database.process.server_pid(), "KILL");
        crate::support::wait_until("refusals", || service.count("unavailable") > 0);
        let before = service.count("stored");
        service.wait_for("stored", before + 50);
        stop.store(true, std::sync::atomic::Ordering::SeqCst);
        let accepted: Vec<String> = senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect();
        let list = accepted.iter().map(|id| format!("'{id}'")).collect::<Vec<_>>().join(",");
        let stored = database.number(&format!("SELECT count(*) FROM message WHERE message_id IN ({list})"));
        assert_eq!(stored as usize, accepted.len(), "{flags}: what was answered with 204 is stored");
        crate::support::wait_until("all deliveries", || database.number("SELECT count(*) FROM delivery_task") == 0);
        let answered: std::collections::HashSet<String> = partner.answered("Pong").into_iter().collect();
        assert!(accepted.iter().all(|id| answered.contains(id)), "{flags}: each accepted Ping has its Pong");
        let pairs = "SELECT count(*) FROM message p LEFT JOIN message q ON q.ref_to_message_id = p.message_id \
                     WHERE p.action = 'Ping' AND q.id IS NULL";
        assert_eq!(database.number(pairs), 0);
        assert_eq!(service.get("/health").status, 200);
    }
}

/// Sends until told to stop; ids of those answered with 204. Refusals are 503, and quick.
fn send(address: &str, stream: u32, stop: &std::sync::atomic::AtomicBool) -> Vec<String> {
    let mut accepted = Vec::new();
    let mut link = Link::open(address).unwrap();
    while !stop.load(std::sync::atomic::Ordering::SeqCst) {
        let ping = Message::ping("be", stream);
        let headers = [("soapaction", "\"ebXML\""), ("content-type", XML)];
        let answer = link.call("POST", "/ebms", &headers, ping.envelope().as_bytes()).unwrap();
        match answer.status {
            204 => accepted.push(ping.id),
            503 => std::thread::sleep(std::time::Duration::from_millis(20)),
            other => panic!("{other}: {answer:?}"),
        }
    }
    accepted
}
