//! Bytes to text: which encoding a body is in, and the few that are read.

use super::{NoXml, XML_BYTES_MAX};

/// What `charset=` of a media type says.
pub(crate) struct Charset;

impl Charset {
    /// `text/xml; charset="utf-8"` → `utf-8`.
    pub(crate) fn of(media_type: &[u8]) -> Option<&[u8]> {
        for parameter in media_type.split(|byte| *byte == b';').skip(1) {
            let at = parameter.iter().position(|byte| *byte == b'=')?;
            if parameter[..at].trim_ascii().eq_ignore_ascii_case(b"charset") {
                let value = parameter[at + 1..].trim_ascii();
                return Some(value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value));
            }
        }
        None
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Latin1,
    Utf16 { is_big: bool },
}

/// How many bytes of a declaration are looked through.
const DECLARATION_BYTES_MAX: usize = 256;

/// Decodes a body into `into` unless it is UTF-8: then the number of bytes of its mark is told, and nothing is written.
/// A mark goes before what the headers say, that before what the document says of itself (RFC 7303, section 3).
pub(super) fn decode(body: &[u8], charset: Option<&[u8]>, into: &mut String) -> Result<Option<usize>, NoXml> {
    let (encoding, mark_bytes) = detect(body, charset)?;
    let bytes = &body[mark_bytes..];
    match encoding {
        Encoding::Utf8 => {
            if let Err(error) = std::str::from_utf8(bytes) {
                return Err(format!("it is not UTF-8 from byte {} on", error.valid_up_to() + 1).into());
            }
            return Ok(Some(mark_bytes));
        }
        Encoding::Latin1 => into.extend(bytes.iter().map(|byte| char::from(*byte))),
        Encoding::Utf16 { is_big } => {
            let units = bytes.chunks_exact(2).map(|pair| match is_big {
                true => u16::from_be_bytes([pair[0], pair[1]]),
                false => u16::from_le_bytes([pair[0], pair[1]]),
            });
            for (number, c) in char::decode_utf16(units).enumerate() {
                into.push(c.map_err(|_| NoXml::from(format!("it is not UTF-16 from character {} on", number + 1)))?);
            }
            if bytes.len() % 2 == 1 {
                return Err(NoXml::fixed("it is UTF-16 and breaks off within a character"));
            }
        }
    }
    if into.len() > XML_BYTES_MAX {
        return Err(format!("as UTF-8 it has {} bytes; at most {XML_BYTES_MAX} are read", into.len()).into());
    }
    Ok(None)
}

fn detect(body: &[u8], charset: Option<&[u8]>) -> Result<(Encoding, usize), NoXml> {
    let marks: [(&[u8], Encoding); 3] = [
        (b"\xef\xbb\xbf", Encoding::Utf8),
        (b"\xfe\xff", Encoding::Utf16 { is_big: true }),
        (b"\xff\xfe", Encoding::Utf16 { is_big: false }),
    ];
    if let Some((mark, encoding)) = marks.into_iter().find(|(mark, _)| body.starts_with(mark)) {
        return Ok((encoding, mark.len()));
    }
    // `<` in two bytes.
    let seen = match body {
        [0, b'<', ..] => Some(Encoding::Utf16 { is_big: true }),
        [b'<', 0, ..] => Some(Encoding::Utf16 { is_big: false }),
        _ => None,
    };
    if let Some(charset) = charset.filter(|charset| !charset.is_empty()) {
        let of_headers = named(charset, seen).ok_or_else(|| unknown("its media type", charset))?;
        return Ok((of_headers, 0));
    }
    if let Some(seen) = seen {
        return Ok((seen, 0));
    }
    let Some(name) = declared(body) else { return Ok((Encoding::Utf8, 0)) };
    match named(name, None) {
        // The declaration itself was read in bytes of eight bits.
        Some(Encoding::Utf16 { .. }) => Err(NoXml::fixed("its declaration says that it is UTF-16, and it is not")),
        Some(encoding) => Ok((encoding, 0)),
        None => Err(unknown("its declaration", name)),
    }
}

fn unknown(by: &str, name: &[u8]) -> NoXml {
    let name: String = String::from_utf8_lossy(name).chars().take(40).flat_map(char::escape_debug).collect();
    format!("{by} says that its encoding is `{name}`; read are UTF-8, UTF-16, ISO-8859-1 and US-ASCII").into()
}

/// UTF-16 without a mark is big-endian (RFC 2781) unless the first character shows that it is not.
fn named(name: &[u8], seen: Option<Encoding>) -> Option<Encoding> {
    let is = |known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
    match () {
        () if is(&["utf-8", "utf8", "us-ascii", "ascii"]) => Some(Encoding::Utf8),
        () if is(&["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1"]) => Some(Encoding::Latin1),
        () if is(&["utf-16be"]) => Some(Encoding::Utf16 { is_big: true }),
        () if is(&["utf-16le"]) => Some(Encoding::Utf16 { is_big: false }),
        () if is(&["utf-16", "utf16"]) => Some(seen.unwrap_or(Encoding::Utf16 { is_big: true })),
        () => None,
    }
}

/// The encoding that a declaration in bytes of eight bits names.
fn declared(body: &[u8]) -> Option<&[u8]> {
    let rest = body.strip_prefix(b"<?xml")?;
    let end = rest.iter().take(DECLARATION_BYTES_MAX).position(|byte| *byte == b'>')?;
    let rest = &rest[..end];
    let at = rest.windows(8).position(|window| window == b"encoding")?;
    let rest = rest[at + 8..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, rest) = rest.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    rest.split(|byte| byte == quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, is_big: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    fn decoded(body: &[u8], charset: Option<&str>) -> Result<String, String> {
        let mut into = String::new();
        match decode(body, charset.map(str::as_bytes), &mut into) {
            Ok(None) => Ok(into),
            Ok(Some(mark)) => Ok(String::from_utf8(body[mark..].to_vec()).unwrap()),
            Err(why) => Err(why.0.into_owned()),
        }
    }

    #[test]
    fn marks_headers_and_declarations_are_asked_in_this_order() {
        let text = "<a>é€😀</a>";
        let marked = |mark: &[u8], body: Vec<u8>| [mark, &body].concat();
        for (body, charset) in [
            (text.as_bytes().to_vec(), None),
            (marked(b"\xef\xbb\xbf", text.as_bytes().to_vec()), Some("iso-8859-1")),
            (marked(b"\xfe\xff", utf16(text, true)), None),
            (marked(b"\xff\xfe", utf16(text, false)), Some("utf-8")),
            (utf16(text, true), None),
            (utf16(text, false), None),
            (utf16(text, false), Some("UTF-16")),
            (utf16(text, true), Some("utf-16be")),
        ] {
            assert_eq!(decoded(&body, charset), Ok(text.to_owned()), "{charset:?} {body:?}");
        }
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>";
        let read = Ok("<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>".to_owned());
        assert_eq!(decoded(latin, None), read);
        assert_eq!(decoded(latin, Some("latin1")), read);
        assert!(decoded(latin, Some("utf-8")).unwrap_err().starts_with("it is not UTF-8 from byte 47"));
    }

    #[test]
    fn what_is_not_read_is_said() {
        let with = |name: &str| format!("<?xml version=\"1.0\" encoding=\"{name}\"?><a/>");
        assert!(
            decoded(with("koi8-r").as_bytes(), None)
                .unwrap_err()
                .contains("its declaration says that its encoding is `koi8-r`")
        );
        assert!(decoded(b"<a/>", Some("koi8-r")).unwrap_err().starts_with("its media type says"));
        assert!(decoded(with("utf-16").as_bytes(), None).unwrap_err().ends_with("UTF-16, and it is not"));
        assert_eq!(decoded(with("utf-16").as_bytes(), Some("utf-8")), Ok(with("utf-16")));
        assert!(decoded(b"\xfe\xff\x00<\x00", None).unwrap_err().contains("breaks off"));
        assert!(decoded(b"\xfe\xff\x00<\xd8\x00", None).unwrap_err().contains("from character 2 on"));
    }

    #[test]
    fn a_media_type_says_its_charset() {
        for (media_type, expected) in [
            ("text/xml; charset=utf-8", Some("utf-8")),
            ("application/soap+xml;action=\"a\"; CharSet = \"ISO-8859-1\" ", Some("ISO-8859-1")),
            ("text/xml", None),
            ("text/xml; boundary", None),
            ("", None),
        ] {
            assert_eq!(Charset::of(media_type.as_bytes()), expected.map(str::as_bytes), "{media_type}");
        }
    }
}
