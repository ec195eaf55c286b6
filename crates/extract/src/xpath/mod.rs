//! XPath 1.0 with a budget: what an expression may cost is bounded whatever the expression and the answer are.
//!
//! The whole of the recommendation but for what a check cannot have (variables, the function `id`, which needs a document
//! type) and the axis `namespace`, which XPath 2 has given up. Own code, because no library both bounds the evaluation
//! and has the values right (decision 29). Types are known when an expression is read, so that `count('a')` is a mistake
//! of the study and never one of an answer. Every node that is looked at and every few bytes that are copied cost a step.

mod axes;
mod evaluate;
mod functions;
mod lex;
mod parse;
mod value;

#[cfg(test)]
mod tests;

use crate::xml::Tree;
use functions::Function;

pub(crate) use parse::Wrong;

/// Steps of one evaluation: nodes looked at, and every 32 bytes of text. A million steps take some milliseconds.
pub(crate) const STEPS_MAX: u64 = 1_000_000;
/// Length of an expression in bytes.
pub(crate) const EXPRESSION_BYTES_MAX: usize = 2000;
/// Brackets, predicates and functions within each other: reading and evaluating them is recursive.
pub(crate) const DEEP_MAX: usize = 24;

/// Names of an expression that are looked for in other namespaces, where nothing was found.
const NAMESAKES_MAX: usize = 16;

/// The budget of steps is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent;

/// An expression, ready for use.
#[derive(Debug)]
pub(crate) struct XPath {
    whole: Expression,
    of: Type,
}

/// What an expression has as its value; it follows from the expression alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Nodes,
    Number,
    Text,
    Truth,
}

impl XPath {
    /// Reads an expression, in time that grows with its length only. `namespaces` are prefixes with what they mean.
    pub(crate) fn read(text: &str, namespaces: &[(String, String)]) -> Result<Self, Wrong> {
        let whole = parse::read(text, namespaces)?;
        Ok(Self { of: whole.of(), whole })
    }

    pub(crate) fn of(&self) -> Type {
        self.of
    }

    /// The value as text: of nodes that of the first, empty where there is none.
    pub(crate) fn text(&self, tree: Tree<'_>) -> Result<String, Spent> {
        evaluate::text(&self.whole, tree)
    }

    /// The first node, where the value is nodes.
    pub(crate) fn first_node(&self, tree: Tree<'_>) -> Result<Option<u32>, Spent> {
        evaluate::first_node(&self.whole, tree)
    }

    /// The nodes in the order of the document; none where the value is something else.
    pub(crate) fn nodes(&self, tree: Tree<'_>) -> Result<Vec<u32>, Spent> {
        evaluate::nodes(&self.whole, tree)
    }

    /// What may be behind it that nothing was found: an element of a name that is asked for, in another namespace.
    pub(crate) fn namesake(&self, tree: Tree<'_>) -> Option<Namesake> {
        let mut names = Vec::new();
        self.whole.names(&mut names);
        names.truncate(NAMESAKES_MAX);
        let is_there =
            |name: &Name, number| tree.local_name(number) == &*name.local && tree.namespace(number) == &*name.namespace;
        let elements = || (1..tree.len()).filter(|number| tree.kind(*number) == crate::xml::Kind::Element);
        let missing = names.iter().find(|name| !elements().any(|number| is_there(name, number)))?;
        let other = elements().find(|number| tree.local_name(*number) == &*missing.local)?;
        Some(Namesake {
            name: missing.local.to_string(),
            asked: missing.namespace.to_string(),
            found: tree.namespace(other).to_owned(),
        })
    }
}

/// An element that is there in another namespace than the one asked for.
pub(crate) struct Namesake {
    pub(crate) name: String,
    pub(crate) asked: String,
    pub(crate) found: String,
}

#[derive(Debug)]
enum Expression {
    Or(Vec<Expression>),
    And(Vec<Expression>),
    /// From left to right, as for `Calculation`: long chains are not depth.
    Comparison(Box<Expression>, Vec<(Compare, Expression)>),
    Calculation(Box<Expression>, Vec<(Operator, Expression)>),
    Negative(Box<Expression>),
    Union(Vec<Expression>),
    Path(Path),
    Literal(Box<str>),
    Number(f64),
    Call(Function, Vec<Expression>),
}

#[derive(Debug)]
struct Path {
    start: Start,
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Start {
    Root,
    Here,
    /// Nodes in brackets or of a function, of which the predicates take some.
    Of(Box<Expression>, Vec<Predicate>),
}

#[derive(Debug)]
struct Step {
    axis: Axis,
    test: Test,
    predicates: Vec<Predicate>,
}

#[derive(Debug)]
struct Predicate {
    expression: Expression,
    /// Whether it asks for the place of a node among the others.
    is_positional: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Parent,
    Preceding,
    PrecedingSibling,
    Own,
}

impl Axis {
    /// Whether places are counted against the order of the document.
    fn is_reverse(self) -> bool {
        matches!(self, Self::Ancestor | Self::AncestorOrSelf | Self::Preceding | Self::PrecedingSibling)
    }
}

#[derive(Debug)]
enum Test {
    /// `node()`
    Any,
    /// `*`: any element, or any attribute on its axis.
    Named,
    /// `p:*`
    In(Box<str>),
    Name(Name),
    Text,
    Comment,
    Instruction(Option<Box<str>>),
}

/// A name with its namespace, empty for none.
#[derive(Debug)]
struct Name {
    namespace: Box<str>,
    local: Box<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compare {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Plus,
    Minus,
    Times,
    Divided,
    Modulo,
}

impl Expression {
    fn of(&self) -> Type {
        match self {
            Self::Or(_) | Self::And(_) | Self::Comparison(..) => Type::Truth,
            Self::Calculation(..) | Self::Negative(_) | Self::Number(_) => Type::Number,
            Self::Union(_) | Self::Path(_) => Type::Nodes,
            Self::Literal(_) => Type::Text,
            Self::Call(function, _) => function.of(),
        }
    }

    /// Whether its value may depend on the place of the node among the others.
    fn asks_place(&self) -> bool {
        match self {
            Self::Or(all) | Self::And(all) | Self::Union(all) => all.iter().any(Self::asks_place),
            Self::Comparison(first, rest) => first.asks_place() || rest.iter().any(|(_, next)| next.asks_place()),
            Self::Calculation(first, rest) => first.asks_place() || rest.iter().any(|(_, next)| next.asks_place()),
            Self::Negative(inner) => inner.asks_place(),
            // What its predicates ask is their own place.
            Self::Path(path) => matches!(&path.start, Start::Of(inner, _) if inner.asks_place()),
            Self::Literal(_) | Self::Number(_) => false,
            Self::Call(function, arguments) => function.asks_place() || arguments.iter().any(Self::asks_place),
        }
    }

    /// The names of elements that it asks for, but those in predicates.
    fn names<'e>(&'e self, into: &mut Vec<&'e Name>) {
        match self {
            Self::Or(all) | Self::And(all) | Self::Union(all) | Self::Call(_, all) => {
                all.iter().for_each(|one| one.names(into));
            }
            Self::Comparison(first, rest) => {
                first.names(into);
                rest.iter().for_each(|(_, next)| next.names(into));
            }
            Self::Calculation(first, rest) => {
                first.names(into);
                rest.iter().for_each(|(_, next)| next.names(into));
            }
            Self::Negative(inner) => inner.names(into),
            Self::Path(path) => {
                if let Start::Of(inner, _) = &path.start {
                    inner.names(into);
                }
                for step in path.steps.iter().filter(|step| step.axis != Axis::Attribute) {
                    if let Test::Name(name) = &step.test {
                        into.push(name);
                    }
                }
            }
            Self::Literal(_) | Self::Number(_) => {}
        }
    }
}
