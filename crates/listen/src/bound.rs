//! A listener's address, taken before the system is started.

use contract::Failure;
use rustls::crypto::ring;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use study::{Listener, ListenerTls, ReplicaPlace};

/// A listener that has its port. Connections wait in the kernel until it is served.
pub struct Bound {
    /// Its name in the study.
    pub name: String,
    /// Where it listens.
    pub address: SocketAddr,
    /// Where the system reaches it.
    pub place: ReplicaPlace,
    pub(crate) socket: TcpListener,
    pub(crate) tls: Option<Arc<ServerConfig>>,
}

/// Takes the addresses of all listeners. Files are looked up in `base`.
///
/// # Errors
/// A port that is in use, an address that is none of this machine's, files that are missing or hold no PEM.
pub fn bind(listeners: &[Listener], base: &Path) -> Result<Vec<Bound>, Failure> {
    listeners.iter().map(|listener| bind_one(listener, base)).collect()
}

/// Reads the files that listeners need, and takes no port.
///
/// # Errors
/// Files that do not exist, hold no PEM, or do not belong together.
pub fn check_files(listeners: &[Listener], base: &Path) -> Result<(), Failure> {
    listeners.iter().try_for_each(|listener| tls_of(listener, base).map(drop))
}

fn tls_of(Listener { name, tls, .. }: &Listener, base: &Path) -> Result<Option<Arc<ServerConfig>>, Failure> {
    let config = tls.as_ref().map(|tls| server_config(tls, base)).transpose();
    config.map_err(|why| Failure::new(format!("listener `{name}`: {why}")))
}

fn bind_one(listener: &Listener, base: &Path) -> Result<Bound, Failure> {
    let Listener { name, bind, port, public, tls, .. } = listener;
    let ip = bind.parse().map_err(|_| Failure::new(format!("listener `{name}`: `{bind}` is not an address")))?;
    let wanted = SocketAddr::new(ip, port.unwrap_or(0));
    let refused = |error: std::io::Error| {
        let what = match error.kind() {
            std::io::ErrorKind::AddrInUse => {
                "another program listens there; end it, or leave `port` out for a free one".to_owned()
            }
            std::io::ErrorKind::AddrNotAvailable => "no network device of this machine has that address".to_owned(),
            _ => error.to_string(),
        };
        Failure::new(format!("listener `{name}` cannot listen at {wanted}: {what}"))
    };
    let socket = TcpListener::bind(wanted).map_err(refused)?;
    socket.set_nonblocking(true).map_err(refused)?;
    let address = socket.local_addr().map_err(refused)?;
    let mut place = ReplicaPlace::local(bind, vec![("port".to_owned(), address.port())]);
    if tls.is_some() {
        place.url = place.url.replacen("http://", "https://", 1);
    }
    if let Some(public) = public {
        let wrong =
            || Failure::new(format!("listener `{name}`: `public: {public}` is not a URL; write `http://HOST:PORT`"));
        place = ReplicaPlace::from_url(public).ok_or_else(wrong)?;
    }
    let tls = tls_of(listener, base)?;
    Ok(Bound { name: name.clone(), address, place, socket, tls })
}

fn server_config(tls: &ListenerTls, base: &Path) -> Result<Arc<ServerConfig>, String> {
    let chain = certificates(base, &tls.certificate)?;
    let key = PrivateKeyDer::from_pem_file(base.join(&tls.key)).map_err(|error| wrong_file(&tls.key, &error))?;
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS cannot be set up: {error}"))?;
    let builder = match &tls.clients {
        None => builder.with_no_client_auth(),
        Some(file) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(base, file)? {
                roots.add(certificate).map_err(|error| format!("`clients: {file}`: {error}"))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.map_err(|error| format!("`clients: {file}`: {error}"))?)
        }
    };
    let mut config = builder
        .with_single_cert(chain, key)
        .map_err(|error| format!("`certificate` and `key` cannot be used together: {error}"))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(base: &Path, file: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(base.join(file)).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(found) if found.is_empty() => Err(format!("`{file}` holds no certificate as PEM")),
        Ok(found) => Ok(found),
        Err(error) => Err(wrong_file(file, &error)),
    }
}

fn wrong_file(file: &str, error: &rustls_pki_types::pem::Error) -> String {
    match error {
        rustls_pki_types::pem::Error::Io(error) => format!("`{file}` cannot be read: {error}"),
        _ => format!("`{file}` holds nothing of that kind as PEM"),
    }
}
