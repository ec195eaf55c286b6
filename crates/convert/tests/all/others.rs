//! Recordings, collections and scripts whose conversion is known, and what is refused.

use crate::{has, lines, made, study};
use convert::{Choices, Kind, NoFolder};

fn entry(second: u32, status: u16, headers: &str) -> String {
    format!(
        r#"{{"startedDateTime": "2024-05-01T10:00:0{second}Z", "time": 10, "request": {{"method": "GET", "url": "https://shop.example/a", "headers": [{headers}]}}, "response": {{"status": {status}, "headers": [], "content": {{"mimeType": "application/json"}}}}}}"#
    )
}

fn recording(entries: &[String]) -> String {
    format!("{{\"log\": {{\"entries\": [{}]}}}}", entries.join(", "))
}

#[test]
fn a_request_that_was_never_answered_is_told_and_makes_no_second_exchange() {
    let header = r#"{"name": "Accept", "value": "application/json"}"#;
    for order in [[200, 0], [0, 200]] {
        let entries: Vec<String> = (0..)
            .zip(order)
            .map(|(second, status)| entry(second, status, if status == 0 { "" } else { header }))
            .collect();
        let made = made("a.har", &recording(&entries));
        assert_eq!((made.seen, made.carried, made.exchanges), (2, 2, 1), "{}", study(&made));
        has(&made, &["check: [ status = 200 ]"]);
        let place = if order[0] == 0 { 1 } else { 2 };
        assert_eq!(
            lines(&made),
            [format!(
                "entry {place}: GET https://shop.example/a: it was never answered when it was recorded; the exchange of the \
                 same request that was answered stands for it"
            )]
        );
    }
    let alone = made("a.har", &recording(&[entry(0, 0, header)]));
    assert_eq!((alone.carried, lines(&alone).len()), (1, 1), "{:#?}", lines(&alone));
    assert!(lines(&alone)[0].contains("so its exchange has no `check`"), "{:#?}", lines(&alone));
}

#[test]
fn a_recording_that_is_cut_off_is_told_as_that() {
    let whole = recording(&[entry(0, 200, "")]);
    for length in [30, 60, whole.len() - 3, whole.len() - 1] {
        let refused =
            convert::convert(Kind::Har, "a.har", &whole[..length], &Choices::default(), &NoFolder).unwrap_err();
        let text = refused.to_string();
        assert!(text.ends_with("line 1: it ends in the middle, as if it had been cut off"), "{length}: {text}");
    }
    assert_eq!(Kind::of("a.json", &whole[..60]), Some(Kind::Har));
}

fn collection(lines: &[&str]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("\"{line}\"")).collect();
    format!(
        r#"{{"info": {{"name": "C"}}, "item": [{{"name": "a", "request": {{"method": "POST", "url": "https://shop.example/a"}}, "event": [{{"listen": "test", "script": {{"exec": [{}]}}}}]}}]}}"#,
        lines.join(", ")
    )
}

#[test]
fn a_test_of_postman_on_one_line_is_read() {
    for test in [
        &["pm.test('ok', function () { pm.response.to.have.status(201); });"][..],
        &["pm.test('ok', function () {", "    pm.response.to.have.status(201);", "});"],
        &["pm.test('ok', () => { pm.response.to.have.status(201); });"],
        &["pm.test('ok', () => pm.response.to.have.status(201));"],
    ] {
        let made = made("c.json", &collection(test));
        has(&made, &["check: [ status = 201 ]"]);
        assert_eq!(lines(&made), [""; 0], "{test:?}");
    }
    let made = made(
        "c.json",
        &collection(&[
            "pm.test('t', () => { const j = pm.response.json(); pm.environment.set('id', j.id); pm.expect(pm.response.code).to.be.oneOf([201, 202]); });",
        ]),
    );
    has(&made, &["capture: { id: json($.id) }"]);
    let hints: Vec<&str> = made.lost.iter().map(|lost| lost.hint.as_str()).collect();
    assert_eq!(hints, ["write it under `check` or `capture`: `status = …`, `json($.…) = …`, `body contains …`"]);
    assert_eq!(made.lost[0].what, "pm.expect(pm.response.code).to.be.oneOf([201, 202]);");
}

#[test]
fn a_collection_of_version_1_is_refused_with_what_to_do() {
    let text = r#"{"id": "1", "name": "Old", "order": ["2"], "requests": [{"id": "2", "url": "https://shop.example", "method": "GET"}]}"#;
    assert_eq!(Kind::of("old.json", text), Some(Kind::Postman));
    let refused = convert::convert(Kind::Postman, "old.json", text, &Choices::default(), &NoFolder).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the Postman collection cannot be read: it is a collection of version 1; export it from Postman as Collection v2.1"
    );
}

#[test]
fn choices_that_a_kind_has_no_use_for_are_refused() {
    let host = Choices { hosts: vec!["x".to_owned()], ..Choices::default() };
    let assets = Choices { assets: true, ..Choices::default() };
    let changing = Choices { changing: true, ..Choices::default() };
    for (kind, word) in Kind::ALL {
        assert_eq!(host.useless(kind).is_some(), kind != Kind::Har, "{word}");
        assert_eq!(assets.useless(kind).is_some(), kind != Kind::Har, "{word}");
        assert_eq!(changing.useless(kind).is_some(), kind != Kind::OpenApi, "{word}");
        assert_eq!(Choices::default().useless(kind), None, "{word}");
    }
    assert_eq!(
        host.useless(Kind::K6).unwrap(),
        "`--host` is for a HAR file, and would change nothing here: this is read as a k6 script; leave it out"
    );
}

fn script(options: &str, body: &str) -> String {
    format!(
        "import http from 'k6/http';\nimport {{ check, sleep }} from 'k6';\nexport const options = {{ {options} }};\n\
         export default function () {{\n{body}\n}}\n"
    )
}

#[test]
fn advice_on_times_names_the_limit_of_the_script() {
    let body = "const r = http.get('https://shop.example/');\ncheck(r, { quick: (r) => r.timings.duration < 200 });";
    let made = made("a.js", &script("vus: 1, duration: '10s'", body));
    assert_eq!(
        made.lost[0].hint,
        "write it under `requirements`: `max(home.service) < 200ms`, or how large the share must be: `share(home.service < \
         200ms) >= …`"
    );
    assert_eq!(made.lost.len(), 1);
}

#[test]
fn what_is_set_under_a_condition_is_told_with_its_line() {
    let body = "let u = 'https://shop.example/q';\nif (__ENV.Q) { u = __ENV.Q; }\nconst r = http.get(u);\n\
                if (r.status !== 200) {\n  sleep(1);\n  return;\n} else {\n  const own = 1;\n  own = 2;\n}\nhttp.get('https://shop.example/b');";
    let made = made("a.js", &script("vus: 1, duration: '10s'", body));
    has(&made, &["/q\"", "- b\n"]);
    assert_eq!(
        lines(&made),
        [
            "line 6: what is set of `u` under a condition that only a run would show: the value from before it is sent",
            "line 8: a return under a condition that only a run would show: what follows it is sent all the same",
            "line 8: a sleep under a condition that only a run would show: it is left out",
        ]
    );
}

/// Two scenarios of k6.
fn two(a: &str, b: &str) -> convert::Converted {
    made("a.js", &script(&format!("scenarios: {{ a: {{ {a} }}, b: {{ {b} }} }}"), "http.get('https://shop.example/');"))
}

#[test]
fn groups_that_hold_at_the_same_time_are_a_mix() {
    let rate = "executor: 'constant-arrival-rate', rate: 5, timeUnit: '1s', duration: '10s', preAllocatedVUs: 5";
    let mix = two(
        rate,
        "executor: 'ramping-vus', startVUs: 0, stages: [{ duration: '3s', target: 4 }, { duration: '7s', target: 4 }]",
    );
    has(
        &mix,
        &[
            "load: { arrivals: 5/s, hold: 10s, max_in_flight: 5 }",
            "load: { users: [ { to: 4, over: 3s }, { users: 4, for: 7s } ] }",
            "all_at_once: { mix: [ a, b ] }",
            "order: [ all_at_once ]",
        ],
    );
    assert_eq!(lines(&mix), [""; 0]);

    // A mix ends with the first hold; what is cut off is told.
    let cut = two(rate, "executor: 'constant-vus', vus: 2, duration: '1m', startTime: '4s'");
    has(&cut, &["all_at_once", "after: 4s"]);
    assert_eq!(
        lines(&cut),
        [
            ": the load of `b` from 10s to 64s: the groups are a mix, which ends when the first of them no longer holds: `a`"
        ]
    );
}

#[test]
fn a_group_without_requests_is_no_part_of_a_mix() {
    let text = "import http from 'k6/http';\nexport const options = { scenarios: { a: { executor: 'constant-vus', vus: 1, \
                duration: '10s', exec: 'a' }, b: { executor: 'constant-vus', vus: 1, duration: '1m', exec: 'b' } } };\n\
                export function a() { http.get('https://shop.example/'); }\nexport function b() {}\n";
    let made = made("a.js", text);
    assert_eq!(lines(&made), [""; 0]);
    assert!(!study(&made).contains("mix"), "{}", study(&made));
}

#[test]
fn groups_that_cannot_be_a_mix_run_one_after_another_for_the_reason_that_is_told() {
    let vus = |users: u32, from: &str, length: &str| {
        format!("executor: 'constant-vus', vus: {users}, duration: '{length}', startTime: '{from}'")
    };
    let count = |from: &str| format!("executor: 'shared-iterations', vus: 2, iterations: 8, startTime: '{from}'");
    let ramps =
        "executor: 'ramping-vus', startVUs: 0, stages: [{ duration: '5s', target: 4 }, { duration: '5s', target: 0 }]";
    for (a, b, why) in [
        (
            vus(1, "0s", "10s"),
            vus(1, "20s", "10s"),
            "they never hold their load at the same time (`a` holds from 0s to 10s, `b` holds from 20s to 30s)",
        ),
        (
            vus(1, "0s", "10s"),
            ramps.to_owned(),
            "`b` only changes its load and never holds it, and a mix is judged while all hold",
        ),
        (
            count("0s"),
            count("0s"),
            "each of them ends with a number of iterations, and nothing says how long a mix of them lasts",
        ),
        (vus(1, "0s", "10s"), count("15s"), "`b` begins after 15s, and a mix of them ends after 10s"),
    ] {
        let made = two(&a, &b);
        assert_eq!(lines(&made), [format!(": 2 groups at once: {why}, so they run one after another")]);
        assert!(!study(&made).contains("mix:") && !study(&made).contains("after:"), "{}", study(&made));
    }
}
