//! What the sessions of a thread share.

use crate::config::Exchange;
use crate::endpoint::Endpoint;
use crate::request::Scratch;
use contract::Failure;
use http_wire::Shared;
use std::cell::RefCell;
use std::rc::Rc;

/// Everything that the sessions of a thread share.
pub(crate) struct Common {
    /// By number of the exchange in the study; `None` where it is another driver's.
    pub(crate) exchanges: Vec<Option<Exchange>>,
    /// Whether some go wherever an answer has sent them.
    pub(crate) has_addresses: bool,
    /// The captured values that say where.
    pub(crate) addresses: Vec<u8>,
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
            endpoints,
            scratch: RefCell::default(),
            shared: Shared::new(targets),
        }))
    }
}
