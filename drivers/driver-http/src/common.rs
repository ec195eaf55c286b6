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
        Ok(Rc::new(Self { exchanges, endpoints, scratch: RefCell::default(), shared: Shared::new(targets) }))
    }
}
