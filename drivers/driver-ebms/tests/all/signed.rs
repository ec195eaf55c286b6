//! Signed messages, verified by a second implementation: xmlsec1.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::peer::ACCEPTED;
use crate::common::{RELIABLE, exchange, folder, lab};
use contract::{Node, Settings};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use std::path::Path;
use std::process::Command;
use terms::Outcome;
use testkit::{Request, Server, list, map, text};

const SIGNED: (&str, &str) = ("WANTS", "tns:isNonRepudiationRequired=\"true\"");

fn sign() -> (&'static str, Node) {
    ("sign", map(&[("certificate", text("rsa.pem")), ("key", text("rsa.key.pem"))]))
}

/// The keys of these tests, and keys on the curves P-256 and P-384, beside the agreements.
fn keys(folder: &Path) {
    for name in ["rsa.pem", "rsa.key.pem"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/keys").join(name);
        std::fs::copy(from, folder.join(name)).unwrap();
    }
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec!["lab.test".to_owned()]).unwrap();
    std::fs::write(folder.join("ec.pem"), cert.pem()).unwrap();
    std::fs::write(folder.join("ec.key.pem"), signing_key.serialize_pem()).unwrap();
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P384_SHA384).unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["lab.test".to_owned()]).unwrap().self_signed(&key).unwrap();
    std::fs::write(folder.join("ec384.pem"), certificate.pem()).unwrap();
    std::fs::write(folder.join("ec384.key.pem"), key.serialize_pem()).unwrap();
}

/// What a peer got of one message with these settings.
fn sent(folder: &Path, more: &[(&str, Node)]) -> Request {
    keys(folder);
    let peer = Server::answering(ACCEPTED);
    let settings: Settings = exchange("message", &peer.url(), more);
    let mut lab = lab(&[settings], folder);
    assert_eq!(lab.carry_out(0), Outcome::Ok, "{:?}", lab.seen());
    lab.recorder.abort_awaited(lab.clock.now());
    peer.request()
}

/// The parts of a body, split as RFC 2046 has it.
fn parts(body: &[u8]) -> Vec<Vec<u8>> {
    let end = body.windows(2).position(|two| two == b"\r\n").unwrap();
    let delimiter = [b"\r\n".as_slice(), &body[..end]].concat();
    let mut rest = &body[end..];
    let mut parts = Vec::new();
    while let Some(at) = rest.windows(delimiter.len()).position(|it| it == delimiter) {
        let part = &rest[..at];
        let head = part.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        parts.push(part[head + 4..].to_vec());
        rest = &rest[at + delimiter.len()..];
    }
    parts
}

/// Whether xmlsec1 finds the signature right; `payload` are content ids with their bytes.
fn is_right(folder: &Path, certificate: &str, envelope: &[u8], payload: &[(&str, &[u8])]) -> bool {
    std::fs::write(folder.join("envelope.xml"), envelope).unwrap();
    let mut command = Command::new("xmlsec1");
    command.current_dir(folder).args(["--verify", "--pubkey-cert-pem", certificate]);
    for (index, (id, content)) in payload.iter().enumerate() {
        let name = format!("part-{index}");
        std::fs::write(folder.join(&name), content).unwrap();
        command.arg(format!("--url-map:cid:{id}")).arg(name);
    }
    let output = command.arg("envelope.xml").output();
    let output = output.expect("xmlsec1 is not installed; type `make parts`");
    output.status.success()
}

#[test]
fn a_second_implementation_finds_the_signature_right_and_every_change_wrong() {
    for (certificate, key) in [("rsa.pem", "rsa.key.pem"), ("ec.pem", "ec.key.pem"), ("ec384.pem", "ec384.key.pem")] {
        let folder = folder(&[SIGNED]);
        let sign = ("sign", map(&[("certificate", text(certificate)), ("key", text(key))]));
        let payload = list(&[
            map(&[("text", text("<order n=\"$(serial)\">a &amp; b</order>")), ("id", text("order@x"))]),
            map(&[("text", text("plain\r\ntext"))]),
        ]);
        let conversation = ("conversation", text("a \"quoted\" & <strange> one é"));
        let request = sent(folder.path(), &[sign, ("payload", payload), conversation, ("time_to_live", text("1h"))]);
        let parts = parts(&request.body);
        assert_eq!(parts.len(), 3);
        let payload = [("order@x", parts[1].as_slice()), ("payload-2@loadproof", parts[2].as_slice())];
        let envelope = String::from_utf8(parts[0].clone()).unwrap();
        let verify = |envelope: &str, payload: &[(&str, &[u8])]| {
            is_right(folder.path(), certificate, envelope.as_bytes(), payload)
        };
        assert!(verify(&envelope, &payload), "{envelope}");
        assert!(!verify(&envelope.replace("Order", "Other"), &payload));
        assert!(!verify(&envelope, &[payload[0], ("payload-2@loadproof", b"plain\ntext")]));
        // What a node on the way puts in for the next one does not break it.
        let sync =
            "<eb:SyncReply eb:version=\"2.0\" soap:actor=\"http://schemas.xmlsoap.org/soap/actor/next\"/><ds:Signature";
        assert!(verify(&envelope.replacen("<ds:Signature", sync, 1), &payload));
    }
}

#[test]
fn the_algorithms_are_those_of_the_agreement() {
    let sender = "<tns:SenderNonRepudiation><tns:HashFunction>http://www.w3.org/2001/04/xmlenc#sha512</tns:HashFunction>\
                  <tns:SignatureAlgorithm>http://www.w3.org/2001/04/xmldsig-more#rsa-sha384</tns:SignatureAlgorithm>\
                  </tns:SenderNonRepudiation>";
    let folder = folder(&[SIGNED, ("SENDER", sender)]);
    let request = sent(folder.path(), &[sign()]);
    let envelope = String::from_utf8(request.body).unwrap();
    assert!(envelope.contains("#rsa-sha384\"") && envelope.contains("xmlenc#sha512\""), "{envelope}");
    assert!(!envelope.contains("sha256"), "{envelope}");
    assert!(is_right(folder.path(), "rsa.pem", envelope.as_bytes(), &[]), "{envelope}");
}

#[test]
fn a_signed_message_that_asks_for_its_answer_on_the_connection_verifies_too() {
    let both = RELIABLE.1.replace("syncReplyMode=\"none\"", "syncReplyMode=\"mshSignalsOnly\"");
    let folder = folder(&[SIGNED, ("CHARACTERISTICS", &both)]);
    let request = sent(folder.path(), &[sign(), ("profile", text("osb-rm-s"))]);
    let envelope = String::from_utf8(request.body.clone()).unwrap();
    assert!(envelope.contains("<eb:SyncReply ") && envelope.contains("<eb:AckRequested "), "{envelope}");
    assert!(is_right(folder.path(), "rsa.pem", envelope.as_bytes(), &[]), "{envelope}");
    assert!(!is_right(
        folder.path(),
        "rsa.pem",
        envelope.replace("signed=\"false\"", "signed=\"true\"").as_bytes(),
        &[]
    ));
}

#[test]
fn an_agreement_decides_whether_messages_are_signed() {
    let request = sent(folder(&[]).path(), &[sign()]);
    assert!(!String::from_utf8(request.body).unwrap().contains("Signature"));
    let request = sent(folder(&[SIGNED]).path(), &[sign(), ("profile", text("osb-be-s"))]);
    assert!(String::from_utf8(request.body).unwrap().contains("<ds:SignatureValue>"));
}

/// Not an assertion on speed: prints what a signed message costs more than a plain one.
#[test]
#[ignore = "prints a measurement"]
fn what_a_signature_costs() {
    let clock = clock::Clock::system();
    for (name, words) in [("plain", vec![]), ("signed", vec![SIGNED])] {
        let folder = folder(&words);
        keys(folder.path());
        let peer = Server::answering(ACCEPTED);
        let payload = list(&[map(&[("text", text("x".repeat(1000)))])]);
        let mut lab = lab(&[exchange("message", &peer.url(), &[sign(), ("payload", payload)])], folder.path());
        lab.carry_out(0);
        let since = clock.now();
        (0..500).for_each(|_| _ = lab.carry_out(0));
        println!("{name}: {:.3} ms each", (clock.now() - since).as_millis_f64() / 500.0);
    }
}
