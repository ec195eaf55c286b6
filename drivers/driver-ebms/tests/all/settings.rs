//! What the study says and what the agreements say of it: every mistake before the run, streams with identities of their
//! own, and what is exercised of the protocol.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::peer::{ACCEPTED, Message, nobody};
use crate::common::{Messages, RELIABLE, agreement, exchange, folder, lab, mistakes};
use contract::{Mistake, Node, Table};
use driver_ebms::EBMS;
use terms::Outcome;
use testkit::{Lab, Server, Surroundings, list, map, text};

/// The one mistake of an exchange under an agreement with these words.
fn mistake(words: &[(&str, &str)], operation: &str, more: &[(&str, Node)]) -> (&'static str, String) {
    let folder = folder(words);
    let mut found = mistakes(folder.path(), exchange(operation, &nobody(), more), Table::default());
    assert_eq!(found.len(), 1, "{found:?}");
    let Mistake { code, message, .. } = found.remove(0);
    (code, message)
}

#[test]
fn what_contradicts_the_agreement_is_a_mistake() {
    let with = |key, word: &str| [(key, text(word))];
    let never = RELIABLE.1.replace("\"always\"", "\"never\"");
    let signed = ("WANTS", "tns:isNonRepudiationRequired=\"true\"");
    let next = RELIABLE.1.replace("toPartyMSH", "nextMSH");
    for (words, more, code, part) in [
        (
            &[RELIABLE][..],
            &with("profile", "osb-be")[..],
            "ebms::against-agreement",
            "acknowledgments `always`, and the profile is `osb-be`",
        ),
        (
            &[("CHARACTERISTICS", never.as_str())],
            &with("profile", "osb-rm"),
            "ebms::against-agreement",
            "acknowledgments `never`, and the profile is `osb-rm`",
        ),
        (&[signed], &with("profile", "osb-be"), "ebms::against-agreement", "a signature for this action"),
        (&[], &with("profile", "osb-be-s"), "ebms::against-agreement", "no signature for this action"),
        (&[signed], &with("profile", "osb-be-s"), "ebms::no-key", "add `sign: { certificate, key }`"),
        (&[], &with("profile", "osb-rm-e"), "ebms::encrypted", "`osb-rm-e` is out of scope"),
        (&[("WANTS", "tns:isConfidential=\"persistent\"")], &[], "ebms::encrypted", "messages encrypted"),
        (&[("CHARACTERISTICS", next.as_str())], &[], "ebms::not-spoken", "nodes in between"),
        (&[], &with("profile", "osb-mr"), "study::unknown-word", "no profile `osb-mr`"),
        (&[], &with("action", "Confirm"), "ebms::action-not-agreed", "may not send action `Confirm`"),
        (&[], &with("service", "other"), "ebms::action-not-agreed", "of service `other`"),
        (&[], &with("reply", "Order"), "ebms::action-not-agreed", "`reply`: party `00000002` may not send"),
        (&[], &with("cpa", "urn:cpa:2"), "ebms::unknown-agreement", "no agreement `urn:cpa:2`"),
        (&[], &with("from", "00000003"), "ebms::not-a-party", "its parties are `00000001` and `00000002`"),
        (&[], &with("party", "00000001"), "ebms::not-a-party", "both `from` and `party`"),
        (&[("B_URL", "ftp://elsewhere")], &with("to", ""), "ebms::no-endpoint", "`ftp://elsewhere`"),
        (&[RELIABLE], &with("reply_at", ""), "ebms::reply-nowhere", "does not say where"),
        (&[], &with("reply_at", "gong"), "study::unknown-name", "listeners.gong.url"),
        (&[], &with("to", "http://u:p@host/"), "http::bad-url", "user name"),
        (&[], &with("agreements", "nowhere"), "ebms::bad-agreements", "cannot be read"),
        (&[], &with("agreements", "."), "ebms::bad-agreements", "holds no `*.xml`"),
        (&[], &with("conversaton", "x"), "study::unknown-key", "`conversaton`"),
        (&[("START", "2098-01-01T00:00:00Z")], &[], "ebms::agreement-out-of-time", "begins 2098-01-01T00:00:00Z"),
        (&[("B_URL", "$(serial)")], &[], "ebms::bad-agreement", "differs from exchange to exchange"),
        (&[("B_URL", "$(nobody.url)")], &[], "study::unknown-name", "nobody.url"),
        (&[("RETRIES", "many")], &[], "ebms::bad-agreement", "`Retries` of channel"),
    ] {
        let folder = folder(words);
        let found = mistakes(folder.path(), exchange("message", &nobody(), more), Table::default());
        let is_there = found.iter().any(|mistake| mistake.code == code && mistake.message.contains(part));
        assert!(is_there, "{code}, {part}: {found:?}");
    }
}

#[test]
fn a_payload_that_cannot_be_sent_is_a_mistake() {
    let part =
        |entries: &[(&str, &str)]| map(&entries.iter().map(|(key, word)| (*key, text(*word))).collect::<Vec<_>>());
    for (payload, found) in [
        (text("x"), "not a list"),
        (list(&[part(&[])]), "needs either `file` or `text`"),
        (list(&[part(&[("text", "a"), ("file", "b")])]), "needs either `file` or `text`"),
        (list(&[part(&[("file", "gone")])]), "`file` `gone`"),
        (
            list(&[part(&[("text", "a"), ("id", "x")]), part(&[("text", "b"), ("id", "x")])]),
            "two parts have the id `x`",
        ),
        (list(&[part(&[("text", "a"), ("id", "x>\r\ny")])]), "cannot stand in the head of a part"),
        (list(&[part(&[("text", "a"), ("type", "a\nb")])]), "cannot stand in the head of a part"),
        (list(&[part(&[("text", "--loadproof-000000000000feed")])]), "which ends a part"),
        (list(&vec![part(&[("text", "a")]); 100]), "has 100 parts"),
    ] {
        let (_, message) = mistake(&[], "message", &[("payload", payload)]);
        assert!(message.contains(found), "{message}");
    }
}

#[test]
fn keys_that_do_not_fit_are_mistakes() {
    let sign = |key: &str| [("sign", map(&[("certificate", text("cpas/1.xml")), ("key", text(key))]))];
    let found = mistakes(folder(&[]).path(), exchange("message", &nobody(), &sign("gone")), Table::default());
    let codes: Vec<_> = found.iter().map(|mistake| mistake.code).collect();
    assert_eq!(codes, ["http::bad-ca", "http::bad-key"], "{found:?}");
}

/// A key of the curve P-256 with its certificate, and another such pair.
fn two_pairs(folder: &std::path::Path) -> [rcgen::Certificate; 2] {
    ["one", "other"].map(|name| {
        let made = rcgen::generate_simple_self_signed(vec!["lab.test".to_owned()]).unwrap();
        std::fs::write(folder.join(format!("{name}.pem")), made.cert.pem()).unwrap();
        std::fs::write(folder.join(format!("{name}.key.pem")), made.signing_key.serialize_pem()).unwrap();
        made.cert
    })
}

#[test]
fn a_certificate_and_a_key_that_do_not_belong_together_are_a_mistake() {
    let folder = folder(&[]);
    two_pairs(folder.path());
    let with = |certificate: &str, key: &str| {
        let sign = [("sign", map(&[("certificate", text(certificate)), ("key", text(key))]))];
        mistakes(folder.path(), exchange("message", &nobody(), &sign), Table::default())
    };
    let found = with("one.pem", "other.key.pem");
    assert!(found.iter().any(|it| it.code == "ebms::bad-key" && it.message.contains("does not belong")), "{found:?}");
    let rsa = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/keys/rsa.key.pem");
    std::fs::copy(rsa, folder.path().join("rsa.key.pem")).unwrap();
    let found = with("one.pem", "rsa.key.pem");
    assert!(found.iter().any(|it| it.code == "ebms::bad-key" && it.message.contains("does not belong")), "{found:?}");
}

#[test]
fn a_certificate_that_the_agreement_does_not_name_is_a_mistake() {
    let folder = folder(&[]);
    let [one, other] = two_pairs(folder.path());
    let sign = [("sign", map(&[("certificate", text("one.pem")), ("key", text("one.key.pem"))]))];
    // The agreement of this party, with that certificate.
    let naming = |certificate: &rcgen::Certificate| {
        let base64: String = certificate.pem().lines().filter(|line| !line.starts_with('-')).collect();
        let named = format!(
            "<tns:Certificate tns:certId=\"A_cert\"><KeyInfo xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><X509Data>\
             <X509Certificate>{base64}</X509Certificate></X509Data></KeyInfo></tns:Certificate><tns:DeliveryChannel \
             tns:channelId=\"A"
        );
        let sender = "<tns:SenderNonRepudiation>\
                      <tns:HashFunction>http://www.w3.org/2001/04/xmlenc#sha256</tns:HashFunction><tns:SignatureAlgorithm \
                      tns:w3c=\"http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256\">ECDSA</tns:SignatureAlgorithm>\
                      <tns:SigningCertificateRef tns:certId=\"A_cert\"/></tns:SenderNonRepudiation>";
        let words = [("WANTS", "tns:isNonRepudiationRequired=\"true\""), ("SENDER", sender)];
        let file = agreement(&words).replacen("<tns:DeliveryChannel tns:channelId=\"A", &named, 1);
        assert!(file.contains("A_cert"), "{file}");
        std::fs::write(folder.path().join("cpas/1.xml"), file).unwrap();
        mistakes(folder.path(), exchange("message", &nobody(), &sign), Table::default())
    };
    let found = naming(&one);
    assert!(found.is_empty(), "{found:?}");
    let found = naming(&other);
    assert!(found.iter().any(|it| it.code == "ebms::other-certificate"), "{found:?}");
}

/// Two streams: rows of `$(cpas.…)`, with an agreement and parties each.
fn streams(second: &str) -> (tempfile::TempDir, Table, [(&'static str, Node); 4]) {
    let folder = folder(&[]);
    let other = agreement(&[("ID", "urn:cpa:2"), ("A", "00000011"), ("B", "00000012")]);
    std::fs::write(folder.path().join("cpas/2.xml"), other).unwrap();
    let mut table = Table::new("cpas", ["cpa", "from", "to"].map(str::to_owned).to_vec());
    for row in [["urn:cpa:1", "00000001", "00000002"], ["urn:cpa:2", second, "00000012"]] {
        table.push(row.iter().map(|cell| cell.as_bytes()));
    }
    let slots = [("cpa", "$(cpas.cpa)"), ("from", "$(cpas.from)"), ("party", "$(cpas.to)"), ("reply_at", "pong")];
    (folder, table, slots.map(|(key, word)| (key, text(word))))
}

#[test]
fn each_stream_is_a_party_with_an_agreement_and_a_conversation_of_its_own() {
    let peer = Server::answering(ACCEPTED);
    let (folder, table, slots) = streams("00000011");
    let mut lab = Lab::with(
        EBMS,
        &[exchange("ping", &peer.url(), &slots)],
        Surroundings { table, ..Surroundings::at(folder.path()) },
    );
    let mut seen = Vec::new();
    for stream in [0, 1, 0] {
        lab.stream = stream;
        lab.carry_out(0);
        let request = peer.request();
        let body = String::from_utf8_lossy(&request.body).into_owned();
        assert_eq!(body.contains(">00000011<"), stream == 1, "{body}");
        let right = request.signal("Pong");
        let right =
            if stream == 1 { right.replace("00000001<", "00000011<").replace("00000002", "00000012") } else { right };
        // The other stream's reply to this message would be wrong.
        lab.arrive(right.as_bytes());
        seen.push((request.element("CPAId"), request.element("ConversationId"), request.id()));
    }
    let books = lab.seen();
    assert_eq!(books.legs, [(0, Outcome::Ok, 3), (1, Outcome::Ok, 3)], "{books:?}");
    assert_eq!((seen[0].0.as_str(), seen[1].0.as_str()), ("urn:cpa:1", "urn:cpa:2"));
    assert_eq!((&seen[0].0, &seen[0].1), (&seen[2].0, &seen[2].1), "a stream keeps its conversation");
    assert_ne!(seen[0].1, seen[1].1);
    assert!(seen[0].2 != seen[1].2 && seen[0].2 != seen[2].2);
}

#[test]
fn every_row_of_a_data_set_is_checked_beforehand() {
    let (folder, table, slots) = streams("00000012");
    let found = mistakes(folder.path(), exchange("ping", &nobody(), &slots), table);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].code, found[0].message.as_str()),
        ("ebms::not-a-party", "row 2: `00000012` is both `from` and `party`")
    );
}

#[test]
fn a_row_that_nobody_could_check_is_told_when_it_comes() {
    let (peer, folder) = (Server::answering(ACCEPTED), folder(&[]));
    let mut lab = lab(&[exchange("ping", &peer.url(), &[("cpa", text("$(token)"))])], folder.path());
    lab.recorder.capture(0, Some(b"urn:cpa:9"));
    lab.carry_out(0);
    let seen = lab.seen();
    assert_eq!((seen.leg(0), seen.note.as_str()), (Some(Outcome::BadStudy), "there is no agreement `urn:cpa:9`"));
}

#[test]
fn the_driver_says_what_is_exercised_and_what_not() {
    let folder = folder(&[RELIABLE]);
    let payload = list(&[map(&[("text", text("a"))])]);
    let both = [exchange("ping", &nobody(), &[]), exchange("message", &nobody(), &[("payload", payload)])];
    let features = lab(&both, folder.path()).features();
    let of = |exchange, name: &str| {
        features
            .iter()
            .find(|it| it.exchange == exchange && it.name == name)
            .unwrap_or_else(|| panic!("{name}"))
            .is_exercised
    };
    for name in ["payload", "acknowledgment", "duplicate elimination", "resends", "business message"] {
        assert_eq!((of(0, name), of(1, name)), (false, true), "{name}");
    }
    assert_eq!((of(0, "Ping"), of(1, "Ping")), (true, false));
    for name in ["agreement", "reply on another connection"] {
        assert_eq!((of(0, name), of(1, name)), (true, true), "{name}");
    }
    for name in
        ["signature", "two-way TLS", "synchronous reply", "business reply", "encryption", "message order", "multi-hop"]
    {
        assert_eq!((of(0, name), of(1, name)), (false, false), "{name}");
    }
    // A leg that nothing is waited for: the message asks for an acknowledgment, and for no business reply.
    let legs: Vec<_> = features.iter().filter_map(|it| Some((it.exchange, it.leg?, it.is_exercised))).collect();
    assert_eq!(legs, [(1, 1, true), (1, 2, false)]);
}
