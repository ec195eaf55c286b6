//! Numbers, texts and names of a path.

use super::Unreadable;
use super::parse::Reader;
use serde_json::Value;

/// Whole numbers that every implementation of JSON holds exactly (RFC 7493).
const WHOLE_MAX: i64 = (1 << 53) - 1;

impl<'t> Reader<'t> {
    /// A name behind a dot, if there is one.
    pub(super) fn short_name(&mut self) -> Option<Box<str>> {
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
        if !self.rest.starts_with(is_first) {
            return None;
        }
        let end = self.rest.find(|c: char| !(is_first(c) || c.is_ascii_digit())).unwrap_or(self.rest.len());
        Some(self.take(end).into())
    }

    /// A whole number, if one begins here.
    pub(super) fn whole(&mut self) -> Result<Option<i64>, Unreadable> {
        if !self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return Ok(None);
        }
        let here = self.mark();
        let negative = self.eat("-");
        let digits = self.digits();
        if digits.is_empty() || (digits.len() > 1 || negative) && digits.starts_with('0') {
            return Err(here.wrong("a whole number has no zero in front"));
        }
        let value = digits.parse::<i64>().ok().filter(|value| *value <= WHOLE_MAX);
        let value = value.ok_or_else(|| here.wrong("the number is too large"))?;
        Ok(Some(if negative { -value } else { value }))
    }

    /// A number as JSON has it.
    pub(super) fn number(&mut self) -> Result<Value, Unreadable> {
        let here = self.mark();
        let whole = self.rest;
        let negative = self.eat("-");
        let digits = self.digits();
        let mut is_good = !digits.is_empty() && (digits.len() == 1 || !digits.starts_with('0'));
        let mut is_whole = !(negative && digits == "0");
        if self.eat(".") {
            is_whole = false;
            is_good &= !self.digits().is_empty();
        }
        if self.eat("e") || self.eat("E") {
            is_whole = false;
            let _ = self.eat("+") || self.eat("-");
            is_good &= !self.digits().is_empty();
        }
        let text = &whole[..whole.len() - self.rest.len()];
        let whole = if is_whole { text.parse::<i64>().ok().map(Value::from) } else { None };
        let real = || text.parse::<f64>().ok().filter(|value| value.is_finite()).map(Value::from);
        let value = whole.or_else(real);
        value.filter(|_| is_good).ok_or_else(|| here.wrong("this is not a number"))
    }

    fn digits(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        self.take(end)
    }

    /// A text in quotes; `None` when none begins here.
    pub(super) fn quoted(&mut self) -> Result<Option<String>, Unreadable> {
        let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return Ok(None) };
        let open = self.mark();
        self.take(1);
        let mut text = String::new();
        loop {
            let here = self.mark();
            let Some(c) = self.next() else { return Err(open.wrong("the quote is never closed")) };
            match c {
                _ if c == quote => return Ok(Some(text)),
                '\\' => text.push(self.escaped(quote)?),
                _ if c < ' ' => return Err(here.wrong("a control character in quotes is written as `\\u…`")),
                _ => text.push(c),
            }
        }
    }

    fn escaped(&mut self, quote: char) -> Result<char, Unreadable> {
        let here = self.mark();
        Ok(match self.next() {
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.code_point().ok_or_else(|| here.wrong("`\\u` is followed by four digits")),
            Some(c) if matches!(c, '/' | '\\') || c == quote => c,
            _ => return Err(here.wrong("this character has no meaning behind `\\`")),
        })
    }

    /// What follows `\u`; two of them make one character above the first 65,536.
    fn code_point(&mut self) -> Option<char> {
        let high = self.unit()?;
        if !(0xD800..0xDC00).contains(&high) {
            return char::from_u32(high);
        }
        let low = self.eat("\\u").then(|| self.unit()).flatten().filter(|low| (0xDC00..0xE000).contains(low))?;
        char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.rest.get(..4).filter(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()))?;
        let unit = u32::from_str_radix(digits, 16).ok();
        self.take(4);
        unit
    }
}
