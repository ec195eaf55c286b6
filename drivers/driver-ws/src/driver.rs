//! The driver: all exchanges compiled, and the sessions made of them.

use crate::config::{self, Exchange};
use crate::deflate::{Deflater, Inflater};
use crate::session::WsSession;
use contract::{
    BuildContext, Destination, Driver, Failure, Feature, Mistake, Mistakes, Notice, Session, Settings, Slot,
};
use http_wire::{Endpoint, Shared};
use std::cell::RefCell;
use std::rc::Rc;

/// What one reading takes at most. One buffer serves all connections of a thread, since each reading is digested at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// The feature that one-way messages leave out: nothing waits for the leg then.
pub(crate) const ANSWERS: &str = "answers";

/// Everything that the sessions of a thread share.
pub(crate) struct Common {
    /// By number of the exchange in the study; `None` where it is another driver's.
    exchanges: Vec<Option<Exchange>>,
    pub(crate) shared: Rc<Shared>,
    pub(crate) buffer: RefCell<Box<[u8]>>,
    /// Memory to turn a text round in.
    pub(crate) scratch: RefCell<Vec<u8>>,
    pub(crate) deflater: RefCell<Deflater>,
    pub(crate) inflater: RefCell<Inflater>,
    /// What tells this run from others.
    pub(crate) nonce: u64,
}

impl Common {
    pub(crate) fn exchange(&self, number: u16) -> Option<&Exchange> {
        self.exchanges.get(usize::from(number))?.as_ref()
    }
}

/// Builds the driver for all exchanges of a study.
pub(crate) fn build(all: &[Settings], context: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let (mut endpoints, mut exchanges) = (Vec::new(), Vec::new());
    for settings in all {
        if !crate::WS.exchanges.iter().any(|kind| kind.name == settings.operation) {
            let what = format!("`ws` has no operation `{}`", settings.operation);
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
    Ok(Box::new(WsDriver { endpoints, exchanges, nonce: context.nonce(), common: None }))
}

struct WsDriver {
    endpoints: Vec<Endpoint>,
    exchanges: Vec<Option<Exchange>>,
    nonce: u64,
    common: Option<Rc<Common>>,
}

impl WsDriver {
    /// All exchanges, wherever they are by now.
    fn exchanges(&self) -> &[Option<Exchange>] {
        self.common.as_ref().map_or(&self.exchanges, |common| &common.exchanges)
    }
}

impl Driver for WsDriver {
    fn features(&self) -> Vec<Feature> {
        let of = |(number, exchange): (usize, &Option<Exchange>)| {
            let is_exercised = exchange.as_ref()?.is_answered();
            Some(Feature { exchange: number as u16, name: ANSWERS.to_owned(), is_exercised, leg: Some(crate::ANSWER) })
        };
        self.exchanges().iter().enumerate().filter_map(of).collect()
    }

    fn set_up(&mut self) -> Result<(), Failure> {
        if self.common.is_some() {
            return Ok(());
        }
        let targets = self.endpoints.iter().map(Endpoint::target).collect::<Result<_, _>>()?;
        let (mut deflater, mut inflater) = (Deflater::default(), Inflater::default());
        if self.exchanges.iter().flatten().any(|exchange| exchange.compression) {
            deflater.warm_up();
            inflater.warm_up();
        }
        self.common = Some(Rc::new(Common {
            exchanges: std::mem::take(&mut self.exchanges),
            shared: Shared::new(targets),
            buffer: RefCell::new(vec![0; BUFFER_BYTES].into()),
            scratch: RefCell::default(),
            deflater: deflater.into(),
            inflater: inflater.into(),
            nonce: self.nonce,
        }));
        Ok(())
    }

    fn destinations(&self) -> Vec<Destination> {
        let of = |(number, exchange): (usize, &Option<Exchange>)| {
            let link = exchange.as_ref()?.endpoint;
            Some(self.endpoints.get(link)?.destination(number as u16, link))
        };
        self.exchanges().iter().enumerate().filter_map(of).collect()
    }

    fn notices(&self) -> Vec<Notice> {
        self.common.as_ref().map_or_else(Vec::new, |common| common.shared.take_news())
    }

    fn session(&self, slot: Slot) -> Box<dyn Session> {
        let common = self.common.clone().expect("invariant: `set_up` comes before the first session");
        Box::new(WsSession::new(common, slot))
    }
}
