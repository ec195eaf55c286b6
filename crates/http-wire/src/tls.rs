//! What the study says about TLS, and the client configuration that follows.

mod common_name;
mod pinned;
mod settings;
mod words;

pub use words::{Remedies, in_words, in_words_with};

use contract::Failure;
use pinned::Pinned;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use std::sync::Arc;

/// The `tls` settings of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// Certificates to trust instead of the system's.
    pub ca: Option<Vec<CertificateDer<'static>>>,
    /// Whether any certificate will do.
    pub is_insecure: bool,
    /// The name that the certificate must be for, if not the URL's host.
    pub server_name: Option<ServerName<'static>>,
    /// Who the lab says it is, where the server wants to know.
    pub identity: Option<TlsIdentity>,
}

/// A client's certificate with its key, for two-way TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsIdentity {
    /// The certificate, and those between it and its authority.
    pub certificates: Vec<CertificateDer<'static>>,
    pub key: Arc<PrivateKeyDer<'static>>,
}

impl TlsSettings {
    /// TLS 1.2 and 1.3, with this protocol by ALPN.
    ///
    /// # Errors
    /// No authority to trust; a key that does not belong to its certificate.
    pub fn client_config(&self, protocol: &[u8]) -> Result<Arc<ClientConfig>, Failure> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| Failure::new(format!("TLS cannot be set up: {error}")))?;
        let builder = if self.is_insecure {
            let verifier = Arc::new(AnyCertificate { provider });
            builder.dangerous().with_custom_certificate_verifier(verifier)
        } else {
            let roots = Arc::new(self.roots()?);
            let by_authority = WebPkiServerVerifier::builder_with_provider(roots, provider)
                .build()
                .map_err(|error| Failure::new(format!("TLS cannot be set up: {error}")))?;
            let given = self.ca.clone().unwrap_or_default();
            builder.dangerous().with_custom_certificate_verifier(Arc::new(Pinned { by_authority, given }))
        };
        let mut config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some(TlsIdentity { certificates, key }) => {
                builder.with_client_auth_cert(certificates.clone(), key.clone_key()).map_err(|error| {
                    Failure::new(format!("`certificate` and `key` of `tls` cannot be used together: {error}"))
                })?
            }
        };
        config.alpn_protocols = vec![protocol.to_vec()];
        Ok(Arc::new(config))
    }

    fn roots(&self) -> Result<RootCertStore, Failure> {
        let mut roots = RootCertStore::empty();
        let added = match &self.ca {
            Some(certificates) => roots.add_parsable_certificates(certificates.iter().cloned()).0,
            None => roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs).0,
        };
        if added == 0 {
            return Err(Failure::new(match &self.ca {
                Some(_) => "none of the certificates in `ca` can be read",
                None => {
                    "no certificate authority to trust was found on this machine; name one with `ca`, which is \
                     `tls: { ca: file.pem }` in a study"
                }
            }));
        }
        Ok(roots)
    }
}

/// Trusts every certificate; signatures of the handshake are still checked, so that a broken server shows.
#[derive(Debug)]
struct AnyCertificate {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
