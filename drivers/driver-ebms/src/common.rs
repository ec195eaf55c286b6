//! What the sessions of a thread and the sending of messages again have in common.

use crate::compose::Scratch;
use crate::exchange::Exchange;
use http_wire::{Call, Counted, Expecting, Shared};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// An answer is kept up to this length: a synchronous reply is an envelope, perhaps with a payload.
const KEEP_BYTES: usize = crate::xml::DOCUMENT_BYTES_MAX;

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
}

/// What a client is asked for to send a message.
pub(crate) fn call(endpoint: usize, message: &[u8], reuse: bool) -> Call<'_> {
    let expecting = Expecting { keeps_head: true, keep: KEEP_BYTES, ..Expecting::default() };
    // A message goes out again as its agreement has it, and not otherwise.
    Call { target: endpoint, request: message, http2: None, expecting, reuse, retry: false }
}
