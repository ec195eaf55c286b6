//! The driver: all exchanges compiled, the sessions made of them, and what reads callbacks.

use crate::board::{Board, Feed};
use crate::callback::Callbacks;
use crate::config::{self, Endpoint, Exchange};
use crate::discovery;
use crate::redirect::Places;
use crate::replies::{Replies, Topic};
use crate::session::WebSubSession;
use contract::{
    BuildContext, Destination, Driver, Failure, Feature, Mistake, Mistakes, Notice, ReplyHandler, Session, Settings,
    Slot,
};
use http_wire::Shared;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The feature that a topic without a secret leaves out.
pub(crate) const SIGNED: &str = "signature";
/// The feature that is left out where subscriptions are not ended by a request.
pub(crate) const UNSUBSCRIBED: &str = "unsubscription";

/// Everything that the sessions of a thread share.
pub(crate) struct Common {
    /// By number of the exchange in the study; `None` where it is another driver's.
    exchanges: Vec<Option<Topical>>,
    pub(crate) shared: Rc<Shared>,
    /// Where a hub may send requests on to.
    pub(crate) places: Places,
    pub(crate) callbacks: Callbacks,
    /// What was discovered, until it is told.
    news: RefCell<Vec<Notice>>,
    /// Memory for a form, or for an event's content.
    pub(crate) scratch: RefCell<Vec<u8>>,
}

/// An exchange with its feed.
pub(crate) struct Topical {
    pub(crate) exchange: Exchange,
    pub(crate) feed: Arc<Feed>,
}

impl Common {
    pub(crate) fn topical(&self, number: u16) -> Option<&Topical> {
        self.exchanges.get(usize::from(number))?.as_ref()
    }
}

/// Builds the driver for all exchanges of a study.
pub(crate) fn build(all: &[Settings], context: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let (mut endpoints, mut exchanges) = (Vec::new(), Vec::new());
    let board = context.commons().get::<Board>();
    for settings in all {
        if !crate::WEBSUB.exchanges.iter().any(|kind| kind.name == settings.operation) {
            let what = format!("`websub` has no operation `{}`", settings.operation);
            mistakes.push(Mistake::at(settings.node.place, "study::unknown-operation", what));
            continue;
        }
        let Some(exchange) = config::exchange(settings, &mut endpoints, context, &mut mistakes) else { continue };
        let index = usize::from(settings.number);
        if exchanges.len() <= index {
            exchanges.resize_with(index + 1, || None);
        }
        exchanges[index] = Some(Topical { exchange, feed: board.feed(settings.number) });
    }
    mistakes.into_result()?;
    Ok(Box::new(WebSubDriver { endpoints, exchanges, nonce: context.nonce(), common: None }))
}

struct WebSubDriver {
    endpoints: Vec<Endpoint>,
    exchanges: Vec<Option<Topical>>,
    nonce: u64,
    common: Option<Rc<Common>>,
}

impl WebSubDriver {
    /// All exchanges with their numbers, wherever they are by now.
    fn topics(&self) -> impl Iterator<Item = (u16, &Topical)> {
        let exchanges = self.common.as_ref().map_or(&self.exchanges, |common| &common.exchanges);
        exchanges.iter().enumerate().filter_map(|(number, topical)| Some((number as u16, topical.as_ref()?)))
    }
}

impl Driver for WebSubDriver {
    fn features(&self) -> Vec<Feature> {
        let of = |(number, Topical { exchange, .. }): (u16, &Topical)| {
            let feature =
                |name: &str, is_exercised, leg| Feature { exchange: number, name: name.to_owned(), is_exercised, leg };
            let farewell = feature(UNSUBSCRIBED, exchange.farewell.is_some(), Some(crate::UNSUBSCRIBE));
            [feature(SIGNED, exchange.secret.is_some(), None), farewell]
        };
        self.topics().flat_map(of).collect()
    }

    fn set_up(&mut self) -> Result<(), Failure> {
        if self.common.is_some() {
            return Ok(());
        }
        let mut news = Vec::new();
        for Topical { exchange, feed } in self.exchanges.iter_mut().flatten() {
            let Some((topic, url)) = exchange.discovered_at.take() else { continue };
            let target = || self.endpoints[exchange.hub].target();
            let mut is_first = false;
            let found = feed.discover(|| {
                is_first = true;
                discovery::ask(&topic, &url, target()?)
            })?;
            if is_first {
                let text = format!("the topic names the hub {}, and itself `{}`", found.hub_shown, found.topic);
                news.push(Notice { kind: "hub", subject: topic, text });
            }
            exchange.address(&found.hub, &found.topic, &mut self.endpoints);
        }
        let targets = self.endpoints.iter().map(Endpoint::target).collect::<Result<_, _>>()?;
        let shared = Shared::new(targets);
        self.common = Some(Rc::new(Common {
            news: news.into(),
            exchanges: std::mem::take(&mut self.exchanges),
            places: Places::new(self.endpoints.clone(), shared.clone()),
            shared,
            callbacks: Callbacks::new(self.nonce),
            scratch: RefCell::default(),
        }));
        Ok(())
    }

    fn destinations(&self) -> Vec<Destination> {
        let of = |number, link: usize, sharing| {
            let Endpoint { host, port, tls } = self.endpoints.get(link)?;
            let (host, port, is_tls) = (host.clone(), *port, tls.is_some());
            Some(Destination { exchange: number, link: link as u16, sharing, host, port, is_tls })
        };
        let each = self.topics().flat_map(|(number, Topical { exchange, .. })| {
            // One session publishes. Without a ramp all subscribe at once; the hub's connections are counted for that.
            let publisher = of(number, exchange.publisher, u32::MAX).filter(|_| exchange.publisher != exchange.hub);
            [of(number, exchange.hub, 1), publisher]
        });
        each.flatten().collect()
    }

    fn notices(&self) -> Vec<Notice> {
        self.common.as_ref().map_or_else(Vec::new, |common| {
            let mut news = common.news.take();
            news.extend(common.shared.take_news());
            news
        })
    }

    fn session(&self, slot: Slot) -> Box<dyn Session> {
        let common = self.common.clone().expect("invariant: `set_up` comes before the first session");
        Box::new(WebSubSession::new(common, slot))
    }

    fn replies(&self) -> Option<Box<dyn ReplyHandler>> {
        let topics = self.topics().map(|(number, Topical { exchange, feed })| {
            (number, Topic::new(&exchange.topic, exchange.secret.as_deref(), feed.clone()))
        });
        Some(Box::new(Replies::new(Callbacks::new(self.nonce), topics.collect())))
    }
}
