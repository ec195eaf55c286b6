//! The lab's listeners of one run, and the way of what arrives there to the load threads.

use crate::error::RunError;
use crate::prepare::Prepared;
use crate::setup::setup;
use clock::Clock;
use contract::Names;
use drive::{Blueprint, Post, Posted};
use listen::{Bound, Handed, Listening, Told};
use std::sync::Arc;

/// Takes the listeners' addresses, before anything that could be told of them is started.
pub(crate) fn bind(prepared: &Prepared) -> Result<Vec<Bound>, RunError> {
    listen::bind(&prepared.study.listeners, &prepared.study.base).map_err(|failure| RunError::Refused(failure.0))
}

/// The way of later answers to the load threads; the default where the study has no listener.
#[derive(Clone, Default)]
pub struct Replies {
    /// None where the study has no listener.
    post: Option<Arc<Post>>,
    nonce: u64,
}

impl Replies {
    /// For a run of this id.
    pub(crate) fn new(run_id: &str, bound: &[Bound]) -> Self {
        let nonce = run_id.bytes().fold(1, |nonce, byte| terms::seed::hash(nonce, byte.into()));
        Self { post: (!bound.is_empty()).then(Arc::default), nonce }
    }

    /// The setup of a part whose threads get replies.
    pub(crate) fn setup<'a>(
        &self,
        prepared: &Prepared,
        names: &'a (dyn Names + Sync),
        workers: u16,
    ) -> Result<Blueprint<'a>, study::Rejected> {
        let Self { post, nonce } = self.clone();
        Ok(Blueprint { post, nonce, ..setup(prepared, names, workers)? })
    }

    /// Begins to serve the listeners. Nothing where the study has none.
    pub(crate) fn serve(
        &self,
        prepared: &Prepared,
        names: &(dyn Names + Sync),
        bound: Vec<Bound>,
        clock: &Clock,
        tell: impl Fn(Told) + Send + 'static,
    ) -> Result<Option<Listening>, RunError> {
        let Some(post) = self.post.clone() else { return Ok(None) };
        let handlers = self.setup(prepared, names, 1)?.handlers().map_err(|mistakes| prepared.rejected(mistakes))?;
        let hand_in = move |arrival| match post.hand_in(arrival) {
            Posted::Handed => Handed::Taken,
            Posted::TooLate => Handed::TooLate,
            Posted::Unknown => Handed::Unknown,
        };
        let served = listen::serve(bound, handlers, clock.clone(), hand_in, tell);
        served.map(Some).map_err(|failure| RunError::Listeners(failure.0))
    }
}
