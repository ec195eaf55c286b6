//! Numbers that somebody wrote down, as limits: unlike what was measured they have the digits that they were given.

use crate::number::{Numbers, Rounding, decimals_of, round_significant};
use judge::Arg;

/// What a number that was given has at most; one with more was computed, and is written as what was measured.
const DIGITS_GIVEN: i32 = 6;

impl Numbers {
    /// A number that was given and not measured: a limit, a threshold. It has the digits that it was written with.
    pub(crate) fn given(&self, arg: &Arg) -> String {
        let (number, sign) = match arg {
            Arg::Milliseconds(ms) => return self.given_seconds(ms / 1e3),
            Arg::Seconds(seconds) => return self.given_seconds(*seconds),
            Arg::Share(share) => (share * 100.0, self.percent.to_owned()),
            Arg::PerSecond(rate) => (*rate, "/s".to_owned()),
            Arg::Cores(cores) => (*cores, format!("\u{a0}{}", self.cores)),
            Arg::Number(number) => (*number, String::new()),
            _ => return self.trim(&self.arg(arg)),
        };
        in_full(number).map_or_else(|| self.trim(&self.arg(arg)), |_| format!("{}{sign}", self.given_number(number)))
    }

    /// A given number without its unit.
    pub(crate) fn given_number(&self, number: f64) -> String {
        match in_full(number) {
            Some(number) => self.trim(&self.fixed(number, decimals_of(number, DIGITS_GIVEN))),
            None => self.trim(&self.value(number)),
        }
    }

    /// A given time in seconds.
    pub(crate) fn given_seconds(&self, seconds: f64) -> String {
        let (size, sign) = self.time_unit(seconds);
        format!("{}\u{a0}{sign}", self.given_number(seconds / size))
    }
}

/// A given number without what a binary fraction adds to it; `None` of one that has more digits than people write.
pub(crate) fn in_full(number: f64) -> Option<f64> {
    let rounded = round_significant(number, DIGITS_GIVEN, Rounding::Nearest);
    ((rounded - number).abs() <= number.abs() * 1e-12).then_some(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english() -> Numbers {
        Numbers::of("en")
    }

    #[test]
    fn what_was_given_has_the_digits_it_was_given() {
        assert_eq!(english().given(&Arg::Share(0.95)), "95%");
        assert_eq!(english().given_seconds(1.0).replace('\u{a0}', " "), "1 s");
        assert_eq!(english().given_seconds(0.25).replace('\u{a0}', " "), "250 ms");
        assert_eq!(english().given(&Arg::Count(3000.0)), "3,000");
        assert_eq!(english().given(&Arg::PerSecond(12_345.0)), "12,345/s");
        assert_eq!(english().given(&Arg::Milliseconds(1234.0)).replace('\u{a0}', " "), "1.234 s");
        assert_eq!(english().given(&Arg::Share(0.9725)), "97.25%");
        // What was computed has no digits of its own.
        assert_eq!(english().given(&Arg::PerSecond(1000.0 / 3.0)), "333/s");
        assert_eq!(Numbers::of("nl").given(&Arg::Seconds(6.5)).replace('\u{a0}', " "), "6,5 s");
    }
}
