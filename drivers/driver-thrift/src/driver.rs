//! The driver: all exchanges compiled, addresses found, and the sessions made of them.

use crate::call::Found;
use crate::config::{self, Endpoint, Exchange};
use crate::session::{Common, PublishSession, Ready, try_out};
use contract::{BuildContext, Destination, Driver, Failure, Mistake, Mistakes, Session, Settings, Slot};
use http_wire::TlsTarget;
use rustls_pki_types::ServerName;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A host with several addresses is asked this long for each which of them answers.
const TRIAL: Duration = Duration::from_secs(1);

/// Builds the driver for all exchanges of a study.
pub(crate) fn build(all: &[Settings], context: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut exchanges = Vec::new();
    for settings in all {
        if !crate::THRIFT.exchanges.iter().any(|kind| kind.name == settings.operation) {
            let what = format!("`thrift` has no operation `{}`", settings.operation);
            mistakes.push(Mistake::at(settings.node.place, "study::unknown-operation", what));
            continue;
        }
        let Some(exchange) = config::exchange(settings, context, &mut mistakes) else { continue };
        let index = usize::from(settings.number);
        if exchanges.len() <= index {
            exchanges.resize_with(index + 1, || None);
        }
        exchanges[index] = Some(exchange);
    }
    mistakes.into_result()?;
    Ok(Box::new(ThriftDriver { exchanges, common: None }))
}

struct ThriftDriver {
    exchanges: Vec<Option<Exchange>>,
    common: Option<Rc<Common>>,
}

impl Driver for ThriftDriver {
    fn set_up(&mut self) -> Result<(), Failure> {
        if self.common.is_some() {
            return Ok(());
        }
        let ready = |exchange: Option<Exchange>| {
            let Some(exchange) = exchange else { return Ok(None) };
            let (data, sign_in) = (find(&exchange.data)?, find(&exchange.sign_in)?);
            let define = exchange.define.as_ref().map(find).transpose()?;
            let ready = Ready { exchange, data, sign_in, define };
            try_out(&ready)?;
            Ok(Some(ready))
        };
        let exchanges = std::mem::take(&mut self.exchanges).into_iter().map(ready).collect::<Result<_, Failure>>()?;
        self.common = Some(Common::new(exchanges));
        Ok(())
    }

    fn destinations(&self) -> Vec<Destination> {
        // Connections that sign in or define are closed before the one that publishes is opened.
        let of = |(number, exchange): (usize, &Option<Exchange>)| {
            let Endpoint { host, port, tls, .. } = &exchange.as_ref()?.data;
            let (host, port, is_tls) = (host.clone(), *port, tls.is_some());
            Some(Destination { exchange: number as u16, link: 0, sharing: 1, host, port, is_tls })
        };
        self.exchanges.iter().enumerate().filter_map(of).collect()
    }

    fn session(&self, _: Slot) -> Box<dyn Session> {
        let common = self.common.clone().expect("invariant: `set_up` comes before the first session");
        Box::new(PublishSession::new(common))
    }
}

/// Finds an address, and what TLS needs there.
fn find(endpoint: &Endpoint) -> Result<Found, Failure> {
    let Endpoint { protocol, host, port, tls } = endpoint;
    let found: Vec<SocketAddr> = (host.as_str(), *port)
        .to_socket_addrs()
        .map_err(|error| Failure::new(format!("the host `{host}` cannot be resolved: {error}")))?
        .collect();
    let answers = |address: &&SocketAddr| found.len() == 1 || TcpStream::connect_timeout(address, TRIAL).is_ok();
    let address = found.iter().find(answers).or(found.first());
    let address = *address.ok_or_else(|| Failure::new(format!("the host `{host}` has no address")))?;
    let tls = tls.as_ref().map(|settings| {
        let named = || {
            ServerName::try_from(host.clone()).map_err(|_| Failure::new(format!("`{host}` can be in no certificate")))
        };
        let name = settings.server_name.clone().map_or_else(named, Ok)?;
        let mut config = (*settings.client_config(b"")?).clone();
        // Neither protocol has a name for what is spoken.
        config.alpn_protocols.clear();
        Ok(TlsTarget { config: Arc::new(config), name })
    });
    Ok(Found { protocol: *protocol, address, tls: tls.transpose()? })
}
