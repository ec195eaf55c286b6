//! Making bytes fit where they stand: request target, header, JSON text, form field, name of a part, base64.

/// Where a value stands in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    /// In a body of the user's own making: as it is.
    Nothing,
    /// In path or query: what may not stand in a request target is percent-encoded, all else is left alone.
    Target,
    /// In a header's value: control characters are refused.
    Header,
    /// Between the quotes of a JSON text.
    Json,
    /// As a value of JSON: what reads as a number, `true`, `false` or `null` stays that, all else is a text.
    JsonValue,
    /// In a field of a form (`application/x-www-form-urlencoded`).
    Form,
    /// Between the quotes of a name in a multipart form.
    PartName,
    /// As the credentials of basic authentication.
    Base64,
}

/// A header's value would hold a control character: a line of its own, smuggled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ControlInHeader;

const HEX: &[u8; 16] = b"0123456789ABCDEF";

impl Escape {
    /// Makes what stands from `start` on in `text` fit. `scratch` is memory to work in.
    pub(crate) fn apply(self, text: &mut Vec<u8>, start: usize, scratch: &mut Vec<u8>) -> Result<(), ControlInHeader> {
        let fits: fn(u8) -> bool = match self {
            Self::Nothing => return Ok(()),
            Self::JsonValue if std::str::from_utf8(&text[start..]).is_ok_and(is_json_literal) => return Ok(()),
            Self::JsonValue => {
                text.insert(start, b'"');
                Self::Json.apply(text, start + 1, scratch)?;
                text.push(b'"');
                return Ok(());
            }
            Self::Header if text[start..].iter().all(|&byte| fits_header(byte)) => return Ok(()),
            Self::Header => return Err(ControlInHeader),
            Self::Target => fits_target,
            Self::Json => fits_json,
            Self::Form => fits_form,
            Self::PartName => fits_part_name,
            Self::Base64 => |_| false,
        };
        if text[start..].iter().all(|&byte| fits(byte)) {
            return Ok(());
        }
        scratch.clear();
        scratch.extend_from_slice(&text[start..]);
        text.truncate(start);
        if self == Self::Base64 {
            base64(scratch, text);
            return Ok(());
        }
        for &byte in scratch.iter() {
            match self {
                _ if fits(byte) => text.push(byte),
                Self::Json => json(byte, text),
                Self::Form if byte == b' ' => text.push(b'+'),
                _ => text.extend_from_slice(&[b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]),
            }
        }
        Ok(())
    }

    /// A text made to fit.
    pub(crate) fn of(self, bytes: &[u8]) -> Result<Vec<u8>, ControlInHeader> {
        let mut text = bytes.to_vec();
        self.apply(&mut text, 0, &mut Vec::new())?;
        Ok(text)
    }
}

/// RFC 3986: reserved and unreserved characters and `%`; `#` would begin a fragment, which is never sent.
fn fits_target(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&byte)
}

/// RFC 9110, section 5.5: visible characters, blanks, and bytes above ASCII.
pub(crate) fn fits_header(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

/// RFC 8259, section 7.
fn fits_json(byte: u8) -> bool {
    byte >= b' ' && byte != b'"' && byte != b'\\'
}

/// WHATWG URL standard, application/x-www-form-urlencoded percent-encode set.
fn fits_form(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"*-._".contains(&byte)
}

/// WHATWG HTML standard, multipart/form-data: line breaks and quotes are percent-encoded, all else is left alone.
fn fits_part_name(byte: u8) -> bool {
    !matches!(byte, b'\r' | b'\n' | b'"')
}

fn json(byte: u8, text: &mut Vec<u8>) {
    match byte {
        b'"' | b'\\' => text.extend_from_slice(&[b'\\', byte]),
        b'\n' => text.extend_from_slice(b"\\n"),
        b'\r' => text.extend_from_slice(b"\\r"),
        b'\t' => text.extend_from_slice(b"\\t"),
        _ => {
            text.extend_from_slice(b"\\u00");
            text.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    }
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8], text: &mut Vec<u8>) {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { letter } else { b'=' });
        }
    }
}

/// `true`, `false`, `null`, or a number as RFC 8259 writes it; `0x1f`, `.5` and `1_000` are texts.
pub(crate) fn is_json_literal(word: &str) -> bool {
    if matches!(word, "true" | "false" | "null") {
        return true;
    }
    let word = word.strip_prefix('-').unwrap_or(word);
    let (word, exponent) = word.split_once(['e', 'E']).map_or((word, None), |(word, exponent)| (word, Some(exponent)));
    let (whole, fraction) = word.split_once('.').map_or((word, None), |(whole, fraction)| (whole, Some(fraction)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(escape: Escape, text: &str) -> String {
        String::from_utf8(escape.of(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn base64_as_in_rfc_4648_section_10() {
        for (text, expected) in [
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(of(Escape::Base64, text), expected);
        }
        assert_eq!(of(Escape::Base64, ""), "");
        // RFC 7617, section 2.
        assert_eq!(of(Escape::Base64, "Aladdin:open sesame"), "QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    }

    #[test]
    fn only_what_may_not_stand_there_is_changed() {
        assert_eq!(of(Escape::Target, "a b/ü?x=1&y=%20#<>\"\n"), "a%20b/%C3%BC?x=1&y=%20%23%3C%3E%22%0A");
        assert_eq!(of(Escape::Form, "a b&c=d+é*"), "a+b%26c%3Dd%2B%C3%A9*");
        assert_eq!(of(Escape::Json, "a\"b\\c\nd\u{1}é"), "a\\\"b\\\\c\\nd\\u0001é");
        assert_eq!(of(Escape::PartName, "a\r\n\"b\" é%;.png"), "a%0D%0A%22b%22 é%;.png");
        assert_eq!(of(Escape::Nothing, "a\r\nb"), "a\r\nb");
    }

    #[test]
    fn a_header_takes_no_line_breaks() {
        assert_eq!(of(Escape::Header, "a\tb é"), "a\tb é");
        for bad in ["a\r\nx: y", "\n", "\0", "\u{7f}"] {
            assert_eq!(Escape::Header.of(bad.as_bytes()), Err(ControlInHeader));
        }
    }
}
