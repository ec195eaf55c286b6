//! WebSockets as a server has them (RFC 6455): the opening over HTTP, and a graceful end.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use ring::digest;
use system_common::{HeldCall, text};
use tokio::io::{copy, sink};
use tokio_websockets::{CloseCode, Error, Limits, Message, ServerBuilder, WebSocketStream};

use crate::traffic::{Connection, End, Traffic};

/// Largest message; a longer one ends the connection with code 1009.
pub(crate) const MESSAGE_MAX: usize = 1 << 20;
/// Longest wait for the other side's half of the closing handshake; shorter than the grace of a process that ends.
const FAREWELL: Duration = Duration::from_secs(2);
/// What the key of a request is hashed with (RFC 6455, section 1.3).
const KEY_SUFFIX: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// What is agreed on where it is offered (RFC 7692): nothing of a message is kept for the next one, on either side.
const COMPRESSION: &str = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";

/// A WebSocket whose other side is a client.
pub(crate) type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// The bounds of every WebSocket here.
pub(crate) fn limits() -> Limits {
    Limits::default().max_payload_len(Some(MESSAGE_MAX))
}

/// The request of a client that opens a WebSocket: what is needed once it is answered.
pub(crate) struct Opening {
    accept: HeaderValue,
    /// Whether compression is offered in which each message stands alone.
    offers_compression: bool,
    upgrade: OnUpgrade,
    call: Option<HeldCall>,
}

impl Opening {
    /// Takes the request apart; or the refusal, if it is none that opens a WebSocket.
    pub(crate) fn of(mut request: Request) -> Result<Self, Box<Response<Body>>> {
        let accept = accept(request.headers())?;
        let offers_compression = offers_compression(request.headers());
        let call = request.extensions().get::<HeldCall>().cloned();
        Ok(Self { accept, offers_compression, upgrade: hyper::upgrade::on(&mut request), call })
    }

    /// The answer that agrees, on compression, too, if it is offered and `compresses`; after it, `serve` has the bare
    /// connection and says how that ended.
    pub(crate) fn agree<F, W>(self, mut connection: Connection, compresses: bool, serve: F) -> Response<Body>
    where
        F: FnOnce(TokioIo<Upgraded>) -> W + Send + 'static,
        W: Future<Output = Served> + Send + 'static,
    {
        let Self { accept, offers_compression, upgrade, call } = self;
        tokio::spawn(async move {
            // Fails if the client is gone already: it was never open.
            let Ok(upgraded) = upgrade.await else { return };
            connection.open(End::Lost);
            let served = serve(TokioIo::new(upgraded)).await;
            connection.ends(served.end);
            if let Some(call) = call {
                call.add_bytes(served.bytes);
            }
        });
        let mut answer = Response::new(Body::empty());
        *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = answer.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
        if compresses && offers_compression {
            headers.insert(header::SEC_WEBSOCKET_EXTENSIONS, HeaderValue::from_static(COMPRESSION));
        }
        answer
    }
}

/// What became of a connection.
pub(crate) struct Served {
    pub(crate) end: End,
    /// Of the messages that were written to the client.
    pub(crate) bytes: u64,
}

/// The connection as a WebSocket.
pub(crate) fn socket(io: TokioIo<Upgraded>) -> Socket {
    ServerBuilder::new().limits(limits()).serve(io)
}

/// Takes whatever comes and says nothing, not even to a ping or a goodbye (fault `mute`).
pub(crate) async fn mute(mut io: TokioIo<Upgraded>, traffic: Arc<Traffic>) -> Served {
    let mut nowhere = sink();
    let end = tokio::select! {
        _ = copy(&mut io, &mut nowhere) => End::Closed,
        stop = traffic.stop() => stop.into(),
    };
    Served { end, bytes: 0 }
}

/// The header that answers the key of a request (RFC 6455, section 4.2.2).
fn accept(headers: &HeaderMap) -> Result<HeaderValue, Box<Response<Body>>> {
    let refuse = |status, why: &str| Box::new(text(status, format!("this opens WebSockets (RFC 6455): {why}\n")));
    let has = |name: HeaderName, wanted: &str| {
        let lists = headers.get_all(name).into_iter().filter_map(|list| list.to_str().ok());
        lists.flat_map(|list| list.split(',')).any(|word| word.trim().eq_ignore_ascii_case(wanted))
    };
    if !has(header::UPGRADE, "websocket") || !has(header::CONNECTION, "upgrade") {
        let why = "`upgrade: websocket` and `connection: upgrade` are missing";
        let mut refusal = refuse(StatusCode::UPGRADE_REQUIRED, why);
        refusal.headers_mut().insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        return Err(refusal);
    }
    if !has(header::SEC_WEBSOCKET_VERSION, "13") {
        let mut refusal = refuse(StatusCode::UPGRADE_REQUIRED, "`sec-websocket-version` must be 13");
        refusal.headers_mut().insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        return Err(refusal);
    }
    let key = headers.get(header::SEC_WEBSOCKET_KEY).map(HeaderValue::as_bytes).unwrap_or_default();
    if STANDARD.decode(key).map(|bytes| bytes.len()) != Ok(16) {
        return Err(refuse(StatusCode::BAD_REQUEST, "`sec-websocket-key` must be 16 bytes in base64"));
    }
    let mut hashed = digest::Context::new(&digest::SHA1_FOR_LEGACY_USE_ONLY);
    hashed.update(key);
    hashed.update(KEY_SUFFIX);
    let accept = STANDARD.encode(hashed.finish());
    Ok(HeaderValue::try_from(accept).expect("invariant: base64 is visible ASCII"))
}

/// Whether a client offers compression without anything that is kept from one message to the next.
fn offers_compression(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(header::SEC_WEBSOCKET_EXTENSIONS).into_iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|offer| {
        let mut words = offer.split(';').map(str::trim);
        words.next() == Some("permessage-deflate")
            && words.clone().any(|word| word == "server_no_context_takeover")
            && words.any(|word| word == "client_no_context_takeover")
    })
}

/// Says goodbye with a code and waits until the other side has done so, too, or does not.
pub(crate) async fn farewell<S>(socket: &mut S, code: CloseCode)
where
    S: Sink<Message, Error = Error> + Stream<Item = Result<Message, Error>> + Unpin,
{
    let both = async {
        // Fails if the other side said goodbye first, which is what is wanted.
        let _ = socket.send(Message::close(Some(code), "")).await;
        drain(socket).await;
    };
    let _ = tokio::time::timeout(FAREWELL, both).await;
}

/// Reads to the end, which also writes what answers a close; nothing that comes still counts.
pub(crate) async fn drain<S>(stream: &mut S)
where
    S: Stream<Item = Result<Message, Error>> + Unpin,
{
    let all = async { while let Some(Ok(_)) = stream.next().await {} };
    let _ = tokio::time::timeout(FAREWELL, all).await;
}

/// The code that answers what went wrong while reading; `None` where nobody is there to be told.
pub(crate) fn code(error: &Error) -> Option<CloseCode> {
    match error {
        Error::PayloadTooLong { .. } => Some(CloseCode::MESSAGE_TOO_BIG),
        Error::Protocol(_) => Some(CloseCode::PROTOCOL_ERROR),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let name = |name| HeaderName::from_static(name);
        lines.iter().map(|(key, value)| (name(key), HeaderValue::from_static(value))).collect()
    }

    const WHOLE: [(&str, &str); 4] = [
        ("upgrade", "WebSocket"),
        ("connection", "keep-alive, Upgrade"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];

    #[test]
    fn the_key_is_answered_as_in_the_standard() {
        // RFC 6455, section 1.3.
        assert_eq!(accept(&headers(&WHOLE)).unwrap(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn what_opens_no_websocket_is_refused_with_what_is_missing() {
        let without = |left_out: usize| {
            let mut lines = WHOLE.to_vec();
            lines.remove(left_out);
            accept(&headers(&lines)).unwrap_err()
        };
        assert_eq!([0, 1, 2, 3].map(|left_out| without(left_out).status().as_u16()), [426, 426, 426, 400]);
        assert_eq!(without(2).headers()["sec-websocket-version"], "13");
    }
}
