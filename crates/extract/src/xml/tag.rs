//! The inside of a start tag: attributes as they stand there, names, references.

use super::NAME_BYTES_MAX;

/// An attribute as it is written.
pub(super) struct Written<'t> {
    pub(super) name: &'t str,
    /// Bytes before its name.
    pub(super) at: usize,
    /// What is between the quotation marks, and the bytes before it.
    pub(super) value: &'t str,
    pub(super) value_at: usize,
    /// Bytes before what follows it.
    pub(super) end: usize,
}

/// Goes through the attributes of a tag from `at` on, which is behind its name.
pub(super) struct Attributes<'t> {
    pub(super) tag: &'t str,
    pub(super) at: usize,
}

impl<'t> Iterator for Attributes<'t> {
    /// One sentence where what stands there is no attribute.
    type Item = Result<Written<'t>, &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.tag.get(self.at..)?;
        let trimmed = rest.trim_start_matches(is_space);
        if trimmed.is_empty() {
            return None;
        }
        if trimmed.len() == rest.len() {
            return Some(Err("white space is missing before an attribute"));
        }
        let at = self.tag.len() - trimmed.len();
        let read = read(self.tag, at);
        self.at = read.as_ref().map_or(self.tag.len(), |written| written.end);
        Some(read)
    }
}

fn read(tag: &str, at: usize) -> Result<Written<'_>, &'static str> {
    let rest = &tag[at..];
    let name_bytes = rest.find(|c: char| is_space(c) || matches!(c, '=' | '"' | '\'')).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(name_bytes);
    let rest = rest.trim_start_matches(is_space).strip_prefix('=').ok_or("an attribute has no `=`")?;
    let rest = rest.trim_start_matches(is_space);
    let quote =
        rest.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or("an attribute's value has no quotation marks")?;
    let inner = &rest[1..];
    let length = inner.find(quote).ok_or("an attribute's value does not end")?;
    let value_at = tag.len() - inner.len();
    Ok(Written { name, at, value: &inner[..length], value_at, end: value_at + length + 1 })
}

/// The declarations of namespaces in an element's start tag, with their prefix (empty for the default) and as written.
/// The element was read before.
pub(super) fn declarations(element: &str) -> impl Iterator<Item = (&str, &str)> {
    let tag = &element[..end_of_tag(element)];
    let at = tag.find(is_space).unwrap_or(tag.len());
    Attributes { tag, at }.map_while(Result::ok).filter_map(move |written| {
        let prefix = declared_prefix(written.name)?;
        Some((prefix, &tag[written.at..written.end]))
    })
}

/// Which prefix an attribute of that name declares; empty for the default namespace.
pub(super) fn declared_prefix(name: &str) -> Option<&str> {
    match name.strip_prefix("xmlns")? {
        "" => Some(""),
        rest => rest.strip_prefix(':'),
    }
}

/// Where a start tag's `/>` or `>` is.
fn end_of_tag(element: &str) -> usize {
    let mut quote = None;
    for (index, byte) in element.bytes().enumerate() {
        match byte {
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => {}
            b'"' | b'\'' => quote = Some(byte),
            b'>' => return index - usize::from(element[..index].ends_with('/')),
            _ => {}
        }
    }
    element.len()
}

/// What XML takes for white space.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// XML 1.0, section 2.2.
pub(super) fn is_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// The byte at which the first character stands that may not stand in XML. Piece by piece, so that the usual text is looked
/// through many bytes at a time.
pub(super) fn first_wrong(text: &str) -> Option<usize> {
    const PIECE: usize = 256;
    // U+FFFE and U+FFFF are the others that a text can have, and begin so.
    let is_doubtful = |byte: u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r') || byte == 0xef;
    let mut pieces = text.as_bytes().chunks(PIECE);
    pieces.any(|piece| piece.iter().fold(false, |found, byte| found | is_doubtful(*byte))).then_some(())?;
    text.find(|c| !is_character(c))
}

/// Whether it is a name without a colon (Namespaces in XML 1.0, section 3).
pub(super) fn is_name(name: &str) -> bool {
    if name.len() > NAME_BYTES_MAX {
        return false;
    }
    let mut characters = name.chars();
    characters.next().is_some_and(is_name_start) && characters.all(is_name_character)
}

/// XML 1.0, section 2.3, without the colon.
pub(crate) fn is_name_start(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | '_' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
        | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}'
        | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
        | '\u{10000}'..='\u{effff}')
}

pub(crate) fn is_name_character(c: char) -> bool {
    is_name_start(c) || matches!(c, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}

/// What a reference, without `&` and `;`, stands for: a character, or one of the five entities that XML itself has.
pub(super) fn referred(reference: &str) -> Option<char> {
    let Some(number) = reference.strip_prefix('#') else {
        return match reference {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "apos" => Some('\''),
            "quot" => Some('"'),
            _ => None,
        };
    };
    let (digits, base) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // A sign is not a digit here, though it is one to `from_str_radix`.
    let number = u32::from_str_radix(digits, base).ok().filter(|_| !digits.starts_with('+'))?;
    char::from_u32(number).filter(|c| is_character(*c))
}
