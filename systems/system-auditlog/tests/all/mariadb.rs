//! On a MariaDB of its own: the same answers as from SQLite, and connections that come back.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use testkit::program::{Process, beside, command, wait_until};

use crate::support::{Ask, CITIZENS, Folder, fault, post, sign_in, start};

/// A private server, and the address of the database in it. Its files go with it.
pub(crate) fn database(flags: &str) -> (Process, String) {
    let folder = tempfile::tempdir().unwrap();
    let flags = format!("--data {}/data --buffer-pool 32MB {flags}", folder.path().display());
    let process = Process::from(command(beside("system-mariadb"), &flags)).with(folder);
    let url = format!("mysql://lab@127.0.0.1:{}/lab", process.json("/version")["sql_port"]);
    (process, url)
}

#[test]
fn both_stores_answer_the_same() {
    let (_database, url) = database("");
    let folder = Folder::new();
    let (citizens, helpers) = folder.data();
    let line = format!("lookup --store {url} --citizens {CITIZENS} --seed 1");
    // Two that start at once: one fills, the other waits.
    let other = {
        let line = line.clone();
        std::thread::spawn(move || start(&line))
    };
    let (one, other, file) = (start(&line), other.join().unwrap(), folder.lookup(""));
    let assertion = sign_in(&start("token"));
    let body = |process: &Process, ask: &Ask| {
        let answer = post(process, "/minlog/", ask.text());
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body.split_once("<soap:Body>").unwrap().1.to_owned()
    };
    let span = "<m:fraDato>2025-03-01</m:fraDato><m:tilDato>2026-02-28T12:00:00Z</m:tilDato><m:side>2</m:side>";
    let asks = citizens.iter().map(|(id, _)| Ask::citizen(&assertion, id, ""));
    let asks = asks.chain(citizens.iter().map(|(id, _)| Ask::citizen(&assertion, id, span)));
    for ask in asks.chain(helpers.iter().map(|id| Ask::helper(&assertion, id))) {
        let expected = body(&file, &ask);
        assert_eq!(body(&one, &ask), expected);
        assert_eq!(body(&other, &ask), expected);
    }
    let refused = command(env!("CARGO_BIN_EXE_system-auditlog"), &format!("lookup --store {url} --citizens 3"));
    let output = { refused }.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(&format!("holds {CITIZENS} citizens of seed 1")), "{said}");
}

#[test]
fn a_database_that_dies_is_a_fault_and_one_that_is_back_is_used() {
    let (database, url) = database("--restart-after 1s");
    let lookup = start(&format!("lookup --store {url} --citizens 3 --pool 2"));
    let ask = Ask::citizen(&sign_in(&start("token")), "0101000001", "").text();
    assert_eq!(post(&lookup, "/minlog/", &ask).status, 200);
    testkit::program::signal(database.server_pid(), "KILL");
    wait_until("a fault", || post(&lookup, "/minlog/", &ask).status == 500);
    let answer = post(&lookup, "/minlog/", &ask);
    if answer.status == 500 {
        let (code, detail, text) = fault(&answer);
        assert_eq!((code.as_str(), detail.as_str()), ("soap:Server", "processing_problem"));
        assert!(text.starts_with("the store failed: "), "{text}");
    }
    wait_until("the database", || post(&lookup, "/minlog/", &ask).status == 200);
    wait_until("health", || lookup.get("/health").status == 200);
}
