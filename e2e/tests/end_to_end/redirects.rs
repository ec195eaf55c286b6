//! Redirects that are followed, through the command: their own times and counts, in rules and in the result.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use crate::site::{Answered, Asked, serve};
use e2e::{Place, assert_balanced, requirement, step};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a redirect takes at least, and what another answer does, milliseconds.
const REDIRECT_MS: u64 = 30;
const ANSWER_MS: u64 = 5;

fn answer(asked: &Asked, redirects: &AtomicU64) -> Answered {
    let to = |location: &str| {
        std::thread::sleep(Duration::from_millis(REDIRECT_MS));
        redirects.fetch_add(1, Ordering::SeqCst);
        ("302 Found", format!("Location: {location}\r\n"), "gone".to_owned())
    };
    match asked.target.as_str() {
        "/login" => to("/again"),
        "/again" => to("home"),
        "/round" => to("/round"),
        _ => {
            std::thread::sleep(Duration::from_millis(ANSWER_MS));
            ("200 OK", "X-Next: ?page=2\r\n".to_owned(), asked.target.clone())
        }
    }
}

/// A site that sends on, and how often it did.
fn site() -> (u16, Arc<AtomicU64>) {
    let redirects = Arc::<AtomicU64>::default();
    let counter = redirects.clone();
    (serve(move |asked| answer(asked, &counter)), redirects)
}

fn study(port: u16, scenario: &str, rules: &str) -> String {
    format!(
        "study: Redirects\nsystem: {{ name: site }}\nvars: {{ site: \"http://127.0.0.1:{port}\" }}\nexchanges:\n\
         \x20 login: {{ http.get: {{ url: $(site)/login }}, check: [ body = /home ] }}\n\
         \x20 home: {{ http.get: {{ url: $(site)/home }} }}\n\
         \x20 bare: {{ http.get: {{ url: $(site)/login, follow: no }}, check: [ status = 302 ] }}\n\
         \x20 round: {{ http.get: {{ url: $(site)/round, follow: 3 }} }}\n\
         \x20 list: {{ http.get: {{ url: $(site)/list/1 }}, capture: {{ next: header(x-next) }} }}\n\
         \x20 next: {{ http.get: {{ url: $(next) }}, check: [ 'body = /list/1?page=2' ] }}\n\
         scenarios:\n  journey: {scenario}\nrequirements:\n{rules}\n"
    )
}

fn exchange<'a>(hold: &'a Value, name: &str) -> &'a Value {
    hold["exchanges"].as_array().unwrap().iter().find(|known| known["id"] == name).unwrap()
}

/// Names and counts of an exchange's legs, of what succeeded.
fn legs(hold: &Value, name: &str) -> Vec<(String, u64)> {
    let well = exchange(hold, name)["legs"].as_array().unwrap().iter().filter(|leg| leg["outcome"] == "ok");
    well.map(|leg| (leg["id"].as_str().unwrap().to_owned(), leg["count"].as_u64().unwrap())).collect()
}

#[test]
fn what_redirects_took_and_how_many_there_were_is_judged_by_itself() {
    for (load, is_closed) in [("arrivals: 20/s, hold: 3s", false), ("users: 2, hold: 3s", true)] {
        let (place, (port, redirects)) = (Place::new(), site());
        let rules = "  hops: count(login.redirect) >= 1\n  bound: count(login.redirect) <= 2000\n  \
                     none: count(home.redirect) = 0\n  least: min(login.redirect) >= 30 ms\n  \
                     fast: p95(login.redirect) < 10 ms\n  right: count(login.failed) = 0";
        place.file("study.yaml", &study(port, &format!("{{ load: {{ {load} }}, run: [login, home, bare] }}"), rules));
        let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
        assert!(matches!(ran.code, 1 | 3), "{ran:#?}");
        let result = place.result("run");
        let hold = step(&result, "journey", "hold");
        assert_balanced(hold);
        let login = legs(hold, "login");
        let bare = legs(hold, "bare");
        let home = legs(hold, "home");
        let names = |legs: &[(String, u64)]| legs.iter().map(|leg| leg.0.clone()).collect::<Vec<_>>();
        assert_eq!(
            [names(&login), names(&home), names(&bare)].concat(),
            ["answer", "redirect", "answer", "answer"],
            "{hold:#}"
        );
        // Two of each login, and what is not followed is one of the site's and none of the exchange's. What the end of the
        // load cut off is in the site's count only, two for each user at most.
        assert_eq!(login[1].1, 2 * login[0].1, "{login:?}");
        let (counted, of_site) = (login[1].1 + bare[0].1, redirects.load(Ordering::SeqCst));
        assert!(counted <= of_site && of_site <= counted + 8, "{counted} of {of_site}");
        let legs = exchange(hold, "login")["legs"].as_array().unwrap();
        let times = |id: &str| {
            let leg = legs.iter().find(|leg| leg["id"] == id && leg["outcome"] == "ok").unwrap();
            assert_eq!(leg["response_ms"].is_null(), is_closed, "{leg:#}");
            let service = &leg["service_ms"];
            (service["min"].as_f64().unwrap(), service["mean"].as_f64().unwrap())
        };
        let (redirect, whole) = (times("redirect"), times("answer"));
        assert!(redirect.0 >= REDIRECT_MS as f64, "{redirect:?}");
        assert!(
            whole.0 >= (2 * REDIRECT_MS + ANSWER_MS) as f64 && 2.0 * redirect.1 <= whole.1,
            "{whole:?} {redirect:?}"
        );
        if ran.code == 1 {
            for id in ["hops", "bound", "none", "right"] {
                assert_eq!(requirement(&result, id)["verdict"], "met", "{id}: {result:#}");
            }
            // What a late generator adds can hide that an answer came too soon, and then the lower limit is left open.
            let (least, is_valid) = (requirement(&result, "least"), result["validity"]["state"] == "valid");
            assert!(least["verdict"] == "met" || (!is_valid && least["verdict"] == "cannot_tell"), "{result:#}");
            assert_eq!(requirement(&result, "fast")["verdict"], "not_met", "{result:#}");
        }
    }
}

#[test]
fn a_circle_is_counted_up_to_its_bound_and_its_sample_says_so() {
    let (place, (port, _)) = (Place::new(), site());
    let rules = "  hops: count(round.redirect) <= 2000";
    place.file("study.yaml", &study(port, "{ load: { users: 1, count: 4 }, run: [round, home] }", rules));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!(matches!(ran.code, 0 | 3), "{ran:#?}");
    let result = place.result("run");
    let hold = step(&result, "journey", "hold");
    assert_eq!(legs(hold, "round"), [("answer".to_owned(), 0), ("redirect".to_owned(), 12)], "{hold:#}");
    let why = exchange(hold, "round")["failures"][0]["example"].as_str().unwrap();
    assert!(why.contains("after 3 redirects, the most that `follow` allows"), "{why}");
}

#[test]
fn whoever_checks_sees_each_redirect_and_no_rule_waits_for_one_that_is_not_followed() {
    let (place, (port, _)) = (Place::new(), site());
    let scenario = "{ load: { users: 1, count: 4 }, run: [login, bare] }";
    place.file("study.yaml", &study(port, scenario, "  hops: count(login.redirect) <= 2000"));
    let once = place.loadproof(&["check", "study.yaml", "--once"]);
    assert_eq!(once.code, 0, "{once:#?}");
    let told: Vec<&str> = once.stdout.lines().filter_map(|line| line.trim().strip_prefix("redirect: ")).collect();
    assert_eq!(told.len(), 2, "{once:#?}");
    for (line, path) in told.iter().zip(["login", "again"]) {
        assert!(line.starts_with(&format!("status 302 from `http://127.0.0.1:{port}/{path}` in ")), "{line}");
    }
    assert!(once.stdout.contains(&format!("ended at `http://127.0.0.1:{port}/home`: status 200")), "{once:#?}");

    place.file("study.yaml", &study(port, scenario, "  hops: count(bare.redirect) <= 2000"));
    let refused = place.loadproof(&["check", "study.yaml"]);
    assert_eq!(refused.code, 2, "{refused:#?}");
    assert!(refused.stderr.contains("`bare` follows no redirects, so it has no leg `redirect`"), "{refused:#?}");
}

/// A captured address is relative to the answer that gave it, whichever of a user's connections that came on.
#[test]
fn an_address_that_a_call_in_parallel_captured_leads_where_that_call_was() {
    for run in ["[ { parallel: [list, home], at_once: 2 }, next ]", "[ list, { parallel: [home, next], at_once: 2 } ]"]
    {
        let (place, (port, _)) = (Place::new(), site());
        let scenario = format!("{{ load: {{ users: 2, count: 10 }}, run: {run} }}");
        place.file("study.yaml", &study(port, &scenario, "  right: count(next.failed) = 0"));
        let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
        assert!(matches!(ran.code, 0 | 3), "{ran:#?}");
        let result = place.result("run");
        let hold = step(&result, "journey", "hold");
        assert_eq!(legs(hold, "next"), [("answer".to_owned(), 10)], "{run}: {hold:#}");
    }
}
