//! Signed messages that come in, made by a second implementation (xmlsec1) in the form in which another product writes
//! them: indented, with the prefix of signatures declared at the root, `&#13;` inside of base64, the key's numbers before the
//! certificate, parts in an order and with heads of their own.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::peer::{ACCEPTED, Message, peer, with_body};
use crate::common::{Messages, agreement, exchange, lab, mistakes};
use contract::Node;
use std::path::Path;
use std::process::Command;
use terms::Outcome;
use testkit::{Lab, Recorded, Request, Server, list, map, text};

const SIGNED: (&str, &str) = ("WANTS", "tns:isNonRepudiationRequired=\"true\"");
/// An acknowledgment for each message, and a signed one.
const RECEIPTS: (&str, &str) = (
    "CHARACTERISTICS",
    "tns:syncReplyMode=\"none\" tns:ackRequested=\"always\" tns:actor=\"urn:oasis:names:tc:ebxml-msg:actor:toPartyMSH\" \
     tns:ackSignatureRequested=\"always\" tns:duplicateElimination=\"always\"",
);
const SIGNALS: &str = "urn:oasis:names:tc:ebxml-msg:service";

/// A folder with keys and one agreement, in which B signs with the certificate of these tests, and has its confirmations
/// signed.
fn folder(words: &[(&str, &str)], changed: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["rsa.pem", "rsa.key.pem"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/keys").join(name);
        std::fs::copy(from, folder.path().join(name)).unwrap();
    }
    let pem = std::fs::read_to_string(folder.path().join("rsa.pem")).unwrap();
    let base64: Vec<_> = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let certificate = format!(
        "<tns:Certificate tns:certId=\"B_cert\"><KeyInfo xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><X509Data>\
         <X509Certificate>\n {}\n</X509Certificate></X509Data></KeyInfo></tns:Certificate><tns:DeliveryChannel tns:channelId=\"B",
        base64.join("\n ")
    );
    let exchange = "<tns:DocExchange tns:docExchangeId=\"B_exchange\"><tns:ebXMLSenderBinding><tns:SenderNonRepudiation>\
                    <tns:HashFunction>http://www.w3.org/2001/04/xmlenc#sha256</tns:HashFunction><tns:SignatureAlgorithm \
                    tns:w3c=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\">RSA</tns:SignatureAlgorithm>\
                    <tns:SigningCertificateRef tns:certId=\"B_cert\"/></tns:SenderNonRepudiation></tns:ebXMLSenderBinding>\
                    </tns:DocExchange>";
    let mut file = agreement(words)
        .replace("<tns:DeliveryChannel tns:channelId=\"B", &certificate)
        .replace("<tns:DocExchange tns:docExchangeId=\"B_exchange\"/>", exchange);
    for (from, to) in changed {
        assert!(file.contains(from), "{from}");
        file = file.replace(from, to);
    }
    std::fs::create_dir(folder.path().join("cpas")).unwrap();
    std::fs::write(folder.path().join("cpas/1.xml"), file).unwrap();
    folder
}

fn reference(uri: &str, transforms: &str) -> String {
    format!(
        "<ds:Reference URI=\"{uri}\">\n{transforms}<ds:DigestMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"/>\n\
         <ds:DigestValue></ds:DigestValue>\n</ds:Reference>\n"
    )
}

/// An answer to a message, indented, with what more stands in its header, and a place for its signature.
fn unsigned(request: &Request, service: &str, action: &str, more: &str, payload: &[(&str, &[u8])]) -> String {
    let transforms = "<ds:Transforms>\n<ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/>\n\
                      <ds:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xpath-19991116\">\n<ds:XPath>not(ancestor-or-self::\
                      node()[@soap:actor=\"urn:oasis:names:tc:ebxml-msg:actor:nextMSH\"]|ancestor-or-self::node()[@soap:actor=\
                      \"http://schemas.xmlsoap.org/soap/actor/next\"])</ds:XPath>\n</ds:Transform>\n<ds:Transform Algorithm=\
                      \"http://www.w3.org/TR/2001/REC-xml-c14n-20010315\"/>\n</ds:Transforms>\n";
    let parts: String = payload.iter().map(|(id, _)| reference(&format!("cid:{id}"), "")).collect();
    let manifest: String = payload
        .iter()
        .map(|(id, _)| format!("<eb:Reference xlink:href=\"cid:{id}\" xlink:type=\"simple\"/>\n"))
        .collect();
    let body = if manifest.is_empty() {
        "<soap:Body/>".to_owned()
    } else {
        format!("<soap:Body>\n<eb:Manifest eb:version=\"2.0\">\n{manifest}</eb:Manifest>\n</soap:Body>")
    };
    let (cpa, conversation, id) = (request.element("CPAId"), request.element("ConversationId"), request.id());
    format!(
        "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\" xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\" \
         xmlns:eb=\"http://www.oasis-open.org/committees/ebxml-msg/schema/msg-header-2_0.xsd\" \
         xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n    <soap:Header>\n        <eb:MessageHeader eb:version=\"2.0\" \
         soap:mustUnderstand=\"1\">\n            <eb:From>\n                <eb:PartyId eb:type=\"urn:osb:oin\">00000002\
         </eb:PartyId>\n            </eb:From>\n            <eb:To>\n                <eb:PartyId eb:type=\"urn:osb:oin\">\
         00000001</eb:PartyId>\n            </eb:To>\n            <eb:CPAId>{cpa}</eb:CPAId>\n            <eb:ConversationId>\
         {conversation}</eb:ConversationId>\n            <eb:Service>{service}</eb:Service>\n            <eb:Action>{action}\
         </eb:Action>\n            <eb:MessageData>\n                <eb:MessageId>4711@peer</eb:MessageId>\n                \
         <eb:Timestamp>2026-11-21T10:00:00.123Z</eb:Timestamp>\n                <eb:RefToMessageId>{id}</eb:RefToMessageId>\n\
         </eb:MessageData>\n        </eb:MessageHeader>\n{more}    <ds:Signature>\n<ds:SignedInfo>\n<ds:CanonicalizationMethod \
         Algorithm=\"http://www.w3.org/TR/2001/REC-xml-c14n-20010315\"/>\n<ds:SignatureMethod \
         Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\"/>\n{}{parts}</ds:SignedInfo>\n<ds:SignatureValue>\
         </ds:SignatureValue>\n<ds:KeyInfo>\n<ds:KeyValue/>\n<ds:X509Data>\n<ds:X509Certificate/>\n</ds:X509Data>\n</ds:KeyInfo>\n\
         </ds:Signature></soap:Header>\n    {body}\n</soap:Envelope>",
        reference("", transforms)
    )
}

/// Signs it with xmlsec1, and breaks its base64 into lines as others do.
fn signed(folder: &Path, template: &str, payload: &[(&str, &[u8])]) -> String {
    std::fs::write(folder.join("template.xml"), template).unwrap();
    let mut command = Command::new("xmlsec1");
    command.current_dir(folder).args(["--sign", "--privkey-pem", "rsa.key.pem,rsa.pem", "--output", "signed.xml"]);
    for (index, (id, content)) in payload.iter().enumerate() {
        let name = format!("part-{index}");
        std::fs::write(folder.join(&name), content).unwrap();
        command.arg(format!("--url-map:cid:{id}")).arg(name);
    }
    let output = command.arg("template.xml").output().expect("xmlsec1 is not installed; type `make parts`");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(folder.join("signed.xml")).unwrap();
    let (begin, end) = (text.find("<ds:SignatureValue>").unwrap(), text.find("</ds:SignatureValue>").unwrap());
    format!("{}{}{}", &text[..begin], text[begin..end].replace('\n', "&#13;\n"), &text[end..])
}

fn sign() -> (&'static str, Node) {
    ("sign", map(&[("certificate", text("rsa.pem")), ("key", text("rsa.key.pem"))]))
}

/// One message under that agreement, and what comes to the listener afterwards.
fn send(folder: &Path, more: &[(&str, Node)], mut after: impl FnMut(&mut Lab, &Request)) -> Recorded {
    let peer = Server::answering(ACCEPTED);
    let settings = exchange("message", &peer.url(), more);
    lab(&[settings], folder).run_on(0, |lab| {
        let request = peer.request();
        after(lab, &request);
    })
}

/// What an acknowledgment has: what of the message it is for.
fn receipt(request: &Request, got: &[&str]) -> String {
    let got: String = got.iter().map(|uri| reference(uri, "")).collect();
    format!(
        "<eb:Acknowledgment eb:version=\"2.0\" soap:actor=\"urn:oasis:names:tc:ebxml-msg:actor:toPartyMSH\" \
         soap:mustUnderstand=\"1\">\n<eb:Timestamp>2026-11-21T10:00:00.123Z</eb:Timestamp>\n<eb:RefToMessageId>{}\
         </eb:RefToMessageId>\n{got}</eb:Acknowledgment>\n",
        request.id()
    )
}

#[test]
fn a_signed_acknowledgment_is_right_and_any_other_wrong() {
    type Change = fn(String) -> String;
    let changes: [(Change, Outcome); 5] = [
        (|it| it, Outcome::Ok),
        (
            |it| it.replace("10:00:00.123Z</eb:Timestamp>\n<eb:Ref", "10:00:01.123Z</eb:Timestamp>\n<eb:Ref"),
            Outcome::Wrong,
        ),
        (|it| it.replace("<ds:SignatureValue>", "<ds:SignatureValue>AAAA"), Outcome::Wrong),
        (|it| it.replace("#rsa-sha256\"", "#rsa-sha512\""), Outcome::Wrong),
        (|it| it.replace("ds:Signature>", "ds:Unsigned>"), Outcome::Wrong),
    ];
    let folder = folder(&[RECEIPTS], &[]);
    for (index, (change, outcome)) in changes.into_iter().enumerate() {
        let seen = send(folder.path(), &[], |lab, request| {
            let template = unsigned(request, SIGNALS, "Acknowledgment", &receipt(request, &[]), &[]);
            lab.arrive(change(signed(folder.path(), &template, &[])).as_bytes());
        });
        assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Ok), Some(outcome)), "{index}");
    }
}

#[test]
fn an_acknowledgment_by_somebody_else_is_wrong_where_the_agreement_names_the_sender() {
    let other = rcgen::generate_simple_self_signed(vec!["other.test".to_owned()]).unwrap();
    let pem = other.cert.pem();
    let other: Vec<_> = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let other = format!("<X509Certificate>{}</X509Certificate><X509Was>", other.join(""));
    let named = [("<X509Certificate>", other.as_str()), ("</X509Certificate></X509Data>", "</X509Was></X509Data>")];
    let unnamed = [("<tns:SigningCertificateRef tns:certId=\"B_cert\"/>", "")];
    for (changed, outcome) in [(&named[..], Outcome::Wrong), (&unnamed[..], Outcome::Ok)] {
        let folder = folder(&[RECEIPTS], changed);
        let seen = send(folder.path(), &[], |lab, request| {
            let template = unsigned(request, SIGNALS, "Acknowledgment", &receipt(request, &[]), &[]);
            lab.arrive(signed(folder.path(), &template, &[]).as_bytes());
        });
        assert_eq!(seen.leg(1), Some(outcome));
    }
}

#[test]
fn an_acknowledgment_of_a_signed_message_says_what_it_is_for() {
    let folder = folder(&[RECEIPTS, SIGNED], &[]);
    let payload = ("payload", list(&[map(&[("text", text("<order/>")), ("id", text("order@x"))])]));
    for (got, outcome) in [
        (&["", "cid:order@x"][..], Outcome::Ok),
        (&[""][..], Outcome::Wrong),
        (&["cid:order@x"][..], Outcome::Wrong),
        (&[][..], Outcome::Wrong),
    ] {
        let seen = send(folder.path(), &[sign(), payload.clone()], |lab, request| {
            let template = unsigned(request, SIGNALS, "Acknowledgment", &receipt(request, got), &[]);
            lab.arrive(signed(folder.path(), &template, &[]).as_bytes());
        });
        assert_eq!(seen.leg(1), Some(outcome), "{got:?}");
    }
}

#[test]
fn a_signed_answer_with_parts_is_right_only_as_it_was_signed() {
    let folder = folder(
        &[],
        &[(
            "tns:id=\"B_confirm\" tns:action=\"Confirm\" tns:packageId=\"P\">",
            "tns:id=\"B_confirm\" tns:action=\"Confirm\" tns:packageId=\"P\"><tns:BusinessTransactionCharacteristics \
         tns:isNonRepudiationRequired=\"true\"/>",
        )],
    );
    let payload: [(&str, &[u8]); 2] =
        [("a-1", "<bevestiging>é</bevestiging>".as_bytes()), ("b-2", b"\x00\x01\r\n\xff\r\n--\r")];
    let content_type =
        "multipart/related; boundary=\"-=c0de=-\"; type=\"text/xml\"; start=\"<4711@peer>\"; start-info=\"text/xml\"";
    for (index, outcome) in [Outcome::Ok, Outcome::Wrong, Outcome::Wrong].into_iter().enumerate() {
        let seen = send(folder.path(), &[("reply", text("Confirm"))], |lab, request| {
            let template = unsigned(request, "orders", "Confirm", "", &payload);
            let envelope = signed(folder.path(), &template, &payload);
            let mut body = format!(
                "---=c0de=-\r\nContent-Type: text/xml; charset=UTF-8\r\nContent-ID: <4711@peer>\r\n\r\n{envelope}\r\n"
            )
            .into_bytes();
            for (number, (id, content)) in payload.iter().enumerate() {
                if index == 2 && number == 1 {
                    continue; // A part that the signature covers is missing.
                }
                let head = format!(
                    "---=c0de=-\r\nContent-Type: application/xml\r\nContent-ID: <{id}>\r\nContent-Disposition: attachment; \
                     filename=\"a.xml\"\r\n\r\n"
                );
                body.extend_from_slice(head.as_bytes());
                body.extend_from_slice(content);
                body.extend_from_slice(if index == 1 { b" \r\n" } else { b"\r\n" });
            }
            body.extend_from_slice(b"---=c0de=---\r\n");
            lab.arrive_as(content_type, &body);
        });
        assert_eq!((seen.leg(0), seen.leg(2)), (Some(Outcome::Ok), Some(outcome)), "{index}");
    }
}

#[test]
fn a_synchronous_answer_that_is_signed_is_looked_at_too() {
    let both = RECEIPTS.1.replace("syncReplyMode=\"none\"", "syncReplyMode=\"signalsAndResponse\"");
    // The answer comes at once, however long a busy machine takes to sign it.
    let folder = folder(&[("CHARACTERISTICS", &both), ("INTERVAL", "PT10S")], &[]);
    let base = folder.path().to_owned();
    for (from, to, outcome) in [("4711", "4711", Outcome::Ok), ("4711@peer", "4712@peer", Outcome::Wrong)] {
        let base = base.clone();
        let peer = peer(move |_, request| {
            let template = unsigned(request, SIGNALS, "Acknowledgment", &receipt(request, &[]), &[]);
            // No charset, as another product has it.
            Some(with_body("200 OK", "text/xml", &signed(&base, &template, &[]).replace(from, to)))
        });
        let seen = lab(&[exchange("message", &peer.url(), &[])], folder.path()).run_on(0, |_| {});
        assert_eq!((seen.leg(0), seen.leg(1)), (Some(Outcome::Ok), Some(outcome)), "{seen:?}");
        if outcome == Outcome::Wrong {
            assert_eq!(seen.note, "`Acknowledgment`: the envelope is not what was signed");
        }
    }
}

#[test]
fn a_broken_algorithm_of_the_agreement_is_a_mistake_before_the_run() {
    let weak = "<tns:SenderNonRepudiation><tns:HashFunction>http://www.w3.org/2000/09/xmldsig#sha1</tns:HashFunction>\
                </tns:SenderNonRepudiation>";
    let folder = folder(&[SIGNED, ("SENDER", weak)], &[]);
    let settings = exchange("message", "http://127.0.0.1:9/", &[sign()]);
    let mistakes = mistakes(folder.path(), settings, contract::Table::default());
    let text = &mistakes[0].message;
    assert!(text.contains("xmldsig#sha1") && text.contains("SHA-256"), "{text}");
}
