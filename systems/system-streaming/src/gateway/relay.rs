//! WebSocket messages, both ways. Each way reads a message only when the one before is written, so a side that does not
//! read stops the side that writes.

use std::pin::pin;
use std::sync::Arc;

use axum::http::{HeaderName, HeaderValue, Uri};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_websockets::{ClientBuilder, CloseCode, Message, WebSocketStream};

use super::REQUEST_ID;
use crate::traffic::{End, Fate, Stop, Traffic, WRONG};
use crate::websocket::{self, Served, Socket, drain, farewell, limits};

/// A WebSocket whose other side is the backend.
pub(super) type Backend = WebSocketStream<TcpStream>;

/// Opens a WebSocket at the backend.
pub(super) async fn open(stream: TcpStream, uri: Uri, correlation: HeaderValue) -> Result<Backend, String> {
    let builder = ClientBuilder::from_uri(uri)
        .limits(limits())
        .add_header(HeaderName::from_static(REQUEST_ID), correlation)
        .map_err(|error| error.to_string())?;
    let (socket, _) = builder.connect_on(stream).await.map_err(|error| error.to_string())?;
    Ok(socket)
}

/// Why relaying ended, with what is to be told to the other side.
enum Over {
    ClientClosed(Message),
    BackendClosed(Message),
    /// It broke off, or what came was against the protocol, which it is told with this code.
    ClientLost(Option<CloseCode>),
    BackendLost(Option<CloseCode>),
    Stopped(Stop),
}

/// Relays until one of the sides closes or breaks off.
pub(super) async fn serve(client: TokioIo<Upgraded>, backend: Backend, traffic: Arc<Traffic>) -> Served {
    if traffic.is_mute() {
        return websocket::mute(client, traffic).await;
    }
    let stop = Arc::clone(&traffic).stop();
    let (mut to_client, mut from_client) = websocket::socket(client).split();
    let (mut to_backend, mut from_backend) = backend.split();
    let mut bytes = 0;
    let over = {
        let up = pin!(up(&mut from_client, &mut to_backend, &traffic));
        let down = pin!(down(&mut from_backend, &mut to_client, &traffic, &mut bytes));
        tokio::select! {
            over = up => over,
            over = down => over,
            stop = stop => Over::Stopped(stop),
        }
    };
    let end = match over {
        Over::Stopped(Stop::Cut) => return Served { end: End::Cut, bytes },
        Over::ClientClosed(_) | Over::BackendClosed(_) | Over::Stopped(Stop::End) => End::Closed,
        Over::ClientLost(_) | Over::BackendLost(_) => End::Lost,
    };
    // The halves belong together again: what they were lent to is over.
    let Ok(mut client) = from_client.reunite(to_client) else { return Served { end, bytes } };
    let Ok(mut backend) = from_backend.reunite(to_backend) else { return Served { end, bytes } };
    match over {
        Over::ClientClosed(close) => {
            let _ = backend.send(close).await;
            tokio::join!(drain(&mut client), drain(&mut backend));
        }
        Over::BackendClosed(close) => {
            let _ = client.send(close).await;
            tokio::join!(drain(&mut client), drain(&mut backend));
        }
        Over::ClientLost(code) => {
            let told = async {
                if let Some(code) = code {
                    farewell(&mut client, code).await;
                }
            };
            tokio::join!(told, farewell(&mut backend, CloseCode::GOING_AWAY));
        }
        Over::BackendLost(code) => {
            let told = async {
                if let Some(code) = code {
                    farewell(&mut backend, code).await;
                }
            };
            tokio::join!(told, farewell(&mut client, CloseCode::INTERNAL_SERVER_ERROR));
        }
        Over::Stopped(_) => {
            let code = CloseCode::GOING_AWAY;
            tokio::join!(farewell(&mut client, code), farewell(&mut backend, code));
        }
    }
    Served { end, bytes }
}

/// From the client to the backend. Pings are answered by the library, on each side by itself.
async fn up(client: &mut SplitStream<Socket>, backend: &mut SplitSink<Backend, Message>, traffic: &Traffic) -> Over {
    loop {
        match client.next().await {
            None => return Over::ClientLost(None),
            Some(Err(error)) => return Over::ClientLost(websocket::code(&error)),
            Some(Ok(message)) if message.is_close() => return Over::ClientClosed(message),
            Some(Ok(message)) if message.is_text() || message.is_binary() => {
                traffic.take(&traffic.messages).await;
                if backend.send(message).await.is_err() {
                    return Over::BackendLost(None);
                }
            }
            Some(Ok(_)) => {}
        }
    }
}

/// From the backend to the client; faults of messages are here.
async fn down(
    backend: &mut SplitStream<Backend>,
    client: &mut SplitSink<Socket, Message>,
    traffic: &Traffic,
    bytes: &mut u64,
) -> Over {
    loop {
        let message = match backend.next().await {
            None => return Over::BackendLost(None),
            Some(Err(error)) => return Over::BackendLost(websocket::code(&error)),
            Some(Ok(message)) if message.is_close() => return Over::BackendClosed(message),
            Some(Ok(message)) => message,
        };
        if !(message.is_text() || message.is_binary()) {
            continue;
        }
        let (message, copies) = match traffic.hand(&traffic.messages).await {
            Fate::Passed => (message, 1),
            Fate::Dropped => (message, 0),
            Fate::Doubled => (message, 2),
            Fate::Wrong => (Message::text(WRONG), 1),
        };
        for _ in 0..copies {
            *bytes += message.as_payload().len() as u64;
            if client.send(message.clone()).await.is_err() {
                return Over::ClientLost(None);
            }
        }
    }
}
