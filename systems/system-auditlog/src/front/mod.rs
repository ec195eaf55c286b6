//! The front: one address for several lookups and registrations, which take turns. It looks at no envelope.

mod replicas;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response};
use axum::routing::post;
use serde_json::{Map, Value};
use system_common::Module;

use crate::soap::{REGISTER_BOUNDS, REQUEST_MAX};
use crate::web::whole;
use replicas::Replicas;

/// Routes of the front.
pub(crate) const ROUTES: &[&str] = &["POST /minlog/", "POST /registration/"];

/// What a front is told on the command line.
pub(crate) struct Settings {
    pub(crate) lookups: Vec<Authority>,
    pub(crate) registers: Vec<Authority>,
    /// How many times the work of the others the first one gets.
    pub(crate) skew: f64,
    /// Longest time for a lookup's whole answer.
    pub(crate) timeout: Duration,
    /// How long one that could not be reached is left out.
    pub(crate) rest: Duration,
}

pub(crate) struct Front {
    lookups: Replicas,
    registers: Replicas,
    correlations: AtomicU64,
}

/// The header that joins the logs.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Headers of a call that go on to the lookup.
const ONWARD: [HeaderName; 3] =
    [HeaderName::from_static("content-type"), HeaderName::from_static("soapaction"), REQUEST_ID];

impl Front {
    pub(crate) fn new(settings: &Settings) -> Arc<Self> {
        Arc::new(Self {
            lookups: Replicas::new("lookup", &settings.lookups, settings),
            registers: Replicas::new("registration", &settings.registers, settings),
            correlations: AtomicU64::new(0),
        })
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/minlog/", post(look_up))
            .route("/registration/", post(register))
            .with_state(Arc::clone(self))
    }

    fn onward(&self, headers: &HeaderMap) -> HeaderMap {
        let mut onward = HeaderMap::with_capacity(ONWARD.len());
        for name in &ONWARD {
            if let Some(value) = headers.get(name) {
                onward.insert(name, value.clone());
            }
        }
        if !onward.contains_key(&REQUEST_ID) {
            let number = self.correlations.fetch_add(1, Relaxed);
            let id = HeaderValue::try_from(format!("front-{}-{number}", std::process::id()));
            onward.extend(id.map(|id| (REQUEST_ID, id)));
        }
        onward
    }
}

impl Module for Front {
    /// The front itself: a lookup that is down has a health of its own.
    async fn health(&self) -> Result<(), String> {
        Ok(())
    }

    fn counters(&self) -> Map<String, Value> {
        let (lookups, registers) = (self.lookups.counters(), self.registers.counters());
        [("lookups".to_owned(), lookups), ("registrations".to_owned(), registers)].into_iter().collect()
    }
}

async fn look_up(State(front): State<Arc<Front>>, request: Request) -> Response<Body> {
    pass_on(&front, &front.lookups, "/minlog/", request, REQUEST_MAX).await
}

async fn register(State(front): State<Arc<Front>>, request: Request) -> Response<Body> {
    pass_on(&front, &front.registers, "/registration/", request, REGISTER_BOUNDS.bytes).await
}

async fn pass_on(
    front: &Front,
    replicas: &Replicas,
    path: &'static str,
    request: Request,
    most: usize,
) -> Response<Body> {
    match whole(request, most).await {
        Ok((headers, body)) => replicas.send(path, front.onward(&headers), body).await,
        Err(answer) => *answer,
    }
}
