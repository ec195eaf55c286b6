//! Bytes to a tree.

use super::{ATTRIBUTES_MAX, Attribute, DEPTH_MAX, DOCUMENT_BYTES_MAX, ELEMENTS_MAX, Element, is_space};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

/// Why bytes are not a document that is read here: one sentence, starting in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) String);

fn unreadable<T>(why: impl Into<String>) -> Result<T, Unreadable> {
    Err(Unreadable(why.into()))
}

impl Element {
    /// Reads a whole document.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        if bytes.len() > DOCUMENT_BYTES_MAX {
            return unreadable(format!("it has {} bytes; at most {DOCUMENT_BYTES_MAX} are read", bytes.len()));
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
            Err(error) => return unreadable(format!("it is not UTF-8 from byte {} on", error.valid_up_to())),
        };
        let mut reader = NsReader::from_str(text);
        reader.config_mut().check_end_names = true;
        let mut tree = Tree::default();
        loop {
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(error) => return unreadable(format!("at byte {}: {error}", reader.error_position())),
            };
            match event {
                Event::Start(start) => tree.open(element(&reader, &start)?)?,
                Event::Empty(start) => {
                    tree.open(element(&reader, &start)?)?;
                    tree.close()?;
                }
                Event::End(_) => tree.close()?,
                Event::Text(text) => tree.text(&text.xml10_content())?,
                Event::CData(text) => tree.text(&text.xml10_content())?,
                Event::GeneralRef(reference) => tree.text(character(&reference)?.encode_utf8(&mut [0; 4]))?,
                Event::Decl(declaration) => {
                    if let Some(encoding) = declaration.encoding() {
                        let encoding = encoding.map_err(|error| Unreadable(error.to_string()))?;
                        if !encoding.eq_ignore_ascii_case("utf-8") && !encoding.eq_ignore_ascii_case("us-ascii") {
                            return unreadable(format!("its encoding is `{}`, not UTF-8", shown(&encoding)));
                        }
                    }
                }
                // Where entities are declared: bombs, files and addresses of others.
                Event::DocType(_) => return unreadable("it has a document type, which is never read"),
                Event::Comment(_) | Event::PI(_) => {}
                Event::Eof => return tree.root(),
            }
        }
    }
}

/// The tree as far as it has come.
#[derive(Default)]
struct Tree {
    open: Vec<Element>,
    root: Option<Element>,
    count: usize,
}

impl Tree {
    fn open(&mut self, element: Element) -> Result<(), Unreadable> {
        self.count += 1;
        match () {
            () if self.root.is_some() => unreadable("there is something after its end"),
            () if self.open.len() >= DEPTH_MAX => unreadable(format!("it is nested deeper than {DEPTH_MAX} levels")),
            () if self.count > ELEMENTS_MAX => unreadable(format!("it has more than {ELEMENTS_MAX} elements")),
            () => {
                self.open.push(element);
                Ok(())
            }
        }
    }

    fn close(&mut self) -> Result<(), Unreadable> {
        let Some(element) = self.open.pop() else { return unreadable("an element is closed that was never opened") };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => self.root = Some(element),
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Unreadable> {
        if let Some(c) = text.chars().find(|&c| !is_character(c)) {
            return unreadable(format!("the character U+{:04X} may not stand in XML", u32::from(c)));
        }
        match self.open.last_mut() {
            Some(element) => element.text.push_str(text),
            None if text.chars().all(is_space) => {}
            None => return unreadable("there is text outside of its element"),
        }
        Ok(())
    }

    fn root(self) -> Result<Element, Unreadable> {
        match self.root {
            Some(root) if self.open.is_empty() => Ok(root),
            _ if self.open.is_empty() => unreadable("there is no element in it"),
            _ => unreadable("it breaks off"),
        }
    }
}

fn element(reader: &NsReader<&[u8]>, start: &BytesStart<'_>) -> Result<Element, Unreadable> {
    let resolver = reader.resolver();
    let (space, name) = resolver.resolve_element(start.name());
    let mut element = Element { namespace: namespace(space)?, name: name.as_ref().to_owned(), ..Element::default() };
    for (number, attribute) in start.attributes().enumerate() {
        if number >= ATTRIBUTES_MAX {
            return unreadable(format!("an element has more than {ATTRIBUTES_MAX} attributes"));
        }
        let attribute = attribute.map_err(|error| Unreadable(format!("an attribute is malformed: {error}")))?;
        let value = attribute.normalized_value(XmlVersion::Explicit1_0);
        let value = value.map_err(|error| Unreadable(format!("an attribute's value is malformed: {error}")))?;
        if let Some(c) = value.chars().find(|&c| !is_character(c)) {
            return unreadable(format!("the character U+{:04X} may not stand in XML", u32::from(c)));
        }
        if attribute.key.as_namespace_binding().is_some() {
            continue;
        }
        let (space, name) = resolver.resolve_attribute(attribute.key);
        let read =
            Attribute { namespace: namespace(space)?, name: name.as_ref().to_owned(), value: value.into_owned() };
        if element.attributes.iter().any(|known| known.name == read.name && known.namespace == read.namespace) {
            return unreadable(format!("the attribute `{}` stands twice", shown(&read.name)));
        }
        element.attributes.push(read);
    }
    Ok(element)
}

fn namespace(resolved: ResolveResult<'_>) -> Result<String, Unreadable> {
    match resolved {
        ResolveResult::Bound(namespace) => Ok(namespace.as_ref().to_owned()),
        ResolveResult::Unbound => Ok(String::new()),
        ResolveResult::Unknown(prefix) => unreadable(format!("the prefix `{}` is not declared", shown(&prefix))),
    }
}

/// What a reference stands for, if XML itself says so.
fn character(reference: &BytesRef<'_>) -> Result<char, Unreadable> {
    let of_number = reference.resolve_char_ref().map_err(|error| Unreadable(error.to_string()))?;
    let name = reference.xml10_content();
    let of_name = match name.as_ref() {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "apos" => Some('\''),
        "quot" => Some('"'),
        _ => None,
    };
    match of_number.or(of_name) {
        Some(c) => Ok(c),
        None => unreadable(format!("the entity `&{};` is not one of XML's own", shown(&name))),
    }
}

/// XML 1.0, section 2.2.
pub(super) fn is_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// A name of the other side, for a message.
fn shown(name: &str) -> String {
    name.chars().take(60).flat_map(char::escape_debug).collect()
}
