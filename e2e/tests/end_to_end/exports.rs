//! Metrics that leave a run while it goes on.

use e2e::{Place, leg, requirement, step, target};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A receiver of InfluxDB's lines that keeps the newest value of each series.
fn receiver() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { return };
            while let Some(body) = body(&mut connection) {
                kept.lock().expect("a lock").extend(body.lines().map(str::to_owned));
                let _ = connection.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
            }
        }
    });
    (address, lines)
}

fn body(connection: &mut TcpStream) -> Option<String> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 16 * 1024]);
    loop {
        if let Some(end) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let length: usize = head.split("Content-Length: ").nth(1)?.split("\r\n").next()?.parse().ok()?;
            if bytes.len() >= end + 4 + length {
                return String::from_utf8(bytes.split_off(end + 4)).ok();
            }
        }
        match connection.read(&mut piece) {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return None,
        }
    }
}

/// The last value of a field of the one series of that measurement whose tags hold all of these.
fn last(lines: &[String], measurement: &str, tags: &[&str], field: &str) -> u64 {
    let of = |line: &&String| line.starts_with(&format!("{measurement},")) && tags.iter().all(|tag| line.contains(tag));
    let line = lines.iter().rev().find(of).unwrap_or_else(|| panic!("no {measurement} with {tags:?}"));
    let fields = line.split(' ').nth(1).expect("fields");
    let value = fields.split(',').find_map(|each| each.strip_prefix(&format!("{field}="))).expect("the field");
    value.trim_end_matches('i').parse().expect("a count")
}

#[test]
fn totals_at_a_receiver_are_those_of_the_report_whatever_becomes_of_another() {
    let target = target("target-echo", &["--service", "2ms"]);
    let (address, lines) = receiver();
    let dead = TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("an address");
    let place = Place::new();
    place.file(
        "study.yaml",
        &format!(
            "study: Exported\n\
             system: {{ name: shop, url: 'http://{}', identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
             exchanges: {{ look: {{ http.get: {{ url: '$(shop.url)/' }} }} }}\n\
             scenarios: {{ busy: {{ load: {{ arrivals: 50/s, hold: 3s }}, run: [look] }} }}\n\
             requirements: {{ right: share(look.failed) <= 0%, fast: share(look.response < 2.7ms) >= 0% }}\n",
            target.address()
        ),
    );
    let right = format!("influx+http://{address}/?bucket=lab#token=LAB_TOKEN");
    let arguments =
        ["run", "study.yaml", "--out", "run", "--json", "--export", &right, "--export", &format!("otlp+http://{dead}")];
    let ran = place.loadproof_with(&arguments, &[("LAB_TOKEN", "hunter2-hunter2")]);
    let result = ran.json();
    let hold = step(&result, "busy", "hold");
    let lines = lines.lock().expect("a lock");
    let tags = ["step=hold", "study=Exported", "scenario=busy"];
    for (measurement, count) in [
        ("loadproof_iterations_intended_total", "intended"),
        ("loadproof_iterations_started_total", "started"),
        ("loadproof_iterations_completed_total", "completed"),
    ] {
        assert_eq!(last(&lines, measurement, &tags, "value"), hold[count].as_u64().expect("a count"), "{measurement}");
    }
    let ok = leg(hold, "look", "ok")["count"].as_u64().expect("a count");
    let of_ok = [&tags[..], &["exchange=look", "outcome=ok"]].concat();
    assert_eq!(last(&lines, "loadproof_calls_total", &of_ok, "value"), ok);
    assert_eq!(last(&lines, "loadproof_response_time_seconds", &tags, "count"), ok);
    // The limit cuts a bucket of the recording, and still the count below it is that of the verdict.
    let fast = requirement(&result, "fast");
    let below = fast["value"].as_f64().expect("a share") * fast["sample_count"].as_f64().expect("a count");
    assert_eq!(last(&lines, "loadproof_response_time_seconds", &tags, "0.0027"), below.round() as u64, "{fast:#}");
    // Both are told, the dead one once while the run goes on. A machine that is busy may leave the verdict open.
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let told = format!("export to influx+http://{address}/api/v2/write: ");
    assert!(ran.stderr.contains(&told), "{ran:#?}");
    assert!(ran.stderr.contains(&format!("export to otlp+http://{dead}/v1/metrics: 0 of ")), "{ran:#?}");
    assert_eq!(ran.stderr.matches("the run goes on, and what is lost is counted").count(), 1, "{ran:#?}");
    assert!(!ran.stderr.contains("hunter2") && lines.iter().all(|line| !line.contains("hunter2")));
}

#[test]
fn quick_exports_as_run_does_and_a_run_that_is_over_is_sent_to_whoever_missed_it() {
    let target = target("target-echo", &["--service", "2ms"]);
    let (at_once, afterwards) = (receiver(), receiver());
    let place = Place::new();
    let (url, live) = (format!("http://{}/", target.address()), format!("influx+http://{}/?db=lab", at_once.0));
    let load = ["quick", &url, "--rate", "50/s", "--for", "2s", "--out", "run", "--json", "--export", &live];
    let ran = place.loadproof(&load);
    let hold = step(&ran.json(), "quick", "hold").clone();
    let later = format!("influx+http://{}/?db=lab", afterwards.0);
    let sent = place.loadproof(&["export", "run", "--to", &later]);
    assert_eq!(sent.code, 0, "{sent:#?}");
    assert!(sent.stderr.contains("seconds delivered") && !sent.stderr.contains("lost"), "{sent:#?}");
    let ok = leg(&hold, "request", "ok")["count"].as_u64().expect("a count");
    for (_, lines) in [at_once, afterwards] {
        let lines = lines.lock().expect("a lock");
        let tags = ["step=hold", "study=quick", "exchange=request"];
        assert_eq!(last(&lines, "loadproof_calls_total", &[&tags[..], &["outcome=ok"]].concat(), "value"), ok);
        assert_eq!(last(&lines, "loadproof_response_time_seconds", &tags, "count"), ok);
    }
    for (arguments, expected) in [
        (["export", "run", "--to", "scrape://127.0.0.1:9464"], "whoever fetches a page sees what is on it now"),
        (["export", "run", "--to", "http://127.0.0.1:1"], "`--to http://127.0.0.1:1` begins with nothing"),
        (["export", "nowhere", "--to", &later], "nowhere"),
    ] {
        let ran = place.loadproof(&arguments);
        assert!(ran.code == 2 && ran.stderr.contains(expected), "{ran:#?}");
    }
}

#[test]
fn a_bad_address_is_refused_before_anything_is_started() {
    let place = Place::new();
    place.file("study.yaml", "study: Nothing of it is read\n");
    for address in
        ["http://127.0.0.1:4318", "influx+http://lab:hunter2@127.0.0.1:8086/?bucket=x", "otlp+http://h/#token=NOWHERE"]
    {
        let ran = place.loadproof(&["run", "study.yaml", "--out", "run", "--export", address]);
        assert_eq!(ran.code, 2, "{ran:#?}");
        assert!(
            ran.stderr.contains("prometheus+http://127.0.0.1:9090/api/v1/write") && !ran.stderr.contains("hunter2"),
            "{ran:#?}"
        );
        assert!(!place.path().join("run").exists());
    }
}
