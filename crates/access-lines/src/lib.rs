//! Lines of access logs as calls: by the pattern that a server writes them with, or by the fields of a JSON object.
//!
//! # Place in the pipeline
//! Below the monitor `access_log`, which follows logs while they grow, and `import`, which reads whole ones.
//!
//! # Ideas
//! The pattern is that of the server's own configuration ([`Pattern`]), so that nobody writes an expression for it. What
//! a line does not say is `None`; the unit of a duration is stated by the pattern or by whoever asks, never guessed.
//!
//! # Not here
//! Following files, and what the calls of a log mean.
#![forbid(unsafe_code)]

mod fields;
mod pattern;
mod stamp;

pub use fields::{Call, Format, JsonFields};
pub use pattern::{Field, NAMED, Pattern, Piece};
pub use stamp::{Moment, Stamp};
