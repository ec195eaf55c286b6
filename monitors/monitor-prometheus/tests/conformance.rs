//! What every monitor owes: one mistake for each thing that is wrong, values of its own metrics only, no value where
//! there is none, a sentence that says why. The page is a small server that says what the test wants.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{Facts, Mistakes, Monitor, MonitorSettings, Node, Place, Samples, Shape, Watched};
use monitor_prometheus::{METRICS, PROMETHEUS};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use terms::Nanos;

/// `text`, or a map in braces as a study has it: `{ a: b, c: { d: e } }`, without signs that YAML would quote.
fn node(text: &str) -> Node {
    let place = Place::default();
    let Some(inner) = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
        return Node { place, shape: Shape::Text { text: text.trim().to_owned(), quoted: false } };
    };
    let (mut entries, mut depth, mut from) = (Vec::new(), 0, 0);
    let ends: Vec<usize> = inner
        .char_indices()
        .filter(|(_, sign)| {
            depth += match sign {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            *sign == ',' && depth == 0
        })
        .map(|(at, _)| at)
        .chain([inner.len()])
        .collect();
    for end in ends {
        if let Some((key, value)) = inner[from..end].split_once(':') {
            entries.push((node(key), node(value)));
        }
        from = end + 1;
    }
    Node { place, shape: Shape::Map(entries) }
}

fn build(settings: &str, urls: &[&str]) -> Result<Box<dyn Monitor>, Mistakes> {
    let named = |index: usize| if urls.len() == 1 { "shop".to_owned() } else { format!("shop.{}", index + 1) };
    let watched =
        |(index, url): (usize, &&str)| Watched { name: named(index), pid: None, url: Some((*url).to_owned()) };
    let instances = urls.iter().enumerate().map(watched).collect();
    let settings =
        MonitorSettings { name: "pages".into(), node: node(settings), instances, on: None, every: Nanos::SECOND };
    (PROMETHEUS.build)(&settings, &mut contract::BuildContext::new(&testkit::NoNames, "."))
}

fn codes(settings: &str, urls: &[&str]) -> Vec<&'static str> {
    let found = build(settings, urls).err().map(|mistakes| mistakes.0).unwrap_or_default();
    assert!(found.iter().all(|mistake| mistake.label.is_some() || mistake.hint.is_some()), "{found:?}");
    found.iter().map(|mistake| mistake.code).collect()
}

const HERE: &str = "http://127.0.0.1:9";

#[test]
fn all_mistakes_come_at_once_with_hints() {
    assert_eq!(codes("{ }", &[HERE]), ["study::missing-key"]);
    assert_eq!(codes("{ values: { a: b } }", &[HERE]), [""; 0]);
    assert_eq!(codes("{ values: { a: b }, url: http://127.0.0.1:9/m }", &[HERE, HERE]), ["prometheus::address"]);
    assert_eq!(codes("{ values: { a: b }, url: http://127.0.0.1:9/m, path: /m }", &[HERE]), ["prometheus::address"]);
    assert_eq!(codes("{ values: { a: b }, path: metrics }", &[HERE]), ["prometheus::address"]);
    assert_eq!(codes("{ values: { a: { kind: counter } } }", &[HERE]), ["study::missing-key"]);
    let several =
        "{ values: { A: b, series: c, d: { metric: rate(x), kind: count, unit: minutes, were: x } }, port: 1 }";
    let mut found = codes(several, &[HERE]);
    found.sort_unstable();
    let expected =
        ["study::bad-name", "study::duplicate-name", "study::unknown-key", "study::unknown-key", "study::unknown-word"];
    assert_eq!(found, expected);
    assert_eq!(codes("{ values: { a: rate(x) } }", &[HERE]), ["prometheus::metric"]);
    assert_eq!(codes("{ values: { a: { metric: x, kind: counter, unit: share } } }", &[HERE]), ["prometheus::unit"]);
    assert_eq!(codes("{ values: { a: b }, bearer: x y }", &[HERE]), ["prometheus::bearer"]);
}

/// What a page does.
#[derive(Clone)]
enum Does {
    Says(String),
    /// Bytes that are not a page.
    Sends(Vec<u8>),
    Nothing,
    /// A page without end.
    Endless,
}

struct Server {
    url: String,
    does: Arc<Mutex<Does>>,
    asked: Arc<Mutex<String>>,
}

impl Server {
    fn start(does: Does) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/ignored", listener.local_addr().unwrap());
        let (does, asked) = (Arc::new(Mutex::new(does)), Arc::new(Mutex::new(String::new())));
        let shared = (Arc::clone(&does), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let does = shared.0.lock().unwrap().clone();
                serve(stream, does, &shared.1);
            }
        });
        Self { url, does, asked }
    }

    fn now(&self, does: Does) {
        *self.does.lock().unwrap() = does;
    }
}

fn serve(mut stream: TcpStream, does: Does, asked: &Mutex<String>) {
    let mut request = vec![0; 4096];
    let count = stream.read(&mut request).unwrap_or(0);
    *asked.lock().unwrap() = String::from_utf8_lossy(&request[..count]).into_owned();
    let _ = match does {
        Does::Says(text) => {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\n\r\n{text}",
                text.len()
            )
        }
        Does::Sends(bytes) => stream.write_all(&bytes),
        Does::Nothing => {
            // Until whoever asks has given up.
            let _ = stream.read(&mut [0; 1]);
            Ok(())
        }
        Does::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            let block = "a{b=\"c\"} 1\n".repeat(1000);
            while stream.write_all(block.as_bytes()).is_ok() {}
            Ok(())
        }
    };
}

const VALUES: &str = "{ bearer: token, values: { requests: { metric: http_requests_total, kind: counter, where: { code: 5* } }, \
    heap: { metric: heap_bytes, unit: bytes, by: pool }, took: { metric: took_seconds, kind: mean, unit: s }, none: no_such } }";

fn page(requests: u32, sum: f64, count: u32) -> Does {
    Does::Says(format!(
        "# TYPE http_requests_total counter\nhttp_requests_total{{code=\"200\"}} 90\nhttp_requests_total{{code=\"503\"}} {requests}\n\
        heap_bytes{{pool=\"eden\"}} 100\nheap_bytes{{pool=\"old\"}} 200\n# TYPE took_seconds histogram\ntook_seconds_sum {sum}\n\
        took_seconds_count {count}\n<b>what is this?</b>\n"
    ))
}

#[test]
fn counters_gauges_and_means_as_the_study_chooses_them() {
    let server = Server::start(page(5, 10.0, 100));
    let mut monitor = build(VALUES, &[&server.url]).unwrap();
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    let fact = |name: &str| facts.0.iter().find(|fact| fact.1 == name).map(|fact| fact.2.as_str());
    assert_eq!(fact("requests"), Some("http_requests_total (counter)"));
    assert!(fact("metrics page").unwrap().ends_with("/metrics"), "{facts:?}");
    let asked = server.asked.lock().unwrap().clone();
    assert!(
        asked.starts_with("GET /metrics HTTP/1.1\r\n") && asked.contains("Authorization: Bearer token\r\n"),
        "{asked}"
    );
    let mut out = Samples::default();
    monitor.sample(Nanos::from_secs(1), &mut out).unwrap();
    let (first, events) = out.take();
    server.now(page(9, 13.0, 106));
    monitor.sample(Nanos::from_secs(2), &mut out).unwrap();
    let (second, again) = out.take();
    let named = ["requests", "heap", "took", "none"];
    let mut shown: Vec<(String, String, f64)> = Vec::new();
    for sample in first.iter().chain(&second).filter(|sample| sample.metric != 0) {
        let place = usize::from(sample.metric);
        let metric = METRICS.get(place).map_or_else(|| named[place - METRICS.len()], |metric| metric.name);
        shown.push((out.instance_name(sample.instance).to_owned(), metric.to_owned(), sample.value));
    }
    let of = |metric: &str| -> Vec<(&str, f64)> {
        shown.iter().filter(|(_, name, _)| name == metric).map(|(of, _, value)| (of.as_str(), *value)).collect()
    };
    assert_eq!(of("requests"), [("shop", 5.0), ("shop", 9.0)]);
    assert_eq!(
        of("heap"),
        [("shop / eden", 100.0), ("shop / old", 200.0), ("shop / eden", 100.0), ("shop / old", 200.0)]
    );
    assert_eq!(of("took"), [("shop", 0.5)], "3 s of the 6 that came since");
    assert_eq!(of("none"), []);
    assert_eq!((of("series"), of("not_understood")), (vec![("shop", 6.0); 2], vec![("shop", 1.0), ("shop", 2.0)]));
    let kinds: Vec<&str> = events.iter().map(|(_, _, event)| event.kind).collect();
    assert_eq!(kinds, ["not_understood", "no_series"], "{events:?}");
    assert!(events[0].2.text.contains("<b>what is this?</b>"));
    assert!(again.is_empty(), "told once");
}

#[test]
fn what_is_no_page_or_does_not_come_is_a_gap_with_a_reason() {
    let server = Server::start(Does::Nothing);
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut monitor = build("{ values: { a: b } }", &[&server.url]).unwrap();
    let mut out = Samples::default();
    let head = |text: &str| Does::Sends(text.as_bytes().to_vec());
    for (does, part) in [
        (Does::Nothing, "did not come in time"),
        (head("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), "answers with status 404"),
        (head("HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\n\r\n"), "status 302"),
        (head("SSH-2.0-OpenSSH\r\n\r\n"), "does not answer in HTTP"),
        (head("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na 1\n"), "closed the connection"),
        (Does::Sends(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xff\xfe".to_vec()), "is not UTF-8"),
        (Does::Endless, "is longer than"),
    ] {
        server.now(does);
        let failure = monitor.sample(Nanos::from_secs(1), &mut out).unwrap_err();
        // An endless page may be too slow to become too long on a busy machine.
        assert!(failure.0.contains(part) || (part == "is longer than" && failure.0.contains("in time")), "{failure}");
        assert_eq!(out.take().0, Vec::new());
    }
    let mut two = build("{ values: { a: b } }", &[&server.url, &format!("http://{gone}")]).unwrap();
    server.now(Does::Says("b 1\n".into()));
    two.sample(Nanos::from_secs(1), &mut out).unwrap();
    let (values, _) = out.take();
    assert!(values.iter().all(|one| out.instance_name(one.instance) == "shop.1"), "the other is a gap");
    assert!(!values.is_empty());
    let missing = out.take_absent().missing.pop().unwrap();
    assert_eq!(out.instance_name(missing.0), "shop.2");
    assert!(missing.1.contains("of `shop.2`"), "{missing:?}");
}

/// A route that nobody asks for has no mean time, which is not missing.
#[test]
fn a_mean_of_nothing_is_no_gap() {
    let page = |a: u32, b: u32| {
        Does::Says(format!(
            "took_sum{{uri=\"/a\"}} {a}\ntook_count{{uri=\"/a\"}} {a}\ntook_sum{{uri=\"/b\"}} {b}\ntook_count{{uri=\"/b\"}} {b}\n"
        ))
    };
    let server = Server::start(page(1, 1));
    let mut monitor =
        build("{ values: { took: { metric: took, kind: mean, unit: s, by: uri } } }", &[&server.url]).unwrap();
    let mut out = Samples::default();
    let mut looks = Vec::new();
    for does in [page(1, 1), page(3, 2), page(5, 2)] {
        server.now(does);
        monitor.sample(Nanos::from_secs(1), &mut out).unwrap();
        let number = METRICS.len() as u16;
        let means = out.take().0.iter().filter(|one| one.metric == number).count();
        let quiet = out.take_absent().quiet;
        let quiet: Vec<&str> = quiet.iter().map(|(instance, _)| out.instance_name(*instance)).collect();
        looks.push((means, quiet.join(", ")));
    }
    let expected = [(0, "shop / /a, shop / /b"), (2, ""), (1, "shop / /b")];
    assert_eq!(looks, expected.map(|(means, quiet)| (means, quiet.to_owned())));
}

/// A series that is gone takes nothing with it, as a process of a pool that ends.
#[test]
fn what_series_of_a_counter_add_up_to_only_grows() {
    let page = |series: &[(&str, u32)]| {
        Does::Says(series.iter().map(|(id, value)| format!("done_total{{id=\"{id}\"}} {value}\n")).collect())
    };
    let server = Server::start(page(&[("a", 999_000), ("b", 1_000)]));
    let mut monitor = build("{ values: { done: { metric: done_total, kind: counter } } }", &[&server.url]).unwrap();
    let mut out = Samples::default();
    let mut seen = Vec::new();
    for does in [page(&[("a", 999_000), ("b", 1_000)]), page(&[("a", 999_004)]), page(&[("a", 3), ("b", 1_001)])] {
        server.now(does);
        monitor.sample(Nanos::from_secs(1), &mut out).unwrap();
        let number = METRICS.len() as u16;
        seen.extend(out.take().0.iter().filter(|one| one.metric == number).map(|one| one.value));
    }
    assert_eq!(seen, [1_000_000.0, 1_000_004.0, 1_000_008.0]);
}

#[test]
fn every_word_is_there_in_every_language() {
    testkit::words::of_monitor(&PROMETHEUS);
}
