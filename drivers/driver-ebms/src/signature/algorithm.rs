//! Which digests and signatures there are, and which of them an agreement names.

use crate::agreement::Signing;
use ring::digest::{self, digest};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

/// Whose key it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Rsa,
    Ecdsa,
}

/// With what a message is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Algorithms {
    /// Of the envelope and of each part.
    pub(crate) digest: Hash,
    /// Inside the signature itself.
    pub(crate) signed: Hash,
}

const MORE: &str = "http://www.w3.org/2001/04/xmldsig-more#";

impl Hash {
    const ALL: [Self; 3] = [Self::Sha256, Self::Sha384, Self::Sha512];

    /// By its identifier.
    pub(crate) fn of(uri: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hash| hash.uri() == uri)
    }

    /// RFC 6931, section 2.1, and XML Encryption, section 5.7.
    pub(crate) fn uri(self) -> &'static str {
        match self {
            Self::Sha256 => "http://www.w3.org/2001/04/xmlenc#sha256",
            Self::Sha384 => "http://www.w3.org/2001/04/xmldsig-more#sha384",
            Self::Sha512 => "http://www.w3.org/2001/04/xmlenc#sha512",
        }
    }

    pub(crate) fn digest(self, bytes: &[u8]) -> digest::Digest {
        let algorithm = match self {
            Self::Sha256 => &digest::SHA256,
            Self::Sha384 => &digest::SHA384,
            Self::Sha512 => &digest::SHA512,
        };
        digest(algorithm, bytes)
    }

    fn bits(self) -> u16 {
        match self {
            Self::Sha256 => 256,
            Self::Sha384 => 384,
            Self::Sha512 => 512,
        }
    }
}

/// Identifier of a signature (RFC 6931, sections 2.3.2 to 2.3.6).
pub(crate) fn method_uri(family: Family, hash: Hash) -> String {
    let name = if family == Family::Rsa { "rsa" } else { "ecdsa" };
    format!("{MORE}{name}-sha{}", hash.bits())
}

/// What an identifier of a signature stands for.
pub(crate) fn method_of(uri: &str) -> Option<(Family, Hash)> {
    let all = [Family::Rsa, Family::Ecdsa].into_iter().flat_map(|family| Hash::ALL.map(|hash| (family, hash)));
    all.into_iter().find(|(family, hash)| method_uri(*family, *hash) == uri)
}

impl Algorithms {
    /// What an agreement names, for a key of that kind; SHA-256 where it names nothing. `only` is what a key cannot do
    /// otherwise.
    ///
    /// # Errors
    /// What it names instead: half a sentence about the agreement.
    pub(crate) fn of(named: &Signing, family: Family, only: Option<Hash>) -> Result<Self, String> {
        let digest = match named.hash.as_deref() {
            None => Hash::Sha256,
            Some(uri) => Hash::of(uri).ok_or_else(|| {
                format!(
                    "it has digests made with `{uri}`; possible are SHA-256, SHA-384 and SHA-512 by their identifiers"
                )
            })?,
        };
        let signed = match named.method.as_deref() {
            None => only.unwrap_or(Hash::Sha256),
            Some(uri) => match method_of(uri) {
                Some((known, hash)) if known == family && only.is_none_or(|only| only == hash) => hash,
                Some(_) => return Err(format!("it has messages signed with `{uri}`, which `key` of `sign` cannot do")),
                None => {
                    return Err(format!(
                        "it has messages signed with `{uri}`; possible are RSA and ECDSA with SHA-256, SHA-384 or SHA-512"
                    ));
                }
            },
        };
        Ok(Self { digest, signed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(hash: &str, method: &str) -> Signing {
        Signing { hash: Some(hash.into()), method: Some(method.into()), certificate: None }
    }

    #[test]
    fn what_an_agreement_names_is_what_is_used() {
        let sha512 =
            named("http://www.w3.org/2001/04/xmlenc#sha512", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384");
        let found = Algorithms::of(&sha512, Family::Rsa, None).unwrap();
        assert_eq!((found.digest, found.signed), (Hash::Sha512, Hash::Sha384));
        let nothing = Algorithms::of(&Signing::default(), Family::Ecdsa, Some(Hash::Sha384)).unwrap();
        assert_eq!((nothing.digest, nothing.signed), (Hash::Sha256, Hash::Sha384));
        assert!(Algorithms::of(&sha512, Family::Ecdsa, None).unwrap_err().contains("which `key` of `sign` cannot do"));
    }

    #[test]
    fn broken_algorithms_are_named_and_refused() {
        let sha256 = "http://www.w3.org/2001/04/xmlenc#sha256";
        let rsa = "http://www.w3.org/2000/09/xmldsig#rsa-sha1";
        let why = Algorithms::of(&named(sha256, rsa), Family::Rsa, None).unwrap_err();
        assert!(why.contains(rsa) && why.contains("SHA-256"), "{why}");
        let why = Algorithms::of(&named("http://www.w3.org/2000/09/xmldsig#sha1", rsa), Family::Rsa, None).unwrap_err();
        assert!(why.contains("digests made with `http://www.w3.org/2000/09/xmldsig#sha1`"), "{why}");
    }

    #[test]
    fn identifiers_are_read_back() {
        for hash in Hash::ALL {
            assert_eq!(Hash::of(hash.uri()), Some(hash));
            for family in [Family::Rsa, Family::Ecdsa] {
                assert_eq!(method_of(&method_uri(family, hash)), Some((family, hash)));
            }
        }
        // FIPS 180-4, appendix: the digest of "abc" begins so.
        for (hash, begin) in [(Hash::Sha256, [0xba, 0x78]), (Hash::Sha384, [0xcb, 0x00]), (Hash::Sha512, [0xdd, 0xaf])]
        {
            assert_eq!(hash.digest(b"abc").as_ref()[..2], begin);
        }
    }
}
