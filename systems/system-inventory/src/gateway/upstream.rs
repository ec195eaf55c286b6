//! One module behind the gateway, in one replica or several: kept connections, a limit on time, and no second try.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::uri::{Authority, PathAndQuery, Scheme};
use axum::http::{HeaderMap, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Map, Value, json};
use system_common::text;

/// A call on its way to a module.
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// A module and the connections to it.
pub(super) struct Upstream {
    replicas: Vec<Replica>,
    /// How many times the work of each of the others the first replica gets.
    skew: f64,
    turns: AtomicU64,
    client: Client<HttpConnector, Full<Bytes>>,
    timeout: Duration,
    sent: AtomicU64,
    answered: AtomicU64,
    timed_out: AtomicU64,
    refused: AtomicU64,
    broken: AtomicU64,
}

/// One process of the module.
struct Replica {
    address: Authority,
    sent: AtomicU64,
}

/// Fractional part of the golden ratio: its multiples fall into every interval of [0, 1) in proportion to its length,
/// and evenly (Weyl's equidistribution).
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Which of `count` replicas has turn number `turn`: all equally, the first `skew` times as often as each of the others.
fn choose(turn: u64, count: usize, skew: f64) -> usize {
    if count < 2 {
        return 0;
    }
    if skew == 1.0 {
        return (turn % count as u64) as usize;
    }
    let place = (turn as f64 * GOLDEN).fract() * (skew + count as f64 - 1.0);
    if place < skew { 0 } else { (1 + (place - skew) as usize).min(count - 1) }
}

/// Connections that are kept while idle.
const IDLE_MAX: usize = 256;
/// Largest answer of a module: its 5000 records and some room.
const ANSWER_MAX: usize = 64 << 20;

/// How a call can go wrong on the way.
enum Failure {
    Refused,
    Broken(String),
}

impl Upstream {
    pub(super) fn new(addresses: &[Authority], timeout: Duration, skew: f64) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(IDLE_MAX)
            // Modules never close an idle connection, so there is nothing to guard against by closing it here.
            .pool_idle_timeout(None)
            // The library would send a call again when a kept connection breaks: what failed must be seen to fail.
            .retry_canceled_requests(false)
            .build(connector);
        let zero = || AtomicU64::new(0);
        let replica = |address: &Authority| Replica { address: address.clone(), sent: zero() };
        Self {
            replicas: addresses.iter().map(replica).collect(),
            skew,
            turns: zero(),
            client,
            timeout,
            sent: zero(),
            answered: zero(),
            timed_out: zero(),
            refused: zero(),
            broken: zero(),
        }
    }

    /// Sends a call once. 504 after the limit of time, which takes the whole answer in; 502 if the module cannot be
    /// reached or breaks off; else the module's own answer.
    pub(super) async fn send(&self, call: Call) -> Response<Body> {
        self.sent.fetch_add(1, Relaxed);
        let turn = self.turns.fetch_add(1, Relaxed);
        let replica = &self.replicas[choose(turn, self.replicas.len(), self.skew)];
        replica.sent.fetch_add(1, Relaxed);
        let address = &replica.address;
        match tokio::time::timeout(self.timeout, self.exchange(address, call)).await {
            Ok(Ok(response)) => {
                self.answered.fetch_add(1, Relaxed);
                response
            }
            Ok(Err(Failure::Refused)) => {
                self.refused.fetch_add(1, Relaxed);
                text(StatusCode::BAD_GATEWAY, format!("the module at {address} cannot be reached\n"))
            }
            Ok(Err(Failure::Broken(why))) => {
                self.broken.fetch_add(1, Relaxed);
                text(StatusCode::BAD_GATEWAY, format!("the module at {address} broke off: {why}\n"))
            }
            // The call is dropped, its connection closed; the module sees that its client is gone.
            Err(_) => {
                self.timed_out.fetch_add(1, Relaxed);
                let limit = terms::Nanos::from(self.timeout);
                text(StatusCode::GATEWAY_TIMEOUT, format!("the module at {address} took longer than {limit}\n"))
            }
        }
    }

    async fn exchange(&self, address: &Authority, call: Call) -> Result<Response<Body>, Failure> {
        let path = call.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(address.clone()).path_and_query(path).build();
        let broken = |why: String| Failure::Broken(why);
        let mut request = Request::new(Full::new(call.body));
        *request.method_mut() = call.method;
        *request.uri_mut() = uri.map_err(|error| broken(error.to_string()))?;
        *request.headers_mut() = call.headers;
        let response = self.client.request(request).await.map_err(|error| match error.is_connect() {
            true => Failure::Refused,
            false => broken(error.to_string()),
        })?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, ANSWER_MAX).collect().await.map_err(|error| broken(error.to_string()))?;
        let mut answer = Response::new(Body::from(body.to_bytes()));
        *answer.status_mut() = head.status;
        if let Some(kind) = head.headers.get(header::CONTENT_TYPE) {
            answer.headers_mut().insert(header::CONTENT_TYPE, kind.clone());
        }
        Ok(answer)
    }

    /// Calls sent are answered, timed out, refused, broken, or still in flight or given up by the client.
    pub(super) fn counters(&self) -> Value {
        let replica = |replica: &Replica| (replica.address.to_string(), replica.sent.load(Relaxed).into());
        json!({
            "replicas": self.replicas.iter().map(replica).collect::<Map<_, _>>(),
            "sent": self.sent.load(Relaxed),
            "answered": self.answered.load(Relaxed),
            "timed_out": self.timed_out.load(Relaxed),
            "refused": self.refused.load(Relaxed),
            "broken": self.broken.load(Relaxed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(count: usize, skew: f64) -> Vec<f64> {
        let mut turns = vec![0u32; count];
        (0..10_000).for_each(|turn| turns[choose(turn, count, skew)] += 1);
        turns.into_iter().map(|turns| f64::from(turns) / 10_000.0).collect()
    }

    #[test]
    fn the_first_replica_gets_its_times_and_the_others_the_same() {
        assert_eq!(shares(1, 3.0), [1.0]);
        assert_eq!(shares(4, 1.0), [0.25; 4]);
        // Of 3 + 1 + 1 parts the first has three fifths.
        for (share, wanted) in shares(3, 3.0).into_iter().zip([0.6, 0.2, 0.2]) {
            assert!((share - wanted).abs() < 0.001, "{share}");
        }
    }
}
