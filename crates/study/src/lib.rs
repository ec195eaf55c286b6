//! Study text to a checked [`Study`]: every mistake with its place, all at once.
//!
//! # Place in the pipeline
//! The first stage. Reads the study file, its includes and data; feeds `plan`, `launch`, `drive`, `watch`, `judge`.
//!
//! # Ideas
//! The text becomes a tree in which every node knows its place ([`contract::Node`]); the tree is checked, not
//! deserialised, so that the search for mistakes never stops at the first. Names in `$(…)` are resolved at their time:
//! when loading, when the instances have started, or for each exchange ([`names()`]).
//! Keys stand in tables; the checker reads by them and the published schema ([`schema()`]) is made from them.
//! What the language has and this version does not carry out stands in one table ([`NOT_YET`]).
//!
//! # Example
//! ```
//! let registry = study::Registry { drivers: &[], monitors: &[] };
//! let text = "study: Checkout\nexchnages: {}\n";
//! let rejected =
//!     study::load_text("checkout.yaml", text, ".".as_ref(), &registry, &study::Options::default()).err().unwrap();
//! assert!(rejected.to_string().contains("did you mean `exchanges`?"));
//! ```
//!
//! # Not here
//! When iterations start is `plan`'s; what a driver's own settings mean is the driver's.
#![forbid(unsafe_code)]

mod arithmetic;
mod capacity;
mod check_text;
mod codes;
mod compare;
mod data;
mod demand;
mod effective;
mod emit;
mod exchange;
mod include;
mod inventory;
mod keys;
mod listeners;
mod load;
mod load_key;
mod mentions;
mod mix;
pub mod model;
mod names;
mod not_yet;
mod phases;
mod places;
mod plugins;
mod profile;
mod read;
mod rejected;
mod report;
mod requirements;
pub mod rule;
mod rules;
mod scenario;
mod scenarios;
mod schema;
mod secrets;
mod system;
mod tables;
mod text;
mod top;
mod trial;
mod variables;
mod watch;
mod written;
mod yaml;

#[cfg(test)]
mod tests;

pub use codes::{CODES, paragraph};
pub use contract::LANGUAGES;
pub use data::kept_out;
pub use load::{load, load_text};
pub use mix::Together;
pub use model::*;
pub use names::{Resolver, names};
pub use not_yet::NOT_YET;
pub use places::{InstancePlace, Own, Places, ReplicaPlace};
pub use plugins::{check_plugins, settings};
pub use profile::{BLOCKS, Block, profile_from_text};
pub use rejected::{Rejected, show};
pub use report::{FORMATS, PAPERS};
pub use schema::schema;
pub use secrets::{SecretSource, Secrets};
pub use tables::load_tables;

/// The drivers and monitors that are built in; `study` learns their keys through it.
#[derive(Clone, Copy)]
pub struct Registry<'a> {
    /// Drivers, as `registry.rs` lists them.
    pub drivers: &'a [contract::DriverKind],
    /// Monitors, as `registry.rs` lists them.
    pub monitors: &'a [contract::MonitorKind],
}

impl<'a> Registry<'a> {
    /// The driver of that name.
    pub fn driver(&self, name: &str) -> Option<&'a contract::DriverKind> {
        self.drivers.iter().find(|driver| driver.name == name)
    }

    /// The monitor of that kind.
    pub fn monitor(&self, kind: &str) -> Option<&'a contract::MonitorKind> {
        self.monitors.iter().find(|monitor| monitor.name == kind)
    }
}

/// What the command line adds to a study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// `--set name=value`: new values for variables, as text.
    pub set: Vec<(String, String)>,
    /// `--for`: the length of a trial in all.
    pub trial: Option<terms::Nanos>,
    /// Where secrets come from.
    pub secrets: SecretSource,
}

/// The small commented study that `loadproof new` writes.
pub fn new_study() -> &'static str {
    include_str!("new-study.yaml")
}
