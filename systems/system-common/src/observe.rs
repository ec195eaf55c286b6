//! What happens around each call: it is numbered, meets its faults, is counted and logged once, however it ends.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::middleware::Next;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use terms::Nanos;

use crate::access_log::Entry;
use crate::answers;
use crate::link::Link;
use crate::shared::{DelayAt, Shared};
use crate::shares::Hit;

/// Status in log and counters of a call whose client went away before the answer, as nginx has it.
const CLIENT_GONE: u16 = 499;
/// Status of a call that was answered with a reset.
const NO_ANSWER: u16 = 0;
/// Longest correlation id that is kept.
const CORRELATION_MAX: usize = 64;
/// Largest body that a fault can cut; larger ones become an error, so that a fault takes bounded memory.
const CUT_MAX: usize = 16 << 20;

/// One call from its head to the last byte of its answer, or to the end of the connection that it opened. Dropping it counts and logs it.
struct Call {
    shared: Arc<Shared>,
    route: usize,
    started: Instant,
    status: u16,
    bytes: u64,
    correlation: Box<str>,
}

/// The call that opened a connection which is held beyond its answer, an upgrade to another protocol. A handler takes it
/// out of the request and keeps it as long as the connection: the call is counted and logged when the last one is dropped,
/// with the duration of the whole connection.
#[derive(Clone, Default)]
pub struct HeldCall(Arc<Mutex<Option<Call>>>);

impl HeldCall {
    /// Adds bytes that were handed to the connection, to be logged.
    pub fn add_bytes(&self, bytes: u64) {
        if let Some(call) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            call.bytes += bytes;
        }
    }

    /// Takes the call over; it ends at once if nobody else holds this.
    fn take_over(self, call: Call) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.shared.counters.end(self.route, self.status);
        if self.shared.log.is_on() {
            let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            self.shared.log.note(Entry {
                wall: Nanos::from(wall),
                route: self.shared.counters.route_name(self.route),
                status: self.status,
                bytes: self.bytes,
                duration: self.started.elapsed(),
                correlation: std::mem::take(&mut self.correlation),
            });
        }
    }
}

/// The layer around all routes of a module.
pub(crate) async fn observe(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response<Body> {
    let number = shared.counters.begin();
    let mut call = Call {
        route: route(&shared, &request),
        started: Instant::now(),
        status: CLIENT_GONE,
        bytes: 0,
        correlation: correlation(request.headers()),
        shared: Arc::clone(&shared),
    };
    let link = request.extensions().get::<ConnectInfo<Link>>().map(|info| info.0.clone());
    let hit = shared.faults.shares.hit(number);
    let held = request.headers().contains_key(header::UPGRADE).then(HeldCall::default);
    if let Some(held) = &held {
        request.extensions_mut().insert(held.clone());
    }

    shared.wait_for_stall().await;
    shared.leak();
    if shared.delay_at == DelayAt::Entry && !shared.faults.delay.is_zero() {
        tokio::time::sleep(shared.faults.delay).await;
    }
    if let Some(hit) = hit {
        shared.counters.struck(hit);
    }
    let mut response = if hit == Some(Hit::Errors) {
        answers::text(StatusCode::INTERNAL_SERVER_ERROR, "fault `errors`: this call was not carried out\n")
    } else {
        next.run(request).await
    };
    stretch(call.started.elapsed().mul_f64(shared.faults.delay_share)).await;
    shared.wait_for_stall().await;

    call.status = response.status().as_u16();
    if let Some(held) = held
        && response.status() == StatusCode::SWITCHING_PROTOCOLS
        && hit != Some(Hit::Reset)
    {
        held.take_over(call);
        return response;
    }
    match hit {
        Some(Hit::Reset) => {
            if let Some(link) = link {
                link.reset();
            }
            call.status = NO_ANSWER;
            Response::new(observed(Body::empty(), call))
        }
        Some(Hit::Half) => half(response, call).await,
        Some(Hit::Wrong) if response.status().is_success() => {
            let body = wrong(response.headers());
            response.headers_mut().remove(header::CONTENT_LENGTH);
            response.map(|_| observed(body, call))
        }
        _ => response.map(|body| observed(body, call)),
    }
}

/// The runtime's timers tick in milliseconds; what is shorter is waited for by asking the clock.
const TICKS: Duration = Duration::from_millis(2);

/// Waits so long, to some microseconds: a share of a call that takes a millisecond is far below a timer's tick.
async fn stretch(wait: Duration) {
    let until = Instant::now() + wait;
    if wait > TICKS {
        tokio::time::sleep(wait - TICKS).await;
    }
    while Instant::now() < until {
        tokio::task::yield_now().await;
    }
}

fn route(shared: &Shared, request: &Request) -> usize {
    let pattern = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    shared.counters.route(request.method().as_str(), pattern)
}

/// The request's id as one harmless word: whatever else a client sends must not break the log's lines.
fn correlation(headers: &HeaderMap) -> Box<str> {
    let id = headers.get("x-request-id").map_or(&[][..], HeaderValue::as_bytes);
    id.iter().filter(|byte| byte.is_ascii_graphic()).take(CORRELATION_MAX).map(|&byte| char::from(byte)).collect()
}

/// Content that a check of the status alone takes for right.
fn wrong(headers: &HeaderMap) -> Body {
    let is_json =
        headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    Body::from(if is_json { "{\"fault\":\"wrong\"}" } else { "fault `wrong`\n" })
}

/// The answer with its full length announced, and half of its bytes.
async fn half(response: Response<Body>, call: Call) -> Response<Body> {
    let (mut head, body) = response.into_parts();
    let whole = match to_bytes(body, CUT_MAX).await {
        Ok(whole) if whole.len() >= 2 => whole,
        // Nothing to cut: an empty answer cannot end half-way.
        Ok(whole) => return Response::from_parts(head, observed(Body::from(whole), call)),
        Err(_) => {
            let answer =
                answers::text(StatusCode::INTERNAL_SERVER_ERROR, "fault `half`: the answer is too large to cut\n");
            return answer.map(|body| observed(body, call));
        }
    };
    head.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(whole.len()));
    let cut = Cut { piece: Some(whole.slice(..whole.len() / 2)), is_flushed: false };
    Response::from_parts(head, observed(Body::new(cut), call))
}

/// A body that breaks after one piece.
struct Cut {
    piece: Option<Bytes>,
    is_flushed: bool,
}

impl HttpBody for Cut {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(piece) = self.piece.take() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        if !self.is_flushed {
            // The server writes its buffer out when a body has nothing ready; an error at once would drop the piece.
            self.is_flushed = true;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(Err(io::Error::new(io::ErrorKind::UnexpectedEof, "cut on purpose"))))
    }
}

/// Any body, with the call that it ends.
struct Observed {
    body: Body,
    call: Call,
}

fn observed(body: Body, call: Call) -> Body {
    Body::new(Observed { body, call })
}

impl HttpBody for Observed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            self.call.bytes += data.len() as u64;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Shared {
    /// Waits while the fault `stall` lasts.
    async fn wait_for_stall(&self) {
        let Some(stall) = self.faults.stall else { return };
        let wait = stall.wait(self.born.elapsed());
        if wait > Duration::ZERO {
            self.counters.stalled();
            tokio::time::sleep(wait).await;
        }
    }

    /// Keeps memory for ever, written to, so that the system has to provide it.
    fn leak(&self) {
        let bytes = self.faults.leak_bytes;
        if bytes == 0 {
            return;
        }
        let mut leaked = self.leaked.lock().unwrap_or_else(PoisonError::into_inner);
        // All pieces are equally long. The bound keeps a forgotten run from taking the whole machine with it.
        if (leaked.len() + 1).saturating_mul(bytes) <= LEAK_TOTAL_MAX {
            leaked.push(vec![0xA5; bytes]);
            self.counters.leaked(bytes);
        }
    }
}

/// Leaking stops here: far above any limit that a study would set for a service.
const LEAK_TOTAL_MAX: usize = 8 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stretch_is_never_too_short() {
        for wait in [Duration::ZERO, Duration::from_micros(70), Duration::from_millis(5)] {
            let since = Instant::now();
            stretch(wait).await;
            assert!(since.elapsed() >= wait);
        }
    }

    #[test]
    fn a_hostile_correlation_id_becomes_one_word() {
        let mut headers = HeaderMap::new();
        assert_eq!(&*correlation(&headers), "");
        headers.insert("x-request-id", HeaderValue::from_bytes(b"a b\tc\xff\"d").unwrap());
        assert_eq!(&*correlation(&headers), "abc\"d");
        headers.insert("x-request-id", HeaderValue::from_str(&"x".repeat(500)).unwrap());
        assert_eq!(correlation(&headers).len(), CORRELATION_MAX);
    }
}
