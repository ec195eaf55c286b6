//! What the wrappers share.
//!
//! # Place in the pipeline
//! Outside of it and of the workspace.
//!
//! # Ideas
//! libFuzzer takes every panic for a finding, before anybody can catch it.
//!
//! # Not here
//! What is tried, and what must hold of it, is in `fuzz-targets`.
#![forbid(unsafe_code)]

/// The reader of run folders catches panics of the library that decodes tables, and tells them as damage. Those are no
/// findings; any other panic is, and so is one that nobody catches, for which the wrapper ends the process.
pub fn let_the_decoder_panic() {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.location().is_some_and(|place| place.file().contains("/parquet-") || place.file().contains("/snap-")) {
            loud(info);
        }
    }));
}
