//! Serving the listeners: read a request, find its driver, answer, hand the arrival on.

use crate::Bound;
use crate::counts::{Counts, add};
use crate::stamped::{Stamp, Stamped};
use clock::Clock;
use contract::{Answer, Failure, Reply, ReplyHandler, RequestHead};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use recorder::{Arrival, Refusal};
use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use terms::{Nanos, Outcome};
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

/// Bytes of one request's body. A reply is some kilobytes; what is larger than this is not a reply.
const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of a request's head.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Connections to all listeners at once; more wait in the kernel.
const CONNECTIONS_MAX: usize = 4096;
/// A caller that takes longer for a head or a handshake is let go.
const PATIENCE: Duration = Duration::from_secs(30);
/// Requests of nobody that are told; all are counted.
const TOLD_MAX: u32 = 20;
/// Bytes of such a request that are told.
const TOLD_BYTES_MAX: usize = 300;
/// Characters of what identifies one that are told: its ids are the system's, and as long as that likes.
const IDENTITY_CHARS_MAX: usize = 500;

/// What became of an arrival that was handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed {
    /// Some thread books it.
    Taken,
    /// Its scenario is over.
    TooLate,
    /// Nobody can have asked for it.
    Unknown,
}

/// Something that a reader of the run should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub at: Nanos,
    /// Name of the listener.
    pub listener: String,
    /// `reply_unknown`, `reply_unasked`, `reply_unreadable`, `reply_too_late`, `request_unclaimed` or
    /// `request_claimed_twice`.
    pub kind: &'static str,
    /// One sentence, with what came.
    pub text: String,
}

/// Listeners at work. Dropping it ends them.
pub struct Listening {
    counts: Vec<(String, Arc<Counts>)>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Listening {
    /// The counts of each listener.
    pub fn counts(&self) -> Vec<(String, Arc<Counts>)> {
        self.counts.clone()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // A thread that has ended by itself needs no telling.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Serves all listeners on one thread until the result is dropped. `hand_in` and `tell` are called from it and must not
/// block.
///
/// # Errors
/// When the system refuses a thread or a socket.
pub fn serve(
    bound: Vec<Bound>,
    handlers: Vec<Box<dyn ReplyHandler>>,
    clock: Clock,
    hand_in: impl Fn(Arrival) -> Handed + Send + 'static,
    tell: impl Fn(Notice) + Send + 'static,
) -> Result<Listening, Failure> {
    let refused = |error: std::io::Error| Failure::new(format!("the listeners cannot be served: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
    let counts: Vec<_> = bound.iter().map(|bound| (bound.name.clone(), Arc::new(Counts::default()))).collect();
    let own = counts.clone();
    let (stop, stopped) = oneshot::channel();
    let body = move || {
        let desk = Desk { handlers: RefCell::new(handlers), clock, hand_in: Box::new(hand_in), tell: Box::new(tell) };
        let desk = Rc::new(desk);
        let local = tokio::task::LocalSet::new();
        let permits = Arc::new(tokio::sync::Semaphore::new(CONNECTIONS_MAX));
        for (bound, (_, counts)) in bound.into_iter().zip(own) {
            local.spawn_local(accept(bound, desk.clone(), counts, permits.clone()));
        }
        // What is open is dropped with the set: nobody waits for its answer any more.
        let _ = local.block_on(&runtime, stopped);
    };
    let thread = std::thread::Builder::new().name("listen".into()).spawn(body).map_err(refused)?;
    Ok(Listening { counts, stop: Some(stop), thread: Some(thread) })
}

/// What all connections share.
struct Desk {
    handlers: RefCell<Vec<Box<dyn ReplyHandler>>>,
    clock: Clock,
    hand_in: Box<dyn Fn(Arrival) -> Handed>,
    tell: Box<dyn Fn(Notice)>,
}

/// One listener, with how much was told of it.
struct Counter {
    name: String,
    counts: Arc<Counts>,
    told: std::cell::Cell<u32>,
}

async fn accept(bound: Bound, desk: Rc<Desk>, counts: Arc<Counts>, permits: Arc<tokio::sync::Semaphore>) {
    let Bound { name, socket, tls, .. } = bound;
    let Ok(listener) = tokio::net::TcpListener::from_std(socket) else { return };
    let acceptor = tls.map(TlsAcceptor::from);
    let counter = Rc::new(Counter { name, counts, told: std::cell::Cell::new(0) });
    loop {
        let Ok(permit) = permits.clone().acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // Out of descriptors, or a caller that has gone: the next one may come.
            Err(_) => {
                add(&counter.counts.broken);
                tokio::time::sleep(Duration::from_millis(10)).await;
                continue;
            }
        };
        // Answers are small and wait for nothing behind them.
        let _ = stream.set_nodelay(true);
        let (desk, counter, acceptor) = (desk.clone(), counter.clone(), acceptor.clone());
        tokio::task::spawn_local(async move {
            add(&counter.counts.open);
            let stamp = Stamp::default();
            let served = match acceptor {
                None => {
                    connection(Stamped::new(stream, desk.clock.clone(), stamp.clone()), stamp, &desk, &counter).await
                }
                Some(acceptor) => match tokio::time::timeout(PATIENCE, acceptor.accept(stream)).await {
                    Ok(Ok(stream)) => {
                        let stream = Stamped::new(stream, desk.clock.clone(), stamp.clone());
                        connection(stream, stamp, &desk, &counter).await
                    }
                    _ => false,
                },
            };
            if !served {
                add(&counter.counts.broken);
            }
            counter.counts.open.fetch_sub(1, Ordering::Relaxed);
            drop(permit);
        });
    }
}

/// Serves one connection to its end. Returns whether it spoke HTTP.
async fn connection<T>(stream: Stamped<T>, stamp: Stamp, desk: &Rc<Desk>, counter: &Rc<Counter>) -> bool
where
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + 'static,
{
    let service = service_fn(|request| {
        let (desk, counter, stamp) = (desk.clone(), counter.clone(), stamp.clone());
        async move {
            let answer = take(request, &stamp, &desk, &counter).await;
            stamp.clear();
            Ok::<_, Infallible>(answer)
        }
    });
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .await
        .is_ok()
}

async fn take(request: Request<Incoming>, stamp: &Stamp, desk: &Desk, counter: &Counter) -> Response<Full<Bytes>> {
    let at = stamp.first().unwrap_or_else(|| desk.clock.now());
    let (parts, body) = request.into_parts();
    let whole = tokio::time::timeout(PATIENCE, Limited::new(body, BODY_BYTES_MAX).collect()).await;
    let Ok(Ok(body)) = whole else {
        add(&counter.counts.broken);
        return answer(&Answer { status: 400, ..Answer::default() });
    };
    let body = body.to_bytes();
    let whole_at = stamp.last().unwrap_or(at);
    add(&counter.counts.requests);
    let headers: Vec<(&str, &[u8])> =
        parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let head = RequestHead { method: parts.method.as_str(), path, headers: &headers, at };
    let mut handlers = desk.handlers.borrow_mut();
    let mut own = handlers.iter_mut().filter(|handler| handler.claims(&head));
    let Some(handler) = own.next() else {
        add(&counter.counts.unclaimed);
        let told = Stray { kind: "request_unclaimed", what: "a request that no driver claims", handler: None };
        tell(desk, counter, &told, &head, &body);
        return answer(&Answer { status: 404, ..Answer::default() });
    };
    if own.next().is_some() {
        let (kind, what) = ("request_claimed_twice", "a request that two drivers claim");
        tell(desk, counter, &Stray { kind, what, handler: Some(&**handler) }, &head, &body);
    }
    let at = if handler.is_timed_when_whole() { whole_at } else { at };
    let mut given = Answer { status: 204, ..Answer::default() };
    let reply = handler.handle(&head, &body, &mut given);
    let counts = &counter.counts;
    let arrival =
        |key, outcome, why| Ok(Arrival { key, at, outcome, why, refusal: None, unmatched: counts.unmatched.clone() });
    let arrival = match reply {
        Reply::Match { key, outcome, why, .. } => arrival(key, outcome, why),
        Reply::Handshake { key } => {
            add(&counts.handshakes);
            arrival(key, Outcome::Ok, None)
        }
        Reply::Refusal { keys: [Some(key), next], leg, outcome, why } => {
            arrival(key, outcome, why).map(|it| Arrival { refusal: Some(Refusal { next, leg }), ..it })
        }
        Reply::Gone => {
            add(&counts.handshakes);
            return answer(&given);
        }
        Reply::Unasked => Err((&counts.unasked, "reply_unasked", "a reply that names a message of this run, unasked")),
        Reply::Unreadable => Err((&counts.unreadable, "reply_unreadable", "a reply that cannot be read")),
        Reply::Unknown | Reply::Refusal { .. } => Err(unknown(counts)),
    };
    let stray = match arrival.map(&desk.hand_in) {
        Ok(Handed::Taken) => {
            add(&counts.handed);
            None
        }
        Ok(Handed::TooLate) => Some((&counts.too_late, "reply_too_late", "a reply to a scenario that is over")),
        Ok(Handed::Unknown) => Some(unknown(counts)),
        Err(stray) => Some(stray),
    };
    if let Some((count, kind, what)) = stray {
        add(count);
        tell(desk, counter, &Stray { kind, what, handler: Some(&**handler) }, &head, &body);
    }
    answer(&given)
}

/// What nobody in this run waits for.
fn unknown(counts: &Counts) -> (&AtomicU64, &'static str, &'static str) {
    (&counts.unknown, "reply_unknown", "a reply that nobody in this run waits for")
}

/// A request that closes no leg.
struct Stray<'a> {
    kind: &'static str,
    what: &'static str,
    /// Whoever claims it.
    handler: Option<&'a dyn ReplyHandler>,
}

/// Tells of it: first what identifies it, so that no reader's cut takes that away, then how its text begins.
fn tell(desk: &Desk, counter: &Counter, stray: &Stray<'_>, head: &RequestHead<'_>, body: &[u8]) {
    counter.told.set(counter.told.get() + 1);
    if counter.told.get() > TOLD_MAX {
        return;
    }
    let Stray { kind, what, handler } = stray;
    let (cut, dots) = if body.len() > TOLD_BYTES_MAX { (&body[..TOLD_BYTES_MAX], "…") } else { (body, "") };
    let mut text = format!("{what}: {} {} ", head.method, head.path);
    if let Some(identity) = handler.and_then(|handler| handler.identify(head, body)) {
        let end = identity.char_indices().nth(IDENTITY_CHARS_MAX);
        text.push_str(end.map_or(&*identity, |(end, _)| &identity[..end]));
        text.push_str(": ");
    }
    text.push_str(&String::from_utf8_lossy(cut));
    text.push_str(dots);
    (desk.tell)(Notice { at: head.at, listener: counter.name.clone(), kind, text });
}

fn answer(given: &Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(given.body.clone())));
    *response.status_mut() =
        hyper::StatusCode::from_u16(given.status).unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    if !given.content_type.is_empty() {
        let value = hyper::header::HeaderValue::from_static(given.content_type);
        response.headers_mut().insert(hyper::header::CONTENT_TYPE, value);
    }
    response
}
