//! A small, bounded reader of XML: a tree with namespaces, and nothing that a document could ask of its reader.
//!
//! A document type, and with it every entity of one's own, is refused before anything is expanded; only the five entities
//! that XML itself has and references to characters are read. Size, depth and numbers are bounded.

mod read;
mod write;

pub(crate) use read::Unreadable;
pub(crate) use write::{attribute_into, escape_into};

/// A document larger than this is no envelope and no agreement. A header of ebMS has two kilobytes, an agreement thirty.
pub(crate) const DOCUMENT_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Deepest nesting: an agreement needs eleven levels.
pub(crate) const DEPTH_MAX: usize = 64;
/// Elements of one document, so that a small document cannot become a large tree.
pub(crate) const ELEMENTS_MAX: usize = 50_000;
/// Attributes of one element, declarations of namespaces among them.
pub(crate) const ATTRIBUTES_MAX: usize = 64;

/// An element with all that is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Element {
    /// Its namespace; empty for none.
    pub(crate) namespace: String,
    /// Its name in there.
    pub(crate) name: String,
    /// Its attributes, without declarations of namespaces.
    pub(crate) attributes: Vec<Attribute>,
    /// Its elements, in order.
    pub(crate) children: Vec<Element>,
    /// Its own text, without that of its elements.
    pub(crate) text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    /// Its namespace; empty for none.
    pub(crate) namespace: String,
    /// Its name in there.
    pub(crate) name: String,
    /// Its value, normalised.
    pub(crate) value: String,
}

impl Element {
    /// Whether it is that element.
    pub(crate) fn is(&self, namespace: &str, name: &str) -> bool {
        self.name == name && self.namespace == namespace
    }

    /// Its first element of that name in its own namespace.
    pub(crate) fn child(&self, name: &str) -> Option<&Element> {
        self.foreign(&self.namespace, name)
    }

    /// All its elements of that name in its own namespace.
    pub(crate) fn children<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> + 'a {
        self.children.iter().filter(move |child| child.is(&self.namespace, name))
    }

    /// Its first element of that name in another namespace.
    pub(crate) fn foreign(&self, namespace: &str, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.is(namespace, name))
    }

    /// An attribute by its name; one with the namespace goes before one without.
    pub(crate) fn attribute(&self, namespace: &str, name: &str) -> Option<&str> {
        let of = |space: &str| self.attributes.iter().find(|known| known.name == name && known.namespace == space);
        of(namespace).or_else(|| of("")).map(|attribute| attribute.value.as_str())
    }

    /// Its text without white space around it.
    pub(crate) fn trimmed(&self) -> &str {
        self.text.trim_matches(is_space)
    }

    /// Calls `each` with every text and every value of an attribute in it, which may change them.
    pub(crate) fn for_each_text<E>(&mut self, each: &mut dyn FnMut(&mut String) -> Result<(), E>) -> Result<(), E> {
        each(&mut self.text)?;
        self.attributes.iter_mut().try_for_each(|attribute| each(&mut attribute.value))?;
        self.children.iter_mut().try_for_each(|child| child.for_each_text(each))
    }
}

/// What XML takes for white space.
pub(crate) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

#[cfg(test)]
mod tests;
