//! `traces`: the header `traceparent`, and where traces can be looked at.

use crate::model::{TRACE, Traces};
use crate::syntax::keys::{Form, Key, Reader, key};
use contract::{Mistake, Mistakes, Node};
use terms::{Quantity, Unit};

/// Keys of `traces`.
pub(crate) static TRACES: [Key; 4] = [
    key("send", Form::Words(&SENT), "`w3c`: the header `traceparent` of W3C Trace Context"),
    key("per", Form::Words(&PER), "what has a trace of its own: each `exchange`, or each `iteration`; exchange"),
    key("sampled", Form::Scalar, "share of the traces that the system is told to record; 100%"),
    key("link", Form::Text, "address of a trace for readers of the report: `https://host/trace/$(trace)`"),
];

/// Headers that can be sent.
pub(crate) static SENT: [&str; 1] = ["w3c"];
static PER: [&str; 2] = ["exchange", "iteration"];
/// Addresses longer than this are not links.
const LINK_BYTES_MAX: usize = 2000;

/// Reads `traces`: `w3c`, or a map.
pub(crate) fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Traces> {
    let plain = Traces { per_iteration: false, sampled: 1.0, link: None };
    if node.map().is_none() {
        return word(node, "`traces`", &SENT, mistakes).map(|_| plain);
    }
    let mut keys = Reader::of(node, &TRACES, "`traces`", mistakes);
    keys.take("send").and_then(|node| word(node, "`send`", &SENT, mistakes));
    let per = keys.take("per").and_then(|node| word(node, "`per`", &PER, mistakes));
    let sampled = keys.take("sampled").and_then(|node| sampled(node, mistakes));
    let link = keys.take("link").and_then(|node| link(node, mistakes));
    keys.finish(mistakes);
    Some(Traces { per_iteration: per == Some("iteration"), sampled: sampled.unwrap_or(1.0), link })
}

fn word(node: &Node, what: &str, words: &'static [&'static str], mistakes: &mut Mistakes) -> Option<&'static str> {
    let text = mistakes.keep(node.as_text(what))?;
    let found = words.iter().find(|word| **word == text).copied();
    if found.is_none() {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        mistakes.push(
            Mistake::at(node.place, "study::unknown-word", format!("{what} cannot be `{text}`"))
                .label(format!("write {}", words.join(" or "))),
        );
    }
    found
}

fn sampled(node: &Node, mistakes: &mut Mistakes) -> Option<f64> {
    let text = mistakes.keep(node.as_text("`sampled`"))?;
    match Quantity::parse(text) {
        Ok(Quantity { value, unit: Unit::Share }) if (0.0..=1.0).contains(&value) => Some(value),
        _ => {
            let found = format!("`sampled` is `{text}`, not a share from 0% to 100%");
            mistakes.push(Mistake::at(node.place, "study::out-of-range", found).label("write `1%`, say"));
            None
        }
    }
}

/// A link stands in pages that are opened elsewhere: it is an address of the web and nothing else.
fn link(node: &Node, mistakes: &mut Mistakes) -> Option<String> {
    let text = mistakes.keep(node.as_text("`link`"))?.trim();
    let rest = ["http://", "https://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let is_plain = |text: &str| !text.contains("$(") && text.bytes().all(|byte| byte.is_ascii_graphic());
    let is_link = text.len() <= LINK_BYTES_MAX
        && rest.is_some_and(|rest| {
            !rest.starts_with(['/', '$']) && rest.contains(TRACE) && is_plain(&rest.replace(TRACE, ""))
        });
    if !is_link {
        let found = "`link` is not a web address with `$(trace)` in it";
        mistakes.push(
            Mistake::at(node.place, "study::no-link", found)
                .label("write `https://host/trace/$(trace)`")
                .hint("`$(trace)` stands for the id of a trace, and is the only name that it can have"),
        );
    }
    is_link.then(|| text.to_owned())
}
