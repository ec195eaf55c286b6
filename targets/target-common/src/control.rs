//! The routes that are not load: health, version, counters, sequence.

use std::cell::RefCell;
use std::rc::Rc;

use crate::answer::{Answer, Body};
use crate::counters::{Counters, Lateness};
use crate::sequence::{SequenceLog, csv_pages};

/// What the control routes tell about.
pub(crate) struct Facts<'a> {
    pub(crate) program: &'static str,
    pub(crate) nonce: &'a str,
    pub(crate) now_ns: u64,
    pub(crate) open: usize,
    pub(crate) counters: &'a Counters,
    pub(crate) lateness: &'a Lateness,
    pub(crate) log: &'a Rc<RefCell<SequenceLog>>,
}

/// Paths that are answered at once, queued nowhere and counted apart.
pub(crate) fn is_control(path: &str) -> bool {
    matches!(path, "/health" | "/version" | "/counters" | "/sequence")
}

/// The answer of a control route; `extra` are the service's own counters.
pub(crate) fn answer(path: &str, facts: &Facts<'_>, extra: &[(&'static str, u64)]) -> Answer {
    match path {
        "/health" => json("{\"status\":\"ok\"}\n".to_owned()),
        "/version" => json(version(facts)),
        "/sequence" => Answer::new(200, "text/csv", Body::Pages(Box::new(csv_pages(Rc::clone(facts.log))))),
        _ => json(counters(facts, extra)),
    }
}

fn json(text: String) -> Answer {
    Answer::new(200, "application/json", Body::Owned(text.into_bytes()))
}

fn version(facts: &Facts<'_>) -> String {
    format!(
        "{{\"name\":\"{}\",\"version\":\"{}\",\"pid\":{},\"nonce\":\"{}\"}}\n",
        facts.program,
        env!("CARGO_PKG_VERSION"),
        std::process::id(),
        escape(facts.nonce)
    )
}

fn counters(facts: &Facts<'_>, extra: &[(&'static str, u64)]) -> String {
    let log = facts.log.borrow();
    let own = [
        ("now_ns", facts.now_ns),
        ("open_connections", facts.open as u64),
        ("sequence_kept", log.len() as u64),
        ("sequence_lost", log.lost()),
        ("late_p50_ns", facts.lateness.quantile_ns(0.5)),
        ("late_p99_ns", facts.lateness.quantile_ns(0.99)),
        ("late_max_ns", facts.lateness.max_ns()),
    ];
    let all = facts.counters.list().into_iter().chain(own).chain(extra.iter().copied());
    let fields: Vec<String> = all.map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{\"name\":\"{}\",{}}}\n", facts.program, fields.join(","))
}

/// Escapes `text` for a JSON string (RFC 8259, section 7).
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            c if c < ' ' => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_strings_are_escaped() {
        assert_eq!(escape("a\"b\\c\nd\u{e9}"), "a\\\"b\\\\c\\u000ad\u{e9}");
    }
}
