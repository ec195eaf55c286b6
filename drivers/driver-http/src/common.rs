//! What the sessions of a thread share.

use crate::config::Exchange;
use crate::endpoint::Endpoint;
use crate::request::Scratch;
use contract::Failure;
use http_wire::Shared;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Where an answer came from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) endpoint: usize,
    /// Path and query.
    pub(crate) target: String,
}

/// Where the answers of a user came from, whichever of its connections they came on: what it is at when it makes calls at
/// once belongs to the user as its captured values do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// The last answer.
    last: Option<Origin>,
    /// Those that gave captured addresses, by the number of the captured value.
    captured: Vec<(u8, Origin)>,
}

impl Places {
    /// An answer came from there.
    pub(crate) fn answered(&mut self, from: Origin) {
        self.last = Some(from);
    }

    /// A captured address came from there.
    pub(crate) fn captured(&mut self, slot: u8, from: Origin) {
        self.captured.retain(|(known, _)| *known != slot);
        self.captured.push((slot, from));
    }

    /// What an address is relative to: where it was captured, or else where the last answer came from.
    pub(crate) fn base(&self, capture: Option<u8>) -> Option<&Origin> {
        let place = self.captured.iter().find(|(slot, _)| Some(*slot) == capture);
        place.map(|(_, origin)| origin).or(self.last.as_ref())
    }
}

/// Everything that the sessions of a thread share.
pub(crate) struct Common {
    /// By number of the exchange in the study; `None` where it is another driver's.
    pub(crate) exchanges: Vec<Option<Exchange>>,
    /// Whether some go wherever an answer has sent them.
    pub(crate) has_addresses: bool,
    /// The captured values that say where.
    pub(crate) addresses: Vec<u8>,
    /// By user, where some request's address may be relative to where one of its answers came from.
    pub(crate) places: RefCell<HashMap<u64, Places>>,
    /// Where they go, by number.
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) scratch: RefCell<Scratch>,
    pub(crate) shared: Rc<Shared>,
}

impl Common {
    /// Everything for these exchanges: finds the addresses.
    pub(crate) fn new(exchanges: Vec<Option<Exchange>>, endpoints: &[Endpoint]) -> Result<Rc<Self>, Failure> {
        let targets = endpoints.iter().map(Endpoint::target).collect::<Result<_, _>>()?;
        let endpoints = endpoints.to_vec();
        let anywhere = || exchanges.iter().flatten().filter_map(|exchange| exchange.address);
        let (has_addresses, addresses) =
            (anywhere().next().is_some(), anywhere().filter_map(|it| it.capture).collect());
        Ok(Rc::new(Self {
            exchanges,
            has_addresses,
            addresses,
            places: RefCell::default(),
            endpoints,
            scratch: RefCell::default(),
            shared: Shared::new(targets),
        }))
    }
}
