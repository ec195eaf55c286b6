//! Rules as they are written, read a second time: as much of the language as has a number beside its limit.

use terms::{Nanos, Quantity, Unit};

/// A rule: what has to hold, and when.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    pub(super) clauses: Vec<Clause>,
    /// The phase that it looks at, `all` for all; `None` for what is usual.
    pub(super) phase: Option<String>,
    /// First (true) or last so many nanoseconds of it.
    pub(super) part: Option<(bool, i64)>,
    pub(super) per: Vec<String>,
}

/// Sums that are compared, or anything else, of which there is only the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Clause {
    pub(super) text: String,
    /// One more than operators; none of a state or a change.
    pub(super) sums: Vec<Sum>,
    pub(super) operators: Vec<String>,
}

/// A sum, product or quotient.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sum {
    Number(Quantity),
    /// A number that only the study's variables say.
    Variable,
    Call(Call),
    Joined(char, Box<Sum>, Box<Sum>),
}

/// `function(series condition of population)`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) function: String,
    /// `scenario/part/exchange.leg.figure`.
    pub(super) places: Vec<String>,
    pub(super) names: Vec<String>,
    pub(super) condition: Option<(String, Quantity)>,
    pub(super) of: Option<String>,
}

impl Sum {
    pub(super) fn calls(&self) -> Vec<&Call> {
        match self {
            Self::Call(call) => vec![call],
            Self::Joined(_, left, right) => [left.calls(), right.calls()].concat(),
            _ => Vec::new(),
        }
    }
}

impl Call {
    /// The quantile of `p95`.
    pub(super) fn quantile(&self) -> Option<f64> {
        let (whole, rest) =
            self.function.strip_prefix('p').map(|digits| digits.split_once(['.', '_']).unwrap_or((digits, "")))?;
        let is_digits = !whole.is_empty() && whole.bytes().chain(rest.bytes()).all(|byte| byte.is_ascii_digit());
        is_digits.then(|| format!("0.{whole:0>2}{rest}").parse().ok())?
    }

    /// The limit of its condition as a time.
    pub(super) fn limit(&self) -> Option<(&str, Nanos)> {
        let (operator, limit) = self.condition.as_ref()?;
        Some((operator, limit.nanos()?))
    }
}

const COMPARISONS: [&str; 5] = ["<=", ">=", "<", ">", "="];

/// Reads a rule; `None` where it is not understood.
pub(super) fn rule(text: &str) -> Option<Rule> {
    let mut reader = Reader { rest: text };
    let mut rule = Rule { clauses: vec![reader.clause()?], phase: None, part: None, per: Vec::new() };
    while reader.word("and") {
        rule.clauses.push(reader.clause()?);
    }
    loop {
        if reader.word("in") {
            let is_first = if reader.word("first") { Some(true) } else { reader.word("last").then_some(false) };
            if let Some(is_first) = is_first {
                rule.part = Some((is_first, reader.quantity()?.nanos()?.0));
                reader.word("of").then_some(())?;
            }
            rule.phase = Some(reader.name()?);
        } else if reader.word("per") {
            rule.per.push(reader.name()?);
            while reader.symbol(",") {
                rule.per.push(reader.name()?);
            }
        } else {
            return reader.is_end().then_some(rule);
        }
    }
}

/// Reads a sum by itself, with what stands behind it as a rule's.
pub(super) fn formula(text: &str) -> Option<Rule> {
    rule(&text.find(" in ").map_or(format!("{text} > 0"), |at| format!("{} > 0{}", &text[..at], &text[at..])))
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn is_end(&mut self) -> bool {
        self.skip();
        self.rest.is_empty()
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(symbol);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// A word, if it is this one.
    fn word(&mut self, word: &str) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(word).filter(|rest| !rest.starts_with(is_letter));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn name(&mut self) -> Option<String> {
        self.skip();
        if let Some(rest) = self.rest.strip_prefix('*') {
            self.rest = rest;
            return Some("*".to_owned());
        }
        let end = self.rest.find(|c| !is_letter(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// The name of a function: that of a percentile may have a point.
    fn function(&mut self) -> Option<String> {
        let mut name = self.name()?;
        let digits =
            self.rest.strip_prefix('.').filter(|_| name.starts_with('p')).and_then(|rest| rest.split_once('('));
        if let Some((digits, _)) = digits.filter(|(digits, _)| digits.bytes().all(|byte| byte.is_ascii_digit())) {
            name = format!("{name}.{digits}");
            self.rest = &self.rest[1 + digits.len()..];
        }
        Some(name)
    }

    /// A number with its unit: the longest text that is one.
    fn quantity(&mut self) -> Option<Quantity> {
        self.skip();
        let ends = self.rest.char_indices().map(|(at, _)| at).skip(1).chain([self.rest.len()]);
        let is_whole = |end: &usize| {
            let (text, next) = self.rest.split_at(*end);
            let is_cut = text.ends_with(is_letter) && next.starts_with(is_letter);
            let is_number_cut = next.starts_with('.') && text.ends_with(|c: char| c.is_ascii_digit());
            // `5 per step` is not five per.
            let words = ["and", "in", "per", "of", "for"];
            let ends_in_word = text.split_whitespace().skip(1).any(|word| words.contains(&word));
            !is_cut && !is_number_cut && !ends_in_word && text.trim_end() == text && Quantity::parse(text).is_ok()
        };
        let end = ends.take(40).filter(is_whole).last()?;
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Quantity::parse(text).ok()
    }

    fn clause(&mut self) -> Option<Clause> {
        self.skip();
        let from = self.rest;
        let states = ["steady", "alive", "drained", "settled", "met", "broken", "change"];
        if states.iter().any(|state| from.strip_prefix(state).is_some_and(|rest| rest.trim_start().starts_with('('))) {
            self.rest = behind_bracket(from)?;
            if from.starts_with("change") {
                COMPARISONS.iter().any(|operator| self.symbol(operator)).then_some(())?;
                let _ = self.symbol("-");
                self.sum()?;
            }
            return Some(Clause { text: self.text_since(from), sums: Vec::new(), operators: Vec::new() });
        }
        let (mut sums, mut operators) = (vec![self.sum()?], Vec::new());
        while let Some(operator) = COMPARISONS.iter().find(|operator| self.symbol(operator)) {
            operators.push((*operator).to_owned());
            sums.push(self.sum()?);
        }
        (!operators.is_empty()).then(|| Clause { text: self.text_since(from), sums, operators })
    }

    fn text_since(&self, from: &str) -> String {
        from[..from.len() - self.rest.len()].trim().to_owned()
    }

    fn sum(&mut self) -> Option<Sum> {
        let mut left = self.product()?;
        loop {
            let operator = if self.symbol("+") {
                '+'
            } else if self.symbol("-") {
                '-'
            } else {
                return Some(left);
            };
            left = Sum::Joined(operator, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Option<Sum> {
        let mut left = self.value()?;
        loop {
            let operator = if self.symbol("*") {
                '*'
            } else if self.symbol("/") {
                '/'
            } else {
                return Some(left);
            };
            left = Sum::Joined(operator, Box::new(left), Box::new(self.value()?));
        }
    }

    fn value(&mut self) -> Option<Sum> {
        self.skip();
        if self.rest.starts_with("$(") {
            self.rest = behind_bracket(self.rest)?;
            return Some(Sum::Variable);
        }
        if self.symbol("(") {
            let inner = self.sum()?;
            return self.symbol(")").then_some(inner);
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.quantity().map(Sum::Number);
        }
        let function = self.function()?;
        self.symbol("(").then_some(())?;
        let (mut places, mut names) = (Vec::new(), vec![self.name()?]);
        while self.symbol("/") {
            places.append(&mut names);
            names.push(self.name()?);
        }
        while self.symbol(".") {
            names.push(self.name()?);
        }
        let operator = COMPARISONS.iter().find(|operator| self.symbol(operator));
        let condition = match operator {
            Some(operator) => Some(((*operator).to_owned(), self.quantity()?)),
            None => None,
        };
        let of = if self.word("of") { Some(self.name()?) } else { None };
        self.symbol(")").then_some(Sum::Call(Call { function, places, names, condition, of }))
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What follows the bracket that closes the first one.
fn behind_bracket(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if letter == ')' && depth == 0 {
            return Some(&text[at + 1..]);
        }
    }
    None
}

/// A number of the study in the unit of a value: of times milliseconds.
pub(super) fn in_unit(quantity: &Quantity) -> f64 {
    if quantity.unit == Unit::Time { quantity.value * 1e3 } else { quantity.value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_as_it_is_written() {
        let read = rule(
            "alive(a.1) and share(rih/x.answer.response < 1.5 s of all) >= 99.5% in last 5m of hold per step, exchange",
        )
        .unwrap();
        assert_eq!((read.clauses.len(), read.clauses[0].sums.len()), (2, 0));
        assert_eq!((read.phase.as_deref(), read.part), (Some("hold"), Some((false, 300_000_000_000))));
        assert_eq!(read.per, ["step", "exchange"]);
        let [Sum::Call(call), Sum::Number(limit)] = &read.clauses[1].sums[..] else { panic!("{read:?}") };
        assert_eq!(
            (&call.places[..], &call.names[..]),
            (&["rih".to_owned()][..], &["x", "answer", "response"].map(String::from)[..])
        );
        assert_eq!((call.limit(), call.of.as_deref()), (Some(("<", Nanos::from_millis(1500))), Some("all")));
        assert_eq!(limit.value, 0.995);
        assert_eq!(read.clauses[1].text, "share(rih/x.answer.response < 1.5 s of all) >= 99.5%");
    }

    #[test]
    fn sums_percentiles_and_variables_are_read() {
        let read = rule("p99.9(a.response) / 2 + 3ms <= 60 ms and count(*.ok) = count(b) per stream").unwrap();
        let Sum::Joined('+', left, _) = &read.clauses[0].sums[0] else { panic!("{read:?}") };
        assert_eq!(left.calls()[0].quantile(), Some(0.999));
        assert_eq!(read.clauses[1].operators, ["="]);
        let rate = rule("rate(x.accepted) >= $(streams * peak * (1 - 0.02))").unwrap();
        assert_eq!(rate.clauses[0].sums[1], Sum::Variable);
        assert_eq!(
            rule("rate(x) >= 2.9/s").unwrap().clauses[0].sums[1],
            Sum::Number(Quantity::parse("2.9/s").unwrap())
        );
        assert!(rule("change(p95(x), a, b) <= -5%").is_some());
        assert_eq!(rule("nothing"), None);
    }
}
