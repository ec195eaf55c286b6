//! How numbers are printed: three significant digits, an interval with the digits of its value, the unit in sight.
//!
//! Nothing is rounded before it comes here, and nothing that was printed is computed with again.

use judge::Arg;

/// Significant digits of a measured value.
pub(crate) const DIGITS: i32 = 3;

/// From this part of a unit of bytes on it is used.
const ALMOST: f64 = 0.9995;

/// What a missing value is printed as.
pub(crate) const MISSING: &str = "–";

/// A statement that somebody wrote, with the full stop that ends a sentence.
pub(crate) fn ended(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(|c: char| c.is_alphanumeric() || c == ')') { format!("{text}.") } else { text.to_owned() }
}

/// Signs that differ between languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    decimal: char,
    group: char,
    pub(crate) percent: &'static str,
    minutes: &'static str,
    hours: &'static str,
    pub(crate) cores: &'static str,
}

impl Numbers {
    /// The signs of a language; of English where the language is not known.
    pub(crate) fn of(language: &str) -> Self {
        match language {
            "nl" => Self { decimal: ',', group: '.', percent: "%", minutes: "min", hours: "uur", cores: "cores" },
            "da" => Self { decimal: ',', group: '.', percent: "\u{a0}%", minutes: "min", hours: "t", cores: "kerner" },
            _ => Self { decimal: '.', group: ',', percent: "%", minutes: "min", hours: "h", cores: "cores" },
        }
    }

    /// A count in full, with its thousands apart.
    pub(crate) fn count(&self, count: f64) -> String {
        self.fixed(count, 0)
    }

    /// A measured value with three significant digits; whole from a hundred on.
    pub(crate) fn value(&self, value: f64) -> String {
        self.value_to(value, Rounding::Nearest)
    }

    /// The same, rounded to one side.
    pub(crate) fn value_to(&self, value: f64, to: Rounding) -> String {
        self.value_with(value, DIGITS, to)
    }

    /// The same with so many significant digits.
    pub(crate) fn value_with(&self, value: f64, digits: i32, to: Rounding) -> String {
        let rounded = round_significant(value, digits, to);
        self.fixed(rounded, decimals_of(rounded, digits))
    }

    /// Value and interval to the same place: that of the value's third significant digit. `27.3`, `26.9 – 27.8`. The ends
    /// are rounded outwards, so that what is printed holds at least what was found.
    pub(crate) fn with_interval(&self, value: f64, low: f64, high: f64) -> (String, String) {
        let size = round_significant(value, DIGITS, Rounding::Nearest).abs();
        let left = (size.max(1.0).log10().floor() as i32 + 1 - DIGITS).max(0);
        let places = decimals(value);
        let shown = |value: f64, to: Rounding| self.fixed(to.at(value, places as i32 - left), places);
        let (low, high) = (shown(low, Rounding::Down), shown(high, Rounding::Up));
        (shown(value, Rounding::Nearest), format!("{low} – {high}"))
    }

    /// Digits that were written with a point, such as those of a percentile, with the sign of the language.
    pub(crate) fn digits(&self, text: &str) -> String {
        text.replace('.', &self.decimal.to_string())
    }

    /// A share of one as a percentage.
    pub(crate) fn share(&self, share: f64) -> String {
        format!("{}{}", self.percentage(share), self.percent)
    }

    /// A share of one as a percentage without its sign. Close to the whole, the distance to it keeps its digits:
    /// `99.98` is not printed as `100`.
    pub(crate) fn percentage(&self, share: f64) -> String {
        self.percentage_to(share, Rounding::Nearest)
    }

    /// The same, rounded to one side.
    pub(crate) fn percentage_to(&self, share: f64, to: Rounding) -> String {
        self.percentage_with(share, share_decimals(share), to)
    }

    /// The same with so many decimals.
    pub(crate) fn percentage_with(&self, share: f64, places: usize, to: Rounding) -> String {
        match to {
            Rounding::Nearest => self.fixed(share * 100.0, places),
            _ => self.fixed(to.at(share * 100.0, places as i32), places),
        }
    }

    /// A time in seconds, in the unit that keeps it readable.
    pub(crate) fn seconds(&self, seconds: f64) -> String {
        if !seconds.is_finite() {
            return MISSING.to_owned();
        }
        let (size, sign) = self.time_unit(seconds);
        format!("{}\u{a0}{sign}", self.value(seconds / size))
    }

    /// The unit in which a time is readable: seconds of one, and its sign.
    pub(crate) fn time_unit(&self, seconds: f64) -> (f64, &'static str) {
        match seconds.abs() {
            0.0 => (1.0, "s"),
            size if size < 1e-3 => (1e-6, "µs"),
            size if size < 0.999_5 => (1e-3, "ms"),
            size if size < 600.0 => (1.0, "s"),
            size if size < 36_000.0 => (60.0, self.minutes),
            _ => (3600.0, self.hours),
        }
    }

    /// Bytes, in binary units: those of memory, in which machines and limits are stated.
    pub(crate) fn bytes(&self, bytes: f64) -> String {
        let (size, sign) = self.byte_unit(bytes);
        format!("{}\u{a0}{sign}", self.value(bytes / size))
    }

    /// The unit in which a size is readable: bytes of one, and its sign.
    pub(crate) fn byte_unit(&self, bytes: f64) -> (f64, &'static str) {
        let units = [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        let units = units.map(|(size, sign)| (size as f64, sign));
        // What three digits print as 1,020 of a unit is almost one of the next.
        units.into_iter().find(|(size, _)| bytes.abs() >= *size * ALMOST).unwrap_or((1.0, "B"))
    }

    /// The same in decimal units, for what was given in them.
    pub(crate) fn decimal_byte_unit(&self, bytes: f64) -> (f64, &'static str) {
        let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
        units.into_iter().find(|(size, _)| bytes.abs() >= *size).unwrap_or((1.0, "B"))
    }

    /// Something a second.
    pub(crate) fn per_second(&self, rate: f64) -> String {
        format!("{}/s", self.value(rate))
    }

    /// An argument of a statement with its unit.
    pub(crate) fn arg(&self, arg: &Arg) -> String {
        match arg {
            Arg::Milliseconds(value) => self.seconds(value / 1e3),
            Arg::Seconds(value) => self.seconds(*value),
            Arg::Share(value) => self.share(*value),
            Arg::Count(value) if value.fract() == 0.0 => self.count(*value),
            Arg::Count(value) | Arg::Number(value) => self.value(*value),
            Arg::PerSecond(value) => self.per_second(*value),
            Arg::Bytes(value) => self.bytes(*value),
            Arg::Cores(value) => format!("{}\u{a0}{}", self.value(*value), self.cores),
            Arg::Text(text) => clean(text),
            Arg::Given(arg) => self.given(arg),
        }
    }

    /// Cuts zeros at the end of a fraction, before the unit.
    pub(crate) fn trim(&self, text: &str) -> String {
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != self.decimal && c != self.group && c != '−');
        let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
        if number.contains(self.decimal) {
            format!("{}{unit}", number.trim_end_matches('0').trim_end_matches(self.decimal))
        } else {
            text.to_owned()
        }
    }

    /// A number with exactly so many decimals, thousands apart.
    pub(crate) fn fixed(&self, value: f64, places: usize) -> String {
        if !value.is_finite() {
            return MISSING.to_owned();
        }
        let plain = rounded(value.abs(), places);
        let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
        let is_zero = plain.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        let mut text = String::with_capacity(plain.len() + 4);
        if value < 0.0 && !is_zero {
            text.push('−');
        }
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && (whole.len() - index).is_multiple_of(3) {
                text.push(self.group);
            }
            text.push(digit);
        }
        if !fraction.is_empty() {
            text.push(self.decimal);
            text.push_str(fraction);
        }
        text
    }
}

/// A number from 0 on with so many decimals, as `{:.places$}` has it: that is exact for every number, and takes several
/// times as long for the many in the lists beneath charts.
fn rounded(value: f64, places: usize) -> String {
    /// Below this a product is off by less than a thousandth.
    const SURE: f64 = 1e12;
    if let Some(scale) = 10u64.checked_pow(places as u32).filter(|scale| *scale <= 1_000_000_000) {
        let scaled = value * scale as f64;
        let part = scaled - scaled.floor();
        // Close to the middle the last bit of the product would decide.
        if scaled < SURE && (part - 0.5).abs() > 1e-3 {
            let number = scaled.floor() as u64 + u64::from(part > 0.5);
            let (whole, fraction) = (number / scale, number % scale);
            return if places == 0 { whole.to_string() } else { format!("{whole}.{fraction:0places$}") };
        }
    }
    format!("{value:.places$}")
}

/// Decimals that leave three significant digits.
pub(crate) fn decimals(value: f64) -> usize {
    decimals_of(value, DIGITS)
}

pub(crate) fn decimals_of(value: f64, digits: i32) -> usize {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    // After rounding: 9.996 is 10.0, not 10.00.
    let magnitude = round_significant(value, digits, Rounding::Nearest).abs().log10().floor() as i32;
    (digits - 1 - magnitude).clamp(0, 9) as usize
}

pub(crate) fn round_significant(value: f64, digits: i32, to: Rounding) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    to.at(value, digits - 1 - value.abs().log10().floor() as i32)
}

/// To which side digits are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Nearest,
    Down,
    Up,
}

impl Rounding {
    /// The value with so many decimals; fewer than none leave zeros before the point. What is a binary fraction's
    /// breadth from a decimal counts as that decimal.
    pub(crate) fn at(self, value: f64, places: i32) -> f64 {
        let shift = 10f64.powi(places);
        let scaled = value * shift;
        let breadth = scaled.abs() * 1e-12;
        let whole = match self {
            Self::Nearest => scaled.round(),
            Self::Down => (scaled + breadth).floor(),
            Self::Up => (scaled - breadth).ceil(),
        };
        let rounded = whole / shift;
        if rounded.is_finite() { rounded } else { value }
    }
}

/// Decimals of a percentage. Above 99 % the digits are those of what is missing to the whole.
pub(crate) fn share_decimals(share: f64) -> usize {
    if share > 0.99 && share < 1.0 {
        decimals((1.0 - share) * 100.0).saturating_sub(2).max(1)
    } else {
        decimals(share * 100.0)
    }
}

/// Longest text from outside that is printed in one place; labels are names, not documents.
const TEXT_CHARS_MAX: usize = 400;

/// Text from outside made fit to print: control characters and direction overrides shown as `�`, bounded in length.
/// Markup is escaped where it is written, not here.
pub(crate) fn clean(text: &str) -> String {
    bounded(text, TEXT_CHARS_MAX)
}

/// As [`clean`], with its own bound in characters.
pub(crate) fn bounded(text: &str, chars_max: usize) -> String {
    let mut shown: String =
        text.chars().take(chars_max).map(|c| if is_unprintable(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(chars_max).is_some() {
        shown.push('…');
    }
    shown
}

/// Characters that are not text: controls, and marks that turn the direction of what follows.
fn is_unprintable(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn english() -> Numbers {
        Numbers::of("en")
    }

    #[test]
    fn three_significant_digits_and_no_more() {
        for (value, text) in [
            (0.0, "0"),
            (0.012_345, "0.0123"),
            (9.996, "10.0"),
            (27.349, "27.3"),
            (118.4, "118"),
            (8_993.381_291, "8,990"),
            (-3.0, "−3.00"),
            (-0.000_000_000_01, "0"),
        ] {
            let shown = english().value(value);
            assert!(
                shown == text || (value.abs() < 1e-9 && shown.trim_matches(['0', '.']).is_empty()),
                "{value}: {shown}"
            );
        }
    }

    proptest! {
        /// Also halves, which a product of the scale hardly tells from what lies beside them.
        #[test]
        fn decimals_are_those_of_the_exact_value(
            value in prop_oneof![
                0.0..1e3,
                0.0..1e15,
                (0u64..1 << 40, 0i32..12).prop_map(|(number, places)| number as f64 / 2f64.powi(places)),
                (0u64..1_000_000_000).prop_map(|number| number as f64 / 1e4),
                any::<f64>().prop_filter("numbers", |value| value.is_finite()).prop_map(f64::abs),
            ],
            places in 0usize..12,
        ) {
            prop_assert_eq!(rounded(value, places), format!("{value:.places$}"));
        }
    }

    #[test]
    fn counts_are_whole_and_grouped_as_the_language_does() {
        assert_eq!(english().count(62_838_720.0), "62,838,720");
        assert_eq!(Numbers::of("nl").count(62_838_720.0), "62.838.720");
        assert_eq!(Numbers::of("da").value(103.94), "104");
        assert_eq!(Numbers::of("da").fixed(103.94, 1), "103,9");
    }

    #[test]
    fn units_are_those_of_the_language() {
        let (nl, da) = (Numbers::of("nl"), Numbers::of("da"));
        let plain = |text: String| text.replace('\u{a0}', " ");
        assert_eq!(plain(nl.seconds(36_000.0)), "10,0 uur");
        assert_eq!(plain(da.seconds(36_000.0)), "10,0 t");
        assert_eq!(plain(da.arg(&Arg::Cores(1.5))), "1,50 kerner");
        assert_eq!(plain(nl.share(0.9998)), "99,98%");
        assert_eq!(plain(da.given(&Arg::Share(0.95))), "95 %");
        assert_eq!(nl.digits("99.9"), "99,9");
    }

    #[test]
    fn an_interval_has_the_digits_of_its_value() {
        assert_eq!(english().with_interval(27.312, 26.9, 27.777), ("27.3".into(), "26.9 – 27.8".into()));
        assert_eq!(english().with_interval(1333.0, 1298.0, 1402.0), ("1,330".into(), "1,290 – 1,410".into()));
        assert_eq!(english().with_interval(27.312, 26.96, 27.71), ("27.3".into(), "26.9 – 27.8".into()), "outwards");
        assert_eq!(english().with_interval(0.0214, 0.013, 0.0338), ("0.0214".into(), "0.0130 – 0.0338".into()));
    }

    #[test]
    fn nearly_all_is_not_printed_as_all() {
        assert_eq!(english().share(0.9998), "99.98%");
        assert_eq!(english().share(1.0), "100%");
        assert_eq!(english().share(0.0215), "2.15%");
        assert_eq!(Numbers::of("da").share(0.95), "95,0\u{a0}%");
    }

    #[test]
    fn times_take_the_unit_that_fits() {
        for (seconds, text) in
            [(0.000_31, "310 µs"), (0.118, "118 ms"), (3.649, "3.65 s"), (1800.0, "30.0 min"), (0.999_6, "1.00 s")]
        {
            assert_eq!(english().seconds(seconds).replace('\u{a0}', " "), text);
        }
    }

    #[test]
    fn hostile_text_is_bounded_and_shows_its_controls() {
        assert_eq!(clean("a\u{202e}b\u{0}c"), "a\u{fffd}b\u{fffd}c");
        assert_eq!(clean(&"x".repeat(1_000_000)).chars().count(), TEXT_CHARS_MAX + 1);
    }

    proptest! {
        #[test]
        fn a_printed_value_is_within_half_a_percent(value in 1e-6f64..1e12) {
            let shown: f64 = english().value(value).replace(',', "").parse().unwrap();
            prop_assert!((shown / value - 1.0).abs() <= 0.005_000_1, "{value} as {shown}");
        }
    }
}
