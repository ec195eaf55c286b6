//! The sections of a study, one file each: their keys, and how they become the model.

pub(crate) mod capacity;
mod check_text;
pub(crate) mod compare;
pub(crate) mod data;
pub(crate) mod exchange;
pub(crate) mod healthiest;
pub(crate) mod held;
pub(crate) mod inventory;
pub(crate) mod listeners;
pub(crate) mod load_key;
pub(crate) mod load_nodes;
pub(crate) mod mix;
pub(crate) mod namespaces;
pub(crate) mod parallel;
pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod requirements;
pub(crate) mod run;
pub(crate) mod scenario;
mod scenarios;
pub(crate) mod scripts;
pub(crate) mod search;
pub(crate) mod system;
pub(crate) mod top;
pub(crate) mod validity;
pub(crate) mod waits;
pub(crate) mod watch;
