//! Redirects that are followed have times and counts of their own, as a leg beside that of their exchange.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{exchange, http2::Http2Server, with};
use contract::{Compare, Probe, Settings};
use driver_http::{HTTP, JOB};
use proptest::prelude::*;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use terms::{Nanos, Outcome, Population};
use testkit::{Folded, Lab, LegRow, Server, Surroundings, body_is, build, check, ok, reset, text};

const ANSWER: u8 = 0;
const REDIRECT: u8 = 1;

fn moved(location: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 4\r\n\r\ngone")
}

/// Works for so many milliseconds.
fn pause(ms: i64) {
    clock::Clock::system().sleep_until(Nanos::from_millis(ms));
}

/// A path names the milliseconds that each answer takes, and how often it is still sent on: `/3/2`. With it the number of
/// redirects that it sent.
fn site() -> (Server, Arc<AtomicU64>) {
    let sent = Arc::new(AtomicU64::new(0));
    let counted = sent.clone();
    let server = Server::replying(move |_, request, stream| {
        let path = request.line().split(' ').nth(1).unwrap_or_default();
        let mut parts = path.split('/').skip(1).map(|part| part.parse::<i64>().unwrap_or(0));
        let (ms, left) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
        pause(ms);
        if left == 0 {
            return stream.write_all(ok("here").as_bytes()).is_ok();
        }
        // Counted before it is sent, so that whoever has it finds it counted.
        counted.fetch_add(1, Ordering::SeqCst);
        stream.write_all(moved(&format!("/{ms}/{}", left - 1)).as_bytes()).is_ok()
    });
    (server, sent)
}

/// What the books have since they were last asked.
fn books(lab: &mut Lab) -> Folded {
    lab.recorder.drain().fold()
}

/// Rows of a leg.
fn rows(folded: &Folded, leg: u8) -> Vec<&LegRow> {
    folded.legs.iter().filter(|row| row.leg == leg).collect()
}

fn count(folded: &Folded, leg: u8) -> u64 {
    rows(folded, leg).iter().map(|row| row.count).sum()
}

#[test]
fn a_redirect_has_the_time_until_it_was_read_and_its_exchange_that_until_the_last_answer() {
    let redirects = Arc::new(AtomicU64::new(0));
    let counted = redirects.clone();
    let server = Server::replying(move |_, request, stream| {
        let is_login = request.line().contains("/login");
        pause(if is_login { 30 } else { 5 });
        counted.fetch_add(u64::from(is_login), Ordering::SeqCst);
        let answer = if is_login { moved("/home") } else { ok("here") };
        stream.write_all(answer.as_bytes()).is_ok()
    });
    let url = |path: &str| format!("http://{}{path}", server.address);
    let mut lab = Lab::new(HTTP, &[exchange("post", url("/login")), exchange("get", url("/home"))]);
    for number in [0, 1, 0, 1, 1, 0] {
        assert_eq!(lab.carry_out(number), Outcome::Ok);
    }
    let folded = books(&mut lab);
    let hops = rows(&folded, REDIRECT);
    assert_eq!(count(&folded, REDIRECT), redirects.load(Ordering::SeqCst), "{hops:?}");
    assert_eq!((count(&folded, REDIRECT), count(&folded, ANSWER)), (3, 6));
    for row in &hops {
        assert_eq!((row.exchange, row.population, row.bytes), (0, Population::Ok, 4 * row.count));
        assert!(row.service.min >= Nanos::from_millis(30) && row.response.min >= Nanos::from_millis(30), "{row:?}");
    }
    let logins = rows(&folded, ANSWER).into_iter().filter(|row| row.exchange == 0);
    logins.for_each(|row| assert!(row.service.min >= Nanos::from_millis(35), "{row:?}"));
    let started: u64 = folded.starts.iter().map(|row| row.started).sum();
    assert_eq!(started, 6, "a redirect starts nothing");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// However often it is sent on, in an open load and over one connection or many.
    #[test]
    fn all_redirects_together_take_no_longer_than_their_exchange(hops in 0_u64..=10, ms in 0_u64..4, reuse: bool) {
        let (server, sent) = site();
        let settings = exchange("get", format!("http://{}/{ms}/{hops}", server.address));
        let mut lab = Lab::new(HTTP, &[Settings { reuse, ..settings }]);
        prop_assert_eq!(lab.carry_out(0), Outcome::Ok);
        let folded = books(&mut lab);
        prop_assert_eq!((count(&folded, REDIRECT), sent.load(Ordering::SeqCst)), (hops, hops));
        let sum = |leg: u8| rows(&folded, leg).iter().map(|row| row.service.sum_ns).sum::<f64>();
        prop_assert!(sum(REDIRECT) <= sum(ANSWER), "{} {}", sum(REDIRECT), sum(ANSWER));
        prop_assert!(sum(REDIRECT) >= (hops * ms) as f64 * 1e6);
    }
}

#[test]
fn a_circle_is_counted_up_to_the_bound_and_what_is_not_followed_not_at_all() {
    let server = Server::replying(|_, _, stream| stream.write_all(moved("/round").as_bytes()).is_ok());
    let url = format!("http://{}/round", server.address);
    for (follow, hops, outcome) in [("no", 0, Outcome::Status), ("3", 3, Outcome::Wrong), ("yes", 10, Outcome::Wrong)] {
        let mut lab = Lab::new(HTTP, &[with("get", &url, &[("follow", text(follow))])]);
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.counters.last()), (outcome, Some(&hops)), "{}", seen.note);
        let legs: Vec<_> = seen.legs.iter().filter(|row| row.0 == REDIRECT).map(|row| (row.1, row.2 as i64)).collect();
        assert_eq!(legs, if hops == 0 { vec![] } else { vec![(Outcome::Ok, hops)] });
    }
}

#[test]
fn a_redirect_to_another_host_that_the_study_names_is_one_of_the_exchange() {
    let there = Server::replying(|_, _, stream| {
        pause(5);
        stream.write_all(ok("there").as_bytes()).is_ok()
    });
    let away = format!("http://{}/x", there.address);
    let here = Server::replying(move |_, _, stream| {
        pause(20);
        stream.write_all(moved(&away).as_bytes()).is_ok()
    });
    let mut lab = Lab::new(HTTP, &[exchange("get", here.url()), exchange("get", there.url())]);
    for _ in 0..2 {
        assert_eq!(lab.carry_out(0), Outcome::Ok);
    }
    let folded = books(&mut lab);
    let hops = rows(&folded, REDIRECT);
    assert_eq!((count(&folded, REDIRECT), hops[0].exchange), (2, 0));
    hops.iter().for_each(|row| assert!(row.service.min >= Nanos::from_millis(20), "{row:?}"));
    assert_eq!((here.accepted(), there.accepted()), (1, 1));
}

/// A request that a redirect led to and that broke is not a redirect: it fails its exchange, whose sample says where it was.
#[test]
fn what_breaks_on_the_way_fails_the_exchange_and_leaves_the_redirects_before_it() {
    let server = Server::replying(|_, request, stream| {
        if request.line().contains("/second") {
            let _ = stream.write_all(b"HTTP/1.1 302 Found\r\nLocation: /th");
            reset(stream);
            return false;
        }
        stream.write_all(moved("/second").as_bytes()).is_ok()
    });
    let seen = Lab::new(HTTP, &[exchange("get", server.url())]).run(0);
    assert!(matches!(seen.outcome, Outcome::Partial | Outcome::Reset), "{seen:?}");
    assert_eq!(seen.leg(REDIRECT), Some(Outcome::Ok));
    assert_eq!(seen.legs.iter().filter(|row| row.0 == REDIRECT).map(|row| row.2).sum::<u64>(), 1);
    assert!(seen.note.contains(&format!("after 1 redirect, at `http://{}/second`: ", server.address)), "{}", seen.note);
}

#[test]
fn one_that_is_cut_off_on_the_way_says_where_it_was() {
    let server = Server::replying(|_, request, stream| {
        request.line().contains("/slow") || stream.write_all(moved("/slow").as_bytes()).is_ok()
    });
    let mut lab = Lab::new(HTTP, &[exchange("get", server.url())]);
    lab.deadline = Nanos::from_secs(2);
    let seen = lab.run(0);
    assert_eq!((seen.leg(ANSWER), seen.leg(REDIRECT)), (Some(Outcome::Timeout), Some(Outcome::Ok)));
    assert!(seen.note.starts_with("after 1 redirect, at `http://"), "{}", seen.note);
}

/// The sample of a wrong answer names the address that gave it; whoever looks at each exchange sees every redirect.
#[test]
fn whoever_looks_sees_each_redirect_with_its_status_address_and_time() {
    let (server, _) = site();
    let at = |path: &str| format!("http://{}{path}", server.address);
    let mut lab = Lab::new(HTTP, &[Settings { checks: vec![body_is("here")], ..exchange("get", at("/2/2")) }]);
    assert_eq!(lab.run(0).note, "", "nobody looks");
    lab.recorder.look();
    let seen = lab.run(0);
    let lines: Vec<&str> = seen.note.lines().collect();
    for (line, path) in lines.iter().zip(["/2/2", "/2/1"]) {
        let rest = line.strip_prefix(&format!("redirect: status 302 from `{}` in ", at(path)));
        assert!(rest.is_some_and(|rest| rest.ends_with("ms")), "{}", seen.note);
    }
    assert_eq!(lines[2..], [format!("ended at `{}`: status 200, 4 bytes: `here`", at("/2/0"))], "{}", seen.note);
    // The next exchange begins with none.
    assert_eq!(lab.run(0).note.lines().count(), 3);
}

#[test]
fn the_same_over_http_2() {
    let server = Http2Server::start(10);
    let mut lab = Lab::new(HTTP, &[with("get", server.url("/sent/on"), &[("version", text("2"))])]);
    assert_eq!(lab.carry_out(0), Outcome::Ok);
    let folded = books(&mut lab);
    let sum = |leg: u8| rows(&folded, leg).iter().map(|row| row.service.sum_ns).sum::<f64>();
    assert_eq!((count(&folded, ANSWER), count(&folded, REDIRECT)), (1, 1));
    assert!(sum(REDIRECT) > 0.0 && sum(REDIRECT) <= sum(ANSWER));
}

#[test]
fn a_job_has_no_redirects() {
    assert_eq!(JOB.exchanges.iter().flat_map(|kind| kind.legs).map(|leg| leg.name).collect::<Vec<_>>(), ["answer"]);
}

#[test]
fn an_exchange_that_follows_no_redirects_has_no_such_leg() {
    let url = "http://127.0.0.1:9/";
    let status = check(Probe::Status, Compare::Equal, "302");
    let settings = [
        exchange("get", url),
        with("get", url, &[("follow", text("no"))]),
        Settings { checks: vec![status], ..exchange("get", url) },
        with("get", url, &[("follow", text("1"))]),
    ];
    let numbered = settings.into_iter().zip(0..).map(|(settings, number)| Settings { number, ..settings });
    let built = build(HTTP, &numbered.collect::<Vec<_>>(), &Surroundings::default()).unwrap();
    let left_out = built.driver.legs_left_out();
    assert_eq!(
        left_out.iter().map(|left| (left.exchange, left.leg)).collect::<Vec<_>>(),
        [(1, REDIRECT), (2, REDIRECT)]
    );
}
