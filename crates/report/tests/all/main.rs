//! All tests of this crate in one program: one to link, and tests of one file run beside those of another.

mod bulk;
mod capacity;
mod catalogue;
mod ci;
mod conformance;
mod disturbed;
mod endings;
mod first_screen;
mod fixture;
mod formats;
mod grids;
mod iterations;
mod members;
mod messaging;
mod mixes;
mod page;
mod plugins;
mod profiles;
mod repeated;
mod result_schema;
mod scaling;
mod seed_errors;
mod size;
mod snapshots;
mod stalls;
