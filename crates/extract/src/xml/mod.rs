//! An answer's body as XML, within bounds: a flat table of nodes in the order of the document.
//!
//! Nothing that a document could ask of its reader is done: a document type, and with it every entity of one's own, is
//! refused before anything of it is read. Texts are pieces of the body; only what does not stand there as it is meant
//! (references, ends of lines, joined pieces) is written out, and that is never longer than the body.

mod encoding;
mod read;
mod tag;

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

pub(crate) use encoding::Charset;
pub(crate) use tag::{is_name_character, is_name_start};

/// Bytes of a body, as they came and as text. What a driver keeps of a body is less unless the study says otherwise.
pub(crate) const XML_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Elements within each other. SOAP needs a dozen levels.
pub(crate) const DEPTH_MAX: usize = 256;
/// Elements, attributes, texts, comments and instructions of one body, of 40 bytes each. A megabyte has 250,000 at most.
pub(crate) const NODES_MAX: usize = 500_000;
/// Attributes of one element, declarations of namespaces among them: each is compared with the others.
pub(crate) const ATTRIBUTES_MAX: usize = 128;
/// Different namespaces of one body, and declarations that are in force at one place: each name is looked up among them.
pub(crate) const NAMESPACES_MAX: usize = 128;
/// A name with its prefix, in bytes.
pub(crate) const NAME_BYTES_MAX: usize = 1000;

/// A table with more memory than this is not kept for the next answer of its thread.
const KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;

pub(crate) const XML_URI: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS_URI: &str = "http://www.w3.org/2000/xmlns/";

/// Why a body is not at hand as XML: one sentence in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoXml(pub(crate) Cow<'static, str>);

impl NoXml {
    pub(crate) const UNREAD: Self = Self(Cow::Borrowed("it was not read"));

    fn fixed(why: &'static str) -> Self {
        Self(Cow::Borrowed(why))
    }
}

impl From<String> for NoXml {
    fn from(why: String) -> Self {
        Self(why.into())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What holds the one element, and what stands beside it.
    Root,
    Element,
    Attribute,
    Text,
    Comment,
    Instruction,
}

/// A piece of the source, or of what was written out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    from: u32,
    to: u32,
    is_made: bool,
}

impl Span {
    fn of(range: Range<usize>) -> Self {
        // `XML_BYTES_MAX` fits.
        Self { from: range.start as u32, to: range.end as u32, is_made: false }
    }

    fn range(self) -> Range<usize> {
        self.from as usize..self.to as usize
    }
}

/// A node. Its attributes follow it, then everything within it, then `end`.
#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    /// Its namespace, 0 for none.
    namespace: u16,
    /// Bytes of its name's prefix with the colon.
    prefix_bytes: u16,
    parent: u32,
    /// The number of the first node behind it and all within it.
    end: u32,
    name: Span,
    /// Of an element all of its source, of others what they say.
    value: Span,
}

/// The nodes of a body.
#[derive(Default)]
pub(crate) struct Document {
    /// The body as text, where it was not UTF-8 already.
    decoded: String,
    is_decoded: bool,
    /// Bytes of a byte order mark, which is not part of the text.
    mark_bytes: usize,
    made: String,
    nodes: Vec<Node>,
    /// The namespaces in it, each once; the first is none.
    namespaces: Vec<Span>,
    /// Declarations that are in force while it is read: depth, prefix, namespace.
    scope: Vec<(u32, Span, u16)>,
    /// Elements that are open while it is read.
    open: Vec<u32>,
}

impl Document {
    fn clear(&mut self) {
        self.decoded.clear();
        self.made.clear();
        self.nodes.clear();
        self.namespaces.clear();
        self.scope.clear();
        self.open.clear();
        (self.is_decoded, self.mark_bytes) = (false, 0);
    }

    fn memory(&self) -> usize {
        let nodes = self.nodes.capacity() * size_of::<Node>();
        self.decoded.capacity() + self.made.capacity() + nodes
    }
}

/// A document that goes back to its thread when it is no longer looked into, so that the next answer needs no memory.
pub(crate) struct Lent(Option<Box<Document>>);

thread_local! {
    static SPARE: RefCell<Option<Box<Document>>> = const { RefCell::new(None) };
}

impl Lent {
    /// Reads a body; `charset` is what its headers say of its encoding.
    pub(crate) fn read(body: &[u8], charset: Option<&[u8]>) -> Result<Self, NoXml> {
        let mut document = SPARE.take().unwrap_or_default();
        document.clear();
        let mut lent = Self(Some(document));
        match lent.0.as_mut().map(|document| document.fill(body, charset)) {
            Some(Err(why)) => Err(why),
            _ => Ok(lent),
        }
    }

    /// The document over the body that it was read from.
    pub(crate) fn over<'d>(&'d self, body: &'d [u8]) -> Tree<'d> {
        static EMPTY: Document = Document {
            decoded: String::new(),
            is_decoded: false,
            mark_bytes: 0,
            made: String::new(),
            nodes: Vec::new(),
            namespaces: Vec::new(),
            scope: Vec::new(),
            open: Vec::new(),
        };
        let document = self.0.as_deref().unwrap_or(&EMPTY);
        let source = match document.is_decoded {
            true => document.decoded.as_str(),
            // It was UTF-8 when it was read.
            false => std::str::from_utf8(&body[document.mark_bytes.min(body.len())..]).unwrap_or_default(),
        };
        Tree { document, source }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(document) = self.0.take().filter(|document| document.memory() <= KEPT_BYTES_MAX) {
            SPARE.set(Some(document));
        }
    }
}

/// A document and its text.
#[derive(Clone, Copy)]
pub(crate) struct Tree<'d> {
    document: &'d Document,
    source: &'d str,
}

impl<'d> Tree<'d> {
    /// How many nodes there are, the root among them. They have the numbers below, in the order of the document.
    pub(crate) fn len(self) -> u32 {
        self.document.nodes.len() as u32
    }

    fn node(self, number: u32) -> &'d Node {
        &self.document.nodes[number as usize]
    }

    fn text(self, span: Span) -> &'d str {
        let of = if span.is_made { self.document.made.as_str() } else { self.source };
        of.get(span.range()).unwrap_or_default()
    }

    pub(crate) fn kind(self, number: u32) -> Kind {
        self.node(number).kind
    }

    /// None of the root's.
    pub(crate) fn parent(self, number: u32) -> Option<u32> {
        (number > 0).then(|| self.node(number).parent)
    }

    /// The number of the first node behind it and all within it.
    pub(crate) fn end(self, number: u32) -> u32 {
        self.node(number).end
    }

    /// The attributes of an element.
    pub(crate) fn attributes(self, number: u32) -> Range<u32> {
        let first = number + 1;
        first..self.first_within(number)
    }

    /// The number behind its attributes: that of its first child, if it has one.
    pub(crate) fn first_within(self, number: u32) -> u32 {
        let mut next = number + 1;
        if self.kind(number) == Kind::Element {
            while next < self.end(number) && self.kind(next) == Kind::Attribute {
                next += 1;
            }
        }
        next
    }

    /// Its name with its prefix, as written; of an instruction its target; empty for others.
    pub(crate) fn name(self, number: u32) -> &'d str {
        self.text(self.node(number).name)
    }

    /// Its name without prefix.
    pub(crate) fn local_name(self, number: u32) -> &'d str {
        let node = self.node(number);
        self.text(node.name).get(usize::from(node.prefix_bytes)..).unwrap_or_default()
    }

    /// Its namespace; empty for none.
    pub(crate) fn namespace(self, number: u32) -> &'d str {
        let of = self.document.namespaces.get(usize::from(self.node(number).namespace));
        of.map(|span| self.text(*span)).unwrap_or_default()
    }

    /// What it says: of elements all texts within them, of other nodes their own.
    pub(crate) fn value(self, number: u32) -> Cow<'d, str> {
        let node = self.node(number);
        if !matches!(node.kind, Kind::Element | Kind::Root) {
            return Cow::Borrowed(self.text(node.value));
        }
        let mut whole = Cow::Borrowed("");
        for within in number + 1..node.end {
            if self.kind(within) == Kind::Text {
                let text = self.text(self.node(within).value);
                // One text is the usual case, and needs no memory.
                if whole.is_empty() { whole = Cow::Borrowed(text) } else { whole.to_mut().push_str(text) }
            }
        }
        whole
    }

    /// How many nodes and bytes [`Self::value`] goes through.
    pub(crate) fn cost(self, number: u32) -> u64 {
        let node = self.node(number);
        let bytes = match node.kind {
            Kind::Root => self.source.len(),
            _ => node.value.range().len(),
        };
        u64::from(node.end - number) + bytes as u64 / 32
    }

    /// An element as it stands in the body. Namespaces that it uses and that are declared around it are declared in it, so
    /// that it means the same elsewhere; one that needs none is the same bytes. Of other nodes what they say.
    pub(crate) fn written(self, number: u32) -> Cow<'d, str> {
        let number = match self.kind(number) {
            Kind::Root => (1..self.len()).find(|at| self.kind(*at) == Kind::Element).unwrap_or(number),
            _ => number,
        };
        if self.kind(number) != Kind::Element {
            return self.value(number);
        }
        let whole = self.text(self.node(number).value);
        let mut declared: Vec<&str> = tag::declarations(whole).map(|(prefix, _)| prefix).collect();
        let mut added = String::new();
        let mut at = number;
        while let Some(parent) = self.parent(at).filter(|parent| *parent > 0) {
            for (prefix, written) in tag::declarations(self.text(self.node(parent).value)) {
                if !declared.contains(&prefix) {
                    declared.push(prefix);
                    // What is declared as none within is none outside as well.
                    if written.len() > "xmlns=''".len() && self.uses(number, whole, prefix) {
                        added.push(' ');
                        added.push_str(written);
                    }
                }
            }
            at = parent;
        }
        if added.is_empty() {
            return Cow::Borrowed(whole);
        }
        let behind = 1 + self.name(number).len();
        format!("{}{added}{}", &whole[..behind], &whole[behind..]).into()
    }
}

impl Tree<'_> {
    /// Whether a prefix stands anywhere in an element, in names or in what is stated there, such as `xs:string`; of the empty
    /// one, whether an element has its namespace from around it.
    fn uses(self, number: u32, whole: &str, prefix: &str) -> bool {
        if !prefix.is_empty() {
            let is_one =
                |at: usize| !whole[..at].ends_with(is_name_character) && whole[at + prefix.len()..].starts_with(':');
            return whole.match_indices(prefix).any(|(at, _)| is_one(at));
        }
        let around = self.node(number).namespace;
        let is_plain = |at: &u32| self.kind(*at) == Kind::Element && self.node(*at).prefix_bytes == 0;
        let mut plain = (number..self.end(number)).filter(is_plain);
        // Where its own name has a prefix, which of those within it have it from around cannot be told by number.
        if is_plain(&number) { around != 0 } else { plain.any(|at| self.node(at).namespace != 0) }
    }
}

#[cfg(test)]
mod tests;
