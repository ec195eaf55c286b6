//! A body to nodes.

use super::tag::{self, Attributes, is_space};
use super::{
    ATTRIBUTES_MAX, DEPTH_MAX, Document, Kind, NAME_BYTES_MAX, NAMESPACES_MAX, NODES_MAX, NoXml, Node, Span,
    XML_BYTES_MAX, XML_URI, XMLNS_URI, encoding,
};
use quick_xml::events::Event;
use quick_xml::reader::Reader;

impl Document {
    /// Fills an empty document.
    pub(super) fn fill(&mut self, body: &[u8], charset: Option<&[u8]>) -> Result<(), NoXml> {
        if body.len() > XML_BYTES_MAX {
            return Err(format!("it has {} bytes; at most {XML_BYTES_MAX} are read", body.len()).into());
        }
        if body.trim_ascii().is_empty() {
            return Err(NoXml::fixed("it is empty"));
        }
        match encoding::decode(body, charset, &mut self.decoded)? {
            Some(mark_bytes) => {
                self.mark_bytes = mark_bytes;
                let source = std::str::from_utf8(&body[mark_bytes..]).unwrap_or_default();
                Filling { source, document: self }.whole()
            }
            None => {
                // Read from it, and not changed meanwhile.
                let mut source = std::mem::take(&mut self.decoded);
                if source.starts_with('\u{feff}') {
                    source.remove(0);
                }
                let filled = Filling { source: &source, document: self }.whole();
                (self.decoded, self.is_decoded) = (source, true);
                filled
            }
        }
    }
}

struct Filling<'s, 'd> {
    source: &'s str,
    document: &'d mut Document,
}

impl Filling<'_, '_> {
    fn whole(mut self) -> Result<(), NoXml> {
        let start = self.source.trim_start_matches(is_space);
        if !start.starts_with('<') {
            let first: String = start.chars().take(1).flat_map(char::escape_debug).collect();
            return Err(format!("it begins with `{first}`, not with `<`").into());
        }
        if let Some(at) = tag::first_wrong(self.source) {
            let c = self.source[at..].chars().next().map_or(0, u32::from);
            return Err(self.at(at, &format!("the character U+{c:04X} may not stand in XML")));
        }
        self.document.namespaces.extend([Span::default(); 1]);
        self.push(Kind::Root, Span::default(), Span::default(), 0)?;
        self.document.open.push(0);
        let mut reader = Reader::from_str(self.source);
        reader.config_mut().check_comments = true;
        loop {
            let from = reader.buffer_position() as usize;
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.at(reader.error_position() as usize, &shown(&error.to_string()))),
            };
            let to = reader.buffer_position() as usize;
            let told = match event {
                Event::Start(_) => self.open(from, to, to - 1),
                Event::Empty(_) => self.open(from, to, to - 2).and_then(|()| self.close(to)),
                Event::End(_) => self.close(to),
                Event::Text(_) => self.text(from, to),
                Event::CData(_) => self.character_data(from + "<![CDATA[".len(), to - "]]>".len()),
                Event::GeneralRef(_) => self.reference(from, to),
                Event::Comment(_) => self.leaf(Kind::Comment, Span::default(), from + "<!--".len(), to - "-->".len()),
                Event::PI(_) => self.instruction(from + 2, to - 2),
                Event::Decl(_) => self.declaration(from, to),
                // Where entities are declared: bombs, files and addresses of others.
                Event::DocType(_) => {
                    Err("it has a document type (`<!DOCTYPE`), which is never read: entities are declared there".into())
                }
                Event::Eof => return self.finish(),
            };
            told.map_err(|why| self.at(from, &why))?;
        }
    }

    /// The place of a mistake, as lines and characters.
    fn at(&self, byte: usize, why: &str) -> NoXml {
        let before = self.source.get(..byte).unwrap_or(self.source);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("at line {line}, character {column}: {why}").into()
    }

    fn push(&mut self, kind: Kind, name: Span, value: Span, namespace: u16) -> Result<u32, String> {
        let number = self.document.nodes.len();
        if number >= NODES_MAX {
            return Err(format!("it has more than {NODES_MAX} nodes"));
        }
        let parent = self.document.open.last().copied().unwrap_or(0);
        let prefix = self.source.get(name.range()).and_then(|name| name.find(':')).map_or(0, |colon| colon + 1);
        let (number, prefix_bytes) = (number as u32, prefix as u16);
        self.document.nodes.push(Node { kind, namespace, prefix_bytes, parent, end: number + 1, name, value });
        Ok(number)
    }

    /// A start tag from `<` to behind `>`; `end` is where its `>` or `/>` is.
    fn open(&mut self, from: usize, to: usize, end: usize) -> Result<(), String> {
        let source = self.source;
        let tag = &source[from..end];
        let depth = self.document.open.len();
        if depth > DEPTH_MAX {
            return Err(format!("it is nested deeper than {DEPTH_MAX} levels"));
        }
        if depth == 1 && self.document.nodes.iter().any(|node| node.kind == Kind::Element) {
            return Err("a second element stands behind the first".into());
        }
        let name_end = tag.find(is_space).unwrap_or(tag.len());
        let name = Span::of(from + 1..from + name_end);
        let prefix = prefix_of(&source[name.range()])?;
        for (number, written) in (Attributes { tag, at: name_end }).enumerate() {
            let written = written?;
            if number >= ATTRIBUTES_MAX {
                return Err(format!("an element has more than {ATTRIBUTES_MAX} attributes"));
            }
            if let Some(declared) = tag::declared_prefix(written.name) {
                let value = self.attribute_value(written.value, from + written.value_at)?;
                self.declare(depth, declared, from + written.at, value)?;
            }
        }
        let namespace = self.namespace(prefix, true)?;
        let element = self.push(Kind::Element, name, Span::of(from..to), namespace)?;
        self.document.open.push(element);
        for written in (Attributes { tag, at: name_end }) {
            let written = written?;
            if tag::declared_prefix(written.name).is_some() {
                continue;
            }
            let namespace = self.namespace(prefix_of(written.name)?, false)?;
            let value = self.attribute_value(written.value, from + written.value_at)?;
            let name = Span::of(from + written.at..from + written.at + written.name.len());
            self.push(Kind::Attribute, name, value, namespace)?;
        }
        self.refuse_twice(element)
    }

    fn refuse_twice(&self, element: u32) -> Result<(), String> {
        let local = |node: &Node| &self.source[node.name.range()][usize::from(node.prefix_bytes)..];
        let attributes = &self.document.nodes[element as usize + 1..];
        for (number, one) in attributes.iter().enumerate() {
            for other in &attributes[..number] {
                if one.namespace == other.namespace && local(one) == local(other) {
                    return Err(format!("the attribute `{}` stands there twice", shown(local(one))));
                }
            }
        }
        Ok(())
    }

    fn declare(&mut self, depth: usize, prefix: &str, at: usize, value: Span) -> Result<(), String> {
        let uri = self.document_text(value);
        let is_wrong = match prefix {
            "xml" => uri != XML_URI,
            "xmlns" => true,
            "" => uri == XML_URI || uri == XMLNS_URI,
            _ => uri.is_empty() || uri == XML_URI || uri == XMLNS_URI,
        };
        if is_wrong {
            return Err(format!("the prefix `{}` cannot be declared like this", shown(prefix)));
        }
        if !prefix.is_empty() && !tag::is_name(prefix) {
            return Err(format!("`{}` is not a prefix", shown(prefix)));
        }
        let known = self.document.namespaces.iter().position(|known| self.document_text(*known) == uri);
        let namespace = match known {
            Some(number) => number,
            None if self.document.namespaces.len() > NAMESPACES_MAX => {
                return Err(format!("it has more than {NAMESPACES_MAX} namespaces"));
            }
            None => {
                self.document.namespaces.push(value);
                self.document.namespaces.len() - 1
            }
        };
        if self.document.scope.len() >= NAMESPACES_MAX {
            return Err(format!("more than {NAMESPACES_MAX} declarations of namespaces are in force"));
        }
        let from = if prefix.is_empty() { at } else { at + "xmlns:".len() };
        let prefix = Span::of(from..from + prefix.len());
        let is_twice = |(level, known, _): &(u32, Span, u16)| {
            *level as usize == depth && self.source[known.range()] == self.source[prefix.range()]
        };
        if self.document.scope.iter().rev().any(is_twice) {
            return Err(format!("the prefix `{}` is declared twice", shown(&self.source[prefix.range()])));
        }
        self.document.scope.push((depth as u32, prefix, namespace as u16));
        Ok(())
    }

    fn document_text(&self, span: Span) -> &str {
        let of = if span.is_made { self.document.made.as_str() } else { self.source };
        of.get(span.range()).unwrap_or_default()
    }

    /// The namespace of a prefix; the default one is none of attributes.
    fn namespace(&mut self, prefix: &str, is_element: bool) -> Result<u16, String> {
        if prefix.is_empty() && !is_element {
            return Ok(0);
        }
        let known = self.document.scope.iter().rev().find(|(_, known, _)| self.source[known.range()] == *prefix);
        match known {
            Some((.., namespace)) => Ok(*namespace),
            None if prefix.is_empty() => Ok(0),
            None if prefix == "xml" => Ok(self.xml_namespace()),
            None => Err(format!("the prefix `{}` is not declared", shown(prefix))),
        }
    }

    /// The namespace of the prefix `xml`, which nobody declares.
    fn xml_namespace(&mut self) -> u16 {
        let known = self.document.namespaces.iter().position(|known| self.document_text(*known) == XML_URI);
        let number = known.unwrap_or_else(|| {
            let from = self.document.made.len();
            self.document.made.push_str(XML_URI);
            let uri = Span { is_made: true, ..Span::of(from..self.document.made.len()) };
            self.document.namespaces.push(uri);
            self.document.namespaces.len() - 1
        });
        number as u16
    }

    fn close(&mut self, to: usize) -> Result<(), String> {
        let depth = self.document.open.len() - 1;
        let number = if depth > 0 { self.document.open.pop() } else { None };
        let Some(number) = number else { return Err("an element is closed that was never opened".into()) };
        let end = self.document.nodes.len() as u32;
        let node = &mut self.document.nodes[number as usize];
        (node.end, node.value.to) = (end, to as u32);
        while self.document.scope.last().is_some_and(|(level, ..)| *level as usize >= depth) {
            self.document.scope.pop();
        }
        Ok(())
    }

    fn text(&mut self, from: usize, to: usize) -> Result<(), String> {
        let text = &self.source[from..to];
        if text.contains("]]>") {
            return Err("`]]>` stands in a text".into());
        }
        self.character_data(from, to)
    }

    /// A piece of text as it stands in the source.
    fn character_data(&mut self, from: usize, to: usize) -> Result<(), String> {
        let text = &self.source[from..to];
        if self.document.open.len() == 1 {
            return match text.chars().all(is_space) && !self.source[..from].ends_with("<![CDATA[") {
                true => Ok(()),
                false => Err("there is text outside of the element".into()),
            };
        }
        if text.is_empty() {
            return Ok(());
        }
        if self.grows().is_none() && !text.contains('\r') {
            return self.push(Kind::Text, Span::default(), Span::of(from..to), 0).map(drop);
        }
        self.write_text(|made| line_ends(text, made))
    }

    fn reference(&mut self, from: usize, to: usize) -> Result<(), String> {
        if self.document.open.len() == 1 {
            return Err("there is a reference outside of the element".into());
        }
        let c = character(&self.source[from + 1..to - 1])?;
        self.write_text(|made| made.push(c))
    }

    /// The text that goes on here.
    fn grows(&self) -> Option<usize> {
        let last = self.document.nodes.last()?;
        let is_text = last.kind == Kind::Text && self.document.open.last() == Some(&last.parent);
        is_text.then(|| self.document.nodes.len() - 1)
    }

    /// Writes on, or begins a text.
    fn write_text(&mut self, write: impl FnOnce(&mut String)) -> Result<(), String> {
        let number = match self.grows() {
            Some(number) => number,
            None => {
                let at = self.document.made.len();
                let empty = Span { is_made: true, ..Span::of(at..at) };
                self.push(Kind::Text, Span::default(), empty, 0)? as usize
            }
        };
        let span = self.document.nodes[number].value;
        let document = &mut *self.document;
        let mut from = span.from as usize;
        if !span.is_made {
            from = document.made.len();
            document.made.push_str(&self.source[span.range()]);
        }
        write(&mut document.made);
        document.nodes[number].value = Span { is_made: true, ..Span::of(from..document.made.len()) };
        Ok(())
    }

    /// An attribute's value, normalised (XML 1.0, section 3.3.3): one of type CDATA, as there is no document type.
    fn attribute_value(&mut self, raw: &str, at: usize) -> Result<Span, String> {
        if raw.contains('<') {
            return Err("`<` stands in an attribute's value".into());
        }
        if !raw.contains(['&', '\t', '\n', '\r']) {
            return Ok(Span::of(at..at + raw.len()));
        }
        let made = &mut self.document.made;
        let from = made.len();
        let mut rest = raw;
        while let Some(index) = rest.find(['&', '\t', '\n', '\r']) {
            made.push_str(&rest[..index]);
            let behind = &rest[index..];
            rest = match behind.strip_prefix('&') {
                Some(inner) => {
                    let end = inner.find(';').ok_or("a reference has no `;`")?;
                    made.push(character(&inner[..end])?);
                    &inner[end + 1..]
                }
                None => {
                    made.push(' ');
                    behind.strip_prefix("\r\n").unwrap_or(&behind[1..])
                }
            };
        }
        made.push_str(rest);
        Ok(Span { is_made: true, ..Span::of(from..made.len()) })
    }

    fn leaf(&mut self, kind: Kind, name: Span, from: usize, to: usize) -> Result<(), String> {
        let text = &self.source[from..to];
        let value = if text.contains('\r') {
            let at = self.document.made.len();
            line_ends(text, &mut self.document.made);
            Span { is_made: true, ..Span::of(at..self.document.made.len()) }
        } else {
            Span::of(from..to)
        };
        self.push(kind, name, value, 0).map(drop)
    }

    fn instruction(&mut self, from: usize, to: usize) -> Result<(), String> {
        let inner = &self.source[from..to];
        let end = inner.find(is_space).unwrap_or(inner.len());
        let target = &inner[..end];
        if !tag::is_name(target) || target.eq_ignore_ascii_case("xml") {
            return Err(format!("`{}` cannot be the target of an instruction", shown(target)));
        }
        let space = inner[end..].len() - inner[end..].trim_start_matches(is_space).len();
        self.leaf(Kind::Instruction, Span::of(from..from + end), from + end + space, to)
    }

    fn declaration(&self, from: usize, to: usize) -> Result<(), String> {
        if from > 0 {
            return Err("the XML declaration stands behind the beginning".into());
        }
        let inner = self.source.get(from + "<?xml".len()..to - "?>".len()).unwrap_or_default();
        let mut expected = ["version", "encoding", "standalone"].into_iter();
        let mut is_first = true;
        for written in (Attributes { tag: inner, at: 0 }) {
            let written = written?;
            let is_known = expected.by_ref().any(|known| known == written.name);
            if !is_known || (is_first && written.name != "version") {
                return Err("the XML declaration is malformed".into());
            }
            if is_first && !written.value.starts_with("1.") {
                return Err(format!("its version of XML is `{}`, not 1.0", shown(written.value)));
            }
            is_first = false;
        }
        if is_first { Err("the XML declaration is malformed".into()) } else { Ok(()) }
    }

    fn finish(self) -> Result<(), NoXml> {
        let document = self.document;
        if document.open.len() > 1 {
            return Err(NoXml::fixed("it breaks off: elements are still open at its end"));
        }
        if !document.nodes.iter().any(|node| node.kind == Kind::Element) {
            return Err(NoXml::fixed("it has no element"));
        }
        document.nodes[0].end = document.nodes.len() as u32;
        Ok(())
    }
}

/// The prefix of a name; empty for none.
fn prefix_of(name: &str) -> Result<&str, String> {
    let (prefix, local) = match name.split_once(':') {
        Some((prefix, local)) => (prefix, local),
        None => ("", name),
    };
    let is_right = name.len() <= NAME_BYTES_MAX && tag::is_name(local) && (!name.contains(':') || tag::is_name(prefix));
    if is_right { Ok(prefix) } else { Err(format!("`{}` is not a name", shown(name))) }
}

fn character(reference: &str) -> Result<char, String> {
    tag::referred(reference).ok_or_else(|| match reference.starts_with('#') {
        true => format!("`&{};` refers to no character that may stand in XML", shown(reference)),
        false => format!("the entity `&{};` is not one of XML's own five", shown(reference)),
    })
}

/// Ends of lines become one character (XML 1.0, section 2.11).
fn line_ends(text: &str, into: &mut String) {
    let mut rest = text;
    while let Some(index) = rest.find('\r') {
        into.push_str(&rest[..index]);
        into.push('\n');
        rest = rest[index + 1..].strip_prefix('\n').unwrap_or(&rest[index + 1..]);
    }
    into.push_str(rest);
}

/// A text of the other side, for a message.
fn shown(text: &str) -> String {
    text.chars().take(100).flat_map(char::escape_debug).collect()
}
