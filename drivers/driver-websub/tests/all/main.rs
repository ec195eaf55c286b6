//! All tests of this crate in one program: one to link, and tests of one file run beside those of another.

mod common;
mod deliveries;
mod discovery;
mod hostile;
mod memory;
mod owed;
mod publishing;
mod redirects;
mod subscriptions;
mod tls;
