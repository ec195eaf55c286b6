//! Tests of both protocols in one program.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

mod binary;
mod common;
mod peer;
mod receiver;
