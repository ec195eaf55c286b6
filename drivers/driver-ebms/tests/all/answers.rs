//! Business answers that ask for an acknowledgment get one: on a connection of its own, or on the same, signed or not.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::peer::{ACCEPTED, Message};
use crate::common::{Messages, agreement, exchange, lab, mistakes};
use contract::{Answer, Node};
use std::path::Path;
use std::process::Command;
use terms::Outcome;
use testkit::{Request, Server, map, text};

const ASKED: &str = "<e:AckRequested S:mustUnderstand=\"1\" e:version=\"2.0\" \
                     S:actor=\"urn:oasis:names:tc:ebxml-msg:actor:toPartyMSH\" e:signed=\"false\"/>";
const NEXT: &str =
    "<e:SyncReply e:version=\"2.0\" S:mustUnderstand=\"1\" S:actor=\"http://schemas.xmlsoap.org/soap/actor/next\"/>";
/// As it stands in the tests' agreement, for the channel of party B.
const B_ASKS: &str = "tns:ackRequested=\"perMessage\" tns:duplicateElimination=\"perMessage\"/>\n    </tns:DeliveryChannel>\n    \
                      <tns:Transport tns:transportId=\"B_transport\">";

/// Keys, and one agreement in which B's channel has these words for acknowledgments.
fn folder(asks: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["rsa.pem", "rsa.key.pem"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/keys").join(name);
        std::fs::copy(from, folder.path().join(name)).unwrap();
    }
    let file = agreement(&[]);
    assert!(file.contains(B_ASKS));
    let file = file.replace(B_ASKS, &B_ASKS.replacen("tns:ackRequested=\"perMessage\"", asks, 1));
    std::fs::create_dir(folder.path().join("cpas")).unwrap();
    std::fs::write(folder.path().join("cpas/1.xml"), file).unwrap();
    folder
}

fn sign() -> (&'static str, Node) {
    ("sign", map(&[("certificate", text("rsa.pem")), ("key", text("rsa.key.pem"))]))
}

/// What came of one message and one answer to it.
struct Came {
    outcome: Option<Outcome>,
    note: String,
    answer: Answer,
    /// What the peer gets next.
    peer: Server,
    asked: Request,
}

/// One message, answered with what more stands in the answer's header.
fn answered(folder: &Path, settings: &[(&str, Node)], more: &str) -> Came {
    let peer = Server::answering(ACCEPTED);
    let settings = [&[("reply", text("Confirm"))], settings].concat();
    let mut lab = lab(&[exchange("message", &peer.url(), &settings)], folder);
    lab.carry_out(0);
    let asked = peer.request();
    let (_, answer) = lab.arrive(asked.answer("orders", "Confirm", more).as_bytes());
    lab.settle();
    let seen = lab.seen();
    Came { outcome: seen.leg(2), note: seen.note, answer, peer, asked }
}

#[test]
fn an_answer_is_acknowledged_on_a_connection_of_its_own() {
    let folder = folder("tns:ackRequested=\"always\"");
    let came = answered(folder.path(), &[], ASKED);
    assert_eq!((came.outcome, came.answer.status, came.note.as_str()), (Some(Outcome::Ok), 204, ""));
    let receipt = came.peer.request();
    assert!(receipt.head.contains("SOAPAction: \"ebXML\"") && receipt.head.contains("Content-Type: text/xml"));
    assert_eq!(receipt.element("Action"), "Acknowledgment");
    assert_eq!(receipt.element("RefToMessageId"), "reply@peer");
    assert_eq!(receipt.element("ConversationId"), came.asked.element("ConversationId"));
    let body = String::from_utf8(receipt.body).unwrap();
    assert_eq!(body.matches("<eb:RefToMessageId>reply@peer</eb:RefToMessageId>").count(), 2, "{body}");
    let from = "<eb:From><eb:PartyId eb:type=\"urn:osb:oin\">00000001</eb:PartyId></eb:From>";
    assert_eq!(body.matches(from).count(), 2, "{body}");
    assert!(!body.contains("Signature"), "{body}");
}

#[test]
fn an_answer_that_wants_it_on_its_own_connection_is_acknowledged_there() {
    let folder = folder("tns:ackRequested=\"perMessage\"");
    let came = answered(folder.path(), &[], &format!("{ASKED}{NEXT}"));
    assert_eq!((came.outcome, came.answer.status), (Some(Outcome::Ok), 200));
    assert_eq!(came.answer.content_type, "text/xml; charset=UTF-8");
    let body = String::from_utf8(came.answer.body).unwrap();
    assert!(body.contains("<eb:Action>Acknowledgment</eb:Action>") && body.contains("<eb:Acknowledgment "), "{body}");
    let came = answered(folder.path(), &[], "");
    assert_eq!((came.outcome, came.answer.status, came.answer.body.len()), (Some(Outcome::Ok), 204, 0), "nobody asked");
}

#[test]
fn a_signed_acknowledgment_is_signed_and_repeats_what_was_signed() {
    let folder = folder("tns:ackRequested=\"always\" tns:ackSignatureRequested=\"always\"");
    let signature = "<d:Signature xmlns:d=\"http://www.w3.org/2000/09/xmldsig#\"><d:SignedInfo><d:Reference URI=\"\">\
                     <d:Transforms><d:Transform Algorithm=\"urn:a\"><d:XPath>a &lt; b</d:XPath></d:Transform></d:Transforms>\
                     <d:DigestMethod Algorithm=\"urn:b\"/><d:DigestValue>aGVsbG8=</d:DigestValue></d:Reference>\
                     <d:Reference URI=\"cid:p\"><d:DigestMethod Algorithm=\"urn:b\"/><d:DigestValue>eA==</d:DigestValue>\
                     </d:Reference></d:SignedInfo></d:Signature>";
    let more = ASKED.replace("false", "true") + signature;
    let came = answered(folder.path(), &[sign()], &more);
    assert_eq!(came.outcome, Some(Outcome::Ok), "{}", came.note);
    let receipt = String::from_utf8(came.peer.request().body).unwrap();
    let named = receipt.split("</eb:Acknowledgment>").next().unwrap();
    for part in ["URI=\"\"", "URI=\"cid:p\"", "<ds:DigestValue xmlns:ds=", ">aGVsbG8=<", ">eA==<", ">a &lt; b<"] {
        assert!(named.contains(part), "{part}: {named}");
    }
    let is_right = |envelope: &str| {
        std::fs::write(folder.path().join("receipt.xml"), envelope).unwrap();
        let mut command = Command::new("xmlsec1");
        command.current_dir(folder.path()).args(["--verify", "--pubkey-cert-pem", "rsa.pem"]);
        // The first signature in the document is the acknowledgment's; what it repeats is not a signature.
        let output = command.args(["--node-xpath", "//*[local-name()='Signature']", "receipt.xml"]).output();
        output.expect("xmlsec1 is not installed; type `make parts`").status.success()
    };
    assert!(is_right(&receipt), "{receipt}");
    assert!(!is_right(&receipt.replace("eA==", "eQ==")));
}

#[test]
fn what_the_agreement_rules_out_is_told() {
    let folder = folder("tns:ackRequested=\"never\"");
    let came = answered(folder.path(), &[], ASKED);
    assert_eq!(came.outcome, Some(Outcome::Wrong));
    assert_eq!(came.note, "the answer asks for an acknowledgment, which the agreement has it never do");
}

#[test]
fn a_signed_acknowledgment_needs_a_key() {
    let always = folder("tns:ackRequested=\"always\" tns:ackSignatureRequested=\"always\"");
    let settings = exchange("message", "http://127.0.0.1:9/", &[("reply", text("Confirm"))]);
    let mistakes = mistakes(always.path(), settings, contract::Table::default());
    assert!(mistakes[0].message.contains("add `sign: {"), "{}", mistakes[0].message);
    // Where that is left to each message it is known only when one comes.
    let folder = folder("tns:ackRequested=\"perMessage\"");
    let came = answered(folder.path(), &[], &ASKED.replace("false", "true"));
    assert_eq!(came.outcome, Some(Outcome::BadStudy));
    assert_eq!(came.note, "the answer asks for a signed acknowledgment, and the study has no `sign`");
}
