//! The driver: all exchanges compiled, addresses resolved, memory that the sessions of a thread share.

use crate::compose::Scratch;
use crate::config;
use crate::exchange::{Endpoint, Exchange};
use crate::features;
use crate::replies::Replies;
use crate::resend::Resender;
use crate::session::EbmsSession;
use contract::{
    BuildContext, Destination, Driver, Failure, Feature, Mistake, Mistakes, Notice, ReplyHandler, Session, Settings,
    Slot,
};
use http_wire::{Counted, Shared, Target};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Messages sent again, as their agreements have it.
pub(crate) const COUNT_RESENDS: u8 = Counted::NAMES.len() as u8;
/// Messages that could not be sent again, since too many were kept already.
pub(crate) const COUNT_UNKEPT: u8 = COUNT_RESENDS + 1;
/// The counters of the client, and those of messages sent again.
pub(crate) const COUNTERS: &[&str] = &{
    let mut names = ["resends"; Counted::NAMES.len() + 2];
    let (client, own) = names.split_at_mut(Counted::NAMES.len());
    client.copy_from_slice(&Counted::NAMES);
    own[1] = "unkept";
    names
};

/// Everything that the sessions of a thread share.
pub(crate) struct Common {
    /// By number of the exchange in the study; `None` where it is another driver's.
    pub(crate) exchanges: Arc<Vec<Option<Exchange>>>,
    pub(crate) nonce: u64,
    pub(crate) scratch: RefCell<Scratch>,
    pub(crate) shared: Rc<Shared>,
    pub(crate) resender: RefCell<Resender>,
}

/// Builds the driver for all exchanges of a study.
pub(crate) fn build(all: &[Settings], context: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut endpoints = Vec::new();
    let mut exchanges = Vec::new();
    for settings in all {
        if !crate::EBMS.exchanges.iter().any(|kind| kind.name == settings.operation) {
            let what = format!("`ebms` has no operation `{}`", settings.operation);
            mistakes.push(Mistake::at(settings.node.place, "study::unknown-operation", what));
            continue;
        }
        let Some(exchange) = config::exchange(settings, &mut endpoints, context, &mut mistakes) else { continue };
        let index = usize::from(settings.number);
        if exchanges.len() <= index {
            exchanges.resize_with(index + 1, || None);
        }
        exchanges[index] = Some(exchange);
    }
    mistakes.into_result()?;
    Ok(Box::new(EbmsDriver { endpoints, exchanges: Arc::new(exchanges), nonce: context.nonce(), common: None }))
}

struct EbmsDriver {
    endpoints: Vec<Endpoint>,
    exchanges: Arc<Vec<Option<Exchange>>>,
    nonce: u64,
    common: Option<Rc<Common>>,
}

impl Driver for EbmsDriver {
    fn features(&self) -> Vec<Feature> {
        features::of(&self.exchanges, &self.endpoints)
    }

    fn set_up(&mut self) -> Result<(), Failure> {
        if self.common.is_none() {
            let target = |it: &Endpoint| Target::find(&it.host, it.port, it.tls.as_ref(), b"http/1.1");
            self.common = Some(Rc::new(Common {
                exchanges: self.exchanges.clone(),
                nonce: self.nonce,
                scratch: RefCell::default(),
                shared: Shared::new(self.endpoints.iter().map(target).collect::<Result<_, _>>()?),
                resender: RefCell::default(),
            }));
        }
        Ok(())
    }

    fn destinations(&self) -> Vec<Destination> {
        let mut found: Vec<Destination> = Vec::new();
        for (number, exchange) in self.exchanges.iter().enumerate() {
            let Some(exchange) = exchange else { continue };
            for route in exchange.used_routes() {
                let Endpoint { host, port, tls } = &self.endpoints[route.endpoint];
                let (exchange, link, is_tls) = (number as u16, route.endpoint as u16, tls.is_some());
                let destination = Destination { exchange, link, sharing: 1, host: host.clone(), port: *port, is_tls };
                if !found.contains(&destination) {
                    found.push(destination);
                }
            }
        }
        found
    }

    fn notices(&self) -> Vec<Notice> {
        self.common.as_ref().map_or_else(Vec::new, |common| common.shared.take_news())
    }

    fn session(&self, _: Slot) -> Box<dyn Session> {
        let common = self.common.clone().expect("invariant: `set_up` comes before the first session");
        Box::new(EbmsSession::new(common))
    }

    fn replies(&self) -> Option<Box<dyn ReplyHandler>> {
        Some(Box::new(Replies::new(self.exchanges.clone(), self.nonce, self.endpoints.clone())))
    }
}
