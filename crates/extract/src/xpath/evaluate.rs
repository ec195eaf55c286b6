//! Evaluates an expression on a document, step by counted step.

use super::axes::{Walk, passes};
use super::functions::Function;
use super::value::{self, Value};
use super::{Compare, Expression, Operator, Path, Predicate, STEPS_MAX, Spent, Start, Step, Type};
use crate::xml::{Kind, Tree, XML_URI};
use std::borrow::Cow;

pub(super) fn text(whole: &Expression, tree: Tree<'_>) -> Result<String, Spent> {
    let mut run = Run { tree, left: STEPS_MAX };
    run.text_of(whole, ROOT).map(Cow::into_owned)
}

pub(super) fn first_node(whole: &Expression, tree: Tree<'_>) -> Result<Option<u32>, Spent> {
    let mut run = Run { tree, left: STEPS_MAX };
    Ok(run.nodes(whole, ROOT, true)?.first().copied())
}

pub(super) fn nodes(whole: &Expression, tree: Tree<'_>) -> Result<Vec<u32>, Spent> {
    Run { tree, left: STEPS_MAX }.nodes(whole, ROOT, false)
}

/// The node that is looked from, and its place among those that are looked at with it.
#[derive(Clone, Copy)]
struct Context {
    node: u32,
    place: usize,
    size: usize,
}

const ROOT: Context = Context { node: 0, place: 1, size: 1 };

struct Run<'v> {
    tree: Tree<'v>,
    left: u64,
}

impl<'v> Run<'v> {
    fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        self.left = self.left.checked_sub(steps).ok_or(Spent)?;
        Ok(())
    }

    fn spend_text(&mut self, text: &str) -> Result<(), Spent> {
        self.spend(1 + text.len() as u64 / 32)
    }

    fn value(&mut self, expression: &'v Expression, at: Context) -> Result<Value<'v>, Spent> {
        self.spend(1)?;
        Ok(match expression {
            Expression::Or(any) => Value::Truth(self.any(any, at, true)?),
            Expression::And(all) => Value::Truth(!self.any(all, at, false)?),
            Expression::Comparison(first, rest) => {
                let mut left = self.value(first, at)?;
                for (compare, next) in rest {
                    let right = self.value(next, at)?;
                    left = Value::Truth(self.compares(left, *compare, right)?);
                }
                left
            }
            Expression::Calculation(first, rest) => {
                let mut result = self.number_of(first, at)?;
                for (operator, next) in rest {
                    result = calculated(result, *operator, self.number_of(next, at)?);
                }
                Value::Number(result)
            }
            Expression::Negative(inner) => Value::Number(-self.number_of(inner, at)?),
            Expression::Union(_) | Expression::Path(_) => Value::Nodes(self.nodes(expression, at, false)?),
            Expression::Literal(text) => Value::Text(Cow::Borrowed(text)),
            Expression::Number(number) => Value::Number(*number),
            Expression::Call(function, arguments) => self.call(*function, arguments, at)?,
        })
    }

    /// Whether one of them is so.
    fn any(&mut self, all: &'v [Expression], at: Context, wanted: bool) -> Result<bool, Spent> {
        for one in all {
            if self.truth(one, at)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn truth(&mut self, expression: &'v Expression, at: Context) -> Result<bool, Spent> {
        if expression.of() == Type::Nodes {
            return Ok(!self.nodes(expression, at, true)?.is_empty());
        }
        Ok(match self.value(expression, at)? {
            Value::Nodes(nodes) => !nodes.is_empty(),
            Value::Number(number) => number != 0.0 && !number.is_nan(),
            Value::Text(text) => !text.is_empty(),
            Value::Truth(truth) => truth,
        })
    }

    fn text_of(&mut self, expression: &'v Expression, at: Context) -> Result<Cow<'v, str>, Spent> {
        if expression.of() == Type::Nodes {
            let first = self.nodes(expression, at, true)?.first().copied();
            return first.map_or(Ok(Cow::Borrowed("")), |node| self.node_text(node));
        }
        let value = self.value(expression, at)?;
        self.text(value)
    }

    fn text(&mut self, value: Value<'v>) -> Result<Cow<'v, str>, Spent> {
        Ok(match value {
            Value::Nodes(nodes) => match nodes.first() {
                Some(node) => self.node_text(*node)?,
                None => Cow::Borrowed(""),
            },
            Value::Number(number) => value::text_of(number).into(),
            Value::Text(text) => text,
            Value::Truth(truth) => Cow::Borrowed(if truth { "true" } else { "false" }),
        })
    }

    fn node_text(&mut self, node: u32) -> Result<Cow<'v, str>, Spent> {
        self.spend(self.tree.cost(node))?;
        Ok(self.tree.value(node))
    }

    fn number_of(&mut self, expression: &'v Expression, at: Context) -> Result<f64, Spent> {
        if expression.of() == Type::Nodes {
            return Ok(value::number_of(&self.text_of(expression, at)?));
        }
        let value = self.value(expression, at)?;
        self.number(value)
    }

    fn number(&mut self, value: Value<'v>) -> Result<f64, Spent> {
        Ok(match value {
            Value::Number(number) => number,
            Value::Truth(truth) => f64::from(u8::from(truth)),
            other => value::number_of(&self.text(other)?),
        })
    }

    /// The nodes of an expression that has nodes, in the order of the document. Where only the first is asked for, more
    /// may come but need not.
    fn nodes(&mut self, expression: &'v Expression, at: Context, only_first: bool) -> Result<Vec<u32>, Spent> {
        match expression {
            Expression::Path(path) => self.path(path, at, only_first),
            Expression::Union(all) => {
                let mut found = Vec::new();
                for one in all {
                    found.append(&mut self.nodes(one, at, only_first)?);
                }
                self.ordered(found)
            }
            other => match self.value(other, at)? {
                Value::Nodes(nodes) => Ok(nodes),
                _ => Ok(Vec::new()),
            },
        }
    }

    fn ordered(&mut self, mut nodes: Vec<u32>) -> Result<Vec<u32>, Spent> {
        self.spend(nodes.len() as u64)?;
        nodes.sort_unstable();
        nodes.dedup();
        Ok(nodes)
    }

    fn path(&mut self, path: &'v Path, at: Context, only_first: bool) -> Result<Vec<u32>, Spent> {
        let mut nodes = match &path.start {
            Start::Root => vec![0],
            Start::Here => vec![at.node],
            Start::Of(inner, predicates) => {
                let mut nodes = self.nodes(inner, at, only_first && predicates.is_empty() && path.steps.is_empty())?;
                for predicate in predicates {
                    nodes = self.filtered(nodes, predicate)?;
                }
                nodes
            }
        };
        for (number, step) in path.steps.iter().enumerate() {
            nodes = self.step(step, &nodes, only_first && number + 1 == path.steps.len())?;
        }
        Ok(nodes)
    }

    fn step(&mut self, step: &'v Step, from: &[u32], only_first: bool) -> Result<Vec<u32>, Spent> {
        let is_positional = step.predicates.iter().any(|predicate| predicate.is_positional);
        let is_reverse = step.axis.is_reverse();
        let mut found = Vec::new();
        for node in from {
            let mut walk = Walk::new(self.tree, step.axis, *node);
            let mut here = Vec::new();
            loop {
                let next = walk.next();
                self.spend(walk.take_looked())?;
                let Some(next) = next else { break };
                if !passes(self.tree, step.axis, &step.test, next) {
                    continue;
                }
                if is_positional {
                    here.push(next);
                    continue;
                }
                if self.holds_all(&step.predicates, next)? {
                    found.push(next);
                    if only_first && from.len() == 1 && !is_reverse {
                        return Ok(found);
                    }
                }
            }
            if is_positional {
                for predicate in &step.predicates {
                    here = self.filtered(here, predicate)?;
                }
                found.append(&mut here);
            }
        }
        if from.len() > 1 || is_reverse { self.ordered(found) } else { Ok(found) }
    }

    /// Whether all of them hold, none of which asks for a place.
    fn holds_all(&mut self, predicates: &'v [Predicate], node: u32) -> Result<bool, Spent> {
        for predicate in predicates {
            if !self.truth(&predicate.expression, Context { node, ..ROOT })? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Those of the nodes, in the order of their axis, for which the predicate holds.
    fn filtered(&mut self, nodes: Vec<u32>, predicate: &'v Predicate) -> Result<Vec<u32>, Spent> {
        let size = nodes.len();
        let mut kept = Vec::new();
        for (index, node) in nodes.into_iter().enumerate() {
            let at = Context { node, place: index + 1, size };
            self.spend(1)?;
            let holds = match predicate.expression.of() {
                Type::Number => self.number_of(&predicate.expression, at)? == at.place as f64,
                _ => self.truth(&predicate.expression, at)?,
            };
            if holds {
                kept.push(node);
            }
        }
        Ok(kept)
    }

    /// Section 3.4: nodes are compared one by one, and one that holds is enough.
    fn compares(&mut self, left: Value<'v>, compare: Compare, right: Value<'v>) -> Result<bool, Spent> {
        let is_equality = matches!(compare, Compare::Equal | Compare::NotEqual);
        match (left, right) {
            (Value::Nodes(left), Value::Nodes(right)) => {
                let mut texts = Vec::with_capacity(right.len());
                for node in right {
                    texts.push(self.node_text(node)?);
                }
                for node in left {
                    let text = self.node_text(node)?;
                    for other in &texts {
                        self.spend_text(other)?;
                        if texts_compare(&text, compare, other) {
                            return Ok(true);
                        }
                    }
                }
                Ok(false)
            }
            (left, Value::Nodes(nodes)) => self.compares(Value::Nodes(nodes), compare.turned(), left),
            (Value::Nodes(nodes), Value::Truth(truth)) => {
                Ok(numbers_compare(f64::from(u8::from(!nodes.is_empty())), compare, f64::from(u8::from(truth))))
            }
            (Value::Nodes(nodes), Value::Number(number)) => {
                for node in nodes {
                    if numbers_compare(value::number_of(&self.node_text(node)?), compare, number) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Value::Nodes(nodes), Value::Text(other)) => {
                for node in nodes {
                    let text = self.node_text(node)?;
                    self.spend_text(&other)?;
                    if texts_compare(&text, compare, &other) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Value::Truth(left), right) if is_equality => Ok((left == is_true(&right)) == (compare == Compare::Equal)),
            (left, Value::Truth(right)) if is_equality => Ok((is_true(&left) == right) == (compare == Compare::Equal)),
            (Value::Text(left), Value::Text(right)) => {
                self.spend_text(&left)?;
                Ok(texts_compare(&left, compare, &right))
            }
            (left, right) => Ok(numbers_compare(self.number(left)?, compare, self.number(right)?)),
        }
    }

    fn call(&mut self, function: Function, arguments: &'v [Expression], at: Context) -> Result<Value<'v>, Spent> {
        let tree = self.tree;
        Ok(match function {
            Function::Last => Value::Number(at.size as f64),
            Function::Position => Value::Number(at.place as f64),
            Function::True => Value::Truth(true),
            Function::False => Value::Truth(false),
            Function::Boolean => Value::Truth(self.truth(&arguments[0], at)?),
            Function::Not => Value::Truth(!self.truth(&arguments[0], at)?),
            Function::Count => Value::Number(self.nodes(&arguments[0], at, false)?.len() as f64),
            Function::Sum => {
                let mut sum = 0.0;
                for node in self.nodes(&arguments[0], at, false)? {
                    sum += value::number_of(&self.node_text(node)?);
                }
                Value::Number(sum)
            }
            Function::LocalName | Function::Name | Function::NamespaceUri => {
                let node = match arguments.first() {
                    Some(argument) => self.nodes(argument, at, true)?.first().copied(),
                    None => Some(at.node),
                };
                Value::Text(Cow::Borrowed(node.map_or("", |node| match function {
                    Function::LocalName => tree.local_name(node),
                    Function::Name => tree.name(node),
                    _ => tree.namespace(node),
                })))
            }
            Function::String => Value::Text(self.own_or(arguments, at)?),
            Function::Number => match arguments.first() {
                Some(argument) => Value::Number(self.number_of(argument, at)?),
                None => Value::Number(value::number_of(&self.node_text(at.node)?)),
            },
            Function::Floor => Value::Number(self.number_of(&arguments[0], at)?.floor()),
            Function::Ceiling => Value::Number(self.number_of(&arguments[0], at)?.ceil()),
            Function::Round => Value::Number(value::round(self.number_of(&arguments[0], at)?)),
            Function::Lang => Value::Truth(self.speaks(at.node, &arguments[0], at)?),
            Function::StringLength => {
                let text = self.own_or(arguments, at)?;
                self.spend_text(&text)?;
                Value::Number(text.chars().count() as f64)
            }
            Function::NormalizeSpace => {
                let text = self.own_or(arguments, at)?;
                self.spend_text(&text)?;
                Value::Text(value::normalized(&text).into())
            }
            _ => self.call_on_texts(function, arguments, at)?,
        })
    }

    /// Functions all of whose arguments are texts, but for the numbers of `substring`.
    fn call_on_texts(
        &mut self,
        function: Function,
        arguments: &'v [Expression],
        at: Context,
    ) -> Result<Value<'v>, Spent> {
        let first = self.text_of(&arguments[0], at)?;
        self.spend_text(&first)?;
        if function == Function::Concat {
            let mut whole = first.into_owned();
            for argument in &arguments[1..] {
                let text = self.text_of(argument, at)?;
                self.spend_text(&text)?;
                whole.push_str(&text);
            }
            return Ok(Value::Text(whole.into()));
        }
        if function == Function::Substring {
            let from = self.number_of(&arguments[1], at)?;
            let length = arguments.get(2).map(|length| self.number_of(length, at)).transpose()?;
            return Ok(Value::Text(piece_of(first, |text| value::substring(text, from, length))));
        }
        let second = self.text_of(&arguments[1], at)?;
        self.spend_text(&second)?;
        Ok(match function {
            Function::StartsWith => Value::Truth(first.starts_with(&*second)),
            Function::Contains => Value::Truth(first.contains(&*second)),
            Function::SubstringBefore => {
                Value::Text(piece_of(first, |text| text.find(&*second).map_or("", |index| &text[..index])))
            }
            Function::SubstringAfter => Value::Text(piece_of(first, |text| {
                text.find(&*second).map_or("", |index| &text[index + second.len()..])
            })),
            _ => {
                let third = self.text_of(&arguments[2], at)?;
                // Each character is looked for in the second.
                self.spend((first.len() as u64).saturating_mul(second.len() as u64 + third.len() as u64) / 32)?;
                Value::Text(translated(&first, &second, &third).into())
            }
        })
    }

    /// The argument's text, or that of the node.
    fn own_or(&mut self, arguments: &'v [Expression], at: Context) -> Result<Cow<'v, str>, Spent> {
        match arguments.first() {
            Some(argument) => self.text_of(argument, at),
            None => self.node_text(at.node),
        }
    }

    /// Section 4.3: whether `xml:lang` of the node or the nearest element around it is that language.
    fn speaks(&mut self, node: u32, argument: &'v Expression, at: Context) -> Result<bool, Spent> {
        let wanted = self.text_of(argument, at)?.to_ascii_lowercase();
        let mut around = Some(node);
        while let Some(number) = around {
            let attributes = self.tree.attributes(number);
            self.spend(1 + u64::from(attributes.end - attributes.start))?;
            for attribute in attributes.filter(|_| self.tree.kind(number) == Kind::Element) {
                if self.tree.local_name(attribute) == "lang" && self.tree.namespace(attribute) == XML_URI {
                    let language = self.tree.value(attribute).to_ascii_lowercase();
                    let rest = language.strip_prefix(&*wanted);
                    return Ok(rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-')));
                }
            }
            around = self.tree.parent(number);
        }
        Ok(false)
    }
}

impl Compare {
    /// The same with the sides changed.
    fn turned(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            same => same,
        }
    }
}

fn is_true(value: &Value<'_>) -> bool {
    match value {
        Value::Nodes(nodes) => !nodes.is_empty(),
        Value::Number(number) => *number != 0.0 && !number.is_nan(),
        Value::Text(text) => !text.is_empty(),
        Value::Truth(truth) => *truth,
    }
}

fn texts_compare(left: &str, compare: Compare, right: &str) -> bool {
    match compare {
        Compare::Equal => left == right,
        Compare::NotEqual => left != right,
        _ => numbers_compare(value::number_of(left), compare, value::number_of(right)),
    }
}

fn numbers_compare(left: f64, compare: Compare, right: f64) -> bool {
    match compare {
        Compare::Equal => left == right,
        Compare::NotEqual => left != right,
        Compare::Less => left < right,
        Compare::AtMost => left <= right,
        Compare::Greater => left > right,
        Compare::AtLeast => left >= right,
    }
}

fn calculated(left: f64, operator: Operator, right: f64) -> f64 {
    match operator {
        Operator::Plus => left + right,
        Operator::Minus => left - right,
        Operator::Times => left * right,
        Operator::Divided => left / right,
        Operator::Modulo => left % right,
    }
}

fn piece_of<'v>(text: Cow<'v, str>, piece: impl Fn(&str) -> &str) -> Cow<'v, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(piece(text)),
        Cow::Owned(text) => Cow::Owned(piece(&text).to_owned()),
    }
}

fn translated(text: &str, from: &str, to: &str) -> String {
    let mut into = String::with_capacity(text.len());
    for c in text.chars() {
        match from.chars().position(|known| known == c) {
            Some(index) => into.extend(to.chars().nth(index)),
            None => into.push(c),
        }
    }
    into
}
