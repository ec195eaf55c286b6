//! The driver: all exchanges compiled, addresses resolved, memory that the sessions of a thread share.

use crate::config::{self, Endpoint, Exchange};
use crate::connection::TlsTarget;
use crate::http2::{ALPN, Pool};
use crate::request::Scratch;
use crate::session::HttpSession;
use crate::sources::Sources;
use contract::{Bench, Destination, Driver, Failure, Mistake, Mistakes, Notice, Session, Settings, Slot};
use rustls_pki_types::ServerName;
use std::cell::{Cell, RefCell};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::rc::Rc;
use std::time::Duration;

/// Connections asked for.
pub(crate) const COUNT_CONNECTS: u8 = 0;
/// Connections found closed before anything was sent on them, so that the exchange went over a new one.
pub(crate) const COUNT_RECONNECTS: u8 = 1;
/// Answers with bytes after them.
pub(crate) const COUNT_SURPLUS: u8 = 2;
/// Exchanges over HTTP/2 that waited, since the server allows fewer streams at a time than `streams` are wanted.
pub(crate) const COUNT_STREAM_WAITS: u8 = 3;
/// The counters' names, by those numbers.
pub(crate) const COUNTERS: &[&str] = &["connects", "reconnects", "surplus", "stream_waits"];

/// What one reading takes at most. One buffer serves all sessions of a thread, since each reading is digested at once.
const BUFFER_BYTES: usize = 64 * 1024;
/// A host with several addresses is asked this long for each which of them answers.
const TRIAL: Duration = Duration::from_secs(1);

/// Everything that the sessions of a thread share.
pub(crate) struct Common {
    /// By number of the exchange in the study; `None` where it is another driver's.
    pub(crate) exchanges: Vec<Option<Exchange>>,
    pub(crate) targets: Vec<Target>,
    pub(crate) buffer: RefCell<Box<[u8]>>,
    pub(crate) scratch: RefCell<Scratch>,
    pub(crate) spare: Spare,
    pub(crate) http2: Pool,
}

/// Where to connect.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) address: SocketAddr,
    pub(crate) tls: Option<TlsTarget>,
    /// Whether the server was seen to close a connection that it had offered to keep: from then on every connection to
    /// it is looked at before it is used again.
    pub(crate) is_suspect: Cell<bool>,
    /// Where its connections come from.
    pub(crate) sources: Sources,
}

/// Buffers that no session holds at the moment: there are never more than exchanges in hand at once.
#[derive(Debug, Default)]
pub(crate) struct Spare(RefCell<Vec<Vec<u8>>>);

/// A buffer that grew larger is given back to the system rather than kept for the rest of the run.
const SPARE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Buffers beyond this number are given back as well.
const SPARE_COUNT_MAX: usize = 1024;

impl Spare {
    /// An empty buffer.
    #[inline]
    pub(crate) fn take(&self) -> Vec<u8> {
        self.0.borrow_mut().pop().unwrap_or_default()
    }

    /// Gives a buffer back.
    #[inline]
    pub(crate) fn give(&self, mut buffer: Vec<u8>) {
        let mut spare = self.0.borrow_mut();
        if buffer.capacity() > 0 && buffer.capacity() <= SPARE_BYTES_MAX && spare.len() < SPARE_COUNT_MAX {
            buffer.clear();
            spare.push(buffer);
        }
    }
}

/// Builds the driver for all exchanges of a study.
pub(crate) fn build(all: &[Settings], bench: &mut Bench<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut endpoints = Vec::new();
    let mut exchanges = Vec::new();
    for settings in all {
        let Some(exchange) = config::exchange(settings, &mut endpoints, bench, &mut mistakes) else { continue };
        let index = usize::from(settings.number);
        if exchanges.len() <= index {
            exchanges.resize_with(index + 1, || None);
        }
        exchanges[index] = Some(exchange);
    }
    for settings in
        all.iter().filter(|settings| !crate::HTTP.exchanges.iter().any(|kind| kind.name == settings.operation))
    {
        let what = format!("`http` has no operation `{}`", settings.operation);
        mistakes.push(Mistake::at(settings.node.place, "study::unknown-operation", what));
    }
    mistakes.into_result()?;
    Ok(Box::new(HttpDriver { endpoints, exchanges, common: None }))
}

impl Common {
    /// Everything for these exchanges: finds the addresses.
    pub(crate) fn new(exchanges: Vec<Option<Exchange>>, endpoints: &[Endpoint]) -> Result<Rc<Self>, Failure> {
        Ok(Rc::new(Self {
            exchanges,
            targets: endpoints.iter().map(target).collect::<Result<_, _>>()?,
            buffer: RefCell::new(vec![0; BUFFER_BYTES].into()),
            scratch: RefCell::default(),
            spare: Spare::default(),
            http2: Pool::default(),
        }))
    }

    /// What has happened on any of the targets since the last call.
    pub(crate) fn take_news(&self) -> Vec<Notice> {
        self.targets.iter().flat_map(|target| target.sources.take_news()).collect()
    }
}

/// Where exchanges go; `exchange` is the number in the study of what stands at an index.
pub(crate) fn destinations(
    exchanges: &[Option<Exchange>],
    endpoints: &[Endpoint],
    exchange: fn(usize) -> usize,
) -> Vec<Destination> {
    let of = |(index, compiled): (usize, &Option<Exchange>)| {
        let link = compiled.as_ref()?.endpoint;
        let Endpoint { host, port, http2, .. } = endpoints.get(link)?;
        let (exchange, link, sharing) = (exchange(index) as u16, link as u16, http2.unwrap_or(1));
        Some(Destination { exchange, link, sharing, host: host.clone(), port: *port })
    };
    exchanges.iter().enumerate().filter_map(of).collect()
}

struct HttpDriver {
    endpoints: Vec<Endpoint>,
    exchanges: Vec<Option<Exchange>>,
    common: Option<Rc<Common>>,
}

impl Driver for HttpDriver {
    fn set_up(&mut self) -> Result<(), Failure> {
        if self.common.is_none() {
            self.common = Some(Common::new(std::mem::take(&mut self.exchanges), &self.endpoints)?);
        }
        Ok(())
    }

    fn destinations(&self) -> Vec<Destination> {
        destinations(&self.exchanges, &self.endpoints, |index| index)
    }

    fn notices(&self) -> Vec<Notice> {
        self.common.as_ref().map_or_else(Vec::new, |common| common.take_news())
    }

    fn session(&self, slot: Slot) -> Box<dyn Session> {
        let common = self.common.clone().expect("invariant: `set_up` comes before the first session");
        Box::new(HttpSession::new(common, slot.number))
    }
}

fn target(endpoint: &Endpoint) -> Result<Target, Failure> {
    let address = resolve(&endpoint.host, endpoint.port)?;
    let to = |tls| Target { address, tls, is_suspect: Cell::default(), sources: Sources::default() };
    let Some(settings) = &endpoint.tls else { return Ok(to(None)) };
    let name = match &settings.server_name {
        Some(name) => name.clone(),
        None => ServerName::try_from(endpoint.host.clone())
            .map_err(|_| Failure::new(format!("`{}` can be in no certificate", endpoint.host)))?,
    };
    let tls = Some(TlsTarget {
        config: settings.client_config(if endpoint.http2.is_some() { ALPN } else { b"http/1.1" })?,
        name,
    });
    Ok(to(tls))
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
