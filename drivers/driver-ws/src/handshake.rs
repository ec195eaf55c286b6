//! The opening handshake (RFC 6455, section 4): the key, and whether the server's answer to it is one.

use crate::extension::{self, shown};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_wire::RawHead;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use terms::seed;

/// Sixteen bytes in base64.
pub(crate) const KEY_BYTES: usize = 24;
/// What a server joins to the key, so that nothing but a WebSocket server finds the right answer.
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The key of a connection, by the run and which of its openings it is. It guards against caches, not against strangers,
/// so it need not be a secret.
pub(crate) fn key(run: u64, opening: u64) -> [u8; KEY_BYTES] {
    let bytes: Vec<u8> = (0..2u64).flat_map(|half| seed::hash(run ^ half, opening).to_be_bytes()).collect();
    let mut key = [0; KEY_BYTES];
    STANDARD.encode_slice(bytes, &mut key).expect("invariant: sixteen bytes are 24 letters");
    key
}

/// What a server answers to a key.
pub(crate) fn accept(key: &[u8]) -> String {
    STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, &[key, GUID].concat()))
}

/// What was asked for beside the connection itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offered<'a> {
    pub(crate) subprotocols: &'a [String],
    pub(crate) compression: bool,
}

/// Whether an answer of status 101 agrees to what was asked for; if so, whether messages are compressed.
///
/// # Errors
/// Half a sentence: what is wrong with it, after *the server agreed, but*.
pub(crate) fn check(head: RawHead<'_>, key: &[u8], offered: Offered<'_>) -> Result<bool, String> {
    let subprotocols = offered.subprotocols;
    let has = |name, word: &str| tokens(head, name).any(|token| token.eq_ignore_ascii_case(word.as_bytes()));
    if !has("upgrade", "websocket") {
        return Err("its answer has no `Upgrade: websocket`".to_owned());
    }
    if !has("connection", "upgrade") {
        return Err("its answer has no `Connection: Upgrade`".to_owned());
    }
    let mut accepts = head.all("sec-websocket-accept");
    match (accepts.next(), accepts.next()) {
        (None, _) => return Err("its answer has no `Sec-WebSocket-Accept`".to_owned()),
        (Some(_), Some(_)) => return Err("its answer has two `Sec-WebSocket-Accept`".to_owned()),
        (Some(found), None) if found != accept(key).as_bytes() => {
            return Err(format!("its `Sec-WebSocket-Accept` is `{}`, not that of the key", shown(found)));
        }
        _ => {}
    }
    let is_compressed = extension::agreed(head, offered.compression)?;
    let mut chosen = tokens(head, "sec-websocket-protocol");
    match (chosen.next(), chosen.next()) {
        (None, _) if subprotocols.is_empty() => Ok(is_compressed),
        (None, _) => Err(format!("it chose none of the subprotocols `{}`", subprotocols.join("`, `"))),
        (Some(_), Some(_)) => Err("it chose more than one subprotocol".to_owned()),
        (Some(one), None) if subprotocols.iter().any(|offered| offered.as_bytes() == one) => Ok(is_compressed),
        (Some(one), None) => Err(format!("it chose the subprotocol `{}`, which was not offered", shown(one))),
    }
}

/// The members of a list that may stand on several lines.
pub(crate) fn tokens<'a>(head: RawHead<'a>, name: &'static str) -> impl Iterator<Item = &'a [u8]> {
    let all = head.all(name).flat_map(|value| value.split(|&byte| byte == b','));
    all.map(<[u8]>::trim_ascii).filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_wire::{Expecting, Parser};

    /// The example of RFC 6455, section 1.3.
    const KEY: &[u8] = b"dGhlIHNhbXBsZSBub25jZQ==";
    const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    fn checked(headers: &str, subprotocols: &[&str]) -> Result<bool, String> {
        let mut parser = Parser::new();
        parser.begin(Expecting { keeps_head: true, ..Expecting::default() });
        parser.feed(format!("HTTP/1.1 101 Switching Protocols\r\n{headers}\r\n").as_bytes()).unwrap();
        let subprotocols: Vec<_> = subprotocols.iter().map(|name| (*name).to_owned()).collect();
        check(parser.head(), KEY, Offered { subprotocols: &subprotocols, compression: false })
    }

    fn agreed(more: &str) -> String {
        format!("Upgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Accept: {ACCEPT}\r\n{more}")
    }

    #[test]
    fn the_answer_to_a_key_is_that_of_the_standard() {
        assert_eq!(accept(KEY), ACCEPT);
    }

    #[test]
    fn keys_are_sixteen_bytes_and_each_opening_has_its_own() {
        let keys = [key(1, 0), key(1, 1), key(2, 0)];
        assert!(keys.iter().all(|key| STANDARD.decode(key).unwrap().len() == 16));
        assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
        assert_eq!(key(7, 7), key(7, 7));
    }

    #[test]
    fn an_answer_that_agrees_is_one() {
        assert_eq!(checked(&agreed(""), &[]), Ok(false));
        assert_eq!(checked(&agreed("Sec-WebSocket-Protocol: chat\r\n"), &["soap", "chat"]), Ok(false));
        assert_eq!(checked(&agreed("Sec-WebSocket-Extensions:\r\n"), &[]), Ok(false));
    }

    #[test]
    fn what_was_not_asked_for_is_not_agreed() {
        let other = |from: &str, to: &str| checked(&agreed("").replace(from, to), &[]).unwrap_err();
        assert!(other("Upgrade: WebSocket", "Upgrade: h2c").contains("no `Upgrade: websocket`"));
        assert!(other(", Upgrade", "").contains("no `Connection: Upgrade`"));
        assert!(other("Sec-WebSocket-Accept", "X").contains("no `Sec-WebSocket-Accept`"));
        assert!(other(ACCEPT, "s3pPLMBiTxaQ9kYGzzhZRbK+xOO=").contains("xOO=`, not that of the key"));
        let more = |more: &str, offered: &[&str]| checked(&agreed(more), offered).unwrap_err();
        assert!(more(&format!("Sec-WebSocket-Accept: {ACCEPT}\r\n"), &[]).contains("two"));
        let deflate = "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n";
        assert!(more(deflate, &[]).contains("extension `permessage-deflate; server_no_context_takeover`"));
        assert!(more("", &["a", "b"]).contains("none of the subprotocols `a`, `b`"));
        assert!(more("Sec-WebSocket-Protocol: c\r\n", &["a"]).contains("`c`, which was not offered"));
        assert!(more("Sec-WebSocket-Protocol: A\r\n", &["a"]).contains("`A`, which was not offered"));
        assert!(more("Sec-WebSocket-Protocol: a, b\r\n", &["a", "b"]).contains("more than one"));
        assert!(more("Sec-WebSocket-Protocol: a\r\n", &[]).contains("not offered"));
    }
}
