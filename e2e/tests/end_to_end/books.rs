//! Every planned start ends in exactly one place, whatever the server does, and however the run ends.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, leg, until, wait};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a server does with a connection once it has read a request; whether it reads another one.
type Answer = fn(&mut TcpStream) -> bool;

/// A way of answering, and the class in which every call to it ends. `None`: a race of the server's end with the next
/// request decides between `ok` and `reset`.
struct Case {
    name: &'static str,
    answer: Option<Answer>,
    class: Option<&'static str>,
    /// More of the exchange.
    settings: &'static str,
}

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn say(stream: &mut TcpStream, bytes: &[u8]) -> bool {
    stream.write_all(bytes).is_ok()
}

const fn case(name: &'static str, answer: Answer, class: &'static str) -> Case {
    Case { name, answer: Some(answer), class: Some(class), settings: "" }
}

const CASES: [Case; 13] = [
    case("well", |stream| say(stream, OK), "ok"),
    Case { name: "refused", answer: None, class: Some("refused"), settings: "" },
    case(
        "reset",
        |stream| {
            rustix::net::sockopt::set_socket_linger(&*stream, Some(Duration::ZERO)).expect("a socket of ours");
            false
        },
        "reset",
    ),
    case("silent", |_| true, "timeout"),
    case(
        "half",
        |stream| {
            say(stream, b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
            false
        },
        "partial",
    ),
    Case {
        name: "churn",
        answer: Some(|stream| say(stream, OK)),
        class: Some("ok"),
        settings: ", connection: { reuse: false }",
    },
    case(
        "closing",
        |stream| {
            say(stream, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
            false
        },
        "ok",
    ),
    Case {
        name: "unannounced",
        answer: Some(|stream| {
            say(stream, OK);
            false
        }),
        class: None,
        settings: "",
    },
    case(
        "interim",
        |stream| {
            say(stream, b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n") && say(stream, OK)
        },
        "ok",
    ),
    case(
        "chunked",
        |stream| {
            say(stream, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\no\r\n")
                && say(stream, b"1\r\nk\r\n0\r\nTrailer: x\r\n\r\n")
        },
        "ok",
    ),
    case("surplus", |stream| say(stream, &[OK, OK].concat()), "ok"),
    case("status", |stream| say(stream, b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), "status"),
    case(
        "both",
        |stream| {
            say(
                stream,
                b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            )
        },
        "fault",
    ),
];

/// A server of one case: its port, and how many requests it has read.
struct Server {
    port: u16,
    /// Holds the port of a server that does not exist.
    _held: Option<std::os::fd::OwnedFd>,
    requests: Arc<AtomicU64>,
}

fn serve(answer: Option<Answer>) -> Server {
    let requests = Arc::<AtomicU64>::default();
    let Some(answer) = answer else {
        let (held, port) = e2e::silent_port();
        return Server { port, _held: Some(held), requests };
    };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    {
        let counter = requests.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let counter = counter.clone();
                std::thread::spawn(move || {
                    while has_request(&mut stream) {
                        counter.fetch_add(1, Ordering::SeqCst);
                        if !answer(&mut stream) {
                            return;
                        }
                    }
                });
            }
        });
    }
    Server { port, _held: None, requests }
}

fn has_request(stream: &mut TcpStream) -> bool {
    let (mut end, mut byte) = (0, [0]);
    while end < 4 {
        if !stream.read(&mut byte).is_ok_and(|count| count == 1) {
            return false;
        }
        end = match byte[0] {
            byte if byte == b"\r\n\r\n"[end] => end + 1,
            b'\r' => 1,
            _ => 0,
        };
    }
    true
}

/// All cases at once, each at 40/s with books of its own.
fn study(servers: &[Server], hold: &str) -> String {
    let mut exchanges = String::new();
    let mut scenarios = String::new();
    for (case, server) in CASES.iter().zip(servers) {
        let (name, port) = (case.name, server.port);
        exchanges += &format!(
            "  {name}: {{ http.get: {{ url: 'http://127.0.0.1:{port}/' }}, timeout: 700ms{} }}\n",
            case.settings
        );
        scenarios += &format!("  {name}_load: {{ load: {{ arrivals: 40/s, hold: {hold} }}, run: [{name}] }}\n");
    }
    let all: Vec<String> = CASES.iter().map(|case| format!("{}_load", case.name)).collect();
    format!(
        "study: Books\nsystem: {{ name: servers }}\nexchanges:\n{exchanges}scenarios:\n{scenarios}  together: {{ mix: [{}] }}\n\
         order: [together]\n",
        all.join(", ")
    )
}

fn hold<'a>(result: &'a Value, part: &str) -> &'a Value {
    let scenarios = result["scenarios"].as_array().expect("scenarios").iter();
    let mut steps = scenarios.flat_map(|scenario| scenario["steps"].as_array().expect("steps"));
    let is_it = |step: &&Value| step["phase"] == "hold" && step["part"] == format!("{part}_load");
    steps.find(is_it).unwrap_or_else(|| panic!("{part}: {result:#}"))
}

/// Books that balance, every start in one class, and nothing sent twice. Returns the number of starts.
fn check(case: &Case, server: &Server, step: &Value) -> u64 {
    assert_balanced(step);
    let of = |name: &str| step[name].as_u64().expect("a count");
    assert_eq!((of("dropped"), of("open")), (0, 0), "{}: {step:#}", case.name);
    let classes = leg(step, case.name, "all")["classes"].as_object().expect("classes");
    let in_class = |class: &str| classes.get(class).and_then(Value::as_u64).unwrap_or(0);
    assert_eq!(classes.values().filter_map(Value::as_u64).sum::<u64>(), of("started"), "{}: {step:#}", case.name);
    match case.class {
        Some(class) => assert_eq!(in_class(class) + in_class("aborted"), of("started"), "{}: {step:#}", case.name),
        None => {
            let ended = in_class("ok") + in_class("reset") + in_class("aborted");
            assert_eq!(ended, of("started"), "{}: {step:#}", case.name);
        }
    }
    assert_eq!(in_class("ok"), of("completed"), "{}: {step:#}", case.name);
    assert_eq!(in_class("aborted"), of("aborted"), "{}: {step:#}", case.name);
    let read = server.requests.load(Ordering::SeqCst);
    let least = if case.answer.is_some() { in_class("ok") } else { 0 };
    assert!((least..=of("started")).contains(&read), "{}: {read} requests came, {step:#}", case.name);
    of("started")
}

fn servers() -> Vec<Server> {
    CASES.iter().map(|case| serve(case.answer)).collect()
}

#[test]
fn every_planned_start_ends_in_one_place() {
    let (place, servers) = (Place::new(), servers());
    place.file("study.yaml", &study(&servers, "2s"));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run", "--json"]);
    let result = ran.json();
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    for (case, server) in CASES.iter().zip(&servers) {
        let step = hold(&result, case.name);
        // 40/s for 2 s: none more, none less.
        assert_eq!(check(case, server, step), 80, "{}", case.name);
        assert_eq!(step["aborted"], 0, "{}", case.name);
    }
}

#[test]
fn every_start_ends_in_one_place_when_the_operator_stops() {
    for signals in [1, 2] {
        let (place, servers) = (Place::new(), servers());
        place.file("study.yaml", &study(&servers, "60s"));
        let child = place.start(&["run", "study.yaml", "--out", "run", "--json"]);
        let came = until(30, || servers[0].requests.load(Ordering::SeqCst) >= 30);
        for _ in 0..signals {
            kill_process(Pid::from_child(&child), Signal::INT).expect("the process is ours");
            std::thread::sleep(Duration::from_millis(150));
        }
        let ran = wait(child);
        assert!(came, "the load never came: {ran:#?}");
        let result = ran.json();
        assert_eq!(result["run"]["end_reason"], "interrupted", "{ran:#?}");
        for (case, server) in CASES.iter().zip(&servers) {
            let step = hold(&result, case.name);
            assert!(check(case, server, step) >= 20, "{}: {step:#}", case.name);
            if signals == 1 {
                assert_eq!(step["aborted"], 0, "what was open could end: {step:#}");
            }
        }
    }
}

/// Threads without a part in a count close its seconds all the same, or the record would seem to have lost them.
#[test]
fn a_count_of_fewer_users_than_threads_is_recorded_whole() {
    let place = Place::new();
    let target = e2e::target("target-echo", &["--service", "2s"]);
    place.file(
        "study.yaml",
        &format!(
            "study: Few\n\
             system: {{ name: shop, url: 'http://{0}', identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
             exchanges:\n  home: {{ http.get: {{ url: '$(shop.url)/' }}, timeout: 20s }}\n\
             scenarios:\n  few: {{ load: {{ users: 1, warm_up: 1s, count: 4 }}, run: [home] }}\n\
             requirements: {{ four: count(home.ok) >= 4 }}\n",
            target.address()
        ),
    );
    let ran = place.loadproof(&["run", "study.yaml", "--threads", "2", "--out", "run"]);
    let result = place.result("run");
    let signs = result["validity"]["signs"].as_array().unwrap();
    assert!(signs.iter().all(|sign| sign["code"] != "torn_evidence"), "{ran:#?} {signs:#?}");
    let hold = e2e::step(&result, "few", "hold");
    assert_eq!((&hold["intended"], &hold["completed"]), (&4.into(), &4.into()), "{hold:#}");
    assert_eq!(e2e::requirement(&result, "four")["verdict"], "met", "{:#}", result["requirements"]);
}
