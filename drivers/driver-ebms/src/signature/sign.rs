//! Signatures made: which transformations a verifier has to carry out is written beside each digest, so that any
//! implementation comes to the same bytes.

use super::algorithm::{Algorithms, Family, Hash, method_uri};
use super::{C14N, ENVELOPED, NEXT_NODE, XPATH};
use crate::agreement::Signing;
use crate::envelope::{DS, EB, NEXT, SOAP, XLINK};
use crate::xml::attribute_into;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bergshamra_c14n::{C14nMode, canonicalize};
use contract::{BuildContext, Keys, Mistake, Mistakes, Node};
use http_wire::TlsIdentity;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256,
    RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RsaKeyPair,
};
use rustls_pki_types::PrivateKeyDer;

/// Prefixes that exclusive canonical forms would keep; an inclusive one keeps all.
const NO_PREFIXES: [&str; 0] = [];

/// Signs messages with one key.
#[derive(Debug)]
pub(crate) struct Signer {
    key: Key,
    /// As DER.
    certificate: Vec<u8>,
    /// `ds:KeyInfo` with the certificate.
    key_info: Vec<u8>,
}

#[derive(Debug)]
enum Key {
    Rsa(Box<RsaKeyPair>),
    /// The curve decides the digest.
    Ecdsa(Box<EcdsaKeyPair>, Hash),
}

impl Signer {
    /// Reads `sign: { certificate, key }`.
    pub(crate) fn read(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Self> {
        let mut keys = Keys::of(node, "`sign`", mistakes);
        let (certificate, key) = (keys.need("certificate", mistakes), keys.need("key", mistakes));
        keys.finish(mistakes);
        let identity = TlsIdentity::read(Some(certificate?), Some(key?), context, mistakes)?;
        match Self::new(&identity) {
            Ok(signer) => Some(signer),
            Err(why) => {
                let what = format!("messages cannot be signed with `key`: {why}");
                mistakes.push(Mistake::at(key.map_or(node.place, |key| key.place), "ebms::bad-key", what).hint(
                    "give a key of RSA (2048 to 8192 bits) or of the curve P-256 or P-384 as PKCS #8: `openssl pkcs8 -topk8`",
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
                let curves = [
                    (&ECDSA_P256_SHA256_FIXED_SIGNING, Hash::Sha256),
                    (&ECDSA_P384_SHA384_FIXED_SIGNING, Hash::Sha384),
                ];
                RsaKeyPair::from_pkcs8(der).map(Box::new).map(Key::Rsa).or_else(|of_rsa| {
                    let of_curve = |(curve, hash)| {
                        let pair = EcdsaKeyPair::from_pkcs8(curve, der, &SystemRandom::new()).ok()?;
                        Some(Key::Ecdsa(Box::new(pair), hash))
                    };
                    curves.into_iter().find_map(of_curve).ok_or(of_rsa)
                })
            }
            _ => return Err("it is neither PKCS #8 nor PKCS #1".to_owned()),
        };
        let key = key.map_err(|error| error.to_string())?;
        let certificate = identity.certificates.first().map(|certificate| certificate.to_vec()).unwrap_or_default();
        if !key.is_of(&certificate) {
            return Err("it does not belong to the certificate (the first one in `certificate`)".to_owned());
        }
        let mut key_info = b"<ds:KeyInfo><ds:X509Data>".to_vec();
        for certificate in &identity.certificates {
            let encoded = STANDARD.encode(certificate);
            key_info.extend_from_slice(format!("<ds:X509Certificate>{encoded}</ds:X509Certificate>").as_bytes());
        }
        key_info.extend_from_slice(b"</ds:X509Data></ds:KeyInfo>");
        Ok(Self { key, certificate, key_info })
    }

    /// Whether what it signs can be verified with this certificate, the one that an agreement names.
    pub(crate) fn bears(&self, certificate: &[u8]) -> bool {
        // A certificate that was made anew for the same key is as good.
        self.certificate == certificate || self.key.is_of(certificate)
    }

    /// What the agreement names, as far as this key can do it.
    ///
    /// # Errors
    /// What it names instead: half a sentence about the agreement.
    pub(crate) fn algorithms(&self, named: &Signing) -> Result<Algorithms, String> {
        match self.key {
            Key::Rsa(_) => Algorithms::of(named, Family::Rsa, None),
            Key::Ecdsa(_, hash) => Algorithms::of(named, Family::Ecdsa, Some(hash)),
        }
    }

    /// The element to be put into an envelope. `envelope` is it without signature and without what is meant for the next
    /// node; `payload` are content ids with their bytes.
    ///
    /// # Errors
    /// An envelope that is not XML, or a key that cannot sign: one sentence.
    pub(crate) fn sign<'a>(
        &self,
        algorithms: Algorithms,
        envelope: &[u8],
        payload: impl Iterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Vec<u8>, String> {
        let text = std::str::from_utf8(envelope).map_err(|error| format!("the envelope is not UTF-8: {error}"))?;
        let canonical = canonicalize(text, C14nMode::Inclusive, None, &NO_PREFIXES)
            .map_err(|error| format!("the envelope has no canonical form: {error}"))?;
        let inner = self.signed_info(algorithms, &canonical, payload);
        // The canonical form of this element where it stands: with all namespaces that are declared around it, in the
        // order of their prefixes. What is inside is written in that form already.
        let apex = format!(
            "<ds:SignedInfo xmlns:ds=\"{DS}\" xmlns:eb=\"{EB}\" xmlns:soap=\"{SOAP}\" xmlns:xlink=\"{XLINK}\">"
        );
        let signed: Vec<u8> = [apex.as_bytes(), &inner, b"</ds:SignedInfo>"].concat();
        let value = STANDARD.encode(self.key.sign(algorithms.signed, &signed)?);
        let begin = format!("<ds:Signature xmlns:ds=\"{DS}\"><ds:SignedInfo>");
        let middle = format!("</ds:SignedInfo><ds:SignatureValue>{value}</ds:SignatureValue>");
        Ok([begin.as_bytes(), &inner, middle.as_bytes(), &self.key_info, b"</ds:Signature>"].concat())
    }

    /// What stands in `ds:SignedInfo`.
    fn signed_info<'a>(
        &self,
        algorithms: Algorithms,
        canonical: &[u8],
        payload: impl Iterator<Item = (&'a str, &'a [u8])>,
    ) -> Vec<u8> {
        let family = if let Key::Rsa(_) = self.key { Family::Rsa } else { Family::Ecdsa };
        let method = method_uri(family, algorithms.signed);
        let mut info = format!(
            "<ds:CanonicalizationMethod Algorithm=\"{C14N}\"></ds:CanonicalizationMethod>\
             <ds:SignatureMethod Algorithm=\"{method}\"></ds:SignatureMethod>\
             <ds:Reference URI=\"\"><ds:Transforms><ds:Transform Algorithm=\"{ENVELOPED}\"></ds:Transform>\
             <ds:Transform Algorithm=\"{XPATH}\"><ds:XPath>not(ancestor-or-self::node()[@soap:actor=\"{NEXT_NODE}\"] | \
             ancestor-or-self::node()[@soap:actor=\"{NEXT}\"])</ds:XPath></ds:Transform>\
             <ds:Transform Algorithm=\"{C14N}\"></ds:Transform></ds:Transforms>"
        )
        .into_bytes();
        digest_into(algorithms.digest, canonical, &mut info);
        for (id, content) in payload {
            info.extend_from_slice(b"<ds:Reference URI=\"cid:");
            attribute_into(id.as_bytes(), &mut info);
            info.extend_from_slice(b"\">");
            digest_into(algorithms.digest, content, &mut info);
        }
        info
    }
}

fn digest_into(hash: Hash, bytes: &[u8], info: &mut Vec<u8>) {
    let (uri, value) = (hash.uri(), STANDARD.encode(hash.digest(bytes)));
    let end = format!(
        "<ds:DigestMethod Algorithm=\"{uri}\"></ds:DigestMethod><ds:DigestValue>{value}</ds:DigestValue></ds:Reference>"
    );
    info.extend_from_slice(end.as_bytes());
}

impl Key {
    /// Whether a certificate is that of this key: it holds the public key byte by byte (`subjectPublicKey`, RFC 5280,
    /// 4.1.2.7), and no other certificate does.
    fn is_of(&self, certificate: &[u8]) -> bool {
        let holds = |public: &[u8]| certificate.windows(public.len()).any(|part| part == public);
        match self {
            Self::Rsa(pair) => holds(pair.public_key().as_ref()),
            Self::Ecdsa(pair, _) => holds(pair.public_key().as_ref()),
        }
    }

    fn sign(&self, hash: Hash, message: &[u8]) -> Result<Vec<u8>, String> {
        let random = SystemRandom::new();
        let failed = |_| "the key cannot sign".to_owned();
        match self {
            Self::Rsa(pair) => {
                let mut value = vec![0; pair.public().modulus_len()];
                let encoding = match hash {
                    Hash::Sha256 => &RSA_PKCS1_SHA256,
                    Hash::Sha384 => &RSA_PKCS1_SHA384,
                    Hash::Sha512 => &RSA_PKCS1_SHA512,
                };
                pair.sign(encoding, &random, message, &mut value).map_err(failed)?;
                Ok(value)
            }
            Self::Ecdsa(pair, _) => pair.sign(&random, message).map(|value| value.as_ref().to_vec()).map_err(failed),
        }
    }
}
