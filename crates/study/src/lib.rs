//! Study text to a checked [`Study`]: every mistake with its place, all at once.
//!
//! # Place in the pipeline
//! The first stage. Reads the study file, its includes and data; feeds `plan`, `launch`, `drive`, `watch`, `judge`.
//!
//! # Ideas
//! The text becomes a tree in which every node knows its place ([`contract::Node`]); the tree is checked, not
//! deserialised, so that the search for mistakes never stops at the first. Names in `$(…)` are resolved at their time:
//! when loading, when the instances have started, or for each exchange ([`names()`]).
//! Keys are declared in tables; the checker reads by them, and the published schema ([`schema()`]) follows from them.
//! What the language has but this version does not support is in one table ([`NOT_YET`]).
//!
//! # Example
//! ```
//! let registry = study::Registry { drivers: &[], monitors: &[], blocks: &[] };
//! let text = "study: Checkout\nexchnages: {}\n";
//! let rejected =
//!     study::load_text("checkout.yaml", text, ".".as_ref(), &registry, &study::Options::default()).err().unwrap();
//! assert!(rejected.to_string().contains("did you mean `exchanges`?"));
//! ```
//!
//! # Not here
//! When iterations start is `plan`'s; what a driver's own settings mean is the driver's.
#![forbid(unsafe_code)]

mod effective;
mod instances;
mod load;
mod mentions;
pub mod model;
mod names;
mod phases;
mod placeholder;
mod plugins;
mod rules;
mod schema;
mod sections;
mod slips;
mod syntax;
mod tables;
mod trial;
mod written;

#[cfg(test)]
mod tests;

pub use contract::LANGUAGES;
pub use effective::run_node;
pub use instances::{BoundInstance, renewed};
pub use load::{load, load_text};
pub use model::*;
pub use names::places::{InstancePlace, Own, Places, ReplicaPlace};
pub use names::secrets::{SecretSource, Secrets};
pub use names::{Resolver, names, names_of_instances};
pub use placeholder::{SECRET_PLACEHOLDER, placeholder_secrets};
pub use plugins::{check_plugins, settings};
pub use schema::schema;
pub use sections::data::kept_out;
pub use sections::mix::Together;
pub use sections::profile::profile_from_text;
pub use sections::report::{FORMATS, PAPERS};
pub use sections::waits::QUIET;
pub use sections::watch::check_node_name;
pub use syntax::codes::{CODES, paragraph};
pub use syntax::not_yet::NOT_YET;
pub use syntax::read::is_reserved;
pub use syntax::rejected::{Rejected, show};
pub use syntax::search::Tried;
pub use tables::load_tables;

/// What is built in beside the language: drivers and monitors, whose keys `study` learns here, and blocks of reports.
#[derive(Clone, Copy)]
pub struct Registry<'a> {
    /// Drivers, as `registry.rs` lists them.
    pub drivers: &'a [contract::DriverKind],
    /// Monitors, as `registry.rs` lists them.
    pub monitors: &'a [contract::MonitorKind],
    /// Blocks that a report can have; profiles choose among them.
    pub blocks: &'a [Block],
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
