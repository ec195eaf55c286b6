//! The server: who may ask, what is answered, and events as they come.

use crate::LiveError;
use crate::address::is_own_host;
use crate::history::TooLate;
use crate::reader::{Judge, Order, Reader, Shared, be_nice};
use crate::standing::{Outcome, Requirement};
use crate::token::Token;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use futures_util::stream;
use record::Head;
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Pages that may be open at once.
const READERS_MAX: usize = 32;
/// So long a reader may take nothing before its connection is given up.
const STALLED_MS: u32 = 20_000;
/// Between two signs of life where nothing is new.
const ALIVE: Duration = Duration::from_secs(10);
/// So long what the run came to may take to be read in.
const TAKEN_IN: Duration = Duration::from_secs(10);
/// Readers are given so long to hear the last word.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// Where a page has its token when it asks for an end.
const TOKEN: HeaderName = HeaderName::from_static("x-loadproof-token");
/// Nothing but what is served here, nothing in frames, no styles or scripts within texts.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What a page may ask of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// No new starts; what is open may end.
    Drain,
    /// End at once.
    Stop,
}

/// What a page is served with.
pub struct Wanted {
    /// See [`crate::loopback`].
    pub address: SocketAddr,
    /// How a run is asked for an end, and whether there is one that hears it; `None` where it is not this process's to end.
    pub ask: Option<Box<dyn Fn(Ask) -> bool + Send + Sync>>,
    /// Says what heads of earlier versions leave out.
    pub fill_in: fn(&mut Head),
    /// The requirements of a run, before any is judged.
    pub planned: fn(&Path) -> Vec<Requirement>,
    /// Judges a folder as it is, whether the run goes on or not.
    pub judged: fn(&Path) -> Result<Outcome, String>,
    /// Whether what the run came to is stated by [`Live::over`]; else it is judged here once it has ended.
    pub is_told: bool,
}

/// A page that is being served.
pub struct Live {
    address: SocketAddr,
    token: Option<String>,
    orders: Sender<Order>,
    end: Option<oneshot::Sender<()>>,
    server: Option<JoinHandle<()>>,
    #[cfg(test)]
    pub(crate) shared: Shared,
}

struct Served {
    address: SocketAddr,
    token: Token,
    ask: Option<Box<dyn Fn(Ask) -> bool + Send + Sync>>,
    shared: Shared,
    readers: AtomicUsize,
    /// Set when the server is about to end.
    is_ending: watch::Receiver<bool>,
}

impl Live {
    /// Serves the page, of no run yet.
    ///
    /// # Errors
    /// [`LiveError::Bind`] where the port is taken; [`LiveError::System`] where the system gives no thread.
    pub fn start(wanted: Wanted) -> Result<Self, LiveError> {
        let bind = |why| LiveError::Bind { address: wanted.address, why };
        let listener = TcpListener::bind(wanted.address).map_err(bind)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let shared = Shared::new();
        let token = Token::new()?;
        let shown = wanted.ask.is_some().then(|| token.text().to_owned());
        let (end, is_over) = oneshot::channel();
        let (ending, is_ending) = watch::channel(false);
        let served =
            Served { address, token, ask: wanted.ask, shared: shared.clone(), readers: AtomicUsize::new(0), is_ending };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let serve = move || {
            be_nice();
            runtime.block_on(serve(listener, served, is_over, ending));
        };
        let (orders, ordered) = channel();
        let judge =
            Judge { fill_in: wanted.fill_in, planned: wanted.planned, judged: wanted.judged, is_told: wanted.is_told };
        let own = orders.clone();
        let reader = Reader { shared: shared.clone(), judge, orders: ordered, own, spent: Arc::default() };
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let server = named("live-serve").spawn(serve)?;
        drop(named("live-read").spawn(move || reader.run())?);
        Ok(Self {
            address,
            token: shown,
            orders,
            end: Some(end),
            server: Some(server),
            #[cfg(test)]
            shared,
        })
    }

    /// Address of the page; with the token in the part that browsers keep to themselves, where a run can be ended from it.
    pub fn url(&self) -> String {
        let token = self.token.as_ref().map_or_else(String::new, |token| format!("#{token}"));
        format!("http://{}/{token}", self.address)
    }

    /// Shows the run in this folder.
    pub fn follow(&self, path: &Path) {
        self.order(Order::Follow(path.to_owned()));
    }

    /// Shows what the run came to, behind all that was recorded of it.
    pub fn over(&self, outcome: Outcome) {
        let (done, is_done) = sync_channel(1);
        self.order(Order::Over(Box::new(outcome), done));
        // Should it be gone, or take longer, then the page does not say it.
        let _ = is_done.recv_timeout(TAKEN_IN);
    }

    /// The thread that reads is gone only when everything is.
    fn order(&self, order: Order) {
        drop(self.orders.send(order));
    }

    /// Serves nothing more, once those who have the page open have heard the last word.
    pub fn end(mut self) {
        self.finish();
    }

    fn finish(&mut self) {
        self.order(Order::End);
        if let Some(end) = self.end.take() {
            let _ = end.send(());
        }
        if let Some(server) = self.server.take() {
            drop(server.join());
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.finish();
    }
}

async fn serve(listener: TcpListener, served: Served, is_over: oneshot::Receiver<()>, ending: watch::Sender<bool>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let listener = listener.tap_io(|connection| {
        // Whoever takes nothing is given up by the kernel: nothing here waits for it.
        let _ = rustix::net::sockopt::set_tcp_user_timeout(&*connection, STALLED_MS);
        let _ = connection.set_nodelay(true);
    });
    let served = Arc::new(served);
    let router = Router::new()
        .route("/", get(|| file("text/html; charset=utf-8", include_str!("../assets/live.html"))))
        .route("/live.css", get(|| file("text/css; charset=utf-8", include_str!("../assets/live.css"))))
        .route("/live.js", get(|| file("text/javascript; charset=utf-8", include_str!("../assets/live.js"))))
        .route("/chart.js", get(|| file("text/javascript; charset=utf-8", include_str!("../assets/chart.js"))))
        .route("/state", get(state))
        .route("/events", get(events))
        .route("/drain", post(|served, headers| ask(served, headers, Ask::Drain)))
        .route("/stop", post(|served, headers| ask(served, headers, Ask::Stop)))
        .fallback(other)
        .layer(from_fn_with_state(Arc::clone(&served), guard))
        .with_state(served);
    let serving = axum::serve(listener, router).into_future();
    tokio::select! {
        _ = serving => {}
        () = async {
            let _ = is_over.await;
            ending.send_replace(true);
            // Streams end when they have said all; whoever does not take it is not waited for.
            let all_have_heard = async {
                while ending.receiver_count() > 1 {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            let _ = tokio::time::timeout(LAST_WORDS, all_have_heard).await;
        } => {}
    }
}

async fn file(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// Refuses what was not asked of this server by its name, and says what a browser may do with the answer.
async fn guard(State(served): State<Arc<Served>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let mut response = if host.is_some_and(|host| is_own_host(host, served.address)) {
        next.run(request).await
    } else {
        let text = format!("this is the live page of loadproof, which answers only as http://{}/\n", served.address);
        (StatusCode::MISDIRECTED_REQUEST, text).into_response()
    };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn state(State(served): State<Arc<Served>>) -> Response {
    let text = served.shared.history().snapshot(served.ask.is_some());
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

async fn other() -> Response {
    (StatusCode::NOT_FOUND, "the live page is at /\n").into_response()
}

async fn ask(State(served): State<Arc<Served>>, headers: HeaderMap, asked: Ask) -> Response {
    let Some(ask) = &served.ask else {
        return (StatusCode::CONFLICT, "this page only watches: the run is another process's, or over\n")
            .into_response();
    };
    if !headers.get(TOKEN).is_some_and(|given| served.token.is(given.as_bytes())) {
        let text =
            "this page has no token of this run and only watches; open the address that the command has printed\n";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    if ask(asked) {
        StatusCode::ACCEPTED.into_response()
    } else {
        (StatusCode::CONFLICT, "the run has not begun yet; end the command with Ctrl-C\n").into_response()
    }
}

/// One of the pages that are open.
struct Seat(Arc<Served>);

impl Seat {
    fn take(served: &Arc<Served>) -> Option<Self> {
        let taken = served
            .readers
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| (taken < READERS_MAX).then_some(taken + 1));
        taken.is_ok().then(|| Self(Arc::clone(served)))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A page and the message that it takes next.
struct Reading {
    seat: Seat,
    news: watch::Receiver<u64>,
    is_ending: watch::Receiver<bool>,
    next: u64,
    is_over: bool,
}

async fn events(State(served): State<Arc<Served>>, request: Request<Body>) -> Response {
    let Some(seat) = Seat::take(&served) else {
        let text = format!("{READERS_MAX} pages are open already; close one of them\n");
        return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    };
    let news = served.shared.listen();
    let next = first_message(&served, &request);
    let is_ending = served.is_ending.clone();
    let reading = Reading { seat, news, is_ending, next: next.unwrap_or(0), is_over: false };
    let first = next.is_none().then(again);
    let stream = stream::unfold((reading, first), |(mut reading, first)| async move {
        if let Some(first) = first {
            reading.is_over = true;
            return Some((Ok::<_, Infallible>(first), (reading, None)));
        }
        let event = reading.next().await?;
        Some((Ok(event), (reading, None)))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(ALIVE)).into_response()
}

/// Tells a page to begin with a new snapshot. It says something, since browsers drop an event that says nothing.
fn again() -> Event {
    Event::default().event("again").data("snapshot")
}

/// The message with which a page goes on: behind the second that it saw last, or where its snapshot ended. `None` where
/// that is no longer kept.
fn first_message(served: &Served, request: &Request<Body>) -> Option<u64> {
    let history = served.shared.history();
    if let Some(last) = request.headers().get("last-event-id").and_then(|last| last.to_str().ok()) {
        return history.behind(last.parse().ok()?);
    }
    let query = request.uri().query().unwrap_or_default();
    let from: u64 = query.strip_prefix("from=")?.parse().ok()?;
    (from <= history.next_message() && history.message(from).is_ok()).then_some(from)
}

impl Reading {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if self.is_over {
                return None;
            }
            self.news.borrow_and_update();
            match self.seat.0.shared.history().message(self.next) {
                Ok(Some(message)) => {
                    self.next += 1;
                    let event = Event::default().event(message.kind).data(&*message.text);
                    let with_id = |second: i64| event.clone().id(second.to_string());
                    return Some(message.second.map_or_else(|| event.clone(), with_id));
                }
                Ok(None) => {}
                Err(TooLate) => {
                    self.is_over = true;
                    return Some(again());
                }
            }
            if *self.is_ending.borrow() {
                return None;
            }
            tokio::select! {
                changed = self.news.changed() => changed.ok()?,
                changed = self.is_ending.changed() => changed.ok()?,
            }
        }
    }
}
