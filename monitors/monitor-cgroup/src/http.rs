//! One GET over a unix socket: HTTP/1.1 with a length or in chunks, bounded in time and size.

use clock::Clock;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use terms::Nanos;

/// Longest head of an answer.
const HEAD_MAX: usize = 16 * 1024;
/// Longest body: figures of a container are some kilobytes.
const BODY_MAX: usize = 1024 * 1024;
const HEADERS_MAX: usize = 64;

/// Status and body of an answer.
///
/// # Errors
/// What went wrong, as the end of a sentence that begins with the socket.
pub(crate) fn get(socket: &Path, path: &str, patience: Nanos, clock: &Clock) -> Result<(u16, Vec<u8>), String> {
    let until = clock.now() + patience;
    let cannot = |error: std::io::Error| format!("cannot be asked: {error}");
    let mut stream = UnixStream::connect(socket).map_err(cannot)?;
    stream.set_write_timeout(Some(patience.max(Nanos::MILLISECOND).to_std())).map_err(cannot)?;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: docker\r\nAccept: application/json\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(cannot)?;
    let mut answer = Vec::new();
    let mut chunk = [0; 8192];
    loop {
        if let Some(done) = parsed(&answer, false)? {
            return Ok(done);
        }
        let left = until - clock.now();
        if left <= Nanos::ZERO {
            return Err("does not answer in time".to_owned());
        }
        stream.set_read_timeout(Some(left.max(Nanos::MILLISECOND).to_std())).map_err(cannot)?;
        match stream.read(&mut chunk) {
            Ok(0) => return parsed(&answer, true)?.ok_or_else(|| "ends in the middle of an answer".to_owned()),
            // Chunks may be a byte each, with as much around them.
            Ok(count) if answer.len() + count > HEAD_MAX + 2 * BODY_MAX => {
                return Err(format!("answers with more than {BODY_MAX} bytes"));
            }
            Ok(count) => answer.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                return Err("does not answer in time".to_owned());
            }
            Err(error) => return Err(cannot(error)),
        }
    }
}

/// Status and body of what has come; `None` while there is more to come.
///
/// # Errors
/// What is wrong with it, or that it is too long.
pub(crate) fn parsed(answer: &[u8], is_over: bool) -> Result<Option<(u16, Vec<u8>)>, String> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut head = httparse::Response::new(&mut headers);
    let malformed = || "answers with something that is not HTTP".to_owned();
    let length = match head.parse(&answer[..answer.len().min(HEAD_MAX)]).map_err(|_| malformed())? {
        httparse::Status::Complete(length) => length,
        httparse::Status::Partial if answer.len() >= HEAD_MAX => return Err("answers with too long a head".to_owned()),
        httparse::Status::Partial => return Ok(None),
    };
    let header = |name: &str| {
        let found = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(found.value).ok().map(str::trim)
    };
    let status = head.code.ok_or_else(malformed)?;
    let body = &answer[length..];
    let too_long = || format!("answers with more than {BODY_MAX} bytes");
    if header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        return Ok(chunks(body)?.map(|body| (status, body)));
    }
    match header("content-length") {
        Some(text) => {
            let length: usize = text.parse().map_err(|_| malformed())?;
            if length > BODY_MAX {
                return Err(too_long());
            }
            Ok(body.get(..length).map(|body| (status, body.to_vec())))
        }
        None if body.len() > BODY_MAX => Err(too_long()),
        None => Ok(is_over.then(|| (status, body.to_vec()))),
    }
}

/// A body in chunks (RFC 9112, section 7.1); `None` while its end has not come.
fn chunks(mut rest: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let mut body = Vec::new();
    loop {
        let (after, size) = match httparse::parse_chunk_size(rest) {
            Ok(httparse::Status::Complete(found)) => found,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => return Err("answers in chunks that cannot be read".to_owned()),
        };
        let size = usize::try_from(size).ok().filter(|size| *size <= BODY_MAX - body.len());
        let size = size.ok_or_else(|| format!("answers with more than {BODY_MAX} bytes"))?;
        rest = &rest[after..];
        if size == 0 {
            return Ok(Some(body));
        }
        let Some(chunk) = rest.get(..size) else { return Ok(None) };
        body.extend_from_slice(chunk);
        rest = match rest[size..].strip_prefix(b"\r\n") {
            Some(rest) => rest,
            None if rest.len() < size + 2 => return Ok(None),
            None => return Err("answers in chunks that cannot be read".to_owned()),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn answers_with_a_length_in_chunks_and_until_the_end() {
        let ok = |body: &str| Ok(Some((200, body.as_bytes().to_vec())));
        let length = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}more";
        assert_eq!(parsed(length.as_bytes(), false), ok("{}"));
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\n\r\n";
        assert_eq!(parsed(chunked.as_bytes(), false), ok("{}"));
        let open = "HTTP/1.0 200 OK\r\n\r\n{}";
        assert_eq!((parsed(open.as_bytes(), false), parsed(open.as_bytes(), true)), (Ok(None), ok("{}")));
        for end in 0..chunked.len() - 5 {
            assert_eq!(parsed(&chunked.as_bytes()[..end], false), Ok(None), "{end}");
        }
    }

    #[test]
    fn what_is_too_long_or_no_http_is_refused() {
        for (text, part) in [
            ("SSH-2.0-OpenSSH\r\n\r\n", "not HTTP"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n", "more than"),
            ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "not HTTP"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n", "more than"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "chunks"),
        ] {
            let why = parsed(text.as_bytes(), false).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
        let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(HEAD_MAX));
        assert!(parsed(long.as_bytes(), false).unwrap_err().contains("too long a head"));
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(head in "(HTTP/1.1 200 OK\r\n)?(Transfer-Encoding: chunked\r\n)?(Content-Length: [0-9]{1,9}\r\n)?(\r\n)?", body in prop::collection::vec(any::<u8>(), 0..60)) {
            let answer = [head.as_bytes(), &body].concat();
            for is_over in [false, true] {
                if let Ok(Some((_, body))) = parsed(&answer, is_over) {
                    prop_assert!(body.len() <= answer.len());
                }
            }
        }
    }
}
