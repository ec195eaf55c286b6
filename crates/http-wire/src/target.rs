//! Where connections go: an address found once, with TLS or not.

use crate::{Connection, Sources, TlsSettings, TlsTarget, Trouble};
use contract::Failure;
use rustls_pki_types::ServerName;
use std::cell::Cell;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

/// A host with several addresses is asked this long for each which of them answers.
const TRIAL: Duration = Duration::from_secs(1);

/// Where to connect.
#[derive(Debug)]
pub struct Target {
    /// The address, found once.
    pub address: SocketAddr,
    /// What TLS needs; `None` for plain HTTP.
    pub tls: Option<TlsTarget>,
    /// Whether the server was seen to close a connection that it had offered to keep: from then on every connection to
    /// it is looked at before it is used again.
    pub is_suspect: Cell<bool>,
    /// Where its connections come from.
    pub sources: Sources,
}

impl Target {
    /// Finds the address. `tls` is `None` for plain HTTP; `protocol` is what is asked for by ALPN.
    ///
    /// # Errors
    /// A host without an address, certificates that cannot be used.
    pub fn find(host: &str, port: u16, tls: Option<&TlsSettings>, protocol: &[u8]) -> Result<Self, Failure> {
        let address = resolve(host, port)?;
        let to = |tls| Self { address, tls, is_suspect: Cell::default(), sources: Sources::default() };
        let Some(settings) = tls else { return Ok(to(None)) };
        let name = match &settings.server_name {
            Some(name) => name.clone(),
            None => ServerName::try_from(host.to_owned())
                .map_err(|_| Failure::new(format!("`{host}` can be in no certificate")))?,
        };
        Ok(to(Some(TlsTarget { config: settings.client_config(protocol)?, name })))
    }

    /// Asks for a connection; does not wait for it.
    ///
    /// # Errors
    /// What the system says, or TLS of its own settings.
    pub fn connect(&self) -> Result<Connection, Trouble> {
        self.sources.connect(self.address, |source| Connection::connect(self.address, self.tls.as_ref(), source))
    }
}

/// The address of a host, found once: looking names up while load runs would measure the resolver too. Of several
/// addresses it is the first that takes a connection, since `localhost` is often two and the server listens on one.
fn resolve(host: &str, port: u16) -> Result<SocketAddr, Failure> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(SocketAddr::new(address, port));
    }
    let found: Vec<_> = (host, port)
        .to_socket_addrs()
        .map_err(|error| Failure::new(format!("the host `{host}` cannot be resolved: {error}")))?
        .collect();
    let first = *found.first().ok_or_else(|| Failure::new(format!("the host `{host}` has no address")))?;
    if found.len() == 1 {
        return Ok(first);
    }
    let answers = |address: &&SocketAddr| TcpStream::connect_timeout(address, TRIAL).is_ok();
    Ok(found.iter().find(answers).copied().unwrap_or(first))
}
