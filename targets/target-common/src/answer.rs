//! Answers: what they hold, how they end, and their bytes.

use std::sync::Arc;

/// Bytes of the body in one chunk of a chunked answer.
pub const CHUNK_BYTES: usize = 4096;

/// Gives the next piece of a body; `None` at its end.
pub type Pages = Box<dyn FnMut() -> Option<Vec<u8>>>;

/// The body of an answer.
pub enum Body {
    /// The same bytes for many answers; not copied.
    Shared(Arc<[u8]>),
    /// The bytes of one answer.
    Owned(Vec<u8>),
    /// Made while it is sent; always sent in chunks.
    Pages(Pages),
}

/// What happens to the connection when the answer's time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The answer is sent; the connection stays, when the client wants that too.
    KeepAlive,
    /// The answer is sent with `Connection: close`, then the connection is closed.
    Close,
    /// The answer is sent as if the connection stayed, then it is closed: a race for the client's next request.
    CloseUnannounced,
    /// The head and half the body are sent, then the connection is closed.
    Half,
    /// Nothing is sent; the connection is reset (RST).
    Reset,
}

/// What a target answers to one request.
pub struct Answer {
    /// 100 to 599.
    pub status: u16,
    /// Value of the header `Content-Type`.
    pub content_type: &'static str,
    /// What it holds.
    pub body: Body,
    /// Whether the body is sent in chunks of [`CHUNK_BYTES`] instead of with its length.
    pub chunked: bool,
    /// What happens to the connection.
    pub ending: Ending,
}

impl Answer {
    /// An answer that keeps the connection.
    pub fn new(status: u16, content_type: &'static str, body: Body) -> Self {
        Answer { status, content_type, body, chunked: false, ending: Ending::KeepAlive }
    }
}

/// The bytes of an answer, in the order of sending.
pub(crate) struct Rendered {
    /// The head, and the body when it is small or cut into chunks.
    pub(crate) first: Vec<u8>,
    /// The rest, not copied: a shared or owned body and how many of its bytes to send.
    pub(crate) rest: Option<(Body, usize)>,
}

/// Bodies up to this length are copied behind the head, so that one system call sends both.
const SMALL: usize = 16 * 1024;

/// Writes `answer` to bytes. `number` stands in the header `Request-Number`; `head_only` answers `HEAD`.
pub(crate) fn render(answer: Answer, number: Option<u64>, head_only: bool) -> Rendered {
    let chunked = answer.chunked || matches!(answer.body, Body::Pages(_));
    let mut first = head(&answer, number, chunked).into_bytes();
    if head_only {
        return Rendered { first, rest: None };
    }
    let bytes: &[u8] = match &answer.body {
        Body::Shared(bytes) => bytes,
        Body::Owned(bytes) => bytes,
        Body::Pages(_) => return Rendered { first, rest: Some((answer.body, 0)) },
    };
    let is_half = answer.ending == Ending::Half;
    let send = if is_half { bytes.len() / 2 } else { bytes.len() };
    if chunked {
        bytes[..send].chunks(CHUNK_BYTES).for_each(|chunk| push_chunk(&mut first, chunk));
        if !is_half {
            first.extend_from_slice(LAST_CHUNK);
        }
    } else if send <= SMALL {
        first.extend_from_slice(&bytes[..send]);
    } else {
        return Rendered { first, rest: Some((answer.body, send)) };
    }
    Rendered { first, rest: None }
}

/// What ends a body in chunks.
pub(crate) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// Appends one chunk with its size; an empty one is left out, since it would end the body.
pub(crate) fn push_chunk(into: &mut Vec<u8>, chunk: &[u8]) {
    if chunk.is_empty() {
        return;
    }
    into.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
    into.extend_from_slice(chunk);
    into.extend_from_slice(b"\r\n");
}

fn head(answer: &Answer, number: Option<u64>, chunked: bool) -> String {
    use std::fmt::Write as _;
    let mut head = String::with_capacity(160);
    let mut write = |arguments: std::fmt::Arguments<'_>| {
        head.write_fmt(arguments).expect("invariant: writing to a String cannot fail")
    };
    write(format_args!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status)));
    write(format_args!("Content-Type: {}\r\n", answer.content_type));
    match &answer.body {
        _ if chunked => write(format_args!("Transfer-Encoding: chunked\r\n")),
        Body::Shared(bytes) => write(format_args!("Content-Length: {}\r\n", bytes.len())),
        Body::Owned(bytes) => write(format_args!("Content-Length: {}\r\n", bytes.len())),
        Body::Pages(_) => {}
    }
    if let Some(number) = number {
        write(format_args!("Request-Number: {number}\r\n"));
    }
    if answer.ending == Ending::Close {
        write(format_args!("Connection: close\r\n"));
    }
    write(format_args!("\r\n"));
    head
}

/// The bytes of an interim answer, such as `100 Continue`.
pub(crate) fn interim(status: u16) -> Vec<u8> {
    format!("HTTP/1.1 {status} {}\r\n\r\n", reason(status)).into_bytes()
}

/// The reason phrase of a status (RFC 9110, section 15), or a word for its class.
fn reason(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        102 => "Processing",
        103 => "Early Hints",
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        400 => "Bad Request",
        404 => "Not Found",
        408 => "Request Timeout",
        413 => "Content Too Large",
        417 => "Expectation Failed",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => match status / 100 {
            1 => "Interim",
            2 => "Success",
            3 => "Redirection",
            4 => "Client Error",
            _ => "Server Error",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &[u8]) -> Answer {
        Answer::new(200, "text/plain", Body::Shared(body.into()))
    }

    fn text(rendered: &Rendered) -> &str {
        std::str::from_utf8(&rendered.first).unwrap()
    }

    #[test]
    fn a_small_answer_is_one_piece() {
        let rendered = render(answer(b"hello"), Some(7), false);
        assert_eq!(
            text(&rendered),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nRequest-Number: 7\r\n\r\nhello"
        );
        assert!(rendered.rest.is_none());
    }

    #[test]
    fn an_answer_to_head_states_the_length_and_stops() {
        let rendered = render(answer(b"hello"), None, true);
        assert!(text(&rendered).ends_with("Content-Length: 5\r\n\r\n"));
    }

    #[test]
    fn half_an_answer_states_the_whole_length() {
        let rendered = render(Answer { ending: Ending::Half, ..answer(b"hello!") }, None, false);
        assert!(text(&rendered).ends_with("Content-Length: 6\r\n\r\nhel"));
        let rendered = render(Answer { ending: Ending::Half, chunked: true, ..answer(b"hello!") }, None, false);
        assert!(text(&rendered).ends_with("Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n"));
    }

    #[test]
    fn chunks_are_cut_and_ended() {
        let rendered = render(Answer { chunked: true, ..answer(&[b'a'; CHUNK_BYTES + 2]) }, None, false);
        assert!(text(&rendered).contains("\r\n\r\n1000\r\naaa"));
        assert!(text(&rendered).ends_with("a\r\n2\r\naa\r\n0\r\n\r\n"));
    }

    #[test]
    fn a_large_body_is_not_copied() {
        let rendered = render(answer(&vec![0; SMALL + 1]), None, false);
        assert!(matches!(rendered.rest, Some((Body::Shared(_), send)) if send == SMALL + 1));
        assert!(rendered.first.ends_with(b"\r\n\r\n"));
    }
}
