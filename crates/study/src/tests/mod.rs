//! Tests of the crate as a whole.

mod fakes;
mod messages;
mod samples;
mod whole;
