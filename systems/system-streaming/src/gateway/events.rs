//! Event streams of the backend, relayed event by event. The next one is read when the reader has taken the one before.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, Uri, header};
use futures_util::stream::unfold;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::REQUEST_ID;
use super::blocks::{Block, Blocks};
use crate::traffic::{Connection, End, Fate, Stop, Traffic, WRONG};

/// The header by which a reader that comes back says what it had.
const LAST_EVENT_ID: &str = "last-event-id";
/// Smallest read buffer that the HTTP client takes.
const BUFFER: usize = 8192;

/// Asks the backend for its stream.
pub(super) async fn open(
    stream: TcpStream,
    uri: Uri,
    headers: &HeaderMap,
    correlation: HeaderValue,
) -> Result<Incoming, String> {
    let told = |error: hyper::Error| error.to_string();
    let mut builder = hyper::client::conn::http1::Builder::new();
    let (mut sender, connection) = builder.max_buf_size(BUFFER).handshake(TokioIo::new(stream)).await.map_err(told)?;
    // Ends with the body: nothing else holds the connection. What broke is told by the body.
    tokio::spawn(async move { _ = connection.await });
    let host = uri.authority().map(ToString::to_string).unwrap_or_default();
    let mut request = Request::get(uri.path_and_query().map_or("/", |path| path.as_str()))
        .header(header::HOST, host)
        .header(header::ACCEPT, "text/event-stream")
        .header(REQUEST_ID, correlation);
    if let Some(id) = headers.get(LAST_EVENT_ID) {
        request = request.header(LAST_EVENT_ID, id);
    }
    let request = request.body(Empty::<Bytes>::new()).map_err(|error| error.to_string())?;
    let answer = sender.send_request(request).await.map_err(told)?;
    match answer.status() {
        StatusCode::OK => Ok(answer.into_body()),
        status => Err(format!("it answers {status}")),
    }
}

/// One stream while it is relayed.
struct Relay {
    backend: Incoming,
    blocks: Blocks,
    connection: Connection,
    traffic: Arc<Traffic>,
    stop: Pin<Box<dyn Future<Output = Stop> + Send>>,
}

/// The body for the client.
pub(super) fn relay(backend: Incoming, mut connection: Connection, traffic: Arc<Traffic>) -> Body {
    connection.open(End::Closed);
    let stop = Box::pin(Arc::clone(&traffic).stop());
    let relay = Relay { backend, blocks: Blocks::default(), connection, traffic, stop };
    Body::from_stream(unfold(Some(relay), async |relay| relay?.next().await))
}

/// What a body's stream comes to: a piece and the stream after it.
type Step = Option<(io::Result<Bytes>, Option<Relay>)>;

impl Relay {
    async fn next(mut self) -> Step {
        loop {
            while let Some(block) = self.blocks.next() {
                if let Some(bytes) = self.hand(block).await {
                    return Some((Ok(bytes), Some(self)));
                }
            }
            let frame = tokio::select! {
                frame = self.backend.frame() => frame,
                stop = &mut self.stop => {
                    if stop == Stop::End {
                        return None;
                    }
                    self.connection.ends(End::Cut);
                    return broken("fault `cut_after`");
                }
            };
            match frame {
                Some(Ok(frame)) => {
                    let Ok(data) = frame.into_data() else { continue };
                    if !self.blocks.push(&data) {
                        self.connection.ends(End::Lost);
                        return broken("an event of the backend is too large");
                    }
                }
                // Each stream of the backend goes on for ever: one that ends is lost, too.
                None => {
                    self.connection.ends(End::Lost);
                    return None;
                }
                Some(Err(_)) => {
                    self.connection.ends(End::Lost);
                    return broken("the backend broke off");
                }
            }
        }
    }

    /// What is written for a block; comments and the like meet no faults but `mute`.
    async fn hand(&mut self, block: Block) -> Option<Bytes> {
        if self.traffic.is_mute() {
            return None;
        }
        if !block.is_event {
            return Some(block.bytes);
        }
        match self.traffic.hand(&self.traffic.events).await {
            Fate::Passed => Some(block.bytes),
            Fate::Dropped => None,
            Fate::Doubled => Some(Bytes::from([&block.bytes[..], &block.bytes[..]].concat())),
            Fate::Wrong => Some(Bytes::from(format!("data: {WRONG}\n\n"))),
        }
    }
}

/// An error ends the body without its last chunk, and so breaks the connection.
fn broken(why: &str) -> Step {
    Some((Err(io::Error::other(why.to_owned())), None))
}
