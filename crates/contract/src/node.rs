//! The user's text as a tree in which every node knows its place.

use crate::Place;

/// A node of the settings tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub shape: Shape,
}

/// What a node is. Scalars stay text: what they mean depends on the key they stand under.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A scalar as written; `quoted` when it stood in quotes. A missing value is an empty, unquoted text.
    Text {
        /// The text, escapes resolved.
        text: String,
        /// Whether it stood in quotes or in a block scalar.
        quoted: bool,
    },
    List(Vec<Node>),
    /// A map, in the order written.
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// An unquoted scalar.
    pub fn text_at(place: Place, text: impl Into<String>) -> Self {
        Self { place, shape: Shape::Text { text: text.into(), quoted: false } }
    }

    /// The scalar's text.
    pub fn text(&self) -> Option<&str> {
        match &self.shape {
            Shape::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The list's members.
    pub fn list(&self) -> Option<&[Node]> {
        match &self.shape {
            Shape::List(members) => Some(members),
            _ => None,
        }
    }

    /// The map's entries, in the order written.
    pub fn map(&self) -> Option<&[(Node, Node)]> {
        match &self.shape {
            Shape::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value under a key of a map.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.map()?.iter().find(|(k, _)| k.text() == Some(key)).map(|(_, value)| value)
    }

    /// Whether nothing was written here.
    pub fn is_missing(&self) -> bool {
        matches!(&self.shape, Shape::Text { text, quoted: false } if text.is_empty() || text == "~" || text == "null")
    }

    /// `a text`, `a list` or `a map`, for messages.
    pub fn what(&self) -> &'static str {
        match self.shape {
            Shape::Text { .. } if self.is_missing() => "nothing",
            Shape::Text { .. } => "a text",
            Shape::List(_) => "a list",
            Shape::Map(_) => "a map",
        }
    }
}
