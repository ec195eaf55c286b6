//! Tests of the crate as a whole.

mod bounds;
mod capacity;
mod change;
mod compare;
mod credentials;
mod data;
pub(crate) mod fakes;
mod grid;
mod guide;
mod held;
mod hostile;
mod identity;
mod kept_out;
mod later;
mod loads;
mod messages;
mod messaging;
mod mixes;
mod profile;
mod published;
mod samples;
mod scripts;
mod users;
mod validity;
mod values;
mod whole;
mod yaml;
