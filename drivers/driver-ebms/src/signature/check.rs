//! Signatures of what came.
//!
//! Trusted is the certificate that the agreement names for the sender. Where it names none, the one that the message
//! carries tells only that nothing was changed on the way, not who signed. Chains and revocation are not looked at: the
//! agreement is the trust.

use super::algorithm::{Family, Hash, method_of};
use super::covered::{Covered, canonical};
use super::nodes::{algorithm, children, need};
use crate::agreement::Signing;
use crate::envelope::{DS, SOAP};
use crate::mime::BodyPart;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bergshamra_c14n::canonicalize_doc;
use bergshamra_xml::NodeSet;
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm};
use uppsala::{Document, NodeId};
use webpki::ring::{
    ECDSA_P256_SHA256, ECDSA_P256_SHA384, ECDSA_P384_SHA256, ECDSA_P384_SHA384, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512,
};

/// References of one signature: a message has at most a hundred parts.
const REFERENCES_MAX: usize = 200;

/// Whether an envelope is signed, by the sender whom the agreement names, over all of it and over these parts. It must
/// have been read as a document before, since its bounds are not looked at again.
///
/// # Errors
/// What is wrong with it: one sentence.
pub(crate) fn check(envelope: &[u8], parts: &[BodyPart<'_>], needed: &[String], by: &Signing) -> Result<(), String> {
    let text = std::str::from_utf8(envelope).map_err(|_| "it is not UTF-8")?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let doc = uppsala::parse(text).map_err(|error| format!("its signature cannot be looked at: {error}"))?;
    let signature = signature_of(&doc).ok_or("it is not signed, and should be")?;
    let info = need(&doc, signature, "SignedInfo")?;
    let certificate = match &by.certificate {
        Some(agreed) => agreed.clone(),
        None => carried(&doc, signature)?,
    };
    whole(&doc, signature, info, &certificate, by)?;
    let covered = Covered { doc: &doc, signature, parts };
    let mut uris = Vec::new();
    for reference in children(&doc, info, "Reference") {
        if uris.len() >= REFERENCES_MAX {
            return Err(format!("its signature has more than {REFERENCES_MAX} references"));
        }
        uris.push(one(&covered, reference, by)?);
    }
    let missing = [String::new()].iter().chain(needed).find(|uri| !uris.contains(uri)).cloned();
    match missing {
        None => Ok(()),
        Some(uri) if uri.is_empty() => Err("its signature does not cover the envelope".to_owned()),
        Some(uri) => Err(format!("its signature does not cover `{uri}`")),
    }
}

/// The signature of the message itself: in the SOAP header, where there may be others behind it.
fn signature_of(doc: &Document<'_>) -> Option<NodeId> {
    let header = doc.first_child_element_by_name_ns(doc.document_element()?, SOAP, "Header")?;
    doc.first_child_element_by_name_ns(header, DS, "Signature")
}

/// The value over `SignedInfo`.
fn whole(doc: &Document<'_>, signature: NodeId, info: NodeId, certificate: &[u8], by: &Signing) -> Result<(), String> {
    let method = algorithm(doc, need(doc, info, "SignatureMethod")?);
    if by.method.as_deref().is_some_and(|agreed| agreed != method) {
        return Err(format!(
            "it is signed with `{method}`, and the agreement has `{}`",
            by.method.as_deref().unwrap_or("")
        ));
    }
    let (family, hash) =
        method_of(method).ok_or_else(|| format!("it is signed with `{method}`, which is not accepted"))?;
    let (mode, prefixes) = canonical(doc, need(doc, info, "CanonicalizationMethod")?)?;
    let nodes = match mode.with_comments() {
        true => NodeSet::tree_with_comments(info, doc),
        false => NodeSet::tree_without_comments(info, doc),
    };
    let signed = canonicalize_doc(doc, mode, Some(&nodes), &prefixes)
        .map_err(|error| format!("its signature has no canonical form: {error}"))?;
    let value = bytes(&doc.text_content_deep(need(doc, signature, "SignatureValue")?))?;
    let certificate = CertificateDer::from(certificate);
    let owner = webpki::EndEntityCert::try_from(&certificate)
        .map_err(|error| format!("the sender's certificate cannot be read: {error}"))?;
    let value = if family == Family::Rsa { value } else { as_der(&value)? };
    let possible = possible(family, hash);
    let is_right = possible.iter().any(|algorithm| owner.verify_signature(*algorithm, &signed, &value).is_ok());
    if is_right { Ok(()) } else { Err("its signature is not the sender's, or what is signed was changed".to_owned()) }
}

/// What verifies it, with the curve still open.
fn possible(family: Family, hash: Hash) -> Vec<&'static dyn SignatureVerificationAlgorithm> {
    match (family, hash) {
        (Family::Rsa, Hash::Sha256) => vec![RSA_PKCS1_2048_8192_SHA256],
        (Family::Rsa, Hash::Sha384) => vec![RSA_PKCS1_2048_8192_SHA384],
        (Family::Rsa, Hash::Sha512) => vec![RSA_PKCS1_2048_8192_SHA512],
        (Family::Ecdsa, Hash::Sha256) => vec![ECDSA_P256_SHA256, ECDSA_P384_SHA256],
        (Family::Ecdsa, Hash::Sha384) => vec![ECDSA_P384_SHA384, ECDSA_P256_SHA384],
        (Family::Ecdsa, Hash::Sha512) => Vec::new(),
    }
}

/// XML signatures have both numbers side by side (RFC 6931, section 2.3.6), certificates' algorithms have them in DER.
fn as_der(value: &[u8]) -> Result<Vec<u8>, String> {
    if value.is_empty() || !value.len().is_multiple_of(2) || value.len() > 96 {
        return Err("its signature has a length that no ECDSA signature has".to_owned());
    }
    let mut der = Vec::new();
    for number in [&value[..value.len() / 2], &value[value.len() / 2..]] {
        let zeros = number.iter().take_while(|byte| **byte == 0).count().min(number.len() - 1);
        let number = &number[zeros..];
        // A set highest bit would make it negative.
        let pad: &[u8] = if number[0] >= 0x80 { &[0] } else { &[] };
        der.extend_from_slice(&[0x02, (pad.len() + number.len()) as u8]);
        der.extend_from_slice(pad);
        der.extend_from_slice(number);
    }
    Ok([&[0x30, der.len() as u8], der.as_slice()].concat())
}

/// The certificate in the message itself.
fn carried(doc: &Document<'_>, signature: NodeId) -> Result<Vec<u8>, String> {
    let key_info = need(doc, signature, "KeyInfo")?;
    let data = need(doc, key_info, "X509Data").and_then(|data| need(doc, data, "X509Certificate"));
    let none = "neither the agreement nor the signature has the sender's certificate";
    bytes(&doc.text_content_deep(data.map_err(|_| none)?))
}

/// One reference: the digest of what it names. Returns its URI.
fn one(covered: &Covered<'_, '_>, reference: NodeId, by: &Signing) -> Result<String, String> {
    let doc = covered.doc;
    let uri = doc.get_attribute(reference, "URI").ok_or("a reference of its signature names nothing")?;
    let method = algorithm(doc, need(doc, reference, "DigestMethod")?);
    if by.hash.as_deref().is_some_and(|agreed| agreed != method) {
        return Err(format!(
            "it has digests made with `{method}`, and the agreement has `{}`",
            by.hash.as_deref().unwrap_or("")
        ));
    }
    let hash = Hash::of(method).ok_or_else(|| format!("it has digests made with `{method}`, which is not accepted"))?;
    let expected = bytes(&doc.text_content_deep(need(doc, reference, "DigestValue")?))?;
    let content = covered.content(uri, reference)?;
    if hash.digest(&content).as_ref() == expected {
        return Ok(uri.to_owned());
    }
    let what = if uri.is_empty() { "the envelope".to_owned() } else { format!("`{uri}`") };
    Err(format!("{what} is not what was signed"))
}

/// Base64 with white space in it, as signatures have it: also what other implementations write as `&#13;`.
fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let packed: String = text.split_ascii_whitespace().collect();
    STANDARD.decode(packed).map_err(|_| "a value of its signature is not base64".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_numbers_become_der() {
        // Leading zeros go, a set highest bit gets one (X.690, section 8.3).
        let mut value = [0u8; 64];
        (value[30], value[31], value[32]) = (0x01, 0x02, 0x80);
        let der = as_der(&value).unwrap();
        assert_eq!(der[..7], [0x30, 39, 0x02, 2, 0x01, 0x02, 0x02]);
        assert_eq!((der[7], der[8], der[9], der.len()), (33, 0, 0x80, 41));
        assert_eq!(as_der(&[0; 64]).unwrap(), [0x30, 6, 2, 1, 0, 2, 1, 0]);
        assert!(as_der(&[]).is_err() && as_der(&[1; 3]).is_err() && as_der(&[1; 98]).is_err());
    }

    #[test]
    fn base64_may_have_any_white_space_in_it() {
        assert_eq!(bytes("\n aGVs\r\nbG8=\t").unwrap(), b"hello");
        assert!(bytes("a?").is_err());
    }
}
