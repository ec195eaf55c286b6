//! Checks that make an answer right or wrong, and captures from it.

use crate::{Place, Script, Template};
use std::fmt;
use std::sync::Arc;

/// Where in an answer to look.
#[derive(Clone, Debug, PartialEq)]
pub enum Probe {
    /// The protocol's status number.
    Status,
    /// A header, by its name in lower case.
    Header(String),
    /// The part of a header that a regular expression finds, as for [`Probe::Regex`]; of several headers of that name the
    /// first in which it finds something.
    HeaderPart {
        /// Name of the header in lower case.
        name: String,
        pattern: String,
    },
    /// The first node that a JSONPath (RFC 9535) selects.
    Json(String),
    /// The first node that an XPath selects, or the value that it has.
    Xpath {
        path: String,
        /// Whether the node is meant as it is written, rather than its text.
        is_xml: bool,
    },
    /// The first group of a regular expression's first match, or the whole match if it has no group.
    Regex(String),
    /// The whole body.
    Body,
    /// Number of bytes of the body.
    Size,
    /// What a function of the study's scripts makes of the answer.
    Script(ScriptProbe),
}

/// A function of the study's scripts, and what of the answer it is given.
#[derive(Clone)]
pub struct ScriptProbe {
    pub script: Arc<dyn Script>,
    pub arguments: Vec<ScriptArgument>,
}

/// What a script is given in a check.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptArgument {
    /// What the answer has there; where it has nothing, the check does not hold.
    Of(Probe),
    /// A text; it may hold slots of the exchange.
    Text(Template),
}

impl PartialEq for ScriptProbe {
    fn eq(&self, other: &Self) -> bool {
        self.script.name() == other.script.name() && self.arguments == other.arguments
    }
}

impl fmt::Debug for ScriptProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptProbe").field("name", &self.script.name()).field("arguments", &self.arguments).finish()
    }
}

/// How the found value is compared with the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Equal; numerically if both are numbers.
    Equal,
    NotEqual,
    /// Numerically less.
    Less,
    /// Numerically less or equal.
    AtMost,
    /// Numerically greater.
    Greater,
    /// Numerically greater or equal.
    AtLeast,
    /// The found text holds the expected one.
    Contains,
}

/// One check: the answer is right only if it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Where to look.
    pub probe: Probe,
    /// How to compare.
    pub compare: Compare,
    /// What to compare with; it may hold slots of the exchange.
    pub expected: Template,
    /// The check as written, for messages and samples.
    pub text: String,
    /// Where it stands in the study.
    pub place: Place,
}

/// Which of several values that a probe finds is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// The one that comes first, in the order in which the answer has them.
    #[default]
    First,
    /// One of them at random, by the study's seed.
    Any,
    /// All of them, as a list to go through.
    All,
}

/// A value kept from an answer for later exchanges of the same iteration, user or node.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// Its name in `$(…)`.
    pub name: String,
    /// Its number, the `slot` of `Recorder::capture`; [`recorder::UNITS_SLOT`] of what is the number of units that the
    /// exchange carried, which must be a whole one.
    pub slot: u8,
    /// Where to look.
    pub probe: Probe,
    /// Which of the values there.
    pub pick: Which,
    /// Whether an answer without it is right all the same.
    pub is_optional: bool,
    /// Where it stands in the study.
    pub place: Place,
}
