//! What comes to a listener is accounted for: errors that come when nothing is waited for, and requests of nobody.
#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, requirement, root, step};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Best effort, 75 messages in three seconds; the adapter takes each with a 204 and looks at it afterwards.
const STUDY: &str = "study: Refused later
data: { cpas: { file: cpas.csv } }
system:
  name: adapter
  instances:
    adapter: { start: 'system-messaging --port $(port) --store sqlite://$(scratch)/m.db --cpas theirs --pong-to $(listeners.pong.url)' }
listeners: { pong: LISTENER }
exchanges:
  order:
    ebms.message: { to: $(adapter.url)/ebms, agreements: ours, cpa: $(cpas.cpa), from: $(cpas.from), party: $(cpas.to), reply_at: pong, action: Aanleveren, profile: osb-be }
    legs: { accepted: { check: [ status = 204 ] }, error: { within: 15s } }
scenarios: { busy: { load: { arrivals: 25/s, hold: 3s }, run: [order] } }
requirements: { right: share(order.failed) <= 1% }
";

/// The adapter knows the action of the first agreement only: of 75 rows one goes by that.
fn place(listener: &str) -> Place {
    let place = Place::new();
    let cpas = root().join("studies/messaging/data/cpas");
    let read = |number: u32| std::fs::read_to_string(cpas.join(format!("cpa-be-0{number}.xml"))).unwrap();
    for number in [1, 2] {
        place.file(&format!("ours/{number}.xml"), &read(number));
    }
    place.file("theirs/1.xml", &read(1));
    place.file("theirs/2.xml", &read(2).replace("\"Aanleveren\"", "\"Inzenden\""));
    let row = |number: u32| format!("cpa-be-0{number},9999000000000000000{number},99990000000000000000\n");
    place.file("cpas.csv", &format!("cpa,from,to\n{}{}", row(1), row(2).repeat(74)));
    place.file("study.yaml", &STUDY.replace("LISTENER", listener));
    place
}

fn finding<'a>(result: &'a Value, rule: &str) -> Option<&'a Value> {
    result["findings"].as_array().unwrap().iter().find(|finding| finding["rule"] == rule)
}

#[test]
fn messages_that_are_refused_later_have_failed() {
    let place = place("http");
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    let result = place.result("run");
    let hold = step(&result, "busy", "hold");
    assert_balanced(hold);
    assert_eq!((hold["started"].as_u64(), hold["completed"].as_u64()), (Some(75), Some(1)), "{hold:#} {ran:#?}");
    assert_eq!(hold["failed"].as_u64(), Some(74), "{hold:#}");
    let legs = hold["exchanges"][0]["legs"].as_array().unwrap();
    let of = |id: &str, outcome: &str| {
        legs.iter()
            .find(|leg| leg["id"] == id && leg["outcome"] == outcome)
            .map_or(0, |leg| leg["count"].as_u64().unwrap())
    };
    assert_eq!((of("accepted", "ok"), of("error", "failed")), (75, 74), "each was accepted all the same: {legs:#?}");
    assert_ne!(requirement(&result, "right")["verdict"], "met");
    assert!([1, 3].contains(&ran.code), "{ran:#?}");
    let refused = finding(&result, "REFUSED").unwrap_or_else(|| panic!("{:#}", result["findings"]));
    assert_eq!(refused["severity"], "warning");
    assert!(finding(&result, "UNCLAIMED").is_none(), "each names a message of ours and is booked");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(report.contains("ValueNotRecognized"), "the report says why");
    // The archive says the same.
    let again = place.loadproof(&["judge", "run", "--json"]).json();
    assert_eq!(step(&again, "busy", "hold")["failed"].as_u64(), Some(74));
}

#[test]
fn what_nobody_claims_at_a_listener_is_told() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let place = place(&format!("{{ http: {{ port: {port} }} }}"));
    let is_over = Arc::new(AtomicBool::new(false));
    let stop = is_over.clone();
    // Somebody who calls at the wrong door, again and again until the run is over.
    let caller = std::thread::spawn(move || {
        let calls = [
            "POST /x HTTP/1.1\r\nHost: lab\r\nConnection: close\r\nContent-Length: 8\r\n\r\nwhatever".to_owned(),
            "POST / HTTP/1.1\r\nHost: lab\r\nSOAPAction: \"ebXML\"\r\nConnection: close\r\nContent-Length: 3\r\n\r\n<a>".to_owned(),
        ];
        while !stop.load(Ordering::SeqCst) {
            for call in &calls {
                let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
                let _ = stream.write_all(call.as_bytes());
                let _ = stream.read_to_end(&mut Vec::new());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    is_over.store(true, Ordering::SeqCst);
    caller.join().unwrap();
    let result = place.result("run");
    let told = finding(&result, "UNCLAIMED").unwrap_or_else(|| panic!("{:#} {ran:#?}", result["findings"]));
    assert_eq!((told["severity"].as_str(), told["scope"].as_str()), (Some("warning"), Some("pong")), "{told:#}");
    let report = std::fs::read_to_string(place.path().join("run/report.md")).unwrap_or_default();
    let page = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(page.contains("were unreadable") || report.contains("were unreadable"), "{told:#}");
    assert_eq!(step(&result, "busy", "hold")["failed"].as_u64(), Some(74), "the messages are not concerned");
}

/// Reliable messaging under the agreement of the studies. The other side is the test's own; a study without a system is
/// none, so the adapter runs beside it.
const RELIABLE: &str = "study: Refused after the acknowledgment
system:
  name: adapter
  instances:
    adapter: { start: 'system-messaging --port $(port) --store sqlite://$(scratch)/m.db --cpas ours' }
listeners: { pong: { http: { port: LISTENER } } }
exchanges:
  order:
    ebms.message: { to: 'http://127.0.0.1:PEER/ebms', agreements: ours, cpa: cpa-rm-01, from: '99990000000000000001', reply_at: pong, action: Aanleveren, profile: osb-rm }
    legs: { accepted: { check: [ status = 204 ] }, error: { within: 20s } }
scenarios: { busy: { load: { arrivals: 10/s, hold: 2s }, run: [order] } }
requirements: { right: share(order.failed) <= 1% }
";

/// How long after the acknowledgment it refuses: all messages of the load have been acknowledged by then.
const REFUSES_AFTER: Duration = Duration::from_secs(3);

/// A signal in answer to a message, with what its header has besides.
fn signal(message: &str, action: &str, more: &str) -> String {
    let element = |name: &str| {
        let start = message.find(&format!("<eb:{name}>")).unwrap() + name.len() + 5;
        message[start..start + message[start..].find('<').unwrap()].to_owned()
    };
    let party = |number: &str| format!("<e:PartyId e:type=\"urn:osb:oin\">{number}</e:PartyId>");
    let (from, to) = (party("99990000000000000000"), party("99990000000000000001"));
    let (cpa, conversation, id) = (element("CPAId"), element("ConversationId"), element("MessageId"));
    format!(
        "<S:Envelope xmlns:S=\"http://schemas.xmlsoap.org/soap/envelope/\" xmlns:e=\"http://www.oasis-open.org/committees/\
         ebxml-msg/schema/msg-header-2_0.xsd\"><S:Header><e:MessageHeader e:version=\"2.0\" S:mustUnderstand=\"1\"><e:From>\
         {from}</e:From><e:To>{to}</e:To><e:CPAId>{cpa}</e:CPAId><e:ConversationId>{conversation}</e:ConversationId><e:Service>\
         urn:oasis:names:tc:ebxml-msg:service</e:Service><e:Action>{action}</e:Action><e:MessageData><e:MessageId>{action}.{id}\
         </e:MessageId><e:Timestamp>2026-11-21T10:00:00Z</e:Timestamp><e:RefToMessageId>{id}</e:RefToMessageId>\
         </e:MessageData></e:MessageHeader>{more}</S:Header><S:Body/></S:Envelope>"
    )
}

/// Something for the lab's listener.
fn bring(port: u16, body: &str) {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let head = "POST / HTTP/1.1\r\nHost: lab\r\nSOAPAction: \"ebXML\"\r\nContent-Type: text/xml\r\nConnection: close";
    let _ = stream.write_all(format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    let _ = stream.read_to_end(&mut Vec::new());
}

/// Acknowledges every message at once, and refuses it later.
fn answer(mut stream: TcpStream, listener: u16) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let (mut line, mut length) = (String::new(), 0);
        while line.trim() != "" || line.is_empty() {
            line.clear();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = String::new();
        reader.by_ref().take(length).read_to_string(&mut body).ok()?;
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").ok()?;
        if body.contains("Aanleveren") {
            std::thread::spawn(move || {
                bring(listener, &signal(&body, "Acknowledgment", ""));
                std::thread::sleep(REFUSES_AFTER);
                let error = "<e:Error e:errorCode=\"DeliveryFailure\" e:severity=\"Error\"/>";
                let list = format!("<e:ErrorList e:version=\"2.0\" e:highestSeverity=\"Error\">{error}</e:ErrorList>");
                bring(listener, &signal(&body, "MessageError", &list));
            });
        }
    }
}

#[test]
fn messages_that_are_refused_after_their_acknowledgment_have_failed() {
    let place = Place::new();
    let (peer, port) = {
        let held = TcpListener::bind("127.0.0.1:0").unwrap();
        (TcpListener::bind("127.0.0.1:0").unwrap(), held.local_addr().unwrap().port())
    };
    let at = peer.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in peer.incoming().flatten() {
            std::thread::spawn(move || answer(stream, port));
        }
    });
    let agreement = root().join("studies/messaging/data/cpas-rm/cpa-rm-01.xml");
    place.file("ours/1.xml", &std::fs::read_to_string(agreement).unwrap());
    let study = RELIABLE.replace("PEER", &at.to_string()).replace("LISTENER", &port.to_string());
    place.file("study.yaml", &study);
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    let result = place.result("run");
    let hold = step(&result, "busy", "hold");
    assert_balanced(hold);
    let ended = ["started", "completed", "failed", "aborted"].map(|book| hold[book].as_u64());
    assert_eq!(ended, [Some(20), Some(0), Some(20), Some(0)], "{hold:#} {ran:#?}");
    let legs = hold["exchanges"][0]["legs"].as_array().unwrap();
    let of = |id: &str, outcome: &str| {
        let found = legs.iter().find(|leg| leg["id"] == id && leg["outcome"] == outcome);
        found.map_or(0, |leg| leg["count"].as_u64().unwrap())
    };
    assert_eq!((of("acknowledged", "ok"), of("error", "failed")), (20, 20), "each was acknowledged: {legs:#?}");
    assert_ne!(requirement(&result, "right")["verdict"], "met");
    assert!(finding(&result, "REFUSED").is_some(), "{:#}", result["findings"]);
    assert!(finding(&result, "UNCLAIMED").is_none(), "every error names a message that is waited for");
}
