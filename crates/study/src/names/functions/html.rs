//! Character references of HTML, taken back: what stands in an attribute or a text of a page, as its reader means it.

/// The names that every template engine writes. The standard has 2231 more, which are letters that pages write as they are.
const NAMED: [(&str, char); 6] =
    [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("nbsp", '\u{a0}')];
/// No reference that is read is longer, its `&` and `;` left out: `#x0010FFFF`.
const REFERENCE_BYTES_MAX: usize = 10;

/// What is not a reference that is known here stays as it is, as it does in a browser.
pub(super) fn decode(value: &[u8], into: &mut Vec<u8>) -> bool {
    let mut rest = value;
    while let Some(at) = rest.iter().position(|byte| *byte == b'&') {
        into.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.iter().take(REFERENCE_BYTES_MAX + 1).position(|byte| *byte == b';');
        match end.and_then(|end| Some((end, character(std::str::from_utf8(&rest[..end]).ok()?)?))) {
            Some((end, character)) => {
                into.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[end + 1..];
            }
            None => into.push(b'&'),
        }
    }
    into.extend_from_slice(rest);
    true
}

/// `amp`, `#38` and `#x26`.
fn character(reference: &str) -> Option<char> {
    let Some(number) = reference.strip_prefix('#') else {
        return NAMED.iter().find(|(name, _)| *name == reference).map(|(_, character)| *character);
    };
    let (digits, base) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // A sign is not a digit here, though it is one to `from_str_radix`.
    let number = u32::from_str_radix(digits, base).ok().filter(|_| !digits.starts_with('+'))?;
    char::from_u32(number).filter(|character| *character != '\0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(text: &str) -> String {
        let mut into = Vec::new();
        assert!(decode(text.as_bytes(), &mut into));
        String::from_utf8(into).unwrap()
    }

    #[test]
    fn references_are_read_as_a_browser_reads_them_and_all_else_stays() {
        for (text, expected) in [
            // As Keycloak, Django and PHP write addresses and tokens.
            ("/auth?a=1&amp;b=2&amp;c=3", "/auth?a=1&b=2&c=3"),
            ("it&#x27;s &#39;&quot;&lt;b&gt;", "it's '\"<b>"),
            ("abc&#43;/&#61;&#x3D;", "abc+/=="),
            ("&#x1F600;&#8364;&nbsp;", "😀€\u{a0}"),
            // Once, and no more.
            ("&amp;amp;", "&amp;"),
            (
                "a&b; &unknown; &; &#; &#x; &#0; &#xD800; &#x110000; &#+5;",
                "a&b; &unknown; &; &#; &#x; &#0; &#xD800; &#x110000; &#+5;",
            ),
            ("?a=1&lt", "?a=1&lt"),
            ("&", "&"),
            ("", ""),
        ] {
            assert_eq!(decoded(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_a_page_wrote_reads_back(text in "\\PC{0,40}") {
            let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&#34;").replace('\'', "&#x27;");
            prop_assert_eq!(decoded(&escaped), text);
        }

        #[test]
        fn any_bytes_are_decoded_to_no_more_than_they_were(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let mut into = Vec::new();
            prop_assert!(decode(&bytes, &mut into) && into.len() <= bytes.len());
        }
    }
}
