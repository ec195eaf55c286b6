//! The server as a browser sees it, by plain sockets, over run folders that are written here.

use crate::history::{History, LEVELS};
use crate::{Ask, Live, Outcome, Requirement, Wanted};
use follow::{ExchangeSecond, GeneratorSecond, PartSecond, Second};
use record::{EventRow, ExchangeHead, Head, LegHead, Observed, ScenarioHead, StepHead, StepMark, create};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use terms::{Books, Histogram, Nanos, Outcome as Ended};

const HOSTILE: &str = "<script>\u{202e}alert(1)</script>\"'";

fn head() -> Head {
    let name = HOSTILE.repeat(400);
    Head {
        id: "trial".into(),
        study: name.clone(),
        workers: 1,
        scenarios: vec![ScenarioHead { name: name.clone(), ..ScenarioHead::default() }],
        steps: vec![StepHead { id: name.clone(), phase: "hold".into(), ..StepHead::default() }],
        exchanges: vec![ExchangeHead { name, legs: vec![LegHead::of_exchange("all")], ..ExchangeHead::default() }],
        ..Head::default()
    }
}

fn second(second: i64, time_ms: i64) -> Second {
    let mut times = Histogram::new();
    times.record_n(Nanos::from_millis(time_ms), 10);
    let exchange =
        ExchangeSecond { ok: 10, outcomes: vec![(Ended::Timeout, 2)], service: times, ..ExchangeSecond::default() };
    Second {
        second,
        steps: vec![0],
        exchanges: vec![exchange],
        parts: vec![PartSecond {
            step: 0,
            books: Books { intended: 12, started: 12, completed: 10, failed: 2, ..Books::default() },
        }],
        generator: Some(GeneratorSecond { threads: 1, in_flight_mean: 3.0, ..GeneratorSecond::default() }),
        ..Second::default()
    }
}

fn snapshot(history: &History) -> Value {
    serde_json::from_str(&history.snapshot(false)).unwrap()
}

#[test]
fn a_day_takes_no_more_room_than_is_kept_and_loses_no_call() {
    let (mut history, head) = (History::default(), head());
    history.see_head(&head);
    let seconds = 20_000;
    for at in 0..seconds {
        history.see(&second(at, 10 + at % 7), &head);
    }
    history.end(&head);
    let state = snapshot(&history);
    for (level, (length, kept)) in LEVELS.iter().enumerate() {
        let frames = state["levels"][level].as_array().unwrap();
        assert!(frames.len() <= *kept, "{level}: {}", frames.len());
        assert!(frames.iter().all(|frame| frame["n"] == *length && frame["s"].as_i64().unwrap() % length == 0));
    }
    // The coarsest level still has all of it.
    let completed: u64 =
        state["levels"][3].as_array().unwrap().iter().map(|frame| frame["b"][2].as_u64().unwrap()).sum();
    assert_eq!(completed, 10 * seconds as u64);
    assert_eq!(
        (&state["legs"]["rows"][0]["ok"], &state["legs"]["rows"][0]["failed"]),
        (&200_000.into(), &40_000.into())
    );
    assert_eq!(state["steps"], serde_json::json!([[0, 0, seconds - 1]]));
    assert!(history.snapshot(false).len() < 2_000_000);
}

#[test]
fn storms_of_events_and_long_names_are_cut() {
    let (mut history, head) = (History::default(), head());
    history.see_head(&head);
    for at in 0..20 {
        let text = HOSTILE.repeat(10_000);
        let event = EventRow { at: Nanos::from_secs(at), kind: "gone".into(), subject: HOSTILE.into(), text };
        history.see(&Second { second: at, events: vec![event; 300], ..Second::default() }, &head);
    }
    let state = snapshot(&history);
    assert_eq!(state["events"].as_array().unwrap().len(), 500);
    let text = history.snapshot(false);
    assert!(text.len() < 1_500_000, "{}", text.len());
    assert!(!text.contains('\u{202e}'), "what turns the direction of writing is shown as what it is");
    assert!(state["about"]["study"].as_str().unwrap().chars().count() <= 121);
}

/// A page whose run can be asked for an end, and what was asked.
fn served(judged: fn(&Path) -> Result<Outcome, String>, is_told: bool) -> (Live, Arc<Mutex<Vec<Ask>>>) {
    let asked: Arc<Mutex<Vec<Ask>>> = Arc::default();
    let heard = Arc::clone(&asked);
    let page = Live::start(Wanted {
        address: crate::loopback("0").unwrap(),
        ask: Some(Box::new(move |ask| {
            heard.lock().unwrap().push(ask);
            true
        })),
        fill_in: |_| {},
        planned: |_| vec![Requirement { id: "fast".into(), ..Requirement::default() }],
        judged,
        is_told,
    });
    (page.unwrap(), asked)
}

fn address(page: &Live) -> String {
    let url = page.url();
    url["http://".len()..].split('/').next().unwrap().to_owned()
}

fn token(page: &Live) -> String {
    page.url().split_once('#').unwrap().1.to_owned()
}

fn request(page: &Live, first: &str, more: &str) -> String {
    let mut socket = TcpStream::connect(address(page)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let host = if more.contains("Host:") { String::new() } else { format!("Host: {}\r\n", address(page)) };
    write!(socket, "{first} HTTP/1.1\r\n{host}{more}Connection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    answer
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap()
}

#[test]
fn only_who_has_the_token_can_end_a_run() {
    let (page, asked) = served(|_| Err("not judged".into()), true);
    let own = format!("X-Loadproof-Token: {}\r\n", token(&page));
    let none = "";
    let wrong = "X-Loadproof-Token: 00000000000000000000000000000000\r\n";
    for (path, more, expected) in [
        ("/drain", none, "403"),
        ("/drain", wrong, "403"),
        ("/stop", wrong, "403"),
        ("/drain", own.as_str(), "202"),
        ("/stop", own.as_str(), "202"),
    ] {
        let answer = request(&page, &format!("POST {path}"), &format!("{more}Content-Length: 0\r\n"));
        assert_eq!(status(&answer), expected, "{path} {more}: {answer}");
    }
    assert_eq!(status(&request(&page, "GET /drain", &own)), "405", "nothing is changed by looking");
    assert_eq!(*asked.lock().unwrap(), [Ask::Drain, Ask::Stop]);
    assert!(!request(&page, "GET /state", "").contains(&token(&page)));
}

#[test]
fn only_its_own_names_are_answered_and_every_answer_has_a_policy() {
    let (page, asked) = served(|_| Err("not judged".into()), true);
    let own = format!("Host: evil.example\r\nX-Loadproof-Token: {}\r\nContent-Length: 0\r\n", token(&page));
    assert_eq!(status(&request(&page, "POST /drain", &own)), "421");
    for path in ["/", "/state", "/events"] {
        let answer = request(&page, &format!("GET {path}"), "Host: evil.example\r\n");
        assert_eq!(status(&answer), "421", "{path}");
        assert!(answer.contains("content-security-policy: default-src 'none'"), "{answer}");
    }
    assert!(asked.lock().unwrap().is_empty());
    for (path, kind) in [
        ("/", "text/html"),
        ("/live.js", "text/javascript"),
        ("/chart.js", "text/javascript"),
        ("/live.css", "text/css"),
        ("/state", "application/json"),
    ] {
        let answer = request(&page, &format!("GET {path}"), "");
        assert_eq!(status(&answer), "200", "{path}");
        assert!(
            answer.contains(kind) && answer.contains("frame-ancestors 'none'") && answer.contains("nosniff"),
            "{answer}"
        );
    }
    assert_eq!(status(&request(&page, "GET /elsewhere", "")), "404");
}

/// Events of a page, one after another.
struct Events(BufReader<TcpStream>);

impl Events {
    fn open(page: &Live, path: &str, more: &str) -> Self {
        let mut socket = TcpStream::connect(address(page)).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let own = address(page);
        write!(socket, "GET {path} HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n{more}\r\n").unwrap();
        Self(BufReader::new(socket))
    }

    /// The next event's kind, id and data; `None` at the end.
    fn next(&mut self) -> Option<(String, String, String)> {
        let (mut kind, mut id, mut data) = (String::new(), String::new(), String::new());
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            let line = line.trim_end();
            match line.split_once(": ") {
                Some(("event", text)) => kind = text.into(),
                Some(("id", text)) => id = text.into(),
                Some(("data", text)) => data = text.into(),
                // As browsers do it: an event without data is dropped.
                _ if line.is_empty() && !data.is_empty() => return Some((kind, id, data)),
                _ if line.is_empty() => kind.clear(),
                _ => {}
            }
        }
    }
}

fn event(second: i64) -> Observed {
    let at = Nanos::from_secs(second);
    Observed::Event(EventRow { at, kind: "gone".into(), subject: HOSTILE.into(), text: "it died".into() })
}

#[test]
fn a_page_is_told_what_comes_resumes_where_it_was_and_hears_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    let (page, _) = served(|_| Err("not judged".into()), true);
    page.follow(&path);
    let mut events = Events::open(&page, "/events?from=0", "");
    let mut seconds = Vec::new();
    writer.add(&Observed::Step(StepMark { step: 0, at: Nanos::ZERO, is_end: false })).unwrap();
    for second in 0..8 {
        writer.add(&event(second)).unwrap();
    }
    writer.sync().unwrap();
    // With a load in hand and nobody who closes its seconds, three are waited for.
    while seconds.len() < 4 {
        let (kind, id, data) = events.next().unwrap();
        if kind == "second" {
            assert_eq!(serde_json::from_str::<Value>(&data).unwrap()["s"].to_string(), id);
            seconds.push(id);
        }
    }
    assert_eq!(seconds, ["0", "1", "2", "3"]);
    // Another goes on behind what it saw last, a third saw what is not kept.
    let mut resumed = Events::open(&page, "/events?from=0", "Last-Event-ID: 1\r\n");
    let next = std::iter::from_fn(|| resumed.next()).find(|(kind, ..)| kind == "second").unwrap();
    assert_eq!(next.1, "2");
    let mut lost = Events::open(&page, "/events", "Last-Event-ID: 99\r\n");
    assert_eq!(lost.next().unwrap().0, "again");
    assert_eq!(lost.next(), None);
    writer.finish(&head()).unwrap();
    let requirement = Requirement { id: "fast".into(), verdict: "met".into(), ..Requirement::default() };
    page.over(Outcome { validity: "valid".into(), requirements: vec![requirement], ..Outcome::default() });
    let state: Value =
        serde_json::from_str(request(&page, "GET /state", "").split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(
        (&state["outcome"]["validity"], &state["requirements"]["rows"][0]["verdict"]),
        (&"valid".into(), &"met".into())
    );
    assert_eq!(state["levels"][0].as_array().unwrap().len(), 8);
    // A reader that takes nothing holds nothing up.
    let stalled = Events::open(&page, "/events?from=0", "");
    page.end();
    let rest: Vec<_> = std::iter::from_fn(|| events.next()).collect();
    assert_eq!(rest.last().unwrap().0, "over");
    drop(stalled);
}

#[test]
fn requirements_are_shown_as_they_stand_while_a_load_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    let judged = |_: &Path| {
        let open = Requirement { id: "fast".into(), measured: "3 ms".into(), is_open: true, ..Requirement::default() };
        let failed = Requirement { id: "right".into(), ..Requirement::default() };
        let row = |of: Requirement, verdict: &str| Requirement { verdict: verdict.into(), ..of };
        Ok(Outcome { requirements: vec![row(open, "cannot_tell"), row(failed, "not_met")], ..Outcome::default() })
    };
    let (page, _) = served(judged, true);
    page.follow(&path);
    let mut events = Events::open(&page, "/events?from=0", "");
    writer.add(&Observed::Step(StepMark { step: 0, at: Nanos::ZERO, is_end: false })).unwrap();
    (0..30).for_each(|second| writer.add(&event(second)).unwrap());
    writer.sync().unwrap();
    let mut standing = || -> Value {
        let told = std::iter::from_fn(|| events.next()).find(|(kind, ..)| kind == "requirements").unwrap();
        serde_json::from_str(&told.2).unwrap()
    };
    assert_eq!(standing()["at"], Value::Null, "as planned");
    let so_far = standing();
    assert!(so_far["at"].as_i64().unwrap() >= 10, "{so_far}");
    let rows = so_far["rows"].as_array().unwrap();
    // One that only waits for the end of its load has what was measured, and no verdict.
    assert_eq!((&rows[0]["verdict"], &rows[0]["measured"]), (&"".into(), &"3 ms".into()));
    assert!(rows[0]["reason"].as_str().unwrap().contains("has not ended"), "{so_far}");
    assert_eq!(rows[1]["verdict"], "not_met");
}

#[test]
fn pages_are_bounded_in_number() {
    let (page, _) = served(|_| Err("not judged".into()), true);
    let open: Vec<Events> = (0..32)
        .map(|_| {
            let mut events = Events::open(&page, "/events?from=0", "");
            let mut line = String::new();
            events.0.read_line(&mut line).unwrap();
            assert!(line.contains("200"), "{line}");
            events
        })
        .collect();
    assert_eq!(status(&request(&page, "GET /events?from=0", "")), "503");
    drop(open);
}

#[test]
fn a_folder_that_is_no_run_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (page, _) = served(|_| Err("not judged".into()), false);
    let mut events = Events::open(&page, "/events?from=0", "");
    page.follow(folder.path());
    let told = std::iter::from_fn(|| events.next()).find(|(kind, ..)| kind == "trouble").unwrap();
    assert!(told.2.contains("run.json"), "{}", told.2);
}

#[test]
fn a_finished_run_is_judged_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut writer = create(&path, &head(), "study: Trial\n").unwrap();
    writer.add(&event(3)).unwrap();
    writer.finish(&head()).unwrap();
    let (page, _) = served(|_| Ok(Outcome { validity: "questionable".into(), ..Outcome::default() }), false);
    let mut events = Events::open(&page, "/events?from=0", "");
    page.follow(&path);
    let over = std::iter::from_fn(|| events.next()).find(|(kind, ..)| kind == "over").unwrap();
    assert!(over.2.contains("questionable"), "{}", over.2);
    assert_eq!(page.shared.history().message(0).unwrap().unwrap().kind, "about");
}
