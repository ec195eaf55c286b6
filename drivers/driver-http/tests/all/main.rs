//! All tests of this crate in one program: one to link, and tests of one file run beside those of another.

mod allocation;
mod browser;
mod common;
mod conformance;
mod hostile;
mod http2;
mod http2_hostile;
mod http2_shared;
mod http2_tls;
mod job;
mod kept;
mod proxy;
mod redirects;
mod retry;
mod tls;
mod traces;
