//! Calls that an iteration makes at once, against a server that counts connections and cookies.
#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, step};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Parts that are asked for at a time, of six.
const AT_ONCE: usize = 3;

/// What came in, and how many parts of each visitor were in hand.
#[derive(Default)]
struct Seen {
    /// Connection, path and cookies of each request.
    asked: Vec<(usize, String, BTreeMap<String, String>)>,
    visitors: usize,
    in_hand: BTreeMap<String, usize>,
    most: BTreeMap<String, usize>,
    parts: BTreeMap<String, usize>,
}

/// A page gives each visitor a cookie of its own, one of its parts another. Parts are answered when all that the visitor
/// asks for at a time are in hand, and a moment later: one more would be counted.
fn serve() -> (u16, Arc<(Mutex<Seen>, Condvar)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let shared = Arc::<(Mutex<Seen>, Condvar)>::default();
    let seen = shared.clone();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            let seen = shared.clone();
            std::thread::spawn(move || connection(number, stream, &seen));
        }
    });
    (port, seen)
}

fn connection(number: usize, mut stream: TcpStream, seen: &(Mutex<Seen>, Condvar)) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    while let Some(first) = lines.next() {
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let head: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        let cookie = head.iter().find_map(|line| line.to_lowercase().starts_with("cookie:").then(|| line[7..].trim()));
        let pairs = cookie.unwrap_or_default().split("; ").filter_map(|pair| pair.split_once('='));
        let cookies: BTreeMap<String, String> = pairs.map(|(name, value)| (name.into(), value.into())).collect();
        let set = answer(number, &path, cookies, seen);
        let text = format!("HTTP/1.1 200 OK\r\n{set}content-length: 2\r\n\r\nok");
        if stream.write_all(text.as_bytes()).is_err() {
            return;
        }
    }
}

fn answer(
    number: usize,
    path: &str,
    cookies: BTreeMap<String, String>,
    (seen, came): &(Mutex<Seen>, Condvar),
) -> String {
    let mut all = seen.lock().unwrap();
    all.asked.push((number, path.to_owned(), cookies.clone()));
    if path == "/home" {
        all.visitors += 1;
        return format!("Set-Cookie: visitor=v{}\r\n", all.visitors);
    }
    let Some(visitor) = cookies.get("visitor").filter(|_| path.starts_with("/part")).cloned() else {
        return String::new();
    };
    let parts = all.parts.entry(visitor.clone()).or_default();
    *parts += 1;
    let wanted = parts.div_ceil(AT_ONCE) * AT_ONCE;
    let in_hand = all.in_hand.entry(visitor.clone()).or_default();
    *in_hand += 1;
    let in_hand = *in_hand;
    let most = all.most.entry(visitor.clone()).or_default();
    *most = in_hand.max(*most);
    came.notify_all();
    let is_alone = |all: &mut Seen| all.parts[&visitor] < wanted;
    let (all, _) = came.wait_timeout_while(all, Duration::from_secs(20), is_alone).unwrap();
    drop(all);
    std::thread::sleep(Duration::from_millis(20));
    *seen.lock().unwrap().in_hand.get_mut(&visitor).unwrap() -= 1;
    if path == "/part/2" { format!("Set-Cookie: theme=of-{visitor}; Path=/\r\n") } else { String::new() }
}

#[test]
fn a_page_has_its_parts_over_few_connections_and_with_one_visitors_cookies() {
    let (port, seen) = serve();
    let place = Place::new();
    let parts: String =
        (1..=6).map(|n| format!("  part{n}: {{ http.get: {{ url: '$(site)/part/{n}' }} }}\n")).collect();
    place.file(
        "study.yaml",
        &format!(
            "study: Parts\nsystem: {{ name: site }}\nvars: {{ site: 'http://127.0.0.1:{port}' }}\nexchanges:\n\
             \x20 home: {{ http.get: {{ url: $(site)/home }} }}\n{parts}\x20 after: {{ http.get: {{ url: $(site)/after }} }}\n\
             scenarios:\n  visit:\n    load: {{ users: 2, count: 12 }}\n\
             \x20   run: [ home, {{ parallel: [ part1, part2, part3, part4, part5, part6 ], at_once: {AT_ONCE} }}, after ]\n"
        ),
    );
    let check = place.loadproof(&["check", "study.yaml"]);
    assert!(check.stdout.contains("part6 ×1") && check.stdout.contains("transaction parallel part1"), "{check:#?}");
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!(matches!(ran.code, 0 | 3), "{ran:#?}");

    let seen = seen.0.lock().unwrap();
    let of = |visitor: &str| {
        let is_theirs = |cookies: &BTreeMap<String, String>| cookies.get("visitor").is_some_and(|own| own == visitor);
        seen.asked.iter().filter(move |(.., cookies)| is_theirs(cookies)).collect::<Vec<_>>()
    };
    assert_eq!(seen.visitors, 12);
    for visitor in (1..=12).map(|number| format!("v{number}")) {
        let asked = of(&visitor);
        let paths: BTreeSet<&str> = asked.iter().map(|(_, path, _)| path.as_str()).collect();
        assert_eq!((asked.len(), paths.len()), (7, 7), "each part and what follows, once: {asked:?}");
        assert_eq!(seen.most[&visitor], AT_ONCE, "so many at a time, never more");
        let connections: BTreeSet<usize> = asked.iter().map(|(connection, ..)| *connection).collect();
        assert_eq!(connections.len(), AT_ONCE, "{asked:?}");
        // What a part was given on its connection goes with what follows on the visitor's own.
        let (_, last, cookies) = asked.last().unwrap();
        assert_eq!((last.as_str(), cookies.get("theme")), ("/after", Some(&format!("of-{visitor}"))));
    }
    // Two users, each with its own connections, one of which had the page.
    let connections: BTreeSet<usize> =
        seen.asked.iter().filter(|(_, path, _)| path.len() > 1).map(|(connection, ..)| *connection).collect();
    assert_eq!(connections.len(), 2 * AT_ONCE, "{:?}", seen.asked);

    let result = place.result("run");
    let hold = step(&result, "visit", "hold");
    assert_balanced(hold);
    let whole = &hold["transactions"][0];
    assert_eq!(whole["id"], "parallel part1, part2, part3, part4, part5, part6");
    assert_eq!((whole["started"].as_u64(), hold["completed"].as_u64()), (Some(12), Some(12)), "{hold:#}");
    let report = place.loadproof(&["report", "run", "--format", "md"]);
    assert!(matches!(report.code, 0 | 3), "{report:#?}");
    let text = e2e::files(place.path()).into_iter().find(|file| file.extension().is_some_and(|ending| ending == "md"));
    let text = std::fs::read_to_string(text.unwrap()).unwrap();
    assert!(text.contains("in parallel with others, up to 3 at a time"), "{text}");
}
