//! The registration service: `POST /registration/`, up to a thousand entries in, an answer when all are in the log.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::post;
use serde_json::{Map, Value, json};
use system_common::Module;
use tokio::sync::Semaphore;

use super::Registration;
use crate::log::{KEY_MAX, Record, VALUE_MAX, Writer, write_record};
use crate::moment_now;
use crate::soap::{self, Fault, FaultCounts, Linking, REGISTER_BOUNDS};
use crate::token::Guard;
use crate::web::{admit, faulty, soap, whole};

/// Routes of a registration.
pub(crate) const ROUTES: &[&str] = &["POST /registration/"];

/// Longest time that the log may take when health is asked for.
const HEALTH_PATIENCE: Duration = Duration::from_secs(2);

/// One replica of the registration.
pub(crate) struct Register {
    log: Writer,
    topic: String,
    guard: Guard,
    /// A place for each call that is at work; fair, first come first served.
    places: Semaphore,
    /// Spent by each call in its place.
    delay: Duration,
    /// Ids of answers: the process, and a number.
    process: String,
    answered: AtomicU64,
    accepted: AtomicU64,
    repeated: AtomicU64,
    /// Registrations whose record the log has not acknowledged: some of them may be there.
    unacknowledged: AtomicU64,
    refused_calls: AtomicU64,
    faults: FaultCounts,
}

/// What a call brings, ready to be written.
struct Batch {
    linking: [String; 2],
    frames: Bytes,
    count: usize,
    repeated: usize,
}

impl Register {
    /// `places` calls are at work at once; each spends `delay` there beside its work.
    pub(crate) fn new(log: Writer, topic: String, guard: Guard, places: usize, delay: Duration) -> Arc<Self> {
        let zero = || AtomicU64::new(0);
        Arc::new(Self {
            log,
            topic,
            guard,
            places: Semaphore::new(places),
            delay,
            process: format!("{:x}-{:x}", std::process::id(), moment_now().0),
            answered: zero(),
            accepted: zero(),
            repeated: zero(),
            unacknowledged: zero(),
            refused_calls: zero(),
            faults: FaultCounts::new(),
        })
    }

    pub(crate) fn routes(self: &Arc<Self>) -> Router {
        Router::new().route("/registration/", post(register)).with_state(Arc::clone(self))
    }

    fn read(&self, headers: &HeaderMap, body: &[u8]) -> Result<Batch, Fault> {
        let call = admit(&self.guard, headers, body, REGISTER_BOUNDS)?;
        let all = soap::registrations(call.envelope.body()?)?;
        let mut ids = HashSet::with_capacity(all.len());
        let repeated = all.iter().filter(|registration| !ids.insert(registration.id.as_str())).count();
        let frames = frames(&all)?;
        Ok(Batch { linking: call.linking, frames: frames.into(), count: all.len(), repeated })
    }

    async fn answer(self: &Arc<Self>, headers: HeaderMap, body: Bytes) -> Result<String, Fault> {
        let place = self.places.acquire().await;
        let _place = place.map_err(|_| Fault::server("the service ends"))?;
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        // A call of 500 takes some milliseconds to read: on a thread of its own, so that others are not held up.
        let reading = Arc::clone(self);
        let read = tokio::task::spawn_blocking(move || reading.read(&headers, &body)).await;
        let Batch { linking: [flow, asked], frames, count, repeated } =
            read.unwrap_or_else(|_| Err(Fault::server("the reading of the call broke off")))?;
        if let Err(error) = self.log.produce(&self.topic, frames, count as u64).await {
            self.unacknowledged.fetch_add(count as u64, Relaxed);
            return Err(Fault::server(error.to_string()));
        }
        self.accepted.fetch_add(count as u64, Relaxed);
        self.repeated.fetch_add(repeated as u64, Relaxed);
        let message = format!("{}-{}", self.process, self.answered.fetch_add(1, Relaxed));
        let linking = Linking { flow: &flow, message: &message, in_response_to: &asked };
        Ok(soap::registered(&linking, count, repeated))
    }
}

/// All as records.
fn frames(all: &[Registration]) -> Result<Vec<u8>, Fault> {
    let mut frames = Vec::with_capacity(all.len() * 256);
    for registration in all {
        let (key, value) = (registration.key().as_bytes(), registration.to_value());
        if key.len() > KEY_MAX || value.len() > VALUE_MAX {
            return Err(Fault::syntax("a registration is too large for a record"));
        }
        write_record(Record { offset: 0, key, value: &value }, &mut frames);
    }
    Ok(frames)
}

impl Module for Register {
    /// Whether the log would take records.
    async fn health(&self) -> Result<(), String> {
        match tokio::time::timeout(HEALTH_PATIENCE, self.log.works(&self.topic)).await {
            Ok(asked) => asked.map_err(|error| error.to_string()),
            Err(_) => Err(format!("the log at {} does not answer within {HEALTH_PATIENCE:?}", self.log.address())),
        }
    }

    fn counters(&self) -> Map<String, Value> {
        let registrations = json!({
            "calls": self.answered.load(Relaxed),
            "accepted": self.accepted.load(Relaxed),
            "repeated": self.repeated.load(Relaxed),
            "unacknowledged": self.unacknowledged.load(Relaxed),
            "refused_calls": self.refused_calls.load(Relaxed),
        });
        let mut all = Map::new();
        all.insert("free_places".to_owned(), self.places.available_permits().into());
        all.insert("registrations".to_owned(), registrations);
        all.insert("soap_faults".to_owned(), self.faults.to_json());
        all
    }
}

async fn register(State(register): State<Arc<Register>>, request: Request) -> Response<Body> {
    let (headers, body) = match whole(request, REGISTER_BOUNDS.bytes).await {
        Ok(read) => read,
        Err(answer) => return *answer,
    };
    match register.answer(headers, body).await {
        Ok(text) => soap(StatusCode::OK, text),
        Err(fault) => {
            register.faults.count(&fault);
            register.refused_calls.fetch_add(1, Relaxed);
            faulty(&fault)
        }
    }
}
