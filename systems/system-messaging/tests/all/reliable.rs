//! The reliable profile: acknowledgments, duplicates, resends; business messages with payloads and replies.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use crate::support::Process;
use crate::support::message::{ACK_REQUESTED, ELIMINATION, Message, PACKAGE, XML, between, codes};
use crate::support::partner::Partner;
use rusqlite::Connection;

struct System {
    folder: tempfile::TempDir,
    partner: Partner,
    service: Process,
}

fn start(flags: &str) -> System {
    start_with(crate::support::cpas("cpas-rm"), tempfile::tempdir().unwrap(), flags)
}

/// With one agreement that has shorter intervals.
fn start_impatient(flags: &str) -> System {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(crate::support::cpas("cpas-rm").join("cpa-rm-01.xml")).unwrap();
    std::fs::write(folder.path().join("cpa.xml"), text.replace("PT2S", "PT0.2S")).unwrap();
    start_with(folder.path().to_owned(), folder, flags)
}

fn start_with(cpas: std::path::PathBuf, folder: tempfile::TempDir, flags: &str) -> System {
    let partner = Partner::start();
    let store = format!("sqlite://{}", folder.path().join("messages.db").display());
    let mut all = vec!["--store", &store, "--cpas", cpas.to_str().unwrap(), "--pong-to", &partner.url];
    all.extend(flags.split_whitespace());
    let service = Process::from(crate::support::command(&all));
    System { folder, partner, service }
}

impl System {
    fn number(&self, sql: &str) -> i64 {
        let connection = Connection::open(self.folder.path().join("messages.db")).unwrap();
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

#[test]
fn a_business_message_is_stored_with_its_payloads_and_acknowledged() {
    let system = start("");
    let message = Message::business("rm", 3);
    let id = message.id.clone();
    let body = message.package(&["b@x", "a@x"], &[("a@x", "first"), ("b@x", "second")]);
    assert_eq!(system.service.post(PACKAGE, body).status, 204);
    let [ack] = &system.partner.wait_for(1)[..] else { panic!("more than one") };
    assert_eq!(between(ack, "eb:Action"), "Acknowledgment");
    let of_ack = ack.split_once("<eb:Acknowledgment ").unwrap().1;
    assert_eq!(between(of_ack, "eb:RefToMessageId"), id);
    assert_eq!(system.number("SELECT count(*) FROM attachment"), 2);
    let sql =
        "SELECT count(*) FROM attachment WHERE `order` = 0 AND content_id = 'b@x' AND content = CAST('second' AS BLOB)";
    assert_eq!(system.number(sql), 1, "in the order of the manifest");
    assert_eq!((system.service.count("business_stored"), system.service.count("payloads_stored")), (1, 2));
    assert_eq!(system.number("SELECT count(*) FROM message WHERE persist_time IS NOT NULL"), 2);
}

#[test]
fn what_the_profile_asks_for_must_be_in_a_business_message() {
    let system = start("");
    let business = || Message::business("rm", 1);
    for (number, message) in
        [Message { after: String::new(), ..business() }, Message { blocks: String::new(), ..business() }]
            .into_iter()
            .enumerate()
    {
        assert_eq!(system.service.post(XML, message.envelope()).status, 204);
        assert_eq!(codes(&system.partner.wait_for(number + 1)[number]), ["Inconsistent"]);
    }
}

#[test]
fn a_ping_may_ask_for_an_acknowledgment_or_not() {
    let system = start("");
    let plain = Message::ping("rm", 1);
    let reliable =
        Message { after: ELIMINATION.to_owned(), blocks: ACK_REQUESTED.to_owned(), ..Message::ping("rm", 1) };
    for ping in [&plain, &reliable] {
        assert_eq!(system.service.post(XML, ping.envelope()).status, 204);
    }
    system.partner.wait_for(3);
    let mut pongs = system.partner.answered("Pong");
    pongs.sort_unstable();
    let mut ids = vec![plain.id, reliable.id.clone()];
    ids.sort_unstable();
    assert_eq!((pongs, system.partner.answered("Acknowledgment")), (ids, vec![reliable.id]));
}

#[test]
fn a_duplicate_gets_the_stored_acknowledgment_and_is_not_stored_again() {
    let system = start("");
    let message = Message::business("rm", 1);
    for count in 1..=3 {
        assert_eq!(system.service.post(XML, message.envelope()).status, 204);
        system.partner.wait_for(count);
    }
    let got = system.partner.got();
    assert!(got.iter().all(|ack| *ack == got[0]), "the stored one, byte by byte");
    let count = |name: &str| system.service.count(name);
    assert_eq!((count("stored"), count("duplicates"), count("resends"), count("acks_stored")), (1, 2, 2, 1));
    assert_eq!(system.number("SELECT count(*) FROM message"), 2);
    // Another agreement is not told what belongs to this one.
    let stranger = Message { id: message.id.clone(), ..Message::business("rm", 2) };
    assert_eq!(system.service.post(XML, stranger.envelope()).status, 204);
    system.service.wait_for("duplicates", 3);
    assert_eq!((system.partner.got().len(), count("resends")), (3, 2));
}

#[test]
fn a_withheld_acknowledgment_comes_with_the_resend() {
    let system = start("--withhold-acks 50%");
    let messages: Vec<Message> = (0..64).map(|_| Message::business("rm", 1)).collect();
    for message in &messages {
        assert_eq!(system.service.post(XML, message.envelope()).status, 204);
    }
    system.service.wait_for("acks_delivered", 32);
    assert_eq!(system.service.count("acks_withheld"), 32);
    let acknowledged = system.partner.answered("Acknowledgment");
    for message in messages.iter().filter(|message| !acknowledged.contains(&message.id)) {
        assert_eq!(system.service.post(XML, message.envelope()).status, 204);
    }
    system.partner.wait_for(64);
    let mut acknowledged = system.partner.answered("Acknowledgment");
    acknowledged.sort_unstable();
    acknowledged.dedup();
    assert_eq!((acknowledged.len(), system.service.count("stored")), (64, 64));
}

#[test]
fn a_reply_is_sent_until_it_is_acknowledged() {
    let system = start("--reply business");
    let message = Message::business("rm", 1);
    assert_eq!(system.service.post(XML, message.envelope()).status, 204);
    let is_reply = |envelope: &&String| between(envelope, "eb:Action") == "Bevestigen";
    let replies = || system.partner.got().iter().filter(is_reply).count();
    crate::support::wait_until("the reply and a second one", || replies() >= 2);
    let reply = system.partner.got().iter().find(is_reply).unwrap().clone();
    assert!(reply.contains("<eb:AckRequested ") && reply.contains("<eb:Role>Verwerker</eb:Role>"), "{reply}");
    let id = between(&reply, "eb:MessageId").to_owned();
    assert_eq!(system.service.count("replies_delivered"), 0);
    let ack = Message::acknowledgment("rm", 1, &id);
    assert_eq!(system.service.post(XML, ack.envelope()).status, 204);
    system.service.wait_for("replies_delivered", 1);
    assert_eq!(system.number(&format!("SELECT status FROM message WHERE message_id = '{id}'")), 12);
    assert_eq!(system.number(&format!("SELECT count(*) FROM delivery_task WHERE message_id = '{id}'")), 0);
    assert_eq!((system.service.count("acks_received"), system.service.count("expired")), (1, 0));
}

/// A signal of the other party about an envelope of ours.
fn signal(envelope: &str, action: &'static str, blocks: &str) -> String {
    let id = between(envelope, "eb:MessageId");
    let data = format!("<eb:RefToMessageId>{id}</eb:RefToMessageId>");
    let blocks = blocks.replace("@ID@", id);
    Message { action, blocks, data, ..Message::ping("rm", 1) }.envelope()
}

#[test]
fn an_acknowledgment_in_the_answer_of_http_ends_a_reply_at_once() {
    let system = start_impatient("--reply business");
    // A 204 has no body.
    system.partner.answer(200);
    system.partner.say(|envelope| match between(envelope, "eb:Action") {
        "Bevestigen" => signal(
            envelope,
            "Acknowledgment",
            r#"<eb:Acknowledgment eb:version="2.0" soap:mustUnderstand="1"><eb:Timestamp>2026-01-01T00:00:00Z</eb:Timestamp><eb:RefToMessageId>@ID@</eb:RefToMessageId></eb:Acknowledgment>"#,
        ),
        _ => String::new(),
    });
    assert_eq!(system.service.post(XML, Message::business("rm", 1).envelope()).status, 204);
    system.service.wait_for("replies_delivered", 1);
    crate::support::wait_until("the mark", || system.number("SELECT count(*) FROM delivery_task") == 0);
    assert_eq!((system.service.count("acks_received"), system.service.count("retries")), (1, 0));
}

#[test]
fn an_error_in_the_answer_of_http_ends_a_reply_and_it_is_not_sent_again() {
    let system = start_impatient("--reply business");
    // A 204 has no body.
    system.partner.answer(200);
    system.partner.say(|envelope| match between(envelope, "eb:Action") {
        "Bevestigen" => signal(
            envelope,
            "MessageError",
            r#"<eb:ErrorList eb:version="2.0" soap:mustUnderstand="1" eb:highestSeverity="Error"><eb:Error eb:errorCode="ValueNotRecognized" eb:severity="Error"/></eb:ErrorList>"#,
        ),
        _ => String::new(),
    });
    assert_eq!(system.service.post(XML, Message::business("rm", 1).envelope()).status, 204);
    system.service.wait_for("delivery_failed", 1);
    assert_eq!((system.service.count("errors_received"), system.service.count("retries")), (1, 0));
    crate::support::wait_until("the mark", || system.number("SELECT count(*) FROM message WHERE status = 11") == 1);
    assert_eq!(system.number("SELECT count(*) FROM delivery_log WHERE error_message LIKE '%ValueNotRecognized%'"), 1);
}

#[test]
fn what_is_never_acknowledged_or_never_taken_is_given_up() {
    let system = start_impatient("--reply business");
    assert_eq!(system.service.post(XML, Message::business("rm", 1).envelope()).status, 204);
    // Once, and three times more, as the agreement has it.
    system.service.wait_for("expired", 1);
    let replies = system.partner.got().iter().filter(|envelope| between(envelope, "eb:Action") == "Bevestigen").count();
    assert_eq!(replies, 4);
    crate::support::wait_until("the mark", || system.number("SELECT count(*) FROM message WHERE status = 13") == 1);
    system.partner.answer(503);
    assert_eq!(system.service.post(XML, Message::ping("rm", 1).envelope()).status, 204);
    system.service.wait_for("delivery_failed", 1);
    assert_eq!(system.service.count("attempts_failed"), 4);
    crate::support::wait_until("the mark", || system.number("SELECT count(*) FROM message WHERE status = 11") == 1);
    assert_eq!(system.number("SELECT count(*) FROM delivery_log WHERE error_message LIKE '%503%'"), 4);
}
