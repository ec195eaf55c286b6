//! Servers of held connections that do what none should: whatever that is, each planned message has one end of its own.
#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, Ran, assert_balanced, step};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tungstenite::{Message, WebSocket};

/// Serves each connection on a thread of its own, with its number from 0; the port.
fn serve(connection: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connection = Arc::new(connection);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let (connection, stream) = (connection.clone(), stream.unwrap());
            std::thread::spawn(move || connection(number, stream));
        }
    });
    port
}

/// Reads a request's head.
fn read_head(stream: &mut TcpStream) -> bool {
    let mut lines = BufReader::with_capacity(1, stream);
    let mut line = String::new();
    loop {
        line.clear();
        match lines.read_line(&mut line) {
            Ok(count) if count > 0 && line == "\r\n" => return true,
            Ok(count) if count > 0 => {}
            _ => return false,
        }
    }
}

/// How often a leg ended so, by class, in a step.
fn classes(step: &Value, leg: &str) -> BTreeMap<String, u64> {
    let exchanges = step["exchanges"].as_array().unwrap();
    let legs = exchanges.iter().flat_map(|exchange| exchange["legs"].as_array().unwrap());
    let mut found = BTreeMap::new();
    for leg in legs.filter(|found| found["id"] == leg && found["outcome"] == "all") {
        for (class, count) in leg["classes"].as_object().unwrap() {
            *found.entry(class.clone()).or_default() += count.as_u64().unwrap();
        }
    }
    found.retain(|_, count| *count > 0);
    found
}

/// What was planned in a step has one end each on this leg; what stands beside the books is no end.
fn ends(step: &Value, leg: &str) -> BTreeMap<String, u64> {
    let mut ends = classes(step, leg);
    ends.retain(|class, _| !matches!(class.as_str(), "late" | "duplicate"));
    assert_eq!(step["intended"], ends.values().sum::<u64>(), "{leg} {ends:?} {step:#}");
    ends
}

fn carried_out(study: &str) -> (Value, Ran) {
    let place = Place::new();
    place.file("study.yaml", study);
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!(matches!(ran.code, 0 | 1 | 3), "{ran:#?}");
    let result = place.result("run");
    for scenario in result["scenarios"].as_array().unwrap() {
        scenario["steps"].as_array().unwrap().iter().for_each(assert_balanced);
    }
    (result, ran)
}

/// So many connections that send five messages a second each, for three seconds.
fn talk(port: u16, connections: u64, more: &str) -> String {
    format!(
        "study: Rogue\nsystem: {{ name: rogue }}\n\
         exchanges:\n  echo:\n    ws.talk: {{ url: \"ws://127.0.0.1:{port}/\", message: $(serial) $(text(50B)), max_message: 10kB{more} }}\n\
         \x20   legs: {{ connect: {{ within: 2s }}, answer: {{ within: 1s, check: [ body = reverse(sent) ] }} }}\n\
         scenarios:\n  talk: {{ load: {{ connections: {connections}, each: 5/s, ramp: {{ over: 1s }}, hold: 3s }}, run: [echo] }}\n"
    )
}

/// So many connections that are to get ten events a second each, for three seconds.
fn listen(port: u16, connections: u64, more: &str) -> String {
    format!(
        "study: Rogue\nsystem: {{ name: rogue }}\n\
         exchanges:\n  feed:\n    sse.listen: {{ url: \"http://127.0.0.1:{port}/\"{more} }}\n\
         \x20   legs: {{ connect: {{ within: 2s }}, event: {{ expect: 10/s, sequence: json($.n), sent: json($.t), within: 1s }} }}\n\
         scenarios:\n  listen: {{ load: {{ connections: {connections}, ramp: {{ over: 1s }}, hold: 3s }}, run: [feed] }}\n"
    )
}

fn next(socket: &mut WebSocket<TcpStream>) -> Option<String> {
    loop {
        match socket.read().ok()? {
            Message::Text(text) => return Some(text.chars().rev().collect()),
            Message::Close(_) => return None,
            _ => {}
        }
    }
}

/// Answers each message with what is made of its reverse, in bytes as they go on the wire.
fn answering(stream: TcpStream, made: impl Fn(&str, &mut TcpStream) -> std::io::Result<()>) {
    let Ok(mut socket) = tungstenite::accept(stream) else { return };
    while let Some(answer) = next(&mut socket) {
        if made(&answer, socket.get_mut()).is_err() {
            return;
        }
    }
}

/// A frame as a server writes it; `first` is its first byte.
fn frame(first: u8, payload: &str) -> Vec<u8> {
    let length = u8::try_from(payload.len()).ok().filter(|length| *length < 126).expect("a short text");
    [&[first, length], payload.as_bytes()].concat()
}

/// What a connection of each kind does, and how all of its messages end.
const KINDS: [(&str, &str); 8] = [
    ("in fragments, with pings between them", "ok"),
    ("masked, as no server may", "fault"),
    ("longer than any message", "fault"),
    ("fragments without end", "fault"),
    ("another message within it", "fault"),
    ("nothing", "missing"),
    ("half a frame, and then the end", "partial"),
    ("the end", "reset"),
];

fn of_kind(kind: usize, answer: &str, stream: &mut TcpStream) -> std::io::Result<()> {
    let (one, other) = answer.split_at(answer.len() / 2);
    match kind {
        0 => {
            stream.write_all(&frame(0x01, one))?;
            stream.write_all(&frame(0x89, "ping"))?;
            std::thread::sleep(Duration::from_millis(5));
            stream.write_all(&frame(0x00, ""))?;
            stream.write_all(&frame(0x80, other))
        }
        1 => stream.write_all(&[0x81, 0x81, 1, 2, 3, 4, 5]),
        2 => stream.write_all(&[0x82, 127, 0x7f, 0, 0, 0, 0, 0, 0, 0]),
        3 => {
            stream.write_all(&frame(0x01, one))?;
            let piece = frame(0x00, &"x".repeat(100));
            loop {
                stream.write_all(&piece)?;
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        4 => stream.write_all(&[frame(0x01, one), frame(0x81, answer)].concat()),
        5 => Ok(()),
        6 => {
            stream.write_all(&frame(0x81, answer)[..10])?;
            stream.shutdown(Shutdown::Both)
        }
        _ => stream.shutdown(Shutdown::Both),
    }
}

#[test]
fn whatever_a_websocket_answers_each_message_has_one_end() {
    const EACH: u64 = 3;
    let port = serve(|number, stream| {
        answering(stream, |answer, stream| of_kind(number % KINDS.len(), answer, stream));
    });
    let (result, ran) = carried_out(&talk(port, EACH * KINDS.len() as u64, ""));
    let hold = step(&result, "talk", "hold");
    assert_eq!(hold["intended"], EACH * KINDS.len() as u64 * 15, "{ran:#?}");
    let (sent, answered) = (ends(hold, "sent"), ends(hold, "answer"));
    // What nobody answers is missing and its connection stands; all others are lost with the first message.
    assert_eq!((answered["ok"], answered["missing"]), (EACH * 15, EACH * 15), "{answered:?} {ran:#?}");
    assert_eq!((sent["ok"], sent["reset"]), (2 * EACH * 15, 6 * EACH * 15), "{sent:?} {ran:#?}");
    let opened = step(&result, "talk", "ramp");
    assert_eq!(classes(opened, "connect")["ok"], EACH * KINDS.len() as u64, "{opened:#}");
    let first = ends(opened, "answer");
    for (kind, (does, class)) in KINDS.iter().enumerate() {
        let alike = KINDS.iter().filter(|it| it.1 == *class).count() as u64;
        assert!(first[*class] >= alike * EACH, "{kind} {does}: {class} of {first:?} {ran:#?}");
    }
}

/// All connections of a server, which are cut at once.
#[derive(Default)]
struct Cutter {
    open: Mutex<Vec<TcpStream>>,
    answered: AtomicUsize,
}

impl Cutter {
    fn joined(&self, stream: &TcpStream) {
        self.open.lock().unwrap().push(stream.try_clone().unwrap());
    }

    /// One more was answered; with this one all are cut.
    fn answered(&self, last: usize) {
        if self.answered.fetch_add(1, SeqCst) + 1 == last {
            self.open.lock().unwrap().drain(..).for_each(|stream| _ = stream.shutdown(Shutdown::Both));
        }
    }
}

#[test]
fn websockets_that_are_all_cut_at_once_keep_their_books() {
    for (more, comes_back) in [("", false), (", reconnect: { at_most: 5, wait: 100ms }", true)] {
        let cutter = Arc::new(Cutter::default());
        let own = cutter.clone();
        let port = serve(move |_, stream| {
            own.joined(&stream);
            answering(stream, |answer, stream| {
                stream.write_all(&frame(0x81, answer))?;
                own.answered(200);
                Ok(())
            });
        });
        let (result, ran) = carried_out(&talk(port, 40, more));
        let hold = step(&result, "talk", "hold");
        assert_eq!(hold["intended"], 600, "{ran:#?}");
        let (sent, answered) = (ends(hold, "sent"), ends(hold, "answer"));
        assert!(answered["ok"] > 50 && answered["ok"] <= sent["ok"] && answered["reset"] > 0, "{answered:?} {sent:?}");
        assert_eq!(answered["ok"] > 400, comes_back, "{answered:?} {ran:#?}");
    }
}

/// An event of now, or of so long after it, in nanoseconds since 1970.
fn event(number: u64, ahead_s: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as i64;
    format!("data: {{\"n\":{number},\"t\":{}}}\n\n", now + ahead_s * 1_000_000_000)
}

/// Sends ten events a second; `told` says of each that it was written, and whether to go on.
fn feeding(mut stream: TcpStream, ahead_s: i64, told: impl Fn(u64) -> bool) {
    if !read_head(&mut stream)
        || stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n").is_err()
    {
        return;
    }
    for number in 1.. {
        std::thread::sleep(Duration::from_millis(100));
        if stream.write_all(event(number, ahead_s).as_bytes()).is_err() || !told(number) {
            return;
        }
    }
}

#[test]
fn streams_that_are_all_cut_at_once_keep_their_books() {
    for (more, comes_back) in [("", false), (", reconnect: { at_most: 5, wait: 100ms }", true)] {
        let cutter = Arc::new(Cutter::default());
        let own = cutter.clone();
        let port = serve(move |_, stream| {
            own.joined(&stream);
            feeding(stream, 0, |_| {
                own.answered(300);
                true
            });
        });
        let (result, ran) = carried_out(&listen(port, 20, more));
        let hold = step(&result, "listen", "hold");
        assert_eq!(hold["intended"], 600, "{ran:#?}");
        let came = ends(hold, "event");
        assert!(came["ok"] > 50 && came["reset"] > 0, "{came:?} {ran:#?}");
        assert_eq!(came["ok"] > 400, comes_back, "{came:?} {ran:#?}");
    }
}

#[test]
fn who_accepts_and_says_nothing_is_a_timeout_of_every_connection() {
    let port = serve(|_, mut stream| _ = stream.read_to_end(&mut Vec::new()));
    let (result, ran) = carried_out(&talk(port, 10, ""));
    let hold = step(&result, "talk", "hold");
    assert_eq!(classes(step(&result, "talk", "ramp"), "connect"), BTreeMap::from([("timeout".to_owned(), 10)]));
    let all = BTreeMap::from([("timeout".to_owned(), 150)]);
    assert_eq!((ends(hold, "sent"), ends(hold, "answer")), (all.clone(), all), "{ran:#?}");
    let (result, ran) = carried_out(&listen(port, 10, ""));
    assert_eq!(classes(step(&result, "listen", "ramp"), "connect"), BTreeMap::from([("timeout".to_owned(), 10)]));
    assert_eq!(
        ends(step(&result, "listen", "hold"), "event"),
        BTreeMap::from([("timeout".to_owned(), 300)]),
        "{ran:#?}"
    );
}

/// The time of an event that says when it was sent is worth nothing where the sender's clock is ahead: none of them is
/// right, and none is fast.
#[test]
fn events_of_a_clock_that_is_ahead_are_wrong_and_have_no_time() {
    let port = serve(|_, stream| feeding(stream, 300, |_| true));
    let study = listen(port, 10, "") + "requirements:\n  fast: p95(feed.event) < 1s\n";
    let (result, ran) = carried_out(&study);
    let came = ends(step(&result, "listen", "hold"), "event");
    assert_eq!(came, BTreeMap::from([("wrong".to_owned(), 300)]), "{ran:#?}");
    assert_ne!(e2e::requirement(&result, "fast")["verdict"], "met", "{result:#}");
    assert!(ran.stderr.contains("after it came"), "{ran:#?}");
    // One that is behind cannot be told from events that were long on their way: they are all there, and slow.
    let port = serve(|_, stream| feeding(stream, -300, |_| true));
    let study = listen(port, 10, "") + "requirements:\n  fast: p95(feed.event) < 1s\n";
    let (result, ran) = carried_out(&study);
    let hold = step(&result, "listen", "hold");
    assert_eq!(ends(hold, "event"), BTreeMap::from([("ok".to_owned(), 300)]), "{ran:#?}");
    assert_ne!(e2e::requirement(&result, "fast")["verdict"], "met", "{result:#}");
}
