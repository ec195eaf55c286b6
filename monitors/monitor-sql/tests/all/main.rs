//! All tests of this crate in one program: one to link, and tests of one file run beside those of another.
#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

mod common;
mod cost;
mod mariadb;
mod mariadb_server;
mod postgres;
mod settings;
mod sqlite;
