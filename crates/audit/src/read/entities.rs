//! References to characters in HTML: `&amp;`, `&#8239;`.

/// Names of characters that reports use; others stay as they are written.
const NAMES: [(&str, &str); 32] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ensp", " "),
    ("emsp", " "),
    ("thinsp", " "),
    ("times", "×"),
    ("middot", "·"),
    ("sdot", "·"),
    ("divide", "÷"),
    ("asymp", "≈"),
    ("ap", "≈"),
    ("le", "≤"),
    ("ge", "≥"),
    ("minus", "−"),
    ("plusmn", "±"),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("micro", "µ"),
    ("mu", "μ"),
    ("deg", "°"),
    ("bull", "•"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("aring", "å"),
    ("oslash", "ø"),
];
/// Longest name, with room.
const NAME_MAX: usize = 12;

/// A text with its references resolved.
pub(super) fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.char_indices().take(NAME_MAX).find(|(_, c)| *c == ';').map(|(end, _)| end);
        match end.and_then(|end| Some((end, character(&rest[1..end])?))) {
            Some((end, character)) => {
                out.push_str(&character);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<String> {
    let Some(number) = name.strip_prefix('#') else {
        return NAMES.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    let c = char::from_u32(code)?;
    Some(if c == '\u{a0}' || c.is_control() { ' ' } else { c }.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_and_others_stay() {
        assert_eq!(decoded("a &lt; b &amp; c&nbsp;&times;&#160;2 &#x2248; 3"), "a < b & c × 2 ≈ 3");
        for text in ["&", "&;", "&unknown;", "&#x110000;", "&#xzz;", "a & b", "&toolongforaname;"] {
            assert_eq!(decoded(text), text);
        }
    }
}
