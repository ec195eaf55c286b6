//! For the fuzz target alone: an answer of a receiver, with what must hold of what becomes of it.

use crate::address::{Format, Push, Token};
use crate::post::{Answer, Posted, Poster, SHOWN_MAX, WAIT_MAX};
use clock::Clock;
use scrub::KeptOut;

const TOKEN: &str = "hunter2-hunter2";

/// A line with the format that was sent, the status, and what the answer says in `Retry-After`; the rest is the body. Whatever
/// it is, what is reported about it is one short line without the token, and nobody is waited for longer than is allowed.
pub fn answer(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (line, body) = (String::from_utf8_lossy(&bytes[..end]).into_owned(), bytes.get(end + 1..).unwrap_or_default());
    let mut words = line.splitn(3, ' ');
    let format = match words.next() {
        Some("influx") => Format::Influx,
        Some("prometheus") => Format::RemoteWrite,
        _ => Format::Otlp,
    };
    let status = words.next().and_then(|word| word.parse().ok()).unwrap_or(200);
    let retry_after = words.next().map(|text| text.as_bytes().to_vec());
    let push = Push {
        format,
        is_tls: false,
        host: "lab".to_owned(),
        port: 1,
        authority: "lab:1".to_owned(),
        target: "/".to_owned(),
        token: Some(Token(TOKEN.to_owned())),
        ca: None,
    };
    let poster = Poster::new(push, KeptOut::default(), Clock::simulated());
    let said = match poster.judged(&Answer { status, body: body.to_vec(), retry_after }) {
        Posted::Taken(None) => return assert!((200..300).contains(&status)),
        Posted::Taken(Some((count, why))) => {
            assert!(count > 0 && format == Format::Otlp && (200..300).contains(&status));
            why
        }
        Posted::NotNow(why, after) => {
            assert!(after.is_none_or(|after| (terms::Nanos::ZERO..=WAIT_MAX).contains(&after)));
            why
        }
        Posted::Refused(why) => why,
    };
    assert!(!said.contains(TOKEN), "{said}");
    assert!(said.chars().count() <= SHOWN_MAX + 200 && !said.chars().any(char::is_control), "{said}");
}
