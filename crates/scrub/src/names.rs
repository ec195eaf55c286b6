//! What is named like a credential, and passwords in addresses: kept out whatever the value.

use super::ends::{VALUE_MAX, header_end, until};
use super::fields;
use super::place_in_text;
use super::schemes;
use super::views::View;
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Words in names of headers, fields and variables that hold credentials; names are compared without `-`, `_` and `.`.
const WORDS: [&str; 17] = [
    "authorization",
    "cookie",
    "apikey",
    "token",
    "secret",
    "passw",
    "passphrase",
    "pwd",
    "credential",
    "signature",
    "session",
    "privatekey",
    "accesskey",
    "authkey",
    "jwt",
    "csrf",
    "xsrf",
];
/// Names that are such a word as a whole, and part of many others.
const WHOLE: [&str; 5] = ["sid", "pw", "pass", "dbpass", "otp"];
/// Names that hold such a word and say something about a credential, not the credential.
const ABOUT: [&str; 16] = [
    "type",
    "url",
    "uri",
    "endpoint",
    "expires",
    "expiresin",
    "expiry",
    "method",
    "algorithm",
    "policy",
    "count",
    "size",
    "timeout",
    "ttl",
    "limit",
    "sessions",
];
/// The words as they may be written, for a first look.
static SEEN: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i-u)authorization|cookie|api[-_.]?key|token|secret|passw|pass[-_.]?phrase|pwd|credential|signature|session|private[-_.]?key|access[-_.]?key|auth[-_.]?key|jwt|[cx]srf";
    Regex::new(pattern).expect("a pattern that is tested")
});
/// `scheme://user:password@`.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?-u)([A-Za-z][A-Za-z0-9+.-]{0,30})://([^/\s?#"'<>`]{1,4096})@"#).expect("a pattern that is tested")
});

/// Longest name that is looked at.
const NAME_MAX: usize = 80;
/// Blanks and attributes between a name and its value.
const BETWEEN_MAX: usize = 256;
/// Options of commands that name where a password comes from, or that there is none.
const NO_VALUE: [&str; 8] = ["file", "path", "dir", "stdin", "prompt", "env", "fd", "name"];

/// Whether a header, field or variable of this name holds a credential: `Authorization`, `x-api-key`, `access_token`.
pub fn is_credential(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect();
    let has_word = WORDS.iter().any(|word| plain.contains(word)) || WHOLE.contains(&plain.as_str());
    has_word && !ABOUT.iter().any(|about| plain.ends_with(about))
}

/// Whether a text, such as a JSONPath, mentions a name of that kind.
pub fn mentions_credential(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c))
        .any(|word| word.split('.').any(is_credential))
}

/// Makes the patterns, which takes milliseconds and some megabytes once.
pub(super) fn prepare() {
    let _ = written_in("authorization: basic x, a://b:c@d");
}

/// Where in a text, such as a command or a URL, a credential is written out.
pub fn written_in(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    find(&View::root(text.as_bytes()), &mut found);
    found.retain(|range| text.get(range.clone()).is_some());
    found
}

/// Where in a text a password stands in an address, in order.
pub fn passwords_in(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    find_in_addresses(&View::root(text.as_bytes()), &mut found);
    found.retain(|range| text.get(range.clone()).is_some());
    found
}

/// Adds what stands under such names in a view, and what [`find_in_addresses`] finds.
pub(super) fn find(view: &View, found: &mut Vec<Range<usize>>) {
    let (bytes, mut done) = (view.bytes(), 0);
    for word in SEEN.find_iter(bytes) {
        if word.start() < done {
            continue;
        }
        let name = name_around(bytes, word.range());
        done = name.end;
        if !std::str::from_utf8(&bytes[name.clone()]).is_ok_and(is_credential) {
            continue;
        }
        if let Some(value) = value_of(bytes, &name) {
            done = done.max(value.end);
            found.push(place_in_text(view, value));
        }
    }
    found.extend(schemes::find(bytes).map(|value| place_in_text(view, value)));
    find_in_addresses(view, found);
}

/// Adds passwords in addresses: `postgres://lab:…@host`; of web addresses all before the `@`, since a token stands for
/// a user there.
pub(super) fn find_in_addresses(view: &View, found: &mut Vec<Range<usize>>) {
    for address in ADDRESS.captures_iter(view.bytes()) {
        let (Some(scheme), Some(user)) = (address.get(1), address.get(2)) else { continue };
        let is_web = [&b"http"[..], b"https", b"ws", b"wss", b"ftp"]
            .iter()
            .any(|web| scheme.as_bytes().eq_ignore_ascii_case(web));
        let password = user.as_bytes().iter().position(|byte| *byte == b':').map(|at| user.start() + at + 1);
        let Some(from) = (if is_web { Some(user.start()) } else { password }) else { continue };
        // `$(secret.X)` is a name.
        let written = &view.bytes()[password.unwrap_or(from)..user.end()];
        if from < user.end() && !written.is_empty() && !written.starts_with(b"$(") && !is_kept_out(written) {
            found.push(place_in_text(view, from..user.end()));
        }
    }
}

/// The whole name that a word is part of.
fn name_around(bytes: &[u8], word: Range<usize>) -> Range<usize> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_.".contains(*byte);
    let before = bytes[..word.start].iter().rev().take(NAME_MAX).take_while(is_name).count();
    let after = bytes[word.end..].iter().take(NAME_MAX).take_while(is_name).count();
    word.start - before..word.end + after
}

/// Where the value of a name stands: `name: value`, `name=value`, `"name": "value"`, `["name", "value"]`,
/// `"name": "x", "value": "y"`, `<name>value<`, `<input name="name" value="value">`.
fn value_of(bytes: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    if let Some(value) = value_of_element(bytes, name) {
        return Some(value);
    }
    if let Some(value) = fields::value_of(bytes, name) {
        return (!says_nothing(&bytes[value.clone()])).then_some(value);
    }
    let quote = |at: usize| bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let is_quoted = quote(name.end).is_some();
    if let Some(value) = value_of_option(bytes, name) {
        return Some(value);
    }
    let mut at = blanks(bytes, name.end + usize::from(is_quoted));
    match (bytes.get(at)?, bytes.get(at + 1)) {
        // `secret::name` is a path, `token://` an address.
        (b':', Some(b':')) => return None,
        (b':', Some(b'/')) if bytes.get(at + 2) == Some(&b'/') => return None,
        (b'=', Some(b'>')) | (b':', Some(b'=')) => at += 2,
        (b'=', Some(b'=')) => return None,
        (b':' | b'=', _) => at += 1,
        (b',', _) if is_quoted => {
            at = blanks(bytes, at + 1);
            // As HAR has it: the name is a value itself.
            if bytes[at..].starts_with(b"\"value\"") {
                at = blanks(bytes, at + 7);
                at += usize::from(bytes.get(at) == Some(&b':'));
            }
            quote(blanks(bytes, at))?;
        }
        _ => return None,
    }
    at = blanks(bytes, at);
    if bytes.get(at..).is_some_and(is_kept_out) {
        return None;
    }
    let end = match bytes.get(at)? {
        b'[' | b'(' => {
            let close = if bytes[at] == b'[' { b']' } else { b')' };
            at += 1;
            until(bytes, at, |byte| byte == close || byte == b'\n')
        }
        open @ (b'"' | b'\'') => {
            let open = *open;
            at += 1;
            closing_quote(bytes, at, open)
        }
        _ if is_line_start(bytes, name.start) || takes_blanks(&bytes[name.clone()]) => header_end(bytes, at),
        _ => until(bytes, at, |byte| byte.is_ascii_whitespace() || b",;&\"'<>)}]|`\0".contains(&byte)),
    };
    let value = at..trimmed(bytes, at, end);
    (!says_nothing(&bytes[value.clone()])).then_some(value)
}

/// `--name value`, as command lines have it.
fn value_of_option(bytes: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let plain = bytes[name.clone()].to_ascii_lowercase();
    let at = blanks(bytes, name.end);
    let is_option = plain.starts_with(b"-") && !NO_VALUE.iter().any(|no| plain.ends_with(no.as_bytes()));
    // What follows is the next option, a word of a usage text, or an operator.
    let is_value = |byte: &u8| !b"-<[|=:>".contains(byte) && !byte.is_ascii_whitespace();
    if !is_option
        || at == name.end
        || plain.starts_with(b"--no-")
        || !bytes.get(at).is_some_and(is_value)
        || is_kept_out(&bytes[at..])
    {
        return None;
    }
    let value = match bytes[at] {
        open @ (b'"' | b'\'') => at + 1..closing_quote(bytes, at + 1, open),
        _ => at..until(bytes, at, |byte| byte.is_ascii_whitespace() || b"\"'`\0".contains(&byte)),
    };
    (!says_nothing(&bytes[value.clone()])).then_some(value)
}

/// `<name attributes>value<`, with or without a prefix before the name.
fn value_of_element(bytes: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(*byte);
    let before = bytes[..name.start].iter().rev().take(NAME_MAX).take_while(is_part).count();
    let opens = name.start.checked_sub(before + 1)?;
    let after = bytes.get(name.end)?;
    if bytes[opens] != b'<' || !(after.is_ascii_whitespace() || *after == b'>') {
        return None;
    }
    let from = until(&bytes[..bytes.len().min(name.end + BETWEEN_MAX)], name.end, |byte| byte == b'>') + 1;
    if bytes.get(from - 2) == Some(&b'/') {
        return None;
    }
    let end = until(bytes, from, |byte| byte == b'<');
    (from < end && !says_nothing(&bytes[from..end])).then_some(from..end)
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take(BETWEEN_MAX).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The quotation mark that closes what begins at a place; one behind a backslash does not.
fn closing_quote(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut end = at;
    while end < bytes.len() && end - at < VALUE_MAX && bytes[end] != quote {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    end.min(bytes.len())
}

fn trimmed(bytes: &[u8], at: usize, end: usize) -> usize {
    at + bytes[at..end].trim_ascii_end().len()
}

fn is_line_start(bytes: &[u8], at: usize) -> bool {
    at == 0 || matches!(bytes[at - 1], b'\n' | b'\r')
}

/// Headers whose values have blanks in them.
fn takes_blanks(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(b"authorization") || name.ends_with(b"cookie")
}

/// Whether there is no value, or only the name of one.
fn says_nothing(value: &[u8]) -> bool {
    let words: [&[u8]; 6] = [b"", b"null", b"none", b"true", b"false", b"nil"];
    let value = value.trim_ascii();
    let bare = [&b"Bearer "[..], b"Basic "].iter().find_map(|scheme| value.strip_prefix(*scheme)).unwrap_or(value);
    words.iter().any(|word| value.eq_ignore_ascii_case(word)) || bare.starts_with(b"$(") || is_kept_out(bare)
}

fn is_kept_out(value: &[u8]) -> bool {
    value.starts_with(super::MARK.as_bytes())
}
