//! What a reference of a signature covers: the bytes that its transformations make of what it names.

use super::nodes::{algorithm, children, need};
use super::{ENVELOPED, NEXT_NODE, XPATH};
use crate::envelope::{NEXT, SOAP};
use crate::mime::{BodyPart, bare};
use bergshamra_c14n::{C14nMode, canonicalize, canonicalize_doc};
use bergshamra_xml::NodeSet;
use std::borrow::Cow;
use uppsala::{Document, NodeId};

/// Namespace of the list of prefixes that an exclusive canonical form keeps.
const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
/// Transformations of one reference.
const TRANSFORMS_MAX: usize = 8;

/// A message with its signature.
pub(super) struct Covered<'a, 'd> {
    pub(super) doc: &'a Document<'d>,
    pub(super) signature: NodeId,
    pub(super) parts: &'a [BodyPart<'a>],
}

/// A canonical form, and the prefixes that an exclusive one keeps.
type Canonical = (C14nMode, Vec<String>);

/// The canonical form that an element names.
pub(super) fn canonical(doc: &Document<'_>, of: NodeId) -> Result<Canonical, String> {
    let uri = algorithm(doc, of);
    let mode = C14nMode::from_uri(uri).ok_or_else(|| not_done(uri))?;
    let list = doc.first_child_element_by_name_ns(of, EXCLUSIVE, "InclusiveNamespaces");
    let prefixes = list.and_then(|list| doc.get_attribute(list, "PrefixList")).unwrap_or_default();
    Ok((mode, prefixes.split_ascii_whitespace().map(str::to_owned).collect()))
}

fn not_done(uri: &str) -> String {
    format!("its signature has a transformation that is not carried out, `{uri}`")
}

impl Covered<'_, '_> {
    /// The bytes that a reference's digest is made of.
    pub(super) fn content(&self, uri: &str, reference: NodeId) -> Result<Cow<'_, [u8]>, String> {
        let transforms =
            need(self.doc, reference, "Transforms").map(|all| children(self.doc, all, "Transform")).unwrap_or_default();
        if transforms.len() > TRANSFORMS_MAX {
            return Err(format!("a reference of its signature has more than {TRANSFORMS_MAX} transformations"));
        }
        if uri.is_empty() {
            return self.envelope(&transforms).map(Cow::Owned);
        }
        let id = uri
            .strip_prefix("cid:")
            .ok_or_else(|| format!("its signature covers `{uri}`, which is not in the message"))?;
        let of_id = |id: &str| self.parts.iter().find(|part| bare(part.id) == id.as_bytes());
        // RFC 2392 has the id percent-encoded; most leave it as it is.
        let part = of_id(id).or_else(|| of_id(&decoded(id)));
        let part = part.ok_or_else(|| format!("its signature covers `{uri}`, and there is no such part"))?;
        let mut content = Cow::Borrowed(part.content.as_ref());
        for transform in transforms {
            let (mode, prefixes) = canonical(self.doc, transform)?;
            let text = std::str::from_utf8(&content).map_err(|_| format!("`{uri}` is not XML in UTF-8"))?;
            // As an envelope: what documents can ask of their reader is refused before one is read.
            crate::xml::Element::read(text.as_bytes()).map_err(|why| format!("`{uri}` is not XML: {}", why.0))?;
            let form = canonicalize(text, mode, None, &prefixes);
            content = Cow::Owned(form.map_err(|error| format!("`{uri}` has no canonical form: {error}"))?);
        }
        Ok(content)
    }

    /// The envelope, without what the transformations take out.
    fn envelope(&self, transforms: &[NodeId]) -> Result<Vec<u8>, String> {
        let doc = self.doc;
        let mut nodes = NodeSet::all_without_comments(doc);
        let mut form = None;
        for &transform in transforms {
            if form.is_some() {
                return Err("its signature has a transformation behind the canonical form".to_owned());
            }
            match algorithm(doc, transform) {
                ENVELOPED => remove(self.signature, doc, &mut nodes),
                XPATH => {
                    let path = doc.text_content_deep(need(doc, transform, "XPath")?);
                    let actors = actors(&path).ok_or_else(|| not_done(path.trim()))?;
                    doc.descendants(doc.root()).into_iter().filter(|id| is_for(*id, doc, &actors)).for_each(|id| {
                        remove(id, doc, &mut nodes);
                    });
                }
                _ => form = Some(canonical(doc, transform)?),
            }
        }
        // XML Signature, section 4.4.3.2: nodes that are left over become bytes by the first canonical form.
        let (mode, prefixes) = form.unwrap_or((C14nMode::Inclusive, Vec::new()));
        canonicalize_doc(doc, mode, Some(&nodes), &prefixes)
            .map_err(|error| format!("it has no canonical form: {error}"))
    }
}

fn remove(id: NodeId, doc: &Document<'_>, nodes: &mut NodeSet) {
    nodes.remove_id(id);
    doc.descendants(id).into_iter().for_each(|id| nodes.remove_id(id));
}

fn is_for(id: NodeId, doc: &Document<'_>, actors: &[&str]) -> bool {
    doc.element(id)
        .and_then(|element| element.get_attribute_ns(SOAP, "actor"))
        .is_some_and(|actor| actors.contains(&actor))
}

/// Whom the one expression that ebXML Messaging has (section 4.1.3) leaves out, however it is written: with any prefix,
/// white space, quotes and order. `None` for any other: a general XPath is not evaluated on what strangers send.
fn actors(path: &str) -> Option<Vec<&'static str>> {
    let mut packed = String::new();
    for piece in path.split_ascii_whitespace() {
        // Two words that only white space keeps apart would become one.
        if packed.ends_with(char::is_alphanumeric) && piece.starts_with(char::is_alphanumeric) {
            return None;
        }
        packed.push_str(piece);
    }
    let inner = packed.strip_prefix("not(")?.strip_suffix(')')?;
    inner.split('|').map(actor).collect()
}

fn actor(alternative: &str) -> Option<&'static str> {
    let test = alternative.strip_prefix("ancestor-or-self::node()[@")?.strip_suffix(']')?;
    let (name, value) = test.split_once('=')?;
    let prefix = name.strip_suffix(":actor")?;
    let is_name = !prefix.is_empty() && prefix.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let inside = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    let value = inside('"').or_else(|| inside('\''))?;
    [NEXT_NODE, NEXT].into_iter().find(|known| is_name && *known == value)
}

/// Percent-encoding undone.
fn decoded(id: &str) -> String {
    let mut bytes = Vec::with_capacity(id.len());
    let mut rest = id.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after
            .get(..2)
            .and_then(|two| std::str::from_utf8(two).ok())
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expression_of_the_specification_is_known_however_it_is_written() {
        let both = Some(vec![NEXT_NODE, NEXT]);
        let tight = format!(
            "not(ancestor-or-self::node()[@s:actor=\"{NEXT_NODE}\"]|ancestor-or-self::node()[@s:actor='{NEXT}'])"
        );
        assert_eq!(actors(&tight), both);
        assert_eq!(actors(&tight.replace('|', "\n  |  ").replace('[', " [ ")), both);
        assert_eq!(actors(&format!("not(ancestor-or-self::node()[@SOAP:actor=\"{NEXT}\"])")), Some(vec![NEXT]));
        for other in ["", "true()", "not(self::x)", "not(ancestor-or-self::node()[@s:actor=\"urn:other\"])"] {
            assert_eq!(actors(other), None, "{other}");
        }
        assert_eq!(actors(&tight.replace("@s:actor", "@actor")), None, "that attribute is in no namespace");
        assert_eq!(actors(&tight.replace("s:actor=\"", "x or s:actor=\"")), None);
    }

    #[test]
    fn ids_are_read_with_their_encoding() {
        assert_eq!(decoded("a%40b%2Fc%zz%"), "a@b/c%zz%");
    }
}
