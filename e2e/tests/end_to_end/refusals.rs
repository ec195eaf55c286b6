//! What comes to a listener is accounted for: errors that come when nothing is waited for, and requests of nobody.
#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, requirement, root, step};
use serde_json::Value;
use std::io::{Read, Write};
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
    assert!(page.contains("could not be read") || report.contains("could not be read"), "{told:#}");
    assert_eq!(step(&result, "busy", "hold")["failed"].as_u64(), Some(74), "the messages are not concerned");
}
