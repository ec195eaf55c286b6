//! Who is asking: assertions that are missing, changed, expired or somebody else's, and messages that are too old.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]

use std::process::Command;
use std::time::Duration;

use crate::support::envelope::{sign_in, sign_in_text, timestamp};
use crate::support::{Ask, Folder, fault, post, start};

const NOBODY: &str = "0101000001";

#[test]
fn what_is_wrong_with_an_assertion_is_told_by_a_fault() {
    let folder = Folder::new();
    let (token, lookup) = (start("token"), folder.lookup(""));
    let assertion = sign_in(&token);
    let codes = |ask: &Ask| {
        let (code, detail, text) = fault(&post(&lookup, "/minlog/", ask.text()));
        assert!(!text.is_empty());
        (code, detail)
    };
    let good = Ask::citizen(&assertion, NOBODY, "");
    assert_eq!(post(&lookup, "/minlog/", good.text()).status, 200);
    let told = |code: &str, detail: &str| (code.to_owned(), detail.to_owned());
    let missing = Ask { assertion: String::new(), ..good.clone() };
    assert_eq!(codes(&missing), told("wsse:InvalidSecurity", "missing_required_header"));
    let bare = good.text().replace("w:Security", "w:Insecurity").replace("s:mustUnderstand=\"1\"", "");
    assert_eq!(fault(&post(&lookup, "/minlog/", bare)).0, "wsse:InvalidSecurity");
    let changed = Ask { assertion: assertion.replace(">12345678<", ">87654321<"), ..good.clone() };
    assert_eq!(codes(&changed), told("wsse:FailedCheck", "invalid_signature"));
    let forged = assertion.rfind("</ds:SignatureValue>").unwrap();
    let other = if assertion.as_bytes()[forged - 10] == b'A' { "B" } else { "A" };
    let forged = format!("{}{other}{}", &assertion[..forged - 10], &assertion[forged - 9..]);
    assert_eq!(codes(&Ask { assertion: forged, ..good.clone() }), told("wsse:FailedCheck", "invalid_signature"));
    let unreadable = Ask { assertion: assertion.replace("NotOnOrAfter=\"2", "NotOnOrAfter=\"x"), ..good.clone() };
    assert_eq!(codes(&unreadable), told("wsse:InvalidSecurityToken", "invalid_idcard"));
    let twice = Ask { assertion: format!("{assertion}{assertion}"), ..good };
    assert_eq!(codes(&twice), told("wsse:InvalidSecurityToken", "invalid_idcard"));
    let counted = lookup.counters()["soap_faults"].clone();
    let expected = ["missing_required_header", "invalid_signature", "invalid_idcard"].map(|code| counted[code].clone());
    assert_eq!(expected, [2, 2, 2].map(serde_json::Value::from), "{counted}");
    assert_eq!(lookup.counters()["pool"]["taken"], 1, "nobody else came as far as the store");
}

#[test]
fn an_assertion_expires() {
    let folder = Folder::new();
    let (token, lookup) = (start("token --lifetime 1500ms"), folder.lookup(""));
    let ask = Ask::citizen(&sign_in(&token), NOBODY, "");
    assert_eq!(post(&lookup, "/minlog/", ask.text()).status, 200);
    std::thread::sleep(Duration::from_millis(1500));
    let (code, detail, text) = fault(&post(&lookup, "/minlog/", ask.text()));
    assert_eq!((code.as_str(), detail.as_str()), ("wsse:FailedAuthentication", "expired_idcard"));
    assert_eq!(text, "the assertion has expired");
}

#[test]
fn only_the_trusted_issuer_counts_unless_nobody_looks() {
    let folder = Folder::new();
    let (key, certificate) = (folder.path("key.pem"), folder.path("certificate.pem"));
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=other", "-keyout"]);
    let made = openssl.arg(&key).arg("-out").arg(&certificate).output().expect("openssl is not installed");
    assert!(made.status.success());
    let other = start(&format!("token --key {}", key.display()));
    let assertion = sign_in(&other);
    let ask = Ask::citizen(&assertion, NOBODY, "").text();
    let (lab, trusting) = (folder.lookup(""), folder.lookup(&format!("--trust {}", certificate.display())));
    let (code, _, text) = fault(&post(&lab, "/minlog/", &ask));
    assert!(code == "wsse:FailedCheck" && text.contains("another key"), "{text}");
    assert_eq!(post(&trusting, "/minlog/", &ask).status, 200);
    let blind = folder.lookup("--verify none");
    assert_eq!(post(&blind, "/minlog/", ask.replace(">12345678<", ">87654321<")).status, 200);
}

#[test]
fn messages_have_an_age_and_a_link() {
    let folder = Folder::new();
    let (token, lookup) = (start("token"), folder.lookup(""));
    let good = Ask::citizen(&sign_in(&token), NOBODY, "");
    let codes = |ask: Ask| {
        let (code, detail, _) = fault(&post(&lookup, "/minlog/", ask.text()));
        format!("{code} {detail}")
    };
    let aged = |created: &str, expires: &str| Ask { timestamp: timestamp(created, expires), ..good.clone() };
    assert_eq!(codes(aged("2020-01-01T00:00:00Z", "2020-01-01T00:05:00Z")), "wsu:MessageExpired syntax_error");
    assert_eq!(codes(aged("2199-01-01T00:00:00Z", "2199-01-01T00:05:00Z")), "wsu:MessageExpired syntax_error");
    assert_eq!(codes(aged("2020-01-01", "2199-01-01T00:05:00Z")), "soap:Client syntax_error");
    assert_eq!(codes(Ask { timestamp: String::new(), ..good.clone() }), "wsse:InvalidSecurity missing_required_header");
    for linking in ["", "<d:FlowID>f</d:FlowID>", "<d:FlowID>f</d:FlowID><d:MessageID>a b</d:MessageID>"] {
        let ask = Ask { linking: linking.to_owned(), ..good.clone() };
        assert_eq!(codes(ask), "wsse:InvalidSecurity missing_required_header", "{linking}");
    }
}

#[test]
fn the_token_service_knows_its_user() {
    let token = start("token");
    let (code, detail, _) = fault(&post(&token, "/sts", sign_in_text("lab", "wrong")));
    assert_eq!((code.as_str(), detail.as_str()), ("wsse:FailedAuthentication", "invalid_username_password"));
    let asked = sign_in_text("lab", "secret");
    let renewed = post(&token, "/sts", asked.replace("/Issue<", "/Renew<"));
    assert_eq!(fault(&renewed).0, "soap:Client");
    let nobody = post(&token, "/sts", asked.replace("w:UsernameToken", "w:UserToken"));
    assert_eq!(fault(&nobody).0, "wsse:InvalidSecurity");
    assert_eq!(token.counters()["tokens"], serde_json::json!({ "issued": 0, "refused": 3 }));
    assert_ne!(sign_in(&token), sign_in(&token), "each has an id of its own");
}
