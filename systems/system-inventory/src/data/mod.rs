//! The collection: what instance number `i` is, as a function of the seed and `i` alone.

mod catalogue;
mod draws;
mod holding;
mod marc;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

pub(crate) use catalogue::{Catalogue, Instance, is_uuid, uuid_text};
pub(crate) use holding::Holding;
pub(crate) use marc::Record;

/// Instances in a store when nothing else is asked for: the scale of the study.
pub(crate) const INSTANCES_DEFAULT: u64 = 100_000;
/// Most instances; ten million take about 60 GB.
pub(crate) const INSTANCES_MAX: u64 = 10_000_000;
/// Seed when nothing else is asked for.
pub(crate) const SEED_DEFAULT: u64 = 1;

/// Writes the data file of a study: header `uuid,hrid`, then one line an instance.
pub(crate) fn write_csv(path: &Path, catalogue: &Catalogue, instances: u64) -> Result<()> {
    let write = || -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "uuid,hrid")?;
        for number in 0..instances {
            let instance = catalogue.instance(number);
            writeln!(file, "{},{}", instance.uuid, instance.hrid)?;
        }
        file.flush()
    };
    write().with_context(|| format!("cannot write `{}`", path.display()))
}
