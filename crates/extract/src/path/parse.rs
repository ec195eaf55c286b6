//! Reads a path: recursive descent without going back, so that its time grows with the length only.

use super::function::Pattern;
use super::{
    BRACKETS_DEEP_MAX, Compare, FILTERS_DEEP_MAX, Operand, PATH_BYTES_MAX, Query, Segment, Selector, Test, Unreadable,
};
use serde_json::Value;

/// Longer symbols first, so that `<=` is not read as `<`.
const COMPARISONS: [(&str, Compare); 6] = [
    ("==", Compare::Equal),
    ("!=", Compare::NotEqual),
    ("<=", Compare::AtMost),
    (">=", Compare::AtLeast),
    ("<", Compare::Less),
    (">", Compare::Greater),
];

pub(super) fn read(text: &str) -> Result<Query, Unreadable> {
    // Places are counted in bytes while reading: counting characters for each would be quadratic.
    let in_characters = |wrong: Unreadable| Unreadable { at: text[..wrong.at].chars().count(), ..wrong };
    whole(text).map_err(in_characters)
}

fn whole(text: &str) -> Result<Query, Unreadable> {
    if text.len() > PATH_BYTES_MAX {
        let why = format!("it has {} bytes; at most {PATH_BYTES_MAX} are possible", text.len());
        return Err(Unreadable { at: 0, why });
    }
    let mut reader = Reader { text, rest: text, filters: 0, brackets: 0 };
    if !reader.eat("$") {
        return Err(reader.wrong("a path begins with `$`"));
    }
    let segments = reader.segments()?;
    if !reader.rest.is_empty() {
        return Err(reader.wrong("expected `.name`, `..`, `[` or the end"));
    }
    Ok(Query { is_root: true, segments })
}

/// What is still to be read, and how deep in it the reader is.
pub(super) struct Reader<'t> {
    text: &'t str,
    pub(super) rest: &'t str,
    filters: usize,
    brackets: usize,
}

/// A place in the path.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    at: usize,
}

impl Mark {
    pub(super) fn wrong(self, why: impl Into<String>) -> Unreadable {
        Unreadable { at: self.at, why: why.into() }
    }
}

/// What stands on one side of a comparison, or by itself.
enum Term {
    Query(Query),
    Literal(Value),
    /// A function with a value.
    Value(Operand),
    /// A function that holds or does not.
    Test(Test),
}

impl<'t> Reader<'t> {
    pub(super) fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    pub(super) fn eat(&mut self, symbol: &str) -> bool {
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.take(c.len_utf8());
        Some(c)
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { at: self.text.len() - self.rest.len() }
    }

    fn wrong(&self, why: impl Into<String>) -> Unreadable {
        self.mark().wrong(why)
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn segments(&mut self) -> Result<Vec<Segment>, Unreadable> {
        let mut segments = Vec::new();
        loop {
            let before = self.rest;
            self.skip();
            let descends = self.eat("..");
            let selectors = if !descends && self.eat(".") || descends && !self.rest.starts_with('[') {
                vec![self.dotted()?]
            } else if self.eat("[") {
                self.bracketed()?
            } else {
                // White space behind the last segment is not the query's.
                self.rest = before;
                return Ok(segments);
            };
            segments.push(Segment { descends, selectors });
        }
    }

    fn dotted(&mut self) -> Result<Selector, Unreadable> {
        if self.eat("*") {
            return Ok(Selector::Any);
        }
        let name = self.short_name().map(Selector::Name);
        name.ok_or_else(|| self.wrong("expected a name or `*`; other names stand in brackets and quotes, `['a-b']`"))
    }

    fn bracketed(&mut self) -> Result<Vec<Selector>, Unreadable> {
        let mut selectors = Vec::new();
        loop {
            self.skip();
            selectors.push(self.selector()?);
            self.skip();
            if self.eat("]") {
                return Ok(selectors);
            }
            if !self.eat(",") {
                return Err(self.wrong("expected `,` or `]`"));
            }
        }
    }

    fn selector(&mut self) -> Result<Selector, Unreadable> {
        if self.eat("*") {
            return Ok(Selector::Any);
        }
        if self.eat("?") {
            return self.filter();
        }
        if let Some(name) = self.quoted()? {
            return Ok(Selector::Name(name.into()));
        }
        let from = self.whole()?;
        let before = self.rest;
        self.skip();
        if !self.eat(":") {
            self.rest = before;
            return from
                .map(Selector::Index)
                .ok_or_else(|| self.wrong("expected a name in quotes, a number, a slice `1:3`, `*` or a filter `?…`"));
        }
        self.skip();
        let to = self.whole()?;
        let before = self.rest;
        self.skip();
        let mut step = None;
        if self.eat(":") {
            let before = self.rest;
            self.skip();
            step = self.whole()?;
            if step.is_none() {
                self.rest = before;
            }
        } else {
            self.rest = before;
        }
        Ok(Selector::Slice { from, to, step: step.unwrap_or(1) })
    }

    fn filter(&mut self) -> Result<Selector, Unreadable> {
        self.deeper()?;
        // Brackets are counted within one filter.
        let brackets = std::mem::take(&mut self.brackets);
        self.skip();
        let test = self.any_of()?;
        self.brackets = brackets;
        self.filters -= 1;
        Ok(Selector::Filter(test))
    }

    fn deeper(&mut self) -> Result<(), Unreadable> {
        self.filters += 1;
        if self.filters > FILTERS_DEEP_MAX {
            let why = format!("filters and functions stand more than {FILTERS_DEEP_MAX} deep within each other");
            return Err(self.wrong(why));
        }
        Ok(())
    }

    fn any_of(&mut self) -> Result<Test, Unreadable> {
        self.joined("||", Self::all_of, Test::Or)
    }

    fn all_of(&mut self) -> Result<Test, Unreadable> {
        self.joined("&&", Self::basic, Test::And)
    }

    fn joined(
        &mut self,
        symbol: &str,
        member: fn(&mut Self) -> Result<Test, Unreadable>,
        join: fn(Vec<Test>) -> Test,
    ) -> Result<Test, Unreadable> {
        let first = member(self)?;
        let mut members = vec![first];
        loop {
            self.skip();
            if !self.eat(symbol) {
                break;
            }
            self.skip();
            members.push(member(self)?);
        }
        Ok(if members.len() == 1 { members.remove(0) } else { join(members) })
    }

    fn basic(&mut self) -> Result<Test, Unreadable> {
        let is_not = self.eat("!");
        if is_not {
            self.skip();
        }
        let negated = |test| if is_not { Test::Not(Box::new(test)) } else { test };
        if self.eat("(") {
            self.brackets += 1;
            if self.brackets > BRACKETS_DEEP_MAX {
                return Err(self.wrong(format!("brackets stand more than {BRACKETS_DEEP_MAX} deep within each other")));
            }
            self.skip();
            let test = self.any_of()?;
            self.skip();
            if !self.eat(")") {
                return Err(self.wrong("expected `)`"));
            }
            self.brackets -= 1;
            return Ok(negated(test));
        }
        let here = self.mark();
        let part = self.part()?;
        if !is_not {
            self.skip();
            if let Some((symbol, compare)) = COMPARISONS.iter().find(|(symbol, _)| self.rest.starts_with(symbol)) {
                self.take(symbol.len());
                let left = value(part, here)?;
                self.skip();
                let here = self.mark();
                let right = value(self.part()?, here)?;
                return Ok(Test::Compare(left, *compare, right));
            }
        }
        match part {
            Term::Query(query) => Ok(negated(Test::Exists(query))),
            Term::Test(test) => Ok(negated(test)),
            Term::Literal(_) => Err(here.wrong("a value by itself asks nothing; compare it with something")),
            Term::Value(_) => Err(here.wrong("what this function gives is compared with something, `count(@.*) > 1`")),
        }
    }

    fn part(&mut self) -> Result<Term, Unreadable> {
        for (symbol, is_root) in [("@", false), ("$", true)] {
            if self.eat(symbol) {
                return Ok(Term::Query(Query { is_root, segments: self.segments()? }));
            }
        }
        if let Some(text) = self.quoted()? {
            return Ok(Term::Literal(Value::String(text)));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return self.number().map(Term::Literal);
        }
        let here = self.mark();
        let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let end = self.rest.find(|c: char| !is_letter(c)).unwrap_or(self.rest.len());
        let word = self.take(end);
        match word {
            "true" => Ok(Term::Literal(Value::Bool(true))),
            "false" => Ok(Term::Literal(Value::Bool(false))),
            "null" => Ok(Term::Literal(Value::Null)),
            "length" | "count" | "value" | "match" | "search" if self.eat("(") => self.function(word, here),
            _ => Err(here.wrong(
                "expected `@…`, `$…`, a value, or a function: `length(…)`, `count(…)`, `match(…)`, `search(…)`, `value(…)`",
            )),
        }
    }

    fn function(&mut self, name: &str, here: Mark) -> Result<Term, Unreadable> {
        self.deeper()?;
        let mut parts = Vec::new();
        self.skip();
        if !self.eat(")") {
            loop {
                self.skip();
                let here = self.mark();
                parts.push((self.part()?, here));
                self.skip();
                if self.eat(")") {
                    break;
                }
                if !self.eat(",") {
                    return Err(self.wrong("expected `,` or `)`"));
                }
            }
        }
        self.filters -= 1;
        let mut parts = parts.into_iter();
        match (name, parts.next(), parts.next(), parts.next()) {
            ("length", Some((part, at)), None, None) => Ok(Term::Value(Operand::Length(Box::new(value(part, at)?)))),
            ("count", Some((Term::Query(query), _)), None, None) => Ok(Term::Value(Operand::Count(query))),
            ("value", Some((Term::Query(query), _)), None, None) => Ok(Term::Value(Operand::Value(query))),
            ("match" | "search", Some((text, at)), Some((pattern, other)), None) => {
                let (text, is_whole) = (value(text, at)?, name == "match");
                let pattern = Pattern::new(value(pattern, other)?, is_whole);
                Ok(Term::Test(Test::Matches { is_whole, text, pattern }))
            }
            ("length", ..) => Err(here.wrong("`length` takes one value")),
            ("count" | "value", ..) => Err(here.wrong(format!("`{name}` takes one path"))),
            _ => Err(here.wrong(format!("`{name}` takes a value and a pattern"))),
        }
    }
}

/// A part as a value to compare.
fn value(part: Term, here: Mark) -> Result<Operand, Unreadable> {
    match part {
        Term::Literal(value) => Ok(Operand::Literal(value)),
        Term::Value(operand) => Ok(operand),
        Term::Query(query) if query.is_singular() => Ok(Operand::Node(query)),
        Term::Query(_) => Err(here.wrong("this path may select several nodes, so it has no value to compare")),
        Term::Test(_) => Err(here.wrong("this function holds or does not; it has no value to compare")),
    }
}
