//! All tests of this crate in one program: one to link, and tests of one file run beside those of another.

mod allocation;
mod answers;
mod common;
mod conformance;
mod hostile;
mod incoming;
mod refused;
mod reliable;
mod settings;
mod signed;
mod tls;
