//! All tests of this crate in one program: one to link, and tests of one file run beside those of another.

mod allocation;
mod common;
mod compression;
mod gaps;
mod handshake;
mod hostile;
mod messages;
mod owed;
mod peers;
mod reconnect;
mod tls;
