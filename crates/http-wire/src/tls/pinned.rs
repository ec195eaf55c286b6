//! A server's own certificate as what is trusted.
//!
//! `openssl req -x509` makes a certificate that signs itself and calls itself an authority. Given as `ca` it is trusted
//! by curl and browsers; the library refuses it, since an authority's certificate is not a server's. Whoever hands the
//! very certificate over means that server, so it is accepted, byte for byte, for its names and its time.

use super::common_name::common_name;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};
use std::sync::Arc;

/// Trusts the authorities that are given, and certificates that stand among them themselves.
#[derive(Debug)]
pub(super) struct Pinned {
    /// Verifies by authorities, and every handshake's signature.
    pub(super) by_authority: Arc<WebPkiServerVerifier>,
    /// The certificates as they were given.
    pub(super) given: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let refused = match self.by_authority.verify_server_cert(end_entity, intermediates, name, ocsp, now) {
            Ok(verified) => return Ok(verified),
            Err(refused) => refused,
        };
        let is_given = self.given.iter().any(|given| given.as_ref() == end_entity.as_ref());
        if !is_given {
            return Err(refused);
        }
        match &refused {
            // Both are reported about a certificate whose time was looked at before, and found right.
            Error::InvalidCertificate(CertificateError::UnknownIssuer) => {}
            Error::InvalidCertificate(error) if is_authority(error) => {}
            Error::InvalidCertificate(error) if names_nobody(error) => {
                return by_common_name(end_entity, name, refused);
            }
            _ => return Err(refused),
        }
        let parsed = ParsedCertificate::try_from(end_entity)?;
        match rustls::client::verify_server_name(&parsed, name) {
            Ok(()) => Ok(ServerCertVerified::assertion()),
            Err(Error::InvalidCertificate(error)) if names_nobody(&error) => {
                by_common_name(end_entity, name, Error::InvalidCertificate(error))
            }
            Err(error) => Err(error),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_authority.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_authority.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.by_authority.supported_verify_schemes()
    }
}

/// Whether a certificate was refused for being an authority's.
pub(super) fn is_authority(error: &CertificateError) -> bool {
    let CertificateError::Other(other) = error else { return false };
    matches!(other.0.downcast_ref::<webpki::Error>(), Some(webpki::Error::CaUsedAsEndEntity))
}

/// Whether a certificate was refused since it has no names at all in `subjectAltName`.
fn names_nobody(error: &CertificateError) -> bool {
    matches!(error, CertificateError::NotValidForNameContext { presented, .. } if presented.is_empty())
}

/// The shortest recipe for a certificate (`-subj /CN=localhost`) gives it a common name and nothing else. As curl does,
/// that name counts where there is no other.
fn by_common_name(
    end_entity: &CertificateDer<'_>,
    name: &ServerName<'_>,
    refused: Error,
) -> Result<ServerCertVerified, Error> {
    let certificate = webpki::EndEntityCert::try_from(end_entity).map_err(|_| refused.clone())?;
    match common_name(certificate.subject()) {
        Some(common) if common.eq_ignore_ascii_case(name.to_str().as_bytes()) => Ok(ServerCertVerified::assertion()),
        _ => Err(refused),
    }
}
