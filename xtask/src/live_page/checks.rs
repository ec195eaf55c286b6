//! What was checked, a line each, as it is found.

use std::fmt::Display;

/// Checks that were made so far.
#[derive(Debug, Default)]
pub(super) struct Checks {
    made: u32,
    failed: Vec<String>,
}

impl Checks {
    /// Prints one: what must hold, whether it does, and what was seen.
    pub(super) fn see(&mut self, name: &str, holds: bool, seen: impl Display) {
        self.made += 1;
        println!("{}", line(name, holds, &seen.to_string()));
        if !holds {
            self.failed.push(name.to_owned());
        }
    }

    /// Prints one that lists what is wrong, and holds where that is nothing.
    pub(super) fn see_none(&mut self, name: &str, wrong: &[String], otherwise: impl Display) {
        if wrong.is_empty() {
            return self.see(name, true, otherwise);
        }
        let more = wrong.len().saturating_sub(SHOWN_MAX);
        let mut seen = wrong[..wrong.len() - more].join("; ");
        if more > 0 {
            seen += &format!("; {more} more");
        }
        self.see(name, false, seen);
    }

    /// Whether all hold so far.
    pub(super) fn is_right(&self) -> bool {
        self.failed.is_empty()
    }

    /// Prints what came of all; whether all hold.
    pub(super) fn conclude(&self) -> bool {
        if self.failed.is_empty() {
            println!("all {} checks hold", self.made);
        } else {
            println!("{} of {} checks do not hold: {}", self.failed.len(), self.made, self.failed.join(", "));
        }
        self.failed.is_empty()
    }
}

/// Wrong things that are shown of one check.
const SHOWN_MAX: usize = 5;

fn line(name: &str, holds: bool, seen: &str) -> String {
    let sign = if holds { '✓' } else { '✗' };
    if seen.is_empty() { format!("{sign} {name}") } else { format!("{sign} {name}: {seen}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_does_not_hold_is_named_at_the_end() {
        let mut checks = Checks::default();
        checks.see("opened", true, "");
        assert!(checks.failed.is_empty());
        checks.see_none("whole", &["second 3 is missing".to_owned()], "all");
        checks.see_none("same", &[], "all");
        assert_eq!((checks.made, checks.failed.clone(), checks.conclude()), (3, vec!["whole".to_owned()], false));
    }

    #[test]
    fn a_line_has_its_sign_in_front() {
        assert_eq!(line("wide", true, "390 px"), "✓ wide: 390 px");
        assert_eq!(line("wide", false, ""), "✗ wide");
    }
}
