//! `version: 1.1 | 2` and `streams: N`.

use crate::request::Request;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Settings, suggestion};
use http_wire::{Http2, Unsendable, Url, is_about_the_connection};

/// Versions of HTTP that are spoken.
pub(super) const VERSIONS: [&str; 2] = ["1.1", "2"];
/// More exchanges on one connection than any server allows streams at a time.
const STREAMS_MAX: u64 = 1000;

/// How many exchanges share a connection over HTTP/2; `None` for HTTP/1.1.
pub(super) fn read(
    keys: &mut Keys<'_>,
    settings: &Settings,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<u32> {
    let is_two = keys.take("version").and_then(|node| mistakes.keep(version(node, context))).unwrap_or(false);
    let node = keys.take("streams");
    let streams = node.and_then(|node| mistakes.keep(streams(node, context))).unwrap_or(1);
    if let Some(node) = node.filter(|_| !is_two) {
        mistakes.push(
            Mistake::at(node.place, "http::streams-without-http2", "`streams` is set, but HTTP/1.1 has none")
                .label("write `version: 2`, or remove it"),
        );
    }
    if let Some(node) = node.filter(|_| streams > 1 && !settings.reuse) {
        let what = "`streams` share a connection, and `reuse: false` gives each exchange its own";
        mistakes.push(Mistake::at(node.place, "http::streams-without-reuse", what).label("remove one of them"));
    }
    is_two.then_some(streams as u32)
}

/// What a request needs to go over HTTP/2, if it does; one that cannot is a mistake here already.
pub(super) fn http2(
    streams: Option<u32>,
    url: &Url,
    request: &Request,
    settings: &Settings,
    mistakes: &mut Mistakes,
) -> Option<Http2> {
    let streams = streams?;
    for (name, _) in settings.node.get("headers").and_then(Node::map).unwrap_or_default() {
        let word = name.text().unwrap_or_default();
        if is_about_the_connection(word.as_bytes()) {
            let what = format!("the header `{word}` has no place in HTTP/2");
            mistakes.push(Mistake::at(name.place, "http::bad-header", what).label("remove it"));
        }
    }
    match Http2::new(streams, url.is_tls, &url.authority, request.as_fixed()) {
        Ok(http2) => Some(http2),
        Err(Unsendable(why)) => {
            let what = format!("the request cannot be sent over HTTP/2: {why}");
            mistakes.push(Mistake::at(settings.node.place, "http::bad-request", what));
            None
        }
    }
}

fn streams(node: &Node, context: &BuildContext<'_>) -> Result<u64, Mistake> {
    let written = Node::text_at(node.place, context.text(node, "`streams`")?);
    written.as_count("`streams`", 1, STREAMS_MAX)
}

fn version(node: &Node, context: &BuildContext<'_>) -> Result<bool, Mistake> {
    match context.text(node, "`version`")?.as_str() {
        "1.1" => Ok(false),
        "2" => Ok(true),
        other => {
            let what = format!("there is no `version` `{other}` of HTTP here");
            let mistake = Mistake::at(node.place, "study::unknown-word", what)
                .hint(format!("possible are {}", VERSIONS.join(", ")));
            Err(match suggestion(other, VERSIONS) {
                Some(near) => mistake.label(format!("did you mean `{near}`?")),
                None => mistake,
            })
        }
    }
}
