//! Texts with slots: compiled once into fixed pieces and slots, rendered into one buffer for each exchange.

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
    /// Number of the load node, from 0.
    Node,
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
