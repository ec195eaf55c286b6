//! What strangers send: it is answered by a fault within bounds, and the next call is answered as ever.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]

use testkit::program::Link;

use crate::support::envelope::{HEADERS, sign_in};
use crate::support::{Ask, Folder, fault, post, start};

const NOBODY: &str = "0101000001";

#[test]
fn hostile_xml_is_refused_and_the_service_goes_on() {
    let folder = Folder::new();
    let (token, lookup) = (start("token"), folder.lookup("--verify none"));
    let good = Ask::citizen(&sign_in(&token), NOBODY, "").text();
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
    let external = "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>";
    let with = |doctype: &str| good.replace("?>\n", &format!("?>{doctype}")).replace(NOBODY, "&a;");
    let hostile = [
        String::new(),
        "x".to_owned(),
        with(bomb),
        with(external),
        good.replace(NOBODY, "&a;"),
        "<a>".repeat(5000),
        format!("<a>{}</a>", "<b/>".repeat(10_000)),
        format!("<a {}/>", (0..2000).map(|number| format!("b{number}='' ")).collect::<String>()),
        good[..good.len() / 2].to_owned(),
        good.replace("</s:Envelope>", "</s:Envelope><x/>"),
        good.replace("encoding=\"UTF-8\"", "encoding=\"UTF-16\""),
        good.replace("<s:Body>", "<s:Body><x/>"),
    ];
    for text in &hostile {
        let (code, detail, told) = fault(&post(&lookup, "/minlog/", text));
        let shown: String = text.chars().take(60).collect();
        assert_eq!((code.as_str(), detail.as_str()), ("soap:Client", "syntax_error"), "{shown}: {told}");
        assert!(told.len() < 1000 && !told.contains("root:"), "{told}");
    }
    let mut bytes = good.clone().into_bytes();
    bytes.push(0xff);
    assert_eq!(fault(&post(&lookup, "/minlog/", bytes)).0, "soap:Client");
    assert_eq!(post(&lookup, "/minlog/", &good).status, 200);
    assert_eq!(lookup.counters()["soap_faults"]["syntax_error"], hostile.len() as u64 + 1);
}

#[test]
fn what_is_not_soap_is_told_what_to_send() {
    let folder = Folder::new();
    let lookup = folder.lookup("");
    let told = |headers: &[(&str, &str)]| fault(&lookup.call("POST", "/minlog/", headers, "<x/>")).2;
    assert!(told(&[("soapaction", "\"\"")]).contains("content type"));
    assert!(told(&[("content-type", "text/xml")]).contains("SOAPAction"));
    assert!(told(&[("content-type", "application/soap+xml"), ("soapaction", "")]).contains("content type"));
    assert_eq!(lookup.get("/minlog/").status, 405);
    assert_eq!(lookup.call("POST", "/other", &HEADERS, "").status, 404);
}

#[test]
fn what_is_too_large_is_not_read() {
    let folder = Folder::new();
    let lookup = folder.lookup("");
    let answer = post(&lookup, "/minlog/", "x".repeat((64 << 10) + 1));
    assert_eq!(answer.status, 413);
    // Announced and never sent: answered all the same.
    let mut link = Link::open(&lookup.address).unwrap();
    let headers = [HEADERS[0], HEADERS[1], ("content-length", "99999999999")];
    link.send("POST", "/minlog/", &headers, "").unwrap();
    assert_eq!(link.receive().unwrap().status, 413);
    // Half of what was announced, and then the end.
    let mut link = Link::open(&lookup.address).unwrap();
    link.send("POST", "/minlog/", &[HEADERS[0], HEADERS[1], ("content-length", "100")], "<x>").unwrap();
    drop(link);
    lookup.counters_until(|counters| counters["in_flight"] == 0 && counters["started"] == 3);
    assert_eq!(lookup.get("/health").status, 200);
}

#[test]
fn a_signature_that_wraps_another_envelope_is_not_taken() {
    // The signed assertion hides in a place that nobody reads, and another one stands in its place.
    let folder = Folder::new();
    let (token, lookup) = (start("token"), folder.lookup(""));
    let signed = sign_in(&token);
    let start = signed.find("<ds:Signature").unwrap();
    let end = signed.find("</ds:Signature>").unwrap() + "</ds:Signature>".len();
    let signature = &signed[start..end];
    let evil = signed.replace(signature, "").replace(">12345678<", ">87654321<").replace(" ID=\"", " ID=\"x");
    let wrapped =
        evil.replace("<saml:Subject>", &format!("{signature}<saml:Advice>{signed}</saml:Advice><saml:Subject>"));
    for assertion in [wrapped, format!("<!--{signed}-->{evil}"), evil] {
        let ask = Ask::citizen(&assertion, NOBODY, "");
        let (code, detail, text) = fault(&post(&lookup, "/minlog/", ask.text()));
        assert_eq!((code.as_str(), detail.as_str()), ("wsse:FailedCheck", "invalid_signature"), "{text}");
    }
}
