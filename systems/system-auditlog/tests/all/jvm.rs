//! The lookup in Java: the same answers and faults as the other one, and a leak that really ends it.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use testkit::program::{Process, lives, wait_until};

use crate::support::envelope::{HEADERS, sign_in, timestamp};
use crate::support::{Ask, CITIZENS, Folder, command, fault, post, start};

const NOBODY: &str = "0101000001";

fn jvm(folder: &Folder, flags: &str) -> Process {
    start(&format!("lookup-jvm --store {} --citizens {CITIZENS} --seed 1 {flags}", folder.store()))
}

fn java_pid(process: &Process) -> u64 {
    process.json("/version")["java_pid"].as_u64().unwrap()
}

#[test]
fn both_lookups_answer_the_same() {
    let folder = Folder::new();
    let (citizens, helpers) = folder.data();
    let log = folder.path("access.log");
    let (rust, java) = (folder.lookup(""), jvm(&folder, &format!("--name lookup.2 --access-log {}", log.display())));
    let assertion = sign_in(&start("token"));
    let span = "<m:fraDato>2025-03-01</m:fraDato><m:tilDato>2026-02-28T12:00:00+01:00</m:tilDato><m:side>2</m:side>";
    let asks = citizens.iter().map(|(id, _)| Ask::citizen(&assertion, id, ""));
    let asks = asks.chain(citizens.iter().map(|(id, _)| Ask::citizen(&assertion, id, span)));
    let mut calls = 0;
    for ask in asks.chain(helpers.iter().map(|id| Ask::helper(&assertion, id))) {
        let (one, other) = (post(&rust, "/minlog/", ask.text()), post(&java, "/minlog/", ask.text()));
        assert_eq!((one.status, other.status), (200, 200), "{other:?}");
        assert_eq!(other.header("content-type"), one.header("content-type"));
        let body = |text: &str| text.split_once("<soap:Body>").unwrap().1.to_owned();
        assert_eq!(body(&one.body), body(&other.body));
        calls += 1;
    }
    // A call is counted, and has its line, once its answer is on its way, which its reader may have before.
    let is_counted = || java.counters()["requests"]["POST /minlog/"]["200"] == calls;
    let is_logged = || std::fs::read_to_string(&log).is_ok_and(|text| text.lines().count() == calls);
    for _ in 0..200 {
        if is_counted() && is_logged() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let (one, other) = (rust.counters(), java.counters());
    for name in ["lookups", "soap_faults", "entries", "started", "data"] {
        assert_eq!(one[name], other[name], "{name}");
    }
    assert_eq!(other["requests"]["POST /minlog/"]["200"], calls);
    let text = std::fs::read_to_string(log).unwrap();
    assert_eq!(text.lines().count(), calls);
    let fields: Vec<&str> = text.lines().next().unwrap().split(' ').collect();
    assert_eq!(fields[1..5], ["lookup.2", "\"POST", "/minlog/\"", "200"], "{fields:?}");
    assert!(fields[6].parse::<f64>().unwrap() > 0.0 && fields[7] == "-", "{fields:?}");
    assert_eq!((java.get("/health").status, java.get("/monitor").body.as_str()), (200, "OK\n"));
}

#[test]
fn both_lookups_refuse_the_same() {
    let folder = Folder::new();
    let (rust, java) = (folder.lookup(""), jvm(&folder, ""));
    let assertion = sign_in(&start("token"));
    let good = Ask::citizen(&assertion, NOBODY, "");
    let with = |change: &dyn Fn(&mut Ask)| {
        let mut ask = good.clone();
        change(&mut ask);
        ask.text()
    };
    let start = assertion.find("<ds:Signature").unwrap();
    let end = assertion.find("</ds:Signature>").unwrap() + "</ds:Signature>".len();
    let signature = &assertion[start..end];
    let evil = assertion.replace(">12345678<", ">87654321<");
    let bare = evil.replace(signature, "");
    let digest = assertion.rfind("</ds:SignatureValue>").unwrap();
    let forged = format!("{}AAAA{}", &assertion[..digest - 20], &assertion[digest - 16..]);
    let asks = [
        String::new(),
        "<a>".repeat(5000),
        format!("<a>{}</a>", "<b/>".repeat(10_000)),
        good.text()
            .replace("?>\n", "?><!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>")
            .replace(NOBODY, "&a;"),
        good.text().replace(NOBODY, "&a;"),
        good.text().replace("schemas.xmlsoap.org/soap/envelope", "www.w3.org/2003/05/soap-envelope"),
        good.text().replace("<d:Header ", "<x s:mustUnderstand=\"1\"/><d:Header "),
        good.text().replace("</s:Envelope>", ""),
        with(&|ask| ask.assertion = String::new()),
        with(&|ask| ask.assertion = evil.clone()),
        with(&|ask| ask.assertion = bare.clone()),
        with(&|ask| ask.assertion = forged.clone()),
        with(&|ask| ask.assertion = format!("<!--{assertion}-->{evil}")),
        with(&|ask| {
            ask.assertion = bare
                .replace("<saml:Subject>", &format!("{signature}<saml:Advice>{assertion}</saml:Advice><saml:Subject>"))
        }),
        with(&|ask| ask.assertion = assertion.replace("saml:", "x:").replace("xmlns:saml", "xmlns:x")),
        with(&|ask| ask.assertion = assertion.replace(" ID=\"_", " ID=\"_x")),
        with(&|ask| ask.assertion = assertion.replace("rsa-sha256", "rsa-sha1")),
        with(&|ask| ask.assertion = format!("{assertion}{assertion}")),
        with(&|ask| ask.timestamp = String::new()),
        with(&|ask| ask.timestamp = timestamp("2020-01-01T00:00:00Z", "2020-01-01T00:05:00Z")),
        with(&|ask| ask.timestamp = timestamp("2199-01-01T00:00:00Z", "2199-01-01T00:05:00Z")),
        with(&|ask| ask.timestamp = timestamp("2020-01-01", "2199-01-01T00:05:00Z")),
        with(&|ask| ask.linking = "<d:FlowID>f</d:FlowID>".to_owned()),
        with(&|ask| ask.body = "<x/>".to_owned()),
        with(&|ask| ask.body = ask.body.replace(NOBODY, "3213000001")),
        with(&|ask| ask.body = ask.body.replace("</m:cprNR>", "</m:cprNR><m:side>0</m:side>")),
        with(&|ask| ask.body = ask.body.replace("</m:cprNR>", "</m:cprNR><m:fraDato>i går</m:fraDato>")),
        with(&|ask| ask.body = ask.body.replace("</m:cprNR>", "</m:cprNR><m:cprNR>0101000001</m:cprNR>")),
    ];
    for ask in &asks {
        let codes = |process: &Process| {
            let (code, detail, _) = fault(&post(process, "/minlog/", ask));
            (code, detail)
        };
        assert_eq!(codes(&rust), codes(&java), "{ask}");
    }
    assert_eq!(rust.counters()["soap_faults"], java.counters()["soap_faults"]);
    let (_, detail, _) = fault(&java.call("POST", "/minlog/", &HEADERS[..1], "<x/>"));
    assert_eq!(detail, "syntax_error");
    assert_eq!(fault(&post(&java, "/minlog/", "x".repeat(70_000))).0, "soap:Client");
    assert_eq!(post(&java, "/minlog/", good.text()).status, 200);
}

#[test]
fn a_leak_ends_the_machine_for_lack_of_memory_and_the_other_goes_on() {
    let folder = Folder::new();
    let mut leaking = jvm(&folder, "--heap 32MiB --fault leak=of:400kB");
    let sound = jvm(&folder, "--heap 32MiB");
    let front = start(&format!("front --lookup {},{} --timeout 20s", leaking.address, sound.address));
    let assertion = sign_in(&start("token"));
    let ask = Ask::helper(&assertion, &folder.data().1[0]).text();
    // Citizens' lookups keep nothing.
    let citizen = Ask::citizen(&assertion, NOBODY, "").text();
    (0..200).for_each(|_| assert_eq!(post(&front, "/minlog/", &citizen).status, 200));
    assert_eq!(leaking.counters()["faults"]["leaked_bytes"], 0);
    let mut calls = 0;
    while leaking.child.try_wait().unwrap().is_none() {
        let status = post(&front, "/minlog/", &ask).status;
        assert!([200, 502, 504].contains(&status), "{status}");
        calls += 1;
        // Of each two calls one keeps 400 kB: 32 MiB are full after 160 at the latest.
        assert!(calls < 400, "{}", leaking.counters());
    }
    assert_eq!(leaking.ended().code(), Some(3), "what `ExitOnOutOfMemoryError` ends with");
    let after = [0; 10].map(|_| post(&front, "/minlog/", &ask).status);
    assert!(after[2..].iter().all(|status| *status == 200), "{after:?}");
    assert!(sound.counters()["lookups"]["on_behalf_of"].as_u64().unwrap() >= 8);
}

#[test]
fn launcher_and_machine_end_together() {
    let folder = Folder::new();
    let mut asked = jvm(&folder, "");
    let pid = java_pid(&asked);
    assert!(lives(pid));
    asked.signal("TERM");
    assert!(asked.ended().success());
    wait_until("the end of the machine", || !lives(pid));
    let mut killed = jvm(&folder, "");
    let pid = java_pid(&killed);
    killed.child.kill().unwrap();
    killed.ended();
    wait_until("the end of the machine", || !lives(pid));
    let mut orphan = jvm(&folder, "");
    testkit::program::signal(java_pid(&orphan), "KILL");
    assert!(!orphan.ended().success());
}

#[test]
fn faults_of_the_machine_are_what_they_say() {
    let folder = Folder::new();
    let line = |flags: &str| format!("lookup-jvm --store {} --citizens 2 {flags}", folder.store());
    let output = command(&line("--fault crash=at:1ms")).output().unwrap();
    assert_eq!(output.status.code(), Some(70), "{output:?}");
    let output = command(&line("--fault stall=37s/4s")).output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("unknown fault `stall`"));
    let failing = start(&line("--fault errors=25% --fault delay=20ms --fault pool=1"));
    let ask = Ask::citizen(&sign_in(&start("token")), NOBODY, "").text();
    let failed = (0..40).filter(|_| post(&failing, "/minlog/", &ask).status == 500).count();
    assert_eq!(failed, 10);
}
