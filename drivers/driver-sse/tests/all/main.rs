//! All tests of this crate in one program: one to link, and tests of one file run beside those of another.

mod allocation;
mod common;
mod events;
mod hostile;
mod opening;
mod owed;
mod peers;
mod resume;
mod sequence;
mod streams;
mod tls;
