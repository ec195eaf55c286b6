//! Signed messages: XML signatures over the envelope and the payload, as the ebXML Message Service Specification 2.0 has
//! them (section 4.1.3).
//!
//! Signed is the canonical envelope without the signature itself and without what is meant for the next node on the way
//! (the request for a synchronous answer), and the bytes of every payload part. The canonical form is made by a library;
//! which transformations a verifier has to carry out is written beside it, so that any implementation comes to the same
//! bytes.

use crate::envelope::{DS, EB, SOAP, XLINK};
use crate::xml::attribute_into;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bergshamra_c14n::{C14nMode, canonicalize};
use contract::{Bench, Keys, Mistake, Mistakes, Node};
use http_wire::TlsIdentity;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use rustls_pki_types::PrivateKeyDer;

const C14N: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const XPATH: &str = "http://www.w3.org/TR/1999/REC-xpath-19991116";
const SHA256_URI: &str = "http://www.w3.org/2001/04/xmlenc#sha256";
/// Without what is meant for a node on the way.
const NOT_FOR_NODES: &str = "not(ancestor-or-self::node()[@soap:actor=\"urn:oasis:names:tc:ebxml-msg:actor:nextMSH\"] | \
                             ancestor-or-self::node()[@soap:actor=\"http://schemas.xmlsoap.org/soap/actor/next\"])";

/// Prefixes that exclusive canonical forms would keep; an inclusive one keeps all.
const NO_PREFIXES: [&str; 0] = [];

/// Signs messages with one key.
#[derive(Debug)]
pub(crate) struct Signer {
    key: Key,
    /// `ds:KeyInfo` with the certificate.
    key_info: Vec<u8>,
}

#[derive(Debug)]
enum Key {
    Rsa(Box<RsaKeyPair>),
    Ecdsa(Box<EcdsaKeyPair>),
}

impl Signer {
    /// Reads `sign: { certificate, key }`.
    pub(crate) fn read(node: &Node, bench: &Bench<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        let mut keys = Keys::of(node, "`sign`", mistakes);
        let (certificate, key) = (keys.need("certificate", mistakes), keys.need("key", mistakes));
        keys.finish(mistakes);
        let identity = TlsIdentity::read(Some(certificate?), Some(key?), bench, mistakes)?;
        match Self::new(&identity) {
            Ok(signer) => Some(signer),
            Err(why) => {
                let what = format!("messages cannot be signed with `key`: {why}");
                mistakes.push(Mistake::at(key.map_or(node.place, |key| key.place), "ebms::bad-key", what).hint(
                    "give a key of RSA (2048 to 8192 bits) or of the curve P-256 as PKCS #8: `openssl pkcs8 -topk8`",
                ));
                None
            }
        }
    }

    fn new(identity: &TlsIdentity) -> Result<Self, String> {
        let key = match &*identity.key {
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()).map(Box::new).map(Key::Rsa),
            PrivateKeyDer::Pkcs8(der) => {
                let der = der.secret_pkcs8_der();
                RsaKeyPair::from_pkcs8(der).map(Box::new).map(Key::Rsa).or_else(|of_rsa| {
                    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &SystemRandom::new())
                        .map(|pair| Key::Ecdsa(Box::new(pair)))
                        .map_err(|_| of_rsa)
                })
            }
            _ => return Err("it is neither PKCS #8 nor PKCS #1".to_owned()),
        };
        let key = key.map_err(|error| error.to_string())?;
        let mut key_info = b"<ds:KeyInfo><ds:X509Data>".to_vec();
        for certificate in &identity.certificates {
            let encoded = STANDARD.encode(certificate);
            key_info.extend_from_slice(format!("<ds:X509Certificate>{encoded}</ds:X509Certificate>").as_bytes());
        }
        key_info.extend_from_slice(b"</ds:X509Data></ds:KeyInfo>");
        Ok(Self { key, key_info })
    }

    /// The element to be put into an envelope. `envelope` is it without signature and without what is meant for the next
    /// node; `payload` are content ids with their bytes.
    ///
    /// # Errors
    /// An envelope that is no XML, or a key that cannot sign: one sentence.
    pub(crate) fn sign<'a>(
        &self,
        envelope: &[u8],
        payload: impl Iterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Vec<u8>, String> {
        let text = std::str::from_utf8(envelope).map_err(|error| format!("the envelope is no UTF-8: {error}"))?;
        let canonical = canonicalize(text, C14nMode::Inclusive, None, &NO_PREFIXES)
            .map_err(|error| format!("the envelope has no canonical form: {error}"))?;
        let inner = self.signed_info(&canonical, payload);
        // The canonical form of this element where it stands: with all namespaces that are declared around it, in the
        // order of their prefixes. What is inside is written in that form already.
        let apex = format!(
            "<ds:SignedInfo xmlns:ds=\"{DS}\" xmlns:eb=\"{EB}\" xmlns:soap=\"{SOAP}\" xmlns:xlink=\"{XLINK}\">"
        );
        let signed: Vec<u8> = [apex.as_bytes(), &inner, b"</ds:SignedInfo>"].concat();
        let value = STANDARD.encode(self.key.sign(&signed)?);
        let begin = format!("<ds:Signature xmlns:ds=\"{DS}\"><ds:SignedInfo>");
        let middle = format!("</ds:SignedInfo><ds:SignatureValue>{value}</ds:SignatureValue>");
        Ok([begin.as_bytes(), &inner, middle.as_bytes(), &self.key_info, b"</ds:Signature>"].concat())
    }

    /// What stands in `ds:SignedInfo`.
    fn signed_info<'a>(&self, canonical: &[u8], payload: impl Iterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
        let algorithm = match self.key {
            Key::Rsa(_) => "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
            Key::Ecdsa(_) => "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
        };
        let mut info = format!(
            "<ds:CanonicalizationMethod Algorithm=\"{C14N}\"></ds:CanonicalizationMethod>\
             <ds:SignatureMethod Algorithm=\"{algorithm}\"></ds:SignatureMethod>\
             <ds:Reference URI=\"\"><ds:Transforms><ds:Transform Algorithm=\"{ENVELOPED}\"></ds:Transform>\
             <ds:Transform Algorithm=\"{XPATH}\"><ds:XPath>{NOT_FOR_NODES}</ds:XPath></ds:Transform>\
             <ds:Transform Algorithm=\"{C14N}\"></ds:Transform></ds:Transforms>"
        )
        .into_bytes();
        digest_into(canonical, &mut info);
        for (id, content) in payload {
            info.extend_from_slice(b"<ds:Reference URI=\"cid:");
            attribute_into(id.as_bytes(), &mut info);
            info.extend_from_slice(b"\">");
            digest_into(content, &mut info);
        }
        info
    }
}

fn digest_into(bytes: &[u8], info: &mut Vec<u8>) {
    let value = STANDARD.encode(digest(&SHA256, bytes));
    let end = format!(
        "<ds:DigestMethod Algorithm=\"{SHA256_URI}\"></ds:DigestMethod><ds:DigestValue>{value}</ds:DigestValue></ds:Reference>"
    );
    info.extend_from_slice(end.as_bytes());
}

impl Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        let random = SystemRandom::new();
        let failed = |_| "the key cannot sign".to_owned();
        match self {
            Self::Rsa(pair) => {
                let mut value = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut value).map_err(failed)?;
                Ok(value)
            }
            Self::Ecdsa(pair) => pair.sign(&random, message).map(|value| value.as_ref().to_vec()).map_err(failed),
        }
    }
}
