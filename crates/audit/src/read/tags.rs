//! Tags of HTML, and where the content of an element ends that nobody sees.

use std::collections::HashMap;

/// Longest tag, in bytes: pictures may stand in one as they are.
const TAG_MAX: usize = 4 * 1024 * 1024;
/// Bytes that tags without an end may be searched for it, all together; and how far each is searched after that.
const PATIENCE: usize = 16 * 1024 * 1024;
const IMPATIENT: usize = 1024;
/// Elements whose content is not text of the page. Browsers, too, take all that follows one without an end for its
/// content.
const HIDDEN: [&str; 5] = ["script", "style", "template", "noscript", "iframe"];
/// Elements whose content was taken back, or is drawn or chosen from.
const UNREAD: [&str; 6] = ["del", "s", "strike", "svg", "math", "select"];
/// Elements without content.
const VOID: [&str; 8] = ["br", "hr", "img", "input", "link", "meta", "source", "wbr"];
/// Elements that end where another of them begins.
const UNCLOSED: [&str; 8] = ["p", "li", "td", "th", "tr", "dt", "dd", "option"];

/// Elements that end a paragraph where they begin.
const BLOCKS: [&str; 34] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "ul",
];
/// Elements beyond which none ends that began outside of them.
const SCOPES: [&str; 7] = ["ul", "ol", "menu", "dl", "table", "select", "button"];
/// Open elements that are looked at for one that ends where another begins.
const LOOKED_UP: usize = 64;

pub(super) enum Tag<'a> {
    Open(String, &'a str),
    Close(String),
    None,
}

/// How long one more tag is searched for its end. Where one in quotes is all that there is, each tag is searched to the end
/// of the page.
pub(super) struct Patience(usize);

impl Default for Patience {
    fn default() -> Self {
        Self(PATIENCE)
    }
}

/// The tag or comment at the beginning of a text, and its length.
pub(super) fn tag<'a>(text: &'a str, patience: &mut Patience) -> Option<(usize, Tag<'a>)> {
    if let Some(comment) = text.strip_prefix("<!--") {
        return Some((comment.find("-->").map_or(text.len(), |end| end + 7), Tag::None));
    }
    let bytes = text.as_bytes();
    let is_close = bytes.get(1) == Some(&b'/');
    let from = 1 + usize::from(is_close);
    let begins = bytes.get(from)?;
    if !(begins.is_ascii_alphabetic() || matches!(begins, b'!' | b'?')) {
        return None;
    }
    // The end, outside of quotes.
    let mut quote = 0u8;
    let most = TAG_MAX.min(patience.0.max(IMPATIENT));
    let end = bytes.iter().take(most).enumerate().skip(from).find(|(_, byte)| match (**byte, quote) {
        (b'>', 0) => true,
        (b'"' | b'\'', 0) => {
            quote = **byte;
            false
        }
        (byte, open) if byte == open => {
            quote = 0;
            false
        }
        _ => false,
    });
    if end.is_none() {
        patience.0 = patience.0.saturating_sub(most.min(bytes.len()));
    }
    let end = end.map_or_else(|| text.find('>'), |(end, _)| Some(end))?;
    let name_end = (from..end).find(|at| !bytes[*at].is_ascii_alphanumeric()).unwrap_or(end);
    let name = text[from..name_end].to_ascii_lowercase();
    let attributes = &text[name_end..end];
    Some((end + 1, if is_close { Tag::Close(name) } else { Tag::Open(name, attributes) }))
}

/// Where the last tag of a page ends: what begins behind it would be looked for up to the end of the page.
pub(super) fn tags_end(text: &str) -> usize {
    text.rfind('>').map_or(0, |end| end + 1)
}

/// Whether an element has no content.
fn is_void(name: &str, attributes: &str) -> bool {
    attributes.ends_with('/') || VOID.contains(&name)
}

/// How long the content of an element is that is no text of the page, up to its end; `None` for other elements.
pub(super) fn hidden(text: &str, name: &str, attributes: &str) -> Option<usize> {
    if !HIDDEN.contains(&name) || is_void(name, attributes) {
        return None;
    }
    let mut at = 0;
    while let Some(found) = text[at..].find("</") {
        at += found;
        let tail = text.as_bytes().get(at + 2..at + 2 + name.len());
        if tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name.as_bytes())) {
            return Some(at);
        }
        at += 2;
    }
    Some(text.len())
}

/// Attributes without the values that stand in quotes.
fn unquoted(attributes: &str) -> String {
    let mut quote = None;
    let is_outside = |c: &char| match (quote, *c) {
        (None, '"' | '\'') => {
            quote = Some(*c);
            false
        }
        (Some(open), c) => {
            quote = Some(open).filter(|_| c != open);
            false
        }
        (None, _) => true,
    };
    attributes.chars().filter(is_outside).collect()
}

/// Whether the content of an element is not read.
fn is_unseen(name: &str, attributes: &str) -> bool {
    let lower = attributes.to_ascii_lowercase();
    let style: String = lower.chars().filter(|c| !c.is_whitespace()).collect();
    let is_styled = style.contains("style=") && (style.contains("display:none") || style.contains("visibility:hidden"));
    let is_hidden = || unquoted(&lower).split_whitespace().any(|word| word == "hidden" || word.starts_with("hidden="));
    !is_void(name, attributes) && (UNREAD.contains(&name) || is_styled || is_hidden())
}

/// Where the elements of a page end that nobody sees.
pub(super) struct Unseen<'a> {
    text: &'a str,
    /// By where they begin; found at once for the whole page, since each that does not end would be looked for up to the
    /// end of the page.
    ends: Option<HashMap<usize, usize>>,
}

impl<'a> Unseen<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, ends: None }
    }

    /// Where the content ends of an element that begins at a place; `None` where it is seen. One without an end is read
    /// like any other, lest all that follows is passed over in silence.
    pub(super) fn end(&mut self, at: usize, name: &str, attributes: &str) -> Option<usize> {
        if !is_unseen(name, attributes) {
            return None;
        }
        self.ends.get_or_insert_with(|| ends(self.text)).get(&at).copied()
    }
}

/// What ends where an element begins, if it is open.
fn ends_before(name: &str) -> &'static [&'static str] {
    match name {
        "li" => &["p", "li"],
        "dt" | "dd" => &["p", "dt", "dd"],
        "td" | "th" => &["td", "th"],
        "tr" => &["td", "th", "tr"],
        "option" => &["option"],
        _ if BLOCKS.contains(&name) => &["p"],
        _ => &[],
    }
}

/// An element that is open.
struct Open {
    name: String,
    from: usize,
    is_unseen: bool,
}

/// The elements that are open, the innermost last.
#[derive(Default)]
struct Nest {
    open: Vec<Open>,
    /// How many of each name.
    counts: HashMap<String, usize>,
    /// Where elements that nobody sees end, by where they begin.
    ends: HashMap<usize, usize>,
}

impl Nest {
    /// Closes the innermost element of a name, and all within it. Of these, those that need no end have theirs here.
    fn close(&mut self, name: &str, at: usize) {
        while self.counts.get(name).is_some_and(|count| *count > 0) {
            let Some(open) = self.open.pop() else { return };
            self.counts.entry(open.name.clone()).and_modify(|count| *count -= 1);
            let is_it = open.name == name;
            if open.is_unseen && (is_it || UNCLOSED.contains(&&*open.name)) {
                self.ends.insert(open.from, at);
            }
            if is_it {
                return;
            }
        }
    }

    /// Closes what ends where an element of a name begins: one like it, and a paragraph where a block begins.
    fn make_way(&mut self, name: &str, at: usize) {
        for of in ends_before(name) {
            let mut within = self.open.iter().rev().take(LOOKED_UP).take_while(|open| !SCOPES.contains(&&*open.name));
            if self.counts.get(*of).is_some_and(|count| *count > 0) && within.any(|open| open.name == *of) {
                self.close(of, at);
            }
        }
    }
}

/// Where each element that nobody sees has its end, or another begins that ends it.
fn ends(text: &str) -> HashMap<usize, usize> {
    let text = &text[..tags_end(text)];
    let (mut nest, mut at, mut patience) = (Nest::default(), 0, Patience::default());
    while let Some(next) = text[at..].find('<') {
        at += next;
        let Some((mut length, tag)) = tag(&text[at..], &mut patience) else {
            at += 1;
            continue;
        };
        match tag {
            Tag::Close(name) => nest.close(&name, at),
            Tag::Open(name, attributes) => {
                nest.make_way(&name, at);
                length += hidden(&text[at + length..], &name, attributes).unwrap_or(0);
                if !is_void(&name, attributes) {
                    let is_unseen = is_unseen(&name, attributes);
                    *nest.counts.entry(name.clone()).or_default() += 1;
                    nest.open.push(Open { name, from: at, is_unseen });
                }
            }
            Tag::None => {}
        }
        at += length;
    }
    nest.ends
}
