//! Listeners over real sockets: who claims, what is counted, what is refused.
#![allow(clippy::unwrap_used, reason = "a test")]

use clock::Clock;
use contract::{Answer, Reply, ReplyHandler, RequestHead};
use listen::{Handed, Listening, Notice, bind, serve};
use recorder::Arrival;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use study::{Listener, ListenerTls};
use terms::Outcome;

/// Claims `/mail`; the body is the key.
struct Mail;

impl ReplyHandler for Mail {
    fn claims(&self, head: &RequestHead<'_>) -> bool {
        head.path.starts_with("/mail") && head.headers.iter().any(|(name, _)| *name == "x-mail")
    }

    fn handle(&mut self, _: &RequestHead<'_>, body: &[u8], answer: &mut Answer) -> Reply {
        answer.status = 202;
        match std::str::from_utf8(body).ok().and_then(|text| text.parse().ok()) {
            Some(13) => Reply::Match { leg: 1, key: 13, number: 0, outcome: Outcome::Wrong, why: Some("13".into()) },
            Some(key @ 21..=29) => {
                let (keys, why) = ([Some(key), Some(key + 1)], Some("no".into()));
                Reply::Refusal { keys, leg: 3, outcome: Outcome::Fault, why }
            }
            Some(30) => Reply::Handshake { key: 30 },
            Some(31) => Reply::Unasked,
            Some(32) => Reply::Unreadable,
            Some(key) => Reply::Match { leg: 1, key, number: 0, outcome: Outcome::Ok, why: None },
            None => Reply::Unknown,
        }
    }

    fn identify(&self, _: &RequestHead<'_>, body: &[u8]) -> Option<String> {
        body.starts_with(b"9").then(|| "mail number nine hundred".to_owned())
    }
}

fn plain(name: &str) -> Listener {
    let (name, place) = (name.to_owned(), contract::Place::default());
    Listener { name, place, bind: "127.0.0.1".into(), port: None, public: None, tls: None }
}

struct Lab {
    listening: Listening,
    address: SocketAddr,
    arrivals: Receiver<Arrival>,
    told: Receiver<Notice>,
    clock: Clock,
}

/// Keys below 100 are waited for, those below 200 come too late, others are nobody's.
fn lab(listener: &Listener, base: &Path, handlers: Vec<Box<dyn ReplyHandler>>) -> Lab {
    let bound = bind(std::slice::from_ref(listener), base).unwrap();
    let address = bound[0].address;
    let ((to, arrivals), (tell, told)) = (channel(), channel());
    let hand_in = move |arrival: Arrival| {
        let key = arrival.key;
        to.send(arrival).unwrap();
        match key {
            0..100 => Handed::Taken,
            100..200 => Handed::TooLate,
            _ => Handed::Unknown,
        }
    };
    let clock = Clock::system();
    let listening = serve(bound, handlers, clock.clone(), hand_in, move |it| tell.send(it).unwrap()).unwrap();
    Lab { listening, address, arrivals, told, clock }
}

impl Lab {
    fn counts(&self) -> [u64; listen::METRICS.len()] {
        self.listening.counts()[0].1.now()
    }
}

fn request(path: &str, body: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: lab\r\nX-Mail: yes\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn status(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() > 0 {
        text.push(byte[0]);
    }
    String::from_utf8(text).unwrap().split(' ').nth(1).unwrap_or_default().to_owned()
}

fn connect(lab: &Lab) -> TcpStream {
    let stream = TcpStream::connect(lab.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

#[test]
fn replies_are_handed_on_and_others_are_told() {
    let lab = lab(&plain("home"), Path::new("."), vec![Box::new(Mail)]);
    let mut stream = connect(&lab);
    for (path, body, answer) in [
        ("/mail", "7", "202"),
        ("/mail?x", "150", "202"),
        ("/mail", "900", "202"),
        ("/mail", "?", "202"),
        ("/x", "", "404"),
    ] {
        stream.write_all(request(path, body).as_bytes()).unwrap();
        assert_eq!(status(&mut stream), answer, "{path} {body}");
    }
    let keys: Vec<u128> = lab.arrivals.try_iter().map(|arrival| arrival.key).collect();
    assert_eq!(keys, [7, 150, 900], "on one connection, in order");
    // requests, handed, handshakes, unmatched, too late, unasked, unknown, unreadable, unclaimed, broken, open
    assert_eq!(lab.counts(), [5, 1, 0, 0, 1, 0, 2, 0, 1, 0, 1]);
    let told: Vec<_> = lab.told.try_iter().collect();
    assert_eq!(
        told.iter().map(|it| it.kind).collect::<Vec<_>>(),
        ["reply_too_late", "reply_unknown", "reply_unknown", "request_unclaimed"]
    );
    assert!(told[1].text.contains("POST /mail mail number nine hundred: 900") && told[0].listener == "home");
    assert!(told[2].text.ends_with("POST /mail ?"), "nothing more is known of it: {}", told[2].text);
}

#[test]
fn every_kind_of_reply_has_a_count_of_its_own() {
    let lab = lab(&plain("home"), Path::new("."), vec![Box::new(Mail)]);
    let mut stream = connect(&lab);
    for body in ["21", "30", "31", "32"] {
        stream.write_all(request("/mail", body).as_bytes()).unwrap();
        assert_eq!(status(&mut stream), "202", "{body}");
    }
    let arrivals: Vec<Arrival> = lab.arrivals.try_iter().collect();
    let seen: Vec<_> = arrivals.iter().map(|it| (it.key, it.outcome, it.refusal)).collect();
    let refusal = Some(recorder::Refusal { next: Some(22), leg: 3 });
    assert_eq!(seen, [(21, Outcome::Fault, refusal), (30, Outcome::Ok, None)]);
    // A load thread that finds nothing that waits for it counts it at its listener.
    arrivals[0].unmatched.add();
    let counts = lab.counts();
    let of = |name: &str| counts[listen::METRICS.iter().position(|metric| metric.name == name).unwrap()];
    let names = ["requests", "handed", "handshakes", "unmatched", "unasked", "unreadable", "unknown", "too_late"];
    assert_eq!(names.map(of), [4, 2, 1, 1, 1, 1, 0, 0]);
    let told: Vec<_> = lab.told.try_iter().map(|it| it.kind).collect();
    assert_eq!(told, ["reply_unasked", "reply_unreadable"]);
}

#[test]
fn a_caller_that_offers_http_2_and_sends_chunks_is_read() {
    // As the HTTP client of Java's own library does it, which asks for an upgrade with every first request.
    let lab = lab(&plain("home"), Path::new("."), vec![Box::new(Mail)]);
    let mut stream = connect(&lab);
    let head = "POST /mail HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nHost: lab\r\nHTTP2-Settings: \
                AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA\r\nTransfer-encoding: chunked\r\nUpgrade: h2c\r\nX-Mail: 1\r\n\r\n";
    stream.write_all(format!("{head}1\r\n4\r\n1\r\n2\r\n0\r\n\r\n").as_bytes()).unwrap();
    assert_eq!(status(&mut stream), "202");
    stream.write_all(request("/mail", "13").as_bytes()).unwrap();
    assert_eq!(status(&mut stream), "202", "the connection goes on as it was");
    let came: Vec<_> = lab.arrivals.try_iter().map(|it| (it.key, it.outcome, it.why)).collect();
    assert_eq!(came, [(42, Outcome::Ok, None), (13, Outcome::Wrong, Some("13".into()))], "with why it is wrong");
}

#[test]
fn an_arrival_is_timed_by_its_first_byte() {
    let lab = lab(&plain("home"), Path::new("."), vec![Box::new(Mail)]);
    let mut stream = connect(&lab);
    let text = request("/mail", "7");
    for _ in 0..2 {
        let (first, rest) = text.split_at(3);
        stream.write_all(first.as_bytes()).unwrap();
        // Long after the first byte was read, and before the last is sent.
        lab.clock.sleep_until(lab.clock.now() + terms::Nanos::from_millis(300));
        let before_the_rest = lab.clock.now();
        stream.write_all(rest.as_bytes()).unwrap();
        assert_eq!(status(&mut stream), "202");
        assert!(lab.arrivals.recv().unwrap().at < before_the_rest);
    }
}

#[test]
fn what_is_no_http_is_counted_and_harms_nobody() {
    let lab = lab(&plain("home"), Path::new("."), vec![Box::new(Mail)]);
    let mut rude = connect(&lab);
    rude.write_all(b"\x16\x03\x01 hello\r\n\r\n").unwrap();
    let _ = rude.read_to_end(&mut Vec::new());
    let mut greedy = connect(&lab);
    greedy.write_all(b"POST /mail HTTP/1.1\r\nX-Mail: y\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\nx").unwrap();
    let mut long = connect(&lab);
    let head = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "y".repeat(200_000));
    // The other end may close while this one still writes.
    let _ = long.write_all(head.as_bytes());
    let _ = long.read_to_end(&mut Vec::new());
    let mut stream = connect(&lab);
    stream.write_all(request("/mail", "7").as_bytes()).unwrap();
    assert_eq!(status(&mut stream), "202", "others are served meanwhile");
    drop(greedy);
    let broken = listen::METRICS.iter().position(|metric| metric.name == "broken").unwrap();
    assert!(lab.counts()[broken] >= 2, "{:?}", lab.counts());
}

#[test]
fn two_drivers_that_claim_one_request_are_told() {
    let lab = lab(&plain("home"), Path::new("."), vec![Box::new(Mail), Box::new(Mail)]);
    let mut stream = connect(&lab);
    stream.write_all(request("/mail", "7").as_bytes()).unwrap();
    assert_eq!(status(&mut stream), "202");
    assert_eq!(lab.told.recv().unwrap().kind, "request_claimed_twice");
    assert_eq!(lab.arrivals.try_iter().count(), 1);
}

#[test]
fn a_port_in_use_and_files_that_are_none_are_told_before_anything_starts() {
    let holder = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = holder.local_addr().unwrap().port();
    let wrong = |listener: Listener| bind(&[listener], Path::new("/nonexistent")).err().unwrap().to_string();
    let text = wrong(Listener { port: Some(port), ..plain("home") });
    assert!(text.contains("listener `home`") && text.contains("leave `port` out"), "{text}");
    let text = wrong(Listener { bind: "192.0.2.1".into(), ..plain("home") });
    assert!(text.contains("no network device"), "{text}");
    let tls = ListenerTls { certificate: "a.pem".into(), key: "b.pem".into(), clients: None };
    let text = wrong(Listener { tls: Some(tls), ..plain("home") });
    assert!(text.contains("`a.pem` cannot be read"), "{text}");
}

#[test]
fn a_listener_with_tls_asks_callers_for_their_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let mine = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let theirs = rcgen::generate_simple_self_signed(["caller".to_owned()]).unwrap();
    file("a.pem", &mine.cert.pem());
    file("a.key", &mine.signing_key.serialize_pem());
    file("callers.pem", &theirs.cert.pem());
    let tls = ListenerTls { certificate: "a.pem".into(), key: "a.key".into(), clients: Some("callers.pem".into()) };
    let lab = lab(&Listener { tls: Some(tls), ..plain("home") }, folder.path(), vec![Box::new(Mail)]);
    let call = |identity: Option<&rcgen::CertifiedKey<rcgen::KeyPair>>| -> std::io::Result<String> {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(mine.cert.der().clone()).unwrap();
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let builder = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match identity {
            None => builder.with_no_client_auth(),
            Some(it) => {
                let key = rustls_pki_types::PrivateKeyDer::try_from(it.signing_key.serialize_der()).unwrap();
                builder.with_client_auth_cert(vec![it.cert.der().clone()], key).unwrap()
            }
        };
        let name = rustls_pki_types::ServerName::try_from("127.0.0.1").unwrap();
        let mut client = rustls::ClientConnection::new(config.into(), name).unwrap();
        let mut stream = connect(&lab);
        let mut tls = rustls::Stream::new(&mut client, &mut stream);
        tls.write_all(request("/mail", "7").as_bytes())?;
        let mut text = [0; 12];
        tls.read_exact(&mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    };
    assert_eq!(call(Some(&theirs)).unwrap(), "HTTP/1.1 202");
    assert!(call(None).is_err(), "a caller without a certificate");
    assert_eq!(lab.arrivals.try_iter().count(), 1);
}
