//! Walks an answer along a path: depth first, nothing collected, every step counted.

use super::function::{COMPILE_STEPS, Pattern, compile};
use super::{Compare, Operand, Query, STEPS_MAX, Segment, Selector, Test};
use regex::Regex;
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Bytes of text that are compared or searched in a step.
const BYTES_A_STEP: usize = 64;

/// The path has taken all the steps it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent;

/// Why a walk ended before its end.
enum Stop {
    /// Whoever asked has seen enough.
    Enough,
    Spent,
}

type Walked = Result<(), Stop>;

impl From<Spent> for Stop {
    fn from(_: Spent) -> Self {
        Self::Spent
    }
}

pub(super) fn first<'v>(query: &Query, root: &'v Value) -> Result<Option<&'v Value>, Spent> {
    Walk::new(root).first(query, root)
}

pub(super) fn each<'v>(query: &Query, root: &'v Value, visit: &mut dyn FnMut(&'v Value)) -> Result<(), Spent> {
    Walk::new(root).each(query, root, &mut |node| {
        visit(node);
        Ok(())
    })
}

struct Walk<'v> {
    root: &'v Value,
    left: u64,
    /// The pattern that was last compiled out of the answer: the next node mostly asks for the same.
    pattern: Option<(String, bool, Option<Regex>)>,
}

impl<'v> Walk<'v> {
    fn new(root: &'v Value) -> Self {
        Self { root, left: STEPS_MAX, pattern: None }
    }

    fn charge(&mut self, steps: u64) -> Result<(), Spent> {
        self.left = self.left.checked_sub(steps).ok_or(Spent)?;
        Ok(())
    }

    fn charge_bytes(&mut self, bytes: usize) -> Result<(), Spent> {
        self.charge((bytes / BYTES_A_STEP) as u64)
    }

    fn first(&mut self, query: &Query, current: &'v Value) -> Result<Option<&'v Value>, Spent> {
        let mut found = None;
        self.each(query, current, &mut |node| {
            found = Some(node);
            Err(Stop::Enough)
        })?;
        Ok(found)
    }

    /// Hands every node of a query to `visit`, until that has enough.
    fn each(
        &mut self,
        query: &Query,
        current: &'v Value,
        visit: &mut dyn FnMut(&'v Value) -> Walked,
    ) -> Result<(), Spent> {
        let from = if query.is_root { self.root } else { current };
        match self.along(&query.segments, from, visit) {
            Ok(()) | Err(Stop::Enough) => Ok(()),
            Err(Stop::Spent) => Err(Spent),
        }
    }

    fn along(&mut self, segments: &[Segment], node: &'v Value, visit: &mut dyn FnMut(&'v Value) -> Walked) -> Walked {
        let Some((segment, rest)) = segments.split_first() else { return visit(node) };
        self.segment(segment, rest, node, visit)
    }

    fn segment(
        &mut self,
        segment: &Segment,
        rest: &[Segment],
        node: &'v Value,
        visit: &mut dyn FnMut(&'v Value) -> Walked,
    ) -> Walked {
        self.charge(segment.selectors.len() as u64)?;
        for selector in &segment.selectors {
            self.select(selector, rest, node, visit)?;
        }
        if segment.descends {
            for child in children(node) {
                self.segment(segment, rest, child, visit)?;
            }
        }
        Ok(())
    }

    fn select(
        &mut self,
        selector: &Selector,
        rest: &[Segment],
        node: &'v Value,
        visit: &mut dyn FnMut(&'v Value) -> Walked,
    ) -> Walked {
        match (selector, node) {
            (Selector::Name(name), Value::Object(map)) => {
                map.get(&**name).map_or(Ok(()), |child| self.along(rest, child, visit))
            }
            (Selector::Index(index), Value::Array(list)) => {
                at(list, *index).map_or(Ok(()), |child| self.along(rest, child, visit))
            }
            (Selector::Slice { from, to, step }, Value::Array(list)) => {
                for index in slice(list.len(), *from, *to, *step) {
                    self.charge(1)?;
                    self.along(rest, &list[index], visit)?;
                }
                Ok(())
            }
            (Selector::Any, _) => {
                for child in children(node) {
                    self.charge(1)?;
                    self.along(rest, child, visit)?;
                }
                Ok(())
            }
            (Selector::Filter(test), _) => {
                for child in children(node) {
                    self.charge(1)?;
                    if self.holds(test, child)? {
                        self.along(rest, child, visit)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn holds(&mut self, test: &Test, current: &'v Value) -> Result<bool, Spent> {
        self.charge(1)?;
        match test {
            Test::Or(members) => {
                for member in members {
                    if self.holds(member, current)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Test::And(members) => {
                for member in members {
                    if !self.holds(member, current)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Test::Not(inner) => Ok(!self.holds(inner, current)?),
            Test::Exists(query) => Ok(self.first(query, current)?.is_some()),
            Test::Compare(left, compare, right) => {
                let (left, right) = (self.value(left, current)?, self.value(right, current)?);
                self.compares(left.as_deref(), *compare, right.as_deref())
            }
            Test::Matches { is_whole, text, pattern } => {
                let text = self.value(text, current)?;
                let Some(text) = text.as_deref().and_then(Value::as_str) else { return Ok(false) };
                self.charge_bytes(text.len())?;
                match pattern {
                    Pattern::Known(known) => Ok(known.as_ref().is_some_and(|regex| regex.is_match(text))),
                    Pattern::Found(operand) => {
                        let found = self.value(operand, current)?;
                        let Some(found) = found.as_deref().and_then(Value::as_str) else { return Ok(false) };
                        self.matches_found(text, found, *is_whole)
                    }
                }
            }
        }
    }

    fn matches_found(&mut self, text: &str, pattern: &str, is_whole: bool) -> Result<bool, Spent> {
        self.charge_bytes(text.len().saturating_mul(pattern.len().min(BYTES_A_STEP)))?;
        let is_kept = matches!(&self.pattern, Some((kept, whole, _)) if kept == pattern && *whole == is_whole);
        if !is_kept {
            self.charge(COMPILE_STEPS)?;
            self.pattern = Some((pattern.to_owned(), is_whole, compile(pattern, is_whole)));
        }
        Ok(self.pattern.as_ref().and_then(|(_, _, regex)| regex.as_ref()).is_some_and(|regex| regex.is_match(text)))
    }

    /// The value of an operand; `None` for the standard's *Nothing*.
    fn value<'o>(&mut self, operand: &'o Operand, current: &'v Value) -> Result<Option<Cow<'o, Value>>, Spent>
    where
        'v: 'o,
    {
        Ok(match operand {
            Operand::Literal(value) => Some(Cow::Borrowed(value)),
            Operand::Node(query) => self.first(query, current)?.map(Cow::Borrowed),
            Operand::Value(query) => {
                let (mut found, mut seen) = (None, 0);
                self.each(query, current, &mut |node| {
                    (found, seen) = (Some(node), seen + 1);
                    if seen > 1 { Err(Stop::Enough) } else { Ok(()) }
                })?;
                found.filter(|_| seen == 1).map(Cow::Borrowed)
            }
            Operand::Count(query) => {
                let mut count = 0u64;
                self.each(query, current, &mut |_| {
                    count += 1;
                    Ok(())
                })?;
                Some(Cow::Owned(count.into()))
            }
            Operand::Length(inner) => {
                let length = match self.value(inner, current)?.as_deref() {
                    Some(Value::String(text)) => {
                        self.charge_bytes(text.len())?;
                        Some(text.chars().count())
                    }
                    Some(Value::Array(list)) => Some(list.len()),
                    Some(Value::Object(map)) => Some(map.len()),
                    _ => None,
                };
                length.map(|length| Cow::Owned(length.into()))
            }
        })
    }

    fn compares(&mut self, left: Option<&Value>, compare: Compare, right: Option<&Value>) -> Result<bool, Spent> {
        Ok(match compare {
            Compare::Equal => self.is_equal(left, right)?,
            Compare::NotEqual => !self.is_equal(left, right)?,
            Compare::Less => self.is_less(left, right)?,
            Compare::Greater => self.is_less(right, left)?,
            Compare::AtMost => self.is_less(left, right)? || self.is_equal(left, right)?,
            Compare::AtLeast => self.is_less(right, left)? || self.is_equal(left, right)?,
        })
    }

    fn is_equal(&mut self, left: Option<&Value>, right: Option<&Value>) -> Result<bool, Spent> {
        match (left, right) {
            (Some(left), Some(right)) => self.is_same(left, right),
            (left, right) => Ok(left.is_none() && right.is_none()),
        }
    }

    fn is_same(&mut self, left: &Value, right: &Value) -> Result<bool, Spent> {
        self.charge(1)?;
        Ok(match (left, right) {
            (Value::Number(left), Value::Number(right)) => order(left, right) == Some(Ordering::Equal),
            (Value::String(left), Value::String(right)) => {
                self.charge_bytes(left.len().min(right.len()))?;
                left == right
            }
            (Value::Array(left), Value::Array(right)) => {
                if left.len() != right.len() {
                    return Ok(false);
                }
                for (left, right) in left.iter().zip(right) {
                    if !self.is_same(left, right)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Value::Object(left), Value::Object(right)) => {
                if left.len() != right.len() {
                    return Ok(false);
                }
                for (key, left) in left {
                    self.charge_bytes(key.len())?;
                    match right.get(key) {
                        Some(right) if self.is_same(left, right)? => {}
                        _ => return Ok(false),
                    }
                }
                true
            }
            (left, right) => left == right,
        })
    }

    fn is_less(&mut self, left: Option<&Value>, right: Option<&Value>) -> Result<bool, Spent> {
        Ok(match (left, right) {
            (Some(Value::Number(left)), Some(Value::Number(right))) => order(left, right) == Some(Ordering::Less),
            (Some(Value::String(left)), Some(Value::String(right))) => {
                self.charge_bytes(left.len().min(right.len()))?;
                left < right
            }
            _ => false,
        })
    }
}

/// The children of a node, in the answer's order.
enum Children<'v> {
    List(std::slice::Iter<'v, Value>),
    Map(serde_json::map::Values<'v>),
    None,
}

impl<'v> Iterator for Children<'v> {
    type Item = &'v Value;

    fn next(&mut self) -> Option<&'v Value> {
        match self {
            Self::List(list) => list.next(),
            Self::Map(map) => map.next(),
            Self::None => None,
        }
    }
}

fn children(node: &Value) -> Children<'_> {
    match node {
        Value::Array(list) => Children::List(list.iter()),
        Value::Object(map) => Children::Map(map.values()),
        _ => Children::None,
    }
}

fn at(list: &[Value], index: i64) -> Option<&Value> {
    let index = if index < 0 { (list.len() as i64).checked_add(index)? } else { index };
    list.get(usize::try_from(index).ok()?)
}

/// The indices of a slice, as RFC 9535 computes them (2.3.4.2.2).
fn slice(length: usize, from: Option<i64>, to: Option<i64>, step: i64) -> impl Iterator<Item = usize> {
    let length = length as i64;
    let from_end = |index: i64| if index < 0 { length + index } else { index };
    let (start, count) = if step > 0 {
        let lower = from_end(from.unwrap_or(0)).clamp(0, length);
        let upper = from_end(to.unwrap_or(length)).clamp(0, length);
        (lower, (upper - lower).max(0) as u64)
    } else {
        let upper = from_end(from.unwrap_or(length - 1)).clamp(-1, length - 1);
        let lower = to.map_or(-1, |to| from_end(to).clamp(-1, length - 1));
        (upper, (upper - lower).max(0) as u64)
    };
    let count = if step == 0 { 0 } else { count.div_ceil(step.unsigned_abs()) };
    (0..count as i64).map(move |number| (start + number * step) as usize)
}

/// Whole numbers are compared exactly, others as floating point.
fn order(left: &Number, right: &Number) -> Option<Ordering> {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}
