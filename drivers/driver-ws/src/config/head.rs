//! Where a connection goes, and the request that opens it.

use crate::extension;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node};
use http_wire::{Form, Request, Url, is_token};

/// Headers that make the handshake; writing them by hand would break it.
const OURS: [&str; 6] = ["upgrade", "connection", "content-length", "transfer-encoding", "te", "trailer"];
/// Those of the handshake alone.
const OURS_BEGIN: &str = "sec-websocket-";

/// The form of the request, with these subprotocols. `ws://` and `wss://` are `http://` and `https://` by another name
/// (RFC 6455, section 3), and an instance of the system has one of the latter.
fn form<'a>(own: &'a dyn Fn(&mut Request)) -> Form<'a> {
    Form {
        schemes: ["ws", "wss"],
        bad_url: "ws::bad-url",
        bad_header: "ws::bad-header",
        two_authorizations: "ws::two-authorizations",
        defaults: &[],
        own,
        is_own: &|name| OURS.contains(&name) || name.starts_with(OURS_BEGIN),
        hint: "`subprotocols: [ … ]` beside `url` offers subprotocols, and `compression: deflate` compression",
    }
}

/// Reads a URL.
pub(super) fn url(node: &Node, context: &BuildContext<'_>) -> Result<Url, Mistake> {
    form(&|_| {}).url(node, context)
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

/// The request, with a place for the key, and what it offers: subprotocols, and whether to compress.
pub(super) fn read(
    url: Option<&Url>,
    (subprotocols, compression): (&[String], bool),
    keys: &mut Keys<'_>,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Request {
    let own = |request: &mut Request| {
        request.fixed(b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ");
        request.own();
        request.fixed(b"\r\n");
        if !subprotocols.is_empty() {
            request.fixed(format!("Sec-WebSocket-Protocol: {}\r\n", subprotocols.join(", ")).as_bytes());
        }
        if compression {
            request.fixed(format!("Sec-WebSocket-Extensions: {}\r\n", extension::OFFER).as_bytes());
        }
    };
    form(&own).request(url, keys, context, mistakes)
}
