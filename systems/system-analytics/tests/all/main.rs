//! The programs of this system, in one test program.
#![allow(clippy::unwrap_used, reason = "a test")]

mod broken;
mod common;
mod programs;
mod protocols;
