//! Arithmetic with units: `$(streams * average)` and the sums of rules.

use terms::{Nanos, Quantity, Unit};

/// Brackets within each other; the evaluation is recursive.
const DEPTH_MAX: usize = 32;

/// Joins two quantities.
///
/// Sums need the same unit. A product needs a plain number or a share on one side, or a rate and a time; a quotient of
/// equal units is a plain number.
///
/// # Errors
/// One sentence that says which units do not go together.
pub(crate) fn combine(operator: char, left: &Quantity, right: &Quantity) -> Result<Quantity, String> {
    let unit = joined_unit(operator, &left.unit, &right.unit)
        .ok_or_else(|| format!("`{}` and `{}` cannot be joined by `{operator}`", exact(left), exact(right)))?;
    let value = match operator {
        '+' => left.value + right.value,
        '-' => left.value - right.value,
        '*' => left.value * right.value,
        _ => left.value / right.value,
    };
    let what = || format!("`{} {operator} {}` is not a finite number", exact(left), exact(right));
    if value.is_finite() { Ok(Quantity { value, unit }) } else { Err(what()) }
}

/// The unit of a sum, product or quotient; `None` when the two do not go together.
pub(crate) fn joined_unit(operator: char, left: &Unit, right: &Unit) -> Option<Unit> {
    use Unit::{Count, Of, OfPerSecond, PerSecond, Share, Time};
    let is_factor = |unit: &Unit| matches!(unit, Count | Share);
    match operator {
        '+' | '-' => (left == right).then(|| left.clone()),
        '*' => match (left, right) {
            (PerSecond, Time) | (Time, PerSecond) => Some(Count),
            (OfPerSecond(of), Time) | (Time, OfPerSecond(of)) => Some(Of(of.clone())),
            (Share, Share) => Some(Share),
            (left, right) if is_factor(right) => Some(left.clone()),
            (left, right) if is_factor(left) => Some(right.clone()),
            _ => None,
        },
        _ => match (left, right) {
            (left, right) if left == right => Some(Count),
            (left, right) if is_factor(right) => Some(left.clone()),
            (Count, Time) => Some(PerSecond),
            (Of(of), Time) => Some(OfPerSecond(of.clone())),
            (Count, PerSecond) => Some(Time),
            _ => None,
        },
    }
}

/// Writes a quantity so that reading it back gives the same value, unlike `Display`, which rounds for readers.
pub(crate) fn exact(quantity: &Quantity) -> String {
    let Quantity { value, unit } = quantity;
    let shown = quantity.to_string();
    if Quantity::parse(&shown).as_ref() == Ok(quantity) {
        return shown;
    }
    match unit {
        Unit::Count => format!("{value}"),
        Unit::Time => exact_duration(Nanos::from_secs_f64(*value)),
        Unit::Bytes => format!("{value}B"),
        Unit::Share => format!("{}%", value * 100.0),
        Unit::PerSecond => format!("{value}/s"),
        Unit::Cores => format!("{value} cores"),
        Unit::Of(of) => format!("{value} {of}"),
        Unit::OfPerSecond(of) => format!("{value} {of}/s"),
    }
}

/// Writes a span in the largest unit in which it is a whole number.
pub(crate) fn exact_duration(span: Nanos) -> String {
    let units =
        [("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
    let found = units.into_iter().find(|(_, size)| span.0 != 0 && span.0 % size == 0);
    match found {
        _ if span.0 == 0 => "0s".to_owned(),
        Some((unit, size)) => format!("{}{unit}", span.0 / size),
        None => format!("{}ns", span.0),
    }
}

/// What is wrong with an expression.
#[derive(Debug, PartialEq)]
pub(crate) enum Trouble {
    /// A name that the caller does not know.
    Unknown(String),
    Other(String),
}

/// Whether a text in `$(…)` is more than one name.
pub(crate) fn is_arithmetic(expression: &str) -> bool {
    expression.contains(['+', '-', '*', '/', '('])
}

/// Evaluates `( ) + - * /` over numbers with units and names.
///
/// # Errors
/// [`Trouble`]: the first unknown name, or what does not fit.
pub(crate) fn evaluate(
    expression: &str,
    lookup: &dyn Fn(&str) -> Result<Quantity, Trouble>,
) -> Result<Quantity, Trouble> {
    let mut cursor = Cursor { rest: expression, lookup, depth: 0 };
    let value = cursor.sum()?;
    cursor.skip();
    if cursor.rest.is_empty() {
        return Ok(value);
    }
    Err(Trouble::Other(format!("`{}` is not understood in `{expression}`", cursor.rest)))
}

struct Cursor<'a> {
    rest: &'a str,
    lookup: &'a dyn Fn(&str) -> Result<Quantity, Trouble>,
    depth: usize,
}

impl Cursor<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn operator(&mut self, among: [char; 2]) -> Option<char> {
        self.skip();
        let first = self.rest.chars().next().filter(|c| among.contains(c))?;
        self.rest = &self.rest[1..];
        Some(first)
    }

    fn sum(&mut self) -> Result<Quantity, Trouble> {
        let mut left = self.product()?;
        while let Some(operator) = self.operator(['+', '-']) {
            left = combine(operator, &left, &self.product()?).map_err(Trouble::Other)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Quantity, Trouble> {
        let mut left = self.value()?;
        while let Some(operator) = self.operator(['*', '/']) {
            left = combine(operator, &left, &self.value()?).map_err(Trouble::Other)?;
        }
        Ok(left)
    }

    fn value(&mut self) -> Result<Quantity, Trouble> {
        self.skip();
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.depth += 1;
            if self.depth > DEPTH_MAX {
                return Err(Trouble::Other("brackets are nested too deeply".into()));
            }
            self.rest = rest;
            let inner = self.sum()?;
            self.skip();
            self.rest = self.rest.strip_prefix(')').ok_or_else(|| Trouble::Other("a `(` is never closed".into()))?;
            self.depth -= 1;
            return Ok(inner);
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let (quantity, length) = leading_quantity(self.rest).map_err(Trouble::Other)?;
            self.rest = &self.rest[length..];
            return Ok(quantity);
        }
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(Trouble::Other("a number or a name is missing".into()));
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (self.lookup)(name)
    }
}

/// The quantity that a text begins with, and its length in bytes: the longest unit that can be read.
///
/// # Errors
/// A sentence about the unit.
pub(crate) fn leading_quantity(text: &str) -> Result<(Quantity, usize), String> {
    let is_unit = |c: char| c.is_alphabetic() || c == '%';
    let number = number_length(text);
    let unit = number + text[number..].find(|c: char| !is_unit(c)).unwrap_or(text.len() - number);
    let per = per_length(&text[unit..]).map(|length| unit + length);
    let apart = word_apart(&text[unit..]).filter(|_| unit == number).map(|length| unit + length);
    let apart_per = apart.and_then(|end| per_length(&text[end..]).map(|length| end + length));
    for end in [apart_per, apart, per, Some(unit)].into_iter().flatten() {
        if let Ok(quantity) = Quantity::parse(&text[..end]) {
            return Ok((quantity, end));
        }
    }
    match Quantity::parse(&text[..unit]) {
        Ok(quantity) => Ok((quantity, unit)),
        Err(error) => Err(format!("`{}` {error}", &text[..unit])),
    }
}

fn number_length(text: &str) -> usize {
    let digits =
        |from: usize| text[from..].bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_')).count();
    let end = digits(0);
    let after = &text[end..];
    let sign = usize::from(after.len() > 1 && matches!(after.as_bytes()[1], b'+' | b'-'));
    if after.starts_with(['e', 'E']) && after[1 + sign..].starts_with(|c: char| c.is_ascii_digit()) {
        return end + 1 + sign + digits(end + 1 + sign);
    }
    end
}

/// Length of `/s`, `/10s`: a rate's ending, and not a division by a name.
fn per_length(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('/')?;
    let number = inner.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let unit = inner[number..].find(|c: char| !c.is_alphabetic()).unwrap_or(inner.len() - number);
    let ends = !inner[number + unit..].starts_with(|c: char| c == '(' || c == '.' || c == '_' || c.is_alphanumeric());
    (unit > 0 && ends).then_some(1 + number + unit)
}

/// Length of ` events`: a word after a number that is not a keyword of rules.
fn word_apart(text: &str) -> Option<usize> {
    let inner = text.trim_start();
    let space = text.len() - inner.len();
    let word = inner.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(inner.len());
    let is_keyword = ["and", "in", "per", "for", "of", "where"].contains(&&inner[..word]);
    (space > 0 && word > 0 && !is_keyword && !inner[word..].starts_with(['(', '.'])).then_some(space + word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expression: &str) -> Result<String, Trouble> {
        let lookup = |name: &str| match name {
            "streams" => Ok(Quantity::count(20.0)),
            "average" => Ok(Quantity::parse("5/s").unwrap()),
            _ => Err(Trouble::Unknown(name.to_owned())),
        };
        evaluate(expression, &lookup).map(|quantity| exact(&quantity))
    }

    #[test]
    fn units_are_kept_and_joined() {
        for (expression, result) in [
            ("streams * average", "100/s"),
            ("average * 1h", "18000"),
            ("10s + 2 * 5s", "20s"),
            ("(1 + 3) * 25%", "1"),
            ("500 * 95%", "475"),
            ("3600 / 1h", "1/s"),
            ("1h / 1m", "60"),
            ("1200 events / 1m", "20 events/s"),
            ("100 / average", "20s"),
            ("8 - 2 - 1", "5"),
        ] {
            assert_eq!(value(expression).as_deref(), Ok(result), "{expression}");
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        assert_eq!(value("nobody * 2"), Err(Trouble::Unknown("nobody".into())));
        for wrong in ["5s + 3", "1s * 1s", "1 / 0", "(1", "1 +", "2 2", "((((((((((((((((((((((((((((((((((1"] {
            assert!(matches!(value(wrong), Err(Trouble::Other(_))), "{wrong}");
        }
    }

    #[test]
    fn a_rate_is_no_division_and_a_division_is_no_rate() {
        assert_eq!(leading_quantity("1/10s in hold").unwrap(), (Quantity::parse("1/10s").unwrap(), 5));
        assert_eq!(leading_quantity("10/rate(x)").unwrap(), (Quantity::count(10.0), 2));
        assert_eq!(leading_quantity("5 and 3").unwrap(), (Quantity::count(5.0), 1));
        assert!(leading_quantity("5xs").is_err());
    }

    #[test]
    fn exact_texts_read_back() {
        for value in [1.0 / 3.0, 0.07, 1e-9, 123_456_789.123] {
            for unit in [Unit::Count, Unit::PerSecond, Unit::Bytes] {
                let quantity = Quantity { value, unit };
                assert_eq!(Quantity::parse(&exact(&quantity)), Ok(quantity));
            }
        }
        for nanos in [0, 1, 1_500_000, 90_000_000_000, 7_200_000_000_000, 1_234_567_891] {
            let read = Quantity::parse(&exact_duration(Nanos(nanos))).unwrap();
            assert_eq!(read.nanos(), Some(Nanos(nanos)));
        }
    }
}
