//! JSONPath (RFC 9535) with a budget: what a path may cost is bounded whatever the path and the answer are.
//!
//! Own code, because no library bounds the evaluation: they collect every node of every step in lists, so that a path
//! of forty characters and an answer of a hundred bytes fill the memory. Here nothing is collected. The tree is walked
//! depth first, in the order of the nodes that the standard asks for, and left at the first node; every node that is
//! looked at costs a step, and the steps are counted.

mod evaluate;
mod function;
mod literal;
mod parse;

#[cfg(test)]
mod tests;

use function::Pattern;
use serde_json::Value;

pub(crate) use evaluate::Spent;

/// Steps of one evaluation: nodes looked at, and what comparing long texts and patterns costs in their place. An
/// answer of a megabyte has fewer nodes; a million steps take some milliseconds.
pub(crate) const STEPS_MAX: u64 = 1_000_000;
/// Length of a path in bytes.
pub(crate) const PATH_BYTES_MAX: usize = 2000;
/// Filters and functions within each other: reading and evaluating them is recursive.
pub(crate) const FILTERS_DEEP_MAX: usize = 8;
/// Brackets and `!` within each other in one filter.
pub(crate) const BRACKETS_DEEP_MAX: usize = 16;

/// A path, ready for use.
#[derive(Debug)]
pub(crate) struct Path(Query);

/// Why a path cannot be read: one sentence, with the character at which it was seen.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// Characters before it.
    pub(crate) at: usize,
    /// What is wrong there.
    pub(crate) why: String,
}

impl Path {
    /// Reads a path, in time that grows with its length only.
    pub(crate) fn read(text: &str) -> Result<Self, Unreadable> {
        parse::read(text).map(Self)
    }

    /// The first node that the path selects.
    pub(crate) fn first<'v>(&self, root: &'v Value) -> Result<Option<&'v Value>, Spent> {
        evaluate::first(&self.0, root)
    }

    /// Shows every node that the path selects, in the order of the standard.
    pub(crate) fn each<'v>(&self, root: &'v Value, visit: &mut dyn FnMut(&'v Value)) -> Result<(), Spent> {
        evaluate::each(&self.0, root, visit)
    }

    /// Every node that the path selects.
    #[cfg(test)]
    pub(crate) fn all<'v>(&self, root: &'v Value) -> Result<Vec<&'v Value>, Spent> {
        let mut found = Vec::new();
        self.each(root, &mut |node| found.push(node))?;
        Ok(found)
    }
}

/// A query, from the root of the answer or from the node that a filter looks at.
#[derive(Debug)]
struct Query {
    is_root: bool,
    segments: Vec<Segment>,
}

impl Query {
    /// Whether it selects one node at most, so that it has a value.
    fn is_singular(&self) -> bool {
        let one = |selectors: &[Selector]| matches!(selectors, [Selector::Name(_) | Selector::Index(_)]);
        self.segments.iter().all(|segment| !segment.descends && one(&segment.selectors))
    }
}

#[derive(Debug)]
struct Segment {
    /// `..`: also of everything below.
    descends: bool,
    selectors: Vec<Selector>,
}

#[derive(Debug)]
enum Selector {
    Name(Box<str>),
    Any,
    Index(i64),
    Slice { from: Option<i64>, to: Option<i64>, step: i64 },
    Filter(Test),
}

/// What a filter asks.
#[derive(Debug)]
enum Test {
    Or(Vec<Test>),
    And(Vec<Test>),
    Not(Box<Test>),
    Exists(Query),
    Compare(Operand, Compare, Operand),
    Matches { is_whole: bool, text: Operand, pattern: Pattern },
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

/// A value in a filter.
#[derive(Debug)]
enum Operand {
    Literal(Value),
    /// A singular query.
    Node(Query),
    Length(Box<Operand>),
    Count(Query),
    Value(Query),
}
