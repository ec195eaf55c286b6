//! XML as a small tree, read by pulling events: namespaces resolved, everything bounded, nothing expanded.
//!
//! Each element knows which bytes of the document it takes: what is signed is signed as it stands there.
//!
//! A document type declaration is refused, whatever is in it, so there are no entities to expand and none to fetch:
//! the five predefined ones and character references are all that can be meant.

use std::ops::Range;

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;
use thiserror::Error;

/// Deepest nesting that is read; an envelope needs eight.
const DEPTH_MAX: usize = 32;
/// Most attributes of one element.
const ATTRIBUTES_MAX: usize = 64;
/// Largest document in bytes; larger contents travel as parts beside the envelope.
pub const DOCUMENT_MAX: usize = 512 << 10;

/// How large a document may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Most bytes.
    pub bytes: usize,
    /// Most elements.
    pub elements: usize,
}

impl Bounds {
    /// Of most documents: an envelope has some forty elements, an agreement some hundred.
    pub const USUAL: Self = Self { bytes: DOCUMENT_MAX, elements: 4096 };
}

/// Why a text is not read.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum XmlError {
    /// Not well-formed.
    #[error("the XML is not well-formed: {0}")]
    Broken(String),
    /// A document type declaration.
    #[error("the XML has a document type declaration, which is refused: entities are never expanded")]
    DocumentType,
    /// An entity that is not predefined.
    #[error("the XML refers to the entity `{0}`, which is not predefined; entities are never expanded")]
    Entity(String),
    /// Beyond a bound.
    #[error("the XML has more than {most} {what}")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// The bound.
        most: usize,
    },
    /// Not UTF-8.
    #[error("the XML is not UTF-8")]
    Encoding,
}

/// One attribute; the namespace is empty for one without a prefix.
#[derive(Clone, Debug, PartialEq)]
struct Attribute {
    namespace: Box<str>,
    name: Box<str>,
    value: Box<str>,
}

/// An element with its children; text directly in it is joined and trimmed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Element {
    /// Empty for none.
    pub namespace: Box<str>,
    /// Without its prefix.
    pub name: Box<str>,
    attributes: Vec<Attribute>,
    /// Elements directly in it, in their order.
    pub children: Vec<Element>,
    text: String,
    /// The bytes of the document from the start of its first tag to the end of its last.
    pub span: Range<usize>,
}

impl Element {
    /// Whether it has this name in this namespace.
    pub fn is(&self, namespace: &str, name: &str) -> bool {
        &*self.namespace == namespace && &*self.name == name
    }

    /// An attribute's value.
    pub fn attribute(&self, namespace: &str, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|have| &*have.namespace == namespace && &*have.name == name);
        found.map(|have| &*have.value)
    }

    /// All children of this name.
    pub fn all<'a>(&'a self, namespace: &'a str, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.is(namespace, name))
    }

    /// The first child of this name.
    pub fn child(&self, namespace: &str, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.is(namespace, name))
    }

    /// Its text without white space around it.
    pub fn text(&self) -> &str {
        self.text.trim()
    }
}

/// Reads a document to its end, within [`Bounds::USUAL`].
///
/// # Errors
/// [`XmlError`] for everything that is not one bounded element without a document type.
pub fn read(bytes: &[u8]) -> Result<Element, XmlError> {
    read_within(bytes, Bounds::USUAL)
}

/// The same within other bounds, for documents with a long list in them.
///
/// # Errors
/// As [`read`].
pub fn read_within(bytes: &[u8], bounds: Bounds) -> Result<Element, XmlError> {
    if bytes.len() > bounds.bytes {
        return Err(XmlError::TooMuch { what: "bytes", most: bounds.bytes });
    }
    let text = std::str::from_utf8(bytes).map_err(|_| XmlError::Encoding)?;
    let plain = text.trim_start_matches('\u{feff}');
    let before = text.len() - plain.len();
    let mut reader = NsReader::from_str(plain);
    reader.config_mut().check_end_names = true;
    let mut builder = Builder { elements_max: bounds.elements, ..Builder::default() };
    loop {
        let start_at = before + place(&reader);
        let event = reader.read_event().map_err(broken)?;
        let end_at = before + place(&reader);
        match event {
            Event::Start(start) => builder.open(element(&reader, &start)?, start_at)?,
            Event::Empty(start) => {
                builder.open(element(&reader, &start)?, start_at)?;
                builder.close(end_at)?;
            }
            Event::End(_) => builder.close(end_at)?,
            Event::Text(text) => builder.text(&text.xml10_content())?,
            Event::CData(data) => builder.text(&data.xml10_content())?,
            Event::GeneralRef(reference) => builder.text(resolved(&reference)?.encode_utf8(&mut [0; 4]))?,
            Event::Decl(decl) => {
                let encoding = decl.encoding().transpose().map_err(broken)?;
                if encoding.is_some_and(|name| !name.eq_ignore_ascii_case("utf-8")) {
                    return Err(XmlError::Encoding);
                }
            }
            Event::DocType(_) => return Err(XmlError::DocumentType),
            Event::Comment(_) | Event::PI(_) => {}
            Event::Eof => return builder.end(),
        }
    }
}

/// How many bytes have been read; the whole document fits `usize`.
fn place(reader: &NsReader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

fn broken(error: impl ToString) -> XmlError {
    XmlError::Broken(error.to_string())
}

/// Open elements, outermost first, and the finished root.
#[derive(Default)]
struct Builder {
    open: Vec<Element>,
    elements: usize,
    elements_max: usize,
    root: Option<Element>,
}

impl Builder {
    fn open(&mut self, mut element: Element, start: usize) -> Result<(), XmlError> {
        if self.open.is_empty() && self.root.is_some() {
            return Err(broken("a second root element"));
        }
        self.elements += 1;
        if self.elements > self.elements_max {
            return Err(XmlError::TooMuch { what: "elements", most: self.elements_max });
        }
        if self.open.len() >= DEPTH_MAX {
            return Err(XmlError::TooMuch { what: "levels", most: DEPTH_MAX });
        }
        element.span = start..start;
        self.open.push(element);
        Ok(())
    }

    fn close(&mut self, end: usize) -> Result<(), XmlError> {
        let mut element = self.open.pop().ok_or_else(|| broken("an end without a start"))?;
        element.span.end = end;
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => self.root = Some(element),
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), XmlError> {
        match self.open.last_mut() {
            Some(element) => element.text.push_str(text),
            None if text.trim().is_empty() => {}
            None => return Err(broken("text outside of the root element")),
        }
        Ok(())
    }

    fn end(self) -> Result<Element, XmlError> {
        match (self.root, self.open.last()) {
            (_, Some(open)) => Err(broken(format!("`{}` is not closed", open.name))),
            (None, None) => Err(broken("there is no root element")),
            (Some(root), None) => Ok(root),
        }
    }
}

/// Name and attributes, namespaces resolved. An undeclared prefix is a mistake, not a name.
fn element(reader: &NsReader<&[u8]>, start: &BytesStart<'_>) -> Result<Element, XmlError> {
    let resolver = reader.resolver();
    let (namespace, name) = resolver.resolve_element(start.name());
    let mut element = Element { namespace: bound(&namespace)?, name: plain(name.as_ref()), ..Element::default() };
    for attribute in start.attributes() {
        let attribute = attribute.map_err(broken)?;
        if attribute.key.as_namespace_binding().is_some() {
            continue;
        }
        if element.attributes.len() >= ATTRIBUTES_MAX {
            return Err(XmlError::TooMuch { what: "attributes of one element", most: ATTRIBUTES_MAX });
        }
        let (namespace, name) = resolver.resolve_attribute(attribute.key);
        element.attributes.push(Attribute {
            namespace: bound(&namespace)?,
            name: plain(name.as_ref()),
            value: unescaped(&attribute.value)?.into(),
        });
    }
    Ok(element)
}

fn bound(namespace: &ResolveResult<'_>) -> Result<Box<str>, XmlError> {
    match namespace {
        ResolveResult::Bound(namespace) => Ok(plain(namespace.as_ref())),
        ResolveResult::Unbound => Ok("".into()),
        ResolveResult::Unknown(prefix) => Err(broken(format!("the prefix `{prefix}` is not declared"))),
    }
}

fn plain(text: &str) -> Box<str> {
    text.into()
}

fn resolved(reference: &BytesRef<'_>) -> Result<char, XmlError> {
    if let Some(character) = reference.resolve_char_ref().map_err(broken)? {
        return Ok(character);
    }
    predefined(reference).ok_or_else(|| XmlError::Entity(reference.chars().take(64).collect()))
}

fn predefined(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}

/// The value of an attribute with its references resolved; white space as it is.
fn unescaped(value: &str) -> Result<String, XmlError> {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (name, after) = after.split_once(';').ok_or_else(|| broken("a reference is not closed"))?;
        out.push(resolved(&BytesRef::new(name))?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// Writes a text so that it means itself, in an element or in an attribute between double quotes.
pub fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Characters that XML 1.0 cannot carry at all, and white space that a reader would change.
            '\t' | '\n' | '\r' => out.push(' '),
            control if control < ' ' || matches!(control, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_resolved_and_text_is_joined() {
        let root = read(br#"<?xml version="1.0" encoding="UTF-8"?><!-- c --><a xmlns="u:a" xmlns:b="u:b" b:x="1&amp;&#65;" y=""><b:c> t&lt;<![CDATA[<]]> </b:c><c/></a>"#).unwrap();
        assert!(root.is("u:a", "a"));
        assert_eq!(
            (root.attribute("u:b", "x"), root.attribute("", "y"), root.attribute("", "x")),
            (Some("1&A"), Some(""), None)
        );
        assert_eq!(root.child("u:b", "c").unwrap().text(), "t<<");
        assert_eq!(root.all("u:a", "c").count(), 1);
    }

    #[test]
    fn elements_know_which_bytes_they_take() {
        let text = "\u{feff}<?xml version='1.0'?> <a><b x='1'>t</b><!-- c --> <c/></a>\n";
        let root = read(text.as_bytes()).unwrap();
        let of = |element: &Element| &text[element.span.clone()];
        assert_eq!(of(&root), "<a><b x='1'>t</b><!-- c --> <c/></a>");
        let children: Vec<&str> = root.children.iter().map(of).collect();
        assert_eq!(children, ["<b x='1'>t</b>", "<c/>"]);
    }

    #[test]
    fn hostile_documents_are_refused_and_nothing_is_expanded() {
        let bomb = r#"<!DOCTYPE a [<!ENTITY x "xxxxxxxx"><!ENTITY y "&x;&x;&x;&x;">]><a>&y;</a>"#;
        assert_eq!(read(bomb.as_bytes()), Err(XmlError::DocumentType));
        let external = r#"<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>"#;
        assert_eq!(read(external.as_bytes()), Err(XmlError::DocumentType));
        assert_eq!(read(b"<a>&x;</a>"), Err(XmlError::Entity("x".to_owned())));
        assert_eq!(read(br#"<a b="&x;"/>"#), Err(XmlError::Entity("x".to_owned())));
        let deep = "<a>".repeat(DEPTH_MAX + 1);
        assert_eq!(read(deep.as_bytes()), Err(XmlError::TooMuch { what: "levels", most: DEPTH_MAX }));
        let wide = format!("<a>{}</a>", "<b/>".repeat(4096));
        assert_eq!(read(wide.as_bytes()), Err(XmlError::TooMuch { what: "elements", most: 4096 }));
        let wider = Bounds { elements: 4097, ..Bounds::USUAL };
        assert_eq!(read_within(wide.as_bytes(), wider).map(|root| root.children.len()), Ok(4096));
        let long = format!("<a>{}</a>", " ".repeat(DOCUMENT_MAX));
        assert!(matches!(read(long.as_bytes()), Err(XmlError::TooMuch { what: "bytes", .. })));
        assert_eq!(read(b"<a>\xff</a>"), Err(XmlError::Encoding));
        assert_eq!(read(br#"<?xml version="1.0" encoding="UTF-16"?><a/>"#), Err(XmlError::Encoding));
    }

    #[test]
    fn what_is_not_well_formed_is_said_to_be_so() {
        for text in [
            "",
            "x",
            "<a>",
            "<a></b>",
            "</a>",
            "<a/><b/>",
            "<a/>x",
            "<p:a/>",
            "<a p:b=''/>",
            "<a b='1' b='2'/>",
            "<a>&lt</a>",
            "<a",
        ] {
            assert!(matches!(read(text.as_bytes()), Err(XmlError::Broken(_))), "{text}: {:?}", read(text.as_bytes()));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }

        #[test]
        fn an_escaped_text_reads_as_itself(text in "[ -~äé€]{0,40}") {
            let mut escaped = String::new();
            escape(&text, &mut escaped);
            let root = read(format!("<a b=\"{escaped}\">{escaped}</a>").as_bytes()).unwrap();
            prop_assert_eq!(root.attribute("", "b"), Some(text.as_str()));
            prop_assert_eq!(root.text(), text.trim());
        }
    }
}
