//! TLS: of a service, and of its requests to others.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// What is spoken behind TLS.
const PROTOCOL: &[u8] = b"http/1.1";

/// Flags of a service that can speak TLS.
#[derive(Args, Clone, Debug, Default)]
pub struct TlsOptions {
    /// Speak TLS, with this certificate and those that signed it (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// And with the key of that certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

impl TlsOptions {
    /// Whether TLS is asked for.
    pub fn is_on(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// What makes TLS of a connection that was accepted; `None` where the flags do not ask for it.
    ///
    /// # Errors
    /// In words: a file that cannot be read, a key that does not fit.
    pub fn acceptor(&self) -> Result<Option<TlsAcceptor>, String> {
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else { return Ok(None) };
        let chain = certificates(certificate)?;
        let key_der = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, &error))?;
        let builder = ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
        let config = builder.and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key_der));
        let mut config = config.map_err(|error| unusable(certificate, &error))?;
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(Some(TlsAcceptor::from(Arc::new(config))))
    }
}

/// What makes TLS of a connection to somebody whose certificate was signed by one of these authorities (PEM), and by no
/// other.
///
/// # Errors
/// In words: a file that cannot be read or that holds no certificate.
pub fn trusting(authorities: &Path) -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(authorities)? {
        roots.add(certificate).map_err(|error| unusable(authorities, &error))?;
    }
    let builder = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| unusable(authorities, &error))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

/// The provider is named: with two in the build, rustls would refuse to choose.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(found) if found.is_empty() => Err(unusable(path, &"it holds no certificate as PEM")),
        found => found.map_err(|error| unusable(path, &error)),
    }
}

fn unusable(path: &Path, why: &dyn Display) -> String {
    format!("`{}` cannot be used: {why}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_none_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let (nothing, missing) = (folder.path().join("nothing.pem"), folder.path().join("missing.pem"));
        std::fs::write(&nothing, "no certificate").unwrap();
        let flags = |path: &Path| TlsOptions { tls_cert: Some(path.into()), tls_key: Some(path.into()) };
        for path in [&nothing, &missing] {
            let shown = path.display().to_string();
            assert!(flags(path).acceptor().err().unwrap().contains(&shown));
            assert!(trusting(path).err().unwrap().contains(&shown));
        }
        assert!(TlsOptions::default().acceptor().unwrap().is_none());
    }
}
