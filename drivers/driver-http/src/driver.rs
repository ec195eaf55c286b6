//! The driver: all exchanges compiled, and the sessions made of them.

use crate::REDIRECT;
use crate::common::Common;
use crate::config::{self, Cookies, Exchange};
use crate::endpoint::Endpoint;
use crate::session::HttpSession;
use contract::{
    BuildContext, Destination, Driver, Failure, LegLeftOut, Mistake, Mistakes, Notice, Session, Settings, Slot,
};
use http_wire::ProxySettings;
use std::rc::Rc;

/// Builds the driver for all exchanges of a study.
pub(crate) fn build(all: &[Settings], context: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut endpoints = Vec::new();
    let mut exchanges = Vec::new();
    // A single request that is always the same is not a journey, and pays for no cookies unless it asks for them.
    let is_journey = all.len() > 1 || all.iter().any(|settings| settings.node.get("cookies").is_some());
    let jar = if is_journey { Cookies::reserve(context) } else { None };
    for settings in all {
        let Some(exchange) = config::exchange(settings, &mut endpoints, jar, context, &mut mistakes) else { continue };
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
    if let Some((settings, _)) = all.iter().zip(&exchanges).find(|(_, exchange)| {
        endpoints.is_empty() && exchange.as_ref().is_some_and(|exchange| exchange.address.is_some())
    }) {
        let place = settings.node.get("url").map_or(settings.node.place, |node| node.place);
        let what = "no exchange of the study names the host that this address may be at";
        mistakes.push(
            Mistake::at(place, "http::url-varies", what)
                .hint("nothing that a study does not name is ever contacted; begin one URL with `http://host:port/`"),
        );
    }
    mistakes.into_result()?;
    Ok(Box::new(HttpDriver { endpoints, exchanges, common: None }))
}

/// Where exchanges go; `exchange` is the number in the study of what stands at an index.
pub(crate) fn destinations(
    exchanges: &[Option<Exchange>],
    endpoints: &[Endpoint],
    exchange: fn(usize) -> usize,
) -> Vec<Destination> {
    let of = |(index, compiled): (usize, &Option<Exchange>)| {
        let link = compiled.as_ref()?.endpoint;
        let Endpoint { host, port, tls, http2, proxy, .. } = endpoints.get(link)?;
        // Connections are made to the proxy, and to nobody else.
        let (host, port) = proxy.as_ref().map_or((host.as_str(), *port), ProxySettings::place);
        let (exchange, link, sharing) = (exchange(index) as u16, link as u16, http2.unwrap_or(1));
        Some(Destination { exchange, link, sharing, host: host.to_owned(), port, is_tls: tls.is_some() })
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

    fn legs_left_out(&self) -> Vec<LegLeftOut> {
        let numbered = self.exchanges.iter().zip(0u16..);
        let does_not_follow = |(exchange, number): (&Option<Exchange>, u16)| {
            let is_left_out = exchange.as_ref().is_some_and(|exchange| exchange.follow == 0);
            is_left_out.then_some(LegLeftOut {
                exchange: number,
                leg: REDIRECT,
                why: "follows no redirects",
                hint: "with `follow: no`, or a check or capture that asks for the redirect itself, the redirect is the \
                       answer, and its time that of the exchange; `follow: 10` follows it",
            })
        };
        numbered.filter_map(does_not_follow).collect()
    }

    fn destinations(&self) -> Vec<Destination> {
        destinations(&self.exchanges, &self.endpoints, |index| index)
    }

    fn notices(&self) -> Vec<Notice> {
        self.common.as_ref().map_or_else(Vec::new, |common| common.shared.take_news())
    }

    fn session(&self, slot: Slot) -> Box<dyn Session> {
        let common = self.common.clone().expect("invariant: `set_up` comes before the first session");
        Box::new(HttpSession::new(common, slot))
    }
}
