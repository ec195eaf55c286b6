//! Words of the command line.

use anyhow::{Context, Result, bail, ensure};

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) connections: usize,
    pub(crate) seconds: u64,
    /// A second; none for as fast as answers come.
    pub(crate) rate: Option<u64>,
    /// Ends after so many requests, if that comes before the time is over.
    pub(crate) count: u64,
    /// Expected gap between arrivals, microseconds.
    pub(crate) interval: u64,
}

/// The bench is not a load test: nothing runs longer, faster or wider.
const SECONDS_MAX: u64 = 600;
const RATE_MAX: u64 = 1_000_000;
const CONNECTIONS_MAX: u64 = 50_000;

impl Options {
    /// Reads `--name NUMBER` pairs.
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        let mut options = Self { connections: 64, seconds: 5, rate: None, count: u64::MAX, interval: 200 };
        for pair in words.chunks(2) {
            let [name, value] = pair else { bail!("`{}` needs a number", pair[0]) };
            let number: u64 = value.parse().with_context(|| format!("`{name} {value}`: write a whole number"))?;
            let (at_most, place): (u64, &mut dyn FnMut(u64)) = match *name {
                "--connections" => (CONNECTIONS_MAX, &mut |n| options.connections = n as usize),
                "--for" => (SECONDS_MAX, &mut |n| options.seconds = n),
                "--rate" => (RATE_MAX, &mut |n| options.rate = Some(n)),
                "--count" => (u64::MAX, &mut |n| options.count = n),
                "--interval" => (1_000_000, &mut |n| options.interval = n),
                _ => bail!("`{name}` is not an option"),
            };
            ensure!((1..=at_most).contains(&number), "`{name} {number}`: write 1 to {at_most}");
            place(number);
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_bounded() {
        let read = Options::parse(&["--rate", "5000", "--for", "2", "--connections", "10"]).unwrap();
        assert_eq!((read.rate, read.seconds, read.connections), (Some(5000), 2, 10));
        for words in [&["--rate"][..], &["--rate", "0"], &["--for", "601"], &["--rat", "5"], &["--for", "x"]] {
            assert!(Options::parse(words).is_err(), "{words:?}");
        }
    }
}
