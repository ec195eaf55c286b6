//! The archive: who citizen number `i` is, and what was logged about them, as functions of the seed alone.

mod classes;
mod entry;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use terms::seed::hash;

use classes::class_of;
pub(crate) use entry::Entry;

/// Citizens when nothing else is asked for: the test data of the study, 1:1000.
pub(crate) const CITIZENS_DEFAULT: u64 = 100;
/// Most citizens: those of the study itself. A hundred have some 87,000 entries, so these have 87 million.
pub(crate) const CITIZENS_MAX: u64 = 100_000;
/// Seed when nothing else is asked for.
pub(crate) const SEED_DEFAULT: u64 = 1;

/// Ids have six free digits; those of helpers begin in the middle, so nobody has two.
const IDS: u64 = 1_000_000;
/// First number of a helper.
const HELPERS_FROM: u64 = IDS / 2;
/// Spreads numbers over the ids; it has no factor in common with their number, so no two meet.
const SPREAD: u64 = 387_421;
/// Keys of the draws: days of birth, how many entries, which.
const DAY: u64 = 0x44;
const COUNT: u64 = 0x43;
const ENTRY: u64 = 0x45;

/// All that an archive holds, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Archive {
    /// Every draw follows from it.
    pub(crate) seed: u64,
    /// People about whom something was logged; as many helpers looked them up.
    pub(crate) citizens: u64,
}

impl Archive {
    /// The id of a citizen: a valid day and month, then six digits. Made up; whoever has this number in life is not meant.
    pub(crate) fn citizen(&self, number: u64) -> String {
        self.id(number)
    }

    /// The id of a helper, of the same form as a citizen's.
    pub(crate) fn helper(&self, number: u64) -> String {
        self.id(HELPERS_FROM + number)
    }

    fn id(&self, number: u64) -> String {
        let draw = hash(hash(self.seed, DAY), number);
        let (month, any) = (draw % 12, draw / 12);
        const DAYS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let day = any % DAYS[month as usize];
        // A shift by the seed keeps two numbers apart, as the product does.
        let digits = (number.wrapping_mul(SPREAD) + self.seed % IDS) % IDS;
        format!("{:02}{:02}{digits:06}", day + 1, month + 1)
    }

    /// How many entries there are about a citizen: evenly distributed over its class.
    pub(crate) fn entries_about(&self, number: u64) -> u64 {
        let class = class_of(number);
        class.from + hash(hash(self.seed, COUNT), number) % (class.to - class.from)
    }

    /// All entries about a citizen, in no order of time.
    pub(crate) fn about(&self, number: u64) -> impl Iterator<Item = Entry> + use<> {
        let (archive, citizen) = (*self, self.citizen(number));
        let key = hash(hash(self.seed, ENTRY), number);
        (0..self.entries_about(number)).map(move |place| entry::draw(&archive, &citizen, hash(key, place)))
    }

    /// All entries, citizen by citizen.
    pub(crate) fn all(self) -> impl Iterator<Item = Entry> {
        (0..self.citizens).flat_map(move |number| self.about(number))
    }

    /// Writes the data files of a study: `citizens.csv` with `id,class`, and `helpers.csv` with `id`.
    pub(crate) fn write_csv(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
        write(&folder.join("citizens.csv"), "id,class", self.citizens, |number| {
            format!("{},{}", self.citizen(number), class_of(number).name)
        })?;
        write(&folder.join("helpers.csv"), "id", self.citizens, |number| self.helper(number))
    }
}

fn write(path: &Path, head: &str, rows: u64, row: impl Fn(u64) -> String) -> Result<()> {
    let write = || -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "{head}")?;
        for number in 0..rows {
            writeln!(file, "{}", row(number))?;
        }
        file.flush()
    };
    write().with_context(|| format!("cannot write `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn ids_have_a_day_that_exists_and_nobody_has_two() {
        for seed in [1, 7, u64::MAX] {
            let archive = Archive { seed, citizens: 20_000 };
            let mut seen = HashSet::new();
            for number in 0..20_000 {
                for id in [archive.citizen(number), archive.helper(number)] {
                    assert_eq!(id.len(), 10, "{id}");
                    let (day, month): (u8, u8) = (id[..2].parse().unwrap(), id[2..4].parse().unwrap());
                    assert!((1..=31).contains(&day) && (1..=12).contains(&month), "{id}");
                    assert!(month != 2 || day < 29, "{id}");
                    assert!(seen.insert(id[4..].to_owned()), "somebody else has the number of {id}, seed {seed}");
                }
            }
        }
    }

    #[test]
    fn of_a_hundred_citizens_each_class_has_its_share() {
        // The classes of the test guide, 1:1000.
        let archive = Archive { seed: 1, citizens: 100 };
        let mut found: HashMap<&str, u64> = HashMap::new();
        for number in 0..100 {
            let class = class_of(number);
            assert!((class.from..class.to).contains(&archive.entries_about(number)));
            *found.entry(class.name).or_default() += 1;
        }
        let expected =
            [("0-50", 20), ("50-100", 20), ("100-500", 20), ("500-1000", 20), ("1000-5000", 19), ("5000-10000", 1)];
        assert_eq!(found, expected.into_iter().collect());
        let all = archive.all().count() as u64;
        assert_eq!(all, (0..100).map(|number| archive.entries_about(number)).sum::<u64>());
        // Mean of the classes: 20·25 + 20·75 + 20·300 + 20·750 + 19·3000 + 7500 = 87,500.
        assert!((60_000..115_000).contains(&all), "{all}");
    }

    #[test]
    fn a_small_archive_is_the_beginning_of_a_large_one_but_for_who_looked() {
        let (small, large) = (Archive { seed: 3, citizens: 10 }, Archive { seed: 3, citizens: 50 });
        assert_eq!(small.citizen(9), large.citizen(9));
        let times = |archive: Archive| archive.about(4).map(|entry| entry.moment).collect::<Vec<_>>();
        assert_eq!(times(small), times(large));
        assert_ne!(small.citizen(1), Archive { seed: 4, citizens: 10 }.citizen(1));
    }
}
