//! Bodies of requests: one envelope, or `multipart/related` with the envelope and its payloads (RFC 2387, RFC 2046).

use axum::body::Bytes;
use thiserror::Error;

/// Most parts of one message, the envelope among them.
pub(crate) const PARTS_MAX: usize = 64;
/// Longest head of one part.
const HEAD_MAX: usize = 4096;
/// Longest boundary (RFC 2046, 5.1.1).
const BOUNDARY_MAX: usize = 70;

/// Why a body cannot be taken apart.
#[derive(Clone, Debug, Error, PartialEq)]
pub(crate) enum MimeError {
    /// Neither of the two types.
    #[error("the content type `{0}` is not taken; send `text/xml`, or `multipart/related; type=\"text/xml\"`")]
    Type(String),
    /// No boundary, or one that cannot be.
    #[error("the content type has no `boundary` of 1 to {BOUNDARY_MAX} characters")]
    NoBoundary,
    /// The boundary does not occur as announced.
    #[error("the body has no {0} of the announced boundary")]
    Boundary(&'static str),
    /// A head of a part.
    #[error("the head of part {0} cannot be read")]
    Head(usize),
    /// A part in an encoding other than the plain ones.
    #[error("part {0} has a transfer encoding other than `7bit`, `8bit` or `binary`")]
    Encoding(usize),
    /// More parts than are taken.
    #[error("the body has more than {PARTS_MAX} parts")]
    TooMany,
    /// No part with the id that `start` names.
    #[error("no part has the content id `{0}` that `start` names")]
    NoStart(String),
    /// A start part that is not XML.
    #[error("the start part is not `text/xml`")]
    StartType,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BodyPart {
    /// Without angle brackets; empty if the part has none.
    pub(crate) content_id: String,
    pub(crate) content_type: String,
    pub(crate) content: Bytes,
}

/// A body taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Package {
    pub(crate) envelope: Bytes,
    pub(crate) payloads: Vec<BodyPart>,
}

/// Takes a body apart after its content type.
///
/// # Errors
/// [`MimeError`] if the envelope cannot be found.
pub(crate) fn open(content_type: &str, body: Bytes) -> Result<Package, MimeError> {
    let kind = content_type.split(';').next().unwrap_or("").trim();
    if kind.eq_ignore_ascii_case("text/xml") {
        return Ok(Package { envelope: body, payloads: Vec::new() });
    }
    if !kind.eq_ignore_ascii_case("multipart/related") {
        return Err(MimeError::Type(kind.chars().take(80).collect()));
    }
    let boundary = parameter(content_type, "boundary").unwrap_or_default();
    if boundary.is_empty() || boundary.len() > BOUNDARY_MAX {
        return Err(MimeError::NoBoundary);
    }
    let mut parts = parts(&body, &boundary)?;
    // Without `start` the first part is the root (RFC 2387, 3.2).
    let place = match parameter(content_type, "start") {
        Some(start) => {
            let start = bare_id(&start);
            let place = parts.iter().position(|part| part.content_id == start);
            place.ok_or_else(|| MimeError::NoStart(start.chars().take(80).collect()))?
        }
        None => 0,
    };
    let root = parts.remove(place);
    let root_type = root.content_type.split(';').next().unwrap_or("").trim();
    if !root_type.eq_ignore_ascii_case("text/xml") {
        return Err(MimeError::StartType);
    }
    Ok(Package { envelope: root.content, payloads: parts })
}

/// A parameter of a header's value, unquoted. Names are matched whatever their case.
fn parameter(value: &str, name: &str) -> Option<String> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (key, after) = rest.split_once('=')?;
        let (found, after) = token(after.trim_start());
        if key.trim().trim_start_matches(';').trim().eq_ignore_ascii_case(name) {
            return Some(found);
        }
        rest = after;
    }
}

/// A token or a quoted string, and what follows it.
fn token(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        return (text[..end].trim().to_owned(), &text[end..]);
    };
    let mut out = String::new();
    let mut characters = quoted.char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '"' => return (out, &quoted[place + 1..]),
            '\\' => out.extend(characters.next().map(|(_, escaped)| escaped)),
            other => out.push(other),
        }
    }
    (out, "")
}

/// An id without white space and angle brackets.
fn bare_id(id: &str) -> &str {
    let id = id.trim();
    id.strip_prefix('<').and_then(|id| id.strip_suffix('>')).unwrap_or(id)
}

fn parts(body: &Bytes, boundary: &str) -> Result<Vec<BodyPart>, MimeError> {
    let mut parts = Vec::new();
    let (mut from, is_last) =
        delimiter(body, 0, boundary).map(|found| (found.after, found.is_last)).ok_or(MimeError::Boundary("start"))?;
    if is_last {
        return Err(MimeError::Boundary("part"));
    }
    loop {
        let end = delimiter(body, from, boundary).ok_or(MimeError::Boundary("end"))?;
        if parts.len() >= PARTS_MAX {
            return Err(MimeError::TooMany);
        }
        parts.push(part(body, from, end.before.max(from), parts.len() + 1)?);
        if end.is_last {
            return Ok(parts);
        }
        from = end.after;
    }
}

/// Where a line with the boundary is.
struct Delimiter {
    /// End of what came before it, without the line's end that belongs to the delimiter.
    before: usize,
    /// Start of what comes after it.
    after: usize,
    is_last: bool,
}

/// The next line that begins with two hyphens and the boundary.
fn delimiter(body: &[u8], from: usize, boundary: &str) -> Option<Delimiter> {
    let mut start = from;
    loop {
        let line_end = body[start..].iter().position(|byte| *byte == b'\n').map_or(body.len(), |at| start + at);
        let line = body[start..line_end].strip_suffix(b"\r").unwrap_or(&body[start..line_end]);
        if let Some(rest) = line.strip_prefix(b"--").and_then(|line| line.strip_prefix(boundary.as_bytes())) {
            let (rest, is_last) = rest.strip_prefix(b"--").map_or((rest, false), |rest| (rest, true));
            if rest.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
                let before = body[..start].strip_suffix(b"\n").map_or(start, <[u8]>::len);
                let before = body[..before].strip_suffix(b"\r").map_or(before, <[u8]>::len);
                return Some(Delimiter { before, after: (line_end + 1).min(body.len()), is_last });
            }
        }
        if line_end >= body.len() {
            return None;
        }
        start = line_end + 1;
    }
}

fn part(body: &Bytes, from: usize, to: usize, number: usize) -> Result<BodyPart, MimeError> {
    let mut part = BodyPart { content_id: String::new(), content_type: "text/plain".to_owned(), content: Bytes::new() };
    let mut start = from;
    let mut lines: Vec<String> = Vec::new();
    loop {
        if start >= to {
            break; // A head without the empty line: a part with nothing in it.
        }
        let end = body[start..to].iter().position(|byte| *byte == b'\n').map_or(to, |at| start + at);
        let line = body[start..end].strip_suffix(b"\r").unwrap_or(&body[start..end]);
        start = (end + 1).min(to);
        if line.is_empty() {
            break;
        }
        let line = std::str::from_utf8(line).map_err(|_| MimeError::Head(number))?;
        if start - from > HEAD_MAX {
            return Err(MimeError::Head(number));
        }
        match lines.last_mut() {
            Some(last) if line.starts_with([' ', '\t']) => last.push_str(line), // folded
            _ => lines.push(line.to_owned()),
        }
    }
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(MimeError::Head(number))?;
        let (name, value) = (name.trim(), value.trim());
        if name.eq_ignore_ascii_case("content-id") {
            part.content_id = bare_id(value).to_owned();
        } else if name.eq_ignore_ascii_case("content-type") {
            part.content_type = value.to_owned();
        } else if name.eq_ignore_ascii_case("content-transfer-encoding") {
            let plain = ["7bit", "8bit", "binary"];
            if !plain.iter().any(|plain| value.eq_ignore_ascii_case(plain)) {
                return Err(MimeError::Encoding(number));
            }
        }
    }
    part.content = body.slice(start.min(to)..to);
    Ok(part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TYPE: &str = r#"Multipart/Related; type="text/xml"; boundary="b;1"; start="<root@x>""#;

    fn body(text: &str) -> Bytes {
        Bytes::from(text.replace('\n', "\r\n"))
    }

    const TWO: &str = "preamble\n--b;1\nContent-ID: <root@x>\nContent-Type: text/xml; charset=UTF-8\n\n<a/>\n--b;1\ncontent-id: <p1@x>\nContent-Type:\n application/octet-stream\n\n\n--b;1x\n\n--b;1--\nepilogue";

    #[test]
    fn parts_are_found_with_their_bytes() {
        let package = open(TYPE, body(TWO)).unwrap();
        assert_eq!(&package.envelope[..], b"<a/>");
        let [payload] = &package.payloads[..] else { panic!("{package:?}") };
        assert_eq!((payload.content_id.as_str(), payload.content_type.as_str()), ("p1@x", "application/octet-stream"));
        assert_eq!(&payload.content[..], b"\r\n--b;1x\r\n", "a longer boundary is content");
        let plain = open("text/xml; charset=UTF-8", Bytes::from_static(b"<a/>")).unwrap();
        assert!(plain.payloads.is_empty());
    }

    #[test]
    fn each_mistake_has_its_name() {
        let refused = |kind: &str, text: &str| open(kind, body(text)).unwrap_err();
        assert_eq!(refused("application/json", ""), MimeError::Type("application/json".to_owned()));
        assert_eq!(refused("multipart/related; type=\"text/xml\"", TWO), MimeError::NoBoundary);
        assert_eq!(refused("multipart/related; boundary=other", TWO), MimeError::Boundary("start"));
        assert_eq!(refused(TYPE, &TWO.replace("--b;1--", "")), MimeError::Boundary("end"));
        assert_eq!(refused(TYPE, "--b;1--"), MimeError::Boundary("part"));
        assert_eq!(refused(TYPE, &TWO.replace("root@x", "other")), MimeError::NoStart("root@x".to_owned()));
        assert_eq!(refused(TYPE, &TWO.replace("text/xml", "text/html")), MimeError::StartType);
        assert_eq!(
            refused(TYPE, &TWO.replace("Content-Type:\n", "Content-Transfer-Encoding: base64\nX:")),
            MimeError::Encoding(2)
        );
        assert_eq!(refused(TYPE, &TWO.replace("content-id: <p1@x>", "nonsense")), MimeError::Head(2));
        let many = format!("{}--b;1--", "--b;1\n\nx\n".repeat(PARTS_MAX + 1));
        assert_eq!(refused(TYPE, &many), MimeError::TooMany);
    }

    proptest! {
        #[test]
        fn any_body_is_taken_apart_or_refused(text in "(--b;1(--)?|\r?\n|Content-ID: <root@x>|[ -~]{0,5}){0,20}") {
            let _ = open(TYPE, Bytes::from(text));
        }

        #[test]
        fn any_content_type_is_read(text in "[ -~é]{0,60}") {
            let _ = open(&format!("multipart/related;{text}"), Bytes::new());
        }

        #[test]
        fn payload_bytes_come_back(content in prop::collection::vec(any::<u8>(), 0..80)) {
            let mut bytes = b"--b;1\r\nContent-ID: <root@x>\r\nContent-Type: text/xml\r\n\r\n<a/>\r\n--b;1\r\nContent-ID: <p>\r\n\r\n".to_vec();
            bytes.extend(&content);
            bytes.extend(b"\r\n--b;1--\r\n");
            let package = open(TYPE, Bytes::from(bytes)).unwrap();
            prop_assert_eq!(&package.payloads[0].content[..], &content[..]);
        }
    }
}
