//! The backend: a WebSocket that answers each message with its reverse, and streams of numbered events.

mod feed;
mod mirror;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};
use axum::routing::get;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Map, Value, json};
use system_common::{Module, text};
use tokio_websockets::{CloseCode, Message};

pub(crate) use feed::{Pace, bytes, rate};

use crate::traffic::{End, Fate, Stop, Traffic, WRONG};
use crate::websocket::{Opening, Served, Socket, code, drain, farewell, mute, socket};

/// Routes of the backend.
pub(crate) const ROUTES: &[&str] = &["GET /echo", "GET /mirror", "GET /events"];

pub(crate) struct Backend {
    traffic: Arc<Traffic>,
    /// Of a stream whose request names no other.
    pace: Pace,
}

impl Backend {
    pub(crate) fn new(traffic: Arc<Traffic>, pace: Pace) -> Arc<Self> {
        Arc::new(Self { traffic, pace })
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/echo", get(echo))
            .route("/mirror", get(mirror))
            .route("/events", get(events))
            .with_state(Arc::clone(self))
    }
}

impl Module for Backend {
    async fn health(&self) -> Result<(), String> {
        Ok(())
    }

    fn counters(&self) -> Map<String, Value> {
        self.traffic.counters()
    }

    fn identity(&self) -> Map<String, Value> {
        let Value::Object(pace) = json!({ "events_per_s": self.pace.per_second, "bytes": self.pace.bytes }) else {
            return Map::new();
        };
        pace
    }
}

async fn echo(State(backend): State<Arc<Backend>>, request: Request) -> Response<Body> {
    let opened = Opening::of(request).and_then(|opening| Ok((opening, backend.traffic.admit()?)));
    let (opening, connection) = match opened {
        Ok(opened) => opened,
        Err(refusal) => return *refusal,
    };
    let traffic = Arc::clone(&backend.traffic);
    opening.agree(connection, false, |io| async move {
        if traffic.is_mute() {
            return mute(io, traffic).await;
        }
        let stop = Arc::clone(&traffic).stop();
        let (mut socket, mut bytes) = (socket(io), 0);
        let stopped = tokio::select! {
            end = answer_all(&mut socket, &traffic, &mut bytes) => Err(end),
            stop = stop => Ok(stop),
        };
        let end = match stopped {
            Ok(stop) => {
                if stop == Stop::End {
                    farewell(&mut socket, CloseCode::GOING_AWAY).await;
                }
                stop.into()
            }
            Err(end) => end,
        };
        Served { end, bytes }
    })
}

/// The same that only repeats what comes, and agrees on compression where it is offered.
async fn mirror(State(backend): State<Arc<Backend>>, request: Request) -> Response<Body> {
    let opened = Opening::of(request).and_then(|opening| Ok((opening, backend.traffic.admit()?)));
    let (opening, connection) = match opened {
        Ok(opened) => opened,
        Err(refusal) => return *refusal,
    };
    let traffic = Arc::clone(&backend.traffic);
    opening.agree(connection, true, |mut io| async move {
        if traffic.is_mute() {
            return mute(io, traffic).await;
        }
        let stop = Arc::clone(&traffic).stop();
        let mut bytes = 0;
        let end = tokio::select! {
            end = mirror::repeat_all(&mut io, &traffic, &mut bytes) => end,
            stop = stop => {
                if stop == Stop::End {
                    mirror::goodbye(&mut io, CloseCode::GOING_AWAY).await;
                }
                stop.into()
            }
        };
        Served { end, bytes }
    })
}

/// Reads a message, writes its answer, and reads the next one only when that is written.
async fn answer_all(socket: &mut Socket, traffic: &Traffic, bytes: &mut u64) -> End {
    while let Some(read) = socket.next().await {
        let message = match read {
            Ok(message) => message,
            Err(error) => {
                if let Some(code) = code(&error) {
                    farewell(socket, code).await;
                }
                return End::Lost;
            }
        };
        if message.is_close() {
            // What comes after it is the answer, written by reading on.
            drain(socket).await;
            return End::Closed;
        }
        if !(message.is_text() || message.is_binary()) {
            continue; // A ping is answered by the library.
        }
        traffic.take(&traffic.messages).await;
        let answer = reversed(&message);
        let (answer, copies) = match traffic.hand(&traffic.messages).await {
            Fate::Passed => (answer, 1),
            Fate::Dropped => (answer, 0),
            Fate::Doubled => (answer, 2),
            Fate::Wrong => (Message::text(WRONG), 1),
        };
        for _ in 0..copies {
            *bytes += answer.as_payload().len() as u64;
            if socket.send(answer.clone()).await.is_err() {
                return End::Lost;
            }
        }
    }
    End::Lost
}

/// Text by Unicode scalar value, so that it stays text; anything else by byte.
fn reversed(message: &Message) -> Message {
    match message.as_text() {
        Some(text) => Message::text(text.chars().rev().collect::<String>()),
        None => Message::binary(message.as_payload().iter().rev().copied().collect::<Vec<u8>>()),
    }
}

async fn events(State(backend): State<Arc<Backend>>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    let pace = match backend.pace.of_query(&uri) {
        Ok(pace) => pace,
        Err(why) => return text(StatusCode::BAD_REQUEST, why + "\n"),
    };
    match backend.traffic.admit() {
        Ok(connection) => {
            let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
            event_stream(feed::body(Arc::clone(&backend.traffic), connection, pace, last.unwrap_or(0)))
        }
        Err(refusal) => *refusal,
    }
}

/// The answer whose body is a stream of events.
pub(crate) fn event_stream(body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_is_reversed_by_character_and_bytes_by_byte() {
        assert_eq!(reversed(&Message::text("7 äöß€😀")).as_text(), Some("😀€ßöä 7"));
        let answer = reversed(&Message::binary(vec![0, 1, 0xff]));
        assert!(answer.is_binary());
        assert_eq!(answer.as_payload()[..], [0xff, 1, 0]);
    }

    proptest! {
        #[test]
        fn twice_reversed_is_what_was_sent(text in ".{0,100}") {
            let twice = reversed(&reversed(&Message::text(text.clone())));
            prop_assert_eq!(twice.as_text(), Some(text.as_str()));
        }
    }
}
