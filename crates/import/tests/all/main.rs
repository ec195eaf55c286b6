//! Imports as a whole: files in, judged run folders out.
#![allow(clippy::unwrap_used, reason = "tests")]

mod archives;
mod jmeter;
mod judged;
mod real;
