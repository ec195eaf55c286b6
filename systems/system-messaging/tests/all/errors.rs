//! Every error code, every fault, and hostile input: each has a clear answer, and none harms the next message.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use crate::support::message::{ACK_REQUESTED, ADAPTER, ELIMINATION, Message, PACKAGE, XML, between, codes, fresh};
use crate::support::partner::Partner;
use crate::support::{Answer, Link, Process};

struct System {
    _folder: tempfile::TempDir,
    partner: Partner,
    service: Process,
}

fn start(flags: &str) -> System {
    let (folder, partner) = (tempfile::tempdir().unwrap(), Partner::start());
    let store = format!("sqlite://{}", folder.path().join("messages.db").display());
    let service = Process::start(&store, "cpas", &partner.url, flags);
    System { _folder: folder, partner, service }
}

impl System {
    /// Posts a message that is stored and answered with a `MessageError`; its codes.
    fn codes_of(&self, kind: &str, body: &str) -> Vec<String> {
        let before = self.partner.got().len();
        let answer = self.service.post(kind, body);
        assert_eq!(answer.status, 204, "{answer:?}");
        let got = self.partner.wait_for(before + 1);
        assert!(got[before].contains("<eb:Action>MessageError</eb:Action>"), "{}", got[before]);
        codes(&got[before]).into_iter().map(str::to_owned).collect()
    }

    /// The service is as well as before: a Ping gets its Pong.
    fn is_well(&self) {
        let ping = Message::ping("be", 20);
        assert_eq!(self.service.post(XML, ping.envelope()).status, 204);
        crate::support::wait_until("the Pong", || self.partner.answered("Pong").contains(&ping.id));
    }
}

#[test]
fn each_mistake_in_a_message_has_its_code() {
    let system = start("");
    let ping = || Message::ping("be", 1);
    let business = || Message::business("be", 1);
    let other = "<eb:Service eb:type=\"urn:osb:services\">osb:ander:1.0</eb:Service>";
    let next = ACK_REQUESTED.replace("toPartyMSH", "nextMSH");
    let past = "<eb:TimeToLive>2020-01-01T00:00:00Z</eb:TimeToLive>";
    let signature = r#"<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>"#;
    let sync = r#"<eb:SyncReply eb:version="2.0" soap:mustUnderstand="1" soap:actor="http://schemas.xmlsoap.org/soap/actor/next"/>"#;
    let data = |text: &str| Message { data: text.to_owned(), ..ping() };
    let blocks = |text: &str| Message { blocks: text.to_owned(), ..ping() };
    for (what, message, code) in [
        ("an unknown signal", Message { action: "Pang", ..ping() }, "ValueNotRecognized"),
        ("an unknown action", Message { action: "Ophalen", ..business() }, "ValueNotRecognized"),
        ("an unknown service", Message { service: other, ..business() }, "ValueNotRecognized"),
        ("an action that we only send", Message { action: "Bevestigen", ..business() }, "ValueNotRecognized"),
        (
            "an unknown reference",
            Message { data: "<eb:RefToMessageId>x@y</eb:RefToMessageId>".into(), ..business() },
            "ValueNotRecognized",
        ),
        ("an acknowledgment of nothing", Message::acknowledgment("be", 1, "x@y"), "ValueNotRecognized"),
        ("message order", blocks("<eb:MessageOrder/>"), "NotSupported"),
        ("the next message service", blocks(&next), "NotSupported"),
        (
            "a status request",
            Message { action: "StatusRequest", body: "<eb:StatusRequest/>".into(), ..ping() },
            "NotSupported",
        ),
        ("another partner", Message { from: "99990000000000000002".into(), ..ping() }, "Inconsistent"),
        ("another adapter", Message { to: "99990000000000000099".into(), ..ping() }, "Inconsistent"),
        ("ourselves", Message { from: ADAPTER.into(), ..ping() }, "Inconsistent"),
        ("no role", Message { from_role: "", ..business() }, "Inconsistent"),
        ("another role", Message { to_role: "<eb:Role>Lezer</eb:Role>", ..business() }, "Inconsistent"),
        ("elimination not agreed", Message { after: ELIMINATION.into(), ..business() }, "Inconsistent"),
        ("acknowledgment not agreed", Message { blocks: ACK_REQUESTED.into(), ..business() }, "Inconsistent"),
        ("a synchronous answer not agreed", blocks(sync), "Inconsistent"),
        ("no moment", data("<eb:TimeToLive>soon</eb:TimeToLive>"), "OtherXml"),
        ("elements out of order", Message { after: "<eb:Action>Ping</eb:Action>".into(), ..ping() }, "OtherXml"),
        ("a time that has passed", data(past), "TimeToLiveExpired"),
        ("a signature", blocks(signature), "SecurityFailure"),
    ] {
        assert_eq!(system.codes_of(XML, &message.envelope())[0], code, "{what}");
    }
    assert_eq!(
        system.codes_of(XML, &ping().envelope().replace("eb:version=\"2.0\"", "eb:version=\"1.0\"")),
        ["Inconsistent"]
    );
    let missing = business().package(&["a@x", "b@x"], &[("a@x", "text")]);
    assert_eq!(system.codes_of(PACKAGE, &missing), ["MimeProblem"]);
    let unnamed = business().package(&["a@x"], &[("a@x", "text"), ("b@x", "text")]);
    assert_eq!(system.codes_of(PACKAGE, &unnamed), ["Inconsistent"]);
    let long = "b".repeat(256);
    let too_long = business().package(&["a@x"], &[("a@x", "text"), (&long, "text")]);
    assert!(system.codes_of(PACKAGE, &too_long).contains(&"DeliveryFailure".to_owned()));
    let remote = business().package(&["a@x"], &[("a@x", "text")]).replace("cid:", "http://x/");
    assert!(system.codes_of(PACKAGE, &remote).contains(&"NotSupported".to_owned()));
    // The counts are those of what was sent.
    let counters = system.service.counters();
    let errors = &counters["messages"]["errors"];
    assert_eq!(
        (&errors["TimeToLiveExpired"], &errors["SecurityFailure"], &errors["MimeProblem"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert_eq!(counters["messages"]["errors_stored"], 26);
    system.is_well();
}

#[test]
fn an_error_is_never_answered_by_an_error() {
    let system = start("");
    let error = Message { action: "MessageError", id: fresh("error"), ..Message::ping("be", 1) };
    assert_eq!(system.service.post(XML, error.envelope()).status, 204);
    system.is_well();
    assert_eq!((system.service.count("errors_stored"), system.partner.got().len()), (0, 1));
}

#[test]
fn an_agreement_that_is_over_is_not_in_force() {
    let (folder, partner) = (tempfile::tempdir().unwrap(), Partner::start());
    let text = std::fs::read_to_string(crate::support::cpas("cpas").join("cpa-be-01.xml")).unwrap();
    std::fs::write(folder.path().join("over.xml"), text.replace("2045-", "2026-")).unwrap();
    let store = format!("sqlite://{}", folder.path().join("messages.db").display());
    let path = folder.path().to_str().unwrap();
    let flags = ["--store", &store, "--cpas", path, "--pong-to", &partner.url];
    let service = Process::from(crate::support::command(&flags));
    assert_eq!(service.post(XML, Message::ping("be", 1).envelope()).status, 204);
    assert_eq!(codes(&partner.wait_for(1)[0]), ["Inconsistent"]);
}

#[test]
fn an_answer_on_the_same_connection_comes_only_where_it_is_agreed() {
    let (folder, partner) = (tempfile::tempdir().unwrap(), Partner::start());
    let text = std::fs::read_to_string(crate::support::cpas("cpas").join("cpa-be-01.xml")).unwrap();
    let agreed = text.replace("syncReplyMode=\"none\"", "syncReplyMode=\"mshSignalsOnly\"");
    std::fs::write(folder.path().join("sync.xml"), agreed).unwrap();
    let store = format!("sqlite://{}", folder.path().join("messages.db").display());
    let path = folder.path().to_str().unwrap();
    let service =
        Process::from(crate::support::command(&["--store", &store, "--cpas", path, "--pong-to", &partner.url]));
    let sync = r#"<eb:SyncReply eb:version="2.0" soap:mustUnderstand="1" soap:actor="http://schemas.xmlsoap.org/soap/actor/next"/>"#;
    let answer = service.post(XML, Message { blocks: sync.to_owned(), ..Message::ping("be", 1) }.envelope());
    assert_eq!((answer.status, answer.header("soapaction")), (200, Some("\"ebXML\"")));
    assert!(answer.body.contains("<eb:Action>Pong</eb:Action>"), "{answer:?}");
    assert_eq!((service.count("pongs_delivered"), partner.got().len()), (1, 0));
}

/// A service under one agreement with that mode of synchronous replies, and what a partner's message asks for them.
fn synchronous(mode: &str, profile: &str, flags: &[&str]) -> (tempfile::TempDir, Partner, Process) {
    let (folder, partner) = (tempfile::tempdir().unwrap(), Partner::start());
    let text = std::fs::read_to_string(
        crate::support::cpas(&format!("cpas{}", if profile == "rm" { "-rm" } else { "" }))
            .join(format!("cpa-{profile}-01.xml")),
    )
    .unwrap();
    let agreed = text.replace("syncReplyMode=\"none\"", &format!("syncReplyMode=\"{mode}\""));
    std::fs::write(folder.path().join("sync.xml"), agreed).unwrap();
    let store = format!("sqlite://{}", folder.path().join("messages.db").display());
    let path = folder.path().to_str().unwrap();
    let mut all = vec!["--store", &store, "--cpas", path, "--pong-to", &partner.url];
    all.extend(flags);
    let service = Process::from(crate::support::command(&all));
    (folder, partner, service)
}

const SYNC: &str = r#"<eb:SyncReply eb:version="2.0" soap:mustUnderstand="1" soap:actor="http://schemas.xmlsoap.org/soap/actor/next"/>"#;

#[test]
fn every_agreed_mode_takes_a_synchronous_message() {
    for (mode, action) in [
        ("mshSignalsOnly", Some("Pong")),
        ("signalsOnly", Some("Pong")),
        ("signalsAndResponse", Some("Pong")),
        ("responseOnly", None),
    ] {
        let (_folder, partner, service) = synchronous(mode, "be", &[]);
        let answer = service.post(XML, Message { blocks: SYNC.to_owned(), ..Message::ping("be", 1) }.envelope());
        let Some(action) = action else {
            // A Pong is not a business answer.
            assert_eq!(answer.status, 204, "{mode}: {answer:?}");
            assert_eq!(codes(&partner.wait_for(1)[0]), [""; 0]);
            continue;
        };
        assert_eq!(answer.status, 200, "{mode}: {answer:?}");
        assert!(answer.body.contains(&format!("<eb:Action>{action}</eb:Action>")), "{mode}: {answer:?}");
        assert_eq!(service.count("pongs_delivered"), 1);
    }
}

#[test]
fn a_business_answer_comes_on_the_connection_where_that_is_agreed() {
    let (_folder, partner, service) = synchronous("signalsAndResponse", "be", &["--reply", "business"]);
    let message = Message { blocks: SYNC.to_owned(), ..Message::business("be", 1) };
    let answer = service.post(XML, message.envelope());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("<eb:Action>Bevestigen</eb:Action>"), "{answer:?}");
    assert_eq!((service.count("replies_delivered"), partner.got().len()), (1, 0));
}

#[test]
fn a_business_answer_on_its_own_connection_asks_for_what_is_agreed() {
    for (mode, is_asked) in [("none", false), ("mshSignalsOnly", true)] {
        let (_folder, partner, service) = synchronous(mode, "be", &["--reply", "business"]);
        let blocks = if is_asked { SYNC } else { "" };
        let message = Message { blocks: blocks.to_owned(), ..Message::business("be", 1) };
        assert_eq!(service.post(XML, message.envelope()).status, 204, "{mode}");
        let reply = &partner.wait_for(1)[0];
        assert_eq!(between(reply, "eb:Action"), "Bevestigen");
        assert_eq!(reply.contains("<eb:SyncReply eb:version=\"2.0\" soap:mustUnderstand=\"1\" "), is_asked, "{reply}");
    }
}

#[test]
fn a_mode_that_there_is_not_is_no_agreement() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(crate::support::cpas("cpas").join("cpa-be-01.xml")).unwrap();
    std::fs::write(folder.path().join("a.xml"), text.replace("syncReplyMode=\"none\"", "syncReplyMode=\"now\""))
        .unwrap();
    let store = format!("sqlite://{}", folder.path().join("messages.db").display());
    let output =
        crate::support::command(&["--store", &store, "--cpas", folder.path().to_str().unwrap()]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("`syncReplyMode` is none of `none`"), "{said}");
}

fn is_fault(answer: &Answer, said: &str) {
    assert_eq!(answer.status, 500, "{answer:?}");
    assert!(answer.header("content-type").is_some_and(|kind| kind.starts_with("text/xml")), "{answer:?}");
    assert!(answer.body.contains("<faultcode>soap:") && answer.body.contains(said), "{said}: {answer:?}");
}

#[test]
fn structural_mistakes_and_hostile_input_are_faults() {
    let system = start("");
    let post = |kind: &str, body: &str| system.service.post(kind, body);
    let ping = Message::ping("be", 1).envelope();
    let package = Message::business("be", 1).package(&["a@x"], &[("a@x", "text")]);
    let kind = |from: &str, to: &str| PACKAGE.replace(from, to);
    let bomb = format!(
        "<!DOCTYPE x [<!ENTITY a \"{}\"><!ENTITY b \"{}\">]>{}",
        "x".repeat(1000),
        "&a;".repeat(1000),
        ping.replace("conversation", "&b;&b;&b;")
    );
    let external =
        format!("<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>{}", ping.replace("conversation", "&a;"));
    let deep = ping.replace("<soap:Body>", &format!("<soap:Body>{}", "<a>".repeat(100_000)));
    let wide = ping.replace("</soap:Header>", &format!("<x>{}</x></soap:Header>", "y".repeat(1 << 20)));
    is_fault(&post(XML, ""), "no root element");
    is_fault(&post(XML, "hello"), "not well-formed");
    is_fault(&post(XML, &ping[..ping.len() / 2]), "not well-formed");
    is_fault(&post(XML, &bomb), "never expanded");
    is_fault(&post(XML, &external), "never expanded");
    is_fault(&post(XML, &deep), "more than 32 levels");
    is_fault(&post(XML, &wide), "more than 524288 bytes");
    is_fault(&post(XML, "<a/>"), "not `Envelope`");
    is_fault(&post(XML, &ping.replace("cpa-be-01", "cpa-be-99")), "agreement `cpa-be-99` is not known");
    is_fault(
        &post(XML, &ping.replace("<soap:Body>", "<soap:Corpus>").replace("</soap:Body>", "</soap:Corpus>")),
        "no `Body`",
    );
    is_fault(
        &post(XML, &ping.replace("</soap:Header>", "<x soap:mustUnderstand=\"1\"/></soap:Header>")),
        "soap:MustUnderstand",
    );
    is_fault(&post("application/json", &ping), "content type `application/json`");
    is_fault(&post(&kind("\"b\"", "\"other\""), &package), "no start of the announced boundary");
    is_fault(&post(PACKAGE, &package.replace("--b--", "")), "no end of the announced boundary");
    is_fault(&post(&kind("<root>", "<nothing>"), &package), "`nothing` that `start` names");
    is_fault(&post(&kind("boundary", "border"), &package), "no `boundary`");
    let call = |headers: &[(&str, &str)]| {
        Link::open(&system.service.address).unwrap().call("POST", "/ebms", headers, ping.as_bytes()).unwrap()
    };
    is_fault(&call(&[("content-type", XML)]), "SOAPAction");
    is_fault(&call(&[("content-type", XML), ("soapaction", "ebXML")]), "with the quotes");
    is_fault(&call(&[("soapaction", "\"ebXML\"")]), "no content type");
    assert_eq!(system.service.count("faults"), 19);
    assert_eq!(system.service.count("stored"), 0);
    assert_eq!(system.service.get("/ebms").status, 405);
    // Announced as a gigabyte: refused before it comes.
    let mut link = Link::open(&system.service.address).unwrap();
    let headers = [("content-type", XML), ("soapaction", "\"ebXML\""), ("content-length", "1073741824")];
    link.send("POST", "/ebms", &headers, b"").unwrap();
    assert_eq!(link.receive().unwrap().status, 413);
    // A head of a megabyte.
    let mut link = Link::open(&system.service.address).unwrap();
    let long = "x".repeat(1 << 20);
    let answer = link.call("POST", "/ebms", &[("x-long", &long)], b"");
    assert!(answer.is_err() || answer.is_ok_and(|answer| answer.status == 431));
    system.is_well();
}

#[test]
fn a_full_pool_waits_and_then_says_so() {
    let system = start("--pool 1 --wait-max 100ms --fault delay=2s");
    let senders: Vec<_> = (1..=3)
        .map(|stream| {
            let address = system.service.address.clone();
            std::thread::spawn(move || {
                let headers = [("soapaction", "\"ebXML\""), ("content-type", XML)];
                let body = Message::ping("be", stream).envelope();
                Link::open(&address).unwrap().call("POST", "/ebms", &headers, body.as_bytes()).unwrap().status
            })
        })
        .collect();
    let mut statuses: Vec<u16> = senders.into_iter().map(|sender| sender.join().unwrap()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 503, 503]);
    assert_eq!(system.service.count("unavailable"), 2);
}
