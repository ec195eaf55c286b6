//! The collection: what instance number `i` is, as a function of the seed and `i` alone.

mod catalogue;
mod draws;
mod holding;
mod marc;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};

pub(crate) use catalogue::{Catalogue, Instance, is_uuid, uuid_text};
pub(crate) use holding::Holding;
pub(crate) use marc::Record;

/// An instance with all that belongs to it: what one line of an import brings.
pub(crate) type Item = (Instance, Record, Vec<Holding>);

impl Catalogue {
    /// Instances by number, with all that belongs to them, so many at a time.
    pub(crate) fn batches(self, numbers: Range<u64>, size: u64) -> impl Iterator<Item = Vec<Item>> {
        let one = move |number| {
            let instance = self.instance(number);
            let (record, holdings) = (self.record(&instance), self.holdings(&instance));
            (instance, record, holdings)
        };
        let end = numbers.end;
        numbers.step_by(size as usize).map(move |first| (first..(first + size).min(end)).map(one).collect())
    }
}

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
