//! Whether an assertion is the issuer's, unchanged, and valid now.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use system_common::xml::Element;
use terms::Nanos;
use webpki::EndEntityCert;
use webpki::ring::RSA_PKCS1_2048_8192_SHA256;

use super::{CANONICAL, Certificate, ENVELOPED, RSA_SHA256, SHA256, sha256};
use crate::soap::{DS, Fault, SAML, read_moment};

/// How much is asked of an assertion.
#[derive(Clone)]
pub(crate) enum Trust {
    /// It is signed by this one.
    Signed(Certificate),
    /// Whatever it says is taken.
    Any,
}

/// Who looks at assertions.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) trust: Trust,
}

/// Start of the signed part as it is written in an assertion; alone it declares its namespace.
const SIGNED_INFO: &str = "<ds:SignedInfo>";

impl Guard {
    /// Checks the one assertion in the header of WS-Security: its form, its signature, its time, in this order.
    /// `document` is what the header was read from.
    ///
    /// # Errors
    /// The fault to answer with.
    pub(crate) fn check(&self, document: &[u8], security: &Element, now: Nanos) -> Result<(), Fault> {
        let mut all = security.all(SAML, "Assertion");
        let assertion = match (all.next(), all.next()) {
            (Some(one), None) => one,
            (None, _) => return Err(Fault::missing("there is no `saml:Assertion` in `wsse:Security`")),
            (Some(_), Some(_)) => return Err(Fault::token("there is more than one `saml:Assertion`")),
        };
        if assertion.attribute("", "Version") != Some("2.0") {
            return Err(Fault::token("the assertion is not one of SAML 2.0"));
        }
        let conditions = assertion.child(SAML, "Conditions");
        let moment = |name: &str| {
            let text = conditions.and_then(|conditions| conditions.attribute("", name)).unwrap_or_default();
            read_moment(text).ok_or_else(|| Fault::token(format!("`{name}` of the assertion is not a moment")))
        };
        let (from, until) = (moment("NotBefore")?, moment("NotOnOrAfter")?);
        if let Trust::Signed(certificate) = &self.trust {
            verify(document, assertion, certificate)?;
        }
        if now + crate::soap::SKEW < from {
            return Err(Fault::expired("the assertion is not valid yet"));
        }
        if now >= until {
            return Err(Fault::expired("the assertion has expired"));
        }
        Ok(())
    }
}

/// An enveloped signature over the assertion, whose text is taken to be in canonical form: if it is not, the digest of the
/// issuer, who signed that form, is another one.
fn verify(document: &[u8], assertion: &Element, certificate: &Certificate) -> Result<(), Fault> {
    let wrong = |what: &str| Fault::signature(format!("the signature of the assertion is wrong: {what}"));
    let mut all = assertion.all(DS, "Signature");
    let signature = match (all.next(), all.next()) {
        (Some(one), None) => one,
        (None, _) => return Err(Fault::signature("the assertion is not signed")),
        (Some(_), Some(_)) => return Err(wrong("there is more than one")),
    };
    let info = signature.child(DS, "SignedInfo").ok_or_else(|| wrong("nothing is signed"))?;
    let references: Vec<&Element> = info.all(DS, "Reference").collect();
    let &[reference] = references.as_slice() else { return Err(wrong("it is not over exactly one thing")) };
    let id = assertion.attribute("", "ID").unwrap_or_default();
    let is_over_this =
        !id.is_empty() && reference.attribute("", "URI").and_then(|uri| uri.strip_prefix('#')) == Some(id);
    if !is_over_this {
        return Err(wrong("it is over something else"));
    }
    let named =
        |of: &Element, name: &str| of.child(DS, name).and_then(|one| one.attribute("", "Algorithm")).map(str::to_owned);
    let transforms = reference.child(DS, "Transforms");
    let transforms: Vec<&str> = transforms
        .into_iter()
        .flat_map(|all| all.all(DS, "Transform"))
        .map(|one| one.attribute("", "Algorithm").unwrap_or_default())
        .collect();
    let is_known = named(info, "CanonicalizationMethod").as_deref() == Some(CANONICAL)
        && named(info, "SignatureMethod").as_deref() == Some(RSA_SHA256)
        && named(reference, "DigestMethod").as_deref() == Some(SHA256)
        && transforms == [ENVELOPED, CANONICAL];
    if !is_known {
        return Err(wrong("its algorithms are not those that are taken here"));
    }
    let (whole, own) = (assertion.span.clone(), signature.span.clone());
    let text = |span: std::ops::Range<usize>| document.get(span).unwrap_or_default();
    let digest = sha256(&[text(whole.start..own.start), text(own.end..whole.end)]);
    let decoded = |of: &Element, name: &str| {
        of.child(DS, name).and_then(|value| STANDARD.decode(value.text()).ok()).unwrap_or_default()
    };
    if decoded(reference, "DigestValue") != digest.as_ref() {
        return Err(wrong("the assertion was changed, or written anew"));
    }
    let info = text(info.span.clone());
    let info = info.strip_prefix(SIGNED_INFO.as_bytes()).ok_or_else(|| wrong("it is not in canonical form"))?;
    let signed = [format!("<ds:SignedInfo xmlns:ds=\"{DS}\">").as_bytes(), info].concat();
    let issuer = EndEntityCert::try_from(&*certificate.0).map_err(|_| wrong("the certificate cannot be read"))?;
    issuer
        .verify_signature(RSA_PKCS1_2048_8192_SHA256, &signed, &decoded(signature, "SignatureValue"))
        .map_err(|_| wrong("it was made by another key, or what is signed was changed"))
}

#[cfg(test)]
mod tests {
    use super::super::{Claim, certificate, issue, key};
    use super::*;
    use crate::soap::{Envelope, SOAP, WSSE};

    fn issued() -> String {
        let claim = Claim {
            id: "_1",
            subject: "lab",
            cvr: "12345678",
            from: Nanos::from_secs(1_000_000),
            until: Nanos::from_secs(1_003_600),
        };
        issue(&claim, &key(None).unwrap()).unwrap()
    }

    fn check(assertion: &str, trust: Trust, now_s: i64) -> Result<(), Fault> {
        let text = format!(
            "<s:Envelope xmlns:s=\"{SOAP}\"><s:Header><w:Security xmlns:w=\"{WSSE}\">{assertion}</w:Security></s:Header>\
             <s:Body/></s:Envelope>"
        );
        let envelope = Envelope::read(text.as_bytes())?;
        Guard { trust }.check(text.as_bytes(), envelope.security()?, Nanos::from_secs(now_s))
    }

    fn signed() -> Trust {
        Trust::Signed(certificate(None).unwrap())
    }

    #[test]
    fn what_was_issued_is_taken_until_it_expires() {
        let assertion = issued();
        assert_eq!(check(&assertion, signed(), 1_000_000), Ok(()));
        assert_eq!(check(&assertion, signed(), 1_003_599), Ok(()));
        let late = check(&assertion, signed(), 1_003_600).unwrap_err();
        assert_eq!((late.code, late.medcom), ("wsse:FailedAuthentication", "expired_idcard"));
        assert_eq!(check(&assertion, signed(), 999_900).unwrap_err().medcom, "expired_idcard");
    }

    #[test]
    fn no_changed_byte_is_taken() {
        let assertion = issued();
        for place in 0..assertion.len() {
            let mut bytes = assertion.clone().into_bytes();
            bytes[place] = if bytes[place] == b'x' { b'y' } else { b'x' };
            let changed = String::from_utf8(bytes).unwrap();
            assert!(check(&changed, signed(), 1_000_000).is_err(), "{place}: {changed}");
        }
    }

    #[test]
    fn what_is_not_the_issuers_is_told_apart() {
        let assertion = issued();
        let wrong = |text: &str| check(text, signed(), 1_000_000).unwrap_err();
        let start = assertion.find("<ds:Signature").unwrap();
        let end = assertion.find("</ds:Signature>").unwrap() + "</ds:Signature>".len();
        let bare = format!("{}{}", &assertion[..start], &assertion[end..]);
        assert_eq!(wrong(&bare), Fault::signature("the assertion is not signed"));
        assert_eq!(check(&bare, Trust::Any, 1_000_000), Ok(()), "by switch it need not be");
        let richer = assertion.replace(">12345678<", ">87654321<");
        assert!(wrong(&richer).text.contains("was changed"), "{:?}", wrong(&richer));
        assert_eq!((wrong(&richer).code, wrong(&richer).medcom), ("wsse:FailedCheck", "invalid_signature"));
        let other_id = assertion.replace("ID=\"_1\"", "ID=\"_2\"");
        assert!(wrong(&other_id).text.contains("over something else"));
        // A digest that fits, under a signature that does not.
        let digest = |text: &str| {
            let cut =
                [&text[..text.find("<ds:Signature").unwrap()], &text[text.find("</ds:Signature>").unwrap() + 15..]];
            STANDARD.encode(sha256(&[cut[0].as_bytes(), cut[1].as_bytes()]))
        };
        let forged = richer.replace(&digest(&assertion), &digest(&richer));
        assert!(wrong(&forged).text.contains("another key"), "{:?}", wrong(&forged));
        assert_eq!(wrong("").code, "wsse:InvalidSecurity");
        let two = format!("{assertion}{assertion}");
        assert_eq!(wrong(&two).code, "wsse:InvalidSecurityToken");
        assert_eq!(wrong(&assertion.replace("\"2.0\"", "\"1.1\"")).medcom, "invalid_idcard");
    }

    #[test]
    fn another_verifier_takes_what_is_issued() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("issued.xml"), issued()).unwrap();
        std::fs::write(path("issuer.pem"), include_bytes!("../../keys/lab-certificate.pem")).unwrap();
        let verify = |name: &str| {
            let mut command = std::process::Command::new("xmlsec1");
            command.args([
                "--verify",
                "--id-attr:ID",
                "urn:oasis:names:tc:SAML:2.0:assertion:Assertion",
                "--pubkey-cert-pem",
            ]);
            let output = command.arg(path("issuer.pem")).arg(path(name)).output();
            output.expect("xmlsec1 is not installed; type `make parts`").status.success()
        };
        assert!(verify("issued.xml"));
        std::fs::write(path("changed.xml"), issued().replace(">lab<", ">lob<")).unwrap();
        assert!(!verify("changed.xml"));
    }
}
