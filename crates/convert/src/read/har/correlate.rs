//! Values of an answer that are sent later: they become captures.

use super::Call;
use crate::build::Build;
use crate::draft::Capture;
use crate::finish::each_text;
use crate::text::literal;
use crate::value::Value;
use crate::{json, names, urls};

/// An answer longer than this is not looked into.
const ANSWER_MAX: usize = 2 * 1024 * 1024;
/// Values of one answer, and of all.
const VALUES_MAX: usize = 400;
/// Captures of one study that are proposed.
const CAPTURES_MAX: usize = 60;

/// A value of an answer: what it is called, where it is, and the value.
struct Found {
    name: String,
    from: String,
    value: String,
}

/// Looks into the answer of each call for values that only later calls send.
pub(super) fn correlate(entries: &[&Value], calls: &[Call], build: &mut Build<'_>) {
    let mut proposed = 0;
    for (number, call) in calls.iter().enumerate() {
        let Some(content) = entries[call.answer].at(&["response", "content"]) else { continue };
        let text = answer(content);
        if text.is_empty() || text.len() > ANSWER_MAX {
            continue;
        }
        for found in values(&text) {
            if proposed >= CAPTURES_MAX {
                return;
            }
            // What was sent before it was answered comes from somewhere else.
            let is_known = calls[..=number].iter().any(|earlier| sent(entries[earlier.entry]).contains(&found.value));
            let later: Vec<&Call> =
                calls[number + 1..].iter().filter(|later| sends(&sent(entries[later.entry]), &found.value)).collect();
            // The same exchange stands for several calls; one that sends the value and answers it cannot wait for itself.
            if is_known || later.is_empty() || later.iter().any(|later| later.name == call.name) {
                continue;
            }
            let mut name = String::new();
            for call in &later {
                name = replace(build, &call.name, &found, name);
            }
            if name.is_empty() {
                continue;
            }
            proposed += 1;
            let capture = Capture { name: name.clone(), from: found.from.clone(), pick: None, optional: false };
            if let Some(exchange) = build.taken(&call.name) {
                exchange.captures.push(capture);
            }
            let users: Vec<&str> = later.iter().map(|call| call.name.as_str()).take(3).collect();
            build.place = format!("exchange {}", call.name);
            build.lose(
                format!(
                    "a value of an answer that {} sends again: captured as `{name}`, {}",
                    users.join(", "),
                    found.from
                ),
                "the recording does not say that the two belong together; it is a proposal",
                "look at the captures, and take out what only happens to be the same",
            );
        }
    }
    build.place = String::new();
}

fn answer(content: &Value) -> String {
    let text = content.text_of("text");
    if content.text_of("encoding") == "base64" {
        return urls::from_base64(text).and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    }
    text.to_owned()
}

/// All that a request says: its address, headers and body, as they were recorded.
fn sent(entry: &Value) -> String {
    let Some(request) = entry.get("request") else { return String::new() };
    let mut text = urls::decoded(request.text_of("url"), true);
    for header in request.get("headers").map_or(&[][..], Value::list) {
        if !header.text_of("name").eq_ignore_ascii_case("cookie") {
            text.push('\n');
            text += header.text_of("value");
        }
    }
    text.push('\n');
    text += request.at(&["postData", "text"]).and_then(Value::text).unwrap_or_default();
    text.push('\n');
    text += &urls::decoded(request.at(&["postData", "text"]).and_then(Value::text).unwrap_or_default(), true);
    for param in request.at(&["postData", "params"]).map_or(&[][..], Value::list) {
        text.push('\n');
        text += param.text_of("value");
    }
    text
}

/// Whether a text has the value as a word of its own.
fn sends(text: &str, value: &str) -> bool {
    positions(text, value).next().is_some()
}

fn positions<'a>(text: &'a str, value: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    text.match_indices(value).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + value.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Puts the capture in place of the value in an exchange; its name, made when the first place is found.
fn replace(build: &mut Build<'_>, exchange_name: &str, found: &Found, name: String) -> String {
    let Some(at) = build.draft.exchanges.iter().position(|exchange| exchange.name == exchange_name) else {
        return name;
    };
    let mut exchange = build.draft.exchanges[at].clone();
    let value = literal(&found.value);
    // What looks like a credential became a secret; now its origin is known.
    let secrets = build.secrets_of(&value);
    let mut is_there = false;
    each_text(&mut exchange, &mut [], &mut |text| {
        is_there |=
            positions(text, &value).next().is_some() || secrets.iter().any(|secret| text.contains(secret.as_str()));
    });
    if !is_there {
        return name;
    }
    let name = if name.is_empty() { build.names.give(&found.name, "value") } else { name };
    let slot = format!("$({name})");
    each_text(&mut exchange, &mut [], &mut |text| {
        let places: Vec<usize> = positions(text, &value).collect();
        for at in places.into_iter().rev() {
            text.replace_range(at..at + value.len(), &slot);
        }
        for secret in &secrets {
            *text = text.replace(secret.as_str(), &slot);
        }
    });
    build.draft.exchanges[at] = exchange;
    name
}

/// Values that could be handles: of JSON with their paths, of pages their hidden fields.
fn values(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let trimmed = text.trim_start();
    if trimmed.starts_with(['{', '[']) {
        if let Ok(value) = json::parse(trimmed) {
            walk(&value, "$", "value", &mut found);
        }
    } else if trimmed.starts_with('<') {
        hidden_fields(text, &mut found);
    }
    found
}

fn walk(value: &Value, path: &str, name: &str, found: &mut Vec<Found>) {
    if found.len() >= VALUES_MAX {
        return;
    }
    match value {
        Value::Map(entries) => {
            for (key, value) in entries {
                let is_word = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                let is_fit = !key.is_empty() && !key.contains(['\'', '\\', '[', ']']) && key.len() < 100;
                if is_word {
                    walk(value, &format!("{path}.{key}"), key, found);
                } else if is_fit && !key.chars().any(char::is_control) {
                    walk(value, &format!("{path}['{key}']"), key, found);
                }
            }
        }
        Value::List(members) => {
            for (index, member) in members.iter().enumerate().take(20) {
                walk(member, &format!("{path}[{index}]"), name, found);
            }
        }
        Value::Text(text) if is_handle(text) => push(found, name, format!("json({path})"), text),
        Value::Number(text) if text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            push(found, name, format!("json({path})"), text);
        }
        _ => {}
    }
}

fn push(found: &mut Vec<Found>, name: &str, from: String, value: &str) {
    if !found.iter().any(|other| other.value == value) {
        let name = if names::plain(name).is_empty() { "value" } else { name };
        found.push(Found { name: name.to_owned(), from, value: value.to_owned() });
    }
}

/// Long enough, without blanks, and no word of a language: somebody made it up for this answer.
fn is_handle(text: &str) -> bool {
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let is_closed = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.=+/~:".contains(&byte));
    let is_date = text.len() >= 10
        && text.as_bytes()[4..].first() == Some(&b'-')
        && text[..4].bytes().all(|b| b.is_ascii_digit());
    is_closed
        && has_digit
        && !is_date
        && !text.contains("://")
        && !text.starts_with('/')
        && (8..=4000).contains(&text.len())
}

/// `<input type="hidden" name="csrf" value="…">`.
fn hidden_fields(text: &str, found: &mut Vec<Found>) {
    for tag in text.split("<input").skip(1).take(VALUES_MAX) {
        let tag = tag.split('>').next().unwrap_or_default();
        let attribute = |name: &str| {
            let rest = tag.split(&format!("{name}=\"")).nth(1)?;
            rest.split('"').next()
        };
        let (Some(name), Some(value)) = (attribute("name"), attribute("value")) else { continue };
        let is_name =
            name.len() < 60 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        let is_in_order = tag.find("name=\"") < tag.find("value=\"");
        if is_name && is_handle(value) && is_in_order {
            let pattern = name.replace('.', r"\.");
            push(found, name, format!("regex(name=\"{pattern}\"[^>]*value=\"([^\"]+)\")"), value);
        }
    }
}
