//! SOAP as a user writes it: a token is asked for, captured and sent in the next request's header; faults, documents that
//! are bombs and expressions that are none are told apart.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::site::{Answered, Asked, serve};
use e2e::{Place, assert_balanced, leg, step};
use std::sync::atomic::{AtomicU64, Ordering};

const WSSE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";

fn envelope(header: &str, body: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><S:Envelope xmlns:S=\"{SOAP}\" xmlns:w=\"{WSSE}\"><S:Header>{header}</S:Header><S:Body>\
         {body}</S:Body></S:Envelope>"
    )
}

/// Gives out tokens with all that XML escapes in them, and answers those who have one; every tenth look is a fault that
/// comes with 200.
fn answer(asked: &Asked, looks: &AtomicU64) -> Answered {
    let body = String::from_utf8_lossy(&asked.body);
    let fault = |code: &str| envelope("", &format!("<S:Fault><faultcode>S:{code}</faultcode></S:Fault>"));
    let of = |status, body| (status, "Content-Type: text/xml; charset=utf-8\r\n".to_owned(), body);
    match asked.target.as_str() {
        "/version" => ("200 OK", String::new(), r#"{"name":"soap"}"#.to_owned()),
        "/sts" => {
            let token = "<w:Security><w:BinarySecurityToken>t&amp;&lt;1&gt;</w:BinarySecurityToken></w:Security>";
            let card = "<a:Reply xmlns:a=\"urn:sts\"><a:Card n=\"1\">x&amp;y<a:In/></a:Card></a:Reply>";
            of("200 OK", envelope(token, card))
        }
        "/bomb" => of("200 OK", "<!DOCTYPE l [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><l>&b;&b;</l>".to_owned()),
        _ => {
            let token = "<wsse:BinarySecurityToken>t&amp;&lt;1&gt;</wsse:BinarySecurityToken>";
            let card = "<a:Card xmlns:a=\"urn:sts\" n=\"1\">x&amp;y<a:In/></a:Card>";
            let is_known = body.contains(token) && body.contains(card) && asked.header("soapaction") == "\"look\"";
            if !is_known {
                return of("500 Internal Server Error", fault("Client"));
            }
            match looks.fetch_add(1, Ordering::Relaxed) % 10 {
                9 => of("200 OK", fault("Server")),
                _ => of(
                    "200 OK",
                    envelope("", "<Entries xmlns=\"urn:log\"><Entry n=\"1\">a</Entry><Entry n=\"2\"/></Entries>"),
                ),
            }
        }
    }
}

fn study(port: u16, more: &str) -> String {
    format!(
        "study: SOAP\nnamespaces: {{ soap: \"{SOAP}\", wsse: \"{WSSE}\", sts: \"urn:sts\", log: \"urn:log\" }}\n\
         system: {{ name: soap, url: \"http://127.0.0.1:{port}\", identity: {{ expect: {{ name: soap }} }} }}\n\
         exchanges:\n\
         \x20 sign_in:\n    http.post: {{ url: $(soap.url)/sts, headers: {{ content-type: text/xml }}, body: <e/> }}\n\
         \x20   capture: {{ token: xpath(//wsse:BinarySecurityToken), card: \"xpath(//sts:Card, xml)\" }}\n\
         \x20 look:\n    http.post: {{ url: $(soap.url)/log, headers: {{ content-type: text/xml, SOAPAction: '\"look\"' }}, file: look.xml }}\n\
         \x20   check: [ xpath(not(//soap:Fault)), xpath(count(//log:Entry)) = 2, \"xpath(//log:Entry[2]/@n) = 2\" ]\n\
         \x20 stranger:\n    http.post: {{ url: $(soap.url)/log, headers: {{ content-type: text/xml }}, body: <e/> }}\n\
         \x20   check: [ status = 500, \"xpath(//soap:Fault/faultcode) = S:Client\" ]\n\
         \x20 bomb:\n    http.get: {{ url: $(soap.url)/bomb }}\n    check: [ xpath(//l) ]\n{more}\
         scenarios:\n  calm: {{ load: {{ arrivals: 20/s, hold: 3s }}, run: [ sign_in, look, stranger, bomb ] }}\n"
    )
}

const LOOK: &str = "<?xml version=\"1.0\"?>\n<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\" \
                    xmlns:wsse=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd\">\
                    <soap:Header><wsse:Security><wsse:BinarySecurityToken>$(xml(token))</wsse:BinarySecurityToken>$(card)\
                    </wsse:Security></soap:Header><soap:Body/></soap:Envelope>";

#[test]
fn a_token_is_captured_and_sent_on_and_faults_are_wrong() {
    let looks = AtomicU64::new(0);
    let port = serve(move |asked| answer(asked, &looks));
    let place = Place::new();
    place.file("look.xml", LOOK);
    place.file("study.yaml", &study(port, ""));
    let once = place.loadproof(&["check", "study.yaml", "--once"]);
    let reason = "the body cannot be read as XML: at line 1, character 1: it has a document type";
    assert!(once.stdout.contains(reason), "{once:#?}");
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    let hold = step(&result, "calm", "hold");
    assert_balanced(hold);
    let count = |exchange: &str, outcome: &str| leg(hold, exchange, outcome)["count"].as_u64().unwrap_or(0);
    assert_eq!((count("sign_in", "ok"), count("stranger", "ok")), (60, 60), "{ran:#?}");
    // Where in the ten it begins depends on what `check --once` asked.
    let wrong = leg(hold, "look", "all")["classes"]["wrong"].as_u64().unwrap();
    assert_eq!((wrong, count("look", "ok")), (6, 54), "{ran:#?}");
    assert_eq!(leg(hold, "bomb", "all")["classes"]["wrong"], 60, "{ran:#?}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(report.contains("xpath(not(//soap:Fault))"), "the report shows the check that did not hold");
}

#[test]
fn what_cannot_be_an_expression_is_refused_before_anything_is_sent() {
    let place = Place::new();
    place.file("look.xml", LOOK);
    for (check, code, what) in [
        ("xpath(//soap:Body[) = 1", "study::bad-xpath", "at character 13, it ends where"),
        ("xpath(//wse:Security)", "study::unknown-prefix", "did you mean `wsse`?"),
        ("xpath(//saml:Assertion)", "study::unknown-prefix", "urn:oasis:names:tc:SAML:2.0:assertion"),
        ("xpath(count(//log:Entry))", "study::bad-check", "compare it with something"),
    ] {
        let more = format!("  more: {{ http.get: {{ url: $(soap.url)/x }}, check: [ \"{check}\" ] }}\n");
        place.file("study.yaml", &study(1, &more));
        let ran = place.loadproof(&["check", "study.yaml"]);
        assert_eq!(ran.code, 2, "{ran:#?}");
        assert!(ran.stderr.contains(code) && ran.stderr.contains(what), "{check}: {ran:#?}");
        assert!(ran.stderr.contains("study.yaml:"), "{ran:#?}");
    }
}
