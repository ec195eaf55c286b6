//! All tests of this crate in one program: one to link, and tests of one file run beside those of another.

mod faults;
mod front;
mod hostile;
mod jvm;
mod kafka;
mod log;
mod lookups;
mod mariadb;
mod registration;
mod support;
mod tokens;
