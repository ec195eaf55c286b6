//! Traces of exchanges, through the command: what a server saw of the header `traceparent`, and which of its answers were
//! the slowest, is what the result, the table and the page say.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use crate::site::{Answered, Asked, serve};
use e2e::{Place, assert_balanced, step};
use record::Run;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Every so manyth answer of the site is slow, by so much.
const EVERY: usize = 20;
const SLOW_MS: u64 = 400;
/// The last request of all is answered when its time-out is over.
const NEVER: &str = "/never";
const TIMEOUT_MS: u64 = 700;

/// The header of each request, and how long its answer was held back.
type Seen = Arc<Mutex<Vec<(String, u64)>>>;

fn answer(asked: &Asked, seen: &Seen) -> Answered {
    let held = {
        let mut seen = seen.lock().unwrap();
        let held = match seen.len() % EVERY {
            _ if asked.target == NEVER => 2 * TIMEOUT_MS,
            0 => SLOW_MS,
            _ => 0,
        };
        seen.push((asked.header("traceparent").to_owned(), held));
        held
    };
    std::thread::sleep(Duration::from_millis(held));
    ("200 OK", String::new(), "right".to_owned())
}

fn site() -> (u16, Seen) {
    let seen = Seen::default();
    let own = seen.clone();
    (serve(move |asked| answer(asked, &own)), seen)
}

/// The trace of a header, which has the form of the standard.
fn trace_of(header: &str) -> &str {
    let parts: Vec<&str> = header.split('-').collect();
    let is_hex = |part: &str, digits: usize| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(
        matches!(parts[..], ["00", trace, parent, "00" | "01"] if is_hex(trace, 32) && is_hex(parent, 16)),
        "{header}"
    );
    parts[1]
}

fn slowest<'a>(step: &'a Value, exchange: &str) -> &'a [Value] {
    let exchanges = step["exchanges"].as_array().unwrap();
    exchanges.iter().find(|known| known["id"] == exchange).unwrap()["slowest"].as_array().unwrap()
}

#[test]
fn the_slowest_are_those_that_the_server_held_back_and_it_has_seen_their_traces() {
    let (place, (port, seen)) = (Place::new(), site());
    place.file(
        "study.yaml",
        &format!(
            "study: Traces\nsystem: {{ name: site }}\nvars: {{ site: \"http://127.0.0.1:{port}\" }}\n\
             traces: {{ sampled: 10%, link: \"https://traces.lab/trace/$(trace)?a=1&b=2\" }}\nexchanges:\n\
             \x20 page: {{ http.get: {{ url: $(site)/page }} }}\n\
             \x20 never: {{ http.get: {{ url: $(site){NEVER} }}, timeout: {TIMEOUT_MS}ms }}\n\
             scenarios:\n\
             \x20 pages: {{ load: {{ arrivals: 60/s, hold: 3s }}, run: [page] }}\n\
             \x20 vain: {{ load: {{ users: 1, hold: 1s }}, run: [never] }}\n"
        ),
    );
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!(matches!(ran.code, 0 | 3), "{ran:#?}");
    let result = place.result("run");
    let hold = step(&result, "pages", "hold");
    assert_balanced(hold);
    let seen = seen.lock().unwrap().clone();
    let held: BTreeMap<&str, u64> = seen.iter().map(|(header, held)| (trace_of(header), *held)).collect();
    assert_eq!(held.len(), seen.len(), "each exchange has a trace of its own");
    // Of 180 requests 18 are sampled; five standard deviations are 20.
    let sampled = seen.iter().filter(|(header, _)| header.ends_with("-01")).count();
    assert!((1..=40).contains(&sampled), "{sampled}");

    let listed = slowest(hold, "page");
    assert_eq!(listed.len(), 10, "{listed:#?}");
    let times: Vec<f64> = listed.iter().map(|call| call["time_ms"].as_f64().unwrap()).collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");
    let mut traces = BTreeSet::new();
    for call in listed {
        let trace = call["trace"].as_str().unwrap();
        assert!(traces.insert(trace), "{call:#}");
        assert!(
            call["time_ms"].as_f64().unwrap() >= held[trace] as f64,
            "no sooner than the server let it go: {call:#}"
        );
        assert_eq!((call["outcome"].as_str(), call["at_least"].as_bool()), (Some("ok"), Some(false)), "{call:#}");
    }
    // Whatever was held back is listed, unless ten others took even longer.
    let slow = |(_, held): &(&&str, &u64)| **held == SLOW_MS;
    let missing = held.iter().filter(slow).filter(|(trace, _)| !traces.contains(**trace)).count();
    assert!(missing == 0 || times.iter().all(|time| *time >= SLOW_MS as f64), "{missing} of {listed:#?}");

    // In a closed load the time runs from the start, and what was given up took at least as long as was waited.
    let vain = slowest(step(&result, "vain", "hold"), "never");
    assert!(!vain.is_empty());
    for call in vain {
        assert!(call["time_ms"].as_f64().unwrap() >= TIMEOUT_MS as f64, "{call:#}");
        assert_eq!((call["outcome"].as_str(), call["at_least"].as_bool()), (Some("timeout"), Some(true)), "{call:#}");
        assert!(held.contains_key(call["trace"].as_str().unwrap()), "{call:#}");
    }
    // What was noted of a failure names its trace.
    let never = &step(&result, "vain", "hold")["exchanges"][0];
    let noted = never["failures"][0]["trace"].as_str().map(|trace| held[trace]);
    assert_eq!(noted, Some(2 * TIMEOUT_MS), "{never:#}");

    // The rows have them all, and the page has a link to each.
    let run = Run::open(place.path().join("run")).unwrap();
    let rows: BTreeSet<String> =
        run.slowest().unwrap().filter_map(|row| Some(row.unwrap().trace?.to_string())).collect();
    assert!(traces.iter().all(|trace| rows.contains(*trace)));
    let page = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    for trace in traces {
        let link = format!("<a href=\"https://traces.lab/trace/{trace}?a=1&amp;b=2\"");
        assert!(page.contains(&link), "{link}");
    }
}
