//! Work that is accepted at once and done later, of which only a count is watched: a fluid whose backlog, age and drain
//! follow from arithmetic.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::recompute::Recomputation;
use e2e::{Place, requirement, target};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Instant;

/// Units in one call.
const UNITS: f64 = 10.0;
/// Units done a second.
const SERVED: f64 = 60.0;

/// A page that counts what a queue has done by now: all that was answered until now has come into it, and so many a second
/// are taken out, as long as there are any.
fn done_page(answered: impl Fn() -> u64 + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let mut done = 0.0;
        let mut last = Instant::now();
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 2048];
            if !stream.read(&mut request).is_ok_and(|count| count > 0) {
                continue;
            }
            let come = answered() as f64 * UNITS;
            let now = Instant::now();
            done = f64::min(come, done + SERVED * (now - last).as_secs_f64());
            last = now;
            let body = format!("# TYPE done_total counter\ndone_total {}\n", f64::floor(done));
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

#[test]
fn a_backlog_its_age_and_its_drain_are_what_arithmetic_says() {
    let target = std::sync::Arc::new(target("target-echo", &[]));
    let served = target.clone();
    let page = done_page(move || served.counter("answered").unwrap_or_default());
    let place = Place::new();
    // 200 units a second come for 6 s and 60 a second are done: 840 are left, and take 14 s.
    let study = format!(
        "study: Counted\n\
         vars: {{ per_call: 10 }}\n\
         system: {{ name: shop, url: 'http://{shop}', identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
         watch: {{ page: {{ prometheus: {{ url: 'http://{page}/metrics', values: {{ done: {{ metric: done_total, kind: counter }} }} }}, every: 500ms }} }}\n\
         exchanges:\n  buy:\n    http.get: {{ url: '$(shop.url)/' }}\n    carries: {{ items: $(per_call) }}\n\
         \x20   legs: {{ packed: {{ counted_by: page.done, of: items }} }}\n\
         validity:\n\
         \x20 lateness: {{ questionable: 2s, invalid: 5s, because: counts of seconds }}\n\
         \x20 run_queue: {{ questionable: 98%, invalid: 99%, because: counts of seconds }}\n\
         \x20 steal: {{ questionable: 98%, invalid: 99%, because: counts of seconds }}\n\
         scenarios:\n  busy: {{ load: {{ arrivals: 20/s, hold: 6s }}, run: [buy], idle: 2s, drain: {{ until: drained(buy.packed), at_most: 60s }} }}\n\
         requirements:\n\
         \x20 came: rate(buy.items) >= 190/s\n\
         \x20 whole: count(buy.items) = count(buy.packed)\n\
         \x20 left: max(buy.packed.backlog) <= 100\n\
         \x20 old: max(buy.packed.age) <= 1s\n\
         \x20 drained: drained(buy.packed)\n\
         \x20 soon: drain_time(buy.packed) <= 3s\n\
         capacity: {{ volumes: {{ week: {{ of: rate(buy.items), from: busy, hours: 24, days: 7 }} }} }}\n",
        shop = target.address(),
    );
    place.file("study.yaml", &study);
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    // A limit that is not met, and a machine that may be busy.
    assert!([1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    let of = |id: &str| requirement(&result, id).clone();
    let value = |id: &str| of(id)["value"].as_f64().unwrap_or_else(|| panic!("{id}: {:#}", of(id)));
    let is_near = |id: &str, truth: f64, off: f64| assert!((value(id) - truth).abs() <= off, "{id}: {:#}", of(id));
    is_near("came", 200.0, 5.0);
    assert_eq!(of("whole")["reason_code"], "reconciled", "{:#}", of("whole"));
    is_near("left", 840.0, 120.0);
    // At the end of the load 360 are done, which had come after 1.8 s.
    is_near("old", 4200.0, 900.0);
    assert_eq!(of("drained")["verdict"], "met", "{:#}", of("drained"));
    is_near("soon", 14_000.0, 3000.0);
    // The wait ends when the count says so, not at its longest.
    let week = &result["capacity"]["volumes"][0];
    assert_eq!(week["refused"]["code"], "drained_late", "{week:#}");
    let sustained = week["refused"]["args"]["rate"]["per_second"].as_f64().expect("a rate");
    assert!((sustained - SERVED).abs() < 8.0, "what is sustained is what is done: {week:#}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    assert!(report.contains("buy.packed"), "the report shows what is derived");
    assert!(report.contains("s into the drain"), "the wait ended by its rule");
    assert_ne!(result["validity"]["state"], Value::Null);
    wrong_numbers_are_found(&place.path().join("run"), &result);
}

/// What is derived of a counted leg is computed a second time from its rows, so a wrong number is found.
fn wrong_numbers_are_found(folder: &std::path::Path, result: &Value) {
    let run = Recomputation::read(folder).expect("a run");
    let told = run.compare(result);
    assert!(told.wrong.is_empty(), "{:#?}", told.wrong);
    for id in ["whole", "left", "old", "soon"] {
        let place = result["requirements"].as_array().and_then(|all| all.iter().position(|one| one["id"] == id));
        for key in ["value", "sample_count"] {
            let at = format!("/requirements/{}/{key}", place.expect("it is there"));
            let mut changed = result.clone();
            let number = changed.pointer_mut(&at).expect("it has one");
            *number = (number.as_f64().expect("a number") * 1.001 + 1.0).into();
            let found = run.compare(&changed).wrong;
            assert!(found.iter().any(|wrong| wrong.starts_with(id)), "{id} {key}: {found:#?}");
        }
    }
}

/// Answers each query with the number of rows that it went through, every tenth with none that anybody could read, and
/// tells on a page of metrics how many it has told of.
struct Rows {
    address: SocketAddr,
    told: std::sync::Arc<std::sync::atomic::AtomicU64>,
    unclear: std::sync::Arc<std::sync::atomic::AtomicU64>,
}

impl Rows {
    fn new() -> Self {
        use std::sync::atomic::Ordering::Relaxed;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let rows = Self { address, told: Default::default(), unclear: Default::default() };
        let (told, unclear) = (rows.told.clone(), rows.unclear.clone());
        std::thread::spawn(move || {
            let mut queries = 0u64;
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut request = [0; 2048];
                let Ok(length) = stream.read(&mut request) else { continue };
                let request = String::from_utf8_lossy(&request[..length]);
                let body = match request.split(' ').nth(1) {
                    Some("/query") => {
                        queries += 1;
                        if queries.is_multiple_of(10) {
                            unclear.fetch_add(1, Relaxed);
                            r#"{"rows":"many"}"#.to_owned()
                        } else {
                            told.fetch_add(queries, Relaxed);
                            format!(r#"{{"rows":{queries}}}"#)
                        }
                    }
                    Some("/metrics") => format!("# TYPE done_total counter\ndone_total {}\n", told.load(Relaxed)),
                    _ => r#"{"name":"rows"}"#.to_owned(),
                };
                let kind = if body.starts_with('#') { "text/plain; version=0.0.4" } else { "application/json" };
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        rows
    }
}

#[test]
fn how_many_rows_there_were_is_what_the_answers_say() {
    use std::sync::atomic::Ordering::Relaxed;
    let rows = Rows::new();
    let place = Place::new();
    let study = format!(
        "study: Said\n\
         system: {{ name: rows, url: 'http://{shop}', identity: {{ path: /version, expect: {{ name: rows }} }} }}\n\
         watch: {{ page: {{ prometheus: {{ url: 'http://{shop}/metrics', values: {{ done: {{ metric: done_total, kind: counter }} }} }}, every: 500ms }} }}\n\
         exchanges:\n  query:\n    http.get: {{ url: '$(rows.url)/query' }}\n    carries: {{ rows: json($.rows) }}\n\
         \x20   legs: {{ loaded: {{ counted_by: page.done, of: rows }} }}\n\
         validity:\n\
         \x20 lateness: {{ questionable: 2s, invalid: 5s, because: counts of answers }}\n\
         \x20 run_queue: {{ questionable: 98%, invalid: 99%, because: counts of answers }}\n\
         \x20 steal: {{ questionable: 98%, invalid: 99%, because: counts of answers }}\n\
         scenarios:\n  ask: {{ load: {{ users: 2, pacing: 50ms, hold: 4s }}, run: [query], idle: 1s, drain: {{ until: drained(query.loaded), at_most: 30s }} }}\n\
         requirements:\n\
         \x20 came: rate(query.rows) >= 1/s\n\
         \x20 sum: count(query.rows) >= 1\n\
         \x20 each: count(query.ok) >= 1\n\
         \x20 unclear: count(query.wrong) <= 0\n\
         \x20 whole: count(query.rows) = count(query.loaded)\n",
        shop = rows.address,
    );
    place.file("study.yaml", &study);
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    // Answers that nobody can read are not met, and the machine may be busy.
    assert!([1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    let value = |id: &str| requirement(&result, id)["value"].as_f64().unwrap_or_else(|| panic!("{id}: {result:#}"));
    let (told, unclear) = (rows.told.load(Relaxed) as f64, rows.unclear.load(Relaxed) as f64);
    assert!(value("each") > 20.0 && unclear >= 2.0, "{told} {unclear}");
    assert_eq!(value("sum"), told, "the sum of what the answers say");
    assert_eq!(value("unclear"), unclear, "an answer that does not say it is wrong");
    let whole = requirement(&result, "whole");
    assert_eq!((&whole["reason_code"], &whole["value"]), (&"reconciled".into(), &told.into()), "{whole:#}");
    // The rate is of those that ended within the whole seconds of the hold.
    let rate = value("came");
    assert!(rate > 0.0 && rate <= told, "{rate} of {told}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    assert!(report.contains("no number of rows: found") && report.contains("many"), "a sample says what was found");
}
