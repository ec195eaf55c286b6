//! What is signed here is found right here, and nothing else is. A second implementation looks at both in `tests/`.

use super::*;
use crate::agreement::Signing;
use crate::mime::BodyPart;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::{BuildContext, Mistakes, Node, Place, Shape};
use proptest::prelude::*;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, SignatureAlgorithm};
use std::borrow::Cow;
use std::path::Path;
use testkit::NoNames;

const RSA: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha";

/// A signer with these files, as a study gives them.
fn signer(folder: &Path, certificate: &str, key: &str) -> Signer {
    let word = |word: &str| Node::text_at(Place::default(), word);
    let entries = vec![(word("certificate"), word(certificate)), (word("key"), word(key))];
    let mut mistakes = Mistakes::default();
    let context = BuildContext::new(&NoNames, folder);
    Signer::read(&Node { place: Place::default(), shape: Shape::Map(entries) }, &context, &mut mistakes).unwrap()
}

fn of_rsa() -> Signer {
    signer(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/keys"), "rsa.pem", "rsa.key.pem")
}

fn of_curve(curve: &'static SignatureAlgorithm) -> Signer {
    let folder = tempfile::tempdir().unwrap();
    let key = KeyPair::generate_for(curve).unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["lab.test".to_owned()]).unwrap().self_signed(&key).unwrap();
    std::fs::write(folder.path().join("ec.pem"), certificate.pem()).unwrap();
    std::fs::write(folder.path().join("ec.key.pem"), key.serialize_pem()).unwrap();
    signer(folder.path(), "ec.pem", "ec.key.pem")
}

fn named(hash: &str, method: String) -> Signing {
    Signing { hash: Some(hash.into()), method: Some(method), certificate: None }
}

const HEAD: &str = "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\" \
                    xmlns:eb=\"http://www.oasis-open.org/committees/ebxml-msg/schema/msg-header-2_0.xsd\" \
                    xmlns:xlink=\"http://www.w3.org/1999/xlink\"><soap:Header>\n  <eb:x>é &amp; ü</eb:x>";
const TAIL: &str = "</soap:Header><soap:Body/></soap:Envelope>";
/// What is meant for the next node, which no signature covers.
const NEXT_ONLY: &str =
    "<eb:SyncReply soap:actor=\"http://schemas.xmlsoap.org/soap/actor/next\"><eb:in/></eb:SyncReply>";

/// An envelope signed by these algorithms, over one part.
fn signed(signer: &Signer, by: &Signing) -> String {
    let plain = format!("{HEAD}{TAIL}");
    let algorithms = signer.algorithms(by).unwrap();
    let signature = signer.sign(algorithms, plain.as_bytes(), [("p@x", b"part".as_slice())].into_iter()).unwrap();
    format!("{HEAD}{NEXT_ONLY}{}{TAIL}", String::from_utf8(signature).unwrap())
}

fn found(envelope: &str, part: &[u8], by: &Signing) -> Result<(), String> {
    let parts = [BodyPart { id: b"<p@x>", content: Cow::Borrowed(part) }];
    check(envelope.as_bytes(), &parts, &["cid:p@x".to_owned()], by)
}

#[test]
fn every_kind_of_key_and_digest_is_found_right() {
    for (hash, bits) in [("xmlenc#sha256", 512), ("xmldsig-more#sha384", 256), ("xmlenc#sha512", 384)] {
        let by = named(&format!("http://www.w3.org/2001/04/{hash}"), format!("{RSA}{bits}"));
        assert_eq!(found(&signed(&of_rsa(), &by), b"part", &by), Ok(()), "{by:?}");
    }
    for curve in [&PKCS_ECDSA_P256_SHA256, &PKCS_ECDSA_P384_SHA384] {
        let signer = of_curve(curve);
        for _ in 0..8 {
            // Numbers of a signature differ in their leading zeros from time to time.
            assert_eq!(found(&signed(&signer, &Signing::default()), b"part", &Signing::default()), Ok(()));
        }
    }
}

#[test]
fn whatever_is_changed_is_told() {
    let by = named("http://www.w3.org/2001/04/xmlenc#sha256", format!("{RSA}256"));
    let envelope = signed(&of_rsa(), &by);
    assert_eq!(found(&envelope, b"part", &by), Ok(()));
    assert_eq!(found(&envelope, b"other", &by), Err("`cid:p@x` is not what was signed".into()));
    for (from, to, part) in [
        ("é", "e", "the envelope is not what was signed"),
        ("<soap:Body/>", "<soap:Body><a/></soap:Body>", "the envelope is not what was signed"),
        ("cid:p@x", "cid:q@x", "its signature is not the sender's"),
        ("<ds:SignatureValue>", "<ds:SignatureValue>AAAA", "its signature is not the sender's"),
        ("<ds:Signature ", "<ds:Other ", "it is not signed"),
        ("<soap:Header>", "<soap:Header><!DOCTYPE a>", "its signature cannot be looked at"),
        (
            "#rsa-sha256",
            "#rsa-sha1",
            "is signed with `http://www.w3.org/2001/04/xmldsig-more#rsa-sha1`, and the agreement",
        ),
        ("<ds:DigestValue>", "<ds:DigestValue>?", "its signature is not the sender's"),
        ("<ds:KeyInfo>", "<ds:KeyInfo/><ds:KeyInfo>", "neither the agreement nor the signature has"),
    ] {
        let mut changed = envelope.replacen(from, to, 1);
        if from == "<ds:Signature " {
            changed = changed.replace("</ds:Signature>", "</ds:Other>");
        }
        let why = found(&changed, b"part", &by).unwrap_err();
        assert!(why.contains(part), "{from}: {why}");
    }
    // What a node on the way changes for the next one is not covered.
    assert_eq!(found(&envelope.replace("<eb:in/>", ""), b"part", &by), Ok(()));
    let parts = [BodyPart { id: b"q", content: Cow::Borrowed(b"part".as_slice()) }];
    let why = check(envelope.as_bytes(), &parts, &[], &by).unwrap_err();
    assert_eq!(why, "its signature covers `cid:p@x`, and there is no such part");
    let why = check(
        envelope.as_bytes(),
        &[BodyPart { id: b"p@x", content: Cow::Borrowed(b"part".as_slice()) }],
        &["cid:more".to_owned()],
        &by,
    );
    assert_eq!(why, Err("its signature does not cover `cid:more`".into()));
}

#[test]
fn the_sender_is_whom_the_agreement_names() {
    let by = Signing::default();
    let envelope = signed(&of_rsa(), &by);
    let begin = envelope.find("<ds:X509Certificate>").unwrap() + "<ds:X509Certificate>".len();
    let end = envelope.find("</ds:X509Certificate>").unwrap();
    let own = STANDARD.decode(&envelope[begin..end]).unwrap();
    assert_eq!(found(&envelope, b"part", &Signing { certificate: Some(own), ..by.clone() }), Ok(()));
    let other = signed(&of_curve(&PKCS_ECDSA_P256_SHA256), &by);
    let begin = other.find("<ds:X509Certificate>").unwrap() + "<ds:X509Certificate>".len();
    let end = other.find("</ds:X509Certificate>").unwrap();
    let other = STANDARD.decode(&other[begin..end]).unwrap();
    let why = found(&envelope, b"part", &Signing { certificate: Some(other), ..by.clone() }).unwrap_err();
    assert!(why.contains("is not the sender's"), "{why}");
    let why = found(&envelope, b"part", &Signing { certificate: Some(b"no DER".to_vec()), ..by }).unwrap_err();
    assert!(why.contains("certificate cannot be read"), "{why}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_change_of_what_is_signed_is_found(at in 0usize..4000, with in "[a-z<&]") {
        thread_local! {
            static SIGNED: String = signed(&of_rsa(), &Signing::default());
        }
        SIGNED.with(|envelope| {
            let (begin, end) = (envelope.find("<eb:SyncReply").unwrap(), envelope.find("</ds:SignedInfo>").unwrap());
            let at = at % end;
            // Text straight within `Signature` is signed by nobody: the element itself is left out of what is signed.
            let beside = envelope.find("<ds:SignedInfo").unwrap();
            let is_left_out = (begin..begin + NEXT_ONLY.len()).contains(&at) || at == beside;
            if !envelope.is_char_boundary(at) || is_left_out {
                return Ok(());
            }
            let mut changed = envelope.clone();
            changed.insert_str(at, &with);
            prop_assert!(found(&changed, b"part", &Signing::default()).is_err(), "{}", changed);
            Ok(())
        })?;
    }
}
