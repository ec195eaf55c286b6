//! Where a connection goes, and the request that opens it.

use crate::head::{Fit, Request, Unrenderable};
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Piece, Template};
use http_wire::Url;

/// Headers that make the handshake; writing them by hand would break it.
const OURS: [&str; 6] = ["upgrade", "connection", "content-length", "transfer-encoding", "te", "trailer"];
/// Those of the handshake alone.
const OURS_BEGIN: &str = "sec-websocket-";

/// Reads a URL. `ws://` and `wss://` are `http://` and `https://` by another name (RFC 6455, section 3), and an instance
/// of the system has one of the latter.
pub(super) fn url(node: &Node, context: &BuildContext<'_>) -> Result<Url, Mistake> {
    let template = context.compile(node, "`url`")?;
    let wrong = |what: String| Mistake::at(node.place, "ws::bad-url", what).label("write `ws://host:port/path`");
    let mut pieces = template.pieces;
    if let Some(Piece::Fixed(first)) = pieces.first_mut() {
        let text = String::from_utf8_lossy(first).into_owned();
        let scheme = text.split("://").next().unwrap_or_default().to_ascii_lowercase();
        let http = match scheme.as_str() {
            "ws" | "http" => "http",
            "wss" | "https" => "https",
            _ => return Err(wrong(format!("the URL `{text}` begins neither with `ws://` nor with `wss://`"))),
        };
        *first = format!("{http}{}", &text[scheme.len()..]).into_bytes().into();
    }
    Url::read(&Template { pieces }, node.place).map_err(|mistake| match mistake.code {
        "http::bad-url" => Mistake { code: "ws::bad-url", label: wrong(String::new()).label, ..mistake },
        _ => mistake,
    })
}

/// Names of subprotocols, each once.
pub(super) fn subprotocols(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for member in node.list().unwrap_or(std::slice::from_ref(node)) {
        let Some(name) = mistakes.keep(context.text(member, "a subprotocol")) else { continue };
        if !is_token(&name) || names.contains(&name) {
            let what = format!("`{}` cannot name a subprotocol, or is listed twice", name.escape_debug());
            mistakes
                .push(Mistake::at(member.place, "ws::bad-subprotocol", what).hint("write `[ v12.stomp, v11.stomp ]`"));
            continue;
        }
        names.push(name);
    }
    names
}

/// The request. What the study writes itself takes the place of what is sent otherwise; nothing leaves it out.
pub(super) fn read(
    url: Option<&Url>,
    subprotocols: &[String],
    keys: &mut Keys<'_>,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Request {
    let mut request = Request::default();
    request.fixed(b"GET ");
    if let Some(url) = url {
        request.template(&url.target, Fit::Target, context).expect("invariant: a target is encoded, never refused");
    }
    request.fixed(b" HTTP/1.1\r\n");
    let written = keys.take("headers").map_or(&[][..], |node| entries(node, mistakes));
    let is_written =
        |name: &str| written.iter().any(|(key, _)| key.text().is_some_and(|key| key.eq_ignore_ascii_case(name)));
    let mut default = |name: &str, value: &str| {
        if !is_written(name) {
            request.fixed(format!("{name}: {value}\r\n").as_bytes());
        }
    };
    default("Host", url.map_or("", |url| &url.authority));
    default("User-Agent", concat!("loadproof/", env!("CARGO_PKG_VERSION")));
    request.fixed(b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ");
    request.key();
    request.fixed(b"\r\n");
    if !subprotocols.is_empty() {
        request.fixed(format!("Sec-WebSocket-Protocol: {}\r\n", subprotocols.join(", ")).as_bytes());
    }
    if let Some(node) = keys.take("bearer") {
        if is_written("authorization") {
            let what = "only one of `bearer` and the header `authorization` can be sent";
            mistakes.push(Mistake::at(node.place, "ws::two-authorizations", what).label("remove one of them"));
        }
        request.fixed(b"Authorization: Bearer ");
        value(&mut request, node, "`bearer`", context, mistakes);
        request.fixed(b"\r\n");
    }
    for (name, value) in written {
        header(&mut request, name, value, context, mistakes);
    }
    request.fixed(b"\r\n");
    request
}

fn entries<'a>(node: &'a Node, mistakes: &mut Mistakes) -> &'a [(Node, Node)] {
    node.map().unwrap_or_else(|| {
        if !node.is_missing() {
            let what = format!("`headers` is {}, not a map", node.what());
            mistakes.push(Mistake::at(node.place, "study::wrong-type", what).label("write `{ name: value }`"));
        }
        &[]
    })
}

/// A token of RFC 9110, section 5.6.2.
fn is_token(word: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !word.is_empty() && word.bytes().all(is_one)
}

fn header(request: &mut Request, name: &Node, text: &Node, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) {
    let word = name.text().unwrap_or_default();
    let bad = |what: String, hint: &str| Mistake::at(name.place, "ws::bad-header", what).hint(hint);
    if !is_token(word) {
        let what = format!("`{}` cannot name a header", word.escape_debug());
        return mistakes.push(bad(what, "names are letters, digits and `-`, without slots"));
    }
    let lower = word.to_ascii_lowercase();
    if OURS.contains(&lower.as_str()) || lower.starts_with(OURS_BEGIN) {
        let what = format!("the header `{word}` is the driver's own");
        return mistakes
            .push(bad(what, "`subprotocols: [ … ]` beside `url` offers subprotocols; extensions are not offered"));
    }
    if text.is_missing() {
        return;
    }
    request.fixed(format!("{word}: ").as_bytes());
    value(request, text, &format!("header `{word}`"), context, mistakes);
    request.fixed(b"\r\n");
}

fn value(request: &mut Request, node: &Node, what: &str, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) {
    let Some(template) = mistakes.keep(context.compile(node, what)) else { return };
    if let Err(Unrenderable::ControlInHeader) = request.template(&template, Fit::Header, context) {
        let what = format!("{what} holds a line break or control character");
        mistakes
            .push(Mistake::at(node.place, "ws::bad-header", what).hint("a header is one line of visible characters"));
    }
}
