//! Messages of several parts (`multipart/related`, RFC 2387): written, and taken apart.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;

/// Parts of one message: a business message has a handful.
const PARTS_MAX: usize = 100;
/// Head of one part.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// RFC 2046, section 5.1.1.
const BOUNDARY_BYTES_MAX: usize = 70;

/// Content id of the envelope.
pub(crate) const ROOT: &str = "envelope@loadproof";

/// Why a body is not a message: a few words.
pub(crate) type Unreadable = &'static str;

/// The content type of a message with parts.
pub(crate) fn content_type(boundary: &str) -> String {
    format!("multipart/related; type=\"text/xml\"; boundary=\"{boundary}\"; start=\"<{ROOT}>\"")
}

/// Appends the envelope's own part up to its content.
pub(crate) fn begin(boundary: &str, into: &mut Vec<u8>) {
    let head = format!("--{boundary}\r\nContent-Type: text/xml; charset=UTF-8\r\nContent-ID: <{ROOT}>\r\n\r\n");
    into.extend_from_slice(head.as_bytes());
}

/// Appends what stands before a payload's content.
pub(crate) fn part(boundary: &str, id: &str, content_type: &str, into: &mut Vec<u8>) {
    for piece in [
        "\r\n--",
        boundary,
        "\r\nContent-Type: ",
        content_type,
        "\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <",
        id,
        ">\r\n\r\n",
    ] {
        into.extend_from_slice(piece.as_bytes());
    }
}

/// Appends the end.
pub(crate) fn end(boundary: &str, into: &mut Vec<u8>) {
    for piece in ["\r\n--", boundary, "--\r\n"] {
        into.extend_from_slice(piece.as_bytes());
    }
}

/// A message taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Opened<'a> {
    pub(crate) envelope: Cow<'a, [u8]>,
    /// Whatever else came with it.
    pub(crate) parts: Vec<BodyPart<'a>>,
}

/// A part beside the envelope.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BodyPart<'a> {
    /// Its content id, as it stands; empty for none.
    pub(crate) id: &'a [u8],
    /// Its content, as it was before it was encoded for its way.
    pub(crate) content: Cow<'a, [u8]>,
}

/// Takes a body of that content type apart: it is the envelope, or starts with it.
pub(crate) fn open<'a>(content_type: &[u8], body: &'a [u8]) -> Result<Opened<'a>, Unreadable> {
    let content_type = std::str::from_utf8(content_type).map_err(|_| "its content type is not text")?;
    let (kind, _) = content_type.split_once(';').unwrap_or((content_type, ""));
    if !kind.trim().eq_ignore_ascii_case("multipart/related") {
        return Ok(Opened { envelope: Cow::Borrowed(body), parts: Vec::new() });
    }
    let boundary = parameter(content_type, "boundary").ok_or("its parts have no boundary")?;
    if boundary.is_empty() || boundary.len() > BOUNDARY_BYTES_MAX {
        return Err("its boundary is empty or longer than 70 bytes");
    }
    let start = parameter(content_type, "start");
    let mut envelope = None;
    let mut others = Vec::new();
    for (head, content) in parts(boundary, body)? {
        let id = field(head, "content-id").unwrap_or_default();
        let is_start = start.is_none_or(|start| bare(id) == bare(start.as_bytes()));
        let content = unpacked(head, content)?;
        if is_start && envelope.is_none() {
            envelope = Some(content);
        } else {
            others.push(BodyPart { id, content });
        }
    }
    let envelope = envelope.ok_or("the part that it starts with is missing")?;
    Ok(Opened { envelope, parts: others })
}

/// A part's content without its encoding (RFC 2045, section 6).
fn unpacked<'a>(head: &[u8], content: &'a [u8]) -> Result<Cow<'a, [u8]>, Unreadable> {
    let encoding = field(head, "content-transfer-encoding").unwrap_or(b"binary");
    if [b"binary".as_slice(), b"8bit", b"7bit"].iter().any(|plain| plain.eq_ignore_ascii_case(encoding)) {
        return Ok(Cow::Borrowed(content));
    }
    if !encoding.eq_ignore_ascii_case(b"base64") {
        return Err("a part has an encoding other than binary, 8bit, 7bit and base64");
    }
    let packed: Vec<u8> = content.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    STANDARD.decode(packed).map(Cow::Owned).map_err(|_| "a part is not base64, and says so")
}

/// A parameter of a content type, in quotes or not.
fn parameter<'a>(content_type: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = content_type.split_once(';')?.1;
    loop {
        let (key, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => after.split_at(after.find(';').unwrap_or(after.len())),
        };
        if key.trim().trim_start_matches(';').trim().eq_ignore_ascii_case(name) {
            return Some(value.trim());
        }
        rest = next.trim_start().strip_prefix(';')?;
    }
}

/// Without angle brackets.
pub(crate) fn bare(id: &[u8]) -> &[u8] {
    let id = id.trim_ascii();
    id.strip_prefix(b"<").and_then(|id| id.strip_suffix(b">")).unwrap_or(id)
}

type Parts<'a> = Vec<(&'a [u8], &'a [u8])>;

/// Heads and contents.
fn parts<'a>(boundary: &str, body: &'a [u8]) -> Result<Parts<'a>, Unreadable> {
    let first = format!("--{boundary}");
    let mut found = Vec::new();
    let mut rest = match delimiter(body, &first) {
        Some((at, rest)) if at == 0 || body[..at].ends_with(b"\n") => rest,
        _ => return Err("its boundary does not stand in it"),
    };
    let next = format!("\r\n--{boundary}");
    while !rest.starts_with(b"--") {
        if found.len() >= PARTS_MAX {
            return Err("it has more than 100 parts");
        }
        let line = find(rest, b"\r\n").ok_or("a part breaks off")?;
        let part = &rest[line..];
        let (end, after) = delimiter(part, &next).ok_or("a part has no end")?;
        let head = find(&part[..end], b"\r\n\r\n").filter(|at| *at <= HEAD_BYTES_MAX).ok_or("a part has no head")?;
        found.push((&part[..head], &part[head + 4..end]));
        rest = after;
    }
    Ok(found)
}

/// Where a delimiter first stands, and what comes behind it. One that only begins like it belongs to somebody else.
fn delimiter<'a>(bytes: &'a [u8], delimiter: &str) -> Option<(usize, &'a [u8])> {
    let mut from = 0;
    loop {
        let at = from + find(&bytes[from..], delimiter.as_bytes())?;
        let after = &bytes[at + delimiter.len()..];
        let ends = after.trim_ascii_start().len() < after.len() || after.is_empty() || after.starts_with(b"--");
        if ends {
            return Some((at, after));
        }
        from = at + 1;
    }
}

/// A field of a part's head.
fn field<'a>(head: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut rest = head;
    while !rest.is_empty() {
        // A line that begins with white space belongs to the one before it.
        let ends = |at: &usize| rest[*at] == b'\n' && !matches!(rest.get(at + 1), Some(b' ' | b'\t'));
        let end = (0..rest.len()).find(ends).unwrap_or(rest.len());
        let line = &rest[..end];
        if let Some(colon) = line.iter().position(|&byte| byte == b':')
            && line[..colon].trim_ascii().eq_ignore_ascii_case(name.as_bytes())
        {
            return Some(line[colon + 1..].trim_ascii());
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    None
}

/// Where `needle` first stands.
pub(crate) fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    while let Some(at) = bytes.get(from..)?.iter().position(|&byte| byte == first) {
        from += at;
        if bytes[from..].starts_with(needle) {
            return Some(from);
        }
        from += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A payload part that is written.
    struct Sent<'a> {
        id: &'a str,
        content_type: &'a str,
        content: &'a [u8],
    }

    /// The envelope alone.
    fn envelope(content_type: &[u8], body: &[u8]) -> Result<Vec<u8>, Unreadable> {
        open(content_type, body).map(|opened| opened.envelope.into_owned())
    }

    fn written(parts: &[Sent<'_>]) -> Vec<u8> {
        let mut body = Vec::new();
        begin("b", &mut body);
        body.extend_from_slice(b"<a/>");
        for Sent { id, content_type, content } in parts {
            part("b", id, content_type, &mut body);
            body.extend_from_slice(content);
        }
        end("b", &mut body);
        body
    }

    #[test]
    fn the_bytes_are_those_of_rfc_2387() {
        let body = written(&[Sent { id: "p@x", content_type: "text/plain", content: b"hi" }]);
        let expected = "--b\r\nContent-Type: text/xml; charset=UTF-8\r\nContent-ID: <envelope@loadproof>\r\n\r\n<a/>\r\n\
                        --b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <p@x>\r\n\r\nhi\r\n\
                        --b--\r\n";
        assert_eq!(String::from_utf8(body).unwrap(), expected);
    }

    #[test]
    fn the_part_that_it_starts_with_is_found() {
        let body = b"preamble\r\n--x y\r\nContent-Id: <2>\r\n\r\ntwo\r\n--x y  \r\ncontent-id: <1>\r\nA: b\r\n\r\none\r\n\r\n--x y--\r\nepilogue";
        let with = |rest: &str| envelope(format!("Multipart/Related; boundary=\"x y\"{rest}").as_bytes(), body);
        assert_eq!(with("; start=\"<1>\""), Ok(b"one\r\n".to_vec()));
        assert_eq!(with("; start=1; type=text/xml"), Ok(b"one\r\n".to_vec()));
        assert_eq!(with(""), Ok(b"two".to_vec()));
        assert_eq!(with("; start=\"<3>\""), Err("the part that it starts with is missing"));
        assert_eq!(envelope(b"text/xml; charset=UTF-8", b"<a/>"), Ok(b"<a/>".to_vec()));
    }

    #[test]
    fn what_is_no_multipart_is_refused() {
        for (content_type, body, part) in [
            ("multipart/related", "--b\r\n\r\n\r\n--b--", "no boundary"),
            ("multipart/related; boundary=", "--\r\n\r\n\r\n----", "empty"),
            ("multipart/related; boundary=c", "--b\r\n\r\n\r\n--b--", "does not stand in it"),
            ("multipart/related; boundary=b", "--b\r\n\r\nhalf", "no end"),
            ("multipart/related; boundary=b", "--b\r\nno head\r\n--b--", "no head"),
            ("multipart/related; boundary=b", "--b", "breaks off"),
        ] {
            let found = envelope(content_type.as_bytes(), body.as_bytes()).unwrap_err();
            assert!(found.contains(part), "{content_type}: {found}");
        }
        let many = "--b\r\n\r\n\r\n".repeat(200) + "--b--";
        assert!(envelope(b"multipart/related; boundary=b", many.as_bytes()).is_err());
    }

    #[test]
    fn another_writer_s_forms_are_read() {
        // Parameters in another order and more of them, a boundary with signs that need quotes and that another one
        // begins with, a folded field, an encoded part, no preamble.
        let content_type =
            b"multipart/related; boundary=\"-=1-2=-\"; type=\"text/xml\"; start=\"<a@b>\"; start-info=\"text/xml\"";
        let body = b"---=1-2=-\r\nContent-Type: text/xml; charset=UTF-8\r\nContent-ID:\r\n <a@b>\r\n\r\n<a/>\r\n---=1-2=-\r\n\
                     Content-ID: <p>\r\nContent-Disposition: attachment; filename=\"x\"\r\n\r\n\r\n---=1-2=-more\r\n\r\n---=1-2=-\r\n\
                     CONTENT-TRANSFER-ENCODING: Base64\r\nContent-ID: <q>\r\n\r\naGVs\r\nbG8=\r\n---=1-2=---\r\n";
        let opened = open(content_type, body).unwrap();
        assert_eq!(opened.envelope.as_ref(), b"<a/>");
        let parts: Vec<_> = opened.parts.iter().map(|part| (bare(part.id), part.content.as_ref())).collect();
        assert_eq!(parts, [(b"p".as_slice(), b"\r\n---=1-2=-more\r\n".as_slice()), (b"q", b"hello")]);
        let quoted = String::from_utf8(body.to_vec()).unwrap().replace("Base64", "quoted-printable");
        assert!(open(content_type, quoted.as_bytes()).unwrap_err().contains("encoding other than"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_taken_apart(contents in proptest::collection::vec("[^-]{0,40}", 0..5)) {
            let parts: Vec<_> = contents.iter().map(|it| Sent { id: "p", content_type: "a/b", content: it.as_bytes() }).collect();
            let body = written(&parts);
            prop_assert_eq!(envelope(content_type("b").as_bytes(), &body), Ok(b"<a/>".to_vec()));
            let found = super::parts("b", &body).unwrap();
            prop_assert_eq!(found.len(), contents.len() + 1);
            for (part, content) in found[1..].iter().zip(&contents) {
                prop_assert_eq!(part.1, content.as_bytes());
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(content_type in "multipart/related[;= a-z\"]{0,30}", body in "[-b\r\n: <>]{0,60}") {
            let _ = envelope(content_type.as_bytes(), body.as_bytes());
            let _ = envelope(b"multipart/related; boundary=b", body.as_bytes());
        }
    }
}
