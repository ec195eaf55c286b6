//! Tests of the crate as a whole.

mod fakes;
mod samples;
mod whole;
