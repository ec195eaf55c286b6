//! All tests of this crate in one program: one to link, and tests of one file run beside those of another.

mod errors;
mod mariadb;
mod ping;
mod reliable;
mod support;
