//! Texts on their way to the screen: whatever is kept out is cut from them here.

use scrub::KeptOut;
use std::borrow::Cow;
use std::sync::{PoisonError, RwLock};

/// What is kept out by the study in hand. One for the process: an error that ends the command has left everything else.
static KEPT_OUT: RwLock<Option<KeptOut>> = RwLock::new(None);

/// From now on this is kept out of what is shown.
pub(crate) fn keep_out(kept_out: KeptOut) {
    *KEPT_OUT.write().unwrap_or_else(PoisonError::into_inner) = Some(kept_out);
}

/// A text as it may be shown. Every text for the screen that is made of more than our own words goes through here.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    match &*KEPT_OUT.read().unwrap_or_else(PoisonError::into_inner) {
        Some(kept_out) => kept_out.cut_values(text),
        None => KeptOut::default().cut_values(text).into_owned().into(),
    }
}
