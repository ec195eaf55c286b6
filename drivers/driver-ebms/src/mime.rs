//! Messages of several parts (`multipart/related`, RFC 2387): written, and taken apart.

/// Parts of one message: a business message has a handful.
const PARTS_MAX: usize = 100;
/// Head of one part.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// RFC 2046, section 5.1.1.
const BOUNDARY_BYTES_MAX: usize = 70;

/// Content id of the envelope.
pub(crate) const ROOT: &str = "envelope@loadproof";

/// Why a body is no message: a few words.
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

/// The envelope in a body of that content type: the body itself, or the part that the message starts with.
pub(crate) fn envelope<'a>(content_type: &[u8], body: &'a [u8]) -> Result<&'a [u8], Unreadable> {
    let content_type = std::str::from_utf8(content_type).map_err(|_| "its content type is no text")?;
    let (kind, _) = content_type.split_once(';').unwrap_or((content_type, ""));
    if !kind.trim().eq_ignore_ascii_case("multipart/related") {
        return Ok(body);
    }
    let boundary = parameter(content_type, "boundary").ok_or("its parts have no boundary")?;
    if boundary.is_empty() || boundary.len() > BOUNDARY_BYTES_MAX {
        return Err("its boundary is empty or longer than 70 bytes");
    }
    let start = parameter(content_type, "start");
    let parts = parts(boundary, body)?;
    let is_start = |(head, _): &&(&[u8], &[u8])| match start {
        Some(start) => field(head, "content-id").is_some_and(|id| bare(id) == bare(start.as_bytes())),
        None => true,
    };
    parts.iter().find(is_start).map(|(_, content)| *content).ok_or("the part that it starts with is not there")
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
fn bare(id: &[u8]) -> &[u8] {
    let id = id.trim_ascii();
    id.strip_prefix(b"<").and_then(|id| id.strip_suffix(b">")).unwrap_or(id)
}

type Parts<'a> = Vec<(&'a [u8], &'a [u8])>;

/// Heads and contents.
fn parts<'a>(boundary: &str, body: &'a [u8]) -> Result<Parts<'a>, Unreadable> {
    let delimiter = format!("--{boundary}");
    let mut found = Vec::new();
    let mut rest = match find(body, delimiter.as_bytes()) {
        Some(at) if at == 0 || body[..at].ends_with(b"\n") => &body[at + delimiter.len()..],
        _ => return Err("its boundary does not stand in it"),
    };
    let delimiter = format!("\r\n--{boundary}");
    while !rest.starts_with(b"--") {
        if found.len() >= PARTS_MAX {
            return Err("it has more than 100 parts");
        }
        let line = find(rest, b"\r\n").ok_or("a part breaks off")?;
        let part = &rest[line..];
        let end = find(part, delimiter.as_bytes()).ok_or("a part has no end")?;
        let head = find(&part[..end], b"\r\n\r\n").filter(|at| *at <= HEAD_BYTES_MAX).ok_or("a part has no head")?;
        found.push((&part[..head], &part[head + 4..end]));
        rest = &part[end + delimiter.len()..];
    }
    Ok(found)
}

/// A field of a part's head.
fn field<'a>(head: &'a [u8], name: &str) -> Option<&'a [u8]> {
    head.split(|&byte| byte == b'\n').find_map(|line| {
        let colon = line.iter().position(|&byte| byte == b':')?;
        line[..colon].trim_ascii().eq_ignore_ascii_case(name.as_bytes()).then(|| line[colon + 1..].trim_ascii())
    })
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
    struct Part<'a> {
        id: &'a str,
        content_type: &'a str,
        content: &'a [u8],
    }

    fn written(parts: &[Part<'_>]) -> Vec<u8> {
        let mut body = Vec::new();
        begin("b", &mut body);
        body.extend_from_slice(b"<a/>");
        for Part { id, content_type, content } in parts {
            part("b", id, content_type, &mut body);
            body.extend_from_slice(content);
        }
        end("b", &mut body);
        body
    }

    #[test]
    fn the_bytes_are_those_of_rfc_2387() {
        let body = written(&[Part { id: "p@x", content_type: "text/plain", content: b"hi" }]);
        let expected = "--b\r\nContent-Type: text/xml; charset=UTF-8\r\nContent-ID: <envelope@loadproof>\r\n\r\n<a/>\r\n\
                        --b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <p@x>\r\n\r\nhi\r\n\
                        --b--\r\n";
        assert_eq!(String::from_utf8(body).unwrap(), expected);
    }

    #[test]
    fn the_part_that_it_starts_with_is_found() {
        let body = b"preamble\r\n--x y\r\nContent-Id: <2>\r\n\r\ntwo\r\n--x y  \r\ncontent-id: <1>\r\nA: b\r\n\r\none\r\n\r\n--x y--\r\nepilogue";
        let with = |rest: &str| envelope(format!("Multipart/Related; boundary=\"x y\"{rest}").as_bytes(), body);
        assert_eq!(with("; start=\"<1>\""), Ok(b"one\r\n".as_slice()));
        assert_eq!(with("; start=1; type=text/xml"), Ok(b"one\r\n".as_slice()));
        assert_eq!(with(""), Ok(b"two".as_slice()));
        assert_eq!(with("; start=\"<3>\""), Err("the part that it starts with is not there"));
        assert_eq!(envelope(b"text/xml; charset=UTF-8", b"<a/>"), Ok(b"<a/>".as_slice()));
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

    proptest! {
        #[test]
        fn what_is_written_is_taken_apart(contents in proptest::collection::vec("[^-]{0,40}", 0..5)) {
            let parts: Vec<_> = contents.iter().map(|it| Part { id: "p", content_type: "a/b", content: it.as_bytes() }).collect();
            let body = written(&parts);
            prop_assert_eq!(envelope(content_type("b").as_bytes(), &body), Ok(b"<a/>".as_slice()));
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
