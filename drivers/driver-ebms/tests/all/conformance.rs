//! What the driver owes beyond the suite, for each way in which an exchange of messages can go: the right outcome of each
//! leg, nothing sent twice that no agreement asks for, and the right reply known from every other.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::peer::{ACCEPTED, Message, fault, nobody, peer, with_body, xml};
use crate::common::{Messages, RELIABLE, exchange, folder, lab};
use contract::{DriverKind, Reply, Settings};
use driver_ebms::EBMS;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use terms::{Nanos, Outcome};
use testkit::conformance::Protocol;
use testkit::{Lab, Recorded, Request, Server, Surroundings, list, map, read_request, status_is, text};

const SIGNALS: &str = "urn:oasis:names:tc:ebxml-msg:service";

/// Pings whose acceptance is all that the suite looks at.
#[derive(Clone, Copy)]
struct Ebms;

impl Protocol for Ebms {
    const KIND: DriverKind = EBMS;
    const ALLOCATIONS_MAX: f64 = 8.0;

    fn exchange(self, to: SocketAddr) -> Settings {
        // No Pong comes, and on no machine is it missed before the test is over.
        let (timeout, within) = (Nanos::from_secs(3600), Default::default());
        Settings { timeout, within, ..exchange("ping", &format!("http://{to}/ebms"), &[]) }
    }

    fn request(self, stream: &mut TcpStream) -> Option<Vec<u8>> {
        read_request(stream).map(|request| request.body)
    }

    fn answer(self, _: &[u8]) -> Vec<u8> {
        ACCEPTED.into()
    }

    fn garbage(self) -> Vec<Vec<u8>> {
        vec![b"SSH-2.0\r\n\r\n".to_vec()]
    }

    fn lab(self, exchanges: &[Settings], around: Surroundings) -> Lab {
        let folder = folder(&[]);
        Lab::with(EBMS, exchanges, Surroundings { base: folder.path().into(), ..around })
    }
}

testkit::conformance!(Ebms);

/// What never comes is soon missing. Only for what never comes: a slow machine must not make it so.
fn soon(settings: Settings) -> Settings {
    let within = [("reply", 100), ("acknowledged", 100)];
    Settings { within: within.map(|(leg, ms)| (leg.to_owned(), Nanos::from_millis(ms))).into(), ..settings }
}

/// One Ping to that peer, and what comes to the listener afterwards.
fn ping(peer: &Server, after: impl FnMut(&mut Lab)) -> Recorded {
    let folder = folder(&[]);
    lab(&[exchange("ping", &peer.url(), &[])], folder.path()).run_on(0, after)
}

#[test]
fn a_ping_is_accepted_and_its_pong_matched() {
    for accepted in
        [ACCEPTED, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"]
    {
        let peer = Server::answering(accepted);
        let seen = ping(&peer, |lab| {
            let request = peer.request();
            assert!(request.head.contains("SOAPAction: \"ebXML\"\r\n"), "{}", request.head);
            assert!(request.head.contains("Content-Type: text/xml; charset=UTF-8\r\n"), "{}", request.head);
            assert_eq!(request.element("ConversationId"), "stream-0.000000000000feed@loadproof");
            let (reply, answer) = lab.arrive(request.signal("Pong").as_bytes());
            assert!(matches!(reply, Reply::Match { leg: 1, outcome: Outcome::Ok, .. }), "{reply:?}");
            assert_eq!((answer.status, answer.body.len()), (204, 0));
        });
        assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Ok), Some(Outcome::Ok)), "{seen:?}");
        assert_eq!((seen.counts(), seen.note.as_str()), ([1, 0, 0, 0, 0], ""));
    }
}

#[test]
fn the_connection_is_kept_from_message_to_message() {
    let (peer, folder) = (Server::answering(ACCEPTED), folder(&[]));
    let mut kept = lab(&[exchange("ping", &peer.url(), &[])], folder.path());
    for number in 0..5 {
        let seen = kept.run_on(0, |lab| _ = lab.arrive(peer.request().signal("Pong").as_bytes()));
        assert_eq!(seen.counts(), [i64::from(number == 0), 0, 0, 0, 0]);
        assert_eq!(seen.leg(1), Some(Outcome::Ok));
    }
    let mut lab = lab(&[Settings { reuse: false, ..exchange("ping", &peer.url(), &[]) }], folder.path());
    for _ in 0..3 {
        let seen = lab.run_on(0, |lab| {
            let request = peer.request();
            assert!(request.head.contains("Connection: close\r\n"));
            lab.arrive(request.signal("Pong").as_bytes());
        });
        assert_eq!(seen.counts(), [1, 0, 0, 0, 0]);
    }
}

#[test]
fn a_pong_may_overtake_its_acceptance() {
    let (peer, folder) = (peer(|_, _| Some(ACCEPTED.into())), folder(&[]));
    let mut lab = lab(&[exchange("ping", &peer.url(), &[])], folder.path());
    lab.begin(0, 0);
    lab.arrive(peer.request().signal("Pong").as_bytes());
    lab.finish(&[0]);
    let seen = lab.seen();
    assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Ok), Some(Outcome::Ok)), "{seen:?}");
}

#[test]
fn an_iteration_may_send_the_same_exchange_twice() {
    let (peer, folder) = (Server::answering(ACCEPTED), folder(&[]));
    let mut lab = lab(&[exchange("ping", &peer.url(), &[])], folder.path());
    let requests: Vec<_> = (0..16)
        .map(|_| {
            lab.serial = 7;
            lab.carry_out(0);
            peer.request()
        })
        .collect();
    assert!((1..16).all(|n| requests[..n].iter().all(|before| before.id() != requests[n].id())));
    // The second one's Pong first: each is for its own Ping.
    requests.iter().rev().for_each(|request| _ = lab.arrive(request.signal("Pong").as_bytes()));
    assert_eq!(lab.seen().legs, [(0, Outcome::Ok, 16), (1, Outcome::Ok, 16)]);
    lab.serial = 7;
    lab.carry_out(0);
    let seen = lab.seen();
    assert_eq!(seen.leg(0), Some(Outcome::BadStudy), "too often to be told apart");
    assert_eq!(seen.note, "one iteration carries out the exchange more than 16 times");
    lab.carry_out(0);
    assert_eq!(peer.request().id().get(..32), Some("00000000000000000000000000000008"));
}

#[test]
fn what_never_comes_is_missing_and_what_comes_then_is_late() {
    let (peer, folder) = (Server::answering(ACCEPTED), folder(&[]));
    let mut lab = lab(&[soon(exchange("ping", &peer.url(), &[]))], folder.path());
    let seen = lab.run_on(0, |_| {});
    assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Ok), Some(Outcome::Missing)));
    let request = peer.request();
    lab.arrive(request.signal("Pong").as_bytes());
    assert_eq!(lab.seen().leg(1), Some(Outcome::Late));
}

#[test]
fn a_second_pong_is_a_duplicate_and_a_strangers_is_unknown() {
    let peer = Server::answering(ACCEPTED);
    let seen = ping(&peer, |lab| {
        let request = peer.request();
        let pong = request.signal("Pong");
        lab.arrive(pong.as_bytes());
        lab.arrive(pong.as_bytes());
        for other in [
            pong.replace("feed", "beef"),
            pong.replace(&request.id(), "somebody@else"),
            pong.replace(&format!("<e:RefToMessageId>{}</e:RefToMessageId>", request.id()), ""),
        ] {
            let (reply, answer) = lab.arrive(other.as_bytes());
            assert_eq!((reply, answer.status), (Reply::Unknown, 204), "{other}");
        }
    });
    assert_eq!(seen.legs, [(0, Outcome::Ok, 1), (1, Outcome::Ok, 1), (1, Outcome::Duplicate, 1)]);
}

#[test]
fn a_pong_that_belongs_to_another_message_is_wrong() {
    type Wrong = (fn(&Request) -> String, &'static str);
    let wrong: [Wrong; 6] = [
        (
            |it| it.signal("Pong").replace("urn:cpa:1", "urn:cpa:2"),
            "it is under agreement `urn:cpa:2`, not `urn:cpa:1`",
        ),
        (|it| it.signal("Pong").replace("stream-0", "stream-1"), "it belongs to another conversation, `stream-1"),
        (|it| it.signal("Pong").replace("00000002", "00000003"), "it is from `00000003`, who is not that party"),
        (|it| it.signal("Pong").replace("00000001", "00000003"), "it is to `00000003`, who is not that party"),
        (|it| it.signal("Ping"), "action `Ping` of service `urn:oasis"),
        (|it| it.answer("orders", "Confirm", ""), "action `Confirm` of service `orders` is not an answer to it"),
    ];
    for (index, (wrong, why)) in wrong.iter().enumerate() {
        let peer = Server::answering(ACCEPTED);
        let seen = ping(&peer, |lab| _ = lab.arrive(wrong(&peer.request()).as_bytes()));
        assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Ok), Some(Outcome::Wrong)), "{index}");
        assert!(seen.note.contains(why), "{index}: {}", seen.note);
    }
}

#[test]
fn an_error_message_is_a_fault_of_the_leg_that_waits() {
    let peer = Server::answering(ACCEPTED);
    let seen = ping(&peer, |lab| _ = lab.arrive(peer.request().error("ValueNotRecognized").as_bytes()));
    assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Ok), Some(Outcome::Fault)));
    assert_eq!(seen.note, "the other side says ValueNotRecognized: not so");
    // A description may be missing, and attributes come in any order.
    let bare = "<e:ErrorList e:highestSeverity=\"Error\" e:version=\"2.0\" S:mustUnderstand=\"1\">\n  <e:Error e:codeContext=\
                \"urn:oasis:names:tc:ebxml-msg:service:errors\" e:errorCode=\"TimeToLiveExpired\" \
                e:location=\"//Header/MessageHeader/MessageData/TimeToLive\" e:severity=\"Error\"/>\n</e:ErrorList>";
    let seen = ping(&peer, |lab| _ = lab.arrive(peer.request().answer(SIGNALS, "MessageError", bare).as_bytes()));
    assert_eq!(seen.leg(1), Some(Outcome::Fault));
    assert_eq!(seen.note, "the other side says TimeToLiveExpired (at `//Header/MessageHeader/MessageData/TimeToLive`)");
}

#[test]
fn what_is_no_message_is_refused_at_the_listener() {
    let folder = folder(&[]);
    let mut lab = lab(&[exchange("ping", &nobody(), &[])], folder.path());
    let bomb = format!("<!DOCTYPE a [<!ENTITY a \"{}\">]><a>&a;</a>", "x".repeat(1000));
    let deep = "<a>".repeat(100_000);
    let large = format!("<a>{}</a>", "x".repeat(3_000_000));
    for body in ["", "not XML", "<a/>", &bomb, &deep, &large, "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>"] {
        let (reply, answer) = lab.arrive(body.as_bytes());
        assert_eq!((reply, answer.status), (Reply::Unreadable, 500), "{body:.60}");
        assert!(answer.body.len() < 1000 && String::from_utf8(answer.body).unwrap().contains("soap:Client"));
    }
    let (reply, answer) = lab.arrive_as("multipart/related; boundary=x", b"--y");
    assert_eq!((reply, answer.status), (Reply::Unreadable, 500));
    let own_fault = fault("Server", "later");
    let body = own_fault.split(|&byte| byte == b'<').skip(1).collect::<Vec<_>>().join(b"<".as_slice());
    let (reply, answer) = lab.arrive(&[b"<", body.as_slice()].concat());
    assert_eq!((reply, answer.status), (Reply::Unknown, 204), "a fault about nobody knows what");
}

#[test]
fn a_synchronous_answer_closes_the_reply() {
    let folder = folder(&[("SIGNALS", "mshSignalsOnly")]);
    type Case = (fn(&Request) -> String, Outcome);
    let answers: [Case; 3] = [
        (|it| it.signal("Pong"), Outcome::Ok),
        (|it| it.error("NotSupported"), Outcome::Fault),
        (|it| it.signal("Pong").replace("urn:cpa:1", "urn:cpa:2"), Outcome::Wrong),
    ];
    for (answer, outcome) in answers {
        let peer = peer(move |_, request| Some(xml(&answer(request))));
        let settings = exchange("ping", &peer.url(), &[("reply_at", text(""))]);
        let seen = lab(&[settings], folder.path()).run_on(0, |_| {});
        assert!(String::from_utf8(peer.request().body).unwrap().contains("<eb:SyncReply "));
        assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Ok), Some(outcome)), "{seen:?}");
    }
}

#[test]
fn a_fault_is_told_with_its_text_and_nobody_waits_any_more() {
    let peer = Server::answering(fault("Client", "unknown CPA"));
    let seen = ping(&peer, |_| {});
    assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Fault), Some(Outcome::Fault)), "{seen:?}");
    assert_eq!(seen.note, "status 500 with a SOAP fault, Client: unknown CPA");
    let peer = Server::answering(with_body("503 Busy", "text/plain", "come back\u{1b} later"));
    let seen = ping(&peer, |_| {});
    assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Status), Some(Outcome::Status)));
    assert_eq!(seen.note, "status 503, where 2xx is right: `come back\\u{1b} later`");
}

#[test]
fn the_study_may_check_the_status_more_strictly() {
    let folder = folder(&[]);
    let peer = Server::answering("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    let settings = Settings { checks: vec![status_is("204")], ..exchange("ping", &peer.url(), &[]) };
    let seen =
        lab(&[settings], folder.path()).run_on(0, |lab| _ = lab.arrive(peer.request().signal("Pong").as_bytes()));
    assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Status), Some(Outcome::Ok)), "it was taken all the same");
}

#[test]
fn what_breaks_before_the_answer_is_told_for_what_it_is() {
    let folder = folder(&[]);
    let seen = lab(&[exchange("ping", &nobody(), &[])], folder.path()).run_on(0, |_| {});
    assert_eq!(seen.legs, [(0, Outcome::Refused, 1)], "nothing was sent, so nothing is waited for");
    for (half, outcome) in [
        ("", Outcome::Reset),
        ("HTTP/1.1 204", Outcome::Partial),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<a", Outcome::Partial),
        ("SSH-2.0\r\n\r\n", Outcome::Fault),
    ] {
        let server = Server::closing_after(half);
        let seen = lab(&[soon(exchange("ping", &server.url(), &[]))], folder.path()).run_on(0, |_| {});
        assert_eq!((seen.leg(0), seen.leg(1)), (Some(outcome), Some(Outcome::Missing)), "{half}: {seen:?}");
        assert_eq!(server.results.recv(), Ok(1));
    }
}

#[test]
fn a_slow_answer_is_ok_however_it_is_split_and_too_slow_a_one_a_timeout() {
    let server = Server::start(|_, mut stream| {
        let request = read_request(&mut stream).unwrap();
        for byte in xml(&request.signal("Pong")) {
            stream.write_all(&[byte]).unwrap();
        }
        read_request(&mut stream);
        stream.write_all(b"HTTP/1.1 2").unwrap();
        stream.read(&mut [0]).unwrap_or_default()
    });
    let url = server.url();
    let folder = folder(&[("SIGNALS", "mshSignalsOnly")]);
    let settings = [exchange("ping", &url, &[]), soon(exchange("ping", &url, &[]))];
    let mut lab = lab(&settings, folder.path());
    let seen = lab.run_on(0, |_| {});
    assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Ok), Some(Outcome::Ok)), "{seen:?}");
    lab.deadline = Nanos::from_millis(500);
    let seen = lab.run_on(1, |_| {});
    assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Timeout), Some(Outcome::Missing)));
    assert!(seen.note.contains("part of the answer's head had come"), "{}", seen.note);
}

#[test]
fn hostile_answers_are_bounded() {
    let folder = folder(&[]);
    for body in [
        format!("<!DOCTYPE a [<!ENTITY a \"{}\">]><a>&a;</a>", "x".repeat(1000)),
        "<a>".repeat(100_000),
        format!("<a>{}</a>", "x".repeat(5_000_000)),
        "\u{0}".repeat(1000),
    ] {
        let peer = Server::answering(xml(&body));
        let seen = lab(&[soon(exchange("ping", &peer.url(), &[]))], folder.path()).run_on(0, |_| {});
        assert_eq!(seen.leg(0), Some(Outcome::Wrong), "{body:.40}: {}", seen.note);
        assert!(seen.note.len() < 2000, "{}", seen.note.len());
    }
}

#[test]
fn a_message_carries_its_payload_and_a_business_answer_closes_its_reply() {
    let (peer, folder) = (Server::answering(ACCEPTED), folder(&[]));
    std::fs::write(folder.path().join("order.bin"), b"\xff\x00binary").unwrap();
    let payload = list(&[
        map(&[("text", text("<order n=\"$(serial)\"/>")), ("type", text("application/xml")), ("id", text("order@x"))]),
        map(&[("file", text("order.bin"))]),
    ]);
    let settings = exchange("message", &peer.url(), &[("payload", payload), ("reply", text("Confirm"))]);
    let mut lab = lab(&[settings], folder.path());
    lab.run_on(0, |lab| _ = lab.arrive(peer.request().answer("orders", "Confirm", "").as_bytes()));
    let seen = lab.run_on(0, |lab| {
        let request = peer.request();
        assert!(request.head.contains("multipart/related; type=\"text/xml\"; boundary="), "{}", request.head);
        let body = String::from_utf8_lossy(&request.body).into_owned();
        assert!(
            body.contains("xlink:href=\"cid:order@x\"") && body.contains("<order n=\"1\"/>\r\n--loadproof-"),
            "{body}"
        );
        assert!(request.body.windows(8).any(|window| window == b"\xff\x00binary"));
        let (reply, _) = lab.arrive(request.answer("orders", "Confirm", "").as_bytes());
        assert!(matches!(reply, Reply::Match { leg: 2, outcome: Outcome::Ok, .. }), "{reply:?}");
    });
    assert_eq!((seen.leg(0), seen.leg(1), seen.leg(2)), (Some(Outcome::Ok), None, Some(Outcome::Ok)), "{seen:?}");
    let seen = lab.run_on(0, |lab| _ = lab.arrive(peer.request().answer(SIGNALS, "Acknowledgment", "").as_bytes()));
    assert_eq!(seen.leg(2), Some(Outcome::Wrong), "an acknowledgment that nobody asked for");
}

#[test]
fn an_answer_that_the_study_does_not_name_closes_no_leg() {
    let (peer, folder) = (Server::answering(ACCEPTED), folder(&[RELIABLE]));
    let settings = exchange("message", &peer.url(), &[("profile", text("osb-rm"))]);
    let seen = lab(&[settings], folder.path()).run_on(0, |lab| {
        let request = peer.request();
        let (reply, answer) = lab.arrive(request.answer("orders", "Confirm", "").as_bytes());
        assert_eq!((reply, answer.status), (Reply::Unasked, 204));
        lab.arrive(request.answer(SIGNALS, "Acknowledgment", "").as_bytes());
    });
    assert_eq!(seen.legs, [(0, Outcome::Ok, 1), (1, Outcome::Ok, 1)]);
}

#[test]
fn a_value_that_ends_a_part_is_never_sent() {
    let (peer, folder) = (Server::answering(ACCEPTED), folder(&[]));
    let payload = list(&[map(&[("text", text("$(token)"))])]);
    let mut lab = lab(&[exchange("message", &peer.url(), &[("payload", payload)])], folder.path());
    let seen = lab.run_on(0, |_| {});
    assert_eq!(
        (seen.leg(0), seen.note.as_str()),
        (Some(Outcome::BadStudy), "a value that the message needs was never captured")
    );
    lab.recorder.capture(0, Some(b"a\r\n--loadproof-000000000000feed--\r\n"));
    let seen = lab.run_on(0, |_| {});
    assert_eq!(seen.leg(0), Some(Outcome::BadStudy));
    assert!(seen.note.contains("which ends a part"), "{}", seen.note);
    assert!(peer.requests.try_recv().is_err());
}
