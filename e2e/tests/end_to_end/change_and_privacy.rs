//! `change` beside `compare`, users that clean up after themselves, and columns that nothing written shows.
#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, files, requirement};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A value that must not be found anywhere.
const CANARY: &str = "canary.bird@example.org";

/// A shop that gives out tokens and takes them back. It ends with the test's process.
struct Shop {
    port: u16,
    /// Tokens that were given out and not yet taken back, and how many were taken back.
    open: Arc<Mutex<(BTreeSet<String>, u64)>>,
}

impl Shop {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let open = Arc::new(Mutex::new((BTreeSet::new(), 0)));
        let kept = open.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let open = kept.clone();
                std::thread::spawn(move || serve(stream, &open));
            }
        });
        Self { port, open }
    }
}

/// Answers the requests of one connection until it is closed.
fn serve(mut stream: TcpStream, open: &Mutex<(BTreeSet<String>, u64)>) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).ok()? == 0 {
            return None;
        }
        let (mut token, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let line = line.trim();
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':')?;
            match name.to_ascii_lowercase().as_str() {
                "x-token" => token = value.trim().to_owned(),
                "content-length" => length = value.trim().parse().ok()?,
                _ => {}
            }
        }
        reader.by_ref().take(length).read_to_end(&mut Vec::new()).ok()?;
        let path = first.split(' ').nth(1)?;
        let (status, given, body) = answer(path, &token, open);
        let header = if given.is_empty() { String::new() } else { format!("x-token: {given}\r\n") };
        let head = format!("HTTP/1.1 {status}\r\n{header}content-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(body.as_bytes()).ok()?;
    }
}

fn answer(path: &str, token: &str, open: &Mutex<(BTreeSet<String>, u64)>) -> (&'static str, String, String) {
    let (place, query) = path.split_once('?').unwrap_or((path, ""));
    let mut open = open.lock().unwrap();
    match place {
        "/version" => ("200 OK", String::new(), "{\"name\": \"shop\"}".into()),
        "/login" => {
            let given = format!("token-of-{query}");
            open.0.insert(given.clone());
            ("200 OK", given, String::new())
        }
        "/logout" if open.0.remove(token) => {
            open.1 += 1;
            ("200 OK", String::new(), String::new())
        }
        "/buy" if open.0.contains(token) => ("200 OK", String::new(), String::new()),
        "/logout" | "/buy" => ("403 Forbidden", String::new(), format!("`{token}` is not a token")),
        "/work" => {
            drop(open);
            std::thread::sleep(Duration::from_millis(query.parse().unwrap_or(1)));
            ("200 OK", String::new(), String::new())
        }
        // What nobody should answer: the whole query, once as it came and once in plain text.
        _ => ("404 Not Found", String::new(), format!("no user {query}, that is {}", query.replace("%40", "@"))),
    }
}

const STUDY: &str = "study: Change
vars: { took: 5 }
data: { people: { file: people.csv } }
system: { name: shop, url: 'http://127.0.0.1:PORT', ready: none, identity: { path: /version, expect: { name: shop } } }
exchanges:
  login: { http.get: { url: '$(shop.url)/login?$(user.n)' }, capture: { token: header(x-token) } }
  buy: { http.get: { url: $(shop.url)/buy, headers: { x-token: $(token) } } }
  logout: { http.get: { url: $(shop.url)/logout, headers: { x-token: $(token) } } }
  look: { http.get: { url: '$(shop.url)/work?$(took)' } }
  who: { http.get: { url: '$(shop.url)/user?mail=$(people.mail)&n=$(people.number)' } }
scenarios:
  a: { load: { arrivals: 40/s, hold: 2s }, run: [look, who] }
  b: { set: { took: 25 }, load: { arrivals: 40/s, hold: 2s }, run: [look] }
  users: { load: { users: 3, count: 9 }, run: [buy], set_up: [ login: per user ], clean_up: [ logout: per user ] }
requirements:
  slower: change(mean(look.response), a, b) <= 10%
  bought: share(buy.ok) >= 100%
compare:
  it: { of: mean(look.response), base: a, against: b }
report: { languages: [en, nl, da], formats: [html, md, junit], keep_out: [people.mail] }
";

fn bytes_hold(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Files of a run folder in which a value stands in any of its spellings.
fn files_with_values(place: &Place, run: &str) -> Vec<String> {
    let spellings = [CANARY.to_owned(), CANARY.replace('@', "%40"), CANARY.replace('@', "&#64;"), "canary.bird".into()];
    let holds = |path: &std::path::PathBuf| {
        let bytes = std::fs::read(path).unwrap();
        spellings.iter().any(|spelling| bytes_hold(&bytes, spelling))
    };
    let found = files(&place.path().join(run)).into_iter().filter(holds);
    found.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_change_is_judged_as_it_is_compared_users_clean_up_and_data_stays_private() {
    let (place, shop) = (Place::new(), Shop::start());
    place.file("people.csv", &format!("mail,number\n{CANARY},1\n{CANARY},2\n"));
    place.file("study.yaml", &STUDY.replace("PORT", &shop.port.to_string()));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");

    // The requirement has the figures and the doubts of the table; two seconds are too short for a verdict.
    let (slower, row) = (requirement(&result, "slower"), &result["comparisons"][0]["pairs"][0]["rows"][0]);
    assert_eq!(
        (&slower["scope"], &slower["verdict"]),
        (&Value::from("b/hold"), &Value::from("cannot_tell")),
        "{slower:#}"
    );
    assert_eq!(slower["reason_code"], row["reason"]["code"], "{slower:#} {row:#}");
    // The result is printed with ten digits.
    let apart = slower["value"].as_f64().unwrap() - row["change"]["value"].as_f64().unwrap();
    assert!(apart.abs() < 1e-6, "{slower:#} {row:#}");
    assert!(slower["value"].as_f64().unwrap() > 0.5, "25 ms beside 5 ms: {slower:#}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(report.contains("change(mean(look.response), a, b)"));

    // Each of the three users gave its own token back, after its last purchase.
    let open = shop.open.lock().unwrap();
    assert_eq!((&open.0, open.1), (&BTreeSet::new(), 3), "{ran:#?}");
    drop(open);
    assert_eq!(requirement(&result, "bought")["value"], 1.0, "{result:#}");

    // The value was in every failing answer, and is nowhere; its column and its neighbour's values may be told.
    assert!(report.contains("no user mail=‹kept out›&amp;n=1, that is mail=‹kept out›"), "no sample of a failure");
    let study = std::fs::read_to_string(place.path().join("run/evidence/study.yaml")).unwrap();
    assert!(study.contains("$(people.mail)") && study.contains("keep_out"), "{study}");
    assert_eq!(files_with_values(&place, "run"), Vec::<String>::new());
    assert!(!ran.stderr.contains("canary.bird") && !ran.stdout.contains("canary.bird"), "{ran:#?}");
    let again = place.loadproof(&["report", "run"]);
    assert_eq!((again.code, files_with_values(&place, "run")), (ran.code, Vec::new()), "{again:#?}");

    // Without the key it is told: this test would see it.
    let (before, _) = STUDY.split_once("  b: {").unwrap();
    let only_a = before.replace("hold: 2s", "hold: 1s").replace("PORT", &shop.port.to_string());
    place.file("open.yaml", &only_a);
    let ran = place.loadproof(&["run", "open.yaml", "--out", "open"]);
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    assert!(
        files_with_values(&place, "open").iter().any(|file| file == "report.html"),
        "{:?}",
        files_with_values(&place, "open")
    );

    let wrong = STUDY.replace("[people.mail]", "[people.mial, poeple.mail, people]").replace("PORT", "1");
    place.file("wrong.yaml", &wrong);
    let ran = place.loadproof(&["check", "wrong.yaml"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    for words in ["did you mean `mail`?", "did you mean `people`?", "write `DATASET.COLUMN`"] {
        assert!(ran.stderr.contains(words), "{words}: {ran:#?}");
    }
}
