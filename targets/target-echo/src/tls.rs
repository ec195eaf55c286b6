//! TLS as a [`Session`]: rustls turns bytes into bytes, the event loop keeps its sockets.
//!
//! A handshake costs some hundred microseconds of the loop's one thread; answers that fall due meanwhile are late.
//! Tests of times should let their connections be made before they measure.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use rustls::{ServerConfig, ServerConnection};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use target_common::Session;
use target_common::options::Sessions;

/// The flags of TLS.
#[derive(Args, Debug)]
pub struct TlsFlags {
    /// Serve TLS with this certificate chain (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// And this private key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Serve TLS with a certificate of its own; write the CA to trust to FILE (PEM)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tls_cert", "tls_key"])]
    tls_self_signed: Option<PathBuf>,
}

impl TlsFlags {
    /// The configuration that the flags ask for; `None` when none is given.
    ///
    /// # Errors
    /// In words: a file that cannot be read or written, a key that does not fit.
    pub fn config(&self) -> Result<Option<Arc<ServerConfig>>, String> {
        match (&self.tls_cert, &self.tls_key, &self.tls_self_signed) {
            (Some(certificate), Some(key), _) => from_files(certificate, key).map(Some),
            (_, _, Some(path)) => self_signed(path).map(Some),
            _ => Ok(None),
        }
    }
}

/// Makes the sessions of a server with `config`.
pub fn sessions(config: Arc<ServerConfig>) -> Sessions {
    Box::new(move || {
        let connection = ServerConnection::new(Arc::clone(&config)).map_err(io::Error::other)?;
        Ok(Box::new(TlsSession { connection }))
    })
}

fn from_files(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, String> {
    let unreadable = |path: &Path, why: &dyn std::fmt::Display| format!("`{}` cannot be used: {why}", path.display());
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(|certificates| certificates.collect::<Result<Vec<_>, _>>())
        .map_err(|error| unreadable(certificate, &error))?;
    let key_der = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error))?;
    config(chain, key_der).map_err(|error| unreadable(certificate, &error))
}

/// A fresh certificate for `localhost` and 127.0.0.1 under a fresh authority, which is written to `path`.
fn self_signed(path: &Path) -> Result<Arc<ServerConfig>, String> {
    let (authority_pem, chain, key) =
        make_certificate().map_err(|error| format!("no certificate can be made: {error}"))?;
    std::fs::write(path, authority_pem).map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
    config(chain, key).map_err(|error| format!("no certificate can be made: {error}"))
}

fn make_certificate() -> Result<(String, Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), rcgen::Error> {
    use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    authority.distinguished_name.push(DnType::CommonName, "target-echo test authority");
    let authority_key = KeyPair::generate()?;
    let authority_pem = authority.self_signed(&authority_key)?.pem();
    let issuer = Issuer::new(authority, authority_key);
    let mut leaf = CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()])?;
    leaf.distinguished_name.push(DnType::CommonName, "target-echo");
    let leaf_key = KeyPair::generate()?;
    let certificate = leaf.signed_by(&leaf_key, &issuer)?.der().clone();
    let key = PrivateKeyDer::Pkcs8(leaf_key.serialize_der().into());
    Ok((authority_pem, vec![certificate], key))
}

fn config(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<Arc<ServerConfig>, rustls::Error> {
    // The provider is named: with two in the build, rustls would refuse to choose.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// TLS between the socket and HTTP.
pub struct TlsSession {
    connection: ServerConnection,
}

impl Session for TlsSession {
    fn read(&mut self, stream: &mut TcpStream, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.connection.reader().read(into) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // The client ended TCP without ending TLS; for HTTP with lengths that is an end like any other.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                Err(error) => return Err(error),
            }
            self.connection.read_tls(stream)?;
            if let Err(error) = self.connection.process_new_packets() {
                // The alert that tells the client why.
                let _ = self.flush(stream);
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        }
    }

    fn write(&mut self, stream: &mut TcpStream, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.connection.writer().write(bytes)? {
                // rustls holds as much as it may; make room by sending.
                0 if self.flush(stream)? => {}
                0 => return Err(ErrorKind::WouldBlock.into()),
                count => return Ok(count),
            }
        }
    }

    fn flush(&mut self, stream: &mut TcpStream) -> io::Result<bool> {
        while self.connection.wants_write() {
            match self.connection.write_tls(stream) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn close(&mut self, stream: &mut TcpStream) {
        self.connection.send_close_notify();
        // A client that cannot take it sees the end of TCP instead.
        let _ = self.flush(stream);
    }
}
