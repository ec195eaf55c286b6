//! Flags of a target: a list of [`Flag`]s, read by hand, with every mistake reported at once.

use crate::units;

/// One flag, as it is typed and explained.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// With its dashes: `--service`.
    pub name: &'static str,
    /// What its value is called in the help, `DURATION`; empty for a switch.
    pub value: &'static str,
    /// One line: what it does, and what holds without it.
    pub help: &'static str,
}

/// The flags that were given, and the mistakes that were found in them.
#[derive(Debug)]
pub struct Args {
    given: Vec<(&'static str, String)>,
    mistakes: Vec<String>,
    help: Option<String>,
}

/// Why a target does not start: its text, and the exit code (0 for help, 2 for mistakes).
#[derive(Debug, PartialEq, Eq)]
pub struct Stop {
    /// To be printed: on standard output when `code` is 0, on standard error otherwise.
    pub text: String,
    /// Exit code of the process.
    pub code: u8,
}

impl Args {
    /// Reads `given` (without the program's name) after the flags in `known`.
    ///
    /// Both `--flag value` and `--flag=value` are understood. Mistakes are kept until [`Args::finish`].
    pub fn parse(program: &str, about: &str, known: &[Flag], given: impl IntoIterator<Item = String>) -> Self {
        let mut args = Args { given: Vec::new(), mistakes: Vec::new(), help: None };
        let mut words = given.into_iter();
        while let Some(word) = words.next() {
            if word == "--help" || word == "-h" {
                args.help = Some(help_text(program, about, known));
                continue;
            }
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let Some(flag) = known.iter().find(|flag| flag.name == name) else {
                args.mistakes.push(unknown(name, known));
                continue;
            };
            let value = match (flag.value.is_empty(), inline) {
                (true, None) => String::new(),
                (true, Some(_)) => {
                    args.mistakes.push(format!("`{name}` is a switch and takes no value"));
                    continue;
                }
                (false, Some(value)) => value,
                (false, None) => match words.next() {
                    Some(value) => value,
                    None => {
                        args.mistakes.push(format!("`{name}` needs a value: `{name} {}`", flag.value));
                        continue;
                    }
                },
            };
            if args.given.iter().any(|(earlier, _)| *earlier == flag.name) {
                args.mistakes.push(format!("`{name}` is given twice; give it once"));
            }
            args.given.push((flag.name, value));
        }
        args
    }

    /// The text behind `name`, when it was given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// True when `name` was given.
    pub fn has(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    /// The duration behind `name` in nanoseconds, or `absent_ns`.
    pub fn duration_ns(&mut self, name: &str, absent_ns: u64) -> u64 {
        self.read(name, absent_ns, units::parse_duration_ns)
    }

    /// The rate behind `name` in events a second, or `absent`.
    pub fn rate_per_s(&mut self, name: &str, absent: f64) -> f64 {
        self.read(name, absent, units::parse_rate_per_s)
    }

    /// The share behind `name` in parts of [`units::WHOLE`], or 0.
    pub fn share(&mut self, name: &str) -> u32 {
        self.read(name, 0, units::parse_share)
    }

    /// The whole number behind `name`, between `least` and `most`, or `absent`.
    pub fn count(&mut self, name: &str, absent: u64, least: u64, most: u64) -> u64 {
        self.read(name, absent, |text| units::parse_count(text, least, most))
    }

    /// One of `choices` behind `name`, as its index, or `absent`.
    pub fn choice(&mut self, name: &str, absent: usize, choices: &[&str]) -> usize {
        self.read(name, absent, |text| {
            let found = choices.iter().position(|choice| *choice == text);
            found.ok_or_else(|| format!("`{text}` is not possible; possible are `{}`", choices.join("`, `")))
        })
    }

    /// Adds a mistake that only the target itself can see.
    pub fn mistake(&mut self, text: String) {
        self.mistakes.push(text);
    }

    /// Ends reading.
    ///
    /// # Errors
    /// The help when it was asked for, else all mistakes, one a line.
    pub fn finish(self, program: &str) -> Result<(), Stop> {
        if let Some(text) = self.help {
            return Err(Stop { text, code: 0 });
        }
        if self.mistakes.is_empty() {
            return Ok(());
        }
        let mut text: String = self.mistakes.iter().map(|mistake| format!("error: {mistake}\n")).collect();
        text.push_str(&format!("hint: `{program} --help` lists the flags\n"));
        Err(Stop { text, code: 2 })
    }

    fn read<T>(&mut self, name: &str, absent: T, parse: impl Fn(&str) -> Result<T, String>) -> T {
        let Some(text) = self.text(name) else { return absent };
        match parse(text) {
            Ok(value) => value,
            Err(why) => {
                self.mistakes.push(format!("`{name}`: {why}"));
                absent
            }
        }
    }
}

fn help_text(program: &str, about: &str, known: &[Flag]) -> String {
    let mut text = format!("{about}\n\nusage: {program} [FLAGS]\n\n");
    for flag in known {
        let left = format!("{} {}", flag.name, flag.value);
        text.push_str(&format!("  {left:<30} {}\n", flag.help));
    }
    text.push_str(&format!("  {:<30} this text\n", "--help"));
    text
}

fn unknown(name: &str, known: &[Flag]) -> String {
    let nearest = known.iter().map(|flag| (edit_distance(name, flag.name), flag.name)).min();
    match nearest {
        Some((distance, near)) if distance <= 3 && name.len() > 3 => {
            format!("the flag `{name}` is not known; did you mean `{near}`?")
        }
        _ => format!("the flag `{name}` is not known"),
    }
}

/// Levenshtein distance in bytes, by rows. Long words cannot be near to a flag and are not compared.
fn edit_distance(left: &str, right: &str) -> usize {
    if left.len() > 64 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Flag] = &[
        Flag { name: "--service", value: "DURATION", help: "how long" },
        Flag { name: "--chunked", value: "", help: "in chunks" },
        Flag { name: "--errors", value: "SHARE", help: "how many" },
    ];

    fn parse(words: &[&str]) -> Args {
        Args::parse("target-x", "About.", KNOWN, words.iter().map(|word| (*word).to_owned()))
    }

    #[test]
    fn both_spellings_are_read() {
        let mut args = parse(&["--service", "5ms", "--errors=2%", "--chunked"]);
        assert_eq!(args.duration_ns("--service", 0), 5_000_000);
        assert_eq!(args.share("--errors"), 200);
        assert!(args.has("--chunked"));
        assert_eq!(args.finish("target-x"), Ok(()));
    }

    #[test]
    fn all_mistakes_come_at_once_with_what_to_type() {
        let mut args = parse(&["--servise", "--errors", "2", "--chunked=yes", "--service"]);
        args.share("--errors");
        let stop = args.finish("target-x").unwrap_err();
        assert_eq!(stop.code, 2);
        assert_eq!(
            stop.text,
            "error: the flag `--servise` is not known; did you mean `--service`?\n\
             error: `--chunked` is a switch and takes no value\n\
             error: `--service` needs a value: `--service DURATION`\n\
             error: `--errors`: the share `2` has no `%`; write for example `2%`\n\
             hint: `target-x --help` lists the flags\n"
        );
    }

    #[test]
    fn help_wins_over_mistakes_and_ends_well() {
        let stop = parse(&["--nonsense", "--help"]).finish("target-x").unwrap_err();
        assert_eq!(stop.code, 0);
        assert!(stop.text.contains("--service DURATION"));
    }

    #[test]
    fn a_flag_given_twice_is_a_mistake() {
        assert!(parse(&["--chunked", "--chunked"]).finish("target-x").unwrap_err().text.contains("given twice"));
    }

    #[test]
    fn distances_worked_by_hand() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("same", "same"), 0);
    }
}
