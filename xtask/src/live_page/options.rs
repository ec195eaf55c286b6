//! What `cargo xtask live-page` is told.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// Longest that pages are left open: a day.
const SECONDS_MAX: u32 = 86_400;
/// Less is not enough to tell what stays the same.
const SECONDS_MIN: u32 = 20;
const RATE_MAX: u32 = 100_000;

/// What to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The usual build instead of the release build.
    pub is_dev: bool,
    /// Calls a second of the run that is shown.
    pub rate: u32,
    /// How long pages are left open, seconds.
    pub seconds: u32,
    /// The browser, where it is not the one on the PATH.
    pub chromium: Option<PathBuf>,
    /// Folder for pictures; `target/live-page` by default.
    pub out: Option<PathBuf>,
}

impl Options {
    /// Reads the words of the command line.
    ///
    /// # Errors
    /// An unknown word, or a number outside its bounds.
    pub fn parse(words: &[&str]) -> Result<Self> {
        let mut options = Self { is_dev: false, rate: 200, seconds: 60, chromium: None, out: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--dev" => options.is_dev = true,
                "--rate" => options.rate = number(word, words.next(), (1, RATE_MAX))?,
                "--for" => options.seconds = number(word, words.next(), (SECONDS_MIN, SECONDS_MAX))?,
                "--chromium" => options.chromium = Some(words.next().context("`--chromium` needs a program")?.into()),
                "--out" => options.out = Some(words.next().context("`--out` needs a folder")?.into()),
                other => bail!(
                    "`{other}` is not an option of live-page; there are `--dev`, `--rate N`, `--for SECONDS`, \
                     `--chromium PROGRAM` and `--out DIR`"
                ),
            }
        }
        Ok(options)
    }
}

fn number(name: &str, text: Option<&&str>, (least, most): (u32, u32)) -> Result<u32> {
    let text = text.copied().unwrap_or_default();
    let bare = text.trim_end_matches("/s").trim_end_matches('s').replace(',', "");
    let number = bare.parse().ok().filter(|number| (least..=most).contains(number));
    number.with_context(|| format!("`{name} {text}`: write {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_bounded() {
        let read = |words: &[&str]| Options::parse(words).unwrap();
        let usual = Options { is_dev: false, rate: 200, seconds: 60, chromium: None, out: None };
        assert_eq!(read(&[]), usual);
        let hour =
            read(&["--rate", "10,000/s", "--for", "3600s", "--out", "pictures", "--chromium", "chrome", "--dev"]);
        assert_eq!((hour.rate, hour.seconds, hour.is_dev), (10_000, 3600, true));
        assert_eq!((hour.out, hour.chromium), (Some("pictures".into()), Some("chrome".into())));
        for words in [&["--for", "19"][..], &["--for"], &["--rate", "0"], &["--rate", "x"], &["--out"], &["--fro"]] {
            assert!(Options::parse(words).is_err(), "{words:?}");
        }
    }
}
