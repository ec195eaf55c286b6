//! XML to a tree, bounded in depth and size. No document type is read, and no entity but XML's own five and characters.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

const DEPTH_MAX: usize = 400;
const ELEMENTS_MAX: usize = 2_000_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Element {
    /// Its name with its prefix.
    pub(crate) tag: String,
    pub(crate) attributes: Vec<(String, String)>,
    /// All text directly in it.
    pub(crate) text: String,
    /// Elements in it.
    pub(crate) children: Vec<Element>,
    /// Its line in the file.
    pub(crate) line: usize,
}

impl Element {
    /// The value of an attribute, empty without one.
    pub(crate) fn attribute(&self, name: &str) -> &str {
        self.attributes.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str())
    }
}

/// Reads a document's root.
///
/// # Errors
/// What is wrong, with its line.
pub(crate) fn parse(text: &str) -> Result<Element, String> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut lines = Lines { text: text.as_bytes(), at: 0, line: 1 };
    let mut stack: Vec<Element> = Vec::new();
    let (mut elements, mut root) = (0usize, None);
    loop {
        let line = lines.upto(usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX));
        let wrong = |why: &str| format!("line {line}: {why}");
        let event = reader.read_event().map_err(|error| wrong(&error.to_string()))?;
        let closed = match event {
            Event::Start(start) => {
                elements += 1;
                if stack.len() >= DEPTH_MAX || elements > ELEMENTS_MAX {
                    return Err(wrong("too many elements, or nested too deep"));
                }
                stack.push(element(&start, line).map_err(|why| wrong(&why))?);
                None
            }
            Event::Empty(start) => {
                elements += 1;
                if elements > ELEMENTS_MAX {
                    return Err(wrong("too many elements"));
                }
                Some(element(&start, line).map_err(|why| wrong(&why))?)
            }
            Event::End(_) => stack.pop(),
            Event::Text(text) => {
                if let Some(open) = stack.last_mut() {
                    open.text.push_str(&text);
                }
                None
            }
            Event::CData(text) => {
                if let Some(open) = stack.last_mut() {
                    open.text.push_str(&text);
                }
                None
            }
            Event::GeneralRef(reference) => {
                if let Some(open) = stack.last_mut() {
                    open.text.push_str(&reference_of(&reference).map_err(|why| wrong(&why))?);
                }
                None
            }
            Event::Eof => break,
            Event::DocType(_) => return Err(wrong("a document type is not read")),
            _ => None,
        };
        if let Some(closed) = closed {
            match stack.last_mut() {
                Some(open) => open.children.push(closed),
                None if root.is_none() => root = Some(closed),
                None => return Err(wrong("a second root")),
            }
        }
    }
    if let Some(open) = stack.last() {
        return Err(format!("`<{}>` of line {} is never closed", open.tag, open.line));
    }
    root.ok_or_else(|| "it contains no element".to_owned())
}

/// Counts lines on the way, so that a long file is looked through once.
struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn upto(&mut self, position: usize) -> usize {
        let end = position.min(self.text.len());
        if end > self.at {
            self.line += self.text[self.at..end].iter().filter(|byte| **byte == b'\n').count();
            self.at = end;
        }
        self.line
    }
}

fn element(start: &BytesStart<'_>, line: usize) -> Result<Element, String> {
    let mut made = Element { tag: start.name().as_ref().to_owned(), line, ..Element::default() };
    for attribute in start.attributes().take(200) {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let value = attribute.value.to_string();
        made.attributes.push((attribute.key.as_ref().to_owned(), unescaped(&value)));
    }
    Ok(made)
}

fn reference_of(reference: &BytesRef<'_>) -> Result<String, String> {
    let name = reference.to_string();
    one(&name).map(String::from).ok_or_else(|| format!("`&{name};` is none of XML's own entities"))
}

fn one(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

/// Character references of a text taken back; what is none stays.
pub(crate) fn unescaped(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        made.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.char_indices().take(12).find(|(_, c)| *c == ';').map(|(index, _)| index);
        match end.and_then(|end| one(&rest[1..end]).map(|c| (c, end))) {
            Some((c, end)) => {
                made.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                made.push('&');
                rest = &rest[1..];
            }
        }
    }
    made + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_with_lines_and_entities() {
        let root = parse("<?xml version=\"1.1\"?>\n<a b=\"x &amp; y\">\n<c>1 &lt; 2&#xd;</c><d/></a>").unwrap();
        assert_eq!(root.attribute("b"), "x & y");
        assert_eq!((root.children[0].text.as_str(), root.children[0].line), ("1 < 2\r", 3));
        assert_eq!(root.children[1].tag, "d");
    }

    #[test]
    fn document_types_and_broken_texts_are_refused() {
        for text in ["", "<a>", "<a></b>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "<a>&x;</a>", "<a/><b/>"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"<a>".repeat(1000)).is_err());
    }
}
