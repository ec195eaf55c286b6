//! The driver: all exchanges compiled, addresses resolved, memory that the sessions of a thread share.

use crate::common::Common;
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
use http_wire::{Shared, Target};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

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
    Ok(Box::new(EbmsDriver {
        endpoints,
        exchanges: Arc::new(exchanges),
        nonce: context.nonce(),
        common: None,
        resender: Rc::default(),
    }))
}

struct EbmsDriver {
    endpoints: Vec<Endpoint>,
    exchanges: Arc<Vec<Option<Exchange>>>,
    nonce: u64,
    common: Option<Rc<Common>>,
    resender: Rc<RefCell<Resender>>,
}

impl Driver for EbmsDriver {
    fn features(&self) -> Vec<Feature> {
        features::of(&self.exchanges, &self.endpoints)
    }

    fn set_up(&mut self) -> Result<(), Failure> {
        if self.common.is_none() {
            let target = |it: &Endpoint| {
                let found = Target::find(&it.host, it.port, it.tls.as_ref(), b"http/1.1");
                found.map(|target| target.with_idle(it.idle))
            };
            self.common = Some(Rc::new(Common {
                exchanges: self.exchanges.clone(),
                nonce: self.nonce,
                scratch: RefCell::default(),
                shared: Shared::new(self.endpoints.iter().map(target).collect::<Result<_, _>>()?),
            }));
        }
        Ok(())
    }

    fn destinations(&self) -> Vec<Destination> {
        let mut found: Vec<Destination> = Vec::new();
        for (number, exchange) in self.exchanges.iter().enumerate() {
            let Some(exchange) = exchange else { continue };
            for route in exchange.used_routes() {
                let Endpoint { host, port, tls, .. } = &self.endpoints[route.endpoint];
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
        Box::new(EbmsSession::new(common, self.resender.clone()))
    }

    fn replies(&self) -> Option<Box<dyn ReplyHandler>> {
        Some(Box::new(Replies::new(self.exchanges.clone(), self.nonce, self.endpoints.clone())))
    }
}
