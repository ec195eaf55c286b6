//! The issuer's private key, and the certificate by which others know it.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use ring::signature::RsaKeyPair;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivatePkcs8KeyDer};

/// The lab's own key and certificate. They are in the repository, so they prove nothing to anybody: they are for loads.
const LAB_KEY: &[u8] = include_bytes!("../../keys/lab-key.pem");
const LAB_CERTIFICATE: &[u8] = include_bytes!("../../keys/lab-certificate.pem");

/// What assertions are signed with.
pub(crate) type Key = Arc<RsaKeyPair>;

/// What they are verified with.
#[derive(Clone)]
pub(crate) struct Certificate(pub(crate) Arc<CertificateDer<'static>>);

/// Reads an RSA key in PKCS#8 from a PEM file; without one the lab's own.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub(crate) fn key(path: Option<&Path>) -> Result<Key> {
    let read = || {
        let pem = bytes(path, LAB_KEY)?;
        let der = PrivatePkcs8KeyDer::from_pem_slice(&pem).map_err(|error| anyhow!("{error}"))?;
        let key = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).map_err(|error| anyhow!("{error}"))?;
        Ok::<_, anyhow::Error>(Arc::new(key))
    };
    read().with_context(|| {
        format!(
            "`{}` is not an RSA key of 2048 bits or more in PKCS#8; `openssl genpkey -algorithm RSA` makes one",
            path.unwrap_or(Path::new("the lab's key")).display()
        )
    })
}

/// Reads a certificate from a PEM file; without one the lab's own.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub(crate) fn certificate(path: Option<&Path>) -> Result<Certificate> {
    let read = || {
        let pem = bytes(path, LAB_CERTIFICATE)?;
        let der = CertificateDer::from_pem_slice(&pem).map_err(|error| anyhow!("{error}"))?;
        webpki::EndEntityCert::try_from(&der).map_err(|error| anyhow!("{error}"))?;
        Ok::<_, anyhow::Error>(Certificate(Arc::new(der)))
    };
    read().with_context(|| {
        format!("`{}` is not a certificate in PEM", path.unwrap_or(Path::new("the lab's certificate")).display())
    })
}

/// The PEM file of a certificate; without one the lab's own.
///
/// # Errors
/// As [`certificate`].
pub(crate) fn certificate_pem(path: Option<&Path>) -> Result<Vec<u8>> {
    certificate(path)?;
    bytes(path, LAB_CERTIFICATE)
}

fn bytes(path: Option<&Path>, lab: &[u8]) -> Result<Vec<u8>> {
    path.map_or_else(|| Ok(lab.to_vec()), |path| std::fs::read(path).map_err(Into::into))
}
