//! The gateway: checks the token, opens a connection to the backend for each of a client, and relays.

mod blocks;
mod events;
mod hub;
mod relay;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri};
use axum::routing::{get, post};
use serde_json::{Map, Value};
use system_common::{Module, text};
use tokio::net::TcpStream;

use crate::backend::event_stream;
use crate::tokens;
use crate::traffic::{Refused, Traffic};
use crate::websocket::Opening;

/// Routes of the gateway.
pub(crate) const ROUTES: &[&str] = &["GET /echoapi/1.0.0", "GET /sse/1.0.0/events", "POST /hub"];

/// Longest time that the backend may take to open a connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// The header that joins the logs.
const REQUEST_ID: &str = "x-request-id";

pub(crate) struct Gateway {
    traffic: Arc<Traffic>,
    backend: Authority,
    hub: Option<Authority>,
    tenant: String,
    /// Whether clients speak TLS with it.
    is_tls: bool,
    key: tokens::Key,
    correlations: AtomicU64,
}

impl Gateway {
    pub(crate) fn new(
        traffic: Arc<Traffic>,
        to: (Authority, Option<Authority>),
        (tenant, key): (String, tokens::Key),
        is_tls: bool,
    ) -> Arc<Self> {
        let (backend, hub) = to;
        Arc::new(Self { traffic, backend, hub, tenant, is_tls, key, correlations: AtomicU64::new(0) })
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/echoapi/1.0.0", get(echo))
            .route("/sse/1.0.0/events", get(stream))
            .route("/hub", post(at_hub))
            .fallback(async || text(StatusCode::NOT_FOUND, "no API has this path\n"))
            .with_state(Arc::clone(self))
    }

    /// The refusal of a request without a good token.
    fn check_token(&self, headers: &HeaderMap) -> Result<(), Box<Response<Body>>> {
        tokens::check(headers, &self.key, &self.tenant).map_err(|(status, why)| {
            self.traffic.refuse(Refused::Token);
            let mut refusal = text(status, why + "\n");
            if status == StatusCode::UNAUTHORIZED {
                refusal.headers_mut().insert("www-authenticate", HeaderValue::from_static("Bearer"));
            }
            Box::new(refusal)
        })
    }

    /// The answer for a backend that does not open a connection.
    fn no_backend(&self, why: &str) -> Box<Response<Body>> {
        self.traffic.refuse(Refused::Backend);
        Box::new(text(StatusCode::BAD_GATEWAY, format!("the backend at {} does not answer: {why}\n", self.backend)))
    }

    /// A connection to the backend.
    async fn connect(&self) -> Result<TcpStream, String> {
        let stream = TcpStream::connect(self.backend.as_str()).await.map_err(|error| error.to_string())?;
        // Without it small messages wait for the other side's delayed acknowledgement. A failure is harmless.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }

    /// An address at the backend, with the query of the client's.
    fn uri(&self, scheme: &str, path: &str, query: Option<&str>) -> Result<Uri, String> {
        let path = query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
        let uri = Uri::builder().scheme(scheme).authority(self.backend.clone()).path_and_query(path).build();
        uri.map_err(|error| error.to_string())
    }

    /// The id of the client's request, or a new one.
    fn correlation(&self, headers: &HeaderMap) -> HeaderValue {
        headers.get(REQUEST_ID).cloned().unwrap_or_else(|| {
            let number = self.correlations.fetch_add(1, Relaxed);
            let id = format!("gateway-{}-{number}", std::process::id());
            HeaderValue::try_from(id).expect("invariant: letters, digits and hyphens")
        })
    }
}

impl Module for Gateway {
    /// The gateway itself: a backend that is down has a health of its own.
    async fn health(&self) -> Result<(), String> {
        Ok(())
    }

    fn counters(&self) -> Map<String, Value> {
        self.traffic.counters()
    }
}

async fn echo(State(gateway): State<Arc<Gateway>>, request: Request) -> Response<Body> {
    gateway.echo(request).await.unwrap_or_else(|refusal| *refusal)
}

async fn at_hub(State(gateway): State<Arc<Gateway>>, request: Request) -> Response<Body> {
    gateway.at_hub(request).await.unwrap_or_else(|refusal| *refusal)
}

async fn stream(State(gateway): State<Arc<Gateway>>, request: Request) -> Response<Body> {
    gateway.stream(request).await.unwrap_or_else(|refusal| *refusal)
}

impl Gateway {
    async fn echo(&self, request: Request) -> Result<Response<Body>, Box<Response<Body>>> {
        self.check_token(request.headers())?;
        let correlation = self.correlation(request.headers());
        let query = request.uri().query().map(str::to_owned);
        let opening = Opening::of(request)?;
        let connection = self.traffic.admit()?;
        let opened = async {
            let uri = self.uri("ws", "/echo", query.as_deref())?;
            relay::open(self.connect().await?, uri, correlation).await
        };
        let backend = within_patience(opened).await.map_err(|why| self.no_backend(&why))?;
        let traffic = Arc::clone(&self.traffic);
        Ok(opening.agree(connection, false, |client| relay::serve(client, backend, traffic)))
    }

    async fn stream(&self, request: Request) -> Result<Response<Body>, Box<Response<Body>>> {
        let (head, _) = request.into_parts();
        self.check_token(&head.headers)?;
        let connection = self.traffic.admit()?;
        let opened = async {
            let uri = self.uri("http", "/events", head.uri.query())?;
            events::open(self.connect().await?, uri, &head.headers, self.correlation(&head.headers)).await
        };
        let body = within_patience(opened).await.map_err(|why| self.no_backend(&why))?;
        Ok(event_stream(events::relay(body, connection, Arc::clone(&self.traffic))))
    }
}

async fn within_patience<T>(opened: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    match tokio::time::timeout(PATIENCE, opened).await {
        Ok(opened) => opened,
        Err(_) => Err(format!("it took longer than {PATIENCE:?}")),
    }
}
