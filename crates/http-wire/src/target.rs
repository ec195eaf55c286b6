//! Where connections go: an address found once, with TLS or not.

use crate::proxy::Proxy;
use crate::{Connection, ProxySettings, Sources, TlsSettings, TlsTarget, Trouble};
use contract::Failure;
use contract::Notice;
use rustls_pki_types::ServerName;
use std::cell::{Cell, RefCell};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;
use terms::Nanos;

/// A host with several addresses is asked this long for each which of them answers.
const TRIAL: Duration = Duration::from_secs(1);

/// Where to connect.
#[derive(Debug)]
pub struct Target {
    /// The address, found once.
    address: SocketAddr,
    /// All addresses of the host, where there are several.
    found: Vec<SocketAddr>,
    /// Those to which connections go in turn; none where all go to `address`.
    spread: Vec<SocketAddr>,
    /// How many have gone to them.
    turn: Cell<usize>,
    /// What TLS needs; `None` for plain HTTP.
    tls: Option<TlsTarget>,
    /// The way to it, where that is not direct; the address is then the proxy's.
    pub(crate) proxy: Option<Arc<Proxy>>,
    /// Whether the server was seen to close a connection that it had offered to keep, for who does not look at each
    /// connection before it is used again.
    pub(crate) is_suspect: Cell<bool>,
    /// Where its connections come from.
    sources: Sources,
    /// Longest time for which a connection is kept that nobody uses, whatever the server says.
    idle: Option<Nanos>,
    /// Whether it sends what nobody asked for: from then on each exchange has a connection of its own.
    is_distrusted: Cell<bool>,
    /// Whether a request was sent once more to it.
    has_retried: Cell<bool>,
    news: RefCell<Vec<Notice>>,
}

impl Target {
    /// Finds the address. `tls` is `None` for plain HTTP; `protocol` is what is asked for by ALPN.
    ///
    /// # Errors
    /// A host without an address, certificates that cannot be used.
    pub fn find(host: &str, port: u16, tls: Option<&TlsSettings>, protocol: &[u8]) -> Result<Self, Failure> {
        Self::find_by(host, port, tls, protocol, None)
    }

    /// The same by way of a proxy, which is then the only host whose name is resolved here.
    ///
    /// # Errors
    /// As [`Target::find`].
    pub fn find_by(
        host: &str,
        port: u16,
        tls: Option<&TlsSettings>,
        protocol: &[u8],
        proxy: Option<&ProxySettings>,
    ) -> Result<Self, Failure> {
        let (near, near_port) = proxy.map_or((host, port), ProxySettings::place);
        let found = resolve(near, near_port)?;
        let address = first_that_answers(&found);
        let target = Self { found, ..Self::secured(host, address, tls, protocol)? };
        Ok(match proxy {
            Some(proxy) => target.by_way_of(proxy, host, port),
            None => target,
        })
    }

    fn secured(host: &str, address: SocketAddr, tls: Option<&TlsSettings>, protocol: &[u8]) -> Result<Self, Failure> {
        let Some(settings) = tls else { return Ok(Self::at(address, None)) };
        let name = match &settings.server_name {
            Some(name) => name.clone(),
            None => ServerName::try_from(host.to_owned())
                .map_err(|_| Failure::new(format!("`{host}` can be in no certificate")))?,
        };
        Ok(Self::at(address, Some(TlsTarget { config: settings.client_config(protocol)?, name })))
    }

    /// Another port of the same host, for HTTP/1.1.
    pub(crate) fn beside(&self, host: &str, port: u16, tls: Option<&TlsSettings>) -> Result<Self, Failure> {
        Self::secured(host, SocketAddr::new(self.address.ip(), port), tls, b"http/1.1")
    }

    /// A target at that very address; `tls` is `None` for plain HTTP.
    pub fn at(address: SocketAddr, tls: Option<TlsTarget>) -> Self {
        Self {
            address,
            found: Vec::new(),
            spread: Vec::new(),
            turn: Cell::default(),
            tls,
            proxy: None,
            is_suspect: Cell::default(),
            sources: Sources::default(),
            idle: None,
            is_distrusted: Cell::default(),
            has_retried: Cell::default(),
            news: RefCell::default(),
        }
    }

    /// The same by way of a proxy, which is what answers at its address, to that host.
    #[must_use]
    pub fn by_way_of(self, proxy: &ProxySettings, host: &str, port: u16) -> Self {
        let proxy = Proxy::new(proxy, host, port, self.tls.is_some());
        Self { proxy: Some(proxy), ..self }
    }

    /// The same, whose connections go in turn to all addresses of the host that take one now: those behind a name that
    /// shares its load. Where only one does, all go there.
    #[must_use]
    pub fn spread(self) -> Self {
        let spread: Vec<_> = self.found.iter().copied().filter(answers).collect();
        let spread = if self.found.len() > 1 && spread.len() > 1 { spread } else { Vec::new() };
        Self { spread, ..self }
    }

    /// Where the next connection goes.
    fn next_address(&self) -> SocketAddr {
        if self.spread.is_empty() {
            return self.address;
        }
        let turn = self.turn.get();
        self.turn.set(turn.wrapping_add(1));
        self.spread[turn % self.spread.len()]
    }

    /// The same, whose connections are kept for so long without use at most.
    #[must_use]
    pub fn with_idle(self, idle: Option<Nanos>) -> Self {
        Self { idle, ..self }
    }

    /// How long a connection is kept without use, of what the server says and the study.
    #[inline]
    pub(crate) fn keeps_for(&self, server: Option<Nanos>) -> Option<Nanos> {
        match (self.idle, server) {
            (Some(own), Some(server)) => Some(own.min(server)),
            (own, server) => own.or(server),
        }
    }

    /// So many bytes came that no request had asked for. Which request the next answer belongs to could not be told any
    /// more, so no connection to it is used a second time from now on. Told once.
    pub(crate) fn distrust(&self, bytes: usize) {
        if self.is_distrusted.replace(true) {
            return;
        }
        let address = self.address;
        self.news.borrow_mut().push(Notice {
            kind: "unasked",
            subject: address.to_string(),
            text: format!(
                "{address} sent {bytes} bytes that no request had asked for; they were not taken as an answer, and from \
                 then on each exchange has a connection of its own"
            ),
        });
    }

    /// A request that met the closing of a kept connection is sent once more. Told once; the counter has all of them.
    pub(crate) fn tell_retry(&self) {
        if self.has_retried.replace(true) {
            return;
        }
        let address = self.address;
        self.news.borrow_mut().push(Notice {
            kind: "idle_retry",
            subject: address.to_string(),
            text: format!(
                "{address} closed an idle connection as a request came, before a byte of its answer; it was sent once more \
                 on a new connection, and so is every other that meets the same (counter `idle_retries`; \
                 `connection: {{ retry: no }}` makes them failures)"
            ),
        });
    }

    /// Whether an answer on a connection that served another exchange before is that of the request.
    #[inline]
    pub(crate) fn is_trusted(&self) -> bool {
        !self.is_distrusted.get()
    }

    /// What has happened since the last call.
    pub(crate) fn take_news(&self) -> Vec<Notice> {
        let mut news = self.sources.take_news();
        news.append(&mut self.news.borrow_mut());
        news
    }

    /// Asks for a connection; does not wait for it.
    ///
    /// # Errors
    /// What the system says, or TLS of its own settings.
    pub(crate) fn connect(&self) -> Result<Connection, Trouble> {
        let address = self.next_address();
        let connect = |source| Connection::connect(address, self.tls.as_ref(), source);
        let connection = self.sources.connect(address, connect)?;
        Ok(match &self.proxy {
            Some(proxy) => connection.through(proxy.tunnel()),
            None => connection,
        })
    }
}

/// The addresses of a host, found once: looking names up while load runs would measure the resolver too. Never none.
fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let found: Vec<_> = (host, port)
        .to_socket_addrs()
        .map_err(|error| Failure::new(format!("the host `{host}` cannot be resolved: {error}")))?
        .collect();
    if found.is_empty() { Err(Failure::new(format!("the host `{host}` has no address"))) } else { Ok(found) }
}

/// Of several addresses the first that takes a connection, since `localhost` is often two and the server listens on one.
fn first_that_answers(found: &[SocketAddr]) -> SocketAddr {
    let only = found.len() == 1;
    found.iter().copied().find(|address| only || answers(address)).unwrap_or(found[0])
}

fn answers(address: &SocketAddr) -> bool {
    TcpStream::connect_timeout(address, TRIAL).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn connections_go_to_all_addresses_that_answer_in_turn() {
        let [one, two] = ["127.0.0.1", "127.0.0.2"].map(|host| TcpListener::bind((host, 0)).expect("a free port"));
        let at = |listener: &TcpListener| listener.local_addr().expect("an address");
        let nobody = {
            let gone = TcpListener::bind("127.0.0.3:0").expect("a free port");
            at(&gone)
        };
        let found = vec![nobody, at(&one), at(&two)];
        assert_eq!(first_that_answers(&found), at(&one));
        let of = |found: Vec<SocketAddr>| Target { found, ..Target::at(at(&one), None) };
        let spread = of(found).spread();
        let next: Vec<_> = (0..4).map(|_| spread.next_address()).collect();
        assert_eq!(next, [at(&one), at(&two), at(&one), at(&two)]);
        // Without being asked, and where only one answers, all go to the first.
        assert_eq!(of(vec![at(&one), at(&two)]).next_address(), at(&one));
        let single = of(vec![nobody, at(&one)]).spread();
        assert_eq!([single.next_address(), single.next_address()], [at(&one), at(&one)]);
    }
}
