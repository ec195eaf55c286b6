//! Studies whose system is simulated.

use run::Prepared;
use std::path::Path;
use study::{Options, Registry};
use testkit::SIMULATED;

/// A study that can be run.
pub(crate) fn prepared(text: &str) -> Prepared {
    let registry = Registry { drivers: &[SIMULATED], monitors: &[], blocks: &[] };
    let loaded = study::load_text("test", text, Path::new("."), &registry, &Options::default());
    let (study, secrets) = loaded.unwrap_or_else(|rejected| panic!("{rejected}"));
    run::prepare(study, secrets, registry, &drop).unwrap()
}
