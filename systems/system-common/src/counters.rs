//! Counts to reconcile a run against: calls by route and status, calls in flight, faults that struck.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::shares::Hit;

/// Statuses below this have a counter of their own; 0 stands for an answer that was never given.
const STATUS_END: usize = 600;

/// From one look whether calls are in flight to the next, while a process ends.
const IDLE_PAUSE: Duration = Duration::from_millis(5);

/// Counters of one process. All count from its start; none is ever set back.
pub struct Counters {
    routes: &'static [&'static str],
    /// One row of statuses for each route, and a last one for calls that meet no route.
    calls: Vec<[AtomicU64; STATUS_END]>,
    in_flight: AtomicU64,
    started: AtomicU64,
    /// By [`Hit`]; how often each struck.
    hits: [AtomicU64; 4],
    stalled: AtomicU64,
    leaked_bytes: AtomicU64,
}

impl Counters {
    /// For routes named as method and path pattern, such as `GET /holdings/{uuid}`.
    pub fn new(routes: &'static [&'static str]) -> Self {
        let row = || std::array::from_fn(|_| AtomicU64::new(0));
        Self {
            routes,
            calls: (0..=routes.len()).map(|_| row()).collect(),
            in_flight: AtomicU64::new(0),
            started: AtomicU64::new(0),
            hits: std::array::from_fn(|_| AtomicU64::new(0)),
            stalled: AtomicU64::new(0),
            leaked_bytes: AtomicU64::new(0),
        }
    }

    /// The number of a route by method and pattern; unknown ones share the last number, named `other`.
    pub(crate) fn route(&self, method: &str, pattern: &str) -> usize {
        let is_it = |route: &&str| route.split_once(' ') == Some((method, pattern));
        self.routes.iter().position(is_it).unwrap_or(self.routes.len())
    }

    /// The name of a route by its number.
    pub(crate) fn route_name(&self, route: usize) -> &'static str {
        self.routes.get(route).copied().unwrap_or("other")
    }

    /// A call has begun; returns its number, from 0.
    pub(crate) fn begin(&self) -> u64 {
        self.in_flight.fetch_add(1, Relaxed);
        self.started.fetch_add(1, Relaxed)
    }

    /// A call has ended with this status.
    pub(crate) fn end(&self, route: usize, status: u16) {
        let row = &self.calls[route.min(self.routes.len())];
        row[usize::from(status).min(STATUS_END - 1)].fetch_add(1, Relaxed);
        self.in_flight.fetch_sub(1, Relaxed);
    }

    pub(crate) fn struck(&self, hit: Hit) {
        self.hits[hit as usize].fetch_add(1, Relaxed);
    }

    pub(crate) fn stalled(&self) {
        self.stalled.fetch_add(1, Relaxed);
    }

    pub(crate) fn leaked(&self, bytes: usize) {
        self.leaked_bytes.fetch_add(bytes as u64, Relaxed);
    }

    /// Calls that have begun and not ended.
    pub fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    /// Waits until no call is in flight.
    pub(crate) async fn idle(&self) {
        while self.in_flight() > 0 {
            tokio::time::sleep(IDLE_PAUSE).await;
        }
    }

    /// All as JSON: `started`, `in_flight`, `requests` by route and status, `faults`.
    pub(crate) fn to_json(&self) -> Map<String, Value> {
        let mut requests = Map::new();
        for (number, row) in self.calls.iter().enumerate() {
            let statuses: Map<String, Value> = row
                .iter()
                .enumerate()
                .map(|(status, count)| (status, count.load(Relaxed)))
                .filter(|(_, count)| *count > 0)
                .map(|(status, count)| (status.to_string(), count.into()))
                .collect();
            if number < self.routes.len() || !statuses.is_empty() {
                requests.insert(self.route_name(number).to_owned(), statuses.into());
            }
        }
        let hit = |hit: Hit| self.hits[hit as usize].load(Relaxed);
        let mut all = Map::new();
        all.insert("started".to_owned(), self.started.load(Relaxed).into());
        all.insert("in_flight".to_owned(), self.in_flight().into());
        all.insert("requests".to_owned(), requests.into());
        all.insert(
            "faults".to_owned(),
            json!({
                "errors": hit(Hit::Errors),
                "reset": hit(Hit::Reset),
                "half": hit(Hit::Half),
                "wrong": hit(Hit::Wrong),
                "stalled": self.stalled.load(Relaxed),
                "leaked_bytes": self.leaked_bytes.load(Relaxed),
            }),
        );
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_began_is_in_flight_or_ended() {
        let counters = Counters::new(&["GET /a", "PUT /b/{id}"]);
        for _ in 0..5 {
            counters.begin();
        }
        counters.end(counters.route("GET", "/a"), 200);
        counters.end(counters.route("PUT", "/b/{id}"), 404);
        counters.end(counters.route("GET", "/nowhere"), 404);
        counters.end(counters.route("GET", "/a"), 65_000);
        let shown = counters.to_json();
        assert_eq!(shown["started"], 5);
        assert_eq!(shown["in_flight"], 1);
        assert_eq!(
            shown["requests"],
            json!({ "GET /a": { "200": 1, "599": 1 }, "PUT /b/{id}": { "404": 1 }, "other": { "404": 1 } })
        );
    }
}
