//! Where exchanges go.

use contract::Failure;
use http_wire::{ALPN, ProxySettings, Target, TlsSettings};
use terms::Nanos;

/// One of the places where exchanges go: one connection a slot to each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Endpoint {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) tls: Option<TlsSettings>,
    /// Exchanges that share a connection over HTTP/2; `None` for HTTP/1.1.
    pub(crate) http2: Option<u32>,
    /// How long a connection is kept without use; none for as long as the server keeps it.
    pub(crate) idle: Option<Nanos>,
    /// Whether connections go to all addresses of the host in turn.
    pub(crate) all_addresses: bool,
    /// By way of which proxy it is reached.
    pub(crate) proxy: Option<ProxySettings>,
}

impl Endpoint {
    /// Finds its addresses.
    pub(crate) fn target(&self) -> Result<Target, Failure> {
        let protocol = if self.http2.is_some() { ALPN } else { b"http/1.1" };
        let found = Target::find_by(&self.host, self.port, self.tls.as_ref(), protocol, self.proxy.as_ref())?;
        let target = if self.all_addresses { found.spread() } else { found };
        Ok(target.with_idle(self.idle))
    }
}

/// Its place among those known, where each stands once.
pub(crate) fn index_of(endpoint: Endpoint, endpoints: &mut Vec<Endpoint>) -> usize {
    endpoints.iter().position(|known| *known == endpoint).unwrap_or_else(|| {
        endpoints.push(endpoint);
        endpoints.len() - 1
    })
}
