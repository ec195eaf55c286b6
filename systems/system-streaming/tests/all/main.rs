//! All tests of this crate in one program: one to link, and tests of one file run beside those of another. The WebSockets
//! of the other side are by other hands than those of the system.

mod echo;
mod faults;
mod feed;
mod gateway;
mod hub;
mod lifetime;
mod mirror;
mod subscriber;
mod support;
mod tls;
