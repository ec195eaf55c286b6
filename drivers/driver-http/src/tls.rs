//! What the study says about TLS, and the client configuration that follows.

use contract::Failure;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use std::sync::Arc;

/// The `tls` settings of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TlsSettings {
    /// Certificates to trust instead of the system's.
    pub(crate) ca: Option<Vec<CertificateDer<'static>>>,
    /// Whether any certificate will do.
    pub(crate) is_insecure: bool,
    /// The name that the certificate must be for, if not the URL's host.
    pub(crate) server_name: Option<ServerName<'static>>,
}

impl TlsSettings {
    /// TLS 1.2 and 1.3, with this protocol by ALPN.
    pub(crate) fn client_config(&self, protocol: &[u8]) -> Result<Arc<ClientConfig>, Failure> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| Failure::new(format!("TLS cannot be set up: {error}")))?;
        let mut config = if self.is_insecure {
            let verifier = Arc::new(AnyCertificate { provider });
            builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
        } else {
            builder.with_root_certificates(self.roots()?).with_no_client_auth()
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
            return Err(Failure::new(
                "no certificate authority to trust was found on this machine; write `tls: { ca: file.pem }`",
            ));
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
