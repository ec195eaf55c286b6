//! Texts with slots: compiled once into fixed pieces and slots, rendered into one buffer for each exchange.

use std::sync::Arc;
use terms::Nanos;

/// A compiled text.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Template {
    /// Fixed pieces and slots, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Bytes that never change.
    Fixed(Box<[u8]>),
    /// A cell of a data set's row for this iteration.
    Column {
        /// Number of the table.
        table: u16,
        /// Number of the column.
        column: u16,
    },
    /// A captured value, by its number in the study.
    Capture(u8),
    /// The iteration's number in its scenario, from 0.
    Serial,
    /// A random UUID (version 4 form), from the study's seed and the iteration.
    Uuid,
    /// Wall-clock time as ISO 8601 with milliseconds, UTC.
    Now,
    /// That many printable characters.
    Text(u32),
    /// That many bytes.
    Bytes(u32),
    /// Number of the virtual user or connection, from 0.
    User,
    /// Number of the message on its held connection, from 0.
    Message,
    /// Number of the load node, from 0.
    Node,
    /// The header `traceparent` of the exchange in hand: with it, its trace begins.
    Traceparent,
    /// A function of other texts.
    Call(Arc<Call>),
    /// A function that the study's author wrote.
    Script(Arc<ScriptCall>),
}

/// A function with its arguments.
#[derive(Clone)]
pub struct Call {
    /// Its name in the study; two calls of one name and the same arguments are the same.
    pub name: &'static str,
    pub function: Function,
    pub arguments: Vec<Template>,
}

/// Appends its value; `false` when these arguments have none.
pub type Function = fn(arguments: &[Vec<u8>], given: Given, into: &mut Vec<u8>) -> bool;

/// What a function is given besides its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// A random number by the study's seed, another one for each call.
    pub draw: u64,
    /// Wall-clock time since 1970.
    pub now: Nanos,
}

/// A function that the study's author wrote: values in, a value out, and the same for the same values.
pub trait Script: Send + Sync {
    /// As the study calls it: `sign.make`. Two of one name are the same.
    fn name(&self) -> &str;

    /// Appends its value.
    ///
    /// # Errors
    /// Why it has none for these arguments.
    fn call(&self, arguments: &[Vec<u8>], into: &mut Vec<u8>) -> Result<(), Trouble>;
}

/// Why a script had no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// One sentence that begins with the script and its line.
    pub text: String,
    /// Whether the script itself refused its arguments, instead of failing over them or over a bound.
    pub is_refused: bool,
}

/// A function of a script with its arguments.
#[derive(Clone)]
pub struct ScriptCall {
    pub script: Arc<dyn Script>,
    pub arguments: Vec<Template>,
}

impl PartialEq for ScriptCall {
    fn eq(&self, other: &Self) -> bool {
        self.script.name() == other.script.name() && self.arguments == other.arguments
    }
}

impl std::fmt::Debug for ScriptCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptCall").field("name", &self.script.name()).field("arguments", &self.arguments).finish()
    }
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.arguments == other.arguments
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("name", &self.name).field("arguments", &self.arguments).finish_non_exhaustive()
    }
}

impl Template {
    /// A text without slots.
    pub fn fixed(bytes: impl Into<Box<[u8]>>) -> Self {
        Self { pieces: vec![Piece::Fixed(bytes.into())] }
    }

    /// The whole text, when it has no slots.
    pub fn as_fixed(&self) -> Option<&[u8]> {
        match self.pieces.as_slice() {
            [] => Some(&[]),
            [Piece::Fixed(bytes)] => Some(bytes),
            _ => None,
        }
    }
}
