//! Writes and signs an assertion.

use anyhow::{Result, anyhow};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use terms::{Nanos, iso};

use super::{CANONICAL, ENVELOPED, ISSUER, RSA_SHA256, SHA256, sha256};
use crate::soap::{DS, SAML};

/// What an assertion claims.
#[derive(Clone, Debug)]
pub(crate) struct Claim<'a> {
    /// Id of the assertion: a letter or `_` first, then letters, digits, `-`.
    pub(crate) id: &'a str,
    /// Who is asking: letters, digits and what needs no escaping.
    pub(crate) subject: &'a str,
    /// Number of the organisation.
    pub(crate) cvr: &'a str,
    pub(crate) from: Nanos,
    /// Not valid from then on.
    pub(crate) until: Nanos,
}

/// An assertion of SAML 2.0 with its signature within, in canonical form. Takes a millisecond.
///
/// # Errors
/// The key cannot sign.
pub(crate) fn issue(claim: &Claim<'_>, key: &RsaKeyPair) -> Result<String> {
    let Claim { id, subject, cvr, from, until } = claim;
    let (from, until) = (iso::millis(*from), iso::millis(*until));
    let head = format!(
        "<saml:Assertion xmlns:saml=\"{SAML}\" ID=\"{id}\" IssueInstant=\"{from}\" Version=\"2.0\">\
         <saml:Issuer>{ISSUER}</saml:Issuer>"
    );
    let rest = format!(
        "<saml:Subject><saml:NameID>{subject}</saml:NameID><saml:SubjectConfirmation \
         Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer\"></saml:SubjectConfirmation></saml:Subject>\
         <saml:Conditions NotBefore=\"{from}\" NotOnOrAfter=\"{until}\"></saml:Conditions><saml:AttributeStatement>\
         <saml:Attribute Name=\"dk:gov:saml:attribute:CvrNumberIdentifier\"><saml:AttributeValue>{cvr}\
         </saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion>"
    );
    let digest = STANDARD.encode(sha256(&[head.as_bytes(), rest.as_bytes()]));
    let info = format!(
        "<ds:CanonicalizationMethod Algorithm=\"{CANONICAL}\"></ds:CanonicalizationMethod><ds:SignatureMethod \
         Algorithm=\"{RSA_SHA256}\"></ds:SignatureMethod><ds:Reference URI=\"#{id}\"><ds:Transforms><ds:Transform \
         Algorithm=\"{ENVELOPED}\"></ds:Transform><ds:Transform Algorithm=\"{CANONICAL}\"></ds:Transform>\
         </ds:Transforms><ds:DigestMethod Algorithm=\"{SHA256}\"></ds:DigestMethod><ds:DigestValue>{digest}\
         </ds:DigestValue></ds:Reference></ds:SignedInfo>"
    );
    // Alone, the signed part has to declare its own namespace.
    let signed = format!("<ds:SignedInfo xmlns:ds=\"{DS}\">{info}");
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature)
        .map_err(|_| anyhow!("the key cannot sign"))?;
    let signature = STANDARD.encode(signature);
    Ok(format!(
        "{head}<ds:Signature xmlns:ds=\"{DS}\"><ds:SignedInfo>{info}<ds:SignatureValue>{signature}</ds:SignatureValue>\
         </ds:Signature>{rest}"
    ))
}
