//! The replicas behind the front: turns, a rest for those that cannot be reached, and no second try of what was sent.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::uri::{Authority, Scheme};
use axum::http::{HeaderMap, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Map, Value, json};
use system_common::text;

use super::Settings;

/// One process that answers.
struct Replica {
    address: Authority,
    sent: AtomicU64,
    answered: AtomicU64,
    refused: AtomicU64,
    broken: AtomicU64,
    timed_out: AtomicU64,
    /// Nanoseconds after the start of the front until which it is left out.
    resting_until: AtomicU64,
}

/// All of them, and the connections to them.
pub(super) struct Replicas {
    replicas: Vec<Replica>,
    /// What they are, for people: `lookup`.
    what: &'static str,
    skew: f64,
    turns: AtomicU64,
    /// Calls that a replica refused and the next one got.
    passed_on: AtomicU64,
    /// Calls that no replica took.
    nobody: AtomicU64,
    client: Client<HttpConnector, Full<Bytes>>,
    timeout: Duration,
    rest: Duration,
    born: Instant,
}

/// Fractional part of the golden ratio: its multiples fall into every interval of [0, 1) in proportion to its length,
/// and evenly (Weyl's equidistribution).
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// Connections to each lookup that are kept while idle.
const IDLE_MAX: usize = 256;
/// Largest answer of a lookup: a page has some 20 kB.
const ANSWER_MAX: usize = 1 << 20;
/// Longest time until a connection is there, on one machine or in one room.
const CONNECT_MAX: Duration = Duration::from_secs(2);

/// How a call can go wrong on the way.
enum Failure {
    /// Nothing was sent, so another one may have it.
    Refused,
    Broken(String),
}

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

impl Replicas {
    /// `what` they are, and where.
    pub(super) fn new(what: &'static str, addresses: &[Authority], settings: &Settings) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_MAX));
        let client = Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(IDLE_MAX)
            .pool_idle_timeout(None)
            // The library would send a call again when a kept connection breaks: what failed must be seen to fail.
            .retry_canceled_requests(false)
            .build(connector);
        let zero = || AtomicU64::new(0);
        let replica = |address: &Authority| Replica {
            address: address.clone(),
            sent: zero(),
            answered: zero(),
            refused: zero(),
            broken: zero(),
            timed_out: zero(),
            resting_until: zero(),
        };
        Self {
            replicas: addresses.iter().map(replica).collect(),
            what,
            skew: settings.skew,
            turns: zero(),
            passed_on: zero(),
            nobody: zero(),
            client,
            timeout: settings.timeout,
            rest: settings.rest,
            born: Instant::now(),
        }
    }

    /// Sends a call to the replica whose turn it is; one that refuses the connection, or rests since it did, is passed
    /// over. 503 if none takes it; 504 after the limit of time; 502 if one breaks off in the middle: what was sent once is
    /// not sent again.
    pub(super) async fn send(&self, path: &'static str, headers: HeaderMap, body: Bytes) -> Response<Body> {
        let first = choose(self.turns.fetch_add(1, Relaxed), self.replicas.len(), self.skew);
        let until = Instant::now() + self.timeout;
        for step in 0..self.replicas.len() {
            let replica = &self.replicas[(first + step) % self.replicas.len()];
            if self.is_resting(replica) {
                continue;
            }
            replica.sent.fetch_add(1, Relaxed);
            let exchange = self.exchange(&replica.address, path, headers.clone(), body.clone());
            match tokio::time::timeout_at(until.into(), exchange).await {
                Ok(Ok(response)) => {
                    replica.answered.fetch_add(1, Relaxed);
                    return response;
                }
                Ok(Err(Failure::Refused)) => {
                    replica.refused.fetch_add(1, Relaxed);
                    self.passed_on.fetch_add(1, Relaxed);
                    self.let_rest(replica);
                }
                Ok(Err(Failure::Broken(why))) => {
                    replica.broken.fetch_add(1, Relaxed);
                    let (what, address) = (self.what, &replica.address);
                    return text(StatusCode::BAD_GATEWAY, format!("the {what} at {address} broke off: {why}\n"));
                }
                // The call is dropped, its connection closed; the lookup sees that its client is gone.
                Err(_) => {
                    replica.timed_out.fetch_add(1, Relaxed);
                    let (what, address, limit) = (self.what, &replica.address, terms::Nanos::from(self.timeout));
                    let why = format!("the {what} at {address} took longer than {limit}\n");
                    return text(StatusCode::GATEWAY_TIMEOUT, why);
                }
            }
        }
        self.nobody.fetch_add(1, Relaxed);
        text(StatusCode::SERVICE_UNAVAILABLE, format!("no {} can be reached\n", self.what))
    }

    fn age_ns(&self) -> u64 {
        u64::try_from(self.born.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn is_resting(&self, replica: &Replica) -> bool {
        let until = replica.resting_until.load(Relaxed);
        until > 0 && self.age_ns() < until
    }

    fn let_rest(&self, replica: &Replica) {
        let rest = u64::try_from(self.rest.as_nanos()).unwrap_or(u64::MAX);
        replica.resting_until.store(self.age_ns().saturating_add(rest), Relaxed);
    }

    async fn exchange(
        &self,
        address: &Authority,
        path: &'static str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Body>, Failure> {
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(address.clone()).path_and_query(path).build();
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri.map_err(|error| Failure::Broken(error.to_string()))?;
        *request.headers_mut() = headers;
        let response = self.client.request(request).await.map_err(|error| match error.is_connect() {
            true => Failure::Refused,
            false => Failure::Broken(error.to_string()),
        })?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, ANSWER_MAX).collect().await;
        let body = body.map_err(|error| Failure::Broken(error.to_string()))?;
        let mut answer = Response::new(Body::from(body.to_bytes()));
        *answer.status_mut() = head.status;
        if let Some(kind) = head.headers.get(header::CONTENT_TYPE) {
            answer.headers_mut().insert(header::CONTENT_TYPE, kind.clone());
        }
        Ok(answer)
    }

    /// What was sent to each is answered, refused, broken, timed out, or still in flight or given up by the client.
    pub(super) fn counters(&self) -> Value {
        let replica = |replica: &Replica| {
            let counts = json!({
                "sent": replica.sent.load(Relaxed),
                "answered": replica.answered.load(Relaxed),
                "refused": replica.refused.load(Relaxed),
                "broken": replica.broken.load(Relaxed),
                "timed_out": replica.timed_out.load(Relaxed),
                "resting": self.is_resting(replica),
            });
            (replica.address.to_string(), counts)
        };
        json!({
            "replicas": self.replicas.iter().map(replica).collect::<Map<_, _>>(),
            "passed_on": self.passed_on.load(Relaxed),
            "nobody": self.nobody.load(Relaxed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_replica_gets_its_times_and_the_others_the_same() {
        let shares = |count: usize, skew: f64| {
            let mut turns = vec![0u32; count];
            (0..10_000).for_each(|turn| turns[choose(turn, count, skew)] += 1);
            turns.into_iter().map(|turns| f64::from(turns) / 10_000.0).collect::<Vec<_>>()
        };
        assert_eq!(shares(1, 3.0), [1.0]);
        assert_eq!(shares(2, 1.0), [0.5; 2]);
        for (share, wanted) in shares(2, 3.0).into_iter().zip([0.75, 0.25]) {
            assert!((share - wanted).abs() < 0.001, "{share}");
        }
    }
}
