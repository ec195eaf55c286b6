//! Conditions, loops, choices and waits through the command, counted by the server that was asked.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::site::{Answered, Asked, serve};
use e2e::{Place, assert_balanced, leg, step};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

type Counts = Arc<Mutex<BTreeMap<String, u64>>>;

/// A shop of three pages with two items each; every other item is sold out. Its port, and what it was asked.
fn shop() -> (u16, Counts) {
    let counts = Counts::default();
    let own = counts.clone();
    let port = serve(move |asked| {
        *own.lock().unwrap().entry(format!("{} {}", asked.method, asked.target)).or_default() += 1;
        answer(asked)
    });
    (port, counts)
}

fn answer(asked: &Asked) -> Answered {
    let json = |value: Value| ("200 OK", String::new(), value.to_string());
    let (path, query) = asked.target.split_once('?').unwrap_or((&asked.target, ""));
    match path.split('/').collect::<Vec<_>>().as_slice() {
        ["", "items"] => {
            let page: u64 = query.strip_prefix("page=").unwrap().parse().unwrap();
            let ids = [2 * page, 2 * page + 1];
            match page {
                3 => json(json!({ "ids": ids })),
                _ => json(json!({ "ids": ids, "next": format!("/items?page={}", page + 1) })),
            }
        }
        ["", "item", id] => json(json!({ "id": id, "stock": id.parse::<u64>().unwrap() % 2 })),
        ["", "buy" | "remember", _] => json(json!({})),
        _ => ("404 Not Found", String::new(), String::new()),
    }
}

fn run(place: &Place, scenario: &str) -> (Value, BTreeMap<String, u64>) {
    let (port, counts) = shop();
    // The name of a list's member is known only to a study that goes through the list.
    let of_id = match scenario.contains("as: id") {
        true => {
            "  item: { http.get: { url: $(shop)/item/$(id) }, check: [ json($.id) = $(id) ], capture: { stock: json($.stock) } }\n\
             \x20 buy: { http.post: { url: $(shop)/buy/$(id) } }\n\
             \x20 remember: { http.post: { url: $(shop)/remember/$(id) } }\n"
        }
        false => "",
    };
    let study = format!(
        "study: Flow\nsystem: {{ name: shop }}\nvars: {{ shop: \"http://127.0.0.1:{port}\" }}\nexchanges:\n\
         \x20 first: {{ http.get: {{ url: $(shop)/items?page=1 }}, capture: &page {{ ids: \"json($.ids[*], all)\", \
         one: \"json($.ids[*], any)\", next: {{ from: json($.next), optional: true }} }} }}\n\
         \x20 page: {{ http.get: {{ url: $(next) }}, capture: *page }}\n\
         {of_id}\
         \x20 any: {{ http.get: {{ url: $(shop)/item/$(one) }} }}\n\
         \x20 missing: {{ http.get: {{ url: $(shop)/nothing }}, capture: {{ next: json($.next) }} }}\n\
         scenarios:\n  journey:\n{scenario}"
    );
    place.file("study.yaml", &study);
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!(matches!(ran.code, 0 | 3), "{ran:#?}");
    let hold = step(&place.result("run"), "journey", "hold").clone();
    assert_balanced(&hold);
    let counts = counts.lock().unwrap().clone();
    (hold, counts)
}

#[test]
fn a_shopper_turns_pages_and_buys_what_is_there() {
    let (hold, counts) = run(
        &Place::new(),
        "    load: { users: 2, count: 30 }\n    run:\n      - first\n\
         \x20     - { while: $(next), most: 10, run: [ page, think: 1ms to 3ms ] }\n\
         \x20     - for each: ids\n        as: id\n        most: 10\n        run:\n          - item\n\
         \x20         - { if: $(stock) > 0, then: [ buy ], else: [ remember ] }\n",
    );
    assert_eq!((hold["failed"].as_u64(), hold["completed"].as_u64()), (Some(0), Some(30)), "{hold:#}");
    // The last page's items are 6 and 7, and the odd one is there.
    let expected = [
        "GET /item/6",
        "GET /item/7",
        "GET /items?page=1",
        "GET /items?page=2",
        "GET /items?page=3",
        "POST /buy/7",
        "POST /remember/6",
    ];
    assert_eq!(counts, expected.into_iter().map(|asked| (asked.to_owned(), 30)).collect());
    assert_eq!(leg(&hold, "page", "ok")["count"], 60, "{hold:#}");
}

#[test]
fn loops_end_at_their_bound_and_choices_are_whole_journeys() {
    let (hold, counts) = run(
        &Place::new(),
        "    load: { users: 4, count: 400 }\n    run:\n      - choose:\n\
         \x20         browse: { share: 75%, run: [ first, while: $(next), most: 1, run: [ page ] ] }\n\
         \x20         look: { share: 25%, run: [ first, any, think: exponential(1ms), any ] }\n",
    );
    assert_eq!((hold["failed"].as_u64(), hold["completed"].as_u64()), (Some(0), Some(400)), "{hold:#}");
    let asked = |asked: &str| counts.get(asked).copied().unwrap_or(0);
    let (browsed, looked) = (asked("GET /items?page=2"), asked("GET /item/2") + asked("GET /item/3"));
    assert_eq!(asked("GET /items?page=3"), 0, "one pass at most");
    assert_eq!((asked("GET /items?page=1"), 2 * (400 - browsed)), (400, looked), "{counts:?}");
    // 100 expected with a standard deviation of 8.7; of those, items come up alike.
    assert!((400 - browsed).abs_diff(100) <= 40, "{counts:?}");
    assert!(asked("GET /item/2").abs_diff(asked("GET /item/3")) <= looked / 2, "{counts:?}");
}

#[test]
fn an_iteration_that_cannot_go_on_has_no_further_pass() {
    let (hold, counts) = run(
        &Place::new(),
        "    load: { users: 1, count: 5 }\n    run:\n      - { times: 2, run: [ missing ] }\n\
         \x20     - { while: not $(next), most: 3, run: [ page ] }\n",
    );
    // `page` needs `next`: its first pass gives the iteration up.
    assert_eq!(hold["completed"].as_u64(), Some(0), "{hold:#}");
    assert_eq!(counts, BTreeMap::from([("GET /nothing".to_owned(), 10)]));
}

/// What a condition decides is planned as it was sent, and its think time contradicts nothing.
#[test]
fn pages_with_waits_under_a_constant_rate_keep_littles_law() {
    let place = Place::new();
    let (hold, _) = run(
        &place,
        "    load: { arrivals: 20/s, hold: 14s }\n    run:\n      - first\n\
         \x20     - { while: $(next), most: 5, run: [ think: 300ms to 900ms, page ] }\n\
         requirements: { pages: share(page.ok) >= 99% }\n",
    );
    assert_eq!((hold["failed"].as_u64(), hold["completed"].as_u64()), (Some(0), Some(280)), "{hold:#}");
    let result = place.result("run");
    let findings = result["findings"].as_array().unwrap();
    assert!(findings.iter().all(|finding| finding["rule"] != "LITTLE"), "{findings:#?}");
    let pages = &result["requirements"][0];
    assert_eq!((pages["id"].as_str(), pages["value"].as_f64()), (Some("pages"), Some(1.0)), "{pages:#}");
}
