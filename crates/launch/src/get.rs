//! One bounded HTTP GET, to ask for readiness and identity.

use crate::url::Url;
use clock::Clock;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use terms::Nanos;

/// Bytes of an answer that are read at most, head included. An identity is a small JSON object.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Time for one question, connecting included.
pub(crate) const PATIENCE: Nanos = Nanos::from_secs(2);

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Status, 100 to 999.
    pub(crate) status: u16,
    /// Body, chunks joined.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// Whether the status is 2xx.
    pub(crate) fn is_success(&self) -> bool {
        self.status / 100 == 2
    }
}

/// Asks once, on a connection of its own, following nothing and retrying nothing.
///
/// # Errors
/// One sentence: refused, no answer within [`PATIENCE`], too long, or no HTTP.
pub(crate) fn get(url: &Url, clock: &Clock) -> Result<Answer, String> {
    let deadline = clock.now() + PATIENCE;
    let mut stream = connect(url, clock, deadline)?;
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: {}\r\nAccept: application/json\r\nUser-Agent: loadproof\r\nConnection: close\r\n\r\n",
        url.path,
        url.authority()
    );
    let failed = |error: std::io::Error| format!("no answer: {error}");
    stream.set_write_timeout(Some(left(clock, deadline)?)).map_err(failed)?;
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut bytes = Vec::new();
    let mut piece = [0u8; 4096];
    loop {
        stream.set_read_timeout(Some(left(clock, deadline)?)).map_err(failed)?;
        let count = match stream.read(&mut piece) {
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) if is_timeout(&error) => return Err(no_answer()),
            Err(error) => return Err(failed(error)),
        };
        bytes.extend_from_slice(&piece[..count]);
        if bytes.len() > ANSWER_BYTES_MAX {
            return Err(format!("the answer is longer than {ANSWER_BYTES_MAX} bytes"));
        }
        if let Some(answer) = parse(&bytes, count == 0)? {
            return Ok(answer);
        }
    }
}

fn connect(url: &Url, clock: &Clock, deadline: Nanos) -> Result<TcpStream, String> {
    let addresses = (url.host.as_str(), url.port)
        .to_socket_addrs()
        .map_err(|error| format!("the host `{}` is not known: {error}", url.host))?;
    let mut failure = format!("the host `{}` has no address", url.host);
    for address in addresses {
        match TcpStream::connect_timeout(&address, left(clock, deadline)?) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = format!("no connection: {error}"),
        }
    }
    Err(failure)
}

/// Time left; a time-out of zero would mean none at all to the system.
fn left(clock: &Clock, deadline: Nanos) -> Result<std::time::Duration, String> {
    let left = deadline - clock.now();
    if left > Nanos::ZERO { Ok(left.to_std()) } else { Err(no_answer()) }
}

fn no_answer() -> String {
    format!("no whole answer within {PATIENCE}")
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}

/// The answer, once it is whole; `None` while more must come.
fn parse(bytes: &[u8], is_end: bool) -> Result<Option<Answer>, String> {
    let Some(head_end) = find(bytes, b"\r\n\r\n") else {
        return if is_end { Err("the answer is no HTTP, or ends within its head".to_owned()) } else { Ok(None) };
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]);
    let mut lines = head.split("\r\n");
    let status = status(lines.next().unwrap_or_default())?;
    let header = |name: &str| {
        lines.clone().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim().eq_ignore_ascii_case(name))
    };
    let body = &bytes[head_end + 4..];
    let whole = |body: &[u8]| Ok(Some(Answer { status, body: body.to_vec() }));
    if status == 204 || status == 304 {
        return whole(&[]);
    }
    if header("transfer-encoding").is_some_and(|(_, value)| value.to_ascii_lowercase().contains("chunked")) {
        return match join_chunks(body)? {
            Some(body) => whole(&body),
            None if is_end => Err("the answer ends within its body".to_owned()),
            None => Ok(None),
        };
    }
    match header("content-length") {
        Some((_, length)) => {
            let length: usize = length.trim().parse().map_err(|_| "the answer's length is no number".to_owned())?;
            match body.get(..length) {
                Some(body) => whole(body),
                None if is_end => Err("the answer ends within its body".to_owned()),
                None => Ok(None),
            }
        }
        None if is_end => whole(body),
        None => Ok(None),
    }
}

/// The code of `HTTP/1.1 200 OK`.
fn status(line: &str) -> Result<u16, String> {
    let code = line.strip_prefix("HTTP/1.").and_then(|rest| rest.split(' ').nth(1));
    code.and_then(|code| code.parse().ok())
        .filter(|code| (100..1000).contains(code))
        .ok_or_else(|| format!("the answer is no HTTP: it begins with `{}`", crate::log::printable(line)))
}

/// The joined chunks, once the last has come (RFC 9112, section 7.1); trailers are not read.
fn join_chunks(mut rest: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let mut body = Vec::new();
    loop {
        let Some(line_end) = find(rest, b"\r\n") else { return Ok(None) };
        let line = String::from_utf8_lossy(&rest[..line_end]);
        let digits = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16).map_err(|_| "a chunk of the answer has no size".to_owned())?;
        if size == 0 {
            return Ok(Some(body));
        }
        if size > ANSWER_BYTES_MAX {
            return Err(format!("the answer is longer than {ANSWER_BYTES_MAX} bytes"));
        }
        let Some(chunk) = rest.get(line_end + 2..line_end + 2 + size) else { return Ok(None) };
        body.extend_from_slice(chunk);
        rest = rest.get(line_end + 2 + size + 2..).unwrap_or_default();
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(text: &str) -> Answer {
        parse(text.as_bytes(), true).unwrap().unwrap()
    }

    #[test]
    fn bodies_by_length_by_chunks_and_to_the_end() {
        assert_eq!(whole("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokmore").body, b"ok");
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n";
        assert_eq!(whole(chunked).body, b"ok0123456789");
        assert_eq!(whole("HTTP/1.0 503 Busy\r\n\r\nlater").status, 503);
        assert_eq!(whole("HTTP/1.1 204 \r\n\r\n").body, b"");
        let open = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok";
        assert_eq!(parse(open.as_bytes(), false), Ok(None));
        assert!(parse(open.as_bytes(), true).unwrap_err().contains("within its body"));
        assert!(parse(b"SSH-2.0-OpenSSH\r\n\r\n", false).unwrap_err().contains("no HTTP"));
        assert!(parse(b"", true).is_err());
    }

    #[test]
    fn an_answer_without_end_is_cut_off() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            while stream.write_all(&[b'x'; 4096]).is_ok() {}
        });
        let url = Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
        assert!(get(&url, &Clock::system()).unwrap_err().contains("longer than"));
        server.join().unwrap();
        assert!(get(&url, &Clock::system()).unwrap_err().contains("no connection"));
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), is_end: bool) {
            let _ = parse(&bytes, is_end);
            let _ = parse(&[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".as_slice(), &bytes].concat(), is_end);
        }

        #[test]
        fn a_part_of_an_answer_is_never_taken_for_the_whole(cut in 0usize..76) {
            let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
            let found = parse(&text.as_bytes()[..cut.min(text.len())], false).unwrap();
            prop_assert!(found.is_none_or(|answer| answer.body == b"hello world"));
        }
    }
}
