//! What is agreed on besides the protocol itself (RFC 6455, section 9.1): compression of each message by itself (RFC 7692),
//! or nothing.

use crate::handshake::tokens;
use http_wire::{RawHead, written_out};

/// The one extension there is.
const DEFLATE: &str = "permessage-deflate";
/// What is offered: a server that takes it keeps nothing of one message for the next, and neither does the client.
pub(crate) const OFFER: &str = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
/// A server that takes the offer has to repeat it.
const SERVER_ALONE: &str = "server_no_context_takeover";
/// The same of the client, which keeps to it whether or not it is repeated.
const CLIENT_ALONE: &str = "client_no_context_takeover";
/// How far back a server looks, which it may say unasked.
const SERVER_WINDOW: &str = "server_max_window_bits";
/// How far back the client may look, which a server may only say to one that offers it.
const CLIENT_WINDOW: &str = "client_max_window_bits";
/// This much of what a server chose is shown.
const SHOWN_MAX: usize = 60;

/// Whether a server that agreed to open a connection agreed to compress, too, where that was offered.
///
/// # Errors
/// Half a sentence: what is wrong with its choice, after *the server agreed, but*.
pub(crate) fn agreed(head: RawHead<'_>, is_offered: bool) -> Result<bool, String> {
    let chosen: Vec<&[u8]> = tokens(head, "sec-websocket-extensions").collect();
    let Some(first) = chosen.first() else { return Ok(false) };
    if !is_offered {
        return Err(format!("it chose the extension `{}`, and none was offered", shown(first)));
    }
    for one in &chosen {
        let name = one.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
        if name != DEFLATE.as_bytes() {
            return Err(format!("it chose the extension `{}`, and only `{DEFLATE}` was offered", shown(name)));
        }
    }
    if chosen.len() > 1 {
        return Err(format!("it chose `{DEFLATE}` more than once"));
    }
    parameters(first).map(|()| true).map_err(|why| format!("it chose `{DEFLATE}` {why}"))
}

/// Whether the parameters are some that were asked for or may be said unasked (RFC 7692, section 7.1).
fn parameters(chosen: &[u8]) -> Result<(), String> {
    // A bit for each that has come.
    let (mut seen, known) = (0u8, [SERVER_ALONE, CLIENT_ALONE, SERVER_WINDOW, CLIENT_WINDOW]);
    for parameter in chosen.split(|&byte| byte == b';').skip(1) {
        let mut halves = parameter.splitn(2, |&byte| byte == b'=').map(<[u8]>::trim_ascii);
        let (name, value) = (halves.next().unwrap_or_default(), halves.next().map(unquoted));
        let Some(index) = known.iter().position(|known| known.as_bytes() == name) else {
            return Err(format!("with `{}`, a parameter that there is not", shown(parameter.trim_ascii())));
        };
        let name = known[index];
        if seen & 1 << index != 0 {
            return Err(format!("with `{name}` twice"));
        }
        seen |= 1 << index;
        match (name, value) {
            (CLIENT_WINDOW, _) => return Err(format!("with `{name}`, which was not offered")),
            (SERVER_WINDOW, Some(b"8" | b"9" | b"10" | b"11" | b"12" | b"13" | b"14" | b"15")) => {}
            (SERVER_WINDOW, Some(value)) => {
                return Err(format!("with `{name}={}`, where 8 to 15 may stand", shown(value)));
            }
            (SERVER_WINDOW, None) => return Err(format!("with `{name}` without a number")),
            (_, Some(_)) => return Err(format!("with `{}`, which has no value", shown(parameter.trim_ascii()))),
            (_, None) => {}
        }
    }
    if seen & 1 == 0 {
        return Err(format!("without `{SERVER_ALONE}`, which was asked for: its messages would not stand alone"));
    }
    Ok(())
}

/// A value may stand in quotation marks.
fn unquoted(value: &[u8]) -> &[u8] {
    value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value)
}

/// What a server chose, as far as it is shown.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN_MAX)]);
    written_out(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_wire::{Expecting, Parser};

    fn chosen(lines: &[&str], is_offered: bool) -> Result<bool, String> {
        let mut parser = Parser::new();
        parser.begin(Expecting { keeps_head: true, ..Expecting::default() });
        let lines: String = lines.iter().map(|line| format!("Sec-WebSocket-Extensions: {line}\r\n")).collect();
        parser.feed(format!("HTTP/1.1 101 Switching Protocols\r\n{lines}\r\n").as_bytes()).unwrap();
        agreed(parser.head(), is_offered)
    }

    #[test]
    fn a_server_may_take_the_offer_or_not() {
        assert_eq!((chosen(&[], true), chosen(&[], false)), (Ok(false), Ok(false)));
        assert_eq!(chosen(&["", " , "], true), Ok(false));
        for line in [
            "permessage-deflate; server_no_context_takeover",
            "permessage-deflate;server_no_context_takeover;client_no_context_takeover",
            "permessage-deflate ; client_no_context_takeover ; server_max_window_bits = 8 ; server_no_context_takeover",
            "permessage-deflate; server_max_window_bits=\"15\"; server_no_context_takeover",
            "permessage-deflate; server_max_window_bits=12; server_no_context_takeover,",
        ] {
            assert_eq!(chosen(&[line], true), Ok(true), "{line}");
        }
    }

    #[test]
    fn what_it_may_not_choose_is_said() {
        let alone = "permessage-deflate; server_no_context_takeover";
        for (line, why) in [
            ("permessage-deflate", "without `server_no_context_takeover`, which was asked for"),
            ("permessage-deflate; client_no_context_takeover", "without `server_no_context_takeover`"),
            ("x-webkit-deflate-frame", "`x-webkit-deflate-frame`, and only `permessage-deflate` was offered"),
            ("Permessage-Deflate; server_no_context_takeover", "`Permessage-Deflate`, and only"),
            (&format!("{alone}, {alone}"), "`permessage-deflate` more than once"),
            (&format!("{alone}, bbf"), "`bbf`, and only"),
            (&format!("{alone}; server_no_context_takeover"), "`server_no_context_takeover` twice"),
            (&format!("{alone}; server_max_window_bits=9; server_max_window_bits=9"), "`server_max_window_bits` twice"),
            (&format!("{alone}; client_max_window_bits=15"), "`client_max_window_bits`, which was not offered"),
            (&format!("{alone}; client_max_window_bits"), "`client_max_window_bits`, which was not offered"),
            (&format!("{alone}; server_max_window_bits"), "`server_max_window_bits` without a number"),
            (&format!("{alone}; server_max_window_bits=7"), "`server_max_window_bits=7`, where 8 to 15 may stand"),
            (&format!("{alone}; server_max_window_bits=16"), "`server_max_window_bits=16`, where 8 to 15"),
            (&format!("{alone}; server_max_window_bits=08"), "`server_max_window_bits=08`, where 8 to 15"),
            (&format!("{alone}; server_max_window_bits="), "`server_max_window_bits=`, where 8 to 15"),
            ("permessage-deflate; server_no_context_takeover=1", "`server_no_context_takeover=1`, which has no value"),
            (&format!("{alone}; client_no_context_takeover=\"\""), "which has no value"),
            (&format!("{alone}; mux"), "`mux`, a parameter that there is not"),
            (&format!("{alone};"), "``, a parameter that there is not"),
        ] {
            let found = chosen(&[line], true).unwrap_err();
            assert!(found.starts_with("it chose ") && found.contains(why), "{line}: {found}");
        }
        let twice = chosen(&[alone, alone], true).unwrap_err();
        assert!(twice.contains("more than once"), "{twice}");
        let unasked = chosen(&[alone], false).unwrap_err();
        assert!(unasked.contains("extension `permessage-deflate; server_no_context_takeover`, and none"), "{unasked}");
        let long = chosen(&[&format!("{alone}; {}", "x".repeat(5000))], true).unwrap_err();
        assert!(long.len() < 200, "{long}");
    }
}
