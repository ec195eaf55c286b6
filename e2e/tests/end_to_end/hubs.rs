//! How a study comes to its hub, and over what: a topic that names it, a hub that sends on to another, TLS on both sides.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::fan_out::{Hub, PLANNED, all, carried_out, count, held, study};
use e2e::{Place, assert_balanced, program, step};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

/// Writes an authority and a certificate for 127.0.0.1 into a folder beside the study.
fn certificates(place: &Place, folder: &str) {
    let into = place.path().join(folder);
    let made = Command::new(program("system-streaming")).arg("certificates").arg("--into").arg(into).status();
    assert!(made.unwrap().success());
}

/// The study with parts of its text replaced.
fn with(place: &Place, system: &str, replaced: &[(&str, &str)]) {
    study(place, system);
    let mut text = std::fs::read_to_string(place.path().join("study.yaml")).unwrap();
    for (part, by) in replaced {
        assert!(text.contains(part), "{part}: {text}");
        text = text.replace(part, by);
    }
    place.file("study.yaml", &text);
}

/// The topic is asked for its hub, in place of `hub`.
const DISCOVERED: (&str, &str) =
    ("hub: $(hub.url)/hub, topic: orders", "discover: yes, topic: \"$(hub.url)/topics/orders\"");

fn published(hub: &Hub, page: &str) {
    let mut stream = TcpStream::connect(&hub.address).unwrap();
    let head = "POST /publish/orders HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: text/html";
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{page}", page.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
}

#[test]
fn a_topic_names_its_hub_in_its_headers() {
    let (hub, place) = (Hub::start(&[]), Place::new());
    with(&place, &hub.system(), &[DISCOVERED]);
    let (result, ran) = carried_out(&place);
    assert_eq!(held(&result), BTreeMap::from([("ok", PLANNED)]), "{ran:#?}");
    assert_eq!(all(&result, "verify", "ok"), 20, "{ran:#?}");
    let own = format!("the topic names the hub http://{0}/hub, and itself `http://{0}/topics/orders`", hub.address);
    let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(report.contains(&own), "{ran:#?}");
}

#[test]
fn a_topic_names_its_hub_in_its_page() {
    let (hub, place) = (Hub::start(&["--no-links"]), Place::new());
    published(&hub, "<html><head><link rel=\"hub\" href=\"/hub\"><link rel=self href=/topics/orders></head></html>");
    with(&place, &hub.system(), &[DISCOVERED]);
    let (result, ran) = carried_out(&place);
    assert_eq!(held(&result), BTreeMap::from([("ok", PLANNED)]), "{ran:#?}");
}

#[test]
fn a_topic_that_does_not_say_which_it_is_or_where_ends_the_run_before_its_load() {
    let hub_link = "<link rel=hub href=/hub>";
    for (page, told) in [
        (format!("<head>{hub_link}<link rel=self href=/topics/a><link rel=self href=/topics/b></head>"), "two names"),
        (format!("<head>{hub_link}</head>"), "names a hub and not itself"),
        ("<head><link rel=self href=/topics/orders></head>".to_owned(), "neither a `Link` header nor the head"),
        ("no page at all".to_owned(), "neither a `Link` header nor the head"),
    ] {
        let (hub, place) = (Hub::start(&["--no-links"]), Place::new());
        published(&hub, &page);
        with(&place, &hub.system(), &[DISCOVERED]);
        let ran = place.loadproof_with(&["run", "study.yaml", "--out", "run"], &[("HUB", "s3cret of this hub")]);
        assert!(![0, 1, 4].contains(&ran.code) && ran.stderr.contains(told), "{page}: {ran:#?}");
        let counters = hub.counters().unwrap();
        assert_eq!((&counters["subscriptions"]["pending"], &counters["events"]["published"]), (&0.into(), &1.into()));
    }
}

#[test]
fn subscriptions_that_a_hub_sends_on_stand_at_the_other() {
    for status in ["307", "308"] {
        let other = Hub::start(&[]);
        let hub = Hub::start(&["--redirect", &format!("{status}=http://{}/hub", other.address)]);
        let place = Place::new();
        let publish = format!("lease: 10m, unsubscribe: yes, publish: \"http://{}/publish/orders\",", other.address);
        with(&place, &hub.system(), &[("lease: 10m,", &publish)]);
        let (result, ran) = carried_out(&place);
        assert_eq!(held(&result), BTreeMap::from([("ok", PLANNED)]), "{ran:#?}");
        assert_eq!((all(&result, "subscribe", "ok"), all(&result, "unsubscribe", "ok")), (20, 20), "{ran:#?}");
        let (from, to) = (hub.counters().unwrap(), other.counters().unwrap());
        // Each to subscribe and to end it.
        assert_eq!(from["subscriptions"]["redirected"], 40, "{from:#}");
        assert_eq!(
            (&to["subscriptions"]["verified"], &to["subscriptions"]["unsubscribed"], &to["subscriptions"]["active"]),
            (&20.into(), &20.into(), &0.into()),
            "{to:#}"
        );
    }
}

/// The flags of a service that speaks TLS with what is in the folder.
fn tls(place: &Place, folder: &str) -> String {
    let folder = place.path().join(folder).display().to_string();
    format!("--tls-cert {folder}/certificate.pem --tls-key {folder}/key.pem")
}

const LISTENER: (&str, &str) =
    ("hook: http", "hook: { http: { tls: { certificate: tls/certificate.pem, key: tls/key.pem } } }");

#[test]
fn a_hub_over_tls_delivers_to_callbacks_over_tls() {
    let place = Place::new();
    certificates(&place, "tls");
    let ca = place.path().join("tls/ca.pem").display().to_string();
    let flags = format!("{} --callback-ca {ca}", tls(&place, "tls"));
    let system = format!(
        "system:\n  name: streaming\n  instances:\n    hub: {{ start: \"system-streaming hub --port $(port) --store \
         sqlite://$(scratch)/hub.db {flags}\", tls: {{ ca: tls/ca.pem }} }}"
    );
    with(&place, &system, &[LISTENER, ("lease: 10m,", "lease: 10m, tls: { ca: tls/ca.pem },")]);
    let (result, ran) = carried_out(&place);
    assert_eq!(held(&result), BTreeMap::from([("ok", PLANNED)]), "{ran:#?}");
    assert_eq!((all(&result, "verify", "ok"), all(&result, "publish", "ok")), (20, 11), "{ran:#?}");
}

#[test]
fn callbacks_whose_certificate_the_hub_does_not_trust_stay_without_content() {
    let place = Place::new();
    ["tls", "others"].iter().for_each(|folder| certificates(&place, folder));
    let hub = Hub::start(&["--callback-ca", &place.path().join("others/ca.pem").display().to_string()]);
    with(&place, &hub.system(), &[LISTENER]);
    let (result, ran) = carried_out(&place);
    assert_eq!(held(&result), BTreeMap::from([("missing", PLANNED)]), "{ran:#?}");
    assert_eq!((all(&result, "subscribe", "ok"), all(&result, "verify", "missing")), (20, 20), "{ran:#?}");
    let counters = hub.counters().unwrap();
    assert_eq!(
        (&counters["callbacks"]["untrusted"], &counters["subscriptions"]["unverified"]),
        (&20.into(), &20.into()),
        "{counters:#}"
    );
}

/// WebSockets, event streams and events of a topic through one gateway, which alone speaks TLS with the outside.
#[test]
fn all_that_a_gateway_passes_goes_over_tls() {
    let place = Place::new();
    certificates(&place, "tls");
    let mut tokens = Command::new(program("system-streaming"));
    tokens.args(["tokens", "--count", "10", "--csv"]).arg(place.path().join("tokens.csv"));
    assert!(tokens.env_remove("STREAMING_TOKEN_KEY").status().unwrap().success());
    let flags = tls(&place, "tls");
    let ca = place.path().join("tls/ca.pem").display().to_string();
    place.file(
        "study.yaml",
        &format!(
            "study: TLS\ndata: {{ tokens: {{ file: tokens.csv }} }}\nlisteners: {{ hook: {{ http: {{ tls: {{ certificate: tls/certificate.pem, key: tls/key.pem }} }} }} }}\n\
             system:\n  name: streaming\n  instances:\n\
             \x20   backend: {{ start: system-streaming backend --port $(port) --events 10/s }}\n\
             \x20   hub: {{ start: \"system-streaming hub --port $(port) --store sqlite://$(scratch)/hub.db --callback-ca {ca}\" }}\n\
             \x20   gateway: {{ start: \"system-streaming gateway --port $(port) --backend $(backend.address) --hub $(hub.address) {flags}\", needs: [backend, hub], tls: {{ ca: tls/ca.pem }} }}\n\
             exchanges:\n\
             \x20 echo:\n    ws.talk: {{ url: $(gateway.url)/echoapi/1.0.0, bearer: $(tokens.token), message: $(message.n) $(text(100B)), tls: {{ ca: tls/ca.pem }} }}\n\
             \x20   legs: {{ answer: {{ within: 5s, check: [ body = reverse(sent) ] }} }}\n\
             \x20 feed:\n    sse.listen: {{ url: $(gateway.url)/sse/1.0.0/events, bearer: $(tokens.token), tls: {{ ca: tls/ca.pem }} }}\n\
             \x20   legs: {{ event: {{ expect: 10/s, sequence: json($.n), sent: json($.t), within: 5s }} }}\n\
             \x20 topic:\n    websub.topic: {{ hub: $(gateway.url)/hub, topic: orders, callback: hook, bearer: $(tokens.token), secret: s, body: \"$(serial) $(bytes(2kB))\", tls: {{ ca: tls/ca.pem }} }}\n\
             \x20   legs: {{ verify: {{ within: 5s }}, delivery: {{ within: 5s }} }}\n\
             scenarios:\n\
             \x20 talk: {{ load: {{ connections: 10, each: 5/s, ramp: {{ over: 1s }}, hold: 2s }}, run: [echo] }}\n\
             \x20 listen: {{ load: {{ connections: 10, ramp: {{ over: 1s }}, hold: 2s }}, run: [feed] }}\n\
             \x20 fan: {{ load: {{ subscribers: 10, publish: 5/s, ramp: {{ over: 1s }}, hold: 2s }}, run: [topic] }}\n\
             requirements:\n  opened: count(echo.connect.failed) = 0\n"
        ),
    );
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    for (scenario, leg, planned) in [("talk", "answer", 100), ("listen", "event", 200), ("fan", "delivery", 100)] {
        let hold = step(&result, scenario, "hold");
        assert_balanced(hold);
        assert_eq!((&hold["intended"], count(hold, leg, "ok")), (&planned.into(), planned), "{ran:#?} {hold:#}");
    }
}
