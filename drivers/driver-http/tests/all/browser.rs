//! What a browser does besides asking: cookies that come back, redirects that are followed.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{exchange, http2::Http2Server, mistakes, with};
use contract::{Compare, Probe, Settings};
use driver_http::HTTP;
use std::io::Write;
use terms::Outcome;
use testkit::{Lab, Request, Server, body_is, capture, check, ok, text};

/// Answers by path: `/login` sets cookies and sends on, `/me` says what came with it.
fn site() -> Server {
    Server::replying(|_, request, stream| stream.write_all(answer(request).as_bytes()).is_ok())
}

fn answer(request: &Request) -> String {
    let to = |status: u16, location: &str, more: &str| {
        format!("HTTP/1.1 {status} Moved\r\nLocation: {location}\r\n{more}Content-Length: 4\r\n\r\ngone")
    };
    let path = request.line().split(' ').nth(1).unwrap_or_default();
    match path {
        "/login" => {
            to(302, "/me", "Set-Cookie: session=0123456789; Path=/; HttpOnly\r\nset-cookie: theme=dark; Path=/me\r\n")
        }
        "/me" => {
            let is_cookie = |line: &&str| line.starts_with("Cookie: ");
            ok(&format!("{} {}", &request.line()[..3], request.head.lines().find(is_cookie).unwrap_or("none")))
        }
        "/out" => to(303, "me", "Set-Cookie: session=; Max-Age=0; Path=/\r\n"),
        "/round" => to(307, "/round", ""),
        "/away" => to(301, "http://127.0.0.1:9/x", ""),
        "/kept" => to(308, "/echo", ""),
        "/echo" => ok(&request.text()),
        "/nowhere" => "HTTP/1.1 304 Not Modified\r\n\r\n".to_owned(),
        _ => ok("?"),
    }
}

fn at(server: &Server, operation: &str, path: &str, body: &str) -> Settings {
    Settings { checks: vec![body_is(body)], ..exchange(operation, format!("http://{}{path}", server.address)) }
}

#[test]
fn a_journey_logs_in_stays_so_and_leaves() {
    let server = site();
    let (in_, out) = ("GET Cookie: theme=dark; session=0123456789", "GET Cookie: theme=dark");
    let steps = [
        at(&server, "get", "/me", "GET none"),
        at(&server, "post", "/login", in_),
        at(&server, "get", "/me", in_),
        at(&server, "get", "/out", out),
    ];
    let mut lab = Lab::new(HTTP, &steps);
    for (number, redirects) in [(0, 0), (1, 1), (2, 0), (3, 1)] {
        let seen = lab.run(number);
        assert_eq!((seen.outcome, seen.counters.last()), (Outcome::Ok, Some(&redirects)), "{number}: {}", seen.note);
    }
    assert_eq!(server.accepted(), 1, "a redirect goes over the connection in hand");
    // The next iteration is another visitor.
    lab.recorder.forget_captures(0);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    // What the set-up of a user left is there again in each of its iterations.
    assert_eq!(lab.run(1).outcome, Outcome::Ok);
    lab.recorder.keep_captures(0);
    lab.recorder.forget_captures(0);
    assert_eq!(lab.run(2).outcome, Outcome::Ok);
}

#[test]
fn cookies_can_be_switched_off_and_are_no_part_of_a_single_request() {
    let server = site();
    let off = |settings: Settings| {
        let mut entries = settings.node.map().unwrap().to_vec();
        entries.push((text("cookies"), text("no")));
        Settings { node: contract::Node { shape: contract::Shape::Map(entries), ..settings.node }, ..settings }
    };
    let mut lab =
        Lab::new(HTTP, &[at(&server, "get", "/login", "GET none"), off(at(&server, "get", "/me", "GET none"))]);
    assert_eq!(lab.run(0).outcome, Outcome::Wrong, "the redirect carries what was set just now");
    assert_eq!(lab.run(1).outcome, Outcome::Ok);
    let mut alone = Lab::new(HTTP, &[at(&server, "get", "/login", "GET none")]);
    assert_eq!([alone.run(0).outcome, alone.run(0).outcome], [Outcome::Ok; 2]);
}

#[test]
fn a_cookie_that_the_study_writes_is_the_one_that_goes_also_after_a_redirect() {
    let server = site();
    let me = "GET Cookie: own=1";
    let headers = || ("headers", testkit::map(&[("Cookie", text("own=1"))]));
    let url = |path: &str| format!("http://{}{path}", server.address);
    let own = |path: &str| Settings { checks: vec![body_is(me)], ..with("get", url(path), &[headers()]) };
    let mut lab = Lab::new(
        HTTP,
        &[own("/me"), own("/login"), at(&server, "get", "/me", "GET Cookie: theme=dark; session=0123456789")],
    );
    for number in 0..3 {
        let seen = lab.run(number);
        assert_eq!(seen.outcome, Outcome::Ok, "{number}: {}", seen.note);
    }
}

#[test]
fn a_redirect_is_measured_by_itself_where_the_study_says_so_or_asks_for_it() {
    let server = site();
    let url = format!("http://{}/login", server.address);
    let status = |expected| check(Probe::Status, Compare::Equal, expected);
    let no = with("get", &url, &[("follow", text("no"))]);
    let asked = Settings { checks: vec![status("302")], ..exchange("get", &url) };
    let captured = Settings {
        captures: vec![capture(Probe::Header("location".into()))],
        checks: vec![status("302")],
        ..exchange("get", &url)
    };
    // What is measured by itself and looked at for where it leads is right without a word about its status.
    let told = Settings {
        captures: vec![capture(Probe::Header("location".into()))],
        ..with("get", &url, &[("follow", text("no"))])
    };
    // Where nothing says `follow: no`, the address may be meant as that of what was created.
    let created = Settings { captures: told.captures.clone(), ..exchange("post", &url) };
    for (settings, outcome) in [
        (no, Outcome::Status),
        (asked, Outcome::Ok),
        (captured, Outcome::Ok),
        (told, Outcome::Ok),
        (created, Outcome::Status),
    ] {
        let seen = Lab::new(HTTP, &[settings]).run(0);
        assert_eq!((seen.outcome, seen.counters.last()), (outcome, Some(&0)), "{}", seen.note);
        let is_told = seen.note.contains("unless it is what you check (`check: [ status = 302 ]`)");
        assert_eq!(is_told, outcome == Outcome::Status, "{}", seen.note);
    }
}

#[test]
fn redirects_that_lead_nowhere_end_in_a_sentence() {
    let server = site();
    for (path, outcome, says) in [
        (
            "/round",
            Outcome::Wrong,
            "the answer redirects to `/round` after 10 redirects, the most that `follow` allows",
        ),
        (
            "/away",
            Outcome::Wrong,
            "leads to http://127.0.0.1:9, where no exchange of the study goes: hosts that a study does not name",
        ),
        ("/nowhere", Outcome::Status, "status 304"),
    ] {
        let seen = Lab::new(HTTP, &[exchange("get", format!("http://{}{path}", server.address))]).run(0);
        assert_eq!(seen.outcome, outcome, "{path}: {}", seen.note);
        assert!(seen.note.contains(says), "{path}: {}", seen.note);
    }
}

#[test]
fn a_body_goes_on_where_the_status_says_so() {
    let server = site();
    let url = format!("http://{}/kept", server.address);
    let settings = Settings { checks: vec![body_is("a=b")], ..with("post", url, &[("body", text("a=b"))]) };
    let seen = Lab::new(HTTP, &[settings]).run(0);
    assert_eq!(seen.outcome, Outcome::Ok, "{}", seen.note);
    assert_eq!([server.request(), server.request()].map(|request| request.text()), ["a=b", "a=b"]);
}

#[test]
fn a_captured_address_is_one_wherever_it_leads_within_the_study() {
    for (location, line) in [
        ("/me?page=2", "GET /me?page=2"),
        ("me", "GET /list/me"),
        ("{}/x", "GET /x"),
        ("?page=3", "GET /list/1?page=3"),
    ] {
        let server = Server::replying(move |_, request, stream| {
            let next = location.replace("{}", &format!("http://{}", stream.local_addr().unwrap()));
            let first = format!("HTTP/1.1 200 OK\r\nLocation: {next}\r\nContent-Length: 2\r\n\r\nok");
            let answer = if request.line().starts_with("GET /list/1 ") { first } else { ok(request.line()) };
            stream.write_all(answer.as_bytes()).is_ok()
        });
        let first = exchange("get", format!("http://{}/list/1", server.address));
        let first = Settings { captures: vec![capture(Probe::Header("location".into()))], ..first };
        let second = check(Probe::Body, Compare::Contains, line);
        let second = Settings { checks: vec![second], ..exchange("get", "$(token)") };
        let mut lab = Lab::new(HTTP, &[first, second]);
        let early = lab.run(1);
        assert_eq!(early.outcome, Outcome::BadStudy, "{}", early.note);
        for number in [0, 1] {
            let seen = lab.run(number);
            assert_eq!((seen.outcome, seen.counters.last()), (Outcome::Ok, Some(&0)), "{location}: {}", seen.note);
        }
        assert_eq!(server.accepted(), 1);
    }
    let alone = mistakes(exchange("get", "$(token)"));
    assert_eq!(alone.iter().map(|mistake| mistake.code).collect::<Vec<_>>(), ["http::url-varies"]);
}

/// A list links to its next page by a query alone, and its items are read before that page is.
#[test]
fn a_captured_address_is_relative_to_the_answer_that_it_came_from() {
    let server = Server::replying(|_, request, stream| {
        let link = if request.line().starts_with("GET /list?page=1 ") { "Location: ?page=2\r\n" } else { "" };
        let line = request.line();
        let answer = format!("HTTP/1.1 200 OK\r\n{link}Content-Length: {}\r\n\r\n{line}", line.len());
        stream.write_all(answer.as_bytes()).is_ok()
    });
    let asked = |line: &str| vec![check(Probe::Body, Compare::Contains, line)];
    let list = Settings {
        captures: vec![capture(Probe::Header("location".into()))],
        ..at(&server, "get", "/list?page=1", "GET /list?page=1 HTTP/1.1")
    };
    let item = at(&server, "get", "/items/7", "GET /items/7 HTTP/1.1");
    let page = Settings { checks: asked("GET /list?page=2 "), ..exchange("get", "$(token)") };
    let mut lab = Lab::new(HTTP, &[list, item, page]);
    for number in [0, 1, 2, 1, 2] {
        let seen = lab.run(number);
        assert_eq!(seen.outcome, Outcome::Ok, "{number}: {}", seen.note);
    }
}

/// A redirect to another host leaves credentials behind. An address that the study asks for with a token of its own gets
/// it, whoever named that address.
#[test]
fn who_asks_goes_to_a_captured_address_and_to_no_other_host_by_a_redirect() {
    let api = Server::replying(|_, request, stream| {
        let knows = if request.head.contains("Authorization: Bearer mine\r\n") { "known" } else { "stranger" };
        stream.write_all(ok(knows).as_bytes()).is_ok()
    });
    let there = format!("http://{}/list", api.address);
    let login = Server::replying(move |_, request, stream| {
        let status = if request.line().contains("/moved") { "307 Moved" } else { "200 OK" };
        write!(stream, "HTTP/1.1 {status}\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n").is_ok()
    });
    let bearer = |url: String, body: &str| {
        let checks = vec![body_is(body)];
        Settings { checks, ..with("get", url, &[("bearer", text("mine"))]) }
    };
    let first = exchange("get", format!("http://{}/", login.address));
    let first = Settings { captures: vec![capture(Probe::Header("location".into()))], ..first };
    let captured = bearer("$(token)".to_owned(), "known");
    let moved = bearer(format!("http://{}/moved", login.address), "stranger");
    let mut lab = Lab::new(HTTP, &[first, captured, moved, at(&api, "get", "/", "stranger")]);
    for number in 0..4 {
        let seen = lab.run(number);
        assert_eq!(seen.outcome, Outcome::Ok, "{number}: {}", seen.note);
    }
}

#[test]
fn a_value_of_a_cookie_stands_in_no_note() {
    let server = site();
    let mut lab = Lab::new(HTTP, &[at(&server, "get", "/login", "x"), at(&server, "get", "/me", "x")]);
    for number in [0, 1] {
        let seen = lab.run(number);
        assert!(seen.note.contains("Cookie: ‹") && !seen.note.contains("0123456789"), "{}", seen.note);
    }
}

#[test]
fn the_same_over_http_2() {
    let server = Http2Server::start(10);
    let seen = check(Probe::Body, Compare::Contains, "/seen ");
    let settings = with("get", server.url("/sent/on"), &[("version", text("2"))]);
    let mut lab = Lab::new(HTTP, &[Settings { checks: vec![seen], ..settings }]);
    let seen = lab.run(0);
    assert_eq!((seen.outcome, seen.counters.last()), (Outcome::Ok, Some(&1)), "{}", seen.note);
    assert_eq!((server.accepted(), server.requests()), (1, 2));
    // A request that is otherwise the same every time goes with the cookies that were set before it.
    let cookie = check(Probe::Body, Compare::Contains, "\"cookie\": \"theme=dark\"");
    let asks = Settings { checks: vec![cookie], ..with("get", server.url("/seen"), &[("version", text("2"))]) };
    let mut lab = Lab::new(HTTP, &[with("get", server.url("/set"), &[("version", text("2"))]), asks]);
    assert_eq!(
        (lab.run(1).outcome, lab.run(0).outcome, lab.run(1).outcome),
        (Outcome::Wrong, Outcome::Ok, Outcome::Ok)
    );
}

#[test]
fn a_wrong_switch_is_a_mistake_with_a_way_out() {
    for (key, word, says) in
        [("follow", "maybe", "follow: no"), ("follow", "21", "follow: no"), ("cookies", "some", "leave it out")]
    {
        let found = mistakes(with("get", "http://127.0.0.1:9/", &[(key, text(word))]));
        assert_eq!(found.len(), 1, "{key}: {word}: {found:?}");
        assert!(format!("{:?}", found[0]).contains(says), "{:?}", found[0]);
    }
}

#[test]
fn a_coded_answer_is_looked_into_and_measured_as_it_came() {
    // What `printf hello | zstd -c --no-check` prints.
    let coded = b"\x28\xb5\x2f\xfd\x00\x58\x29\x00\x00hello".to_vec();
    let answer = |coding: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    };
    for (coding, body, outcome, says) in [
        ("zstd", coded.as_slice(), Outcome::Ok, ""),
        ("gzip", coded.as_slice(), Outcome::Wrong, "the body is not gzip, as its head says"),
        ("lzma", coded.as_slice(), Outcome::Wrong, "the body is coded as `lzma`, which cannot be looked into"),
    ] {
        let server = Server::answering(answer(coding, body));
        let size = check(Probe::Size, Compare::Equal, &body.len().to_string());
        let settings = Settings { checks: vec![body_is("hello"), size], ..exchange("get", server.url()) };
        let mut lab = Lab::new(HTTP, &[settings]);
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.bytes), (outcome, 14), "{coding}: {}", seen.note);
        assert!(seen.note.contains(says), "{coding}: {}", seen.note);
        // Who looks on sees what is meant, too.
        lab.recorder.look();
        let seen = lab.run(0);
        assert_eq!(seen.note.contains("status 200, 14 bytes: `hello`"), outcome == Outcome::Ok, "{}", seen.note);
        // Of a failed answer that nobody looks into, the sample is decoded all the same.
        let server_error = [b"HTTP/1.1 500 Oops\r\n", &answer(coding, body)["HTTP/1.1 200 OK\r\n".len()..]].concat();
        let seen = Lab::new(HTTP, &[exchange("get", Server::answering(server_error).url())]).run(0);
        assert_eq!((seen.outcome, seen.note.contains("`hello`")), (Outcome::Status, coding == "zstd"), "{}", seen.note);
        // Nobody looks: any coding is as good as any other.
        assert_eq!(Lab::new(HTTP, &[exchange("get", server.url())]).run(0).outcome, Outcome::Ok);
    }
}

/// What is small on the wire may be large: no more of it is made than is kept, and the message says which is which.
#[test]
fn a_coded_answer_is_decoded_as_far_as_it_is_kept() {
    // What `head -c 1000 /dev/zero | tr '\\0' a | gzip -9` prints.
    let coded = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\x4c\x1c\x05\xa3\x60\x14\x0c\x77\x00\x00\x03\xda\x38\x9a\xe8\x03\x00\x00";
    let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", coded.len());
    let server = Server::answering([head.as_bytes(), coded].concat());
    let needle = vec![check(Probe::Body, Compare::Contains, "needle")];
    for (keep, is_cut) in [("600B", true), ("1kB", false)] {
        let settings = with("get", server.url(), &[("keep", text(keep))]);
        let seen = Lab::new(HTTP, &[Settings { checks: needle.clone(), ..settings }]).run(0);
        assert_eq!(seen.outcome, Outcome::Wrong);
        let cut = format!("found `body larger than what is kept: 600 bytes of what came coded in {}`", coded.len());
        assert_eq!(seen.note.contains(&cut), is_cut, "{keep}: {}", seen.note);
        assert!(seen.note.contains("does not hold, found `") && seen.note.contains(": `aaaa"), "{keep}: {}", seen.note);
    }
}

#[test]
fn a_value_from_data_keeps_its_type_and_quotes_make_it_a_text() {
    let rows: &[&[u8]] = &[b"7", b"-1.5e3", b"true", b"null", b"007", b"a\"b", b""];
    let server = Server::replying(|_, request, stream| stream.write_all(ok(&request.text()).as_bytes()).is_ok());
    let quoted = contract::Node {
        place: contract::Place::default(),
        shape: contract::Shape::Text { text: "$(row.value)".into(), quoted: true },
    };
    let json = testkit::map(&[("v", text("$(row.value)")), ("t", quoted)]);
    let settings = with("post", server.url(), &[("json", json)]);
    let mut lab = Lab::with(HTTP, &[settings], testkit::Surroundings::rows(rows));
    for (value, typed) in rows.iter().zip(["7", "-1.5e3", "true", "null", "\"007\"", "\"a\\\"b\"", "\"\""]) {
        assert_eq!(lab.run(0).outcome, Outcome::Ok);
        let value = String::from_utf8_lossy(value).replace('"', "\\\"");
        assert_eq!(server.request().text(), format!("{{\"v\":{typed},\"t\":\"{value}\"}}"));
    }
}
