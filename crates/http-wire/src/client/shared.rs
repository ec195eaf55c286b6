//! What all clients of a thread share.

use crate::http2::Pool;
use crate::{Spare, Target, TlsSettings, Turnstile};
use contract::{Failure, Notice};
use std::cell::RefCell;
use std::rc::Rc;

/// What one reading takes at most. One buffer serves all clients of a thread, since each reading is digested at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// What all clients of a thread share: where they go, memory, and connections of HTTP/2.
pub struct Shared {
    /// Where exchanges go; a [`Call`](crate::Call) names one by its index.
    pub(crate) targets: Vec<Target>,
    pub(crate) buffer: RefCell<Box<[u8]>>,
    /// Buffers for requests and bodies that nobody holds at the moment.
    pub spare: Spare,
    /// Held connections that are opened again pass it.
    pub turnstile: Turnstile,
    pub(crate) http2: Pool,
}

impl Shared {
    /// Clients that go to these targets.
    pub fn new(targets: Vec<Target>) -> Rc<Self> {
        let buffer = RefCell::new(vec![0; BUFFER_BYTES].into());
        Rc::new(Self {
            targets,
            buffer,
            spare: Spare::default(),
            turnstile: Turnstile::default(),
            http2: Pool::default(),
        })
    }

    /// Clients that go to another port of that target's host, at the address that was found for it: no name is looked up
    /// while load runs. `tls` is `None` for plain HTTP.
    ///
    /// # Errors
    /// Certificates that cannot be used.
    pub fn beside(&self, target: usize, host: &str, port: u16, tls: Option<&TlsSettings>) -> Result<Rc<Self>, Failure> {
        Ok(Self::new(vec![self.targets[target].beside(host, port, tls)?]))
    }

    /// What has happened on any of the targets since the last call.
    pub fn take_news(&self) -> Vec<Notice> {
        self.targets.iter().flat_map(Target::take_news).collect()
    }
}
