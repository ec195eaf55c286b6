//! The lab's listeners of one run, and the way of what arrives there to the load threads.

use crate::blueprints::blueprint;
use crate::error::RunError;
use crate::prepare::Prepared;
use clock::Clock;
use contract::Names;
use drive::{Blueprint, Delivery, Mailbox};
use listen::{Bound, Handed, Listening, Notice};
use std::sync::Arc;

/// Takes the listeners' addresses, before anything that could be told of them is started.
pub(crate) fn bind(prepared: &Prepared) -> Result<Vec<Bound>, RunError> {
    listen::bind(&prepared.study.listeners, &prepared.study.base).map_err(|failure| RunError::Refused(failure.0))
}

/// The way of later answers to the load threads; the default where the study has no listener.
#[derive(Clone, Default)]
pub struct Replies {
    /// None where the study has no listener.
    mailbox: Option<Arc<Mailbox>>,
    nonce: u64,
}

impl Replies {
    /// For a run of this id.
    pub(crate) fn new(run_id: &str, bound: &[Bound]) -> Self {
        let nonce = run_id.bytes().fold(1, |nonce, byte| terms::seed::hash(nonce, byte.into()));
        Self { mailbox: (!bound.is_empty()).then(Arc::default), nonce }
    }

    /// The blueprint of a part whose threads get replies.
    pub(crate) fn blueprint<'a>(
        &self,
        prepared: &Prepared,
        names: &'a (dyn Names + Sync),
        workers: u16,
    ) -> Result<Blueprint<'a>, study::Rejected> {
        let Self { mailbox, nonce } = self.clone();
        let mut blueprint = Blueprint { mailbox, nonce, ..blueprint(prepared, names, workers)? };
        blueprint.shared.traces.run = nonce;
        Ok(blueprint)
    }

    /// Begins to serve the listeners. Nothing where the study has none.
    pub(crate) fn serve(
        &self,
        prepared: &Prepared,
        names: &(dyn Names + Sync),
        bound: Vec<Bound>,
        clock: &Clock,
        tell: impl Fn(Notice) + Send + 'static,
    ) -> Result<Option<Listening>, RunError> {
        let Some(mailbox) = self.mailbox.clone() else { return Ok(None) };
        let handlers =
            self.blueprint(prepared, names, 1)?.handlers().map_err(|mistakes| prepared.rejected(mistakes))?;
        let hand_in = move |arrival| match mailbox.hand_in(arrival) {
            Delivery::Handed => Handed::Taken,
            Delivery::TooLate => Handed::TooLate,
            Delivery::Unknown => Handed::Unknown,
        };
        let served = listen::serve(bound, handlers, clock.clone(), hand_in, tell);
        served.map(Some).map_err(|failure| RunError::Listeners(failure.0))
    }
}
