//! Assertions that say who is asking: signed by the token service, verified at each lookup.
//!
//! An assertion is written in its canonical form (Exclusive XML Canonicalization 1.0), so what is signed is what is
//! written. It is taken as it was issued, byte by byte: whoever writes it anew, with other quotes or white space, makes
//! it worthless here, though the standard would let it pass.

mod issue;
mod keys;
mod service;
mod verify;

pub(crate) use issue::{Claim, issue};
pub(crate) use keys::{Certificate, Key, certificate, certificate_pem, key};
pub(crate) use service::{ROUTES, Settings, TokenService};
pub(crate) use verify::{Guard, Trust};

use ring::digest;

/// Algorithms of a signature, the only ones that are written and taken.
const CANONICAL: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
const RSA_SHA256: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const SHA256: &str = "http://www.w3.org/2001/04/xmlenc#sha256";

/// Who issues.
pub(crate) const ISSUER: &str = "system-auditlog token service";

fn sha256(pieces: &[&[u8]]) -> digest::Digest {
    let mut context = digest::Context::new(&digest::SHA256);
    pieces.iter().for_each(|piece| context.update(piece));
    context.finish()
}
